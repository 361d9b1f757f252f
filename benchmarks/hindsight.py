"""What could have been reached: the rivals tuned in hindsight on every world of the suite.

For each world and rival the parameters with the least mean regret are searched for:

1. every point of a coarse grid, evenly spaced in logarithms, with eight seeds (1000 to 1007);
2. the best six of them again with 32 seeds (1000 to 1031);
3. from the best, one parameter at a time is changed by half a step of the grid, as long as that
   helps with 32 seeds, also beyond the edges of the grid; then the same by a quarter of a step. A
   point whose first eight runs are worse by a fifth is given up.

What is found is scored with 64 fresh seeds (0 to 63), so that a lucky draw is not rewarded.
Learners that are not tuned are scored with the same seeds (the first 16 of them in worlds of more
than 10^5 rounds) and the tuning of their theory. Those that want to be told the truth are told it:
S, one more than the number of switches of the winner, or the smaller number of phases that
significant shifts begin, or the total variation (0.1 at least, since 0 has no tuning).

Restarts at fixed times are a case of their own. Where the changes of a world are evenly spaced and
the period divides their distance, the learner is in effect told when they happen, which no tuning
of a period should do. So the periods are those of a grid that is off the beat, 726 times 10^(n/4),
and are not refined: no restart falls on an evenly spaced change of the suite, the nearest are a
sixteenth of a period away.

Some learners for a Condorcet winner are also scored in Borda regret, one of them tuned on a coarse
grid. Where both criteria name the same winner they may lose less than all that are made for Borda,
and where they do not they lose without end. Answers say what a learner aims at.

Learners too slow for a world are left out there: those with a window of rounds and those with a
distribution over the arms beyond 10^5 rounds, Thompson sampling with 100 arms. Of the slow ones
that are tuned, D-TS with restarts and those with a distribution, the best point of the grid with
eight seeds is taken as it is. `SlidingWindow`,
which learns the window anew, is left out altogether.

The answers are in ``hindsight.json`` beside the suite: criterion -> world -> rival -> what it was
told, its parameters, mean regret, standard error, number of runs and what it aims at. What is there
is not searched for again.
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
from numpy.typing import NDArray

import driftduel as dd
from driftduel._files import replacing
from driftduel.studies.benchmark import suite

SCORING = range(64)
TUNING = range(1000, 1032)
FEWER = range(16)
"""The scoring seeds of learners that are not tuned, in long worlds."""
LONG = 10**5
"""Worlds of more rounds are long."""
FEW = 8
"""How many of the tuning seeds the grid is searched with."""
HOPELESS = 1.2
"""A point is given up if it is worse by this factor with few seeds."""
FINALISTS = 6
STEPS = (0.5, 0.25)
"""The steps of the refinement, in steps of the grid."""
LONGEST_WALK = 30
"""The refinement tries at most this many points with each step."""

Point = dict[str, float]
Floats = NDArray[np.float64]


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
    most_arms, most_rounds : int
        In larger worlds it is too slow to be searched for.
    refined : bool
        Whether points beside those of the grid are tried.
    slow : bool
        Whether the best of the grid with few seeds is taken as it is.
    told : str
        What a learner that is not tuned is told of the truth.
    aims : str or None
        The criterion that it is made for, if it is not that of the world.
    """

    make: Callable[..., dd.Learner]
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    whole: tuple[str, ...] = ()
    most_arms: int = 1000
    most_rounds: int = 10**9
    refined: bool = True
    slow: bool = False
    told: str = "nothing"
    aims: str | None = None

    def too_slow(self, stream: dd.Stream) -> bool:
        """Return whether the world is too large."""
        return stream.n_arms > self.most_arms or stream.horizon > self.most_rounds

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
    parser.add_argument(
        "--rivals", nargs="*", default=[], help="names, or parts of them, in this order"
    )
    parser.add_argument("--again", action="store_true", help="also what is there already")
    options, _ = parser.parse_known_args()
    streams = [(world, world.stream()) for world in suite.worlds(options.criterion)]
    known = suite.hindsight() if not options.again else {}
    for word in options.rivals or [""]:
        for world, stream in streams:
            there = known.setdefault(world.criterion, {}).setdefault(world.label, {})
            those = rivals(world.criterion, dd.measure(stream))
            for name, rival in those.items():
                asked = name == word if word in those else word in name
                if asked and name not in there and not rival.too_slow(stream):
                    there[name] = answer_and_tell(world, name, rival, stream)


def answer_and_tell(
    world: suite.SuiteWorld, name: str, rival: Rival, stream: dd.Stream
) -> dict[str, Any]:
    """Search for one answer, store it and print it."""
    begin = time.perf_counter()
    answer = best_in_hindsight(rival, stream, world.criterion)
    store(world, name, answer)
    seconds = time.perf_counter() - begin
    print(
        f"{world.criterion:9} {world.label:46} {name:28} {answer['mean']:10,.0f} "
        f"+- {answer['error']:6,.0f}  {answer['parameters']}  ({seconds:.1f} s)",
        flush=True,
    )
    return answer


def rivals(criterion: str, truth: dd.Measures) -> dict[str, Rival]:
    """Return the rivals by name, told the truth where they must be told."""
    return borda_rivals(truth) if criterion == "borda" else condorcet_rivals(truth)


EXPLORATION = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
MEMORY = (30.0, 100.0, 300.0, 1000.0, 3000.0)
WIDTH = (0.2, 0.4, 0.8)
LEARNING = (1e-5, 1e-4, 1e-3, 1e-2)
BONUS = (1e-5, 1e-3)
ALPHA = (0.003, 0.01, 0.03, 0.1, 0.3)
ROUNDS = (300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0)
PERIODS = tuple(726 * 10 ** (n / 4) for n in range(12))
"""Off the beat of every world: see above."""


def borda_rivals(truth: dd.Measures) -> dict[str, Rival]:
    """Return the rivals in Borda regret, the tuned ones first."""
    switches, phases = (truth.borda_switches or 0) + 1, len(truth.significant_borda or [0])
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
            most_rounds=LONG,
        ),
        "SlidingBordaGreedy": Rival(
            dd.SlidingBordaGreedy,
            {"exploration": EXPLORATION, "window": MEMORY},
            at_most_one,
            ("window",),
            most_rounds=LONG,
        ),
        "DEXP3": Rival(dd.DEXP3, rates, at_most_one, most_arms=50, most_rounds=LONG, slow=True),
        "BordaDEX3S": Rival(
            dd.BordaDEX3S,
            {**rates, "bonus": BONUS},
            at_most_one,
            most_arms=50,
            most_rounds=LONG,
            slow=True,
        ),
        "BordaDEX3S told S": Rival(with_(dd.BordaDEX3S, n_phases=switches), told="S"),
        "BordaDEX3S told phases": Rival(with_(dd.BordaDEX3S, n_phases=phases), told="phases"),
        "DEXP3 theory": Rival(dd.DEXP3),
        "DEXP3HP": Rival(dd.DEXP3HP),
        "BordaETC": Rival(dd.BordaETC),
        "BCB": Rival(dd.BCB),
        "BordaElimination": Rival(dd.BordaElimination),
        "SparseBordaElimination": Rival(dd.SparseBordaElimination),
        "ActiveRanking": Rival(dd.ActiveRanking),
        "Bosse": Rival(dd.Bosse),
        "MetaBosse": Rival(dd.MetaBosse),
        "Uniform": Rival(dd.Uniform),
        "DiscountedRUCB": Rival(
            dd.DiscountedRUCB,
            {"alpha": ALPHA[2:4], "memory": ROUNDS},
            refined=False,
            aims="condorcet",
        ),
        "RUCB": Rival(dd.RUCB, aims="condorcet"),
        "RMED1": Rival(dd.RMED1, aims="condorcet"),
    }


def condorcet_rivals(truth: dd.Measures) -> dict[str, Rival]:
    """Return the rivals in Condorcet regret, the tuned ones first."""
    switches, phases = (truth.condorcet_switches or 0) + 1, len(truth.significant_condorcet or [0])
    at_most_one = {"exploration": 1.0}
    rates = {"learning_rate": LEARNING, "exploration": EXPLORATION[1:]}
    return {
        "DiscountedRUCB": Rival(dd.DiscountedRUCB, {"alpha": ALPHA, "memory": ROUNDS}),
        "SlidingRUCB": Rival(
            dd.SlidingRUCB, {"alpha": ALPHA, "window": ROUNDS}, {}, ("window",), most_rounds=LONG
        ),
        "DiscountedCondorcetGreedy": Rival(
            dd.DiscountedCondorcetGreedy,
            {"exploration": EXPLORATION, "memory": MEMORY},
            at_most_one,
        ),
        "PeriodicRestart of RUCB": Rival(
            restarting(dd.RUCB), {"every": PERIODS}, {}, ("every",), most_arms=50, refined=False
        ),
        "PeriodicRestart of DTS": Rival(
            restarting(dd.DTS), {"every": PERIODS[:9]}, {}, ("every",), 20, LONG, slow=True
        ),
        "DEX3S": Rival(
            dd.DEX3S,
            {**rates, "bonus": BONUS},
            at_most_one,
            most_arms=50,
            most_rounds=LONG,
            slow=True,
        ),
        "DEX3S told S": Rival(with_(dd.DEX3S, n_phases=switches), told="S"),
        "DEX3S told phases": Rival(with_(dd.DEX3S, n_phases=phases), told="phases"),
        "DEX3S told V": Rival(
            with_(dd.DEX3S, tuning="variation", variation=max(truth.variation, 0.1)), told="V"
        ),
        "Anaconda": Rival(dd.Anaconda),
        "MetaSwift": Rival(dd.MetaSwift),
        "MetaBosse": Rival(with_(dd.MetaBosse, criterion="condorcet")),
        "RUCB": Rival(dd.RUCB),
        "RMED1": Rival(dd.RMED1),
        "DTS": Rival(dd.DTS, most_arms=50),
        "DTSPlus": Rival(dd.DTSPlus, most_arms=50),
        "VersatileDB": Rival(dd.VersatileDB),
        "REX3": Rival(dd.REX3),
        "RMED2FH": Rival(dd.RMED2FH),
        "MergeRUCB": Rival(dd.MergeRUCB),
        "CCB": Rival(dd.CCB),
        "SCB": Rival(dd.SCB),
        "SelfSparring": Rival(dd.SelfSparring, most_arms=50),
        "SparringThompson": Rival(dd.SparringThompson, most_arms=50),
        "SparringUCB": Rival(dd.SparringUCB),
        "SparringEXP3": Rival(dd.SparringEXP3),
        "DEX3P": Rival(dd.DEX3P),
        "BeatTheMean": Rival(dd.BeatTheMean),
        "InterleavedFilter": Rival(dd.InterleavedFilter),
        "SAVAGE": Rival(dd.SAVAGE),
        "RRDB": Rival(dd.RRDB),
        "Bosse": Rival(with_(dd.Bosse, criterion="condorcet")),
        "WinnerStays": Rival(dd.WinnerStays),
        "WinnerStaysStrong": Rival(dd.WinnerStaysStrong),
        "BeatTheWinnerResetStrong": Rival(dd.BeatTheWinnerResetStrong),
        "BeatTheWinnerReset": Rival(dd.BeatTheWinnerReset),
        "DETECT": Rival(dd.DETECT),
        "MDB": Rival(with_(dd.MDB, segments=max(2, phases)), told="phases"),
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


def best_in_hindsight(rival: Rival, stream: dd.Stream, criterion: str) -> dict[str, Any]:
    """Return the best parameters that the search finds, and their score."""
    point = search(rival, stream, criterion) if rival.grid else {}
    seeds = FEWER if not rival.grid and stream.horizon > LONG else SCORING
    regrets = finals(rival.at(stream, point), stream, criterion, seeds)
    return {
        "told": "tuned in hindsight" if rival.grid else f"told {rival.told}",
        "parameters": rival.rounded(point),
        "mean": round(float(regrets.mean()), 1),
        "error": round(float(regrets.std(ddof=1) / math.sqrt(len(regrets))), 1),
        "runs": len(regrets),
        "aims": rival.aims or criterion,
    }


def search(rival: Rival, stream: dd.Stream, criterion: str) -> Point:
    """Return the parameters with the least mean regret: a grid, then a walk from its best."""

    def regrets(point: Point, seeds: range) -> Floats:
        return finals(rival.at(stream, point), stream, criterion, seeds)

    def loss(point: Point, least: float = math.inf) -> float:
        few = regrets(point, TUNING[:FEW])
        if few.mean() > HOPELESS * least:
            return float(few.mean())
        return float(np.concatenate([few, regrets(point, TUNING[FEW:])]).mean())

    grid = [
        dict(zip(rival.grid, values, strict=True))
        for values in itertools.product(*rival.grid.values())
    ]
    grid.sort(key=lambda point: regrets(point, TUNING[:FEW]).mean())
    if rival.slow:
        return grid[0]
    best, least = grid[0], math.inf
    for point in grid[:FINALISTS]:
        found = loss(point, least)
        if found < least:
            best, least = point, found
    for fraction in STEPS if rival.refined else ():
        best, least = walk(rival, loss, best, least, fraction)
    return best


def walk(
    rival: Rival, loss: Callable[[Point, float], float], best: Point, least: float, fraction: float
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
                found = loss(there, least)
                if found < least:
                    best, least, improved = there, found, True
    return best, least


def allowed(rival: Rival, point: Point) -> bool:
    """Return whether a point is within the limits; a memory is more than one exploration."""
    near = {key: float(f"{value:.3g}") for key, value in point.items()}
    below = all(near[key] <= limit for key, limit in rival.limits.items() if key in near)
    return below and point.get("memory", math.inf) > 1.5


def finals(learner: dd.Learner, stream: dd.Stream, criterion: str, seeds: range) -> Floats:
    """Return the regret after the last round, one number a seed."""
    runs = dd.simulate_many(learner, stream, seeds, points=1)
    return np.array([run.regret(criterion)[-1] for run in runs])


def store(world: suite.SuiteWorld, rival: str, answer: dict[str, Any]) -> None:
    """Add an answer to the file."""
    answers = suite.hindsight()
    answers.setdefault(world.criterion, {}).setdefault(world.label, {})[rival] = answer
    with replacing(suite.FOLDER / "hindsight.json") as file:
        file.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
