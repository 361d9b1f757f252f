"""``driftduel demo``: the three doors opened, on data that ship with the library.

Votes that exist are analysed, a program asks, and a poll on a page stands after three weeks of
simulated votes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from driftduel._support.files import replacing
from driftduel.cli.terminal import console, working

if TYPE_CHECKING:
    from rich.console import Console

_PROGRAM = """\
import driftduel as dd

poll = dd.DriftPoll(["tea", "coffee", "cocoa"], seed=1)
for vote in range(5_000):
    duel = poll.ask()  # which two to show next: duel.names
    favourite = "tea" if vote < 2_000 else "cocoa"  # nobody tells the poll
    answer = favourite if favourite in duel.names else "tie"
    poll.tell(duel, answer)  # or "left", or 0.75: left is slightly better
print(poll.report())
"""
_WEEKS = 21
_CHANGE = 12
_VOTES = 200


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("demo"),
    research: Annotated[
        bool,
        typer.Option("--research", help="Draw regret where tastes change, and Formula 1 measured."),
    ] = False,
) -> None:
    """Show what becomes of votes, of a program and of a poll."""
    from driftduel.report.extra import check_drawing

    check_drawing()
    screen = console()
    if research:
        from driftduel.cli.research import SCENES

        for scene in SCENES:
            files = scene(screen, out)
            screen.print(f"written: {', '.join(map(str, files))}", soft_wrap=True)
        return
    out.mkdir(parents=True, exist_ok=True)
    for number, (title, door) in enumerate(DOORS.items(), 1):
        screen.print(f"{number}. {title}\n", soft_wrap=True)
        for line in door(screen, out):
            screen.print(line, soft_wrap=True)
        screen.print()


def votes(screen: Console, folder: Path) -> list[str]:
    """Analyse 33 seasons of the Premier League; print who was likely best beside the champions."""
    from driftduel.cli.summary import plain_table
    from driftduel.votes.analyses import analyse
    from driftduel.worlds import datasets

    log = datasets.premier_league_log()
    with working(f"following {log.n_arms} clubs through {log.n_votes:,} games"):
        found = analyse(log)
        likely = found.likely
    if likely is None:
        raise ValueError(f"these votes have {log.n_arms} options, too many for a timeline")
    champions = datasets.premier_league_champions()
    table = plain_table("season", "likely best", "how likely", "champion")
    right = 0
    for year, champion in champions.items():
        told = likely.best_during(f"{year}-07-15", f"{year + 1}-07-14")
        club = max(told, key=lambda name: told[name])
        right += club == champion
        table.add_row(f"{year}/{(year + 1) % 100:02}", club, f"{told[club]:.0%}", champion)
    screen.print(table)
    file, written = folder / "premier-league.csv", folder / "premier-league.html"
    with working("drawing"):
        with replacing(file) as temporary:
            log.frame.write_csv(temporary)
        found.save_page(written, "Premier League, 1992-2026")
    return [
        f"The club that was likeliest the best over a season is its champion in {right} of "
        f"{len(champions)}.",
        found.likely_sentences[0],
        datasets.notice("premier_league"),
        f"written: {written}",
        f"next: driftduel analyse {file}, or a file of yours",
    ]


def program(screen: Console, folder: Path) -> list[str]:
    """Run the program of the README: a poll whose voters change their mind."""
    import subprocess

    file = folder / "poll.py"
    with replacing(file) as temporary:
        temporary.write_text(_PROGRAM, encoding="utf-8")
    with working("asking 5,000 times"):
        done = subprocess.run(
            [sys.executable, str(file)], check=True, capture_output=True, text=True
        )
    return [done.stdout.rstrip(), f"written: {file}", f"next: python {file}"]


def page(screen: Console, folder: Path) -> list[str]:
    """Make a poll that stands after three weeks of simulated votes."""
    from driftduel._support.extras import MissingExtraError, library

    try:
        library("fastapi", "polls on a page", "arena")
    except MissingExtraError as missing:
        return [str(missing)]
    import time

    from driftduel.arena import service as arena
    from driftduel.arena.crowd import DRINKS, Days, feed
    from driftduel.arena.model import DAY

    file = folder / "drinks.db"
    if file.exists():
        return [f"{file} is there already, and is left as it is.", _next(file)]
    with working(f"{_WEEKS * _VOTES:,} votes"), arena.Service.open(f"sqlite:{file}") as service:
        made = arena.create_arena(
            service, DRINKS.slug, DRINKS.question, DRINKS.arms, title=DRINKS.title, seed=1
        )
        today = time.time_ns() // 1000 // DAY * DAY
        days = Days(before=_CHANGE, after=_WEEKS - _CHANGE, votes=_VOTES, end=today)
        feed(service, DRINKS, days, seed=1)
        told = arena.status(service, DRINKS.slug)
    return [
        told.text,
        f"written: {file}",
        _next(file),
        f"then open http://127.0.0.1:8000/{DRINKS.slug}/owner#{made.owner_token}",
    ]


def _next(file: Path) -> str:
    return f"next: driftduel arena serve {file}"


DOORS = {"I have votes": votes, "I ask in Python": program, "I want a page": page}
"""Each prints and writes what is behind it, and returns what to say in the end."""
