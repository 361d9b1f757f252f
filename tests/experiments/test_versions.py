from __future__ import annotations

import driftduel
from driftduel.experiments import versions
from driftduel.learners import all_learners


def names(module: str) -> set[str]:
    return {found.name for found in versions.modules_of(module)}


def test_the_closure_holds_what_a_learner_is_made_of_and_no_other_learner():
    found = names("driftduel.learners.paper.bosse")
    assert {
        "driftduel.learners.contract.base",
        "driftduel.learners.paper.meta",
        "driftduel._support.compile.jit",
    } <= found
    assert "driftduel.learners.rivals.rucb" not in found
    assert "driftduel.learners.contract.storage" not in found


def test_the_closure_of_our_own_learner_holds_no_rival():
    found = names("driftduel.learners.driftduel.learner")
    assert "driftduel.learners.parts.journal" in found
    assert not [name for name in found if ".rivals." in name or ".episodic." in name]


def test_imports_inside_functions_count_and_those_for_type_checkers_do_not():
    assert "driftduel.learners.rivals.borda" in names("driftduel.learners.rivals.restarts")
    assert "driftduel.worlds.stream" not in names("driftduel.learners.paper.bosse")


def test_every_learner_has_a_version():
    found = {versions.learner_version(name) for name in all_learners()}
    assert len(found) > 10
    assert all(len(version) == 16 for version in found)


def test_the_version_of_the_package_begins_with_its_number():
    assert versions.package_version().startswith(f"{driftduel.__version__}+")
