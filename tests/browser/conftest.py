"""A chromium with a fresh profile: reports are opened in it without a network, arenas with one."""

from __future__ import annotations

import os
import shutil

import pytest

from driftduel.report import write_report
from tests.report import sweeps

MISSING = "no chromium: install it (apt-get install chromium) or set CHROMIUM to its path"


def chromium_path():
    return (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            if chromium_path() is None:
                item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path(), headless=True, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session", params=["ONE", "GRID"])
def report(request, tmp_path_factory):
    """A report as a file: one stream with hostile labels, or many streams to choose from."""
    folder = tmp_path_factory.mktemp(request.param.lower())
    results = sweeps.sweep(getattr(sweeps, request.param), folder)
    (page,) = write_report(results, "html", folder / "report.html")
    return page


class Opened:
    """A report that a browser shows, and what the browser complained about."""

    def __init__(self, page):
        self.page = page
        self.complaints = []
        self.requests = []
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self.requests.append(request.url))

    def _note(self, kind, text):
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def goto(self, file):
        self.page.goto(file.as_uri())
        self.wait_until_drawn()
        return self

    def wait_until_drawn(self, theme=None):
        """Wait until every figure that is shown is drawn, in the colours named."""
        self.page.wait_for_function(
            """(theme) => [...document.querySelectorAll(".chart")]
                .filter((box) => !box.closest("[hidden]"))
                .every((box) => theme ? box.dataset.drawn === theme : box.dataset.drawn)""",
            arg=theme,
        )

    def figures(self):
        """Return name, width and height of the picture, and its label, of the figures shown."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll(".chart")]
                .filter((box) => !box.closest("[hidden]"))
                .map((box) => {
                    const svg = box.querySelector("svg");
                    const { width, height } = svg.getBoundingClientRect();
                    const marks = svg.querySelectorAll(".mark-group path, .mark-group line").length;
                    const label = box.querySelector("[aria-label]")?.getAttribute("aria-label");
                    return { name: box.dataset.figure, width, height, marks, label };
                })"""
        )


@pytest.fixture
def opened(chromium, report):
    """Open the report with settings of the browser's context; a fresh profile each time."""
    contexts = []

    def opens(**settings):
        context = chromium.new_context(
            **{"viewport": {"width": 1100, "height": 900}, "offline": True, **settings}
        )
        contexts.append(context)
        return Opened(context.new_page()).goto(report)

    yield opens
    for context in contexts:
        context.close()


@pytest.fixture
def visit(chromium):
    """Open an address of an arena with settings of the browser's context; a fresh profile each."""
    contexts = []

    def opens(address, **settings):
        context = chromium.new_context(**{"viewport": {"width": 1100, "height": 800}, **settings})
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.goto(address)
        return opened

    yield opens
    for context in contexts:
        context.close()
