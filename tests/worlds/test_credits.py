from __future__ import annotations

import pickle

import numpy as np
import pytest

import driftduel as dd
from driftduel.worlds import catalogue, datasets

P = [[0.5, 0.6], [0.4, 0.5]]
RETROSHEET = (
    "The information used here was obtained free of charge from and is copyrighted by Retrosheet. "
    'Interested parties may contact Retrosheet at "www.retrosheet.org".'
)


def credited(*notices, matrix=P):
    return dd.Stream([matrix], [0], [0], 10, credits=notices)


def test_the_american_league_is_credited_with_the_words_of_retrosheet():
    (notice,) = datasets.american_league(horizon=50).credits
    assert RETROSHEET in notice


def test_a_part_of_the_data_is_credited_too():
    world = datasets.american_league(horizon=50, arms=["NYA", "BOS"])
    for part in (world[10:20], world.stretch(99), world.relabel([1, 0])):
        assert part.credits == (datasets.notice("american_league"),)


def test_votes_hand_their_credits_on_to_the_world_made_of_them():
    log = datasets.formula_1_log()
    assert log.credits == (datasets.notice("formula_1"),)
    assert log.select(["ferrari", "mclaren"]).stream(50, 200.0).credits == log.credits


@pytest.mark.parametrize("name", ["six-rankers", "arithmetic", "cyclic", "llm-arena"])
def test_the_small_matrices_are_credited(name):
    world = catalogue.build(name, horizon=10)
    assert world.credits == (datasets.notice(name.replace("-", "_")),)


def test_worlds_that_join_credit_everybody_once():
    joined = credited("tea", "milk") + credited("milk", "cocoa")
    assert joined.credits == ("tea", "milk", "cocoa")


def test_credits_survive_files_and_pickles(tmp_path):
    for notices in ((), ("Tea & co.\nCC BY 4.0",), ("tea", "milk")):
        world = credited(*notices)
        world.save(tmp_path / "world.npz")
        assert dd.Stream.load(tmp_path / "world.npz").credits == notices
        assert pickle.loads(pickle.dumps(world)).credits == notices


def test_a_file_from_before_there_were_credits_is_loaded(tmp_path):
    world = credited("tea")
    world.save(tmp_path / "world.npz")
    with np.load(tmp_path / "world.npz") as archive:
        fields = {key: archive[key] for key in archive if key != "credits"}
    np.savez(tmp_path / "old.npz", **fields)
    old = dd.Stream.load(tmp_path / "old.npz")
    assert old == world
    assert old.credits == ()


@pytest.mark.parametrize(
    ("notices", "sentence"),
    [
        ("tea", "credits: must be a list of texts, not the text 'tea'"),
        ([3], "credits: number 1 is 3, must be text"),
        (["tea", "\x1b[31mmilk"], r"credits: the line '\x1b[31mmilk' must be printable"),
    ],
)
def test_what_cannot_be_shown_is_no_credit(notices, sentence):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.Stream([P], [0], [0], 10, credits=notices)
    assert str(error.value) == sentence


def test_a_file_with_numbers_for_credits_is_refused(tmp_path):
    credited().save(tmp_path / "world.npz")
    with np.load(tmp_path / "world.npz") as archive:
        fields = {key: archive[key] for key in archive}
    np.savez(tmp_path / "world.npz", **{**fields, "credits": np.arange(2)})
    with pytest.raises(ValueError, match=r"^world.npz: credits: number 1 is 0, must be text$"):
        dd.Stream.load(tmp_path / "world.npz")
    np.savez(tmp_path / "world.npz", **{**fields, "credits": np.array("tea")})
    with pytest.raises(ValueError, match=r"^world.npz: credits: must be a list of texts"):
        dd.Stream.load(tmp_path / "world.npz")


def test_credits_do_not_make_another_world():
    assert credited("tea") == credited("milk")


def test_synthetic_worlds_need_no_credit():
    assert catalogue.build("switching", horizon=100).credits == ()
