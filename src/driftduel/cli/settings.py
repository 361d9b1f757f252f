"""Options for the settings of a poll, made from the one list of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from driftduel.arena.settings import SETTINGS, Setting
from driftduel.cli.shared import as_names


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each setting, in the place of its parameter ``settings``.

    The command gets those that were said, by name; what they may be is checked where they are set.
    """

    def run(**given: Any) -> None:
        said = {one.name: given.pop(one.name) for one in SETTINGS}
        settings = {
            one.name: _value(one, said[one.name]) for one in SETTINGS if said[one.name] is not None
        }
        command(**given, settings=settings)

    types = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for name, known in inspect.signature(command).parameters.items():
        kind = inspect.Parameter.KEYWORD_ONLY
        if name == "settings":
            parameters += [
                inspect.Parameter(one.name, kind, default=None, annotation=_type(one))
                for one in SETTINGS
            ]
        else:
            parameters.append(known.replace(kind=kind, annotation=types[name]))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def _type(setting: Setting) -> Any:
    """Return the type of an option, with its names and help."""
    name = f"--{setting.name.replace('_', '-')}"
    if setting.kind == "switch":
        off = [f" /{setting.off}"] if setting.off else []
        both = f"{name}/--no-{name.removeprefix('--')}"
        return Annotated[bool | None, typer.Option(both, *off, help=setting.sentence)]
    if setting.kind == "texts":
        return Annotated[str | None, typer.Option(name, metavar="A,B", help=setting.sentence)]
    if setting.kind == "choice":
        return Annotated[str | None, typer.Option(name, metavar="NAME", help=setting.sentence)]
    if setting.kind == "text":
        return Annotated[str | None, typer.Option(name, metavar="TEXT", help=setting.sentence)]
    least = 0 if setting.optional else setting.least
    words = f"{setting.sentence} 0: any number." if setting.optional else setting.sentence
    return Annotated[
        int | None, typer.Option(name, min=least, max=setting.most, metavar="N", help=words)
    ]


def _value(setting: Setting, said: Any) -> Any:
    if setting.kind == "texts":
        return as_names(said, f"--{setting.name}") if said else []
    return None if setting.optional and said == 0 else said
