"""The one door for values: what a caller, a spec, a command or a file gives becomes an object.

The parameters of a learner are the fields of its dataclass, those of a world the arguments of its
function. Their types are the annotations, and the bounds of numbers stand beside the fields as
data (`bounded`). Values are typed, as in TOML and JSON, or texts, as on a command line; what is
wrong with one is a `BadParameter`, which knows the name of the key.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from driftduel._support.checks import BadParameter, Bounds, as_count
from driftduel._support.text import did_you_mean
from driftduel.matrix.criteria import Criterion, as_criterion

_ANYWHERE = Bounds()


@dataclass(frozen=True)
class Kind:
    """A type that the values of a parameter may have.

    Attributes
    ----------
    type : object
        The annotation.
    words : str
        What a value has to be, for messages.
    takes : callable
        Whether a typed value is of this kind.
    read : callable or None
        Turns a text into a value or raises ValueError; None if no text can mean one.
    """

    type: Any
    words: str
    takes: Callable[[Any], bool]
    read: Callable[[str], Any] | None = None


@dataclass(frozen=True)
class Parameter:
    """One parameter of a learner or a world: its name, kinds, default and bounds."""

    name: str
    kinds: tuple[Kind, ...]
    default: Any = MISSING
    bounds: Bounds = _ANYWHERE

    @property
    def optional(self) -> bool:
        """Whether None is a value of it."""
        return any(kind.type is NoneType for kind in self.kinds)

    @property
    def takes_list(self) -> bool:
        """Whether a list is one value of it."""
        return any(kind.takes([]) for kind in self.kinds if kind.type is not Criterion)

    @property
    def table(self) -> type | None:
        """The class whose parameters a table of this parameter holds; None if it takes none."""
        classes = (kind.type for kind in self.kinds if isinstance(kind.type, type))
        return next(filter(dataclasses.is_dataclass, classes), None)

    @property
    def words(self) -> str:
        """What a value has to be, for messages."""
        return self._words(self.kinds)

    def checked(self, value: Any) -> Any:
        """Return a typed value as the type that it should have.

        A table becomes an object of the class that the parameter takes.
        """
        for kind in self.kinds:
            if kind.takes(value):
                return self._convert(kind, value)
        if isinstance(value, Mapping) and self.table is not None:
            try:
                return build(self.table, value)
            except BadParameter as error:
                raise error.inside(self.name) from None
        raise BadParameter(self.name, f"is {value!r}, must be {self.words}")

    def read(self, text: str) -> Any:
        """Return the value that a text means."""
        readable = tuple(kind for kind in self.kinds if kind.read is not None)
        # "none" and "3" are also texts.
        for kind in sorted(readable, key=lambda kind: _ORDER.get(kind.type, 1)):
            try:
                value = kind.read(text.strip()) if kind.read else None
            except ValueError:
                continue
            return self._convert(kind, value)
        rule = f"must be {self._words(readable)}" if readable else "cannot be given as text"
        raise BadParameter(self.name, f"is {text!r}, {rule}")

    def _convert(self, kind: Kind, value: Any) -> Any:
        if kind.type is int:
            return as_count(value, self.name, self.bounds.least, self.bounds.most)
        if kind.type is float:
            return self.bounds.checked(value, self.name)
        if kind.type is bool:
            return bool(value)
        if kind.type is Criterion:
            try:
                return as_criterion(value)
            except BadParameter as error:
                raise error if error.name == self.name else error.inside(self.name) from None
        return value

    def _words(self, kinds: Sequence[Kind]) -> str:
        none_last = sorted(kinds, key=lambda kind: kind.type is NoneType)
        words = [self.bounds.kind if kind.type is float else kind.words for kind in none_last]
        return " or ".join(words)


def bounded(
    default: Any = MISSING,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    below: float = math.inf,
) -> Any:
    """Return a field of a dataclass with the bounds that `check_fields` holds its value to.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Rate:
    ...     alpha: float = bounded(0.51, above=0.5)
    ...
    ...     def __post_init__(self) -> None:
    ...         check_fields(self)
    >>> Rate(1)
    Rate(alpha=1.0)
    >>> Rate(0.5)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: alpha is 0.5, must be a number above 0.5
    """
    bounds = Bounds(least, most, above, below)
    return dataclasses.field(default=default, metadata={"bounds": bounds})


def check_fields(instance: Any) -> None:
    """Check every field of a dataclass by its type and bounds, and keep it as that type.

    Lists are left alone: what may be in one is for the class to say.
    """
    owner: Any = type(instance)
    for parameter in parameters_of(owner).values():
        if not parameter.takes_list:
            value = parameter.checked(getattr(instance, parameter.name))
            object.__setattr__(instance, parameter.name, value)


def build(owner: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Make an object of a dataclass, or call a function, with typed values by name.

    Parameters
    ----------
    owner : class or function
        What to make or call.
    values : mapping
        Its parameters; those left out have their defaults.

    Raises
    ------
    BadParameter
        If there is no such parameter, one is missing, or a value does not fit.
    """
    known = parameters_of(owner)
    given = resolve(owner, values)
    for parameter in known.values():
        if parameter.default is MISSING and parameter.name not in given:
            raise BadParameter(parameter.name, "is missing")
    return owner(**{key: known[key].checked(value) for key, value in given.items()})


def resolve(
    owner: Callable[..., Any],
    table: Mapping[str, Any],
    *,
    texts: bool = False,
    hidden: Collection[str] = (),
) -> dict[str, Any]:
    """Return the values of a table, those of tables inside it too, if all their names are known.

    Nothing is checked of the values but that texts can be read; `build` does the rest.

    Parameters
    ----------
    owner : class or function
        Whose parameters they are.
    table : mapping
        Values by name. "none" is None where that is allowed, for TOML has no word for it.
    texts : bool
        Whether values are texts.
    hidden : collection of str
        Parameters that cannot be given here.

    Raises
    ------
    BadParameter
        If there is no such parameter, one of a table is missing, or a text means no value.
    """
    known = {key: item for key, item in parameters_of(owner).items() if key not in hidden}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            there_are = f"{did_you_mean(key, known)}, there are {', '.join(known)}"
            raise BadParameter(key, f"is no parameter{there_are}")
        if isinstance(value, Mapping):
            if known[key].table is None:
                raise BadParameter(key, f"is a table, must be {known[key].words}")
            try:
                values[key] = _resolve_table(known[key], value, texts, hidden)
            except BadParameter as error:
                raise error.inside(key) from None
        elif texts:
            values[key] = known[key].read(value)
        else:
            word = isinstance(value, str) and value == "none"
            values[key] = None if word and known[key].optional else value
    return values


def _resolve_table(
    parameter: Parameter, table: Mapping[str, Any], texts: bool, hidden: Collection[str]
) -> dict[str, Any]:
    kind: Any = parameter.table
    if hasattr(kind, "_named"):  # it stands for others, of which the table names one
        rest = {key: value for key, value in table.items() if key != "name"}
        name = table.get("name")
        return {"name": name, **resolve(kind._named(name), rest, texts=texts, hidden=hidden)}
    values = resolve(kind, table, texts=texts)
    for key, item in parameters_of(kind).items():
        if item.default is MISSING and key not in values:
            raise BadParameter(key, "is missing")
    return values


def nested(pairs: Mapping[str, str]) -> dict[str, Any]:
    """Return pairs with dotted keys as tables.

    Examples
    --------
    >>> nested({"steps": "8", "constants.scale": "0.3", "constants.cap": "1"})
    {'steps': '8', 'constants': {'scale': '0.3', 'cap': '1'}}
    """
    tables: dict[str, Any] = {}
    for key, text in pairs.items():
        *outer, last = key.split(".")
        table = tables
        for part in outer:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise BadParameter(part, "is given as a value and as a table")
        if last in table:
            raise BadParameter(key, "is given as a value and as a table")
        table[last] = text
    return tables


@cache
def parameters_of(owner: Any) -> dict[str, Parameter]:
    """Return the parameters of a dataclass or a function by name.

    Examples
    --------
    >>> def world(*, n_arms: int = 3, weight: ArrayLike | None = None) -> None: ...
    >>> parameters_of(world)["weight"].optional, parameters_of(world)["weight"].takes_list
    (True, True)
    """
    try:
        hints = get_type_hints(owner.func if isinstance(owner, partial) else owner)
    except NameError as error:
        raise TypeError(
            f"{owner!r}: {error}; the types of its parameters must be known when it runs"
        ) from None
    if dataclasses.is_dataclass(owner):
        return {
            item.name: Parameter(
                item.name,
                kinds_of(hints[item.name]),
                item.default if item.default_factory is MISSING else item.default_factory(),
                item.metadata.get("bounds", _ANYWHERE),
            )
            for item in dataclasses.fields(owner)
            if item.init
        }
    return {
        item.name: Parameter(
            item.name,
            kinds_of(hints[item.name]),
            MISSING if item.default is item.empty else item.default,
        )
        for item in inspect.signature(owner).parameters.values()
    }


def kinds_of(hint: Any) -> tuple[Kind, ...]:
    """Return the kinds that an annotation allows.

    Examples
    --------
    >>> [kind.words for kind in kinds_of(Literal["dyadic", "all"] | None)]
    ["'dyadic' or 'all'", 'none']
    """
    types = list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]
    # A union flattens, and what is array_like is itself a long union.
    arrays = get_args(ArrayLike)
    if set(arrays) <= set(types):
        types = [ArrayLike, *(kind for kind in types if kind not in arrays)]
    return tuple(_kind(kind) for kind in types)


def _kind(hint: Any) -> Kind:
    for kind in _KINDS:
        if kind.type == hint:
            return kind
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        words = " or ".join(map(repr, arguments))
        return Kind(
            hint,
            words,
            lambda value: isinstance(value, str) and value in arguments,
            lambda text: arguments[arguments.index(text)],
        )
    if origin in (collections.abc.Sequence, tuple) and arguments[0] is str:
        return Kind(hint, "a list of names", _is_texts, _read_texts)
    if origin is collections.abc.Callable:
        return Kind(hint, "a function", callable)
    if isinstance(hint, type) and origin is None and hint is not Any:
        return Kind(hint, f"a {hint.__name__}", lambda value: isinstance(value, hint))
    return Kind(hint, "a value", lambda _: True)  # for its class to check


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    real = isinstance(value, int | float | np.integer | np.floating)
    return real and not isinstance(value, bool)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray) and all(_is_number(v) for v in value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)


def _read_flag(text: str) -> bool:
    word = text.lower()
    if word not in ("true", "false"):
        raise ValueError(text)
    return word == "true"


def _read_none(text: str) -> None:
    if text.lower() != "none":
        raise ValueError(text)


def _read_numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]


def _read_texts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _read_criterion(text: str) -> Any:
    try:
        return _read_numbers(text)
    except ValueError:
        return text


_KINDS = (
    Kind(NoneType, "none", lambda value: value is None, _read_none),
    Kind(int, "a whole number", _is_whole, int),
    Kind(float, "a number", _is_number, float),
    Kind(bool, "true or false", lambda value: isinstance(value, bool | np.bool), _read_flag),
    Kind(str, "text", lambda value: isinstance(value, str), str),
    Kind(ArrayLike, "a list of numbers", _is_numbers, _read_numbers),
    Kind(np.random.Generator, "a generator", lambda v: isinstance(v, np.random.Generator)),
    Kind(Criterion, "a criterion", lambda v: not isinstance(v, Mapping), _read_criterion),
)

_ORDER = {NoneType: 0, str: 2}
