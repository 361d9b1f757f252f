"""Streams in files: an ``.npz`` archive of arrays, read without trusting what wrote it."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from driftduel._support.files import replacing
from driftduel._support.limits import STREAM_FILE

if TYPE_CHECKING:
    from driftduel.worlds.stream import Stream

    AnyStream = TypeVar("AnyStream", bound=Stream)

_FORMAT = 2
"""Of files of streams whose arms come and go; what reads 1 would play arms not on offer."""

_FIELDS = {"driftduel_stream", "palette", "which", "starts", "horizon", "labels", "span"}
"""What every file has; early ones have no ``credits``, and most no ``offered``."""


def write_stream(stream: Stream, path: str | os.PathLike[str]) -> None:
    """Write a stream to a file, whole or not at all."""
    # Absent labels and dates are written as empty lists: a field that is missing is damage.
    fields: dict[str, Any] = {
        "driftduel_stream": 1 if stream.offered is None else _FORMAT,
        "palette": stream.palette,
        "which": stream.which,
        "starts": stream.starts,
        "horizon": stream.horizon,
        "labels": np.array(stream.labels or [], dtype=np.str_),
        "span": np.array([day.isoformat() for day in stream.span or []], dtype=np.str_),
        "credits": np.array(stream.credits, dtype=np.str_),
    }
    if stream.offered is not None:
        fields["offered"] = stream.offered
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **fields)


def read_stream(kind: type[AnyStream], path: str | os.PathLike[str]) -> AnyStream:
    """Read a stream of a kind from a file that `write_stream` wrote."""
    name = Path(path).name
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            # The sizes that the archive declares; zipfile unpacks no more than that.
            size = sum(member.file_size for member in archive.zip.infolist())
            fields = {} if size > STREAM_FILE else {key: archive[key] for key in archive}
    except FileNotFoundError:
        raise
    except Exception:  # damage shows as an error of zip, zlib, or of numpy's headers
        raise ValueError(f"{name}: is not a readable .npz stream") from None
    if size > STREAM_FILE:
        raise ValueError(
            f"{name}: unpacks to {size / 2**30:,.1f} GB, must be at most {STREAM_FILE // 2**30} GB"
        )
    try:
        if "driftduel_stream" in fields and fields["driftduel_stream"].item() > _FORMAT:
            raise ValueError("was written by a newer driftduel, please update")
        for key in sorted(_FIELDS - set(fields)):
            raise ValueError(f"is not a stream, it has no {key!r}")
        span = None
        if fields["span"].size:
            first, last = map(date.fromisoformat, fields["span"].tolist())
            span = (first, last)
        return kind(
            fields["palette"],
            fields["which"],
            fields["starts"],
            fields["horizon"].item(),
            labels=fields["labels"].tolist() or None,
            span=span,
            credits=fields["credits"].tolist() if "credits" in fields else (),
            offered=fields.get("offered"),
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
