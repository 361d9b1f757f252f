"""Kernels left as Python, as for one round by the command, do to the bit what compiled ones do.

Run with the JIT off the two sides are the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import driftduel as dd
from driftduel.testing.driving import drive, snapshot
from tests.learners.variants import VARIANTS

pytestmark = pytest.mark.once  # it compares the modes

N_ARMS = 5
ROUNDS = 1000
ASIDE = """
import json
import sys
from driftduel._support.compile.jit import interpret
interpret()
from tests.learners.test_interpreted import states
found = states()
assert "numba" not in sys.modules
print(json.dumps(found))
"""


def states():
    """Return a hash of all that each learner is after a game with changes, ties and delays."""
    levels = 0.6 * np.arange(N_ARMS)
    chances = 1 / (1 + np.exp(levels[:, None] - levels[None, :]))
    found = {}
    for name, make in VARIANTS.items():
        world = dd.Stream.piecewise([chances, chances.T, chances], [0, 400, 700], ROUNDS)
        driven = drive(make(N_ARMS, ROUNDS, 1), world, seed=2)
        text = json.dumps(snapshot(driven.learner, named=False), sort_keys=True)
        found[name] = hashlib.sha256(text.encode()).hexdigest()
    return found


def test_learners_call_no_function_whose_last_digits_are_others_when_it_is_compiled():
    elsewhere = re.compile(r"\bnp\.(log|log1p|log2|log10|exp|expm1|power)\(|\bmath\.l?gamma\b")
    folder = Path(dd.learners.__file__).parent
    found = {
        file.name: match[0]
        for file in folder.rglob("*.py")
        if (match := elsewhere.search(file.read_text(encoding="utf-8")))
    }
    assert found == {}, "use math.log and the like, and driftduel._support.compile.jit.log_gamma"


@pytest.mark.large
def test_every_learner_plays_the_same_to_the_bit_compiled_or_not():
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    done = subprocess.run(
        [sys.executable, "-c", ASIDE], capture_output=True, text=True, check=True, env=environment
    )
    assert json.loads(done.stdout) == states()
