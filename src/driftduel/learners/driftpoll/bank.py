"""The bank: what is believed of each arm's strength, whenever that may last have changed.

The outcome of a duel of a with b (1, 0 or 1/2) is taken to be 1/(1 + exp(-4 (s_a - s_b))) on
average (Bradley & Terry, Biometrika 1952); near even, that is 1/2 + s_a - s_b. The strength s of an
arm is believed to be as it is since one of several moments, its *hypotheses*:
each has the mean and the precision of the strength given the duels since then. How likely each is
depends on how often strengths change at all, so there are weights for several *hazards*, which are
weighed against each other by how well they predict (after Adams & MacKay, Bayesian Online
Changepoint Detection, 2007). One hazard more, far lower, serves
`driftduel.learners.driftpoll.changes` alone.

With two arms there is one strength, the difference: arm 0 has it, arm 1 stands at 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Records

HAZARDS = (1 / 30, 1 / 200, 1 / 1200, 1 / 7200)
"""The chance that some arm changes with a vote; each arm has its share."""

CREDITS = (0.05, 0.4, 0.35, 0.2)
"""How likely each of them is before the first vote."""

RARELY = 2e-5
"""The hazard by which changes are declared."""

RARE = len(HAZARDS)
"""Its place."""

FORGIVEN = 1e-4
"""The part of the credits that goes back to where it was at first, with each vote."""

PRIOR = 0.14 * 0.14
"""The variance of strengths before the first vote."""

HYPOTHESES = 13
"""Of an arm; one more is merged with another."""

STEEPNESS = 4.0
"""Log-odds of a win for each unit of strength: near even, strengths are shares of wins."""

STRONGEST = 10.0
"""No strength is believed to be larger; votes speak for strengths below 1."""

LEAST_CHANCE = 0.03
"""No outcome is believed to be rarer."""

NEGLECTED = 0.05
"""A hypothesis whose weight is less than this share of another's adds no rounds to it."""

LOGISTIC = 1.702
"""A normal variable is below z with a chance of about 1/(1 + exp(-1.702 z))."""

NEVER_NONE = 1e-40
"""What every hypothesis weighs at least."""

HYPOTHESIS = np.dtype(
    [
        ("mean", "f8"),
        ("precision", "f8"),
        ("start", "i8"),  # the first round whose duel counts
        ("earliest", "i8"),  # the rounds with which the arm may have changed
        ("latest", "i8"),
        ("age", "f8"),  # how much the duels count that do
    ],
    align=True,
)

ARM = np.dtype(
    [
        ("used", "i8"),  # how many hypotheses there are, the oldest first
        ("last", "i8"),  # the round of its last duel
        ("mean", "f8"),  # of its strength, over hypotheses
        ("variance", "f8"),
        ("standing", "f8"),  # the mean with more weight on likely hypotheses: who is best
    ],
    align=True,
)


class Bank(NamedTuple):
    """The hypotheses of every arm."""

    hazards: Floats  # (H + 1,) the chance that an arm changes with a vote, the rare one last
    stays: Floats  # (H + 1,) the logarithm of the chance that it does not
    credits: Floats  # (H,) how likely each hazard is
    arms: Records  # (K,) ARM
    hypotheses: Records  # (K, HYPOTHESES + 1) HYPOTHESIS
    weights: Floats  # (K, HYPOTHESES + 1, H + 1) how likely each is by each hazard
    evidence: Floats  # (H + 1,) scratch: how likely a vote was by each hazard


def _sum_to_one(values: Floats, known: Known) -> bool:
    return bool((values >= 0).all() and abs(values.sum() - 1) < 1e-6)


def _are_weights(values: Floats, known: Known) -> bool:
    """Tell whether the weights of the hypotheses in use sum to 1 for each arm and hazard."""
    in_use = np.arange(values.shape[1]) < known.state.arms["used"][:, None]
    weights = np.where(in_use[:, :, None], values, 0.0)
    return bool((weights >= 0).all() and (np.abs(weights.sum(axis=1) - 1) < 1e-6).all())


_MEAN = ranges.real(-2 * STRONGEST, 2 * STRONGEST)

BANK_RANGES: Ranges = {
    "hazards": ranges.FIXED,
    "stays": ranges.FIXED,
    "credits": ranges.such_that("chances that sum to 1", _sum_to_one),
    "arms": {
        "used": ranges.whole(1, HYPOTHESES),
        "last": ranges.COUNT,
        "mean": _MEAN,
        "variance": ranges.real(0, 3 * STRONGEST * STRONGEST),
        "standing": _MEAN,
    },
    "hypotheses": {
        "mean": ranges.real(-STRONGEST, STRONGEST),
        "precision": ranges.real(1, ranges.LARGEST),
        "start": ranges.COUNT,
        "earliest": ranges.COUNT,
        "latest": ranges.COUNT,
        "age": ranges.WEIGHT,
    },
    "weights": ranges.such_that("chances that sum to 1 for each arm and hazard", _are_weights),
    "evidence": ranges.ANYTHING,
}


def no_votes(n_arms: int) -> Bank:
    """Return what is believed before the first vote: all arms are alike, more or less."""
    hazards = np.array([*HAZARDS, RARELY]) / n_arms
    variance = PRIOR if n_arms > 2 else 2 * PRIOR
    arms = np.zeros(n_arms, ARM)
    arms["used"] = 1
    arms["variance"] = variance
    if n_arms == 2:
        arms[1]["variance"] = 0.0
    hypotheses = np.zeros((n_arms, HYPOTHESES + 1), HYPOTHESIS)
    hypotheses["precision"] = 1.0 / variance
    weights = np.zeros((n_arms, HYPOTHESES + 1, RARE + 1))
    weights[:, 0] = 1.0
    return Bank(
        hazards,
        np.array([math.log(1.0 - hazard) for hazard in hazards]),
        np.array(CREDITS),
        arms,
        hypotheses,
        weights,
        np.zeros(RARE + 1),
    )


@inline_kernel
def believable(chance: float) -> float:
    """Return the nearest chance that neither outcome is too rare by.

    Examples
    --------
    >>> believable(0.4), believable(1.2)
    (0.4, 0.97)
    """
    return min(1.0 - LEAST_CHANCE, max(LEAST_CHANCE, chance))


@inline_kernel
def chance_to_win(lead: float) -> float:
    """Return the chance of an arm that is so much stronger than another.

    Examples
    --------
    >>> chance_to_win(0.0), round(chance_to_win(0.1), 3), chance_to_win(2.0)
    (0.5, 0.599, 0.97)
    """
    return believable(1.0 / (1.0 + math.exp(-STEEPNESS * lead)))


@inline_kernel
def log_likelihood(outcome: float, chance: float) -> float:
    """Return the logarithm of how likely an outcome is; a tie is half a win and half a loss."""
    if outcome == 1.0:
        return math.log(chance)
    if outcome == 0.0:
        return math.log(1.0 - chance)
    return outcome * math.log(chance) + (1.0 - outcome) * math.log(1.0 - chance)


@kernel
def update_arm(
    bank: Bank,
    arm: int,
    round_: int,
    passed: int,
    outcome: float,
    level: float,
    doubt: float,
    spread: float,
    weight: float,
    prior: float,
) -> None:
    """Take in a duel of an arm, and note in ``bank.evidence`` how likely it was.

    Parameters
    ----------
    bank : Bank
        What is believed.
    arm, round_, passed : int
        The arm, the round, and how many votes passed since its last duel.
    outcome : float
        The outcome for the arm.
    level, doubt : float
        The mean strength of the opponent, and its variance.
    spread : float
        How many times what a coin's variance would be the variance of the outcome is.
    weight : float
        How much the duel counts, at most 1.
    prior : float
        The variance of the strength of an arm that has just changed.
    """
    hypotheses = bank.hypotheses[arm]
    weights = bank.weights[arm]
    evidence = bank.evidence
    new = bank.arms[arm]["used"]
    hypotheses[new]["mean"] = 0.0
    hypotheses[new]["precision"] = 1.0 / prior
    hypotheses[new]["start"] = round_
    # It may have changed while it did not play.
    hypotheses[new]["earliest"] = min(round_, bank.arms[arm]["last"] + 1)
    hypotheses[new]["latest"] = round_
    hypotheses[new]["age"] = 0.0
    for hazard in range(evidence.shape[0]):
        stays = math.exp(passed * bank.stays[hazard])
        for place in range(new):
            weights[place, hazard] *= stays
        weights[new, hazard] = 1.0 - stays
        evidence[hazard] = 0.0
    for place in range(new + 1):
        one = hypotheses[place]
        chance = chance_to_win(one["mean"] - level)
        likelihood = math.exp(log_likelihood(outcome, chance) * weight / spread)
        for hazard in range(evidence.shape[0]):
            weights[place, hazard] *= likelihood
            evidence[hazard] += weights[place, hazard]
        # As if the chance grew with strength all along as it does here.
        slope = STEEPNESS * chance * (1.0 - chance)
        gain = weight / (spread / (STEEPNESS * slope) + doubt)
        precision = one["precision"] + gain
        mean = one["mean"] + gain / precision * (outcome - chance) / slope
        one["mean"] = min(STRONGEST, max(-STRONGEST, mean))
        one["precision"] = precision
        one["age"] += weight
    for hazard in range(evidence.shape[0]):
        for place in range(new + 1):
            weights[place, hazard] = weights[place, hazard] / evidence[hazard] + NEVER_NONE
    bank.arms[arm]["used"] = new + 1
    bank.arms[arm]["last"] = round_
    if new == HYPOTHESES:
        merge_neighbours(bank, arm)


@kernel
def merge_neighbours(bank: Bank, arm: int) -> None:
    """Make one of the two neighbours whose ages are most alike; the likelier one speaks for it."""
    hypotheses = bank.hypotheses[arm]
    weights = bank.weights[arm]
    used = bank.arms[arm]["used"]
    least = np.inf
    newer = 1
    for place in range(1, used):
        ratio = (hypotheses[place - 1]["age"] + 1.0) / (hypotheses[place]["age"] + 1.0)
        if ratio < least:
            least = ratio
            newer = place
    older_weight = 0.0
    newer_weight = 0.0
    for hazard in range(weights.shape[1]):
        older_weight += weights[newer - 1, hazard]
        newer_weight += weights[newer, hazard]
    earliest = hypotheses[newer - 1]["earliest"]
    latest = hypotheses[newer]["latest"]
    if newer_weight > older_weight:
        if weights[newer - 1, RARE] < NEGLECTED * weights[newer, RARE]:
            earliest = hypotheses[newer]["earliest"]
        copy_hypothesis(bank, arm, newer - 1, newer)
    elif weights[newer, RARE] < NEGLECTED * weights[newer - 1, RARE]:
        latest = hypotheses[newer - 1]["latest"]
    hypotheses[newer - 1]["earliest"] = earliest
    hypotheses[newer - 1]["latest"] = latest
    for hazard in range(weights.shape[1]):
        weights[newer - 1, hazard] += weights[newer, hazard]
    for place in range(newer, used - 1):
        copy_hypothesis(bank, arm, place, place + 1)
        for hazard in range(weights.shape[1]):
            weights[place, hazard] = weights[place + 1, hazard]
    bank.arms[arm]["used"] = used - 1


@inline_kernel
def copy_hypothesis(bank: Bank, arm: int, target: int, source: int) -> None:
    """Write what one hypothesis says over another; weights are not touched."""
    to = bank.hypotheses[arm, target]
    it = bank.hypotheses[arm, source]
    to["mean"] = it["mean"]
    to["precision"] = it["precision"]
    to["start"] = it["start"]
    to["earliest"] = it["earliest"]
    to["latest"] = it["latest"]
    to["age"] = it["age"]


@inline_kernel
def credit_hazards(bank: Bank, alone: bool) -> None:
    """Weigh the hazards by the evidence of one duel, half of it if the other arm has as much."""
    for hazard in range(bank.credits.shape[0]):
        evidence = bank.evidence[hazard]
        bank.credits[hazard] *= evidence if alone else math.sqrt(evidence)


@inline_kernel
def forgive_hazards(bank: Bank) -> None:
    """Let credits sum to 1, and a little of them go back to where they were at first."""
    total = 0.0
    for hazard in range(bank.credits.shape[0]):
        total += bank.credits[hazard]
    for hazard in range(bank.credits.shape[0]):
        share = bank.credits[hazard] / total * (1.0 - FORGIVEN)
        bank.credits[hazard] = share + FORGIVEN * CREDITS[hazard]


@inline_kernel
def likelihood_of(bank: Bank, arm: int, place: int) -> float:
    """Return how likely a hypothesis is, over all hazards but the rare one."""
    total = 0.0
    for hazard in range(bank.credits.shape[0]):
        total += bank.credits[hazard] * bank.weights[arm, place, hazard]
    return total


@kernel
def sum_up(bank: Bank, arm: int) -> None:
    """Compute the mean, the variance and the standing of an arm.

    With two arms it is known how likely the first is the stronger one, which says best who is.
    """
    two = bank.arms.shape[0] == 2
    mean = 0.0
    square = 0.0
    total = 0.0
    standing = 0.0
    for place in range(bank.arms[arm]["used"]):
        one = bank.hypotheses[arm, place]
        share = likelihood_of(bank, arm, place)
        mean += share * one["mean"]
        square += share * (1.0 / one["precision"] + one["mean"] * one["mean"])
        if two:
            z = one["mean"] * math.sqrt(one["precision"])
            standing += share * (1.0 / (1.0 + math.exp(-LOGISTIC * z)) - 0.5)
            total += share
        else:
            share *= math.sqrt(share)
            standing += share * one["mean"]
            total += share
    bank.arms[arm]["mean"] = mean
    bank.arms[arm]["variance"] = max(1e-9, square - mean * mean)
    bank.arms[arm]["standing"] = standing / total


@kernel
def draw_strength(
    bank: Bank, arm: int, rng: np.random.Generator, passed: int, prior: float
) -> float:
    """Draw the strength of an arm: a hazard, whether it changed since its last duel, and so on."""
    number = rng.random()
    hazard = 0
    while hazard < RARE - 1 and number >= bank.credits[hazard]:
        number -= bank.credits[hazard]
        hazard += 1
    # What is left of the number is uniform again.
    number /= bank.credits[hazard]
    changed = min(1.0, bank.hazards[hazard] * passed)
    if number < changed:
        return rng.standard_normal() * math.sqrt(prior)
    number = (number - changed) / (1.0 - changed) if changed < 1.0 else 0.0
    place = 0
    last = bank.arms[arm]["used"] - 1
    while place < last and number >= bank.weights[arm, place, hazard]:
        number -= bank.weights[arm, place, hazard]
        place += 1
    one = bank.hypotheses[arm, place]
    return one["mean"] + rng.standard_normal() / math.sqrt(one["precision"])
