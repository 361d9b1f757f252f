"""Plays duelpy's algorithms; runs in duelpy's own environment, called by `duelpy_peer`.

A job comes in on standard input, as JSON, and the plays of each seed go out on standard output:
how often each ordered pair was dueled, and the processor time it took. What is regret is decided
by the caller, so that both sides mean the same by it.
"""

from __future__ import annotations

import inspect
import json
import sys
import time
import warnings
from importlib import import_module
from typing import Any

import numpy as np

PATIENCE = 1000
"""An algorithm that takes so many steps in a row without a duel is stuck."""


class Arena:
    """A preference matrix that counts who was dueled; duelpy calls this a feedback mechanism."""

    def __init__(self, matrix: Any, seed: int) -> None:
        self.matrix = np.array(matrix)
        self.plays = np.zeros(self.matrix.shape, int)
        self.rng = np.random.RandomState(seed)

    def duel(self, left: int, right: int) -> bool:
        """Return whether the left arm wins."""
        self.plays[left, right] += 1
        return bool(self.rng.random_sample() < self.matrix[left, right])

    def duel_repeatedly(self, left: int, right: int, count: int) -> int:
        """Return how often the left arm wins."""
        return sum(self.duel(left, right) for _ in range(count))

    def get_arms(self) -> list[int]:
        """Return the arms."""
        return list(range(len(self.matrix)))

    def get_num_arms(self) -> int:
        """Return the number of arms."""
        return len(self.matrix)


def main() -> None:
    warnings.simplefilter("ignore")  # duelpy uses names that numpy has deprecated
    job = json.load(sys.stdin)
    json.dump([play(job, seed) for seed in job["seeds"]], sys.stdout)


def play(job: dict[str, Any], seed: int) -> dict[str, Any]:
    np.random.seed(seed)  # noqa: NPY002
    arena = Arena(job["matrix"], seed + 1_000_000)
    kind = getattr(import_module("duelpy.algorithms"), job["algorithm"])
    arguments = dict(job["arguments"], time_horizon=job["horizon"])
    if "random_state" in inspect.signature(kind).parameters:
        arguments["random_state"] = np.random.RandomState(seed)
    algorithm = kind(arena, **arguments)
    for path, value in job["settings"].items():
        put(algorithm, path, value)
    if job["repaired"]:
        import_module("_duelpy_repairs").REPAIRS[job["repair"]](algorithm)
    begin = time.process_time()
    error = run(algorithm, arena)
    return {"plays": arena.plays.tolist(), "seconds": time.process_time() - begin, "error": error}


def run(algorithm: Any, arena: Arena) -> str:
    """Step to the end as duelpy's ``run`` does; return what went wrong, or nothing."""
    steps, duels = 0, 0
    try:
        while not algorithm.is_finished():
            algorithm.step()
            steps += 1
            if steps % PATIENCE == 0:
                if arena.plays.sum() == duels:
                    return "stuck"
                duels = arena.plays.sum()
    except algorithm.wrapped_feedback.exception_class:
        pass
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def put(thing: Any, path: str, value: float) -> None:
    """Set an attribute that the constructor does not offer, by its dotted path."""
    *way, name = path.split(".")
    for step in way:
        thing = getattr(thing, step)
    getattr(thing, name)  # a path that leads nowhere is a mistake
    setattr(thing, name, value)


if __name__ == "__main__":
    main()
