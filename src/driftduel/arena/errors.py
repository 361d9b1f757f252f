"""What the arena refuses, one class for each status that HTTP has for it.

Every message is one sentence for the person who asked. A page or a program that answers over HTTP
sends `ArenaError.status` and the message; nothing else has to be translated.
"""

from __future__ import annotations

from typing import ClassVar


class ArenaError(ValueError):
    """Something was asked that cannot be done; nothing was changed."""

    status: ClassVar[int] = 500


class Unauthorized(ArenaError):
    """No token, an unknown one, or one that was revoked."""

    status = 401


class Forbidden(ArenaError):
    """The token is of another arena or role, the origin is not allowed, or the duel another's."""

    status = 403


class NotFound(ArenaError):
    """There is no such arena, duel, arm or voter."""

    status = 404


class Conflict(ArenaError):
    """It was done otherwise before, or the poll is closed, or has too few arms."""

    status = 409


class Gone(ArenaError):
    """The duel has expired, or one of its arms is not offered any more."""

    status = 410


class Invalid(ArenaError):
    """What was sent makes no sense."""

    status = 422


class TooMany(ArenaError):
    """Asked too often; ``wait`` says after how many seconds to try again."""

    status = 429

    def __init__(self, message: str, wait: float = 1.0) -> None:
        super().__init__(message)
        self.wait = wait


class Unavailable(ArenaError):
    """The database cannot be reached or cannot write; whether a vote counted is not known.

    To tell the same duel again is safe: it counts once.
    """

    status = 503


class Violation(ArenaError):
    """A database breaks one of the promises that `driftduel.arena.service.verify` checks."""


def error_of(status: int, message: str) -> ArenaError:
    """Return the error that HTTP says by a status.

    Examples
    --------
    >>> error_of(410, "the duel has expired")
    Gone('the duel has expired')
    """
    for kind in ArenaError.__subclasses__():
        if kind.status == status:
            return kind(message)
    return ArenaError(message)
