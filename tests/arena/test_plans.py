from __future__ import annotations

import sqlalchemy as sa

from driftduel.arena import service as arena
from driftduel.arena.store import statements


def test_what_every_vote_asks_looks_at_few_events(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        found = []
        sa.event.listen(
            service.store.engine,
            "before_cursor_execute",
            lambda connection, cursor, statement, parameters, *_: found.append(
                (statement, parameters)
            ),
        )
        with service.store.reading() as connection:
            statements.excluded_of(connection, 1, ["a", "b"])
        asked = [(text, values) for text, values in found if text.startswith("SELECT")]
        assert len(asked) == 1
        with service.store.reading() as connection:
            for text, values in asked:
                plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
                assert "event_by_voter" in str(plan), plan
