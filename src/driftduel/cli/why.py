"""``driftduel arena why`` and ``arena release``: why who leads changed, and what was released."""

from __future__ import annotations

from typing import Annotated

import typer

from driftduel.cli.arena import DEFAULT, Database, Slug
from driftduel.cli.groups import examples
from driftduel.cli.shared import Json
from driftduel.cli.terminal import print_json


def register(app: typer.Typer) -> None:
    """Add the commands to those of polls."""
    app.command("why", epilog=examples("arena why"))(why)
    app.command("release", epilog=examples("arena release"))(release)


def why(slug: Slug, database: Database = DEFAULT, as_json: Json = False) -> None:
    """Say why who leads changed, or that nobody can tell."""
    from driftduel.verdict.causes import sentences
    from driftduel.verdict.parts import Clock, plain

    clock = Clock("minute", "vote")
    from driftduel.arena import service as arena

    with arena.Service.open(database, create=False) as service:
        found = arena.causes(service, slug)
    if as_json:
        print_json({"arena": slug, "causes": [one.to_dict(clock) for one in found]})
        return
    for one in found:
        print(" ".join(map(plain, sentences(one, clock))))
    if not found:
        print(f"{slug}: no change of who leads is known yet")


def release(
    slug: Slug,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="What changed; all are listed without.")
    ] = None,
    option: Annotated[
        str | None, typer.Option(metavar="NAME", help="The option that changed; all without.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="DATE", help="When, UTC; now if left out.")
    ] = None,
    take_back: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Let a release be none.")
    ] = None,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """Mark a release, such as a version of an option, or list them."""
    from driftduel.arena import service as arena
    from driftduel.arena.json import to_json

    with arena.Service.open(database, create=False) as service:
        if take_back is not None:
            arena.take_back_release(service, slug, take_back)
        if name is not None:
            when = None if at is None else arena.as_moment(at)
            arena.mark_release(service, slug, name, option, when)
        found = to_json(arena.releases(service, slug))
    if as_json:
        print_json({"arena": slug, "releases": found})
        return
    for one in found:
        of = "" if one["option"] is None else f" of {one['option']}"
        print(f"{one['seq']}: {one['name']}{of}, {one['at'][:16].replace('T', ' ')} UTC")
    if not found:
        print(f"{slug}: no release is marked")
