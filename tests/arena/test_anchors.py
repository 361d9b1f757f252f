"""Anchors: a few pairs that stay the same, asked at a steady rate with exact chances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from driftduel.arena import rules
from driftduel.arena import service as arena
from driftduel.arena.errors import Invalid
from driftduel.arena.service.duels import open_duels
from driftduel.learners.driftpoll.unseen import ANCHORED
from driftduel.verdict.parts import Clock, plain
from tests.arena.voting import prefer

NAMES = ["tea", "coffee", "milk", "mate"]


@pytest.fixture
def service(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        arena.create_arena(service, "drinks", "?", NAMES, seed=3)
        yield service


QUANTILES = {11: 51.04, 9: 46.87, 5: 36.79}
"""Of chi-squared, exceeded in 1 of 10^6 cases, by degrees of freedom."""


@pytest.mark.parametrize(
    ("seen", "anchors"),
    [
        ((), [(0, 1), (2, 3)]),
        ([(1, 0)], [(0, 1), (2, 3)]),
        ([(0, 1), (0, 2), (0, 3)], [(0, 1), (3, 2)]),
        ([(2, 3)], [(2, 3)]),
    ],
)
def test_propensities_are_exact_with_anchors_and_with_pairs_that_were_seen(service, seen, anchors):
    """Chi-squared over ordered pairs: a false alarm in 1 of 10^6 seeds for each of four cases;
    this seed is fixed."""
    prefer(service, "mate", 60)
    service.follow()
    replica = service.hosted("drinks").replica
    rng, n = np.random.default_rng(5), 20_000
    counts: dict[tuple[int, int], int] = {}
    chances: dict[tuple[int, int], float] = {}
    for _ in range(n):
        one = replica.draw(rng, seen, anchors)
        pair = one.left, one.right
        counts[pair] = counts.get(pair, 0) + 1
        assert chances.setdefault(pair, one.propensity) == pytest.approx(one.propensity, rel=1e-12)
    assert len(counts) == 12 - 2 * len(seen)
    assert sum(chances.values()) == pytest.approx(1, abs=1e-9)
    statistic = sum((counts[p] - n * chances[p]) ** 2 / (n * chances[p]) for p in counts)
    assert statistic < QUANTILES[len(counts) - 1]


def test_anchors_come_at_a_steady_rate_and_are_no_tosses(service):
    """Questions that no learner chose: within 4.89 standard deviations, 1 of 10^6 seeds."""
    arena.change_arena(service, "drinks", {"anchors": True, "anchor_pairs": ["tea+coffee"]})
    service.follow()
    hosted = service.hosted("drinks")
    n = 4_000
    duels = service.draw_many(hosted, [("ann", None)] * n)
    # Before the first vote all pairs are as likely: what is no toss for either arm is an anchor.
    weights = [np.frombuffer(one.ticket)[1:] for one in duels]
    anchored = [one for one, (a, b) in zip(duels, weights, strict=True) if a < 1 and b < 1]
    assert {frozenset((one.left, one.right)) for one in anchored} >= {frozenset((0, 1))}
    count = sum({one.left, one.right} == {0, 1} for one in anchored)
    assert count >= n * ANCHORED - 4.89 * np.sqrt(n * ANCHORED * (1 - ANCHORED))


def test_anchors_are_drawn_once_and_stay(service):
    assert service.hosted("drinks").arena.settings.anchor_pairs == ()
    arena.change_arena(service, "drinks", {"anchors": True})
    pairs = service.hosted("drinks").arena.settings.anchor_pairs
    assert len(set(pairs)) == 3
    arena.change_arena(service, "drinks", {"anchors": False})
    assert rules.anchors_of(service.hosted("drinks").arena, service.hosted("drinks").replica) == []
    arena.change_arena(service, "drinks", {"anchors": True})
    assert service.hosted("drinks").arena.settings.anchor_pairs == pairs


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        (["tea+soup"], "there is no option 'soup'"),
        (["tea+tea"], "two different options"),
        (["tea"], "not allowed"),
    ],
)
def test_pairs_that_are_none_are_refused(service, pairs, what):
    with pytest.raises(Invalid, match=what):
        arena.change_arena(service, "drinks", {"anchor_pairs": pairs})


def test_the_same_pair_twice_is_one(service):
    arena.change_arena(service, "drinks", {"anchor_pairs": ["tea+milk", "milk+tea"]})
    assert service.hosted("drinks").arena.settings.anchor_pairs == ("milk+tea",)


def test_a_new_poll_may_have_anchors_from_the_beginning(service):
    made = arena.create_arena(service, "food", "?", ["pie", "soup"], settings={"anchors": True})
    assert made.arena.settings.anchor_pairs == ("pie+soup",)


def vote_on(service, pair, winner, n):
    """Cast votes on one pair, as if it were an anchor each time."""
    hosted = service.hosted("drinks")
    for k in range(n):
        one, other = pair if k % 2 else pair[::-1]
        drawn = next(
            duel
            for duel in iter(lambda: service.draw(hosted, service.voter("ann")), None)
            if {duel.left, duel.right} == set(pair)
        )
        duel = replace(drawn, left=one, right=other, swapped=drawn.swapped ^ (drawn.left != one))
        service.writer.do(open_duels, duel)
        arena.tell(service, duel.id, "ann", "left" if duel.left == winner else "right")


def test_the_page_says_when_an_anchor_moved(service):
    clock = Clock("minute", "vote")
    assert arena.anchors_note(service, "drinks", clock) == []
    arena.change_arena(service, "drinks", {"anchors": True, "anchor_pairs": ["coffee+tea"]})
    (note,) = arena.anchors_note(service, "drinks", clock)
    assert "Nobody has voted" in plain(note)
    vote_on(service, (0, 1), 0, 40)
    service.follow()
    (note,) = arena.anchors_note(service, "drinks", clock)
    assert "nothing is proved to have moved (40 votes)" in plain(note)
    vote_on(service, (0, 1), 1, 40)
    service.follow()
    (note,) = arena.anchors_note(service, "drinks", clock)
    assert "not the options" in plain(note)
    assert "tea loses more against coffee" in plain(note)
    # Another version of one of the two options is no anchor any more: its count begins again.
    arena.mark_release(service, "drinks", "version 2", "tea")
    (note,) = arena.anchors_note(service, "drinks", clock)
    assert "Nobody has voted" in plain(note)


def test_the_owners_page_has_the_sentence_and_the_form(site):
    with site.browser() as owner:
        owner.post("/drinks/owner", data={"token": site.made.owner_token})
        page = owner.get("/drinks/owner").text
        assert "stay the same" not in words_of_first(page)
        arena.change_arena(site.service, "drinks", {"anchors": True})
        assert "Nobody has voted on the 3 pairs that stay the same yet." in words_of_first(
            owner.get("/drinks/owner").text
        )


def words_of_first(page):
    """Return the part of the page that says who is best."""
    return page.partition('id="sentence"')[2].partition("</section>")[0]
