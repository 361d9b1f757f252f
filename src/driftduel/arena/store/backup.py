"""A copy of a whole database, taken while it is used: by the way that the database itself has."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from driftduel._support.files import replacing
from driftduel.arena.errors import Unavailable
from driftduel.arena.store.urls import database_of, path_of

_PAGES = 1_000
"""Pages of SQLite that are copied before writers get their turn."""


def back_up(url: str, file: str | os.PathLike[str]) -> None:
    """Copy a database to a file that is not there yet, all of it as of one moment.

    Of SQLite that is a file to serve; of PostgreSQL one that ``pg_restore`` reads.

    Raises
    ------
    ValueError
        If the address is none, or there is no such database.
    FileExistsError
        If the file is there.
    Unavailable
        If the database cannot be read.
    """
    target = Path(file)
    if target.exists():
        raise FileExistsError(f"{target}: is there already; a backup takes the place of nothing")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist")
    database_of(url, create=False)  # or say what is wrong with it
    with replacing(target) as temporary:
        if re.match("postgres(ql)?://", url):
            _dump(url, temporary)
        else:
            _copy(path_of(url), temporary)


def _copy(path: Path, target: Path) -> None:
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy, pages=_PAGES)
            ((found,),) = copy.execute("PRAGMA quick_check(1)")
            copy.execute("PRAGMA journal_mode=DELETE")  # one file has all of it
    except sqlite3.Error as error:
        raise Unavailable(f"{path}: cannot be copied: {error}") from None
    if found != "ok":
        raise Unavailable(f"{path}: is damaged, and so would its copy be: {found}")


def _dump(url: str, target: Path) -> None:
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    program = shutil.which("pg_dump")
    if program is None:
        raise ValueError("pg_dump is needed, which comes with PostgreSQL, and is not on PATH")
    facts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    password = facts.pop("password", None)  # everybody on a machine sees the words of a command
    done = subprocess.run(
        [program, "--format=custom", f"--file={target}", f"--dbname={make_conninfo(**facts)}"],
        check=False,  # what it says is told below
        env=os.environ | ({} if password is None else {"PGPASSWORD": password}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise Unavailable(f"pg_dump: {done.stderr.strip().partition(chr(10))[0]}")
