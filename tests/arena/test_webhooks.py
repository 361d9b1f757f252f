"""Webhooks reach what anybody may reach and nothing else, within bounds of time and size."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from driftduel.arena.errors import Invalid
from driftduel.arena.service import webhooks
from driftduel.arena.service.webhooks import as_url, checked_addresses, is_public, send, shape_of
from tests.arena.posting import taking

OURS = """
127.0.0.1 127.9.9.9 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
169.254.0.1 100.64.0.1 100.100.100.200 192.0.0.192 192.0.0.9 168.63.129.16 224.0.0.1 240.0.0.1
255.255.255.255 198.18.0.1 192.0.2.1 192.88.99.1 ::1 :: fe80::1 fc00::1 fd00:ec2::254 fec0::1
ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 2002:7f00:1:: 2002:a00:1::
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2001:0:7f00:1:: 2001:db8::1 ::7f00:1
"""
THEIRS = "93.184.215.14 8.8.8.8 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808"


@pytest.mark.parametrize("address", OURS.split())
def test_an_address_of_this_network_is_not_public(address):
    assert not is_public(ipaddress.ip_address(address))


def test_an_address_of_the_open_net_is_public():
    assert [one for one in THEIRS.split() if not is_public(ipaddress.ip_address(one))] == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/", "file:///etc/passwd", "gopher://example.org", "example.org", "//a/b",
        "https://", "https:///x", "http://u:p@example.org/", "http://example.org/#a",
        "http://example.org/a b", "http://example.org/\r\nX: y", "http://exämple.org/\n", "",
        "http://example.org:99999/", "http://example.org:x/", f"http://example.org/{'a' * 2000}",
        "http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://127.0.0.1:8000/",
        "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1%25eth0]/",
    ],
)  # fmt: skip
def test_what_is_no_address_of_the_open_web_is_refused_at_once(url):
    with pytest.raises(Invalid):
        as_url(url)


def test_the_shape_goes_by_the_address_and_not_by_what_looks_like_it():
    assert shape_of("https://hooks.slack.com/services/1") == "slack"
    assert shape_of("https://ptb.discord.com/api/webhooks/1/2") == "discord"
    for url in ("https://hooks.slack.com.evil.org/", "https://discord.com/", "https://a.org/slack"):
        assert shape_of(url) == "json"
    assert shape_of("https://notdiscord.com/api/webhooks/1") == "json"


def resolving(monkeypatch, *answers):
    """Let names have these addresses, other ones each time; return the names that were asked."""
    asked = []

    def look_up(host, port, *words, **more):
        found = answers[min(len(asked), len(answers) - 1)]
        asked.append(host)
        return [(2, 1, 6, "", (one, port)) for one in found]

    monkeypatch.setattr(webhooks.socket, "getaddrinfo", look_up)
    return asked


def test_every_address_of_a_name_must_be_public(monkeypatch):
    resolving(monkeypatch, ["93.184.215.14", "10.0.0.1"])
    with pytest.raises(Invalid, match=r"10\.0\.0\.1"):
        checked_addresses("example.org", 80, private=False)
    answer = send("http://example.org/", b"{}", {})
    assert not answer.taken
    assert "10.0.0.1" in answer.said


def test_numbers_that_the_system_takes_for_an_address_are_checked():
    for host in ("2130706433", "0x7f.1", "127.1", "0177.0.0.1"):
        answer = send(f"http://{host}/", b"{}", {})
        assert not answer.taken
        assert "127.0.0.1" in answer.said or "no connection" in answer.said


def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_checked(monkeypatch):
    asked = resolving(monkeypatch, ["93.184.215.14"], ["127.0.0.1"])
    reached = []

    def connect(place, timeout):
        reached.append(place)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(webhooks.socket, "create_connection", connect)
    answer = send("http://rebind.example.org:81/", b"{}", {})
    assert answer == webhooks.Answer(False, "no connection: Connection refused")
    assert asked == ["rebind.example.org"]
    assert reached == [("93.184.215.14", 81)]


def test_the_own_network_is_reached_only_if_the_operator_allows_it():
    with taking() as (url, taken):
        refused = send(url, b"{}", {})
        assert not refused.taken
        assert "127.0.0.1 is no address of the open net" in refused.said
        assert taken.requests == []
        assert send(url, b"{}", {}, private=True).taken
        assert len(taken.requests) == 1


def test_what_came_back_is_told_and_redirections_are_not_followed():
    with taking() as (url, taken):
        taken.words = "schön\x00 ok\n".encode()
        assert send(f"{url}/a?b=1", b"[1]", {"x-y": "z"}, private=True).said == "200 OK: schön ok"
        path, headers, body = taken.requests[0]
        assert (path, headers["x-y"], body) == ("/a?b=1", "z", b"[1]")
        taken.statuses = [302, 404, 500]
        taken.headers = {"Location": f"{url}/elsewhere"}
        for said in ("302 Found: a redirection", "404 Not Found", "500 Internal"):
            answer = send(url, b"{}", {}, private=True)
            assert not answer.taken
            assert answer.said.startswith(said)
        assert len(taken.requests) == 4


@contextmanager
def saying(say):
    """Yield the address of a server that does ``say`` with each connection."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                say(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


def byte_by_byte(connection):
    while True:
        connection.sendall(b"H")
        time.sleep(0.02)


def without_end(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65536)


def headers_without_end(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"a: b\r\n" * 1000)


def silent(connection):
    time.sleep(0.6)


def no_http(connection):
    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")


@pytest.mark.parametrize(
    ("say", "taken", "said"),
    [
        (byte_by_byte, False, "no answer within"),
        (without_end, True, "200 OK: xxx"),
        (headers_without_end, False, "an answer that is no HTTP"),
        (silent, False, "no answer"),
        (no_http, False, "an answer that is no HTTP"),
        (lambda connection: None, False, "no"),
    ],
)
def test_an_answer_is_bounded_in_time_and_size(monkeypatch, say, taken, said):
    monkeypatch.setattr(webhooks, "SECONDS", 0.3)
    with saying(say) as url:
        begun = time.monotonic()
        answer = send(url, b"{}", {}, private=True)
        assert time.monotonic() - begun < 2
        assert answer.taken == taken
        assert answer.said.startswith(said)
        assert len(answer.said) < 300


def test_a_server_that_nobody_vouches_for_is_not_told(tmp_path):
    files = [str(tmp_path / name) for name in ("key.pem", "cert.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-keyout", files[0], "-out", files[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files[1], files[0])
    heard = []

    def say(connection):
        with context.wrap_socket(connection, server_side=True) as secure:
            heard.append(secure.recv(100))

    with saying(say) as url:
        answer = send(url.replace("http:", "https:"), b"secret", {}, private=True)
    assert not answer.taken
    assert answer.said.startswith("no secure connection")
    assert heard == []
