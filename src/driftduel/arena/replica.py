"""A copy of the learner of an arena that follows the log: events in, pairs and reports out.

The state is a fold over the votes that count, so copies in other processes, or made again from the
log, are equal bit for bit. Which votes count is known when a copy is made: who is excluded and what
was taken back. When that changes a new copy is made, from an earlier state if one was kept.

A learner knows arms by slots. Its labels are the numbers of the arms, which never change; names do.
Besides the learner, and earlier states of it, a copy keeps of every round its time and vote, 13
bytes, where the numbers of votes and of rounds part, a few counts for each arm, when arms came and
went, and what was said before: the changes in the log (see `driftduel.arena.changes`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import isnan
from struct import pack
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel.arena.model import OUTCOMES, SAID, Arm, Marks, Page
from driftduel.arena.versions import Rules
from driftduel.learners.contract.report import Report
from driftduel.learners.contract.session import draw_pairs
from driftduel.learners.driftpoll.state import tosses_in
from driftduel.learners.driftpoll.unseen import draw_unseen
from driftduel.verdict.standing import ENOUGH

Ints = NDArray[np.int64]

KEEP = 20_000
"""Events between two states that are kept, so that a vote is taken back without a new beginning."""

_LEFT, _RIGHT = 17, 2
_MOST = (1 << (_LEFT - _RIGHT)) - 1
"""Where the arms of a vote stand in its number, which has 32 bits; the outcome has the last two."""


_MOST_KEPT, _KEPT_BYTES = 16, 8 * 2**20
"""Earlier states at most, and their bytes, unless there are two."""


class Drawn(NamedTuple):
    """A pair to put before a voter: sides as shown, the rest as `OpenDuel` has it."""

    left: int
    right: int
    swapped: bool
    ticket: bytes
    propensity: float | None
    generation: int
    version: int


@dataclass(frozen=True)
class ArmCounts:
    """Counts by arm: duels that count, wins (a tie half), called bad, skipped."""

    duels: Ints
    wins: NDArray[np.float64]
    bad: Ints
    skips: Ints

    @classmethod
    def zeros(cls, n: int) -> ArmCounts:
        """Return the counts of so many arms before the first vote."""
        counts = np.zeros((3, n), np.int64)
        return cls(counts[0], np.zeros(n), counts[1], counts[2])

    def grown(self, n: int) -> ArmCounts:
        """Return the same counts with room for more arms."""
        return ArmCounts(*(np.pad(part, (0, n - len(part))) for part in vars(self).values()))


class Cast(NamedTuple):
    """Votes that count, by round: the arms left and right, the outcome, and when it was.

    ``tossed`` has 1 where the vote is a toss of the left arm, and 2 more where it is of the right
    one; ``era`` counts how often the arms had changed when the pair was drawn, and ``known`` how
    many arms there were and how many on offer then, era by era.
    """

    left: Ints
    right: Ints
    outcome: NDArray[np.float64]
    time: Ints
    tossed: Ints
    era: Ints
    known: Ints  # (E, 2)


class EarlierLead(NamedTuple):
    """Who led when the arms on offer changed, and whether that was decided."""

    arm: int
    decided: bool
    at: int


class Replica:
    """The learner of an arena as of ``head``; see the module.

    Attributes
    ----------
    rules : Rules
        How its learner is made, and how votes are told to it.
    head, generation : int
        The last event taken in, and how often the arms changed.
    learner : Learner or None
        None as long as there were never two arms.
    arms : dict of int to Arm
        All arms there ever were.
    times : array
        When the vote of each round was cast.
    votes : array
        The vote of each round: its arms and its outcome in one number, see `cast`.
    tossed : array
        Of which of its arms the vote of each round is a toss.
    eras : list
        The rounds from which on pairs were drawn of another generation, and which.
    sizes : dict
        How many arms there were, and on offer, by generation.
    tally : ArmCounts
        Counts by arm; ``sides`` counts the votes left, right and neither, of pairs shown here.
    standing : EarlierLead or None
        Who led when the arms on offer last changed, if there was enough to say so and votes were
        then counted from nothing.
    offers : list
        When the arms changed, and to what: the events ``arms``.
    said : list
        The events ``change`` and ``rules``: their seq, kind and body. The learner ignores them.
    """

    def __init__(
        self,
        seed: int,
        rules: Rules,
        marks: Marks | None = None,
    ) -> None:
        self.seed = seed
        self.rules = rules
        self.mark(marks or Marks())
        self.head = 0
        self.generation = 0
        self.learner: Any = None
        self.arms: dict[int, Arm] = {}
        self.times = array("q")
        self.votes = array("I")
        self.tossed = array("B")
        self.eras: list[tuple[int, int]] = []
        self.sizes: dict[int, tuple[int, int]] = {}
        self.tally = ArmCounts.zeros(0)
        self.sides = np.zeros(3, np.int64)
        self.standing: EarlierLead | None = None
        self.offers: list[tuple[int, list[list[Any]]]] = []
        self.said: list[tuple[int, str, Any]] = []
        self.shifts: list[tuple[int, int]] = []
        self.lock = RLock()
        self._slots = np.zeros(0, np.int64)
        self._report: Report | None = None
        self._kept: list[Replica] = []  # earlier states, without their votes of rounds

    @property
    def offered(self) -> list[int]:
        """The arms that may be put before voters."""
        return [arm.id for arm in self.arms.values() if arm.offered]

    def rewound(self, seq: int, marks: Marks) -> Replica:
        """Return a copy as of before an event, of which other votes count from then on.

        It goes back to the latest state that was kept; without one, to nothing.
        """
        with self.lock:
            states = [state for state in (*self._kept, self) if state.head < seq]
            start = states[-1] if states else Replica(self.seed, self.rules)
            made = start._copy()
            rounds = 0 if made.learner is None else made.learner.rounds
            made.times, made.votes = self.times[:rounds], self.votes[:rounds]
            made.tossed = self.tossed[:rounds]
            made.eras = [one for one in self.eras if one[0] < rounds]
            made.shifts = [one for one in self.shifts if one[0] < rounds]
            made.mark(marks)
            made._kept = states[:-1] if states and states[-1] is self else states
            return made

    def kept_before(self, seq: int) -> int:
        """Return the last event of the state from which `rewound` goes on."""
        with self.lock:
            heads = [state.head for state in (*self._kept, self) if state.head < seq]
            return heads[-1] if heads else 0

    def mark(self, marks: Marks) -> None:
        """Say whose votes do not count, and which votes."""
        self.excluded, self.retracted = frozenset(marks.excluded), frozenset(marks.retracted)
        self.withdrawn = tuple(marks.withdrawn)

    @property
    def marks(self) -> Marks:
        """Whose votes do not count, and which votes."""
        return Marks(self.excluded, self.retracted, self.withdrawn)

    def follow(self, page: Page) -> None:
        """Take in the next events."""
        with self.lock:
            if page.seq[0] != self.head + 1:
                raise ValueError(f"event {page.seq[0]} came after event {self.head}")
            done = 0
            for place, kind in enumerate(page.kind):
                if kind == "arms":
                    self._fold(page, slice(done, place))
                    self._change_arms(page.at[place], page.body[place])
                    done = place + 1
                elif kind in SAID:
                    self.said.append((page.seq[place], kind, page.body[place]))
            self._fold(page, slice(done, len(page.seq)))
            self.head = page.seq[-1]
            self._report = None
            if self.head - (self._kept[-1].head if self._kept else 0) >= KEEP:
                self.keep_state()

    def keep_state(self) -> None:
        """Keep this state, so that what follows can be taken back without a new beginning."""
        with self.lock:
            self._kept = thinned([*self._kept, self._copy()], self.head, self._most_kept())

    @property
    def kept(self) -> list[Replica]:
        """Earlier states, without their votes of rounds."""
        return list(self._kept)

    @kept.setter
    def kept(self, states: Sequence[Replica]) -> None:
        self._kept = list(states)

    def _most_kept(self) -> int:
        """Return how many earlier states are kept: of very many arms each takes much memory."""
        parts = () if self.learner is None else self.learner._session.state
        size = sum(part.nbytes for part in parts if isinstance(part, np.ndarray))
        return max(2, min(_MOST_KEPT, _KEPT_BYTES // (size + 1)))

    def draw(
        self,
        rng: np.random.Generator,
        seen: Collection[tuple[int, int]] = (),
        anchors: Collection[tuple[int, int]] = (),
    ) -> Drawn | None:
        """Draw a pair, with a generator of the caller's; None if there are not two arms.

        Nothing is changed: a pair that nobody answers leaves no trace. Pairs ``seen`` are left out,
        unless these are all there are now; ``anchors`` are drawn now and then in any case.
        """
        with self.lock:
            offered = set(self.offered)
            if self.learner is None or len(offered) < 2:
                return None
            known = [pair for pair in seen if offered.issuperset(pair)]
            if 2 * len(known) == len(offered) * (len(offered) - 1):
                known = []  # an arm left just now
            fixed = [pair for pair in anchors if offered.issuperset(pair)]
            slots, frozen = (
                [(int(self._slots[one]), int(self._slots[other])) for one, other in pairs]
                for pairs in (known, fixed)
            )
            one, other, ticket = draw_unseen(self.learner, rng, slots, frozen)
            return self._drawn(one, other, ticket, bool(rng.random() < 0.5))

    def draw_many(self, rng: np.random.Generator, n: int) -> list[Drawn]:
        """Draw so many pairs as `draw` does, for much less each; none if there are not two arms."""
        with self.lock:
            if self.learner is None or len(self.offered) < 2:
                return []
            pairs, tickets = draw_pairs(self.learner, rng, n)
            swaps = (rng.random(n) < 0.5).tolist()
            rows = zip(pairs.tolist(), tickets.tolist(), swaps, strict=True)
            return [self._drawn(one, other, ticket, swap) for (one, other), ticket, swap in rows]

    def _drawn(self, one: int, other: int, ticket: Sequence[float], swapped: bool) -> Drawn:
        """Return a pair of slots as it is to be shown."""
        left, right = self._arm_in(one), self._arm_in(other)
        chance = ticket[0]
        return Drawn(
            right if swapped else left,
            left if swapped else right,
            swapped,
            pack(f"<{len(ticket)}d", *ticket),
            None if isnan(chance) else chance,
            self.generation,
            self.head,
        )

    def report(self) -> Report | None:
        """Return what the learner makes of the votes; its arms are slots."""
        with self.lock:
            if self._report is None and self.learner is not None:
                self._report = self.rules.report(self.learner)
            return self._report

    def cast(self) -> Cast:
        """Return the votes of all rounds; arms are their numbers."""
        with self.lock:
            votes = np.array(self.votes, np.int64)
            starts = np.array([first for first, _ in self.eras], np.int64)
            numbers = np.array([generation for _, generation in self.eras], np.int64)
            lengths = np.diff(starts, append=len(votes))
            least = int(numbers.min(initial=self.generation))
            last = int(numbers.max(initial=least))
            known = [self.sizes.get(n, (0, 0)) for n in range(least, last + 1)]
            return Cast(
                votes >> _LEFT,
                (votes >> _RIGHT) & _MOST,
                (votes & 3) / 2,
                np.array(self.times, np.int64),
                np.array(self.tossed, np.int64),
                np.repeat(numbers - least, lengths),
                np.array(known, np.int64),
            )

    def arm_in(self, slot: int) -> Arm:
        """Return the arm that a slot of the learner is."""
        with self.lock:
            return self.arms[self._arm_in(slot)]

    def time_of(self, round_: int | None) -> int | None:
        """Return when the vote of a round was cast, or the last vote if that one is yet to come.

        What the last vote made true holds from the next round on.
        """
        if round_ is None or not 0 <= round_ <= len(self.times) or not self.times:
            return None
        return self.times[min(round_, len(self.times) - 1)]

    def seq_of(self, round_: int | None) -> int | None:
        """Return the number of the vote of a round, or of the last if that one is yet to come."""
        if round_ is None or not 0 <= round_ <= len(self.times) or not self.times:
            return None
        round_ = min(round_, len(self.times) - 1)
        place = bisect_right(self.shifts, round_, key=lambda one: one[0]) - 1
        return round_ + self.shifts[place][1]

    def _copy(self) -> Replica:
        """Return a copy of all but the votes of rounds and the states kept."""
        made = Replica(self.seed, self.rules, self.marks)
        made.head, made.generation = self.head, self.generation
        made.learner = deepcopy(self.learner)
        made.arms, made.tally, made.sides = dict(self.arms), deepcopy(self.tally), self.sides.copy()
        made.offers, made.said = self.offers.copy(), self.said.copy()
        made.sizes = self.sizes.copy()
        made._slots, made.standing = self._slots.copy(), self.standing
        return made

    def _arm_in(self, slot: int) -> int:
        assert self.learner is not None
        assert self.learner.labels is not None
        return int(self.learner.labels[slot])

    def _offer(self, labels: Sequence[str]) -> None:
        """Let the learner go on with the arms that are offered now, two at least."""
        if self.learner is None:
            self.learner = self.rules.make(len(labels), self.seed, tuple(labels))
            return
        assert self.learner.labels is not None
        if not self.rules.goes_on:
            self.learner._session.before = None
        before = [self.learner.labels[slot] for slot in self.learner.offered]
        self.learner.change_arms(
            join=[label for label in labels if label not in before],
            leave=[label for label in before if label not in labels],
        )

    def _fold(self, page: Page, part: slice) -> None:
        """Tell the learner the votes that count among events that leave the arms as they are."""
        kinds = np.array(page.kind[part])
        skips = self._counting(page, np.flatnonzero(kinds == "skip") + part.start)
        told = np.flatnonzero((kinds == "vote") | (kinds == "import"))
        places = self._counting(page, told + part.start)
        self._count_skips(page, skips)
        if len(places) == 0:
            return
        left, right = _column(page.left, places), _column(page.right, places)
        swapped = _column(page.swapped, places).astype(bool)
        outcomes = np.array([OUTCOMES[str(page.verdict[n])] for n in places])
        tickets = np.frombuffer(b"".join(page.ticket[n] or b"" for n in places), "<f8")
        tickets = tickets.reshape(len(places), -1)
        assert self.learner is not None
        self.rules.fold(
            self.learner,
            self._slots[np.where(swapped, right, left)],
            self._slots[np.where(swapped, left, right)],
            tickets,
            np.where(swapped, 1.0 - outcomes, outcomes),
        )
        self._note_tosses(page, places, tickets, swapped)
        self._number_rounds(_column(page.seq, places))
        self.times.frombytes(_column(page.at, places).tobytes())
        packed = left << _LEFT | right << _RIGHT | (2 * outcomes).astype(np.int64)
        self.votes.extend(packed.tolist())
        bad = np.array([page.verdict[n] == "bad" for n in places])
        for arms, won in ((left, outcomes), (right, 1.0 - outcomes)):
            self.tally.duels[:] += np.bincount(arms, minlength=len(self._slots))
            self.tally.wins[:] += np.bincount(arms, won, len(self._slots))
            self.tally.bad[:] += np.bincount(arms[bad], minlength=len(self._slots))
        here = outcomes[kinds[places - part.start] == "vote"]
        self.sides += np.array([(here == side).sum() for side in (1.0, 0.0, 0.5)])

    def _note_tosses(
        self, page: Page, places: Ints, tickets: NDArray[np.float64], swapped: NDArray[np.bool_]
    ) -> None:
        """Note of which arms votes are tosses, and of which generation their pairs are."""
        one, other = tosses_in(tickets)
        left, right = np.where(swapped, other, one), np.where(swapped, one, other)
        first = len(self.tossed)
        self.tossed.extend((left + 2 * right).tolist())
        for n, place in enumerate(places.tolist()):
            drawn = page.generation[place]
            generation = self.generation if drawn is None else drawn
            if not self.eras or self.eras[-1][1] != generation:
                self.eras.append((first + n, generation))

    def _number_rounds(self, seqs: Ints) -> None:
        """Note by how much the numbers of votes differ from those of their rounds, where new."""
        first = len(self.times)
        apart = seqs - np.arange(first, first + len(seqs))
        before = self.shifts[-1][1] if self.shifts else -1
        new = np.flatnonzero(np.diff(apart, prepend=before))
        self.shifts += zip((first + new).tolist(), apart[new].tolist(), strict=True)

    def _counting(self, page: Page, places: Ints) -> Ints:
        """Return the places of those verdicts that count."""
        counts = np.array([page.reason[n] in (None, "excluded") for n in places], np.bool_)
        if self.retracted:
            counts &= np.array([page.seq[n] not in self.retracted for n in places], np.bool_)
        for low, high in self.withdrawn:
            if low <= page.seq[-1] and high >= page.seq[0]:
                seqs = _column(page.seq, places)
                counts &= (seqs < low) | (seqs > high)
        if self.excluded:
            counts &= np.array([page.voter[n] not in self.excluded for n in places], np.bool_)
        return places[counts]

    def _count_skips(self, page: Page, places: Ints) -> None:
        for arms in (_column(page.left, places), _column(page.right, places)):
            self.tally.skips[:] += np.bincount(arms, minlength=len(self._slots))

    def _change_arms(self, at: int, body: Any) -> None:
        """Take in an event ``arms``: all that it names, as they are from now on."""
        self.offers.append((at, body["arms"]))
        for number, slug, name, offered in body["arms"]:
            self.arms[number] = Arm(number, slug, name, offered)
        self.tally = self.tally.grown(len(self.arms))
        self.sizes[body["generation"]] = len(self.arms), len(self.offered)
        if body["generation"] != self.generation:
            self.generation = body["generation"]
            if not self.rules.goes_on:
                self._keep_standing(at)
            if len(self.offered) >= 2:
                self._offer([str(number) for number in self.offered])
        self.find_slots()

    def _keep_standing(self, at: int) -> None:
        """Remember who leads before scores are reset, if there is enough to say so."""
        report = None if self.learner is None else self.rules.report(self.learner)
        if report is not None and (report.duels or (0,))[report.best] >= ENOUGH:
            self.standing = EarlierLead(self._arm_in(report.best), bool(report.decided), at)

    def find_slots(self) -> None:
        """Look up which slot of the learner each arm has."""
        self._slots = np.full(len(self.arms), -1, np.int64)
        for slot, label in enumerate((self.learner and self.learner.labels) or ()):
            self._slots[int(label)] = slot


def thinned(states: Sequence[Replica], head: int, most: int) -> list[Replica]:
    """Return those of earlier states that are to be kept: few, the older the farther apart.

    Of those whose ages are alike, to a factor of two, the oldest is. Whatever is touched, at most
    about four times as many events are folded again as there are since, or `KEEP` more.
    """
    by_age: dict[int, Replica] = {}
    for state in states:  # the oldest first
        by_age.setdefault(((head - state.head) // KEEP + 1).bit_length(), state)
    return sorted(by_age.values(), key=lambda state: state.head)[-most:]


def _column(values: Sequence[Any], places: Ints) -> Ints:
    return np.array([values[n] for n in places], np.int64)
