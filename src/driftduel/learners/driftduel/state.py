"""The state of DRIFTDUEL: what is known of pairs and arms, what looks odd, what is planned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftduel.learners.contract.ranges import (
    AN_ARM,
    AN_ARM_OR_NONE,
    CHANCE,
    COUNT,
    FIXED,
    FLAG,
    LARGEST,
    NUMBER,
    Known,
    Ranges,
    arms_first,
    equal_to,
    is_listed,
    real,
    such_that,
    whole,
)
from driftduel.learners.driftduel.constants import RULE
from driftduel.learners.parts.arrays import NEVER, Flags, Floats, Ints, Records
from driftduel.learners.parts.dates import TIMELINE_RANGES, Timeline, no_timeline
from driftduel.learners.parts.journal import (
    CHANGE,
    CHANGE_RANGES,
    JOURNAL_RANGES,
    Journal,
    no_journal,
)
from driftduel.learners.parts.reference import REFERENCE_RANGES, Reference
from driftduel.learners.parts.replays import REPLAY_RANGES, Replays, no_replays
from driftduel.learners.parts.tally import TALLY_RANGES, Tally, no_tally

Ticket = tuple[float, float]
"""The propensity, and whose toss the duel is."""

LEFT, RIGHT, BOTH, NOBODY = 1.0, -1.0, 2.0, 0.0
"""Whose toss a duel is: the arm's whose opponent was drawn from the reference weight."""

CLOCK = np.dtype(
    [
        ("round", "i8"),
        ("wake", "i8"),  # the round at which the plan is made again, whatever happens
        ("episode", "i8"),  # when it began
        ("changed", "i8"),  # the last round at which the last proved change may have been
        ("restarts", "i8"),  # proved changes
        ("shifts", "i8"),  # likely changes
        ("alarms", "i8"),  # since the episode began
        ("alarmed", "i8"),  # the round of the last alarm
        ("leader", "i8"),
        ("led", "i8"),  # since when
        ("strongest", "i8"),  # the arm that seems to beat all others
        ("by_scores", "i8"),  # 1 if the leader leads by its score and is not the strongest
        ("by_scores_since", "i8"),
        ("settled", "i8"),  # 1 if nobody challenged this leader at some time
        ("duels", "i8"),  # of two arms
        ("weighed", "i8"),  # the number of duels when their consequences were last drawn
        ("due", "i8"),  # the number of duels at which they are drawn next
        ("exact", "i8"),  # the number of duels when the evidence was last summed again
        ("replay_start", "i8"),
        ("replay_end", "i8"),
        ("n_active", "i8"),
    ],
    align=True,
)

SURPRISE = np.dtype(
    [
        ("generation", "i8"),  # counts how often ``any`` was 0
        ("any", "f8"),  # of all pairs: young duels against older ones
        ("level", "f8"),  # of the leader's pairs: even from now on
        ("turned", "f8"),  # of the leader's pairs: the other way round from now on
        ("n", "f8"),  # the leader's tosses since it leads or since the alarm, and their sum
        ("sum", "f8"),
        ("old_n", "f8"),  # the same when ``any`` was 0
        ("old_sum", "f8"),
    ],
    align=True,
)

TRIAL = np.dtype(
    [
        ("on", "i8"),
        ("accused", "i8"),  # who led before
        ("counted", "i8"),  # 1 if the change was counted as likely
        ("failed", "i8"),  # trials without a verdict since the last proof
        ("budget", "f8"),  # tosses it may cost; 0 while nobody else leads
        ("spent", "f8"),
        ("pairs", "f8"),  # log of the Bayes factor of the pairs
        ("n0", "f8"),  # tosses of the accused before and since, and their sums
        ("sum0", "f8"),
        ("n1", "f8"),
        ("sum1", "f8"),
    ],
    align=True,
)

PLAN = np.dtype(
    [
        ("total", "f8"),  # the chance of a duel of two arms: the sum of those below
        ("trial", "f8"),  # the accused against the reference
        ("look", "f8"),  # the leader against the reference
        ("audit", "f8"),  # an arm whose score is in doubt against the reference
        ("background", "f8"),  # any arm against the reference
        ("extra", "f8"),  # the leader against an arm of which duels look odd
        ("challenge", "f8"),  # the leader against the challenger
        ("retest", "f8"),  # a contested arm against who beat it most clearly, or the reference
        ("rise", "f8"),  # an arm of which tosses look oddly good against the reference
        ("extras", "f8"),  # the sum of the weights of extra duels
        ("rises", "f8"),  # the same of tosses for arms that seem to rise
        ("challenger", "i8"),  # -1 for none
        ("contested", "i8"),  # -1 for none
        ("blocker", "i8"),  # who beat the contested arm most clearly, -1 for none
        ("audited", "i8"),
        ("witness", "i8"),  # 1 if half the looks are the strongest arm's
    ],
    align=True,
)

ARM = np.dtype(
    [
        ("against", "f8"),  # evidence that others beat it
        ("behind", "i8"),  # how many others won more often, and how many lost
        ("ahead", "i8"),
        ("recent", "f8"),  # recent duels, fading, and how many were won
        ("recent_wins", "f8"),
        ("n", "f8"),  # tosses and their sum
        ("sum", "f8"),
        ("score", "f8"),
        ("variance", "f8"),
        ("surprise", "f8"),  # of its duels with the leader
        ("extra", "f8"),  # the weight of an extra duel with the leader
        ("met", "f8"),  # recent duels with the leader, fading, and how many were lost
        ("met_lost", "f8"),
        ("rise", "f8"),  # of its tosses: as good as the leader's from now on
        ("leap", "f8"),  # of its tosses: half way from there to certain wins
        ("again", "f8"),  # the weight of a toss for it because of that
        ("risen", "i8"),  # 1 if it rose clearly and no trial has heard of it
        ("calm_n", "f8"),  # its tosses, and their sum, when nothing was odd about them
        ("calm_sum", "f8"),
        ("odd_n", "f8"),  # those since
        ("odd_sum", "f8"),
        ("stale", "i8"),  # 1 if its score is not up to date
        ("noted", "i8"),  # the alarm or start after which its eviction was last noted, or -1
        ("back", "i8"),  # the same of the last eviction whose end was noted
    ],
    align=True,
)

KINDS = ("trial", "look", "audit", "background", "extra", "challenge", "retest", "rise")
"""Kinds of duels of two arms."""

LEVELS = 40
"""Replays of up to 2^40 rounds."""

MOST_CHANGES = 64
"""So many of the latest proved changes are remembered with their circumstances."""


class DriftDuelState(NamedTuple):
    """The arrays; wins are those of the row over the column, ties are counted apart."""

    clock: Records  # (1,) CLOCK
    rule: Records  # (1,) RULE
    surprise: Records  # (1,) SURPRISE
    trial: Records  # (1,) TRIAL
    plan: Records  # (1,) PLAN
    arms: Records  # (K,) ARM
    wins: Floats  # (K, K) what is known
    ties: Floats  # (K, K) symmetric
    young_ties: Floats  # (K, K) as young wins
    young: Floats  # (K, K) those since ``surprise.any`` was 0, if the generation is the present one
    generation: Ints  # (K, K)
    before: Floats  # (K, K) wins before the moment that the trial is about, and since
    since: Floats  # (K, K)
    active: Ints  # (K,) the arms that may be best first, in order
    is_active: Flags  # (K,)
    reference: Reference  # the known weights
    timeline: Timeline  # tosses over time
    changes: Records  # (M,) CHANGE, the latest proved changes in a ring
    replays: Replays
    journal: Journal
    tally: Tally  # what reports tell


_ROUND = whole(0, "clock.round")
_AMOUNT = real(0, LARGEST)
_SHARE = real(0, 1 + 1e-9)
_WINS = such_that(
    "numbers of wins", lambda values, known: (values >= 0) & (values <= known.told + 1e-6)
)


def _total(known: Known) -> float:
    plan = known.state.plan[0]
    return float(sum(plan[kind] for kind in KINDS))


STATE_RANGES: Ranges = {
    "rule": dict.fromkeys(RULE.names or (), FIXED),
    "reference": REFERENCE_RANGES,
    "replays": REPLAY_RANGES,
    "journal": JOURNAL_RANGES,
    "tally": TALLY_RANGES,
    "changes": CHANGE_RANGES,
    "timeline": TIMELINE_RANGES,
    "clock": {
        "round": COUNT,
        "wake": whole(0, NEVER),
        **dict.fromkeys(
            ("episode", "changed", "alarmed", "led", "by_scores_since", "replay_start"), _ROUND
        ),
        **dict.fromkeys(("restarts", "shifts", "alarms", "duels"), COUNT),
        **dict.fromkeys(("leader", "strongest"), AN_ARM),
        **dict.fromkeys(("by_scores", "settled"), FLAG),
        "exact": whole(0, "clock.duels"),
        "weighed": whole(0, "clock.duels"),
        "due": whole(0, lambda known: known.told + known.n_arms),
        "replay_end": whole(0, lambda known: known.told + (2 << LEVELS)),
        "n_active": whole(1, "arms"),
    },
    "surprise": {
        "generation": whole(0, NEVER),
        **dict.fromkeys((SURPRISE.names or ())[1:], _AMOUNT),
    },
    "trial": {
        "on": FLAG,
        "accused": AN_ARM,
        "counted": FLAG,
        "failed": COUNT,
        **dict.fromkeys((TRIAL.names or ())[4:], _AMOUNT),
        "pairs": NUMBER,
    },
    "plan": {
        **dict.fromkeys(KINDS, _SHARE),
        **dict.fromkeys(("extras", "rises"), _AMOUNT),
        **dict.fromkeys(("challenger", "contested", "blocker"), AN_ARM_OR_NONE),
        "audited": AN_ARM,
        "witness": FLAG,
    },
    "plan.total": equal_to("the sum of the chances", _total),
    "arms": {
        **{name: _AMOUNT for name in ARM.names or () if ARM[name] == np.float64},
        "against": NUMBER,
        **dict.fromkeys(("behind", "ahead"), whole(0, "arms")),
        "score": NUMBER,
        **dict.fromkeys(("stale", "risen"), FLAG),
        "noted": whole(-1, "clock.round"),
        "back": whole(-1, "clock.round"),
    },
    "wins": _WINS,
    "ties": _WINS,
    "young_ties": _WINS,
    "young": _WINS,
    "generation": whole(0, NEVER),
    "before": _WINS,
    "since": _WINS,
    "active": arms_first("clock.n_active"),
    "is_active": equal_to(
        "whether the arm is active", lambda known: is_listed(known, "active", "clock.n_active")
    ),
}
STATE_TICKET = (CHANCE, whole(RIGHT, BOTH))


def start_state(rule: Records, reference: Reference) -> DriftDuelState:
    """Return the state before the first round; nothing is drawn yet."""
    n_arms = reference.mix.shape[1]
    clock = np.zeros(1, CLOCK)
    clock["n_active"] = n_arms
    surprise = np.zeros(1, SURPRISE)
    surprise["generation"] = 1
    arms = np.zeros(n_arms, ARM)
    arms["noted"] = -1
    arms["back"] = -1
    table = (n_arms, n_arms)
    return DriftDuelState(
        clock=clock,
        rule=rule,
        surprise=surprise,
        trial=np.zeros(1, TRIAL),
        plan=np.zeros(1, PLAN),
        arms=arms,
        wins=np.zeros(table),
        ties=np.zeros(table),
        young_ties=np.zeros(table),
        young=np.zeros(table),
        generation=np.zeros(table, np.int64),
        before=np.zeros(table),
        since=np.zeros(table),
        active=np.arange(n_arms),
        is_active=np.ones(n_arms, np.bool_),
        reference=reference,
        timeline=no_timeline(n_arms),
        changes=np.zeros(MOST_CHANGES, CHANGE),
        replays=no_replays(LEVELS, float(rule["replay_rate"][0]), -1 / 3, -2 / 3, grows=True),
        journal=no_journal(n_arms),
        tally=no_tally(n_arms, of_pairs=rule["scored"][0] == 0),
    )
