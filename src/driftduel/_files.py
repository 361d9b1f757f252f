"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import os
import stat
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
