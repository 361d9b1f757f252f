"""Whether `driftduel measure` takes noise for drift, whether it finds drift, and what that costs.

False alarms: on logs in which nothing changes (equal arms, near ties, Bradley-Terry-Luce; 500 to
50,000 votes, 2 to 20 arms, 3 to 1,000 dates or all times different) how many show some count more
than noise, with the bandwidth chosen (bar: 5 %) and, for comparison, given. Power: on logs whose
winner changes in the middle, how many do. Cost: processor time with the shuffles and without.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np

import driftduel as dd
from benchmarks.calibration import upper
from driftduel.votes import Log

KINDS = ("equal arms", "near ties", "BTL")
ARMS = (2, 3, 4, 6, 10, 20)
DATES = (3, 7, 12, 30, 100, 365, 1000)
BAR = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--logs", type=int, default=200, help="in which nothing changes")
    parser.add_argument("--runs", type=int, default=20, help="for each kind of change")
    options, _ = parser.parse_known_args()
    false_alarms(options.logs)
    power(options.runs)
    cost()


def false_alarms(logs: int) -> None:
    print(f"{logs} logs in which nothing changes; bar: {BAR:.0%} with a count more than noise")
    for words, share in (("chosen", None), ("a 10th of the time", 0.1), ("a 50th", 0.02)):
        more, less, finite = 0, 0, 0
        for seed in range(logs):
            log = stationary(seed)
            width = None if share is None else share * float(log.time[-1] - log.time[0])
            found = dd.measure_log(log, bandwidth=width)
            verdicts = [band.verdict for band in found.bands.values()]
            more += found.beyond_noise
            less += "less" in verdicts and not found.beyond_noise
            finite += math.isfinite(found.bandwidth)
        print(
            f"  bandwidth {words:18}: {more:3} more ({more / logs:.1%}, at most "
            f"{upper(more, logs, 0.05):.1%} at 95 %), {less:3} less only, "
            f"{finite:3} with a bandwidth that is finite",
            flush=True,
        )


def power(runs: int) -> None:
    print(f"winner changes in the middle of 100 dates: logs of {runs} with a count more than noise")
    for n_arms, n_votes in ((2, 500), (4, 2000), (4, 5000), (6, 5000), (10, 5000), (20, 50_000)):
        shares = []
        for share in (0.6, 0.65, 0.75):
            logs = (turning(seed, n_arms, n_votes, share) for seed in range(runs))
            hits = sum(dd.measure_log(log, shuffles=19).beyond_noise for log in logs)
            shares.append(f"{hits:3} if it wins {share:.0%}")
        print(f"  {n_arms:2} arms, {n_votes:6,} votes: {', '.join(shares)}", flush=True)


def cost() -> None:
    print("processor time, without the shuffles and with them")
    for n_arms, n_votes, n_dates in (
        *((4, 2000, 100), (4, 50_000, 100), (20, 50_000, 1500)),
        *((4, 1_000_000, 365), (20, 1_000_000, 1500)),
    ):
        log = turning(0, n_arms, n_votes, 0.75, n_dates)
        begin = time.process_time()
        dd.measure(log.stream(log.n_votes))
        middle = time.process_time()
        shuffles = dd.measure_log(log).shuffles
        end = time.process_time()
        print(
            f"  {n_arms:2} arms, {n_votes:9,} votes, {n_dates:5,} dates: {middle - begin:5.2f} s, "
            f"{end - middle:5.2f} s with {shuffles} shuffles",
            flush=True,
        )


def stationary(seed: int, most_votes: int = 50_000) -> Log:
    """Make votes of a world that never changes; what kind, and how many, depends on the seed."""
    rng = np.random.default_rng([11, seed])
    n_arms, n_dates = int(rng.choice(ARMS)), int(rng.choice(DATES))
    n_votes = round(500 * (most_votes / 500) ** rng.random())
    spread = {"equal arms": 0.0, "near ties": 0.04, "BTL": 1.0}[KINDS[seed % len(KINDS)]]
    strength = rng.normal(0, 1, n_arms) * spread
    dated = bool(rng.random() < 0.8)
    when = rng.integers(n_dates, size=n_votes) if dated else rng.uniform(0, 100, n_votes)
    return _votes(rng, when, lambda _, arm: strength[arm], n_arms, dated)


def turning(seed: int, n_arms: int, n_votes: int, share: float, n_dates: int = 100) -> Log:
    """Make votes of which one arm wins a share in the first half, another in the second."""
    rng = np.random.default_rng([12, seed])
    strength = math.log(share / (1 - share))
    when = rng.integers(n_dates, size=n_votes)

    def strengths(time: np.ndarray, arm: np.ndarray) -> np.ndarray:
        return np.where(arm == np.where(time < n_dates / 2, 0, 1), strength, 0.0)

    return _votes(rng, when, strengths, n_arms, dated=True)


def _votes(
    rng: np.random.Generator,
    when: np.ndarray,
    strengths: Callable[[np.ndarray, np.ndarray], np.ndarray],
    n_arms: int,
    dated: bool,
) -> Log:
    left = rng.integers(n_arms, size=len(when))
    right = (left + rng.integers(1, n_arms, size=len(when))) % n_arms
    odds = strengths(when, left) - strengths(when, right)
    won = rng.random(len(when)) < 1 / (1 + np.exp(-odds))
    return Log([f"arm {n}" for n in range(n_arms)], when, left, right, won, dated=dated)


if __name__ == "__main__":
    main()
