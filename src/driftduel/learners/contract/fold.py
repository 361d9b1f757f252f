"""Many outcomes told at once, compiled: how a copy follows a log of duels asked elsewhere.

The loop is written once and bound to the kernels of each learner, as that of `simulate` is. What it
is given is checked before the first outcome is learned, for kernels check nothing.
"""

from __future__ import annotations

from types import FunctionType
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter, as_floats
from driftduel._support.compile.entries import entry
from driftduel._support.compile.jit import bind_kernels
from driftduel._support.interrupts import defer_interrupts
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.ranges import check_tickets
from driftduel.learners.contract.session import OUTCOMES, Session
from driftduel.learners.parts.tickets import ticket_kernel, ticket_length

_CHUNK = 2**14
"""Rounds that an interrupt waits for."""

_NAMES = ("learn", "settle", "full", "ticket_of")


def fold_into(
    session: Session,
    learner: Learner,
    left: ArrayLike,
    right: ArrayLike,
    tickets: ArrayLike,
    outcomes: ArrayLike,
) -> None:
    """Tell outcomes to the learner whose session this is; its user holds the lock.

    See `Learner.fold`.
    """
    lefts, rights, rows, results = _check(session, learner, left, right, tickets, outcomes)
    if len(rows) > 0:
        session.before = None
    if session.offer is not None:
        session.offer.duels_of_rows(lefts, rights, rows, results)
    kernels = learner._learn, learner._settle, learner._full, ticket_kernel(rows.shape[1])
    tell_on = bind_kernels(cast(FunctionType, tell_rounds), _NAMES, kernels)
    done = 0
    while done < len(rows):
        part = slice(done, done + _CHUNK)
        chunk = lefts[part], rights[part], rows[part], results[part]
        with defer_interrupts():
            n = int(entry(tell_on)(session.state, session.settle_rng, *chunk))
            session.collect(learner)
            session.told += n
            session.folded += n
        done += n


def tell_rounds(state, rng, left, right, tickets, outcomes):  # type: ignore[no-untyped-def]
    """Tell outcomes until the journal is full; return how many.

    The kernels of a learner, and the one that reads its tickets, are bound by `fold_into`.
    """
    for n in range(outcomes.shape[0]):
        ticket = ticket_of(tickets[n])  # type: ignore[name-defined]  # noqa: F821
        if learn(state, int(left[n]), int(right[n]), ticket, float(outcomes[n])):  # type: ignore[name-defined]  # noqa: F821
            settle(state, rng)  # type: ignore[name-defined]  # noqa: F821
            if full(state):  # type: ignore[name-defined]  # noqa: F821
                return n + 1
    return outcomes.shape[0]


def _check(
    session: Session,
    learner: Learner,
    left: ArrayLike,
    right: ArrayLike,
    tickets: ArrayLike,
    outcomes: ArrayLike,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return copies of what can all be told, in arrays."""
    length = ticket_length(learner)
    rows = np.array(as_floats(tickets, "tickets"))  # copied: nobody changes it after it is checked
    if rows.size == 0:
        rows = rows.reshape(0, length)
    if rows.ndim != 2 or rows.shape[1] != length:
        raise BadParameter(
            "tickets", f": have shape {rows.shape}, must be rows of {length}, as Duel.ticket is"
        )
    lefts = _as_arms(left, "left", learner, len(rows))
    rights = _as_arms(right, "right", learner, len(rows))
    results = _as_column(outcomes, "outcomes", len(rows))
    allowed = np.isin(results, list(OUTCOMES.values()))
    if learner._graded:
        allowed = (results >= 0) & (results <= 1)
    for n in np.flatnonzero(~allowed)[:1]:
        rule = "from 0 to 1" if learner._graded else "1, 0 or 0.5"
        raise BadParameter("outcomes", f"[{n}] = {results[n]:g}, must be {rule}")
    for n in np.flatnonzero((lefts == rights) & (results != OUTCOMES["tie"]))[:1]:
        raise BadParameter(
            "outcomes", f"[{n}] = {results[n]:g} of arm {lefts[n]} against itself, must be 0.5"
        )
    told = session.told + len(rows)
    if len(rows) > 0:
        learner._check_horizon(told)
    check_tickets(learner, rows, session.state, told)
    return lefts, rights, rows, results


def _as_arms(values: ArrayLike, name: str, learner: Learner, length: int) -> NDArray[np.int64]:
    column = _as_column(values, name, length)
    exist = (column >= 0) & (column < learner.n_arms) & (column == np.floor(column))
    for n in np.flatnonzero(~exist)[:1]:
        raise BadParameter(
            name, f"[{n}] = {column[n]:g}, must be an arm from 0 to {learner.n_arms - 1}"
        )
    return column.astype(np.int64)


def _as_column(values: ArrayLike, name: str, length: int) -> NDArray[np.float64]:
    column = np.array(as_floats(values, name))
    if column.shape != (length,):
        raise BadParameter(
            name, f": has shape {column.shape}, must be ({length},), as there are tickets"
        )
    return column
