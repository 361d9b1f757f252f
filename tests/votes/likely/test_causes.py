"""Why who leads changed: parts by their definition, evidence by integrals, planted causes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.verdict.causes import Release, sentences
from driftduel.verdict.moments import Moment
from driftduel.verdict.parts import Clock, plain
from driftduel.votes.likely.causes import CAUSES, FACTORS, Side, _Mixes, explain, fit
from driftduel.votes.likely.why import why
from studies.causes import WORLDS, judge
from tests.naive.causes import parts as naive_parts

CLOCK = Clock("day", "vote")


def side_of(rng, n, n_arms, n_groups, n_contexts):
    left = rng.integers(n_arms, size=n)
    right = (left + rng.integers(1, n_arms, size=n)) % n_arms
    some = [rng.integers(size, size=n) for size in (n_groups, n_contexts)]
    return Side(left, right, rng.integers(2, size=n).astype(float), np.ones(n), *some)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_parts_are_means_over_all_orders_and_add_up(seed):
    rng = np.random.default_rng(seed)
    k, n_groups, n_contexts = 3, 2, 2
    sides = [side_of(rng, 40, k, n_groups, n_contexts) for _ in range(2)]
    s, change = rng.normal(size=(2, k))
    d, e = rng.normal(size=(n_groups, k)), rng.normal(size=(n_contexts, k))
    mixes = _Mixes(*sides, k, n_groups, n_contexts, (0, 1))
    found = mixes.parts(s[None], d[None], e[None], change[None])[0]

    def shares(column, size):
        return [[float((getattr(one, column) == n).mean()) for n in range(size)] for one in sides]

    def opponents(one, arm):
        met = [*one.right[one.left == arm].tolist(), *one.left[one.right == arm].tolist()]
        return {j: met.count(j) / len(met) for j in range(k) if j in met}

    facts = {
        "s": s, "d": d, "e": e, "change": change, "old": 0, "new": 1,
        "voters": shares("group", n_groups), "questions": shares("context", n_contexts),
        "pairs": [{arm: opponents(one, arm) for arm in (0, 1)} for one in sides],
    }  # fmt: skip
    wanted = naive_parts(facts)
    assert found == pytest.approx([wanted[name] for name in FACTORS], abs=1e-12)
    whole = mixes.lead((1, 1, 1, 1), s[None], d[None], e[None], change[None])
    none = mixes.lead((0, 0, 0, 0), s[None], d[None], e[None], change[None])
    assert found.sum() == pytest.approx((whole - none)[0], abs=1e-12)


@pytest.mark.parametrize(("count", "won", "size"), [(40, 28, 0.5), (300, 170, 1.0), (12, 6, 0.4)])
def test_evidence_is_near_the_integral(count, won, size):
    evidence, mode, _ = fit([(np.ones((1, 1)), size)], np.array([count]), np.array([float(won)]))
    grid = np.linspace(-6, 6, 20_001)
    height = won * grid - count * np.logaddexp(0, grid) - 0.5 * (grid / size) ** 2
    wanted = np.log(np.exp(height - height.max()).sum() * (grid[1] - grid[0])) + height.max()
    wanted -= np.log(size * np.sqrt(2 * np.pi))
    assert evidence == pytest.approx(wanted, abs=0.02)
    assert mode[0] == pytest.approx(grid[height.argmax()], abs=1e-3)


def drawn(world, seed, n=3_000):
    """Return a log of a world with pairs by chance, and its plan."""
    rng = np.random.default_rng(seed)
    plan = WORLDS[world](rng)
    late = np.arange(n) >= n // 2
    group = (rng.random(n) < plan.voters[late.astype(int)]).astype(int)
    context = (rng.random(n) < plan.questions[late.astype(int)]).astype(int)
    left = rng.integers(4, size=n)
    right = (left + rng.integers(1, 4, size=n)) % 4
    s = plan.strengths[late.astype(int), group, context]
    gap = s[np.arange(n), left] - s[np.arange(n), right]
    won = (rng.random(n) < 1 / (1 + np.exp(-gap))).astype(float)
    kinds = pl.DataFrame({"kind": group.astype(str), "context": context.astype(str)})
    log = dd.Log([*"abcd"], np.arange(n) / 200, left, right, won, extras=kinds, dated=True)
    return log, plan


def asked(log, **more):
    end = float(log.time[-1])
    return why(log, end / 2 - 0.3, end / 2 + 0.3, voters=["kind"], questions=["context"], **more)


@pytest.mark.parametrize("world", WORLDS)
def test_a_planted_cause_is_found(world):
    for seed in (1, 2, 3):
        log, plan = drawn(world, seed)
        cause = asked(log)
        assert judge(cause, plan) == "right", (seed, cause)
        assert sum(cause.probability.values()) == pytest.approx(1)
        assert set(cause.probability) == set(CAUSES)
        assert sum(cause.parts.values()) == pytest.approx(cause.total)


def test_at_a_fixed_mix_of_voters_a_reversal_goes_the_other_way():
    log, _ = drawn("reversal", 1)
    cause = asked(log)
    assert cause.remains("voters") < 0
    words = " ".join(plain(one) for one in sentences(cause, CLOCK))
    assert words.startswith("b took over from a most likely because of other voters (")
    assert "By kind, 1 had 19% of the votes before and 80% after." in words
    assert "of voters: nothing (it would go the other way)" in words


def test_without_the_field_nobody_sees_that_others_vote_and_the_page_says_so():
    log, _ = drawn("voters", 1)
    end = float(log.time[-1])
    cause = why(log, end / 2 - 0.3, end / 2 + 0.3)
    assert cause.probability["voters"] == 0
    words = " ".join(plain(one) for one in sentences(cause, CLOCK))
    assert "No field tells voters apart, so that others voted cannot be seen." in words


def test_where_all_old_voters_left_at_once_nobody_can_tell():
    rng = np.random.default_rng(0)
    n = 2_000
    late = np.arange(n) >= n // 2
    won = (rng.random(n) < np.where(late, 0.3, 0.7)).astype(float)
    kinds = pl.DataFrame({"kind": np.where(late, "new", "old")})
    log = dd.Log(["tea", "milk"], np.arange(n), [0] * n, [1] * n, won, extras=kinds)
    cause = why(log, 990, 1_010, voters=["kind"])
    assert cause.named == ()
    assert 0.1 < cause.probability["voters"] < 0.7
    assert "why cannot be told" in plain(sentences(cause, CLOCK)[0])


def test_a_release_at_that_time_makes_its_option_likelier_and_another_does_not():
    log, _ = drawn("option", 2)
    plainly = asked(log)
    middle = log.moment(float(log.time[-1]) / 2)
    mine = Release("version 2", Moment.of(middle), "c")
    other = Release("version 2", Moment.of(middle), "a")
    early = Release("version 2", Moment.of(log.moment(1.0)), "c")
    with_mine, with_other, with_early = (asked(log, releases=[one]) for one in (mine, other, early))
    assert with_mine.release == mine
    assert with_mine.released > 0.8
    assert with_mine.probability["option"] >= plainly.probability["option"]
    assert with_other.release is None
    assert with_early.release is None
    assert with_early.probability == plainly.probability
    words = " ".join(plain(one) for one in sentences(with_mine, CLOCK))
    assert "because of a change of c alone" in words
    assert "It came with version 2 of c (" in words


def test_few_votes_explain_nothing():
    log, _ = drawn("taste", 0, n=40)
    assert asked(log) is None


def test_a_change_that_was_none_is_explained_by_none():
    rng = np.random.default_rng(3)
    n = 6_000
    left = rng.integers(2, size=n)
    log = dd.Log(["tea", "milk"], np.arange(n), left, 1 - left, rng.integers(2, size=n))
    cause = why(log, 2_990, 3_010, leaders=("tea", "milk"))
    assert cause.probability["none"] > 0.5


def test_the_same_votes_have_the_same_cause():
    log, _ = drawn("two", 5)
    assert asked(log) == asked(log)


def test_a_change_is_the_same_if_all_pairs_are_shown_the_other_way_round():
    log, _ = drawn("option", 4)
    turned = dd.Log(
        log.arms, log.time, log.right, log.left, 1 - log.outcome, extras=log.extras, dated=True
    )
    one, other = explain_of(log), explain_of(turned)
    assert one.total == pytest.approx(other.total, abs=1e-4)
    assert one.option == other.option


def explain_of(log):
    half = len(log) // 2
    none = np.zeros(half, int)
    sides = [
        Side(
            log.left[rows].astype(int), log.right[rows].astype(int), log.outcome[rows],
            np.ones(half), none, none,
        )
        for rows in (slice(0, half), slice(half, None))
    ]  # fmt: skip
    return explain(*sides, 4, 0, 2)


def test_an_analysis_by_group_says_why_each_change_came():
    log, _ = drawn("voters", 1)
    found = dd.analyse(log, by="kind", pairs="uniform")
    (cause,) = found.causes
    assert (cause.before, cause.after, cause.named) == ("a", "b", ("voters",))
    said = [one for one in found.sentences if "because of other voters" in one]
    assert said[0].startswith("b took over from a most likely")
    (told,) = found.to_dict()["causes"]
    assert told["says"].startswith(said[0])
    assert told["named"] == ["voters"]
    assert not dd.analyse(log, pairs="uniform").causes
    (proved,) = dd.history(log, pairs="uniform").causes(log, ["kind"], ["context"])
    assert proved.named == ("voters",)


def test_an_analysis_knows_releases():
    log, _ = drawn("option", 2)
    mark = Release("version 2", Moment.of(log.moment(float(log.time[-1]) / 2)), "c")
    found = dd.analyse(log, pairs="uniform", releases=[mark])
    assert found.causes[0].release == mark
    assert any("version 2 of c" in one for one in found.sentences)
