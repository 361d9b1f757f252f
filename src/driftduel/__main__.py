"""``python -m driftduel``: the command, where its folder is not on the path."""

from __future__ import annotations

import sys

from driftduel.cli import main

if __name__ == "__main__":
    sys.exit(main())
