"""Whether likely stories come true: calibration on simulated logs of ten kinds.

python -m benchmarks stories [--runs N] [--kind NAME] [--polls].

Of N logs of each kind, of 3, 4 or 8 options and 600, 2,000 or 4,000 votes: how often the likeliest
best was best, by what it was given; how often the band of a score held the true score; and how
often the range of the last take-over held the true one, of logs whose best now was named. A case is
a tenth of a log. `--polls` asks the quick story that pages of polls show.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from driftduel.votes.likely.filtering import outcomes
from driftduel.votes.likely.growing import Growing
from driftduel.votes.likely.story import Story, tell

Floats = NDArray[np.float64]
EDGES = (0.0, 0.5, 0.7, 0.9, 0.97, 1.001)
_CASES = 10
_TIES = 0.8
"""How likely a tie is between equals, as a multiple of a win of the one."""


@dataclass
class Votes:
    """A simulated log: the truth is a matrix of log-odds for each vote, (n, K, K)."""

    odds: Callable[[int], Floats]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    won: Floats
    offered: NDArray[np.bool_]
    ties: float = 0.0


@dataclass
class Tally:
    """What was said, and what came true of it."""

    said: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    bands: list[bool] = field(default_factory=list)
    ranges: list[bool] = field(default_factory=list)


def strengths(kind: str, k: int, n: int, rng: np.random.Generator) -> Floats:
    """Return the strengths of each vote, (n, K)."""
    found = np.tile(rng.normal(0, 0.5, k), (n, 1))
    if kind == "one jumps":
        found[int(n * rng.uniform(0.2, 0.8)) :, rng.integers(k)] += rng.normal(0, 0.7)
    elif kind in ("all jump", "joins", "ties", "side", "adaptive pairs"):
        for cut in np.sort(rng.random(rng.integers(1, 4))):
            found[int(n * cut) :] = rng.normal(0, 0.5, k)
    elif kind == "walk":
        found += np.cumsum(rng.normal(0, 0.8 / np.sqrt(n), (n, k)), axis=0)
    elif kind == "waves":
        at = np.arange(n)[:, None] / n
        phase, speed = rng.uniform(0, 2 * np.pi, k), rng.uniform(0.5, 1.5, k)
        found = 0.6 * np.sin(2 * np.pi * speed * at + phase)
    return found


KINDS = (
    "no change", "one jumps", "all jump", "walk", "waves", "joins", "cycles", "ties", "side",
    "adaptive pairs",
)  # fmt: skip


def simulated(kind: str, seed: int) -> Votes:
    """Return a log of a kind."""
    rng = np.random.default_rng((KINDS.index(kind), seed))
    k, n = (3, 4, 8)[seed % 3], (600, 2_000, 4_000)[seed // 3 % 3]
    s = strengths(kind, k, n, rng)
    pair = np.zeros((k, k))
    if kind == "cycles":
        extra = np.triu(rng.normal(0, 0.6, (k, k)), 1)
        pair = extra - extra.T
    offered = np.ones((n, k), dtype=bool)
    if kind == "joins":
        for arm in range(2, k):
            offered[: int(n * rng.uniform(0, 0.7)), arm] = False

    def odds(at: int) -> Floats:
        return np.asarray(s[at][:, None] - s[at] + pair)

    if kind == "adaptive pairs":
        return _asked(odds, k, n, rng, offered)
    keys = np.where(offered, rng.random((n, k)), 2.0)
    left, right = np.argsort(keys, axis=1)[:, :2].T
    gap = s[np.arange(n), left] - s[np.arange(n), right] + pair[left, right]
    gap += 0.5 if kind == "side" else 0.0
    won = (rng.random(n) < 1 / (1 + np.exp(-gap))).astype(float)
    if kind == "ties":
        up = np.exp(gap / 2)
        won[rng.random(n) < _TIES / (up + 1 / up + _TIES)] = 0.5
    return Votes(odds, left, right, won, offered, _TIES if kind == "ties" else 0.0)


def _asked(
    odds: Callable[[int], Floats], k: int, n: int, rng: np.random.Generator, offered: Any
) -> Votes:
    """Return votes on pairs that DriftPoll chose."""
    learner = dd.DriftPoll(k, seed=int(rng.integers(2**31)))
    rows = []
    for at in range(n):
        duel = learner.ask()
        won = float(rng.random() < 1 / (1 + np.exp(-odds(at)[duel.left, duel.right])))
        learner.tell(duel, won)
        rows.append((duel.left, duel.right, won))
    left, right, outcome = np.array(rows).T
    return Votes(odds, left.astype(np.int64), right.astype(np.int64), outcome, offered)


def told(votes: Votes, quick: bool) -> Story:
    """Return the story of a log."""
    n, k = votes.offered.shape
    time = np.arange(float(n))
    if not quick:
        return tell(votes.left, votes.right, votes.won, time, k, offered=votes.offered, sides=True)
    new = np.flatnonzero((votes.offered[1:] != votes.offered[:-1]).any(axis=1)) + 1
    offers = [(float(at), votes.offered[at]) for at in (0, *new)]
    return Growing().tell(votes.left, votes.right, votes.won, time, k, offers)


def judge(votes: Votes, story: Story, tally: Tally) -> None:
    """Count what came true."""
    bins = story.bins
    middle = ((bins.first + bins.last) / 2).astype(int)
    scores = np.stack([_scores(votes, at) for at in middle])
    best = scores.argmax(axis=1)
    for b in np.linspace(0, len(bins) - 1, _CASES).astype(int):
        leader = int(story.p_best[b].argmax())
        tally.said.append(float(story.p_best[b, leader]))
        tally.right.append(leader == best[b])
        there = np.isfinite(scores[b]) & bins.offered[b]
        _, low, high = story.bands_in(b)
        tally.bands += list((low[there] <= scores[b, there]) & (scores[b, there] <= high[there]))
    if best[-1] == story.now and len(story.eras) > 1 and story.eras[-1].arm == story.now:
        others = np.flatnonzero(best != story.now)
        since = int(others[-1]) + 1 if len(others) else 0
        earliest, latest = story.since
        tally.ranges.append(earliest - 1 <= since <= latest + 1)


def _scores(votes: Votes, at: int) -> Floats:
    there = votes.offered[at]
    chances = outcomes(votes.odds(at), votes.ties)[0]
    found = (chances[:, there].sum(axis=1) - 0.5) / max(there.sum() - 1, 1)
    return np.where(there, found, -np.inf)


def row(name: str, tally: Tally) -> str:
    """Return a line of the table."""
    said, right = np.array(tally.said), np.array(tally.right)
    cells = []
    for low, high in pairwise(EDGES):
        rows = (said >= low) & (said < high)
        cells.append(
            f"{said[rows].mean():.2f} {right[rows].mean():.2f} ({rows.sum():4})"
            if rows.any()
            else " " * 16
        )
    ranges = f"{np.mean(tally.ranges):.2f} ({len(tally.ranges)})" if tally.ranges else "-"
    return f"{name:15} {'  '.join(cells)}   {np.mean(tally.bands):.3f}   {ranges}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--polls", action="store_true")
    arguments = parser.parse_args(sys.argv[2:])
    head = "  ".join(f"{f'{a:.2f}-{min(z, 1):.2f}':16}" for a, z in pairwise(EDGES))
    print(f"{'said, right':15} {head}   bands   range of the last take-over")
    whole = Tally()
    for kind in [arguments.kind] if arguments.kind else KINDS:
        tally = Tally()
        for seed in range(arguments.runs):
            votes = simulated(kind, seed)
            judge(votes, told(votes, arguments.polls), tally)
        print(row(kind, tally), flush=True)
        for name, values in vars(tally).items():
            getattr(whole, name).extend(values)
    print(row("all", whole))


if __name__ == "__main__":
    main()
