"""Random replays: when the next one of each length is due.

A replay of length m = 2, 4, 8, ... is due at round s of an episode that began at t with probability
``rate m^length (s - t)^age``. The probability falls with s, so the next replay of each length is
drawn by thinning: geometric gaps at the current probability, each kept with the ratio of the
probability there to it. The longest replay of a round counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import kernel
from driftduel.learners.contract.ranges import FIXED, Ranges, equal_to, whole
from driftduel.learners.parts.arrays import NEVER, Ints, Records

SCHEDULE = np.dtype(
    [
        ("next", "i8"),  # the first round at which one is due
        ("grows", "i8"),  # 1 if a length is in use from the age of half its rounds on
        ("rate", "f8"),  # multiplier of the probability; 0 for none
        ("length", "f8"),  # powers of length and age in the probability
        ("age", "f8"),
    ],
    align=True,
)


class Replays(NamedTuple):
    """What is due when."""

    schedule: Records  # (1,) SCHEDULE
    due: Ints  # (M,) next replay of length 2, 4, 8, ...


REPLAY_RANGES: Ranges = {
    "due": whole(0, NEVER),
    "schedule": {
        "next": equal_to(
            "the first round at which one is due", lambda known: known.state.due.min(initial=NEVER)
        ),
        **dict.fromkeys(("grows", "rate", "length", "age"), FIXED),
    },
}


def no_replays(
    lengths: int, rate: float, length: float, age: float, *, grows: bool = False
) -> Replays:
    """Return replays of so many lengths, none of them due yet."""
    schedule = np.zeros(1, SCHEDULE)
    schedule["next"] = NEVER
    schedule["grows"] = grows
    schedule["rate"] = rate
    schedule["length"] = length
    schedule["age"] = age
    return Replays(schedule, np.full(lengths, NEVER))


@kernel
def schedule_replays(replays: Replays, rng: np.random.Generator, episode: int) -> None:
    """Draw the first replay of each length in a new episode."""
    replays.schedule[0]["next"] = NEVER
    for power in range(replays.due.shape[0]):
        schedule_replay(replays, rng, power, episode, 0)


@kernel
def take_due_replays(replays: Replays, rng: np.random.Generator, now: int, episode: int) -> int:
    """Return the longest replay that is due, and draw the next one of each length that was."""
    longest = 0
    replays.schedule[0]["next"] = NEVER
    for power in range(replays.due.shape[0]):
        if replays.due[power] <= now:
            longest = 2 << power
            schedule_replay(replays, rng, power, episode, now - episode)
        else:
            replays.schedule[0]["next"] = min(replays.schedule[0]["next"], replays.due[power])
    return longest


@kernel
def schedule_replay(
    replays: Replays, rng: np.random.Generator, power: int, episode: int, age: int
) -> None:
    """Draw the next round after ``age`` of the episode at which a replay of 2^(power+1) is due."""
    schedule = replays.schedule[0]
    length = 2.0 * (1 << power)
    if schedule["grows"]:
        age = max(age, int(length) // 2 - 1)
    size = schedule["rate"] * length ** schedule["length"]
    while size > 0.0 and age < NEVER:
        chance = min(1.0, size * (age + 1.0) ** schedule["age"])
        gap = 1.0
        if chance < 1.0:
            gap = 1.0 + np.floor(math.log1p(-rng.random()) / math.log1p(-chance))
        if gap > NEVER - age:
            break
        age += int(gap)
        here = min(1.0, size * float(age) ** schedule["age"])
        if rng.random() * chance < here:
            replays.due[power] = episode + age
            schedule["next"] = min(schedule["next"], replays.due[power])
            return
    replays.due[power] = NEVER
