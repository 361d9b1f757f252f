"""Several processes on one database: nothing acknowledged is lost, nothing counts twice."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Barrier, Thread

import pytest

from driftduel.arena import service as arena
from driftduel.arena.store import statements
from tests.arena.postgres import on_postgres
from tests.arena.voting import events, prefer, state, state_from_nothing, vote
from tests.modes import often
from tests.processes import wait_until

ENVIRONMENT = {
    **os.environ,
    "NUMBA_DISABLE_JIT": "1",
}  # a process that lives a second compiles nothing


def start(what, *words):
    command = [sys.executable, "-m", "tests.arena.working", what, *map(str, words)]
    return subprocess.Popen(command, env=ENVIRONMENT)


def test_of_two_verdicts_told_at_once_one_wins(drinks, url, tmp_path):
    race(drinks, url, tmp_path, n_duels=60)


@pytest.mark.slow
def test_of_eight_verdicts_told_at_once_one_wins(drinks, url, tmp_path):
    race(drinks, url, tmp_path, n_duels=often(1_000, 10_000), n_processes=8)


def race(service, url, tmp_path, n_duels, n_processes=2):
    duels = [arena.ask(service, "drinks", "ann").duel for _ in range(n_duels)]
    (tmp_path / "duels").write_text(" ".join(duels))
    words = ["left", "right", "tie", "bad", "skip", "left", "right", "tie"]
    files = [tmp_path / f"journal-{n}" for n in range(n_processes)]
    racing = [
        start("race", url, file, word, tmp_path / "duels")
        for file, word in zip(files, words, strict=False)
    ]
    assert [process.wait() for process in racing] == [0] * n_processes
    answers = [line.split() for file in files for line in file.read_text().splitlines()]
    assert len(answers) == n_processes * n_duels
    won = {answer[0]: tuple(answer[1:]) for answer in answers if answer[1] != "lost"}
    rows = [row for row in events(service) if row.duel]
    assert {row.duel: (row.verdict, str(row.seq)) for row in rows} == won
    assert sorted(won) == sorted(duels)
    assert [row.seq for row in rows] == list(range(2, n_duels + 2))
    for answer in answers:
        assert answer[1] == "lost" or won[answer[0]] == tuple(answer[1:])
    arena.verify(service.store)


def test_a_reader_sees_every_event_once_and_in_order(drinks, url, tmp_path):
    working = [start("vote", url, tmp_path / f"journal-{n}", f"voter {n}") for n in range(3)]
    seen = []
    with arena.Service.open(url) as reader:
        while len(seen) < 90:
            head = seen[-1] if seen else 0
            seen += [row.seq for row in events(reader)[head:]]
        for process in working:
            process.kill()
            process.wait()
    assert seen == list(range(1, len(seen) + 1))


def test_a_database_that_is_voted_on_meanwhile_is_verified_as_of_one_moment(drinks, url, tmp_path):
    working = [start("vote", url, tmp_path / f"journal-{n}", f"voter {n}") for n in range(2)]
    heads = [0]
    try:
        while len(set(heads)) < 12:
            (found,) = arena.verify(drinks.store)
            heads.append(found.head)
    finally:
        for process in working:
            process.kill()
            process.wait()
    assert heads == sorted(heads)


def test_what_is_told_to_one_process_is_in_the_state_of_another(drinks, url):
    with arena.Service.open(url) as other:
        assert arena.status(other, "drinks").votes == 0
        prefer(drinks, "tea", 5)
        wait_until(lambda: other.hosted("drinks").replica.head == 6)
        vote(other, "left", voter="bob")
        arena.change_arms(drinks, "drinks", add=["mate"], pause=["milk"])
        wait_until(lambda: len(other.hosted("drinks").replica.arms) == 4)
        prefer(other, "mate", 3, voter="bob")
        arena.exclude(drinks, "drinks", drinks.voter("ann"))
        arena.change_arena(other, "drinks", {"title": "Hot"})
        assert state(drinks) == state(other) == state_from_nothing(other)
        assert drinks.hosted("drinks").arena.title == "Hot"


def test_a_duel_asked_by_one_process_can_be_told_to_another(drinks, url):
    asked = arena.ask(drinks, "drinks", "ann")
    with arena.Service.open(url) as other:
        first = arena.tell(other, asked.duel, "ann", "left")
    assert vars(arena.tell(drinks, asked.duel, "ann", "left")) == {**vars(first), "first": False}


@on_postgres
def test_processes_that_opened_duels_do_not_wait_for_each_other(postgres):
    """Each opens a duel and then appends to the log, all in one transaction."""
    with (
        arena.Service.open(postgres.emptied()) as service,
        arena.Service.open(postgres.url) as other,
    ):
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        gate, heads = Barrier(2), []

        def work(one):
            hosted = one.hosted("drinks")
            with one.store.writing() as connection:
                statements.insert_duels(connection, [one.draw(hosted, "ann")])
                gate.wait()
                locked = statements.lock_arenas(connection, [hosted.arena.id])[hosted.arena.id]
                event = {"at": 1, "kind": "settings", "body": {}}
                heads.append(statements.append(connection, locked, [event]))

        threads = [Thread(target=work, args=(one,)) for one in (service, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(heads) == [2, 3]
