"""DRIFTDUEL: without prior knowledge, it plays the best arm and notices when another one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, asdict, dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.offer import changes_of
from driftduel.learners.contract.report import Change, Report
from driftduel.learners.driftduel import rounds
from driftduel.learners.driftduel.carry import carry_state
from driftduel.learners.driftduel.constants import Calibration, rule_of
from driftduel.learners.driftduel.knowledge import score_all
from driftduel.learners.driftduel.plan import make_plan
from driftduel.learners.driftduel.state import (
    NOBODY,
    STATE_RANGES,
    STATE_TICKET,
    DriftDuelState,
    start_state,
)
from driftduel.learners.parts.arrays import Ints
from driftduel.learners.parts.dates import date_change
from driftduel.learners.parts.findings import counts_of, findings
from driftduel.learners.parts.journal import read_changes, read_journal
from driftduel.learners.parts.reference import is_uniform, reference_of, weights_of
from driftduel.learners.parts.replays import schedule_replays
from driftduel.learners.parts.tally import go_on_counting, note_leader
from driftduel.matrix.criteria import Borda, Condorcet, Weighted
from driftduel.votes.proof.counts import Counts


@dataclass(frozen=True, eq=False)
class DriftDuel(Learner):
    """The library's own learner for regret: no prior knowledge, no tuning.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner. Borda, Weighted or Condorcet. The horizon does not matter.
    false_restarts : float
        The accepted probability of a restart in a world that does not change.
    regret : {"strong", "weak"}
        What a round costs: by the mean of its two arms, or by the better one alone. If weak, the
        leader is tossed for where it would play itself: to watch is then free, and every duel is
        of two arms. For whoever shows two things and is judged by the better one.
    calibration : Calibration or mapping, optional
        Other constants, for experiments; a mapping has those that are changed.

    References
    ----------
    Ours; docs/driftduel.md says which parts come from whom.

    Examples
    --------
    >>> learner = DriftDuel(3, seed=1)
    >>> for n in range(4000):
    ...     duel = learner.ask()
    ...     best = 0 if n < 2000 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> (change,) = learner.report().changes
    >>> change.before, change.after, change.earliest <= 2000 <= change.latest
    (0, 2, True)
    """

    _: KW_ONLY
    false_restarts: float = bounded(0.01, above=0, most=0.5)
    regret: Literal["strong", "weak"] = "strong"
    calibration: Calibration | None = None

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="ours; episodes, replays and restarts after Suk & Agarwal, Non-Stationary Dueling "
        "Bandits Under a Weighted Borda Criterion",
        bound="none proved",
        needs="nothing",
        cost="O(1) where one arm is clearly best, O(K) a duel of two arms",
    )
    _criteria = (Borda, Weighted, Condorcet)
    can_change_arms = True
    _noop_ticket = (1.0, NOBODY)

    _choose = staticmethod(rounds.choose)
    _learn = staticmethod(rounds.learn)
    _settle = staticmethod(rounds.settle)
    _full = staticmethod(rounds.full)
    _ranges = STATE_RANGES
    _ticket = STATE_TICKET
    _replayable = False

    def __post_init__(self) -> None:
        if isinstance(self.calibration, Mapping):
            changed = {**asdict(Calibration()), **self.calibration}
            object.__setattr__(self, "calibration", changed)
        super().__post_init__()

    def _allocate(self) -> DriftDuelState:
        """Return the state before the first round."""
        weights, starts = weights_of(self.criterion, self.n_arms)
        constants = self.calibration or Calibration()
        rule = rule_of(
            constants,
            self.n_arms,
            self.false_restarts,
            scored=not isinstance(self.criterion, Condorcet),
            uniform=is_uniform(weights),
            weak=self.regret == "weak",
        )
        return start_state(rule, reference_of(weights, starts))

    def _begin(self, state: DriftDuelState, rng: np.random.Generator) -> None:
        """Draw the first leader and the replays of the first episode, and plan."""
        schedule_replays(state.replays, rng, 0)
        leader = int(rng.random() * self.n_arms)
        state.clock["leader"] = leader
        state.clock["strongest"] = leader
        score_all(state)
        make_plan(state, rng)

    def _carry(self, state: DriftDuelState, kept: Ints, rng: np.random.Generator) -> DriftDuelState:
        """Go on with what is known of the arms that stay; a new one is met often at first."""
        fresh = self._allocate()
        panel = isinstance(self.criterion, Weighted)
        carry_state(state, fresh, kept, rng, weights_changed=not panel)
        clock = fresh.clock[0]
        go_on_counting(state.tally, fresh.tally, int(clock["round"]))
        note_leader(fresh.tally, int(clock["leader"]), int(clock["led"]))
        return fresh

    def _changes_of(self, state: DriftDuelState) -> list[Change]:
        """Return the latest changes proved up to this state."""
        return read_changes(state.changes, int(state.clock[0]["restarts"]))

    def _counts_of(
        self,
        state: DriftDuelState,
        kept: Counts | None,
        arms: Sequence[int],
        n_arms: int,
        told: int,
    ) -> Counts:
        """Return all votes since the world last changed."""
        return counts_of(kept, state.tally, arms, n_arms, told)

    def _best_of(self, state: DriftDuelState) -> int:
        """Return the leader."""
        return int(state.clock[0]["leader"])

    def _active_of(self, state: DriftDuelState) -> Ints:
        """Return the leader and the arms that may be better."""
        return np.array(state.active[: state.clock[0]["n_active"]])

    def _vote_chance_of(self, state: DriftDuelState) -> float:
        """Return the chance of a duel of two arms by the plan."""
        return 1.0 if self.regret == "weak" else float(state.plan[0]["total"])

    def _doubt_of(self, state: DriftDuelState) -> int | None:
        """Return the round around which the world likely changed, while that is on trial."""
        clock, trial = state.clock[0], state.trial[0]
        if not (trial["on"] and trial["counted"]) or clock["leader"] == trial["accused"]:
            return None
        timeline = deepcopy(state.timeline)  # a date is worked out in it
        earliest, latest = date_change(
            timeline, clock["changed"], trial["accused"], clock["leader"]
        )
        return int(earliest + latest) // 2

    def report(self) -> Report:
        """Return who leads now and since when, and what changed; print it to read it."""
        session = self._session
        with session.lock:
            clock = session.state.clock[0]
            changes = tuple(changes_of(session, self))
            arms = session.offered(self)
            state, kept = session.state, session.history.counts
            counts = self._counts_of(state, kept, arms, self.n_arms, session.told)
            weight = state.reference.mix["weight"][state.reference.turn[0]["row"]]
            return replace(
                super().report(),
                since=int(clock["led"]),
                changes=changes,
                doubt=self._doubt_of(session.state),
                **findings(counts, state.tally, arms, int(clock["leader"]), weight),
            )

    def _collect(self, state: DriftDuelState, history: History) -> None:
        """Move what the journal holds into the history."""
        read_journal(state.journal, history)
