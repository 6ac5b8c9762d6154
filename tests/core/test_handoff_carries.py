"""A handoff carries spec, workflow and priority: they are the item's from then on (H-01, R-26)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.commands import SendMessage
from folkmoot.core.enums import PRIORITIES, Priority
from folkmoot.core.item import Item
from folkmoot.core.rules.messages.carrying import carried
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow

HANDOFF = preset_flow("handoff")
SPEC = "specs/20240101-feature.md"
Row = tuple[str | None, str, str]
NOTHING: Row = (None, "feature", "medium")

# What is sent by whom; and spec, type and priority of the item after it.
CARRIED: dict[str, tuple[dict[str, Any], Row]] = {
    "all three": (
        {"type": "task_handoff", "priority": "high", "context": {"workflow": "bugfix", "spec": SPEC, "iteration": 1}},
        (SPEC, "bugfix", "high"),
    ),
    "the spec in the payload": ({"type": "task_handoff", "payload": {"spec": SPEC}}, (SPEC, "feature", "medium")),
    "a low priority": ({"type": "task_handoff", "priority": "low"}, (None, "feature", "low")),
    "nothing": ({"type": "task_handoff"}, NOTHING),
    "a notice tells where the spec is": (
        {
            "type": "completion",
            "to": "orchestrator",
            "priority": "low",
            "context": {"spec": SPEC, "workflow": "bugfix"},
        },
        (SPEC, "feature", "medium"),
    ),
    "an empty spec is none": ({"type": "task_handoff", "payload": {"spec": " "}}, NOTHING),
    "a spec that is no text": ({"type": "task_handoff", "payload": {"spec": {"path": SPEC}}}, NOTHING),
}


def row(board: SoundBoard, item: str) -> Row:
    view = board.show(item)
    return view["spec"], view["type"], view["priority"]


@pytest.mark.ledger("H-01", "H-07", "R-26")
@pytest.mark.parametrize("in_run", [True, False])
@pytest.mark.parametrize(("message", "after"), CARRIED.values(), ids=CARRIED.keys())
def test_the_item_takes_what_its_handoff_carries(message: dict[str, Any], after: Row, in_run: bool) -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add("Add user auth")
        run = board.claim("planner")
        about = {} if in_run else {"item": item}
        context = {**message.get("context", {}), **about}
        fields = {"sender": "planner", "to": "builder", **message, "context": context}
        board.engine.send(run if in_run else PERSON, SendMessage(**fields))
        assert row(board, item) == after
        board.report(run, "done")
        claimed = board.engine.claim(PERSON, "builder")
        assert (claimed["item"]["spec"], claimed["item"]["type"], claimed["item"]["priority"]) == after
        assert claimed["brief"]["task"].get("spec") == after[0]


@pytest.mark.ledger("H-01", "R-23")
def test_what_was_handed_over_as_critical_is_taken_first() -> None:
    with SoundBoard(HANDOFF) as board:
        first, second = board.add("first"), board.add("second")
        for item, priority in ((first, None), (second, "critical")):
            run = board.claim("planner", item=item)
            board.engine.send(run, SendMessage(sender="", to="builder", type="task_handoff", priority=priority))
            board.report(run, "done")
        assert board.engine.claim(PERSON, "builder")["item"]["id"] == second


@pytest.mark.ledger("H-01", "R-26")
def test_a_message_that_does_not_say_is_as_urgent_as_its_item() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add("first", priority="high")
        run = board.claim("planner", item=item)
        sent = board.engine.send(run, SendMessage(sender="", to="builder", type="task_handoff"))
        assert sent["priority"] == "high" and "note" not in sent


@pytest.mark.ledger("H-01", "R-26")
def test_a_priority_that_somebody_chose_is_not_lowered_and_the_sender_is_told() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add("first", priority="critical")
        run = board.claim("planner", item=item)
        sent = board.engine.send(run, SendMessage(sender="", to="builder", type="task_handoff", priority="medium"))
        assert row(board, item)[2] == "critical"
        assert (sent["priority"], sent["note"]) == (
            "medium",
            f"priority: item {item} stays critical, which somebody has chosen",
        )


@pytest.mark.ledger("H-01", "R-26")
def test_who_asks_for_a_look_does_not_say_what_the_work_is() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add("Add user auth")
        run = board.claim("planner")
        board.engine.send(run, SendMessage(sender="", to="builder", type="task_handoff", context={"spec": SPEC}))
        board.report(run, "done")
        run = board.claim("builder")
        other = {"spec": "path/to/spec.md", "workflow": "refactor"}
        board.engine.send(run, SendMessage(sender="", to="reviewer", type="review_request", context=other))
        assert row(board, item) == (SPEC, "feature", "medium")


@pytest.mark.ledger("R-26")
def test_who_names_another_spec_does_not_mean_the_only_item() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add("Add user auth")
        board.engine.send(
            PERSON,
            SendMessage(sender="planner", to="builder", type="task_handoff", context={"item": item, "spec": SPEC}),
        )
        ask: dict[str, Any] = {"sender": "builder", "to": "reviewer", "type": "review_request"}
        assert board.engine.send(PERSON, SendMessage(**ask, context={"spec": "specs/other.md"}))["item"] is None
        assert board.engine.send(PERSON, SendMessage(**ask, context={"spec": SPEC}))["item"] == item
        assert board.engine.send(PERSON, SendMessage(**ask))["item"] == item


@given(
    kind=st.sampled_from(sorted(HANDOFF.messages)),
    priority=st.sampled_from([None, *PRIORITIES]),
    chosen=st.sampled_from(PRIORITIES),
    known=st.sampled_from([None, SPEC]),
    spec=st.sampled_from([None, "specs/b.md"]),
)
def test_nothing_that_is_known_is_taken_away(
    kind: str, priority: str | None, chosen: Priority, known: str | None, spec: str | None
) -> None:
    item = Item(id="1", title="x", column="build", priority=chosen, spec=known)
    to = HANDOFF.messages[kind].receivers[0]
    context = {"spec": spec} if spec else {}
    told = carried(HANDOFF, item, SendMessage(sender="a", to=to, type=kind, priority=priority, context=context))
    assert told.get("spec", known) is not None or (known is None and spec is None)
    after = told.get("priority", chosen)
    assert PRIORITIES.index(after) <= PRIORITIES.index(chosen) or chosen == "medium"


FILES: list[tuple[Any, list[str], str]] = [
    (["src/a.py", "src/b.py"], ["src/a.py", "src/b.py"], ""),
    ("src/a.py, src/b.py (new)", ["src/a.py", "src/b.py"], ""),
    ([{"path": "src/a.py"}, {"file": "src/b.py"}], ["src/a.py", "src/b.py"], ""),
    (["src/a.py", "../b.py"], ["src/a.py"], "'../b.py'"),
    (["src/a.py", {"name": "b"}], ["src/a.py"], "{'name': 'b'}"),
    (5, [], "5"),
]


@pytest.mark.ledger("H-01", "R-20")
@pytest.mark.parametrize(("files", "given", "told"), FILES)
def test_files_of_a_handoff_are_its_items_or_the_sender_is_told(files: Any, given: list[str], told: str) -> None:
    with SoundBoard(HANDOFF) as board:
        message = SendMessage(
            sender="planner", to="builder", type="task_handoff", payload={"title": "x", "files": files}
        )
        sent = board.engine.send(PERSON, message)
        assert board.show(sent["item"])["files"] == given
        assert told in sent.get("note", "") and bool(sent.get("note")) == bool(told)


@pytest.mark.ledger("R-20", "R-26")
def test_a_handoff_within_a_run_does_not_change_who_owns_what_and_says_so() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(files=["src/a.py"])
        run = board.claim("planner")
        files = {"files": ["src/a.py", "src/b.py"]}
        sent = board.engine.send(run, SendMessage(sender="", to="builder", type="task_handoff", payload=files))
        assert board.show(item)["files"] == ["src/a.py"]
        assert "'src/b.py' not given" in sent["note"] and "'src/a.py'" not in sent["note"]


@pytest.mark.ledger("P-01", "R-26")
def test_an_item_made_by_a_message_has_all_of_its_words() -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        words = {"description": "Implement feature X with tests", "context": "See requirements.md for details"}
        message = SendMessage(sender="dispatcher", to="implementer", type="task_assignment", payload=words)
        made = board.show(board.engine.send(PERSON, message)["item"])
        assert made["title"] == words["description"]
        assert made["body"] == f"{words['description']}\n{words['context']}"
