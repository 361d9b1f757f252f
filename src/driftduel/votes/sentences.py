"""What an analysis comes to, in words for people who never heard of intervals."""

from __future__ import annotations

import math
from typing import Any

from driftduel._support.text import listing, number
from driftduel.votes.histories import ASSUMED, History, said

_MOST_DOUBTS = 3
_MIXED = (
    "And if other pairs were shown just when tastes changed, what looks like a new leader may be "
    "what was shown: keep propensities, or show all pairs alike at all times, to be sure."
)
_FEW = 30
"""Of fewer votes it is not told how many more it takes."""


def sentences(past: History, present: History, data: dict[str, Any]) -> tuple[str, ...]:
    """Return who is best, since when, who was before, how sure, and what is undecided.

    Parameters
    ----------
    past, present : History
        Of all arms, and of those that are still shown.
    data : dict
        The figures, as `driftduel.votes.analyses.Analysis` has them.
    """
    found = [_who(present, data), *_cautions(data)]
    found += [
        f"{arm} is left out of who is best now: its last vote is of {_moment(last)}."
        for arm, last in data["left"].items()
    ]
    found += [
        f"{arm} is in the votes since {_moment(first)}; what is said of before is of the others."
        for arm, first in data["joined"].items()
        if arm in data["candidates"]
    ]
    found += _changes(past, data)
    if not present.decided:
        found.append(_undecided(present, data))
    cycle = data["condorcet"]["cycle"]
    if cycle and {*cycle} & {*data["candidates"]}:
        found.append(
            f"Who is best depends on what best means: {steps_of(cycle)}, that is proved. Here it "
            "is who wins most against all."
        )
    return (*found, _sure(past))


def _who(present: History, data: dict[str, Any]) -> str:
    best = data["best"]
    if best is None and present.best is not None and present.best not in data["doubts"]:
        return f"Nobody is ahead: {listing(present.candidates)} are level."
    if best is None:
        return "These votes cannot tell who is best."
    score = next(row for row in data["scores"] if row["arm"] == best)
    low = math.floor(100 * score["low_against_others"])
    high = math.ceil(100 * score["high_against_others"])
    since = "on average"
    if data["times"] > 1:
        since += f" since {_moment(_begin(best, data))}"
    range_ = f"it beats {_others(best, data)} in {low} to {high} of 100 votes"
    if present.decided:
        return f"{best} is best {since}: {range_}."
    return f"{best} is ahead {since}, but it is not proved to be best: {range_}."


def _others(best: str, data: dict[str, Any]) -> str:
    others = [arm for arm in data["against"] if arm != best]
    if len(data["against"]) == len(data["arms"]):
        return "the other" if len(others) == 1 else "the others"
    return others[0] if len(others) == 1 else f"one of {listing(others)}"


def _begin(best: str, data: dict[str, Any]) -> float | str:
    """Return when the time that its score is from began: not before its first vote."""
    return max(data["scores_since"], data["joined"].get(best, data["scores_since"]))


def _moment(moment: float | str) -> str:
    return moment if isinstance(moment, str) else number(moment)


def _changes(past: History, data: dict[str, Any]) -> list[str]:
    if not past.changes:
        if data["times"] == 1:
            return ["All votes are of one time, so that nothing can be said of changes."]
        return [
            "The votes prove no change of who is best. Smaller and shorter changes than they can "
            "show are possible."
        ]
    found = []
    last = past.changes[-1]
    before, after = last.names
    if last.after == data["best"]:
        found.append(
            f"It took the lead from {before}: that is proved to be between "
            f"{said(last.after_surely)} and {said(last.before_surely)}, and likely (95 %, if it "
            f"was one change at once) between {said(last.earliest)} and {said(last.latest)}."
        )
    else:
        found.append(
            f"Before that {after} was ahead, and before that {before}: the change is "
            f"proved to be between {said(last.after_surely)} and {said(last.before_surely)}."
        )
    if "(or " in found[0]:
        found.append("In brackets: who else may have been best then; the votes do not tell who.")
    changes = len(past.changes)
    proved = "a change" if changes == 1 else f"{changes} changes"
    return [*found, f"The votes prove {proved} of who is best, and there may be more."]


def _undecided(present: History, data: dict[str, Any]) -> str:
    between = f"Undecided is who of {listing(present.candidates)} is best."
    if data["votes"] < _FEW:
        return f"{between} These votes are too few to tell how many more it takes."
    if data["votes_more"] is None:
        return f"{between} With votes as these it would take very many more to tell."
    return f"{between} About {data['votes_more']:,} votes more, as these, would tell."


def steps_of(cycle: list[str]) -> str:
    """Return who beats whom in a cycle.

    Examples
    --------
    >>> steps_of(["rock", "scissors", "paper"])
    'rock beats scissors, scissors beats paper and paper beats rock'
    """
    after = [*cycle[1:], cycle[0]]
    return listing([f"{one} beats {other}" for one, other in zip(cycle, after, strict=True)], 20)


def _cautions(data: dict[str, Any]) -> list[str]:
    doubts = list(data["doubts"].values())
    found = [f"{doubt[0].upper()}{doubt[1:]}." for doubt in doubts[:_MOST_DOUBTS]]
    if len(doubts) > _MOST_DOUBTS:
        found.append(f"Nor can they tell those of {len(doubts) - _MOST_DOUBTS:,} more.")
    if data["copies"] is not None:
        near, apart = (round(100 * data["copies"][name]) for name in ("next", "apart"))
        found.append(
            f"Beware: votes of a pair agree with the next one in {near} of 100 cases and with one "
            f"further away in {apart}. Votes seem to be there more than once, or one voter cast "
            "many in a row; then less is proved than is said here."
        )
    side = data["side"]
    if side is not None and side["suspect"]:
        shown = round(100 * side["shown_left"])
        where, often = ("left", shown) if shown > 50 else ("right", 100 - shown)
        found.append(
            f"Beware: the side seems to matter, and {data['best']} was on the {where} in {often} "
            "of 100 votes, where arms win more often; a part of its lead may be the side's."
        )
    return found


def _sure(past: History) -> str:
    most = f"{100 * past.alpha:.3g}"
    beside = "" if past.assuming is None else f" This holds if {past.assuming}."
    if past.changes and past.assuming == ASSUMED["independent"]:
        beside += f" {_MIXED}"
    return (
        f"How sure: looked at once, at most {most} of 100 such files show a change where there was "
        f"none, and at most {most} a range that is wrong; every vote counts as cast apart from the "
        f"others.{beside}"
    )
