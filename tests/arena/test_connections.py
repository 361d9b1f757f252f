"""What a server does with the connections to it, as the system sees them."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import sys
from pathlib import Path

import pytest

from tests.arena.serving import ServerProcess

pytestmark = [
    pytest.mark.once,
    pytest.mark.usefixtures("quick_to_start"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

_PIDFD_GETFD = 438


def _end_of_server(client: socket.socket, process: int) -> socket.socket:
    """Return the other end of a connection, which a process or a child of it has accepted."""
    port, server_port = client.getsockname()[1], client.getpeername()[1]
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inode = next(
        row[9]
        for row in rows
        if row[1].endswith(f":{server_port:04X}") and row[2].endswith(f":{port:04X}")
    )
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for number in (process, *map(int, children)):
        for file in Path(f"/proc/{number}/fd").iterdir():
            if os.readlink(file) == f"socket:[{inode}]":
                handle = os.pidfd_open(number)
                copied = ctypes.CDLL(None, use_errno=True).syscall(
                    _PIDFD_GETFD, handle, int(file.name), 0
                )
                os.close(handle)
                if copied < 0:
                    pytest.skip("the system does not let a process look into its child")
                return socket.socket(fileno=copied)
    raise AssertionError("no process has the other end")


@pytest.mark.parametrize("options", [[], ["--workers", "2"]], ids=["alone", "workers"])
def test_an_answer_does_not_wait_until_the_one_before_is_confirmed(tmp_path, options):
    server = ServerProcess(f"sqlite:{tmp_path}/arena.db", *options)
    host, port = re.fullmatch("http://(.*):(.*)", server.address).groups()
    with socket.create_connection((host, int(port))) as client:
        client.sendall(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        with _end_of_server(client, server.process.pid) as other:
            assert other.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert server.end() == 0
