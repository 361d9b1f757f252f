"""The hash of a log: that of each event is of the hash before it, too, so the last vouches for all.

The row of an arena has the last hash. Whoever noted one can tell later whether anything before it
was changed, whoever had the database since. The name of a voter is no part of it: voters may be
forgotten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# Never edited: hashes that people noted are of these, in this order and form.
COLUMNS = (
    "arena", "seq", "at", "kind", "duel", "voter", "left", "right", "swapped", "ticket",
    "propensity", "context", "generation", "asked_at", "verdict", "reason", "target", "body",
)  # fmt: skip
_UNNAMED = {"arena": 0, "voter": None}
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def first_hash(slug: str, seed: int, created_at: int) -> str:
    """Return the hash before the first event: of what an arena was made with."""
    return _hash(["", slug, seed, created_at])


def next_hash(before: str, event: Mapping[str, Any]) -> str:
    """Return the hash up to an event, which is the same whatever database has it."""
    facts = {**event, **_UNNAMED}
    if facts["swapped"] is not None:
        facts["swapped"] = bool(facts["swapped"])
    if facts["propensity"] is not None:
        facts["propensity"] = float(facts["propensity"])
    if facts["ticket"] is not None:
        facts["ticket"] = bytes(facts["ticket"]).hex()
    return _hash([before, *(facts[name] for name in COLUMNS)])


def _hash(facts: list[Any]) -> str:
    return hashlib.sha256(_encode(facts).encode()).hexdigest()
