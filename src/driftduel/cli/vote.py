"""``driftduel new``, ``ask``, ``tell``, ``undo`` and ``status``: an arena that lives in a file.

Any number of commands may use one file at once, and a server too. What a command has said is on the
disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from driftduel.arena.settings import NAMES, SETTINGS
from driftduel.cli.shared import Conflict, Json, as_names
from driftduel.cli.terminal import console, print_json

if TYPE_CHECKING:
    from driftduel.arena.file import Local
    from driftduel.arena.model import Verdict

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file of the poll.")]
Duel = Annotated[
    str, typer.Argument(metavar="DUEL", help="The id of the pair, or its first letters.")
]

Field = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="NAME=VALUE",
        help="What kind of voter it is, as language=de; may be given several times.",
    ),
]

_EXPIRE = SETTINGS[NAMES.index("expire")]
_SHOWN_DUELS = 5


def new(
    file: File,
    arms: Annotated[str, typer.Option(metavar="A B C", help="The options.")],
    question: Annotated[
        str, typer.Option(metavar="TEXT", help="What voters are asked.")
    ] = "Which do you prefer?",
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the learner; drawn if left out.")
    ] = None,
    expire: Annotated[
        int,
        typer.Option(min=_EXPIRE.least, max=_EXPIRE.most, metavar="SECONDS", help=_EXPIRE.sentence),
    ] = _EXPIRE.most,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    as_json: Json = False,
) -> None:
    """Make a poll in a file."""
    from driftduel.arena import service as arena
    from driftduel.arena.model import RESERVED, slug_of

    names = as_names(arms, "--arms")
    if len(names) < 2:
        raise ValueError("--arms: there must be two arms at least")
    if file.exists():
        if file.is_dir():
            raise IsADirectoryError(f"{file}: is a folder, must be a file")
        if not force:
            raise ValueError(f"{file}: exists already, --force replaces it and forgets its votes")
        for part in ("", "-wal", "-shm"):
            file.with_name(file.name + part).unlink(missing_ok=True)
    slug = slug_of(file.stem, RESERVED)
    try:
        with arena.Service.open(f"sqlite:{file}") as service:
            settings = {"expire": expire}
            arena.create_arena(service, slug, question, names, settings=settings, seed=seed)
    except ValueError:
        file.unlink(missing_ok=True)
        raise
    if as_json:
        print_json({"file": str(file), "arena": slug, "question": question, "arms": names})
    else:
        console().print(f"{file}: {question} {len(names)} arms", soft_wrap=True)


def ask(
    file: File,
    voter: Annotated[str, typer.Option(metavar="NAME", help="Who is asked; a hash is kept.")] = "",
    field: Field = None,
    as_json: Json = False,
) -> None:
    """Print the next pair: its id, the left and the right option.

    Tabs separate them. The two options differ. A pair that is never answered costs nothing.
    """
    with _arena_in(file) as arena:
        duel, left, right = arena.ask(voter, _fields(field))
    if as_json:
        facts = {"duel": duel.id, "left": left, "right": right, "propensity": duel.propensity}
        print_json({**facts, "context": duel.context or None})
    else:
        print(duel.id, left, right, sep="\t")


def tell(
    file: File,
    duel: Duel,
    verdict: Annotated[
        str,
        typer.Argument(
            metavar="VERDICT",
            help="left, right, tie, bad (both are) or skip; or 1, 0 or 0.5; "
            "or the name of the preferred option.",
        ),
    ],
    field: Field = None,
    as_json: Json = False,
) -> None:
    """Record the answer of a voter to a pair.

    Each pair counts once; answers may come in any order. The same answer again is no mistake. A
    different answer is a conflict, exit code 3; so is an answer to a pair that has expired or whose
    answer was taken back.
    """
    with _arena_in(file) as arena:
        id_, left, right = arena.find(duel)
        word = read_verdict(verdict, [left, right])
        told = arena.tell(id_, word, _fields(field))
    reason = "skip" if word == "skip" else told.row["reason"]
    if as_json:
        facts = {"duel": id_, "left": left, "right": right, "verdict": word}
        counts = {"seq": told.row["seq"], "counted": reason is None, "reason": reason}
        print_json({**facts, **counts, "already_counted": not told.first})
    else:
        again = "" if told.first else ", already counted"
        print(f"duel {id_}: {_in_words(word, left, right)}{again}")


def undo(file: File, duel: Duel, as_json: Json = False) -> None:
    """Take back the answer to a pair.

    It stays in the log and no longer counts. The pair cannot be answered again.
    """
    with _arena_in(file) as arena:
        id_, left, right = arena.find(duel)
        seq = arena.undo(id_)
    if as_json:
        print_json({"duel": id_, "left": left, "right": right, "seq": seq})
    else:
        print(f"duel {id_}: taken back")


def status(file: File, as_json: Json = False) -> None:
    """Say who is best, since when, how sure, and what changed."""
    from driftduel.arena.json import as_time, json_of_status

    with _arena_in(file) as arena:
        found, waiting = arena.status()
    if as_json:
        duels = [
            {"duel": duel.id, "left": left, "right": right, "asked": as_time(duel.asked_at)}
            for duel, left, right in waiting
        ]
        print_json({"file": str(file), **json_of_status(found), "open": duels})
        return
    print(found.text)
    if waiting:
        shown = ", ".join(
            f"{duel.id} ({left}, {right})" for duel, left, right in waiting[:_SHOWN_DUELS]
        )
        more = f" and {len(waiting) - _SHOWN_DUELS:,} more" if len(waiting) > _SHOWN_DUELS else ""
        print(f"Not told yet: {shown}{more}.")


def read_verdict(text: str, sides: list[str]) -> Verdict:
    """Return the verdict that a text means in a duel between the two arms named.

    Examples
    --------
    >>> read_verdict("left", ["tea", "milk"]), read_verdict("milk", ["tea", "milk"])
    ('left', 'right')
    >>> read_verdict("cocoa", ["tea", "milk"])
    Traceback (most recent call last):
        ...
    ValueError: verdict is 'cocoa', must be left, right, tie, bad, skip, 1, 0, 0.5, 'tea' or 'milk'
    """
    from driftduel.arena.errors import Invalid
    from driftduel.arena.model import as_verdict

    word = text.strip()
    meanings: set[Verdict] = set()
    try:
        meanings.add(as_verdict(word.lower()))
    except Invalid:
        with suppress(ValueError, KeyError):
            meanings.update(_NUMBERS[float(word)])
    if word in sides:
        meanings.add("left" if word == sides[0] else "right")
    if len(meanings) > 1:
        raise ValueError(f"verdict is {text!r}, which is also the name of an arm; say it otherwise")
    if not meanings:
        names = " or ".join(map(repr, sides))
        raise ValueError(
            f"verdict is {text!r}, must be left, right, tie, bad, skip, 1, 0, 0.5, {names}"
        )
    return meanings.pop()


_NUMBERS: dict[float, tuple[Verdict]] = {1.0: ("left",), 0.0: ("right",), 0.5: ("tie",)}


def _in_words(verdict: Verdict, left: str, right: str) -> str:
    if verdict in ("left", "right"):
        return f"{left} {'was preferred to' if verdict == 'left' else 'lost to'} {right}"
    said = {"tie": "tied with", "bad": "was as bad as", "skip": "was not held against"}[verdict]
    return f"{left} {said} {right}"


def _fields(said: list[str] | None) -> dict[str, str] | None:
    """Return the fields that options name."""
    found = {}
    for one in said or ():
        name, sign, value = one.partition("=")
        if not sign:
            raise ValueError(f"--field: {one!r} must be NAME=VALUE, as in language=de")
        found[name.strip()] = value.strip()
    return found or None


@contextmanager
def _arena_in(file: Path) -> Iterator[Local]:
    """Use the arena in a file; what its duels do not allow is a conflict."""
    from driftduel.arena import errors
    from driftduel.arena.file import Local

    try:
        with Local(file) as arena:
            yield arena
    except (errors.Conflict, errors.Gone) as refused:
        raise Conflict(str(refused)) from None
