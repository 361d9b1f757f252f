"""What to run, as a TOML file says it: streams, learners, seeds, points and criteria.

Lists of values make grids. Whatever is wrong is reported with the line and the key it is in.
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, time
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from driftduel._support.checks import LONGEST, BadParameter, check_printable
from driftduel._support.limits import COMBINATIONS, POINTS, RUNS, SEEDS
from driftduel._support.params import parameters_of, resolve
from driftduel._support.registry import look_beside
from driftduel._support.text import did_you_mean
from driftduel.experiments.grids import Parameters, expand, labels
from driftduel.learners import Learner
from driftduel.matrix.criteria import NAMED, Criterion, as_criterion
from driftduel.worlds import catalogue

CriterionText = str | tuple[float, ...]
"""A criterion as a spec has it: a name, also after ``weak``, or the weights of the arms."""

_WEAK = "weak "

_TOP = {"title", "horizon", "seeds", "points", "criteria", "stream", "learner"}
_OF_STREAM = ("n_arms", "seed", "labels")
_POINTS = 100
_LARGEST_SEED = 2**62


@dataclass(frozen=True)
class Place:
    """Where in a spec a table stands, for messages."""

    file: str
    text: str = field(repr=False)
    table: str = ""
    index: int = 0

    def at(self, key: str = "") -> str:
        """Return the file, the line and the name of a key of this table, or of the table."""
        name = f"{self.table}[{self.index}]" if self.table else ""
        name = ".".join(part for part in (name, key) if part)
        line = self._line(key)
        return f"{self.file}, line {line}: {name}" if line else f"{self.file}: {name}"

    def fail(self, key: str, reason: object) -> NoReturn:
        """Raise ValueError about a key of this table."""
        raise ValueError(f"{self.at(key)}: {reason}")

    @contextmanager
    def report_errors(self, more: str = "") -> Iterator[None]:
        """Raise ValueError about the key of this table that a BadParameter names."""
        try:
            yield
        except BadParameter as error:
            self.fail(error.name, f"{error.reason}{more}")

    def _line(self, key: str) -> int:
        """Return the line of a key, that of its table if it is not found, or 0."""
        outer = key.partition(".")[0]
        lines = self.text.splitlines()
        begin, end = 0, len(lines)
        if self.table:
            heads = [
                number
                for number, line in enumerate(lines)
                if re.match(rf"\s*\[\[\s*{self.table}\s*\]\]", line)
            ]
            if self.index >= len(heads):
                return 0
            begin = heads[self.index]
        for number in range(begin + 1 if self.table else 0, end):
            if re.match(r"\s*\[\[", lines[number]):
                break
            if key and re.match(rf"\s*[\"']?{re.escape(outer)}[\"']?\s*[=.]", lines[number]):
                return number + 1
        return begin + 1 if self.table else 0


@dataclass(frozen=True)
class StreamEntry:
    """One stream of a spec: a built-in world with its parameters, or a file."""

    label: str
    world: str
    parameters: Parameters
    criteria: tuple[CriterionText, ...]
    place: Place = field(repr=False)
    file: Path | None = None


@dataclass(frozen=True)
class LearnerEntry:
    """One learner of a spec: its name, as `Learner._named` takes it, and its parameters."""

    label: str
    name: str
    parameters: Parameters
    place: Place = field(repr=False)


@dataclass(frozen=True)
class Spec:
    """What to run: every learner on every stream with every seed.

    Attributes
    ----------
    text : str
        The spec as it was written.
    title : str
        What it is about.
    seeds : tuple of int
        The seeds of the runs.
    points : int
        At how many rounds regret is kept.
    streams, learners : tuple
        The points of all grids, each with its label.
    """

    text: str = field(repr=False)
    title: str
    seeds: tuple[int, ...]
    points: int
    streams: tuple[StreamEntry, ...]
    learners: tuple[LearnerEntry, ...]

    @cached_property
    def hash(self) -> str:
        """A short hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @classmethod
    def parse(cls, text: str, file: str = "spec", folder: Path = Path()) -> Spec:
        """Read a spec from its text.

        Parameters
        ----------
        text : str
            TOML.
        file : str
            What messages call it.
        folder : Path
            The folder that files of streams are relative to, and where modules of learners that
            are not installed are looked for.

        Raises
        ------
        ValueError
            If anything in it is wrong; the message names the line, the key and what is allowed.

        Examples
        --------
        >>> spec = Spec.parse('''
        ... seeds = 4
        ... [[stream]]
        ... world = "switching"
        ... n_arms = [3, 5]
        ... [[learner]]
        ... name = "MetaBosse"
        ... ''')
        >>> [stream.label for stream in spec.streams], spec.seeds
        (['switching, n_arms = 3', 'switching, n_arms = 5'], (0, 1, 2, 3))
        """
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{file}: is not TOML: {error}") from None
        except RecursionError:
            raise ValueError(f"{file}: lists or tables are nested too deeply") from None
        top = Place(file, text)
        for key in table:
            if key not in _TOP:
                top.fail(
                    key,
                    f"no such key{did_you_mean(key, _TOP)}, there are {', '.join(sorted(_TOP))}",
                )
        title = table.get("title", Path(file).stem)
        if not isinstance(title, str):
            top.fail("title", f"is {title!r}, must be text")
        _check_printable(title, "title", top)
        spec = cls(
            text=text,
            title=title,
            seeds=_seeds(table.get("seeds", 8), top),
            points=_count(table.get("points", _POINTS), "points", top, most=POINTS),
            streams=_streams(table, top, folder),
            learners=_learners(table, top, folder),
        )
        spec._check_size(top)
        return spec

    def _check_size(self, top: Place) -> None:
        """Refuse what would fill the memory before anything runs."""
        combinations = len(self.streams) * len(self.learners)
        runs = combinations * len(self.seeds)
        if combinations > COMBINATIONS or runs > RUNS:
            raise ValueError(
                f"{top.file}: asks for {runs:,} runs, of {len(self.learners):,} learners on "
                f"{len(self.streams):,} streams with {len(self.seeds):,} seeds; at most {RUNS:,} "
                f"are allowed, of {COMBINATIONS:,} learners on streams"
            )


def read_spec(path: str | os.PathLike[str]) -> Spec:
    """Read a spec from a TOML file; see `Spec.parse`."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{file}: is not text in UTF-8") from None
    return Spec.parse(text, file.name, file.parent)


def criterion_name(text: CriterionText) -> str:
    """Return the name that tables use for a criterion.

    Examples
    --------
    >>> criterion_name((0.5, 0.25, 0.25))
    'weighted [0.5, 0.25, 0.25]'
    """
    if isinstance(text, str):
        return text
    return f"weighted [{', '.join(f'{part:g}' for part in text)}]"


def criterion_of(text: CriterionText) -> tuple[Criterion, bool]:
    """Return a criterion, and whether only the better arm of a pair counts.

    Examples
    --------
    >>> criterion_of("weak borda")
    (Borda(), True)
    """
    weak = isinstance(text, str) and text.startswith(_WEAK)
    return as_criterion(text.removeprefix(_WEAK) if isinstance(text, str) else text), weak


def _seeds(value: Any, top: Place) -> tuple[int, ...]:
    if isinstance(value, list):
        if not value:
            top.fail("seeds", "the list is empty")
        for seed in value:
            if not _is_whole(seed) or not 0 <= seed < _LARGEST_SEED:
                top.fail("seeds", f"{seed!r} is no seed, must be a whole number from 0 on")
        if len(set(value)) < len(value):
            top.fail("seeds", "a seed is listed twice")
        return tuple(value)
    return tuple(range(_count(value, "seeds", top, " or a list of seeds", most=SEEDS)))


def _count(value: Any, key: str, place: Place, more: str = "", most: int = LONGEST) -> int:
    if not _is_whole(value) or value < 1:
        place.fail(key, f"is {value!r}, must be a whole number from 1 on{more}")
    if value > most:
        place.fail(key, f"is {value}, must be at most {most:,}")
    return int(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _criteria(value: Any, place: Place) -> tuple[CriterionText, ...]:
    allowed = f"must be a list of {', '.join(map(repr, NAMED))} or lists of weights"
    if not isinstance(value, list) or not value:
        place.fail("criteria", f"is {value!r}, {allowed}")
    chosen: list[CriterionText] = []
    for item in value:
        try:
            text = item if isinstance(item, str) else tuple(float(part) for part in item)
            criterion_of(text)
        except (TypeError, ValueError) as error:
            reason = error if isinstance(error, ValueError) else allowed
            place.fail("criteria", f"{item!r}: {reason}")
        chosen.append(text)
    if len(set(chosen)) < len(chosen):
        place.fail("criteria", "a criterion is listed twice")
    return tuple(chosen)


def _tables(table: Mapping[str, Any], kind: str, top: Place) -> list[tuple[dict[str, Any], Place]]:
    found = table.get(kind)
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        top.fail(kind, f"there must be one [[{kind}]] table at least")
    if not found:
        top.fail(kind, f"there must be one [[{kind}]] table at least")
    tables = [(dict(item), Place(top.file, top.text, kind, n)) for n, item in enumerate(found)]
    for item, place in tables:
        for key, value in item.items():
            if _has_date(value):
                place.fail(key, "is a date or a time, must be a number, text or a list of them")
    return tables


def _has_date(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_date, value.values() if isinstance(value, dict) else value))
    return isinstance(value, date | time)


def _label(table: dict[str, Any], place: Place) -> str | None:
    label = table.pop("label", None)
    if label is not None and (not isinstance(label, str) or not label.strip()):
        place.fail("label", f"is {label!r}, must be text")
    if label is not None:
        _check_printable(label, "label", place)
    return label


def _check_printable(text: str, key: str, place: Place) -> None:
    try:
        check_printable([text], key)
    except ValueError:
        place.fail(key, f"is {text!r}, must be printable")


def _streams(table: Mapping[str, Any], top: Place, folder: Path) -> tuple[StreamEntry, ...]:
    horizons = table.get("horizon")
    for value in horizons if isinstance(horizons, list) else [horizons]:
        if horizons is not None:
            _count(value, "horizon", top, " or a list of them")
    everywhere = _criteria(table.get("criteria", ["borda"]), top)
    drafts: list[_Draft] = []
    for item, place in _tables(table, "stream", top):
        label = _label(item, place)
        criteria = _criteria(item.pop("criteria"), place) if "criteria" in item else everywhere
        file = item.pop("file", None)
        world = item.pop("world", None)
        if (file is None) == (world is None):
            place.fail("", "needs either a world or a file")
        name = world if file is None else file
        if not isinstance(name, str):
            place.fail("file" if world is None else "world", f"is {name!r}, must be text")
        owner = _of_file if file is not None else _builder(world, place)
        if file is None and horizons is not None and "horizon" not in item:
            item["horizon"] = horizons
        points, varying = _expand(item, place, owner)
        path = None if file is None else folder / file
        drafts.append(_Draft(name, label, points, varying, place, (criteria, path)))
    return tuple(
        StreamEntry(label, draft.name, point, draft.extra[0], draft.place, draft.extra[1])
        for label, draft, point in _label_points(drafts)
    )


def _builder(world: str, place: Place) -> Any:
    if world not in catalogue.names():
        there_are = (
            f"{did_you_mean(world, catalogue.names())}, there are {', '.join(catalogue.names())}"
        )
        place.fail("world", f"no world is called {world!r}{there_are}")
    return catalogue.CATALOGUE[world].builder


def _of_file(*, horizon: int) -> None:
    """Stand for a file, which takes these parameters."""


def _learners(table: Mapping[str, Any], top: Place, folder: Path) -> tuple[LearnerEntry, ...]:
    drafts: list[_Draft] = []
    for item, place in _tables(table, "learner", top):
        label = _label(item, place)
        name = item.pop("name", None)
        _refuse_given(item, place)
        with place.report_errors():
            for part in (name, *_names_in(item)):
                look_beside(part, folder)
            owner = Learner._named(name)
        # The oracle of a stream is made from the stream.
        hidden = parameters_of(owner).keys() - {"criterion"} if name == "Oracle" else _OF_STREAM
        points, varying = _expand(item, place, owner, hidden)
        drafts.append(_Draft(name, label, points, varying, place, ()))
    return tuple(
        LearnerEntry(label, draft.name, point, draft.place)
        for label, draft, point in _label_points(drafts)
    )


def _names_in(value: Any) -> Iterator[Any]:
    """Yield the names of the learners inside a table, in grids too."""
    if isinstance(value, dict):
        yield value.get("name")
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from _names_in(part)


def _refuse_given(table: Mapping[str, Any], place: Place, at: str = "") -> None:
    """Refuse what the stream or the seeds give to a learner, or to one inside it."""
    for key, value in table.items():
        if key in _OF_STREAM:
            source = "seeds at the top" if key == "seed" else "the stream"
            place.fail(at + key, f"is given by {source}, not here")
        if isinstance(value, dict) and "name" in value:
            _refuse_given(value, place, f"{at}{key}.")


def _expand(
    item: Mapping[str, Any], place: Place, owner: Any, hidden: Collection[str] = ()
) -> tuple[list[Parameters], list[str]]:
    """Return the points of a grid and what varies, if all parameters are those of the owner."""
    known = parameters_of(owner)
    criterion = item.get("criterion")
    weights = isinstance(criterion, list) and all(
        isinstance(part, int | float) for part in criterion
    )

    def depth(key: str) -> int:
        if key in known and any(
            kind.type == Sequence[Sequence[float]] for kind in known[key].kinds
        ):
            return 2
        return int((key in known and known[key].takes_list) or (key == "criterion" and weights))

    with place.report_errors():
        points, varying = expand(item, depth)
        return [resolve(owner, point, hidden=hidden) for point in points], varying


@dataclass(frozen=True)
class _Draft:
    name: str
    label: str | None
    points: list[Parameters]
    varying: list[str]
    place: Place
    extra: tuple[Any, ...]


def _label_points(drafts: Sequence[_Draft]) -> list[tuple[str, _Draft, Parameters]]:
    """Give every point a label of its own: as short as tells them apart."""
    short = [labels(draft.label or draft.name, draft.points, draft.varying) for draft in drafts]
    counts: dict[str, int] = {}
    for name in (label for group in short for label in group):
        counts[name] = counts.get(name, 0) + 1
    found: list[tuple[str, _Draft, Parameters]] = []
    seen: dict[str, Place] = {}
    for draft, names in zip(drafts, short, strict=True):
        twice = draft.label is None and any(counts[label] > 1 for label in names)
        group = labels(draft.name, draft.points, draft.points[0]) if twice else names
        for label, point in zip(group, draft.points, strict=True):
            if label in seen:
                other = f"{seen[label].table}[{seen[label].index}]"
                draft.place.fail("label", f"{label!r} is also the label of {other}, choose another")
            seen[label] = draft.place
            found.append((label, draft, point))
    return found
