"""The experiments on the paper: their specs in the edition asked for, and how long they take.

The specs are the files of the folder ``specs``. Each is an experiment for ``driftduel run``; a
line that ends in ``# quick: VALUE`` has that value instead in the quick edition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from driftduel._support.text import did_you_mean
from driftduel.experiments.checksums import DamagedFileError
from driftduel.experiments.results import Results
from driftduel.experiments.spec import LearnerEntry, Spec

OPEN_QUESTIONS = (
    "open-arms",
    "open-measures",
    "open-weights",
    "weak-borda",
    "open-instances",
)
"""Those about what the paper leaves open; ``open-questions`` stands for all of them."""

NAMES = (
    "known-weight",
    "known-weight-phases",
    "known-weight-variation",
    "gic",
    "gic-phases",
    "gic-variation",
    "table-1-borda",
    "table-1-condorcet",
    "regimes",
    "weights",
    "intervals",
    "real-worlds",
    *OPEN_QUESTIONS,
)
"""The experiments, in the order in which they are run and told."""

COMPARISONS = ("table-1-borda", "table-1-condorcet", "regimes")
"""Those that ask who loses least, not how regret grows."""

_ALL_OPEN = "open-questions"

_QUICK = re.compile(r"^(\s*\w+\s*=\s*)[^#\n]*#[ ]quick:[ ]*(.+?)[ ]*$", re.MULTILINE)

_NANOSECONDS = {
    "DEX3S": 60,
    "BordaDEX3S": 60,
    "RUCB": 40,
    "Uniform": 15,
    "UniformOpponent": 150,
    "DriftDuel": 100,
}
_USUAL_NANOSECONDS = 32
_ALL_INTERVALS = 1.5
"""Nanoseconds a round and round of the horizon, where every interval is tested."""

_COMPILING = 90.0
"""Seconds for the learners to compile, on first use."""


@dataclass(frozen=True)
class Experiment:
    """One of the experiments, with its spec in the edition that was asked for."""

    name: str
    spec: Spec

    def seconds(self, folder: Path, workers: int) -> float:
        """Return about how long it takes to run what is not finished in a folder."""
        done = _finished(folder)
        total = sum(
            len(set(self.spec.seeds) - done.get((player.label, stream.label), set()))
            * _cost(player, int(stream.parameters["horizon"]))
            for stream in self.spec.streams
            for player in self.spec.learners
        )
        return total / workers


def experiments(only: Sequence[str] = (), *, quick: bool = False) -> list[Experiment]:
    """Return the experiments, all or those named.

    Raises
    ------
    ValueError
        If there is no experiment of that name.

    Examples
    --------
    >>> [item.name for item in experiments(["gic", "weights"])]
    ['gic', 'weights']
    >>> len(experiments(["open-questions"]))
    5
    """
    known = (*NAMES, _ALL_OPEN)
    for name in only:
        if name not in known:
            there_are = f"{did_you_mean(name, known)}, there are {', '.join(known)}"
            raise ValueError(f"no experiment is called {name!r}{there_are}")
    wanted = {*(only or NAMES), *(OPEN_QUESTIONS if _ALL_OPEN in only else ())}
    chosen = []
    for name in NAMES:
        if name in wanted:
            text = spec_text(name, quick=quick)
            chosen.append(Experiment(name, Spec.parse(text, f"{name}.toml")))
    return chosen


def spec_text(name: str, *, quick: bool = False) -> str:
    """Return the spec of an experiment as text."""
    file = files(__package__).joinpath("specs", f"{name}.toml")
    text = file.read_text(encoding="utf-8")
    return quick_edition(text) if quick else text


def quick_edition(text: str) -> str:
    """Return a spec with the values that its comments name for the quick edition.

    Examples
    --------
    >>> quick_edition("seeds = 16  # quick: 4")
    'seeds = 4'
    """
    return _QUICK.sub(r"\1\2", text)


def expected_seconds(chosen: Sequence[Experiment], out: Path, workers: int) -> float:
    """Return about how long the experiments take, without what is finished in ``out``."""
    left = sum(item.seconds(out / item.name, workers) for item in chosen)
    return left + _COMPILING if left else 0.0


def _finished(folder: Path) -> Mapping[tuple[str, str], set[int]]:
    """Return the seeds that are finished by the labels of learner and stream."""
    found: dict[tuple[str, str], set[int]] = {}
    if not (folder / "plan.json").exists():
        return found
    # What is damaged is run again, and so is not finished.
    with suppress(DamagedFileError):
        runs = Results.load(folder).scan("runs").select("learner", "stream", "seed").collect()
        for learner, stream, seed in runs.iter_rows():
            found.setdefault((learner, stream), set()).add(seed)
    return found


def _cost(player: LearnerEntry, horizon: int) -> float:
    """Return about how many seconds a run takes."""
    if player.parameters.get("intervals") == "all":
        return _ALL_INTERVALS * horizon**2 * 1e-9
    return _NANOSECONDS.get(player.name, _USUAL_NANOSECONDS) * horizon * 1e-9
