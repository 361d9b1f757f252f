"""Build what is released, look at it, and use it as somebody does who has installed it.

``python requirements/release.py`` builds both files into dist, checks what they hold and say, and
installs the wheel in environments of their own: with nothing else, where the doors of the README
are tried, and with each extra, whose door is tried there. The workflows, forms and metadata of the
repository are checked by their schemas. Sizes are printed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
TOOLS = ("build", "twine", "check-jsonschema", "zizmor")
NOT_FOR_USERS = ("all", "dev", "docs")

FORMS = {
    "github-workflows": ".github/workflows/*.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "citation-file-format": "CITATION.cff",
    "compose-spec": "deploy/compose.yaml",
}
"""Files of others' making, by the schema that check-jsonschema holds for them."""

DOORS = {
    "": """
import subprocess, sys
import driftduel as dd
from pathlib import Path
rows = ["left,right,winner,time"]
rows += [f"tea,milk,{'milk' if n % 4 == 3 else 'tea'},2026-01-{1 + n // 10:02}" for n in range(200)]
Path("votes.csv").write_text("\\n".join(rows))
command = [sys.executable, "-m", "driftduel"]
said = subprocess.run([*command, "analyse", "votes.csv"], capture_output=True, text=True)
assert said.returncode == 0 and "tea is" in said.stdout, said
assert not Path("votes.csv.html").exists() and "driftduel[report]" in said.stdout, said
poll = dd.DriftPoll(["tea", "milk"], seed=1)
for _ in range(50):
    poll.tell(poll.ask(), "tea")
assert poll.best() == "tea"
subprocess.run([*command, "new", "drinks.db", "--arms", "tea", "milk"], check=True)
subprocess.run([*command, "status", "drinks.db"], check=True)
refused = subprocess.run([*command, "arena", "demo"], capture_output=True, text=True)
assert refused.returncode == 2 and "driftduel[arena]" in refused.stderr, refused
""",
    "report": """
import subprocess, sys
from pathlib import Path
Path("votes.csv").write_text("left,right,winner\\n" + "tea,milk,tea\\n" * 50)
subprocess.run([sys.executable, "-m", "driftduel", "analyse", "votes.csv"], check=True)
assert "<svg" in Path("votes.csv.html").read_text() or "vega" in Path("votes.csv.html").read_text()
""",
    "arena": """
from driftduel.arena import service as arena
import driftduel.arena.web
with arena.Service.open("sqlite:arena.db") as service:
    arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "milk"])
    asked = arena.ask(service, "drinks", "ann")
    assert arena.tell(service, asked.duel, "ann", "left").counted
""",
    "postgres": "import psycopg",
    "ratings": """
import driftduel as dd
found = dd.ratings(dd.votes.read({"left": ["a", "b"] * 9, "right": ["b", "a"] * 9,
                                  "winner": ["a", "a", "b"] * 6}))
assert len(found.frame) == 2
""",
    "excel": """
import driftduel as dd
import fastexcel
""",
    "cluster": "import distributed",
    "judge": """
from driftduel.arena.endpoint import Endpoint
Endpoint("http://127.0.0.1:9", "model")
""",
    "gym": """
import driftduel as dd
from driftduel.worlds import gym
gym.make(dd.Stream.stationary([[0.5, 0.6], [0.4, 0.5]], 9))
""",
}
"""What is tried with each extra, in an empty folder."""

MUST_HOLD = (
    "driftduel/py.typed",
    "driftduel/worlds/data/NOTICES.md",
    "driftduel-{version}.dist-info/licenses/LICENSE",
    "driftduel-{version}.dist-info/licenses/src/driftduel/worlds/data/NOTICES.md",
)
MUST_NOT_HOLD = ("studies", "benchmarks", "tests", "hindsight", "website")


def run(*words: str | Path, **settings: object) -> None:
    """Run a command; one that fails ends all of it."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(list(map(str, words)), check=True, env=environment, **settings)  # type: ignore[call-overload]


def python_in(folder: Path, *, beside: Path | None = None) -> Path:
    """Make an environment and return its Python; it sees the packages of ``beside``, too."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if beside is not None:
        (packages_of(python) / "beside.pth").write_text(str(packages_of(beside)))
    return python


def packages_of(python: Path) -> Path:
    """Return where a Python keeps its packages."""
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    done = subprocess.run(ask, check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


def install(python: Path, *what: str) -> None:
    """Install packages without compiling them to bytecode, which would add to their sizes."""
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", *what)


def size_of(folder: Path) -> float:
    """Return the megabytes of a folder's files."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def check_files(version: str) -> Path:
    """Say what both files hold, and end where something lacks; return the wheel."""
    wheel = DIST / f"driftduel-{version}-py3-none-any.whl"
    source = DIST / f"driftduel-{version}.tar.gz"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        told = archive.read(f"driftduel-{version}.dist-info/METADATA").decode()
    missing = {name.format(version=version) for name in MUST_HOLD} - set(names)
    assert not missing, f"the wheel lacks {missing}"
    strays = [name for name in names if any(part in name for part in MUST_NOT_HOLD)]
    assert not strays, f"the wheel holds {strays}"
    readme = message_from_string(told).get_payload()
    relative = [part for part in str(readme).split("](")[1:] if not part.startswith(("http", "#"))]
    assert not relative, f"the README on PyPI has a link that leads nowhere: {relative[0][:60]}"
    with tarfile.open(source) as archive:
        held = archive.getnames()
    for name in ("LICENSE", "CHANGELOG.md", "CITATION.cff", "src/driftduel/__init__.py"):
        assert f"driftduel-{version}/{name}" in held, f"the source lacks {name}"
    for file in (wheel, source):
        print(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB")
    return wheel


def check_tag(version: str, tag: str) -> None:
    """End if a tag is not that of this version, or the changelog and the citation have another."""
    assert tag in ("", f"v{version}"), f"the tag {tag} is not v{version}"
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = [line for line in changes.splitlines() if line.startswith("## ")]
    assert version in headings[0], f"CHANGELOG.md begins with {headings[0]!r}, not with {version}"
    assert not tag or "Unreleased" not in headings[0], f"{tag} has no date in CHANGELOG.md"
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def main() -> None:
    """Build, look, install and try."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = project["version"]
    check_tag(version, os.environ.get("TAG", ""))
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="driftduel-release-") as name:
        place = Path(name)
        tools = python_in(place / "tools")
        install(tools, *TOOLS)
        run(tools, "-m", "build", "--outdir", DIST, ROOT)
        wheel = check_files(version)
        run(tools, "-m", "twine", "check", "--strict", *DIST.iterdir())
        for schema, pattern in FORMS.items():
            check = [tools.parent / "check-jsonschema", "--builtin-schema", f"vendor.{schema}"]
            run(*check, *ROOT.glob(pattern))
        run(tools.parent / "zizmor", "--offline", "--quiet", ROOT / ".github")
        base = python_in(place / "base")
        before = size_of(packages_of(base))
        install(base, str(wheel))
        print(f"installed: {size_of(packages_of(base)) - before:.0f} MB; the largest:", end=" ")
        folders = [path for path in packages_of(base).iterdir() if path.is_dir()]
        largest = sorted(folders, key=size_of, reverse=True)[:5]
        print(", ".join(f"{path.name} {size_of(path):.0f}" for path in largest), flush=True)
        for extra in ["", *sorted(set(project["optional-dependencies"]) - set(NOT_FOR_USERS))]:
            folder = place / f"with-{extra}"
            python = base
            if extra:
                python = python_in(folder, beside=base)
                alone = size_of(packages_of(python))
                install(python, f"driftduel[{extra}] @ {wheel.as_uri()}")
                print(f"[{extra}]: {size_of(packages_of(python)) - alone:.0f} MB more", flush=True)
            here = place / f"try-{extra}"
            here.mkdir()
            run(python, "-c", DOORS[extra], cwd=here)
    print("both files are whole, and what is installed from them works")


if __name__ == "__main__":
    sys.exit(main())
