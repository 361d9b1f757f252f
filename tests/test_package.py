from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import driftduel

ROOT = Path(__file__).parent.parent
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())
HEAVY = {"altair", "numba", "numpy", "polars", "rich", "typer"}
ARENA = {"fastapi", "jinja2", "prometheus_client", "psycopg", "uvicorn"}


def modules_after(script: str) -> set[str]:
    """Names of the top modules that a new process holds after running ``script``."""
    script += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def test_importing_the_package_imports_nothing_heavy():
    assert modules_after("import driftduel") & (HEAVY | ARENA) == set()


def test_learners_do_without_what_the_arena_needs():
    assert modules_after("import driftduel as dd; dd.DriftPoll(3).ask()") & ARENA == set()


def test_streams_and_criteria_do_without_numba():
    script = "import driftduel as dd; dd.Stream, dd.Borda, dd.Weighted, dd.Condorcet, dd.classify"
    assert modules_after(script) & HEAVY == {"numpy"}


def test_what_a_notebook_needs_is_imported_when_it_shows_something():
    script = (
        "import driftduel as dd; s = dd.Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 9); repr(s)"
    )
    drawing = {"altair", "jinja2", "polars", "vl_convert"}
    assert modules_after(script) & drawing == set()
    assert modules_after(f"{script}; s._repr_html_()") >= {"jinja2"}


def test_the_figures_for_notebooks_list_what_is_public():
    assert dir(driftduel.plot) == ["regret", "scaling", "timeline"]


def test_every_public_name_can_be_had():
    for name in driftduel.__all__:
        assert getattr(driftduel, name) is not None
    assert dir(driftduel) == sorted(driftduel.__all__)
    assert {"Borda", "Condorcet", "Stream", "Weighted", "classify"} <= set(driftduel.__all__)


@pytest.mark.parametrize("package", ["driftduel.learners", "driftduel.report", "driftduel.worlds"])
def test_every_public_name_of_a_package_can_be_had(package):
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert dir(module) == module.__all__ == sorted(module.__all__)
    with pytest.raises(AttributeError, match=rf"^module '{package}' has no attribute 'nothing'$"):
        module.nothing  # noqa: B018


def test_a_learner_of_the_roster_is_a_name_everywhere():
    from driftduel._support import roster

    names = {name for name in vars(roster) if not name.startswith("_")}
    assert names == set(driftduel.all_learners())
    assert names <= set(driftduel.learners.__all__)
    assert all(getattr(driftduel.learners, name) is getattr(roster, name) for name in names)


def test_a_learner_that_moved_still_works_for_this_release_with_a_sentence():
    sentence = r"^driftduel\.RUCB is now driftduel\.learners\.RUCB; the old name works until 0\.2$"
    with pytest.warns(DeprecationWarning, match=sentence):
        old = driftduel.RUCB
    assert old is driftduel.learners.RUCB
    assert "RUCB" not in dir(driftduel)


def test_old_names_are_refused_with_the_new_one():
    from driftduel._support.renamed import MOVED

    for old, new in MOVED.items():
        with pytest.raises(AttributeError, match=rf"^driftduel\.{old} is now driftduel\.{new}$"):
            getattr(driftduel, old)
        home, _, name = f"driftduel.{new}".rpartition(".")
        module = importlib.import_module(home)
        assert hasattr(module, name) or importlib.util.find_spec(f"{home}.{name}")


def test_what_people_use_fits_on_a_page():
    assert len(dir(driftduel)) <= 52


def test_every_learner_of_the_package_is_in_the_roster():
    """A class that can be made and is no base of another is one to be listed."""
    from driftduel.learners import Learner

    listed = set(driftduel.all_learners().values())
    pending, found = [Learner], set()
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if kind.__module__.startswith("driftduel.learners.") and not inspect.isabstract(kind):
            found.add(kind)
    assert {kind for kind in found - listed if not kind.__subclasses__()} == set()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"^module 'driftduel' has no attribute 'stream'$"):
        driftduel.stream  # noqa: B018


def test_the_version_is_the_one_that_was_installed():
    assert driftduel.__version__ == CONFIGURATION["project"]["version"]
    assert importlib.metadata.version("driftduel") == driftduel.__version__


def test_the_package_says_that_it_is_typed():
    assert (Path(driftduel.__file__).parent / "py.typed").is_file()


def test_the_wheel_holds_the_package_and_nothing_of_the_studies():
    targets = CONFIGURATION["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"] == {"packages": ["src/driftduel"]}
    assert not any("tests" in name or "studies" in name for name in targets["sdist"]["include"])
    package = ROOT / "src" / "driftduel"
    assert Path(driftduel.__file__).parent == package
    assert not (package / "studies").exists()
    assert list(package.rglob("hindsight*")) == []
    (contract,) = [
        one
        for one in CONFIGURATION["tool"]["importlinter"]["contracts"]
        if "forbidden" in one["type"]
    ]
    assert contract["source_modules"] == ["driftduel"]
    assert {"benchmarks", "studies"} <= set(contract["forbidden_modules"])


def test_warnings_are_errors():
    with pytest.raises(UserWarning, match="beware"):
        warnings.warn("beware", stacklevel=1)


def test_unknown_markers_are_refused_and_the_known_ones_explained(pytestconfig):
    assert pytestconfig.getoption("strict_markers")
    names = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert {"large", "once", "slow"} <= names


def test_examples_in_docstrings_are_tests(pytestconfig):
    assert pytestconfig.getoption("doctestmodules")
    assert "src" in pytestconfig.getini("testpaths")


def test_the_checkout_holds_no_symbolic_links():
    """A checkout on Windows turns them into small text files."""
    folders = ("benchmarks", "docs", "src", "studies", "tests")
    found = [path for name in folders for path in (ROOT / name).rglob("*") if path.is_symlink()]
    assert found == []
    assert not (ROOT / "experiments").exists()


def pins_of(name):
    text = (ROOT / "requirements" / name).read_text()
    return re.findall(r"^([^\s=]+)==([^\s;\\]+)", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["hashes.txt", "arena.txt"])
def test_hashes_are_of_what_the_lock_has(name):
    """Who installs by them gets what was looked at, from whatever mirror."""
    locked = set(pins_of("dev.txt"))
    pins = pins_of(name)
    assert set(pins) <= locked
    names = {package for package, _ in pins}
    assert {"fastapi", "uvicorn", "numpy", "psycopg"} <= names
    parts = re.split(r"^(?=\S+==)", (ROOT / "requirements" / name).read_text(), flags=re.MULTILINE)
    assert parts[0] == ""
    assert len(parts) - 1 == len(pins)
    assert all(re.search("--hash=sha256:[0-9a-f]{64}", part) for part in parts[1:])


def test_the_release_tries_a_door_of_every_extra():
    found = runpy.run_path(str(ROOT / "requirements" / "release.py"))
    extras = set(CONFIGURATION["project"]["optional-dependencies"])
    assert found["DOORS"].keys() == {"", *extras - {*found["NOT_FOR_USERS"]}}


def test_an_audit_says_what_is_known_and_nothing_where_nobody_can_be_asked(monkeypatch, capsys):
    audit = runpy.run_path(str(ROOT / "requirements" / "audit.py"))
    asked = audit["main"].__globals__
    monkeypatch.setitem(asked, "urlopen", lambda *_, **__: io.BytesIO(b"<html>"))
    assert audit["main"]() == 0
    assert "could not be asked" in capsys.readouterr().err
    wrong = {"id": "X-1", "summary": "opens doors", "details": "", "withdrawn": None}
    facts = {"vulnerabilities": [wrong, {**wrong, "id": "X-2", "withdrawn": "2026-01-01"}]}
    body = json.dumps(facts).encode()
    monkeypatch.setitem(asked, "urlopen", lambda *_, **__: io.BytesIO(body))
    assert audit["main"]() == 1
    said = capsys.readouterr().out
    assert "fastapi" in said
    assert "X-1: opens doors" in said
    assert "X-2" not in said


def test_the_lock_holds_a_version_of_everything_declared():
    locked: dict[str, list[Version]] = {}
    for name, version in pins_of("dev.txt"):
        locked.setdefault(name, []).append(Version(version))
    project = CONFIGURATION["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = [Requirement(line) for group in groups for line in group]
    for one in (one for one in declared if one.name != "driftduel"):
        assert all(version in one.specifier for version in locked[one.name]), one
