"""What votes say of change, and what they would say if nothing had changed.

A world made from votes moves because tastes move and because votes are noise. Which of the two is
told by doing all of it again, the choice of the bandwidth included, with the dates of the votes
shuffled (`driftduel.votes.shuffling`): in those worlds nothing changes. The *null band* of a
count reaches from the smallest to the largest of them. If nothing changes, a count lies above its
band with a probability of at most 1 in ``shuffles + 1``, and below it as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftduel._support.checks import as_count, as_horizon
from driftduel._support.text import count
from driftduel.matrix.weights import WeightSequence
from driftduel.verdict.always import drifted
from driftduel.verdict.moments import Moment
from driftduel.verdict.parts import Clock, plain
from driftduel.verdict.proved import Drifted
from driftduel.votes.bandwidth import choose_bandwidth
from driftduel.votes.log import Log
from driftduel.votes.proof.drift import Drift, drift
from driftduel.votes.shuffling import Shuffler
from driftduel.votes.smoothing import as_bandwidth, side_weights
from driftduel.worlds.measures.measures import COUNTS, PHASES, WORDS, Measures, measure
from driftduel.worlds.stream import Stream

MOST_SHUFFLES = 99
FEWEST_SHUFFLES = 19
"""One count in twenty lies above the largest of so many if nothing changes."""

_EFFORT = 2e9
"""Steps that all shuffles may take, a nanosecond each or so, before there are fewer of them."""


@dataclass(frozen=True)
class Band:
    """A count beside what it would be if nothing changed.

    Attributes
    ----------
    found : float or None
        The count of the votes as they are; of phases the changes. None where undefined.
    low, high : float or None
        The smallest and the largest count of the shuffled votes; None if some have none.
    """

    found: float | None
    low: float | None
    high: float | None

    @property
    def verdict(self) -> str | None:
        """``more`` or ``less`` than noise alone shows, or ``within``; None where undefined."""
        if self.found is None or self.low is None or self.high is None:
            return None
        slack = 1e-9 * max(1.0, abs(self.high))  # sums in another order
        if self.found > self.high + slack:
            return "more"
        return "less" if self.found < self.low - slack else "within"


@dataclass(frozen=True, repr=False)
class LogMeasures:
    """What votes say of change, as returned by `measure_log`.

    Attributes
    ----------
    world : Stream
        The world that the votes tell of.
    measures : Measures
        How much it moves.
    bandwidth : float
        The one it was made with; infinite for a world that does not change.
    chosen : bool
        Whether it was chosen, and not given.
    shuffles : int
        How often the dates of the votes were shuffled; 0 if there was nothing to compare.
    bands : dict of str to Band
        For every measure, by its name in `Measures`: the count and its null band.
    n_votes : int
        Number of votes.
    drift : Drift
        Whether and since when it is proved that tastes drifted at all, whoever looked when.
    """

    world: Stream
    measures: Measures
    bandwidth: float
    chosen: bool
    shuffles: int
    bands: dict[str, Band]
    n_votes: int
    drift: Drift

    @property
    def beyond_noise(self) -> bool:
        """Whether some count is more than noise shows, so that something changes."""
        return any(band.verdict == "more" for band in self.bands.values())

    @property
    def says(self) -> str:
        """What the owner of the votes should know before reading a count."""
        proved = self._proved()
        return f"{self._said()} {proved}" if proved else self._said()

    def _proved(self) -> str:
        """Return since when drift is proved, which holds at every look; shuffles are one look."""
        at = self.drift.proved
        if at is None:
            return ""
        one = Drifted(proved=Moment.of(at), of_strengths=self.drift.of_strengths)
        return plain(drifted(one, Clock("minute", "vote")))

    def _said(self) -> str:
        if self.measures.changes == 0:
            return self._still()
        more, others = (
            [WORDS[name] for name, band in self.bands.items() if band.verdict in verdicts]
            for verdicts in (("more",), ("within", "less"))
        )
        shuffled = (
            f"with their dates shuffled {count(self.shuffles, 'time')}, as if nothing changed"
        )
        if not more:
            return (
                f"Do not take these counts for changes: the same votes, {shuffled}, show as many "
                "or more."
            )
        return (
            f"These votes tell of change. More than the same votes ever show {shuffled}: "
            f"{', '.join(more)}. "
            + (f"Not more than noise shows: {', '.join(others)}. " if others else "")
            + "That something changed does not make every counted change a real one."
        )

    def beside(self, proved: int) -> str:
        """Return what to say where so many changes of who is best are proved of the same votes.

        Proofs and held-out votes ask differently, and neither takes back what the other found.
        """
        are = f"{count(proved, 'change')} of who is best {'is' if proved == 1 else 'are'} proved"
        if self.measures.changes == 0 and proved:
            return (
                f"How much tastes moved is not told: {are}, but no world that changes predicts "
                "held-out votes clearly better than one that does not."
            )
        if not self.beyond_noise and self.measures.changes and proved:
            return (
                f"{are[:1].upper()}{are[1:]}. Of the counts here none is more than the same votes "
                f"show with their dates shuffled {count(self.shuffles, 'time')}: do not take them "
                "for that many changes."
            )
        if self.beyond_noise and not proved:
            return f"{self._said()} Whether any of it changed who is best is not proved."
        return self._said()  # that tastes drifted is told by the verdict, which stands beside it

    def to_dict(self, proved: int = 0) -> dict[str, Any]:
        """Return it as JSON has it, if so many changes of who is best are proved."""
        return {
            "says": self.beside(proved),
            "bandwidth": self.bandwidth if math.isfinite(self.bandwidth) else None,
            "bandwidth_chosen": self.chosen,
            "beyond_noise": self.beyond_noise,
            "shuffles": self.shuffles,
            "null_band": {
                name: {
                    "found": band.found,
                    "low": band.low,
                    "high": band.high,
                    "verdict": band.verdict,
                }
                for name, band in self.bands.items()
            },
        }

    def _still(self) -> str:
        votes = count(self.n_votes, "vote")
        if self.chosen and self.drift.proved is not None:
            return (
                "No world that changes predicts held-out votes clearly better than one that does "
                "not, so this one does not change, though tastes did."
            )
        if self.chosen:
            return (
                f"No change can be told from noise in {votes}: no world that changes predicts "
                "held-out votes clearly better than one that does not. Smaller changes than these "
                "votes can show are possible."
            )
        if self.bandwidth == math.inf:
            return f"One matrix for all {votes}: it cannot show a change."
        return f"The world of these {votes} does not change."

    def __repr__(self) -> str:
        more = [name for name, band in self.bands.items() if band.verdict == "more"]
        return (
            f"LogMeasures({self.world!r}, bandwidth {self.bandwidth:g}, "
            f"more than noise: {', '.join(more) or 'nothing'})"
        )


def measure_log(
    log: Log,
    horizon: int | None = None,
    bandwidth: float | None = None,
    *,
    weight: ArrayLike | WeightSequence | None = None,
    remove_bias: bool = False,
    shuffles: int | None = None,
    seed: int = 0,
) -> LogMeasures:
    """Measure how much votes say the world moves, and how much of that is noise.

    Parameters
    ----------
    log : Log
        The votes.
    horizon : int, optional
        Number of rounds; one a vote if left out.
    bandwidth : float, optional
        As for `driftduel.worlds.stream_from_log`. One that is given is used for the shuffled votes
        too, so the null band is then what noise makes at this bandwidth.
    weight : array_like of shape (K,) or WeightSequence, optional
        As for `measure`; without one its measures have no null band.
    remove_bias : bool
        Take out the advantage of being shown left.
    shuffles : int, optional
        How often the dates are shuffled. If left out 99, or fewer, down to 19, if that would take
        long. Of large logs with more than 250 times, shuffled times are rounded to a 250th of the
        whole, or an eighth of the bandwidth if one is given and that is less.
    seed : int
        Of the shuffles.

    Examples
    --------
    Tastes turn around after 50 of 100 days; then votes of arms that are always equal:

    >>> rng = np.random.default_rng(0)
    >>> days = np.repeat(np.arange(100), 10)
    >>> taste = np.where(days < 50, 0.8, 0.2)
    >>> arms = {"left": 0 * days, "right": 0 * days + 1}
    >>> log = Log(["tea", "milk"], days, **arms, outcome=rng.random(1000) < taste)
    >>> found = measure_log(log, shuffles=19)
    >>> found.bands["borda_switches"], found.bands["borda_switches"].verdict
    (Band(found=1, low=0, high=0), 'more')
    >>> log = Log(["tea", "milk"], days, **arms, outcome=rng.random(1000) < 0.5)
    >>> found = measure_log(log, shuffles=19)
    >>> found.bandwidth, found.bands["borda_switches"], found.beyond_noise
    (inf, Band(found=0, low=0, high=0), False)
    """
    if shuffles is not None:
        shuffles = as_count(shuffles, "shuffles")
    log = log.votes
    rounds = as_horizon(log.n_votes if horizon is None else horizon)
    moves = bool(log.time[-1] > log.time[0])
    chosen = bandwidth is None and moves
    width = math.inf if bandwidth is None else as_bandwidth(bandwidth)
    if chosen:
        width = choose_bandwidth(log, remove_bias=remove_bias).bandwidth
    world = log.stream(rounds, width, remove_bias=remove_bias)
    measures = measure(world, weight)
    found = _counts(measures)
    names = [name for name in found if weight is not None or "weighted" not in name]
    shown: list[dict[str, float | None]] = []
    if moves and (chosen or width < math.inf):
        shuffler = Shuffler(log, math.inf if chosen else width)
        if shuffles is None:
            shuffles = _affordable(shuffler, world, chosen)
        for n in range(shuffles):
            other = _shuffled(shuffler, np.random.default_rng([seed, n]), remove_bias)
            given = None if chosen else width
            shuffled = other.stream(rounds, given, remove_bias=remove_bias)
            shown.append(_counts(measure(shuffled, weight)))
    bands = {}
    for name in names:
        by_noise = [counts[name] for counts in shown]
        if measures.changes == 0:  # what does not change holds no change, whatever it counts
            by_noise.append(found[name])
        bands[name] = _band(found[name], by_noise)
    return LogMeasures(world, measures, width, chosen, len(shown), bands, log.n_votes, drift(log))


def _shuffled(shuffler: Shuffler, rng: np.random.Generator, remove_bias: bool) -> Log:
    """Return shuffled votes, of which the bias can be told if it can be told of the log."""
    for _ in range(1000):
        log = shuffler.shuffled(rng)
        try:
            side_weights(log, remove_bias=remove_bias)
        except ValueError:
            continue
        break
    return log


def _counts(measures: Measures) -> dict[str, float | None]:
    """Return every measure as a number: of phases the changes."""
    counts: dict[str, float | None] = {name: getattr(measures, name) for name in COUNTS}
    for name in PHASES:
        phases = getattr(measures, name)
        counts[name] = None if phases is None else phases.changes
    return {name: counts[name] for name in WORDS}


def _band(found: float | None, by_noise: Sequence[float | None]) -> Band:
    known = [number for number in by_noise if number is not None]
    if not known or len(known) < len(by_noise):
        return Band(found, None, None)
    return Band(found, min(known), max(known))


def _affordable(shuffler: Shuffler, world: Stream, chosen: bool) -> int:
    """Return how many shuffles are made: by the size of the problem, so always the same."""
    steps = 3e6 + 1e4 * shuffler.n_pairs + 500 * shuffler.n_cells
    if chosen:
        steps += 20 * shuffler.work
    else:
        steps += world.n_stretches * (100 * world.n_arms**2 + 2 * shuffler.n_cells)
    return int(min(max(_EFFORT // steps, FEWEST_SHUFFLES), MOST_SHUFFLES))
