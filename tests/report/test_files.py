from __future__ import annotations

import polars as pl
import pytest

from driftduel.report.document import compose
from driftduel.report.figures import save_figure
from driftduel.report.files import write_report

BEGINS = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF"}


@pytest.mark.parametrize("form", BEGINS)
def test_figures_are_written_without_a_browser(one, tmp_path, form):
    files = write_report(one, form, tmp_path / "figures")
    names = [figure.name for figure in compose(one).all_figures()]
    assert [file.name for file in files] == [f"{name}.{form}" for name in names]
    assert all(file.read_bytes().startswith(BEGINS[form]) for file in files)
    assert sorted((tmp_path / "figures").iterdir()) == sorted(files)


def test_a_figure_that_stands_alone_says_what_it_shows(one, tmp_path):
    files = write_report(one, "svg", tmp_path)
    svg = files[0].read_text()
    assert "Cumulative Borda regret: two &lt;i&gt;winners&lt;/i&gt;" in svg


def test_tables_are_written_as_csv(grid, tmp_path):
    files = write_report(grid, "csv", tmp_path)
    assert [file.name for file in files] == ["summary.csv", "exponents.csv"]
    assert pl.read_csv(files[0])["mean"].to_list() == grid.summary()["mean"].to_list()


def test_the_page_is_written_whole_or_not_at_all(one, tmp_path):
    (page,) = write_report(one, "html", tmp_path / "report.html")
    assert page.read_text().endswith("</html>\n")
    assert list(tmp_path.iterdir()) == [page]
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_report(one, "html", tmp_path / "nowhere" / "report.html")


def test_an_unknown_format_is_refused(one, tmp_path):
    with pytest.raises(
        ValueError, match=r"^format is 'gif', must be one of html, png, svg, pdf, csv$"
    ):
        write_report(one, "gif", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_figure_as_html_holds_its_labels_as_data(tmp_path):
    import altair as alt

    label = "</script><script>alert(1)</script>"
    chart = alt.Chart(alt.InlineData(values=[{"x": label}])).mark_point().encode(x="x:N")
    (file,) = save_figure(chart, tmp_path, "figure", ["html"])
    text = file.read_text()
    assert label not in text
    assert text.count("<script") == 3
