"""Connections that send nothing, or little by little, are not waited for, nor use up all files.

A process may have so many files open, and a connection is one. So the headers of a request must
come within seconds and in few bytes, and its body not slower than any network; and when connections
become too many for the database to open its own, those that sent no whole request are cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from driftduel.arena.web.short import Answering, ShortWay

LOOK = 5.0
"""Seconds between two looks at a connection."""

PATIENCE = 4
"""Looks at which the same headers may be missing, or at which a body may have been too slow."""

SLOWEST = 200.0
"""Bytes a second of a body."""

MOST_HEAD = 65_536
"""Bytes of the headers of a request."""

_RESERVED = 256
"""Files that are left for everything but connections."""

Headers = Iterable[tuple[bytes, bytes]]

_Protocol: Any = AutoHTTPProtocol  # of either parser, whose connections are alike


STATUS_LINE = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}


class PatientProtocol(_Protocol):  # type: ignore[misc]
    """A connection of uvicorn that is closed if it keeps its server waiting."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to look at a connection, and make room for it."""
        super().connection_made(transport)
        self.made_at = self.loop.time()
        self._short: ShortWay | None = getattr(getattr(self.app, "state", None), "short", None)
        self.cycle: Any = None  # what is under way, as uvicorn has it or on the short way
        self._cycle: Any = None  # that of the last look
        self._missed = self._head = self._body = 0
        self._next_look = self.loop.call_later(LOOK, self._look)
        if len(self.connections) > most_connections():
            _make_room(self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._next_look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request; one whose headers have no end is cut off."""
        before = self.cycle
        self._body += len(data)
        super().data_received(data)
        if self.cycle is not before:
            self._head = 0
        elif self.is_waiting:
            self._head += len(data)
            if self._head > MOST_HEAD:
                self.transport.abort()

    def on_headers_complete(self) -> None:
        """Begin a request: a usual verdict on the short way, if this parser calls it."""
        free = self.cycle is None or self.cycle.response_complete
        if free and self._short is not None and self.parser.get_method() == b"PUT":
            said = self._short.usual(self.url, self.headers, self.client)
            if said is not None and self.parser.get_http_version() == "1.1":
                kept = self.parser.should_keep_alive()
                self.cycle = Answering(self._short, said, self, kept)
                return
        super().on_headers_complete()

    def go_the_long_way(self, body: bytes) -> None:
        """Hand a request on, all of which is there."""
        self.cycle = None
        super().on_headers_complete()
        self.cycle.body += body
        self.cycle.more_body = False
        self.cycle.message_event.set()

    def answer(self, cycle: Answering, status: int, headers: Headers, body: bytes) -> None:
        """Send the answer of the short way, and go on with what came after it."""
        ours = (*self.server_state.default_headers, (b"content-length", b"%d" % len(body)))
        lines = [b"%b: %b\r\n" % header for header in (*ours, *headers)]
        if not cycle.keep_alive:
            lines.append(b"connection: close\r\n")
        self.transport.write(b"".join((STATUS_LINE[status], *lines, b"\r\n", body)))
        cycle.response_complete = True
        if not cycle.keep_alive:
            self.transport.close()
        self.on_response_complete()

    @property
    def is_waiting(self) -> bool:
        """Whether the server waits for the headers of a request."""
        return self.cycle is None or self.cycle.response_complete

    def _look(self) -> None:
        """Close the connection if it was waited for too long."""
        self._next_look = self.loop.call_later(LOOK, self._look)
        same, self._cycle = self.cycle is self._cycle, self.cycle
        came, self._body = self._body, 0
        if self.is_waiting:
            slow = same
        else:
            slow = self.cycle.more_body and not self.flow.read_paused and came < SLOWEST * LOOK
        self._missed = self._missed + 1 if slow else 0
        if self._missed >= PATIENCE:
            self.transport.abort()


def _make_room(connections: set[Any]) -> None:
    """Cut off an eighth of the connections: of those that sent no whole request the oldest first.

    Those that sent headers, and may be in the middle of a large body, come last.
    """
    waiting = [one for one in connections if one.is_waiting or one.cycle.more_body]
    waiting.sort(key=lambda one: (not one.is_waiting, one.made_at))
    for one in waiting[: max(len(connections) // 8, 1)]:
        one.transport.abort()


def most_connections() -> int:
    """Return how many connections a process may have open."""
    try:
        import resource
    except ImportError:  # there is no such limit on Windows
        return 10**6
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 10**6 if most == resource.RLIM_INFINITY else max(int(most) - _RESERVED, int(most) // 2)


def allow_connections(most: int = 65_536) -> None:
    """Let this process, and those that it starts, open as many files as the system allows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
