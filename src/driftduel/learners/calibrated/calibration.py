"""The numbers of CALIBRATED METABOSSE, found on the tuning half of the benchmark's worlds."""

from __future__ import annotations

from dataclasses import dataclass

from driftduel._parameters import bounded, check_fields


@dataclass(frozen=True)
class Calibration:
    """The numbers of `CalibratedMetaBosse`; none of them needs to be set.

    Parameters
    ----------
    alarm : float
        The likelihood ratio at which a drop of the leader makes the learner look again.
    proof : float
        What the threshold of a restart adds to ln(K / false_restarts).
    likely : float
        What the threshold of a likely change, after which memory fades faster, adds to ln K.
    watch : float
        Multiplies the balanced rate of watching.
    keep : float
        What is left of old knowledge when the learner looks again.
    fade, slow_fade : float
        Memory lasts the rounds so far over ``slow_fade + fade * likely changes``.
    doubt : float
        Standard deviations behind the leader at which an arm is evicted.
    learn, spread : float
        Multiply the rates of exploring active arms and all arms while several are active.
    optimism : float
        The factor of ln n in the bounds of pairs, for Condorcet only.
    replay_rate : float
        Multiplies the paper's probability of a replay.
    """

    alarm: float = bounded(4.0, above=0)
    proof: float = 4.5
    likely: float = 6.0
    watch: float = bounded(0.35, least=0)
    keep: float = bounded(0.1, above=0, most=1)
    fade: float = bounded(6.0, least=0)
    slow_fade: float = bounded(0.0, least=0)
    doubt: float = bounded(1.5, above=0)
    learn: float = bounded(0.5, least=0)
    spread: float = bounded(0.2, least=0)
    optimism: float = bounded(0.05, above=0)
    replay_rate: float = bounded(0.001, least=0)

    def __post_init__(self) -> None:
        check_fields(self)


FOR_SCORES = Calibration()
"""For known weights."""

FOR_PAIRS = Calibration(proof=7.0, likely=4.0, watch=0.1, fade=10.0, slow_fade=2.0)
"""For Condorcet."""
