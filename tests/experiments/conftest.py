from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from driftduel.experiments import Results, Spec, run_sweep

SMALL = """
title = "Small"
horizon = 200
seeds = 4
points = 5

[[stream]]
world = "switching"
n_arms = [3, 4]
n_phases = 2

[[learner]]
name = "Uniform"

[[learner]]
name = "DiscountedBordaUCB"
exploration = 0.1
"""


@dataclass(frozen=True)
class Bench:
    """Runs specs in one folder."""

    folder: Path

    def run(self, text=SMALL, **settings):
        return run_sweep(Spec.parse(text, folder=self.folder.parent), self.folder, **settings)

    @property
    def results(self):
        return Results.load(self.folder)


def tables(results):
    """What must not depend on how a sweep was run."""
    return {
        "regret": results.regret,
        "events": results.events,
        "plays": results.plays,
        "runs": results.runs.drop("seconds", "rounds_per_second"),
    }


def assert_same(one, other):
    for name, table in tables(one).items():
        assert table.equals(tables(other)[name]), name
        assert len(table) > 0


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path / "results")
