"""BOSSE: soft elimination by (weighted) Borda scores (Suk & Agarwal, Algorithm 1).

A round is played from ``q = (1 - eta) Unif(active arms) + eta Unif(W)``, both arms independently,
and estimates ``bhat(a, w) = 1{i = a} w[j] (O - 1/2) / (q(a) q(j))``. W is the known weight, or
for Condorcet the K point masses. The exploration rate after n rounds of a base is
``eta = min(1, K^(1/3) n^(-1/3))``, with K^(2/3) for unknown weights.
"""

from __future__ import annotations

import math
import os
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from driftduel._jit import inline_kernel, kernel
from driftduel.criteria import Borda, Condorcet, Weighted
from driftduel.learners import meta
from driftduel.learners.base import (
    Eviction,
    History,
    Learner,
    Literature,
    Replay,
    as_count,
    as_positive,
)
from driftduel.learners.sampling import alias_table
from driftduel.learners.state import (
    ARM,
    BASE,
    CLOCK,
    EPISODE,
    JOURNAL_COLUMNS,
    MIX,
    NEVER,
    PAST,
    REPLAY,
    RULE,
    SNAPSHOT,
    BosseState,
    Floats,
    Ints,
)
from driftduel.weights import uniform

_ANYTIME_ROUNDS = 2**40


PAPER = "Suk & Agarwal, Non-Stationary Dueling Bandits Under a Weighted Borda Criterion"


@dataclass(frozen=True)
class Constants:
    """The numbers that the paper leaves open, or that its letter sets too large or too small.

    Parameters
    ----------
    scale : float
        C in the threshold ``C log(T) F``.
    point_mass_range : int
        The power of K in the last term of F for unknown weights. The estimate is as large as
        K^2/eta, so 2 is right; the paper's letter says 1.
    cap : float
        The largest exploration rate for a weight that is not uniform. At 1 an arm without
        weight is not played at all and its estimate is biased; the paper's letter has no cap.
    refresh : float
        A base computes its exploration rate anew when its age grew by this share. The rate used
        is the rate recorded; at 1/32 it is at most 1 % above the paper's, at 0 equal to it.
    """

    scale: float
    point_mass_range: int = 2
    cap: float = 0.5
    refresh: float = 1 / 32


def calibrated(n_arms: int, *, unknown: bool) -> Constants:
    """Return constants that stay quiet on ties: at most 1 run in 100 evicts an arm.

    Measured for METABOSSE with 2 to 50 arms and 10^4 to 10^6 rounds in which every duel is a
    coin toss (benchmarks/calibration.py). The largest of the statistics a run computes grows
    with the number of arms, hence the logarithm.
    """
    scale = 0.21 + 0.026 * math.log(n_arms) if unknown else 0.18 + 0.028 * math.log(n_arms)
    return Constants(scale)


THEORY = Constants(scale=10 * (math.e - 1), point_mass_range=1, cap=1.0, refresh=0.0)
"""The paper's own: evicts nothing before about 10^9 rounds."""


@inline_kernel
def choose(
    state: BosseState, rng: np.random.Generator
) -> tuple[int, int, tuple[float, float, float, float]]:
    """Draw both arms from the mixture, with one uniform number each."""
    clock = state.clock[0]
    rule = state.rule[0]
    if rule["uniform"]:
        left = _draw_uniform(state, rng.random())
        right = _draw_uniform(state, rng.random())
        q_left = clock["q_in"] if state.is_active[left] else clock["q_out"]
        q_right = clock["q_in"] if state.is_active[right] else clock["q_out"]
        share = rule["share"]
    else:
        left = _draw_weighted(state, rng.random())
        right = _draw_weighted(state, rng.random())
        mix = state.mix[clock["weight_row"]]
        q_left = clock["rate"] * mix[left]["weight"] + clock["q_active"] * state.is_active[left]
        q_right = clock["rate"] * mix[right]["weight"] + clock["q_active"] * state.is_active[right]
        share = mix[right]["weight"]
    chance = q_left * q_right
    return left, right, (chance, clock["inverse_rate"], share, float(clock["version"]))


@inline_kernel
def _draw_uniform(state: BosseState, number: float) -> int:
    # Both cases are computed and one is kept: a branch on a random number is guessed wrong.
    clock = state.clock[0]
    explore = number < clock["rate"]
    scaled = number * clock["explore_scale"]
    rest = (number - clock["rate"]) * clock["exploit_scale"]
    place = min(int(scaled if explore else rest), state.active.shape[0] - 1)
    arm = state.active[min(place, clock["n_active"] - 1)]
    return place if explore else arm


@kernel
def _draw_weighted(state: BosseState, number: float) -> int:
    clock = state.clock[0]
    if number >= clock["rate"]:
        place = int((number - clock["rate"]) * clock["exploit_scale"])
        return state.active[min(place, clock["n_active"] - 1)]
    scaled = number * clock["explore_scale"]
    arm = min(int(scaled), state.active.shape[0] - 1)
    mix = state.mix[clock["weight_row"], arm]
    return arm if scaled - arm < mix["chance"] else mix["other"]


@inline_kernel
def learn(
    state: BosseState, left: int, right: int, ticket: tuple[float, ...], outcome: float
) -> bool:
    """Add the estimate of one duel to the sums; the rest is due only now and then."""
    clock = state.clock[0]
    row = right if state.rule[0]["unknown"] else 0
    state.sums[row, left] += (outcome - state.rule[0]["centre"]) * ticket[2] / ticket[0]
    inverse = ticket[1]
    clock["inverse_sum"] += inverse
    clock["inverse_max"] = max(clock["inverse_max"], inverse)
    clock["round"] += 1
    stale = ticket[3] < clock["version"]
    if stale:
        clock["stale"] = int(ticket[3])
    return stale or clock["round"] >= clock["wake"]


@dataclass(frozen=True, eq=False)
class Bosse(Learner):
    """BOSSE, the base algorithm: for worlds whose winner does not change.

    Evicted arms never return and there is no restart: if the tests of one round evict every arm
    that is left, the winner of the latest evicting interval stays.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner. Condorcet stands for unknown weights. Without a horizon the
        threshold grows with log t instead of log T.
    constants : "calibrated", "theory" or Constants
        The constants of the threshold and of exploring.
    intervals : "dyadic" or "all"
        Which intervals are tested: blocks of lengths 2^k in linear time, or every one, the
        paper's rule in quadratic time.
    steps : int
        A block of length n may start at every multiple of n / steps; a power of 2.
    prefix : bool
        Also test the life of the active base each time it grew by a tenth.
    smallest_block : int, optional
        The shortest block, a power of 2; by default about 8 K, 8 K^2 for unknown weights, below
        which no true difference can reach the threshold.
    estimator : "centred" or "raw"
        Estimate from O - 1/2 or from O; the same gaps, but the latter varies more.

    References
    ----------
    Suk & Agarwal, Non-Stationary Dueling Bandits Under a Weighted Borda Criterion, Algorithm 1.
    Regret K^(1/3) T^(2/3) for a known weight, K^(2/3) T^(2/3) for unknown ones under GIC, up to
    logarithms, when one arm stays best.

    Examples
    --------
    >>> learner = Bosse(3, horizon=1000, seed=1)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    constants: str | Constants = "calibrated"
    intervals: str = "dyadic"
    steps: int = 4
    prefix: bool = True
    smallest_block: int | None = None
    estimator: str = "centred"

    literature: ClassVar = Literature(
        paper=f"{PAPER}, Algorithm 1",
        bound="K^(1/3) T^(2/3) Borda or weighted, K^(2/3) T^(2/3) Condorcet under GIC, if one arm "
        "stays best",
        told="nothing",
        cost="O(1)",
    )

    choose = staticmethod(choose)
    learn = staticmethod(learn)
    settle = staticmethod(meta.settle)
    full = staticmethod(meta.journal_full)

    @property
    def _replays(self) -> float:
        """The multiplier of the replay probability; without replays there is no restart."""
        return 0.0

    def validate(self) -> None:
        """Raise ValueError if the learner's own parameters are wrong."""
        if not isinstance(self.criterion, Borda | Weighted | Condorcet):
            raise ValueError(
                f"criterion is {self.criterion.name!r}, must be 'borda', 'condorcet' or Weighted(w)"
            )
        _one_of(self.intervals, "intervals", ("dyadic", "all"))
        _one_of(self.estimator, "estimator", ("centred", "raw"))
        if not isinstance(self.constants, Constants):
            _one_of(self.constants, "constants", ("calibrated", "theory"))
        as_count(self.steps, "steps", 1)
        if self.steps & (self.steps - 1):
            raise ValueError(f"steps is {self.steps}, must be a power of 2")
        if self.smallest_block is not None:
            as_count(self.smallest_block, "smallest_block", max(2, self.steps))
            if self.smallest_block & (self.smallest_block - 1):
                raise ValueError(f"smallest_block is {self.smallest_block}, must be a power of 2")
        if self.intervals == "all" and self.horizon is None:
            raise ValueError("intervals='all' needs a horizon, it keeps every round in memory")

    @property
    def unknown(self) -> bool:
        """Whether the weight is unknown, as for Condorcet."""
        return isinstance(self.criterion, Condorcet)

    @property
    def scale(self) -> float:
        """C in the threshold ``C log(T) F``."""
        return self._constants().scale

    def _constants(self) -> Constants:
        if isinstance(self.constants, Constants):
            return self.constants
        if self.constants == "theory":
            return THEORY
        return calibrated(self.n_arms, unknown=self.unknown)

    def start(self, rng: np.random.Generator) -> BosseState:
        """Return a fresh state at the start of the first episode."""
        state = self._allocate()
        self._set_rule(state)
        meta.begin_episode(state, rng)
        return state

    def _allocate(self) -> BosseState:
        k = self.n_arms
        w = k if self.unknown else 1
        test_all = self.intervals == "all"
        rounds = self.horizon or _ANYTIME_ROUNDS
        block = self._smallest_block()
        levels = 0 if test_all else max(0, (rounds // block).bit_length())
        lengths = max(1, math.ceil(math.log2(max(rounds, 2)))) if self._replays else 0
        depth = lengths + 2
        kept = rounds + 1 if test_all else 0
        prefix = 0 if test_all or not self.prefix else depth
        _refuse_if_too_large(8 * w * k * (1 + prefix + levels * self.steps + kept), self)
        ring = max(self.steps, 2)
        weights, starts = self._weights()
        state = BosseState(
            clock=np.zeros(1, CLOCK),
            rule=np.zeros(1, RULE),
            arms=np.zeros(k, ARM),
            active=np.arange(k),
            is_active=np.zeros(k, np.bool_),
            valid=np.zeros(k + 1, np.int64),
            sums=np.zeros((w, k)),
            bases=np.zeros(depth, BASE),
            base_sums=np.zeros((prefix, w, k)),
            snapshots=np.zeros((levels, ring), SNAPSHOT),
            level_sums=np.zeros((levels, self.steps, w, k)),
            replay_at=np.full(lengths, NEVER),
            mix=np.zeros(weights.shape, MIX),
            weight_starts=starts,
            journal=np.zeros((2 * k + 64, JOURNAL_COLUMNS)),
            past=np.zeros(kept, PAST),
            past_sums=np.zeros((kept, w, k)),
        )
        for name in ("evidence", "absent", "found"):
            state.arms[name] = -1
        lengths_of_blocks = block * 2.0 ** np.arange(levels)
        state.snapshots["drift"] = (lengths_of_blocks[:, None] - 1) ** (2 / 3)
        state.past["drift"] = np.arange(kept) ** (2 / 3)
        state.mix["weight"] = weights
        for row, weight in zip(state.mix, weights, strict=True):
            row["chance"], row["other"] = alias_table(weight)
        return state

    def _set_rule(self, state: BosseState) -> None:
        k = float(self.n_arms)
        constants = self._constants()
        uniform_play = self.unknown or bool(np.ptp(state.mix["weight"], axis=1).max() < 1e-12)
        test_all = self.intervals == "all"
        exact = constants.refresh == 0 or test_all
        rule = state.rule[0]
        rule["unknown"] = self.unknown
        rule["uniform"] = uniform_play
        rule["share"] = 1.0 if self.unknown else 1 / k
        rule["centre"] = 0.5 if self.estimator == "centred" else 0.0
        rule["drift"] = k ** (2 / 3) if self.unknown else k ** (1 / 3)
        rule["variance"] = k * k if self.unknown else k
        rule["range"] = k**constants.point_mass_range if self.unknown else k
        rule["constant"] = constants.scale
        rule["anytime"] = self.horizon is None
        rule["rate"] = rule["drift"]
        rule["cap"] = 1.0 if uniform_play else constants.cap
        rule["refresh"] = 0.0 if exact else constants.refresh
        rule["replays"] = self._replays
        rule["restarts"] = self._replays > 0
        rule["all"] = test_all
        rule["steps"] = 1 if test_all else self.steps
        tick = 1 if test_all else self._smallest_block() // self.steps
        rule["tick_power"] = tick.bit_length() - 1
        rule["prefix"] = 0.1 if self.prefix and not test_all else 0.0
        clock = state.clock[0]
        clock["scale"] = constants.scale * math.log(max(2, self.horizon or 2))
        clock["next_weight"] = state.weight_starts[1]

    def _smallest_block(self) -> int:
        """Return the shortest block worth a test.

        No gap exceeds 1, so the gaps of n rounds cannot reach ``s K^(1/3) n^(2/3)`` with
        ``s = C log T`` unless n exceeds s^3 K (K^2 for unknown weights): what shorter blocks
        find is noise.
        """
        if self.smallest_block is not None:
            return self.smallest_block
        scale = self._constants().scale * math.log(self.horizon or 1000)
        rounds = (8 if scale >= 2 else 2) * self.n_arms ** (2 if self.unknown else 1)
        return max(self.steps, 1 << (rounds.bit_length() - 1))

    def _weights(self) -> tuple[Floats, Ints]:
        if isinstance(self.criterion, Weighted):
            sequence = self.criterion.weight
            return np.array(sequence.table), np.append(sequence.starts, NEVER)
        return uniform(self.n_arms)[None], np.array([0, NEVER])

    def check_horizon(self, horizon: int) -> None:
        """Raise ValueError if every round is kept and there are more than planned for."""
        if self.intervals == "all" and self.horizon is not None and horizon > self.horizon:
            raise ValueError(
                f"the horizon of {self.horizon} rounds is over; with intervals='all' a longer "
                "one must be asked for at the start"
            )

    def active_of(self, state: BosseState) -> Ints:
        """Return the active arms of the base that plays."""
        return np.array(state.active[: state.clock[0]["n_active"]])

    def best_of(self, state: BosseState) -> int:
        """Return the arm ahead in this episode among those never evicted in it.

        For unknown weights that is the arm whose worst comparison is best.
        """
        never_evicted = state.arms["evidence"] < state.clock[0]["episode"]
        if not never_evicted.any():
            never_evicted = np.array(state.is_active)
        worst = state.sums.min(axis=0)
        return int(np.argmax(np.where(never_evicted, worst, -np.inf)))

    def collect(self, state: BosseState, history: History) -> None:
        """Move what the journal holds into the history."""
        for row in state.journal[: state.clock[0]["noted"]]:
            kind, round_ = int(row[0]), int(row[1])
            if kind == EPISODE:
                history.episodes.append(round_)
            elif kind == REPLAY:
                history.replays.append(Replay(round_, int(row[2])))
            else:
                history.evictions.append(
                    Eviction(
                        round=round_,
                        arm=int(row[2]),
                        beaten_by=int(row[5]),
                        first=int(row[3]),
                        last=round_,
                        weight=int(row[6]) if self.unknown else None,
                        statistic=float(row[7]),
                        threshold=float(row[8]),
                        base=int(row[4]),
                    )
                )
        state.clock[0]["noted"] = 0


@dataclass(frozen=True, eq=False)
class MetaBosse(Bosse):
    """METABOSSE: tracks the winner without being told how often or how much things change.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner. Condorcet stands for unknown weights. Without a horizon the
        threshold grows with log t instead of log T and the replays grow with the episode.
    constants, intervals, steps, prefix, smallest_block, estimator
        As for `Bosse`.
    replay_rate : float
        Multiplies the paper's probability of a replay.

    References
    ----------
    Suk & Agarwal, Non-Stationary Dueling Bandits Under a Weighted Borda Criterion, Algorithm 2.
    Regret K^(1/3) T^(2/3) L^(1/3) with L significant Borda phases for a known weight,
    K^(2/3) T^(2/3) S^(1/3) with S approximate winner phases for Condorcet under GIC, up to
    logarithms.

    Examples
    --------
    >>> learner = MetaBosse(3, horizon=20_000, seed=1)
    >>> for n in range(20_000):
    ...     duel = learner.ask()
    ...     best = 0 if n < 10_000 else 2
    ...     if best in (duel.left, duel.right) and duel.left != duel.right:
    ...         learner.tell(duel, 1.0 if duel.left == best else 0.0)
    ...     else:
    ...         learner.tell(duel, 0.5)
    >>> learner.best(), len(learner.episodes)
    (2, 2)
    """

    _: KW_ONLY
    replay_rate: float = 1.0

    literature: ClassVar = Literature(
        paper=f"{PAPER}, Algorithm 2",
        bound="K^(1/3) T^(2/3) L^(1/3) Borda or weighted, L significant phases; K^(2/3) T^(2/3) "
        "S^(1/3) Condorcet under GIC, S approximate-winner phases",
        told="nothing",
        cost="O(1)",
    )

    def validate(self) -> None:
        """Raise ValueError if the learner's own parameters are wrong."""
        super().validate()
        as_positive(self.replay_rate, "replay_rate")

    @property
    def _replays(self) -> float:
        return self.replay_rate


def _one_of(value: object, name: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, must be one of {', '.join(map(repr, allowed))}")


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
