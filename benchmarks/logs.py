"""How long four million votes take: to read, to choose a bandwidth for, to smooth and to measure.

Processor time of ``driftduel measure votes.csv``, a process of its own with all that is compiled
in its cache, on votes between twenty arms that drift, 19 shuffles of their dates included. Bar:
20 s for each kind of time.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

VOTES = 4_000_000
ARMS = 20
DAYS = 1500
COMMAND = "import sys; from driftduel.cli import main; sys.exit(main())"


def main() -> None:
    print(f"{VOTES:,} votes between {ARMS} arms; bar: 20 s of processor time")
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / "few.csv"
        for kind in ("dates", "times of day", "numbers"):
            path = Path(folder) / "votes.csv"
            votes(kind, VOTES).write_csv(path)
            votes(kind, 1000).write_csv(few)
            seconds_of(few)
            size = path.stat().st_size / 2**20
            print(f"  {kind:13} {size:4.0f} MB: {seconds_of(path):5.1f} s", flush=True)


def votes(kind: str, number: int) -> pl.DataFrame:
    """Make votes over four years, in which strengths rise and fall."""
    rng = np.random.default_rng(0)
    days = np.sort(rng.uniform(0, DAYS, number))
    left = rng.integers(ARMS, size=number)
    right = (left + rng.integers(1, ARMS, size=number)) % ARMS
    strength = [np.sin(2 * np.pi * (days / DAYS + arm / ARMS)) for arm in (left, right)]
    wins = rng.random(number) < 1 / (1 + np.exp(strength[1] - strength[0]))
    names = np.array([f"model-{arm}" for arm in range(ARMS)])
    when = np.datetime64("2020-01-01", "us") + (days * 86_400e6).astype("timedelta64[us]")
    times = {
        "dates": pl.Series(when.astype("datetime64[D]")),
        "times of day": pl.Series(when).dt.strftime("%Y-%m-%dT%H:%M:%S"),
        "numbers": pl.Series(days),
    }
    columns = {"left": names[left], "right": names[right], "left_won": wins.astype(np.int64)}
    return pl.DataFrame({"time": times[kind], **columns})


def seconds_of(path: Path) -> float:
    """Return the processor time of measuring a file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", COMMAND, "measure", str(path)],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
