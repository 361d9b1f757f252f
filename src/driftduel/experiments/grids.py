"""Tables of parameters: lists make grids, every point has a label, and results hold it as JSON."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

from driftduel._support.checks import BadParameter
from driftduel._support.limits import GRID

Parameters = dict[str, Any]


def expand(
    table: Mapping[str, Any], depth: Callable[[str], int]
) -> tuple[list[Parameters], list[str]]:
    """Return the points of the grid that a table describes, and the parameters that vary.

    Parameters
    ----------
    table : mapping
        Parameters by name. A list is a list of values to try; for a parameter that takes a list
        itself it is one value, and a list of lists several; for rows it is one level deeper.
    depth : callable
        Tells how deep the lists are that the parameter of that name takes, 0 if it takes none.

    Raises
    ------
    BadParameter
        If a list is empty or has a value twice.

    Examples
    --------
    >>> expand({"n_arms": [3, 5], "weight": [0.5, 0.5]}, lambda name: int(name == "weight"))
    ([{'n_arms': 3, 'weight': [0.5, 0.5]}, {'n_arms': 5, 'weight': [0.5, 0.5]}], ['n_arms'])
    """
    choices: dict[str, list[Any]] = {}
    varying = []
    for name, value in table.items():
        if isinstance(value, dict):
            try:
                points, inner = expand(value, depth)
            except BadParameter as error:
                raise error.inside(name) from None
            choices[name] = points
            if inner:
                varying.append(name)
        elif isinstance(value, list) and _is_grid(value, depth(name)):
            if not value:
                raise BadParameter(name, ": the list is empty, there is nothing to try")
            twice = _twice(value)
            if twice is not None:
                raise BadParameter(name, f": {shown_as(twice)} is listed twice")
            choices[name] = value
            varying.append(name)
        else:
            choices[name] = [value]
        if prod(map(len, choices.values())) > GRID:
            raise BadParameter(name, f": the grid would have more than {GRID:,} points")
    points = [
        dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())
    ]
    return points, varying


def labels(name: str, points: Sequence[Parameters], shown: Iterable[str]) -> list[str]:
    """Return a label for every point: the name and the parameters that are shown.

    Examples
    --------
    >>> labels("switching", [{"n_arms": 3, "seed": 1}, {"n_arms": 5, "seed": 1}], ["n_arms"])
    ['switching, n_arms = 3', 'switching, n_arms = 5']
    """
    keys = list(shown)
    return [
        ", ".join([name, *(f"{key} = {shown_as(point[key])}" for key in keys if key in point)])
        for point in points
    ]


def shown_as(value: Any) -> str:
    """Return a value as a label shows it.

    Examples
    --------
    >>> shown_as(100_000), shown_as(0.25), shown_as({"name": "RUCB", "alpha": 0.6})
    ('100,000', '0.25', 'RUCB (alpha = 0.6)')
    """
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return f"[{', '.join(map(shown_as, value))}]"
    if isinstance(value, dict):
        parts = [f"{key} = {shown_as(part)}" for key, part in value.items() if key != "name"]
        name = value.get("name", "")
        return f"{name} ({', '.join(parts)})".strip() if parts or not name else str(name)
    return str(value)


def write_parameters(values: Mapping[str, Any]) -> str:
    """Return parameters as JSON, by which they can be looked up: keys are sorted.

    Examples
    --------
    >>> write_parameters({"n_arms": 5, "kind": "cw"})
    '{"kind": "cw", "n_arms": 5}'
    """
    return json.dumps(dict(values), sort_keys=True)


def read_parameters(text: str) -> Parameters:
    """Return the parameters that `write_parameters` wrote.

    Examples
    --------
    >>> read_parameters('{"kind": "cw", "n_arms": 5}')
    {'kind': 'cw', 'n_arms': 5}
    """
    values: Parameters = json.loads(text)
    return values


def _twice(values: Sequence[Any]) -> Any:
    """Return a value that is listed twice, or None."""
    seen: set[Any] = set()
    for value in values:
        key = repr(value) if isinstance(value, list | dict) else value
        if key in seen:
            return value
        seen.add(key)
    return None


def _is_grid(value: list[Any], depth: int) -> bool:
    """Tell whether a list holds several values of a parameter that takes lists of that depth."""
    if depth == 0 or not value:
        return True
    return any(isinstance(item, list) and _is_grid(item, depth - 1) for item in value)
