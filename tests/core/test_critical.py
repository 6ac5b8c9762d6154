"""Where the flow lets a person decide about what is critical, every critical finding asks, whoever found it (P-07)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core.enums import FINDING_KINDS, SEVERITIES
from folkmoot.core.flow import QuestionPolicy
from folkmoot.testing.builders import SoundBoard, preset_flow

PIPELINE, KANBAN = preset_flow("pipeline"), preset_flow("kanban")
ASKED = "awaiting-divine-guidance"
WAYS = ["fix it", "accept the risk and go on", "abort"]


def found(severity: str, kind: str = "review") -> dict[str, Any]:
    return {"kind": kind, "severity": severity, "file": "a.py", "line": 4, "issue": "Deletes all rows"}


@pytest.mark.ledger("P-07", "R-10")
@pytest.mark.parametrize("kind", FINDING_KINDS)
@pytest.mark.parametrize("outcome", ["done", "changes_requested", "incomplete"])
@pytest.mark.parametrize(
    ("column", "agent"),
    [
        ("implement", "implementer"),
        ("review", "reviewer"),
        ("review", "devils-advocate"),
        ("test", "test-executor"),
    ],
)
def test_each_phase_of_the_pipeline_asks_about_a_critical_finding(
    column: str, agent: str, outcome: str, kind: str
) -> None:
    if (column, outcome) == ("implement", "changes_requested"):
        outcome = "done"  # who makes the work gives no verdict on it
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column=column)
        board.effort(agent, outcome, summary="I looked", findings=[found("critical", kind), found("low", kind)])
        assert board.place(item)[1] == ASKED
        (question,) = board.show(item)["questions"]
        assert "Deletes all rows" in question["question"]
        if column != "implement":
            assert [option["option"] for option in question["options"]] == WAYS


@pytest.mark.ledger("P-07")
@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("fix it", ("implement", "ready")),
        ("accept the risk and go on", ("done", "done")),
        ("abort", ("test", "cancelled")),
    ],
)
def test_the_person_decides_in_the_test_phase_as_in_the_review(answer: str, place: tuple[str, str]) -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="test")
        board.effort("test-executor", "changes_requested", findings=[found("critical", "test")])
        board.answer(board.inbox()[0], answer)
        assert board.place(item) == place
        if answer == "fix it":
            assert board.effort("implementer", "done")["column"] == "test", "back to who asked, and only there"


@pytest.mark.ledger("P-07", "R-10")
def test_a_flow_that_does_not_say_so_lets_the_verdict_send_it_back() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="review")
        board.effort("review-agent", "changes_requested", findings=[found("critical")])
        assert board.place(item) == ("dev", "ready")


@pytest.mark.ledger("P-07")
@settings(max_examples=20)
@given(
    st.sampled_from(SEVERITIES),
    st.sampled_from(FINDING_KINDS),
    st.booleans(),
    st.sampled_from(["done", "changes_requested"]),
)
def test_a_person_is_asked_exactly_where_it_is_critical_and_the_flow_or_security_says_so(
    severity: str, kind: str, switch: bool, outcome: str
) -> None:
    flow = replace(KANBAN, questions=QuestionPolicy(critical=switch))
    with SoundBoard(flow) as board:
        item = board.add("It", column="qa")
        board.effort("qa-agent", outcome, findings=[found(severity, kind)])
        asks = severity == "critical" and (switch or kind == "security")
        assert (board.place(item)[1] == ASKED) == asks
