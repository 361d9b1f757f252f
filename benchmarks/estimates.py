"""What estimates and histories from logs promise, measured.

Intervals: the share of runs in which an interval of some arm, or of some gap, ever misses the
average score so far, at any round; for uniform play, MetaBosse, DriftDuel, DriftPoll and a player
whose pairs have propensities down to 1/1000; in a world that stands still and in one that drifts.
Beside it the mean width in the end, that of an interval for one moment by the normal
approximation, how often that one ever misses, and the errors of plain IPS over those of SNIPS.

Robust: the same of `dd.estimate` with forecasts, looked at 40 times, where it is known how rare a
pair may be; beside the mean width that of plain weights, and those with a judge who knows all
chances, with one who knows nothing, and with one who says the opposite.

Means of pairs: the same for logs without propensities by ``pairs="independent"``.

Dates: the winner changes once. The log grows by a tenth until a change is proved: how often that
is, how often the credible and the guaranteed range hold the truth, how wide they are.

Quiet: the share of logs without a change in which one is proved.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from driftduel.votes.analyses import analyse
from driftduel.votes.mixtures import log_wealth
from driftduel.votes.ratings import ELO, MEAN
from driftduel.votes.weighted import WeightedVotes, block_starts

Floats = NDArray[np.float64]

ALPHA = 0.05
RAREST = 1e-3
"""The propensity of the rarest pairs of the player that aims."""
FIRST = 10
"""The round at which somebody looks first."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5000)
    parser.add_argument(
        "--part", choices=("intervals", "robust", "pairs", "dates", "quiet", "ratings", "pages")
    )
    options, _ = parser.parse_known_args()
    parts = {
        "intervals": intervals,
        "robust": robust,
        "pairs": pairs,
        "dates": dates,
        "quiet": quiet,
        "ratings": rated,
        "pages": pages,
    }
    for name, part in parts.items():
        if options.part in (None, name):
            part(options.runs, options.rounds)


def intervals(runs: int, rounds: int) -> None:
    print(
        f"{runs} runs of {rounds:,} rounds: share in which an interval, a gap, an interval for one "
        "moment ever misses, and of runs without overlap; widths, of all time and of one moment; "
        "error of IPS over SNIPS"
    )
    for n_arms in (2, 4, 10):
        for moving in (False, True):
            for player in PLAYERS:
                found = np.array(
                    [one_run(player, n_arms, moving, seed, rounds) for seed in range(runs)]
                )
                missed, means = found[:, :4].mean(axis=0), found[:, 4:].mean(axis=0)
                errors = math.sqrt(np.mean(found[:, 6] ** 2) / np.mean(found[:, 7] ** 2))
                world = "drifting" if moving else "still"
                print(
                    f"K = {n_arms:2} {world:>8} {player:>10} "
                    + " ".join(f"{share:.3f}" for share in missed)
                    + f"  {means[0]:.3f} {means[1]:.3f}  {errors:.2f}",
                    flush=True,
                )


def robust(runs: int, rounds: int) -> None:
    print(
        f"{runs} runs of {rounds:,} rounds: share in which an interval with forecasts of the past, "
        "a gap, an interval with some judge ever misses; widths in the end: plain, with the past, "
        "with a judge who knows, who knows nothing, who lies"
    )
    for n_arms in (2, 4, 10):
        for moving in (False, True):
            for player in RAREST_OF:
                found = np.array(
                    [robust_run(player, n_arms, moving, seed, rounds) for seed in range(runs)]
                )
                means = found.mean(axis=0)
                world = "drifting" if moving else "still"
                print(
                    f"K = {n_arms:2} {world:>8} {player:>10} "
                    + " ".join(f"{mean:.3f}" for mean in means),
                    flush=True,
                )


def robust_run(
    player: str, n_arms: int, moving: bool, seed: int, rounds: int, looks: int = 40
) -> tuple[float, ...]:
    """Return what ever missed, and widths in the end."""
    log, truth = play(player, n_arms, moving, seed, rounds)
    rarest = RAREST_OF[player](n_arms)
    worth = tastes(n_arms, moving, rounds)
    knows = 1 / (1 + np.exp(worth[:, None, :] - worth[:, :, None]))
    judges = (None, knows, np.full((n_arms, n_arms), 0.5), 1 - knows)
    missed = gap_missed = judged_missed = False
    for look in np.unique(np.geomspace(FIRST, rounds, looks).astype(int)):
        part, average = log.rows(slice(int(look))), truth[:look].mean(axis=0)
        plain = WeightedVotes(part, np.full(n_arms, 1 / n_arms), np.asarray(part.propensity))
        low, high = plain.bounds(ALPHA)
        widths = [float((high - low).mean())]
        for judge in judges:
            told = judge[:look] if judge is not None and judge.ndim == 3 else judge
            found = dd.estimate(part, alpha=ALPHA, rarest=rarest, predictions=told)
            out = bool(((found.low > average) | (average > found.high)).any())
            widths.append(float((found.high - found.low).mean()))
            if judge is not None:
                judged_missed |= out
                continue
            missed |= out
            gaps = (found.gap(a, c) for a in range(n_arms) for c in range(a))
            for gap in gaps:
                lead = average[log.arms.index(gap.first)] - average[log.arms.index(gap.second)]
                gap_missed |= not gap.low <= lead <= gap.high
    return missed, gap_missed, judged_missed, *widths


def tastes(n_arms: int, moving: bool, rounds: int) -> Floats:
    """Return what arms are worth in each round, (n, K); the chance to win is logistic."""
    start = np.linspace(0.6, -0.6, n_arms)
    if not moving:
        return np.broadcast_to(start, (rounds, n_arms))
    phase = np.arange(n_arms) / n_arms * 2 * np.pi
    time = np.arange(rounds)[:, None] / rounds * 6 * np.pi
    return start / 2 + 0.6 * np.sin(time + phase)


def chances(worth: Floats) -> Floats:
    """Return the preference matrix of what arms are worth."""
    return np.asarray(1 / (1 + np.exp(worth[None, :] - worth[:, None])))


class Uniform:
    """Every ordered pair is as likely, an arm with itself as well."""

    def __init__(self, n_arms: int, seed: int) -> None:
        self.rng, self.n_arms = np.random.default_rng(seed), n_arms

    def ask(self) -> tuple[int, int, float]:
        """Return the next pair and its propensity."""
        left, right = self.rng.integers(self.n_arms, size=2)
        return int(left), int(right), 1 / self.n_arms**2

    def tell(self, left: int, right: int, outcome: float) -> None:
        """Learn from an outcome."""


class Aiming(Uniform):
    """The two arms that are ahead, mostly; every other pair has the rarest propensity."""

    def __init__(self, n_arms: int, seed: int) -> None:
        super().__init__(n_arms, seed)
        self.wins, self.played = np.full(n_arms, 0.5), np.ones(n_arms)

    def ask(self) -> tuple[int, int, float]:
        """Return the next pair and its propensity."""
        second, first = np.argsort(self.wins / self.played)[-2:]
        chance = np.full((self.n_arms, self.n_arms), RAREST)
        rest = 1 - RAREST * self.n_arms**2
        chance[first, first] += 0.5 * rest
        chance[first, second] += 0.25 * rest
        chance[second, first] += 0.25 * rest
        drawn = self.rng.choice(self.n_arms**2, p=chance.ravel())
        left, right = divmod(int(drawn), self.n_arms)
        return left, right, float(chance[left, right])

    def tell(self, left: int, right: int, outcome: float) -> None:
        """Learn from an outcome."""
        self.wins[left] += outcome
        self.wins[right] += 1 - outcome
        self.played[[left, right]] += 1


class Learning:
    """A learner of the library."""

    def __init__(self, learner: dd.Learner) -> None:
        self.learner = learner

    def ask(self) -> tuple[int, int, float]:
        """Return the next pair and its propensity."""
        self.duel = self.learner.ask()
        assert self.duel.propensity is not None
        return self.duel.left, self.duel.right, self.duel.propensity

    def tell(self, left: int, right: int, outcome: float) -> None:
        """Learn from an outcome."""
        self.learner.tell(self.duel, outcome)


class Player(Protocol):
    """Who chooses pairs."""

    def ask(self) -> tuple[int, int, float]:
        """Return the next pair and its propensity."""

    def tell(self, left: int, right: int, outcome: float) -> None:
        """Learn from an outcome."""


PLAYERS: dict[str, Callable[[int, int, int], Player]] = {
    "uniform": lambda k, seed, _: Uniform(k, seed),
    "1/1000": lambda k, seed, _: Aiming(k, seed),
    "MetaBosse": lambda k, seed, n: Learning(dd.MetaBosse(k, n, seed=seed)),
    "DriftDuel": lambda k, seed, _: Learning(dd.DriftDuel(k, seed=seed)),
    "DriftPoll": lambda k, seed, _: Learning(dd.DriftPoll(k, seed=seed)),
}


RAREST_OF: dict[str, Callable[[int], float]] = {
    "uniform": lambda k: 1 / k**2,
    "1/1000": lambda _: RAREST,
    "DriftPoll": lambda k: dd.DriftPoll(k).rarest,
}
"""Players of whom it is known how rare a pair may be."""


def play(player: str, n_arms: int, moving: bool, seed: int, rounds: int) -> tuple[dd.Log, Floats]:
    """Return the log of a player and the scores of every round, (n, K)."""
    rng = np.random.default_rng([seed, 1])
    worth = tastes(n_arms, moving, rounds)
    who = PLAYERS[player](n_arms, seed, rounds)
    rows = []
    truth = np.empty((rounds, n_arms))
    for t in range(rounds):
        matrix = chances(worth[t])
        truth[t] = matrix.mean(axis=1)
        left, right, propensity = who.ask()
        preferred = float(rng.random() < matrix[left, right])
        outcome = preferred if left != right else 0.5
        who.tell(left, right, outcome)
        rows.append((t, left, right, outcome, propensity))
    *columns, propensities = zip(*rows, strict=True)
    labels = [f"arm {arm}" for arm in range(n_arms)]
    return dd.Log(labels, *columns, propensity=propensities), truth


def values(log: dd.Log) -> tuple[Floats, Floats]:
    """Return Y+ and Y- of every round and arm, (n, K), by the definition."""
    n, k = len(log), log.n_arms
    gains, losses = np.full((n, k), 0.5 / k), np.full((n, k), 0.5 / k)
    asked = np.flatnonzero(log.left != log.right)
    share = 0.5 / k / np.asarray(log.propensity)[asked]
    for arms, outcome in ((log.left, log.outcome), (log.right, 1 - log.outcome)):
        gains[asked, arms[asked]] += share * outcome[asked]
        losses[asked, arms[asked]] += share * (1 - outcome[asked])
    return gains, losses


def one_run(player: str, n_arms: int, moving: bool, seed: int, rounds: int) -> tuple[float, ...]:
    """Return what ever missed, the widths in the end, and the errors of IPS and SNIPS."""
    log, truth = play(player, n_arms, moving, seed, rounds)
    gains, losses = values(log)
    n = np.arange(1, rounds + 1)[:, None]
    sums = np.cumsum(truth, axis=0)
    missed = gap_missed = once_missed = False
    z = NormalDist().inv_cdf(1 - ALPHA / (2 * n_arms))
    for part, total in ((gains, sums), (losses, n - sums)):
        won = np.cumsum(part, axis=0)
        spread = np.cumsum((part - guesses(part)) ** 2, axis=0)
        bar = math.log(2 * n_arms / ALPHA)
        missed |= bool((log_wealth(won - total, spread)[FIRST:] >= bar).any())
        sd = np.sqrt(np.maximum(np.cumsum(part**2, axis=0) / n - (won / n) ** 2, 1e-12) / n)
        once_missed |= bool((np.abs(won - total) / n > z * sd)[FIRST:].any())
    for first in range(n_arms):
        lead = gains[:, [first]] + losses - 1
        excess = np.cumsum(lead, axis=0) - (sums[:, [first]] - sums)
        wealth = log_wealth(excess, np.cumsum(lead**2, axis=0))
        wealth[:, first] = -math.inf
        gap_missed |= bool((wealth[FIRST:] >= math.log(n_arms * (n_arms - 1) / ALPHA)).any())
    found = dd.estimate(log, dd.Borda(), alpha=ALPHA)
    average = truth.mean(axis=0)
    ips = float(np.abs(gains.mean(axis=0) - average).max())
    won, lost = gains.sum(axis=0), losses.sum(axis=0)
    snips = float(np.abs(won / (won + lost) - average).max())
    width = float((found.high - found.low).mean())
    once = float(2 * z * sd[-1].mean())
    return missed, gap_missed, once_missed, any(found.doubts), width, once, ips, snips


def guesses(part: Floats) -> Floats:
    """Return the guess of every round and arm: the mean before the block it is in."""
    starts = block_starts(np.arange(len(part), dtype=np.float64))
    totals = np.vstack([np.zeros(part.shape[1]), np.cumsum(part, axis=0)])
    guess = np.minimum((totals[starts] + 0.5) / (starts[:, None] + 1), 1.0)
    return np.repeat(guess, np.diff(np.append(starts, len(part))), axis=0)


def sampled(
    rng: np.random.Generator,
    rounds: int,
    matrices: list[Floats],
    pair_chances: Floats,
    change: int = 0,
) -> dd.Log:
    """Return votes by the first matrix until a change, then by the second."""
    k = len(pair_chances)
    drawn = rng.choice(k * k, rounds, p=pair_chances.ravel())
    left, right = np.divmod(drawn, k)
    wins = matrices[0][left, right]
    if len(matrices) > 1:
        wins = np.where(np.arange(rounds) < change, wins, matrices[1][left, right])
    outcome = (rng.random(rounds) < wins).astype(float)
    labels = [f"arm {arm}" for arm in range(k)]
    propensity = pair_chances.ravel()[drawn]
    return dd.Log(labels, np.arange(rounds), left, right, outcome, propensity=propensity)


def without_propensities(log: dd.Log) -> dd.Log:
    return dd.Log(log.arms, log.time, log.left, log.right, log.outcome)


def even(n_arms: int) -> Floats:
    return (1 - np.eye(n_arms)) / (n_arms * (n_arms - 1))


def uneven(n_arms: int, rng: np.random.Generator) -> Floats:
    """Return pairs of which some are met fifty times as often as others."""
    shares = rng.random((n_arms, n_arms)) ** 3 + 0.02
    np.fill_diagonal(shares, 0)
    return np.asarray(shares / shares.sum())


def pairs(runs: int, rounds: int) -> None:
    print(
        f'{4 * runs} logs of {rounds:,} votes, pairs="independent": ever missed, width in the end'
    )
    looks = np.unique(np.geomspace(FIRST, rounds, 120).astype(int))
    for n_arms in (2, 4, 10):
        for name in ("even", "uneven"):
            missed, widths = [], []
            for seed in range(4 * runs):
                rng = np.random.default_rng(seed)
                matrix = chances(np.linspace(0.6, -0.6, n_arms))
                shares = even(n_arms) if name == "even" else uneven(n_arms, rng)
                log = without_propensities(sampled(rng, rounds, [matrix], shares))
                truth = matrix.mean(axis=1)
                out = False
                for look in looks:
                    part = log.rows(slice(int(look)))
                    found = dd.estimate(part, dd.Borda(), pairs="independent")
                    out |= bool(((found.low > truth) | (truth > found.high)).any())
                missed.append(out)
                widths.append((found.high - found.low).mean())
            print(
                f"K = {n_arms:2} {name:>7} {np.mean(missed):.3f}  {np.mean(widths):.3f}",
                flush=True,
            )


def winner(n_arms: int, best: int, margin: float) -> Floats:
    """Return a matrix in which one arm beats the others by a margin."""
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[best] += margin
    matrix[:, best] -= margin
    matrix[best, best] = 0.5
    return matrix


LONGEST = 40_000


def dates(runs: int, rounds: int) -> None:
    runs *= 5
    print(
        f"{runs} logs, the winner changes at vote 2,000, the log grows until a change is proved: "
        "share that is, votes after the change (median), names right, credible range holds the "
        "truth, its width (median), guaranteed range holds it, its width (median)"
    )
    for n_arms in (2, 4):
        for margin in (0.1, 0.2, 0.4):
            found = [detected(n_arms, margin, seed) for seed in range(runs)]
            some = np.array([row for row in found if row is not None])
            median = np.median(some, axis=0)
            mean = some.mean(axis=0)
            print(
                f"K = {n_arms} gap {margin}: {len(some) / runs:.3f}  {median[0]:6.0f}  "
                f"{mean[1]:.3f}  {mean[2]:.3f} {median[3]:5.0f}  {mean[4]:.3f} {median[5]:5.0f}",
                flush=True,
            )


def detected(n_arms: int, margin: float, seed: int) -> tuple[float, ...] | None:
    rng = np.random.default_rng(seed)
    change = 2000
    matrices = [winner(n_arms, best, margin) for best in (0, 1)]
    log = without_propensities(sampled(rng, LONGEST, matrices, even(n_arms), change))
    length = change + 20
    while length <= LONGEST:
        changes = dd.history(log.rows(slice(length)), dd.Borda()).changes
        if changes:
            first = changes[0]
            named = (first.before, first.after) == ("arm 0", "arm 1")
            ends = (first.earliest, first.latest, first.after_surely, first.before_surely)
            begin, end, after, before = map(float, ends)  # type: ignore[arg-type]
            holds, surely = begin <= change <= end, after <= change <= before
            return length - change, named, holds, end - begin + 1, surely, before - after + 1
        length = change + math.ceil((length - change) * 1.1)
    return None


def quiet(runs: int, rounds: int) -> None:
    print(
        f"share of {runs} logs without a change in which one is proved: with propensities, without"
    )
    for votes in (500, 5000, 50_000):
        for n_arms in (2, 5, 10, 30):
            for kind in ("equal", "near ties", "BTL", "uneven", "bursts"):
                shown = np.zeros(2)
                for seed in range(runs):
                    log = still(kind, n_arms, votes, np.random.default_rng(seed))
                    for place, one in enumerate((log, without_propensities(log))):
                        shown[place] += bool(dd.history(one, dd.Borda(), alpha=ALPHA).changes)
                shares = " ".join(f"{share:.3f}" for share in shown / runs)
                print(f"{votes:7,} votes K = {n_arms:2} {kind:>9} {shares}", flush=True)


def rated(runs: int, rounds: int) -> None:
    runs *= 10
    print(
        f"Bradley-Terry, share of {runs} logs: some range misses the rating, the test finds that "
        "it does not fit, it cannot be tested; then that it does not fit a cycle of .6 each"
    )
    for n_arms in (2, 4, 10):
        for votes in (200, 1000, 5000):
            worth = np.linspace(0.6, -0.6, n_arms)
            found = np.zeros(4)
            for seed in range(runs):
                rng = np.random.default_rng(seed)
                some = dd.ratings(sampled(rng, votes, [chances(worth)], even(n_arms)))
                truth = MEAN + ELO * worth
                known = ~np.isnan(some.ratings)
                out = (some.low > truth) | (truth > some.high)
                # Ratings are about their mean, so they can be compared if all are rated.
                found[0] += bool(known.all() and out.any())
                found[1] += some.fits is False
                found[2] += some.fits is None
                ring = np.full((n_arms, n_arms), 0.5)
                for arm in range(n_arms) if n_arms > 2 else ():
                    ring[arm, (arm + 1) % n_arms], ring[(arm + 1) % n_arms, arm] = 0.6, 0.4
                if n_arms > 2:
                    log = sampled(rng, votes, [ring], even(n_arms))
                    found[3] += dd.ratings(log).fits is False
            shares = " ".join(f"{share:.3f}" for share in found / runs)
            print(f"K = {n_arms:2} {votes:5,} votes {shares}", flush=True)


def pages(runs: int, rounds: int) -> None:
    print(
        f"driftduel analyse, share of {runs} logs of tastes that never change: a change is "
        "claimed, somebody is called best who is not, a range misses, a warning is given, it is "
        "refused"
    )
    for n_arms in (2, 4, 10):
        for votes in (200, 2000):
            for kind in ("equal", "BTL", "uneven", "MetaBosse", "DriftDuel", "DriftPoll"):
                for known in (True, False):
                    if kind in PLAYERS and not known:
                        continue
                    found = np.array([page(kind, n_arms, votes, known, n) for n in range(runs)])
                    shares = " ".join(f"{share:.3f}" for share in found.mean(axis=0))
                    how = "propensities" if known else "none"
                    print(
                        f"K = {n_arms:2} {votes:5,} votes {kind:>9} {how:>12} {shares}", flush=True
                    )


def page(kind: str, n_arms: int, votes: int, known: bool, seed: int) -> tuple[bool, ...]:
    """Return what is wrong with what an analysis says of one log."""
    worth = np.zeros(n_arms)
    if kind in PLAYERS:
        log, _ = play(kind, n_arms, False, seed, votes)
        worth = tastes(n_arms, False, 1)[0]
    else:
        log = still(kind, n_arms, votes, np.random.default_rng(seed))
        if kind != "equal":
            worth = np.sort(np.random.default_rng(seed).normal(0, 0.7, n_arms))[::-1]
    try:
        data = analyse(log if known else without_propensities(log)).to_dict()
    except ValueError:
        return False, False, False, False, True
    against = np.isin(log.arms, data["against"])
    truth = dict(zip(log.arms, chances(worth)[:, against].mean(axis=1), strict=True))
    best = max(truth.values())
    wrong = data["decided"] and truth[data["best"]] < best - 1e-9
    out = any(not row["low"] <= truth[row["arm"]] <= row["high"] for row in data["scores"])
    warned = data["copies"] is not None or data["side"]["suspect"] or bool(data["left"])
    return bool(data["changes"]), wrong or (kind == "equal" and data["decided"]), out, warned, False


def still(kind: str, n_arms: int, votes: int, rng: np.random.Generator) -> dd.Log:
    """Return votes of tastes that never change."""
    worth = np.zeros(n_arms)
    if kind == "near ties":
        worth = np.linspace(0.02, -0.02, n_arms)
    elif kind in ("BTL", "uneven"):
        worth = np.sort(rng.normal(0, 0.7, n_arms))[::-1]
    shares = uneven(n_arms, rng) if kind == "uneven" else even(n_arms)
    log = sampled(rng, votes, [chances(worth)], shares)
    if kind != "bursts":
        return log
    days = np.sort(rng.choice(60, votes, p=rng.dirichlet(np.full(60, 0.2))))
    return dd.Log(log.arms, days, log.left, log.right, log.outcome, propensity=log.propensity)


if __name__ == "__main__":
    main()
