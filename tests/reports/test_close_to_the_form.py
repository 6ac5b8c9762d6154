"""What is close to a document's form means what its author meant, or is refused by name; nothing is lost on the way."""

import json
from copy import deepcopy
from typing import Any

import pytest

from folkmoot.core.report import WORDS_BESIDE, Finding, Remark, Report, Try, Usage
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import (
    CLARIFICATION,
    COMMENTS,
    CONCERN,
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

View = dict[str, Any]

AGREED = f"comments:{COMMENTS.removeprefix(CONCERN)}"  # the document's reply

METADATA = """\
# Issue metadata
escalation_reason: concurrency
# or: security, performance, architecture, unknown
"""


def read(data: View) -> Report:
    return read_report(json.dumps(data))


def without_extra(report: Report) -> Report:
    import msgspec

    return msgspec.structs.replace(report, extra={})


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize(
    "shape", ["{}", "```yaml\n{}```", "I looked.\n\n```yml\n{}```\nbye", "```\n{}```", "Done.\n\n{}"]
)
def test_the_comments_of_the_disputes_document(shape: str) -> None:
    report = read_report(shape.replace("{}", COMMENTS))
    first, second = report.comments
    assert first == Remark(
        id="c001",
        author="dev-agent",
        timestamp="2024-01-17T14:30:00",
        artifact="tests/247-trading-tests.md",
        target="test_trade_cancellation",
        content="This test assumes synchronous cancellation, but the\narchitecture doc specifies async event-driven "
        "cancellation.\nTest will always fail with correct implementation.",
        status="open",
    )
    assert (second.parent, second.status, second.resolution) == ("c001", "resolved", "accepted")
    assert report.outcome == "done" and report.extra["Metadata"] == "tests/247-trading-tests.meta.yaml"
    assert read_report(shape.replace("{}", CONCERN)).outcome == "disputed"


@pytest.mark.ledger("R-12")
def test_comments_go_with_the_report_in_the_same_text() -> None:
    report = read_report(f'{COMMENTS}\n{{"outcome": "done", "summary": "the test is async now"}}')
    assert (report.outcome, report.summary, len(report.comments)) == ("done", "the test is async now", 2)
    listed = COMMENTS.split("comments:\n")[1]
    assert len(read_report("\n".join(line[2:] for line in listed.splitlines())).comments) == 2
    own = read_report(f'{CONCERN}\n{{"outcome": "disputed", "comments": [{{"content": "mine"}}]}}')
    assert own.comments[0].content == "mine" and len(own.comments) == 2
    reply = "comments:\n- {parent: c001, author: test-architect, content: No., status: open}\n"
    assert read_report(reply).outcome == "disputed"


SHOWN_IN_WORDS = [
    "It looks at once:\n\n```python\ncancel(trade)\n```\n\nThe architecture says async.",
    "~~~\nassert trade.cancelled\n~~~\nis too early.",
    "> The architecture says async.\n| state | when |\n| ok | later |",
    'The story says "cancel\nat once" and the design does not.',
    "<example>\ncancel(trade)\n</example>\nis too early.",
    'The worker prints\n{"outcome": "done", "summary": "cancelled"}\nand goes on.',
    "status: resolved\nresolution: accepted\nis what the fixture holds.",
]


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize("shape", ["{}", "```yaml\n{}```", "I looked.\n\n```\n{}```\nbye", "Look.\n\n{}"])
@pytest.mark.parametrize("words", SHOWN_IN_WORDS)
def test_what_a_comment_shows_is_part_of_its_words(words: str, shape: str) -> None:
    indented = "".join(f"      {line}\n" for line in words.splitlines())
    first = f"# Artifact: tests/a.md\ncomments:\n  - id: c001\n    content: |\n{indented}    status: open\n"
    report = read_report(shape.replace("{}", f"{first}  - id: c002\n    content: >-\n      another\n"))
    assert report.outcome == "disputed" and not report.findings
    assert [(one.content, one.status) for one in report.comments] == [(words, "open"), ("another", None)]
    assert "fixture" not in str(report.extra) and "cancel" not in str(report.extra)


@pytest.mark.ledger("K-06", "K-11", "R-12")
@pytest.mark.parametrize("shape", ["{}", "```yaml\n{}```", "I looked.\n\n```\n{}```\nbye", "Look.\n\n{}"])
def test_what_stands_behind_a_sign_in_yaml_is_told_on(shape: str) -> None:
    """YAML drops it, and whoever writes it says something by it."""
    reason = METADATA.replace("concurrency", "concurrency  # lock A is taken before B")
    stuck = read_report(shape.replace("{}", reason))
    assert stuck.escalation_reason == "concurrency" and "lock A is taken before B" in f"{stuck.summary} {stuck.extra}"
    assert "performance" not in f"{stuck.summary} {stuck.extra}"
    reply = AGREED.replace("resolution: accepted", "resolution: accepted  # only for retail orders")
    assert reply != AGREED
    agreed = read_report(shape.replace("{}", f"{reply}# test_trade_amend has the same fault\n"))
    told = agreed.extra[WORDS_BESIDE]
    assert "only for retail orders" in told and "test_trade_amend has the same fault" in told and "reply to" not in told
    assert agreed.comments[0].resolution == "accepted"


@pytest.mark.ledger("K-11")
@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (METADATA, "stuck"),
        (f"```yaml\n{METADATA}```", "stuck"),
        (f'{METADATA}\n{{"outcome": "failed", "summary": "red"}}', "failed"),
        ("outcome: failed\nsummary: red\nescalation_reason: concurrency\n", "failed"),
        ("```yaml\noutcome: failed\nescalation_reason: concurrency\n```", "failed"),
        ("status: blocked\nreport: two locks\nescalation_reason: concurrency\n", "stuck"),
        (f"## Summary\nx\n\n{METADATA}\n## Status\n- [x] Blocked\n", "stuck"),
        (f"ATTEMPT 1: Self-Solve\nApproach: a\nOutcome: b\n\n{METADATA}", "failed"),
    ],
)
def test_the_escalation_reason_of_the_document(text: str, outcome: str) -> None:
    report = read_report(text)
    assert (report.outcome, report.escalation_reason) == (outcome, "concurrency")


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (CONCERN.replace("content: |", "content: a: b: |"), "no YAML"),
        (CONCERN.replace("status: open", "status: closed"), "status 'closed' is not one of open, resolved"),
        (CONCERN.replace("status: open", "mood: bad"), "unknown field `mood`"),
        ("comments:\n  - &a {id: c1, content: x}\n  - *a\n", "no YAML"),
        (f"comments:\n  - id: c1\n    content: {'x' * 21_000}\n", "more than 20000"),
    ],
)
def test_comments_that_cannot_be_read_are_refused_by_name(text: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        read_report(text)


SHOWN = [
    "> escalation_reason: concurrency",
    f"For example:\n```yaml\n{COMMENTS}```\n",
    f"```python\n{COMMENTS}```",
    "comments: none",
]


@pytest.mark.parametrize("text", SHOWN)
def test_shown_or_quoted_comments_are_none(text: str) -> None:
    with pytest.raises(Invalid):
        read_report(text)


VARIED: dict[str, tuple[View, View]] = {
    "type in capitals": (REVIEW, {"type": "REVIEW_FINDINGS"}),
    "type with hyphens": (REVIEW, {"type": "review-findings"}),
    "status in words": (REVIEW, {"status": "Changes Requested"}),
    "truth as a word": (REVIEW, {"approval": "false"}),
    "one finding": (REVIEW, {"findings": REVIEW["findings"][0]}),
    "line as text": (REVIEW, {"findings": [{**REVIEW["findings"][0], "line": "42"}]}),
    "line as L42": (REVIEW, {"findings": [{**REVIEW["findings"][0], "line": "L42"}]}),
    "severity in capitals": (REVIEW, {"findings": [{**REVIEW["findings"][0], "severity": "HIGH"}]}),
    "one vulnerability": (SECURITY, {"vulnerabilities": SECURITY["vulnerabilities"][0]}),
    "one failure": (FAILURES, {"failures": FAILURES["failures"][0]}),
    "numbers as text": (FAILURES, {"summary": {"total": "10", "passed": "8", "failed": "2"}}),
    "passed": (RESULTS, {"status": "PASSED"}),
    "pass": (RESULTS, {"status": "pass"}),
    "status Complete": (QUEST_SHORT, {"status": "Complete"}),
    "status blocked": (QUEST_LONG, {"status": "BLOCKED"}),
    "blockers in a list": (QUEST_LONG, {"blockers": [QUEST_LONG["blockers"]]}),
    "Delegate": (SUB_AGENTS, {"decision": "Delegate"}),
    "type of a question": (CLARIFICATION, {"type": "Clarification_Request"}),
    "blocking as a word": (ESCALATION, {"payload": {**ESCALATION["payload"], "blocking": "true"}}),
}


@pytest.mark.ledger("P-03", "Q-07", "H-09")
@pytest.mark.parametrize(("printed", "other"), VARIED.values(), ids=VARIED.keys())
def test_a_documents_message_in_another_spelling_says_the_same(printed: View, other: View) -> None:
    varied = {**deepcopy(printed), **other}
    expected = without_extra(read(printed))
    assert without_extra(read(varied)) == expected
    for text in (f"```json\n{json.dumps(varied, indent=1)}\n```", f"My report:\n\n{json.dumps(varied)}\n\nBye."):
        assert without_extra(read_report(text)) == expected


CANONICAL: list[tuple[View, View]] = [
    ({"outcome": "Changes Requested"}, {"outcome": "changes_requested"}),
    ({"findings": {"issue": "x"}}, {"findings": [{"issue": "x"}]}),
    ({"findings": ["x"]}, {"findings": [{"issue": "x"}]}),
    ({"findings": [{"description": "x", "fix": "y"}]}, {"findings": [{"issue": "x", "recommendation": "y"}]}),
    ({"findings": [{"issue": "x", "location": "a.go:42"}]}, {"findings": [{"issue": "x", "file": "a.go", "line": 42}]}),
    (
        {"findings": [{"issue": "x", "file": "a", "line": "42"}]},
        {"findings": [{"issue": "x", "file": "a", "line": 42}]},
    ),
    ({"findings": [{"issue": "x", "severity": "High"}]}, {"findings": [{"issue": "x", "severity": "high"}]}),
    ({"tests": {"total": "3", "passed": "2", "failed": "1"}}, {"tests": {"total": 3, "passed": 2, "failed": 1}}),
    ({"next_steps": "x"}, {"next_steps": ["x"]}),
    ({"artifacts": ["specs/x.md"]}, {"artifacts": [{"name": "specs/x.md"}]}),
    (
        {"comments": {"content": "x", "parent": "c001", "resolution": "Accepted"}},
        {"comments": [{"content": "x", "parent": "c001", "resolution": "accepted"}]},
    ),
    (
        {"attempts": {"kind": "Expert Delegation", "Approach": "x"}},
        {"attempts": [{"kind": "expert_delegation", "approach": "x"}]},
    ),
    ({"attempts": ["x", "none", {"approach": "y"}]}, {"attempts": [{"approach": "x"}, {"approach": "y"}]}),
    (
        {"attempts": [{"attempt": 1, "approach": "x", "result": "red", "suspect": "the clock", "files": ["a", "b"]}]},
        {"attempts": [{"approach": "x", "outcome": "red; suspect: the clock; files: a, b"}]},
    ),
]


@pytest.mark.parametrize(("said", "meant"), CANONICAL)
def test_a_canonical_report_in_another_spelling_says_the_same(said: View, meant: View) -> None:
    assert read({"outcome": "failed", **said}) == read({"outcome": "failed", **meant})


MANY = {"approach": "x", **{f"a{number}": "y" for number in range(30)}}


@pytest.mark.parametrize("part", [{"tried": "x"}, {"approach": "x", "why_diferent": "y"}, 3, ["x"], MANY], ids=str)
@pytest.mark.parametrize("ended", ["outcome", "status"])
def test_an_attempt_that_cannot_be_read_is_asked_back(ended: str, part: object) -> None:
    with pytest.raises(Invalid, match="attempts"):
        read({ended: "failed", "attempts": [part]})


@pytest.mark.ledger("R-07", "R-24", "Q-08")
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ({"status": "failed", "cause": "Task Complexity Failure"}, "size"),
        ({"status": "failed", "report": "Context Exhaustion. The parser is there, the printer is not"}, "size"),
        ({"status": "failed", "blockers": "Integration conflicts detected: AuthResult differs"}, "integration"),
        ({"status": "blocked", "blockers": "Unexpected dependencies discovered"}, "size"),
        ({"status": "failed", "failureType": "TASK_COMPLEXITY_FAILURE", "report": "too much"}, "size"),
        ({"status": "failed", "report": "No integration conflicts detected; a test is red"}, None),
        ({"outcome": "failed", "cause": "FatalError"}, "fatal"),
        ({"outcome": "failed", "cause": "Size"}, "size"),
    ],
)
def test_a_failure_in_the_quests_words_has_its_cause(said: View, cause: str | None) -> None:
    data = {"agentType": "codeweaver", "task": "t", **said} if "status" in said else said
    report = read(data)
    assert report.cause == cause
    for words in said.values():
        assert words in json.dumps([report.outcome, report.summary, report.blockers, report.cause, report.extra]) or (
            words.lower() == cause
        )


@pytest.mark.ledger("R-32", "R-07")
@pytest.mark.parametrize("data", [{"outcome": "failed"}, {"status": "failed", "report": "x"}])
def test_a_cause_that_nobody_knows_is_named_back_with_the_known_ones(data: View) -> None:
    with pytest.raises(Invalid, match=r"nobody knows 'moonlight'; the known ones are capability, transient, .*fatal"):
        read({**data, "cause": "moonlight"})


@pytest.mark.ledger("Q-07", "R-24")
@pytest.mark.parametrize(
    "tasks",
    [
        {"tasks": list(TASKS.values()), **SHARED},
        {"tasks": TASKS, **SHARED},
        {**TASKS, **SHARED},
        {"tasks": list(TASKS.values()), "output": SHARED},
        {"output": {**TASKS, **SHARED}},
    ],
)
def test_a_quest_report_with_tasks_is_a_split(tasks: View) -> None:
    report = read({**QUEST_LONG, "agentType": "pathseeker", "status": "complete", **tasks})
    assert report.outcome == "split"
    assert [task.title for task in report.tasks] == ["User can register with email", "User can reset password"]
    assert [task.files for task in report.tasks] == [task["files"] for task in TASKS.values()]
    assert [contract.name for contract in report.contracts] == ["User interface", "AuthResult type"]
    assert report.integration_points == SHARED["integrationPoints"]


def test_tasks_without_words_are_refused_and_a_weavers_list_is_not_a_split() -> None:
    with pytest.raises(Invalid, match="tasks: each needs"):
        read({**QUEST_LONG, "agentType": "pathseeker", "status": "complete", "tasks": ["a", "b"]})
    report = read({**QUEST_LONG, "status": "complete", "tasks": ["wrote a", "wrote b"]})
    assert report.outcome == "done" and report.extra["tasks"] == ["wrote a", "wrote b"]


BLOCKS = [
    "ATTEMPT [1]: [Self-Solve]\nApproach: [a lock]\nOutcome: [it hangs]\nWhy Different: [the first]\n",
    "1. ATTEMPT 1: Self-Solve\n   Approach: a lock\n   Outcome: it hangs\n   Why Different: the first\n",
    "1. **ATTEMPT: Self-Solve**\n   - Approach: a lock\n   - Outcome: it hangs\n   - Why Different: the first\n",
    "- ATTEMPT 1:\n  Approach: a lock\n  Outcome: it hangs\n  Why Different: the first\n",
    "Attempt (1): Self-Solve\n1. Approach: a lock\n2. Outcome: it hangs\n3. Why Different: the first\n",
    "ATTEMPT [N]: [Self-Solve | Expert Delegation]\nApproach: a lock\nOutcome: it hangs\nWhy Different: the first\n",
]


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("beside", ["", "\nTASK_INCOMPLETE: half of it\n", '\n{"outcome": "failed"}\n'])
def test_attempt_blocks_with_brackets_or_in_a_list(block: str, beside: str) -> None:
    report = read_report(block + beside)
    assert report.attempts == [Try(approach="a lock", outcome="it hangs", why_different="the first")]
    assert report.outcome == ("incomplete" if "INCOMPLETE" in beside else "failed")


@pytest.mark.ledger("E-07", "R-07")
@pytest.mark.parametrize("label", ["Reason", "**Trigger**", "- Cause"])
def test_a_signal_may_say_why_in_the_documents_words(label: str) -> None:
    said = read_report(f"TASK_INCOMPLETE\n\nThe parser is there.\n\n{label}: Context Exhaustion\n")
    assert (said.outcome, said.summary, said.reason) == ("incomplete", "The parser is there.", "Context Exhaustion")


@pytest.mark.ledger("E-07")
def test_a_signal_with_the_forms_brackets_left() -> None:
    report = read_report(
        "SEEKING_DIVINE_CLARIFICATION\n\nTask: [task_id]\nQuestion: [PEM or DER?]\n\n"
        "Context:\n[relevant background]\n\n"
        "Options Considered:\n1. [PEM]: [old clients break]\n2. [option]: [why insufficient]\n\n"
        "Attempts Made:\n- Self-solve: [3] attempts\n\nReason: Security concern\n"
    )
    asked = report.question
    assert asked is not None and asked.question == "PEM or DER?"
    assert asked.context == "Attempts Made:\n- Self-solve: [3] attempts", "what nobody filled in is no part of it"
    assert [(one.option, one.why_insufficient) for one in asked.options] == [("PEM", "old clients break")]
    assert report.extra == {"Attempts Made": {"Self-solve": 3}} and report.reason == "Security concern"


FORM = """## Summary
{summary}

## Changes Made
- handlers/feature.go: added a check
- another/file: description

## Issues Found (if applicable)
{issues}

## Next Steps (if applicable)
- Recommended actions

## Status
{status}
"""
DONE = "- [x] Complete / [ ] Needs follow-up / [ ] Blocked"
STATUSES = {
    DONE: "done",
    "Status: Complete": "done",
    "**Status:** Complete": "done",
    "- [X] Complete": "done",
    "- [x] Complete\n- [ ] Needs follow-up\n- [ ] Blocked": "done",
    "Completed successfully": "done",
    "- [x] Needs follow-up: the docs": "incomplete",
    "Blocked - concurrency": "stuck",
    "Failed: Context Exhaustion": "failed",
}


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(("status", "outcome"), STATUSES.items())
def test_a_form_with_lines_of_the_template_left_loses_and_invents_nothing(status: str, outcome: str) -> None:
    report = read_report(FORM.format(summary="Did it.", issues="- Severity: description", status=status))
    assert (report.outcome, report.summary) == (outcome, "Did it.")
    assert report.files.modified == ["handlers/feature.go"]
    assert (report.findings, report.next_steps) == ([], []) and "description" not in json.dumps(report.extra)


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize(
    "issue",
    [
        "- High: a.go:3 no check",
        "- Severity: High - a.go:3 no check",
        "- **Severity:** high – a.go:3 no check",
        "- [High]: a.go:3 no check",
        "- a.go:3 no check (High)",
        "- a.go:3 no check [severity: high]",
    ],
)
@pytest.mark.parametrize("status", [DONE, "Status: Complete"])
def test_a_severity_is_heard_wherever_it_stands(issue: str, status: str) -> None:
    (found,) = read_report(FORM.format(summary="[Did it.]", issues=issue, status=status)).findings
    assert (found.severity, found.file, found.line) == ("high", "a.go", 3) and "no check" in found.issue
    assert isinstance(found, Finding)


@pytest.mark.ledger("H-14")
@pytest.mark.parametrize(
    ("text", "outcome", "kept"),
    [
        ('{status: completed, spec: "specs/..."}', "done", {"spec": "specs/..."}),
        ('Returns: {status: completed, commit: "abc123"}', "done", {}),
        ("{status: needs_fixes, issues: 2}", "changes_requested", {"issues": 2}),
        ("- Returns: {status: fixes_applied}", "done", {}),
        ("{status: approved}", "done", {}),
    ],
)
def test_what_the_roles_of_the_handoff_document_return(text: str, outcome: str, kept: View) -> None:
    report = read_report(text)
    assert report.outcome == outcome and report.extra.items() >= kept.items()
    assert report.commit == ("abc123" if "abc123" in text else None)


@pytest.mark.ledger("Q-07")
def test_what_nobody_filled_in_is_no_lesson() -> None:
    report = read({**QUEST_LONG, "retro": "insights_for_system_improvement", "recommendations": "suggested_next_steps"})
    assert (report.lessons, report.next_steps) == ([], [])


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("end", ['"outcome": "failed"', '"status": "failed"'])
def test_a_comment_in_plain_words_is_what_the_run_says_for_itself(end: str) -> None:
    said = read_report(f'{{{end}, "comment": "Test expects 42, got 41"}}')
    assert (said.outcome, said.summary) == ("failed", "Test expects 42, got 41")
    assert "comment" not in said.extra


@pytest.mark.ledger("R-32")
def test_a_comment_beside_a_summary_or_in_parts_is_named_back() -> None:
    for said in ('"summary": "x", "comment": "y"', '"comment": {"content": "y"}'):
        with pytest.raises(Invalid, match="did you mean 'comments'"):
            read_report(f'{{"outcome": "failed", {said}}}')


LABELLED = [
    {"id": "A", "label": "Offset", "description": "limit in the query", "pros": ["simple"], "cons": ["slow", "jumps"]},
    {"title": "Cursor", "recommended": True, "why_insufficient": None},
    {"description": "all of them"},
]


@pytest.mark.ledger("P-03", "R-16")
@pytest.mark.parametrize("beside", [True, False])
def test_an_option_is_read_with_all_that_is_said_of_it_by_whichever_name_it_has(beside: bool) -> None:
    if beside:
        said = read({**CLARIFICATION, "options": LABELLED})
    else:
        said = read({"outcome": "asks", "question": {"question": "Pages?", "options": LABELLED}})
    assert said.question is not None
    assert [(one.option, one.why_insufficient) for one in said.question.options] == [
        ("A: Offset", "limit in the query; pros: simple; cons: slow, jumps"),
        ("Cursor", "recommended: yes"),
        ("all of them", None),
    ]


@pytest.mark.ledger("P-03")
@pytest.mark.parametrize("name", ["question", "questions"])
def test_several_questions_of_one_request_are_one_question_with_all_of_them(name: str) -> None:
    rest = {key: value for key, value in CLARIFICATION.items() if key != "question"}
    said = read({**rest, name: ["Pages?", "Which limit?"], "context": ["all items", "no limit is given"]})
    assert said.question is not None
    assert said.question.question == "Pages?\nWhich limit?"
    assert said.question.context == "all items\nno limit is given"


@pytest.mark.ledger("P-03")
@pytest.mark.parametrize("word", ["needs_work", "Needs work", "changes-required", "requires changes", "needs revision"])
def test_other_words_for_changes_ask_for_changes(word: str) -> None:
    assert read({**REVIEW, "status": word}).outcome == "changes_requested"


@pytest.mark.ledger("P-03")
@pytest.mark.parametrize("word", ["approved_with_suggestions", "approved pending changes", "comment", "almost"])
def test_what_is_neither_verdict_is_refused_by_its_word(word: str) -> None:
    with pytest.raises(Invalid) as caught:
        read({**REVIEW, "status": word})
    assert word in caught.value.message


@pytest.mark.ledger("P-03", "R-16")
@pytest.mark.parametrize("name", ["question", "questions"])
def test_questions_with_options_of_their_own_are_one_with_all_of_them(name: str) -> None:
    """`no` among the options is an answer, and no word for nothing."""
    rest = {key: value for key, value in CLARIFICATION.items() if key not in ("question", "options")}
    asked = [{"question": "Pages?", "options": ["yes", "no"]}, {"question": "Which limit?", "why": "none is given"}]
    said = read({**rest, name: asked, "context": "all items"})
    assert said.question is not None
    assert said.question.question == "Pages?\nWhich limit?"
    assert [one.option for one in said.question.options] == ["yes", "no"]
    assert said.question.context == "all items\nwhy: none is given"


@pytest.mark.ledger("R-32")
def test_what_nobody_knows_of_the_use_of_tokens_is_kept_and_refuses_no_report() -> None:
    told = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12, "model": "haiku", "Cost": 0.25}
    report = read_report(json.dumps({"outcome": "done", "summary": "it is made", "usage": told}))
    assert report.usage == Usage(input_tokens=5, output_tokens=7, cost_usd=0.25)
    assert report.extra["usage"] == {"total_tokens": 12, "model": "haiku"}
