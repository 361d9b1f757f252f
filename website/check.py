"""The built site in chromium: links, search, dark, on a phone, and nothing asked of others.

Links and what pages load are read from the files of all pages; then every page of the guides,
and some of the reference, is opened.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

OPENED = ("api/index.html", "api/driftduel.analyse.html", "api/driftduel.DriftPoll.html")
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Page(NamedTuple):
    """What a page leads to, what it loads, and the places in it that have a name."""

    links: list[str]
    loads: list[str]
    anchors: set[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page([], [], set())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.page.anchors.update(given[key] for key in ("id", "name") if key in given)
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        if tag in LOADS and LOADS[tag] in given:
            self.page.loads.append(given[LOADS[tag]])
        if tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon", "modulepreload"):
            self.page.loads.append(given["href"])


def read(text: str) -> Page:
    """Return what a page of HTML leads to and loads.

    >>> read('<a href="b.html#c" id="d">x</a><img src="http://elsewhere/e.png">')
    Page(links=['b.html#c'], loads=['http://elsewhere/e.png'], anchors={'d'})
    """
    reader = _Reader()
    reader.feed(text)
    return reader.page


def faults_of_files(site: Path) -> list[str]:
    """Return every link to nothing and every thing that is loaded from elsewhere."""
    pages = {
        path.relative_to(site).as_posix(): read(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    found = []
    for name, page in pages.items():
        for link in page.links:
            target, anchor = urldefrag(link)
            if urlsplit(target).scheme:
                continue
            whole = unquote(urljoin(f"/{name}", target).lstrip("/")) if target else name
            if not (site / whole).is_file():
                found.append(f"{name} leads to {link}, and there is no {whole}")
            elif anchor and whole in pages and unquote(anchor) not in pages[whole].anchors:
                found.append(f"{name} leads to {link}, and {whole} has no such place")
        for load in page.loads:
            if urlsplit(load).netloc:
                found.append(f"{name} loads {load} from elsewhere")
    for path in site.rglob("*.css"):
        for url in re.findall(r"(?:@import|url\()\s*['\"]?(https?:[^'\")]+)", path.read_text()):
            found.append(f"{path.relative_to(site)} loads {url} from elsewhere")
    return found


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


def _faults_in_chromium(site: Path, address: str, chromium: str) -> list[str]:
    from playwright.sync_api import sync_playwright

    names = [path.name for path in sorted(site.glob("*.html")) if path.name != "search.html"]
    found: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        desk = browser.new_context(color_scheme="light")
        phone = browser.new_context(color_scheme="dark", viewport={"width": 390, "height": 844})
        for context, is_light in ((desk, True), (phone, False)):
            page = context.new_page()
            listen(page, address, found)
            for name in [*names, *OPENED]:
                page.goto(f"{address}/{name}", wait_until="load")
                found += _faults_of_page(page, name, is_light)
            found += _faults_of_search(page, address)
        browser.close()
    return found


def listen(page: Any, address: str, found: list[str]) -> None:
    """Note what a page asks of others, what is missing, and what its scripts complain of."""

    def on_request(asked: Any) -> None:
        if not asked.url.startswith((address, "data:", "blob:")):
            found.append(f"{page.url} asks for {asked.url}")

    def on_response(told: Any) -> None:
        if told.status >= 400:
            found.append(f"{told.url}: {told.status}")

    page.on("pageerror", lambda error: found.append(f"{page.url}: {error}"))
    page.on("request", on_request)
    page.on("response", on_response)


def _faults_of_page(page: Any, name: str, is_light: bool) -> list[str]:
    """Return whether a page is wider than its window, or light where dark was asked for."""
    found = []
    if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
        found.append(f"{name} is wider than its window of {page.viewport_size['width']}")
    shade = page.evaluate("getComputedStyle(document.body).backgroundColor")
    if (sum(map(int, re.findall(r"\d+", shade)[:3])) > 3 * 128) != is_light:
        found.append(f"{name} has a background {shade}")
    return found


def _faults_of_search(page: Any, address: str) -> list[str]:
    """Return what is wrong with the search: words that must lead to their page."""
    from playwright import sync_api

    found = []
    for words, wanted in (("DriftPoll", "api/driftduel.DriftPoll"), ("interval", ".html")):
        page.goto(f"{address}/search.html?q={words}", wait_until="load")
        place = f'#search-results li a[href*="{wanted}"]'
        try:
            page.wait_for_selector(place, timeout=10_000)
        except sync_api.TimeoutError:
            found.append(f"a search for {words} does not find {wanted}")
    return found


def check(site: Path) -> int:
    """Print what is wrong with the site; return 1 if anything is."""
    if not (site / "index.html").is_file():
        print(f"there is no site in {site}; make docs", file=sys.stderr)
        return 2
    found = faults_of_files(site)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        found += _faults_in_chromium(site, address, chromium)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    for fault in dict.fromkeys(found):
        print(fault)
    pages = sum(1 for _ in site.rglob("*.html"))
    print(f"{pages} pages, {len(found)} faults")
    return int(bool(found))
