"""Whether likely stories come true: calibration on simulated logs of ten kinds.

python -m benchmarks stories [--runs N] [--first N] [--kind NAME] [--polls] [--save FILE]
[--minutes M].

Of N logs of each kind, of 3, 4 or 8 options and 600, 2,000 or 4,000 votes: how often the likeliest
best was best, by what it was given; how often the band of a score held the true score; how often
the range of "since" held when the best now, if it was named, was last not best; and how often the
range of a take-over held the true one, of eras that are so at the surest moments of both arms. A
case is a tenth of a log. `--polls` asks the quick story that pages of polls show. `--save` keeps a
row a log in a Parquet file, goes on where it ended, and prints the table of all that is in it; then
the bins with 300 cases that are off by more than .03, with the standard error, by logs (the ten
cases of a log are not apart).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import driftduel as dd
from driftduel.votes.likely.filtering import outcomes
from driftduel.votes.likely.growing import Growing
from driftduel.votes.likely.story import Story, last_begins, tell, turning_points

Floats = NDArray[np.float64]
EDGES = (0.0, 0.5, 0.7, 0.9, 0.97, 1.001)
SCHEMA: dict[str, Any] = {
    "kind": pl.String,
    "seed": pl.Int32,
    "seconds": pl.Float32,
    "said": pl.List(pl.Float32),
    "right": pl.List(pl.Boolean),
    "bands": pl.List(pl.Boolean),
    "since": pl.List(pl.Boolean),
    "taken": pl.List(pl.Boolean),
}
"""A row a log."""
_CASES = 10
_MANY, _FAR = 300, 0.03
"""A bin of so many cases is to come true as often as was said, to within so much."""
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
    since: list[bool] = field(default_factory=list)
    taken: list[bool] = field(default_factory=list)


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
    at = np.arange(float(n))
    if not quick:
        return tell(votes.left, votes.right, votes.won, at, k, offered=votes.offered, sides=True)
    new = np.flatnonzero((votes.offered[1:] != votes.offered[:-1]).any(axis=1)) + 1
    offers = [(float(since), votes.offered[since]) for since in (0, *new)]
    return Growing().tell(votes.left, votes.right, votes.won, at, k, offers)


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
    if best[-1] == story.now:
        since = int(last_begins((best == story.now)[None])[0])
        earliest, latest = story.since
        tally.since.append(earliest - 1 <= since <= latest + 1)
    surest = [e.begin + int(story.p_best[e.begin : e.end, e.arm].argmax()) for e in story.eras]
    for n in range(1, len(surest)):
        first, last, era = surest[n - 1], surest[n], story.eras[n]
        if best[first] == story.eras[n - 1].arm and best[last] == era.arm:
            turn = first + int(turning_points((best[first : last + 1] == era.arm)[None])[0])
            tally.taken.append(era.start[0] - 1 <= turn <= era.start[1] + 1)


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
            f"{said[rows].mean():.3f} {right[rows].mean():.3f} ({rows.sum():4})"
            if rows.any()
            else " " * 18
        )
    shares = [
        f"{np.mean(part):.3f} ({len(part):5})" if part else " " * 13
        for part in (tally.bands, tally.since, tally.taken)
    ]
    return f"{name:15} {'  '.join(cells)}   {'  '.join(shares)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first log")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--polls", action="store_true")
    parser.add_argument("--save", type=Path)
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="then stop, with --save"
    )
    arguments = parser.parse_args(sys.argv[2:])
    kinds = (arguments.kind,) if arguments.kind else KINDS
    known: dict[tuple[str, int], dict[str, Any]] = {}
    if arguments.save and arguments.save.exists():
        rows = pl.read_parquet(arguments.save).to_dicts()
        known = {(one["kind"], one["seed"]): one for one in rows}
    began = time.monotonic()
    # All kinds in turn, so that a run that is cut short is even.
    for seed in range(arguments.first, arguments.first + arguments.runs):
        if time.monotonic() - began > 60 * arguments.minutes:
            break
        for kind in kinds:
            if (kind, seed) not in known:
                spent, tally = time.process_time(), Tally()
                votes = simulated(kind, seed)
                judge(votes, told(votes, arguments.polls), tally)
                spent = time.process_time() - spent
                known[kind, seed] = {"kind": kind, "seed": seed, "seconds": spent, **vars(tally)}
        if arguments.save and seed % 10 == 9:
            _save(known, arguments.save)
    if arguments.save:
        _save(known, arguments.save)
    _table(list(known.values()), kinds)


def _save(known: dict[tuple[str, int], dict[str, Any]], path: Path) -> None:
    frame = pl.DataFrame([known[key] for key in sorted(known)], schema=SCHEMA)
    new = path.with_suffix(".new")
    frame.write_parquet(new, compression="zstd", compression_level=19)
    new.replace(path)


def _table(rows: list[dict[str, Any]], kinds: Sequence[str]) -> None:
    head = "  ".join(f"{f'{a:.2f}-{min(z, 1):.2f}':18}" for a, z in pairwise(EDGES))
    print(f"{'said, right':15} {head}   bands          since          take-overs")
    whole = Tally()
    for kind in kinds:
        tally = Tally()
        for one in rows:
            if one["kind"] == kind:
                for name, values in vars(tally).items():
                    values.extend(one[name])
                    getattr(whole, name).extend(one[name])
        print(row(kind, tally))
    print(row("all", whole))
    for kind in kinds:
        _print_misses(kind, [one for one in rows if one["kind"] == kind])
    _print_misses("all", rows)
    print(f"{len(rows):,} logs, {np.mean([one['seconds'] for one in rows]):.2f} CPU s each")


def _print_misses(name: str, rows: list[dict[str, Any]]) -> None:
    """Print the bins of many cases that are off by more than the bar."""
    log = np.repeat(np.arange(len(rows)), [len(one["said"]) for one in rows])
    said = np.concatenate([one["said"] for one in rows])
    off = np.concatenate([one["right"] for one in rows]) - said
    for low, high in pairwise(EDGES):
        inside = (said >= low) & (said < high)
        if inside.sum() >= _MANY and abs(off[inside].mean()) > _FAR:
            error = np.sqrt((np.bincount(log[inside], off[inside]) ** 2).sum()) / inside.sum()
            print(
                f"{name}: {low:.2f} to {min(high, 1):.2f} is off by {off[inside].mean():+.3f}, "
                f"standard error {error:.3f} ({inside.sum()} cases)"
            )


if __name__ == "__main__":
    main()
