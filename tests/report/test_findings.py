from __future__ import annotations

from dataclasses import replace

import polars as pl

from driftduel.report.findings import in_words
from tests.report.test_scaling import growth


def summary(*rows):
    """Rows of stream, learner, mean, error; ratios and the rest follow."""
    table = pl.DataFrame(rows, schema=["stream", "learner", "mean", "error"], orient="row")
    best = pl.col("mean").min().over("stream")
    return table.with_columns(
        ratio=pl.col("mean") / best,
        criterion=pl.lit("borda"),
        runs=pl.lit(8),
        restarts=pl.when(learner="meta").then(1.5).otherwise(0.0),
        shifts=pl.lit(2),
    )


def test_one_stream_names_the_best_and_what_the_others_lost():
    first, second = in_words(
        summary(("taste", "meta", 100.0, 3.0), ("taste", "random", 250.0, 3.0))
    )
    assert first == (
        "On taste, meta had a mean Borda regret of 100 ± 3 over 8 runs, the smallest. "
        "In comparison, random lost 2.50 times as much."
    )
    assert (
        second == "There were 2 shifts that matter; meta began 1.5 new episodes in an average run."
    )


def test_a_lead_within_two_standard_errors_is_not_called_clear():
    close = summary(("taste", "meta", 100.0, 30.0), ("taste", "random", 150.0, 30.0))
    assert "the smallest, though not clearly so" in in_words(close)[0]


def test_a_single_run_has_no_error_and_no_clear_winner():
    single = summary(("taste", "meta", 100.0, None), ("taste", "random", 150.0, None))
    text = in_words(single.with_columns(runs=1))[0]
    assert text.startswith("On taste, meta had a mean Borda regret of 100 over 1 run, ")
    assert "not clearly so" in text


def test_a_learner_alone_is_compared_with_nobody():
    text = in_words(summary(("taste", "random", 150.0, 1.0)))
    assert text == ["On taste, random had a mean Borda regret of 150 ± 1 over 8 runs."]


def test_many_streams_are_counted_and_unclear_ones_told():
    sentences = in_words(
        summary(
            *(("a", "meta", 100.0, 1.0), ("a", "random", 300.0, 1.0)),
            *(("b", "meta", 100.0, 1.0), ("b", "random", 101.0, 1.0)),
            *(("c", "meta", 200.0, 1.0), ("c", "random", 100.0, 1.0)),
        )
    )
    assert sentences[0] == (
        "The smallest mean regret was that of meta on 2 of 3 streams, of random on 1."
    )
    assert sentences[1].startswith("On 1 of them the lead over the second is within two")
    assert sentences[2] == (
        "The ratio to the best was, in the median, 1.00 for meta and 1.01 for random. In its worst "
        "case, the mildest of all, meta lost 2.00 times as much as the best."
    )
    assert sentences[3].endswith(
        "meta began 4.5 new episodes in an average run, added up over the streams."
    )


def test_growth_is_told_with_its_interval_and_only_if_the_fit_is_good():
    table = summary(("taste", "root", 100.0, 1.0))
    assert in_words(table, [growth()])[-2:] == [
        "On world (n_arms = 5) the exponent of Borda regret in horizon, with a 95 % interval that "
        "is about the seeds only, was 0.50 (0.40 to 0.60) for root and 0.00 (0.40 to 0.60) for "
        "flat.",
        "The table of exponents has 1 more fit; in brackets are poor ones.",
    ]


def test_a_growth_without_a_good_fit_is_not_told():
    bent = replace(growth(), exponents=growth().exponents.filter(learner="bent"))
    sentences = in_words(summary(("taste", "root", 100.0, 1.0)), [bent])
    assert sentences[-1] == "The table of exponents has 1 fit; in brackets are poor ones."
    assert not any("exponent of" in sentence for sentence in sentences)
