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
from typing import NamedTuple, Protocol

import numpy as np

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.parts.arrays import NEVER, Flags, Ints, Records
from driftduel.learners.parts.journal import (
    CHANGE,
    CHANGE_RANGES,
    JOURNAL_RANGES,
    UNDATED,
    Journal,
    journal_full,
    no_journal,
    note_activation,
    note_change,
    note_episode,
    note_eviction,
    note_replay,
)
from driftduel.learners.parts.memory import HEAVIEST
from driftduel.learners.parts.replays import (
    REPLAY_RANGES,
    Replays,
    no_replays,
    schedule_replays,
    take_due_replays,
)
from driftduel.learners.ranges import (
    AN_ARM,
    COUNT,
    FIXED,
    FLAG,
    Known,
    Ranges,
    arms_first,
    equal_to,
    is_listed,
    real,
    whole,
)

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("wake", "i8"),  # the round at which settle has work
        ("episode", "i8"),  # the round at which the episode began
        ("base", "i8"),  # the round at which the learner last looked again at all arms
        ("replay_start", "i8"),
        ("replay_end", "i8"),  # a replay is on before this round
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
    ],
    align=True,
)

ARM = np.dtype(
    [
        ("noted", "i8"),  # the start of the base in which its eviction was last noted, or -1
        ("back", "i8"),  # the same of the last eviction whose end was noted
    ],
    align=True,
)

STEPS = 4
"""Moments kept for each length."""

LEVELS = 40
"""Blocks of up to 2^40 looks."""

SMALLEST_LEAD = 0.02
"""A lead is taken to be this large at least where exploring is tuned to it."""

MOST_CHANGES = 64
"""So many of the latest restarts are remembered with their circumstances."""


class Watching(NamedTuple):
    """What scores and pairs have in common: the leader, who is active, what is due and noted."""

    clock: Records  # (1,) CLOCK
    rule: Records  # (1,) RULE
    arms: Records  # (K,) ARM
    active: Ints  # (K,) the active arms first, in order
    is_active: Flags  # (K,)
    changes: Records  # (M,) CHANGE, the latest restarts in a ring
    replays: Replays
    journal: Journal


_ROUND = whole(0, "clock.round")


def _last_check(known: Known) -> int:
    return int(known.state.clock["looks"][0] + known.state.rule["tick"][0])


WATCHING_RANGES: Ranges = {
    "rule": dict.fromkeys(RULE.names or (), FIXED),
    "replays": REPLAY_RANGES,
    "journal": JOURNAL_RANGES,
    "changes": CHANGE_RANGES,
    "clock": {
        "round": COUNT,
        "wake": whole(0, NEVER),
        "episode": _ROUND,
        "base": _ROUND,
        "replay_start": _ROUND,
        "replay_end": whole(0, lambda known: known.told + (2 << LEVELS)),
        "n_active": whole(1, "arms"),
        "leader": AN_ARM,
        "led": _ROUND,
        "looks": COUNT,
        "next_check": whole(lambda known: known.state.clock["looks"][0] + 1, _last_check),
        "since_looks": whole(0, "clock.looks"),
        "alarms": COUNT,
        "restarts": COUNT,
        "shifts": COUNT,
        "counted": FLAG,
        "suspect": FLAG,
        "accused": AN_ARM,
        "changed": _ROUND,
        "gap": real(0, 0.5),
        "watch": real(0, 1),
        "full": real(0, 1),
        "half": real(0, lambda known: 1 + 1e-9 - known.state.clock["full"][0]),
        "unit": real(1, HEAVIEST),
        "fading": real(0, 0.1),
        "faded": _ROUND,
    },
    "arms": {"noted": whole(-1, "clock.round"), "back": whole(-1, "clock.round")},
    "active": arms_first("clock.n_active"),
    "is_active": equal_to(
        "whether the arm is active", lambda known: is_listed(known, "active", "clock.n_active")
    ),
}


class WatchingState(Protocol):
    """A state that holds this part."""

    @property
    def watching(self) -> Watching:
        """The part."""


def start_watching(n_arms: int, rule: Records, replay_rate: float) -> Watching:
    """Return what is known before the first round; the replays are not drawn yet."""
    clock = np.zeros(1, CLOCK)
    clock["wake"] = 1
    clock["n_active"] = n_arms
    clock["next_check"] = rule["tick"]
    clock["unit"] = 1.0
    clock["full"] = 1.0
    arms = np.zeros(n_arms, ARM)
    arms["noted"] = -1
    arms["back"] = -1
    return Watching(
        clock=clock,
        rule=rule,
        arms=arms,
        active=np.arange(n_arms),
        is_active=np.ones(n_arms, np.bool_),
        changes=np.zeros(MOST_CHANGES, CHANGE),
        replays=no_replays(LEVELS, replay_rate, -1 / 3, -2 / 3, grows=True),
        journal=no_journal(n_arms),
    )


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
def alarm_at(watching: Watching, looks: float, length: float) -> float:
    """Return the threshold of an alarm over the last ``length`` of ``looks`` looks."""
    alarms = watching.clock[0]["alarms"]
    return watching.rule[0]["alarm"] + 0.5 * math.log(1.0 + looks / length) + math.log(1.0 + alarms)


@inline_kernel
def set_fading(watching: Watching) -> None:
    """Let memory last a fraction of the rounds between the likely changes so far."""
    clock = watching.clock[0]
    rule = watching.rule[0]
    shares = rule["slow_fade"] + rule["fade"] * clock["shifts"]
    clock["fading"] = min(0.1, shares / (clock["round"] + 10.0))


@inline_kernel
def set_watch(watching: Watching, lead: float) -> None:
    """Compute the chance to watch from the leader's lead and the likely changes so far."""
    clock = watching.clock[0]
    rule = watching.rule[0]
    clock["gap"] = min(0.5, max(SMALLEST_LEAD, lead))
    hazard = (1.0 + 2.0 * clock["shifts"]) / (clock["round"] + 1.0)
    rate = rule["watch"] * math.sqrt(rule["alarm"] * hazard / 2.0) / clock["gap"]
    clock["watch"] = min(1.0, rate)


@kernel
def weigh_proof(
    watching: Watching, rng: np.random.Generator, statistic: float, looks: float, length: float
) -> bool:
    """Count a likely change, and begin an episode if it is beyond chance; tell whether it is."""
    clock = watching.clock[0]
    if clock["counted"] == 0 and statistic >= watching.rule[0]["likely"]:
        clock["counted"] = 1
        clock["shifts"] += 1
        clock["wake"] = clock["round"]
    threshold = watching.rule[0]["proof"] + math.log(1.0 + looks / max(1.0, length))
    if statistic < threshold:
        return False
    restart(watching, rng)
    return True


@kernel
def begin_random_replay(watching: Watching, rng: np.random.Generator) -> None:
    """Start the longest replay that is due."""
    clock = watching.clock[0]
    now = clock["round"]
    longest = take_due_replays(watching.replays, rng, now, clock["episode"])
    note_replay(watching.journal, now, longest)
    clock["wake"] = now
    clock["replay_start"] = now
    clock["replay_end"] = max(clock["replay_end"], now + longest)


@kernel
def evict(
    watching: Watching, arm: int, start: int, weight: int, statistic: float, threshold: float
) -> None:
    """Note that an arm is found worse than the leader, once for each base."""
    clock = watching.clock[0]
    record = watching.arms[arm]
    if record["noted"] >= start:
        return
    record["noted"] = start
    last = clock["round"] - 1
    note_eviction(
        watching.journal,
        last,
        arm,
        clock["leader"],
        weight,
        min(start, last),
        start,
        statistic,
        threshold,
    )


@inline_kernel
def activate(watching: Watching, arm: int) -> None:
    """Note that an arm whose eviction was noted is active again, once for each eviction."""
    record = watching.arms[arm]
    if not watching.is_active[arm] and record["back"] < record["noted"]:
        record["back"] = record["noted"]
        note_activation(watching.journal, watching.clock[0]["round"], arm)


@kernel
def restart(watching: Watching, rng: np.random.Generator) -> None:
    """Begin an episode: a change is proved."""
    clock = watching.clock[0]
    now = clock["round"]
    note_episode(watching.journal, now)
    note_change(
        watching.changes,
        clock["restarts"],
        now,
        clock["changed"],
        UNDATED,
        UNDATED,
        clock["accused"],
        clock["leader"],
    )
    clock["restarts"] += 1
    clock["episode"] = now
    clock["alarms"] = 0
    clock["suspect"] = 0
    clock["wake"] = now
    schedule_replays(watching.replays, rng, now)


@inline_kernel
def full(state: WatchingState) -> bool:
    """Tell whether the journal must be read before the next round."""
    return journal_full(state.watching.journal, state.watching.arms.shape[0])


def tick_of(n_arms: int) -> int:
    """Return how many looks pass between tests: at most half the arms, a power of 2.

    Examples
    --------
    >>> [tick_of(n) for n in (2, 10, 50)]
    [2, 4, 16]
    """
    return max(2, 1 << ((n_arms // 2).bit_length() - 1))
