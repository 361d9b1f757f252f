"""A PostgreSQL server for tests, in a folder of its own, reached by a socket and from nowhere else.

It refuses to run as root, so where the tests do it steps down to the user that Debian's package
made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from glob import glob
from pathlib import Path


def program(name):
    """The path of a program of PostgreSQL, None if there is none; Debian keeps most off PATH."""
    found = sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else shutil.which(name)


INSTALLED = program("initdb") is not None


def on_postgres(test):
    """Leave a test out where PostgreSQL is not installed; make test says so."""
    return test if INSTALLED else None


class Server:
    """A running server; `kill` ends it as a loss of power would, `start` starts it again."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="driftduel-pg-", dir="/tmp"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = self.folder / "data"
        self.run("initdb", "-U", "postgres", "-A", "trust", "--no-sync", "-D", self.data)
        self.start()

    def run(self, name, *words):
        step_down = []
        if os.geteuid() == 0:
            step_down = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        command = [*step_down, program(name), *map(str, words)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def start(self):
        # No test cuts the power, and what a killed process wrote is safe with the system.
        options = f"-c listen_addresses='' -k {self.folder} -c max_connections=200 -c fsync=off"
        log = self.folder / "log"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", log, "-o", options, "start")

    def stop(self, how="immediate"):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", how, "stop")

    @property
    def url(self):
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def emptied(self):
        """Drop all tables; return the address."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SET client_min_messages = warning")
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url

    def close(self):
        self.stop()
        shutil.rmtree(self.folder)
