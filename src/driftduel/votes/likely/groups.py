"""Groups of voters: whether they differ at all, how, and whether tastes changed or who votes.

A group is a value of a column, such as the language of a voter or the context of a question; or it
is `RETURNING`: votes of voters who are new beside those of voters who came back.

Beside the strengths of all voters each group has its own departures, N(0, 0.5^2) an arm. Whether
that is worth it is told by the evidence: the probability of all votes with groups over that
without. That they differ is proved by votes on one pair that follow each other
(`driftduel.votes.proof.alike`), whatever drift there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel.verdict.groups import EMPTY
from driftduel.verdict.parts import Sentence, chance, named, say
from driftduel.votes.likely.bins import Floats, Ints
from driftduel.votes.likely.story import Story, tell
from driftduel.votes.log import Log
from driftduel.votes.names import VOTERS
from driftduel.votes.proof.alike import PROVED, log_e_value

if TYPE_CHECKING:
    import polars as pl

RETURNING = "returning"
"""The groups that a column of voters makes: votes near the first of their voter, and later ones."""

_NEW, _BACK = "new", "returning"
_FIRST_VOTES = 10
MOST_GROUPS = 12
_DIFFER = 3.0
"""Groups differ if the votes are e^3 times as likely with their departures as without."""
_MOVED = 0.03
_COLUMNS = ("group", "arm", "probability", "score", "low", "high")


@dataclass(frozen=True, eq=False)
class Groups:
    """What groups of voters say.

    Attributes
    ----------
    column : str
    names : tuple of str
        The groups.
    arms : tuple of str
    votes : ndarray of shape (G,)
        How many votes each group cast.
    gain : float
        The logarithm of how much likelier the votes are if groups may differ.
    story : Story
        The story with their departures.
    mix : ndarray of shape (B, G)
        Which share of the votes each group cast, by bin.
    log_e_value : float or None
        The logarithm of the e-value against "groups do not differ"; None where none holds.
    """

    column: str
    names: tuple[str, ...]
    arms: tuple[str, ...]
    votes: Floats
    gain: float
    story: Story
    mix: Floats
    log_e_value: float | None = None

    @property
    def differ(self) -> bool:
        """Whether votes speak for it that groups differ."""
        return self.gain > _DIFFER

    @property
    def proved(self) -> bool:
        """Whether it is proved that groups differ, with 95 %."""
        return self.log_e_value is not None and self.log_e_value >= PROVED

    def p_best(self, b: int = -1) -> Floats:
        """Return P(best) by group and arm in a bin, (G, K)."""
        there = self.story.bins.offered[b]
        found = np.zeros((len(self.names), len(self.arms)))
        for group in range(len(self.names)):
            scores = self.story.chances_in(b, group)[:, :, there].sum(axis=2)
            best = np.where(there, scores, -np.inf).argmax(axis=1)
            found[group] = np.bincount(best, minlength=len(self.arms)) / len(best)
        return found

    def bands(self, b: int = -1) -> Floats:
        """Return scores with their 95 % bands by group and arm in a bin, (3, G, K); nan if absent.

        A group of few votes is near the mean of all: its departures are shrunk.
        """
        there = self.story.bins.offered[b]
        found = np.full((3, len(self.names), len(self.arms)), np.nan)
        for group in range(len(self.names)):
            chances = self.story.chances_in(b, group)
            scores = (chances[:, :, there].sum(axis=2) - 0.5) / max(there.sum() - 1, 1)
            found[0, group, there] = scores[:, there].mean(axis=0)
            found[1:, group, there] = np.quantile(scores[:, there], (0.025, 0.975), axis=0)
        return found

    def scores(self, b: int, mix: Floats) -> Floats:
        """Return the mean score of each arm in a bin for a mix of groups, (K,); nan if absent."""
        there = self.story.bins.offered[b]
        total = np.zeros(len(self.arms))
        for group, share in enumerate(mix):
            chances = self.story.chances_in(b, group).mean(axis=0)
            total += share * (chances[:, there].sum(axis=1) - 0.5) / max(there.sum() - 1, 1)
        return np.where(there, total, np.nan)

    @property
    def overall(self) -> Floats:
        """The mix of the groups over all votes, (G,)."""
        return np.asarray(self.votes / self.votes.sum())

    @cached_property
    def moved(self) -> tuple[Floats, Floats]:
        """How much scores moved from the first to the last quarter by taste, and by who voted.

        Taste is the change at the fixed mix of all votes; who voted is the rest.
        """
        n = len(self.story.bins)
        early, late = n // 8, n - 1 - n // 8
        span = max(n // 4, 1)
        mixes = [self.mix[:span].mean(axis=0), self.mix[-span:].mean(axis=0)]
        fixed = self.scores(late, self.overall) - self.scores(early, self.overall)
        actual = self.scores(late, mixes[1]) - self.scores(early, mixes[0])
        return fixed, actual - fixed

    @property
    def frame(self) -> pl.DataFrame:
        """P(best) and the score with its band now, by group and arm."""
        import polars as pl

        told, bands = self.p_best(), self.bands()
        rows = [
            (group, arm, float(told[g, k]), *map(float, bands[:, g, k]))
            for g, group in enumerate(self.names)
            for k, arm in enumerate(self.arms)
            if self.story.bins.offered[-1, k]
        ]
        return pl.DataFrame(rows, schema=[*_COLUMNS], orient="row")

    def at_fixed_mix(self) -> pl.DataFrame:
        """Return scores by bin and arm for the mix of groups of all votes, and for the real one."""
        import polars as pl

        rows = []
        for b in range(len(self.story.bins)):
            fixed, actual = self.scores(b, self.overall), self.scores(b, self.mix[b])
            rows += [
                (b, arm, float(fixed[k]), float(actual[k]))
                for k, arm in enumerate(self.arms)
                if self.story.bins.offered[b, k]
            ]
        return pl.DataFrame(rows, schema=["bin", "arm", "fixed_mix", "as_voted"], orient="row")

    @property
    def sentences(self) -> list[Sentence]:
        """Whether groups differ, how, and whether tastes changed or who votes."""
        if not self.differ:
            said = say("By the model tastes {by} do not visibly differ.", by=self._by)
            return [said, *self._proof]
        told = self.p_best()
        found = [
            say(
                "By the model tastes {by} differ: {row}.",
                by=self._by,
                row=_listed(
                    [
                        say(
                            "for {0} {1} is likeliest to be best ({2})",
                            named(name or EMPTY),
                            named(self.arms[told[g].argmax()]),
                            chance(float(told[g].max())),
                        )
                        for g, name in enumerate(self.names[:4])
                    ]
                ),
            ),
            *self._proof,
        ]
        taste, voters = (np.nan_to_num(part) for part in self.moved)
        arm = int(np.abs(taste + voters).argmax())
        if abs(taste[arm] + voters[arm]) >= _MOVED:
            found.append(
                say(
                    "From the first quarter to the last the score of {who} moved most, by {all}: "
                    "{taste} as tastes changed, {voters} as others voted.",
                    who=named(self.arms[arm]),
                    all=_points(taste[arm] + voters[arm]),
                    taste=_points(taste[arm]),
                    voters=_points(voters[arm]),
                )
            )
        return found

    @property
    def _proof(self) -> list[Sentence]:
        """That groups differ, if that is proved: what is likely may be wrong."""
        if not self.proved:
            return []
        return [
            say(
                "That tastes {by} differ is proved, with 95%, whatever drift there is.", by=self._by
            )
        ]

    @property
    def _by(self) -> Sentence:
        if self.column == RETURNING:
            return say("of new and of returning voters")
        return say("by {0}", named(self.column))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        told, bands = self.p_best(), self.bands()
        there = self.story.bins.offered[-1]
        return {
            "column": self.column,
            "differ": self.differ,
            "gain": self.gain,
            "log_e_value": self.log_e_value,
            "proved": self.proved,
            "groups": [
                {
                    "group": name,
                    "votes": float(self.votes[g]),
                    "probabilities": dict(zip(self.arms, map(float, told[g]), strict=True)),
                    "scores": [
                        {"arm": arm, "score": score, "low": low, "high": high}
                        for arm, here, (score, low, high) in zip(
                            self.arms, there, bands[:, g].T.tolist(), strict=True
                        )
                        if here
                    ],
                }
                for g, name in enumerate(self.names)
            ],
        }


def groups_of(votes: Log, column: str, without: Story, seed: int) -> Groups:
    """Return what the groups in a column of a log say, beside the story without them."""
    cells = cells_of(votes, column)
    names, group = np.unique(np.array(cells), return_inverse=True)
    if column == RETURNING and len(names) < 2:
        raise ValueError("groups: all voters are new, or none came back, so there is one group")
    if not 2 <= len(names) <= MOST_GROUPS:
        raise ValueError(
            f"groups: {column!r} has {len(names):,} values, must have 2 to {MOST_GROUPS}"
        )
    story = tell(
        votes.left,
        votes.right,
        votes.outcome,
        votes.time,
        votes.n_arms,
        count=votes.count,
        group=group.astype(np.int64),
        dated=votes.dated,
        sides=votes.sides,
        seed=seed,
    )
    mix = _mix(story, group.astype(np.int64), votes.count, len(names))
    return Groups(
        column=column,
        names=tuple(map(str, names)),
        arms=votes.arms,
        votes=np.asarray(np.bincount(group, votes.count), dtype=np.float64),
        gain=story.filtered.evidence - without.filtered.evidence,
        story=story,
        mix=mix,
        log_e_value=log_e_value(votes, cells),
    )


def cells_of(votes: Log, column: str) -> list[str]:
    """Return the group of each vote."""
    extras = votes.extras
    known = [] if extras is None else extras.columns
    if extras is not None and column in known:
        return ["" if cell is None else str(cell) for cell in extras[column].to_list()]
    voters = next((name for name in known if name.lower() in VOTERS), None)
    if column != RETURNING or voters is None or extras is None:
        has = ", ".join(known) or "none"
        raise ValueError(f"groups: the log has no column {column!r}, it has: {has}")
    return _returning(extras[voters].to_list(), votes)


def _returning(voters: list[object], votes: Log) -> list[str]:
    """Return whether the voter of each vote is new: on its first day, or in its first votes."""
    first: dict[object, float] = {}
    cast: dict[object, int] = {}
    found = []
    for voter, time in zip(voters, votes.time.tolist(), strict=True):
        if voter in (None, ""):  # nobody knows whose vote it is
            found.append("")
            continue
        since = first.setdefault(voter, time)
        cast[voter] = cast.get(voter, 0) + 1
        new = time - since < 1.0 if votes.dated else cast[voter] <= _FIRST_VOTES
        found.append(_NEW if new else _BACK)
    return found


def _mix(story: Story, group: Ints, count: Floats, n_groups: int) -> Floats:
    found = np.zeros((len(story.bins), n_groups))
    np.add.at(found, (story.bins.of_vote, group), count)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _points(share: float) -> str:
    return f"{round(100 * share):+d} points"


def _listed(parts: list[Sentence]) -> Sentence:
    row = ", ".join(f"{{{n}}}" for n in range(len(parts)))
    return say(row, *parts)
