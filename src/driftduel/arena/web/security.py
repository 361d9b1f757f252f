"""Who may do what over HTTP: tokens, origins, how often, and how much at once.

A token of the API is a Bearer of RFC 6750. The API reads no cookie, so no other site can act for
somebody there; of pages, which do, see `driftduel.arena.web.pages.sessions`.
"""

from __future__ import annotations

import ipaddress
import re
import time
from asyncio import to_thread
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from fastapi import Header, Request, Response, Security
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from driftduel.arena import service as arena
from driftduel.arena.errors import Forbidden, TooMany, Unauthorized
from driftduel.arena.model import MOST_IMAGE, Role
from driftduel.arena.web.problems import problem

BEARER = Security(HTTPBearer(auto_error=False, description="A token of the arena."))

Voter = Annotated[
    str,
    Header(
        alias="X-Voter",
        min_length=1,
        max_length=500,
        description="What tells voters apart; a hash of it is stored.",
    ),
]

MOST_BODY = 65_536
MOST_IMPORT = 256 * 2**20
MOST_NAMES = 2 * 2**20
"""Bytes of the names of those who are invited at once."""

MOST_NEW = 64 * 2**20
"""Bytes of a new arena with its images."""

_KEPT = 1.0
"""Seconds for which a token that was good is taken for good: a revoked one works no longer."""

_MOST_KEPT = 10_000
_GUESSES = 20
"""Guesses of a word that an address has in a minute."""

NOT_BY_KEY = "this poll is for those who are invited or know a word: vote on its own page"


@dataclass
class Access:
    """Who may do what in an application, and how often.

    Attributes
    ----------
    service : Service
        Where tokens are known.
    local : bool
        Whether only this machine reaches the application: then no token is needed to make an arena.
    behind_proxy : bool
        Whether X-Forwarded-For is to be believed.
    rate : float
        Requests a second that an address may make with an embed key; 0 for any number.
    lan : bool
        Whether the computers of this one's network reach it by its address there.
    """

    service: arena.Service
    local: bool = False
    behind_proxy: bool = False
    rate: float = 50.0
    lan: bool = False

    def __post_init__(self) -> None:
        self._guesses = arena.Buckets(_GUESSES / 60.0, _GUESSES)
        self._buckets = arena.Buckets(self.rate, int(4 * self.rate) or 1) if self.rate else None
        self._holders: dict[str, tuple[float, arena.Holder]] = {}

    def holder(self, request: Request) -> arena.Holder:
        """Return whom the token of a request is of."""
        token = token_of(request)
        if token is None:
            raise Unauthorized("a token is needed: Authorization: Bearer TOKEN")
        return self.holder_of(token)

    def holder_of(self, token: str | None) -> arena.Holder:
        """Return whom a token is of; what was known a second ago is not looked up again."""
        if not token:
            raise Unauthorized("a token is needed")
        now = time.monotonic()
        then, known = self._holders.get(token, (0.0, None))
        if known is None or now - then > _KEPT:
            self._holders.pop(token, None)
            known = arena.holder_of(self.service, token)
            if len(self._holders) >= _MOST_KEPT:
                self._holders.clear()
            self._holders[token] = (now, known)
        return known

    def check(self, request: Request, slug: str, *roles: Role) -> arena.Holder:
        """Return whom the token of a request is of, who must have a role in an arena."""
        number = self.service.hosted(slug).arena.id
        holder = self.holder(request)
        arena.check_holder(holder, number, *roles)
        return holder

    def check_voting(self, request: Request, slug: str | None = None) -> arena.Holder:
        """Return whom the key of a request is of, who may ask and tell.

        Raises
        ------
        Unauthorized, Forbidden, TooMany
            If the key is none or not for voting; if a web site sends it that may not; if its
            address sends too much.
        """
        holder = self.holder(request)
        hosted = self.service.hosted(holder.slug if slug is None else slug)
        arena.check_holder(holder, hosted.arena.id, "embed", "owner")
        origin = request.headers.get("origin")
        if holder.role == "embed":
            if not arena.is_open_to_all(hosted.arena.settings):
                raise Forbidden(NOT_BY_KEY)
            origins = hosted.arena.settings.origins
            if origin is not None and origins and origin not in origins:
                raise Forbidden("this web site may not embed the arena")
            if origin is not None:  # whatever is answered from here on may be read there
                request.state.allowed_origin = origin
            self.take(request)
        return holder

    async def check_voting_async(self, request: Request) -> arena.Holder:
        """Do the same in an event loop; only a key that was not seen lately needs the database."""
        if self.voting_holder(token_of(request) or "") is not None:
            return self.check_voting(request)
        return await to_thread(self.check_voting, request)

    def voting_holder(self, token: str) -> arena.Holder | None:
        """Return whom a key is of that may ask and tell, None unless it was looked up lately."""
        then, known = self._holders.get(token, (0.0, None))
        if known is None or time.monotonic() - then > _KEPT or known.role not in ("embed", "owner"):
            return None
        hosted = self.service.hosted_by_number(known.arena)
        if hosted is None:
            return None
        is_free = known.role == "owner" or arena.is_open_to_all(hosted.arena.settings)
        return known if is_free else None

    def check_making(self, request: Request, token: str | None = None) -> None:
        """Refuse to make an arena unless an owner asks, or somebody on this machine.

        ``token`` is that of a page; that of the API is in the request.
        """
        token = token or token_of(request)
        if token is None and self.local and _is_local(request):
            return
        if self.holder_of(token).role != "owner":
            raise Forbidden("to make an arena needs the token of an owner")

    def is_https(self, request: Request) -> bool:
        """Tell whether the browser came by TLS, to this server or to the proxy before it."""
        said = request.headers.get("x-forwarded-proto", "") if self.behind_proxy else ""
        return (said.rpartition(",")[2].strip() or request.url.scheme) == "https"

    def take(self, request: Request) -> None:
        """Count a request of its address, and refuse it if there were too many."""
        forwarded = request.headers.get("x-forwarded-for", "")
        self._take(request.client.host if request.client else "", forwarded)

    def take_guess(self, request: Request) -> None:
        """Count a guess of a word, of which an address has few."""
        self.take(request)
        if (address := self.address_of(request)) is not None:
            self._guesses.take(address)

    def address_of(self, request: Request) -> str | None:
        """Return from where a request comes, as far as there is a limit for it."""
        forwarded = request.headers.get("x-forwarded-for", "")
        return self._address(request.client.host if request.client else "", forwarded)

    def takes(self, host: str, forwarded: str) -> bool:
        """Count a request of a host, and what it says of another; tell whether it may go on."""
        try:
            self._take(host, forwarded)
        except TooMany:
            return False
        return True

    def _take(self, host: str, forwarded: str) -> None:
        address = self._address(host, forwarded)
        if self._buckets is not None and address is not None:
            self._buckets.take(address)

    def _address(self, host: str, forwarded: str) -> str | None:
        """Return whom to limit: nobody on this machine, which may be a proxy that says no more."""
        if self.behind_proxy:
            # What stands before the last was written by whoever sent the request.
            return rate_limit_key(forwarded.rpartition(",")[2].strip())
        return None if _is_loopback(host) else rate_limit_key(host)


def access_of(request: Request) -> Access:
    """Return who may do what in the application that a request came to."""
    access: Access = request.app.state.access
    return access


def token_of(request: Request) -> str | None:
    """Return the token of a request, if it has one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


class RequestLimits:
    """What limits every request: the size of its body, and CORS of the routes for voting.

    A preflight carries no key, so all are answered: it allows to ask, which does nothing without a
    key, and no cookie is sent along. What was asked is then readable for origins that may embed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        access: Access = scope["app"].state.access
        if access.behind_proxy and access.is_https(Request(scope)):
            scope["scheme"] = "https"  # of addresses that a redirection leads to
        headers = dict(scope["headers"])
        path: str = scope["path"]
        voting = _VOTING.fullmatch(path) is not None
        if voting and scope["method"] == "OPTIONS" and b"origin" in headers:
            await _preflight(headers[b"origin"])(scope, receive, send)
            return
        most = _most(path)
        state = scope.setdefault("state", {})
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, _too_large(most))
            return message

        async def decorated(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(b"x-content-type-options", b"nosniff")]
                if voting:
                    extra.append((b"vary", b"Origin"))
                origin = state.get("allowed_origin", "").encode("latin-1")
                if voting and message["status"] in _SAY_NOTHING:
                    origin = origin or headers.get(b"origin", b"")
                if origin:
                    extra.append((b"access-control-allow-origin", origin))
                    extra.append((b"access-control-expose-headers", b"Retry-After"))
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        length = headers.get(b"content-length", b"0")
        if b"transfer-encoding" in headers and b"content-length" in headers:
            words = "a request has Content-Length or Transfer-Encoding, not both"
            await problem(400, words, {"Connection": "close"})(scope, receive, decorated)
        elif not length.isdigit() or int(length) > most:
            await problem(413, _too_large(most))(scope, receive, decorated)
        else:
            await self.app(scope, counted, decorated)


_SAY_NOTHING = (400, 401, 413, 422, 429, 503)
"""Answers that are the same whatever arena was asked for: a web site may always read them."""

_VOTING = re.compile("/api/v1/(arenas/[^/]+/duels|duels/[^/]+/verdict)")


def _preflight(origin: bytes) -> Response:
    headers = {
        "Access-Control-Allow-Origin": origin.decode("latin-1"),
        "Access-Control-Allow-Methods": "POST, PUT, DELETE",
        "Access-Control-Allow-Headers": "Authorization, Content-Type, X-Voter",
        "Access-Control-Max-Age": "600",
        "Vary": "Origin",
    }
    return Response(status_code=204, headers=headers)


def _most(path: str) -> int:
    if path.endswith("/import"):
        return MOST_IMPORT
    if path == "/new":
        return MOST_NEW
    if path.endswith("/owner/invitations"):
        return MOST_NAMES
    if path.endswith("/owner/logo"):
        return 2 * MOST_IMAGE
    if path.endswith("/card"):  # in a form there are other fields beside the image
        return MOST_IMAGE if path.startswith("/api/") else 2 * MOST_IMAGE
    return MOST_BODY


def _too_large(most: int) -> str:
    return f"the body of the request must have {most:,} bytes at most"


@lru_cache(10_000)
def _is_loopback(host: str) -> bool:
    try:
        return _as_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@lru_cache(10_000)
def rate_limit_key(host: str) -> str:
    """Return what is limited as one: of IPv6 the 64 bits that tell who it is, others are its own.

    Examples
    --------
    >>> rate_limit_key("203.0.113.9"), rate_limit_key("2001:db8::1:2:3:4")
    ('203.0.113.9', '2001:db8::/64')
    >>> rate_limit_key("::ffff:203.0.113.9")
    '203.0.113.9'
    """
    try:
        address = _as_address(host)
    except ValueError:
        return host
    return (
        str(address)
        if address.version == 4
        else str(ipaddress.ip_network((int(address), 64), False))
    )


def _as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return an address; who comes by IPv4 to a socket of IPv6 has one of IPv4."""
    address = ipaddress.ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def _is_local(request: Request) -> bool:
    """Tell whether a request is of this machine and of no web site that a browser here shows.

    One that a proxy handed on is of somebody else, whatever name it gives this machine.
    """
    if any(name in request.headers for name in ("x-forwarded-for", "x-real-ip", "forwarded")):
        return False
    host: Any = request.url.hostname or ""
    origin = request.headers.get("origin")
    same = origin is None or origin == f"{request.url.scheme}://{request.headers.get('host')}"
    return _is_loopback(host) and same
