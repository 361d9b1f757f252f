"""The answers of a stored log change only with the version of the rules.

``history/log.jsonl.gz`` holds three thousand votes in which tastes change twice, both changes are
declared, and options come and go; ``history/answers-N.json`` holds what rules N say of it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from driftduel.arena import service as arena
from driftduel.arena.versions import CURRENT, KNOWN
from tests.arena.history.restore import HEADS, HERE, answers_of, restore_log, use_rules

WHAT_TO_DO = (
    "The answers differ from those of these rules: arenas made with them would be told another "
    "past. If you did not mean to change answers, this is a bug. If you did: raise CURRENT of "
    "driftduel.arena.versions by one, keep the code of the rules before so that arenas made with "
    "them are folded as they were, and store the new answers: "
    f"python -m tests.arena.history.make answers {CURRENT + 1}"
)


def stored(rules: int) -> dict[str, Any]:
    path = HERE / f"answers-{rules}.json"
    if not path.exists():
        pytest.fail(
            f"the answers of rules {rules} are not stored: python -m tests.arena.history.make "
            f"answers {rules}"
        )
    return dict(json.loads(path.read_text()))


@pytest.mark.large
@pytest.mark.parametrize("rules", [version for _, version in KNOWN])
@pytest.mark.parametrize("head", HEADS)
def test_answers_change_only_with_the_version_of_the_rules(tmp_path, head, rules):
    restore_log(tmp_path / "arena.db", head)
    use_rules(tmp_path / "arena.db", rules)
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        found = answers_of(arena.status(service, "drinks"))
    was = stored(rules)[str(head)]
    moved = [name for name in was if json.loads(json.dumps(found[name])) != was[name]]
    changed = "".join(f"\n{name}: was {was[name]}\n{name}: is {found[name]}" for name in moved)
    assert not moved, f"after event {head}, {', '.join(moved)}. {WHAT_TO_DO}{changed}"


@pytest.mark.large
def test_an_arena_of_the_first_rules_hears_what_the_newest_would_change(tmp_path):
    head = HEADS[-1]
    restore_log(tmp_path / "arena.db", head)
    use_rules(tmp_path / "arena.db", 1)
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        told = arena.upgrade(service, "drinks")
        assert (told.rules, told.newest) == (1, CURRENT)
        said = told.differences
        assert said == [
            "That Cocoa is best would be proved.",
            "Scores, ranges or chances of Tea, Coffee, Cocoa, Latte and 2 more would differ.",
        ]
        arena.accept_rules(service, "drinks", CURRENT)
        found = answers_of(arena.status(service, "drinks"))["arms"]
    assert json.loads(json.dumps(found)) == stored(CURRENT)[str(head)]["arms"]


def test_the_stored_log_has_what_rules_are_about():
    """Two declared changes, options that joined, paused and came back, and every kind of event."""
    last = stored(1)[str(HEADS[-1])]
    assert [(one["before"], one["after"]) for one in last["changes"]] == [
        ("Tea", "Coffee"),
        ("Coffee", "Cocoa"),
    ]
    assert last["best"] == "Cocoa"
    offers = [{arm["slug"] for arm in one["arms"] if arm["offered"]} for one in stored(1).values()]
    assert len({frozenset(one) for one in offers}) >= 3
