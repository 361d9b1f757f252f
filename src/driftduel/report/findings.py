"""What an experiment found, in plain sentences made from its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from driftduel._support.text import count, listing

if TYPE_CHECKING:
    from driftduel.report.scaling import Growth


_MOST_GROWTHS = 2


def in_words(summary: pl.DataFrame, growing: Sequence[Growth] = ()) -> list[str]:
    """Return sentences that say who lost least, how clearly, who restarted, and how it grows.

    Parameters
    ----------
    summary : DataFrame
        What `Results.summary` returns.
    growing : sequence of Growth
        What `driftduel.report.scaling.growths` returns.
    """
    cases = [
        case.sort("mean")
        for _, case in summary.group_by("stream", "criterion", maintain_order=True)
    ]
    sentences = [_one_case(cases[0])] if len(cases) == 1 else _many_cases(cases)
    sentences += _restarts(summary)
    straight = [growth for growth in growing if growth.exponents["good"].any()]
    sentences += [_growth(growth) for growth in straight[:_MOST_GROWTHS]]
    fits = sum(len(growth.exponents) for growth in growing)
    left = fits - sum(int(g.exponents["good"].sum()) for g in straight[:_MOST_GROWTHS])
    if left > 0:
        more = f"{count(left, 'more fit') if left < fits else count(left, 'fit')}"
        sentences.append(f"The table of exponents has {more}; in brackets are poor ones.")
    return sentences


def _one_case(case: pl.DataFrame) -> str:
    best, *others = case.to_dicts()
    error = "" if best["error"] is None else f" ± {number(best['error'])}"
    text = (
        f"On {best['stream']}, {best['learner']} had a mean {title_of(best['criterion'])} regret "
        f"of {number(best['mean'])}{error} over {count(best['runs'], 'run')}"
    )
    if not others:
        return text + "."
    losses = listing(
        [f"{other['learner']} lost {times(other['ratio'])} as much" for other in others]
    )
    ahead = "the smallest" if _clear(case) else "the smallest, though not clearly so"
    return f"{text}, {ahead}. In comparison, {losses}."


def _many_cases(cases: Sequence[pl.DataFrame]) -> list[str]:
    wins: dict[str, int] = {}
    for case in cases:
        wins[case["learner"][0]] = wins.get(case["learner"][0], 0) + 1
    total = len(cases)
    what = _comparisons(pl.concat(cases))
    order = sorted(wins, key=lambda name: -wins[name])
    text = f"The smallest mean regret was that of {order[0]} on {wins[order[0]]} of {total} {what}"
    if order[1:]:
        text += ", of " + listing([f"{name} on {wins[name]}" for name in order[1:]])
    sentences = [text + "."]
    unclear = sum(not _clear(case) for case in cases)
    if unclear:
        sentences.append(
            f"On {unclear} of them the lead over the second is within two standard errors of the "
            "difference, so their order may be chance."
        )
    ratios = (
        pl.concat(cases)
        .group_by("learner", maintain_order=True)
        .agg(pl.len(), worst=pl.col("ratio").max(), middle=pl.col("ratio").median())
        .filter(pl.col("len") == total)
        .sort("middle", "learner")
    )
    if len(ratios) > 1:
        medians = listing(
            [f"{row['middle']:.2f} for {row['learner']}" for row in ratios.to_dicts()]
        )
        safest = ratios.sort("worst", "middle").row(0, named=True)
        sentences.append(
            f"The ratio to the best was, in the median, {medians}. In its worst case, the mildest "
            f"of all, {safest['learner']} lost {times(safest['worst'])} as much as the best."
            if safest["worst"] > 1
            else f"The ratio to the best was, in the median, {medians}."
        )
    return sentences


def _comparisons(summary: pl.DataFrame) -> str:
    """Return what is compared: streams, or pairs of a stream and a criterion."""
    one = summary["criterion"].n_unique() == 1
    return "streams" if one else "pairs of stream and criterion"


def _restarts(summary: pl.DataFrame) -> list[str]:
    """Hold the restarts of the learners that ever restarted against the shifts that matter."""
    known = summary.drop_nulls(["restarts", "shifts"])
    totals = (
        known.group_by("learner", maintain_order=True)
        .agg(pl.col("restarts").sum(), pl.col("shifts").sum(), pl.len())
        .filter(pl.col("restarts") > 0)
    )
    if totals.is_empty():
        return []
    found = listing(
        [
            f"{row['learner']} began {_new_episodes(row['restarts'])}"
            for row in totals.to_dicts()[:4]
        ]
    )
    shifts = max(totals["shifts"].to_list())
    matter = "1 shift that matters" if shifts == 1 else f"{number(shifts)} shifts that matter"
    verb = "was" if shifts == 1 else "were"
    where = "" if totals["len"].max() == 1 else f", added up over the {_comparisons(known)}"
    return [f"There {verb} {matter}; {found} in an average run{where}."]


def _new_episodes(n: float) -> str:
    return "1 new episode" if n == 1 else f"{number(n)} new episodes"


def _growth(growth: Growth) -> str:
    fits = listing(
        [
            f"{row['exponent']:.2f} ({row['low']:.2f} to {row['high']:.2f}) for {row['learner']}"
            for row in growth.exponents.filter("good").to_dicts()
        ]
    )
    fixed = ", ".join(f"{key} = {shown(value)}" for key, value in growth.fixed.items())
    where = f" ({fixed})" if fixed else ""
    return (
        f"On {growth.world}{where} the exponent of {title_of(growth.criterion)} regret in "
        f"{growth.variable}, with a 95 % interval that is about the seeds only, was {fits}."
    )


def _clear(case: pl.DataFrame) -> bool:
    """Tell whether the best is ahead of the second by two standard errors of the difference."""
    if len(case) < 2:
        return True
    (first, second), (one, two) = case["mean"][:2], case["error"][:2]
    return None not in (one, two) and bool(second - first > 2 * (one**2 + two**2) ** 0.5)


def title_of(criterion: str) -> str:
    """Return the name of a criterion as it stands in a sentence.

    Examples
    --------
    >>> title_of("borda"), title_of("weak borda"), title_of("weighted")
    ('Borda', 'weak Borda', 'weighted')
    """
    people = {name: name.capitalize() for name in ("borda", "condorcet", "copeland", "banks")}
    weak, name = ("weak ", criterion[5:]) if criterion.startswith("weak ") else ("", criterion)
    return weak + {**people, "von-neumann": "von Neumann"}.get(name, name)


def number(value: float) -> str:
    """Return a number with as many figures as a reader wants.

    Examples
    --------
    >>> number(12345.6), number(12.345), number(2.0), number(0.01234), number(0)
    ('12,346', '12.3', '2', '0.012', '0')
    """
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.1f}" if abs(value) >= 1 else f"{value:.2g}"
    return text.removesuffix(".0")


def shown(value: object) -> str:
    """Return a parameter of a world as text.

    Examples
    --------
    >>> shown(300000), shown("cw"), shown(0.25)
    ('300,000', 'cw', '0.25')
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if whole else str(value)


def times(ratio: float) -> str:
    """Return a ratio in words.

    Examples
    --------
    >>> times(1.234), times(23.4)
    ('1.23 times', '23 times')
    """
    return f"{ratio:.2f} times" if ratio < 10 else f"{ratio:,.0f} times"
