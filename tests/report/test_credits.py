from __future__ import annotations

import pytest

import driftduel as dd
from driftduel.report.credits import credits_of
from driftduel.streams import catalogue, datasets

P = [[0.5, 0.6], [0.4, 0.5]]
RETROSHEET = (
    "The information used here was obtained free of charge from and is copyrighted by Retrosheet. "
    'Interested parties may contact Retrosheet at "www.retrosheet.org".'
)


def test_the_american_league_is_credited_with_the_words_of_retrosheet():
    (notice,) = credits_of(datasets.american_league(horizon=50))
    assert RETROSHEET in notice


def test_a_part_of_the_data_is_credited_too():
    world = datasets.american_league(horizon=50, arms=["NYA", "BOS"])
    assert credits_of(world[10:20]) == [datasets.notice("american_league")]
    assert credits_of(world.relabel([1, 0]).stretch(99)) == [datasets.notice("american_league")]


def test_credits_survive_a_file(tmp_path):
    datasets.formula_1(horizon=50).save(tmp_path / "f1.npz")
    assert credits_of(dd.Stream.load(tmp_path / "f1.npz")) == [datasets.notice("formula_1")]


@pytest.mark.parametrize("name", ["six-rankers", "arithmetic", "cyclic", "llm-arena"])
def test_the_small_matrices_are_credited(name):
    world = catalogue.build(name, horizon=10)
    assert credits_of(world) == [datasets.notice(name.replace("-", "_"))]


def test_labels_alone_do_not_make_it_someone_elses_data():
    labels = datasets.matrix("cyclic").labels[:2]
    assert credits_of(dd.Stream.stationary(P, 10, labels=labels)) == []


def test_the_same_arms_at_another_time_are_not_credited():
    from datetime import date

    span = (date(1970, 1, 1), date(1971, 1, 1))
    world = dd.Stream([P], [0], [0], 10, labels=["NYA", "BOS"], span=span)
    assert credits_of(world) == []


def test_synthetic_worlds_need_no_credit():
    assert credits_of(catalogue.build("switching", horizon=100)) == []
