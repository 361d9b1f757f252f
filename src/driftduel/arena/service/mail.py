"""E-mail, if the operator of a server named one that sends it."""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, parseaddr
from typing import Self
from urllib.parse import unquote, urlsplit

from driftduel.arena.errors import Invalid
from driftduel.arena.service.webhooks import SECONDS, Answer

SMTP, SENDER = "DRIFTDUEL_SMTP", "DRIFTDUEL_MAIL_FROM"
"""The variables by which an operator names a server, and from whom messages are."""

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


@dataclass(frozen=True)
class MailServer:
    """A server that sends e-mail.

    Parameters
    ----------
    host, port : str, int
        Where it is.
    secure : bool
        Whether TLS begins at once, and not when both have said hello.
    user, password : str
        With which to log in, if any.
    sender : str
        From whom messages are.
    """

    host: str
    port: int
    secure: bool
    user: str
    password: str
    sender: str

    @classmethod
    def of_environment(cls, environment: Mapping[str, str]) -> Self | None:
        """Return the server that an operator named, None if none was.

        Examples
        --------
        >>> said = {"DRIFTDUEL_SMTP": "smtps://me:pa%3Ass@mail.example.org"}
        >>> found = MailServer.of_environment(said | {"DRIFTDUEL_MAIL_FROM": "polls@example.org"})
        >>> found.host, found.port, found.password, found.secure
        ('mail.example.org', 465, 'pa:ss', True)

        Raises
        ------
        ValueError
            If what is there cannot be one.
        """
        text = environment.get(SMTP, "")
        if not text:
            return None
        parts = urlsplit(text)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise ValueError(f"{SMTP} must be like smtp://user:password@mail.example.org:587")
        sender = environment.get(SENDER, "")
        if not _ADDRESS.fullmatch(parseaddr(sender)[1]):
            raise ValueError(f"{SENDER} is {sender!r}, must be an address like polls@example.org")
        secure = parts.scheme == "smtps"
        return cls(
            parts.hostname,
            parts.port or (465 if secure else 587),
            secure,
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            sender,
        )

    def send(self, message: EmailMessage) -> Answer:
        """Send a message; return what came back."""
        try:
            with self._connected() as server:
                server.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            ((code, words),) = list(error.recipients.values())[:1]
            return Answer(False, f"{code} {words.decode('utf-8', 'replace')}")
        except smtplib.SMTPResponseException as error:
            said = error.smtp_error
            text = said if isinstance(said, str) else said.decode("utf-8", "replace")
            return Answer(False, f"{error.smtp_code} {text}")
        except (smtplib.SMTPException, OSError, ValueError) as error:
            return Answer(False, f"the mail server cannot be used: {error}"[:300])
        return Answer(True, "250 taken by the mail server")

    def _connected(self) -> smtplib.SMTP:
        """Return a connection that is logged in; a password goes over TLS alone."""
        context = ssl.create_default_context()
        if self.secure:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=SECONDS, context=context
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=SECONDS)
        try:
            server.ehlo()
            if not self.secure and (self.user or server.has_extn("starttls")):
                server.starttls(context=context)
                server.ehlo()
            if self.user:
                server.login(self.user, self.password)
        except BaseException:
            with suppress(OSError):
                server.close()
            raise
        return server


def as_address(text: str) -> str:
    """Return an address of e-mail after checking it.

    Examples
    --------
    >>> as_address(" ann@example.org ")
    'ann@example.org'
    """
    address = text.strip()
    if len(address) > 254 or not _ADDRESS.fullmatch(address):
        raise Invalid(f"{address[:80]!r} is no address of e-mail")
    return address


def mail(
    server: MailServer, to: str, subject: str, text: str, *, name: str, stop: str
) -> EmailMessage:
    """Return a message; ``name`` is its own, and ``stop`` where its reader ends such messages."""
    made = EmailMessage()
    made["From"], made["To"] = server.sender, to
    made["Subject"] = " ".join(subject.split())
    made["Date"] = formatdate(usegmt=True)
    made["Message-ID"] = f"<{name}@{parseaddr(server.sender)[1].rpartition('@')[2]}>"
    made["Auto-Submitted"] = "auto-generated"
    made["List-Unsubscribe"] = f"<{stop}>"
    made.set_content(text)
    return made
