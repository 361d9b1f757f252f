"""The arrays of all learners with episodes and replays, and the words for what is in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftduel.learners.parts.arrays import Flags, Floats, Ints, Records
from driftduel.learners.parts.journal import Journal
from driftduel.learners.parts.reference import Reference
from driftduel.learners.parts.replays import Replays

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned, so the number of the round to come
        ("wake", "i8"),  # the round at which settle has work
        ("version", "i8"),  # counts changes of the active set
        ("stale", "i8"),  # version of the set when the last outcome's duel was asked
        ("n_active", "i8"),
        ("last_absent", "i8"),  # the largest absent of the active arms
        ("last_evidence", "i8"),  # the largest evidence of the active arms
        ("rate", "f8"),  # eta, the exploration rate in use
        ("inverse_rate", "f8"),
        ("explore_scale", "f8"),  # K / eta
        ("exploit_scale", "f8"),  # active arms / (1 - eta)
        ("q_out", "f8"),  # chance of an arm that is not active, uniform weight
        ("q_in", "f8"),  # chance of an active arm, uniform weight
        ("q_active", "f8"),  # (1 - eta) / active arms
        ("inverse_sum", "f8"),  # sum of 1/eta since the episode began
        ("inverse_max", "f8"),  # largest 1/eta since note_rates
        ("tick_max", "f8"),  # largest 1/eta of the current tick
        ("scale", "f8"),  # C log T, or C log t
        ("episode", "i8"),
        ("depth", "i8"),
        ("refresh", "i8"),  # round at which the rate is computed anew
        ("n_found", "i8"),
        ("candidate", "i8"),  # the arm that all others are compared with, for TEST_CANDIDATE
        ("candidate_since", "i8"),
    ],
    align=True,
)

RULE = np.dtype(
    [
        ("unknown", "i8"),  # 1 for unknown weights: one reference weight per arm
        ("uniform", "i8"),  # 1 if exploring is uniform over arms
        ("share", "f8"),  # weight of the right arm in an estimate, if exploring is uniform
        ("centre", "f8"),  # 1/2 for the centred estimate, 0 for the raw one
        ("test", "i8"),  # TEST_SCORES, TEST_PAIRS or TEST_CANDIDATE
        ("switch", "f8"),  # share of the threshold at which the candidate changes
        ("drift", "f8"),  # d, v and r of the threshold
        ("variance", "f8"),
        ("range", "f8"),
        ("constant", "f8"),  # C
        ("anytime", "i8"),
        ("least", "i8"),  # rounds that the logarithm counts at least
        ("rate", "f8"),  # gamma_n = min(cap, rate n^(-1/3))
        ("cap", "f8"),
        ("refresh", "f8"),  # share of its age after which a base computes its rate anew
        ("power", "f8"),  # p of the threshold
        ("restarts", "i8"),
        ("all", "i8"),  # 1 to test every interval
        ("tick_power", "i8"),  # tests are made every 2^tick_power rounds
        ("steps", "i8"),
        ("prefix", "f8"),
    ],
    align=True,
)

ARM = np.dtype(
    [
        ("evidence", "i8"),  # largest start of an interval that evicted the arm, -1 if none
        ("absent", "i8"),  # last round in which the arm was not active
        ("since", "i8"),  # version of the active set at which the arm's turn began
        ("found", "i8"),  # largest start of an evicting interval found this round, or -1
        ("beaten_by", "i8"),  # what was found: by whom, for which weight, how clearly
        ("weight", "i8"),
        ("statistic", "f8"),
        ("threshold", "f8"),
        ("out", "i8"),  # 1 from its eviction until it is in play again
    ],
    align=True,
)

BASE = np.dtype(
    [
        ("start", "i8"),
        ("end", "i8"),  # the last round in which the base may play
        ("next_test", "i8"),  # round at which the life of the base is tested again
        ("inverse_sum", "f8"),  # sum of 1/eta at the start
        ("inverse_max", "f8"),  # largest 1/eta since
    ],
    align=True,
)

SNAPSHOT = np.dtype(
    [
        ("inverse_sum", "f8"),  # sum of 1/eta when the snapshot was taken
        ("inverse_max", "f8"),  # largest 1/eta of the piece that ended then
        ("drift", "f8"),  # (length - 1)^p of the blocks of this level
    ],
    align=True,
)

PAST = np.dtype(
    [
        ("inverse_sum", "f8"),  # sum of 1/eta before the round
        ("inverse_rate", "f8"),  # 1/eta of the round
        ("jumps", "f8"),  # sum of the largest changes of a sum before the round
        ("slack", "f8"),  # see check_all
        ("drift", "f8"),  # n^p of its number n
    ],
    align=True,
)

TEST_SCORES, TEST_PAIRS, TEST_CANDIDATE = 0, 1, 2
"""What is compared: scores of arms, arms in pairs, or a candidate with every arm."""


class EpisodicState(NamedTuple):
    """The arrays of a learner with episodes; W is K where every pair has a sum, otherwise 1.

    Few arrays with many fields, because every array makes every call slower to compile.
    """

    clock: Records  # (1,) CLOCK
    rule: Records  # (1,) RULE
    arms: Records  # (K,) ARM
    active: Ints  # (K,) the active arms first, in order
    is_active: Flags  # (K,)
    valid: Ints  # (K + 1,) scratch; an arm is written before it is known to count
    sums: Floats  # (W, K) summed estimates since the episode began
    bases: Records  # (D,) BASE, the stack; the last one plays
    base_sums: Floats  # (D, W, K) sums at the start of each base
    snapshots: Records  # (L, max(steps, 2)) SNAPSHOT
    level_sums: Floats  # (L, steps, W, K) sums when a snapshot was taken
    replays: Replays
    reference: Reference  # the known weights
    journal: Journal
    past: Records  # (T + 1,) PAST, for all intervals only
    past_sums: Floats  # (T + 1, W, K)
