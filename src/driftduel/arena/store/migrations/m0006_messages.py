"""Who is told when a poll changes, and the messages to them that wait, were sent or given up."""

from __future__ import annotations

STATEMENTS = (
    """CREATE TABLE receiver (
    id TEXT NOT NULL,
    arena INTEGER NOT NULL,
    kind TEXT NOT NULL,
    address TEXT NOT NULL,
    shape TEXT NOT NULL,
    secret TEXT NOT NULL,
    site TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    digest_at BIGINT,
    PRIMARY KEY (id),
    UNIQUE (arena, address),
    FOREIGN KEY (arena) REFERENCES arena (id)
)""",
    # due_at is when it is sent, or sent again if who claimed it did not say what became of it.
    """CREATE TABLE message (
    id TEXT NOT NULL,
    arena INTEGER NOT NULL,
    receiver TEXT NOT NULL,
    kind TEXT NOT NULL,
    body JSON NOT NULL,
    made_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    tries INTEGER NOT NULL,
    said TEXT NOT NULL,
    state TEXT NOT NULL,
    tried_at BIGINT,
    PRIMARY KEY (id),
    FOREIGN KEY (arena) REFERENCES arena (id),
    FOREIGN KEY (receiver) REFERENCES receiver (id)
)""",
    "CREATE INDEX message_by_due ON message (due_at) WHERE state = 'waiting'",
    "CREATE INDEX message_by_receiver ON message (receiver, made_at)",
)
