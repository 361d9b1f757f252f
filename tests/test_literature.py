"""docs/literature.md: a row for each work that the paper cites, in the library or explained."""

from __future__ import annotations

import re
from pathlib import Path

import driftduel as dd
from driftduel.learners.parts.bandits import KINDS

ROOT = Path(__file__).parents[1]

CITED = """
Abbasi-Yadkori: A New Look; Agarwal: Choice Bandits; Ailon: Reducing Dueling; Auer: The
Nonstochastic; Auer: Tracking the Best Arm; Auer: Tracking the Best Bandit Arm; Balsubramani:
Instance-dependent; Bartók: Partial Monitoring; Bengs: Preference-based; Besbes: Optimal
Exploration; Beygelzimer: Contextual; Brandt: Finding Optimal Arms; Buening: ANACONDA; Chen: A New
Algorithm; Dudik: Contextual Dueling; Falahatgar: Maxing and Ranking; Gajane: A Relative
Exponential; Garivier: On Upper-Confidence; Haddenhorst: Identification of the; Heckel:
Approximate Ranking; Hilgendorf: Duelling Bandits; Jamieson: Sparse Dueling; Jia: Smooth
Non-stationary; Kocsis: Discounted UCB; Kolpaczki: Non-Stationary Dueling; Komiyama: Regret Lower
Bound; Komiyama: Copeland Dueling; Krishnamurthy: On Slowly-varying; Lin: Efficient Mechanisms;
Liu: Learning to Rank; Maillard: Apprentissage; Radlinski: How Does Clickthrough; Ramamohan:
Beyond Condorcet; Saha: Versatile Dueling; Saha: Optimal and Efficient; Saha: Adversarial Dueling;
Seldin: Evaluation; Sui: Advancements; Suk: When Can We Track; Suk: Tracking Most Significant;
Urvoy: Generic Exploration; Wu: Double Thompson; Wu: Borda Regret; Xia: a Framework; Xia:
Coalitional Manipulability; Yue: Beat the Mean; Yue: The K-armed; Zimmert: Factored Bandits;
Zoghi: Relative Upper; Zoghi: Copeland Dueling; Zoghi: MergeRUCB
"""
"""The bibliography of the paper: an author of each work, and words of its title."""

REASONS = ("not here: ", "nothing to build", "motivation", "learners are above")
"""What a row says that explains why a work is not in the library."""


def rows():
    text = (ROOT / "docs" / "literature.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| work \|.*\n\|---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    lines = "".join(tables).splitlines()
    return [re.split(r"\s*\|\s*", line.strip("| ")) for line in lines]


def cited():
    return [" ".join(work.split()).split(": ") for work in CITED.split(";")]


def names_in(place):
    """Return the names of a row; of a call or an attribute the first name counts."""
    return re.findall(r"`([^`]+)`", place)


def is_in_library(name):
    if name.startswith('"'):
        return name.strip('"') in KINDS
    if name.startswith("driftduel."):
        path = ROOT / "src" / Path(*name.split("."))
        return path.with_suffix(".py").exists() or path.is_dir()
    first = re.split(r"[.(]", name)[0]
    return any(first in dir(home) for home in (dd, dd.learners, dd.matrix))


def test_every_work_that_the_paper_cites_has_one_row():
    assert len(cited()) == len(rows()) == 51
    for author, title in cited():
        assert len([work for work, _, _ in rows() if author in work and title in work]) == 1, title


def test_every_row_is_in_the_library_or_explained():
    explained_above = False
    for work, contribution, place in rows():
        assert contribution, work
        explained = any(reason in place for reason in REASONS)
        if place.startswith("likewise") or "not here: likewise" in place:
            explained = explained_above
        assert any(map(is_in_library, names_in(place))) or explained, work
        # Who says that something is missing says why.
        assert place.count("not here") == place.count("not here: "), work
        explained_above = explained or bool(names_in(place))


def test_every_name_is_one_of_the_library():
    names = {name for _, _, place in rows() for name in names_in(place)}
    assert len(names) > 60
    for name in names:
        assert is_in_library(name), name


def test_the_readme_links_it():
    assert "docs/literature.md" in (ROOT / "README.md").read_text(encoding="utf-8")
