"""Upgrades of rules: an arena keeps those it was made with until its owner accepts newer ones."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from driftduel.arena import errors, versions
from driftduel.arena import service as arena
from driftduel.arena.changes import append_rules
from driftduel.arena.file import Local
from driftduel.arena.service import service as running
from driftduel.arena.store import snapshots, statements
from driftduel.arena.versions import KNOWN
from driftduel.cli import main
from tests.arena.pages import pages_of, words_of
from tests.arena.voting import cast, events, prefer, state, state_from_nothing, vote
from tests.commands import runner

FEW = 120


def ties(learner, left, right, tickets, outcomes):
    """Tell every vote as a tie: nothing is ever found."""
    learner.fold(left, right, tickets, np.full(len(outcomes), 0.5))


def losers(learner, left, right, tickets, outcomes):
    """Tell every vote for the other arm."""
    learner.fold(left, right, tickets, 1.0 - np.array(outcomes))


def seeded(n_arms, seed, labels):
    """Make the learner with another seed: its answers hardly differ."""
    return FIRST.make(n_arms, seed + 1, labels)


@pytest.fixture
def run(capsys):
    """The command."""
    return runner(main, capsys)


def know(monkeypatch, *rules):
    """Let the program know these rules of DriftPoll, the last as the newest."""
    monkeypatch.setattr(versions, "KNOWN", {(one.learner, one.version): one for one in rules})
    monkeypatch.setattr(versions, "CURRENT", rules[-1].version)


FIRST = KNOWN["DriftPoll", 1]
SECOND = replace(FIRST, version=2, fold=ties)


@pytest.fixture(autouse=True)
def yesterday(monkeypatch):
    """A program with the first rules."""
    know(monkeypatch, FIRST)


@pytest.fixture
def newer(monkeypatch):
    """A program with newer rules, of which an arena made before knows nothing."""
    return lambda *rules: know(monkeypatch, *(rules or (FIRST, SECOND)))


def turn(service):
    """Let tea be best, and then coffee; return what is said then."""
    arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
    cast(service, "tea", FEW)
    cast(service, "coffee", FEW, voter="bob")
    return arena.status(service, "drinks")


def changes(service):
    found = arena.status(service, "drinks").standing
    return [
        (found.options[one.before].name, found.options[one.after].name, one.withdrawn)
        for one in found.changes
    ]


def row(service):
    with service.store.reading() as connection:
        return statements.arena_called(connection, "drinks")


def test_an_arena_made_yesterday_says_the_same_today(url, newer):
    with arena.Service.open(url) as service:
        before = turn(service)
    newer()
    with arena.Service.open(url) as service:
        assert arena.status(service, "drinks") == before
        assert service.hosted("drinks").replica.rules == FIRST
        assert arena.verify(service.store)


def test_new_arenas_get_the_newest_rules(url, newer):
    newer()
    with arena.Service.open(url) as service:
        turn(service)
        assert row(service).rules == 2
        assert changes(service) == []
        assert arena.upgrade(service, "drinks").text == (
            "This poll is counted by rules 2, the newest."
        )


def test_what_would_change_is_said_before_and_happens_when_it_is_accepted(url, newer):
    with arena.Service.open(url) as service:
        before = turn(service)
        assert before.best == "coffee"
    newer()
    with arena.Service.open(url) as service:
        asked = arena.upgrade(service, "drinks")
        assert (asked.rules, asked.newest) == (1, 2)
        assert any("coffee took over from tea" in one for one in asked.differences)
        assert any("would not be found; it stays listed" in one for one in asked.differences)
        assert arena.status(service, "drinks") == before  # nothing changed
        assert arena.accept_rules(service, "drinks", 2).rules == 2
        after = arena.status(service, "drinks")
        assert row(service).rules == 2
        log = events(service)
        assert log[-1].kind == "rules"
        assert log[-1].body == {"from": 1, "to": 2, "withdrawn": []}
        assert after.standing.changes == before.standing.changes  # what was said stays said
        assert not after.decided
        assert after.standing.votes == before.standing.votes
        arena.verify(service.store)
        assert state(service) == state_from_nothing(service)
        vote(service)
        assert state(service) == state_from_nothing(service)
        arena.accept_rules(service, "drinks")  # once more changes nothing
        assert [one.kind for one in events(service)].count("rules") == 1
    with arena.Service.open(url) as service:
        assert arena.status(service, "drinks").standing.changes == before.standing.changes
        arena.verify(service.store)


def test_changes_that_newer_rules_find_are_added(url, newer):
    newer(SECOND)
    with arena.Service.open(url) as service:
        turn(service)
        assert changes(service) == []
    third = replace(FIRST, version=3)
    newer(SECOND, third)
    with arena.Service.open(url) as service:
        asked = arena.upgrade(service, "drinks")
        assert any("It would also be found that coffee took over" in x for x in asked.differences)
        arena.accept_rules(service, "drinks", 3)
        assert changes(service) == [("tea", "coffee", False)]
        (said,) = [one.body for one in events(service) if one.kind == "change"]
        assert said["rules"] == 3
        arena.verify(service.store)


def test_a_change_that_was_withdrawn_stays_so_after_an_upgrade(url, newer):
    with arena.Service.open(url) as service:
        turn(service)
        arena.exclude(service, "drinks", service.voter("bob"))
        assert changes(service) == [("tea", "coffee", True)]
    newer()
    with arena.Service.open(url) as service:
        arena.accept_rules(service, "drinks")
        assert changes(service) == [("tea", "coffee", True)]
        arena.verify(service.store)
    newer(FIRST, SECOND, replace(FIRST, version=3))
    with arena.Service.open(url) as service:
        arena.accept_rules(service, "drinks")
        arena.include(service, "drinks", service.voter("bob"))  # these rules find it again
        assert changes(service) == [("tea", "coffee", False)]
        arena.verify(service.store)


def test_rules_that_hardly_differ_change_hardly_anything(url, newer):
    with arena.Service.open(url) as service:
        before = turn(service)
    newer(FIRST, replace(FIRST, version=2, make=seeded))
    with arena.Service.open(url) as service:
        for one in arena.upgrade(service, "drinks").differences:
            assert "Nothing" in one or "would differ" in one
        arena.accept_rules(service, "drinks")
        assert arena.status(service, "drinks").standing.changes == before.standing.changes
        assert changes(service) == [("tea", "coffee", False)]


def test_only_the_rules_that_were_shown_are_accepted(url, newer):
    with arena.Service.open(url) as service:
        turn(service)
        newer()
        with pytest.raises(errors.Conflict, match="rules 3 are not the newest, which are 2"):
            arena.accept_rules(service, "drinks", 3)
        assert row(service).rules == 1


def test_a_snapshot_of_other_rules_is_not_used(url, newer, monkeypatch):
    monkeypatch.setattr(running, "_MANY", 1)
    with arena.Service.open(url) as service:
        turn(service)
        service.keep_snapshots(1)
    newer()
    with arena.Service.open(url) as service:
        arena.accept_rules(service, "drinks")
        assert state(service) == state_from_nothing(service)
        with service.store.reading() as connection:
            assert "DriftPoll-1" in snapshots.snapshot_of(connection, 1)[1]
    with arena.Service.open(url) as service:
        assert state(service) == state_from_nothing(service)
        with service.store.reading() as connection:
            assert "DriftPoll-2" in snapshots.snapshot_of(connection, 1)[1]
        arena.verify(service.store)


def test_other_processes_go_on_by_the_rules_that_were_accepted(url, newer):
    with arena.Service.open(url) as service:
        turn(service)
    newer()
    with arena.Service.open(url) as one, arena.Service.open(url) as other:
        other.hosted("drinks")
        arena.accept_rules(one, "drinks")
        other.follow()
        assert other.hosted("drinks").replica.rules == SECOND
        assert state(other) == state(one) == state_from_nothing(one)


def test_an_older_program_refuses_an_arena_with_newer_rules(url, newer):
    with arena.Service.open(url) as service:
        turn(service)
        arena.create_arena(service, "films", "?", ["a", "b"])
        asked = arena.ask(service, "drinks", "ann")
        replica = service.hosted("drinks").replica

        def accept(connection):  # as a newer program does
            append_rules(connection, statements.lock_arenas(connection, [1])[1], replica, 2)

        service.writer.alone(accept)
        told = "counted by rules 2 of DriftPoll, made by a newer driftduel; this one knows 1"
        service.follow()
        for act in (
            lambda: arena.status(service, "drinks"),
            lambda: arena.ask(service, "drinks", "ann"),
            lambda: arena.tell(service, asked.duel, "ann", "left"),
            lambda: arena.verify(service.store),
        ):
            with pytest.raises(errors.Conflict, match=told):
                act()
        assert arena.status(service, "films").votes == 0  # others go on
        newer()
        assert arena.tell(service, asked.duel, "ann", "left").counted


def test_an_older_command_refuses_a_file_with_newer_rules(tmp_path, newer):
    path = tmp_path / "drinks.db"
    newer()
    with arena.Service.open(f"sqlite:{path}") as service:
        turn(service)
    with Local(path) as prompt:
        duel, _, _ = prompt.ask()
        newer(FIRST)
        for act in (prompt.ask, prompt.status, lambda: prompt.tell(duel.id, "left")):
            with pytest.raises(errors.Conflict, match="please update"):
                act()


def test_rules_that_are_gone_make_way_for_the_next_and_that_is_said(url, newer):
    with arena.Service.open(url) as service:
        before = turn(service)
    newer(SECOND, replace(FIRST, version=3, fold=losers))
    with arena.Service.open(url) as service:
        now = arena.status(service, "drinks")
        assert service.hosted("drinks").replica.rules == SECOND
        assert now.standing.changes == before.standing.changes
        assert now.standing.notes == (
            "This poll began with rules 1, which this version of driftduel no longer has; it is "
            "counted by rules 2.",
        )
        assert now.standing.notes[0] in now.text
        assert now.votes == before.votes
        arena.verify(service.store)
        assert row(service).rules == 1
        arena.accept_rules(service, "drinks", 3)
        assert row(service).rules == 3
        assert arena.status(service, "drinks").standing.notes == ()
        arena.verify(service.store)


def test_the_setting_accepts_all_newer_rules(url, newer):
    with arena.Service.open(url) as service:
        before = turn(service)
        arena.change_arena(service, "drinks", {"newest_rules": True})
        assert row(service).rules == 1
    newer()
    with arena.Service.open(url) as one, arena.Service.open(url) as other:
        assert arena.status(one, "drinks").standing.changes == before.standing.changes
        arena.status(other, "drinks")
        assert row(one).rules == 2
        assert [one.kind for one in events(other)].count("rules") == 1
        arena.verify(one.store)


def test_the_setting_is_heeded_at_the_prompt(tmp_path, newer):
    path = tmp_path / "drinks.db"
    with arena.Service.open(f"sqlite:{path}") as service:
        before = turn(service)
        arena.change_arena(service, "drinks", {"newest_rules": True})
    newer()
    with Local(path) as prompt:
        found, _ = prompt.status()
        assert found.arena.rules == 2
        assert found.standing.changes == before.standing.changes
        prompt.ask()
    with arena.Service.open(f"sqlite:{path}") as service:
        arena.verify(service.store)
        assert [one.kind for one in events(service)].count("rules") == 1


def test_verify_names_rules_that_the_log_does_not_give(url, newer):
    with arena.Service.open(url) as service:
        turn(service)
        newer()
        arena.accept_rules(service, "drinks")
        with service.store.writing() as connection:
            connection.execute("UPDATE arena SET rules = 1")
        with pytest.raises(errors.Violation, match="rules are 1, the events give 2"):
            arena.verify(service.store)


def test_that_votes_are_taken_back_meanwhile_is_waited_for(url, newer):
    with arena.Service.open(url) as service:
        turn(service)
        newer()
        with arena.Service.open(url) as other:
            hosted = service.hosted("drinks")
            arena.exclude(other, "drinks", other.voter("bob"))
            accept = running._accept
            assert not service.writer.alone(
                lambda connection: accept(connection, hosted.arena.id, hosted.replica)
            )
        arena.accept_rules(service, "drinks")
        log = events(service)
        (change,) = [one.seq for one in log if one.kind == "change"]
        (accepted,) = [one.body for one in log if one.kind == "rules"]
        assert accepted["withdrawn"] == [change]
        assert changes(service) == [("tea", "coffee", True)]


def test_the_command_says_and_accepts(run, tmp_path, newer):
    url = f"sqlite:{tmp_path}/arena.db"
    with arena.Service.open(url) as service:
        turn(service)
    newer()
    where = ("--database", url)
    told = run("arena", "upgrade", "drinks", *where)
    assert "counted by rules 1; rules 2 are the newest" in told.out
    assert "That coffee took over from tea" in told.out
    assert "Nothing was changed" in told.out
    facts = run("arena", "upgrade", "drinks", *where, "--json").json
    assert (facts["rules"], facts["newest"], facts["accepted"]) == (1, 2, False)
    done = run("arena", "upgrade", "drinks", *where, "--accept")
    assert "Accepted: from now on rules 2 count." in done.out
    assert "the newest" in run("arena", "upgrade", "drinks", *where, "--accept").out
    assert run("arena", "verify", url).code == 0


@contextmanager
def owned(folder):
    with pages_of(folder) as site, site.browser() as browser:
        cast(site.service, "tea", FEW)
        cast(site.service, "coffee", FEW)
        browser.post("/drinks/owner", data={"token": site.made.owner_token})
        yield site, browser


def test_the_owner_accepts_on_the_page(tmp_path, newer):
    with owned(tmp_path) as (site, browser):
        assert 'id="rules"' not in browser.get("/drinks/owner").text
        newer()
        page = browser.get("/drinks/owner")
        words = words_of(page)
        assert "This poll is counted by rules 1. Rules 2 are newer. With these:" in words
        assert "That coffee took over from tea" in words
        assert 'action="/drinks/owner/rules#rules"' in page.text
        late = browser.post("/drinks/owner/rules", data={"to": "3"})
        assert late.status_code == 409
        assert "Rules 3 are not the newest" in words_of(late)
        assert browser.post("/drinks/owner/rules", data={"to": "x"}).status_code == 422
        strange = browser.post(
            "/drinks/owner/rules", data={"to": "2"}, headers={"Sec-Fetch-Site": "cross-site"}
        )
        assert strange.status_code == 403
        assert row(site.service).rules == 1
        done = browser.post("/drinks/owner/rules", data={"to": "2"}, follow_redirects=False)
        assert (done.status_code, done.headers["location"]) == (303, "/drinks/owner?at=rules#rules")
        assert row(site.service).rules == 2
        assert 'id="rules"' not in browser.get("/drinks/owner").text
        assert "coffee took over from tea" in words_of(browser.get("/drinks/owner"))


def test_the_api_says_and_accepts(tmp_path, newer):
    with owned(tmp_path) as (site, browser):
        newer()
        key = {"Authorization": f"Bearer {site.made.owner_token}"}
        path = "/api/v1/arenas/drinks/rules"
        found = browser.get(path, headers=key).json()
        assert (found["rules"], found["newest"]) == (1, 2)
        assert any("would not be found" in one for one in found["differences"])
        assert browser.get(path).status_code == 401
        assert browser.post(path, json={"to": 3}, headers=key).status_code == 409
        assert browser.post(path, json={"to": 2}).status_code in (401, 403)
        assert browser.post(path, json={"to": 2}, headers=key).json()["rules"] == 2
        assert browser.get("/api/v1/arenas/drinks", headers=key).json()["rules"] == 2
        status = browser.get("/api/v1/arenas/drinks/status", headers=key).json()
        assert [one["after"] for one in status["changes"]] == ["coffee"]
        assert json.dumps(status)


def test_pairs_are_asked_by_the_rules_of_the_arena(url, newer):
    with arena.Service.open(url) as service:
        turn(service)
        newer()
        arena.accept_rules(service, "drinks")
        prefer(service, "milk", 5)
        assert state(service) == state_from_nothing(service)
        arena.verify(service.store)
