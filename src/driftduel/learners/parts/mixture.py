"""Exponential weights, mixed with the uniform distribution: drawing, chances, and updates.

A player with weights W plays arm k with chance ``(1 - gamma) W(k) / sum W + gamma / K``. Weights
that change one arm at a time are kept as logarithms, with their exponentials beside them, so that
an update costs constant time and nothing is lost when a weight is too small for a float.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Records

Ticket = tuple[float, float, float]
"""The propensity of the pair, and the chances of the left and of the right arm."""

LARGEST_STEP = 500.0
"""Weights grow by e^500 at most in one step, so that no float overflows."""

RULE = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("exploration", "f8"),  # gamma
        ("rate", "f8"),  # eta
        ("anytime", "f8"),  # c of a rate sqrt(c / t) that falls with time, 0 if it is fixed
    ],
    align=True,
)

PLAYER = np.dtype(
    [
        ("total", "f8"),  # sum of the weights, between 1/2 and 2
        ("offset", "f8"),  # weight = exp(log - offset)
    ],
    align=True,
)


class SoftmaxState(NamedTuple):
    """Players whose weights change one arm at a time; the last one chooses the right arm."""

    rule: Records  # (1,) RULE
    players: Records  # (P,) PLAYER
    logs: Floats  # (P, K) logarithms of the weights
    weights: Floats  # (P, K) the weights, up to a common factor


def _least_exploration(known: Known) -> float:
    """Return what the exploration has fallen to at most; most often it is fixed."""
    rule = known.fresh.rule[0]
    fallen = math.sqrt(rule["anytime"] / max(known.told, 1))
    return float(min(rule["exploration"], fallen) if rule["anytime"] else rule["exploration"])


SOFTMAX_RANGES: Ranges = {
    "rule": {
        "round": ranges.COUNT,
        "exploration": ranges.real(
            _least_exploration, lambda known: known.fresh.rule["exploration"][0]
        ),
        "rate": ranges.FIXED,
        "anytime": ranges.FIXED,
    },
    "logs": ranges.NUMBER,
    "weights": ranges.real(0, 2.5),
    "players": {
        "total": ranges.equal_to(
            "the sum of the weights", lambda k: k.state.weights.sum(axis=1), 1e-6
        ),
        "offset": ranges.NUMBER,
    },
}
SOFTMAX_TICKET = (ranges.CHANCE, ranges.CHANCE, ranges.CHANCE)


def softmax_state(
    n_players: int, n_arms: int, exploration: float, rate: float, anytime: float = 0.0
) -> SoftmaxState:
    """Return players that like all arms the same."""
    players = np.zeros(n_players, PLAYER)
    players["total"] = 1.0
    players["offset"] = math.log(n_arms)
    return SoftmaxState(
        np.array([(0, exploration, rate, anytime)], RULE),
        players,
        np.zeros((n_players, n_arms)),
        np.full((n_players, n_arms), 1.0 / n_arms),
    )


@inline_kernel
def draw(weights: Floats, total: float, exploration: float, number: float) -> int:
    """Return the arm that a uniform number stands for: first gamma to explore, then the weights."""
    n_arms = weights.shape[0]
    if number < exploration:
        return min(int(number / exploration * n_arms), n_arms - 1)
    rest = (number - exploration) / (1.0 - exploration) * total
    arm = 0
    while arm < n_arms - 1 and rest >= weights[arm]:
        rest -= weights[arm]
        arm += 1
    return arm


@inline_kernel
def chance(weights: Floats, total: float, exploration: float, arm: int) -> float:
    """Return the chance with which `draw` gives an arm."""
    return (1.0 - exploration) * weights[arm] / total + exploration / weights.shape[0]


@inline_kernel
def choose_softmax(state: SoftmaxState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Let the first player draw the left arm and the last player the right one."""
    exploration = state.rule[0]["exploration"]
    last = state.players.shape[0] - 1
    ours, theirs = state.weights[0], state.weights[last]
    our_total, their_total = state.players[0]["total"], state.players[last]["total"]
    left = draw(ours, our_total, exploration, rng.random())
    right = draw(theirs, their_total, exploration, rng.random())
    p_left = chance(ours, our_total, exploration, left)
    p_right = chance(theirs, their_total, exploration, right)
    return left, right, (p_left * p_right, p_left, p_right)


@inline_kernel
def add_to_log(state: SoftmaxState, player: int, arm: int, step: float) -> None:
    """Multiply one weight of a player by exp(step)."""
    record = state.players[player]
    state.logs[player, arm] += step
    weight = math.exp(min(state.logs[player, arm] - record["offset"], LARGEST_STEP))
    record["total"] += weight - state.weights[player, arm]
    state.weights[player, arm] = weight
    # Summing again whenever the total has moved much also keeps its rounding errors small.
    if not 0.5 < record["total"] < 2.0:
        _normalise(state, player)


@kernel
def _normalise(state: SoftmaxState, player: int) -> None:
    logs, weights = state.logs[player], state.weights[player]
    top = logs[0]
    for arm in range(logs.shape[0]):
        top = max(top, logs[arm])
    total = 0.0
    for arm in range(logs.shape[0]):
        total += math.exp(logs[arm] - top)
    offset = top + math.log(total)
    total = 0.0
    for arm in range(logs.shape[0]):
        weights[arm] = math.exp(logs[arm] - offset)
        total += weights[arm]
    state.players[player]["total"] = total
    state.players[player]["offset"] = offset
