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
        assert found[name] == {"description": first, **asdict(kind.literature)}
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


def test_an_unknown_learner_is_refused(refused):
    known = ", ".join(sorted(LEARNERS))
    assert refused("learners", "Metabosse") == (
        f"no learner is called 'Metabosse', there are {known}"
    )
