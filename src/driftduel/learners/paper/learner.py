"""What learners with episodes, bases and replays have in common: METABOSSE, ANACONDA, METASWIFT.

One meta-algorithm (`driftduel.learners.paper.meta`) over one way of testing intervals
(`driftduel.learners.paper.evidence`); a learner adds how it plays, what it estimates and a
`Plan`.
"""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from driftduel._support.checks import BadParameter, as_count
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.paper import meta
from driftduel.learners.paper.state import (
    ARM,
    BASE,
    CLOCK,
    EPISODIC_RANGES,
    PAST,
    RULE,
    SNAPSHOT,
    TEST_SCORES,
    EpisodicState,
)
from driftduel.learners.parts.arrays import Floats, Ints
from driftduel.learners.parts.journal import no_journal, read_journal
from driftduel.learners.parts.reference import reference_of, weights_of
from driftduel.learners.parts.replays import no_replays

_ANYTIME_ROUNDS = 2**40


@dataclass(frozen=True)
class Plan:
    """What a learner tells the meta-algorithm about itself; the fields of RULE in state.py."""

    scale: float
    smallest_block: int
    drift: float
    power: float
    range: float
    variance: float = 0.0
    test: int = TEST_SCORES
    switch: float = 1.0
    unknown: bool = False
    uniform: bool = True
    share: float = 1.0
    rate: float = 0.0
    cap: float = 0.0
    refresh: float = 1.0
    replays: float = 0.0
    replay_length: float = -0.5
    replay_age: float = -0.5
    least_rounds: int = 2
    pairs: bool = True


@dataclass(frozen=True, eq=False)
class Episodic(Learner):
    """A learner that tests intervals of rounds, evicts arms and may replay and restart.

    Parameters
    ----------
    intervals : "dyadic" or "all"
        Which intervals are tested: blocks of lengths 2^k in linear time, or every one, the
        papers' rule in quadratic time.
    steps : int
        A block of length n may start at every multiple of n / steps; a power of 2.
    prefix : bool
        Also test the life of the active base each time it grew by a tenth.
    smallest_block : int, optional
        The shortest block, a power of 2; by default the shortest that a true difference could
        make fire.
    estimator : "centred" or "raw"
        Estimate from O - 1/2 or from O; the same differences, but the latter varies more.
    """

    _: KW_ONLY
    intervals: Literal["dyadic", "all"] = "dyadic"
    steps: int = bounded(4, least=1)
    prefix: bool = True
    smallest_block: int | None = bounded(None, least=2)
    estimator: Literal["centred", "raw"] = "centred"

    _ranges = EPISODIC_RANGES
    _graded = True
    _settle = staticmethod(meta.settle)
    _full = staticmethod(meta.full)

    @abstractmethod
    def _plan(self) -> Plan:
        """Return what the meta-algorithm has to know."""

    def _validate(self) -> None:
        """Raise BadParameter if parameters do not fit each other."""
        for name in ("steps", "smallest_block"):
            value = getattr(self, name)
            if value is not None and value & (value - 1):
                raise BadParameter(name, f"is {value}, must be a power of 2")
        if self.smallest_block is not None:
            as_count(self.smallest_block, "smallest_block", self.steps)
        if self.intervals == "all" and self.horizon is None:
            raise BadParameter("intervals", "is 'all', which needs a horizon: it keeps every round")

    def _allocate(self) -> EpisodicState:
        """Return a fresh state before the first episode."""
        plan = self._plan()
        state = self._arrays(plan)
        self._set_rule(state, plan)
        return state

    def _begin(self, state: EpisodicState, rng: np.random.Generator) -> None:
        """Begin the first episode."""
        meta.begin_episode(state, rng)

    def _block(self, plan: Plan) -> int:
        """Return the shortest block that is tested."""
        if self.smallest_block is not None:
            return self.smallest_block
        return max(self.steps, 1 << (max(2, plan.smallest_block).bit_length() - 1))

    def _weights(self) -> tuple[Floats, Ints]:
        """Return the known weights (N, K) and when each begins to hold, closed by never."""
        return weights_of(self.criterion, self.n_arms)

    def _arrays(self, plan: Plan) -> EpisodicState:
        k = self.n_arms
        w = k if plan.pairs else 1
        test_all = self.intervals == "all"
        rounds = self.horizon or _ANYTIME_ROUNDS
        block = self._block(plan)
        levels = 0 if test_all else (rounds // block).bit_length()
        lengths = max(1, math.ceil(math.log2(max(rounds, 2)))) if plan.replays else 0
        depth = lengths + 2
        kept = rounds + 1 if test_all else 0
        prefix = 0 if test_all or not self.prefix else depth
        _refuse_if_too_large(8 * w * k * (1 + prefix + levels * self.steps + kept), self)
        state = EpisodicState(
            clock=np.zeros(1, CLOCK),
            rule=np.zeros(1, RULE),
            arms=np.zeros(k, ARM),
            active=np.arange(k),
            is_active=np.zeros(k, np.bool_),
            valid=np.zeros(k + 1, np.int64),
            sums=np.zeros((w, k)),
            bases=np.zeros(depth, BASE),
            base_sums=np.zeros((prefix, w, k)),
            snapshots=np.zeros((levels, max(self.steps, 2)), SNAPSHOT),
            level_sums=np.zeros((levels, self.steps, w, k)),
            replays=no_replays(
                lengths,
                plan.replays,
                plan.replay_length,
                plan.replay_age,
                grows=self.horizon is None,
            ),
            reference=reference_of(*self._weights()),
            journal=no_journal(k),
            past=np.zeros(kept, PAST),
            past_sums=np.zeros((kept, w, k)),
        )
        for name in ("evidence", "absent", "found"):
            state.arms[name] = -1
        lengths_of_blocks = block * 2.0 ** np.arange(levels)
        state.snapshots["drift"] = (lengths_of_blocks[:, None] - 1) ** plan.power
        state.past["drift"] = np.arange(kept) ** plan.power
        return state

    def _set_rule(self, state: EpisodicState, plan: Plan) -> None:
        test_all = self.intervals == "all"
        tick = 1 if test_all else self._block(plan) // self.steps
        rule = state.rule[0]
        for name in (
            *("unknown", "uniform", "share", "test", "switch", "drift", "power", "variance"),
            *("range", "rate", "cap"),
        ):
            rule[name] = getattr(plan, name)
        rule["centre"] = 0.5 if self.estimator == "centred" else 0.0
        rule["constant"] = plan.scale
        rule["anytime"] = self.horizon is None
        rule["least"] = plan.least_rounds
        rule["refresh"] = 0.0 if test_all else plan.refresh
        rule["restarts"] = plan.replays > 0
        rule["all"] = test_all
        rule["steps"] = 1 if test_all else self.steps
        rule["tick_power"] = tick.bit_length() - 1
        rule["prefix"] = 0.1 if self.prefix and not test_all else 0.0
        clock = state.clock[0]
        clock["scale"] = plan.scale * math.log(max(plan.least_rounds, self.horizon or 2))

    def _check_horizon(self, horizon: int) -> None:
        """Raise ValueError if every round is kept and there are more than planned for."""
        if self.intervals == "all" and self.horizon is not None and horizon > self.horizon:
            raise ValueError(
                f"the horizon of {self.horizon} rounds is over; with intervals='all' a longer "
                "one must be asked for at the start"
            )

    def _active_of(self, state: EpisodicState) -> Ints:
        """Return the active arms of the base that plays."""
        return np.array(state.active[: state.clock[0]["n_active"]])

    def _collect(self, state: EpisodicState, history: History) -> None:
        """Move what the journal holds into the history."""
        read_journal(state.journal, history)


def _refuse_if_too_large(n_bytes: int, learner: Learner) -> None:
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError):
        memory = 8 << 30
    if n_bytes > 0.8 * memory:
        raise ValueError(
            f"{type(learner).__name__} with {learner.n_arms} arms would need "
            f"{n_bytes / 2**30:,.1f} GiB, this machine has {memory / 2**30:,.1f} GiB"
        )
