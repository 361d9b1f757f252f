"""``driftduel arena notify``: who is told when a poll changes."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from driftduel.cli.arena import DEFAULT, Database, Slug, _service
from driftduel.cli.shared import Json
from driftduel.cli.terminal import print_json

SITE = "http://127.0.0.1:8000"


def notify(
    slug: Slug,
    add: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A webhook or an address of e-mail.")
    ] = None,
    shape: Annotated[
        Literal["json", "slack", "discord"] | None,
        typer.Option(help="What a webhook takes, if its address does not tell."),
    ] = None,
    digest: Annotated[
        bool, typer.Option("--digest", help="With --add: a digest every week, too.")
    ] = False,
    site: Annotated[
        str, typer.Option(metavar="URL", help="What links in messages begin with.")
    ] = SITE,
    test: Annotated[
        str | None, typer.Option(metavar="ID", help="Send a message now and say what came back.")
    ] = None,
    remove: Annotated[str | None, typer.Option(metavar="ID", help="Tell it no more.")] = None,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """Tell somebody when a poll changes, or list who is told.

    Messages are sent by `driftduel arena serve`, again until they arrive, for three days.
    """
    if sum(one is not None for one in (add, test, remove)) > 1:
        raise ValueError("--add, --test and --remove: give one of them")
    if add is None and (shape is not None or digest):
        raise ValueError("--shape and --digest say more of --add")
    with _service(database) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import to_json

        service.post = arena.Post.of_environment(os.environ)
        added = answer = None
        if add is not None:
            added = arena.add_receiver(
                service, slug, add, site=site, shape=shape or "", digest=digest
            )
        if test is not None:
            answer = arena.try_receiver(service, slug, test)
        if remove is not None:
            arena.remove_receiver(service, slug, remove)
        found = arena.receivers(service, slug)
    if as_json:
        facts = {"arena": slug, "receivers": to_json(found)}
        facts |= {} if added is None else {"added": to_json(added)}
        print_json(facts if answer is None else {**facts, "answer": to_json(answer)})
    elif added is not None:
        print(f"{added.receiver.id}: {added.receiver.address} is told when {slug} changes")
        if added.receiver.kind == "webhook":
            print(f"Messages are signed with {added.secret}, shown this once.")
    elif answer is not None:
        print(f"{'It arrived' if answer.taken else 'It did not arrive'}: {answer.said}")
    else:
        for one in found:
            print(f"{one.receiver.id}: {one.receiver.address}. {arena.in_words(one.messages)}")
        if not found:
            print(f"{slug}: nobody is told when it changes; --add ADDRESS lets somebody be")
    if answer is not None and not answer.taken:
        raise typer.Exit(1)
