"""Files as people have them, each answered as it is: games, leaderboards, surveys, spreadsheets."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

import driftduel as dd
from driftduel import votes
from driftduel._support.hints import for_the_command
from driftduel.votes.rankings import _MOST as MOST_RANKED
from tests.votes.test_shapes import ARMS, CAST, DAYS, DECIDED, MILK, SODA, TEA, log_of, same

PLAIN = "left = left, right = right, winner = winner, time = time"

DATES = [f"2024-01-{day - DAYS[0] + 2:02}" for day in DAYS]
UK = ["/".join(reversed(day.split("-"))) for day in DATES]


def rows(cast=CAST):
    """Return of every vote its number, the two names, and how it ended: 1, 0 or 0.5."""
    return [(n, ARMS[a], ARMS[b], won) for n, (a, b, won) in enumerate(cast)]


def table(header, lines, separator=","):
    return "\n".join([header, *(separator.join(map(str, line)) for line in lines)]).encode() + b"\n"


def packed(name):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(name, "")
    return whole.getvalue()


def pick(won, left, right, tie):
    return {1: left, 0: right, 0.5: tie}[won]


def ends(a, b, won):
    """Return who won and who lost."""
    return (a, b) if won else (b, a)


def records(cells, cast=CAST):
    return [dict(cells(n, a, b, won)) for n, a, b, won in rows(cast)]


def lines_of(values):
    return "\n".join(map(json.dumps, values)).encode()


GAMES = {
    "football-data.co.uk.csv": (
        table(
            "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR,Referee,HS,AS,B365H,,",
            [("E0", UK[n], "15:00", a, b, *pick(w, (2, 1), (0, 3), (1, 1)), pick(w, *"HAD"),
              0, 1, "A", "M Oliver", 9, 4, 1.8, "", "") for n, a, b, w in rows()],
        ),
        {"time": [day + 15 / 24 for day in DAYS]},
        "left = HomeTeam, right = AwayTeam, winner = FTR, time = Date (day first), clock = Time",
    ),
    "openfootball.csv": (
        table(
            "Round,Date,Team 1,FT,HT,Team 2",
            [(1, f"Tue Jan {day[-2:]} 2024", a, pick(w, "2-1", "0-3", "1-1"), "0-0", b)
             for (n, a, b, w), day in zip(rows(), DATES, strict=True)],
        ),
        {}, "left = Team 1, right = Team 2, winner = FT, time = Date",
    ),
    "nfl.csv": (
        table(
            "game_id,season,week,gameday,away_team,away_score,home_team,home_score,location,result",
            [(n, 2024, 1, DATES[n], b, pick(w, 0, 7, 3), a, pick(w, 9, 0, 3), "Home", 9)
             for n, a, b, w in rows()],
        ),
        {}, "left = home_team, right = away_team, left_score = home_score, right_score = "
        "away_score, time = gameday",
    ),
    "pro-football-reference.csv": (
        table(
            "Week,Date,Winner/tie,,Loser/tie,,PtsW,PtsL,YdsW,TOW,YdsL,TOL",
            [(1, DATES[n], ends(a, b, w)[0], "@", ends(a, b, w)[1], "", 9, 3, 300, 1, 250, 2)
             for n, a, b, w in rows(DECIDED)],
        ),
        {"rows": DECIDED, "sides": False}, "winner = Winner/tie, loser = Loser/tie, time = Date",
    ),
    "ufc.csv": (
        table(
            "R_fighter,B_fighter,Referee,date,location,Winner,title_bout,R_age,B_age",
            [(a, b, "Herb Dean", DATES[n], "Las Vegas", pick(w, "Red", "Blue", "Draw"), "False",
              30, 31) for n, a, b, w in rows()],
        ),
        {}, "left = R_fighter, right = B_fighter, winner = Winner, time = date",
    ),
    "atp.csv": (
        table(
            "tourney_id,tourney_name,tourney_date,match_num,winner_id,winner_seed,winner_name,"
            "winner_age,loser_id,loser_name,loser_age,score,round,w_ace,l_ace,winner_rank",
            [("2024-1", "Open", DATES[n].replace("-", ""), n, 1, "", ends(a, b, w)[0], 20.5, 2,
              ends(a, b, w)[1], 30.1, "6-4 6-3", "R32", 5, 3, 14) for n, a, b, w in rows(DECIDED)],
        ),
        {"rows": DECIDED, "sides": False},
        "winner = winner_name, loser = loser_name, time = tourney_date (dates such as 20240531)",
    ),
    "tennis-data.csv": (
        table(
            "ATP,Location,Date,Round,Best of,Winner,Loser,WRank,LRank,W1,L1,Wsets,Lsets,B365W",
            [(1, "Brisbane", UK[n], "1st", 3, *ends(a, b, w), 9, 20, 6, 4, 2, 0, 1.5)
             for n, a, b, w in rows(DECIDED)],
        ),
        {"rows": DECIDED, "sides": False}, "winner = Winner, loser = Loser, "
        "time = Date (day first)",
    ),
    "pgn.csv": (
        table(
            "Event,Site,Date,Round,White,Black,Result,WhiteElo,BlackElo,ECO",
            [("Blitz", "x", DATES[n].replace("-", "."), "-", a, b,
              pick(w, "1-0", "0-1", "1/2-1/2"), 2100, 2150, "B01") for n, a, b, w in rows()],
        ),
        {}, "left = White, right = Black, winner = Result, time = Date",
    ),
    "chess.com.csv": (
        table(
            "white_username,black_username,white_rating,black_rating,white_result,black_result,"
            "end_time",
            [(a, b, 1500, 1600, pick(w, "win", "resigned", "agreed"),
              pick(w, "timeout", "win", "agreed"), DAYS[n] * 86_400) for n, a, b, w in rows()],
        ),
        {}, "left = white_username, right = black_username, left_result = white_result, "
        "right_result = black_result, time = end_time (unix seconds)",
    ),
    "team_opponent.csv": (
        table("date,team,opponent,result",
              [(DATES[n], a, b, pick(w, *"WLD")) for n, a, b, w in rows()]),
        {}, "left = team, right = opponent, winner = result, time = date",
    ),
    "from_both_sides.csv": (
        table("date,team,opponent,result",
              [line for n, a, b, w in rows()
               for line in ((DATES[n], a, b, pick(w, *"WLD")), (DATES[n], b, a, pick(w, *"LWD")))]),
        None, "left = team, right = opponent, winner = result, time = date; every vote is there "
        "from both sides, and counts once",
    ),
    "fixtures.csv": (
        table("date,home_team,away_team,home_score,away_score",
              [*((DATES[n], a, b, pick(w, 2, 0, 1), 1) for n, a, b, w in rows()),
               ("2024-02-01", "tea", "milk", "", "")]),
        {}, "left = home_team, right = away_team, left_score = home_score, right_score = "
        "away_score, time = date; 1 row without home_score and away_score skipped, the first in "
        "line 8",
    ),
}  # fmt: skip

MODELS = {
    "lmarena.jsonl": (
        lines_of(records(lambda n, a, b, w: {
            "question_id": f"q{n}", "model_a": a, "model_b": b,
            "winner": pick(w, "model_a", "model_b", "tie (bothbad)"), "turn": 1, "anony": True,
            "conversation_a": [{"role": "user", "content": "hi"}], "conversation_b": [],
            "language": "English", "tstamp": DAYS[n] * 86_400.0,
            "openai_moderation": {"flagged": False}, "judge": f"user_{n}",
        })),
        {}, "left = model_a, right = model_b, winner = winner, time = tstamp (unix seconds)",
    ),
    "alpaca_eval.json": (
        json.dumps(records(lambda n, a, b, w: {
            "instruction": "write", "output_1": f"text {n}", "output_2": f"words {n}",
            "generator_1": a, "generator_2": b, "annotator": "x", "date": DATES[n],
            "preference": pick(w, 1, 2, 1.5),
        })).encode(),
        {}, "left = generator_1, right = generator_2, winner = preference (1 = "
        "generator_1, 1.5 = tie, 2 = generator_2), time = date",
    ),
    "dpo_models.jsonl": (
        lines_of(records(lambda n, a, b, w: {
            "prompt": "say it", "chosen": [{"role": "user", "content": "hi"}], "rejected": [],
            "chosen-model": ends(a, b, w)[0], "rejected-model": ends(a, b, w)[1],
            "chosen-rating": 5, "created": DATES[n],
        }, DECIDED)),
        {"rows": DECIDED, "sides": False},
        "winner = chosen-model, loser = rejected-model, time = created",
    ),
    "prodigy.jsonl": (
        lines_of([*records(lambda n, a, b, w: {
            "text": "which?", "options": [{"id": "1", "text": a}, {"id": "2", "text": b}],
            "accept": ["1" if w else "2"], "answer": "accept", "_timestamp": DAYS[n] * 86_400,
        }, DECIDED), {
            "text": "which?", "options": [{"id": "1", "text": "tea"}, {"id": "2", "text": "milk"}],
            "accept": [], "answer": "ignore", "_timestamp": DAYS[0] * 86_400,
        }]),
        {"rows": DECIDED}, "left = left, right = right, winner = winner, time = _timestamp (unix "
        "seconds); 1 row without winner skipped, the first in row 7",
    ),
    "label_studio.csv": (
        table("id,model_a,model_b,prompt,pairwise,annotator,created_at,lead_time",
              [(n, a, b, "q", pick(w, "left", "right", "tie"), 1, f"{DATES[n]}T00:00:00.000000Z",
                3.2) for n, a, b, w in rows()]),
        {}, "left = model_a, right = model_b, winner = pairwise, time = created_at",
    ),
    "nested.json": (
        json.dumps({"meta": {"n": 6}, "votes": records(lambda n, a, b, w: {
            "left": {"id": 1, "name": a}, "right": {"id": 2, "name": b},
            "winner": pick(w, "left", "right", "tie"), "at": {"date": DATES[n]},
        })}).encode(),
        {}, "left = left.name, right = right.name, winner = winner, time = at.date",
    ),
    "by_key.json": (
        json.dumps({f"-N{n}": one for n, one in enumerate(records(lambda n, a, b, w: {
            "left": a, "right": b, "winner": pick(w, a, b, "tie"), "time": DATES[n],
        }))}).encode(),
        {}, PLAIN,
    ),
    "one_line.json": (
        "".join(map(json.dumps, records(lambda n, a, b, w: {
            "left": a, "right": b, "winner": pick(w, a, b, "tie"), "time": DATES[n],
        }))).encode(),
        {}, PLAIN,
    ),
    "verdicts.csv": (
        table("day,variant_a,variant_b,vote",
              [(DATES[n], a, b, pick(w, "A is better", "B is much better", "about the same"))
               for n, a, b, w in rows()]),
        {}, "left = variant_a, right = variant_b, winner = vote, time = day",
    ),
    "arena_hard.csv": (
        table("date,model_1,model_2,judgment",
              [(DATES[n], a, b, pick(w, "A>>B", "B>A", "A=B")) for n, a, b, w in rows()]),
        {}, "left = model_1, right = model_2, winner = judgment, time = date",
    ),
    "skips.csv": (
        table("time,left,right,winner",
              [*((DATES[n], a, b, pick(w, a, b, "tie")) for n, a, b, w in rows()),
               ("2024-03-01", "tea", "milk", "skip"), ("2024-03-01", "tea", "milk", "")]),
        {}, f"{PLAIN}; 2 rows without winner skipped, the first in line 8",
    ),
}  # fmt: skip

SURVEYS = {
    "all_our_ideas.csv": (
        table(
            "Vote ID,Session ID,Question ID,Winner ID,Winner Text,Loser ID,Loser Text,Prompt ID,"
            "Left Choice ID,Right Choice ID,Created at,Updated at,Response Time (s),Valid",
            [(n, 5, 1, 10, ends(a, b, w)[0], 11, ends(a, b, w)[1], 3, 10, 11,
              f"{DATES[n]} 00:00:00 UTC", f"{DATES[n]} 00:00:09 UTC", 3.4, "TRUE")
             for n, a, b, w in rows(DECIDED)],
        ),
        {"rows": DECIDED, "sides": False},
        "winner = Winner Text, loser = Loser Text, time = Created at",
    ),
    "google_forms.csv": (
        table("Timestamp,Which is nicer? [Option A],Which is nicer? [Option B],Your pick",
              [(f"1/{int(DATES[n][-2:])}/2024 0:00:00", a, b, pick(w, a, b, "No preference"))
               for n, a, b, w in rows()]),
        {}, "left = Which is nicer? [Option A], right = Which is nicer? [Option B], winner = Your "
        "pick, time = Timestamp (month first)",
    ),
    "one_hot.csv": (
        table("respondent,day,concept_1,concept_2,chose_1,chose_2",
              [(n, DATES[n], a, b, int(w), 1 - int(w)) for n, a, b, w in rows(DECIDED)]),
        {"rows": DECIDED}, "left = concept_1, right = concept_2, winner_left = chose_1, "
        "winner_right = chose_2, time = day",
    ),
    "psychopy.csv": (
        table("trial,image_left,image_right,key_pressed,rt,date",
              [(n, a, b, pick(w, "left", "right", ""), 523, DATES[n])
               for n, a, b, w in rows(DECIDED)]),
        {"rows": DECIDED}, "left = image_left, right = image_right, winner = key_pressed, time = "
        "date",
    ),
    "wines.csv": (
        table("taster,wine_x,wine_y,preferred_wine,date",
              [(n, a, b, pick(w, "x", "y", "tie"), DATES[n]) for n, a, b, w in rows()]),
        {}, "left = wine_x, right = wine_y, winner = preferred_wine, time = date",
    ),
    "second_won.csv": (
        table("date,a,b,b_won", [(DATES[n], a, b, 1 - w) for n, a, b, w in rows()]),
        {}, "left = a, right = b, right_won = b_won, time = date",
    ),
}  # fmt: skip

SHEETS = {
    "excel.txt": (
        table("Datum\tLinks\tRechts\tGewinner",
              [(".".join(reversed(DATES[n].split("-"))), a, b, pick(w, a, b, "unentschieden"))
               for n, a, b, w in rows()], "\t").decode().encode("utf-16"),
        {}, "left = Links, right = Rechts, winner = Gewinner, time = Datum",
    ),
    "decimal_comma.csv": (
        table("time;left;right;left_won",
              [(f"{n},5", a, b, str(w).replace(".", ",")) for n, a, b, w in rows()], ";"),
        {"time": [n + 0.5 for n in range(6)], "dated": False}, PLAIN.replace("winner", "left_won"),
    ),
    "comments.csv": (
        b"# exported 2024-05-01, by me\n# for you\n"
        + table("time,left,right,winner",
                [(DATES[n], a, b, pick(w, a, b, "tie")) for n, a, b, w in rows()]),
        {}, PLAIN,
    ),
    "title.csv": (
        b"My poll of drinks,,,\n,,,\n"
        + table("time,left,right,winner",
                [(DATES[n], a, b, pick(w, a, b, "tie")) for n, a, b, w in rows()]),
        {}, "the columns are named in line 3, what is above is left out | read as: "
        f"{PLAIN}",
    ),
    "title_alone.csv": (
        b"My poll of drinks\n\n"
        + table("time,left,right,winner",
                [(DATES[n], a, b, pick(w, a, b, "tie")) for n, a, b, w in rows()]),
        {}, PLAIN,
    ),
    "index.csv": (
        table(",time,left,right,winner",
              [(n, DATES[n], a, b, pick(w, a, b, "tie")) for n, a, b, w in rows()]),
        {}, PLAIN,
    ),
}  # fmt: skip

TIMES = {
    "excel_fractions.csv": ("Timestamp", lambda n: DAYS[n] + 25_569 + 0.5, 0.5, "Excel dates"),
    "zones.csv": ("voted_at", lambda n: f"{DATES[n]} 10:00:00 EST", 15 / 24, ""),
    "offsets.csv": ("voted_at", lambda n: f"{DATES[n]}T10:00:00+02:00", 8 / 24, ""),
    "gmt.csv": ("voted_at", lambda n: f"{DATES[n]} 10:00:00 GMT+2", 8 / 24, ""),
    "milliseconds.csv": ("ts", lambda n: DAYS[n] * 86_400_000, 0.0, "unix milliseconds"),
    "words.csv": ("date", lambda n: f'"January {int(DATES[n][-2:])}, 2024"', 0.0, ""),
    "mail.csv": ("when", lambda n: f'"Tue, {DATES[n][-2:]} Jan 2024 12:00:00"', 0.5, ""),
    "halves.csv": ("when", lambda n: f'"Jan {int(DATES[n][-2:])}, 2024 6:00 PM"', 0.75, ""),
}
"""A column of times, its cells, how much later than midnight they are, and what is said of them."""


@pytest.mark.parametrize("name", [*GAMES, *MODELS, *SURVEYS, *SHEETS])
def test_files_of_games_models_surveys_and_spreadsheets_are_read(name, tmp_path):
    data, changes, said = {**GAMES, **MODELS, **SURVEYS, **SHEETS}[name]
    path = tmp_path / name
    path.write_bytes(data)
    log = votes.read(path)
    if changes is None:  # each vote may stand with either side first
        assert log.head_to_head().tolist() == log_of().head_to_head().tolist()
        assert log.time.tolist() == list(DAYS)
    else:
        assert same(log, log_of(**changes))
    assert [note.removeprefix("read as: ") for note in log.notes] == said.split(" | read as: ")


@pytest.mark.parametrize("name", TIMES)
def test_times_are_read_as_people_write_them(name, tmp_path):
    column, cell, later, how = TIMES[name]
    path = tmp_path / name
    lines = [(cell(n), a, b, pick(w, a, b, "tie")) for n, a, b, w in rows()]
    path.write_bytes(table(f"{column},left,right,winner", lines))
    log = votes.read(path)
    assert log == log_of(time=[day + later for day in DAYS])
    said = f" ({how})" if how else ""
    assert log.notes == (
        f"read as: left = left, right = right, winner = winner, time = {column}{said}",
    )


@pytest.mark.parametrize(
    ("column", "cells", "found"),
    [
        ("season", ["2022/23", "2023/24"], [2022.0, 2023.0]),
        ("season", ["2022-23", "2023-2024"], [2022.0, 2023.0]),
        ("quarter", ["2024-Q1", "2024-Q2"], [19723.0, 19814.0]),
        ("quarter", ["Q1 2024", "Q2 2024"], [19723.0, 19814.0]),
        ("week", ["2024-W01", "2024-W02"], [19723.0, 19730.0]),
    ],
)
def test_seasons_quarters_and_weeks_are_times(column, cells, found):
    frame = {column: cells, "left": ["a", "b"], "right": ["b", "a"], "winner": ["a", "a"]}
    assert votes.read(frame).time.tolist() == found


def test_a_column_that_is_called_a_time_and_is_none_is_said():
    frame = {"voted_at": ["yesterday"], "left": ["a"], "right": ["b"], "winner": ["a"]}
    log = votes.read(frame)
    assert not log.timed
    assert log.notes[0].endswith(
        "; voted_at is 'yesterday', which is no time that is known, and is left out"
    )


CLOCKS = {
    "date,time": ["06:00", "18:00"],
    "Date,Kickoff": ["6:00 am", "6:00 pm"],
    "day,clock": ["06:00:00", "18:00:00"],
}


@pytest.mark.parametrize("heading", CLOCKS)
def test_a_clock_in_a_column_beside_the_date_counts(heading, tmp_path):
    day, clock = heading.split(",")
    rows = [("1970-01-02", cell, "tea", "milk", "tea") for cell in CLOCKS[heading]]
    path = tmp_path / "votes.csv"
    path.write_bytes(table(f"{heading},left,right,winner", rows))
    log = votes.read(path)
    assert log.time.tolist() == [1.25, 1.75]
    assert log.notes[0].endswith(f"time = {day}, clock = {clock}")


@pytest.mark.parametrize(
    ("dates", "clocks"),
    [
        (["1970-01-02", "1970-01-03"], ["06:00", "late"]),
        (["1970-01-02", "1970-01-03"], ["06:00", None]),
        (["1970-01-02T12:00", "1970-01-03T00:00"], ["06:00", "18:00"]),
    ],
)
def test_what_is_no_clock_of_a_day_is_another_column(dates, clocks):
    frame = {"date": dates, "time": clocks, "left": ["a", "b"], "right": ["b", "a"]}
    log = votes.read({**frame, "winner": ["a", "a"]})
    assert log.time.tolist() in ([1, 2], [1.5, 2])
    assert log.extras["time"].to_list() == clocks
    assert "clock" not in log.notes[0]


@pytest.mark.parametrize("begin", [0, 1])
@pytest.mark.parametrize("heading", ["id", ""])
def test_numbers_of_rows_before_a_square_table_are_left_out(begin, heading, tmp_path):
    rows = [("tea", "", 3, 4), ("milk", 2, "", 1), ("soda", 1, 2, "")]
    plain, numbered = tmp_path / "plain.csv", tmp_path / "numbered.csv"
    plain.write_bytes(table("option,tea,milk,soda", rows))
    rows = [(n, *row) for n, row in enumerate(rows, begin)]
    numbered.write_bytes(table(f"{heading},option,tea,milk,soda", rows))
    log = votes.read(numbered)
    assert log == votes.read(plain)
    assert log.notes[0] == f"{heading or 'the first column'} numbers the rows and is left out"
    with pytest.warns(match="numbers the rows"):
        assert votes.read_matrix(numbered).duels.tolist() == [[0, 5, 5], [5, 0, 3], [5, 3, 0]]


RANKED = {
    "results.csv": table(
        "raceId,driverId,constructorId,grid,positionOrder,points",
        [(race, driver, "x", 1, place, 9) for race, order in enumerate(("tea milk soda",) * 2)
         for place, driver in enumerate(order.split(), 1)],
    ),
    "race.csv": table(
        "race,horse,place",
        [(race, horse, place) for race, order in enumerate(("tea milk soda", "tea milk soda DNF"))
         for place, horse in enumerate(order.split()[:3], 1)] + [(0, "water", "DNF")],
    ),
    "ballots.csv": table("voter,milk,soda,tea", [("ann", 2, 3, 1), ("bob", 2, 3, 1)]),
    "choices.csv": table("Ballot,Choice 1,Choice 2,Choice 3", [(n, "tea", "milk", "soda")
                                                               for n in range(2)]),
    "maxdiff.csv": table("resp_id,set,item1,item2,item3,best,worst",
                         [(n, 1, "milk", "tea", "soda", "tea", "soda") for n in range(2)]),
}  # fmt: skip
"""Twice tea before milk before soda."""


@pytest.mark.parametrize("name", RANKED)
def test_races_ballots_and_the_best_and_worst_of_several_are_votes(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(RANKED[name])
    log = votes.read(path)
    assert log.arms == ARMS
    assert not log.sides
    beaten = log.head_to_head()
    assert (beaten[TEA, MILK], beaten[MILK, SODA], beaten[TEA, SODA]) == (2, 2, 2)
    assert beaten.sum() == 6
    assert log.notes[-1].startswith("every row ranks several options")


def test_columns_of_a_race_may_be_said():
    frame = {"x": [1, 1], "y": ["tea", "milk"], "z": [1, 2], "t": ["2024-01-02"] * 2}
    columns = {"contest": "x", "option": "y", "place": "z", "time": "t"}
    log = votes.read(frame, columns=columns)
    assert (log.n_votes, log.span[0].isoformat()) == (1, "2024-01-02")
    assert log.head_to_head().tolist() == [[0, 0], [1, 0]]


def test_the_best_and_the_worst_alone_are_one_vote():
    log = votes.read({"id": [7], "best": ["tea"], "worst": ["milk"]})
    assert (log.n_votes, log.head_to_head().tolist()) == (1, [[0, 0], [1, 0]])


def test_winners_and_losers_may_be_counted():
    log = votes.read({"Winner": ["tea", "milk"], "Loser": ["milk", "tea"], "N": [10, 5]})
    assert log.n_votes == 15
    assert "count = N" in log.notes[0]
    numbered = {"winner": ["tea", "tea"], "loser": ["milk", "milk"], "n": [1, 2]}
    assert votes.read(numbered).n_votes == 2


def test_a_zip_of_a_mac_holds_one_table(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__MACOSX/._votes.csv", b"x")
        archive.writestr("votes.csv", GAMES["pgn.csv"][0])
        archive.writestr("README.md", b"hello")
    path = tmp_path / "votes.zip"
    path.write_bytes(packed.getvalue())
    assert votes.read(path) == log_of()


REFUSED = {
    "texts of answers": (
        lines_of([{"prompt": "q", "chosen": f"answer {n} " * 9, "rejected": f"words {n} " * 9}
                  for n in range(9)]),
        "chosen and rejected hold texts, 18 different ones in 9 votes, so that hardly any is "
        "compared twice; say which columns name what wrote them: --winner NAME --columns "
        "loser=NAME",
    ),
    "no winner in records": (
        json.dumps([{"data": {"model_a": "x", "model_b": "y"}, "annotations": [{"result": []}]}])
        .encode(),
        "left = data.model_a, right = data.model_b, but no column says who won, the columns are: "
        "data.model_a, data.model_b, annotations; say which does: --winner NAME, or --columns "
        "left_won=NAME for 1 and 0",
    ),
    "a match in one cell": (
        b"match,winner\ntea vs milk,tea\n",
        "winner = winner, but no columns name the two options, the columns are: match, winner; say "
        "which do: --left NAME --right NAME; expected are left, right and winner or left_won; "
        "winner and loser; left, right and counts (left_wins, n or wins, losses, ties); first, "
        "second, third, ...; contest, option and place; or a square table with the options in its "
        "first row and first column",
    ),
    "0 and 1": (
        b"option_a,option_b,choice\ntea,milk,0\nmilk,tea,1\n",
        "line 2: choice is '0', must be left, right, tie, draw or the name of one of the two arms; "
        "if 1 is the left one, say --columns left_won=choice, else --columns right_won=choice",
    ),
    "keys": (
        b"left_stimulus,right_stimulus,response\ntea,milk,f\nmilk,tea,j\n",
        "line 2: response is 'f', must be left, right, tie, draw or the name of one of the "
        "two arms",
    ),
    "two meanings": (
        b"drink_a,drink_b,cup_a,cup_b,winner\na,b,c,d,a\n",
        "the two options may be drink_a and drink_b or cup_a and cup_b; say which: --left drink_a "
        "--right drink_b",
    ),
    "who beat whom": (
        b"beat,lost_to\ntea,milk\nmilk,soda\n",
        "beat and lost_to may each be who won; say which is: --winner beat --columns loser=lost_to",
    ),
    "no header": (
        b"tea,milk\nmilk,tea\ntea,soda\n",
        "the first row is a vote and no header; say --no-header, and what the columns are if not "
        "winner and loser: --left 1 --right 2 --winner 3",
    ),
    "ambiguous dates": (
        b"date,left,right,winner\n05/04/2024,tea,milk,tea\n01/02/2024,tea,milk,tea\n"
        b"03/03/2024,tea,milk,tea\n",
        "line 2: date is '05/04/2024', and no row tells whether the day or the month comes first; "
        "say --dayfirst or --monthfirst",
    ),
    "a driver twice in a race": (
        b"race,driver,position\n1,ann,1\n1,ann,2\n1,bob,3\n",
        "ann is there twice with race = 1, must have one place in it; say which column tells "
        "contests: --columns contest=NAME",
    ),
    "both won": (
        b"left,right,left_result,right_result\ntea,milk,win,win\n",
        "line 2: both sides won, one of them must have lost",
    ),
    "a race without places": (
        b"race,driver,position\n1,ann,\n1,bob,\n",
        "no columns name the two options, the columns are: race, driver, position; say which do: "
        "--left NAME --right NAME; expected are left, right and winner or left_won; winner and "
        "loser; left, right and counts (left_wins, n or wins, losses, ties); first, second, third, "
        "...; contest, option and place; or a square table with the options in its first row and "
        "first column",
    ),
    "a web page": (
        b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        "is a web page and no table; download the file itself",
    ),
    "a PDF": (b"%PDF-1.4\n1 0 obj\n", "is a PDF and no table; save the table as CSV or Excel"),
    "a picture": (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "is no text, and no Parquet, Arrow, Excel or zip file either",
    ),
    "a binary workbook": (
        packed("xl/workbook.bin"), "is a binary Excel file, save it as .xlsx or .csv",
    ),
    "UTF-16 that is cut within a letter": (
        b"\xff\xfe" + "left,right,winner\n".encode("utf-16-le") + b"\x00\xd8a\0",
        "is encoded as UTF-16, but damaged",
    ),
    "a long ranking": (
        b"ranking\n" + ">".join(f"option {n}" for n in range(MOST_RANKED + 1)).encode() + b"\n",
        f"a row ranks {MOST_RANKED + 1:,} options, must be at most {MOST_RANKED:,}",
    ),
    "a database": (
        b"SQLite format 3\0" + bytes(100),
        "is no text, and no Parquet, Arrow, Excel or zip file either",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_is_told_in_one_sentence_with_what_would_mend_it(what, tmp_path):
    data, said = REFUSED[what]
    path = tmp_path / "votes"
    path.write_bytes(data)
    with pytest.raises(ValueError) as error, for_the_command():  # noqa: PT011
        dd.analyse(path)
    assert str(error.value) == f"votes: {said}"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"left": "who"},
            "there is no column 'right', the columns are: who, whom, rank; say which it is: "
            "columns={'right': 'NAME'}",
        ),
        ({"ranking": "rank"}, "rank: holds Int64, must hold text such as a > b > c"),
    ],
)
def test_columns_that_are_said_and_are_not_enough_are_refused(columns, said):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        votes.read({"who": ["tea"], "whom": ["milk"], "rank": [1]}, columns=columns)
    assert str(error.value) == said


def test_part_of_a_race_may_be_missing_from_what_is_said():
    frame = {"x": [1, 1], "y": ["tea", "milk"], "z": [1, 2]}
    with pytest.raises(
        ValueError, match=r"^there is no column 'option', the columns are: x, y, z;"
    ):
        votes.read(frame, columns={"contest": "x", "place": "z"})


def test_empty_cells_in_half_of_the_rows_are_no_skips():
    text = {"left": ["a", "b"], "right": ["b", "a"], "winner": ["a", None]}
    with pytest.raises(ValueError, match=r"^row 2: winner is empty$"):
        votes.read(text)


def test_an_option_that_is_called_as_a_skip_is_no_skip():
    frame = {"left": ["pass", "run", "pass"], "right": ["run", "pass", "run"]}
    log = votes.read({**frame, "winner": ["pass", "run", "run"]})
    assert log.n_votes == 3


def test_a_bad_row_below_skipped_ones_is_named_by_its_own_line(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\na,b,\na,b,a\na,b,a\na,b,x\n")
    with pytest.raises(ValueError, match=r"^votes.csv: line 5: winner is 'x'"):
        votes.read(path)
    frame = {"left": ["a"] * 4, "right": ["b"] * 4, "winner": [None, "a", "a", "x"]}
    with pytest.raises(ValueError, match=r"^row 4: winner is 'x'"):
        votes.read(frame)
