"""Whether what a page says is true, by what the simulation knows.

A sentence about what is proved is false if it is not so. What is likely is said with its chance, so
it is judged by how often it is right. Two sentences *clash* if both cannot be meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from driftduel.arena.model import DAY
from driftduel.arena.status import Status
from driftduel.verdict.likely import PROBABLY
from driftduel.verdict.standing import Change, Moment, Standing
from studies.owner.polls import Poll

_LEVEL = 0.005
"""Shares that differ by less are told as the same."""


@dataclass(frozen=True)
class Judged:
    """What a look came to.

    Attributes
    ----------
    front : str or None
        Who is said to be in front, however likely; None if the page names nobody.
    named : str or None
        Who is said to be probably best, very likely, or is best as proved.
    chance : float or None
        P(best) of whom the model has in front.
    right : bool or None
        Whether that is who is best in truth; None if nobody is named.
    proved : bool
        Whether somebody is said to be best as a fact.
    declared : bool
        Whether the page declares the change of taste, by now.
    turn : bool or None
        Whether the 95 % range of the last take-over that is likely holds the true moment; None
        where none is told after it.
    false, clashes : tuple of str
    """

    front: str | None
    named: str | None
    chance: float | None
    right: bool | None
    proved: bool
    declared: bool
    turn: bool | None
    false: tuple[str, ...]
    clashes: tuple[str, ...]


def judge(poll: Poll, now: Status, opening: str, start: int) -> Judged:
    """Return what is true of a look; ``opening`` is the first thing that the page says."""
    truth = _Truth(poll, now, start)
    known, likely = now.standing, now.likely
    proved = bool(known.decided) and known.leader is not None
    chance = None if likely is None else likely.probability[likely.best]
    named = None
    if known.leader is not None and proved:
        named = known.options[known.leader].name
    elif likely is not None and chance is not None and chance >= PROBABLY:
        named = likely.names[likely.best]
    changes = known.valid_changes
    front = re.match(r"(?:None stands out[^;]*; )?(\w+) (?:is|may be|leads)\b", opening)
    return Judged(
        front=None if front is None else front[1],
        named=named,
        chance=None if chance is None else round(chance, 4),
        right=None if named is None else named == truth.best,
        proved=proved,
        declared=truth.changed and any(truth.is_change(one) for one in changes),
        turn=truth.turn(),
        false=tuple(truth.false(opening)),
        clashes=tuple(_clashes(now)),
    )


class _Truth:
    """What is so at a look."""

    def __init__(self, poll: Poll, now: Status, start: int) -> None:
        self.poll, self.now, self.start = poll, now, start
        self.known: Standing = now.standing
        self.day = 0.0 if self.known.last is None else self.day_of(self.known.last)
        self.changed = self.day > poll.change
        self.offered = [one.name for one in self.known.options if one.offered]
        self.best = poll.best(self.day, self.offered)

    def day_of(self, moment: Moment) -> float:
        return float(moment.value - self.start) / DAY

    def name(self, option: int) -> str:
        return self.known.options[option].name

    def false(self, opening: str) -> list[str]:
        """Return what is said as a fact and is not so."""
        known = self.known
        found = []
        if known.decided and known.leader is not None:
            among = [n for n in self.offered if n not in map(self.name, known.apart)]
            since = 0.0 if known.counted_since is None else self.day_of(known.counted_since)
            if not self._is_best_on_average(self.name(known.leader), since, self.day, among):
                found.append("is best")
        elif re.search(r"\bis best\b", opening):
            found.append("is best, not proved")
        for one in known.valid_changes:
            if not self.is_change(one):
                found.append("change")
            elif not self._holds(one.earliest, one.latest):
                found.append("range")
        for turned in known.turned:
            if not self._has_turned(turned.option, turned.other, turned.kind):
                found.append("turned")
        if known.drifted is not None and not self.changed:
            found.append("drifted")
        for reign in known.reigns:
            until = self.day if reign.until is None else self.day_of(reign.until)
            if not self._is_best_on_average(
                self.name(reign.option), self.day_of(reign.since), until, self.poll.options
            ):
                found.append("reign")
        return found

    def is_change(self, one: Change) -> bool:
        """Tell whether a change is the one that there was, by the names it gives."""
        before = self.poll.best(0.0, self.poll.options)
        after = self.poll.best(self.poll.change, self.poll.options)
        those = map(self.name, {one.after, *one.after_among})
        olds = map(self.name, {one.before, *one.before_among})
        return self.changed and after in those and before in olds and not self._came_later(one)

    def _came_later(self, one: Change) -> bool:
        """Tell whether somebody is named who joined when it had been noticed."""
        joined = {n: event.at for event in self.known.events for n in event.joined}
        those = (one.after, *one.after_among)
        return one.noticed is not None and any(
            joined.get(n, one.noticed) > one.noticed for n in those
        )

    def turn(self) -> bool | None:
        """Tell whether the range of the take-over by who is best now holds the true moment."""
        likely = self.now.likely
        if likely is None or not self.changed or len(likely.eras) < 2:
            return None
        last = likely.eras[-1]
        if likely.names[last.option] != self.best or last.option != likely.best:
            return None
        ends = likely if likely.unbroken else last  # which of the two ranges is told
        return self._holds(ends.earliest, ends.latest)

    def _holds(self, earliest: Moment | None, latest: Moment | None) -> bool:
        """Tell whether a range holds the change, whose first vote comes some time after it."""
        if earliest is None or latest is None:
            return True
        slack = 0.5  # people sleep: until the next vote the change is not to be seen
        begin, end = self.day_of(earliest), self.day_of(latest)
        return begin <= self.poll.change + slack and end >= self.poll.change - slack

    def _is_best_on_average(
        self, name: str, since: float, until: float, among: list[str] | tuple[str, ...]
    ) -> bool:
        if name not in among:
            return False
        share = min(max((self.poll.change - since) / max(until - since, 1e-9), 0.0), 1.0)

        def mean(option: str) -> float:
            first = self.poll.score(option, 0.0, among)
            return share * first + (1 - share) * self.poll.score(option, self.poll.change, among)

        return all(mean(name) >= mean(other) - _LEVEL for other in among)

    def _has_turned(self, option: int, other: int | None, kind: str) -> bool:
        name = self.name(option)
        among = list(self.poll.before) if other is None else [name, self.name(other)]
        gain = self.poll.score(name, self.poll.change, among) - self.poll.score(name, 0.0, among)
        return self.changed and (gain > 0 if kind == "rose" else gain < 0)


def _clashes(now: Status) -> list[str]:
    """Return what is said and cannot be meant together."""
    known, likely = now.standing, now.likely
    found = []
    last = known.valid_changes[-1] if known.valid_changes else None
    if known.decided and known.leader is not None and last is not None:
        if known.leader not in (last.after, *last.after_among):
            found.append("who is best did not take over last")
        doubt = known.open_doubt
        if doubt is not None and known.counted_since is not None and doubt < known.counted_since:
            found.append("a doubt before it is best")
    if likely is None:
        return found
    if likely.probability[likely.best] < max(likely.probability) - _LEVEL:
        found.append("named, though another is likelier")
    scores = [band[0] for band in likely.scores if band is not None]
    own = likely.scores[likely.best] if likely.scores else None
    named = likely.probability[likely.best] >= PROBABLY
    if named and own is not None and own[0] < max(scores) - _LEVEL:
        found.append("named, though the score of another is higher")
    era = likely.eras[-1]
    ends = likely if likely.unbroken else era
    is_told = len(likely.eras) > 1 and era.option == likely.best
    if is_told and not ends.earliest <= era.since <= ends.latest:
        found.append("since a moment outside its range")
    return found
