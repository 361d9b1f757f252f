"""Playing learners: beside their slow oracles in random worlds, by hand, and for their regret."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from driftduel import simulate
from driftduel.learners.contract.base import Duel, learner_generator, settle_generator
from driftduel.testing.driving import tell_as_played
from tests.naive.protocol import Oracle

# Worlds.


def as_matrix(upper):
    """Make a matrix of preferences from what stands above the diagonal."""
    upper = np.triu(upper, 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(len(upper)) / 2


def random_matrix(rng, n_arms):
    """Clear, close and equal pairs, and pairs of any chance; there may be no winner."""
    chances = [0.0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 1.0, rng.random()]
    return as_matrix(rng.choice(chances, (n_arms, n_arms)))


def random_world(rng, n_arms, n_rounds, changes=0.03):
    """Matrices that change in a share of the rounds, one per round."""
    world = np.empty((n_rounds, n_arms, n_arms))
    for t in range(n_rounds):
        if t == 0 or rng.random() < changes:
            matrix = random_matrix(rng, n_arms)
        world[t] = matrix
    return world


def ladder(n_arms, step):
    """Arms in a row, the first one best: each beats the next by ``step``, the one after by two."""
    arms = np.arange(n_arms)
    return 0.5 + step * (arms[None, :] - arms[:, None])


# Beside an oracle.


def drawn(seed, most_arms=6):
    """Return a generator and a number of arms drawn from it."""
    rng = np.random.default_rng(seed)
    return rng, int(rng.integers(2, most_arms + 1))


@dataclass
class Played:
    """The oracle after all rounds, and the duels that the learner asked."""

    oracle: Oracle
    duels: list[Duel]

    @property
    def pairs(self):
        return [(duel.left, duel.right) for duel in self.duels]

    @property
    def spread(self):
        """The largest chance of a duel divided by the smallest."""
        chances = [duel.propensity for duel in self.duels]
        return max(chances) / min(chances)


def play_beside(
    learner,
    oracle_of,
    n_rounds,
    seed,
    *,
    world=None,
    late=0.0,
    compare=None,
    rel=1e-11,
    graded=True,
):
    """Ask a learner and its oracle for every duel and tell both the same; they must agree.

    ``oracle_of(rng)`` makes the oracle. ``world`` holds matrices that divide the rounds among
    them; by default it is random and changes now and then. Some outcomes are ties. Each outcome
    is told at once, or with ``late`` above 0 after a while, in any order, or never. After each ask
    ``compare(learner, oracle)`` looks at more. Chances may differ by the share ``rel``. Of learners
    that take graded outcomes every fourth run has some, in eighths, so that sums are exact, unless
    ``graded`` is False.
    """
    shades = (
        np.random.default_rng([seed, 78]) if graded and learner._graded and seed % 4 == 3 else None
    )
    numbers = Numbers(learner.seed)
    oracle = oracle_of(numbers)
    script = np.random.default_rng([seed, 77])
    if world is None:
        world = random_world(script, learner.n_arms, n_rounds, script.choice([0.0, 0.004, 0.03]))
    ties = 0.3 * script.random()
    waiting, duels = [], []
    for t in range(n_rounds):
        matrix = world[t * len(world) // n_rounds]
        duel = learner.ask()
        numbers.drawn_from = numbers.choosing
        left, right, ticket = oracle.ask()
        assert (duel.left, duel.right) == (left, right), f"duel {t}"
        assert same_chance(duel.propensity, ticket[0], rel), f"duel {t}"
        compare_what_is_known(learner, oracle)
        if compare is not None:
            compare(learner, oracle)
        duels.append(duel)
        if late == 0 or script.random() < 0.95:
            waiting.append((duel, ticket))
        while waiting and (script.random() >= late or len(waiting) > 8):
            told, ticket = waiting.pop(script.integers(len(waiting)))
            won = float(script.random() < matrix[told.left, told.right])
            outcome = 0.5 if script.random() < ties else won
            if shades is not None and told.is_vote and shades.random() < 0.3:
                outcome = float(abs(outcome - shades.integers(4) / 8))
            tell_as_played(learner, told, outcome)
            numbers.drawn_from = numbers.settling
            oracle.tell(told.left, told.right, ticket, outcome)
    compare_what_is_known(learner, oracle)
    numbers.expect_those_of(learner._session)
    return Played(oracle, duels)


class Numbers:
    """The numbers that a learner draws: of one generator in its ``ask``, of another in ``tell``."""

    def __init__(self, seed):
        self.choosing, self.settling = learner_generator(seed), settle_generator(seed)
        self.drawn_from = self.choosing

    def __getattr__(self, name):
        return getattr(self.drawn_from, name)

    def expect_those_of(self, session):
        assert session.rng.bit_generator.state == self.choosing.bit_generator.state
        assert session.settle_rng.bit_generator.state == self.settling.bit_generator.state


def same_chance(propensity, chance, rel):
    if propensity is None or chance is None:
        return propensity is chance
    return math.isclose(propensity, chance, rel_tol=rel)


def compare_what_is_known(learner, oracle):
    """Compare those of the public things that the oracle has."""
    if (best := oracle.best()) is not None:
        assert learner.best_index == best
    if oracle.active is not None:
        assert sorted(learner.active.tolist()) == oracle.active
    if oracle.episodes is not None:
        assert learner.episodes == oracle.episodes
    if oracle.replays is not None:
        assert [(one.start, one.length) for one in learner.replays] == oracle.replays


# By hand.


def play(learner, n_rounds, outcome):
    """Return the pairs of some rounds, each told ``outcome(left, right)``."""
    pairs = []
    for _ in range(n_rounds):
        duel = learner.ask()
        pairs.append((duel.left, duel.right))
        tell_as_played(learner, duel, outcome(duel.left, duel.right))
    return pairs


def lower_wins(left, right):
    return 0.5 if left == right else float(left < right)


def higher_wins(left, right):
    return 0.5 if left == right else float(left > right)


def tosses(matrix, seed=0):
    """Return what draws an outcome of a pair by its chance."""
    script = np.random.default_rng(seed)
    return lambda left, right: float(script.random() < matrix[left, right])


# For their regret.


def final_and_late_regret(learner, stream, seeds, since=0.75):
    """Return per seed the regret under the learner's criterion, and its part from a share on."""
    curves = np.array(
        [simulate(learner, stream, seed, points=20).regret(learner.criterion) for seed in seeds]
    )
    return curves[:, -1], curves[:, -1] - curves[:, round(20 * since) - 1]
