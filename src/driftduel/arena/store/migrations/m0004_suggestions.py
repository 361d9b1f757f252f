"""Options that voters suggest wait for the owner; one that was declined is not suggested again."""

from __future__ import annotations

STATEMENTS = (
    """CREATE TABLE suggestion (
    arena INTEGER NOT NULL,
    name TEXT NOT NULL,
    voter TEXT NOT NULL,
    at BIGINT NOT NULL,
    declined BOOLEAN NOT NULL,
    PRIMARY KEY (arena, name),
    FOREIGN KEY (arena) REFERENCES arena (id)
)""",
)
