"""What a voter sees of an arm, as HTML: text, the HTML of its markdown, or an image.

Nothing here names an arm that has a card: not an address, not a description.
"""

from __future__ import annotations

from typing import Any, Literal

from markupsafe import Markup

from driftduel.arena.service import Shown
from driftduel.arena.web.pages.html import part
from driftduel.arena.web.pages.words import Words

_SHORT = 60
"""Letters that are shown large, if the other card has no more."""


def html_of_pair(left: Shown, right: Shown, words: Words) -> tuple[Markup, Markup]:
    """Return what stands in the two cards of a pair, their texts in one size."""
    texts = [one.body for one in (left, right) if one.kind != "image"]
    short = "markdown" not in (left.kind, right.kind) and max(map(len, texts), default=0) <= _SHORT
    return _html_of_card(left, "left", short, words), _html_of_card(right, "right", short, words)


def _html_of_card(
    shown: Shown, side: Literal["left", "right"], short: bool, words: Words
) -> Markup:
    facts: dict[str, Any] = {"side": side, "kind": shown.kind, "name": None, "image": shown.image}
    if shown.kind == "markdown":
        facts["body"] = Markup(shown.html)  # HTML in it was disabled
    elif shown.kind == "text":
        facts |= {"body": shown.body, "short": short}
    if shown.name is not None and (shown.kind, shown.body) != ("text", shown.name):
        facts["name"] = shown.name
    return Markup(part("_card.html", **facts, **words.facts))  # made by a template that escapes
