"""Markdown as HTML, made once: when a card is set. HTML in it is text, links lead to https alone.

Images in it are none, and no reference: that repeats an address as often as it is used.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from driftduel.arena.errors import Invalid

MOST_HTML = 16 * 65_536
"""Letters of HTML that a card may become; a table with few cells filled in becomes as many."""


MOST_CELLS = 20_000
"""Cells of a table, were each row as long as the longest: they are made though most are empty."""


def html_of_markdown(text: str) -> str:
    r"""Return markdown as HTML.

    Examples
    --------
    >>> html_of_markdown("*so* <b>[here](http://example.org)")
    '<p><em>so</em> &lt;b&gt;[here](http://example.org)</p>\n'
    """
    lines = text.splitlines()
    if len(lines) * max((line.count("|") for line in lines), default=0) > MOST_CELLS:
        raise Invalid(f"the card has a table of more than {MOST_CELLS:,} cells")
    html = str(_renderer().render(text))
    if len(html) > MOST_HTML:
        raise Invalid(
            f"the card becomes {len(html):,} letters of HTML, must become {MOST_HTML:,} at most"
        )
    return html


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt

    class Markdown(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return url.lower().startswith("https://")

    made = Markdown("commonmark", {"html": False}).enable("table").disable(["image", "reference"])
    made.add_render_rule("link_open", _open_link)
    return made


def _open_link(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    tokens[at].attrs |= {"rel": "noopener noreferrer nofollow", "target": "_blank"}
    return str(self.renderToken(tokens, at, options, env))
