"""What one call of the command costs, beside a Python that imports numpy and nothing else.

Each call is a process of its own, by turns, and what counts is its processor time, user and system.
Printed are medians, and how often the time of numpy fits into them.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

COMMAND = "import sys; from driftduel.cli import main; sys.exit(main())"


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
    floor = median(times["import numpy"])
    print(f"{'':<18} {'CPU seconds':>12} {'times numpy':>12}")
    for name, seconds in times.items():
        print(f"{name:<18} {median(seconds):12.3f} {median(seconds) / floor:12.2f}")


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
