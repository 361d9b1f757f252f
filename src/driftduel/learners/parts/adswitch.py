"""ADSWITCH: a bandit that follows changes of unknown number, by episodes and by looking again.

All arms of an episode are good at first. Good arms, and bad ones that are due, are played in turn,
the one that was played longest ago first. Each block of 2^m rewards of the episode, from a multiple
of 2^m on, is tested when it ends; n is the number of rewards of arm a in it and m(a) their mean:

- if two blocks of a good arm differ by more than the sum of their ``sqrt(2 ln T / n)``, or a block
  of a bad arm by more than ``gap(a)/4 + sqrt(2 ln T / n)`` from its mean(a), an episode begins;
- a good arm with ``max m - m(a) > sqrt(C ln T / (n - 1))`` becomes bad, gap(a) is this difference
  and mean(a) is m(a).

After each reward every bad arm becomes due for ``ceil(2^(2i+1) ln T)`` rewards with probability
``2^-i sqrt(l / (K T ln T))`` for every i >= 1 with ``2^-i >= gap(a)/16``, in episode l.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records

_FINEST = 24
"""The largest i of a check; gaps are larger than 2^-20 at any horizon that can be played."""

CLOCK = np.dtype(
    [
        ("reward", "i8"),  # rewards learned
        ("step", "i8"),  # those of this episode
        ("episode", "i8"),  # l
        ("next", "i8"),  # the arm to play
        ("log", "f8"),  # ln T
        ("rate", "f8"),  # 1 / sqrt(K T ln T)
        ("constant", "f8"),  # C
    ],
    align=True,
)

ARM = np.dtype(
    [
        ("good", "i8"),
        ("due", "i8"),  # rewards still to come although the arm is bad
        ("last", "i8"),  # when it was rewarded last, in rewards
        ("rewards", "i8"),  # those of this episode
        ("sum", "f8"),
        ("lower", "f8"),  # the largest lower bound and the smallest upper bound of a block
        ("upper", "f8"),
        ("mean", "f8"),  # of a bad arm, when it was found bad
        ("gap", "f8"),
    ],
    align=True,
)


class AdSwitch(NamedTuple):
    """The arrays of ADSWITCH."""

    clock: Records  # (1,) CLOCK
    arms: Records  # (K,) ARM
    sums: Floats  # (L, K) rewards in the block of 2^m that goes on
    counts: Ints  # (L, K)


def _are_counts(counts: Ints, known: Known) -> bool:
    """Tell whether each level has the rewards of the half of its block that is over, if any."""
    step = int(known.state.clock["step"][0])
    ended = [step & 2**level >> 1 for level in range(len(counts))]
    return bool((counts >= 0).all() and counts.sum(axis=1).tolist() == ended)


def _are_good(good: Ints, known: Known) -> bool:
    return bool(((good == 0) | (good == 1)).all() and good.any())


def _are_sums(sums: Floats, known: Known) -> bool:
    return bool(((sums >= 0.0) & (sums <= known.state.counts) & (2 * sums % 1 == 0)).all())


ADSWITCH_RANGES: Ranges = {
    "clock": {
        "reward": ranges.COUNT,
        "step": ranges.COUNT,
        "episode": ranges.whole(1, lambda known: known.told + 1),
        "next": ranges.AN_ARM,
        "log": ranges.FIXED,
        "rate": ranges.FIXED,
        "constant": ranges.FIXED,
    },
    "arms": {
        "good": ranges.such_that("1 or 0, and 1 for some arm", _are_good),
        "due": ranges.whole(0, 2**60),
        "last": ranges.COUNT,
        "rewards": ranges.COUNT,
        "sum": ranges.SUM,
        "lower": ranges.real(-1, 1),
        "upper": ranges.real(0, 2),
        "mean": ranges.real(0, 1),
        "gap": ranges.real(2.0**-30, 1),
    },
    "counts": ranges.such_that("the rewards of the blocks that go on", _are_counts),
    "sums": ranges.such_that("sums of so many rewards", _are_sums),
}


def adswitch_of(n_arms: int, horizon: float, constant: float) -> AdSwitch:
    """Return ADSWITCH for ``horizon`` rewards, at least 2."""
    log = math.log(horizon)
    levels = math.ceil(math.log2(horizon)) + 2
    clock = np.zeros(1, CLOCK)
    clock[0] = (0, 0, 1, 0, log, 1.0 / math.sqrt(n_arms * horizon * log), constant)
    arms = np.zeros(n_arms, ARM)
    arms[:] = (1, 0, 0, 0, 0.0, -1.0, 2.0, 0.0, 1.0)
    return AdSwitch(clock, arms, np.zeros((levels, n_arms)), np.zeros((levels, n_arms), np.int64))


@inline_kernel
def reward_adswitch(bandit: AdSwitch, arm: int, reward: float) -> None:
    """Take in a reward; `settle_adswitch` has to follow."""
    clock = bandit.clock[0]
    clock["reward"] += 1
    clock["step"] += 1
    bandit.sums[0, arm] += reward
    bandit.counts[0, arm] += 1
    record = bandit.arms[arm]
    record["sum"] += reward
    record["rewards"] += 1
    record["last"] = clock["reward"]
    record["due"] = max(record["due"] - 1, 0)


@kernel
def settle_adswitch(bandit: AdSwitch, rng: np.random.Generator) -> bool:
    """Test the blocks that end, draw who is due, find the next arm; tell if an episode began."""
    clock = bandit.clock[0]
    levels = bandit.sums.shape[0]
    began = False
    level = 0
    while level < levels and clock["step"] % (1 << level) == 0:
        began = _changed(bandit, level)
        if began:
            break
        _find_bad(bandit, level)
        _close_block(bandit, level)
        level += 1
    if began:
        _begin_episode(bandit)
    else:
        _draw_due(bandit, rng)
    _find_next(bandit)
    return began


@kernel
def _changed(bandit: AdSwitch, level: int) -> bool:
    """Tell whether the block of a level that ends contradicts what was seen of an arm."""
    twice = 2.0 * bandit.clock[0]["log"]
    for arm in range(bandit.arms.shape[0]):
        count = bandit.counts[level, arm]
        if count == 0:
            continue
        record = bandit.arms[arm]
        mean = bandit.sums[level, arm] / count
        radius = math.sqrt(twice / count)
        if record["good"] == 1:
            record["lower"] = max(record["lower"], mean - radius)
            record["upper"] = min(record["upper"], mean + radius)
            if record["lower"] > record["upper"]:
                return True
        elif abs(mean - record["mean"]) > record["gap"] / 4.0 + radius:
            return True
    return False


@kernel
def _find_bad(bandit: AdSwitch, level: int) -> None:
    """Find the good arms that are bad by the block of a level that ends."""
    counts, sums = bandit.counts[level], bandit.sums[level]
    best = 0.0
    for arm in range(counts.shape[0]):
        if bandit.arms[arm]["good"] == 1 and counts[arm] > 0:
            best = max(best, sums[arm] / counts[arm])
    level_of_gap = bandit.clock[0]["constant"] * bandit.clock[0]["log"]
    for arm in range(counts.shape[0]):
        record = bandit.arms[arm]
        if record["good"] == 0 or counts[arm] < 2:
            continue
        gap = best - sums[arm] / counts[arm]
        if gap > math.sqrt(level_of_gap / (counts[arm] - 1.0)):
            record["good"] = 0
            record["mean"] = sums[arm] / counts[arm]
            record["gap"] = gap


@kernel
def _close_block(bandit: AdSwitch, level: int) -> None:
    """Add the block of a level to that of the next one and empty it."""
    for arm in range(bandit.arms.shape[0]):
        if bandit.counts[level, arm] > 0:
            if level + 1 < bandit.sums.shape[0]:
                bandit.sums[level + 1, arm] += bandit.sums[level, arm]
                bandit.counts[level + 1, arm] += bandit.counts[level, arm]
            bandit.sums[level, arm] = 0.0
            bandit.counts[level, arm] = 0


@kernel
def _begin_episode(bandit: AdSwitch) -> None:
    """Make all arms good, and forget all but when each was played."""
    bandit.clock[0]["step"] = 0
    bandit.clock[0]["episode"] += 1
    for arm in range(bandit.arms.shape[0]):
        record = bandit.arms[arm]
        record["good"] = 1
        record["due"] = 0
        record["rewards"] = 0
        record["sum"] = 0.0
        record["lower"] = -1.0
        record["upper"] = 2.0
        record["mean"] = 0.0
        record["gap"] = 1.0
        for level in range(bandit.sums.shape[0]):
            bandit.sums[level, arm] = 0.0
            bandit.counts[level, arm] = 0


@kernel
def _draw_due(bandit: AdSwitch, rng: np.random.Generator) -> None:
    """Draw for each bad arm for how many rewards it becomes due.

    The largest number drawn decides, so one draw does for all i, from the largest on.
    """
    clock = bandit.clock[0]
    rate = clock["rate"] * math.sqrt(clock["episode"])
    for arm in range(bandit.arms.shape[0]):
        record = bandit.arms[arm]
        if record["good"] == 1:
            continue
        number = rng.random()
        none_yet = 1.0
        finest = min(math.floor(math.log2(16.0 / record["gap"])), _FINEST)
        for step in range(finest):
            check = finest - step
            none_yet *= 1.0 - min(1.0, rate * 2.0**-check)
            if number >= none_yet:
                rewards = math.ceil(2.0 ** (2 * check + 1) * clock["log"])
                record["due"] = max(record["due"], int(rewards))
                break


@kernel
def _find_next(bandit: AdSwitch) -> None:
    """Find the arm, good or due, that was rewarded longest ago."""
    best = -1
    for arm in range(bandit.arms.shape[0]):
        record = bandit.arms[arm]
        in_play = record["good"] == 1 or record["due"] > 0
        if in_play and (best < 0 or record["last"] < bandit.arms[best]["last"]):
            best = arm
    bandit.clock[0]["next"] = best
