from __future__ import annotations

import re
import time
from types import SimpleNamespace

import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.replica import Replica
from driftduel.arena.service import service as running
from driftduel.arena.store import statements
from tests.arena.voting import events, prefer, state, state_from_nothing, vote


def called(service, name):
    return service.voter(name)


def test_votes_of_an_excluded_voter_do_not_count_until_it_is_included_again(drinks):
    prefer(drinks, "tea", 6)
    prefer(drinks, "milk", 6, voter="bot")
    prefer(drinks, "tea", 6)
    whole = state(drinks)
    arena.exclude(drinks, "drinks", called(drinks, "bot"))
    assert arena.status(drinks, "drinks").votes == 12
    told = vote(drinks, voter="bot")
    assert (told.counted, told.reason) == (False, "excluded")
    assert state(drinks) == state_from_nothing(drinks)
    (bot,) = [one for one in arena.voters(drinks, "drinks") if one.excluded]
    assert (bot.voter, bot.votes) == (called(drinks, "bot"), 7)
    arena.include(drinks, "drinks", called(drinks, "bot"))
    assert arena.status(drinks, "drinks").votes == 19
    assert state(drinks) == state_from_nothing(drinks)
    assert state(drinks)[1][: 18 * 8] == whole[1]


def test_to_exclude_twice_is_one_event(drinks):
    vote(drinks)
    head = arena.exclude(drinks, "drinks", called(drinks, "ann"))
    assert arena.exclude(drinks, "drinks", called(drinks, "ann")) == head
    assert [row.kind for row in events(drinks)] == ["arms", "vote", "exclude"]


@pytest.mark.parametrize("voter", ["", "ann", "0" * 32, "\x00", "~"])
def test_a_voter_who_never_voted_is_not_found(drinks, voter):
    for action in (arena.exclude, arena.include, arena.forget):
        with pytest.raises(errors.NotFound):
            action(drinks, "drinks", voter)
    assert len(events(drinks)) == 1


def test_to_forget_a_voter_leaves_the_counts_and_the_state_as_they_were(drinks):
    prefer(drinks, "tea", 5)
    prefer(drinks, "milk", 5, voter="bot")
    arena.exclude(drinks, "drinks", called(drinks, "bot"))
    before = state(drinks)
    for name in ("ann", "bot"):
        open_duel = arena.ask(drinks, "drinks", name)
        arena.forget(drinks, "drinks", called(drinks, name))
        with pytest.raises(errors.NotFound):
            arena.tell(drinks, open_duel.duel, name, "left")
    assert state(drinks)[1:] == before[1:]
    assert state(drinks) == state_from_nothing(drinks)
    known = {row.voter for row in events(drinks)}
    assert known & {called(drinks, "ann"), called(drinks, "bot")} == set()
    assert vote(drinks, voter="bot").counted
    arena.verify(drinks.store)


def test_a_process_is_ready_while_it_counts_anew(drinks, monkeypatch):
    """Each of 9 pages takes two seconds of this clock, and five without a look are too many."""
    prefer(drinks, "tea", 8)
    drinks.follow()
    now, ready = [time.monotonic()], []
    follow = Replica.follow

    def slowly(replica, page):
        now[0] += 2.0
        ready.append(drinks.check_ready())
        follow(replica, page)

    monkeypatch.setattr(statements, "PAGE", 1)
    monkeypatch.setattr(Replica, "follow", slowly)
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: now[0]))
    arena.exclude(drinks, "drinks", called(drinks, "ann"))
    assert len(ready) >= 9


TABLES = ("meta", "arena", "access", "arm", "blob", "card", "duel", "event", "shown", "snapshot")


def test_nothing_that_is_stored_names_a_voter(drinks):
    secret = "203.0.113.77 Mozilla/5.0 cookie-4711"
    asked = arena.ask(drinks, "drinks", secret)
    arena.ask(drinks, "drinks", secret)
    arena.tell(drinks, asked.duel, secret, "left")
    with drinks.store.reading() as connection:
        for table in TABLES:
            text = repr(connection.execute(f"SELECT * FROM {table}"))
            assert not re.search("203.0.113|Mozilla|4711", text)


def test_voters_that_look_odd_can_be_seen(drinks):
    for _ in range(4):
        vote(drinks, "left")
    vote(drinks, "right", voter="bob")
    ann, bob = arena.voters(drinks, "drinks")
    assert (ann.voter, ann.votes, ann.left, ann.quick) == (called(drinks, "ann"), 4, 4, 4)
    assert (bob.votes, bob.left) == (1, 0)
