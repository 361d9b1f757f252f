"""Steps from an older schema to this one: what they give, what fails, and who is refused."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from driftduel.arena import service as arena
from driftduel.arena.file import Local
from driftduel.arena.model import Card
from driftduel.arena.store import migrations
from driftduel.arena.store.database import Store
from tests.arena.history.restore import COMMITS, restore_postgres, restore_sqlite
from tests.arena.images import png
from tests.arena.voting import prefer


def path_of(url):
    return Path(url.removeprefix("sqlite:")) if url.startswith("sqlite:") else None


def connect(url):
    """Return a connection without transactions, by the driver alone."""
    if path := path_of(url):
        return closing(sqlite3.connect(path, isolation_level=None))
    import psycopg

    return psycopg.connect(url, autocommit=True)


def restore(commit, url):
    if path := path_of(url):
        restore_sqlite(commit, path)
    else:
        restore_postgres(commit, url)


def tables(url):
    """Return what a database says of its columns, keys and indices."""
    with connect(url) as connection:
        ask = connection.execute
        if not path_of(url):
            columns = ask(
                "SELECT table_name, column_name, data_type, is_nullable, column_default FROM "
                "information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, "
                "ordinal_position"
            ).fetchall()
            keys = ask(
                "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2"
            ).fetchall()
            indices = ask("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")
            return columns, keys, indices.fetchall()
        found = {}
        for _, name, *kind in ask("PRAGMA table_list").fetchall():
            if not name.startswith("sqlite_"):
                indices = [
                    (unique, partial, name if origin == "c" else "", columns_of(ask, name))
                    for _, name, unique, origin, partial in ask(f"PRAGMA index_list({name})")
                ]
                keys = [row[2:] for row in ask(f"PRAGMA foreign_key_list({name})")]
                columns = ask(f"PRAGMA table_info({name})").fetchall()
                found[name] = kind, columns, sorted(indices), sorted(keys)
        return found


def columns_of(ask, index):
    return [row[2] for row in ask(f"PRAGMA index_info({index})")]


@pytest.fixture
def new(url):
    """What a database says that was made by this version, which is gone then."""
    Store.open(url).close()
    found = tables(url)
    if path := path_of(url):
        path.unlink()
    else:
        with connect(url) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
    return found


@pytest.mark.parametrize("commit", COMMITS)
def test_an_older_database_gets_the_tables_of_a_new_one(url, new, commit):
    restore(commit, url)
    assert tables(url) != new
    with arena.Service.open(url) as service:
        rules = 3 if commit == "484591a" else 1  # those of a new arena then
        assert {(row.learner, row.rules) for row in arena.arenas(service)} == {("DriftPoll", rules)}
    assert tables(url) == new


def test_an_older_file_opens_at_a_prompt(tmp_path):
    file = tmp_path / "drinks.db"
    with arena.Service.open(f"sqlite:{file}") as service:
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
    new = tables(f"sqlite:{file}")
    with connect(f"sqlite:{file}") as connection:
        take_back_steps(connection, 1)
    with Local(file) as prompt:
        prompt.tell(prompt.ask()[0].id, "left")
        assert prompt.status()[0].votes == 7
    assert tables(f"sqlite:{file}") == new
    with arena.Service.open(f"sqlite:{file}") as service:
        assert [one.votes for one in arena.verify(service.store)] == [7]


def take_back_steps(connection, version):
    """Let tables be as an earlier schema had them."""
    for step, columns in reversed(COLUMNS[version - 1 :]):
        assert step in migrations.STEPS
        for column in columns:
            table, _, name = column.partition(".")
            part = f"ALTER TABLE {table} DROP COLUMN {name}" if name else f"DROP TABLE {table}"
            connection.execute(part)
    connection.execute(f"UPDATE meta SET value = '{version}' WHERE key = 'schema'")


COLUMNS = (
    ("m0002_rules", ("arena.learner", "arena.rules")),
    ("m0003_chain", ("arena.chain", "card.html")),
    ("m0004_suggestions", ("suggestion",)),
    ("m0005_fields", ("duel.fields", "event.fields", "field")),
    ("m0006_messages", ("message", "receiver")),
    ("m0007_invitations", ("invitation",)),
)
"""What each step but the first added: columns, and tables."""


@pytest.mark.parametrize("version", range(1, migrations.SCHEMA))
def test_a_database_of_each_earlier_schema_has_all_it_had_and_what_is_new(url, version):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        arena.set_card(service, "drinks", "tea", Card("image", ""), image=png())
        arena.set_card(service, "drinks", "milk", Card("markdown", "*hot*"))
        prefer(service, "tea", 6)
        before = arena.verify(service.store), arena.cards(service, "drinks")["tea"]
    new = tables(url)
    with connect(url) as connection:
        take_back_steps(connection, version)
        unseen = "INSERT INTO blob (sha256, type, bytes) VALUES ('x', 'image/png', '')"
        if version < 3:
            connection.execute(unseen)  # as cards that were removed left them
    with arena.Service.open(url) as service:
        assert (arena.verify(service.store), arena.cards(service, "drinks")["tea"]) == before
        prefer(service, "tea", 1)
        assert arena.verify(service.store)[0].votes == 7
    assert tables(url) == new


@pytest.mark.parametrize("failing", range(len(migrations.STEPS)))
def test_a_step_that_fails_leaves_what_was_there(url, monkeypatch, failing):
    if failing:
        restore(COMMITS[0], url)
    before = tables(url)
    module = f"driftduel.arena.store.migrations.{migrations.STEPS[failing]}"
    statements = __import__(module, fromlist=["STATEMENTS"]).STATEMENTS
    with monkeypatch.context() as patched:
        patched.setattr(f"{module}.STATEMENTS", (*statements, "DROP TABLE nonsense"))
        with pytest.raises(Exception, match="nonsense"):
            Store.open(url)
    assert tables(url) == before
    Store.open(url).close()
    assert tables(url) != before


def test_several_processes_may_bring_a_database_up_to_date_at_once(url, new):
    restore(COMMITS[0], url)
    script = "import sys; from driftduel.arena.store.database import Store; Store.open(sys.argv[1])"
    command = [sys.executable, "-c", script, url]
    opening = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in opening] == [0, 0, 0]
    assert tables(url) == new


@pytest.mark.parametrize("version", ["0", "-1", str(migrations.SCHEMA + 1)])
def test_a_version_that_is_not_known_is_refused(url, version):
    Store.open(url).close()
    with connect(url) as connection:
        connection.execute(f"UPDATE meta SET value = '{version}' WHERE key = 'schema'")
    before = tables(url)
    with pytest.raises(ValueError, match=f"has schema {version}"):
        Store.open(url)
    if path := path_of(url):
        with pytest.raises(ValueError, match=f"has schema {version}"):
            Local(path)
    assert tables(url) == before
