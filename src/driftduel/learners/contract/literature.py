"""Where a learner comes from: one citation, for its docstring, the command and the docs."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from textwrap import fill


@dataclass(frozen=True)
class Literature:
    """Where a learner comes from and what it promises, for people who choose one.

    Attributes
    ----------
    paper : str
        Authors, title, venue and year; empty for folklore.
    bound : str
        The regret bound, with the criterion it is about.
    needs : str
        What it must be told in advance besides the number of arms.
    cost : str
        The cost of a round.
    """

    paper: str
    bound: str
    needs: str
    cost: str


def add_citation(doc: str, literature: Literature) -> str:
    """Return a docstring whose references begin with the paper.

    Examples
    --------
    >>> paper = Literature("A. Author, A Title, 2020", "none", "nothing", "O(1)")
    >>> add_citation("Plays.", paper).splitlines()
    ['Plays.', '', 'References', '----------', 'A. Author, A Title, 2020.']
    """
    doc, paper = inspect.cleandoc(doc), literature.paper
    if not paper or paper in " ".join(doc.split()):
        return doc
    paper = fill(f"{paper[0].upper()}{paper[1:]}.", 96, break_on_hyphens=False)
    references, examples = "References\n----------\n", "Examples\n--------\n"
    if references in doc:
        return doc.replace(references, f"{references}{paper}\n\n", 1)
    if examples in doc:
        return doc.replace(examples, f"{references}{paper}\n\n{examples}", 1)
    return f"{doc}\n\n{references}{paper}"
