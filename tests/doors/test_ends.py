"""What people see when a phase is over, when an agent asks and when they have answered; and the numbers of it all."""

import json

import pytest

from tests.doors.conftest import Moot

SEEKING = """SEEKING_DIVINE_CLARIFICATION

Task: 1
Agent: developer

Question: Which curve?

Context:
Two libraries disagree.

Options Considered:
1. ed25519: not allowed
2. p256: slow

What Would Help:
A decision
"""
REQUESTED = """DIVINE CLARIFICATION REQUESTED

Agent: developer
Task: 1
Question: Which curve?

Awaiting human guidance...
"""
DELIVERED = """DIVINE GUIDANCE DELIVERED

Agent: developer
Task: 1
Guidance: p256

Agent resuming work with guidance.
"""


@pytest.fixture
def escalation(nowhere: Moot) -> Moot:
    nowhere("init", "--preset", "escalation")
    nowhere("add", "Verify signatures")
    return nowhere


@pytest.mark.ledger("E-15")
def test_the_two_notices_are_what_the_document_prints(escalation: Moot) -> None:
    said = escalation.tell("developer", SEEKING)
    assert REQUESTED in said
    ways = said.split(REQUESTED)[1]
    assert "1. ed25519 – not allowed" in ways and "2. p256 – slow" in ways and "moot answer q1 1" in ways
    inbox = escalation("inbox").out
    for words in (
        "Agent developer working on 1 requires guidance.",
        "Two libraries disagree.",
        "Question  Which curve?",
    ):
        assert words in inbox
    assert "1. ed25519 – not allowed" in inbox and "A decision" in inbox
    assert escalation("answer", "q1", "2").out.endswith(DELIVERED)


@pytest.mark.ledger("E-15")
def test_a_question_that_a_rule_asks_is_announced_too(moot: Moot) -> None:
    moot("add", "One", "--column", "review")
    for _ in range(2):
        moot.work("review-agent", outcome="changes_requested", findings=[{"issue": "wrong"}])
        moot.work("dev-agent")
    out = moot.tell("review-agent", {"outcome": "changes_requested", "findings": [{"issue": "still wrong"}]})
    assert "WAITING FOR YOU\n\nAgent: review-agent\nTask: 1\n" in out


def test_no_notice_says_that_somebody_resumes_who_does_not(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    finding = {"kind": "security", "severity": "critical", "issue": "a hole"}
    moot.work("dev-agent", findings=[finding])
    abort = [o["option"] for o in moot.json("inbox")["questions"][0]["options"]].index("abort") + 1
    out = moot("answer", "q1", str(abort)).out
    assert "YOUR ANSWER IS KEPT" in out and out.endswith("The item is cancelled.\n")


@pytest.mark.ledger("E-16")
def test_the_state_of_the_document_is_readable(escalation: Moot) -> None:
    assert escalation("inbox", "--document").json == {"escalation_tracking": {}, "pending_divine_questions": []}
    for number in "123":
        tried = {"approach": f"approach number {number * 9}", "outcome": "red"}
        escalation.work("developer", outcome="failed", attempts=[tried])
    escalation.tell("crypto-expert", "EXPERT_UNSUCCESSFUL\n\nno idea")
    escalation.work("protocol-expert", summary="Use another curve")
    escalation.tell("developer", SEEKING)
    state = escalation("inbox", "--document").json
    assert state["escalation_tracking"]["1"] == {
        "self_solve_attempts": 3,
        "expert_attempts": 1,
        "total_attempts": 4,
        "experts_tried": ["crypto-expert", "protocol-expert"],
        "last_attempt_type": "expert_delegation",
        "last_attempt_outcome": "EXPERT_UNSUCCESSFUL",
        "divine_clarifications_received": 0,
    }
    assert list(state["escalation_tracking"]) == ["1"], "an expert's tries are told by the item they were for"
    (pending,) = state["pending_divine_questions"]
    assert pending["options"] == ["ed25519", "p256"] and pending["requested_at"].endswith("Z")
    assert (pending["task_id"], pending["agent_id"], pending["question"]) == ("1", "developer", "Which curve?")


@pytest.fixture
def tested(nowhere: Moot) -> Moot:
    """A pipeline in which the tests failed once, and were fixed and run again in another way: not yet reported."""
    nowhere("init", "--preset", "pipeline")
    nowhere("add", "Feature X", "--column", "test")
    failed = {"test": "TestFeatureAPI", "error": "expected 200, got 500", "file": "tests/api_test.go:42"}
    nowhere.tell("test-executor", {"type": "test_failures", "failures": [failed]})
    nowhere.work("implementer", lessons=["Check every error"])
    return nowhere


@pytest.mark.ledger("P-10")
def test_after_a_phase_the_user_sees_tests_rounds_and_what_comes_next(tested: Moot) -> None:
    passed = {"type": "test_results", "status": "passed", "summary": {"total": 10, "passed": 10, "failed": 0}}
    lines = tested.tell("test-executor", passed).splitlines()
    assert lines[-4:] == [
        "Phase 3 Complete ✓  test of #1",
        "  - Tests: 10/10 passed",
        "  - Rounds: 2 (1 failure, fixed in round 2)",
        "  - This was the last phase: it is done.",
    ]
    log = tested("log").out
    assert "Phase 3 complete → done: tests 10/10 passed, rounds 2 (1 failure, fixed in round 2)" in log
    tested("add", "Next")
    assert "Phase 1 Complete" in (out := tested.tell("implementer", {"outcome": "done"}))
    assert out.endswith("  - Proceeding to Phase 2: review...\n")


@pytest.mark.ledger("P-06", "R-18")
def test_whoever_answers_an_agent_is_told_that_rounds_are_counted_from_one_again(tested: Moot) -> None:
    words = "rounds are counted from 1 again, after 1 in test"
    assert words not in tested("show", "1").out
    tested.tell("test-executor", {"type": "clarification_request", "question": "Is 500 right?"})
    assert f"counters: {words}" in tested("answer", "q1", "no").out
    assert words in " ".join(tested("show", "1").out.split())
    tested.tell("test-executor", {"type": "clarification_request", "question": "And 404?"})
    assert "counters" not in tested("answer", "q2", "yes").out, "no round was given since"


@pytest.mark.ledger("P-10")
def test_the_last_of_a_group_sees_that_the_phase_is_over(nowhere: Moot) -> None:
    nowhere("init", "--preset", "pipeline")
    nowhere("add", "Feature X", "--column", "review")
    assert "Phase" not in nowhere.tell("reviewer", {"outcome": "done"})
    assert "Phase 2 Complete ✓  review of #1" in nowhere.tell("devils-advocate", {"outcome": "done"})


@pytest.mark.ledger("H-13")
def test_metrics(tested: Moot) -> None:
    tested.work("test-executor", usage={"cost_usd": 0.5})
    tested("add", "Second")
    tested.work("implementer", outcome="asks", question={"question": "Which?"})
    tested("answer", "q1", "this")
    claim = tested.json("claim", "implementer")
    tested("release", claim["run"], "--token", str(claim["token"]))
    view = tested.json("metrics")
    assert set(view["time_per_agent"]) == {"implementer", "test-executor"}
    assert all(seconds > 0 for seconds in view["time_per_agent"].values())
    assert view["handoffs_per_workflow"] == {"1": 2, "2": 0}
    assert view["fix_iterations"] == {"1": 1, "2": 0}
    assert view["escalation_rate"] == 0.5 and view["success_rate"] == 1.0
    assert view["runs"]["total"] == 5 and view["runs"]["wasted"] == 1
    assert view["questions"]["answered"] == 1 and view["cost_usd"] == 0.5
    words = tested("metrics").out
    for part in ("50 % of what was begun", "implementer", "$0.50", "1.0 an item"):
        assert part in words


@pytest.mark.ledger("H-13")
def test_the_handoff_documents_example_in_numbers(nowhere: Moot) -> None:
    nowhere("init", "--preset", "handoff")
    assert "moot claim" in nowhere("metrics").out
    nowhere("add", "Add user auth")
    for agent in ("planner", "builder"):
        nowhere.work(agent)
    nowhere.work("reviewer", outcome="changes_requested", findings=[{"issue": "a"}, {"issue": "b"}])
    for agent in ("fixer", "reviewer"):
        nowhere.work(agent)
    view = nowhere.json("metrics")
    assert view["handoffs_per_workflow"] == {"1": 4} and view["fix_iterations"] == {"1": 1}
    assert view["escalation_rate"] == 0.0 and len(view["time_per_agent"]) == 4
    sums = {"items": 1, "handoffs": 4, "fix_iterations": 1, "escalated": 0}
    assert view["by_workflow"] == {"feature": sums}
    assert "took     4 handoffs, 1 fix iteration, builder " in nowhere("show", "1").out
    nowhere("add", "A bug", "--type", "bugfix", "--column", "build")
    nowhere.work("builder")
    out = nowhere("metrics").out
    assert (
        "#1                  4 handoffs, 1 fix iteration\n" in out and "bugfix              1 item, 0 handoffs" in out
    )
    assert nowhere.json("metrics", "1") == {**view, "time_per_agent": nowhere.json("metrics", "1")["time_per_agent"]}
    assert set(nowhere.json("metrics", "2")["time_per_agent"]) == {"builder"}
    assert "took" not in nowhere("show", "2").out, "one agent alone has worked on it"
    assert nowhere("metrics", "9", "--json", code=2).error["code"] == "unknown_item"


@pytest.mark.ledger("H-13", "P-05")
def test_what_parts_and_dispatched_items_took_is_their_items(nowhere: Moot) -> None:
    nowhere("init", "--preset", "pipeline")
    nowhere("add", "Feature X")
    nowhere.work("implementer")
    claim = nowhere.json("claim", "reviewer")
    inside = ["--run", claim["run"], "--token", str(claim["token"])]
    nowhere("dispatch", "implementer", "Fix the check", *inside)
    nowhere("report", claim["run"], "-", "--token", str(claim["token"]), stdin='{"outcome": "done"}')
    nowhere.work("devils-advocate")
    whole, one = nowhere.json("metrics"), nowhere.json("metrics", "1")
    assert one["handoffs_per_workflow"] == whole["handoffs_per_workflow"] and one["runs"] == whole["runs"]


@pytest.mark.ledger("Q-13")
def test_lessons(tested: Moot) -> None:
    (lesson,) = tested.json("lessons")["lessons"]
    assert (lesson["text"], lesson["agent"], lesson["item"]) == ("Check every error", "implementer", "1")
    assert "Check every error" in tested("lessons").out
    assert tested.json("lessons", "--agent", "reviewer") == {"lessons": []}
    assert "learnt" in tested("lessons", "--agent", "reviewer").out
    tested("add", "Next")
    assert [told["text"] for told in tested.json("claim", "implementer")["brief"]["lessons"]] == ["Check every error"]


@pytest.mark.ledger("Q-06")
def test_a_claim_can_be_printed_as_the_prompt_alone(moot: Moot) -> None:
    moot("add", "Users can reset their password", "--column", "dev")
    answer = moot("claim", "dev-agent", "--prompt")
    assert "Users can reset their password" in answer.out and "dev-agent" in answer.out
    run = moot.json("show", "1")["runs"][0]
    assert answer.err == f"note: run {run['run']}, token {run['token']}, item 1\n"
    assert moot("claim", "dev-agent", "--prompt", "--json", code=2).error["code"] == "bad_usage"


def test_a_quest_shows_its_tasks_contracts_outputs_and_evidence(nowhere: Moot) -> None:
    nowhere("init", "--preset", "quest")
    nowhere("add", "Build the hall")
    tasks = [{"key": "a", "title": "Store", "files": ["a.py"], "contracts": ["Row"]}, {"title": "Docs", "after": ["a"]}]
    contracts = [{"name": "Row", "text": "id: int\nname: str"}]
    nowhere.work(
        "pathseeker", outcome="split", tasks=tasks, contracts=contracts, integration_points={"api": "reads Row"}
    )
    assert "task of #1" in nowhere("board").out and "codeweaver, then ward" in nowhere("board").out
    nowhere.work("codeweaver", summary="stored")
    nowhere.work("codeweaver", summary="written down")
    shown = nowhere("show", "1").out
    assert "ward takes it: moot run, or by hand: moot claim ward" in shown
    assert "ward must show it" in nowhere("list").out
    nowhere.work("ward", outcome="failed", summary="2 red", findings=[{"kind": "test", "issue": "red", "file": "a.py"}])
    assert "found by ward" in nowhere("show", "1").out
    nowhere.work("spiritmender")
    nowhere.work("ward", summary="all green")
    shown = nowhere("show", "1").out
    for words in (
        "#2  codeweaver (task) done: stored",
        "id: int",
        "meets api: reads Row",
        "✗ ward  red in weave: 2 red",
    ):
        assert words in shown
    assert "✓ ward  green in weave: all green" in shown
    assert "task of #1" in nowhere("show", "2").out and "What it relies on" in nowhere("show", "2").out
    assert json.loads(nowhere("show", "1", "--json").out)["evidence"][-1]["green"] is True
