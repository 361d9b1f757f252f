"""Checks of how a learner takes outcomes: ties, delays, losses, and what it must refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from driftduel.learners.base import Learner
from driftduel.learners.session import Duel
from driftduel.testing.driving import Drive, Make, drive, essence, expect, snapshot, switching_world


def check_takes_ties(make: Make) -> None:
    """Check that a tie is an outcome like the others, even if nothing but ties is told."""
    learner = make(3, 300, 1)
    for _ in range(300):
        learner.tell(learner.ask(), 0.5)
    expect(learner.rounds == 300, f"300 ties were told, rounds is {learner.rounds}")
    expect(0 <= learner.best() < 3, f"after ties only, best() gave {learner.best()}")


def check_counts_each_duel_once(make: Make) -> None:
    """Check that outcomes may come late, in any order or never; each that comes is one round."""
    driven = drive(make(4, 400, 1), switching_world(4, 400))
    learner = driven.learner
    expect(
        [duel.id for duel in driven.duels] == list(range(400)),
        "the duels are not numbered 0, 1, 2, ...",
    )
    expect(learner.rounds == driven.told, f"{driven.told} were told, rounds is {learner.rounds}")
    still_open = {duel.id for duel in learner.open_duels}
    expect(len(still_open) == 400 - driven.told, "the open duels are not those never told")
    expect({duel.id for duel in driven.waiting} <= still_open, "a duel not told is not open")
    for duel in driven.waiting:
        learner.tell(duel.id, 0.0)
    expect(learner.rounds == driven.told + len(driven.waiting), "the late outcomes do not count")


def check_lost_duels_cost_nothing(make: Make) -> None:
    """Check that asking changes nothing but the generator: set back, it gives the same duels."""
    world = switching_world(4, 600)
    one, other = (Drive(make(4, 600, 1), world).go_on(300) for _ in range(2))
    generator = one.learner.session.rng.bit_generator
    before = generator.state
    lost = [one.learner.ask() for _ in range(50)]
    generator.state = before
    again = [one.learner.ask() for _ in range(50)]
    expect(essence(lost) == essence(again), "a duel never told changed the next one")
    generator.state = before
    expect(
        essence(one.go_on(300).duels) == essence(other.go_on(300).duels),
        "duels never told changed what was played later",
    )


def check_bad_outcomes_change_nothing(make: Make) -> None:
    """Check that an outcome that is not 1, 0 or 0.5 is a ValueError, and the duel stays open."""
    learner = drive(make(3, 100, 1), switching_world(3, 50)).learner
    duel = learner.ask()
    before = snapshot(learner)
    bad = (np.nan, np.inf, 2, -1, 0.25, "1", True, np.True_, None, [1], 1j, np.array([1.0, 0.0]))
    for outcome in bad:
        _refuses(learner, duel, outcome, f"the outcome {outcome!r}")
        expect(snapshot(learner) == before, f"the outcome {outcome!r} changed the learner")
    learner.tell(duel, np.float64(1))


def check_bad_duels_change_nothing(make: Make) -> None:
    """Check that a duel told twice, cancelled, never asked or of another is a ValueError."""
    learner = drive(make(3, 100, 1), switching_world(3, 50)).learner
    told, cancelled, still_open = (learner.ask() for _ in range(3))
    learner.tell(told, "left")
    learner.cancel(cancelled)
    other = make(3, 100, 1)
    foreign = [other.ask() for _ in range(still_open.id + 1)][-1]
    before = snapshot(learner)
    for duel, what in (
        (told, "a duel told twice"),
        (told.id, "the number of a duel told twice"),
        (told.code, "the code of a duel told twice"),
        (cancelled, "a duel that was cancelled"),
        (foreign, "a duel of another learner"),
        (replace(still_open, left=(still_open.left + 1) % 3), "a duel with another arm"),
        (f"{still_open.id}-{'0000' if still_open.code[-1] != '0' else '0001'}", "a wrong code"),
        (still_open.id + 1, "a number never asked"),
        (-1, "the number -1"),
        (None, "None for a duel"),
        ("1", "a text for a duel"),
    ):
        _refuses(learner, duel, 1.0, what)
        expect(snapshot(learner) == before, f"{what} changed the learner")
    learner.tell(still_open.code, 1.0)


def _refuses(learner: Learner, duel: Duel | int | Any, outcome: Any, what: str) -> None:
    accepted = True
    try:
        learner.tell(duel, outcome)
    except ValueError:
        accepted = False
    except Exception as error:
        raise AssertionError(f"{what} gave {error!r}, must be a ValueError") from error
    expect(not accepted, f"{what} was accepted")
