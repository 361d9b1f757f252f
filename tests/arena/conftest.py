"""Databases to test on: a file of SQLite, and PostgreSQL where that is installed."""

from __future__ import annotations

import pytest

from driftduel.arena import service as arena
from tests.arena.postgres import INSTALLED, Server

KINDS = ["sqlite", "postgresql"] if INSTALLED else ["sqlite"]


@pytest.fixture(scope="session")
def postgres():
    server = Server()
    yield server
    server.close()


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path}/arena.db"
    return request.getfixturevalue("postgres").emptied()


@pytest.fixture
def service(url):
    with arena.Service.open(url) as opened:
        yield opened


@pytest.fixture
def drinks(service):
    """A service with an arena of three arms."""
    arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee", "milk"], seed=1)
    return service
