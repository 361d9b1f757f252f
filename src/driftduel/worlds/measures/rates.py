"""What the theory promises on a stream: regret bounds without constants and logarithms.

S and L count phases here, one more than the changes, as in the bounds. T is the horizon, V the
total variation.

=========================== ====================================================================
``bosse_borda``             K^(1/3) T^(2/3), if one arm wins all rounds
``bosse_weighted``          the same for the given weight
``bosse_unknown``           K^(2/3) T^(2/3), if one arm maximises every column in all rounds
``metabosse_borda``         K^(1/3) T^(2/3) L^(1/3), L the SBS phases
``.._borda_phases``         the sum over the SBS phases of K^(1/3) length^(2/3)
``.._borda_variation``      V^(1/4) T^(3/4) K^(1/4) + K^(1/3) T^(2/3)
``metabosse_weighted``      as for Borda, with the SKW phases of the given weight, also
                            ``_phases`` and, for a weight that is fixed, ``_variation``
``metabosse_unknown``       K^(2/3) T^(2/3) L^(1/3), L the SUW phases, for aligned weights; also
                            ``_phases``
``.._unknown_variation``    K^(1/2) V^(1/4) T^(3/4) + K^(2/3) T^(2/3), for aligned weights; under
                            GIC. The paper claims it without GIC too, where it is false: see
                            docs/linear-time.md, section 5
``metabosse_condorcet``     K^(2/3) T^(2/3) S^(1/3), S the approximate winner phases; under GIC
``.._condorcet_phases``     the sum over those phases of K^(2/3) length^(2/3); under GIC
``.._condorcet_variation``  K^(1/2) V^(1/4) T^(3/4) + K^(2/3) T^(2/3); under GIC
``dex3s_condorcet``         sqrt(S K T), S the Condorcet winner phases, knowing S
``anaconda``                K sqrt(S T), S the Condorcet winner phases
``metaswift``               sqrt(S K T), S the significant Condorcet winner phases; promised only
                            where SST and STI hold, which is not checked here
``dex3s_borda``             S^(1/6) K^(-1/3) T^(5/6) + S^(1/2) K^(1/3) T^(2/3), S the Borda winner
                            phases, knowing S
=========================== ====================================================================

METABOSSE is of Suk & Agarwal; DEX3.S and Borda-DEX3.S of Saha & Gupta (ICML 2022); ANACONDA of
Kleine Buening & Saha (AISTATS 2023); METASWIFT of Suk & Agarwal (NeurIPS 2023).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel.worlds.measures.phases import Phases

if TYPE_CHECKING:
    from driftduel.worlds.measures.measures import Measures


def regret_rates(measures: Measures) -> dict[str, float | None]:
    """Return the bounds listed above by name, None where one is undefined on the stream.

    Examples
    --------
    >>> from driftduel import Stream, measure
    >>> m = measure(Stream.stationary([[0.5, 0.9], [0.1, 0.5]], horizon=10**6))
    >>> rates = m.rates()
    >>> round(rates["metabosse_borda"]), round(rates["metaswift"])
    (12599, 1414)
    """
    K, T, V = measures.n_arms, measures.horizon, measures.variation
    known = K ** (1 / 3) * T ** (2 / 3)
    unknown = K ** (2 / 3) * T ** (2 / 3)
    known_variation = V ** (1 / 4) * T ** (3 / 4) * K ** (1 / 4) + known
    unknown_variation = None
    if measures.approximate_winner is not None:  # GIC holds in every round
        unknown_variation = K ** (1 / 2) * V ** (1 / 4) * T ** (3 / 4) + unknown
    borda = measures.borda_switches + 1
    rates: dict[str, float | None] = {
        "bosse_borda": known if measures.borda_switches == 0 else None,
        "bosse_weighted": known if measures.weighted_switches == 0 else None,
        "bosse_unknown": unknown if measures.gic_switches == 0 else None,
        **_by_phases("metabosse_borda", K ** (1 / 3), measures.significant_borda),
        "metabosse_borda_variation": known_variation,
        **_by_phases("metabosse_weighted", K ** (1 / 3), measures.significant_weighted),
        "metabosse_weighted_variation": known_variation if measures.fixed_weight else None,
        **_by_phases("metabosse_unknown", K ** (2 / 3), measures.significant_unknown),
        "metabosse_unknown_variation": unknown_variation,
        **_by_phases("metabosse_condorcet", K ** (2 / 3), measures.approximate_winner),
        "metabosse_condorcet_variation": unknown_variation,
        "dex3s_condorcet": None,
        "anaconda": None,
        "metaswift": None,
        "dex3s_borda": (
            borda ** (1 / 6) * K ** (-1 / 3) * T ** (5 / 6)
            + borda ** (1 / 2) * K ** (1 / 3) * T ** (2 / 3)
        ),
    }
    if measures.condorcet_switches is not None:
        condorcet = measures.condorcet_switches + 1
        rates["dex3s_condorcet"] = (condorcet * K * T) ** (1 / 2)
        rates["anaconda"] = K * (condorcet * T) ** (1 / 2)
    if measures.significant_condorcet is not None:
        rates["metaswift"] = (len(measures.significant_condorcet) * K * T) ** (1 / 2)
    return rates


def _by_phases(name: str, arms: float, phases: Phases | None) -> dict[str, float | None]:
    """Return the bound by the number of phases and the one by their lengths."""
    if phases is None:
        return {name: None, f"{name}_phases": None}
    return {
        name: arms * phases.horizon ** (2 / 3) * len(phases) ** (1 / 3),
        f"{name}_phases": arms * phases.sum_of_powers(2 / 3),
    }
