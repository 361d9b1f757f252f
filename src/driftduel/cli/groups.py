"""How help is arranged: commands under headings, and under each command an example that works."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "driftduel": {
        "Votes": ("analyse", "measure"),
        "Polls": ("new", "ask", "tell", "undo", "status", "arena", "judge"),
        "Research": ("run", "report", "streams", "learners", "demo"),
    },
    "arena": {
        "Serve": ("demo", "serve"),
        "Polls": (
            "new",
            "status",
            "why",
            "arms",
            "release",
            "settings",
            "notify",
            "token",
            "exclude",
            "upgrade",
        ),
        "Votes": ("export", "import", "imports"),
        "Databases": ("backup", "verify"),
    },
}
"""The commands of a group by the heading that they stand under."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "driftduel": (
        "driftduel analyse votes.csv",
        "driftduel new drinks.db --arms tea coffee cocoa",
        "driftduel arena demo",
    ),
    "analyse": (
        "driftduel analyse votes.csv",
        "driftduel analyse votes.csv --only language=en --by judge --json",
    ),
    "measure": ("driftduel measure votes.csv --bandwidth 30",),
    "new": ("driftduel new drinks.db --arms tea coffee cocoa",),
    "ask": ("driftduel ask drinks.db --voter ann",),
    "tell": ("driftduel tell drinks.db 5f3a tea",),
    "undo": ("driftduel undo drinks.db 5f3a",),
    "status": ("driftduel status drinks.db",),
    "run": ("driftduel run --init taste.toml", "driftduel run taste.toml --workers 2"),
    "report": ("driftduel report taste-results",),
    "streams": ("driftduel streams", "driftduel streams formula-1 --out formula-1.npz"),
    "learners": ("driftduel learners DriftPoll",),
    "demo": ("driftduel demo --out demo",),
    "arena": (
        "driftduel arena demo",
        "driftduel arena new drinks --arms tea coffee cocoa --database drinks.db",
        "driftduel arena serve drinks.db",
    ),
    "arena demo": ("driftduel arena demo",),
    "arena serve": ("driftduel arena serve drinks.db --port 8080",),
    "arena new": ("driftduel arena new drinks --arms tea coffee cocoa --database drinks.db",),
    "arena settings": ("driftduel arena settings drinks --newest-rules --database drinks.db",),
    "arena arms": ("driftduel arena arms drinks --add mate --database drinks.db",),
    "arena status": ("driftduel arena status drinks --database drinks.db",),
    "arena why": ("driftduel arena why drinks --database drinks.db",),
    "arena release": (
        "driftduel arena release drinks 'version 2' --option tea --database drinks.db",
    ),
    "arena export": ("driftduel arena export drinks --out votes.csv --database drinks.db",),
    "arena import": (
        "driftduel arena import drinks votes.csv --pairs uniform --database drinks.db",
    ),
    "arena imports": ("driftduel arena imports drinks --database drinks.db",),
    "arena exclude": ("driftduel arena exclude drinks --database drinks.db",),
    "judge": (
        "driftduel judge drinks --database drinks.db",
        "driftduel judge drinks --url http://localhost:8000/v1/chat/completions --model llama",
    ),
    "arena notify": (
        "driftduel arena notify drinks --add https://example.org/hook --database drinks.db",
    ),
    "arena token": ("driftduel arena token drinks --role owner --database drinks.db",),
    "arena upgrade": ("driftduel arena upgrade drinks --database drinks.db",),
    "arena backup": ("driftduel arena backup drinks.db copy.db",),
    "arena verify": ("driftduel arena verify drinks.db",),
}
"""Examples by the name of the command."""


class GroupedCommands(TyperGroup):
    """A group whose help lists its commands under headings, with examples."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, a section for each heading."""
        shown = self.commands
        limit = formatter.width - 6 - max(map(len, shown))
        for heading, names in GROUPS[str(self.name)].items():
            rows = [(name, shown[name].get_short_help_str(limit)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(rows)


def examples(command: str) -> str:
    r"""Return what stands below the help of a command.

    Examples
    --------
    >>> examples("arena verify")
    '\x08\nExample:\n  driftduel arena verify drinks.db'
    """
    lines = EXAMPLES[command]
    heading = "Example:" if len(lines) == 1 else "Examples:"
    return "\n  ".join([f"\b\n{heading}", *lines])
