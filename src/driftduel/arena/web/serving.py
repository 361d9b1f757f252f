"""The server: the application in one process or several, until it is told to end."""

from __future__ import annotations

import json
import os
import signal
import socket
import tempfile
from collections.abc import Callable
from contextlib import closing
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from driftduel.arena.web.app import OPTIONS
from driftduel.arena.web.connections import PatientProtocol, allow_connections
from driftduel.arena.web.metrics import log_as_json

_APP = "driftduel.arena.web.app:app_of_environment"

_PATIENCE = 5
"""Seconds that requests under way are given when the server ends."""

SETTINGS: dict[str, Any] = {
    "http": PatientProtocol,
    "access_log": False,  # the application has its own, without addresses
    "log_config": None,
    "proxy_headers": False,  # the application reads what it believes
    "server_header": False,
    "ws": "none",
    "timeout_graceful_shutdown": _PATIENCE,
}
"""How the application is served, whoever does it."""


def serve(
    database: str,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    workers: int = 1,
    local: bool = True,
    behind_proxy: bool = False,
    rate: float = 50.0,
    lan: bool = False,
    ready: Callable[[int], None],
) -> None:
    """Serve a database until a signal, SIGTERM or that of Ctrl-C, ends it; votes under way finish.

    Parameters
    ----------
    database : str
        Its address; it is there.
    host, port : str, int
        Where to listen; 0 is a port that is free.
    workers : int
        Processes; one that dies is started again.
    local, behind_proxy, rate, lan
        As `driftduel.arena.web.security.Access` has them.
    ready : callable
        Called with the port when it is taken.

    Raises
    ------
    ValueError
        If the port is taken or not allowed.
    """
    with closing(_bound(host, port)) as bound, tempfile.TemporaryDirectory() as folder:
        port = bound.getsockname()[1]
        options = {"local": local, "behind_proxy": behind_proxy, "rate": rate, "lan": lan}
        os.environ[OPTIONS] = json.dumps({"database": database, **options})
        log_as_json()
        allow_connections()
        ready(port)
        config = uvicorn.Config(_APP, **SETTINGS, workers=workers, factory=True)
        if workers > 1:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            Multiprocess(config, [bound]).run()
            return
        # The server raises the signal that ended it once more, for who waited for it before.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        uvicorn.Server(config).run(sockets=[bound])


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that has the address, so that the address may be told.

    It names its protocol: of connections to one that does not asyncio knows too little to switch
    Nagle's algorithm off, and every answer on a connection that is kept would wait 40 ms for the
    client to confirm the one before.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # those accepted have it too
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen()  # who follows a link that was just printed waits instead of being refused
    except OSError as error:
        bound.close()
        raise ValueError(f"{host}, port {port}: {error.strerror or error}".lower()) from None
    return bound
