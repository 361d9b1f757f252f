from __future__ import annotations

import pytest

from driftduel.experiments import Results
from studies.benchmark.page import BEGIN, END
from tests.studies import tiny_suite


@pytest.fixture
def tiny(monkeypatch):
    tiny_suite.install(monkeypatch)


def test_a_half_is_played_and_told(run, tiny, tmp_path):
    done = run("benchmark", "--seeds", 2, "--out", tmp_path, "--workers", 1)
    assert done.words.startswith("Borda, held-out half, 1 world: the regret of ")
    files = [tmp_path / name for name in ("report.html", "benchmark.md", "images/benchmark.svg")]
    assert done.out.endswith(f"written: {', '.join(map(str, files))}\n")
    for criterion in ("borda", "condorcet"):
        results = Results.load(tmp_path / f"{criterion}-held-out")
        assert len(results.streams) == 1
        assert sorted(results.runs["seed"].unique()) == [10_000, 10_001]
    page = files[0].read_text()
    for word in ("Ratio to the best rival", "tuned in hindsight", "switching: two"):
        assert word in page
    assert "stationary: ties" not in page


def test_a_page_keeps_what_stands_around_the_marks(run, tiny, tmp_path):
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text(f"# Title\n\n{BEGIN}\nlast time\n{END}\n\nThe end.\n")
    options = ("--half", "all", "--criterion", "borda", "--seeds", 2, "--workers", 1)
    run("benchmark", *options, "--out", tmp_path, "--page", page)
    text = page.read_text()
    assert text.startswith(f"# Title\n\n{BEGIN}\n")
    assert text.endswith(f"\n{END}\n\nThe end.\n")
    assert "last time" not in text
    assert "| Borda | Told | told S | Borda | 1 |" in text
    assert "| Borda | held-out | " in text
    assert "| Borda | tuning | " in text
    assert "](images/benchmark.svg)" in text
    assert (page.parent / "images" / "benchmark.svg").exists()


def test_a_page_without_marks_is_refused_before_anything_runs(refused, tiny, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Title\n")
    words = refused("benchmark", "--page", page, "--out", tmp_path / "out")
    assert words.startswith(f"{page}: must hold the lines '{BEGIN}' and '{END}'")
    assert not (tmp_path / "out").exists()
