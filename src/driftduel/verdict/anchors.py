"""What is said of anchors: pairs that stay the same, so that what moves there is no option."""

from __future__ import annotations

from dataclasses import dataclass

from driftduel.verdict.moments import Moment
from driftduel.verdict.parts import Clock, Sentence, named, say


@dataclass(frozen=True)
class Moved:
    """What votes on anchors say.

    Attributes
    ----------
    pairs : tuple of (str, str)
        The anchors, by names of options.
    votes : int
        Votes on them since they are anchors.
    turned : tuple or None
        Which option loses more than before against which other, since when likely, and when that
        was proved; None if nothing is proved to have moved.
    """

    pairs: tuple[tuple[str, ...], ...]
    votes: int
    turned: tuple[str, str, Moment, Moment] | None


def said_of_anchors(moved: Moved, clock: Clock) -> Sentence:
    """Say whether anchors moved.

    Examples
    --------
    >>> from driftduel.verdict.parts import plain
    >>> clock = Clock("minute", "vote")
    >>> plain(said_of_anchors(Moved((("tea", "milk"),), 0, None), clock))
    'Nobody has voted on the one pair that stays the same yet.'
    >>> moved = Moved((("tea", "milk"),), 90, ("tea", "milk", Moment.round(40), Moment.round(70)))
    >>> plain(said_of_anchors(moved, clock))
    'Tastes or voters moved, not the options: on a pair that stays the same tea loses more against milk than before, from vote 40 or so on (proved whoever looks when).'
    """  # noqa: E501
    pairs = "the one pair" if len(moved.pairs) == 1 else f"the {len(moved.pairs)} pairs"
    stays = "stays" if len(moved.pairs) == 1 else "stay"
    if not moved.votes:
        return say(f"Nobody has voted on {pairs} that {stays} the same yet.")
    if moved.turned is None:
        return say(
            f"On {pairs} that {stays} the same nothing is proved to have moved "
            f"({moved.votes:,} votes)."
        )
    lost, other, since, _ = moved.turned
    return say(
        "Tastes or voters moved, not the options: on a pair that stays the same {lost} loses more "
        "against {other} than before, from {when} or so on (proved whoever looks when).",
        lost=named(lost),
        other=named(other),
        when=clock.at(since),
    )
