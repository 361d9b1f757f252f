"""What duelpy 1.0.0 departs from the papers in, put right one algorithm at a time.

If duelpy agrees with driftduel after a repair and did not before, the repair is the explanation.
Each function changes one algorithm object before it plays, as little as it takes. Runs in
duelpy's own environment.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np


def rucb(algorithm: Any) -> None:
    """Let the challenger win, let the champion challenge itself, and do not cut bounds at 1.

    duelpy asks whether the outcome of a duel is below 0, but outcomes are True and False, so the
    champion wins every duel. The champion is never its own challenger, which Zoghi et al.
    exclude only where several arms tie. And bounds above 1 count as 1, so that arms with few
    duels tie instead of the largest bound being taken.
    """
    estimate = algorithm.preference_estimate

    def bounds() -> Any:
        rates = estimate.get_mean_estimate_matrix()
        rates.preferences = rates.preferences + estimate.get_radius_matrix()
        unplayed = (estimate.wins + estimate.wins.T == 0) & ~np.eye(estimate.num_arms, dtype=bool)
        rates.preferences[unplayed] = 2.0  # both fractions x/0 are 1
        return rates

    estimate.get_upper_estimate_matrix = bounds
    duel = algorithm.wrapped_feedback.duel
    algorithm.wrapped_feedback.duel = lambda left, right: 1 if duel(left, right) else -1

    def challengers(column: Any, champion: list[int]) -> Any:
        ties = np.flatnonzero(column == column.max())
        return ties if len(ties) == 1 else np.setdiff1d(ties, champion)

    vars(import_module("duelpy.algorithms.relative_ucb"))["argmax_set"] = challengers


def double_thompson_sampling(algorithm: Any) -> None:
    """Draw the challenger by how it does against the champion.

    duelpy reads the rows of its matrices where the columns are meant: it looks for the arm that
    the champion beats most clearly.
    """
    estimate = algorithm.preference_estimate
    rng = algorithm.random_state

    def challenger(champion: int) -> int:
        lower = estimate.get_lower_estimate_matrix().preferences[:, champion]
        sample = estimate.sample_preference_matrix(rng).preferences[:, champion]
        sample = np.where(lower <= 0.5, sample, -1.0)
        return int(rng.choice(np.flatnonzero(sample == sample.max())))

    algorithm._choose_second_candidate = challenger


def rmed1(algorithm: Any) -> None:
    """Sum the divergence of each arm over all arms that seem to beat it.

    duelpy keeps only the first of the arms that seem to beat the one whose turn it is, and takes
    that one for every arm's divergence.
    """
    estimate = algorithm.preference_estimate
    n_arms = estimate.num_arms

    def opponent(arm: int) -> int:
        rates = estimate.get_mean_estimate_matrix().preferences
        beaten = (rates <= 0.5) & ~np.eye(n_arms, dtype=bool)
        clipped = np.clip(rates, 1e-300, 1)
        entropy = clipped * np.log(2 * clipped)
        divergence = (estimate.wins + estimate.wins.T) * (entropy + entropy.T)
        algorithm.empirical_divergence[:] = np.where(beaten, divergence, 0).sum(axis=1)
        least = algorithm.empirical_divergence.min()
        best = algorithm.random_state.choice(
            np.flatnonzero(algorithm.empirical_divergence == least)
        )
        algorithm.best_arm = best
        if beaten[arm, best] or not beaten[arm].any():
            return int(best)
        others = np.where(np.arange(n_arms) == arm, 2.0, rates[arm])
        return int(algorithm.random_state.choice(np.flatnonzero(others == others.min())))

    algorithm._get_candidate_target = opponent


def beat_the_mean(algorithm: Any) -> None:
    """Forget the duels against an arm that leaves, and let an arm meet itself.

    duelpy takes away the counts of the leaving arm's own duels instead of the others' duels
    against it, never their wins, and still holds arms against the rate of one that has left. Its
    arms never meet themselves, though they are part of the mean that is to be beaten.
    """
    history = algorithm.comparison_history

    def forget(worst_arm: int) -> None:
        history._comparison_count_cache -= history.comparisons[:, worst_arm]
        history.comparisons[:, worst_arm] = 0
        history.wins[:, worst_arm] = 0
        history.working_set[worst_arm] = False
        history.size_working_set -= 1
        history.update_probability_estimate()

    def pair(random_state: Any) -> tuple[int, int]:
        active = np.flatnonzero(history.working_set)
        counts = history._comparison_count_cache[active]
        first = random_state.choice(active[counts == counts.min()])
        return int(first), int(random_state.choice(active))

    def best_rate() -> float:
        radius = history.confidence_radius(history.get_min_comparison())
        return float(history.probability_estimate[history.working_set].max() - radius)

    history.remove_arm_history = forget
    history.get_dueling_arms = pair
    history.get_lower_bound = best_rate
    algorithm.get_condorcet_winner = lambda: int(np.flatnonzero(history.working_set)[0])


def interleaved_filter(algorithm: Any) -> None:
    """Drop with a candidate whom it has beaten more often than not: IF2 instead of IF1."""

    def next_candidate(others: list[int]) -> list[int]:
        estimate = algorithm.preference_estimate
        old = algorithm.candidate_arm
        for arm in others:
            if estimate.get_upper_estimate(old, arm) < 0.5:
                algorithm.candidate_arm = arm
                return [b for b in others if b != arm and estimate.get_mean_estimate(old, b) <= 0.5]
        return others

    algorithm._find_candidate_arm = next_candidate


def savage_radius(algorithm: Any) -> None:
    """Use the paper's radius.

    duelpy divides by the factor of the union bound instead of multiplying by it; the logarithm
    is then negative and the radius taken for 0.
    """
    estimate = algorithm.preference_estimate
    factor = estimate.num_arms * (estimate.num_arms - 1) * algorithm.time_horizon
    estimate.confidence_radius.probability_scaling_factor = lambda _: factor


def savage(algorithm: Any) -> None:
    """Use the paper's radius, and drop an arm that is beaten once; duelpy looks for Copeland."""
    estimate = algorithm.preference_estimate
    n_arms = estimate.num_arms
    savage_radius(algorithm)

    def irrelevant(pair: tuple[int, int]) -> bool:
        wins = estimate.get_optimistic_copeland_score_estimates()
        return bool(min(wins[pair[0]], wins[pair[1]]) < n_arms - 1)

    algorithm.copeland_independence_test = irrelevant


def savage_copeland(algorithm: Any) -> None:
    """Use the paper's radius; an arm is out once it cannot draw level, one left is the winner."""
    estimate = algorithm.preference_estimate
    savage_radius(algorithm)

    def irrelevant(pair: tuple[int, int]) -> bool:
        low, high = estimate.get_confidence_interval(*pair)
        certain = estimate.get_pessimistic_copeland_score_estimates().max()
        left = estimate.get_optimistic_copeland_score_estimates() >= certain
        return bool(low > 0.5 or high < 0.5 or left.sum() == 1 or not left[list(pair)].any())

    algorithm.copeland_independence_test = irrelevant


def knockout(algorithm: Any) -> None:
    """Pair the arms at random, and use the failure probability of the round.

    duelpy lets every arm meet every other one in each round, and whoever wins a match goes on.
    """
    match = algorithm._determine_winner
    whole, epsilon = algorithm.failure_probability, algorithm.epsilon

    def explore() -> None:
        arms = list(np.random.permutation(list(algorithm.tournament_arms)))  # noqa: NPY002
        near = (2 ** (1 / 3) - 1) * epsilon / 2 ** (algorithm.time_step / 3)
        algorithm.failure_probability = whole / 2**algorithm.time_step
        through = arms[len(arms) - len(arms) % 2 :]
        for one, other in zip(arms[0::2], arms[1::2]):  # noqa: B905, for an old Python
            algorithm.preference_estimate.wins[[one, other], [other, one]] = 0
            through.append(match(one, other, near, algorithm.failure_probability))
        algorithm.tournament_arms = set(through)
        algorithm.time_step += 1

    algorithm.explore = explore


def cw_rmed(algorithm: Any) -> None:
    """Duel pairs that are close to 1/2, not those close to 0, and what the lower bound asks for.

    duelpy asks whether a rate is below ``beta / ln ln t``, which before t = 16 may be negative or
    no number, where Komiyama et al. ask for its distance from 1/2. A pair with
    ``N kl > ln t`` counts against a winner, where it speaks for one. The program of an arm that
    seems to lose has one condition on the first arms that beat it, where each choice of so many of
    them must tell enough. And an error of the program is passed over in silence. Nothing but the
    estimate is left; the least cost is found by sorting.
    """
    feedback, estimate = algorithm.wrapped_feedback, algorithm.preference_estimate

    def step() -> None:
        left, right = due(estimate.wins, feedback.duels_conducted + 1)
        won = feedback.duel(left, right)
        if left != right:
            estimate.enter_sample(left, right, won)

    def due(wins: Any, now: int) -> tuple[int, int]:
        duels = wins + wins.T
        rates = np.where(duels > 0, wins / np.maximum(duels, 1), 0.5)
        log = np.log(now)
        close = algorithm.regret_bound_constant / max(1.0, np.log(max(1.0, log)))
        unclear = duels < max(1.0, algorithm.exploratory_constant * np.sqrt(log))
        unclear |= np.abs(rates - 0.5) < close
        pairs = np.argwhere(np.triu(unclear, 1))
        if len(pairs):
            return int(pairs[0][0]), int(pairs[0][1])
        losses = (rates < 0.5).sum(axis=1)
        plans = [plan(int(arm), rates, losses) for arm in np.flatnonzero(losses == losses.min())]
        _, winner, targets = min(plans, key=lambda one: one[0])
        missing = np.triu((targets + targets.T) * log - duels, 1)
        if missing.max() <= 0:
            return winner, winner
        left, right = np.unravel_index(missing.argmax(), missing.shape)
        return int(left), int(right)

    def plan(winner: int, rates: Any, losses: Any) -> tuple[float, int, Any]:
        size = len(rates)
        safe = np.clip(rates, 1e-300, 1 - 1e-16)
        bits = rates * np.log(2 * safe) + (1 - rates) * np.log(2 * (1 - safe))
        prices = (losses[:, None] + losses - 2 * losses.min()) / (2 * (size - 1))
        targets = np.zeros((size, size))
        beaten = rates[:, winner] < 0.5
        targets[beaten, winner] = 1 / bits[beaten, winner]
        for loser in range(size):
            above = [arm for arm in np.flatnonzero(rates[loser] < 0.5) if arm != winner]
            spare = len(above) - (losses[loser] - losses.min() + 1)
            if loser == winner or spare < 0 or not above:
                continue
            above.sort(key=lambda arm: prices[loser, arm] / bits[loser, arm])
            paid = np.cumsum([prices[loser, arm] / bits[loser, arm] for arm in above])
            count = min(range(spare + 1, len(above) + 1), key=lambda h: paid[h - 1] / (h - spare))
            for arm in above[:count]:
                targets[loser, arm] = 1 / ((count - spare) * bits[loser, arm])
        return float((prices * targets).sum()), winner, targets

    algorithm.step = step


def merge_rucb(algorithm: Any) -> None:
    """Drop an arm once: duelpy fails on an arm that two others of its batch beat."""

    def prune(index: int, bounds: Any) -> None:
        batch = list(algorithm.arm_batches[index])
        algorithm.arm_batches[index] = [
            arm for arm in batch if all(bounds[arm, other] >= 0.5 for other in batch)
        ]

    algorithm._prune_arm = prune


def winner_stays_strong(algorithm: Any) -> None:
    """Rest after a stage of Winner Stays, not after every duel.

    Stage l ends when an arm has (K - 1) l wins more than losses.
    """
    inner = algorithm._ws
    stage, rest = 1, 0

    def step() -> None:
        nonlocal stage, rest
        if rest > 0:
            rest -= 1
            algorithm.wrapped_feedback.duel(algorithm._best_arm, algorithm._best_arm)
            return
        inner.step()
        if inner.win_deltas.max() >= (inner.arm_count - 1) * stage:
            algorithm._best_arm = inner.get_condorcet_winner()
            rest = int(algorithm._exploitation_factor**stage)
            stage += 1

    algorithm.step = step


REPAIRS: dict[str, Callable[[Any], None]] = {
    "RelativeUCB": rucb,
    "DoubleThompsonSampling": double_thompson_sampling,
    "Rmed1": rmed1,
    "BeatTheMeanBandit": beat_the_mean,
    "InterleavedFiltering": interleaved_filter,
    "Savage": savage,
    "SavageCopeland": savage_copeland,
    "CwRmed": cw_rmed,
    "KnockoutTournament": knockout,
    "MergeRUCB": merge_rucb,
    "WinnerStaysStrongRegret": winner_stays_strong,
}
