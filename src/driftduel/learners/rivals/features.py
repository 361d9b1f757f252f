"""Learners that are told features of the arms: BEXP3 and BETC-GLM.

Arm i has the features x_i, and ``phi_ij = x_i - x_j``. If the chance that i beats j is a function
of ``phi_ij^T theta``, d numbers are to be learned and not K^2, and the rates have d in place of K.

BEXP3 draws both arms from the same chances q. With ``Q = sum_ij q_i q_j phi_ij phi_ij^T`` the
estimate ``theta = Q^+ phi (outcome - 1/2)`` is that of a linear model, without bias if
``P(i, j) = 1/2 + phi_ij^T theta``, and ``b(i) = mean_j phi_ij^T theta`` that of Borda scores::

    S(i) <- S(i) + b(i),   q(i) = (1 - gamma) exp(eta S(i)) / sum_j exp(eta S(j)) + gamma / K
    eta = (ln K)^(2/3) d^(-1/3) T^(-2/3),   gamma = min(1, sqrt(eta d / lambda_0))

with lambda_0 the least eigenvalue of Q at uniform play, phi scaled to length 1 at most.

BETC-GLM duels random pairs for a while, then ``ceil(d pi / eps^2)`` times each pair of a G-optimal
design pi, fits theta by maximum likelihood under ``P(i, j) = 1 / (1 + exp(-phi_ij^T theta))``, and
commits to the arm of the largest ``x_i^T theta``, which has the largest Borda score;
``eps = d^(1/6) T^(-1/3)``.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.features import as_features
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Floats, Ints, Records
from driftduel.learners.parts.features import (
    COORDINATES,
    Features,
    along,
    coordinates_of,
    design_of,
    duels_of,
    factor,
    least_eigenvalue,
    one_hot,
    solve,
)
from driftduel.learners.parts.mixture import draw
from driftduel.learners.parts.opponents import draw_pair
from driftduel.matrix.criteria import Borda

Ticket = tuple[float]

PAPER = (
    "Wu, Jin, Lou, Farnoud & Gu, Borda Regret Minimization for Generalized Linear Dueling "
    "Bandits, ICML 2024"
)

_RIDGE = 1e-3
"""How much the variance of fitted utilities over arms is disliked, so that a fit exists always."""

_MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class _Featured(Learner):
    """What the two have in common."""

    _: KW_ONLY
    features: Features | None = None

    _criteria = (Borda,)
    _needs_horizon = True

    def _validate(self) -> None:
        """Raise BadParameter if the features are not numbers for each arm; keep them as tuples."""
        if self.features is not None:
            rows = as_features(self.features, self.n_arms).tolist()
            object.__setattr__(self, "features", tuple(map(tuple, rows)))


# BEXP3.

RULE = np.dtype([("rate", "f8"), ("exploration", "f8")], align=True)


class BEXP3State(NamedTuple):
    """The arrays of `BEXP3`."""

    rule: Records  # (1,) RULE
    coordinates: Floats  # (K, d)
    scores: Floats  # (K,) S
    chances: Floats  # (K,) q
    moments: Floats  # (d, d) scratch: Q / 2, factored
    theta: Floats  # (d,) scratch
    mean: Floats  # (d,) scratch: the mean of coordinates under q


def _are_chances(chances: Floats, known: Known) -> bool:
    least = known.fresh.rule["exploration"][0] / len(chances)
    return bool((chances >= least * (1 - 1e-9)).all() and abs(chances.sum() - 1.0) <= 1e-6)


def _is_chance_of_pair(values: Floats, known: Known) -> Flags:
    least = (known.state.rule["exploration"][0] / known.n_arms) ** 2
    return np.asarray((values >= least * (1 - 1e-6)) & (values <= 1 + 1e-5))


BEXP3_RANGES: Ranges = {
    "rule": {"rate": ranges.FIXED, "exploration": ranges.FIXED},
    "coordinates": COORDINATES,
    "scores": ranges.NUMBER,
    "chances": ranges.such_that("chances that sum to 1", _are_chances),
    "moments": ranges.ANYTHING,
    "theta": ranges.ANYTHING,
    "mean": ranges.ANYTHING,
}


@inline_kernel
def choose_two(state: BEXP3State, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw both arms from the same chances."""
    left = draw(state.chances, 1.0, 0.0, rng.random())
    right = draw(state.chances, 1.0, 0.0, rng.random())
    return left, right, (state.chances[left] * state.chances[right],)


@inline_kernel
def learn_scores(state: BEXP3State, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Add the estimate of all scores; say that chances are to be computed."""
    if left == right or outcome == 0.5:
        return False  # the estimate is 0
    _factor_moments(state)
    # A pair that was asked before others were told was drawn by other chances.
    weight = state.chances[left] * state.chances[right] / ticket[0] * (outcome - 0.5) / 2.0
    for place in range(state.theta.shape[0]):
        difference = state.coordinates[left, place] - state.coordinates[right, place]
        state.theta[place] = weight * difference
    solve(state.moments, state.theta)
    for arm in range(state.scores.shape[0]):
        state.scores[arm] += along(state.coordinates, arm, state.theta)
    return True


@kernel
def _factor_moments(state: BEXP3State) -> None:
    """Factor Q / 2, which is the covariance of the coordinates under q."""
    n_arms, size = state.coordinates.shape
    for row in range(size):
        state.mean[row] = 0.0
        for arm in range(n_arms):
            state.mean[row] += state.chances[arm] * state.coordinates[arm, row]
    for row in range(size):
        for column in range(row + 1):
            state.moments[row, column] = 0.0
    for arm in range(n_arms):
        for row in range(size):
            ours = state.chances[arm] * (state.coordinates[arm, row] - state.mean[row])
            for column in range(row + 1):
                theirs = state.coordinates[arm, column] - state.mean[column]
                state.moments[row, column] += ours * theirs
    factor(state.moments)


@kernel
def compute_chances(state: BEXP3State, rng: np.random.Generator) -> None:
    """Compute the chances by the scores."""
    rule = state.rule[0]
    scores, chances = state.scores, state.chances
    n_arms = scores.shape[0]
    top = scores[0]
    for arm in range(n_arms):
        top = max(top, scores[arm])
    total = 0.0
    for arm in range(n_arms):
        chances[arm] = math.exp(rule["rate"] * (scores[arm] - top))
        total += chances[arm]
    gamma = rule["exploration"]
    for arm in range(n_arms):
        chances[arm] = (1.0 - gamma) * chances[arm] / total + gamma / n_arms


@dataclass(frozen=True, eq=False)
class BEXP3(_Featured):
    """BEXP3: exponential weights over scores that are estimated by features.

    Parameters
    ----------
    features : list of lists of float, optional
        A row of numbers for each arm. If left out each arm has a feature of its own, and nothing is
        shared.

    References
    ----------
    Borda regret against the best fixed arm of any sequence of linear worlds is ``O((d log K)^(1/3)
    T^(2/3))``, told T and the features; the formulas are from memory. That features are scaled to
    lengths of 1, that dependent ones are left out, and that an outcome told late is weighted by the
    chances of then, are our choices. A round costs O(K d^2 + d^3).

    Examples
    --------
    >>> learner = BEXP3(4, 3000, seed=1, features=[[0], [1], [2], [3]])
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best()
    3
    >>> BEXP3(4, 3000, features=[[0], [1], [2]])
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: features: there are 3 rows for 4 arms
    """

    _literature: ClassVar = Literature(
        paper=PAPER,
        bound="(d log K)^(1/3) T^(2/3) Borda, against one arm, where preferences are linear",
        needs="T, features",
        cost="O(K d^2 + d^3)",
    )

    _ranges = BEXP3_RANGES
    _ticket: ClassVar = (ranges.such_that("the chance of a pair", _is_chance_of_pair),)
    _choose = staticmethod(choose_two)
    _learn = staticmethod(learn_scores)
    _settle = staticmethod(compute_chances)

    def _allocate(self) -> BEXP3State:
        """Return a fresh state."""
        k = self.n_arms
        features = one_hot(self.features, k)
        coordinates = coordinates_of(features)
        d = coordinates.shape[1]
        eta = (math.log(k) / self._known_horizon) ** (2 / 3) / math.cbrt(d)
        gamma = min(1.0, math.sqrt(eta * d / least_eigenvalue(features, d)))
        rule = np.array([(eta, gamma)], RULE)
        scratch = np.zeros((d, d)), np.zeros(d), np.zeros(d)
        return BEXP3State(rule, coordinates, np.zeros(k), np.full(k, 1.0 / k), *scratch)

    def _best_of(self, state: BEXP3State) -> int:
        """Return the arm of the largest score."""
        return int(state.scores.argmax())


# BETC-GLM.

CLOCK = np.dtype(
    [
        ("pilot", "i8"),  # duels of random pairs still to come
        ("place", "i8"),  # the pair of the design to duel
        ("left", "i8"),  # how often it is still to be dueled
        ("choice", "i8"),  # the arm committed to, or -1
    ],
    align=True,
)


class BETCState(NamedTuple):
    """The arrays of `BETCGLM`."""

    clock: Records  # (1,) CLOCK
    coordinates: Floats  # (K, d)
    design: Ints  # (P, 3) left and right arm, and how many duels
    wins: Floats  # (K, K) summed outcomes of the arm of the row
    duels: Ints  # (K, K) both above the diagonal alone
    theta: Floats  # (3, d) scratch: the fit, a step, and the fit after it
    hessian: Floats  # (d, d) scratch
    pull: Floats  # (K, d + 2) scratch: coordinates pulled by others, utilities, residuals


def _is_pilot(pilots: Ints, known: Known) -> bool:
    return bool(0 <= pilots[0] <= known.fresh.clock["pilot"][0])


def _is_place(places: Ints, known: Known) -> bool:
    return bool(0 <= places[0] < len(known.fresh.design))


def _is_left(left: Ints, known: Known) -> bool:
    return bool(1 <= left[0] <= known.fresh.design[known.state.clock["place"][0], 2])


def _are_wins(wins: Floats, known: Known) -> Flags:
    return np.asarray((wins >= 0) & (wins <= known.state.duels) & (2 * wins % 1 == 0))


BETC_RANGES: Ranges = {
    "clock": {
        "pilot": ranges.such_that("what is left of the pilot", _is_pilot),
        "place": ranges.such_that("a pair of the design", _is_place),
        "left": ranges.such_that("what is left of the pair", _is_left),
        "choice": ranges.AN_ARM_OR_NONE,
    },
    "coordinates": COORDINATES,
    "design": ranges.FIXED,
    "duels": ranges.COUNT,
    "wins": ranges.such_that("sums of so many outcomes", _are_wins),
    "theta": ranges.ANYTHING,
    "hessian": ranges.ANYTHING,
    "pull": ranges.ANYTHING,
}


@inline_kernel
def choose_by_design(state: BETCState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw a pair, take the next of the design, or the arm committed to twice."""
    clock = state.clock[0]
    if clock["choice"] >= 0:
        return clock["choice"], clock["choice"], (1.0,)
    if clock["pilot"] == 0:
        return state.design[clock["place"], 0], state.design[clock["place"], 1], (1.0,)
    return draw_pair(state.wins.shape[0], rng)


@inline_kernel
def learn_by_design(
    state: BETCState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count an outcome; say when the design is done."""
    clock = state.clock[0]
    if clock["choice"] >= 0 or left == right:
        return False
    first, second = min(left, right), max(left, right)
    state.wins[first, second] += outcome if left == first else 1.0 - outcome
    state.duels[first, second] += 1
    if clock["pilot"] > 0:
        clock["pilot"] -= 1
        return False
    design = state.design
    if first != design[clock["place"], 0] or second != design[clock["place"], 1]:
        return False  # asked long ago
    if clock["left"] > 1:
        clock["left"] -= 1
        return False
    if clock["place"] + 1 == design.shape[0]:
        return True
    clock["place"] += 1
    clock["left"] = design[clock["place"], 2]
    return False


@kernel
def commit_to_fit(state: BETCState, rng: np.random.Generator) -> None:
    """Fit theta by Newton's method, with steps halved that do not help; commit."""
    theta, step, trial = state.theta[0], state.theta[1], state.theta[2]
    size = theta.shape[0]
    for place in range(size):
        theta[place] = 0.0
    loss = _loss(state, theta)
    for _ in range(_MOST_STEPS):
        _find_step(state)
        share = 1.0
        better = False
        while share > 1e-9 and not better:
            for place in range(size):
                trial[place] = theta[place] - share * step[place]
            new_loss = _loss(state, trial)
            better = new_loss < loss
            share /= 2.0
        if not better:
            break
        for place in range(size):
            theta[place] = trial[place]
        loss = new_loss
    best = 0
    for arm in range(state.coordinates.shape[0]):
        if along(state.coordinates, arm, theta) > along(state.coordinates, best, theta):
            best = arm
    state.clock[0]["choice"] = best


@kernel
def _loss(state: BETCState, theta: Floats) -> float:
    """Return what the fit makes least; leave the utilities in the scratch."""
    n_arms, size = state.coordinates.shape
    utilities = state.pull[:, size]
    total = 0.0
    for place in range(size):
        total += theta[place] * theta[place]
    total *= _RIDGE / 2.0
    for arm in range(n_arms):
        utilities[arm] = along(state.coordinates, arm, theta)
    for first in range(n_arms):
        for second in range(first + 1, n_arms):
            duels = state.duels[first, second]
            if duels > 0:
                ahead = utilities[first] - utilities[second]
                wins = state.wins[first, second]
                # ln(1 + e^-x) for the wins, ln(1 + e^x) for the losses, without overflow
                total += duels * math.log1p(math.exp(-abs(ahead)))
                total += (duels - wins) * max(ahead, 0.0) + wins * max(-ahead, 0.0)
    return total


@kernel
def _find_step(state: BETCState) -> None:
    """Find the step of Newton's method from the fit."""
    coordinates, pull = state.coordinates, state.pull
    theta, step, hessian = state.theta[0], state.theta[1], state.hessian
    n_arms, size = coordinates.shape
    for arm in range(n_arms):
        pull[arm, size] = along(coordinates, arm, theta)
        pull[arm, size + 1] = 0.0
        for place in range(size):
            pull[arm, place] = 0.0
    for first in range(n_arms):
        for second in range(first + 1, n_arms):
            duels = state.duels[first, second]
            if duels == 0:
                continue
            chance = _logistic(pull[first, size] - pull[second, size])
            residual = duels * chance - state.wins[first, second]
            pull[first, size + 1] += residual
            pull[second, size + 1] -= residual
            weight = duels * chance * (1.0 - chance)
            for place in range(size):
                towards = weight * (coordinates[first, place] - coordinates[second, place])
                pull[first, place] += towards
                pull[second, place] -= towards
    for row in range(size):
        step[row] = _RIDGE * theta[row]
        for column in range(row + 1):
            hessian[row, column] = _RIDGE if row == column else 0.0
        for arm in range(n_arms):
            step[row] += coordinates[arm, row] * pull[arm, size + 1]
            for column in range(row + 1):
                hessian[row, column] += coordinates[arm, row] * pull[arm, column]
    factor(hessian)
    solve(hessian, step)


@inline_kernel
def _logistic(x: float) -> float:
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


@dataclass(frozen=True, eq=False)
class BETCGLM(_Featured):
    """BETC-GLM: duels by an optimal design, a logistic fit by features, then one arm for ever.

    Parameters
    ----------
    features : list of lists of float, optional
        A row of numbers for each arm. If left out each arm has a feature of its own, as in the
        model of Bradley, Terry and Luce.

    References
    ----------
    Borda regret ``O~(d^(2/3) T^(2/3))`` in a world that does not change and has a generalised
    linear model, with a lower bound of that order, told T and the features. Our choices: ``min((d +
    ln T) / lambda_0, d^(2/3) T^(2/3))`` random pairs at first, with lambda_0 as for `BEXP3`; the
    way to the design; a ridge of 0.001 times the variance of the fitted utilities over the arms. It
    never comes back from its choice. A round costs O(1), and the fit, once, O(K^2 d) a step.

    Examples
    --------
    >>> learner = BETCGLM(4, 3000, seed=1, features=[[0], [1], [2], [3]])
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), learner.active
    (3, array([3]))
    """

    _literature: ClassVar = Literature(
        paper=PAPER,
        bound="d^(2/3) T^(2/3) Borda up to logarithms, stationary, generalised linear",
        needs="T, features",
        cost="O(1), once O(K^2 d)",
    )

    _ranges = BETC_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_by_design)
    _learn = staticmethod(learn_by_design)
    _settle = staticmethod(commit_to_fit)

    def _allocate(self) -> BETCState:
        """Return a fresh state."""
        k, horizon = self.n_arms, self._known_horizon
        features = one_hot(self.features, k)
        coordinates = coordinates_of(features)
        d = coordinates.shape[1]
        total = (d * horizon) ** (2 / 3)
        pilot = min((d + math.log(horizon)) / least_eigenvalue(features, d), total)
        design = duels_of(design_of(coordinates), total)
        clock = np.array([(math.ceil(pilot - 1e-6), 0, design[0, 2], -1)], CLOCK)
        return BETCState(
            clock,
            coordinates,
            design,
            np.zeros((k, k)),
            np.zeros((k, k), np.int64),
            np.zeros((3, d)),
            np.zeros((d, d)),
            np.zeros((k, d + 2)),
        )

    def _best_of(self, state: BETCState) -> int:
        """Return the choice, or else the arm of the best win rate; one never seen is even."""
        choice = int(state.clock[0]["choice"])
        if choice >= 0:
            return choice
        wins = state.wins.sum(axis=1) + (state.duels - state.wins).sum(axis=0)
        duels = state.duels.sum(axis=1) + state.duels.sum(axis=0)
        return int(np.where(duels > 0, wins / np.maximum(duels, 1), 0.5).argmax())

    def _active_of(self, state: BETCState) -> Ints:
        """Return all arms, or the choice."""
        choice = int(state.clock[0]["choice"])
        return np.array([choice]) if choice >= 0 else np.arange(self.n_arms)
