"""Words for sentences: numbers of things, and the name that somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def count(n: int, what: str, many: str | None = None) -> str:
    """Return a number of things.

    Parameters
    ----------
    n : int
        How many.
    what, many : str
        What one of them is called, and what several are called if that is not ``what`` and an s.

    Examples
    --------
    >>> count(1, "run"), count(1600, "run"), count(2, "matrix", "matrices")
    ('1 run', '1,600 runs', '2 matrices')
    """
    return f"{n:,} {what if n == 1 else many or f'{what}s'}"


def number(value: float) -> str:
    """Return a number with all its digits, as seconds since 1970 or a row of a large log have.

    Examples
    --------
    >>> number(250.0), number(1700000000.0), number(12345678.5), number(0.1)
    ('250', '1700000000', '12345678.5', '0.1')
    """
    return f"{value:.15g}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return what to say beside an unknown name; empty if no known name is like it.

    Examples
    --------
    >>> did_you_mean("metabose", ["Bosse", "MetaBosse", "RUCB"])
    ' (did you mean MetaBosse?)'
    >>> did_you_mean("x", ["Bosse", "MetaBosse"])
    ''
    """
    from difflib import get_close_matches

    alike = {word.lower(): word for word in known if word != name}
    found = get_close_matches(str(name).lower(), alike, n=1)
    return f" (did you mean {alike[found[0]]}?)" if found else ""


def listing(names: Sequence[str], most: int = 5, last: str = "and") -> str:
    """Return names one after the other, the first few of many.

    Examples
    --------
    >>> listing(["tea"]), listing(["tea", "milk", "water"]), listing(list("abcdefgh"), most=3)
    ('tea', 'tea, milk and water', 'a, b, c and 5 more')
    >>> listing(["tea", "milk"], last="or"), listing(list("abcdefgh"), most=3, last="or")
    ('tea or milk', 'a, b, c or one of 5 more')
    >>> listing(["tea, hot", "milk, cold", "cocoa"])
    'tea, hot; milk, cold; and cocoa'
    """
    if len(names) == most + 1:  # one more name is as short as "1 more"
        most += 1
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{'one of ' if last == 'or' else ''}{len(names) - most:,} more")
    if len(shown) > 1 and any("," in name for name in names[:most]):
        return "; ".join([*shown[:-1], f"{last} {shown[-1]}"])
    return f" {last} ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def duration(seconds: int) -> str:
    """Return a span of time, which is a whole number of minutes, hours or days.

    Examples
    --------
    >>> [duration(n) for n in (60, 300, 3_600, 86_400)]
    ['minute', '5 minutes', 'hour', 'day']
    """
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds % size == 0:
            n = seconds // size
            return word if n == 1 else f"{n} {word}s"
    return f"{seconds} seconds"
