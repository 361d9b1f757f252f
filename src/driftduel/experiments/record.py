"""What a folder says of its sweep: spec, environment, streams, and who plays on which.

All of it is one file, replaced at once: whenever a sweep is killed, results are read with the
spec they belong to. It holds a hash of the rest of itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from driftduel._support.files import replacing
from driftduel.experiments.checksums import DamagedFileError, digest
from driftduel.experiments.worlds import StreamInfo, from_json

NAME = "plan.json"

WRITTEN = (NAME, "spec.toml", "environment.json")
"""The files that `Record.save` writes."""

_UNHASHED, _FORMAT = 1, 2


@dataclass(frozen=True)
class Record:
    """A plan as it is kept.

    Attributes
    ----------
    spec : str
        The spec as it was written.
    environment : dict
        Title, versions, platform, date and seeds.
    streams : list of StreamInfo
        What is true of the streams.
    learners : sequence of (label, class)
        The learners.
    combinations : sequence of (key, stream, learner, parameters)
        Every learner on every stream, both by their place; the parameters as JSON.
    """

    spec: str
    environment: dict[str, Any]
    streams: list[StreamInfo]
    learners: Sequence[tuple[str, str]]
    combinations: Sequence[tuple[str, int, int, str]]

    def table(self) -> pl.DataFrame:
        """Return one row a combination, with labels and parameters."""
        rows = self.combinations
        streams = [self.streams[place] for _, place, _, _ in rows]
        players = [self.learners[place] for _, _, place, _ in rows]
        return pl.DataFrame(
            {
                "key": [key for key, _, _, _ in rows],
                "learner": [label for label, _ in players],
                "name": [name for _, name in players],
                "parameters": [parameters for _, _, _, parameters in rows],
                "stream": [stream.label for stream in streams],
                "world": [stream.world for stream in streams],
                "settings": [stream.parameters for stream in streams],
                "n_arms": pl.Series([stream.n_arms for stream in streams], dtype=pl.Int32),
                "horizon": pl.Series([stream.horizon for stream in streams], dtype=pl.Int64),
            }
        )

    def save(self, folder: Path) -> None:
        """Write it to a folder, with the spec and the environment beside it for people."""
        data = {"format": _FORMAT, **asdict(self)}
        _write(folder / NAME, _as_text({**data, "hash": _hash(data)}))
        _write(folder / "spec.toml", self.spec)
        environment = json.dumps(self.environment, indent=1, ensure_ascii=False)
        _write(folder / "environment.json", environment + "\n")

    @classmethod
    def load(cls, folder: Path) -> Record:
        """Read what `save` wrote.

        Raises
        ------
        ValueError
            If the folder has none, one of another version of the package, or a damaged one.
        """
        try:
            data = json.loads((folder / NAME).read_text(encoding="utf-8"))
        except FileNotFoundError:
            if (folder / "tasks").is_dir():
                raise ValueError(
                    f"{folder}: has no {NAME}, another version of driftduel may have written it; "
                    "run its spec again"
                ) from None
            raise ValueError(f"{folder}: holds no results, {NAME} is missing") from None
        except ValueError:
            raise DamagedFileError(folder / NAME) from None
        other = ValueError(
            f"{folder}: {NAME} is of another version of driftduel, run its spec again"
        )
        if not isinstance(data, dict) or data.get("format") == _UNHASHED:
            raise other
        if data.pop("hash", None) != _hash(data):
            raise DamagedFileError(folder / NAME)
        if data.pop("format", None) != _FORMAT:
            raise other
        data["streams"] = [from_json(item) for item in data["streams"]]
        return cls(**data)


def _as_text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def _hash(data: dict[str, Any]) -> str:
    return digest(_as_text(data).encode(errors="surrogatepass"))


def _write(file: Path, text: str) -> None:
    with replacing(file) as temporary:
        temporary.write_bytes(text.encode())
