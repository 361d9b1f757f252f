"""CALIBRATED METABOSSE: METABOSSE's structure with thresholds that work at real horizons.

Episodes, evidence over blocks of all lengths, replays and restarts are METABOSSE's; estimates,
thresholds and rates are calibrated on the tuning half of the benchmark's worlds. The formulas and
what is left of the paper's guarantee are in docs/calibrated.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from driftduel._parameters import bounded
from driftduel.criteria import Borda, Condorcet, Weighted
from driftduel.learners.base import Learner, Literature
from driftduel.learners.calibrated import pairs, scores
from driftduel.learners.calibrated.calibration import FOR_PAIRS, FOR_SCORES, Calibration
from driftduel.learners.calibrated.watching import RULE, full, start_watching, tick_of
from driftduel.learners.history import History
from driftduel.learners.parts.arrays import Ints, Records
from driftduel.learners.parts.journal import read_changes, read_journal
from driftduel.learners.parts.optimism import no_bounds
from driftduel.learners.parts.reference import is_uniform, reference_of, weights_of
from driftduel.learners.parts.replays import schedule_replays
from driftduel.learners.ranges import Range, Ranges
from driftduel.learners.report import Report

State = scores.ScoresState | pairs.PairsState


@dataclass(frozen=True, eq=False)
class CalibratedMetaBosse(Learner):
    """METABOSSE for real horizons: told nothing, tuned by nobody.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner. Borda, Weighted or Condorcet. The horizon does not matter.
    false_restarts : float
        The accepted probability of a restart in a world that does not change.
    calibration : Calibration or mapping, optional
        Other constants, for experiments; a mapping has those that are changed.

    References
    ----------
    After Suk & Agarwal, Non-Stationary Dueling Bandits Under a Weighted Borda Criterion. The
    calibration is ours: docs/calibrated.md.

    Examples
    --------
    >>> learner = CalibratedMetaBosse(3, seed=1)
    >>> for n in range(4000):
    ...     duel = learner.ask()
    ...     best = 0 if n < 2000 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best(), len(learner.episodes)
    (2, 2)
    """

    _: KW_ONLY
    false_restarts: float = bounded(0.01, above=0, most=0.5)
    calibration: Calibration | None = None

    literature: ClassVar = Literature(
        paper="after Suk & Agarwal, Non-Stationary Dueling Bandits Under a Weighted Borda "
        "Criterion; ours",
        bound="none proved; random replays at a thousandth of the paper's rate",
        needs="nothing",
        cost="O(1); Condorcet O(K) when it explores",
    )
    serves = (Borda, Weighted, Condorcet)

    full = staticmethod(full)
    relearns = False

    def __post_init__(self) -> None:
        if isinstance(self.calibration, Mapping):
            # A table says what is changed of the constants that ship for the criterion.
            unknown = isinstance(self.criterion, Condorcet) or (
                isinstance(self.criterion, str) and self.criterion == Condorcet.name
            )
            shipped = asdict(FOR_PAIRS if unknown else FOR_SCORES)
            object.__setattr__(self, "calibration", {**shipped, **self.calibration})
        super().__post_init__()

    @property
    def unknown(self) -> bool:
        """Whether the weight is unknown, as for Condorcet."""
        return isinstance(self.criterion, Condorcet)

    @property
    def choose(self) -> Any:  # type: ignore[override]
        """The kernel that picks a pair."""
        return pairs.choose if self.unknown else scores.choose

    @property
    def learn(self) -> Any:  # type: ignore[override]
        """The kernel that takes in an outcome."""
        return pairs.learn if self.unknown else scores.learn

    @property
    def settle(self) -> Any:  # type: ignore[override]
        """The kernel that does the rare work."""
        return pairs.settle if self.unknown else scores.settle

    @property
    def ranges(self) -> Ranges:  # type: ignore[override]
        """What the numbers of the state may be."""
        return pairs.PAIRS_RANGES if self.unknown else scores.SCORES_RANGES

    @property
    def ticket(self) -> tuple[Range, ...]:  # type: ignore[override]
        """What the numbers of a ticket may be."""
        return pairs.PAIRS_TICKET if self.unknown else scores.SCORES_TICKET

    def allocate(self) -> State:
        """Return the state before the first round."""
        constants = self.calibration or (FOR_PAIRS if self.unknown else FOR_SCORES)
        weights, starts = weights_of(self.criterion, self.n_arms)
        rule = self._rule(constants, even=self.unknown or is_uniform(weights))
        watching = start_watching(self.n_arms, rule, constants.replay_rate)
        if self.unknown:
            return pairs.start_pairs(watching, no_bounds(self.n_arms, constants.optimism, np.inf))
        return scores.start_scores(watching, reference_of(weights, starts))

    def begin(self, state: State, rng: np.random.Generator) -> None:
        """Draw the replays of the first episode."""
        schedule_replays(state.watching.replays, rng, 0)

    def best_of(self, state: State) -> int:
        """Return the leader."""
        return int(state.watching.clock[0]["leader"])

    def active_of(self, state: State) -> Ints:
        """Return the leader and the arms that may be as good."""
        return np.array(state.watching.active[: state.watching.clock[0]["n_active"]])

    def collect(self, state: State, history: History) -> None:
        """Move what the journal holds into the history."""
        read_journal(state.watching.journal, history)

    def report(self) -> Report:
        """Return who leads now and since when, and what changed; print it to read it."""
        session = self.session
        with session.lock:
            clock = session.state.watching.clock[0]
            changes = read_changes(session.state.watching.changes, int(clock["restarts"]))
            return replace(super().report(), since=int(clock["led"]), changes=tuple(changes))

    def _rule(self, constants: Calibration, *, even: bool) -> Records:
        rule = np.zeros(1, RULE)
        for name in ("alarm", "watch", "keep", "doubt", "learn", "spread", "fade", "slow_fade"):
            rule[name] = getattr(constants, name)
        rule["unknown"] = self.unknown
        rule["uniform"] = even
        rule["tick"] = 2 if self.unknown else tick_of(self.n_arms)
        rule["proof"] = constants.proof + math.log(self.n_arms / self.false_restarts)
        rule["likely"] = constants.likely + math.log(self.n_arms)
        return rule
