"""What a voter sees of an arm, as HTML: text, markdown in which HTML is text, or an image.

Nothing here names an arm that has a card: not an address, not a description.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from markdown_it import MarkdownIt
from markupsafe import Markup

from driftduel.arena.service import Shown
from driftduel.arena.web.pages.html import part

_SHORT = 60
"""Letters that are shown large."""


def html_of_card(shown: Shown, side: Literal["left", "right"]) -> Markup:
    """Return what stands in a card."""
    facts: dict[str, Any] = {"side": side, "kind": shown.kind, "name": None, "image": shown.image}
    if shown.kind == "markdown":
        facts["body"] = html_of_markdown(shown.body)
    elif shown.kind == "text":
        facts["body"] = shown.body
        facts["short"] = len(shown.body) <= _SHORT
    if shown.name is not None and (shown.kind, shown.body) != ("text", shown.name):
        facts["name"] = shown.name
    return Markup(part("_card.html", **facts))  # made by a template that escapes


@lru_cache(256)
def html_of_markdown(text: str) -> Markup:
    r"""Return markdown as HTML; HTML in it is text, links lead to https alone, images none.

    Examples
    --------
    >>> str(html_of_markdown("*so* <b>[here](http://example.org)"))
    '<p><em>so</em> &lt;b&gt;[here](http://example.org)</p>\n'
    """
    return Markup(_MARKDOWN.render(text))  # HTML in it is disabled


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return url.lower().startswith("https://")


def _open_link(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    tokens[at].attrs |= {"rel": "noopener noreferrer nofollow", "target": "_blank"}
    return str(self.renderToken(tokens, at, options, env))


_MARKDOWN = _Markdown("commonmark", {"html": False}).enable("table")
_MARKDOWN.disable(["image", "reference"])  # a reference repeats an address as often as it is used
_MARKDOWN.add_render_rule("link_open", _open_link)
