"""The one list of what the owner of a poll decides: `Settings`, whose fields say all about each.

What is allowed, the API, the options of the command, the forms of the pages and the table in
docs/arena-settings.md are made from `SETTINGS`. A new setting is a field here, and its use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_type_hints

from driftduel.arena.colours import EXAMPLE as COLOUR
from driftduel.arena.colours import as_colour
from driftduel.arena.errors import Invalid
from driftduel.arena.languages import BROWSER, LANGUAGES
from driftduel.arena.times import EXAMPLE as TIME
from driftduel.arena.times import as_moment


def as_word(text: str) -> None:
    """Refuse what nobody can type as one word or a few."""
    if len(text) > 80 or not text.isprintable():
        raise Invalid("must be one line of 80 characters at most")


def as_note(text: str) -> None:
    """Refuse a note that is too long or has control characters."""
    if len(text) > 4_000:
        raise Invalid(f"has {len(text):,} characters, must have 4,000 at most")
    if any(not letter.isprintable() and letter not in "\r\n\t" for letter in text):
        raise Invalid("must be text without control characters")


def as_hash(text: str) -> None:
    """Refuse what is no hash of an image."""
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise Invalid(f"{text[:80]!r} is not allowed, 64 digits of a SHA-256 are")


Page = Literal["new", "owner"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A setting: what it is called, may be and means.

    Attributes
    ----------
    name : str
        As `Settings`, the API and the command have it.
    type : type
        ``bool``, ``int``, ``int | None`` (None: any number), ``tuple[str, ...]``, ``str`` with
        ``choices``, or ``str`` that ``reads``; nothing is empty then.
    default : object
        What it is unless somebody says otherwise.
    label, sentence : str
        What pages call it, and what it means: pages, help, API and docs say so.
    least, most : int
        The bounds of a number; of a text the letters of one that goes over lines.
    pattern, example : str
        What each text of several must look like, and one that does.
    choices : mapping of str to str
        What a text may be, and what pages call that.
    reads : callable, optional
        What reads a text, and raises `Invalid` of one that makes no sense.
    pages : tuple of {"new", "owner"}
        The pages whose form has it; API and command have all.
    off : str
        Another name of the option that turns a switch off.
    """

    name: str
    type: Any
    default: Any
    label: str
    sentence: str
    least: int = 0
    most: int = 0
    pattern: str = ""
    example: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    reads: Callable[[str], object] | None = None
    pages: tuple[Page, ...] = ("new", "owner")
    off: str = ""

    @property
    def kind(self) -> Literal["switch", "number", "choice", "text", "texts"]:
        """What a form shows for it."""
        if self.type is bool:
            return "switch"
        if self.choices:
            return "choice"
        if self.type is str:
            return "text"
        return "number" if self.type in (int, int | None) else "texts"

    @property
    def optional(self) -> bool:
        """Whether a number may be left out: then any is allowed."""
        return bool(self.type == int | None)

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        if self.kind == "switch":
            return "true or false"
        if self.kind == "choice":
            return ", ".join(f"`{one}`" for one in self.choices)
        if self.kind == "text":
            return f"empty, or as {self.example}"
        if self.kind == "texts":
            return f"a list, as in {self.example}"
        whole = f"a whole number from {self.least} to {self.most:,}"
        return f"{whole}, or null: any number" if self.optional else whole

    def check(self, value: Any) -> None:
        """Refuse what it cannot be."""
        if self.kind == "switch":
            if not isinstance(value, bool):
                raise Invalid(f"{self.name} is {value!r}, must be true or false")
        elif self.kind == "number":
            self._check_number(value)
        elif self.kind == "choice":
            if not isinstance(value, str) or value not in self.choices:
                raise Invalid(f"{self.name} is {value!r}, must be one of {', '.join(self.choices)}")
        elif self.kind == "text":
            self._check_text(value)
        else:
            self._check_texts(value)

    def from_text(self, text: str) -> Any:
        """Return what somebody typed into a form: nothing leaves a number out, texts are lines."""
        if self.kind == "switch":
            return bool(text)
        if self.kind == "text":
            return text.strip()
        if self.kind == "texts":
            return text.split()
        if self.kind == "choice":
            return text or self.default
        if self.optional and not text.strip():
            return None
        if not text.strip().isascii() or not text.strip().isdigit():
            raise Invalid(f"{self.label}: must be a whole number")
        return int(text)

    def to_text(self, value: Any) -> Any:
        """Return what a form shows of a value; a switch is as it is."""
        if self.kind == "texts":
            return "\n".join(value)
        return "" if value is None else value

    def in_words(self, value: Any) -> str:
        """Return a value as a table shows it."""
        if self.kind == "switch":
            return "yes" if value else "no"
        if self.kind == "texts":
            return ", ".join(value) or "none"
        if self.kind == "text":
            return value or "none"
        if self.kind == "choice":
            return self.choices[value]
        return "any number" if value is None else f"{value:,}"

    def _check_number(self, value: Any) -> None:
        if value is None and self.optional:
            return
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not self.least <= value <= self.most:
            raise Invalid(
                f"{self.name} is {value!r}, must be a whole number from {self.least} to "
                f"{self.most:,}"
            )

    def _check_text(self, value: Any) -> None:
        if not isinstance(value, str):
            raise Invalid(f"{self.name} is {value!r}, must be text, {self.allowed}")
        if value and self.reads is not None:
            try:
                self.reads(value)
            except Invalid as error:
                raise Invalid(f"{self.name}: {error}") from None

    def _check_texts(self, value: Any) -> None:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise Invalid(f"{self.name}: must be a list of {self.name}, as in {self.example}")
        for text in value:
            if not isinstance(text, str) or not re.fullmatch(self.pattern, text):
                raise Invalid(f"{self.name}: {text!r} is not allowed, {self.example} is")


def setting(default: Any, **facts: Any) -> Any:
    """Return a field of `Settings`; what else there is to say is in `Setting`."""
    return field(default=default, metadata=facts)


@dataclass(frozen=True)
class Settings:
    """What the owner of a poll decides."""

    blind: bool = setting(
        True,
        label="Blind",
        sentence="Cards are shown without the names of their options.",
        off="--named",
    )
    reveal: bool = setting(
        False,
        label="Names after a vote",
        sentence="In a blind poll with cards, who has voted is told the names of both options. "
        "Voters then learn which card is which, and later votes are less blind.",
        pages=("owner",),
    )
    ties: bool = setting(
        True,
        label="Ties",
        sentence="Voters may say that both are equal.",
    )
    public: bool = setting(
        False,
        label="Public results",
        sentence="Everybody may see who leads while voting goes on.",
    )
    publish: bool = setting(
        True,
        label="Results become public at the end",
        sentence="When voting is closed, everybody with the link may see who won.",
        pages=("owner",),
    )
    opens: str = setting(
        "",
        label="Voting begins",
        sentence="When voting begins, with the zone; until then voters are told when that is.",
        example=TIME,
        reads=as_moment,
        pages=("owner",),
    )
    closes: str = setting(
        "",
        label="Voting ends",
        sentence="When voting ends, with the zone; from then on it is closed.",
        example=TIME,
        reads=as_moment,
        pages=("owner",),
    )
    colour: str = setting(
        "",
        label="Colour of buttons and links",
        sentence="It is made darker, or lighter where the page is dark, until it can be read.",
        example=COLOUR,
        reads=as_colour,
        pages=("owner",),
    )
    cap: int | None = setting(
        None,
        label="Votes of a voter that count on a day",
        sentence="How many votes of a voter count on a day (UTC); others are kept and do not.",
        least=1,
        most=10**6,
        pages=("owner",),
    )
    repeat: bool = setting(
        False,
        label="Ask without end",
        sentence="Who has seen every pair is asked again at once. Otherwise the page says thank "
        "you then, and asks again on the next day (UTC).",
        pages=("owner",),
    )
    suggestions: bool = setting(
        False,
        label="Suggestions",
        sentence="Voters may suggest options, which join when you add them.",
        pages=("owner",),
    )
    language: str = setting(
        BROWSER,
        label="Language of the voters' page",
        sentence="In which language voters are asked; your question and options stay as they are.",
        choices={BROWSER: "that of the voter's browser", **LANGUAGES},
        pages=("owner",),
    )
    expire: int = setting(
        86_400,
        label="Seconds to answer a pair",
        sentence="For how many seconds a pair may be answered.",
        least=1,
        most=30 * 86_400,
        pages=(),
    )
    origins: tuple[str, ...] = setting(
        (),
        label="Web sites that may embed this poll, one a line",
        sentence="Web sites that may embed it; with none, no page may show it in a frame, and the "
        "embed key works from anywhere.",
        pattern=r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?",
        example="https://example.org",
        pages=("owner",),
    )
    variants: tuple[str, ...] = setting(
        (),
        label="Variants",
        sentence="Options that are variants of one thing, by what addresses call them, joined by "
        "a plus sign. The page says who is best if they count as one.",
        pattern=r"[a-z0-9-]+(\+[a-z0-9-]+)+",
        example="soup-1+soup-2",
        pages=(),
    )
    anchors: bool = setting(
        False,
        label="Anchors",
        sentence="One question in twenty is one of a few pairs that stay the same, whatever would "
        "be asked else: if votes on them move, tastes or voters did, not the options.",
        pages=("owner",),
    )
    anchor_pairs: tuple[str, ...] = setting(
        (),
        label="Pairs that are anchors, one a line; drawn if left empty",
        sentence="The pairs that are anchors, by what addresses call their options; three are "
        "drawn when anchors are turned on and there are none.",
        pattern=r"[a-z0-9-]+\+[a-z0-9-]+",
        example="soup+pie",
        pages=("owner",),
    )
    invited: bool = setting(
        False,
        label="Invited voters only",
        sentence="Only who opens one of the links that you make for invited voters may vote, and "
        "each of them counts once a pair.",
        pages=("owner",),
    )
    word: str = setting(
        "",
        label="Access word",
        sentence="What voters must type before the first pair; an invited voter need not.",
        example="tomato",
        reads=as_word,
        pages=("owner",),
    )
    newcomers: int | None = setting(
        None,
        label="New voters of an internet address in an hour",
        sentence="How many voters may come new from an internet address within an hour. People in "
        "one house, school or office often share one.",
        least=1,
        most=10**6,
        pages=("owner",),
    )
    privacy: str = setting(
        "",
        label="Privacy note",
        sentence="What voters read of what becomes of their data, below what the program says it "
        "keeps: who you are, what the poll is for, whom to ask.",
        example="Ask ann@example.org to have your answers deleted.",
        reads=as_note,
        most=4_000,
        pages=("owner",),
    )
    logo: str = setting(
        "",
        label="Logo",
        sentence="The hash of an image that is kept here, which pages of the poll show on top.",
        example="64 digits of a SHA-256",
        reads=as_hash,
        pages=(),
    )
    reliability: bool = setting(
        False,
        label="Weigh voters",
        sentence="Beside the plain result the owner sees one in which votes count by how far their "
        "voter agrees with others on the same pairs. What is proved never does.",
        pages=("owner",),
    )
    newest_rules: bool = setting(
        False,
        label="Newest rules",
        sentence="Newer rules for counting votes are accepted by themselves when the program is "
        "updated; otherwise you are told first what they would change.",
        pages=("owner",),
    )

    def __post_init__(self) -> None:
        for one in SETTINGS:
            value = getattr(self, one.name)
            one.check(value)
            if one.kind == "texts":
                object.__setattr__(self, one.name, tuple(value))
        if self.opens and self.closes and as_moment(self.opens) >= as_moment(self.closes):
            raise Invalid(f"closes is {self.closes}, must be later than opens, {self.opens}")

    def changed(self, changes: Mapping[str, Any]) -> Settings:
        """Return these settings with changes.

        Examples
        --------
        >>> Settings().changed({"cap": 50}).cap
        50
        >>> Settings().changed({"cup": 50})
        Traceback (most recent call last):
            ...
        driftduel.arena.errors.Invalid: settings: there is no 'cup', there are blind, reveal, ties,
        public, publish, opens, closes, colour, cap, repeat, suggestions, language, expire,
        origins, variants, anchors, anchor_pairs, invited, word, newcomers, privacy, logo,
        reliability, newest_rules
        >>> Settings().changed({"cap": 0})
        Traceback (most recent call last):
            ...
        driftduel.arena.errors.Invalid: cap is 0, must be a whole number from 1 to 1,000,000
        """
        for name in changes:
            if name not in NAMES:
                raise Invalid(f"settings: there is no {name!r}, there are {', '.join(NAMES)}")
        return Settings(**{**asdict(self), **changes})


def _listed() -> tuple[Setting, ...]:
    types = get_type_hints(Settings)
    return tuple(
        Setting(name=one.name, type=types[one.name], default=one.default, **one.metadata)
        for one in fields(Settings)
    )


SETTINGS = _listed()
"""All settings, in the order in which forms and documents have them."""

NAMES = [one.name for one in SETTINGS]


def settings_on(page: Page) -> list[Setting]:
    """Return the settings that the form of a page has.

    Examples
    --------
    >>> [one.name for one in settings_on("new")]
    ['blind', 'ties', 'public']
    """
    return [one for one in SETTINGS if page in one.pages]


def typed_of(settings: Settings, page: Page) -> dict[str, Any]:
    """Return what the form of a page shows of settings."""
    return {one.name: one.to_text(getattr(settings, one.name)) for one in settings_on(page)}


def as_table() -> str:
    """Return the table of docs/arena-settings.md.

    Examples
    --------
    >>> print(as_table().splitlines()[2])
    | `blind` | `true` | true or false | Cards are shown without the names of their options. |
    """
    rows = ["| setting | default | may be | |", "|---|---|---|---|"]
    for one in SETTINGS:
        default = json.dumps(one.default)
        rows.append(f"| `{one.name}` | `{default}` | {one.allowed} | {one.sentence} |")
    return "\n".join(rows)
