"""Webhooks: a message is sent to an address of the web that an owner chose, and to no other place.

Whoever may name an address must not reach with it what only this machine can: its own services, its
network, the metadata of its cloud. So a name is resolved once, every address that it has is
checked, and the connection goes to one that was checked. Nothing is followed, and time and size of
an answer are bounded.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import io
import ipaddress
import re
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from driftduel import __version__
from driftduel.arena.errors import Invalid

SECONDS = 10.0
"""Within which a message is sent and answered."""

MOST_ANSWER = 16_384
"""Bytes of an answer that are read."""

_MOST_URL = 2_000
_QUOTED = 200

_NEVER = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",  # special purposes, among them a cloud's metadata
            "192.88.99.0/24",
            "168.63.129.16/32",  # a cloud's own services, at an address of the open net
            "64:ff9b:1::/48",
        ),
    )
)
_EMBEDS_IPV4 = ipaddress.ip_network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Answer:
    """What came back: whether a message was taken, and that in words."""

    taken: bool
    said: str


def as_url(text: str, *, private: bool = False) -> str:
    """Return an address of the web after checking it; ``private`` allows those of this network.

    Examples
    --------
    >>> as_url(" https://example.org/hook?a=1 ")
    'https://example.org/hook?a=1'
    >>> as_url("http://[::ffff:127.0.0.1]/")
    Traceback (most recent call last):
        ...
    driftduel.arena.errors.Invalid: 127.0.0.1 is no address of the open net; the operator of this
    server may allow it
    """
    url = text.strip()
    if not re.fullmatch("[!-~]+", url) or len(url) > _MOST_URL:
        raise Invalid("an address of a webhook is like https://example.org/hook")
    try:
        parts = urlsplit(url)
        host, _ = _place_of(parts)
    except ValueError:
        raise Invalid(f"{url[:80]!r} is no address of the web") from None
    if parts.scheme not in ("http", "https") or not host:
        raise Invalid("an address of a webhook begins with https:// or http://")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise Invalid("an address of a webhook has no name, password or # in it")
    if not private:
        _check_host(host)
    return url


def shape_of(url: str) -> str:
    """Return what a message looks like at an address, as far as the address tells.

    Examples
    --------
    >>> shape_of("https://hooks.slack.com/services/T/B/x")
    'slack'
    >>> shape_of("https://discord.com/api/webhooks/1/x"), shape_of("https://example.org/hook")
    ('discord', 'json')
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if host == "hooks.slack.com":
        return "slack"
    is_discord = f".{host}".endswith((".discord.com", ".discordapp.com"))
    if is_discord and parts.path.startswith("/api/webhooks/"):
        return "discord"
    return "json"


def signed(name: str, secret: str, body: bytes, at: int) -> dict[str, str]:
    """Return the headers that sign a message, as the Standard Webhooks have them.

    Parameters
    ----------
    name : str
        Of the message.
    secret : str
        That of the receiver, ``whsec_`` and base64.
    body : bytes
        What is sent.
    at : int
        Seconds since 1970.

    Examples
    --------
    >>> signed("msg_1", "whsec_c2VjcmV0", b"{}", 1_700_000_000)["webhook-signature"]
    'v1,A5oIrJxXPB/PkULSoVu0e4khvPiqpF9vljmhkSKg0FI='
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{name}.{at}.".encode() + body, hashlib.sha256)
    return {
        "webhook-id": name,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def send(url: str, body: bytes, headers: dict[str, str], *, private: bool = False) -> Answer:
    """Send JSON to an address by POST; return what came back, or why nothing did."""
    until = time.monotonic() + SECONDS
    try:
        parts = urlsplit(as_url(url, private=private))
        host, port = _place_of(parts)
        addresses = checked_addresses(host, port, private=private)
        with _connected(addresses, port, until) as plain:
            connection = _secured(plain, host, until) if parts.scheme == "https" else plain
            with connection:
                connection.settimeout(_left(until))
                connection.sendall(_request(parts, body, headers))
                return _answer(_read(connection, until))
    except Invalid as error:
        return Answer(False, f"{error}")
    except TimeoutError:
        return Answer(False, f"no answer within {SECONDS:.0f} seconds")
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", "") or error.reason or "TLS failed"
        return Answer(False, f"no secure connection: {reason}")
    except (OSError, UnicodeError) as error:
        return Answer(False, f"no connection: {getattr(error, 'strerror', None) or error}")


def checked_addresses(host: str, port: int, *, private: bool) -> list[Address]:
    """Return the addresses of a name, of which each must be one of the open net.

    Raises
    ------
    Invalid
        If one is not, unless ``private`` ones are allowed.
    OSError
        If it has none.
    """
    found = []
    for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = ipaddress.ip_address(str(place[0]).partition("%")[0])
        if not private and not is_public(address):
            raise Invalid(_not_public(address))
        if address not in found:
            found.append(address)
    if not found:
        raise OSError("the name has no address")
    return found


def is_public(address: Address) -> bool:
    """Tell whether an address is one that anybody on the open net may reach.

    Examples
    --------
    >>> names = "93.184.215.14 10.0.0.1 169.254.169.254 ::1 ::ffff:10.0.0.1 2002:7f00:1::"
    >>> [is_public(ipaddress.ip_address(name)) for name in names.split()]
    [True, False, False, False, False, False]
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _EMBEDS_IPV4:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
        if address.is_site_local or any(one and not is_public(one) for one in inner):
            return False
        if address.ipv4_mapped is not None:
            return True
    if any(address in network for network in _NEVER if network.version == address.version):
        return False
    odd = address.is_multicast or address.is_reserved or address.is_unspecified
    return (address.is_global or address in _EMBEDS_IPV4) and (not odd or address in _EMBEDS_IPV4)


def _check_host(host: str) -> None:
    """Refuse at once what is an address of this network; names are looked up when it is sent."""
    if host.lower().rstrip(".") == "localhost" or host.lower().rstrip(".").endswith(".localhost"):
        raise Invalid(_not_public(host))
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return
    if not is_public(address):
        raise Invalid(_not_public(address))


def _not_public(address: object) -> str:
    mapped = getattr(address, "ipv4_mapped", None)
    return (
        f"{mapped or address} is no address of the open net; the operator of this server may "
        "allow it"
    )


def _place_of(parts: SplitResult) -> tuple[str, int]:
    """Return name and port."""
    host = (parts.hostname or "").encode("idna").decode()
    return host, parts.port or (443 if parts.scheme == "https" else 80)


def _left(until: float) -> float:
    """Return the seconds that are left."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connected(addresses: list[Address], port: int, until: float) -> socket.socket:
    """Return a connection to the first of the addresses that answers."""
    failed: OSError | None = None
    for n, address in enumerate(addresses[:4]):
        left = _left(until)
        try:
            share = left / (min(len(addresses), 4) - n)
            return socket.create_connection((str(address), port), timeout=share)
        except OSError as error:
            failed = error
    assert failed is not None
    raise failed


def _secured(plain: socket.socket, host: str, until: float) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    plain.settimeout(_left(until))
    return context.wrap_socket(plain, server_hostname=host)


def _request(parts: SplitResult, body: bytes, headers: dict[str, str]) -> bytes:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host, port = _place_of(parts)
    shown = f"[{host}]" if ":" in host else host
    usual = 443 if parts.scheme == "https" else 80
    every = {
        "Host": shown if port == usual else f"{shown}:{port}",
        "User-Agent": f"driftduel/{__version__}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Accept": "*/*",
        "Connection": "close",
        **headers,
    }
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in every.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _read(connection: socket.socket, until: float) -> bytes:
    """Return an answer, as far as it is read: it may come byte by byte, or have no end."""
    found = b""
    while len(found) < MOST_ANSWER:
        try:
            connection.settimeout(_left(until))
            part = connection.recv(MOST_ANSWER - len(found))
        except TimeoutError:
            if b"\r\n\r\n" in found:
                break
            raise
        except ConnectionError:  # who hung up may have said enough
            if found:
                break
            raise
        if not part:
            break
        found += part
    return found


class _Received:
    """What was received, for the parser of the standard library."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, *words: Any, **more: Any) -> io.BytesIO:
        return io.BytesIO(self._content)


def _answer(content: bytes) -> Answer:
    """Return what an answer says: its status, and how its body begins."""
    if not content:
        return Answer(False, "no answer: the connection was closed")
    response = http.client.HTTPResponse(_Received(content))  # type: ignore[arg-type]
    try:
        response.begin()
    except (http.client.HTTPException, ValueError):
        return Answer(False, "an answer that is no HTTP")
    try:
        body = response.read()
    except http.client.IncompleteRead as cut:
        body = cut.partial
    except (http.client.HTTPException, ValueError, OSError):
        body = b""
    said = f"{response.status} {_printable(response.reason.encode('latin-1', 'replace'))}".strip()
    if 300 <= response.status < 400:
        return Answer(False, f"{said}: a redirection, which is not followed")
    words = _printable(body)
    if words and not response.getheader("content-type", "").startswith("text/html"):
        said = f"{said}: {words}"
    return Answer(200 <= response.status < 300, said)


def _printable(content: bytes) -> str:
    text = content[: 4 * _QUOTED].decode("utf-8", "replace")
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
