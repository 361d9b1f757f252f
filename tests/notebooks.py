"""The notebooks of ``examples``: run again, and written with what they show.

``make examples`` writes them. Figures hold the scripts that draw them, a megabyte each; these are
left out of what is written, and of the rest the text and the cards are kept.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "examples"
FILES = sorted(FOLDER.glob("*.ipynb"))
_MOST_LETTERS = 200_000


def run(file, folder):
    """Return a notebook with what it shows when it is run in a folder."""
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def outputs(notebook):
    """Return what every cell of code shows, by the kind of it."""
    return [
        [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def texts(notebook):
    """Return what every cell of code shows as plain text."""
    return [[shown.get("text/plain", "") for shown in cell] for cell in outputs(notebook)]


def write(file, folder):
    """Write a notebook with what it shows, without what is too large for a repository."""
    notebook = run(file, folder)
    for cell in notebook.cells:
        cell.get("metadata", {}).pop("execution", None)
    for cell in outputs(notebook):
        for shown in cell:
            if len(shown.get("text/html", "")) > _MOST_LETTERS:
                del shown["text/html"]
    notebook.metadata.pop("language_info", None)
    nbformat.write(notebook, file)


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    for file in FILES:
        with TemporaryDirectory() as scratch:
            write(file, scratch)
