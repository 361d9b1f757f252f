"""The world: streams of preference matrices, synthetic ones and ones from real votes.

What needs numba or polars is imported on first use, so that `Stream` alone stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftduel.streams.stream import Stream

if TYPE_CHECKING:
    from driftduel.streams import catalogue as catalogue
    from driftduel.streams import datasets as datasets
    from driftduel.streams import hard as hard
    from driftduel.streams import matrices as matrices
    from driftduel.streams import synthetic as synthetic
    from driftduel.streams.bandwidth import BandwidthChoice as BandwidthChoice
    from driftduel.streams.bandwidth import choose_bandwidth as choose_bandwidth
    from driftduel.streams.from_log import stream_from_log as stream_from_log
    from driftduel.streams.logs import Log as Log
    from driftduel.streams.reading import read_log as read_log
    from driftduel.streams.smoothing import YEAR as YEAR
    from driftduel.streams.smoothing import left_bias as left_bias
    from driftduel.streams.smoothing import smooth as smooth

_HOME = {
    "BandwidthChoice": "bandwidth",
    "Log": "logs",
    "YEAR": "smoothing",
    "choose_bandwidth": "bandwidth",
    "left_bias": "smoothing",
    "read_log": "reading",
    "smooth": "smoothing",
    "stream_from_log": "from_log",
}
_MODULES = ("catalogue", "datasets", "hard", "matrices", "synthetic")

__all__ = ["Stream", *_HOME, *_MODULES]  # noqa: PLE0604


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
