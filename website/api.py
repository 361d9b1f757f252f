"""The pages of the reference: one for every public name, and one that lists them by subject.

What is public is listed here, once; tests hold the docstrings of all of it to what a reader of
the reference needs.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple


class Subject(NamedTuple):
    """A part of the reference: a title, what it is, and the names of a module that belong to it."""

    title: str
    about: str
    module: str
    names: str = ""
    """All public names of the module that are on no page before, if left out."""


SUBJECTS = (
    Subject(
        "Votes",
        "Read files and tables of votes, and say who is best, since when, and how sure that is.",
        "driftduel",
        "analyse Analysis read_log Log history History timeline Timeline estimate Estimate "
        "ratings Ratings measure_log read_matrix",
    ),
    Subject("More on votes", "What stands behind the names above.", "driftduel.votes"),
    Subject(
        "Logged data for obp",
        "Votes as the Open Bandit Pipeline reads them.",
        "driftduel.votes.obp",
    ),
    Subject(
        "Polls and learners",
        "Ask people, a pair at a time, and know who is best now.",
        "driftduel",
        "DriftPoll DriftDuel Learner MetaBosse Bosse all_learners learner_file load_learner",
    ),
    Subject(
        "All learners, and what one is made of",
        "The rivals from the literature, and the parts of a learner of your own.",
        "driftduel.learners",
    ),
    Subject("Checks for a learner of yours", "The contract as tests.", "driftduel.testing"),
    Subject(
        "What best means",
        "Criteria, and the classes and winners of one matrix.",
        "driftduel",
        "Criterion Borda Weighted Condorcet Copeland Banks TopCycle Uncovered VonNeumann "
        "WeightSequence classify",
    ),
    Subject("Tournament solutions", "Sets of winners of one matrix.", "driftduel.matrix"),
    Subject(
        "Worlds and how much they move",
        "Preferences over time, and every measure of their change.",
        "driftduel",
        "Stream measure Measures Phases",
    ),
    Subject("Measures", "", "driftduel.worlds.measures"),
    Subject("Real votes", "Data that ship with the library.", "driftduel.worlds.datasets"),
    Subject("Worlds by name", "", "driftduel.worlds.catalogue"),
    Subject("Worlds made up", "", "driftduel.worlds.synthetic"),
    Subject("Worlds from lower bounds", "", "driftduel.worlds.hard"),
    Subject("Worlds made to break learners", "", "driftduel.worlds.adversarial"),
    Subject("Random matrices", "", "driftduel.worlds.matrices"),
    Subject("Environments of gymnasium", "", "driftduel.worlds.gym"),
    Subject(
        "Simulations",
        "Learners that play in worlds, once or in whole experiments.",
        "driftduel",
        "simulate simulate_many Run Results",
    ),
    Subject("Experiments", "", "driftduel.experiments"),
    Subject("Figures", "Charts of runs and results.", "driftduel.plot"),
    Subject("Reports", "", "driftduel.report"),
    Subject("The arena's client", "Ask and tell a server from a program.", "driftduel.arena"),
    Subject("Errors", "", "driftduel", "BadParameter"),
)


class Entry(NamedTuple):
    """A public name: where it is had, and what it is."""

    path: str
    thing: Any


def module_of(name: str) -> ModuleType:
    """Return a module by the name users have it by; `driftduel.plot` is an attribute."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        parent, _, last = name.rpartition(".")
        found: ModuleType = getattr(importlib.import_module(parent), last)
        return found


def _names(module: ModuleType) -> list[str]:
    """Return the public names of a module: what it lists, or else what it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)

    def is_own(thing: Any) -> bool:
        home = getattr(thing, "__module__", None) or ""
        return home == module.__name__ or home.startswith(module.__name__ + ".")

    names = vars(module) if "__getattr__" not in vars(module) else dir(module)
    return [
        name for name in names if not name.startswith("_") and is_own(getattr(module, name, None))
    ]


def entries() -> dict[Subject, list[Entry]]:
    """Return the functions and classes of every subject, each once."""
    seen: set[int] = set()
    listed: dict[Subject, list[Entry]] = {}
    named = {name for one in SUBJECTS if one.module == "driftduel" for name in one.names.split()}
    for subject in SUBJECTS:
        module = module_of(subject.module)
        found = []
        for name in subject.names.split() or _names(module):
            thing = getattr(module, name)
            if not (is_function(thing) or inspect.isclass(thing)) or id(thing) in seen:
                continue
            if not subject.names and thing.__name__ in named and name in named:
                continue
            if not thing.__module__.startswith("driftduel"):
                continue
            seen.add(id(thing))
            found.append(Entry(f"{subject.module}.{name}", thing))
        listed[subject] = found
    return listed


def is_function(thing: Any) -> bool:
    """Tell whether a thing is a function, also one whose answers are kept."""
    return inspect.isfunction(thing) or inspect.isfunction(inspect.unwrap(thing))


def is_protocol_check(path: str) -> bool:
    """Tell whether a name is one of the checks that `driftduel.testing.check_learner` runs."""
    return path.startswith("driftduel.testing.check_") and path != "driftduel.testing.check_learner"


def _page(entry: Entry) -> str:
    title = f"{entry.path}\n{'=' * len(entry.path)}\n\n"
    if is_function(entry.thing):
        return f"{title}.. autofunction:: {entry.path}\n"
    return f"{title}.. autoclass:: {entry.path}\n   :members:\n   :show-inheritance:\n"


def write(folder: Path) -> None:
    """Write the pages of the reference to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "Reference",
        "=========",
        "",
        "Every public name, by subject. ``import driftduel as dd``.",
        "",
    ]
    for subject, found in entries().items():
        lines += [subject.title, "-" * len(subject.title), ""]
        lines += [subject.about or (module_of(subject.module).__doc__ or "").partition("\n")[0], ""]
        lines += [".. list-table::", "   :widths: 34 66", ""]
        for entry in found:
            first = (inspect.getdoc(entry.thing) or "").partition("\n")[0].replace("`", "``")
            lines += [f"   * - :doc:`{entry.path}`", f"     - {first}"]
        lines.append("")
    lines += [".. toctree::", "   :hidden:", ""]
    for found in entries().values():
        for entry in found:
            (folder / f"{entry.path}.rst").write_text(_page(entry), encoding="utf-8")
            lines.append(f"   {entry.path}")
    (folder / "index.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
