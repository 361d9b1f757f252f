from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.report.summary import first_failures
from driftduel.worlds import catalogue
from tests.report.worlds import tied_world

FLAGS = {"CW": "condorcet", "GIC": "gic", "SST": "sst", "STI": "sti"}


def failures_by_rounds(stream):
    classes = [dd.classify(stream.matrix(t)) for t in range(stream.horizon)]
    return {
        name: next((t for t, c in enumerate(classes) if not getattr(c, flag)), None)
        for name, flag in FLAGS.items()
    }


@pytest.mark.parametrize("seed", range(60))
def test_failures_are_those_of_classifying_every_round(seed):
    stream = tied_world(seed, n_arms=2 + seed % 4)
    assert first_failures(stream) == failures_by_rounds(stream)


@pytest.mark.parametrize("kind", ["cw", "gic", "sst", "sst-sti", "cyclic", "any"])
def test_failures_of_random_members_of_each_class(kind):
    stream = catalogue.build("switching", n_arms=5, horizon=60, n_phases=12, kind=kind)
    assert first_failures(stream) == failures_by_rounds(stream)


def test_utilities_that_drift_are_in_all_classes_throughout():
    stream = catalogue.build("random-walk", n_arms=6, horizon=5000)
    assert stream.n_stretches > 100
    assert set(first_failures(stream).values()) == {None}


def test_sti_is_found_in_an_order_that_row_sums_do_not_give():
    # Row sums put arm 1 before arm 0 though arm 0 beats it: the only order is 0, 1, 2, 3.
    gap = np.array(
        [
            [0.0, 0.1, 0.1, 0.1],
            [-0.1, 0.0, 0.3, 0.3],
            [-0.1, -0.3, 0.0, 0.0],
            [-0.1, -0.3, 0.0, 0.0],
        ]
    )
    assert (gap + 0.5).sum(axis=1).argmax() == 1
    assert dd.classify(gap + 0.5).sti
    assert first_failures(dd.Stream.stationary(gap + 0.5, 10))["STI"] is None
