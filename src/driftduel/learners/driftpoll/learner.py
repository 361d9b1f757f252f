"""DriftPoll: who is best now, from votes on pairs, when that may change and nobody says when.

What is believed of arms is in `driftduel.learners.driftpoll.bank`, whether that explains every
pair in `driftduel.learners.driftpoll.guard`, and when a change is declared in
`driftduel.learners.driftpoll.changes`. Here is what is asked. Three kinds of question:

- *any*: a uniformly random pair, now and then, more often the less strengths explain;
- *direct*: the best arm against a challenger;
- *scouting*: the one of these two whose strength is less known against a random arm.

After each vote all strengths are drawn once from what is believed (Thompson, Biometrika 1933). The
two strongest are kept for the last `KEPT` votes; the challenger is the strongest arm but the best
one in one of these draws. So what is asked is a function of what was told and a few coins, and the
chance of each pair is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.offer import changes_of
from driftduel.learners.contract.ranges import (
    AN_ARM,
    CHANCE,
    COUNT,
    Known,
    Ranges,
    equal_to,
    real,
    such_that,
    whole,
)
from driftduel.learners.contract.report import Change, Report
from driftduel.learners.driftpoll.bank import (
    BANK_RANGES,
    PRIOR,
    Bank,
    believable,
    chance_to_win,
    chances_to_be_best,
    credit_hazards,
    draw_strength,
    forgive_hazards,
    no_votes,
    sum_up,
    update_arm,
)
from driftduel.learners.driftpoll.carry import carry_bank, carry_guard, carry_known
from driftduel.learners.driftpoll.changes import (
    DECLARED_RANGES,
    EVERY,
    Declared,
    chance_of_change,
    date,
    look_for_change,
    nothing_declared,
)
from driftduel.learners.driftpoll.guard import (
    GUARD_RANGES,
    Guard,
    chance_of,
    guard_pair,
    no_suspicion,
    surplus,
    trust,
)
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.journal import journal_full, read_changes, read_journal
from driftduel.learners.parts.tally import (
    TALLY_RANGES,
    Tally,
    count_anew,
    count_toss,
    findings,
    no_tally,
    note_leader,
)
from driftduel.matrix.criteria import Borda

Ticket = tuple[float, float, float]

ANY = 0.1
"""The least share of questions with a uniformly random pair."""

MANY = 8.0
"""With more arms than this, suspicion alone never makes all pairs random."""

DIRECT = 0.5
"""The share of direct duels among the other questions, if strengths explain them and arms are many.

With few arms a random opponent is often the other of the two anyway, and says more if strengths do
not explain all pairs."""

KEPT = 8
"""How many draws of all strengths are kept: more would be stale by the time they are used."""

PERHAPS = 0.5
"""How likely a change is that is mentioned before it is declared."""

DRAWS = 4000
"""Draws for the chances to be best, by which these are known to 1 %."""

LEAST_PRIOR, MOST_PRIOR, PRIOR_PACE = 0.0036, 0.25, 0.002
"""Bounds of the variance of strengths, and how quickly it follows those of the arms."""

SPREAD_START, SPREAD_MOST = 20.0, 2000.0
"""Votes by which outcomes spread like coins at first, and after how many half are forgotten."""

LEAST_SPREAD, WIDEST = 0.05, 33.0
"""Ties make outcomes spread less than coins do, but not less than this; and never more."""

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("leader", "i8"),  # who is best
        ("led", "i8"),  # since which round
        ("drawn", "i8"),  # draws of all strengths so far
        ("any", "f8"),  # the chance to ask a uniformly random pair
        ("prior", "f8"),  # the variance of strengths
        ("squares", "f8"),  # summed squared errors over those of coins, fading
        ("votes", "f8"),  # of how many votes
    ],
    align=True,
)

PLAN = np.dtype(
    [
        ("direct", "f8"),  # the chance of a direct duel of the best arm with this one
        ("scouted", "f8"),  # the chance that this arm plays a random one
    ],
    align=True,
)


class PollState(NamedTuple):
    """The arrays of `DriftPoll`."""

    clock: Records  # (1,) CLOCK
    bank: Bank
    guard: Guard
    declared: Declared
    draws: Ints  # (KEPT, 2) the two strongest arms of the latest draws, in a ring
    plan: Records  # (K,) PLAN, given that the pair is not a uniformly random one
    tally: Tally


def _are_two_arms(draws: Ints, known: Known) -> bool:
    exist = (draws >= 0) & (draws < known.n_arms)
    return bool(exist.all() and (draws[:, 0] != draws[:, 1]).all())


def _any_pair(known: Known) -> float:
    if known.n_arms == 2 or known.state.clock["drawn"][0] == 0:
        return 1.0
    return max(ANY, chance_of(known.state.guard.odds[0]) * min(1.0, MANY / known.n_arms))


_ROUND = whole(0, "clock.round")

POLL_RANGES: Ranges = {
    "guard": GUARD_RANGES,
    "clock": {
        "round": COUNT,
        "leader": AN_ARM,
        "led": _ROUND,
        "drawn": COUNT,
        "any": equal_to("what suspicion gives", _any_pair),
        "prior": real(LEAST_PRIOR - 1e-9, MOST_PRIOR + 1e-9),
        "votes": real(SPREAD_START, SPREAD_MOST),
        "squares": real(0, lambda known: WIDEST * known.state.clock["votes"][0]),
    },
    "bank": BANK_RANGES,
    "bank.arms.last": _ROUND,
    "declared": DECLARED_RANGES,
    "draws": such_that("two different arms in each row", _are_two_arms),
    "plan": {"direct": real(0, 1 + 1e-9), "scouted": real(0, 1 + 1e-9)},
    "tally": TALLY_RANGES,
}
POLL_TICKET = (CHANCE, real(0, 1), real(0, 1))


def uniform_ticket(n_arms: int) -> tuple[float, float, float]:
    """Return the ticket of a vote on a pair that was as likely as any other of so many arms.

    Examples
    --------
    >>> uniform_ticket(3)
    (0.16666666666666666, 1.0, 1.0)
    """
    return 1.0 / (n_arms * (n_arms - 1.0)), 1.0, 1.0


@inline_kernel
def choose(state: PollState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw a pair of different arms; the ticket says how much the vote counts for each."""
    clock = state.clock[0]
    n_arms = state.plan.shape[0]
    if rng.random() < clock["any"]:
        left = int(rng.random() * n_arms)
        right = other_arm(left, n_arms, rng)
        return left, right, (pair_chance(state, left, right), 1.0, 1.0)
    leader = clock["leader"]
    place = int(rng.random() * min(clock["drawn"], KEPT))
    rival = challenger(state, place, leader)
    trusted = trust(state.guard, leader, rival)
    if rng.random() < directly(n_arms) * trusted:
        one, other, weight = leader, rival, trusted
    else:
        one = scout(state, leader, rival)
        other = other_arm(one, n_arms, rng)
        trusted = trust(state.guard, one, other)
        weight = 1.0
    chance = pair_chance(state, one, other)
    if rng.random() < 0.5:
        return one, other, (chance, weight, trusted)
    return other, one, (chance, trusted, weight)


@inline_kernel
def directly(n_arms: int) -> float:
    """Return the share of direct duels with so many arms."""
    return DIRECT * (1.0 - 2.0 / n_arms)


@inline_kernel
def other_arm(arm: int, n_arms: int, rng: np.random.Generator) -> int:
    """Draw one of the other arms."""
    other = int(rng.random() * (n_arms - 1))
    return other + (other >= arm)


@inline_kernel
def challenger(state: PollState, place: int, leader: int) -> int:
    """Return the strongest arm but the leader in a draw that was kept."""
    first = state.draws[place, 0]
    return state.draws[place, 1] if first == leader else first


@inline_kernel
def scout(state: PollState, leader: int, rival: int) -> int:
    """Return the one of two arms whose strength is less known."""
    arms = state.bank.arms
    return leader if arms[leader]["variance"] > arms[rival]["variance"] else rival


@inline_kernel
def pair_chance(state: PollState, left: int, right: int) -> float:
    """Return the chance of an ordered pair, either side being as likely."""
    clock = state.clock[0]
    others = state.plan.shape[0] - 1.0
    chance = (state.plan[left]["scouted"] + state.plan[right]["scouted"]) / others
    if left == clock["leader"]:
        chance += state.plan[right]["direct"]
    elif right == clock["leader"]:
        chance += state.plan[left]["direct"]
    return clock["any"] / (others * (others + 1.0)) + 0.5 * (1.0 - clock["any"]) * chance


@kernel
def learn(state: PollState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Take in a vote; an arm against itself says nothing."""
    round_ = state.clock[0]["round"]
    state.clock[0]["round"] = round_ + 1
    if left == right:
        return False
    # Trust is below 1, so what counts in full had an opponent drawn at random.
    _, left_weight, right_weight = ticket
    if left_weight == 1.0:
        count_toss(state.tally, left, outcome)
    if right_weight == 1.0:
        count_toss(state.tally, right, 1.0 - outcome)
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


@kernel
def draw_all(state: PollState, rng: np.random.Generator) -> None:
    """Draw all strengths and keep who was strongest."""
    clock = state.clock[0]
    first = 0
    second = 1
    best = -np.inf
    next_best = -np.inf
    for arm in range(state.plan.shape[0]):
        passed = clock["round"] - state.bank.arms[arm]["last"]
        strength = draw_strength(state.bank, arm, rng, passed, clock["prior"])
        if strength > best:
            second, next_best = first, best
            first, best = arm, strength
        elif strength > next_best:
            second, next_best = arm, strength
    if first == second:
        second = 1 if first == 0 else 0
    row = state.draws[clock["drawn"] % KEPT]
    row[0] = first
    row[1] = second
    clock["drawn"] += 1


@kernel
def set_plan(state: PollState) -> None:
    """Compute the chances of what is asked next."""
    clock = state.clock[0]
    n_arms = state.plan.shape[0]
    suspicion = chance_of(state.guard.odds[0])
    clock["any"] = max(ANY, suspicion * min(1.0, MANY / n_arms))
    for arm in range(n_arms):
        state.plan[arm]["direct"] = 0.0
        state.plan[arm]["scouted"] = 0.0
    leader = clock["leader"]
    kept = min(clock["drawn"], KEPT)
    for place in range(kept):
        rival = challenger(state, place, leader)
        direct = directly(n_arms) * trust(state.guard, leader, rival)
        state.plan[rival]["direct"] += direct / kept
        state.plan[scout(state, leader, rival)]["scouted"] += (1.0 - direct) / kept


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
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Borda and the horizon does not matter.

    References
    ----------
    Ours, of known parts: run lengths after Adams & MacKay, Bayesian Online Changepoint Detection,
    2007, with hazards that are learned; the two arms of a question as in top-two Thompson sampling
    (Russo, Simple Bayesian Algorithms for Best Arm Identification, COLT 2016). Nothing is proved.
    Propensities are exact. A vote costs O(K), and the state takes 12 K^2 bytes.

    Examples
    --------
    >>> poll = DriftPoll(3, seed=1, labels=["tea", "coffee", "milk"])
    >>> for n in range(600):
    ...     duel = poll.ask()
    ...     best = 0 if n < 300 else 2
    ...     poll.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> poll.best(), poll.probabilities.argmax().item()
    (2, 2)
    >>> [(change.before, change.after) for change in poll.changes]
    [(0, 2)]
    """

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
        count_anew(fresh.tally, int(clock["round"]))  # the others are others now
        note_leader(fresh.tally, int(clock["leader"]), int(clock["led"]))
        return fresh

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
        clock = state.clock[0]
        prior = clock["prior"] if self.n_arms > 2 else 2.0 * clock["prior"]
        # Whoever looks twice sees the same.
        rng = np.random.default_rng(int(clock["round"]))
        return chances_to_be_best(state.bank, int(clock["round"]), prior, rng, DRAWS)

    def _changes_of(self, state: PollState) -> list[Change]:
        """Return the latest changes declared up to this state."""
        return read_changes(state.declared.changes, int(state.declared.counted[0]))

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
        tea is best since the first vote.
          tea: wins 100% (...
        ...
        """
        session = self._session
        with session.lock:
            state, arms = session.state, session.offered(self)
            leader = int(state.clock[0]["leader"])
            return replace(
                super().report(),
                unit="vote",
                since=int(state.clock[0]["led"]),
                probabilities=tuple(self.probabilities.tolist()),
                changes=tuple(self.changes),
                doubt=self._player._doubt_of(state),
                **findings(state.tally, arms, self.n_arms, leader, session.told),
            )
