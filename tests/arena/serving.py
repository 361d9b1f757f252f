"""Servers for tests: the application in a thread of the test, or as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx
import uvicorn

from driftduel.arena.web.app import create_app
from driftduel.arena.web.security import Access
from driftduel.arena.web.serving import SETTINGS

COMMAND = [sys.executable, "-c", "import sys; from driftduel.cli import main; sys.exit(main())"]


class Site:
    """A server with the arena ``drinks``, and what its people send; ``api`` is a client."""

    def __init__(self, address, made):
        self.address = address
        self.api = httpx.Client(base_url=f"{address}/api/v1", timeout=30)
        self.plain = httpx.Client(base_url=address, timeout=30)
        self.made = made
        self.owner = {"Authorization": f"Bearer {made.owner_token}"}
        self.embed = {"Authorization": f"Bearer {made.embed_key}"}

    def close(self):
        self.api.close()
        self.plain.close()

    def browser(self, **headers):
        """Return a client that asks for pages and keeps cookies, as a browser does."""
        said = {"Accept": "text/html", "Origin": self.address, **headers}
        return httpx.Client(base_url=self.address, timeout=30, headers=said, follow_redirects=True)

    def as_voter(self, voter="ann", **more):
        return {**self.embed, "X-Voter": voter, **more}

    def ask(self, voter="ann", **more):
        return self.api.post("/arenas/drinks/duels", headers=self.as_voter(voter, **more))

    def tell(self, duel, verdict, voter="ann", **body):
        return self.api.put(
            f"/duels/{duel}/verdict",
            headers=self.as_voter(voter),
            json={"verdict": verdict, **body},
        )

    def status(self):
        return self.api.get("/arenas/drinks/status", headers=self.owner).json()


@contextmanager
def served(service, **rules):
    """Yield the address of a server on a service, in a thread."""
    with running(create_app(Access(service, **rules))) as address:
        yield address


@contextmanager
def running(app):
    """Yield the address of a server of an application, in a thread."""
    config = uvicorn.Config(app, port=0, **SETTINGS)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.005)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class ServerProcess:
    """`driftduel arena serve` on a free port, ready when this returns."""

    def __init__(self, url=None, *options, port=0, folder=None, command=None):
        words = ["arena", "serve", *([] if url is None else [url]), "--port", str(port), *options]
        self.process = subprocess.Popen(
            [*(command or COMMAND), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.said = []
        self.logged = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        line = self.process.stdout.readline()
        assert line.startswith("vote "), (line, self.logged)
        self.address = line.split()[1].rpartition("/")[0]
        until = time.monotonic() + 60
        while True:
            try:
                if httpx.get(f"{self.address}/health/ready").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            assert self.process.poll() is None, self.logged
            assert time.monotonic() < until, self.logged
            time.sleep(0.02)

    def _read(self):
        self.logged.extend(self.process.stderr)

    def end(self, number=signal.SIGTERM):
        """Send a signal; return the exit code."""
        os.kill(self.process.pid, number)
        code = self.process.wait(30)
        self.reader.join()
        self.said = self.process.stdout.readlines()
        self.process.stdout.close()
        self.process.stderr.close()
        return code
