"""The rivals that race in hindsight: what may be tuned, and on which grids.

Restarts at fixed times are a case of their own. Where the changes of a world are evenly spaced and
the period divides their distance, the learner is in effect told when they happen, which no tuning
of a period should do. So the periods are those of a grid that is off the beat, 726 times 10^(n/4),
and are not refined: none that fits up to eight times between evenly spaced changes of the suite
divides their distance, the nearest are a sixteenth of a period away. Changes that are not evenly
spaced may still be met by luck. A learner inside that plans for a horizon plans for the period. A
window of rounds has a beat too: what was learned in a burst is forgotten at once a window later, so
the next burst comes then, and a window that divides the distance of changes has one at each change.
So windows of rounds are those of the same grid. Windows of explorations have no beat.

Some learners for a Condorcet winner are also scored in Borda regret, one of them tuned on a coarse
grid. Where both criteria name the same winner they may lose less than all that are made for Borda,
and where they do not they lose without end. Answers say what a learner aims at, and learners race
against those of the same aim.

`SlidingWindow`, which learns the window again, is no rival: it is too slow.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftduel as dd

LONG = 10**5
"""Worlds of more rounds are long."""
LEAST_MEMORY = 1 / 200
"""The share of a long world that slow rivals remember at least, on their grids."""

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
    coarse : tuple of str
        The parameters of which only the values of the grid are tried.
    walk : int
        How many points beside the grid are tried with each step.
    slow : bool
        Whether half as many points as of others play on, and none that remembers little in a long
        world, where those that often restart are slowest and bad.
    most_arms : int
        With more it is too slow.
    told : str
        What a learner that is not tuned is told of the truth.
    aims : str or None
        The criterion that it is made for, if it is not that of the world.
    """

    make: Callable[..., dd.Learner]
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    whole: tuple[str, ...] = ()
    coarse: tuple[str, ...] = ()
    walk: int = 30
    slow: bool = False
    most_arms: int = 1000
    told: str = "nothing"
    aims: str | None = None

    @property
    def refined(self) -> list[str]:
        """The parameters that are refined."""
        return [key for key in self.grid if key not in self.coarse]

    def points(self, horizon: int) -> list[Point]:
        """Return the points of the grid that make sense in so many rounds."""
        product = itertools.product(*self.grid.values())
        grid = [dict(zip(self.grid, values, strict=True)) for values in product]
        grid = [point for point in grid if allowed(self, point, horizon)]
        if self.slow and horizon > LONG:
            least = LEAST_MEMORY * horizon
            kinds = ("memory", "window", "every")
            return [p for p in grid if all(p.get(kind, horizon) >= least for kind in kinds)]
        return grid

    def at(self, stream: dd.Stream, point: Point) -> dd.Learner:
        """Return the learner with these parameters, for a stream."""
        return self.make(stream.n_arms, stream.horizon, **self.rounded(point))

    def rounded(self, point: Point) -> Point:
        """Return the point with three digits to a number, within the limits."""
        near = {key: float(f"{value:.3g}") for key, value in point.items()}
        near = {key: min(value, self.limits.get(key, math.inf)) for key, value in near.items()}
        return {k: max(1, round(v)) if k in self.whole else v for k, v in near.items()}


def too_slow(rival: Rival, stream: dd.Stream) -> str:
    """Return why a rival is too slow for a world, nothing if it is not."""
    many = stream.n_arms > rival.most_arms
    return f"too slow for more than {rival.most_arms} arms" if many else ""


def rivals(criterion: str, truth: dd.Measures) -> dict[str, Rival]:
    """Return the rivals by name, told the truth where they must be told."""
    return borda_rivals(truth) if criterion == "borda" else condorcet_rivals(truth)


EXPLORATION = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
MEMORY = (30.0, 100.0, 300.0, 1000.0, 3000.0)
WIDTH = (0.2, 0.4, 0.8)
LEARNING = (1e-5, 1e-4, 1e-3, 1e-2)
ALPHA = (0.003, 0.01, 0.03, 0.1, 0.3)
ROUNDS = (300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0)
PERIODS = tuple(726 * 10 ** (n / 4) for n in range(12))
"""Off the beat of every world: see above."""
ELIMINATION = (0.05, 0.1, 0.2, 0.4, 0.8)
EXPLORE = (30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0)


def borda_rivals(truth: dd.Measures) -> dict[str, Rival]:
    """Return the rivals in Borda regret, the tuned ones first."""
    switches, phases = (truth.borda_switches or 0) + 1, len(truth.significant_borda or [0])
    at_most_one = {"exploration": 1.0}
    rates = {"learning_rate": LEARNING, "exploration": EXPLORATION[1:]}
    restarts: dict[str, Any] = {"coarse": ("every",), "walk": 10}
    return {
        "DiscountedBordaUCB": Rival(
            dd.learners.DiscountedBordaUCB,
            {"exploration": EXPLORATION, "memory": MEMORY, "width": WIDTH},
            at_most_one,
        ),
        "DiscountedBordaGreedy": Rival(
            dd.learners.DiscountedBordaGreedy,
            {"exploration": EXPLORATION, "memory": MEMORY},
            at_most_one,
        ),
        "SlidingBordaUCB": Rival(
            dd.learners.SlidingBordaUCB,
            {"exploration": EXPLORATION, "window": MEMORY, "width": WIDTH},
            at_most_one,
            ("window",),
        ),
        "SlidingBordaGreedy": Rival(
            dd.learners.SlidingBordaGreedy,
            {"exploration": EXPLORATION, "window": MEMORY},
            at_most_one,
            ("window",),
        ),
        "BordaElimination": Rival(dd.learners.BordaElimination, {"width": ELIMINATION}),
        "BordaETC": Rival(dd.learners.BordaETC, {"exploration": EXPLORE}, {}, ("exploration",)),
        "PeriodicRestart of BordaElimination": Rival(
            restarting(dd.learners.BordaElimination),
            {"width": ELIMINATION, "every": PERIODS},
            {},
            ("every",),
            **restarts,
        ),
        "PeriodicRestart of BordaETC": Rival(
            restarting(dd.learners.BordaETC),
            {"exploration": EXPLORE[:-1], "every": PERIODS},
            {},
            ("exploration", "every"),
            **restarts,
        ),
        "DEXP3": Rival(dd.learners.DEXP3, rates, at_most_one, walk=10),
        "DEXP3S": Rival(dd.learners.DEXP3S, rates, at_most_one, walk=10),
        "DEXP3S told S": Rival(with_(dd.learners.DEXP3S, n_phases=switches), told="S"),
        "DEXP3S told phases": Rival(with_(dd.learners.DEXP3S, n_phases=phases), told="phases"),
        "BordaDEX3S told S": Rival(with_(dd.learners.BordaDEX3S, n_phases=switches), told="S"),
        "BordaDEX3S told phases": Rival(
            with_(dd.learners.BordaDEX3S, n_phases=phases), told="phases"
        ),
        "DEXP3 theory": Rival(dd.learners.DEXP3),
        "DEXP3HP": Rival(dd.learners.DEXP3HP),
        "BordaETC theory": Rival(dd.learners.BordaETC),
        "BCB": Rival(dd.learners.BCB),
        "BordaElimination theory": Rival(dd.learners.BordaElimination),
        "SparseBordaElimination": Rival(dd.learners.SparseBordaElimination),
        "ActiveRanking": Rival(dd.learners.ActiveRanking),
        "Bosse": Rival(dd.Bosse),
        "MetaBosse": Rival(dd.MetaBosse),
        "Uniform": Rival(dd.learners.Uniform),
        "DiscountedRUCB": Rival(
            dd.learners.DiscountedRUCB,
            {"alpha": ALPHA[2:4], "memory": ROUNDS},
            coarse=("alpha", "memory"),
            aims="condorcet",
        ),
        "RUCB": Rival(dd.learners.RUCB, aims="condorcet"),
        "RMED1": Rival(dd.learners.RMED1, aims="condorcet"),
    }


def condorcet_rivals(truth: dd.Measures) -> dict[str, Rival]:
    """Return the rivals in Condorcet regret, the tuned ones first."""
    switches, phases = (truth.condorcet_switches or 0) + 1, len(truth.significant_condorcet or [0])
    at_most_one = {"exploration": 1.0}
    rates = {"learning_rate": LEARNING, "exploration": EXPLORATION[1:]}
    # Forgetting D-TS draws many numbers a round.
    slow: dict[str, Any] = {"walk": 4, "most_arms": 20, "slow": True}
    longer = (*ROUNDS, 300_000.0)
    return {
        "DiscountedRUCB": Rival(dd.learners.DiscountedRUCB, {"alpha": ALPHA, "memory": ROUNDS}),
        "SlidingRUCB": Rival(
            dd.learners.SlidingRUCB,
            {"alpha": ALPHA, "window": PERIODS[1::2]},
            {},
            ("window",),
            ("window",),
            walk=10,
        ),
        "DiscountedDTS": Rival(
            dd.learners.DiscountedDTS, {"alpha": ALPHA[2:], "memory": longer}, **slow
        ),
        "SlidingDTS": Rival(
            dd.learners.SlidingDTS,
            {"alpha": ALPHA[2:], "window": PERIODS[1::2]},
            {},
            ("window",),
            ("window",),
            **slow,
        ),
        "DiscountedCondorcetGreedy": Rival(
            dd.learners.DiscountedCondorcetGreedy,
            {"exploration": EXPLORATION, "memory": MEMORY},
            at_most_one,
        ),
        "DTS": Rival(dd.learners.DTS, {"alpha": (0.05, 0.1, 0.2, 0.4, 0.8)}, walk=10, most_arms=50),
        "PeriodicRestart of RUCB": Rival(
            restarting(dd.learners.RUCB), {"every": PERIODS}, {}, ("every",), ("every",)
        ),
        "PeriodicRestart of RMED1": Rival(
            restarting(dd.learners.RMED1), {"every": PERIODS}, {}, ("every",), ("every",)
        ),
        "PeriodicRestart of DTS": Rival(
            restarting(dd.learners.DTS), {"every": PERIODS}, {}, ("every",), ("every",), **slow
        ),
        "DEX3S": Rival(with_(dd.learners.DEX3S, bonus=1e-5), rates, at_most_one, walk=10),
        "DEX3S told S": Rival(with_(dd.learners.DEX3S, n_phases=switches), told="S"),
        "DEX3S told phases": Rival(with_(dd.learners.DEX3S, n_phases=phases), told="phases"),
        "DEX3S told V": Rival(
            with_(dd.learners.DEX3S, tuning="variation", variation=max(truth.variation, 0.1)),
            told="V",
        ),
        "Anaconda": Rival(dd.learners.Anaconda),
        "MetaSwift": Rival(dd.learners.MetaSwift),
        "MetaBosse": Rival(with_(dd.MetaBosse, criterion="condorcet")),
        "RUCB": Rival(dd.learners.RUCB),
        "RMED1": Rival(dd.learners.RMED1),
        "DTS theory": Rival(dd.learners.DTS, most_arms=50),
        "DTSPlus": Rival(dd.learners.DTSPlus, most_arms=50),
        "VersatileDB": Rival(dd.learners.VersatileDB),
        "REX3": Rival(dd.learners.REX3),
        "RMED2FH": Rival(dd.learners.RMED2FH),
        "MergeRUCB": Rival(dd.learners.MergeRUCB),
        "CCB": Rival(dd.learners.CCB),
        "SCB": Rival(dd.learners.SCB),
        "SelfSparring": Rival(dd.learners.SelfSparring, most_arms=50),
        "SparringThompson": Rival(dd.learners.SparringThompson, most_arms=50),
        "SparringUCB": Rival(dd.learners.SparringUCB),
        "SparringEXP3": Rival(dd.learners.SparringEXP3),
        "DEX3P": Rival(dd.learners.DEX3P),
        "BeatTheMean": Rival(dd.learners.BeatTheMean),
        "InterleavedFilter": Rival(dd.learners.InterleavedFilter),
        "SAVAGE": Rival(dd.learners.SAVAGE),
        "RRDB": Rival(dd.learners.RRDB),
        "Bosse": Rival(with_(dd.Bosse, criterion="condorcet")),
        "WinnerStays": Rival(dd.learners.WinnerStays),
        "WinnerStaysStrong": Rival(dd.learners.WinnerStaysStrong),
        "BeatTheWinnerResetStrong": Rival(dd.learners.BeatTheWinnerResetStrong),
        "BeatTheWinnerReset": Rival(dd.learners.BeatTheWinnerReset),
        "DETECT": Rival(dd.learners.DETECT),
        "MDB": Rival(with_(dd.learners.MDB, segments=max(2, phases)), told="phases"),
        "Uniform": Rival(dd.learners.Uniform),
    }


def restarting(inner: Callable[..., dd.Learner]) -> Callable[..., dd.Learner]:
    """Return a maker of learners that restart every so many rounds, and plan for as many."""

    def made(n_arms: int, horizon: int, every: float, **parameters: Any) -> dd.Learner:
        period = int(min(every, horizon))
        return dd.learners.PeriodicRestart.of(inner(n_arms, period, **parameters), every=period)

    return made


def with_(make: Callable[..., dd.Learner], **fixed: Any) -> Callable[..., dd.Learner]:
    """Return a maker of learners with some parameters fixed."""

    def made(n_arms: int, horizon: int, **parameters: Any) -> dd.Learner:
        return make(n_arms, horizon, **fixed, **parameters)

    return made


def allowed(rival: Rival, point: Point, horizon: float = math.inf) -> bool:
    """Tell whether a point makes sense.

    It is within the limits, a memory is more than one exploration, a period is shorter than the
    world, a window not three times as long, and time to explore shorter than the period.
    """
    near = {key: float(f"{value:.3g}") for key, value in point.items()}
    below = all(near[key] <= limit for key, limit in rival.limits.items() if key in near)
    every = point.get("every", 0.0)
    explores = bool(every) and point.get("exploration", 0.0) >= every
    short = every < horizon and point.get("window", 0.0) < 3 * horizon
    return below and point.get("memory", math.inf) > 1.5 and short and not explores


def off_the_beat(distance: int) -> bool:
    """Tell whether no period fits up to eight times between changes that are so far apart."""
    periods = np.array([int(float(f"{period:.3g}")) for period in PERIODS])
    beats = distance / periods
    near = (beats > 0.8) & (beats < 8) & (np.abs(beats - np.round(beats)) <= 0.06)
    return not near.any()
