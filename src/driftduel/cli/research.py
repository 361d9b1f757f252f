"""The pictures of `driftduel demo --research`: regret where tastes change, Formula 1 measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from driftduel.cli.terminal import working

if TYPE_CHECKING:
    from rich.console import Console

    from driftduel.experiments.simulation import Run

_ROUNDS = 1_000_000
_DUELS, _SEEDS = 100_000, 16
_HERO = "DRIFTDUEL"


def changes_of_taste(screen: Console, folder: Path) -> list[Path]:
    """Show who notices two changes of taste that nobody is told about."""
    from statistics import mean

    from driftduel.experiments.simulation import simulate_many
    from driftduel.learners import Bosse, DriftDuel, Learner, MetaBosse, Uniform
    from driftduel.report import regret_over_time, save_figure
    from driftduel.worlds import Stream
    from driftduel.worlds.matrices import winner_matrix

    starts = (0, 3 * _DUELS // 10, 13 * _DUELS // 20)
    world = Stream.piecewise(
        [winner_matrix(5, winner, 0.4) for winner in (0, 3, 1)], starts, _DUELS
    )
    players: dict[str, Learner] = {
        _HERO: DriftDuel(5, _DUELS),
        "METABOSSE, the paper's": MetaBosse(5, _DUELS),
        "BOSSE, which never adapts": Bosse(5, _DUELS),
        "random pairs": Uniform(5),
    }
    runs = {}
    for name, player in players.items():
        with working(f"{name}: {_DUELS:,} duels, {_SEEDS} times"):
            runs[name] = simulate_many(player, world, range(_SEEDS), workers=2)
    lost = {name: mean(run.regret()[-1] for run in mine) for name, mine in runs.items()}
    print_noticed(screen, runs, lost, starts[1:])
    share = lost[_HERO] / lost["random pairs"]
    with working("drawing"):
        chart = regret_over_time(
            runs,
            title="Two changes of taste that nobody announced",
            subtitle=[
                f"Five options, {_DUELS:,} duels; the favourite wins 90 % of its duels and changes "
                f"twice. Mean of {_SEEDS} runs, bands of two standard errors.",
                f"{_HERO}, without prior knowledge, has a regret of {share:.0%} of random pairs.",
            ],
            noticing=_HERO,
        )
        return save_figure(chart, folder, "changes-of-taste")


def print_noticed(
    screen: Console,
    runs: dict[str, list[Run]],
    lost: dict[str, float],
    changes: tuple[int, ...],
) -> None:
    """Print who lost how much and where new episodes began beside the true changes."""
    from driftduel.cli.summary import plain_table

    table = plain_table("learner", "mean regret", "share of random", "new episodes")
    for name, mine in runs.items():
        episodes = " / ".join(
            ", ".join(f"{start:,}" for start in run.episodes[1:]) or "-" for run in mine[:2]
        )
        share = lost[name] / lost["random pairs"]
        table.add_row(name, f"{lost[name]:,.0f}", f"{share:.0%}", episodes)
    screen.print(table)
    true = " and ".join(f"{change:,}" for change in changes)
    screen.print(f"the favourite changed at rounds {true}; new episodes are those of two runs")


def formula_1(screen: Console, folder: Path) -> list[Path]:
    """Show 29 years of Formula 1: who was best when, and which changes mattered."""
    from driftduel.cli.summary import print_summary
    from driftduel.report import best_over_time, save_figure, summarise
    from driftduel.worlds import datasets
    from driftduel.worlds.measures import measure

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


SCENES = (changes_of_taste, formula_1)
"""Each prints what it finds, writes its figure and returns the files."""
