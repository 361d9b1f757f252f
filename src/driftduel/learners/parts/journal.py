"""The journal: what a learner notes while it plays, as records, with one writer and one reader.

Kernels cannot make Python objects. They write records, and `read_journal` turns them into the
history each time the learner's `collect` is called. Changes of the world that were proved are kept
in the state, the latest ones in a ring, because a report tells of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.history import Activation, Eviction, History, Replay
from driftduel.learners.contract.ranges import AN_ARM, ANYTHING, COUNT, Ranges, whole
from driftduel.learners.contract.report import Change
from driftduel.learners.parts.arrays import Ints, Records

EVICTION, ACTIVATION, REPLAY, EPISODE = 0, 1, 2, 3

NOTE = np.dtype(
    [
        ("kind", "i8"),  # EVICTION, ACTIVATION, REPLAY or EPISODE
        ("round", "i8"),
        ("arm", "i8"),  # who went or came back
        ("beaten_by", "i8"),
        ("weight", "i8"),  # the arm on which the reference weight is a point mass, or -1
        ("first", "i8"),  # the first round of the interval
        ("base", "i8"),  # the first round of the base
        ("length", "i8"),  # of a replay
        ("statistic", "f8"),
        ("threshold", "f8"),
    ],
    align=True,
)

CHANGE = np.dtype(
    [
        ("noticed", "i8"),  # the round at which a new episode began
        ("around", "i8"),  # the round at which the world seems to have changed
        ("earliest", "i8"),  # the first and the last round at which it may have, or UNDATED
        ("latest", "i8"),
        ("before", "i8"),  # who was best before
        ("after", "i8"),  # who took over
    ],
    align=True,
)

UNDATED = -1
"""For a learner that does not know from when to when the world may have changed."""


class Journal(NamedTuple):
    """Events not read yet."""

    written: Ints  # (1,) how many
    notes: Records  # (J,) NOTE


JOURNAL_RANGES: Ranges = {"written": whole(0, 0), "notes": ANYTHING}
"""Between rounds all was read."""

CHANGE_RANGES: Ranges = {
    "noticed": COUNT,
    "around": COUNT,
    "earliest": whole(UNDATED, "told"),
    "latest": whole(UNDATED, "told"),
    "before": AN_ARM,
    "after": AN_ARM,
}


def no_journal(n_arms: int) -> Journal:
    """Return an empty journal with room for many rounds."""
    return Journal(np.zeros(1, np.int64), np.zeros(4 * n_arms + 128, NOTE))


@inline_kernel
def journal_full(journal: Journal, n_arms: int) -> bool:
    """Tell whether one more round might not find room.

    In a round every arm may go and come back, a replay and an episode may begin.
    """
    return journal.written[0] + 2 * n_arms + 2 > journal.notes.shape[0]


@kernel
def _note(journal: Journal, kind: int, round_: int) -> int:
    """Begin a record and return its number."""
    number = journal.written[0]
    journal.written[0] = number + 1
    journal.notes[number]["kind"] = kind
    journal.notes[number]["round"] = round_
    return number


@kernel
def note_eviction(
    journal: Journal,
    round_: int,
    arm: int,
    beaten_by: int,
    weight: int,
    first: int,
    base: int,
    statistic: float,
    threshold: float,
) -> None:
    """Note that an arm was found worse than another; the fields are those of `Eviction`."""
    note = journal.notes[_note(journal, EVICTION, round_)]
    note["arm"] = arm
    note["beaten_by"] = beaten_by
    note["weight"] = weight
    note["first"] = first
    note["base"] = base
    note["statistic"] = statistic
    note["threshold"] = threshold


@kernel
def note_activation(journal: Journal, round_: int, arm: int) -> None:
    """Note that an arm that was evicted is in play again from this round on."""
    journal.notes[_note(journal, ACTIVATION, round_)]["arm"] = arm


@kernel
def note_replay(journal: Journal, start: int, length: int) -> None:
    """Note that a replay begins."""
    journal.notes[_note(journal, REPLAY, start)]["length"] = length


@kernel
def note_episode(journal: Journal, start: int) -> None:
    """Note that an episode begins."""
    _note(journal, EPISODE, start)


def read_journal(journal: Journal, history: History) -> None:
    """Move all notes into the history."""
    notes = journal.notes[: journal.written[0]]
    replays = notes["kind"] == REPLAY
    found = notes[["round", "length"]][replays].tolist()
    history.replays.extend(map(Replay._make, found))
    # As Python's own numbers, all at once: reading the fields of a record costs four times as much.
    for note in notes[~replays].tolist():
        kind, round_, arm, beaten_by, weight, first, base, _, statistic, threshold = note
        if kind == EPISODE:
            history.episodes.append(round_)
        elif kind == ACTIVATION:
            history.activations.append(Activation(round_, arm))
        else:
            weight = None if weight < 0 else weight
            interval = first, round_
            history.evictions.append(
                Eviction(round_, arm, beaten_by, *interval, weight, statistic, threshold, base)
            )
    journal.written[0] = 0


@kernel
def note_change(
    changes: Records,
    number: int,
    noticed: int,
    around: int,
    earliest: int,
    latest: int,
    before: int,
    after: int,
) -> None:
    """Keep the change of this number, in the place of the oldest if there are too many."""
    change = changes[number % changes.shape[0]]
    change["noticed"] = noticed
    change["around"] = around
    change["earliest"] = earliest
    change["latest"] = latest
    change["before"] = before
    change["after"] = after


def read_changes(changes: Records, count: int) -> list[Change]:
    """Return the latest of ``count`` changes that were kept, in order.

    Examples
    --------
    >>> changes = np.zeros(2, CHANGE)
    >>> for number in range(3):
    ...     note_change(changes, number, 10 * number, 10 * number - 3, UNDATED, UNDATED, 0, 1)
    >>> [change.noticed for change in read_changes(changes, 3)]
    [10, 20]
    """
    kept = len(changes)
    rows = [changes[number % kept] for number in range(max(0, count - kept), count)]
    return [_read_change(*row.item()) for row in rows]


def _read_change(
    noticed: int, around: int, earliest: int, latest: int, before: int, after: int
) -> Change:
    if earliest == UNDATED:
        return Change(noticed, around, before, after)
    return Change(noticed, around, before, after, earliest, latest)
