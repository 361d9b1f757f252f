"""Every shape in which people keep votes, read through every door: one small file for each."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

import driftduel as dd
from driftduel import votes
from driftduel.arena import service as arena
from driftduel.cli import main
from driftduel.votes import Log

FILES = Path(__file__).parent / "files"
ARMS = ("milk", "soda", "tea")
MILK, SODA, TEA = range(3)

CAST = [(TEA, MILK, 1), (MILK, SODA, 0), (SODA, TEA, 0.5), (TEA, SODA, 1), (MILK, TEA, 0),
        (SODA, MILK, 1)]  # fmt: skip
DECIDED = [*CAST[:2], (SODA, TEA, 0), *CAST[3:]]
DAYS = [(date(2024, 1, day) - date(1970, 1, 1)).days for day in (2, 3, 4, 16, 17, 18)]
AS_TOLD = "left = left, right = right, winner = winner"


def log_of(rows=CAST, time=DAYS, *, dated=True, sides=True):
    left, right, outcome = zip(*rows, strict=True)
    return Log(ARMS, time, left, right, outcome, dated=dated and time is not None, sides=sides)


UNTIMED = {"time": None}
UNKNOWN = {"rows": DECIDED, "sides": False}
NO_TIME = "; no column says when votes were cast, so that all count as of one time"

VOTES = {
    "left_right_winner_name.csv": ({}, f"{AS_TOLD}, time = time"),
    "left_won.csv": ({}, "left = left, right = right, left_won = left_won, time = time"),
    "a_b.csv": ({}, "left = a, right = b, winner = winner, time = date"),
    "option_a_option_b.csv": (
        {}, "left = option_a, right = option_b, winner = preferred, time = date"
    ),
    "model_a_model_b.csv": (
        {}, "left = model_a, right = model_b, winner = winner, time = tstamp (unix seconds)"
    ),
    "both_bad.csv": ({}, "left = model_a, right = model_b, winner = winner, time = timestamp"),
    "white_black.csv": ({}, "left = White, right = Black, winner = Result, time = UTCDate"),
    "lichess.csv": (
        {},
        "left = white_id, right = black_id, winner = winner, time = created_at (unix "
        "milliseconds)",
    ),
    "home_away.csv": ({}, "left = home, right = away, winner = winner, time = date"),
    "football.csv": (
        {"time": [day + 15 / 24 for day in DAYS]},
        "left = HomeTeam, right = AwayTeam, winner = FTR, time = Date (day first), clock = Time",
    ),
    "scores.csv": (
        {},
        "left = home_team, right = away_team, left_score = home_score, right_score = away_score, "
        "time = date",
    ),
    "answer1_answer2.csv": (
        {}, "left = answer1, right = answer2, winner = choice, time = date"
    ),
    "team1_team2.csv": (
        {},
        "left = team1, right = team2, winner = winner (1 = team1, 2 = team2), time = date",
    ),
    "first_second.csv": ({}, "left = first, right = second, winner = better, time = date"),
    "capitals.csv": ({}, "left = Option A, right = Option B, winner = Winner, time = Date"),
    "one_hot.csv": (
        UNTIMED,
        "left = model_a, right = model_b, winner_left = winner_model_a, winner_right = "
        f"winner_model_b, winner_tie = winner_tie{NO_TIME}",
    ),
    "winner_loser.csv": (UNKNOWN, "winner = winner, loser = loser, time = date"),
    "chosen_rejected.csv": (
        UNKNOWN | UNTIMED, f"winner = chosen_model, loser = rejected_model{NO_TIME}"
    ),
    "tennis.csv": (
        UNKNOWN,
        "winner = winner_name, loser = loser_name, time = tourney_date (dates such as 20240531)",
    ),
    "time_iso_zone.csv": ({}, f"{AS_TOLD}, time = time"),
    "time_iso_clock.csv": ({}, f"{AS_TOLD}, time = time"),
    "time_unix_seconds.csv": ({}, f"{AS_TOLD}, time = time (unix seconds)"),
    "time_unix_milliseconds.csv": ({}, f"{AS_TOLD}, time = timestamp (unix milliseconds)"),
    "time_unix_microseconds.csv": ({}, f"{AS_TOLD}, time = ts (unix microseconds)"),
    "time_day_first.csv": ({}, f"{AS_TOLD}, time = Date (day first)"),
    "time_month_first.csv": ({}, f"{AS_TOLD}, time = Date (month first)"),
    "time_us_clock.csv": ({}, f"{AS_TOLD}, time = voted_at (month first)"),
    "time_points.csv": ({}, f"{AS_TOLD}, time = time"),
    "time_german.csv": ({}, f"{AS_TOLD}, time = time"),
    "time_excel.csv": ({}, f"{AS_TOLD}, time = date (Excel dates)"),
    "time_whole.csv": ({}, f"{AS_TOLD}, time = day (dates such as 20240531)"),
    "time_words.csv": ({}, f"{AS_TOLD}, time = when"),
    "time_none.csv": (UNTIMED, f"{AS_TOLD}{NO_TIME}"),
    "time_numbers.csv": (
        {"time": range(1, 7), "dated": False}, f"{AS_TOLD}, time = round"
    ),
    "extras.csv": ({}, f"{AS_TOLD}, time = when"),
    "spaces.txt": (UNTIMED, f"{AS_TOLD}{NO_TIME}"),
    "pipes.txt": (UNTIMED, f"{AS_TOLD}{NO_TIME}"),
}  # fmt: skip
"""Rows that are votes: what they should be, and what is said of how they were read."""

COUNTS = {
    "left_wins_n.csv": ([[0, 0, 0], [2, 0, 0], [2, 2, 0]], False),
    "wins_losses_ties.csv": ([[0, 0, 0], [2, 0, 0.5], [2, 1.5, 0]], True),
    "wins_a_wins_b.csv": ([[0, 0, 0], [2, 0, 0.5], [2, 1.5, 0]], False),
    "counted.csv": ([[0, 0, 0], [2, 0, 0.5], [2, 1.5, 0]], False),
    "square.csv": ([[0, 0, 0], [2, 0, 0.5], [2, 1.5, 0]], False),
    "places.csv": ([[0, 0, 0], [2, 0, 1], [3, 1, 0]], True),
    "ranking.csv": ([[0, 0, 0.5], [2, 0, 1], [1.5, 1, 0]], False),
}
"""Rows that stand for several votes: how often row beat column, and whether they have dates."""


def same(log, expected):
    """Compare logs; sides that nobody knows need not be the same."""
    if expected.sides:
        return log == expected
    return (
        (log.arms, log.sides, log.dated, log.timed)
        == (expected.arms, False, expected.dated, expected.timed)
        and log.time.tolist() == expected.time.tolist()
        and log.head_to_head().tolist() == expected.head_to_head().tolist()
    )


@pytest.mark.parametrize("name", VOTES)
def test_votes_of_every_shape_are_read_and_it_is_said_how(name):
    changes, said = VOTES[name]
    log = votes.read(FILES / name)
    assert same(log, log_of(**changes))
    assert [note.removeprefix("read as: ") for note in log.notes] == ([said] if said else [])
    assert same(dd.read_log(FILES / name), log)


@pytest.mark.parametrize("name", COUNTS)
def test_rows_that_stand_for_several_votes_are_read(name):
    beaten, dated = COUNTS[name]
    log = votes.read(FILES / name)
    assert (log.arms, log.dated, log.timed) == (ARMS, dated, dated)
    assert log.head_to_head().tolist() == beaten


def test_rankings_are_warned_of():
    for name in ("places.csv", "ranking.csv"):
        log = votes.read(FILES / name)
        assert not log.sides
        assert log.notes[-1].startswith("every row ranks several options: each two of them count")
        with pytest.warns(UserWarning, match="these are not independent"):
            dd.read_log(FILES / name)


def test_rows_without_a_header_are_read_if_that_is_said():
    log = votes.read(FILES / "no_header.csv", header=False)
    assert same(log, log_of(DECIDED, None, sides=False))
    assert log.notes[0].startswith("read as: winner = 1, loser = 2; no column says when")
    log = votes.read(FILES / "no_header_three.csv", header=False)
    assert log == log_of()
    assert log.notes == ("read as: left = 2, right = 3, winner = 4, time = 1",)
    with pytest.raises(ValueError, match=r"^no_header.csv: the first row is a vote and no header;"):
        votes.read(FILES / "no_header.csv")


def test_other_columns_are_kept_beside_the_votes():
    extras = votes.read(FILES / "extras.csv").extras
    assert extras.columns == ["judge", "category", "language"]
    assert extras["category"].to_list() == ["hot", "cold"] * 3
    log = votes.read(FILES / "model_a_model_b.csv")
    assert log.extras.columns == ["question_id", "judge", "turn", "language"]
    assert votes.read(FILES / "time_none.csv").extras is None


def test_nobody_is_cautioned_about_sides_that_are_not_known():
    for name in ("winner_loser.csv", "places.csv", "square.csv"):
        assert dd.analyse(FILES / name).to_dict()["side"] is None


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    url = f"sqlite:{tmp_path_factory.mktemp('arena')}/arena.db"
    with arena.Service.open(url) as service:
        for name in [*VOTES, *COUNTS]:  # most files hold the same votes, which a poll takes in once
            arena.create_arena(service, slug_of(name), "Which is nicer?", ARMS, seed=1)
    return url


def slug_of(name):
    return name.replace("_", "-").replace(".", "-")


@pytest.mark.parametrize("name", [*VOTES, *COUNTS])
def test_every_file_with_dates_is_imported_and_others_are_refused(name, database, capsys):
    log = votes.read(FILES / name)
    command = ["arena", "import", slug_of(name), str(FILES / name), "--pairs", "uniform", "--json"]
    code = main([*command, "--database", database])
    out, err = capsys.readouterr()
    if log.dated:
        told = {"votes": log.n_votes, "counted": log.n_votes, "again": False}
        assert (code, json.loads(out)) == (0, {"arena": slug_of(name), **told})
    else:
        assert (code, out) == (2, "")
        assert err.splitlines()[-1] == (
            "driftduel: the times of the votes must be dates"
            if log.timed
            else "driftduel: no column says when votes were cast, which must be known, by dates"
        )


@pytest.mark.parametrize("name", [*VOTES, *COUNTS])
def test_every_file_is_analysed_by_the_command_and_in_python(name, capsys):
    assert main(["analyse", str(FILES / name), "--json"]) == 0
    out, err = capsys.readouterr()
    assert '"votes": ' in out
    assert err.count("\n") <= 2
    found = dd.analyse(FILES / name)
    assert found.log == votes.read(FILES / name)
    assert found.to_dict()["votes"] == found.log.n_votes
    assert any(arm in str(found) for arm in ARMS)


@pytest.mark.parametrize("name", [*VOTES, *COUNTS])
def test_every_file_is_measured(name, capsys):
    assert main(["measure", str(FILES / name), "--json"]) == 0
    assert "milk" in capsys.readouterr().out
