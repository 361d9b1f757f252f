"""DRIFTDUEL with arms that come and go.

What is known of the arms that stay is taken along. If weights follow the arms on offer, tosses so
far were about other scores, as when a known weight changes. Who joins has no duels and is active.
If the leader leaves, the next best leads, and nobody is accused. In both cases the learner is at
most as old as it is when it becomes patient, so that duels are as frequent as they were at first.
"""

from __future__ import annotations

import numpy as np

from driftduel.learners.driftduel.knowledge import (
    evidence_against,
    find_leader,
    score_all,
    sum_evidence,
)
from driftduel.learners.driftduel.plan import list_active, make_plan
from driftduel.learners.driftduel.rounds import forget_scores
from driftduel.learners.driftduel.state import DriftDuelState
from driftduel.learners.driftduel.surprise import watch_anew
from driftduel.learners.parts.arms import carry_rows
from driftduel.learners.parts.arrays import Ints


def carry_state(
    old: DriftDuelState,
    fresh: DriftDuelState,
    kept: Ints,
    rng: np.random.Generator,
    *,
    weights_changed: bool,
) -> None:
    """Fill the state just allocated for the arms on offer now."""
    clock = fresh.clock[0]
    for part in ("clock", "surprise", "trial"):
        getattr(fresh, part)[:] = getattr(old, part)
    clock["restarts"] = 0  # those so far are history
    _carry_arms(old, fresh, kept)
    _carry_rest(old, fresh, kept)
    if weights_changed:
        forget_scores(fresh)
    if not old.trial[0]["on"] or old.trial[0]["accused"] not in kept:
        fresh.trial["on"] = 0
        fresh.trial["accused"] = 0
    else:
        fresh.trial["accused"] = np.flatnonzero(kept == old.trial[0]["accused"])[0]
    sum_evidence(fresh)
    score_all(fresh)
    _carry_leader(old, fresh, kept)
    if (kept < 0).any() or old.clock[0]["leader"] not in kept:
        stay_young(fresh)
    # Until duels are summed again, there is as much evidence against new arms as against the
    # strongest: nobody is taken for the best before a duel.
    fresh.arms["against"][kept < 0] = evidence_against(fresh, clock["strongest"])
    list_active(fresh)
    make_plan(fresh, rng)


def stay_young(state: DriftDuelState) -> None:
    """Be at most as old as when arms are first met less often."""
    clock = state.clock[0]
    patience = int(state.rule[0]["patience"] * state.arms.shape[0])
    clock["alarmed"] = max(clock["alarmed"], clock["round"] - patience)
    clock["settled"] = 0


def _carry_arms(old: DriftDuelState, fresh: DriftDuelState, kept: Ints) -> None:
    carry_rows(old.arms, fresh.arms, kept)
    for part in ("wins", "ties", "young", "young_ties", "generation", "before", "since"):
        carry_rows(getattr(old, part), getattr(fresh, part), kept, axes=2)
    carry_rows(old.is_active, fresh.is_active, kept)


def _carry_rest(old: DriftDuelState, fresh: DriftDuelState, kept: Ints) -> None:
    fresh.reference.turn[:] = old.reference.turn
    fresh.timeline.clock[:] = old.timeline.clock
    fresh.timeline.buckets[:] = old.timeline.buckets
    carry_rows(old.timeline.tosses, fresh.timeline.tosses, kept)
    for new_part, old_part in zip(fresh.replays, old.replays, strict=True):
        new_part[:] = old_part


def _carry_leader(old: DriftDuelState, fresh: DriftDuelState, kept: Ints) -> None:
    """Let the leader go on, or find the next best among the arms that stay."""
    clock = fresh.clock[0]
    stay = np.flatnonzero(kept >= 0)
    if clock["strongest"] in kept:
        clock["strongest"] = np.flatnonzero(kept == clock["strongest"])[0]
    else:
        records = fresh.arms[stay]
        rates = (records["recent_wins"] + 1.0) / (records["recent"] + 2.0)
        against = np.array([evidence_against(fresh, int(arm)) for arm in stay])
        clock["strongest"] = stay[np.lexsort((-rates, against))[0]]
    if clock["leader"] in kept:
        clock["leader"] = np.flatnonzero(kept == clock["leader"])[0]
        if clock["by_scores"] and clock["leader"] == clock["strongest"]:
            clock["by_scores"] = 0
            clock["by_scores_since"] = 0
        elif not clock["by_scores"]:
            clock["strongest"] = clock["leader"]
        return
    clock["by_scores"] = 0
    clock["by_scores_since"] = 0
    clock["leader"] = clock["strongest"]
    find_leader(fresh)
    watch_anew(fresh)
    clock["settled"] = 0
    clock["led"] = clock["round"]
