"""Open pairs and votes may have fields, as JSON; which values a field of a poll has is counted."""

from __future__ import annotations

STATEMENTS = (
    "ALTER TABLE duel ADD COLUMN fields TEXT",
    "ALTER TABLE event ADD COLUMN fields TEXT",
    """CREATE TABLE field (
    arena INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (arena, name, value),
    FOREIGN KEY (arena) REFERENCES arena (id)
)""",
)
