"""Tickets as rows of an array: how long those of a learner are, and the kernels that read them.

The length of a tuple is part of its type, so there is one kernel for each length.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, cast

import numpy as np

from driftduel._support.compile.entries import entry
from driftduel._support.compile.jit import bind_kernels, inline_kernel
from driftduel.learners.contract.base import Learner
from driftduel.learners.parts.arrays import Floats


def ticket_length(learner: Learner) -> int:
    """Return how many numbers a ticket of a learner has."""
    if learner._ticket is not None:
        return len(learner._ticket)
    rng = np.random.default_rng(0)
    return len(entry(learner._choose)(learner._start(rng), rng)[2])


def ticket_kernel(length: int) -> Any:
    """Return the kernel that reads a ticket of so many numbers from the beginning of a row.

    Examples
    --------
    >>> ticket_kernel(3)(np.array([0.25, 1.0, 7.0, 9.0]))
    (0.25, 1.0, 7.0)
    """
    reader: Any = ticket_of_one
    for _ in range(length - 1):
        reader = bind_kernels(cast(FunctionType, longer_ticket), ("shorter_ticket",), (reader,))
    return reader


@inline_kernel
def ticket_of_one(row: Floats) -> tuple[float]:
    """Return the ticket in a row, a single number."""
    return (float(row[0]),)


def longer_ticket(row):  # type: ignore[no-untyped-def]
    """Return a ticket of one number more; ``shorter_ticket`` is bound by `ticket_kernel`."""
    shorter = shorter_ticket(row)  # type: ignore[name-defined]  # noqa: F821
    return shorter + (float(row[len(shorter)]),)  # noqa: RUF005
