"""Summaries, figures and reports.

Names are imported on first use. Figures need the extra ``report``; nothing here uses the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._support.lazy import attach

if TYPE_CHECKING:
    from driftduel._support.extras import MissingExtraError as MissingExtraError
    from driftduel.report.figures import save_figure as save_figure
    from driftduel.report.files import write_report as write_report
    from driftduel.report.regret import regret_over_time as regret_over_time
    from driftduel.report.summary import summarise as summarise
    from driftduel.report.timeline import best_over_time as best_over_time

__getattr__, __dir__, __all__ = attach(__name__)
