"""What a run has sent is part of what it says: a plain `done` beside it takes nothing back (R-22, R-26)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.commands import DispatchAgent, SendMessage
from folkmoot.core.report import Finding
from folkmoot.core.rules.judging.sent import united
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow
from tests.documents import FAILURES, RESULTS, REVIEW, SECURITY

PIPELINE, HANDOFF, KANBAN = (preset_flow(name) for name in ("pipeline", "handoff", "kanban"))
ASKED = "awaiting-divine-guidance"
VULNERABILITY = SECURITY["vulnerabilities"][0]
MEDIUM = {**REVIEW["findings"][0], "severity": "medium"}

# What is sent, by whom, where; and the column to which the item goes back.
SENT: dict[str, tuple[Any, str, str, dict[str, Any], str]] = {
    "test_failures": (PIPELINE, "test", "test-executor", FAILURES, "implement"),
    "test_failures without numbers": (
        *(PIPELINE, "test", "test-executor"),
        {"type": "test_failures", "failures": FAILURES["failures"]},
        "implement",
    ),
    "test_failures as words": (
        *(PIPELINE, "test", "test-executor"),
        {"type": "test_failures", "failures": ["it fails"]},
        "implement",
    ),
    "test_results that failed": (
        *(PIPELINE, "test", "test-executor"),
        {"type": "test_results", "status": "failed", "summary": FAILURES["summary"]},
        "implement",
    ),
    "review_findings": (PIPELINE, "review", "reviewer", REVIEW, "implement"),
    "review_findings of medium weight": (
        *(PIPELINE, "review", "reviewer"),
        {**REVIEW, "findings": [MEDIUM]},
        "implement",
    ),
    "security_issues": (
        *(PIPELINE, "review", "devils-advocate"),
        {**SECURITY, "vulnerabilities": [{**VULNERABILITY, "severity": "high"}]},
        "implement",
    ),
    "fix_request": (
        *(HANDOFF, "review", "reviewer"),
        {"type": "fix_request", "issues": ["no rate limit", "no test"]},
        "fix",
    ),
}


def send(board: SoundBoard, run: Any, message: dict[str, Any], to: str) -> None:
    payload = {name: value for name, value in message.items() if name != "type"}
    board.engine.send(run, SendMessage(sender="", to=to, type=message["type"], payload=payload))


def receivers(flow: Any, kind: str) -> list[str]:
    return list(flow.messages[kind].receivers)


@pytest.mark.ledger("R-22", "R-26", "P-01", "P-03", "H-14")
@pytest.mark.parametrize("outcome", ["done", "changes_requested"])
@pytest.mark.parametrize("agent_gets_it", [False, True])
@pytest.mark.parametrize(("flow", "column", "agent", "message", "fix"), SENT.values(), ids=SENT.keys())
def test_what_a_run_sent_counts_as_if_it_were_reported(
    flow: Any, column: str, agent: str, message: dict[str, Any], fix: str, agent_gets_it: bool, outcome: str
) -> None:
    to = receivers(flow, message["type"])[-1 if agent_gets_it else 0]
    with SoundBoard(flow) as board:
        item = board.add(column=column)
        run = board.claim(agent)
        send(board, run, message, to)
        board.report(run, outcome, summary="I have looked")
        for other in flow.columns[column].agents:
            if other != agent:
                board.effort(other, "done")
        assert board.place(item) == (fix, "ready")
        told = board.show(item)["findings"]
        lists = [message[name] for name in ("findings", "vulnerabilities", "failures", "issues") if name in message]
        assert len(told) == sum(map(len, lists)) and not any(finding["remark"] for finding in told)
        sent = board.engine.store.read(lambda reading: reading.messages(limit=100))
        assert not [m for m in sent if m.status == "rejected"]


@pytest.mark.ledger("R-10", "P-07", "R-26")
@pytest.mark.parametrize("outcome", ["done", "changes_requested", "incomplete"])
@pytest.mark.parametrize("to", ["orchestrator", "implementer"])
def test_a_critical_vulnerability_that_was_sent_asks_a_person(to: str, outcome: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="review")
        run = board.claim("devils-advocate")
        send(board, run, SECURITY, to)
        board.report(run, outcome, summary="I have looked")
        assert board.place(item)[1] == ASKED
        assert "sql_injection" in board.show(item)["questions"][0]["question"]


@pytest.mark.ledger("R-14", "P-05")
@pytest.mark.parametrize(
    "again",
    [
        {},
        {"kind": "security"},
        {"severity": "low"},
        {"issue": "in words of its own"},
        {"file": None, "line": None},
    ],
)
@pytest.mark.parametrize("outcome", ["done", "changes_requested"])
def test_the_same_finding_sent_and_reported_is_one(outcome: str, again: dict[str, Any]) -> None:
    reported = {**REVIEW["findings"][0], **again}
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="review")
        run = board.claim("reviewer")
        send(board, run, REVIEW, "orchestrator")
        send(board, run, REVIEW, "implementer")
        board.report(run, outcome, findings=[reported])
        board.effort("devils-advocate", "done")
        (told,) = board.show(item)["findings"]
        assert (told["severity"], told["file"], told["line"]) == ("high", "handlers/feature.go", 42)


@pytest.mark.ledger("R-22", "P-06")
@pytest.mark.parametrize("how", ["sent", "reported"])
def test_who_has_the_failures_fixed_within_its_run_and_tests_again_is_done(how: str) -> None:
    """What is said later on the same takes back what was said before."""
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="test")
        run = board.claim("test-executor")
        send(board, run, FAILURES, "implementer")
        if how == "sent":
            send(board, run, RESULTS, "orchestrator")
        board.report(run, "done", **({} if how == "sent" else {"tests": RESULTS["summary"]}))
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-22")
def test_failures_that_were_sent_after_an_approval_hold() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="test")
        first = board.claim("test-executor")
        send(board, first, RESULTS, "orchestrator")
        send(board, first, FAILURES, "orchestrator")
        board.report(first, "done")
        assert board.place(item)[0] == "implement", "the failures came last"


@pytest.mark.ledger("R-22", "R-26")
def test_what_another_run_sent_is_not_what_this_one_says() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="test")
        run = board.claim("test-executor")
        send(board, run, FAILURES, "orchestrator")
        board.crash(run)
        board.sleep(120)
        board.effort("test-executor", "done", tests=RESULTS["summary"])
        assert board.place(item) == ("done", "done")


FINDINGS = st.builds(
    Finding,
    kind=st.sampled_from(["review", "security", "test"]),
    severity=st.sampled_from(["critical", "high", "low"]),
    issue=st.sampled_from(["", "a", "b"]),
    file=st.sampled_from([None, "x.py", "y.py"]),
    line=st.sampled_from([None, 1, 2]),
    test=st.sampled_from([None, "T"]),
)


@given(st.lists(FINDINGS, max_size=4), st.lists(FINDINGS, max_size=4))
def test_to_hear_it_twice_adds_nothing_and_nothing_grave_is_lost(said: list[Finding], sent: list[Finding]) -> None:
    once = united(said, sent)
    assert len(said) <= len(once) <= len(said) + len(sent)
    assert len(united(once, sent)) == len(once)
    if any(finding.severity == "critical" for finding in [*said, *sent]):
        assert any(finding.severity == "critical" for finding in once)


CRITICAL = {"severity": "critical", "issue": "sql injection", "file": "services/user.go", "line": 123}


@pytest.mark.ledger("P-07", "R-10")
@pytest.mark.parametrize(
    ("flow", "column", "agent"),
    [(PIPELINE, "implement", "implementer"), (HANDOFF, "build", "builder"), (KANBAN, "dev", "dev-agent")],
)
@pytest.mark.parametrize(
    ("choice", "moves"), [("fix it", False), ("accept the risk and go on", True), ("abort", False)]
)
def test_what_a_maker_calls_critical_a_person_decides(
    flow: Any, column: str, agent: str, choice: str, moves: bool
) -> None:
    with SoundBoard(flow) as board:
        item = board.add(column=column)
        view = board.effort(agent, "done", findings=[CRITICAL])
        assert board.place(item) == (column, ASKED)
        question = view["questions"][0]
        assert question["question"] == "A critical finding: sql injection"
        assert [one["option"] for one in question["options"]][:3] == ["fix it", "accept the risk and go on", "abort"]
        board.answer(question["id"], choice)
        assert (board.item(item).column != column) == moves
        if choice == "fix it":
            board.effort(agent, "done")
            assert board.item(item).column != column


@pytest.mark.ledger("P-07", "P-02")
def test_what_a_dispatched_agent_calls_critical_is_not_lost_with_it() -> None:
    for outcome in ("done", "changes_requested"):
        with SoundBoard(PIPELINE) as board:
            made = board.engine.add(PERSON, DispatchAgent(agent="reviewer", task="Look at the limits"))["id"]
            board.effort("reviewer", outcome, findings=[CRITICAL])
            assert board.place(made)[1] == ASKED


@pytest.mark.ledger("R-14")
def test_a_line_that_one_of_two_tells_is_not_lost() -> None:
    (told,) = united([Finding(issue="a", line=2)], [Finding(issue="a")])
    assert told.line == 2
    (told,) = united([Finding(issue="a", line=2)], [Finding(issue="a", file="x.py")])
    assert (told.file, told.line) == ("x.py", 2)
