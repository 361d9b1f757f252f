"""Streams in files: whole, equal when read again, and no damaged one accepted."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

import driftduel as dd
from driftduel.worlds import stream_file as module
from tests.worlds.test_stream import CYCLE, LADDER, SPAN, P, Q

FULL = dd.Stream([P, Q], [0, 1, 0], [0, 4, 9], 366, labels=["té", "coffee 2"], span=SPAN)
STREAMS = [dd.Stream.stationary(P, 10**9), dd.Stream.sequence([LADDER, CYCLE, LADDER]), FULL]


@pytest.mark.parametrize("s", STREAMS, ids=repr)
def test_a_saved_stream_is_loaded_equal(s, tmp_path):
    s.save(tmp_path / "world.npz")
    loaded = dd.Stream.load(tmp_path / "world.npz")
    assert loaded == s
    assert (loaded.labels, loaded.span) == (s.labels, s.span)
    assert [path.name for path in tmp_path.iterdir()] == ["world.npz"]


def test_a_stream_is_saved_under_the_very_name_given(tmp_path):
    FULL.save(str(tmp_path / "world.stream"))
    assert dd.Stream.load(str(tmp_path / "world.stream")) == FULL


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "world.npz"
    FULL.save(target)
    before = target.read_bytes()

    def disk_full(file, **fields):
        file.write(b"half of")
        raise OSError("no space left")

    monkeypatch.setattr(module.np, "savez_compressed", disk_full)
    with pytest.raises(OSError, match="no space left"):
        STREAMS[0].save(target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["world.npz"]


def test_a_missing_file_is_reported_as_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        dd.Stream.load(tmp_path / "nothing.npz")


def test_a_stream_is_not_saved_to_a_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        FULL.save(tmp_path / "nowhere" / "world.npz")


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path):
    FULL.save(tmp_path / "whole.npz")
    whole = (tmp_path / "whole.npz").read_bytes()
    part = tmp_path / "part.npz"
    for size in range(0, len(whole), 7):
        part.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"^part.npz: is not a readable .npz stream$"):
            dd.Stream.load(part)


def test_a_damaged_file_is_refused_or_unharmed_wherever_the_damage_is(tmp_path):
    FULL.save(tmp_path / "whole.npz")
    whole = (tmp_path / "whole.npz").read_bytes()
    damaged = tmp_path / "damaged.npz"
    refused = 0
    for place in range(0, len(whole), 5):
        for flip in (0x01, 0xFF):
            damaged.write_bytes(whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :])
            try:
                assert dd.Stream.load(damaged) == FULL
            except ValueError as error:
                assert str(error).startswith("damaged.npz: ")  # noqa: PT017
                assert "\n" not in str(error)  # noqa: PT017
                refused += 1
    assert refused > len(whole) // 5


def npz(**fields) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **fields)
    return buffer.getvalue()


def npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([P]))
    return buffer.getvalue()


def other_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("palette.npy", "not an array")
    return buffer.getvalue()


GOOD = {
    "driftduel_stream": 1,
    "palette": [P, Q],
    "which": [0, 1],
    "starts": [0, 5],
    "horizon": 10,
    "labels": [],
    "span": [],
}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a readable .npz stream"),
        (b"time,left,right\n", "is not a readable .npz stream"),
        (npy(), "is not a readable .npz stream"),
        (other_zip(), "is not a stream, it has no 'driftduel_stream'"),
        (npz(palette=np.array([None])), "is not a readable .npz stream"),
        (npz(prices=np.zeros(3)), "is not a stream, it has no 'driftduel_stream'"),
        (npz(**{**GOOD, "driftduel_stream": 3}), "was written by a newer driftduel, please update"),
        (npz(**{**GOOD, "horizon": 0}), "horizon is 0, must be at least 1"),
        (npz(**{**GOOD, "horizon": 5.5}), "horizon is 5.5, must be a whole number"),
        (npz(**{**GOOD, "horizon": 5}), "stream: starts[1] = 5, must be below the horizon 5"),
        (npz(**{**GOOD, "which": [0, 2]}), "stream: which[1] = 2, must be between 0 and 1"),
        (
            npz(**{**GOOD, "palette": [P, [[0.5, 0.7], [0.4, 0.5]]]}),
            "preference matrix 1: P[0,1] + P[1,0] = 1.1, must be 1",
        ),
        (npz(**{**GOOD, "labels": ["tea"]}), "labels: 1 given, there are 2 arms"),
        (npz(**{**GOOD, "span": ["2020-13-01", "2020-12-31"]}), "month must be in 1..12"),
        (
            npz(**{**GOOD, "span": ["2020-12-31", "2020-01-01"]}),
            "span: ends on 2020-01-01, before it begins on 2020-12-31",
        ),
    ],
)
def test_a_file_that_is_no_stream_is_refused_in_one_sentence(content, message, tmp_path):
    (tmp_path / "world.npz").write_bytes(content)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.Stream.load(tmp_path / "world.npz")
    assert str(error.value) == f"world.npz: {message}"


@pytest.mark.parametrize("field", sorted(GOOD))
def test_a_file_without_one_of_its_fields_is_refused(field, tmp_path):
    fields = {key: value for key, value in GOOD.items() if key != field}
    (tmp_path / "world.npz").write_bytes(npz(**fields))
    with pytest.raises(ValueError, match=rf"^world.npz: is not a stream, it has no '{field}'$"):
        dd.Stream.load(tmp_path / "world.npz")


@pytest.mark.parametrize(
    "field",
    [
        {"driftduel_stream": [1, 1]},
        {"driftduel_stream": "one"},
        {"horizon": [1, 2]},
        {"horizon": "ten"},
        {"which": "zero"},
        {"labels": 3},
        {"span": ["2020-01-01"]},
        {"span": 3},
    ],
    ids=repr,
)
def test_a_field_of_the_wrong_kind_is_refused_with_the_file_named(field, tmp_path):
    (tmp_path / "world.npz").write_bytes(npz(**{**GOOD, **field}))
    with pytest.raises(ValueError, match=r"^world.npz: "):
        dd.Stream.load(tmp_path / "world.npz")


def test_a_folder_is_not_a_stream(tmp_path):
    with pytest.raises(ValueError, match=r"is not a readable \.npz stream$"):
        dd.Stream.load(tmp_path)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    FULL.save(tmp_path / "world.npz")
    monkeypatch.setattr(module, "STREAM_FILE", 2**10)
    with pytest.raises(ValueError, match=r"^world\.npz: unpacks to .* GB, must be at most"):
        dd.Stream.load(tmp_path / "world.npz")
