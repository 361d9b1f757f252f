"""What one call of the command costs, beside a Python that imports one library and nothing else.

Polls are beside numpy, and files of 1,000 votes on 3, 10 and 20 options, one an hour, as a base
install analyses them, beside polars.

Each call is a process of its own, by turns, and what counts is its processor time, user and system.
Printed are medians, and how often the time of the library fits into them. A process that may not
write what Python compiles (``PYTHONDONTWRITEBYTECODE``) pays for that with every call.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

OPTIONS = (3, 10, 20)
COMMAND = "import sys; from driftduel.cli import main; sys.exit(main())"
BASE = f"""
import sys
for name in ("scipy", "altair", "jinja2", "vl_convert"):  # as if no extra was installed
    sys.modules[name] = None
{COMMAND}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15, help="calls of each")
    options, _ = parser.parse_known_args()
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "drinks.db")
        call("new", file, "--arms", "tea,coffee,milk,cocoa")
        for _ in range(options.turns):
            code, _, _ = call("ask", file)[1].split()
            rows = {
                "import numpy": python("import numpy"),
                "driftduel ask": call("ask", file),
                "driftduel tell": call("tell", file, code, "left"),
                "driftduel status": call("status", file),
            }
            for name, (spent, _) in rows.items():
                times.setdefault(name, []).append(spent)
        files = {n_options: str(Path(folder) / f"votes-{n_options}.csv") for n_options in OPTIONS}
        for n_options, file in files.items():
            write_votes(file, n_options)
        for _ in range(options.turns):
            rows = {"import polars": python("import polars")}
            for n_options, file in files.items():
                rows[f"analyse, {n_options} options"] = python(BASE, "analyse", file)
            for name, (spent, _) in rows.items():
                times.setdefault(name, []).append(spent)
    print(f"{'':<20} {'CPU seconds':>12} {'times it':>12}")
    floor = 1.0
    for name, seconds in times.items():
        floor = median(seconds) if name.startswith("import") else floor
        print(f"{name:<20} {median(seconds):12.3f} {median(seconds) / floor:12.2f}")


def write_votes(file: str, n_options: int, n: int = 1000) -> None:
    """Write votes, one an hour, on options that are better the later they stand in the alphabet."""
    rng = random.Random(1)
    lines = ["time,left,right,winner"]
    for vote in range(n):
        left, right = rng.sample(range(n_options), 2)
        won = left if rng.random() < 1 / (1 + math.exp(0.3 * (right - left))) else right
        hour = datetime(2024, 1, 1) + timedelta(hours=vote)
        names = (f"option {chr(65 + option)}" for option in (left, right, won))
        lines.append(f"{hour:%Y-%m-%d %H:%M},{','.join(names)}")
    Path(file).write_text("\n".join(lines))


def call(*arguments: str) -> tuple[float, str]:
    """Run the command; return its CPU seconds and what it prints."""
    return python(COMMAND, *arguments)


def python(script: str, *arguments: str) -> tuple[float, str]:
    """Run a script in a new process; return its CPU seconds and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return user + system, done.stdout
