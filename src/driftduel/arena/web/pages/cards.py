"""What a voter sees of an arm, as HTML: text, the HTML of its markdown, or an image.

Nothing here names an arm that has a card: not an address, not a description.
"""

from __future__ import annotations

from typing import Any, Literal

from markupsafe import Markup

from driftduel.arena.service import Shown
from driftduel.arena.web.pages.html import part

_SHORT = 60
"""Letters that are shown large."""


def html_of_card(shown: Shown, side: Literal["left", "right"]) -> Markup:
    """Return what stands in a card."""
    facts: dict[str, Any] = {"side": side, "kind": shown.kind, "name": None, "image": shown.image}
    if shown.kind == "markdown":
        facts["body"] = Markup(shown.html)  # HTML in it was disabled
    elif shown.kind == "text":
        facts["body"] = shown.body
        facts["short"] = len(shown.body) <= _SHORT
    if shown.name is not None and (shown.kind, shown.body) != ("text", shown.name):
        facts["name"] = shown.name
    return Markup(part("_card.html", **facts))  # made by a template that escapes
