"""A database that says nothing: a proxy before PostgreSQL that listens on, and goes silent."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress


class Proxy:
    """Hands on what comes, at a port of this machine, until it is told to be silent.

    `silence` lets connections that are there say nothing any more, without an end, and new ones
    too with ``also_new``; `restore` lets new ones work.
    """

    def __init__(self, target):
        self.target = target
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.mute = False
        self.silent = set()
        self.pairs = []
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def silence(self, *, also_new):
        with self.lock:
            self.silent.update(id(pair) for pair in self.pairs)
            self.mute = also_new

    def restore(self):
        self.mute = False

    def close(self):
        self.listening.close()
        with self.lock:
            for pair in self.pairs:
                for one in pair:
                    with suppress(OSError):
                        one.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.target)
                pair = (client, server)
                with self.lock:
                    self.pairs.append(pair)
                    if self.mute:
                        self.silent.add(id(pair))
                threading.Thread(target=self._hand_on, args=(pair,), daemon=True).start()

    def _hand_on(self, pair):
        client, server = pair
        other = {client: server, server: client}
        with suppress(OSError), client, server:
            while True:
                for one in select.select(list(pair), [], [])[0]:
                    data = one.recv(65_536)
                    if not data:
                        return
                    if id(pair) not in self.silent:
                        other[one].sendall(data)
