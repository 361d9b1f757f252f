"""What DriftPoll asks: a pair of different arms, whose chance is known.

Three kinds of question:

- *any*: a uniformly random pair, now and then, more often the less strengths explain;
- *direct*: the best arm against a challenger;
- *scouting*: the one of these two whose strength is less known against a random arm.

After each vote all strengths are drawn once from what is believed (Thompson, Biometrika 1933). The
two strongest are kept for the last `KEPT` votes; the challenger is the strongest arm but the best
one in one of these draws. So what is asked is a function of what was told and a few coins, and the
chance of each pair is known.
"""

from __future__ import annotations

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftpoll.bank import (
    draw_strength,
)
from driftduel.learners.driftpoll.guard import (
    chance_of,
    place_of,
    trust,
)
from driftduel.learners.driftpoll.state import (
    ANY,
    KEPT,
    MANY,
    PollState,
    Ticket,
)

DIRECT = 0.5
"""The share of direct duels among the other questions, if strengths explain them and arms are many.

With few arms a random opponent is often the other of the two anyway, and says more if strengths do
not explain all pairs."""


@inline_kernel
def choose(state: PollState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw a pair of different arms; the ticket says how much the vote counts for each."""
    clock = state.clock[0]
    n_arms = state.plan.shape[0]
    if rng.random() < clock["any"]:
        left = int(rng.random() * n_arms)
        right = other_arm(left, n_arms, rng)
        return left, right, (pair_chance(state, left, right), 1.0, 1.0)
    leader = clock["leader"]
    place = int(rng.random() * min(clock["drawn"], KEPT))
    rival = challenger(state, place, leader)
    trusted = trust(state.guard, leader, rival)
    if rng.random() < directly(n_arms) * trusted:
        trusted *= novelty(state, leader, rival)
        one, other, weight = leader, rival, trusted
    else:
        one = scout(state, leader, rival)
        other = other_arm(one, n_arms, rng)
        trusted = trust(state.guard, one, other)
        weight = 1.0
    chance = pair_chance(state, one, other)
    if rng.random() < 0.5:
        return one, other, (chance, weight, trusted)
    return other, one, (chance, trusted, weight)


@inline_kernel
def novelty(state: PollState, left: int, right: int) -> float:
    """Return how much a direct duel of a pair counts beside one on which there was no vote yet."""
    votes = state.guard.pairs[place_of(left, right)]["votes"]
    kept = 1.0 + state.discount[0] * votes
    return 1.0 / (kept * kept)


@inline_kernel
def directly(n_arms: int) -> float:
    """Return the share of direct duels with so many arms."""
    return DIRECT * (1.0 - 2.0 / n_arms)


@inline_kernel
def other_arm(arm: int, n_arms: int, rng: np.random.Generator) -> int:
    """Draw one of the other arms."""
    other = int(rng.random() * (n_arms - 1))
    return other + (other >= arm)


@inline_kernel
def challenger(state: PollState, place: int, leader: int) -> int:
    """Return the strongest arm but the leader in a draw that was kept."""
    first = state.draws[place, 0]
    return state.draws[place, 1] if first == leader else first


@inline_kernel
def scout(state: PollState, leader: int, rival: int) -> int:
    """Return the one of two arms whose strength is less known."""
    arms = state.bank.arms
    return leader if arms[leader]["variance"] > arms[rival]["variance"] else rival


@inline_kernel
def pair_chance(state: PollState, left: int, right: int) -> float:
    """Return the chance of an ordered pair, either side being as likely."""
    clock = state.clock[0]
    others = state.plan.shape[0] - 1.0
    chance = (state.plan[left]["scouted"] + state.plan[right]["scouted"]) / others
    if left == clock["leader"]:
        chance += state.plan[right]["direct"]
    elif right == clock["leader"]:
        chance += state.plan[left]["direct"]
    return clock["any"] / (others * (others + 1.0)) + 0.5 * (1.0 - clock["any"]) * chance


@kernel
def draw_all(state: PollState, rng: np.random.Generator) -> None:
    """Draw all strengths and keep who was strongest."""
    clock = state.clock[0]
    first = 0
    second = 1
    best = -np.inf
    next_best = -np.inf
    for arm in range(state.plan.shape[0]):
        passed = clock["round"] - state.bank.arms[arm]["last"]
        strength = draw_strength(state.bank, arm, rng, passed, clock["prior"])
        if strength > best:
            second, next_best = first, best
            first, best = arm, strength
        elif strength > next_best:
            second, next_best = arm, strength
    if first == second:
        second = 1 if first == 0 else 0
    row = state.draws[clock["drawn"] % KEPT]
    row[0] = first
    row[1] = second
    clock["drawn"] += 1


@kernel
def set_plan(state: PollState) -> None:
    """Compute the chances of what is asked next."""
    clock = state.clock[0]
    n_arms = state.plan.shape[0]
    suspicion = chance_of(state.guard.odds[0])
    clock["any"] = max(ANY, suspicion * min(1.0, MANY / n_arms))
    for arm in range(n_arms):
        state.plan[arm]["direct"] = 0.0
        state.plan[arm]["scouted"] = 0.0
    leader = clock["leader"]
    kept = min(clock["drawn"], KEPT)
    for place in range(kept):
        rival = challenger(state, place, leader)
        direct = directly(n_arms) * trust(state.guard, leader, rival)
        state.plan[rival]["direct"] += direct / kept
        state.plan[scout(state, leader, rival)]["scouted"] += (1.0 - direct) / kept
