"""``python -m website build`` makes the site in build/site; ``check`` opens it in chromium."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from website import api, stage

HERE = Path(__file__).parent
SOURCE = HERE.parent / "build" / "site-source"
SITE = HERE.parent / "build" / "site"


def build() -> int:
    """Make the site; a warning is an error."""
    from sphinx.cmd.build import main as sphinx

    stage.stage(SOURCE)
    api.write(SOURCE / "api")
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # signatures and docstrings need no kernels
    jobs = str(os.cpu_count() or 1)
    words = ["-W", "--keep-going", "-q", "-j", jobs, "-b", "html", "-c", str(HERE)]
    return sphinx([*words, str(SOURCE), str(SITE)])


def main() -> int:
    """Do what the word says."""
    if sys.argv[1:] == ["build"]:
        return build()
    if sys.argv[1:] == ["check"]:
        from website.check import check

        return check(SITE)
    print("python -m website build | check", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
