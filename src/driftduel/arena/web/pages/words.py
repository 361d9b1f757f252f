"""What voters' pages say, in the language of the reader.

Templates and pages call ``say`` with the English text, which is the key of the catalogues in
``web/locale``, one file for each language, in the format of gettext.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request

from driftduel.arena.errors import (
    ArenaError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    TooMany,
    Unavailable,
)
from driftduel.arena.languages import BROWSER, LANGUAGES, RIGHT_TO_LEFT, preferred
from driftduel.arena.model import Arena
from driftduel.arena.service import NotInvited, TooManyNew, WordNeeded

CATALOGUES = Path(__file__).parents[1] / "locale"

_LINE = re.compile(r'(?:(msgid|msgstr) )?(".*")')


@dataclass(frozen=True)
class Words:
    """A language.

    Attributes
    ----------
    lang : str
        Its code.
    """

    lang: str = "en"

    @property
    def direction(self) -> str:
        """Where lines begin, as HTML has it."""
        return "rtl" if self.lang in RIGHT_TO_LEFT else "ltr"

    def say(self, text: str, **facts: Any) -> str:
        """Return an English text in this language, with facts in their places.

        Examples
        --------
        >>> Words("de").say("You have answered {n}.", n=3)
        'Beantwortet: 3.'
        """
        if self.lang in RIGHT_TO_LEFT:  # names and times keep the order of their own letters
            facts = {
                key: f"\N{FIRST STRONG ISOLATE}{fact}\N{POP DIRECTIONAL ISOLATE}"
                for key, fact in facts.items()
            }
        return catalogue(self.lang).get(text, text).format(**facts)

    @property
    def facts(self) -> dict[str, Any]:
        """What templates need."""
        return {"say": self.say, "lang": self.lang, "direction": self.direction}


def words_for(request: Request, poll: Arena | None = None) -> Words:
    """Return the language of a page: what the owner chose, else what the browser likes best."""
    chosen = BROWSER if poll is None else poll.settings.language
    if chosen != BROWSER:
        return Words(chosen)
    return Words(preferred(request.headers.get("accept-language", "")))


@cache
def catalogue(lang: str) -> Mapping[str, str]:
    """Return what a language says for each English text; nothing for English."""
    if lang == "en" or lang not in LANGUAGES:
        return {}
    return read_catalogue((CATALOGUES / f"{lang}.po").read_text("utf-8"))


def read_catalogue(text: str) -> dict[str, str]:
    r"""Return the texts of a file of gettext, without plurals, by their keys.

    Examples
    --------
    >>> read_catalogue('# A comment\nmsgid "Skip"\nmsgstr ""\n"Über"\n"springen"\n')
    {'Skip': 'Überspringen'}
    """
    entries: list[dict[str, str]] = []
    part = ""
    for line in text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found is None:
            continue
        if found[1] == "msgid":
            entries.append({"msgid": "", "msgstr": ""})
        part = found[1] or part
        entries[-1][part] += ast.literal_eval(found[2])
    return {one["msgid"]: one["msgstr"] for one in entries if one["msgid"]}


def in_words(error: ArenaError, say: Callable[..., str]) -> str:
    """Say to a voter why something was refused."""
    known = _texts(say).get(str(error))
    return known or _by_kind(error, say)


def _texts(say: Callable[..., str]) -> dict[str, str]:
    return {
        "the poll is closed": say("This poll is closed."),
        "voting has not begun": say("Voting has not begun yet"),
        "the duel has expired": say("This pair is too old."),
        "the verdict was taken back": say("This answer was taken back."),
        "a verdict can be taken back for 60 seconds": say(
            "An answer can be taken back for 60 seconds."
        ),
        FOREIGN: say("This was sent by another web site, which may not do so."),
        COOKIELESS: say("Your browser keeps no cookies of this page, and needs one to vote."),
    }


FOREIGN = "this was sent by another web site, which may not do so"
COOKIELESS = "your browser keeps no cookie of this page, and needs one to vote"


def _by_kind(error: ArenaError, say: Callable[..., str]) -> str:
    if isinstance(error, NotInvited):
        return say("By invitation")
    if isinstance(error, WordNeeded):
        return say("To vote, type the word that you were given.")
    if isinstance(error, TooManyNew):
        return say("Many new voters came from your network within an hour.")
    if isinstance(error, Gone):
        return say("One of these options is not on offer any more.")
    if isinstance(error, NotFound | Forbidden):
        return say("This pair was not shown in this browser.")
    if isinstance(error, Conflict):
        return say("You have answered this pair already.")
    if isinstance(error, TooMany):
        return say("That was too quick; please wait a moment.")
    if isinstance(error, Unavailable):
        return say("The server cannot be reached.")
    if isinstance(error, Invalid):
        return say("This answer is not possible here.")
    return say("Something went wrong.")
