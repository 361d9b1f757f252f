"""Numbers of things in words, for every sentence that counts something."""

from __future__ import annotations


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
