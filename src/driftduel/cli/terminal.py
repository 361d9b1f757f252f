"""Printing: a console, JSON, and what is under way; nothing here needs typer."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_A_FILE = 110


def console() -> Console:
    """Return a console for standard output; names of arms are never taken for markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDTH_OF_A_FILE
    return Console(width=width, markup=False, highlight=False, emoji=False)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal what is under way, and for how long."""
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(what, total=None)
        yield


def print_json(data: Any) -> None:
    """Print data as JSON."""
    print(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
