"""What tests of the arena's pages in a browser have in common."""

from __future__ import annotations

import struct
import threading
import zlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from axe_playwright_python.sync_playwright import Axe

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
HOSTILE = "<img src=x onerror=window.hacked=1>"


def is_accessible(opened):
    """Assert that axe-core finds nothing serious on a page."""
    found = Axe().run(opened.page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert serious == [], [(one["id"], one["nodes"][0]["html"]) for one in serious]
    return True


def unfold(page, *titles):
    """Open parts of the owner's page that are folded away."""
    for title in titles:
        page.locator("summary").get_by_text(title, exact=True).click()


def fits(page):
    """Tell whether nothing scrolls sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def picture(red, green, blue, width=320, height=200):
    """Return a PNG of one colour."""

    def chunk(kind, body):
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    rows = (b"\x00" + bytes((red, green, blue)) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@contextmanager
def another_site(body=""):
    """Yield a web site with one page; localhost and 127.0.0.1 are two sites to browsers."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(server.body.encode())

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.body = body
    server.origin = f"http://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
