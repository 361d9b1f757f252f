"""How long the tests of compiled code take from nothing, and again after an edit.

``make test-jit`` in a copy of the checkout, with a cache of its own. Each row is a run after the
edit it names; the edits before it stay, so that the row is what that edit alone compiles.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEARNERS = Path("src/driftduel/learners")
META = LEARNERS / "episodic" / "meta.py"
CODE = "\n_TOUCHED = True\n"
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="driftduel-loop-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        print("| `make test-jit` | minutes |\n|---|---|")
        measure("from nothing", copy, lambda: None)
        measure("again", copy, lambda: None)
        measure("after an edit of a docstring of `meta`", copy, lambda: reword(copy / META))
        rival = copy / LEARNERS / "rivals" / "rucb.py"
        measure("after an edit of one rival (`rucb`)", copy, lambda: append(rival))
        measure("after an edit of `meta`", copy, lambda: append(copy / META))


def measure(name: str, copy: Path, edit: Callable[[], object]) -> None:
    edit()
    paths = {"PYTHONPATH": str(copy / "src"), "NUMBA_CACHE_DIR": str(copy.parent / "cache")}
    venv = ROOT / ".venv"
    began = time.perf_counter()
    done = subprocess.run(  # the environment is as it is, older than the copy or not
        ["make", "test-jit", f"VENV={venv}", f"--old-file={venv / '.installed'}"],
        cwd=copy,
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        check=False,
    )
    minutes, seconds = divmod(round(time.perf_counter() - began), 60)
    print(f"| {name} | {minutes}:{seconds:02d} |", flush=True)
    if done.returncode:
        sys.exit(done.stdout[-4000:] + done.stderr[-4000:])


def reword(file: Path) -> None:
    file.write_text(file.read_text().replace('"""', '"""In other words: ', 1))


def append(file: Path) -> None:
    file.write_text(file.read_text() + CODE)


if __name__ == "__main__":
    main()
