"""A learner in a file that many use at once: nothing is lost, and the file is always whole."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import driftduel as dd

pytestmark = pytest.mark.once  # files are not compiled

VOTER = """
import sys
import driftduel as dd
path, votes = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
for n in range(votes):
    with dd.learner_file(path) as learner:
        duel = learner.ask()
    with dd.learner_file(path) as learner:
        learner.tell(duel.code, "tie")
    print(duel.code, flush=True)
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "drinks.json"
    dd.learners.Uniform(3, seed=1).save(file)
    return file


def voter(path, votes):
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    return subprocess.Popen(
        [sys.executable, "-c", VOTER, str(path), str(votes)],
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "NUMBA_DISABLE_JIT": "1"},
    )


def test_what_is_done_in_the_block_is_in_the_file_afterwards(path):
    with dd.learner_file(path) as learner:
        duel = learner.ask()
    with dd.learner_file(path) as learner:
        assert learner.open_duels == [duel]
        learner.tell(duel, "tie")
    assert dd.load_learner(path).rounds == 1


def test_a_block_that_fails_leaves_the_file_as_it_was(path):
    def vote_and_fail():
        with dd.learner_file(path) as learner:
            learner.tell(learner.ask(), 0.5)
            raise RuntimeError("enough")

    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="enough"):
        vote_and_fail()
    assert path.read_bytes() == before
    with dd.learner_file(path) as learner:  # the lock is free again
        learner.ask()


def test_a_file_that_does_not_exist_is_refused_and_no_lock_is_left(tmp_path):
    nowhere = tmp_path / "nowhere.json"
    with (
        pytest.raises(FileNotFoundError, match=r"nowhere\.json: there is no such file$"),
        dd.learner_file(nowhere),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_threads_and_processes_that_vote_at_once_lose_nothing(path):
    processes = [voter(path, 15) for _ in range(2)]

    def vote():
        for _ in range(15):
            with dd.learner_file(path) as learner:
                learner.tell(learner.ask(), "tie")

    threads = [threading.Thread(target=vote) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = []
    for process in processes:
        out, _ = process.communicate()
        assert process.returncode == 0
        codes += out.split()[1:]
    learner = dd.load_learner(path)
    assert (learner.rounds, learner._session.asked, learner.open_duels) == (60, 60, [])
    assert len(set(codes)) == 30


def test_a_process_that_is_killed_leaves_a_whole_file_with_all_it_has_told(path):
    told = set()
    for votes in (1, 2, 5):
        process = voter(path, 10_000)
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(1 + votes)]
        process.kill()
        rest, _ = process.communicate()
        told |= {code for code in "".join([*said, rest]).split() if "-" in code}
        learner = dd.load_learner(path)
        for code in told:
            with pytest.raises(dd.learners.AlreadyTold):
                learner.tell(code, "left")
        assert len(told) <= learner.rounds <= len(told) + 3
    with dd.learner_file(path) as learner:
        learner.ask()
