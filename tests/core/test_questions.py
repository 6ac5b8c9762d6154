"""Questions: asked, answered once, defaulted, parked, withdrawn; what guidance resets (R-16 to R-18, E-12, E-13)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.item import Effort
from folkmoot.core.situation import Neighbour
from folkmoot.errors import Invalid, MootError, Refused
from folkmoot.testing.builders import PERSON, Story, limited, preset_flow, report

KANBAN = preset_flow()
ASKED = "awaiting-divine-guidance"


def asking(flow: Any = KANBAN, **question: Any) -> Story:
    story = Story(flow, "dev")
    story.effort("asks", question={"question": "which database?", **question})
    return story


@pytest.mark.ledger("R-16", "E-13")
def test_a_blocking_question_holds_the_item_until_it_is_answered() -> None:
    story = asking(context="two are there", options=[{"option": "sqlite", "why_insufficient": "one writer"}])
    asked = story.open_questions[0]
    assert (asked.kind, asked.agent, asked.context) == ("clarification", "dev-agent", "two are there")
    assert (asked.options[0].option, asked.options[0].why_insufficient) == ("sqlite", "one writer")
    assert story.place == ("dev", ASKED)
    with pytest.raises(Refused):
        story.claim()
    story.answer("q1", "sqlite")
    assert story.place == ("dev", "ready")
    story.claim()


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(("answer", "kept"), [("2", "postgres"), ("postgres", "postgres"), ("neither", "neither")])
def test_an_answer_is_an_option_by_number_or_words_or_free_text(answer: str, kept: str) -> None:
    story = asking(options=[{"option": "sqlite"}, {"option": "postgres"}])
    story.answer("q1", answer)
    assert story.questions[0].answer == kept
    assert story.it.guidance[-1].answer == kept


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("answer", ["0", "3", "99", "1" * 5000])
def test_a_number_that_is_no_option_is_refused(answer: str) -> None:
    story = asking(options=[{"option": "sqlite"}, {"option": "postgres"}])
    with pytest.raises(Invalid):
        story.answer("q1", answer)
    assert story.open_questions


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("answer", ["", "   "])
def test_an_answer_has_words(answer: str) -> None:
    story = asking()
    with pytest.raises(MootError):
        story.answer("q1", answer)


@pytest.mark.ledger("R-16")
def test_a_question_is_answered_once() -> None:
    story = asking()
    story.answer("q1", "sqlite")
    with pytest.raises(Refused):
        story.answer("q1", "postgres")
    assert story.questions[0].answer == "sqlite"


@pytest.mark.ledger("R-16")
def test_only_a_person_answers() -> None:
    story = asking()
    with pytest.raises(Refused):
        story.do(commands.AnswerQuestion(question="q1", answer="me"), commands.Actor("dev-agent", "r1", 1))


@pytest.mark.ledger("R-16")
def test_an_answer_may_say_where_the_item_goes() -> None:
    story = asking()
    story.answer("q1", "design it first", to="arch")
    assert story.place == ("arch", "ready")
    story = asking()
    with pytest.raises(Invalid):
        story.answer("q1", "x", to="nowhere")


def with_two_questions() -> Story:
    """A blocking question about the work, and one about a dependency that was cancelled."""
    story = asking()
    story.do(commands.AwaitChild(child="7"))
    story.do(commands.SettleDependency(dependency="7", status="cancelled"))
    assert [q.id for q in story.open_questions] == ["q1", "q2"]
    return story


@pytest.mark.ledger("R-16")
def test_with_several_open_it_resumes_when_all_are_answered_and_the_last_to_wins() -> None:
    story = with_two_questions()
    story.answer("q1", "design it first", to="arch")
    assert story.place == ("dev", ASKED)
    story.answer("q2", "1", to="tests")
    assert story.place == ("tests", "ready")
    story = with_two_questions()
    story.answer("q1", "design it first", to="arch")
    story.answer("q2", "1")
    assert story.place == ("arch", "ready"), "an answer without --to does not take back an earlier one"


@pytest.mark.ledger("R-16")
def test_answering_a_question_with_cancel_withdraws_the_others() -> None:
    story = with_two_questions()
    story.answer("q2", "cancel this one too")
    assert story.it.status == "cancelled" and story.open_questions == [] and story.it.open_questions == []


@pytest.mark.ledger("R-16")
def test_answering_with_cancel_ends_the_run_that_is_going_on() -> None:
    story = Story(KANBAN, "dev")
    story.claim()
    story.do(commands.AwaitChild(child="7"))
    story.do(commands.SettleDependency(dependency="7", status="cancelled"))
    story.answer("q1", "cancel this one too")
    assert story.it.status == "cancelled" and story.it.run is None
    assert [run.end for run in story.rows["runs"].values()] == ["revoked"]


@pytest.mark.ledger("R-16")
def test_an_answer_that_comes_too_late_is_a_comment_and_closes_the_question() -> None:
    story = Story(KANBAN, "qa")
    story.effort("asks", question={"question": "which colour?", "blocking": False})
    story.effort("done")
    assert story.it.status == "done"
    before = story.it.clarifications
    story.answer("q1", "blue")
    assert "blue" in story.comments[-1].content and story.comments[-1].author == "alice"
    assert story.open_questions == [] and story.it.open_questions == [], "nobody waits for it any more"
    assert story.place == ("done", "done") and story.it.clarifications == before, "it is no guidance any more"


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("command", [commands.MoveItem(column="arch"), commands.CancelItem()])
def test_a_persons_hands_withdraw_the_questions(command: commands.Command) -> None:
    story = asking()
    story.do(command)
    assert [q.state for q in story.questions] == ["withdrawn"] and story.it.open_questions == []
    story.answer("q1", "too late")
    assert "too late" in story.comments[-1].content


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("said", "kept"),
    [("2", "postgres"), ("2, but only for sessions", "postgres, but only for sessions"), ("neither", "neither")],
)
def test_a_late_answer_is_kept_in_the_words_of_its_option(said: str, kept: str) -> None:
    story = asking(options=[{"option": "sqlite"}, {"option": "postgres"}])
    story.do(commands.MoveItem(column="arch"))
    story.answer("q1", said)
    assert story.comments[-1].content == f"A late answer to q1 (which database?): {kept}"


@pytest.mark.ledger("R-16")
def test_a_late_answer_may_be_words_where_only_an_option_would_have_decided() -> None:
    story = Story(limited(KANBAN, runs=1), "dev")
    story.effort("failed")
    (asked,) = story.open_questions
    assert asked.decides
    story.do(commands.MoveItem(column="arch"))
    story.answer(asked.id, "look at the proxy")
    assert story.comments[-1].content.endswith(": look at the proxy")


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("command", [commands.MoveItem(column="arch"), commands.CancelItem()])
def test_a_persons_hands_revoke_the_run(command: commands.Command) -> None:
    story = Story(KANBAN, "dev")
    actor = story.claim()
    story.do(command)
    assert story.rows["runs"]["r1"].end == "revoked" and story.it.run is None
    with pytest.raises(Refused, match="r1"):
        story.do(commands.ReportRun(report=report("done")), actor)


@pytest.mark.ledger("R-16", "K-14")
def test_what_a_person_does_to_a_running_item_is_told_as_theirs() -> None:
    story = Story(KANBAN, "dev")
    story.claim()
    before = len(story.events)
    story.do(commands.AddComment(content="how is it going?"))
    story.do(commands.MoveItem(column="arch"))
    assert {(event.agent, event.run) for event in story.events[before:]} == {("alice", None)}


@pytest.mark.ledger("R-17")
def test_a_question_that_does_not_block_lets_the_item_go_on() -> None:
    story = asking(blocking=False)
    assert story.place == ("dev", "ready") and len(story.open_questions) == 1
    story.claim()
    story.answer("q1", "sqlite")
    assert story.it.status == "running" and story.it.guidance[-1].answer == "sqlite"


@pytest.mark.ledger("R-17")
def test_the_third_question_since_guidance_blocks_and_has_no_default() -> None:
    story = Story(limited(KANBAN, deadline=60), "dev")
    for number in range(1, 4):
        story.effort("asks", question={"question": f"{number}?", "blocking": False, "default": "yes"})
    assert [(q.blocking, q.default) for q in story.questions] == [(False, "yes"), (False, "yes"), (True, None)]
    assert story.it.status == ASKED


@pytest.mark.ledger("R-18")
def test_a_default_closes_the_question_and_resets_nothing() -> None:
    story = Story(limited(KANBAN, deadline=60), "dev")
    story.effort("failed", attempts=[{"approach": "alpha"}])
    story.effort("asks", question={"question": "which?", "default": "sqlite"})
    span, failures = story.it.span, story.it.failures
    story.now = 1000.0
    story.do(commands.PassDeadline(question="q1"), commands.Actor("folkmoot"))
    assert story.place == ("dev", "ready") and story.open_questions == []
    assert story.it.span == span and story.it.failures == failures and story.it.clarifications == 0
    assert story.questions[0].answer == "sqlite" and story.questions[0].state == "defaulted"


@pytest.mark.ledger("R-18", "R-10")
def test_no_default_is_taken_for_security() -> None:
    story = Story(limited(KANBAN, deadline=60), "dev")
    story.effort("asks", reason="security", question={"question": "log the token?", "default": "yes"})
    assert story.questions[0].default is None


@pytest.mark.ledger("R-16", "R-18")
def test_without_a_default_the_deadline_parks_the_item_and_the_question_stays_open() -> None:
    story = asking(limited(KANBAN, deadline=60))
    story.do(commands.PassDeadline(question="q1"), commands.Actor("folkmoot"))
    assert story.place == ("dev", "parked") and len(story.open_questions) == 1
    story.answer("q1", "sqlite")
    assert story.place == ("dev", "ready")


@pytest.mark.ledger("R-16", "R-32")
@pytest.mark.parametrize(
    ("answer", "more", "kept"),
    [
        ("1", "", []),
        ("Park it.", "", []),
        ("park", "", []),
        ("1", "wait for Ann", ["park it: wait for Ann"]),
        ("park it, wait for Ann", "", ["park it, wait for Ann"]),
    ],
)
def test_words_beside_park_are_kept_for_whoever_takes_it_up(answer: str, more: str, kept: list[str]) -> None:
    story = Story(limited(KANBAN, attempts=1), "dev")
    story.effort("failed", attempts=[{"approach": "alpha"}])
    (asked,) = story.questions
    number = str(1 + [option.effect for option in asked.options].index("park"))
    story.answer("q1", number if answer == "1" else answer, more=more)
    assert story.it.status == "parked"
    assert [one.content for one in story.comments] == [f"Said to q1 ({asked.question}): {words}" for words in kept]
    assert {one.author for one in story.comments} <= {PERSON.name}


@pytest.mark.ledger("E-12", "R-18")
@pytest.mark.parametrize("how", ["answer", "move", "reopen"])
def test_guidance_resets_every_counter_of_the_item(how: str) -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", attempts=[{"approach": "alpha"}])
    story.effort("incomplete")
    story.effort("asks", question={"question": "which?"})
    assert story.it.effort.incompletes == 1 and story.it.span.runs == 3
    if how == "answer":
        story.answer("q1", "sqlite")
    elif how == "move":
        story.do(commands.MoveItem(column="dev"))
    else:
        story.do(commands.CancelItem())
        story.neighbours = {story.it.id: story.neighbour()}
        story.do(commands.ReopenItem())
    span = story.it.span
    assert (span.runs, span.attempts, span.disputes, span.questions, span.off_moves) == (0, 0, 0, 0, {})
    assert story.it.failure_count == 0 and story.it.effort == Effort()
    assert story.it.clarifications == 1
    assert "escalation_counters_reset" in story.names()
    assert story.attempts, "the record of what was tried stays"


@pytest.mark.ledger("E-08")
def test_the_events_of_guidance_come_in_the_documents_order() -> None:
    story = asking()
    story.answer("q1", "sqlite")
    story.claim()
    assert story.names()[-6:] == [
        "agent_seeks_guidance",
        "divine_response_received",
        "divine_clarification_received",
        "escalation_counters_reset",
        "agent_resumes_with_guidance",
        "agent_started",
    ]


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("after", [["2"], []])
def test_the_answer_restores_the_state_before_the_question(after: list[str]) -> None:
    story = Story(KANBAN)
    story.neighbours = {"2": Neighbour("2", "ready")}
    story.do(commands.AddItem(title="x", column="needs-human", after=after))
    assert story.it.status == ASKED
    story.answer("q1", "go", to="dev")
    assert story.place == ("dev", "waiting" if after else "ready")


@pytest.mark.ledger("R-16")
def test_reopen_goes_to_the_stage_that_made_the_work() -> None:
    story = Story(KANBAN, "dev")
    for _ in range(3):
        story.effort("done")
    assert story.it.status == "done"
    story.neighbours = {story.it.id: story.neighbour()}
    story.do(commands.ReopenItem())
    assert story.place == ("dev", "ready"), "review and qa only looked at it"
