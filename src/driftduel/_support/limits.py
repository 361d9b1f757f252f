"""How much may be asked for at once; more is refused in a sentence, before it fills the memory."""

from __future__ import annotations

MOST_ARMS = 10**6
"""Arms of a learner or a log: a table of pairs of them already takes terabytes."""

PALETTE = 2**30
"""Bytes of the matrices of a stream, 1 GB; what reads them makes tables of their size."""

WORLD_ARMS = 11_585
"""Arms of a stream: one matrix of so many is as large as `PALETTE`."""

TIMELINE = 2**29
"""Bytes that say when the stretches of a made-up world begin."""

MOST_PHASES = 10**6
"""Phases that are drawn one by one."""

STREAM_FILE = 2**32
"""Bytes of a file of a stream once they are unpacked: its matrices and its stretches."""

LOG_FILE = 2**30
"""Bytes of a log of votes once they are unpacked."""

ROUNDS = 10**12
"""Rounds of a run: hours for the quickest learner, days for others."""

POINTS = 10**6
"""Rounds of a run after which regret is kept."""

MOST_COUNTS = 2**28
"""Counts that a run keeps, of every arm in every segment: 1 GB."""

SEEDS = 10**6
"""Seeds of an experiment; it lists them in its folder."""

GRID = 10**5
"""Points of a grid; a spec makes the stream of each of them before anything runs."""

COMBINATIONS = 10**6
"""Learners times streams of a spec; all are held in memory, and listed in the folder."""

RUNS = 10**7
"""Learners times streams times seeds of a spec; a sweep remembers which are finished."""
