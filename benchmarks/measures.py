"""How long measures take: few stretches over many rounds, and a new matrix every round.

Processor time of one core, without compilation; the lowest of several runs where runs are short.
The naive version is a compiled loop over all intervals, straight from the definition.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numba
import numpy as np

import driftduel as dd
from driftduel.matrix.preferences import Array
from driftduel.worlds.measures.shown import shown
from driftduel.worlds.measures.significant import significant_phases
from driftduel.worlds.measures.survey import borda_gaps, point_mass_gaps, survey
from tests.naive.shifts import significant_loops

ARMS = 10


def main() -> None:
    for world in (random_matrices, utilities):
        dd.measure(dd.Stream.sequence(world(50, 3)))
    few_stretches()
    every_round()
    naive()


def few_stretches() -> None:
    print("100 stretches, K = 10, all measures; bar: under 100 ms, ratio under 3")
    for world in (random_matrices, utilities):
        palette = world(100, ARMS)
        times = []
        for horizon in (10**5, 10**9):
            stream = dd.Stream.piecewise(palette, np.arange(100) * (horizon // 100), horizon)
            times.append(lowest(partial(dd.measure, stream), 9))
            print(f"  {world.__name__:16} T = {horizon:13,}: {times[-1] * 1e3:6.1f} ms")
        print(f"  {world.__name__:16} ratio {times[1] / times[0]:.2f}")


def every_round() -> None:
    print("a new matrix every round, K = 10; bar: all measures under 20 s, growth under 15")
    for world in (random_matrices, utilities):
        totals = []
        for horizon in (10**5, 10**6):
            stream = dd.Stream.sequence(world(horizon, ARMS))
            gaps = borda_gaps(shown(stream))
            borda = lowest(partial(significant_phases, gaps, ARMS, 3), 1)
            masses = point_mass_gaps(shown(stream), survey(stream.palette).column_best)
            unknown = lowest(partial(significant_phases, masses, ARMS**2, 3), 1)
            totals.append(lowest(partial(dd.measure, stream), 1))
            print(
                f"  {world.__name__:16} T = {horizon:9,}: all {totals[-1]:6.2f} s, of which "
                f"significant Borda {borda:5.2f} s, unknown weight {unknown:5.2f} s"
            )
        print(f"  {world.__name__:16} growth {totals[1] / totals[0]:.1f}")


def naive() -> None:
    print("loops over all intervals beside the fast way, T = 3,000, K = 10, a new matrix a round")
    loops = numba.njit(significant_loops)
    for world in (random_matrices, utilities):
        stream = dd.Stream.sequence(world(3000, ARMS))
        masses = point_mass_gaps(shown(stream), survey(stream.palette).column_best)
        for name, gaps, factor in (
            ("Borda", borda_gaps(shown(stream)), ARMS),
            ("unknown weight", masses, ARMS**2),
        ):
            table = np.ascontiguousarray((gaps.best[:, None] - gaps.levels).transpose(2, 0, 1))
            loops(table[:, :5], 3, float(factor))
            slow = lowest(partial(loops, table, 3, float(factor)), 1)
            fast = lowest(partial(significant_phases, gaps, factor, 3), 9)
            print(
                f"  {world.__name__:16} {name:15} naive {slow:7.3f} s, fast {fast:7.4f} s, "
                f"ratio {slow / fast:,.0f}"
            )


def lowest(run: Callable[[], object], repeats: int) -> float:
    """Return the lowest processor time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        before = time.process_time()
        run()
        times.append(time.process_time() - before)
    return min(times)


def random_matrices(n: int, n_arms: int) -> Array:
    """Return n matrices of uniform entries: no winner, many SUW phases."""
    rng = np.random.default_rng(0)
    palette = np.full((n, n_arms, n_arms), 0.5)
    for a in range(n_arms):
        for b in range(a):
            palette[:, a, b] = rng.random(n)
            palette[:, b, a] = 1 - palette[:, a, b]
    return palette


def utilities(n: int, n_arms: int) -> Array:
    """Return n matrices of arms whose utilities rise and fall in turn, with some noise."""
    rng = np.random.default_rng(0)
    turn = np.linspace(0, 40, n)[:, None] + np.arange(n_arms) * 2 * np.pi / n_arms
    utility = np.sin(turn) + 0.1 * rng.normal(size=(n, n_arms))
    palette = utility[:, None, :] - utility[:, :, None]
    np.exp(palette, out=palette)
    palette += 1
    return np.divide(1, palette, out=palette)


if __name__ == "__main__":
    main()
