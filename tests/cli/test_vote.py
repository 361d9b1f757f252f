from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

import driftduel as dd
from driftduel.cli import main
from driftduel.cli.vote import read_outcome
from driftduel.learners import load_learner
from driftduel.testing.driving import drive, switching_world
from tests.outside import GREEDY

# Two processes that never wait for each other would overwrite each other's duels.
VOTER = """
import sys
from driftduel.cli import main
file, name, votes = sys.argv[1], sys.argv[2], int(sys.argv[3])
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


PAPERS = ("--arms", "a,b", "--learner", "MetaBosse")
"""The paper's learner, of two arms."""


@pytest.fixture
def drinks(run, tmp_path):
    path = tmp_path / "drinks.json"
    run("new", path, "--arms", "tea,coffee,milk", "--horizon", "1000", "--seed", "3")
    return path


def ask(run, path):
    return tuple(run("ask", path).out.rstrip("\n").split("\t"))


def number_of(code):
    number, _, check = code.partition("-")
    assert len(check) == 4
    return int(number)


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


def start(script, *arguments):
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def finished(processes):
    """The outputs of processes that all succeed and say nothing on standard error."""
    outputs = [process.communicate() for process in processes]
    for process, (_, err) in zip(processes, outputs, strict=True):
        assert (process.returncode, err) == (0, "")
    return [out for out, _ in outputs]


def test_a_new_learner_is_what_was_asked_for(run, tmp_path):
    path = tmp_path / "drinks.json"
    options = ("--learner", "MetaBosse", "--horizon", "500")
    options += ("--criterion", "condorcet", "--seed", "7")
    params = ("--param", "steps=8", "--param", "prefix=false", "--param", "replay_rate=2")
    done = run("new", path, "--arms", "tea, coffee", *options, *params)
    assert done.out == f"{path}: MetaBosse with 2 arms\n"
    made = load_learner(path)
    assert type(made) is dd.MetaBosse
    expected = dd.MetaBosse(
        2,
        500,
        criterion=dd.Condorcet(),
        seed=7,
        labels=("tea", "coffee"),
        steps=8,
        prefix=False,
        replay_rate=2.0,
    )
    assert made.config() == expected.config()


def test_a_learner_may_go_by_a_weight(run, tmp_path):
    path = tmp_path / "drinks.json"
    run("new", path, "--arms", "tea,coffee", "--weight", "0.25,0.75", "--learner", "Bosse")
    assert load_learner(path).criterion == dd.Weighted([0.25, 0.75])
    assert type(load_learner(path)) is dd.Bosse


def test_learners_of_other_kinds_can_be_made_asked_and_told(run, tmp_path):
    for name in ("Bosse", "FixedPair", "Uniform"):
        path = tmp_path / f"{name}.json"
        run("new", path, "--arms", "a,b,c", "--horizon", "100", "--learner", name)
        number, _, _ = ask(run, path)
        run("tell", path, number, "tie")
        assert run("status", path, "--json").json["rounds"] == 1


def test_a_file_is_not_replaced_unless_forced(run, refused, drinks):
    before = drinks.read_bytes()
    assert refused("new", drinks, "--arms", "a,b") == (
        f"{drinks}: exists already, --force replaces it and forgets its votes"
    )
    assert drinks.read_bytes() == before
    run("new", drinks, "--arms", "a,b", "--force")
    assert load_learner(drinks).labels == ("a", "b")


def test_the_file_plays_as_the_learner_in_memory_does(run, drinks):
    learner = dd.DriftPoll(3, 1000, seed=3, labels=("tea", "coffee", "milk"))
    for n in range(30):
        duel = learner.ask()
        code, *names = ask(run, drinks)
        assert number_of(code) == n
        assert names == [learner.labels[duel.left], learner.labels[duel.right]]
        if n % 3:
            outcome = float(duel.left < duel.right)
            learner.tell(duel, outcome)
            run("tell", drinks, n, "left" if outcome else "right")
    facts = run("status", drinks, "--json").json
    assert facts["rounds"] == learner.rounds == 20
    assert facts["best"] == learner.labels[learner.best()]
    assert [number_of(duel["duel"]) for duel in facts["open"]] == list(range(0, 30, 3))


def test_asking_in_json_gives_the_propensity_too(run, drinks):
    found = run("ask", drinks, "--json").json
    assert number_of(found["duel"]) == 0
    assert found["propensity"] == pytest.approx(1 / 6)
    assert found["is_vote"] is True
    assert {found["left"], found["right"]} <= {"tea", "coffee", "milk"}


def test_who_asks_for_votes_only_is_shown_two_arms(run, refused, tmp_path):
    path = tmp_path / "drinks.json"
    run("new", path, "--arms", "tea,coffee", "--learner", "Uniform")
    for _ in range(8):
        found = run("ask", path, "--votes-only", "--json").json
        assert found["left"] != found["right"]
        assert found["propensity"] == pytest.approx(1 / 2)
    assert 8 < load_learner(path).session.asked == load_learner(path).rounds + 8
    run("new", path, *PAPERS[:3], "FixedPair", "--param", "right=0", "--force")
    assert refused("ask", path, "--votes-only").startswith("10,000 duels in a row were of one arm")


def test_of_one_arm_twice_nothing_but_a_tie_can_be_told(run, refused, tmp_path):
    path = tmp_path / "drinks.json"
    run("new", path, *PAPERS[:3], "FixedPair", "--param", "right=0")
    assert refused("tell", path, ask(run, path)[0], "left") == (
        "duel 0 shows arm 0 twice, nobody can prefer one: outcome is 1.0, must be 0.5 or 'tie'"
    )
    run("tell", path, 0, "tie")


def pair(run, path):
    """Ask until the arms differ."""
    while True:
        number, left, right = ask(run, path)
        if left != right:
            return number, left, right


@pytest.mark.parametrize(
    ("word", "value"),
    [("left", 1.0), ("RIGHT", 0.0), ("tie", 0.5), ("1", 1.0), ("0", 0.0), ("0.5", 0.5)],
)
def test_outcomes_are_words_or_numbers(run, drinks, word, value):
    number, left, right = pair(run, drinks)
    found = run("tell", drinks, number, word, "--json").json
    assert (found["left"], found["right"], found["outcome"]) == (left, right, value)
    assert (found["duel"], found["rounds"]) == (number, 1)
    assert found["already_counted"] is False


def test_the_outcome_may_be_the_name_of_the_preferred_arm(run, drinks):
    for side in (0, 1):
        number, *names = pair(run, drinks)
        assert run("tell", drinks, number, names[side], "--json").json["outcome"] == 1.0 - side


def test_telling_is_repeated_in_words(run, drinks):
    number, left, right = pair(run, drinks)
    assert run("tell", drinks, number, "right").out == f"duel {number}: {left} lost to {right}\n"


def test_an_arm_against_itself_that_wins_is_a_tie():
    assert read_outcome("tea", ["tea", "tea"]) == 0.5


def test_a_name_that_is_also_an_outcome_is_told_apart_or_refused():
    assert read_outcome("left", ["left", "right"]) == 1.0
    with pytest.raises(ValueError, match="which is also the name of an arm"):
        read_outcome("left", ["right", "left"])
    with pytest.raises(ValueError, match="which is also the name of an arm"):
        read_outcome("1", ["0", "1"])
    assert read_outcome("right", ["0", "1"]) == 0.0


def test_status_tells_who_is_best_and_who_was_dropped(run, tmp_path):
    path = tmp_path / "drinks.json"
    learner = dd.MetaBosse(3, 20_000, seed=1, labels=("tea", "coffee", "milk"))
    while len(learner.active) == 3:
        duel = learner.ask()
        sides = (duel.left, duel.right)
        tie = duel.left == duel.right or 0 not in sides
        learner.tell(duel, 0.5 if tie else float(duel.left == 0))
    waiting = learner.ask()
    learner.save(path)
    done = run("status", path)
    dropped = learner.report().evictions[0]
    assert f"After {learner.rounds:,} rounds the learner would pick tea." in done.out
    assert f"rounds {learner.rounds:,} of 20,000" in done.words
    assert f"open duels {waiting.code} (" in done.words
    arm, winner = learner.labels[dropped.arm], learner.labels[dropped.beaten_by]
    assert f"{arm} is set aside for now: at round {dropped.round:,} it was " in done.out
    assert f" behind {winner}, " in done.out
    assert done.out.endswith(f"{learner.report()}\n")
    facts = run("status", path, "--json").json
    assert facts["evictions"][0]["arm"] == arm
    assert facts["report"]["evictions"][0]["statistic"] == dropped.statistic
    assert set(facts) == {
        "learner",
        "criterion",
        "arms",
        "horizon",
        "rounds",
        "best",
        "active",
        "episodes",
        "open",
        "evictions",
        "activations",
        "replays",
        "report",
    }
    assert facts["report"]["evictions"][0]["arm"] in learner.labels


DOCUMENTED = Path(__file__).parents[2] / "docs" / "command.md"


def documented(rows):
    """The keys in the rows of a table."""
    return set(re.findall("`([a-z_]+)`", "\n".join(rows)))


def all_keys(value):
    if isinstance(value, dict):
        return set(value).union(*map(all_keys, value.values()))
    return set().union(*map(all_keys, value)) if isinstance(value, list) else set()


def numbered(value, arms=("arm", "beaten_by", "weight", "before", "after", "best")):
    """The arms that go by their number, with their keys."""
    found = []
    if isinstance(value, dict):
        found += [(key, value[key]) for key in arms if isinstance(value.get(key), int)]
        value = list(value.values())
    if isinstance(value, list):
        found += [pair for part in value for pair in numbered(part)]
    return found


@pytest.fixture
def much_happened(tmp_path):
    """The file of a learner of which everything can be told that can be."""
    path = tmp_path / "much.json"
    learner = dd.DriftDuel(4, seed=1, labels=list("abcd"), calibration={"replay_rate": 1.0})
    drive(learner, switching_world(4, 1500)).learner.save(path)
    return path


def test_the_keys_of_status_are_those_documented_and_arms_go_by_their_names(run, much_happened):
    facts = run("status", much_happened, "--json").json
    for key in ("open", "evictions", "activations", "replays"):
        assert facts[key], key
    for key in ("evictions", "activations", "changes", "scores"):
        assert facts["report"][key], key
    text = DOCUMENTED.read_text(encoding="utf-8").partition("### What `status --json` tells")[2]
    assert documented(line for line in text.splitlines() if line.startswith("|")) == all_keys(facts)
    assert numbered(facts) == []
    assert set(facts["report"]["active"]) <= set("abcd")


def test_the_keys_of_new_ask_tell_and_cancel_are_those_documented(run, tmp_path):
    path = tmp_path / "drinks.json"
    found = {"new": run("new", path, "--arms", "tea,milk", "--json").json}
    found["ask"] = run("ask", path, "--json").json
    found["tell"] = run("tell", path, 0, "left", "--json").json
    found["cancel"] = run("cancel", path, "--older-than", 0, "--json").json
    lines = DOCUMENTED.read_text(encoding="utf-8").splitlines()
    for command, facts in found.items():
        (row,) = [line for line in lines if line.startswith(f"| `{command}` | `")]
        assert documented([row.partition("|")[2].partition("|")[2]]) == set(facts)
    assert found["new"]["arms"] == ["tea", "milk"]
    assert {found["ask"]["left"], found["tell"]["best"]} <= {"tea", "milk"}


@pytest.mark.parametrize(
    "command",
    [
        ("new", "--arms", "a,b", "--force"),
        ("new", "--arms", "a,b"),
        ("ask",),
        ("tell", "0", "left"),
        ("cancel", "0"),
        ("status",),
    ],
    ids=lambda words: words[0],
)
def test_a_folder_is_refused_in_a_sentence_and_leaves_no_lock(refused, tmp_path, command):
    folder = tmp_path / "drinks"
    folder.mkdir()
    name, *others = command
    assert refused(name, folder, *others).startswith(f"{folder}: is a folder, must be ")
    assert list(tmp_path.iterdir()) == [folder]


def test_a_learner_without_labels_goes_by_numbers(run, refused, tmp_path):
    path = tmp_path / "plain.json"
    dd.Uniform(2, seed=1).save(path)
    number, left, right = ask(run, path)
    assert {left, right} <= {"0", "1"}
    run("tell", path, number, "tie")
    assert run("status", path, "--json").json["arms"] == ["0", "1"]


def test_status_leaves_the_file_and_its_folder_alone(run, tmp_path):
    path = tmp_path / "plain.json"
    dd.Uniform(2).save(path)
    before = path.stat()
    run("status", path)
    assert [file.name for file in tmp_path.iterdir()] == ["plain.json"]
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("command", [("ask",), ("tell", "0", "left"), ("status",)])
def test_a_missing_file_is_refused_and_not_made(refused, tmp_path, command):
    path = tmp_path / "nowhere.json"
    sentence = refused(command[0], path, *command[1:])
    assert sentence.startswith(f"{path}: there is no such file; driftduel new ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("ask",), ("tell", "0", "left"), ("status",)])
def test_a_damaged_file_is_refused_and_left_as_it_was(refused, drinks, command):
    damaged = drinks.read_text().replace('"asked": 0', '"asked": 1')
    drinks.write_text(damaged)
    sentence = refused(command[0], drinks, *command[1:])
    assert sentence == "drinks.json: is damaged, its checksum does not match"
    drinks.write_text(damaged[:500])
    assert "drinks.json: is not a learner, or cut short" in refused(
        command[0], drinks, *command[1:]
    )
    assert drinks.read_text() == damaged[:500]


def test_a_file_of_another_kind_is_refused(refused, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"tea": 1}))
    assert refused("ask", path) == "other.json: is not a learner"


def test_telling_the_same_again_is_success_and_counts_once(run, drinks):
    code, left, right = pair(run, drinks)
    run("tell", drinks, code, left)
    before = drinks.read_bytes()
    for again in (left, "left", "1"):
        said = run("tell", drinks, code, again).out
        assert said == f"duel {code}: {left} was preferred to {right}, already counted\n"
    found = run("tell", drinks, number_of(code), "left", "--json").json
    assert (found["duel"], found["already_counted"], found["rounds"]) == (code, True, 1)
    assert drinks.read_bytes() == before


def test_telling_another_outcome_is_a_conflict(run, conflict, drinks):
    code, _, right = pair(run, drinks)
    run("tell", drinks, code, "left")
    before = drinks.read_bytes()
    for other in (right, "tie", "0"):
        sentence = conflict("tell", drinks, code, other)
        assert sentence == f"duel {number_of(code)} was told already: left"
    assert drinks.read_bytes() == before


def test_a_duel_never_asked_is_refused(refused, drinks):
    assert refused("tell", drinks, 0, "left") == "duel 0 was never asked"
    assert refused("tell", drinks, "first", "left") == (
        "duel is 'first', must be a duel, its number or its code, as in '17-5f3a'"
    )


def test_a_bare_number_will_do_at_a_prompt(run, drinks):
    code, left, right = pair(run, drinks)
    done = run("tell", drinks, number_of(code), "tie")
    assert done.out == f"duel {code}: {left} tied with {right}\n"


def test_a_duel_of_a_copy_that_asked_another_pair_under_the_number_is_refused(run, refused, drinks):
    twin = drinks.with_name("twin.json")
    shutil.copy(drinks, twin)
    with dd.learner_file(twin) as learner:
        learner.session.rng.random()  # so that it asks other pairs from now on
    mine, theirs = ask(run, drinks), ask(run, twin)
    while mine[1:] == theirs[1:]:
        mine, theirs = ask(run, drinks), ask(run, twin)
    assert number_of(mine[0]) == number_of(theirs[0])
    sentence = f"duel {theirs[0]} was asked by another learner, or by a copy of this one"
    before = drinks.read_bytes()
    assert refused("tell", drinks, theirs[0], "left") == sentence
    assert refused("cancel", drinks, theirs[0]) == sentence
    assert drinks.read_bytes() == before
    run("tell", drinks, mine[0], "left")
    assert refused("tell", drinks, theirs[0], "left") == sentence


def test_a_duel_cancelled_is_not_open_and_cannot_be_told(run, conflict, refused, drinks):
    codes = [ask(run, drinks)[0] for _ in range(4)]
    assert run("cancel", drinks, codes[0]).out == f"duel {codes[0]}: cancelled\n"
    found = run("cancel", drinks, codes[0], number_of(codes[1]), "--json").json
    assert found == {"cancelled": codes[:2], "open": 2}
    assert conflict("tell", drinks, codes[0], "left") == "duel 0 was cancelled"
    run("tell", drinks, codes[2], "left")
    before = drinks.read_bytes()
    assert conflict("cancel", drinks, codes[3], codes[2]) == "duel 2 was told already: left"
    assert refused("cancel", drinks, 9) == "duel 9 was never asked"
    assert refused("cancel", drinks) == "name the duels to cancel, or say --older-than SECONDS"
    assert drinks.read_bytes() == before
    assert [duel["duel"] for duel in run("status", drinks, "--json").json["open"]] == [codes[3]]


def test_so_many_duels_may_be_open_as_new_was_told(run, refused, tmp_path):
    path = tmp_path / "few.json"
    run("new", path, "--arms", "a,b", "--max-open", "2")
    codes = [ask(run, path)[0] for _ in range(2)]
    sentence = refused("ask", path)
    assert sentence.startswith("2 duels are open, no more are allowed: tell or cancel some")
    run("cancel", path, codes[0])
    ask(run, path)
    assert "--max-open" in refused("new", tmp_path / "x.json", *PAPERS, "--max-open", 0)


def test_duels_expire_as_new_was_told_and_old_ones_can_be_cancelled(
    run, conflict, refused, tmp_path, monkeypatch
):
    path = tmp_path / "short.json"
    run("new", path, "--arms", "a,b", "--expire", "60")
    code, _, _ = ask(run, path)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 30)
    later, _, _ = ask(run, path)
    assert [duel["duel"] for duel in run("status", path, "--json").json["open"]] == [code, later]
    found = run("cancel", path, "--older-than", "20", "--json").json
    assert found == {"cancelled": [code], "open": 1}
    monkeypatch.setattr(time, "time", lambda: now + 91)
    assert conflict("tell", path, later, "left") == "duel 1 has expired, it was open for too long"
    assert run("status", path, "--json").json["open"] == []
    assert refused("new", tmp_path / "x.json", *PAPERS, "--expire", 0) == (
        "expire is 0.0, must be a positive number"
    )


@pytest.mark.parametrize("outcome", ["cocoa", "2", "-0.5", "nan", "inf", "", "yes"])
def test_a_bad_outcome_is_refused_and_the_duel_stays_open(run, refused, drinks, outcome):
    number, left, right = pair(run, drinks)
    before = drinks.read_bytes()
    assert refused("tell", drinks, number, "--", outcome) == (
        f"outcome is {outcome!r}, must be left, right, tie, 1, 0, 0.5, {left!r} or {right!r}"
    )
    assert drinks.read_bytes() == before


def test_an_arm_that_was_not_shown_is_no_outcome(run, refused, drinks):
    number, left, right = pair(run, drinks)
    (third,) = {"tea", "coffee", "milk"} - {left, right}
    assert refused("tell", drinks, number, third).startswith(f"outcome is {third!r}, must be")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--arms", "tea"), "n_arms is 1, must be at least 2"),
        (("--arms", "tea,tea"), "labels: each arm needs a different one"),
        (("--arms", "tea,,milk"), "--arms: name 2 is empty"),
        (("--arms", "te\ta,milk"), "--arms: name 1 is 'te\\ta', must be printable"),
        (("--arms", "a,b", "--horizon", "0"), "horizon is 0, must be at least 1"),
        (("--arms", "a,b", "--seed", "-1"), "seed is -1, must be at least 0"),
        (
            ("--arms", "a,b", "--criterion", "copeland"),
            "criterion is 'copeland', DriftPoll serves 'borda' only",
        ),
        ((*PAPERS, "--weight", "1"), "criterion.weight: has 1 entries, there are 2 arms"),
        (
            ("--arms", "a,b", "--weight", "0.5,0.5", "--criterion", "condorcet"),
            "--criterion and --weight both say what best means; give one of them",
        ),
        (("--arms", "a,b", "--expire", "nan"), "expire is nan, must be a positive number"),
        ((*PAPERS, "--param", "steps=3"), "steps is 3, must be a power of 2"),
        (
            (*PAPERS, "--param", "steps=three"),
            "steps is 'three', must be a whole number",
        ),
    ],
)
def test_a_learner_that_makes_no_sense_is_refused(refused, tmp_path, options, sentence):
    assert refused("new", tmp_path / "drinks.json", *options) == sentence
    assert list(tmp_path.iterdir()) == []


def test_parameters_of_tables_have_dotted_keys(run, refused, tmp_path):
    path = tmp_path / "drinks.json"
    wrapper = ("--arms", "a,b", "--learner", "PeriodicRestart", "--param", "inner.name=MetaBosse")
    run("new", path, *wrapper, "--param", "inner.constants.scale=0.5", "--param", "inner.steps=8")
    inner = load_learner(path).inner
    assert (inner.constants, inner.steps) == (dd.learners.Constants(0.5), 8)
    again = ("new", tmp_path / "other.json", *wrapper)
    assert refused(*again, "--param", "inner.constants.scale=0") == (
        "inner.constants.scale is 0.0, must be a positive number"
    )
    assert refused(*again, "--param", "inner=RUCB") == "inner is given as a value and as a table"
    assert refused(*again, "--param", "every.x=3") == "every is a table, must be a whole number"


def test_a_learner_with_one_criterion_needs_no_option(run, tmp_path):
    run("new", tmp_path / "drinks.json", "--arms", "a,b", "--learner", "RUCB")
    assert load_learner(tmp_path / "drinks.json").criterion.name == "condorcet"


def test_an_unknown_learner_or_parameter_is_refused(refused, tmp_path):
    path = tmp_path / "drinks.json"
    sentence = refused("new", path, "--arms", "a,b", "--learner", "Nobody")
    assert sentence.startswith("no learner is called 'Nobody', there are ")
    served = ("--arms", "a,b", "--learner", "DriftDuel")
    sentence = refused("new", path, *served, "--param", "seed=3")
    assert sentence.startswith("seed is no parameter, there are ")
    assert "false_restarts" in sentence
    sentence = refused("new", path, *served, "--param", "false_restart=0.1")
    assert sentence.endswith("; did you mean false_restarts?")
    assert refused("new", path).startswith("Missing option '--arms'")


def test_a_learner_of_ones_own_lives_in_a_file_too(run, refused, tmp_path, monkeypatch, forgotten):
    (tmp_path / "greedy_file.py").write_text(GREEDY)
    monkeypatch.chdir(tmp_path)
    mine = ("--learner", "greedy_file:EpsilonGreedy")
    run("new", "vote.json", "--arms", "tea,milk", *mine, "--param", "epsilon=0.3")
    code = run("ask", "vote.json", *mine, "--json").json["duel"]
    assert run("tell", "vote.json", code, "tie", *mine, "--json").json["rounds"] == 1
    other = run("ask", "vote.json", *mine, "--json").json["duel"]
    assert run("cancel", "vote.json", other, *mine, "--json").json["cancelled"] == [other]
    assert run("status", "vote.json", *mine, "--json").json["learner"] == "EpsilonGreedy"
    # A file must not choose what is imported, so the user says it every time.
    assert refused("ask", "vote.json").endswith("to the command --learner MODULE:EpsilonGreedy")


def test_a_learner_that_has_played_its_horizon_says_so(run, refused, tmp_path):
    path = tmp_path / "short.json"
    run("new", path, *PAPERS, "--horizon", "1", "--param", "intervals=all")
    number, _, _ = ask(run, path)
    run("tell", path, number, "tie")
    assert "horizon" in refused("ask", path)


def test_processes_that_ask_at_once_get_different_duels_and_lose_none(run, tmp_path):
    path = tmp_path / "drinks.json"
    run("new", path, "--arms", "tea,coffee,milk", "--learner", "Uniform")
    voters = [start(VOTER, path, name, 8) for name in ("ann", "bob")]
    codes = [line.split("\t")[0] for out in finished(voters) for line in out.splitlines()]
    assert sorted(map(number_of, codes)) == list(range(16))
    assert len(load_learner(path).open_duels) == 16
    tellers = [start(TELLER, path, *codes[part::2]) for part in range(2)]
    assert all(out.count("\n") == 8 for out in finished(tellers))
    learner = load_learner(path)
    assert (learner.rounds, learner.open_duels) == (16, [])


def test_status_of_the_default_learner_reports_in_words_and_as_data(run, drinks):
    for n in range(40):
        _, left, right = ask(run, drinks)
        order = ("milk", "coffee", "tea")
        run("tell", drinks, n, "left" if order.index(left) <= order.index(right) else "right")
    report = run("status", drinks, "--json").json["report"]
    assert report["rounds"] == 40
    assert report["names"] == ["tea", "coffee", "milk"]
    assert sum(report["probabilities"]) == pytest.approx(1)


@pytest.mark.parametrize("name", ["Uniform", "RUCB", "MetaBosse", "DriftDuel"])
def test_status_is_the_report_of_any_learner(run, tmp_path, name):
    path = tmp_path / "drinks.json"
    learner = dd.all_learners()[name](3, labels=["tea", "coffee", "milk"])
    for _ in range(20):
        learner.tell(learner.ask(), "tie")
    learner.save(path)
    report = learner.report()
    assert run("status", path).out.endswith(f"{report}\n")
    facts = run("status", path, "--json").json
    assert facts["report"].keys() == asdict(report).keys()
    assert facts["report"]["best"] == facts["best"]
    assert (facts["best"], facts["rounds"]) == (learner.labels[learner.best()], 20)
