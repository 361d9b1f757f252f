"""Asking for ever takes no memory: what a kernel is given is given back."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.contract.session import draw_pair

pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


def resident() -> int:
    """The bytes of this process that are in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def grown(learner: dd.Learner, n: int) -> int:
    rng = np.random.default_rng(1)
    for _ in range(2_000):
        draw_pair(learner, rng)
    before = resident()
    for _ in range(n):
        draw_pair(learner, rng)
    return resident() - before


@pytest.mark.parametrize("name", ["DriftPoll", "DriftDuel", "RUCB"])
def test_pairs_that_are_drawn_leave_nothing_behind(name):
    learner = dd.all_learners()[name](5)
    assert grown(learner, 30_000) < 2**20


def test_a_generator_is_let_go():
    rng = np.random.default_rng(1)
    learner = dd.DriftPoll(5)
    draw_pair(learner, rng)
    before = sys.getrefcount(rng)
    for _ in range(100):
        draw_pair(learner, rng)
        learner.fold([0], [1], [[0.05, 1.0, 1.0]], [1.0])
    assert sys.getrefcount(rng) == before
    settling = learner._session.settle_rng
    assert sys.getrefcount(settling) < 10


@pytest.mark.slow
def test_a_million_pairs_take_less_than_two_megabytes():
    assert grown(dd.DriftPoll(5), 1_000_000) < 2 * 2**20
