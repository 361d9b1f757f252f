from __future__ import annotations

import json
from datetime import date

import pytest

import driftduel as dd
from driftduel.report import summarise
from driftduel.worlds.measures.measures import COUNTS, LISTED, PHASES
from tests.report.worlds import tied_world

ROCK = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
P, Q = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]


def summary_of(stream, weight=None):
    return summarise(stream, dd.measure(stream, weight))


@pytest.mark.parametrize("seed", range(10))
def test_a_summary_is_json_that_comes_back_equal(seed):
    summary = summary_of(tied_world(seed, n_arms=3))
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_every_measure_is_there_and_equals_what_measure_says():
    stream = dd.Stream.piecewise([P, Q], [0, 400], 1000, labels=["tea", "coffee"])
    measures, summary = dd.measure(stream), summary_of(stream)
    assert set(summary["measures"]) == {*COUNTS, *PHASES}
    for name in COUNTS:
        assert summary["measures"][name] == getattr(measures, name)
    for name in PHASES:
        found, phases = summary["measures"][name], getattr(measures, name)
        assert found["phases"] == len(phases)
        assert [item["start"] for item in found["first"]] == phases.starts.tolist()
        labels = [stream.labels[arm] for arm in phases.last_safe]
        assert [item["last_safe"] for item in found["first"]] == labels
        assert sum(run["count"] for run in found["runs"]) == len(phases)
    assert summary["rates"] == measures.rates()


def test_millions_of_phases_stay_a_few_runs():
    summary = summary_of(dd.Stream.stationary(ROCK, horizon=10**9))
    unknown = summary["measures"]["significant_unknown"]
    assert unknown["phases"] == 166_666_667
    assert [item["start"] for item in unknown["first"]] == list(range(0, 6 * LISTED, 6))
    assert len(unknown["runs"]) <= 3
    assert summary["undefined"]["condorcet_switches"].startswith("round 0")
    assert summary["measures"]["condorcet_switches"] is None
    assert summary["winners"]["condorcet"] == [
        {"start": 0, "end": 10**9, "from": None, "to": None, "arms": []}
    ]


def test_a_dated_stream_has_dates_wherever_it_has_rounds():
    span = (date(2000, 1, 1), date(2000, 1, 11))
    stream = dd.Stream([P, Q], [0, 1], [0, 5], 11, labels=["tea", "coffee"], span=span)
    summary = summary_of(stream)
    assert summary["span"] == ["2000-01-01", "2000-01-11"]
    first, second = summary["winners"]["borda"]
    assert (first["from"], first["to"], first["arms"]) == ("2000-01-01", "2000-01-05", ["tea"])
    assert (second["from"], second["to"]) == ("2000-01-06", "2000-01-11")
    assert summary["measures"]["significant_borda"]["first"][0]["from"] == "2000-01-01"


def test_arms_without_labels_are_called_by_their_numbers():
    summary = summary_of(dd.Stream.piecewise([P, Q], [0, 5], 10))
    assert summary["arms"] == ["0", "1"]
    assert [spell["arms"] for spell in summary["winners"]["borda"]] == [["0"], ["1"]]


def test_a_class_that_fails_says_where():
    matrices = [[[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], ROCK]
    span = (date(2000, 1, 1), date(2000, 4, 9))
    stream = dd.Stream(matrices, [0, 1], [0, 70], 100, span=span)
    found = summary_of(stream)["classes"]
    assert found["CW"] == {"holds": False, "fails_at": 70, "fails_on": "2000-03-11"}
    whole = summary_of(dd.Stream.stationary(matrices[0], 10))["classes"]
    assert whole["STI"] == {"holds": True, "fails_at": None, "fails_on": None}


def test_the_von_neumann_winner_is_left_out_where_it_would_take_long(monkeypatch):
    rock = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    back = [[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]]
    stream = dd.Stream.piecewise([rock, back], [0, 50], 100)
    assert summarise(stream, dd.measure(stream))["von_neumann"]["unique"]
    monkeypatch.setattr("driftduel.report.summary._MOST_ENTRIES", 17)
    assert summarise(stream, dd.measure(stream))["von_neumann"] is None
    still = stream[:50]
    assert summarise(still, dd.measure(still))["von_neumann"]["largest_support"] == 3
