"""Worlds: streams of preference matrices, made up or from real votes, and how much they move.

What needs numba or polars is imported on first use, so that `Stream` alone stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._support.lazy import attach
from driftduel.worlds.stream import Stream as Stream

if TYPE_CHECKING:
    from driftduel.worlds import adversarial as adversarial
    from driftduel.worlds import catalogue as catalogue
    from driftduel.worlds import datasets as datasets
    from driftduel.worlds import hard as hard
    from driftduel.worlds import matrices as matrices
    from driftduel.worlds import measures as measures
    from driftduel.worlds import synthetic as synthetic

__getattr__, __dir__, __all__ = attach(__name__)
