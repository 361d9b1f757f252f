"""What a look at a poll costs: the likely story in CPU milliseconds, and the owner's page with it.

python -m benchmarks looks [--looks N].

Polls are made of votes on random pairs, of which a half changes its taste after three fifths. The
first look of a process tells the story of all votes; a later one, after each new vote, what came in
since. A look without a new vote costs nothing, as the story is kept by the head of the log. The
median of N looks.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from driftduel.arena import service as arena
from driftduel.arena.crowd import Days, Question, feed
from driftduel.arena.likely import Looks, known_of
from driftduel.arena.service.service import Service
from driftduel.arena.web.pages.figures import standing_of
from driftduel.arena.web.pages.html import part
from driftduel.votes.likely.growing import Growing

SIZES = ((4, 5_000), (20, 1_000), (20, 5_000), (50, 5_000), (100, 5_000), (20, 100_000))
_HOUR = 3_600_000_000


class _Stopwatch:
    """CPU milliseconds between two looks at it."""

    def __init__(self) -> None:
        self.began = time.thread_time()

    def lap(self) -> float:
        before, self.began = self.began, time.thread_time()
        return 1e3 * (self.began - before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--looks", type=int, default=9)
    arguments = parser.parse_args(sys.argv[2:])
    print("options   votes   first look   after a vote   eras and bands   (CPU ms)")
    for n_arms, n in SIZES:
        first, later, told = _story(n_arms, n, arguments.looks)
        print(f"{n_arms:7} {n:7,}   {first:10.1f}   {later:12.1f}   {told:14.1f}", flush=True)
    _page(20, 5_000, arguments.looks)


def _story(n_arms: int, n: int, looks: int) -> tuple[float, float, float]:
    rng = np.random.default_rng(0)
    before = rng.normal(0, 0.5, n_arms)
    after = np.where(rng.random(n_arms) < 0.5, rng.normal(0, 0.5, n_arms), before)
    total = n + looks
    left = rng.integers(n_arms, size=total)
    right = (left + rng.integers(1, n_arms, size=total)) % n_arms
    late = np.arange(total) > 0.6 * n
    gap = np.where(late, after[left] - after[right], before[left] - before[right])
    won = (rng.random(total) < 1 / (1 + np.exp(-gap))).astype(float)
    when = np.arange(float(total))
    offers = [(0.0, np.ones(n_arms, dtype=bool))]
    spent: list[list[float]] = [[], [], []]
    growing = Growing()
    growing.tell(left[:n], right[:n], won[:n], when[:n], n_arms, offers)
    for until in range(n + 1, total + 1):
        watch = _Stopwatch()
        Growing().tell(left[:n], right[:n], won[:n], when[:n], n_arms, offers)
        spent[0].append(watch.lap())
        story = growing.tell(left[:until], right[:until], won[:until], when[:until], n_arms, offers)
        spent[1].append(watch.lap())
        _ = story.eras, story.since, story.bands_now
        spent[2].append(watch.lap())
    first, later, told = map(median, spent)
    return first, later, told


def _page(n_arms: int, n: int, looks: int) -> None:
    names = [f"option {k}" for k in range(n_arms)]
    tastes = {name: 0.1 * (k % 7) for k, name in enumerate(names)}
    question = Question("looks", "", "", tastes, tastes | {names[3]: 1.2})
    end = time.time_ns() // 1000 - _HOUR
    with (
        tempfile.TemporaryDirectory() as folder,
        arena.Service.open(f"sqlite:{Path(folder)}/looks.db") as service,
    ):
        arena.create_arena(service, "looks", "Which?", names, seed=1)
        feed(service, question, Days(10, 4, n // 13, end), 1)
        rows: dict[str, list[float]] = {}
        for look in range(looks + 1):
            for name, spent in _laps(service, f"voter {look}").items():
                rows.setdefault(name, []).append(spent)
        print(
            f"the page of {n_arms} options, {arena.status(service, 'looks').votes:,} votes: CPU ms"
        )
        for name, all_spent in rows.items():
            print(f"  {name:42} {median(all_spent[1:]):6.1f}")


def _laps(service: Service, voter: str) -> dict[str, float]:
    """Vote once and look; return what each part of the look took."""
    asked = arena.ask(service, "looks", voter)
    arena.tell(service, asked.duel, voter, "left")
    service.follow()
    hosted = service.hosted("looks")
    watch = _Stopwatch()
    laps: dict[str, float] = {}
    hosted.replica.report()
    laps["what DriftPoll reports"] = watch.lap()
    looks: Looks = service.looks(hosted.arena.id)
    looks.tell(known_of(hosted.replica))
    laps["the likely story"] = watch.lap()
    facts: dict[str, Any] = standing_of(service, "looks")
    laps["status, sentences and figures"] = watch.lap()
    part("results.html", **facts)
    laps["HTML"] = watch.lap()
    return laps


if __name__ == "__main__":
    main()
