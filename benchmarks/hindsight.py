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
tuning). The rivals and their grids are in ``_hindsight_rivals.py``.

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
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import driftduel as dd
from benchmarks._hindsight_rivals import Floats, Point, Rival, allowed, rivals, too_slow
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
CHUNK = 4
"""How many seeds a worker plays at a time."""
SLOW = 20
"""Seconds after which a rival's grid gets a line of its own."""
NO_TIME = "no time"


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
