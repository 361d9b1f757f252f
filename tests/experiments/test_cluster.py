from __future__ import annotations

import os
import signal

import pytest

from driftduel.experiments import Spec, cluster
from driftduel.experiments.plan import make_plan
from driftduel.experiments.sweep import FailedTasksError
from driftduel.experiments.versions import package_version
from driftduel.worlds import catalogue
from tests.experiments import working
from tests.experiments.conftest import SMALL, Bench, assert_same

pytestmark = pytest.mark.xdist_group("cluster")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def local():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as machines:
        yield machines


def test_a_cluster_gives_the_same_bits(local, bench, tmp_path):
    here = Bench(tmp_path / "here")
    catalogue.build("switching", n_arms=3, horizon=150).save(tmp_path / "own.npz")
    text = SMALL + '[[stream]]\nfile = "own.npz"\n'
    there = bench.run(text, dask=local.scheduler_address)
    assert (there.tasks, here.run(text).tasks) == (6, 6)
    assert_same(bench.results, here.results)


def test_tasks_of_a_worker_that_dies_are_run_by_another(local, bench, tmp_path):
    many = SMALL.replace("n_phases = 2", "n_phases = 2\nseed = [0, 1, 2, 3, 4, 5]")
    killed = []

    def kill_a_worker(progress):
        if not killed:
            with distributed.Client(local.scheduler_address, set_as_default=False) as client:
                killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    assert bench.run(many, dask=local.scheduler_address, progress=kill_a_worker).tasks == 24
    assert len(killed) == 1
    here = Bench(tmp_path / "here")
    here.run(many)
    assert_same(bench.results, here.results)


def test_a_task_that_fails_on_a_cluster_keeps_no_other_from_finishing(bench, monkeypatch):
    monkeypatch.setattr(cluster, "attempt", working.attempt_or_fail)
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, protocol="tcp", dashboard_address=":0", silence_logs=50
        ) as here,
        pytest.raises(FailedTasksError, match=r"1 task failed, .*: ArithmeticError: too much"),
    ):
        bench.run(dask=here.scheduler_address)
    assert bench.results.runs.height == 12
    monkeypatch.undo()
    assert bench.run().runs == 4


@pytest.mark.slow
def test_a_task_that_kills_its_workers_costs_nothing_else(bench, monkeypatch):
    monkeypatch.setattr(cluster, "attempt_as", working.attempt_or_die_as)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as fragile,
        pytest.raises(FailedTasksError, match=r"task.* failed, .*every worker .* died of it"),
    ):
        bench.run(dask=fragile.scheduler_address)
    kept = bench.results.runs.height
    assert 4 <= kept <= 12
    assert bench.run().runs == 16 - kept


def test_workers_of_another_version_are_refused(local, bench, monkeypatch):
    monkeypatch.setattr(cluster, "package_version", lambda: "9.9.9+other")
    with pytest.raises(ValueError, match=r"the worker at tcp\S+ has driftduel ") as caught:
        bench.run(dask=local.scheduler_address)
    assert package_version() in str(caught.value)
    assert "this machine has 9.9.9+other" in str(caught.value)
    assert "install the same driftduel there, start the worker again" in str(caught.value)


def test_a_worker_that_joins_later_refuses_tasks_of_another_version(local):
    (task, *_) = make_plan(Spec.parse(SMALL)).tasks({})
    with distributed.Client(local.scheduler_address, set_as_default=False) as client:
        future = client.submit(cluster.attempt_as, task, "9.9.9+other", pure=False)
        with pytest.raises(ValueError, match=r"this machine has 9\.9\.9\+other"):
            future.result()


def test_a_cluster_without_workers_is_refused(bench):
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as empty,
        pytest.raises(ValueError, match="has no worker; start one: dask worker tcp"),
    ):
        bench.run(dask=empty.scheduler_address)


def test_an_address_where_nobody_answers_is_refused(bench, monkeypatch):
    monkeypatch.setattr(cluster, "_CONNECT", 0.3)
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        bench.run(dask="tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["nonsense", "http://10.0.0.1:8786", "tcp://10.0.0.1"])
def test_what_is_no_address_is_refused(bench, address):
    with pytest.raises(ValueError, match=f"^'{address}' is no address of a Dask scheduler, must"):
        bench.run(dask=address)


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_one_sentence_and_what_is_finished_is_kept(
    bench, monkeypatch, capfd
):
    monkeypatch.setattr(cluster, "_CONNECT", 2.0)
    many = SMALL.replace("n_phases = 2", f"n_phases = 2\nseed = {list(range(20))}")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as machines:

        def leave(progress):
            if progress.done == 1:
                machines.close()

        with pytest.raises(ValueError, match=r"^the Dask scheduler went away; what is finished"):
            bench.run(many, dask=machines.scheduler_address, progress=leave)
    assert 0 < bench.results.runs.height < bench.results.planned
    assert "Traceback" not in capfd.readouterr().err
