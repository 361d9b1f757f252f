from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import httpx

from driftduel.arena import service as arena
from driftduel.arena.service.webhooks import signed
from tests.arena.serving import running, served

DOCS = Path(__file__).parents[2] / "docs"


def page(name):
    return (DOCS / f"arena-{name}.md").read_text()


def test_every_promise_names_tests_that_are_there():
    named = re.findall("`tests/arena/([a-z_]+).py::([a-z_0-9]+)`", page("guarantees"))
    assert len(named) > 12
    for module, test in named:
        assert hasattr(importlib.import_module(f"tests.arena.{module}"), test)


def test_every_route_is_on_the_page():
    from driftduel.arena.web.app import create_app
    from driftduel.arena.web.security import Access

    listed = page("api")
    document = create_app(Access(SimpleNamespace(writer=None))).openapi()
    for path in document["paths"]:
        words = [part for part in path.removeprefix("/api/v1/").split("/") if "{" not in part]
        assert all(word in listed for word in words), path


def test_the_web_application_of_the_page_votes(tmp_path):
    first, second = re.findall("```python\n(.*?)```", page("application"), re.DOTALL)
    assert len([line for line in first.splitlines() if line]) <= 10
    code = (first + second).replace("patience=5", "patience=60")  # of a machine that is busy
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee"])
        with served(service) as address:
            code = code.replace("http://127.0.0.1:8000", address)
            (tmp_path / "app.py").write_text(code.replace("EMBED_KEY", made.embed_key))
            app = runpy.run_path(str(tmp_path / "app.py"))
            with running(app["app"]) as site:
                duel = httpx.get(f"{site}/pair?user=7").json()["id"]
                vote = f"{site}/vote?user=7&duel={duel}&verdict="
                assert httpx.post(f"{vote}left").json()["counted"]
                again = httpx.post(f"{vote}right")
        assert again.status_code == 409
        assert again.json() == {"detail": "the duel was told already: left"}
        hasty = code.replace("EMBED_KEY", made.embed_key).replace("patience=60", "patience=0.2")
        (tmp_path / "app.py").write_text(hasty)
        app = runpy.run_path(str(tmp_path / "app.py"))
        with running(app["app"]) as site:
            assert httpx.get(f"{site}/pair?user=7").status_code == 503


def test_a_receiver_knows_a_genuine_message_as_the_page_says():
    (code,) = re.findall("```python\n(.*?)```", page("messages"), re.DOTALL)
    names = {}
    exec(code, names)
    secret = "whsec_c2VjcmV0"
    headers = signed("msg_1", secret, b"{}", 1_700_000_000)
    assert names["is_genuine"](secret, headers, b"{}")
    assert not names["is_genuine"](secret, headers, b"{ }")
    assert not names["is_genuine"]("whsec_c2VjcmV1", headers, b"{}")
