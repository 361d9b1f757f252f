from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from driftduel._support.compile import jit as _jit
from driftduel._support.compile.jit import items, jit, kernel, rebind
from tests.modes import COMPILED

# A learner in small: a NamedTuple of arrays, two kernels, numpy Generators; and the loop that is
# bound to them. Each is a file, since the cache is kept for functions that come from files.
KERNELS = """
from typing import NamedTuple
import numpy as np
from driftduel._support.compile.jit import kernel

class State(NamedTuple):
    counts: np.ndarray
    sums: np.ndarray

@kernel
def rate(state, arm):
    return state.sums[arm] / max(state.counts[arm], 1.0)

@kernel
def choose(state, rng):
    left = int(rng.random() * state.counts.shape[0])
    return left, 0, rate(state, left)

@kernel
def learn(state, left, right, ticket, outcome):
    state.counts[left] += STEP
    state.sums[left] += outcome
"""
LOOP = """
def play(state, rng, world, n):
    for _ in range(n):
        left, right, ticket = choose(state, rng)
        learn(state, left, right, ticket, 1.0 if world.random() < 0.5 else 0.0)
"""
RUN = """
import json
import numpy as np
import kernels, loop
from driftduel._support.compile.jit import rebind

play = rebind(loop.play, "play_bound", {"choose": kernels.choose, "learn": kernels.learn})
state = kernels.State(np.zeros(3), np.zeros(3))
play(state, np.random.default_rng(0), np.random.default_rng(1), 100)
stats = play.stats
print(json.dumps({
    "counts": state.counts.tolist(),
    "hits": sum(stats.cache_hits.values()),
    "misses": sum(stats.cache_misses.values()),
}))
"""


def in_new_process(folder: Path, script: str, **environment: str) -> str:
    usual = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=folder,
        env={**usual, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.large
def test_a_rebound_loop_is_compiled_once_and_again_when_a_kernel_is_edited(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    (tmp_path / "kernels.py").write_text(KERNELS.replace("STEP", "1.0"))
    first = json.loads(in_new_process(tmp_path, RUN))
    assert (first["hits"], first["misses"]) == (0, 1)
    assert sum(first["counts"]) == 100

    second = json.loads(in_new_process(tmp_path, RUN))
    assert (second["hits"], second["misses"]) == (1, 0)
    assert second["counts"] == first["counts"]

    moved = tmp_path / "moved"  # another checkout with the same code, a remark apart
    moved.mkdir()
    (moved / "cache").symlink_to(tmp_path / "cache")
    (moved / "loop.py").write_text("# A remark.\n" + LOOP)
    (moved / "kernels.py").write_text('"""A docstring."""\n' + KERNELS.replace("STEP", "1.0"))
    third = json.loads(in_new_process(moved, RUN))
    assert (third["hits"], third["misses"]) == (1, 0)
    assert third["counts"] == first["counts"]

    (tmp_path / "kernels.py").write_text(KERNELS.replace("STEP", "3.0"))
    edited = json.loads(in_new_process(tmp_path, RUN))
    assert (edited["hits"], edited["misses"]) == (0, 1)
    assert edited["counts"] == [3 * n for n in first["counts"]]


PLAY = """
import driftduel as dd

world = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=300)
run = dd.simulate(dd.learners.WinnerStays(2), world, seed=1)
options = set(dd.learners.WinnerStays._choose.targetoptions) & {"_nrt", "forceinline"}
print(len(options), run.regret("borda").tolist())
"""
REFUSED_BY_NUMBA = """
from numba.core.cpu import CPUTargetOptions

CPUTargetOptions._nrt = CPUTargetOptions.forceinline = None  # no longer options
"""
REFUSED_AT_ONCE = """
import numba

njit = numba.njit

def refuse(*functions, **options):
    if {"_nrt", "forceinline"} & set(options):
        raise TypeError("an unexpected keyword argument")
    return njit(*functions, **options)

numba.njit = refuse
"""


@pytest.mark.slow
@pytest.mark.large
def test_where_numba_refuses_an_option_a_learner_plays_the_same(tmp_path):
    options, _, usual = in_new_process(tmp_path, PLAY).partition(" ")
    assert options == "2"
    for refusal in (REFUSED_BY_NUMBA, REFUSED_AT_ONCE):
        options, _, plain = in_new_process(tmp_path, refusal + PLAY).partition(" ")
        assert options == "0"
        assert plain == usual


def test_without_the_jit_a_rebound_loop_is_plain_python(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    (tmp_path / "kernels.py").write_text(KERNELS.replace("STEP", "1.0"))
    script = RUN[: RUN.index("stats =")] + "print(type(play).__name__, state.counts.sum())"
    assert in_new_process(tmp_path, script, NUMBA_DISABLE_JIT="1").split() == ["function", "100.0"]


def add(a, b):
    return a + b


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def total(values):
    result = 0.0
    for value in values:
        result += change(value)  # noqa: F821
    return result


@pytest.mark.parametrize("decorator", [jit, kernel, _jit.inline_kernel])
def test_a_decorated_function_means_what_it_meant(decorator):
    assert decorator(add)(2, 3) == 5


def test_copies_of_one_template_mean_their_own_kernels_and_leave_the_template_alone():
    doubled = rebind(total, "total_doubled", {"change": jit(double)})
    tripled = rebind(total, "total_tripled", {"change": jit(triple)})
    values = np.array([1.0, 2.0])
    assert (doubled(values), tripled(values)) == (6.0, 9.0)
    assert "change" not in globals()
    assert (doubled.__name__, total.__name__) == ("total_doubled", "total")


def test_what_python_interprets_reads_its_own_numbers_from_the_same_memory(monkeypatch):
    monkeypatch.setitem(_jit._switch, "compile", False)
    array = np.arange(6.0).reshape(2, 3)
    view = items(array)
    view[1, 2] += view[0, 1]
    assert array[1, 2] == 6
    assert type(view[1, 2]) is float
    assert view.shape == (2, 3)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_what_is_compiled_reads_the_array():
    array = np.arange(6.0)
    assert items(array) is array
