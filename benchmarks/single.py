"""The best single rival with one setting: what somebody would pick who must choose before playing.

The best rival of each world, tuned in hindsight on that world, is a bar that nobody who chooses
before playing can reach. Here one rival plays all worlds of a half with the same setting. Which
rival and which setting is still chosen in hindsight, over the half as a whole.

Rivals are tried in the order of their geometric mean when tuned on every world, which
``hindsight.csv.gz`` has and which no single setting can beat. So once that is above the best mean
found with a single setting, nobody who comes later can be better. Of a rival all points of its grid
play every world with two seeds (1000 and 1001), the better half of them with four, and so on, the
last with 16; it is scored with 16 fresh ones (0 to 15), with which DRIFTDUEL plays too. Seeds are
those of the half, as in hindsight. A rival that has no answer in a world is not tried.

python -m benchmarks single [--criterion NAME] [--half NAME] [--out FOLDER] [--minutes M]. Means are
kept in the folder: killed and begun again, it goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import driftduel as dd
from benchmarks._hindsight_rivals import Point, Rival, rivals
from driftduel._support.files import replacing
from driftduel.matrix.criteria import as_criterion
from studies.benchmark import suite

FEW, MANY = 2, 16
"""Seeds that every setting plays, and that the last one does."""
TUNED_FROM = 1000


class TimeOverError(Exception):
    """The minutes are over."""


class Half:
    """The worlds of a half, and the mean regret on each of whoever played it."""

    def __init__(self, criterion: str, half: str, folder: Path, minutes: float = math.inf) -> None:
        self.criterion, self.half = criterion, half
        self.worlds = suite.worlds(criterion, half)
        self.streams = {world.label: world.stream() for world in self.worlds}
        self.file = folder / f"{criterion}-{half}.json"
        self.known: dict[str, list[float]] = {}
        self.end = time.monotonic() + 60 * minutes
        if self.file.exists():
            self.known = json.loads(self.file.read_text(encoding="utf-8"))

    def mean(self, name: str, rival: Rival, point: Point, seeds: range) -> float:
        """Return the geometric mean over the worlds of a mean regret with these seeds."""
        means = [np.mean(self.regrets(name, rival, point, label, seeds)) for label in self.streams]
        return float(np.exp(np.mean(np.log(means))))

    def regrets(
        self, name: str, rival: Rival, point: Point, label: str, seeds: range
    ) -> list[float]:
        """Return the regrets in a world, playing what is not known yet."""
        key = json.dumps([name, point, label, seeds.start])
        found = self.known.setdefault(key, [])
        missing = seeds[len(found) :]
        if missing:
            if time.monotonic() > self.end:
                raise TimeOverError
            first, stream = suite.FIRST_SEED[self.half], self.streams[label]
            learner = rival.at(stream, point)
            runs = dd.simulate_many(learner, stream, [first + n for n in missing], points=1)
            found += [float(run.regret(self.criterion)[-1]) for run in runs]
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.file) as written:
                written.write_text(json.dumps(self.known), encoding="utf-8")
        return found[: len(seeds)]

    def bounds(self) -> list[tuple[float, str]]:
        """Return rivals with their geometric means when tuned on every world, the best first."""
        answers = suite.hindsight()[self.criterion]
        here = [answers[label] for label in self.streams]
        everywhere = set.intersection(*(set(world) for world in here))
        means = {
            name: float(np.exp(np.mean([math.log(world[name]["mean"]) for world in here])))
            for name in everywhere - {suite.LEARNER}
        }
        return sorted((mean, name) for name, mean in means.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--criterion", choices=suite.CRITERIA, help="only this one")
    parser.add_argument("--half", choices=suite.HALVES, default="tuning")
    parser.add_argument("--out", type=Path, default=Path("single"), help="keep what is played here")
    parser.add_argument("--minutes", type=float, default=math.inf)
    options, _ = parser.parse_known_args()
    for criterion in [options.criterion] if options.criterion else suite.CRITERIA:
        half = Half(criterion, options.half, options.out, options.minutes)
        try:
            print("\n".join(page(half)), flush=True)
        except TimeOverError:
            print(f"{criterion}: the minutes are over; repeat the command to go on", flush=True)


def page(half: Half) -> Iterator[str]:
    """Yield what to print of a half, playing what it takes."""
    ours = Rival(lambda k, _: dd.DriftDuel(k, criterion=as_criterion(half.criterion)))
    own = half.mean(suite.LEARNER, ours, {}, range(MANY))
    yield f"{half.criterion}, {half.half} half, {len(half.worlds)} worlds, one setting for all:"
    columns = ("rival", "setting", "geometric mean", "tuned on every world", "DriftDuel over it")
    yield f"| {' | '.join(columns)} |"
    yield "|---|---|---:|---:|---:|"
    best = math.inf
    for bound, name in half.bounds():
        if bound >= best:
            yield f"nobody else can be better: the next is {name}, at least {bound:,.0f}"
            return
        rival = rival_of(half, name)
        if rival.told != "nothing":
            # It is told the truth of every world: that is no single setting.
            continue
        point = best_setting(half, name, rival)
        mean = half.mean(name, rival, point, range(MANY))
        best = min(best, mean)
        setting = ", ".join(f"{key} {value:g}" for key, value in point.items()) or "-"
        yield f"| {name} | {setting} | {mean:,.0f} | {bound:,.0f} | {own / mean:.2f} |"


def rival_of(half: Half, name: str) -> Rival:
    """Return a rival with its grid, which is the same for all worlds."""
    stream = next(iter(half.streams.values()))
    return rivals(half.criterion, dd.measure(stream))[name]


def best_setting(half: Half, name: str, rival: Rival) -> Point:
    """Return the setting with the least geometric mean, by halving those that play on."""
    # The points that make sense in the shortest world: a memory beyond it is no memory.
    longest = max(stream.horizon for stream in half.streams.values())
    points = [rival.rounded(point) for point in rival.points(longest)]
    seeds = FEW
    while len(points) > 1:
        means = [
            half.mean(name, rival, point, range(TUNED_FROM, TUNED_FROM + seeds)) for point in points
        ]
        points = [points[place] for place in np.argsort(means)[: (len(points) + 1) // 2]]
        seeds = min(MANY, 2 * seeds)
    return points[0]


if __name__ == "__main__":
    main()
