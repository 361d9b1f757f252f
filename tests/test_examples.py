from __future__ import annotations

import pytest

from tests import notebooks

CARDS = {"first-look": 6, "votes": 4}
"""The notebooks, and how many cards each shows at least."""


@pytest.mark.slow
@pytest.mark.parametrize("file", notebooks.FILES, ids=lambda file: file.stem)
def test_a_notebook_shows_what_it_says_it_shows(file, tmp_path):
    stored = notebooks.nbformat.read(file, as_version=4)
    fresh = notebooks.run(file, tmp_path)
    assert notebooks.texts(fresh) == notebooks.texts(stored), "make examples writes it again"
    shown = [data for cell in notebooks.outputs(fresh) for data in cell]
    cards = [data["text/html"] for data in shown if "text/html" in data]
    assert len(cards) >= CARDS[file.stem]
    assert not any("<script src" in card or "cdn." in card[:5000] for card in cards)
    assert any("<iframe" in card for card in cards), "a chart that shows without a network"


def test_there_are_these_notebooks():
    assert [file.stem for file in notebooks.FILES] == [*CARDS]
