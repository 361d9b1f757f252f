"""The rules: what is asked, which verdict becomes an event, is refused, and counts.

The service and the command, which serves a file without a server, follow the same ones.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from driftduel.arena.errors import ArenaError, Conflict, Forbidden, Gone, Invalid, NotFound
from driftduel.arena.fields import merged
from driftduel.arena.model import DAY, Arena, OpenDuel, State, Verdict
from driftduel.arena.store import statements
from driftduel.arena.store.connection import Connection
from driftduel.arena.store.fields import admit
from driftduel.arena.store.voters import key_of, pairs_that_count
from driftduel.arena.versions import rules_of

if TYPE_CHECKING:
    import numpy as np

    from driftduel.arena.replica import Drawn, Replica

Row = dict[str, Any]
Asker = tuple[str, str | None]
"""A voter, and the fields of what it is asked."""


@dataclass
class Tell:
    """A verdict of a voter at a time; ``arena``, if it is given, is the one the caller may tell.

    ``fields`` are as `driftduel.arena.fields.as_fields` has them.
    """

    duel: str
    voter: str
    verdict: Verdict
    at: int
    arena: int | None
    fields: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Outcome:
    """The event that a verdict became, now if it is the first time.

    ``next`` was opened in the same step, if one was asked for, and is the first of ``left``.
    """

    row: Row
    first: bool
    next: OpenDuel | None = None
    left: int | None = None


def draw(
    arena: Arena,
    replica: Replica,
    contexts: Mapping[int, frozenset[str]],
    rng: np.random.Generator,
    voter: str,
    at: int,
    seen: Collection[tuple[int, int]] = (),
    fields: str | None = None,
) -> OpenDuel | None:
    """Return a duel to open, None if there are not two arms.

    ``contexts`` are those in which each arm has a card; one that both have is drawn. ``seen`` are
    pairs that are not drawn; see `driftduel.arena.seen`.
    """
    drawn = replica.draw(rng, seen, anchors_of(arena, replica))
    return None if drawn is None else _opened(arena, drawn, contexts, rng, (voter, fields), at)


def draw_many(
    arena: Arena,
    replica: Replica,
    contexts: Mapping[int, frozenset[str]],
    rng: np.random.Generator,
    voters: Sequence[Asker],
    at: int,
) -> list[OpenDuel]:
    """Return a duel for each of several voters as `draw` has it, none if there are not two arms."""
    if arena.settings.anchors:
        apart = (draw(arena, replica, contexts, rng, name, at, (), said) for name, said in voters)
        return [one for one in apart if one is not None]
    drawn = replica.draw_many(rng, len(voters))
    return [
        _opened(arena, one, contexts, rng, voter, at)
        for one, voter in zip(drawn, voters, strict=False)
    ]


def anchors_of(arena: Arena, replica: Replica) -> list[tuple[int, int]]:
    """Return the anchors of an arena by numbers of arms, none if they are off."""
    if not arena.settings.anchors:
        return []
    number = {arm.slug: arm.id for arm in replica.arms.values()}
    pairs = [text.split("+") for text in arena.settings.anchor_pairs]
    return [(number[one], number[other]) for one, other in pairs if {one, other} <= number.keys()]


def _opened(
    arena: Arena,
    drawn: Drawn,
    contexts: Mapping[int, frozenset[str]],
    rng: np.random.Generator,
    asker: Asker,
    at: int,
) -> OpenDuel:
    """Return a pair as a duel of a voter, in a context that both arms have."""
    nobody: frozenset[str] = frozenset()
    shared = contexts.get(drawn.left, nobody) & contexts.get(drawn.right, nobody)
    context = sorted(shared)[rng.integers(len(shared))] if shared else None
    return OpenDuel(
        id=new_id(),
        arena=arena.id,
        voter=asker[0],
        left=drawn.left,
        right=drawn.right,
        swapped=drawn.swapped,
        ticket=drawn.ticket,
        propensity=drawn.propensity,
        context=context,
        generation=drawn.generation,
        version=drawn.version,
        asked_at=at,
        expires_at=at + arena.settings.expire * 1_000_000,
        fields=asker[1],
    )


def voter_hash(salt: str, name: str) -> str:
    """Return what is stored of a voter: a keyed hash of what its cookie or header says."""
    keyed = _keyed(salt).copy()
    keyed.update(name.encode("utf-8", "surrogatepass"))
    return keyed.hexdigest()[:32]


@cache
def _keyed(salt: str) -> hmac.HMAC:
    """Return what hashes begin with; hmac.digest would let another thread go first, every time."""
    return hmac.new(salt.encode(), digestmod="sha256")


def now() -> int:
    """Return the time in microseconds since 1970."""
    return time.time_ns() // 1000


def new_id() -> str:
    """Return 128 random bits, URL-safe; none looks like an option at a prompt."""
    while (text := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return text


def tell_all(connection: Connection, tells: Sequence[Tell]) -> list[Outcome | ArenaError]:
    """Take in verdicts; return for each what it became, or why it is refused."""
    ids = [one.duel for one in tells]
    numbers = {one.arena for one in tells if one.arena is not None}
    if any(one.arena is None for one in tells):
        numbers.update(one.arena for one in statements.find_duels(connection, ids).values())
    voters = {one.voter for one in tells}
    arenas, duels, excluded = statements.find_to_tell(connection, ids, numbers, voters)
    known = {number: _unknown_rules(arena) for number, arena in arenas.items()}
    refused: dict[int, ArenaError] = {}
    chosen: dict[str, int] = {}  # the first of several verdicts on a duel
    for n, one in enumerate(tells):
        if one.duel in duels and one.duel not in chosen:
            duel = duels[one.duel]
            error = _not_theirs(one, duel.arena, duel.voter) or known[duel.arena]
            error = error or _refusal(connection, one, duel, arenas[duel.arena])
            if error is None:
                chosen[one.duel] = n
            else:
                refused[n] = error
    mine: dict[int, list[int]] = {}
    for duel_id, n in chosen.items():
        mine.setdefault(duels[duel_id].arena, []).append(n)
    news = []
    done: dict[int, Outcome] = {}
    for number, places in mine.items():
        rows = [_event(tells[n], duels[tells[n].duel]) for n in places]
        _mark_uncounted(connection, arenas[number], rows, excluded.get(number, set()))
        admit(connection, number, rows)
        news.append((arenas[number], rows))
        done.update((n, Outcome(row, first=True)) for n, row in zip(places, rows, strict=True))
    statements.delete_duels(connection, list(chosen))
    statements.append_to_many(connection, news)
    rest = [n for n in range(len(tells)) if n not in done and n not in refused]
    answers = statements.find_answers(connection, [tells[n].duel for n in rest])
    results: dict[int, Outcome | ArenaError] = {**done, **refused}
    for n in rest:
        results[n] = _told_before(connection, tells[n], answers.get(tells[n].duel))
    return [results[n] for n in range(len(tells))]


MOST_UNDOS = 100
"""Verdicts that a voter may take back on a day: each is one more thing that all folds look at."""


def take_back(
    connection: Connection,
    duel: str | None,
    now: int,
    check: Callable[[Row, bool], None],
    *,
    bounded: bool = False,
) -> int:
    """Take back a verdict; return the seq of the event that did.

    ``check`` gets the event of the verdict, and whether it was taken back before; it raises what
    forbids to do so. ``bounded`` says that a voter does it, who may not do so very often.
    """
    row = statements.find_answers(connection, [duel] if duel else []).get(duel or "")
    if row is None:
        raise NotFound("there is no such verdict")
    locked = statements.lock_arenas(connection, [row["arena"]])[row["arena"]]
    seq: int | None = statements.retraction_of(connection, row["arena"], row["seq"])
    check(row, seq is not None)
    if seq is None:
        made = statements.undos_since(connection, row["arena"], row["voter"], now // DAY * DAY)
        if bounded and made >= MOST_UNDOS:
            raise Conflict(f"nobody can take back more than {MOST_UNDOS} votes a day")
        event = {"at": now, "kind": "retract", "voter": row["voter"], "target": row["seq"]}
        seq = int(statements.append(connection, locked, [event]))
    return seq


def _refusal(connection: Connection, one: Tell, duel: OpenDuel, arena: Arena) -> ArenaError | None:
    """Return why an open duel cannot be told so, if it cannot."""
    if (state := arena.state_at(one.at)) != "open":
        return not_open(state)
    if one.at > duel.expires_at:
        return Gone("the duel has expired")
    if one.verdict == "tie" and not arena.settings.ties:
        return Invalid("this poll takes no ties: say left, right, bad or skip")
    if duel.generation != arena.generation:
        offered = {arm.id for arm in statements.arms_of(connection, arena.id) if arm.offered}
        if not {duel.left, duel.right} <= offered:
            return Gone("an arm of the duel is not offered any more")
    return None


def _unknown_rules(arena: Arena) -> ArenaError | None:
    """Return why votes of an arena cannot be counted here, if a newer program wrote its rules."""
    try:
        rules_of(arena.learner, arena.rules)
    except Conflict as newer:
        return newer
    return None


def not_open(state: State) -> Conflict:
    """Return why nobody can vote."""
    if state == "waiting":
        return Conflict("voting has not begun")
    return Conflict("the poll is closed")


def _not_theirs(one: Tell, arena: int, voter: str | None) -> ArenaError | None:
    """Return why a duel is not for who tells it, if it is not."""
    if one.arena not in (None, arena):
        return Forbidden("the duel is of another arena than the key")
    return None if voter == one.voter else Forbidden("the duel was asked of another voter")


def _event(one: Tell, duel: OpenDuel) -> Row:
    return {
        "at": one.at,
        "kind": "skip" if one.verdict == "skip" else "vote",
        "duel": duel.id,
        "voter": duel.voter,
        "left": duel.left,
        "right": duel.right,
        "swapped": duel.swapped,
        "ticket": duel.ticket,
        "propensity": duel.propensity,
        "context": duel.context,
        "generation": duel.generation,
        "asked_at": duel.asked_at,
        "verdict": one.verdict,
        "reason": None,
        "fields": merged(duel.fields, one.fields),
    }


def _mark_uncounted(
    connection: Connection, arena: Arena, rows: list[Row], excluded: Collection[str]
) -> None:
    """Write into votes why they do not count.

    The voter is excluded, has had its share, or is invited and has voted on that pair.
    """
    voters = {row["voter"] for row in rows}
    once = arena.settings.invited
    before = pairs_that_count(connection, arena.id, voters) if once else set()
    cap = arena.settings.cap
    counts: dict[str, int] = {}
    if cap is not None:
        day = min(row["at"] for row in rows) // DAY * DAY
        counts = statements.votes_of_day(connection, arena.id, voters, day)
    for row in rows:
        voter = row["voter"]
        if row["kind"] != "vote":
            continue
        if cap is not None and counts.get(voter, 0) >= cap:
            row["reason"] = "cap"
        elif voter in excluded:
            row["reason"] = "excluded"
        elif once and key_of(row) in before:
            row["reason"] = "again"
        else:
            counts[voter] = counts.get(voter, 0) + 1
            if once:
                before.add(key_of(row))


def _told_before(connection: Connection, one: Tell, row: Row | None) -> Outcome | ArenaError:
    """Return what is to be said of a duel that is not open any more."""
    if row is None:
        return NotFound("there is no such duel")
    if (error := _not_theirs(one, row["arena"], row["voter"])) is not None:
        return error
    if row["verdict"] != one.verdict:
        return Conflict(f"the duel was told already: {row['verdict']}")
    if statements.retraction_of(connection, row["arena"], row["seq"]) is not None:
        return Conflict("the verdict was taken back")
    return Outcome(row, first=False)
