from __future__ import annotations

import asyncio
from threading import Event, Thread
from types import SimpleNamespace

import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.service import service as running
from driftduel.arena.service import votes as telling
from driftduel.arena.service import writer
from driftduel.arena.service.limits import Waiting
from tests.arena.voting import events, prefer, state, state_from_nothing, vote
from tests.processes import wait_until


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    time = [1_700_000_000_000_000]
    for module in (running, telling):
        monkeypatch.setattr(module, "now_in_microseconds", lambda: time[0])
    return time


def test_a_vote_is_an_event_and_a_round(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    told = arena.tell(drinks, asked.duel, "ann", "left")
    drinks.follow()
    assert (told.first, told.seq, told.counted, told.reason) == (True, 2, True, None)
    assert told.reveal == (asked.left.name, asked.right.name)
    now = arena.status(drinks, "drinks")
    assert (now.head, now.votes, now.best) == (2, 1, asked.left.name)
    assert now.left == 1


def test_who_leads_does_so_since_a_time_that_is_told(drinks, clock):
    """An arm that the last vote put ahead led since no time at all."""
    for _ in range(20):
        clock[0] += 1_000_000
        asked = arena.ask(drinks, "drinks", "ann")
        arena.tell(drinks, asked.duel, "ann", "left")
        now = arena.status(drinks, "drinks")
        assert now.standing.since.value <= clock[0]


def test_verdicts_that_wait_together_take_few_statements(drinks, monkeypatch):
    """On PostgreSQL a trip each to begin, to look, and to write and commit."""
    duels = [arena.ask(drinks, "drinks", f"voter {n}").duel for n in range(20)]
    number = drinks.hosted("drinks").arena.id
    tells = [
        telling._request(drinks, duel, f"voter {n}", "left", True, number)
        for n, duel in enumerate(duels)
    ]
    trips = []
    with drinks.store.writing() as connection:
        if connection.dialect == "postgresql":
            run = connection._run
            monkeypatch.setattr(connection, "_run", lambda *all_: trips.append(1) or run(*all_))
        done = telling.tell_many(connection, tells)
    assert len(trips) == (2 if connection.dialect == "postgresql" else 0)
    assert [one.row["seq"] for one in done] == [*range(2, 22)]
    assert len({one.next.id for one in done}) == 20
    drinks.follow()
    assert state(drinks) == state_from_nothing(drinks)


def test_to_tell_the_same_again_gives_the_same_and_counts_once(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    first = arena.tell(drinks, asked.duel, "ann", "right")
    again = arena.tell(drinks, asked.duel, "ann", "right")
    assert again.first is False
    assert vars(again) == {**vars(first), "first": False}
    with pytest.raises(errors.Conflict, match="told already: right"):
        arena.tell(drinks, asked.duel, "ann", "left")
    drinks.follow()
    assert arena.status(drinks, "drinks").votes == 1


def test_a_duel_is_bound_to_its_voter(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    with pytest.raises(errors.Forbidden):
        arena.tell(drinks, asked.duel, "bob", "left")
    arena.tell(drinks, asked.duel, "ann", "left")
    with pytest.raises(errors.Forbidden):
        arena.tell(drinks, asked.duel, "bob", "left")
    with pytest.raises(errors.Forbidden):
        arena.retract(drinks, asked.duel, "bob")


@pytest.mark.parametrize("duel", ["x", "", "\x00" * 22, "a" * 22, "é" * 22, 7])
def test_a_duel_that_was_never_asked_is_not_found(drinks, duel):
    with pytest.raises(errors.NotFound):
        arena.tell(drinks, duel, "ann", "left")
    with pytest.raises(errors.NotFound):
        arena.retract(drinks, duel, "ann")
    assert len(events(drinks)) == 1


@pytest.mark.parametrize("verdict", ["", "LEFT", "maybe", 1, None])
def test_a_verdict_must_be_one_of_five(drinks, verdict):
    asked = arena.ask(drinks, "drinks", "ann")
    with pytest.raises(errors.Invalid, match="must be left, right, tie, bad or skip"):
        arena.tell(drinks, asked.duel, "ann", verdict)
    assert arena.tell(drinks, asked.duel, "ann", "left").first


def test_a_duel_expires(drinks, clock):
    asked = arena.ask(drinks, "drinks", "ann")
    clock[0] = asked.expires + 1
    with pytest.raises(errors.Gone, match="expired"):
        arena.tell(drinks, asked.duel, "ann", "left")
    clock[0] = asked.expires
    assert arena.tell(drinks, asked.duel, "ann", "left").first


def test_a_clock_that_is_set_back_loses_nothing(drinks, clock):
    asked = arena.ask(drinks, "drinks", "ann")
    clock[0] -= 10**12
    told = arena.tell(drinks, asked.duel, "ann", "left")
    assert told.counted
    assert arena.retract(drinks, asked.duel, "ann").seq == told.seq + 1


def test_a_voter_leaves_so_many_pairs_open_and_no_more(drinks, clock):
    drinks.waiting = Waiting(most=3)
    asked = [arena.ask(drinks, "drinks", "ann") for _ in range(3)]
    with pytest.raises(errors.TooMany, match="wait for an answer"):
        arena.ask(drinks, "drinks", "ann")
    arena.ask(drinks, "drinks", "bob")
    told = arena.tell(drinks, asked[0].duel, "ann", "left", wants_next=True)
    assert told.next is not None
    arena.tell(drinks, asked[1].duel, "ann", "left")
    arena.ask(drinks, "drinks", "ann")
    with pytest.raises(errors.TooMany):
        arena.ask(drinks, "drinks", "ann")
    clock[0] = asked[0].expires + 10**9
    arena.ask(drinks, "drinks", "ann")


def test_duels_that_nobody_answers_become_counts(drinks, clock):
    asked = [arena.ask(drinks, "drinks", "ann") for _ in range(5)]
    arena.tell(drinks, asked[0].duel, "ann", "left")
    assert arena.purge(drinks) == 0
    clock[0] = asked[0].expires + running.KEPT_EXPIRED + 1
    assert arena.purge(drinks) == 4
    assert arena.purge(drinks) == 0
    assert sum(arena.shown(drinks, "drinks").values()) == 4
    with pytest.raises(errors.NotFound):
        arena.tell(drinks, asked[1].duel, "ann", "left")


def test_a_closed_arena_asks_and_takes_nothing(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    arena.change_arena(drinks, "drinks", {"status": "closed"})
    with pytest.raises(errors.Conflict, match="closed"):
        arena.ask(drinks, "drinks", "ann")
    with pytest.raises(errors.Conflict, match="closed"):
        arena.tell(drinks, asked.duel, "ann", "left")
    arena.change_arena(drinks, "drinks", {"status": "open"})
    assert arena.tell(drinks, asked.duel, "ann", "left").first


def test_without_ties_a_tie_is_refused(drinks):
    arena.change_arena(drinks, "drinks", {"ties": False})
    asked = arena.ask(drinks, "drinks", "ann")
    with pytest.raises(errors.Invalid, match="no ties"):
        arena.tell(drinks, asked.duel, "ann", "tie")
    assert arena.tell(drinks, asked.duel, "ann", "bad").counted


def test_a_skip_is_stored_and_not_told(drinks):
    told = vote(drinks, "skip")
    before = state(drinks)
    assert (told.counted, told.reason) == (False, "skip")
    now = arena.status(drinks, "drinks")
    assert (now.head, now.votes, sum(arm.skipped for arm in now.arms)) == (2, 0, 2)
    assert before == state_from_nothing(drinks)


def test_both_bad_is_a_tie_that_is_counted_for_both(drinks):
    told = vote(drinks, "bad")
    drinks.follow()
    now = arena.status(drinks, "drinks")
    assert told.counted
    assert {arm.name: arm.bad for arm in now.arms if arm.bad} == dict.fromkeys(told.reveal, 1)
    assert (now.votes, now.neither) == (1, 1)


def test_votes_over_the_cap_are_stored_and_do_not_count(drinks, clock):
    arena.change_arena(drinks, "drinks", {"cap": 2})
    told = [vote(drinks) for _ in range(3)]
    assert [one.reason for one in told] == [None, None, "cap"]
    assert vote(drinks, voter="bob").counted
    clock[0] += 86_400_000_000
    assert vote(drinks).counted
    drinks.follow()
    assert arena.status(drinks, "drinks").votes == 4
    assert arena.voters(drinks, "drinks")[0].capped == 1
    assert state(drinks) == state_from_nothing(drinks)


def test_a_vote_that_is_taken_back_leaves_its_share_of_the_cap(drinks):
    arena.change_arena(drinks, "drinks", {"cap": 1})
    asked = arena.ask(drinks, "drinks", "ann")
    arena.tell(drinks, asked.duel, "ann", "left")
    arena.retract(drinks, asked.duel, "ann")
    assert [vote(drinks).reason for _ in range(2)] == [None, "cap"]
    assert state(drinks) == state_from_nothing(drinks)


def test_a_cap_holds_within_one_commit(drinks):
    arena.change_arena(drinks, "drinks", {"cap": 1})
    duels = [arena.ask(drinks, "drinks", "ann").duel for _ in range(3)]
    now = running.now_in_microseconds()
    requests = [
        telling._Tell(duel, drinks.voter("ann"), "left", now, None, drinks, "ann", False)
        for duel in duels
    ]
    with drinks.store.writing() as connection:
        done = telling.tell_many(connection, requests)
    assert [one.row["reason"] for one in done] == [None, "cap", "cap"]


def test_of_two_verdicts_in_one_commit_the_first_counts(drinks):
    duel = arena.ask(drinks, "drinks", "ann").duel
    now, voter = running.now_in_microseconds(), drinks.voter("ann")
    verdicts = ["left", "right", "left"]
    requests = [
        telling._Tell(duel, voter, word, now, None, drinks, "ann", False) for word in verdicts
    ]
    with drinks.store.writing() as connection:
        first, other, again = telling.tell_many(connection, requests)
    assert (first.first, again.first) == (True, False)
    assert isinstance(other, errors.Conflict)
    assert len(events(drinks)) == 2


def test_a_verdict_can_be_taken_back_for_a_minute(drinks, clock):
    empty = state(drinks)
    asked = arena.ask(drinks, "drinks", "ann")
    told = arena.tell(drinks, asked.duel, "ann", "left")
    clock[0] += telling.UNDO
    gone = arena.retract(drinks, asked.duel, "ann")
    assert gone == arena.retract(drinks, asked.duel, "ann")
    with pytest.raises(errors.Forbidden, match="another voter"):
        arena.retract(drinks, asked.duel, "bob")  # who may not learn that it was taken back
    with pytest.raises(errors.Forbidden, match="another arena"):
        arena.retract(drinks, asked.duel, "ann", arena=99)
    assert gone.seq == told.seq + 1
    assert state(drinks)[1:] == empty[1:]
    with pytest.raises(errors.Conflict, match="taken back"):
        arena.tell(drinks, asked.duel, "ann", "left")


def test_later_only_the_owner_takes_it_back(drinks, clock):
    arena.create_arena(drinks, "other", "?", ["a", "b"])
    asked = arena.ask(drinks, "drinks", "ann")
    arena.tell(drinks, asked.duel, "ann", "left")
    clock[0] += telling.UNDO + 1
    with pytest.raises(errors.Conflict, match="60 seconds"):
        arena.retract(drinks, asked.duel, "ann")
    with pytest.raises(errors.NotFound):
        arena.retract_as_owner(drinks, "other", asked.duel)
    arena.retract_as_owner(drinks, "drinks", asked.duel)
    drinks.follow()
    assert arena.status(drinks, "drinks").votes == 0


def test_taking_back_is_as_if_it_had_never_been_told(drinks):
    prefer(drinks, "tea", 5)
    wrong = arena.ask(drinks, "drinks", "bob")
    arena.tell(drinks, wrong.duel, "bob", "bad")
    prefer(drinks, "tea", 5)
    arena.retract(drinks, wrong.duel, "bob")
    with_undo = state(drinks)
    rows = [row for row in events(drinks) if row.kind == "vote" and row.duel != wrong.duel]
    assert with_undo[1:] == plain_fold(rows)
    assert with_undo == state_from_nothing(drinks)


def plain_fold(rows, seed=1):
    """Tell a learner votes one by one, with nothing of the arena's code but the order of sides."""
    from array import array

    import numpy as np

    import driftduel as dd
    from driftduel.arena.service.verify import learned

    outcome = {"left": 1.0, "right": 0.0, "tie": 0.5, "bad": 0.5}
    learner = dd.DriftPoll(3, seed=seed, labels=["0", "1", "2"])
    for row in rows:
        value = outcome[row.verdict]
        pair = (row.right, row.left) if row.swapped else (row.left, row.right)
        ticket = np.frombuffer(row.ticket)
        learner.fold([pair[0]], [pair[1]], [ticket], [1 - value if row.swapped else value])
    payload = learned(learner)
    return array("q", [row.at for row in rows]).tobytes(), payload


def test_an_ask_that_is_never_told_changes_nothing(drinks):
    prefer(drinks, "milk", 4)
    before, head = state(drinks), len(events(drinks))
    for n in range(20):
        arena.ask(drinks, "drinks", f"voter {n}")
    assert state(drinks) == before == state_from_nothing(drinks)
    assert len(events(drinks)) == head


def test_the_next_duel_comes_in_the_same_commit(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    commits = drinks.writer.commits
    told = arena.tell(drinks, asked.duel, "ann", "left", wants_next=True)
    assert drinks.writer.commits == commits + 1
    assert arena.tell(drinks, told.next.duel, "ann", "right").first


def test_who_cannot_be_asked_any_more_gets_no_next_duel(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    arena.change_arms(drinks, "drinks", pause=["milk"])
    names = {asked.left.name, asked.right.name}
    if "milk" in names:
        with pytest.raises(errors.Gone):
            arena.tell(drinks, asked.duel, "ann", "left", wants_next=True)
    else:
        assert arena.tell(drinks, asked.duel, "ann", "left", wants_next=True).next is not None
    arena.change_arms(drinks, "drinks", pause=["tea"])
    with pytest.raises(errors.Conflict, match="fewer than two"):
        arena.ask(drinks, "drinks", "ann")


def test_an_unknown_arena_is_not_found(drinks):
    for slug in ("nothing", "", "\x00", "DROP TABLE"):
        with pytest.raises(errors.NotFound):
            arena.ask(drinks, slug, "ann")


def test_who_stops_waiting_for_an_answer_does_not_stop_the_writer(drinks):
    asked = arena.ask(drinks, "drinks", "ann")

    async def give_up():
        telling = asyncio.ensure_future(arena.tell_async(drinks, asked.duel, "ann", "left"))
        await asyncio.sleep(0)
        telling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await telling

    asyncio.run(give_up())
    again = arena.tell(drinks, asked.duel, "ann", "left")
    assert (again.first, again.seq) == (False, 2)
    assert vote(drinks).first


def test_those_who_wait_in_an_event_loop_are_woken_together(drinks):
    asked = [arena.ask(drinks, "drinks", "ann").duel for _ in range(20)]
    busy, go_on = Event(), Event()

    def slow(connection):
        busy.set()
        go_on.wait()

    async def tell_all():
        loop = asyncio.get_running_loop()
        woken, call = [], loop.call_soon_threadsafe
        telling = [
            asyncio.create_task(arena.tell_async(drinks, duel, "ann", "left")) for duel in asked
        ]
        await asyncio.sleep(0)  # all of them wait now
        loop.call_soon_threadsafe = lambda *words: woken.append(words) or call(*words)
        go_on.set()
        return await asyncio.gather(*telling), woken

    thread = Thread(target=drinks.writer.alone, args=(slow,))
    thread.start()
    busy.wait()
    told, woken = asyncio.run(tell_all())
    thread.join()
    assert [one.seq for one in told] == list(range(2, 22))
    assert len(woken) == 1


def test_a_fault_of_a_request_is_raised_to_who_waits_in_an_event_loop(drinks):
    def wrong(connection, requests):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(drinks.writer.do_async(wrong, None))
    assert vote(drinks).counted


def test_after_a_crowd_the_next_ones_are_gathered(drinks, monkeypatch):
    """Who comes while the writer waits for more shares a commit with the one it began with."""
    asked = [arena.ask(drinks, "drinks", "ann").duel for _ in range(24)]
    threads = []

    def start(action, *words):
        threads.append(Thread(target=action, args=(drinks, *words)))
        threads[-1].start()

    def one_more_comes(seconds):
        if (n := len(threads) - 1) < len(asked):
            here = drinks.writer._jobs.qsize()
            start(arena.tell, asked[n], "ann", "left")
            wait_until(lambda: drinks.writer._jobs.qsize() > here)

    busy, go_on = Event(), Event()
    start(lambda service: service.writer.alone(lambda _: busy.set() or go_on.wait()))
    busy.wait()
    for duel in asked[:20]:
        start(arena.tell, duel, "ann", "left")
    wait_until(lambda: drinks.writer._jobs.qsize() == 20)
    # The time to wait is over when all have come, however quick the disk and slow the machine.
    until_all = SimpleNamespace(sleep=one_more_comes, monotonic=lambda: float(len(threads) == 25))
    monkeypatch.setattr(writer, "time", until_all)
    go_on.set()
    wait_until(lambda: not any(thread.is_alive() for thread in threads))
    commits = drinks.writer.commits
    monkeypatch.setattr(writer, "_GATHER", 1.0)
    drinks.writer._took = 1.0  # the last commit, by which it waits
    start(arena.tell, asked[20], "ann", "left")
    wait_until(lambda: len(threads) == 25 and not any(thread.is_alive() for thread in threads))
    assert drinks.writer.commits == commits + 1
