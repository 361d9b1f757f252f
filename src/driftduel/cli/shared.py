"""What commands share: options, reading texts the user gives, and being interrupted."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Param = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="KEY=VALUE", help="Set a parameter; may be given often."),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Processes on this machine; one for every core if left out."),
]


class Stopped(Exception):  # noqa: N818
    """The user interrupted a command that has more to say than that; the message says it."""


class Conflict(ValueError):  # noqa: N818
    """What the user says does not go with what was said before; the message says how."""


@contextmanager
def resumable(folder: Path, program: str = "driftduel") -> Iterator[None]:
    """Tell a user who interrupts the block that nothing finished is lost, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(
            f"interrupted; what is finished is kept in {folder}, go on with: "
            f"{program} {shlex.join(sys.argv[1:])}"
        ) from None


def processes(workers: int | None) -> int:
    """Return how many processes to use if the user asks for ``workers``."""
    if workers is None and hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return workers or os.cpu_count() or 1


def as_names(text: str, option: str) -> list[str]:
    """Split ``a,b,c`` into names.

    Examples
    --------
    >>> as_names("tea, coffee", "--arms")
    ['tea', 'coffee']
    >>> as_names("tea,,coffee", "--arms")
    Traceback (most recent call last):
        ...
    ValueError: --arms: name 2 is empty
    """
    from driftduel._support.checks import check_printable

    names = [name.strip() for name in text.split(",")]
    for number, name in enumerate(names, start=1):
        if not name:
            raise ValueError(f"{option}: name {number} is empty")
    check_printable(names, option)
    return names


def as_numbers(text: str, option: str) -> list[float]:
    """Split ``0.5,0.3,0.2`` into numbers.

    Examples
    --------
    >>> as_numbers("0.5,half", "--weight")
    Traceback (most recent call last):
        ...
    ValueError: --weight: number 2 is 'half', must be a number
    """
    numbers = []
    for place, part in enumerate(text.split(","), start=1):
        try:
            numbers.append(float(part))
        except ValueError:
            raise ValueError(f"{option}: number {place} is {part!r}, must be a number") from None
    return numbers


def as_pairs(texts: Iterable[str], option: str = "--param") -> dict[str, str]:
    """Split texts of the form KEY=VALUE.

    Examples
    --------
    >>> as_pairs(["n_arms=5", "kind=sst"])
    {'n_arms': '5', 'kind': 'sst'}
    >>> as_pairs(["n_arms"])
    Traceback (most recent call last):
        ...
    ValueError: --param is 'n_arms', must be KEY=VALUE
    """
    pairs: dict[str, str] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise ValueError(f"{option} is {text!r}, must be KEY=VALUE")
        if key.strip() in pairs:
            raise ValueError(f"{option}: {key.strip()!r} is given twice")
        pairs[key.strip()] = value.strip()
    return pairs
