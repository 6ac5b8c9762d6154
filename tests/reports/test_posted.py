"""What is sent as a message, close to its form: read as it was meant, or every fault named (H-01, R-26)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.errors import Invalid
from folkmoot.reports.envelope import read_message

HANDOFF: dict[str, Any] = {
    "from": "planner",
    "to": "builder",
    "type": "task_handoff",
    "priority": "high",
    "payload": {"title": "Add user auth"},
    "context": {"workflow": "feature", "spec": "specs/20240101-feature.md", "iteration": 1},
}
TEXT = json.dumps(HANDOFF)
ESCALATION: dict[str, Any] = {
    "reason": "spec_ambiguity",
    "details": "Cannot determine auth method",
    "options": ["JWT", "Session", "OAuth"],
    "context": "spec line 45",
    "blocking": True,
}
BUILDER = {"from": "builder", "to": "orchestrator"}

READ: dict[str, str] = {
    "bare": TEXT,
    "in a fence": f"```json\n{TEXT}\n```",
    "in a fence without a name": f"```\n{TEXT}\n```\n",
    "in tildes": f"~~~\n{json.dumps(HANDOFF, indent=2)}\n~~~",
    "with a mark at its beginning": f"\ufeff{TEXT}\n\n",
}


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize("text", READ.values(), ids=READ.keys())
def test_one_message_is_read_whatever_it_is_wrapped_in(text: str) -> None:
    said = read_message(text)
    assert (said.sender, said.to, said.type, said.priority) == ("planner", "builder", "task_handoff", "high")
    assert (said.payload, said.context) == (HANDOFF["payload"], HANDOFF["context"])


@pytest.mark.ledger("H-14")
def test_a_message_as_the_document_prints_its_returns() -> None:
    said = read_message("{type: completion, from: builder, to: orchestrator}")
    assert (said.type, said.sender, said.to) == ("completion", "builder", "orchestrator")


# What is said beside the envelope's own fields is the payload, if there is none.
BESIDE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({**BUILDER, "type": "escalation", **ESCALATION}, ESCALATION),
    ({**BUILDER, "type": "Escalation", "details": "which?"}, {"details": "which?"}),
    (
        {**BUILDER, "type": "completion", "status": "completed", "commit": "abc123"},
        {"status": "completed", "commit": "abc123"},
    ),
    ({**BUILDER, "type": "completion", "status": "needs_fixes", "issues": 2}, {"status": "needs_fixes", "issues": 2}),
    ({**BUILDER, "type": "completion", "status": "pending", "commit": "abc123"}, {"commit": "abc123"}),
]


@pytest.mark.ledger("H-01", "H-09")
@pytest.mark.parametrize(("message", "payload"), BESIDE)
def test_what_stands_beside_the_envelope_is_its_payload(message: dict[str, Any], payload: dict[str, Any]) -> None:
    assert read_message(json.dumps(message)).payload == payload


ASKED_BACK: dict[str, tuple[str, list[str]]] = {
    "nothing": ("", ["it is empty"]),
    "an empty fence": ("```\n\n```", ["it is empty"]),
    "words": ("please build it", ["not one JSON object"]),
    "words before it": (f"Here is my handoff:\n{TEXT}", ["words stand beside", "Here is my handoff:"]),
    "words around a fence": (
        f"Over to you.\n```json\n{TEXT}\n```\nThanks",
        ["words stand beside", "Over to you. Thanks"],
    ),
    "two of them": (f"{TEXT}\n{TEXT}", ["it holds 2 objects", "send each message by itself"]),
    "two with words": (f"{TEXT}\nand\n{TEXT}", ["it holds 2 objects", "words stand beside the object: 'and'"]),
    "a list": (f"[{TEXT}, {TEXT}]", ["a list of 2", "send each message by itself"]),
    "a comma at its end": (f"{TEXT[:-1]},}}", ["it is not JSON", "at letter"]),
    "one that is cut off": (TEXT[:-1], ["closing brace is missing"]),
    "a number": ("7", ["not one JSON object"]),
    "the form of a report": ("## Status\n- [x] Complete", ["not one JSON object", "is its report"]),
    "close to a field": (
        '{"type": "completion", "from": "a", "to": "b", "prioritty": "high", "commit": "x"}',
        ["did you mean 'priority'"],
    ),
    "a version": (json.dumps({**HANDOFF, "schema_version": "1.0"}), ["version like 1.0.0"]),
    "three values": (
        json.dumps({**HANDOFF, "priority": "urgent", "status": "gone", "timestamp": "now"}),
        ["priority: 'urgent'", "status: 'gone'", "timestamp: 'now'"],
    ),
}


@pytest.mark.ledger("H-01", "R-26")
@pytest.mark.parametrize(("text", "words"), ASKED_BACK.values(), ids=ASKED_BACK.keys())
def test_what_is_not_just_one_message_is_asked_back_with_every_fault(text: str, words: list[str]) -> None:
    with pytest.raises(Invalid) as caught:
        read_message(text)
    assert caught.value.code == "bad_message"
    for one in words:
        assert one in caught.value.message


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_word_beside_a_message_is_dropped_without_a_word(before: str, after: str) -> None:
    try:
        said = read_message(f"{before}\n{TEXT}\n{after}")
    except Invalid:
        return
    assert said.payload == HANDOFF["payload"]
    left = f"{before} {after}".replace("\ufeff", "").replace("`", "").replace("~", "").split()
    assert not left or before.strip().startswith(("```", "~~~")), "only the name of a fence"


@pytest.mark.ledger("P-03", "R-26")
def test_a_bare_message_may_name_its_item_and_keeps_its_context_in_words() -> None:
    bare = {"type": "test_results", "source": "test-executor", "status": "passed"}
    said = read_message(json.dumps({**bare, "context": {"item": "#7", "spec": "s.md"}}))
    assert (said.context, said.payload["status"]) == ({"item": "7", "spec": "s.md"}, "passed")
    assert "context" not in said.payload
    for own in ("See requirements.md", {"build": 3}, ["a"]):
        said = read_message(json.dumps({**bare, "context": own}))
        assert said.payload["context"] == own and said.context == {}
