"""Who took over by the last change that was noticed, as far as it is known by now.

That tastes changed is often clear before it is clear who gained. So until somebody is very likely
the best, all those are named of whom it may be true, and later votes may name another one than the
first that was said; the record keeps who that was.
"""

from __future__ import annotations

from dataclasses import replace

from driftduel.verdict.standing import Change, Moment, Standing

VERY_LIKELY = 0.95
"""From here on one is named alone; so likely together are those of whom it may be one."""

MOST_NAMED = 3
"""Of more it is said that the one in front, or another, took over."""


def with_successors(s: Standing) -> Standing:
    """Return a standing whose last noticed change names who took over as far as that is known."""
    last = s.valid_changes[-1] if s.valid_changes else None
    if last is None or last.kind != "noticed" or s.best in (None, last.before):
        return s
    told = _told(s, last)
    changes = tuple(told if one is last else one for one in s.changes or ())
    return replace(s, changes=changes)


def _told(s: Standing, last: Change) -> Change:
    assert s.best is not None
    late = {n for event in s.events if _is_after(event.at, last) for n in event.joined}
    chances = {
        n: one.probability or 0.0
        for n, one in enumerate(s.options)
        if one.offered and n != last.before and n not in late
    }
    if not any(chances.values()):  # what gives no chances names one
        return last
    # Who is best now may have joined since: then it took over later than that.
    best = s.best if s.best not in late else max(chances, key=lambda n: chances[n])
    first = last.after if last.after != best else None
    whole = sum(chances.values())
    among = [best]
    together = chances.get(best, 0.0)
    for n in sorted(chances, key=lambda n: -chances[n]):
        if s.decided or together >= VERY_LIKELY * whole or len(among) == MOST_NAMED:
            break
        if n != best:
            among.append(n)
            together += chances[n]
    sure = len(among) == 1
    return replace(
        last,
        after=best,
        after_among=() if sure else tuple(among),
        named_first=first if first is not None and (sure or first not in among) else None,
    )


def _is_after(at: Moment, change: Change) -> bool:
    """Tell whether something was later than that a change was noticed."""
    known = change.noticed or change.latest
    return known is not None and at > known
