"""A message reaches somebody: it is about an item, makes one, asks a person, or waits for its receiver (R-26)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import AcceptMessage, Actor, CompleteMessage, RejectMessage, SendMessage
from folkmoot.core.records import Message
from folkmoot.core.vocabulary.roles import agent_named, correspondent, folded
from folkmoot.errors import Invalid, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, preset_flow, small_flow
from tests.documents import CLARIFICATION, ESCALATION

HANDOFF, PIPELINE = preset_flow("handoff"), preset_flow("pipeline")
ASKED = "awaiting-divine-guidance"


def messages(board: TrialBoard, **which: Any) -> list[Message]:
    found = board.engine.store.read(lambda reading: reading.messages(limit=1000))
    return [m for m in found if all(getattr(m, name) == value for name, value in which.items())]


def send(board: TrialBoard, actor: Actor = PERSON, **fields: Any) -> dict[str, Any]:
    return board.engine.send(actor, SendMessage(**fields))


def request(board: TrialBoard, **fields: Any) -> dict[str, Any]:
    return send(board, sender="builder", to="reviewer", type="review_request", **fields)


@pytest.mark.ledger("R-26")
def test_a_message_is_about_the_item_that_its_sender_works_on() -> None:
    with SoundBoard(HANDOFF) as board:
        board.add("other")
        mine = board.add("mine", column="build")
        board.claim("builder")
        assert request(board)["item"] == mine


@pytest.mark.ledger("R-26")
def test_a_message_is_about_the_item_with_its_spec_or_the_only_one_there_is() -> None:
    with SoundBoard(HANDOFF) as board:
        first = board.add("first")
        assert request(board)["item"] == first
        board.effort("planner", "done", extra={"spec": "specs/a.md"})
        board.add("second")
        assert request(board)["item"] is None, "it may be about either"
        assert request(board, context={"spec": "specs/a.md"})["item"] == first


@pytest.mark.ledger("R-26")
@pytest.mark.parametrize("how", ["done", "failed", "crash", "changes_requested"])
def test_what_is_about_no_item_is_in_its_receivers_next_brief_until_a_run_has_done_its_work(how: str) -> None:
    with SoundBoard(HANDOFF) as board:
        loose = request(board, payload={"commit": "abc"})["message_id"]
        assert messages(board, id=loose)[0].status == "pending"
        board.add("a", column="review")
        board.add("b", column="review")
        claim = board.engine.claim(PERSON, "reviewer")
        assert [m["message_id"] for m in claim["brief"]["messages"]] == [loose]
        run = Actor("reviewer", claim["run"], claim["token"])
        if how == "crash":
            board.crash(run)
        else:
            board.report(run, how, **({"findings": [{"issue": "x"}]} if how == "changes_requested" else {}))
        ended = how in ("done", "changes_requested")
        assert messages(board, id=loose)[0].status == ("completed" if ended else "accepted")
        board.sleep(600)
        again = board.engine.claim(PERSON, "reviewer")["brief"]["messages"]
        assert [m["message_id"] for m in again] == ([] if ended else [loose])


@pytest.mark.ledger("R-26", "R-27")
def test_a_run_may_take_up_what_is_for_it_about_no_item() -> None:
    with SoundBoard(HANDOFF) as board:
        board.add("a", column="review")
        board.add("b", column="review")
        run = board.claim("reviewer")
        first, second = request(board)["message_id"], request(board)["message_id"]
        # Its sender has no run, and there are two items: nobody can say which it is about.
        board.engine.on_message(run, AcceptMessage(message=first))
        assert board.engine.on_message(run, CompleteMessage(message=first))["status"] == "completed"
        board.engine.on_message(run, RejectMessage(message=second, why="not now"))
        assert messages(board, id=second)[0].status == "rejected"
        assert board.item("1").run == run.run, "what is about no item disputes none"


@pytest.mark.ledger("R-26", "H-09", "P-03")
@pytest.mark.parametrize("others", [0, 2])
@pytest.mark.parametrize(
    ("flow", "document", "column"), [(HANDOFF, ESCALATION, "build"), (PIPELINE, CLARIFICATION, "implement")]
)
def test_a_question_that_is_about_no_item_asks_a_person(flow: Any, document: Any, column: str, others: int) -> None:
    with SoundBoard(flow) as board:
        for number in range(others):
            board.add(f"another {number}")
        payload = document.get("payload") or {k: v for k, v in document.items() if k not in ("type", "from")}
        sent = send(board, sender=document["from"], to="orchestrator", type=document["type"], payload=payload)
        assert sent["status"] == "pending" and board.place(sent["item"]) == (column, ASKED)
        (question,) = board.queries.inbox()["questions"]
        assert question["question"] == payload.get("details", payload.get("question"))
        assert [option["option"] for option in question["options"]] == payload["options"]
        assert question["agent_id"] == document["from"]
        board.answer(question["id"], "1")
        assert messages(board, id=sent["message_id"])[0].status == "completed"
        claim = board.engine.claim(PERSON, document["from"], item=sent["item"])
        assert claim["brief"]["guidance"][0]["answer"] == payload["options"][0]


@pytest.mark.ledger("R-26", "P-03")
def test_a_clarification_request_in_a_run_asks_and_is_not_done_with_at_once() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add()
        run = board.claim("implementer")
        payload = {"question": "Pages?", "options": ["yes", "no"]}
        sent = send(board, run, sender="", to="dispatcher", type="clarification_request", payload=payload)
        assert (sent["from"], sent["to"], sent["status"]) == ("implementer", "orchestrator", "pending")
        board.report(run, "incomplete")
        assert board.place(item) == ("implement", ASKED)
        board.answer(board.inbox()[0], "2")
        assert messages(board, id=sent["message_id"])[0].status == "completed"


@pytest.mark.ledger("R-26", "P-01")
def test_what_the_rules_got_about_an_item_they_relay_to_whoever_acts_next() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add()
        fields: dict[str, Any] = {
            "sender": "reviewer",
            "to": "orchestrator",
            "type": "review_findings",
            "context": {"item": item},
        }
        sent = send(board, **fields, payload={"findings": [{"issue": "x"}]})
        assert sent["status"] == "pending", "nobody has seen it"
        claim = board.engine.claim(PERSON, "implementer")
        assert sent["message_id"] in [m["message_id"] for m in claim["brief"]["messages"]]
        board.report(Actor("implementer", claim["run"], claim["token"]), "done")
        assert messages(board, id=sent["message_id"])[0].status == "completed"


@pytest.mark.ledger("R-26", "P-11")
def test_what_a_run_sent_to_the_rules_its_report_completes_and_a_crash_does_not() -> None:
    with SoundBoard(PIPELINE) as board:
        board.add(column="test")
        for dies in (True, False):
            run = board.claim("test-executor")
            payload = {"failures": [{"test": "T", "error": "500"}]}
            sent = send(board, run, sender="", to="orchestrator", type="test_failures", payload=payload)["message_id"]
            assert messages(board, id=sent)[0].status == "pending"
            if dies:
                board.crash(run)
                assert messages(board, id=sent)[0].status == "pending"
        board.report(run, "changes_requested", findings=[{"issue": "500", "kind": "test"}])
        assert {m.status for m in messages(board, type="test_failures")} == {"completed"}
        assert len(messages(board, type="test_failures")) == 2, "what the run sent is not written again"


@pytest.mark.ledger("R-26", "R-14")
def test_what_is_for_one_of_a_group_is_in_the_brief_of_its_part() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="review")
        fields: dict[str, Any] = {
            "sender": "orchestrator",
            "to": "reviewer",
            "type": "task_assignment",
            "context": {"item": item},
        }
        sent = send(board, **fields, payload={"description": "look at the limits"})["message_id"]
        other = board.engine.claim(PERSON, "devils-advocate")
        claim = board.engine.claim(PERSON, "reviewer")
        told = {m["message_id"]: m for one in (claim, other) for m in one["brief"]["messages"]}
        assert sent in [m["message_id"] for m in claim["brief"]["messages"]] and len(told) == 3
        assert {m["to"] for m in other["brief"]["messages"]} == {"devils-advocate"}, "each is handed the item"
        board.report(Actor("reviewer", claim["run"], claim["token"]), "done")
        assert messages(board, id=sent)[0].status == "accepted", "the look is over when all have spoken"
        board.report(Actor("devils-advocate", other["run"], other["token"]), "done")
        assert messages(board, id=sent)[0].status == "completed"


@pytest.mark.ledger("H-12", "H-09")
@pytest.mark.parametrize("how", ["message", "asks", "limit"])
def test_whatever_is_escalated_triggers_the_event_and_is_a_message(how: str) -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(column="build")
        if how == "message":
            fields: dict[str, Any] = {
                "sender": "builder",
                "to": "orchestrator",
                "type": "escalation",
                "context": {"item": item},
            }
            send(board, **fields, payload=ESCALATION["payload"])
        elif how == "asks":
            board.effort("builder", "asks", question={"question": "which?", "options": [{"option": "a"}]})
        else:
            for number in range(3):
                board.effort("builder", "failed", attempts=[{"approach": f"way {number}"}])
        events = [event for event in board.log(item) if event["event"] == "escalation_triggered"]
        assert len(events) == 1
        (told,) = messages(board, type="escalation")
        assert (told.status, told.question, told.to) == ("pending", board.inbox()[0], "orchestrator")
        assert events[0]["context"]["question"] == told.question
        board.answer(board.inbox()[0], "1" if how != "limit" else "go on")
        assert messages(board, type="escalation")[0].status == "completed"


@pytest.mark.ledger("H-12")
def test_events_carry_the_workflow_and_its_spec() -> None:
    with SoundBoard(HANDOFF) as board:
        board.add(type="bugfix")
        board.effort("planner", "done", extra={"spec": "specs/a.md"})
        for event in board.log("1"):
            assert (event["context"]["workflow"], event["context"]["spec"]) == ("bugfix", "specs/a.md")


@pytest.mark.ledger("H-01", "H-09")
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"payload": {"details": "?", "blocking": "perhaps"}}, "payload.blocking"),
        ({"payload": {"details": "?", "options": "JWT"}}, "payload.options"),
        ({"context": {"workflow": "hotfix"}}, "context.workflow"),
    ],
)
def test_what_would_be_taken_for_something_else_is_asked_back(fields: dict[str, Any], name: str) -> None:
    with SoundBoard(HANDOFF) as board:
        with pytest.raises(Invalid) as caught:
            send(board, sender="builder", to="orchestrator", type="escalation", **fields)
        assert name in caught.value.message and messages(board) == [] and board.inbox() == []


SPELLINGS = {
    "devils-advocate": [
        "devil's-advocate",
        "Devil's Advocate",
        "DEVILS_ADVOCATE",
        "devil’s advocate",
        " Devils-Advocate ",
    ],
    "test-executor": ["Test Executor", "test_executor", "TEST-EXECUTOR", "`test-executor`"],
    "implementer": ["IMPLEMENTER", "Implementer", "@implementer", "**Implementer**"],
}


@pytest.mark.ledger("P-03", "H-02")
@pytest.mark.parametrize(("name", "spelled"), [(n, s) for n, all_of in SPELLINGS.items() for s in all_of])
def test_a_role_is_found_however_the_document_spells_it(name: str, spelled: str) -> None:
    assert agent_named(PIPELINE, spelled) == correspondent(PIPELINE, spelled) == name
    with SoundBoard(PIPELINE) as board:
        sent = send(board, sender="Dispatcher", to=spelled, type="task_assignment", payload={"title": "X"})
        assert (sent["from"], sent["to"]) == ("orchestrator", name)
        made = board.engine.add(PERSON, commands.DispatchAgent(agent=spelled, task="look"))
        assert made["agent"] == name
        assert board.engine.claim(PERSON, spelled)["agent"] == name


def test_a_name_that_may_mean_two_agents_means_neither() -> None:
    flow = small_flow(
        "columns: {a: {agents: [x-y], next: b}, b: {agents: [x_y], next: done}}\nagents: {x-y: {}, x_y: {}}"
    )
    assert agent_named(flow, "X Y") == "X Y" and agent_named(flow, "x_y") == "x_y"
    assert agent_named(flow, "''") == "''" and folded("Devil's  Advocate") == "devils-advocate"
    with SoundBoard(flow) as board, pytest.raises(Invalid):
        board.claim("X Y")


@pytest.mark.ledger("R-26")
def test_a_message_for_nobody_that_acts_is_not_said_to_be_done() -> None:
    with SoundBoard(HANDOFF) as board:
        sent = send(board, sender="planner", to="orchestrator", type="completion")
        assert sent["status"] == "pending" and sent["item"] is None
        with pytest.raises(Refused):
            board.engine.on_message(PERSON, CompleteMessage(message=sent["message_id"]))
        board.engine.on_message(Actor("orchestrator"), AcceptMessage(message=sent["message_id"]))
