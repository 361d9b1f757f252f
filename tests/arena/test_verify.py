"""What `verify` finds beside the promises of the log: files, snapshots, images, and forgeries."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.model import Card
from driftduel.arena.service import snapshots
from driftduel.arena.store import statements
from driftduel.arena.store.chain import first_hash
from tests.arena.images import png
from tests.arena.pages import pages_of
from tests.arena.voting import cast, damage, forge, seq, vote


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE meta SET value = '' WHERE key = 'salt'", "meta has a row that has nothing"),
        ("UPDATE access SET role = 'king' WHERE role = 'embed'", "access .* role that is none"),
        ("UPDATE access SET hash = 'x' WHERE role = 'embed'", "access .* hash of a token"),
        ("UPDATE arena SET status = 'ajar'", "neither open nor closed"),
        ("UPDATE card SET arm = 7", "card has a row that is of an arm that never was"),
        ("UPDATE card SET kind = 'song'", "card .* of a kind that is not known"),
        ("UPDATE card SET kind = 'image'", "card .* has no image"),
        ('UPDATE duel SET "left" = 9', "duel .* an arm that never was"),
        ('UPDATE duel SET "left" = "right"', "duel .* an arm against itself"),
        ("UPDATE duel SET voter = NULL", "duel .* lacks something"),
        ('UPDATE shown SET "right" = 9', "shown .* an arm that never was"),
        ("UPDATE shown SET n = 0", "shown .* counts what cannot"),
    ],
)
def test_verify_looks_at_every_table(drinks, statement, words):
    arena.set_card(drinks, "drinks", "tea", Card("text", "hot"))
    arena.ask(drinks, "drinks", "ann")
    shown = 'INSERT INTO shown (arena, day, "left", "right", n) VALUES (1, 5, 0, 1, 2)'
    damage(drinks, shown)
    arena.verify(drinks.store)
    damage(drinks, statement)
    with pytest.raises(errors.Violation, match=words):
        arena.verify(drinks.store)


@pytest.mark.parametrize("name", ["sides", "duels", "arms"])
def test_verify_notices_counts_of_a_snapshot_that_the_votes_do_not_give(drinks, name):
    vote(drinks)
    drinks.follow()
    copy = drinks.hosted("drinks").replica
    with drinks.store.writing() as connection:
        snapshots.keep_snapshot(connection, 1, snapshots.snapshot_of(copy))
    arena.verify(drinks.store)
    if name == "arms":
        copy.arms[0] = replace(copy.arms[0], name="beer")
    else:
        (copy.sides if name == "sides" else copy.tally.duels)[0] += 1
    with drinks.store.writing() as connection:
        snapshots.keep_snapshot(connection, 1, snapshots.snapshot_of(copy))
    with pytest.raises(errors.Violation, match="its snapshot is not the fold"):
        arena.verify(drinks.store)


def test_verify_notices_an_image_that_is_another(drinks):
    arena.set_card(drinks, "drinks", "tea", Card("image", ""), image=png())
    arena.verify(drinks.store)
    damage(drinks, "UPDATE blob SET bytes = 'short'")
    with pytest.raises(errors.Violation, match="is not the one that was stored"):
        arena.verify(drinks.store)


def test_every_file_that_sqlite_calls_damaged_is_refused(tmp_path):
    path = tmp_path / "arena.db"
    with arena.Service.open(f"sqlite:{path}") as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        cast(service, "tea", 60)
    sound = path.read_bytes()
    rng = np.random.default_rng(1)
    damaged = 0
    for n in range(40):
        broken = bytearray(sound)
        first = int(rng.integers(1_000, len(broken)))
        broken[first : first + 300] = rng.bytes(300)
        copy = tmp_path / f"{n}.db"
        copy.write_bytes(broken)
        if not is_sound(copy):
            damaged += 1
            with (
                pytest.raises(ValueError),  # noqa: PT011  whatever is wrong with it first
                arena.Service.open(f"sqlite:{copy}") as service,
            ):
                arena.verify(service.store)
    assert damaged > 3  # most bytes of a page are of no use


def is_sound(path):
    with closing(sqlite3.connect(path)) as connection:
        try:
            return connection.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
        except sqlite3.DatabaseError:
            return False


def test_a_hash_that_was_noted_tells_whether_the_log_was_changed(drinks):
    noted = []
    for _ in range(3):
        vote(drinks)
        noted.append(arena.verify(drinks.store)[0].hash)
    assert len(set(noted)) == 3
    arena.forget(drinks, "drinks", drinks.voter("ann"))  # whose name is no part of it
    vote(drinks, voter="bob")
    arena.verify(drinks.store, noted)
    with pytest.raises(errors.Violation, match="no log has the hash beef: events before it"):
        arena.verify(drinks.store, [noted[0], "beef"])
    # A forger who knows all promises keeps them; the hash alone tells.
    damage(drinks, seq(3, "asked_at = asked_at - 1"))
    with pytest.raises(errors.Violation, match="its hash is not that of its events"):
        arena.verify(drinks.store)
    forge(drinks, seq(3, "asked_at = asked_at"))
    arena.verify(drinks.store, noted[:1])
    with pytest.raises(errors.Violation, match=f"no log has the hash {noted[1]}"):
        arena.verify(drinks.store, noted)


def test_the_hash_is_on_the_page_of_the_owner_and_at_the_end_of_an_export(tmp_path):
    with pages_of(tmp_path) as site, site.browser() as browser:
        vote(site.service)
        vote(site.service, "skip")
        browser.post("/drinks/owner", data={"token": site.made.owner_token})
        (found,) = arena.verify(site.service.store)
        assert f'id="hash">{found.hash}</code>' in browser.get("/drinks/owner").text
        for everything in (False, True):
            lines = "".join(arena.votes_csv(site.service, "drinks", everything=everything))
            *before, last = lines.splitlines()[1:]
            assert last.endswith(f",{found.hash}")
            assert not any(found.hash in line for line in before)
        arena.write_parquet(site.service, "drinks", tmp_path / "votes.parquet")
        assert pl.read_parquet(tmp_path / "votes.parquet")["hash"].to_list() == [found.hash]


def as_row(event):
    swapped = None if event.swapped is None else bool(event.swapped)  # as PostgreSQL wants it
    return event._replace(swapped=swapped)._asdict()


def test_a_hash_is_the_same_on_both_databases(tmp_path, url):
    path = f"sqlite:{tmp_path}/other.db"
    with arena.Service.open(path) as one, arena.Service.open(url) as other:
        for service in (one, other):
            arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        vote(one)
        with one.store.reading() as connection:
            (row,) = statements.find_arenas(connection)
            log = statements.events(connection, 1, 0, row.head)
        with other.store.writing() as connection:
            chain = first_hash(row.slug, row.seed, row.created_at)
            made = f"created_at = {row.created_at}, head = 0, chain = '{chain}'"
            connection.execute(f"UPDATE arena SET {made}")
            connection.execute("DELETE FROM event")
            locked = statements.lock_arenas(connection, [1])[1]
            statements.append(connection, locked, [as_row(event) for event in log])
        hashes = [[found.hash for found in arena.verify(one.store)] for one in (one, other)]
    assert hashes[0] == hashes[1]
