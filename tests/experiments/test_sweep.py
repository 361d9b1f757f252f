from __future__ import annotations

import errno
import json
import sys
import threading

import polars as pl
import pytest
from polars.exceptions import ComputeError

import driftduel as dd
from driftduel._support.files import locked
from driftduel.experiments import Results, Spec, plan, record, results, store, sweep, tasks
from driftduel.experiments.simulation import simulate
from driftduel.experiments.store import Store
from driftduel.experiments.sweep import FailedTasksError
from tests.experiments import working
from tests.experiments.conftest import SMALL, Bench, assert_same


def test_a_finished_task_is_never_run_again(bench):
    first, second = bench.run(), bench.run()
    assert (first.tasks, first.runs, first.found) == (4, 16, 0)
    assert (first.rounds, second.rounds) == (16 * 200, 0)
    assert (second.tasks, second.runs, second.found) == (0, 0, 16)


def test_adding_seeds_runs_the_new_ones_only(bench, tmp_path):
    bench.run()
    more = SMALL.replace("seeds = 4", "seeds = 7")
    done = bench.run(more)
    assert (done.runs, done.found) == (4 * 3, 16)
    fresh = Bench(tmp_path / "fresh")
    fresh.run(more)
    assert_same(bench.results, fresh.results)


def test_taking_seeds_away_leaves_their_runs_out(bench, tmp_path):
    bench.run()
    fewer = SMALL.replace("seeds = 4", "seeds = [1, 3]")
    assert bench.run(fewer).runs == 0
    fresh = Bench(tmp_path / "fresh")
    fresh.run(fewer)
    assert_same(bench.results, fresh.results)


def test_a_new_version_of_a_learner_runs_its_tasks_again(bench, monkeypatch):
    bench.run()
    version = plan.learner_version
    monkeypatch.setattr(
        plan, "learner_version", lambda *names: "new" if "Uniform" in names else version(*names)
    )
    assert bench.run().runs == 8
    assert bench.results.runs.height == 16


def test_an_interrupted_sweep_can_be_read_and_resumed(bench, tmp_path):
    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(progress=stop)
    half = bench.results
    assert (half.runs.height, half.planned, half.finished) == (8, 16, False)
    assert repr(half) == "Results('Small', 8 of 16 runs)"
    assert half.summary()["runs"].to_list() == [4, 4]
    assert bench.run().runs == 8
    fresh = Bench(tmp_path / "fresh")
    fresh.run()
    assert_same(bench.results, fresh.results)
    assert bench.results.finished


def test_processes_give_the_same_bits(bench, tmp_path):
    bench.run(workers=2)
    fresh = Bench(tmp_path / "fresh")
    fresh.run()
    assert_same(bench.results, fresh.results)


def test_progress_tells_what_is_done(bench):
    seen = []

    def note(progress):
        seen.append((progress.done, progress.played, dict(progress.means)))
        assert (progress.tasks, progress.rounds) == (4, 3200)
        assert progress.left >= 0

    bench.run(progress=note)
    assert [done for done, _, _ in seen] == [1, 2, 3, 4]
    assert seen[-1][1] == 3200
    final = bench.results.final().group_by("learner").agg(pl.col("regret").mean())
    assert seen[-1][2] == pytest.approx(dict(final.iter_rows()))
    assert sweep.Progress(tasks=1, rounds=10).left is None


def test_all_that_is_needed_to_run_again_is_stored(bench):
    bench.run()
    assert Spec.parse((bench.folder / "spec.toml").read_text()) is not None
    assert (bench.folder / "spec.toml").read_text() == SMALL
    environment = json.loads((bench.folder / "environment.json").read_text())
    assert environment["driftduel"] == dd.__version__
    assert environment["seeds"] == [0, 1, 2, 3]
    assert {"python", "numpy", "numba", "platform", "date", "spec", "code"} <= environment.keys()


def test_tables_for_other_tools_are_what_results_hold(bench):
    bench.run()
    for name in ("regret", "events", "plays", "runs"):
        mine, theirs = (
            getattr(bench.results, name),
            pl.read_parquet(bench.folder / f"{name}.parquet"),
        )
        columns = [c for c in mine.columns if mine[c].dtype != pl.Float64]
        assert mine.sort(columns).equals(theirs.select(mine.columns).sort(columns)), name


def test_stale_tables_are_gone_while_a_sweep_is_under_way(bench):
    bench.run()

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(SMALL.replace("seeds = 4", "seeds = 5"), progress=stop)
    assert not (bench.folder / "regret.parquet").exists()


def fail_at_seed_2(learner, stream, seed=0, *arguments, **settings):
    if seed == 2 and learner.n_arms == 4:
        raise ZeroDivisionError("nothing to divide by\nin two lines")
    return simulate(learner, stream, seed, *arguments, **settings)


def test_a_task_that_fails_is_told_of_and_tried_again(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "simulate", fail_at_seed_2)
    seen = []
    with pytest.raises(FailedTasksError) as caught:
        bench.run(progress=lambda progress: seen.append((progress.done, progress.failed)))
    trace = bench.folder / "failures.txt"
    assert str(caught.value) == (
        f"{bench.folder}: 2 tasks failed, all others are finished; the first was Uniform on "
        "'switching, n_arms = 4', seeds 0, 1, 2, 3: ZeroDivisionError: nothing to divide by (the "
        f"trace is in {trace}); repeat the command to try again"
    )
    assert (caught.value.sweep.tasks, caught.value.sweep.runs) == (2, 8)
    assert seen == [(1, 0), (2, 0), (3, 1), (4, 2)]
    assert trace.read_text().count('raise ZeroDivisionError("nothing to divide by') == 2
    assert bench.results.runs.height == 8
    assert (bench.folder / "regret.parquet").exists()
    monkeypatch.undo()
    assert bench.run().runs == 8
    assert not trace.exists()
    fresh = Bench(tmp_path / "fresh")
    fresh.run()
    assert_same(bench.results, fresh.results)


def test_of_tasks_that_fail_by_the_hundred_some_traces_are_kept(bench, monkeypatch):
    monkeypatch.setattr(sweep, "_TRACED", 1)
    monkeypatch.setattr(tasks, "simulate", fail_at_seed_2)
    with pytest.raises(FailedTasksError, match="2 tasks failed"):
        bench.run()
    assert (bench.folder / "failures.txt").read_text().count("seeds 0, 1, 2, 3: ") == 1


def test_a_task_that_fails_in_a_process_keeps_no_other_from_finishing(bench, monkeypatch):
    monkeypatch.setattr(sweep, "attempt", working.attempt_or_fail)
    with pytest.raises(FailedTasksError, match=r"1 task failed, .*: ArithmeticError: too much"):
        bench.run(workers=2)
    assert bench.results.runs.height == 12


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_worker_that_is_killed_costs_its_task_and_nothing_else(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "attempt", working.attempt_or_die)
    with pytest.raises(FailedTasksError, match=r"1 task failed, .* was ended by SIGKILL, perhaps"):
        bench.run(workers=2)
    assert bench.results.runs.height == 12
    monkeypatch.undo()
    assert bench.run(workers=2).runs == 4
    fresh = Bench(tmp_path / "fresh")
    fresh.run()
    assert_same(bench.results, fresh.results)


@pytest.mark.parametrize("room", [0, 2, 4, 5, 7])
def test_a_full_disk_is_one_sentence_and_what_is_finished_is_kept(
    bench, tmp_path, monkeypatch, room
):
    bench.run(SMALL.replace("seeds = 4", "seeds = 1"))
    left = iter(range(room))
    write = store.replacing

    def full(path):
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path)

    for module in (store, results, record):
        monkeypatch.setattr(module, "replacing", full)
    with pytest.raises(ValueError, match=r"results: cannot be written to .No space left on device"):
        bench.run()
    kept = 4 + 3 * min(4, max(0, room - 3))
    monkeypatch.undo()
    assert Store(bench.folder).scan().collect().height == kept
    assert bench.run().runs == 16 - kept
    fresh = Bench(tmp_path / "fresh")
    fresh.run()
    assert_same(bench.results, fresh.results)


def test_polars_tells_of_a_full_disk_in_its_own_way(bench, monkeypatch):
    def full(*arguments, **settings):
        raise ComputeError("parquet: No space left on device (os error 28)")

    monkeypatch.setattr(Store, "merge", full)
    with pytest.raises(ValueError, match=r"cannot be written to .*No space left on device"):
        bench.run()
    monkeypatch.undo()
    assert bench.run().runs == 0

    def broken(*arguments, **settings):
        raise ComputeError("a mistake of ours")

    monkeypatch.setattr(Store, "merge", broken)
    with pytest.raises(ComputeError, match="a mistake of ours"):
        bench.run()


def test_two_sweeps_in_one_folder_are_refused(bench):
    bench.run()
    with (
        locked(bench.folder / "spec.toml"),
        pytest.raises(ValueError, match="results: another process is at work in it"),
    ):
        bench.run()


def test_a_sweep_runs_in_any_thread(bench):
    thread = threading.Thread(target=bench.run)
    thread.start()
    thread.join()
    assert bench.results.finished


def test_a_folder_with_other_files_is_refused(bench):
    bench.folder.mkdir()
    (bench.folder / "thesis.tex").write_text("...")
    with pytest.raises(ValueError, match="results: holds other files, choose an empty folder"):
        bench.run()
    assert not (bench.folder / "tasks").exists()


def test_a_file_instead_of_a_folder_is_refused(bench):
    bench.folder.write_text("")
    with pytest.raises(ValueError, match="results: is a file, must be a folder"):
        bench.run()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "streams": [{}]}']
)
def test_a_damaged_plan_is_made_anew(bench, text):
    bench.run()
    (bench.folder / "plan.json").write_text(text)
    assert bench.run().runs == 0
    assert len(bench.results.streams) == 2


@pytest.mark.parametrize("written", [0, 1, 2, 3])
def test_a_sweep_killed_while_it_describes_itself_can_be_read(bench, monkeypatch, written):
    bench.run()
    other = SMALL.replace("Small", "Other").replace("[3, 4]", "5").replace("seeds = 4", "seeds = 2")
    count = iter(range(written))
    write = record._write

    def killed(file, text):
        if next(count, None) is None:
            raise SystemExit
        write(file, text)

    monkeypatch.setattr(record, "_write", killed)
    monkeypatch.setattr(Store, "finished", killed_after_all)
    with pytest.raises(SystemExit):
        bench.run(other)
    half = bench.results
    assert half.runs.height == half.summary()["runs"].sum() == (16 if written == 0 else 0)
    assert (half.title, half.planned) == (("Small", 16) if written == 0 else ("Other", 4))
    assert half.title in half.spec_text
    monkeypatch.undo()
    assert bench.run(other).runs == 4


def killed_after_all(self):
    raise SystemExit


def test_a_spec_that_cannot_run_leaves_results_alone(bench):
    bench.run()
    with pytest.raises(ValueError, match=r"stream\[0\]\.n_arms"):
        bench.run(SMALL.replace("[3, 4]", "1"))
    assert isinstance(bench.results, Results)
    assert bench.results.finished
    assert set(map(len, Store(bench.folder).finished().values())) == {4}
