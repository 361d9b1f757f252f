"""``driftduel new``, ``ask``, ``tell`` and ``status``: a learner that lives in a file.

Two commands may use one file at once: each takes a lock beside it, reads the learner, changes it
and replaces the file. Reading alone needs no lock, because a file is replaced whole.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftduel.cli.learners import learner_class
from driftduel.cli.shared import Json, Param, as_names, as_numbers, as_pairs, console, print_json

if TYPE_CHECKING:
    from driftduel.criteria import Criterion
    from driftduel.learners import Eviction, Learner

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file of the learner.")]

_OWN_OPTIONS = ("n_arms", "horizon", "criterion", "seed", "labels")
_WORDS = {"left": 1.0, "right": 0.0, "tie": 0.5}
_SHOWN_EVICTIONS = 5


def new(
    file: File,
    arms: Annotated[str, typer.Option(metavar="A,B,C", help="The names of the arms.")],
    horizon: Annotated[
        int | None, typer.Option(help="Number of votes to plan for, if it is known.")
    ] = None,
    criterion: Annotated[
        str, typer.Option(metavar="borda|condorcet", help='What "best" means.')
    ] = "borda",
    weight: Annotated[
        str | None,
        typer.Option(metavar="W,W,W", help="Judge by this weight instead, one number per arm."),
    ] = None,
    learner: Annotated[
        str, typer.Option(help="Who plays; see driftduel learners.")
    ] = "CalibratedMetaBosse",
    seed: Annotated[int, typer.Option(help="Seed of the learner's randomness.")] = 0,
    param: Param = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Make a learner in a file."""
    from driftduel._files import locked
    from driftduel.streams.catalogue import read_parameters

    names = as_names(arms, "--arms")
    kind = learner_class(learner)
    annotations = {
        item.name: str(item.type)
        for item in fields(kind)
        if item.init and item.name not in _OWN_OPTIONS
    }
    made = kind(
        len(names),
        horizon,
        criterion=_criterion(criterion, weight),
        seed=seed,
        labels=tuple(names),
        **read_parameters(learner, annotations, as_pairs(param or [])),
    )
    with locked(file):
        if file.exists() and not force:
            raise ValueError(f"{file}: exists already, --force replaces it and forgets its votes")
        made.save(file)
    console().print(f"{file}: {learner} with {len(names)} arms", soft_wrap=True)


def ask(file: File, as_json: Json = False) -> None:
    """Print the next duel: number, left arm, right arm.

    They are separated by tabs. The two arms may be the same; tell such a duel as a tie. A duel
    that is never told costs nothing.
    """
    from driftduel._files import locked

    with locked(_existing(file)):
        learner = _load(file)
        duel = learner.ask()
        learner.save(file)
    names = _names(learner)
    if as_json:
        print_json(
            {
                "duel": duel.id,
                "left": names[duel.left],
                "right": names[duel.right],
                "propensity": duel.propensity,
            }
        )
    else:
        print(duel.id, names[duel.left], names[duel.right], sep="\t")


def tell(
    file: File,
    duel: Annotated[int, typer.Argument(metavar="DUEL", help="Its number.")],
    outcome: Annotated[
        str,
        typer.Argument(
            metavar="OUTCOME",
            help="left, right or tie; or 1, 0 or 0.5; or the name of the preferred arm.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Tell the outcome of a duel; each counts once, in any order."""
    from driftduel._files import locked

    with locked(_existing(file)):
        learner = _load(file)
        sides = {asked.id: (asked.left, asked.right) for asked in learner.open_duels}
        names = _names(learner)
        value = read_outcome(outcome, [names[arm] for arm in sides.get(duel, ())])
        learner.tell(duel, value)
        learner.save(file)
    left, right = (names[arm] for arm in sides[duel])
    if as_json:
        print_json(
            {
                "duel": duel,
                "left": left,
                "right": right,
                "outcome": value,
                "rounds": learner.rounds,
                "best": names[learner.best()],
            }
        )
    else:
        relation = {1.0: "was preferred to", 0.0: "lost to", 0.5: "tied with"}[value]
        print(f"duel {duel}: {left} {relation} {right}")


def status(file: File, as_json: Json = False) -> None:
    """Tell who is best now and what happened so far."""
    from driftduel.learners import CalibratedMetaBosse

    learner = _load(_existing(file))
    names = _names(learner)
    facts: dict[str, Any] = {
        "learner": type(learner).__name__,
        "criterion": learner.criterion.name,
        "arms": names,
        "horizon": learner.horizon,
        "rounds": learner.rounds,
        "best": names[learner.best()],
        "active": [names[arm] for arm in learner.active],
        "episodes": learner.episodes,
        "open": [
            {"duel": duel.id, "left": names[duel.left], "right": names[duel.right]}
            for duel in learner.open_duels
        ],
        "evictions": [_eviction(item, names) for item in learner.evictions],
        "replays": len(learner.replays),
    }
    if isinstance(learner, CalibratedMetaBosse):
        facts["report"] = asdict(learner.report())
    if as_json:
        print_json(facts)
    else:
        _print_status(facts)
        if isinstance(learner, CalibratedMetaBosse):
            print(learner.report())


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
    word = text.strip()
    meanings = set()
    if word.lower() in _WORDS:
        meanings.add(_WORDS[word.lower()])
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


def _criterion(name: str, weight: str | None) -> Criterion:
    from driftduel.criteria import Weighted, as_criterion

    if weight is None:
        return as_criterion(name)
    return Weighted(as_numbers(weight, "--weight"))


def _existing(file: Path) -> Path:
    if not file.exists():
        raise FileNotFoundError(
            f"{file}: there is no such file; driftduel new {file} --arms A,B,C makes one"
        )
    return file


def _load(file: Path) -> Learner:
    from driftduel.learners import load_learner

    return load_learner(file)


def _names(learner: Learner) -> list[str]:
    return list(learner.labels or map(str, range(learner.n_arms)))


def _eviction(item: Eviction, names: list[str]) -> dict[str, Any]:
    return {
        "round": item.round,
        "arm": names[item.arm],
        "beaten_by": names[item.beaten_by],
        "first": item.first,
        "last": item.last,
        "weight": None if item.weight is None else names[item.weight],
        "statistic": item.statistic,
        "threshold": item.threshold,
    }


def _print_status(facts: dict[str, Any]) -> None:
    from driftduel.cli.tables import fact_grid, joined

    grid = fact_grid()
    grid.add_row("best now", facts["best"])
    grid.add_row("in play", ", ".join(facts["active"]))
    planned = "" if facts["horizon"] is None else f" of {facts['horizon']:,}"
    grid.add_row("votes", f"{facts['rounds']:,}{planned}")
    waiting = [f"{duel['duel']} ({duel['left']}, {duel['right']})" for duel in facts["open"]]
    grid.add_row("open duels", joined(waiting[:5], len(waiting)) or "none")
    episodes = [f"{start:,}" for start in facts["episodes"]]
    grid.add_row("episodes", f"{len(episodes):,}, begun after votes {joined_last(episodes)}")
    grid.add_row("learner", f"{facts['learner']}, {facts['criterion']}")
    for number, item in enumerate(facts["evictions"][-_SHOWN_EVICTIONS:]):
        grid.add_row("" if number else "dropped", _in_words(item))
    console().print(grid)


def joined_last(items: list[str], most: int = 5) -> str:
    """Join the last items of a list; the latest matter most.

    Examples
    --------
    >>> joined_last(["0", "10", "20"]), joined_last(["0", "10", "20"], most=2)
    ('0, 10, 20', '... 10, 20')
    """
    text = ", ".join(items[-most:])
    return text if len(items) <= most else f"... {text}"


def _in_words(item: dict[str, Any]) -> str:
    against = "" if item["weight"] is None else f" against {item['weight']}"
    return (
        f"{item['arm']} after vote {item['round'] + 1:,}: {item['beaten_by']} was ahead of it"
        f"{against} by {item['statistic']:,.4g} (needed: {item['threshold']:,.4g}) over votes "
        f"{item['first'] + 1:,} to {item['last'] + 1:,}"
    )
