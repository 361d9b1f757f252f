"""How these tests are run."""

from __future__ import annotations

import os

COMPILED = not os.environ.get("NUMBA_DISABLE_JIT")
"""Whether kernels are compiled, so that many rounds are quick."""

EVERYTHING = bool(os.environ.get("TEST_EVERYTHING"))
"""Whether slow tests repeat what they do as often as anybody would wish."""


def often(usual: int, everything: int) -> int:
    """Return how often a slow test repeats what it does."""
    return everything if EVERYTHING else usual
