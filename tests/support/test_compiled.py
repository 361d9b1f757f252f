from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import FunctionType, SimpleNamespace

import platformdirs
import pytest
from numba.core import config

from driftduel._support import sources as _sources
from driftduel._support.compile import compiled as _compiled
from driftduel._support.compile import numba_cache as _numba_cache
from driftduel._support.compile.compiled import cache_folder, forget_unused, keep, kernel_key
from driftduel._support.compile.jit import jit, rebind

TWICE = """
def make(n):
    if n:
        def f(x):
            return x + 1
    else:
        def f(x):
            return x + 2
    return f
"""
OPTIONS = {"nogil": True}
KERNEL = "from helpers import help\n\ndef choose(x):\n    '''Choose.'''\n    return help(x) + 1\n"
HELPER = "def help(x):\n    '''Help.'''\n    return 2 * x\n"


def load(folder: Path, name: str, source: str) -> dict:
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.py"
    file.write_text(source)
    os.utime(file, (0, 0))  # written long before this process began
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return vars(module)


@pytest.fixture
def key_of(monkeypatch, tmp_path):
    """Return the key of ``choose``, whose file imports another."""

    def key(kernel: str = KERNEL, helper: str = HELPER, folder: str = "here") -> str:
        _sources._read.cache_clear()
        load(tmp_path / folder, "helpers", helper)
        return kernel_key(load(tmp_path / folder, "kernels", kernel)["choose"], OPTIONS)

    yield key
    for name in ("helpers", "kernels"):
        sys.modules.pop(name, None)


def test_an_edit_of_a_kernel_or_of_what_it_calls_gives_another_key(key_of):
    keys = {
        key_of(),
        key_of(kernel=KERNEL.replace("1", "2")),
        key_of(helper=HELPER.replace("2", "3")),
    }
    assert len(keys) == 3


def test_a_docstring_a_comment_another_line_and_another_folder_give_the_same_key(key_of):
    again = key_of(
        kernel="# A remark.\n\n" + KERNEL.replace("Choose.", "Pick."),
        helper="'''Helpers.'''\n" + HELPER.replace("Help.", "Assist."),
        folder="there",
    )
    assert again == key_of()


def test_two_functions_of_one_name_and_two_sets_of_options_have_keys_of_their_own(key_of, tmp_path):
    make = load(tmp_path / "twice", "kernels", TWICE)["make"]
    keys = {kernel_key(make(n), options) for n in (0, 1) for options in (OPTIONS, {})}
    assert len(keys) == 4


def test_a_file_edited_since_this_process_began_gives_no_key(tmp_path):
    choose = load(tmp_path, "kernels", "def choose(x): return x")["choose"]
    _sources._read.cache_clear()
    assert kernel_key(choose, OPTIONS) is not None
    (tmp_path / "kernels.py").touch()
    _sources._read.cache_clear()
    assert kernel_key(choose, OPTIONS) is None


def add(a, b):
    return a + b


def double(x):
    return 2 * x


def use(x):
    return change(x)  # noqa: F821


def triple(x):
    return 3 * x


def copy_of(kernel) -> FunctionType:
    compiled = rebind(use, "use_bound", {"change": kernel})
    return getattr(compiled, "py_func", compiled)


def test_the_key_of_a_bound_copy_goes_by_its_kernels_and_theirs():
    inner = [copy_of(double), copy_of(triple)]
    keys = {kernel_key(function, OPTIONS) for function in (*inner, *map(copy_of, inner))}
    assert len(keys) == 4
    assert kernel_key(copy_of(double), OPTIONS) in keys


def typed() -> FunctionType:
    names: dict = {}
    exec(compile("def typed(x):\n    return x\n", "<stdin>", "exec"), names)
    return names["typed"]


def test_what_was_typed_at_a_prompt_is_not_kept_nor_what_it_is_bound_in():
    for function in (typed(), copy_of(typed()), copy_of(copy_of(typed()))):
        compiled = SimpleNamespace()
        keep(compiled, function, OPTIONS)
        assert vars(compiled) == {}


def test_what_comes_from_a_file_is_kept(folder):
    compiled = SimpleNamespace()
    keep(compiled, add, OPTIONS)
    assert Path(compiled._cache.cache_path) == cache_folder()


def test_where_numba_refuses_our_cache_its_own_is_kept_in_a_folder_of_these_sources(
    folder, monkeypatch
):
    def refuse(*_):
        raise TypeError("numba's cache is made otherwise")

    seen = []
    compiled = SimpleNamespace(enable_caching=lambda: seen.append(Path(config.CACHE_DIR)))
    monkeypatch.setattr(_numba_cache, "KernelCache", refuse)
    keep(compiled, add, OPTIONS)
    assert str(folder) == config.CACHE_DIR
    assert [path.parent for path in seen] == [cache_folder()]
    monkeypatch.setattr(_compiled, "any_edited", lambda modules: True)
    keep(compiled, add, OPTIONS)
    assert len(seen) == 1


@pytest.mark.large
def test_numbas_own_cache_works_in_that_folder(folder, monkeypatch):
    monkeypatch.setattr(_numba_cache, "KernelCache", None)
    compiled = jit(add)
    assert compiled(1, 2) == 3
    assert list(cache_folder().rglob("*.nbc"))


@pytest.mark.large
def test_a_damaged_file_is_compiled_again(folder):
    assert jit(add)(1, 2) == 3
    for file in cache_folder().iterdir():
        file.write_bytes(b"damaged")
    again = jit(add)
    assert again(1, 2) == 3
    assert sum(again.stats.cache_hits.values()) == 0
    third = jit(add)
    assert third(1, 2) == 3


# The folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """numba configured to keep its cache in ``tmp_path / cache``."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(config, "BOUNDSCHECK", None)
    _compiled._make_folder.cache_clear()
    yield tmp_path / "cache"
    _compiled._make_folder.cache_clear()


def test_code_with_bounds_checks_is_kept_apart(folder, monkeypatch):
    assert cache_folder() == folder / "driftduel-plain"
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    assert cache_folder() == folder / "driftduel-bounds"
    assert cache_folder().is_dir()


def test_without_a_setting_the_cache_is_in_the_users_cache(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, **_: tmp_path / name)
    assert cache_folder() == tmp_path / "driftduel" / "numba" / "driftduel-plain"


def test_where_no_folder_can_be_made_nothing_is_kept(folder, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert cache_folder() is None
    assert jit(add)(2, 3) == 5


def test_where_the_folder_cannot_be_written_nothing_is_kept(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, kind: False)
    assert cache_folder() is None


def test_for_a_user_without_a_home_nothing_is_kept(folder, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, **_: Path("~") / name)
    assert cache_folder() is None
    assert not Path("~").exists()


def test_unused_code_is_forgotten_after_a_month_or_beyond_a_size(tmp_path, monkeypatch):
    others = tmp_path / "somebody" / "a.nbc"
    ours = [
        tmp_path / f"driftduel-{mode}" / f"{n}.nbc"
        for n in range(4)
        for mode in ("plain", "bounds")
    ]
    now = _compiled.time.time()
    for days, file in enumerate((*ours, others)):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"12345678")
        os.utime(file, (now - days * 7 * 24 * 3600,) * 2)
    forget_unused.__wrapped__(tmp_path)
    assert [file.exists() for file in ours] == [True] * 5 + [False] * 3
    monkeypatch.setattr(_compiled, "_KEPT_BYTES", 16)
    forget_unused.__wrapped__(tmp_path)
    assert [file.exists() for file in ours] == [True] * 2 + [False] * 6
    assert others.exists()
