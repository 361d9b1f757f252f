"""Bradley-Terry ratings beside the scores: one number an arm, and whether the votes allow that.

Arm a is to beat arm b with the chance 1 / (1 + exp(r_b - r_a)) (Bradley and Terry 1952). That is a
logistic regression of who won on who met; the r of the highest likelihood are unique up to a shift
if from every arm to every other there is a path of wins (Ford 1957). They are told as Elo does:
400 / ln 10 points a unit, 1000 the mean of the arms. The ranges are those of the normal
approximation at one look, from the inverse of the Hessian, alpha / K for each of K arms. Ties count
half a win each way, which makes the ranges wider than they would have to be.

Whether one number an arm is enough is tested against the model that gives every pair a chance of
its own: twice the difference of the log-likelihoods, the deviance, is about chi squared with as
many degrees of freedom as there are pairs that met, less K - 1. Where few votes are expected the
approximation is poor, so that it is not tested unless four of five expected counts are 5 at least
and all are 1 (Cochran 1954).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.extras import MissingExtraError, library
from driftduel._support.text import count, listing
from driftduel.votes.checks import as_level
from driftduel.votes.figures import Rated, Rows
from driftduel.votes.log import Log
from driftduel.worlds.checks import check_arms

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]

ELO = 400 / np.log(10)
"""Points of a rating for a unit of the logistic regression."""
MEAN = 1000.0
"""The rating of the mean arm."""

HIDES = (
    "One number an arm hides all cycles, in which a beats b, b beats c and c beats a, and every "
    "change of tastes inside the time it is from."
)


class Odd(NamedTuple):
    """The pair that ratings describe worst: what its votes say, and what the ratings say."""

    first: str
    second: str
    votes: int
    share: float
    rated: float


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """Bradley-Terry ratings, as returned by `ratings`; in words by ``str``.

    Attributes
    ----------
    arms : tuple of str
        The labels of all arms.
    ratings, low, high : ndarray of shape (K,)
        In points of Elo, the mean arm at 1000, and ranges that hold at one look, all at once, with
        about 1 - alpha if Bradley-Terry is true; nan for who cannot be rated.
    unrated : tuple of str
        Who won all its votes against the others or lost all, so that no number would do, or met
        nobody.
    deviance : float
        How much worse one number an arm describes the votes than one number a pair.
    freedom : int
        Its degrees of freedom.
    p_value : float or None
        The chance of such a deviance if Bradley-Terry is true; None if it cannot be tested: of two
        arms, or of too few votes of each pair.
    odd : Odd or None
        The pair that the ratings describe worst.
    alpha : float
        The chance of an error that is accepted, for the ranges as for the test.
    n_votes : int
        Votes between the arms that are rated.
    """

    arms: tuple[str, ...]
    ratings: Floats
    low: Floats
    high: Floats
    unrated: tuple[str, ...]
    deviance: float
    freedom: int
    p_value: float | None
    odd: Odd | None
    alpha: float
    n_votes: int

    @property
    def fits(self) -> bool | None:
        """False if the votes prove that Bradley-Terry is wrong; None if they cannot tell."""
        return None if self.p_value is None else self.p_value >= self.alpha

    @property
    def frame(self) -> pl.DataFrame:
        """The figures as a table, best first, without who cannot be rated."""
        import polars as pl

        columns = {"rating": self.ratings, "low": self.low, "high": self.high}
        table = pl.DataFrame({"arm": self.arms, **columns}).filter(pl.col("rating").is_not_nan())
        return table.sort("rating", descending=True, maintain_order=True)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether ratings fit, what they hide, and who has none."""
        said = [self._fit(), HIDES]
        if self.unrated:
            said.append(
                f"Not rated: {listing(self.unrated)}; it takes a win and a loss against the "
                "others, directly or through a third arm."
            )
        return tuple(said)

    def __str__(self) -> str:
        lines = [f"{count(self.n_votes, 'vote')}, Bradley-Terry ratings, 1000 is the mean:"]
        width = max(map(len, self.arms))
        lines += [
            f"  {arm:<{width}}  {rating:5.0f}  ({low:.0f} to {high:.0f})"
            for arm, rating, low, high in self.frame.iter_rows()
        ]
        return "\n".join([*lines, *self.sentences])

    def __repr__(self) -> str:
        return f"Ratings({len(self.arms)} arms, {count(self.n_votes, 'vote')}: {self._fit()})"

    def _fit(self) -> str:
        if self.p_value is None:
            few = self.freedom > 0
            why = "the pairs have too few votes each" if few else "every pair can be rated exactly"
            return f"Whether Bradley-Terry fits cannot be tested: {why}."
        chance = f"p = {self.p_value:.2g}" if self.p_value >= 1e-4 else "p < 0.0001"
        if self.fits:
            return f"Nothing speaks against Bradley-Terry ({chance}), which does not prove it."
        assert self.odd is not None
        odd = self.odd
        return (
            f"Bradley-Terry does not fit these votes ({chance}): do not read from ratings who "
            f"beats whom. {odd.first} won {100 * odd.share:.0f} of 100 votes against {odd.second}, "
            f"the ratings say {100 * odd.rated:.0f}."
        )


def ratings(log: Log, *, alpha: float = 0.05) -> Ratings:
    """Rate the arms of a log by Bradley-Terry, and test whether that fits the votes at all.

    It needs the extra ``ratings``. The votes count as if tastes stayed the same and who met whom
    did not depend on them; propensities do not matter. What best means here is `dd.estimate`'s.

    Parameters
    ----------
    log : Log
        The votes.
    alpha : float
        The chance of an error that is accepted, for the ranges as for the test.

    Examples
    --------
    >>> log = Log(["tea", "milk", "water"], [0] * 6, [0, 0, 1, 1, 2, 2], [1, 1, 2, 2, 0, 0],
    ...           [1, 0, 1, 0, 1, 0], count=[70, 30, 60, 40, 25, 75])
    >>> print(ratings(log))
    300 votes, Bradley-Terry ratings, 1000 is the mean:
      tea     1113  (1069 to 1157)
      milk     975  (934 to 1016)
      water    912  (869 to 955)
    Nothing speaks against Bradley-Terry (p = 0.68), which does not prove it.
    One number an arm hides all cycles, ...
    """
    alpha = as_level(alpha)
    check_arms(log.n_arms, "select some of them")
    optimize = library("scipy.optimize", "ratings", "ratings")
    wins = log.head_to_head()
    rated = _connected(wins)
    values = np.full((3, log.n_arms), np.nan)
    unrated = tuple(arm for arm, known in zip(log.arms, rated, strict=True) if not known)
    wins = wins[np.ix_(rated, rated)]
    deviance, freedom, p_value, odd = 0.0, 0, None, None
    if len(wins):
        strengths = _fitted(wins, optimize)
        values[:, rated] = _in_points(strengths, wins, alpha)
        arms = [arm for arm, known in zip(log.arms, rated, strict=True) if known]
        deviance, freedom, p_value, odd = _tested(strengths, wins, arms)
    points, low, high = values
    return Ratings(
        log.arms,
        points,
        low,
        high,
        unrated,
        deviance,
        freedom,
        p_value,
        odd,
        alpha,
        int(wins.sum()),
    )


def rated(log: Log, alpha: float) -> Rated:
    """Return Bradley-Terry ratings as a part of an analysis, or why there are none."""
    try:
        found = ratings(log, alpha=alpha)
    except MissingExtraError as error:
        why = (f"Left out, as a library is not installed: {error}.",)
        return Rated(installed=False, rows=Rows(), fits=None, p_value=None, says=why)
    return Rated(
        installed=True,
        rows=Rows(found.frame.to_dicts()),
        fits=found.fits,
        p_value=found.p_value,
        says=tuple(found.sentences),
    )


def _connected(wins: Floats) -> NDArray[np.bool_]:
    """Return the most arms that are tied to each other by paths of wins in both directions."""
    graphs = library("scipy.sparse.csgraph", "ratings", "ratings")
    _, group = graphs.connected_components(wins > 0, connection="strong")
    sizes = np.bincount(group)
    return np.asarray((group == sizes.argmax()) & (sizes.max() > 1))


def _fitted(wins: Floats, optimize: Any) -> Floats:
    """Return the strengths of the highest likelihood, of sum 0."""
    met = wins + wins.T
    won, votes = wins.sum(axis=1), met.sum()

    # The last arm stays at 0, so that the Hessian is regular. All is per vote, as gtol is.
    def loss(strengths: Floats) -> float:
        free = np.append(strengths, 0.0)
        return float((wins * np.logaddexp(0, free - free[:, None])).sum() / votes)

    def slope(strengths: Floats) -> Floats:
        free = np.append(strengths, 0.0)
        return np.asarray(((met * _chances(free)).sum(axis=1) - won)[:-1] / votes)

    def curvature(strengths: Floats) -> Floats:
        return np.asarray(_hessian(np.append(strengths, 0.0), met)[:-1, :-1] / votes)

    start = np.zeros(len(wins) - 1)
    options = {"gtol": 1e-10, "maxiter": 1000}
    found = optimize.minimize(
        loss, start, method="trust-exact", jac=slope, hess=curvature, options=options
    )
    strengths = np.append(found.x, 0.0)
    return np.asarray(strengths - strengths.mean())


def _chances(strengths: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(strengths - strengths[:, None])))


def _hessian(strengths: Floats, met: Floats) -> Floats:
    chances = _chances(strengths)
    weights = met * chances * (1 - chances)
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def _in_points(strengths: Floats, wins: Floats, alpha: float) -> Floats:
    """Return ratings and the ends of their ranges, (3, K)."""
    stats = library("scipy.stats", "ratings", "ratings")
    # Of strengths with the sum 0 the covariance is the pseudo-inverse; a shift changes nothing, so
    # that all directions but that one are inverted if it is given a curvature of its own.
    hessian = _hessian(strengths, wins + wins.T)
    shift = np.full(hessian.shape, np.trace(hessian) / len(hessian) ** 2)
    covariance = np.linalg.inv(hessian + shift) - 1 / (len(hessian) ** 2 * shift)
    spread = stats.norm.isf(alpha / (2 * len(strengths))) * np.sqrt(np.diag(covariance))
    ends = np.stack([strengths, strengths - spread, strengths + spread])
    return np.asarray(MEAN + ELO * ends)


def _tested(
    strengths: Floats, wins: Floats, arms: list[str]
) -> tuple[float, int, float | None, Odd | None]:
    """Return the deviance, its degrees of freedom, its chance, and the pair that is worst."""
    special = library("scipy.special", "ratings", "ratings")
    stats = library("scipy.stats", "ratings", "ratings")
    met = wins + wins.T
    expected = met * _chances(strengths)
    parts = 2 * (special.xlogy(wins, wins) - special.xlogy(wins, np.where(met > 0, expected, 1)))
    first, second = np.nonzero(np.triu(met, 1))
    freedom = len(first) - len(arms) + 1
    deviance = max(float(parts.sum()), 0.0)
    if freedom == 0:
        return deviance, 0, None, None
    of_pairs = (parts + parts.T)[first, second]
    worst = int(of_pairs.argmax())
    a, b = int(first[worst]), int(second[worst])
    share, rated = wins[a, b] / met[a, b], expected[a, b] / met[a, b]
    if share < 0.5:
        a, b, share, rated = b, a, 1 - share, 1 - rated
    odd = Odd(arms[a], arms[b], int(met[a, b]), float(share), float(rated))
    counts = expected[met > 0]
    if counts.min() < 1 or np.mean(counts >= 5) < 0.8:
        return deviance, freedom, None, odd
    return deviance, freedom, float(stats.chi2.sf(deviance, freedom)), odd
