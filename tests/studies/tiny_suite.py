"""A suite of two worlds a criterion that is played in no time, with answers of made-up rivals."""

from __future__ import annotations

from studies.benchmark import suite

WORLDS = [
    suite.SuiteWorld(label, criterion, half, world, {"horizon": 300, **parameters})
    for criterion in suite.CRITERIA
    for label, half, world, parameters in (
        ("stationary: ties", "tuning", "one-winner", {"n_arms": 3, "margin": 0.01}),
        ("switching: two", "held-out", "alternation", {"n_arms": 2, "margin": 0.5, "every": 150}),
    )
]


def answer(mean, told="tuned in hindsight", aims=None, **parameters):
    score = {"mean": mean, "error": mean / 10, "runs": 64}
    return {"told": told, "parameters": parameters, **score, "aims": aims}


ANSWERS = {
    "Tuned": answer(20.0, memory=30.0),
    "Told": answer(40.0, "told S"),
    "Plain": answer(80.0, "no prior knowledge"),
    "MetaBosse": answer(0.5, "no prior knowledge"),
    "Stranger": answer(0.1, aims="copeland"),
}


def worlds(criterion=None, half=None):
    return [
        world
        for world in WORLDS
        if criterion in (None, world.criterion) and half in (None, world.half)
    ]


def hindsight():
    return {
        world.criterion: {
            other.label: {
                name: {**answer, "aims": answer["aims"] or world.criterion}
                for name, answer in ANSWERS.items()
            }
            for other in worlds(world.criterion)
        }
        for world in worlds()
    }


def install(monkeypatch):
    monkeypatch.setattr(suite, "worlds", worlds)
    monkeypatch.setattr(suite, "HALVES", ("held-out", "tuning"))
    monkeypatch.setattr(suite, "hindsight", hindsight)
