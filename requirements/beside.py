"""Run the tests beside others, with the real packages, in an environment of its own.

``python requirements/beside.py`` makes the environment, which sees the packages of the one it is
run with, adds data frames, gymnasium and obp, and removes it after; ``beside.py peers`` adds
libraries that do a part of the same job.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
FRAMES = ("pandas", "pyarrow", "duckdb", "gymnasium>=1.0")
OBP = ("obp==0.4.1",)
"""Without what it asks for: a gigabyte of torch, which its estimators do not use."""
PEERS = ("choix", "arena-rank", "kickscore", "trueskillthroughtime")
OF_OBP = ("scikit-learn", "scipy", "matplotlib", "seaborn", "tqdm", "pyyaml")


def main() -> None:
    """Make the environment and run the tests in it."""
    peers = sys.argv[1:] == ["peers"]
    with tempfile.TemporaryDirectory(prefix="driftduel-beside-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        place = subprocess.run(ask, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        seen = [sysconfig.get_path("purelib"), str(ROOT / "src")]
        Path(place, "beside.pth").write_text("\n".join(seen))
        install = [python, "-m", "pip", "install", "--quiet", "--no-compile"]
        subprocess.run([*install, *(PEERS if peers else (*FRAMES, *OF_OBP))], check=True)
        if not peers:
            subprocess.run([*install, "--no-deps", *OBP], check=True)
        tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default"]
        file = "tests/test_peers.py" if peers else "tests/test_beside.py"
        done = subprocess.run([*tests, file, "--runxfail", "-rs"], cwd=ROOT, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
