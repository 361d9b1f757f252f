"""Worlds: streams of preference matrices, made up or from real votes, and how much they move.

Names are imported on first use, so that what reads votes stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._support.lazy import attach

if TYPE_CHECKING:
    from driftduel.worlds import adversarial as adversarial
    from driftduel.worlds import catalogue as catalogue
    from driftduel.worlds import datasets as datasets
    from driftduel.worlds import hard as hard
    from driftduel.worlds import matrices as matrices
    from driftduel.worlds import measures as measures
    from driftduel.worlds import synthetic as synthetic
    from driftduel.worlds.stream import Stream as Stream

__getattr__, __dir__, __all__ = attach(__name__)
