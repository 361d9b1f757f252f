"""``driftduel demo``: what the library shows, in pictures, from data that ship with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from driftduel.cli.shared import console, working

if TYPE_CHECKING:
    from rich.console import Console

_ROUNDS = 1_000_000


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write the figures to.")] = Path("demo"),
) -> None:
    """Measure the Formula 1 world and draw who was best when."""
    from driftduel.report.extra import drawing_library

    for library in ("altair", "vl_convert"):
        drawing_library(library)
    screen = console()
    for scene in SCENES:
        files = scene(screen, out)
        screen.print(f"written: {', '.join(map(str, files))}", soft_wrap=True)


def formula_1(screen: Console, folder: Path) -> list[Path]:
    """Show 29 years of Formula 1: who was best when, and which changes mattered."""
    from driftduel.cli.tables import print_summary
    from driftduel.report import best_over_time, save_figure, summarise
    from driftduel.shifts import measure
    from driftduel.streams import datasets

    with working("measuring 29 years of Formula 1"):
        world = datasets.formula_1(_ROUNDS)
        measures = measure(world)
        summary = summarise(world, measures)
    print_summary(screen, summary)
    phases = measures.significant_borda
    with working("drawing"):
        chart = best_over_time(
            world,
            phases,
            title="Formula 1, 1997-2025: which team was best when",
            subtitle=[
                f"{measures.borda_switches} changes of the Borda winner; dashed: the "
                f"{phases.changes} significant shifts for a player of {_ROUNDS:,} rounds, with the "
                "date each is established",
                "and the team that stays good longest from then on.",
            ],
        )
        return save_figure(chart, folder, "formula-1")


SCENES = (formula_1,)
"""Each prints what it finds, writes its figure and returns the files."""
