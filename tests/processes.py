"""Which processes there are, for tests that kill some of them."""

from __future__ import annotations

import subprocess
import time


def living():
    """Return the parent of every process that lives; one that only waits to be buried does not."""
    command = ["ps", "-A", "-o", "pid=,ppid=,stat="]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ps:
        rows = [line.split() for line in ps.stdout]
    found = {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}
    del found[ps.pid]
    return found


def children(pid):
    return {child for child, parent in living().items() if parent == pid}


def wait_until(condition):
    """Wait for what must come true; how long it may take is not the point."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
