from __future__ import annotations

import pytest

from driftduel.experiments import Spec, store
from driftduel.experiments.plan import make_plan
from driftduel.experiments.store import Store
from driftduel.experiments.tasks import play
from tests.experiments.conftest import SMALL


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Write every task at once."""
    monkeypatch.setattr(store, "_SECONDS", 0.0)


def filled(folder):
    kept = Store(folder)
    kept.open()
    for task in make_plan(Spec.parse(SMALL)).tasks({}):
        kept.add(*play(task))
    return kept


def names(folder):
    return sorted(file.name for file in (folder / "tasks").iterdir())


def test_every_task_is_a_file_until_they_are_merged(tmp_path):
    kept = filled(tmp_path)
    assert len(names(tmp_path)) == 4
    before = kept.scan().collect().sort("key", "seed")
    kept.merge()
    assert [name.partition("-")[0] for name in names(tmp_path)] == ["merged"]
    assert kept.scan().collect().sort("key", "seed").equals(before)
    assert set(map(len, kept.finished().values())) == {4}


def test_tasks_that_come_quickly_share_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_SECONDS", 3600.0)
    monkeypatch.setattr(store, "monotonic", lambda: 10000.0)
    kept = filled(tmp_path)
    assert len(names(tmp_path)) == 1
    assert kept.scan().collect().height == 4
    kept.flush()
    kept.flush()
    assert len(names(tmp_path)) == 2
    assert kept.scan().collect().height == 16


def test_a_task_that_took_a_while_never_waits(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_SECONDS", 30.0)
    monkeypatch.setattr(store, "monotonic", lambda: 0.0)
    kept = Store(tmp_path)
    kept.open()
    first, second, *_ = make_plan(Spec.parse(SMALL)).tasks({})
    kept.add(*play(first))
    assert names(tmp_path) == []
    task, rows = play(second)
    kept.add(task, [{**row, "seconds": 10.0} for row in rows])
    assert len(names(tmp_path)) == 1
    assert kept.scan().collect().height == 8


def test_many_tasks_are_merged_as_they_come(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_MERGED", 2)
    filled(tmp_path)
    assert [name.partition("-")[0] for name in names(tmp_path)] == ["merged", "merged"]


def test_a_merge_that_was_cut_short_counts_nothing_twice(tmp_path, monkeypatch):
    kept = filled(tmp_path)
    monkeypatch.setattr("pathlib.Path.unlink", lambda *arguments, **settings: None)
    kept.merge()
    monkeypatch.undo()
    assert len(names(tmp_path)) == 5
    assert kept.scan().collect().height == 16
    Store(tmp_path).open()
    assert len(names(tmp_path)) == 1
    assert kept.scan().collect().height == 16


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    filled(tmp_path)
    half = tmp_path / "tasks" / ".half-0123456789ab.parquet"
    half.write_bytes(b"PAR1")
    assert Store(tmp_path).scan().collect().height == 16
    Store(tmp_path).open()
    assert not half.exists()


def test_an_empty_store_has_no_rows(tmp_path):
    assert Store(tmp_path).finished() == {}
    Store(tmp_path).merge()
    assert Store(tmp_path).scan().collect().height == 0
