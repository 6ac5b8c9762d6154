"""Handoffs: the engine writes them where agents do not, a claim accepts, a report completes, and none goes back."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import AcceptMessage, Actor, CompleteMessage, RejectMessage, SendMessage
from folkmoot.core.enums import MESSAGE_STATUSES
from folkmoot.core.records import Message
from folkmoot.errors import Invalid, MootError, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, preset_flow, small_flow

HANDOFF = preset_flow("handoff")
PIPELINE = preset_flow("pipeline")
ASKED = "awaiting-divine-guidance"


def messages(board: TrialBoard, **which: Any) -> list[Message]:
    found = board.engine.store.read(lambda reading: reading.messages(limit=1000))
    return [m for m in found if all(getattr(m, name) == value for name, value in which.items())]


def told(board: TrialBoard) -> list[tuple[str, str, str, str]]:
    return [(m.sender, m.to, m.type, m.status) for m in messages(board)]


def send(board: TrialBoard, actor: Actor = PERSON, **fields: Any) -> dict[str, Any]:
    return board.engine.send(actor, SendMessage(**fields))


def built(board: TrialBoard) -> str:
    item = board.add("Add user auth")
    board.effort("planner", "done")
    return item


@pytest.mark.ledger("R-26", "H-07", "H-02")
def test_the_engine_writes_each_handoff_of_the_documents_example() -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        board.effort("builder", "done", commit="abc123")
        board.effort("reviewer", "changes_requested", findings=[{"issue": "one"}, {"issue": "two"}])
        board.effort("fixer", "done")
        board.effort("reviewer", "done")
        assert board.place(item) == ("done", "done")
        between = [m[:3] for m in told(board) if m[1] != "orchestrator"]
        assert between == [
            ("planner", "builder", "task_handoff"),
            ("builder", "reviewer", "review_request"),
            ("reviewer", "fixer", "fix_request"),
            ("fixer", "reviewer", "rereview_request"),
        ]
        assert {m[3] for m in told(board)} == {"completed"}
        looks = {m.type: m.context["iteration"] for m in messages(board) if m.to != "orchestrator"}
        assert looks == {"task_handoff": 1, "review_request": 1, "fix_request": 1, "rereview_request": 2}


@pytest.mark.ledger("R-26", "H-03", "H-07")
def test_a_claim_accepts_and_the_report_completes() -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        (handoff,) = messages(board, type="task_handoff")
        assert (handoff.status, handoff.item) == ("pending", item)
        run = board.claim("builder")
        (handoff,) = messages(board, type="task_handoff")
        assert (handoff.status, handoff.accepted_by) == ("accepted", run.run)
        board.report(run, "done")
        assert messages(board, type="task_handoff")[0].status == "completed"


@pytest.mark.ledger("R-26", "H-07")
def test_after_a_crash_the_successor_inherits_the_accepted_message() -> None:
    with SoundBoard(HANDOFF) as board:
        built(board)
        board.crash(board.claim("builder"))
        assert messages(board, type="task_handoff")[0].status == "accepted"
        claimed = board.engine.claim(PERSON, "builder")
        assert [m["type"] for m in claimed["brief"]["messages"]] == ["task_handoff"]
        assert messages(board, type="task_handoff")[0].accepted_by == claimed["run"]


@pytest.mark.ledger("R-26")
def test_a_handoff_that_the_run_sent_itself_is_not_written_again() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        run = board.claim("planner")
        sent = send(board, run, sender="planner", to="builder", type="task_handoff", payload={"spec": "s.md"})
        board.report(run, "done")
        (only,) = messages(board, type="task_handoff")
        assert (only.id, only.item, only.payload) == (sent["message_id"], item, {"spec": "s.md"})
        board.effort("builder", "done")
        assert messages(board, type="task_handoff")[0].status == "completed"


@pytest.mark.ledger("R-26", "R-27")
def test_a_run_speaks_only_for_itself_and_only_while_it_lives() -> None:
    with SoundBoard(HANDOFF) as board:
        board.add()
        run = board.claim("planner")
        with pytest.raises(Refused) as caught:
            send(board, run, sender="builder", to="reviewer", type="review_request")
        assert caught.value.code == "not_the_sender"
        board.report(run, "done")
        with pytest.raises(Refused) as late:
            send(board, run, sender="planner", to="builder", type="task_handoff")
        assert late.value.code == "stale_claim"


@pytest.mark.ledger("H-02")
@pytest.mark.parametrize(
    ("sender", "to", "kind", "allowed"),
    [
        ("planner", "builder", "task_handoff", True),
        ("builder", "builder", "task_handoff", False),
        ("planner", "reviewer", "task_handoff", False),
        ("builder", "reviewer", "review_request", True),
        ("fixer", "reviewer", "review_request", False),
        ("reviewer", "fixer", "fix_request", True),
        ("builder", "fixer", "fix_request", False),
        ("fixer", "reviewer", "rereview_request", True),
        ("reviewer", "fixer", "rereview_request", False),
        ("planner", "orchestrator", "completion", True),
        ("fixer", "orchestrator", "escalation", True),
        ("fixer", "reviewer", "completion", False),
    ],
)
def test_each_type_has_its_senders_and_receivers(sender: str, to: str, kind: str, allowed: bool) -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        fields: dict[str, Any] = {"sender": sender, "to": to, "type": kind, "context": {"item": item}}
        if allowed:
            assert send(board, **fields)["type"] == kind
            return
        with pytest.raises(Refused) as caught:
            send(board, **fields)
        assert caught.value.code == "may_not_send" and sender in caught.value.message


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize(
    ("field", "value"), [("type", "gossip"), ("to", "nobody"), ("priority", "urgent"), ("context", {"item": "99"})]
)
def test_a_wrong_value_is_refused_with_its_field_named(field: str, value: Any) -> None:
    with SoundBoard(HANDOFF) as board:
        fields: dict[str, Any] = {"sender": "planner", "to": "builder", "type": "task_handoff", field: value}
        with pytest.raises(Invalid) as caught:
            send(board, **fields)
        assert field in caught.value.message or "item 99" in caught.value.message
        assert messages(board) == []


@pytest.mark.ledger("H-01")
def test_from_to_and_type_are_enough_and_the_rest_is_filled_in() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        sent = send(board, sender="builder", to="reviewer", type="review_request", context={"item": item})
        assert (sent["schema_version"], sent["priority"], sent["status"]) == ("1.0.0", "medium", "pending")
        assert sent["message_id"] and sent["timestamp"] and sent["payload"] == {}
        assert (sent["context"]["workflow"], sent["context"]["iteration"]) == ("feature", 1)


@pytest.mark.ledger("H-01", "H-03")
def test_a_message_id_is_used_once() -> None:
    with SoundBoard(HANDOFF) as board:
        fields: dict[str, Any] = {"sender": "builder", "to": "reviewer", "type": "review_request", "message_id": "m1"}
        send(board, **fields)
        with pytest.raises(Refused) as caught:
            send(board, **fields)
        assert caught.value.code == "message_known" and len(messages(board)) == 1


@pytest.mark.ledger("R-26")
def test_a_message_to_the_orchestrator_is_done_with_at_once() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        sent = send(board, sender="planner", to="orchestrator", type="completion", context={"item": item})
        assert sent["status"] == "completed"


@pytest.mark.ledger("H-09", "R-26")
def test_an_escalation_asks_and_its_answer_completes_it() -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        run = board.claim("builder")
        payload = {
            "reason": "spec_ambiguity",
            "details": "Cannot determine auth method",
            "options": ["JWT", "Session", "OAuth"],
            "context": "spec line 45",
            "blocking": True,
        }
        sent = send(board, run, sender="builder", to="orchestrator", type="escalation", payload=payload)
        assert sent["status"] == "pending"
        question = board.queries.inbox()["questions"][0]
        assert question["question"] == "Cannot determine auth method" and "spec line 45" in question["context"]
        assert [o["option"] for o in question["options"]] == ["JWT", "Session", "OAuth"]
        assert question["agent_id"] == "builder" and board.place(item) == ("build", "running")
        board.report(run, "incomplete")
        assert board.place(item) == ("build", ASKED)
        board.answer(question["id"], "1")
        assert messages(board, type="escalation")[0].status == "completed"
        assert board.place(item) == ("build", "ready")


@pytest.mark.ledger("H-09", "R-17")
def test_an_escalation_that_does_not_block_lets_the_item_go_on() -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        payload = {"details": "which colour?", "blocking": False}
        send(board, sender="builder", to="orchestrator", type="escalation", payload=payload, context={"item": item})
        assert board.place(item) == ("build", "ready") and len(board.inbox()) == 1


@pytest.mark.ledger("H-09", "R-26")
def test_two_escalations_at_once_are_each_completed_by_their_own_answer() -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        for words in ("first?", "second?"):
            payload = {"details": words}
            send(board, sender="builder", to="orchestrator", type="escalation", payload=payload, context={"item": item})
        first, second = board.inbox()
        board.answer(second, "yes")
        statuses = {m.payload["details"]: m.status for m in messages(board, type="escalation")}
        assert statuses == {"first?": "pending", "second?": "completed"}
        board.answer(first, "no")
        assert {m.status for m in messages(board, type="escalation")} == {"completed"}


@pytest.mark.ledger("H-09", "R-26", "R-16")
@pytest.mark.parametrize("then", [commands.MoveItem(column="plan"), commands.CancelItem()])
def test_an_escalation_whose_question_is_withdrawn_is_over_too(then: commands.Command) -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        payload = {"details": "which?"}
        send(board, sender="builder", to="orchestrator", type="escalation", payload=payload, context={"item": item})
        board.on(item, then)
        assert board.inbox() == []
        assert messages(board, type="escalation")[0].status in ("completed", "rejected")


@pytest.mark.ledger("R-26")
def test_a_task_handoff_without_an_item_makes_one_that_its_claim_accepts() -> None:
    with SoundBoard(HANDOFF) as board:
        payload = {"description": "Add user auth\nwith tokens", "files": ["a.py", "../b.py"], "constraints": ["fast"]}
        context = {"workflow": "bugfix", "spec": "specs/1.md"}
        sent = send(board, sender="planner", to="builder", type="task_handoff", payload=payload, context=context)
        item = board.show(sent["item"])
        assert sent["context"] == {"item": sent["item"], "iteration": 1, **context}
        assert (item["title"], item["column"], item["type"], item["spec"]) == (
            "Add user auth",
            "build",
            "bugfix",
            "specs/1.md",
        )
        assert item["files"] == ["a.py"] and item["constraints"] == ["fast"]
        board.effort("builder", "done")
        assert messages(board, type="task_handoff")[0].status == "completed"


@pytest.mark.ledger("R-26", "H-01")
@pytest.mark.parametrize(
    ("payload", "title", "files"),
    [
        ({"description": "   "}, "task_handoff from planner", []),
        ({"files": "a.py", "constraints": "fast", "title": "x"}, "x", ["a.py"]),
        ({"files": 5, "constraints": 7, "title": "x"}, "x", []),
        ({"files": [None, "", "a.py", "./a.py", {}], "title": ["y"]}, "['y']", ["a.py"]),
        ({"title": "z" * 900}, "z" * 500, []),
    ],
)
def test_a_sloppy_handoff_still_makes_an_item(payload: dict[str, Any], title: str, files: list[str]) -> None:
    with SoundBoard(HANDOFF) as board:
        sent = send(board, sender="planner", to="builder", type="task_handoff", payload=payload)
        made = board.show(sent["item"])
        assert (made["title"], made["files"]) == (title, files)
        assert made["constraints"] == (["fast"] if payload.get("constraints") == "fast" else [])


@pytest.mark.ledger("H-07", "R-26")
def test_what_others_sent_about_the_item_is_accepted_with_its_claim_and_completed_with_its_report() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(column="review")
        sent = send(board, sender="builder", to="reviewer", type="review_request", context={"item": item})
        claimed = board.engine.claim(PERSON, "reviewer")
        assert [m["message_id"] for m in claimed["brief"]["messages"]] == [sent["message_id"]]
        assert messages(board, id=sent["message_id"])[0].status == "accepted"
        board.report(Actor("reviewer", claimed["run"], claimed["token"]), "done")
        assert messages(board, id=sent["message_id"])[0].status == "completed"


@pytest.mark.ledger("R-26", "H-09")
@pytest.mark.parametrize("kind", ["escalation", "review_request", "completion"])
def test_nothing_that_somebody_should_take_up_is_sent_about_an_ended_item(kind: str) -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        board.on(item, commands.CancelItem())
        to = "reviewer" if kind == "review_request" else "orchestrator"
        fields: dict[str, Any] = {"sender": "builder", "to": to, "type": kind, "context": {"item": item}}
        if kind == "completion":
            assert send(board, **fields)["status"] == "completed"
        else:
            with pytest.raises(Refused) as caught:
                send(board, **fields)
            assert caught.value.code == "item_ended"
        assert board.place(item)[1] == "cancelled" and board.inbox() == []


@pytest.mark.ledger("R-14", "H-09", "R-26")
def test_a_part_escalates_by_message_through_its_item_and_goes_on() -> None:
    flow = small_flow("""
columns: {build: {agents: [b], next: look}, look: {agents: [x, y], next: done}}
agents: {b: {}, x: {}, y: {}}
messages: {escalation: {from: [any], to: [orchestrator]}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("b", "done")
        run = board.claim("x")
        send(board, run, sender="x", to="orchestrator", type="escalation", payload={"details": "which?"})
        (question,) = board.show(item)["questions"]
        assert question["question"] == "which?"
        assert board.queries.run_context(run.run or "").item != item, "its run goes on"
        board.report(run, "done")
        board.effort("y", "done")
        assert board.place(item)[0] == "look", "the item leaves when the question is answered (R-14)"
        board.answer(question["id"], "this one")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-26", "R-27")
def test_a_runs_message_is_about_its_own_item() -> None:
    with SoundBoard(HANDOFF) as board:
        other = board.add("other")
        mine = board.add("mine")
        run = board.claim("planner", item=mine)
        with pytest.raises(Refused) as caught:
            send(board, run, sender="planner", to="builder", type="task_handoff", context={"item": other})
        assert caught.value.code == "not_its_item"
        sent = send(board, run, sender="planner", to="builder", type="task_handoff", context={"item": mine})
        assert sent["item"] == mine


@pytest.mark.ledger("R-26")
def test_a_claim_that_moves_the_item_into_its_working_column_hands_nothing_over_again() -> None:
    flow = small_flow("""
start: available
columns: {available: {agents: [d], work: doing}, doing: {agents: [d], next: done}}
agents: {d: {}}
messages: {task_assignment: {from: [orchestrator], to: [d]}}
""")
    with SoundBoard(flow) as board:
        board.add()
        run = board.claim("d")
        assert [m.status for m in messages(board)] == ["accepted"]
        board.report(run, "done")
        assert [m.status for m in messages(board)] == ["completed"]


@pytest.mark.ledger("R-26", "P-03")
def test_an_assignment_that_makes_an_item_is_the_message_of_that_item_and_no_second_is_written() -> None:
    with SoundBoard(PIPELINE) as board:
        sent = send(
            board, sender="orchestrator", to="implementer", type="task_assignment", payload={"description": "Build it"}
        )
        assert [m.id for m in messages(board)] == [sent["message_id"]]
        run = board.claim("implementer")
        assert messages(board)[0].status == "accepted"
        board.report(run, "done")
        assert messages(board)[0].status == "completed"


@pytest.mark.ledger("R-26", "R-16")
@pytest.mark.parametrize(
    "then", [commands.MoveItem(column="review"), commands.MoveItem(column="plan"), commands.CancelItem()]
)
@pytest.mark.parametrize("live", [True, False])
def test_a_handoff_that_nobody_will_take_up_any_more_does_not_stay_open(then: commands.Command, live: bool) -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        if live:
            board.claim("builder")
        board.on(item, then)
        (handoff,) = messages(board, type="task_handoff")
        assert handoff.status == "rejected" and handoff.why
        open_now = [m for m in messages(board) if m.status in ("pending", "accepted")]
        assert all(m.id == board.item(item).message for m in open_now)


@pytest.mark.ledger("R-26", "H-03")
def test_what_a_run_rejects_it_disputes() -> None:
    with SoundBoard(HANDOFF) as board:
        item = built(board)
        run = board.claim("builder")
        (handoff,) = messages(board, type="task_handoff")
        board.engine.on_message(run, RejectMessage(message=handoff.id, why="the spec contradicts itself"))
        assert messages(board, type="task_handoff")[0].status == "rejected"
        assert board.place(item) == ("plan", "ready") and board.show(item)["dispute_agents"] == ["builder"]
        assert board.show(item)["runs"][-1]["outcome"] == "disputed"


@pytest.mark.ledger("R-26", "R-27")
def test_a_run_neither_rejects_nor_accepts_what_is_not_for_it() -> None:
    with SoundBoard(HANDOFF) as board:
        first, second = built(board), board.add("other")
        run = board.claim("planner", item=second)
        (handoff,) = messages(board, item=first, to="builder")
        for order in (RejectMessage(message=handoff.id, why="no"), AcceptMessage(message=handoff.id)):
            with pytest.raises(Refused):
                board.engine.on_message(run, order)
        with pytest.raises(Refused):
            board.engine.on_message(run, CompleteMessage(message=handoff.id))
        assert messages(board, item=first, to="builder")[0].status == "pending"
        assert board.place(second) == ("plan", "running")


@pytest.mark.ledger("R-26", "R-27")
@pytest.mark.parametrize("order", [AcceptMessage, CompleteMessage, RejectMessage])
def test_a_message_about_no_item_is_refused_to_a_run_by_name(order: Any) -> None:
    with SoundBoard(HANDOFF) as board:
        built(board)
        loose = send(board, sender="builder", to="reviewer", type="review_request")
        run = board.claim("builder")
        with pytest.raises(Refused):
            board.engine.on_message(
                run, order(message=loose["message_id"], **({"why": "no"} if order is RejectMessage else {}))
            )
        board.engine.on_message(Actor("reviewer"), AcceptMessage(message=loose["message_id"]))


RECEIVER = Actor("reviewer")
ORDERS = {
    "accepted": AcceptMessage,
    "completed": CompleteMessage,
    "rejected": lambda message: RejectMessage(message=message, why="no"),
}
ALLOWED = {
    "pending": {"accepted", "rejected"},
    "accepted": {"completed", "rejected"},
    "completed": set(),
    "rejected": set(),
}


@pytest.mark.ledger("H-03")
@pytest.mark.parametrize("status", MESSAGE_STATUSES)
@pytest.mark.parametrize("wanted", list(ORDERS))
def test_a_handoff_never_goes_back_and_never_twice(status: str, wanted: str) -> None:
    with SoundBoard(HANDOFF) as board:
        message = send(board, sender="builder", to="reviewer", type="review_request")["message_id"]
        for step in {"pending": [], "completed": ["accepted", "completed"]}.get(status, [status]):
            board.engine.on_message(RECEIVER, ORDERS[step](message=message))  # type: ignore[operator]
        order = ORDERS[wanted](message=message)  # type: ignore[operator]
        if wanted in ALLOWED[status]:
            assert board.engine.on_message(RECEIVER, order)["status"] == wanted
        else:
            with pytest.raises(Refused) as caught:
                board.engine.on_message(RECEIVER, order)
            code = "not_accepted" if status == "pending" else "message_over"
            assert caught.value.code == code and status in caught.value.message


steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "work", "claim", "move", "cancel", "crash", "send", "accept", "complete", "reject", "answer"]
        ),
        st.integers(0, 5),
    ),
    max_size=25,
)
SAYS: list[tuple[str, dict[str, Any]]] = [
    ("done", {}),
    ("changes_requested", {"findings": [{"issue": "x"}]}),
    ("disputed", {"comments": [{"content": "no"}]}),
    ("asks", {"question": {"question": "?"}}),
    ("failed", {"cause": "transient"}),
    ("incomplete", {}),
]
RANK = {"pending": 0, "accepted": 1, "completed": 2, "rejected": 2}


@pytest.mark.ledger("H-03", "R-26")
@settings(max_examples=50, deadline=None)
@given(steps)
def test_whatever_happens_a_messages_status_never_goes_back(path: list[tuple[str, int]]) -> None:
    with SoundBoard(HANDOFF) as board:
        seen: dict[str, str] = {}
        for kind, number in path:
            with suppress(MootError):
                _one_step(board, kind, number)
            for message in messages(board):
                before = seen.get(message.id, "pending")
                assert RANK[message.status] > RANK[before] or message.status == before
                seen[message.id] = message.status


def _one_step(board: TrialBoard, kind: str, number: int) -> None:
    agents = ("planner", "builder", "reviewer", "fixer")
    items = [item["id"] for item in board.queries.list()["items"]]
    known = [message.id for message in messages(board)]
    if kind == "add":
        board.add()
    elif kind in ("work", "claim", "crash"):
        run = board.claim(agents[number % 4])
        if kind == "work":
            board.report(run, SAYS[number][0], **SAYS[number][1])
        elif kind == "crash":
            board.crash(run)
    elif kind in ("move", "cancel") and items:
        move = commands.MoveItem(column=("plan", "build", "review")[number % 3])
        board.on(items[number % len(items)], move if kind == "move" else commands.CancelItem())
    elif kind == "send" and items:
        context = {"item": items[number % len(items)]}
        send(board, sender="builder", to="reviewer", type="review_request", context=context)
    elif kind in ("accept", "complete", "reject") and known:
        order = {"accept": "accepted", "complete": "completed", "reject": "rejected"}[kind]
        message = known[number % len(known)]
        receiver = next(m.to for m in messages(board) if m.id == message)
        board.engine.on_message(Actor(receiver), ORDERS[order](message=message))  # type: ignore[operator]
    elif kind == "answer" and board.inbox():
        board.answer(board.inbox()[0])
