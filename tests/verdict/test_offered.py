"""Who came late and who is gone: a sentence each for a few, one for many."""

from __future__ import annotations

from datetime import date

import pytest

from driftduel.verdict.offered import options_now
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import Moment, Option, Standing


def day(year):
    return Moment.of(date(year, 5, 1))


def log_of(options):
    there = [Option(name="tea"), Option(name="milk")]
    return Standing(
        options=(*there, *options),
        votes=900,
        first=day(1992),
        last=day(2026),
        looks="one",
        scored_against="others",
    )


def gone(name, year):
    return Option(name=name, offered=False, out="unseen", out_since=day(year))


def test_a_few_have_a_sentence_each():
    told = options_now(log_of([gone("cocoa", 2001), Option(name="water", joined_at=day(2020))]))
    assert [plain(one) for one in told] == [
        "cocoa is left out of who is best now: its last vote was on 1 May 2001.",
        "water is in the votes since 1 May 2020; what is said of before is about the others.",
    ]


def test_many_share_a_sentence_with_the_latest_first():
    years = (1998, 2012, 2005, 1994)
    told = options_now(log_of([gone(f"club {year}", year) for year in years]))
    assert [plain(one) for one in told] == [
        "4 options are left out of who is best now, as they have no votes any more: club 2012 "
        "(until 1 May 2012), club 2005 (until 1 May 2005), club 1998 (until 1 May 1998), club 1994 "
        "(until 1 May 1994)."
    ]
    late = [Option(name=f"club {year}", joined_at=day(year)) for year in years]
    (one,) = map(plain, options_now(log_of(late)))
    assert one.startswith("4 options came later than the first votes, and what is said of before ")
    assert one.endswith("club 1998 (since 1 May 1998), club 1994 (since 1 May 1994).")


@pytest.mark.parametrize(
    ("n", "named", "rest"), [(13, 13, ""), (14, 12, " and 2 more."), (40, 12, " and 28 more.")]
)
def test_of_very_many_the_latest_are_named(n, named, rest):
    (one,) = map(plain, options_now(log_of([gone(f"club {k}", 1993 + k % 30) for k in range(n)])))
    assert one.startswith(f"{n} options are left out")
    assert one.count("(until ") == named
    assert one.endswith(rest)
