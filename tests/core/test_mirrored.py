"""Whose word a file is, what a comment in it means, and what becomes of two versions (R-04, R-28, H-11)."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import Flow
from folkmoot.core.item import Artifact, Dispute, Item, Side
from folkmoot.core.proposals.issue import SeenIssue
from folkmoot.core.proposals.proposal import Seen
from folkmoot.core.records import Message, Question, Wanted
from folkmoot.core.rules.decide import FOR_PEOPLE, decide
from folkmoot.core.rules.sharing.mirrored import (
    CRITICAL,
    merged,
    outcome_of_comment,
    speaker_in_file,
    stage_of_message,
    work_of_sender,
)
from folkmoot.core.situation import Draw, Situation
from folkmoot.errors import Refused
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import read_preset


def preset(name: str) -> Flow:
    files = read_preset(name)
    return load_flow(files["flow.yaml"], "flow.yaml", files.get)


FLOW, HANDOFF = preset("kanban"), preset("handoff")


@pytest.mark.ledger("R-04")
def test_a_name_in_a_file_decides_for_a_person_only_if_the_flow_says_so() -> None:
    assert speaker_in_file(FLOW, "Dev Agent") == Actor("dev-agent", file=True)
    with pytest.raises(Refused, match="no agent of the flow"):
        speaker_in_file(FLOW, "alice")
    text = read_preset("kanban")["flow.yaml"] + "\nmirror: {dir: .claude, people: [alice, dev-agent]}\n"
    named = load_flow(text, "flow.yaml", read_preset("kanban").get)
    assert speaker_in_file(named, "alice") == Actor("alice")
    assert speaker_in_file(named, "dev-agent").file, "an agent's file is an agent's word, whatever the flow says"


@pytest.mark.ledger("R-04")
@pytest.mark.parametrize("kind", FOR_PEOPLE)
def test_nothing_that_is_for_people_is_said_by_an_agents_file(kind: type[commands.Command]) -> None:
    situation = Situation(
        flow=FLOW,
        flow_version=1,
        now=0.0,
        at=0,
        actor=Actor("dev-agent", file=True),
        draw=Draw(run="", item=1, comment=1, question=1),
        item=Item(id="1", title="A", column="dev"),
    )
    needed: dict[str, Any] = {
        "MoveItem": {"column": "qa"},
        "AnswerQuestion": {"question": "q1", "answer": "x"},
        "SayToAgent": {"text": "x"},
        "SettleLanding": {"branch": "b", "new": "c", "moved": True},
        "SeeProposal": {"seen": Seen(state="open", commit="c")},
        "TellMerge": {"seen": Seen(state="open", commit="c"), "became": "merged"},
        "PausePool": {"pool": "p", "seconds": 1.0, "why": "w"},
        "SeeIssue": {"seen": SeenIssue(title="t")},
    }
    with pytest.raises(Refused) as refused:
        decide(situation, kind(**needed.get(kind.__name__, {})))
    assert refused.value.code == "only_people"


def item(**fields: Any) -> Item:
    made = Artifact(column="tests", agent="test-architect", run="r1", path="tests/a.md")
    return Item(id="1", title="Trading", column="dev", artifacts={"tests/a.md": made}, **fields)


def disputed(turn: int) -> Item:
    sides = Side("dev-agent", "dev", "dev"), Side("test-architect", "tests", "tests")
    dispute = Dispute("c001", sides[0], sides[1], ["dev-agent"], "tests/a.md", turn)
    return Item(id="1", title="Trading", column="tests" if turn else "dev", disputes=[dispute])


@pytest.mark.ledger("K-05", "K-06")
@pytest.mark.parametrize(
    ("about", "agent", "artifact", "thread", "resolved", "outcome"),
    [
        (item(), "dev-agent", "tests/a.md", None, False, "disputed"),
        (item(status="running"), "dev-agent", "tests/a.md", None, False, "disputed"),
        (item(status="waiting"), "dev-agent", "tests/a.md", None, False, None),
        (item(status="done"), "dev-agent", "tests/a.md", None, False, None),
        (item(), "qa-agent", "tests/a.md", None, False, None),
        (item(), "dev-agent", "notes.md", None, False, None),
        (item(), "dev-agent", "tests/a.md", "c009", False, None),
        (disputed(1), "test-architect", None, "c001", True, "done"),
        (disputed(1), "test-architect", None, "c001", False, "disputed"),
        (disputed(1), "dev-agent", None, "c001", False, None),
        (disputed(0), "dev-agent", None, "c001", False, "disputed"),
        (disputed(0), "test-architect", None, "c001", True, None),
    ],
)
def test_a_comment_in_a_file_is_the_end_of_an_effort_where_the_document_says_so(
    about: Item, agent: str, artifact: str | None, thread: str | None, resolved: bool, outcome: str | None
) -> None:
    found = outcome_of_comment(FLOW, about, agent, artifact=artifact, thread=thread, resolved=resolved)
    assert found == outcome


@pytest.mark.ledger("H-04", "R-26")
def test_who_hands_over_works_on_what_waits_for_it() -> None:
    one, two = (Item(id=number, title="A", column="plan", spec=f"{number}.md") for number in "12")
    assert work_of_sender(HANDOFF, [one], "planner", {}) == "1"
    assert work_of_sender(HANDOFF, [one, two], "planner", {}) is None, "which of them is not said"
    assert work_of_sender(HANDOFF, [one, two], "planner", {"spec": "2.md"}) == "2"
    assert work_of_sender(HANDOFF, [one, two], "planner", {"item": 2}) == "2"
    assert work_of_sender(HANDOFF, [one, two], "planner", {"item": "7"}) is None
    assert work_of_sender(HANDOFF, [one], "builder", {}) is None


values = st.dictionaries(st.sampled_from(["column", "status", "files", "title", "priority"]), st.integers(0, 2))


@pytest.mark.ledger("R-28", "H-11")
@given(base=values, board=values, file=values)
def test_a_file_changes_what_it_changed_and_a_person_decides_what_both_did(
    base: dict[str, int], board: dict[str, int], file: dict[str, int]
) -> None:
    both = merged(base, board, file)
    assert not both.taken.keys() & both.conflicts.keys()
    for name, value in file.items():
        changed = value != base.get(name) and value != board.get(name)
        moved = board.get(name) != base.get(name)
        assert (name in both.conflicts) == (changed and moved and name in CRITICAL)
        assert (name in both.taken) == (changed and not (moved and name in CRITICAL))
    assert both.taken.keys() | both.conflicts.keys() <= file.keys(), "what a file leaves out it does not change"


@pytest.mark.ledger("R-28", "H-11")
@pytest.mark.parametrize(
    ("wanted", "effect", "to"),
    [
        ({"name": "column", "to": "qa"}, "move", "qa"),
        ({"name": "status", "cancels": True}, "cancel", None),
        ({"name": "files", "wanted": Wanted(files=["a.py"])}, "take", None),
        ({"name": "files", "wanted": Wanted(files=[])}, "take", None),
        ({"name": "locks", "wanted": Wanted(locks=["a.py"], agent="dev-agent", seconds=60)}, "take", None),
    ],
)
def test_the_files_version_is_put_in_force_by_the_option_that_names_it(
    wanted: dict[str, Any], effect: str, to: str | None
) -> None:
    situation = Situation(
        flow=FLOW,
        flow_version=1,
        now=0.0,
        at=0,
        actor=Actor("alice"),
        draw=Draw(run="", item=1, comment=1, question=1),
        item=Item(id="1", title="A", column="dev", version=1),
    )
    command = commands.RaiseConflict(board="x", file="y", where="kanban/1.yaml", **wanted)
    changes = [change for event in decide(situation, command).events for change in event.changes]
    (asked,) = [change.fields for change in changes if change.table == "questions"]
    board, file = asked["options"][:2]
    assert (file.effect, file.to) == (effect, to) and file.option == "the file's: y"
    assert board.effect == "again", "the board's version is what it is: nothing is forbidden by choosing it"
    assert asked["wanted"].is_empty == (effect != "take"), "it came from a file, so it may be asked again"


@pytest.mark.ledger("R-28", "H-03")
@pytest.mark.parametrize(
    ("wanted", "stage", "column"),
    [
        ("accepted", None, "build"),
        ("completed", None, "build"),
        ("rejected", None, "plan"),
        ("accepted", "build", "build"),
        ("accepted", "gone", "build"),
    ],
)
def test_a_message_that_ended_otherwise_goes_to_who_takes_it_up_or_back(
    wanted: str, stage: str | None, column: str
) -> None:
    message = Message(id="m", sender="planner", to="builder", type="task_handoff", stage=stage)
    assert stage_of_message(HANDOFF, message, wanted) == column


def test_a_question_of_an_earlier_version_wants_nothing() -> None:
    old = msgspec.convert({"id": "q1", "item": "1", "kind": "conflict", "question": "?"}, Question)
    assert old.wanted is None
