"""The suite of worlds on which the learners are compared, in two halves.

The worlds are the streams of ``borda.toml`` and ``condorcet.toml`` in the folder ``specs``, which
are also experiment files. A label is "KIND: WORLD". The halves follow a rule that was fixed before
anything was scored: within a criterion and a kind, in the order of the file, the first world is
for tuning, the second is held out, and so on in turn.

What the rivals could have reached is in ``hindsight.json``; ``python -m benchmarks hindsight``
searches for it.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftduel.experiments.spec import Spec
from driftduel.streams import Stream, catalogue

FOLDER = Path(__file__).parent / "specs"
CRITERIA = ("borda", "condorcet")
HALVES = ("tuning", "held-out")

LEARNER = "CalibratedMetaBosse"
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
        "tuning" or "held-out".
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
        spec = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        seen: Counter[str] = Counter()
        for table in spec["stream"]:
            label, world = table.pop("label"), table.pop("world")
            kind = label.partition(":")[0]
            found.append(SuiteWorld(label, name, HALVES[seen[kind] % 2], world, table))
            seen[kind] += 1
    return [
        world
        for world in found
        if criterion in (None, world.criterion) and half in (None, world.half)
    ]


def benchmark_spec(criterion: str, half: str | None = None, seeds: int = SEEDS) -> Spec:
    """Return what is played in a criterion: all worlds, or those of a half.

    Examples
    --------
    >>> spec = benchmark_spec("condorcet", "held-out", 4)
    >>> len(spec.streams), spec.seeds, spec.streams[0].label
    (14, (0, 1, 2, 3), 'stationary: Bradley-Terry-Luce')
    """
    lines = [
        f"title = {json.dumps(f'The benchmark, {criterion.title()}')}",
        f"seeds = {seeds}",
        f"criteria = {json.dumps([criterion])}",
    ]
    for world in worlds(criterion, half):
        table = {"label": world.label, "world": world.world, **world.parameters}
        lines += ["", "[[stream]]", *(f"{key} = {json.dumps(table[key])}" for key in table)]
    for name in PLAYERS:
        lines += ["", "[[learner]]", f'name = "{name}"', f'criterion = "{criterion}"']
    return Spec.parse("\n".join(lines) + "\n", f"{criterion}.toml")


def hindsight() -> dict[str, Any]:
    """Return what the rivals reached: criterion -> world -> rival -> answer.

    An answer has ``told`` ("tuned in hindsight", "told nothing", "told S", ...), ``parameters``,
    ``mean`` and ``error`` of the regret after the last round, ``runs`` and ``aims``.
    """
    found = _file()
    return {criterion: found[criterion] for criterion in CRITERIA if criterion in found}


def left_out() -> dict[str, dict[str, dict[str, str]]]:
    """Return why listed rivals have no answer: criterion -> world -> rival -> why.

    They are too slow for the world, or the time for the search was over.
    """
    reasons: dict[str, dict[str, dict[str, str]]] = _file().get("left_out", {})
    return reasons


def _file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "hindsight.json").read_text(encoding="utf-8"))
    return found
