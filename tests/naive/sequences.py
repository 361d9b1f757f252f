"""What votes prove, by the definitions: integrals by small steps, roots by trying numbers."""

from __future__ import annotations

import math

STEPS = 2_000


def evidence(wins, tosses, mean):
    """The integral over p of (p/m)^s ((1-p)/(1-m))^(n-s) by Beta(1/2, 1/2).

    With p = sin(angle)^2 that distribution is the uniform one over angles from 0 to pi/2.
    """
    total = 0.0
    for step in range(STEPS):
        angle = (step + 0.5) / STEPS * math.pi / 2
        p = math.sin(angle) ** 2
        total += (p / mean) ** wins * ((1 - p) / (1 - mean)) ** (tosses - wins)
    return total / STEPS


def interval(wins, tosses, alpha, grid):
    """The smallest and largest of the means (k + 1/2) / grid against which evidence is missing."""
    mixture = evidence(wins, tosses, 0.5)
    inside = []
    for k in range(grid):
        mean = (k + 0.5) / grid
        # From 1/2 to another mean the integral changes by a factor.
        ratio = (0.5 / mean) ** wins * (0.5 / (1 - mean)) ** (tosses - wins)
        if mixture * ratio < 1 / alpha:
            inside.append(mean)
    return min(inside), max(inside)


def wealth(excess, variance):
    """The sum over k of p_k exp(theta_k m - psi(theta_k) V)."""
    shares = [1 / (k * (k + 1)) for k in range(1, 26)]
    total = 0.0
    for k, share in enumerate(shares, start=1):
        theta = 2.0**-k
        psi = -math.log1p(-theta) - theta
        total += share / sum(shares) * math.exp(theta * excess - psi * variance)
    return total


def mean_bounds(gains, losses, alpha, step):
    """Bounds of the average score; m is the first multiple of ``step`` that is enough."""
    ends = []
    for values in (gains, losses):
        total = variance = 0.0
        for n, value in enumerate(values):
            guess = min((0.5 + total) / (n + 1), 1.0)
            variance += (value - guess) ** 2
            total += value
        m = 0.0
        while wealth(m, variance) < 2 / alpha:
            m += step
        ends.append(min(max((total - m) / len(values), 0.0), 1.0))
    return ends[0], 1 - ends[1]
