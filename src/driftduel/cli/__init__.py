"""The driftduel command.

What a command needs is imported when it runs, so that ``driftduel --help`` is quick.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

BAD_INPUT = 2
CONFLICT = 3
INTERRUPTED = 130

_ONE_ROUND = {"new", "ask", "tell", "undo", "status", "learners"}
"""Commands that play a round at most: to compile kernels, or read compiled ones, takes longer."""

_SHORT = {*_ONE_ROUND, "analyse"}
"""Commands that mostly take as long as their imports do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_program("driftduel", _commands, arguments, _answered)


def _commands() -> typer.Typer:
    from driftduel.cli.app import app

    return app


def run_program(
    name: str,
    commands: Callable[[], typer.Typer],
    arguments: Sequence[str] | None = None,
    at_once: Callable[[Sequence[str]], bool] = lambda _: False,
) -> int:
    """Run a program and return its exit code, given its name and what loads its commands.

    What can be done without the parser of options, ``at_once`` does; it tells whether it could.

    What the user did wrong becomes one sentence on standard error and exit code 2, what does not go
    with what was said before exit code 3, an interrupt exit code 130. Only a mistake of
    ours shows a traceback.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, for as long as the process lives
    if sys.stdout is None:
        # The next file that is opened would take its place.
        print(f"{name}: standard output is closed", file=sys.stderr)
        return BAD_INPUT
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if arguments is None and not _SHORT.isdisjoint(sys.argv[1:2]):
        _be_short()
    if arguments is None and sys.argv[1:2] == ["analyse"]:
        from driftduel.cli.answers import process

        process["ours"] = True
    if arguments is None and not _ONE_ROUND.isdisjoint(sys.argv[1:2]):
        # Nobody else lives in this process, who might want to play on.
        from driftduel._support.compile.jit import interpret

        interpret()
    given = sys.argv[1:] if arguments is None else arguments
    try:
        from driftduel._support.hints import for_the_command

        with for_the_command():
            if at_once(given):
                return 0
            arguments = _with_names_joined(given) or arguments
            code = commands()(arguments, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:
            return _interrupted(name)
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _forget_output()
        return 1
    except KeyboardInterrupt:
        return _interrupted(name)
    except Exception as error:
        from driftduel.cli.shared import Conflict, Stopped

        if isinstance(error, Stopped):
            return _interrupted(name, str(error))
        sentence = _sentence(error)
        if sentence is None:
            raise
        print(f"{name}: {_by_its_option(sentence, given)}", file=sys.stderr)
        if isinstance(error, OSError):
            _flush()
        return CONFLICT if isinstance(error, Conflict) else BAD_INPUT


def _answered(arguments: Sequence[str]) -> bool:
    """Answer ``analyse FILE...``, for which to load the parser of options would be most of it."""
    if [*arguments[:1]] != ["analyse"]:
        return False
    from driftduel.cli.answers import answer, files_alone

    files = files_alone(arguments)
    if files is None:
        return False
    answer(files)
    sys.stdout.flush()
    return True


def _with_names_joined(arguments: Sequence[str]) -> list[str] | None:
    """Return arguments with ``--arms a b c`` as ``--arms a,b,c``; None if there is no such thing.

    All that follows up to the next option is a name, unless the first has commas in it.
    """
    if "--arms" not in arguments:
        return None
    begin = [*arguments].index("--arms") + 1
    end = begin
    while end < len(arguments) and not arguments[end].startswith("-"):
        end += 1
    names = arguments[begin:end]
    if len(names) < 2 or "," in names[0]:
        return None
    for name in names:
        if "," in name:
            raise ValueError(f"--arms: {name!r} has a comma, which separates names; leave it out")
    return [*arguments[:begin], ",".join(names), *arguments[end:]]


def _be_short() -> None:
    """Spend nothing on what a process that soon ends has no use for; it must be ours.

    A quarter of its time would go to a search for garbage among what was just imported, once more
    at the end, and to threads of numpy's library, which spin for a while before they sleep.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()
    atexit.register(gc.freeze)


def _flush() -> None:
    """Try to print what is left; a full disk has been told of by now."""
    try:
        sys.stdout.flush()
    except OSError:
        _forget_output()


def _forget_output() -> None:
    """Let Python, which flushes once more on exit, flush to nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupted(name: str, sentence: str = "interrupted") -> int:
    print(f"{name}: {sentence}", file=sys.stderr)
    return INTERRUPTED


def _example(error: Exception) -> str:
    """Return a whole call of the command that lacked something."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ != "MissingParameter" or context is None:
        return ""
    from driftduel.cli.groups import EXAMPLES

    lines = EXAMPLES.get(context.command_path.removeprefix("driftduel "), ())
    return f" For example: {lines[0]}" if lines else ""


def _by_its_option(sentence: str, given: Sequence[str]) -> str:
    """Name the option in a sentence about an argument of Python that was given by it.

    Examples
    --------
    >>> _by_its_option("alpha is 2, must be below 1", ["analyse", "may.csv", "--alpha", "2"])
    '--alpha is 2, must be below 1'
    >>> _by_its_option("may.csv: there is no such file", ["analyse", "may.csv"])
    'may.csv: there is no such file'
    """
    first, blank, rest = sentence.partition(" ")
    option = "--" + first.rstrip(":").replace("_", "-")
    said = any(argument.partition("=")[0] == option for argument in given)
    return f"{option}{':' * first.endswith(':')}{blank}{rest}" if said else sentence


def _sentence(error: Exception) -> str | None:
    """Return what to tell the user, or None if the error is not the user's."""
    from driftduel._support.extras import MissingExtraError

    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        text = f"{where}{error.strerror[0].lower()}{error.strerror[1:]}"
    elif isinstance(error, ValueError | OSError | MissingExtraError):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = f"not enough memory: {error}" if str(error) else "not enough memory"
    elif isinstance(error, RecursionError):
        text = "what was given is nested too deeply"
    elif hasattr(error, "format_message"):  # typer's own, whose class moved between versions
        text = error.format_message() + _example(error)
    else:
        return None
    words = " ".join(text.split())
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in words
    )
