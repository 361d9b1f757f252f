"""Every statement, on SQLite and on PostgreSQL: the same questions get the same answers."""

from __future__ import annotations

import inspect
from dataclasses import replace
from types import SimpleNamespace

import pytest

from driftduel.arena.model import DAY, Arm, Card, Marks, OpenDuel
from driftduel.arena.settings import Settings
from driftduel.arena.store import cards, checks, counts, snapshots, statements
from driftduel.arena.store.connection import IntegrityError
from driftduel.arena.store.database import Store
from tests.arena.postgres import on_postgres


class Recorder:
    """Calls the statements of a module and writes down what they give."""

    def __init__(self, module):
        self.module = module
        self.given = []

    def __getattr__(self, name):
        def call(*values, **options):
            found = getattr(self.module, name)(*values, **options)
            self.given.append((name, found if not inspect.isgenerator(found) else list(found)))
            return self.given[-1][1]

        return call


def public(module):
    return {
        name
        for name, found in vars(module).items()
        if inspect.isfunction(found) and found.__module__ == module.__name__ and name[0] != "_"
    }


ARENA = {
    "slug": "drinks",
    "title": "Drinks",
    "question": "Which is nicer, tea or “café”?\n:ids %s %(x)s ? ' \" \\",
    "settings": {"cap": 3, "origins": ["https://example.org"]},
    "seed": 2**47,
    "status": "open",
    "head": 0,
    "generation": 1,
    "created_at": 5,
    "learner": "DriftPoll",
    "rules": 1,
}


def a_duel(n, number, voter, **changes):
    duel = OpenDuel(
        f"{n:022}", number, voter, n % 3, (n + 1) % 3, bool(n % 2), bytes([0, 255, n]),
        0.1 + 1 / 3 * n / 7, None if n % 2 else "ctx", 1, 0, DAY * n, DAY * 100 + n,
    )  # fmt: skip
    return replace(duel, **changes)


def an_event(duel, **changes):
    kept = {name: value for name, value in vars(duel).items() if name in KEPT}
    base = {"at": duel.asked_at + 5, "kind": "vote", "duel": duel.id, "verdict": "left"}
    return {**kept, **base, **changes}


KEPT = (
    "voter", "left", "right", "swapped", "ticket", "propensity", "context", "generation",
    "asked_at",
)  # fmt: skip


def tell_a_story(store):
    """Ask everything, in an order that makes the answers say something; return them."""
    log, seen = Recorder(statements), Recorder(cards)
    sums, wrong, kept = Recorder(counts), Recorder(checks), Recorder(snapshots)
    with store.writing() as connection:
        log.has_tables(connection)
        log.set_meta(connection, "salt", "no two databases have the same")
        log.set_meta(connection, "note", "a")
        log.set_meta(connection, "note", "b % :c")
        number = log.insert_arena(connection, ARENA)
        other = log.insert_arena(connection, {**ARENA, "slug": "soups"})
        token = {"hash": "ab" * 32, "arena": number, "role": "owner", "label": "", "created_at": 1}
        later = {**token, "hash": "cd" * 32, "role": "read", "created_at": 2}
        log.insert_access(connection, [token, later])
        log.revoke_access(connection, number, "cd" * 32, 7)
        log.revoke_access(connection, number, "cd" * 32, 8)
        arms = [Arm(0, "tea", "tea", True), Arm(1, "milk", "milk", True), Arm(2, "x", "x", False)]
        log.insert_arms(connection, number, arms)
        log.insert_arms(connection, number, [])
        swapped = [replace(arms[0], name="milk"), replace(arms[1], name="tea", offered=False)]
        log.change_arms(connection, number, swapped)
        log.change_arms(connection, number, [])
        for _ in range(2):
            seen.keep_blobs(connection, [("f" * 64, "image/png", bytes(range(256)))])
        seen.keep_blobs(connection, [("e" * 64, "image/png", b"of no card")])
        seen.set_card(connection, number, 0, "", Card("text", "hot"))
        seen.set_card(connection, number, 0, "", Card("markdown", "*hot*"))
        seen.set_card(connection, number, 1, "ctx", Card("image", "", "f" * 64))
        seen.set_card(connection, number, 2, "", Card("text", "gone"))
        row = {"arena": other, "arm": 0, "context": "", **vars(Card("text", "of soups"))}
        seen.insert_cards(connection, [row])
        seen.insert_cards(connection, [])
        seen.set_card(connection, number, 2, "", None)
        seen.drop_blobs(connection, ["e" * 64, "f" * 64])
        duels = [a_duel(n, number, f"voter {n % 2}") for n in range(12)]
        log.insert_duels(connection, duels)
        log.insert_duels(connection, [])
        log.insert_duels(connection, [a_duel(50, other, "voter 0", expires_at=1)])
    with store.writing() as connection:
        first = [duel.id for duel in duels[:6]]
        log.find_duels(connection, [*first, "unknown"])
        both = log.lock_arenas(connection, [other, number, number])
        locked = both[number]
        told = log.find_to_tell(connection, [*first, "unknown"], [number, other, 99], ["voter 0"])
        assert told == (both, statements.find_duels(connection, first), {})
        log.delete_duels(connection, [*first, "unknown"])
        log.delete_duels(connection, [])
        assert log.find_duels(connection, first) == {}
        verdicts = ["left", "right", "tie", "bad", "skip", "left"]
        rows = [
            an_event(duel, verdict=verdict, kind="skip" if verdict == "skip" else "vote")
            for duel, verdict in zip(duels, verdicts, strict=False)
        ]
        rows[5]["reason"] = "cap"
        settings = {"at": 9, "kind": "settings", "body": {"cap": 3, "name": "café “%s”"}}
        retract = {"at": 10, "kind": "retract", "voter": "voter 0", "target": 1}
        rare = [{"at": 11, "kind": kind, "voter": "voter 1"} for kind in ("exclude", "include")]
        more = [settings, retract, *rare, {"at": 12, "kind": "exclude", "voter": "voter 0"}]
        changes = {"settings": {"cap": 4}, "title": "Other", "generation": 2}
        assert log.append(connection, locked, [*rows, *more], **changes) == 1
        told = log.find_to_tell(connection, first, [number, other], ["voter 0", "voter 1"])
        assert (told[0][number].head, told[1:]) == (11, ({}, {number: {"voter 0"}}))
        imported = {"at": 13, "kind": "import", "body": {"hash": "ab", "votes": 1}}
        log.append(connection, both[other], [imported])
        again = log.lock_arenas(connection, [number, other])
        votes = [an_event(a_duel(60, other, "é “%s” \\ \n"), reason="excluded")]
        skips = [an_event(a_duel(61, number, None, propensity=1e-300), verdict="skip")]
        log.append_to_many(connection, [(again[other], votes), (again[number], skips)])
        log.append_to_many(connection, [])
    with store.reading() as connection:
        log.meta(connection)
        log.find_arenas(connection)
        log.arenas_of(connection, [])
        (row,) = log.arenas_of(connection, [number])
        assert (row.head, row.title, row.settings) == (12, "Other", Settings(cap=4))
        log.arena_called(connection, "drinks")
        log.arena_called(connection, "none")
        log.access_of(connection, "ab" * 32)
        log.access_of(connection, "none")
        log.accesses_of(connection, number)
        log.has_owner(connection)
        log.arms_of(connection, number)
        seen.contexts_of(connection, number)
        seen.cards_of(connection, number)
        seen.count_cards(connection, number)
        seen.cards_in(connection, number, {0: "", 1: "ctx", 2: ""})
        seen.blob_of(connection, "f" * 64)
        seen.blob_of(connection, "0")
        seen.has_blob(connection, "f" * 64)
        seen.has_blob(connection, "e" * 64)
        log.open_duels(connection, number, DAY * 100 + 9)
        log.count_duels(connection, number, DAY * 100 + 9)
        log.count_duels(connection, 99, 0)
        log.events(connection, number, 0, 12)
        log.events(connection, other, 0, 2)
        log.events(connection, number, 4, 7)
        log.settings_of(connection, number)
        log.pages(connection, number, 0, 11)
        log.ranges(0, 11)
        log.imports_of(connection, number, 0, 11)
        assert log.imports_of(connection, other, 0, 1) == [
            (1, "import", {"hash": "ab", "votes": 1})
        ]
        log.find_answers(connection, [*first, "unknown"])
        log.find_answers(connection, [])
        log.ids_like(connection, duels[7].id[:-1] + "7")
        log.ids_like(connection, duels[1].id)
        log.retraction_of(connection, number, 1)
        log.retraction_of(connection, number, 2)
        log.first_of(connection, number, "voter 1")
        log.first_of(connection, number, "nobody")
        log.votes_of(connection, number, "voter 0")
        log.pairs_seen(connection, number, "voter 0", 5)
        log.heads_of(connection, [number, 99])
        log.undos_since(connection, number, "voter 0", 10)
        log.undos_since(connection, number, "voter 0", 11)
        log.votes_of_day(connection, number, ["voter 0", "voter 1", "nobody"], DAY)
        log.excluded_of(connection, number, ["voter 0", "voter 1", "nobody"])
        log.excluded_of(connection, number, [])
        for after in (0, 7, 8, 11):
            log.first_touched(connection, number, after, 11)
            log.marks_of(connection, number, 11, after, Marks({"voter 9"}, {77}, [(2, 3)]))
            log.is_retold(connection, number, after, 11)
        log.marks_of(connection, number, 11)
        log.last_refold(connection, number)
        for gone in (False, True):
            sorted(sums.by_voter(connection, number, 0, 11, 10, taken_back=gone))
            sorted(sums.by_day(connection, number, 0, 11, taken_back=gone))
        sums.forgot(connection, number, 0, 11)
        assert wrong.damage_of(connection) is None
        assert wrong.wrong_image(connection) == "f" * 64
        assert wrong.wrong_row(connection) == ("card", "is of an arm that never was")
        [*wrong.hashes_of(connection, row)]
        wrong.ends(connection, number)
        wrong.ends(connection, 99)
        wrong.is_open_and_answered(connection, number)
        wrong.first_wrong(connection, row)
        wrong.first_wrong(connection, replace(row, generation=0))
        wrong.first_without_target(connection, number)
        wrong.first_withdrawn_wrongly(connection, number, 11)
        wrong.is_over_the_cap(connection, number, 1)
        wrong.is_over_the_cap(connection, number, 0)
    with store.writing() as connection:
        log.purge(connection, DAY * 100 + 9, 3, most=2)
        log.purge(connection, DAY * 100 + 9, 3)
        log.shown_of(connection, number)
        log.shown_of(connection, other)
        log.rename_voter(connection, number, "voter 1", "~x")
        log.events(connection, number, 0, 11)
        kept.snapshot_of(connection, number)
        kept.keep_snapshot(connection, number, 3, "code", b"\x00state")
        kept.keep_snapshot(connection, number, 4, "code 2", b"\x00other")
        kept.snapshot_of(connection, number)
    return SimpleNamespace(log=log, seen=seen, sums=sums, wrong=wrong, kept=kept)


def same(one, other):
    """Whether answers are the same, whatever the order of those that have none."""
    name, found = one
    if name in ("by_voter", "by_day"):
        return sorted(found) == sorted(other[1])
    return one == other


@pytest.fixture
def on_sqlite(tmp_path):
    store = Store.open(f"sqlite:{tmp_path}/arena.db")
    yield store
    store.close()


def test_the_story_asks_every_statement(on_sqlite):
    told = tell_a_story(on_sqlite)
    for one in vars(told).values():
        assert {name for name, _ in one.given} == public(one.module)


@on_postgres
def test_both_databases_give_the_same_answers(on_sqlite, postgres):
    other = Store.open(postgres.emptied())
    first, second = tell_a_story(on_sqlite), tell_a_story(other)
    other.close()
    for room in vars(first):
        pairs = list(zip(getattr(first, room).given, getattr(second, room).given, strict=True))
        assert len(pairs) >= 4
        for one, two in pairs:
            assert same(one, two), (one, two)


def test_what_breaks_a_constraint_is_an_error_of_its_own(url):
    store = Store.open(url)
    for statement in (
        "INSERT INTO meta (key, value) VALUES ('salt', 'again')",
        "INSERT INTO snapshot (arena, seq, code, bytes) VALUES (99, 1, '', '')",
    ):
        with pytest.raises(IntegrityError), store.writing() as connection:
            connection.execute(statement)
    store.close()


def test_who_reads_sees_one_moment(url):
    store = Store.open(url)
    with store.reading() as connection:
        before = statements.meta(connection)
        with store.writing() as other:
            statements.set_meta(other, "note", "new")
        assert statements.meta(connection) == before
    with store.reading() as connection:
        assert statements.meta(connection) == {**before, "note": "new"}
    store.close()


def test_what_failed_half_way_is_not_there(url):
    store = Store.open(url)

    def fail():
        with store.writing() as connection:
            statements.set_meta(connection, "note", "new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.reading() as connection:
        assert "note" not in statements.meta(connection)
    store.close()


def test_statements_sent_together_are_known_again_after_one_that_failed(url):
    store = Store.open(url)

    def fail():
        with store.writing() as connection:
            connection.send("INSERT INTO meta (key, value) VALUES ('salt', 'again')")
            statements.set_meta(connection, "note", "new")

    for _ in range(12):  # psycopg prepares what it was asked a few times
        with pytest.raises(IntegrityError):
            fail()
    with store.writing() as connection:
        statements.set_meta(connection, "note", "newer")
    with store.reading() as connection:
        assert statements.meta(connection)["note"] == "newer"
    store.close()
