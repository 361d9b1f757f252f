"""The arrays of all learners with episodes and replays, and the words for what is in them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Range, Ranges
from driftduel.learners.parts.arrays import NEVER, Flags, Floats, Ints, Records
from driftduel.learners.parts.journal import JOURNAL_RANGES, Journal
from driftduel.learners.parts.reference import REFERENCE_RANGES, Reference
from driftduel.learners.parts.replays import REPLAY_RANGES, Replays

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
        ("refresh", "i8"),  # round at which the rate is computed again
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
        ("refresh", "f8"),  # share of its age after which a base computes its rate again
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


def _top(known: Known) -> np.void:
    """Return the base that plays."""
    found: np.void = known.state.bases[known.state.clock[0]["depth"] - 1]
    return found


def _rate(known: Known, age: int) -> float:
    """Return the exploration rate at an age."""
    rule = known.state.rule[0]
    return float(min(rule["cap"], rule["rate"] * max(age, 1) ** (-1 / 3)))


def _last_refresh(known: Known) -> int:
    share = max(1.0, known.state.rule[0]["refresh"])
    return int(known.state.clock[0]["round"]) + 1 + math.ceil(share * known.told)


def _scale(known: Known, rounds: int) -> float:
    """Return ``C log T``, or ``C log t`` after so many rounds."""
    rule = known.state.rule[0]
    if rule["anytime"]:
        return float(rule["constant"] * math.log(max(rounds, rule["least"])))
    return float(known.fresh.clock[0]["scale"])


def _is_stack(bases: Records, known: Known) -> bool:
    """Tell whether bases lie within each other, each a shorter power of 2 than that below.

    Nothing else bounds how many there may be.
    """
    clock, rule = known.state.clock[0], known.state.rule[0]
    stack = bases[: clock["depth"]]
    starts, ends, tests = stack["start"], stack["end"], stack["next_test"]
    lengths = ends[1:] - starts[1:]
    longest = 1 << len(known.state.replays.due)
    tested = (tests == NEVER) | ((tests >= starts + 2) & (rule["prefix"] > 0))
    return bool(
        starts[0] == clock["episode"]
        and ends[0] == NEVER
        and ((starts >= 0) & (starts <= clock["round"])).all()
        and (np.diff(starts) >= 0).all()
        and (np.diff(ends) < 0).all()
        and ((lengths >= 2) & (lengths <= longest) & (lengths & (lengths - 1) == 0)).all()
        and (np.diff(lengths) < 0).all()
        and (tested & (tests >= 0) & (tests <= NEVER)).all()
    )


def _wake(known: Known) -> int:
    """Return the next round with work, as `driftduel.learners.paper.meta` computes it."""
    clock, power = known.state.clock[0], known.state.rule[0]["tick_power"]
    tick = clock["episode"] + ((((clock["round"] - clock["episode"]) >> power) + 1) << power)
    due = known.state.replays.schedule[0]["next"], known.state.reference.turn[0]["next"]
    return int(min(tick, _top(known)["end"] + 1, *due, clock["refresh"]))


def _inverse_rate(known: Known) -> float:
    rate = known.state.clock[0]["rate"]
    return float(1 / rate if rate > 0 else 1.0)


def _part_of_rate(name: str) -> Range:
    """Return what `driftduel.learners.paper.meta` computes with the rate."""

    def expected(known: Known) -> float:
        clock = known.state.clock[0]
        exploit = 1 - clock["rate"]
        return float(
            {
                "explore_scale": known.n_arms * clock["inverse_rate"],
                "exploit_scale": clock["n_active"] / exploit if exploit > 0 else 0.0,
                "q_active": exploit / clock["n_active"],
                "q_out": clock["rate"] / known.n_arms,
                "q_in": clock["rate"] / known.n_arms + exploit / clock["n_active"],
            }[name]
        )

    return ranges.equal_to("what follows from the rate", expected)


_ROUND = ranges.whole(0, "clock.round")
_ROUND_OR_NONE = ranges.whole(-1, "clock.round")
_BETWEEN_ROUNDS = ranges.whole(-1, -1)

EPISODIC_RANGES: Ranges = {
    "rule": dict.fromkeys(RULE.names or (), ranges.FIXED),
    "replays": REPLAY_RANGES,
    "reference": REFERENCE_RANGES,
    "journal": JOURNAL_RANGES,
    "clock": {
        "round": ranges.whole(0, "told"),
        "episode": _ROUND,
        "depth": ranges.whole(1, lambda known: len(known.state.bases)),
        "version": ranges.whole(0, ranges.LONGEST_SESSION),
        "stale": ranges.equal_to("the version", lambda known: known.state.clock["version"]),
        "n_active": ranges.whole(1, "arms"),
        "last_absent": _ROUND_OR_NONE,
        "last_evidence": _ROUND_OR_NONE,
        "rate": ranges.real(lambda known: _rate(known, known.told), lambda known: _rate(known, 0)),
        "inverse_rate": ranges.equal_to("1 / rate", _inverse_rate),
        **{
            name: _part_of_rate(name)
            for name in ("explore_scale", "exploit_scale", "q_active", "q_out", "q_in")
        },
        "inverse_sum": ranges.WEIGHT,
        "inverse_max": ranges.WEIGHT,
        "tick_max": ranges.WEIGHT,
        "scale": ranges.real(
            lambda known: _scale(known, 0) * (1 - 1e-9),
            lambda known: _scale(known, known.told) * (1 + 1e-9),
        ),
        "refresh": ranges.whole(lambda known: known.state.clock["round"][0] + 1, _last_refresh),
        "n_found": ranges.whole(0, 0),
        "candidate": ranges.AN_ARM,
        "candidate_since": _ROUND,
    },
    "bases": ranges.such_that("bases within each other", _is_stack),
    "bases.inverse_sum": ranges.WEIGHT,
    "bases.inverse_max": ranges.WEIGHT,
    "clock.wake": ranges.equal_to("the next round with work", _wake),
    "arms": {
        "evidence": _ROUND_OR_NONE,
        "absent": _ROUND_OR_NONE,
        "since": ranges.whole(0, "clock.version"),
        "found": _BETWEEN_ROUNDS,
        "beaten_by": ranges.AN_ARM,
        "weight": ranges.AN_ARM,
        "statistic": ranges.NUMBER,
        "threshold": ranges.NUMBER,
        "out": ranges.FLAG,
    },
    "is_active": ranges.equal_to(
        "whether there is no evidence since the base began",
        lambda known: known.state.arms["evidence"] < _top(known)["start"],
    ),
    "active": ranges.such_that(
        "the active arms first",
        lambda active, known: (
            ((active >= 0) & (active < known.n_arms)).all()
            and known.state.clock["n_active"][0] == known.state.is_active.sum()
            and (
                active[: known.state.clock["n_active"][0]] == np.flatnonzero(known.state.is_active)
            ).all()
        ),
    ),
    "valid": ranges.ANYTHING,
    "sums": ranges.NUMBER,
    "base_sums": ranges.NUMBER,
    "snapshots": {
        "inverse_sum": ranges.WEIGHT,
        "inverse_max": ranges.WEIGHT,
        "drift": ranges.FIXED,
    },
    "level_sums": ranges.NUMBER,
    "past": {
        "inverse_sum": ranges.WEIGHT,
        "inverse_rate": ranges.WEIGHT,
        "jumps": ranges.WEIGHT,
        "slack": ranges.NUMBER,
        "drift": ranges.FIXED,
    },
    "past_sums": ranges.NUMBER,
}
VERSION = ranges.whole(0, ranges.LONGEST_SESSION)
"""The version of the active set that a ticket is from."""
