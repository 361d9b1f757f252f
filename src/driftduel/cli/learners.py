"""``driftduel learners``: who plays, and what each can be told."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftduel.cli.shared import Json
from driftduel.cli.terminal import console, print_json

if TYPE_CHECKING:
    from driftduel.learners import Learner


_UNKNOWN: dict[str, Any] = {
    **{"serves": [], "needs_horizon": False},
    **{"paper": "", "bound": "-", "needs": "-", "cost": "-"},
}
_HEADINGS = {"paper": "paper", "bound": "regret", "needs": "must be told", "cost": "a round costs"}


def learners(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A learner, or MODULE:CLASS; all if left out."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the learners, or describe one."""
    if name is None:
        _list(as_json)
    else:
        _describe(name, as_json)


def learner_class(name: str) -> type[Learner]:
    """Return the learner of that name; a module may stand in the folder where the command runs."""
    from driftduel._support.checks import BadParameter
    from driftduel._support.registry import look_beside
    from driftduel.learners import Learner

    try:
        look_beside(name, Path.cwd())
        return Learner._named(name)
    except BadParameter as error:
        raise ValueError(error.reason) from None


def defaults_of(kind: type[Learner]) -> dict[str, Any]:
    """Return the parameters of a learner with their defaults; MISSING where there is none."""
    from driftduel._support.params import parameters_of

    defaults = {key: item.default for key, item in parameters_of(kind).items()}
    return {**defaults, "criterion": kind._criteria[0]()}


def _list(as_json: bool) -> None:
    from driftduel._support.registry import installed_learners
    from driftduel.learners import all_learners

    lines = {
        name: {"description": _docstring(kind).splitlines()[0], **_facts(kind)}
        for name, kind in sorted(all_learners().items())
    }
    for name, entry in sorted(installed_learners().items()):
        package = "another package" if entry.dist is None else entry.dist.name
        try:
            kind = learner_class(name)
        except ValueError as error:
            # A package that is broken is no reason to show nothing of the others.
            lines[name] = {"description": f"of {package}: {error}", **_UNKNOWN}
        else:
            first = _docstring(kind).splitlines()[0]
            lines[name] = {"description": f"{first} (of {package})", **_facts(kind)}
    if as_json:
        print_json(lines)
        return
    from driftduel.cli.summary import plain_table

    table = plain_table("learner", "what it does", "regret", "must be told", "a round", "paper")
    for name, line in lines.items():
        facts = (line["bound"], line["needs"], line["cost"], line["paper"] or "-")
        table.add_row(name, line["description"], *facts)
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
        facts = {"name": name, "description": _docstring(kind), **_facts(kind)}
        print_json({**facts, "parameters": plain})
        return
    from driftduel.cli.summary import fact_grid, plain_table

    grid = fact_grid()
    facts = _facts(kind)
    grid.add_row("criteria", ", ".join(facts["serves"]))
    for key, heading in _HEADINGS.items():
        grid.add_row(heading, facts[key] or "-")
    table = plain_table("parameter", "default", title="\nParameters")
    for key, value in defaults.items():
        table.add_row(key, _shown(value))
    screen = console()
    screen.print(f"{name}: {_docstring(kind)}\n")
    screen.print(grid)
    screen.print(table)


def _facts(kind: type[Learner]) -> dict[str, Any]:
    serves = [getattr(item, "name", "any other") for item in kind._criteria]
    facts = {"serves": serves, "needs_horizon": kind._needs_horizon}
    literature = getattr(kind, "_literature", None)
    return {**_UNKNOWN, **facts, **({} if literature is None else asdict(literature))}


def _docstring(kind: type[Learner]) -> str:
    return inspect.getdoc(kind) or kind.__name__


def _shown(value: object) -> str:
    if value is MISSING:
        return "(must be given)"
    return "none" if value is None else str(value)
