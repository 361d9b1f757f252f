"""Who is told when a poll changes is told: at least once, whoever is killed when, and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from threading import Barrier, Thread

import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Conflict, Forbidden, Invalid, NotFound, TooMany
from driftduel.arena.file import Local
from driftduel.arena.messages import WEEK, message
from driftduel.arena.rules import now
from driftduel.arena.service import sending
from driftduel.arena.service import service as running
from driftduel.arena.service.limits import Buckets
from driftduel.arena.service.sending import LEASE, Sender, after
from driftduel.arena.store import messages as table
from tests.arena.posting import is_signed, mailing, taking
from tests.arena.serving import ServerProcess
from tests.arena.voting import cast, damage, events
from tests.processes import wait_until

limits = import_module("driftduel.arena.service.receivers")
FEW = 120
SITE = "https://polls.example"


def turn(service, *names):
    """Cast votes by which one option after the other is best, and let the changes be declared."""
    for n, name in enumerate(names):
        cast(service, name, FEW, voter=f"voter {n}")
    arena.status(service, "drinks")


def outbox(service):
    with service.store.reading() as connection:
        return [
            message
            for one in table.receivers_of(connection, service.hosted("drinks").arena.id)
            for message in table.messages_of(connection, one.id, 100)
        ]


@pytest.fixture(autouse=True)
def nobody_follows(monkeypatch):
    """No thread of a service looks for changes but when a test asks."""
    monkeypatch.setattr(running.Service, "_run", lambda self: None)


@pytest.fixture
def quiet(monkeypatch):
    """Threads that send do nothing by themselves: a test asks for each round."""
    monkeypatch.setattr(Sender, "_run", lambda self: None)


@pytest.fixture
def told(drinks, quiet):
    """A poll, and an address that is told when it changes, which nothing was sent to yet."""
    drinks.post = arena.Post(private=True)
    with taking() as (url, taken):
        taken.added = arena.add_receiver(drinks, "drinks", f"{url}/hook", site=SITE)
        taken.url = url
        yield drinks, taken


def test_a_change_is_told_from_what_to_what_and_how_sure_with_a_link(told):
    service, taken = told
    turn(service, "tea", "coffee")
    (waiting,) = outbox(service)
    assert (waiting.state, waiting.tries, taken.requests) == ("waiting", 0, [])
    assert Sender(service).round() == 1
    ((path, headers, body),) = taken.requests
    assert path == "/hook"
    assert is_signed(taken.added.secret, headers, body)
    assert not is_signed(taken.added.secret, headers, body + b" ")
    (said,) = taken.bodies
    assert said["id"] == headers["webhook-id"] == waiting.id
    assert (said["type"], said["poll"], said["best"]) == ("change", "drinks", "coffee")
    (change,) = said["changes"]
    assert (change["before"], change["after"]) == (["tea"], ["coffee"])
    (event,) = [one for one in events(service) if one.kind == "change"]
    assert said["event"] == event.seq
    assert said["link"] == f"{SITE}/drinks/owner"
    lines = said["text"].splitlines()
    assert lines[0] == "Which is nicer?"
    assert lines[1].startswith("coffee took over from tea")
    assert "coffee is best on average since" in said["text"]
    assert "The model gives it" in said["text"]
    assert lines[-1] == said["link"]
    (done,) = outbox(service)
    assert (done.state, done.tries, done.said) == ("sent", 1, "200 OK: ok")
    assert Sender(service).round() == 0


def test_the_message_is_written_in_the_step_that_declares_the_change(told, monkeypatch):
    service, _ = told
    with monkeypatch.context() as broken:
        broken.setattr(table, "insert_messages", lambda *words: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            turn(service, "tea", "coffee")
    assert [one for one in events(service) if one.kind == "change"] == []
    assert outbox(service) == []
    arena.status(service, "drinks")
    assert len([one for one in events(service) if one.kind == "change"]) == 1
    assert len(outbox(service)) == 1
    arena.verify(service.store)


def test_a_change_that_a_prompt_finds_is_told_too(tmp_path, quiet):
    with arena.Service.open(f"sqlite:{tmp_path}/a.db") as service:
        service.post = arena.Post(private=True)
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        arena.add_receiver(service, "drinks", "https://example.org/", site=SITE)
        cast(service, "tea", FEW)
        cast(service, "coffee", FEW)
        service._stopping.set()
        with Local(tmp_path / "a.db") as prompt:
            assert len(prompt.status()[0].standing.changes) == 1
        assert len(outbox(service)) == 1


def test_slack_and_discord_get_text_that_mentions_nobody(told):
    service, taken = told
    arena.change_arms(service, "drinks", rename={"tea": "<!channel> & @everyone"})
    for shape in ("slack", "discord"):
        arena.add_receiver(service, "drinks", f"{taken.url}/{shape}", site=SITE, shape=shape)
    turn(service, "coffee", "<!channel> & @everyone")
    assert Sender(service).round() == 3
    said = {path: body for (path, _, _), body in zip(taken.requests, taken.bodies, strict=True)}
    assert list(said["/slack"]) == ["text"]
    assert "&lt;!channel&gt; &amp; @everyone took over from coffee" in said["/slack"]["text"]
    assert said["/discord"]["allowed_mentions"] == {"parse": []}
    assert "<!channel> & @everyone took over" in said["/discord"]["content"]


def test_what_is_not_taken_is_tried_again_later_and_later_and_given_up(told, monkeypatch):
    service, taken = told
    monkeypatch.setattr(sending.random, "random", lambda: 0.5)
    turn(service, "tea", "coffee")
    taken.statuses = [500, 301, 404]
    sender = Sender(service)
    waits = []
    for _ in range(3):
        damage(service, "UPDATE message SET due_at = 0")
        assert sender.round() == 1
        (one,) = outbox(service)
        waits.append(round((one.due_at - one.tried_at) / 1e6))
        assert one.state == "waiting"
        assert sender.round() == 0  # not before its time
    assert waits == [10, 20, 40]
    assert one.said == "404 Not Found: ok"
    (told_of,) = arena.receivers(service, "drinks")
    assert arena.in_words(told_of.messages) == "Not arrived yet: 404 Not Found: ok."
    damage(service, f"UPDATE message SET due_at = 0, made_at = made_at - {sending.GIVEN_UP}")
    taken.statuses = [503]
    assert sender.round() == 1
    (one,) = outbox(service)
    assert one.state == "given up"
    damage(service, "UPDATE message SET due_at = 0")
    assert sender.round() == 0
    assert len(set(taken.names)) == 1  # by which a receiver knows it again
    assert len(taken.names) == 4


def test_waiting_doubles_with_chance_and_ends_after_three_days():
    at = now()
    body = arena.Answer(False, "x" * 1000)
    one = table.Message("m", 1, "r", "change", {}, at, at, 0, "", "waiting", None)
    spans = []
    while one.state == "waiting":
        one = after(replace(one, tries=one.tries + 1), body, one.due_at)
        spans.append(one.due_at - one.tried_at)
        assert len(one.said) == 300
    assert 20 < len(spans) < 60
    assert max(spans) <= 9 * 3600e6
    assert sum(spans) <= sending.GIVEN_UP


def test_of_many_who_claim_a_message_one_gets_it(url, quiet):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        arena.add_receiver(service, "drinks", "https://example.org/", site=SITE)
        for name in ("tea", "coffee", "milk"):
            turn(service, name)
        ids = [one.id for one in outbox(service)]
        assert len(ids) > 1
        services = [arena.Service.open(url) for _ in range(3)]
        barrier, at, got = Barrier(3), now(), []

        def claim(one):
            barrier.wait()
            got.extend(
                one.writer.alone(lambda connection: table.claim(connection, ids, at, at + LEASE))
            )

        threads = [Thread(target=claim, args=(one,)) for one in services]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(one.id for one in got) == sorted(ids)
        with service.store.reading() as connection:
            assert table.next_messages(connection, at, 9) == []
            assert len(table.next_messages(connection, at + LEASE, 9)) == len(ids)
        for one in services:
            one.close()


def test_who_was_too_slow_does_not_say_what_became_of_it(told):
    service, _ = told
    turn(service, "tea", "coffee")
    ids = [one.id for one in outbox(service)]
    with service.store.writing() as connection:
        (slow,) = table.claim(connection, ids, now(), now())
        (quick,) = table.claim(connection, ids, now(), now() + LEASE)
        assert table.settle(connection, after(quick, arena.Answer(True, "200 OK"), now()))
        assert not table.settle(connection, after(slow, arena.Answer(False, "500"), now()))
    assert outbox(service)[0].state == "sent"


DECLARE = """
import os, signal, sys
from driftduel.arena import service as arena
from driftduel.arena.service import service as running
from tests.arena.voting import cast, events
running.Service._run = lambda self: None
with arena.Service.open(sys.argv[1]) as service:
    cast(service, "coffee", 120, voter="bob")
    arena.status(service, "drinks")
    assert events(service)[-1].kind == "change"
    os.kill(os.getpid(), signal.SIGKILL)
"""


SEND = """
import sys, time
from driftduel.arena import service as arena
with arena.Service.open(sys.argv[1]) as service:
    service.post = arena.Post(private=True)
    service.serve()
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("quick_to_start")
def test_a_process_killed_after_declaring_or_while_sending_loses_no_message(url):
    with arena.Service.open(url) as service, taking() as (address, taken):
        service.post = arena.Post(private=True)
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        arena.add_receiver(service, "drinks", address, site=SITE)
        cast(service, "tea", FEW)
        command = [sys.executable, "-c"]
        declared = subprocess.run([*command, DECLARE, url], env=os.environ, check=False)
        assert declared.returncode == -signal.SIGKILL
        assert taken.requests == []
        taken.may_answer.clear()  # it waits for the answer when it is killed
        first = subprocess.Popen([*command, SEND, url], env=os.environ)
        taken.wait()
        first.kill()
        first.wait()
        taken.may_answer.set()
        assert outbox(service)[0].state == "waiting"
        damage(service, "UPDATE message SET due_at = 0")  # the lease is over
        second = Sender(service)
        wait_until(lambda: outbox(service)[0].state == "sent")
        second.stop(5)
        one, again = taken.bodies
        assert one == again
        assert taken.names[0] == taken.names[1]
        assert outbox(service)[0].tries == 2


@pytest.mark.slow
@pytest.mark.usefixtures("quick_to_start")
def test_a_server_that_is_killed_while_sending_sends_again_when_it_is_back(tmp_path):
    url = f"sqlite:{tmp_path}/a.db"
    with arena.Service.open(url) as service, taking() as (address, taken):
        service.post = arena.Post(private=True)
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        arena.add_receiver(service, "drinks", address, site=SITE)
        taken.may_answer.clear()
        server = ServerProcess(url, "--allow-private-webhooks", "--workers", "2")
        cast(service, "tea", FEW)
        cast(service, "coffee", FEW, voter="bob")
        taken.wait()
        server.end(signal.SIGKILL)
        taken.may_answer.set()
        damage(service, "UPDATE message SET due_at = 0")
        server = ServerProcess(url, "--allow-private-webhooks")
        taken.wait()
        assert taken.names[0] == taken.names[1]
        server.end()


def test_e_mail_says_what_changed_why_it_came_and_how_to_end_it(drinks, quiet):
    with mailing() as (server, taken):
        with pytest.raises(Invalid, match="sends no e-mail"):
            arena.add_receiver(drinks, "drinks", "ann@example.org", site=SITE)
        drinks.post = arena.Post(mail=server)
        made = arena.add_receiver(drinks, "drinks", " ann@example.org ", site=SITE).receiver
        arena.change_arena(drinks, "drinks", {"title": "Hot\tdrinks, Düsseldorf"})
        turn(drinks, "tea", "coffee")
        assert Sender(drinks).round() == 1
    (mail,) = taken
    assert mail["To"] == "ann@example.org"
    assert mail["From"] == "Polls <polls@example.org>"
    assert mail["Subject"] == "Hot drinks, Düsseldorf: coffee took over from tea"
    assert mail["Auto-Submitted"] == "auto-generated"
    stop = f"{SITE}/drinks/unsubscribe/{made.id}"
    assert mail["List-Unsubscribe"].strip() == f"<{stop}>"
    text = mail.get_content()
    assert "coffee took over from tea" in text
    assert f"{SITE}/drinks/owner" in text
    assert stop in text
    assert outbox(drinks)[0].state == "sent"


def test_what_a_mail_server_refuses_is_told(drinks, quiet):
    with mailing(refuses=True) as (server, taken):
        drinks.post = arena.Post(mail=server)
        made = arena.add_receiver(drinks, "drinks", "ann@example.org", site=SITE).receiver
        answer = arena.try_receiver(drinks, "drinks", made.id)
    assert answer == arena.Answer(False, "550 nobody of that name")
    assert taken == []
    assert "cannot be used" in arena.try_receiver(drinks, "drinks", made.id).said  # it is gone
    drinks.post = arena.Post()
    assert "sends no e-mail" in arena.try_receiver(drinks, "drinks", made.id).said


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"DRIFTDUEL_SMTP": "http://a.org"}, "DRIFTDUEL_SMTP must be like"),
        ({"DRIFTDUEL_SMTP": "smtp://a.org"}, "DRIFTDUEL_MAIL_FROM is ''"),
        ({"DRIFTDUEL_SMTP": "smtp://a.org", "DRIFTDUEL_MAIL_FROM": "x"}, "DRIFTDUEL_MAIL_FROM"),
    ],
)
def test_what_an_operator_says_of_e_mail_must_make_sense(variables, said):
    with pytest.raises(ValueError, match=said):
        arena.Post.of_environment(variables)
    assert arena.Post.of_environment({}) == arena.Post()
    assert arena.Post.of_environment({"DRIFTDUEL_PRIVATE_WEBHOOKS": "1"}).private


@pytest.mark.parametrize("address", ["a@b", "a b@c.org", "a@c.org\nBcc: x@y.org", "@c.org", "a@"])
def test_what_is_no_address_of_e_mail_is_refused(drinks, address):
    with mailing() as (server, _):
        drinks.post = arena.Post(mail=server)
        with pytest.raises(Invalid):
            arena.add_receiver(drinks, "drinks", address, site=SITE)
    assert arena.receivers(drinks, "drinks") == []


def test_a_digest_comes_every_week_once_whoever_writes_it(told, url):
    service, taken = told
    name = taken.added.receiver.id
    turn(service, "tea", "coffee")
    damage(service, "DELETE FROM message")
    sender = Sender(service)
    sender.write_digests()
    assert outbox(service) == []
    arena.change_digest(service, "drinks", name, wanted=True)
    (one,) = arena.receivers(service, "drinks")
    assert WEEK - 60e6 < one.receiver.digest_at - now() <= WEEK
    sender.write_digests()
    assert outbox(service) == []
    damage(service, f"UPDATE receiver SET digest_at = digest_at - {3 * WEEK}")
    with arena.Service.open(url) as other:
        both = [sender, Sender(other)]
        threads = [Thread(target=each.write_digests) for each in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [message.kind for message in outbox(service)] == ["digest"]
    (one,) = arena.receivers(service, "drinks")
    assert now() < one.receiver.digest_at <= now() + WEEK
    assert sender.round() == 1
    (said,) = taken.bodies
    assert said["type"] == "digest"
    assert f"{2 * FEW} votes came in the last week." in said["text"]
    assert "coffee took over from tea" in said["text"]
    arena.change_digest(service, "drinks", name, wanted=False)
    assert arena.receivers(service, "drinks")[0].receiver.digest_at is None


def test_a_test_says_what_came_back_and_is_not_made_very_often(told, monkeypatch):
    service, taken = told
    name = taken.added.receiver.id
    monkeypatch.setattr(limits, "_TRIALS", Buckets(rate=0.1, burst=2))
    assert arena.try_receiver(service, "drinks", name) == arena.Answer(True, "200 OK: ok")
    assert taken.bodies[0]["type"] == "test"
    assert "This is a test" in taken.bodies[0]["text"]
    service.post = arena.Post()
    assert "no address of the open net" in arena.try_receiver(service, "drinks", name).said
    with pytest.raises(TooMany):
        arena.try_receiver(service, "drinks", name)
    assert len(taken.requests) == 1
    assert outbox(service) == []


def test_nobody_is_sent_many_tests_by_e_mail_whoever_has_polls(drinks, quiet, monkeypatch):
    monkeypatch.setattr(limits, "_LETTERS", Buckets(rate=1 / 600, burst=2))
    arena.create_arena(drinks, "soups", "?", ["pea", "leek"])
    with mailing() as (server, taken):
        drinks.post = arena.Post(mail=server)
        ways = [("drinks", "ann@example.org"), ("soups", "Ann@example.org")]
        for slug, address in ways:
            made = arena.add_receiver(drinks, slug, address, site=SITE).receiver
            assert arena.try_receiver(drinks, slug, made.id).taken
        with pytest.raises(TooMany):
            arena.try_receiver(drinks, slug, made.id)
    assert len(taken) == 2


def test_slow_receivers_of_one_poll_hold_up_no_other(told):
    service, _ = told
    arena.create_arena(service, "soups", "?", ["pea", "leek"])
    other = arena.add_receiver(service, "soups", "https://example.org/", site=SITE).receiver
    mine = arena.receivers(service, "drinks")[0].receiver
    many = [message(mine.id, mine.arena, "change", {}) for _ in range(20)]
    last = [message(other.id, other.arena, "change", {}) for _ in range(2)]
    service.writer.alone(lambda connection: table.insert_messages(connection, many + last))
    with service.store.reading() as connection:
        first = table.next_messages(connection, now(), 8)
    assert {one.id for one in last} < set(first)
    assert len(first) == 8


def test_who_is_removed_is_told_nothing_more(told):
    service, taken = told
    turn(service, "tea", "coffee")
    arena.remove_receiver(service, "drinks", taken.added.receiver.id)
    assert Sender(service).round() == 0
    assert arena.receivers(service, "drinks") == []
    for act in (arena.remove_receiver, arena.try_receiver):
        with pytest.raises(NotFound):
            act(service, "drinks", taken.added.receiver.id)


def test_an_address_is_told_once_and_a_poll_has_few(told):
    service, taken = told
    with pytest.raises(Conflict):
        arena.add_receiver(service, "drinks", f"{taken.url}/hook", site=SITE)
    for n in range(limits.MOST - 1):
        arena.add_receiver(service, "drinks", f"{taken.url}/{n}", site=SITE)
    with pytest.raises(TooMany):
        arena.add_receiver(service, "drinks", f"{taken.url}/more", site=SITE)
    for wrong in ({"site": "javascript:x"}, {"site": SITE, "shape": "text"}):
        with pytest.raises(Invalid):
            arena.add_receiver(service, "drinks", "https://example.org", **wrong)


def test_the_receiver_of_another_poll_is_none(told):
    service, taken = told
    arena.create_arena(service, "food", "Which?", ["soup", "salad"])
    for act in (arena.remove_receiver, arena.try_receiver):
        with pytest.raises(NotFound):
            act(service, "food", taken.added.receiver.id)
    assert len(arena.receivers(service, "drinks")) == 1


def test_messages_done_with_are_forgotten_after_a_month(told):
    service, _ = told
    turn(service, "tea", "coffee")
    with service.store.writing() as connection:
        table.delete_old(connection, now() + 1)
    assert len(outbox(service)) == 1  # it waits
    assert Sender(service).round() == 1
    with service.store.writing() as connection:
        table.delete_old(connection, now() + 1)
    assert outbox(service) == []


def test_the_key_of_a_feed_opens_nothing_else(drinks):
    key = arena.new_token(drinks, "drinks", "feed")
    number = drinks.hosted("drinks").arena.id
    holder = arena.holder_of(drinks, key)
    assert arena.check_holder(holder, number, "feed") == "feed"
    for roles in (("owner",), ("owner", "read"), ("embed", "owner")):
        with pytest.raises(Forbidden):
            arena.check_holder(holder, number, *roles)
