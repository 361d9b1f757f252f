"""Watching the leader: has its score dropped, did the world change, and how often to look.

What `CalibratedMetaBosse` does alike for scores and for pairs. A duel of the leader with an arm of
the reference weight is a coin toss whose chance is the leader's score, so everything here compares
runs of coin tosses by their likelihood ratio: n0 tosses before and n1 after a moment, with means
m0 and m1, against one mean m for all, ``n0 kl(m0, m) + n1 kl(m1, m)``, which exceeds x by chance
with a probability of about exp(-x). Sums are of outcomes less 1/2.

- *Alarm*: the leader's tosses since some moment are worse than before. Moments are kept at all
  scales as METABOSSE keeps its blocks: lengths ``2^k`` times the smallest, four to a length.
  The threshold is low; an alarm makes the learner look again and is no verdict about the world.
- *Proof*: the same ratio over a high threshold, for the leader deposed or the one who took over.
  It starts a new episode. The threshold keeps the chance of a false one in a stationary world
  below ``false_restarts``.
- *Rate*: watching costs about half the leader's lead g a look. With a change every L rounds and
  the looks n that it takes to notice, n/e rounds of loss g and e L looks at g/2 balance at a rate e
  of sqrt(2 n/L). n is ``alarm / (2 g^2)``, L is taken to be the rounds so far over one more than
  twice the likely changes so far, and the balance is shifted by the factor ``watch``.
"""

from __future__ import annotations

import math

import numpy as np

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.episodic.meta import new_note, schedule_replay, take_due_replays
from driftduel.learners.episodic.state import EPISODE, EVICTION, NEVER

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("wake", "i8"),  # the round at which settle has work
        ("episode", "i8"),  # the round at which the episode began
        ("base", "i8"),  # the round at which the learner last looked again at all arms
        ("next_replay", "i8"),
        ("replay_start", "i8"),
        ("replay_end", "i8"),  # a replay is on before this round
        ("next_weight", "i8"),
        ("weight_row", "i8"),
        ("n_active", "i8"),
        ("leader", "i8"),
        ("led", "i8"),  # the round since which it leads
        ("looks", "i8"),  # exploring duels so far
        ("next_check", "i8"),  # looks at which blocks are tested
        ("since_looks", "i8"),  # looks when the leader began to be watched
        ("alarms", "i8"),  # alarms since the last restart
        ("restarts", "i8"),
        ("shifts", "i8"),  # likely changes: the restarts, and those that proof may still be due for
        ("counted", "i8"),  # 1 if the suspected change is among them
        ("suspect", "i8"),  # 1 while an alarm or a new leader may still prove a change
        ("accused", "i8"),  # the leader before it
        ("changed", "i8"),  # the round around which the world may have changed
        ("noted", "i8"),  # rows in the journal
        ("gap", "f8"),  # the leader's estimated lead
        ("watch", "f8"),  # chance to watch
        ("full", "f8"),  # chance to explore all arms
        ("half", "f8"),  # chance to explore an active arm
        ("unit", "f8"),  # weight of a new outcome in what is known
        ("fading", "f8"),  # by how much the unit grows a round
        ("faded", "i8"),  # the round until which it has grown
    ],
    align=True,
)

RULE = np.dtype(
    [
        ("unknown", "i8"),  # 1 for pairs
        ("uniform", "i8"),  # 1 if the reference weight is uniform
        ("tick", "i8"),  # looks between tests
        ("proof", "f8"),  # the part of the threshold of a proof that does not change
        ("likely", "f8"),  # the threshold of a likely change
        ("alarm", "f8"),
        ("watch", "f8"),
        ("keep", "f8"),
        ("doubt", "f8"),
        ("learn", "f8"),
        ("spread", "f8"),
        ("fade", "f8"),
        ("slow_fade", "f8"),
        # As in driftduel.learners.episodic.state.RULE.
        ("anytime", "i8"),
        ("replays", "f8"),
        ("replay_length", "f8"),
        ("replay_age", "f8"),
    ],
    align=True,
)

STEPS = 4
"""Moments kept for each length."""

SMALLEST_LEAD = 0.02
"""A lead is taken to be this large at least where exploring is tuned to it."""

MOST_CHANGES = 64
"""So many of the latest restarts are remembered with their circumstances."""


@kernel
def divergence(p: float, q: float) -> float:
    """Return the relative entropy of coins with chances p and q."""
    p = min(max(p, 1e-9), 1.0 - 1e-9)
    q = min(max(q, 1e-9), 1.0 - 1e-9)
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


@kernel
def likelihood_ratio(n0: float, sum0: float, n1: float, sum1: float) -> float:
    """Return how much better two means explain tosses than one; 0 without tosses on a side."""
    if n0 < 1.0 or n1 < 1.0:
        return 0.0
    mean = (sum0 + sum1) / (n0 + n1) + 0.5
    before = n0 * divergence(sum0 / n0 + 0.5, mean)
    return before + n1 * divergence(sum1 / n1 + 0.5, mean)


@kernel
def drop(n0: float, sum0: float, n1: float, sum1: float) -> float:
    """Return the likelihood ratio if the mean fell, otherwise 0."""
    if n0 < 1.0 or n1 < 1.0 or sum1 * n0 >= sum0 * n1:
        return 0.0
    return likelihood_ratio(n0, sum0, n1, sum1)


@inline_kernel
def alarm_at(state, looks: float, length: float) -> float:  # type: ignore[no-untyped-def]
    """Return the threshold of an alarm over the last ``length`` of ``looks`` looks."""
    alarms = state.clock[0]["alarms"]
    return state.rule[0]["alarm"] + 0.5 * math.log(1.0 + looks / length) + math.log(1.0 + alarms)


@inline_kernel
def set_fading(state) -> None:  # type: ignore[no-untyped-def]
    """Let memory last a fraction of the rounds between the likely changes so far."""
    clock = state.clock[0]
    rule = state.rule[0]
    shares = rule["slow_fade"] + rule["fade"] * clock["shifts"]
    clock["fading"] = min(0.1, shares / (clock["round"] + 10.0))


@inline_kernel
def set_watch(state, lead: float) -> None:  # type: ignore[no-untyped-def]
    """Compute the chance to watch from the leader's lead and the likely changes so far."""
    clock = state.clock[0]
    rule = state.rule[0]
    clock["gap"] = min(0.5, max(SMALLEST_LEAD, lead))
    hazard = (1.0 + 2.0 * clock["shifts"]) / (clock["round"] + 1.0)
    rate = rule["watch"] * math.sqrt(rule["alarm"] * hazard / 2.0) / clock["gap"]
    clock["watch"] = min(1.0, rate)


@kernel
def weigh_proof(  # type: ignore[no-untyped-def]
    state, rng: np.random.Generator, statistic: float, looks: float, length: float
) -> bool:
    """Count a likely change, and begin an episode if it is beyond chance; tell whether it is."""
    clock = state.clock[0]
    if clock["counted"] == 0 and statistic >= state.rule[0]["likely"]:
        clock["counted"] = 1
        clock["shifts"] += 1
        clock["wake"] = clock["round"]
    threshold = state.rule[0]["proof"] + math.log(1.0 + looks / max(1.0, length))
    if statistic < threshold:
        return False
    restart(state, rng)
    return True


@kernel
def start_replays(state, rng: np.random.Generator) -> None:  # type: ignore[no-untyped-def]
    """Draw the random replays of a new episode."""
    state.clock[0]["next_replay"] = NEVER
    for power in range(state.replay_at.shape[0]):
        schedule_replay(state, rng, power, 0)


@kernel
def begin_random_replay(state, rng: np.random.Generator) -> None:  # type: ignore[no-untyped-def]
    """Start the longest replay that is due."""
    clock = state.clock[0]
    now = clock["round"]
    longest = take_due_replays(state, rng)
    clock["wake"] = now
    clock["replay_start"] = now
    clock["replay_end"] = max(clock["replay_end"], now + longest)


@kernel
def note_eviction(  # type: ignore[no-untyped-def]
    state, arm: int, start: int, weight: int, statistic: float, threshold: float
) -> None:
    """Note that an arm is found worse than the leader, once for each base."""
    clock = state.clock[0]
    record = state.arms[arm]
    if record["told"] >= start:
        return
    record["told"] = start
    last = clock["round"] - 1
    note = state.journal[new_note(state, EVICTION, last, arm)]
    note[3] = min(start, last)
    note[4] = start
    note[5] = clock["leader"]
    note[6] = weight
    note[7] = statistic
    note[8] = threshold


@kernel
def restart(state, rng: np.random.Generator) -> None:  # type: ignore[no-untyped-def]
    """Begin an episode: a change is proved."""
    clock = state.clock[0]
    now = clock["round"]
    new_note(state, EPISODE, now, 0)
    row = state.changes[clock["restarts"] % state.changes.shape[0]]
    row[0] = now
    row[1] = clock["changed"]
    row[2] = clock["accused"]
    row[3] = clock["leader"]
    clock["restarts"] += 1
    clock["episode"] = now
    clock["alarms"] = 0
    clock["suspect"] = 0
    clock["wake"] = now
    start_replays(state, rng)


def fresh_clock() -> np.ndarray:
    """Return the clock before the first round."""
    clock = np.zeros(1, CLOCK)
    clock["unit"] = 1.0
    clock["full"] = 1.0
    clock["next_weight"] = NEVER
    clock["next_replay"] = NEVER
    return clock


def tick_of(n_arms: int) -> int:
    """Return how many looks pass between tests: at most half the arms, a power of 2.

    Examples
    --------
    >>> [tick_of(n) for n in (2, 10, 50)]
    [2, 4, 16]
    """
    return max(2, 1 << ((n_arms // 2).bit_length() - 1))
