from __future__ import annotations

import gzip
from datetime import date, datetime, timedelta, timezone

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.votes import Log, containers, read_log

HEADER = "time,left,right,left_won\n"
VOTES = HEADER + "2024-01-03,tea,milk,1\n2024-01-01,milk,tea,0\n2024-01-02,tea,soda,0.5\n"
OUTCOMES = (
    "must be 1 (left preferred), 0 (right preferred) or 0.5 (tie), true, false, left, right, tie, "
    "draw or the name of one of the two arms"
)


@pytest.fixture
def csv(tmp_path):
    def write(text):
        path = tmp_path / "votes.csv"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def log():
    """Arm c meets a and b once each, a and b meet in both orders."""
    return Log(
        ["a", "b", "c"],
        time=[1, 2, 3, 4],
        left=[0, 1, 2, 1],
        right=[1, 0, 0, 2],
        outcome=[1, 0.5, 0, 1],
        count=[3, 2, 1, 5],
    )


def frame(**columns):
    votes = {
        "time": [1.0, 2.0],
        "left": ["a", "b"],
        "right": ["b", "a"],
        "left_won": [1.0, 0.0],
    }
    return pl.DataFrame(votes | columns)


def test_a_csv_file_is_read_in_the_order_of_time_with_sorted_arms(csv):
    log = read_log(csv(VOTES))
    assert log.arms == ("milk", "soda", "tea")
    assert log.left.tolist() == [0, 2, 2]
    assert log.right.tolist() == [2, 1, 0]
    assert log.outcome.tolist() == [0, 0.5, 1]
    assert log.count.tolist() == [1, 1, 1]
    assert log.dated
    assert log.span == (date(2024, 1, 1), date(2024, 1, 3))
    assert np.diff(log.time).tolist() == [1, 1]


def test_votes_of_one_time_keep_their_order(csv):
    log = read_log(csv(HEADER + "5,a,b,1\n5,b,a,0\n5,a,b,0.5\n4,b,a,1\n"))
    assert log.outcome.tolist() == [1, 1, 0, 0.5]


def test_a_compressed_file_gives_the_same_log(csv, tmp_path):
    packed = tmp_path / "votes.csv.gz"
    packed.write_bytes(gzip.compress(VOTES.encode()))
    assert read_log(packed) == read_log(csv(VOTES))


def test_a_data_frame_gives_the_same_log_as_its_file(csv):
    path = csv(VOTES)
    assert read_log(pl.read_csv(path, try_parse_dates=True)) == read_log(path)


def test_a_path_may_be_text(csv):
    assert len(read_log(str(csv(VOTES)))) == 3


def test_other_columns_are_ignored(csv):
    log = read_log(csv("voter,left_won,right,left,time\n9,1,b,a,1\n"))
    assert log == Log(["a", "b"], [1], [0], [1], [1])


def test_counts_stand_for_that_many_votes(csv):
    log = read_log(csv("time,left,right,left_won,count\n1,a,b,1,10\n2,a,b,0.5,4\n"))
    assert len(log) == 2
    assert log.n_votes == 14
    assert log.head_to_head().tolist() == [[0, 12], [2, 0]]
    assert log.left_share == 12 / 14


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024-01-02", 1),
        ("2024-01-02T12:00:00", 1.5),
        ("2024-01-02 12:00:00", 1.5),
        ("2024-01-02T18:00:00.5", 1.75 + 0.5 / 86400),
        ("2024-01-02T12:00:00Z", 1.5),
        ("2024-01-02T12:00:00+06:00", 1.25),
        ("2024-01-02 12:00:00-06:00", 1.75),
    ],
)
def test_iso_dates_and_times_become_days_since_1970(csv, text, days):
    log = read_log(csv(f"{HEADER}{text},a,b,1\n"))
    assert log.dated
    assert log.time[0] == pytest.approx((date(2024, 1, 1) - date(1970, 1, 1)).days + days, abs=1e-9)
    assert log.span == (date(2024, 1, 2), date(2024, 1, 2))


@pytest.mark.parametrize("text", ["1997", "-3.5", "1e3"])
def test_numbers_stay_numbers(csv, text):
    log = read_log(csv(f"{HEADER}{text},a,b,1\n"))
    assert not log.dated
    assert log.span is None
    assert log.time[0] == float(text)


@pytest.mark.parametrize(
    "times",
    [
        [date(1970, 1, 3), date(1970, 1, 4)],
        [datetime(1970, 1, 3), datetime(1970, 1, 4)],
        [
            datetime(1970, 1, 3, 2, tzinfo=timezone(timedelta(hours=2))),
            datetime(1970, 1, 4, 2, tzinfo=timezone(timedelta(hours=2))),
        ],
        ["1970-01-03", "1970-01-04"],
    ],
)
def test_date_columns_of_a_frame_become_days_since_1970(times):
    log = read_log(frame(time=times))
    assert log.dated
    assert log.time.tolist() == [2, 3]


def test_integer_labels_boolean_outcomes_and_integer_times_are_fine():
    log = read_log(frame(time=[1, 2], left=[10, 9], right=[9, 10], left_won=[True, False]))
    assert log.arms == ("10", "9")
    assert log.head_to_head().tolist() == [[0, 2], [0, 0]]


def test_blanks_around_labels_and_numbers_are_not_part_of_them(csv):
    assert read_log(csv(HEADER + " 1 , a,b , 1\n")).arms == ("a", "b")


def test_dates_before_1970_are_read(csv):
    log = read_log(csv(HEADER + "1903-04-20,a,b,1\n1969-12-31,a,b,0\n"))
    assert log.span == (date(1903, 4, 20), date(1969, 12, 31))
    assert log.time[-1] == -1


def test_arms_can_be_chosen_while_reading(csv):
    log = read_log(csv(VOTES), arms=["tea", "milk"])
    assert log.arms == ("tea", "milk")
    assert len(log) == 2


def test_select_keeps_the_votes_between_the_chosen_arms_in_the_order_given(log):
    chosen = log.select(["c", "a"])
    assert chosen == Log(["c", "a"], [3], [0], [1], [0], [1])


def test_select_of_all_arms_is_the_log_itself(log):
    assert log.select(log.arms) == log


def test_head_to_head_counts_ties_half(log):
    assert log.head_to_head().tolist() == [[0, 4, 1], [1, 0, 5], [0, 0, 0]]


def test_as_times_reads_dates_only_for_dated_logs():
    dated = Log(["a", "b"], [0, 9], [0, 0], [1, 1], [1, 0], dated=True)
    assert dated.as_times([date(1970, 1, 2), datetime(1970, 1, 3, 12)]).tolist() == [1, 2.5]
    assert dated.as_times("1970-01-02").tolist() == [1]
    plain = Log(["a", "b"], [0, 9], [0, 0], [1, 1], [1, 0])
    assert plain.as_times(3).tolist() == [3]
    with pytest.raises(ValueError, match=r"^times: must be dates, as the times of the log are$"):
        dated.as_times([1.0])
    with pytest.raises(ValueError, match=r"^times: must be dates, as the times of the log are$"):
        dated.as_times(["soon"])
    with pytest.raises(ValueError, match=r"^times: must be dates, as the times of the log are$"):
        dated.as_times([np.datetime64("NaT")])
    with pytest.raises(ValueError, match=r"^times: must be a list of numbers$"):
        plain.as_times(["1970-01-02"])


def test_repr_tells_what_the_log_is(log, csv):
    assert repr(log) == "Log(3 arms, 11 votes, time 1 to 4)"
    assert repr(log.select(["c", "a"])) == "Log(2 arms, 1 vote, time 3 to 3)"
    assert repr(read_log(csv(VOTES))) == "Log(3 arms, 3 votes, 2024-01-01 to 2024-01-03)"


def test_a_log_cannot_be_changed(log):
    with pytest.raises(AttributeError):
        log.arms = ("x", "y", "z")
    with pytest.raises(ValueError, match="read-only"):
        log.outcome[0] = 0


def test_a_log_does_not_hold_on_to_the_arrays_it_was_made_from():
    times = np.array([1.0, 2.0])
    log = Log(["a", "b"], times, [0, 0], [1, 1], [1, 0])
    times[0] = 99
    assert log.time.tolist() == [1, 2]


def test_logs_are_equal_when_all_their_parts_are(log):
    parts = {name: getattr(log, name) for name in ("time", "left", "right", "outcome", "count")}
    assert Log(log.arms, **parts) == log
    assert Log(log.arms, **parts, dated=True) != log
    assert Log(["x", "b", "c"], **parts) != log
    assert Log(log.arms, **(parts | {"count": [1, 2, 1, 5]})) != log
    assert log != "a log"


def test_names_are_reachable_from_the_package():
    assert dd.votes.Log is Log
    assert dd.votes.read_log is read_log
    assert "datasets" in dir(dd.worlds)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = dd.worlds.nothing


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv: there is no such file$"):
        read_log(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "votes.csv: is empty"),
        (HEADER, "votes.csv: holds no votes, at least one is needed"),
        (HEADER + "1,a,b,1\n1,a,b,1,1,1\n", "votes.csv: line 3 has 6 fields, the header has 4"),
        (HEADER + "1,a,b,1\n2,a,,1\n", "votes.csv: line 3: right is empty"),
        (HEADER + "1,a,b,1\n2, ,b,1\n", "votes.csv: line 3: left is empty"),
        (HEADER + "1,a,b,\n", "votes.csv: line 2: left_won is empty"),
        (HEADER + "1,a,b,nan\n", "votes.csv: line 2: left_won is nan, must be a number"),
        (HEADER + "1,a,b,1\n,a,b,1\n", "votes.csv: line 3: time is empty"),
        (HEADER + "nan,a,b,1\n", "votes.csv: line 2: time is nan, must be a number"),
        (HEADER + "inf,a,b,1\n", "votes.csv: line 2: time is inf, must be finite"),
        (HEADER + "1,a,b,1\n1,a,b,2\n", f"votes.csv: line 3: left_won is '2', {OUTCOMES}"),
        (HEADER + "1,a,b,maybe\n", f"votes.csv: line 2: left_won is 'maybe', {OUTCOMES}"),
        (
            HEADER + "1,a,a,1\n",
            "votes.csv: holds no votes between two different arms, at least one is needed",
        ),
        (
            HEADER + "last May,a,b,1\n",
            "votes.csv: line 2: time is 'last May', must be a number, an ISO date or an ISO date "
            "and time, such as 2024-05-31",
        ),
        (
            HEADER + "2024-05-01,a,b,1\n2024-13-01,a,b,1\n",
            "votes.csv: line 3: time is '2024-13-01', must be a date like 2024-05-31 as in the "
            "first row",
        ),
        (
            HEADER + "7,a,b,1\n2024-05-01,a,b,1\n",
            "votes.csv: line 3: time is '2024-05-01', must be a number as in the first row",
        ),
        (
            HEADER + "0,a,b,1\n1e308,a,b,1\n",
            "votes.csv: line 3: time is 1e+308, must be within 1e300 of 0",
        ),
        (
            "time,left,right,left_won,count\n1,a,b,1,1e308\n",
            "votes.csv: line 2: count is 1e+308, must be at most 2**62",
        ),
        (
            "time,left,right,left_won,count\n1,a,b,1,4e18\n1,a,b,1,4e18\n",
            "votes.csv: count: 8e+18 votes in all, must be at most 2**62",
        ),
        (
            HEADER + "1,a,\x1b[31mb,1\n",
            r"votes.csv: arms: name 1 is '\x1b[31mb', must be printable",
        ),
        (
            "time,left,right,left_won,count\n1,a,b,1,2.5\n",
            "votes.csv: line 2: count is 2.5, must be a whole number, at least 1",
        ),
        (
            "time,left,right,left_won,count\n1,a,b,1,1\n1,a,b,1,0\n",
            "votes.csv: line 3: count is 0, must be a whole number, at least 1",
        ),
        (
            "time,left,right,left_won,count\n1,a,b,1,inf\n",
            "votes.csv: line 2: count is inf, must be a whole number, at least 1",
        ),
        ("time,left,right,left_won,count\n1,a,b,1,\n", "votes.csv: line 2: count is empty"),
    ],
)
def test_a_bad_file_is_told_in_one_sentence(csv, text, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_log(csv(text))
    assert str(error.value) == message


def test_a_folder_or_damaged_archive_is_not_a_readable_file(tmp_path):
    with pytest.raises(ValueError, match=r": is a folder without a file of votes \(\.csv, "):
        read_log(tmp_path)
    damaged = tmp_path / "votes.csv.gz"
    damaged.write_bytes(gzip.compress(VOTES.encode())[:20])
    with pytest.raises(ValueError, match=r"^votes\.csv\.gz: "):
        read_log(damaged)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"left": ["a", None]}, "row 2: left is empty"),
        ({"time": [None, date(2024, 1, 1)]}, "row 1: time is empty"),
        ({"time": [1.0, float("nan")]}, "row 2: time is nan, must be a number"),
        ({"time": [[1], [2]]}, "time: holds List(Int64), must hold numbers"),
        ({"left_won": [float("nan"), 1.0]}, "row 1: left_won is nan, must be a number"),
        ({"left_won": [date(2024, 1, 1)] * 2}, "left_won: holds Date, must hold text or numbers"),
    ],
)
def test_a_bad_frame_is_told_in_one_sentence(columns, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_log(frame(**columns))
    assert str(error.value) == message


def test_a_frame_without_columns_is_refused():
    with pytest.raises(
        ValueError, match=r"^no columns name the two options, the columns are: none; say"
    ):
        read_log(pl.DataFrame())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arms": ["a"]}, "arms: there is 1, at least 2 are needed"),
        ({"arms": ["a", "a"]}, "arms: 'a' is named twice"),
        ({"arms": "ab"}, "arms: must be a list of labels, not the text 'ab'"),
        ({"time": []}, "log: 0 times but 2 in left"),
        ({"outcome": [1]}, "log: 2 times but 1 in outcome"),
        ({"time": [[1, 2]]}, "time: must be a list of numbers"),
        ({"time": ["x", "y"]}, "time: must be a list of numbers"),
        ({"time": [1, float("nan")]}, "row 2: time is nan, must be finite"),
        ({"left": [0, 2]}, "row 2: left is 2, must be a whole number from 0 to 1"),
        ({"right": [1, 0.5]}, "row 2: right is 0.5, must be a whole number from 0 to 1"),
        ({"right": [1, -1]}, "row 2: right is -1, must be a whole number from 0 to 1"),
        (
            {"left": [1, 1]},
            "log: holds no votes between two different arms, at least one is needed",
        ),
        ({"propensity": [0.5]}, "log: 2 times but 1 in propensity"),
        (
            {"propensity": [0.5, 0]},
            "row 2: propensity is 0, must be above 0 and at most 1",
        ),
        (
            {"propensity": [1.25, 0.5]},
            "row 1: propensity is 1.25, must be above 0 and at most 1",
        ),
        (
            {"propensity": [0.5, np.nan]},
            "row 2: propensity is nan, must be above 0 and at most 1",
        ),
        (
            {"outcome": [0.25, 1]},
            "row 1: outcome is 0.25, must be 1 (left preferred), 0 (right preferred) or 0.5 (tie)",
        ),
        ({"count": [1, -1]}, "row 2: count is -1, must be a whole number, at least 1"),
    ],
)
def test_a_log_of_bad_parts_is_refused(changes, message):
    parts = {
        "arms": ["a", "b"],
        "time": [1, 2],
        "left": [0, 0],
        "right": [1, 1],
        "outcome": [1, 0],
    }
    with pytest.raises(ValueError) as error:  # noqa: PT011
        Log(**(parts | changes))
    assert str(error.value) == message


def test_serves_are_kept_and_count_as_nothing(log):
    parts = (log.left, log.right, log.outcome, log.count)
    extra = ([0, 2], [0, 2], [1, 0], [9, 4])
    more = [[*part, *rest] for part, rest in zip(parts, extra, strict=True)]
    served = Log(log.arms, [*log.time, 0, 2.5], *more)
    assert (len(served), served.n_votes, served.n_serves) == (6, 11, 13)
    assert served.head_to_head().tolist() == log.head_to_head().tolist()
    assert served.left_share == log.left_share
    assert served.votes == log
    assert log.votes is log
    assert repr(served) == "Log(3 arms, 11 votes and 13 serves, time 0 to 4)"
    for world in (served.stream(20, 1.0, points=5), served.stream(20)):
        assert world.labels == log.arms
    assert served.stream(20, 1.0, points=5) == log.stream(20, 1.0, points=5)
    assert dd.measure_log(served).measures == dd.measure_log(log).measures
    with pytest.raises(ValueError, match=r"^arms: the log holds no vote between a, z"):
        Log(["a", "b", "z"], [1, 2], [0, 0], [1, 0], [1, 1]).select(["a", "z"])


def test_propensities_follow_their_votes(log):
    known = Log(
        log.arms,
        [4, 3, 2, 1],
        [0, 1, 2, 1],
        [1, 0, 2, 2],
        [1, 0, 1, 1],
        propensity=[4, 3, 2, 1] / np.array(8),
    )
    assert known.propensity.tolist() == [1 / 8, 2 / 8, 3 / 8, 4 / 8]
    some = known.select(["b", "a"])
    assert some.propensity.tolist() == [1 / 8, 2 / 8, 3 / 8, 4 / 8]
    assert some.outcome.tolist() == [0.5, 0.5, 0, 1]
    assert (some.n_votes, some.n_serves) == (2, 2)
    assert known.votes.propensity.tolist() == [1 / 8, 3 / 8, 4 / 8]
    assert known.rows(slice(2)).propensity.tolist() == [1 / 8, 2 / 8]
    assert log.propensity is None
    assert log != Log(
        log.arms, log.time, log.left, log.right, log.outcome, log.count, propensity=[1] * 4
    )


def test_a_log_without_votes_is_refused():
    with pytest.raises(ValueError, match=r"^log: holds no votes, at least one is needed$"):
        Log(["a", "b"], [], [], [], [])


def test_select_refuses_what_it_does_not_know_or_cannot_use(log):
    with pytest.raises(ValueError, match=r"^arms: 'z' is not in the log, known are: a, b, c$"):
        log.select(["a", "z"])
    with pytest.raises(ValueError, match=r"^arms: there is 1, at least 2 are needed$"):
        log.select(["a"])
    with pytest.raises(ValueError, match=r"^arms: 'a' is named twice$"):
        log.select(["a", "b", "a"])
    apart = Log(["a", "b", "c"], [1, 2], [0, 1], [1, 2], [1, 1])
    with pytest.raises(ValueError, match=r"^arms: the log holds no vote between a, c$"):
        apart.select(["a", "c"])


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "votes.csv.gz"
    path.write_bytes(gzip.compress(VOTES.encode() * 20))
    monkeypatch.setattr(containers, "_PIECE", 100)
    monkeypatch.setattr(containers, "LOG_FILE", 2**10)
    with pytest.raises(ValueError, match=r"^votes\.csv\.gz: unpacks to more than 0 GB$"):
        read_log(path)


@pytest.mark.parametrize("begin", [b"\x28\xb5\x2f\xfd", b"x\x9c"])
def test_files_packed_in_other_ways_are_not_unpacked(tmp_path, begin):
    path = tmp_path / "votes.csv"
    path.write_bytes(begin + VOTES.encode())
    with pytest.raises(ValueError, match="is packed, but not as"):
        read_log(path)


def test_labels_may_hold_wide_blanks_and_joined_signs():
    labels = ["caf\u00e9\u00a0noir", "\U0001f469\u200d\U0001f52c"]
    assert Log(labels, [1], [0], [1], [1]).arms == tuple(labels)


@pytest.mark.parametrize("label", ["a\nb", "a\tb", "\x00", "\u202eabc", "\ud800", "\x1b[2J"])
def test_labels_that_a_terminal_would_not_show_are_refused(label):
    with pytest.raises(ValueError, match=r"^arms: name 2 is .*, must be printable$"):
        Log(["a", label], [1], [0], [1], [1])


def test_a_log_of_more_arms_than_a_world_can_have_makes_no_world():
    arms = np.arange(12_000)
    log = Log(list(map(str, arms)), arms[1:], arms[1:], arms[:-1], np.ones(11_999))
    for use in (dd.votes.choose_bandwidth, lambda log: log.stream(100)):
        with pytest.raises(ValueError, match=r"^the log has 12,000 arms, a world can have 11,585"):
            use(log)


def test_a_log_has_a_million_arms_at_most():
    with pytest.raises(ValueError, match=r"^arms: there are 1,000,001, must be at most 1,000,000$"):
        Log(range(10**6 + 1), [1], [0], [1], [1])


def test_times_too_close_to_tell_apart_are_told():
    log = Log(["a", "b"], [0, 5e-324], [0, 0], [1, 1], [1, 0])
    with pytest.raises(ValueError, match=r"^no bandwidth can be chosen: the times differ by 4.9"):
        dd.votes.choose_bandwidth(log)


@pytest.mark.parametrize(
    ("text", "days"),
    [("2024-05-31 12:00", 19874.5), ("2024-05-31T06:00", 19874.25), ("31.05.2024", 19874.0)],
)
def test_times_without_seconds_and_dates_with_dots_are_read(csv, text, days):
    log = read_log(csv(HEADER + f"{text},a,b,1\n"))
    assert (log.dated, log.time.tolist()) == (True, [days])


def test_extras_go_with_their_votes():
    said = pl.DataFrame({"voter": ["ann", "bob", "cid"]})
    log = Log(["a", "b", "c"], [3, 1, 2], [0, 1, 2], [1, 0, 0], [1, 1, 0], extras=said)
    assert log.extras["voter"].to_list() == ["bob", "cid", "ann"]
    assert log.rows(log.time > 1).extras["voter"].to_list() == ["cid", "ann"]
    assert log.rows(slice(1)).extras["voter"].to_list() == ["bob"]
    assert log.select(["a", "b"]).extras["voter"].to_list() == ["bob", "ann"]
    assert log.select(["a", "b"]).rows(slice(1, None)).extras["voter"].to_list() == ["ann"]
    assert Log(["a", "b"], [1], [0], [1], [1]).extras is None
    with pytest.raises(ValueError, match=r"^log: 1 times but 3 in extras$"):
        Log(["a", "b"], [1], [0], [1], [1], extras=said)


def test_votes_without_a_time_are_of_time_0():
    log = Log(["a", "b"], None, [0, 1], [1, 0], [1, 0.5])
    assert (log.timed, log.dated, log.time.tolist()) == (False, False, [0, 0])
    assert repr(log) == "Log(2 arms, 2 votes, no times)"
    assert log != Log(["a", "b"], [0, 0], [0, 1], [1, 0], [1, 0.5])
    assert not log.rows(slice(1)).timed


def test_a_log_may_not_know_its_sides():
    parts = (["a", "b"], [1, 2], [0, 1], [1, 0], [1, 0.5])
    log = Log(*parts, sides=False, notes=["read from a napkin"])
    assert log != Log(*parts)
    part = log.rows(slice(1))
    assert (part.sides, part.notes) == (False, ("read from a napkin",))
    with pytest.raises(ValueError, match=r"^remove_bias: the votes do not say who was shown left"):
        log.stream(10, 1.0, remove_bias=True)
