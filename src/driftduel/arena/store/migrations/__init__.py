"""The tables as they came to be: numbered steps forward, each a module of statements.

A new database takes all steps, an older one those it lacks, in one transaction: one that fails
leaves what was there. A step that landed is never edited; what changes next is a new step. They are
written for PostgreSQL; SQLite has other words for a few types. What statements cannot compute a
step has in a function ``fill``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

Dialect = Literal["sqlite", "postgresql"]

STEPS = (
    "m0001_log",
    "m0002_rules",
    "m0003_chain",
    "m0004_suggestions",
    "m0005_fields",
    "m0006_messages",
    "m0007_invitations",
)

SCHEMA = len(STEPS)
"""The version of the tables; a program refuses those of a newer one."""

_IN_SQLITE = {"SERIAL": "INTEGER", "BYTEA": "BLOB", "DOUBLE PRECISION": "DOUBLE"}
_ONLY_IN_SQLITE = " WITHOUT ROWID"


def migrate(execute: Callable[..., Any], dialect: Dialect, version: int) -> None:
    """Take all steps after a version, 0 if there are no tables; the caller has the transaction."""
    for step in STEPS[version:]:
        module = import_module(f"{__name__}.{step}")
        for statement in module.STATEMENTS:
            execute(_in(dialect, statement))
        if hasattr(module, "fill"):
            module.fill(execute)
    execute("DELETE FROM meta WHERE key = 'schema'")
    execute(f"INSERT INTO meta (key, value) VALUES ('schema', '{SCHEMA}')")


def checked(version: str) -> int:
    """Return the version of tables that are there.

    Raises
    ------
    ValueError
        If this program does not know them.
    """
    if int(version) > SCHEMA:
        raise ValueError(
            f"has schema {version}, made by a newer driftduel; this one knows {SCHEMA}, please "
            "update"
        )
    if int(version) < 1:
        raise ValueError(f"has schema {version}, must be 1 to {SCHEMA}")
    return int(version)


def _in(dialect: Dialect, statement: str) -> str:
    if dialect == "postgresql":
        return statement.replace(_ONLY_IN_SQLITE, "")
    return re.sub("|".join(_IN_SQLITE), lambda found: _IN_SQLITE[found[0]], statement)
