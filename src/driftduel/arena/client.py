"""A client for programs: asks, tells, and tries again when it must, which is always safe.

A duel counts once, however often it is told, and one that is never told changes nothing.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from driftduel.arena.errors import ArenaError, Unavailable, error_of
from driftduel.arena.fields import Fields


@dataclass(frozen=True)
class Side:
    """What to show on a side: ``body`` is text or markdown, ``image`` an address or None.

    ``name`` is the arm's, None if the arena is blind and has a card for it.
    """

    name: str | None
    kind: str
    body: str
    image: str | None


@dataclass(frozen=True)
class Pair:
    """Two arms for a voter; ``id`` is what allows to answer it."""

    id: str
    voter: str
    left: Side
    right: Side
    context: str | None


@dataclass(frozen=True)
class Reply:
    """What the server says of a verdict.

    ``seq`` is its number, and ``reason`` says why it does not count; ``left`` and ``right`` are
    the names of the arms, None where a vote does not reveal them.
    """

    seq: int
    counted: bool
    reason: str | None
    left: str | None
    right: str | None
    next: Pair | None


class Client:
    """The arena of a key, at a server; threads may share it.

    Parameters
    ----------
    url : str
        The server, as in ``http://127.0.0.1:8000``.
    key : str
        An embed key or an owner's token; it tells the arena.
    patience : float
        Seconds for which a server that does not answer, or is busy, is tried again.

    Raises
    ------
    ValueError
        If the server is no address that begins with http:// or https://.
    ArenaError
        What the server refuses, as `driftduel.arena.errors` has it; `Unavailable` if it does not
        answer.
    """

    def __init__(self, url: str, key: str, patience: float = 30.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url is {url!r}, must be as http://127.0.0.1:8000 is")
        self._url = url.rstrip("/")
        self._key = key
        self._patience = patience
        self._slug: str | None = None

    @property
    def arena(self) -> str:
        """The slug of the arena."""
        if self._slug is None:
            self._slug = str(self._send("GET", "/key")["arena"])
        return self._slug

    def ask(self, voter: str, fields: Fields | None = None) -> Pair:
        """Return two arms to put before a voter, whoever that is: a user, a session.

        ``fields`` say what kind of voter it is, as ``{"language": "de"}`` does.
        """
        body = None if fields is None else {"fields": dict(fields)}
        return self._duel(self._send("POST", f"/arenas/{self.arena}/duels", voter, body), voter)

    def tell(
        self,
        duel: Pair | str,
        verdict: str,
        voter: str | None = None,
        *,
        wants_next: bool = False,
        fields: Fields | None = None,
    ) -> Reply:
        """Tell what a voter says: "left", "right", "tie", "bad" or "skip".

        ``duel`` is what `ask` returned, or its id, and then ``voter`` must be given. When this
        returns, the verdict is on the server's disk. ``fields`` are as `ask` has them.
        """
        id_, voter = (duel.id, duel.voter) if isinstance(duel, Pair) else (duel, voter)
        if voter is None:
            raise ValueError("tell needs the voter if it gets the id of a duel alone")
        body: dict[str, Any] = {"verdict": verdict, "next": wants_next}
        if fields is not None:
            body["fields"] = dict(fields)
        told = self._send("PUT", f"/duels/{quote(id_, safe='')}/verdict", voter, body)
        following = None if told["next"] is None else self._duel(told["next"], voter)
        reveal = told["reveal"] or {"left": None, "right": None}
        names = (reveal["left"], reveal["right"])
        return Reply(told["seq"], told["counted"], told["reason"], *names, following)

    def retract(self, duel: Pair | str, voter: str | None = None) -> int:
        """Take a verdict back, within a minute; return the number of the event."""
        id_, voter = (duel.id, duel.voter) if isinstance(duel, Pair) else (duel, voter)
        return int(self._send("DELETE", f"/duels/{quote(id_, safe='')}/verdict", voter)["seq"])

    def status(self) -> dict[str, Any]:
        """Return who is best, since when and how sure; the key must be an owner's or a reader's."""
        return self._send("GET", f"/arenas/{self.arena}/status")

    def _duel(self, form: dict[str, Any], voter: str) -> Pair:
        sides = []
        for side in (form["left"], form["right"]):
            image = None if side["image"] is None else self._url + side["image"]
            sides.append(Side(side["name"], side["kind"], side["body"], image))
        return Pair(form["duel"], voter, sides[0], sides[1], form["context"])

    def _send(
        self, method: str, path: str, voter: str | None = None, body: object = None
    ) -> dict[str, Any]:
        """Send a request until it is answered; all of them may be sent again."""
        until = time.monotonic() + self._patience
        wait = 0.05
        while True:
            try:
                return self._send_once(method, path, voter, body)
            except ArenaError as error:
                pause = float(getattr(error, "wait", 0.0)) or wait * (0.5 + random.random())
                again = error.status in (429, 503) and time.monotonic() + pause < until
                if not again:
                    raise
            time.sleep(pause)
            wait = min(2.0 * wait, 2.0)

    def _send_once(self, method: str, path: str, voter: str | None, body: object) -> dict[str, Any]:
        from http.client import HTTPException
        from urllib.error import HTTPError
        from urllib.request import Request, urlopen

        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        if voter is not None:
            headers["X-Voter"] = quote(voter)
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self._url}/api/v1{path}", data, headers, method=method)
        try:
            with urlopen(request, timeout=max(self._patience, 1.0)) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except HTTPError as refused:
            with refused:
                raise _refusal(refused.code, refused.read()) from None
        except (OSError, HTTPException, ValueError) as error:
            raise Unavailable(f"{self._url} does not answer: {error}") from None


def _refusal(status: int, body: bytes) -> ArenaError:
    try:
        sentence = str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        sentence = f"the server answered with status {status}"
    return error_of(status, sentence)
