"""What could have been reached: a race of rivals tuned in hindsight on every world of the suite.

Only the best rival of a world matters, so who is clearly behind is not played on. A contestant is a
rival with its parameters. It is clearly behind another if, over the seeds that both have played,
its regret is larger by more than three standard errors of the difference. On each world:

1. All rivals, at every point of a coarse grid evenly spaced in logarithms, play eight seeds (1000
   to 1007). Who is not clearly behind the best plays 16 seeds, and then 32 (1000 to 1031); of a
   rival only the four best points at the time, two if it is slow. A rival that can still be refined
   is given a tenth of its regret.
2. Of each rival that played 32 seeds the best point is refined: one parameter at a time is changed
   by half a step of the grid, as long as that helps with 32 seeds, also beyond the edges of the
   grid; then the same by a quarter of a step. A point whose first eight runs are worse by a fifth
   is given up.
3. The best point of every rival is scored with eight fresh seeds (0 to 7), so that a lucky draw is
   not rewarded. Who is not clearly behind the best is scored with 16, 32 and 64 (0 to 63). The best
   always has 64.

Learners that are not tuned take part with the tuning of their theory. Those that want to be told
the truth are told it: S, one more than the number of switches of the winner, or the smaller number
of phases that significant shifts begin, or the total variation (0.1 at least, since 0 has no
tuning).

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

The seeds named here are those of the tuning half and of the earlier one. On the held-out half all
of them are larger by 10,000.

The answers are in ``hindsight.csv.gz`` beside the suite, a row for each criterion, world and rival:
what it was told, its parameters, mean regret, standard error, number of runs and what it aims at;
or, under ``left_out``, why it has no answer: it is too slow for so many arms, or the minutes were
over. A world is stored when its race is over; killed and begun again, the search goes on with the
next world. The cheapest worlds come first. A world in which every rival has an answer or is too
slow is not raced again.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from studies.benchmark import suite

SCORING = range(64)
TUNING = range(1000, 1032)
"""Seeds, counted from the first of the half."""
FEW = 8
"""How many seeds everybody plays."""
ERRORS = 3
"""Clearly behind is so many standard errors behind."""
HOPE = 0.9
"""What refining may make of a regret."""
HOPELESS = 1.2
"""A point beside the grid is given up if it is worse by this factor with few seeds."""
FINALISTS = 4
"""How many points of a rival play on at a time."""
STEPS = (0.5, 0.25)
"""The steps of the refinement, in steps of the grid."""
LONG = 10**5
"""Worlds of more rounds are long."""
LEAST_MEMORY = 1 / 200
"""The share of a long world that slow rivals remember at least, on their grids."""
CHUNK = 4
"""How many seeds a worker plays at a time."""
SLOW = 20
"""Seconds after which a rival's grid gets a line of its own."""
NO_TIME = "no time"

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--criterion", choices=suite.CRITERIA, help="only this one")
    parser.add_argument("--half", choices=suite.HALVES, help="only this one")
    parser.add_argument("--worlds", default="", help="only those with this in their label")
    parser.add_argument("--again", action="store_true", help="also worlds that are finished")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="threads")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="after which no rival begins any more"
    )
    options, _ = parser.parse_known_args()
    worlds = suite.worlds(options.criterion, options.half)
    worlds = [world for world in worlds if options.worlds in world.label]
    search(worlds, options.workers, options.minutes, options.again)


def search(
    worlds: list[suite.SuiteWorld], workers: int, minutes: float = math.inf, again: bool = False
) -> None:
    """Race the rivals on the worlds that are not finished, the cheapest first, and store it."""
    begin = time.perf_counter()
    todo = []
    for world in worlds:
        stream = world.stream()
        listed = rivals(world.criterion, dd.measure(stream))
        if again or not finished(world, listed, stream):
            todo.append((stream.horizon * stream.n_arms, world, stream, listed))
    todo.sort(key=lambda entry: entry[0])
    print(f"{len(todo)} of {len(worlds)} worlds to race", flush=True)
    late = Deadline(begin + 60 * minutes)
    pool = ThreadPoolExecutor(workers)
    try:
        for n, (_, world, stream, listed) in enumerate(todo):
            spent = (time.perf_counter() - begin) / 60
            size = f"{stream.n_arms} arms, {stream.horizon:,} rounds"
            print(
                f"{n + 1}/{len(todo)} {world.criterion}, {world.label} ({size}); {spent:.1f} min",
                flush=True,
            )
            first = suite.FIRST_SEED[world.half]
            runs = Runs(stream, world.criterion, listed, pool, first)
            if late:
                store(world, known_answers(world), no_time(world, listed, stream))
            else:
                store(world, *raced(runs, late))
    finally:
        pool.shutdown(cancel_futures=True)


class Deadline:
    """Is true when it is over."""

    def __init__(self, end: float = math.inf) -> None:
        self.end = end

    def __bool__(self) -> bool:
        return time.perf_counter() > self.end


def finished(world: suite.SuiteWorld, listed: Mapping[str, Rival], stream: dd.Stream) -> bool:
    """Tell whether every rival has an answer or is too slow, and no other has an answer."""
    answers = known_answers(world)
    quick = [name for name, rival in listed.items() if not too_slow(rival, stream)]
    return sorted(answers) == sorted(quick)


def known_answers(world: suite.SuiteWorld) -> dict[str, Any]:
    """Return the answers of a world that are in the file."""
    found: dict[str, Any] = suite.hindsight().get(world.criterion, {}).get(world.label, {})
    return found


def no_time(
    world: suite.SuiteWorld, listed: Mapping[str, Rival], stream: dd.Stream
) -> dict[str, str]:
    """Return why rivals have no answer in a world whose race did not begin."""
    answers = known_answers(world)
    return {
        name: too_slow(rival, stream) or NO_TIME
        for name, rival in listed.items()
        if name not in answers
    }


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


class Runs:
    """The regrets of contestants in one world, each played once and remembered.

    Seeds are counted from ``first``.
    """

    def __init__(
        self,
        stream: dd.Stream,
        criterion: str,
        listed: Mapping[str, Rival],
        pool: ThreadPoolExecutor,
        first: int = 0,
    ) -> None:
        self.stream, self.criterion, self.rivals, self.pool = stream, criterion, listed, pool
        self.first = first
        self.known: dict[tuple[str, tuple[float, ...], int], Floats] = {}
        self.compiled: set[str] = set()

    def of(self, contestants: Iterable[Contestant], seeds: range) -> list[Floats]:
        """Return the regrets after the last round with these seeds, playing what is missing."""
        keys = [(name, place, seeds.start) for name, place in contestants]
        chunks: list[tuple[Any, dd.Learner, range]] = []
        for key in keys:
            missing = seeds[len(self.known.get(key, ())) :]
            if missing:
                rival = self.rivals[key[0]]
                learner = rival.at(self.stream, dict(zip(rival.grid, key[1], strict=True)))
                if key[0] not in self.compiled:
                    # By one round: threads that found nothing compiled would wait for each other.
                    dd.simulate(learner, self.stream[:1], points=1)
                    self.compiled.add(key[0])
                starts = range(0, len(missing), CHUNK)
                chunks += [(key, learner, missing[at : at + CHUNK]) for at in starts]
        for (key, *_), regrets in zip(chunks, self.pool.map(self._play, chunks), strict=True):
            self.known[key] = np.append(self.known.get(key, np.empty(0)), regrets)
        return [self.known[key][: len(seeds)] for key in keys]

    def _play(self, chunk: tuple[Any, dd.Learner, range]) -> list[float]:
        _, learner, seeds = chunk
        runs = (dd.simulate(learner, self.stream, self.first + n, points=1) for n in seeds)
        return [float(run.regret(self.criterion)[-1]) for run in runs]


Contestant = tuple[str, tuple[float, ...]]
"""A rival's name and its rounded parameters."""


def raced(runs: Runs, late: Deadline) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answers of one world, and why the other rivals have none."""
    begin = time.perf_counter()
    left_out: dict[str, str] = {}
    tuning: dict[Contestant, Floats] = {}
    for name, rival in runs.rivals.items():
        if late or too_slow(rival, runs.stream):
            left_out[name] = too_slow(rival, runs.stream) or NO_TIME
            continue
        since = time.perf_counter()
        grid = rival.points(runs.stream.horizon)
        those = list(dict.fromkeys((name, tuple(rival.rounded(p).values())) for p in grid))
        tuning.update(zip(those, runs.of(those, TUNING[:FEW]), strict=True))
        if time.perf_counter() - since > SLOW:
            tell(since, f"{name}, {len(those)} points")
    tell(begin, f"{len(tuning)} points of {len(runs.rivals) - len(left_out)} rivals")
    race(runs, tuning, TUNING, late, HOPE)
    tell(begin, f"{sum(len(r) == len(TUNING) for r in tuning.values())} points after the race")
    chosen = {}
    for name in (name for name in runs.rivals if name not in left_out):
        own = [contestant for contestant in tuning if contestant[0] == name]
        best = min(own, key=lambda one: (-len(tuning[one]), float(tuning[one].mean())))
        walks = runs.rivals[name].refined and len(tuning[best]) == len(TUNING) and not late
        chosen[name] = refine(runs, best) if walks else best
    tell(begin, f"{len(runs.known) - len(tuning)} points beside the grids")
    scores = dict(zip(chosen.values(), runs.of(chosen.values(), SCORING[:FEW]), strict=True))
    race(runs, scores, SCORING, Deadline())
    answers = {name: answer(runs, best, scores[best]) for name, best in chosen.items()}
    ours = [name for name in answers if answers[name]["aims"] == runs.criterion]
    for name in sorted(ours, key=lambda name: float(answers[name]["mean"]))[:1]:
        found = answers[name]
        number = f"{found['mean']:,.0f} +- {found['error']:,.0f}"
        tell(begin, f"best {name} {found['parameters']}: {number}")
    return answers, left_out


def tell(begin: float, words: str) -> None:
    """Print the seconds since a time, and what was done in them."""
    print(f"    {time.perf_counter() - begin:6.1f} s: {words}", flush=True)


def race(
    runs: Runs,
    entrants: dict[Contestant, Floats],
    seeds: range,
    late: Deadline,
    hope: float = 1.0,
) -> None:
    """Let all who are not clearly behind the best play on, twice as many seeds each time.

    The best is that among those with the same aim. Of a rival only the `FINALISTS` best points go
    on, half as many if it is slow. ``hope`` is what refining may make of a regret.
    """
    while not late:
        places: Counter[str] = Counter()
        leaders: dict[str | None, Contestant] = {}
        going = []
        for one in sorted(entrants, key=lambda one: float(entrants[one].mean())):
            name = one[0]
            rival = runs.rivals[name]
            leader = leaders.setdefault(rival.aims, one)
            places[name] += 1
            hoped = entrants[one] * (hope if rival.refined else 1.0)
            most = FINALISTS // 2 if rival.slow else FINALISTS
            if one == leader or (places[name] <= most and not behind(hoped, entrants[leader])):
                going.append(one)
        going = [one for one in going if len(entrants[one]) < len(seeds)]
        if not going:
            return
        shortest = min(len(entrants[one]) for one in going)
        going = [one for one in going if len(entrants[one]) == shortest]
        entrants.update(zip(going, runs.of(going, seeds[: 2 * shortest]), strict=True))


def behind(regrets: Floats, leader: Floats) -> bool:
    """Tell whether regrets are clearly larger than the leader's, seed by seed."""
    n = min(len(regrets), len(leader))
    gaps = regrets[:n] - leader[:n]
    return bool(gaps.mean() > ERRORS * gaps.std(ddof=1) / math.sqrt(n))


def refine(runs: Runs, best: Contestant) -> Contestant:
    """Return where a walk from the best point of a rival's grid ends."""
    name = best[0]
    rival = runs.rivals[name]

    def loss(point: Point, least: float = math.inf) -> float:
        here = [(name, tuple(rival.rounded(point).values()))]
        few = float(runs.of(here, TUNING[:FEW])[0].mean())
        return few if few > HOPELESS * least else float(runs.of(here, TUNING)[0].mean())

    point = dict(zip(rival.grid, best[1], strict=True))
    least = loss(point)
    for fraction in STEPS:
        point, least = walk(rival, loss, point, least, fraction)
    return name, tuple(rival.rounded(point).values())


def walk(
    rival: Rival, loss: Callable[[Point, float], float], best: Point, least: float, fraction: float
) -> tuple[Point, float]:
    """Return where changes of one parameter at a time lead while they help."""
    seen = {tuple(rival.rounded(best).values())}
    improved = True
    while improved:
        improved = False
        for key in rival.refined:
            step = (rival.grid[key][1] / rival.grid[key][0]) ** fraction
            for factor in (step, 1 / step):
                there = {**best, key: best[key] * factor}
                place = tuple(rival.rounded(there).values())
                if place in seen or len(seen) > rival.walk or not allowed(rival, there):
                    continue
                seen.add(place)
                found = loss(there, least)
                if found < least:
                    best, least, improved = there, found, True
    return best, least


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


def _told(what: str) -> str:
    return "no prior knowledge" if what == "nothing" else f"told {what}"


def answer(runs: Runs, best: Contestant, regrets: Floats) -> dict[str, Any]:
    """Return what is stored of a rival."""
    rival = runs.rivals[best[0]]
    return {
        "told": "tuned in hindsight" if rival.grid else _told(rival.told),
        "parameters": dict(zip(rival.grid, best[1], strict=True)),
        "mean": round(float(regrets.mean()), 1),
        "error": round(float(regrets.std(ddof=1) / math.sqrt(len(regrets))), 1),
        "runs": len(regrets),
        "aims": rival.aims or runs.criterion,
    }


def store(world: suite.SuiteWorld, answers: dict[str, Any], left_out: dict[str, str]) -> None:
    """Put the answers of a world into the file, in place of those that are there."""
    found, reasons = suite.hindsight(), suite.left_out()
    found.setdefault(world.criterion, {})[world.label] = answers
    reasons.setdefault(world.criterion, {})[world.label] = left_out
    suite.store_hindsight(found, reasons)


if __name__ == "__main__":
    main()
