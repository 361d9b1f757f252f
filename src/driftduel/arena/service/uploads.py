"""Files that wait on this computer between a look at what they hold and the word to take them in.

They are kept in a folder for temporary files that is this user's alone, for an hour, under a name
that only this database can have made for this poll.
"""

from __future__ import annotations

import hmac
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath

from driftduel.arena.errors import Gone, Invalid, Unavailable
from driftduel.arena.rules import new_id
from driftduel.arena.service.service import Service

_KEPT = 3600.0
_NAME = re.compile(r"[A-Za-z0-9_-]{22}\.[0-9a-f]{32}\.[a-z0-9]{1,7}(\.gz)?")
_ENDING = re.compile(r"\.([a-z0-9]{1,7}(\.gz)?)$")


def new_upload(service: Service, slug: str, name: str) -> Path:
    """Return where a file of somebody is to be written; ``name`` is what its owner calls it."""
    folder = _folder()
    for old in folder.iterdir():
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _KEPT:
                old.unlink()
    ending = _ENDING.search(PurePath(name).name.lower())
    tag = new_id()
    return folder / f"{tag}.{_seal(service, slug, tag)}.{ending[1] if ending else 'csv'}"


@contextmanager
def uploaded(service: Service, slug: str, name: str) -> Iterator[Path]:
    """Yield a file by its name, and delete it when all went well.

    Raises
    ------
    Invalid, Gone
        If it is no such name; if the hour is over.
    """
    tag, _, rest = name.partition(".")
    seal = rest.partition(".")[0]
    good = _NAME.fullmatch(name) and hmac.compare_digest(seal, _seal(service, slug, tag))
    if not good:
        raise Invalid("choose a file")
    path = _folder() / name
    if not path.is_file():
        raise Gone("the file is not here any more: choose it again")
    yield path
    path.unlink(missing_ok=True)


def _seal(service: Service, slug: str, tag: str) -> str:
    text = f"upload {slug} {tag}".encode()
    return hmac.digest(service.store.salt.encode(), text, "sha256").hex()[:32]


def _folder() -> Path:
    """Return the folder, which nobody else may write into or read."""
    folder = Path(tempfile.gettempdir()) / f"driftduel-uploads-{_user()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    known = folder.lstat()
    if os.name == "posix" and (folder.is_symlink() or known.st_uid != _user()):
        raise Unavailable("the folder for temporary files cannot be used")
    return folder


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
