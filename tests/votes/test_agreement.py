"""How far a judge agrees with people, and whether it moved: ranges and proofs that hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from driftduel.votes import Log
from driftduel.votes.agreement import agreement, moved_since, range_of
from driftduel.votes.forecasts import Forecasts, even, of_past
from driftduel.votes.judges import Answers
from driftduel.votes.tossed import of_tosses


def test_agreement_is_told_by_time_side_and_group():
    n = 600
    kinds = np.array(["old", "young"])[np.arange(n) % 2]
    won = np.where(kinds == "old", 1.0, 0.0)
    log = Log(
        ["tea", "milk"], np.arange(n), [0] * n, [1] * n, won,
        extras=pl.DataFrame({"age": kinds, "context": [""] * n}),
    )  # fmt: skip
    said = Answers("robot", log.arms, [0, 1], [1, 0], [1, 0], [0, 0])
    found = agreement(log, said, ["age"])
    shares = {(one.kind, one.name): one.share for one in found.parts}
    assert shares["age", "old"] == shares["side", "the left one"] == 1.0
    assert shares["age", "young"] == shares["side", "the right one"] == 0.0
    assert sum(kind == "time" for kind, _ in shares) == 6
    assert found.whole.share == 0.5
    assert (found.first, found.contradicts, found.rounds, found.moved) == (0.5, 0.0, 1, None)


def test_ranges_of_shares_ever_miss_in_a_twentieth_of_runs_at_most():
    """200 coins looked at 40 times each; more than 20 miss in fewer than 1 of 1,000 seeds."""
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(200):
        tosses = np.cumsum(rng.random(400) < 0.7)
        ends = (range_of(tosses[n - 1], n) for n in range(10, 401, 10))
        missed += any(not low <= 0.7 <= high for low, high in ends)
    assert missed <= 20


def answers(rng, chances):
    """Return answers to four questions, each asked again in every round."""
    n = len(chances)
    said = rng.random((n, 4)) < chances
    left, right = np.tile([0, 1, 2, 0], n), np.tile([1, 2, 0, 2], n)
    return Answers(
        "robot", [*"abc"], left, right, said.ravel().astype(float), np.repeat(range(n), 4)
    )


def test_a_judge_that_stays_is_hardly_ever_proved_to_have_moved():
    """12 judges; of 5 % more than 3 are in 1 of 400 seeds."""
    rng = np.random.default_rng(4)
    still = np.tile([0.5, 0.9, 0.3, 1.0], (24, 1))
    assert sum(moved_since(answers(rng, still))[1] is not None for _ in range(12)) <= 3


def test_a_judge_that_moved_is_proved_to_have():
    rng = np.random.default_rng(5)
    moved = np.tile([0.95, 0.95, 0.05, 0.95], (40, 1))
    moved[20:] = 1 - moved[20:]
    rounds, since = moved_since(answers(rng, moved))
    assert rounds == 40
    assert 17 <= since <= 23


def test_scores_of_tosses_hold_whatever_is_forecast():
    """12 logs, looked at 5 times, three forecasts: of 5 % more than 3 miss in 1 of 400 seeds."""
    rng = np.random.default_rng(6)
    chances = 1 / (1 + np.exp(np.subtract.outer([0.0, 0.4, 1.0], [0.0, 0.4, 1.0]) * -1.0))
    truth = (chances.sum(axis=1) - 0.5) / 2
    tossed = np.ones(600, dtype=bool)
    liar = Forecasts((1 - chances)[None] * 0.98 + 0.01, np.zeros(600, dtype=np.int64))
    missed, widths = np.zeros(3), np.zeros(3)
    for _ in range(12):
        left = rng.integers(3, size=600)
        right = (left + rng.integers(1, 3, size=600)) % 3
        log = Log([*"abc"], np.arange(600), left, right, rng.random(600) < chances[left, right])
        for kind, forecasts in enumerate((even(log), of_past(log), liar)):
            bad = False
            for n in (50, 100, 200, 400, 600):
                part = forecasts._replace(of_row=forecasts.of_row[:n])
                found = of_tosses(log.rows(slice(0, n)), tossed[:n], tossed[:n], part)
                bad |= bool(((truth < found.low) | (truth > found.high)).any())
            missed[kind] += bad
            widths[kind] += float((found.high - found.low).mean())
    assert (missed <= 3).all()
    assert widths[1] < widths[0] < widths[2]


def test_who_was_never_tossed_has_no_score():
    log = Log([*"abc"], [0, 1], [0, 0], [1, 1], [1, 0])
    never = np.zeros(2, dtype=bool)
    found = of_tosses(log, never, never, even(log))
    assert np.isnan(found.scores).all()
    assert (found.low.tolist(), found.high.tolist()) == ([0.0] * 3, [1.0] * 3)
    assert found.tosses.sum() == pytest.approx(0)
