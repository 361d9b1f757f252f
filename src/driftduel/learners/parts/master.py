"""MASTER over UCB1: instances of a bandit on many scales, and tests that restart it.

Blocks have 2^n rewards, n = 0, 1, 2, ... In a block, whenever a multiple of 2^m rewards is over,
for m = n, ..., 0, an instance of UCB1 begins that lives for 2^m rewards, with probability
``rho(2^n) / rho(2^m)``. The shortest living instance plays; it plays the arm of the largest
``mean + sqrt(2 ln T / rewards)``, and g is this number, at most 1; for an arm never played it is 1.
With U the smallest g of the block so far, all restarts, from n = 0 on,

- if an instance of 2^m rewards ends and the mean reward while it lived is at least
  ``U + 9 r(2^m)``, or
- if the mean of ``g - reward`` in the block, after t rewards, is at least ``3 r(t)``,

where ``rho(t) = sqrt(K ln(T) / t) + K ln(T) / t`` and ``r(t) = 6 (log2 T + 1) ln(T^2) rho(t)``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.bandits import largest_index

CLOCK = np.dtype(
    [
        ("order", "i8"),  # n
        ("step", "i8"),  # rewards of this block
        ("player", "i8"),  # m of the instance that plays
        ("next", "i8"),  # the arm it plays
        ("hope", "f8"),  # g
        ("least", "f8"),  # U
        ("total", "f8"),  # summed rewards of this block
        ("excess", "f8"),  # summed g - reward of this block
        ("log", "f8"),  # ln T
        ("width", "f8"),  # r(t) / rho(t)
    ],
    align=True,
)

INSTANCE = np.dtype(
    [
        ("lives", "i8"),
        ("before", "f8"),  # summed rewards of the block before it began
    ],
    align=True,
)

ARM = np.dtype([("rewards", "i8"), ("sum", "f8")], align=True)


class Master(NamedTuple):
    """The arrays of MASTER."""

    clock: Records  # (1,) CLOCK
    instances: Records  # (L,) INSTANCE, one for each m
    arms: Records  # (K,) ARM, since all began
    sums: Floats  # (L, K) rewards of each instance
    counts: Ints  # (L, K)


def _is_order(orders: Ints, known: Known) -> bool:
    return bool(0 <= orders[0] < len(known.state.instances))


def _is_player(players: Ints, known: Known) -> bool:
    return bool(0 <= players[0] <= known.state.clock["order"][0])


def _is_step(steps: Ints, known: Known) -> bool:
    return bool(0 <= steps[0] < 2 ** int(known.state.clock["order"][0]))


def _live(lives: Ints, known: Known) -> bool:
    """Tell whether the longest instance of the block lives, none longer, and the player."""
    order, player = int(known.state.clock["order"][0]), int(known.state.clock["player"][0])
    flags = ((lives == 0) | (lives == 1)).all()
    return bool(flags and lives[order] == 1 and lives[player] == 1 and not lives[order + 1 :].any())


MASTER_RANGES: Ranges = {
    "clock": {
        "order": ranges.such_that("the order of a block", _is_order),
        "step": ranges.such_that("a step of the block", _is_step),
        "player": ranges.such_that("the order of an instance", _is_player),
        "next": ranges.AN_ARM,
        "hope": ranges.real(0, 1),
        "least": ranges.real(0, 1),
        "total": ranges.SUM,
        "excess": ranges.real(lambda known: -known.told, "told"),
        "log": ranges.FIXED,
        "width": ranges.FIXED,
    },
    "instances": {
        "lives": ranges.such_that("the instances that live", _live),
        "before": ranges.SUM,
    },
    "arms": {"rewards": ranges.COUNT, "sum": ranges.SUM},
    "sums": ranges.SUM,
    "counts": ranges.COUNT,
}


def master_of(n_arms: int, horizon: float, scale: float) -> Master:
    """Return MASTER for ``horizon`` rewards, at least 2, with r times ``scale``."""
    levels = math.floor(math.log2(horizon)) + 3
    log = math.log(horizon)
    width = scale * 6 * (math.log2(horizon) + 1) * 2 * log
    clock = np.zeros(1, CLOCK)
    clock[0] = (0, 0, 0, 0, 1.0, 1.0, 0.0, 0.0, log, width)
    instances = np.zeros(levels, INSTANCE)
    instances["lives"][0] = 1
    return Master(
        clock,
        instances,
        np.zeros(n_arms, ARM),
        np.zeros((levels, n_arms)),
        np.zeros((levels, n_arms), np.int64),
    )


@inline_kernel
def reward_master(bandit: Master, arm: int, reward: float) -> None:
    """Take in a reward; `settle_master` has to follow."""
    clock = bandit.clock[0]
    clock["step"] += 1
    clock["total"] += reward
    clock["excess"] += clock["hope"] - reward
    clock["least"] = min(clock["least"], clock["hope"])
    bandit.arms[arm]["rewards"] += 1
    bandit.arms[arm]["sum"] += reward
    bandit.sums[clock["player"], arm] += reward
    bandit.counts[clock["player"], arm] += 1


@kernel
def settle_master(bandit: Master, rng: np.random.Generator) -> bool:
    """Test, end the block, begin instances, find the next arm; tell if all restarts."""
    clock = bandit.clock[0]
    anew = _changed(bandit)
    if anew:
        for arm in range(bandit.arms.shape[0]):
            bandit.arms[arm]["rewards"] = 0
            bandit.arms[arm]["sum"] = 0.0
        _begin_block(bandit, 0)
    elif clock["step"] == 1 << clock["order"]:
        _begin_block(bandit, min(clock["order"] + 1, bandit.instances.shape[0] - 1))
    _begin_instances(bandit, rng)
    _find_next(bandit)
    return anew


@inline_kernel
def _rho(bandit: Master, rewards: float) -> float:
    level = bandit.arms.shape[0] * bandit.clock[0]["log"] / rewards
    return math.sqrt(level) + level


@kernel
def _changed(bandit: Master) -> bool:
    """Tell whether one of the tests says that the world has changed."""
    clock = bandit.clock[0]
    step, width = clock["step"], clock["width"]
    for level in range(clock["order"] + 1):
        length = 1 << level
        if step % length != 0:
            break
        instance = bandit.instances[level]
        if instance["lives"] == 1:
            mean = (clock["total"] - instance["before"]) / length
            if mean >= clock["least"] + 9.0 * width * _rho(bandit, length):
                return True
    return clock["excess"] / step >= 3.0 * width * _rho(bandit, step)


@kernel
def _begin_block(bandit: Master, order: int) -> None:
    """Begin a block without instances."""
    clock = bandit.clock[0]
    clock["order"] = order
    clock["step"] = 0
    clock["least"] = 1.0
    clock["total"] = 0.0
    clock["excess"] = 0.0
    for level in range(bandit.instances.shape[0]):
        bandit.instances[level]["lives"] = 0


@kernel
def _begin_instances(bandit: Master, rng: np.random.Generator) -> None:
    """End the instances whose time is over and draw whether others begin, the longest first."""
    clock = bandit.clock[0]
    order = clock["order"]
    shortest = _rho(bandit, 1 << order)
    for place in range(order + 1):
        level = order - place
        if clock["step"] % (1 << level) != 0:
            continue
        chance = shortest / _rho(bandit, 1 << level)
        begins = level == order or rng.random() < chance
        bandit.instances[level]["lives"] = 1 if begins else 0
        if begins:
            bandit.instances[level]["before"] = clock["total"]
            for arm in range(bandit.arms.shape[0]):
                bandit.sums[level, arm] = 0.0
                bandit.counts[level, arm] = 0


@kernel
def _find_next(bandit: Master) -> None:
    """Find the arm that the shortest instance plays, and what it hopes for."""
    clock = bandit.clock[0]
    player = 0
    while bandit.instances[player]["lives"] == 0:
        player += 1
    best, most = largest_index(bandit.sums[player], bandit.counts[player], 2.0 * clock["log"])
    clock["player"] = player
    clock["next"] = best
    clock["hope"] = min(most, 1.0)
