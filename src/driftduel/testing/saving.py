"""Checks of files, copies and clones of a learner."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from tempfile import TemporaryDirectory

from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.ranges import check_state, check_ticket, fields_without_range
from driftduel.learners.contract.storage import classes_of, load_learner
from driftduel.testing.driving import (
    Drive,
    Make,
    compiled,
    drive,
    essence,
    expect,
    snapshot,
    switching_world,
)

BEGINNING = 60
"""Steps of which each state is looked at, because most of what may be wrong is at the edge."""


def check_resumes_bit_for_bit(make: Make) -> None:
    """Check that a learner saved and read, with duels open, goes on as if nothing had been."""
    n_asks = 1500 if compiled(make(4, 1, 0)) else 600
    world = switching_world(4, n_asks)
    straight = drive(make(4, n_asks, 1), world)
    moments = {0, 1, 2, 50, n_asks // 3, n_asks // 2 + 1, n_asks - 1}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "learner.json"

        def between(step: int, learner: Learner) -> Learner:
            if step not in moments:
                return learner
            learner.save(file)
            again = load_learner(file, classes_of(learner))
            expect(type(again) is type(learner), f"a {type(again).__name__} was read")
            expect(snapshot(again) == snapshot(learner), "what was read is not what was saved")
            return again

        resumed = drive(make(4, n_asks, 1), world, between=between)
    expect(essence(resumed.duels) == essence(straight.duels), "it asked other duels after that")
    expect(
        snapshot(resumed.learner, named=False) == snapshot(straight.learner, named=False),
        "it ended in another state",
    )


def check_states_stay_in_range(make: Make) -> None:
    """Check that the ranges a learner declares, if any, hold in every state it gets into."""
    n_asks = 1500 if compiled(make(4, 1, 0)) else 300
    for n_arms, horizon in ((2, n_asks // 3), (5, n_asks), (5, n_asks // 10)):
        learner = make(n_arms, horizon, 1)
        missing = fields_without_range(learner)
        expect(not missing, f"there are no ranges for {', '.join(missing)}")
        drive(learner, switching_world(n_arms, horizon), seed=n_arms, between=_expect_in_range)
        _expect_in_range(0, learner)


def _expect_in_range(step: int, learner: Learner) -> Learner:
    session = learner._session
    if step < BEGINNING or step % 8 == 0:
        declared = "ranges do"
        try:
            check_state(learner, session.state, session.told)
            declared = "ticket does"
            for _, _, ticket in list(session.open.values())[-5:]:
                check_ticket(learner, ticket, session.state, session.told)
        except ValueError as error:
            expect(False, f"its {declared} not hold after {session.told} rounds: {error}")
    return learner


def check_clone_starts_afresh(make: Make) -> None:
    """Check that a clone has the same parameters, except those changed, and a state of its own."""
    world = switching_world(3, 200)
    learner = drive(make(3, 200, 1), world).learner
    before = snapshot(learner)
    clone = learner.clone()
    expect(type(clone) is type(learner), f"a clone is a {type(clone).__name__}")
    expect(clone.rounds == 0 and not clone.open_duels, "a clone does not start afresh")
    fresh = snapshot(make(3, 200, 1), named=False)
    expect(snapshot(clone, named=False) == fresh, "a clone differs from a new learner")
    drive(clone, world)
    expect(snapshot(learner) == before, "playing with a clone changed the original")
    expect(learner.clone(seed=8).seed == 8, "clone(seed=8) has another seed")


def check_copies_go_on_alone(make: Make) -> None:
    """Check that a copy, also by pickle, goes on bit for bit and leaves the original alone."""
    world = switching_world(3, 400)
    for how, duplicate in (
        ("copied", copy.deepcopy),
        ("pickled", _through_pickle),
    ):
        original = Drive(make(3, 400, 1), world).go_on(200)
        before = snapshot(original.learner)
        twin = duplicate(original)
        twin.go_on(200)
        expect(snapshot(original.learner) == before, f"a {how} learner changed the original")
        expect(
            essence(original.go_on(200).duels) == essence(twin.duels)
            and snapshot(original.learner) == snapshot(twin.learner),
            f"a {how} learner went on otherwise",
        )


def _through_pickle(driven: Drive) -> Drive:
    again: Drive = pickle.loads(pickle.dumps(driven))
    return again
