"""Arms: they join, pause, resume and are renamed, all that is asked at once as one event.

Arms that join, pause or resume make a new generation: the learner goes on with the arms now
offered. A new name changes what people see and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from driftduel.arena.errors import Conflict, Invalid, NotFound
from driftduel.arena.model import MOST_NAME, MOST_OPTIONS, Arena, Arm, as_name, slug_of
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection


def change_arms(
    service: Service,
    slug: str,
    *,
    add: Sequence[str] = (),
    pause: Sequence[str] = (),
    resume: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
) -> list[Arm]:
    """Change the arms of an arena; return all of them as they are then.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which arena.
    add : sequence of str
        Names of new arms.
    pause, resume : sequence of str
        Arms, by slug or name, that are not to be offered for now, or again. One that joins may
        be paused in the same step, until it has its cards.
    rename : mapping of str to str
        New names of arms.

    Raises
    ------
    NotFound, Invalid, Conflict, Unavailable
        If there is no such arena or arm; if a name makes no sense; if it is taken; if the
        database fails. Nothing is changed then.
    """
    number = service.hosted(slug).arena.id

    def change(connection: Connection) -> list[Arm]:
        arena = statements.lock_arenas(connection, [number])[number]
        before = statements.arms_of(connection, number)
        after = {arm.id: arm for arm in before}
        known = arms_by_name(before)
        for name, new in (rename or {}).items():
            arm = arm_called(known, name)
            after[arm.id] = replace(after[arm.id], name=as_name(new))
        arms = with_added(list(after.values()), add)
        known = arms_by_name([*before, *arms[len(before) :]])
        for names, offered in ((pause, False), (resume, True)):
            for name in names:
                arm = arm_called(known, name)
                arms[arm.id] = replace(arms[arm.id], offered=offered)
        arms_event(connection, arena, before, arms)
        return arms

    changed: list[Arm] = service.writer.alone(change)
    service.follow_soon(slug)
    return changed


def with_added(arms: list[Arm], names: Sequence[str]) -> list[Arm]:
    """Return arms with new ones of these names, after checking all names."""
    if isinstance(names, str):
        raise Invalid(f"arms: must be a list of names, not the text {names[:80]!r}")
    arms = list(arms)
    if len(arms) + len(names) > MOST_OPTIONS:
        many = f"{len(arms) + len(names):,}"
        raise Invalid(f"there would be {many} arms, must be {MOST_OPTIONS:,} at most")
    new = [as_name(name) for name in names]
    called: set[str] = set()
    for name in (*(arm.name for arm in arms), *new):
        if name in called:
            raise Conflict(f"two arms would be called {name!r}")
        called.add(name)
    slugs = {arm.slug for arm in arms}
    for name in new:
        arms.append(Arm(len(arms), slug_of(name, slugs), name, offered=True))
        slugs.add(arms[-1].slug)
    return arms


def arms_by_name(arms: Sequence[Arm]) -> dict[str, Arm]:
    """Return arms by what they are called, by their slugs before their names."""
    return {arm.name: arm for arm in reversed(arms)} | {arm.slug: arm for arm in arms}


def arm_called(known: Mapping[str, Arm], name: str) -> Arm:
    """Return the arm of this slug or name."""
    if name not in known:
        raise NotFound(f"there is no arm {str(name)[:MOST_NAME]!r}")
    return known[name]


def arms_event(
    connection: Connection, arena: Arena, before: Sequence[Arm], after: Sequence[Arm]
) -> None:
    """Write the arms of an arena that is locked, and the event that says what became of them."""
    known = {arm.id: arm for arm in before}
    changed = [arm for arm in after if known.get(arm.id) != arm]
    if before and not changed:
        return
    offered = {arm.id for arm in after if arm.offered}
    generation = arena.generation + (offered != {arm.id for arm in before if arm.offered})
    statements.change_arms(connection, arena.id, [arm for arm in changed if arm.id in known])
    statements.insert_arms(connection, arena.id, [arm for arm in changed if arm.id not in known])
    body = {
        "generation": generation,
        "arms": [[arm.id, arm.slug, arm.name, arm.offered] for arm in changed],
    }
    event = {"at": now_in_microseconds(), "kind": "arms", "body": body}
    statements.append(connection, arena, [event], generation=generation)
