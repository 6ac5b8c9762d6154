"""Every JSON shape of the five documents becomes one report."""

import json
from typing import Any

import pytest

from folkmoot.core.report import WORDS_BESIDE, Finding, Report, Tests
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import (
    CLARIFICATION,
    ESCALATION,
    FAILURES,
    QUEST_LONG,
    QUEST_SHORT,
    RESULTS,
    REVIEW,
    SECURITY,
    SHARED,
    SUB_AGENTS,
    TASKS,
)

DOCUMENTS = {
    "review": REVIEW,
    "security": SECURITY,
    "failures": FAILURES,
    "results": RESULTS,
    "clarification": CLARIFICATION,
    "escalation": ESCALATION,
    "quest, short": QUEST_SHORT,
    "quest, long": QUEST_LONG,
    "sub-agents": SUB_AGENTS,
    "tasks": {**TASKS, **SHARED},
}


def read(data: dict[str, Any]) -> Report:
    return read_report(json.dumps(data))


@pytest.mark.ledger("P-03")
def test_review_findings() -> None:
    assert read(REVIEW) == Report(
        outcome="changes_requested",
        findings=[
            Finding(
                severity="high",
                file="handlers/feature.go",
                line=42,
                issue="Missing error handling",
                recommendation="Add error check before proceeding",
            )
        ],
        extra={
            "type": "review_findings",
            "reviewer": "reviewer",
            "status": "changes_requested",
            "approval": False,
        },
    )
    approved = {"type": "review_findings", "reviewer": "r", "status": "approved", "findings": [], "approval": True}
    assert read(approved).outcome == "done"


@pytest.mark.ledger("P-03")
def test_security_issues() -> None:
    report = read(SECURITY)
    assert report.outcome == "changes_requested"
    assert report.findings == [
        Finding(
            kind="security",
            severity="critical",
            category="sql_injection",
            issue="sql_injection",
            file="services/user.go",
            line=123,
            exploit="Input ' OR '1'='1 bypasses auth",
            recommendation="Use parameterized queries",
        )
    ]
    assert read({"type": "security_issues", "source": "x", "vulnerabilities": []}).outcome == "done"


@pytest.mark.ledger("P-03")
def test_test_failures() -> None:
    report = read(FAILURES)
    assert report.outcome == "changes_requested"
    assert report.findings == [
        Finding(
            kind="test",
            test="TestFeatureIntegration",
            issue="expected 200, got 500",
            file="tests/integration/feature_test.go",
            line=42,
            recommendation="Check error handling in handlers/feature.go",
        )
    ]
    assert report.tests == Tests(total=10, passed=8, failed=2)
    assert (report.extra["round"], report.extra["max_rounds"]) == (2, 3)
    del (short := json.loads(json.dumps(FAILURES)))["failures"][0]["likely_fix"], short["summary"]
    assert read(short).findings[0].recommendation is None


@pytest.mark.ledger("P-03")
def test_test_results() -> None:
    report = read(RESULTS)
    assert (report.outcome, report.tests) == ("done", Tests(total=10, passed=10))
    assert read({"type": "test_results", "status": "failed"}).outcome == "changes_requested"


@pytest.mark.ledger("P-03")
def test_numbers_that_leave_nothing_open_are_a_verdict_of_test_results() -> None:
    bare = {name: value for name, value in RESULTS.items() if name != "status"}
    assert read(bare).outcome == "done"
    assert read({**bare, "summary": FAILURES["summary"]}).outcome == "changes_requested"
    assert read({**bare, "failures": FAILURES["failures"]}).outcome == "changes_requested"
    for told in ({"total": 0, "passed": 0, "failed": 0}, {"total": 10, "passed": 8, "failed": 0}, {"failed": 0}):
        with pytest.raises(Invalid, match="status: missing, one of passed, failed"):
            read({**bare, "summary": told})


@pytest.mark.ledger("P-03")
def test_clarification_request() -> None:
    report = read(CLARIFICATION)
    assert report.outcome == "asks" and report.question is not None
    assert report.question.question == CLARIFICATION["question"]
    assert report.question.context == CLARIFICATION["context"]
    assert [choice.option for choice in report.question.options] == CLARIFICATION["options"]
    assert report.extra["from"] == "implementer"


@pytest.mark.ledger("H-09")
def test_escalation() -> None:
    report = read(ESCALATION)
    assert report.outcome == "asks" and report.question is not None
    assert (report.reason, report.summary) == ("spec_ambiguity", "Cannot determine auth method")
    assert report.question.question == "Cannot determine auth method"
    assert report.question.context == "spec line 45" and report.question.blocking
    assert [choice.option for choice in report.question.options] == ["JWT", "Session", "OAuth"]
    assert report.extra == {"type": "escalation", "from": "builder", "to": "orchestrator"}
    soft = {**ESCALATION, "payload": {**ESCALATION["payload"], "blocking": False}}
    asked = read(soft).question
    assert asked is not None and not asked.blocking


@pytest.mark.ledger("Q-07")
def test_the_short_quest_report() -> None:
    report = read(QUEST_SHORT)
    assert (report.outcome, report.summary) == ("done", QUEST_SHORT["report"])
    assert (report.next_steps, report.lessons) == ([QUEST_SHORT["nextSteps"]], [QUEST_SHORT["retro"]])
    assert report.extra == {"status": "complete", "output": QUEST_SHORT["output"]}


@pytest.mark.ledger("Q-07")
def test_the_long_quest_report() -> None:
    report = read(QUEST_LONG)
    assert (report.outcome, report.blockers) == ("stuck", "No mail service is configured")
    assert report.files.created == ["src/auth/registration.ts", "src/auth/registration.test.ts"]
    assert report.files.modified == ["src/auth/index.ts"]
    assert (report.next_steps, report.lessons) == (["Name one"], ["Ask for the mail service first"])
    assert (report.extra["agentType"], report.extra["task"]) == ("codeweaver", "User can register with email")
    assert report.extra["output"] == QUEST_LONG["output"]


@pytest.mark.ledger("Q-07")
@pytest.mark.parametrize(("status", "outcome"), [("complete", "done"), ("blocked", "stuck"), ("failed", "failed")])
def test_the_three_words_of_a_quest(status: str, outcome: str) -> None:
    for form in (QUEST_SHORT, QUEST_LONG):
        assert read({**form, "status": status}).outcome == outcome


def test_sub_agents_asked_for() -> None:
    report = read(SUB_AGENTS)
    assert report.outcome == "delegates"
    assert [{"task": asked.task, "scope": asked.scope} for asked in report.delegate] == SUB_AGENTS["subAgents"]


def test_a_decomposition_with_its_contracts() -> None:
    report = read({**TASKS, **SHARED})
    assert report.outcome == "split"
    assert [(task.key, task.title, task.files) for task in report.tasks] == [
        (key, told["task"], told["files"]) for key, told in TASKS.items()
    ]
    assert {contract.name: contract.text for contract in report.contracts} == SHARED["sharedTypes"]
    assert report.integration_points == SHARED["integrationPoints"]


@pytest.mark.parametrize("order", [(TASKS, SHARED), (SHARED, TASKS)])
def test_tasks_and_contracts_printed_apart_are_one_split(order: tuple[dict[str, Any], ...]) -> None:
    text = "\n\nand\n\n".join(f"```json\n{json.dumps(part, indent=2)}\n```" for part in order)
    report = read_report(text)
    assert report.extra.pop(WORDS_BESIDE) == "and"
    assert report == read({**TASKS, **SHARED})


def test_a_decomposition_as_the_output_of_a_quest_report() -> None:
    report = read({"agentType": "pathseeker", "status": "complete", "report": "mapped", "output": {**TASKS, **SHARED}})
    assert (report.outcome, len(report.tasks), len(report.contracts)) == ("split", 2, 2)


RETURNS = {
    '{status: completed, spec: "specs/login.md"}': "done",
    '{status: completed, commit: "abc123"}': "done",
    "{status: needs_fixes, issues: 2}": "changes_requested",
    "{status: fixes_applied}": "done",
    "{status: approved}": "done",
}


@pytest.mark.parametrize(("text", "outcome"), RETURNS.items())
@pytest.mark.parametrize("before", ["", "Returns: ", "- Returns: ", "I am finished.\n\nReturns: "])
def test_what_the_roles_of_a_handoff_return(before: str, text: str, outcome: str) -> None:
    report = read_report(before + text)
    assert report.outcome == outcome
    if "commit" in text:
        assert report.commit == "abc123"
    if "spec:" in text:
        assert report.extra["spec"] == "specs/login.md"
    if "issues" in text:
        assert report.extra["issues"] == 2


ENVELOPE = {
    "schema_version": "1.0.0",
    "message_id": "5b0c4f3e-77b0-4b7e-9d1c-3c9f2f8d6a11",
    "timestamp": "2024-01-17T14:30:00Z",
    "from": "reviewer",
    "to": "orchestrator",
    "priority": "high",
    "context": {"workflow": "feature", "spec": "specs/login.md", "iteration": 1},
    "status": "pending",
}


@pytest.mark.ledger("P-03", "Q-15")
@pytest.mark.parametrize("message", [REVIEW, SECURITY, FAILURES, RESULTS, CLARIFICATION], ids=lambda m: str(m["type"]))
def test_an_envelope_is_read_through_its_payload(message: dict[str, Any]) -> None:
    bare = read(message)
    payload = {name: value for name, value in message.items() if name != "type"}
    report = read({**ENVELOPE, "type": message["type"], "payload": payload})
    same = [name for name in report.__struct_fields__ if name != "extra"]
    assert [getattr(report, name) for name in same] == [getattr(bare, name) for name in same]
    assert {name: report.extra[name] for name in ENVELOPE} == ENVELOPE
    for name, value in bare.extra.items():
        assert report.extra[name] == value or report.extra["payload"][name] == value


def test_completion_is_done_unless_its_payload_says_otherwise() -> None:
    told = {**ENVELOPE, "type": "completion"}
    report = read({**told, "payload": {"commit": "abc123", "phase": "build"}})
    assert (report.outcome, report.commit, report.extra["phase"]) == ("done", "abc123", "build")
    assert read({**told, "payload": {}}).outcome == "done"
    assert read({**told, "payload": {"status": "failed"}}).outcome == "failed"
    with pytest.raises(Invalid, match="status"):
        read({**told, "payload": {"status": "nearly"}})


@pytest.mark.parametrize(
    "data",
    [
        {"decision": "self-execute"},
        {"agent": "implementer", "task": "Fix the issues"},
        {"type": "task_assignment", "task_id": "rerun-tests", "description": "again", "round": 2},
        {**ENVELOPE, "type": "task_handoff", "payload": {"spec": "specs/login.md"}},
        {"type": "tool_result", "status": "completed"},
        {"event": "agent_completed", "agent": "builder", "status": "completed"},
        {"role": "codeweaver", "task": "t", "projectContext": "p", "constraints": "c", "escapeHatch": "e"},
        {"status": "completed", "job": 12},
        {"result": {"outcome": "done"}},
    ],
    ids=lambda data: json.dumps(data)[:40],
)
def test_what_says_nothing_about_the_end_of_a_run_is_no_report(data: dict[str, Any]) -> None:
    for text in (json.dumps(data), f"so\n```json\n{json.dumps(data)}\n```"):
        with pytest.raises(Invalid):
            read_report(text)
        assert read_report(f'{{"outcome": "failed"}}\n{text}').outcome == "failed", "it does not hide a report either"


FAULTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "an unknown status": ({**QUEST_LONG, "status": "finnished"}, ["status", "finnished"]),
    "a wrong severity": ({**REVIEW, "findings": [{"severity": "awful"}]}, ["severity", "awful"]),
    "approval against status": ({**REVIEW, "approval": True}, ["contradict"]),
    "approval in words": ({**REVIEW, "approval": "no"}, ["approval"]),
    "no verdict": ({"type": "review_findings", "findings": []}, ["status"]),
    "findings in words": ({**REVIEW, "findings": "many"}, ["findings"]),
    "two faults": ({**REVIEW, "approval": "no", "findings": [3]}, ["approval", "findings"]),
    "results without a verdict": ({"type": "test_results"}, ["status"]),
    "no vulnerabilities": ({"type": "security_issues"}, ["vulnerabilities"]),
    "no failures": ({"type": "test_failures", "failures": []}, ["failures"]),
    "no question": ({"type": "clarification_request", "question": " "}, ["question"]),
    "nothing to decide": ({"type": "escalation", "payload": {"blocking": True}}, ["details"]),
    "blocking in words": ({"type": "escalation", "payload": {"details": "d", "blocking": "perhaps"}}, ["blocking"]),
    "a payload in words": ({"type": "completion", "payload": "all"}, ["payload"]),
    "sub-agents without a task": ({"decision": "delegate", "subAgents": [{"scope": "all"}]}, ["task"]),
    "no sub-agents": ({"decision": "delegate", "subAgents": []}, ["subAgents"]),
    "files that are none": ({"a": {"task": "t", "files": [1]}}, ["files"]),
    "a NUL": ({**QUEST_SHORT, "retro": "a\0"}, ["NUL"]),
}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(("data", "words"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_are_named_and_an_earlier_report_does_not_count(data: dict[str, Any], words: list[str]) -> None:
    for text in (json.dumps(data), f'{{"outcome": "done"}}\n\nno, wait\n\n{json.dumps(data)}'):
        with pytest.raises(Invalid) as caught:
            read_report(text)
        for word in words:
            assert word in caught.value.message


@pytest.mark.ledger("R-22")
def test_readers_translate_and_leave_it_to_the_rules_to_weigh_an_approval() -> None:
    red = read_report(json.dumps({**RESULTS, "summary": {"total": 2, "passed": 1, "failed": 1}}))
    assert red.tests is not None and (red.outcome, red.tests.failed) == ("done", 1)
    holes = read_report(json.dumps({**SECURITY, "status": "approved"}))
    assert (holes.outcome, [finding.severity for finding in holes.findings]) == ("done", ["critical"])
    assert read_report(json.dumps(SECURITY)).outcome == "changes_requested", "who gives no verdict has found something"


def test_who_counts_all_and_the_good_ones_has_counted_the_bad_ones() -> None:
    told = {"total": 10, "passed": 8}
    for said in ({"outcome": "done", "tests": told}, {**RESULTS, "summary": told}, {**QUEST_SHORT, "tests": told}):
        tests = read_report(json.dumps(said)).tests
        assert tests is not None and tests.failed == 2


def test_of_three_numbers_that_leave_tests_out_the_documents_message_is_asked_back() -> None:
    told = {"total": 10, "passed": 8, "failed": 0}
    with pytest.raises(Invalid, match="8 of 10 passed and none failed: name the rest"):
        read_report(json.dumps({**RESULTS, "summary": told}))
    for said in ({"outcome": "done", "tests": told}, {**QUEST_SHORT, "tests": told}):
        tests = read_report(json.dumps(said)).tests
        assert tests is not None and tests.failed == 0, "two may have been skipped"
