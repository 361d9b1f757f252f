"""A story with names and moments: the record that sentences are made from, and its JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from driftduel.verdict.likely import Likely, LikelyEra
from driftduel.verdict.standing import Moment
from driftduel.votes.likely.bins import Floats
from driftduel.votes.likely.story import Story

_MOST_STEPS = 240
"""Rows of the story over time in JSON and in a picture."""


@dataclass(frozen=True, eq=False)
class Telling:
    """The story of options with names, in moments that people know.

    Attributes
    ----------
    story : Story
    names : tuple of str
        Of the options, which the story knows by their places.
    moment : callable
        Makes a moment of a time of the story.
    timed : bool
        Whether votes have times at all.
    votes : int
        How many they are.
    """

    story: Story
    names: tuple[str, ...]
    moment: Callable[[float], Moment]
    timed: bool
    votes: int

    @cached_property
    def likely(self) -> Likely:
        """The record that sentences are made from."""
        story = self.story
        earliest, latest = story.since
        return Likely(
            names=self.names,
            eras=tuple(
                LikelyEra(
                    option=era.arm,
                    since=self.start_of(era.begin),
                    until=self.start_of(era.end),
                    probability=era.probability,
                    earliest=self.start_of(era.start[0]),
                    latest=self.end_of(era.start[1]),
                    took_over=era.took_over,
                )
                for era in story.eras
            ),
            best=story.now,
            probability=tuple(map(float, story.p_best[-1])),
            earliest=self.start_of(earliest),
            latest=self.end_of(latest),
            unbroken=latest <= (story.eras[-1].begin + len(story.bins)) / 2,
            first=self.start_of(0),
            last=self.end_of(len(story.bins) - 1),
            timed=self.timed,
            votes=self.votes,
            losses=(story.prediction.model, story.prediction.static, story.prediction.coin),
            record=tuple((one.low, one.high, one.votes, one.said, one.won) for one in story.record),
            scores=tuple(
                (float(mean), float(low), float(high)) if np.isfinite(mean) else None
                for mean, low, high in story.bands_now.T
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        known, story = self.likely, self.story
        return {
            "best": self.names[known.best],
            "probability": _rounded(known.probability[known.best]),
            "since": {"from": known.earliest.to_json(), "to": known.latest.to_json()},
            "leaders": [
                {
                    "arm": self.names[era.option],
                    "from": era.since.to_json(),
                    "to": era.until.to_json(),
                    "probability": _rounded(era.probability),
                    "took_over": {
                        "probability": _rounded(era.took_over),
                        "from": era.earliest.to_json(),
                        "to": era.latest.to_json(),
                    },
                }
                for era in known.eras
            ],
            "timeline": [
                {
                    "from": self.start_of(begin).to_json(),
                    "to": self.end_of(end - 1).to_json(),
                    "probabilities": {
                        arm: _rounded(share)
                        for arm, share, there in zip(self.names, told, offered, strict=True)
                        if there
                    },
                }
                for begin, end, told, offered in self.steps()
            ],
            "scores": [
                {"arm": arm, "score": _rounded(s), "low": _rounded(low), "high": _rounded(high)}
                for arm, s, low, high in zip(self.names, *story.bands_now, strict=True)
                if np.isfinite(s)
            ],
            "prediction": {
                "model": story.prediction.model,
                "static": story.prediction.static,
                "coin": story.prediction.coin,
            },
            "record": [
                {"from": r.low, "to": r.high, "votes": r.votes, "said": r.said, "came_true": r.won}
                for r in story.record
            ],
        }

    def steps(self, most: int = _MOST_STEPS) -> list[tuple[int, int, Floats, Any]]:
        """Return P(best) over time in steps: first bin, the one after, P(best), who is there."""
        edges = np.unique(np.linspace(0, len(self.story.bins), most + 1).astype(int))
        offered, told = self.story.bins.offered, self.story.p_best
        return [
            (int(a), int(z), told[a:z].mean(axis=0), offered[a:z].any(axis=0))
            for a, z in pairwise(edges)
        ]

    def start_of(self, b: int) -> Moment:
        """Return when a bin begins; the end of all for the one after the last."""
        bins = self.story.bins
        time = bins.last[-1] if b >= len(bins) else bins.first[b]
        return self.moment(float(time))

    def end_of(self, b: int) -> Moment:
        """Return when a bin ends: its last vote."""
        return self.moment(float(self.story.bins.last[b]))


def _rounded(value: float) -> float:
    return round(float(value), 4)
