"""Change detection: a learner for worlds without change, restarted when a change is seen.

`MDB` duels all pairs every now and then, `DETECT` plays the winner it found against all others in
turn. Both keep the last w outcomes of each such pair and see a change when the wins in the newer
half of them differ from those in the older half by more than b. What they watch over has its
kernels called here by name: Winner Stays for strong regret in `MDB`, Beat the Winner in `DETECT`.
Neither must be told anything. Every new beginning is an episode. An outcome of a duel asked
before it does not count.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import BadParameter
from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Ints, Records
from driftduel.learners.parts.beginnings import BeginsAgain
from driftduel.learners.parts.incumbents import (
    LEAD_RANGES,
    RACE_RANGES,
    LeadState,
    RaceState,
    begin_leads,
    begin_races,
    choose_leaders,
    choose_race,
    learn_lead,
    learn_race,
    no_leads,
    no_races,
    settle_leads,
)
from driftduel.matrix.criteria import Condorcet

WATCH = np.dtype(
    [
        ("next", "i8"),  # where the next outcome goes, over the oldest
        ("kept", "i8"),  # outcomes in the window
        ("shift", "i8"),  # twice the wins of the newer half minus those of the older one
    ],
    align=True,
)

PAPER = "Kolpaczki, Bengs & Huellermeier, Piecewise-Stationary Dueling Bandits, TMLR 2024"

Ticket = tuple[float, float, float]
"""Propensity, number of the episode, and what the duel was for."""


WINDOW_RANGES: Ranges = {
    "windows": ranges.whole(0, 2),
    "watch": {
        "next": ranges.below(lambda known: known.state.windows.shape[1]),
        "kept": ranges.whole(0, lambda known: known.state.windows.shape[1]),
        "shift": ranges.whole(
            lambda known: -2 * known.state.windows.shape[1],
            lambda known: 2 * known.state.windows.shape[1],
        ),
    },
}


@inline_kernel
def changed(
    windows: NDArray[np.int8], watch: Records, row: int, outcome: float, limit: float
) -> bool:
    """Put an outcome into a window; return whether its halves differ by more than the limit.

    Outcomes are kept twofold, so that ties are whole numbers.
    """
    length = windows.shape[1]
    mark = watch[row]
    place = mark["next"]
    middle = place + length // 2
    middle -= length if middle >= length else 0
    twice = int(2.0 * outcome)
    if mark["kept"] == length:
        mark["shift"] += windows[row, place]
    if mark["kept"] >= length // 2:
        mark["shift"] -= 2 * windows[row, middle]
    mark["shift"] += twice
    windows[row, place] = twice
    mark["kept"] = min(length, mark["kept"] + 1)
    mark["next"] = place + 1 if place + 1 < length else 0
    return mark["kept"] == length and abs(mark["shift"]) > 2.0 * limit


@inline_kernel
def forget(watch: Records) -> None:
    """Empty all windows."""
    for row in range(watch.shape[0]):
        watch[row]["next"] = 0
        watch[row]["kept"] = 0
        watch[row]["shift"] = 0


@dataclass(frozen=True, eq=False)
class Detector(BeginsAgain):
    """What `MDB` and `DETECT` have in common: windows, and new beginnings that are episodes."""

    _: KW_ONLY
    change: float = bounded(0.3, above=0, most=1)
    window: int | None = bounded(None, least=2)
    threshold: float | None = bounded(None, above=0)

    _criteria = (Condorcet,)
    _needs_horizon = True

    def _validate(self) -> None:
        """Raise BadParameter if the window has no two halves."""
        if self.window is not None and self.window % 2:
            raise BadParameter("window", f"is {self.window}, must be even")


def even(length: float) -> int:
    """Return the smallest even whole number that is at least ``length``, and at least 2."""
    return max(2, 2 * math.ceil(length / 2))


# Monitored Dueling Bandits.

MDB_CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("step", "i8"),  # place in the period, in which all pairs come first
        ("period", "i8"),
        ("episode", "i8"),  # number of the episode
        ("changed", "i8"),  # 1 if settle has to restart
        ("began", "i8"),  # round of a new beginning that is not in the history, or -1
        ("limit", "f8"),  # b
    ],
    align=True,
)


class MDBState(NamedTuple):
    """The arrays of `MDB`."""

    clock: Records  # (1,) MDB_CLOCK
    pairs: Ints  # (N, 2) all pairs in random order
    windows: NDArray[np.int8]  # (N, w) twice the outcomes
    watch: Records  # (N,) WATCH
    inner: LeadState


MDB_RANGES: Ranges = {
    "clock": {
        "round": ranges.COUNT,
        "period": ranges.FIXED,
        "step": ranges.below("clock.period"),
        "episode": ranges.COUNT,
        "changed": ranges.FLAG,
        "began": ranges.whole(-1, "told"),
        "limit": ranges.FIXED,
    },
    "pairs": ranges.AN_ARM,
    **WINDOW_RANGES,
    "inner": LEAD_RANGES,
}


@inline_kernel
def choose_monitored(state: MDBState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the pair whose turn it is, or what the learner inside would play."""
    clock = state.clock[0]
    step = clock["step"]
    episode = float(clock["episode"])
    if step < state.pairs.shape[0]:
        return state.pairs[step, 0], state.pairs[step, 1], (1.0, episode, float(step))
    left, right, (chance,) = choose_leaders(state.inner, rng)
    return left, right, (chance, episode, -1.0)


@inline_kernel
def learn_monitored(state: MDBState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Pass the outcome on to the window or to the learner inside, whichever asked."""
    clock = state.clock[0]
    chance, episode, row = ticket
    clock["round"] += 1
    if episode != clock["episode"]:
        return False
    clock["step"] = clock["step"] + 1 if clock["step"] + 1 < clock["period"] else 0
    if row < 0.0:
        return learn_lead(state.inner, left, right, (chance,), outcome)
    if changed(state.windows, state.watch, int(row), outcome, clock["limit"]):
        clock["changed"] = 1
        return True
    return False


@kernel
def settle_monitored(state: MDBState, rng: np.random.Generator) -> None:
    """Restart if there was a change, else do what is due inside."""
    clock = state.clock[0]
    if clock["changed"] == 0:
        settle_leads(state.inner, rng)
        return
    begin_leads(state.inner, rng)
    forget(state.watch)
    clock["changed"] = 0
    clock["step"] = 0
    clock["episode"] += 1
    clock["began"] = clock["round"]


@dataclass(frozen=True, eq=False)
class MDB(Detector):
    """Monitored Dueling Bandits: looks at all pairs in between and restarts after a change.

    A period of ``N / rate`` rounds begins with one duel of each of the ``N = K (K - 1) / 2``
    pairs; in the others Winner Stays for strong regret plays (`WinnerStaysStrong`). The window,
    the threshold and the rate follow from what it is told unless they are given::

        C = ln((4 T + 2) sqrt(T) / (sqrt(M) K)),  w = 8 C / change^2 made even,
        b = sqrt(w C / 2),  rate = (K - 1)/2 sqrt(M w / T)

    Parameters
    ----------
    segments : int
        M, the number of stretches without change.
    change : float
        How much the probability of at least one pair changes between them, at least.
    window : int, optional
        w, how many outcomes of a pair are kept; even.
    threshold : float, optional
        b, how many wins the halves of a window may differ by.
    rate : float, optional
        The share of rounds that monitor, at most 1/2.
    growth : float
        As for `WinnerStaysStrong`.

    References
    ----------
    The formulas are those of their code, the paper's constants are not known to us. Regret of order
    K sqrt(T M log T) / change plus M times that of the learner inside, from memory. Our choices:
    Winner Stays inside, which takes nothing from monitoring; a rate above 1/2, as the formula has
    it for short horizons, is cut to 1/2, and C below 1 is raised to 1. A round costs O(1), O(K)
    when the pair inside changes, O(K^2) at a new beginning; memory O(K^2 w).

    Examples
    --------
    >>> learner = MDB(3, horizon=6000, change=1, seed=1)
    >>> for n in range(6000):
    ...     duel = learner.ask()
    ...     won = float((duel.left < duel.right) == (n < 3000))
    ...     learner.tell(duel, won if duel.is_vote else 0.5)
    >>> learner.best(), len(learner.episodes)
    (2, 2)
    """

    _: KW_ONLY
    segments: int = bounded(2, least=1)
    rate: float | None = bounded(None, above=0, most=0.5)
    growth: float = bounded(1.05, above=1)

    _literature: ClassVar = Literature(
        paper=f"{PAPER}, MDB",
        bound="about K sqrt(TM log T)/change + M regrets of Winner Stays, M stretches; from memory",
        needs="T, M, smallest change",
        cost="O(1), O(K) when the pair changes",
    )

    _ranges = MDB_RANGES
    _ticket = (
        ranges.CHANCE,
        ranges.NUMBER,
        ranges.whole(-1, lambda known: len(known.state.pairs) - 1),
    )
    _choose = staticmethod(choose_monitored)
    _learn = staticmethod(learn_monitored)
    _settle = staticmethod(settle_monitored)

    def _tuning(self) -> tuple[int, float, float]:
        """Return window, threshold and rate."""
        T, M = self._known_horizon, self.segments
        constant = max(1.0, math.log((4 * T + 2) * math.sqrt(T / M) / self.n_arms))
        window = self.window or even(8 * constant / self.change**2)
        threshold = self.threshold or math.sqrt(window * constant / 2)
        rate = self.rate or (self.n_arms - 1) / 2 * math.sqrt(M * window / T)
        return window, threshold, min(rate, 0.5)

    def _allocate(self) -> MDBState:
        """Return a fresh state with the pairs in the order of their arms."""
        window, threshold, rate = self._tuning()
        pairs = np.column_stack(np.triu_indices(self.n_arms, 1)).astype(np.int64)
        state = MDBState(
            clock=np.zeros(1, MDB_CLOCK),
            pairs=pairs,
            windows=np.zeros((len(pairs), window), np.int8),
            watch=np.zeros(len(pairs), WATCH),
            inner=no_leads(self.n_arms, self.growth),
        )
        clock = state.clock[0]
        clock["period"] = math.floor(len(pairs) / rate)
        clock["limit"] = threshold
        clock["began"] = -1
        return state

    def _begin(self, state: MDBState, rng: np.random.Generator) -> None:
        """Shuffle the pairs, then draw what Winner Stays draws."""
        for place in range(len(state.pairs) - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            state.pairs[[place, other]] = state.pairs[[other, place]]
        begin_leads(state.inner, rng)

    def _best_of(self, state: MDBState) -> int:
        """Return the arm that the learner inside has in front."""
        return int(state.inner.clock[0]["first"])


# DETECT.

DETECT_CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("left", "i8"),  # rounds for which the learner inside still plays
        ("exploration", "i8"),  # how long it plays in each episode
        ("champion", "i8"),  # the winner it found
        ("rival", "i8"),  # whose turn it is against the champion
        ("episode", "i8"),  # number of the episode
        ("began", "i8"),  # round of a new beginning that is not in the history, or -1
        ("limit", "f8"),  # b
    ],
    align=True,
)


class DetectState(NamedTuple):
    """The arrays of `DETECT`."""

    clock: Records  # (1,) DETECT_CLOCK
    windows: NDArray[np.int8]  # (K, w) twice the outcomes of the champion against each arm
    watch: Records  # (K,) WATCH
    inner: RaceState


DETECT_RANGES: Ranges = {
    "clock": {
        "round": ranges.COUNT,
        "exploration": ranges.FIXED,
        "left": ranges.whole(0, "clock.exploration"),
        "champion": ranges.AN_ARM,
        "rival": ranges.AN_ARM,
        "episode": ranges.COUNT,
        "began": ranges.whole(-1, "told"),
        "limit": ranges.FIXED,
    },
    **WINDOW_RANGES,
    "inner": RACE_RANGES,
}


@inline_kernel
def choose_champion(state: DetectState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return what the learner inside plays, or later the champion and whose turn it is."""
    clock = state.clock[0]
    episode = float(clock["episode"])
    if clock["left"] > 0:
        left, right, (chance, version) = choose_race(state.inner, rng)
        return left, right, (chance, episode, version)
    return clock["champion"], clock["rival"], (1.0, episode, -1.0)


@inline_kernel
def learn_champion(
    state: DetectState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Pass the outcome on to the learner inside, or to the window of the champion's rival."""
    clock = state.clock[0]
    chance, episode, version = ticket
    clock["round"] += 1
    if episode != clock["episode"]:
        return False
    if version >= 0.0:
        if clock["left"] > 0:
            learn_race(state.inner, left, right, (chance, version), outcome)
            clock["left"] -= 1
            clock["champion"] = state.inner.clock[0]["incumbent"]
            clock["rival"] = 1 if clock["champion"] == 0 else 0
        return False
    if right == clock["rival"]:
        next_rival(state)
    return changed(state.windows, state.watch, right, outcome, clock["limit"])


@inline_kernel
def next_rival(state: DetectState) -> None:
    """Give the turn to the next arm that is not the champion."""
    clock = state.clock[0]
    n_arms = state.watch.shape[0]
    rival = (clock["rival"] + 1) % n_arms
    clock["rival"] = (rival + 1) % n_arms if rival == clock["champion"] else rival


@kernel
def settle_champion(state: DetectState, rng: np.random.Generator) -> None:
    """Restart after a change."""
    clock = state.clock[0]
    begin_races(state.inner, rng)
    forget(state.watch)
    clock["left"] = clock["exploration"]
    clock["episode"] += 1
    clock["began"] = clock["round"]


@dataclass(frozen=True, eq=False)
class DETECT(Detector):
    """Dueling Explore-Then-Exploit with Change Tracking: the winner found meets all others in turn.

    Beat the Winner, without reset, plays for a while; then the arm it has in front is played
    against the others in turn for as long as no change is seen. With ``q = (2 p - 1)^2``::

        tuning 1: exploration = (ln(T / ((1 - e^-q) ln T)) / q + K - 1)^2,
                  w = (16 ln T + 6) / change^2 made even,  b = sqrt(w (ln T + 3/8))
        tuning 2: exploration = sqrt(T),  x = e^(-(T^(1/4) - K + 1) q) / (1 - e^-q),
                  w = 8 ln(2 T / x) / change^2 made even,  b = sqrt(w/2 ln(2 T / x))

    Parameters
    ----------
    change : float
        How much the probability of a pair with the old winner changes, at least.
    winning : float
        p, with what probability the winner beats any other arm, at least; above 1/2.
    tuning : 1 or 2
        Which formulas are used.
    window : int, optional
        w, how many outcomes of a pair are kept; even.
    threshold : float, optional
        b, how many wins the halves of a window may differ by.
    exploration : int, optional
        How many rounds of an episode go to the learner inside.

    References
    ----------
    The formulas are those of their code, where both tunings are for Beat the Winner inside. Weak
    regret; its bound is not known to us. Our choices: tuning 2 by default, for with a small p the
    exploration of the first exceeds usual horizons; ln T and ln(2T/x) below 1 are raised to 1. A
    round costs O(1), O(K) at a new beginning; memory O(K w).

    Examples
    --------
    >>> learner = DETECT(3, horizon=4000, change=1, winning=0.9, seed=1)
    >>> for n in range(4000):
    ...     duel = learner.ask()
    ...     best = 0 if n < 2000 else 2
    ...     learner.tell(duel, 1.0 if duel.left == best else 0.0 if duel.right == best else 0.5)
    >>> learner.best(), len(learner.episodes)
    (2, 2)
    """

    _: KW_ONLY
    winning: float = bounded(0.55, above=0.5, most=1)
    tuning: int = bounded(2, least=1, most=2)
    exploration: int | None = bounded(None, least=1)

    _literature: ClassVar = Literature(
        paper=f"{PAPER}, DETECT",
        bound="weak; not known to us",
        needs="T, smallest change, p",
        cost="O(1)",
    )

    _ranges = DETECT_RANGES
    _ticket = (ranges.CHANCE, ranges.NUMBER, ranges.NUMBER)
    _choose = staticmethod(choose_champion)
    _learn = staticmethod(learn_champion)
    _settle = staticmethod(settle_champion)

    def _tuned(self) -> tuple[int, float, int]:
        """Return window, threshold and exploration."""
        T, K = self._known_horizon, self.n_arms
        q = (2 * self.winning - 1) ** 2
        if self.tuning == 1:
            log = max(1.0, math.log(T))
            inside = max(1.0, T / (-math.expm1(-q) * log))
            explore = (math.log(inside) / q + K - 1) ** 2
            window = self.window or even((16 * log + 6) / self.change**2)
            threshold = math.sqrt(window * (log + 3 / 8))
        else:
            # ln(2 T / x) with x as above
            log = math.log(-2 * T * math.expm1(-q)) + (T**0.25 - K + 1) * q
            log = max(1.0, log)
            explore = math.sqrt(T)
            window = self.window or even(8 * log / self.change**2)
            threshold = math.sqrt(window / 2 * log)
        return window, self.threshold or threshold, self.exploration or int(explore)

    def _allocate(self) -> DetectState:
        """Return a fresh state at the start of an exploration."""
        window, threshold, exploration = self._tuned()
        state = DetectState(
            clock=np.zeros(1, DETECT_CLOCK),
            windows=np.zeros((self.n_arms, window), np.int8),
            watch=np.zeros(self.n_arms, WATCH),
            inner=no_races(self.n_arms, 0.0, resets=False),
        )
        clock = state.clock[0]
        clock["exploration"] = exploration
        clock["left"] = exploration
        clock["limit"] = threshold
        clock["began"] = -1
        return state

    def _begin(self, state: DetectState, rng: np.random.Generator) -> None:
        """Draw the queue of Beat the Winner."""
        begin_races(state.inner, rng)

    def _best_of(self, state: DetectState) -> int:
        """Return the champion, or before there is one the arm in front inside."""
        clock = state.clock[0]
        if clock["left"] > 0:
            return int(state.inner.clock[0]["incumbent"])
        return int(clock["champion"])
