"""Files of strangers are read in a process of their own, with bounds on memory and time."""

from __future__ import annotations

import gzip

import pytest

from driftduel.votes.apart import read_apart
from driftduel.votes.reading import read

TABLE = "time,left,right,winner\n2024-05-01,tea,milk,tea\n2024-05-02,milk,tea,draw\n"


def test_what_is_read_apart_is_what_is_read_here(tmp_path):
    path = tmp_path / "votes.csv"
    for text in (TABLE, "left,right,winner\ntea,milk,tea\n"):
        path.write_text(text)
        apart, here = read_apart(path), read(path)
        for name in ("arms", "dated", "timed", "sides", "notes"):
            assert getattr(apart, name) == getattr(here, name)
        for name in ("time", "left", "right", "outcome", "count"):
            assert getattr(apart, name).tolist() == getattr(here, name).tolist()


def test_what_is_wrong_is_said_as_it_is_here(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("nonsense")
    with pytest.raises(ValueError, match="votes") as here:
        read(path)
    with pytest.raises(ValueError, match="votes") as apart:
        read_apart(path)
    assert str(here.value) == str(apart.value)


def test_a_file_that_unpacks_to_very_much_is_refused_and_breaks_nothing(tmp_path):
    path = tmp_path / "votes.csv.gz"
    path.write_bytes(gzip.compress(TABLE.encode() + b"2024-05-01,a,b,a\n" * 6_000_000, 1))
    with pytest.raises(ValueError, match="cannot be read, or takes too much memory"):
        read_apart(path, memory=400_000_000)


def test_what_takes_too_long_is_refused(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(TABLE)
    with pytest.raises(ValueError, match="takes too long to read"):
        read_apart(path, seconds=0.01)
