"""A refusal says what to write next: never just what was refused, and never what this run may not say."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.carrying import may_say
from folkmoot.errors import Invalid
from folkmoot.reports.canonical import canonical_report
from folkmoot.testing.builders import SoundBoard, preset_flow, report

KANBAN, PIPELINE, QUEST, ESCALATION, HANDOFF = (
    preset_flow(name) for name in ("kanban", "pipeline", "quest", "escalation", "handoff")
)
SUBS = {"delegate": [{"task": "x", "scope": "discovery_only"}]}
EXAMPLE = re.compile(r"such a report is (\{.*\})$")


def example_in(error: Invalid) -> Report:
    found = EXAMPLE.search(error.hint)
    assert found is not None, error.hint
    return canonical_report(json.loads(found.group(1)))


def refusal(board: SoundBoard, agent: str, outcome: str, **parts: Any) -> Invalid:
    with pytest.raises(Invalid) as refused:
        board.say(board.claim(agent), outcome, **parts)
    return refused.value


@pytest.mark.ledger("R-32", "R-25")
def test_who_may_not_delegate_is_not_shown_how_to() -> None:
    with SoundBoard(QUEST) as board:
        board.add(column="weave")
        error = refusal(board, "codeweaver", "delegates", **SUBS)
        assert "may not report delegates" in error.message and "delegates" not in error.hint
        assert example_in(error).outcome == "stuck"


@pytest.mark.ledger("R-25")
def test_who_has_sent_out_its_sub_agents_is_told_how_to_go_on() -> None:
    with SoundBoard(QUEST) as board:
        board.add()
        board.effort("pathseeker", "delegates", **SUBS)
        board.effort("pathseeker", "done", summary="found it")
        error = refusal(board, "pathseeker", "delegates", **SUBS)
        assert "one fan-out per item: go on with what they found" in error.message
        assert example_in(error).outcome == "done"


def test_a_gate_is_shown_what_a_gate_says() -> None:
    with SoundBoard(QUEST) as board:
        board.add()
        board.effort("pathseeker", "split", tasks=[{"key": "a", "title": "A", "files": ["a.py"]}])
        board.effort("codeweaver", "done", summary="made")
        error = refusal(board, "ward", "asks", question={"question": "which?"})
        assert "this run may report done, failed" in error.hint and example_in(error).outcome == "failed"


@pytest.mark.ledger("R-12")
def test_a_dispute_left_open_is_answered_with_the_comment_that_ends_it() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "t.md"}])
        board.effort("dev-agent", "disputed", comments=[{"artifact": "t.md", "content": "it is async"}])
        error = refusal(board, "test-architect", "done", summary="fixed")
        shown = example_in(error)
        assert (shown.comments[0].parent, shown.comments[0].resolution) == ("c001", "accepted")


@pytest.mark.ledger("R-12", "R-32")
@pytest.mark.parametrize("outcome", ["done", "incomplete"])
def test_a_disputer_that_accepts_is_shown_how_to_give_in_and_not_how_to_dispute(outcome: str) -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "t.md"}])
        board.effort("dev-agent", "disputed", comments=[{"artifact": "t.md", "content": "it is async"}])
        board.effort("test-architect", "disputed", comments=[{"parent": "c001", "content": "section 4 says sync"}])
        accepts = {"parent": "c001", "content": "I accept that", "resolution": "accepted"}
        error = refusal(board, "dev-agent", outcome, summary="made it sync", comments=[accepts])
        assert "to disagree report disputed" in error.message
        shown = example_in(error)
        assert shown.outcome == outcome
        assert (shown.comments[0].parent, shown.comments[0].resolution) == ("c001", "rejected")


@pytest.mark.ledger("R-12", "R-32")
def test_a_maker_that_rejects_is_shown_how_to_dispute() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "t.md"}])
        board.effort("dev-agent", "disputed", comments=[{"artifact": "t.md", "content": "it is async"}])
        rejects = {"parent": "c001", "content": "section 4 says sync", "resolution": "rejected"}
        assert example_in(refusal(board, "test-architect", "done", comments=[rejects])).outcome == "disputed"


def test_what_speaks_against_done_shows_the_outcome_that_it_may_mean() -> None:
    with SoundBoard(HANDOFF) as board:
        board.add(column="review")
        error = refusal(board, "reviewer", "done", extra={"status": "approved", "issues": 2})
        assert example_in(error).outcome == "changes_requested"


@pytest.mark.ledger("R-32")
@settings(max_examples=60, deadline=None)
@given(
    outcome=st.sampled_from(OUTCOMES),
    who=st.sampled_from(
        [
            (QUEST, "weave", "codeweaver"),
            (QUEST, "discover", "pathseeker"),
            (PIPELINE, "review", "reviewer"),
            (ESCALATION, "available", "developer"),
            (KANBAN, "dev", "dev-agent"),
        ]
    ),
    parts=st.sampled_from(
        [{}, SUBS, {"question": {"question": "which?"}}, {"extra": {"issues": 2}}, {"reason": "nobody"}]
    ),
)
def test_every_refusal_shows_a_report_that_this_run_may_make(
    outcome: str, who: tuple[Any, str, str], parts: Any
) -> None:
    flow, column, agent = who
    with SoundBoard(flow) as board:
        board.add(column=column)
        run, refused = board.claim(agent), None
        try:
            board.engine.report(run, report(outcome, **parts))
        except Invalid as error:
            refused = error
        assert refused is None or may_say(flow, agent, example_in(refused).outcome)


@pytest.mark.ledger("R-09")
@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"blockers": "two threads write the book"}, "dev-agent is stuck: two threads write the book"),
        ({"summary": "races", "reason": "concurrency"}, "dev-agent is stuck (concurrency): races"),
        ({"reason": "concurrency"}, "dev-agent is stuck: concurrency"),
        ({"next_steps": ["wait for the ledger"]}, "dev-agent is stuck: wait for the ledger"),
        ({}, "dev-agent is stuck: no words were given"),
    ],
)
def test_whoever_is_stuck_is_told_with_its_own_words(parts: dict[str, Any], words: str) -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev")
        item = board.effort("dev-agent", "stuck", **parts)
        assert words in item["why"] and "no reason given" not in item["why"]
