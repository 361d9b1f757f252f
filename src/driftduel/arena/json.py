"""Records as JSON has them: one writer for all, over HTTP and at the prompt.

A record is sent as it is declared: `to_json` writes it, and `driftduel.arena.web.schemas` makes its
schema from the same fields. What differs stands at the field: a `Time` is sent by ISO 8601, a field
with `UNSENT` not at all, one with `sent_as` under another name.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_type_hints

from driftduel.arena.model import Arm, Time
from driftduel.arena.settings import Settings
from driftduel.verdict.standing import Moment

if TYPE_CHECKING:  # a command that writes one record imports no more
    from driftduel.arena.service import Created, Described, Past, Upgrade
    from driftduel.arena.status import Status


_PLAIN = frozenset((str, int, float, bool, type(None)))


class SentField(NamedTuple):
    """A field of a record: its attribute, its name and its type as declared."""

    attribute: str
    name: str
    type: Any

    @property
    def is_time(self) -> bool:
        """Whether it is a time, or one or None."""
        return Time in (self.type, *get_args(self.type))


@dataclass(frozen=True)
class Made:
    """A new arena; its tokens are shown this once."""

    arena: str
    owner_token: str
    embed_key: str
    question: str


@dataclass(frozen=True)
class ArenaFacts:
    """An arena, its settings and its arms."""

    arena: str
    title: str
    question: str
    status: Literal["open", "closed"]
    head: int
    created: Time
    rules: int
    settings: Settings
    arms: tuple[Arm, ...]


@dataclass(frozen=True)
class UpgradeFacts:
    """Which rules count the votes, the newest ones, and what these would change if accepted."""

    arena: str
    rules: int
    newest: int
    differences: tuple[str, ...]
    text: str


def to_json(value: Any) -> Any:
    """Return a record, or several, as plain data for JSON.

    Examples
    --------
    >>> to_json([Arm(0, "tea", "Tea", offered=True)])
    [{'slug': 'tea', 'name': 'Tea', 'offered': True}]
    """
    kind: type = type(value)
    if kind in _PLAIN:
        return value
    if known := _writers(kind):
        sent = {}
        for attribute, name, is_time in known:
            one = getattr(value, attribute)
            if is_time:
                one = as_time(one)
            elif type(one) not in _PLAIN:  # a vote is answered with many that are
                one = to_json(one)
            sent[name] = one
        return sent
    return [to_json(one) for one in value] if isinstance(value, tuple | list) else value


@cache
def sent_fields(record: type) -> tuple[SentField, ...]:
    """Return what is sent of a record, in order; nothing of what is no record."""
    if not is_dataclass(record) and not hasattr(record, "_fields"):
        return ()
    types = get_type_hints(record, include_extras=True)
    if not is_dataclass(record):
        return tuple(SentField(name, name, types[name]) for name in types)
    return tuple(
        SentField(one.name, one.metadata.get("sent_as", one.name), types[one.name])
        for one in fields(record)
        if one.metadata.get("sent", True)
    )


def as_time(at: int | None) -> str | None:
    """Return a time as ISO 8601 writes it.

    Examples
    --------
    >>> as_time(1_700_000_000_000_001)
    '2023-11-14T22:13:20.000001+00:00'
    """
    if at is None:
        return None
    whole, rest = divmod(at, 1_000_000)
    return f"{_second(whole)}.{rest:06}+00:00"


@lru_cache(1_000)
def _second(whole: int) -> str:
    """Return a second, which many times to write share."""
    return str(Moment.time(whole * 1_000_000).to_json())[:19]


def made_of(created: Created) -> Made:
    """Return what is told of a new arena."""
    arena = created.arena
    return Made(arena.slug, created.owner_token, created.embed_key, arena.question)


def facts_of(described: Described) -> ArenaFacts:
    """Return what is told of an arena."""
    arena = described.arena
    return ArenaFacts(
        arena=arena.slug,
        title=arena.title,
        question=arena.question,
        status=arena.status,
        head=arena.head,
        created=arena.created_at,
        rules=arena.rules,
        settings=arena.settings,
        arms=described.arms,
    )


def upgrade_facts_of(slug: str, upgrade: Upgrade) -> UpgradeFacts:
    """Return what is told of newer rules."""
    told = tuple(upgrade.differences)
    return UpgradeFacts(slug, upgrade.rules, upgrade.newest, told, upgrade.text)


def json_of_status(status: Status) -> dict[str, Any]:
    """Return what is known of an arena."""
    counted = status.counted
    return {
        "arena": status.arena.slug,
        "question": status.arena.question,
        "status": status.arena.status,
        "head": status.head,
        **status.standing.to_dict(),
        "text": status.text,
        "likely": None if status.told is None else status.told.to_dict(),
        "variants": None if counted is None else counted.to_dict(),
        "sides": {"left": status.left, "right": status.right, "neither": status.neither},
    }


def json_of_history(history: Past) -> dict[str, Any]:
    """Return what happened in an arena."""
    standing = history.standing.to_dict()
    return {
        "head": history.head,
        "leaders": standing["leaders"],
        "changes": standing["changes"],
        "events": standing["events"],
        "days": to_json(history.days),
    }


@cache
def _writers(record: type) -> tuple[tuple[str, str, bool], ...]:
    return tuple((one.attribute, one.name, one.is_time) for one in sent_fields(record))
