"""A message that stands in a report, in whatever shape, comes out of it as a message; or the report is asked back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.report import Posted, Report
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

# The handoff document's envelope, with a value in each place.
ENVELOPE: dict[str, Any] = {
    "schema_version": "1.0.0",
    "message_id": "6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4",
    "timestamp": "2024-01-01T10:00:00Z",
    "from": "reviewer",
    "to": "fixer",
    "type": "fix_request",
    "priority": "high",
    "payload": {"issues": ["no rate limit", "no test"]},
    "context": {"workflow": "feature", "spec": "specs/20240101-feature.md", "iteration": 1},
    "status": "pending",
}
POSTED = Posted(
    type="fix_request",
    sender="reviewer",
    to="fixer",
    message_id=ENVELOPE["message_id"],
    timestamp=ENVELOPE["timestamp"],
    priority="high",
    payload=ENVELOPE["payload"],
    context=ENVELOPE["context"],
    status="pending",
)
RETURNS = "Returns: {status: needs_fixes, issues: 2}"
FORM = "## Summary\nI looked.\n\n## Status\n- [x] Complete"
TEXT = json.dumps(ENVELOPE)
SHAPES: dict[str, str] = {
    "in a fence": f"I looked.\n\n```json\n{json.dumps(ENVELOPE, indent=2)}\n```\n\n{RETURNS}\n",
    "in a fence of no language": f"```\n{TEXT}\n```\n{RETURNS}",
    "on a line": f"{TEXT}\n{RETURNS}",
    "behind a word": f"Handoff to FIXER: {TEXT}\n{RETURNS}",
    "after the return": f"{RETURNS}\n\n{TEXT}",
    "in a list": f"Handoffs: [{TEXT}]\n{RETURNS}",
    "beside a form": f"{TEXT}\n\n{FORM}",
    "in a field": json.dumps({"status": "needs_fixes", "handoff": ENVELOPE}),
    "in a list of a field": json.dumps({"status": "needs_fixes", "handoffs": [ENVELOPE]}),
    "beside a status alone": json.dumps({"status": "completed", "message": ENVELOPE}),
    "in our own field": json.dumps({"outcome": "changes_requested", "messages": [ENVELOPE]}),
    "in a payload": json.dumps({"type": "completion", "payload": {"status": "completed", "handoff": ENVELOPE}}),
    "in an object of its own": f"```json\n{json.dumps({'handoff': ENVELOPE})}\n```\n{RETURNS}",
    "in a list of an object of its own": f"```json\n{json.dumps({'handoffs': [ENVELOPE]})}\n```\n{RETURNS}",
    "beside a signal": f"{TEXT}\n\nTASK_INCOMPLETE",
}


@pytest.mark.ledger("H-01", "R-26", "R-32")
@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_a_message_in_a_report_is_one_in_every_shape(text: str) -> None:
    assert read_report(text).messages == [POSTED]


OF_TYPES: dict[str, dict[str, Any]] = {
    "task_handoff": {"from": "planner", "to": "builder", "payload": {"spec": "specs/a.md"}},
    "review_request": {"from": "builder", "to": "reviewer", "payload": {"commit": "abc123"}},
    "fix_request": {"issues": ["no test"]},
    "rereview_request": {"from": "fixer", "to": "reviewer"},
    "Fix Request": {"to": "FIXER", "payload": {}},
    "deploy_request": {"from": "builder", "to": "deployer", "payload": {"where": "staging"}},
}


@pytest.mark.parametrize(("kind", "fields"), OF_TYPES.items(), ids=OF_TYPES.keys())
def test_every_type_that_hands_something_on_is_found(kind: str, fields: dict[str, Any]) -> None:
    (message,) = read_report(json.dumps({"type": kind, **fields}) + "\n\nReturns: {status: completed}").messages
    assert message.type.casefold().replace(" ", "_") == kind.casefold().replace(" ", "_")
    assert message.to == fields.get("to", "") and message.sender == fields.get("from", "")
    assert message.payload == fields.get("payload", {k: v for k, v in fields.items() if k == "issues"})


BROKEN: dict[str, tuple[str, str]] = {
    "a comma too many": (TEXT[:-1] + ",}", "not? JSON"),
    "never closed": (json.dumps(ENVELOPE, indent=2)[:-2], "brace is missing"),
    "in single quotes": ("{'type': 'fix_request', 'to': 'fixer'}", "no JSON"),
    "without quotes": ("Handoff: {type: fix_request, to: fixer, issues: [a, b]}", "no JSON"),
    "as YAML": ("type: fix_request\nfrom: reviewer\nto: fixer\npayload:\n  issues: [a]", "no JSON"),
    "as a list of words": ("- **Type:** fix_request\n- **To:** fixer", "no JSON"),
    "a priority that is none": (json.dumps({**ENVELOPE, "priority": "urgent"}), "'urgent' is not one of"),
    "a payload that is none": (json.dumps({**ENVELOPE, "payload": 3}), "payload: 3 is not an object"),
}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(("message", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_a_message_that_cannot_be_read_is_not_lost_because_its_report_can(message: str, words: str) -> None:
    for text in (f"{message}\n\nReturns: {{status: approved}}\n", f"{FORM}\n\n{message}\n\n{RETURNS}\n"):
        with pytest.raises(Invalid, match=words):
            read_report(text)


def test_a_message_alone_does_not_say_how_the_run_ended() -> None:
    for text in (TEXT, f"Done.\n\n{TEXT}\n", f"```json\n{TEXT}\n```"):
        with pytest.raises(Invalid, match="it holds a fix_request, and no word on how the run ended"):
            read_report(text)


@pytest.mark.parametrize("lead", ["Here is what I received:\n\n", "The handoff I got was:\n\n"])
def test_what_a_text_only_shows_is_no_message_of_its_own(lead: str) -> None:
    assert (
        read_report(f"{lead}```json\n{TEXT}\n```\n\nMy own work is done.\n\nReturns: {{status: completed}}").messages
        == []
    )


def test_what_nobody_filled_in_is_left_out() -> None:
    form = {**ENVELOPE, "message_id": "uuid-v4", "timestamp": "ISO-8601", "context": {"spec": "path/to/spec.md"}}
    (message,) = read_report(f"{json.dumps(form)}\n{RETURNS}").messages
    assert (message.message_id, message.timestamp, message.context) == (None, None, {})


ISSUES: dict[str, tuple[Any, int, int]] = {  # how many findings, and how many of them have no severity
    "a number": (2, 0, 0),
    "nothing": ([], 0, 0),
    "none in words": ("none", 0, 0),
    "a text": ("no test", 1, 1),
    "a list": (["a", "b"], 2, 2),
    "objects": ([{"issue": "a"}, {"file": "a.py", "issue": "b"}], 2, 2),
    "weighed in words": (["Low: a name", "[minor] a comma"], 2, 0),
    "weighed": ([{"issue": "a", "severity": "low"}], 1, 0),
    "some of each": ([{"issue": "a", "severity": "low"}, "b"], 2, 1),
}


@pytest.mark.ledger("R-22", "H-10")
@pytest.mark.parametrize(("issues", "found", "still_open"), ISSUES.values(), ids=ISSUES.keys())
@pytest.mark.parametrize(
    "shape", [{"status": "approved"}, {"outcome": "done"}, {"type": "completion", "status": "approved"}]
)
def test_issues_without_a_severity_are_counted_as_open(
    issues: Any, found: int, still_open: int, shape: dict[str, str]
) -> None:
    said = read_report(json.dumps({**shape, "issues": issues}))
    assert (len(said.findings), said.extra.get("open_issues", 0)) == (found, still_open)


@given(
    payload=st.dictionaries(
        st.sampled_from(["issues", "spec", "commit", "words"]),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
        max_size=3,
    ),
    order=st.permutations([0, 1, 2]),
)
def test_all_messages_of_a_text_stay_in_its_order(payload: dict[str, str], order: list[int]) -> None:
    parts = [json.dumps({"type": "fix_request", "to": "fixer", "payload": {**payload, "n": n}}) for n in order]
    said: Report = read_report("\n\n".join([*parts, RETURNS]))
    assert [message.payload["n"] for message in said.messages] == order


UNSENT = {
    "in YAML": "```yaml\ntype: fix_request\nfrom: reviewer\nto: fixer\npayload:\n  issues: [no test]\n```",
    "an escalation in YAML": "```yml\ntype: escalation\nfrom: builder\npayload:\n  details: Which method?\n```",
    "without a type": json.dumps({"from": "reviewer", "to": "fixer", "payload": {"issues": ["no test"]}}),
    "with a type of another name": json.dumps(
        {"message_type": "fix_request", "from": "reviewer", "to": "fixer", "payload": {}}
    ),
    "in an object, with a wrong value": json.dumps({"handoff": {**ENVELOPE, "priority": "urgent"}}),
}


@pytest.mark.ledger("R-26", "R-32")
@pytest.mark.parametrize("end", ["Returns: {status: approved}", '{"status": "completed", "commit": "abc123"}'])
@pytest.mark.parametrize("message", UNSENT.values(), ids=UNSENT.keys())
def test_a_message_that_cannot_be_sent_is_asked_back_beside_any_end(message: str, end: str) -> None:
    with pytest.raises(Invalid, match=r"cannot be sent|priority"):
        read_report(f"{message}\n\n{end}\n")


@pytest.mark.ledger("H-09")
def test_an_escalation_in_an_object_of_its_own_is_asked() -> None:
    asked = json.dumps({"escalation": {"reason": "spec_ambiguity", "details": "Which method?"}})
    report = read_report(f"```json\n{asked}\n```\n\nReturns: {{status: completed}}\n")
    assert report.outcome == "asks" and report.question is not None
    assert report.question.question == "Which method?"


ASKED = {"question": "Which login?", "options": ["JWT"], "blocking": False, "impact": "high"}


@pytest.mark.parametrize("name", ["escalation", "escalations", "Escalations", "clarification_requests", "questions"])
@pytest.mark.parametrize("listed", [True, False])
def test_what_a_person_is_asked_comes_out_of_its_field(name: str, listed: bool) -> None:
    report = read_report(json.dumps({"outcome": "done", "summary": "built", name: [ASKED] if listed else ASKED}))
    assert report.outcome == "done" and report.question is not None
    assert (report.question.question, report.question.blocking) == ("Which login?", False)
    assert report.question.context == "impact: high" and "impact" not in report.extra


@pytest.mark.parametrize("more", [{"answer": "JWT"}, {"status": "answered"}, {"resolution": "JWT"}])
def test_a_question_that_was_answered_is_told_on(more: dict[str, Any]) -> None:
    listed = [{"question": "Which login?", **more}]
    report = read_report(json.dumps({"status": "completed", "questions": listed}))
    assert report.question is None and report.extra["questions"] == listed


@pytest.mark.parametrize(
    ("kind", "status", "way"),
    [
        ("task_handoff", "pending", '{"status": "completed"}'),
        ("review_request", None, '{"status": "completed"}'),
        ("fix_request", "pending", '{"status": "needs_fixes"}'),
        ("rereview_request", "pending", '{"status": "fixes_applied"}'),
        ("Task Handoff", "accepted", '{"status": "completed"}'),
        ("task_handoff", "rejected", '{"outcome": "disputed"'),
    ],
)
@pytest.mark.parametrize("around", ["{}", "I have done my part.\n\n{}\n", "[{0}, {0}]"])
def test_a_handover_alone_is_told_which_return_belongs_beside_it(
    kind: str, status: str | None, way: str, around: str
) -> None:
    message = json.dumps({**ENVELOPE, "type": kind, "status": status})
    with pytest.raises(Invalid) as refused:
        read_report(around.replace("{}", message).replace("{0}", message))
    assert way in refused.value.message
    assert refused.value.message.count("no word on how the run ended") == 1


@pytest.mark.parametrize(
    "beside", [{"iteration": 2}, {"result": {"spec": "specs/a.md"}}, {"details": "It was built as the spec says."}]
)
@pytest.mark.parametrize("end", ["completed", "approved", "fixes_applied"])
def test_messages_beside_a_status_that_is_only_described_come_out_of_it(end: str, beside: dict[str, Any]) -> None:
    report = read_report(json.dumps({"status": end, **beside, "handoff": ENVELOPE, "escalation": ASKED}))
    assert report.outcome == "done" and report.messages == [POSTED]
    assert report.question is not None and report.question.question == "Which login?"
    inner = read_report(json.dumps({"status": end, "result": {"handoff": ENVELOPE, "escalations": [ASKED]}}))
    assert inner.messages == [POSTED] and inner.question == report.question


@pytest.mark.parametrize(
    "none", [{"reason": "none"}, {"details": "n/a", "reason": "none"}, {"needed": False, "reason": "the spec is clear"}]
)
def test_an_escalation_that_is_not_needed_asks_nobody(none: dict[str, Any]) -> None:
    report = read_report(json.dumps({"status": "completed", "commit": "abc123", "escalation": none}))
    assert report.question is None and report.extra["escalation"] == none
