"""Fields of votes: what a site says of a voter, bounded, no address, and gone with the voter."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftduel.arena import service as arena
from driftduel.arena.client import Client
from driftduel.arena.errors import Invalid
from driftduel.arena.fields import (
    MOST_FIELDS,
    MOST_VALUES,
    OTHER,
    as_fields,
    bounded,
    looks_like_an_address,
)
from driftduel.arena.file import Local
from driftduel.cli import main
from tests.arena.pages import words_of
from tests.arena.voting import prefer
from tests.commands import runner


def rows_of(service, **more):
    return [*csv.DictReader(io.StringIO("".join(arena.votes_csv(service, "drinks", **more))))]


def vote(service, voter, asked=None, told=None, **more):
    duel = arena.ask(service, "drinks", voter, fields=asked)
    return arena.tell(service, duel.duel, voter, "left", fields=told, **more)


def test_a_vote_has_what_was_said_when_it_was_asked_and_told(drinks):
    vote(drinks, "ann", {"language": "de", "device": "phone"}, {"device": "tablet", "paying": True})
    vote(drinks, "bob")
    assert [(row["language"], row["device"], row["paying"]) for row in rows_of(drinks)] == [
        ("de", "tablet", "true"),
        ("", "", ""),
    ]
    assert arena.verify(drinks.store)[0].hash == rows_of(drinks)[-1]["hash"]


def test_the_next_question_is_of_the_same_kind_of_voter(drinks):
    following = vote(drinks, "ann", {"language": "de"}, wants_next=True).next
    arena.tell(drinks, following.duel, "ann", "right")
    assert [row["language"] for row in rows_of(drinks)] == ["de", "de"]


def test_a_question_that_was_answered_and_taken_back_keeps_its_fields(drinks):
    duel = arena.ask(drinks, "drinks", "ann", fields={"language": "de"}).duel
    arena.tell(drinks, duel, "ann", "left")
    arena.retract(drinks, duel, "ann")
    again = arena.open_again(drinks, duel, "ann")
    arena.tell(drinks, again.duel, "ann", "right")
    assert [row["language"] for row in rows_of(drinks)] == ["de"]


def test_a_forgotten_voter_leaves_no_field_and_no_value_behind(drinks):
    vote(drinks, "ann", {"language": "gsw"})
    vote(drinks, "bob", {"language": "de"})
    before = arena.verify(drinks.store)[0]
    (hashed,) = {row["voter"] for row in rows_of(drinks) if row["language"] == "gsw"}
    arena.forget(drinks, "drinks", hashed)
    assert sorted(row["language"] for row in rows_of(drinks)) == ["", "de"]
    with drinks.store.reading() as connection:
        assert connection.execute("SELECT name, value FROM field") == [("language", "de")]
        stored = str(connection.execute("SELECT fields FROM event"))
    assert "gsw" not in stored
    arena.verify(drinks.store, [before.hash])  # the log before it has the hash that it had


def test_values_and_fields_beyond_what_there_is_room_for_are_not_kept(drinks):
    for n in range(MOST_VALUES + 2):
        vote(drinks, f"v{n}", {"language": f"l{n}"})
    found = [row["language"] for row in rows_of(drinks)]
    assert found == [*(f"l{n}" for n in range(MOST_VALUES)), OTHER, OTHER]
    for n in range(MOST_FIELDS + 1):
        vote(drinks, f"w{n}", {f"f{n}": "x"})
    last = rows_of(drinks)[-1]
    assert f"f{MOST_FIELDS - 2}" in last
    assert f"f{MOST_FIELDS - 1}" not in last
    vote(drinks, "ann", {"language": "l3"})
    assert rows_of(drinks)[-1]["language"] == "l3"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"visitor": "192.168.0.1"}, "address"),
        ({"visitor": "see 8.8.8.8:53"}, "address"),
        ({"visitor": "２００１:db8::1"}, "address"),
        ({"visitor": "[::1]"}, "address"),
        ({"visitor": "ann@example.org"}, "address"),
        ({"visitor": "ann＠example.org"}, "address"),
        ({"visitor": "ann%40example.org"}, "address"),
        ({"visitor": "x" * 41}, "41 characters"),
        ({"visitor": "a\nb"}, "one line"),
        ({"visitor": 1.5}, "must be text"),
        ({"visitor": ["a"]}, "must be text"),
        ({"Language": "de"}, "small letters"),
        ({"x" * 31: "de"}, "small letters"),
        ({"voter": "de"}, "another name"),
        ({"winner": "de"}, "another name"),
        ({"returning": "de"}, "another name"),
        ({f"f{n}": "x" for n in range(7)}, "at most 6"),
        ([("a", "b")], "names with values"),
    ],
)
def test_what_is_no_field_is_refused_and_nothing_is_stored(drinks, said, words):
    with pytest.raises(Invalid, match=words):
        arena.ask(drinks, "drinks", "ann", fields=said)
    duel = arena.ask(drinks, "drinks", "ann").duel
    with pytest.raises(Invalid, match=words):
        arena.tell(drinks, duel, "ann", "left", fields=said)
    assert rows_of(drinks) == []


@given(st.ip_addresses(), st.text("abc .:", max_size=3))
def test_addresses_are_seen_wherever_they_stand(address, before):
    if before[-1:].isalnum() or before.endswith((":", ".")):
        before += " "
    assert looks_like_an_address(f"{before}{address}")


@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 30)), max_size=60))
def test_a_poll_never_has_more_fields_or_values_than_there_is_room_for(votes):
    known = {}
    for said in votes:
        text = as_fields(dict([*said.items()][:MOST_FIELDS]))
        if text is not None:
            bounded(text, known)
    assert len(known) <= MOST_FIELDS
    assert all(len(values - {OTHER}) <= MOST_VALUES for values in known.values())


def test_a_site_says_it_with_the_api_and_the_client(site):
    where = "/arenas/drinks/duels"
    body = {"fields": {"language": "de"}}
    asked = site.api.post(where, headers=site.as_voter(), json=body)
    assert asked.status_code == 201
    told = site.tell(asked.json()["duel"], "left", fields={"paying": False})
    assert told.status_code == 201
    client = Client(site.address, site.made.embed_key)
    client.tell(client.ask("bob", {"language": "en"}), "right", fields={"paying": True})
    found = [(row["language"], row["paying"]) for row in rows_of(site.service)]
    assert found == [("de", "false"), ("en", "true")]
    for words in ({"visitor": "10.0.0.1"}, {"a": {}}, "de"):
        refused = site.api.post(where, headers=site.as_voter(), json={"fields": words})
        assert refused.status_code == 422


def test_an_export_comes_in_again_with_its_fields(drinks, tmp_path):
    vote(drinks, "ann", {"language": "de"})
    vote(drinks, "bob", {"language": "en", "device": "phone"})
    text = "".join(arena.votes_csv(drinks, "drinks"))
    (tmp_path / "votes.csv").write_text(text, encoding="utf-8")
    arena.write_parquet(drinks, "drinks", tmp_path / "votes.parquet")
    assert pl.read_parquet(tmp_path / "votes.parquet")["language"].to_list() == ["de", "en"]
    arena.create_arena(drinks, "again", "Which?", ["tea", "coffee", "milk"])
    path = str(tmp_path / "votes.csv")
    done = arena.import_votes(drinks, "again", path, "uniform", fields=["language", "device"])
    assert (done.votes, done.again) == (2, False)
    again = arena.import_votes(drinks, "again", path, "uniform", fields=["language", "device"])
    assert again.again
    rows = [*csv.DictReader(io.StringIO("".join(arena.votes_csv(drinks, "again"))))]
    assert [(row["language"], row["device"]) for row in rows] == [("de", ""), ("en", "phone")]
    for column in ("voter", "nix"):
        with pytest.raises(Invalid):
            arena.import_votes(drinks, "again", path, "uniform", fields=[column])


def test_groups_of_a_poll_are_by_its_fields(drinks):
    for n in range(40):
        vote(drinks, f"v{n}", {"language": "de" if n % 2 else "en"})
    found = arena.groups(drinks, "drinks")
    assert [one.by for one in found] == ["language"]
    assert [(row.name, row.votes) for row in found[0].rows] == [("de", 20), ("en", 20)]


def test_the_api_and_the_page_say_how_groups_stand(site):
    for n in range(160):
        language, best = (("de", "tea"), ("en", "coffee"))[n % 2]
        duel = arena.ask(site.service, "drinks", f"v{n}", fields={"language": language})
        likes = duel.left.name == best or (duel.right.name != best and n % 4 < 2)
        arena.tell(site.service, duel.duel, f"v{n}", "left" if likes else "right")
    (found,) = site.api.get("/arenas/drinks/groups", headers=site.owner).json()["groups"]
    assert (found["column"], found["differ"]) == ("language", True)
    german = found["groups"][0]
    assert (german["group"], german["votes"]) == ("de", 80)
    (tea,) = (one for one in german["scores"] if one["arm"] == "tea")
    assert 0.5 < tea["low"] < tea["score"] < tea["high"] < 1
    assert german["probabilities"]["tea"] > 0.9
    assert site.api.get("/arenas/drinks/groups", headers=site.embed).status_code == 403
    with site.browser() as owner:
        owner.post("/drinks/owner", data={"token": site.made.owner_token})
        page = words_of(owner.get("/drinks/owner/groups"))
    assert found["says"].split(":")[0] in page
    assert f"{tea['score']:.0%} ({tea['low']:.0%} to {tea['high']:.0%})" in page


def test_the_command_takes_fields_of_a_poll_in_a_file(tmp_path, capsys):
    run = runner(main, capsys)
    file = str(tmp_path / "poll.db")
    run("new", file, "--arms", "tea,coffee")
    duel = run("ask", file, "--field", "language=de").out.split("\t")[0]
    run("tell", file, duel, "left", "--field", "device=phone")
    with Local(file) as opened:
        (row,) = opened.connection.execute("SELECT fields FROM event WHERE kind = 'vote'")
    assert row == ('{"device":"phone","language":"de"}',)


def test_voters_are_weighed_beside_the_plain_result_if_the_owner_wants_it(site):
    with site.browser() as owner:
        owner.post("/drinks/owner", data={"token": site.made.owner_token})
        for voter, name, n in (("ann", "tea", 20), ("ben", "tea", 20), ("eve", "milk", 20)):
            prefer(site.service, name, n, voter=voter)
        before = arena.status(site.service, "drinks")
        assert "Voters weighed" not in owner.get("/drinks/owner/groups").text
        arena.change_arena(site.service, "drinks", {"reliability": True})
        assert "Voters weighed by agreement" in owner.get("/drinks/owner/groups").text
        after = arena.status(site.service, "drinks")
        assert [one.low for one in after.arms] == [one.low for one in before.arms]
        found = arena.weighed(site.service, "drinks")
        assert found.reliability.min() < found.reliability.max()
