"""What users copy has types: README, docs and examples under ``mypy --strict`` and pyright.

``make types`` runs it. The examples of a page become one file, at their own lines, so that
what is reported names the page and the line.
"""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

MYPY = ("--strict", "--config-file=", "--ignore-missing-imports", "--hide-error-context")


def code_of_page(text: str) -> str:
    """Return the examples of a page, each at its own line."""
    lines: list[str] = []
    for example in doctest.DocTestParser().get_examples(text):
        lines += [""] * (example.lineno - len(lines)) + example.source.splitlines()
    return "\n".join([*lines, ""])


def code_of_notebook(text: str) -> str:
    """Return the code of a notebook, without what is for the notebook alone."""
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join("".join(cell["source"]) for cell in cells) + "\n"


def examples() -> dict[str, str]:
    """Return all code that users may copy, by the name of a module that tells where it is from."""
    found = {path: code_of_page(path.read_text(encoding="utf-8")) for path in PAGES}
    for path in sorted((ROOT / "examples").rglob("*.ipynb")):
        found[path] = code_of_notebook(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "examples").rglob("*.py")):
        found[path] = path.read_text(encoding="utf-8")
    return {
        re.sub(r"\W", "_", str(path.relative_to(ROOT))) + ".py": code
        for path, code in found.items()
        if code.strip()
    }


def main() -> int:
    """Check all examples with both; return 1 if one of them finds fault."""
    with tempfile.TemporaryDirectory(prefix="driftduel-types-") as folder:
        for name, code in examples().items():
            Path(folder, name).write_text(code, encoding="utf-8")
        files = sorted(map(str, Path(folder).glob("*.py")))
        settings = {"typeCheckingMode": "standard", "reportMissingImports": "none"}
        shown = {"reportUnusedExpression": "none", "reportMissingModuleSource": "none"}
        Path(folder, "pyrightconfig.json").write_text(json.dumps(settings | shown))
        checks = (
            [sys.executable, "-m", "mypy", *MYPY, *files],
            [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", folder],
        )
        codes = [subprocess.run(check, cwd=ROOT, check=False).returncode for check in checks]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
