"""Learners in files: the configuration and the whole state as JSON, written atomically.

A file holds everything that the next round depends on: the parameters, the arrays of the state
bit for bit, both generators, the open duels with their tickets, and what happened so far. A
checksum over all of it tells a damaged file from a whole one.

Reading never imports what a file names. A learner is made from its parameters by a class that
the caller or this package knows, its state is made by `Learner._allocate`, and then the arrays of
the file are copied into it, so nothing of another shape or type can get in. What is in them is
held against the ranges that the learner declares (`driftduel.learners.contract.ranges`), for
kernels check nothing: a file that was damaged or made up is refused with a sentence.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import LONGEST, as_count, as_number
from driftduel._support.files import locked, replacing
from driftduel._support.version import __version__
from driftduel.learners.contract.base import Learner, learner_generator
from driftduel.learners.contract.history import Activation, Eviction, History, Replay
from driftduel.learners.contract.hooks import State
from driftduel.learners.contract.offer import Offer, offer_of, player_of
from driftduel.learners.contract.ranges import LONGEST_SESSION, check_state, check_ticket
from driftduel.learners.contract.report import Change
from driftduel.learners.contract.session import (
    OUTCOMES,
    REMEMBERED,
    WAYS_TO_CLOSE,
    Before,
    Session,
    is_told,
)
from driftduel.learners.contract.upgrades import FORMAT, upgrade
from driftduel.learners.contract.values import (
    arrays_of,
    decode,
    decode_array,
    decode_items,
    descr_of,
    encode,
    encode_array,
)
from driftduel.votes.proof.counts import Counts

_MANY_ARMS = 2048
_ARMS = ("arm", "beaten_by", "weight", "before", "after")
"""The fields of records of what happened that are arms."""

_CLOSED = ("step", "left", "right", "end")
"""The columns of the duels closed last."""

_OF_COUNTS = ("number", "since", "until", "grown")
_TABLES = ("wins", "tossed", "won")
"""What votes by pairs have: numbers, and a row and a column for each arm."""

Record = TypeVar("Record", Eviction, Activation, Replay, Change)


def save_learner(learner: Learner, path: str | os.PathLike[str]) -> None:
    """Write a learner to a JSON file, whole or not at all.

    Parameters
    ----------
    learner : Learner
        Any learner whose parameters are numbers, texts, arrays, lists or tuples of them, or
        dataclasses of such.
    path : path
        The file; one that exists is replaced.

    Raises
    ------
    ValueError
        If a parameter is of a kind that cannot be saved.
    """
    text = as_bytes(learner)
    with replacing(path) as temporary:
        temporary.write_bytes(text)


def load_learner(
    path: str | os.PathLike[str], learners: Mapping[str, type] | None = None
) -> Learner:
    """Read a learner that `Learner.save` wrote; it continues bit for bit.

    Duels asked before the learner was saved can be told to the learner read.

    Parameters
    ----------
    path : path
        The file. It need not be trusted: a state that could not be played on is refused.
    learners : mapping of str to class, optional
        Classes from outside the package by name, learners and what their parameters are made
        of; those of the package are known, and learners that installed packages hand on. If a
        learner from outside declares no ranges, nobody checks what its kernels are given, so
        read only files of it that you trust.

    Raises
    ------
    ValueError
        If the file is damaged, no learner, of a newer format or of an unknown class, or if a
        number in it is not one that the learner could have got to.

    Examples
    --------
    >>> import tempfile
    >>> import driftduel as dd
    >>> learner = dd.DriftPoll(3, labels=["tea", "coffee", "milk"])
    >>> duel = learner.ask()
    >>> file = Path(tempfile.mkdtemp()) / "drinks.json"
    >>> learner.save(file)
    >>> again = dd.load_learner(file)
    >>> again.tell(duel, 1.0)
    >>> again.rounds, again.labels
    (1, ('tea', 'coffee', 'milk'))
    """
    name = Path(path).name
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path}: is a folder, must be the file of a learner")
    return from_bytes(Path(path).read_bytes(), name, learners)


def as_bytes(learner: Learner) -> bytes:
    """Return what a file of a learner holds."""
    payload = as_payload(learner)
    payload["checksum"] = _checksum(payload)
    lines = [f"{json.dumps(key)}: {json.dumps(item)}" for key, item in payload.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def from_bytes(
    text: bytes, name: str = "learner", learners: Mapping[str, type] | None = None
) -> Learner:
    """Return the learner that `as_bytes` was given; see `load_learner`."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{name}: is not a learner, or cut short: it is not JSON") from None
    try:
        _check_envelope(payload)
        upgrade(payload)
        learner = decode(payload["learner"], learners or {})
        if not isinstance(learner, Learner):
            raise ValueError(f"holds a {type(learner).__name__}, which is no learner")
        learner.__dict__["_session"] = _decode_session(payload["session"], learner)
        learner.limit_open(payload["session"]["max_open"], payload["session"]["expire"])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    except MemoryError:
        raise ValueError(f"{name}: needs more memory than there is") from None
    except RecursionError:
        raise ValueError(f"{name}: is nested too deeply") from None
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError) as error:
        raise ValueError(f"{name}: is damaged ({error!r})") from None
    return learner


@contextmanager
def learner_file(
    path: str | os.PathLike[str], learners: Mapping[str, type] | None = None
) -> Iterator[Learner]:
    """Use a learner in a file that other processes may use too.

    The block holds a lock on the file, so that others wait. When it ends the learner is written
    back, whole, and is on the disk; if it raises, the file is left as it was.

    Parameters
    ----------
    path : path
        A file that `Learner.save` wrote; polls in files of ``driftduel new`` are for the command.
    learners : mapping of str to class, optional
        As for `load_learner`.

    Examples
    --------
    >>> import tempfile
    >>> import driftduel as dd
    >>> file = Path(tempfile.mkdtemp()) / "drinks.json"
    >>> dd.DriftPoll(3, labels=["tea", "coffee", "milk"]).save(file)
    >>> with dd.learner_file(file) as learner:
    ...     duel = learner.ask()
    >>> with dd.learner_file(file) as learner:  # any time later, in any process
    ...     learner.tell(duel.code, "left")
    >>> dd.load_learner(file).rounds
    1
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    with locked(path):
        learner = load_learner(path, learners)
        yield learner
        learner.save(path)


def as_payload(learner: Learner) -> dict[str, Any]:
    """Return everything that a learner is, as a file holds it, but for the checksum.

    Two learners are equal bit for bit if their payloads are.
    """
    session = learner._session
    with session.lock:
        return {
            "driftduel_learner": FORMAT,
            "written_by": __version__,
            "learner": encode(learner, type(learner).__name__),
            "session": _encode_session(session),
        }


def classes_of(learner: Learner) -> dict[str, type]:
    """Return the classes that a learner and its parameters are made of, by name.

    They are what `load_learner` has to be given if they come from outside the package.

    Examples
    --------
    >>> from driftduel.learners import FixedPair
    >>> sorted(classes_of(FixedPair(2)))
    ['Borda', 'FixedPair']
    """
    found: dict[str, type] = {}
    pending: list[Any] = [learner]
    while pending:
        value = pending.pop()
        if isinstance(value, tuple | list):
            pending.extend(value)
        elif is_dataclass(value) and not isinstance(value, type):
            found[type(value).__name__] = type(value)
            pending.extend(getattr(value, item.name) for item in fields(value))
    return found


def _checksum(payload: dict[str, Any]) -> str:
    canonical = json.dumps(payload, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _check_envelope(payload: Any) -> None:
    if not isinstance(payload, dict) or "driftduel_learner" not in payload:
        raise ValueError("is not a learner")
    if as_count(payload["driftduel_learner"], "the format", 1) > FORMAT:
        raise ValueError("was written by a newer driftduel, please update")
    checksum = payload.pop("checksum", None)
    if checksum != _checksum(payload):
        raise ValueError("is damaged, its checksum does not match")


def _encode_session(session: Session) -> dict[str, Any]:
    return {
        "name": session.name,
        "asked": session.asked,
        "told": session.told,
        "folded": session.folded,
        "open": [_encode_open(session, number) for number in session.open],
        "closed": _encode_closed(session.closed),
        "max_open": session.max_open,
        "expire": session.expire,
        **_encode_history(session.history),
        "before": None if session.before is None else _encode_before(session.before),
        "offered": None if session.offer is None else list(session.offer.arms),
        "generator": session.rng.bit_generator.state,
        "settle_generator": session.settle_rng.bit_generator.state,
        "state": {name: encode_array(array) for name, array in arrays_of(session.state)},
    }


def _encode_history(history: History) -> dict[str, Any]:
    counts = history.counts
    return {
        "episodes": list(history.episodes),
        "evictions": [
            [encode(value, "eviction") for value in astuple(item)] for item in history.evictions
        ],
        "activations": [astuple(item) for item in history.activations],
        "replays": list(history.replays),
        "changes": [astuple(item) for item in history.changes],
        "counts": None if counts is None else _encode_counts(counts),
    }


def _encode_counts(counts: Counts) -> dict[str, Any]:
    """Return votes by pairs, as files have them."""
    facts = {name: getattr(counts, name) for name in _OF_COUNTS}
    tables = {name: encode_array(getattr(counts, name)) for name in ("alike", *_TABLES)}
    return {**facts, "first": list(counts.first), **tables}


def _encode_before(before: Before) -> dict[str, Any]:
    return {
        "n_arms": before.n_arms,
        "arms": list(before.arms),
        "settle_generator": before.settle_rng.bit_generator.state,
        "state": {name: encode_array(array) for name, array in arrays_of(before.state)},
        "history": _encode_history(before.history),
    }


def _encode_open(session: Session, number: int) -> list[Any]:
    """Return an open duel; of one asked for votes only, its own propensity is the last value."""
    left, right, ticket = session.open[number]
    saved = [encode(value, "ticket") for value in ticket]
    row = [number, left, right, saved, session.asked_at.get(number)]
    if number in session.given:
        row.append(encode(session.given[number], "propensity"))
    return row


def _decode_session(content: dict[str, Any], learner: Learner) -> Session:
    asked = as_count(content["asked"], "asked", 0, LONGEST_SESSION)
    folded = as_count(content["folded"], "folded", 0, LONGEST_SESSION - asked)
    told = as_count(content["told"], "told", folded, asked + folded)
    offer = _decode_offer(content.get("offered"), learner)
    player = learner if offer is None else offer.player
    _check_size(player, content["state"])
    state = player._allocate()
    _fill(state, content["state"])
    check_state(player, state, told)
    before = content["before"]
    session = Session(
        state,
        _decode_generator(content["generator"]),
        _decode_generator(content["settle_generator"]),
        str(content["name"]),
        asked,
        told,
        folded,
        history=_decode_history(content, learner, told),
        offer=offer,
        before=None if before is None else _decode_before(before, learner, told),
    )
    for row in content["open"]:
        if len(row) not in (5, 6):
            raise ValueError(f"an open duel has {len(row)} values, must have 5 or 6")
        number, left, right, saved, asked_at, *given = row
        as_count(number, "duel", 0, asked - 1)
        if number in session.open:
            raise ValueError(f"duel {number} is open twice")
        for arm in (left, right):
            as_count(arm, "arm", 0, learner.n_arms - 1)
        ticket = tuple(float(decode(value, {})) for value in saved)
        check_ticket(learner, ticket, state, told)
        session.open[number] = (left, right, ticket)
        if asked_at is not None:
            session.asked_at[number] = as_number(asked_at, "time of asking", above=0)
        for chance in given:
            given_vote = float(decode(chance, {}))
            unknown = math.isnan(given_vote)
            session.given[number] = (
                math.nan if unknown else as_number(given_vote, "propensity", above=0, most=1)
            )
    session.closed = _decode_closed(content["closed"], session, learner)
    told_last = sum(is_told(how) for _, _, how in session.closed.values())
    as_count(told_last, "number of duels told last", 0, told - folded)
    closed = told - folded + len(session.closed) - told_last
    as_count(len(session.open), "number of open duels", 0, asked - closed)
    return session


def _decode_history(content: dict[str, Any], learner: Learner, told: int) -> History:
    counts = content["counts"]
    return History(
        episodes=[as_count(start, "episode", 0, told) for start in content["episodes"]],
        evictions=[_decode_record(Eviction, row, learner) for row in content["evictions"]],
        activations=[_decode_record(Activation, row, learner) for row in content["activations"]],
        replays=[_decode_record(Replay, row, learner) for row in content["replays"]],
        changes=[_decode_record(Change, row, learner) for row in content["changes"]],
        counts=None if counts is None else _decode_counts(counts, learner, told),
    )


def _decode_counts(content: dict[str, Any], learner: Learner, told: int) -> Counts:
    """Return votes by pairs, which can be no more than there were."""
    number, since, until, grown = (as_count(content[name], name, 0, told) for name in _OF_COUNTS)
    alike = decode_array(content["alike"])
    n_arms = len(alike)
    tables = [decode_array(content[name]) for name in _TABLES]
    first = [as_count(arm, "arm", 0, n_arms - 1) for arm in content["first"]]
    wins, tossed, won = tables
    if n_arms > learner.n_arms or any(table.shape != (n_arms, n_arms) for table in tables):
        raise ValueError("counts: must be of all arms")
    if alike.dtype != np.int64 or any(table.dtype != np.float64 for table in tables):
        raise ValueError("counts: must be numbers")
    met = wins + wins.T
    rounded = 1e-6 * (1 + told)  # sums of graded outcomes are
    fits = (won >= 0) & (won <= tossed) & (tossed <= met + rounded) & (won <= wins + rounded)
    wrong = ((alike < 0) | (alike > n_arms + 1)).any()
    if not fits.all() or met.sum() > 2 * told + rounded or wrong:
        raise ValueError("counts: must be of the votes that were told")
    return Counts(number, since, until, tuple(first), grown, alike, wins, tossed, won)


def _decode_before(content: dict[str, Any], learner: Learner, told: int) -> Before:
    """Return what there was when arms came or went first since the last outcome."""
    n_arms = as_count(content["n_arms"], "n_arms", 2, learner.n_arms)
    arms = tuple(as_count(arm, "arm", 0, n_arms - 1) for arm in content["arms"])
    if len(arms) < 2 or sorted(set(arms)) != list(arms) or not learner.can_change_arms:
        raise ValueError("the arms before must be two at least, in order")
    player = player_of(learner, arms)
    _check_size(player, content["state"])
    state = player._allocate()
    _fill(state, content["state"])
    check_state(player, state, told)
    rng = _decode_generator(content["settle_generator"])
    return Before(n_arms, arms, state, rng, _decode_history(content["history"], learner, told))


def _decode_offer(arms: list[Any] | None, learner: Learner) -> Offer | None:
    """Return which arms are on offer, two of them at least."""
    if arms is None:
        return None
    if not learner.can_change_arms:
        raise ValueError(f"{type(learner).__name__} cannot change its arms")
    listed = [as_count(arm, "arm on offer", 0, learner.n_arms - 1) for arm in arms]
    if len(listed) < 2 or sorted(set(listed)) != listed:
        raise ValueError("the arms on offer must be two at least, in order")
    return offer_of(learner, listed)


def _check_size(learner: Learner, saved: dict[str, Any]) -> None:
    """Raise ValueError if a learner has far more arms than its arrays: memory is taken for them."""
    if learner.n_arms <= _MANY_ARMS or not learner._per_arm:
        return
    for content in saved.values():
        if learner.n_arms in content["shape"] and learner.n_arms <= len(content["bytes"]):
            return
    raise ValueError(f"n_arms is {learner.n_arms}, but no array has an entry for each arm")


def _decode_record(kind: type[Record], row: list[Any], learner: Learner) -> Record:
    """Return what happened in some round, after checking each field by its name and type."""
    values = [decode(value, {}) for value in row]
    types = kind.__annotations__
    if len(values) != len(types):
        raise ValueError(
            f"{kind.__name__.lower()}: has {len(values)} values, must have {len(types)}"
        )
    for name, value in zip(types, values, strict=True):
        if types[name] == "float":
            if not isinstance(value, float):
                raise ValueError(f"{name} is {value!r}, must be a number")
        elif value is not None or "None" not in str(types[name]):
            most = learner.n_arms - 1 if name in _ARMS else LONGEST
            as_count(value, name, 0, most)
    return kind(*values)


def _decode_generator(content: dict[str, Any]) -> np.random.Generator:
    """Return the generator that goes on from a state, which must be one that it can be in."""
    rng = learner_generator(0)
    state = rng.bit_generator.state
    if content.keys() != state.keys() or content["bit_generator"] != state["bit_generator"]:
        raise ValueError(f"its generator must be a {state['bit_generator']}")
    number, step = content["state"]["state"], content["state"]["inc"]
    as_count(number, "the state of the generator", 0, 2**128 - 1)
    as_count(step, "the increment of the generator", 0, 2**128 - 1)
    if step % 2 == 0:  # only odd ones lead through all numbers, 0 leads nowhere
        raise ValueError("the increment of the generator must be odd")
    as_count(content["has_uint32"], "has_uint32", 0, 1)
    as_count(content["uinteger"], "uinteger", 0, 2**32 - 1)
    rng.bit_generator.state = content
    return rng


def _encode_closed(closed: Mapping[int, tuple[int, int, str]]) -> dict[str, Any]:
    """Return the duels closed last, a few bytes each; numbers as steps from one to the next."""
    rows = [(n, left, right, _encode_end(how)) for n, (left, right, how) in closed.items()]
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    first = int(columns[0, 0]) if rows else 0
    columns[0] = np.diff(columns[0], prepend=first)
    small = [encode_array(_as_small(column)) for column in columns]
    return {"first": first, **dict(zip(_CLOSED, small, strict=True))}


def _encode_end(how: str) -> int:
    """Return the number of a way to close, or of a graded outcome: its bits, above the others."""
    if how in WAYS_TO_CLOSE:
        return WAYS_TO_CLOSE.index(how)
    return len(WAYS_TO_CLOSE) + int(np.float64(how).view(np.int64))


def _decode_end(number: int, *, graded: bool) -> str:
    if number < len(WAYS_TO_CLOSE):
        return WAYS_TO_CLOSE[number]
    outcome = float(np.int64(number - len(WAYS_TO_CLOSE)).view(np.float64))
    if not graded or not 0 < outcome < 1 or outcome in OUTCOMES.values():
        raise ValueError("closed duels: end is wrong")
    return repr(outcome)


def _as_small(column: NDArray[np.int64]) -> NDArray[Any]:
    """Return whole numbers in the smallest type that holds them."""
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return next(small for kind in kinds if ((small := column.astype(kind)) == column).all())


def _decode_closed(
    content: dict[str, Any], session: Session, learner: Learner
) -> OrderedDict[int, tuple[int, int, str]]:
    columns = [decode_array(content[name]) for name in _CLOSED]
    if any(column.dtype.kind != "i" or column.ndim != 1 for column in columns):
        raise ValueError("closed duels: must be whole numbers")
    columns[0] = as_count(content["first"], "duel", 0, LONGEST) + np.cumsum(
        columns[0], dtype=np.int64
    )
    limits = (session.asked, learner.n_arms, learner.n_arms, np.iinfo(np.int64).max)
    for name, column, limit in zip(_CLOSED, columns, limits, strict=True):
        if len(column) != len(columns[0]) or ((column < 0) | (column >= limit)).any():
            raise ValueError(f"closed duels: {name} is wrong")
    rows = zip(*(column.tolist() for column in columns), strict=True)
    closed = OrderedDict(
        (n, (left, right, _decode_end(end, graded=learner._graded))) for n, left, right, end in rows
    )
    as_count(len(columns[0]), "number of closed duels", 0, REMEMBERED)
    if len(closed) < len(columns[0]) or closed.keys() & session.open.keys():
        raise ValueError("a duel is closed twice, or open and closed")
    return closed


def _fill(state: State, saved: dict[str, Any]) -> None:
    """Copy saved arrays into a fresh state of the same shapes and types."""
    targets = dict(arrays_of(state))
    if targets.keys() != saved.keys():
        raise ValueError("its arrays are not those of this version of the learner")
    for name, target in targets.items():
        content = saved[name]
        if content["dtype"] != descr_of(target) or content["shape"] != list(target.shape):
            raise ValueError(
                f"{name} has shape {content['shape']} and type {content['dtype']}, must have "
                f"{list(target.shape)} and {descr_of(target)}"
            )
        array = decode_items(content, target.dtype.newbyteorder("<"), name)
        if target.flags.writeable:
            target[...] = array
        elif target.tobytes() != array.tobytes():
            raise ValueError(f"{name} is not what the parameters of the learner give")
