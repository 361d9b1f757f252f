"""``driftduel learners``: who plays, and what each can be told."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftduel.cli.shared import Json, console, print_json

if TYPE_CHECKING:
    from driftduel.learners import Learner


def learners(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A learner; all if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the learners, or tell everything about one."""
    if name is None:
        _list(as_json)
    else:
        _describe(name, as_json)


def learner_class(name: str) -> type[Learner]:
    """Return the learner of that name."""
    from driftduel.learners import all_learners

    known = all_learners()
    if name not in known:
        raise ValueError(f"no learner is called {name!r}, there are {', '.join(sorted(known))}")
    return known[name]


def defaults_of(kind: type[Learner]) -> dict[str, Any]:
    """Return the parameters of a learner with their defaults; MISSING where there is none."""
    return {
        item.name: item.default if item.default_factory is MISSING else item.default_factory()
        for item in fields(kind)
        if item.init
    }


def _list(as_json: bool) -> None:
    from driftduel.learners import all_learners

    lines = {name: _docstring(kind).splitlines()[0] for name, kind in all_learners().items()}
    if as_json:
        print_json(lines)
        return
    from driftduel.cli.tables import plain_table

    table = plain_table("learner", "what it does")
    for name, line in sorted(lines.items()):
        table.add_row(name, line)
    console().print(table)


def _describe(name: str, as_json: bool) -> None:
    kind = learner_class(name)
    defaults = defaults_of(kind)
    if as_json:
        plain = {
            key: value
            if value is None or isinstance(value, bool | int | float | str)
            else _shown(value)
            for key, value in defaults.items()
        }
        print_json({"name": name, "description": _docstring(kind), "parameters": plain})
        return
    from driftduel.cli.tables import plain_table

    table = plain_table("parameter", "default")
    for key, value in defaults.items():
        table.add_row(key, _shown(value))
    screen = console()
    screen.print(f"{name}: {_docstring(kind)}")
    screen.print(table)


def _docstring(kind: type[Learner]) -> str:
    return inspect.getdoc(kind) or kind.__name__


def _shown(value: object) -> str:
    if value is MISSING:
        return "(must be given)"
    return "none" if value is None else str(value)
