"""When did it change: ranges beside those of a memory of every toss, and how often they hold."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from driftduel.learners.contract.ranges import check_state
from driftduel.learners.parts.dates import (
    FINEST,
    ROOM,
    TIMELINE_RANGES,
    Timeline,
    date_change,
    forget_tosses,
    no_timeline,
    record_toss,
)
from tests.naive.dates import EveryToss, log_beta

FELL, ROSE = 0, 1


class State(NamedTuple):
    """A state that holds this part."""

    timeline: Timeline


def keep(tosses, n_arms):
    """Both memories of these tosses."""
    timeline, every = no_timeline(n_arms), EveryToss()
    for round_, arm, outcome in tosses:
        record_toss(timeline, round_, arm, outcome)
        every.record(round_, arm, outcome)
    return timeline, every


def toss_world(rng, changed, n_rounds, gap, n_arms=4, rate=1.0, ties=0.1):
    """Tosses in which two arms change places, most of them of these two, some in one round."""
    tosses = []
    for round_ in np.flatnonzero(rng.random(n_rounds) < rate).tolist():
        for _ in range(1 + (rng.random() < 0.2)):
            arm = int(rng.choice([FELL, ROSE, rng.integers(n_arms)]))
            up = FELL if round_ < changed else ROSE
            chance = 0.5 + gap / 2 * ((arm == up) - (arm == FELL + ROSE - up))
            tied = rng.random() < ties
            tosses.append((round_, arm, 0.5 if tied else float(rng.random() < chance)))
    return tosses


def detected(tosses, at_least):
    """The tosses until their split in two explains those of an arm well enough, by a Bayes factor.

    The splits tried are all of those of the arm that fell, and every tenth toss is a look.
    """
    own = [(place, outcome) for place, (_, arm, outcome) in enumerate(tosses) if arm == FELL]
    places, outcomes = map(np.array, zip(*own, strict=True))
    wins, losses = np.cumsum(outcomes), np.cumsum(1.0 - outcomes)
    for n in range(20, len(own), 10):
        split = log_beta(wins[: n - 1], losses[: n - 1])
        split += log_beta(wins[n - 1] - wins[: n - 1], losses[n - 1] - losses[: n - 1])
        one = log_beta(wins[n - 1 : n], losses[n - 1 : n])[0] + np.log(np.pi)
        if np.max(split) - one >= at_least:
            return tosses[: places[n - 1] + 1]
    return tosses


def width(found):
    return found[1] - found[0] + 1


@pytest.mark.parametrize("seed", range(20))
def test_while_there_is_room_the_range_is_that_of_every_single_toss(seed):
    rng = np.random.default_rng(seed)
    n_rounds = int(rng.integers(2, 400))
    tosses = toss_world(
        rng,
        changed=int(rng.integers(n_rounds)),
        n_rounds=n_rounds,
        gap=rng.random(),
        n_arms=int(rng.integers(2, 6)),
        rate=rng.random(),
        ties=rng.random() / 2,
    )[: ROOM - 1]
    timeline, every = keep(tosses, 6)
    last = max((round_ for round_, *_ in tosses), default=0)
    for since in {0, last // 3, last - 1} - {last, -1}:
        assert date_change(timeline, since, FELL, ROSE) == every.date(since, FELL, ROSE)
        assert date_change(timeline, since, ROSE, FELL) == every.date(since, FELL, ROSE)


def test_a_change_nobody_could_miss_is_dated_to_the_rounds_between_two_tosses():
    tosses = [(7 * n, n % 2, float(n % 2 == (n >= 60))) for n in range(120)]
    timeline, _ = keep(tosses, 2)
    assert date_change(timeline, 0, FELL, ROSE) == (7 * 59 + 1, 7 * 60)


def test_without_a_toss_there_is_no_range():
    timeline = no_timeline(2)
    assert date_change(timeline, 17, FELL, ROSE) == (17, 17)
    record_toss(timeline, 17, FELL, 1.0)
    assert date_change(timeline, 17, FELL, ROSE) == (17, 17)
    record_toss(timeline, 19, FELL, 0.0)
    assert date_change(timeline, 17, FELL, ROSE) == (18, 19)


@pytest.mark.parametrize("rate", [1.0, 0.05])
def test_merged_buckets_hold_every_toss_in_the_order_of_time(rate):
    tosses = toss_world(np.random.default_rng(1), 2000, 6000, 0.3, rate=rate)
    timeline, _ = keep(tosses, 4)
    used = timeline.clock[0]["used"]
    assert len(tosses) > 2 * ROOM > 2 * used
    buckets = timeline.buckets[:used]
    sums = np.cumsum(timeline.tosses, axis=0)
    for place in range(used):
        # A round with two tosses may be the last of a bucket and the first of the next.
        if place == used - 1 or buckets[place]["last"] < buckets[place + 1]["first"]:
            expected = np.zeros((2, 4))
            for round_, arm, outcome in tosses:
                if round_ <= buckets[place]["last"]:
                    expected[:, arm] += outcome, 1.0 - outcome
            assert sums[place].tolist() == expected.tolist()
    assert not timeline.tosses[used:].any()
    assert (buckets["first"] <= buckets["last"]).all()
    assert (buckets["last"][:-1] <= buckets["first"][1:]).all()
    span = buckets["last"] - buckets["first"]
    assert (span <= 0.25 * (buckets["last"][-1] - buckets["last"])).all()
    assert FINEST <= timeline.clock[0]["grain"] <= 0.25


def test_tosses_of_one_round_are_merged_without_loss():
    rng = np.random.default_rng(2)
    tosses = [
        (round_, arm, float(rng.random() < (0.8 if (arm == FELL) == (round_ < 25) else 0.2)))
        for round_ in range(40)
        for arm in (FELL, ROSE) * 5
    ]
    timeline, every = keep(tosses, 2)
    assert date_change(timeline, 0, FELL, ROSE) == every.date(0, FELL, ROSE)


@pytest.mark.parametrize(("gap", "rate"), [(0.2, 1.0), (0.4, 1.0), (0.3, 0.2)])
def test_merging_widens_ranges_and_seldom_leaves_a_round_out(gap, rate):
    """Where a likely toss is hidden in a bucket, an edge may go: 1 to 2 % of rounds, here 5 %."""
    rng = np.random.default_rng(3)
    pairs, lost = [], []
    for _ in range(30):
        tosses = toss_world(rng, 900, 1800, gap, rate=rate)
        timeline, every = keep(detected(tosses, 8.0), 4)
        wide, narrow = date_change(timeline, 0, FELL, ROSE), every.date(0, FELL, ROSE)
        left_out = max(0, wide[0] - narrow[0]) + max(0, narrow[1] - wide[1])
        lost.append(left_out / width(narrow))
        pairs.append((wide, narrow))
    assert np.mean(lost) < 0.05
    assert np.median(lost) == 0
    assert np.median([width(wide) - width(narrow) for wide, narrow in pairs]) > 0
    assert np.median([width(wide) / width(narrow) for wide, narrow in pairs]) < 1.6


def test_what_was_before_does_not_count_nor_a_bucket_that_holds_some_of_it():
    rng = np.random.default_rng(4)
    earlier = toss_world(rng, 10**9, 3000, 0.9)
    later = [(3000 + round_, arm, x) for round_, arm, x in toss_world(rng, 300, 600, 0.4)]
    timeline, _ = keep(earlier + later, 4)
    other, _ = keep([(round_, arm, 1.0 - x) for round_, arm, x in earlier] + later, 4)
    for since in (3000, 3100, 3201):
        found = date_change(timeline, since, FELL, ROSE)
        assert found == date_change(other, since, FELL, ROSE)
        assert since < found[0] <= 3300 <= found[1] < 3600
    assert date_change(timeline, 0, FELL, ROSE) != date_change(other, 0, FELL, ROSE)


def test_a_memory_that_forgot_is_a_new_one():
    rng = np.random.default_rng(5)
    timeline, _ = keep(toss_world(rng, 500, 3000, 0.4), 4)
    forget_tosses(timeline)
    fresh = no_timeline(4)
    for round_, arm, outcome in toss_world(rng, 200, 1000, 0.4):
        record_toss(timeline, round_, arm, outcome)
        record_toss(fresh, round_, arm, outcome)
    used = fresh.clock[0]["used"]
    assert timeline.clock == fresh.clock
    assert timeline.tosses.tolist() == fresh.tosses.tolist()
    assert timeline.buckets[:used][["first", "last"]].tolist() == (
        fresh.buckets[:used][["first", "last"]].tolist()
    )


def test_states_that_were_reached_are_in_range_and_others_are_not():
    learner = SimpleNamespace(
        n_arms=4,
        _graded=False,
        _ranges={"timeline": TIMELINE_RANGES},
        _allocate=lambda: State(no_timeline(4)),
    )
    for n_rounds in (0, 1, 50, 3000):
        tosses = toss_world(np.random.default_rng(6), 40, n_rounds, 0.4)
        timeline, _ = keep(tosses, 4)
        check_state(learner, State(timeline), told=len(tosses))
    timeline.buckets[3]["last"] = timeline.buckets[5]["last"]
    with pytest.raises(ValueError, match=r"state\.timeline\.buckets\.last.* in the order of time"):
        check_state(learner, State(timeline), told=len(tosses))


def test_ranges_hold_the_change_as_often_as_they_say():
    """200 runs each: at .95 fewer than .88 have a probability below 3e-5."""
    rng = np.random.default_rng(7)
    at_the_end, when_noticed = [], []
    for _ in range(200):
        changed = int(rng.integers(50, 110))
        tosses = toss_world(rng, changed, 160, 0.6, n_arms=2, rate=0.8)
        for held, seen in ((at_the_end, tosses), (when_noticed, detected(tosses, 6.0))):
            timeline, _ = keep(seen, 2)
            first, last = date_change(timeline, 0, FELL, ROSE)
            # A false alarm before the change dates nothing.
            if seen[-1][0] >= changed:
                held.append(first <= changed <= last)
    assert np.mean(at_the_end) >= 0.88
    assert np.mean(when_noticed) >= 0.88
    assert len(when_noticed) > 190
