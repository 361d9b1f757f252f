"""The hash of a log is what its definition says, whichever way it is written."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from driftduel.arena.store import chain

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
WHOLE = st.integers(0, 2**63 - 1)
EVENTS = st.fixed_dictionaries(
    {
        "arena": WHOLE,
        "seq": WHOLE,
        "at": WHOLE,
        "kind": st.sampled_from(["vote", "skip", "import", "retract", "arms"]),
        "duel": TEXT | st.none(),
        "voter": TEXT | st.none(),
        "left": st.integers(0, 999),
        "right": st.integers(0, 999),
        "swapped": st.sampled_from([True, False, 0, 1]),
        "ticket": st.binary(max_size=24),
        "propensity": st.floats(0, 1) | st.none(),
        "context": TEXT | st.none(),
        "generation": st.integers(0, 99),
        "asked_at": WHOLE,
        "verdict": st.sampled_from(["left", "right", "tie", "bad", "skip"]),
        "reason": st.sampled_from(["cap", "excluded"]) | st.none(),
        "target": WHOLE | st.none(),
        "body": st.none() | st.just({"b": "é", "a": [1, 2.5]}),
    }
)


def by_definition(before, event):
    """The hash of the hash before and all columns as JSON, without arena and voter."""
    columns = [before, 0]
    for name in chain.COLUMNS[1:]:
        fact = None if name == "voter" else event[name]
        if name == "swapped":
            fact = bool(fact)
        if name == "ticket":
            fact = fact.hex()
        columns.append(fact)
    text = json.dumps(columns, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@given(EVENTS)
def test_a_hash_is_that_of_all_columns(event):
    before = chain.first_hash("drinks", 1, 2)
    assert chain.next_hash(before, event) == by_definition(before, event)


def test_who_voted_and_the_number_of_the_arena_are_no_part_of_it():
    event = dict.fromkeys(chain.COLUMNS)
    changed = {**event, "arena": 7, "voter": "ann"}
    assert chain.next_hash("a", event) == chain.next_hash("a", changed)
