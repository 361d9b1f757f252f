"""CALIBRATED METABOSSE: METABOSSE's structure with thresholds that work at real horizons.

Episodes, evidence over blocks of all lengths, replays and restarts are METABOSSE's; estimates,
thresholds and rates are calibrated on the tuning half of the benchmark's worlds. The formulas and
what is left of the paper's guarantee are in docs/calibrated.md.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from driftduel.criteria import Borda, Condorcet, Weighted
from driftduel.learners.base import Learner, Literature, as_positive
from driftduel.learners.calibrated import pairs, scores
from driftduel.learners.calibrated.account import Account, account_of
from driftduel.learners.calibrated.watching import (
    MOST_CHANGES,
    RULE,
    STEPS,
    fresh_clock,
    start_replays,
    tick_of,
)
from driftduel.learners.episodic.bosse import PAPER
from driftduel.learners.episodic.learner import Episodic
from driftduel.learners.episodic.meta import journal_full
from driftduel.learners.episodic.state import JOURNAL_COLUMNS, MIX, NEVER, Floats, Ints
from driftduel.learners.parts.optimism import no_bounds, no_fading
from driftduel.learners.parts.reference import alias_table
from driftduel.weights import uniform

_LEVELS = 40
"""Blocks of up to 2^40 looks."""


@dataclass(frozen=True)
class Calibration:
    """The numbers of `CalibratedMetaBosse`; none of them needs to be set.

    Parameters
    ----------
    alarm : float
        The likelihood ratio at which a drop of the leader makes the learner look again.
    proof : float
        What the threshold of a restart adds to ln(K / false_restarts).
    likely : float
        What the threshold of a likely change, after which memory fades faster, adds to ln K.
    watch : float
        Multiplies the balanced rate of watching.
    keep : float
        What is left of old knowledge when the learner looks again.
    fade, slow_fade : float
        Memory lasts the rounds so far over ``slow_fade + fade * likely changes``.
    doubt : float
        Standard deviations behind the leader at which an arm is evicted.
    learn, spread : float
        Multiply the rates of exploring active arms and all arms while several are active.
    optimism : float
        The factor of ln n in the bounds of pairs, for Condorcet only.
    replay_rate : float
        Multiplies the paper's probability of a replay.
    """

    alarm: float = 4.0
    proof: float = 4.5
    likely: float = 6.0
    watch: float = 0.35
    keep: float = 0.1
    fade: float = 6.0
    slow_fade: float = 0.0
    doubt: float = 1.5
    learn: float = 0.5
    spread: float = 0.2
    optimism: float = 0.05
    replay_rate: float = 0.001

    def __post_init__(self) -> None:
        for name in ("alarm", "keep", "doubt", "optimism"):
            as_positive(getattr(self, name), name, 1.0 if name == "keep" else math.inf)
        for name in ("watch", "fade", "slow_fade", "learn", "spread", "replay_rate"):
            if getattr(self, name) != 0:
                as_positive(getattr(self, name), name)
        for name in ("proof", "likely"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or math.isnan(value):
                raise ValueError(f"{name} is {value!r}, must be a number")


SCORES = Calibration()
"""For known weights."""

PAIRS = Calibration(proof=7.0, likely=4.0, watch=0.1, fade=10.0, slow_fade=2.0)
"""For Condorcet."""


@dataclass(frozen=True, eq=False)
class CalibratedMetaBosse(Learner):
    """METABOSSE for real horizons: told nothing, tuned by nobody.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner. Borda, Weighted or Condorcet. The horizon does not matter.
    false_restarts : float
        The accepted probability of a restart in a world that does not change.
    calibration : Calibration, optional
        Other constants, for experiments.

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
    false_restarts: float = 0.01
    calibration: Calibration | None = None

    literature: ClassVar = Literature(
        paper=f"after {PAPER}; ours",
        bound="none proved; random replays at a thousandth of the paper's rate",
        told="nothing",
        cost="O(1); Condorcet O(K) when it explores",
    )

    full = staticmethod(journal_full)
    relearns = False
    active_of = Episodic.active_of
    collect = Episodic.collect

    def validate(self) -> None:
        """Raise ValueError if the learner's own parameters are wrong."""
        if not isinstance(self.criterion, Borda | Weighted | Condorcet):
            raise ValueError(
                f"criterion is {self.criterion.name!r}, must be 'borda', 'condorcet' or Weighted(w)"
            )
        as_positive(self.false_restarts, "false_restarts", 0.5)
        if not isinstance(self.calibration, Calibration | None):
            raise ValueError(f"calibration is {self.calibration!r}, must be a Calibration")

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

    def allocate(self) -> scores.ScoresState | pairs.PairsState:
        """Return a fresh state."""
        state = self._pairs() if self.unknown else self._scores()
        state.clock["wake"] = 1
        return state

    def begin(self, state: scores.ScoresState | pairs.PairsState, rng: np.random.Generator) -> None:
        """Draw the replays of the first episode."""
        start_replays(state, rng)

    def best_of(self, state: scores.ScoresState | pairs.PairsState) -> int:
        """Return the leader."""
        return int(state.clock[0]["leader"])

    def report(self) -> Account:
        """Return who is best now, since when and how sure, and what changed; print it to read.

        Examples
        --------
        >>> learner = CalibratedMetaBosse(2, seed=1, labels=["tea", "coffee"])
        >>> for _ in range(400):
        ...     duel = learner.ask()
        ...     learner.tell(duel, 0.5 + 0.5 * (duel.left - duel.right))
        >>> print(learner.report())
        After 400 rounds coffee is best, since round 1.
        ...
        """
        session = self.session
        with session.lock:
            return account_of(super().report(), session.state)

    def _rule(self, *, even: bool) -> np.ndarray:
        constants = self.calibration or (PAIRS if self.unknown else SCORES)
        rule = np.zeros(1, RULE)
        for name in ("alarm", "watch", "keep", "doubt", "learn", "spread", "fade", "slow_fade"):
            rule[name] = getattr(constants, name)
        rule["unknown"] = self.unknown
        rule["uniform"] = even
        rule["tick"] = 2 if self.unknown else tick_of(self.n_arms)
        rule["proof"] = constants.proof + math.log(self.n_arms / self.false_restarts)
        rule["likely"] = constants.likely + math.log(self.n_arms)
        rule["anytime"] = 1
        rule["replays"] = constants.replay_rate
        rule["replay_length"] = -1 / 3
        rule["replay_age"] = -2 / 3
        return rule

    def _scores(self) -> scores.ScoresState:
        k = self.n_arms
        weights, starts = self._weights()
        mix = np.zeros(weights.shape, MIX)
        mix["weight"] = weights
        for row, weight in zip(mix, weights, strict=True):
            row["chance"], row["other"] = alias_table(weight)
        clock = fresh_clock()
        clock["n_active"] = k
        clock["next_weight"] = starts[1]
        rule = self._rule(even=bool(np.ptp(weights, axis=1).max() < 1e-12))
        clock["next_check"] = rule["tick"]
        moments = np.zeros((_LEVELS, STEPS), scores.MOMENT)
        moments["looks"][:, 1:] = -1
        return scores.ScoresState(
            clock=clock,
            rule=rule,
            arms=_untold(k),
            active=np.arange(k),
            is_active=np.ones(k, np.bool_),
            reference=np.zeros(1, scores.REFERENCE),
            known=np.zeros((2, k)),
            sums=np.zeros((2, k)),
            since=np.zeros((2, k)),
            before=np.zeros((2, k)),
            fresh=np.zeros((2, k)),
            moments=moments,
            moment_sums=np.zeros((_LEVELS, STEPS, 2, k)),
            changes=np.zeros((MOST_CHANGES, 4)),
            replay_at=np.full(_LEVELS, NEVER),
            mix=mix,
            weight_starts=starts,
            journal=np.zeros((2 * k + 64, JOURNAL_COLUMNS)),
        )

    def _pairs(self) -> pairs.PairsState:
        k = self.n_arms
        constants = self.calibration or PAIRS
        clock = fresh_clock()
        clock["n_active"] = k
        clock["next_check"] = 2
        moments = np.zeros((_LEVELS, STEPS), pairs.MOMENT)
        moments["looks"] = -1
        return pairs.PairsState(
            optimism=no_bounds(k, constants.optimism, np.inf),
            fading=no_fading(1.0),
            clock=clock,
            rule=self._rule(even=True),
            arms=_untold(k),
            active=np.arange(k),
            is_active=np.ones(k, np.bool_),
            trial=np.zeros(1, pairs.TRIAL),
            totals=np.zeros((2, k, k)),
            scores=np.zeros((2, k)),
            watched=np.zeros(2),
            fresh=np.zeros((2, k)),
            moments=moments,
            changes=np.zeros((MOST_CHANGES, 4)),
            replay_at=np.full(_LEVELS, NEVER),
            journal=np.zeros((2 * k + 64, JOURNAL_COLUMNS)),
        )

    def _weights(self) -> tuple[Floats, Ints]:
        """Return the known weights (N, K) and when each begins to hold, closed by never."""
        if isinstance(self.criterion, Weighted):
            sequence = self.criterion.weight
            return np.array(sequence.table), np.append(sequence.starts, NEVER)
        return uniform(self.n_arms)[None], np.array([0, NEVER])


def _untold(n_arms: int) -> np.ndarray:
    arms = np.zeros(n_arms, scores.ARM)
    arms["told"] = -1
    return arms
