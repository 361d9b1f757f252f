"""The worlds of the held-out half of the benchmark, drawn by a rule instead of chosen by hand.

They were drawn when the constants of DriftDuel were said to be final, and committed before any
learner, ours or a rival, had played on them. The draws follow from the name of that commit and from
this file. One constant was still changed after it, six minutes before these worlds were committed:
`replay_rate` went from 0.001 to 0.0005 (commit 588116b), for figures of the tuning half. The worlds
were not drawn again for that.

Of every kind of the tuning half there are as many worlds as the tuning half has in the criterion,
and of each of three kinds that were in no half before there are two. Horizons are those of the
tuning half, in another order; that of 30,000 rounds is given to a world of the kind "switching",
which alone had it, and the new kinds have 100,000 rounds. The other parameters are drawn from the
lists below. A drawn world is drawn again if

- a round has no winner in the sense of the criterion (some rounds of real votes have no Condorcet
  winner), or
- its changes are evenly spaced and a period of a restarting rival fits between them, or
- its parameters, but for the seed and the horizon, or its label are those of another world of the
  suite in the criterion, or
- it is said to have bursts of changes and has fewer than five changes.

Nothing else is rejected. Without a parameter that could be drawn, and so not drawn again, are the
3-arm world "Borda against Condorcet" and Komiyama's cyclic matrix. Real votes and matrices are of
the same sources as before, with other arms and bandwidths; "arithmetic" is new to the suite.

Run it with ``python -m benchmarks draw``: it writes ``fresh-borda.toml`` and
``fresh-condorcet.toml`` beside the suite, the same each time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from benchmarks._hindsight_rivals import off_the_beat
from driftduel.matrix.criteria import NoCondorcetWinnerError, as_criterion
from driftduel.worlds import Stream, catalogue, datasets
from studies.benchmark import suite
from studies.benchmark.suite import SuiteWorld

CONSTANTS = "05add0714ea595839e77dc4bcfddab19f5e741c7"
"""The commit with which the constants of DriftDuel were said to be final: see above."""

MASTER = int.from_bytes(hashlib.sha256(b"fresh half" + CONSTANTS.encode()).digest(), "big")

SHORT = 30_000
"""Rounds that only worlds of the kind "switching" have."""

NEW_ROUNDS = 100_000
"""Rounds of the kinds that are new."""

LEAST_CHANGES = 5
"""Of a world that is said to have bursts."""

Drawn = tuple[str, str, dict[str, Any]]
"""The label without the kind, the name of the built-in world, and its parameters."""

T = TypeVar("T")


def main() -> None:
    for criterion in suite.CRITERIA:
        file = suite.FOLDER / f"fresh-{criterion}.toml"
        file.write_text(in_toml(criterion, drawn_half(criterion)), encoding="utf-8")
        print(f"written: {file}")


def drawn_half(criterion: str) -> list[SuiteWorld]:
    """Return the worlds of the half in a criterion, in the order of the kinds."""
    others = [world for world in suite.worlds(criterion) if world.half != "held-out"]
    found: list[SuiteWorld] = []
    for (kind, number), horizon in horizons(criterion).items():
        rng = generator(criterion, kind, number)
        while True:
            words, name, parameters = KINDS[kind](rng, criterion, number, horizon)
            world = SuiteWorld(f"{kind}: {words}", criterion, "held-out", name, parameters)
            if not why_not(world, [*others, *found]):
                found.append(world)
                break
    return found


def horizons(criterion: str) -> dict[tuple[str, int], int]:
    """Return the horizon of every world of the half, by kind and number within the kind."""
    # Kinds that joined the tuning half since are in no other half.
    tuning = [world for world in suite.worlds(criterion, "tuning") if world.kind in KINDS]
    kinds = [world.kind for world in tuning]
    slots = [(kind, number) for kind in KINDS for number in range(kinds.count(kind))]
    rng = generator(criterion)
    while True:
        rounds = rng.permutation([world.parameters["horizon"] for world in tuning]).tolist()
        drawn = dict(zip(slots, rounds, strict=True))
        if all(horizon > SHORT or kind == "switching" for (kind, _), horizon in drawn.items()):
            return drawn | {(kind, number): NEW_ROUNDS for kind in NEW for number in (0, 1)}


def generator(criterion: str, *place: str | int) -> np.random.Generator:
    """Return the generator of a criterion, or of the world with a kind and a number in it."""
    numbers = [list(KINDS).index(part) if isinstance(part, str) else part for part in place]
    key = (suite.CRITERIA.index(criterion), *numbers)
    return np.random.default_rng(np.random.SeedSequence(MASTER, spawn_key=key))


def why_not(world: SuiteWorld, others: Sequence[SuiteWorld]) -> str:
    """Return why a world is drawn again, nothing if it is not."""
    if any(world.label == other.label or essence(world) == essence(other) for other in others):
        return "it is there already"
    stream = world.stream()
    try:
        as_criterion(world.criterion).score_table(stream.palette)
    except NoCondorcetWinnerError:
        return "a round has no winner"
    if world.kind == "bursts" and stream.n_stretches <= LEAST_CHANGES:
        return "it has few changes"
    return "" if all(off_the_beat(distance) for distance in beat(stream)) else "on the beat"


def essence(world: SuiteWorld) -> dict[str, Any]:
    """Return what a world is, whatever its seed and horizon."""
    defaults = {key: one.default for key, one in catalogue.parameters(world.world).items()}
    chosen = {**defaults, **world.parameters, "world": world.world}
    return {key: value for key, value in chosen.items() if key not in ("seed", "horizon")}


def beat(stream: Stream) -> list[int]:
    """Return the distance of changes if they are evenly spaced up to a round, or nothing."""
    distances = np.diff(stream.starts)
    even = len(distances) > 0 and np.ptp(distances) <= 1
    return sorted({int(distance) for distance in distances}) if even else []


def in_toml(criterion: str, worlds: Sequence[SuiteWorld]) -> str:
    """Return the worlds as an experiment file."""
    first = suite.FIRST_SEED["held-out"]
    lines = [
        f"# The held-out half of the benchmark, {criterion.title()} regret.",
        "#",
        "# Written by python -m benchmarks draw, which says how the worlds were drawn. They were",
        f"# drawn after commit {CONSTANTS},",
        "# and no learner had played on them before they were committed.",
        "",
        f"title = {json.dumps(f'The held-out half, {criterion.title()}')}",
        f"seeds = {[*range(first, first + 16)]}",
        "points = 100",
        f"criteria = {json.dumps([criterion])}",
    ]
    for world in worlds:
        table = {"label": world.label, "world": world.world, **world.parameters}
        lines += ["", "[[stream]]", *(f"{key} = {json.dumps(table[key])}" for key in table)]
    for name in ("DriftDuel", "MetaBosse"):
        lines += ["", "[[learner]]", f'name = "{name}"', f'criterion = "{criterion}"']
    return "\n".join(lines) + "\n"


def pick(rng: np.random.Generator, *values: T) -> T:
    """Return one of the values, each with the same chance."""
    return values[int(rng.integers(len(values)))]


def seed(rng: np.random.Generator) -> int:
    """Return a seed."""
    return int(rng.integers(1, 10**6))


def some(rng: np.random.Generator, names: Sequence[str], fewest: int) -> list[str]:
    """Return some of the names, but not all, in their order."""
    many = int(rng.integers(fewest, len(names)))
    return [names[place] for place in sorted(rng.permutation(len(names))[:many])]


# The kinds that the suite had. Lists span what its worlds had.


def stationary(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    """Draw the first of the two among made-up worlds, the second among data."""
    if number == 0:
        n_arms = pick(rng, 5, 8, 10, 12, 15, 20)
        if pick(rng, True, False):
            margin = pick(rng, 0.1, 0.15, 0.2, 0.25)
            one = {"n_arms": n_arms, "margin": margin, "horizon": horizon, "seed": seed(rng)}
            return f"one winner of {n_arms} arms by {margin}", "one-winner", one
        spread = pick(rng, 0.75, 1.0, 1.25)
        btl = {"n_arms": n_arms, "spread": spread, "horizon": horizon, "seed": seed(rng)}
        return f"Bradley-Terry-Luce, {n_arms} arms", "bradley-terry-luce", btl
    world, data, words = pick(
        rng,
        ("six-rankers", "six_rankers", "rankers"),
        ("arithmetic", "arithmetic", "arms in arithmetic progression"),
        ("llm-arena", "llm_arena", "language models"),
    )
    labels = datasets.matrix(data).labels
    arms = some(rng, labels, 4)
    return f"{len(arms)} of {len(labels)} {words}", world, {"arms": arms, "horizon": horizon}


def switching(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms = pick(rng, 3, 4, 5, 6, 8, 10, 12, 15, 20)
    n_phases = int(rng.integers(2, 11))
    words = f"{n_arms} arms, {n_phases} phases"
    if pick(rng, True, False, False):
        margin = pick(rng, 0.2, 0.25, 0.3, 0.35, 0.4)
        contenders = min(n_arms, n_phases)
        turns = in_turn(rng, n_arms, contenders, margin, n_phases, horizon)
        return f"{words}, one winner by {margin}", "alternation", turns
    kinds = ("any", "gic", "sst") if criterion == "borda" else ("cw", "gic", "sst")
    kind, spacing = pick(rng, *kinds), pick(rng, "even", "random")
    parameters = {"n_arms": n_arms, "n_phases": n_phases, "kind": kind, "spacing": spacing}
    full = {**parameters, "horizon": horizon, "seed": seed(rng)}
    return f"{words} of kind {kind}, {spacing}", "switching", full


def drift(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    """Draw a walk and then waves, or one of both if there is one world only."""
    walks = number == 0 if criterion == "borda" else pick(rng, True, False)
    if walks:
        n_arms, travel = pick(rng, 5, 8, 10, 15, 20), pick(rng, 1.0, 1.5, 2.0)
        walk = {"n_arms": n_arms, "travel": travel, "horizon": horizon, "seed": seed(rng)}
        return f"random walk of {n_arms} arms, travel {travel}", "random-walk", walk
    n_arms = pick(rng, 5, 6, 8, 10)
    periods, amplitude = pick(rng, 1.0, 1.25, 1.5, 1.75, 2.0), pick(rng, 1.0, 1.25, 1.5)
    waves = {"n_arms": n_arms, "periods": periods, "amplitude": amplitude}
    full = {**waves, "horizon": horizon, "seed": seed(rng)}
    return f"{periods} waves of {n_arms} arms", "sinusoidal", full


def spurious_switches(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms, every = pick(rng, 5, 6, 8, 10, 12), pick(rng, 100, 150, 200, 300, 400, 500)
    parameters = {"n_arms": n_arms, "every": every, "contenders": pick(rng, 2, 3, 4)}
    full = {**parameters, "horizon": horizon, "seed": seed(rng)}
    return f"{n_arms} arms, every {every} rounds", "spurious-switches", full


def wobble(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms = pick(rng, 4, 5, 6, 8, 10, 12)
    every = pick(rng, 5000, 8000, 10_000, 20_000, 25_000, 30_000, 50_000)
    margins = {"high": pick(rng, 0.3, 0.35, 0.4), "low": pick(rng, 0.05, 0.075, 0.1)}
    full = {"n_arms": n_arms, "every": every, **margins, "horizon": horizon, "seed": seed(rng)}
    words = f"{n_arms} arms, every {every:,} rounds, by {margins['high']} and {margins['low']}"
    return words, "wobble", full


def alternation(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms, every = pick(rng, 3, 4, 5, 6, 8), pick(rng, 2500, 3000, 3500, 4000, 5000, 6000)
    parameters = {"n_arms": n_arms, "every": every, "margin": pick(rng, 0.3, 0.35, 0.4)}
    full = {**parameters, "contenders": pick(rng, 2, 3), "horizon": horizon, "seed": seed(rng)}
    return f"{n_arms} arms, every {every:,} rounds", "alternation", full


def many_arms(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms, n_phases = pick(rng, 50, 60, 70, 80, 90, 100), pick(rng, 2, 3, 4)
    margin = pick(rng, 0.3, 0.35, 0.4)
    turns = in_turn(rng, n_arms, n_phases, margin, n_phases, horizon)
    return f"{n_arms}, {n_phases} phases by {margin}", "alternation", turns


def small_gaps(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms, n_phases = pick(rng, 3, 4, 5, 6), pick(rng, 2, 3)
    margin = pick(rng, 0.04, 0.05, 0.06)
    turns = in_turn(rng, n_arms, pick(rng, 2, 3), margin, n_phases, horizon)
    return f"{n_arms} arms, {n_phases} phases by {margin}", "alternation", turns


def cyclic(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms, n_phases = pick(rng, 4, 5, 6, 8), pick(rng, 1, 2, 3, 4)
    parameters = {"n_arms": n_arms, "n_phases": n_phases, "kind": "cyclic"}
    full = {**parameters, "spacing": pick(rng, "even", "random"), "horizon": horizon}
    words = f"{n_arms} arms, {n_phases} phase{'s' if n_phases > 1 else ''}, drawn"
    return words, "switching", {**full, "seed": seed(rng)}


def hard(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    """Draw a known weight and then GIC, or one of both if there is one world only."""
    known = number == 0 if criterion == "borda" else pick(rng, True, False)
    n_arms, n_phases = pick(rng, 4, 6, 8, 10), pick(rng, 3, 4, 5)
    full = {"n_arms": n_arms, "n_phases": n_phases, "horizon": horizon, "seed": seed(rng)}
    words = f"{n_arms} arms, {n_phases} phases"
    if known:
        return f"known weight, {words}", "known-weight-dynamic", full
    return f"GIC, {words}", "gic-dynamic", full


def votes(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    if pick(rng, True, False):
        arms = some(rng, datasets.american_league_log().arms, 3)
        clubs = {"arms": arms, "bandwidth": pick(rng, 550.0, 700.0, 850.0, 1000.0, 1200.0)}
        words = f"{len(arms)} clubs of the American League"
        return words, "american-league", {**clubs, "horizon": horizon}
    arms = some(rng, datasets.formula_1_log().arms, 3)
    teams = {"arms": arms, "bandwidth": pick(rng, 180.0, 250.0, 350.0, 500.0)}
    return f"{len(arms)} teams of Formula 1", "formula-1", {**teams, "horizon": horizon}


# The kinds that are new.


def handover(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms, margin = pick(rng, 4, 5, 6, 8, 10, 12), pick(rng, 0.2, 0.25, 0.3, 0.35, 0.4)
    middle, width = pick(rng, 0.3, 0.4, 0.5, 0.6, 0.7), pick(rng, 0.1, 0.2, 0.3, 0.4)
    curve = {"n_arms": n_arms, "margin": margin, "middle": middle, "width": width}
    full = {**curve, "horizon": horizon, "seed": seed(rng)}
    return f"{n_arms} arms, within {width:.0%} of the rounds", "handover", full


def bursts(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    n_arms, margin = pick(rng, 4, 5, 6, 8, 10), pick(rng, 0.2, 0.25, 0.3, 0.35, 0.4)
    law = {"shortest": pick(rng, 500, 1000, 2000), "tail": pick(rng, 0.6, 0.7, 0.8)}
    full = {"n_arms": n_arms, "margin": margin, **law, "horizon": horizon, "seed": seed(rng)}
    return f"{n_arms} arms, {law['shortest']:,} rounds apart at least", "bursts", full


def one_winner_moves(rng: np.random.Generator, criterion: str, number: int, horizon: int) -> Drawn:
    """Let the Borda winner move in the first, the Condorcet winner in the second."""
    moves = suite.CRITERIA[number]
    n_arms, n_phases = pick(rng, 4, 5, 6, 8, 10), pick(rng, 2, 3, 4, 5, 6)
    margins = {"margin": pick(rng, 0.05, 0.1), "lead": pick(rng, 0.3, 0.35, 0.4)}
    full = {"n_arms": n_arms, "moves": moves, "every": -(-horizon // n_phases), **margins}
    words = f"{moves.title()}, {n_arms} arms, {n_phases} phases"
    return words, "one-winner-moves", {**full, "horizon": horizon, "seed": seed(rng)}


def in_turn(
    rng: np.random.Generator,
    n_arms: int,
    contenders: int,
    margin: float,
    n_phases: int,
    horizon: int,
) -> dict[str, Any]:
    """Return the parameters of a world in which arms take turns, for so many phases."""
    arms = {"n_arms": n_arms, "contenders": contenders, "margin": margin}
    return {**arms, "every": -(-horizon // n_phases), "horizon": horizon, "seed": seed(rng)}


NEW: dict[str, Callable[[np.random.Generator, str, int, int], Drawn]] = {
    "handover": handover,
    "bursts": bursts,
    "one winner moves": one_winner_moves,
}
KINDS: dict[str, Callable[[np.random.Generator, str, int, int], Drawn]] = {
    "stationary": stationary,
    "switching": switching,
    "drift": drift,
    "spurious switches": spurious_switches,
    "wobble": wobble,
    "alternation": alternation,
    "many arms": many_arms,
    "small gaps": small_gaps,
    "cyclic": cyclic,
    "hard": hard,
    "votes": votes,
    **NEW,
}
"""How a world of each kind is drawn, from a generator, the criterion, its number and its rounds."""


if __name__ == "__main__":
    main()
