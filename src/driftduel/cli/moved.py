"""Commands that left the package: each says where it is now, for one release."""

from __future__ import annotations

from typing import Any

import typer

MOVED = ("reproduce", "benchmark")
ANY_OPTIONS: dict[str, Any] = {"ignore_unknown_options": True, "allow_extra_args": True}


def moved(context: typer.Context) -> None:
    """Say where the command is now."""
    raise ValueError(
        f"driftduel {context.info_name} is now python -m studies {context.info_name}, with the "
        "same options, in a clone of the repository: the installed package no longer has it"
    )
