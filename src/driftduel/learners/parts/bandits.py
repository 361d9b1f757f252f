"""Bandits that learners for duels play through: Tsallis-INF, EXP3.S and discounted UCB.

- Tsallis-INF: the chances of `driftduel.learners.parts.tsallis`, with estimated losses
  ``(1 - reward) / chance``.
- EXP3.S: ``p(k) = (1 - gamma) W(k) / sum W + gamma / K`` and then
  ``W(k) <- W(k) exp(gamma x(k) / K) + (e alpha / K) sum W``, x(k) = reward / chance of the arm
  played, with alpha = 1/T and ``gamma = min(1, sqrt(K (S ln(K T) + e) / ((e - 1) T)))``.
- Discounted UCB: every reward counts 1 - 1/memory of what it counted a round before. Of a weight n
  in all and n_k of arm k, whose mean is m_k, the arm with the largest
  ``m_k + sqrt(2 ln n / n_k)`` is played, one of no weight before all others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Floats, Records
from driftduel.learners.parts.mixture import LARGEST_STEP, draw
from driftduel.learners.parts.tsallis import tsallis_chances

KINDS = ("tsallis-inf", "exp3s", "discounted-ucb")
_TSALLIS, _EXP3S, _UCB = range(3)

_LARGEST_TOTAL = 1e50
_SMALLEST_WEIGHT = 1e-250
_UCB_FACTOR = 2.0

RULE = np.dtype(
    [
        ("kind", "i8"),  # a place in KINDS
        ("round", "i8"),  # rewards learned
        ("exploration", "f8"),  # gamma of EXP3.S
        ("share", "f8"),  # e alpha
        ("keep", "f8"),  # 1 - 1/memory of discounted UCB
    ],
    align=True,
)


class Bandit(NamedTuple):
    """The arrays of a bandit."""

    rule: Records  # (1,) RULE
    values: Floats  # (K,) losses of Tsallis-INF, weights of EXP3.S, summed rewards of UCB
    counts: Floats  # (K,) weight of the rewards of UCB
    chances: Floats  # (K,) of the round to come; UCB has no use for them


def _are_values(values: Floats, known: Known) -> Flags:
    kind = known.fresh.rule["kind"][0]
    low, high = (_SMALLEST_WEIGHT, 2 * _LARGEST_TOTAL) if kind == _EXP3S else (0.0, 1e30)
    return np.asarray((values >= low) & (values <= high))


def _are_chances(chances: Floats, known: Known) -> bool:
    return bool((chances >= 1e-70).all() and abs(chances.sum() - 1.0) <= 1e-6)


BANDIT_RANGES: Ranges = {
    "rule": {
        "kind": ranges.FIXED,
        "round": ranges.COUNT,
        "exploration": ranges.FIXED,
        "share": ranges.FIXED,
        "keep": ranges.FIXED,
    },
    "values": ranges.such_that("numbers that the bandit can have", _are_values),
    "counts": ranges.WEIGHT,
    "chances": ranges.such_that("chances that sum to 1", _are_chances),
}


def bandit_of(kind: str, n_arms: int, horizon: float | None, n_phases: int, memory: int) -> Bandit:
    """Return a bandit that knows nothing; only EXP3.S needs the horizon and the phases."""
    rule = np.zeros(1, RULE)
    rule["kind"] = KINDS.index(kind)
    values = np.zeros(n_arms)
    if kind == "exp3s":
        assert horizon is not None
        level = n_arms * (n_phases * math.log(n_arms * horizon) + math.e)
        rule["exploration"] = min(1.0, math.sqrt(level / ((math.e - 1) * horizon)))
        rule["share"] = math.e / horizon
        values[:] = 1.0
    rule["keep"] = 1.0 - 1.0 / memory
    return Bandit(rule, values, np.zeros(n_arms), np.full(n_arms, 1.0 / n_arms))


def favourite_of(bandit: Bandit) -> int:
    """Return the arm that a bandit likes best."""
    kind = bandit.rule[0]["kind"]
    if kind == _TSALLIS:
        return int(bandit.values.argmin())
    if kind == _EXP3S:
        return int(bandit.values.argmax())
    means = np.divide(
        bandit.values, bandit.counts, out=np.full(len(bandit.values), 0.5), where=bandit.counts > 0
    )
    return int(means.argmax())


@inline_kernel
def pull(bandit: Bandit, rng: np.random.Generator) -> tuple[int, float]:
    """Return the arm that a bandit plays and its chance."""
    if bandit.rule[0]["kind"] == _UCB:
        return _largest_index(bandit), 1.0
    arm = draw(bandit.chances, 1.0, 0.0, rng.random())
    return arm, bandit.chances[arm]


@kernel
def _largest_index(bandit: Bandit) -> int:
    total = 0.0
    for arm in range(bandit.counts.shape[0]):
        total += bandit.counts[arm]
    bonus = _UCB_FACTOR * math.log(max(total, 1.0))
    return largest_index(bandit.values, bandit.counts, bonus)[0]


@inline_kernel
def largest_index(sums: Floats, counts: Floats, bonus: float) -> tuple[int, float]:
    """Return the first arm of largest index, mean + sqrt(bonus / count), and the index.

    An arm without rewards comes before all others, with an index of infinity.
    """
    best = 0
    most = -1.0
    for arm in range(counts.shape[0]):
        if counts[arm] == 0:
            return arm, np.inf
        index = sums[arm] / counts[arm] + math.sqrt(bonus / counts[arm])
        if index > most:
            most = index
            best = arm
    return best, most


@kernel
def reward_arm(bandit: Bandit, arm: int, chance: float, reward: float) -> None:
    """Let a bandit learn the reward of an arm that it played with a chance."""
    rule = bandit.rule[0]
    rule["round"] += 1
    values = bandit.values
    n_arms = values.shape[0]
    if rule["kind"] == _TSALLIS:
        values[arm] += (1.0 - reward) / chance
        tsallis_chances(values, bandit.chances, np.inf, rule["round"])
    elif rule["kind"] == _EXP3S:
        gamma = rule["exploration"]
        total = 0.0
        for other in range(n_arms):
            total += values[other]
        share = rule["share"] * total / n_arms
        values[arm] *= math.exp(min(gamma * reward / (chance * n_arms), LARGEST_STEP))
        total = 0.0
        for other in range(n_arms):
            values[other] += share
            total += values[other]
        if total > _LARGEST_TOTAL:
            scale = 1.0 / total
            total = 0.0
            for other in range(n_arms):
                values[other] = max(values[other] * scale, _SMALLEST_WEIGHT)
                total += values[other]
        for other in range(n_arms):
            bandit.chances[other] = (1.0 - gamma) * values[other] / total + gamma / n_arms
    else:
        for other in range(n_arms):
            values[other] *= rule["keep"]
            bandit.counts[other] *= rule["keep"]
        values[arm] += reward
        bandit.counts[arm] += 1.0
