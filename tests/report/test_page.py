from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from io import StringIO
from urllib.parse import unquote

import polars as pl
import pytest

from driftduel.report.document import compose
from driftduel.report.page import MOST_SHOWN, write_page


class Reader(HTMLParser):
    """Collects the elements of a page and the text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.words = []
        self.scripts = {}
        self._script = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag in ("script", "style"):
            self._script = attributes.get("id", f"{tag}-{len(self.tags)}")

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._script = None

    def handle_data(self, data):
        if self._script is None:
            self.words.append(data)
        else:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def document(one):
    return compose(one)


def read(document, folder):
    write_page(document, folder / "page.html")
    return Reader((folder / "page.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(document, tmp_path_factory):
    return read(document, tmp_path_factory.mktemp("page"))


def test_every_figure_has_a_place_a_spec_and_words_instead(document, page):
    specs = json.loads(page.scripts["specs"])
    places = [div["data-figure"] for div in page.all("div") if "data-figure" in div]
    names = [figure.name for figure in document.all_figures()]
    assert places == names == list(specs)
    for figure in document.all_figures():
        spec = specs[figure.name]
        assert (spec["width"], spec["description"]) == ("container", figure.description)
        assert "title" not in spec


def test_the_page_holds_its_scripts_once_and_fetches_nothing(page):
    assert sum("vegaEmbed=" in text for text in page.scripts.values()) == 1
    for _, attributes in page.tags:
        assert "src" not in attributes
        assert re.match(r"#|data:", attributes.get("href") or "#")
    policy = next(meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
    assert policy.startswith("default-src 'none';")
    styles = "".join(text for name, text in page.scripts.items() if name.startswith("style"))
    assert "url(" not in styles
    assert "@import" not in styles


def test_labels_are_text_and_never_markup(one, page):
    words = "".join(page.words)
    assert one.title == "Tastes </script><script>alert(1)</script>"
    assert one.title in words
    assert "two <i>winners</i>" in words
    assert 'never <b>adapts</b> & "loses"' in words
    assert {"i", "b"} & {tag for tag, _ in page.tags} == set()
    assert len(page.all("script")) == 4


def test_the_summary_can_be_saved_as_csv(one, page):
    link = next(a for a in page.all("a") if a.get("download") == "summary.csv")
    kind, _, data = link["href"].partition(",")
    assert kind == "data:text/csv;charset=utf-8"
    saved = pl.read_csv(StringIO(unquote(data)))
    assert saved["mean"].to_list() == one.summary()["mean"].to_list()
    assert saved.columns == one.summary().columns


def test_the_spec_and_the_environment_are_on_the_page(one, page):
    words = "".join(page.words)
    assert one.spec_text in words
    assert one.environment["python"] in words


def test_rows_of_a_stream_stand_under_its_name(grid, page, tmp_path):
    document = compose(grid)
    tags = read(document, tmp_path).all("th")
    groups = [th for th in tags if th.get("scope") == "rowgroup"]
    summary, exponents = document.tables
    assert len(groups) == len({row[0] for row in [*summary.cells, *exponents.cells]}) == 7
    assert groups[0]["colspan"] == str(len(summary.headings) - 1)
    assert not [th for th in page.all("th") if th.get("scope") == "rowgroup"]


def test_few_streams_stand_below_each_other_of_many_one_is_chosen(grid, page, tmp_path):
    assert page.all("select") == []
    assert len(grid.streams) > MOST_SHOWN
    many = read(compose(grid), tmp_path)
    values = [option["value"] for option in many.all("option")]
    articles = many.all("article")
    assert values == [article["id"] for article in articles]
    assert ["hidden" in article for article in articles] == [False, True, True, True, True]


def test_what_is_reachable_by_keyboard_has_a_name(page):
    for attributes in page.all("div"):
        if "tabindex" in attributes:
            assert attributes["aria-label"]
    assert {attributes["id"] for _, attributes in page.tags if "id" in attributes} >= {"findings"}
    assert page.all("a")[0] == {"class": "skip", "href": "#findings"}
