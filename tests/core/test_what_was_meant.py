"""What was said keeps its meaning: replies without a parent, reasons in any case, causes, issues, labelled attempts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import AddComment, ReportRun
from folkmoot.errors import Invalid
from folkmoot.testing.builders import SoundBoard, Story, TrialBoard, preset_flow, report
from tests.core.test_disputes import ARTIFACT, disputed_by_dev
from tests.core.test_experts import WAYS, expert_of, three_failures, tracking
from tests.core.test_splits import split, weave

KANBAN, ESCALATION, QUEST, HANDOFF = (preset_flow(name) for name in ("kanban", "escalation", "quest", "handoff"))
ASKED = "awaiting-divine-guidance"
REPLIES: list[dict[str, Any]] = [
    {"content": "No.", "parent": "c001"},
    {"content": "No."},
    {"content": "No.", "resolution": "rejected"},
    {"content": "No.", "parent": "c001", "resolution": "rejected"},
    {"content": "No.", "parent": "c001", "status": "resolved", "resolution": "rejected"},
    {"content": "No.", "status": "open", "author": "test-architect", "id": "c002", "timestamp": "2024-01-17T15:45:00"},
    {"content": "No.", "artifact": ARTIFACT},
    {"content": "No.", "artifact": "tests/247-trading-tests"},
]


@pytest.mark.ledger("R-12", "K-06")
@pytest.mark.parametrize("said", REPLIES)
def test_disputed_from_the_side_whose_turn_it_is_disagrees_however_it_is_said(said: dict[str, Any]) -> None:
    story = disputed_by_dev()
    story.effort("disputed", comments=[said])
    assert story.place == ("dev", "ready") and story.it.told is None
    dispute = story.it.dispute
    assert dispute is not None and (dispute.thread, dispute.agents) == ("c001", ["dev-agent", "test-architect"])
    assert len(story.it.disputes) == 1
    assert [(c.parent, c.status, c.resolution) for c in story.comments] == [
        (None, "open", None),
        ("c001", "open", None),
    ]


@pytest.mark.ledger("R-12", "R-27")
@pytest.mark.parametrize("way", [None, "rejected"])
def test_a_comment_made_in_the_run_is_the_reply_too(way: str | None) -> None:
    story = disputed_by_dev()
    actor = story.claim()
    story.do(AddComment(content="No.", parent="c001" if way else None, resolution=way), actor)
    story.do(ReportRun(report=report("disputed")), actor)
    assert story.place == ("dev", "ready") and story.it.told is None
    assert story.it.dispute is not None and story.it.dispute.rounds == 1
    assert [(c.parent, c.status, c.proposed) for c in story.comments] == [(None, "open", None), ("c001", "open", None)]


@pytest.mark.ledger("R-12")
def test_a_reply_may_be_the_summary_alone_and_an_agreement_is_none() -> None:
    story = disputed_by_dev()
    story.effort("disputed", comments=[{"content": "fine", "parent": "c001", "resolution": "accepted"}])
    assert story.it.told is not None and "to agree report done" in story.it.told
    story.effort("disputed", summary="The design says sync.")
    assert story.place == ("dev", "ready") and story.comments[-1].content == "The design says sync."


@given(st.lists(st.sampled_from(range(len(REPLIES))), min_size=3, max_size=3))
def test_three_replies_of_any_spelling_trip_the_breaker(chosen: list[int]) -> None:
    story = disputed_by_dev()
    for number in chosen:
        said = {name: value for name, value in REPLIES[number].items() if name != "author"}
        story.effort("disputed", comments=[said])
    assert story.it.status == "needs-human-review" and story.it.dispute is not None
    assert story.it.dispute.rounds == 3 and {c.parent for c in story.comments[1:]} == {"c001"}


@pytest.mark.ledger("R-12")
def test_a_group_answers_the_open_thread_without_a_parent() -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        item = board.add()
        board.effort("implementer", "done")
        board.effort("reviewer", "disputed", comments=[{"content": "not what was asked"}])
        board.effort("devils-advocate", "done")
        board.effort("implementer", "disputed", comments=[{"content": "it is"}])
        board.effort("reviewer", "disputed", comments=[{"content": "it is not"}])
        shown = board.show(item)
        assert (shown["column"], shown["dispute_rounds"]) == ("implement", 2)
        assert shown["dispute_agents"] == ["reviewer", "implementer", "reviewer"]


@pytest.mark.ledger("R-12", "K-06")
@pytest.mark.parametrize(
    "said",
    [
        {"parent": "c001", "status": "resolved", "resolution": "accepted"},
        {"status": "resolved", "resolution": "accepted"},
        {"resolution": "accepted"},
    ],
)
def test_a_resolved_reply_resolves_the_thread_of_its_turn(said: dict[str, Any]) -> None:
    story = disputed_by_dev()
    story.effort("done", comments=[{"content": "You're right.", **said}])
    assert story.place == ("dev", "ready") and story.it.disputes == []
    assert (story.comments[0].status, story.comments[0].resolution) == ("resolved", "accepted")


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize("said", [{"resolution": "rejected"}, {"resolution": "accepted", "parent": "c002"}])
def test_the_disputer_gives_in_likewise(said: dict[str, Any]) -> None:
    story = disputed_by_dev()
    story.effort("disputed", comments=[{"content": "No."}])
    story.effort("done", comments=[{"content": "I see.", **said}])
    assert story.place == ("review", "ready") and story.comments[0].resolution == "rejected"


@pytest.mark.ledger("R-12")
def test_what_stands_on_the_item_is_not_said_again_and_its_own_id_is_understood() -> None:
    story = disputed_by_dev()
    first = {"id": "c901", "author": "dev-agent", "content": "Assumes sync;  arch says async.", "status": "open"}
    reply = {"id": "c902", "author": "test-architect", "parent": "c901", "content": "Right.", "status": "resolved"}
    story.effort("done", comments=[first, {**reply, "resolution": "accepted"}])
    assert story.place == ("dev", "ready") and [c.author for c in story.comments] == ["dev-agent", "test-architect"]
    assert story.comments[1].parent == "c001"


@pytest.mark.ledger("R-12", "R-32")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"parent": "c900", "resolution": "accepted"}, "no such comment; open: c001 (dev-agent: Assumes sync"),
        ({"author": "dev-agent", "parent": "c001"}, "signed by dev-agent"),
        ({"parent": "c001", "status": "open", "resolution": "accepted"}, "leave out one"),
    ],
)
def test_a_comment_that_cannot_be_placed_is_asked_back(said: dict[str, Any], told: str) -> None:
    story = disputed_by_dev()
    story.effort("done", comments=[{"content": "Right.", **said}])
    assert story.it.told is not None and told in story.it.told and len(story.it.disputes) == 1


@pytest.mark.ledger("K-11", "R-09")
@pytest.mark.parametrize("field", ["reason", "escalation_reason"])
@pytest.mark.parametrize("word", ["concurrency", "Concurrency", "CONCURRENCY", "needs-concurrency-expert"])
def test_the_reason_picks_the_column_whatever_its_case(field: str, word: str) -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", **{field: word})
    assert story.place == ("needs-concurrency-expert", "ready") and story.it.escalation_reason == "concurrency"


@pytest.mark.ledger("R-09", "R-32")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("stuck", {"reason": "never heard of"}),
        ("stuck", {"escalation_reason": "moon"}),
        ("failed", {"escalation_reason": "moon"}),
        ("disputed", {"reason": "test-vs-moon", "comments": [{"content": "no"}]}),
    ],
)
def test_a_reason_that_nobody_knows_is_named_back_and_not_counted(outcome: str, parts: dict[str, Any]) -> None:
    story = Story(KANBAN, "dev")
    story.effort(outcome, **parts)
    assert story.place == ("dev", "ready") and story.it.failure_count == 0
    told = story.it.told or ""
    assert "nobody knows the reason" in told and "concurrency, security, performance" in told


@pytest.mark.ledger("R-09")
def test_where_the_flow_has_no_reasons_any_words_will_do() -> None:
    story = Story(ESCALATION, "implementing")
    story.effort("stuck", reason="the spec is missing a page")
    assert story.it.told is None and story.it.effort.protocol_faults == 0


@pytest.mark.ledger("K-08", "K-10")
def test_the_reason_of_a_failure_stays_in_its_history_and_the_escalation_reason_beside_it() -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", reason="Test expects 42, got 41", summary="red")
    story.effort("failed", reason="Still failing, suspect loop boundary", escalation_reason="Concurrency")
    assert [(a.number, a.model, a.reason) for a in story.attempts] == [
        (1, "glm-4", "Test expects 42, got 41"),
        (2, "glm-4", "Still failing, suspect loop boundary"),
    ]
    assert story.it.escalation_reason == "concurrency"


@pytest.mark.ledger("R-10")
@pytest.mark.parametrize("parts", [{"reason": "SECURITY"}, {"reason": "Security concern"}])
@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_a_security_concern_in_any_spelling_goes_to_a_person(outcome: str, parts: dict[str, Any]) -> None:
    for flow in (KANBAN, HANDOFF, QUEST):
        story = Story(flow, flow.start if flow is not KANBAN else "dev")
        story.effort(outcome, summary="anyone may read it", **parts)
        assert story.it.status == ASKED and "security concern" in story.open_questions[0].question


@pytest.mark.ledger("R-07", "R-11", "E-08", "H-08")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("failed", {"cause": "fatal"}),
        ("failed", {"reason": "6 total failed attempts"}),
        ("failed", {"reason": "3 EXPERT_UNSUCCESSFUL"}),
        ("stuck", {"reason": "Circular dependency detected"}),
        ("stuck", {"reason": "circular_dependency_detected"}),
        ("stuck", {"reason": "Ambiguous acceptance criteria"}),
        ("stuck", {"reason": "Security concern"}),
        ("failed", {"reason": "ambiguous_acceptance_criteria"}),
    ],
)
@pytest.mark.parametrize("preset", ["escalation", "handoff", "quest"])
def test_a_mandatory_trigger_asks_a_person_at_once(preset: str, outcome: str, parts: dict[str, Any]) -> None:
    story = Story(preset_flow(preset), {"escalation": "implementing", "handoff": "build", "quest": "review"}[preset])
    story.effort(outcome, summary="it cannot go on", **parts)
    assert story.it.status == ASKED and len(story.open_questions) == 1
    assert not any(attempt.counted for attempt in story.attempts) and story.it.failure_count == 0


@pytest.mark.ledger("H-08", "R-07")
def test_a_recoverable_error_is_tried_again_and_a_fatal_one_is_not() -> None:
    story = Story(HANDOFF, "build")
    story.effort("failed", reason="RecoverableError")
    assert story.place == ("build", "ready") and story.it.effort.executions == 1
    story.effort("failed", reason="FatalError")
    assert story.place == ("build", ASKED)


@pytest.mark.ledger("R-24", "Q-08")
@pytest.mark.parametrize(
    "word", ["Context Exhaustion", "Unexpected dependencies discovered", "Repeated failure cycles"]
)
@pytest.mark.parametrize("outcome", ["failed", "stuck", "incomplete"])
def test_a_task_that_must_be_split_again_goes_to_discover(word: str, outcome: str) -> None:
    with SoundBoard(QUEST) as board:
        _, (a, _) = split(board)
        weave(board, a, outcome, reason=word, summary="half of it is there")
        assert board.place(a) == ("discover", "ready")


@pytest.mark.ledger("R-24", "Q-08")
def test_an_integration_conflict_sends_the_quest_to_discover_at_once() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        weave(board, a, "failed", cause="integration", summary="AuthResult differs")
        assert board.place(quest) == ("discover", "ready") and board.place(a) == ("weave", "waiting")
        assert board.place(b) == ("weave", "ready")


@pytest.mark.ledger("R-07")
def test_an_integration_conflict_asks_where_nobody_looks_at_the_whole() -> None:
    story = Story(HANDOFF, "build")
    story.effort("failed", cause="integration", summary="two designs")
    assert story.open_questions[0].question == "The parts do not fit together: two designs"


def sent(board: TrialBoard, payload: dict[str, Any], **parts: Any) -> str:
    item = board.add(column="review")
    run = board.claim("reviewer")
    board.engine.handle_run(
        run, commands.SendMessage(sender="reviewer", to="fixer", type="fix_request", payload=payload)
    )
    board.report(run, "changes_requested", **parts)
    return item


@pytest.mark.ledger("H-14", "R-13")
@pytest.mark.parametrize(
    "payload",
    [
        {"issues": ["no rate limit", "no test"]},
        {"findings": [{"issue": "no rate limit", "file": "a.py", "line": 1}, {"description": "no test"}]},
        {"issues": [{"issue": "no rate limit", "location": "a.py:1"}, {"error": "no test", "severity": "minor"}]},
        {"fixes_needed": ["no rate limit", "no test"]},
        {"fixesRequired": ["no rate limit", "no test"]},
        {"requested_changes": ["no rate limit", "no test"], "files": ["a.py", "b.py"]},
    ],
)
@pytest.mark.parametrize("count", [2, "2", None])
def test_a_number_of_issues_means_those_that_were_sent(payload: dict[str, Any], count: Any) -> None:
    with SoundBoard(HANDOFF) as board:
        item = sent(board, payload, extra={"status": "needs_fixes", "issues": count})
        assert board.place(item) == ("fix", "ready")
        assert [finding["issue"] for finding in board.show(item)["findings"]] == ["no rate limit", "no test"]


@pytest.mark.ledger("H-14", "R-32")
@pytest.mark.parametrize(
    ("payload", "told"),
    [({"issues": ["one"]}, "it says 2 issues, and tells 1"), ({}, "it says 2 issues, and tells none")],
)
def test_issues_that_nobody_told_are_asked_back(payload: dict[str, Any], told: str) -> None:
    with SoundBoard(HANDOFF) as board:
        item = sent(board, payload, extra={"status": "needs_fixes", "issues": 2})
        assert board.place(item) == ("review", "ready")
        assert told in (board.item(item).told or "")


@pytest.mark.ledger("H-14", "R-13")
@pytest.mark.parametrize("name", ["todo", "to_fix", "points", "fixes"])
def test_a_list_as_long_as_the_number_of_issues_is_those_issues(name: str) -> None:
    with SoundBoard(HANDOFF) as board:
        payload = {"round": 1, "files": ["a.py", "b.py"], name: ["no rate limit", "no test"]}
        item = sent(board, payload, extra={"status": "needs_fixes", "issues": 2})
        assert board.place(item) == ("fix", "ready")
        assert [finding["issue"] for finding in board.show(item)["findings"]] == ["no rate limit", "no test"]


@pytest.mark.ledger("H-14", "R-32")
@pytest.mark.parametrize(
    "payload",
    [
        {"files": ["a.py", "b.py"]},
        {"fixed": ["a typo", "a name"]},
        {"passed_tests": ["test_a", "test_b"]},
        {"todo": ["one", "two", "three"]},
        {"todo": ["one", "two"], "points": ["three", "four"]},
    ],
)
def test_what_may_be_something_else_than_the_issues_is_not_taken_for_them(payload: dict[str, Any]) -> None:
    with SoundBoard(HANDOFF) as board:
        item = sent(board, payload, extra={"status": "needs_fixes", "issues": 2})
        assert board.place(item) == ("review", "ready")
        assert "it says 2 issues, and tells none" in (board.item(item).told or "")


def labelled(*numbers: int) -> list[dict[str, Any]]:
    """Blocks that all say they are an expert's."""
    tells = "pqrstuvw"
    return [{"kind": "expert_delegation", "approach": WAYS[n], "outcome": tells[n] * 9} for n in numbers]


@pytest.mark.ledger("R-06", "R-08", "E-02")
def test_a_block_labelled_as_an_experts_is_the_agents_own_unless_one_was_asked() -> None:
    with SoundBoard(ESCALATION) as board:
        item = board.add()
        board.effort("developer", "failed", attempts=labelled(0, 1, 2, 3))
        told = tracking(board, item)
        assert (told["self_solve_attempts"], told["expert_attempts"], told["total_attempts"]) == (3, 0, 3)
        assert [a["counted"] for a in board.show(item)["failure_history"]] == [True, True, True, False]
        assert board.place(item) == ("implementing", "waiting"), "three of its own bring the first expert"


@pytest.mark.ledger("R-06", "R-08")
def test_after_advice_the_first_block_is_the_experts_whatever_its_label() -> None:
    with SoundBoard(ESCALATION) as board:
        item = three_failures(board)
        board.report(board.claim("crypto-expert", item=expert_of(board, item).id), "done", summary="use a key")
        tries = [{"approach": WAYS[3], "outcome": "u" * 9}, *labelled(4)]
        board.effort("developer", "failed", attempts=tries)
        told = tracking(board, item)
        assert (told["self_solve_attempts"], told["expert_attempts"]) == (3, 1)
        kinds = [(a["kind"], a["counted"]) for a in board.show(item)["failure_history"][3:]]
        assert kinds == [("expert_delegation", True), ("expert_delegation", False)], "the second tells of it again"


@pytest.mark.ledger("R-06", "E-06")
@pytest.mark.parametrize("outcome", ["incomplete", "delegates"])
def test_attempts_beside_another_outcome_are_recorded(outcome: str) -> None:
    with SoundBoard(ESCALATION) as board:
        item = board.add()
        more = {"delegate": [{"to": "crypto-expert", "task": "help"}]} if outcome == "delegates" else {}
        tries = [{"approach": WAYS[n], "outcome": "xyz"[n] * 9} for n in (0, 1)]
        board.effort("developer", outcome, summary="half", attempts=tries, **more)
        shown = board.show(item)
        assert [a["approach"] for a in shown["failure_history"]] == [WAYS[0], WAYS[1]]
        assert shown["escalation_tracking"]["self_solve_attempts"] == 2
        assert shown["incomplete_count"] == (1 if outcome == "incomplete" else 0)


@pytest.mark.ledger("R-12")
def test_resolved_without_saying_how_is_asked_back() -> None:
    """Words that disagree must not be taken for agreement."""
    with SoundBoard(preset_flow("kanban")) as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "disputed", comments=[{"content": "the test is wrong", "artifact": "tests"}])
        (dispute,) = board.item(item).disputes
        said = {"content": "No, the test is right.", "parent": dispute.thread, "status": "resolved"}
        run = board.claim("test-architect")
        with pytest.raises(Invalid, match="resolution: accepted, or rejected"):
            board.say(run, "done", comments=[said])
        assert board.item(item).disputes and board.place(item)[1] == "running"
