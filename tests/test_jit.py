from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba.core import config

from driftduel import _jit
from driftduel._jit import jit, kernel, rebind, source_hash

# Asked for once, before a test changes the configuration that it is read from.
FOLDER = _jit._cache_folder()

# A learner in small: a NamedTuple of arrays, two kernels, numpy Generators; and the loop that is
# bound to them. Each is a file, since the cache is kept for functions that come from files.
KERNELS = """
from typing import NamedTuple
import numpy as np
from driftduel._jit import kernel

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
from pathlib import Path
import numpy as np
import kernels, loop
from driftduel._jit import rebind, source_hash

bound = {"choose": kernels.choose, "learn": kernels.learn}
play = rebind(loop.play, f"play_{source_hash(Path(kernels.__file__))}", bound)
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

    (tmp_path / "kernels.py").write_text(KERNELS.replace("STEP", "3.0"))
    edited = json.loads(in_new_process(tmp_path, RUN))
    assert (edited["hits"], edited["misses"]) == (0, 1)
    assert edited["counts"] == [3 * n for n in first["counts"]]


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


def test_compiling_leaves_the_users_cache_folder_as_it_was(monkeypatch):
    for folder in ("", "somewhere"):
        monkeypatch.setattr(config, "CACHE_DIR", folder)
        jit(add)
        assert folder == config.CACHE_DIR


def test_an_error_while_compiling_leaves_the_users_cache_folder_as_it_was(monkeypatch):
    def refuse(**options):
        raise RuntimeError("refused")

    monkeypatch.setattr(config, "CACHE_DIR", "somewhere")
    monkeypatch.setattr(_jit.numba, "njit", refuse)
    with pytest.raises(RuntimeError, match="refused"):
        jit(add)
    assert config.CACHE_DIR == "somewhere"


def test_threads_that_compile_together_leave_the_users_cache_folder_as_it_was(monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "somewhere")
    with ThreadPoolExecutor(8) as pool:
        functions = list(pool.map(lambda _: jit(add), range(64)))
    assert len(functions) == 64
    assert config.CACHE_DIR == "somewhere"


def test_a_function_typed_at_a_prompt_is_compiled_without_a_cache(monkeypatch):
    seen = []
    monkeypatch.setattr(
        _jit.numba, "njit", lambda **options: seen.append(options["cache"]) or (lambda f: f)
    )
    typed: dict = {}
    exec(compile("def typed(x):\n    return x\n", "<stdin>", "exec"), typed)
    jit(typed["typed"])
    jit(add)
    assert seen == [False, bool(FOLDER)]


# Where compiled code is kept


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two files, and numba configured to keep its cache in ``tmp_path / cache``."""
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.py").write_text("a = 1")
    (folder / "inner" / "b.py").write_text("b = 1")
    monkeypatch.setattr(_jit, "_PACKAGE", folder)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(config, "BOUNDSCHECK", None)
    return folder


def cache_folder() -> str:
    return _jit._cache_folder.__wrapped__()


def test_the_cache_folder_is_named_after_the_sources(package):
    first = cache_folder()
    assert Path(first).is_dir()
    assert Path(first).parent.name == "cache"
    assert cache_folder() == first
    for file in ("a.py", "inner/b.py"):
        before = cache_folder()
        with (package / file).open("a") as source:
            source.write("\n")
        assert cache_folder() != before
    (package / "notes.txt").write_text("not a source")
    assert Path(cache_folder()).name.endswith("-plain")


def test_code_with_bounds_checks_is_kept_apart(package, monkeypatch):
    plain = cache_folder()
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    assert cache_folder() == plain.removesuffix("plain") + "bounds"


def test_without_a_setting_the_cache_is_in_the_users_cache(package, monkeypatch, tmp_path):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert Path(cache_folder()).parent == tmp_path / "xdg" / "driftduel" / "numba"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for unset in (
        lambda: monkeypatch.setenv("XDG_CACHE_HOME", ""),
        lambda: monkeypatch.delenv("XDG_CACHE_HOME"),
    ):
        unset()
        assert Path(cache_folder()).parent == tmp_path / "home" / ".cache" / "driftduel" / "numba"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert Path(cache_folder()).parent == tmp_path / "local" / "driftduel" / "numba"


def test_where_no_folder_can_be_made_nothing_is_kept(package, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert cache_folder() == ""


def test_where_the_folder_cannot_be_written_nothing_is_kept(package, monkeypatch):
    assert cache_folder() != ""
    monkeypatch.setattr(os, "access", lambda path, kind: False)
    assert cache_folder() == ""


def test_for_a_user_without_a_home_nothing_is_kept(package, monkeypatch):
    def no_home(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(Path, "expanduser", no_home)
    assert cache_folder() == ""


def test_without_a_folder_functions_still_work(monkeypatch):
    monkeypatch.setattr(_jit, "_cache_folder", lambda: "")
    assert jit(add)(2, 3) == 5
    assert rebind(total, "total_uncached", {"change": jit(double)})(np.ones(2)) == 4.0


def test_old_folders_are_forgotten_and_those_of_others_are_not(package, tmp_path):
    root = tmp_path / "cache"
    ours = [root / f"driftduel-{n:016x}-{'plain' if n % 2 else 'bounds'}" for n in range(12)]
    others = [root / name for name in ("driftduel-thesis", "driftduel-2024", "somebody")]
    for folder in (*ours, *others):
        (folder / "inside").mkdir(parents=True)
    for age, folder in enumerate((*others, *ours)):
        os.utime(folder, (age, age))
    newest = Path(cache_folder())
    kept = {path for path in root.iterdir() if path not in others}
    assert kept == {*ours[-7:], newest}
    assert all((folder / "inside").is_dir() for folder in others)


def test_source_hashes_tell_contents_apart(tmp_path):
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("x = 1")
    two.write_text("x = 2")
    assert source_hash(one) == source_hash(one)
    assert source_hash(one) != source_hash(two)
    assert source_hash(one, two) != source_hash(two, one)
    assert len(source_hash(one)) == 16
