"""Small experiments to report on."""

from __future__ import annotations

from driftduel.experiments import Results, Spec, run_sweep

LEARNERS = """
[[learner]]
name = "MetaBosse"
label = "METABOSSE"

[[learner]]
name = "FixedPair"
label = 'never <b>adapts</b> & "loses"'

[[learner]]
name = "Uniform"
label = "random pairs"
"""

ONE = f"""
title = "Tastes </script><script>alert(1)</script>"
horizon = 6000
seeds = 3
points = 20

[[stream]]
label = "two <i>winners</i>"
world = "alternation"
n_arms = 2
margin = 0.5
every = 3000
{LEARNERS}"""

GRID = f"""
title = "A grid"
seeds = 3
points = 10
criteria = ["borda", "condorcet"]

[[stream]]
label = "grid"
world = "switching"
n_arms = 3
n_phases = 2
horizon = [100, 300, 900, 2700]

[[stream]]
label = "real"
world = "formula-1"
horizon = 400
criteria = ["borda"]
{LEARNERS}"""


def sweep(text, folder):
    """Run a spec and return its results."""
    return run(Spec.parse(text, folder=folder), folder / "results")


def run(spec, folder):
    """Run a spec into a folder and return its results."""
    run_sweep(spec, folder, workers=1)
    return Results.load(folder)
