from __future__ import annotations

import stat

import pytest

from driftduel._files import replacing


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
