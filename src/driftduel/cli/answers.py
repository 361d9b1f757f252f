"""What ``driftduel analyse`` does, given what was asked: it reads, and prints what votes tell.

Nothing here needs typer, which takes as long to load as a small file takes to be read.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftduel.cli.terminal import print_json, working

if TYPE_CHECKING:
    from driftduel.verdict.causes import Release
    from driftduel.votes.analysis import Analysis

_MOST_ROWS = 20
"""Options and groups that are listed; the page and JSON have all."""

_FEW = 2000
"""Rows that are followed by kernels that are not compiled, in a process that then ends."""

_WIDEST = 100

process = {"ours": False}
"""Whether nobody else lives in this process, who might want to go on after the command."""


def files_alone(arguments: Sequence[str]) -> list[str] | None:
    """Return the files if a call of the command asks for nothing else.

    Examples
    --------
    >>> files_alone(["analyse", "may.csv", "-"]), files_alone(["analyse", "may.csv", "--json"])
    (['may.csv', '-'], None)
    """
    command, *files = arguments or [""]
    if command != "analyse" or any(file.startswith("-") and file != "-" for file in files):
        return None
    return files or None


def answer(
    files: list[str],
    *,
    out: Path | None = None,
    arms: list[str] | None = None,
    only: list[str] | None = None,
    by: str | None = None,
    releases: list[str] | None = None,
    drift: bool = False,
    variants: Sequence[Sequence[str]] = (),
    columns: dict[str, str] | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
    values: dict[str, str] | None = None,
    weight: list[float] | None = None,
    alpha: float = 0.05,
    pairs: str | None = None,
    as_json: bool = False,
) -> None:
    """Print what the votes of files tell, and write the page if that can be."""
    from dataclasses import replace

    from driftduel.votes.reading import read

    page = _page(files[0]) if out is None else out
    if page.is_dir():
        raise ValueError(f"{page}: is a folder, must be a file such as {page / 'votes.html'}")
    name = name_of(files)
    with working(f"reading {name}"):
        log = read(
            source_of(files),
            columns=columns or {},
            dayfirst=dayfirst,
            header=header,
            propensities=pairs is None,
            values=values,
        )
    if process["ours"] and len(log) <= _FEW and not drift:
        # To read compiled kernels takes longer than these votes do.
        from driftduel._support.compile.jit import interpret

        interpret()
    elif process["ours"]:
        gc.enable()
    from driftduel.matrix.criteria import Weighted
    from driftduel.votes.analyses import analyse

    with working(f"analysing {log.n_votes:,} votes"):
        found = analyse(
            log,
            None if weight is None else Weighted(weight),
            alpha=alpha,
            pairs=pairs,
            arms=arms,
            only=only,
            by=by,
            releases=[_release(text, log.arms) for text in releases or ()],
            drift=drift,
            variants=variants,
        )
    found = replace(found, file=", ".join(files))
    for note in found.notes:
        print(f"driftduel: note: {name}: {note}", file=sys.stderr)
    if as_json:
        print_json(found.to_dict())
        return
    for line in _lines(found):
        print(line)
    _write(found, page, asked=out is not None)


def name_of(files: list[str]) -> str:
    """Return what files are called in a sentence.

    Examples
    --------
    >>> name_of(["votes/may.csv"]), name_of(["-"]), name_of(["may.csv", "june.csv"])
    ('may.csv', 'standard input', 'may.csv and 1 more')
    """
    first = "standard input" if files[0] == "-" else Path(files[0]).name or files[0]
    return first if len(files) == 1 else f"{first} and {len(files) - 1} more"


def source_of(files: list[str]) -> Any:
    """Return what to read: one file, or all of several."""
    return files[0] if len(files) == 1 else files


def _release(text: str, options: Sequence[str]) -> Release:
    """Return the release that an option names.

    Examples
    --------
    >>> _release("version 2 of blue@2024-05-03", ["blue", "red"]).to_dict()
    {'name': 'version 2', 'at': '2024-05-03', 'option': 'blue'}
    >>> _release("new page@1200", ["blue", "red"]).to_dict()
    {'name': 'new page', 'at': 1200.0, 'option': None}
    """
    from datetime import date, datetime

    from driftduel.verdict.causes import Release
    from driftduel.verdict.moments import Moment

    words, sign, when = (part.strip() for part in text.rpartition("@"))
    at: date | float
    try:
        if not (sign and words):
            raise ValueError
        if when.replace(".", "", 1).isdigit():
            at = float(when)
        else:
            at = date.fromisoformat(when) if len(when) == 10 else datetime.fromisoformat(when)
    except ValueError:
        raise ValueError(
            f"--release: {text!r} must be NAME@DATE, as in 'version 2 of blue@2024-05-03'"
        ) from None
    name, of, option = words.rpartition(" of ")
    if of and name and option in options:
        return Release(name, Moment.of(at), option)
    return Release(words, Moment.of(at))


def verdict_of(found: Analysis) -> Iterator[str]:
    """Yield who is likely best, and what of it is proved."""
    from driftduel.verdict import text
    from driftduel.verdict.parts import plain

    if found.likely_sentences:
        yield from _wrapped(" ".join(found.likely_sentences[:-1]))
        yield ""
        yield found.likely_sentences[-1]
    yield from _wrapped(" ".join(map(plain, text.headline(found.standing))))


def _lines(found: Analysis) -> Iterator[str]:
    """Yield what is printed: who is best, the options, and all else that is to be said."""
    from driftduel.verdict import rows, text
    from driftduel.verdict.parts import plain

    known = found.standing
    yield from verdict_of(found)
    yield ""
    yield from _table(rows.OPTIONS, rows.option_rows(known))
    yield ""
    if found.by is not None:
        standings = [(group.name, group.analysis.standing) for group in found.groups]
        yield from _table((found.by, *rows.GROUPS), rows.group_rows(standings))
        yield ""
    for sentence in (*map(plain, text.details(known)), *found.more_sentences):
        yield from _wrapped(sentence)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; columns that hold numbers stand at the right."""
    shown = [headings, *rows[:_MOST_ROWS]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    right = [
        all(cell[:1].isdigit() or not cell for cell in column) for column in zip(*rows, strict=True)
    ]
    for row in shown:
        cells = [
            cell.rjust(width) if numeric else cell.ljust(width)
            for cell, width, numeric in zip(row, widths, right, strict=True)
        ]
        yield f"  {'  '.join(cells)}".rstrip()
    if len(rows) > _MOST_ROWS:
        yield f"  and {len(rows) - _MOST_ROWS:,} more"


def _wrapped(sentence: str) -> list[str]:
    """Return a sentence in lines that fit the terminal; in one where there is none."""
    if not sys.stdout.isatty():
        return [sentence]
    import shutil
    import textwrap

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return textwrap.wrap(sentence, max(width, 20), break_long_words=False) or [""]


def _write(found: Analysis, page: Path, *, asked: bool) -> None:
    """Write the page; where that cannot be and nobody asked for it, say how it could."""
    from driftduel._support.extras import MissingExtraError
    from driftduel.report.extra import check_drawing

    try:
        check_drawing()
        with working(f"writing {page.name}"):
            found.save_page(page)
    except MissingExtraError as error:
        if asked:
            raise
        _, _, how = str(error).partition(": ")
        print(f"For a page with charts: {how}")
    except OSError as error:
        if asked:
            raise
        why = error.strerror or error
        print(f"No page was written, {page} cannot be ({why}): --out PATH writes it elsewhere.")
    else:
        print(f"written: {page}")


def _page(file: str) -> Path:
    """Return the page that is written if nothing is said: beside the file."""
    path = Path("votes" if file == "-" else file)
    return path.with_name(f"{path.resolve().name if path.is_dir() else path.name}.html")
