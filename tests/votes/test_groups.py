"""Some of the votes by other columns, and groups of them, each told apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.votes import Log


def votes(n=1200, seed=1):
    """The English like tea, the Germans coffee; nobody knows of a few."""
    rng = np.random.default_rng(seed)
    left = rng.integers(3, size=n)
    right = (left + rng.integers(1, 3, size=n)) % 3
    language = np.array(["en", "de", None], dtype=object)[rng.choice(3, size=n, p=[0.5, 0.4, 0.1])]
    best = np.where(language == "de", 1, 0)
    won = rng.random(n) < 0.5 + 0.35 * ((left == best) - 1.0 * (right == best))
    names = np.array(["tea", "coffee", "milk"])
    return pl.DataFrame({
        "left": names[left], "right": names[right], "left_won": won.astype(int),
        "language": pl.Series(language.tolist()), "turn": rng.integers(1, 3, size=n),
        "age": rng.choice([20.0, 30.5], size=n), "number": np.arange(n),
    })  # fmt: skip


def complaint(*arguments, **options):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.analyse(*arguments, **options)
    return str(error.value)


def test_only_the_votes_that_are_asked_for_count():
    frame = votes()
    found = dd.analyse(frame, only="language=de")
    assert found.best == "coffee"
    assert found.log.n_votes == frame.filter(language="de").height
    assert (found.only, found.notes[-1]) == ("language = de", "only votes with language = de")
    both = dd.analyse(frame, only=["language=de", "language=en", "turn=2"])
    kept = frame.filter(pl.col("language").is_in(["de", "en"]) & (pl.col("turn") == 2))
    assert both.log.n_votes == kept.height
    assert both.only == "language = de or en and turn = 2"
    same = dd.analyse(frame, only={"language": ["de", "en"], "turn": 2})
    assert same.to_dict() == both.to_dict()


def test_cells_without_a_value_and_numbers_may_be_asked_for():
    frame = votes()
    nobody = dd.analyse(frame, only="language=")
    assert nobody.log.n_votes == frame["language"].null_count()
    assert nobody.only == "language = (empty)"
    assert dd.analyse(frame, only={"language": None}).log == nobody.log
    assert dd.analyse(frame, only="age=30.5").log.n_votes == frame.filter(age=30.5).height


def test_arms_that_are_not_in_the_votes_that_count_are_left_out():
    cocoa = votes(1).with_columns(left=pl.lit("cocoa"), turn=pl.lit(3, pl.Int64))
    frame = pl.concat([votes(60), cocoa])
    assert "cocoa" in dd.analyse(frame).log.arms
    assert "cocoa" not in dd.analyse(frame, only="turn=1").log.arms


def test_every_group_is_told_of_and_that_they_differ():
    found = dd.analyse(votes(), by="language")
    assert [group.name for group in found.groups] == ["en", "de", ""]
    assert [group.analysis.best for group in found.groups[:2]] == ["tea", "coffee"]
    assert found.sentences[-2:] == (
        "Who is best differs by language, which is proved: tea in en, coffee in de.",
        "By the model tastes by language differ: for (empty) tea is likeliest to be best (over "
        "99%), for de coffee is likeliest to be best (over 99%), for en tea is likeliest to be "
        "best (over 99%).",
    )
    assert sum(group.analysis.log.n_votes for group in found.groups) == found.log.n_votes
    told = found.to_dict()
    assert told["by"] == "language"
    assert [group["group"] for group in told["groups"]] == ["en", "de", ""]
    assert {row["arm"] for row in told["groups"][0]["scores"]} == {"tea", "coffee", "milk"}


def test_all_ranges_of_all_groups_hold_at_once():
    found = dd.analyse(votes(), by="turn", alpha=0.1)
    assert [group.analysis.history.alpha for group in found.groups] == [0.05, 0.05]
    alone = dd.analyse(votes(), only="turn=1", alpha=0.05)
    (group,) = (group for group in found.groups if group.name == "1")
    assert group.analysis.scores.equals(alone.scores)


def test_groups_that_agree_are_not_said_to_differ():
    assert dd.analyse(votes(), by="turn").sentences[-2:] == (
        "That who is best differs by turn is not proved.",
        "By the model tastes by turn do not visibly differ.",
    )
    told = dd.analyse(votes(), only="turn=1", by="turn").sentences[-1]
    assert told == "There is one group by turn, so there is nothing to compare."


def test_a_winner_that_the_other_group_was_never_shown_makes_no_difference():
    rows = {"left": ["a"] * 200 + ["c"] * 200, "right": ["b"] * 200 + ["d"] * 200}
    frame = pl.DataFrame({**rows, "left_won": [1] * 400, "shop": ["x"] * 200 + ["y"] * 200})
    found = dd.analyse(frame, by="shop")
    assert [group.analysis.present.decided for group in found.groups] == [True, True]
    assert found.sentences[-2:] == (
        "That who is best differs by shop is not proved.",
        "By the model tastes by shop do not visibly differ.",
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"only": "language=es"}, "only: no vote has language = es, there are: de and en"),
        ({"only": "langage=de"}, "only: no column 'langage' stands beside the votes (did you mean "
         "language?), there are: language, turn, age and number"),
        ({"only": "language"}, "only: 'language' must be COLUMN=VALUE, as in language=en"),
        ({"only": "=de"}, "only: '=de' must be COLUMN=VALUE, as in language=en"),
        ({"by": "number"}, "by: number has 1,200 different values, must have at most 50; keep some "
         "of them: only='number=999'"),
        ({"by": "left"}, "by: no column 'left' stands beside the votes, there are: language, turn, "
         "age and number"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_group_is_told_in_a_sentence(options, said):
    assert complaint(votes(), **options) == said


def test_votes_without_other_columns_have_no_groups():
    log = Log(["tea", "milk"], None, [0, 1], [1, 0], [1, 1])
    assert complaint(log, by="language") == (
        "by: no column 'language' stands beside the votes, there is none"
    )


def test_votes_that_are_asked_for_must_have_one_between_two_arms():
    rows = {"left": ["a", "b", "a"], "right": ["a", "a", "b"], "left_won": [0.5, 1, 0]}
    chances = {"propensity": [0.5, 0.5, 0.5], "day": ["mon", "tue", "tue"]}
    frame = pl.DataFrame({**rows, **chances})
    assert complaint(frame, only="day=mon") == (
        "only: no vote between two different arms has day = mon"
    )
    assert [group.name for group in dd.analyse(frame, by="day").groups] == ["tue"]
