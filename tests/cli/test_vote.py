from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import driftduel as dd
from driftduel.arena import service as arena
from driftduel.cli import main
from driftduel.cli.vote import read_verdict

VOTER = """
import sys
from driftduel.cli import main
file, votes = sys.argv[1], int(sys.argv[2])
for _ in range(votes):
    sys.stdout.flush()
    if main(["ask", file]):
        sys.exit(1)
"""
TELLER = """
import sys
from driftduel.cli import main
file = sys.argv[1]
sys.exit(max(main(["tell", file, duel, "tie"]) for duel in sys.argv[2:]))
"""
DOCUMENTED = (Path(__file__).parents[2] / "docs" / "command-vote-keys.md").read_text()


@pytest.fixture
def drinks(run, tmp_path):
    path = tmp_path / "drinks.db"
    run("new", path, "--arms", "tea,coffee,milk", "--seed", "3")
    return path


@pytest.fixture
def conflict(capsys):
    """Run the command on what does not go with what was said before; return its one sentence."""

    def command(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert (code, out) == (3, "")
        assert err.startswith("driftduel: ")
        assert err.count("\n") == 1
        return err.removeprefix("driftduel: ").rstrip("\n")

    return command


def ask(run, path):
    return tuple(run("ask", path).out.rstrip("\n").split("\t"))


def votes(run, path):
    return run("status", path, "--json").json["votes"]


def test_a_new_file_is_an_arena(run, tmp_path):
    path = tmp_path / "Hot drinks.db"
    done = run("new", path, "--arms", "tea, coffee", "--question", "Which is nicer?", "--json").json
    assert done == {
        "file": str(path),
        "arena": "hot-drinks",
        "question": "Which is nicer?",
        "arms": ["tea", "coffee"],
    }
    with arena.Service.open(f"sqlite:{path}", create=False) as service:
        found = arena.describe(service, "hot-drinks")
    assert found.arena.question == "Which is nicer?"
    assert [arm.name for arm in found.arms] == ["tea", "coffee"]
    assert "2 arms" in run("new", tmp_path / "other", "--arms", "a,b").out


def test_a_file_called_like_an_address_of_the_service_can_be_served_too(run, tmp_path):
    assert run("new", tmp_path / "new.db", "--arms", "a,b", "--json").json["arena"] == "new-2"


def test_a_file_is_not_replaced_unless_forced(run, refused, drinks):
    duel, *_ = ask(run, drinks)
    run("tell", drinks, duel, "left")
    assert "--force replaces it" in refused("new", drinks, "--arms", "a,b")
    assert votes(run, drinks) == 1
    run("new", drinks, "--arms", "a,b", "--force")
    assert votes(run, drinks) == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--arms", "tea"], "two arms at least"),
        (["--arms", "tea,,milk"], "name 2 is empty"),
        (["--arms", "tea,tea"], "two arms would be called 'tea'"),
        (["--arms", "tea,milk", "--expire", "0"], "--expire"),
        (["--arms", "tea," + "x" * 201], "201 characters"),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_no_file(refused, tmp_path, options, sentence):
    assert sentence in refused("new", tmp_path / "drinks.db", *options)
    assert list(tmp_path.iterdir()) == []


def test_a_vote_is_asked_told_and_counted(run, drinks):
    duel, left, right = ask(run, drinks)
    assert left != right
    assert {left, right} < {"tea", "coffee", "milk"}
    assert (
        run("tell", drinks, duel, "left").out == f"duel {duel}: {left} was preferred to {right}\n"
    )
    found = run("status", drinks, "--json").json
    assert (found["votes"], found["best"], found["open"]) == (1, left, [])
    assert left in run("status", drinks).out


def test_asking_in_json_gives_the_propensity_too(run, drinks):
    asked = run("ask", drinks, "--json").json
    assert asked["propensity"] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("left", "left"), ("Right", "right"), ("TIE", "tie"), ("bad", "bad"), ("skip", "skip"),
        ("1", "left"), ("0", "right"), ("0.5", "tie"), ("0.50", "tie"),
    ],
)  # fmt: skip
def test_verdicts_are_words_or_numbers(run, drinks, word, verdict):
    duel, *_ = ask(run, drinks)
    told = run("tell", drinks, duel, word, "--json").json
    assert told["verdict"] == verdict
    assert told["counted"] is (verdict != "skip")
    assert votes(run, drinks) == int(verdict != "skip")


def test_the_verdict_may_be_the_name_of_the_preferred_arm(run, refused, drinks):
    duel, left, right = ask(run, drinks)
    (other,) = {"tea", "coffee", "milk"} - {left, right}
    assert f"'{left}' or '{right}'" in refused("tell", drinks, duel, other)
    assert run("tell", drinks, duel, right, "--json").json["verdict"] == "right"


def test_a_name_that_is_also_a_verdict_is_told_apart_or_refused():
    assert read_verdict("left", ["left", "right"]) == "left"
    assert read_verdict("0.5", ["tea", "milk"]) == "tie"
    with pytest.raises(ValueError, match="also the name of an arm"):
        read_verdict("left", ["right", "left"])


@pytest.mark.parametrize("verdict", ["", "maybe", "2", "nan", "-1", "left right"])
def test_a_bad_verdict_is_refused_and_the_duel_stays_open(run, refused, drinks, verdict):
    duel, *_ = ask(run, drinks)
    assert "must be left, right, tie, bad, skip" in refused("tell", drinks, duel, "--", verdict)
    assert [one["duel"] for one in run("status", drinks, "--json").json["open"]] == [duel]


def test_telling_the_same_again_is_success_and_counts_once(run, drinks):
    duel, *_ = ask(run, drinks)
    first = run("tell", drinks, duel, "left", "--json").json
    again = run("tell", drinks, duel, "left", "--json").json
    assert (first.pop("already_counted"), again.pop("already_counted")) == (False, True)
    assert first == again
    assert run("tell", drinks, duel, "left").out.endswith(", already counted\n")
    assert votes(run, drinks) == 1


def test_telling_something_else_is_a_conflict(run, conflict, drinks):
    duel, *_ = ask(run, drinks)
    run("tell", drinks, duel, "left")
    assert conflict("tell", drinks, duel, "right") == "the duel was told already: left"
    assert votes(run, drinks) == 1


def test_the_beginning_of_an_id_will_do_if_no_other_begins_so(run, refused, drinks):
    duel, *_ = ask(run, drinks)
    assert run("tell", drinks, duel[:8], "tie", "--json").json["duel"] == duel
    for start in ("", duel[:3], "x" * 22, "%", "zzzz", "é" * 5):
        assert "was asked" in refused("tell", drinks, "--", start, "tie")
    with sqlite3.connect(drinks) as connection:
        connection.execute(
            'INSERT INTO duel SELECT ?, arena, voter, "left", "right", swapped, ticket, '
            "propensity, context, generation, asked_at, seq, at, fields FROM event WHERE duel = ?",
            (duel[:8] + "z" * 14, duel),
        )
    connection.close()
    assert "which several begin with" in refused("tell", drinks, duel[:8], "tie")


def test_what_was_told_can_be_taken_back(run, conflict, refused, drinks):
    duel, *_ = ask(run, drinks)
    assert "no such verdict" in refused("undo", drinks, duel)
    run("tell", drinks, duel, "left")
    assert run("undo", drinks, duel).out == f"duel {duel}: taken back\n"
    assert run("undo", drinks, duel, "--json").json["seq"] == 3
    assert votes(run, drinks) == 0
    assert conflict("tell", drinks, duel, "left") == "the verdict was taken back"


def test_duels_expire_as_new_was_told(run, conflict, tmp_path):
    path = tmp_path / "drinks.db"
    run("new", path, "--arms", "a,b", "--expire", "1")
    duel, *_ = ask(run, path)
    time.sleep(1.1)
    assert conflict("tell", path, duel, "left") == "the duel has expired"
    assert run("status", path, "--json").json["open"] == []


def test_status_lists_what_is_open(run, drinks):
    duels = [ask(run, drinks) for _ in range(7)]
    found = run("status", drinks, "--json").json["open"]
    assert [(one["duel"], one["left"], one["right"]) for one in found] == duels
    text = run("status", drinks).out
    assert "Not told yet: " in text
    assert "and 2 more." in text


def test_status_says_who_is_best(run, drinks):
    for _ in range(40):
        duel, left, right = ask(run, drinks)
        order = ("milk", "coffee", "tea")
        run("tell", drinks, duel, "left" if order.index(left) < order.index(right) else "right")
    found = run("status", drinks, "--json").json
    assert (found["votes"], found["best"]) == (40, "milk")
    assert [arm["name"] for arm in found["arms"]] == ["tea", "coffee", "milk"]
    assert sum(arm["probability"] for arm in found["arms"]) == pytest.approx(1)


def test_the_file_has_more_arms_is_exported_and_verified(run, drinks):
    duel, *_ = ask(run, drinks)
    run("tell", drinks, duel, "left")
    run("arena", "arms", "drinks", "--add", "cocoa", "--database", drinks)
    assert len(run("status", drinks, "--json").json["arms"]) == 4
    seen = {name for _ in range(30) for name in ask(run, drinks)[1:]}
    assert "cocoa" in seen
    lines = run("arena", "export", "drinks", "--database", drinks).out.splitlines()
    assert len(lines) == 2
    assert "all is well" in run("arena", "verify", drinks).out


def test_voters_are_told_apart_and_can_be_excluded(run, drinks):
    for name in ("ann", "ann", "bob"):
        duel = run("ask", drinks, "--voter", name, "--json").json["duel"]
        run("tell", drinks, duel, "left")
    words = ["exclude", "drinks", "--database", drinks]
    (most, _) = run("arena", *words, "--json").json["voters"]
    run("arena", *words[:2], most["voter"], *words[2:])
    assert votes(run, drinks) == 1


def test_a_closed_arena_and_one_of_few_arms_ask_nothing(run, conflict, drinks):
    run("arena", "arms", "drinks", "--pause", "tea,milk", "--database", drinks)
    assert "fewer than two arms" in conflict("ask", drinks)
    with arena.Service.open(f"sqlite:{drinks}") as service:
        arena.change_arena(service, "drinks", {"status": "closed"})
    assert "closed" in conflict("ask", drinks)


@pytest.mark.parametrize(
    "command", [["ask"], ["tell", "abcd", "left"], ["undo", "abcd"], ["status"]]
)
def test_a_missing_file_is_refused_and_not_made(refused, tmp_path, command):
    path = tmp_path / "nix.db"
    assert "there is no such file; driftduel new" in refused(command[0], path, *command[1:])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["ask"], ["tell", "abcd", "left"], ["status"], ["new"]])
def test_a_folder_is_refused_in_a_sentence(refused, tmp_path, command):
    options = ["--arms", "a,b"] if command == ["new"] else command[1:]
    assert "is a" in refused(command[0], tmp_path, *options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_is_refused_and_left_as_it_was(run, refused, tmp_path):
    learner = tmp_path / "drinks.json"
    dd.DriftPoll(3).save(learner)
    before = learner.read_bytes()
    assert "dd.load_learner reads what Python saved" in refused("ask", learner)
    assert learner.read_bytes() == before
    empty = tmp_path / "empty.db"
    empty.write_bytes(b"")
    assert "is no arena" in refused("status", empty)
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    assert "is no arena" in refused("ask", tmp_path / "other.db")


def test_a_damaged_file_is_refused(refused, drinks):
    content = drinks.read_bytes()
    drinks.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    assert "malformed" in refused("ask", drinks)


def test_a_newer_file_and_one_of_several_arenas_are_refused(run, refused, drinks):
    run("arena", "new", "second", "--database", drinks)
    assert "holds 2 arenas" in refused("ask", drinks)
    with sqlite3.connect(drinks) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    connection.close()
    assert "made by a newer driftduel" in refused("ask", drinks)


def test_status_leaves_the_file_and_its_folder_alone(run, drinks):
    duel, *_ = ask(run, drinks)
    run("tell", drinks, duel, "left")
    before = drinks.read_bytes()
    run("status", drinks)
    assert drinks.read_bytes() == before
    assert [path.name for path in drinks.parent.iterdir()] == ["drinks.db"]


def keys_of(command):
    """The keys that the page has for a command."""
    (row,) = re.findall(rf"^\| `{command}` \| (.*) \|$", DOCUMENTED, re.MULTILINE)
    return set(re.findall("`([a-z_]+)`", row))


def test_the_keys_of_new_ask_tell_and_undo_are_those_documented(run, tmp_path):
    path = tmp_path / "drinks.db"
    assert set(run("new", path, "--arms", "a,b", "--json").json) == keys_of("new")
    asked = run("ask", path, "--json").json
    assert set(asked) == keys_of("ask")
    assert set(run("tell", path, asked["duel"], "left", "--json").json) == keys_of("tell")
    assert set(run("undo", path, asked["duel"], "--json").json) == keys_of("undo")


def test_the_keys_of_status_are_those_documented(run, drinks):
    part = DOCUMENTED.partition("## What `status --json` prints")[2]
    rows = re.findall(r"^\| (`[^|]*`) \|", part, re.MULTILINE)
    named = {key for row in rows for key in re.findall("`([a-z_]+)`", row)}
    assert set(run("status", drinks, "--json").json) == named


def start(script, *arguments):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(processes):
    found = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return found


def test_processes_that_ask_and_tell_at_once_lose_nothing(run, drinks):
    voters = [start(VOTER, drinks, 8) for _ in range(2)]
    duels = [line.split("\t")[0] for out in finished(voters) for line in out.splitlines()]
    assert len(set(duels)) == 16
    assert len(run("status", drinks, "--json").json["open"]) == 16
    tellers = [start(TELLER, drinks, *duels[part::2]) for part in range(2)]
    assert all(out.count("\n") == 8 for out in finished(tellers))
    found = run("status", drinks, "--json").json
    assert (found["votes"], found["head"], found["open"]) == (16, 17, [])
    assert json.dumps(found)
