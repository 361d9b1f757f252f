"""The race in hindsight: who is clearly behind plays no more, and it goes on where it stopped."""

from __future__ import annotations

import math
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from benchmarks import _hindsight_rivals, hindsight
from benchmarks._hindsight_rivals import Rival
from benchmarks.hindsight import FEW, SCORING, TUNING, Deadline, Runs
from studies.benchmark import suite
from tests.studies import tiny_suite

RIVAL = Rival(
    dd.learners.SlidingBordaGreedy,
    {"exploration": (0.01, 0.1, 1.0), "window": (10.0, 100.0)},
    {"exploration": 1.0},
    ("window",),
)


def bowl(best):
    """A loss that is least at a point and grows with the distance of logarithms."""
    return lambda point, _=math.inf: sum(math.log(point[key] / best[key]) ** 2 for key in best)


def test_a_walk_ends_within_a_step_of_the_best_also_beyond_the_grid():
    best = {"exploration": 0.05, "window": 700.0}
    loss = bowl(best)
    start = {"exploration": 0.1, "window": 100.0}
    found, least = hindsight.walk(RIVAL, loss, start, loss(start), 0.25)
    assert least == loss(found)
    for key, value in best.items():
        assert abs(math.log10(found[key] / value)) <= 0.125


def test_a_walk_stays_within_the_limits():
    loss = bowl({"exploration": 5.0, "window": 50.0})
    start = {"exploration": 0.1, "window": 10.0}
    found, _ = hindsight.walk(RIVAL, loss, start, loss(start), 0.5)
    assert found["exploration"] == pytest.approx(1.0)


def test_a_walk_that_finds_nothing_better_stays():
    start = {"exploration": 0.1, "window": 10.0}
    assert hindsight.walk(RIVAL, lambda _point, _least: 1.0, start, 1.0, 0.5) == (start, 1.0)


def test_a_walk_leaves_coarse_parameters_alone():
    rival = Rival(dd.learners.RUCB, {"width": (1.0, 2.0), "every": (10.0, 20.0)}, coarse=("every",))
    start = {"width": 1.0, "every": 10.0}
    found, _ = hindsight.walk(rival, bowl({"width": 8.0, "every": 80.0}), start, 99.0, 0.5)
    assert found["every"] == 10.0
    assert found["width"] == pytest.approx(8.0)


def test_points_are_rounded_to_what_is_reported():
    point = {"exploration": 1.234567, "window": 0.2}
    assert RIVAL.rounded(point) == {"exploration": 1.0, "window": 1}
    assert RIVAL.rounded({"window": 123456.0}) == {"window": 123000}


def test_a_grid_has_only_points_that_make_sense():
    grid = {"exploration": (30.0, 300.0), "every": (100.0, 1000.0, 10_000.0)}
    rival = Rival(
        _hindsight_rivals.restarting(dd.learners.BordaETC), grid, {}, ("exploration", "every")
    )
    assert [tuple(point.values()) for point in rival.points(5000)] == [
        (30.0, 100.0),
        (30.0, 1000.0),
        (300.0, 1000.0),
    ]


def test_slow_rivals_try_no_memory_that_is_short_for_a_long_world():
    rival = Rival(dd.learners.DiscountedDTS, {"memory": _hindsight_rivals.ROUNDS}, slow=True)
    assert [point["memory"] for point in rival.points(10**6)] == [1e4, 3e4, 1e5]
    assert len(rival.points(10**5)) == len(_hindsight_rivals.ROUNDS)


@pytest.mark.parametrize("distance", [2500, 5000, 10**4, 15000, 20000, 25000, 33334, 50000, 10**5])
def test_periods_are_off_the_beat_of_evenly_spaced_changes(distance):
    assert _hindsight_rivals.off_the_beat(distance)
    for period in _hindsight_rivals.PERIODS:
        beats = distance / int(Rival(dd.learners.RUCB).rounded({"every": period})["every"])
        if 0.8 < beats < 8:
            assert abs(beats - round(beats)) > 0.06


def test_a_distance_that_a_period_divides_is_on_the_beat():
    period = round(
        _hindsight_rivals.Rival(dd.learners.RUCB).rounded({"every": _hindsight_rivals.PERIODS[3]})[
            "every"
        ]
    )
    assert not _hindsight_rivals.off_the_beat(period)
    assert not _hindsight_rivals.off_the_beat(5 * period + 20)
    assert _hindsight_rivals.off_the_beat(300)


def test_seeds_are_counted_from_the_first_of_the_half():
    stream = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], 50)
    with ThreadPoolExecutor(1) as pool:
        runs = Runs(stream, "condorcet", {"Uniform": Rival(dd.learners.Uniform)}, pool, 10_000)
        (found,) = runs.of([("Uniform", ())], TUNING[:FEW])
    played = dd.simulate_many(
        dd.learners.Uniform(2, 50), stream, range(11_000, 11_000 + FEW), points=1
    )
    assert found.tolist() == [run.regret("condorcet")[-1] for run in played]


@pytest.mark.parametrize("criterion", suite.CRITERIA)
def test_windows_of_rounds_are_off_the_beat_and_stay_so(criterion):
    truth = dd.measure(suite.worlds(criterion)[0].stream())
    windows = {
        name: rival
        for name, rival in hindsight.rivals(criterion, truth).items()
        if "window" in rival.grid and "exploration" not in rival.grid
    }
    assert len(windows) == (2 if criterion == "condorcet" else 0)
    for rival in windows.values():
        assert set(rival.grid["window"]) <= set(_hindsight_rivals.PERIODS)
        assert "window" not in rival.refined


@pytest.mark.parametrize("world", tiny_suite.worlds(), ids=lambda w: f"{w.criterion}, {w.label}")
def test_every_rival_of_the_list_can_play(world):
    stream = world.stream()[:20]
    listed = hindsight.rivals(world.criterion, dd.measure(world.stream()))
    for rival in listed.values():
        learner = rival.at(stream, rival.points(10**6)[0])
        assert dd.simulate(learner, stream, points=1).regret(world.criterion)[-1] >= 0


def test_periods_of_the_list_are_not_refined():
    for criterion in suite.CRITERIA:
        listed = hindsight.rivals(criterion, dd.measure(tiny_suite.worlds(criterion)[0].stream()))
        restarts = {name: r for name, r in listed.items() if name.startswith("PeriodicRestart")}
        assert len(restarts) >= 2
        assert not any("every" in rival.refined for rival in restarts.values())


def test_a_restarted_learner_plans_for_its_period():
    made = _hindsight_rivals.restarting(dd.learners.BordaETC)(3, 1000, every=200)
    assert made.inner.horizon == made.every == 200


# Who is clearly behind.


def test_clearly_behind_is_three_standard_errors_of_the_difference():
    leader = np.arange(8.0)
    spread = np.array([-1.0, 1.0] * 4)
    error = spread.std(ddof=1) / math.sqrt(8)
    assert hindsight.behind(leader + spread + 3.01 * error, leader)
    assert not hindsight.behind(leader + spread + 2.99 * error, leader)
    assert not hindsight.behind(leader, leader)


class Scripted(Runs):
    """Regrets by name: a level, and noise of a standard deviation of 1."""

    def __init__(self, levels, **rivals):
        known = {name: rivals.get(name, Rival(dd.learners.Uniform)) for name in levels}
        super().__init__(None, "borda", known, None)
        self.levels = levels

    def of(self, contestants, seeds):
        return [
            self.levels[name]
            + np.random.default_rng(list(name.encode())).normal(size=64)[: len(seeds)]
            for name, _ in contestants
        ]

    def entrants(self):
        those = [(name, ()) for name in self.levels]
        return dict(zip(those, self.of(those, SCORING[:FEW]), strict=True))


def counts(runs, **options):
    entrants = runs.entrants()
    hindsight.race(runs, entrants, SCORING, options.pop("late", Deadline()), **options)
    return {name: len(regrets) for (name, _), regrets in entrants.items()}


def test_who_is_clearly_behind_plays_no_more():
    assert counts(Scripted({"first": 10.0, "close": 10.1, "far": 20.0})) == {
        "first": 64,
        "close": 64,
        "far": FEW,
    }


def test_a_late_loser_stops_in_between():
    runs = counts(Scripted({"first": 10.0, "second": 11.2}))
    assert runs["first"] == 64
    assert FEW < runs["second"] < 64


def test_hope_is_for_those_that_can_be_refined():
    grid = Rival(dd.learners.BordaETC, {"exploration": (1.0, 10.0)})
    runs = Scripted({"first": 100.0, "plain": 108.0, "tuned": 108.0}, tuned=grid)
    assert counts(runs, hope=0.9) == {"first": 64, "plain": FEW, "tuned": 64}


class Ranked(Runs):
    """Points in a row, a little apart, with noise that is nothing in eight seeds together."""

    def of(self, contestants, seeds):
        noise = np.tile([1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0], len(seeds) // 8)
        return [place / 100 + np.roll(noise, place) for _, (place,) in contestants]


def test_only_the_best_points_of_a_rival_go_on_and_fewer_of_a_slow_one():
    rivals = {"Slow": Rival(dd.learners.DTS, slow=True), "Quick": Rival(dd.learners.RUCB)}
    runs = Ranked(None, "condorcet", rivals, None)
    those = [(name, (place,)) for name in rivals for place in range(1, 8)]
    entrants = dict(zip(those, runs.of(those, SCORING[:FEW]), strict=True))
    hindsight.race(runs, entrants, SCORING[: 2 * FEW], Deadline())
    going = [one for one, regrets in entrants.items() if len(regrets) > FEW]
    assert going == [("Slow", (n,)) for n in (1, 2)] + [("Quick", (n,)) for n in (1, 2, 3, 4)]


def test_learners_race_against_those_of_the_same_aim():
    stranger = Rival(dd.learners.RUCB, aims="condorcet")
    runs = Scripted({"first": 10.0, "far": 20.0, "stranger": 1.0}, stranger=stranger)
    assert counts(runs) == {"first": 64, "far": FEW, "stranger": 64}


def test_nobody_plays_on_when_the_time_is_over():
    assert set(counts(Scripted({"first": 10.0, "close": 10.1}), late=Deadline(0)).values()) == {FEW}


def test_runs_are_played_once_whoever_plays_them():
    stream = dd.Stream.stationary([[0.5, 0.9], [0.1, 0.5]], 50)
    listed = {"RUCB": Rival(dd.learners.RUCB), "Uniform": Rival(dd.learners.Uniform)}
    both = [("RUCB", ()), ("Uniform", ())]
    with ThreadPoolExecutor(2) as pool:
        runs = Runs(stream, "condorcet", listed, pool)
        few = runs.of(both, TUNING[:FEW])
        more = runs.of(both, TUNING[:16])
    for before, after, kind in zip(few, more, (dd.learners.RUCB, dd.learners.Uniform), strict=True):
        assert after[:FEW].tolist() == before.tolist()
        expected = dd.simulate_many(kind(2, 50), stream, TUNING[:16], points=1)
        assert after.tolist() == [run.regret("condorcet")[-1] for run in expected]


# The search, in a suite of tiny worlds with few rivals.


def few_rivals(criterion, truth):
    if criterion == "borda":
        return {
            "BordaETC": Rival(
                dd.learners.BordaETC, {"exploration": (5.0, 20.0)}, {}, ("exploration",)
            ),
            "Uniform": Rival(dd.learners.Uniform),
            "RUCB": Rival(dd.learners.RUCB, aims="condorcet"),
            "Slow": Rival(dd.learners.DEXP3, most_arms=2),
        }
    return {"RUCB": Rival(dd.learners.RUCB), "Uniform": Rival(dd.learners.Uniform)}


@pytest.fixture
def file(monkeypatch, tmp_path):
    """The file of answers, with an old one; the suite and the rivals are small."""
    monkeypatch.setattr(suite, "worlds", tiny_suite.worlds)
    monkeypatch.setattr(suite, "FOLDER", tmp_path)
    monkeypatch.setattr(hindsight, "rivals", few_rivals)
    gone = tiny_suite.answer(1.0, aims="condorcet")
    suite.store_hindsight({"condorcet": {"switching: two": {"Gone": gone}}}, {})
    return tmp_path / "hindsight.csv.gz"


def test_every_rival_is_answered_or_left_out(file):
    hindsight.search(suite.worlds(), workers=2)
    assert set(suite.hindsight()) == set(suite.left_out()) == set(suite.CRITERIA)
    for world in suite.worlds():
        answers = suite.hindsight()[world.criterion][world.label]
        left_out = suite.left_out()[world.criterion][world.label]
        assert {*answers, *left_out} == set(few_rivals(world.criterion, None))
        ours = [one for one in answers.values() if one["aims"] == world.criterion]
        assert min(ours, key=lambda one: one["mean"])["runs"] == len(SCORING)
    three = suite.left_out()["borda"]["stationary: ties"]
    assert three == {"Slow": "too slow for more than 2 arms"}
    tuned = suite.hindsight()["borda"]["switching: two"]["BordaETC"]
    assert (tuned["told"], list(tuned["parameters"])) == ("tuned in hindsight", ["exploration"])
    plain = suite.hindsight()["borda"]["switching: two"]["RUCB"]
    assert (plain["told"], plain["parameters"], plain["aims"]) == (
        "no prior knowledge",
        {},
        "condorcet",
    )


def test_answers_do_not_depend_on_the_number_of_workers(file):
    hindsight.search(suite.worlds(), workers=1)
    first = file.read_bytes()
    hindsight.search(suite.worlds(), workers=3, again=True)
    assert file.read_bytes() == first


def test_a_search_that_was_killed_goes_on_with_the_next_world(file, monkeypatch):
    whole, raced, most = hindsight.raced, [], 2

    def counted(runs, late):
        if len(raced) == most:
            raise KeyboardInterrupt
        raced.append((runs.criterion, runs.stream.n_arms))
        return whole(runs, late)

    monkeypatch.setattr(hindsight, "raced", counted)
    with pytest.raises(KeyboardInterrupt):
        hindsight.search(suite.worlds(), workers=2)
    half = suite.hindsight()
    assert half.keys() == {"borda", "condorcet"}
    most = 99
    hindsight.search(suite.worlds(), workers=2)
    assert sorted(raced) == [("borda", 2), ("borda", 3), ("condorcet", 2), ("condorcet", 3)]
    # All are finished, so nothing is left to do; what was known before the kill still is.
    hindsight.search(suite.worlds(), workers=2)
    assert len(raced) == 4
    for criterion, labels in half.items():
        for label, answers in labels.items():
            assert suite.hindsight()[criterion][label] == answers


def test_what_there_was_no_time_for_is_named_and_tried_again(file):
    hindsight.search(suite.worlds(), workers=2, minutes=0)
    assert suite.left_out()["borda"]["stationary: ties"] == {
        "BordaETC": "no time",
        "Uniform": "no time",
        "RUCB": "no time",
        "Slow": "too slow for more than 2 arms",
    }
    # What was known is still known, until the world is raced.
    assert list(suite.hindsight()["condorcet"]["switching: two"]) == ["Gone"]
    hindsight.search(suite.worlds(), workers=2)
    assert set(suite.hindsight()["condorcet"]["switching: two"]) == {"RUCB", "Uniform"}
    assert suite.left_out()["condorcet"]["switching: two"] == {}


def test_a_world_whose_time_ends_in_the_grids_is_scored_as_far_as_it_came(file):
    class AfterTwo(Deadline):
        asked = 0

        def __bool__(self):
            self.asked += 1
            return self.asked > 2

    world = suite.worlds("borda")[0]
    stream = world.stream()
    with ThreadPoolExecutor(1) as pool:
        runs = Runs(stream, "borda", few_rivals("borda", None), pool)
        answers, left_out = hindsight.raced(runs, AfterTwo())
    assert set(answers) == {"BordaETC", "Uniform"}
    assert left_out == {"RUCB": "no time", "Slow": "too slow for more than 2 arms"}


# The answers of the suite.


@pytest.mark.parametrize("world", suite.worlds(), ids=lambda w: f"{w.criterion}, {w.label}")
def test_every_world_has_an_answer_of_a_tuned_rival(world):
    answers = suite.hindsight()[world.criterion][world.label]
    tuned = [answer for answer in answers.values() if answer["parameters"]]
    assert len(tuned) >= 2
    for answer in answers.values():
        assert answer["mean"] > 0
        assert answer["error"] >= 0
        assert FEW <= answer["runs"] <= len(SCORING)
        assert answer["aims"] in suite.CRITERIA
        assert (answer["told"] == "tuned in hindsight") == bool(answer["parameters"])


def test_answers_are_about_worlds_of_the_suite():
    known = {(world.criterion, world.label) for world in suite.worlds()}
    stored = {(name, label) for name, answers in suite.hindsight().items() for label in answers}
    assert stored <= known


NUMBERS = st.one_of(
    st.integers(min_value=0, max_value=10**9), st.floats(allow_nan=False, allow_infinity=False)
)
ANSWERS = st.fixed_dictionaries(
    {
        "told": st.sampled_from(["tuned in hindsight", "no prior knowledge", "told S"]),
        "parameters": st.dictionaries(st.text(max_size=5), NUMBERS, max_size=3),
        "mean": st.floats(0, 1e9),
        "error": st.floats(0, 1e9),
        "runs": st.integers(0, 64),
        "aims": st.sampled_from(suite.CRITERIA),
    }
)


def by_criterion_and_world(values):
    """Tables as the file has them: criterion -> world -> rival -> value."""
    names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=8)
    rivals = st.dictionaries(names, values, min_size=1, max_size=3)
    return st.dictionaries(
        st.sampled_from(suite.CRITERIA), st.dictionaries(names, rivals, min_size=1, max_size=3)
    )


@given(
    by_criterion_and_world(ANSWERS),
    by_criterion_and_world(st.sampled_from(["no time", "too slow for more than 2 arms"])),
)
@settings(max_examples=30, deadline=None)
def test_what_is_stored_is_read_again_rivals_in_the_same_order(answers, left_out):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "FOLDER", Path(folder))
        suite.store_hindsight(answers, left_out)
        read = suite.hindsight(), suite.left_out()
    for stored, found in zip((answers, left_out), read, strict=True):
        kept = {(c, w): list(found[c][w].items()) for c in found for w in found[c] if found[c][w]}
        assert kept == {(c, w): list(stored[c][w].items()) for c in stored for w in stored[c]}
