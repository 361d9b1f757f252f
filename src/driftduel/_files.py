"""Writing files so that a reader never sees half of one and no writer loses another's work."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` and rename it to ``path`` on success.

    If the block raises, the temporary file is removed and ``path`` is left as it was. A link is
    followed, and a file that exists keeps its permissions.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(target) as temporary:
    ...     _ = temporary.write_text("whole or not at all")
    >>> target.read_text()
    'whole or not at all'
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {Path(path).parent} does not exist")
    temporary = target.with_name(f".{target.stem}-{uuid4().hex[:12]}{target.suffix}")
    temporary.touch(exist_ok=False)
    try:
        if target.is_file():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        yield temporary
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def locked(path: str | os.PathLike[str], *, wait: bool = True) -> Iterator[None]:
    """Let one process, or thread, at a time into the block for the same ``path``.

    Others wait, or get a ValueError if they do not want to.

    The lock is on a file beside it, ``.name.lock``, which stays: `replacing` gives ``path`` a new
    inode each time, so a lock on the file itself would hold nobody back, and removing the lock
    file would let two processes hold a lock each. If a process dies its lock is released.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "count.txt"
    >>> with locked(target), replacing(target) as temporary:
    ...     _ = temporary.write_text("1")
    >>> sorted(file.name for file in target.parent.iterdir())
    ['.count.txt.lock', 'count.txt']
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {Path(path).parent} does not exist")
    with target.with_name(f".{target.name}.lock").open("a+b") as file:
        try:
            _lock(file.fileno(), wait)
        except BlockingIOError:
            raise ValueError(f"{Path(path).parent}: another process is at work in it") from None
        try:
            yield
        finally:
            _unlock(file.fileno())


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(descriptor: int, wait: bool) -> None:
        # msvcrt gives up after ten seconds and locks from the current position on.
        while True:
            os.lseek(descriptor, 0, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return
            except OSError:
                if not wait:
                    raise BlockingIOError from None

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int, wait: bool) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
