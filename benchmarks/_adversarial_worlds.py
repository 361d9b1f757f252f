"""The adversarial suite: worlds that were made to break a learner, as an experiment file.

A label is "KIND: WORDS, ROUNDS". What a kind is for:

- *hidden rise*: an arm rises against everybody but the leader (Borda alone);
- *spoilers*: a Condorcet winner that hardly shows, and an arm that beats the others clearly;
- *dear challenger*: an arm beats the leader a little and has a poor score (Borda alone);
- *lost first duels*: worlds that never change, in which a run now and then begins with bad luck;
- *others change*: duels change, but none of the winner's;
- *oscillation*: two arms take turns, at periods at which a learner has just settled;
- *handover*: one arm slowly hands over to another;
- *near ties*: the winner is better by very little;
- *late start*: long calm, and then changes;
- *90% ties*: nine of ten votes decide nothing (``benchmarks/_adversarial_ties.py``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from driftduel.experiments.spec import Spec

CRITERIA = ("borda", "condorcet")
FIRST_SEED = 30_000
LEARNERS = ("DriftDuel", "MetaBosse", "Uniform")
SHORT, LONG = 10**5, 10**6

Row = tuple[str, str, dict[str, float]]
"""The label without the rounds, the name of the built-in world, and its parameters."""


def spec(criterion: str, seeds: int, *, long: bool) -> Spec:
    """Return what is played in a criterion.

    Examples
    --------
    >>> spec("borda", 2, long=False).seeds
    (30000, 30001)
    """
    lines = [
        f'title = "The adversarial suite, {criterion.title()}"',
        f"seeds = {[*range(FIRST_SEED, FIRST_SEED + seeds)]}",
        f'criteria = ["{criterion}"]',
        "points = 10",
    ]
    for horizon in (SHORT, LONG) if long else (SHORT,):
        for label, world, parameters in rows(criterion):
            table = {
                "label": f"{label}, {horizon:,} rounds",
                "world": world,
                **parameters,
                "horizon": horizon,
            }
            lines += ["", "[[stream]]", *(f"{key} = {json.dumps(table[key])}" for key in table)]
    for name in LEARNERS:
        lines += ["", "[[learner]]", f'name = "{name}"', f'criterion = "{criterion}"']
    return Spec.parse("\n".join(lines) + "\n", f"adversarial-{criterion}.toml")


def rows(criterion: str) -> Iterator[Row]:
    """Yield the worlds of a criterion, whatever the rounds."""
    if criterion == "borda":
        yield from _hidden_rises()
        yield from _dear_challengers()
    yield from _spoilers()
    for n_arms, seed in ((5, 0), (5, 1), (10, 0), (30, 0)):
        yield (
            f"lost first duels: Bradley-Terry-Luce, {n_arms} arms, number {seed}",
            "bradley-terry-luce",
            {"n_arms": n_arms, "seed": seed},
        )
    for n_arms, every in ((5, 10_000), (10, 1000), (30, 20_000)):
        yield (
            f"others change: {n_arms} arms, every {every:,} rounds",
            "others-change",
            {"n_arms": n_arms, "every": every},
        )
    for n_arms, every in ((3, 300), (3, 3000), (10, 1000), (10, 5000), (30, 10_000)):
        yield (
            f"oscillation: {n_arms} arms, every {every:,} rounds",
            "alternation",
            {"n_arms": n_arms, "every": every, "margin": 0.3, "contenders": 2},
        )
    for n_arms, width in ((3, 0.5), (10, 0.5)):
        yield (
            f"handover: {n_arms} arms, within {width:.0%}",
            "handover",
            {"n_arms": n_arms, "width": width, "margin": 0.2},
        )
    for n_arms, margin in ((3, 0.01), (10, 0.02), (30, 0.02)):
        yield (
            f"near ties: {n_arms} arms by {margin}",
            "one-winner",
            {"n_arms": n_arms, "margin": margin},
        )
    for n_arms, calm in ((3, 0.9), (10, 0.5), (10, 0.9), (30, 0.8)):
        yield (
            f"late start: {n_arms} arms at {calm:.0%}",
            "late-start",
            {"n_arms": n_arms, "calm": calm, "every": 5000},
        )


def _hidden_rises() -> Iterator[Row]:
    for n_arms, margin, rise, at in (
        (4, 0.1, 0.4, 0.5),
        (5, 0.05, 0.45, 0.5),
        (10, 0.1, 0.4, 0.1),
        (10, 0.1, 0.4, 0.5),
        (10, 0.1, 0.4, 0.9),
        (10, 0.02, 0.45, 0.5),
        (10, 0.2, 0.45, 0.5),
        (30, 0.1, 0.4, 0.5),
    ):
        yield (
            f"hidden rise: {n_arms} arms, leads by {margin}, rises by {rise} at {at:.0%}",
            "hidden-rise",
            {"n_arms": n_arms, "margin": margin, "rise": rise, "at": at},
        )
    yield (
        "hidden rise: 3 arms, leads by 0.1, rises by 0.5 at 50%",
        "hidden-rise",
        {"n_arms": 3, "margin": 0.1, "rise": 0.5, "at": 0.5},
    )


def _dear_challengers() -> Iterator[Row]:
    for n_arms, margin in ((5, 0.015), (5, 0.05), (20, 0.015)):
        yield (
            f"dear challenger: {n_arms} arms, by {margin}",
            "dear-challenger",
            {"n_arms": n_arms, "margin": margin},
        )
    yield (
        "dear challenger: random member of 5 arms",
        "random-member",
        {"n_arms": 5, "seed": 5},
    )


def _spoilers() -> Iterator[Row]:
    for n_arms, margin, over, spoils in (
        (5, 0.02, 0.2, 0.4),
        (10, 0.02, 0.2, 0.4),
        (10, 0.1, 0.1, 0.4),
        (30, 0.02, 0.2, 0.4),
        (100, 0.02, 0.2, 0.4),
    ):
        yield (
            f"spoilers: {n_arms} arms, by {margin}, {over} and {spoils}",
            "spoilers",
            {"n_arms": n_arms, "margin": margin, "over": over, "spoils": spoils},
        )
