"""Since when pairs are anchors as they are: events of settings, of cards and of releases."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from driftduel.arena.model import Arm
from driftduel.arena.store.connection import Connection

_QUERY = (
    "SELECT at, kind, body FROM event WHERE arena = :number "
    "AND kind IN ('settings', 'release') ORDER BY seq"
)


def begun(
    connection: Connection,
    number: int,
    pairs: Sequence[tuple[int, int]],
    arms: Mapping[int, Arm],
) -> dict[tuple[int, int], int]:
    """Return since when each pair, its lower number first, is an anchor with the same options.

    It was from the beginning if no event says when it became one.
    """
    since = {(min(pair), max(pair)): 0 for pair in pairs}
    named = {"+".join(sorted(arms[one].slug for one in pair)): pair for pair in since}
    anchored: set[str] = set()
    for at, kind, text in connection.execute(_QUERY, number=number):
        body = json.loads(text)
        if kind == "release":
            if "gone" in body:
                continue
            touched = [pair for pair in since if body["option"] is None or body["option"] in pair]
        elif "card" in body:
            touched = [pair for pair in since if body["card"] in {arms[one].slug for one in pair}]
        elif "anchor_pairs" in body:
            now = set(body["anchor_pairs"])
            touched = [named[text] for text in now - anchored if text in named]
            anchored = now
        else:
            continue
        since.update(dict.fromkeys(touched, at))
    return since
