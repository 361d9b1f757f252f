"""The driftduel command.

What a command needs is imported when it runs, so that ``driftduel --help`` is quick.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

BAD_INPUT = 2
CONFLICT = 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    What the user did wrong becomes one sentence on standard error and exit code 2, what does not go
    with what was said before exit code 3, an interrupt exit code 130. Only a mistake of
    ours shows a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        from driftduel.cli.app import app

        code = app(arguments, prog_name="driftduel", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:
            return _interrupted()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python flushes once more on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        from driftduel.cli.shared import Conflict, Stopped

        if isinstance(error, Stopped):
            return _interrupted(str(error))
        sentence = _sentence(error)
        if sentence is None:
            raise
        print(f"driftduel: {sentence}", file=sys.stderr)
        return CONFLICT if isinstance(error, Conflict) else BAD_INPUT


def _interrupted(sentence: str = "interrupted") -> int:
    print(f"driftduel: {sentence}", file=sys.stderr)
    return INTERRUPTED


def _sentence(error: Exception) -> str | None:
    """Return what to tell the user, or None if the error is not the user's."""
    from driftduel.report.extra import MissingExtraError

    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        text = f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    elif isinstance(error, ValueError | OSError | MissingExtraError):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = f"not enough memory: {error}" if str(error) else "not enough memory"
    elif hasattr(error, "format_message"):  # typer's own, whose class moved between versions
        text = error.format_message()
    else:
        return None
    return " ".join(text.split())
