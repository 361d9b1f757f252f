"""Why who leads a poll changed: releases, the page, the API and the command."""

from __future__ import annotations

import time

import numpy as np
import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Invalid, NotFound
from driftduel.cli import main
from tests.arena.pages import words_of
from tests.commands import refuser, runner

DAY = 86_400_000_000
N, LATE = 3_000, 1_600


def feed(service, strengths, kinds=(0.5, 0.5), seed=0):
    """Vote by strengths before and after, by groups; return when it changed."""
    rng = np.random.default_rng(seed)
    now = time.time_ns() // 1000
    at = now - 15 * DAY + np.arange(N) * (15 * DAY // N)
    names = ["tea", "coffee", "milk"]
    lines = ["time,left,right,left_won,kind"]
    for n in range(N):
        late = int(n >= LATE)
        kind = int(rng.random() < kinds[late])
        one, other = rng.permutation(3)[:2]
        s = strengths(late, kind)
        won = rng.random() < 1 / (1 + np.exp(s[other] - s[one]))
        stamp = np.datetime64(int(at[n]), "us")
        lines.append(f"{stamp}Z,{names[one]},{names[other]},{int(won)},k{kind}")
    (service.folder / "votes.csv").write_text("\n".join(lines))
    path = str(service.folder / "votes.csv")
    arena.import_votes(service, "drinks", path, "uniform", fields=["kind"])
    return int(at[LATE])


def milk_moves(late, kind):
    return [0.9, 0.0, 1.9 * late]


@pytest.fixture
def poll(site, tmp_path):
    site.service.folder = tmp_path
    return site


def test_releases_are_marked_listed_and_taken_back(drinks):
    first = arena.mark_release(drinks, "drinks", " version  2 ", "tea", at=5 * DAY)
    second = arena.mark_release(drinks, "drinks", "new page", at=4 * DAY)
    found = [(one.seq, one.name, one.option, one.at) for one in arena.releases(drinks, "drinks")]
    assert found == [(second, "new page", None, 4 * DAY), (first, "version 2", "tea", 5 * DAY)]
    arena.take_back_release(drinks, "drinks", first)
    assert [one.seq for one in arena.releases(drinks, "drinks")] == [second]
    with pytest.raises(NotFound):
        arena.take_back_release(drinks, "drinks", first)
    with pytest.raises(NotFound, match="no option 'cocoa'"):
        arena.mark_release(drinks, "drinks", "version 3", "cocoa")
    for name, at in (("", None), ("x" * 81, None), ("v", -1), ("v", time.time_ns())):
        with pytest.raises(Invalid):
            arena.mark_release(drinks, "drinks", name, at=at)
    assert arena.verify(drinks.store)[0].votes == 0


def test_a_release_changes_no_answer_of_the_learner(drinks):
    before = arena.status(drinks, "drinks").best
    arena.mark_release(drinks, "drinks", "version 2", "tea")
    assert arena.status(drinks, "drinks").best == before
    assert arena.ask(drinks, "drinks", "ann").duel


def test_the_page_the_api_and_the_command_name_an_option_and_its_release(poll, capsys):
    assert poll.api.get("/arenas/drinks/causes", headers=poll.owner).json() == {"causes": []}
    at = feed(poll.service, milk_moves)
    when = str(np.datetime64(at, "us"))
    body = {"name": "version 2", "option": "milk", "at": when}
    made = poll.api.post("/arenas/drinks/releases", headers=poll.owner, json=body)
    assert made.status_code == 201
    (cause,) = poll.api.get("/arenas/drinks/causes", headers=poll.owner).json()["causes"]
    assert (cause["before"], cause["after"], cause["named"]) == ("tea", "milk", ["option"])
    assert cause["release"]["name"] == "version 2"
    assert cause["released"] > 0.8
    with poll.browser() as owner:
        owner.post("/drinks/owner", data={"token": poll.made.owner_token})
        words = words_of(owner.get("/drinks/owner/why"))
        assert "because of a change of milk alone" in words
        assert "It came with version 2 of milk" in words
        assert "/drinks/owner/why" in owner.get("/drinks/owner").text
        sent = {"name": "colours", "option": "", "at": "2024-05-03"}
        assert "colours, " in words_of(owner.post("/drinks/owner/releases", data=sent))
        wrong = owner.post("/drinks/owner/releases", data={**sent, "at": "May"})
        assert wrong.status_code == 422
        assert "'May' is no date" in words_of(wrong)
        gone = {"gone": str(made.json()["seq"])}
        assert "version 2" not in words_of(owner.post("/drinks/owner/releases", data=gone))
    run = runner(main, capsys)
    database = f"sqlite:{poll.service.folder}/arena.db"
    run(
        "arena", "release", "drinks", "v2", "--option", "milk", "--at", when, "--database", database
    )
    told = run("arena", "why", "drinks", "--database", database).out
    assert told.startswith("milk took over from tea most likely because of a change of milk alone")
    assert "v2 of milk" in run("arena", "release", "drinks", "--database", database).out
    no = refuser(main, "driftduel", capsys)
    assert "no date" in no("arena", "release", "drinks", "x", "--at", "May", "--database", database)


def test_other_voters_are_named_by_the_field_that_a_site_passes(poll):
    def by_kind(late, kind):
        return [0.0, 1.5, 0.0] if kind else [1.5, 0.0, 0.0]

    feed(poll.service, by_kind, kinds=(0.15, 0.85), seed=1)
    (cause, *_) = poll.api.get("/arenas/drinks/causes", headers=poll.owner).json()["causes"]
    assert cause["named"] == ["voters"]
    assert cause["voters"] == "kind"
    assert "By kind, k1 had 1" in cause["says"]
    refused = poll.api.get("/arenas/drinks/causes", headers=poll.embed)
    assert refused.status_code == 403
