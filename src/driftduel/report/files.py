"""Writing a report: one page, or its figures, or its tables, as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from driftduel._support.files import replacing
from driftduel.report.document import compose
from driftduel.report.figures import apply_theme, save_figure, skip_validation
from driftduel.report.page import write_page

if TYPE_CHECKING:
    from driftduel.experiments.results import Results

FORMATS = ("html", "png", "svg", "pdf", "csv")


def write_report(results: Results, form: str = "html", out: Path | None = None) -> list[Path]:
    """Write a report on an experiment and return the files.

    Parameters
    ----------
    results : Results
        What `driftduel.Results.load` returns.
    form : str
        ``html`` for the page with everything, ``png``, ``svg`` or ``pdf`` for the figures,
        ``csv`` for the tables.
    out : Path, optional
        The file of the page, by default ``report.html`` beside the results; else the folder of the
        files, by default ``report`` there.
    """
    if form not in FORMATS:
        raise ValueError(f"format is {form!r}, must be one of {', '.join(FORMATS)}")
    document = compose(results)
    if form == "html":
        page = results.folder / "report.html" if out is None else out
        if page.is_dir():
            raise ValueError(f"{page}: is a folder, must be a file such as {page / 'report.html'}")
        write_page(document, page)
        return [page]
    folder = results.folder / "report" if out is None else out
    if folder.is_file():
        raise ValueError(f"{folder}: is a file, must be a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if form == "csv":
        files = []
        for table in document.tables:
            file = folder / f"{table.name}.csv"
            with replacing(file) as temporary:
                table.frame.write_csv(temporary)
            files.append(file)
        return files
    with skip_validation():
        return [
            file
            for figure in document.all_figures()
            for file in save_figure(
                apply_theme(figure.chart.properties(title=figure.heading)),
                folder,
                figure.name,
                [form],
            )
        ]
