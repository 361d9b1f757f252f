"""Who took over by the last change, as far as it is known: nobody who joined after it."""

from __future__ import annotations

import pytest

from driftduel.verdict.standing import Change, Event, Moment, Option, Standing
from driftduel.verdict.successors import with_successors

TIMES = [Moment.time(n * 3_600_000_000) for n in range(10)]


def standing(chances, best, joined=None):
    """Return one whose last change is from the first option to the second, noticed at 5."""
    options = tuple(
        Option(name=f"option {n}", probability=chance, compared=99, duels=99)
        for n, chance in enumerate(chances)
    )
    change = Change(
        before=0, after=1, around=TIMES[3], earliest=TIMES[2], latest=TIMES[4], noticed=TIMES[5]
    )
    events = () if joined is None else (Event(at=TIMES[joined], joined=(len(options) - 1,)),)
    return Standing(
        options=options, votes=900, first=TIMES[0], last=TIMES[9], best=best, decided=False,
        since=TIMES[3], changes=(change,), events=events,
    )  # fmt: skip


def last(known):
    (change,) = with_successors(known).changes
    return change.after, change.after_among


def test_until_one_is_very_likely_all_are_named_of_whom_it_may_be_true():
    assert last(standing([0.0, 0.6, 0.38, 0.02], 1)) == (1, (1, 2))
    assert last(standing([0.0, 0.97, 0.02, 0.01], 1)) == (1, ())


@pytest.mark.parametrize(("joined", "named"), [(1, (1, (1, 3))), (7, (1, ()))])
def test_who_joined_later_did_not_take_over(joined, named):
    assert last(standing([0.0, 0.8, 0.0, 0.2], 1, joined)) == named


def test_if_a_newcomer_is_best_by_now_the_change_keeps_those_of_before():
    assert last(standing([0.0, 0.3, 0.1, 0.6], 3, joined=7)) == (1, (1, 2))
