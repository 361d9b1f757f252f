"""METABOSSE with arms that come and go.

Who joins restarts the clock: replays end, exploring and tests restart with this round and all
arms, but arms that were evicted stay out. So a join costs at most what one more phase does. Who
leaves is forgotten, and the rest goes on: the exploration rate is that of fewer arms, and intervals
in which it was on offer are not tested any more, for their estimates are about other weights or
were held against other thresholds. If everyone else was evicted, an episode begins.
"""

from __future__ import annotations

import math
from copy import deepcopy

import numpy as np

from driftduel.learners.paper.meta import (
    begin_episode,
    nobody_is_global,
    set_active,
    set_rate,
    set_wake,
)
from driftduel.learners.paper.state import EpisodicState
from driftduel.learners.parts.arms import carry_rows
from driftduel.learners.parts.arrays import Ints
from driftduel.learners.parts.journal import note_activation


def carry_state(
    old: EpisodicState, fresh: EpisodicState, kept: Ints, rng: np.random.Generator
) -> None:
    """Fill the state just allocated for the arms on offer now."""
    start_clock(old, fresh)
    if (kept < 0).any() or old.clock["round"] == old.clock["episode"]:
        restart_clock(old, fresh, kept, rng)
    else:
        go_on(old, fresh, kept, rng)


def start_clock(old: EpisodicState, fresh: EpisodicState) -> None:
    """Let rounds go on, and what depends on them alone."""
    clock, rule = fresh.clock[0], fresh.rule[0]
    clock["round"] = old.clock[0]["round"]
    clock["version"] = old.clock[0]["version"]
    fresh.reference.turn[:] = old.reference.turn
    if rule["anytime"]:
        clock["scale"] = rule["constant"] * math.log(max(clock["round"], rule["least"]))


def restart_clock(
    old: EpisodicState, fresh: EpisodicState, kept: Ints, rng: np.random.Generator
) -> None:
    """Restart with all arms but those evicted."""
    clock = fresh.clock[0]
    now = int(clock["round"])
    just_restarted = now == old.clock[0]["episode"]
    begin_episode(fresh, deepcopy(rng) if just_restarted else rng)
    if just_restarted:  # the schedule that was drawn then holds
        for new_part, old_part in zip(fresh.replays, old.replays, strict=True):
            new_part[:] = old_part
    fresh.journal.written[0] = 0  # no episode: nothing was found to have changed
    evicted = np.zeros(len(kept), np.bool_)
    carry_rows(old.arms["evidence"] >= old.clock[0]["episode"], evicted, kept)
    fresh.arms["evidence"][evicted] = now
    set_active(fresh)
    out = np.zeros(len(kept), np.bool_)
    carry_rows(old.arms["out"] > 0, out, kept)
    fresh.arms["out"] = out & evicted
    for arm in np.flatnonzero(out & ~evicted).tolist():
        note_activation(fresh.journal, now, arm)
    _carry_lead(old, fresh, kept)
    if len(fresh.base_sums):
        fresh.base_sums[0] = fresh.sums
    if len(fresh.level_sums):
        fresh.level_sums[:, 0] = fresh.sums
    if len(fresh.past_sums):
        fresh.past_sums[now] = fresh.sums
    set_rate(fresh)
    set_wake(fresh)


def _carry_lead(old: EpisodicState, fresh: EpisodicState, kept: Ints) -> None:
    """Let who was ahead be so by a hair; sums restart, so that a new arm may be ahead soon."""
    known = (kept >= 0) & (fresh.arms["evidence"] < 0)
    if known.any():
        worst = np.full(len(kept), -np.inf)
        carry_rows(old.sums.min(axis=0), worst, kept)
        ahead = np.argmax(np.where(known, worst, -np.inf))
        fresh.sums[:, np.arange(len(kept)) != ahead] = -1.0


def go_on(old: EpisodicState, fresh: EpisodicState, kept: Ints, rng: np.random.Generator) -> None:
    """Take along all that is known of the arms that stay."""
    clock = fresh.clock[0]
    now = clock["round"]
    for name in ("inverse_sum", "inverse_max", "tick_max", "episode", "depth"):
        clock[name] = old.clock[0][name]
    for name in ("evidence", "since", "statistic", "threshold", "out"):
        fresh.arms[name] = old.arms[name][kept]
    fresh.arms["absent"] = now
    fresh.is_active[:] = old.is_active[kept]
    fresh.bases[:] = old.bases
    pairs = 1 if len(old.sums) == 1 else 2
    for part in ("sums", "base_sums", "past_sums"):
        carry_rows(getattr(old, part), getattr(fresh, part), kept, pairs)
    fresh.past[:] = old.past
    for new_part, old_part in zip(fresh.replays, old.replays, strict=True):
        new_part[:] = old_part
    if nobody_is_global(fresh):
        begin_episode(fresh, rng)
        return
    set_active(fresh)
    set_rate(fresh)
    set_wake(fresh)
