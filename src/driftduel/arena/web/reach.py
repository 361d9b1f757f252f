"""Who can open a link: the address of this computer in its network, and links as QR codes."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from functools import lru_cache

import segno
from fastapi import Request
from markupsafe import Markup

from driftduel.arena.web.security import access_of

_ELSEWHERE = ("192.0.2.1", 9)
"""An address of nobody (RFC 5737): to aim a datagram at it sends nothing, and picks a way out."""


@dataclass(frozen=True)
class Reach:
    """The address under which a page was opened, and what helps if others cannot open it.

    Attributes
    ----------
    base : str
        The address of this server to put before links.
    alone : bool
        Whether only this computer can open it.
    lan : str or None
        The address to put before links for others in the network, if these can be served.
    port : int
        The port of the server.
    """

    base: str
    alone: bool
    lan: str | None
    port: int

    @property
    def links(self) -> str:
        """What links for others begin with."""
        return self.lan or self.base


def reach_of(request: Request) -> Reach:
    """Return how a page was reached, as the browser knows it."""
    access = access_of(request)
    scheme = "https" if access.is_https(request) else "http"
    host = request.headers.get("host", "")
    base = f"{scheme}://{host}"
    name, port = _split(host, 443 if scheme == "https" else 80)
    alone = is_loopback(name) and not access.behind_proxy
    address = lan_address() if access.lan and alone else None
    return Reach(base, alone, None if address is None else f"http://{address}:{port}", port)


def is_loopback(host: str) -> bool:
    """Tell whether a name or address is of this computer alone.

    Examples
    --------
    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("192.168.1.5")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def lan_address() -> str | None:
    """Return the address of this computer in its network, None if it is in none."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            address = str(probe.getsockname()[0])
    except OSError:
        return None
    return None if is_loopback(address) else address


@lru_cache(64)
def qr_code(text: str) -> Markup:
    """Return a QR code as SVG, dark on light whatever the page is, as phones want it."""
    made = segno.make(text, error="m", micro=False)
    return Markup(made.svg_inline(scale=5, dark="#000", light="#fff"))  # of squares alone


def qr_lines(text: str) -> str:
    """Return a QR code for a terminal."""
    import io

    out = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out, compact=True)
    return out.getvalue()


def _split(host: str, port: int) -> tuple[str, int]:
    """Return the name and the port of a header ``Host``, which may be anything."""
    name, _, number = host.rpartition(":")
    if name and number.isascii() and number.isdigit() and len(number) <= 5:
        return name.strip("[]"), int(number)
    return host.strip("[]"), port
