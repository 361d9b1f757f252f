"""The demonstration, and the voters that it simulates."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import httpx
import pytest

from driftduel.arena import service as arena
from driftduel.arena.crowd import DRINKS, Days, feed
from tests.arena.serving import ServerProcess
from tests.arena.voting import events

_DEMO = """
import sys
from pathlib import Path
from driftduel.arena.demo import demo
demo(Path(sys.argv[1]), change=2.0)
"""


pytestmark = pytest.mark.usefixtures("quick_to_start")


class Demo:
    """The demonstration as a process, whose taste changes after two seconds."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-c", _DEMO, str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = ""

    def read_until(self, words):
        while words not in self.said:
            line = self.process.stdout.readline()
            assert line, (self.said, self.process.stderr.read())
            self.said += line

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self, number):
        os.kill(self.process.pid, number)
        rest, complaints = self.process.communicate(timeout=60)
        self.said += rest
        return self.process.returncode, complaints


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_demonstration_votes_changes_its_taste_and_leaves_a_file_to_serve(
    tmp_path, number, request
):
    (tmp_path / "arena-demo.db").write_text("of an earlier one")
    demo = Demo(tmp_path)
    request.addfinalizer(demo.kill)  # a test that fails leaves no voters behind
    demo.read_until("The sun is out")
    words = dict(line.split(maxsplit=1) for line in demo.said.splitlines() if " http" in line)
    token = words["owner"].rpartition("#")[2].strip().removeprefix("token=")
    owner = {"Authorization": f"Bearer {token}"}
    base = words["vote"].strip().rpartition("/")[0]
    status = {"votes": 0}
    for _ in range(120):  # a busy machine may have begun to vote only now
        status = httpx.get(f"{base}/api/v1/arenas/drinks/status", headers=owner).json()
        if status["votes"] > 5:
            break
        time.sleep(0.5)
    assert status["votes"] > 5
    assert {arm["name"] for arm in status["arms"]} == {*DRINKS.arms, *DRINKS.late}
    assert "Water joined." in demo.said
    assert demo.end(number) == (0, "")
    assert (tmp_path / "arena-demo.db").read_text() == "of an earlier one"
    file = tmp_path / "arena-demo-2.db"
    assert f"driftduel arena serve {file}" in demo.said
    with arena.Service.open(f"sqlite:{file}") as service:
        (found,) = arena.verify(service.store)
        assert found.votes >= status["votes"]
    again = ServerProcess(str(file))
    served = httpx.get(f"{again.address}/api/v1/arenas/drinks/status", headers=owner).json()
    assert again.end() == 0
    assert served["votes"] == found.votes


def test_simulated_votes_have_dates_and_show_the_change(tmp_path):
    end = 1_790_000_000_000_000
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        arena.create_arena(service, DRINKS.slug, DRINKS.question, DRINKS.arms, seed=1)
        days = Days(before=4, after=3, votes=200, end=end)
        feed(service, DRINKS, days, seed=1)
        status = arena.status(service, DRINKS.slug)
        arena.verify(service.store)
        rows = [row for row in events(service) if row.kind == "vote"]
    assert 0.85 < len(rows) / 1400 < 0.97
    assert end - 7 * 86_400_000_000 <= rows[0].at < rows[-1].at <= end
    assert all(row.asked_at < row.at for row in rows)
    (change,) = status.standing.changes
    names = [status.arms[option].name for option in (change.before, change.after)]
    assert tuple(names) == DRINKS.favourites == ("Coffee", "Lemonade")
    changed = end - 3 * 86_400_000_000
    assert change.earliest.value < changed < change.noticed.value
