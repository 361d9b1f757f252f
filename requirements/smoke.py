"""Run the smoke tests with the lowest versions that pyproject.toml declares, or with the newest.

``python requirements/smoke.py lowest`` makes an environment for the run and removes it after; with
no word it does both.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTRAS = ("arena", "cluster", "ratings", "report")


def lowest() -> list[str]:
    """Return the lowest declared version of everything that users install, as in numpy==2.0."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = list(project["dependencies"])
    for extra in EXTRAS:
        declared += project["optional-dependencies"][extra]
    declared = [line.partition(";")[0] for line in declared]
    unclear = [line for line in declared if not re.fullmatch(r"[\w.-]+>=[\d.]+", line)]
    assert not unclear, unclear
    return [line.replace(">=", "==") for line in declared]


def smoke(constraints: list[str]) -> None:
    """Install the package under constraints in an environment of its own, and run the tests."""
    with tempfile.TemporaryDirectory(prefix="driftduel-smoke-") as folder:
        chosen = Path(folder) / "constraints.txt"
        chosen.write_text("\n".join(constraints))
        venv.create(Path(folder) / "venv", with_pip=True)
        python = str(Path(folder) / "venv" / "bin" / "python")
        install = [python, "-m", "pip", "install", "--quiet", "--no-compile", "-c", str(chosen)]
        what = ["--editable", f"{ROOT}[{','.join(EXTRAS)}]", "pytest"]
        subprocess.run([*install, *what], check=True)
        # An old version may use what a newer one it stands on says it will remove.
        tests = [python, "-m", "pytest", "-q", "-W", "ignore::DeprecationWarning"]
        subprocess.run([*tests, "tests/test_smoke.py"], cwd=ROOT, check=True)


def main() -> None:
    """Run for each word given: lowest, newest."""
    constraints = {"lowest": lowest(), "newest": []}
    for word in sys.argv[1:] or constraints:
        print(f"{word}: {' '.join(constraints[word])}", flush=True)
        smoke(constraints[word])


if __name__ == "__main__":
    main()
