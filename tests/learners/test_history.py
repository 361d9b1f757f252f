"""Files of learners in every format that ever landed are read; see the folder ``history``."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.contract import storage
from driftduel.learners.contract.upgrades import FORMAT
from driftduel.learners.driftduel.constants import Calibration
from tests.learners.driving import play, tosses

pytestmark = pytest.mark.once  # files are not compiled

HERE = Path(__file__).parent / "history"
EXPECTED = json.loads((HERE / "expected.json").read_text())
REFUSED = "3-e280938-DriftPoll.json"
FILES = sorted(EXPECTED.keys() - {REFUSED})
NEW_RULE = [name for name in FILES if "DriftDuel" in name]
"""Of a learner that since plays otherwise; what it knows is kept."""
METABOSSE = "2-9ce059a-MetaBosse.json"


def saved(name):
    return json.loads((HERE / name).read_text())


def changed(name, path, **parts):
    """Write a file of which a few parts are others, and whose checksum is right."""
    payload = {**saved(name), **parts}
    payload.pop("checksum")
    payload["checksum"] = storage._checksum(payload)
    path.write_text(json.dumps(payload))
    return path


def asked_next(learner, n):
    pairs = []
    for _ in range(n):
        duel = learner.ask()
        pairs.append([duel.left, duel.right])
        learner.tell(duel, 0.5)
    return pairs


def test_every_format_before_this_one_has_files():
    assert {int(name.partition("-")[0]) for name in FILES} == set(range(1, FORMAT))
    assert all(saved(name)["driftduel_learner"] == int(name.partition("-")[0]) for name in FILES)


@pytest.mark.parametrize("name", FILES)
def test_an_old_file_keeps_rounds_and_the_best_arm(name):
    learner = dd.load_learner(HERE / name)
    assert type(learner).__name__ in name
    assert learner.rounds == EXPECTED[name]["rounds"]
    best = EXPECTED[name]["best"]
    assert learner.best() == (best if learner.labels is None else learner.labels[best])


@pytest.mark.parametrize("name", FILES)
def test_open_duels_of_an_old_file_can_be_told(name):
    learner = dd.load_learner(HERE / name)
    found = [[duel.id, duel.left, duel.right] for duel in learner.open_duels]
    assert found == EXPECTED[name]["open"]
    offered = learner.offered
    for number, left, right in found:
        if {left, right} <= set(offered):
            learner.tell(number, 0.5)
        else:
            learner.cancel(number)
    assert not learner.open_duels


@pytest.mark.parametrize("name", FILES)
def test_an_old_file_keeps_every_array(name):
    """All bytes are there; a journal may have got more room, which is empty.

    What polls have since, by which direct duels count for less, is 0: rules 1 know nothing of it.
    """
    before = saved(name)["session"]["state"]
    after = storage.as_payload(dd.load_learner(HERE / name))["session"]["state"]
    if "DriftPoll" in name and name[0] in "34":
        assert b64decode(after.pop("state.discount")["bytes"]) == bytes(8)
    if (
        "Drift" in name and name[0] < "6"
    ):  # tosses by arm made way for votes by pairs, which begin with 0
        del before["state.tally.arms"]
        for part in ("number", "pairs", "tossed", "won"):
            new = b64decode(after.pop(f"state.tally.{part}")["bytes"])
            assert not any(new)
        del before["state.tally.pairs"]
        since = b64decode(after.pop("state.tally.leads")["bytes"])
        assert since[8:] == b64decode(before.pop("state.tally.leads")["bytes"])[8:]
        assert int.from_bytes(since[:8], "little") == EXPECTED[name]["rounds"]
    added = {"state.ties", "state.young_ties"} if name in NEW_RULE else set()
    assert before.keys() | added == after.keys()
    for part, array in before.items():
        if array == after[part]:
            continue
        if added and part in ("state.rule", "state.plan", "state.arms"):
            compare_records(array, after[part], part)
            continue
        assert part.endswith("journal.notes")
        assert after[part]["bytes"].rstrip("=A").startswith(array["bytes"].rstrip("=A"))
        assert after[part]["shape"] == [array["shape"][0] + 64]


def compare_records(before, after, part):
    """All old fields are there; constants may be others, and new fields say that nothing is odd."""
    old, new = (
        np.frombuffer(b64decode(one["bytes"]), [(name, kind) for name, kind in one["dtype"]])
        for one in (before, after)
    )
    assert set(old.dtype.names) <= set(new.dtype.names)
    changed = {"watch", "pair_urge", "hazard", "alarm", "more_alarm"}
    for name in set(old.dtype.names) - (changed if part == "state.rule" else set()):
        assert (old[name] == new[name]).all()
    for name in set(new.dtype.names) - set(old.dtype.names):
        if part != "state.rule" and name not in ("behind", "ahead"):
            assert set(new[name]) <= ({0, -1} if name in ("contested", "blocker") else {0})


@pytest.mark.parametrize("name", NEW_RULE)
def test_an_old_driftduel_has_the_rule_and_the_counts_of_a_new_one(name):
    learner = dd.load_learner(HERE / name)
    state = learner._session.state
    if "arms" not in name:
        assert (state.rule == learner._allocate().rule).all()
    assert (state.arms["behind"] == (state.wins < state.wins.T).sum(axis=1)).all()
    assert (state.arms["ahead"] == (state.wins > state.wins.T).sum(axis=1)).all()
    outcome = tosses(np.array([[0.5, 0.1], [0.9, 0.5]])[np.ix_([0, 0, 0, 1], [0, 0, 0, 1])])
    if "arms" not in name:
        play(learner, 600, outcome)
        assert learner.best_index == 3


def test_constants_that_an_old_file_gives_stay(tmp_path):
    name = "5-aa909b8-DriftDuel.json"
    learner = saved(name)["learner"]
    numbers = {"watch": 0.3, "alarm": 7.0, "keep": 0.15}
    calibration = {"class": "Calibration", "parameters": numbers}
    learner["parameters"]["calibration"] = calibration
    path = changed(name, tmp_path / "own.json", learner=learner)
    rule = dd.load_learner(path)._session.state.rule[0]
    assert (rule["watch"], rule["alarm"], rule["floor"]) == (0.3, 7.0, Calibration().floor)


CONTINUING = [name for name in FILES if name[0] in "3456" and name not in NEW_RULE]


@pytest.mark.parametrize("name", CONTINUING)
def test_a_file_of_format_3_or_later_continues_bit_for_bit(name):
    assert asked_next(dd.load_learner(HERE / name), 6) == EXPECTED[name]["next"]


@pytest.mark.parametrize("name", [name for name in FILES if name[0] in "12"])
def test_a_file_of_format_2_or_1_asks_the_same_next_duel(name):
    """What follows may differ: settling has had a generator of its own since."""
    assert asked_next(dd.load_learner(HERE / name), 1) == EXPECTED[name]["next"][:1]
    generator = saved(name)["session"]["generator"]
    assert storage.as_payload(dd.load_learner(HERE / name))["session"]["generator"] == generator


def test_settling_goes_on_as_a_new_learner_begins():
    settle = storage.as_payload(dd.load_learner(HERE / METABOSSE))["session"]["settle_generator"]
    fresh = storage.as_payload(dd.MetaBosse(4, seed=7))["session"]["settle_generator"]
    assert settle == fresh


@pytest.mark.parametrize("name", FILES)
def test_an_old_file_is_written_in_the_present_format(name, tmp_path):
    learner = dd.load_learner(HERE / name)
    learner.save(tmp_path / "learner.json")
    assert json.loads((tmp_path / "learner.json").read_text())["driftduel_learner"] == FORMAT
    again = dd.load_learner(tmp_path / "learner.json")
    assert asked_next(again, 40) == asked_next(learner, 40)


@pytest.mark.parametrize("name", [name for name in FILES if "DriftPoll" in name])
def test_a_poll_of_an_old_file_goes_on_by_its_rules(name, tmp_path):
    learner = dd.load_learner(HERE / name)
    assert learner.rules == (1 if name[0] in "34" else 2)
    learner.save(tmp_path / "learner.json")
    assert dd.load_learner(tmp_path / "learner.json").rules == learner.rules


def test_a_state_that_no_code_knows_any_more_is_refused():
    with pytest.raises(ValueError, match="arrays are not those of this version of the learner"):
        dd.load_learner(HERE / REFUSED)


def test_a_learner_that_was_replaced_is_named(tmp_path):
    learner = {**saved(METABOSSE)["learner"], "class": "CalibratedMetaBosse"}
    path = changed(METABOSSE, tmp_path / "old.json", learner=learner)
    with pytest.raises(ValueError, match="CalibratedMetaBosse, which DriftDuel replaced"):
        dd.load_learner(path)


def test_a_newer_format_is_refused(tmp_path):
    path = changed(METABOSSE, tmp_path / "new.json", driftduel_learner=FORMAT + 1)
    with pytest.raises(ValueError, match="was written by a newer driftduel, please update"):
        dd.load_learner(path)


@pytest.mark.parametrize("part", ["open", "state", "generator", "asked"])
@pytest.mark.parametrize("value", [None, [7], {"x": 0}, "x", -1])
def test_an_old_file_that_was_tampered_with_is_refused(tmp_path, part, value):
    session = {**saved(METABOSSE)["session"], part: value}
    path = changed(METABOSSE, tmp_path / "bad.json", session=session)
    with pytest.raises(ValueError, match=r"^bad\.json: "):
        dd.load_learner(path)


def test_a_damaged_old_file_is_refused(tmp_path):
    payload = saved(METABOSSE)
    payload["session"]["told"] -= 1
    (tmp_path / "bad.json").write_text(json.dumps(payload))
    with pytest.raises(ValueError, match="its checksum does not match"):
        dd.load_learner(tmp_path / "bad.json")
