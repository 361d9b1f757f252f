"""Where a learner comes from and what it takes, for its docstring, the command and the docs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

_COMMON = "n_arms, horizon, criterion, seed, labels"
_SECTION = "Parameters\n----------\n"
_WORDS = {"Weighted": "a weighted one", "VonNeumann": "von Neumann", "Criterion": "any other"}


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


def add_parameters(
    doc: str, literature: Literature, criteria: Sequence[type], *, needs_horizon: bool
) -> str:
    """Return a docstring whose parameters begin with those that every learner has.

    A docstring that has a row for ``n_arms`` is left as it is.

    Examples
    --------
    >>> paper = Literature("A. Author, A Title, 2020", "none", "nothing", "O(1)")
    >>> Borda = type("Borda", (), {})
    >>> add_parameters("Plays.", paper, [Borda], needs_horizon=False).splitlines()[-1]
    '    As for every learner; the criterion must be Borda and the horizon does not matter.'
    """
    doc = inspect.cleandoc(doc)
    if re.search("^n_arms[,: ]", doc, re.MULTILINE):
        return doc
    names = [_WORDS.get(kind.__name__, kind.__name__) for kind in criteria]
    text = f"As for every learner; the criterion must be {' or '.join(names)}"
    if needs_horizon:
        text += " and the horizon be given"
    elif not re.search(r"\bT\b", literature.needs):
        text += " and the horizon does not matter"
    row = f"{_COMMON}\n{fill(f'{text}.', 96, initial_indent='    ', subsequent_indent='    ')}\n"
    if _SECTION in doc:
        return doc.replace(_SECTION, _SECTION + row, 1)
    found = re.search(r"^(References|Examples)\n-+$", doc, re.MULTILINE)
    place = found.start() if found else len(doc)
    before, after = doc[:place].rstrip("\n"), doc[place:]
    return f"{before}\n\n{_SECTION}{row}\n{after}".rstrip("\n")
