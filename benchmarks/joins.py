"""What a join costs: one arm joins four, beside no join, a fresh start and always five arms.

Run it with: python -m benchmarks joins
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import driftduel as dd

RUNS = 60
STEP = 0.1
"""Neighbours in the order of strength win 60 to 40 against each other."""

LEARNERS: dict[str, tuple[Callable[[int], dd.learners.Learner], int]] = {
    "DriftPoll": (dd.DriftPoll, 1_000),
    "DriftDuel": (dd.DriftDuel, 10_000),
    "DriftDuel, Condorcet": (lambda k: dd.DriftDuel(k, criterion=dd.Condorcet()), 10_000),
    "MetaBosse": (dd.MetaBosse, 100_000),
}
"""Each with the rounds before the join, and after it."""

PLACES = {"the best": 0, "in the middle": 2, "the worst": 4}
"""Where the arm that joins stands."""


def main() -> None:
    print(f"{RUNS} runs; four arms, then a fifth, as many rounds after the join as before")
    print("after the join: mean regret (standard error), share of rounds with a wrong best()\n")
    first, second = attention()
    print(
        f"DriftPoll: who is best is in {first:.0%} of the first 25 votes, {second:.0%} of 25 more"
    )
    for name, (make, rounds) in LEARNERS.items():
        for where, place in PLACES.items():
            print(f"{name}, {rounds:,} rounds, joins: {where}")
            for how, regret, error, wrong in figures(make, rounds, place):
                print(f"  {how:<14} {regret:8.1f} ({error:.1f})  {wrong:.3f}", flush=True)


def attention() -> tuple[float, float]:
    """Return which share of the first 25 and of the next 25 votes show a new best arm of a poll."""
    everyone = np.append(-STEP * np.arange(1, 5), 0.0)
    later = world(everyone, 1_050).offering([[True] * 4 + [False], [True] * 5], [0, 1_000])
    runs = dd.simulate_many(dd.DriftPoll(5), later, range(RUNS), 2, points=[1_000, 1_025, 1_050])
    counts = np.sum([np.asarray(run.ledger.pairs) for run in runs], axis=0).reshape(3, 5, 5)[1:]
    shares = (counts[:, 4].sum(axis=1) + counts[:, :, 4].sum(axis=1)) / counts.sum(axis=(1, 2))
    return float(shares[0]), float(shares[1])


def figures(
    make: Callable[[int], dd.learners.Learner], rounds: int, place: int
) -> Iterator[tuple[str, float, float, float]]:
    """Yield how arms come, the regret after the join with its error, how often best() is wrong."""
    strengths = np.delete(-STEP * np.arange(5), place)
    everyone = np.append(strengths, -STEP * place)
    four, five = world(strengths, 2 * rounds), world(everyone, 2 * rounds)
    later = five.offering([[True] * 4 + [False], [True] * 5], [0, rounds])
    for how, learner, stream, begin in (
        ("join", make(5), later, rounds),
        ("no join", make(4), four, rounds),
        ("fresh start", make(5), five[:rounds], 0),
        ("always there", make(5), five, rounds),
    ):
        points = begin + np.linspace(0, rounds, 201).astype(int)
        runs = dd.simulate_many(learner, stream, range(RUNS), 2, points=points[points > 0])
        best = int(dd.Borda().scores(stream.matrix(0)).argmax())
        costs = [run.regret(learner.criterion)[-1] for run in runs]
        if begin:
            costs = [
                cost - run.regret(learner.criterion)[0]
                for cost, run in zip(costs, runs, strict=True)
            ]
        wrong = np.mean([(run.picks[run.moments >= begin] != best).mean() for run in runs])
        yield how, float(np.mean(costs)), float(np.std(costs) / np.sqrt(RUNS)), float(wrong)


def world(strengths: np.ndarray, horizon: int) -> dd.Stream:
    """Return the world of arms that win by as much as they are stronger."""
    return dd.Stream.stationary(0.5 + strengths[:, None] - strengths, horizon)


if __name__ == "__main__":
    main()
