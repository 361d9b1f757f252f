"""Checks of seeds, of propensities, and that the simulator plays what asking and telling does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from driftduel.experiments.simulation import simulate_many, world_generator
from driftduel.experiments.simulation.loop import batches, bind
from driftduel.learners.contract.base import Learner, learner_generator, settle_generator
from driftduel.learners.contract.history import History
from driftduel.learners.contract.hooks import State
from driftduel.learners.contract.session import Duel
from driftduel.testing.driving import (
    Make,
    compiled,
    drive,
    essence,
    expect,
    facts,
    simulate_all,
    snapshot,
    switching_world,
    tell_as_played,
)
from driftduel.worlds.stream import Stream

_FALSE_ALARM = 1e-6
_SEEDS = range(8)


def check_same_seed_gives_same_run(make: Make) -> None:
    """Check that two learners with the same seed that are told the same are the same."""
    world = switching_world(4, 500)
    one, other = drive(make(4, 500, 3), world), drive(make(4, 500, 3), world)
    expect(essence(one.duels) == essence(other.duels), "equal seeds asked different duels")
    expect(
        snapshot(one.learner, named=False) == snapshot(other.learner, named=False),
        "equal seeds led to different states",
    )
    runs = [facts(simulate_all(make(4, 500, 3), world, 5)) for _ in range(2)]
    expect(runs[0] == runs[1], "two simulations with the same seed differ")


def check_seed_matters(make: Make) -> None:
    """Check that if a learner uses its generators, different seeds play differently."""
    world = switching_world(4, 200)
    driven = [drive(make(4, 200, seed), world) for seed in _SEEDS]
    different = {tuple(essence(one.duels)) for one in driven}
    session = driven[0].learner._session
    untouched = learner_generator(0), settle_generator(0)
    if any(
        used.bit_generator.state != fresh.bit_generator.state
        for used, fresh in zip((session.rng, session.settle_rng), untouched, strict=True)
    ):
        expect(len(different) > 1, f"it draws numbers, but {len(_SEEDS)} seeds play the same")


def check_simulate_equals_ask_and_tell(make: Make) -> None:
    """Check that `simulate` and a loop of asking and telling are equal bit for bit."""
    longest = 2000 if compiled(make(2, 1, 0)) else 400
    for n_arms, horizon, seed in ((2, 300, 0), (3, longest, 1), (5, 300, 2)):
        world = switching_world(n_arms, horizon)
        learner = make(n_arms, horizon, seed)
        duels = _ask_and_tell(learner, world, seed)
        run = facts(simulate_all(make(n_arms, horizon, seed + 1), world, seed))
        by_hand = {
            "pairs": [duel.left * n_arms + duel.right for duel in duels],
            "episodes": [start for start in learner.episodes if start < horizon],
            "evictions": learner.evictions,
            "activations": [item for item in learner.activations if item.round < horizon],
            "replays": [replay for replay in learner.replays if replay.start < horizon],
            "best": learner.best(),
        }
        for name, value in by_hand.items():
            expect(run[name] == value, f"{n_arms} arms, seed {seed}: the {name} differ")


def check_simulate_leaves_the_learner_alone(make: Make) -> None:
    """Check that simulating neither changes a learner nor depends on its state or its seed."""
    world = switching_world(3, 300)
    learner = make(3, 300, 1)
    fresh = facts(simulate_all(learner, world, 4))
    drive(learner, world)
    before = snapshot(learner)
    expect(facts(simulate_all(learner, world, 4)) == fresh, "the run depends on the state")
    expect(snapshot(learner) == before, "simulating changed the learner")
    expect(
        facts(simulate_all(make(3, 300, 2), world, 4)) == fresh,
        "the run depends on the learner's own seed",
    )


def check_workers_do_not_matter(make: Make) -> None:
    """Check that one worker, two workers and single runs give the same for each seed."""
    world = switching_world(3, 200)
    learner = make(3, 200, 1)
    seeds = (3, 1, 2)
    alone = [facts(simulate_all(learner, world, seed)) for seed in seeds]
    for workers in (1, 2):
        runs = simulate_many(learner, world, seeds, workers, points=200)
        expect(
            [run.seed for run in runs] == list(seeds) and [facts(run) for run in runs] == alone,
            f"{workers} workers give other runs than one simulation per seed",
        )


def check_propensities_match_frequencies(make: Make) -> None:
    """Check that in states reached along a run, pairs are asked as often as their propensities say.

    Each pair, and all pairs never asked together, is a count of a binomial distribution, held
    against Chernoff's bound P(n KL(count/n, p) >= x) <= 2 exp(-x) for n asks; together they fail
    a right learner with probability below 1e-6. So are the pairs of two arms together, if
    `Learner._vote_chance_of` knows their chance. A learner without propensities passes.
    """
    small = not compiled(make(4, 1, 0))
    n_asks = 5_000 if small else 100_000
    ages = (0, 5, 100, 600) if small else (0, 10, 300, 3_000, 30_000)
    for seed, age in enumerate(ages):
        learner = make(4, max(ages), seed)
        state, rng = _reach(learner, switching_world(4, max(ages)), age, seed)
        counts = np.zeros((4, 4), np.int64)
        chances = np.full((4, 4), np.nan)
        faults = bind(_count_asks, learner)(state, rng, n_asks, counts, chances)
        where = f"after {age} rounds"
        expect(faults == 0, f"{where} one pair has several propensities, or an arm is none")
        limit = float(np.log(2 * 18 * len(ages) / _FALSE_ALARM))
        _compare(counts, chances, limit, where)
        votes, chance = 1 - np.trace(counts) / n_asks, learner._vote_chance_of(state)
        expect(
            chance is None or n_asks * _divergence(votes, chance) <= limit,
            f"{where} duels are votes with chance {chance}, but {votes:.4g} of {n_asks:,} are",
        )


def _ask_and_tell(learner: Learner, world: Stream, seed: int) -> list[Duel]:
    chance = world_generator(seed)
    duels = []
    for round_ in range(world.horizon):
        duel = learner.ask()
        duels.append(duel)
        won = chance.random() < world.matrix(round_)[duel.left, duel.right]
        tell_as_played(learner, duel, 1.0 if won else 0.0)
    return duels


def _reach(
    learner: Learner, world: Stream, age: int, seed: int
) -> tuple[State, np.random.Generator]:
    """Return the state of a learner after ``age`` rounds, and the generator that chooses."""
    rng = learner_generator(seed)
    state = learner._start(rng)
    if age > 0:
        others = settle_generator(seed), world_generator(seed)
        for _ in batches(learner, world[:age], state, rng, *others, History()):
            pass
    return state, rng


def _count_asks(state, rng, n_asks, counts, chances):  # type: ignore[no-untyped-def]
    """Count the pairs of many asks; return how many had another propensity than before."""
    n_arms = counts.shape[0]
    faults = 0
    for _ in range(n_asks):
        left, right, ticket = choose(state, rng)  # type: ignore[name-defined]  # noqa: F821
        if min(left, right) < 0 or max(left, right) >= n_arms:
            faults += 1
            continue
        known = chances[left, right]
        if counts[left, right] == 0:
            chances[left, right] = ticket[0]
        elif known != ticket[0] and not np.isnan(known):
            faults += 1
        counts[left, right] += 1
    return faults


def _compare(
    counts: NDArray[np.int64], chances: NDArray[np.float64], limit: float, where: str
) -> None:
    seen = counts > 0
    if np.isnan(chances[seen]).any():
        return
    total = float(chances[seen].sum())
    expect(total <= 1 + 1e-9, f"{where} the propensities of the pairs sum to {total}")
    n_asks = int(counts.sum())
    never = max(0.0, 1 - total)
    expect(
        n_asks * _divergence(0.0, never) <= limit,
        f"{where} pairs with a chance of {never:.3g} together were not asked once in {n_asks:,}",
    )
    for left, right in zip(*np.nonzero(seen), strict=True):
        share, chance = counts[left, right] / n_asks, float(chances[left, right])
        expect(chance > 0, f"{where} a pair was asked with propensity {chance}")
        expect(
            n_asks * _divergence(share, chance) <= limit,
            f"{where} the pair ({left}, {right}) has propensity {chance:.4g}, but {share:.4g} of "
            f"{n_asks:,} duels are of it",
        )


def _divergence(share: float, chance: float) -> float:
    """Return the divergence KL(share, chance) of two coins."""
    chance = min(chance, 1.0)
    result = 0.0
    for part, expected in ((share, chance), (1 - share, 1 - chance)):
        if part > 0:
            result += part * np.log(part / expected) if expected > 0 else np.inf
    return float(result)
