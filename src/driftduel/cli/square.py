"""What ``driftduel measure`` says of one matrix: winners of every kind, classes, scores, duels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel._support.text import count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from driftduel.votes import Matrix
    from driftduel.votes.log import Array

_MOST_ROWS = 20
_MOST_COLUMNS = 12

_HEADINGS = {"against_others": "against others"}
_WINNERS = {
    "borda": "Borda winner",
    "weighted": "winner for the given weight",
    "condorcet": "Condorcet winner",
    "copeland": "Copeland winner",
    "gic": "best against every arm",
    "top_cycle": "top cycle",
    "uncovered": "uncovered set",
    "banks": "Banks set",
    "von_neumann": "von Neumann winner plays",
}


def summarise_matrix(matrix: Matrix, weight: list[float] | None) -> dict[str, Any]:
    """Return what one matrix says, as plain data; docs/command-measure.md lists the keys."""
    from driftduel.matrix.criteria import Borda, Copeland, Criterion, Weighted
    from driftduel.matrix.preferences import condorcet_winners
    from driftduel.matrix.tournaments import classify

    found = classify(matrix.P)
    criteria: dict[str, Criterion] = {"borda": Borda(), "copeland": Copeland()}
    if weight is not None:
        criteria["weighted"] = Weighted(weight)
    winners = {name: criterion.winners(matrix.P) for name, criterion in criteria.items()}
    winners |= {"condorcet": condorcet_winners(matrix.P)}
    names = {name: [matrix.labels[arm] for arm in arms] for name, arms in winners.items()}
    members = {
        "gic": found.gic_winners,
        "top_cycle": found.top_cycle,
        "uncovered": found.uncovered,
        "banks": found.banks,
        "von_neumann": found.von_neumann,
    }
    solutions = {
        name: [matrix.labels[arm] for arm in arms]
        for name, arms in members.items()
        if arms is not None
    }
    return {
        "n_arms": len(matrix.labels),
        "arms": list(matrix.labels),
        "matrix": matrix.P.tolist(),
        "duels": None if matrix.duels is None else matrix.duels.tolist(),
        "n_duels": None if matrix.duels is None else matrix.n_duels,
        "classes": {
            "CW": found.condorcet,
            "GIC": found.gic,
            "SST": found.sst,
            "STI": found.sti,
        },
        "winners": names | solutions,
        "scores": {name: rule.scores(matrix.P).tolist() for name, rule in criteria.items()}
        | {"against_others": _against_others(matrix).tolist()},
    }


def _against_others(matrix: Matrix) -> Array:
    """Return the chance against another arm, which `analyse` shows; Borda's counts itself too."""
    P = matrix.P
    return np.asarray((P.sum(axis=1) - P.diagonal()) / (len(P) - 1))


def print_matrix(console: Console, summary: dict[str, Any], *, everything: bool = False) -> None:
    """Print what `summarise_matrix` returns."""
    console.print(_facts(summary))
    console.print(_scores(summary, everything))
    console.print(
        "Borda: the mean chance against an arm drawn from all, itself at one half; against others: "
        "the same without itself, as analyse shows it."
    )
    if summary["duels"] is not None:
        console.print(_duels(summary, everything))


def _facts(summary: dict[str, Any]) -> Table:
    from driftduel.cli.summary import fact_grid, joined

    grid = fact_grid()
    arms = summary["arms"]
    grid.add_row("file", summary["file"])
    grid.add_row("arms", f"K = {len(arms):,}: {joined(arms[:20], len(arms))}")
    kind = "one, of probabilities"
    if summary["duels"] is not None:
        kind = f"one, of the wins in {count(summary['n_duels'], 'duel')}"
    grid.add_row("matrix", f"{kind}; nothing says when, so nothing moves")
    held = [name for name, holds in summary["classes"].items() if holds]
    grid.add_row("classes", ", ".join(held) or "none of CW, GIC, SST, STI")
    for key, words in _WINNERS.items():
        if key in summary["winners"]:
            grid.add_row(words, " = ".join(summary["winners"][key]) or "nobody")
    return grid


def _scores(summary: dict[str, Any], everything: bool) -> Table:
    from driftduel.cli.summary import plain_table

    scores = summary["scores"]
    table = plain_table("arm", title="\nScores")
    for name in scores:
        table.add_column(_HEADINGS.get(name, name.capitalize()), justify="right")
    places = range(len(summary["arms"]))
    order = sorted(places, key=lambda arm: -scores["borda"][arm])
    for arm in order if everything else order[:_MOST_ROWS]:
        table.add_row(summary["arms"][arm], *[f"{of[arm]:.3f}" for of in scores.values()])
    if not everything and len(order) > _MOST_ROWS:
        table.add_row(f"... ({len(order):,} in all; --all shows them)", *[""] * len(scores))
    return table


def _duels(summary: dict[str, Any], everything: bool) -> Table:
    """Return how many duels each pair had, or how few and how many if that is too large a table."""
    from driftduel.cli.summary import fact_grid, plain_table

    arms, duels = summary["arms"], summary["duels"]
    if everything or len(arms) <= _MOST_COLUMNS:
        table = plain_table("", title="Duels of each pair")
        for arm in arms:
            table.add_column(arm, justify="right")
        for place, arm in enumerate(arms):
            table.add_row(arm, *_row(duels[place], place))
        return table
    pairs = [number for place, row in enumerate(duels) for number in row[:place]]
    grid = fact_grid()
    text = f"{min(pairs):,g} to {max(pairs):,g} of each pair; --all shows them"
    grid.add_row("duels", text)
    return grid


def _row(numbers: Sequence[float], itself: int) -> list[str]:
    return ["" if place == itself else f"{number:,g}" for place, number in enumerate(numbers)]
