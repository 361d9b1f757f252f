"""How many more votes decide, in words: a range, and how long that takes at the present rate."""

from __future__ import annotations

import math

from driftduel.verdict.parts import Words, about, counted, say
from driftduel.verdict.standing import Standing

FAR = 10
"""Times the votes so far: if it takes more than that it is too close to call."""


def span(ends: tuple[float, float], far: float) -> Words:
    """Return about how many, from and to."""
    least, most = map(about, (max(ends[0], 1), min(ends[1], 1e15)))
    if ends[1] > far and ends[0] < ends[1]:
        return say("at least about {0}", least)
    return (
        say("about {0}", most) if least.text == most.text else say("about {0} to {1}", least, most)
    )


def days(s: Standing, ends: tuple[float, float]) -> Words:
    """Say how long that takes if votes come as they did; nothing if they have no dates."""
    if not s.votes_a_day:
        return ""
    least, most = (end / s.votes_a_day for end in ends)
    if ends[1] > FAR * s.votes:
        most = least
        words = "{0} or more" if least >= 1 else ""
    elif most < 1:
        words = "less than a day"
    else:
        words = "{0}" if math.ceil(least) == math.ceil(most) else "{2} to {0}"
    if not words:
        return ""
    long = say(words, counted(math.ceil(most), "day"), "", f"{max(math.floor(least), 1):,}")
    return say(" ({0} at the present rate)", long)
