from __future__ import annotations

import gzip
import json
import math

import numpy as np
import pytest

import driftduel as dd
from driftduel.cli import main
from driftduel.report import summarise
from driftduel.votes import read_log
from driftduel.worlds import datasets

P, Q = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]
ROCK = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
HEADER = "time,left,right,left_won"


@pytest.fixture(autouse=True)
def few_shuffles(monkeypatch):
    """Without the JIT a shuffle takes a tenth of a second."""
    monkeypatch.setattr("driftduel.votes.noise.MOST_SHUFFLES", 5)


@pytest.fixture
def tastes(tmp_path):
    """Tea is best, then coffee: the measures of this stream are known."""
    path = tmp_path / "tastes.npz"
    dd.Stream.piecewise([P, Q], [0, 400], 1000, labels=["tea", "coffee"]).save(path)
    return path


@pytest.fixture
def votes(tmp_path):
    """Sixty days: tea beats milk in the first thirty, soda always loses."""

    def write(rows=(), header=HEADER, name="votes.csv"):
        lines = []
        for day in range(60):
            date = f"2024-{1 + day // 30:02}-{1 + day % 30 % 28:02}"
            lines += [f"{date},tea,milk,{int(day < 30)}", f"{date},milk,soda,1"]
            lines += [f"{date},soda,tea,0"]
        path = tmp_path / name
        text = "\n".join([header, *lines, *rows]) + "\n"
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(text.encode()))
        else:
            path.write_text(text)
        return path

    return write


@pytest.fixture
def archive(tmp_path):
    """A stream file written by hand, right unless told otherwise."""

    def write(**fields):
        path = tmp_path / "by_hand.npz"
        right = {
            "driftduel_stream": 1,
            "palette": np.array([P, Q]),
            "which": [0, 1],
            "starts": [0, 5],
            "horizon": 10,
            "labels": np.array([], dtype=str),
            "span": np.array([], dtype=str),
        }
        np.savez(
            path, **{key: value for key, value in (right | fields).items() if value is not None}
        )
        return path

    return write


def line_of(done, symbol):
    """The row of the table of measures that begins with a symbol."""
    (line,) = [line for line in done.out.splitlines() if line.split()[:1] == [symbol]]
    return line.split()


def test_a_stream_is_told_in_a_table(run, tastes):
    done = run("measure", tastes)
    assert "K = 2: tea, coffee" in done.words
    assert "T = 1,000 rounds" in done.words
    assert "CW, GIC, SST, STI throughout" in done.words
    assert line_of(done, "L")[-1] == "1"
    assert line_of(done, "V")[-1] == "0.7"
    assert line_of(done, "S_B")[-6:] == ["1", "2", "0", "tea,", "400", "coffee"]
    assert line_of(done, "SBS")[-6:] == ["1", "2", "0", "tea,", "472", "coffee"]
    assert "400 999 60.0% coffee" in done.words
    assert "data" not in done.words


def test_the_weight_that_is_not_given_has_no_row(run, tastes):
    assert "SKW" not in run("measure", tastes).out
    assert line_of(run("measure", tastes, "--weight", "0.5,0.5"), "SKW")[-2:] == ["472", "coffee"]


def test_json_is_the_summary_of_the_stream(run, tastes):
    stream = dd.Stream.load(tastes)
    expected = summarise(stream, dd.measure(stream, [1, 0]))
    found = run("measure", tastes, "--json", "--weight", "1,0").json
    assert found == {"file": str(tastes), "log": None, "weight": [1, 0], **expected}


def test_undefined_measures_say_why(run, tmp_path):
    dd.Stream.stationary(ROCK, 10**9).save(tmp_path / "rock.npz")
    done = run("measure", tmp_path / "rock.npz")
    assert "undefined: round 0: no arm is a Condorcet winner" in done.words
    assert "none of CW, GIC, SST, STI throughout" in done.words
    assert "first failure of CW at 0" in done.words
    assert "nobody" in done.words


def test_long_lists_are_cut_and_counted(run, tmp_path):
    dd.Stream.stationary(ROCK, 10**9).save(tmp_path / "rock.npz")
    words = run("measure", tmp_path / "rock.npz").words
    assert "0 0, 6 0, 12 0, 18 0, 24 0 ... (166,666,667 in all)" in words


def test_all_spells_are_shown_if_asked(run, tmp_path):
    matrices = [[[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]] * 10
    path = tmp_path / "many.npz"
    dd.Stream.piecewise(matrices, range(0, 200, 10), 200, labels=["tea", "coffee"]).save(path)
    short, long = run("measure", path), run("measure", path, "--all")
    assert "(20 in all; --all shows them)" in short.words
    assert "190 199 5.0% coffee" not in short.words
    assert "190 199 5.0% coffee" in long.words
    assert "in all" not in long.words


def test_another_horizon_stretches_a_stream(run, tastes):
    assert run("measure", tastes, "--horizon", "100000", "--json").json["horizon"] == 100_000


def test_a_log_is_measured_with_its_dates(run, votes):
    done = run("measure", votes(), "--bandwidth", "5")
    assert "180; bandwidth 5 days" in done.words
    assert "T = 180 rounds, 2024-01-01 to 2024-02-28" in done.words
    assert "2024-01-01 tea, 2024-01-" in done.words


def test_a_log_in_json_says_how_the_world_was_made(run, votes):
    path = votes(name="votes.csv.gz")
    arguments = ("--bandwidth", "5", "--arms", "tea,milk", "--horizon", "300", "--json")
    found = run("measure", path, *arguments).json
    log = read_log(path, arms=["tea", "milk"])
    stream, by_python = log.stream(300, 5.0), dd.measure_log(log, 300, 5.0)
    assert found["log"] == {
        "votes": 60,
        "dated": True,
        "bandwidth": 5.0,
        "bandwidth_chosen": False,
        "bias_removed": False,
        "says": by_python.says,
        "drift_proved": str(by_python.drift.proved),
        "drift_of_strengths": False,
        "beyond_noise": True,
        "shuffles": 5,
        "null_band": {
            name: {"found": band.found, "low": band.low, "high": band.high, "verdict": band.verdict}
            for name, band in by_python.bands.items()
        },
        "notes": ["read as: left = left, right = right, left_won = left_won, time = time"],
    }
    assert found["log"]["null_band"]["significant_borda"]["verdict"] == "more"
    assert by_python.says.endswith(
        "That tastes drifted is proved since 14 Feb 2024, however often somebody looked."
    )
    assert (found["arms"], found["horizon"]) == (["tea", "milk"], 300)
    assert found["winners"] == summarise(stream, dd.measure(stream))["winners"]


def test_the_bandwidth_is_chosen_if_it_is_left_out(run, votes):
    found = run("measure", votes(), "--json").json["log"]
    assert found["bandwidth_chosen"]
    assert 0 < found["bandwidth"] < 30
    assert "chosen by held-out log-loss" in run("measure", votes()).words


@pytest.mark.large
def test_votes_that_never_change_are_not_told_as_change(run, tmp_path):
    """The file of the complaint: 2,000 votes, 100 days, 4 equal arms."""
    rng = np.random.default_rng(0)
    lines = []
    for day in sorted(rng.integers(100, size=2000)):
        left, right = rng.choice(list("abcd"), 2, replace=False)
        lines.append(f"{np.datetime64('2024-01-01') + day},{left},{right},{rng.integers(2)}")
    path = tmp_path / "still.csv"
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    done = run("measure", path)
    assert "No change can be told from noise in 2,000 votes" in done.words
    assert "bandwidth infinite, no other is clearly better" in done.words
    assert line_of(done, "S_B")[6:9] == ["0", "0", "within"]
    assert "that the same votes show in 5 shuffles of their dates" in done.words
    assert not run("measure", path, "--json").json["log"]["beyond_noise"]


def test_noise_at_a_given_bandwidth_is_called_noise(run, tmp_path):
    rng = np.random.default_rng(1)
    rows = [f"{day},tea,milk,{rng.integers(2)}" for day in sorted(rng.integers(50, size=500))]
    path = tmp_path / "noise.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    done = run("measure", path, "--bandwidth", "1")
    assert "Do not take these counts for changes" in done.words
    assert "shuffles of their times" in done.words
    low, to, high, verdict = line_of(done, "S_B")[7:11]
    assert (to, verdict) == ("to", "within")
    assert int(low) < int(line_of(done, "S_B")[6]) < int(high)


def test_real_change_is_told_as_change(run, votes):
    done = run("measure", votes())
    assert "These votes tell of change." in done.words
    assert line_of(done, "S_B")[6:9] == ["1", "0", "more"]


def test_an_infinite_bandwidth_is_one_matrix(run, votes):
    found = run("measure", votes(), "--bandwidth", "inf", "--json").json
    assert (found["log"]["bandwidth"], found["matrices"]) == (None, 1)
    assert "bandwidth infinite" in run("measure", votes(), "--bandwidth", math.inf).words


def test_votes_of_a_single_day_need_no_bandwidth(run, tmp_path):
    path = tmp_path / "day.csv"
    path.write_text(f"{HEADER}\n2024-01-01,tea,milk,1\n2024-01-01,milk,tea,0.5\n")
    found = run("measure", path, "--json").json
    assert (found["log"]["bandwidth"], found["log"]["bandwidth_chosen"]) == (None, False)


def test_the_bias_of_a_log_is_removed_if_asked(run, tmp_path):
    # Left wins three of four in either order, so the arms are equal but for the side.
    path = tmp_path / "biased.csv"
    rows = ["1,a,b,1,3", "1,a,b,0,1", "1,b,a,1,3", "1,b,a,0,1"]
    path.write_text("\n".join([f"{HEADER},count", *rows]) + "\n")
    found = run("measure", path, "--remove-bias", "--json").json
    assert found["log"]["bias_removed"]
    assert found["winners"]["borda"][0]["arms"] == ["a", "b"]
    assert "advantage of being left removed" in run("measure", path, "--remove-bias").words


def test_names_with_brackets_are_not_markup(run, tmp_path):
    path = tmp_path / "brackets.npz"
    dd.Stream.stationary(P, 10, labels=["[bold]tea", ":smile:"]).save(path)
    assert "[bold]tea, :smile:" in run("measure", path).words


def test_the_statement_of_retrosheet_is_shown_with_their_data(run, tmp_path):
    datasets.american_league(horizon=40).save(tmp_path / "league.npz")
    sentence = "The information used here was obtained free of charge from and is copyrighted by"
    framed = run("measure", tmp_path / "league.npz").words.replace("│ ", "").replace(" │", "")
    assert sentence in framed
    assert "www.retrosheet.org" in framed
    (notice,) = run("measure", tmp_path / "league.npz", "--json").json["notices"]
    assert notice == datasets.notice("american_league")


def test_a_missing_file_is_refused(refused, tmp_path):
    path = tmp_path / "nowhere.csv"
    assert refused("measure", path) == f"{path}: there is no such file"


def test_a_missing_file_named_like_a_world_gets_a_hint(refused):
    assert refused("measure", "formula-1") == (
        "formula-1: there is no such file; to write that world: "
        "driftduel streams formula-1 --out formula-1.npz"
    )


def test_a_folder_and_other_kinds_of_file_are_refused(refused, tmp_path):
    assert refused("measure", tmp_path).startswith(
        f"{tmp_path}: is a folder without a file of votes (.csv, .tsv, "
    )
    (tmp_path / "notes.txt").write_text("tea")
    assert refused("measure", tmp_path / "notes.txt").startswith(
        "notes.txt: no columns name the two options, the columns are: tea; say which do: --left "
    )


def test_a_folder_named_like_a_stream_is_refused(refused, tmp_path):
    (tmp_path / "world.npz").mkdir()
    assert refused("measure", tmp_path / "world.npz") == "world.npz: is not a readable .npz stream"


def test_a_file_that_is_not_a_stream_is_refused(refused, tmp_path):
    path = tmp_path / "other.npz"
    path.write_text("tea")
    assert refused("measure", path) == "other.npz: is not a readable .npz stream"
    np.savez(path, weights=[1, 2])
    assert refused("measure", path) == "other.npz: is not a stream, it has no 'driftduel_stream'"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"palette": [[[0.5, math.nan], [0.1, 0.5]]]}, "preference matrix: P[0,1] is nan"),
        (
            {"palette": [[[0.5, 1.5], [-0.5, 0.5]]]},
            "preference matrix: P[0,1] = 1.5, must be between 0 and 1",
        ),
        (
            {"palette": [P, [[0.5, 0.9], [0.2, 0.5]]]},
            "preference matrix 1: P[0,1] + P[1,0] = 1.1, must be 1",
        ),
        (
            {"starts": [0, 7, 5], "which": [0, 1, 0]},
            "stream: starts[2] = 5 does not come after starts[1] = 7",
        ),
        ({"starts": [3, 7]}, "stream: starts[0] = 3, must be 0"),
        ({"horizon": 0}, "horizon is 0, must be at least 1"),
        ({"horizon": 5}, "stream: starts[1] = 5, must be below the horizon 5"),
        ({"which": [0, 2]}, "stream: which[1] = 2, must be between 0 and 1"),
        ({"palette": None}, "is not a stream, it has no 'palette'"),
        ({"driftduel_stream": 99}, "was written by a newer driftduel, please update"),
    ],
)
def test_a_stream_that_makes_no_sense_is_refused(refused, archive, fields, sentence):
    if "palette" in fields and fields["palette"] is not None and len(fields["palette"]) == 1:
        fields = fields | {"which": [0], "starts": [0]}
    assert refused("measure", archive(**fields)) == f"by_hand.npz: {sentence}"


def test_a_stream_written_by_hand_is_measured(run, archive):
    assert run("measure", archive(), "--json").json["measures"]["changes"] == 1


@pytest.mark.parametrize("horizon", [0, -3])
def test_a_horizon_below_one_is_refused(refused, tastes, votes, horizon):
    sentence = f"--horizon is {horizon}, must be at least 1"
    assert refused("measure", tastes, f"--horizon={horizon}") == sentence
    assert refused("measure", votes(), "--bandwidth", 5, f"--horizon={horizon}") == sentence


def test_a_horizon_that_is_no_number_is_refused(refused, tastes):
    assert "--horizon" in refused("measure", tastes, "--horizon", "many")


def test_a_log_without_a_winner_is_refused(refused, votes):
    path = votes(header="time,left,right,comment")
    assert refused("measure", path) == (
        "votes.csv: left = left, right = right, but no column says in words who won, the columns "
        "are: time, left, right, comment; if comment is 1 where left won: --columns "
        "left_won=comment"
    )


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("2024-03-01,tea,milk,nan", "left_won is nan, must be a number"),
        ("2024-03-01,tea,milk,2", "left_won is '2', must be 1 (left preferred)"),
        ("yesterday,tea,milk,1", "time is 'yesterday', must be a date like 2024-05-31"),
        ("2024-03-01,,milk,1", "left is empty"),
    ],
)
def test_a_vote_that_makes_no_sense_is_refused_with_its_line(refused, votes, row, sentence):
    assert refused("measure", votes([row])).startswith(f"votes.csv: line 182: {sentence}")


def test_an_empty_log_is_refused(refused, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    assert refused("measure", tmp_path / "empty.csv") == "empty.csv: is empty"
    (tmp_path / "empty.csv").write_text(HEADER + "\n")
    assert refused("measure", tmp_path / "empty.csv") == (
        "empty.csv: holds no votes, at least one is needed"
    )


def test_an_unknown_arm_is_refused(refused, votes):
    assert refused("measure", votes(), "--arms", "tea,cocoa") == (
        "--arms: 'cocoa' is not in the log, known are: milk, soda, tea"
    )


@pytest.mark.parametrize(
    ("arms", "sentence"),
    [
        ("tea", "--arms: there is 1, at least 2 are needed"),
        ("tea,tea", "--arms: 'tea' is named twice"),
        ("tea,,milk", "--arms: name 2 is empty"),
    ],
)
def test_arms_that_make_no_sense_are_refused(refused, votes, arms, sentence):
    assert refused("measure", votes(), "--arms", arms) == sentence


@pytest.mark.parametrize("bandwidth", ["0", "-1", "nan"])
def test_a_bandwidth_that_is_not_positive_is_refused(refused, votes, bandwidth):
    sentence = refused("measure", votes(), f"--bandwidth={bandwidth}")
    assert sentence == f"--bandwidth is {float(bandwidth)}, must be a positive number"


@pytest.mark.parametrize(
    "option",
    [
        ("--bandwidth", "5"),
        ("--arms", "tea,coffee"),
        ("--remove-bias",),
        ("--columns", "time=when"),
        ("--winner", "who"),
    ],
)
def test_options_for_logs_are_refused_for_streams(refused, tastes, option):
    assert refused("measure", tastes, *option) == (
        f"{option[0]} is for logs of votes, tastes.npz is a stream"
    )


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ("0.5,0.6", "--weight: sums to 1.1, must sum to 1"),
        ("1", "--weight: has 1 entries, there are 2 arms"),
        ("1.5,-0.5", "--weight: w[1] = -0.5, must not be negative"),
        ("half,half", "--weight: number 1 is 'half', must be a number"),
        ("nan,1", "--weight: w[0] is nan"),
    ],
)
def test_a_weight_that_is_not_a_distribution_is_refused(refused, tastes, weight, sentence):
    assert refused("measure", tastes, "--weight", weight) == sentence


def test_columns_of_other_names_are_told_by_options(run, tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("when,home,guest,who\n1,tea,milk,tea\n2,milk,tea,tea\n3,tea,milk,home\n")
    names = "time=when, left=home,right=guest"
    options = ("--bandwidth", "2", "--json")
    first = run("measure", path, "--columns", names, "--winner", "who", *options).json
    second = run("measure", path, "--columns", f"{names},winner=who", *options).json
    assert first == second
    assert first["log"]["votes"] == 3
    assert first["winners"]["borda"][0]["arms"] == ["tea"]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ("time", "--columns: 'time' must be ROLE=NAME, as in time=when"),
        ("time=", "--columns: 'time=' must be ROLE=NAME, as in time=when"),
        ("time=a,time=b", "--columns: 'time' is given twice"),
        ("winner=left_won,winner=b", "--columns: 'winner' is given twice"),
        (
            "time=when",
            "votes.csv: there is no column 'when', the columns are: time, left, right, left_won",
        ),
    ],
)
def test_columns_that_make_no_sense_are_refused(refused, votes, columns, sentence):
    assert refused("measure", votes(), "--columns", columns) == sentence


def test_an_unknown_role_of_a_column_is_refused(refused, votes):
    sentence = refused("measure", votes(), "--columns", "tim=time")
    assert sentence.startswith(
        "votes.csv: --columns: the name is 'tim', must be one of time, left,"
    )


def test_notes_are_told_beside_the_table_and_in_json(capsys, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(f"{HEADER}\n1,tea,milk,1\n2,Tea,milk,1\n3,tea,tea,1\n")
    notes = [
        "read as: left = left, right = right, left_won = left_won, time = time; 1 self-duel "
        "skipped, the first in line 4",
        "arms 'Tea' and 'tea' differ only in case or blanks; they count as different",
    ]
    assert main(["measure", str(path), "--bandwidth", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["log"]["notes"] == notes
    assert err.splitlines() == [f"driftduel: note: votes.csv: {note}" for note in notes]


def test_a_tsv_file_is_measured(run, tmp_path):
    path = tmp_path / "votes.tsv"
    path.write_text("time\tleft\tright\twinner\n1\ttea\tmilk\ttea\n2\ttea\tmilk\tdraw\n")
    assert run("measure", path, "--bandwidth", "2", "--json").json["log"]["votes"] == 2


def test_a_square_table_of_wins_is_told_as_one_matrix(run, tmp_path):
    path = tmp_path / "wins.csv"
    path.write_text(",tea,milk,soda\ntea,-,30,20\nmilk,10,-,6\nsoda,0,2,-\n")
    done = run("measure", path, "--weight", "0,1,0")
    assert "one, of the wins in 68 duels; nothing says when, so nothing moves" in done.words
    assert "classes CW, GIC, SST" in done.words
    for words in ("Borda winner", "Condorcet winner", "Copeland winner", "best against every arm"):
        assert f"{words} tea" in done.words
    assert "winner for the given weight tea" in done.words
    assert "milk 0.500 0.500 0.500" in done.words
    assert "milk 40 8" in done.words
    found = run("measure", path, "--json").json
    assert found["duels"] == [[0, 40, 20], [40, 0, 8], [20, 8, 0]]
    assert found["matrix"][0] == [0.5, 0.75, 1]
    assert found["winners"]["borda"] == ["tea"]
    assert found["scores"]["copeland"] == [1, 0.5, 0]
    assert found["classes"]["SST"] is True
    assert found["scores"]["against_others"] == [0.875, 0.5, 0.125]
    assert (found["n_duels"], len(found["notes"])) == (68, 1)
    assert found["notes"][0].startswith("read as: a square table of wins; no column says when")
    assert found["verdict"]["says"] == dd.analyse(path).to_dict()["says"]


def test_measure_says_first_who_is_best_as_analyse_does(run, votes, tmp_path):
    path, page = votes(), tmp_path / "page.html"
    said = run("analyse", path, "--out", page).out.splitlines()
    shown = run("measure", path, "--bandwidth", "5").out.splitlines()
    assert shown[: said.index("", 2)] == said[: said.index("", 2)]
    assert "What follows takes the counted shares for the truth." in "\n".join(shown)
    told = run("measure", path, "--bandwidth", "5", "--json").json["verdict"]
    assert told == {key: dd.analyse(path).to_dict()[key] for key in told}
    assert told.keys() == {"best", "decided", "candidates", "says"}


def test_some_of_the_votes_are_measured(run, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner,language\na,b,a,en\na,b,b,de\nb,a,a,en\n")
    found = run("measure", path, "--only", "language=en", "--json", allowed="only votes with").json
    assert (found["n_duels"], found["verdict"]["best"]) == (2, "a")
    assert found["notes"][1:] == ["only votes with language = en"]


def test_a_square_table_of_probabilities_has_no_duels(run, tmp_path):
    path = tmp_path / "rock.csv"
    path.write_text("arm;rock;paper;scissors\nrock;;0,2;\npaper;;;0,2\nscissors;0,2;;\n")
    done = run("measure", path)
    assert "one, of probabilities" in done.words
    assert "Condorcet winner nobody" in done.words
    assert "Duels" not in done.out
    assert run("measure", path, "--json").json["duels"] is None


def test_a_large_square_table_is_cut_and_shown_whole_if_asked(run, tmp_path):
    arms = [f"a{n}" for n in range(30)]
    rows = [",".join([arm, *("7" if arm != other else "" for other in arms)]) for arm in arms]
    path = tmp_path / "wins.csv"
    path.write_text("\n".join([",".join(["", *arms]), *rows]))
    short, long = run("measure", path), run("measure", path, "--all")
    assert "... (30 in all; --all shows them)" in short.words
    assert "14 to 14 of each pair; --all shows them" in short.words
    assert "--all shows them" not in long.words
    assert "Duels of each pair" in long.words


def test_counts_without_a_time_are_one_matrix_and_with_one_a_log(run, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("left,right,left_wins,n\ntea,milk,30,40\nmilk,tea,5,10\n")
    assert run("measure", path, "--json").json["matrix"] == [[0.5, 0.3], [0.7, 0.5]]
    path.write_text("time,left,right,wins,losses,ties\n1,tea,milk,30,10,0\n2,milk,tea,1,2,3\n")
    assert run("measure", path, "--bandwidth", "2", "--json").json["log"]["votes"] == 46


@pytest.mark.parametrize("option", [("--bandwidth", 5), ("--remove-bias",), ("--horizon", 9)])
def test_options_about_time_are_refused_for_one_matrix(refused, tmp_path, option):
    (tmp_path / "wins.csv").write_text(",a,b\na,,3\nb,1,\n")
    assert refused("measure", tmp_path / "wins.csv", *option) == (
        f"{option[0]} is for votes with a time, wins.csv holds one matrix"
    )


def test_the_von_neumann_winner_is_told_where_it_plays_several_arms(run, tmp_path):
    path, labels = tmp_path / "rock.npz", ["rock", "paper", "scissors"]
    dd.Stream.piecewise([ROCK, np.transpose(ROCK)], [0, 500], 1000, labels=labels).save(path)
    found = run("measure", path, "--json").json["von_neumann"]
    assert found["support"] == labels
    assert (found["unique"], found["largest_support"]) == (True, 3)
    assert found["significant"]["phases"] == 1
    done = run("measure", path)
    assert line_of(done, "S_vN")[5:8] == ["0", "1", "0"]
    assert "plays up to 3 arms at once, unique in every round" in done.words
