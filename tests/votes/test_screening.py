"""Where kernels are not compiled, arrays tell first whether votes can prove a change at all."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftduel.votes import Log
from driftduel.votes.proof import changes


def log_of(rng, votes, change, per_time):
    """Return votes of three arms, of which the first wins and then loses."""
    left = rng.integers(3, size=votes)
    right = (left + rng.integers(1, 3, size=votes)) % 3
    gain = np.where(np.arange(votes) < votes // 2, change, -change)
    chance = 0.5 + gain * ((left == 0) - 1.0 * (right == 0))
    return Log(
        ["a", "b", "c"], np.arange(votes) // per_time, left, right, rng.random(votes) < chance
    )


@pytest.mark.parametrize("change", [0.0, 0.15, 0.3, 0.45])
@pytest.mark.parametrize("per_time", [1, 7, 40])
def test_what_a_kernel_finds_the_arrays_let_through(change, per_time):
    rng = np.random.default_rng([int(100 * change), per_time])
    found = passed = 0
    for _ in range(20):
        log = log_of(rng, int(rng.integers(20, 400)), change, per_time)
        _, when = np.unique(log.time, return_inverse=True)
        pair = np.minimum(log.left, log.right) + np.maximum(log.left, log.right) - 1
        won = np.where(log.left < log.right, log.outcome, 1 - log.outcome)
        streams = changes._streams(pair, when, log.count, won, 3)
        since = int(rng.integers(0, 3))
        for need in (1.0, 2.0, 4.0, 6.0, 8.0):
            needs = np.full(3, need)
            proof = changes._first_proof(streams, since, int(when.max()) + 1, needs)
            may = changes._may_prove(streams, since, int(when.max()) + 1, needs)
            assert may or proof[0] < 0
            found += proof[0] >= 0
            passed += not may
    assert passed > 0, "nothing was ever left to the arrays"
    assert found > 0 or change == 0.0


def test_what_is_too_long_for_the_arrays_is_left_to_the_kernel():
    n = changes._MOST_SCREENED + 1
    log = Log(["a", "b"], np.arange(n), [0] * n, [1] * n, [1, 0] * (n // 2) + [1])
    streams = changes._streams(log.left, np.arange(n), log.count, log.outcome, 1)
    assert changes._may_prove(streams, 0, n, np.full(1, 50.0))
    assert not changes._may_prove(streams, 0, n // 2, np.full(1, 50.0))


def test_changes_are_the_same_with_kernels_that_are_not_compiled(monkeypatch):
    logs = [log_of(np.random.default_rng(n), 300, 0.1 * n, 3) for n in range(5)]
    compiled = [changes.turns(log)[0] for log in logs]
    monkeypatch.setattr(changes, "interprets", lambda: True)
    assert [changes.turns(log)[0] for log in logs] == compiled
    assert sum(map(len, compiled)) > 0
    assert math.isfinite(changes._LOG_SUM)
