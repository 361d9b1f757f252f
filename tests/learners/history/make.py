"""Files of learners as earlier commits wrote them: each runs its own code in a folder of its own.

``python -m tests.learners.history.make`` writes ``FORMAT-COMMIT-LEARNER.json`` for each, and to
``expected.json`` what the code that wrote it said next. The files are kept, not made by tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILES = {
    "b772e70": ["Uniform", "FixedPair"],  # the first of format 1
    "8e45540": ["RUCB", "Uniform"],  # the last of format 1
    "9ce059a": ["MetaBosse", "RUCB", "Uniform", "DTS", "BordaElimination", "PeriodicRestart"],
    "2a163b1": ["MetaBosse", "RUCB"],  # the first of format 3
    "e280938": ["DriftPoll"],  # format 3; a state that no later code knows
    "fa3bc65": ["MetaBosse", "MetaBosse+arms", "DriftDuel", "DriftPoll", "DriftPoll+arms", "RUCB"],
    "b9357c4": ["MetaBosse", "DriftDuel", "DriftPoll", "DriftPoll+arms", "RUCB"],
    "aa909b8": ["DriftDuel", "DriftPoll", "DriftPoll+arms"],
    "53a4b45": ["MetaBosse", "DriftDuel", "DriftDuel+arms", "DriftPoll+arms"],
}
"""Which learners are saved by the code of which commit; 9ce059a is the last of format 2, fa3bc65 of
format 3, b9357c4 of format 4, aa909b8 the first of format 5, 53a4b45 of format 6. In those with
``+arms`` arms joined and left."""

NUMBER_OF_ROUNDS = 240
LEFT_OPEN = (60, 170, 239)


def play(name: str, *, arms: bool) -> Any:
    """Return a learner of the code imported that has played, with three duels open."""
    import numpy as np

    from driftduel import learners

    learner = getattr(learners, name)(4, seed=7, labels=tuple("abcd"))
    first = np.array([[5, 8, 7, 9], [2, 5, 6, 7], [3, 4, 5, 6], [1, 3, 4, 5]]) / 10
    random = np.random.default_rng(1)
    for n in range(NUMBER_OF_ROUNDS):
        if arms and n == 80:
            learner.change_arms(join=["e"])
        if arms and n == 160:
            learner.change_arms(leave=["b"])
        table = np.pad(first if n < 120 else first[::-1, ::-1], (0, 1), constant_values=0.5)
        duel = learner.ask()
        draw = random.random()
        if n in LEFT_OPEN:
            continue
        won = float(draw < table[duel.left, duel.right])
        learner.tell(duel, 0.5 if duel.left == duel.right or draw > 0.95 else won)
    return learner


def facts(learner: Any, path: Path) -> dict[str, Any]:
    """Return what a learner is and what the one that is read from its file asks next."""
    import driftduel as dd

    opened = getattr(learner, "open_duels", None)
    again = dd.load_learner(path)
    following = []
    for _ in range(6):
        duel = again.ask()
        following.append([duel.left, duel.right])
        again.tell(duel, 0.5)
    return {
        "best": learner.best_index if hasattr(learner, "best_index") else int(learner.best()),
        "rounds": int(learner.rounds),
        "open": opened and [[duel.id, duel.left, duel.right] for duel in opened],
        "next": following,
    }


def inside(folder: Path, names: list[str]) -> None:
    """Write files with the code that is on the path."""
    found = {}
    for name in names:
        kind, _, arms = name.partition("+")
        learner = play(kind, arms=bool(arms))
        learner.save(folder / f"{name}.json")
        found[name] = facts(learner, folder / f"{name}.json")
    (folder / "facts").write_text(json.dumps(found))


def main() -> None:
    """Write all files."""
    expected = {}
    for commit, names in FILES.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            words = ["git", "archive", commit]
            packed = subprocess.run(words, cwd=HERE.parents[2], check=True, capture_output=True)
            with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
                archive.extractall(folder / "code", filter="data")
            environment = {**os.environ, "PYTHONPATH": str(folder / "code" / "src")}
            call = [sys.executable, __file__, str(folder), *names]
            subprocess.run(call, check=True, env=environment, cwd=folder)
            for name, said in json.loads((folder / "facts").read_text()).items():
                text = (folder / f"{name}.json").read_text()
                number = json.loads(text)["driftduel_learner"]
                path = f"{number}-{commit}-{name.replace('+', '-')}.json"
                (HERE / path).write_text(text)
                expected[path] = said
    lines = [f"{json.dumps(path)}: {json.dumps(said)}" for path, said in expected.items()]
    (HERE / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    if sys.argv[1:]:
        inside(Path(sys.argv[1]), sys.argv[2:])
    else:
        main()
