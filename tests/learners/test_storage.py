from __future__ import annotations

import base64
import json
import math
import os
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import Constants, Learner, inline_kernel
from driftduel.learners.contract.history import Eviction, Replay
from driftduel.learners.contract.storage import as_payload, classes_of
from driftduel.learners.contract.upgrades import FORMAT
from driftduel.learners.contract.values import arrays_of
from driftduel.testing.driving import snapshot

pytestmark = pytest.mark.once  # files are not compiled

SEQUENCE = dd.WeightSequence([[0.2, 0.3, 0.5], [1, 0, 0]], starts=[0, 40])


def play(learner, n_rounds, lost=0):
    """Play rounds in which arm 2 wins, and leave some duels open."""
    for _ in range(n_rounds):
        duel = learner.ask()
        learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    return [learner.ask() for _ in range(lost)]


def saved(learner, folder, **options):
    learner.save(folder / "learner.json")
    return dd.load_learner(folder / "learner.json", **options)


# What a file keeps


@pytest.mark.parametrize(
    "learner",
    [
        dd.learners.Uniform(2),
        dd.learners.FixedPair(4, 10, left=3, right=np.int64(2), labels=["a", "b", "c", "ü\"'"]),
        dd.Bosse(3, 100, criterion="condorcet", seed=2**70),
        dd.MetaBosse(3, 100, criterion=dd.Weighted(SEQUENCE), replay_rate=0.1),
        dd.MetaBosse(3, 150, criterion=dd.Weighted([0.1, 0.2, 0.7]), intervals="all"),
        dd.MetaBosse(3, None, constants=Constants(scale=1 / 3, cap=0.25), steps=8),
        dd.MetaBosse(3, 100, constants="theory", smallest_block=64, estimator="raw"),
    ],
    ids=lambda learner: f"{type(learner).__name__} {learner.criterion.name}",
)
def test_a_learner_read_is_the_learner_saved(tmp_path, learner):
    learner = learner.clone()
    play(learner, 70, lost=3)
    again = saved(learner, tmp_path)
    assert type(again) is type(learner)
    assert again.config() == learner.config()
    assert as_payload(again) == as_payload(learner)
    assert play(again, 70, lost=1)[0].id == play(learner, 70, lost=1)[0].id
    assert snapshot(again) == snapshot(learner)


def test_what_happened_is_kept(tmp_path):
    learner = dd.MetaBosse(3, 3000, seed=1, constants=Constants(scale=0.02))
    play(learner, 1000)
    again = saved(learner, tmp_path)
    assert len(learner.evictions) > 0
    assert len(learner.replays) > 0
    assert again.evictions == learner.evictions
    assert again.replays == learner.replays
    assert again.episodes == learner.episodes
    assert {type(item) for item in again.evictions} == {Eviction}
    assert {type(item) for item in again.replays} == {Replay}


def test_duels_asked_before_the_save_can_be_told_after(tmp_path):
    learner = dd.MetaBosse(3, 100, seed=1)
    duels = play(learner, 10, lost=5)
    again = saved(learner, tmp_path)
    assert again.open_duels == duels
    for duel in reversed(duels):
        again.tell(duel, 1.0)
    assert (again.rounds, again.open_duels) == (15, [])
    with pytest.raises(ValueError, match=r"^duel 12 was told already: left$"):
        again.tell(duels[2], 1.0)


def test_a_duel_of_the_original_after_the_save_is_not_taken_for_one_of_the_copy(tmp_path):
    learner = dd.learners.Uniform(9, seed=1)
    again = saved(learner, tmp_path)
    ours, theirs = learner.ask(), again.ask()
    assert ours == theirs
    ours, theirs = learner.ask(), again.ask()
    learner._session.rng.random()
    ours, theirs = learner.ask(), again.ask()
    assert (ours.id, ours.learner) == (theirs.id, theirs.learner)
    with pytest.raises(ValueError, match=r"^duel 2 was asked by a copy of this learner$"):
        again.tell(ours, 1.0)


def test_a_learner_never_asked_can_be_saved(tmp_path):
    again = saved(dd.MetaBosse(3, 100, seed=4), tmp_path)
    expected = [duel.left for duel in play(dd.MetaBosse(3, 100, seed=4), 0, lost=9)]
    assert [duel.left for duel in play(again, 0, lost=9)] == expected


def test_tickets_that_are_no_numbers_are_kept(tmp_path):
    learner = Outside(2)
    learner.ask()
    tickets = (math.nan, math.inf, -math.inf, -0.0, 5e-324, 0.1)
    learner._session.open[0] = (1, 0, tickets)
    again = saved(learner, tmp_path, learners=OUTSIDE)
    left, right, ticket = again._session.open[0]
    assert (left, right) == (1, 0)
    assert [value.hex() for value in ticket] == [value.hex() for value in tickets]
    assert again.open_duels[0].propensity is None


def test_saving_twice_gives_the_same_file(tmp_path):
    learner = dd.MetaBosse(3, 100)
    play(learner, 20, lost=2)
    learner.save(tmp_path / "one.json")
    dd.load_learner(tmp_path / "one.json").save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_file_is_json_with_its_format_and_little_endian_arrays(tmp_path):
    learner = dd.learners.FixedPair(3, left=2, right=1)
    learner.tell(learner.ask(), 1.0)
    learner.save(tmp_path / "learner.json")
    content = json.loads((tmp_path / "learner.json").read_text())
    assert list(content) == ["driftduel_learner", "written_by", "learner", "session", "checksum"]
    assert content["driftduel_learner"] == FORMAT
    assert content["written_by"] == dd.__version__
    assert content["learner"]["class"] == "FixedPair"
    assert content["learner"]["parameters"]["left"] == 2
    assert content["session"]["told"] == 1
    pair = content["session"]["state"]["state.pair"]
    assert (pair["dtype"], pair["shape"]) == ("<i8", [2])
    assert base64.b64decode(pair["bytes"]) == bytes([2, 0, 0, 0, 0, 0, 0, 0, 1, *[0] * 7])


def test_a_file_may_be_formatted_otherwise(tmp_path):
    learner = dd.MetaBosse(3, 100)
    play(learner, 30)
    learner.save(tmp_path / "learner.json")
    content = json.loads((tmp_path / "learner.json").read_text())
    (tmp_path / "learner.json").write_text(json.dumps(content, indent=4, sort_keys=True))
    assert as_payload(dd.load_learner(tmp_path / "learner.json")) == as_payload(learner)


def test_saving_replaces_the_file_whole_or_not_at_all(tmp_path):
    learner = dd.learners.Uniform(2)
    learner.save(tmp_path / "learner.json")
    before = (tmp_path / "learner.json").read_bytes()
    broken = Unsavable(2, rule=print)
    with pytest.raises(ValueError, match="cannot be saved"):
        broken.save(tmp_path / "learner.json")
    assert (tmp_path / "learner.json").read_bytes() == before
    assert os.listdir(tmp_path) == ["learner.json"]


def test_saving_into_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        dd.learners.Uniform(2).save(tmp_path / "nowhere" / "learner.json")


# Learners from outside the package


class OutsideState(NamedTuple):
    counts: tuple
    table: np.ndarray


ROW = np.dtype([("n", "i2"), ("mean", "f8"), ("pair", "i4", (2,))], align=True)


@inline_kernel
def choose(state, rng):
    return 0, 1, (1.0,)


@inline_kernel
def learn(state, left, right, ticket, outcome):
    state.counts[0][0] += 1
    state.table[1]["mean"] += outcome
    state.table[1]["pair"][1] += 1
    return False


@dataclass(frozen=True)
class Prior:
    mean: float = 0.5
    shape: tuple[int, ...] = (1, 2)


@dataclass(frozen=True, eq=False)
class Outside(Learner):
    prior: Prior = field(default_factory=Prior, kw_only=True)
    inner: Learner | None = field(default=None, kw_only=True)
    table: np.ndarray = field(default_factory=lambda: np.eye(2), kw_only=True)
    names: list = field(default_factory=lambda: ["x", None, True, math.inf], kw_only=True)

    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    def _allocate(self):
        fixed = np.arange(3)
        fixed.setflags(write=False)
        return OutsideState((np.zeros(1, np.uint8), fixed), np.zeros(2, ROW))

    def _best_of(self, state):
        return 0


@dataclass(frozen=True, eq=False)
class Unsavable(Outside):
    rule: object = field(default=None, kw_only=True)


OUTSIDE = {"Outside": Outside, "Prior": Prior}


def test_a_learner_from_outside_is_read_with_its_classes(tmp_path):
    inner = dd.MetaBosse(3, 50, criterion=dd.Weighted(SEQUENCE))
    learner = Outside(3, 10, prior=Prior(0.1, (3,)), inner=inner, table=np.ones((2, 3), np.int16))
    play(learner, 5, lost=1)
    again = saved(learner, tmp_path, learners=OUTSIDE)
    assert again.prior == Prior(0.1, (3,))
    assert again.names == ["x", None, True, math.inf]
    assert again.table.dtype == np.int16
    assert again.table.tolist() == [[1, 1, 1], [1, 1, 1]]
    assert type(again.inner) is dd.MetaBosse
    assert again.inner.config() == inner.config()
    assert as_payload(again) == as_payload(learner)
    assert again._session.state.table["pair"].tolist() == [[0, 0], [0, 5]]
    assert classes_of(learner).keys() >= {"Outside", "Prior", "MetaBosse", "WeightSequence"}


def test_nothing_is_imported_because_a_file_names_it(tmp_path):
    Outside(2).save(tmp_path / "learner.json")
    with pytest.raises(
        ValueError,
        match=r"^learner\.json: needs the class Prior, which is not in driftduel; "
        r"pass learners=\{'Prior': \.\.\.\}$",
    ):
        dd.load_learner(tmp_path / "learner.json", learners={"Outside": Outside})
    with pytest.raises(ValueError, match=r"^learner\.json: needs the class Outside, which is not"):
        dd.load_learner(tmp_path / "learner.json")


def test_a_class_with_the_name_of_one_of_the_package_is_refused(tmp_path):
    impostor = dataclass(frozen=True, eq=False)(type("MetaBosse", (Outside,), {}))
    with pytest.raises(
        ValueError, match=r"^MetaBosse: is the name of another class in driftduel, rename it$"
    ):
        impostor(2).save(tmp_path / "learner.json")


def test_a_parameter_that_cannot_be_saved_is_named(tmp_path):
    with pytest.raises(
        ValueError,
        match=r"^Unsavable\.rule: a parameter of type builtin_function_or_method cannot be saved$",
    ):
        Unsavable(2, rule=print).save(tmp_path / "learner.json")


def test_an_array_of_objects_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match=r"^Unsavable\.rule: a parameter of type ndarray"):
        Unsavable(2, rule=np.array([print])).save(tmp_path / "learner.json")


def test_a_state_of_something_else_than_arrays_cannot_be_saved():
    with pytest.raises(ValueError, match=r"^state\.counts: is a int, must be an array$"):
        list(arrays_of(OutsideState(3, np.zeros(1))))
