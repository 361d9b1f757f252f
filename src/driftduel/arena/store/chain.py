"""The hash of a log: that of each event is of the hash before it, too, so the last vouches for all.

The row of an arena has the last hash. Whoever noted one can tell later whether anything before it
was changed, whoever had the database since. The name of a voter is no part of it: voters may be
forgotten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

# Never edited: hashes that people noted are of these, in this order and form.
COLUMNS = (
    "arena", "seq", "at", "kind", "duel", "voter", "left", "right", "swapped", "ticket",
    "propensity", "context", "generation", "asked_at", "verdict", "reason", "target", "body",
)  # fmt: skip
_ANSWERS = ("vote", "skip")
_UNNAMED = {"arena": 0, "voter": None}
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def first_hash(slug: str, seed: int, created_at: int) -> str:
    """Return the hash before the first event: of what an arena was made with."""
    return _hash(["", slug, seed, created_at])


def next_hash(before: str, event: Mapping[str, Any]) -> str:
    """Return the hash up to an event, which is the same whatever database has it."""
    if event["kind"] in _ANSWERS and (text := _written(before, event)) is not None:
        return hashlib.sha256(text.encode()).hexdigest()
    facts = {**event, **_UNNAMED}
    if facts["swapped"] is not None:
        facts["swapped"] = bool(facts["swapped"])
    if facts["propensity"] is not None:
        facts["propensity"] = float(facts["propensity"])
    if facts["ticket"] is not None:
        facts["ticket"] = bytes(facts["ticket"]).hex()
    return _hash([before, *(facts[name] for name in COLUMNS)])


def _written(before: str, event: Mapping[str, Any]) -> str | None:
    """Return what is hashed of an answer to a duel, written by hand in half the time."""
    duel, context, chance, reason = map(event.__getitem__, _MAY_LACK)
    if duel is None or event["body"] is not None or event["target"] is not None:
        return None
    return (
        f'["{before}",0,{event["seq"]},{event["at"]},"{event["kind"]}",{_quoted(duel)},null,'
        f"{event['left']},{event['right']},{'true' if event['swapped'] else 'false'},"
        f'"{event["ticket"].hex()}",{"null" if chance is None else repr(float(chance))},'
        f"{'null' if context is None else _quoted(context)},{event['generation']},"
        f'{event["asked_at"]},"{event["verdict"]}",'
        f"{'null' if reason is None else _quoted(reason)},null,null]"
    )


_MAY_LACK = ("duel", "context", "propensity", "reason")


def _hash(facts: list[Any]) -> str:
    return hashlib.sha256(_encode(facts).encode()).hexdigest()
