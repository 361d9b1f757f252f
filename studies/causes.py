"""``python -m studies causes``: who is blamed for a change, in worlds where the cause is planted.

Four options, the best of which wins 7 of 10 votes against each other one; 200 votes a day for 25
days, pairs chosen by DriftPoll; something changes at noon of the 13th day. Of the changes that
DriftPoll declares, the votes until a day after, and all votes, are asked for the cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated

import numpy as np
import typer

import driftduel as dd
from driftduel.verdict.causes import Cause
from driftduel.votes.likely.why import why

DAYS, A_DAY, OPTIONS = 25, 200, 4
AHEAD = float(np.log(0.7 / 0.3))

Floats = np.ndarray
World = Callable[[np.random.Generator], "Plan"]


class Plan:
    """What voters like, by group and context, and who votes on what, before and after."""

    def __init__(self, causes: tuple[str, ...]) -> None:
        self.causes = causes
        self.strengths = np.zeros((2, 2, 2, OPTIONS))  # after, group, context, option
        self.voters = np.array([0.5, 0.5])  # the share of the second group, before and after
        self.questions = np.array([0.5, 0.5])


def taste(rng: np.random.Generator) -> Plan:
    """Let the best and another change places for all voters; groups like some options more."""
    plan = Plan(("taste",))
    plan.strengths += rng.normal(0, 0.2, (1, 2, 1, OPTIONS))
    plan.strengths[0, ..., 0] += AHEAD
    plan.strengths[1, ..., 1] += AHEAD
    return plan


def option(rng: np.random.Generator) -> Plan:
    """Let one option alone become best."""
    plan = Plan(("option",))
    plan.strengths += rng.normal(0, 0.2, (1, 2, 1, OPTIONS))
    plan.strengths[..., 0] += AHEAD
    plan.strengths[1, ..., 2] += 2 * AHEAD
    return plan


def voters(rng: np.random.Generator) -> Plan:
    """Let one group make way for another, which likes another option."""
    plan = Plan(("voters",))
    plan.strengths += rng.normal(0, 0.1, (1, 1, 1, OPTIONS))
    plan.strengths[:, 0, :, 0] += 1.4 * AHEAD
    plan.strengths[:, 1, :, 1] += 1.4 * AHEAD
    plan.voters = np.array([0.2, 0.8])
    return plan


def reversal(rng: np.random.Generator) -> Plan:
    """Do the same, while in each group the new leader loses some: Simpson's reversal."""
    plan = voters(rng)
    plan.strengths[1, :, :, 1] -= 0.3
    return plan


def questions(rng: np.random.Generator) -> Plan:
    """Let questions of one kind make way for those of another, which has another winner."""
    plan = Plan(("questions",))
    plan.strengths += rng.normal(0, 0.1, (1, 1, 1, OPTIONS))
    plan.strengths[:, :, 0, 0] += 1.4 * AHEAD
    plan.strengths[:, :, 1, 1] += 1.4 * AHEAD
    plan.questions = np.array([0.2, 0.8])
    return plan


def two(rng: np.random.Generator) -> Plan:
    """Change tastes and voters at once, each by about as much."""
    plan = Plan(("taste", "voters"))
    plan.strengths += rng.normal(0, 0.1, (1, 1, 1, OPTIONS))
    plan.strengths[0, :, :, 0] += 0.7 * AHEAD
    plan.strengths[1, :, :, 1] += 0.7 * AHEAD
    plan.strengths[:, 0, :, 0] += AHEAD
    plan.strengths[:, 1, :, 1] += AHEAD
    plan.voters = np.array([0.25, 0.75])
    return plan


WORLDS: dict[str, World] = {
    one.__name__: one for one in (taste, option, voters, reversal, questions, two)
}


def play(world: World, seed: int) -> tuple[dd.Log, list[tuple[float, float, float]], Plan]:
    """Return the votes of a poll, and of each declared change earliest, latest, noticed."""
    import polars as pl

    rng = np.random.default_rng(seed)
    plan = world(rng)
    learner = dd.DriftPoll(OPTIONS, seed=seed)
    n = DAYS * A_DAY
    rows = []
    for t in range(n):
        late = int(t >= n // 2)
        group = int(rng.random() < plan.voters[late])
        context = int(rng.random() < plan.questions[late])
        duel = learner.ask()
        s = plan.strengths[late, group, context]
        won = rng.random() < 1 / (1 + np.exp(s[duel.right] - s[duel.left]))
        learner.tell(duel, "left" if won else "right")
        rows.append((t / A_DAY, duel.left, duel.right, float(won), f"g{group}", f"c{context}"))
    time, left, right, outcome, kinds, contexts = zip(*rows, strict=True)
    extras = pl.DataFrame({"kind": kinds, "context": contexts})
    log = dd.Log([*"abcd"], time, left, right, outcome, extras=extras, dated=True)
    changes = [
        ((one.earliest or one.around) / A_DAY, (one.latest or one.around) / A_DAY,
         one.noticed / A_DAY)
        for one in learner.changes
    ]  # fmt: skip
    return log, changes, plan


def judge(cause: Cause | None, plan: Plan) -> str:
    """Return whether the cause was found: right, cannot tell, or what was blamed wrongly."""
    if cause is None or not cause.named:
        return "cannot tell"
    if set(cause.named) <= set(plan.causes):
        return "right"
    return f"wrong: {' and '.join(cause.named)}"


def causes(
    runs: Annotated[int, typer.Option(min=1, help="Polls of each kind.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first poll.")] = 0,
    only: Annotated[str | None, typer.Option(help="One kind of world.")] = None,
) -> None:
    """Print who is blamed for a declared change, where the cause is planted."""
    print(f"{'world':<12}{'declared':>9}  a day after it was declared; at the end")
    for name, world in WORLDS.items():
        if only not in (None, name):
            continue
        soon: Counter[str] = Counter()
        late: Counter[str] = Counter()
        for n in range(runs):
            log, changes, plan = play(world, seed + n)
            true = [one for one in changes if abs((one[0] + one[1]) / 2 - DAYS / 2) < 3]
            for earliest, latest, noticed in true[:1]:
                for found, until in ((soon, noticed + 1), (late, DAYS)):
                    told = log.rows(log.time <= until)
                    cause = why(
                        told, earliest, latest, voters=["kind"], questions=["context"], seed=n
                    )
                    found[judge(cause, plan)] += 1
        print(f"{name:<12}{sum(late.values()):>9}  {_said(soon)}; {_said(late)}", flush=True)


def _said(found: Counter[str]) -> str:
    return ", ".join(f"{what} {n}" for what, n in found.most_common()) or "none"
