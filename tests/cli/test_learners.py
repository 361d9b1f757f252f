from __future__ import annotations

import inspect
from dataclasses import asdict

import pytest

import driftduel as dd
from tests.outside import GREEDY

LEARNERS = dd.all_learners()


def test_every_learner_is_listed_with_the_first_line_of_its_docstring(run):
    lines = [" ".join(line.split()) for line in run("learners").out.splitlines()]
    found = run("learners", "--json").json
    assert set(found) == set(LEARNERS)
    for name, kind in LEARNERS.items():
        first = inspect.getdoc(kind).splitlines()[0]
        facts = {key: found[name][key] for key in ("serves", "needs_horizon")}
        assert found[name] == {"description": first, **facts, **asdict(kind._literature)}
        assert facts["needs_horizon"] is kind._needs_horizon
        assert any(line.startswith(f"{name} {first[:30]}") for line in lines)


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_every_learner_tells_its_docstring_and_parameters(run, name):
    done = run("learners", name)
    assert inspect.getdoc(LEARNERS[name]).splitlines()[0] in done.words
    rows = [line.split() for line in done.out.splitlines()]
    assert ["n_arms", "(must", "be", "given)"] in rows
    assert ["seed", "0"] in rows
    found = run("learners", name, "--json").json
    assert found["bound"] == LEARNERS[name]._literature.bound
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
        f"no learner is called 'Metabosse' (did you mean MetaBosse?), there are {known}"
    )


def test_a_learner_of_ones_own_tells_about_itself(run, tmp_path, monkeypatch, forgotten):
    (tmp_path / "greedy_told.py").write_text(GREEDY)
    monkeypatch.chdir(tmp_path)
    found = run("learners", "greedy_told:EpsilonGreedy", "--json").json
    assert found["description"] == "Plays the leader, or somebody at random."
    assert (found["parameters"]["epsilon"], found["bound"]) == (0.1, "-")
    assert "Plays the leader" in run("learners", "greedy_told:EpsilonGreedy").out


def test_learners_of_installed_packages_are_listed_with_their_package(run, package):
    package("greedy_listed")
    found = run("learners", "--json").json
    assert set(found) == {*LEARNERS, "EpsilonGreedy"}
    described = "Plays the leader, or somebody at random. (of greedy_listed)"
    assert found["EpsilonGreedy"]["description"] == described
    assert described in run("learners").words
    assert run("learners", "EpsilonGreedy", "--json").json["parameters"]["epsilon"] == 0.1


def test_a_package_that_is_broken_does_not_hide_the_others(run, package):
    package("greedy_broken", "1 / 0")
    found = run("learners", "--json").json
    assert set(found) == {*LEARNERS, "EpsilonGreedy"}
    assert found["EpsilonGreedy"]["description"].startswith(
        "of greedy_broken: greedy_broken cannot be imported, ZeroDivisionError"
    )
    assert "EpsilonGreedy" in run("learners").out
