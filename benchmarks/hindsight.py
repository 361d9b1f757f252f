"""What could have been reached: the rivals tuned in hindsight on every world of the suite.

For each world and rival the parameters with the least mean regret are searched for:

1. every point of a coarse grid, evenly spaced in logarithms, with a quarter of the tuning seeds,
   of which there are 32 (1000 to 1031), or 16 in worlds of more than 10^5 rounds;
2. the best six of them again with all of these seeds;
3. from the best, one parameter at a time is changed by half a step of the grid, as long as that
   helps, also beyond the edges of the grid; then the same by a quarter of a step.

What is found is scored with 64 fresh seeds (0 to 63), so that a lucky draw is not rewarded.
Learners that are not tuned are scored with the same seeds and their own defaults, told the truth
where they must be told: the number of phases that a significant shift begins.

The answers are in ``benchmarks/suite/hindsight.json``: criterion -> world -> rival -> its
parameters, mean regret and standard error. What is there is not searched for again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import driftduel as dd
from benchmarks import suite
from driftduel._files import replacing

ANSWERS = suite.FOLDER / "hindsight.json"
SCORING = range(64)
LONG = 10**5
"""Beyond this horizon fewer seeds are used for tuning; regret varies less there."""
FINALISTS = 6
STEPS = (0.5, 0.25)
"""The steps of the refinement, in steps of the grid."""
LONGEST_WALK = 30
"""The refinement tries at most this many points with each step."""

Point = dict[str, float]


@dataclass(frozen=True)
class Rival:
    """A learner to be tuned.

    Attributes
    ----------
    make : callable
        Makes it from the numbers of arms and rounds and its parameters.
    grid : dict
        The values to try of each parameter, evenly spaced in logarithms; none to tune nothing.
    limits : dict
        The largest value of a parameter, where there is one.
    whole : tuple of str
        The parameters that are whole numbers.
    most_arms : int
        With more arms it is too slow to be searched for.
    """

    make: Callable[..., dd.Learner]
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    whole: tuple[str, ...] = ()
    most_arms: int = 1000

    def at(self, stream: dd.Stream, point: Point) -> dd.Learner:
        """Return the learner with these parameters, for a stream."""
        return self.make(stream.n_arms, stream.horizon, **self.rounded(point))

    def rounded(self, point: Point) -> Point:
        """Return the point with three digits to a number, within the limits."""
        near = {key: float(f"{value:.3g}") for key, value in point.items()}
        near = {key: min(value, self.limits.get(key, math.inf)) for key, value in near.items()}
        return {k: max(1, round(v)) if k in self.whole else v for k, v in near.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--criterion", choices=suite.CRITERIA, help="only this one")
    parser.add_argument("--rivals", nargs="*", default=[], help="only those whose name has a word")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    options, _ = parser.parse_known_args()
    for world in suite.worlds(options.criterion):
        stream = world.stream()
        truth = phases(stream, world.criterion)
        for name, rival in rivals(world.criterion, truth).items():
            asked = not options.rivals or any(word in name for word in options.rivals)
            known = name in stored().get(world.criterion, {}).get(world.label, {})
            if stream.n_arms > rival.most_arms or not asked or (known and not options.again):
                continue
            begin = time.perf_counter()
            answer = best_in_hindsight(rival, stream, world.criterion)
            store(world, name, answer)
            seconds = time.perf_counter() - begin
            print(
                f"{world.criterion:9} {world.label:46} {name:28} {answer['mean']:10,.0f} "
                f"+- {answer['error']:6,.0f}  {answer['parameters']}  ({seconds:.1f} s)",
                flush=True,
            )


def rivals(criterion: str, n_phases: int) -> dict[str, Rival]:
    """Return the rivals by name, told the number of phases where they must be told."""
    return borda_rivals(n_phases) if criterion == "borda" else condorcet_rivals(n_phases)


EXPLORATION = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
MEMORY = (30.0, 100.0, 300.0, 1000.0, 3000.0)
WIDTH = (0.2, 0.4, 0.8)
LEARNING = (1e-5, 1e-4, 1e-3, 1e-2)
BONUS = (1e-5, 1e-3)
ALPHA = (0.003, 0.01, 0.03, 0.1, 0.3)
ROUNDS = (300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0)
PERIODS = tuple(float(round(1000 * 10 ** (n / 4))) for n in range(11))


def borda_rivals(n_phases: int) -> dict[str, Rival]:
    """Return the rivals in Borda regret, the tuned ones first."""
    at_most_one = {"exploration": 1.0}
    rates = {"learning_rate": LEARNING, "exploration": EXPLORATION[1:]}
    return {
        "DiscountedBordaUCB": Rival(
            dd.DiscountedBordaUCB,
            {"exploration": EXPLORATION, "memory": MEMORY, "width": WIDTH},
            at_most_one,
        ),
        "DiscountedBordaGreedy": Rival(
            dd.DiscountedBordaGreedy, {"exploration": EXPLORATION, "memory": MEMORY}, at_most_one
        ),
        "SlidingBordaUCB": Rival(
            dd.SlidingBordaUCB,
            {"exploration": EXPLORATION, "window": MEMORY, "width": WIDTH},
            at_most_one,
            ("window",),
        ),
        "SlidingBordaGreedy": Rival(
            dd.SlidingBordaGreedy,
            {"exploration": EXPLORATION, "window": MEMORY},
            at_most_one,
            ("window",),
        ),
        "DEXP3": Rival(dd.DEXP3, rates, at_most_one),
        "BordaDEX3S": Rival(dd.BordaDEX3S, {**rates, "bonus": BONUS}, at_most_one),
        "BordaDEX3S told S": Rival(with_(dd.BordaDEX3S, n_phases=n_phases)),
        "DEXP3 theory": Rival(dd.DEXP3),
        "DEXP3HP": Rival(dd.DEXP3HP),
        "BordaETC": Rival(dd.BordaETC),
        "BCB": Rival(dd.BCB),
        "BordaElimination": Rival(dd.BordaElimination),
        "MetaBosse": Rival(dd.MetaBosse),
        "Uniform": Rival(dd.Uniform),
    }


def condorcet_rivals(n_phases: int) -> dict[str, Rival]:
    """Return the rivals in Condorcet regret, the tuned ones first."""
    at_most_one = {"exploration": 1.0}
    rates = {"learning_rate": LEARNING, "exploration": EXPLORATION[1:]}
    return {
        "DiscountedRUCB": Rival(dd.DiscountedRUCB, {"alpha": ALPHA, "memory": ROUNDS}),
        "SlidingRUCB": Rival(dd.SlidingRUCB, {"alpha": ALPHA, "window": ROUNDS}, {}, ("window",)),
        "DiscountedCondorcetGreedy": Rival(
            dd.DiscountedCondorcetGreedy,
            {"exploration": EXPLORATION, "memory": MEMORY},
            at_most_one,
        ),
        "PeriodicRestart of RUCB": Rival(
            restarting(dd.RUCB), {"every": PERIODS}, {}, ("every",), most_arms=50
        ),
        "PeriodicRestart of DTS": Rival(
            restarting(dd.DTS), {"every": PERIODS}, {}, ("every",), most_arms=20
        ),
        "DEX3S": Rival(dd.DEX3S, {**rates, "bonus": BONUS}, at_most_one, most_arms=50),
        "DEX3S told S": Rival(with_(dd.DEX3S, n_phases=n_phases)),
        "Anaconda": Rival(dd.Anaconda),
        "MetaSwift": Rival(dd.MetaSwift),
        "MetaBosse": Rival(with_(dd.MetaBosse, criterion="condorcet")),
        "RUCB": Rival(dd.RUCB),
        "DTS": Rival(dd.DTS, most_arms=20),
        "RMED1": Rival(dd.RMED1, most_arms=50),
        "VersatileDB": Rival(dd.VersatileDB),
        "REX3": Rival(dd.REX3),
        "WinnerStaysStrong": Rival(dd.WinnerStaysStrong),
        "BeatTheWinnerReset": Rival(dd.BeatTheWinnerReset),
        "DETECT": Rival(dd.DETECT),
        "MDB": Rival(with_(dd.MDB, segments=n_phases)),
        "Uniform": Rival(dd.Uniform),
    }


def restarting(inner: Callable[..., dd.Learner]) -> Callable[..., dd.Learner]:
    """Return a maker of learners that begin anew every so many rounds."""

    def made(n_arms: int, horizon: int, every: float) -> dd.Learner:
        return dd.PeriodicRestart.of(inner(n_arms, horizon), every=int(min(every, horizon)))

    return made


def with_(make: Callable[..., dd.Learner], **fixed: Any) -> Callable[..., dd.Learner]:
    """Return a maker of learners with some parameters fixed."""

    def made(n_arms: int, horizon: int, **parameters: Any) -> dd.Learner:
        return make(n_arms, horizon, **fixed, **parameters)

    return made


def phases(stream: dd.Stream, criterion: str) -> int:
    """Return the number of phases that significant shifts of the criterion begin."""
    measured = dd.measure(stream)
    found = measured.significant_borda if criterion == "borda" else measured.significant_condorcet
    return 1 if found is None else len(found)


def best_in_hindsight(rival: Rival, stream: dd.Stream, criterion: str) -> dict[str, Any]:
    """Return the best parameters that the search finds, and their score."""
    point = search(rival, stream, criterion) if rival.grid else {}
    regrets = finals(rival.at(stream, point), stream, criterion, SCORING)
    return {
        "parameters": rival.rounded(point),
        "mean": round(float(regrets.mean()), 1),
        "error": round(float(regrets.std(ddof=1) / math.sqrt(len(regrets))), 1),
    }


def search(rival: Rival, stream: dd.Stream, criterion: str) -> Point:
    """Return the parameters with the least mean regret: a grid, then a walk from its best."""
    seeds = range(1000, 1032 if stream.horizon <= LONG else 1016)

    def loss(point: Point, some: range = seeds) -> float:
        return float(finals(rival.at(stream, point), stream, criterion, some).mean())

    grid = [
        dict(zip(rival.grid, values, strict=True))
        for values in itertools.product(*rival.grid.values())
    ]
    grid.sort(key=lambda point: loss(point, seeds[: len(seeds) // 4]))
    best, least = min(
        ((point, loss(point)) for point in grid[:FINALISTS]), key=lambda found: found[1]
    )
    for fraction in STEPS:
        best, least = walk(rival, loss, best, least, fraction)
    return best


def walk(
    rival: Rival, loss: Callable[[Point], float], best: Point, least: float, fraction: float
) -> tuple[Point, float]:
    """Return where changes of one parameter at a time lead while they help."""
    seen = {tuple(rival.rounded(best).values())}
    improved = True
    while improved:
        improved = False
        for key, values in rival.grid.items():
            step = (values[1] / values[0]) ** fraction
            for factor in (step, 1 / step):
                there = {**best, key: best[key] * factor}
                place = tuple(rival.rounded(there).values())
                if place in seen or len(seen) > LONGEST_WALK or not allowed(rival, there):
                    continue
                seen.add(place)
                found = loss(there)
                if found < least:
                    best, least, improved = there, found, True
    return best, least


def allowed(rival: Rival, point: Point) -> bool:
    """Return whether a point is within the limits; a memory is more than one exploration."""
    below = all(point[key] <= limit for key, limit in rival.limits.items() if key in point)
    return below and point.get("memory", math.inf) > 1.5


def finals(
    learner: dd.Learner, stream: dd.Stream, criterion: str, seeds: range
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the regret after the last round, one number a seed."""
    runs = dd.simulate_many(learner, stream, seeds, points=1)
    return np.array([run.regret(criterion)[-1] for run in runs])


def stored() -> dict[str, Any]:
    """Return the answers known so far."""
    if not ANSWERS.exists():
        return {}
    answers: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return answers


def store(world: suite.SuiteWorld, rival: str, answer: dict[str, Any]) -> None:
    """Add an answer to the file."""
    answers = stored()
    answers.setdefault(world.criterion, {}).setdefault(world.label, {})[rival] = answer
    with replacing(ANSWERS) as file:
        file.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
