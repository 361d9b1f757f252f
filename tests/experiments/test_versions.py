from __future__ import annotations

import driftduel
from driftduel.experiments import versions
from driftduel.learners import all_learners


def test_the_closure_holds_what_a_learner_is_made_of_and_no_other_learner():
    found = versions.closure("driftduel.learners.episodic.bosse")
    assert {
        "driftduel.learners.base",
        "driftduel.learners.episodic.meta",
        "driftduel._jit",
    } <= found
    assert "driftduel.learners.rivals.rucb" not in found
    assert "driftduel.learners.storage" not in found


def test_imports_inside_functions_count_and_those_for_type_checkers_do_not():
    assert "driftduel.learners.rivals.borda" in versions.closure(
        "driftduel.learners.rivals.restarts"
    )
    assert "driftduel.streams.stream" not in versions.closure("driftduel.learners.episodic.bosse")


def test_every_learner_has_a_version():
    found = {versions.learner_version(name) for name in all_learners()}
    assert len(found) > 10
    assert all(len(version) == 16 for version in found)


def test_an_edit_gives_a_new_version_to_those_who_import_it_alone(monkeypatch):
    source = versions._source

    def edited(name):
        original = source(name)
        return original + b"\nX = 1\n" if name == "driftduel.learners.episodic.meta" else original

    names = ("driftduel.learners.episodic.bosse", "driftduel.learners.rivals.rucb")
    before = [versions.code_version(name) for name in names]
    monkeypatch.setattr(versions, "_source", edited)
    after = [versions.code_version.__wrapped__(name) for name in names]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True]


def test_line_endings_do_not_matter():
    assert versions._normal(b"a\r\nb\n") == b"a\nb\n"


def test_the_version_of_the_package_begins_with_its_number():
    assert versions.package_version().startswith(f"{driftduel.__version__}+")
