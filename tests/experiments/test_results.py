from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.experiments import rates
from driftduel.experiments.store import Store
from tests.experiments.conftest import SMALL


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    from tests.experiments.conftest import Bench

    bench = Bench(tmp_path_factory.mktemp("small") / "results")
    bench.run(SMALL.replace("points = 5", 'points = 5\ncriteria = ["borda", "copeland"]'))
    return bench.results


def test_the_table_of_regret_has_the_documented_columns(results):
    assert results.regret.columns == [
        *("spec", "version", "learner", "name", "parameters", "stream", "world", "settings"),
        *("n_arms", "horizon", "seed", "round", "criterion", "regret"),
    ]
    assert results.regret.height == 2 * 2 * 4 * 2 * 5
    first = results.regret.row(0, named=True)
    assert (first["version"], first["learner"]) == (dd.__version__, "Uniform")
    assert first["spec"] == results.environment["spec"]
    assert first["settings"] == '{"horizon": 200, "n_arms": 3, "n_phases": 2}'


def test_regret_is_that_of_the_run(results):
    stream = dd.worlds.catalogue.build("switching", n_arms=4, n_phases=2, horizon=200)
    run = dd.simulate(dd.learners.DiscountedBordaUCB(4, 200, exploration=0.1), stream, 3, points=5)
    for criterion in ("borda", "copeland"):
        mine = results.regret.filter(
            learner="DiscountedBordaUCB", n_arms=4, seed=3, criterion=criterion
        )
        assert mine["round"].to_list() == run.rounds.tolist()
        assert mine["regret"].to_list() == run.regret(criterion).tolist()
    plays = results.plays.filter(learner="DiscountedBordaUCB", stream="switching, n_arms = 4")
    assert plays["count"].sum() == 4 * 200


def test_tables_are_in_the_order_of_the_spec(results):
    runs = results.runs.select("stream", "learner", "seed").rows()
    assert runs == [
        (f"switching, n_arms = {n}", learner, seed)
        for n in (3, 4)
        for learner in ("Uniform", "DiscountedBordaUCB")
        for seed in range(4)
    ]


def test_events_and_runs_have_the_documented_columns(results):
    assert results.events.columns == [
        *("learner", "stream", "seed", "kind", "round", "arm", "beaten_by", "first", "last"),
        *("length", "statistic", "threshold"),
    ]
    assert results.events["kind"].unique().to_list() == ["episode"]
    assert results.plays.columns == ["learner", "stream", "left", "right", "count"]
    assert results.runs.columns == [
        *("learner", "stream", "seed", "best", "restarts", "seconds", "rounds_per_second"),
    ]
    assert (results.runs["rounds_per_second"] * results.runs["seconds"]).round(6).unique()[0] == 200


def test_the_summary_ranks_learners(results):
    table = results.summary()
    assert table.columns == [
        *("stream", "criterion", "learner", "runs", "mean", "error", "ratio", "restarts"),
        "shifts",
    ]
    final = results.final().filter(criterion="borda", stream="switching, n_arms = 3")
    row = table.filter(criterion="borda", stream="switching, n_arms = 3", learner="Uniform").row(
        0, named=True
    )
    values = final.filter(learner="Uniform")["regret"].to_numpy()
    assert row["mean"] == pytest.approx(values.mean())
    assert row["error"] == pytest.approx(values.std(ddof=1) / 2)
    assert (
        table.group_by("stream", "criterion").agg(pl.col("ratio").min())["ratio"].to_list()
        == [1.0] * 4
    )
    truth = results.streams[0]
    assert row["shifts"] == len(truth.shifts["borda"])


def test_a_summary_is_the_same_to_the_last_digit_each_time(results, monkeypatch):
    rng = np.random.default_rng(0)
    n = 200_000
    many = pl.DataFrame(
        {
            "stream": results.streams[0].label,
            "criterion": "borda",
            "learner": rng.choice(["Uniform", "RUCB", "MetaBosse"], n),
            "seed": np.arange(n),
            "regret": rng.random(n) * 1e6,
            "restarts": 0,
        }
    )
    monkeypatch.setattr(type(results), "_final", lambda self: many.lazy())
    first = results.summary()
    for _ in range(10):
        assert results.summary().equals(first)


def test_who_has_no_regret_does_not_make_ratios_infinite(bench):
    bench.run(SMALL + '[[learner]]\nname = "Oracle"\n')
    ratios = bench.results.summary().filter(stream="switching, n_arms = 3")["ratio"].to_list()
    assert ratios[:2] == [0.0, 1.0]
    assert np.isfinite(ratios).all()


def test_streams_say_what_is_true_of_them(results):
    stream = dd.worlds.catalogue.build("switching", n_arms=4, n_phases=2, horizon=200)
    info = results.streams[1]
    assert (info.label, info.world) == ("switching, n_arms = 4", "switching")
    assert info.changes == [100]
    assert info.labels == ["0", "1", "2", "3"]
    phases = dd.measure(stream).significant_borda
    assert info.shifts["borda"] == phases.starts[1:].tolist()
    assert info.shifts["copeland"] is None
    for start, end, arm in info.winners["borda"]:
        for round_ in (start, end - 1):
            assert arm in dd.Borda().winners(stream.matrix(round_))
    assert info.measures["changes"] == 1


def test_tables_can_be_had_lazily(results):
    assert results.scan("regret").select(pl.len()).collect().item() == results.regret.height
    with pytest.raises(ValueError, match="no table is called 'duels', there are regret, events"):
        results.scan("duels")


def test_pandas_gets_the_table_of_regret(results):
    pandas = pytest.importorskip("pandas")
    frame = results.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == results.regret.height


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(ValueError, match="nowhere: there is no such folder"):
        dd.Results.load(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"holds no results, plan\.json is missing"):
        dd.Results.load(tmp_path)
    (tmp_path / "tasks").mkdir()
    with pytest.raises(ValueError, match=r"has no plan\.json, another version of driftduel may"):
        dd.Results.load(tmp_path)
    for text, what in (
        ("half", ": is damaged, it"),
        ("[]", " is of another version of driftduel,"),
    ):
        (tmp_path / "plan.json").write_text(text)
        with pytest.raises(ValueError, match=rf"plan\.json{what} .* ?run (the|its) spec again"):
            dd.Results.load(tmp_path)


def test_a_table_is_read_though_a_sweep_merges_files_meanwhile(bench, monkeypatch):
    monkeypatch.setattr(Store, "merge", lambda self: None)
    bench.run()
    monkeypatch.undo()
    half = bench.results
    scan = half._store.scan

    def merge_after():
        monkeypatch.undo()
        rows = scan()
        writer = Store(bench.folder)
        writer.open()
        writer.merge()
        return rows

    for table in ("regret", "events", "plays", "runs"):
        monkeypatch.setattr(half._store, "scan", merge_after)
        assert len(getattr(half, table)) > 0
    assert half.summary()["runs"].sum() == 16


def test_a_power_law_is_found(bench):
    text = (
        "seeds = 3\npoints = 1\nhorizon = [100, 200, 400, 800]\n[[stream]]\nworld = "
        '"one-winner"\nn_arms = 3\nmargin = 0.2\nseed = [0, 1]\n[[learner]]\nname = "FixedPair"\n'
        '[[learner]]\nname = "Oracle"\n'
    )
    bench.run(text)
    table = rates.exponents(bench.results, resamples=50)
    (row,) = table.rows(named=True)
    assert (row["learner"], row["world"], row["criterion"]) == ("FixedPair", "one-winner", "borda")
    assert (row["variable"], row["fixed"]) == ("horizon", '{"margin": 0.2, "n_arms": 3}')
    # Both worlds have one winner each, so regret at the horizon is proportional to it.
    assert row["exponent"] == pytest.approx(1.0)
    assert row["low"] <= row["exponent"] <= row["high"]
    assert (row["points"], row["values"]) == (4, [100.0, 200.0, 400.0, 800.0])
    assert row["good"]
    assert row["scatter"] < 1e-9


def test_three_points_are_not_fitted(bench):
    bench.run(
        "seeds = 1\npoints = 1\nhorizon = [100, 200, 400]\n[[stream]]\nworld = "
        '"one-winner"\nwinner = 1\n[[learner]]\nname = "FixedPair"\n'
    )
    assert rates.exponents(bench.results).is_empty()


def test_points_that_lie_on_no_line_make_no_good_fit(bench):
    # Until its winner changes a learner that never adapts loses nothing to speak of.
    bench.run(
        "seeds = 1\npoints = 1\nhorizon = [110, 200, 400, 1600]\n[[stream]]\nworld = "
        '"alternation"\nn_arms = 2\nmargin = 0.4\nevery = 100\n[[learner]]\n'
        'name = "FixedPair"\nleft = 0\nright = 0\n'
    )
    (row,) = rates.exponents(bench.results).rows(named=True)
    slopes = np.diff(np.log(row["means"])) / np.diff(np.log(row["values"]))
    assert slopes[0] > 2 * slopes[-1]
    assert not row["good"]
    x, y = np.log(row["values"]), np.log(row["means"])
    covariance = np.polyfit(x, y, 1, cov=True)[1]
    assert row["scatter"] == pytest.approx(np.sqrt(covariance[0, 0]))


def test_without_a_grid_there_is_nothing_to_fit(results):
    assert rates.exponents(results).is_empty()
    assert rates.exponents(results).columns[:11] == [
        *("learner", "world", "criterion", "variable", "fixed", "exponent", "low", "high"),
        *("scatter", "good", "points"),
    ]


def test_the_seed_of_the_world_is_fixed_if_it_is_one(bench):
    bench.run(
        "seeds = 1\npoints = 1\nhorizon = [100, 200, 400, 800]\n[[stream]]\nworld = "
        '"one-winner"\nwinner = 1\nseed = 5\n[[learner]]\nname = "FixedPair"\n'
    )
    (row,) = rates.exponents(bench.results).rows(named=True)
    assert row["fixed"] == '{"seed": 5, "winner": 1}'
    assert (row["exponent"], row["low"], row["high"]) == pytest.approx((1.0, 1.0, 1.0))
    assert row["errors"] == [0.0, 0.0, 0.0, 0.0]
