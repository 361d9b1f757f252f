"""What other rules would say otherwise, of any two standings of the same options."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driftduel.verdict.difference import difference
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import Change, Moment, Option, Standing
from tests.verdict.standings import standings

HOUR = 3_600_000_000
START = 1_700_000_000_000_000
NOTHING = "Nothing that is said now would change."


def at(hours):
    return Moment.time(START + hours * HOUR)


def standing(**facts):
    options = tuple(Option(name=name, compared=99) for name in ("tea", "milk", "cocoa"))
    start = {"options": options, "votes": 900, "first": at(0), "last": at(90), "best": 0}
    return Standing(**{**start, "scored_against": "others", "changes": (), **facts})


def change(first, last, before=1, after=0):
    return Change(before=before, after=after, around=at(last), earliest=at(first), latest=at(last))


def told(old, new):
    return [plain(one) for one in difference(old, new)]


def test_who_would_lead_is_said():
    tea, milk = standing(), standing(best=1)
    assert told(tea, tea) == [NOTHING]
    assert told(tea, milk) == ["milk would lead instead of tea."]
    assert told(tea, replace(milk, decided=True)) == ["milk would be best instead of tea."]
    nobody = standing(votes=0)
    assert told(tea, nobody) == ["Nobody would be named as leader; now tea is."]
    assert told(nobody, tea) == ["tea would be named as leader; now nobody is."]


def test_what_is_proved_and_since_when_is_said():
    assert told(standing(decided=False), standing(decided=True)) == [
        "That tea is best would be proved."
    ]
    assert told(standing(decided=True), standing(decided=False)) == [
        "That tea is best would not be proved yet."
    ]
    assert told(standing(since=at(5)), standing(since=at(7))) == [
        "tea would lead since 15 Nov 2023, 05:13, not since 15 Nov 2023, 03:13."
    ]
    assert told(standing(since=at(0)), standing(since=at(7))) == [
        "tea would lead since 15 Nov 2023, 05:13, not since the first vote."
    ]


def test_changes_that_come_go_and_move_are_said():
    none, one = standing(), standing(best=1, changes=(change(5, 7, 0, 1),))
    assert told(none, one)[1:] == [
        "It would also be found that milk took over from tea between 15 Nov 2023, 03:13 and "
        "15 Nov 2023, 05:13."
    ]
    assert told(one, none)[1:] == [
        "That milk took over from tea between 15 Nov 2023, 03:13 and 15 Nov 2023, 05:13 would not "
        "be found; it stays listed as it was said."
    ]
    later = standing(best=1, changes=(change(6, 9, 0, 1),))
    assert told(one, later)[1:] == [
        "That milk took over from tea would be dated between 15 Nov 2023, 04:13 and 15 Nov 2023, "
        "07:13; it stays listed as it was said: between 15 Nov 2023, 03:13 and 15 Nov 2023, 05:13."
    ]


def test_of_two_changes_alike_each_is_held_against_the_nearest():
    one, other = change(5, 7), change(50, 60)
    back = change(20, 22, 0, 1)
    assert told(standing(changes=(one, back, other)), standing(changes=(other,))) == [
        "That tea took over from milk between 15 Nov 2023, 03:13 and 15 Nov 2023, 05:13 would not "
        "be found; it stays listed as it was said.",
        "That milk took over from tea between 15 Nov 2023, 18:13 and 15 Nov 2023, 20:13 would not "
        "be found; it stays listed as it was said.",
    ]


def test_a_withdrawn_change_is_no_difference():
    gone = replace(change(5, 7, 0, 2), withdrawn=True)
    assert told(standing(changes=(gone,)), standing()) == [NOTHING]


def test_options_whose_figures_differ_are_named():
    known = standing()
    score = {"score": 0.6, "low": 0.5, "high": 0.7, "probability": 0.4}
    old = replace(known, options=tuple(replace(one, **score) for one in known.options))
    near = replace(old, options=(replace(old.options[0], score=0.601), *old.options[1:]))
    far = replace(old, options=(replace(old.options[0], score=0.63), *old.options[1:]))
    assert told(old, near) == [NOTHING]
    assert told(old, far) == ["Scores, ranges or chances of tea would differ."]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(standings())
def test_the_same_standing_is_no_difference(one):
    assert told(one, one) == [NOTHING]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(standings(), st.data())
def test_any_two_standings_can_be_compared(one, data):
    places = st.integers(0, len(one.options) - 1)
    changes = tuple(
        replace(known, before=data.draw(places), after=data.draw(places))
        for known in (one.changes or ())[1:]
    )
    other = replace(one, best=data.draw(places), decided=data.draw(st.booleans()), changes=changes)
    found = told(one, other)
    assert found
    assert all(line.endswith(".") for line in found)
    assert NOTHING not in found or found == [NOTHING]
