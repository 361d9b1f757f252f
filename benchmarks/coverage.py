"""How often intervals miss the truth at some moment, and how good "about n more votes" is.

Outcomes of one arm: in what share of the runs an interval at 95 % ever leaves out the mean, or
under drift the average of the means so far, from the tenth vote to the last. Wilson's interval
beside it, which is made to be looked at once.

Widths of the intervals for plain outcomes.

Weighted votes: four arms whose scores drift, pairs chosen by who is ahead, outcomes divided by
propensities; in what share of the runs the bounds of `driftduel.votes.mixtures` ever leave out
the average score, and how wide they are in the end.

Reports of learners: in what share of the runs the interval of any arm ever leaves out its score
against the others, or under drift the average of that over the duels it is from; and in what share
two arms are ever told apart by their intervals.

Lives: polls of `DriftPoll` in which another option is best after each 1,000 votes, 7 or 11 times:
in how many of them some interval of some report is ever wrong, at the levels that reports have
(`driftduel.votes.proof.counts`), looked at every 20 votes. Beside it the same if each count had
the whole level.

Prediction: votes said to be missing until a poll is decided over those that were, asked when 10,
25, 50 and 75 % of them were in.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

import driftduel as dd
from benchmarks._poll_play import Taste, play
from driftduel.learners.contract.history import History
from driftduel.votes.decisions import is_decided, votes_until_decided
from driftduel.votes.mixtures import deviation, log_wealth, mean_bounds, running_sums
from driftduel.votes.proof.counts import no_counts
from driftduel.votes.sequences import interval, log_evidence

Floats = NDArray[np.float64]

ALPHA = 0.05
NORMAL = 1.959964
"""Standard deviations to either side that hold 95 % of a normal distribution."""
FIRST = 10
"""The vote at which somebody looks first."""
CHANCE = 0.5
"""With which the sampler of weighted votes takes an arm at random."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--votes", type=int, default=5000)
    parser.add_argument("--part", choices=("lives", "all"), default="all")
    options, _ = parser.parse_known_args()
    runs, votes = options.runs, options.votes
    print(f"polls of {runs:,} in which an interval is ever wrong; if each count had all the level")
    for n_arms, share, changes in LIVES:
        lives = np.array([life(n_arms, share, changes, seed) for seed in range(runs)])
        wrong = " ".join(f"{count:5}" for count in lives.sum(axis=0))
        print(f"{n_arms:3} options, best {share}, {changes:2} changes: {wrong}", flush=True)
    if options.part == "lives":
        return
    print(f"share of {runs:,} runs of {votes:,} votes in which the interval ever misses")
    print(f"{'outcomes':>32} {'sequence':>9} {'Wilson':>7}")
    for seed, (name, (means, ties)) in enumerate(worlds(votes).items()):
        outcomes = draw(np.random.default_rng(seed), runs, means, ties)
        print(
            f"{name:>32} {ever_misses(outcomes, means):9.4f} "
            f"{wilson_ever_misses(outcomes, means):7.4f}",
            flush=True,
        )
    print("width at mean .6: of the sequence, over Wilson's, of the bounds for weighted votes")
    for n in (30, 100, 1000, 10_000):
        print(f"{n:9,} votes " + " ".join(f"{width:6.3f}" for width in widths(n)))
    weighted = np.array([weighted_votes(seed, votes) for seed in range(runs // 4)])
    print(
        f"weighted votes, {len(weighted)} runs: ever missed {weighted[:, 0].mean():.4f}, "
        f"width in the end {weighted[:, 1].mean():.3f}"
    )
    print(f"reports, {runs // 5} runs of {votes:,} votes or rounds: {'ever missed':>32} told apart")
    for kind in (dd.DriftPoll, dd.DriftDuel):
        for name, world in report_worlds(votes).items():
            rows = [report_holds(kind(world.n_arms), world, seed) for seed in range(runs // 5)]
            missed, apart = np.mean(rows, axis=0)
            print(f"{kind.__name__:>10} {name:>40} {missed:12.4f} {apart:10.4f}", flush=True)
    print("votes said to be missing over those that were: quantiles 25 %, 50 %, 75 %")
    for scores, shares in POLLS:
        ratios = np.array([predictions(seed, scores, shares) for seed in range(runs // 4)])
        for share, column in zip(ASKED, ratios.T, strict=True):
            said = " ".join(f"{value:6.2f}" for value in np.quantile(column, [0.25, 0.5, 0.75]))
            near = np.mean((column >= 0.5) & (column <= 2))
            name = f"{len(scores)} arms, {scores[0]} over {scores[1]}, {shares[0]:.0%} of votes"
            print(f"{name:>40} at {share:4.0%} {said}; within a factor of 2: {near:.2f}")


def worlds(votes: int) -> dict[str, tuple[Floats, float]]:
    """Return the mean of each vote and the share of ties, by name."""
    time = np.arange(votes)
    flat = np.ones(votes)
    return {
        "mean .5": (0.5 * flat, 0.0),
        "mean .6": (0.6 * flat, 0.0),
        "mean .8": (0.8 * flat, 0.0),
        "mean .95": (0.95 * flat, 0.0),
        "mean .6, 30 % ties": (0.6 * flat, 0.3),
        "from .6 to .4 in the middle": (np.where(time < votes / 2, 0.6, 0.4), 0.0),
        "from .5 to .98 after 200": (np.where(time < 200, 0.5, 0.98), 0.0),
        "from .98 to .5 after 200": (np.where(time < 200, 0.98, 0.5), 0.0),
        "a slow wave from .3 to .9": (0.6 + 0.3 * np.sin(time / 300), 0.0),
    }


def draw(rng: np.random.Generator, runs: int, means: Floats, ties: float = 0.0) -> Floats:
    """Return outcomes, a row a run, of the given means; ``ties`` is the share of 1/2."""
    wins = (means - ties / 2) / (1 - ties)
    outcomes = (rng.random((runs, len(means))) < wins).astype(float)
    outcomes[rng.random(outcomes.shape) < ties] = 0.5
    return outcomes


def ever_misses(outcomes: Floats, means: Floats, alpha: float = ALPHA) -> float:
    """Return the share of rows in which the confidence sequence ever leaves out the average mean.

    A mean is outside as soon as the evidence against it reaches 1/alpha.
    """
    n = np.arange(1, len(means) + 1)
    average = np.cumsum(means) / n
    outside = log_evidence(np.cumsum(outcomes, axis=1), n, average) >= -math.log(alpha)
    return float(outside[:, FIRST - 1 :].any(axis=1).mean())


def wilson_ever_misses(outcomes: Floats, means: Floats) -> float:
    """Return the same of Wilson's interval at 95 %."""
    n = np.arange(1, len(means) + 1)
    average = np.cumsum(means) / n
    away = np.abs(np.cumsum(outcomes, axis=1) - n * average)
    outside = away > NORMAL * np.sqrt(n * average * (1 - average))
    return float(outside[:, FIRST - 1 :].any(axis=1).mean())


def widths(votes: int) -> tuple[float, float, float]:
    """Return the mean widths of the sequence, over Wilson's, and of the bounds for weighted votes.

    All are of the same 200 runs of plain outcomes.
    """
    outcomes = draw(np.random.default_rng(0), 200, np.full(votes, 0.6))
    wins = outcomes.sum(axis=1)
    low, high = interval(wins, votes, ALPHA)
    least, most = mean_bounds(outcomes, 1 - outcomes, ALPHA)
    spread = NORMAL * np.sqrt(wins * (1 - wins / votes) + NORMAL**2 / 4) / (votes + NORMAL**2)
    return (
        float(np.mean(high - low)),
        float(np.mean((high - low) / (2 * spread))),
        float(np.mean(most - least)),
    )


def weighted_votes(seed: int, votes: int) -> tuple[bool, float]:
    """Return whether the bounds for the score of arm 0 ever missed, and their width in the end.

    Left is the arm ahead and right the second, each with probability 1 - CHANCE, otherwise any.
    """
    rng = np.random.default_rng(seed)
    n_arms = 4
    wins, played = np.full(n_arms, 0.5), np.ones(n_arms)
    gains, losses, truth = (np.zeros(votes) for _ in range(3))
    for t in range(votes):
        taste = np.sin(t / 400 + np.arange(n_arms))
        chance = 1 / (1 + np.exp(taste[None, :] - taste[:, None]))
        truth[t] = chance[0].mean()
        second, first = np.argsort(wins / played)[-2:]
        left, right = (
            int(rng.integers(n_arms)) if rng.random() < CHANCE else int(arm)
            for arm in (first, second)
        )
        propensity = _chance(left == first, n_arms) * _chance(right == second, n_arms)
        outcome = float(rng.random() < chance[left, right])
        wins[left] += outcome
        wins[right] += 1 - outcome
        played[[left, right]] += 1
        gains[t] = losses[t] = 0.5 / n_arms
        if left != right and 0 in (left, right):
            won = outcome if left == 0 else 1 - outcome
            weight = 1 / n_arms / (2 * propensity)
            gains[t] += weight * won
            losses[t] += weight * (1 - won)
    ends, missed = [], False
    for values, means in ((gains, truth), (losses, 1 - truth)):
        totals, variances = running_sums(values)
        wealth = log_wealth(totals - np.cumsum(means), variances)
        missed |= bool(np.any(wealth >= math.log(2 / ALPHA)))
        ends.append((totals[-1] - deviation(variances[-1], ALPHA / 2)) / votes)
    return missed, 1 - ends[0] - ends[1]


def _chance(is_aimed: bool, n_arms: int) -> float:
    return CHANCE / n_arms + (1 - CHANCE) * is_aimed


def report_worlds(votes: int) -> dict[str, dd.Stream]:
    """Return the worlds of reports by name."""
    even, best, next_best = (favourite(4, chance, arm) for chance, arm in EVEN_AND_BEST)
    ladder = 0.5 + 0.03 * np.subtract.outer(np.arange(10)[::-1], np.arange(10)[::-1])
    return {
        "4 arms, all equal": dd.Stream.stationary(even, votes),
        "4 arms, one wins .6": dd.Stream.stationary(best, votes),
        "10 arms in a row": dd.Stream.stationary(ladder, votes),
        "4 arms, .6, another from the middle on": dd.Stream.piecewise(
            [best, next_best], [0, votes // 2], votes
        ),
    }


EVEN_AND_BEST = ((0.5, 0), (0.6, 0), (0.6, 1))


def favourite(n_arms: int, chance: float, arm: int) -> Floats:
    """Return the matrix in which one arm wins with a chance, and the others are even."""
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[arm], matrix[:, arm] = chance, 1 - chance
    matrix[arm, arm] = 0.5
    return matrix


def report_holds(learner: dd.Learner, world: dd.Stream, seed: int) -> tuple[bool, bool]:
    """Return whether an interval of the reports ever missed, and whether two arms came apart.

    Looked at after every round.
    """
    wins, tosses, sums, number = tosses_of(learner, world, seed)
    n_arms = learner.n_arms
    average = np.divide(sums, tosses, out=np.full(sums.shape, 0.5), where=tosses > 0)
    evidence = log_evidence(wins, tosses, average)
    level = levels(number, n_arms)
    low, high = np.zeros(wins.shape), np.ones(wins.shape)
    for each in np.unique(level):
        rows = level == each
        low[rows], high[rows] = interval(wins[rows], tosses[rows], float(each))
    missed = bool(np.any(evidence >= -np.log(level)[:, None]))
    return missed, bool(np.any(low.max(axis=1) > high.min(axis=1)))


def levels(number: NDArray[np.int64], n_arms: int) -> Floats:
    """Return the level of the interval of each arm in so manieth a count of a life."""
    first = math.exp(no_counts(n_arms, range(n_arms), 0, 0).log_weight(range(n_arms)))
    return np.asarray(ALPHA * first / ((number + 1) * (number + 2)) / n_arms)


LIVES = ((4, 0.7, 7), (4, 0.7, 11), (4, 0.8, 11), (10, 0.8, 7))
"""How many options, how often the best wins against each other one, and how often it changes."""
STRETCH, EVERY = 1000, 20


def life(n_arms: int, share: float, changes: int, seed: int) -> tuple[bool, bool]:
    """Return whether an interval was ever wrong, and whether with the whole level for each count.

    An interval is to hold the average score of the tosses that it is of.
    """
    palette = np.array([favourite(n_arms, share, arm) for arm in range(n_arms)])
    votes = (changes + 1) * STRETCH
    now = np.arange(votes) // STRETCH % n_arms
    taste = Taste(palette, now, now, np.zeros(votes), 0.0, 0.0)
    scores = (palette.sum(axis=2) - 0.5) / (n_arms - 1)
    sums, before, count = np.zeros(n_arms), np.zeros(n_arms), 0
    wrong = alone = False

    def look(poll: dd.DriftPoll) -> None:
        nonlocal sums, before, count, wrong, alone
        tally = poll._session.state.tally
        tosses, wins = tally.tossed.sum(axis=1), tally.won.sum(axis=1)
        if tally.number[0] != count:  # all that is counted came since the last look
            count = int(tally.number[0])
            sums, before = np.zeros(n_arms), np.zeros(n_arms)
        sums = sums + (tosses - before) * scores[now[poll.rounds - 1]]
        before = tosses
        some = tosses > 0
        evidence = float(
            log_evidence(wins[some], tosses[some], sums[some] / tosses[some]).max(initial=-math.inf)
        )
        wrong |= evidence >= -math.log(levels(np.array(count), n_arms))
        alone |= evidence >= math.log(n_arms / ALPHA)

    play(dd.DriftPoll(n_arms), taste, seed, votes, range(EVERY, votes, EVERY), look)
    return wrong, alone


def tosses_of(
    learner: dd.Learner, world: dd.Stream, seed: int
) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """Return wins, tosses, summed scores of each arm, and which count, after each round."""
    n_arms = learner.n_arms
    rng, settling, voters = (np.random.default_rng([seed, part]) for part in range(3))
    state, history = learner._start(rng), History()
    wins, tosses, sums = (np.zeros((world.horizon, n_arms)) for _ in range(3))
    total = np.zeros(n_arms)
    before = np.zeros(n_arms)
    number = np.zeros(world.horizon, np.int64)
    for t in range(world.horizon):
        matrix = world.matrix(t)
        left, right, ticket = learner._choose(state, rng)
        if learner._learn(state, left, right, ticket, float(voters.random() < matrix[left, right])):
            learner._settle(state, settling)
            learner._collect(state, history)
        wins[t], tosses[t] = state.tally.won.sum(axis=1), state.tally.tossed.sum(axis=1)
        number[t] = state.tally.number[0]
        more = tosses[t] - before
        # Where counting restarted there are fewer than before.
        total = np.where(more < 0, 0.0, total)
        if more.any():
            scores = (matrix.sum(axis=1) - 0.5) / (n_arms - 1)
            total += np.maximum(more, 0.0) * scores
        sums[t], before = total, tosses[t]
    return wins, tosses, sums, number


ASKED = (0.1, 0.25, 0.5, 0.75)
POLLS = (
    ((0.6, 0.4), (0.5, 0.5)),
    ((0.6, 0.5, 0.45, 0.45), (0.25, 0.25, 0.25, 0.25)),
    ((0.6, 0.5, 0.45, 0.45), (0.4, 0.3, 0.15, 0.15)),
    ((0.7, 0.6, *[0.45] * 8), (0.1,) * 10),
)
"""Scores of arms and their shares of the votes."""
LONGEST = 200_000
"""Votes within which all of them are decided."""


def predictions(seed: int, scores: ArrayLike, shares: ArrayLike) -> list[float]:
    """Return how many votes were said to be missing over how many were, at ASKED of all.

    The poll is looked at whenever the votes are 2 % more. Who leads when it is asked may be wrong.
    """
    rng = np.random.default_rng(seed)
    chances, rates = np.asarray(scores), np.asarray(shares)
    times = np.unique(np.geomspace(FIRST, LONGEST, 500).astype(int))
    tosses = rng.multinomial(np.diff(times, prepend=0), rates)
    wins = np.cumsum(rng.binomial(tosses, chances), axis=0).astype(float)
    played = np.cumsum(tosses, axis=0).astype(float)
    leaders = np.argmax(wins / np.maximum(played, 1), axis=1)
    low, high = interval(wins, played, ALPHA / len(chances))
    decided = next(
        look for look, leader in enumerate(leaders) if is_decided(low[look], high[look], leader)
    )
    ratios = []
    for share in ASKED:
        look = int(np.searchsorted(times, share * times[decided]))
        said = votes_until_decided(wins[look], played[look], rates, ALPHA, int(leaders[look]))
        ratios.append(math.inf if said is None else said / max(times[decided] - times[look], 1))
    return ratios


if __name__ == "__main__":
    main()
