"""Several concerns in one report, reasons beside a dispute, and who speaks where only comments were written (R-12)."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.commands import AddComment, ReportRun
from folkmoot.testing.builders import SoundBoard, Story, limited, preset_flow, report

KANBAN = preset_flow()
TESTS, DESIGN = "tests/247-trading-tests.md", "arch/247.md"
SYNC = {"artifact": TESTS, "target": "test_trade_cancellation", "content": "Assumes sync; arch says async."}
LIMIT = {"artifact": TESTS, "target": "test_limit", "content": "The limit is 20, not 10."}
RACE = {"artifact": DESIGN, "content": "Two cancellations at once are not thought of."}
ASKED = "awaiting-divine-guidance"


def in_dev() -> Story:
    story = Story(KANBAN, "arch")
    story.effort("done", artifacts=[{"name": DESIGN}])
    story.effort("done", artifacts=[{"name": TESTS}])
    return story


def disputed(*concerns: dict[str, Any], **parts: Any) -> Story:
    story = in_dev()
    story.effort("disputed", comments=list(concerns), **parts)
    return story


def threads(story: Story) -> list[str]:
    return sorted(dispute.thread for dispute in story.it.disputes)


def accepted(*parents: str) -> list[dict[str, str]]:
    return [{"parent": parent, "content": "You're right.", "resolution": "accepted"} for parent in parents]


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize(
    ("concerns", "column"),
    [
        ([SYNC, LIMIT], "tests"),
        ([SYNC, RACE], "arch"),
        ([RACE, SYNC], "arch"),
        ([SYNC, {"content": "And the names tell nothing."}], "tests"),
        ([SYNC, LIMIT, RACE], "arch"),
    ],
)
def test_each_concern_of_a_report_is_a_dispute_of_its_own(concerns: list[dict[str, Any]], column: str) -> None:
    story = disputed(*concerns)
    assert threads(story) == [f"c00{number}" for number in range(1, len(concerns) + 1)]
    assert story.place == (column, "ready"), "of several stages the earliest: the way forward leads to the others"
    assert story.it.span.disputes == 1, "the item was disputed once"


@pytest.mark.ledger("K-06", "R-12")
def test_done_resolves_each_of_them() -> None:
    story = disputed(SYNC, LIMIT)
    story.effort("done", comments=accepted("c001"))
    assert story.it.told is not None and "c002" in story.it.told and "c001" not in story.it.told.split(":")[0]
    story.effort("done", comments=accepted("c001", "c002"))
    assert story.place == ("dev", "ready") and story.it.disputes == []


@pytest.mark.ledger("K-06", "R-12")
def test_a_concern_that_waits_is_met_on_the_way_forward() -> None:
    story = disputed(SYNC, RACE)
    story.effort("done", comments=accepted("c002"))
    assert story.place == ("tests", "ready") and threads(story) == ["c001"]
    story.effort("done", comments=accepted("c001"))
    assert story.place == ("dev", "ready") and story.it.disputes == []


@pytest.mark.ledger("K-06", "R-12")
def test_a_concern_that_waits_is_called_before_the_item_goes_past_it() -> None:
    story = disputed(SYNC, RACE)
    story.effort("disputed", comments=[{"parent": "c002", "content": "They cannot happen."}])
    assert story.place == ("dev", "ready")
    story.effort("done", comments=[{"parent": "c002", "content": "I see.", "resolution": "rejected"}])
    assert story.place == ("tests", "ready"), "the dev's done does not go past what nobody has answered"
    assert "c001" in story.it.because
    story.effort("done", comments=accepted("c001"))
    assert story.place == ("dev", "ready") and story.it.disputes == []


@pytest.mark.ledger("K-06", "K-07", "R-12")
def test_rounds_are_counted_for_each_dispute() -> None:
    story = disputed(SYNC, LIMIT)
    both = [{"parent": "c001", "content": "No."}, {"parent": "c002", "content": "Nor this."}]
    story.effort("disputed", comments=both)
    assert story.place == ("dev", "ready")
    assert {d.thread: d.rounds for d in story.it.disputes} == {"c001": 1, "c002": 1}
    story.effort("disputed", comments=[{"parent": "c001", "content": "Yes."}, *_given_in("c002")])
    assert {d.thread: d.rounds for d in story.it.disputes} == {"c001": 2} and story.it.column == "tests"
    story.effort("disputed", comments=[{"parent": "c001", "content": "No."}])
    assert story.place == ("tests", "needs-human-review") and len(story.open_questions) == 1


def _given_in(thread: str) -> list[dict[str, str]]:
    return [{"parent": _reply_in(thread), "content": "Fine.", "resolution": "accepted"}]


def _reply_in(thread: str) -> str:
    return {"c001": "c003", "c002": "c004"}[thread]


@pytest.mark.ledger("K-07", "R-12", "R-16")
@pytest.mark.parametrize("answers", list(product("12", repeat=2)))
def test_two_flags_are_two_decisions_and_an_upheld_one_is_not_forgotten(answers: tuple[str, str]) -> None:
    story = disputed(SYNC, LIMIT)
    story.flow = limited(KANBAN, dispute_rounds=1)
    story.effort("disputed", comments=[{"parent": "c001", "content": "No."}, {"parent": "c002", "content": "No."}])
    assert len(story.open_questions) == 2
    for question, answer in zip([q.id for q in story.open_questions], answers, strict=True):
        story.answer(question, answer)
    assert story.it.disputes == []
    assert story.place == ("tests" if "1" in answers else "dev", "ready"), "whoever was wrong has something to change"


@pytest.mark.ledger("R-12")
def test_a_reply_that_could_be_meant_for_several_is_asked_back() -> None:
    story = disputed(SYNC, LIMIT)
    story.effort("disputed", comments=[{"content": "The tests are right."}])
    assert story.it.told is not None and "c001, c002" in story.it.told and "parent" in story.it.told
    assert {d.rounds for d in story.it.disputes} == {0}
    story.effort("disputed", comments=[{**LIMIT, "content": "10 is what the story says."}])
    assert {d.thread: d.rounds for d in story.it.disputes} == {"c001": 0, "c002": 1}, "its place says which"


@pytest.mark.ledger("R-12")
def test_the_very_same_concern_twice_is_one_and_an_id_may_be_shouted() -> None:
    story = disputed(SYNC, SYNC)
    assert threads(story) == ["c001"] and len(story.comments) == 1
    story.effort("done", comments=accepted("C001 "))
    assert story.place == ("dev", "ready")


@pytest.mark.ledger("R-12")
def test_a_disputer_that_replies_may_name_another_place_beside_it() -> None:
    story = disputed(SYNC)
    story.effort("disputed", comments=[{"parent": "c001", "content": "No."}])
    story.effort("disputed", comments=[{"content": "It does assume it."}, LIMIT])
    assert {d.thread: d.rounds for d in story.it.disputes} == {"c001": 2, "c004": 0}
    assert story.comments[2].parent == "c001" and story.comments[3].parent is None


@pytest.mark.ledger("K-04", "R-12", "R-27")
def test_concerns_that_a_run_commented_before_its_report_are_all_disputed() -> None:
    story = in_dev()
    actor = story.claim()
    for concern in (SYNC, RACE):
        story.do(AddComment(**concern), actor)
    story.do(ReportRun(report=report("disputed", summary="both are wrong")), actor)
    assert threads(story) == ["c001", "c002"] and story.it.column == "arch"


@pytest.mark.ledger("R-12")
def test_a_report_with_many_concerns_is_one_dispute_for_the_limit() -> None:
    story = disputed(*({**SYNC, "target": f"test_{number}", "content": f"wrong {number}"} for number in range(5)))
    assert story.place == ("tests", "ready") and len(story.it.disputes) == 5 and story.open_questions == []


@pytest.mark.ledger("K-12", "R-10", "R-12")
def test_a_dispute_with_the_reason_security_waits_for_a_person_and_is_not_lost() -> None:
    story = disputed(SYNC, reason="security")
    assert story.place == ("dev", ASKED) and threads(story) == ["c001"]
    words = {option.option: option.to for option in story.open_questions[0].options}
    assert words["to needs-security-review"] == "needs-security-review"
    assert words["let test-architect answer the dispute"] == "tests"
    assert SYNC["content"] in story.open_questions[0].question


@pytest.mark.ledger("K-12", "R-10", "R-12")
@pytest.mark.parametrize(
    ("answer", "way"),
    [
        ("to needs-security-review", ["needs-security-review", "tests", "dev"]),
        ("let test-architect answer the dispute", ["tests", "dev"]),
        ("1", ["tests", "dev"]),
    ],
)
def test_both_the_specialist_and_the_dispute_have_their_turn(answer: str, way: list[str]) -> None:
    story = disputed(SYNC, reason="Security Concern")
    story.answer("q1", answer)
    for column in way[:-1]:
        assert story.place == (column, "ready")
        story.effort("done", comments=accepted("c001") if column == "tests" else [])
    assert story.place == (way[-1], "ready") and story.it.disputes == []


@pytest.mark.ledger("K-12", "R-10")
@pytest.mark.parametrize("outcome", ["done", "failed", "incomplete", "changes_requested"])
def test_whatever_is_said_beside_a_security_concern_its_column_can_be_chosen(outcome: str) -> None:
    story = in_dev()
    story.effort(outcome, summary="tokens are in the log", escalation_reason="security")
    assert story.place == ("dev", ASKED)
    story.answer("q1", "to needs-security-review")
    assert story.place == ("needs-security-review", "ready") and story.it.origins == ["dev"]
    story.effort("done")
    assert story.place == ("review", "ready"), "the specialist did the work of dev"


@pytest.mark.ledger("K-12", "R-12")
@pytest.mark.parametrize(
    ("reason", "artifact", "column"),
    [
        ("architecture", None, "arch"),
        ("arch", None, "arch"),
        ("tests", None, "tests"),
        ("performance", None, "tests"),
        ("architecture", TESTS, "tests"),
        ("test-vs-dev", None, "dispute-test-vs-dev"),
        ("Test-vs-Dev", TESTS, "dispute-test-vs-dev"),
        ("dispute-test-vs-dev", TESTS, "dispute-test-vs-dev"),
    ],
)
def test_a_reason_says_who_is_meant_where_the_artifact_does_not(reason: str, artifact: str | None, column: str) -> None:
    story = disputed({"content": "This cannot be fast.", "artifact": artifact}, reason=reason)
    assert story.place == (column, "ready")
    if not column.startswith("dispute"):
        assert story.it.escalation_reason == reason and reason in story.it.because


@pytest.mark.ledger("K-12", "R-12")
def test_the_reason_for_which_a_senior_was_called_is_not_that_of_its_dispute() -> None:
    story = in_dev()
    story.effort("stuck", reason="unknown")
    story.effort("disputed", comments=[SYNC])
    assert story.it.column == "tests" and "reason" not in story.it.because


@pytest.mark.ledger("K-12", "R-12")
@pytest.mark.parametrize(
    ("reason", "artifact", "maker"),
    [("story-vs-arch", None, "test-architect"), ("test-vs-dev", DESIGN, "architect-agent")],
)
def test_a_reason_that_leads_where_others_argue_is_asked_back(reason: str, artifact: str | None, maker: str) -> None:
    story = disputed({"content": "They contradict each other.", "artifact": artifact}, reason=reason)
    assert story.place == ("dev", "ready") and story.it.disputes == []
    assert story.it.told is not None and reason in story.it.told and maker in story.it.told


@pytest.mark.ledger("K-07", "K-12", "R-12")
@pytest.mark.parametrize("replies", [0, 1])
def test_a_dispute_for_a_person_is_flagged_at_once(replies: int) -> None:
    story = in_dev() if not replies else disputed(SYNC)
    said = [{"parent": "c001", "content": "No."}] if replies else [SYNC]
    story.effort("disputed", comments=said, reason="needs-human")
    assert story.place == ("tests" if replies else "dev", "needs-human-review") and threads(story) == ["c001"]
    story.answer("q1", "dev-agent is right")
    assert story.place == ("tests", "ready") and story.it.disputes == []


@pytest.mark.ledger("K-12", "R-09")
@pytest.mark.parametrize("reason", ["needs-human", "Needs Human", "needs_human"])
def test_a_column_that_helps_is_understood_where_a_reason_belongs(reason: str) -> None:
    story = in_dev()
    story.effort("stuck", reason=reason, blockers="only you can know")
    assert story.place == ("needs-human", ASKED) and story.it.origins == ["dev"]


@pytest.mark.ledger("K-12", "R-09")
def test_a_reason_that_nobody_knows_is_named_back_with_the_nearest() -> None:
    story = in_dev()
    story.effort("stuck", reason="concurency")
    assert story.it.told is not None and story.it.told.endswith("did you mean concurrency?")


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize("parent", ["c001", "c002"])
def test_a_disputer_who_only_comments_that_it_gives_in_goes_on_with_its_work(parent: str) -> None:
    story = disputed(SYNC)
    story.effort("disputed", comments=[{"parent": "c001", "content": "The architecture changed."}])
    way = "accepted" if parent == "c002" else "rejected"
    comments = [{"parent": parent, "content": "I see.", "status": "resolved", "resolution": way}]
    story.effort("done", implied=True, comments=comments)
    assert story.place == ("dev", "ready") and story.it.disputes == [], "its own work has yet to be done"
    assert story.comments[0].resolution == "rejected" and story.it.effort.incompletes == 0
    story.effort("done")
    assert story.place == ("review", "ready")


@pytest.mark.ledger("K-06", "R-12")
def test_a_maker_who_only_comments_that_it_agrees_moves_it_forward() -> None:
    story = disputed(SYNC)
    story.effort("done", implied=True, comments=accepted("c001"))
    assert story.place == ("dev", "ready") and story.comments[0].resolution == "accepted"


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("failed", {}),
        ("incomplete", {}),
        ("stuck", {"reason": "arch"}),
        ("asks", {"question": {"question": "20 or 10?"}}),
    ],
)
def test_a_maker_who_agrees_and_has_not_fixed_it_yet_keeps_the_concern(outcome: str, parts: dict[str, Any]) -> None:
    story = disputed(SYNC)
    story.effort(outcome, summary="not there yet", comments=accepted("c001"), **parts)
    assert threads(story) == ["c001"] and story.comments[0].status == "open"


@pytest.mark.ledger("K-06", "K-12", "R-12")
@pytest.mark.parametrize("outcome", ["incomplete", "failed"])
def test_who_gives_in_in_a_dispute_column_goes_on_in_its_own(outcome: str) -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add(column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": TESTS}])
        board.effort("dev-agent", "disputed", comments=[SYNC], reason="test-vs-dev")
        board.effort("test-architect", "disputed", comments=[{"parent": "c001", "content": "No."}])
        said = [{"parent": "c001", "content": "I see.", "resolution": "rejected"}]
        board.effort("dev-agent", outcome, summary="not there yet", comments=said)
        assert board.place(item) == ("dev", "ready") and board.show(item)["dispute_agents"] == []


CONCERNS = st.lists(st.sampled_from([SYNC, LIMIT, RACE, {"content": "no place"}]), min_size=1, max_size=4)


@pytest.mark.ledger("K-06", "R-12")
@settings(max_examples=60, deadline=None)
@given(concerns=CONCERNS, agrees=st.lists(st.booleans(), min_size=30, max_size=30))
def test_whatever_each_side_says_no_concern_is_passed_over(concerns: list[dict[str, Any]], agrees: list[bool]) -> None:
    concerns = [{**one, "content": f"{one['content']} {number}"} for number, one in enumerate(concerns)]
    story = disputed(*concerns)
    opened, wills = set(threads(story)), iter(agrees)
    assert len(opened) == len(concerns)
    for _ in range(30):
        if story.it.column == "review" or story.open_questions:
            break
        turn = [d for d in story.it.disputes if d.side(d.turn).stage == story.it.column]
        answers = {d.thread: next(wills, True) for d in turn}
        way = {d.thread: "accepted" if d.turn else "rejected" for d in turn}
        said = [
            {"parent": thread, "content": f"so {thread}", **({"resolution": way[thread]} if agreed else {})}
            for thread, agreed in answers.items()
        ]
        story.effort("done" if all(answers.values()) else "disputed", comments=said)
    left = {d.thread for d in story.it.disputes}
    assert story.open_questions or (story.it.column == "review" and not left), "nothing goes on past an open concern"
    settled = {c.id for c in story.comments if c.id in opened and c.status == "resolved"}
    assert settled | left == opened
