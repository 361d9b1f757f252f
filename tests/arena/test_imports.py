"""Old votes come in slices while others vote, go on where they were cut short, and out again."""

from __future__ import annotations

import json
import sys
from threading import Thread

import pytest

from driftduel.arena import errors, rules
from driftduel.arena import service as arena
from driftduel.cli import main
from tests.arena.voting import (
    damage,
    events,
    forge,
    prefer,
    state,
    state_from_nothing,
    vote,
)

ROWS = [
    f"2024-05-{1 + n // 40:02}T10:{n % 60:02}:00Z,{left},{right},{n % 2}"
    for n in range(1_000)
    for left, right in [("tea coffee", "milk tea", "coffee milk")[n % 3].split()]
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("time,left,right,left_won\n" + "\n".join(ROWS) + "\n")
    return path


@pytest.fixture
def between(monkeypatch):
    """A list of what is done between slices, one thing after each."""
    things = []

    def pause(seconds):
        if things:
            things.pop(0)()

    monkeypatch.setattr(sys.modules[arena.import_votes.__module__], "_pause", pause)
    return things


def votes_of_days(service):
    return sum(day.votes for day in arena.history(service, "drinks").days)


def imported(service):
    return [one for one in events(service) if one.kind == "import"]


def test_others_vote_while_votes_come_in(drinks, file, between):
    arena.create_arena(drinks, "soups", "?", ["pea", "leek"], seed=1)
    told = []
    between += [lambda: told.append((vote(drinks, slug="soups").seq, vote(drinks).seq))] * 3
    commits = drinks.writer.commits
    done = arena.import_votes(drinks, "drinks", file, "uniform")
    assert (done.votes, done.counted) == (1_000, 1_000)
    assert drinks.writer.commits - commits >= 4 + 3 * 4  # no slice is of more than 250 votes
    assert told == [(2, 252), (3, 503), (4, 754)]
    drinks.follow()
    assert arena.status(drinks, "drinks").votes == 1_003
    assert state(drinks) == state_from_nothing(drinks)
    arena.verify(drinks.store)


def test_an_import_that_was_cut_short_goes_on_where_it_stopped(drinks, file, between, url):
    def cut():
        raise KeyboardInterrupt

    between += [lambda: None, cut]
    with pytest.raises(KeyboardInterrupt):
        arena.import_votes(drinks, "drinks", file, "uniform")
    (part,) = arena.imports(drinks, "drinks")
    assert (part.votes, part.of, part.ranges) == (500, 1_000, ((2, 501),))
    vote(drinks)
    with arena.Service.open(url) as other:
        done = arena.import_votes(other, "drinks", file, "uniform")
    assert (done.votes, done.counted, done.again) == (1_000, 1_000, False)
    assert [row.at for row in imported(drinks)] == sorted(row.at for row in imported(drinks))
    assert len(imported(drinks)) == 1_000
    assert arena.imports(drinks, "drinks")[0].ranges == ((2, 501), (503, 1_002))
    assert arena.import_votes(drinks, "drinks", file, "uniform").again


def test_the_same_votes_sent_twice_at_once_come_in_once(drinks, file, url):
    with arena.Service.open(url) as other:
        both = [
            Thread(target=arena.import_votes, args=(service, "drinks", file, "uniform"))
            for service in (drinks, other)
        ]
        for one in both:
            one.start()
        for one in both:
            one.join()
    assert len(imported(drinks)) == 1_000
    assert sum(imports_of.votes for imports_of in arena.imports(drinks, "drinks")) == 1_000
    arena.verify(drinks.store)


def test_an_import_is_taken_back_by_one_event(drinks, file, between):
    prefer(drinks, "milk", 5)
    between += [lambda: vote(drinks)]
    arena.import_votes(drinks, "drinks", file, "uniform")
    (known,) = arena.imports(drinks, "drinks")
    assert [one.votes for one in arena.verify(drinks.store)] == [1_006]
    assert votes_of_days(drinks) == 1_006
    head = arena.take_back_import(drinks, "drinks", known.hash[:8])
    assert head == 1_008
    assert arena.status(drinks, "drinks").votes == 6
    assert state(drinks) == state_from_nothing(drinks)
    assert votes_of_days(drinks) == 6
    assert [one.votes for one in arena.verify(drinks.store)] == [6]
    everything = "".join(arena.votes_csv(drinks, "drinks", everything=True))
    assert everything.count(",false,retracted,") == 1_000
    assert len("".join(arena.votes_csv(drinks, "drinks")).splitlines()) == 7
    with pytest.raises(errors.NotFound, match="no import"):
        arena.take_back_import(drinks, "drinks", known.hash)
    assert not arena.import_votes(drinks, "drinks", file, "uniform").again
    assert [one.taken_back for one in arena.imports(drinks, "drinks")] == [True, False]
    assert arena.status(drinks, "drinks").votes == 1_006
    assert state(drinks) == state_from_nothing(drinks)


def test_an_import_that_is_taken_back_while_it_comes_in_ends(drinks, file, between):
    between += [
        lambda: arena.take_back_import(drinks, "drinks", arena.imports(drinks, "drinks")[0].hash)
    ]
    with pytest.raises(errors.Conflict, match="taken back while it came in"):
        arena.import_votes(drinks, "drinks", file, "uniform")
    assert len(imported(drinks)) == 250
    assert arena.status(drinks, "drinks").votes == 0
    assert arena.import_votes(drinks, "drinks", file, "uniform").votes == 1_000
    assert arena.status(drinks, "drinks").votes == 1_000
    arena.verify(drinks.store)


def test_what_is_taken_back_must_be_an_import(drinks, file):
    vote(drinks)
    arena.import_votes(drinks, "drinks", file, "uniform")
    for name in ("", "nix", "%"):
        with pytest.raises(errors.NotFound, match="there is no import"):
            arena.take_back_import(drinks, "drinks", name)
    arena.take_back_import(drinks, "drinks", arena.imports(drinks, "drinks")[0].hash)
    body = json.dumps({"hash": arena.imports(drinks, "drinks")[0].hash, "ranges": [[1, 9]]})
    forge(drinks, f"UPDATE event SET body = '{body}' WHERE kind = 'withdraw'")
    with pytest.raises(errors.Violation, match="event 1,003 takes back what is no import"):
        arena.verify(drinks.store)


def test_an_import_of_the_first_version_is_known(drinks, file):
    arena.import_votes(drinks, "drinks", file, "uniform")
    (known,) = arena.imports(drinks, "drinks")
    body = json.dumps({"hash": known.hash, "votes": 1_000, "counted": 1_000})
    damage(drinks, "UPDATE event SET body = NULL WHERE kind = 'import' AND seq <= 1000")
    forge(drinks, f"UPDATE event SET body = '{body}' WHERE seq = 1001")
    (one,) = arena.imports(drinks, "drinks")
    assert (one.votes, one.of, one.at, one.ranges) == (1_000, 1_000, None, ((2, 1_001),))
    assert arena.import_votes(drinks, "drinks", file, "uniform").again


def test_imports_are_listed_and_taken_back_at_a_prompt(tmp_path, file, capsys):
    place = f"sqlite:{tmp_path}/arena.db"
    with arena.Service.open(place) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"])
    words = ["arena", "imports", "drinks", "--database", place]
    assert main(words) == 0
    assert capsys.readouterr().out == "drinks: nothing was imported\n"
    sent = ["arena", "import", "drinks", str(file), "--pairs", "other", "--database", place]
    assert main(sent) == 0
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["imports"]
    assert main([*words, "--take-back", one["hash"][:9]]) == 0
    said = f"{one['hash'][:12]}: 1,000 of 1,000 votes came in, taken back\n"
    assert capsys.readouterr().out == said


def test_a_voter_takes_back_so_many_votes_a_day_and_an_owner_any_number(drinks, monkeypatch):
    monkeypatch.setattr(rules, "MOST_UNDOS", 3)
    duels = []
    for _ in range(5):
        asked = arena.ask(drinks, "drinks", "ann")
        arena.tell(drinks, asked.duel, "ann", "left")
        duels.append(asked.duel)
    for duel in duels[:3]:
        arena.retract(drinks, duel, "ann")
    with pytest.raises(errors.Conflict, match="more than 3 votes a day"):
        arena.retract(drinks, duels[3], "ann")
    arena.retract(drinks, duels[0], "ann")  # which was taken back
    arena.retract_as_owner(drinks, "drinks", duels[3])
    other = arena.ask(drinks, "drinks", "bob")
    arena.tell(drinks, other.duel, "bob", "left")
    arena.retract(drinks, other.duel, "bob")


def test_however_much_was_taken_back_the_owner_sees_how_voting_goes(drinks):
    vote(drinks)
    with drinks.store.writing() as connection:
        connection.execute(
            "WITH RECURSIVE gone(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM gone WHERE n < 70000) "
            "INSERT INTO event (arena, seq, at, kind, voter, target) "
            "SELECT 1, n, 1, 'retract', :voter, n FROM gone",
            voter=drinks.voter("ann"),
        )
        connection.execute("UPDATE arena SET head = 70000")
    assert arena.health(drinks, "drinks").voters == 1
    assert arena.voters(drinks, "drinks")[0].votes == 1
    assert arena.status(drinks, "drinks").votes == 1
