"""How soon a poll knows the best arm and sees a change: DriftPoll beside uniform pairs and others.

Worlds are those of `benchmarks._poll_worlds`, players those of `benchmarks._poll_play`.

- *Tracking error*: the share of votes after which the arm named best is not. Its ratio is to that
  of uniform pairs with the one of 15 memories that is best in hindsight for the world.
- *Votes until known*: the number of votes t such that from then on, for each u above t, 95 % of
  runs are right on average from u to 1.25 u. If there is none, as many as were played, 20,000. Its
  ratio is to uniform pairs with all votes. Worlds in which strengths explain all pairs and others
  have a bar each.
- *Worst*: the ratio of the world that is worst in `RUNS` runs, and that in `WORST_RUNS` others,
  which says how much of it was luck; another world may then be worse.
- *False*: runs of 20,000 votes without change in which one is declared.
- *Declared*: runs of 5,000 votes with one change in the middle in which one is declared after it.
  The *delay* of the declaration is counted from the change. That of ``best()`` is the number of
  votes from which on it names the new best arm until the declaration. The figure is the median of
  their ratio over the runs that declare.
- *Missed*: runs of 5,000 votes without change in which an interval of the report ever misses the
  score of its arm, looked at every 10 votes. *Told apart*: runs of 5,000 votes on equal arms in
  which two of these intervals ever part.
- *Calibration*: of moments spread evenly over runs of all worlds, those at which the largest chance
  to be best is said to be 90 to 95 %; worlds that drift and worlds without change each for
  themselves, as one makes up for the other.
- *Ever called 95 %*: runs of 5,000 votes on two equal arms in which the largest chance to be best
  is 95 % after any tenth vote.
- *Took over*: runs of 4,000 votes on five arms in which not the second best takes over, but the
  third. The change that is declared names one arm. By the chances to be best of all but the arm
  that fell, so many of the likeliest are named that they have 95 % together.

Runs of the two halves have no seed in common.

Prints tables beside their bars, writes them to docs/polls.md and docs/polls-*.md, and all figures
to polls.json beside this file.
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
from benchmarks._poll_worlds import DECKS, HALVES, LONG, Play, World, additive, borda, worlds
from driftduel._support.files import replacing
from driftduel.learners.driftpoll.changes import EVERY
from driftduel.learners.parts.findings import ALPHA
from driftduel.votes.sequences import log_evidence, simultaneous

RUNS = 64
WORST_RUNS = 256
OWNER_RUNS, PILOT_RUNS = {2: 1000, 4: 1000, 10: 256, 30: 128}, 64
"""Of the owner's table, by arms: fewer where a run is tens of thousands of votes."""
SEEDS = {"tuning": 0, "held-out": 1_000_000}
"""The first seed of the runs of each half."""
OTHERS = 500_000
"""By how much seeds of the runs of worst worlds are higher."""
RIVAL_RUNS = 8
"""Of players that take long and are far behind."""
LOOKED, LOOKS = 16, 12
"""Runs of a world, and moments of each, at which the chances to be best are asked for."""
FILE = Path(__file__).with_name("polls.json")
PAGE = Path(__file__).parent.parent / "docs" / "polls.md"
BEGIN, END = "<!-- begin: {} -->", "<!-- end: {} -->"

US, ALL, HINDSIGHT = "DriftPoll", "uniform pairs, all votes", "uniform pairs, best memory"
PLAYERS = (
    *(ALL, HINDSIGHT, "Bradley-Terry, best window", "top-two sampling", "DTS", "DriftDuel"),
    US,
)
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
        "successors": took_over(options.runs),
        "owner": [owned(*cell, OWNER_RUNS[cell[0]] * options.runs // RUNS) for cell in OWNERS],
    }
    with replacing(options.out) as temporary:
        temporary.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    write_tables(found, options.page)
    print(f"{time.process_time() - began:.0f} seconds of one processor", file=sys.stderr)


def write_tables(found: Figures, page: Path) -> None:
    """Print all tables, and write each between its marks, on the page or one named after it."""
    pages = sorted(page.parent.glob(f"{page.stem}*.md"))
    for name, table in BLOCKS.items():
        text = "\n".join(table(found))
        print(text, "", sep="\n")
        if pages:
            write_block(pages, name, text)


# Playing.


def half_of(half: str, runs: int) -> Figures:
    """Return the figures of all worlds of a half."""
    rows: list[Figures] = []
    said: dict[str, list[tuple[float, bool]]] = {"drifting": [], "stationary": []}
    for kind, moments in said.items():
        for world in worlds(half, kind):
            print(f"{half}: {world.name}", file=sys.stderr, flush=True)
            row, found = one_world(world, range(SEEDS[half], SEEDS[half] + runs))
            rows.append({"kind": kind} | row)
            moments.extend(found)
    more = WORST_RUNS * runs // RUNS
    seeds = range(SEEDS[half] + OTHERS, SEEDS[half] + OTHERS + more)
    return {
        "worlds": rows,
        "worst": worst_of(half, rows, seeds),
        "calibration": {kind: calibration(moments) for kind, moments in said.items()},
        "runs": runs,
    }


def one_world(world: World, seeds: range) -> tuple[Figures, list[tuple[float, bool]]]:
    """Return the figures of a world, and how sure DriftPoll was at moments, and whether right."""
    taste = Taste.of(world.play, world.ties, world.left)
    few = seeds[:RIVAL_RUNS]
    looks: list[tuple[int, float, int]] = []
    row = beside_uniform(world, seeds, looks)
    found = row["errors"]
    found["Bradley-Terry, best window"] = errors(world, partial(bradley_terry, taste), seeds).min()
    found["top-two sampling"] = errors(world, partial(top_two, taste), few)
    for learner in (
        dd.learners.DTS(world.arms, criterion=dd.Condorcet()),
        dd.DriftDuel(world.arms),
    ):
        found[type(learner).__name__] = errors(world, partial(best_of, learner, taste), few)
    row["errors"] = {name: float(found[name]) for name in PLAYERS}
    scores = world.play.scores_at(np.array([votes - 1 for votes, _, _ in looks]))
    right = [
        bool(one[arm] >= one.max() - 1e-9) for one, (_, _, arm) in zip(scores, looks, strict=True)
    ]
    return row, [(chance, hit) for (_, chance, _), hit in zip(looks, right, strict=True)]


def beside_uniform(
    world: World, seeds: range, looks: list[tuple[int, float, int]] | None = None
) -> Figures:
    """Return how DriftPoll and uniform pairs fare in a world; note how sure it is in a few runs."""
    taste = Taste.of(world.play, world.ties, world.left)
    memories = errors(world, partial(uniform, taste), seeds)
    long = len(world.play.before)
    missed = np.zeros((len(seeds), long), np.bool_)
    false = 0
    for place, seed in enumerate(seeds):
        stops = np.linspace(0, world.votes - 1, LOOKS + 1, dtype=int)[1:].tolist()
        looked = looks is not None and place < LOOKED
        best, player = play(
            dd.DriftPoll(world.arms),
            taste,
            seed,
            long,
            stops if looked else [],
            lambda one: looks.append(surest(one)) if looks is not None else None,
        )
        missed[place] = wrong(world.play, best)
        false += len(player.episodes) > 1
    ours = max(float(missed[:, : world.votes].mean()), 0.5 / len(seeds) / world.votes)
    found = {ALL: float(memories[-1]), HINDSIGHT: float(memories.min()), US: ours}
    row: Figures = {"name": world.name, "transitive": world.transitive, "false": false}
    row |= asdict(world) | {"errors": found}
    if world.drift == "none":
        kept = [wrong(world.play, uniform(taste, seed, long, True)[0]) for seed in seeds]
        row["until"] = {US: known(missed), ALL: known(np.array(kept))}
    return row


def worst_of(half: str, rows: list[Figures], seeds: range) -> Figures:
    """Return the worst ratios, each of the worst world played again more often."""
    played = [world for kind in DECKS for world in worlds(half, kind)]
    again: dict[int, Figures] = {}
    found: Figures = {}
    for name, (ratio, fits) in WORSTS.items():
        places = [place for place, row in enumerate(rows) if fits(row)]
        if places:
            worst = max(places, key=lambda place: ratio(rows[place]))
            if worst not in again:
                again[worst] = beside_uniform(played[worst], seeds)
            found[name] = {"world": rows[worst]["name"], "ratio": ratio(rows[worst])}
            found[name] |= {"again": ratio(again[worst]), "runs": len(seeds)}
    return found


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
    """Return after how many votes 95 % of runs are right and stay so, over a quarter as many each.

    The last crossing: the first is the least of a noisy curve.
    """
    votes = missed.shape[1]
    summed = np.concatenate([[0], missed.mean(axis=0).cumsum()])
    first = np.unique(np.geomspace(1, votes, 2000).astype(int))
    last = np.minimum(votes, np.ceil(1.25 * first).astype(int))
    first, last = first[last > first], last[last > first]
    fine = (summed[last] - summed[first]) / (last - first) <= 0.05 + 1e-9
    late = np.flatnonzero(~fine)
    if len(late) == 0:
        return int(first[0]) + 1
    return votes if late[-1] == len(fine) - 1 else int(first[late[-1] + 1]) + 1


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
            tally = poll._session.state.tally
            wins, tosses = tally.won.sum(axis=1), tally.tossed.sum(axis=1)
            evidence = log_evidence(wins, tosses, world.scores[0])
            if evidence.max() >= math.log(arms / ALPHA):
                seen["missed"] = True
                low, high = simultaneous(wins, tosses, ALPHA)
                seen["apart"] |= bool(low.max() > high.min())
            if arms == 2 or poll.rounds % 500 == 0:
                seen["sure"] |= bool(poll.probabilities.max() >= 0.95)

        stops = list(range(10, votes + 1, 10))
        play(dd.DriftPoll(arms), Taste.of(world), seed, votes, stops, look)
        for name, happened in seen.items():
            found[name] += happened
    shares = {name: count / runs for name, count in found.items()}
    return {"name": f"{arms} arms, {strengths}", "equal": strengths == "equal", **shares}


def took_over(runs: int) -> Figures:
    """Return how often who took over is named wrong, alone or at all, when a change is declared."""
    votes, change, new = 4000, 1500, 2
    tastes = [[0.15, 0.08, 0.04, 0.0, 0.0], [0.0, 0.08, 0.18, 0.0, 0.0]]
    palette = np.array([additive(np.array(one)) for one in tastes])
    place = (np.arange(votes) >= change).astype(np.int64)
    world = Play(palette, borda(palette), place, place, np.zeros(votes), np.array([change]))
    found = {
        "runs": runs,
        "declared": 0,
        "first": 0,
        "alone": 0,
        "wrong": 0,
        "missed": 0,
        "named": 0,
    }
    for seed in range(runs):
        told: list[list[int]] = []

        def look(poll: dd.DriftPoll, told: list[list[int]] = told) -> None:
            if told or not poll.changes or poll.changes[-1].noticed <= change:
                return
            chances = poll.probabilities.copy()
            chances[poll.changes[-1].before] = 0.0
            order = np.argsort(-chances)
            enough = np.cumsum(chances[order]) >= 0.95 * chances.sum()
            told.append([poll.changes[-1].after, *order[: int(enough.argmax()) + 1].tolist()])

        stops = list(range(change + EVERY, votes, EVERY))
        play(dd.DriftPoll(5), Taste.of(world), seed, votes, stops, look)
        for first, *named in told:
            found["declared"] += 1
            found["first"] += first != new
            found["alone"] += len(named) == 1
            found["wrong"] += len(named) == 1 and named[0] != new
            found["missed"] += new not in named
            found["named"] += len(named)
    return found


def owned(arms: int, chance: float, runs: int) -> Figures:
    """Return what the owner of a poll with one favourite wants to know.

    The change comes after five times the votes that it took to know the best, 1,000 at least. How
    long is played is guessed from a few runs.
    """
    print(f"owner: {arms} arms, {chance}", file=sys.stderr, flush=True)
    most = 2 * LONG if chance < 0.6 else LONG // 2
    few = known(wrongly(arms, chance, most, most, range(min(runs, PILOT_RUNS)))[0])
    long = min(most, 6 * few + 500)
    until = known(wrongly(arms, chance, long, long, range(runs))[0])
    change = max(5 * until, 1000)
    missed, declared = wrongly(arms, chance, change, change + 5 * until + 5000, range(runs))
    half, most_of = np.quantile(declared, [0.5, 0.95], method="inverted_cdf")
    return {
        "arms": arms,
        "chance": chance,
        "runs": runs,
        "until": until,
        "again": known(missed[:, change:]),
        "declared": [float(half), float(most_of)],
    }


def wrongly(
    arms: int, chance: float, change: int, votes: int, seeds: range
) -> tuple[Flags, list[float]]:
    """Return where DriftPoll was wrong in each run, and how long it took to declare the change."""
    missed = np.zeros((len(seeds), votes), np.bool_)
    declared = []
    for place, seed in enumerate(seeds):
        start = World(arms, votes, f"favourite {chance}", "none", 0, 0, seed).play.palette[0]
        world = Play.one_change(start, votes, change, seed)
        best, player = play(dd.DriftPoll(arms), Taste.of(world), seed, votes)
        missed[place] = wrong(world, best)
        noticed = [one - change for one in player.episodes if one > change]
        declared.append(noticed[0] if noticed else math.inf)
    return missed, declared


# Tables.


def owners_table(found: Figures) -> Iterator[str]:
    """Yield what the owner of a poll needs: votes, and days."""
    yield line(
        *("options", "the best wins", "votes until it is known", "votes until a change is seen"),
        *("declared: half of the time, 95 %", "runs"),
    )
    yield "|" + "---:|" * 6
    for row in found["owner"]:
        yield line(
            *(row["arms"], f"{row['chance']:.0%}", votes_of(row["until"]), votes_of(row["again"])),
            *(", ".join(map(votes_of, row["declared"])), f"{row['runs']:,}"),
        )
    yield ""
    yield "In days, until the best is known, and until a change is seen:"
    yield ""
    yield line("options", "the best wins", *(f"{rate:,} votes a day" for rate in PER_DAY))
    yield "|" + "---:|" * (2 + len(PER_DAY))
    for row in found["owner"]:
        yield line(
            *(row["arms"], f"{row['chance']:.0%}"),
            *(f"{days_of(row['until'], rate)}, {days_of(row['again'], rate)}" for rate in PER_DAY),
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
    two = next((one for one in found["claims"] if one["equal"] and one["name"][:2] == "2 "), None)
    if two is not None:
        more.append(
            ("two equal arms ever called 95 % in 5,000 votes", "<= 8 %", f"{two['sure']:.1%}")
        )
    took = found["successors"]
    together = took["named"] / max(took["declared"], 1)
    more += [
        (
            "who took over: the first named is wrong; one alone; and is wrong",
            "-; -; <= 5 %",
            "{first} of {declared}; {alone}; {wrong}".format(**took),
        ),
        (
            "who took over: not among those named, who are so many",
            "<= 5 %",
            f"{took['missed']} of {took['declared']}; {together:.1f}",
        ),
    ]
    for name, bar, value in more:
        yield line(name, bar, *[value] * len(columns))


def half_figures(half: Figures) -> Iterator[tuple[str, str, str]]:
    """Yield name, bar and value of the figures of a half."""
    still = [row for row in half["worlds"] if row["kind"] == "stationary"]
    ratio = mean(map(tracking, half["worlds"]))
    yield "tracking error ratio, geometric mean", "<= 0.77", f"{ratio:.3f}"
    yield "worst drifting world", "<= 1.25", of_worst(half, "drifting")
    yield "worst world without change", "<= 1.5", of_worst(half, "still")
    for name, bar, bar_of_worst in (("transitive", 0.56, 1.1), ("intransitive", 1.6, 1.5)):
        sooner = [until(row) for row in still if row["transitive"] == (name == "transitive")]
        found = f"{mean(sooner):.2f}"
        yield f"votes until known, {name} worlds, geometric mean", f"<= {bar}", found
        yield f"worst {name} world", f"<= {bar_of_worst}", of_worst(half, name)
    false, runs = sum(row["false"] for row in still), half["runs"] * len(still)
    yield "false declarations in 20,000 votes", "<= 1 %", f"{false / runs:.2%} ({false} of {runs})"
    for kind, name in (("drifting", "with drift"), ("stationary", "no change")):
        band = next(one for one in half["calibration"][kind] if one["from"] == 0.9)
        said = f"{band['right']:.1%} of {band['moments']} at which {band['said']:.1%} was said"
        yield f"right where P(best) is 90 to 95 %, {name}", ">= said - 3 points", said


def of_worst(half: Figures, name: str) -> str:
    """Return the ratio of a worst world, and which it is."""
    found = half["worst"].get(name)
    if found is None:
        return "none"
    again = f", in {found['runs']} others {found['again']:.2f}" if found["again"] else ""
    return f"{found['ratio']:.2f}{again} ({found['world']})"


def calibration_table(found: Figures) -> Iterator[str]:
    """Yield what was said and what was right, for each half with drift and without."""
    columns = {
        f"{name}, {'drift' if kind == 'drifting' else 'no change'}": bands
        for name, half in found["halves"].items()
        for kind, bands in half["calibration"].items()
    }
    yield line("P(best)", *columns)
    yield "|---|" + "---:|" * len(columns)
    for (low, high), *bands in zip(pairwise(BANDS), *columns.values(), strict=True):
        cells = (
            f"{one['said']:.1%}: {one['right']:.1%} of {one['moments']}"
            if one["moments"]
            else "never"
            for one in bands
        )
        yield line(f"{low:.0%} to {min(high, 1):.0%}", *cells)


def worlds_tables(found: Figures) -> Iterator[str]:
    """Yield the tracking errors of all players in all worlds, as ratios, and votes until known."""
    for name, half in found["halves"].items():
        players = [player for player in half["worlds"][0]["errors"] if player != HINDSIGHT]
        yield f"## The {name} half"
        yield ""
        yield line("world", *players)
        yield "|---|" + "---:|" * len(players)
        for row in half["worlds"]:
            errors = row["errors"]
            ratios = (f"{errors[player] / errors[HINDSIGHT]:.2f}" for player in players)
            yield line(row["name"], *ratios)
        means = [
            mean(row["errors"][player] / row["errors"][HINDSIGHT] for row in half["worlds"])
            for player in players
        ]
        yield line("geometric mean", *(f"{value:.2f}" for value in means))
        yield ""
        yield f"The error of {HINDSIGHT}, and votes until known where nothing changes:"
        yield ""
        yield line("world", "error", f"votes until known, {US}", f"the same, {ALL}")
        yield "|---|---:|---:|---:|"
        for row in half["worlds"]:
            until = row.get("until", {})
            votes = (votes_of(until[player]) if until else "" for player in (US, ALL))
            yield line(row["name"], f"{row['errors'][HINDSIGHT]:.3f}", *votes)
        yield ""


def tracking(row: Figures) -> float:
    """Return the ratio of tracking errors in a world."""
    return float(row["errors"][US] / row["errors"][HINDSIGHT])


def until(row: Figures) -> float:
    """Return the ratio of votes until known in a world without change."""
    return float(row["until"][US] / row["until"][ALL])


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


def write_block(pages: list[Path], name: str, text: str) -> None:
    """Put a text between the marks of its name, on the page that has them."""
    begin, end = BEGIN.format(name), END.format(name)
    for page in pages:
        before, _, rest = page.read_text(encoding="utf-8").partition(begin)
        _, found, after = rest.partition(end)
        if found:
            page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
            return
    raise ValueError(f"{' and '.join(map(str, pages))}: no {begin} and {end}")


WORSTS: dict[str, tuple[Callable[[Figures], float], Callable[[Figures], bool]]] = {
    "drifting": (tracking, lambda row: "until" not in row),
    "still": (tracking, lambda row: "until" in row),
    "transitive": (until, lambda row: "until" in row and row["transitive"]),
    "intransitive": (until, lambda row: "until" in row and not row["transitive"]),
}
"""The ratios of which the worst is told, and of which worlds."""

BLOCKS = {
    "owner": owners_table,
    "figures": figures_table,
    "calibration": calibration_table,
    "worlds": worlds_tables,
}
"""The tables of the pages."""


if __name__ == "__main__":
    main()
