"""How likely each arm is the best: the share of draws from what is believed that it wins.

Two corrections. With three arms and more, votes tell more of strengths than hypotheses take from
them, so what these say is too uncertain: their deviations are taken times `NARROW`, by which what
was said was right as often in worlds that drift. And two arms may be equal, which the bank never
believes: the winner of a draw and its runner-up are taken to be equal with a chance, before any
vote, of ``equal``. By the densities of their difference at 0 (Dickey, Annals of Mathematical
Statistics 1971) a draw in which it has mean m and variance v, and had variance p before any vote,
weighs ``1 - equal + equal b``, ``b = N(0; m, v) / N(0; 0, p)``; the two share ``equal b`` of that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel.learners.driftpoll.bank import RARE, Bank
from driftduel.learners.parts.arrays import Floats, Ints

NARROW = 0.8
"""By which deviations of strengths are multiplied."""

TWO_EQUAL, TOP_EQUAL = 0.5, 0.2
"""The chance that the only two arms are equal, and that the two best of more are."""


class Sureness(NamedTuple):
    """By how much what is believed is corrected."""

    narrow: float
    equal: float


def sureness(rules: int, n_arms: int) -> Sureness:
    """Return how what is believed is corrected, by the version of the rules.

    Examples
    --------
    >>> sureness(1, 3), sureness(2, 3)
    (Sureness(narrow=1.0, equal=0.0), Sureness(narrow=0.8, equal=0.2))
    """
    if rules == 1:
        return Sureness(1.0, 0.0)
    return Sureness(1.0, TWO_EQUAL) if n_arms == 2 else Sureness(NARROW, TOP_EQUAL)


def chances_to_be_best(
    bank: Bank,
    round_: int,
    prior: float,
    rng: np.random.Generator,
    n_draws: int,
    corrected: Sureness,
) -> Floats:
    """Return how likely each arm is the best; ``prior`` is the variance of a new strength."""
    n_arms = len(bank.arms)
    means = np.zeros((n_draws, n_arms))
    variances = np.zeros((n_draws, n_arms))
    noise = np.zeros((n_draws, n_arms))
    own = prior if n_arms > 2 else 2.0 * prior  # the first of two has their difference
    for arm in range(n_arms if n_arms > 2 else 1):
        passed = round_ - bank.arms[arm]["last"]
        changed = np.minimum(1.0, bank.hazards[:RARE] * passed)
        used = bank.arms[arm]["used"]
        chances = bank.weights[arm, :used, :RARE] @ (bank.credits * (1.0 - changed))
        chances = np.append(chances, bank.credits @ changed)
        of_places = np.append(1.0 / bank.hypotheses["precision"][arm, :used], own)
        places = rng.choice(used + 1, n_draws, p=chances / chances.sum())
        means[:, arm] = np.append(bank.hypotheses["mean"][arm, :used], 0.0)[places]
        variances[:, arm] = of_places[places]
        noise[:, arm] = rng.standard_normal(n_draws) * np.sqrt(of_places)[places]
    draws = means + corrected.narrow * noise
    rows = np.arange(n_draws)
    winners: Ints = draws.argmax(axis=1)
    if corrected.equal == 0.0:
        return np.bincount(winners, minlength=n_arms) / n_draws
    draws[rows, winners] = -np.inf
    seconds: Ints = draws.argmax(axis=1)
    apart = means[rows, winners] - means[rows, seconds]
    variance = variances[rows, winners] + variances[rows, seconds]
    exponents = -0.5 * apart * apart / variance
    equal = np.array([math.exp(one) for one in exponents.tolist()])
    equal *= np.sqrt(2.0 * prior / variance)
    equal *= corrected.equal
    won = np.bincount(winners, 1.0 - corrected.equal + 0.5 * equal, n_arms)
    shared = np.bincount(seconds, 0.5 * equal, n_arms)
    return np.asarray((won + shared) / (1.0 - corrected.equal + equal).sum())
