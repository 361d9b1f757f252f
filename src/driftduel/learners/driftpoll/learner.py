"""DriftPoll: who is best now, from votes on pairs, when that may change and nobody says when.

What is believed of arms is in `driftduel.learners.driftpoll.bank`, whether that explains every
pair in `driftduel.learners.driftpoll.guard`, when a change is declared in
`driftduel.learners.driftpoll.changes`, and what is asked in
`driftduel.learners.driftpoll.questions`. Here votes are taken in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.offer import changes_of
from driftduel.learners.contract.report import Change, Report
from driftduel.learners.driftpoll.bank import (
    PRIOR,
    believable,
    chance_to_win,
    credit_hazards,
    forgive_hazards,
    no_votes,
    sum_up,
    update_arm,
)
from driftduel.learners.driftpoll.carry import carry_bank, carry_guard, carry_known
from driftduel.learners.driftpoll.chances import chances_to_be_best, sureness
from driftduel.learners.driftpoll.changes import (
    EVERY,
    chance_of_change,
    date,
    look_for_change,
    nothing_declared,
)
from driftduel.learners.driftpoll.guard import (
    chance_of,
    guard_pair,
    no_suspicion,
    surplus,
)
from driftduel.learners.driftpoll.questions import (
    choose,
    draw_all,
    set_plan,
)
from driftduel.learners.driftpoll.state import (
    ANY,
    CLOCK,
    DISCOUNTS,
    KEPT,
    LEAST_PRIOR,
    LEAST_SPREAD,
    MOST_PRIOR,
    PLAN,
    POLL_RANGES,
    POLL_TICKET,
    PRIOR_PACE,
    SPREAD_MOST,
    SPREAD_START,
    PollState,
    Ticket,
)
from driftduel.learners.parts.arrays import Floats, Ints
from driftduel.learners.parts.findings import counts_of, findings
from driftduel.learners.parts.journal import journal_full, read_changes, read_journal
from driftduel.learners.parts.tally import (
    count_anew,
    count_vote,
    go_on_counting,
    no_tally,
    note_leader,
)
from driftduel.matrix.criteria import Borda
from driftduel.votes.proof.counts import Counts

RULES = 2
"""The newest version of what is asked and of how sure it says to be."""

PERHAPS = 0.5
"""How likely a change is that is mentioned before it is declared."""

DRAWS = 4000
"""Draws for the chances to be best, by which these are known to 1 %."""


@kernel
def learn(state: PollState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Take in a vote; an arm against itself says nothing."""
    round_ = state.clock[0]["round"]
    state.clock[0]["round"] = round_ + 1
    if left == right:
        return False
    # Trust is below 1, so what counts in full had an opponent drawn at random.
    _, left_weight, right_weight = ticket
    count_vote(state.tally, left, right, outcome, left_weight == 1.0, right_weight == 1.0)
    if state.plan.shape[0] == 2:
        learn_difference(state, outcome if left == 0 else 1.0 - outcome, round_)
    else:
        learn_strengths(state, left, right, ticket, outcome, round_)
    forgive_hazards(state.bank)
    if state.plan.shape[0] == 2:
        sum_up(state.bank, 0)
    else:
        sum_up(state.bank, left)
        sum_up(state.bank, right)
    return True


@inline_kernel
def spread_of(state: PollState) -> float:
    """Return how many times the variance of a coin that of an outcome is."""
    clock = state.clock[0]
    return max(LEAST_SPREAD, clock["squares"] / clock["votes"])


@inline_kernel
def note_error(state: PollState, outcome: float, chance: float) -> None:
    """Keep how much an outcome differed from its chance."""
    clock = state.clock[0]
    error = outcome - chance
    clock["squares"] += error * error / (chance * (1.0 - chance))
    clock["votes"] += 1.0
    if clock["votes"] > SPREAD_MOST:
        clock["squares"] *= 0.5
        clock["votes"] *= 0.5


@kernel
def learn_difference(state: PollState, outcome: float, round_: int) -> None:
    """Take in a vote on the only two arms."""
    spread = spread_of(state)
    note_error(state, outcome, chance_to_win(state.bank.arms[0]["mean"]))
    prior = 2.0 * state.clock[0]["prior"]
    update_arm(state.bank, 0, round_, 1, outcome, 0.0, 0.0, spread, 1.0, prior)
    credit_hazards(state.bank, True)


@kernel
def learn_strengths(
    state: PollState, left: int, right: int, ticket: Ticket, outcome: float, round_: int
) -> None:
    """Take in a vote on two of more arms."""
    arms = state.bank.arms
    _, left_weight, right_weight = ticket
    left_mean, left_variance = arms[left]["mean"], arms[left]["variance"]
    right_mean, right_variance = arms[right]["mean"], arms[right]["variance"]
    spread = spread_of(state)
    lead = left_mean - right_mean
    more = surplus(state.guard, left, right) * chance_of(state.guard.odds[0])
    guard_pair(state.guard, left, right, outcome, lead, spread)
    note_error(state, outcome, believable(chance_to_win(lead) + more))
    prior = state.clock[0]["prior"]
    update_arm(
        state.bank,
        left,
        round_,
        round_ - arms[left]["last"],
        outcome,
        right_mean,
        right_variance,
        spread,
        left_weight,
        prior,
    )
    credit_hazards(state.bank, False)
    update_arm(
        state.bank,
        right,
        round_,
        round_ - arms[right]["last"],
        1.0 - outcome,
        left_mean,
        left_variance,
        spread,
        right_weight,
        prior,
    )
    credit_hazards(state.bank, False)


@kernel
def settle(state: PollState, rng: np.random.Generator) -> None:
    """After a vote: who leads, was there a change, and what to ask next."""
    clock = state.clock[0]
    set_prior(state)
    set_leader(state)
    note_leader(state.tally, clock["leader"], clock["round"])
    if clock["round"] % EVERY == 0:
        changes = state.declared.counted[0]
        look_for_change(state.declared, state.bank, clock["round"] - 1)
        if state.declared.counted[0] > changes:
            count_anew(state.tally, clock["round"])
    if state.plan.shape[0] > 2:
        draw_all(state, rng)
        set_plan(state)


@inline_kernel
def set_prior(state: PollState) -> None:
    """Let the variance of strengths follow what is believed of the arms."""
    arms = state.bank.arms
    n_arms = state.plan.shape[0]
    mean = 0.0
    square = 0.0
    if n_arms == 2:
        square = 0.5 * (arms[0]["mean"] * arms[0]["mean"] + arms[0]["variance"])
    else:
        for arm in range(n_arms):
            mean += arms[arm]["mean"]
            square += arms[arm]["mean"] * arms[arm]["mean"] + arms[arm]["variance"]
        mean /= n_arms
        square = square / n_arms - mean * mean
    clock = state.clock[0]
    square = min(MOST_PRIOR, max(LEAST_PRIOR, square))
    clock["prior"] += PRIOR_PACE * (square - clock["prior"])


@inline_kernel
def set_leader(state: PollState) -> None:
    """Find the arm with the best standing."""
    arms = state.bank.arms
    leader = 0
    for arm in range(state.plan.shape[0]):
        if arms[arm]["standing"] > arms[leader]["standing"]:
            leader = arm
    clock = state.clock[0]
    if leader != clock["leader"]:
        clock["leader"] = leader
        clock["led"] = clock["round"]


@inline_kernel
def full(state: PollState) -> bool:
    """Tell whether the journal must be read before the next round."""
    return journal_full(state.declared.journal, 1)


@dataclass(frozen=True, eq=False)
class DriftPoll(Learner):
    """For polls: every question shows two different arms, and everybody votes.

    Told nothing, it finds who is best now, by the Borda score against the others, and notices that
    this changed. It is no learner for serving the best arm: regret is not what it minds.

    Parameters
    ----------
    rules : int, optional
        The version of what is asked and how sure it says to be; polls made by an earlier one, of
        which files and arenas tell, go on by theirs.

    References
    ----------
    Ours, of known parts: run lengths after Adams & MacKay, Bayesian Online Changepoint Detection,
    2007, with hazards that are learned; the two arms of a question as in top-two Thompson sampling
    (Russo, Simple Bayesian Algorithms for Best Arm Identification, COLT 2016). Nothing is proved.
    Propensities are exact. A vote costs O(K), and the state takes 36 K^2 bytes.

    Examples
    --------
    >>> poll = DriftPoll(3, seed=1, labels=["tea", "coffee", "milk"])
    >>> for n in range(600):
    ...     duel = poll.ask()
    ...     best = 0 if n < 300 else 2
    ...     poll.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> poll.best(), poll.probabilities.argmax().item()
    ('milk', 2)
    >>> [(change.before, change.after) for change in poll.changes]
    [(0, 2)]
    """

    rules: int = bounded(RULES, least=1, most=RULES)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="ours; after Adams & MacKay, 2007, and Russo, COLT 2016",
        bound="none proved",
        needs="nothing",
        cost="O(K)",
    )
    _criteria = (Borda,)
    can_change_arms = True
    _noop_ticket = (1.0, 1.0, 1.0)

    _ranges = POLL_RANGES
    _ticket = POLL_TICKET
    _choose = staticmethod(choose)
    _learn = staticmethod(learn)
    _settle = staticmethod(settle)
    _full = staticmethod(full)

    def _allocate(self) -> PollState:
        """Return the state before the first vote: all arms are alike."""
        clock = np.zeros(1, CLOCK)
        clock["any"] = 1.0
        clock["prior"] = PRIOR
        clock["squares"] = SPREAD_START
        clock["votes"] = SPREAD_START
        draws = np.zeros((KEPT, 2), np.int64)
        draws[:, 1] = 1
        return PollState(
            clock,
            no_votes(self.n_arms),
            no_suspicion(self.n_arms),
            nothing_declared(self.n_arms),
            draws,
            np.zeros(self.n_arms, PLAN),
            no_tally(self.n_arms),
            np.full(1, DISCOUNTS[self.rules]),
        )

    def _carry(self, state: PollState, kept: Ints, rng: np.random.Generator) -> PollState:
        """Go on with what is known of the arms that stay; a new one may be anything."""
        fresh = self._allocate()
        before, clock = state.clock[0], fresh.clock[0]
        for name in ("round", "prior", "squares", "votes"):
            clock[name] = before[name]
        carry_bank(state.bank, fresh.bank, kept, int(clock["round"]), float(clock["prior"]))
        carry_guard(state.guard, fresh.guard, kept)
        carry_known(state.declared, fresh.declared, kept)
        set_leader(fresh)
        goes_on = kept[clock["leader"]] == before["leader"]
        clock["led"] = before["led" if goes_on else "round"]
        if self.n_arms > 2:
            for _ in range(min(KEPT, int(clock["round"]))):
                draw_all(fresh, rng)
            set_plan(fresh)
        go_on_counting(state.tally, fresh.tally, int(clock["round"]))
        note_leader(fresh.tally, int(clock["leader"]), int(clock["led"]))
        return fresh

    def _counts_of(
        self, state: PollState, kept: Counts | None, arms: Sequence[int], n_arms: int, told: int
    ) -> Counts:
        """Return all votes since the world last changed."""
        return counts_of(kept, state.tally, arms, n_arms, told)

    def _best_of(self, state: PollState) -> int:
        """Return the arm with the best standing."""
        return int(state.clock[0]["leader"])

    def _vote_chance_of(self, state: PollState) -> float:
        """Return 1: all duels are votes."""
        return 1.0

    def _collect(self, state: PollState, history: History) -> None:
        """Move what the journal holds into the history."""
        read_journal(state.declared.journal, history)

    def _probabilities_of(self, state: PollState) -> Floats:
        """Return how likely each arm is the best in this state."""
        round_, prior = int(state.clock[0]["round"]), float(state.clock[0]["prior"])
        # Whoever looks twice sees the same.
        rng = np.random.default_rng(round_)
        corrected = sureness(self.rules, self.n_arms)
        return chances_to_be_best(state.bank, round_, prior, rng, DRAWS, corrected)

    def _changes_of(self, state: PollState) -> list[Change]:
        """Return the latest changes declared up to this state."""
        return read_changes(state.declared.changes, int(state.declared.counted[0]))

    @property
    def rarest(self) -> float:
        """What the propensity of no ordered pair of arms on offer is ever below.

        Examples
        --------
        >>> round(DriftPoll(4).rarest, 5)
        0.00833
        """
        n_arms = self.n_arms
        return 0.5 if n_arms == 2 else ANY / (n_arms * (n_arms - 1))

    @property
    def probabilities(self) -> Floats:
        """How likely each arm is the best now; they sum to 1, and that of one that left is 0."""
        session = self._session
        with session.lock:
            chances = np.zeros(self.n_arms)
            chances[self.offered] = self._player._probabilities_of(session.state)
            return chances

    @property
    def changes(self) -> list[Change]:
        """The changes declared so far: the latest 64 of them, and those before arms changed."""
        session = self._session
        with session.lock:
            return changes_of(session, self)

    def _doubt_of(self, state: PollState) -> int | None:
        """Return the vote around which the lead may have changed hands, if that is not proved."""
        leads = state.tally.leads[0]
        old, new, since = (int(leads[name]) for name in ("before", "leader", "before_led"))
        declared = self._changes_of(state)
        if old < 0 or (declared and declared[-1].noticed >= leads["led"]):
            return None
        if chance_of_change(state.bank, old, new, since) <= PERHAPS:
            return None
        return int(date(state.bank, old, new, since)[0])

    def report(self) -> Report:
        """Return who is best now, since when and how likely, and what changed; print it to read.

        Examples
        --------
        >>> poll = DriftPoll(3, seed=1, labels=["tea", "coffee", "milk"])
        >>> for n in range(400):
        ...     duel = poll.ask()
        ...     poll.tell(duel, "left" if duel.left < duel.right else "right")
        >>> print(poll.report())
        tea is best on average since the first vote.
          tea: wins 100% (...
        ...
        """
        session = self._session
        with session.lock:
            state, arms = session.state, session.offered(self)
            leader = int(state.clock[0]["leader"])
            kept = session.history.counts
            counts = self._counts_of(state, kept, arms, self.n_arms, session.told)
            return replace(
                super().report(),
                unit="vote",
                since=int(state.clock[0]["led"]),
                probabilities=tuple(self.probabilities.tolist()),
                changes=tuple(self.changes),
                doubt=self._player._doubt_of(state),
                **findings(counts, state.tally, arms, leader),
            )
