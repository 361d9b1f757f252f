"""A file of a stranger is read in a process of its own: with bounds on memory and time.

Few bytes can unpack to very many, in more ways than anybody can look for beforehand, and a library
that reads them may end its process. Here that ends nothing else, and nobody else waits meanwhile.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from driftduel.votes.log import Log

MEMORY = 2**31
"""Bytes that reading may take."""

SECONDS = 300.0
"""How long it may take."""


def read_apart(
    path: str | os.PathLike[str], *, memory: int = MEMORY, seconds: float = SECONDS
) -> Log:
    """Return the votes of a file as `driftduel.votes.read` does, of all columns those of votes.

    Raises
    ------
    ValueError
        If it cannot be read, or not with so much memory and time.
    """
    source = Path(path)
    with tempfile.TemporaryDirectory(prefix="driftduel-") as folder:
        result = Path(folder) / "result"
        words = [sys.executable, "-m", __name__, str(source), str(result), str(memory)]
        try:
            subprocess.run(
                words,
                check=False,  # what became of it is in its result
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            raise ValueError(f"{source.name}: takes too long to read") from None
        if not result.exists():
            raise ValueError(f"{source.name}: cannot be read, or takes too much memory") from None
        found = pickle.loads(result.read_bytes())  # made by `_main` below
    if isinstance(found, str):
        raise ValueError(found)
    return Log(**found)


_KEPT = ("arms", "left", "right", "outcome", "count", "dated", "sides", "notes")


def _main(source: str, result: str, memory: int) -> None:
    """Read a file, and leave the log or a sentence; without either, reading failed."""
    _bound(memory)
    from driftduel._support.extras import MissingExtraError
    from driftduel.votes.reading import read

    found: dict[str, Any] | str
    try:
        log = read(source)
        found = {name: getattr(log, name) for name in _KEPT}
        found["time"] = log.time if log.timed else None
    except (ValueError, MissingExtraError) as error:
        found = str(error)
    whole = Path(f"{result}.part")
    whole.write_bytes(pickle.dumps(found))
    whole.rename(result)


def _bound(memory: int) -> None:
    try:
        import resource
    except ImportError:  # there is none on Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)  # votes come first
    with suppress(OSError):  # where memory is short this process ends, and no other
        Path("/proc/self/oom_score_adj").write_text("1000")


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
