"""Do what deploy/Dockerfile does, without Docker: its steps as a script, then its server.

``python requirements/image.py`` copies what the image gets, runs the steps of its first stage in a
folder with the Python that the Dockerfile names (or, saying so, with this one), starts the command
of the image on a poll, asks its health check, and stops it as Docker would. What needs an image or
root is left out: making the user, and the base image itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
PREFIX, DATA, PORT = "/opt/driftduel", "/data", "8000"
PATIENCE = 90


def steps(stage: str) -> list[tuple[str, str]]:
    r"""Return the instructions of a stage, each with its words on one line.

    >>> steps("# a page\nRUN a \\\n    && b\nUSER 1\n")
    [('RUN', 'a && b'), ('USER', '1')]
    """
    text = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", stage, flags=re.MULTILINE))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines())]


def stages() -> list[str]:
    """Return the text of every stage, beginning with the name of its base."""
    return re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]


def python_of(stage: str) -> str:
    """Return the Python of the version that a stage is based on, or else this one."""
    (version,) = re.findall(r"^python:(\d+\.\d+)", stage)
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for found in (shutil.which(f"python{version}"), *map(str, kept)):
        works = found and subprocess.run([found, "-V"], capture_output=True, check=False)
        if found and works and works.returncode == 0:
            return found
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    print(f"there is no Python {version} here; the steps are run with {here}")
    return sys.executable


def copy_context(folder: Path) -> None:
    """Copy what .dockerignore lets into the image."""
    ignored = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text().split()
    for name in (line[1:] for line in ignored if line.startswith("!")):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


def free_port() -> str:
    """Return a port that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def main() -> None:
    """Build in a folder, serve from it, ask for its health, stop it."""
    build, final = stages()
    with tempfile.TemporaryDirectory(prefix="driftduel-image-") as name:
        place = Path(name)
        source, data, tools = place / "source", place / "data", place / "tools"
        for folder in (data, tools):
            folder.mkdir(mode=0o700)
        copy_context(source)
        (tools / "python").symlink_to(python_of(build))
        clean = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(data)}
        clean |= {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
        port = free_port()

        def here(text: str) -> str:
            moved = text.replace(PREFIX, str(place / "driftduel")).replace(DATA, str(data))
            return moved.replace("0.0.0.0", "127.0.0.1").replace(PORT, port)

        for word, rest in steps(build):
            if word == "RUN":
                subprocess.run(["sh", "-ec", here(rest)], cwd=source, env=clean, check=True)
        shutil.rmtree(source)  # the image has the environment alone
        for word, rest in steps(final):
            if word == "ENV":
                for key, value in re.findall(r"(\w+)=(\S+)", here(rest)):
                    clean[key] = value.replace("$PATH", clean["PATH"])
        told = dict(steps(final))
        entry, command = json.loads(told["ENTRYPOINT"]), json.loads(here(told["CMD"]))
        health = json.loads(here(told["HEALTHCHECK"].partition("CMD ")[2]))
        new = ["new", "lunch", "--arms", "soup,pie", "--database", f"sqlite:{data}/arena.db"]
        subprocess.run([*entry, *new], env=clean, check=True, cwd=data, stdout=subprocess.DEVNULL)
        server = subprocess.Popen([*entry, *command], env=clean, cwd=data)
        try:
            end = time.monotonic() + PATIENCE
            while subprocess.run(health, env=clean, capture_output=True, check=False).returncode:
                assert server.poll() is None, f"the server ended with {server.returncode}"
                assert time.monotonic() < end, f"the server was not healthy after {PATIENCE} s"
                time.sleep(0.5)
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(30)
        assert code == 0, f"the server ended with {code}"
        assert not list(data.glob("*.pid"))
        print("the steps of deploy/Dockerfile work: built, served, healthy, stopped")


if __name__ == "__main__":
    main()
