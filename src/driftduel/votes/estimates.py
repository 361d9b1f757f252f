"""Scores of arms from logged votes, with intervals that hold whenever somebody looks.

How votes become scores is in `driftduel.votes.weighted` where propensities are known, in
`driftduel.votes.robust` where besides no pair was ever rarer than some propensity, and in
`driftduel.votes.pairwise` where they are not known and nothing is assumed of them but that they did
not follow the votes. Here is what is said of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter, one_of
from driftduel._support.text import count, listing
from driftduel.matrix.criteria import Borda, Criterion, Weighted, as_criterion
from driftduel.matrix.weights import uniform
from driftduel.votes.checks import as_level
from driftduel.votes.forecasts import Forecaster, as_forecasts
from driftduel.votes.log import Log
from driftduel.votes.pairwise import PairwiseMeans
from driftduel.votes.robust import RobustVotes
from driftduel.votes.weighted import WRONG, WeightedVotes

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Period = tuple[Any, Any]

ASSUMPTIONS = {
    "uniform": "every pair was as likely as any other, in both orders",
    "independent": (
        "who met whom did not depend on the votes, and who wins does not depend on when they met"
    ),
}
"""What is taken for granted of a log without propensities, by the name of the assumption."""

_NEEDED = (
    "the log has no propensities, the probability of each pair when it was asked; add a column "
    f'propensity, or say what may be assumed: pairs="uniform" ({ASSUMPTIONS["uniform"]}) or '
    f'pairs="independent" ({ASSUMPTIONS["independent"]})'
)


class Evidence(Protocol):
    """What votes say of the scores of arms, by some way to weigh them."""

    def scores(self) -> Floats:
        """Return the estimate of every arm's score."""

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """Return bounds that hold for all arms with 1 - alpha."""

    def leads(self, arm: int, alpha: float) -> Floats:
        """Return lower bounds of the lead of an arm over each."""

    def ahead(self, arm: int, alpha: float) -> NDArray[np.bool_]:
        """Tell of which arms one is proved to be ahead; of the best with probability alpha."""

    def doubts(self, alpha: float) -> list[str]:
        """Return what speaks against each arm's figures, empty if nothing does."""


@dataclass(frozen=True)
class Gap:
    """How far one arm is ahead of another.

    Attributes
    ----------
    first, second : str
        The arms.
    gap : float
        The score of the first less that of the second; nan if the votes cannot tell.
    low, high : float
        Bounds that hold for all gaps of the log at once.
    assuming : str or None
        The assumption under which they do.
    """

    first: str
    second: str
    gap: float
    low: float
    high: float
    assuming: str | None

    def __str__(self) -> str:
        beside = "" if self.assuming is None else f", if {self.assuming}"
        return (
            f"{self.first} over {self.second}: {self.gap:+.3f} "
            f"({self.low:+.3f} to {self.high:+.3f}){beside}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Scores of arms with intervals, as returned by `estimate`; in words by ``str``.

    Attributes
    ----------
    arms : tuple of str
        The labels of the arms.
    scores : ndarray of shape (K,)
        The estimates; nan where the votes cannot tell.
    low, high : ndarray of shape (K,)
        The ends of the intervals: all hold at once, at all times, with 1 - alpha.
    votes : ndarray of shape (K,)
        In how many votes each arm was shown.
    doubts : tuple of str
        What speaks against each arm's figures, as the arms it never met; empty if nothing does.
    assuming : str or None
        What is taken for granted as the log has no propensities.
    alpha : float
        The probability that some interval is ever wrong.
    n_votes, n_serves : int
        Rounds in which somebody was asked, and others.
    period : str
        From when to when, in words.
    """

    arms: tuple[str, ...]
    scores: Floats
    low: Floats
    high: Floats
    votes: Floats
    doubts: tuple[str, ...]
    assuming: str | None
    alpha: float
    n_votes: int
    n_serves: int
    period: str
    _evidence: Evidence = field(repr=False)

    @property
    def best(self) -> str | None:
        """The arm with the highest estimate; None if no score can be told."""
        known = np.where(np.isnan(self.scores), -np.inf, self.scores)
        return None if np.isnan(self.scores).all() else self.arms[int(known.argmax())]

    @property
    def candidates(self) -> tuple[str, ...]:
        """The arms that may be best: nobody is proved to be ahead of them.

        The best arm is ever missing with probability alpha at most. That is decided by the gap to
        each arm, which takes fewer votes than until the bounds of `gap` are above 0, as these hold
        for all pairs of arms.
        """
        if self.best is None:
            return self.arms
        ahead = self._evidence.ahead(self.arms.index(self.best), self.alpha)
        return tuple(arm for arm, behind in zip(self.arms, ahead, strict=True) if not behind)

    @property
    def decided(self) -> bool:
        """Whether the best arm is proved to be ahead of all others."""
        return len(self.candidates) == 1

    def gap(self, first: str | int, second: str | int) -> Gap:
        """Return how far one arm is ahead of another, by label or number.

        The bounds of all gaps hold at once, at all times, with 1 - alpha. They are narrower than
        the difference of the intervals, as both arms were seen in the same rounds.
        """
        one, other = self._place(first), self._place(second)
        if one == other:
            raise ValueError(f"gap: {self.arms[one]!r} is both arms, they must differ")
        low = self._evidence.leads(one, self.alpha)[other]
        high = -self._evidence.leads(other, self.alpha)[one]
        difference = np.clip(self.scores[one] - self.scores[other], low, max(low, high))
        numbers = (float(difference), float(low), float(high))
        return Gap(self.arms[one], self.arms[other], *numbers, self.assuming)

    @property
    def frame(self) -> pl.DataFrame:
        """The figures as a table, best first, each with what is assumed and what is in doubt."""
        import polars as pl

        table = pl.DataFrame(
            {
                "arm": self.arms,
                "score": self.scores,
                "low": self.low,
                "high": self.high,
                "votes": self.votes.astype(np.int64),
                "assuming": [self.assuming] * len(self.arms),
                "doubt": [doubt or None for doubt in self.doubts],
            },
            schema_overrides={"assuming": pl.String, "doubt": pl.String},
        )
        return table[self._order()]

    def __str__(self) -> str:
        asked = count(self.n_votes, "vote")
        if self.n_serves:
            asked += f" and {count(self.n_serves, 'serve')}"
        lines = [f"{asked}, {self.period}. Chance to beat an arm drawn by the weight:"]
        width = max(map(len, self.arms))
        beside = "" if self.assuming is None else f", if {self.assuming}"
        for arm in self._order():
            score = "  ?  " if np.isnan(self.scores[arm]) else f"{self.scores[arm]:.3f}"
            doubt = f"; {self.doubts[arm]}" if self.doubts[arm] else ""
            lines.append(
                f"  {self.arms[arm]:<{width}}  {score}  "
                f"({self.low[arm]:.3f} to {self.high[arm]:.3f}){beside}{doubt}"
            )
        lines.append(f"{self._verdict()}{beside}.")
        lines.append(
            f"All intervals hold at once with {1 - self.alpha:.4g}, however often they are looked "
            "at."
        )
        return "\n".join(lines)

    def __repr__(self) -> str:
        beside = "" if self.assuming is None else f", if {self.assuming}"
        return f"Estimate({len(self.arms)} arms, {self.n_votes:,} votes: {self._verdict()}{beside})"

    def _verdict(self) -> str:
        if self.decided:
            return f"{self.best} is best"
        return f"undecided between {listing(self.candidates)}"

    def _order(self) -> list[int]:
        known = np.where(np.isnan(self.scores), -np.inf, self.scores)
        return [int(arm) for arm in np.argsort(-known, kind="stable")]

    def _place(self, arm: str | int) -> int:
        if isinstance(arm, str) and arm in self.arms:
            return self.arms.index(arm)
        if isinstance(arm, int | np.integer) and 0 <= arm < len(self.arms):
            return int(arm)
        raise ValueError(f"arm is {arm!r}, must be one of {listing(self.arms)} or its number")


def estimate(
    log: Log,
    criterion: Criterion | str = "borda",
    period: Period | None = None,
    *,
    alpha: float = 0.05,
    pairs: str | None = None,
    rarest: float | None = None,
    predictions: ArrayLike | Forecaster | None = None,
) -> Estimate:
    """Tell the scores of all arms over a period of a log, and how sure they are.

    The intervals hold for the average score over the period, whatever drift there was in it,
    however the pairs were chosen, and whenever somebody looks. The period begins at a moment that
    was chosen without knowledge of the votes after it.

    Parameters
    ----------
    log : Log
        The votes, with propensities or an assumption in their place.
    criterion : Criterion or str
        What best means: `Borda` or `Weighted` with one weight.
    period : pair, optional
        From when, and until before when; dates if the log has dates, else numbers; None in place of
        either leaves that end open.
    alpha : float
        The probability that some interval is ever wrong.
    pairs : {"uniform", "independent"}, optional
        What is assumed of a log without propensities: that every pair was as likely as any other,
        in both orders; or that who met whom did not depend on the votes, and who wins not on when
        they met.
    rarest : float, optional
        What no propensity of a pair that counts was ever below, whether it was asked or not, as
        `DriftPoll` promises with `DriftPoll.rarest`. It is known where all pairs were as likely.
        What votes before let expect of a vote then makes intervals narrower.
    predictions : array_like of shape (K, K) or (n, K, K), or Answers, optional
        Chances that the row beats the column, for all rows of the log or for each one, in its
        order, from somebody who knew neither how it ended nor which pair was drawn; or the answers
        of a judge (`driftduel.votes.judges.Answers`). They are listened to
        for as long as they do better than what votes before let expect; if they are bad intervals
        are wider, not wrong. They need ``rarest``, or pairs that were all as likely.

    Examples
    --------
    Tea beats milk and water with 70 %; every ordered pair has the same chance:

    >>> rng = np.random.default_rng(0)
    >>> left = rng.integers(3, size=3000)
    >>> right = (left + rng.integers(1, 3, size=3000)) % 3
    >>> outcome = rng.random(3000) < 0.5 + 0.2 * ((left == 0) - 1.0 * (right == 0))
    >>> log = Log(["tea", "milk", "water"], np.arange(3000), left, right, outcome,
    ...           propensity=np.full(3000, 1 / 6))
    >>> found = estimate(log, Borda())
    >>> print(found)
    3,000 votes, time 0 to 2999. Chance to beat an arm drawn by the weight:
      tea    0.633  (0.605 to 0.662)
      water  0.434  (0.404 to 0.463)
      milk   0.433  (0.403 to 0.463)
    tea is best.
    All intervals hold at once with 0.95, however often they are looked at.
    >>> print(found.gap("tea", "milk"))
    tea over milk: +0.200 (+0.151 to +0.249)
    """
    alpha = as_level(alpha)
    criterion = as_criterion(criterion)
    weight = reference_weight(criterion, log.n_arms)
    part = in_period(log, period)
    evidence, assuming = weigh(part, weight, pairs)
    robust = _robust(log, part, period, weight, pairs, rarest, predictions)
    # Who is doubted could not be asked as is promised, which is what narrower bounds rest on.
    if robust is not None and not any(robust.doubts(alpha)):
        evidence = robust
    doubts = tuple((robust or evidence).doubts(alpha))
    low, high = evidence.bounds(alpha)
    least, most = weight / 2, 1 - weight / 2  # nobody can be below or above
    low, high = np.clip(low, least, most), np.clip(high, least, most)
    scores = np.clip(evidence.scores(), low, np.maximum(low, high))
    # What no overlap leaves of a score is no estimate of it; the bounds hold all the same.
    scores[[doubt != "" for doubt in doubts]] = np.nan
    wrong = [doubt.startswith(WRONG) for doubt in doubts]
    low, high = np.where(wrong, least, low), np.where(wrong, most, high)
    asked = part.count * (part.left != part.right)
    shown = sum(np.bincount(side, asked, part.n_arms) for side in (part.left, part.right))
    return Estimate(
        part.arms,
        scores,
        low,
        high,
        np.asarray(shown, dtype=np.float64),
        doubts,
        assuming,
        alpha,
        part.n_votes,
        part.n_serves,
        part.period,
        evidence,
    )


def reference_weight(criterion: Criterion, n_arms: int) -> Floats:
    """Return the weight of a criterion; it has to be one, and the same in all rounds."""
    if isinstance(criterion, Borda):
        return uniform(n_arms)
    if isinstance(criterion, Weighted) and len(criterion.weight.table) == 1:
        criterion.check_arms(n_arms)
        return criterion.weight.at(0)
    kind = "a weight that changes" if isinstance(criterion, Weighted) else repr(criterion)
    raise BadParameter("criterion", f"is {kind}, must be Borda or Weighted with one weight")


def in_period(log: Log, period: Period | None) -> Log:
    """Return the rows of a log from one moment until before another."""
    kept = _rows(log, period)
    return log if kept.all() else log.rows(kept)


def _rows(log: Log, period: Period | None) -> NDArray[np.bool_]:
    if period is None:
        return np.ones(len(log), dtype=np.bool_)
    if not isinstance(period, tuple | list) or len(period) != 2:
        raise BadParameter("period", f"is {period!r}, must be a pair: from when, until before when")
    begin, end = (None if moment is None else float(log.as_times(moment)[0]) for moment in period)
    kept = np.ones(len(log), dtype=np.bool_)
    if begin is not None:
        kept &= log.time >= begin
    if end is not None:
        kept &= log.time < end
    if not (kept & (log.left != log.right)).any():
        raise BadParameter(
            "period", f"is {period[0]} to {period[1]}, which holds no votes: {log!r}"
        )
    return kept


def weigh(log: Log, weight: Floats, pairs: str | None) -> tuple[Evidence, str | None]:
    """Return what a log says, by its propensities or by an assumption, and the assumption."""
    if pairs is not None:
        one_of(pairs, "pairs", tuple(ASSUMPTIONS))
        if log.propensity is not None:
            raise BadParameter("pairs", f"is {pairs!r}, but the log has propensities; leave it out")
        if pairs == "independent":
            return PairwiseMeans(log, weight), ASSUMPTIONS[pairs]
        even = 1 / (log.n_arms * (log.n_arms - 1))
        return WeightedVotes(log.votes, weight, even), ASSUMPTIONS[pairs]
    if log.propensity is None:
        raise ValueError(_NEEDED)
    return WeightedVotes(log, weight, log.propensity), None


def _robust(
    log: Log,
    part: Log,
    period: Period | None,
    weight: Floats,
    pairs: str | None,
    rarest: float | None,
    predictions: ArrayLike | Forecaster | None,
) -> RobustVotes | None:
    """Return what the votes of a period say beside what was to be expected of them.

    None where nobody knows how rare a pair may have been.
    """
    least = _rarest(part, pairs, rarest)
    given = None if predictions is None else as_forecasts(predictions, log)
    if least is None:
        if given is not None:
            raise BadParameter(
                "predictions", "are of use only with rarest, what no propensity was ever below"
            )
        return None
    kept = _rows(log, period)
    chances: Floats | float = least
    if part.propensity is None:
        part, kept = part.votes, kept & (log.left != log.right)
    else:
        chances = part.propensity
    if given is not None:
        given = given._replace(of_row=given.of_row[kept])
    return RobustVotes(part, weight, chances, least, given)


def _rarest(log: Log, pairs: str | None, rarest: float | None) -> float | None:
    """Return what no propensity was ever below, None if nobody knows."""
    even = 1 / (log.n_arms * (log.n_arms - 1))
    if log.propensity is None:
        if rarest is not None:
            raise BadParameter("rarest", f"is {rarest}, but the log has no propensities")
        return even if pairs == "uniform" else None
    if rarest is not None:
        if not 0 < rarest <= log.propensity.min():
            raise BadParameter(
                "rarest",
                f"is {rarest}, must be positive and at most {log.propensity.min():g}, the least "
                "propensity in the log",
            )
        return float(rarest)
    for known in (even, 1 / log.n_arms**2):  # pairs that all were as likely leave nothing over
        if np.allclose(log.propensity, known, rtol=1e-9, atol=0):
            return known
    return None
