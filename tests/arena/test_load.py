"""The benchmark of load, for a second, and that it finds what it looks for."""

from __future__ import annotations

import pytest

from benchmarks import arena_load
from driftduel.arena import service as arena
from tests.arena.voting import vote


@pytest.mark.slow
def test_a_second_of_load_loses_and_doubles_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(arena_load, "GROWTH", 10.0)  # a second is no time to be at rest
    assert arena_load.soak("sqlite", f"sqlite:{tmp_path}/arena.db", 1.0) == []
    name, votes, *_, errors = capsys.readouterr().out.split()
    assert (name, errors) == ("sqlite", "0")
    assert int(votes.replace(",", "")) >= 10


@pytest.fixture
def loaded(tmp_path):
    """A database with one vote of a voter of the benchmark, and what that voter saw."""
    url = f"sqlite:{tmp_path}/arena.db"
    with arena.Service.open(url) as service:
        arena.create_arena(service, "load", "?", ["tea", "coffee"])
        asked = arena.ask(service, "load", "voter 7")
        told = arena.tell(service, asked.duel, "voter 7", "left")
        yield url, arena_load.Seen({asked.duel: told.seq}), service


def test_the_benchmark_agrees_with_a_log_that_has_what_was_acknowledged(loaded):
    url, seen, _ = loaded
    assert arena_load._compare(url, seen) == []


def test_the_benchmark_notices_a_vote_that_was_lost(loaded):
    url, seen, _ = loaded
    seen.told["another"] = 3
    problems = arena_load._compare(url, seen)
    assert problems[0] == "1 votes were acknowledged and are not in the log"


def test_the_benchmark_notices_a_vote_too_many(loaded):
    url, seen, service = loaded
    vote(service, voter="voter 8", slug="load")
    assert arena_load._compare(url, seen) == ["2 votes are in the log, 1 were acknowledged"]
