from __future__ import annotations

import pytest

from tests.report import sweeps


@pytest.fixture(scope="session")
def one(tmp_path_factory):
    """Results on one stream, with labels that try to break out of a page."""
    return sweeps.sweep(sweeps.ONE, tmp_path_factory.mktemp("one"))


@pytest.fixture(scope="session")
def grid(tmp_path_factory):
    """Results on five streams, four of which are a grid over the horizon."""
    return sweeps.sweep(sweeps.GRID, tmp_path_factory.mktemp("grid"))
