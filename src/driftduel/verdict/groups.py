"""The sentence on groups of votes: whether who is best in them differs for sure."""

from __future__ import annotations

from collections.abc import Sequence

from driftduel.verdict.parts import Sentence, named, say
from driftduel.verdict.standing import Standing

EMPTY = "(empty)"
"""What a group is called whose cells say nothing."""


def groups(column: str, standings: Sequence[tuple[str, Standing]]) -> Sentence:
    """Say whether who is best differs between groups, if all their ranges hold at once."""
    by = named(column)
    if len(standings) < 2:
        return say("There is one group by {by}, so there is nothing to compare.", by=by)
    sure = [(name, one) for name, one in standings if one.leader is not None and one.decided]
    for name, one in sure:
        for other_name, other in sure:
            winners = {_winner(one), _winner(other)}
            if len(winners) == 2 and winners <= _offered(one) & _offered(other):
                return say(
                    "Who is best differs by {by}, which is proved: {0} in {1}, {2} in {3}.",
                    named(_winner(one)),
                    named(name or EMPTY),
                    named(_winner(other)),
                    named(other_name or EMPTY),
                    by=by,
                )
    return say("That who is best differs by {by} is not proved.", by=by)


def _winner(standing: Standing) -> str:
    return standing.options[standing.leader or 0].name


def _offered(standing: Standing) -> set[str]:
    return {one.name for one in standing.options if one.offered}
