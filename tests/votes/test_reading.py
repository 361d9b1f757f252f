from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.votes import Log, Matrix, read_log, read_matrix

HEADER = "time,left,right,left_won\n"
ONE = Log(["a", "b"], [1, 2], [0, 1], [1, 0], [1, 1])


@pytest.fixture
def written(tmp_path):
    def write(text, name="votes.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


def complaint(read, *arguments, **options):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read(*arguments, **options)
    return str(error.value)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("left", 1), ("right", 0), ("tie", 0.5), ("draw", 0.5), ("Left", 1), ("TIE", 0.5),
        ("a", 1), ("b", 0), ("true", 1), ("False", 0), ("1.0", 1), (".5", 0.5), ('"0,5"', 0.5),
    ],
)  # fmt: skip
def test_outcomes_are_numbers_words_or_names(written, word, value):
    assert read_log(written(f"{HEADER}1,a,b,{word}\n")).outcome.tolist() == [value]


@pytest.mark.parametrize(
    ("word", "value"),
    [("left", 1), ("right", 0), ("Draw", 0.5), ("tie (bothbad)", 0.5), ("a", 1), (" b ", 0)],
)
def test_a_column_of_winners_is_read(written, word, value):
    text = f"time,left,right,winner\n1,a,b,{word}\n"
    assert read_log(written(text)).outcome.tolist() == [value]


def test_numbers_and_words_may_be_mixed(written):
    log = read_log(written(f"{HEADER}1,a,b,1\n2,a,b,b\n3,b,a,b\n4,a,b,draw\n5,a,b,0\n"))
    assert log.outcome.tolist() == [1, 0, 1, 0.5, 0]


@pytest.mark.parametrize("number", ["1", "0", "2", "0.5", "True"])
def test_a_number_is_no_winner_for_it_may_mean_either_side(written, number):
    path = written(f"time,left,right,winner\n1,a,b,a\n2,a,b,{number}\n")
    other = (
        ""
        if number == "2"
        else "; if 1 is the left one, say columns={'left_won': 'winner'}, else "
        "columns={'right_won': 'winner'}"
    )
    assert complaint(read_log, path) == (
        f"votes.csv: line 3: winner is '{number}', must be left, right, tie, draw or the name of "
        f"one of the two arms{other}"
    )


def test_a_number_that_names_an_arm_is_a_winner():
    votes = {"time": [1, 2], "left": [7, 8], "right": [8, 9], "winner": [7, 9]}
    assert read_log(pl.DataFrame(votes)).outcome.tolist() == [1, 0]


def test_a_word_that_is_also_the_name_of_the_other_arm_is_refused(written):
    path = written("time,left,right,winner\n1,right,left,right\n")
    assert complaint(read_log, path) == (
        "votes.csv: line 2: winner is 'right', which is also the name of an arm; rename the arm"
    )
    path = written("time,left,right,winner\n1,tie,b,tie\n")
    assert "which is also the name of an arm" in complaint(read_log, path)
    assert read_log(written("time,left,right,winner\n1,left,b,left\n")).outcome.tolist() == [1]


def test_columns_may_have_other_names(written):
    path = written("when,model_a,model_b,who\n1,a,b,model_a\n2,b,a,model_a\n")
    columns = {"time": "when", "left": "model_a", "right": "model_b", "winner": "who"}
    assert read_log(path, columns=columns) == ONE


def test_a_blank_may_stand_before_a_quoted_name(written):
    text = 'time, "left", "right", "left_won"\n1, "a", "b", 1\n2, "b", "a", 1\n'
    assert read_log(written(text)) == ONE
    text = 'time, "left", "right", "left_won"\n\n1, "a, or\nso", "b", 1\n2, "b", "b", 7\n'
    assert complaint(read_log, written(text)).startswith("votes.csv: line 5: left_won is '7', must")


def test_a_winner_who_is_not_the_one_of_left_won_is_asked_about(written):
    path = written("time,left,right,left_won,winner\n1,a,b,1,a\n2,b,a,1,a\n")
    assert complaint(read_log, path) == (
        "votes.csv: line 3: left_won is 1, but winner is 'a'; say which of them counts, as in "
        "left_won=left_won"
    )
    assert read_log(path, columns={"left_won": "left_won"}) == ONE
    assert read_log(path, columns={"winner": "winner"}).outcome.tolist() == [1, 0]
    other = written("time,left,right,left_won,winner\n1,a,b,1,\n2,b,a,1,someone\n")
    assert read_log(other) == ONE


def test_a_winner_in_other_letters_is_asked_about(written):
    assert complaint(read_log, written("time,left,right,winner\n1,a,b,A\n")).startswith(
        "votes.csv: line 2: winner is 'A' (did you mean a?), must be left, right, tie"
    )


def test_headings_may_be_in_capitals(written):
    assert read_log(written("Time,LEFT,Right,Winner\n1,a,b,a\n2,b,a,b\n")) == ONE


def test_a_column_that_is_not_there_is_asked_about(written):
    path = written("time,left,right,winner\n1,a,b,a\n")
    assert complaint(read_log, path, columns={"winner": "winer"}).endswith(
        "no column 'winer' (did you mean winner?), the columns are: time, left, right, winner"
    )


def test_a_winner_that_is_told_counts_more_than_a_column_called_left_won(written):
    path = written("time,left,right,left_won,who\n1,a,b,0,a\n2,b,a,0,b\n")
    assert read_log(path, columns={"winner": "who"}) == ONE


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("name", ["votes.csv", "votes.tsv"])
def test_the_separator_is_found(written, separator, name):
    text = f"{HEADER}1,a,b,1\n2,b,a,1\n".replace(",", separator)
    assert read_log(written(text, name)) == ONE


def test_a_packed_file_with_tabs_is_read(tmp_path):
    path = tmp_path / "votes.tsv.gz"
    path.write_bytes(gzip.compress(f"{HEADER}1,a,b,1\n2,b,a,1\n".replace(",", "\t").encode()))
    assert read_log(path) == ONE


def test_an_unknown_separator_is_asked_about(written):
    header = HEADER.strip().replace(",", ":")
    assert complaint(read_log, written(f"{header}\n")) == (
        f"votes.csv: the header is one column, {header!r}: is the separator ':'? It must be a "
        "comma, a semicolon, a tab, a bar or blanks"
    )


def test_blanks_around_headers_are_ignored(written):
    assert read_log(written("time , left, right ,left_won \n1,a,b,1\n2,b,a,1\n")) == ONE


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{HEADER}1,a,b,1\n2,a,b,7\n", 3),
        (f"\n\n{HEADER}1,a,b,1\n\n2,a,b,7\n", 6),
        ('time,left,right,left_won,note\n1,a,b,1,"two\nlines"\n2,a,b,7,\n', 4),
        (f"{HEADER}1,a,b,1\n2,a,b,7\n".replace("\n", "\r\n"), 3),
        (f"{HEADER}1,a,b,1\n2,a,b,7\n".replace("\n", "\r"), 3),
        ('time,left,"right",left_won,"a\nnote"\n1,a,b,7,\n', 3),
    ],
)
def test_lines_are_counted_as_an_editor_does(written, text, line):
    assert complaint(read_log, written(text)).startswith(f"votes.csv: line {line}: left_won is '7'")


def test_the_line_of_a_count_and_of_a_time_out_of_range_is_told(written):
    path = written("time,left,right,left_won,count\n1,a,a,1,1\n\n1,a,b,1,0\n")
    assert complaint(read_log, path) == (
        "votes.csv: line 4: count is 0, must be a whole number, at least 1"
    )


def test_empty_lines_and_empty_columns_of_spreadsheets_are_ignored(written):
    text = "time,left,right,left_won,,\n1,a,b,1,,\n,,,,,\n2,b,a,1,,\n,,,,,\n\n"
    assert read_log(written(text)) == ONE


def test_a_column_that_is_there_twice_is_refused(written):
    path = written("time,left,left ,right,left_won\n1,a,b,c,1\n")
    assert complaint(read_log, path).startswith("votes.csv: there is more than one column 'left',")


def test_a_mark_of_utf_8_is_no_part_of_the_header(written):
    assert read_log(written(f"{HEADER}1,a,b,1\n2,b,a,1\n", encoding="utf-8-sig")) == ONE


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read(written, encoding):
    path = written(f"{HEADER}1,a,b,1\n2,b,a,1\n", encoding=encoding)
    assert read_log(path) == ONE
    path = written(f"{HEADER}1,a,b,1\n2,b,a,7\n", encoding=encoding)
    assert complaint(read_log, path).startswith("votes.csv: line 3: left_won is '7'")


@pytest.mark.parametrize(
    ("text", "line"), [(f"{HEADER}1,a,b,1\n2,café,b,1\n", 3), ("heure,café\n1,2\n", 1)]
)
def test_other_encodings_are_named_with_the_line(written, text, line):
    assert complaint(read_log, written(text, encoding="cp1252")) == (
        f"votes.csv: line {line} is not UTF-8, perhaps the file is encoded as Windows-1252 or "
        "Latin-1; save it as CSV UTF-8"
    )


def test_names_that_differ_only_in_case_or_blanks_are_warned_of(written):
    path = written(f"{HEADER}1,Green tea,green  tea,1\n2,milk,MILK,1\n3,soda,milk,1\n")
    with pytest.warns(UserWarning, match="differ only in case or blanks") as told:
        log = read_log(path)
    assert len(log.arms) == 5
    (warning,) = told
    assert "'Green tea' and 'green  tea', 'MILK' and 'milk' differ" in str(warning.message)
    assert warning.filename == __file__


def test_a_long_list_of_names_alike_is_cut(written):
    rows = "".join(f"1,a{n},A{n},1\n" for n in range(5))
    with pytest.warns(UserWarning, match="and 2 more differ only in case or blanks"):
        read_log(written(HEADER + rows))


def test_duels_of_an_arm_with_itself_are_left_out_and_counted(written):
    path = written(f"{HEADER}1,a,b,1\n1,c,c,1\n1,a,a,0.5\n2,b,a,1\n")
    with pytest.warns(UserWarning, match=r"^2 self-duels skipped, the first in line 3$"):
        assert read_log(path) == ONE


def test_with_propensities_duels_of_an_arm_with_itself_are_rounds(written):
    head = HEADER.replace("\n", ",propensity\n")
    log = read_log(written(f"{head}1,a,b,1,0.25\n1,c,c,1,1e-3\n2,b,a,1, 1\n"))
    assert log.propensity.tolist() == [0.25, 1e-3, 1]
    assert (log.arms, log.n_votes, log.n_serves) == (("a", "b", "c"), 2, 1)


def test_a_column_of_propensities_that_is_empty_is_none(written):
    head = HEADER.replace("\n", ",Propensity\n")
    assert read_log(written(f"{head}1,a,b,1,\n2,b,a,1, \n")) == ONE


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("0", "propensity is 0, must be above 0 and at most 1"),
        ("-0.5", "propensity is -0.5, must be above 0 and at most 1"),
        ("1.5", "propensity is 1.5, must be above 0 and at most 1"),
        ("inf", "propensity is inf, must be above 0 and at most 1"),
        ("nan", "propensity is nan, must be a number"),
        ("", "propensity is empty, must be in every row or in none"),
        ("often", "propensity is 'often', must be a number"),
    ],
)
def test_propensities_that_are_none_are_refused(written, value, complaint):
    head = HEADER.replace("\n", ",propensity\n")
    path = written(f"{head}1,a,b,1,0.5\n2,a,a,1,0.5\n2,b,a,1,{value}\n")
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_log(path)
    assert str(error.value) == f"{path.name}: line 4: {complaint}"


def test_a_parquet_file_is_read_like_a_data_frame(tmp_path):
    votes = {"time": [1, 2], "left": ["a", "b"], "right": ["b", "b"], "left_won": [1, 0]}
    frame = pl.DataFrame(votes | {"propensity": [0.5, 0.25]})
    path = tmp_path / "votes.parquet"
    frame.write_parquet(path)
    assert read_log(path) == read_log(frame)
    frame.with_columns(propensity=pl.lit(2.0)).write_parquet(path)
    with pytest.raises(ValueError, match=r"^votes\.parquet: row 1: propensity is 2, must be above"):
        read_log(path)
    path.write_bytes(b"PAR1 but no more")
    with pytest.raises(ValueError, match=r"^votes\.parquet: is not a readable Parquet file$"):
        read_log(path)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("left_wins,n", "3,7"),
        ("wins,losses", "3,4"),
        ("left_wins,right_wins,n", "3,4,7"),
    ],
)
def test_rows_of_counts_stand_for_that_many_votes(written, header, row):
    log = read_log(written(f"time,left,right,{header}\n5,a,b,{row}\n"))
    assert log == Log(["a", "b"], [5, 5], [0, 0], [1, 1], [1, 0], [3, 4])


def test_counts_of_pairs_in_one_order_say_nothing_of_sides(written):
    one_order = "a,b,wins_a,wins_b\ntea,milk,9,1\ntea,soda,8,2\nmilk,soda,5,5\n"
    assert not read_log(written(one_order)).sides
    assert read_log(written(f"{one_order}milk,tea,2,8\n")).sides


@pytest.mark.parametrize(
    ("header", "row"), [("wins,losses,ties", "3,0,2"), ("wins,n,ties", "3,5,2")]
)
def test_ties_are_counted_too(written, header, row):
    log = read_log(written(f"time,left,right,{header}\n5,a,b,{row}\n"))
    assert log == Log(["a", "b"], [5, 5], [0, 0], [1, 1], [1, 0.5], [3, 2])


@pytest.mark.parametrize(
    ("header", "row", "sentence"),
    [
        ("left_wins,n", "8,7", "n is 7, but wins, losses and ties make 8"),
        ("wins,losses,n", "3,5,7", "n is 7, but wins, losses and ties make 8"),
        ("wins,losses", "-1,5", "wins is -1, must be a whole number, at least 0"),
        ("wins,losses", "1,1.5", "losses is 1.5, must be a whole number, at least 0"),
        ("wins,losses", "1,", "losses is empty"),
    ],
)
def test_counts_that_make_no_sense_are_refused(written, header, row, sentence):
    path = written(f"time,left,right,{header}\n5,a,b,{row}\n")
    assert complaint(read_log, path) == f"votes.csv: line 2: {sentence}"


@pytest.mark.parametrize("read", [read_log, read_matrix])
def test_a_table_of_no_known_shape_is_told_the_three(written, read):
    sentence = complaint(read, written("who,what\nme,tea\n"))
    for shape in ("left, right and winner", "counts (left_wins,", "or a square table with the"):
        assert shape in sentence


def test_a_square_table_of_wins_is_read(written):
    m = read_matrix(written(",a,b,c\na,0,3,1\nb,1,0,0.5\nc,1,0.5,0\n"))
    assert isinstance(m, Matrix)
    assert m.labels == ("a", "b", "c")
    assert m.P.tolist() == [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]
    assert m.duels.tolist() == [[0, 4, 2], [4, 0, 1], [2, 1, 0]]
    assert repr(m) == "Matrix(3 arms, 7 duels)"


def test_a_square_table_of_probabilities_is_read(written):
    m = read_matrix(written("arm,a,b,c\na,0.5,0.667,1\nb,0.333,0.5,-\nc,0,0.2,\n"))
    np.testing.assert_allclose(m.P, [[0.5, 0.667, 1], [0.333, 0.5, 0.8], [0, 0.2, 0.5]])
    assert m.duels is None
    assert repr(m) == "Matrix(3 arms, probabilities)"


def test_the_rows_of_a_square_table_may_be_in_another_order(written):
    m = read_matrix(written("\tx\ty\ny\t0.3\t\nx\t\t0.7\n", "m.tsv"))
    assert m.labels == ("x", "y")
    np.testing.assert_allclose(m.P, [[0.5, 0.7], [0.3, 0.5]])


def test_a_frame_is_read_as_a_matrix_too():
    frame = pl.DataFrame({"arm": ["a", "b"], "a": [0, 3], "b": [1, 0]})
    assert read_matrix(frame).P.tolist() == [[0.5, 0.25], [0.75, 0.5]]


def test_rows_of_counts_and_votes_of_all_times_make_a_matrix(written):
    m = read_matrix(written("home,right,wins,losses,ties\na,b,2,1,1\nb,a,0,4,0\n"),
                    columns={"left": "home"})  # fmt: skip
    assert m.duels[0, 1] == 8
    assert m.P[0, 1] == 6.5 / 8
    m = read_matrix(written("left,right,winner\na,b,a\nb,a,a\n"))
    assert (m.P[0, 1], m.n_duels) == (1, 2)


def test_pairs_that_never_met_are_warned_of_and_count_as_equal(written):
    path = written(",a,b,c\na,,3,\nb,1,,\nc,,,\n")
    with pytest.warns(UserWarning, match=r"^2 pairs that never met count as equal$"):
        assert read_matrix(path).P[2].tolist() == [0.5, 0.5, 0.5]


def test_a_matrix_makes_a_world(written):
    m = dd.read_matrix(written(",a,b\na,,3\nb,1,\n"))
    world = m.stream(100)
    assert (world.labels, world.horizon) == (("a", "b"), 100)
    assert world.matrix(0).tolist() == m.P.tolist()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (",a,b\na,,3\nB,1,\n", "line 3: there is no column for 'B', a square table has one"),
        (",a,b,c\na,,3,1\nb,1,,2\n", "there is no row for the column 'c', a square table has one"),
        (",a,b\na,,x\nb,1,\n", "line 2: b is 'x', must be a number, at least 0"),
        (",a,b\na,,3\nb,-1,\n", "line 3: a is '-1', must be a number, at least 0"),
        (",a,b\na,,inf\nb,1,\n", "line 2: b is 'inf', must be a number, at least 0"),
        (
            ",a,b\na,,0.7\nb,0.4,\n",
            "a against b is 0.7, the reverse 0.4: probabilities must sum to 1, and numbers of wins "
            "must be whole",
        ),
        (
            ",a,b\na,,12\nb,3.3,\n",
            "b against a is 3.3; numbers of wins must be whole, ties half, and probabilities at "
            "most 1",
        ),
        (",a,b,c\na,,0.5,\nb,,,0.1\nc,,,\n", "neither a against c nor the reverse has a number"),
        (",a,b\na,,0\nb,0,\n", "holds no duel, at least one is needed"),
        (",a,a\na,,1\n", "arms: 'a' is named twice"),
    ],
)
def test_a_square_table_that_makes_no_sense_is_refused(written, text, sentence):
    assert complaint(read_matrix, written(text, "m.csv")) == f"m.csv: {sentence}"


def test_a_square_table_of_wins_is_a_log_without_times_and_sides(written):
    log = read_log(written(",a,b\na,,3.5\nb,1.5,\n"))
    assert log.head_to_head().tolist() == [[0, 3.5], [1.5, 0]]
    assert (log.n_votes, log.timed, log.sides) == (5, False, False)
    assert sorted(log.count.tolist()) == [1, 1, 3]


def test_a_square_table_of_probabilities_is_no_log(written):
    path = written(",a,b\na,,0.7\nb,0.3,\n")
    assert complaint(read_log, path) == (
        "votes.csv: is a square table of probabilities, which are no votes; dd.read_matrix reads it"
    )
    path = written(",a,b\na,,3.5\nb,1,\n")
    assert complaint(read_log, path) == ("votes.csv: a and b won 3.5 and 1: a tie is half for each")


@pytest.mark.parametrize(
    ("heading", "cells", "outcomes"),
    [
        ("result", "W L D", [1, 0, 0.5]),
        ("result", "win loss draw", [1, 0, 0.5]),
        ("FT", "2-1 0-3 1-1", [1, 0, 0.5]),
        ("outcome", "1 0 1", [1, 0, 1]),
        ("outcome", "1 0 0.5", [1, 0, 0.5]),
        ("winner", "1 2 X", [1, 0, 0.5]),
        ("winner", "1.0 2.0 tie", [1, 0, 0.5]),
        ("winner", "1 -1 0", [1, 0, 0.5]),
        ("winner", "team_a TEAM_B both_bad", [1, 0, 0.5]),
        ("winner", "a B tie_bothbad", [1, 0, 0.5]),
        ("team_a_won", "true False true", [1, 0, 1]),
    ],
)
def test_winners_are_told_in_the_words_people_use(written, heading, cells, outcomes):
    rows = "".join(f"tea,milk,{cell}\n" for cell in cells.split())
    assert read_log(written(f"team_a,team_b,{heading}\n{rows}")).outcome.tolist() == outcomes


@pytest.mark.parametrize("cells", ["0 1", "1 1", "True False"])
def test_numbers_that_may_mean_either_side_are_refused(written, cells):
    rows = "".join(f"tea,milk,{cell}\n" for cell in cells.split())
    path = written(f"left,right,winner\n{rows}")
    assert complaint(read_log, path).endswith(
        "; if 1 is the left one, say columns={'left_won': 'winner'}, else columns={'right_won': "
        "'winner'}"
    )


def test_a_title_of_players_is_not_their_name(written):
    path = written("White,Black,WhiteTitle,BlackTitle,Result\nann,bob,GM,IM,1-0\n")
    assert read_log(path).arms == ("ann", "bob")


def test_a_date_that_is_none_is_told_and_not_left_out(written):
    path = written("date,left,right,winner\n2024-05-01,a,b,a\n2024-05-32,a,b,a\n")
    assert complaint(read_log, path) == (
        "votes.csv: line 3: date is '2024-05-32', must be a date like 2024-05-31 as in the first "
        "row"
    )
    path = written("date,left,right,winner\n13/01/2024,a,b,a\n13/13/2024,a,b,a\n")
    assert complaint(read_log, path) == (
        "votes.csv: line 3: date is '13/13/2024', must be a date like 13/01/2024 as in the first "
        "row"
    )


def test_the_order_of_day_and_month_may_be_said_or_found_from_the_order_of_rows(written):
    path = written("date,left,right,winner\n01/02/2024,a,b,a\n02/02/2024,a,b,a\n")
    first = [read_log(path, dayfirst=day).span[0].isoformat() for day in (True, False)]
    assert first == ["2024-02-01", "2024-01-02"]
    path = written("date,left,right,winner\n01/12/2023,a,b,a\n02/01/2024,a,b,a\n01/02/2024,a,b,a\n")
    assert read_log(path).notes[0].endswith("time = date (day first, by the order of the rows)")
