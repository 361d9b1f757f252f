"""How long four million votes take to be measured, and ten million to be analysed.

Processor time of ``driftduel measure votes.csv``, a process of its own with all that is compiled
in its cache, on votes between twenty arms that drift, 19 shuffles of their dates included. Bar:
20 s for each kind of time. Then time and memory of ``driftduel analyse`` of ten million, the page
included. Bar: a minute and 4 GB. And how the likely story of ten million votes between fifty arms
compares with reading them. Bar: 1.3 times.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import driftduel as dd

VOTES = 4_000_000
MOST_VOTES = 10_000_000
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
        print(f"{MOST_VOTES:,} votes with propensities and voters; bar: a minute and 4 GB")
        for kind in ("csv", "parquet"):
            path = Path(folder) / f"many.{kind}"
            table = with_propensities(votes("times of day", MOST_VOTES))
            getattr(table, f"write_{kind}")(path)
            del table
            size = path.stat().st_size / 2**20
            wall, processor, peak = cost_of("analyse", path)
            print(
                f"  {kind:13} {size:4.0f} MB: {wall:5.1f} s, {processor:.1f} s of processor time, "
                f"{peak:.2f} GB",
                flush=True,
            )
        path = Path(folder) / "story.csv"
        votes("times of day", MOST_VOTES, 50).write_csv(path)
        began = time.process_time()
        log = dd.read_log(path)
        read = time.process_time() - began
        dd.timeline(log)
        told = time.process_time() - began - read
        print(
            f"{MOST_VOTES:,} votes between 50 arms: {read:.1f} s to read, {told:.1f} s for the "
            f"likely story, {told / read:.2f} times"
        )


def votes(kind: str, number: int, arms: int = ARMS) -> pl.DataFrame:
    """Make votes over four years, in which strengths rise and fall."""
    rng = np.random.default_rng(0)
    days = np.sort(rng.uniform(0, DAYS, number))
    left = rng.integers(arms, size=number)
    right = (left + rng.integers(1, arms, size=number)) % arms
    strength = [np.sin(2 * np.pi * (days / DAYS + arm / arms)) for arm in (left, right)]
    wins = rng.random(number) < 1 / (1 + np.exp(strength[1] - strength[0]))
    names = np.array([f"model-{arm}" for arm in range(arms)])
    when = np.datetime64("2020-01-01", "us") + (days * 86_400e6).astype("timedelta64[us]")
    times = {
        "dates": pl.Series(when.astype("datetime64[D]")),
        "times of day": pl.Series(when).dt.strftime("%Y-%m-%dT%H:%M:%S"),
        "numbers": pl.Series(days),
    }
    columns = {"left": names[left], "right": names[right], "left_won": wins.astype(np.int64)}
    return pl.DataFrame({"time": times[kind], **columns})


def with_propensities(table: pl.DataFrame) -> pl.DataFrame:
    """Add the columns of an arena: the chance of the pair, and who voted."""
    voters = np.random.default_rng(1).integers(10**6, size=table.height)
    chance = pl.lit(1 / (ARMS * (ARMS - 1))).alias("propensity")
    return table.with_columns(chance, pl.Series("voter", voters))


def seconds_of(path: Path) -> float:
    """Return the processor time of measuring a file."""
    return cost_of("measure", path)[1]


def cost_of(command: str, path: Path) -> tuple[float, float, float]:
    """Return the time, the processor time and the most memory, in GB, of a command on a file."""
    begin = time.perf_counter()
    arguments = [sys.executable, "-c", COMMAND, command, str(path)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    seconds = time.perf_counter() - begin
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20
