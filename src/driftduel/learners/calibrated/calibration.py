"""The numbers of CALIBRATED METABOSSE, found on the tuning half of the benchmark's worlds."""

from __future__ import annotations

import math
from dataclasses import dataclass

from driftduel.learners.base import as_positive


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

    alarm: float = 4.0
    proof: float = 4.5
    likely: float = 6.0
    watch: float = 0.35
    keep: float = 0.1
    fade: float = 6.0
    slow_fade: float = 0.0
    doubt: float = 1.5
    learn: float = 0.5
    spread: float = 0.2
    optimism: float = 0.05
    replay_rate: float = 0.001

    def __post_init__(self) -> None:
        for name in ("alarm", "keep", "doubt", "optimism"):
            as_positive(getattr(self, name), name, 1.0 if name == "keep" else math.inf)
        for name in ("watch", "fade", "slow_fade", "learn", "spread", "replay_rate"):
            if getattr(self, name) != 0:
                as_positive(getattr(self, name), name)
        for name in ("proof", "likely"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or math.isnan(value):
                raise ValueError(f"{name} is {value!r}, must be a number")


FOR_SCORES = Calibration()
"""For known weights."""

FOR_PAIRS = Calibration(proof=7.0, likely=4.0, watch=0.1, fade=10.0, slow_fade=2.0)
"""For Condorcet."""
