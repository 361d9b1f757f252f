"""The numbers of DRIFTDUEL, found on the tuning half of the benchmark's worlds."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from driftduel._support.params import bounded, check_fields
from driftduel.learners.parts.arrays import Records


@dataclass(frozen=True)
class Calibration:
    """The numbers of `DriftDuel`; none of them needs to be set.

    Parameters
    ----------
    hope : float
        Arms challenge while the evidence against them is below ``hope ln(age + K)``.
    share : float
        This share of the evidence against the leader is forgiven to challengers.
    depose : float
        The leader is deposed for an arm with ``depose ln(age + K)`` less evidence against it.
    prior : float
        Duels that the win rate of a challenger is shrunk by.
    mixed : float
        The least share of looks among rounds with a challenger.
    patience, throttle : float
        Older than ``patience K`` rounds, a leader that others may beat is challenged with
        probability ``(patience K / age)^throttle``.
    watch : float
        Multiplies the rate of looks.
    urge, pair_urge : float
        A surprise multiplies the rate of looks by exp(urge * surprise); the same for a pair.
    hazard, shift_hazard, shift_power : float
        Changes so far are taken to be ``hazard + shift_hazard * likely changes^shift_power``.
    alarm, more_alarm : float
        The surprise that is an alarm, and by how much the logarithm of alarms so far raises it.
    keep : float
        What is left of old knowledge after an alarm.
    most, undecided : float
        Duels of a pair that count; older ones fade. So many times as many while the pair is not
        decided.
    audit : float
        Multiplies the rate of tosses while scores are in doubt.
    background : float
        Multiplies the rate of looks for tosses of any arm.
    doubt, sway, return_doubt : float
        Standard deviations: within which an arm may have the best score; beyond which another
        arm leads by its score; within which the strongest arm is audited then.
    trial_share, trial_cost, most_trial : float
        The share of rounds that try the accused, the factor of the tosses a proof should take, and
        the most tosses of a first trial.
    old_duels : float
        Duels of a pair before the moment that make it part of the Bayes factor.
    clear : float
        Standard deviations by which a new leader must be ahead of the old one.
    likely, proof : float
        What the thresholds of a likely and of a proved change add to ln K and ln(K/false_restarts).
    replay_rate : float
        Multiplies the paper's probability of a replay.
    noise : float
        The evidence that is by chance alone for each arm ahead of one that is ahead of as many,
        for Condorcet.
    close, lasting : float
        The leader meets an arm more often by (mean lead / lead over the arm)^close; that lead is
        of recent duels, of which ``lasting`` is left after each new one.
    behind, behind_share : float
        An arm so many standard deviations behind by its score is no challenger; if there are but
        such, the best is met in this share of the rounds.
    even_duels : float
        After so many duels with the leader, half the challenges of an arm that is one standard
        deviation behind are tosses for it.
    retest : float
        Multiplies the rate of looks for duels of an arm that holds its own against the leader with
        who beat it most clearly.
    floor : float
        Tosses of any arm are at least ``floor (K / age of the episode)^(1/3)`` of the rounds.
    rise : float
        What the threshold of a risen arm adds to ln K.
    """

    hope: float = bounded(0.4, above=0)
    share: float = bounded(0.7, least=0)
    depose: float = bounded(0.28, above=0)
    prior: float = bounded(1.4, above=0)
    mixed: float = bounded(0.05, least=0, most=1)
    patience: float = bounded(30.0, above=0)
    throttle: float = bounded(1 / 3, least=0)
    watch: float = bounded(0.24, least=0)
    urge: float = bounded(1.0, least=0)
    pair_urge: float = bounded(2.0, least=0)
    hazard: float = bounded(0.5, above=0)
    shift_hazard: float = bounded(2.0, least=0)
    shift_power: float = bounded(1.4, least=0)
    alarm: float = bounded(8.0, above=0)
    more_alarm: float = bounded(1.2, least=0)
    keep: float = bounded(0.15, above=0, most=1)
    most: float = bounded(2000.0, least=1)
    undecided: float = bounded(3.0, least=1)
    audit: float = bounded(0.3, least=0)
    background: float = bounded(0.02, least=0)
    doubt: float = bounded(1.5, above=0)
    sway: float = bounded(2.5, above=0)
    return_doubt: float = bounded(3.5, above=0)
    trial_share: float = bounded(0.1, least=0, most=1)
    trial_cost: float = bounded(1.5, above=0)
    most_trial: float = bounded(400.0, above=0)
    old_duels: float = bounded(8.0, least=0)
    clear: float = bounded(2.0, above=0)
    likely: float = 1.7
    proof: float = 4.5
    replay_rate: float = bounded(0.0005, least=0)
    noise: float = bounded(0.5, least=0)
    close: float = bounded(0.7, least=0)
    lasting: float = bounded(0.97, least=0, below=1)
    behind: float = bounded(3.0, above=0)
    behind_share: float = bounded(0.2, least=0, most=1)
    even_duels: float = bounded(200.0, least=0)
    retest: float = bounded(1.0, least=0)
    floor: float = bounded(0.015, least=0, most=1)
    rise: float = bounded(5.0, above=0)

    def __post_init__(self) -> None:
        check_fields(self)


RULE = np.dtype(
    [
        ("scored", "i8"),  # 1 for known weights, 0 for Condorcet
        ("uniform", "i8"),  # 1 if the reference weight is uniform
        ("weak", "i8"),  # 1 if the better arm of a pair counts, so that the leader never rests
        ("likely_at", "f8"),  # thresholds of a likely and of a proved change
        ("proved_at", "f8"),
        *((item.name, "f8") for item in fields(Calibration)),
    ],
    align=True,
)


def rule_of(
    calibration: Calibration,
    n_arms: int,
    false_restarts: float,
    *,
    scored: bool,
    uniform: bool,
    weak: bool,
) -> Records:
    """Return the numbers as a record that kernels read."""
    rule = np.zeros(1, RULE)
    for item in fields(calibration):
        rule[item.name] = getattr(calibration, item.name)
    rule["scored"] = scored
    rule["uniform"] = uniform
    rule["weak"] = weak
    if scored:
        rule["noise"] = 0.0  # scores tell who is as good as others
    rule["likely_at"] = calibration.likely + math.log(n_arms)
    rule["proved_at"] = calibration.proof + math.log(n_arms / false_restarts)
    return rule
