"""Records are declared once: their JSON and its schema are made from the same fields."""

from __future__ import annotations

from datetime import datetime

import pytest

from driftduel.arena import service as arena
from driftduel.arena.json import facts_of, json_of_history, json_of_status, made_of, to_json
from driftduel.arena.web import schemas
from tests.arena.voting import prefer


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What is answered, each with the schema that the document has of it."""
    url = f"sqlite:{tmp_path_factory.mktemp('json')}/arena.db"
    with arena.Service.open(url) as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 40)
        arena.change_arms(service, "drinks", pause=["milk"])
        asked = arena.ask(service, "drinks", "bob")
        told = arena.tell(service, asked.duel, "bob", "left", wants_next=True)
        undone = arena.retract(service, asked.duel, "bob")
        return [
            (to_json(made_of(made)), schemas.Made),
            (to_json(facts_of(arena.describe(service, "drinks"))), schemas.Arena),
            (to_json(asked), schemas.Duel),
            (to_json(told), schemas.Told),
            (to_json(undone), schemas.Appended),
            (to_json(arena.health(service, "drinks")), schemas.Health),
            ({"voters": to_json(arena.voters(service, "drinks"))}, schemas.Voters),
            (json_of_status(arena.status(service, "drinks")), schemas.Status),
            (json_of_history(arena.history(service, "drinks")), schemas.History),
        ]


def check(value, schema, parts):
    """Fail unless a value has just the fields that its schema has, all the way down."""
    if "$ref" in schema:
        schema = parts[schema["$ref"].rpartition("/")[2]]
    for one in schema.get("anyOf", ()):
        if one.get("type") != "null" and value is not None:
            check(value, one, parts)
    if isinstance(value, list):
        for one in value:
            check(one, schema.get("items", {}), parts)
    if "properties" in schema:
        known = set(schema["properties"])
        assert known == set(value) or (schema.get("additionalProperties") and known < set(value))
        for name, part in schema["properties"].items():
            check(value[name], part, parts)


def test_every_answer_has_the_fields_and_types_of_its_schema(answers):
    for value, model in answers:
        schema = model.model_json_schema()
        check(value, schema, schema.get("$defs", {}))
        model.model_validate(value, strict=False)


def test_times_leave_by_iso_8601_and_under_their_names(answers):
    facts = {model.__name__: value for value, model in answers}
    times = [
        facts["Arena"]["created"],
        facts["Duel"]["expires"],
        facts["Health"]["rate"]["since"],
        facts["Voters"]["voters"][0]["last"],
        facts["History"]["days"][0]["at"],
    ]
    assert all(datetime.fromisoformat(at).utcoffset() is not None for at in times)


def test_what_is_for_the_server_alone_is_not_sent(answers):
    facts = {model.__name__: value for value, model in answers}
    assert set(facts["Told"]) == {"seq", "counted", "reason", "reveal", "next"}
    assert "moment" not in facts["Health"]
    assert all(set(arm) == {"slug", "name", "offered"} for arm in facts["Arena"]["arms"])


def test_what_attributes_mean_is_in_the_document():
    said = schemas.VoterFacts.model_json_schema()["properties"]
    assert said["last"]["description"] == "When the voter was last seen."
    assert said["left"]["description"].startswith("Votes, also those that do not count")
