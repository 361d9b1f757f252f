"""Worlds that change at once and then stay for a while: phases, turns and bursts."""

from __future__ import annotations

import numpy as np

from driftduel._support.checks import BadParameter, as_count, as_horizon, as_number, one_of
from driftduel.matrix.criteria import Borda, Condorcet, Criterion
from driftduel.worlds.checks import Seed, as_arm, as_n_arms, as_rng, check_size, check_stretches
from driftduel.worlds.matrices import (
    Array,
    random_matrix,
    winner_matrix,
)
from driftduel.worlds.stream import Stream
from driftduel.worlds.synthetic.phases import phase_starts


def switching(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    n_phases: int = 5,
    kind: str = "cw",
    winner: str = "changes",
    spacing: str = "even",
    seed: Seed = 0,
) -> Stream:
    """Make a world of phases, each ruled by a random matrix of a class.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    n_phases : int
        Number of phases, so one more than the number of switches.
    kind : str
        The class of the matrices, one of `matrices.KINDS`.
    winner : str
        What happens to the winner from phase to phase: it "changes", it "stays", or it is left
        to "chance". The winner is the Condorcet winner, or for kind "any" the Borda winner.
    spacing : str
        "even", or "random" for switches at rounds drawn without replacement.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> s = switching(n_arms=4, horizon=1000, n_phases=4, kind="sst")
    >>> s.starts
    array([  0, 250, 500, 750])
    """
    rng = as_rng(seed)
    n_arms = as_n_arms(n_arms)
    one_of(winner, "winner", _WINNER)
    check_size(as_count(n_phases, "n_phases"), n_arms, "lower n_phases or n_arms")
    starts = phase_starts(horizon, n_phases, spacing, rng)
    criterion: Criterion = Borda() if kind == "any" else Condorcet()
    matrices: list[Array] = []
    before = -1
    for _ in starts:
        matrix = random_matrix(kind, n_arms, rng)
        now = int(criterion.winners(matrix)[0])
        if matrices and winner != "chance":
            # A swap of two arms keeps the law of the rest of the matrix.
            wanted = before if winner == "stays" else _another(now, before, n_arms, rng)
            matrix = _swap_arms(matrix, now, wanted)
            now = wanted
        matrices.append(matrix)
        before = now
    return Stream.piecewise(matrices, starts, horizon)


def spurious_switches(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    every: int = 1,
    contenders: int = 2,
    margin: float | None = None,
    gap: float = 0.3,
    seed: Seed = 0,
) -> Stream:
    """Make a world whose winner keeps changing between arms that are nearly as good.

    A few contenders take turns: the winner of the moment beats the other contenders by
    ``margin``, they tie among themselves, all contenders beat the rest by ``gap`` and the rest
    tie. GIC holds throughout and the winner changes every ``every`` rounds, ``ceil(horizon /
    every) - 1`` times. The row of any contender stays within ``margin`` of the winner's, so with
    a margin of at most ``(K^2 / horizon)^(1/3)``, the default, each contender is an approximate
    winner throughout: one phase in the sense of S_approx.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    every : int
        Rounds between changes of the winner.
    contenders : int
        How many arms take turns, 2 at least.
    margin : float, optional
        By how much the winner beats the other contenders; ``(K^2 / horizon)^(1/3)``, but not
        above 0.1, if left out.
    gap : float
        By how much the contenders beat the rest, at most 1/2.
    seed : int, Generator or None
        Draws the contenders.

    Examples
    --------
    >>> spurious_switches(n_arms=5, horizon=1000)
    Stream(5 arms, 1,000 rounds, 1,000 stretches of 2 matrices)
    """
    n_arms = as_n_arms(n_arms)
    horizon = as_horizon(horizon)
    every = as_count(every, "every")
    contenders = as_count(contenders, "contenders", 2, n_arms)
    default = min(0.1, (n_arms**2 / horizon) ** (1 / 3))
    margin = as_number(default if margin is None else margin, "margin", 0, 0.5)
    gap = as_number(gap, "gap", 0, 0.5)
    check_size(contenders, n_arms, "lower contenders or n_arms")
    order = as_rng(seed).permutation(n_arms)
    strong, weak = order[:contenders], order[contenders:]
    shared = np.full((n_arms, n_arms), 0.5)
    shared[np.ix_(strong, weak)] += gap
    shared[np.ix_(weak, strong)] -= gap
    matrices = np.tile(shared, (contenders, 1, 1))
    for turn, arm in enumerate(strong):
        rivals = strong[strong != arm]
        matrices[turn, arm, rivals] += margin
        matrices[turn, rivals, arm] -= margin
    return _in_turn(matrices, horizon, every)


def wobble(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    every: int = 5000,
    high: float = 0.4,
    low: float = 0.1,
    winner: int | None = None,
    seed: Seed = 0,
) -> Stream:
    """Make a world whose winner stays while the margin by which it wins goes up and down.

    One arm beats every other by ``high`` and by ``low`` in turn, the others tie. Scores change
    all the time and the best arm never does: whoever restarts, restarts for nothing.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    every : int
        Rounds between changes of the margin.
    high, low : float
        The margins, at most 1/2; the first one begins.
    winner : int, optional
        The winner; drawn if left out.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> s = wobble(n_arms=3, horizon=40, every=10, winner=1)
    >>> s.matrix(0)[1, 0], s.matrix(10)[1, 0], s.matrix(20)[1, 0]
    (np.float64(0.9), np.float64(0.6), np.float64(0.9))
    """
    n_arms = as_n_arms(n_arms)
    margins = as_number(high, "high", 0, 0.5), as_number(low, "low", 0, 0.5)
    best = int(as_rng(seed).integers(n_arms)) if winner is None else winner
    best = as_arm(best, "winner", n_arms)
    matrices = np.stack([winner_matrix(n_arms, best, margin) for margin in margins])
    return _in_turn(matrices, as_horizon(horizon), as_count(every, "every"))


def alternation(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    every: int = 5000,
    contenders: int = 2,
    margin: float = 0.3,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which a few arms take turns to be clearly best.

    The winner of the moment beats every other arm by ``margin`` and the others tie. With turns
    about as long as a learner remembers, it follows the winner of the turn before.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    every : int
        Rounds between changes of the winner.
    contenders : int
        How many arms take turns, 2 at least.
    margin : float
        By how much the winner beats the others, at most 1/2.
    seed : int, Generator or None
        Draws the contenders.

    Examples
    --------
    >>> alternation(n_arms=5, horizon=100_000, every=2000)
    Stream(5 arms, 100,000 rounds, 50 stretches of 2 matrices)
    """
    n_arms = as_n_arms(n_arms)
    contenders = as_count(contenders, "contenders", 2, n_arms)
    margin = as_number(margin, "margin", 0, 0.5)
    check_size(contenders, n_arms, "lower contenders or n_arms")
    arms = as_rng(seed).permutation(n_arms)[:contenders]
    matrices = np.stack([winner_matrix(n_arms, int(arm), margin) for arm in arms])
    return _in_turn(matrices, as_horizon(horizon), as_count(every, "every"))


def turnover(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    on_offer: int | None = None,
    every: int = 5000,
    spread: float = 0.4,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which tastes stay and arms take turns on offer.

    Arms have strengths in even steps, ``P[a, b] = 1/2 + s_a - s_b``. Now and then the arm that is
    on offer for longest leaves and another joins, round and round.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    on_offer : int, optional
        How many arms are on offer at a time, from 2 to ``n_arms``; half of them if left out.
    every : int
        Rounds until the next arm leaves.
    spread : float
        By how much the strongest arm beats the weakest one, at most 1/2.
    seed : int, Generator or None
        Draws who is how strong.

    Examples
    --------
    >>> s = turnover(n_arms=4, horizon=3000, on_offer=3, every=1000)
    >>> [s.offered_at(t).tolist() for t in (0, 1000, 2000)]
    [[0, 1, 2], [1, 2, 3], [0, 2, 3]]
    """
    n_arms = as_n_arms(n_arms)
    on_offer = max(2, n_arms // 2) if on_offer is None else on_offer
    on_offer = as_count(on_offer, "on_offer", 2, n_arms)
    spread = as_number(spread, "spread", 0, 0.5)
    horizon, every = as_horizon(horizon), as_count(every, "every")
    check_stretches(-(-horizon // every), "lower horizon or raise every")
    strengths = as_rng(seed).permutation(np.linspace(0, spread, n_arms))
    starts = np.arange(0, horizon, every)
    longest = (np.arange(n_arms) - np.arange(len(starts))[:, None]) % n_arms
    matrix = 0.5 + strengths[:, None] - strengths
    return Stream.stationary(matrix, horizon).offering(longest < on_offer, starts)


def bursts(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    margin: float = 0.3,
    shortest: int = 1000,
    tail: float = 0.7,
    seed: Seed = 0,
) -> Stream:
    """Make a world whose changes come in bursts, between long times of calm.

    The distances from change to change are independent and Pareto: one is longer than x with the
    chance ``(shortest / x)^tail``. At each change another arm, drawn at random, becomes the one
    that beats every other by ``margin`` while the others tie.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    margin : float
        By how much the winner beats the others, at most 1/2.
    shortest : int
        The shortest distance, in rounds.
    tail : float
        The index of the law; below 1 its mean is endless, and a few distances are most of it.
    seed : int, Generator or None
        Draws the changes and the winners.

    Examples
    --------
    >>> s = bursts(n_arms=4, horizon=10_000, shortest=100, seed=1)
    >>> s.starts
    array([...])
    """
    n_arms = as_n_arms(n_arms)
    horizon = as_horizon(horizon)
    margin = as_number(margin, "margin", 0, 0.5)
    shortest = as_count(shortest, "shortest")
    tail = as_number(tail, "tail", above=0)
    most = -(-horizon // shortest)
    check_stretches(most, "lower horizon or raise shortest")
    check_size(n_arms, n_arms, "lower n_arms")
    rng = as_rng(seed)
    # Cut to the horizon as logarithms: a heavy tail may be beyond all numbers.
    longer = np.minimum(rng.exponential(size=most) / tail, np.log(horizon / shortest + 1))
    starts = np.append(0, np.cumsum(np.ceil(shortest * np.exp(longer))).astype(np.int64))
    starts = starts[starts < horizon]
    steps = rng.integers(1, n_arms, len(starts))
    winners = np.cumsum(np.append(rng.integers(n_arms), steps[1:])) % n_arms
    palette = np.stack([winner_matrix(n_arms, arm, margin) for arm in range(n_arms)])
    return Stream(palette, winners, starts, horizon)


def one_winner_moves(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    every: int = 20_000,
    moves: str = "borda",
    margin: float = 0.1,
    lead: float = 0.4,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which one of two winners moves and the other stays.

    The Condorcet winner beats every other arm by ``margin``; the Borda winner beats all but it by
    ``lead``; the rest tie. Of one of them two arms take turns, the other is always the same.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms, 3 at least, and of rounds.
    every : int
        Rounds between moves.
    moves : str
        Which winner moves, "borda" or "condorcet".
    margin, lead : float
        The margins, at most 1/2; with K arms ``(K - 2) lead`` must be above ``K margin``, so that
        the two winners differ.
    seed : int, Generator or None
        Draws the three arms.

    Examples
    --------
    >>> s = one_winner_moves(n_arms=4, horizon=300, every=100, moves="condorcet", seed=1)
    >>> [int(Borda().winners(s.matrix(t))[0]) for t in (0, 100, 200)]
    [0, 0, 0]
    >>> [int(Condorcet().winners(s.matrix(t))[0]) for t in (0, 100, 200)]
    [1, 2, 1]
    """
    n_arms = as_n_arms(n_arms, 3)
    one_of(moves, "moves", ("borda", "condorcet"))
    margin, lead = as_number(margin, "margin", 0, 0.5), as_number(lead, "lead", 0, 0.5)
    if (n_arms - 2) * lead <= n_arms * margin:
        least = n_arms * margin / (n_arms - 2)
        raise BadParameter(
            "lead", f"is {lead:g}, must be above {least:g} for the winners to differ"
        )
    check_size(2, n_arms, "lower n_arms")
    stays, *turns = as_rng(seed).permutation(n_arms)[:3]
    pairs = [(arm, stays) if moves == "condorcet" else (stays, arm) for arm in turns]
    matrices = np.full((2, n_arms, n_arms), 0.5)
    for matrix, (condorcet, borda) in zip(matrices, pairs, strict=True):
        for arm, by in ((borda, lead), (condorcet, margin)):
            matrix[arm], matrix[:, arm] = 0.5 + by, 0.5 - by
            matrix[arm, arm] = 0.5
    return _in_turn(matrices, as_horizon(horizon), as_count(every, "every"))


_WINNER = ("changes", "stays", "chance")


def _another(now: int, before: int, n_arms: int, rng: np.random.Generator) -> int:
    """Return ``now`` if it differs from ``before``, else one of the other arms at random."""
    if now != before:
        return now
    return int((before + 1 + rng.integers(n_arms - 1)) % n_arms)


def _swap_arms(matrix: Array, a: int, b: int) -> Array:
    """Return the matrix in which two arms have changed places."""
    order = np.arange(len(matrix))
    order[[a, b]] = b, a
    return np.asarray(matrix[np.ix_(order, order)])


def _in_turn(matrices: Array, horizon: int, every: int) -> Stream:
    """Return the world in which matrices rule in turn, ``every`` rounds each."""
    check_stretches(-(-horizon // every), "lower horizon or raise every")
    starts = np.arange(0, horizon, every)
    return Stream(matrices, np.arange(len(starts)) % len(matrices), starts, horizon)
