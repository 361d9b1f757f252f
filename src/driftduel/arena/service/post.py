"""The post: how messages leave this machine, in the shape that their receivers read."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from driftduel.arena.service.mail import SMTP, MailServer, mail
from driftduel.arena.service.webhooks import Answer, send, signed
from driftduel.arena.store.messages import Receiver

PRIVATE = "DRIFTDUEL_PRIVATE_WEBHOOKS"
"""The variable by which an operator allows webhooks in the own network."""

_MOST_DISCORD = 2_000


@dataclass(frozen=True)
class Post:
    """What the operator allows.

    Parameters
    ----------
    private : bool
        Whether webhooks may go to addresses of this machine and its network.
    mail : MailServer or None
        What sends e-mail; None if nothing does.
    """

    private: bool = False
    mail: MailServer | None = None

    @classmethod
    def of_environment(cls, environment: Mapping[str, str]) -> Self:
        """Return what the variables of a process say."""
        private = environment.get(PRIVATE, "").lower() in ("1", "true", "yes")
        return cls(private, MailServer.of_environment(environment))

    def deliver(self, name: str, receiver: Receiver, body: Mapping[str, Any]) -> Answer:
        """Send a message by its name and body; return what came back."""
        link = f"{receiver.site}/{body['poll']}/owner"
        if receiver.kind == "email":
            return self._mailed(name, receiver, body, link)
        text = text_of(body, link)
        if receiver.shape == "slack":
            said: dict[str, Any] = {"text": _for_slack(text)}
        elif receiver.shape == "discord":
            said = {"content": text[:_MOST_DISCORD], "allowed_mentions": {"parse": []}}
        else:
            said = {"id": name, **body, "text": text, "link": link}
        content = json.dumps(said, ensure_ascii=False).encode()
        headers = signed(name, receiver.secret, content, int(time.time()))
        return send(receiver.address, content, headers, private=self.private)

    def _mailed(self, name: str, receiver: Receiver, body: Mapping[str, Any], link: str) -> Answer:
        if self.mail is None:
            return Answer(False, f"this server sends no e-mail: its operator sets {SMTP}")
        stop = f"{receiver.site}/{body['poll']}/unsubscribe/{receiver.id}"
        text = f"{text_of(body, link)}\n\n--\nNo more of these messages: {stop}\n"
        subject = f"{body['title']}: {body['subject']}"
        return self.mail.send(
            mail(self.mail, receiver.address, subject, text, name=name, stop=stop)
        )


def text_of(body: Mapping[str, Any], link: str) -> str:
    """Return a message as plain text: what it is about, its sentences, and where to look."""
    parts = [body["title"], body["question"]]
    head = ": ".join(one for one in parts if one and one != body["poll"]) or body["poll"]
    return "\n".join([head, *body["sentences"], link])


def _for_slack(text: str) -> str:
    """Return text of which nothing is a mention or a link to Slack but what is one to anybody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
