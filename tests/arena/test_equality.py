"""Whatever is asked, told, undone, excluded and restarted: the state is the fold of what counts.

A machine does random things to an arena. A plain list of votes says what must come out; the copy of
the process, a copy folded from nothing and a learner told the votes of the list one by one must be
equal byte for byte.
"""

from __future__ import annotations

import tempfile
from array import array

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

import driftduel as dd
from driftduel.arena import errors, replica, rules
from driftduel.arena import service as arena
from driftduel.arena.model import DAY
from driftduel.arena.service import service as running
from driftduel.arena.service.verify import learned
from tests.arena.conftest import KINDS
from tests.arena.voting import events, state, state_from_nothing
from tests.modes import often

NAMES = ["tea", "coffee", "milk", "mate", "cocoa"]
OUTCOMES = {"left": 1.0, "right": 0.0, "tie": 0.5, "bad": 0.5}
VERDICTS = st.sampled_from([*OUTCOMES, "skip"])
VOTERS = st.sampled_from(["ann", "bob", "cid"])
PLACES = st.integers(0, 99)
CAP = 6
EXPIRE = 600
SECOND = 1_000_000


class Machine(RuleBasedStateMachine):
    """An arena and what is known of it: a list of what happened, in order."""

    url = ""
    clock = None  # a list of one, the time in microseconds

    def __init__(self):
        super().__init__()
        self.clock[0] = 20_000 * DAY + DAY // 2
        self.address = self.url or f"sqlite:{tempfile.mkdtemp()}/arena.db"
        if self.url:
            empty(self.url)
        self.service = self.opened()
        arena.create_arena(
            self.service, "drinks", "?", NAMES[:3], seed=4, settings={"cap": CAP, "expire": EXPIRE}
        )
        self.offered = set(NAMES[:3])
        self.known = NAMES[:3]
        self.open = {}  # duel -> voter, names
        self.told = {}  # duel -> verdict, voter
        self.log = [("arms", list(NAMES[:3]))]
        self.retracted = set()
        self.excluded = set()

    def opened(self):
        """A service whose pairs can be foreseen: a failure must happen again to be made small."""
        service = arena.Service.open(self.address)
        service.rng = np.random.default_rng(0)
        return service

    def teardown(self):
        self.service.close()

    @rule(voter=VOTERS)
    def ask(self, voter):
        if len(self.offered) < 2:
            with pytest.raises(errors.Conflict):
                arena.ask(self.service, "drinks", voter)
            return
        asked = arena.ask(self.service, "drinks", voter)
        assert {asked.left.name, asked.right.name} <= self.offered
        self.opened_duel(asked, voter)

    def opened_duel(self, asked, voter):
        self.open[asked.duel] = voter, (asked.left.name, asked.right.name), self.clock[0]

    @rule(place=PLACES, verdict=VERDICTS, go_on=st.booleans())
    def tell(self, place, verdict, go_on):
        if not self.open:
            return
        duel = list(self.open)[place % len(self.open)]
        voter, pair, asked_at = self.open[duel]
        late = self.clock[0] > asked_at + EXPIRE * SECOND
        if late or not set(pair) <= self.offered:
            with pytest.raises(errors.Gone):
                arena.tell(self.service, duel, voter, verdict)
            return
        told = arena.tell(self.service, duel, voter, verdict, wants_next=go_on)
        del self.open[duel]
        today = self.clock[0] // DAY
        votes = [row for row in self.log if row[0] == "vote" and row[5] >= today]
        counted = sum(row[3:5] == (voter, True) and row[1] not in self.retracted for row in votes)
        over = verdict != "skip" and counted >= CAP
        kind = "skip" if verdict == "skip" else "vote"
        self.log.append((kind, duel, verdict, voter, not over, today))
        if verdict != "skip" and not over and voter in self.excluded:
            self.log[-1] = ("vote", duel, verdict, voter, None, today)  # no share of the cap
        self.told[duel] = verdict, voter, self.clock[0]
        assert told.first
        assert told.seq == len(self.log)
        assert told.counted == (self.log[-1][0] == "vote" and self.log[-1][4] is True)
        if told.next is not None:
            self.opened_duel(told.next, voter)

    @rule(place=PLACES, verdict=VERDICTS)
    def tell_again(self, place, verdict):
        if not self.told:
            return
        duel = list(self.told)[place % len(self.told)]
        first, voter, _ = self.told[duel]
        if verdict == first and duel not in self.retracted:
            assert not arena.tell(self.service, duel, voter, verdict).first
        else:
            with pytest.raises(errors.Conflict):
                arena.tell(self.service, duel, voter, verdict)

    @rule(place=PLACES)
    def retract(self, place):
        if not self.told:
            return
        duel = list(self.told)[place % len(self.told)]
        _, voter, told_at = self.told[duel]
        if duel not in self.retracted and self.clock[0] > told_at + 60 * SECOND:
            with pytest.raises(errors.Conflict):
                arena.retract(self.service, duel, voter)
            return
        arena.retract(self.service, duel, voter)
        if duel not in self.retracted:
            self.retracted.add(duel)
            self.log.append(("retract",))

    @rule(voter=VOTERS, action=st.sampled_from([arena.exclude, arena.include]))
    def exclude(self, voter, action):
        if not any(row[0] in ("vote", "skip") and row[3] == voter for row in self.log):
            with pytest.raises(errors.NotFound):
                action(self.service, "drinks", self.service.voter(voter))
            return
        action(self.service, "drinks", self.service.voter(voter))
        if (voter in self.excluded) != (action is arena.exclude):
            self.excluded ^= {voter}
            self.log.append((action.__name__,))

    @rule(changed=st.sets(st.sampled_from(NAMES), min_size=1))
    def arms(self, changed):
        add = [name for name in NAMES if name in changed and name not in self.known]
        pause = [name for name in changed if name in self.offered]
        resume = [name for name in changed if name in self.known and name not in self.offered]
        arena.change_arms(self.service, "drinks", add=add, pause=pause, resume=resume)
        self.known = self.known + add
        self.offered ^= changed
        self.log.append(("arms", [name for name in self.known if name in self.offered]))

    @rule(seconds=st.sampled_from([1, 61, EXPIRE + 1, 86_400, -30]))
    def let_time_pass(self, seconds):
        self.clock[0] += seconds * SECOND

    @rule()
    def restart(self):
        self.service.close()
        self.service = self.opened()

    @invariant()
    def the_state_is_the_fold_of_what_counts(self):
        now = state(self.service)
        log = events(self.service)
        assert [row.seq for row in log] == list(range(1, len(log) + 1))
        assert now == state_from_nothing(self.service)
        assert now[1:] == self.plain_fold()
        (verified,) = arena.verify(self.service.store)
        assert verified.votes == len(now[1]) // 8

    def plain_fold(self):
        learner, times = None, array("q")
        rows = [row for row in events(self.service) if row.kind != "change"]
        for row, happened in zip(rows, self.log, strict=True):
            if happened[0] == "arms" and len(happened[1]) >= 2:
                labels = [str(self.known.index(name)) for name in happened[1]]
                if learner is None:
                    learner = dd.DriftPoll(len(labels), seed=4, labels=labels)
                else:
                    before = [learner.labels[slot] for slot in learner.offered]
                    learner.change_arms(
                        [one for one in labels if one not in before],
                        [one for one in before if one not in labels],
                    )
            elif happened[0] == "vote":
                _, duel, verdict, voter, counts, _ = happened
                if counts is False or voter in self.excluded or duel in self.retracted:
                    continue
                pair = [learner.labels.index(str(arm)) for arm in (row.left, row.right)]
                value = OUTCOMES[verdict]
                if row.swapped:
                    pair, value = pair[::-1], 1 - value
                ticket = np.frombuffer(row.ticket)
                learner.fold([pair[0]], [pair[1]], [ticket], [value])
                times.append(row.at)
        payload = learned(learner)
        return times.tobytes(), payload


def empty(url):
    from driftduel.arena.store.database import Store

    store = Store.open(url)
    with store.writing() as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    store.close()


def play(request, monkeypatch, kind, examples, steps):
    # States are kept, and snapshots, after a few events: what begins from them is tested as well.
    monkeypatch.setattr(replica, "KEEP", 4)
    monkeypatch.setattr(running, "_MANY", 3)
    address = request.getfixturevalue("postgres").emptied() if kind == "postgresql" else ""
    clock = [0]
    monkeypatch.setattr(rules, "now", lambda: clock[0])
    machine = type("Played", (Machine,), {"url": address, "clock": clock})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_is_the_fold_of_what_counts(request, monkeypatch, kind):
    assert play(request, monkeypatch, kind, examples=3, steps=12) is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_state_is_the_fold_of_what_counts_for_long(request, monkeypatch, kind):
    assert play(request, monkeypatch, kind, examples=often(8, 20), steps=40) is None
