"""Telling whether a file still holds what was written to it, and setting aside one that does not.

Disks rot: a bit that flips in a number gives another number, and nothing else would tell. What is
written is kept with a hash of itself and is checked against it before it is used.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

_LENGTH = 16
"""Hexadecimal digits of a hash: 64 bits, against chance, not against malice."""


class DamagedFileError(ValueError):
    """A file of a folder is not what was written; the message names it."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"{file}: is damaged, it does not hold what was written; run the spec again, which "
            "sets the file aside and runs again what it held"
        )


def digest(content: bytes | Path) -> str:
    """Return a hash of bytes, or of what a file holds.

    Examples
    --------
    >>> digest(b"tea")
    'a9f74d1ec36ebdeb'
    """
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()[:_LENGTH]
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_LENGTH]


def set_aside(file: Path) -> Path:
    """Rename a damaged file, so that nothing reads it and whoever wants to can look at it."""
    aside = file.with_name(f"{file.name}.damaged")
    return file.replace(aside)
