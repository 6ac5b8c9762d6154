"""A look that was assigned by itself, and findings that were sent by themselves, are heard (R-13, R-22, R-26)."""

from typing import Any

import pytest

from folkmoot.core.commands import DispatchAgent, SendMessage
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow
from tests.core.test_sent import send
from tests.documents import FAILURES, RESULTS, REVIEW, SECURITY

PIPELINE = preset_flow("pipeline")
ASKED = "awaiting-divine-guidance"
HIGH = {**SECURITY, "vulnerabilities": [{**SECURITY["vulnerabilities"][0], "severity": "high"}]}
FINDING = {"severity": "high", "file": "a.go", "line": 1, "issue": "bad"}


def assign(board: SoundBoard, agent: str, how: str) -> str:
    if how == "dispatched":
        return str(board.engine.add(PERSON, DispatchAgent(agent=agent, task="Review feature X"))["id"])
    payload = {"task_id": "review", "description": "Review feature X", "files": ["a.go"]}
    message = SendMessage(sender="orchestrator", to=agent, type="task_assignment", payload=payload)
    board.engine.send(PERSON, message)
    return "1"


@pytest.mark.ledger("P-02", "R-13")
@pytest.mark.parametrize("outcome", ["changes_requested", "done", "incomplete"])
@pytest.mark.parametrize("how", ["assigned", "dispatched"])
@pytest.mark.parametrize("agent", ["reviewer", "devils-advocate", "test-executor"])
def test_a_look_assigned_alone_that_asks_for_changes_goes_to_whoever_fixes(agent: str, how: str, outcome: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = assign(board, agent, how)
        board.effort(agent, outcome, summary="I looked", findings=[FINDING])
        assert board.place(item) == ("implement", "ready")
        told = board.engine.claim(PERSON, "implementer")["brief"]["findings"]
        assert [one["issue"] for one in told] == ["bad"]


@pytest.mark.ledger("P-02", "P-07")
def test_a_critical_finding_of_a_look_assigned_alone_can_be_fixed() -> None:
    with SoundBoard(PIPELINE) as board:
        item = assign(board, "devils-advocate", "assigned")
        board.effort("devils-advocate", "changes_requested", findings=[{**FINDING, "severity": "critical"}])
        assert board.place(item)[1] == ASKED
        board.answer(board.inbox()[0], "fix it")
        assert board.place(item) == ("implement", "ready")


@pytest.mark.ledger("P-02")
@pytest.mark.parametrize("how", ["assigned", "dispatched"])
def test_a_look_assigned_alone_that_approves_is_done(how: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = assign(board, "reviewer", how)
        board.effort("reviewer", "done", findings=[{**FINDING, "severity": "low"}])
        assert board.place(item)[1] == "done"


# What is sent outside of a run, by whom, where; whether it was sent before the claim or while the run lives.
SENT: dict[str, tuple[str, str, dict[str, Any]]] = {
    "security_issues": ("review", "devils-advocate", HIGH),
    "review_findings": ("review", "reviewer", REVIEW),
    "test_failures": ("test", "test-executor", FAILURES),
}


@pytest.mark.ledger("R-22", "R-26", "P-01")
@pytest.mark.parametrize("to", ["orchestrator", "implementer"])
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(("column", "agent", "message"), SENT.values(), ids=SENT.keys())
def test_what_an_agent_sent_outside_of_its_run_counts_beside_its_done(
    column: str, agent: str, message: dict[str, Any], before: bool, to: str
) -> None:
    payload = {name: value for name, value in message.items() if name != "type"}
    sent = SendMessage(sender=agent, to=to, type=message["type"], payload=payload)
    with SoundBoard(PIPELINE) as board:
        item = board.add(column=column)
        if before:
            board.engine.send(PERSON, sent)
        run = board.claim(agent)
        if not before:
            board.engine.send(PERSON, sent)
        board.report(run, "done", summary="findings sent")
        for other in PIPELINE.columns[column].agents:
            if other != agent:
                board.effort(other, "done")
        assert board.place(item) == ("implement", "ready")
        assert board.show(item)["findings"]
        # It was about this look: what the next one says is its own.
        board.effort("implementer", "done")
        for one in PIPELINE.columns[column].agents:
            board.effort(one, "done")
        assert board.place(item)[0] == {"review": "test", "test": "done"}[column]


@pytest.mark.ledger("R-22", "R-26")
def test_tests_that_passed_take_back_the_failures_that_were_sent_outside_of_the_run() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="test")
        payload = {"failures": FAILURES["failures"]}
        board.engine.send(
            PERSON, SendMessage(sender="test-executor", to="orchestrator", type="test_failures", payload=payload)
        )
        run = board.claim("test-executor")
        send(board, run, RESULTS, "orchestrator")
        board.report(run, "done")
        assert board.place(item) == ("done", "done")
