"""Databases to test on: a file of SQLite, and PostgreSQL where that is installed."""

from __future__ import annotations

import pytest

from driftduel.arena import service as arena
from tests.arena.pages import pages_of
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


@pytest.fixture
def made(url):
    """An arena of three arms in a database that no process has open."""
    with arena.Service.open(url) as service:
        return arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])


@pytest.fixture
def site(tmp_path):
    """A site with the pages of an arena of three arms."""
    with pages_of(tmp_path) as opened:
        yield opened


@pytest.fixture
def browser(site):
    """A client that asks for pages of the site as a browser does."""
    with site.browser() as opened:
        yield opened


@pytest.fixture
def quick_to_start(monkeypatch):
    """A process that lives for seconds compiles nothing."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
