"""The worlds of `benchmarks.polls`: a tuning half and a held-out half, drawn before any play.

``poll_worlds.toml`` has them; this file run as a program draws it again. A half is *drifting* and
*stationary* worlds. How often each number of arms, kind of change, kind of strengths and number of
votes occurs is written here; which go together is drawn, by a seed that is the SHA-256 of a phrase.
What is hopeless is not dealt: the best arm must be ahead of the next by `HOPE` standard deviations
of what uniform pairs tell in one phase.

Strengths, before arms are shuffled (the *score* of an arm is its Borda score over the others):

- ``favourite P``: one arm wins each duel with chance P, the others are even;
- ``ladder W``: arm i wins by a share that grows evenly; the first leads the last by W;
- ``btl S``: Bradley-Terry-Luce, log-strengths normal with standard deviation S;
- ``near G``: two arms lead the rest by .15, one of them the other by G;
- ``cycle D``: each arm beats the next half of a circle with .7, one is D stronger against all;
- ``trap``: the best arm beats all with .7 but one, to which it loses with .6; that one beats the
  others with .53.

Changes: ``none``; ``one``, ``two`` and ``five``, each of which swaps the best arm with another;
``all``, which deals the places of all arms again, another arm first; ``gradual``, a swap that takes
half of the votes; ``riser``, an arm that rises slowly until it beats all; ``wobble``, in which all
margins shrink to .35 of themselves and grow again, four times, and the best stays the best.
"""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FILE = Path(__file__).with_name("poll_worlds.toml")
PHRASES = {
    "tuning": "driftduel, worlds of polls, tuning half",
    "held-out": "driftduel, worlds of polls, second held-out half",
}
"""Of each half; the first held-out half was played with the DriftPoll of before."""
HALVES = tuple(PHRASES)
LONG = 20_000
"""Votes of a stationary world; its tracking error is that of its first `World.votes`."""
HOPE = 1.5

_LEAST_ARMS = {"favourite": 2, "trap": 4}
_PHASES = {"none": 1, "one": 2, "two": 3, "five": 6, "all": 2, "gradual": 2, "riser": 2}


def _repeat(counts: dict[str, int]) -> list[str]:
    return [name for name, count in counts.items() for _ in range(count)]


DECKS: dict[str, dict[str, Sequence[str]]] = {
    "drifting": {
        "arms": _repeat({"2": 3, "3": 2, "4": 6, "10": 10, "30": 5}),
        "drift": _repeat(
            {"one": 7, "two": 4, "five": 4, "all": 3, "gradual": 3, "riser": 2, "wobble": 3}
        ),
        "strengths": _repeat(
            {"favourite .55": 2, "favourite .6": 4, "favourite .65": 1, "favourite .7": 4}
            | {"favourite .8": 1, "favourite .9": 2, "ladder .3": 1, "ladder .4": 1, "ladder .6": 1}
            | {"btl .5": 1, "btl 1": 2, "btl 2": 1, "near .05": 2, "cycle .1": 2, "trap": 1}
        ),
        "votes": _repeat({"1000": 6, "2000": 5, "5000": 11, "20000": 4}),
        "ties": _repeat({"0": 22, "0.3": 4}),
        "left": _repeat({"0": 22, "0.1": 4}),
    },
    "stationary": {
        "arms": _repeat({"2": 1, "3": 1, "4": 4, "10": 8, "30": 4}),
        "drift": _repeat({"none": 18}),
        "strengths": _repeat(
            {"favourite .55": 2, "favourite .6": 3, "favourite .65": 1, "favourite .7": 3}
            | {"favourite .9": 1, "ladder .3": 1, "ladder .4": 1, "btl 1": 2, "near .05": 1}
            | {"cycle .1": 1, "trap": 2}
        ),
        "votes": _repeat({"1000": 4, "2000": 5, "5000": 5, "20000": 4}),
        "ties": _repeat({"0": 15, "0.3": 3}),
        "left": _repeat({"0": 15, "0.1": 3}),
    },
}


@dataclass(frozen=True)
class World:
    """How people vote, from the first vote to the last.

    Attributes
    ----------
    arms, votes : int
        How many there are.
    strengths, drift : str
        See the top of this file.
    ties : float
        The chance that a voter does not decide.
    left : float
        What is added to the chance of the arm on the left.
    seed : int
        For which arm is which, when exactly changes come, and strengths that are drawn.
    """

    arms: int
    votes: int
    strengths: str
    drift: str
    ties: float
    left: float
    seed: int

    @property
    def name(self) -> str:
        """What tables call it."""
        drift = {"none": "no change", "all": "all change", "one": "one change"}.get(
            self.drift, self.drift + " changes" if self.drift in ("two", "five") else self.drift
        )
        more = [f"{self.ties:.0%} ties"] * (self.ties > 0) + ["left +10 %"] * (self.left > 0)
        return ", ".join([f"{self.arms} arms", self.strengths, drift, f"{self.votes:,}", *more])

    @property
    def transitive(self) -> bool:
        """Whether strengths explain all pairs."""
        return not self.strengths.startswith(("cycle", "trap"))

    @cached_property
    def play(self) -> Play:
        """The probabilities."""
        return _play(self, LONG if self.drift == "none" else self.votes)

    @cached_property
    def hope(self) -> float:
        """By how many standard deviations the best arm leads after one phase of uniform pairs."""
        scores = np.sort(borda(_strengths(self, np.random.default_rng(self.seed))))
        of_an_arm = 2 * self.votes / self.arms / _PHASES.get(self.drift, 1)
        return float((scores[-1] - scores[-2]) * math.sqrt(2 * of_an_arm))


@dataclass(frozen=True)
class Play:
    """The probabilities of a world: a mixture of two matrices of a palette at each vote."""

    palette: Floats  # (M, K, K)
    scores: Floats  # (M, K) of the arms, over the others
    before: Ints  # (T,)
    after: Ints  # (T,)
    share: Floats  # (T,) of the one after
    changes: Ints  # the first vote after each sudden change

    def scores_at(self, votes: Ints) -> Floats:
        """Return the scores of all arms at some votes, a row for each."""
        share = self.share[votes, None]
        scores = (1 - share) * self.scores[self.before[votes]]
        return np.asarray(scores + share * self.scores[self.after[votes]])

    @classmethod
    def one_change(cls, matrix: Floats, votes: int, change: int, seed: int) -> Play:
        """Return a world in which the best arm and another swap places at a vote."""
        palette = np.array([matrix, _swapped(matrix, np.random.default_rng(seed))])
        before = (np.arange(votes) >= change).astype(np.int64)
        return cls(palette, borda(palette), before, before, np.zeros(votes), np.array([change]))


def worlds(half: str, kind: str) -> list[World]:
    """Return the worlds of a half, "drifting" or "stationary", as they stand in the file."""
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return [World(**row) for row in table[half][kind]]


def borda(matrix: Floats) -> Floats:
    """Return the score of each arm over the others."""
    n_arms = matrix.shape[-1]
    return np.asarray((matrix.sum(axis=-1) - 0.5) / (n_arms - 1))


def favourite(n_arms: int, chance: float) -> Floats:
    """Return a matrix in which the first arm wins with a chance and the others are even."""
    strengths = np.zeros(n_arms)
    strengths[0] = chance - 0.5
    return additive(strengths)


def additive(strengths: Floats) -> Floats:
    """Return the matrix of arms that win by the difference of their strengths."""
    return np.clip(0.5 + strengths[:, None] - strengths[None, :], 0.02, 0.98)


def _strengths(world: World, rng: np.random.Generator) -> Floats:
    """Return the matrix before anything changes, arms shuffled."""
    kind, _, number = world.strengths.partition(" ")
    n_arms, value = world.arms, float(number or 0)
    if kind == "favourite":
        matrix = favourite(n_arms, value)
    elif kind == "ladder":
        matrix = additive(np.linspace(value / 2, -value / 2, n_arms))
    elif kind == "btl":
        logs = rng.normal(size=n_arms) * value
        matrix = 1 / (1 + np.exp(logs[None, :] - logs[:, None]))
    elif kind == "near":
        strengths = np.zeros(n_arms)
        strengths[:2] = 0.15 + value / 2, 0.15 - value / 2
        matrix = additive(strengths)
    elif kind == "cycle":
        ahead = (np.arange(n_arms)[None, :] - np.arange(n_arms)[:, None]) % n_arms
        matrix = 0.5 + 0.2 * ((ahead > 0) & (ahead < n_arms / 2)) - 0.2 * (ahead > n_arms / 2)
        matrix[0, 1:] += value
        matrix[1:, 0] -= value
    else:
        matrix = favourite(n_arms, 0.7)
        matrix[0, 1], matrix[1, 0] = 0.4, 0.6
        matrix[1, 2:], matrix[2:, 1] = 0.53, 0.47
    order = rng.permutation(n_arms)
    return np.asarray(matrix[np.ix_(order, order)])


def _play(world: World, votes: int) -> Play:
    rng = np.random.default_rng(world.seed)
    palette = [_strengths(world, rng)]
    time = np.arange(votes) / votes
    before, after, share = np.zeros(votes, np.int64), np.zeros(votes, np.int64), np.zeros(votes)
    changes: list[int] = []
    fractions = {"one": [0.5], "all": [0.5], "two": [0.25, 0.75]}
    fractions["five"] = [number / 6 for number in range(1, 6)]
    for fraction in fractions.get(world.drift, []):
        palette.append((_shuffled if world.drift == "all" else _swapped)(palette[-1], rng))
        # Not where a window of a round number of votes would expect it.
        changes.append(int((fraction + rng.uniform(-0.05, 0.05)) * votes))
        before[changes[-1] :] = after[changes[-1] :] = len(changes)
    if world.drift == "gradual":
        palette.append(_swapped(palette[0], rng))
        share = np.clip((time - 0.25) / 0.5, 0, 1)
    elif world.drift == "riser":
        palette.append(_risen(palette[0], rng))
        share = np.clip((time - 0.1) / 0.8, 0, 1)
    elif world.drift == "wobble":
        palette.append(0.5 + 0.35 * (palette[0] - 0.5))
        share = 0.5 - 0.5 * np.cos(8 * np.pi * time)
    if len(changes) == 0 and len(palette) > 1:
        after[:] = 1
    matrices = np.array(palette)
    return Play(matrices, borda(matrices), before, after, share, np.array(changes, np.int64))


def _another(matrix: Floats, rng: np.random.Generator) -> tuple[int, int]:
    """Return the best arm and any other."""
    best = int(np.argmax(borda(matrix)))
    return best, int(rng.choice([arm for arm in range(len(matrix)) if arm != best]))


def _swapped(matrix: Floats, rng: np.random.Generator) -> Floats:
    best, other = _another(matrix, rng)
    order = np.arange(len(matrix))
    order[[best, other]] = other, best
    return np.asarray(matrix[np.ix_(order, order)])


def _shuffled(matrix: Floats, rng: np.random.Generator) -> Floats:
    best = np.argmax(borda(matrix))
    while True:
        order = rng.permutation(len(matrix))
        if order[best] != best:
            return np.asarray(matrix[np.ix_(order, order)])


def _risen(matrix: Floats, rng: np.random.Generator) -> Floats:
    best, riser = _another(matrix, rng)
    risen = matrix.copy()
    wins = np.minimum(0.95, matrix[best] + 0.1)
    wins[best] = 0.65
    wins[riser] = 0.5
    risen[riser], risen[:, riser] = wins, 1 - wins
    return risen


def _drawn(half: str, kind: str) -> list[World]:
    digest = hashlib.sha256(PHRASES[half].encode()).digest()
    place = list(DECKS).index(kind)
    rng = np.random.default_rng([int.from_bytes(digest[:8], "big"), place])
    while True:
        dealt = list(_dealt(DECKS[kind], rng))
        if len(dealt) == len(DECKS[kind]["arms"]):
            return sorted(dealt, key=lambda world: (world.arms, world.votes, world.strengths))


def _dealt(decks: dict[str, Sequence[str]], rng: np.random.Generator) -> Iterator[World]:
    """Yield worlds until cards are left that do not fit each other."""
    left = {name: rng.permutation(cards).tolist() for name, cards in decks.items()}
    for seed in rng.integers(2**31, size=len(decks["arms"])).tolist():
        arms, drift = int(left["arms"].pop()), left["drift"].pop()
        ties, more = float(left["ties"].pop()), float(left["left"].pop())
        choices = (
            World(arms, int(votes), strengths, drift, ties, more, seed)
            for strengths in left["strengths"]
            for votes in left["votes"]
        )
        found = next(filter(_fits, choices), None)
        if found is None:
            return
        left["strengths"].remove(found.strengths)
        left["votes"].remove(str(found.votes))
        yield found


def _fits(world: World) -> bool:
    kind = world.strengths.split()[0]
    return world.arms >= _LEAST_ARMS.get(kind, 3) and world.hope >= HOPE


def _written() -> Iterator[str]:
    yield "# The worlds of `python -m benchmarks polls`; drawn by _poll_worlds.py."
    for half in HALVES:
        for kind in DECKS:
            yield f"\n[{half}]" if kind == next(iter(DECKS)) else ""
            yield f"{kind} = ["
            for world in _drawn(half, kind):
                entries = (
                    f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
                    for name, value in asdict(world).items()
                )
                yield f"  {{ {', '.join(entries)} }},"
            yield "]"


if __name__ == "__main__":
    FILE.write_text("\n".join(_written()) + "\n", encoding="utf-8")
