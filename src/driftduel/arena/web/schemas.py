"""What is sent and answered, for the OpenAPI document; what it means is checked by the service."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from driftduel.arena.settings import SETTINGS, Setting

Time = str | None
"""ISO 8601."""


class Sent(BaseModel):
    """What a client sends: nothing that is not known."""

    model_config = ConfigDict(extra="forbid")


class Verdict(Sent):
    """What a voter says of a duel, and whether the next one is wanted."""

    verdict: Literal["left", "right", "tie", "bad", "skip"]
    next: bool = False


class NewArena(Sent):
    """An arena to make."""

    slug: str = Field(examples=["drinks"])
    question: str = Field(examples=["Which is nicer?"])
    arms: list[str] = Field(default=[], max_length=1000, examples=[["tea", "coffee", "milk"]])
    title: str = ""
    settings: dict[str, object] = Field(
        default={},
        examples=[{"blind": True, "cap": 50}],
        json_schema_extra=lambda schema: schema.update(_settings_schema()),
    )


class Texts(Sent):
    """The texts of an arena and whether it is open."""

    title: str | None = None
    question: str | None = None
    status: Literal["open", "closed"] | None = None


def _type_of(setting: Setting) -> Any:
    return list[str] if setting.kind == "texts" else setting.type


def _facts(setting: Setting) -> dict[str, Any]:
    """Return what the document says of a setting; what is allowed is checked by `Settings`."""
    bounds = {"minimum": setting.least, "maximum": setting.most}
    extra: Any = bounds if setting.kind == "number" else None
    return {"description": setting.sentence, "json_schema_extra": extra}


def _settings_schema() -> dict[str, Any]:
    """Return the schema of settings of which any may be left out."""
    properties = Settings.model_json_schema()["properties"]
    for one in SETTINGS:
        properties[one.name]["default"] = one.default
    return {"properties": properties, "additionalProperties": False}


Settings: type[BaseModel] = create_model(
    "Settings",
    __doc__="What the owner decides.",
    **{one.name: (_type_of(one), Field(**_facts(one))) for one in SETTINGS},  # type: ignore[call-overload]
)

ArenaChange: type[BaseModel] = create_model(
    "ArenaChange",
    __base__=Texts,
    __doc__="What is to be different about an arena; what is left out stays.",
    **{one.name: (_type_of(one) | None, Field(None, **_facts(one))) for one in SETTINGS},  # type: ignore[call-overload]
)


class NewArms(Sent):
    """Arms that join; those not offered wait for their cards, and to be resumed."""

    arms: list[str] = Field(min_length=1, max_length=1000, examples=[["cocoa"]])
    offered: bool = True


class ArmsChange(Sent):
    """Arms, by slug or name, that pause, come back, or get another name; all at once."""

    pause: list[str] = []
    resume: list[str] = []
    rename: dict[str, str] = {}


class CardText(Sent):
    """What is shown of an arm in a context."""

    kind: Literal["text", "markdown"] = "text"
    body: str


class Side(BaseModel):
    """An arm as a voter sees it: in a blind arena without its name, if it has a card."""

    name: str | None
    kind: Literal["text", "markdown", "image"]
    body: str
    image: str | None


class Duel(BaseModel):
    """Two arms for a voter; who knows ``duel`` can answer it."""

    duel: str
    left: Side
    right: Side
    context: str | None
    expires: str


class Reveal(BaseModel):
    """The names of the arms."""

    left: str
    right: str


class Told(BaseModel):
    """What became of a verdict: the number of its event, and whether it counts."""

    seq: int
    counted: bool
    reason: Literal["skip", "cap", "excluded"] | None
    reveal: Reveal
    next: Duel | None


class Appended(BaseModel):
    """The number of the event."""

    seq: int


class Head(BaseModel):
    """The number of the last event."""

    head: int


class Made(BaseModel):
    """A new arena; its tokens are shown this once."""

    arena: str
    owner_token: str
    embed_key: str
    question: str


class Key(BaseModel):
    """What a token is for."""

    arena: str
    role: Literal["owner", "embed", "read"]


class Arm(BaseModel):
    """An option."""

    slug: str
    name: str
    offered: bool


class Arms(BaseModel):
    """All arms of an arena."""

    arms: list[Arm]


class Arena(BaseModel):
    """An arena, its settings and its arms."""

    arena: str
    title: str
    question: str
    status: Literal["open", "closed"]
    head: int
    created: str
    settings: Settings  # type: ignore[valid-type]
    arms: list[Arm]


class ArmStatus(BaseModel):
    """What is known of an arm; ``low`` and ``high`` hold for all arms and all times together.

    The score is from ``compared`` duels; ``share`` is of all votes. ``out_since`` is since when it
    is not offered.
    """

    model_config = ConfigDict(extra="allow")

    slug: str
    name: str
    offered: bool
    score: float | None
    low: float | None
    high: float | None
    probability: float | None
    compared: int
    duels: int
    share: float | None
    bad: int
    skipped: int
    out_since: Time


class Change(BaseModel):
    """A change of taste, noticed at a time; it lies between ``earliest`` and ``latest``.

    It was ``withdrawn`` if votes that showed it no longer count.
    """

    model_config = ConfigDict(extra="allow")

    before: str
    after: str
    around: Time
    noticed: Time
    earliest: Time
    latest: Time
    kind: Literal["noticed", "likely", "proved"]
    withdrawn: bool


class Sides(BaseModel):
    """On which side voters found the better one."""

    left: int
    right: int
    neither: int


class Status(BaseModel):
    """Who is best, since when, how sure, and what changed.

    The option in front is ``best``; it may be named if it is the ``leader``. ``rivals`` are not
    decided against.
    """

    model_config = ConfigDict(extra="allow")

    arena: str
    question: str
    status: Literal["open", "closed"]
    head: int
    votes: int
    first: Time
    last: Time
    best: str | None
    leader: str | None
    since: Time
    since_earliest: Time
    since_latest: Time
    before: str | None
    enough: bool
    decided: bool
    rivals: list[str]
    missing: int | None
    counted_since: Time
    level: float | None
    doubt: Time
    text: str
    changes: list[Change]
    arms: list[ArmStatus]
    sides: Sides


class Lead(BaseModel):
    """Who led when."""

    name: str
    since: Time
    until: Time


class Event(BaseModel):
    """Which arms joined, were paused, resumed, or renamed (old, new), after the first ones."""

    at: str
    joined: list[str]
    paused: list[str]
    resumed: list[str]
    renamed: list[tuple[str, str]]


class Day(BaseModel):
    """Votes and skips of a day."""

    at: str
    votes: int
    skips: int


class History(BaseModel):
    """What happened in an arena."""

    head: int
    leaders: list[Lead]
    changes: list[Change]
    events: list[Event]
    days: list[Day]


class VoterFacts(BaseModel):
    """What a voter did; ``quick`` votes came in less than 0.4 s; ``odd`` says what looks odd."""

    voter: str
    votes: int
    left: int
    right: int
    quick: int
    capped: int
    skips: int
    last: str
    excluded: bool
    odd: list[str]


class Rate(BaseModel):
    """Votes that count, in each of equal steps from ``since`` until now."""

    seconds: int
    since: str
    votes: list[int]
    last_hour: int


class Answered(BaseModel):
    """Pairs that were answered, not answered in time, and that may still be answered."""

    answered: int
    unanswered: int
    waiting: int
    share: float | None


class SideTaste(BaseModel):
    """How often the left card won; ``low`` and ``high`` hold at all times together."""

    votes: int
    share: float | None
    low: float
    high: float
    taste: Literal["left", "right"] | None
    text: str


class Health(BaseModel):
    """How voting goes; ``odd`` are voters that look odd or are excluded."""

    head: int
    rate: Rate | None
    answered: Answered
    side: SideTaste
    voters: int
    odd: list[VoterFacts]


class Voters(BaseModel):
    """The voters with most verdicts."""

    voters: list[VoterFacts]


class Imported(BaseModel):
    """How many votes came in, and how many of them count."""

    votes: int
    counted: int
