"""One preference matrix: who wins by which criterion, with which weight, and its tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._support.lazy import attach

if TYPE_CHECKING:
    from driftduel.matrix.criteria import Criterion as Criterion
    from driftduel.matrix.tournaments import banks_set as banks_set
    from driftduel.matrix.tournaments import classify as classify
    from driftduel.matrix.tournaments import copeland_set as copeland_set
    from driftduel.matrix.tournaments import top_cycle as top_cycle
    from driftduel.matrix.tournaments import uncovered_set as uncovered_set
    from driftduel.matrix.tournaments import von_neumann_winner as von_neumann_winner

__getattr__, __dir__, __all__ = attach(__name__)
