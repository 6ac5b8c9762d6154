"""`rejected` is the verdict of whoever looks at work; who makes it is asked what it refuses (R-12, R-26)."""

from typing import Any

import pytest

from folkmoot.core.commands import ReportRun
from folkmoot.testing.builders import Story, preset_flow, report

KANBAN, HANDOFF, QUEST = (preset_flow(name) for name in ("kanban", "handoff", "quest"))
FOUND = [{"issue": "null deref", "file": "a.py", "line": 3, "why": "reason: guarded above"}]
SAID: list[dict[str, Any]] = [
    {"extra": {"status": "rejected"}, "findings": FOUND},
    {"extra": {"status": "Rejected"}, "summary": "the spec has no error cases"},
    {"extra": {"status": "rejected"}, "reason": "the spec has no error cases"},
    {"extra": {"status": "not approved"}, "summary": "the spec has no error cases"},
    {"extra": {"verdict": "rejected"}, "summary": "the spec has no error cases"},
    {"extra": {"payload": {"status": "rejected"}}, "summary": "the spec has no error cases"},
]


@pytest.mark.ledger("R-12", "R-32")
@pytest.mark.parametrize("said", SAID, ids=str)
@pytest.mark.parametrize(("flow", "column"), [(HANDOFF, "fix"), (HANDOFF, "build"), (HANDOFF, "plan"), (KANBAN, "dev")])
def test_a_maker_that_rejects_is_asked_what_it_refuses(flow: Any, column: str, said: dict[str, Any]) -> None:
    story = Story(flow, column)
    actor = story.claim()
    case = story.do(ReportRun(report=report("changes_requested", **said)), actor)
    assert case.refusal is not None and "which holds?" in case.refusal.message
    assert "report disputed" in case.refusal.message and '"outcome": "disputed"' in case.refusal.hint
    assert story.place == (column, "running"), "the run lives, and its agent says which"


@pytest.mark.ledger("R-13", "R-32")
@pytest.mark.parametrize("extra", [{}, {"status": "needs_fixes"}, {"status": "changes_requested"}])
def test_a_maker_that_asks_for_changes_in_so_many_words_is_heard(extra: dict[str, Any]) -> None:
    story = Story(HANDOFF, "plan")
    story.effort("done")
    actor = story.claim()
    said = report("changes_requested", findings=FOUND, extra=extra)
    assert story.do(ReportRun(report=said), actor).refusal is None
    assert story.it.column == "plan"


@pytest.mark.ledger("R-13", "R-22")
@pytest.mark.parametrize(("flow", "column"), [(HANDOFF, "review"), (KANBAN, "review"), (QUEST, "review")])
def test_of_who_looks_at_work_it_is_a_verdict(flow: Any, column: str) -> None:
    story = Story(flow, column)
    actor = story.claim()
    said = report("changes_requested", findings=FOUND, extra={"status": "rejected"})
    assert story.do(ReportRun(report=said), actor).refusal is None


@pytest.mark.ledger("R-32")
def test_as_the_last_word_of_a_process_it_decides_nothing() -> None:
    story = Story(HANDOFF, "build")
    story.effort("changes_requested", summary="the spec has no error cases", extra={"status": "rejected"})
    assert story.place == ("build", "ready") and "report disputed" in (story.it.told or "")
