"""``driftduel streams``: the built-in worlds, what they can be told, and writing one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from driftduel.cli.shared import Json, Param, as_pairs
from driftduel.cli.terminal import console, print_json, working


def streams(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A built-in world; all if left out.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the world to this .npz file.")] = None,
    param: Param = None,
    as_json: Json = False,
) -> None:
    """List the built-in worlds, describe one, or write it."""
    if name is None:
        if out is not None or param:
            raise ValueError("--out and --param need the NAME of a world")
        _list(as_json)
    elif out is None:
        if param:
            raise ValueError("--param needs --out FILE, the file to write the world to")
        _describe(name, as_json)
    else:
        _write(name, out, as_pairs(param or []), as_json)


def _list(as_json: bool) -> None:
    from driftduel.worlds import catalogue

    lines = {name: catalogue.describe(name) for name in catalogue.names()}
    if as_json:
        print_json(lines)
        return
    from driftduel.cli.summary import plain_table

    table = plain_table("world", "what it is")
    for name, line in lines.items():
        table.add_row(name, line)
    console().print(table)


def _describe(name: str, as_json: bool) -> None:
    from driftduel.worlds import catalogue

    line = catalogue.describe(name)
    defaults = {key: item.default for key, item in catalogue.parameters(name).items()}
    if as_json:
        print_json({"name": name, "description": line, "parameters": defaults})
        return
    from driftduel.cli.summary import plain_table

    table = plain_table("parameter", "default")
    for key, value in defaults.items():
        table.add_row(key, "none" if value is None else str(value))
    screen = console()
    screen.print(f"{name}: {line}")
    screen.print(table)
    screen.print(f"driftduel streams {name} --out {name}.npz --param horizon=10000 writes one.")


def _write(name: str, out: Path, texts: dict[str, str], as_json: bool) -> None:
    from driftduel.worlds import catalogue

    if out.suffix != ".npz":
        raise ValueError(f"--out is {out}, must end in .npz")
    values = catalogue.parse(name, texts)
    with working(f"making {name}"):
        world = catalogue.build(name, **values)
        world.save(out)
    if as_json:
        print_json(
            {
                "file": str(out),
                "world": name,
                "parameters": values,
                "n_arms": world.n_arms,
                "horizon": world.horizon,
                "notices": list(world.credits),
            }
        )
        return
    from driftduel.cli.summary import print_notices

    screen = console()
    screen.print(f"{out}: {world!r}", soft_wrap=True)
    print_notices(screen, world.credits)
