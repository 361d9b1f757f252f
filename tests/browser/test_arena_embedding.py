"""The page in examples/embedding, at an origin that may embed the arena and at one that may not."""

from __future__ import annotations

import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from driftduel.arena import service as arena
from tests.arena.pages import pages_of
from tests.browser.arenas import HOSTILE

EXAMPLE = Path(__file__).parents[2] / "examples" / "embedding"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@contextmanager
def other_site(folder):
    """Serve a folder; yield the port. Two names of this machine are two origins of it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def sites(tmp_path):
    """The arena, and the example of another site that it names: its port."""
    (tmp_path / "arena").mkdir()
    page = tmp_path / "page"
    shutil.copytree(EXAMPLE, page)
    arms = ("tea", "coffee", HOSTILE)
    with other_site(page) as port:
        settings = {"origins": [f"http://localhost:{port}"]}
        with pages_of(tmp_path / "arena", arms, settings) as site:
            html = (page / "index.html").read_text()
            assert html.count("http://127.0.0.1:8000") == 2
            html = html.replace("http://127.0.0.1:8000", site.address)
            (page / "index.html").write_text(html.replace("EMBED_KEY", site.made.embed_key))
            yield site, port


def votes(site):
    return arena.status(site.service, "drinks").votes


def test_a_site_that_may_embed_votes_by_fetch_and_in_a_frame(sites, visit):
    site, port = sites
    opened = visit(f"http://localhost:{port}")
    poll = opened.page.locator(".poll")
    left = poll.locator("button[value=left]:enabled")
    for n in range(1, 6):
        left.click()
        poll.get_by_text(f"Your votes here: {n}").wait_for()
    poll.get_by_role("button", name="Skip").click()
    left.wait_for()
    assert votes(site) == 5
    (voter,) = arena.voters(site.service, "drinks")
    assert voter.votes == voter.left == 5

    frame = opened.page.frame_locator("iframe")
    frame.get_by_role("heading", name="Which is nicer?").wait_for()
    opened.page.wait_for_timeout(450)  # sooner would be a double click
    frame.get_by_role("button", name="Left is better").click()
    frame.get_by_text("You have answered 1.").wait_for()
    assert votes(site) == 6
    assert opened.page.evaluate("window.hacked") is None
    assert opened.complaints == []


def test_a_site_that_may_not_embed_reads_nothing_and_shows_no_frame(sites, visit):
    site, port = sites
    opened = visit(f"http://127.0.0.1:{port}")
    poll = opened.page.locator(".poll")
    poll.get_by_text("Nothing to show").wait_for()
    assert poll.locator("button:enabled").count() == 0
    opened.page.wait_for_load_state("networkidle")
    assert opened.page.frame_locator("iframe").get_by_role("heading").count() == 0
    assert any("CORS" in words for words in opened.complaints)
    assert any("frame-ancestors" in words for words in opened.complaints)
    assert votes(site) == 0


def test_a_vote_that_could_not_be_sent_is_sent_again_and_counts_once(sites, visit):
    site, port = sites
    opened = visit(f"http://localhost:{port}")
    left = opened.page.locator(".poll button[value=left]:enabled")
    left.wait_for()
    opened.page.route("**/verdict", lambda route: route.abort())
    left.click()
    opened.page.get_by_text("Not saved, please try again").wait_for()
    opened.page.unroute("**/verdict")
    left.click()
    opened.page.get_by_text("Your votes here: 1").wait_for()
    assert votes(site) == 1


def test_a_pair_that_expired_is_replaced_and_a_closed_arena_ends_the_vote(sites, visit):
    site, port = sites
    arena.change_arena(site.service, "drinks", {"expire": 1})
    opened = visit(f"http://localhost:{port}")
    left = opened.page.locator(".poll button[value=left]:enabled")
    left.wait_for()
    opened.page.wait_for_timeout(1100)
    left.click()
    opened.page.get_by_text("here is another pair: the duel has expired").wait_for()
    arena.change_arena(site.service, "drinks", {"status": "closed", "expire": 3600})
    left.click()
    opened.page.get_by_text("the poll is closed").wait_for()
    assert votes(site) == 0


def test_the_two_lines_of_the_page_are_those_of_the_example():
    readme = (EXAMPLE / "README.md").read_text()
    lines = readme.partition("```html\n")[2].partition("```")[0].splitlines()
    html = (EXAMPLE / "index.html").read_text()
    assert len(lines) == 2
    assert all(line in html for line in lines)
