"""docs/literature.md: one row for each work cited, and names that exist."""

from __future__ import annotations

import re
from pathlib import Path

import driftduel as dd
from driftduel.learners.parts.bandits import KINDS

ROOT = Path(__file__).parents[1]
WORKS = 51


def rows():
    text = (ROOT / "docs" / "literature.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| work \|.*\n\|---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    lines = "".join(tables).splitlines()
    return [re.split(r"\s*\|\s*", line.strip("| ")) for line in lines]


def test_every_work_that_the_paper_cites_has_a_row_that_says_where_it_is_or_why_not():
    assert len(rows()) == WORKS
    assert len({work for work, _, _ in rows()}) == WORKS
    for _, contribution, place in rows():
        assert contribution
        assert place


def test_every_name_is_one_of_the_library():
    # Of a call or an attribute the first name counts.
    names = {name for row in rows() for name in re.findall(r"`([^`]+)`", row[2])}
    assert len(names) > 60
    for name in names:
        if name.startswith('"'):
            assert name.strip('"') in KINDS
        elif name.startswith("driftduel."):
            assert (ROOT / "src" / Path(*name.split("."))).with_suffix(".py").exists() or (
                ROOT / "src" / Path(*name.split("."))
            ).is_dir()
        else:
            assert hasattr(dd, re.split(r"[.(]", name)[0]), name


def test_the_readme_links_it():
    assert "docs/literature.md" in (ROOT / "README.md").read_text(encoding="utf-8")
