"""A demonstration: a real server on this machine, and simulated voters whose taste changes."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from unittest.mock import patch

from driftduel.arena import service as arena
from driftduel.arena.client import Client
from driftduel.arena.crowd import DRINKS, Crowd, Strengths
from driftduel.arena.errors import ArenaError
from driftduel.arena.service.post import PRIVATE

_VOTERS, _PACE = 24, 0.8
"""About thirty votes a second. In all of 60 polls simulated at this rate the favourite was decided
before taste changed, the change was noticed within 8 seconds with the right names, and who is best
now was decided after 45."""

_JOINS = 1 / 3
"""The share of the time until taste changes after which an option joins."""

_LOOK = 0.5
"""Seconds between two looks at whether the change was noticed."""


def demo(folder: Path, port: int = 0, change: float = 60.0) -> None:
    """Serve an arena with voters until a signal ends it, SIGTERM or that of Ctrl-C.

    Parameters
    ----------
    folder : Path
        Where the file with the votes is left.
    port : int
        Where to listen on this machine; 0 takes a port that is free.
    change : float
        Seconds of voting after which taste changes.

    Raises
    ------
    ValueError
        If the file cannot be written or the port is taken.
    """
    from driftduel.arena.web.serving import serve

    _say("Getting ready. The first time, this compiles code, for up to a minute.")
    _compile()
    file = _free(folder)
    with arena.Service.open(f"sqlite:{file}") as service:
        made = arena.create_arena(
            service, DRINKS.slug, DRINKS.question, DRINKS.arms, title=DRINKS.title
        )
    scene = _Scene(f"sqlite:{file}", change)
    logging.disable(logging.INFO)  # a line for every vote would hide what is said here

    def ready(port: int) -> None:
        base = f"http://127.0.0.1:{port}"
        _say(_begin(base, made, change))
        with arena.Service.open(f"sqlite:{file}") as service:
            service.post = arena.Post(private=True)
            arena.add_receiver(service, DRINKS.slug, receiver, site=base)
        scene.play(base, made)

    # The receiver is on this machine, to which webhooks go if the operator says so alone.
    with _taking_messages() as receiver, patch.dict(os.environ, {PRIVATE: "1"}):
        try:
            serve(f"sqlite:{file}", port=port, ready=ready)
        finally:
            logging.disable(logging.NOTSET)
            scene.end()
    with arena.Service.open(f"sqlite:{file}") as service:
        votes = arena.status(service, DRINKS.slug).votes
    _say(f"\nThe end. There are {votes:,} votes in {file}. To go on with them:")
    _say(f"driftduel arena serve {file}")
    _say(f"owner token {made.owner_token}")


def _begin(base: str, made: arena.Created, change: float) -> str:
    before, after = DRINKS.favourites
    page = f"{base}/{DRINKS.slug}"
    return f"""
vote   {page}
owner  {page}/owner#{made.owner_token}

{_VOTERS} simulated voters like {before.lower()} best. Open the owner's link and watch.
After {_JOINS * change:.0f} seconds water joins, and what was known of the others stays.
After {change:.0f} seconds the sun comes out, and they want {after.lower()}: nobody tells the arena.
Some seconds later the owner's page says what changed, and when, and a webhook tells it:
a receiver in this program prints what comes.
Half a minute later {after.lower()} is decided: its interval lies above all others.
Vote, too, if you like. Ctrl-C ends it.
"""


class _Scene:
    """Voters, what joins, the change of their taste, and who looks whether it was noticed."""

    def __init__(self, database: str, change: float) -> None:
        self._database = database
        self._change = change
        self._began = float("inf")
        self._ended = Event()
        self._crowd: Crowd | None = None
        self._watch: Thread | None = None

    def play(self, base: str, made: arena.Created) -> None:
        self._began = time.monotonic()
        self._crowd = Crowd(base, made.embed_key, self._strengths, _VOTERS, _PACE)
        self._crowd.start()
        self._watch = Thread(target=self._tell, args=(Client(base, made.owner_token, 2.0),))
        self._watch.start()

    def end(self) -> None:
        self._ended.set()
        if self._crowd is not None:
            self._crowd.stop()
        if self._watch is not None:
            self._watch.join()

    def _strengths(self) -> Strengths:
        changed = time.monotonic() - self._began >= self._change
        return DRINKS.after if changed else DRINKS.before

    def _tell(self, owner: Client) -> None:
        """Let options join; say when taste changes, when it is noticed and when decided."""
        if self._ended.wait(_JOINS * self._change):
            return
        with arena.Service.open(self._database) as service:
            arena.change_arms(service, DRINKS.slug, add=DRINKS.late)
        _say(f"{_clock()}  {' and '.join(DRINKS.late)} joined.")
        if self._ended.wait((1 - _JOINS) * self._change):
            return
        _say(f"{_clock()}  The sun is out.")
        noticed = False
        while not self._ended.wait(_LOOK):
            try:
                status = owner.status()
            except ArenaError:
                continue
            if status["changes"] and not noticed:
                noticed = True
                last = status["changes"][-1]
                _say(
                    f"{_clock()}  The arena noticed: {last['before']} was best, until "
                    f"{_clock(last['around'])}, now {last['after']} is."
                )
            if noticed and status["decided"]:
                _say(f"{_clock()}  {status['best']} is decided.")
                return


@contextmanager
def _taking_messages() -> Iterator[str]:
    """Yield the address of a small receiver, which prints each message once."""
    known: set[str] = set()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name that the base class looks for
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            name = self.headers["webhook-id"]
            if name not in known:  # at least once may be twice
                known.add(name)
                _say(f"{_clock()}  A webhook came: {' '.join(body['sentences'])}")
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *values: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _compile() -> None:
    """Vote once where nobody sees it, so that the server answers at once."""
    with (
        tempfile.TemporaryDirectory() as folder,
        arena.Service.open(f"sqlite:{folder}/arena.db") as service,
    ):
        arena.create_arena(service, DRINKS.slug, DRINKS.question, DRINKS.arms)
        asked = arena.ask(service, DRINKS.slug, "nobody")
        arena.tell(service, asked.duel, "nobody", "left", wants_next=True)
        service.follow()
        arena.status(service, DRINKS.slug)


def _free(folder: Path) -> Path:
    """Return a file that is not there yet."""
    file, n = folder / "arena-demo.db", 1
    while file.exists():
        n += 1
        file = folder / f"arena-demo-{n}.db"
    return file


def _clock(moment: str | None = None) -> str:
    """Return the time of day, now or of a moment, as the clock here shows it: so do the pages."""
    at = datetime.now(UTC) if moment is None else datetime.fromisoformat(moment)
    return f"{at.astimezone():%H:%M:%S}"


def _say(text: str) -> None:
    print(text, flush=True)
