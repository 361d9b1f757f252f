"""What tests of pages have in common: a site, and what a person reads on a page."""

from __future__ import annotations

import html
import re
from contextlib import contextmanager

from driftduel.arena import service as arena
from tests.arena.serving import Site, served

ARMS = ("tea", "coffee", "milk")


@contextmanager
def pages_of(folder, arms=ARMS, settings=None, **rules):
    """Yield a site with the arena ``drinks``, and its service."""
    with arena.Service.open(f"sqlite:{folder}/arena.db") as service:
        made = arena.create_arena(
            service, "drinks", "Which is nicer?", arms, settings=settings, seed=1
        )
        with served(service, **rules) as address:
            site = Site(address, made)
            site.service = service
            yield site
            site.close()


def words_of(answer):
    """Return the text of a page without its tags."""
    body = answer.text[answer.text.index("<body") :]
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", body)).split())


def duel_of(answer):
    """Return the id of the duel that a voter's page shows."""
    (duel,) = re.findall('<form id="vote".*?name="duel" value="([^"]+)"', answer.text, re.DOTALL)
    return duel
