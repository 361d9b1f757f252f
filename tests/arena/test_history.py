"""Databases of every schema that ever landed open, with the same votes and the same answers.

They are in the folder ``history``, whose README says how they were made.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from driftduel.arena import service as arena
from driftduel.verdict.standing import Moment
from tests.arena.history.restore import (
    COMMITS,
    answers_of,
    expected,
    restore_postgres,
    restore_sqlite,
)


@pytest.fixture(params=COMMITS)
def old(request, url):
    """The address of a database that an earlier commit made, and what was said of it."""
    if url.startswith("sqlite:"):
        restore_sqlite(request.param, Path(url.removeprefix("sqlite:")))
    else:
        restore_postgres(request.param, url)
    return url, expected(request.param)


def test_an_old_database_opens_and_verifies(old):
    url, facts = old
    with arena.Service.open(url) as service:
        found = {one.slug: one for one in arena.verify(service.store)}
    assert list(found) == list(facts)
    for slug, one in found.items():
        was = facts[slug]["verified"]
        assert (one.votes, one.open) == (was["votes"], was["open"])
        assert one.head >= was["head"]  # an upgrade may write events of its own


def schema_of(url):
    """Return the version of the tables, before they are upgraded."""
    query = "SELECT value FROM meta WHERE key = 'schema'"
    if url.startswith("sqlite:"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:"))) as connection:
            return int(connection.execute(query).fetchone()[0])
    with psycopg.connect(url) as connection:
        return int(connection.execute(query).fetchone()[0])


def test_an_old_database_has_the_same_votes(old):
    url, facts = old
    schema = schema_of(url)
    with arena.Service.open(url) as service:
        for slug, was in facts.items():
            lines = "".join(arena.votes_csv(service, slug, everything=True)).splitlines()
            # The last columns, two of tosses and a hash of the log, are younger than some.
            parts = [line.rsplit(",", 3) for line in lines]
            lines = [f"{head},{last}" if schema > 2 else head for head, _, _, last in parts]
            text = "".join(f"{line}\r\n" for line in lines)
            assert len(lines) - 1 == was["exported"]
            assert hashlib.sha256(text.encode()).hexdigest() == was["export_sha256"]


def value(thing):
    return thing.value if isinstance(thing, Moment) else thing


def test_an_old_database_gives_the_same_answers(old):
    url, facts = old
    with arena.Service.open(url) as service:
        for slug, was in facts.items():
            status = arena.status(service, slug)
            if "answers" in was:  # as a standing says it
                assert json.loads(json.dumps(answers_of(status))) == was["answers"]
                continue
            known, before = status.standing, was["status"]
            for name in ("votes", "best", "left", "right", "neither"):
                assert getattr(status, name) == before[name], name
            for name in ("first", "last", "since"):
                assert value(getattr(known, name)) == before[name], name
            names = [one.name for one in known.options]
            for one, then in zip(known.changes, before["changes"], strict=True):
                assert (names[one.before], names[one.after]) == (then["before"], then["after"])
                for name in ("around", "noticed", "earliest", "latest"):
                    assert value(getattr(one, name)) == then[name]
            for one, then in zip(known.options, before["arms"], strict=True):
                assert {name: value(getattr(one, name)) for name in then} == then


def test_an_old_database_goes_on(old):
    url, facts = old
    with arena.Service.open(url) as service:
        asked = arena.ask(service, "drinks", "somebody new")
        assert arena.tell(service, asked.duel, "somebody new", "left").counted
        made = arena.create_arena(service, "later", "Which?", ["one", "two"])
        assert made.arena.slug == "later"
        service.follow()
        assert arena.status(service, "drinks").votes == facts["drinks"]["verified"]["votes"] + 1
        assert len(arena.verify(service.store)) == len(facts) + 1
