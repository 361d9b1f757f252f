"""What is said of what is likely, and where it disagrees with what is proved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from driftduel.verdict import likely as words
from driftduel.verdict.likely import Likely, LikelyEra
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import Event, Moment, Option, Standing

AT = [Moment.time(n * 86_400_000_000) for n in range(12)]


def era(option, since, until, probability=0.9):
    return LikelyEra(
        option=option,
        since=AT[since],
        until=AT[until],
        probability=probability,
        earliest=AT[since],
        latest=AT[since + 1],
        took_over=0.9,
    )


def likely(**changes):
    """Milk is probably best since day 5, tea was before."""
    known = Likely(
        names=("tea", "milk", "water"),
        eras=(era(0, 0, 5), era(1, 5, 10)),
        best=1,
        probability=(0.15, 0.8, 0.05),
        earliest=AT[4],
        latest=AT[6],
        first=AT[0],
        last=AT[10],
        timed=True,
        votes=400,
        losses=(0.65, 0.66, 0.6931),
        record=((0.6, 0.7, 100.0, 0.64, 0.6), (0.7, 0.8, 30.0, 0.74, 0.8), (0.8, 0.9, 2, 0.8, 1)),
        scores=((0.5, 0.4, 0.6), (0.6, 0.5, 0.7), None),
    )
    return replace(known, **changes)


def standing(**changes):
    options = tuple(
        Option(name=name, compared=40, score=0.5, low=0.4, high=0.6, duels=90)
        for name in ("tea", "milk", "water")
    )
    known = Standing(
        options=options,
        votes=400,
        first=AT[0],
        last=AT[10],
        best=0,
        since=AT[0],
        decided=False,
        rivals=(1,),
        scored_against="others",
        drawn=True,
    )
    return replace(known, **changes)


def said(sentences):
    return " ".join(map(plain, sentences))


def test_what_is_likely_comes_first_as_long_as_nothing_is_proved():
    hero, beside = words.opening(likely(), standing())
    assert said(hero) == (
        "milk is probably best now (80%), since about 6 Jan 1970, 00:00 (between 5 Jan 1970, 00:00 "
        "and 7 Jan 1970, 00:00)."
    )
    assert said(beside).startswith(
        "Before that tea (1 Jan 1970, 00:00 to 6 Jan 1970, 00:00, probably, 90%). It may also be "
        "tea (15%). tea leads by random comparisons, milk is likelier: the model counts all votes"
    )
    assert "Noticed and proved so far: tea leads since" in said(beside)
    assert words.claim(likely(), standing()) == ["milk", "probably"]


def test_what_is_proved_comes_first_and_the_model_agrees_or_says_why_not():
    hero, beside = words.opening(likely(), standing(best=1, decided=True))
    assert said(hero).startswith("milk is best")
    assert said(beside).startswith("The model gives it 80%, since about 6 Jan 1970, 00:00 (")
    assert words.claim(likely(), standing(best=1, decided=True)) == ["milk", True]
    _, beside = words.opening(likely(), standing(decided=True))
    assert "tea is proved best on average over a time, milk is likely best now" in said(beside)


def test_a_leader_on_average_and_the_best_now_are_told_apart():
    told = said(words.disagreement(likely(probability=(0.4, 0.5, 0.1)), standing(on_average=True)))
    assert told.startswith("tea is ahead on average over a longer time, milk is likelier to be")
    assert words.disagreement(likely(), standing(best=1)) == []
    assert words.disagreement(likely(probability=(0.4, 0.5, 0.1)), standing()) == []


def test_the_record_tells_what_came_true_of_favourites():
    told = said(words.prediction(likely()))
    assert "better than if all votes counted alike (log loss 0.6500" in told
    assert told.endswith("What it gave 70% to 90%, 74% on average, came true in 26 of 32 votes.")
    few = likely(record=((0.5, 0.6, 80.0, 0.55, 0.5), (0.7, 0.8, 3.0, 0.7, 1.0)))
    assert said(words.prediction(few)).endswith("came true in 40 of 80 votes.")
    assert "came true" not in said(words.prediction(likely(record=())))
    bad = likely(losses=(0.7, 0.72, 0.6931))
    assert "so far no better than a coin" in said(words.prediction(bad))


def test_newcomers_are_too_early_to_judge():
    late = Event(at=AT[9], joined=(2,))
    known = standing(events=(late,))
    assert words.newcomers(known) == []  # it has votes enough
    options = (*known.options[:2], replace(known.options[2], duels=12))
    told = said(words.newcomers(replace(known, options=options)))
    assert told == "water joined 10 Jan 1970, 00:00 and has 12 votes: too early to judge it."
    gone = (*known.options[:2], replace(known.options[2], duels=12, offered=False))
    assert words.newcomers(replace(known, options=gone)) == []


def test_a_change_without_a_range_is_told_as_a_moment():
    told = said(words.headline(likely(earliest=AT[5], latest=AT[5])))
    assert told.startswith("milk is probably best now (80%), since 6 Jan 1970, 00:00. Before")


def test_who_may_have_been_overtaken_in_between_is_not_said_to_be_best_since():
    now = likely(earliest=AT[5], latest=AT[9], unbroken=False)
    assert said(words.headline(now)).startswith(
        "milk is probably best now (80%), and was the likeliest since about 6 Jan 1970, 00:00 "
        "(between 6 Jan 1970, 00:00 and 7 Jan 1970, 00:00), though another may have been best in "
        "between. Before that tea"
    )
    _, beside = words.opening(now, standing(best=1, decided=True))
    assert said(beside).startswith("The model gives it 80%; it was the likeliest since about")


def test_plain_text_has_a_line_for_each_option_with_a_score():
    lines = words.beside(likely(), standing()).splitlines()
    at = lines.index("Likely, against another option:")
    assert lines[at + 1 : at + 4] == [
        "  milk: wins 60% (50% to 70%), best with 80%",
        "  tea: wins 50% (40% to 60%), best with 15%",
        "By random comparisons alone:",
    ]
    assert "best with" not in "".join(lines[at + 4 :])
    assert words.score(likely(), 2) == "not offered"
    many = likely(
        names=tuple(map(str, range(30))),
        scores=((0.5, 0.4, 0.6),) * 30,
        probability=(1 / 30,) * 30,
    )
    assert words.lines(many)[-1] == "  and 10 more"


@pytest.mark.parametrize("n_eras", [1, 8])
def test_eras_before_are_named_the_latest_first(n_eras):
    eras = tuple(era(n % 2, n, n + 1) for n in range(n_eras))
    told = said(words.headline(likely(eras=eras, best=eras[-1].option)))
    if n_eras == 1:
        assert "was the likeliest all the time" in told
    else:
        assert told.count("efore that") == 4
        assert ", and 3 more before." in told


@pytest.mark.parametrize("n_eras", [1, 3])
def test_of_many_options_that_are_about_as_likely_none_is_said_to_stand_out(n_eras):
    names = tuple(f"Dish {n}" for n in range(50))
    known = likely(
        names=names,
        best=15,
        probability=tuple(0.04 if n == 15 else 0.96 / 49 for n in range(50)),
        eras=tuple(era(15 - n, 3 - n, 4 - n) for n in range(n_eras))[::-1],
        scores=(),
    )
    first, *rest = map(plain, words.headline(known))
    assert first == "None stands out so far; Dish 15 is the likeliest to be best (4%)."
    assert len(rest) == (n_eras > 1)
    assert all(one.startswith("Before that Dish 14 (") for one in rest)
    (untimed,) = map(plain, words.headline(replace(known, timed=False, eras=known.eras[-1:])))
    assert untimed == first


def test_one_of_two_is_named_however_unlikely():
    told = said(words.headline(likely(probability=(0.2, 0.2, 0.6))))
    assert told.startswith("milk may be best now (20%)")
