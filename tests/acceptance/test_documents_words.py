"""Each document's own text, not adapted, handed in through the command line: it does what its author meant."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, View, new_board
from tests.documents import COMMENTS, CONCERN
from tests.reports.test_close_to_the_form import METADATA

ASKED = "awaiting-divine-guidance"
ARTIFACT = "tests/247-trading-tests.md"
# The quest document's standard report, filled in by a pathseeker.
STANDARD: View = {
    "agentType": "pathseeker",
    "status": "complete",
    "task": "Users can sign in",
    "output": {"filesCreated": [], "filesModified": [], "interfaces": ["AuthResult"], "integrationPoints": ["routes"]},
    "report": "two tasks",
    "blockers": "",
    "recommendations": "registration first",
    "retro": "",
    "tasks": [
        {"task": "User can register with email", "files": ["src/auth/registration.ts"]},
        {"task": "User can reset password", "files": ["src/auth/password-reset.ts"]},
    ],
}


def place(view: View) -> tuple[str, str]:
    return view["column"], view["status"]


def at_dev(folder: Path) -> Moot:
    """Issue 247, whose tests are made, as it comes to dev."""
    moot = new_board(folder)
    moot("add", "Issue 247", "--column", "tests")
    moot.effort("test-architect", "done", artifacts=[{"name": ARTIFACT}])
    return moot


@pytest.mark.ledger("K-06", "R-12")
def test_the_disputes_documents_comment_file(tmp_path: Path) -> None:
    moot = at_dev(tmp_path)
    assert place(moot.speak("dev-agent", CONCERN)) == ("tests", "ready")
    item = moot("show", "1")
    assert (item["dispute_agents"], item["comments"][0]["target"]) == (["dev-agent"], "test_trade_cancellation")
    assert place(moot.speak("test-architect", COMMENTS)) == ("dev", "ready")
    item = moot("show", "1")
    assert item["dispute_agents"] == []
    assert [(c["author"], c["status"], c["resolution"], c["parent"]) for c in item["comments"]] == [
        ("dev-agent", "resolved", "accepted", None),
        ("test-architect", "resolved", "accepted", "c001"),
    ]


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize(
    "reply",
    [
        {"content": "The architecture says sync."},
        {"content": "The architecture says sync.", "parent": "c001", "resolution": "rejected"},
        {"content": "The architecture says sync.", "status": "resolved", "resolution": "Rejected"},
    ],
)
def test_a_reply_that_disagrees_goes_to_and_fro_until_the_breaker(tmp_path: Path, reply: View) -> None:
    moot = at_dev(tmp_path)
    moot.speak("dev-agent", f"```yaml\n{CONCERN}```")
    for agent in ("test-architect", "dev-agent"):
        moot.effort(agent, "disputed", comments=[reply])
    item = moot.effort("test-architect", "disputed", comments=[reply])
    assert (item["dispute_rounds"], item["status"]) == (3, "needs-human-review")
    assert item["dispute_agents"] == ["dev-agent", "test-architect", "dev-agent", "test-architect"]
    assert item["flag"] == "Agents disagree after 3 rounds - human decision needed"


@pytest.mark.ledger("K-11", "K-08")
@pytest.mark.parametrize("said", [METADATA, '{"outcome": "stuck", "reason": "Concurrency"}'])
def test_the_escalation_reason_leads_to_its_specialist(tmp_path: Path, said: str) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    item = moot.speak("dev-agent", said)
    assert (item["column"], item["escalation_reason"]) == ("needs-concurrency-expert", "concurrency")


@pytest.mark.ledger("K-08")
def test_the_failure_history_of_the_document(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    reasons = [
        "Test expects 42, got 41",
        "Same issue, tried different approach",
        "Still failing, suspect loop boundary",
    ]
    for reason in reasons:
        moot.effort("dev-agent", "failed", reason=reason)
    item = moot("show", "1")
    told = [(entry["attempt"], entry["model"], entry["reason"]) for entry in item["failure_history"]]
    assert told == list(zip((1, 2, 3), ("glm-4", "glm-4", "sonnet"), reasons, strict=True))
    assert (item["failure_count"], item["escalation_reason"]) == (3, None)


@pytest.mark.ledger("R-32", "R-07", "R-09")
def test_a_word_that_nobody_knows_is_named_back(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    claim = moot("claim", "dev-agent")
    given = ["report", claim["run"], "-", "--token", str(claim["token"])]
    said = moot.say(*given, stdin='{"outcome": "failed", "cause": "moonlight"}')
    assert (said.code, said.error) == (2, "unreadable_report") and "nobody knows 'moonlight'" in said.err
    item = moot(*given, "--final", stdin='{"outcome": "stuck", "reason": "moonlight"}')
    assert (place(item), item["failure_count"]) == (("dev", "ready"), 0)
    assert "nobody knows the reason 'moonlight'" in json.dumps(moot("claim", "dev-agent")["brief"])


@pytest.mark.ledger("R-24", "Q-08")
@pytest.mark.parametrize(
    ("parts", "quest", "task"),
    [
        ({"cause": "Task Complexity Failure"}, ("weave", "waiting"), ("discover", "ready")),
        ({"report": "Context Exhaustion: the form is there"}, ("weave", "waiting"), ("discover", "ready")),
        ({"blockers": "Unexpected dependencies discovered"}, ("weave", "waiting"), ("discover", "ready")),
        ({"cause": "Repeated failure cycles"}, ("weave", "waiting"), ("discover", "ready")),
        ({"report": "Integration conflicts detected"}, ("discover", "ready"), ("weave", "waiting")),
    ],
)
def test_the_quests_failures_lead_to_the_pathseeker(tmp_path: Path, parts: View, quest: object, task: object) -> None:
    moot = new_board(tmp_path, "quest")
    moot("add", "Users can sign in")
    assert place(moot.speak("pathseeker", STANDARD)) == ("weave", "waiting"), "tasks at the top of a report are a split"
    moot.speak("codeweaver", {"agentType": "codeweaver", "status": "failed", "task": "t", "report": "no", **parts})
    assert (place(moot("show", "1")), place(moot("show", "2"))) == (quest, task)
    assert place(moot("show", "3")) == ("weave", "ready"), "others go on"


@pytest.mark.ledger("E-08", "R-10", "R-11")
@pytest.mark.parametrize(
    "trigger",
    [
        "6 total failed attempts",
        "3 EXPERT_UNSUCCESSFUL",
        "Circular dependency detected",
        "Security concern",
        "Ambiguous acceptance criteria",
    ],
)
@pytest.mark.parametrize("field", ["cause", "reason"])
def test_the_escalation_documents_triggers_ask_at_once(tmp_path: Path, trigger: str, field: str) -> None:
    moot = new_board(tmp_path, "escalation")
    outcome = "failed" if field == "cause" else "stuck"
    for number, word in enumerate((trigger, trigger.lower().replace(" ", "_")), 1):
        moot("add", "Sessions survive a restart")
        item = moot.effort("developer", outcome, summary="it cannot go on", **{field: word})
        assert (item["id"], item["status"], item["failure_count"]) == (str(number), ASKED, 0)
        assert len(moot("inbox")["questions"]) == number


@pytest.mark.ledger("H-08")
def test_the_handoffs_errors(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    moot("add", "Add user auth", "--column", "build")
    moot("add", "Add user roles", "--column", "build")
    item = moot.effort("builder", "failed", cause="RecoverableError", summary="the network is gone")
    assert place(item) == ("build", "ready") and item["runs"][0]["cause"] == "transient"
    item = moot.effort("builder", "failed", cause="FatalError", summary="the disk is gone")
    assert place(item) == ("build", ASKED)


@pytest.mark.ledger("H-14", "R-13", "R-26")
def test_the_handoff_documents_example_flow_as_it_is_printed(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    moot("add", "Add user auth")

    def send(claim: View, kind: str, to: str, payload: View) -> None:
        message = {"from": claim["agent"], "to": to, "type": kind, "payload": payload}
        moot("send", "-", "--run", claim["run"], "--token", str(claim["token"]), stdin=json.dumps(message))

    def turn(agent: str, kind: str, to: str, payload: View, returns: str) -> View:
        claim = moot("claim", agent)
        send(claim, kind, to, payload)
        return moot.hand_in(claim, returns)

    item = turn("planner", "task_handoff", "builder", {"spec": "s"}, '{status: completed, spec: "specs/..."}')
    assert (place(item), item["spec"]) == (("build", "ready"), "specs/...")
    item = turn("builder", "review_request", "reviewer", {}, '{status: completed, commit: "abc123"}')
    assert place(item) == ("review", "ready")
    issues = {"issues": ["no rate limit", {"issue": "no test", "location": "b.py:2", "severity": "high"}]}
    item = turn("reviewer", "fix_request", "fixer", issues, "{status: needs_fixes, issues: 2}")
    assert place(item) == ("fix", "ready")
    found = [(one["issue"], one["severity"], one["file"], one["line"]) for one in moot("show", "1")["findings"]]
    assert found == [("no rate limit", "medium", None, None), ("no test", "high", "b.py", 2)]
    item = turn("fixer", "rereview_request", "reviewer", {}, "{status: fixes_applied}")
    assert (place(item), item["iteration"]) == (("review", "ready"), 2)
    item = moot.speak("reviewer", "{status: approved}")
    assert (place(item), item["iteration"]) == (("done", "done"), 2)
    assert moot("doctor")["ok"]


@pytest.mark.ledger("E-02", "E-06", "R-06")
def test_attempts_in_brackets_beside_task_incomplete(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "escalation")
    moot("add", "Sessions survive a restart")
    block = "ATTEMPT [{}]: [Expert Delegation]\nApproach: [{}]\nOutcome: [{}]\nWhy Different: [another way]\n\n"
    text = block.format(1, "encrypt the cookie", "rejected") + block.format(2, "keep a table", "too slow")
    item = moot.speak("developer", text + "TASK_INCOMPLETE: the table is there\n")
    assert (place(item), item["incomplete_count"]) == (("implementing", "ready"), 1)
    told = [(entry["kind"], entry["approach"], entry["counted"]) for entry in item["failure_history"]]
    assert told == [("self_solve", "encrypt the cookie", True), ("self_solve", "keep a table", True)]
    assert item["escalation_tracking"]["self_solve_attempts"] == 2
