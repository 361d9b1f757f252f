"""What cells of winners mean where the user says it, by the command and in Python."""

from __future__ import annotations

import json

import numpy as np
import pytest

import driftduel as dd
from driftduel import votes
from driftduel._support.hints import for_the_command
from driftduel.cli import main

HEAD = "model_a,model_b,preference"


def written(tmp_path, cells, head=HEAD):
    path = tmp_path / "votes.csv"
    path.write_text("\n".join([head, *(f"x,y,{cell}" for cell in cells)]))
    return path


@pytest.mark.parametrize(
    ("values", "cells", "outcomes"),
    [
        ({1: "left", 5: "right"}, "1 2 3 4 5", [1, 1, 0.5, 0, 0]),
        ({5: "left", 1: "right"}, "1 2 3 4 5", [0, 0, 0.5, 1, 1]),
        ({"1": "left", "2": "right", "3": "tie"}, "1 2 3", [1, 0, 0.5]),
        ({0: "tie", 1: "left", 2: "right"}, "1 2 0", [1, 0, 0.5]),
        ({1: "left", 0: "right"}, "0.9 0.1 0.5", [1, 0, 0.5]),
        ({"-3": "left", "3": "right"}, "-1 2 0", [1, 0, 0.5]),
        ({"f": "left", "j": "right", "x": "skip"}, "f F j x", [1, 1, 0]),
    ],
)
def test_values_and_the_ends_of_a_scale_are_read_as_is_said(tmp_path, values, cells, outcomes):
    log = votes.read(written(tmp_path, cells.split()), values=values)
    assert log.outcome.tolist() == outcomes
    said = ", ".join(f"{value} = {meaning}" for value, meaning in values.items())
    assert f"winner = preference ({said})" in log.notes[0]
    assert dd.analyse(written(tmp_path, cells.split()), values=values).log == log


def test_the_option_that_a_refusal_names_mends_it(tmp_path, capsys):
    path = written(tmp_path, ["1", "2", "4", "5", "3"])
    assert main(["analyse", str(path), "--json"]) == 2
    said = capsys.readouterr().err
    assert said.endswith("say what its values mean, as in --values 1=left,5=right\n")
    option = said.split("as in ")[1].split()
    assert main(["analyse", str(path), "--json", *option]) == 0
    assert json.loads(capsys.readouterr().out)["ties"] == 0.2
    assert main(["measure", str(path), "--json", *option]) == 0
    assert json.loads(capsys.readouterr().out)["n_duels"] == 5


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({1: "first"}, "values: 1 is said to be 'first', must be left, right, tie or skip"),
        ({}, "values: are empty, must say what values of winners mean"),
        ({7: "left", 9: "right"}, "values: no column holds only such values; say who won: "
         "columns={'winner': 'NAME'}"),
    ],
)  # fmt: skip
def test_values_that_make_no_sense_are_refused(tmp_path, values, said):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        votes.read(written(tmp_path, "12"), values=values)
    assert str(error.value) == f"votes.csv: {said}"


def test_a_cell_that_is_not_told_is_named_with_its_line(tmp_path):
    path = written(tmp_path, "126")
    with pytest.raises(ValueError, match=r"line 4: preference is '6', which values do not tell"):
        votes.read(path, values={1: "left", 2: "right"}, columns={"winner": "preference"})


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("1", "--values: '1' must be VALUE=WHO, as in 1=left"),
        ("1=left,1=right", "--values: '1' is given twice"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(tmp_path, capsys, option, said):
    assert main(["analyse", str(written(tmp_path, "12")), "--values", option]) == 2
    assert capsys.readouterr().err == f"driftduel: {said}\n"


REFUSED = [
    ("left,right\na,b\n", "columns={'winner': 'NAME'}", "--winner NAME"),
    ("a,b,result,choice\nx,y,x,x\n", "columns={'winner': 'choice'}", "--winner choice"),
    ("tea,milk\nmilk,tea\ntea,soda\n", "header=False", "--no-header"),
    ("date,a,b,winner\n01/02/2024,x,y,x\n01/02/2024,x,y,x\n", "dayfirst=True", "--dayfirst"),
    ("a,b,winner\nx,y,0\nx,y,1\n", "columns={'left_won': 'winner'}", "--columns left_won=winner"),
    ("race,driver,position\n1,a,1\n1,a,2\n", "columns={'contest'", "--columns contest=NAME"),
]


@pytest.mark.parametrize(("text", "python", "command"), REFUSED)
def test_python_is_told_of_arguments_and_the_command_of_options(tmp_path, text, python, command):
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        votes.read(path)
    assert python in str(error.value)
    assert "--" not in str(error.value)
    with pytest.raises(ValueError) as error, for_the_command():  # noqa: PT011
        votes.read(path)
    assert command in str(error.value)
    assert "=True" not in str(error.value)
    assert "columns={" not in str(error.value)


def test_sides_are_found_by_who_won_where_their_names_do_not_tell(tmp_path):
    path = tmp_path / "votes.csv"
    for text, sides in (
        ("champion,challenger,winner\ntea,milk,champion\nmilk,tea,challenger\n", "champion"),
        ("thing,other thing,winner\ntea,milk,tea\ntea,milk,milk\n", "thing"),
        ("response_a,response_b,winner\ntea,milk,A\ntea,milk,B\n", "response_a"),
    ):
        path.write_text(text)
        log = votes.read(path)
        assert log.notes[0].startswith(f"read as: left = {sides}, right = ")
        assert (log.arms, log.n_votes) == (("milk", "tea"), 2)


@pytest.mark.parametrize(
    ("cell", "moment"),
    [
        ("2024/03/01 1:34:00 PM GMT+1", "2024-03-01T12:34"),
        ("Fri Mar 01 2024 13:34:00 GMT+0100 (Central European Standard Time)", "2024-03-01T12:34"),
        ("Mar 01, 2024, 01:34:00 PM", "2024-03-01T13:34"),
        ("March 1, 2024 at 1:34 PM EST", "2024-03-01T18:34"),
        ("01-Mar-2024 13:34", "2024-03-01T13:34"),
        ("01-Mar-24", "2024-03-01T00:00"),
        ("20240301T133400Z", "2024-03-01T13:34"),
        ("20240301133400", "2024-03-01T13:34"),
        ("2024-03-01 01:34 PM", "2024-03-01T13:34"),
    ],
)
def test_more_times_are_read_as_programs_write_them(cell, moment):
    log = votes.read({"when": [cell], "left": ["x"], "right": ["y"], "winner": ["x"]})
    days = (np.datetime64(moment) - np.datetime64("1970-01-01T00:00")) / np.timedelta64(1, "D")
    assert log.dated
    assert log.time[0] == pytest.approx(days, abs=1e-9)


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("a,b,a_won", ("x,y,1", "x,y,0")),
        ("a,b,win_a,win_b,tie", ("x,y,1,0,0", "x,y,0,1,0")),
        ("chosen,not_chosen", ("x,y", "y,x")),
        ("picked,passed", ("x,y", "y,x")),
        ("model_a,model_b,rating_a,rating_b", ("x,y,5,3", "x,y,1,4")),
        ("model_a,model_b,model_a_wins,model_b_wins", ("x,y,1,1",)),
        ("first,second,choice", ("x,y,1st", "x,y,2nd")),
        ("a,b,verdict", ("x,y,[[A]]", "x,y,[[B]]")),
        ("a,b,winner", ("x,y,x", "x,y,y", ",,,,", ",,,")),
        ("a,b,winner,", ("x,y,x,", "x,y,y,,")),
    ],
)
def test_more_ways_to_say_who_won_are_read(tmp_path, head, cells):
    path = tmp_path / "votes.csv"
    path.write_text("\n".join([head, *cells, ""]))
    assert votes.read(path).head_to_head().tolist() == [[0, 1], [1, 0]]


def test_json_with_a_mark_and_json_in_rows_are_read(tmp_path):
    path = tmp_path / "votes.json"
    rows = [["a", "b", "winner"], ["x", "y", "x"], ["x", "y", "y"]]
    records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    expected = votes.read(records)
    path.write_text(json.dumps(rows))
    assert votes.read(path) == expected
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_text(json.dumps(records), encoding=encoding)
        assert votes.read(path) == expected


def test_every_table_of_an_analysis_is_a_data_frame():
    found = dd.analyse({"a": ["x", "y"] * 9, "b": ["y", "x"] * 9, "winner": ["x"] * 18})
    assert found.pairs.frame.columns[:3] == ["first", "second", "votes"]
    assert found.pairs.to_pandas().shape == (1, 7)
    assert found.bars.to_pandas()["votes"].tolist() == [18]
    assert found.scores.to_pandas()["arm"].tolist() == ["x", "y"]
    assert len(found.ratings.rows.to_pandas()) == len(found.ratings.rows)
