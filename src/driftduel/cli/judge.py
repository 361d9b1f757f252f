"""``driftduel judge``: a language model is asked about pairs of a poll, and held against people."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from driftduel.cli.arena import DEFAULT, Database, Slug
from driftduel.cli.shared import Json
from driftduel.cli.terminal import print_json


def judge(
    slug: Slug,
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Chat completions, as http://localhost:8000/v1/chat/..."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model to ask.")] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the judge is called; as its model.")
    ] = None,
    key_env: Annotated[
        str,
        typer.Option(metavar="VARIABLE", help="The variable that has the key, if there is one."),
    ] = "OPENAI_API_KEY",
    budget: Annotated[int, typer.Option(min=1, help="Requests at most, again ones too.")] = 100,
    retries: Annotated[int, typer.Option(min=0, max=10, help="How often one is made again.")] = 4,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where requests are logged; ARENA-judge.jsonl."),
    ] = None,
    forget: Annotated[
        str | None, typer.Option(metavar="NAME", help="Take the answers of a judge away.")
    ] = None,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """Hold a language model as a judge against people.

    With --url and --model it is asked about pairs, in both orders; without, nobody is asked. Its
    answers never count as votes.
    """
    from driftduel.arena import service as arena
    from driftduel.arena.endpoint import Endpoint, OutOfBudget, Silent
    from driftduel.verdict.judges import sentences
    from driftduel.verdict.parts import Clock, plain

    if (url is None) != (model is None):
        raise ValueError("--url and --model: one says where, the other whom to ask; give both")
    clock = Clock("minute", "vote")
    asked = None
    with arena.Service.open(database, create=False) as service:
        service.hosted(slug)
        if forget is not None:
            arena.forget_judge(service, slug, forget)
        if url is not None and model is not None:
            file = Path(f"{slug}-judge.jsonl") if log is None else log
            endpoint = Endpoint(
                url, model, os.environ.get(key_env) or None, budget, retries, log=file
            )
            try:
                answers, why = arena.ask_judge(
                    service, slug, name or model, endpoint.ask, budget, stops=(OutOfBudget, Silent)
                )
            finally:
                endpoint.close()
            asked = {
                "answers": answers,
                "requests": endpoint.requests,
                "tokens": endpoint.tokens,
                "stopped": why,
                "log": str(file),
            }
        found = arena.judges(service, slug)
    if as_json:
        told = [one.to_dict(clock) for one in found]
        print_json({"arena": slug, "asked": asked, "judges": told})
    else:
        if asked is not None:
            print(
                f"{asked['answers']} answers by {asked['requests']} requests "
                f"({asked['tokens']:,} tokens), logged in {asked['log']}"
            )
            if asked["stopped"]:
                print(f"stopped early: {asked['stopped']}")
        for one in found:
            print(" ".join(map(plain, sentences(one, clock))))
        if not found:
            print(f"{slug}: no judge was asked yet")
    if asked is not None and asked["stopped"] and not asked["answers"]:
        raise ValueError(f"{url}: {asked['stopped']}")
