from __future__ import annotations

import importlib
from html.parser import HTMLParser

import numpy as np
import pytest

import driftduel as dd
from driftduel._support import extras
from driftduel.report.cards import describe

HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(1)>\"' {{7*7}}"
P, Q = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]
TAGS = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "img"}


class Parsed(HTMLParser):
    """The elements of a card with their attributes, and its text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.words = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data

    @property
    def pictures(self):
        return [attributes["src"] for tag, attributes in self.elements if tag == "img"]


def world(labels=("tea", "milk")):
    return dd.Stream.piecewise([P, Q], [0, 300], 600, labels=list(labels))


def learner(labels=("tea", "milk"), votes=20):
    made = dd.DriftDuel(2, labels=list(labels), seed=1)
    for _ in range(votes):
        made.tell(made.ask(votes_only=True), "left")
    return made


@pytest.fixture(scope="module")
def things(one):
    """Everything that has a card, with labels that would rather be markup."""
    labels = [f"tea {HOSTILE}", f"milk {HOSTILE}"]
    return {
        "stream": world(labels),
        "run": dd.simulate(dd.MetaBosse(2, 600), world(labels)),
        "measures": dd.measure(world(labels)),
        "results": one,
        "learner": learner(labels),
        "fresh learner": dd.MetaBosse(2, labels=labels),
        "report": learner(labels).report(),
        "report of another": dd.learners.FixedPair(2, labels=labels).report(),
    }


NAMES = ["stream", "run", "measures", "results", "learner", "fresh learner", "report"]


@pytest.mark.parametrize("name", [*NAMES, "report of another"])
def test_a_card_is_short_and_holds_nothing_but_text_tables_and_pictures(things, name):
    html = things[name]._repr_html_()
    card = Parsed(html)
    assert {tag for tag, _ in card.elements} <= TAGS
    assert all(source.startswith("data:image/svg+xml;base64,") for source in card.pictures)
    assert not any(key.startswith("on") for _, values in card.elements for key in values)
    assert len(html) < 100_000
    assert 20 < len(card.words) < 4000


@pytest.mark.parametrize("name", ["stream", "learner", "fresh learner", "report"])
def test_a_label_is_text_whatever_it_says(things, name):
    assert HOSTILE in Parsed(things[name]._repr_html_()).words


@pytest.mark.parametrize("name", ["stream", "run", "results"])
def test_there_is_a_picture_where_it_helps(things, name):
    assert len(Parsed(things[name]._repr_html_()).pictures) == 1


def test_a_world_that_stays_the_same_has_no_picture():
    card = Parsed(dd.Stream.stationary(P, 10)._repr_html_())
    assert card.pictures == []
    assert "rounds" in card.words


def test_the_card_of_a_run_says_what_was_lost():
    run = dd.simulate(dd.MetaBosse(2, 600), world(), seed=3)
    facts = dict(describe(run).rows)
    assert float(facts["Borda regret"]) == pytest.approx(run.regret()[-1], rel=0.01)
    assert facts["seed"] == "3"
    assert facts["would pick in the end"] in ("tea", "milk")


def test_a_run_without_regret_has_a_card():
    cycle = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    run = dd.simulate(dd.learners.RUCB(3, 50), dd.Stream.stationary(cycle, 50))
    with pytest.raises(ValueError, match="Condorcet winner"):
        run.regret("condorcet")
    assert "Run of RUCB" in Parsed(run._repr_html_()).words


def test_showing_a_learner_does_not_begin_it():
    fresh = dd.DriftDuel(2)
    assert "No votes yet" in fresh._repr_html_()
    assert "_session" not in vars(fresh)


def test_a_stream_with_many_arms_draws_those_that_are_best():
    rng = np.random.default_rng(0)
    worlds = []
    for best in (17, 3):
        matrix = np.full((20, 20), 0.5)
        matrix[best], matrix[:, best], matrix[best, best] = 0.9, 0.1, 0.5
        worlds.append(matrix)
    stream = dd.Stream.piecewise(worlds, [0, int(rng.integers(20, 80))], 100)
    drawn = {row["arm"] for row in describe(stream).chart.data.values}
    assert {"3", "17"} <= drawn
    assert len(drawn) == 6


@pytest.mark.parametrize("missing", ["jinja2", "altair", "vl_convert"])
def test_without_the_extra_a_card_is_the_text(monkeypatch, missing):
    def import_module(name):
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return importlib.import_module(name)

    monkeypatch.setattr(extras, "import_module", import_module)
    stream = world([HOSTILE, "milk"])
    card = Parsed(stream._repr_html_())
    assert [tag for tag, _ in card.elements] == ["pre"]
    assert card.words == repr(stream)
    report = learner([HOSTILE, "milk"]).report()
    if missing == "jinja2":
        card = Parsed(report._repr_html_())
        assert [tag for tag, _ in card.elements] == ["pre"]
        assert card.words == str(report)


def test_a_run_is_told_in_a_line():
    run = dd.simulate(dd.learners.FixedPair(2, left=0, right=1), world(), seed=7)
    assert repr(run) == (
        "Run(FixedPair, Stream(2 arms, 600 rounds, 2 stretches of 2 matrices), seed=7, best=0, "
        "1 episode, 0 evictions, 0 replays)"
    )


def test_a_figure_in_a_notebook_holds_the_scripts_that_draw_it():
    run = dd.simulate(dd.MetaBosse(2, 600), world([HOSTILE, "milk"]))
    chart = dd.plot.timeline(run)
    shown = chart._repr_mimebundle_()
    assert set(shown) == {"text/html", "text/plain"}
    frame = Parsed(shown["text/html"])
    ((tag, attributes),) = frame.elements
    assert tag == "iframe"
    assert "vegaEmbed(" in attributes["srcdoc"]
    assert "<script src" not in attributes["srcdoc"]
    assert "<script>alert" not in attributes["srcdoc"]
    assert type(chart).__name__ == "LayerChart"
    assert type(chart.properties(width=100)) is type(chart)
