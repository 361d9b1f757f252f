"""Files of learners in earlier formats, brought to the present one: a function for each step.

What a file holds is kept: parameters, the arrays of the state, counts, open duels with their
tickets, what happened, and the generator that chooses. A file of format 3 or later continues bit
for bit, but for DRIFTDUEL, of which the rule changed with format 7. Before format 3 one generator
served for choosing and for settling (checks, restarts, schedules); since then settling has its own,
so a learner from such a file settles with the generator that a new learner with its seed begins
with. It asks the same next duel as the code that wrote the file would, and differs from then on
only by what settling draws.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import as_count
from driftduel.learners.contract.base import settle_generator
from driftduel.learners.contract.session import MOST_OPEN

FORMAT = 7
"""The format that is written. Raise it when files change, and add the step from the one before."""

_Payload = dict[str, Any]

_LONGER = 64
"""So many notes more has the journal of format 4 than that of earlier files."""

_NEW_NUMBERS = {
    "watch": 0.24,
    "pair_urge": 2.0,
    "hazard": 0.5,
    "shift_power": 1.4,
    "alarm": 8.0,
    "more_alarm": 1.2,
    "undecided": 3.0,
    "noise": 0.5,
    "close": 0.7,
    "lasting": 0.97,
    "behind": 3.0,
    "behind_share": 0.2,
    "even_duels": 200.0,
    "retest": 1.0,
    "floor": 0.015,
    "rise": 5.0,
}
"""The constants of DRIFTDUEL that came or changed with format 7."""

_FIELDS = {
    name: fields.split()
    for name, fields in {
        "rule": (
            "scored uniform weak likely_at proved_at hope share depose prior mixed patience "
            "throttle watch urge pair_urge hazard shift_hazard shift_power alarm more_alarm "
            "keep most undecided audit background doubt sway return_doubt trial_share "
            "trial_cost most_trial old_duels clear likely proof replay_rate noise close "
            "lasting behind behind_share even_duels retest floor rise"
        ),
        "plan": (
            "total trial look audit background extra challenge retest rise extras rises "
            "challenger contested blocker audited witness"
        ),
        "arms": (
            "against behind ahead recent recent_wins n sum score variance surprise extra met "
            "met_lost rise leap again risen calm_n calm_sum odd_n odd_sum stale noted back"
        ),
    }.items()
}
"""What records of DRIFTDUEL hold in format 7, in order."""

_WHOLE = {
    "rule": (),
    "plan": ("contested", "blocker"),
    "arms": ("behind", "ahead", "risen"),
}
"""New ones that are whole numbers."""

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


def _from_6(payload: _Payload) -> None:
    """Let DRIFTDUEL go on by its new rule, from what it knows of pairs and of scores.

    Ties so far were half a win for both, and stay that. Nobody has risen.
    """
    learner = payload["learner"]
    if learner["class"] != "DriftDuel":
        return
    state = payload["session"]["state"]
    given = learner["parameters"].get("calibration")
    numbers = {**_NEW_NUMBERS, **(given["parameters"] if given else {})}
    rule, plan, arms = (_widened(state[f"state.{name}"], name) for name in _FIELDS)
    for name, number in numbers.items():
        rule[name] = float(number["float"]) if isinstance(number, dict) else number
    if rule["scored"][0]:
        rule["noise"] = 0.0
    plan["contested"] = plan["blocker"] = -1
    wins = _table(state["state.wins"])
    arms["ahead"] = (wins > wins.T).sum(axis=1)
    arms["behind"] = (wins < wins.T).sum(axis=1)
    for name, array in (("rule", rule), ("plan", plan), ("arms", arms)):
        state[f"state.{name}"] = _content(array)
    for name in ("ties", "young_ties"):
        state[f"state.{name}"] = _content(np.zeros(wins.shape))


def _table(content: _Payload) -> NDArray[np.float64]:
    return np.frombuffer(b64decode(content["bytes"], validate=True)).reshape(content["shape"])


def _widened(content: _Payload, name: str) -> NDArray[Any]:
    """Return the records of a file with the fields of format 7; new ones are 0."""
    old = np.dtype([(name, kind) for name, kind in content["dtype"]])
    known = np.frombuffer(b64decode(content["bytes"], validate=True), old)
    kinds: dict[str, str] = {str(field): str(kind) for field, kind in content["dtype"]}
    kinds.update(dict.fromkeys(_WHOLE[name], "<i8"))
    wide = np.zeros(known.shape, [(field, kinds.get(field, "<f8")) for field in _FIELDS[name]])
    for field in old.names or ():
        wide[field] = known[field]
    return wide


def _content(array: NDArray[Any]) -> _Payload:
    """Return an array as files hold it."""
    records = array.dtype.names is not None
    return {
        "dtype": [list(field) for field in array.dtype.descr] if records else "<f8",
        "shape": list(array.shape),
        "bytes": b64encode(array.tobytes()).decode("ascii"),
    }


_STEPS: dict[int, Callable[[_Payload], None]] = {
    1: _from_1,
    2: _from_2,
    3: _from_3,
    4: _from_4,
    5: _from_5,
    6: _from_6,
}
