from __future__ import annotations

import polars as pl
import pytest

from driftduel.experiments import Spec, store
from driftduel.experiments.checksums import digest
from driftduel.experiments.plan import make_plan
from driftduel.experiments.store import Store
from driftduel.experiments.tasks import play
from tests.experiments.conftest import SMALL


def filled(folder):
    kept = Store(folder)
    kept.open()
    for task in make_plan(Spec.parse(SMALL)).tasks({}):
        kept.add(task, play(task))
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


@pytest.mark.parametrize("merged", [False, True])
def test_tasks_of_another_version_are_refused_in_one_sentence(tmp_path, merged):
    kept = filled(tmp_path)
    if merged:
        kept.merge()
    for file in list((tmp_path / "tasks").iterdir()):
        pl.read_parquet(file).drop("file").write_parquet(file)
        file.rename(file.with_name(f"{file.name[:-25]}-{digest(file)}.parquet"))
    sentence = "another version of driftduel wrote its tasks; run the spec into a new folder"
    for use in (kept.scan, kept.finished, Store(tmp_path).open):
        with pytest.raises(ValueError, match=sentence):
            use()
    assert names(tmp_path)


def test_tasks_without_a_hash_are_of_another_version(tmp_path):
    kept = filled(tmp_path)
    file = next((tmp_path / "tasks").iterdir())
    file.rename(file.with_name(f"{file.name[:24]}.parquet"))
    for use in (kept.scan, Store(tmp_path).open):
        with pytest.raises(ValueError, match="another version of driftduel wrote its tasks"):
            use()


def test_what_is_damaged_before_a_merge_is_not_merged(tmp_path):
    kept = filled(tmp_path)
    file = min((tmp_path / "tasks").iterdir())
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ValueError, match=f"{file.name}: is damaged, it does not hold what was"):
        kept.merge()
    assert f"{file.name}.damaged" in names(tmp_path)
    assert Store(tmp_path).scan().collect().height == 12


def test_a_file_that_cannot_be_read_is_set_aside(tmp_path):
    kept = filled(tmp_path)
    file = min((tmp_path / "tasks").iterdir())
    file.unlink()
    file.mkdir()
    with pytest.raises(ValueError, match=f"{file.name}: is damaged"):
        kept.scan()
    assert [aside.name for aside in Store(tmp_path).open()] == [f"{file.name}.damaged"]


def test_files_that_are_merged_while_they_are_read_are_read_once(tmp_path, monkeypatch):
    kept = filled(tmp_path)
    reader = Store(tmp_path)
    look = store._matches

    def merge_first(file):
        monkeypatch.undo()
        kept.merge()
        return look(file)

    monkeypatch.setattr(store, "_matches", merge_first)
    assert reader.scan().collect().height == 16
    assert len(names(tmp_path)) == 1


def test_files_that_are_merged_while_they_are_listed_are_not_missed(tmp_path, monkeypatch):
    kept = filled(tmp_path)
    reader = Store(tmp_path)

    def merge_after():
        monkeypatch.undo()
        kept.merge()
        return []

    monkeypatch.setattr(reader, "_list_files", merge_after)
    assert reader.scan().collect().height == 16
