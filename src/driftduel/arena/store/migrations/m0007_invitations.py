"""Who is invited to a poll by a link of their own: the hash of the voter, and a name to tell it."""

from __future__ import annotations

STATEMENTS = (
    """CREATE TABLE invitation (
    arena INTEGER NOT NULL,
    voter TEXT NOT NULL,
    label TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (arena, voter),
    FOREIGN KEY (arena) REFERENCES arena (id)
)""",
)
