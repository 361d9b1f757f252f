"""What a poll knows after one click of its owner, and after how many votes it is decided.

Clicks: after 2,000 votes of `DriftPoll` (40,000 where two are close) the option that seems worst is
paused, or one joins that is as the others are. In how many polls the best was decided before and is
at once after, how many name somebody at once, and how many call another one decided.

Missing: how often the votes that it then took lay in the range that was said before.

Decided: the votes until the best is first called decided, by the gap and by intervals.

Referee: in how many polls anything is ever wrong for an owner who looks 40 times, chooses options
after each look so that a wrong decision is near, and asks about every other choice as well.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from benchmarks._poll_play import Taste, play
from benchmarks._poll_worlds import Play, World
from driftduel.learners.parts.findings import findings_of_tosses
from driftduel.votes.proof.counts import Counts, no_counts
from driftduel.votes.proof.decided import Judged, judge

CLICKED = (
    (4, "favourite .7", 2000),
    (4, "btl 1", 2000),
    (10, "favourite .8", 2000),
    (10, "btl 1", 40_000),
)
"""Arms, strengths and the votes before the click; of close ones more are needed to decide."""
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
PARTS = ("clicks", "decided", "missing", "referee", "all")
MISSING = ((4, "favourite .7", 4000), (3, "favourite .6", 6000), (10, "favourite .8", 4000))
VOTES, LONGEST = 2000, 20_000
LOOKS = 60
REFEREE = (
    (2, "equal", False),
    (3, "equal", False),
    (4, "equal", False),
    (4, "equal", True),
    (4, "trap", False),
    (10, "equal", False),
)
LEVEL = 0.05
_ALPHA = 2 * LEVEL  # of which the first count of a life has half
_NEAR = 0.7
"""Share of the bar at which the exact evidence is asked for; what is cheap is that good."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--part", choices=PARTS, default="all")
    parser.add_argument("--arms", type=int, help="only worlds of so many")
    options, _ = parser.parse_known_args()
    if options.part in ("clicks", "all"):
        print("decided before, after pause, after join; named after pause, join; wrongly decided")
        print("and of polls that were decided before, in how many it is at once after either")
        for arms, strengths, votes in CLICKED:
            if options.arms not in (None, arms):
                continue
            rows = np.array([clicked(arms, strengths, votes, n) for n in range(options.runs)])
            told = " ".join(f"{share:5.2f}" for share in rows[:, :5].mean(axis=0))
            kept = rows[rows[:, 0]][:, 1:3].mean(axis=0)
            more = f"{rows[:, 5].sum():3.0f} | {kept[0]:5.2f} {kept[1]:5.2f}"
            print(f"{arms:3} {strengths:>14} {votes:6} {told} {more}", flush=True)
    if options.part in ("missing", "all"):
        print("votes still missing, asked at 1/4, 1/2 and 3/4: in the range, sooner, later")
        for arms, strengths, longest in MISSING:
            rows = np.array([missing(arms, strengths, longest, 200 + n) for n in range(25)])
            print(f"{arms:3} {strengths:>14} {rows.sum(axis=0)}", flush=True)
    if options.part in ("referee", "all"):
        print("ever wrong: decided, an interval only, decided without weights of sets; of runs")
        for arms, name, joins in REFEREE:
            if options.arms not in (None, arms):
                continue
            matrix = np.full((arms, arms), 0.5) if name == "equal" else trap(arms)
            rows = np.array([ever_wrong(matrix, VOTES, n, joins) for n in range(options.runs)])
            kind = f"{name}, one joins" if joins else name
            print(f"{arms:3} {kind:>17} {rows.sum(axis=0)} of {len(rows)}", flush=True)
    if options.part in ("decided", "all"):
        print("votes until decided, medians: intervals, gap, ratio; wrong by intervals, by the gap")
        ratios = []
        for arms, strengths in DECIDED:
            if options.arms not in (None, arms):
                continue
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


def taste(arms: int, strengths: str, votes: int = LONGEST) -> tuple[NDArray[np.float64], Taste]:
    """Return a matrix that never changes, and its voters."""
    matrix = World(arms, LONGEST, strengths, "none", 0, 0, 0).play.palette[0]
    return matrix, Taste.of(Play.one_change(matrix, votes, votes, 0))


def clicked(arms: int, strengths: str, votes: int, seed: int) -> tuple[bool, ...]:
    """Return what is decided before and after a click, who is named, and whether that is wrong."""
    matrix, voters = taste(arms, strengths, votes)
    best = int(matrix.sum(axis=1).argmax())
    poll = dd.DriftPoll(arms)
    polls: list[dd.DriftPoll] = []

    def keep(one: dd.DriftPoll) -> None:
        polls.append(one)

    play(poll, voters, seed, votes, [votes], keep)
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


def trap(arms: int) -> NDArray[np.float64]:
    """Return a matrix of which two arms have the same score, though one beats the other."""
    matrix = np.full((arms, arms), 0.5)
    matrix[0, 1] = 0.4
    matrix[0, 2:] = 0.65
    matrix[1, 2:] = 0.65 - 0.2 / (arms - 2)
    upper = np.triu_indices(arms, 1)
    matrix.T[upper] = 1 - matrix[upper]
    return matrix


def ever_wrong(
    matrix: NDArray[np.float64], votes: int, seed: int, joins: bool = False
) -> tuple[bool, bool, bool]:
    """Return if a wrong arm is ever decided to be best, else an interval wrong; without weights.

    Of two equal arms either is wrong. Half of the votes are tosses among the arms on offer, half
    are aimed at who seems best of them and the next.
    """
    rng = np.random.default_rng(seed)
    n_arms = len(matrix)
    first = list(range(n_arms - joins))
    offered = first
    counts = no_counts(len(first), first, number=0, since=0)
    decided, missed, unweighted = False, False, False
    stops = np.unique(np.geomspace(30, votes, 40).astype(int)).tolist()
    for look, (begin, end) in enumerate(zip([0, *stops], stops, strict=False)):
        if joins and look == 15:
            counts, offered = counts.grown_to(n_arms), list(range(n_arms))
        wins, tossed, won = _votes_of(rng, matrix, counts, offered, end - begin)
        counts = counts.with_votes(offered, wins, tossed, won, until=end)
        nearest = -math.inf
        for arms, front, lead, off in _looks(counts, matrix):
            share = math.exp(counts.log_weight(arms))
            bar = math.log(len(arms) / LEVEL)
            if look % 2 and lead - bar + math.log(share) > nearest:
                nearest, offered = lead - bar + math.log(share), arms
            if max(lead, off - math.log(2)) >= _NEAR * (bar - math.log(share)):
                found = judge(counts, arms, front, _ALPHA)
                decided |= found.decided and not _is_best(matrix, found)
                missed |= _misses(matrix, found)
            if lead >= _NEAR * bar and not unweighted:
                whole = replace(counts, first=tuple(arms))
                alone = judge(whole, arms, front, _ALPHA / math.exp(whole.log_weight(arms)))
                unweighted = alone.decided and not _is_best(matrix, alone)
        if not look % 2:
            offered = list(range(len(counts.alike)))
    return decided, missed and not decided, unweighted


def _votes_of(
    rng: np.random.Generator,
    matrix: NDArray[np.float64],
    counts: Counts,
    offered: list[int],
    n_votes: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return votes among the arms on offer: who won, who was tossed, and who won tosses."""
    n_arms, chances = len(offered), matrix[np.ix_(offered, offered)]
    upper = np.triu_indices(n_arms, 1)
    drawn = np.zeros((n_arms, n_arms))
    drawn[upper] = rng.multinomial(
        n_votes - n_votes // 2, np.full(len(upper[0]), 1 / len(upper[0]))
    )
    before, _ = counts.among(offered)
    best, second = np.sort(np.argsort(before.sum(axis=0) - before.sum(axis=1))[:2])
    aimed = np.zeros((n_arms, n_arms))
    aimed[best, second] = n_votes // 2
    won, aimed_won = (
        rng.binomial(part.astype(int), chances).astype(float) for part in (drawn, aimed)
    )
    tossed = drawn + drawn.T
    won = won + np.tril((drawn - won).T)
    return won + aimed_won + np.tril((aimed - aimed_won).T), tossed, won


def _looks(
    counts: Counts, matrix: NDArray[np.float64]
) -> Iterator[tuple[list[int], int, float, float]]:
    """Yield sets of arms, who leads, and about how sure it is that he does, and a score is off."""
    known = len(counts.alike)
    played = np.maximum(counts.wins + counts.wins.T, 1e-3)
    means = (counts.wins + 0.5e-3) / (played + 1e-3)
    spread = 0.25 / played
    np.fill_diagonal(means, 0.5)
    np.fill_diagonal(spread, 0.0)
    for absent in range(min(3, known - 1)):
        for chosen in combinations(range(known), known - absent):
            arms = list(chosen)
            here = np.ix_(arms, arms)
            scores, errors = means[here].sum(axis=1), spread[here].sum(axis=1)
            off = np.abs(scores - matrix[here].sum(axis=1)) / np.sqrt(errors)
            front = int(scores.argmax())
            both = errors + errors[front] + 2 * spread[here][front]
            lead = np.delete((scores[front] - scores) / np.sqrt(both), front)
            yield arms, arms[front], float(lead.min()) ** 2 / 2, float(off.max()) ** 2 / 2


def _is_best(matrix: NDArray[np.float64], found: Judged) -> bool:
    """Tell whether the arm in front is better than each other one that was judged."""
    gaps = _scores(matrix, found.among)[found.front] - np.array(
        [score for arm, score in _scores(matrix, found.among).items() if arm != found.front]
    )
    return bool((gaps > 1e-9).all())


def _misses(matrix: NDArray[np.float64], found: Judged) -> bool:
    """Tell whether an interval does not hold the score."""
    return any(
        not found.intervals[arm][0] - 1e-9 <= score <= found.intervals[arm][1] + 1e-9
        for arm, score in _scores(matrix, found.among).items()
    )


def _scores(matrix: NDArray[np.float64], arms: tuple[int, ...]) -> dict[int, float]:
    """Return the true score of each of some arms against the others."""
    sums = matrix[np.ix_(arms, arms)].sum(axis=1) - 0.5
    return dict(zip(arms, (sums / (len(arms) - 1)).tolist(), strict=True))


if __name__ == "__main__":
    main()
