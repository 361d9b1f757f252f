"""The same votes in other libraries: numbers that must agree, and stories that should.

``python requirements/beside.py peers`` runs them where the packages are; elsewhere they are left
out. Bradley-Terry has one answer, so choix and arena-rank must give it to four digits. Models of
strengths that drift differ; kickscore and TrueSkill Through Time must name the same best option
before and after a change, and be about as sure of it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import driftduel as dd

POINTS = 400 / math.log(10)
CHANGE = 300
PAIR = ("coffee", "tea")


@pytest.fixture(scope="module")
def log():
    """Games of eight clubs in 58 years, without ties."""
    return dd.worlds.datasets.american_league_log()


def centred(strengths):
    return (strengths - np.mean(strengths)) * POINTS + 1000


def agree(found, log):
    """Compare ratings, to four digits of the distance between the best and the worst."""
    ours = dd.ratings(log).ratings
    assert np.abs(ours - found).max() < 1e-4 * np.ptp(ours)


def test_ratings_are_those_of_choix(log):
    choix = pytest.importorskip("choix")
    wins = log.head_to_head()
    k = len(log.arms)
    agree(centred(choix.ilsr_pairwise_dense(wins, tol=1e-12, max_iter=10_000)), log)
    pairs = [(i, j) for i in range(k) for j in range(k) for _ in range(int(wins[i, j]))]
    agree(centred(choix.opt_pairwise(k, pairs, tol=1e-12)), log)


def test_ratings_are_those_of_arena_rank(log):
    models = pytest.importorskip("arena_rank.models.bradley_terry")
    data = pytest.importorskip("arena_rank.utils.data_utils")
    pandas = pytest.importorskip("pandas")
    names = np.array(log.arms)
    won = np.where(log.outcome == 1, "model_a", "model_b")
    frame = pandas.DataFrame(
        {"model_a": names[log.left], "model_b": names[log.right], "winner": won}
    )
    votes = data.PairDataset.from_pandas(frame)
    model = models.BradleyTerry(n_competitors=len(names), ftol=1e-15, gtol=1e-12)
    model.fit(votes)
    theirs = dict(zip(votes.competitors, np.asarray(model.params["ratings"]), strict=True))
    agree(centred(np.array([theirs[name] for name in log.arms])), log)


@pytest.fixture(scope="module")
def changing():
    """Votes a day apart of three options: tea is best for 300 days, then coffee."""
    rng = np.random.default_rng(1)
    pairs = rng.permuted(np.tile([0, 1, 2], (2 * CHANGE, 1)), axis=1)[:, :2]
    strengths = np.array([[1.5, 0.0, 0.0], [0.0, 1.5, 0.0]])[np.arange(2 * CHANGE) // CHANGE]
    rows = np.arange(2 * CHANGE)
    gap = strengths[rows, pairs[:, 0]] - strengths[rows, pairs[:, 1]]
    won = rng.random(2 * CHANGE) < 1 / (1 + np.exp(-gap))
    return dd.Log(
        ["tea", "coffee", "cocoa"],
        rows.astype(float),
        left=pairs[:, 0],
        right=pairs[:, 1],
        outcome=won.astype(float),
    )


def told(log):
    """Return who is likely best before the change and at the end, and P(coffee is ahead) now."""
    line = dd.timeline(log)
    spans = (line.best_during(100.0, 250.0), line.best_during(550.0, 599.0))
    rows = line.beats.to_dicts()
    (chance,) = [row["probability"] for row in rows if (row["first"], row["second"]) == PAIR]
    return [max(chances, key=chances.get) for chances in spans], chance


def ahead(gap, variance):
    return 0.5 * math.erfc(-gap / math.sqrt(2 * variance))


def test_kickscore_tells_the_same_story(changing):
    kickscore = pytest.importorskip("kickscore")
    model = kickscore.BinaryModel()
    for name in changing.arms:
        kernel = kickscore.kernel.Constant(var=0.3) + kickscore.kernel.Exponential(
            var=1.0, lscale=200.0
        )
        model.add_item(name, kernel=kernel)
    for at, left, right, won in zip(
        changing.time, changing.left, changing.right, changing.outcome, strict=True
    ):
        pair = (left, right) if won else (right, left)
        model.observe([changing.arms[pair[0]]], [changing.arms[pair[1]]], t=float(at))
    model.fit(max_iter=50)

    def best(at):
        means = {name: model.item[name].predict([at])[0][0] for name in changing.arms}
        return max(means, key=means.get)

    leaders, chance = told(changing)
    assert leaders == [best(200.0), best(599.0)] == ["tea", "coffee"]
    (m, v), (n, w) = (model.item[name].predict([599.0]) for name in PAIR)
    assert abs(chance - ahead(m[0] - n[0], v[0] + w[0])) < 0.15


def test_trueskill_through_time_tells_the_same_story(changing):
    ttt = pytest.importorskip("trueskillthroughtime")
    games = []
    for left, right, won in zip(changing.left, changing.right, changing.outcome, strict=True):
        pair = (left, right) if won else (right, left)
        games.append([[changing.arms[pair[0]]], [changing.arms[pair[1]]]])
    priors = {name: ttt.Player(ttt.Gaussian(0.0, 1.5), 1.0, 0.05) for name in changing.arms}
    history = ttt.History(games, times=[int(at) for at in changing.time], priors=priors)
    history.convergence(epsilon=0.01, iterations=10, verbose=False)
    curves = history.learning_curves()

    def best(at):
        means = {
            name: min(curve, key=lambda one: abs(one[0] - at))[1].mu
            for name, curve in curves.items()
        }
        return max(means, key=means.get)

    leaders, chance = told(changing)
    assert leaders == [best(200), best(599)] == ["tea", "coffee"]
    one, other = (curves[name][-1][1] for name in PAIR)
    assert abs(chance - ahead(one.mu - other.mu, one.sigma**2 + other.sigma**2)) < 0.05
