"""The sentences of a verdict: they say what the record has, once, and never contradict it."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from driftduel.verdict import parts, text
from driftduel.verdict.standing import (
    Change,
    Copies,
    Earlier,
    Event,
    Moment,
    Option,
    Reset,
    SetAside,
    Side,
    Standing,
)
from tests.verdict.standings import DAY, standings

BEGAN = 1_700_000_000_000_000


def day(n):
    return Moment.time(BEGAN + n * DAY)


def option(name, score=None, compared=200, **known):
    ends = {} if score is None else {"low": score - 0.05, "high": score + 0.05}
    return Option(name=name, score=score, compared=compared, **ends, **known)


POLL = Standing(
    options=(option("tea", 0.61), option("milk", 0.48), option("cocoa", 0.41)),
    votes=300,
    first=day(0),
    last=day(10),
    best=0,
    since=day(6),
    decided=False,
    rivals=(1, 2),
    missing=940,
    counted_since=day(0),
    level=0.95,
    scored_against="others",
    drawn=True,
    changes=(),
)


def head(standing):
    return " ".join(map(parts.plain, text.headline(standing)))


# One example of each sentence


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"votes": 0}, "Nobody has voted yet."),
        ({}, "tea leads since 20 Nov 2023, 22:13. It is not yet decided against milk and cocoa: "
         "about 940 more votes."),
        ({"before": 1, "missing": None}, "tea leads since 20 Nov 2023, 22:13; milk led until then. "
         "It is not yet decided against milk and cocoa."),
        ({"since": day(0), "missing": 190_234, "rivals": (1,)}, "tea leads since the first vote "
         "(14 Nov 2023, 22:13). Against milk it is too close to call."),
        ({"before": 1, "missing": None, "doubt": day(5)}, "tea leads since 20 Nov 2023, 22:13; "
         "milk led until then. It is not yet decided against milk and cocoa. That may be because "
         "tastes changed around 19 Nov 2023, 22:13, which is not proved yet."),
        ({"decided": True, "before": 1, "doubt": day(9), "counted_since": day(2)}, "tea is best on "
         "average since 16 Nov 2023, 22:13. Tastes may have changed around 23 Nov 2023, 22:13, "
         "which is not proved yet."),
        ({"decided": True}, "tea is best on average since the first vote (14 Nov 2023, 22:13)."),
        ({"missing_between": (300.0, 500.0), "votes_a_day": 90.0}, "tea leads since 20 Nov 2023, "
         "22:13. It is not yet decided against milk and cocoa: about 300 to 500 more votes (3 to 6 "
         "days at the present rate)."),
        ({"missing_between": (30.0, 50.0), "votes_a_day": 90.0}, "tea leads since 20 Nov 2023, "
         "22:13. It is not yet decided against milk and cocoa: about 30 to 50 more votes (less "
         "than a day at the present rate)."),
        ({"missing_between": (300.0, math.inf), "votes_a_day": 90.0}, "tea leads since 20 Nov "
         "2023, 22:13. It is not yet decided against milk and cocoa: at least about 300 more votes "
         "(4 days or more at the present rate)."),
        ({"decided": True, "apart": (2,), "events": (Event(at=day(8), joined=(2,)),)},
         "tea is best on average since the first vote (14 Nov 2023, 22:13). cocoa joined 22 Nov "
         "2023, 22:13 and has 200 comparisons: too early to judge it."),
        ({"closed": True}, "tea leads since 20 Nov 2023, 22:13. When voting ended it was not "
         "decided against milk and cocoa."),
        ({"options": (option("tea"), option("milk", offered=False))}, "Fewer than two options are "
         "offered, so there is nothing to compare."),
        ({"best": None}, "These votes cannot tell who is best."),
        ({"best": None, "level_with": (0, 2)}, "Nobody is ahead: tea and cocoa are level."),
        ({"decided": True, "on_average": True, "since": day(0)}, "tea is best on average since the "
         "first vote (14 Nov 2023, 22:13)."),
        ({"on_average": True, "missing": None, "rivals": (1,)}, "tea is ahead on average since "
         "20 Nov 2023, 22:13. It is not yet decided against milk."),
    ],
)  # fmt: skip
def test_the_headline_says_who_leads_since_when_who_did_before_and_what_is_undecided(
    changes, words
):
    assert head(replace(POLL, **changes)) == words


CHANGE = Change(before=1, after=0, around=day(4), earliest=day(3), latest=day(5), noticed=day(7))


def test_a_change_that_made_the_leader_best_dates_its_lead():
    found = replace(POLL, changes=(CHANGE,), decided=True)
    assert head(found) == (
        "tea is best on average since the first vote (14 Nov 2023, 22:13); it took over from milk "
        "around 18 Nov 2023, 22:13."
    )
    open_ = head(replace(found, decided=None))
    assert open_ == "tea leads since about 18 Nov 2023, 22:13; milk was until then."
    assert (found.since, found.since_earliest, found.since_latest) == (day(4), day(3), day(5))
    assert [parts.plain(one) for one in text.news(found)] == [
        "tea took over from milk between 17 Nov 2023, 22:13 and 19 Nov 2023, 22:13, noticed "
        "21 Nov 2023, 22:13."
    ]


def test_a_change_whose_names_are_not_sure_names_all_who_may_be_meant():
    among = replace(CHANGE, after_among=(0, 2), earliest=None, kind="proved", noticed=None)
    sure = replace(among, surely_after=day(1), surely_before=day(8))
    found = replace(POLL, changes=(sure,), looks="one")
    assert parts.plain(text.news(found)[0]) == (
        "tea or cocoa took over from milk around 18 Nov 2023, 22:13 (proved between "
        "15 Nov 2023, 22:13 and 22 Nov 2023, 22:13)."
    )
    assert parts.plain(text.news(found)[1]) == "There may be more changes than are proved."


def test_a_change_that_was_withdrawn_is_told_as_such_and_dates_nothing():
    found = replace(POLL, changes=(replace(CHANGE, withdrawn=True),))
    assert found.since == day(6)
    told = parts.plain(text.news(found)[0])
    assert told.endswith("; withdrawn, as votes that showed it no longer count.")


def test_too_early_is_said_with_who_led_until_the_options_changed():
    few = tuple(replace(one, compared=12) for one in POLL.options)
    early = replace(POLL, options=few)
    assert head(early) == "After 300 votes it is too early to name a leader."
    reset = Reset(at=day(9), why="options")
    kept = Earlier(option=1, decided=True, until=day(9))
    assert head(replace(early, reset=reset, earlier=kept)) == (
        "The options changed 23 Nov 2023, 22:13; since then there were too few comparisons to name "
        "a leader. milk was best until then."
    )
    declared = replace(early, changes=(CHANGE,), reset=Reset(at=day(7), why="tastes"))
    assert head(declared) == (
        "tea leads since about 18 Nov 2023, 22:13; milk was until then. Since then it was compared "
        "too seldom to say how far it is ahead (12 of 30 times)."
    )


def test_nobody_is_named_while_another_is_likelier_to_be_the_best():
    chances = (0.4, 0.45, 0.15)
    known = zip(POLL.options, chances, strict=True)
    close = replace(POLL, options=tuple(replace(one, probability=p) for one, p in known))
    assert head(close) == "It is too close to say who leads: milk or tea."
    assert close.leader is None


def test_a_leader_that_won_fewer_random_comparisons_is_explained():
    tea, milk, cocoa = POLL.options
    found = replace(POLL, options=(tea, replace(milk, score=0.66), cocoa), decided=True)
    assert head(found).endswith(
        "On average milk won more random comparisons; who leads now is judged by the latest votes."
    )


def test_a_learner_without_scores_says_whom_it_would_pick_and_who_plays():
    aside = SetAside(at=Moment.round(351), behind=0, by=45.25, enough=44.125)
    arms = (
        Option(name="tea"),
        Option(name="milk"),
        Option(name="cocoa", active=False, set_aside=aside),
    )
    found = Standing(
        options=arms,
        votes=1200,
        best=0,
        unit="round",
        noun="arm",
        restarts=(Moment.round(512), Moment.round(1100)),
    )
    assert text.words(found).splitlines() == [
        "After 1,200 rounds the learner would pick tea.",
        "It started again at round 512 and round 1,100.",
        "In play: tea and milk; 1 set aside for now.",
        "cocoa is set aside for now: at round 351 it was 45.2 behind tea, 44.1 was enough.",
        "From 1,200 rounds.",
    ]
    assert head(replace(found, votes=1)) == "After 1 round the learner would pick tea."
    assert head(replace(found, votes=0)) == "Before the first round the learner would pick tea."


def test_the_lines_say_how_options_stand():
    options = (
        option("tea", 0.61, probability=0.996, share=0.5),
        option("milk", 0.48, 12, probability=0.003),
        Option(name="cocoa", offered=False, out_since=day(3), compared=0),
    )
    assert text.lines(replace(POLL, options=options)) == [
        "  tea: wins 61% (55% to 66%) of 200 random comparisons, best with over 99%; in 50% of the "
        "votes",
        "  milk: 12 of 30 random comparisons",
        "  cocoa: paused since 17 Nov 2023, 22:13",
    ]


def test_for_condorcet_the_others_are_compared_with_the_best():
    found = replace(POLL, scored_against="best", drawn=False, decided=True)
    assert text.lines(found)[:2] == [
        "  tea: the others are compared with it",
        "  milk: wins 48% (43% to 53%) of 200 comparisons with the best",
    ]


def test_what_scores_are_from_is_said_once_with_what_ranges_promise():
    told = text.footing(replace(POLL, counted_since=day(2)))
    assert " ".join(map(parts.plain, told)) == (
        "Random comparisons since 16 Nov 2023, 22:13 are those with an opponent drawn at random. "
        "Ranges hold with 95%, for all options at once and at every moment; if tastes drifted, "
        "they are about the average."
    )
    assert text.footing(replace(POLL, options=(option("tea"),))) == []


def test_what_became_of_options_is_told():
    happened = Event(
        at=day(2), joined=(0,), paused=(1, 2), resumed=(1,), renamed=((0, "Tee", "tea"),)
    )
    assert [parts.plain(one) for one in text.event(POLL, happened)] == [
        "tea joined 16 Nov 2023, 22:13.",
        "milk was resumed 16 Nov 2023, 22:13.",
        "milk and cocoa were paused 16 Nov 2023, 22:13.",
        "Tee was renamed tea 16 Nov 2023, 22:13.",
    ]


def test_that_another_leads_without_a_proved_change_is_said_to_be_perhaps_chance():
    def told(**changes):
        return [parts.plain(one) for one in text.no_change(replace(POLL, **changes))]

    assert told() == ["No change of taste was noticed."]
    chance = "change of taste is proved: that another option leads now may be chance."
    assert told(before=1) == [f"No {chance}"]
    other = replace(CHANGE, after=2)
    assert told(before=2, changes=(other,)) == [f"No other {chance}"]
    assert told(before=1, doubt=day(8)) == []
    assert told(changes=(CHANGE,)) == []
    assert told(looks="one", last=day(0)) == [
        "All votes are of one time, so they cannot show a change."
    ]


def test_what_may_make_votes_prove_less_is_said():
    found = replace(
        POLL,
        options=(replace(POLL.options[0], untold="tea never met milk"), *POLL.options[1:]),
        copies=Copies(near=0.83, apart=0.6),
        side=Side(side="left", share=0.7),
        cycle=(0, 1, 2),
    )
    told = " ".join(map(parts.plain, text.cautions(found)))
    assert told.startswith("Tea never met milk. Beware: votes of a pair agree with the next one ")
    assert "tea was on the left in 70% of its votes" in told
    assert "tea beats milk, milk beats cocoa and cocoa beats tea, which is proved" in told


def test_how_many_votes_there_are_and_from_when_is_said_last():
    assert text.words(POLL).splitlines()[-1] == (
        "From 300 votes between 14 Nov 2023, 22:13 and 24 Nov 2023, 22:13 (times are UTC)."
    )
    one = replace(POLL, votes=1, last=day(0))
    assert text.words(one).endswith("From 1 vote 14 Nov 2023, 22:13:20 (times are UTC).")


def test_times_are_told_as_exactly_as_the_span_of_the_votes_asks_for():
    def since(last):
        return head(replace(POLL, decided=None, since=Moment.time(BEGAN + 1), last=last))

    assert since(Moment.time(BEGAN + 5_000_000)) == "tea leads since 14 Nov 2023, 22:13:20."
    assert since(day(2)) == "tea leads since 14 Nov 2023, 22:13."
    assert since(day(80)) == "tea leads since 14 Nov 2023."


def test_names_are_data_in_plain_text_and_in_html():
    evil = '<img src=x onerror="alert(1)">'
    for name, words, tags in (
        (evil, evil, '<strong dir="auto">&lt;img src=x onerror=&quot;alert(1)&quot;&gt;</strong>'),
        ("tea, hot", "“tea, hot”", '<strong dir="auto">tea, hot</strong>'),
        ("{0}", "{0}", '<strong dir="auto">{0}</strong>'),
        ("שוקו", "\u2068שוקו\u2069", '<strong dir="auto">שוקו</strong>'),
        ("a\u202eb", "\u2068ab\u2069", '<strong dir="auto">a\u202eb</strong>'),
        ("a\x1b[2Jb\n", "a [2Jb", '<strong dir="auto">a\x1b[2Jb\n</strong>'),
    ):
        found = replace(POLL, options=(option(name, 0.6), *POLL.options[1:]))
        assert head(found).startswith(f"{words} leads since ")
        assert parts.to_html(text.headline(found)[0]).startswith(f"{tags} leads since <time ")
    long = "a" * 70
    found = replace(POLL, options=(option(long, 0.6), *POLL.options[1:]))
    assert f'title="{long}">{"a" * 60}…<' in parts.to_html(text.headline(found)[0])
    assert long in head(found)


# Whatever the standing


class Shown(HTMLParser):
    """Collect the tags of HTML and what it shows."""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.shown = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.shown += data


def claim(standing):
    """Return who is said to lead or to be best and with which words, or None."""
    for one in text.headline(standing):
        if one[0].kind == "name" and len(one) > 1:
            found = re.match(r" (is best|leads|is ahead)( on average)?(\.| since)", one[1].text)
            if found is not None:
                return one[0].text, found[1]
    return None


@given(standings())
@settings(max_examples=80, deadline=None)
def test_whoever_is_named_as_leader_is_drawn_and_listed_first_and_nobody_is_likelier(s):
    if s.leader is None:
        assert claim(s) is None
        assert all(lead.until is not None for lead in s.leads)
        return
    best = s.options[s.leader]
    if best.probability is not None:
        others = [one.probability or 0 for one in s.options if one.offered]
        assert round(best.probability, 2) == max(round(chance, 2) for chance in others)
    if s.scored_against is not None:
        assert claim(s)[0] == best.name
        assert (s.leads[-1].option, s.leads[-1].until) == (s.leader, None)
        assert s.leads[-1].since == s.since
        assert s.order[0] == s.leader


@given(standings())
@settings(max_examples=80, deadline=None)
def test_since_is_within_the_votes_and_leads_follow_one_another(s):
    for moment in (s.since, s.since_earliest, s.since_latest):
        assert moment is None or s.first <= moment <= s.last
    for lead in s.leads:
        assert None in (lead.since, lead.until) or lead.since < lead.until
    for one, other in itertools.pairwise(s.leads):
        assert one.until == other.since


@given(standings())
@settings(max_examples=80, deadline=None)
def test_is_best_is_said_of_what_is_decided_and_of_nothing_else(s):
    said = claim(s)
    named = s.leader is not None and s.scored_against is not None
    assert (said is not None) == named
    if said is not None:
        assert (said[1] == "is best") == bool(s.decided)
    undecided = ("not yet decided", "not decided", "too close", "not proved yet to be")
    if s.decided:
        assert not any(words in head(s) for words in undecided) or said is None
    told = text.words(s)
    assert not ("No change of taste was noticed" in told and " took over from " in told)


@given(standings())
@settings(max_examples=80, deadline=None)
def test_sentences_are_whole_and_their_counts_are_english(s):
    said = [*text.sentences(s), *(one for event in s.events for one in text.event(s, event))]
    for one in said:
        words = "".join("X" if part.kind == "name" else part.text for part in one)
        assert words.strip() == words
        assert words[-1] in ".:"
        assert not re.search(r"  | [,.;:]|\bNone\b|[{}]", words)
        assert not re.search(r"(?<![,\d])1 (votes|rounds|times|options|arms|comparisons)\b", words)
        assert not re.search(r"(?:0|[2-9]|\d\d) (vote|round|time|option|arm)\b", words)
        assert re.search(r"^X|^[A-Z]|^\d", words)


@given(standings())
@settings(max_examples=50, deadline=None)
def test_html_holds_the_same_words_and_no_tag_of_a_name(s):
    for one in text.sentences(s):
        page = Shown()
        page.feed(parts.to_html(one))
        page.close()
        assert page.tags <= {"strong", "time"}
        if all(len(part.text) <= parts.LONGEST for part in one):
            assert page.shown == "".join(part.text for part in one)
        assert "".join(part["text"] for part in parts.to_parts(one)) == "".join(
            part.text for part in one
        )


@given(standings())
@settings(max_examples=50, deadline=None)
def test_a_standing_is_plain_data_for_json(s):
    data = s.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["leader"] in (None, data["best"])
    assert [one["name"] for one in data["arms"]] == [one.name for one in s.options]
