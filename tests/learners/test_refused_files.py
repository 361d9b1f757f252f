"""Learner files that are damaged, forged or from elsewhere are refused in a sentence."""

from __future__ import annotations

import base64
import copy
import hashlib
import json

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.contract.storage import as_payload
from driftduel.learners.contract.upgrades import FORMAT
from tests.learners.test_storage import OUTSIDE, Outside, play, saved


@pytest.fixture
def whole(tmp_path):
    learner = dd.MetaBosse(3, 100, labels=["tea", "coffee", "milk"])
    play(learner, 40, lost=2)
    learner.save(tmp_path / "learner.json")
    return tmp_path / "learner.json"


def refusal(file):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.load_learner(file)
    return str(error.value)


def seal(content):
    """Give changed content the checksum that a file of it would have."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return json.dumps({**content, "checksum": hashlib.sha256(text.encode()).hexdigest()})


def test_a_file_that_does_not_exist_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        dd.load_learner(tmp_path / "learner.json")


@pytest.mark.parametrize(
    "text",
    [b"", b"tea or coffee", b"{", b"\xff\xfe\x00", b"[" * 100_000, b'{"driftduel_learner": 1,'],
    ids=["empty", "prose", "brace", "binary", "deep", "cut"],
)
def test_a_file_that_is_no_json_is_refused(tmp_path, text):
    (tmp_path / "learner.json").write_bytes(text)
    message = "learner.json: is not a learner, or cut short: it is not JSON"
    assert refusal(tmp_path / "learner.json") == message


@pytest.mark.parametrize("text", ["{}", "[]", "3", "null", '"driftduel_learner"', '{"a": 1}'])
def test_json_that_is_no_learner_is_refused(tmp_path, text):
    (tmp_path / "learner.json").write_text(text)
    assert refusal(tmp_path / "learner.json") == "learner.json: is not a learner"


def test_a_file_cut_short_anywhere_is_refused(whole):
    text = whole.read_bytes()
    for end in range(0, len(text) - 2, len(text) // 97):
        whole.write_bytes(text[:end])
        assert refusal(whole) == "learner.json: is not a learner, or cut short: it is not JSON"


def test_a_file_with_any_byte_changed_is_refused(whole):
    text = bytearray(whole.read_bytes())
    rng = np.random.default_rng(0)
    for place in rng.choice(len(text) - 3, 300, replace=False):
        changed = bytearray(text)
        changed[place] = ord("7") if changed[place] != ord("7") else ord("8")
        whole.write_bytes(changed)
        message = refusal(whole)
        assert message.startswith("learner.json: ")
        assert message.count("\n") == 0


@pytest.mark.parametrize("version", [FORMAT + 1, 10**9])
def test_a_newer_format_is_refused(whole, version):
    content = json.loads(whole.read_text())
    whole.write_text(json.dumps({**content, "driftduel_learner": version}))
    assert refusal(whole) == "learner.json: was written by a newer driftduel, please update"


@pytest.mark.parametrize("version", [0, -1, "1", None, True, 1.5])
def test_a_format_that_never_was_is_refused(whole, version):
    content = json.loads(whole.read_text())
    whole.write_text(json.dumps({**content, "driftduel_learner": version}))
    assert refusal(whole).startswith("learner.json: the format is ")


def test_a_missing_checksum_is_noticed(whole):
    content = json.loads(whole.read_text())
    del content["checksum"]
    whole.write_text(json.dumps(content))
    assert refusal(whole) == "learner.json: is damaged, its checksum does not match"


def change(*path, to):
    def changed(content):
        *above, last = path
        place = content
        for step in above:
            place = place[step]
        place[last] = to
        return content

    return changed


def drop(*path):
    def changed(content):
        *above, last = path
        place = content
        for step in above:
            place = place[step]
        del place[last]
        return content

    return changed


def open_twice(content):
    first, second = content["session"]["open"]
    second[0] = first[0]
    return content


ONE_FLOAT = {"dtype": "<f8", "shape": [1], "bytes": "AAAAAAAA8D8="}


def bytes_of(value, count):
    data = base64.b64encode(bytes([value] * count)).decode()
    return {"dtype": "|i1", "shape": [count], "bytes": data}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (change("learner", "class", to="Nobody"), "needs the class Nobody, which is not in "),
        (change("learner", "class", to="Borda"), "does not fit this version of Borda: "),
        (
            change("learner", to={"class": "Borda", "parameters": {}}),
            "holds a Borda, which is no learner",
        ),
        (change("learner", to=3), "holds a int, which is no learner"),
        (change("learner", "parameters", "n_arms", to=1), "n_arms is 1, must be at least 2"),
        (change("learner", "parameters", "n_arms", to="3"), "n_arms is '3', must be a whole"),
        (
            change("learner", "parameters", "colour", to="red"),
            "does not fit this version of MetaBosse: ",
        ),
        (
            change("learner", "parameters", "n_arms", to=4),
            "labels: 3 given, there are 4 arms",
        ),
        (
            change("learner", "parameters", "labels", to={"heap": []}),
            "holds a parameter of an unknown kind, 'heap'",
        ),
        (change("learner", "parameters", "labels", to={}), "holds a parameter of 0 kinds, "),
        (drop("learner", "parameters", "n_arms"), "does not fit this version of MetaBosse: "),
        (drop("learner", "parameters"), "is damaged (KeyError('parameters'))"),
        (drop("session", "state", "state.sums"), "its arrays are not those of this version"),
        (drop("session", "generator"), "is damaged (KeyError('generator'))"),
        (drop("session", "settle_generator"), "is damaged (KeyError('settle_generator'))"),
        (drop("session"), "is damaged (KeyError('session'))"),
        (
            change("session", "state", "state.more", to=ONE_FLOAT),
            "its arrays are not those of this version",
        ),
        (
            change("session", "state", "state.sums", to=ONE_FLOAT),
            "state.sums has shape [1] and type <f8, must have [1, 3] and <f8",
        ),
        (
            change("session", "state", "state.sums", "dtype", to="<i8"),
            "state.sums has shape [1, 3] and type <i8, must have [1, 3] and <f8",
        ),
        (change("session", "state", "state.sums", "dtype", to="|O"), "state.sums has shape "),
        (change("session", "state", "state.sums", "shape", to=[3, 2]), "state.sums has shape "),
        (change("session", "state", "state.sums", "bytes", to="AAA"), "state.sums has shape (1, "),
        (change("session", "state", "state.sums", "bytes", to=7), "is damaged (TypeError("),
        (change("session", "generator", "bit_generator", to="MT19937"), "its generator must be a "),
        (change("session", "generator", to={}), "its generator must be a PCG64"),
        (
            change("session", "generator", "state", "inc", to=4),
            "the increment of the generator must be odd",
        ),
        (
            change("session", "generator", "uinteger", to=2**32),
            "uinteger is 4294967296, must be at most 4294967295",
        ),
        (
            change("session", "settle_generator", "state", "inc", to=0),
            "the increment of the generator must be odd",
        ),
        (change("session", "asked", to=-1), "asked is -1, must be at least 0"),
        (change("session", "asked", to="42"), "asked is '42', must be a whole number"),
        (change("session", "told", to=43), "told is 43, must be at most 42"),
        (change("session", "folded", to=-1), "folded is -1, must be at least 0"),
        (change("session", "folded", to=41), "told is 40, must be at least 41"),
        (change("session", "told", to=41), "number of open duels is 2, must be at most 1"),
        (change("session", "open", 0, 0, to=42), "duel is 42, must be at most 41"),
        (open_twice, "duel 40 is open twice"),
        (change("session", "open", 0, 1, to=3), "arm is 3, must be at most 2"),
        (change("session", "open", 0, 2, to=-1), "arm is -1, must be at least 0"),
        (change("session", "open", 0, to=[1, 2]), "an open duel has 2 values, must have 5"),
        (
            change("session", "open", 0, 4, to="noon"),
            "time of asking is 'noon', must be a positive",
        ),
        (change("session", "max_open", to=0), "max_open is 0, must be at least 1"),
        (change("session", "expire", to=-1), "expire is -1, must be a positive number"),
        (change("session", "closed", to=None), "is damaged (TypeError("),
        (change("session", "closed", "first", to=-1), "duel is -1, must be at least 0"),
        (change("session", "closed", "first", to=9), "closed duels: step is wrong"),
        (change("session", "closed", "end", to=ONE_FLOAT), "closed duels: must be whole numbers"),
        (change("session", "closed", "end", to=bytes_of(1, 39)), "closed duels: end is wrong"),
        (change("session", "closed", "left", to=bytes_of(3, 40)), "closed duels: left is wrong"),
        (
            change("session", "closed", "step", to=bytes_of(0, 40)),
            "a duel is closed twice, or open and",
        ),
        (
            change("session", "closed", "end", to=bytes_of(3, 40)),
            "number of open duels is 2, must be at",
        ),
        (change("session", "open", 0, 3, to=["tea"]), "could not convert string to float"),
        (change("session", "open", to=None), "is damaged (TypeError("),
        (change("session", "episodes", to=[0, "x"]), "episode is 'x', must be a whole number"),
        (change("session", "episodes", to=[0, 10**9]), "episode is 1000000000, must be at most"),
        (change("session", "replays", to=[[1]]), "replay: has 1 values, must have 2"),
        (change("session", "evictions", to=[[1, 2]]), "eviction: has 2 values, must have 9"),
        (
            change("session", "evictions", to=[[1, 3, 0, 0, 1, None, 2.0, 1.0, 0]]),
            "arm is 3, must be at most 2",
        ),
        (
            change("session", "evictions", to=[[1, 2, 0, 0, 1, None, "much", 1.0, 0]]),
            "statistic is 'much', must be a number",
        ),
    ],
)
def test_a_file_with_wrong_contents_is_refused_even_if_its_checksum_is_right(
    whole, changed, message
):
    whole.write_text(seal(changed(json.loads(whole.read_text()))))
    said = refusal(whole)
    assert said.startswith(f"learner.json: {message}")
    assert "\n" not in said


def test_a_fixed_array_that_does_not_fit_the_parameters_is_refused(tmp_path):
    Outside(2).save(tmp_path / "learner.json")
    content = json.loads((tmp_path / "learner.json").read_text())
    fixed = content["session"]["state"]["state.counts.1"]
    fixed["bytes"] = base64.b64encode(np.array([0, 1, 3], "<i8").tobytes()).decode()
    (tmp_path / "learner.json").write_text(seal(content))
    with pytest.raises(
        ValueError, match=r"^learner\.json: state\.counts\.1 is not what the parameters of the"
    ):
        dd.load_learner(tmp_path / "learner.json", learners=OUTSIDE)


def test_an_older_file_without_a_newer_parameter_gets_the_default(whole):
    content = json.loads(whole.read_text())
    older = copy.deepcopy(content)
    del older["learner"]["parameters"]["replay_rate"]
    whole.write_text(seal(older))
    assert dd.load_learner(whole).replay_rate == 1.0


# Numbers that no learner can have got to


def test_a_state_out_of_its_ranges_is_refused(tmp_path):
    learner = dd.learners.RUCB(5)
    play(learner, 30)
    learner._session.state.hopes["favourite"] = 17
    learner.save(tmp_path / "learner.json")
    assert refusal(tmp_path / "learner.json") == (
        "learner.json: state.hopes.favourite is 17, must be an arm from 0 to 4, or -1 for none"
    )


def test_a_ticket_out_of_its_ranges_is_refused(tmp_path):
    learner = dd.learners.MDB(3, 1000)
    learner.ask()
    left, right, ticket = learner._session.open[0]
    learner._session.open[0] = (left, right, (*ticket[:2], 3.0))
    learner.save(tmp_path / "learner.json")
    assert refusal(tmp_path / "learner.json") == (
        "learner.json: ticket[2] is 3.0, must be a whole number from -1 to 2"
    )


def test_a_truth_that_is_neither_0_nor_1_is_refused(tmp_path):
    learner = dd.learners.RUCB(5)
    learner._session.state.verdicts.beaten.view(np.uint8)[1, 2] = 255
    learner.save(tmp_path / "learner.json")
    assert refusal(tmp_path / "learner.json") == (
        "learner.json: state.verdicts.beaten holds a truth that is neither 0 nor 1"
    )


def test_a_file_cannot_ask_for_more_arms_than_it_has_entries_for(tmp_path):
    dd.learners.RUCB(5).save(tmp_path / "learner.json")
    content = json.loads((tmp_path / "learner.json").read_text())
    content["learner"]["parameters"]["n_arms"] = 200_000
    (tmp_path / "learner.json").write_text(seal(content))
    assert refusal(tmp_path / "learner.json") == (
        "learner.json: n_arms is 200000, but no array has an entry for each arm"
    )


def test_learners_of_many_arms_are_read(tmp_path):
    many = [dd.learners.FixedPair(5000), dd.learners.Oracle(5000), dd.learners.SelfSparring(5000)]
    restarting = dd.learners.PeriodicRestart.of(dd.learners.FixedPair(5000))
    for learner in (*many, restarting):
        assert as_payload(saved(learner, tmp_path)) == as_payload(learner)


@pytest.mark.parametrize("depth", [300, 600, 900, 3000, 100_000])
def test_a_file_that_is_nested_deeply_is_refused_with_a_sentence(tmp_path, depth):
    dd.learners.RUCB(5).save(tmp_path / "learner.json")
    text = (tmp_path / "learner.json").read_text()
    nested = '{"list": [' * depth + "3" + "]}" * depth
    (tmp_path / "learner.json").write_text(text.replace('"labels": null', f'"labels": {nested}'))
    reasons = ("is nested too deeply", "is damaged, its checksum", "is not a learner, or cut short")
    assert refusal(tmp_path / "learner.json").startswith(
        tuple(f"learner.json: {r}" for r in reasons)
    )
