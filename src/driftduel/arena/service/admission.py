"""Who may vote: everybody, or those who are invited or know a word, and how many of an address.

A poll may be open to all with the link. Its owner may want links for one person each, a word that
is typed once, or a limit of the voters who come new from an address in an hour. Addresses are kept
in memory alone, by each process for itself, for that hour.
"""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from driftduel.arena.errors import Forbidden, TooMany
from driftduel.arena.settings import Settings
from driftduel.arena.store import voters as stored

if TYPE_CHECKING:
    from driftduel.arena.service.copies import Hosted
    from driftduel.arena.service.service import Service

_HOUR = 3600.0
_REMEMBERED = 100_000


class NotInvited(Forbidden):
    """Only who comes by a link of their own may vote."""

    def __init__(self) -> None:
        super().__init__("this poll is for those who were invited, each by a link of their own")


class WordNeeded(Forbidden):
    """Only who knows the word may vote."""

    def __init__(self) -> None:
        super().__init__("this poll asks for a word before the first pair")


class TooManyNew(TooMany):
    """Too many voters came new from an address within an hour."""

    def __init__(self, wait: float) -> None:
        super().__init__("too many new voters came from this network, please try later", wait)


class Newcomers:
    """The voters who came new from each address within an hour, in memory only.

    Examples
    --------
    >>> newcomers = Newcomers(clock=lambda: 0.0)
    >>> for voter in ("ann", "ann", "bob"):
    ...     newcomers.admit(1, "203.0.113.9", voter, most=2)
    >>> newcomers.admit(1, "203.0.113.9", "cid", most=2)
    Traceback (most recent call last):
        ...
    driftduel.arena.service.admission.TooManyNew: too many new voters came from this network, \
please try later
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._came: OrderedDict[tuple[int, str], deque[tuple[float, str]]] = OrderedDict()
        self._lock = Lock()

    def admit(self, arena: int, address: str, voter: str, most: int) -> None:
        """Note a voter who has not voted yet, unless it was noted within the hour.

        Raises
        ------
        TooManyNew
            If there were as many of that address as may be.
        """
        now = self._clock()
        with self._lock:
            came = self._came.setdefault((arena, address), deque())
            self._came.move_to_end((arena, address))
            while came and now - came[0][0] >= _HOUR:
                came.popleft()
            if any(voter == one for _, one in came):
                return
            if len(came) >= most:
                raise TooManyNew(_HOUR - (now - came[-most][0]))
            came.append((now, voter))
            while len(self._came) > _REMEMBERED:
                self._came.popitem(last=False)


def is_open_to_all(settings: Settings) -> bool:
    """Tell whether everybody with the link may vote."""
    return not settings.invited and not settings.word


def admit(
    service: Service, hosted: Hosted, voter: str, *, word: str = "", address: str | None = None
) -> None:
    """Let somebody vote, or say why not.

    Parameters
    ----------
    service : Service
        The service.
    hosted : Hosted
        The poll.
    voter : str
        Whatever tells voters apart: a cookie, a header.
    word : str
        What `key_of_word` gave the voter who knew the word.
    address : str, optional
        From where a new voter comes; without one nobody is counted.

    Raises
    ------
    NotInvited, WordNeeded, TooManyNew
        If the voter may not vote.
    """
    settings = hosted.arena.settings
    if is_open_to_all(settings) and (settings.newcomers is None or address is None):
        return
    name, number = service.voter(voter), hosted.arena.id
    with service.store.reading() as connection:
        if name in stored.invited_as(connection, number, [name]):
            return
        if settings.invited:
            raise NotInvited
        if settings.word and not hmac.compare_digest(word, key_of_word(service, hosted)):
            raise WordNeeded
        if settings.newcomers is None or address is None:
            return
        if stored.is_known(connection, number, name):
            return
    service.newcomers.admit(number, address, name, settings.newcomers)


def knows_word(hosted: Hosted, typed: str) -> bool:
    """Tell whether somebody knows the word; large letters, and blanks around it, do not matter."""
    known = _plain(hosted.arena.settings.word)
    return bool(known) and hmac.compare_digest(_plain(typed).encode(), known.encode())


def key_of_word(service: Service, hosted: Hosted) -> str:
    """Return what a browser keeps that knew the word of a poll: not the word itself."""
    text = f"word {hosted.arena.id} {_plain(hosted.arena.settings.word)}"
    return hmac.digest(service.store.salt.encode(), text.encode(), "sha256").hex()[:32]


def _plain(word: str) -> str:
    return " ".join(word.split()).casefold()
