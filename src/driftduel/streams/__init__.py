"""The world: streams of preference matrices, synthetic ones and ones from real votes.

What needs numba or polars is imported on first use, so that `Stream` alone stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._lazy import attach
from driftduel.streams.stream import Stream as Stream

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
    from driftduel.streams.squares import Matrix as Matrix
    from driftduel.streams.squares import read_matrix as read_matrix

__getattr__, __dir__, __all__ = attach(__name__)
