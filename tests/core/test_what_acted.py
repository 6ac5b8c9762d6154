"""What an answer says of a report is true: what had no effect can be left out, and what acted cannot."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core.commands import SendMessage
from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.carrying import TO_BE_READ
from folkmoot.errors import Invalid, MootError
from folkmoot.reports.read import read_report
from folkmoot.testing.builders import SoundBoard, View, preset_flow, report
from tests.core.test_carrying import FILLED, FLOW, NEEDS
from tests.documents import FAILURES, RESULTS, REVIEW, SECURITY

AGENTS = {"make": "maker", "look": "checker"}
FIELDS = [name for name in FILLED if name != "extra"]
# What says when or by whom, and the copies of the report itself.
COPIES = {"acted", "kept", "runs", "version", "updated_at", "created_at", "result", "outputs", "last_said"}
# Other values of fields of which some act and others do not.
OTHERS: dict[str, list[Any]] = {
    "cause": ["capability", "transient", "size"],
    "reason": ["deep", "it is too hard", "security"],
    "blockers": ["none", "nobody knows the curve", "a security concern"],
    "findings": [[{"issue": "x", "severity": word}] for word in ("low", "high")],
    "attempts": [[{"approach": "x", "outcome": word}] for word in ("red", "green, it worked")],
    "question": [{"question": "which?", "blocking": blocking} for blocking in (True, False)],
    "tests": [{"total": 4, "passed": 4}, {"total": 4, "passed": 3, "failed": 1}],
    "comments": [[{"content": "so it is"}], [{"content": "wrong", "artifact": "plan.md"}]],
}
OWN = st.dictionaries(
    st.sampled_from(["riskLevel", "round", "status", "approval", "spec", "Task", "decision", "output", "issues"]),
    st.sampled_from(["high", 2, "approved", True, "rejected", False, "1", "specs/a.md", "delegate", ["MARKED"]]),
    max_size=3,
)


def world(column: str, said: Report, final: bool) -> tuple[Any, View] | None:
    """All that stands on a board after a report, but for the report itself; and the answer. None: it was refused."""
    said_of = {"agent_completed": ("summary", "cause")}
    with SoundBoard(FLOW) as board:
        board.add(column=column)
        run = board.claim(AGENTS[column])
        try:
            answer = board.engine.report(run, said, final=final)
        except MootError:
            return None
        known = board.queries.list()["items"]
        items = [board.show(one["id"]) for one in known]
        seen = [{name: value for name, value in item.items() if name not in COPIES} for item in items]
        ends = [(one["run"], one["end"], one["outcome"]) for item in items for one in item["runs"]]
        events = [
            (
                one["event"],
                one["item"],
                {k: v for k, v in one["context"].items() if k not in said_of.get(one["event"], ())},
            )
            for one in board.log()
        ]
        lessons = [one["text"] for one in board.queries.lessons()["lessons"]]
        return (seen, ends, events, lessons), answer


def without(said: Report, name: str) -> Report:
    if name in said.__struct_fields__:
        return replace(said, **{name: getattr(Report(outcome=said.outcome), name)})
    return replace(said, extra={own: value for own, value in said.extra.items() if own != name})


@st.composite
def reports(draw: st.DrawFn) -> Report:
    outcome = draw(st.sampled_from(OUTCOMES))
    names = draw(st.lists(st.sampled_from(FIELDS), max_size=4, unique=True))
    told = {name: draw(st.sampled_from(OTHERS.get(name, [FILLED[name]]))) for name in names}
    return report(outcome, **{**NEEDS.get(outcome, {}), **told}, extra=draw(OWN))


@pytest.mark.ledger("R-32")
@settings(max_examples=40, deadline=None)
@given(said=reports(), column=st.sampled_from(list(AGENTS)), final=st.booleans())
@example(report("done", attempts=OTHERS["attempts"][0], escalation_reason="deep"), "make", False)
def test_what_had_no_effect_can_be_left_out_and_what_acted_cannot(said: Report, column: str, final: bool) -> None:
    found = world(column, said, final)
    if found is None:
        return
    before, answer = found
    acted, kept = ([one["what"] for one in answer[part]] for part in ("acted", "kept"))
    assert not set(acted) & set(kept)
    filled = [name for name in FIELDS if getattr(said, name) and name not in TO_BE_READ]
    said_anyway = {
        name for name, word in (("cause", "capability"), ("blockers", "none")) if getattr(said, name) == word
    }
    assert set(filled) <= {*acted, *kept, *said_anyway}, "a statement was not answered"
    for name in kept:
        other = world(column, without(said, name), final)
        assert other is not None and other[0] == before, f"{name} acted, and the answer says that it did not"
    for name in (name for name in acted if name != "usage"):
        other = world(column, without(said, name), final)
        assert other is None or other[0] != before, f"{name} did nothing, and the answer says that it acted"


KANBAN, PIPELINE, QUEST, ESCALATION, HANDOFF = (
    preset_flow(name) for name in ("kanban", "pipeline", "quest", "escalation", "handoff")
)
ATTEMPT = """ATTEMPT 1: Self-Solve
Approach: parse the key with the standard library
Outcome: red, the curve is another one
Why Different: it is the first
"""
FORM = """## Summary
Implemented feature X

## Changes Made
- handlers/feature.go: the handler

## Issues Found (if applicable)
- Low: a name could be better

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""
DELEGATE = """{
  "decision": "delegate",
  "subAgents": [
    {"task": "analyze_existing_auth_patterns", "scope": "discovery_only"},
    {"task": "identify_integration_points", "scope": "discovery_only"}
  ]
}"""
COMPLETE = """{
  "agentType": "codeweaver", "status": "complete", "task": "User can register with email",
  "output": {"filesCreated": ["src/auth/registration.ts"], "filesModified": [], "interfaces": ["User"],
             "integrationPoints": ["auth routes"]},
  "report": "registered", "surprise": "nobody wrote the mailer", "retro": "insights"
}"""
STUCK = '{"outcome": "stuck", "blockers": "two threads write the book"}'
SPOKEN: dict[str, tuple[Any, str, str, str, list[str], list[str]]] = {
    "an attempt block": (ESCALATION, "available", "developer", ATTEMPT, ["attempts"], []),
    "a form": (PIPELINE, "implement", "implementer", FORM, ["findings"], ["Changes Made"]),
    "a delegation": (QUEST, "discover", "pathseeker", DELEGATE, ["delegate"], []),
    "a quest's report": (QUEST, "weave", "codeweaver", COMPLETE, ["lessons"], ["surprise"]),
    "blockers": (KANBAN, "dev", "dev-agent", STUCK, ["blockers"], []),
    "blockers that name the kind of failure": (
        QUEST,
        "weave",
        "codeweaver",
        '{"status": "failed", "report": "too large", "blockers": "task complexity exceeds agent capability"}',
        ["cause", "blockers"],
        [],
    ),
    "no blockers": (KANBAN, "dev", "dev-agent", '{"status": "complete", "report": "x", "blockers": "None."}', [], []),
    "findings of a part": (PIPELINE, "review", "reviewer", json.dumps(REVIEW), ["findings"], []),
    "a security issue": (PIPELINE, "review", "devils-advocate", json.dumps(SECURITY), ["findings"], []),
    "failed tests": (
        PIPELINE,
        "test",
        "test-executor",
        json.dumps(FAILURES),
        ["findings", "tests"],
        ["round", "max_rounds"],
    ),
    "passed tests": (PIPELINE, "test", "test-executor", json.dumps(RESULTS), ["tests"], []),
    "an escalation": (
        HANDOFF,
        "build",
        "builder",
        '{"type": "escalation", "from": "builder", "to": "orchestrator", "payload": {"reason": "spec_ambiguity", '
        '"details": "Cannot determine auth method", "options": ["JWT", "Session", "OAuth"], '
        '"context": "spec line 45", "blocking": true}}',
        ["reason", "question"],
        [],
    ),
}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("case", SPOKEN.values(), ids=SPOKEN.keys())
def test_the_documents_shapes_are_answered_truly(case: tuple[Any, str, str, str, list[str], list[str]]) -> None:
    flow, column, agent, text, acted, kept = case
    with SoundBoard(flow) as board:
        board.add(column=column)
        answer = board.engine.report(board.claim(agent), read_report(text))
        assert [one["what"] for one in answer["acted"]] == acted
        assert [one["what"] for one in answer["kept"]] == kept
        assert answer["runs"][-1]["kept"] == answer["kept"]


def test_what_is_kept_says_what_to_write_so_that_it_acts() -> None:
    with SoundBoard(FLOW) as board:
        board.add(column="plan")
        parts = {"tasks": FILLED["tasks"], "reason": "deep", "extra": {"round": 2}}
        kept = board.effort("planner", "incomplete", summary="half", **parts)["kept"]
        assert {one["what"]: one.get("why", "") for one in kept} == {
            "tasks": "planner may not report split",
            "reason": "it decides something only beside disputed, failed, stuck",
            "round": "the board counts this itself",
        }
        answer = board.effort("planner", "failed", summary="red", cause="capability")
        assert answer["acted"] == answer["kept"] == [], "a failure without a cause is one of capability"


@pytest.mark.ledger("R-32", "R-06")
def test_what_was_said_in_a_refused_report_too_is_one_statement() -> None:
    with SoundBoard(ESCALATION) as board:
        board.add()
        run = board.claim("developer")
        tried = [{"approach": "parse the key", "outcome": "red, another curve"}]
        with pytest.raises(Invalid):
            board.say(run, "asks", attempts=tried)
        answer = board.say(run, "failed", summary="red", attempts=tried)
        assert [one["what"] for one in answer["acted"]] == ["attempts"] and answer["kept"] == []


def test_a_gate_is_answered_too() -> None:
    with SoundBoard(QUEST) as board:
        board.add()
        board.effort("pathseeker", "split", tasks=[{"key": "a", "title": "A", "files": ["a.py"]}])
        board.effort("codeweaver", "done", summary="made")
        parts = {"findings": [{"issue": "red"}], "tests": {"total": 3, "passed": 1, "failed": 2}}
        answer = board.effort("ward", "failed", summary="red", blockers="no disk", **parts)
        assert [one["what"] for one in answer["acted"]] == ["findings", "tests", "blockers"]
        assert board.show("1")["tests"]["failed"] == 2, "what a red gate has counted stands on the item"
        assert board.show("1")["findings"][-1]["issue"] == "red\nno disk" and answer["kept"] == []


@pytest.mark.ledger("R-26")
def test_a_number_of_issues_that_the_run_has_sent_only_repeats_them() -> None:
    with SoundBoard(HANDOFF) as board:
        board.add(column="review")
        run = board.claim("reviewer")
        issues = {"issues": ["High: auth.py:3 leaks", "Low: naming"]}
        board.engine.send(run, SendMessage(sender="reviewer", to="fixer", type="fix_request", payload=issues))
        answer = board.engine.report(run, read_report("{status: needs_fixes, issues: 2}"))
        assert answer["column"] == "fix" and answer["kept"] == []


def test_a_board_of_before_answers_from_the_table() -> None:
    from folkmoot.core.rules.judging.carrying import acted_of, kept_of

    said = report("done", blockers="open", attempts=[{"approach": "x"}], extra={"own": "word"})
    assert [one.what for one in kept_of(said, "maker", FLOW)] == ["attempts", "blockers", "own"]
    assert acted_of(said, None) == []
