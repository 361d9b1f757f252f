"""Summaries, figures and reports.

Names are imported on first use. Figures need the extra ``report``; nothing here uses the network.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftduel.report.extra import MissingExtraError as MissingExtraError
    from driftduel.report.figures import save_figure as save_figure
    from driftduel.report.files import write_report as write_report
    from driftduel.report.regret import regret_over_time as regret_over_time
    from driftduel.report.summary import summarise as summarise
    from driftduel.report.timeline import best_over_time as best_over_time

_HOME = {
    "MissingExtraError": "extra",
    "best_over_time": "timeline",
    "regret_over_time": "regret",
    "save_figure": "figures",
    "summarise": "summary",
    "write_report": "files",
}

__all__ = [*_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
