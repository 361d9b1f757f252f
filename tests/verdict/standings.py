"""Random standings: any record that a learner, an arena or a file might give, likely or not."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import strategies as st

from driftduel.verdict.proved import Drifted, Reign, Turned
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

NAMES = st.one_of(
    st.sampled_from(
        ["tea", "milk", "cocoa", "a, b", "<b>bold</b>", "قهوة", "{0}", "x\ny", "A & B"]
    ),
    st.text(min_size=1, max_size=90),
)
DAY = 86_400_000_000


def moment(kind, n):
    """Return the n-th moment of a kind."""
    if kind == "round":
        return Moment.round(n)
    if kind == "number":
        return Moment.of(n / 4)
    if kind == "date":
        return Moment.of(date(2020, 1, 1) + timedelta(days=n))
    return Moment.time(1_700_000_000_000_000 + n * DAY // 50)


@st.composite
def options(draw, kind, scored):
    share = st.one_of(st.none(), st.floats(0, 1))
    at = st.one_of(st.none(), st.integers(0, 120).map(lambda n: moment(kind, n)))
    low, score, high = sorted(draw(st.tuples(*[st.floats(0, 1)] * 3)))
    if not scored:
        low = score = high = None
    return Option(
        name=draw(NAMES),
        offered=draw(st.sampled_from([True, True, True, False])),
        out=draw(st.sampled_from(["paused", "left", "unseen"])),
        out_since=draw(at),
        joined_at=draw(at),
        active=draw(st.booleans()),
        low=low,
        score=score,
        high=high,
        probability=draw(share),
        compared=draw(st.integers(0, 60)) if scored else None,
        share=draw(share),
        untold=draw(st.one_of(st.none(), st.just("these votes cannot tell its score"))),
    )


@st.composite
def standings(draw):
    """Return any standing; what contradicts itself must be put right by it, or not be said."""
    kind = draw(st.sampled_from(["round", "time", "date", "number"]))
    scored = draw(st.sampled_from([None, "others", "others", "best"]))
    n = draw(st.integers(1, 7))
    known = tuple(draw(options(kind, scored is not None)) for _ in range(n))
    place = st.integers(0, n - 1)
    places = st.lists(place, unique=True, max_size=n).map(tuple)
    maybe = st.one_of(st.none(), place)

    def at(low=0, high=120):
        return moment(kind, draw(st.integers(low, high)))

    first, last = sorted((at(10, 110), at(10, 110)))
    changes = []
    for _ in range(draw(st.integers(0, 7))):
        earliest, around, latest, noticed = sorted(at() for _ in range(4))
        dated = draw(st.booleans())
        changes.append(
            Change(
                before=draw(place),
                after=draw(place),
                around=around,
                earliest=earliest if dated else None,
                latest=latest if dated else None,
                surely_after=earliest if draw(st.booleans()) else None,
                surely_before=latest,
                noticed=noticed if draw(st.booleans()) else None,
                before_among=draw(places),
                after_among=draw(places),
                kind=draw(st.sampled_from(["noticed", "likely", "proved"])),
                withdrawn=draw(st.booleans()),
            )
        )
    changes.sort(key=lambda one: one.noticed or one.around)
    best = draw(maybe)
    if best is not None and draw(st.booleans()):
        aside = SetAside(at=at(), behind=draw(place), by=4.5, enough=3.25)
        known = (*known[:-1], Option(name=known[-1].name, active=False, set_aside=aside))
    return Standing(
        options=known,
        votes=draw(st.sampled_from([0, 1, 2, 40, 1200])),
        first=first,
        last=last,
        best=best,
        since=draw(st.one_of(st.none(), st.just(at()))),
        before=draw(maybe),
        decided=draw(st.sampled_from([None, False, True])),
        rivals=draw(places),
        missing=draw(st.sampled_from([None, 1.0, 940.0, 190_234.0, float("inf")])),
        missing_between=draw(
            st.sampled_from([None, (1.0, 40.0), (900.0, 990.0), (12.0, float("inf"))])
        ),
        closed=draw(st.booleans()),
        level_with=draw(places) if best is None else (),
        counted_since=draw(st.one_of(st.none(), st.just(at()))),
        reset=draw(
            st.one_of(
                st.none(),
                st.builds(
                    Reset,
                    at=st.just(at()),
                    why=st.sampled_from(["options", "tastes", "rules", "other"]),
                ),
            )
        ),
        earlier=draw(
            st.one_of(
                st.none(),
                st.builds(Earlier, option=place, decided=st.booleans(), until=st.just(at())),
            )
        ),
        level=draw(st.sampled_from([None, 0.95])),
        looks=draw(st.sampled_from(["any", "one"])),
        scored_against=scored,
        drawn=draw(st.booleans()),
        panel=draw(st.one_of(st.none(), places)),
        on_average=draw(st.booleans()),
        changes=draw(st.sampled_from([None, tuple(changes), ()])),
        drifted=draw(
            st.one_of(
                st.none(), st.builds(Drifted, proved=st.just(at()), of_strengths=st.booleans())
            )
        ),
        turned=tuple(
            Turned(kind=kind, option=draw(place), other=other, proved=at(), likeliest=at())
            for kind, other in (("fell", None), ("rose", None), *[("turned", draw(place))] * 5)
            if draw(st.booleans())
        ),
        reigns=tuple(
            Reign(option=draw(place), since=at(), until=until)
            for until in (at(), None)
            if draw(st.booleans())
        ),
        doubt=draw(st.one_of(st.none(), st.just(at()))),
        events=tuple(
            Event(
                at=at(),
                joined=draw(places),
                paused=draw(places),
                resumed=draw(places),
                left=draw(places),
                renamed=((draw(place), draw(NAMES), draw(NAMES)),),
            )
            for _ in range(draw(st.integers(0, 2)))
        ),
        restarts=tuple(sorted(at() for _ in range(draw(st.integers(0, 7))))),
        cycle=draw(st.permutations(range(n)))[:3] if n >= 3 and draw(st.booleans()) else (),
        copies=draw(st.sampled_from([None, Copies(near=0.8, apart=0.6)])),
        side=draw(st.sampled_from([None, Side(side="left", share=0.7)])),
        assuming=draw(st.sampled_from([None, "pairs were drawn alike"])),
        unit=draw(st.sampled_from(["vote", "round"])),
        noun=draw(st.sampled_from(["option", "arm"])),
        notes=draw(st.sampled_from([(), ("Counted by rules 2.",)])),
    )
