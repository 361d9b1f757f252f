from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.cli import main

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def votes(tmp_path):
    """Tea is best for 100 days, then milk; ten votes a day, and a label that looks like a tag."""
    rng = np.random.default_rng(1)
    n = 2000
    left = rng.integers(3, size=n)
    right = (left + rng.integers(1, 3, size=n)) % 3
    best = np.arange(n) // 1000
    won = rng.random(n) < 0.5 + 0.3 * ((left == best) - 1.0 * (right == best))
    names = np.array(["tea", "milk", "<b>water</b>"])
    day = np.datetime64("2024-01-01") + np.arange(n) // 10
    table = {"time": day, "left": names[left], "right": names[right], "left_won": won.astype(int)}
    path = tmp_path / "votes.csv"
    pl.DataFrame(table).write_csv(path)
    return path


def test_json_tells_who_is_best_since_when_and_who_was_before(run, votes):
    found = run("analyse", votes, "--json").json
    assert found["best"] == "milk"
    (change,) = found["changes"]
    assert (change["from"], change["to"]) == ("tea", "milk")
    assert change["earliest"] <= "2024-04-10" <= change["latest"]
    assert change["surely_after"] <= change["earliest"]
    assert found["since"] == change["likeliest"]
    assert {row["arm"] for row in found["scores"]} == {"tea", "milk", "<b>water</b>"}
    assert all(row["low"] <= row["score"] <= row["high"] for row in found["scores"])
    assert found["assuming"] == "who met whom did not depend on the votes"
    assert found["file"] == str(votes)
    assert not votes.with_name("votes.csv.html").exists()


def test_the_page_says_it_in_words_and_holds_all_it_needs(run, votes, tmp_path):
    page = tmp_path / "page.html"
    done = run("analyse", votes, "--out", page)
    assert "milk is best since about" in done.words
    assert f"written: {page}" in done.words
    text = page.read_text()
    assert "What votes.csv tells" in text
    assert '</strong> took over from <strong dir="auto">tea</strong> between <time' in text
    assert "if who met whom did not depend on the votes" in text
    assert "<b>water</b>" not in text
    assert 'src="http' not in text
    for heading in ("Who is ahead", "Who was best when", "Who beats whom", "What to show next"):
        assert heading in text
    assert "Who won against whom" in text
    assert "Every pair" in text
    assert "Nothing speaks against Bradley-Terry" in text
    assert "One number an arm hides all cycles" in text


def test_without_the_extra_the_page_says_what_is_left_out(run, votes, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    run("analyse", votes, "--out", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "Left out, as a library is not installed: ratings need scipy" in text


def test_arms_weight_and_level_are_options(run, votes):
    found = run("analyse", votes, "--arms", "tea,milk", "--json", "--alpha", "0.2").json
    assert (found["arms"], found["alpha"]) == (["tea", "milk"], 0.2)
    found = run("analyse", votes, "--weight", "1,0,0", "--pairs", "uniform", "--json").json
    assert found["assuming"] == "every pair was as likely as any other, in both orders"


def test_bad_input_is_one_sentence(refused, votes, tmp_path):
    assert refused("analyse", tmp_path / "none.csv").endswith("there is no such file")
    other = tmp_path / "votes.npz"
    np.savez(other, votes=[1, 2])
    assert refused("analyse", other) == (
        "votes.npz: must hold one table, there is none; unpack it first"
    )
    assert refused("analyse", votes, "--out", tmp_path).startswith(f"{tmp_path}: is a folder")
    assert refused("analyse", votes, "--alpha", "2").startswith("--alpha is 2.0, must be")
    assert refused("analyse", votes, "--pairs", "x").startswith("--pairs is 'x', must be one of")
    assert refused("analyse", votes, "--weight", "1,0").startswith("--weight: has 2 entries")
    assert refused("analyse", votes, "--arms", "tea,soda").startswith("--arms: 'soda' is not in")
    votes.write_text("time,left,right,left_won,propensity\n1,a,b,1,0\n")
    assert refused("analyse", votes) == (
        "votes.csv: line 2: propensity is 0, must be above 0 and at most 1"
    )


def test_notes_go_to_standard_error(capsys, votes):
    votes.write_text("time,left,right,left_won\n1,a,b,1\n2,a,a,1\n3,b,a,0\n")
    assert main(["analyse", str(votes), "--json"]) == 0
    assert "1 self-duel skipped" in capsys.readouterr().err


def test_propensities_in_some_rows_are_refused_unless_something_else_is_assumed(
    run, refused, tmp_path
):
    path = tmp_path / "votes.csv"
    path.write_text("time,left,right,left_won,propensity\n1,a,b,1,0.5\n2,a,b,1,\n3,b,a,1,0.5\n")
    assert refused("analyse", path) == (
        "votes.csv: line 3: propensity is empty, must be in every row or in none"
    )
    found = run("analyse", path, "--pairs", "independent", "--json").json
    assert found["assuming"] == "who met whom did not depend on the votes"
    assert found["votes"] == 3


def test_a_voter_with_many_votes_is_noted_on_the_page(tmp_path, capsys):
    path, page = tmp_path / "votes.csv", tmp_path / "page.html"
    rows = [f"{n},a,b,1,{'bob' if n < 40 else n}" for n in range(60)]
    path.write_text("\n".join(["time,left,right,left_won,Voter", *rows]))
    note = "one voter cast 40 of 60 votes, which count as if many had cast them"
    assert main(["analyse", str(path), "--json"]) == 0
    how = "read as: left = left, right = right, left_won = left_won, time = time"
    assert json.loads(capsys.readouterr().out)["notes"] == [how, note]
    assert main(["analyse", str(path), "--out", str(page)]) == 0
    assert note in capsys.readouterr().err
    assert f"{note}." in page.read_text()


def test_duels_of_arms_with_themselves_alone_are_refused(refused, tmp_path):
    path = tmp_path / "votes.csv"
    for more in ("", ",0.5"):
        path.write_text(f"time,left,right,left_won{more and ',propensity'}\n1,a,a,0.5{more}\n")
        assert refused("analyse", path) == (
            "votes.csv: holds no votes between two different arms, at least one is needed"
        )


def test_a_terminal_shows_what_is_under_way(votes, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert main(["analyse", str(votes), "--out", str(tmp_path / "page.html")]) == 0
    shown = capsys.readouterr().err
    for stage in ("reading votes.csv", "analysing 2,000 votes", "writing page.html"):
        assert stage in shown


def test_a_square_table_of_probabilities_is_sent_to_measure(refused, tmp_path):
    path = tmp_path / "shares.csv"
    path.write_text(",a,b,c\na,,0.3,0.4\nb,,,0.5\nc,,,\n")
    assert refused("analyse", path) == (
        "shares.csv: is a square table of probabilities, which are no votes; driftduel measure "
        "reads it"
    )


def test_usual_names_of_columns_are_read_and_said(run, capsys, votes, tmp_path):
    frame = pl.read_csv(votes)
    won = frame["left_won"].cast(pl.Boolean)
    table = {"Date ": frame["time"], "Option A": frame["left"], "Option B": frame["right"]}
    table["Preferred"] = frame["left"].zip_with(won, frame["right"])
    path = tmp_path / "messy.csv"
    pl.DataFrame(table).write_csv(path, separator=";")
    assert main(["analyse", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"] == run("analyse", votes, "--json").json["scores"]
    assert found["notes"] == [
        "read as: left = Option A, right = Option B, winner = Preferred, time = Date"
    ]


def test_two_columns_of_a_usual_name_are_not_guessed(refused, tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text("date,left,right,result,choice\n2024-01-01,tea,milk,tea,tea\n")
    assert refused("analyse", path) == (
        "messy.csv: who won may be told by choice and result; say which: --winner choice"
    )


def test_votes_without_a_time_are_of_one_time(capsys, votes, tmp_path):
    path = tmp_path / "timeless.csv"
    pl.read_csv(votes).drop("time").write_csv(path)
    assert main(["analyse", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["changes"] == []
    assert "These votes have no times, so they cannot show a change." in found["says"]
    assert "since" not in found["says"][0]
    assert "; no column says when votes were cast" in found["notes"][0]


def test_large_times_are_told_with_all_their_digits(run, votes, tmp_path):
    """Six digits would be the same for all of them."""
    frame = pl.read_csv(votes).with_columns(time=170_000_000 + 60 * pl.int_range(pl.len()))
    path = tmp_path / "seconds.csv"
    frame.write_csv(path)
    done = run("analyse", path)
    assert "e+09" not in done.words
    assert "milk is best since about time 1700" in done.words
    text = path.with_name("seconds.csv.html").read_text()
    assert "3 options. From 2,000 votes between time 170000000 and time 170119940." in text
    assert "since time 1700" in text
    assert ".0 to 17" not in text


def test_the_page_says_how_bounds_were_made(run, votes, tmp_path):
    page = tmp_path / "page.html"
    run("analyse", votes, "--out", page)
    assert "Hoeffding" in page.read_text()
    run("analyse", votes, "--pairs", "uniform", "--out", page)
    text = page.read_text()
    assert "Hoeffding" not in text
    assert "Propensities are taken to be all the same" in text


def test_a_column_of_users_names_voters_too(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    rows = [f"{n},a,b,1,{'bob' if n < 40 else n}" for n in range(60)]
    path.write_text("\n".join(["time,left,right,left_won,User", *rows]))
    assert main(["analyse", str(path), "--json"]) == 0
    note = "one voter cast 40 of 60 votes, which count as if many had cast them"
    assert note in json.loads(capsys.readouterr().out)["notes"]


def test_seconds_since_1970_are_shown_as_dates(capsys, votes, tmp_path):
    frame = pl.read_csv(votes).with_columns(time=1_700_000_000 + 3600 * pl.int_range(pl.len()))
    path = tmp_path / "seconds.csv"
    frame.write_csv(path)
    assert main(["analyse", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["period"] == ["2023-11-14", "2024-02-06"]
    assert err.endswith("time = time (unix seconds)\n")


def test_several_files_a_folder_and_standard_input_are_one_log(run, votes, tmp_path, monkeypatch):
    frame = pl.read_csv(votes)
    folder = tmp_path / "months"
    folder.mkdir()
    frame[:700].write_csv(folder / "1.csv")
    frame[700:].write_ndjson(folder / "2.jsonl")
    whole = run("analyse", votes, "--json").json
    for files in ([folder], [folder / "1.csv", folder / "2.jsonl"]):
        found = run("analyse", *files, "--json").json
        assert {**found, "file": whole["file"]} == whole
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(votes.read_bytes())))
    assert run("analyse", "-", "--json").json["scores"] == whole["scores"]


def test_an_address_is_to_be_downloaded_first(refused):
    for command in ("analyse", "measure"):
        assert refused(command, "https://example.org/votes.csv") == (
            "https://example.org/votes.csv: is an address on the network, download it first"
        )


def test_columns_are_told_by_options_of_their_own(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("x,y,z,t\ntea,milk,tea,2024-01-02\nmilk,tea,tea,2024-01-03\n")
    options = ("--left", "x", "--right", "y", "--winner", "z", "--time", "t")
    assert run("analyse", path, *options, "--json").json["votes"] == 2


def without_drawing(monkeypatch):
    for name in ("altair", "vl_convert", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None)


def test_the_answer_and_a_small_table_are_printed(run, votes):
    lines = run("analyse", votes).out.splitlines()
    assert lines[0].startswith("milk is very likely best now (over 99%), since about ")
    assert ". Before that tea" in lines[0]
    assert lines[1:3] == ["", "What is proved, whatever drift there was:"]
    lines = lines[3:]
    assert lines[0].startswith("milk is best since about ")
    assert lines[1:4] == [
        "",
        "  option        wins      proved  votes",
        "  milk           79%  66% to 92%    319",
    ]
    assert [line.split()[0] for line in lines[4:6]] == ["<b>water</b>", "tea"]
    assert lines[6] == ""
    assert lines[7].startswith("milk took over from tea between ")
    assert lines[-1] == f"written: {votes}.html"


def test_without_the_extra_the_answer_is_printed_and_how_to_get_the_page(run, votes, monkeypatch):
    said = run("analyse", votes).out
    without_drawing(monkeypatch)
    votes.with_name("votes.csv.html").unlink()
    lines = run("analyse", votes).out.splitlines()
    assert lines[:-1] == said.splitlines()[:-1]
    assert lines[-1] == 'For a page with charts: pip install "driftduel[report]"'
    assert not votes.with_name("votes.csv.html").exists()


def test_a_page_that_is_asked_for_and_cannot_be_is_refused_after_the_answer(
    votes, monkeypatch, capsys, tmp_path
):
    without_drawing(monkeypatch)
    assert main(["analyse", str(votes), "--out", str(tmp_path / "page.html")]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("milk is very likely best now (over 99%), since about ")
    assert err.splitlines()[-1] == 'driftduel: figures need altair: pip install "driftduel[report]"'


def test_a_folder_that_takes_no_page_costs_nobody_the_answer(run, votes, monkeypatch):
    def refuse(*arguments, **values):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("driftduel.report.analysis.write_html", refuse)
    assert run("analyse", votes).out.splitlines()[-1] == (
        f"No page was written, {votes}.html cannot be (Permission denied): --out PATH writes it "
        "elsewhere."
    )


def test_votes_are_filtered_and_split_by_other_columns(run, votes, capsys):
    frame = pl.read_csv(votes).with_row_index()
    halves = {"half": (pl.col("index") // 1000).cast(pl.String), "shop": pl.lit("Main St.")}
    frame.with_columns(**halves).write_csv(votes)
    shown = run("analyse", votes, "--by", "half").out
    assert "half votes ahead wins proved how sure 0 1,000 tea" in " ".join(shown.split())
    assert "Who is best differs by half, which is proved: tea in 0, milk in 1." in shown
    assert (
        main(["analyse", str(votes), "--json", "--only", "half=0", "--only", "shop=Main St."]) == 0
    )
    out, err = capsys.readouterr()
    assert err.splitlines()[1:] == [
        "driftduel: note: votes.csv: only votes with half = 0 and shop = Main St."
    ]
    told = json.loads(out)
    assert (told["best"], told["votes"], told["notes"][1:]) == (
        "tea", 1000, ["only votes with half = 0 and shop = Main St."]
    )  # fmt: skip


def test_more_options_than_fit_are_counted(tmp_path, capsys):
    path = tmp_path / "many.csv"
    rows = [f"arm {n},arm {(n + 1) % 30},arm {n}" for n in range(30)]
    path.write_text("\n".join(["left,right,winner", *rows]))
    assert main(["analyse", str(path)]) == 0
    out = capsys.readouterr().out
    assert out.count("  arm ") == 20
    assert "\n  and 10 more\n" in out


def test_drift_is_told_if_asked_for(run, votes):
    told = run("analyse", votes, "--drift")
    assert "These votes tell of change. More than the same votes ever show" in told.words
    page = votes.with_name("votes.csv.html").read_text()
    assert "How much tastes moved" in page
    assert "Borda winner" in page


def test_measure_and_analyse_say_the_same_of_drift(run, votes):
    whole = run("analyse", votes, "--drift", "--json").json
    told, measured = whole["drift"], run("measure", votes, "--json").json["log"]
    for key in ("bandwidth", "bandwidth_chosen", "beyond_noise", "shuffles", "null_band"):
        assert told[key] == measured[key]
    assert told["says"].startswith(measured["says"].partition(".")[0])


def test_json_is_what_to_dict_returns_and_every_key_is_in_the_docs(run, votes):
    frame = pl.read_csv(votes).with_row_index().with_columns(half=pl.col("index") // 1000)
    frame.drop("index").write_csv(votes)
    told = run("analyse", votes, "--by", "half", "--drift", "--json").json
    assert told == json.loads(json.dumps(dd.analyse(votes, by="half", drift=True).to_dict()))
    text = (ROOT / "docs" / "command-analyse-keys.md").read_text()
    _, _, table = text.partition("prints what `found.to_dict()` returns:")
    rows = {}
    for line in table.splitlines():
        if line.startswith("| `"):
            keys, words = line.strip("| ").split(" | ", 1)
            for key in re.findall(r"`(\w+)`", keys):
                rows[key] = {*re.findall(r"`(\w+)`", words)}
    assert rows.keys() == told.keys()
    by_arm, told_elsewhere = {"doubts", "joined", "left"}, {"standing"}
    for key in told.keys() - by_arm - told_elsewhere:
        assert (
            nested(
                told[key], but={"null_band", "scores", "probabilities"} if key != "scores" else ()
            )
            <= rows[key]
        )


def nested(value, but=()):
    """Return the keys of records inside a value."""
    if isinstance(value, list):
        return {key for one in value for key in nested(one, but)}
    if not isinstance(value, dict):
        return set()
    inner = {key for name, one in value.items() if name not in but for key in nested(one, but)}
    return {*value} | inner


KINDS = {
    "file": str, "says": list, "cautions": list, "notes": list, "votes": int, "serves": int,
    "period": list, "times": int, "arms": list, "against": list, "alpha": float, "assuming": str,
    "likely": dict, "best": str, "since": str,
    "decided": bool, "candidates": list, "votes_more": int,
    "changes": list, "scores_since": str, "scores": list, "doubts": dict, "pairs": list,
    "condorcet": dict, "ratings": dict, "side": dict, "ties": float, "joined": dict, "left": dict,
    "copies": (dict, type(None)), "votes_over_time": list, "ask_next": list,
    "causes": list, "by": (str, type(None)), "groups": list, "drift": (dict, type(None)),
    "standing": dict, "variants": list,
}  # fmt: skip


@pytest.mark.parametrize("key", KINDS)
def test_every_key_of_the_json_holds_what_the_docs_say(key, told):
    assert isinstance(told[key], KINDS[key])
    assert told.keys() == KINDS.keys()


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    path = tmp_path_factory.mktemp("told") / "votes.csv"
    days = [f"2024-01-{1 + n // 10:02},tea,milk,{'tea' if n % 5 else 'milk'}" for n in range(200)]
    path.write_text("\n".join(["date,left,right,winner", *days]))
    return json.loads(json.dumps(dd.analyse(path).to_dict()))


def test_few_votes_are_analysed_without_compiled_kernels_and_alike(tmp_path):
    path = meetings_of_five(tmp_path / "votes.csv", 400)
    done = in_a_process(path, "'numba' in sys.modules, gc.isenabled()", "--json")
    assert done.stderr.splitlines()[-1] == "False False"
    assert json.loads(done.stdout) == run_noted(path)


def test_a_file_alone_is_answered_without_what_takes_long_to_load(tmp_path):
    path = meetings_of_five(tmp_path / "votes.csv", 100)
    hidden = "sys.modules.update(altair=None); "  # as in the base install
    loaded = "*('typer' in sys.modules, 'scipy' in sys.modules)"
    done = in_a_process(path, loaded, before=hidden)
    parsed = in_a_process(path, loaded, "--alpha", "0.05", before=hidden)
    assert [one.stderr.splitlines()[-1] for one in (done, parsed)] == ["False False", "True False"]
    assert done.stdout == parsed.stdout != ""


def test_many_votes_are_analysed_by_compiled_kernels_and_garbage_is_collected(tmp_path):
    path = meetings_of_five(tmp_path / "votes.csv", 2001)
    done = in_a_process(path, "'numba' in sys.modules, gc.isenabled()", "--json")
    assert done.stderr.splitlines()[-1] == "True True"
    assert json.loads(done.stdout) == run_noted(path)


def meetings_of_five(path, n):
    """Write votes of which the first of five arms wins two thirds, and of the others the left."""
    pairs = list(combinations(["tea", "milk", "water", "juice", "cocoa"], 2))
    lines = ["date,left,right,winner"]
    for vote in range(n):
        left, right = pairs[vote % len(pairs)]
        winner = right if left == "tea" and vote // len(pairs) % 3 == 0 else left
        lines.append(f"2024-01-{1 + vote * 28 // n:02},{left},{right},{winner}")
    path.write_text("\n".join(lines))
    return path


def in_a_process(path, asked, *options, before=""):
    """Analyse a file as the command does; what is asked of its process ends standard error."""
    script = (
        f"import gc, sys; {before}from driftduel.cli import main; code = main(); "
        f"print({asked}, file=sys.stderr); sys.exit(code)"
    )
    command = [sys.executable, "-c", script, "analyse", str(path), *options]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def run_noted(path):
    """Return what is told of a file in this process, where kernels are compiled."""
    return json.loads(json.dumps(dd.analyse(str(path)).to_dict()))
