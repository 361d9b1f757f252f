"""Beside others, with the real packages: data frames in and out, environments, logged data.

``python requirements/beside.py`` runs them where the packages are; elsewhere they are left out.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

import driftduel as dd
from driftduel.votes.obp import against_anybody, bandit_feedback
from driftduel.worlds import gym

VOTES = {
    "day": ["2024-05-01", "2024-05-02", "2024-05-03"] * 20,
    "model_a": ["x", "y", "x"] * 20,
    "model_b": ["y", "x", "z"] * 20,
    "winner": ["model_a", "tie", "model_b"] * 20,
    "language": ["en", "de", None] * 20,
}


def of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(VOTES).sample(frac=1, random_state=1)  # with an index of its own
    frame["language"] = frame["language"].astype("category")
    return frame


def of_pyarrow():
    return pytest.importorskip("pyarrow").table(VOTES)


def of_pyarrow_reader():
    return pytest.importorskip("pyarrow").table(VOTES).to_reader()


def of_duckdb():
    pytest.importorskip("pyarrow")
    table = pytest.importorskip("pyarrow").table(VOTES)
    return pytest.importorskip("duckdb").from_arrow(table)


FRAMES = [of_pandas, of_pyarrow, of_pyarrow_reader, of_duckdb]


@pytest.mark.parametrize("make", FRAMES)
def test_a_frame_of_any_library_is_read_as_the_dict_is(make):
    frame, log = dd.read_log(make()), dd.read_log(VOTES)
    assert (frame.arms, frame.span, frame.n_votes) == (log.arms, log.span, log.n_votes)
    assert frame.extras["language"].to_list().count("en") == 20
    assert dd.analyse(make(), only="language=en").standing.votes == 20


def test_reading_a_frame_imports_no_library_of_frames():
    code = (
        "import sys, polars, driftduel as dd\n"
        f"dd.analyse(polars.DataFrame({VOTES!r}))\n"
        "print({'pandas', 'pyarrow', 'duckdb'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_every_table_that_is_given_back_goes_to_pandas():
    pandas = pytest.importorskip("pandas")
    found, log = dd.analyse(of_pandas()), dd.read_log(VOTES)
    past, estimate, line = dd.history(log), dd.estimate(log, pairs="independent"), dd.timeline(log)
    tables = [log.frame, log.extras, found.scores, past.scores, past.bands, estimate.frame]
    tables += [line.p_best, line.scores, line.leaders, line.beats, dd.ratings(log).frame]
    for table in tables:
        again = table.to_pandas()
        assert isinstance(again, pandas.DataFrame)
        assert list(again.columns) == table.columns
        assert len(again) == len(table)
    assert dd.read_log(log.frame.to_pandas()) == log


def test_an_environment_is_one_by_the_checks_of_gymnasium():
    pytest.importorskip("gymnasium")
    checker = importlib.import_module("gymnasium.utils.env_checker")
    env = gym.make(dd.worlds.catalogue.build("switching", n_arms=4, horizon=50, seed=1))
    checker.check_env(env, skip_render_check=True)


def test_an_agent_plays_a_world_to_its_end_and_its_reward_is_minus_the_regret():
    pytest.importorskip("gymnasium")
    world = dd.Stream.piecewise([[[0.5, 0.9], [0.1, 0.5]]] * 2, [0, 10], 40)
    env, learner = gym.make(world), dd.learners.Uniform(2, seed=1)
    seen, info = env.reset(seed=7)
    total, steps, over = 0.0, 0, False
    while not over:
        duel = learner.ask()
        seen, reward, ended, over, info = env.step([duel.left, duel.right])
        learner.tell(duel, float(seen[0]))
        borda = dd.Borda().regret(world.matrix(steps), duel.left, duel.right)
        assert (reward, ended) == (-borda, False)
        total, steps = total + info["regret"], steps + 1
    assert steps == world.horizon
    assert learner.best_index == 0
    with pytest.raises(ValueError, match="the world is over after 40 rounds; reset it"):
        env.step([0, 1])
    first = [env.reset(seed=7) and [env.step([0, 1])[0][0] for _ in range(40)] for _ in range(2)]
    assert first[0] == first[1]


def test_a_world_of_arms_that_come_and_go_is_no_environment():
    world = dd.Stream.stationary([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], 10)
    world = world.offering([[True, True, False], [True, True, True]], [0, 5])
    with pytest.raises(ValueError, match="in this world arms come and go"):
        gym.make(world)


def test_without_gymnasium_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    gym._environment.cache_clear()
    with pytest.raises(
        ImportError, match=r'environments need gymnasium: pip install "driftduel\[gym'
    ):
        gym.make(dd.Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 10))


def kept(n_votes=4000):
    """Return a log of a learner that asks at random, with its propensities."""
    chances = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]])
    rng, learner = np.random.default_rng(3), dd.learners.Uniform(["tea", "milk", "water"], seed=2)
    rows = []
    for time in range(n_votes):
        duel = learner.ask()
        won = float(rng.random() < chances[duel.left, duel.right]) if duel.is_vote else 0.5
        rows.append((time, duel.left, duel.right, won, duel.propensity))
        learner.tell(duel, won)
    time, left, right, won, chance = zip(*rows, strict=True)
    return dd.Log(learner.labels, time, left, right, won, propensity=chance)


def test_logged_data_of_a_log_without_propensities_is_refused():
    with pytest.raises(ValueError, match="the log has no propensities"):
        bandit_feedback(dd.Log(["a", "b"], [0], [0], [1], [1]))


def test_votes_that_stand_for_several_are_so_often_in_logged_data():
    log = dd.Log(["a", "b"], [0, 1], [0, 1], [1, 0], [1, 0], count=[3, 1], propensity=[0.5, 0.25])
    data = bandit_feedback(log)
    assert (data["n_rounds"], data["action"].tolist()) == (4, [1, 1, 1, 2])
    assert against_anybody(log, "b").shape == (4, 4, 1)
    with pytest.raises(ValueError, match="arm is 'c', must be one of a, b"):
        against_anybody(log, "c")


class Anything(type):
    """A class that has whatever is asked of it, as annotations do."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name, (), {})


def test_obp_finds_the_borda_scores_that_we_estimate(monkeypatch):
    pytest.importorskip("sklearn")
    # Its learners of policies stand on torch; its estimators do not.
    torch = ModuleType("torch")
    torch.__path__ = []
    torch.__getattr__ = lambda name: Anything(name, (), {})
    for name in ("torch", "torch.nn", "torch.optim", "torch.utils", "torch.utils.data"):
        monkeypatch.setitem(sys.modules, name, torch)
    ope = pytest.importorskip("obp.ope", exc_type=ImportError)
    log = kept()
    data = bandit_feedback(log)
    estimate, known = dd.estimate(log), {}
    for arm in log.arms:
        pipeline = ope.OffPolicyEvaluation(data, [ope.InverseProbabilityWeighting()])
        policy = against_anybody(log, arm)
        known[arm] = pipeline.estimate_policy_values(action_dist=policy)["ipw"]
    ours = dict(zip(log.arms, estimate.scores, strict=True))
    truth = {"tea": 0.7, "milk": 1.4 / 3, "water": 1 / 3}
    for arm in log.arms:
        # A mean of 4,000 terms of variance below 3: within .12 but for one in 10,000 logs.
        assert known[arm] == pytest.approx(truth[arm], abs=0.12)
        assert ours[arm] == pytest.approx(known[arm], abs=0.12)
