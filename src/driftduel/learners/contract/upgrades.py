"""Files of learners in earlier formats, brought to the present one: a function for each step.

What a file holds is kept: parameters, the arrays of the state, counts, open duels with their
tickets, what happened, and the generator that chooses. A file of format 3 or later continues bit
for bit. Before that one generator served for choosing and for settling (checks, restarts,
schedules); since then settling has its own, so a learner from such a file settles with the
generator that a new learner with its seed begins with. It asks the same next duel as the code that
wrote the file would, and differs from then on only by what settling draws.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from driftduel._support.checks import as_count
from driftduel.learners.contract.base import settle_generator
from driftduel.learners.contract.session import MOST_OPEN

FORMAT = 6
"""The format that is written. Raise it when files change, and add the step from the one before."""

_Payload = dict[str, Any]

_LONGER = 64
"""So many notes more has the journal of format 4 than that of earlier files."""

_REPLACED = {"CalibratedMetaBosse": "DriftDuel"}


def upgrade(payload: _Payload) -> None:
    """Bring what a file of the present format or an earlier one holds to the present one.

    Raises
    ------
    ValueError
        If it holds a learner that there is no more.
    """
    for number in range(payload["driftduel_learner"], FORMAT):
        _STEPS[number](payload)
        payload["driftduel_learner"] = number + 1


def _from_1(payload: _Payload) -> None:
    """Say how many duels may be open, and that nothing is known of what the first files left out.

    Those had neither arms that came back, nor closed duels, nor the times of asking.
    """
    session = payload["session"]
    session.setdefault("max_open", MOST_OPEN)
    session.setdefault("expire", None)
    session.setdefault("activations", [])
    none = {"dtype": "|i1", "shape": [0], "bytes": ""}
    columns = dict.fromkeys(("step", "left", "right", "end"), none)
    session.setdefault("closed", {"first": 0, **columns})
    session["open"] = [row if len(row) > 4 else [*row, None] for row in session["open"]]


def _from_2(payload: _Payload) -> None:
    """Let settling begin with a generator of its own, as in a new learner with this seed."""
    seed = as_count(payload["learner"]["parameters"]["seed"], "seed", 0)
    payload["session"]["settle_generator"] = settle_generator(seed).bit_generator.state


def _from_3(payload: _Payload) -> None:
    """Say that nothing was folded, declared or taken off the offer; make room in journals.

    Files of format 3 differ among each other: each of this came at another time.
    """
    kind = payload["learner"]["class"]
    if kind in _REPLACED:
        raise ValueError(f"holds a {kind}, which {_REPLACED[kind]} replaced: make a new one")
    session = payload["session"]
    session.setdefault("folded", 0)
    session.setdefault("changes", [])
    session.setdefault("offered", None)
    short = 4 * payload["learner"]["parameters"]["n_arms"] + _LONGER
    for name, content in session["state"].items():
        if name.endswith("journal.notes") and content["shape"] == [short]:
            notes = b64decode(content["bytes"], validate=True)
            notes += bytes(len(notes) // short * _LONGER)
            content["shape"] = [short + _LONGER]
            content["bytes"] = b64encode(notes).decode("ascii")


def _from_4(payload: _Payload) -> None:
    """Let polls go on by the rules that they were made by, the first."""
    learner = payload["learner"]
    if learner["class"] == "DriftPoll":
        learner["parameters"].setdefault("rules", 1)
        nothing = {"dtype": "<f8", "shape": [1], "bytes": b64encode(bytes(8)).decode("ascii")}
        payload["session"]["state"].setdefault("state.discount", nothing)


def _from_5(payload: _Payload) -> None:
    """Begin to count votes by pairs: files had tosses by arm, which prove nothing together."""
    session = payload["session"]
    session.setdefault("counts", None)
    session.setdefault("before", None)
    state = session["state"]
    for name in [one for one in state if one.endswith("tally.arms")]:
        part = name.removesuffix("arms")
        (n_arms,) = state.pop(name)["shape"]
        of_pairs = state[f"{part}pairs"]["shape"] != [0, 0]
        side = 0 if of_pairs else n_arms
        tables = {"tossed": ("<i8", side), "won": ("<f8", side)}
        if not of_pairs:
            tables["pairs"] = ("<f8", n_arms)
            leads = b64decode(state[f"{part}leads"]["bytes"], validate=True)
            leads = session["told"].to_bytes(8, "little") + leads[8:]
            state[f"{part}leads"]["bytes"] = b64encode(leads).decode("ascii")
        for table, (kind, length) in tables.items():
            state[part + table] = _zeros(kind, [length, length])
        state[f"{part}number"] = _zeros("<i8", [1])


def _zeros(kind: str, shape: list[int]) -> dict[str, Any]:
    """Return an array of zeros, as files have it."""
    text = b64encode(bytes(8 * math.prod(shape))).decode("ascii")
    return {"dtype": kind, "shape": shape, "bytes": text}


_STEPS: dict[int, Callable[[_Payload], None]] = {
    1: _from_1,
    2: _from_2,
    3: _from_3,
    4: _from_4,
    5: _from_5,
}
