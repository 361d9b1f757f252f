"""Changes that were declared are events: said once, whoever finds them, and they stay said."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest

from driftduel.arena import changes, errors
from driftduel.arena import service as arena
from driftduel.arena.file import Local
from driftduel.arena.service import service as running
from driftduel.arena.store import statements
from driftduel.arena.versions import CURRENT
from tests.arena.voting import cast, events, state, state_from_nothing, vote
from tests.processes import wait_until

FEW = 120
"""Votes after which an arm is known to lead, and that another took over."""


def said(service):
    """The changes in the log: from whom to whom."""
    found = [one.body for one in events(service) if one.kind == "change"]
    return [(one["before"], one["after"]) for one in found]


def told(service):
    """The changes in the status: from whom to whom, and whether it is withdrawn."""
    return named(arena.status(service, "drinks"))


def no_more(*words):
    """Do nothing in the step that declares a change."""


def named(status):
    s = status.standing
    return [
        (s.options[one.before].name, s.options[one.after].name, one.withdrawn) for one in s.changes
    ]


@pytest.fixture(autouse=True)
def nobody_follows(monkeypatch):
    """No thread reads the log or writes into it but when a test asks for that."""
    with monkeypatch.context() as quiet:
        quiet.setattr(running.Service, "_run", lambda self: None)
        yield quiet


@pytest.fixture
def turned(nobody_follows, drinks):
    """A service with an arena in which coffee took over from tea, which nobody looked at yet."""
    cast(drinks, "tea", FEW)
    cast(drinks, "coffee", FEW, voter="bob")
    return drinks


def test_a_change_becomes_an_event_when_the_log_is_followed(turned):
    assert said(turned) == []
    found = arena.status(turned, "drinks")
    assert said(turned) == [(0, 1)]
    log = events(turned)
    assert [one.seq for one in log] == list(range(1, found.head + 1))
    body = log[-1].body
    assert body["rules"] == CURRENT
    by_seq = {one.seq: one for one in log}
    for name in ("around", "earliest", "latest", "noticed"):
        assert by_seq[body[name]["seq"]].kind == "vote"
        assert by_seq[body[name]["seq"]].at == body[name]["at"]
    assert body["earliest"]["seq"] <= body["around"]["seq"] <= body["latest"]["seq"]
    assert body["latest"]["seq"] <= body["noticed"]["seq"]
    (one,) = found.standing.changes
    assert (one.around.value, one.noticed.value) == (body["around"]["at"], body["noticed"]["at"])
    arena.verify(turned.store)


def test_a_change_becomes_an_event_though_nobody_asks(turned, url, nobody_follows):
    nobody_follows.undo()
    with arena.Service.open(url) as service:
        service.hosted("drinks")
        wait_until(lambda: said(service) == [(0, 1)])


def test_the_event_of_a_change_leaves_the_learner_as_it_is(turned):
    before = state_from_nothing(turned)
    turned.hosted("drinks")
    after = state(turned)
    assert said(turned) == [(0, 1)]
    assert after[1:] == before[1:]
    assert after == state_from_nothing(turned)
    vote(turned)
    assert state(turned) == state_from_nothing(turned)
    assert said(turned) == [(0, 1)]


def test_numbers_of_votes_are_known_though_others_do_not_count(drinks):
    cast(drinks, "tea", 20)
    for _ in range(3):
        vote(drinks, "skip")
    cast(drinks, "tea", 5, voter="bot")
    vote(drinks)
    (bot,) = {one.voter for one in events(drinks)[24:25]}
    arena.exclude(drinks, "drinks", bot)
    cast(drinks, "milk", 4)
    drinks.follow()
    replica = drinks.hosted("drinks").replica
    voters = (None, bot)
    counted = [one for one in events(drinks) if one.kind == "vote" and one.voter not in voters]
    assert [replica.seq_of(n) for n in range(len(replica.times))] == [one.seq for one in counted]
    assert [replica.time_of(n) for n in range(len(replica.times))] == [one.at for one in counted]
    assert replica.seq_of(len(counted)) == counted[-1].seq
    assert replica.seq_of(len(counted) + 1) is None


def test_a_change_is_said_once_however_many_processes_find_it(turned, url):
    services = [arena.Service.open(url) for _ in range(3)]
    barrier = Barrier(3)

    def look(service):
        service.hosted("drinks")
        barrier.wait()
        for _ in range(3):
            service.follow()

    threads = [Thread(target=look, args=(one,)) for one in services]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said(turned) == [(0, 1)]
    for service in services:
        service.close()
    arena.verify(turned.store)


def test_who_was_slower_appends_nothing(turned):
    hosted = turned.hosted("drinks")
    with hosted.replica.lock:
        head, news = hosted.replica.head, changes.unsaid(hosted.replica)
    assert len(news) == 1
    vote(turned)  # that others vote meanwhile is no reason to wait
    done = [
        turned.writer.alone(
            lambda one: changes.append_changes(one, 1, head, [dict(news[0])], no_more)
        )
        for _ in range(2)
    ]
    assert done == [True, False]
    assert said(turned) == [(0, 1)]


def test_a_change_is_not_said_if_votes_count_otherwise_meanwhile(turned, monkeypatch):
    monkeypatch.setattr(running, "unsaid", lambda replica: [])  # this process is slow
    hosted = turned.hosted("drinks")
    head, news = hosted.replica.head, changes.unsaid(hosted.replica)
    arena.exclude(turned, "drinks", turned.voter("bob"))
    assert not turned.writer.alone(lambda one: changes.append_changes(one, 1, head, news, no_more))
    monkeypatch.undo()
    assert told(turned) == []
    assert said(turned) == []


def test_a_process_that_ends_between_fold_and_event_loses_nothing(url, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(running, "append_changes", lambda *_, **__: False)
        with arena.Service.open(url) as service:
            arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
            cast(service, "tea", FEW)
            cast(service, "coffee", FEW)
            assert told(service) == [("tea", "coffee", False)]
            assert said(service) == []
            before = arena.status(service, "drinks").standing.changes
            killed.setattr(running, "_MANY", 1)
            service.keep_snapshots(1)
    with arena.Service.open(url) as service:
        assert arena.status(service, "drinks").standing.changes == before
        assert said(service) == [(0, 1)]
        arena.verify(service.store)


def test_to_read_does_not_fail_because_a_change_cannot_be_written(turned, monkeypatch, caplog):
    def fail(*_, **__):
        raise errors.Unavailable("the disk is full")

    with monkeypatch.context() as full:
        full.setattr(running, "append_changes", fail)
        assert told(turned) == [("tea", "coffee", False)]
        assert told(turned) == [("tea", "coffee", False)]
        assert said(turned) == []
    (why,) = caplog.messages  # however often it is tried
    assert why == "a change of drinks cannot be written yet: the disk is full"
    assert told(turned) == [("tea", "coffee", False)]
    assert said(turned) == [(0, 1)]


def test_a_change_is_withdrawn_without_its_votes_and_comes_back_with_them(turned):
    before = arena.status(turned, "drinks").standing.changes
    bob = turned.voter("bob")
    arena.exclude(turned, "drinks", bob)
    assert told(turned) == [("tea", "coffee", True)]
    assert said(turned) == [(0, 1)]
    arena.verify(turned.store)
    arena.include(turned, "drinks", bob)
    assert arena.status(turned, "drinks").standing.changes == before
    assert said(turned) == [(0, 1)]
    arena.verify(turned.store)


def test_a_start_knows_what_was_said(turned, url, monkeypatch):
    monkeypatch.setattr(running, "_MANY", 1)
    arena.status(turned, "drinks")
    arena.exclude(turned, "drinks", turned.voter("bob"))
    turned.follow()
    turned.keep_snapshots(1)
    with arena.Service.open(url) as service:
        assert told(service) == [("tea", "coffee", True)]
        assert state(service) == state_from_nothing(service)


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        ({"before": 2}, "declares a change that the votes do not show"),
        ({"after": 9}, "declares a change of arms that never were"),
        ({"noticed": {"seq": 999, "at": 0}}, "declares a change by votes that came later"),
    ],
)
def test_verify_names_a_change_that_cannot_be(drinks, damage, what):
    cast(drinks, "tea", 40)
    drinks.hosted("drinks")
    body = {
        "before": 0, "after": 1, "rules": CURRENT,
        **{name: {"seq": 20, "at": 5} for name in ("around", "earliest", "latest", "noticed")},
    }  # fmt: skip
    with drinks.store.writing() as connection:
        locked = statements.lock_arenas(connection, [1])[1]
        row = {"at": 1, "kind": "change", "body": {**body, **damage}}
        statements.append(connection, locked, [row])
    with pytest.raises(errors.Violation, match=what):
        arena.verify(drinks.store)


def test_commands_at_a_prompt_say_changes_too(tmp_path):
    path = tmp_path / "drinks.db"
    with arena.Service.open(f"sqlite:{path}") as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        cast(service, "tea", FEW)
        cast(service, "coffee", FEW)
    with Local(path) as prompt:
        found, _ = prompt.status()
        assert named(found) == [("tea", "coffee", False)]
        assert found.head == 2 * FEW + 2
        prompt.ask()
    with arena.Service.open(f"sqlite:{path}") as service:
        assert said(service) == [(0, 1)]
        cast(service, "milk", FEW)
    with Local(path) as prompt:
        prompt.ask()
        assert named(prompt.status()[0])[-1][1] == "milk"
    with arena.Service.open(f"sqlite:{path}") as service:
        assert len(said(service)) == 2
        arena.verify(service.store)


def test_a_file_that_cannot_be_written_is_read_all_the_same(tmp_path, monkeypatch):
    path = tmp_path / "drinks.db"
    with arena.Service.open(f"sqlite:{path}") as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        cast(service, "tea", FEW)
        cast(service, "coffee", FEW)

    def fail(*_):
        raise errors.Unavailable("it is locked")

    monkeypatch.setattr(changes, "append_changes", fail)
    with Local(path) as prompt:
        found, _ = prompt.status()
        assert named(found) == [("tea", "coffee", False)]
