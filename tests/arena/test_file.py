"""A file at a prompt and the service on it: two ways to one log, which give the same."""

from __future__ import annotations

import random
import sqlite3

import pytest

from driftduel.arena import file as local
from driftduel.arena import service as arena
from driftduel.arena import states
from driftduel.arena.file import Local
from driftduel.arena.json import json_of_status
from driftduel.arena.service.verify import state_of
from driftduel.arena.store import statements
from tests.arena.voting import state_from_nothing


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "drinks.db"
    with arena.Service.open(f"sqlite:{path}") as service:
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
    return path


def state(one):
    with one._copy(writing=False) as (_, replica, _):
        return state_of(replica)


def snapshot(file):
    with sqlite3.connect(file) as connection:
        found = connection.execute("SELECT seq FROM snapshot").fetchone()
    connection.close()
    return found and found[0]


def test_by_turns_a_prompt_and_a_service_know_the_same_byte_for_byte(file):
    chance = random.Random(1)
    told = []
    with arena.Service.open(f"sqlite:{file}") as service, Local(file) as prompt:
        arena.change_arena(service, "drinks", {"cap": 30})
        for n in range(60):
            verdict = chance.choice(["left", "right", "tie", "bad", "skip"])
            voter = chance.choice(["ann", "bob"])
            if chance.random() < 0.5:
                duel = prompt.ask(voter)[0].id
            else:
                duel = arena.ask(service, "drinks", voter).duel
            if chance.random() < 0.5:
                prompt.tell(duel, verdict)
            else:
                arena.tell(service, duel, voter, verdict)
            told.append(duel)
            if n == 20:
                arena.change_arms(service, "drinks", add=["cocoa"], pause=["tea"])
            if n == 30:
                prompt.undo(told[5])
                arena.exclude(service, "drinks", arena.voters(service, "drinks")[1].voter)
            if n % 7 == 0:
                assert state(prompt) == state_from_nothing(service)
        assert snapshot(file) > 1
        assert json_of_status(prompt.status()[0]) == json_of_status(arena.status(service, "drinks"))
        (found,) = arena.verify(service.store)
    assert found.votes > 10


@pytest.mark.parametrize("what", ["excluded", "cap"])
def test_what_does_not_count_does_not_count_at_a_prompt(file, what):
    with arena.Service.open(f"sqlite:{file}") as service, Local(file) as prompt:
        first = prompt.tell(prompt.ask("ann")[0].id, "left")
        if what == "cap":
            arena.change_arena(service, "drinks", {"cap": 1})
        else:
            arena.exclude(service, "drinks", arena.voters(service, "drinks")[0].voter)
        second = prompt.tell(prompt.ask("ann")[0].id, "left")
        assert (first.row["reason"], second.row["reason"]) == (None, what)
        assert state(prompt) == state_from_nothing(service)


def votes(prompt, n):
    for _ in range(n):
        prompt.tell(prompt.ask()[0].id, "left")


def test_the_state_is_kept_and_gone_on_from(file, monkeypatch):
    with Local(file) as prompt:
        votes(prompt, 20)
        prompt.ask()
        kept = snapshot(file)
        assert kept >= 16
        before = state(prompt)
    folded = []
    monkeypatch.setattr(statements, "pages", _spied(statements.pages, folded))
    with Local(file) as prompt:
        assert state(prompt) == before
    assert folded == [kept]


def _spied(pages, folded):
    def spied(connection, number, after, until):
        folded.append(after)
        return pages(connection, number, after, until)

    return spied


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE snapshot SET code = 'other'",
        "UPDATE snapshot SET bytes = x'00'",
        "UPDATE snapshot SET seq = 1000",
        "UPDATE meta SET value = 'x y' WHERE key = 'code'",
        "DELETE FROM snapshot",
    ],
)
def test_a_state_that_is_not_to_be_trusted_is_folded_again(file, damage):
    with Local(file) as prompt:
        votes(prompt, 20)
        before = state(prompt)
    with sqlite3.connect(file) as connection:
        connection.execute(damage)
    connection.close()
    with Local(file) as prompt:
        assert state(prompt) == before


def test_edited_code_does_not_trust_what_other_code_kept(file, monkeypatch):
    with Local(file) as prompt:
        votes(prompt, 20)
        before = state(prompt)
    folded = []
    monkeypatch.setattr(statements, "pages", _spied(statements.pages, folded))
    monkeypatch.setattr(local, "_stamp", lambda: "edited")
    monkeypatch.setattr(states, "code", lambda: "edited")
    with Local(file) as prompt:
        assert state(prompt) == before
        assert folded == [0]


def test_many_events_are_folded_by_a_process_that_compiles(file, monkeypatch):
    with Local(file) as prompt:
        votes(prompt, 8)
        before = state(prompt)
        assert snapshot(file) is None
    monkeypatch.setattr(local, "_MANY", 5)
    monkeypatch.setattr("driftduel._support.compile.jit.interprets", lambda: True)
    with Local(file) as prompt:
        assert prompt.status()[0].votes == 8
        assert snapshot(file) == 9
        assert state(prompt) == before
