"""What nobody should send: requests that schemathesis makes up from the OpenAPI document."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from driftduel.arena import service as arena
from tests.arena.serving import Site, served

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "use_after_free",
)


@pytest.mark.slow
def test_made_up_requests_get_answers_that_the_document_has(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with served(service) as address:
            site = Site(address, made)
            duels = [site.ask().json()["duel"] for _ in range(20)]
            for duel in duels[:5]:
                site.tell(duel, "left")
            voter = arena.voters(service, "drinks")[0].voter
            known = {"slug": ["drinks"], "arm": ["tea"], "duel": duels, "voter": [voter]}
            document = site.plain.get("/openapi.json").json()
            for methods in document["paths"].values():
                for route in methods.values():
                    for one in route.get("parameters", ()):
                        if one["in"] == "path" and one["name"] in known:
                            one["schema"] = {"type": "string", "enum": known[one["name"]]}
            file = tmp_path / "openapi.json"
            file.write_text(json.dumps(document))
            words = ["-m", "schemathesis.cli", "run", str(file), "--url", address]
            headers = [f"Authorization: Bearer {made.owner_token}", "X-Voter: ann"]
            options = ["--checks", ",".join(CHECKS), "--max-examples", "5", "--seed", "1"]
            phases = ["--phases", "examples,coverage,fuzzing", "--no-color"]
            done = subprocess.run(
                [sys.executable, *words, "-H", headers[0], "-H", headers[1], *options, *phases],
                check=False,
                capture_output=True,
                text=True,
                cwd=tmp_path,
                timeout=300,
            )
            site.close()
        (found,) = [one for one in arena.verify(service.store) if one.slug == "drinks"]
    assert done.returncode == 0, done.stdout[-5_000:]
    assert "Tested: 39" in done.stdout
    assert found.head > 5
