"""The sentence on variants of one thing: who is likely best if they count as one."""

from __future__ import annotations

from collections.abc import Sequence

from driftduel._support.text import listing
from driftduel.verdict.likely import PROBABLY, step
from driftduel.verdict.parts import Sentence, Words, chance, listed, named, plain, say
from driftduel.verdict.standing import Standing

_MOST_NAMED = 3


def counted_as_one(
    names: Sequence[str],
    variants: Sequence[Sequence[int]],
    best: Sequence[int],
    probability: float,
    alone: Sequence[int],
) -> Sentence:
    """Say who is best with variants counted as one, and whether copies decide.

    Parameters
    ----------
    names : sequence of str
        All options.
    variants : sequence of sequence of int
        Those that are variants of one thing.
    best, alone : sequence of int
        Who is likeliest to be best with variants counted as one, and with each option counted:
        several if these are variants of one thing.
    probability : float
        How likely ``best`` is.
    """
    verb = f"is {step(probability)} best" if probability >= PROBABLY else "may be best"
    same = tuple(best) == tuple(alone)
    template = "With {things}, {best} {verb} ({told}), as with each counted."
    if not same:
        template = (
            "Copies decide: with {things}, {best} {verb} ({told}); with each counted, {alone} is "
            "ahead."
        )
    return say(
        template,
        things=_as_one([[names[n] for n in group] for group in variants]),
        best=listed([names[n] for n in best], "or"),
        verb=verb,
        told=chance(probability),
        alone=listed([names[n] for n in alone], "or"),
    )


def counted_alone(
    shared: Standing, alone: Standing, variants: Sequence[Sequence[str]]
) -> tuple[str, ...]:
    """Return notes for a standing in which variants share one weight."""
    things = _as_one(variants)
    if shared.leader == alone.leader or alone.leader is None:
        return (plain(say("Scores are with {things}.", things=things)),)
    return (
        plain(
            say(
                "Copies decide: scores are with {things}; with each counted, {alone} is ahead.",
                things=things,
                alone=named(alone.options[alone.leader].name),
            )
        ),
    )


def _as_one(variants: Sequence[Sequence[str]]) -> Sentence:
    things: list[Words] = []
    for group in variants:
        who = listed(group)
        if len(group) > _MOST_NAMED:
            who = say("the {n} variants of {one}", n=str(len(group)), one=named(group[0]))
        things.append(say("{who} counted as one", who=who))
    return say(listing([f"{{{n}}}" for n in range(len(things))], len(things)), *things)
