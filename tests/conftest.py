"""Learners from outside the package, for tests of all kinds."""

from __future__ import annotations

import sys
from contextlib import suppress

import pytest

from driftduel._support import registry
from tests.outside import GREEDY

with suppress(ImportError):  # smoke tests run where it is not installed
    from hypothesis import settings

    # How long an example takes says more of the machine than of the code: no test asserts a time.
    settings.register_profile("unhurried", settings(), deadline=None)
    settings.load_profile("unhurried")


@pytest.fixture
def forgotten(monkeypatch):
    """Undo what a test imports, and what it adds to the path."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "EpsilonGreedy", None) is not None:
            del sys.modules[name]


@pytest.fixture
def package(tmp_path, monkeypatch, forgotten):
    """An installed package that hands on learners; returns a function that installs it."""

    def install(module, text=GREEDY, name="EpsilonGreedy", attribute="EpsilonGreedy"):
        home = tmp_path / "installed"
        information = home / f"{module}-1.0.dist-info"
        information.mkdir(parents=True)
        (home / f"{module}.py").write_text(text)
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n"
        )
        (information / "entry_points.txt").write_text(
            f"[driftduel.learners]\n{name} = {module}:{attribute}\n"
        )
        monkeypatch.syspath_prepend(home)
        registry.installed_learners.cache_clear()

    yield install
    monkeypatch.undo()
    registry.installed_learners.cache_clear()
