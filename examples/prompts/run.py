"""Four prompts for a language model, judged by votes; a fifth joins while people vote.

    python examples/prompts/run.py

starts a server on a new file, prompts.db, and is its owner, its product and its voters, one after
the other. See README.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

from driftduel.arena import Client

HERE = Path(__file__).parent
DATA = json.loads((HERE / "prompts.json").read_text(encoding="utf-8"))
PROMPTS, ANSWERS = DATA["prompts"], DATA["answers"]
*FIRST, LATER = PROMPTS
QUESTION = "Which answer would you rather have got?"
DRIFTDUEL = [sys.executable, "-c", "import sys; from driftduel.cli import main; sys.exit(main())"]


def main() -> None:
    """Play all parts, and print who is best before and after the fifth prompt joins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=2000, help="before it joins, and after")
    parser.add_argument("--database", type=Path, default=Path("prompts.db"), help="a new file")
    options = parser.parse_args()
    words = ["new", "prompts", "--arms", ",".join(FIRST), "--question", QUESTION]
    made = json.loads(arena(*words, "--database", str(options.database), "--json"))
    with server(options.database) as url:
        owner, product = made["owner_token"], Client(url, made["embed_key"])
        for prompt in FIRST:
            show(url, owner, prompt)
        vote(product, options.votes)
        print(report(Client(url, owner)))

        print(f"\n{LATER!r} joins while people vote.")
        send(url, owner, "POST", "arms", {"arms": [LATER], "offered": False})
        show(url, owner, LATER)  # what it answers, before anybody is asked about it
        send(url, owner, "PATCH", "arms", {"resume": [LATER]})
        vote(product, options.votes)
        print(report(Client(url, owner)))
    print(f"\nTo look at the votes: driftduel arena serve {options.database}")
    print(f"owner token {owner}")


def show(url: str, token: str, prompt: str) -> None:
    """Set what voters see of a prompt: its answer to each task, and not what it is called."""
    for task, answers in ANSWERS.items():
        card = {"kind": "markdown", "body": answers[prompt]}
        path = f"arms/{quote(slug_of(url, token, prompt))}/card?context={quote(task)}"
        send(url, token, "PUT", path, card)


def vote(product: Client, votes: int, voters: int = 8) -> None:
    """Let people vote, as the file of preferences says they do."""
    chances = read_chances()
    prompt_of = {
        (task, body): prompt
        for task, answers in ANSWERS.items()
        for prompt, body in answers.items()
    }

    def person(number: int) -> None:
        following = None
        for _ in range(votes // voters):
            duel = following or product.ask(f"person {number}")
            task = duel.context or ""
            left, right = (prompt_of[task, side.body] for side in (duel.left, duel.right))
            verdict = "left" if random.random() < chances[task, left, right] else "right"
            following = product.tell(duel, verdict, wants_next=True).next

    with ThreadPoolExecutor(voters) as pool:
        list(pool.map(person, range(voters)))


def read_chances() -> dict[tuple[str, str, str], float]:
    """Return how likely the first prompt's answer to a task is preferred to the second's."""
    chances = {}
    with (HERE / "preferences.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            chance = float(row["probability"])
            chances[row["task"], row["prompt"], row["other"]] = chance
            chances[row["task"], row["other"], row["prompt"]] = 1.0 - chance
    return chances


def report(owner: Client) -> str:
    """Return who is best, and how sure that is."""
    status = owner.status()
    sure = "decided" if status["decided"] else f"about {status['missing']} more votes to decide"
    lines = [f"After {status['votes']:,} votes {status['best']!r} is best; {sure}."]
    arms = [arm for arm in status["arms"] if arm["score"] is not None]
    for arm in sorted(arms, key=lambda arm: -arm["score"]):
        lines.append(
            f"  {arm['name']:22} wins {arm['score']:4.0%} ({arm['low']:.0%} to {arm['high']:.0%}), "
            f"best with {arm['probability']:.0%}"
        )
    return "\n".join(lines)


def slug_of(url: str, token: str, name: str) -> str:
    """Return the name of an arm in addresses."""
    slug: str
    (slug,) = [arm["slug"] for arm in send(url, token, "GET")["arms"] if arm["name"] == name]
    return slug


def send(url: str, token: str, method: str, path: str = "", body: object = None) -> Any:
    """Do what only an owner may."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    address = f"{url}/api/v1/arenas/prompts/{path}".rstrip("/")
    with urlopen(Request(address, data, headers, method=method), timeout=60) as answer:
        return json.loads(answer.read() or "{}")


def arena(*words: str) -> str:
    """Run `driftduel arena` and return what it prints."""
    return subprocess.run(
        [*DRIFTDUEL, "arena", *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


@contextmanager
def server(file: Path) -> Iterator[str]:
    """Serve a file; yield the address."""
    words = ["arena", "serve", str(file), "--port", "0"]
    with subprocess.Popen(
        [*DRIFTDUEL, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        try:
            yield first.split()[1].rpartition("/")[0]
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
