"""A summary of a stream as tables that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from driftduel._support.text import count

_SHOWN_STARTS = 5
_SHOWN_SPELLS = 12

_SYMBOLS = {
    "changes": "L",
    "variation": "V",
    "borda_switches": "S_B",
    "significant_borda": "SBS",
    "weighted_switches": "S_w",
    "significant_weighted": "SKW",
    "significant_unknown": "SUW",
    "condorcet_switches": "S_C",
    "significant_condorcet": "S_CW",
    "gic_switches": "S_G",
    "approximate_winner": "S_appr",
}
_SPELLS = {"borda_switches": "borda", "condorcet_switches": "condorcet"}


def print_summary(console: Console, summary: dict[str, Any], *, everything: bool = False) -> None:
    """Print what `driftduel.report.summarise` returns, notices included."""
    console.print(_facts(summary))
    log = summary.get("log")
    if log:
        console.print(f"\n{log['says']}", markup=False, highlight=False)
    console.print(_measures(summary, everything))
    if log and log["shuffles"]:
        times = "dates" if log["dated"] else "times"
        shuffles = count(log["shuffles"], "shuffle")
        console.print(
            f"noise: the least and the most that the same votes show in {shuffles} of their "
            f"{times}, as if nothing changed; found: whether it is more, within or less."
        )
    for key, title in (("borda", "Borda winner"), ("condorcet", "Condorcet winner")):
        console.print(_winners(summary, summary["winners"][key], title, everything))
    print_notices(console, summary["notices"])


def print_notices(console: Console, notices: Sequence[str]) -> None:
    """Print the notices of the owners of the data, each in a frame."""
    for notice in notices:
        console.print(Panel(notice, title="data", title_align="left", box=box.ROUNDED))


def plain_table(*columns: str, title: str | None = None) -> Table:
    """Return a table with one line below its header."""
    table = Table(*columns, title=title, title_justify="left", title_style="bold", box=box.SIMPLE)
    table.columns[0].no_wrap = True
    return table


def fact_grid() -> Table:
    """Return a table of facts, their names in bold on the left."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    return grid


def joined(items: Sequence[str], total: int) -> str:
    """Join what is shown of a list of ``total`` items, saying how many there are in all.

    Examples
    --------
    >>> joined(["a", "b", "c"], 3), joined(["a", "b", "c", "d", "e"], 10**6)
    ('a, b, c', 'a, b, c, d, e ... (1,000,000 in all)')
    """
    text = ", ".join(items)
    return text if len(items) == total else f"{text} ... ({total:,} in all)"


def _facts(summary: dict[str, Any]) -> Table:
    grid = fact_grid()
    if "file" in summary:
        grid.add_row("file", summary["file"])
    grid.add_row(
        "arms", f"K = {summary['n_arms']:,}: {joined(summary['arms'][:20], summary['n_arms'])}"
    )
    span = "" if summary["span"] is None else f", {summary['span'][0]} to {summary['span'][1]}"
    grid.add_row("horizon", f"T = {count(summary['horizon'], 'round')}{span}")
    matrices = count(summary["matrices"], "matrix", "matrices")
    stretches = count(summary["stretches"], "stretch", "stretches")
    grid.add_row("world", f"{stretches} of {matrices}")
    if summary.get("log"):
        grid.add_row("votes", _votes(summary["log"]))
    classes = summary["classes"]
    held = [name for name, found in classes.items() if found["holds"]]
    grid.add_row("classes", f"{', '.join(held) or 'none of CW, GIC, SST, STI'} throughout")
    failed = [
        f"{name} at {found['fails_on'] or format(found['fails_at'], ',')}"
        for name, found in classes.items()
        if not found["holds"]
    ]
    if failed:
        grid.add_row("", f"first failure of {', '.join(failed)}")
    mixture = summary["von_neumann"]
    if mixture is not None and mixture["largest_support"] > 1:
        most = count(mixture["largest_support"], "arm")
        unique = "unique in every round" if mixture["unique"] else "not unique in every round"
        who = joined(mixture["support"][:20], len(mixture["support"]))
        grid.add_row("von Neumann", f"plays up to {most} at once, {unique}; over time {who}")
    return grid


def _votes(log: dict[str, Any]) -> str:
    unit = " days" if log["dated"] else ""
    width = "infinite" if log["bandwidth"] is None else f"{log['bandwidth']:,.5g}{unit}"
    how = ""
    if log["bandwidth_chosen"]:
        how = (
            ", chosen by held-out log-loss" if log["bandwidth"] else ", no other is clearly better"
        )
    bias = "; advantage of being left removed" if log["bias_removed"] else ""
    return f"{log['votes']:,}; bandwidth {width}{how}{bias}"


def _measures(summary: dict[str, Any], everything: bool) -> Table:
    from driftduel.worlds.measures.measures import WORDS  # imports numba

    table = plain_table("", "measure", title="\nHow much it moves")
    bands = (summary.get("log") or {}).get("null_band", {})
    table.add_column("changes", justify="right", no_wrap=True)
    if bands:
        table.add_column("noise", justify="right", no_wrap=True)
        table.add_column("found", no_wrap=True)
    table.add_column("phases", justify="right", no_wrap=True)
    table.add_column("phases begin (and the arm that stays good longest)", overflow="fold")
    for key, symbol in _SYMBOLS.items():
        if summary.get("weight") is None and key in ("weighted_switches", "significant_weighted"):
            continue
        value = summary["measures"][key]
        changes, phases, begins = "", "", ""
        if value is None:
            begins = f"undefined: {_reason(summary, key)}"
        elif key == "variation":
            changes = f"{value:,.4g}"
        elif isinstance(value, int):
            changes = f"{value:,}"
            if key in _SPELLS:
                spells = summary["winners"][_SPELLS[key]]
                phases, begins = f"{len(spells):,}", _spell_starts(spells, everything)
        else:
            changes, phases = f"{value['phases'] - 1:,}", f"{value['phases']:,}"
            begins = _phase_starts(value, everything)
        noise = _noise(bands[key]) if bands else ()
        table.add_row(symbol, WORDS[key], changes, *noise, phases, begins)
    if summary["von_neumann"] is not None:
        value = summary["von_neumann"]["significant"]
        changes, phases = f"{value['phases'] - 1:,}", f"{value['phases']:,}"
        noise = ("", "") if bands else ()
        begins = _phase_starts(value, everything)
        table.add_row("S_vN", "significant von Neumann phases", changes, *noise, phases, begins)
    return table


def _noise(band: dict[str, Any]) -> tuple[str, str]:
    """Return the null band of a count, and on which side of it the count is."""
    if band["verdict"] is None:
        return "", ""
    ends = (band["low"], band["high"])
    low, high = (f"{end:,.4g}" if end % 1 else f"{end:,.0f}" for end in ends)
    return low if low == high else f"{low} to {high}", band["verdict"]


def _reason(summary: dict[str, Any], key: str) -> str:
    """Say why a measure is undefined, with the date instead of the round if there is one."""
    found = summary["classes"]["CW" if "condorcet" in key else "GIC"]
    reason = str(summary["undefined"][key])
    return reason.replace(
        f"round {found['fails_at']}", found["fails_on"] or "round {:,}".format(found["fails_at"])
    )


def _spell_starts(spells: Sequence[dict[str, Any]], everything: bool) -> str:
    shown = spells if everything else spells[:_SHOWN_STARTS]
    return joined([f"{_when(spell)} {_who(spell['arms'])}" for spell in shown], len(spells))


def _phase_starts(phases: dict[str, Any], everything: bool) -> str:
    shown = phases["first"] if everything else phases["first"][:_SHOWN_STARTS]
    return joined([f"{_when(phase)} {phase['last_safe']}" for phase in shown], phases["phases"])


def _when(item: dict[str, Any]) -> str:
    return item["from"] or f"{item['start']:,}"


def _who(arms: Sequence[str]) -> str:
    return " = ".join(arms) or "nobody"


def _winners(
    summary: dict[str, Any], spells: Sequence[dict[str, Any]], title: str, everything: bool
) -> Table:
    table = plain_table("from", "to", title=f"{title}, when")
    table.add_column("share of the rounds", justify="right")
    table.add_column("who", overflow="fold")
    shown = spells if everything else spells[:_SHOWN_SPELLS]
    for spell in shown:
        share = (spell["end"] - spell["start"]) / summary["horizon"]
        last = spell["to"] or f"{spell['end'] - 1:,}"
        table.add_row(_when(spell), last, f"{share:.1%}", _who(spell["arms"]))
    if len(shown) < len(spells):
        table.add_row("...", f"({len(spells):,} in all; --all shows them)", "", "")
    return table
