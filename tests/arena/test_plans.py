from __future__ import annotations

from driftduel.arena import service as arena
from driftduel.arena.store import statements
from tests.arena.voting import explain


def test_what_every_vote_asks_looks_at_few_events(tmp_path, monkeypatch):
    with (
        arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service,
        service.store.reading() as connection,
    ):
        plans = explain(connection, monkeypatch)
        statements.excluded_of(connection, 1, ["a", "b"])
        statements.votes_of_day(connection, 1, ["a", "b"], 5)
        assert all("event_by_voter" in plan for plan in plans), plans
        statements.find_duels(connection, ["x"])
        statements.delete_duels(connection, ["x"])
        statements.find_answers(connection, ["x"])
        statements.lock_arenas(connection, [1])
        statements.retraction_of(connection, 1, 2)
        assert len(plans) == 7
        for plan in plans:
            assert "SEARCH" in plan, plan
            assert "SCAN event" not in plan, plan
            assert "SCAN duel" not in plan, plan
