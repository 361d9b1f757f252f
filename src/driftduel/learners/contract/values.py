"""Parameters and arrays of learners as JSON: what a file holds of them, bit for bit, and back.

A file names classes, never modules: what they mean is decided by this package and by what is
installed.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import as_count
from driftduel._support.registry import MODULE_OF, PARTS, installed_learners
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.hooks import State
from driftduel.matrix.criteria import NAMED, Weighted
from driftduel.matrix.weights import WeightSequence

_PLAIN = re.compile("[<|](b1|[iu][1248]|f[248]|c8|c16|[US][0-9]{1,9})")
"""The types of arrays that parameters may be."""

_PARTS_OF_CRITERIA: dict[str, type] = {kind.__name__: kind for kind in NAMED.values()} | {
    "Weighted": Weighted,
    "WeightSequence": WeightSequence,
}


def encode(value: Any, name: str) -> Any:
    """Return a parameter as JSON: numbers and texts as they are, the rest with its kind."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic):
        return encode(value.item(), name)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [encode(item, name) for item in value]}
    if isinstance(value, np.ndarray) and _PLAIN.fullmatch(str(descr_of(value))):
        return {"array": encode_array(value)}
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value).__name__
        if class_of_package(kind) not in (None, type(value)):
            raise ValueError(f"{kind}: is the name of another class in driftduel, rename it")
        parameters = {
            item.name: encode(getattr(value, item.name), f"{kind}.{item.name}")
            for item in fields(value)
            if item.init
        }
        return {"class": kind, "parameters": parameters}
    raise ValueError(f"{name}: a parameter of type {type(value).__name__} cannot be saved")


def decode(value: Any, given: Mapping[str, type]) -> Any:
    """Return what `encode` was given; classes are those given or of the package."""
    if not isinstance(value, dict):
        return value
    if "class" in value:
        kind = value["class"]
        made = given.get(kind) or class_of_package(kind)
        if made is None:
            raise ValueError(
                f"needs the class {kind}, which is not in driftduel; pass "
                f"learners={{{kind!r}: ...}}"
            )
        parameters = {name: decode(item, given) for name, item in value["parameters"].items()}
        try:
            return made(**parameters)
        except TypeError as error:
            raise ValueError(f"does not fit this version of {kind}: {error}") from None
    if len(value) != 1:
        raise ValueError(f"holds a parameter of {len(value)} kinds, must be one")
    ((kind, content),) = value.items()
    if kind == "float":
        return float(content)
    if kind == "array":
        return decode_array(content)
    if kind not in ("list", "tuple"):
        raise ValueError(f"holds a parameter of an unknown kind, {kind!r}")
    items = [decode(item, given) for item in content]
    return tuple(items) if kind == "tuple" else items


def encode_array(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array as JSON: its type, its shape, and its bytes, the least first."""
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return {
        "dtype": descr_of(array),
        "shape": list(array.shape),
        "bytes": base64.b64encode(data).decode("ascii"),
    }


def descr_of(array: NDArray[Any]) -> Any:
    """Return the type of an array as JSON has it: a text, or lists for records."""
    descr = np.lib.format.dtype_to_descr(array.dtype.newbyteorder("<"))
    return json.loads(json.dumps(descr)) if not isinstance(descr, str) else descr


def decode_array(content: dict[str, Any]) -> NDArray[Any]:
    """Return an array of plain numbers or texts, which parameters may be."""
    if not isinstance(content["dtype"], str) or not _PLAIN.fullmatch(content["dtype"]):
        raise ValueError(f"holds an array of type {content['dtype']!r}, must be plain numbers")
    return decode_items(content, np.dtype(content["dtype"]), "an array")


def decode_items(content: dict[str, Any], dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    """Return an array of a type that is known; what does not fill it is refused."""
    shape = [as_count(length, f"a length of {name}", 0) for length in content["shape"]]
    size = math.prod(shape) * dtype.itemsize
    if 3 * (len(content["bytes"]) // 4) - size not in (0, 1, 2):
        raise ValueError(f"{name} has shape {tuple(shape)}, but not as many bytes")
    data = base64.b64decode(content["bytes"], validate=True)
    array = np.frombuffer(data, dtype).reshape(shape)
    flags = [array[part] for part in dtype.names or () if dtype[part].kind == "b"]
    for part in [array] if dtype.kind == "b" else flags:
        if (part.view(np.uint8) > 1).any():
            raise ValueError(f"{name} holds a truth that is neither 0 nor 1")
    return array.astype(dtype.newbyteorder("="))


def arrays_of(state: State, name: str = "state") -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of a state, which may hold other states, with their names."""
    if isinstance(state, np.ndarray):
        yield name, state
    elif isinstance(state, tuple):
        names = getattr(state, "_fields", range(len(state)))
        for part, value in zip(names, state, strict=True):
            yield from arrays_of(value, f"{name}.{part}")
    else:
        raise ValueError(f"{name}: is a {type(state).__name__}, must be an array")


def class_of_package(name: str) -> type | None:
    """Return the class that this name means in a file: of this package or of an installed one.

    A file may not name a module: whoever wrote it would choose what is imported.
    """
    if name in _PARTS_OF_CRITERIA:
        return _PARTS_OF_CRITERIA[name]
    if name in PARTS:
        part: type = getattr(import_module(PARTS[name]), name)
        return part
    return Learner._named(name) if name in MODULE_OF or name in installed_learners() else None
