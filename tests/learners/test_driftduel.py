"""DRIFTDUEL: by the letter, from both sides, in worlds that change or do not, and what it tells."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.learners.contract.ranges import check_state
from driftduel.learners.driftduel.constants import Calibration
from driftduel.learners.driftduel.knowledge import even_evidence
from driftduel.learners.driftduel.state import KINDS as DUELS
from driftduel.learners.parts.dates import ROOM
from driftduel.testing.driving import switching_world, tell_as_played
from tests.learners.driving import play, play_beside, random_matrix, tosses
from tests.learners.problems import random_weight
from tests.modes import COMPILED
from tests.naive.dates import EveryToss
from tests.naive.driftduel import DriftDuel
from tests.naive.driftduel_trial import bayes_factor
from tests.naive.protocol import TooCloseError

KINDS = ["borda", "weighted", "condorcet"]
RUNS = 8 if COMPILED else 2
DEAF = 1e9
"""A threshold that nothing reaches."""

hasty = st.builds(
    Calibration,
    hope=st.sampled_from([0.11, 0.43]),
    share=st.sampled_from([0.0, 0.7]),
    depose=st.sampled_from([0.07, 0.21]),
    mixed=st.sampled_from([0.05, 0.3]),
    patience=st.sampled_from([0.5, 2.0, 30.0]),
    watch=st.sampled_from([0.3, 2.0]),
    alarm=st.sampled_from([0.5, 1.5, 4.0, DEAF, DEAF]),
    keep=st.sampled_from([0.2, 0.6, 1.0]),
    most=st.sampled_from([1.0, 7.0, 2000.0]),
    undecided=st.sampled_from([1.0, 3.0]),
    noise=st.sampled_from([0.0, 0.5]),
    close=st.sampled_from([0.0, 0.7]),
    lasting=st.sampled_from([0.5, 0.97]),
    behind=st.sampled_from([0.4, 3.0]),
    behind_share=st.sampled_from([0.2, 1.0]),
    even_duels=st.sampled_from([1.5, 200.0]),
    retest=st.sampled_from([1.0, 4.0]),
    floor=st.sampled_from([0.02, 0.6]),
    rise=st.sampled_from([0.13, 5.0]),
    background=st.sampled_from([0.03, 1.0]),
    doubt=st.sampled_from([0.7, 1.5]),
    sway=st.sampled_from([0.2, 2.5]),
    trial_share=st.sampled_from([0.1, 0.6]),
    most_trial=st.sampled_from([6.0, 400.0]),
    old_duels=st.sampled_from([0.0, 1.5, 8.0]),
    clear=st.sampled_from([0.3, 2.0]),
    likely=st.sampled_from([-6.0, -3.0, 1.7]),
    proof=st.sampled_from([-10.0, -8.0, -5.0]),
    replay_rate=st.sampled_from([0.0, 0.02, 1.0]),
)
"""Thresholds so low that everything happens within a few hundred rounds."""

problems = st.fixed_dictionaries(
    {
        "n_arms": st.integers(2, 8),
        "seed": st.integers(0, 2**32 - 1),
        "late": st.sampled_from([0.0, 0.6]),
        "false_restarts": st.sampled_from([0.01, 0.3]),
        "calibration": hasty,
    }
)


def weights_for(kind, rng, n_arms):
    """A criterion, its weights and when they begin to hold."""
    if kind != "weighted":
        return kind, [[1 / n_arms] * n_arms], [0]
    starts = np.union1d([0], rng.integers(0, 300, rng.integers(0, 4)))
    sequence = dd.WeightSequence([random_weight(rng, n_arms) for _ in starts], starts)
    # Equal weights one after the other are one.
    return dd.Weighted(sequence), list(sequence.table), sequence.starts


def play_problem(
    kind, n_arms, seed, late, false_restarts, calibration, n_rounds=300, regret="strong"
):
    """Play beside the oracle; return learner and oracle."""
    rng = np.random.default_rng(seed)
    criterion, weights, starts = weights_for(kind, rng, n_arms)
    learner = dd.DriftDuel(
        n_arms,
        criterion=criterion,
        seed=seed,
        false_restarts=false_restarts,
        calibration=calibration,
        regret=regret,
    )
    oracle_of = partial(
        DriftDuel,
        n_arms,
        calibration,
        false_restarts,
        weights,
        starts,
        kind != "condorcet",
        regret == "weak",
    )
    world = [random_matrix(rng, n_arms) for _ in range(4)]
    played = play_beside(
        learner, oracle_of, n_rounds, seed, world=world, late=late, compare=compare, rel=1e-8
    )
    compare_the_past(learner, played.oracle)
    check_state(learner, learner._session.state, learner._session.told)
    return learner, played.oracle


def compare(learner, oracle):
    state = learner._session.state
    clock, surprise = state.clock[0], state.surprise[0]
    assert clock["led"] == oracle.led
    assert clock["alarms"] == oracle.alarms
    assert clock["shifts"] == oracle.shifts
    assert clock["strongest"] == oracle.strongest
    assert clock["by_scores"] == oracle.by_scores
    assert clock["settled"] == oracle.settled
    assert abs(surprise["any"] - oracle.surprise()) < 1e-9
    assert abs(surprise["level"] - oracle.leader_surprise("level")) < 1e-9
    assert abs(surprise["turned"] - oracle.leader_surprise("turned")) < 1e-9
    assert state.trial[0]["on"] == (oracle.trial is not None)
    if oracle.trial is not None:
        compare_trials(state.trial[0], oracle, oracle.trial)
    if oracle.scored:
        for arm, record in zip(oracle.arms, state.arms, strict=True):
            rise, leap, calm, odd, risen = oracle.rise(arm)
            assert abs(record["rise"] - rise) < 1e-9
            assert abs(record["leap"] - leap) < 1e-9
            tossed = record["calm_n"], record["calm_sum"], record["odd_n"], record["odd_sum"]
            assert tossed == (*calm, *odd)
            assert record["risen"] == risen
    assert state.plan[0]["total"] == pytest.approx(sum(oracle.plan.values()), rel=1e-8)


def compare_trials(trial, oracle, expected):
    assert trial["accused"] == expected.accused
    assert trial["failed"] == oracle.failed
    assert trial["budget"] == pytest.approx(expected.budget)
    before = oracle.tosses(expected.accused, expected.first, expected.moment)
    since = oracle.tosses(expected.accused, expected.moment)
    assert (trial["n0"], trial["sum0"], trial["n1"], trial["sum1"]) == (*before, *since)
    assert trial["pairs"] == pytest.approx(oracle.pairs_evidence(), abs=1e-8)


def compare_the_past(learner, oracle):
    done = [
        (e.round, e.arm, e.beaten_by, e.first, e.last, e.weight, e.base) for e in learner.evictions
    ]
    assert done == [
        (e.round, e.arm, e.beaten_by, e.start, e.round, None, e.base) for e in oracle.evictions
    ]
    for one, expected in zip(learner.evictions, oracle.evictions, strict=True):
        found = one.statistic, one.threshold
        assert found == pytest.approx((expected.statistic, expected.threshold), abs=1e-8)
    assert [(one.round, one.arm) for one in learner.activations] == oracle.activations
    changes = learner.report().changes
    assert [(c.noticed, c.before, c.after) for c in changes] == [
        change[:3] for change in oracle.changes[-64:]
    ]
    compare_dates(changes, oracle.changes)


def compare_dates(changes, expected):
    """Ranges are those of all tosses, at least where none of them had to be put together."""
    if len(expected) > len(changes):
        return
    since = 0
    for change, (_, fell, rose, known) in zip(changes, expected, strict=True):
        assert change.around == (change.earliest + change.latest) // 2
        assert since <= change.earliest <= change.latest < change.noticed or change.latest == since
        every = EveryToss()
        for toss in known:
            every.record(*toss)
        if known and known[-1][0] > since and len(known) < ROOM:
            assert (change.earliest, change.latest) == every.date(since, fell, rose)
        since = change.latest


REACHED = {
    *(set(DUELS) - {"rise"}),
    *("alarm", "alarm during a trial", "moment moved", "deposed", "likely", "restart", "failed"),
    *("throttle", "replay"),
}
"""What happens under every criterion."""

SCORED = {"by scores", "back from scores", "rise", "risen", "risen leader"}
SCORED |= {"even for long", "far behind"}
MORE = {
    "borda": SCORED,
    "weighted": SCORED | {"turn"},
    "condorcet": set(),
}


def play_its_letter(kind, n_problems):
    """Play beside the letter; return how often what happened.

    Some outcomes are ties, some come late or never.
    """
    seen = Counter()

    @settings(
        max_examples=n_problems,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        # To shrink a problem of hundreds of rounds takes minutes.
        phases=[Phase.generate],
    )
    @given(problems)
    def play_one(problem):
        try:
            _, oracle = play_problem(kind, **problem)
        except TooCloseError:
            seen["too close to tell"] += 1
        else:
            seen.update(oracle.reached)

    play_one()
    assert seen["too close to tell"] <= n_problems / 5
    return seen


@pytest.mark.parametrize("kind", KINDS)
def test_it_plays_what_its_letter_plays(kind):
    assert play_its_letter(kind, 25)["restart"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_it_plays_what_its_letter_plays_whatever_happens(kind):
    wanted = REACHED | MORE[kind]
    if kind == "condorcet":
        wanted = wanted - {"audit"}
    assert wanted <= set(play_its_letter(kind, 100))


@pytest.mark.parametrize("kind", KINDS)
def test_for_weak_regret_it_plays_its_letter_and_the_leader_never_meets_itself(kind):
    reached = set()
    for seed in range(8):
        constants = replace(
            Calibration(), hope=0.43, alarm=0.5, proof=-8.0, likely=-3.0, trial_share=0.6
        )
        # With a threshold that a sum reaches exactly the two may disagree.
        with suppress(TooCloseError):
            _, oracle = play_problem(
                kind, 2 + seed % 4, seed, 0.6 * (seed % 2), 0.3, constants, regret="weak"
            )
            reached |= oracle.reached
    assert {"rest", "look", "challenge"} <= reached


@pytest.mark.large
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(1, 4))
def test_it_plays_its_letter_for_long(kind, seed):
    """After 500 duels the learner sums the evidence again, and after 128 tosses it merges some.

    But .4 ln 32 is the evidence of two duels lost, and .2 ln 32 that of one: rounding would say
    which is more. It would too in the run of seed 0, in which six duels are lost when the bar of a
    retest is ln 64.
    """
    constants = replace(Calibration(), hope=0.4013, depose=0.2017, watch=4.0)
    learner, oracle = play_problem(kind, 4, seed, 0.0, 0.01, constants, n_rounds=1500)
    assert learner.rounds == 1500
    assert len(oracle.duels()) > 500


def test_later_duels_of_a_trial_add_up_to_the_bayes_factor():
    """Without ties the ratios of predictive chances are that of all duels together."""
    rng = np.random.default_rng(1)
    constants = Calibration(alarm=0.5, proof=DEAF, most_trial=DEAF, old_duels=0.0)
    learner = dd.DriftDuel(4, seed=2, calibration=constants)
    state = learner._session.state
    compared = 0
    for matrix in (random_matrix(rng, 4) for _ in range(6)):
        outcome = tosses(matrix, seed=compared)
        for _ in range(60):
            play(learner, 1, outcome)
            accused = state.trial[0]["accused"]
            if state.trial[0]["on"]:
                whole = sum(
                    bayes_factor(
                        (state.before[accused, j], state.before[j, accused]),
                        (state.since[accused, j], state.since[j, accused]),
                    )
                    for j in range(4)
                    if j != accused
                )
                assert state.trial[0]["pairs"] == pytest.approx(whole, abs=1e-8)
                compared += 1
    assert compared > 100


# Sides.


def any_weight(kind, n_arms):
    if kind == "weighted":
        return dd.Weighted(np.arange(1, n_arms + 1) / np.arange(1, n_arms + 1).sum())
    return kind


def as_if_planned(learner, duel):
    """Make all rounds of one kind; arms that may take part in it are not the leader."""
    state = learner._session.state
    leader = state.clock[0]["leader"]
    others = [arm for arm in range(learner.n_arms) if arm != leader]
    plan = state.plan[0]
    for name in DUELS:
        plan[name] = float(name == duel)
    plan["total"] = 1.0
    plan["challenger"] = others[0] if duel == "challenge" else -1
    plan["contested"] = plan["blocker"] = -1
    if duel == "retest":
        plan["contested"] = others[0]
        plan["blocker"] = -1 if state.rule[0]["scored"] else others[2]
    plan["audited"] = others[1]
    state.trial[0]["accused"] = others[2]
    state.arms["extra"] = 0.0
    state.arms["extra"][others[:2]] = [0.5, 1.5]
    plan["extras"] = 2.0
    state.arms["again"] = 0.0
    state.arms["again"][others[1:]] = [0.5, 1.5]
    plan["rises"] = 2.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("duel", DUELS)
@pytest.mark.parametrize("by_scores", [False, True])
def test_either_side_is_as_likely_in_every_kind_of_round(kind, duel, by_scores):
    """3000 duels asked; by Hoeffding a false alarm has probability below 1e-6 for each pair."""
    learner = dd.DriftDuel(4, criterion=any_weight(kind, 4), seed=3)
    play(learner, 60, tosses(np.full((4, 4), 0.5)))
    as_if_planned(learner, duel)
    state = learner._session.state
    if by_scores:
        state.plan["witness"] = 1
        state.clock["strongest"] = (state.clock["leader"] + 1) % 4
    asked = [learner.ask() for _ in range(3000)]
    counts = Counter((one.left, one.right) for one in asked)
    chances = {(one.left, one.right): one.propensity for one in asked}
    assert sum(chances.values()) == pytest.approx(1)
    far = math.log(2e6)
    for (i, j), chance in chances.items():
        assert i != j
        assert chances[j, i] == pytest.approx(chance, rel=1e-12)
        met = counts[i, j] + counts[j, i]
        assert abs(counts[i, j] - counts[j, i]) < math.sqrt(2 * met * far)
        assert abs(counts[i, j] - 3000 * chance) < math.sqrt(2 * far * 3000 * chance) + far


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_coin_says_whether_the_leader_stands_left(kind, seed):
    """By Azuma a false alarm has probability below 1e-6."""
    constants = Calibration(alarm=2.0, proof=-4.0, likely=-2.0, sway=0.5, watch=2.0)
    learner = dd.DriftDuel(4, criterion=any_weight(kind, 4), seed=seed, calibration=constants)
    matrix = random_matrix(np.random.default_rng(seed), 4)
    sides = Counter()
    for t in range(1500):
        duel, leader = learner.ask(), learner.best()
        if duel.left != duel.right:
            sides["lower" if duel.left < duel.right else "higher"] += 1
            if leader in (duel.left, duel.right):
                sides["leader" if duel.left == leader else "other"] += 1
        if t % 300 == 0:
            outcome = tosses(matrix if t % 600 else matrix.T, seed=t)
        tell_as_played(learner, duel, outcome(duel.left, duel.right))
    for one, two in (("lower", "higher"), ("leader", "other")):
        n = sides[one] + sides[two]
        assert n > 100
        assert abs(sides[one] - sides[two]) < math.sqrt(2 * n * math.log(2e6))


@pytest.mark.parametrize("kind", KINDS)
def test_a_voter_who_always_says_left_speaks_for_nobody(kind):
    """Every duel is then a fair coin; each run has a chance of 1 % to restart."""
    for seed in range(RUNS):
        learner = dd.DriftDuel(3, criterion=any_weight(kind, 3), seed=seed)
        play(learner, 1500, lambda left, right: 1.0)
        assert learner.episodes == [0]
        wins = learner._session.state.wins
        for i, j in ((0, 1), (0, 2), (1, 2)):
            met = wins[i, j] + wins[j, i]
            assert abs(wins[i, j] - wins[j, i]) < math.sqrt(2 * met * math.log(2e6)) + 1


# Worlds.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_arms", [2, 3, 6])
def test_a_clear_change_is_declared_with_its_names_and_its_time(kind, n_arms):
    """First arm 0 wins nine of ten duels, from round 2000 on the last arm.

    A range holds the round of 95 % of changes. Another arm than the last may lead for a while, and
    be named, in about one run of twenty. Another arm than 0 may have led by luck in the first
    rounds and still be on trial; it is then named in about one run of seventy.
    """
    world = switching_world(n_arms, 4000)
    seen = Counter()
    for seed in range(RUNS):
        learner = dd.DriftDuel(n_arms, criterion=any_weight(kind, n_arms), seed=seed)
        script = np.random.default_rng(seed)
        for t in range(4000):
            duel = learner.ask()
            tell_as_played(
                learner, duel, float(script.random() < world.matrix(t)[duel.left, duel.right])
            )
        assert learner.best() == n_arms - 1
        changes = learner.report().changes
        assert learner.episodes == [0, *(change.noticed for change in changes)]
        seen["declared"] += len(changes) == 1
        for change in changes:
            assert 2000 < change.noticed < 3500
            seen["old named"] += change.before == 0
            assert change.earliest <= change.around <= change.latest < change.noticed
            seen["named"] += change.after == n_arms - 1
            seen["held"] += change.earliest <= 2000 <= change.latest
    assert min(seen["declared"], seen["held"], seen["old named"]) >= RUNS - 1
    assert seen["named"] >= 3 * RUNS // 4 - (seen["declared"] < RUNS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_arms", [2, 5])
def test_a_world_that_never_changes_is_not_declared_changed(kind, n_arms):
    """Runs of 3000 rounds, in each world at most one in a hundred restarts (see benchmarks)."""
    arms = np.arange(n_arms)
    for step in (0.0, 0.05, 0.5 / n_arms):
        world = dd.Stream.stationary(0.5 + step * (arms[None, :] - arms[:, None]), 3000)
        learner = dd.DriftDuel(n_arms, criterion=any_weight(kind, n_arms))
        for seed in range(RUNS):
            assert list(dd.simulate(learner, world, seed).episodes) == [0]


@pytest.mark.parametrize("kind", KINDS)
def test_voters_who_cannot_decide_change_nothing(kind):
    learner = dd.DriftDuel(4, criterion=any_weight(kind, 4), seed=1)
    play(learner, 1500, lambda left, right: 0.5)
    assert learner.episodes == [0]
    state = learner._session.state
    assert (state.wins == state.wins.T).all()
    assert not state.arms["against"].any()
    assert learner.active.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_where_nine_of_ten_votes_are_ties_a_swap_is_followed(kind):
    """Of the votes that are not ties, first arm 0 wins nine of ten, from round 1000 on arm 2."""
    right = 0
    for seed in range(RUNS // 2):
        learner = dd.DriftDuel(3, criterion=any_weight(kind, 3), seed=seed)
        for best, n_rounds in ((0, 1000), (2, 5000)):
            matrix = np.full((3, 3), 0.5)
            matrix[best], matrix[:, best] = 0.54, 0.46
            matrix[best, best] = 0.5
            script = np.random.default_rng(seed)

            def outcome(left, right, script=script, matrix=matrix):
                won = float(script.random() < 0.5 + 10 * (matrix[left, right] - 0.5))
                return won if script.random() < 0.1 else 0.5

            play(learner, n_rounds, outcome)
            right += learner.best() == best
        assert learner.episodes == [0] or len(learner.episodes) == 2
    assert right >= 2 * (RUNS // 2) - 1


def test_ties_are_counted_apart_from_wins():
    learner = dd.DriftDuel(2, criterion="condorcet", seed=1)
    duels = [duel for duel in (learner.ask() for _ in range(40)) if duel.is_vote][:3]
    for duel, outcome in zip(duels, (0.5, 1.0, 0.5), strict=True):
        learner.tell(duel, outcome)
    state = learner._session.state
    first = duels[1].left
    assert state.wins[first, 1 - first] == 1
    assert state.wins.sum() == 1
    assert (state.ties == [[0, 2], [2, 0]]).all()
    duel = next(duel for duel in (learner.ask() for _ in range(40)) if duel.is_vote)
    learner.tell(duel, 0.25)
    assert state.wins.sum() == 1.5
    assert (state.ties == [[0, 2.5], [2.5, 0]]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_outcomes_a_hundred_rounds_late_in_any_order_are_learned_from(kind, tmp_path):
    """Loading checks every part of the state."""
    matrix = switching_world(5, 1).matrix(0)
    learner = dd.DriftDuel(5, criterion=any_weight(kind, 5), seed=4)
    script = np.random.default_rng(5)
    waiting = []
    for _ in range(3000):
        waiting.append(learner.ask())
        if len(waiting) > 100:
            duel = waiting.pop(script.integers(len(waiting)))
            tell_as_played(learner, duel, float(script.random() < matrix[duel.left, duel.right]))
    assert len(learner.open_duels) == 100
    assert learner.best() == 0
    assert learner.episodes == [0]
    learner.save(tmp_path / "late.json")
    again = dd.load_learner(tmp_path / "late.json")
    for duel in waiting:
        for one in (learner, again):
            tell_as_played(one, duel, float(matrix[duel.left, duel.right] > 0.5))
    assert again.report() == learner.report()
    assert again.ask() == learner.ask()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_arms", [2, 100])
def test_two_arms_and_a_hundred_are_played(kind, n_arms, tmp_path):
    """The first arm beats all others nine times in ten."""
    learner = dd.DriftDuel(n_arms, criterion=any_weight(kind, n_arms), seed=2)
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[0, 1:], matrix[1:, 0] = 0.9, 0.1
    n_rounds = 60 * n_arms
    pairs = play(learner, n_rounds, tosses(matrix))
    assert learner.best() == 0
    assert learner.episodes == [0]
    assert pairs.count((0, 0)) > 10
    learner.save(tmp_path / "arms.json")
    assert dd.load_learner(tmp_path / "arms.json").report() == learner.report()


def test_a_known_change_of_the_weight_is_followed_and_is_no_change_of_taste():
    """Arm 0 beats arm 2, arm 1 beats arm 0, arm 2 beats arm 1; only one arm is met at a time."""
    matrix = np.array([[0.5, 0.1, 0.9], [0.9, 0.5, 0.1], [0.1, 0.9, 0.5]])
    sequence = dd.WeightSequence([[0, 0, 1], [1, 0, 0], [0, 1, 0]], [0, 1000, 2000])
    for seed in range(RUNS):
        learner = dd.DriftDuel(3, criterion=dd.Weighted(sequence), seed=seed)
        outcome = tosses(matrix, seed)
        for best in (0, 1, 2):
            # The weight of round 1000 holds as soon as round 999 is told.
            play(learner, 999 if best == 0 else 1000, outcome)
            assert learner.best() == best
        assert learner.episodes == [0]
        assert learner.report().changes == ()


def test_a_win_that_faded_to_the_least_of_all_numbers_is_no_evidence():
    """An arm that won once and lost for 10^6 duels had evidence of nan against it."""
    least = np.nextafter(0.0, 1.0)
    assert least * (1 - 1 / 2000) == least  # so fading ends here and never at 0
    assert even_evidence(least, 2000.0) == even_evidence(0.0, 2000.0)
    assert even_evidence(2000.0, least) == even_evidence(2000.0, 0.0)


def test_for_weak_regret_every_duel_is_a_vote():
    learner = dd.DriftDuel(3, seed=4, regret="weak")
    for _ in range(300):
        duel = learner.ask()
        assert duel.is_vote
        learner.tell(duel, float(duel.left < duel.right))
    assert learner.best() == 0
    with pytest.raises(ValueError, match="regret is 'mild', must be 'strong' or 'weak'"):
        dd.DriftDuel(3, regret="mild")


# Worlds that used to break it.


@pytest.mark.large
def test_weak_regret_is_smaller_if_the_learner_plays_for_it():
    # 10 arms, T = 10^5, five phases of Bradley-Terry-Luce matrices; seeds 0 to 7. With 40 other
    # seeds the weak regret was 312 in the weak mode (at most 681) and 641 in the other, with
    # standard deviations of 130 and 250: means of 8 runs are in that order but for 1 in 2,000.
    rng = np.random.default_rng(1)
    strengths = np.exp(rng.normal(size=(5, 10)))
    matrices = [s[:, None] / (s[:, None] + s) for s in strengths]
    world = dd.Stream.piecewise(matrices, np.arange(5) * 20_000, 100_000)
    weak, strong = (
        dd.simulate_many(dd.DriftDuel(10, regret=kind), world, range(8), points=20)
        for kind in ("weak", "strong")
    )
    assert all(run.regret(weak=True)[-1] < 1000 for run in weak)
    totals = [sum(run.regret(weak=True)[-1] for run in runs) for runs in (weak, strong)]
    assert totals[0] < totals[1]
    assert all(run.regret()[-1] > 8000 for run in weak)  # what weak regret does not see
