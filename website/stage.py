"""Where the pages of the site come from: docs, and pages elsewhere that belong beside them.

Pages are written for the repository, where a link leads from file to file. Here they are copied
into one folder, and links follow: to the page a file has become, or else to the repository.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
REPOSITORY = "https://github.com/driftduel/driftduel/blob/main"
"""Where files that are no pages of the site are read; `[project.urls]` says the same."""

ELSEWHERE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "deploy/README.md": "deployment.md",
    "examples/embedding/README.md": "embedding.md",
    "examples/prompts/README.md": "prompts.md",
    "examples/first-look.ipynb": "first-look.ipynb",
    "examples/votes.ipynb": "votes-notebook.ipynb",
    "src/driftduel/worlds/data/NOTICES.md": "notices.md",
}
"""Pages that are not in docs, and what they are called on the site."""

_LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_FENCE = re.compile(r"^(`{3,})(.*)$")


def pages() -> dict[str, str]:
    """Return all pages and pictures: path in the repository -> path on the site."""
    found = {
        str(path.relative_to(ROOT)): str(path.relative_to(ROOT / "docs"))
        for path in sorted((ROOT / "docs").rglob("*"))
        if path.suffix in (".md", ".svg", ".png")
    }
    return found | {path: name for path, name in ELSEWHERE.items() if (ROOT / path).exists()}


def link_from(path: str, target: str, places: dict[str, str]) -> str:
    """Return where a link of a file leads on the site.

    >>> link_from("docs/votes.md", "../CONTRIBUTING.md#add-a-world", {"CONTRIBUTING.md": "contributing.md"})
    'contributing.md#add-a-world'
    >>> link_from("docs/votes.md", "../LICENSE", {})
    'https://github.com/driftduel/driftduel/blob/main/LICENSE'
    """  # noqa: E501
    if re.match(r"[a-z]+:|#", target):
        return target
    file, hash_, anchor = target.partition("#")
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / file).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    whole = "/".join(parts)
    if whole in places:
        return places[whole] + hash_ + anchor
    if not (ROOT / whole).exists():
        raise FileNotFoundError(f"{path} links to {target}, and there is no {whole}")
    return f"{REPOSITORY}/{whole}{hash_}{anchor}"


def _outside_of_code(text: str) -> Iterator[tuple[bool, str]]:
    """Yield every line, and whether it is text rather than an example."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            yield False, line
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
            yield False, line
        else:
            yield True, line


def follow(path: str, text: str, places: dict[str, str]) -> str:
    """Return a page with its links as they are on the site; examples stay as they are."""

    def led(link: re.Match[str]) -> str:
        return link[1] + link_from(path, link[2], places) + link[3]

    lines = _outside_of_code(text)
    return "".join(_LINK.sub(led, line) if is_text else line for is_text, line in lines)


def stage(folder: Path) -> None:
    """Write all pages to a folder that is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    places = pages()
    for path, name in places.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".md"):
            text = (ROOT / path).read_text(encoding="utf-8")
            file.write_text(follow(path, text, places), encoding="utf-8")
        elif path.endswith(".ipynb"):
            notebook = json.loads((ROOT / path).read_text(encoding="utf-8"))
            for cell in notebook["cells"]:
                if cell["cell_type"] == "markdown":
                    cell["source"] = follow(path, "".join(cell["source"]), places)
            file.write_text(json.dumps(notebook), encoding="utf-8")
        else:
            shutil.copy(ROOT / path, file)
