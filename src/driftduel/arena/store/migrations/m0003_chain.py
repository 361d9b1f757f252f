"""The row of an arena has the hash of its log, a card its HTML; images of no card are gone.

HTML of cards that are there already is made when they are shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from driftduel.arena.store.chain import COLUMNS, first_hash, next_hash

STATEMENTS = (
    "ALTER TABLE arena ADD COLUMN chain TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE card ADD COLUMN html TEXT",
    "DELETE FROM blob WHERE NOT EXISTS (SELECT 1 FROM card WHERE card.blob = blob.sha256)",
)

_AT_ONCE = 10_000
_NAMES = '", "'.join(COLUMNS)
_EVENTS = (
    f'SELECT "{_NAMES}" FROM event '
    "WHERE arena = :number AND seq > :low AND seq <= :high ORDER BY seq"
)


def fill(execute: Callable[..., list[tuple[Any, ...]]]) -> None:
    """Write down the hash of each log as it is."""
    for number, slug, seed, created_at, head in execute(
        "SELECT id, slug, seed, created_at, head FROM arena ORDER BY id"
    ):
        chain = first_hash(slug, seed, created_at)
        for low in range(0, head, _AT_ONCE):
            for row in execute(_EVENTS, number=number, low=low, high=low + _AT_ONCE):
                event = dict(zip(COLUMNS, row, strict=True))
                if event["body"] is not None:
                    event["body"] = json.loads(event["body"])
                chain = next_hash(chain, event)
        execute("UPDATE arena SET chain = :chain WHERE id = :number", chain=chain, number=number)
