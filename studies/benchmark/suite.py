"""The suite of worlds on which the learners are compared: a tuning half and two held out.

The worlds are streams of files in the folder ``specs``, which are also experiment files. A label is
"KIND: WORLD".

- *tuning* and *earlier*, in ``borda.toml`` and ``condorcet.toml``: constants were chosen on the
  first; the second was held out, but its scores have been seen since. Within a criterion and a
  kind, in the order of the file, the first world is for tuning, the second not, and so on in turn.
- *held-out*, in ``fresh-borda.toml`` and ``fresh-condorcet.toml``: drawn by ``python -m benchmarks
  draw`` and committed before any learner had played on them.

What the rivals could have reached is in ``hindsight.csv.gz``, a row for each world and rival;
``python -m benchmarks hindsight`` searches for it.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftduel._support.files import replacing
from driftduel.experiments.grids import read_parameters
from driftduel.experiments.spec import Spec
from driftduel.worlds import Stream, catalogue

FOLDER = Path(__file__).parent / "specs"
_FILE = "hindsight.csv.gz"
CRITERIA = ("borda", "condorcet")
HALVES = ("held-out", "earlier", "tuning")

FIRST_SEED = {"held-out": 10_000, "earlier": 0, "tuning": 0}
"""The first of the seeds that the worlds of a half are played with."""

LEARNER = "DriftDuel"
"""The learner that the benchmark is about."""

PAPER = "MetaBosse"
"""The paper's."""

PLAYERS = (LEARNER, PAPER)

SEEDS = 64
"""As many as the rivals were scored with."""


@dataclass(frozen=True)
class SuiteWorld:
    """One world of the suite.

    Attributes
    ----------
    label : str
        "KIND: WORLD", unique within a criterion.
    criterion : str
        What regret is measured in, "borda" or "condorcet".
    half : str
        "held-out", "earlier" or "tuning".
    world : str
        The name of the built-in world.
    parameters : dict
        Its parameters.
    """

    label: str
    criterion: str
    half: str
    world: str
    parameters: dict[str, Any]

    @property
    def kind(self) -> str:
        """What the world is an example of."""
        return self.label.partition(":")[0]

    def stream(self) -> Stream:
        """Build the world."""
        return catalogue.build(self.world, **self.parameters)


def worlds(criterion: str | None = None, half: str | None = None) -> list[SuiteWorld]:
    """Return the worlds in the order of their files, all or those of a criterion or a half."""
    found = []
    for name in CRITERIA:
        for prefix, halves in (("", ("tuning", "earlier")), ("fresh-", ("held-out",))):
            file = FOLDER / f"{prefix}{name}.toml"
            seen: Counter[str] = Counter()
            for table in tomllib.loads(file.read_text(encoding="utf-8"))["stream"]:
                label, world = table.pop("label"), table.pop("world")
                kind = label.partition(":")[0]
                here = halves[seen[kind] % len(halves)]
                found.append(SuiteWorld(label, name, here, world, table))
                seen[kind] += 1
    return [
        world
        for world in found
        if criterion in (None, world.criterion) and half in (None, world.half)
    ]


def benchmark_spec(criterion: str, half: str, seeds: int = SEEDS) -> Spec:
    """Return what is played in a criterion on the worlds of a half.

    Examples
    --------
    >>> spec = benchmark_spec("condorcet", "earlier", 4)
    >>> len(spec.streams), spec.seeds, spec.streams[0].label
    (14, (0, 1, 2, 3), 'stationary: Bradley-Terry-Luce')
    >>> benchmark_spec("borda", "held-out", 2).seeds
    (10000, 10001)
    """
    first = FIRST_SEED[half]
    lines = [
        f"title = {json.dumps(f'The benchmark, {criterion.title()}, {half}')}",
        f"seeds = {[*range(first, first + seeds)]}",
        f"criteria = {json.dumps([criterion])}",
    ]
    for world in worlds(criterion, half):
        table = {"label": world.label, "world": world.world, **world.parameters}
        lines += ["", "[[stream]]", *(f"{key} = {json.dumps(table[key])}" for key in table)]
    for name in PLAYERS:
        lines += ["", "[[learner]]", f'name = "{name}"', f'criterion = "{criterion}"']
    return Spec.parse("\n".join(lines) + "\n", f"{criterion}.toml")


Answers = dict[str, dict[str, dict[str, Any]]]
"""By criterion, world and rival."""

_COLUMNS = ("criterion", "world", "rival", "told", "parameters", "mean", "error", "runs", "aims")
_WHY = "left_out"


def hindsight() -> Answers:
    """Return what the rivals reached: criterion -> world -> rival -> answer.

    An answer has ``told`` ("tuned in hindsight", "no prior knowledge", "told S", ...),
    ``parameters``, ``mean`` and ``error`` of the regret after the last round, ``runs`` and
    ``aims``.
    """
    return _read()[0]


def left_out() -> Answers:
    """Return why listed rivals have no answer: criterion -> world -> rival -> why.

    They are too slow for the world, or the time for the search was over.
    """
    return _read()[1]


def store_hindsight(answers: Answers, left_out: Answers) -> None:
    """Write what `hindsight` and `left_out` return."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow((*_COLUMNS, _WHY))
    for criterion, by_world in answers.items():
        for world, by_rival in by_world.items():
            for rival, answer in by_rival.items():
                told, parameters, *score = (answer[column] for column in _COLUMNS[3:])
                writer.writerow((criterion, world, rival, told, json.dumps(parameters), *score, ""))
    for criterion, by_world in left_out.items():
        for world, reasons in by_world.items():
            for rival, why in reasons.items():
                writer.writerow((criterion, world, rival, *("" for _ in _COLUMNS[3:]), why))
    with replacing(FOLDER / _FILE) as file:
        # Without the time of writing, so that the same answers are the same bytes.
        file.write_bytes(gzip.compress(table.getvalue().encode(), mtime=0))


def _read() -> tuple[Answers, Answers]:
    """Return the answers, and why others are left out; a world of the file is in both."""
    answers: Answers = {}
    reasons: Answers = {}
    with gzip.open(FOLDER / _FILE, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            criterion, world, rival = row["criterion"], row["world"], row["rival"]
            found, why = (
                part.setdefault(criterion, {}).setdefault(world, {}) for part in (answers, reasons)
            )
            if row[_WHY]:
                why[rival] = row[_WHY]
            else:
                found[rival] = {
                    "told": row["told"],
                    "parameters": read_parameters(row["parameters"]),
                    "mean": float(row["mean"]),
                    "error": float(row["error"]),
                    "runs": int(row["runs"]),
                    "aims": row["aims"],
                }
    return answers, reasons
