"""What is sent and answered, for the OpenAPI document; what it means is checked by the service.

What is answered is made from the records themselves (`model_of`): fields, types and what they mean
are declared once, where the record is. What the verdict says of an arena is written by
`driftduel.verdict.standing.Standing.to_dict`, and described here.
"""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from functools import cache
from inspect import cleandoc
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, StrictBool, create_model

from driftduel.arena import json, model
from driftduel.arena import service as arena
from driftduel.arena.service.health import Side
from driftduel.arena.settings import SETTINGS, Settings

Time = str | None
"""ISO 8601."""


class Sent(BaseModel):
    """What a client sends: nothing that is not known."""

    model_config = ConfigDict(extra="forbid")


Fields = dict[str, str | bool | int] | None
_FIELDS = Field(
    default=None,
    description="What kind of voter it is: at most 6 names with short values, never an address.",
    examples=[{"language": "de"}],
)


class Verdict(Sent):
    """What a voter says of a duel, and whether the next one is wanted."""

    verdict: Literal["left", "right", "tie", "bad", "skip"]
    next: bool = False
    fields: Fields = _FIELDS


class Question(Sent):
    """What is said of the voter who is asked."""

    fields: Fields = _FIELDS


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


class Accept(Sent):
    """The rules to count by from now on, which must be the newest."""

    to: int


@cache
def model_of(record: type) -> Any:
    """Return the schema of a record as `driftduel.arena.json.to_json` writes it."""
    said = cleandoc(record.__doc__ or "")
    meanings = {one.name: _facts_of_setting(one) for one in SETTINGS} if record is Settings else {}
    for name, words in _attributes(said).items():
        meanings[name] = {"description": words}
    facts: dict[str, Any] = {
        one.name: (_type_of(one.type), Field(**meanings.get(one.attribute, {})))
        for one in json.sent_fields(record)
    }
    words = said.partition("\n\nAttributes\n---")[0]
    return create_model(_NAMES.get(record, record.__name__), __doc__=words, **facts)


def _type_of(declared: Any) -> Any:
    """Return the type that JSON has for a declared one."""
    if declared is model.Time:
        return str
    if json.sent_fields(declared) if isinstance(declared, type) else False:
        return model_of(declared)
    parts = tuple(_type_of(one) for one in get_args(declared) if one is not ...)
    if get_origin(declared) in (Union, types.UnionType):
        return Union[parts]  # noqa: UP007
    if get_origin(declared) is tuple and ... in get_args(declared):
        return list[parts[0]]  # type: ignore[valid-type]
    return declared


def _attributes(said: str) -> Mapping[str, str]:
    r"""Return what a docstring says of attributes, by name.

    Examples
    --------
    >>> _attributes("Attributes\n----------\nleft, right : int\n    Which\n    sides.")
    {'left': 'Which sides.', 'right': 'Which sides.'}
    """
    section = said.partition("Attributes\n---")[2]
    found = re.findall(r"^(\w[\w, ]*) : .*\n((?:    .*\n?)+)", section, re.MULTILINE)
    return {name: " ".join(words.split()) for names, words in found for name in names.split(", ")}


def _facts_of_setting(setting: Any) -> dict[str, Any]:
    """Return what the document says of a setting; what is allowed is checked by `Settings`."""
    extra: dict[str, Any] | None = None
    if setting.kind == "number":
        extra = {"minimum": setting.least, "maximum": setting.most}
    elif setting.kind == "choice":
        extra = {"enum": list(setting.choices)}
    return {"description": setting.sentence, "json_schema_extra": extra}


def _settings_schema() -> dict[str, Any]:
    """Return the schema of settings of which any may be left out."""
    properties = model_of(Settings).model_json_schema()["properties"]
    for one in SETTINGS:
        properties[one.name]["default"] = one.default
    return {"properties": properties, "additionalProperties": False}


def several(name: str, words: str, field: str, item: Any) -> Any:
    """Return the schema of a list of what `item` is the schema of, sent as `field`."""
    facts: dict[str, Any] = {field: (list[item], ...)}
    return create_model(name, __doc__=words, **facts)


_NAMES: dict[type, str] = {
    arena.Added: "NewlyTold",
    arena.Answer: "CameBack",
    arena.Asked: "Duel",
    arena.Receipt: "Told",
    arena.Retracted: "Appended",
    arena.Shown: "Side",
    arena.Voter: "VoterFacts",
    Side: "SideTaste",
    json.ArenaFacts: "Arena",
    json.UpgradeFacts: "Upgrade",
}
"""What the document calls a record, where that is not its name."""

Appended = model_of(arena.Retracted)
Arena = model_of(json.ArenaFacts)
Arm = model_of(model.Arm)
Arms = several("Arms", "All arms of an arena.", "arms", Arm)
Day = model_of(arena.Day)
Duel = model_of(arena.Asked)
Health = model_of(arena.Health)
Imported = model_of(arena.Imported)
Imports = several("Imports", "The imports, oldest first.", "imports", model_of(arena.Import))
Made = model_of(json.Made)
Told = model_of(arena.Receipt)
Upgrade = model_of(json.UpgradeFacts)
VoterFacts = model_of(arena.Voter)
Voters = several("Voters", "The voters with most verdicts.", "voters", VoterFacts)

_CHANGES: dict[str, Any] = {
    one.name: (_type_of(one.type) | None, Field(None, **_facts_of_setting(one))) for one in SETTINGS
}
ArenaChange = create_model(
    "ArenaChange",
    __base__=Texts,
    __doc__="What is to be different about an arena; what is left out stays.",
    **_CHANGES,
)


class NewArms(Sent):
    """Arms that join; those not offered wait for their cards, and to be resumed."""

    arms: list[str] = Field(min_length=1, max_length=1000, examples=[["cocoa"]])
    offered: StrictBool = True


class ArmsChange(Sent):
    """Arms, by slug or name, that pause, come back, or get another name; all at once."""

    pause: list[str] = []
    resume: list[str] = []
    rename: dict[str, str] = {}


class CardText(Sent):
    """What is shown of an arm in a context."""

    kind: Literal["text", "markdown"] = "text"
    body: str


class Head(BaseModel):
    """The number of the last event."""

    head: int


class Key(BaseModel):
    """What a token is for."""

    arena: str
    role: model.Role


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


class LikelySince(BaseModel):
    """Between which moments something lies with 95 %."""

    model_config = ConfigDict(populate_by_name=True)

    earliest: Time = Field(alias="from")
    latest: Time = Field(alias="to")


class LikelyLeader(LikelySince):
    """Who was likeliest best from when to when, with the mean probability."""

    model_config = ConfigDict(extra="allow")

    arm: str
    probability: float


class LikelyStep(LikelySince):
    """How likely each arm was the best in a stretch of time."""

    probabilities: dict[str, float]


class LikelyScore(BaseModel):
    """The chance to beat another arm on offer now, with its 95 % band."""

    arm: str
    score: float
    low: float
    high: float


class LikelyStory(BaseModel):
    """What a model makes of the votes: who is likely best now, since when, and who was when.

    ``prediction`` is the mean log loss of a vote by the model from those before it, by all votes
    alike, and by a coin; ``record`` what became of what it gave the favourite.
    """

    model_config = ConfigDict(extra="allow")

    best: str
    probability: float
    since: LikelySince
    leaders: list[LikelyLeader]
    timeline: list[LikelyStep]
    scores: list[LikelyScore]
    prediction: dict[str, float]
    record: list[dict[str, float]]


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
    likely: LikelyStory | None
    changes: list[Change]
    arms: list[ArmStatus]
    sides: Sides


class GroupScore(BaseModel):
    """The score of an arm in a group, with its 95 % range."""

    arm: str
    score: float
    low: float
    high: float


class GroupFacts(BaseModel):
    """A group of voters: its votes, P(best) by arm, and scores."""

    group: str
    votes: float
    probabilities: dict[str, float]
    scores: list[GroupScore]


class GroupsBy(BaseModel):
    """What groups by a field say: whether they differ, by the model, and whether it is proved."""

    column: str
    differ: bool
    gain: float
    log_e_value: float | None
    proved: bool
    groups: list[GroupFacts]
    says: str


class Groups(BaseModel):
    """Groups of voters by fields, by contexts, and new ones beside those who came back."""

    groups: list[GroupsBy]


class Lead(BaseModel):
    """Who led when."""

    name: str
    since: Time
    until: Time


class Event(BaseModel):
    """Which arms joined, were paused, resumed, left, or renamed (old, new), after the first."""

    at: str
    joined: list[str]
    paused: list[str]
    resumed: list[str]
    left: list[str]
    renamed: list[tuple[str, str]]


class History(BaseModel):
    """What happened in an arena."""

    head: int
    leaders: list[Lead]
    changes: list[Change]
    events: list[Event]
    days: list[Day]  # type: ignore[valid-type]
