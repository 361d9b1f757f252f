"""Figures for notebooks: Altair charts of the results of an experiment, and of a run.

They need the extra ``report``. ``driftduel report`` puts the same figures into one page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from driftduel.report.belief import timeline
from driftduel.report.extra import drawing_library
from driftduel.report.figures import WIDTH, check_kind, harmless
from driftduel.report.findings import title_of
from driftduel.report.regret import learners_of, mean_curves, regret_panel
from driftduel.report.scaling import WORDS, growths, scaling_chart

if TYPE_CHECKING:
    import altair as alt

    from driftduel.experiments.results import Results
    from driftduel.report.regret import Panel

    Chart = Panel | alt.ConcatChart

__all__ = ["regret", "scaling", "timeline"]


def regret(results: Results, *, stream: str | None = None, criterion: str | None = None) -> Chart:
    """Draw mean regret over time with bands of two standard errors, a panel for each stream.

    Parameters
    ----------
    results : Results
        What `driftduel.Results.load` returns.
    stream, criterion : str, optional
        Draw this stream, or this criterion, alone.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
        One panel, or several.
    """
    _check_results(results)
    curves = mean_curves(results.scan("regret"), "stream", "criterion")
    criteria = curves["criterion"].unique(maintain_order=True).to_list()
    _check(stream, "stream", [info.label for info in results.streams])
    _check(criterion, "criterion", criteria)
    learners = learners_of(results)
    panels = [
        regret_panel(
            mine,
            learners,
            info.horizon,
            changes=info.changes or [],
            shifts=info.shifts.get(name) or [],
            heading=f"cumulative {title_of(name)} regret",
        ).properties(title=info.label)
        for info in results.streams
        for name in criteria
        if stream in (None, info.label) and criterion in (None, name)
        for mine in [curves.filter(stream=info.label, criterion=name)]
        if len(mine)
    ]
    if not panels:
        raise ValueError("no run is finished yet, so there is no regret to draw")
    return _together(panels)


def scaling(results: Results) -> Chart:
    """Draw final regret against every parameter of a world that has four values or more.

    Both axes are logarithmic; the legend gives the slopes, in brackets where the points lie on
    no line, and 95 % intervals that are about the seeds only.

    Parameters
    ----------
    results : Results
        What `driftduel.Results.load` returns.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
        One panel, or several.
    """
    _check_results(results)
    learners = learners_of(results)
    found = growths(results)
    if not found:
        raise ValueError(
            "no parameter of a world has four values or more, so there is no growth to draw"
        )
    return _together(
        [
            scaling_chart(growth, learners).properties(
                title=f"{growth.world}: {WORDS.get(growth.variable, growth.variable)}"
            )
            for growth in found
        ]
    )


def __dir__() -> list[str]:
    return sorted(__all__)


def _check_results(results: Results) -> None:
    from driftduel.experiments.results import Results

    check_kind(results, "results", Results, "what driftduel.Results.load returns")


def _check(value: str | None, name: str, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise ValueError(f"{name} is {value!r}, must be one of {', '.join(map(repr, known))}")


def _together(panels: Sequence[Panel]) -> Chart:
    """Return a single panel as it is, more of them in two columns under legends of their own."""
    if len(panels) == 1:
        return harmless(panels[0])
    altair = drawing_library("altair")
    half: list[Any] = [panel.properties(width=WIDTH // 2) for panel in panels]
    chart: alt.ConcatChart = altair.concat(*half, columns=2)
    return harmless(chart.resolve_scale(color="independent", strokeDash="independent"))
