"""The state of a copy as bytes, and the version of the code that makes such states."""

from __future__ import annotations

import base64
import json
import zlib
from array import array
from functools import cache
from typing import Any

import numpy as np

from driftduel._support.sources import closure, code_hash, package_module
from driftduel.arena.model import Arm
from driftduel.arena.replica import ArmCounts, EarlierLead, Replica
from driftduel.arena.versions import Rules
from driftduel.learners.contract.storage import as_bytes, from_bytes


@cache
def code() -> str:
    """Return the version of the code whose states are alike."""
    replica = package_module(Replica.__module__)
    assert replica is not None
    return f"{code_hash(closure([replica], in_functions=True))} numpy {np.__version__}"


def packed(replica: Replica) -> bytes:
    """Return all of a copy but its marks."""
    with replica.lock:
        facts = {
            "rules": replica.rules.name,
            **_facts(replica),
            "shifts": replica.shifts,
            "eras": replica.eras,
            "votes": base64.b64encode(replica.votes.tobytes()).decode(),
            "tossed": base64.b64encode(replica.tossed.tobytes()).decode(),
            "times": base64.b64encode(replica.times.tobytes()).decode(),
            "kept": [_facts(one) for one in replica.kept],
        }
    return zlib.compress(json.dumps(facts).encode(), 1)


def unpacked(text: bytes, seed: int, rules: Rules) -> Replica:
    """Return the copy that `packed` was given, without marks.

    Raises
    ------
    ValueError
        If it was folded by other rules, or is damaged.
    """
    facts = json.loads(zlib.decompress(text))
    if facts["rules"] != rules.name:
        raise ValueError(f"the rules are {facts['rules']}, must be {rules.name}")
    replica = _from_facts(facts, seed, rules)
    replica.times = array("q", base64.b64decode(facts["times"]))
    replica.votes = array("I", base64.b64decode(facts["votes"]))
    replica.tossed = array("B", base64.b64decode(facts["tossed"]))
    replica.eras = [(first, generation) for first, generation in facts["eras"]]
    replica.shifts = [(round_, apart) for round_, apart in facts["shifts"]]
    replica.kept = [_from_facts(one, seed, rules) for one in facts["kept"]]
    return replica


def _facts(replica: Replica) -> dict[str, Any]:
    """Return what a state is, but for the votes of its rounds."""
    tally = {name: column.tolist() for name, column in vars(replica.tally).items()}
    return {
        "head": replica.head,
        "generation": replica.generation,
        "arms": [[arm.id, arm.slug, arm.name, arm.offered] for arm in replica.arms.values()],
        "said": replica.said,
        **tally,
        "sides": replica.sides.tolist(),
        "offers": replica.offers,
        "sizes": [[generation, *sizes] for generation, sizes in replica.sizes.items()],
        "standing": replica.standing,
        "learner": None if replica.learner is None else as_bytes(replica.learner).decode(),
    }


def _from_facts(facts: dict[str, Any], seed: int, rules: Rules) -> Replica:
    """Return the state that `_facts` was given."""
    replica = Replica(seed, rules)
    replica.head, replica.generation = facts["head"], facts["generation"]
    replica.arms = {row[0]: Arm(*row) for row in facts["arms"]}
    duels, bad, skips = (np.array(facts[name], np.int64) for name in ("duels", "bad", "skips"))
    replica.tally = ArmCounts(duels, np.array(facts["wins"], np.float64), bad, skips)
    replica.sides = np.array(facts["sides"], np.int64)
    replica.offers = [(at, arms) for at, arms in facts["offers"]]
    replica.sizes = {generation: (known, offered) for generation, known, offered in facts["sizes"]}
    replica.said = [(seq, kind, body) for seq, kind, body in facts["said"]]
    if facts["standing"] is not None:
        replica.standing = EarlierLead(*facts["standing"])
    if facts["learner"] is not None:
        replica.learner = from_bytes(facts["learner"].encode())
        if type(replica.learner).__name__ != rules.learner:
            raise ValueError("the learner is another one")
    replica.find_slots()
    return replica
