"""One list of settings: what is allowed, API, command, pages and docs are made from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import driftduel
from driftduel.arena.errors import Invalid
from driftduel.arena.settings import SETTINGS, Settings, as_table

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "arena-settings.md"
SENTENCE = "A tune plays while people vote."
MORE = f"""
    music: bool = setting(False, label="Background music", sentence="{SENTENCE}")
    volume: int = setting(
        7, label="Loudness", sentence="How loud it is.", least=1, most=11, pages=("owner",)
    )
"""
SCRIPT = """
import json, sys
import httpx
import typer.testing
from driftduel.arena import service as arena
from driftduel.arena.settings import as_table
from driftduel.cli.app import app
from tests.arena.serving import served

url = "sqlite:" + sys.argv[1]
run = lambda *words: typer.testing.CliRunner().invoke(app, ["arena", *words]).output
told = run("new", "drinks", "--arms", "tea,milk", "--music", "--database", url, "--json")
owner = json.loads(told)["owner_token"]
with arena.Service.open(url) as service, served(service, local=True) as address:
    site = httpx.Client(base_url=address, headers=dict(origin=address))
    site.post("/drinks/owner", data=dict(token=owner))
    as_owner = dict(Authorization=f"Bearer {owner}")
    patch = lambda **said: site.patch("/api/v1/arenas/drinks", json=said, headers=as_owner)
    facts = dict(
        schemas=site.get("/openapi.json").json()["components"]["schemas"],
        made=site.get("/new").text,
        page=site.get("/drinks/owner").text,
        table=as_table(),
        refused=patch(volume=12).json()["detail"],
        set=patch(volume=11).json()["settings"],
    )
    form = dict(title="Drinks", volume="3")
    facts["saved"] = site.post("/drinks/owner/settings", data=form).status_code
    facts["after"] = vars(arena.describe(service, "drinks").arena.settings)
print(json.dumps(dict(facts, help=run("settings", "--help"), new=run("new", "--help"))))
"""


@pytest.fixture(scope="module")
def more(tmp_path_factory):
    """What a package says in whose list of settings there are two more, and nothing else is."""
    folder = tmp_path_factory.mktemp("more")
    ignored = shutil.ignore_patterns("__pycache__", "*.nb?")
    shutil.copytree(Path(driftduel.__file__).parent, folder / "driftduel", ignore=ignored)
    listed = folder / "driftduel" / "arena" / "settings.py"
    before, after = listed.read_text().split("\n    def __post_init__")
    listed.write_text(f"{before}{MORE}\n    def __post_init__{after}")
    words = [sys.executable, "-c", SCRIPT, f"{folder}/arena.db"]
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "COLUMNS": "200"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_new_setting_of_the_list_is_in_the_api(more):
    for name in ("Settings", "ArenaChange"):
        properties = more["schemas"][name]["properties"]
        assert properties["music"]["description"] == SENTENCE
        assert properties["volume"]["maximum"] == 11
    new = more["schemas"]["NewArena"]["properties"]["settings"]
    assert new["properties"]["music"]["default"] is False
    assert more["set"]["volume"] == 11
    assert more["refused"] == "volume is 12, must be a whole number from 1 to 11"


def test_a_new_setting_of_the_list_is_an_option_of_the_command(more):
    for text in (more["new"], more["help"]):
        assert "--music / --no-music" in text
        assert SENTENCE in text
    assert more["set"]["music"] is True  # which the command that made the arena said


def test_a_new_setting_of_the_list_is_in_the_forms(more):
    for page in (more["made"], more["page"]):
        assert 'name="music"' in page
        assert "Background music" in page
        assert SENTENCE in page
    assert 'name="volume"' in more["page"]
    assert 'name="volume"' not in more["made"]
    assert more["saved"] == 303
    assert (more["after"]["volume"], more["after"]["music"]) == (3, False)


def test_the_docs_have_the_table_of_all_settings(more):
    assert as_table() in PAGE.read_text(), f"docs/arena-settings.md must have\n{as_table()}"
    assert more["table"] not in PAGE.read_text()
    assert SENTENCE in more["table"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"blind": 1}, "blind is 1, must be true or false"),
        ({"ties": None}, "ties is None, must be true or false"),
        ({"cap": True}, "cap is True, must be a whole number from 1 to 1,000,000"),
        ({"cap": 0}, "cap is 0, must be a whole number from 1 to 1,000,000"),
        ({"expire": None}, "expire is None, must be a whole number from 1 to 2,592,000"),
        ({"origins": "https://a.example"}, "origins: must be a list of origins, as in https://"),
        ({"origins": ["a.example"]}, "origins: 'a.example' is not allowed, https://example.org is"),
        ({"origins": [7]}, "origins: 7 is not allowed"),
    ],
)
def test_what_a_setting_cannot_be_is_one_sentence(changes, sentence):
    with pytest.raises(Invalid, match="^" + sentence.replace("(", r"\(")):
        Settings().changed(changes)


def test_every_setting_has_words_and_a_default_that_is_allowed():
    assert list(asdict(Settings())) == [one.name for one in SETTINGS]
    for one in SETTINGS:
        one.check(one.default)
        assert one.label
        assert one.sentence.endswith(".")
        assert one.from_text(str(one.to_text(one.default) or "")) in (one.default, [])
