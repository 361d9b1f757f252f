"""How soon a poll knows the best arm and sees a change: DriftPoll beside uniform pairs and others.

Worlds are those of `benchmarks._poll_worlds`, players those of `benchmarks._poll_play`.

- *Tracking error*: the share of votes after which the arm named best is not. Its ratio is to that
  of uniform pairs with the one of 15 memories that is best in hindsight for the world.
- *Votes until known*: the first number of votes t such that 95 % of runs are right from t to
  1.25 t. If there is none, as many as were played, 20,000. Its ratio is to uniform pairs with all
  votes.
- *False*: runs of 20,000 votes without change in which one is declared.
- *Declared*: runs of 5,000 votes with one change in the middle in which one is declared after it.
  The *delay* of the declaration is counted from the change. That of ``best()`` is the number of
  votes from which on it names the new best arm until the declaration. The figure is the median of
  their ratio over the runs that declare.
- *Missed*: runs of 5,000 votes without change in which an interval of the report ever misses the
  score of its arm, looked at every 10 votes. *Told apart*: runs of 5,000 votes on equal arms in
  which two of these intervals ever part.
- *Calibration*: of moments spread evenly over runs of all worlds, those at which the largest chance
  to be best is said to be 90 to 95 %.

Prints tables beside their bars, writes them to docs/polls.md, and all figures to polls.json beside
this file.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from benchmarks._poll_play import Taste, bradley_terry, play, top_two, uniform, wrong
from benchmarks._poll_worlds import HALVES, LONG, Play, World, worlds
from driftduel._support.files import replacing
from driftduel.learners.parts.tally import ALPHA
from driftduel.votes.sequences import log_evidence, simultaneous

RUNS = 64
RIVAL_RUNS = 8
"""Of players that take long and are far behind."""
LOOKED, LOOKS = 16, 12
"""Runs of a world, and moments of each, at which the chances to be best are asked for."""
FILE = Path(__file__).with_name("polls.json")
PAGE = Path(__file__).parent.parent / "docs" / "polls.md"
BEGIN, END = "<!-- begin: {} -->", "<!-- end: {} -->"

US, ALL, HINDSIGHT = "DriftPoll", "uniform pairs, all votes", "uniform pairs, best memory"
BANDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)
CHANGES = ((4, "favourite .6", 0.95), (10, "favourite .7", 0.95), (10, "btl 1", 0.7))
"""Arms, strengths, and the share of changes that are to be declared."""
CLAIMS = ((2, "equal"), (4, "equal"), (10, "equal"), (4, "favourite .6"), (10, "trap"))
"""Arms and strengths of worlds in which intervals are looked at."""
PER_DAY = (50, 200, 1000)
OWNERS = [(arms, chance) for arms in (2, 4, 10, 30) for chance in (0.55, 0.6, 0.7, 0.9)]

Figures = dict[str, Any]
Flags = NDArray[np.bool_]
Rule = Callable[[int, int], NDArray[np.int64]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", nargs="+", choices=HALVES, default=HALVES)
    parser.add_argument("--runs", type=int, default=RUNS, help="of each world")
    parser.add_argument("--out", type=Path, default=FILE, help="the file to write")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page whose tables to write")
    options, _ = parser.parse_known_args()
    began = time.process_time()
    found: Figures = {
        "runs": options.runs,
        "halves": {half: half_of(half, options.runs) for half in options.half},
        "changes": [changed(*cell, 4 * options.runs) for cell in CHANGES],
        "claims": [claimed(*cell, 4 * options.runs) for cell in CLAIMS],
        "owner": [owned(*cell, 2 * options.runs) for cell in OWNERS],
    }
    with replacing(options.out) as temporary:
        temporary.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, table in BLOCKS.items():
        text = "\n".join(table(found))
        print(text, "", sep="\n")
        if options.page.exists():
            write_block(options.page, name, text)
    print(f"{time.process_time() - began:.0f} seconds of one processor", file=sys.stderr)


# Playing.


def half_of(half: str, runs: int) -> Figures:
    """Return the figures of all worlds of a half."""
    rows, said = [], []
    for kind in ("drifting", "stationary"):
        for world in worlds(half, kind):
            print(f"{half}: {world.name}", file=sys.stderr, flush=True)
            row, moments = one_world(world, runs)
            rows.append({"kind": kind} | row)
            said += moments
    return {"worlds": rows, "calibration": calibration(said), "runs": runs}


def one_world(world: World, runs: int) -> tuple[Figures, list[tuple[float, bool]]]:
    """Return the figures of a world, and how sure DriftPoll was at moments, and whether right."""
    taste = Taste.of(world.play, world.ties, world.left)
    few = range(min(runs, RIVAL_RUNS))
    memories = errors(world, partial(uniform, taste), range(runs))
    windows = errors(world, partial(bradley_terry, taste), range(runs))
    found = {
        ALL: memories[-1],
        HINDSIGHT: memories.min(),
        "Bradley-Terry, best window": windows.min(),
        "top-two sampling": errors(world, partial(top_two, taste), few),
    }
    for learner in (
        dd.learners.DTS(world.arms, criterion=dd.Condorcet()),
        dd.DriftDuel(world.arms),
    ):
        found[type(learner).__name__] = errors(world, partial(best_of, learner, taste), few)
    long = len(world.play.before)
    missed = np.zeros((runs, long), np.bool_)
    looks: list[tuple[int, float, int]] = []
    false = 0
    for seed in range(runs):
        stops = np.linspace(0, world.votes - 1, LOOKS + 1, dtype=int)[1:].tolist()
        best, player = play(
            dd.DriftPoll(world.arms),
            taste,
            seed,
            long,
            stops if seed < LOOKED else [],
            lambda one: looks.append(surest(one)),
        )
        missed[seed] = wrong(world.play, best)
        false += len(player.episodes) > 1
    found[US] = missed[:, : world.votes].mean()
    row: Figures = {"name": world.name, "transitive": world.transitive, "false": false}
    row |= asdict(world) | {"errors": {name: float(error) for name, error in found.items()}}
    if world.drift == "none":
        kept = [wrong(world.play, uniform(taste, seed, long, True)[0]) for seed in range(runs)]
        row["until"] = {US: known(missed), ALL: known(np.array(kept))}
    scores = world.play.scores_at(np.array([votes - 1 for votes, _, _ in looks]))
    right = [
        bool(one[arm] >= one.max() - 1e-9) for one, (_, _, arm) in zip(scores, looks, strict=True)
    ]
    return row, [(chance, hit) for (_, chance, _), hit in zip(looks, right, strict=True)]


def errors(world: World, rule: Rule, seeds: Iterable[int]) -> NDArray[np.float64]:
    """Return the tracking error of a rule, of each of its rows; half a vote if there is none."""
    of_runs = [wrong(world.play, rule(seed, world.votes)).mean(axis=-1) for seed in seeds]
    return np.maximum(np.mean(of_runs, axis=0), 0.5 / len(of_runs) / world.votes)


def best_of(learner: dd.Learner, taste: Taste, seed: int, votes: int) -> NDArray[np.int64]:
    return play(learner, taste, seed, votes).best


def surest(poll: dd.DriftPoll) -> tuple[int, float, int]:
    """Return the number of votes, the largest chance to be best, and whose it is."""
    chances = poll.probabilities
    return poll.rounds, float(chances.max()), int(chances.argmax())


def known(missed: Flags) -> int:
    """Return after how many votes 95 % of runs are right, and stay so for a quarter as many."""
    votes = missed.shape[1]
    summed = np.concatenate([[0], missed.mean(axis=0).cumsum()])
    first = np.unique(np.geomspace(1, votes, 2000).astype(int))
    last = np.minimum(votes, np.ceil(1.25 * first).astype(int))
    first, last = first[last > first], last[last > first]
    fine = (summed[last] - summed[first]) / (last - first) <= 0.05
    return int(first[fine.argmax()]) + 1 if fine.any() else votes


def calibration(said: list[tuple[float, bool]]) -> list[Figures]:
    """Return for bands of the largest chance to be best what was said, and what was true."""
    table = np.array(said)
    bands = []
    for low, high in pairwise(BANDS):
        inside = table[(table[:, 0] >= low) & (table[:, 0] < high)]
        mean = inside.mean(axis=0) if len(inside) else (math.nan, math.nan)
        bands.append({"from": low, "moments": len(inside), "said": mean[0], "right": mean[1]})
    return bands


def changed(arms: int, strengths: str, bar: float, runs: int) -> Figures:
    """Return how often and how soon one change in the middle of 5,000 votes is declared."""
    votes, change = 5000, 2500
    delays, ratios, false = [], [], 0
    for seed in range(runs):
        start = World(arms, votes, strengths, "none", 0, 0, seed).play.palette[0]
        world = Play.one_change(start, votes, change, seed)
        best, player = play(dd.DriftPoll(arms), Taste.of(world), seed, votes)
        right = ~wrong(world, best)[change:]
        noticed = [start for start in player.episodes[1:] if start > change]
        false += len(player.episodes) - 1 - len(noticed)
        if noticed:
            delays.append(noticed[0] - change)
            errors_until = np.flatnonzero(~right[: delays[-1]])
            named = errors_until[-1] + 2 if len(errors_until) else 1
            ratios.append(delays[-1] / named)
    return {
        "name": f"{arms} arms, {strengths}",
        "bar": bar,
        "runs": runs,
        "declared": len(delays) / runs,
        "false": false,
        "delay": float(np.median(delays)),
        "ratio": float(np.median(ratios)),
    }


def claimed(arms: int, strengths: str, runs: int) -> Figures:
    """Return in how many runs an interval of the report ever misses, and two ever part."""
    votes = 5000
    matrix = np.full((arms, arms), 0.5)
    if strengths != "equal":
        matrix = World(arms, votes, strengths, "none", 0, 0, 0).play.palette[0]
    world = Play.one_change(matrix, votes, votes, 0)
    found = {"missed": 0, "apart": 0, "sure": 0}
    for seed in range(runs):
        seen = {"missed": False, "apart": False, "sure": False}

        def look(poll: dd.DriftPoll, seen: dict[str, bool] = seen) -> None:
            tosses = poll._session.state.tally.arms
            evidence = log_evidence(tosses["wins"], tosses["tosses"], world.scores[0])
            if evidence.max() >= math.log(arms / ALPHA):
                seen["missed"] = True
                low, high = simultaneous(tosses["wins"], tosses["tosses"], ALPHA)
                seen["apart"] |= bool(low.max() > high.min())
            if poll.rounds % 500 == 0:
                seen["sure"] |= bool(poll.probabilities.max() >= 0.95)

        stops = list(range(10, votes + 1, 10))
        play(dd.DriftPoll(arms), Taste.of(world), seed, votes, stops, look)
        for name, happened in seen.items():
            found[name] += happened
    shares = {name: count / runs for name, count in found.items()}
    return {"name": f"{arms} arms, {strengths}", "equal": strengths == "equal", **shares}


def owned(arms: int, chance: float, runs: int) -> Figures:
    """Return what the owner of a poll with one favourite wants to know.

    The change comes after five times the votes that it took to know the best, 1,000 at least.
    """
    long = 2 * LONG if chance < 0.6 else LONG // 2
    until = known(np.array([_favourite(arms, chance, long, long, seed)[0] for seed in range(runs)]))
    change = max(5 * until, 1000)
    missed, declared = [], []
    for seed in range(runs):
        wrongly, noticed = _favourite(arms, chance, change, 3 * change + 5000, seed)
        missed.append(wrongly[change:])
        declared.append(noticed[0] - change if noticed else math.inf)
    half, most = np.quantile(declared, [0.5, 0.95], method="inverted_cdf")
    return {
        "arms": arms,
        "chance": chance,
        "until": until,
        "again": known(np.array(missed)),
        "declared": [float(half), float(most)],
    }


def _favourite(
    arms: int, chance: float, change: int, votes: int, seed: int
) -> tuple[Flags, list[int]]:
    """Return where DriftPoll was wrong, and the changes it declared after there was one."""
    start = World(arms, votes, f"favourite {chance}", "none", 0, 0, seed).play.palette[0]
    world = Play.one_change(start, votes, change, seed)
    best, player = play(dd.DriftPoll(arms), Taste.of(world), seed, votes)
    return wrong(world, best), [noticed for noticed in player.episodes if noticed > change]


# Tables.


def owners_table(found: Figures) -> Iterator[str]:
    """Yield the table that the owner of a poll needs."""
    days = [f"{rate:,} a day" for rate in PER_DAY]
    yield line(
        *("options", "the best wins", "votes until it is known", "votes until a change is seen"),
        *("declared: half of the time, 95 %", *(f"known, {day}" for day in days)),
        *(f"change seen, {day}" for day in days),
    )
    yield "|" + "---:|" * 11
    for row in found["owner"]:
        yield line(
            *(row["arms"], f"{row['chance']:.0%}", votes_of(row["until"]), votes_of(row["again"])),
            ", ".join(map(votes_of, row["declared"])),
            *(days_of(row["until"], rate) for rate in PER_DAY),
            *(days_of(row["again"], rate) for rate in PER_DAY),
        )


def figures_table(found: Figures) -> Iterator[str]:
    """Yield every figure beside its bar, a column for each half."""
    columns = [list(half_figures(half)) for half in found["halves"].values()]
    yield line("figure", "bar", *found["halves"])
    yield "|---|---|" + "---:|" * len(columns)
    for rows in zip(*columns, strict=True):
        yield line(*rows[0][:2], *(row[2] for row in rows))
    more = [
        (f"changes declared: {one['name']}", f">= {one['bar']:.0%}", f"{one['declared']:.0%}")
        for one in found["changes"]
    ]
    more += [
        (
            f"delay of the declaration over that of best(): {one['name']}",
            "<= 3",
            f"{one['ratio']:.1f}",
        )
        for one in found["changes"]
    ]
    missed = max(one["missed"] for one in found["claims"])
    apart = max(one["apart"] for one in found["claims"] if one["equal"])
    more += [
        ("intervals that ever miss in a run, worst of five worlds", "<= 5 %", f"{missed:.1%}"),
        ("equal arms told apart, worst of 2, 4 and 10 arms", "<= 5 %", f"{apart:.1%}"),
    ]
    for name, bar, value in more:
        yield line(name, bar, *[value] * len(columns))


def half_figures(half: Figures) -> Iterator[tuple[str, str, str]]:
    """Yield name, bar and value of the figures of a half."""
    drifting = [row for row in half["worlds"] if row["kind"] == "drifting"]
    still = [row for row in half["worlds"] if row["kind"] == "stationary"]
    ratio = mean(map(tracking, half["worlds"]))
    yield "tracking error ratio, geometric mean", "<= 0.8", f"{ratio:.2f}"
    yield "worst drifting world", "<= 1.25", f"{max(map(tracking, drifting)):.2f}"
    yield "worst world without change", "<= 1.5", f"{max(map(tracking, still)):.2f}"
    sooner = [row["until"][US] / row["until"][ALL] for row in still]
    straight = [one for one, row in zip(sooner, still, strict=True) if row["transitive"]]
    twisted = [one for one, row in zip(sooner, still, strict=True) if not row["transitive"]]
    yield "votes until known, ratio, geometric mean", "<= 0.6", f"{mean(sooner):.2f}"
    yield "worst transitive world", "<= 1.1", f"{max(straight):.2f}"
    yield "worst intransitive world", "<= 1.5", f"{max(twisted):.2f}"
    false, runs = sum(row["false"] for row in still), half["runs"] * len(still)
    yield "false declarations in 20,000 votes", "<= 1 %", f"{false / runs:.2%} ({false} of {runs})"
    band = next(one for one in half["calibration"] if one["from"] == 0.9)
    said = f"{band['right']:.1%} of {band['moments']} at which {band['said']:.1%} was said"
    yield "right where P(best) is 90 to 95 %", ">= said - 3 points", said


def worlds_tables(found: Figures) -> Iterator[str]:
    """Yield the tracking errors of all players in all worlds, as ratios."""
    for name, half in found["halves"].items():
        players = [player for player in half["worlds"][0]["errors"] if player != HINDSIGHT]
        yield f"### The {name} half"
        yield ""
        yield line("world", "error of " + HINDSIGHT, *players, "votes until known", "of " + ALL)
        yield "|---|" + "---:|" * (len(players) + 3)
        for row in half["worlds"]:
            until = row.get("until", {})
            yield line(
                *(row["name"], f"{row['errors'][HINDSIGHT]:.3f}"),
                *(f"{row['errors'][player] / row['errors'][HINDSIGHT]:.2f}" for player in players),
                *(votes_of(until[player]) if until else "" for player in (US, ALL)),
            )
        means = [
            mean(row["errors"][player] / row["errors"][HINDSIGHT] for row in half["worlds"])
            for player in players
        ]
        yield line("geometric mean", "", *(f"{value:.2f}" for value in means), "", "")
        yield ""


def tracking(row: Figures) -> float:
    """Return the ratio of tracking errors in a world."""
    return float(row["errors"][US] / row["errors"][HINDSIGHT])


def mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(list(values)))))


def votes_of(number: float) -> str:
    return "not seen" if math.isinf(number) else f"{number:,.0f}"


def days_of(votes: float, rate: int) -> str:
    days = votes / rate
    return f"{days:.1f}" if days < 10 else f"{days:,.0f}"


def line(*entries: object) -> str:
    return f"| {' | '.join(map(str, entries))} |"


def write_block(page: Path, name: str, text: str) -> None:
    """Put a text between the marks of its name."""
    whole = page.read_text(encoding="utf-8")
    begin, end = BEGIN.format(name), END.format(name)
    before, _, rest = whole.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{page} has no {begin} and {end}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


BLOCKS = {"owner": owners_table, "figures": figures_table, "worlds": worlds_tables}
"""The tables of the page."""


if __name__ == "__main__":
    main()
