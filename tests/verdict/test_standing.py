"""The record of a verdict: who is named, who led when, and moments of all kinds."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from driftduel.verdict.standing import Change, Earlier, Lead, Moment, Option, Reset, Standing

TEA, COFFEE, MILK = 0, 1, 2
OPTIONS = tuple(Option(name=name, compared=40) for name in ("tea", "coffee", "milk"))


def at(n):
    return Moment.round(n)


def change(before, after, around, **known):
    return Change(before=before, after=after, around=at(around), noticed=at(around + 3), **known)


def standing(**facts):
    known = {
        "options": OPTIONS,
        "votes": 20,
        "first": at(0),
        "last": at(20),
        "best": TEA,
        "scored_against": "others",
        "changes": (),
    }
    return Standing(**{**known, **facts})


@pytest.mark.parametrize(
    ("facts", "leads"),
    [
        ({"best": None}, []),
        ({"votes": 0}, []),
        ({}, [(TEA, None, None)]),
        ({"since": at(4)}, [(TEA, 4, None)]),
        ({"before": MILK, "since": at(5)}, [(MILK, None, 5), (TEA, 5, None)]),
        (
            {"best": MILK, "since": at(12), "changes": (change(TEA, MILK, 9),)},
            [(TEA, None, 9), (MILK, 9, None)],
        ),
        (  # that coffee leads now is not proved
            {"best": COFFEE, "since": at(12), "changes": (change(TEA, MILK, 9),)},
            [(TEA, None, 9), (MILK, 9, 12), (COFFEE, 12, None)],
        ),
        (  # coffee took over from milk unseen
            {"best": TEA, "changes": (change(TEA, MILK, 4), change(COFFEE, TEA, 15))},
            [(TEA, None, 4), (MILK, 4, 7), (COFFEE, 7, 15), (TEA, 15, None)],
        ),
        (  # withdrawn
            {"since": at(2), "changes": (change(TEA, MILK, 4, withdrawn=True),)},
            [(TEA, 2, None)],
        ),
    ],
)
def test_who_led_when_follows_from_changes_and_from_what_was_seen_since(facts, leads):
    expected = [
        Lead(who, *(None if moment is None else at(moment) for moment in ends))
        for who, *ends in leads
    ]
    assert list(standing(**facts).leads) == expected


def test_a_lead_ends_when_the_options_changed_if_nobody_is_named_since():
    few = tuple(Option(name=one.name, compared=3) for one in OPTIONS)
    kept = Earlier(option=MILK, decided=True, until=at(15))
    found = standing(options=few, earlier=kept, reset=Reset(at=at(15), why="options"))
    assert found.leader is None
    assert found.leads == (Lead(MILK, None, at(15)),)


@pytest.mark.parametrize(
    "facts",
    [
        {"votes": 0},
        {"best": None},
        {"options": (*OPTIONS[:1], Option(name="milk", offered=False))},
        {"options": tuple(Option(name=one.name, compared=29) for one in OPTIONS)},
        {"options": (Option(name="tea", compared=40, probability=0.4),
                     Option(name="milk", compared=40, probability=0.5))},
        {"options": (Option(name="tea", compared=40, offered=False), *OPTIONS[1:])},
    ],
)  # fmt: skip
def test_nobody_is_named_as_leader_without_a_reason_to(facts):
    assert standing().leader == TEA
    assert standing(**facts).leader is None


def test_since_is_the_date_of_the_change_that_made_the_leader_and_within_the_votes():
    dated = change(MILK, TEA, 9, earliest=at(7), latest=at(30))
    found = standing(since=at(12), changes=(dated,))
    assert (found.since, found.since_earliest, found.since_latest) == (at(9), at(7), at(20))
    assert standing(since=at(99)).since == at(20)


def test_a_moment_of_a_log_is_a_time_a_date_or_a_number():
    noon = Moment.of(datetime(2024, 6, 30, 12, 0))
    assert noon == Moment.time(int(datetime(2024, 6, 30, 12, tzinfo=UTC).timestamp()) * 1_000_000)
    assert Moment.of(date(2024, 6, 30)) < Moment.of(date(2024, 7, 1))
    assert Moment.of(3).to_json() == 3.0
