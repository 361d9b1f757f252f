"""Every measure of how much a stream moves, in one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from driftduel._support.checks import BadParameter
from driftduel._support.notebook import InNotebooks
from driftduel.matrix.criteria import Weighted
from driftduel.matrix.weights import WeightSequence, as_weight
from driftduel.worlds.measures.phases import Ints, Phases
from driftduel.worlds.measures.rates import regret_rates
from driftduel.worlds.measures.shown import Shown, shown
from driftduel.worlds.measures.significant import significant_phases
from driftduel.worlds.measures.survey import (
    Survey,
    borda_gaps,
    condorcet_gaps,
    first_round,
    point_mass_gaps,
    score_winners,
    survey,
    weighted_gaps,
)
from driftduel.worlds.measures.von_neumann import VonNeumannShifts, von_neumann_shifts
from driftduel.worlds.measures.winners import approximate_phases, total_variation, winner_switches
from driftduel.worlds.stream import Stream

COUNTS = (
    "changes",
    "variation",
    "borda_switches",
    "weighted_switches",
    "condorcet_switches",
    "gic_switches",
)
"""The measures that are one number."""

PHASES = (
    "significant_borda",
    "significant_weighted",
    "significant_unknown",
    "significant_condorcet",
    "approximate_winner",
)
"""The measures that are phases."""

WORDS = {
    "changes": "changes of the matrix",
    "variation": "total variation",
    "borda_switches": "changes of the Borda winner",
    "significant_borda": "significant Borda phases",
    "weighted_switches": "changes of the winner for the given weight",
    "significant_weighted": "significant phases for the given weight",
    "significant_unknown": "significant phases for unknown weights",
    "condorcet_switches": "changes of the Condorcet winner",
    "significant_condorcet": "significant Condorcet phases",
    "gic_switches": "changes of the arm that is best against every arm",
    "approximate_winner": "approximate winner phases",
}
"""What each measure is called in sentences and tables, in their order."""

LISTED = 1000
"""How many changes, phases and spells are listed one by one."""


@dataclass(frozen=True)
class Measures(InNotebooks):
    """How much a stream moves, as returned by `measure`.

    A count of changes is one less than the number of phases. What is undefined on the stream is
    None, and ``reasons`` says why.

    Attributes
    ----------
    n_arms, horizon : int
        Size of the stream, K and T.
    changes : int
        L, the number of rounds at which the matrix changes.
    variation : float
        V_T, the sum over the rounds of the largest change of an entry.
    borda_switches, weighted_switches : int
        S_B, the changes of the Borda winner; and the same for the given weight.
    condorcet_switches, gic_switches : int or None
        S_C, the changes of the Condorcet winner; and of the arm that maximises every column.
    significant_borda : Phases
        Significant Borda winner switches (SBS).
    significant_weighted : Phases
        Significant winner switches for the given weight (SKW).
    significant_unknown : Phases
        Significant winner switches for unknown weights (SUW).
    significant_condorcet : Phases or None
        Significant Condorcet winner switches.
    approximate_winner : Phases or None
        Approximate winner phases; ``last_safe`` is the arm that stays an approximate winner
        longest.
    fixed_weight : bool
        Whether the given weight is the same in all rounds.
    reasons : dict of str to str
        For every attribute that is None, one sentence that says why.
    stream : Stream or None
        The stream itself.
    """

    n_arms: int
    horizon: int
    changes: int
    variation: float
    borda_switches: int
    weighted_switches: int
    condorcet_switches: int | None
    gic_switches: int | None
    significant_borda: Phases
    significant_weighted: Phases
    significant_unknown: Phases
    significant_condorcet: Phases | None
    approximate_winner: Phases | None
    fixed_weight: bool = True
    reasons: dict[str, str] = field(default_factory=dict)
    stream: Stream | None = field(default=None, repr=False, compare=False)

    @cached_property
    def von_neumann(self) -> VonNeumannShifts | None:
        """The von Neumann winner: whether it is unique, whom it plays, when it shifts.

        Computed when it is asked for, in a time that grows with the square of the number of
        stretches. None where arms come and go.

        Examples
        --------
        >>> rock = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
        >>> found = measure(Stream.stationary(rock, horizon=10**9)).von_neumann
        >>> found.unique, found.support, len(found.phases)
        (True, (0, 1, 2), 1)
        """
        if self.stream is None or self.stream.offered is not None:
            return None
        return von_neumann_shifts(self.stream)

    def aligned(self, weights: ArrayLike | WeightSequence) -> bool:
        """Tell whether ``weights`` are constant inside every SUW phase; see `aligned`."""
        sequence = _as_sequence(weights, self.n_arms)
        if sequence is None:
            return True
        turns = _turns(sequence, self.horizon)
        return bool(self.significant_unknown.starts_at(turns).all())

    def rates(self) -> dict[str, float | None]:
        """Return the regret bounds of the literature on this stream; see `regret_rates`."""
        return regret_rates(self)


def measure(stream: Stream, weight: ArrayLike | WeightSequence | None = None) -> Measures:
    """Measure how much a stream moves, in every sense of Suk & Agarwal.

    All measures are exact. The cost grows with the number of stretches, not with the horizon.
    If arms come and go, those on offer are compared with each other, and an arm is unsafe in a
    phase once it was not on offer in it.

    Parameters
    ----------
    stream : Stream
        The world.
    weight : array_like of shape (K,) or WeightSequence, optional
        The known weight of the SKW measure; uniform if left out.

    Returns
    -------
    Measures

    Examples
    --------
    Tastes change at round 400: arm 1 becomes the best. The change matters once arm 0, which was
    best, has lost enough by it.

    >>> from driftduel import Stream
    >>> P, Q = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]
    >>> m = measure(Stream.piecewise([P, Q], starts=[0, 400], horizon=1000))
    >>> m.changes, round(m.variation, 3), m.borda_switches, m.condorcet_switches
    (1, 0.7, 1, 1)
    >>> m.significant_borda
    Phases(2 phases of 1,000 rounds, starting at 0, 472)
    >>> m.significant_borda.last_safe
    array([0, 1])

    Rock, paper, scissors has no winner: SUW phases never end, other measures are undefined.

    >>> m = measure(Stream.stationary([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]], horizon=10**9))
    >>> m.significant_unknown
    Phases(166,666,667 phases of 1,000,000,000 rounds, starting at 0, 6, 12, 18, ...)
    >>> m.reasons["condorcet_switches"]
    'round 0: no arm is a Condorcet winner'
    """
    _check_stream(stream)
    known = _as_sequence(weight, stream.n_arms)
    if known is not None:
        for first, _, arms in stream.offers() if stream.offered is not None else ():
            _check_on_offer(known, first, arms)
    world = shown(stream)
    n_arms, which = world.n_arms, world.which
    found = survey(world.palette)
    reasons = _reasons(world, found)

    gaps = borda_gaps(world)
    borda = significant_phases(gaps, n_arms, 3)
    borda_switches = winner_switches(score_winners(gaps), which)
    weighted, weighted_switches = borda, borda_switches
    if known is not None:
        gaps = weighted_gaps(world, known)
        weighted = significant_phases(gaps, n_arms, 3)
        weighted_switches = winner_switches(score_winners(gaps), gaps.which)
    unknown = significant_phases(point_mass_gaps(world, found.column_best), n_arms**2, 3)

    condorcet, condorcet_switches = None, None
    if "condorcet_switches" not in reasons:
        condorcet = significant_phases(condorcet_gaps(world, found.unbeaten), n_arms, 2)
        condorcet_switches = winner_switches(found.unbeaten, which)
    approximate, gic_switches = None, None
    if "gic_switches" not in reasons:
        approximate = approximate_phases(world, found.shortfall)
        gic_switches = winner_switches(found.dominant, which)

    return Measures(
        n_arms=stream.n_arms,
        horizon=stream.horizon,
        changes=int(np.count_nonzero(np.diff(stream.which))),
        variation=total_variation(stream),
        borda_switches=borda_switches,
        weighted_switches=weighted_switches,
        condorcet_switches=condorcet_switches,
        gic_switches=gic_switches,
        significant_borda=borda,
        significant_weighted=weighted,
        significant_unknown=unknown,
        significant_condorcet=condorcet,
        approximate_winner=approximate,
        fixed_weight=known is None or len(_turns(known, stream.horizon)) == 0,
        reasons=reasons,
        stream=stream,
    )


def aligned(stream: Stream, weights: ArrayLike | WeightSequence) -> bool:
    """Tell whether ``weights`` are constant inside every SUW phase of ``stream``.

    Under aligned weights METABOSSE's bound for unknown weights holds [defn:aligned-weights].

    Examples
    --------
    >>> from driftduel import Stream
    >>> s = Stream.stationary([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]], horizon=100)
    >>> masses = [[1, 0, 0], [0, 1, 0]]
    >>> aligned(s, WeightSequence(masses, [0, 12])), aligned(s, WeightSequence(masses, [0, 13]))
    (True, False)
    """
    _check_stream(stream)
    sequence = _as_sequence(weights, stream.n_arms)
    if sequence is None:
        return True
    world = shown(stream)
    best = survey(world.palette).column_best
    phases = significant_phases(point_mass_gaps(world, best), world.n_arms**2, 3)
    return bool(phases.starts_at(_turns(sequence, stream.horizon)).all())


def _check_stream(stream: Stream) -> None:
    if not isinstance(stream, Stream):
        raise TypeError(f"stream must be a Stream, not a {type(stream).__name__}")


def _as_sequence(weight: ArrayLike | WeightSequence | None, n_arms: int) -> WeightSequence | None:
    if weight is None:
        return None
    if not isinstance(weight, WeightSequence):
        return WeightSequence(as_weight(weight, n_arms)[None])
    _check_arms(weight, n_arms)
    return weight


def _check_arms(weights: WeightSequence, n_arms: int) -> None:
    if weights.n_arms != n_arms:
        raise ValueError(f"weight: has {weights.n_arms} entries, there are {n_arms} arms")


def _turns(weights: WeightSequence, horizon: int) -> Ints:
    """Return the rounds before the horizon at which the weight becomes another."""
    differs = (weights.table[1:] != weights.table[:-1]).any(axis=1)
    turns = np.asarray(weights.starts)[1:][differs]
    return np.asarray(turns[turns < horizon])


def _check_on_offer(weights: WeightSequence, first: int, arms: Ints) -> None:
    try:
        Weighted(weights).among(arms)
    except BadParameter as error:
        raise ValueError(f"round {first}: {error}") from None


def _reasons(stream: Shown, found: Survey) -> dict[str, str]:
    """Return why measures are undefined on the stream, naming the first round concerned."""
    reasons: dict[str, str] = {}
    beaten = first_round(stream, found.unbeaten.sum(axis=1) == 0)
    if beaten is not None:
        reason = f"round {beaten}: no arm is a Condorcet winner"
        reasons |= dict.fromkeys(("condorcet_switches", "significant_condorcet"), reason)
    dominated = first_round(stream, found.dominant.sum(axis=1) == 0)
    if dominated is not None:
        reason = f"round {dominated}: no arm maximises every column, so GIC fails"
        reasons |= dict.fromkeys(("gic_switches", "approximate_winner"), reason)
    return reasons
