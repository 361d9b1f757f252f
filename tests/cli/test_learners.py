from __future__ import annotations

import inspect
from dataclasses import asdict

import pytest

import driftduel as dd

LEARNERS = dd.all_learners()


def test_every_learner_is_listed_with_the_first_line_of_its_docstring(run):
    lines = [" ".join(line.split()) for line in run("learners").out.splitlines()]
    found = run("learners", "--json").json
    assert set(found) == set(LEARNERS)
    for name, kind in LEARNERS.items():
        first = inspect.getdoc(kind).splitlines()[0]
        facts = {key: found[name][key] for key in ("serves", "needs_horizon")}
        assert found[name] == {"description": first, **facts, **asdict(kind.literature)}
        assert facts["needs_horizon"] is kind.needs_horizon
        assert any(line.startswith(f"{name} {first[:30]}") for line in lines)


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_every_learner_tells_its_docstring_and_parameters(run, name):
    done = run("learners", name)
    assert inspect.getdoc(LEARNERS[name]).splitlines()[0] in done.words
    rows = [line.split() for line in done.out.splitlines()]
    assert ["n_arms", "(must", "be", "given)"] in rows
    assert ["seed", "0"] in rows
    found = run("learners", name, "--json").json
    assert found["bound"] == LEARNERS[name].literature.bound
    assert found["bound"] in done.words
    assert found["description"] == inspect.getdoc(LEARNERS[name])
    assert list(found["parameters"])[:2] == ["n_arms", "horizon"]
    assert found["parameters"]["seed"] == 0


def test_a_learner_tells_which_criteria_it_serves_and_whether_it_needs_a_horizon(run):
    found = run("learners", "--json").json
    assert found["Uniform"]["serves"] == ["borda", "any other"]
    assert found["CCB"]["serves"] == ["condorcet", "copeland"]
    assert [name for name in ("DEX3P", "RUCB") if found[name]["needs_horizon"]] == ["DEX3P"]
    rows = [line.split() for line in run("learners", "MetaBosse").out.splitlines()]
    assert ["criteria", "borda,", "weighted,", "condorcet"] in rows
    shown = run("learners", "RUCB", "--json").json["parameters"]
    assert shown["criterion"] == "Condorcet()"


def test_an_unknown_learner_is_refused(refused):
    known = ", ".join(sorted(LEARNERS))
    assert refused("learners", "Metabosse") == (
        f"no learner is called 'Metabosse', there are {known}"
    )
