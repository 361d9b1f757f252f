"""Checks of learners whose arms come and go, and of those whose arms cannot."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.ranges import check_state
from driftduel.learners.contract.storage import classes_of, load_learner
from driftduel.testing.driving import Drive, Make, drive, essence, expect, snapshot, switching_world

N_ASKS = 300


def check_arms_come_and_go_or_cannot(make: Make) -> None:
    """Check that a learner asks about arms on offer only, and goes on after files, or says no."""
    learner = make(3, N_ASKS, 1)
    if not learner.can_change_arms:
        before = snapshot(learner)
        try:
            learner.change_arms(join=[3])
        except ValueError as error:
            expect("cannot change its arms" in str(error), f"it refused to change arms: {error}")
        else:
            expect(False, "an arm joined a learner that cannot change its arms")
        expect(snapshot(learner) == before, "a change that was refused changed the learner")
        return
    straight = _drive(make)
    with TemporaryDirectory() as folder:
        resumed = _drive(make, Path(folder) / "learner.json")
    expect(essence(resumed.duels) == essence(straight.duels), "it went on otherwise from a file")
    expect(
        snapshot(resumed.learner, named=False) == snapshot(straight.learner, named=False),
        "it ended in another state from a file",
    )


def check_joining_at_once_is_starting_so(make: Make) -> None:
    """Check that an arm that joins before the first round was there from the start."""
    learner = make(3, N_ASKS, 1)
    if not learner.can_change_arms:
        return
    learner.change_arms(join=[3])
    plain = learner.clone()
    expect(
        snapshot(learner, named=False) == snapshot(plain, named=False),
        "an arm that joined before the first round made another state",
    )
    world = switching_world(4, N_ASKS)
    expect(
        essence(drive(learner, world).duels) == essence(drive(plain, world).duels),
        "an arm that joined before the first round made other duels",
    )


def _drive(make: Make, file: Path | None = None) -> Drive:
    """Play while arms come and go; where a file is named, through it after each change."""
    changes = {
        N_ASKS // 4: ([3], []),
        N_ASKS // 2: ([4], [3]),
        3 * N_ASKS // 4: ([3], [4]),
    }
    offers: list[set[int]] = []

    def between(step: int, learner: Learner) -> Learner:
        if step in changes:
            join, leave = changes[step]
            learner.change_arms(join=join, leave=leave)
            if file is not None:
                learner.save(file)
                learner = load_learner(file, classes_of(learner))
        offers.append(set(learner.offered.tolist()))
        if step % 5 == 0:
            _expect_sound(learner, offers[-1])
        return learner

    driven = drive(make(3, N_ASKS, 1), switching_world(5, N_ASKS), between=between)
    for duel, offered in zip(driven.duels, offers, strict=True):
        gone = {duel.left, duel.right} - offered
        expect(not gone, f"it asked about {gone}, on offer were {sorted(offered)}")
    return driven


def _expect_sound(learner: Learner, offered: set[int]) -> None:
    expect(learner.best() in offered, f"best() gave {learner.best()}, which is not on offer")
    expect(set(learner.active.tolist()) <= offered, "an arm in play is not on offer")
    try:
        check_state(learner._player, learner._session.state, learner.rounds)
    except ValueError as error:
        expect(False, f"its ranges do not hold after arms changed: {error}")
