"""How these tests are run."""

from __future__ import annotations

import os

COMPILED = not os.environ.get("NUMBA_DISABLE_JIT")
"""Whether kernels are compiled, so that many rounds are quick."""
