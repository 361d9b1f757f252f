from __future__ import annotations

import ast
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from driftduel._support import sources as _sources
from driftduel._support.sources import (
    Module,
    any_edited,
    closure,
    code_hash,
    package_module,
    package_modules,
)

BOSSE = "driftduel.learners.paper.bosse"
META = "learners/paper/meta.py"
RUCB = "driftduel.learners.rivals.rucb"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package's sources, which may be edited."""
    folder = tmp_path / "driftduel"
    shutil.copytree(_sources._ROOT, folder, ignore=lambda _, names: {"__pycache__", "data"})
    monkeypatch.setattr(_sources, "_ROOT", folder)
    return folder


def versions(*names: str) -> list[str]:
    _sources._read.cache_clear()
    return [code_hash(closure([package_module(name)], in_functions=False)) for name in names]


def edit(file: Path, old: str, new: str) -> None:
    before = file.read_text()
    assert old in before
    file.write_text(before.replace(old, new, 1))


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def test_code_counts_where_it_is_imported_and_nowhere_else(package):
    before = versions(BOSSE, RUCB)
    append(package / META, "\nX = 1\n")
    meta = versions(BOSSE, RUCB)
    assert [old == new for old, new in zip(before, meta, strict=True)] == [False, True]
    append(package / "learners/rivals/rucb.py", "\nX = 1\n")
    rucb = versions(BOSSE, RUCB)
    assert [old == new for old, new in zip(meta, rucb, strict=True)] == [True, False]


def test_docstrings_comments_and_line_ends_do_not_count(package):
    file = package / META
    before = versions(BOSSE)
    edit(file, '"""', '"""Another first word. ')
    append(file, '\n# A remark.\n"""A string that nobody reads."""\n')
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert versions(BOSSE) == before
    append(file, "\nlong = 'not a docstring'\n")
    assert versions(BOSSE) != before


def test_an_empty_part_of_an_f_string_does_not_count():
    """Python 3.12.1 puts one at the end of a width that is an expression."""
    one, other = (ast.parse('x = f"{x:{width}}", ""') for _ in range(2))
    joined = next(node for node in ast.walk(other) if isinstance(node, ast.FormattedValue))
    joined.format_spec.values.append(ast.Constant(""))
    spelled: list[list[str]] = [[], []]
    for tree, words in zip((one, other), spelled, strict=True):
        _sources._spell(tree, words)
    assert spelled[0] == spelled[1]
    assert "''" in spelled[0]


def test_a_package_that_imports_on_first_use_counts_as_itself(package):
    (package / "learners/lazy.py").write_text("from driftduel import learners\n")
    names = {
        module.name
        for module in closure([package_module("driftduel.learners.lazy")], in_functions=False)
    }
    assert {"driftduel.learners", "driftduel.learners.contract.base"} <= names
    assert {BOSSE, RUCB}.isdisjoint(names)


@pytest.mark.parametrize(
    "line",
    [
        "from driftduel.learners.parts import verdicts",
        "from driftduel.learners.parts.verdicts import Verdicts",
        "import driftduel.learners.parts.verdicts as v",
        "from ..parts import verdicts",
        "from ..parts.verdicts import Verdicts",
        "if TYPE_CHECKING:\n    x = 1\nelse:\n    from driftduel.learners.parts import verdicts",
        "class A:\n    from driftduel.learners.parts import verdicts",
    ],
)
def test_imports_from_inner_packages_are_followed(package, line):
    (package / "learners/rivals/new.py").write_text(line)
    new = package_module("driftduel.learners.rivals.new")
    names = {module.name for module in closure([new], in_functions=False)}
    assert "driftduel.learners.parts.verdicts" in names


@pytest.mark.parametrize(
    "line",
    [
        "if TYPE_CHECKING:\n    from driftduel.learners.parts import verdicts",
        "if typing.TYPE_CHECKING:\n    from driftduel.learners.parts import verdicts",
        "def f():\n    from driftduel.learners.parts import verdicts",
        "import driftduel",
        "import verdicts",
    ],
)
def test_imports_that_are_not_done_are_not_followed(package, line):
    (package / "learners/rivals/new.py").write_text(line)
    new = package_module("driftduel.learners.rivals.new")
    assert closure([new], in_functions=False) == {new}


def test_a_file_that_cannot_be_parsed_counts_whole(package):
    (package / "matrix/weights.py").write_text("x = (  # one")
    one = versions("driftduel.matrix.weights")
    (package / "matrix/weights.py").write_text("x = (  # two")
    assert versions("driftduel.matrix.weights") != one


def test_what_has_no_part_in_playing_does_not_count(package):
    before = versions(BOSSE)
    append(package / "learners/contract/storage.py", "\nX = 1\n")
    append(package / "_support/sources.py", "\nX = 1\n")
    assert versions(BOSSE) == before
    assert all(package_module(name) for name in _sources._APART)


def test_all_modules_of_the_package_are_found_under_their_names():
    names = [module.name for module in package_modules()]
    assert {"driftduel", "driftduel.learners", BOSSE, RUCB} <= set(names)
    assert all(package_module(module.name) == module for module in package_modules())
    assert package_module("driftduel.nothing") is None
    assert package_module("numpy") is None


# Files outside the package


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Write modules outside the package, loaded as an import would; return the first's closure."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(**sources: str) -> set[str]:
        for name, source in sources.items():
            (tmp_path / f"{name}.py").write_text(source)
        for name in reversed(sources):
            module = type(sys)(name)
            module.__file__ = str(tmp_path / f"{name}.py")
            monkeypatch.setitem(sys.modules, name, module)
        first = next(iter(sources))
        root = Module(first, tmp_path / f"{first}.py")
        return {module.name for module in closure([root], in_functions=False)}

    return write


def test_files_of_the_user_are_followed_through_what_they_import(outside):
    found = outside(mine="import helpers\nimport json\n", helpers="from deep import f", deep="")
    assert found == {"mine", "helpers", "deep"}


def test_a_library_counts_with_its_version(outside):
    assert outside(mine="import numpy as np\n") == {"mine", f"numpy=={np.__version__}"}


def test_a_name_of_the_package_that_is_bound_there_leads_to_its_module(outside):
    found = outside(mine="from driftduel.learners import Learner")
    assert "driftduel.learners.contract.base" in found
    assert RUCB not in found


@pytest.mark.parametrize(
    "line",
    [
        "import driftduel as dd",
        "from driftduel.learners import MetaBosse",
        "import driftduel.matrix.weights",
    ],
)
def test_a_name_that_may_be_anything_leads_to_all_of_the_package(outside, line):
    everything = {module.name for module in package_modules()} - _sources._APART
    assert everything <= outside(mine=line)


def test_a_library_that_warns_of_its_version_is_left_in_peace(outside):
    import markupsafe

    assert "__version__" not in vars(markupsafe)
    assert "markupsafe==" in outside(mine="import markupsafe")


def test_a_file_changed_after_the_start_is_noticed(tmp_path):
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    for file in (old, new):
        file.touch()
    os.utime(old, (0, 0))
    assert not any_edited([Module("old", old), Module("library==1", None)])
    assert any_edited([Module("old", old), Module("new", new)])
