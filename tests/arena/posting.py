"""Servers that take messages, for tests: one of the web, one of e-mail."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socketserver
import threading
from contextlib import contextmanager
from email import message_from_string
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from driftduel.arena.service.mail import MailServer


class Taken:
    """What came to a server: paths, headers and bodies; ``statuses`` are answered in turn."""

    def __init__(self):
        self.requests = []
        self.statuses = []
        self.words = b"ok"
        self.headers = {}
        self.arrived = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.may_answer.set()

    @property
    def bodies(self):
        return [json.loads(body) for _, _, body in self.requests]

    @property
    def names(self):
        return [headers["webhook-id"] for _, headers, _ in self.requests]

    def wait(self, n=1):
        for _ in range(n):
            assert self.arrived.acquire(timeout=20)


@contextmanager
def taking():
    """Yield the address of a server that takes webhooks, and what it took."""
    taken = Taken()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.requests.append((self.path, dict(self.headers), body))
            status = taken.statuses.pop(0) if taken.statuses else 200
            taken.arrived.release()
            taken.may_answer.wait(20)
            self.send_response(status)
            for name, value in taken.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(taken.words)))
            self.end_headers()
            self.wfile.write(taken.words)

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", taken
    finally:
        taken.may_answer.set()
        server.shutdown()
        thread.join()
        server.server_close()


def is_signed(secret, headers, body):
    """Tell whether a message has the signature that its receiver expects, by the standard."""
    told = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = base64.b64encode(hmac.new(key, told, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{digest}"


@contextmanager
def mailing(refuses=False):
    """Yield a mail server, and the messages that it took."""
    taken = []

    class Handler(socketserver.StreamRequestHandler):
        def say(self, words):
            self.wfile.write(f"{words}\r\n".encode())

        def handle(self):
            self.say("220 hello")
            for line in self.rfile:
                word = line.decode().strip()
                if word.upper().startswith("DATA"):
                    self.say("354 go on")
                    lines = []
                    while (part := self.rfile.readline()) not in (b".\r\n", b""):
                        lines.append(part.decode().replace("\r\n", "\n"))
                    taken.append(message_from_string("".join(lines), policy=default))
                    self.say("250 taken")
                elif word.upper().startswith("RCPT") and refuses:
                    self.say("550 nobody of that name")
                elif word.upper().startswith("QUIT"):
                    self.say("221 bye")
                    return
                else:
                    self.say("250 ok")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        port = server.server_address[1]
        yield MailServer("127.0.0.1", port, False, "", "", "Polls <polls@example.org>"), taken
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
