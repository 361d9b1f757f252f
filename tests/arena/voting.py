"""What tests of the arena do again and again."""

from __future__ import annotations

import numpy as np

from driftduel.arena import rules
from driftduel.arena import service as arena
from driftduel.arena.service.copies import folded
from driftduel.arena.service.verify import state_of
from driftduel.arena.store import checks, statements


def vote(service, verdict="left", voter="ann", slug="drinks"):
    """Ask and tell; return what was told and the names of the arms."""
    asked = arena.ask(service, slug, voter)
    return arena.tell(service, asked.duel, voter, verdict)


def prefer(service, name, n, voter="ann", slug="drinks"):
    """Vote for an arm wherever it is shown, else for a tie."""
    for _ in range(n):
        asked = arena.ask(service, slug, voter)
        sides = {asked.left.name: "left", asked.right.name: "right"}
        arena.tell(service, asked.duel, voter, sides.get(name, "tie"))


def state(service, slug="drinks"):
    """All that the copy of this process is, as of the head of the log."""
    service.follow()
    return state_of(service.hosted(slug).replica)


def state_from_nothing(service, slug="drinks"):
    """The same, folded again."""
    with service.store.reading() as connection:
        row = statements.arena_called(connection, slug)
        return state_of(folded(connection, row))


def events(service, slug="drinks"):
    """All events, as rows."""
    with service.store.reading() as connection:
        row = statements.arena_called(connection, slug)
        return statements.events(connection, row.id, 0, row.head)


def explain(connection, monkeypatch):
    """Return a list that fills with how SQLite does the statements of a connection."""
    execute, plans = connection.execute, []

    def explained(statement, **values):
        plans.append(str(execute(f"EXPLAIN QUERY PLAN {statement}", **values)))
        return execute(statement, **values)

    monkeypatch.setattr(connection, "execute", explained)
    return plans


def cast(service, name, n, voter="ann", slug="drinks", rng=None):
    """Append votes for an arm wherever it is shown, else ties, on random pairs, all at once."""
    rng = np.random.default_rng(n) if rng is None else rng
    with service.store.writing() as connection:
        found = statements.arena_called(connection, slug)
        locked = statements.lock_arenas(connection, [found.id])[found.id]
        arms = {arm.id: arm.name for arm in statements.arms_of(connection, found.id) if arm.offered}
        ticket = np.array([1 / (len(arms) * (len(arms) - 1)), 1.0, 1.0], "<f8").tobytes()
        rows = []
        for place in range(n):
            left, right = rng.choice(list(arms), 2, replace=False).tolist()
            at = rules.now() + place
            sides = {arms[left]: "left", arms[right]: "right"}
            rows.append(
                {
                    "at": at,
                    "kind": "vote",
                    "duel": rules.new_id(),
                    "voter": service.voter(voter),
                    "left": left,
                    "right": right,
                    "swapped": False,
                    "ticket": ticket,
                    "generation": locked.generation,
                    "asked_at": at,
                    "verdict": sides.get(name, "tie"),
                }
            )
        statements.append(connection, locked, rows)


def damage(service, statement, **values):
    with service.store.writing() as connection:
        connection.execute(statement, **values)


def forge(service, statement):
    """Change a log, and all hashes with it, as who knows everything would."""
    with service.store.writing() as connection:
        connection.execute(statement)
        for row in statements.find_arenas(connection):
            *_, (_, chain) = checks.hashes_of(connection, row)
            connection.execute(
                "UPDATE arena SET chain = :chain WHERE id = :number", chain=chain, number=row.id
            )


def seq(number, changes):
    return f"UPDATE event SET {changes} WHERE seq = {number}"
