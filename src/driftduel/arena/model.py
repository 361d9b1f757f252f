"""The nouns of the arena, as frozen records: arenas, arms, cards, duels, events.

Arms have numbers that never change their meaning;
names and slugs may.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, cast, get_args

from driftduel.arena.errors import Invalid
from driftduel.arena.settings import Settings
from driftduel.arena.times import as_moment

Time = Annotated[int, "time"]
"""Whole microseconds since 1970, UTC."""

UNSENT = {"sent": False}
"""Metadata of a field that `driftduel.arena.json` leaves out."""

Verdict = Literal["left", "right", "tie", "bad", "skip"]
Role = Literal["owner", "embed", "read", "feed"]
State = Literal["waiting", "open", "closed"]
"""Whether people can vote: not yet, now, or no more."""

Kind = Literal[
    "vote",
    "skip",
    "retract",
    "exclude",
    "include",
    "forget",
    "arms",
    "settings",
    "import",
    "withdraw",
    "change",
    "rules",
    "release",
    "judge",
]

_VERDICTS = frozenset(get_args(Verdict))

OUTCOMES: Mapping[str, float] = {"left": 1.0, "right": 0.0, "tie": 0.5, "bad": 0.5}
"""What a verdict says to the learner; a skip says nothing."""

REFOLDS = ("retract", "exclude", "include", "forget", "withdraw")
"""Events after which the state is folded again."""

SAID = ("change", "rules")
"""Events that say what was said: a change that was declared, and rules that were accepted."""

COLUMNS = (
    "time", "left", "right", "left_won", "verdict", "duel", "voter", "propensity", "context",
    "generation", "asked", "counted", "reason", "seq", "swapped", "ticket", "left_toss",
    "right_toss", "hash",
)  # fmt: skip
"""What is exported of a vote. Three make the state again: seq, swapped, which says that the learner
had the arms the other way round, and the ticket, which is its own, its numbers separated by blanks.
The last row has the hash of the whole log, with which `driftduel arena verify --chain` tells later
whether any of it was changed. ``left_toss`` says that the opponent of the left option was drawn at
random from all others on offer, ``right_toss`` likewise. After these come the fields of the poll,
each by its name."""

MOST_OPTIONS = 1_000
MOST_NAME = 200
MOST_TEXT = 2_000
MOST_BODY = 65_536
MOST_IMAGE = 5 * 2**20
"""Bytes of an image."""

DAY = 86_400_000_000
"""Microseconds of a day."""


SLUG = re.compile("[a-z0-9][a-z0-9-]{0,63}")
"""The name of an arena in addresses."""


GONE = "~"
"""How the name of an arena begins that was deleted; its number stays taken."""

RESERVED = ("api", "docs", "health", "metrics", "new", "static", "openapi")
"""Addresses of the service itself, which no arena is called."""


@dataclass(frozen=True)
class Arena:
    """A question that is put again and again; ``head`` is the number of its last event.

    ``learner`` and ``rules`` name the learner and the version of its rules by which votes fold;
    ``chain`` is the hash of its log, see `driftduel.arena.store.chain`.
    """

    id: int
    slug: str
    title: str
    question: str
    settings: Settings
    seed: int
    status: Literal["open", "closed"]
    head: int
    generation: int
    created_at: int
    learner: str
    rules: int
    chain: str

    @property
    def state(self) -> State:
        """Whether people can vote now: by the owner's word and by the schedule."""
        return self.state_at(time.time_ns() // 1000)

    def state_at(self, now: int) -> State:
        """Return whether people can vote at a time."""
        opens, closes = self.settings.opens, self.settings.closes
        if self.status == "closed" or (closes and now >= as_moment(closes)):
            return "closed"
        return "waiting" if opens and now < as_moment(opens) else "open"

    @property
    def results_are_public(self) -> bool:
        """Tell whether everybody may read results: while voting goes on, or when it is closed."""
        return self.settings.public or (self.state == "closed" and self.settings.publish)


@dataclass(frozen=True)
class Arm:
    """An option; it is put before voters while it is offered."""

    id: int = field(metadata=UNSENT)
    slug: str
    name: str
    offered: bool


@dataclass(frozen=True)
class Card:
    """What a voter sees of an arm in a context; an arm without one is shown by its name.

    ``html`` is what is shown of markdown, made when the card is set.
    """

    kind: Literal["text", "markdown", "image"]
    body: str
    blob: str | None = None
    html: str | None = None


@dataclass(frozen=True)
class OpenDuel:
    """A pair that was put before a voter and not yet answered.

    ``left`` and ``right`` are as shown; ``swapped`` says that the learner, whose the ticket is,
    had them the other way round. ``version`` is the head that the pair was drawn at, ``fields``
    what the site said of the voter, see `driftduel.arena.fields`.
    """

    id: str
    arena: int
    voter: str
    left: int
    right: int
    swapped: bool
    ticket: bytes
    propensity: float | None
    context: str | None
    generation: int
    version: int
    asked_at: int
    expires_at: int
    fields: str | None = None


class Event(NamedTuple):
    """What happened in an arena, one row of its log; most columns are of votes only."""

    arena: int
    seq: int
    at: int
    kind: Kind
    duel: str | None
    voter: str | None
    left: int | None
    right: int | None
    swapped: bool | None
    ticket: bytes | None
    propensity: float | None
    context: str | None
    generation: int | None
    asked_at: int | None
    verdict: Verdict | None
    reason: str | None
    target: int | None
    body: Any
    fields: str | None


class Marks(NamedTuple):
    """What does not count: voters that are excluded, votes, and ranges of imports taken back."""

    excluded: Collection[str] = ()
    retracted: Collection[int] = ()
    withdrawn: Sequence[tuple[int, int]] = ()

    def has_withdrawn(self, seq: int) -> bool:
        """Tell whether an event is of an import that was taken back."""
        return any(low <= seq <= high for low, high in self.withdrawn)


class Page(NamedTuple):
    """Consecutive events of an arena, column by column, as replicas read them."""

    seq: Sequence[int]
    at: Sequence[int]
    kind: Sequence[Kind]
    voter: Sequence[str | None]
    left: Sequence[int | None]
    right: Sequence[int | None]
    swapped: Sequence[bool | None]
    verdict: Sequence[Verdict | None]
    ticket: Sequence[bytes | None]
    generation: Sequence[int | None]
    reason: Sequence[str | None]
    body: Sequence[Any]


def as_slug(text: Any) -> str:
    """Return the name of an arena in addresses after checking it.

    Examples
    --------
    >>> as_slug("hot-drinks")
    'hot-drinks'
    """
    if not isinstance(text, str) or not SLUG.fullmatch(text):
        raise Invalid(
            f"slug is {str(text)[:80]!r}, must be 1 to 64 small letters, digits and hyphens, "
            "the first no hyphen"
        )
    if text in RESERVED:
        raise Invalid(f"slug is {text!r}, which is an address of the service itself")
    return text


def slug_of(name: str, taken: Collection[str]) -> str:
    """Return a slug for a name, unlike those taken.

    Examples
    --------
    >>> slug_of("Café au lait!", []), slug_of("茶", []), slug_of("Tea", ["tea"])
    ('cafe-au-lait', 'arm', 'tea-2')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub("[^a-z0-9]+", "-", plain).strip("-")[:50] or "arm"
    slug, n = base, 1
    while slug in taken:
        n += 1
        slug = f"{base}-{n}"
    return slug


def as_text(value: Any, name: str, most: int = MOST_TEXT, least: int = 0) -> str:
    r"""Return text without control characters, of a length that is allowed, no blanks around it.

    Examples
    --------
    >>> as_text(" tea ", "name")
    'tea'
    >>> as_text("t\x00a", "name")
    Traceback (most recent call last):
        ...
    driftduel.arena.errors.Invalid: name: must be text without control characters
    """
    if not isinstance(value, str):
        raise Invalid(f"{name}: must be text")
    text = value.strip()
    if not least <= len(text) <= most:
        raise Invalid(f"{name}: has {len(text):,} characters, must have {least} to {most:,}")
    if any(
        unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t" for letter in text
    ):
        raise Invalid(f"{name}: must be text without control characters")
    return text


def as_name(value: Any) -> str:
    """Return the name of an arm after checking it: one line, not empty."""
    name = as_text(value, "name of an arm", MOST_NAME, 1)
    if "\n" in name or "\t" in name:
        raise Invalid("name of an arm: must be one line")
    return name


def as_verdict(value: Any) -> Verdict:
    """Return a verdict after checking it."""
    if not isinstance(value, str) or value not in _VERDICTS:
        raise Invalid(f"verdict is {str(value)[:80]!r}, must be left, right, tie, bad or skip")
    return cast(Verdict, value)


def as_duel(value: Any) -> str | None:
    """Return the id of a duel if it can be one: others are known to nobody."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


_ID = re.compile("[A-Za-z0-9_-]{22}")
