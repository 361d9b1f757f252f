"""The state of a copy as bytes, and the version of the code that makes such states."""

from __future__ import annotations

import base64
import json
import zlib
from array import array
from functools import cache

import numpy as np

from driftduel._support.sources import closure, code_hash, package_module
from driftduel.arena.model import Arm
from driftduel.arena.replica import Replica, Standing, Tally
from driftduel.learners.contract.storage import as_bytes, from_bytes
from driftduel.learners.driftpoll.learner import DriftPoll


@cache
def code() -> str:
    """Return the version of the code whose states are alike."""
    replica = package_module(Replica.__module__)
    assert replica is not None
    return f"{code_hash(closure([replica], in_functions=True))} numpy {np.__version__}"


def packed(replica: Replica) -> bytes:
    """Return all of a copy but its marks."""
    with replica.lock:
        learner = None if replica.learner is None else as_bytes(replica.learner).decode()
        tally = {name: column.tolist() for name, column in vars(replica.tally).items()}
        facts = {
            "head": replica.head,
            "generation": replica.generation,
            "arms": [[arm.id, arm.slug, arm.name, arm.offered] for arm in replica.arms.values()],
            "times": base64.b64encode(replica.times.tobytes()).decode(),
            **tally,
            "sides": replica.sides.tolist(),
            "offers": replica.offers,
            "standing": replica.standing,
            "learner": learner,
        }
    return zlib.compress(json.dumps(facts).encode(), 1)


def unpacked(text: bytes, seed: int) -> Replica:
    """Return the copy that `packed` was given, without marks."""
    facts = json.loads(zlib.decompress(text))
    replica = Replica(seed)
    replica.head, replica.generation = facts["head"], facts["generation"]
    replica.arms = {row[0]: Arm(*row) for row in facts["arms"]}
    replica.times = array("q", base64.b64decode(facts["times"]))
    duels, bad, skips = (np.array(facts[name], np.int64) for name in ("duels", "bad", "skips"))
    replica.tally = Tally(duels, np.array(facts["wins"], np.float64), bad, skips)
    replica.sides = np.array(facts["sides"], np.int64)
    replica.offers = [(at, arms) for at, arms in facts["offers"]]
    if facts["standing"] is not None:
        replica.standing = Standing(*facts["standing"])
    if facts["learner"] is not None:
        learner = from_bytes(facts["learner"].encode())
        if not isinstance(learner, DriftPoll):
            raise ValueError("the learner is another one")
        replica.learner = learner
    replica.find_slots()
    return replica
