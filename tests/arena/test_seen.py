"""What a voter has seen: no pair comes twice before all others came, by chances that are exact."""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations, permutations

import numpy as np
import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Conflict
from driftduel.arena.model import DAY
from driftduel.arena.seen import Rested, progress_of
from driftduel.arena.service import duels
from driftduel.learners.driftpoll import unseen
from tests.arena.voting import events, prefer

ARMS = ["tea", "coffee", "milk", "mate", "cocoa"]
N = 5_000
QUANTILES = {1: 23.93, 11: 48.87, 17: 60.13}
"""Of chi-squared, exceeded in 1 of 10^6 cases, by degrees of freedom."""


@pytest.fixture(scope="module")
def replica(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seen")
    with arena.Service.open(f"sqlite:{folder}/arena.db") as service:
        arena.create_arena(service, "drinks", "?", [*ARMS, "soup"], seed=3)
        prefer(service, "mate", 60)
        arena.change_arms(service, "drinks", pause=["coffee"])  # rows are not numbers of arms
        prefer(service, "mate", 60)
        service.follow()
        yield service.hosted("drinks").replica


SEEN = {
    "one": [(0, 3)],
    "those of an arm": [(0, 3), (2, 3), (3, 4), (3, 5)],
    "all but one": [*combinations([0, 2, 3, 4, 5], 2)][:-1],
    "some": [(0, 2), (2, 3), (0, 3), (4, 5)],
}


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
@pytest.mark.parametrize("tries", [unseen.TRIES, 1])
def test_pairs_not_seen_come_as_often_as_their_propensities_say(replica, seen, tries, monkeypatch):
    """Chi-squared over ordered pairs: a false alarm in 1 of 10^6 seeds for each of eight cases;
    this seed is fixed."""
    monkeypatch.setattr(unseen, "TRIES", tries)
    rng = np.random.default_rng(7)
    counts: dict[tuple[int, int], int] = {}
    chances: dict[tuple[int, int], float] = {}
    for _ in range(N):
        one = replica.draw(rng, seen)
        pair = one.left, one.right
        assert tuple(sorted(pair)) not in seen
        counts[pair] = counts.get(pair, 0) + 1
        assert chances.setdefault(pair, one.propensity) == pytest.approx(one.propensity, rel=1e-12)
    assert len(counts) == 20 - 2 * len(seen)
    assert sum(chances.values()) == pytest.approx(1, abs=1e-9)
    statistic = sum((counts[p] - N * chances[p]) ** 2 / (N * chances[p]) for p in counts)
    assert statistic < QUANTILES[len(counts) - 1]


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_a_vote_is_a_toss_for_an_arm_only_if_all_of_its_pairs_could_come(replica, seen):
    """Given that, opponents are uniform: chi-squared with 3 degrees of freedom, 1 of 10^6 seeds for
    each arm (quantile 30.66); this seed is fixed."""
    rng = np.random.default_rng(8)
    touched = {arm for pair in seen for arm in pair}
    met: dict[int, dict[int, int]] = {}
    for _ in range(N):
        one = replica.draw(rng, seen)
        _, *weights = np.frombuffer(one.ticket)
        sides = (one.right, one.left) if one.swapped else (one.left, one.right)
        for arm, other, weight in zip(sides, sides[::-1], weights, strict=True):
            assert 0 < weight <= 1
            if weight == 1.0:
                assert arm not in touched
                met.setdefault(arm, {}).setdefault(other, 0)
                met[arm][other] += 1
    assert set(met) == {0, 2, 3, 4, 5} - touched
    for counts in met.values():
        n = sum(counts.values())
        assert sum((counts.get(arm, 0) - n / 4) ** 2 / (n / 4) for arm in counts) < 30.66
        assert len(counts) == 4


def test_with_nothing_seen_the_learner_draws_alone(replica):
    one, other = (replica.draw(np.random.default_rng(3), seen) for seen in ((), [(1, 0)]))
    assert one == other  # the second has an arm that is paused


def test_an_arm_that_leaves_while_a_pair_is_drawn_does_no_harm(replica):
    everything = list(combinations([0, 2, 3, 4, 5], 2))
    assert replica.draw(np.random.default_rng(3), everything) is not None


def naive(answered, offered, now, repeat):
    """The rule as the module says it, with plain loops."""
    pairs = list(combinations(sorted(offered), 2))
    counts = [sum({one, other} == set(pair) for one, other, _ in answered) for pair in pairs]
    seen = {pair for pair, n in zip(pairs, counts, strict=True) if n > min(counts, default=0)}
    fresh = not seen and min(counts, default=0) > 0
    if repeat:
        return seen, None
    if fresh and max(at for *_, at in answered) // DAY == now // DAY:
        return seen, 0
    return seen, len(pairs) - len(seen)


def test_progress_is_what_plain_loops_say():
    rng = np.random.default_rng(1)
    for _ in range(400):
        k = int(rng.integers(2, 5))
        offered = rng.choice(6, k, replace=False).tolist()
        pairs = [pair for pair in permutations(range(6), 2) if rng.random() < 0.9]
        answered = [(*pairs[rng.integers(len(pairs))], int(at) * DAY // 4) for at in range(12)]
        answered += [(*pair, 2 * DAY) for pair in combinations(offered, 2)] * int(rng.integers(3))
        answered = answered[int(rng.integers(12)) :]
        now = 3 * DAY - int(rng.integers(DAY))
        for repeat in (False, True):
            found = progress_of(answered, offered, now, repeat=repeat)
            assert (found.seen, found.left) == naive(answered, offered, now, repeat)


def ask_all(service, verdict="left", voter="ann"):
    """Answer until there is nothing left; return the pairs as they came."""
    shown = []
    with suppress(Rested):
        while True:
            asked = arena.ask(service, "drinks", voter, unseen=True)
            shown.append(frozenset((asked.left.name, asked.right.name)))
            left = asked.to_go
            done = arena.tell(
                service, asked.duel, voter, verdict, wants_next=len(shown) % 2, unseen=True
            )
            if done.next is not None:
                assert done.next.to_go == left - 1
    return shown


def test_every_pair_comes_once_and_then_the_voter_rests(drinks):
    assert len(set(ask_all(drinks))) == 3
    assert len(set(ask_all(drinks, "skip", "bob"))) == 3
    arena.change_arms(drinks, "drinks", add=["mate"])
    joined = ask_all(drinks)
    assert len(set(joined)) == len(joined) == 3
    assert all("mate" in pair for pair in joined)
    arena.ask(drinks, "drinks", "ann")  # who does not ask for unseen pairs gets some


def test_a_new_round_begins_the_next_day_or_at_once_if_the_owner_says_so(drinks, monkeypatch):
    ask_all(drinks)
    arena.change_arena(drinks, "drinks", {"repeat": True})
    assert arena.ask(drinks, "drinks", "ann", unseen=True).to_go is None
    arena.change_arena(drinks, "drinks", {"repeat": False})
    now = duels.now_in_microseconds()
    monkeypatch.setattr(duels, "now_in_microseconds", lambda: now + DAY)
    assert arena.ask(drinks, "drinks", "ann", unseen=True).to_go == 3


def test_with_a_cap_no_more_is_asked_than_counts(drinks):
    arena.change_arena(drinks, "drinks", {"cap": 2})
    assert len(ask_all(drinks)) == 2
    arena.change_arena(drinks, "drinks", {"repeat": True})
    assert len(ask_all(drinks, voter="bob")) == 2


def test_what_is_taken_back_is_asked_again_as_it_was(drinks):
    asked = arena.ask(drinks, "drinks", "ann", unseen=True)
    arena.tell(drinks, asked.duel, "ann", "left")
    arena.retract(drinks, asked.duel, "ann")
    again = arena.open_again(drinks, asked.duel, "ann")
    twice = arena.open_again(drinks, asked.duel, "ann")
    found = arena.find_open(drinks, "drinks", again.duel, "ann")
    assert again.duel == twice.duel == found.duel
    for one in (again, twice, found):
        assert (one.left, one.right, one.to_go) == (asked.left, asked.right, 3)
    assert arena.find_open(drinks, "drinks", again.duel, "bob") is None
    arena.tell(drinks, again.duel, "ann", "right")
    assert arena.open_again(drinks, asked.duel, "ann") is None
    first, _, second = (one for one in events(drinks) if one.kind in ("vote", "retract"))
    for column in ("left", "right", "swapped", "ticket", "propensity", "context"):
        assert getattr(first, column) == getattr(second, column)
    assert len(set(ask_all(drinks))) == 2


def test_a_pair_that_cannot_be_asked_again_is_not(drinks):
    asked = arena.ask(drinks, "drinks", "ann")
    assert arena.open_again(drinks, asked.duel, "ann") is None  # it was not answered
    arena.tell(drinks, asked.duel, "ann", "left")
    arena.retract(drinks, asked.duel, "ann")
    assert arena.open_again(drinks, asked.duel, "bob") is None
    arena.change_arms(drinks, "drinks", pause=[asked.left.name])
    assert arena.open_again(drinks, asked.duel, "ann") is None
    arena.change_arena(drinks, "drinks", {"status": "closed"})
    with pytest.raises(Conflict, match="closed"):
        arena.ask(drinks, "drinks", "ann", unseen=True)
