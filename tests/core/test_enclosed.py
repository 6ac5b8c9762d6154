"""What a report hands over is sent with it, or asked back; and whoever looks at work gives a verdict (R-22, R-26)."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.commands import SendMessage
from folkmoot.core.enums import Outcome
from folkmoot.core.report import UNSENT, Posted, Report
from folkmoot.errors import Invalid
from folkmoot.testing.builders import PERSON, SoundBoard, View, limited, preset_flow

HANDOFF, PIPELINE, QUEST, KANBAN = (preset_flow(name) for name in ("handoff", "pipeline", "quest", "kanban"))
ISSUES = {"issues": ["no rate limit", "no test"]}
FIX = Posted(type="fix_request", sender="reviewer", to="fixer", payload=ISSUES)
# Who hands over what at the end of its stage, and where the item is then.
HANDED: dict[str, tuple[str, Posted, str, str]] = {
    "planner": (
        "plan",
        Posted(type="task_handoff", to="builder", payload={"spec": "specs/a.md"}),
        "completed",
        "build",
    ),
    "builder": (
        "build",
        Posted(type="review_request", to="reviewer", payload={"commit": "abc123"}),
        "completed",
        "review",
    ),
    "reviewer": ("review", FIX, "completed", "fix"),
    "fixer": ("fix", Posted(type="rereview_request", to="reviewer", payload={"fixed": 2}), "fixes_applied", "review"),
}


def said(outcome: Outcome = "done", status: str | None = None, *messages: Posted, **parts: Any) -> Report:
    extra = {**parts.pop("extra", {}), **({"status": status} if status else {})}
    return Report(outcome=outcome, messages=list(messages), extra=extra, **parts)


def start(board: SoundBoard, agent: str) -> tuple[str, Any]:
    """The item and a run of the agent on it, at the end of the way that leads to it."""
    if agent == "fixer":
        item = board.add(column="review")
        board.effort("reviewer", "changes_requested", summary="no test")
        return item, board.claim("fixer")
    return board.add(column=HANDED[agent][0]), board.claim(agent)


@pytest.mark.ledger("R-26", "H-02", "H-14")
@pytest.mark.parametrize("agent", HANDED)
@pytest.mark.parametrize("final", [False, True])
def test_what_a_role_hands_over_in_its_report_is_what_the_next_one_gets(agent: str, final: bool) -> None:
    _, message, status, column = HANDED[agent]
    with SoundBoard(HANDOFF) as board:
        item, run = start(board, agent)
        board.engine.report(run, said("done", status, message), final=final)
        assert board.show(item)["column"] == column
        sent = [
            m for m in board.queries.messages()["messages"] if m["type"] == message.type and m["status"] == "pending"
        ]
        assert [(m["from"], m["to"], m["payload"]) for m in sent] == [(agent, message.to, message.payload)]
        brief = board.engine.claim(PERSON, message.to)["brief"]
        assert message.payload in [one["payload"] for one in brief["messages"]]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("word", ["approved", "Approved", "passed", "ok", "lgtm", "no changes requested"])
@pytest.mark.parametrize("way", ["inside", "sent"])
def test_who_approves_and_asks_for_a_fix_is_asked_which_holds(word: str, way: str) -> None:
    with SoundBoard(HANDOFF) as board:
        item, run = start(board, "reviewer")
        inside = [FIX] if way == "inside" else []
        if way == "sent":
            board.engine.send(run, SendMessage(sender="", to="fixer", type="fix_request", payload=ISSUES))
        with pytest.raises(Invalid, match=r"it says .*, and it (holds|has sent) a fix_request: which holds\?"):
            board.engine.report(run, said("done", word, *inside))
        assert board.show(item)["status"] == "running"
        # Nobody is left to say which: the stricter holds, and the fixer has both.
        board.engine.report(run, said("done", word, *inside), final=True)
        assert board.show(item)["column"] == "fix"
        assert [finding["issue"] for finding in board.show(item)["findings"]] == ISSUES["issues"]


@pytest.mark.ledger("R-22")
def test_who_takes_the_fix_back_approves() -> None:
    with SoundBoard(HANDOFF) as board:
        item, run = start(board, "reviewer")
        with pytest.raises(Invalid):
            board.engine.report(run, said("done", "approved", FIX))
        board.engine.report(run, said("done", "approved"))
        assert board.show(item)["status"] == "done"
        assert not [m for m in board.queries.messages()["messages"] if m["type"] == "fix_request"]


@pytest.mark.ledger("R-32")
def test_a_message_of_a_refused_report_need_not_be_printed_again() -> None:
    with SoundBoard(HANDOFF) as board:
        item, run = start(board, "reviewer")
        with pytest.raises(Invalid, match="3 issues, and tells 2"):
            board.engine.report(run, said("changes_requested", None, FIX, extra={"issues": 3}))
        board.engine.report(run, said("changes_requested", None, extra={"issues": 2}))
        (sent,) = [m for m in board.queries.messages()["messages"] if m["type"] == "fix_request"]
        assert sent["payload"] == ISSUES and board.show(item)["column"] == "fix"


@pytest.mark.ledger("R-32")
def test_of_a_message_that_is_mended_only_the_mended_one_is_sent() -> None:
    with SoundBoard(HANDOFF) as board:
        item, run = start(board, "reviewer")
        wrong = Posted(type="fix_request", to="builder", payload=ISSUES)
        with pytest.raises(Invalid, match=r"its fix_request cannot be sent: .*may not send fix_request to builder"):
            board.engine.report(run, said("changes_requested", "needs_fixes", wrong))
        board.engine.report(run, said("changes_requested", "needs_fixes", FIX))
        assert [m["to"] for m in board.queries.messages()["messages"] if m["type"] == "fix_request"] == ["fixer"]
        assert board.show(item)["column"] == "fix"


BAD: dict[str, tuple[Posted, str]] = {
    "to another": (Posted(type="fix_request", to="planner", payload=ISSUES), "may not send"),
    "in another's name": (Posted(type="fix_request", sender="builder", payload=ISSUES), "speaks as reviewer"),
    "not its own type": (Posted(type="task_handoff", sender="reviewer", to="builder"), "may not send"),
    "a type that is none": (Posted(type="praise", sender="reviewer", to="fixer"), "no message 'praise'"),
    "over already": (Posted(type="fix_request", payload=ISSUES, status="completed"), "status 'completed'"),
    "a workflow that is none": (Posted(type="fix_request", context={"workflow": "x"}), "context.workflow"),
}


@pytest.mark.ledger("R-26", "R-32")
@pytest.mark.parametrize(("message", "words"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_sent_is_asked_back_and_at_the_end_told_on(message: Posted, words: str) -> None:
    with SoundBoard(HANDOFF) as board:
        item, run = start(board, "reviewer")
        report = said("changes_requested", "needs_fixes", message, summary="no test")
        with pytest.raises(Invalid, match=words):
            board.engine.report(run, report)
        shown = board.engine.report(run, report, final=True)
        assert (shown["column"], shown["runs"][-1]["outcome"]) == ("fix", "changes_requested")
        assert shown["runs"][-1]["report"]["extra"][UNSENT][0]["type"] == message.type
        assert UNSENT in [one["what"] for one in shown["kept"]]
        assert [
            m for m in board.queries.messages()["messages"] if m["type"] == message.type and m["payload"] == ISSUES
        ] == []
        assert item == shown["id"]


def test_what_a_run_was_handed_and_repeats_is_not_sent_again() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(column="plan")
        handed = Posted(type="task_handoff", sender="planner", to="builder", payload={"spec": "specs/a.md"})
        board.engine.report(board.claim("planner"), said("done", "completed", handed))
        board.engine.report(board.claim("builder"), said("done", "completed", handed))
        found = board.queries.messages()["messages"]
        assert [m["status"] for m in found if m["type"] == "task_handoff"] == ["completed"]
        assert board.show(item)["column"] == "review"


@pytest.mark.ledger("R-26")
def test_the_same_message_sent_and_printed_is_one() -> None:
    with SoundBoard(HANDOFF) as board:
        _, run = start(board, "reviewer")
        board.engine.send(run, SendMessage(sender="", to="fixer", type="fix_request", payload=ISSUES))
        board.engine.report(run, said("changes_requested", "needs_fixes", FIX, FIX))
        assert len([m for m in board.queries.messages()["messages"] if m["type"] == "fix_request"]) == 1


NO_VERDICT: dict[str, tuple[Any, str, str, dict[str, Any]]] = {
    "completed": (HANDOFF, "review", "reviewer", {"status": "completed"}),
    "complete": (HANDOFF, "review", "reviewer", {"status": "Complete"}),
    "fixes_applied": (HANDOFF, "review", "reviewer", {"status": "fixes_applied"}),
    "a bare completion": (
        HANDOFF,
        "review",
        "reviewer",
        {"type": "completion", "from": "reviewer", "to": "orchestrator"},
    ),
    "a completion of its own": (
        HANDOFF,
        "review",
        "reviewer",
        {"type": "completion", "payload": {"status": "completed"}},
    ),
    "one of two who look": (PIPELINE, "review", "reviewer", {"status": "completed"}),
    "fixes, of a tester": (PIPELINE, "test", "test-executor", {"status": "fixes_applied"}),
    "fixes, in a flow without messages": (QUEST, "review", "lawbringer", {"status": "fixes applied"}),
    "fixes, of a kanban's reviewer": (KANBAN, "review", "review-agent", {"status": "fixes_applied"}),
}


@pytest.mark.ledger("R-22", "R-32", "H-10")
@pytest.mark.parametrize(("flow", "column", "agent", "extra"), NO_VERDICT.values(), ids=NO_VERDICT.keys())
def test_that_a_task_is_over_is_no_verdict_on_the_work(flow: Any, column: str, agent: str, extra: View) -> None:
    with SoundBoard(flow) as board:
        board.add(column=column)
        run = board.claim(agent)
        with pytest.raises(Invalid, match="nothing about the work that was looked at: report approved, or needs_fixes"):
            board.engine.report(run, Report(outcome="done", extra=extra))
        board.engine.report(run, Report(outcome="done", extra={**extra, "approval": True}))


VERDICTS: dict[str, tuple[Any, str, str, Report, str]] = {
    "approved": (HANDOFF, "review", "reviewer", said("done", "approved"), "done"),
    "the board's own word": (HANDOFF, "review", "reviewer", said("done"), "done"),
    "a grave finding": (
        *(HANDOFF, "review", "reviewer"),
        Report.done(extra={"status": "completed"}, findings=[{"issue": "leak", "severity": "high"}]),
        "changes_requested",
    ),
    "green tests": (
        *(PIPELINE, "test", "test-executor"),
        Report.done(extra={"status": "completed"}, tests={"total": 3, "passed": 3}),
        "done",
    ),
    "an empty list of holes": (
        *(PIPELINE, "review", "devils-advocate"),
        Report.done(extra={"type": "security_issues", "status": "completed"}),
        "done",
    ),
    "complete, in a flow without messages": (QUEST, "review", "lawbringer", said("done", "complete"), "done"),
    "completed, of whoever makes": (HANDOFF, "build", "builder", said("done", "completed"), "done"),
}


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(("flow", "column", "agent", "report", "outcome"), VERDICTS.values(), ids=VERDICTS.keys())
def test_what_says_something_of_the_work_is_a_verdict(
    flow: Any, column: str, agent: str, report: Report, outcome: str
) -> None:
    with SoundBoard(flow) as board:
        board.add(column=column)
        run = board.claim(agent)
        understood = msgspec.convert(msgspec.to_builtins(report), Report)
        shown = board.engine.report(run, understood)
        assert shown["runs"][-1]["outcome"] == outcome


WORDS = [None, "approved", "completed", "needs_fixes", "fixes_applied", "passed"]


@given(
    word=st.sampled_from(WORDS),
    outcome=st.sampled_from(["done", "changes_requested", "failed", "incomplete"]),
    message=st.sampled_from(
        [FIX, Posted(type="fix_request", payload={}), BAD["to another"][0], BAD["over already"][0]]
    ),
    final=st.booleans(),
)
def test_a_reviewer_that_asks_for_a_fix_never_approves_whatever_it_says(
    word: str | None, outcome: Outcome, message: Posted, final: bool
) -> None:
    """And what it hands over is on the board, or told on, or asked back."""
    with SoundBoard(HANDOFF) as board:
        item, run = start(board, "reviewer")
        try:
            board.engine.report(run, said(outcome, word, message, summary="looked"), final=final)
        except Invalid:
            assert not final and board.show(item)["status"] == "running"
            return
        shown = board.show(item)
        sent = [
            m for m in board.queries.messages()["messages"] if m["type"] == "fix_request" and m["from"] == "reviewer"
        ]
        told = shown["runs"][-1]["report"].get("extra", {}).get(UNSENT)
        assert sent or told
        if message.to != "planner" and message.status is None:
            assert shown["status"] != "done"


@pytest.mark.ledger("R-33")
def test_as_many_messages_as_a_run_may_send_and_the_last_word_counts_all_the_same() -> None:
    flow = limited(HANDOFF, messages=1)
    other = Posted(type="fix_request", payload={"issues": ["more"]})
    with SoundBoard(flow) as board:
        _, run = start(board, "reviewer")
        report = said("changes_requested", "needs_fixes", FIX, other, summary="no test")
        with pytest.raises(Invalid, match="a run may have 1"):
            board.engine.report(run, report)
        shown = board.engine.report(run, report, final=True)
        assert shown["column"] == "fix" and len(shown["runs"][-1]["report"]["extra"][UNSENT]) == 2
