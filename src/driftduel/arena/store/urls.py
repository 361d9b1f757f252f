"""Which database an address means."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from driftduel.arena.store.connection import Connection

DEFAULT = "sqlite:arena.db"


def database_of(url: str, *, create: bool = True) -> tuple[Callable[[], Connection], Any]:
    """Return what makes connections to a database, and the module of its driver.

    Parameters
    ----------
    url : str
        ``sqlite:FILE``, a file alone, or ``postgresql://user@host/name``.
    create : bool
        Whether a file that is not there may be made.

    Raises
    ------
    ValueError
        If it is none of these.
    FileNotFoundError
        If there is no such file or folder.
    """
    if re.match("postgres(ql)?://", url):
        return _on_postgres(url)
    scheme = re.match("([A-Za-z][A-Za-z0-9+.]+):", url)
    if scheme and scheme[1] != "sqlite":
        raise ValueError(
            f"the database is {scheme[1]}:..., must be sqlite:FILE or postgresql://..."
        )
    path = path_of(url)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder, must be a file")
    if path.exists():
        _check_database(path, create)
    else:
        if not create:
            raise FileNotFoundError(f"{path}: there is no such file")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"the folder {path.parent} does not exist")
    import sqlite3

    from driftduel.arena.store.sqlite import PATIENCE, SQLite

    return partial(SQLite, path, PATIENCE, serves=True), sqlite3


def path_of(url: str) -> Path:
    """Return the file that an address of SQLite means."""
    name = re.sub("^sqlite:(//(?=/))?", "", url)
    if not name or name == ":memory:":
        raise ValueError("the database must be a file, as in sqlite:arena.db")
    return Path(name)


def _on_postgres(url: str) -> tuple[Callable[[], Connection], Any]:
    try:
        import psycopg
    except ImportError:
        raise ValueError(
            "PostgreSQL needs the extra: pip install 'driftduel[arena,postgres]'"
        ) from None
    from driftduel.arena.store.postgres import Postgres, check_url

    check_url(url)
    return partial(Postgres, url), psycopg


_OURS = {"meta", "arena", "event"}


def _check_database(path: Path, create: bool) -> None:
    """Raise ValueError if a file is something else: nothing is to be written into it."""
    with path.open("rb") as file:
        beginning = file.read(16)
    if beginning not in (b"", b"SQLite format 3\0"):
        raise ValueError(f"{path}: is not a database of SQLite")
    import sqlite3

    with suppress(sqlite3.Error), closing(sqlite3.connect(_read_only(path), uri=True)) as raw:
        tables = {name for (name,) in raw.execute("SELECT name FROM sqlite_master")}
        if not tables and not create:
            raise ValueError(f"{path}: is empty, and holds no polls")
        if tables and not tables >= _OURS:
            raise ValueError(f"{path}: holds tables of another program, and no polls")


def _read_only(path: Path) -> str:
    return f"{path.absolute().as_uri()}?mode=ro"
