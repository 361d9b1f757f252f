"""Find, and keep finding, what people prefer, when preferences drift.

Names are imported on first use, so that ``import driftduel`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftduel import streams as streams
    from driftduel.criteria import Borda as Borda
    from driftduel.criteria import Condorcet as Condorcet
    from driftduel.criteria import Criterion as Criterion
    from driftduel.criteria import Weighted as Weighted
    from driftduel.preferences import classify as classify
    from driftduel.streams.stream import Stream as Stream
    from driftduel.weights import WeightSequence as WeightSequence

__version__ = "0.1.0"

_HOME = {
    "Borda": "criteria",
    "Condorcet": "criteria",
    "Criterion": "criteria",
    "Stream": "streams.stream",
    "WeightSequence": "weights",
    "Weighted": "criteria",
    "classify": "preferences",
}
_MODULES = ("streams",)

__all__ = ["__version__", *_HOME, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
