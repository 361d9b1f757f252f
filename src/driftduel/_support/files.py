"""Writing files so that a reader never sees half of one and no writer loses another's work."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from uuid import uuid4

_PATIENCE = 0.01
"""Seconds between two tries to get a lock."""

_ABANDONED = 600.0
"""Seconds after which a temporary file belongs to a process that died."""

_held: dict[tuple[Path, int], list[int]] = {}
"""Descriptors of the files that a thread has locked; see `_hold`."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` and rename it to ``path`` on success.

    If the block raises, the temporary file is removed and ``path`` is left as it was. A link is
    followed, and a file that exists keeps its permissions. When this returns the file is on the
    disk, name and contents: it survives a loss of power.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(target) as temporary:
    ...     _ = temporary.write_text("whole or not at all")
    >>> target.read_text()
    'whole or not at all'
    """
    target = _resolved(path)
    temporary = target.with_name(f".{target.stem}-{uuid4().hex[:12]}{target.suffix}")
    temporary.touch(exist_ok=False)
    try:
        if target.is_file():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        yield temporary
        _write_through(temporary, os.O_RDWR)
        if (target, get_ident()) in _held:
            _held[target, get_ident()] += _hold(temporary, wait=True)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if sys.platform != "win32":  # where folders cannot be opened
        _write_through(target.parent, os.O_RDONLY)


@contextmanager
def locked(path: str | os.PathLike[str], *, wait: bool = True) -> Iterator[None]:
    """Let one process, or thread, at a time into the block for the same ``path``.

    Others wait, or get a ValueError if they do not want to; so does a thread that would wait for
    itself. If a process dies its lock is released, and what it left half written is removed later.

    The lock is on a file beside it, ``.name.lock``, so that ``path`` need not exist, and on
    ``path`` itself if it does, so that nothing is lost if somebody removes the lock file.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "count.txt"
    >>> with locked(target), replacing(target) as temporary:
    ...     _ = temporary.write_text("1")
    >>> target.read_text()
    '1'
    """
    from filelock import FileLock, Timeout

    target = _resolved(path)
    key = target, get_ident()
    if wait and key in _held:
        raise ValueError(f"{path}: is in use by this thread already, which would wait for itself")
    # Not kept for each thread: a generator may end in another thread than it began in.
    lock = FileLock(
        target.with_name(f".{target.name}.lock"), thread_local=False, poll_interval=_PATIENCE
    )
    try:
        lock.acquire(timeout=-1 if wait else 0)
        try:
            mine = _hold(target, wait)
        except BaseException:
            lock.release()
            raise
    except (Timeout, BlockingIOError):
        raise ValueError(f"{Path(path).parent}: another process is at work in it") from None
    _held[key] = mine
    try:
        _remove_abandoned(target)
        yield
    finally:
        for descriptor in _held.pop(key):
            os.close(descriptor)
        lock.release()


def _resolved(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path means, which is no folder, in a folder that exists."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {Path(path).parent} does not exist")
    if target.is_dir():
        raise IsADirectoryError(f"{path}: is a folder, must be a file")
    return target


def _write_through(path: Path, mode: int) -> None:
    """Return when what was written is on the disk."""
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot
            raise
    finally:
        os.close(descriptor)


def _hold(target: Path, wait: bool) -> list[int]:
    """Lock a file itself, if it is there, and return the descriptors to close.

    Who replaces the file locks what replaces it first. Who waited gets a file that is no more, sees
    that it is not the one of that name, and begins again.
    """
    if sys.platform == "win32":
        return []  # nobody can remove a lock file that is open, or replace a file
    import fcntl

    while target.is_file():
        try:
            descriptor = os.open(target, os.O_RDONLY)
        except FileNotFoundError:
            continue
        except PermissionError:
            break
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), target.stat()):
                    return [descriptor]
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    return []


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of processes that died while they replaced a file."""
    name = re.compile(rf"\.{re.escape(target.stem)}-[0-9a-f]{{12}}{re.escape(target.suffix)}")
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if name.fullmatch(entry.name):
                with suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _ABANDONED:
                        os.unlink(entry)
