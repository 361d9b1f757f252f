from __future__ import annotations

import sys

import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.model import Card
from driftduel.arena.service import duels, markdown
from tests.arena.images import gif, png
from tests.arena.voting import damage, events, prefer, state, state_from_nothing, vote


def names(service, slug="drinks"):
    return [arm.name for arm in arena.describe(service, slug).arms if arm.offered]


def test_arms_join_pause_and_resume_as_one_event_each(drinks):
    prefer(drinks, "tea", 5)
    head = len(events(drinks))
    arena.change_arms(drinks, "drinks", add=["mate", "cocoa"], pause=["milk"])
    assert names(drinks) == ["tea", "coffee", "mate", "cocoa"]
    assert len(events(drinks)) == head + 1
    prefer(drinks, "mate", 20)
    seen = {name for row in events(drinks)[head + 1 :] for name in (row.left, row.right)}
    assert seen <= {0, 1, 3, 4}
    arena.change_arms(drinks, "drinks", resume=["milk"], pause=["cocoa"])
    prefer(drinks, "milk", 20)
    assert state(drinks) == state_from_nothing(drinks)
    now = arena.status(drinks, "drinks")
    assert now.votes == 45
    assert [arm.name for arm in now.arms if arm.probability is not None] == names(drinks)
    arena.verify(drinks.store)


def test_an_arm_joins_paused_in_one_event_until_it_is_resumed(drinks):
    head = len(events(drinks))
    arena.change_arms(drinks, "drinks", add=["mate"], pause=["mate"])
    assert names(drinks) == ["tea", "coffee", "milk"]
    prefer(drinks, "tea", 20)
    assert all(3 not in (row.left, row.right) for row in events(drinks))
    assert len(events(drinks)) == head + 21
    arena.change_arms(drinks, "drinks", resume=["mate"])
    assert names(drinks) == ["tea", "coffee", "milk", "mate"]
    assert state(drinks) == state_from_nothing(drinks)


def test_an_arm_that_left_is_gone_for_open_duels(drinks):
    asked = {}
    while len(asked) < 3:
        duel = arena.ask(drinks, "drinks", "ann")
        asked[frozenset({duel.left.name, duel.right.name})] = duel.duel
    arena.change_arms(drinks, "drinks", add=["mate"], pause=["milk"])
    for pair, duel in asked.items():
        if "milk" in pair:
            with pytest.raises(errors.Gone, match="not offered"):
                arena.tell(drinks, duel, "ann", "left")
        else:
            assert arena.tell(drinks, duel, "ann", "left").counted
    assert state(drinks) == state_from_nothing(drinks)


def test_a_new_name_changes_what_people_see_and_nothing_else(drinks):
    prefer(drinks, "tea", 6)
    before = state(drinks)
    arena.change_arms(drinks, "drinks", rename={"tea": "Earl Grey"})
    assert state(drinks)[1:] == before[1:]
    assert arena.status(drinks, "drinks").best == "Earl Grey"
    assert arena.describe(drinks, "drinks").arms[0].slug == "tea"


def test_names_may_go_round(drinks):
    arena.change_arms(drinks, "drinks", rename={"tea": "coffee", "coffee": "milk", "milk": "tea"})
    assert names(drinks) == ["coffee", "milk", "tea"]
    arena.verify(drinks.store)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"add": ["tea"]}, errors.Conflict),
        ({"rename": {"tea": "milk"}}, errors.Conflict),
        ({"pause": ["cocoa"]}, errors.NotFound),
        ({"add": [""]}, errors.Invalid),
        ({"add": ["a\nb"]}, errors.Invalid),
        ({"add": ["a\x00b"]}, errors.Invalid),
        ({"add": ["\ud800"]}, errors.Invalid),
        ({"add": ["x" * 201]}, errors.Invalid),
        ({"add": [7]}, errors.Invalid),
        ({"add": "mate"}, errors.Invalid),
        ({"add": [f"arm {n}" for n in range(998)]}, errors.Invalid),
        ({"add": ["茶" * n for n in range(1, 999)]}, errors.Invalid),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(drinks, change, kind):
    before = arena.describe(drinks, "drinks")
    with pytest.raises(kind):
        arena.change_arms(drinks, "drinks", **change)
    assert arena.describe(drinks, "drinks") == before


def test_an_arena_may_begin_without_arms(service):
    arena.create_arena(service, "empty", "?")
    with pytest.raises(errors.Conflict, match="fewer than two"):
        arena.ask(service, "empty", "ann")
    arena.change_arms(service, "empty", add=["a"])
    arena.change_arms(service, "empty", add=["b"])
    assert vote(service, slug="empty").counted
    assert arena.status(service, "empty").best in ("a", "b")
    arena.verify(service.store)


def test_arms_with_markup_and_other_scripts_are_kept_as_they_are(service):
    given = ["<script>alert(1)</script>", "'; DROP TABLE event; --", "茶", "🍵", "a,b", '"']
    arena.create_arena(service, "odd", "?", given)
    assert names(service, "odd") == given
    assert vote(service, slug="odd").reveal[0] in given


@pytest.mark.parametrize(
    ("slug", "settings", "kind"),
    [
        ("Drinks", {}, errors.Invalid),
        ("-", {}, errors.Invalid),
        ("x" * 65, {}, errors.Invalid),
        ("api", {}, errors.Invalid),
        ("drinks", {}, errors.Conflict),
        ("more", {"cup": 1}, errors.Invalid),
        ("more", {"cap": 0}, errors.Invalid),
        ("more", {"cap": True}, errors.Invalid),
        ("more", {"expire": 0.5}, errors.Invalid),
        ("more", {"blind": "yes"}, errors.Invalid),
        ("more", {"origins": "https://a.org"}, errors.Invalid),
        ("more", {"origins": ["javascript:alert(1)"]}, errors.Invalid),
    ],
)
def test_an_arena_that_makes_no_sense_is_refused(drinks, slug, settings, kind):
    with pytest.raises(kind):
        arena.create_arena(drinks, slug, "?", ["a", "b"], settings=settings)
    assert [one.slug for one in arena.arenas(drinks)] == ["drinks"]


def test_names_without_latin_letters_are_many_and_too_many_are_refused_unread(drinks, monkeypatch):
    added = arena.change_arms(drinks, "drinks", add=["茶" * (1 + n) for n in range(150)])
    assert [arm.slug for arm in added[3:6]] == ["arm", "arm-2", "arm-3"]
    assert len({arm.slug for arm in added}) == 153
    monkeypatch.setattr(sys.modules[arena.change_arms.__module__], "as_name", None)
    with pytest.raises(errors.Invalid, match="there would be 1,003 arms, must be 1,000 at most"):
        arena.change_arms(drinks, "drinks", add=["茶"] * 850)
    monkeypatch.undo()
    head = len(events(drinks))
    arena.change_arms(drinks, "drinks", pause=["milk"] * 20_000)  # each is looked up once
    assert len(events(drinks)) == head + 1


def test_settings_are_changed_by_an_event(drinks):
    changed = arena.change_arena(drinks, "drinks", {"title": "Hot drinks", "cap": 5})
    assert (changed.title, changed.settings.cap, changed.settings.blind) == ("Hot drinks", 5, True)
    assert [row.kind for row in events(drinks)] == ["arms", "settings"]
    with pytest.raises(errors.Invalid):
        arena.change_arena(drinks, "drinks", {"status": "ajar"})
    assert len(events(drinks)) == 2


def test_a_card_is_shown_without_the_name_of_its_arm(drinks):
    for name in ("tea", "coffee", "milk"):
        arena.set_card(drinks, "drinks", name, Card("markdown", f"*{name[::-1]}*"), "morning")
    arena.set_card(drinks, "drinks", "tea", Card("text", "in the evening"), "evening")
    arena.set_card(drinks, "drinks", "milk", Card("image", "a glass"), "evening", png())
    contexts = set()
    for _ in range(40):
        asked = arena.ask(drinks, "drinks", "ann")
        assert (asked.left.name, asked.right.name) == (None, None)
        shown = {asked.left.body, asked.right.body}
        assert asked.context in ("morning", "evening")
        if asked.context == "evening":
            assert shown == {"in the evening", "a glass"}
        contexts.add(asked.context)
    assert contexts == {"morning", "evening"}
    assert arena.tell(drinks, asked.duel, "ann", "left").reveal is None
    assert events(drinks)[-1].context == asked.context
    arena.change_arena(drinks, "drinks", {"blind": False})
    assert arena.ask(drinks, "drinks", "ann").left.name in ("tea", "coffee", "milk")
    for side in (asked.left, asked.right):
        if side.kind == "image":
            blob = side.image.rpartition("/")[2]
            assert arena.image_of(drinks, blob) == ("image/png", png())


def test_names_are_told_after_a_vote_if_no_card_hides_them_or_the_owner_says_so(drinks):
    assert {*vote(drinks).reveal} < {"tea", "coffee", "milk"}
    for name in ("tea", "coffee", "milk"):
        arena.set_card(drinks, "drinks", name, Card("text", "A cup."))
    assert [vote(drinks, verdict).reveal for verdict in ("left", "bad", "skip")] == [None] * 3
    arena.change_arena(drinks, "drinks", {"reveal": True})
    assert {*vote(drinks).reveal} < {"tea", "coffee", "milk"}
    assert vote(drinks, "skip").reveal is None
    arena.change_arena(drinks, "drinks", {"reveal": False, "blind": False})
    assert vote(drinks).reveal


def images(service):
    with service.store.reading() as connection:
        return {row[0] for row in connection.execute("SELECT sha256 FROM blob")}


def test_the_image_of_a_removed_card_is_gone_unless_another_shows_it(drinks):
    shown = Card("image", "")
    for arm, context in (("tea", ""), ("tea", "cold"), ("milk", "")):
        arena.set_card(drinks, "drinks", arm, shown, context, png())
    (name,) = images(drinks)
    arena.set_card(drinks, "drinks", "tea", shown, "", png())  # the same once more
    arena.set_card(drinks, "drinks", "tea", None)
    arena.set_card(drinks, "drinks", "tea", Card("text", "hot"), "cold")
    assert images(drinks) == {name}
    arena.set_card(drinks, "drinks", "milk", shown, "", gif())
    assert name not in images(drinks)
    assert len(images(drinks)) == 1
    with pytest.raises(errors.NotFound):
        arena.image_of(drinks, name)
    arena.set_card(drinks, "drinks", "milk", None)
    assert images(drinks) == set()
    arena.verify(drinks.store)


def test_markdown_is_made_html_once_and_not_without_bound(drinks, monkeypatch):
    table = "|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + "|b\n" * 16_000
    with monkeypatch.context() as less:
        less.setattr(markdown, "MOST_HTML", 10_000)
        with pytest.raises(errors.Invalid, match="letters of HTML, must become 10,000 at most"):
            arena.set_card(drinks, "drinks", "tea", Card("markdown", "&" * 5_000))
    with monkeypatch.context() as never:
        never.setattr(markdown, "_renderer", None)
        with pytest.raises(errors.Invalid, match="a table of more than 20,000 cells"):
            arena.set_card(drinks, "drinks", "tea", Card("markdown", table[:65_536]))
    for name in ("tea", "coffee", "milk"):
        arena.set_card(drinks, "drinks", name, Card("markdown", "*hot*"))
    monkeypatch.setattr(duels, "html_of_markdown", None)  # nobody calls it
    asked = arena.ask(drinks, "drinks", "ann")
    assert asked.left.html == asked.right.html == "<p><em>hot</em></p>\n"


def test_a_poll_has_so_many_cards_and_no_more(drinks, monkeypatch):
    monkeypatch.setattr(sys.modules[arena.set_card.__module__], "MOST_CARDS", 2)
    for context in ("a", "b"):
        arena.set_card(drinks, "drinks", "tea", Card("text", "hot"), context)
    with pytest.raises(errors.Invalid, match="remove one first"):
        arena.set_card(drinks, "drinks", "tea", Card("text", "hot"), "c")
    arena.set_card(drinks, "drinks", "tea", None, "b")
    arena.set_card(drinks, "drinks", "tea", Card("text", "hot"), "c")


def test_a_card_of_an_earlier_version_is_shown_whatever_it_is(drinks, monkeypatch):
    for name in ("tea", "coffee", "milk"):
        arena.set_card(drinks, "drinks", name, Card("markdown", "*hot* <b>"))
    damage(drinks, "UPDATE card SET html = NULL")
    assert arena.ask(drinks, "drinks", "ann").left.html == "<p><em>hot</em> &lt;b&gt;</p>\n"
    monkeypatch.setattr(markdown, "MOST_HTML", 10)
    assert arena.ask(drinks, "drinks", "ann").left.html == "<p>*hot* &lt;b&gt;</p>"


def test_a_pair_without_a_common_context_is_shown_by_names_unless_it_is_blind(drinks):
    arena.change_arena(drinks, "drinks", {"blind": False})
    arena.set_card(drinks, "drinks", "tea", Card("text", "leaves"), "morning")
    for _ in range(10):
        asked = arena.ask(drinks, "drinks", "ann")
        assert asked.context is None
        assert (asked.left.kind, asked.left.body) == ("text", asked.left.name)
    arena.set_card(drinks, "drinks", "tea", None, "morning")
    assert drinks.hosted("drinks").contexts == {}


def test_tokens_are_shown_once_and_can_be_revoked(drinks):
    made = arena.create_arena(drinks, "other", "?", ["a", "b"])
    assert arena.check_token(drinks, made.owner_token, "other", "owner") == "owner"
    assert arena.check_token(drinks, made.embed_key, "other", "owner", "embed") == "embed"
    with pytest.raises(errors.Forbidden, match="another arena"):
        arena.check_token(drinks, made.owner_token, "drinks", "owner")
    with pytest.raises(errors.Forbidden, match="for embed"):
        arena.check_token(drinks, made.embed_key, "other", "owner")
    for wrong in (None, "", "owner_x", "\x00", "\ud800", made.owner_token + " "):
        with pytest.raises(errors.Unauthorized):
            arena.check_token(drinks, wrong, "other", "owner")
    reader = arena.new_token(drinks, "other", "read", "the press")
    (known,) = [token for token in arena.tokens(drinks, "other") if token.role == "read"]
    assert known.label == "the press"
    arena.revoke_token(drinks, "other", known.id)
    arena.revoke_token(drinks, "other", known.id)
    with pytest.raises(errors.Unauthorized, match="revoked"):
        arena.check_token(drinks, reader, "other", "read")
    with pytest.raises(errors.NotFound):
        arena.revoke_token(drinks, "drinks", known.id)
