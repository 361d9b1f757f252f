"""A PostgreSQL server for tests, in a folder of its own, reached by a socket and from nowhere else.

It refuses to run as root, so where the tests do it steps down to the user that Debian's package
made.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from glob import glob
from pathlib import Path


def program(name: str) -> str | None:
    """The path of a program of PostgreSQL, None if there is none; Debian keeps most off PATH."""
    found = sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else shutil.which(name)


INSTALLED = program("initdb") is not None


def on_postgres(test: Callable[..., None]) -> Callable[..., None] | None:
    """Leave a test out where PostgreSQL is not installed; make test says so."""
    return test if INSTALLED else None


class Server:
    """A running server; `stop` ends it as a loss of power would, `start` starts it again.

    Without ``fsync``, as no test cuts the power, and what a killed process wrote is safe with the
    system.
    """

    def __init__(self, fsync: bool = False) -> None:
        self.options = "-c max_connections=200" + ("" if fsync else " -c fsync=off")
        self.folder = Path(tempfile.mkdtemp(prefix="driftduel-pg-", dir="/tmp"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = self.folder / "data"
        self.run("initdb", "-U", "postgres", "-A", "trust", "--no-sync", "-D", self.data)
        self.start()

    def run(self, name: str, *words: object) -> None:
        step_down = []
        if os.geteuid() == 0:
            step_down = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        command = [*step_down, program(name) or name, *map(str, words)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def start(self) -> None:
        options = f"-c listen_addresses='' -k {self.folder} {self.options}"
        log = self.folder / "log"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", log, "-o", options, "start")

    def kill(self) -> None:
        """Let no process of it do anything more."""
        lock = self.data / "postmaster.pid"
        main = lock.read_text().split()[0]
        others = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        for number in (main, *others):
            with suppress(ProcessLookupError):
                os.kill(int(number), signal.SIGKILL)
        for file in (lock, *self.folder.glob(".s.PGSQL.*.lock")):
            file.unlink()  # a dead process that nobody waited for looks alive to it

    def stop(self, how: str = "immediate") -> None:
        self.run("pg_ctl", "-D", self.data, "-w", "-m", how, "stop")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def emptied(self) -> str:
        """Drop all tables; return the address."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SET client_min_messages = warning")
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)
