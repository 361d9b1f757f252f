"""What a sentence says would mend a file of votes: an option of the command, or an argument.

Who reads the sentence decides: people who call the command know its options, those who call a
function its arguments.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

OWN_OPTION = ("time", "left", "right", "winner")
"""Roles of columns that have an option of their own."""

_commanding = ContextVar("commanding", default=False)


@contextmanager
def for_the_command() -> Iterator[None]:
    """Name options of the command in what is raised in the block, instead of arguments."""
    token = _commanding.set(True)
    try:
        yield
    finally:
        _commanding.reset(token)


def either(command: str, python: str) -> str:
    """Return what fits who reads it.

    Examples
    --------
    >>> either("--no-header", "header=False")
    'header=False'
    >>> with for_the_command():
    ...     either("--no-header", "header=False")
    '--no-header'
    """
    return command if _commanding.get() else python


def columns(**roles: str) -> str:
    """Return how to say what columns are called.

    Examples
    --------
    >>> columns(left="Option A", left_won="y")
    "columns={'left': 'Option A', 'left_won': 'y'}"
    >>> with for_the_command():
    ...     columns(left="Option A", left_won="y", voter="who")
    "--left 'Option A' --columns left_won=y,voter=who"
    """
    own = {role: name for role, name in roles.items() if role in OWN_OPTION}
    others = [f"{role}={name}" for role, name in roles.items() if role not in OWN_OPTION]
    said = [f"--{role} {shlex.quote(name)}" for role, name in own.items()]
    said += [f"--columns {shlex.quote(','.join(others))}"] if others else []
    return either(" ".join(said), f"columns={roles}")


def only(column: str, value: str) -> str:
    """Return how to ask for some of the votes.

    Examples
    --------
    >>> only("language", "en")
    "only='language=en'"
    """
    said = f"{column}={value}"
    return either(f"--only {shlex.quote(said)}", f"only={said!r}")


def values(meanings: Mapping[str, str]) -> str:
    """Return how to say what cells of winners mean.

    Examples
    --------
    >>> values({"1": "left", "5": "right"})
    "values={'1': 'left', '5': 'right'}"
    """
    said = ",".join(f"{value}={meaning}" for value, meaning in meanings.items())
    return either(f"--values {shlex.quote(said)}", f"values={dict(meanings)}")
