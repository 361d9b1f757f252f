"""Which options of an arena are variants of one thing: a setting, by slugs."""

from __future__ import annotations

from driftduel.arena.errors import Invalid
from driftduel.arena.model import Arena
from driftduel.arena.service.arenas import change_arena, describe
from driftduel.arena.service.arms import arm_called, arms_by_name
from driftduel.arena.service.service import Service


def same_as(service: Service, slug: str, arm: str, other: str | None) -> Arena:
    """Let an arm be a variant of the same thing as another, or of none.

    Raises
    ------
    NotFound, Invalid, Unavailable
        If there is no such arena or arm; if both are the same; if the database fails.
    """
    known = describe(service, slug)
    arms = arms_by_name(known.arms)
    own = arm_called(arms, arm).slug
    groups = [
        [one for one in group if one != own] for group in variants_of(known.arena.settings.variants)
    ]
    if other is not None:
        of = arm_called(arms, other).slug
        if of == own:
            raise Invalid("an option cannot be a variant of itself")
        mine = next((group for group in groups if of in group), None)
        if mine is None:
            groups.append([of, own])
        else:
            mine.append(own)
    return change_arena(
        service, slug, {"variants": ["+".join(group) for group in groups if len(group) > 1]}
    )


def variants_of(setting: tuple[str, ...]) -> list[list[str]]:
    """Return the slugs of options that are variants of one thing.

    Examples
    --------
    >>> variants_of(("soup-1+soup-2", "pie+cake"))
    [['soup-1', 'soup-2'], ['pie', 'cake']]
    """
    return [text.split("+") for text in setting]
