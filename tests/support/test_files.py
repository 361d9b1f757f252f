from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
import time

import pytest

from driftduel._support.files import locked, replacing

COUNTER = """
import sys
from pathlib import Path
from driftduel._support.files import locked, replacing
file = Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with locked(file):
        count = int(file.read_text())
        with replacing(file) as temporary:
            temporary.write_text(str(count + 1))
"""
DYING = (
    "import os, sys; from driftduel._support.files import locked\n"
    "with locked(sys.argv[1]): os._exit(7)"
)


def start(script, *arguments):
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, env=environment)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_file_appears_whole_when_the_block_ends(tmp_path):
    target = tmp_path / "note.txt"
    with replacing(target) as temporary:
        temporary.write_text("one")
        assert not target.exists()
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".txt"
    assert target.read_text() == "one"
    assert names(tmp_path) == ["note.txt"]


def test_a_reader_sees_the_old_file_until_the_block_ends(tmp_path):
    target = tmp_path / "note.txt"
    target.write_text("old")
    with replacing(str(target)) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_the_block_leaves_the_old_file_and_nothing_else(tmp_path, error):
    target = tmp_path / "note.txt"
    target.write_text("old")

    def fail_halfway():
        with replacing(target) as temporary:
            temporary.write_text("half of")
            raise error

    with pytest.raises(error):
        fail_halfway()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["note.txt"]


def test_an_error_in_the_block_makes_no_file_where_there_was_none(tmp_path):
    with pytest.raises(ValueError, match="stop"), replacing(tmp_path / "note.txt"):
        raise ValueError("stop")
    assert names(tmp_path) == []


def test_a_new_file_has_the_permissions_that_open_gives(tmp_path):
    (tmp_path / "plain").touch()
    with replacing(tmp_path / "note.txt") as temporary:
        temporary.write_text("one")
    assert mode(tmp_path / "note.txt") == mode(tmp_path / "plain")


def test_a_private_file_stays_private_even_while_it_is_written(tmp_path):
    target = tmp_path / "note.txt"
    target.touch(mode=0o600)
    with replacing(target) as temporary:
        assert mode(temporary) == 0o600
        temporary.write_text("secret")
    assert mode(target) == 0o600


def test_a_link_is_followed_and_kept(tmp_path):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "note.txt"
    target.write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"^the folder .*nowhere does not exist$"),
        replacing(tmp_path / "nowhere" / "note.txt"),
    ):
        pass
    assert names(tmp_path) == []


def test_a_folder_is_not_replaced_by_a_file(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError), replacing(tmp_path / "folder") as temporary:  # noqa: PT011
        temporary.write_text("one")
    assert names(tmp_path) == ["folder"]


def test_writers_at_the_same_time_do_not_meet(tmp_path):
    target = tmp_path / "note.txt"
    with replacing(target) as first, replacing(target) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert target.read_text() == "first"
    assert names(tmp_path) == ["note.txt"]


def test_the_file_is_on_the_disk_before_its_name_and_then_its_name(tmp_path, monkeypatch):
    target, synced = tmp_path / "note.txt", []

    def fsync(descriptor):
        synced.append((os.fstat(descriptor).st_ino, target.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    with replacing(target) as temporary:
        temporary.write_text("one")
    assert synced == [(target.stat().st_ino, False), (tmp_path.stat().st_ino, True)]


def test_a_disk_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "note.txt"
    target.write_text("old")

    def fsync(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="Input/output"), replacing(target) as temporary:
        temporary.write_text("new")
    assert target.read_text() == "old"
    assert names(tmp_path) == ["note.txt"]


def test_a_file_system_that_cannot_write_through_is_used_all_the_same(tmp_path, monkeypatch):
    def fsync(descriptor):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", fsync)
    with replacing(tmp_path / "note.txt") as temporary:
        temporary.write_text("one")
    assert names(tmp_path) == ["note.txt"]


def test_a_lock_lets_one_thread_in_at_a_time(tmp_path):
    inside, most = [], []

    def enter():
        for _ in range(10):
            with locked(tmp_path / "file"):
                inside.append(1)
                time.sleep(0.001)  # without a lock another thread would come in meanwhile
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 40


def test_a_lock_is_released_when_the_block_fails_or_the_process_dies(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RuntimeError, match="inside"), locked(tmp_path / "file"):
        raise RuntimeError("inside")
    assert start(DYING, tmp_path / "file").wait() == 7
    with locked(tmp_path / "file", wait=False):
        assert (tmp_path / "file").exists()


@pytest.mark.parametrize("exists", [True, False])
def test_who_does_not_want_to_wait_is_refused(tmp_path, exists):
    target = tmp_path / "file"
    if exists:
        target.touch()
    with (
        locked(target),
        pytest.raises(ValueError, match=r": another process is at work in it$"),
        locked(target, wait=False),
    ):
        pass
    with locked(target, wait=False):
        assert target.exists() == exists


def test_a_lock_holds_though_its_file_is_removed_and_what_it_guards_is_replaced(tmp_path):
    target = tmp_path / "file"
    target.touch()
    with locked(target):
        for text in ("one", "two"):
            with replacing(target) as temporary:
                temporary.write_text(text)
            (tmp_path / ".file.lock").unlink(missing_ok=True)
            with pytest.raises(ValueError, match="at work"), locked(target, wait=False):
                pass


def test_no_count_is_lost_while_the_lock_file_is_removed_again_and_again(tmp_path):
    target = tmp_path / "file"
    target.write_text("0")
    counters = [start(COUNTER, target, 50) for _ in range(4)]
    while any(counter.poll() is None for counter in counters):
        (tmp_path / ".file.lock").unlink(missing_ok=True)
        time.sleep(0.0005)
    assert [counter.returncode for counter in counters] == [0] * 4
    assert target.read_text() == "200"


def test_a_thread_that_would_wait_for_itself_is_refused(tmp_path):
    target = tmp_path / "count.txt"
    with locked(target):
        with (
            pytest.raises(ValueError, match=r"count\.txt: is in use by this thread"),
            locked(target),
        ):
            pass
        with locked(tmp_path / "other.txt"):
            pass
    with locked(target):
        target.write_text("1")
    assert target.read_text() == "1"


def test_two_names_of_one_file_share_a_lock(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with (
        locked(tmp_path / "link"),
        pytest.raises(ValueError, match="at work"),
        locked(tmp_path / "file", wait=False),
    ):
        pass


def test_a_lock_in_a_folder_that_does_not_exist_is_refused(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"),
        locked(tmp_path / "no" / "file"),
    ):
        pass


def test_what_a_dead_writer_left_is_removed_by_the_next_and_nothing_else(tmp_path):
    old, young = ".file-0123456789ab.json", ".file-ba9876543210.json"
    others = [".file-notes.json", ".other-0123456789ab.json", "file-0123456789ab.json"]
    for name in (old, young, *others):
        (tmp_path / name).touch()
        if name != young:
            os.utime(tmp_path / name, (0, 0))
    with locked(tmp_path / "file.json"):
        left = set(names(tmp_path)) - {".file.json.lock"}
    assert left == {young, *others}
