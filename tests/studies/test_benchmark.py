"""The benchmark: what is played, how it is held against the rivals, what counts as found."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

import driftduel as dd
from benchmarks import hindsight
from driftduel.experiments import Results, run_sweep
from studies.benchmark import suite, tables
from studies.benchmark.page import rivals_counted, rivals_left_out
from tests.studies import tiny_suite

ROOT = Path(__file__).parents[2]
FIGURES_COLUMNS = (
    "geometric mean",
    "worst",
    "worst there",
    "mean to rivals for any criterion",
    "worst to these",
)


@pytest.mark.parametrize("criterion", suite.CRITERIA)
@pytest.mark.parametrize("half", suite.HALVES)
def test_every_world_of_the_suite_is_played_as_it_is(criterion, half):
    spec = suite.benchmark_spec(criterion, half)
    played = [(stream.label, stream.world, stream.parameters) for stream in spec.streams]
    asked = suite.worlds(criterion, half)
    assert played == [(world.label, world.world, world.parameters) for world in asked]
    assert {stream.criteria for stream in spec.streams} == {(criterion,)}
    assert [player.name for player in spec.learners] == list(suite.PLAYERS)
    first = 10_000 if half == "held-out" else 0
    assert spec.seeds == tuple(range(first, first + 64))


@pytest.fixture
def table(monkeypatch, tmp_path):
    tiny_suite.install(monkeypatch)
    monkeypatch.setattr(suite, "LEARNER", "Uniform")
    monkeypatch.setattr(suite, "PLAYERS", ("Uniform", "MetaBosse"))
    found = {}
    for half in ("tuning", "held-out"):
        run_sweep(suite.benchmark_spec("borda", half, seeds=3), tmp_path / half)
        found["borda", half] = Results.load(tmp_path / half)
    return tables.standings(found)


def test_a_learner_is_held_against_the_best_of_the_others(table):
    assert table.select("world", "half", "learner", "rival").rows() == [
        ("switching: two", "held-out", "Uniform", "MetaBosse"),
        ("switching: two", "held-out", "MetaBosse", "Tuned"),
        ("stationary: ties", "tuning", "Uniform", "MetaBosse"),
        ("stationary: ties", "tuning", "MetaBosse", "Tuned"),
    ]
    assert table["ratio"].to_list() == (table["mean"] / table["best"]).to_list()
    assert table["other"].to_list() == ["Stranger"] * 4
    assert table["any_ratio"].to_list() == pytest.approx((table["mean"] / 0.1).to_list())
    assert (table["ratio_error"] >= table["ratio"] / 10 - 1e-12).all()
    assert table["shifts"].to_list() == [1, 1, 0, 0]
    assert (table["restarts"] == table["found"] + table["false"]).all()


def test_each_rival_is_held_against_the_learner(table):
    found = tables.duels(table)
    assert found["rival"].to_list() == ["Stranger", "MetaBosse", "Tuned", "Told", "Plain"]
    assert found["aims"].to_list() == ["copeland", *["borda"] * 4]
    assert found["told"].to_list()[2:] == ["tuned in hindsight", "told S", "no prior knowledge"]
    means = table.filter(learner="Uniform")["mean"]
    assert found["geometric"][2] == pytest.approx(math.sqrt(means[0] * means[1]) / 20)
    assert found["won"].to_list() == [
        sum(mean < bar for mean in means) for bar in (0.1, 0.5, 20, 40, 80)
    ]


def test_totals_are_geometric_means_by_criterion_and_half():
    rows = {
        "criterion": ["borda", "borda", "condorcet"],
        "half": ["tuning"] * 3,
        "learner": ["x"] * 3,
        "world": ["a", "b", "c"],
        "best": [99.0, 100.0, 5.0],
        "ratio": [1.0, 4.0, 3.0],
        "ratio_error": [0.3, 1.6, 0.0],
        "any_ratio": [2.0, 8.0, 3.0],
        "restarts": [0.5, 2.0, 7.0],
        "shifts": [0, 2, None],
    }
    borda, condorcet = tables.totals(pl.DataFrame(rows)).to_dicts()
    assert borda["geometric"] == pytest.approx(2.0)
    assert borda["geometric_error"] == pytest.approx(2.0 * 0.5 / 2)
    assert (borda["median"], borda["worst"], borda["worst_world"]) == (2.5, 4.0, "b")
    assert borda["hard"] == borda["any"] == pytest.approx(4.0)
    assert (borda["hard_worst"], borda["any_worst"]) == (4.0, 8.0)
    assert (borda["false"], condorcet["false"], condorcet["hard"]) == (0.5, None, None)


def test_rivals_are_counted_by_what_they_are_made_for(monkeypatch):
    tiny_suite.install(monkeypatch)
    assert tables.entrants().rows() == [("borda", 4, 1, 4, 1), ("condorcet", 4, 1, 4, 1)]
    (borda,) = rivals_counted(["borda"])
    assert borda == (
        "Borda: 4 rivals made for the criterion were scored, 4 of them at least on each world, 1 "
        "tuned in hindsight, and 1 for another criterion."
    )


def test_the_page_counts_the_rivals_that_were_scored():
    page = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    for sentence in rivals_counted(suite.CRITERIA):
        assert f"- {sentence}\n" in page


@pytest.mark.parametrize("criterion", suite.CRITERIA)
def test_every_listed_rival_was_scored_on_every_world_or_is_said_not_to_be(criterion):
    truth = dd.measure(suite.worlds(criterion)[0].stream())
    listed = set(hindsight.rivals(criterion, truth))
    for world in suite.worlds(criterion):
        answered = set(suite.hindsight()[criterion][world.label])
        assert listed == answered | set(suite.left_out()[criterion].get(world.label, {}))


def test_the_page_names_the_rivals_that_have_no_answer_and_says_why():
    page = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    said = rivals_left_out(suite.CRITERIA)
    assert said
    for sentence in said:
        assert f"- {sentence}\n" in page


def test_rivals_without_an_answer_are_named_together(monkeypatch):
    slow = {"Slow": "too slow for more than 2 arms", "Late": "no time"}
    monkeypatch.setattr(suite, "left_out", lambda: {"borda": {"a": slow, "b": slow}})
    assert rivals_left_out(["borda", "condorcet"]) == [
        "Borda, without an answer (no time) on a and on b: Late.",
        "Borda, without an answer (too slow for more than 2 arms) on a and on b: Slow.",
    ]


def test_the_figures_say_where_a_learner_for_condorcet_has_less_borda_regret():
    worlds = suite.hindsight()["borda"].values()
    less = 0
    for answers in worlds:
        made_for_it = [one["mean"] for one in answers.values() if one["aims"] == "borda"]
        less += answers["DiscountedRUCB"]["mean"] < min(made_for_it)
    page = " ".join((ROOT / "docs" / "figures.md").read_text(encoding="utf-8").split())
    assert f"made for Borda in {less} of the {len(worlds)} Borda worlds" in page


def test_the_figures_are_those_of_the_page():
    page = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    ours = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    rows = [[cell.strip(" *") for cell in line.split("|")] for line in page.splitlines()]
    cells_of, head = {}, []  # the table of all learners comes in pieces that begin alike
    for row in rows:
        head = row if row[1:4] == ["criterion", "half", "learner"] else head
        if head and len(row) == len(head):
            cells_of.setdefault(tuple(row[1:4]), {}).update(zip(head, row, strict=True))
    rows_of = {
        suite.LEARNER: ("DRIFTDUEL", suite.HALVES),
        suite.PAPER: ("METABOSSE, the paper's", suite.HALVES[:1]),
    }
    for criterion in suite.CRITERIA:
        for learner, (name, halves) in rows_of.items():
            for half in halves:
                cells = cells_of[criterion.title(), half, learner]
                figures = [cells[key] for key in FIGURES_COLUMNS]
                start = f"| {name} | {criterion.title()}, {half} |"
                assert f"{start} {' | '.join(figures)} |" in ours
