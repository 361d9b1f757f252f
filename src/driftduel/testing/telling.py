"""Checks of how a learner takes outcomes: ties, delays, losses, and what it must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.offer import DuelOutcome
from driftduel.learners.contract.session import AlreadyTold, Duel
from driftduel.learners.contract.storage import load_learner
from driftduel.testing.driving import (
    Drive,
    Make,
    compiled,
    drive,
    essence,
    expect,
    knowledge,
    snapshot,
    switching_world,
    tell_won,
)

LOOKED_AT = 25
"""Self-duels of a learner that are told wrongly; one refusal is like the next."""


def check_takes_ties(make: Make) -> None:
    """Check that a tie is an outcome like the others, even if nothing but ties is told."""
    learner = make(3, 300, 1)
    for _ in range(300):
        learner.tell(learner.ask(), 0.5)
    expect(learner.rounds == 300, f"300 ties were told, rounds is {learner.rounds}")
    expect(learner.best() in range(3), f"after ties only, best() gave {learner.best()}")


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
        learner.tell(duel.id, 0.0 if duel.is_vote else 0.5)
    expect(learner.rounds == driven.told + len(driven.waiting), "the late outcomes do not count")


def check_lost_duels_cost_nothing(make: Make) -> None:
    """Check that asking changes nothing but the generator: set back, it gives the same duels."""
    world = switching_world(4, 600)
    one, other = (Drive(make(4, 600, 1), world).go_on(300) for _ in range(2))
    generator = one.learner._session.rng.bit_generator
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


def check_asking_leaves_the_state_alone(make: Make) -> None:
    """Check that asking changes the generator that chooses and declared scratch, nothing else."""

    def between(step: int, learner: Learner) -> Learner:
        if step % 10 == 0:
            before = knowledge(learner)
            for _ in range(5):
                learner.cancel(learner.ask())
            expect(knowledge(learner) == before, "asking changed the state")
        return learner

    drive(make(4, 300, 1), switching_world(4, 300), between=between)


def check_state_depends_on_what_is_told_alone(make: Make) -> None:
    """Check that who asks more, in another order, and takes duels back knows no less and no more.

    Two learners are told the same duels, which the first one asks. Scratch may differ.
    """
    n_rounds = 1500 if compiled(make(4, 1, 0)) else 600
    one, other = make(4, n_rounds, 1), make(4, n_rounds, 1)
    script = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(2,)))
    for block in _told_in_blocks(one, n_rounds, script):
        numbers = [_hand(other, told) for told in reversed(block)]
        for number, (_, _, _, outcome) in zip(reversed(numbers), block, strict=True):
            for _ in range(script.integers(4)):
                lost = other.ask()
                if script.random() < 0.9:
                    other.cancel(lost)
            other.tell(number, outcome)
    expect(knowledge(other) == knowledge(one), "what it knows depends on what else was asked")


def check_folds_as_if_told(make: Make) -> None:
    """Check that folding a log is the same, bit for bit but for scratch, as telling it."""
    n_rounds = 3000 if compiled(make(4, 1, 0)) else 500
    one, other = make(4, n_rounds, 1), make(4, n_rounds, 1)
    script = np.random.default_rng(np.random.SeedSequence(2, spawn_key=(2,)))
    still_open = other.ask()
    log: list[DuelOutcome] = []
    for block in _told_in_blocks(one, n_rounds, script):
        log += block
        if script.random() < 0.01:
            other.fold(*zip(*log, strict=True))
            log = []
            expect(knowledge(other) == knowledge(one), f"it differs after {one.rounds} rounds")
    other.fold(*zip(*log, strict=True))
    expect(knowledge(other) == knowledge(one), f"it differs after {one.rounds} rounds")
    expect(other.open_duels == [still_open], "it closed a duel that it asked itself")
    left, right, ticket, _ = log[-1]
    before = snapshot(other)
    accepted = True
    try:
        other.fold([left] * 2, [right] * 2, [ticket] * 2, [1.0, 1.3])
    except ValueError:
        accepted = False
    expect(not accepted, "the outcome 1.3 was accepted")
    expect(snapshot(other) == before, "the outcome 1.3 changed the learner")


def check_graded_outcomes_are_taken_or_refused(make: Make) -> None:
    """Check that outcomes between 0 and 1 are taken like others, or refused with nothing changed.

    Taken means: folded as if told, saved and read again, and the duel remembered as told so.
    """
    n_rounds = 600 if compiled(make(4, 1, 0)) else 200
    learner, other = make(4, n_rounds, 1), make(4, n_rounds, 1)
    if not learner._graded:
        duel = learner.ask()
        before = snapshot(learner)
        _refuses(learner, duel, 0.75, "the graded outcome 0.75")
        expect(snapshot(learner) == before, "the graded outcome 0.75 changed the learner")
        return
    world = switching_world(4, n_rounds)
    script = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(2,)))
    log: list[DuelOutcome] = []
    for step in range(n_rounds):
        duel = learner.ask()
        spread = min(world.matrix(step)[duel.left, duel.right], 0.5)
        outcome = float(np.clip(script.normal(2 * spread - 0.5, 0.2), 0, 1))
        outcome = outcome if duel.is_vote else 0.5
        learner.tell(duel, outcome)
        log.append((duel.left, duel.right, duel.ticket or (), outcome))
    other.fold(*zip(*log, strict=True))
    expect(knowledge(other) == knowledge(learner), "graded outcomes folded differ from those told")
    with TemporaryDirectory() as folder:
        learner.save(f"{folder}/learner.json")
        again = load_learner(f"{folder}/learner.json")
    expect(snapshot(again) == snapshot(learner), "graded outcomes are lost in a file")
    try:
        again.tell(duel, outcome)
    except AlreadyTold as told:
        expect(told.outcome == outcome, f"{outcome} was told, remembered is {told.outcome}")


def check_bad_outcomes_change_nothing(make: Make) -> None:
    """Check that what is no outcome is a ValueError, and the duel stays open."""
    learner = drive(make(3, 100, 1), switching_world(3, 50)).learner
    duel = learner.ask()
    before = snapshot(learner)
    bad = (np.nan, np.inf, 2, -1, 1.25, "1", True, np.True_, None, [1], 1j, np.array([1.0, 0.0]))
    for outcome in bad:
        _refuses(learner, duel, outcome, f"the outcome {outcome!r}")
        expect(snapshot(learner) == before, f"the outcome {outcome!r} changed the learner")
    learner.tell(duel, np.float64(1 if duel.is_vote else 0.5))


def check_self_duels_end_in_ties(make: Make) -> None:
    """Check that of one arm twice a tie can be told and nothing else; without such duels it passes.

    A self-duel means: show this one, ask nobody.
    """
    learner = make(3, 300, 1)
    looked_at = 0
    for _ in range(300):
        duel = learner.ask()
        if not duel.is_vote and looked_at < LOOKED_AT:
            looked_at += 1
            before = snapshot(learner)
            for outcome in ("left", "right", 1.0, 0.0):
                _refuses(learner, duel, outcome, f"{outcome!r} of one arm against itself")
                expect(snapshot(learner) == before, f"{outcome!r} of a self-duel changed it")
        tell_won(learner, duel)
    expect(learner.rounds == 300, f"300 outcomes were told, rounds is {learner.rounds}")


def check_votes_only_asks_for_votes(make: Make) -> None:
    """Check that who asks for votes only gets two different arms, or a ValueError.

    The self-duels before it are rounds, nothing is left open, and the propensity is one.
    """
    learner = make(3, 4000, 1)
    for _ in range(40):
        try:
            duel = learner.ask(votes_only=True)
        except ValueError:
            expect(learner.open_duels == [], "an ask that was refused left duels open")
            return
        expect(duel.is_vote, f"asked for a vote, it shows arm {duel.left} twice")
        expect(learner.open_duels == [duel], "there is not the one open duel that was returned")
        chance = duel.propensity
        expect(chance is None or 0 < chance <= 1, f"a vote was asked with propensity {chance}")
        learner.tell(duel, float(duel.left < duel.right))
    expect(learner.rounds >= 40, f"40 outcomes were told, rounds is {learner.rounds}")


def check_bad_duels_change_nothing(make: Make) -> None:
    """Check that a duel told twice, cancelled, never asked or of another is a ValueError."""
    learner = drive(make(3, 100, 1), switching_world(3, 50)).learner
    told, cancelled, still_open = (learner.ask() for _ in range(3))
    tell_won(learner, told)
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
        _refuses(learner, duel, 0.5, what)
        expect(snapshot(learner) == before, f"{what} changed the learner")
    learner.tell(still_open.code, 0.5)


def _told_in_blocks(
    learner: Learner, n_rounds: int, script: np.random.Generator
) -> Iterator[list[DuelOutcome]]:
    """Ask three duels at a time and tell them, in the order in which they are yielded."""
    world = switching_world(learner.n_arms, n_rounds)
    for first in range(0, n_rounds - 2, 3):
        duels = [learner.ask() for _ in range(3)]
        block = []
        for place in script.permutation(3):
            duel, number = duels[place], script.random()
            chance = world.matrix(first)[duel.left, duel.right]
            outcome = 0.5 if number < 0.1 else float(script.random() < chance)
            outcome = outcome if duel.is_vote else 0.5
            learner.tell(duel, outcome)
            expect(duel.ticket is not None, "a duel has no ticket")
            block.append((duel.left, duel.right, duel.ticket or (), outcome))
        yield block


def _hand(learner: Learner, told: DuelOutcome) -> int:
    """Make a duel one that the learner asked itself; return its number."""
    session = learner._session
    session.open[session.asked] = told[:3]
    session.asked += 1
    return session.asked - 1


def _refuses(learner: Learner, duel: Duel | int | Any, outcome: Any, what: str) -> None:
    accepted = True
    try:
        learner.tell(duel, outcome)
    except ValueError:
        accepted = False
    except Exception as error:
        raise AssertionError(f"{what} gave {error!r}, must be a ValueError") from error
    expect(not accepted, f"{what} was accepted")
