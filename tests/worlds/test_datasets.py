from __future__ import annotations

import collections
import math
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import driftduel as dd
from driftduel.votes import YEAR, choose_bandwidth, left_bias, smooth
from driftduel.worlds import datasets

RETROSHEET = (
    "The information used here was obtained free of charge from and is copyrighted by Retrosheet. "
    'Interested parties may contact Retrosheet at "www.retrosheet.org".'
)
DATA = Path(datasets.__file__).parent / "data"


def on_21_july(log, bandwidth, **options):
    """The matrices of mid-season, one a year."""
    first, last = log.span
    days = [date(year, 7, 21) for year in range(first.year, last.year + 1)]
    return smooth(log, days, bandwidth, **options)


def borda_winners(matrices):
    return matrices.mean(axis=2).argmax(axis=1)


def changes(winners):
    return int((np.diff(winners) != 0).sum())


def round_of(stream, day):
    first, last = stream.span
    return round((day - first).days / (last - first).days * (stream.horizon - 1))


FORMULA_1_WINNERS = (
    ["ferrari"] * 8  # 1997-2004
    + ["mclaren"]  # 2005
    + ["ferrari"] * 3  # 2006-08
    + ["red-bull"] * 5  # 2009-13
    + ["mercedes"] * 8  # 2014-21
    + ["red-bull"] * 2  # 2022-23
    + ["mclaren"] * 2  # 2024-25
)


def test_the_logs_are_complete():
    baseball, racing = datasets.american_league_log(), datasets.formula_1_log()
    assert repr(baseball) == "Log(8 arms, 35,271 votes, 1903-04-20 to 1960-10-02)"
    assert baseball.arms == ("BOS", "CHA", "CLE", "DET", "NYA", "PHA", "SLA", "WS1")
    assert repr(racing) == "Log(9 arms, 19,666 votes, 1997-03-09 to 2025-12-07)"
    assert len(np.unique(racing.time)) == 552


def test_points_make_the_champions_of_the_premier_league():
    log, champions = datasets.premier_league_log(), datasets.premier_league_champions()
    assert repr(log) == "Log(51 arms, 13,125 votes, 1992-08-15 to 2026-04-27)"
    assert 0.25 < (log.outcome == 0.5).mean() < 0.27
    won = collections.Counter(champions.values())
    assert won == {
        "Manchester United": 13, "Manchester City": 8, "Chelsea": 5, "Arsenal": 3, "Liverpool": 2,
        "Blackburn Rovers": 1, "Leicester City": 1,
    }  # fmt: skip
    assert champions[2011] == "Manchester City"
    world = datasets.premier_league(horizon=10)
    assert world.labels == datasets.BIG_SIX
    assert world.credits == (datasets.notice("premier_league"),)


def test_home_clubs_have_an_advantage_and_left_teams_none():
    baseball, racing = datasets.american_league_log(), datasets.formula_1_log()
    assert round(baseball.left_share, 3) == 0.546
    assert round(left_bias(baseball), 3) == 0.549
    assert round(left_bias(racing), 3) == 0.498


@pytest.mark.large
def test_the_formula_1_winners_of_every_year_come_out():
    log = datasets.formula_1_log()
    winners = borda_winners(on_21_july(log, 0.5 * YEAR))
    assert [log.arms[winner] for winner in winners] == FORMULA_1_WINNERS


@pytest.mark.large
def test_the_formula_1_stream_shows_the_same_winners_on_the_same_days():
    world = datasets.formula_1()
    assert world.horizon == 100_000
    assert world.span == (date(1997, 3, 9), date(2025, 12, 7))
    shown = [
        world.labels[world.matrix(round_of(world, date(year, 7, 21))).sum(axis=1).argmax()]
        for year in range(1997, 2026)
    ]
    assert shown == FORMULA_1_WINNERS


@pytest.mark.large
def test_formula_1_always_has_a_condorcet_winner_mostly_the_borda_winner():
    matrices = on_21_july(datasets.formula_1_log(), 0.5 * YEAR)
    condorcet = [dd.classify(P).condorcet_winner for P in matrices]
    assert None not in condorcet
    assert round(np.mean(condorcet == borda_winners(matrices)), 2) == 0.79


@pytest.mark.large
@pytest.mark.parametrize(("years", "expected"), [(1.0, 14), (1.5, 10), (3.0, 3)])
def test_baseball_has_fewer_borda_winners_the_wider_the_bandwidth(years, expected):
    matrices = on_21_july(datasets.american_league_log(), years * YEAR)
    assert changes(borda_winners(matrices)) == expected


@pytest.mark.large
def test_baseball_is_close_and_often_without_a_condorcet_winner():
    matrices = on_21_july(datasets.american_league_log(), 1.5 * YEAR)
    exists = [dd.classify(P).condorcet for P in matrices]
    gaps = np.diff(np.sort(matrices.mean(axis=2), axis=1)[:, -2:], axis=1)
    assert round(np.mean(exists), 2) == 0.64
    assert round(float(np.median(gaps)), 2) == 0.03


@pytest.mark.large
def test_the_baseball_stream_changes_its_borda_winner_ten_times():
    world = datasets.american_league()
    assert world.labels == datasets.american_league_log().arms
    assert changes(borda_winners(world.palette[world.which])) == 10
    assert world == datasets.american_league_log().stream(100_000, 1.5 * YEAR, remove_bias=True)


@pytest.mark.large
def test_smoothing_beats_one_static_matrix_on_held_out_days():
    baseball = choose_bandwidth(datasets.american_league_log(), np.array([0.5, 1.5, 5]) * YEAR)
    assert baseball.bandwidth == 1.5 * YEAR
    assert round(baseball.static_loss, 4) == 0.6873
    assert round(baseball.loss, 4) == 0.6740
    racing = choose_bandwidth(datasets.formula_1_log(), np.array([0.1, 0.5, 2]) * YEAR)
    assert racing.bandwidth == 0.5 * YEAR
    assert round(racing.static_loss, 4) == 0.5799
    assert round(racing.loss, 4) == 0.4285


@pytest.mark.large
def test_knowing_the_home_advantage_predicts_games_better():
    log = datasets.american_league_log()
    choices = [
        choose_bandwidth(log, [1.5 * YEAR], remove_bias=remove_bias)
        for remove_bias in (False, True)
    ]
    assert choices[1].loss < choices[0].loss - 0.004
    assert choices[1].static_loss < choices[0].static_loss - 0.004


@pytest.mark.parametrize("make", [datasets.american_league, datasets.formula_1])
def test_worlds_can_be_made_of_some_arms_over_any_horizon(make):
    labels = ["NYA", "BOS"] if make is datasets.american_league else ["williams", "ferrari"]
    world = make(horizon=7, arms=labels)
    assert world.labels == tuple(labels)
    assert world.horizon == 7
    with pytest.raises(ValueError, match=r"^horizon is 0, must be at least 1$"):
        make(horizon=0)
    with pytest.raises(ValueError, match=r"^arms: 'brabham' is not in the log, known are: "):
        make(arms=["brabham", *labels])


def test_an_infinite_bandwidth_gives_the_shares_of_all_games():
    log = datasets.formula_1_log()
    wins = log.head_to_head()
    shares = (wins + 0.5) / (wins + wins.T + 1)
    world = datasets.formula_1(horizon=10, bandwidth=math.inf)
    np.testing.assert_allclose(world.matrix(0), shares, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "n_arms", "condorcet", "borda", "gap"),
    [
        ("six_rankers", 6, 0, [0], 0.0217),
        ("cyclic", 4, 0, [0], 0.1),
        ("arithmetic", 8, 0, [0], 0.05),
        ("tennis", 8, None, [6], 0.0013),
        ("hudry", 13, None, [1, 2, 3], 0.0),
        ("llm_arena", 16, 2, [2], None),
    ],
)
def test_matrices_have_the_winners_the_field_says_they_have(name, n_arms, condorcet, borda, gap):
    labels, P = datasets.matrix(name)
    assert len(labels) == n_arms == len(P)
    assert dd.classify(P).condorcet_winner == condorcet
    assert dd.Borda().winners(P).tolist() == borda
    if gap is not None:
        scores = np.sort(dd.Borda().scores(P))
        assert scores[-1] - scores[-2] == pytest.approx(gap, abs=5e-5)


def test_the_classes_of_the_matrices_are_those_the_field_says_they_are():
    kinds = {name: dd.classify(datasets.matrix(name).P) for name in datasets.MATRICES}
    assert [name for name, kind in kinds.items() if kind.gic] == ["arithmetic"]
    assert [name for name, kind in kinds.items() if kind.sst] == ["arithmetic"]
    assert kinds["arithmetic"].sti


def test_the_copeland_winner_of_hudry_is_far_from_its_borda_winners():
    P = datasets.matrix("hudry").P
    assert (P > 0.5).sum(axis=1).argmax() == 0
    assert (P[0] > 0.5).sum() == 9
    assert dd.Borda().scores(P)[[0, 1]].round(3).tolist() == [0.477, 0.623]


def test_matrices_have_labels_and_cannot_be_changed():
    labels, P = datasets.matrix("llm_arena")
    assert labels[2] == "gemini-2.5-pro"
    with pytest.raises(ValueError, match="read-only"):
        P[0, 1] = 0.9


def test_a_world_of_a_matrix_can_have_some_of_its_arms():
    labels, P = datasets.matrix("six_rankers")
    stream = datasets.stationary("six_rankers", 10, arms=[labels[4], labels[1], labels[2]])
    assert stream.labels == (labels[4], labels[1], labels[2])
    assert (stream.matrix(0) == P[np.ix_([4, 1, 2], [4, 1, 2])]).all()
    assert stream.credits == datasets.stationary("six_rankers", 10).credits
    with pytest.raises(ValueError, match=r"arms: 'z' is not in cyclic, known are: a1, a2, a3, a4"):
        datasets.stationary("cyclic", 10, arms=["a1", "z"])


def test_an_unknown_matrix_is_refused_with_the_known_ones():
    message = (
        r"^matrix 'sushi' is unknown, known are: arithmetic, cyclic, hudry, llm_arena, "
        r"six_rankers, tennis$"
    )
    with pytest.raises(ValueError, match=message):
        datasets.matrix("sushi")


def test_a_matrix_is_not_looked_for_outside_the_data():
    with pytest.raises(ValueError, match=r"is unknown"):
        datasets.matrix("../data/cyclic")


def test_every_data_set_has_a_notice_and_every_file_belongs_to_one():
    names = (*datasets.LOGS, *datasets.MATRICES)
    assert all(len(datasets.notice(name)) > 100 for name in names)
    files = {path.name.split(".")[0] for path in DATA.iterdir()} - {"NOTICES"}
    assert files == set(names)


def test_the_notices_say_what_the_owners_ask_for():
    assert RETROSHEET in datasets.notice("american_league")
    assert "F1DB" in datasets.notice("formula_1")
    assert "CC BY 4.0" in datasets.notice("formula_1")
    assert "CC BY 4.0" in datasets.notice("llm_arena")
    for name in ("six_rankers", "cyclic", "arithmetic"):
        assert "Copyright (c) 2015 Junpei Komiyama" in datasets.notice(name)
    for name in ("hudry", "tennis"):
        assert "Copyright (c) 2021 Björn Haddenhorst and Jasmin Brandt" in datasets.notice(name)
    assert "Permission is hereby granted" in (DATA / "NOTICES.md").read_text(encoding="utf-8")


def test_the_docstrings_of_the_baseball_data_carry_the_statement():
    for function in (datasets.american_league, datasets.american_league_log):
        assert RETROSHEET in " ".join(function.__doc__.split())


def test_an_unknown_notice_is_refused_with_the_known_names():
    with pytest.raises(ValueError, match=r"^data set 'sushi' is unknown, known are: american_"):
        datasets.notice("sushi")


def test_the_shipped_files_stay_small():
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 300_000


def test_datasets_are_reachable_from_the_package():
    assert dd.worlds.datasets is datasets
