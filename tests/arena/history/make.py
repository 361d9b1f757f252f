"""Databases as earlier commits made them: each runs its own code in a folder of its own.

``python -m tests.arena.history.make [COMMIT ...]`` writes, for each commit, the tables as SQL of
both databases, the rows as compressed JSON lines, and to ``expected.json`` what that commit said of
them, and what the last one before migrations said if it is older. ``make golden`` writes the log
of thousands of votes and the answers of the first rules, ``make answers N`` those of the present
code as those of rules N. Names and times are the same every time; tokens, salts and the numbers of
duels are not, so the files of this folder are kept, not made by tests.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from base64 import b64decode, b64encode
from contextlib import closing
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

COMMITS = {
    "dcec8a2": "the first tables, with an index of rare events",
    "6b0c6a2": "the same tables; the first code that keeps snapshots",
    "f256c28": "voters found by an index of their own, no index of rare events",
    "fa3bc65": "the last code before migrations",
    "c81c04f": "schema 2: the row names learner and rules, rules 1",
    "484591a": "schema 4: hashes of logs, suggestions, rules 3",
}
BEFORE_MIGRATIONS = ("dcec8a2", "6b0c6a2", "f256c28", "fa3bc65")
LAST = "fa3bc65"
HERE = Path(__file__).parent
START = 1_790_000_000_000_000
"""When the life of an arena begins, in microseconds since 1970: 21 September 2026."""

MINUTE, DAY = 60_000_000, 86_400_000_000
PIXEL = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)


class Clock:
    """The time as the code of an arena sees it: it stands still unless it is moved."""

    now = START

    def __call__(self) -> int:
        """Return it in nanoseconds."""
        return Clock.now * 1000


def live(url: str) -> None:
    """Let two arenas have a life of a month in an empty database, through the code imported."""
    import numpy as np

    from driftduel.arena import service as arena
    from driftduel.arena.model import Card

    time.time_ns = Clock()
    random = np.random.default_rng(22)
    with arena.Service.open(url) as service:
        service.rng = np.random.default_rng(23)
        settings = {"cap": 40, "origins": ["https://example.org"], "expire": 7200}
        names = ["Tea", "Coffee", "Cocoa", "Café au lait"]
        question = "Which do you like better?"
        arena.create_arena(service, "drinks", question, names, settings=settings, seed=7)
        arena.create_arena(service, "empty", question, ["One", "Two"], title="None yet", seed=8)
        worth = {"Tea": 3.0, "Coffee": 0.5, "Cocoa": 0.3, "Café au lait": 0.2}
        told: list[tuple[str, str]] = []

        def vote(n: int, minutes: int) -> None:
            for _ in range(n):
                Clock.now += minutes * MINUTE
                voter = f"voter {random.integers(12)}"
                asked = arena.ask(service, "drinks", voter)
                draw = random.random()
                if draw < 0.06:
                    continue  # nobody answers
                word = "left"
                if draw < 0.20:
                    word = "tie" if draw < 0.12 else "bad" if draw < 0.15 else "skip"
                answer = arena.tell(service, asked.duel, voter, word) if draw < 0.20 else None
                if answer is None:
                    hidden = pair_of(url, asked.duel)
                    left, right = (worth[by_number[number]] for number in hidden)
                    word = "left" if random.random() * (left + right) < left else "right"
                    arena.tell(service, asked.duel, voter, word)
                told.append((asked.duel, voter))
                service.follow()

        def numbers() -> dict[int, str]:
            return {arm.id: arm.name for arm in arena.describe(service, "drinks").arms}

        by_number = numbers()
        vote(100, 30)
        arena.retract(service, *told[-1])
        arena.retract_as_owner(service, "drinks", told[40][0])
        service.follow()
        first = arena.voters(service, "drinks")
        arena.exclude(service, "drinks", first[0].voter)
        service.follow()
        vote(30, 30)
        arena.include(service, "drinks", first[0].voter)
        arena.change_arms(service, "drinks", rename={"cafe-au-lait": "Latte"})
        worth["Latte"] = worth.pop("Café au lait")
        arena.change_arms(service, "drinks", add=["Juice"], pause=["cocoa"])
        worth["Juice"] = 0.4
        by_number = numbers()
        for name in ("tea", "coffee", "latte", "juice"):
            slug = "cafe-au-lait" if name == "latte" else name
            arena.set_card(service, "drinks", slug, Card("markdown", f"A cup of *{name}*"))
            arena.set_card(service, "drinks", slug, Card("text", f"{name} at night"), "night")
        # At first who gave an image said of which type it is.
        image = PIXEL if hasattr(arena, "suggest") else ("image/png", PIXEL)
        arena.set_card(service, "drinks", "juice", Card("image", "orange"), "", image)
        service.follow()
        vote(40, 40)
        with tempfile.TemporaryDirectory() as folder:
            votes = Path(folder) / "votes.csv"
            rows = [
                f"2026-09-{day:02d}T{hour:02d}:30:00Z,{left},{right},{won}"
                for day, hour, left, right, won in (
                    (1 + n // 4, n % 24, *("Tea Coffee" if n % 3 else "Juice Tea").split(), n % 2)
                    for n in range(24)
                )
            ]
            votes.write_text("time,left,right,left_won\n" + "\n".join(rows) + "\n")
            arena.import_votes(service, "drinks", votes, "uniform")
            arena.import_votes(service, "drinks", votes, "other")
        arena.change_arms(service, "drinks", resume=["cocoa"])
        service.follow()
        vote(60, 40)
        worth.update(Tea=0.2, Coffee=4.0)
        vote(280, 20)
        arena.forget(service, "drinks", service.voter("voter 3"))
        arena.change_arena(service, "drinks", {"public": True, "title": "Hot drinks"})
        arena.exclude(service, "drinks", arena.voters(service, "drinks")[-1].voter)
        arena.retract_as_owner(service, "drinks", told[-30][0])
        kept = arena.new_token(service, "drinks", "read", "for the wall")
        assert kept
        arena.new_token(service, "drinks", "embed", "lost")
        lost = [one for one in arena.tokens(service, "drinks") if one.label == "lost"]
        arena.revoke_token(service, "drinks", lost[0].id)
        arena.ask(service, "empty", "voter 1")
        if hasattr(arena, "suggest"):
            arena.change_arena(service, "drinks", {"suggestions": True})
            for voter, name in (("voter 1", "Water"), ("voter 2", "Beer"), ("voter 4", "Lemonade")):
                arena.suggest(service, "drinks", voter, name)
            arena.decline_suggested(service, "drinks", "Beer")
        if hasattr(arena, "purge"):
            arena.purge(service)
        service.follow()
        if hasattr(service, "keep_snapshots"):
            service.keep_snapshots(1)
        vote(12, 5)
        for _ in range(2):
            arena.ask(service, "drinks", "voter 5")


def live_long(url: str, seed: int, names: list[str], votes: int, slug: str = "drinks") -> None:
    """Let an arena have thousands of votes in which tastes change twice, and arms come and go."""
    import numpy as np

    from driftduel.arena import service as arena

    time.time_ns = Clock()
    Clock.now = START
    random = np.random.default_rng(seed)
    with arena.Service.open(url) as service:
        service.rng = np.random.default_rng(seed + 1)
        settings = {"cap": 60, "expire": 3600}
        arena.create_arena(service, slug, "Which?", names[:-1], settings=settings, seed=seed)
        worth = dict.fromkeys(names, 0.7) | {names[0]: 2.5, names[1]: 1.2}
        excluded = ""
        told: list[str] = []
        for n in range(votes):
            Clock.now += 10 * MINUTE
            if n == votes // 3:
                worth.update({names[0]: 0.3, names[1]: 2.8})
            if n == 2 * votes // 3:
                worth.update({names[1]: 0.3, names[2]: 2.8})
            if n == votes // 6:
                arena.change_arms(service, slug, add=[names[-1]])
            if n == votes // 4 and len(names) > 3:
                arena.change_arms(service, slug, pause=[names[-2]])
            if n == votes // 2 and len(names) > 3:
                arena.change_arms(service, slug, resume=[names[-2]], rename={names[-1]: "Anew"})
                worth["Anew"] = worth[names[-1]]
            if n == votes // 5 + 9:
                arena.import_votes(service, slug, _votes_from_elsewhere(names), "uniform")
                arena.import_votes(service, slug, _votes_from_elsewhere(names), "other")
            if n in (votes // 5, 4 * votes // 5):
                excluded = arena.voters(service, slug)[3].voter
                arena.exclude(service, slug, excluded)
            if n == votes // 2 + 40:
                arena.include(service, slug, excluded)
            if n % 301 == 300:
                arena.retract_as_owner(service, slug, told[-7])
            service.follow()
            voter = f"voter {random.integers(40)}"
            asked = arena.ask(service, slug, voter)
            by_number = {arm.id: arm.name for arm in service.hosted(slug).replica.arms.values()}
            left, right = (worth[by_number[number]] for number in pair_of(url, asked.duel))
            word = "left" if random.random() * (left + right) < left else "right"
            draw = random.random()
            if draw < 0.12:
                word = "tie" if draw < 0.07 else "bad" if draw < 0.09 else "skip"
            Clock.now += 5_000_000
            arena.tell(service, asked.duel, voter, word)
            told.append(asked.duel)


def _votes_from_elsewhere(names: list[str]) -> Any:
    import polars as pl

    rows = [(names[n % 2], names[2 - n % 2], n % 3 == 0) for n in range(30)]
    return pl.DataFrame(
        {
            "time": [f"2026-09-{1 + n // 3:02d}T12:{n % 60:02d}:00Z" for n in range(len(rows))],
            "left": [one[0] for one in rows],
            "right": [one[1] for one in rows],
            "left_won": [int(one[2]) for one in rows],
        }
    )


def pair_of(url: str, duel: str) -> tuple[int, int]:
    """Return the arms of an open duel as shown, whatever the code imported calls them."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        query = 'SELECT "left", "right" FROM duel WHERE id = ?'
        left, right = connection.execute(query, (duel,)).fetchone()
    return left, right


def facts(url: str) -> dict[str, Any]:
    """Return what the code imported says of a database."""
    sys.path.insert(0, str(HERE))  # the code on the path may be of another commit
    from restore import answers_of

    from driftduel.arena import service as arena

    time.time_ns = Clock()
    Clock.now = START + 60 * DAY
    found: dict[str, Any] = {}
    with arena.Service.open(url) as service:
        service.follow()
        for one in arena.verify(service.store):
            lines = "".join(arena.votes_csv(service, one.slug, everything=True)).splitlines(True)
            status = arena.status(service, one.slug)
            said: dict[str, Any] = {"status": asdict(status)}
            said["status"].pop("arena")
            if hasattr(status, "standing"):  # since then a status is a record of records
                said = {"answers": answers_of(status)}
            found[one.slug] = {
                "verified": asdict(one),
                **said,
                "exported": len(lines) - 1,
                "export_sha256": hashlib.sha256("".join(lines).encode()).hexdigest(),
            }
    return found


def tables(dialect: str) -> str:
    """Return the tables of the code imported as SQL."""
    parts: list[str] = []
    try:
        from driftduel.arena.store.migrations import migrate
    except ImportError:  # older code, by SQLAlchemy
        parts = _tables_before_migrations(dialect)
    else:

        def execute(sql: str, **values: Any) -> list[Any]:
            if not sql.startswith(("SELECT", "INSERT", "DELETE")):
                parts.append(sql)
            return []

        migrate(execute, dialect, 0)
    lines = "".join(f"{part.expandtabs(2)};\n\n" for part in parts).splitlines()
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _tables_before_migrations(dialect: str) -> list[str]:
    import sqlalchemy as sa
    from driftduel.arena.store.schema import metadata
    from sqlalchemy.dialects import postgresql, sqlite

    kinds: dict[str, Any] = {"sqlite": sqlite.dialect, "postgresql": postgresql.dialect}
    kind = kinds[dialect]()
    parts: list[str] = []
    engine = sa.create_mock_engine(
        f"{dialect}://", lambda sql, *_: parts.append(str(sql.compile(dialect=kind)).strip())
    )
    metadata.create_all(engine, checkfirst=False)
    return parts


def rows_of(path: Path, only: tuple[str, ...] = (), *, tidy: bool = False) -> bytes:
    """Return the rows of a file of SQLite as JSON lines: a table, its columns, then its rows.

    To be small, a tidy one numbers its duels, and leaves out what the tickets say too.
    """
    connection = sqlite3.connect(path)
    lines = []
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
        if only and table not in only:
            continue
        found = connection.execute(f'SELECT * FROM "{table}"')
        columns = [one[0] for one in found.description]
        lines.append(json.dumps({"table": table, "columns": columns}))
        for row in found:
            changed = list(row)
            if tidy and table == "event":
                places = {name: n for n, name in enumerate(columns)}
                changed[places["propensity"]] = None
                if row[places["duel"]] is not None:
                    changed[places["duel"]] = f"{row[places['seq']]:022d}"
            values = [
                {"bytes": b64encode(value).decode()} if isinstance(value, bytes) else value
                for value in changed
            ]
            lines.append(json.dumps(values, ensure_ascii=False))
    connection.close()
    return ("\n".join(lines) + "\n").encode()


def answers(folder: Path, rules: int | None = None) -> dict[int, Any]:
    """Return what the code imported says of the log, at several heads, by rules if it has any."""
    sys.path.insert(0, str(HERE))  # the code on the path may be of another commit
    from restore import HEADS, answers_of, restore_log, use_rules

    from driftduel.arena import service as arena

    found = {}
    for head in HEADS:
        path = folder / f"{head}.db"
        restore_log(path, head)
        if rules is not None:
            use_rules(path, rules)
        with arena.Service.open(f"sqlite:///{path}") as service:
            found[head] = answers_of(arena.status(service, "drinks"))
    return found


def inside(folder: Path, step: str) -> None:
    """Do one step with the code that is on the path: make a database, or say what is in it."""
    url = f"sqlite:///{folder / 'arena.db'}"
    if step == "golden":
        live_long(url, 3, ["Tea", "Coffee", "Cocoa", "Latte", "Milk", "Juice"], 3000)
        (folder / "rows").write_bytes(rows_of(folder / "arena.db", ("event", "arena"), tidy=True))
        return
    if step == "answers":
        (folder / "answers.json").write_text(json.dumps(answers(folder)))
        return
    if step == "live":
        live(url)
        for dialect in ("sqlite", "postgresql"):
            (folder / f"{dialect}.sql").write_text(tables(dialect))
        (folder / "rows").write_bytes(rows_of(folder / "arena.db"))
    (folder / f"{step}.json").write_text(json.dumps(facts(url)))


def make(commit: str, repository: Path) -> dict[str, Any]:
    """Write the files of a commit; return what is expected of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _unpack(commit, folder / commit, repository)
        _run(folder / commit, folder, "live")
        for dialect in ("sqlite", "postgresql"):
            (HERE / f"{commit}.{dialect}.sql").write_bytes((folder / f"{dialect}.sql").read_bytes())
        rows = (folder / "rows").read_bytes()
        (HERE / f"{commit}.jsonl.gz").write_bytes(gzip.compress(rows, 9, mtime=0))
        said = {"made_by": commit, "then": json.loads((folder / "live.json").read_text())}
        if commit in BEFORE_MIGRATIONS:
            _unpack(LAST, folder / LAST, repository)
            _run(folder / LAST, folder, "last")
            said["before_migrations"] = json.loads((folder / "last.json").read_text())
        return said


def make_golden(repository: Path) -> None:
    """Write a log, and the answers of the code before migrations, whose rules are called 1."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _unpack(LAST, folder / LAST, repository)
        _run(folder / LAST, folder, "golden")
        (HERE / "log.jsonl.gz").write_bytes(
            gzip.compress((folder / "rows").read_bytes(), 9, mtime=0)
        )
        _run(folder / LAST, folder, "answers")
        keep_answers(1, json.loads((folder / "answers.json").read_text()))


def keep_answers(rules: int, found: dict[Any, Any]) -> None:
    """Write the answers of a version of the rules."""
    lines = [f'"{head}": {json.dumps(one)}' for head, one in found.items()]
    (HERE / f"answers-{rules}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _unpack(commit: str, folder: Path, repository: Path) -> None:
    words = ["git", "archive", commit]
    packed = subprocess.run(words, cwd=repository, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _run(code: Path, folder: Path, step: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(code / "src")}
    words = [sys.executable, __file__, "--inside", str(folder), step]
    subprocess.run(words, check=True, env=environment, cwd=folder)


def main(words: list[str]) -> None:
    """Make the databases of the commits named, all if none is."""
    if words[:1] == ["--inside"]:
        inside(Path(words[1]), words[2])
        return
    if words == ["golden"]:
        make_golden(HERE.parents[2])
        return
    if words[:1] == ["answers"]:
        with tempfile.TemporaryDirectory() as name:
            keep_answers(int(words[1]), answers(Path(name), int(words[1])))
        return
    path = HERE / "expected.json"
    expected = json.loads(path.read_text()) if path.exists() else {}
    for commit in words or COMMITS:
        expected[commit] = make(commit, HERE.parents[2])
    path.write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
