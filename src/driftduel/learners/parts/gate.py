"""A gate before a bandit: how often the opponent is drawn, and what that makes of a duel.

With probability gamma_t the right arm is drawn from the weight of the criterion, and the outcome is
the reward of the left arm: its mean is the weighted Borda score. Otherwise the left arm meets
itself, and nothing is learned.
"""

from __future__ import annotations

import numpy as np

from driftduel._support.compile.jit import inline_kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Range, Ranges
from driftduel.learners.parts.arrays import Records
from driftduel.learners.parts.reference import Reference, draw_reference, turn_reference

Ticket = tuple[float, float, float]
"""The propensity of the pair, the chance of the left arm, and 1 if the outcome is a reward."""

TICKET_RANGES: tuple[Range, ...] = (ranges.CHANCE, ranges.CHANCE, ranges.FLAG)

GATE = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("chance", "f8"),  # gamma if it is fixed, else 0
        ("scale", "f8"),  # KL of gamma_t = min(1, (K L / t)^(1/3))
    ],
    align=True,
)

GATE_RANGES: Ranges = {"round": ranges.COUNT, "chance": ranges.FIXED, "scale": ranges.FIXED}


def gate_of(chance: float, scale: float) -> Records:
    """Return a gate; a chance of 0 stands for one that falls with time."""
    return np.array([(0, chance, scale)], GATE)


@inline_kernel
def meet(
    gates: Records,
    reference: Reference,
    left: int,
    chance: float,
    rng: np.random.Generator,
) -> tuple[int, Ticket]:
    """Draw the right arm, or take the left one; return it and the ticket."""
    gate = gates[0]
    gamma = gate["chance"]
    if gamma == 0.0:
        gamma = min(1.0, (gate["scale"] / (gate["round"] + 1.0)) ** (1.0 / 3.0))
    right = left
    rewards = gamma >= 1.0 or rng.random() < gamma
    if rewards:
        right = draw_reference(reference, rng.random() * reference.mix.shape[1])
    weight = reference.mix[reference.turn[0]["row"], right]["weight"]
    propensity = chance * (gamma * weight + (1.0 - gamma if right == left else 0.0))
    return right, (propensity, chance, 1.0 if rewards else 0.0)


@inline_kernel
def end_round(gates: Records, reference: Reference) -> None:
    """Count a round, and go on to the weight that holds in the next one."""
    gate = gates[0]
    gate["round"] += 1
    while gate["round"] >= reference.turn[0]["next"]:
        turn_reference(reference)


@inline_kernel
def is_reward(ticket: Ticket) -> bool:
    """Tell whether the outcome of a duel is the reward of its left arm."""
    return ticket[2] > 0.5


@inline_kernel
def reward_of(left: int, right: int, outcome: float) -> float:
    """Return the reward of the left arm; against itself it is even."""
    return 0.5 if left == right else outcome
