"""A backup is taken while people vote, and has all that was acknowledged before it began."""

from __future__ import annotations

import subprocess
from threading import Event, Thread

import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.store.backup import back_up
from tests.arena.postgres import on_postgres, program
from tests.arena.voting import vote


def test_a_backup_taken_while_people_vote_has_all_that_was_said_before(url, tmp_path, restored):
    copy = tmp_path / "copy"
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        told = [vote(service).seq for _ in range(20)]
        ended = Event()

        def go_on():
            while not ended.is_set():
                vote(service, voter="bob")

        voters = Thread(target=go_on)
        voters.start()
        try:
            back_up(url, copy)
        finally:
            ended.set()
            voters.join()
        head = arena.status(service, "drinks").head
    with arena.Service.open(restored(copy), create=False) as service:
        (found,) = arena.verify(service.store)
        assert told[-1] <= found.head <= head
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


@pytest.fixture
def restored(url, request):
    """A function that makes a database of a backup, and returns its address."""

    def restore(copy):
        if url.startswith("sqlite:"):
            return f"sqlite:{copy}"
        request.getfixturevalue("postgres").emptied()
        words = ["--no-owner", "--clean", "--if-exists", f"--dbname={url}", copy]
        subprocess.run([program("pg_restore"), *map(str, words)], check=True)
        return url

    return restore


def test_what_cannot_be_copied_is_said_in_a_sentence(tmp_path, made, url):
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(FileExistsError, match="is there already"):
        back_up(url, there)
    assert there.read_text() == "mine"
    with pytest.raises(FileNotFoundError, match="does not exist"):
        back_up(url, tmp_path / "no" / "copy")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        back_up(f"sqlite:{tmp_path}/nix.db", tmp_path / "copy")
    for name, words in (("empty.db", "is empty"), ("text.db", "is not a database of SQLite")):
        (tmp_path / name).write_text("" if name == "empty.db" else "not a database")
        with pytest.raises(ValueError, match=words):
            back_up(str(tmp_path / name), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@on_postgres
def test_a_server_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(errors.Unavailable, match="pg_dump: "):
        back_up(f"postgresql://postgres@/postgres?host={tmp_path}", tmp_path / "copy")
