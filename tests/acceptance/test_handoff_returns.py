"""What the handoff document's agents return, in the words in which they do: no statement of theirs is lost.

Each text is handed in through the command line, by the agent of the column that it is about.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, Said, new_board
from tests.documents import ESCALATION

View = dict[str, Any]
AGENTS = {"plan": "planner", "build": "builder", "review": "reviewer", "fix": "fixer"}
RETURNS = {
    "plan": '{status: completed, spec: "specs/auth.md"}',
    "build": '{status: completed, commit: "abc123"}',
    "review": '{"status":"needs_fixes","issues":["x"]}',
}


class Desk:
    """A board whose one item was brought to a column in the document's own words, and is claimed there."""

    def __init__(self, folder: Path, column: str) -> None:
        self.moot: Moot = new_board(folder, "handoff")
        self.moot("add", "Add user auth")
        for stage, agent in AGENTS.items():
            self.claim(agent)
            if stage == column:
                break
            self.moot.hand_in(self.claimed, RETURNS[stage])

    def claim(self, agent: str) -> View:
        self.claimed = self.moot("claim", agent)
        return self.claimed

    def says(self, text: str) -> View:
        return self.moot.hand_in(self.claimed, text)

    def tries(self, text: str) -> Said:
        return self.moot.try_in(self.claimed, text)

    def knows(self, words: str) -> bool:
        """Do the item's story or its messages hold these words anywhere?"""
        return words in json.dumps([self.moot("show", "1"), self.moot("messages")], ensure_ascii=False)


@pytest.mark.ledger("R-06")
@pytest.mark.parametrize(
    "tried", ["a lock: it hangs", {"approach": "a lock", "what_happened": "it hangs", "suspect": "the clock"}], ids=str
)
def test_what_a_failed_run_tried_is_told_to_all_runs_after_it(tmp_path: Path, tried: str | View) -> None:
    desk = Desk(tmp_path, "build")
    desk.says(json.dumps({"status": "failed", "attempts": [tried]}))
    desk.claim("builder")
    desk.says(json.dumps({"status": "failed", "attempts": ["a queue"]}))
    told = json.dumps(desk.claim("builder")["brief"]["attempts"])
    assert all(words in told for words in ("a lock", "it hangs", "a queue"))
    assert isinstance(tried, str) or "the clock" in told


TWO_REVIEWS = (
    'Review of auth.py:\n\n{status: needs_fixes, issues: ["password logged"]}\n\nReview of session.py:\n\n'
    "{status: approved}\n"
)


@pytest.mark.ledger("H-14")
@pytest.mark.parametrize(
    "text",
    [
        TWO_REVIEWS,
        '{status: needs_fixes, issues: ["password logged"]}\n{status: approved}\n',
        '{status: approved}\n{status: needs_fixes, issues: ["password logged"]}\n',
        'auth.py: {status: needs_fixes, issues: ["password logged"]}\nsession.py: {status: approved}\n',
        '{\n  status: needs_fixes,\n  issues: ["password logged"]\n}\n\nThen:\n\n{status: approved}\n',
        '{"status": "needs_fixes", "issues": ["password logged"]}\n{"status": "approved"}\n',
    ],
)
def test_of_two_returns_the_strictest_holds(tmp_path: Path, text: str) -> None:
    desk = Desk(tmp_path, "review")
    item = desk.says(text)
    assert item["column"] == "fix"
    assert [finding["issue"] for finding in item["findings"]] == ["password logged"]


@pytest.mark.parametrize(
    "text",
    [
        '{status: failed, error: "tests red"}\n{status: completed, commit: "abc123"}\n',
        '{"status": "failed", "error": "tests red"}\n{"status": "completed", "commit": "abc123"}\n',
        '{status: failed}\n\n{status: completed, commit: "abc123"}\n',
    ],
)
def test_two_returns_that_contradict_each_other_are_asked_back(tmp_path: Path, text: str) -> None:
    desk = Desk(tmp_path, "build")
    said = desk.tries(text)
    assert said.code == 2 and "say once how it ended" in said.err
    assert desk.moot("show", "1")["column"] == "build"


@pytest.mark.parametrize("first", ["{status: needs_fixes}", '{"status": "needs_fixes"}'])
def test_a_status_alone_before_a_friendlier_one_is_asked_back(tmp_path: Path, first: str) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(f"auth.py\n{first}\nsession.py\n{{status: approved}}\n")
    assert said.code == 2 and "'needs_fixes' alone on a line, and then 'approved'" in said.err


def test_what_somebody_else_returned_is_no_verdict(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    item = desk.says(
        'The API said {status: failed, code: 3} at first.\n\n> {status: failed, error: "x"}\n\n'
        '{status: completed, commit: "abc123"}\n'
    )
    assert item["column"] == "review"


REQUEST = {"from": "builder", "to": "reviewer", "type": "review_request", "payload": {"notes": "look at auth.py"}}


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize(
    "field",
    [
        {"messages": [ESCALATION]},
        {"handoffs": [REQUEST, ESCALATION]},
        {"handoff": ESCALATION},
        {"escalation": ESCALATION},
        {"escalation": ESCALATION["payload"]},
    ],
)
@pytest.mark.parametrize("end", [{"status": "completed", "commit": "abc123"}, {"outcome": "done"}])
def test_an_escalation_in_a_field_is_asked_and_holds_the_item(tmp_path: Path, field: View, end: View) -> None:
    desk = Desk(tmp_path, "build")
    item = desk.says(json.dumps({**end, **field}))
    assert (item["column"], item["status"]) == ("build", "awaiting-divine-guidance")
    (question,) = desk.moot("inbox")["questions"]
    assert question["question"] == "Cannot determine auth method"
    assert [one["option"] for one in question["options"]] == ["JWT", "Session", "OAuth"]
    asked = [one for one in desk.moot("messages")["messages"] if one["type"] == "escalation"]
    assert [one["payload"]["details"] for one in asked] == ["Cannot determine auth method"]


def test_an_escalation_in_a_field_that_blocks_nothing_is_asked_along(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    payload = {**ESCALATION["payload"], "blocking": False}
    item = desk.says(json.dumps({"status": "completed", "commit": "abc123", "escalation": payload}))
    assert item["column"] == "review"
    assert [one["question"] for one in desk.moot("inbox")["questions"]] == ["Cannot determine auth method"]


KEYED = [
    ("build", "Status: Completed\nOpen: logout is not done\nTests: 12 passed\n", ["logout is not done", "12 passed"]),
    ("build", "Status: Completed\nCommit: abc123\nTests: 12 passed\n", ["12 passed"]),
    ("build", "Commit: abc123\nStatus: Completed\nTests: 12 passed\n", ["12 passed"]),
    ("plan", "Status: Completed\nSpec: specs/a.md\nNotes: use argon2\nIssues: none\n", ["use argon2"]),
    ("build", "Status: Failed\nError: tests red\nCommit: abc123\nIssues: none\n", ["tests red"]),
    (
        "build",
        "**Status**: completed\n**Commit**: abc123\n**Notes**: logout is not done\n**Issues**: none\n",
        ["logout is not done"],
    ),
    ("build", "- Status: completed\n- Commit: abc123\n- Notes: logout is not done\n", ["logout is not done"]),
    ("build", "---\nstatus: completed\ncommit: abc123\nissues: none\n---\n", []),
    ("build", "---\nstatus: completed\ncommit: abc123\nissues: none\n---\nAll good.\n", ["All good."]),
    (
        "build",
        "status: completed\ncommit: abc123\nwarning: logout is not done\n\nAll good otherwise.\n\nIssues: none\n",
        ["logout is not done", "All good otherwise."],
    ),
    ("build", "Status: Completed\nCommit: abc123\n", []),
    ("build", "---\nstatus: completed\ncommit: abc123\n---\n", []),
]


@pytest.mark.parametrize(("column", "text", "kept"), KEYED)
def test_every_line_of_a_return_in_lines_is_kept(tmp_path: Path, column: str, text: str, kept: list[str]) -> None:
    desk = Desk(tmp_path, column)
    item = desk.says(text)
    failed = "Failed" in text
    assert item["column"] == (column if failed else "build" if column == "plan" else "review")
    assert item["findings"] == []
    for words in [*kept, *(["abc123"] if "abc123" in text else [])]:
        assert desk.knows(words)
    if column == "plan":
        assert item["spec"] == "specs/a.md"
        assert "use argon2" in json.dumps(desk.claim("builder"))


def test_lines_under_a_title_belong_to_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "review")
    item = desk.says("Status: needs fixes\nRound: 1\nIssues:\nSecurity: no validation\nSpeed: too slow\n")
    assert {finding["issue"] for finding in item["findings"]} == {"Security: no validation", "Speed: too slow"}


def test_a_list_of_issues_below_the_verdict_is_what_must_change(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "review")
    item = desk.says("{status: needs_fixes, issues: 1}\n\nIssues:\n1. password logged in auth.py:10\n")
    assert [(one["issue"], one["file"], one["line"]) for one in item["findings"]] == [
        ("password logged in auth.py:10", "auth.py", 10)
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("status: approved\n\nbut please rename the function\n", '{"status": "approved", "summary": "…"}'),
        ("status: needs_fixes\n\nbut only one\n", '{"status": "needs_fixes", "issues": ["…"]}'),
    ],
)
def test_a_refusal_shows_the_form_that_was_tried(tmp_path: Path, text: str, shown: str) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(text)
    assert said.code == 2 and shown in json.loads(said.err.splitlines()[-1])["error"]["hint"]
    assert "box" not in said.err


def test_words_that_take_a_return_in_lines_back_are_asked_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    assert desk.tries("status: completed\ncommit: abc123\n\nbut logout is not done\n").code == 2


@pytest.mark.parametrize(
    ("text", "question", "context"),
    [
        ('{"status":"failed","error":"FatalError: cannot be built"}', "FatalError: cannot be built", ""),
        (
            '{"status":"failed","summary":"I gave up","error":"FatalError: cannot be built"}',
            "I gave up",
            "FatalError: cannot be built",
        ),
        ("Status: Failed\nError: FatalError: cannot be built\n", "FatalError: cannot be built", ""),
    ],
)
def test_the_error_of_a_failure_reaches_the_person_and_the_attempt(
    tmp_path: Path, text: str, question: str, context: str
) -> None:
    desk = Desk(tmp_path, "build")
    item = desk.says(text)
    (asked,) = desk.moot("inbox")["questions"]
    assert asked["question"] == f"It cannot go on without you: {question}"
    assert context in asked["context"]
    assert [one["reason"] for one in item["failure_history"]] == ["FatalError: cannot be built"]


def test_a_plain_failure_gives_its_attempt_the_error_as_reason(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    item = desk.says('{"status":"failed","error":"tests red"}')
    assert [one["reason"] for one in item["failure_history"]] == ["tests red"]


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("before", ["", '{"status": "completed", "commit": "abc123"}\n'])
def test_the_reasons_of_two_escalations_are_both_in_the_inbox(tmp_path: Path, blocking: bool, before: str) -> None:
    desk = Desk(tmp_path, "build")
    payloads = (
        {"reason": "spec_ambiguity", "details": "Which auth?", "blocking": blocking},
        {"reason": "missing_access", "details": "Which database?", "blocking": blocking},
    )
    sent = [{"type": "escalation", "from": "builder", "to": "orchestrator", "payload": one} for one in payloads]
    desk.says(before + "\n".join(json.dumps(one) for one in sent))
    (asked,) = desk.moot("inbox")["questions"]
    assert asked["question"] == "Which auth?\n\nWhich database?"
    assert asked["context"] == "reason: spec_ambiguity; missing_access"


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize("status", ["completed", "blocked"])
@pytest.mark.parametrize("blocking", [True, False])
def test_the_payload_of_an_escalation_beside_the_status_asks(tmp_path: Path, status: str, blocking: bool) -> None:
    desk = Desk(tmp_path, "build")
    item = desk.says(json.dumps({"status": status, "commit": "abc123", **ESCALATION["payload"], "blocking": blocking}))
    (asked,) = [one for one in desk.moot("inbox")["questions"] if one["question"] == "Cannot determine auth method"]
    assert [one["option"] for one in asked["options"]] == ["JWT", "Session", "OAuth"]
    assert (asked["context"], asked["blocking"]) == ("reason: spec_ambiguity\nspec line 45", blocking)
    assert item["column"] == ("review" if status == "completed" and not blocking else "build")


@pytest.mark.ledger("H-08", "H-09", "R-32")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            {"status": "blocked", "reason": "spec_ambiguity", "details": "Which?", "options": ["a", "b"]},
            "options: a; b",
        ),
        ({"status": "failed", "error": "FatalError", "details": "the disk is full"}, "details: the disk is full"),
        ({"status": "blocked", "summary": "Which?", "context": "spec line 45"}, "context: spec line 45"),
    ],
)
def test_what_stands_beside_a_call_for_help_is_before_the_person(tmp_path: Path, said: View, shown: str) -> None:
    desk = Desk(tmp_path, "build")
    desk.says(json.dumps(said))
    (asked,) = desk.moot("inbox")["questions"]
    assert shown in asked["context"].splitlines()
    assert "status" not in asked["context"]


@pytest.mark.ledger("H-14", "R-32")
@pytest.mark.parametrize("context", ["I assumed JWT", ["I assumed JWT"], {"note": "I assumed JWT"}], ids=str)
def test_the_context_and_the_priority_of_a_bare_return_are_told_on(tmp_path: Path, context: Any) -> None:
    desk = Desk(tmp_path, "review")
    said = {"status": "needs_fixes", "issues": ["no test"], "context": context, "priority": "high"}
    item = desk.says(json.dumps(said))
    assert [one["what"] for one in item["kept"]] == ["context", "priority"]
    previous = json.dumps(desk.claim("fixer")["brief"]["previous"])
    assert "I assumed JWT" in previous and '"priority": "high"' in previous


def test_those_of_an_envelope_are_the_messages_own(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    sent = {"type": "completion", "from": "builder", "to": "orchestrator", "priority": "high"}
    item = desk.says(json.dumps({**sent, "payload": {"commit": "abc123"}, "context": {"workflow": "feature"}}))
    assert item["priority"] == "high" and item["kept"] == []
