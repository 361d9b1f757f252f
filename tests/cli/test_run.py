from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

import driftduel as dd
from driftduel.cli import main
from driftduel.cli.run import _picture
from driftduel.experiments import Progress, Spec, read_spec, run_sweep, sweep
from tests.experiments import working
from tests.experiments.conftest import SMALL, assert_same
from tests.processes import children, living, wait_until

CALL = "import sys; from driftduel.cli import main; sys.exit(main())"
MANY = SMALL.replace("n_phases = 2", f"n_phases = 2\nseed = {list(range(100))}").replace(
    "200", "60"
)
"""Enough tasks to be stopped among them."""


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "taste.toml"
    file.write_text(SMALL)
    return file


def start(*arguments):
    """Start the command as a process of its own, with a group of its own."""
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    return subprocess.Popen(
        [sys.executable, "-c", CALL, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


def wait_for_tasks(process, folder):
    """Wait until a sweep has finished some tasks and is at work on others."""
    deadline = time.monotonic() + 120
    while not list((folder / "tasks").glob("[!.]*.parquet")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.002)


def end(process):
    """End a process as nothing can prevent, and close its pipes."""
    process.kill()
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    process.stderr.close()


def test_a_spec_is_run_once(run, spec, tmp_path):
    first = run("run", spec, "--workers", 1)
    assert first.out.startswith("taste-results: 16 runs in 4 tasks; 3,200 rounds in ")
    again = run("run", spec, "--workers", 1, "--out", "taste-results")
    assert again.out == (
        "taste-results: 0 runs in 0 tasks, 16 were there\n"
        "report on it: driftduel report taste-results\n"
    )
    assert dd.Results.load(tmp_path / "taste-results").title == "Small"


def test_damaged_files_are_named(run, refused, spec):
    run("run", spec, "--workers", 1)
    (file,) = Path("taste-results/tasks").iterdir()
    file.write_bytes(b"rotten")
    assert refused("report", "taste-results").startswith(f"{file}: is damaged, it does not hold")
    assert run("run", spec, "--workers", 1).out.startswith(
        f"{file}.damaged: was damaged and is set aside; what it held was run again\n"
        "taste-results: 16 runs in 4 tasks; "
    )


def test_damaged_files_are_named_though_a_task_fails(run, spec, capsys, monkeypatch):
    run("run", spec, "--workers", 1)
    (file,) = Path("taste-results/tasks").iterdir()
    file.write_bytes(b"rotten")
    monkeypatch.setattr(sweep, "attempt", working.attempt_or_fail)
    assert main(["run", str(spec), "--workers", "1"]) == 2
    shown = capsys.readouterr()
    assert shown.out.startswith(f"{file}.damaged: was damaged and is set aside")
    assert "1 task failed, all others are finished" in shown.err


def test_the_example_is_a_spec_and_is_not_written_over(run, refused, spec, tmp_path):
    example = tmp_path / "example.toml"
    assert run("run", "--init", example).out.endswith(f"run it: driftduel run {example}\n")
    made = read_spec(example)
    assert [stream.label for stream in made.streams] == ["4 phases", "Formula 1"]
    assert len(made.learners) >= 4
    assert refused("run", "--init", example) == f"{example}: exists already, choose another name"


def test_the_example_runs_if_it_is_made_small(run, tmp_path):
    example = tmp_path / "example.toml"
    run("run", "--init", example)
    text = example.read_text()
    assert "horizon = 300_000 " in text
    small = text.replace("horizon = 300_000 ", "horizon = 300 ").replace("seeds = 8", "seeds = 1")
    assert "horizon = 300 " in small
    done = run_sweep(Spec.parse(small), tmp_path / "results")
    assert done.runs == len(read_spec(example).streams) * len(read_spec(example).learners)


def test_bad_specs_are_one_sentence(refused, spec):
    spec.write_text(SMALL.replace("n_arms", "n_arm"))
    assert refused("run", spec).startswith(
        "taste.toml, line 9: stream[0].n_arm: is no parameter (did you mean n_arms?), there are n_"
    )
    assert "no such file" in refused("run", "nothing.toml")
    assert "give one of them" in refused("run", spec, "--workers", 2, "--dask", "tcp://x:1")
    assert "'--workers'" in refused("run", spec, "--workers", 0)


def test_a_task_that_fails_is_one_sentence_when_the_others_are_finished(
    refused, spec, tmp_path, monkeypatch
):
    monkeypatch.setattr(sweep, "attempt", working.attempt_or_fail)
    told = refused("run", spec, "--workers", 1)
    assert told.startswith("taste-results: 1 task failed, all others are finished; the first was ")
    assert "ArithmeticError: too much (the trace is in taste-results/failures.txt)" in told
    assert dd.Results.load(tmp_path / "taste-results").runs.height == 12


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_sweep_that_is_killed_resumes_bit_for_bit(spec, tmp_path, workers):
    spec.write_text(MANY)
    folder = tmp_path / "taste-results"
    process = start("run", "taste.toml", "--workers", workers)
    wait_for_tasks(process, folder)
    end(process)
    half = dd.Results.load(folder)
    found = half.runs.height
    assert 0 < found < half.planned
    assert half.regret.height == 5 * found
    done = run_sweep(read_spec(spec), folder)
    assert (done.found, done.runs) == (found, half.planned - found)
    run_sweep(read_spec(spec), tmp_path / "fresh")
    assert_same(dd.Results.load(folder), dd.Results.load(tmp_path / "fresh"))
    assert not list((folder / "tasks").glob(".*.parquet"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_sweep_that_is_killed_leaves_no_process_behind(spec):
    spec.write_text(
        'horizon = 1_000_000_000_000\nseeds = 9\n[[stream]]\nworld = "one-winner"\n'
        '[[learner]]\nname = "Uniform"\n'
    )
    process = start("run", "taste.toml", "--workers", "3")
    wait_until(lambda: len(children(process.pid)) == 3 or process.poll() is not None)
    workers = children(process.pid)
    assert len(workers) == 3
    end(process)
    wait_until(lambda: not workers & living().keys())


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_is_one_sentence_that_says_how_to_go_on(spec, tmp_path, workers):
    spec.write_text(MANY)
    process = start("run", "taste.toml", "--workers", workers)
    wait_for_tasks(process, tmp_path / "taste-results")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err.decode() == (
        "driftduel: interrupted; what is finished is kept in taste-results, go on with: "
        f"driftduel run taste.toml --workers {workers}\n"
    )
    half = dd.Results.load(tmp_path / "taste-results")
    assert 0 < half.runs.height < half.planned


def test_progress_shows_tasks_speed_time_and_regret():
    means = {f"learner {n}": 10.0 * n for n in range(14)}
    progress = Progress(
        tasks=1000, rounds=10**9, done=250, played=25 * 10**7, seconds=100.0, means=means
    )
    text = io.StringIO()
    Console(file=text, width=100).print(_picture(progress))
    assert "250 of 1,000 tasks, 2.50 million rounds a second, 5 min 0 s left" in text.getvalue()
    assert "learner 3" in text.getvalue()
    assert "mean regret 30.0" in text.getvalue()
    assert "14 learners in all" in text.getvalue()
    progress.failed = 3
    Console(file=text, width=100).print(_picture(progress))
    assert "250 of 1,000 tasks (3 failed), 2.50 million" in text.getvalue()
    nothing = Progress(tasks=1, rounds=1)
    Console(file=text, width=100).print(_picture(nothing))
    assert "0 of 1 tasks, 0.00 million rounds a second\n" in text.getvalue().replace(" \n", "\n")


def test_a_terminal_shows_progress(spec, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["run", str(spec), "--workers", "1"]) == 0
    assert "of 4 tasks" in capsys.readouterr().err
