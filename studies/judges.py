"""``python -m studies judges``: what an automatic judge does to intervals for people's taste.

People vote on cases, such as prompts. Of each case they are of two minds about two options to an
extent that differs from case to case: the strengths of options in a case are those of the field and
a departure of that case. A judge was asked about each pair of a case in both orders. It is right if
it takes the option that the person takes. Pairs are as likely as any other, or DriftPoll chooses.

For the same votes the width of intervals is measured with the judge and without; n(w) is the number
of votes after which the mean width is w, and the ratio of two such numbers is printed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
import typer

import driftduel as dd
from driftduel.votes.forecasts import of_past
from driftduel.votes.judges import Answers
from driftduel.votes.tossed import of_tosses

Floats = np.ndarray
OPTIONS = 4
ALPHA = 0.05


class Poll:
    """Votes, each on a case of its own, and what the mean score so far truly was."""

    def __init__(self, n: int, seed: int, adaptive: bool) -> None:
        import polars as pl

        self.rng = rng = np.random.default_rng(seed)
        field = rng.normal(0, 0.4, OPTIONS)
        departs = rng.normal(0, 1.0, (n, OPTIONS))
        self.strengths = field + departs
        gaps = self.strengths[:, :, None] - self.strengths[:, None, :]
        self.chances = 1 / (1 + np.exp(-gaps))
        # Each person's mind on every pair of the case, which the vote on it tells.
        upper = np.triu(rng.random((n, OPTIONS, OPTIONS)) < self.chances, 1)
        lower = np.swapaxes(~upper & np.triu(np.ones((OPTIONS, OPTIONS), bool), 1), 1, 2)
        self.minds = upper | lower
        learner = dd.DriftPoll(OPTIONS, seed=seed)
        rows = np.zeros((n, 4))
        self.tossed = np.ones((n, 2), dtype=bool)
        chance: float | None
        for t in range(n):
            if adaptive:
                duel = learner.ask()
                one, other, chance = duel.left, duel.right, duel.propensity
                self.tossed[t] = [weight == 1.0 for weight in (duel.ticket or ())[1:]]
                learner.tell(duel, "left" if self.minds[t, one, other] else "right")
            else:
                one = int(rng.integers(OPTIONS))
                other = (one + int(rng.integers(1, OPTIONS))) % OPTIONS
                chance = 1 / (OPTIONS * (OPTIONS - 1))
            rows[t] = one, other, self.minds[t, one, other], chance
        left, right, won, chances = rows.T
        self.rarest = learner.rarest if adaptive else 1 / (OPTIONS * (OPTIONS - 1))
        self.log = dd.Log(
            [*"abcd"], np.arange(n), left.astype(int), right.astype(int), won,
            propensity=chances, extras=pl.DataFrame({"context": [str(t) for t in range(n)]}),
        )  # fmt: skip
        each = self.chances.copy()
        each[:, np.arange(OPTIONS), np.arange(OPTIONS)] = 0.5
        self.truth = np.cumsum(each.mean(axis=2), axis=0) / np.arange(1, n + 1)[:, None]


def answered(poll: Poll, right: Floats, by_side: float = 0.0) -> Answers:
    """Return the answers of a judge that is right in so many cases, on all pairs in both orders.

    Of its wrong answers the share ``by_side`` come from sides: it does not know, and takes the left
    one or the right one whatever stands there, so that it is right in half of these.
    """
    n, rng = len(poll.log), np.random.default_rng(poll.rng.integers(2**32))
    one, other = np.triu_indices(OPTIONS, 1)
    rows = np.repeat(np.arange(n), len(one))
    i, j = np.tile(one, n), np.tile(other, n)
    wrong = 1 - right[rows]
    drawn = rng.random(len(rows))
    lost = drawn < 2 * by_side * wrong  # of these half are right by chance
    errs = (drawn >= 2 * by_side * wrong) & (drawn < (1 + by_side) * wrong)
    takes_left = rng.random(len(rows)) < 0.5
    told = poll.minds[rows, i, j] != errs
    first = np.where(lost, takes_left, told)
    second = np.where(lost, takes_left, ~told)
    return Answers(
        "robot", poll.log.arms, np.concatenate([i, j]), np.concatenate([j, i]),
        np.concatenate([first, second]).astype(float), np.tile(rows - 0.5, 2),
        [str(row) for row in np.tile(rows, 2)],
    )  # fmt: skip


def good(poll: Poll) -> Answers:
    """Be right in 80 % of cases, and wrong the same way in both orders."""
    return answered(poll, np.full(len(poll.log), 0.8))


def half_by_side(poll: Poll) -> Answers:
    """Be right in 80 % of cases; half of what is wrong is because of the side."""
    return answered(poll, np.full(len(poll.log), 0.8), 0.5)


def by_side(poll: Poll) -> Answers:
    """Be right in 80 % of cases, and answer by the side wherever it does not know."""
    return answered(poll, np.full(len(poll.log), 0.8), 1.0)


def useless(poll: Poll) -> Answers:
    """Toss a coin."""
    return answered(poll, np.full(len(poll.log), 0.5))


def lying(poll: Poll) -> Answers:
    """Say the opposite of what people say in 80 % of cases."""
    return answered(poll, np.full(len(poll.log), 0.2))


def drifting(poll: Poll) -> Answers:
    """Be right in 80 % of cases at first, and wrong in 80 % after half of the votes."""
    return answered(poll, np.where(np.arange(len(poll.log)) < len(poll.log) // 2, 0.8, 0.2))


JUDGES: dict[str, Callable[[Poll], Answers]] = {
    one.__name__: one for one in (good, half_by_side, by_side, useless, lying, drifting)
}


def measured(poll: Poll, answers: Answers | None, looks: list[int]) -> tuple[Floats, bool, float]:
    """Return the mean width at each look, whether an interval ever missed, and the last error."""
    widths, missed, error = [], False, 0.0
    forecasts = None if answers is None else answers.expect(poll.log)
    for n in looks:
        part = poll.log.rows(slice(0, n))
        given = None if forecasts is None else _Given(forecasts, n)
        found = dd.estimate(part, alpha=ALPHA, rarest=poll.rarest, predictions=given)
        truth = poll.truth[n - 1]
        missed |= bool(((truth < found.low) | (truth > found.high)).any())
        widths.append(float((found.high - found.low).mean()))
        error = float(np.sqrt(((found.scores - truth) ** 2).mean()))
    return np.array(widths), missed, error


class _Given:
    """Forecasts of a whole log, for its first votes: blocks do not depend on when it ends."""

    def __init__(self, forecasts, n: int) -> None:  # type: ignore[no-untyped-def]
        self._forecasts, self._n = forecasts, n

    def expect(self, log: dd.Log):  # type: ignore[no-untyped-def]
        assert len(log) == self._n
        return self._forecasts._replace(of_row=self._forecasts.of_row[: self._n])


def votes_for(width: float, looks: list[int], widths: Floats) -> float:
    """Return after how many votes the width was reached, between two looks by powers."""
    falling = np.minimum.accumulate(widths)
    if falling[-1] > width:
        return float("nan")
    return float(np.exp(np.interp(-np.log(width), -np.log(falling), np.log(looks))))


def of_page(poll: Poll, answers: Answers, looks: list[int]) -> tuple[Floats, Floats]:
    """Return mean widths at each look from tosses, as the owner's page has them: without, with."""
    kinds = (of_past(poll.log), answers.expect(poll.log))
    widths = np.zeros((2, len(looks)))
    for place, n in enumerate(looks):
        for kind, forecasts in enumerate(kinds):
            part = forecasts._replace(of_row=forecasts.of_row[:n])
            left, right = poll.tossed[:n].T
            found = of_tosses(poll.log.rows(slice(0, n)), left, right, part, ALPHA)
            widths[kind, place] = float((found.high - found.low).mean())
    return widths[0], widths[1]


def judges(
    runs: Annotated[int, typer.Option(min=1, help="Polls of each kind.")] = 40,
    votes: Annotated[int, typer.Option(min=500, help="Votes of a poll.")] = 8_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first poll.")] = 0,
    only: Annotated[str | None, typer.Option(help="One kind of judge.")] = None,
    page: Annotated[
        bool, typer.Option(help="The owner's page alone: tosses of DriftPoll.")
    ] = False,
) -> None:
    """Print how often intervals with a judge ever miss, and the votes that it saves."""
    looks = np.unique(np.geomspace(500, votes, 8).astype(int)).tolist()
    if page:
        print(f"{runs} polls of {votes:,} votes: width in the end without and with; ratio of votes")
        for name, judge in JUDGES.items():
            if only in (None, name):
                polls = [Poll(votes, seed + n, adaptive=True) for n in range(runs)]
                both = np.mean([of_page(poll, judge(poll), looks) for poll in polls], axis=0)
                ends, ratio = both[:, -1], votes_for(both[0, -1], looks, both[1]) / votes
                print(f"{name:<13} {ends[0]:.4f} {ends[1]:.4f}  votes {ratio:.2f}", flush=True)
        return
    print(
        f"{runs} polls of {votes:,} votes, {OPTIONS} options, {len(looks)} looks: share in which an"
    )
    print(
        "interval ever missed, without the judge and with it; width in the end, without and with;"
    )
    print("votes with the judge over votes without for the same width: that without at the end")
    for adaptive in (False, True):
        for name, judge in JUDGES.items():
            if only not in (None, name):
                continue
            found, widths = [], []
            for n in range(runs):
                poll = Poll(votes, seed + n, adaptive)
                alone, missed, error = measured(poll, None, looks)
                beside, missed_too, error_too = measured(poll, judge(poll), looks)
                found.append((missed, missed_too, error, error_too))
                widths.append((alone, beside))
            alone, beside = np.mean(widths, axis=0)
            ratio = votes_for(alone[-1], looks, beside) / votes
            shares = np.mean(found, axis=0)
            kind = "DriftPoll" if adaptive else "uniform"
            print(
                f"{kind:<10}{name:<13} missed {shares[0]:.3f} {shares[1]:.3f}  width "
                f"{alone[-1]:.4f} {beside[-1]:.4f}  votes {ratio:.2f}  "
                f"error {shares[3] / shares[2]:.2f}",
                flush=True,
            )
