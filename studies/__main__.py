"""``python -m studies``: the experiments on the paper, the benchmark, and what owners are told."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from driftduel.cli import run_program
from studies import PROGRAM
from studies.benchmark.command import benchmark
from studies.causes import causes
from studies.guarantee.command import guarantee
from studies.judges import judges
from studies.owner.command import owner
from studies.reproduction.command import reproduce

app = typer.Typer(
    name=PROGRAM,
    help="What is known of the learners and of polls, measured.",
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)
app.command("reproduce")(reproduce)
app.command("benchmark")(benchmark)
app.command("causes")(causes)
app.command("judges")(judges)
app.command("owner")(owner)
app.command("guarantee")(guarantee)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code."""
    return run_program(PROGRAM, lambda: app, arguments)


if __name__ == "__main__":
    sys.exit(main())
