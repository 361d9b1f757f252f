"""What a message about a poll says, by the sentences of a verdict: a subject, and what is below.

A change is told when it was declared: who took over from whom, when, and who is best now with its
chance, as the page says. A digest tells who is best and what changed since the last one.
"""

from __future__ import annotations

from collections.abc import Sequence

from driftduel.verdict import likely as guessed
from driftduel.verdict import text
from driftduel.verdict.likely import Likely
from driftduel.verdict.parts import Sentence, counted, plain, say
from driftduel.verdict.standing import Change, Moment, Standing

MOST_SUBJECT = 120


def subject_of(s: Standing, changes: Sequence[Change]) -> str:
    """Return one line about changes of which the last matters most."""
    if not changes:
        return "No change of who is best"
    return _cut(plain(text.took_over(s, changes[-1])))


def changed(s: Standing, likely: Likely | None, changes: Sequence[Change]) -> list[Sentence]:
    """Tell changes that were declared just now, and who is best since, as far as that is known."""
    told = [text.change(s, one) for one in changes[-text.MOST_CHANGES :]]
    if len(changes) > len(told):
        n = counted(len(changes), "time")
        told.insert(0, say("Who is best changed {n}; the latest:", n=n))
    hero, aside = guessed.opening(likely, s)
    sure = aside[:1] if s.decided and likely is not None else []  # what is likely has its chance
    return [*told, *hero, *sure, _times(s)]


def digest(
    s: Standing, likely: Likely | None, changes: Sequence[Change], votes: int
) -> list[Sentence]:
    """Tell of a week: who is best, how many votes came, and what changed."""
    news = [text.change(s, one) for one in changes[-text.MOST_CHANGES :]]
    return [
        *guessed.opening(likely, s)[0],
        say("{n} came in the last week.", n=counted(votes, "vote")),
        *(news or [say("No change was noticed in it.")]),
        _times(s),
    ]


def noticed_since(s: Standing, since: Moment) -> list[Change]:
    """Return the changes that became known since a moment and still hold."""
    return [one for one in s.valid_changes if one.noticed is not None and one.noticed >= since]


def _times(s: Standing) -> Sentence:
    return say("Times are UTC.") if s.first is not None and s.first.kind == "time" else say("")


def _cut(line: str) -> str:
    return line if len(line) <= MOST_SUBJECT else f"{line[: MOST_SUBJECT - 1]}…"
