"""``driftduel arena``: a voting service, its arenas, and the votes in them."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from driftduel._support.text import count
from driftduel.arena.settings import SETTINGS
from driftduel.cli.answers import name_of, source_of
from driftduel.cli.groups import GroupedCommands, examples
from driftduel.cli.settings import with_settings
from driftduel.cli.shared import Json, as_names, as_pairs
from driftduel.cli.terminal import console, print_json
from driftduel.cli.votes import (
    Columns,
    DayFirst,
    Files,
    Left,
    NoHeader,
    Right,
    Time,
    Values,
    Winner,
    as_roles,
    as_values,
)

if TYPE_CHECKING:
    from driftduel.arena.service import Service

app = typer.Typer(
    help="Serve polls that never end, and look after them.",
    cls=GroupedCommands,
    epilog=examples("arena"),
)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


_URL = "sqlite:FILE, a file, or postgresql://..."
Slug = Annotated[str, typer.Argument(metavar="ARENA", help="The name of the poll in addresses.")]
Database = Annotated[str, typer.Option(metavar="URL", help=_URL)]
Place = Annotated[str, typer.Argument(metavar="[URL]", help=_URL)]
DEFAULT = "sqlite:arena.db"

_FIRST = ("drinks", "Which do you prefer?", ["tea", "coffee", "cocoa"])
"""The arena of a database in which there is none: something to try."""


@app.command("demo", epilog=examples("arena demo"))
def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 0,
) -> None:
    """Serve a poll whose simulated voters change their taste."""
    _need("uvicorn", "fastapi", "prometheus_client")
    from driftduel.arena.demo import demo as play

    play(Path(), port)


@app.command("serve", epilog=examples("arena serve"))
def serve(
    url: Place = DEFAULT,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    lan: Annotated[
        bool, typer.Option("--lan", help="Serve the local network, and print a QR code to vote.")
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes that serve.")] = 1,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Believe X-Forwarded-For.")
    ] = False,
    rate: Annotated[
        float, typer.Option(min=0, help="Requests a second of an address; 0: any number.")
    ] = 50.0,
    allow_private_webhooks: Annotated[
        bool,
        typer.Option("--allow-private-webhooks", help="Let webhooks reach this very network."),
    ] = False,
) -> None:
    """Serve the polls of a database; a new one has a poll to try.

    Without --host or --lan only this machine is served.
    """
    _need("uvicorn", "fastapi", "prometheus_client")
    from driftduel.arena import service as arena
    from driftduel.arena.service.post import PRIVATE
    from driftduel.arena.web.serving import serve as serve_forever

    if allow_private_webhooks:
        os.environ[PRIVATE] = "1"
    arena.Post.of_environment(os.environ)  # what makes no sense is said now
    shown = host
    if lan:
        from driftduel.arena.web.reach import lan_address, qr_lines

        host, shown = "0.0.0.0", lan_address() or "127.0.0.1"
    local = _is_loopback(host)
    keys = None
    _check_new(url)
    with _service(url, create=True) as service:
        found = arena.arenas(service)
        if not local and not (lan and not found) and not arena.has_owner(service):
            raise ValueError(
                f"{host} can be reached by others, and no arena has an owner yet; first: "
                f"driftduel arena new drinks --arms tea coffee cocoa --database {quote(url)}"
            )
        if not found:
            keys = arena.create_arena(service, *_FIRST)
            found = [keys.arena]

    def ready(port: int) -> None:
        base = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
        for one in found[:_SHOWN]:
            print(f"vote  {base}/{one.slug}")
            print(f"owner {base}/{one.slug}/owner{'' if keys is None else f'#{keys.owner_token}'}")
        if keys is not None:
            print(f"new   {base}/new#{keys.owner_token}")
        if len(found) > _SHOWN:
            print(f"and {count(len(found) - _SHOWN, 'more arena')}")
        if keys is not None:
            print(f"The arena {keys.arena.slug} is there to try. Nobody can show its keys again:")
            print(f"embed key   {keys.embed_key}")
            print(f"owner token {keys.owner_token}")
        else:
            print(
                "Owners have a token; another: driftduel arena token "
                f"{found[0].slug} --role owner --database {quote(url)}"
            )
        if lan:
            print(qr_lines(f"{base}/{found[0].slug}"))
            print("Phones in the same network vote by that code or link.")
        sys.stdout.flush()

    serve_forever(
        url,
        host,
        port,
        workers=workers,
        local=local and not behind_proxy,
        behind_proxy=behind_proxy,
        rate=rate,
        lan=lan,
        ready=ready,
    )


@app.command("new", epilog=examples("arena new"))
@with_settings
def new(
    slug: Slug,
    arms: Annotated[str, typer.Option(metavar="A B C", help="The options.")] = "",
    question: Annotated[
        str, typer.Option(metavar="TEXT", help="What voters are asked.")
    ] = "Which do you prefer?",
    title: Annotated[str, typer.Option(metavar="TEXT", help="A heading.")] = "",
    database: Database = DEFAULT,
    *,
    settings: Mapping[str, Any],
    as_json: Json = False,
) -> None:
    """Make a poll; its secret keys are shown this once."""
    with _service(database, create=True) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import made_of, to_json

        names = as_names(arms, "--arms") if arms else []
        made = arena.create_arena(service, slug, question, names, title=title, settings=settings)
    facts = {**to_json(made_of(made)), "arms": names, "database": database}
    if as_json:
        print_json(facts)
        return
    print(f"arena       {slug}: {made.arena.question}")
    print(f"owner token {made.owner_token}")
    print(f"embed key   {made.embed_key}")
    print("Keep the tokens: nobody can show them again.")


@app.command("settings", epilog=examples("arena settings"))
@with_settings
def settings_(
    slug: Slug, database: Database = DEFAULT, *, settings: Mapping[str, Any], as_json: Json = False
) -> None:
    """List the settings of a poll, or change some."""
    from driftduel.cli.summary import plain_table

    with _service(database) as service:
        from driftduel.arena import service as arena

        if settings:
            arena.change_arena(service, slug, settings)
        found = arena.describe(service, slug).arena.settings
    values = {one.name: getattr(found, one.name) for one in SETTINGS}
    if as_json:
        print_json({"arena": slug, "settings": values})
        return
    table = plain_table("setting", "", "")
    for one in SETTINGS:
        table.add_row(one.name, one.in_words(values[one.name]), one.sentence)
    console().print(table)


@app.command("arms", epilog=examples("arena arms"))
def arms(
    slug: Slug,
    add: Annotated[str, typer.Option(metavar="A,B", help="Options that join.")] = "",
    pause: Annotated[str, typer.Option(metavar="A,B", help="Options to hide for now.")] = "",
    resume: Annotated[str, typer.Option(metavar="A,B", help="Options to show again.")] = "",
    rename: Annotated[
        list[str] | None, typer.Option(metavar="OLD=NEW", help="A new name; may be given often.")
    ] = None,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """List the options of a poll, or change them, all at once."""
    from driftduel.cli.summary import plain_table

    with _service(database) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import to_json

        if add or pause or resume or rename:
            arena.change_arms(
                service,
                slug,
                add=as_names(add, "--add") if add else (),
                pause=as_names(pause, "--pause") if pause else (),
                resume=as_names(resume, "--resume") if resume else (),
                rename=as_pairs(rename or [], "--rename"),
            )
        found = arena.describe(service, slug).arms
    if as_json:
        print_json({"arena": slug, "arms": to_json(found)})
        return
    table = plain_table("arm", "slug", "offered")
    for arm in found:
        table.add_row(arm.name, arm.slug, "yes" if arm.offered else "paused")
    console().print(table)


@app.command("status", epilog=examples("arena status"))
def status(slug: Slug, database: Database = DEFAULT, as_json: Json = False) -> None:
    """Say who is best, since when, how sure, and what changed."""
    with _service(database) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import json_of_status

        facts = json_of_status(arena.status(service, slug))
    if as_json:
        print_json(facts)
    else:
        print(facts["text"])


@app.command("export", epilog=examples("arena export"))
def export(
    slug: Slug,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="votes.csv or votes.parquet; printed if left out."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also verdicts that do not count.")
    ] = False,
    database: Database = DEFAULT,
) -> None:
    """Write the votes, as `driftduel analyse` reads them."""
    if out is not None and out.suffix not in (".csv", ".parquet"):
        raise ValueError(f"--out is {str(out)!r}, must end with .csv or .parquet")
    with _service(database) as service:
        from driftduel.arena import service as arena

        if out is not None and out.suffix == ".parquet":
            arena.write_parquet(service, slug, out, everything=everything)
            return
        lines = arena.votes_csv(service, slug, everything=everything)
        if out is None:
            sys.stdout.writelines(line.replace("\r\n", "\n") for line in lines)
            return
        with out.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)


@app.command("import", epilog=examples("arena import"))
def import_(
    slug: Slug,
    files: Files,
    pairs: Annotated[
        Literal["uniform", "other"],
        typer.Option(help="uniform: all pairs were equally likely; then the votes count."),
    ],
    left: Left = None,
    right: Right = None,
    winner: Winner = None,
    time: Time = None,
    columns: Columns = None,
    dayfirst: DayFirst = None,
    no_header: NoHeader = False,
    values: Values = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that says what kind of voter it was; may be given several times.",
        ),
    ] = None,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """Take in votes that were cast elsewhere, with dates.

    Others vote meanwhile. What is cut short goes on where it stopped when it is begun again.
    """
    from driftduel.votes.reading import read

    log = read(
        source_of(files),
        columns=as_roles(columns, left=left, right=right, winner=winner, time=time),
        dayfirst=dayfirst,
        header=not no_header,
        values=as_values(values),
    )
    for note in log.notes:
        typer.echo(f"driftduel: note: {name_of(files)}: {note}", err=True)
    with _service(database) as service:
        from driftduel.arena import service as arena

        done = arena.import_votes(service, slug, log, pairs, fields=field or ())
    if as_json:
        print_json({"arena": slug, **vars(done)})
    elif done.again:
        print(f"{slug}: these {done.votes:,} votes came in before; nothing was added")
    else:
        print(f"{slug}: {done.votes:,} votes came in, {done.counted:,} of them count")


@app.command("imports", epilog=examples("arena imports"))
def imports(
    slug: Slug,
    take_back: Annotated[
        str | None, typer.Option(metavar="HASH", help="Let no vote of an import count.")
    ] = None,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """List the imports of votes, or take one back.

    A hash may be cut short.
    """
    with _service(database) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import to_json

        if take_back is not None:
            arena.take_back_import(service, slug, take_back)
        found = to_json(arena.imports(service, slug))
    if as_json:
        print_json({"arena": slug, "imports": found})
        return
    for one in found:
        gone = ", taken back" if one["taken_back"] else ""
        print(f"{one['hash'][:12]}: {one['votes']:,} of {one['of']:,} votes came in{gone}")
    if not found:
        print(f"{slug}: nothing was imported")


@app.command("exclude", epilog=examples("arena exclude"))
def exclude(
    slug: Slug,
    voter: Annotated[
        str | None, typer.Argument(metavar="[VOTER]", help="Its hash; all are listed without.")
    ] = None,
    include: Annotated[
        bool, typer.Option("--include", help="Let the voter's votes count again.")
    ] = False,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """Exclude the votes of a voter, or list the voters."""
    with _service(database) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import to_json

        if voter is not None:
            (arena.include if include else arena.exclude)(service, slug, voter)
        found = to_json(arena.voters(service, slug))
    if as_json:
        print_json({"arena": slug, "voters": found})
        return
    if voter is not None:
        print(f"{voter}: {'included' if include else 'excluded'}")
        return
    from driftduel.cli.summary import plain_table

    names = ("voter", "votes", "left", "quick", "capped", "excluded")
    table = plain_table(*names)
    for one in found:
        table.add_row(*(str(one[name]) for name in names))
    console().print(table)


@app.command("token", epilog=examples("arena token"))
def token(
    slug: Slug,
    role: Annotated[
        Literal["owner", "embed", "read", "feed"] | None,
        typer.Option(help="Make a token for this."),
    ] = None,
    label: Annotated[str, typer.Option(metavar="TEXT", help="What it is for, to tell apart.")] = "",
    revoke: Annotated[
        str | None, typer.Option(metavar="ID", help="Revoke a token, by its id.")
    ] = None,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """Make a token, revoke one, or list them."""
    if role is not None and revoke is not None:
        raise ValueError("--role makes a token and --revoke ends one; give one of them")
    with _service(database) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import to_json

        made = None if role is None else arena.new_token(service, slug, role, label)
        if revoke is not None:
            arena.revoke_token(service, slug, revoke)
        found = to_json(arena.tokens(service, slug))
    if as_json:
        print_json({"arena": slug, "token": made, "tokens": found})
    elif made is not None:
        print(made)
    elif revoke is not None:
        print(f"{revoke}: revoked")
    else:
        from driftduel.cli.summary import plain_table

        table = plain_table("id", "role", "label", "created", "revoked")
        for one in found:
            table.add_row(
                *(one[name] or "" for name in ("id", "role", "label", "created")),
                one["revoked"] or "",
            )
        console().print(table)


@app.command("upgrade", epilog=examples("arena upgrade"))
def upgrade(
    slug: Slug,
    accept: Annotated[
        bool, typer.Option("--accept", help="Count by the newest rules from now on.")
    ] = False,
    database: Database = DEFAULT,
    as_json: Json = False,
) -> None:
    """Tell what newer rules would change in a poll, or accept them.

    A poll is counted by the rules it was made with until then. Changes that were listed stay
    listed.
    """
    with _service(database) as service:
        from driftduel.arena import service as arena
        from driftduel.arena.json import to_json, upgrade_facts_of

        found = arena.upgrade(service, slug)
        facts = to_json(upgrade_facts_of(slug, found))
        accepted = accept and found.rules != found.newest
        if accepted:
            arena.accept_rules(service, slug, found.newest)
    if as_json:
        print_json({**facts, "accepted": accepted})
        return
    print(facts["text"])
    if accepted:
        print(f"Accepted: from now on rules {found.newest} count.")
    elif found.rules != found.newest:
        print("Nothing was changed; --accept lets them count from now on.")


@app.command("backup", epilog=examples("arena backup"))
def backup(
    url: Place,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The copy, which is new.")],
) -> None:
    """Copy a database while it is served: all of it, as of one moment.

    Of SQLite that is a file to serve; of PostgreSQL one that pg_restore reads.
    """
    from driftduel.arena.store.backup import back_up

    back_up(url, file)
    print(f"{file}: {file.stat().st_size:,} bytes")


@app.command("verify", epilog=examples("arena verify"))
def verify(
    url: Place = DEFAULT,
    chain: Annotated[
        list[str] | None,
        typer.Option(metavar="HASH", help="A hash that was noted earlier; may be given often."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count all votes again and check every guarantee.

    Exit code 2 names the first that is broken. The hash that it shows vouches for all events so
    far. Note it: with --chain it tells later whether any of them was changed.
    """
    with _service(url) as service:
        from driftduel.arena import service as arena

        found = arena.verify(service.store, chain or ())
    if as_json:
        print_json([vars(one) for one in found])
        return
    for one in found:
        votes = f"{count(one.votes, 'vote')} that count{'s' if one.votes == 1 else ''}"
        print(f"{one.slug}: {count(one.head, 'event')}, {votes}: all is well")
        print(f"  hash {one.hash}")
    if not found:
        print(f"{url}: there is no arena in it")


_SHOWN = 5


@contextmanager
def _service(url: str, *, create: bool = False) -> Iterator[Service]:
    from driftduel.arena.service import Service

    try:
        opened = Service.open(url, create=create)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{error}; {_instead(url)}") from None
    with opened as service:
        yield service


def _instead(url: str) -> str:
    """Return the whole command that finds a poll, where a database is not there."""
    current = getattr(typer.main, "get_current_context", None)  # of the click that typer has
    context: Any = None if current is None else current(silent=True)
    slug = "" if context is None else str(context.params.get("slug") or "")
    if "." in slug:  # a file where the name of a poll belongs
        return f"a file goes last: {context.command_path} {_FIRST[0]} --database {quote(slug)}"
    name = slug or _FIRST[0]
    return (
        "a poll in a new one: "
        f"driftduel arena new {quote(name)} --arms tea coffee cocoa --database {quote(url)}"
    )


def _check_new(url: str) -> None:
    """Refuse a file that is not there beside one that is: its name may be mistyped."""
    file = Path(url)
    if ":" in url or url == DEFAULT or file.exists() or not file.parent.is_dir():
        return
    others = [one for one in sorted(file.parent.glob("*.db")) if one.is_file()]
    if others:
        near = get_close_matches(file.name, [one.name for one in others], 1, 0)
        other = file.parent / (near or [others[0].name])[0]
        raise FileNotFoundError(
            f"{file}: there is no such file, there is {other}: driftduel arena serve "
            f"{quote(str(other))}; {_instead(url)}"
        )
    print(f"{file} is new: a poll to try is in it")


def _need(*libraries: str) -> None:
    """Refuse to begin without the libraries of the extra."""
    from driftduel._support.extras import MissingExtraError

    for name in libraries:
        try:
            import_module(name)
        except ImportError:
            raise MissingExtraError(
                f"the arena needs {name}: pip install 'driftduel[arena]'", name=name
            ) from None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
