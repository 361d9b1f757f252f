"""Ask PyPI which of the locked packages that a server runs on have known vulnerabilities.

``python requirements/audit.py`` ends with 1 and names them if there are any. Where PyPI cannot be
asked, as in a network without it or behind a mirror, it says so and ends with 0.
"""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.request import urlopen

LOCK = Path(__file__).parent / "arena.txt"
PATIENCE = 10.0


def packages(lock: str) -> list[tuple[str, str]]:
    """Return the names and versions that a lock has."""
    return re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock, re.MULTILINE)


def known(package: tuple[str, str]) -> list[str] | None:
    """Return what is known to be wrong with a version, None if nobody could be asked."""
    name, version = package
    try:
        with urlopen(f"https://pypi.org/pypi/{name}/{version}/json", timeout=PATIENCE) as answer:
            facts: dict[str, Any] = json.load(answer)
        found = facts["vulnerabilities"]
        return [f"{one['id']}: {one['summary'] or one['details'][:80]}" for one in found
                if not one["withdrawn"]]  # fmt: skip
    except (OSError, ValueError, LookupError, TypeError):
        return None


def main() -> int:
    """Print what is known of each package; return the exit code."""
    locked = packages(LOCK.read_text())
    with ThreadPoolExecutor(16) as asking:
        answers = dict(zip(locked, asking.map(known, locked), strict=True))
    for (name, version), found in answers.items():
        for one in found or ():
            print(f"{name} {version}: {one}")
    silent = sum(found is None for found in answers.values())
    if silent:
        print(f"of {silent} of {len(locked)} packages PyPI could not be asked", file=sys.stderr)
    return int(any(answers.values()))


if __name__ == "__main__":
    sys.exit(main())
