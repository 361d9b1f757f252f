"""What a terminal shows while something is compiled that no earlier process compiled."""

from __future__ import annotations

import sys
import threading

AFTER = 1.0
"""Seconds of compiling after which it is said."""

SENTENCE = "driftduel: compiling, once; this takes some seconds, and the next start does without"


class Notice:
    """Says once a process that something is being compiled, if that takes long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = 0
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """Note that a function is going to be compiled; those that it calls may follow."""
        with self._lock:
            self._begun += 1
            if self._timer is None and sys.stderr is not None and sys.stderr.isatty():
                self._timer = threading.Timer(AFTER, self._say)
                self._timer.daemon = True
                self._timer.start()

    def end(self) -> None:
        """Note that a function is compiled."""
        with self._lock:
            self._begun = max(0, self._begun - 1)
            if self._begun == 0 and self._timer is not None and self._timer.is_alive():
                self._timer.cancel()
                self._timer = None

    def _say(self) -> None:
        print(SENTENCE, file=sys.stderr, flush=True)


notice = Notice()
