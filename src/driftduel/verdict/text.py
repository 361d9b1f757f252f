"""The only sentences of a verdict, as parts that commands, JSON, pages and reports render.

Every sentence stands here as a whole, in the order in which it is said: `headline` is who is best
since when, who was before, what is undecided; `lines` are the options; `footing` is what scores
are from; `news` is what changed; `cautions` is what may make the votes prove less. `words` is all.

"Is best" is said of what is decided, "leads" of what is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driftduel._support.text import listing
from driftduel.verdict.always import always
from driftduel.verdict.missing import FAR, days, span
from driftduel.verdict.offered import options_now, too_early
from driftduel.verdict.parts import (
    Part,
    Sentence,
    Words,
    chance,
    clock_of,
    counted,
    listed,
    named,
    percent,
    percent_range,
    plain,
    say,
)
from driftduel.verdict.standing import (
    ENOUGH,
    Change,
    Event,
    Option,
    Standing,
)

MOST_LINES = 20
"""Options that have a line of their own in plain text."""

MOST_CHANGES = 5
"""Changes that are told in plain text, the latest."""

MOST_RESTARTS = 5


def words(standing: Standing) -> str:
    """Return all of it as plain text: a paragraph, a line for each option, and what changed."""
    head, foot = (" ".join(map(plain, one)) for one in (headline(standing), footing(standing)))
    rest = map(plain, details(standing))
    return "\n".join([head, *lines(standing), *([foot] if foot else []), *rest])


def sentences(standing: Standing) -> list[Sentence]:
    """Return all sentences but the lines of the options."""
    return [*headline(standing), *footing(standing), *details(standing)]


def details(standing: Standing) -> list[Sentence]:
    """Return what is said below the options and what their scores are from."""
    return [
        *cautions(standing),
        *news(standing),
        *options_now(standing),
        *closing(standing),
    ]


def headline(s: Standing) -> list[Sentence]:
    """Say who is best since when, who was before, and what is undecided."""
    return list(_headline(s))


def _headline(s: Standing) -> Iterator[Sentence]:
    if s.votes == 0:
        if s.unit == "round" and s.best is not None:
            yield say("Before the first round the learner would pick {who}.", who=_name(s, s.best))
        else:
            yield say("Nobody has voted yet.")
    elif s.n_offered < 2:
        yield say(
            "Fewer than two {noun}s are offered, so there is nothing to compare.", noun=s.noun
        )
    elif s.leader is None:
        yield from _nobody(s)
    elif s.scored_against is None:
        votes = counted(s.votes, s.unit)
        who = _name(s, s.leader)
        yield say("After {votes} the learner would pick {who}.", votes=votes, who=who)
    else:
        yield _leads(s, s.leader)
        if s.looks == "one":
            yield from _range(s, s.leader)
        if not s.enough and not s.decided:
            yield say(
                "Since then it was compared too seldom to say how far it is ahead ({n} of {of} "
                "times).",
                n=str(s.options[s.leader].compared or 0),
                of=str(ENOUGH),
            )
        elif s.decided is False:
            yield _undecided(s)
        yield from too_early(s)
        yield from _doubt(s)
        yield from _below(s, s.leader)


def _leads(s: Standing, leader: int) -> Sentence:
    """Say who leads since when, and who did before."""
    clock, who = clock_of(s), _name(s, leader)
    verb = "is best" if s.decided else "is ahead" if s.on_average else "leads"
    dated = s.explained
    if s.decided and s.looks == "any":
        return _is_best(s, who)
    if dated is not None and dated.around is not None and s.since is not None:
        return say(
            "{who} {verb} since about {since}; {before} was until then.",
            who=who,
            verb=verb,
            since=clock.at(s.since),
            before=either(s, dated.before, dated.before_among),
        )
    if s.on_average:
        verb = f"{verb} on average"
    values: dict[str, Words] = {"who": who, "verb": verb}
    if s.looks == "one" and s.first == s.last:
        return say("{who} {verb}.", **values)
    if s.since is None or (s.since == s.first and s.before is None):
        if s.first is None or s.first.kind == "round":
            return say("{who} {verb} since the first {unit}.", unit=s.unit, **values)
        return say(
            "{who} {verb} since the first {unit} ({first}).",
            unit=s.unit,
            first=clock.at(s.first),
            **values,
        )
    since = clock.at(s.since)
    if s.before is None:
        return say("{who} {verb} since {since}.", since=since, **values)
    return say(
        "{who} {verb} since {since}; {before} led until then.",
        since=since,
        before=_name(s, s.before),
        **values,
    )


def _is_best(s: Standing, who: Part) -> Sentence:
    """Say who is proved to be best: on average since votes count."""
    clock, dated = clock_of(s), s.explained
    since: Words = say("the first {unit}", unit=s.unit)
    if s.counted_since is not None and s.first is not None:
        if s.counted_since > s.first:
            since = clock.at(s.counted_since)
        elif s.first.kind != "round":
            since = say("{0} ({1})", since, clock.at(s.first))
    if dated is None or dated.around is None:
        return say("{who} is best on average since {since}.", who=who, since=since)
    return say(
        "{who} is best on average since {since}; it took over from {before} around {around}.",
        who=who,
        since=since,
        before=either(s, dated.before, dated.before_among),
        around=clock.at(dated.around),
    )


def _range(s: Standing, leader: int) -> Iterator[Sentence]:
    """Say how often the leader of a file wins on average, and since when that is counted."""
    one = s.options[leader]
    if one.low is None or one.high is None:
        return
    others: Words = f"the other {s.noun}s" if s.n_offered > 2 else f"the other {s.noun}"
    among = [n for n in s.panel or () if n != leader]
    if among:
        others = _names(s, among) if len(among) == 1 else say("one of {0}", _names(s, among))
    values: dict[str, Words] = {
        "range": percent_range(one.low, one.high),
        "unit": s.unit,
        "others": others,
    }
    began = max([at for at in (s.counted_since, one.joined_at) if at is not None], default=None)
    if began is None or began in (s.since, s.first):
        yield say("It wins {range} of its {unit}s against {others}.", **values)
    else:
        yield say(
            "Since {began} it wins on average {range} of its {unit}s against {others}.",
            began=clock_of(s).at(began),
            **values,
        )


def _nobody(s: Standing) -> Iterator[Sentence]:
    """Say why nobody is named, and who was before."""
    clock = clock_of(s)
    if s.level_with:
        yield say("Nobody is ahead: {who} are level.", who=_names(s, s.level_with))
    elif s.best is None or not s.options[s.best].offered:
        yield say("These {unit}s cannot tell who is best.", unit=s.unit)
    elif s.ahead_of_best:
        who = _names(s, (*s.ahead_of_best, s.best), "or")
        yield say("It is too close to say who leads: {who}.", who=who)
    elif s.reset is None:
        votes = counted(s.votes, s.unit)
        yield say("After {votes} it is too early to name a leader.", votes=votes)
    else:
        what = {"options": f"The {s.noun}s", "tastes": "Tastes", "rules": "The rules"}
        yield say(
            "{what} changed {when}; since then there were too few comparisons to name a leader.",
            what=what.get(s.reset.why, "What is compared"),
            when=clock.then(s.reset.at),
        )
        if s.earlier is not None:
            led = "was best" if s.earlier.decided else "led"
            same = s.earlier.until == s.reset.at
            yield say(
                "{who} {led} until {until}.",
                who=_name(s, s.earlier.option),
                led=led,
                until="then" if same else clock.at(s.earlier.until),
            )


def _undecided(s: Standing) -> Sentence:
    """Say whom the leader is not proved to be better than, and what it takes."""
    rivals = _names(s, s.rivals)
    if not s.rivals:
        return say("That it is best is not proved yet.")
    if s.closed:
        return say("When voting ended it was not decided against {rivals}.", rivals=rivals)
    if s.missing is None:
        return say("It is not yet decided against {rivals}.", rivals=rivals)
    if s.missing > FAR * s.votes:
        return say("Against {rivals} it is too close to call.", rivals=rivals)
    ends = (s.missing, s.missing) if s.missing_between is None else s.missing_between
    return say(
        "It is not yet decided against {rivals}: {n} more {unit}s{days}.",
        rivals=rivals,
        n=span(ends, FAR * s.votes),
        unit=s.unit,
        days=days(s, ends),
    )


def _below(s: Standing, leader: int) -> Iterator[Sentence]:
    """Explain a leader whose score is below that of another: they are of different votes."""
    own = s.options[leader]
    if own.score is None or not own.enough or s.scored_against != "others" or not s.drawn:
        return
    above = [
        n
        for n, one in enumerate(s.options)
        if one.offered and one.enough and percent(one.score) != percent(own.score)
        if one.score is not None and one.score > own.score
    ]
    if above:
        yield say(
            "On average {above} won more random comparisons; who leads now is judged by the latest "
            "{unit}s.",
            above=_names(s, tuple(above)),
            unit=s.unit,
        )


def _doubt(s: Standing) -> Iterator[Sentence]:
    if s.open_doubt is None:
        return
    around = clock_of(s).at(s.open_doubt)
    if s.before is not None and s.explained is None and not s.decided:
        yield say(
            "That may be because tastes changed around {around}, which is not proved yet.",
            around=around,
        )
    else:
        again = " again" if s.valid_changes else ""
        yield say(
            "Tastes may have changed{again} around {around}, which is not proved yet.",
            again=again,
            around=around,
        )


def lines(s: Standing) -> list[str]:
    """Return a line of plain text for each option, the leader first."""
    if s.votes == 0 or s.scored_against is None:
        return []
    shown = [n for n in s.order if s.options[n].offered or s.options[n].out == "paused"]
    found = [f"  {plain((named(s.options[n].name),))}: {line(s, n)}" for n in shown[:MOST_LINES]]
    if len(shown) > MOST_LINES:
        found.append(f"  and {len(shown) - MOST_LINES:,} more")
    return found


def line(s: Standing, place: int) -> str:
    """Say how an option stands."""
    one, clock = s.options[place], clock_of(s)
    found = [plain(score(s, place))]
    if one.offered and one.enough and one.probability is not None:
        found.append(f"best with {chance(one.probability)}")
    if one.offered and not one.active:
        since = "" if one.set_aside is None else f" since {clock.at(one.set_aside.at).text}"
        found.append(f"set aside for now{since}")
    share = "" if one.share is None else f"; in {percent(one.share)} of the {s.unit}s"
    return ", ".join(found) + share


def score(s: Standing, place: int) -> Sentence:
    """Say how often an option wins, or why that is not said."""
    one = s.options[place]
    if not one.offered:
        if one.out_since is None:
            return say("paused")
        return say("paused since {at}", at=clock_of(s).at(one.out_since))
    what = "random comparisons" if s.drawn else "comparisons"
    if s.scored_against == "best":
        if place == s.best:
            return say("the others are compared with it")
        what = "comparisons with the best"
    if not shows_score(one):
        return say("{n} of {of} {what}", n=f"{one.compared or 0}", of=f"{ENOUGH}", what=what)
    assert one.low is not None
    assert one.high is not None
    return say(
        "wins {share} ({range}) of {n} {what}",
        share=percent(one.score),
        range=percent_range(one.low, one.high),
        n=f"{one.compared:,}",
        what=what,
    )


def shows_score(one: Option) -> bool:
    """Tell whether the score of an option is told: it is offered and was compared enough."""
    return one.offered and one.enough and None not in (one.score, one.low, one.high)


def footing(s: Standing) -> list[Sentence]:
    """Say what scores are from, and what their ranges promise."""
    told = any(map(shows_score, s.options))
    if s.scored_against is None or s.level is None or not told or s.looks == "one":
        return []
    since: Words = ""
    if s.counted_since is not None and s.counted_since != s.first:
        since = say(" since {at}", at=clock_of(s).at(s.counted_since))
    from_ = "Scores are from comparisons{since}."
    if s.drawn:
        from_ = "Random comparisons{since} are those with an opponent drawn at random."
    promise = (
        "Ranges hold with {level}, for all {noun}s at once and at every moment; if tastes drifted, "
        "they are about the average."
    )
    return [say(from_, since=since), say(promise, level=percent(s.level), noun=s.noun)]


def news(s: Standing) -> list[Sentence]:
    """Say what changed when, and that nothing did."""
    if s.votes == 0 or (s.changes is None and not s.restarts):
        return []
    if s.changes is None:
        return [_restarts(s)]
    told = [change(s, one) for one in s.changes]
    if len(told) > MOST_CHANGES:
        n = counted(len(told), "time")
        told = [say("Who is best changed {n}; the latest:", n=n), *told[-MOST_CHANGES:]]
    return [*told, *no_change(s), *always(s)]


def change(s: Standing, one: Change) -> Sentence:
    """Say who took over from whom, when, and when that was noticed."""
    clock = clock_of(s)
    found = took_over(s, one, when(s, one))
    if one.named_first is not None:
        found = say("{0}, not {1} as was said at first", found, _name(s, one.named_first))
    if one.kind == "likely":
        found = say("{found}, which is likely and not proved", found=found)
    if one.surely_after is not None and one.surely_before is not None:
        found = say(
            "{found} ({likely}proved {sure})",
            found=found,
            likely="95%, if tastes changed once; " if one.earliest is not None else "",
            sure=clock.between(one.surely_after, one.surely_before),
        )
    if one.noticed is not None:
        found = say("{found}, noticed {at}", found=found, at=clock.then(one.noticed))
    if one.withdrawn:
        return say(
            "{found}; withdrawn, as {unit}s that showed it no longer count.",
            found=found,
            unit=s.unit,
        )
    return say("{found}.", found=found)


def took_over(s: Standing, one: Change, dated: Sentence = ()) -> Sentence:
    """Say who took over from whom, without an end."""
    template = "{after} took over from {before}{space}{when}"
    if one.kind == "noticed" and one.after_among:
        template = "{before} lost the lead{space}{when}, and {after} took over"
    return say(
        template,
        after=either(s, one.after, one.after_among),
        before=either(s, one.before, one.before_among),
        space=" " if dated else "",
        when=dated,
    )


def when(s: Standing, one: Change) -> Sentence:
    """Say when a change was, as exactly as it is known; nothing if it is not."""
    clock = clock_of(s)
    if one.earliest is not None and one.latest is not None:
        return clock.between(one.earliest, one.latest)
    return say("around {0}", clock.at(one.around)) if one.around is not None else ()


def no_change(s: Standing) -> list[Sentence]:
    """Say that no change is known, or none that explains who leads."""
    if s.changes is None or s.votes == 0:
        return []
    if s.looks == "one":
        if s.first is None:
            return [say("These {unit}s have no times, so they cannot show a change.", unit=s.unit)]
        if s.first == s.last:
            return [say("All {unit}s are of one time, so they cannot show a change.", unit=s.unit)]
        if not s.valid_changes:
            return [
                say(
                    "No change of who is best is proved; smaller and shorter ones than these "
                    "{unit}s can show are possible.",
                    unit=s.unit,
                )
            ]
        return [say("There may be more changes than are proved.")]
    unexplained = s.leader is not None and s.before is not None and s.explained is None
    if unexplained and s.open_doubt is None:
        other = "other " if s.valid_changes else ""
        return [
            say(
                "No {other}change of taste is proved: that another {noun} leads now may be chance.",
                other=other,
                noun=s.noun,
            )
        ]
    if not s.changes and s.open_doubt is None:
        return [say("No change of taste was noticed.")]
    return []


def event(s: Standing, one: Event) -> list[Sentence]:
    """Say which options joined, were paused, resumed, renamed, or left."""
    at = clock_of(s).then(one.at)
    forms = (
        (one.joined, "{who} joined {at}.", "{who} joined {at}."),
        (one.resumed, "{who} was resumed {at}.", "{who} were resumed {at}."),
        (one.paused, "{who} was paused {at}.", "{who} were paused {at}."),
        (one.left, "{who} left {at}.", "{who} left {at}."),
    )
    found = [
        say(single if len(places) == 1 else many, who=_names(s, places), at=at)
        for places, single, many in forms
        if places
    ]
    renames = "{old} was renamed {new} {at}."
    found += [say(renames, old=named(a), new=named(b), at=at) for _, a, b in one.renamed]
    return found


def _restarts(s: Standing) -> Sentence:
    clock = clock_of(s)
    latest = s.restarts[-MOST_RESTARTS:]
    row = say(
        listing([f"{{{n}}}" for n in range(len(latest))], MOST_RESTARTS), *map(clock.at, latest)
    )
    if len(s.restarts) > MOST_RESTARTS:
        n = counted(len(s.restarts), "time")
        return say("It started again {n}, the latest at {row}.", n=n, row=row)
    return say("It started again at {row}.", row=row)


def cautions(s: Standing) -> list[Sentence]:
    """Say what may make the votes prove less than they seem to."""
    found = []
    why = [one.untold for one in s.options if one.untold]
    found += [say("{0}.", f"{one[:1].upper()}{one[1:]}") for one in why[:3]]
    if len(why) > 3:
        found.append(say("Nor can they tell the scores of {n} more.", n=f"{len(why) - 3:,}"))
    if s.copies is not None:
        found.append(
            say(
                "Beware: {unit}s of a pair agree with the next one in {near} of cases and with one "
                "further away in {apart}. Some {unit}s may be there more than once, or one voter "
                "cast many in a row; then less is proved than is said here.",
                unit=s.unit,
                near=percent(s.copies.near),
                apart=percent(s.copies.apart),
            )
        )
    if s.side is not None and s.best is not None:
        found.append(
            say(
                "Beware: the side seems to matter, and {who} was on the {side} in {share} of its "
                "{unit}s, where {noun}s win more often; a part of its lead may be due to that.",
                who=_name(s, s.best),
                side=s.side.side,
                share=percent(s.side.share),
                unit=s.unit,
                noun=s.noun,
            )
        )
    if s.cycle:
        found.append(
            say(
                "Who is best depends on what best means: {cycle}, which is proved. Here it is who "
                "wins most against all.",
                cycle=cycle(s),
            )
        )
    return found


def cycle(s: Standing) -> Sentence:
    """Say who beats whom in a circle."""
    pairs = zip(s.cycle, (*s.cycle[1:], *s.cycle[:1]), strict=True)
    steps = [say("{0} beats {1}", _name(s, one), _name(s, other)) for one, other in pairs]
    return say(listing([f"{{{n}}}" for n in range(len(steps))], 20), *steps)


def closing(s: Standing) -> list[Sentence]:
    """Say how sure it is, what was assumed, notes, and in which zone times are."""
    found = []
    if s.looks == "one" and s.level is not None:
        alpha = f"{100 * (1 - s.level):.3g}%"
        timed = s.first is not None and s.first != s.last
        change = f"a change where there was none, and at most {alpha} " if timed else ""
        found.append(
            say(
                "How sure: for one look, at most {alpha} of such files show {change}a range that "
                "is wrong, if each {unit} was cast independently of the others.",
                change=change,
                alpha=alpha,
                unit=s.unit,
            )
        )
    if s.assuming is not None:
        found.append(say("This holds if {what}.", what=s.assuming))
    if s.confounded and s.valid_changes:
        found.append(
            say(
                "And if other pairs were shown just when tastes changed, what looks like a new "
                "leader may be what was shown: keep propensities, or show all pairs alike at all "
                "times, to be sure."
            )
        )
    found += [say("{0}", note) for note in s.notes]
    return [*found, facts(s)] if s.votes else found


def facts(s: Standing) -> Sentence:
    """Say how many votes there are, and from when to when."""
    votes = counted(s.votes, s.unit)
    if s.first is None or s.last is None or s.first.kind == "round":
        return say("From {votes}.", votes=votes)
    when = clock_of(s).between(s.first, s.last)
    zone = " (times are UTC)" if s.first.kind == "time" else ""
    return say("From {votes} {when}{zone}.", votes=votes, when=when, zone=zone)


def _name(s: Standing, place: int) -> Part:
    return named(s.options[place].name)


def _names(s: Standing, places: Sequence[int], last: str = "and") -> Sentence:
    return listed([s.options[n].name for n in places], last)


def either(s: Standing, place: int, among: tuple[int, ...]) -> Sentence:
    """Return a name, or those of which it is one, the likeliest first."""
    others = [n for n in among if n != place]
    return _names(s, (place, *others), "or")
