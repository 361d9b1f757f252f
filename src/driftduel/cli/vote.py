"""``driftduel new``, ``ask``, ``tell``, ``cancel`` and ``status``: a learner that lives in a file.

Two commands may use one file at once: each takes its lock by `driftduel.learner_file`. Reading
alone needs none, because a file is replaced whole.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftduel.cli.learners import learner_class
from driftduel.cli.shared import (
    Conflict,
    Json,
    Param,
    as_names,
    as_numbers,
    as_pairs,
    console,
    print_json,
)

if TYPE_CHECKING:
    from driftduel.learners import Duel, Learner

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file of the learner.")]

Own = Annotated[
    str | None,
    typer.Option(
        "--learner", metavar="MODULE:CLASS", help="Who is in the file, if nobody installed it."
    ),
]

_OWN_OPTIONS = ("n_arms", "horizon", "criterion", "seed", "labels")
_SHOWN_DUELS = 5
_ARMS = {"active", "after", "arm", "beaten_by", "before", "best", "weight"}
"""What of a report and of events is an arm, or several."""


def new(
    file: File,
    arms: Annotated[str, typer.Option(metavar="A,B,C", help="The names of the arms.")],
    horizon: Annotated[
        int | None, typer.Option(help="Number of rounds to plan for, if it is known.")
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            metavar="borda|condorcet", help='What "best" means; by default what the learner serves.'
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="W,W,W", help="Judge by this weight instead, one number per arm."),
    ] = None,
    learner: Annotated[
        str, typer.Option(help="Who plays: a name of driftduel learners, or MODULE:CLASS.")
    ] = "DriftPoll",
    seed: Annotated[int, typer.Option(help="Seed of the learner's randomness.")] = 0,
    param: Param = None,
    max_open: Annotated[
        int, typer.Option(min=1, help="How many duels may be open at once.")
    ] = 10_000,
    expire: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="How long a duel may be told; for ever if left out."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    as_json: Json = False,
) -> None:
    """Make a learner in a file."""
    from driftduel._files import locked
    from driftduel._parameters import nested, settled
    from driftduel.learners.making import learner_from

    if criterion is not None and weight is not None:
        raise ValueError("--criterion and --weight both say what best means; give one of them")
    names = as_names(arms, "--arms")
    kind = learner_class(learner)
    table = settled(kind, nested(as_pairs(param or [])), texts=True, hidden=_OWN_OPTIONS)
    judged = criterion if weight is None else as_numbers(weight, "--weight")
    own = {"criterion": judged, "seed": seed, "labels": names}
    made = learner_from(learner, table, len(names), horizon, **own)
    made.limit_open(max_open, expire)
    with locked(file):
        if file.exists() and not force:
            raise ValueError(f"{file}: exists already, --force replaces it and forgets its votes")
        made.save(file)
    if as_json:
        own_facts = {"criterion": made.criterion.name, "arms": names, "horizon": horizon}
        print_json({"file": str(file), "learner": type(made).__name__, **own_facts})
    else:
        console().print(f"{file}: {learner} with {len(names)} arms", soft_wrap=True)


def ask(
    file: File,
    own: Own = None,
    votes_only: Annotated[
        bool, typer.Option("--votes-only", help="Settle duels of one arm twice, print the next.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the next duel: its code, left arm, right arm.

    They are separated by tabs. Learners that serve the best arm may print one arm twice: show
    this one, ask nobody, and tell a tie. A duel that is never told costs nothing.
    """
    with _learner_in(file, own) as learner:
        duel = learner.ask(votes_only=votes_only)
    names = _names(learner)
    if as_json:
        facts = {"is_vote": duel.is_vote, "propensity": duel.propensity}
        print_json({**_pair(duel, names), **facts})
    else:
        print(duel.code, names[duel.left], names[duel.right], sep="\t")


def tell(
    file: File,
    duel: Annotated[str, typer.Argument(metavar="DUEL", help="Its code, or its number.")],
    outcome: Annotated[
        str,
        typer.Argument(
            metavar="OUTCOME",
            help="left, right or tie; or 1, 0 or 0.5; or the name of the preferred arm.",
        ),
    ],
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Tell the outcome of a duel; each counts once, in any order.

    To tell the same again is no mistake: it is counted already. To tell another outcome is a
    conflict, exit code 3, as it is to tell a duel that was cancelled or has expired.
    """
    from driftduel.learners import AlreadyTold

    already = False
    with _learner_in(file, own) as learner:
        names = _names(learner)
        asked = learner.session.find(_as_duel(duel))
        value = read_outcome(outcome, [names[asked.left], names[asked.right]])
        try:
            learner.tell(asked.id, value)
        except AlreadyTold as told:
            if told.outcome != value:
                raise
            already = True
    if as_json:
        found = {"outcome": value, "already_counted": already, "rounds": learner.rounds}
        print_json({**_pair(asked, names), **found, "best": names[learner.best()]})
    else:
        relation = {1.0: "was preferred to", 0.0: "lost to", 0.5: "tied with"}[value]
        before = ", already counted" if already else ""
        print(f"duel {asked.code}: {names[asked.left]} {relation} {names[asked.right]}{before}")


def cancel(
    file: File,
    duels: Annotated[
        list[str] | None,
        typer.Argument(metavar="DUEL", help="Their codes, or their numbers."),
    ] = None,
    older_than: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="Cancel what was asked longer ago than this."),
    ] = None,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Take back duels that nobody will tell."""
    if not duels and older_than is None:
        raise ValueError("name the duels to cancel, or say --older-than SECONDS")
    with _learner_in(file, own) as learner:
        chosen = [learner.session.find(_as_duel(duel)) for duel in duels or []]
        if older_than is not None:
            before = time.time() - older_than
            chosen += [duel for duel in learner.open_duels if (duel.asked_at or 0.0) < before]
        for duel in chosen:
            learner.cancel(duel.id)
    codes = list(dict.fromkeys(duel.code for duel in chosen))
    if as_json:
        print_json({"cancelled": codes, "open": len(learner.open_duels)})
    else:
        print("".join(f"duel {code}: cancelled\n" for code in codes), end="")


def status(file: File, own: Own = None, as_json: Json = False) -> None:
    """Tell who is best now and what happened so far."""
    learner = _load(_existing(file), own)
    names = _names(learner)
    report = learner.report()
    facts: dict[str, Any] = {
        "learner": type(learner).__name__,
        "criterion": learner.criterion.name,
        "arms": names,
        "horizon": learner.horizon,
        "rounds": report.rounds,
        "best": names[report.best],
        "active": [names[arm] for arm in report.active],
        "episodes": report.episodes,
        "open": [{**_pair(duel, names), "asked_at": duel.asked_at} for duel in learner.open_duels],
        "evictions": [_by_name(asdict(item), names) for item in learner.evictions],
        "activations": [_by_name(asdict(item), names) for item in learner.activations],
        "replays": len(learner.replays),
        "report": _by_name(asdict(report), names),
    }
    if as_json:
        print_json(facts)
    else:
        _print_status(facts)
        print(report)


def read_outcome(text: str, sides: list[str]) -> float:
    """Return the outcome that a text means in a duel between the two arms named.

    Examples
    --------
    >>> read_outcome("left", ["tea", "milk"]), read_outcome("milk", ["tea", "milk"])
    (1.0, 0.0)
    >>> read_outcome("cocoa", ["tea", "milk"])
    Traceback (most recent call last):
        ...
    ValueError: outcome is 'cocoa', must be left, right, tie, 1, 0, 0.5, 'tea' or 'milk'
    """
    from driftduel.learners.session import OUTCOMES

    word = text.strip()
    meanings = set()
    if word.lower() in OUTCOMES:
        meanings.add(OUTCOMES[word.lower()])
    with suppress(ValueError):
        meanings.add(float(word))
    if word in sides:
        meanings.add(0.5 if sides[0] == sides[-1] else float(word == sides[0]))
    if len(meanings) > 1:
        raise ValueError(f"outcome is {text!r}, which is also the name of an arm; say it otherwise")
    if not meanings & {0.0, 0.5, 1.0}:
        labels = " or ".join(map(repr, dict.fromkeys(sides)))
        names = f", {labels}" if labels else ""
        raise ValueError(f"outcome is {text!r}, must be left, right, tie, 1, 0, 0.5{names}")
    return meanings.pop()


def _existing(file: Path) -> Path:
    if not file.exists():
        raise FileNotFoundError(
            f"{file}: there is no such file; driftduel new {file} --arms A,B,C makes one"
        )
    return file


@contextmanager
def _learner_in(file: Path, own: str | None) -> Iterator[Learner]:
    """Use the learner in a file; what its duels do not allow is a conflict."""
    from driftduel.learners import ClosedDuel, learner_file

    try:
        with learner_file(_existing(file), _classes(own)) as learner:
            yield learner
    except ClosedDuel as closed:
        raise Conflict(str(closed)) from None


def _as_duel(text: str) -> int | str:
    """Return a number for a text of digits; people at a prompt may leave out the rest of a code."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else text


def _pair(duel: Duel, names: list[str]) -> dict[str, Any]:
    return {"duel": duel.code, "left": names[duel.left], "right": names[duel.right]}


def _load(file: Path, own: str | None) -> Learner:
    from driftduel.learners import load_learner

    return load_learner(file, _classes(own))


def _classes(own: str | None) -> dict[str, type]:
    """Return what a file may hold beside the learners that are installed.

    The user says it, not the file: whoever wrote the file would choose what is imported.
    """
    if own is None:
        return {}
    kind = learner_class(own)
    return {kind.__name__: kind}


def _names(learner: Learner) -> list[str]:
    from driftduel.learners.report import names_of

    return list(names_of(learner.n_arms, learner.labels))


def _by_name(value: Any, names: list[str], is_arm: bool = False) -> Any:
    """Return data in which arms are named, not numbered.

    Examples
    --------
    >>> _by_name({"round": 1, "arm": 1, "active": (0, 1)}, ["tea", "milk"])
    {'round': 1, 'arm': 'milk', 'active': ['tea', 'milk']}
    """
    if isinstance(value, dict):
        return {key: _by_name(item, names, key in _ARMS) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_by_name(item, names, is_arm) for item in value]
    return names[value] if is_arm and type(value) is int else value


def _print_status(facts: dict[str, Any]) -> None:
    from driftduel.cli.tables import fact_grid, joined

    grid = fact_grid()
    grid.add_row("learner", f"{facts['learner']}, {facts['criterion']}")
    planned = "" if facts["horizon"] is None else f" of {facts['horizon']:,}"
    grid.add_row("rounds", f"{facts['rounds']:,}{planned}")
    waiting = [f"{duel['duel']} ({duel['left']}, {duel['right']})" for duel in facts["open"]]
    grid.add_row("open duels", joined(waiting[:_SHOWN_DUELS], len(waiting)) or "none")
    console().print(grid)
