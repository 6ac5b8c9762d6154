"""What a look has found without giving a verdict is not lost: it stands beside the verdict, weighed with it (R-22)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.commands import Actor, MoveItem
from folkmoot.core.enums import SEVERITIES
from folkmoot.errors import Invalid
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow

PIPELINE, KANBAN, HANDOFF = (preset_flow(name) for name in ("pipeline", "kanban", "handoff"))
# Who checks alone in which flow, and who fixes.
CHECKERS = {
    "pipeline test": (PIPELINE, "test", "test-executor", "implement", "implementer"),
    "kanban review": (KANBAN, "review", "review-agent", "dev", "dev-agent"),
    "handoff review": (HANDOFF, "review", "reviewer", "fix", "fixer"),
}
RED = {"total": 10, "passed": 8, "failed": 2}
ASKS = {"question": {"question": "Is it meant so?"}}
# How a look ends without a verdict, with what it needs beside it.
LOOKS_ON: dict[str, Any] = {"next_steps": ["review the remaining two files"]}
ENDS: dict[str, dict[str, Any]] = {"incomplete": LOOKS_ON, "failed": {"cause": "transient"}, "asks": ASKS}


def found(severity: str, **more: Any) -> dict[str, Any]:
    return {"severity": severity, "file": "a.py", "line": 4, "issue": f"a {severity} thing", **more}


@pytest.mark.ledger("R-22", "P-09")
@pytest.mark.parametrize(("flow", "column", "agent", "fix", "fixer"), CHECKERS.values(), ids=CHECKERS.keys())
@pytest.mark.parametrize(
    "beside",
    [
        {"findings": [found("high")], **LOOKS_ON},
        {"tests": RED, **LOOKS_ON},
        {"findings": [found("medium")]},
        {"findings": [found("low")]},
    ],
    ids=["a high finding", "red tests", "a medium finding", "a low finding"],
)
def test_an_unfinished_look_that_wants_something_changed_asks_for_changes(
    flow: Any, column: str, agent: str, fix: str, fixer: str, beside: dict[str, Any]
) -> None:
    with SoundBoard(flow) as board:
        item = board.add("It", column=column)
        view = board.effort(agent, "incomplete", summary="it needs follow-up", **beside)
        assert (view["runs"][-1]["outcome"], view["column"]) == ("changes_requested", fix)
        assert "though it says done" not in view["why"]
        board.effort(fixer, "done", files={"modified": ["a.py"]})
        # It had not seen all of the work: what it finds now in another file is under review as well.
        view = board.effort(agent, "changes_requested", findings=[found("high", file="other.py")])
        assert (view["column"], len(board.item(item).findings)) == (fix, 1)


@pytest.mark.ledger("R-22", "P-09")
@pytest.mark.parametrize("severity", ["medium", "low"])
@pytest.mark.parametrize(("flow", "column", "agent", "fix", "fixer"), CHECKERS.values(), ids=CHECKERS.keys())
def test_what_an_unfinished_look_remarked_stands_beside_the_approval(
    flow: Any, column: str, agent: str, fix: str, fixer: str, severity: str
) -> None:
    with SoundBoard(flow) as board:
        item = board.add("It", column=column)
        assert board.effort(agent, "incomplete", findings=[found(severity)], **LOOKS_ON)["column"] == column
        board.effort(agent, "done")
        assert [(one.severity, one.remark, one.unheard) for one in board.item(item).findings] == [
            (severity, True, None)
        ]


@pytest.mark.ledger("R-22", "R-14")
@pytest.mark.parametrize(("end", "needs"), ENDS.items(), ids=ENDS.keys())
@pytest.mark.parametrize("column", ["review", "test"])
def test_a_high_finding_before_a_verdict_outlives_the_approval_of_the_next_run(
    column: str, end: str, needs: dict[str, Any]
) -> None:
    agent = "reviewer" if column == "review" else "test-executor"
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column=column)
        severity = "medium" if end == "incomplete" else "high"
        board.effort(agent, end, findings=[found(severity)], **needs)
        for question in board.inbox():
            board.answer(question, "yes, it is")
        board.sleep(3600)
        claim = board.engine.claim(PERSON, agent)
        assert [one["severity"] for one in claim["brief"]["findings"]] == [severity], "the next run is told"
        board.report(Actor(agent, claim["run"], claim["token"]), "done")
        if column == "review":
            board.effort("devils-advocate", "done")
        assert board.place(item)[0] == ("implement" if severity == "high" else "test" if column == "review" else "done")
        assert [one.severity for one in board.item(item).findings] == [severity]


@pytest.mark.ledger("R-22")
def test_what_the_maker_has_seen_to_is_no_longer_unheard() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="review")
        board.effort("review-agent", "failed", cause="transient", findings=[found("high")])
        board.on(item, MoveItem(column="dev"))
        board.effort("dev-agent", "done")
        assert [one.unheard for one in board.item(item).findings] == [None]
        assert board.effort("review-agent", "done")["column"] == "qa"


@pytest.mark.ledger("R-22")
@settings(max_examples=25)
@given(st.lists(st.sampled_from(SEVERITIES[1:]), min_size=1, max_size=3), st.booleans())
def test_no_finding_of_a_look_is_lost_by_its_verdict(severities: list[str], approves: bool) -> None:
    told = [found(severity, line=at + 1) for at, severity in enumerate(severities)]
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="review")
        board.effort("review-agent", "failed", cause="transient", findings=told)
        board.sleep(3600)
        more = {} if approves else {"findings": [found("medium", line=99)]}
        board.effort("review-agent", "done" if approves else "changes_requested", **more)
        kept = board.item(item).findings
        assert {one.line for one in kept} >= set(range(1, len(told) + 1))
        assert board.place(item)[0] == ("dev" if "high" in severities or not approves else "qa")


@pytest.mark.ledger("R-22")
def test_of_two_at_one_line_the_one_that_is_not_said_again_stays() -> None:
    one, two = found("high", issue="no check"), found("high", issue="wrong type")
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="review")
        for told in ([one, two], [one]):
            board.effort("review-agent", "failed", cause="transient", findings=told)
            board.sleep(3600)
        board.effort("review-agent", "done")
        assert sorted(finding.issue for finding in board.item(item).findings) == ["no check", "wrong type"]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("column", ["review", "test"])
def test_an_approval_silent_about_what_its_look_found_before_is_asked_back(column: str) -> None:
    agent = "reviewer" if column == "review" else "test-executor"
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column=column)
        board.effort(agent, "asks", findings=[found("high")], **ASKS)
        board.answer(board.inbox()[0], "yes, it is")
        actor = board.claim(agent)
        with pytest.raises(Invalid, match="before, and now approves: which holds"):
            board.say(actor, "done")
        board.say(actor, "done", findings=[found("high", fixed="it is meant so")])
        if column == "review":
            board.effort("devils-advocate", "done")
        assert board.place(item)[0] == ("test" if column == "review" else "done")


@pytest.mark.ledger("R-22")
def test_what_its_look_found_before_and_another_grave_thing_ask_for_changes_at_once() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="test")
        board.effort("test-executor", "asks", findings=[found("high")], **ASKS)
        board.answer(board.inbox()[0], "yes, it is")
        board.say(board.claim("test-executor"), "done", tests=RED)
        assert board.place(item)[0] == "implement" and len(board.item(item).findings) == 1


@pytest.mark.ledger("R-22")
def test_what_earlier_runs_of_a_look_found_stands_beside_an_unfinished_one_that_asks_for_changes() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="review")
        board.effort("review-agent", "incomplete", findings=[found("medium", line=1)], **LOOKS_ON)
        assert board.effort("review-agent", "incomplete", findings=[found("low", line=2)])["column"] == "dev"
        assert sorted(one.line or 0 for one in board.item(item).findings) == [1, 2]


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"findings": [found("medium", fixed="it is meant so")]},
        {"findings": [found("medium")], "cause": "transient"},
        {"findings": [found("medium")], "summary": "Reviewed half of the files."},
    ],
    ids=["nothing found", "what is mended", "a cause", "half of it seen"],
)
def test_an_unfinished_look_that_wants_nothing_changed_goes_on(beside: dict[str, Any]) -> None:
    with SoundBoard(KANBAN) as board:
        board.add("It", column="review")
        assert board.effort("review-agent", "incomplete", **beside)["column"] == "review"
