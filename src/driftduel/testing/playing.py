"""Checks of what a learner plays, and of what it says about itself."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from driftduel.experiments.simulation import simulate
from driftduel.learners.contract.base import Learner
from driftduel.testing.driving import Make, drive, expect, snapshot, switching_world, tell_won


def check_plays_arms_that_exist(make: Make) -> None:
    """Check that both arms of a duel are from 0 to K - 1, and its propensity from 0 to 1."""
    for n_arms in (2, 3, 7):
        for duel in drive(make(n_arms, 300, 1), switching_world(n_arms, 300)).duels:
            chance = duel.propensity
            expect(
                chance is None or 0 < chance <= 1 + 1e-12,
                f"a duel was played with propensity {chance}",
            )


def check_best_is_an_arm(make: Make) -> None:
    """Check that at any time `best` is a whole number from 0 to K - 1."""

    def between(_: int, learner: Learner) -> Learner:
        best: Any = learner.best()
        expect(type(best) is int, f"best() gave a {type(best).__name__}, must be an int")
        expect(0 <= best < learner.n_arms, f"of {learner.n_arms} arms best() gave {best}")
        return learner

    drive(make(4, 300, 1), switching_world(4, 300), between=between)


def check_active_arms_are_arms(make: Make) -> None:
    """Check that at any time `active` holds one arm at least, each once, in order."""

    def between(_: int, learner: Learner) -> Learner:
        active = list(map(int, learner.active))
        expect(len(active) > 0, "no arm is active")
        expect(active == sorted(set(active)), f"active is {active}, must be increasing")
        expect(
            set(active) <= set(range(learner.n_arms)),
            f"of {learner.n_arms} arms {active} are active",
        )
        return learner

    drive(make(4, 300, 1), switching_world(4, 300), between=between)


def check_plays_one_round(make: Make) -> None:
    """Check that a horizon of one round is enough, by hand and in the simulator."""
    learner = make(3, 1, 1)
    tell_won(learner, learner.ask())
    expect(learner.rounds == 1, f"one outcome was told, rounds is {learner.rounds}")
    run = simulate(make(3, 1, 1), switching_world(3, 1))
    expect(run.plays.sum() == 1, f"{run.plays.sum()} rounds of 1 were played")


def check_plays_two_arms(make: Make) -> None:
    """Check that two arms are enough, by hand and in the simulator."""
    world = switching_world(2, 500)
    run = simulate(make(2, 500, 1), world)
    expect(run.plays.sum() == 500, f"{run.plays.sum()} rounds of 500 were played")
    expect(len(drive(make(2, 500, 1), world).duels) == 500, "not every ask gave a duel")


def check_goes_on_or_refuses_after_its_horizon(make: Make) -> None:
    """Check that after its horizon a learner goes on, or raises ValueError and stays as it is."""
    learner = make(3, 20, 1)
    for _ in range(20):
        tell_won(learner, learner.ask())
    late = None
    before = snapshot(learner)
    try:
        late = learner.ask()
    except ValueError:
        expect(snapshot(learner) == before, "an ask that was refused changed the learner")
    if late is not None:
        before = snapshot(learner)
        try:
            tell_won(learner, late)
        except ValueError:
            expect(snapshot(learner) == before, "a tell that was refused changed the learner")


def check_labels_are_kept(make: Make) -> None:
    """Check that the names of the arms are kept, and refused if two are equal or one is missing.

    Where arms have names, duels have them, outcomes may be told by them, and the best is one.
    """
    learner, names = make(3, 10, 1), ("tea", "coffee", "milk")
    named = learner.clone(labels=[*names])
    expect(named.labels == names, f"the labels became {named.labels}")
    short = learner.clone(n_arms=[*names])
    expect((short.n_arms, short.labels) == (3, names), f"names as n_arms became {short.labels}")
    expect(named.best() == names[named.best_index], f"best() gave {named.best()!r}, no name")
    duel = named.ask()
    expect(duel.names == (names[duel.left], names[duel.right]), f"a duel is called {duel.names}")
    named.tell(duel, duel.names[0] if duel.is_vote else "tie")
    found = named._session.closed[duel.id][2]
    expect(found == ("left" if duel.is_vote else "tie"), f"the name of the left one told {found}")
    for wrong in (["tea", "milk"], ["tea", "tea", "milk"], "abc"):
        accepted = True
        try:
            learner.clone(labels=wrong)
        except ValueError:
            accepted = False
        expect(not accepted, f"labels {wrong} of 3 arms were accepted")


def check_configuration_never_changes(make: Make) -> None:
    """Check that no use of a learner changes its parameters, and nobody can set one."""
    world = switching_world(3, 300)
    learner = make(3, 300, 1)
    before = snapshot(learner)["learner"]
    drive(learner, world)
    expect(snapshot(learner)["learner"] == before, "asking and telling changed its parameters")
    simulate(learner, world)
    expect(snapshot(learner)["learner"] == before, "simulating changed its parameters")
    with suppress(AttributeError):
        learner.horizon = 7  # type: ignore[misc]
    expect(learner.horizon != 7, "a parameter could be set")


def check_reading_changes_nothing(make: Make) -> None:
    """Check that looking at a learner does not change it."""
    learner = drive(make(3, 300, 1), switching_world(3, 300)).learner
    before = snapshot(learner)
    learner.best()
    for name in (
        "best_index",
        "active",
        "rounds",
        "open_duels",
        "episodes",
        "evictions",
        "activations",
        "replays",
    ):
        value = getattr(learner, name)
        if isinstance(value, list):
            value.clear()
        elif isinstance(value, np.ndarray) and value.flags.writeable:
            value.fill(0)
    repr(learner)
    learner.config().clear()
    expect(snapshot(learner) == before, "reading changed the learner")
