from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict

import pytest

from driftduel.arena import service as arena
from driftduel.arena.settings import Settings


@pytest.fixture
def database(tmp_path):
    return f"sqlite:{tmp_path}/arena.db"


@pytest.fixture
def drinks(run, database):
    words = ["--arms", "tea,coffee,milk", "--question", "Which is nicer?", "--database", database]
    return run("arena", "new", "drinks", *words, "--json").json


def vote(database, *verdicts, voter="ann"):
    with arena.Service.open(database) as service:
        for verdict in verdicts:
            arena.tell(service, arena.ask(service, "drinks", voter).duel, voter, verdict)


def test_new_makes_an_arena_with_its_tokens(drinks, database):
    assert drinks["arena"] == "drinks"
    assert drinks["arms"] == ["tea", "coffee", "milk"]
    with arena.Service.open(database) as service:
        assert arena.check_token(service, drinks["owner_token"], "drinks", "owner") == "owner"
        assert arena.check_token(service, drinks["embed_key"], "drinks", "embed") == "embed"
        assert arena.describe(service, "drinks").arena.question == "Which is nicer?"


def test_new_takes_settings_and_says_the_tokens_in_words(run, database):
    done = run("arena", "new", "films", "--cap", "3", "--no-ties", "--public", "--named",
               "--origins", "https://a.example", "--database", database)  # fmt: skip
    assert "embed_" in done.out
    assert "nobody can show them again" in done.out
    with arena.Service.open(database) as service:
        found = arena.describe(service, "films").arena.settings
    assert (found.cap, found.ties, found.public, found.blind) == (3, False, True, False)
    assert found.origins == ("https://a.example",)


def test_the_command_lists_and_changes_settings(run, database):
    url = database
    run("arena", "new", "drinks", "--arms", "a,b", "--cap", "5", "--database", url)
    done = run("arena", "settings", "drinks", "--no-ties", "--cap", "0", "--expire", "60",
               "--origins", "https://a.example,https://b.example", "--database", url)  # fmt: skip
    assert "any number" in done.out
    found = run("arena", "settings", "drinks", "--database", url, "--json").json["settings"]
    assert found == {
        **json.loads(json.dumps(asdict(Settings()))),
        "ties": False,
        "expire": 60,
        "origins": ["https://a.example", "https://b.example"],
    }
    run("arena", "settings", "drinks", "--named", "--origins", "", "--database", url)
    with arena.Service.open(url) as service:
        settings = arena.describe(service, "drinks").arena.settings
    assert (settings.blind, settings.origins, settings.expire) == (False, (), 60)


def test_new_refuses_what_makes_no_sense(refused, drinks, database):
    assert "already" in refused("arena", "new", "drinks", "--database", database)
    assert "small letters" in refused("arena", "new", "Hot Drinks", "--database", database)
    assert "origin" in refused(
        "arena", "new", "x", "--origins", "example.org", "--database", database
    )
    assert "must be sqlite:FILE" in refused("arena", "new", "x", "--database", "mysql://x/y")


def test_arms_are_listed_and_changed(run, refused, drinks, database):
    done = run("arena", "arms", "drinks", "--add", "cocoa", "--pause", "tea",
               "--rename", "milk=oat milk", "--database", database, "--json")  # fmt: skip
    assert [(arm["name"], arm["offered"]) for arm in done.json["arms"]] == [
        ("tea", False), ("coffee", True), ("oat milk", True), ("cocoa", True),
    ]  # fmt: skip
    assert "paused" in run("arena", "arms", "drinks", "--database", database).out
    assert "nix" in refused("arena", "arms", "drinks", "--resume", "nix", "--database", database)
    words = ["--rename", "milk", "--database", database]
    assert "--rename is 'milk'" in refused("arena", "arms", "drinks", *words)


def test_status_tells_who_is_best(run, refused, drinks, database):
    vote(database, "left", "left", "tie")
    found = run("arena", "status", "drinks", "--database", database, "--json").json
    assert (found["head"], found["votes"]) == (4, 3)
    assert found["best"] in ("tea", "coffee", "milk")
    text = run("arena", "status", "drinks", "--database", database).words
    assert "tea" in text
    assert "there is no arena 'nix'" in refused("arena", "status", "nix", "--database", database)


def test_votes_are_exported_measured_and_imported(run, refused, drinks, database, tmp_path):
    vote(database, "left", "right", "skip")
    lines = run("arena", "export", "drinks", "--database", database).out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("time,left,right,left_won,")
    for name in ("votes.csv", "votes.parquet"):
        out = tmp_path / name
        run("arena", "export", "drinks", "--out", out, "--database", database)
        assert out.stat().st_size > 100
    everything = run("arena", "export", "drinks", "--all", "--database", database)
    assert len(everything.out.splitlines()) == 4
    words = ["import", "drinks", tmp_path / "votes.csv", "--pairs", "uniform"]
    done = run("arena", *words, "--database", database, "--json")
    assert done.json == {"arena": "drinks", "votes": 2, "counted": 2, "again": False}
    done = run("arena", *words, "--database", database)
    assert "these 2 votes came in before; nothing was added" in done.out
    out = refused("arena", "export", "drinks", "--out", "votes.xlsx", "--database", database)
    assert "must end with .csv or .parquet" in out


def test_voters_are_listed_excluded_and_included(run, refused, drinks, database):
    vote(database, "left", "left")
    (found,) = run("arena", "exclude", "drinks", "--database", database, "--json").json["voters"]
    run("arena", "exclude", "drinks", found["voter"], "--database", database)
    assert run("arena", "status", "drinks", "--database", database, "--json").json["votes"] == 0
    run("arena", "exclude", "drinks", found["voter"], "--include", "--database", database)
    assert run("arena", "status", "drinks", "--database", database, "--json").json["votes"] == 2
    assert found["voter"] in run("arena", "exclude", "drinks", "--database", database).out
    assert "no such voter" in refused("arena", "exclude", "drinks", "x", "--database", database)


def test_tokens_are_made_listed_and_revoked(run, refused, drinks, database):
    words = ["token", "drinks", "--role", "read", "--label", "wall", "--database", database]
    token = run("arena", *words).out.strip()
    with arena.Service.open(database) as service:
        assert arena.check_token(service, token, "drinks", "read") == "read"
    found = run("arena", "token", "drinks", "--database", database, "--json").json["tokens"]
    (mine,) = [one for one in found if one["label"] == "wall"]
    run("arena", "token", "drinks", "--revoke", mine["id"], "--database", database)
    with arena.Service.open(database) as service, pytest.raises(ValueError, match="revoked"):
        arena.check_token(service, token, "drinks", "read")
    assert "wall" in run("arena", "token", "drinks", "--database", database).out
    both = ["--role", "read", "--revoke", mine["id"], "--database", database]
    assert "give one of them" in refused("arena", "token", "drinks", *both)


def test_verify_says_that_all_is_well_or_names_what_is_not(run, refused, drinks, database):
    vote(database, "left", "right")
    assert "3 events, 2 votes that count: all is well" in run("arena", "verify", database).out
    assert run("arena", "verify", database, "--json").json[0]["head"] == 3
    with sqlite3.connect(database.removeprefix("sqlite:")) as connection:
        connection.execute("DELETE FROM event WHERE seq = 2")
    connection.close()
    assert "head is 3, but there are 2 events" in refused("arena", "verify", database)
    assert "there is no such file" in refused("arena", "verify", "nix.db")


def test_without_the_extra_one_sentence_says_what_to_install(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    sentence = refused("arena", "serve")
    assert sentence == "the arena needs fastapi: pip install 'driftduel[arena]'"
    monkeypatch.setitem(sys.modules, "psycopg", None)
    sentence = refused("arena", "new", "drinks", "--database", "postgresql://localhost/x")
    assert sentence == "PostgreSQL needs the extra: pip install 'driftduel[arena,postgres]'"


def test_an_arena_in_a_file_needs_nothing_of_the_extra(run, database, monkeypatch):
    for name in ("fastapi", "jinja2", "prometheus_client", "psycopg", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    run("arena", "new", "drinks", "--arms", "tea,milk", "--database", database)
    assert "1 event, 0 votes that count: all is well" in run("arena", "verify", database).out


def test_importing_driftduel_and_its_command_needs_nothing_of_the_extra():
    script = (
        "import sys, driftduel, driftduel.cli.app, driftduel.arena; "
        "print(sorted({'fastapi', 'sqlite3', 'uvicorn', 'psycopg'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_database_of_another_program_is_left_as_it_is(tmp_path, refused):
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE meta (key TEXT, value TEXT)")
        connection.commit()
    before = path.read_bytes()
    for words in (("new", "drinks", "--arms", "a,b", "--database"), ("verify",), ("serve",)):
        assert "holds tables of another program" in refused("arena", *words, path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["theirs.db"]


def test_a_database_that_is_not_there_is_told_with_a_command_that_works(
    monkeypatch, tmp_path, refused, run
):
    monkeypatch.chdir(tmp_path)
    said = refused("arena", "status", "nope.db")
    assert said == (
        "arena.db: there is no such file; a file goes last: driftduel arena status drinks "
        "--database nope.db"
    )
    said = refused(*said.partition("driftduel ")[2].split())
    assert said == (
        "nope.db: there is no such file; a poll in a new one: driftduel arena new drinks --arms "
        "tea coffee cocoa --database nope.db"
    )
    run(*said.partition("driftduel ")[2].split())
    assert (
        run("arena", "status", "drinks", "--database", "nope.db").out == "Nobody has voted yet.\n"
    )


def test_a_mistyped_database_is_not_served_beside_another(monkeypatch, tmp_path, refused):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drinks.db").touch()
    assert refused("arena", "serve", "drink.db").startswith(
        "drink.db: there is no such file, there is drinks.db: driftduel arena serve drinks.db; "
    )
    assert not (tmp_path / "drink.db").exists()
