from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from driftduel.experiments import workers
from driftduel.experiments.workers import WorkerDiedError, work
from tests.experiments import working
from tests.processes import children, living, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


def test_every_item_has_its_result_whatever_a_worker_prints(capfd):
    assert sorted(work(working.square, range(20), 2)) == [(n, n * n) for n in range(20)]
    assert "this is no result" in capfd.readouterr().err


def test_without_items_no_process_is_started():
    assert list(work(working.square, [], 2)) == []


def test_items_are_taken_as_results_are():
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number

    results = work(working.square, items(), 2)
    next(results)
    assert len(taken) <= 4
    results.close()


def test_what_a_killed_worker_was_at_is_tried_again(tmp_path):
    files = [str(tmp_path / name) for name in "abc"]
    assert sorted(work(working.die_once, files, 2)) == [(file, "alive") for file in files]


@pytest.mark.parametrize(
    ("function", "how"), [(working.die_of_three, "by SIGKILL"), (working.exit_of_three, "code 7")]
)
def test_only_what_kills_its_worker_has_no_result(function, how):
    found = dict(work(function, range(6), 2))
    died = found.pop(3)
    assert isinstance(died, WorkerDiedError)
    assert how in str(died)
    assert found == {n: n for n in (0, 1, 2, 4, 5)}


def test_a_worker_killed_between_two_items_costs_nothing():
    before = children(os.getpid())
    results = work(working.square, range(10), 2)
    found = [next(results)]
    for pid in children(os.getpid()) - before:
        os.kill(pid, signal.SIGKILL)
    found.extend(results)
    assert sorted(found) == [(n, n * n) for n in range(10)]


def test_workers_end_when_nobody_wants_more_results():
    before = children(os.getpid())
    results = work(working.sleep_after_the_first, range(4), 2)
    assert next(results) == (0, 0)
    assert len(children(os.getpid()) - before) == 2
    results.close()
    assert children(os.getpid()) - before == set()


def test_a_worker_that_cannot_start_is_one_sentence(monkeypatch, capfd):
    monkeypatch.setattr(workers, "_SERVE", "import sys; sys.exit('no such module')")
    with pytest.raises(ValueError, match="a worker could not start, it ended with code 1"):
        list(work(working.square, range(3), 2))
    assert "no such module" in capfd.readouterr().err


def test_workers_end_with_their_parent_in_the_middle_of_compiled_code(tmp_path):
    script = (
        "import sys; sys.path[:] = sys.argv[2:]\n"
        "from driftduel.experiments.workers import work\n"
        "from tests.experiments.working import compute_for_ever\n"
        "list(work(compute_for_ever, [sys.argv[1]] * 3, 3))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(tmp_path), *sys.path])
    wait_until(lambda: len(list(tmp_path.iterdir())) == 3 or parent.poll() is not None)
    pids = {int(file.name) for file in tmp_path.iterdir()}
    assert pids == children(parent.pid)
    parent.kill()
    parent.wait()
    wait_until(lambda: not pids & living().keys())
    assert len(pids) == 3
