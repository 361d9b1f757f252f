"""What processes of tests do: vote, each on a service of its own, and write down what was answered.

Run as ``python -m tests.arena.working WHAT URL FILE ...``. A line in the file is an answer that was
given: whoever has it must find the vote in the log, whatever happens to the process after.
"""

from __future__ import annotations

import sys
import time
from itertools import count
from threading import Thread

from driftduel.arena import Client, errors
from driftduel.arena import service as arena


def vote_on(url, journal, voter):
    """Vote until somebody ends the process; several threads share commits."""
    service = patiently(lambda: arena.Service.open(url))

    def work(name):
        verdicts = ["left", "right", "tie", "bad", "skip"]
        n = 0
        while True:
            n += 1
            duel = patiently(lambda: arena.ask(service, "drinks", name)).duel
            verdict = verdicts[n % len(verdicts)]
            told = patiently(lambda d=duel, v=verdict: arena.tell(service, d, name, v))
            with open(journal, "a", encoding="utf-8") as file:
                file.write(f"{duel} {verdict} {told.seq}\n")

    threads = [Thread(target=work, args=(f"{voter} {n}",), daemon=True) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def vote_at(addresses, key, journal, voter):
    """Vote over HTTP, at each server in turn, until somebody ends the process."""
    words = ["left", "right", "tie", "bad", "skip"]
    clients = [Client(address, key, patience=120) for address in addresses.split(",")]
    with open(journal, "a", encoding="utf-8") as file:
        for n in count():
            client, word = clients[n % len(clients)], words[n % len(words)]
            duel = client.ask(voter)
            told = clients[(n + n // 7) % len(clients)].tell(duel, word)
            file.write(f"{duel.id} {word} {told.seq}\n")
            file.flush()
            time.sleep(0.005)  # servers that start again have not all that much to fold


def race(url, journal, word, duels):
    """Tell all duels of a file as fast as possible, always the same verdict."""
    with arena.Service.open(url) as service:
        with open(duels, encoding="utf-8") as file:
            todo = file.read().split()
        parts = [todo[n::4] for n in range(4)]
        lines = []

        def work(part):
            for duel in part:
                try:
                    told = patiently(lambda d=duel: arena.tell(service, d, "ann", word))
                    lines.append(f"{duel} {word} {told.seq}")
                except errors.Conflict:
                    lines.append(f"{duel} lost")

        threads = [Thread(target=work, args=(part,)) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with open(journal, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


def patiently(action):
    """Try again while the database is away, as a client does."""
    while True:
        try:
            return action()
        except errors.Unavailable:
            time.sleep(0.05)


if __name__ == "__main__":
    {"vote": vote_on, "clients": vote_at, "race": race}[sys.argv[1]](*sys.argv[2:])
