"""What a file of votes tells: sentences and figures that say no more than is proved."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest

import driftduel as dd
from driftduel.votes import Log
from driftduel.votes.analyses import analyse
from tests.votes.test_estimates import ladder, sampled, without
from tests.votes.test_histories import joined, one_ahead


def test_a_change_is_told_in_words_and_figures():
    rng = np.random.default_rng(1)
    log = without(joined(*(sampled(rng, 2000, one_ahead(3, best, 0.3)) for best in (0, 1))))
    found = analyse(log)
    data = found.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert (data["best"], data["decided"], data["candidates"]) == ("arm 1", True, ["arm 1"])
    (change,) = data["changes"]
    assert (change["from"], change["to"]) == ("arm 0", "arm 1")
    assert change["surely_after"] <= change["earliest"] <= 2000 <= change["latest"]
    assert data["since"] == change["likeliest"]
    assert found.proved[0].startswith("arm 1 is best since about time ")
    assert found.proved[0].endswith("; arm 0 was until then.")
    assert re.match(r"Since time \d+ it wins on average \d+% to \d+% of", found.proved[1])
    assert found.proved[2].startswith("arm 1 took over from arm 0 between time ")
    assert "This holds if who met whom did not depend on the votes." in found.sentences
    assert str(found).splitlines()[2].startswith("  arm 1: wins ")
    assert str(found).startswith("arm 1 is very likely best now (over 99%), since about time ")
    assert data["standing"]["leader"] == "arm 1"
    truth = dd.Borda().scores(one_ahead(3, 1, 0.3))
    for row in data["scores"]:
        expected = truth[int(row["arm"][-1])]
        assert row["low"] <= expected <= row["high"]
        assert row["low"] <= row["score"] <= row["high"]
        others = 1.5 * (expected - 1 / 6)
        assert row["low_against_others"] <= others <= row["high_against_others"]
    assert (data["votes_more"], data["ask_next"]) == (0, [])


def test_what_is_undecided_is_said_with_what_it_takes():
    log = sampled(np.random.default_rng(2), 400, ladder(3, 0.05))
    found = analyse(log)
    data = found.to_dict()
    assert not data["decided"]
    assert found.proved[0].endswith("is ahead on average since the first vote (time 0).")
    assert re.search("not yet decided against|too close to call", " ".join(found.sentences))
    assert data["votes_more"] is None or data["votes_more"] > 400
    assert data["assuming"] is None
    assert 1 <= len(data["ask_next"]) <= 3
    assert "This holds if" not in " ".join(found.sentences)


def test_more_votes_are_about_what_it_takes():
    """With the votes said to be missing the best arm is decided, give or take a factor of 2."""
    chances = ladder(3, 0.2)
    data = analyse(without(sampled(np.random.default_rng(3), 300, chances))).to_dict()
    assert not data["decided"]
    missing = data["votes_more"]
    longer = without(sampled(np.random.default_rng(3), 300 + 3 * missing, chances))
    assert analyse(longer).to_dict()["decided"]


def test_scores_are_against_those_who_were_there_all_the_time():
    rng = np.random.default_rng(4)
    first = sampled(rng, 1500, one_ahead(3, 0, 0.2))
    first = Log([*first.arms, "late"], first.time, first.left, first.right, first.outcome)
    second = sampled(rng, 1500, one_ahead(4, 3, 0.3))
    columns = [
        np.concatenate(
            [getattr(part, name) + shift for part, shift in zip(parts, shifts, strict=True)]
        )
        for name in ("time", "left", "right", "outcome")
        for parts, shifts in [((first, second), (0, 1500 if name == "time" else 0))]
    ]
    found = analyse(Log(first.arms, *columns))
    assert found.panel == ("arm 0", "arm 1", "arm 2")
    assert found.to_dict()["best"] == "late"
    assert found.proved[0].startswith("late is best on average since time 15")
    assert found.proved[1].endswith("of its votes against one of arm 0, arm 1 and arm 2.")
    assert 1500 <= found.to_dict()["since"] == found.to_dict()["joined"]["late"] < 1510
    assert "late is in the votes since time 15" in " ".join(found.sentences)


def test_cycles_sides_and_ties_are_told():
    cycle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    log = sampled(np.random.default_rng(5), 900, cycle)
    assert "Who is best depends on what best means: arm 0 beats arm 1, arm 1 beats" in " ".join(
        analyse(log).sentences
    )
    assert analyse(log).to_dict()["condorcet"] == {
        "winner": None, "proved": False, "proved_none": True,
        "cycle": ["arm 0", "arm 1", "arm 2"],
    }  # fmt: skip
    data = analyse(sampled(np.random.default_rng(6), 3000, one_ahead(3, 2, 0.3))).to_dict()
    assert data["condorcet"] == {
        "winner": "arm 2", "proved": True, "proved_none": False, "cycle": None,
    }  # fmt: skip
    assert data["side"]["low"] <= 0.5 <= data["side"]["high"]
    left = Log(["a", "b"], np.arange(400), [0, 1] * 200, [1, 0] * 200, [1, 1, 1, 0.5] * 100)
    data = analyse(left).to_dict()
    assert data["side"]["low"] > 0.8
    assert data["ties"] == 0.25
    assert sum(bar["votes"] for bar in data["votes_over_time"]) == 400
    assert data["pairs"][0]["votes"] == 400


def test_a_weight_may_be_given():
    log = without(sampled(np.random.default_rng(7), 300, ladder(3)))
    found = analyse(log, dd.Weighted([0, 0, 1]))
    assert found.panel == log.arms
    with pytest.raises(ValueError, match=r"^weight: has 2 entries, there are 3 arms"):
        analyse(log, dd.Weighted([0.5, 0.5]))


def test_very_few_votes_are_told_without_a_claim():
    found = analyse(Log(["a", "b"], [1], [0], [1], [1]))
    assert found.to_dict()["changes"] == []
    assert not found.to_dict()["decided"]
    assert found.to_dict()["votes_over_time"] == [{"begin": 1.0, "votes": 1}]


def test_a_cycle_of_four_arms_is_found():
    chances = np.full((4, 4), 0.5)
    for arm in range(4):
        chances[arm, (arm + 1) % 4], chances[(arm + 1) % 4, arm] = 0.9, 0.1
    data = analyse(without(sampled(np.random.default_rng(8), 1200, chances))).to_dict()
    assert data["condorcet"]["cycle"] == ["arm 0", "arm 1", "arm 2", "arm 3"]


def test_ratings_stand_beside_the_scores_and_say_whether_they_fit(monkeypatch):
    cycle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    log = without(sampled(np.random.default_rng(5), 900, cycle))
    found = analyse(log).to_dict()["ratings"]
    assert (found["installed"], found["fits"]) == (True, False)
    assert found["says"][0].startswith("Bradley-Terry does not fit these votes")
    assert {row["arm"] for row in found["rows"]} == set(log.arms)
    assert all(row["low"] < row["rating"] < row["high"] for row in found["rows"])
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    found = analyse(log).to_dict()["ratings"]
    assert (found["installed"], found["rows"], found["fits"]) == (False, [], None)
    assert found["says"] == [
        "Left out, as a library is not installed: ratings need scipy: "
        'pip install "driftduel[ratings]".'
    ]


def test_a_change_within_a_day_has_a_time_of_day():
    rng = np.random.default_rng(9)
    log = without(joined(*(sampled(rng, 2000, one_ahead(3, best, 0.3)) for best in (0, 1))))
    minutes = 19_000 + 0.375 + np.arange(4000) * 0.1 / 1440  # ten a minute from 9:00 on
    found = analyse(Log(log.arms, minutes, log.left, log.right, log.outcome, dated=True))
    (change,) = found.to_dict()["changes"]
    assert change["earliest"] <= "2022-01-08T12:20:00.000000+00:00" <= change["latest"]
    assert found.to_dict()["period"] == [
        "2022-01-08T09:00:00.000000+00:00",
        "2022-01-08T15:39:00.000000+00:00",
    ]
    assert "arm 1 is best since about 8 Jan 2022, 1" in found.proved[0]
    assert found.to_dict()["times"] == 4000
    assert len(found.to_dict()["votes_over_time"]) > 20
    days = analyse(Log(log.arms, minutes // 1, log.left, log.right, log.outcome, dated=True))
    assert days.to_dict()["period"] == ["2022-01-08", "2022-01-08"]
    assert "All votes are of one time" in " ".join(days.sentences)


def test_nothing_is_said_of_sides_that_nobody_knows():
    left = [0, 1] * 200
    log = Log(["tea", "milk"], np.arange(400), left, [1, 0] * 200, [1, 0] * 200)
    blind = Log(log.arms, log.time, log.left, log.right, log.outcome, sides=False)
    assert analyse(log).to_dict()["side"]["left_share"] == 0.5
    assert analyse(blind).to_dict()["side"] is None
    assert analyse(blind).proved == analyse(log).proved


def test_an_analysis_says_where_its_votes_are_from(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\ntea,milk,tea\nmilk,tea,tea\n")
    assert analyse(path).file == str(path)
    assert analyse([path, str(path)]).file == f"{path}, {path}"
    assert analyse({"left": ["tea"], "right": ["milk"], "winner": ["tea"]}).file is None


def test_an_analysis_is_short_in_an_interpreter():
    found = analyse(Log(["tea", "milk"], [1], [0], [1], [1]))
    assert repr(found) == "Analysis(Log(2 arms, 1 vote, time 1 to 1), ahead: tea)"
    level = analyse(Log(["tea", "milk"], [1, 2], [0, 0], [1, 1], [1, 0]))
    assert repr(level).endswith("ahead: nobody)")


def test_cautions_are_what_may_make_votes_prove_less():
    rng = np.random.default_rng(0)
    votes = np.repeat(rng.integers(2, size=300), 3)
    found = analyse(Log(["tea", "milk"], np.arange(900), [0] * 900, [1] * 900, votes))
    assert found.cautions[0].startswith("Beware: votes of a pair agree with the next one in 84%")
    assert found.to_dict()["cautions"] == list(found.cautions)
    assert analyse(Log(["tea", "milk"], [1], [0], [1], [1])).cautions == ()


def test_an_analysis_is_drawn_and_written_as_a_page(tmp_path):
    log = without(sampled(np.random.default_rng(3), 300, ladder(3, 0.2)))
    found = analyse(log)
    assert found.plot().to_dict()["title"] == "Scores over time"
    assert found.plot("likely").to_dict()["title"] == "Who was likely best when"
    assert found.plot("scores").to_dict()["title"] == "Who is ahead, and how sure"
    timeless = Log(log.arms, None, log.left, log.right, log.outcome)
    assert analyse(timeless).plot().to_dict()["title"] == "Who is ahead, and how sure"
    with pytest.raises(ValueError, match=r"^kind is 'bars', must be one of 'likely', 'time', 's"):
        found.plot("bars")
    page = found.save_page(tmp_path / "page.html")
    assert "<title>What these votes tell</title>" in page.read_text()
    found.save_page(page, "Drinks & more")
    assert "<title>Drinks &amp; more</title>" in page.read_text()
    with pytest.raises(ValueError, match=r"is a folder, must be a file such as"):
        found.save_page(tmp_path)
    card = found._repr_html_()
    assert found.proved[0] in card
    assert "<table" in card
    assert "<img" in card


def test_drift_stands_beside_the_verdict_and_never_against_it():
    rng = np.random.default_rng(1)
    log = without(joined(*(sampled(rng, 1000, one_ahead(3, best, 0.3)) for best in (0, 1))))
    found = analyse(log, drift=True)
    assert len(found.history.changes) == 1
    assert found.drift.beyond_noise
    assert found.proved[-1].startswith("These votes tell of change. More than the same votes")
    told = found.to_dict()["drift"]
    assert told["says"] == found.proved[-1]
    assert told["null_band"]["borda_switches"]["verdict"] == "more"
    assert analyse(log).to_dict()["drift"] is None


def test_what_drift_says_takes_back_no_proof():
    days = np.repeat(np.arange(20), 5)
    log = Log(["tea", "milk"], days, 0 * days, 0 * days + 1, days % 2)
    still = dd.measure_log(log, bandwidth=np.inf)
    assert still.beside(1) == (
        "How much tastes moved is not told: 1 change of who is best is proved, but no world that "
        "changes predicts held-out votes clearly better than one that does not."
    )
    assert still.beside(0) == still.says
    moved = dd.measure_log(log, bandwidth=5.0, shuffles=19)
    assert not moved.beyond_noise
    assert moved.beside(0) == moved.says
    assert moved.beside(2).startswith("2 changes of who is best are proved. Of the counts here")
