"""BOSSE: soft elimination by (weighted) Borda scores (Suk & Agarwal, Algorithm 1).

A round is played from ``q = (1 - eta) Unif(active arms) + eta Unif(W)``, both arms independently,
and estimates ``bhat(a, w) = 1{i = a} w[j] (O - 1/2) / (q(a) q(j))``. W is the known weight, or
for Condorcet the K point masses. The exploration rate after n rounds of a base is
``eta = min(1, K^(1/3) n^(-1/3))``, with K^(2/3) for unknown weights.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np

from driftduel._support.checks import LONGEST
from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded, check_fields
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import LONGEST_SESSION, real
from driftduel.learners.paper.carry import carry_state
from driftduel.learners.paper.learner import Episodic, Plan
from driftduel.learners.paper.state import VERSION, EpisodicState
from driftduel.learners.parts.arrays import Ints
from driftduel.learners.parts.reference import draw_reference, is_uniform
from driftduel.matrix.criteria import Borda, Condorcet, Weighted

Ticket = tuple[float, float, float, float]
"""Propensity, 1/eta, weight of the right arm in the estimate, version of the active set."""

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
        A base computes its exploration rate again when its age grew by this share. The rate used
        is the rate recorded; at 1/32 it is at most 1 % above the paper's, at 0 equal to it.
    least_rounds : int
        The logarithm of the threshold counts this many rounds at least. Short horizons, and the
        first rounds without a horizon, would otherwise evict arms by chance; the paper's letter
        is 2.
    """

    scale: float = bounded(above=0)
    point_mass_range: int = bounded(2, least=1, most=2)
    cap: float = bounded(0.5, above=0, most=1)
    refresh: float = bounded(1 / 32, least=0)
    least_rounds: int = bounded(10_000, least=2, most=LONGEST)

    def __post_init__(self) -> None:
        check_fields(self)


def quiet(n_arms: int, *, unknown: bool = False, even: bool = True) -> Constants:
    """Return constants that stay quiet on ties: at most 1 run in 100 evicts an arm.

    Measured for METABOSSE with 2 to 50 arms and 10^4 to 10^6 rounds in which every duel is a
    coin toss (benchmarks/calibration.py). The largest of the statistics a run computes grows
    with the number of arms, hence the logarithm. Under a known weight that is not uniform
    (``even=False``) an active arm may be played with chance 1/(2 K) only, where it is at least 1/K
    otherwise: estimates are up to twice as large, and so is the constant.
    """
    scale = 0.21 + 0.026 * math.log(n_arms) if unknown else 0.18 + 0.028 * math.log(n_arms)
    return Constants(scale if even else 2 * scale)


THEORY = Constants(
    scale=10 * (math.e - 1), point_mass_range=1, cap=1.0, refresh=0.0, least_rounds=2
)
"""The paper's own: evicts nothing before about 10^9 rounds."""


@inline_kernel
def choose(state: EpisodicState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
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
        mix = state.reference.mix[state.reference.turn[0]["row"]]
        q_left = clock["rate"] * mix[left]["weight"] + clock["q_active"] * state.is_active[left]
        q_right = clock["rate"] * mix[right]["weight"] + clock["q_active"] * state.is_active[right]
        share = mix[right]["weight"]
    chance = q_left * q_right
    return left, right, (chance, clock["inverse_rate"], share, float(clock["version"]))


@inline_kernel
def _draw_uniform(state: EpisodicState, number: float) -> int:
    # Both cases are computed and one is kept: a branch on a random number is guessed wrong. The
    # compiler makes one of a condition around a load, hence the mask: -1 to explore, 0 to exploit.
    clock = state.clock[0]
    beyond = number - clock["rate"]
    scaled = number * clock["explore_scale"]
    rest = beyond * clock["exploit_scale"]
    place = min(int(scaled if beyond < 0.0 else rest), state.active.shape[0] - 1)
    arm = state.active[min(place, clock["n_active"] - 1)]
    return arm ^ ((arm ^ place) & math.floor(beyond))


@kernel
def _draw_weighted(state: EpisodicState, number: float) -> int:
    clock = state.clock[0]
    if number >= clock["rate"]:
        place = int((number - clock["rate"]) * clock["exploit_scale"])
        return state.active[min(place, clock["n_active"] - 1)]
    return draw_reference(state.reference, number * clock["explore_scale"])


@inline_kernel
def learn(state: EpisodicState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Add the estimate of one duel to the sums; the rest is due only now and then."""
    clock = state.clock[0]
    chance, inverse, share, version = ticket
    row = right if state.rule[0]["unknown"] else 0
    state.sums[row, left] += (outcome - state.rule[0]["centre"]) * share / chance
    clock["inverse_sum"] += inverse
    clock["inverse_max"] = max(clock["inverse_max"], inverse)
    clock["round"] += 1
    stale = version < clock["version"]
    if stale:
        clock["stale"] = int(version)
    return stale or clock["round"] >= clock["wake"]


@dataclass(frozen=True, eq=False)
class Bosse(Episodic):
    """BOSSE, the base algorithm: for worlds whose winner does not change.

    Evicted arms never return and there is no restart: if the tests of one round evict every arm
    that is left, the winner of the latest evicting interval stays.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner. Condorcet stands for unknown weights. Without a horizon the
        threshold grows with log t instead of log T.
    constants : "quiet", "theory" or Constants
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
        Estimate from O - 1/2 or from O; the same gaps, but the latter varies more, and the
        quiet constants are for the former.

    References
    ----------
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
    constants: Literal["quiet", "theory"] | Constants = "quiet"

    _literature: ClassVar = Literature(
        paper=f"{PAPER}, Algorithm 1",
        bound="K^(1/3) T^(2/3) Borda or weighted, K^(2/3) T^(2/3) Condorcet under GIC, if one arm "
        "stays best",
        needs="nothing",
        cost="O(1)",
    )
    _criteria = (Borda, Weighted, Condorcet)

    _ticket = (real(1e-60, 1 + 1e-9), real(1, 1e60), real(0, 1), VERSION)
    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    @property
    def _replays(self) -> float:
        """The multiplier of the replay probability; without replays there is no restart."""
        return 0.0

    @property
    def _unknown(self) -> bool:
        """Whether the weight is unknown, as for Condorcet."""
        return isinstance(self.criterion, Condorcet)

    @property
    def scale(self) -> float:
        """C in the threshold ``C log(T) F``."""
        return self._constants().scale

    @property
    def _even(self) -> bool:
        """Whether exploring is uniform over arms."""
        return self._unknown or is_uniform(self._weights()[0])

    def _constants(self) -> Constants:
        if isinstance(self.constants, Constants):
            return self.constants
        if self.constants == "theory":
            return THEORY
        return quiet(self.n_arms, unknown=self._unknown, even=self._even)

    def _plan(self) -> Plan:
        """Return the paper's specification for a known weight, or for unknown ones."""
        k = float(self.n_arms)
        unknown = self._unknown
        constants = self._constants()
        # No gap exceeds 1, so the gaps of n rounds cannot reach s K^(1/3) n^(2/3), s = C log T,
        # unless n exceeds s^3 K (K^2 for unknown weights): what shorter blocks find is noise.
        scale = constants.scale * math.log(max(constants.least_rounds, self.horizon or 2))
        smallest = (8 if scale >= 2 else 2) * self.n_arms ** (2 if unknown else 1)
        return Plan(
            scale=constants.scale,
            smallest_block=smallest,
            drift=k ** (2 / 3) if unknown else k ** (1 / 3),
            power=2 / 3,
            range=k**constants.point_mass_range if unknown else k,
            variance=k * k if unknown else k,
            unknown=unknown,
            uniform=self._even,
            share=1.0 if unknown else 1 / k,
            rate=k ** (2 / 3) if unknown else k ** (1 / 3),
            cap=1.0 if self._even else constants.cap,
            refresh=constants.refresh,
            replays=self._replays,
            replay_length=-1 / 3,
            replay_age=-2 / 3,
            least_rounds=constants.least_rounds,
            pairs=unknown,
        )

    def _best_of(self, state: EpisodicState) -> int:
        """Return the arm ahead in this episode among those never evicted in it.

        For unknown weights that is the arm whose worst comparison is best.
        """
        never_evicted = state.arms["evidence"] < state.clock[0]["episode"]
        if not never_evicted.any():
            never_evicted = np.array(state.is_active)
        worst = state.sums.min(axis=0)
        return int(np.argmax(np.where(never_evicted, worst, -np.inf)))


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
    Regret K^(1/3) T^(2/3) L^(1/3) with L significant Borda phases for a known weight, K^(2/3)
    T^(2/3) S^(1/3) with S approximate winner phases for Condorcet under GIC, up to logarithms.

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
    replay_rate: float = bounded(1.0, above=0)

    _literature: ClassVar = Literature(
        paper=f"{PAPER}, Algorithm 2",
        bound="K^(1/3) T^(2/3) L^(1/3) Borda or weighted, L significant phases; K^(2/3) T^(2/3) "
        "S^(1/3) Condorcet under GIC, S approximate-winner phases",
        needs="nothing",
        cost="O(1)",
    )

    can_change_arms = True
    _noop_ticket = (1.0, 1.0, 0.0, float(LONGEST_SESSION))

    @property
    def _replays(self) -> float:
        return self.replay_rate

    def _carry(self, state: EpisodicState, kept: Ints, rng: np.random.Generator) -> EpisodicState:
        """Restart the clock if arms join, go on with the arms that stay if not."""
        fresh = self._allocate()
        carry_state(state, fresh, kept, rng)
        return fresh
