"""Judges of a poll: what one is to be asked next, its answers, and what they tell beside votes.

A judge is a voter of its own kind. Its answers are events of the kind ``judge``, of which no
learner, count, limit, propensity or health of voting knows; they only let expect what people say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any
from zlib import crc32

import numpy as np

from driftduel.arena.errors import Invalid, NotFound
from driftduel.arena.model import as_text
from driftduel.arena.rules import anchors_of
from driftduel.arena.service.logs import log_of
from driftduel.arena.service.service import Service, now_in_microseconds
from driftduel.arena.store import cards as stored
from driftduel.arena.store import statements
from driftduel.arena.store.connection import SLOW, Connection
from driftduel.arena.store.judged import judged
from driftduel.verdict.judges import Helped, Judged
from driftduel.votes.agreement import agreement
from driftduel.votes.forecasts import of_past
from driftduel.votes.judges import Answers
from driftduel.votes.log import Log
from driftduel.votes.tossed import of_tosses

_DAY = 86_400e6
_MOST_NAME = 80
_TOGETHER = 20
"""Answers that are kept in one step: what was paid for is not to be lost."""


@dataclass(frozen=True)
class Question:
    """A pair in one order and in one context, as it is put before a judge.

    Attributes
    ----------
    left, right : int
        The options, by number.
    context : str
        The context of their cards; empty without.
    texts : tuple of str
        What is shown of them.
    """

    left: int
    right: int
    context: str
    texts: tuple[str, str]


def questions(service: Service, slug: str, judge: str, most: int) -> list[Question]:
    """Return what a judge is to be asked now, at most so many: anchors again, then what is new.

    Each pair comes in both orders, one after the other. Options that are shown by pictures are left
    out.
    """
    hosted = service.hosted(slug)
    arena, arms = hosted.arena, hosted.replica.arms
    offered = hosted.replica.offered
    shown: dict[str, dict[int, str]] = {}
    with service.store.reading(each=SLOW) as connection:
        has_cards = set()
        for number, context, card in stored.cards_of(connection, arena.id):
            has_cards.add(number)
            if number in offered and card.kind != "image":
                shown.setdefault(context, {})[number] = card.body
        known = {
            (body["left"], body["right"], body["context"])
            for _, body in judged(connection, arena.id)
            if body["judge"] == judge
        }
    bare = {n: arms[n].name for n in offered if not (arena.settings.blind and n in has_cards)}
    if not any(len(texts) > 1 for texts in shown.values()):
        shown = {"": bare}
    anchors = {frozenset(pair) for pair in anchors_of(arena, hosted.replica)}
    again, new = [], []
    for context in sorted(shown):
        for pair in combinations(sorted(shown[context]), 2):
            both = [
                Question(one, other, context, (shown[context][one], shown[context][other]))
                for one, other in permutations(pair)
            ]
            if frozenset(pair) in anchors:
                again.append(both)
            elif any((one.left, one.right, context) not in known for one in both):
                new.append(both)
    # An order that does not depend on votes, so that nothing follows from who was asked about.
    new.sort(key=lambda both: crc32(f"{slug} {both[0]}".encode()))
    return [one for both in (*again, *new) for one in both][: most - most % 2]


def ask_judge(
    service: Service,
    slug: str,
    judge: str,
    ask: Callable[[str, str, str, str], float],
    most: int,
    *,
    stops: type[Exception] | tuple[type[Exception], ...] = (),
) -> tuple[int, str | None]:
    """Ask a judge and keep its answers; return how many there are, and why it stopped early.

    Parameters
    ----------
    ask : callable
        Takes the question of the poll, the two texts and the context; returns 1, 0 or 1/2.
    most : int
        Questions at most.
    stops : type of exception
        What ends it; the answers until then are kept.
    """
    name = as_judge(judge)
    poll = service.hosted(slug).arena
    found: list[dict[str, Any]] = []
    done = 0
    why = None
    try:
        for one in questions(service, slug, name, most):
            said = ask(poll.question or poll.title, *one.texts, one.context)
            body = {
                "judge": name,
                "left": one.left,
                "right": one.right,
                "context": one.context,
                "said": said,
            }
            found.append({"at": now_in_microseconds(), "kind": "judge", "body": body})
            done += 1
            if len(found) >= _TOGETHER:
                keep_answers(service, slug, found)
                found = []
    except stops as error:
        why = str(error)
    finally:
        if found:
            keep_answers(service, slug, found)
    return done, why


def keep_answers(service: Service, slug: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write answers of a judge into the log."""
    number = service.hosted(slug).arena.id

    def keep(connection: Connection) -> None:
        arena = statements.lock_arenas(connection, [number])[number]
        statements.append(connection, arena, list(rows))

    service.writer.alone(keep, each=SLOW)
    service.follow_soon(slug)


def forget_judge(service: Service, slug: str, judge: str) -> int:
    """Let the answers of a judge be none; return the number of the event that does."""
    number = service.hosted(slug).arena.id

    def forget(connection: Connection) -> int:
        arena = statements.lock_arenas(connection, [number])[number]
        if judge not in {body["judge"] for _, body in judged(connection, number)}:
            raise NotFound(f"there is no judge {judge[:80]!r}")
        row = {"at": now_in_microseconds(), "kind": "judge", "body": {"gone": judge}}
        return statements.append(connection, arena, [row])

    done: int = service.writer.alone(forget, each=SLOW)
    service.follow_soon(slug)
    return done


def as_judge(name: Any) -> str:
    """Return what a judge is called after a check."""
    text = as_text(name, "name of a judge", _MOST_NAME, 1)
    if "\n" in text or "\t" in text:
        raise Invalid("name of a judge: must be one line")
    return text


def judges(service: Service, slug: str) -> tuple[Judged, ...]:
    """Return what is known of each judge of a poll; it takes a second or more."""
    hosted = service.hosted(slug)
    with service.store.reading(each=SLOW) as connection:
        rows = judged(connection, hosted.arena.id)
    names = sorted({body["judge"] for _, body in rows})
    if not names:
        return ()
    log, fields = log_of(service, slug)
    if log is None:
        return tuple(Judged(name, sum(b["judge"] == name for _, b in rows)) for name in names)
    return tuple(_judged(log, fields, hosted, _answers(hosted, log, rows, name)) for name in names)


def _answers(hosted: Any, log: Log, rows: Sequence[tuple[int, Any]], judge: str) -> Answers:
    place = {name: n for n, name in enumerate(log.arms)}
    number = {arm.id: place.get(arm.name, -1) for arm in hosted.replica.arms.values()}
    mine = [
        (number[body["left"]], number[body["right"]], body["said"], at / _DAY, body["context"])
        for at, body in rows
        if body["judge"] == judge and min(number[body["left"]], number[body["right"]]) >= 0
    ]
    columns = [*zip(*mine, strict=True)] or [(), (), (), (), ()]
    return Answers(judge, log.arms, *columns)


def _judged(log: Log, fields: Sequence[str], hosted: Any, answers: Answers) -> Judged:
    """Return what is known of a judge beside votes."""
    found = agreement(log, answers, fields)
    kept, left, right = tosses_of(log, hosted.replica.generation)
    helped: tuple[Helped, ...] = ()
    if kept.any():
        part = log.rows(kept)
        alone = of_tosses(part, left[kept], right[kept], of_past(part))
        # What it is asked does not depend on votes.
        told = answers.expect(part, partial=True)
        beside = of_tosses(part, left[kept], right[kept], told)
        helped = tuple(
            Helped(
                name,
                float(alone.scores[k]),
                float(alone.low[k]),
                float(alone.high[k]),
                float(beside.scores[k]),
                float(beside.low[k]),
                float(beside.high[k]),
                int(alone.tosses[k]),
            )
            for k, name in enumerate(log.arms)
            if alone.tosses[k]
        )
    return Judged(answers.judge, len(answers), found, helped)


def tosses_of(log: Log, generation: int) -> tuple[Any, Any, Any]:
    """Return which votes are on the options of now, and for which sides they are tosses."""
    assert log.extras is not None
    rows = log.extras
    kept = np.array([one == str(generation) for one in rows["generation"].to_list()])
    left, right = np.zeros((2, len(log)), dtype=np.bool_)
    for n, (ticket, swapped) in enumerate(
        zip(rows["ticket"].to_list(), rows["swapped"].to_list(), strict=True)
    ):
        weights = [float(one) == 1.0 for one in (ticket or "").split()[1:]]
        if len(weights) == 2:
            left[n], right[n] = weights[::-1] if swapped == "true" else weights
    return kept, left, right
