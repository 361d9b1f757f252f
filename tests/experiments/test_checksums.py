from __future__ import annotations

import random
import shutil

import pytest

import driftduel as dd
from driftduel.experiments.store import Store
from tests.experiments.conftest import SMALL, Bench, assert_same

MORE = SMALL.replace("seeds = 4", "seeds = 6")
FLIPS = 12
REPLAYED = 2

KINDS = {
    "plan": "plan.json",
    "spec": "spec.toml",
    "environment": "environment.json",
    "table": "regret.parquet",
    "task": "tasks/[!m]*.parquet",
    "merged": "tasks/merged-*.parquet",
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with every kind of file: some runs merged, some not yet."""
    bench = Bench(tmp_path_factory.mktemp("sound") / "results")
    bench.run()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "merge", lambda self: None)
        bench.run(MORE)
    return bench


def flipped(folder, kind, number):
    """Flip one bit, chosen by chance with a fixed seed, and return the file it is in."""
    chance = random.Random(f"{kind} {number}")
    file = chance.choice(sorted(folder.glob(KINDS[kind])))
    content = bytearray(file.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_is_never_another_result(sound, tmp_path, kind):
    for number in range(FLIPS):
        bench = Bench(tmp_path / str(number))
        shutil.copytree(sound.folder, bench.folder)
        file = flipped(bench.folder, kind, number)
        if kind in ("plan", "task", "merged"):
            with pytest.raises(ValueError, match=file.name) as caught:
                dd.Results.load(bench.folder)
            assert "\n" not in str(caught.value)
        else:
            assert_same(bench.results, sound.results)
        if number < REPLAYED:
            aside = file.with_name(f"{file.name}.damaged")
            played = {"task": 2, "merged": 16}.get(kind, 0)
            done = bench.run(MORE)
            assert done.runs == played
            assert done.damaged == ((aside,) if aside.exists() else ())
            assert aside.exists() or kind not in ("task", "merged")
            assert_same(bench.results, sound.results)


@pytest.mark.parametrize("left", [0, 1, 100])
@pytest.mark.parametrize("kind", ["plan", "task", "merged"])
def test_a_file_that_was_cut_short_is_set_aside(sound, tmp_path, kind, left):
    bench = Bench(tmp_path / "results")
    shutil.copytree(sound.folder, bench.folder)
    file = next(bench.folder.glob(KINDS[kind]))
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(ValueError, match=f"{file.name}: is damaged, it does not hold what was"):
        dd.Results.load(bench.folder)
    assert bench.run(MORE).damaged == (file.with_name(f"{file.name}.damaged"),)
    assert_same(bench.results, sound.results)


def test_what_a_killed_sweep_was_writing_is_removed(bench):
    bench.folder.mkdir()
    left = [".regret-0123456789ab.parquet", ".plan-0123456789ab.json", ".failures-012345678.txt"]
    for name in left:
        (bench.folder / name).touch()
    (bench.folder / ".mine.txt").touch()
    bench.run()
    assert {file.name for file in bench.folder.glob(".*")} == {".mine.txt", ".spec.toml.lock"}
