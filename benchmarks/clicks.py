"""What a poll knows after one click of its owner, and after how many votes it is decided.

Clicks: after 2,000 votes of `DriftPoll` the option that seems worst is paused, or one joins that is
as the others are. In how many polls the best was decided before and is at once after, how many name
somebody at once, and how many call another one decided; beside it the same by intervals that begin
again (rules 1 and 2 of arenas).

Missing: how often the votes that it then took lay in the range that was said before.

Decided: the votes until the best is first called decided, by the gap and by intervals.
"""

from __future__ import annotations

import argparse
import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from benchmarks._poll_play import Taste, play
from benchmarks._poll_worlds import Play, World
from driftduel.learners.parts.findings import findings_of_tosses

CLICKED = ((4, "favourite .7"), (4, "btl 1"), (10, "favourite .8"), (10, "btl 1"))
DECIDED = (
    (3, "favourite .6"),
    (4, "favourite .6"),
    (4, "favourite .7"),
    (4, "ladder .3"),
    (10, "favourite .7"),
    (10, "favourite .6"),
    (10, "ladder .6"),
    (30, "favourite .9"),
    (2, "favourite .6"),
)
MISSING = ((4, "favourite .7", 4000), (3, "favourite .6", 6000), (10, "favourite .8", 4000))
VOTES, LONGEST = 2000, 20_000
LOOKS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--part", choices=["clicks", "decided", "missing", "all"], default="all")
    options, _ = parser.parse_known_args()
    if options.part in ("clicks", "all"):
        print("decided before, after pause, after join; named after pause, join; wrongly decided")
        for arms, strengths in CLICKED:
            rows = np.array([clicked(arms, strengths, seed) for seed in range(options.runs)])
            told = " ".join(f"{share:5.2f}" for share in rows[:, :5].mean(axis=0))
            print(f"{arms:3} {strengths:>14} {told} {rows[:, 5].sum():3.0f}", flush=True)
    if options.part in ("missing", "all"):
        print("votes still missing, asked at 1/4, 1/2 and 3/4: in the range, sooner, later")
        for arms, strengths, longest in MISSING:
            rows = np.array([missing(arms, strengths, longest, 200 + n) for n in range(25)])
            print(f"{arms:3} {strengths:>14} {rows.sum(axis=0)}", flush=True)
    if options.part in ("decided", "all"):
        print("votes until decided, medians: intervals, gap, ratio; wrong by intervals, by the gap")
        ratios = []
        for arms, strengths in DECIDED:
            rows = np.array([decided(arms, strengths, seed) for seed in range(options.runs)])
            old, new = np.quantile(rows[:, :2], 0.5, axis=0, method="higher")
            wrong = rows[:, 2:].sum(axis=0)
            print(
                f"{arms:3} {strengths:>14} {old:7.0f} {new:7.0f} {new / old:5.2f} {wrong}",
                flush=True,
            )
            if math.isfinite(old) and math.isfinite(new):
                ratios.append(new / old)
        mean = math.exp(np.mean(np.log(ratios)))
        print(f"geometric mean of {len(ratios)} worlds {mean:.2f}, worst {max(ratios):.2f}")


def taste(arms: int, strengths: str) -> tuple[NDArray[np.float64], Taste]:
    """Return a matrix that never changes, and its voters."""
    matrix = World(arms, LONGEST, strengths, "none", 0, 0, 0).play.palette[0]
    return matrix, Taste.of(Play.one_change(matrix, LONGEST, LONGEST, 0))


def clicked(arms: int, strengths: str, seed: int) -> tuple[bool, ...]:
    """Return what is decided before and after a click, who is named, and whether that is wrong."""
    matrix, voters = taste(arms, strengths)
    best = int(matrix.sum(axis=1).argmax())
    poll = dd.DriftPoll(arms)
    polls: list[dd.DriftPoll] = []

    def keep(one: dd.DriftPoll) -> None:
        polls.append(one)

    play(poll, voters, seed, VOTES, [VOTES], keep)
    (played,) = polls
    before = played.report()
    scores = [0.0 if one is None else one for one in before.scores or ()]
    paused = played.__copy__()
    paused.change_arms(leave=[int(np.argmin(scores))])
    played.change_arms(join=[arms])
    found = paused.report(), played.report()
    named = [report.standing.leader is not None for report in found]
    reports = (before, *found)
    wrong = any(report.decided and report.front != best for report in reports)
    return (*(bool(report.decided) for report in reports), *named, wrong)


def decided(arms: int, strengths: str, seed: int) -> tuple[float, float, bool, bool]:
    """Return after how many votes the best is decided by intervals and by the gap, if wrongly."""
    matrix, voters = taste(arms, strengths)
    best = int(matrix.sum(axis=1).argmax())
    first = {"intervals": math.inf, "gap": math.inf}
    wrong = {"intervals": False, "gap": False}

    def look(poll: dd.DriftPoll, first: dict[str, float], wrong: dict[str, bool]) -> None:
        if math.isfinite(max(first.values())):
            return
        state, told = poll._session.state, poll.rounds
        leader = int(state.clock[0]["leader"])
        old = findings_of_tosses(state.tally, range(arms), arms, leader, told)["decided"]
        claims = {"intervals": (bool(old), leader)}
        if not math.isfinite(first["gap"]):
            report = poll.report()
            claims["gap"] = bool(report.decided), int(report.front or 0)
        for name, (sure, who) in claims.items():
            if sure:
                first[name] = min(first[name], told)
                wrong[name] |= who != best

    stops = np.unique(np.geomspace(40, LONGEST, LOOKS).astype(int)).tolist()
    play(dd.DriftPoll(arms), voters, seed, LONGEST, stops, partial(look, first=first, wrong=wrong))
    return first["intervals"], first["gap"], wrong["intervals"], wrong["gap"]


def missing(arms: int, strengths: str, longest: int, seed: int) -> tuple[int, int, int]:
    """Return how often the votes until decided were in the range that was said, fewer, or more."""
    _, voters = taste(arms, strengths)
    said: list[tuple[int, tuple[float, float]]] = []
    decided_at: list[int] = []

    def look(poll: dd.DriftPoll) -> None:
        if decided_at:
            return
        report = poll.report()
        if report.decided:
            decided_at.append(poll.rounds)
        else:
            said.append((poll.rounds, report.missing_between or (0.0, math.inf)))

    stops = np.unique(np.geomspace(60, longest, 30).astype(int)).tolist()
    play(dd.DriftPoll(arms), voters, seed, longest, stops, look)
    found = [0, 0, 0]
    for share in (0.25, 0.5, 0.75) if decided_at and said else ():
        end = decided_at[0]
        asked, (least, most) = min(said, key=lambda one: abs(one[0] - share * end))
        found[0 if least <= end - asked <= most else 1 if end - asked < least else 2] += 1
    return found[0], found[1], found[2]


if __name__ == "__main__":
    main()
