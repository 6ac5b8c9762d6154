"""The message envelope: what is required, what is filled in, what is refused by name, and the schema that says so."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.errors import Invalid
from folkmoot.reports.envelope import FIELDS, REQUIRED, Envelope, envelope_schema, read_message
from tests.documents import CLARIFICATION, ESCALATION, FAILURES, RESULTS, REVIEW, SECURITY

FULL: dict[str, Any] = {
    "schema_version": "1.0.0",
    "message_id": "5b0c4f3e-77b0-4b7e-9d1c-3c9f2f8d6a11",
    "timestamp": "2024-01-17T14:30:00Z",
    "from": "planner",
    "to": "builder",
    "type": "task_handoff",
    "priority": "high",
    "payload": {"spec": "specs/login.md"},
    "context": {"workflow": "feature", "spec": "specs/login.md", "iteration": 1},
    "status": "pending",
}


def read(data: dict[str, Any]) -> Envelope:
    return read_message(json.dumps(data))


@pytest.mark.ledger("H-01")
def test_the_whole_envelope_field_by_field() -> None:
    message = read(FULL)
    assert {name: getattr(message, "sender" if name == "from" else name) for name in FULL} == FULL


@pytest.mark.ledger("H-01")
def test_sender_receiver_and_type_are_enough() -> None:
    message = read({"from": "a", "to": "b", "type": "completion"})
    assert (message.schema_version, message.payload, message.context) == ("1.0.0", {}, {})
    assert message.priority is None, "its item's: the moment of sending fills it in"
    assert (message.message_id, message.timestamp, message.status) == (None, None, None)


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize("name", REQUIRED)
def test_what_is_required_is_named(name: str) -> None:
    with pytest.raises(Invalid, match=f"{name}: missing") as caught:
        read({other: value for other, value in FULL.items() if other != name})
    assert caught.value.code == "bad_message"


WRONG: dict[str, list[Any]] = {
    "schema_version": [1, "2.0.0", "1", "1.0.0\n", ""],
    "message_id": [7, "", "x" * 201, None, "uuid-v4", "m1", "5b0c4f3e77b04b7e9d1c3c9f2f8d6a11"],
    "timestamp": ["ISO-8601", "yesterday", 1700000000, "2024-13-45T10:00:00Z", "2024-01-17T25:61:00Z", "2024-01-17"],
    "from": ["", "  ", 3, None, ["a"]],
    "to": ["", {}, True],
    "type": ["", 1],
    "priority": ["urgent", "HIGH", 1, None, "critical|high|medium|low"],
    "payload": ["words", [], None, 3],
    "context": ["words", []],
    "status": ["done", "", None],
}


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_is_refused_with_its_field(name: str, value: Any) -> None:
    with pytest.raises(Invalid, match=f"(; |: ){name}: ") as caught:
        read({**FULL, name: value})
    assert caught.value.code == "bad_message"


@pytest.mark.ledger("H-01")
def test_inner_fields_of_the_context_are_checked_too() -> None:
    wrong: list[dict[str, Any]] = [{"iteration": 0}, {"iteration": "1"}, {"iteration": True}, {"spec": 1}, {"item": []}]
    wrong += [{"workflow": "hotfix"}, {"workflow": "feature|bugfix|refactor"}, {"iteration": 1.5}, {"spec": ""}]
    for context in wrong:
        with pytest.raises(Invalid, match=r"context\."):
            read({**FULL, "context": context})
    assert read({**FULL, "context": {"own": [1]}}).context == {"own": [1]}


@pytest.mark.ledger("H-01")
def test_who_sends_it_and_to_whom_may_be_said_beside_it() -> None:
    bare = json.dumps({"type": "task_assignment", "description": "x"})
    said = read_message(bare, sender="dispatcher", to="implementer")
    assert (said.sender, said.to, said.payload) == ("dispatcher", "implementer", {"description": "x"})
    own = read_message(json.dumps({**FULL}), sender="ann", to="reviewer")
    assert (own.sender, own.to) == ("planner", "builder"), "what the message says itself holds"
    assert read_message('{"to": "a", "type": "completion"}', in_run=True).sender == ""
    assert read_message(json.dumps(RESULTS), in_run=True).to == "orchestrator"
    with pytest.raises(Invalid, match="to: missing"):
        read_message(bare, sender="dispatcher")


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize("item", [7, "7", "#7", " 7 "])
def test_an_item_is_named_by_its_number(item: Any) -> None:
    assert read({**FULL, "context": {"item": item}}).context == {"item": "7"}


@pytest.mark.ledger("H-01")
def test_all_faults_at_once_with_what_may_be_meant() -> None:
    with pytest.raises(Invalid) as caught:
        read({"form": "planner", "to": "", "type": "task_handoff", "prioritty": "high", "status": "gone"})
    for words in ("from: missing", "did you mean 'from'", "to: ", "did you mean 'priority'", "'gone' is not one of"):
        assert words in caught.value.message


@pytest.mark.ledger("P-03")
@pytest.mark.parametrize("data", [REVIEW, SECURITY, FAILURES, CLARIFICATION], ids=lambda data: str(data["type"]))
def test_a_bare_message_of_the_pipeline_gets_its_envelope(data: dict[str, Any]) -> None:
    message = read(data)
    sender = data.get("from") or data.get("reviewer") or data.get("source")
    assert (message.sender, message.to, message.type) == (sender, "orchestrator", data["type"])
    assert message.payload == {name: value for name, value in data.items() if name not in ("type", "from")}
    assert message.status is None, "its status is a verdict, not where the message is"


@pytest.mark.ledger("P-03")
def test_a_bare_message_may_name_both_ends() -> None:
    task = {
        "type": "task_assignment",
        "from": "dispatcher",
        "to": "implementer",
        "task_id": "implement-feature",
        "description": "Implement feature X with tests",
        "context": "See requirements.md for details",
        "files": ["path/to/file1.go"],
        "constraints": ["Follow existing patterns"],
        "priority": "high",
    }
    message = read(task)
    assert (message.sender, message.to, message.priority) == ("dispatcher", "implementer", "high")
    assert message.payload["context"] == "See requirements.md for details"
    with pytest.raises(Invalid, match="from: missing"):
        read(RESULTS)


@pytest.mark.ledger("H-09")
def test_the_escalation_of_the_document() -> None:
    message = read(ESCALATION)
    assert (message.sender, message.to, message.payload) == ("builder", "orchestrator", ESCALATION["payload"])


@pytest.mark.ledger("H-01")
def test_the_schema_is_made_from_the_same_table() -> None:
    schema = envelope_schema()
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["properties"] == FIELDS and schema["required"] == list(REQUIRED)
    assert schema["additionalProperties"] is False
    assert list(FIELDS) == list(FULL), "every field of the document, in its order"
    assert schema["properties"]["priority"]["enum"] == ["critical", "high", "medium", "low"]
    assert schema["properties"]["status"]["enum"] == ["pending", "accepted", "completed", "rejected"]
    json.dumps(schema)


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize("name", [name for name, known in FIELDS.items() if "enum" in known])
def test_each_word_of_the_schema_is_taken(name: str) -> None:
    for word in FIELDS[name]["enum"]:
        assert getattr(read({**FULL, name: word}), name) == word


@pytest.mark.parametrize(
    "text",
    [
        "",
        "words",
        "[]",
        "null",
        "{",
        '{"from": "a"} {}',
        '{"from": "a", "from": "b"}',
        '{"from": "a\\u0000"}',
        "[" * 9999,
    ],
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_message(text)
    assert caught.value.code == "bad_message"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from([*FULL, "reviewer", "form"]) | st.text(max_size=4), values, max_size=5))
def test_whatever_the_fields_hold_it_is_a_message_or_invalid(data: dict[str, Any]) -> None:
    text = json.dumps({"from": "a", "to": "b", "type": "review_findings", **data})
    refusal = None
    try:
        read_message(text)
    except Invalid as error:
        refusal = error
    assert refusal is None or (refusal.code == "bad_message" and refusal.message.encode("utf-8"))
