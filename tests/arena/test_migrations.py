"""Databases of every schema that landed: they open, with the same votes, and older programs refuse.

Schema 1 landed twice, with other indices of events.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from driftduel.arena import service as arena
from driftduel.arena.file import Local
from driftduel.arena.store import migrations
from driftduel.arena.store.database import Store
from tests.arena.voting import events, prefer, state, vote

FIRST = (
    "DROP INDEX event_by_voter",
    "CREATE INDEX event_by_voter ON event (arena, voter, at)",
    "CREATE INDEX event_rare ON event (arena, seq) WHERE kind NOT IN ('vote', 'skip', 'import')",
)
OLD = {"at first": FIRST, "later": ()}


def connect(url):
    """Return a connection without transactions, by the driver alone."""
    if url.startswith("sqlite:"):
        return closing(sqlite3.connect(url.removeprefix("sqlite:"), isolation_level=None))
    import psycopg

    return psycopg.connect(url, autocommit=True)


def dialect_of(url):
    return "sqlite" if url.startswith("sqlite:") else "postgresql"


def make_old(url, changes=()):
    """Turn a database into one of schema 1."""
    with connect(url) as connection:
        for column in ("learner", "rules"):
            connection.execute(f"ALTER TABLE arena DROP COLUMN {column}")
        for change in changes:
            connection.execute(change)
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")


def tables(url):
    """Return what the database says of its tables and indices, without blanks."""
    if url.startswith("sqlite:"):
        query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    else:
        query = (
            "SELECT table_name || '.' || column_name, concat_ws(' ', data_type, is_nullable, "
            "column_default) FROM information_schema.columns WHERE table_schema = 'public' "
            "UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
        )
    with connect(url) as connection:
        rows = connection.execute(query).fetchall()
    return {name: "".join(text.split()) for name, text in rows}


@pytest.mark.parametrize("changes", OLD.values(), ids=OLD)
def test_an_older_database_opens_with_the_same_votes_and_the_tables_of_a_new_one(url, changes):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
        vote(service, "skip", "bob")
        before, log = state(service), events(service)
        new = tables(url)
    make_old(url, changes)
    assert tables(url) != new
    with arena.Service.open(url) as service:
        assert (state(service), events(service)) == (before, log)
        assert [one.votes for one in arena.verify(service.store)] == [6]
        (row,) = arena.arenas(service)
        assert (row.learner, row.rules) == ("DriftPoll", 1)
    assert tables(url) == new


@pytest.mark.parametrize("changes", OLD.values(), ids=OLD)
def test_an_older_file_opens_at_a_prompt(tmp_path, changes):
    file = tmp_path / "drinks.db"
    with arena.Service.open(f"sqlite:{file}") as service:
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
    make_old(f"sqlite:{file}", changes)
    with Local(file) as prompt:
        prompt.tell(prompt.ask()[0].id, "left")
        assert prompt.status()[0].votes == 7
    with arena.Service.open(f"sqlite:{file}") as service:
        assert [one.votes for one in arena.verify(service.store)] == [7]


def test_a_step_that_fails_leaves_the_older_tables(url, monkeypatch):
    Store.open(url).close()
    make_old(url)
    before = tables(url)
    with monkeypatch.context() as patched:
        patched.setattr("driftduel.arena.store.migrations.m0002_rules.STATEMENTS", FAILS)
        with pytest.raises(Exception, match="nonsense"):
            Store.open(url)
    assert tables(url) == before
    Store.open(url).close()


FAILS = ("ALTER TABLE arena ADD COLUMN learner TEXT", "ALTER TABLE nonsense ADD COLUMN x TEXT")


@pytest.mark.parametrize("version", ["0", "-1", str(migrations.SCHEMA + 1)])
def test_a_version_that_is_not_known_is_refused(url, version):
    Store.open(url).close()
    with connect(url) as connection:
        connection.execute(f"UPDATE meta SET value = '{version}' WHERE key = 'schema'")
    before = tables(url)
    with pytest.raises(ValueError, match=f"has schema {version}"):
        Store.open(url)
    if url.startswith("sqlite:"):
        with pytest.raises(ValueError, match=f"has schema {version}"):
            Local(url.removeprefix("sqlite:"))
    assert tables(url) == before
