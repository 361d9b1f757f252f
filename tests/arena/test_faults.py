from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile

import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.store import postgres as store_of_postgres
from driftduel.arena.store import statements
from driftduel.arena.store.database import Store
from driftduel.arena.store.sqlite import SQLite
from tests.arena.postgres import on_postgres
from tests.arena.voting import damage, events, forge, prefer, seq, state, state_from_nothing, vote
from tests.processes import wait_until


@pytest.fixture
def file(tmp_path):
    return tmp_path / "arena.db"


@pytest.fixture
def on_file(file):
    with arena.Service.open(f"sqlite:{file}") as service:
        arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee", "milk"])
        yield service


def test_a_full_disk_acknowledges_nothing_and_the_service_resumes(on_file, monkeypatch):
    asked = [arena.ask(on_file, "drinks", "ann") for _ in range(3)]
    full = []

    def limit(connection):
        pages = connection.scalar("PRAGMA page_count")
        connection.execute(f"PRAGMA max_page_count={pages if full else 2**30}")

    before_each_transaction(monkeypatch, limit)
    full.append(True)
    kept = []

    def ask_on():  # what is free in the pages that exist is used up first
        while True:
            kept.append(arena.ask(on_file, "drinks", "ann"))

    with pytest.raises(errors.Unavailable):
        ask_on()
    full.clear()
    for one in asked:
        assert arena.tell(on_file, one.duel, "ann", "left").first
    arena.verify(on_file.store)
    with on_file.store.reading() as connection:
        assert connection.scalar("SELECT count(*) FROM duel") == len(kept)


def before_each_transaction(monkeypatch, action):
    begin = SQLite.begin

    def begun(connection, **how):
        action(connection)
        begin(connection, **how)

    monkeypatch.setattr(SQLite, "begin", begun)


def test_a_file_that_another_process_locks_gives_no_acknowledgement(on_file, file, monkeypatch):
    asked = arena.ask(on_file, "drinks", "ann")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    before_each_transaction(monkeypatch, lambda one: one.execute("PRAGMA busy_timeout=50"))
    with pytest.raises(errors.Unavailable):
        arena.tell(on_file, asked.duel, "ann", "left")
    other.execute("ROLLBACK")
    other.close()
    assert arena.tell(on_file, asked.duel, "ann", "left").first
    assert len(events(on_file)) == 2


def test_a_file_that_cannot_be_written_for_a_while_gives_no_acknowledgement(on_file, monkeypatch):
    wrong = []

    def read_only(connection):
        connection.execute(f"PRAGMA query_only={bool(wrong)}")

    asked = arena.ask(on_file, "drinks", "ann")
    before_each_transaction(monkeypatch, read_only)
    wrong.append(True)
    with pytest.raises(errors.Unavailable):
        arena.tell(on_file, asked.duel, "ann", "left")
    assert len(events(on_file)) == 1
    wrong.clear()
    assert arena.tell(on_file, asked.duel, "ann", "left").first


def test_a_file_that_may_only_be_read_is_refused():
    script = """
import os, sys
from driftduel.arena.errors import Unavailable
from driftduel.arena.store.database import Store
Store.open(sys.argv[1]).close()
os.chmod(sys.argv[1], 0o444)
os.chmod(os.path.dirname(sys.argv[1]), 0o555)
if os.geteuid() == 0:  # who may do everything is held back by nothing
    os.seteuid(65534)
try:
    Store.open(sys.argv[1])
except Unavailable as error:
    print(error)
"""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", script, f"{folder}/arena.db"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        os.chmod(folder, 0o755)
    assert "cannot write: attempt to write a readonly database" in done.stdout, done.stderr


@pytest.mark.parametrize("text", [b"not a database at all, but long enough " * 100, b"x"])
def test_a_file_that_is_no_database_is_refused(tmp_path, text):
    file = tmp_path / "arena.db"
    file.write_bytes(text)
    with pytest.raises(ValueError, match="is not a database"):
        Store.open(f"sqlite:{file}")
    assert file.read_bytes() == text


@pytest.mark.parametrize(
    ("url", "kind", "sentence"),
    [
        ("mysql://localhost/x", ValueError, "must be sqlite:FILE or postgresql"),
        ("sqlite:", ValueError, "must be a file"),
        ("sqlite::memory:", ValueError, "must be a file"),
        ("sqlite:{folder}/none/arena.db", FileNotFoundError, "does not exist"),
        ("sqlite:{folder}", IsADirectoryError, "is a folder"),
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path, url, kind, sentence):
    with pytest.raises(kind, match=sentence):
        Store.open(url.format(folder=tmp_path))


def test_a_file_is_made_only_if_that_is_wanted(file):
    with pytest.raises(FileNotFoundError, match="no such file"):
        Store.open(str(file), create=False)
    Store.open(str(file)).close()
    Store.open(f"sqlite://{file}", create=False).close()


@on_postgres
def test_a_database_that_cannot_be_reached_is_unavailable():
    with pytest.raises(errors.Unavailable, match=r"cannot be reached .* refused"):
        Store.open("postgresql://nobody@127.0.0.1:1/nothing")


def test_a_newer_schema_is_refused(url):
    with arena.Service.open(url) as service, service.store.writing() as connection:
        statements.set_meta(connection, "schema", "99")
    with pytest.raises(ValueError, match="schema 99, made by a newer driftduel"):
        arena.Service.open(url)


def test_what_is_committed_is_on_the_disk(on_file):
    with on_file.store.reading() as connection:
        pragmas = ("journal_mode", "synchronous", "foreign_keys")
        found = [connection.scalar(f"PRAGMA {name}") for name in pragmas]
    assert found == ["wal", 2, 1]


@on_postgres
def test_a_server_that_dies_acknowledges_nothing_and_is_found_again(postgres):
    with arena.Service.open(postgres.emptied()) as service:
        arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee", "milk"])
        prefer(service, "tea", 3)
        asked = arena.ask(service, "drinks", "ann")
        postgres.stop("immediate")
        for action in (
            lambda: arena.tell(service, asked.duel, "ann", "left"),
            lambda: arena.ask(service, "drinks", "ann"),
            lambda: arena.status(service, "drinks"),
            service.check_ready,
        ):
            with pytest.raises(errors.Unavailable):
                action()
        postgres.start()
        assert arena.tell(service, asked.duel, "ann", "left").first
        assert arena.status(service, "drinks").votes == 4
        service.check_ready()
        with service.store.reading() as connection:
            assert connection.scalar("SHOW synchronous_commit") == "on"


@on_postgres
def test_a_process_that_stopped_in_the_middle_holds_up_nobody_for_long(postgres, monkeypatch):
    monkeypatch.setattr(store_of_postgres, "_PATIENCE", 0.2)
    monkeypatch.setattr(store_of_postgres, "_IDLE", 1.0)
    with (
        arena.Service.open(postgres.emptied()) as service,
        arena.Service.open(postgres.url) as other,
    ):
        arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee", "milk"])
        asked = arena.ask(service, "drinks", "ann")
        number = service.hosted("drinks").arena.id

        def stop_in_the_middle():
            with other.store.writing() as connection:
                statements.lock_arenas(connection, [number])
                assert not told_at_last(service, asked.duel)
                wait_until(lambda: told_at_last(service, asked.duel))
                statements.lock_arenas(connection, [number])

        with pytest.raises(errors.Unavailable):
            stop_in_the_middle()
        assert len(events(service)) == 2


def told_at_last(service, duel):
    try:
        return arena.tell(service, duel, "ann", "left").first
    except errors.Unavailable:
        return False


def test_a_service_that_is_closed_takes_no_more(url):
    service = arena.Service.open(url)
    arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee", "milk"])
    service.close()
    with pytest.raises(errors.Unavailable, match="shutting down"):
        service.writer.alone(lambda connection: None)


def test_a_request_at_fault_does_not_spoil_the_others(drinks):
    from threading import Barrier, Thread

    asked = [arena.ask(drinks, "drinks", "ann").duel for _ in range(8)]
    answers, gate = [], Barrier(9)

    def wrong(connection, requests):
        raise ZeroDivisionError

    def tell(duel):
        gate.wait()
        answers.append(arena.tell(drinks, duel, "ann", "left"))

    threads = [Thread(target=tell, args=(duel,)) for duel in asked]
    for thread in threads:
        thread.start()
    gate.wait()
    with pytest.raises(ZeroDivisionError):
        drinks.writer.do(wrong, None)
    for thread in threads:
        thread.join()
    assert sorted(one.seq for one in answers) == list(range(2, 10))


def test_of_two_who_make_the_same_arena_at_once_one_gets_a_conflict(url):
    with arena.Service.open(url) as one, arena.Service.open(url) as other:
        arena.create_arena(one, "drinks", "?", ["tea", "coffee"])
        row = {"hash": "x", "arena": 1, "role": "read", "label": "", "created_at": 0}
        one.writer.alone(lambda connection: statements.insert_access(connection, [row]))
        with pytest.raises(errors.Conflict, match="quicker"):
            other.writer.alone(lambda connection: statements.insert_access(connection, [row]))


def test_votes_that_wait_are_committed_together(drinks):
    from threading import Event, Thread

    asked = [arena.ask(drinks, "drinks", "ann").duel for _ in range(20)]
    busy, go_on = Event(), Event()

    def slow(connection):
        busy.set()
        go_on.wait()

    waiting = [Thread(target=drinks.writer.alone, args=(slow,))]
    waiting[0].start()
    busy.wait()
    commits = drinks.writer.commits
    for duel in asked:
        waiting.append(Thread(target=arena.tell, args=(drinks, duel, "ann", "left")))
        waiting[-1].start()
    wait_until(lambda: drinks.writer._jobs.qsize() == 20)
    go_on.set()
    for thread in waiting:
        thread.join()
    assert drinks.writer.commits == commits + 2
    assert state(drinks) == state_from_nothing(drinks)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE arena SET head = 99", "head is 99, but there are 4 events up to 4"),
        ("DELETE FROM event WHERE seq = 3", "head is 4, but there are 3"),
        (seq(2, "seq = 0"), "the first event is 0, must be 1"),
        (seq(3, "kind = 'nod'"), "event 3 is of a kind that is not known"),
        (seq(3, "voter = NULL"), "event 3 lacks its duel, voter"),
        (seq(3, '"right" = NULL'), "event 3 lacks its arms"),
        (seq(3, "verdict = 'maybe'"), "event 3 has a verdict that is none"),
        (seq(3, "verdict = 'skip'"), "event 3 is a skip and is not"),
        (seq(3, "reason = 'mood'"), "event 3 does not count for a reason that is not known"),
        (seq(3, "propensity = 1.5"), "event 3 has a propensity that is no chance"),
        (seq(3, "generation = 2"), "event 3 is of arms that never were"),
        (seq(3, "kind = 'retract', target = 1"), "event 3 takes back what is no vote"),
        (seq(3, '"left" = "right"'), "event 3 shows an arm against itself"),
        (seq(4, "ticket = 'short'"), "cannot be folded"),
        (seq(4, '"left" = 7'), "cannot be folded"),
        ("UPDATE arm SET name = 'x' WHERE id = 1", "arms are not those"),
        ("UPDATE arena SET generation = 7", "generation is 7, the events give 1"),
    ],
)
def test_verify_names_the_first_promise_that_is_broken(drinks, statement, sentence):
    for _ in range(3):
        vote(drinks)
    drinks.follow()
    assert [(one.head, one.votes, one.open) for one in arena.verify(drinks.store)] == [(4, 3, 0)]
    damage(drinks, statement)
    with pytest.raises(errors.Violation, match=f"arena drinks: .*{sentence}"):
        arena.verify(drinks.store)


def test_verify_notices_votes_over_the_cap_that_count(drinks):
    arena.create_arena(drinks, "capped", "?", ["tea", "coffee"], settings={"cap": 2})
    for _ in range(3):
        vote(drinks, slug="capped")
    assert [one.votes for one in arena.verify(drinks.store)] == [0, 2]
    forge(drinks, "UPDATE event SET reason = NULL")
    with pytest.raises(errors.Violation, match="arena capped: more votes of a voter count"):
        arena.verify(drinks.store)
    arena.change_arena(drinks, "capped", {"cap": 2})  # who knows what it was before
    arena.verify(drinks.store)


def test_verify_notices_a_duel_that_is_open_and_answered(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    with drinks.store.reading() as connection:
        (duel,) = statements.find_duels(connection, [asked.duel]).values()
    arena.tell(drinks, asked.duel, "ann", "left")
    with drinks.store.writing() as connection:
        statements.insert_duels(connection, [duel])
    with pytest.raises(errors.Violation, match="open that was answered"):
        arena.verify(drinks.store)


def test_two_processes_may_make_the_tables_at_once(url):
    script = "import sys; from driftduel.arena.store.database import Store; Store.open(sys.argv[1])"
    command = [sys.executable, "-c", script, url]
    making = [subprocess.Popen(command, env=os.environ) for _ in range(3)]
    assert [process.wait() for process in making] == [0, 0, 0]
