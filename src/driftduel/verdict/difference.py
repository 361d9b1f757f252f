"""What a standing by other rules would say otherwise: leader, dates, changes, figures.

The same votes are folded twice, and the two standings compared as they are told: a date that is
told alike is no difference. All sentences are about what would be, as nothing has changed yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driftduel.verdict.parts import (
    Part,
    Sentence,
    chance,
    clock_of,
    listed,
    named,
    percent,
    percent_range,
    plain,
    say,
)
from driftduel.verdict.standing import Change, Option, Standing
from driftduel.verdict.text import when


def difference(old: Standing, new: Standing) -> list[Sentence]:
    """Return what would be said otherwise, of the same options and votes, by other rules.

    Parameters
    ----------
    old : Standing
        By the rules of now.
    new : Standing
        By the other ones.

    Examples
    --------
    >>> from driftduel.verdict.standing import Option
    >>> options = (Option(name="tea", compared=50), Option(name="milk", compared=50))
    >>> now = Standing(options=options, votes=99, best=0, scored_against="others")
    >>> then = Standing(options=options, votes=99, best=1, scored_against="others")
    >>> [plain(one) for one in difference(now, then)]
    ['milk would lead instead of tea.']
    >>> [plain(one) for one in difference(now, now)]
    ['Nothing that is said now would change.']
    """
    found = [*_leader(old, new), *_changes(old, new), *_figures(old, new)]
    return found or [say("Nothing that is said now would change.")]


def _leader(old: Standing, new: Standing) -> Iterator[Sentence]:
    if old.leader is None and new.leader is None:
        return
    if old.leader is None or new.leader is None:
        if old.leader is None:
            assert new.leader is not None
            yield say("{who} would be named as leader; now nobody is.", who=_name(new, new.leader))
        else:
            who = _name(old, old.leader)
            yield say("Nobody would be named as leader; now {who} is.", who=who)
        return
    who = _name(new, new.leader)
    if new.leader != old.leader:
        verb = "be best" if new.decided else "lead"
        before = _name(old, old.leader)
        yield say("{who} would {verb} instead of {old}.", who=who, verb=verb, old=before)
        return
    if bool(old.decided) != bool(new.decided):
        proved = "would be proved" if new.decided else "would not be proved yet"
        yield say("That {who} is best {proved}.", who=who, proved=proved)
    since, before_since = _since(new), _since(old)
    if since.text != before_since.text:
        verb = "be best" if new.decided else "lead"
        yield say(
            "{who} would {verb} since {since}, not since {old}.",
            who=who,
            verb=verb,
            since=since,
            old=before_since,
        )


def _changes(old: Standing, new: Standing) -> Iterator[Sentence]:
    """Say which changes would not be found, be dated otherwise, or be found besides."""
    left = list(new.valid_changes)
    same: dict[int, Change] = {}
    for judge in (_overlap, _alike):  # first those that are surely the same
        for n, one in enumerate(old.valid_changes):
            other = next((other for other in left if judge(one, other)), None)
            if n not in same and other is not None:
                same[n] = other
                left.remove(other)
    for n, one in enumerate(old.valid_changes):
        values = {"after": _name(old, one.after), "before": _name(old, one.before)}
        was = _space(when(old, one))
        if n not in same:
            yield say(
                "That {after} took over from {before}{was} would not be found; it stays listed as "
                "it was said.",
                was=was,
                **values,
            )
            continue
        now = _space(when(new, same[n]))
        if plain(now) != plain(was):
            yield say(
                "That {after} took over from {before} would be dated{now}; it stays listed as it "
                "was said:{was}.",
                now=now,
                was=was,
                **values,
            )
    for one in left:
        yield say(
            "It would also be found that {after} took over from {before}{when}.",
            after=_name(new, one.after),
            before=_name(new, one.before),
            when=_space(when(new, one)),
        )


def _figures(old: Standing, new: Standing) -> Iterator[Sentence]:
    """Name the options whose scores, ranges or chances would be told otherwise."""
    pairs = zip(old.options, new.options, strict=True)
    names = [after.name for before, after in pairs if _told(before) != _told(after)]
    if names:
        yield say("Scores, ranges or chances of {who} would differ.", who=listed(names))


def _told(option: Option) -> Sequence[str]:
    """Return the figures of an option as they are told."""
    if not option.offered or not option.enough or option.low is None or option.high is None:
        return ()
    return (
        percent(option.score),
        percent_range(option.low, option.high),
        chance(option.probability),
    )


def _alike(one: Change, other: Change) -> bool:
    return (one.before, one.after) == (other.before, other.after)


def _overlap(one: Change, other: Change) -> bool:
    """Tell whether two changes are alike, and their ranges have a moment in common."""
    ends = (one.earliest or one.around, one.latest or one.around)
    other_ends = (other.earliest or other.around, other.latest or other.around)
    if not _alike(one, other) or None in (*ends, *other_ends):
        return False
    return bool(ends[0] <= other_ends[1] and other_ends[0] <= ends[1])  # type: ignore[operator]


def _since(s: Standing) -> Part:
    if s.since is None or s.since == s.first:
        return Part("text", f"the first {s.unit}")
    return clock_of(s).at(s.since)


def _space(sentence: Sentence) -> Sentence:
    return say(" {0}", sentence) if sentence else ()


def _name(s: Standing, place: int) -> Part:
    return named(s.options[place].name)
