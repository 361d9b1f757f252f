"""What deploy/ says, held against the command, the server and the databases."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import threading
from pathlib import Path

import httpx
import pytest
import typer
import yaml

from driftduel.arena import service as arena
from driftduel.cli.arena import app
from tests.arena.postgres import on_postgres, program
from tests.arena.serving import served
from tests.arena.voting import vote

DEPLOY = Path(__file__).parents[2] / "deploy"
README = (DEPLOY / "README.md").read_text()
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
UNIT = (DEPLOY / "driftduel-arena.service").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def options_of(words):
    """The options of a command line of `driftduel arena`, which must be one that it takes."""
    name, *rest = words
    command = typer.main.get_command(app).commands[name]
    return command.make_context(name, rest).params


def instruction(name):
    (found,) = re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)
    return found


def from_unit(name):
    (found,) = re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)
    return found


def of_image():
    assert yaml.safe_load(instruction("ENTRYPOINT")) == ["driftduel", "arena"]
    return options_of(yaml.safe_load(re.findall(r"^CMD (\[.*)$", DOCKERFILE, re.MULTILINE)[-1]))


def of_compose():
    return options_of(COMPOSE["services"]["arena"]["command"])


def of_unit():
    program, group, *words = shlex.split(from_unit("ExecStart"))
    assert (Path(program).name, group) == ("driftduel", "arena")
    return options_of(words)


@pytest.mark.parametrize("options", [of_image, of_compose, of_unit])
def test_what_is_run_is_a_command_behind_a_proxy(options):
    found = options()
    assert found["behind_proxy"]
    assert found["url"].startswith(("sqlite:/", "postgresql://"))


def test_everything_speaks_of_one_port():
    ports = {options()["port"] for options in (of_image, of_compose, of_unit)}
    ports.add(int(instruction("EXPOSE")))
    ports |= {int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)/health", DOCKERFILE + README)}
    (published,) = COMPOSE["services"]["arena"]["ports"]
    address, *both = published.split(":")
    ports |= set(map(int, both))
    for name in ("Caddyfile", "nginx.conf"):
        ports |= set(map(int, re.findall(r"127\.0\.0\.1:(\d+)", (DEPLOY / name).read_text())))
    assert ports == {8000}
    assert address == "127.0.0.1"


def test_nobody_is_root():
    assert int(instruction("USER").partition(":")[0]) > 0
    assert from_unit("User") not in ("", "root", "0")
    assert "user" not in COMPOSE["services"]["arena"]


def test_votes_are_on_a_volume_or_in_the_folder_of_the_unit():
    folder = instruction("VOLUME")
    assert of_image()["url"].startswith(f"sqlite:{folder}/")
    assert f"NUMBA_CACHE_DIR={folder}/" in DOCKERFILE
    for service in COMPOSE["services"].values():
        (mounted,) = service["volumes"]
        assert mounted.partition(":")[0] in COMPOSE["volumes"]
    assert of_unit()["url"].startswith(f"sqlite:/var/lib/{from_unit('StateDirectory')}/")
    assert f"NUMBA_CACHE_DIR=/var/cache/{from_unit('CacheDirectory')}" in UNIT


def test_compose_waits_for_a_healthy_database_restarts_and_holds_no_password():
    services = COMPOSE["services"]
    assert services["arena"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert "pg_isready" in services["database"]["healthcheck"]["test"]
    user, name = (services["database"]["environment"][f"POSTGRES_{key}"] for key in ("USER", "DB"))
    assert of_compose()["url"] == f"postgresql://{user}@database/{name}"
    for service in services.values():
        assert service["restart"] == "unless-stopped"
        assert service["env_file"] == "arena.env"
        assert not any("PASSWORD" in key for key in service.get("environment", {}))
    assert "printf 'POSTGRES_PASSWORD=%s\\nPGPASSWORD=%s\\n'" in README


def test_the_image_is_made_of_files_that_are_there():
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    kept = [line[1:] for line in ignored if line.startswith("!")]
    assert ignored[0] == "*"
    assert all((DEPLOY.parent / name).exists() for name in kept)
    assert {"pyproject.toml", "src", "README.md", "LICENSE", "requirements/arena.txt"} == set(kept)


def test_commands_of_the_page_are_commands():
    text = README.replace("\\\n", " ")
    lines = re.findall(
        r"(?:driftduel arena|run --rm arena|--volume arena:/data\s+driftduel-arena) "
        r"(new[^\n`]*|verify[^\n`]*)",
        text,
    )
    assert len(lines) >= 5
    for line in lines:
        options_of(shlex.split(line))


def test_the_health_check_and_the_metrics_are_answered(tmp_path):
    (check,) = re.findall(r"urlopen\('http://127.0.0.1:8000(/[a-z/]+)'", DOCKERFILE)
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee"])
        with served(service) as address, httpx.Client(base_url=address) as http:
            before = http.get("/metrics").text.splitlines()  # of other tests in this process
            assert http.get(check).status_code == 200
            for path in re.findall("`(/health/[a-z]+)`", README):
                assert http.get(path).status_code == 200
            me = {"Authorization": f"Bearer {made.embed_key}", "X-Voter": "me"}
            duel = http.post("/api/v1/arenas/drinks/duels", headers=me).json()["duel"]
            told = http.put(f"/api/v1/duels/{duel}/verdict", headers=me, json={"verdict": "left"})
            assert told.status_code == 201
            (duel,) = re.findall('name="duel" value="([^"]+)"', http.get("/drinks").text)
            said = {"duel": duel, "verdict": "left"}
            told = http.post("/drinks/vote", data=said, headers={"Origin": address})
            assert told.status_code == 303
            metrics = http.get("/metrics").text
    names = set(re.findall(r"arena_[a-z_]+", README)) - {"arena_env"}
    assert len(names) >= 4
    for name in names:
        assert re.search(rf"^{name}[ {{]", metrics, re.MULTILINE), name
    counted = re.findall(
        r'seconds_count{method="P[A-Z]+",route="([^"]+)",status="([^"]+)"',
        "\n".join(line for line in metrics.splitlines() if line not in before),
    )
    asked = re.findall(r'route=~"([^"]+)"', README)
    assert len(asked) == 2
    for pattern in asked:
        votes = [status for route, status in counted if matches(pattern, route)]
        assert sorted(votes) == ["201", "303"]
    assert all(re.fullmatch("[23]..", status) for _, status in counted)


def matches(pattern, text):
    """Whether a pattern of the page, which is in a table, is one of the text."""
    return re.fullmatch(pattern.replace(r"\|", "|"), text) is not None


class Voting:
    """Somebody who votes until the block ends."""

    def __init__(self, service):
        self.service, self.going = service, True
        self.thread = threading.Thread(target=self._vote)

    def _vote(self):
        while self.going:
            vote(self.service)

    def __enter__(self):
        for _ in range(20):
            vote(self.service)
        self.thread.start()

    def __exit__(self, *exception):
        self.going = False
        self.thread.join()


def page_command(beginning):
    (found,) = re.findall(rf"^({beginning}.*)$", README, re.MULTILINE)
    return found


def on_sqlite3(test):
    """Leave a test out where there is no sqlite3 command."""
    return test if shutil.which("sqlite3") else None


@on_sqlite3
def test_a_copy_of_a_file_that_is_voted_on_can_be_restored(tmp_path):
    (tmp_path / "server").mkdir()
    with arena.Service.open(f"sqlite:{tmp_path}/server/arena.db") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with Voting(service):
            copy = page_command("sqlite3")
            subprocess.run(copy, shell=True, check=True, cwd=tmp_path / "server")
    (tmp_path / "restored").mkdir()
    shutil.copy(tmp_path / "server" / "copy.db", tmp_path / "restored" / "copy.db")
    subprocess.run(page_command("cp copy.db"), shell=True, check=True, cwd=tmp_path / "restored")
    check_restored(f"sqlite:{tmp_path}/restored/arena.db", made)


@on_postgres
def test_a_dump_of_a_database_that_is_voted_on_can_be_restored(postgres, tmp_path):
    with arena.Service.open(postgres.emptied()) as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with Voting(service):
            run_pg("pg_dump", {"DATABASE": postgres.url}, tmp_path)
    run_pg("pg_restore", {"EMPTY": postgres.emptied()}, tmp_path)
    check_restored(postgres.url, made)


def run_pg(name, addresses, folder):
    words = shlex.split(page_command(name))
    for key, url in addresses.items():
        words = [word.replace(f"${key}", url) for word in words]
    subprocess.run([program(name), *words[1:]], cwd=folder, check=True)


def check_restored(url, made):
    with arena.Service.open(url, create=False) as service:
        (found,) = arena.verify(service.store)
        assert found.votes >= 20
        assert arena.holder_of(service, made.owner_token).role == "owner"
        vote(service)


def on_systemd(test):
    """Leave a test out where there is no systemd."""
    return test if shutil.which("systemd-analyze") else None


@on_systemd
def test_systemd_finds_the_unit_whole_and_safe(tmp_path):
    unit = tmp_path / "driftduel-arena.service"
    program = shlex.split(from_unit("ExecStart"))[0]
    unit.write_text(UNIT.replace(program, "/bin/true"))
    for words in (["verify"], ["security", "--offline=true", "--threshold=15"]):
        done = subprocess.run(
            ["systemd-analyze", *words, str(unit)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "driftduel-arena.service:" not in done.stderr, done.stderr
