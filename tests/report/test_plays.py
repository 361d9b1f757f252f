from __future__ import annotations

import polars as pl
import pytest

from driftduel.report.plays import MOST_DRAWN, OTHERS, plays_chart, shares_of_pairs


def test_shares_are_of_all_duels():
    plays = pl.DataFrame({"left": [0, 1, 1], "right": [1, 0, 1], "count": [1, 1, 2]})
    shares = shares_of_pairs(plays, ["tea", "coffee"])
    assert shares.rows() == [
        ("tea", "coffee", 0.25),
        ("coffee", "tea", 0.25),
        ("coffee", "coffee", 0.5),
    ]


def test_of_many_arms_those_played_least_are_put_together():
    n_arms = MOST_DRAWN + 5
    plays = pl.DataFrame(
        {"left": range(n_arms), "right": range(n_arms), "count": range(1, n_arms + 1)}
    )
    names = [f"arm {arm}" for arm in range(n_arms)]
    shares = shares_of_pairs(plays, names)
    assert shares["share"].sum() == pytest.approx(1)
    kept = names[n_arms - MOST_DRAWN + 1 :]
    assert set(shares["left"]) == {OTHERS, *kept}
    together = sum(range(1, n_arms - MOST_DRAWN + 2)) / sum(range(1, n_arms + 1))
    assert shares.filter(left=OTHERS)["share"].to_list() == pytest.approx([together])
    domain = plays_chart(shares, names).to_dict()["encoding"]["x"]["scale"]["domain"]
    assert domain == [*kept, OTHERS]


def test_arms_never_played_have_a_place_too():
    shares = shares_of_pairs(pl.DataFrame({"left": [0], "right": [0], "count": [9]}), ["a", "b"])
    chart = plays_chart(shares, ["a", "b"]).to_dict()
    assert chart["encoding"]["y"]["scale"]["domain"] == ["a", "b"]
