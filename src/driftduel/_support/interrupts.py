"""Holding an interrupt from the keyboard back while something must not stop half way.

numba reads a `Generator` that it is given by running Python code, and an interrupt that arrives
there is taken for a missing attribute or ends the process by a segmentation fault. And a learner
that has learned an outcome must also count it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

try:  # the same functions without the turning of numbers into enums, which takes ten times as long
    from _signal import getsignal as _getsignal
    from _signal import signal as _set_handler
except ImportError:  # pragma: no cover  (another Python than CPython)
    from signal import getsignal as _getsignal
    from signal import signal as _set_handler

_MAIN = threading.main_thread().ident
_INTERRUPT = int(signal.SIGINT)


class defer_interrupts:  # noqa: N801
    """A block that an interrupt (SIGINT) does not stop; it takes effect when the block is over.

    Interrupts reach the main thread alone, so in others the block is as any other.

    Examples
    --------
    >>> before = signal.signal(signal.SIGINT, signal.default_int_handler)
    >>> try:
    ...     with defer_interrupts():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("the block is finished")
    ... except KeyboardInterrupt:
    ...     print("and then interrupted")
    the block is finished
    and then interrupted
    >>> _ = signal.signal(signal.SIGINT, before)
    """

    __slots__ = ("_before", "_caught")

    def __enter__(self) -> None:
        self._before: Callable[[int, FrameType | None], Any] | None = None
        self._caught: tuple[int, FrameType | None] | None = None
        if threading.get_ident() == _MAIN:
            before = _getsignal(_INTERRUPT)
            if callable(before):
                self._before = before
                _set_handler(_INTERRUPT, self._catch)

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            _set_handler(_INTERRUPT, self._before)
            if self._caught is not None:
                self._before(*self._caught)

    def _catch(self, number: int, frame: FrameType | None) -> None:
        self._caught = (number, frame)
