"""What a split says beside its tasks: every task is told it, and an order in words is asked back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.briefs.prompt import prompt
from folkmoot.core.item import Item
from folkmoot.core.report import Report, Task
from folkmoot.core.rules.children.saying import fault_of_beside, said_beside
from folkmoot.core.vocabulary.plans import Named
from folkmoot.testing.builders import SoundBoard, limited, preset_flow
from tests.core.test_outputs import claimed
from tests.core.test_splits import split

QUEST = preset_flow("quest")
KEYS = ("codeweaver-1", "codeweaver-2", "codeweaver-3")
ITEM = Item(id="1", title="User auth", column="seek")


def report(after: dict[str, list[str]] | None = None, **beside: Any) -> Report:
    tasks = [Task(key=key, title=f"User can do {key}", after=(after or {}).get(key, [])) for key in KEYS]
    return Report(outcome="split", tasks=tasks, **beside)


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        "codeweaver-2 depends on codeweaver-1",
        "codeweaver-2 and codeweaver-3 depend on codeweaver-1",
        "Please run codeweaver-1 before codeweaver-2.",
        "codeweaver-2 blocked by codeweaver-1",
        "codeweaver-2 needs the User type of codeweaver-1",
        "First codeweaver 1, then codeweaver 2",
        "After codeweaver-1 is done, run codeweaver-2",
        "codeweaver-1 -> codeweaver-2",
        "codeweaver-1->codeweaver-2",
        "Codeweaver-2 must wait for Codeweaver-1",
        "codeweaver-2 must not start until codeweaver-1 has landed",
        "codeweaver-2 builds on codeweaver-1",
        "codeweaver-2 relies on the types of codeweaver-1",
    ],
)
@pytest.mark.parametrize("place", ["summary", "next_steps", "blockers", "extra", "inner"])
def test_an_order_in_words_between_two_tasks_is_asked_back(words: str, place: str) -> None:
    where: dict[str, Any] = {"extra": {"extra": {"resolution": words}}, "inner": {"extra": {"output": {"a": [words]}}}}
    said = report(**where.get(place, {place: [words] if place == "next_steps" else words}))
    fault = fault_of_beside(QUEST, said)
    assert fault is not None and "`after`" in fault and "'codeweaver-1'" in fault
    told = report({"codeweaver-2": ["codeweaver-1"], "codeweaver-3": ["codeweaver-1"]})
    said = report({t.key or "": t.after for t in told.tasks}, summary=words)
    assert fault_of_beside(QUEST, said) is None, "it is said where it acts, and may be said in words as well"


@pytest.mark.parametrize(
    "words",
    [
        "codeweaver-1 and codeweaver-2 run in parallel",
        "codeweaver-2 does not depend on codeweaver-1",
        "codeweaver-1 registers users after validation, codeweaver-2 resets passwords",
        "codeweaver-1 needs the mailer. codeweaver-2 is simple",
        "Sequential execution for shared files",
        "codeweaver-1 depends on the mailer",
        "codeweaver-1 is independent of codeweaver-2",
        "codeweaver-1 first reads the configuration",
        "codeweaver-1 need not be done first",
        "I looked at the routes first, and codeweaver-1 is small",
        "codeweaver-1 and codeweaver-2 are independent, codeweaver-3 then tests nothing of theirs",
    ],
)
def test_words_that_put_no_two_tasks_in_an_order_are_only_told(words: str) -> None:
    assert fault_of_beside(QUEST, report(summary=words)) is None
    assert said_beside(report(summary=words), "pathseeker", ITEM) == {"summary": words}


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize(
    "words",
    ["Run codeweaver-1 and codeweaver-2 in parallel, then codeweaver-3", "codeweaver-2 in parallel, then codeweaver-3"],
)
def test_what_comes_behind_tasks_that_run_at_once_is_an_order(words: str) -> None:
    fault = fault_of_beside(QUEST, report(next_steps=[words]))
    assert fault is not None and "'codeweaver-2' and 'codeweaver-3'" in fault


def own(**words: Any) -> Report:
    """A split whose second task says something of itself."""
    said = report()
    return replace(said, tasks=[said.tasks[0], replace(said.tasks[1], **words), said.tasks[2]])


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        {"title": "User can reset (after codeweaver-1)"},
        {"body": "must run after codeweaver-1 is finished"},
        {"constraints": ["Wait for Codeweaver 1"]},
        {"more": {"hints": {"mail": ["needs the types of codeweaver-1"]}}},
        {"body": "Not before User can do codeweaver-1 is done"},
    ],
)
def test_an_order_in_the_words_of_a_task_itself_is_asked_back(words: dict[str, Any]) -> None:
    fault = fault_of_beside(QUEST, own(**words))
    assert fault is not None and "'codeweaver-2' and 'codeweaver-1'" in fault and "`after`" in fault
    assert fault_of_beside(QUEST, own(**words, after=["codeweaver-1"])) is None


@pytest.mark.parametrize(
    "words",
    [
        {"body": "does not depend on codeweaver-1"},
        {"body": "like codeweaver-1, with a mail after each change"},
        {"constraints": ["runs beside codeweaver-1"]},
    ],
)
def test_words_of_a_task_about_another_that_say_no_order_are_told(words: dict[str, Any]) -> None:
    assert fault_of_beside(QUEST, own(**words)) is None


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        "Run these one after the other",
        "Execution: sequential",
        "**Parallel**: no",
        "Order:\n1. codeweaver-1\n2. codeweaver-2",
        "Phase 1: codeweaver-1\nPhase 2: codeweaver-2",
        "| Task | Depends on |\n| codeweaver-2 | codeweaver-1 |",
        "Do codeweaver-1 first",
        "Codeweaver-1 must be done first. The others are small.",
        "Start with codeweaver-1",
    ],
)
def test_an_order_of_all_tasks_in_words_is_asked_back(words: str) -> None:
    fault = fault_of_beside(QUEST, report(summary=words))
    assert fault is not None and "the tasks have an order" in fault and "`after`" in fault
    assert fault_of_beside(QUEST, report({"codeweaver-2": ["codeweaver-1"]}, summary=words)) is None


@pytest.mark.parametrize(
    "words",
    [
        "Execution: parallel",
        "Dependencies: none",
        "Dependencies: bcrypt",
        "These need not run one after the other",
        "Tasks on shared files run one after the other",
        "Step 1: I read codeweaver-1\nStep 2: I wrote this",
    ],
)
def test_labels_and_words_that_put_the_tasks_in_no_order_are_told(words: str) -> None:
    assert fault_of_beside(QUEST, report(summary=words)) is None


def test_tasks_whose_names_are_too_short_to_be_found_in_words_are_not_looked_for() -> None:
    tasks = [Task(key="a", title="a", body="after b"), Task(key="b", title="b", constraints=["needs a"])]
    said = Report(outcome="split", tasks=tasks, summary="a runs after b")
    assert fault_of_beside(QUEST, said) is None and Named({"a": "a"}).called_off("cancel a") == []


@pytest.mark.ledger("R-24")
@given(st.dictionaries(st.sampled_from(["resolution", "risks", "note"]), st.sampled_from(["Zebra", "Yak first"])))
def test_whatever_has_no_field_is_said_and_the_tasks_are_not_said_again(own: dict[str, str]) -> None:
    again = {"taskDecomposition": {key: {"task": f"User can do {key}"} for key in KEYS}}
    said = report(blockers="none known so far", next_steps=["Ask for the key"], extra={"output": {**again, **own}})
    told = said_beside(said, "pathseeker", ITEM)
    assert told.pop("in its own words", {}) == ({"output": own} if own else {})
    assert told == {"blockers": "none known so far", "next_steps": ["Ask for the key"]}


@pytest.mark.ledger("Q-05", "Q-08")
def test_every_task_and_whoever_splits_it_again_is_told_what_the_split_said() -> None:
    parts = [{"key": key, "title": key, "files": [f"src/{key}.py"]} for key in KEYS]
    beside: dict[str, Any] = {"summary": "Mind the routes", "next_steps": ["Ask for the key"]}
    with SoundBoard(QUEST) as board:
        _, tasks = split(board, *parts, **beside)
        for _ in tasks:
            actor, brief = claimed(board, "codeweaver")
            (told,) = brief["projectContext"]["split"]
            assert {name: told[name] for name in beside} == beside and told["agent"] == "pathseeker"
            assert prompt(brief).count("Mind the routes") == 1
        board.report(actor, "failed", cause="size", summary="too large")
        _, brief = claimed(board, "pathseeker")
        assert [one["summary"] for one in brief["projectContext"]["split"]] == ["Mind the routes"]


@pytest.mark.ledger("R-24")
def test_tasks_that_a_person_allowed_later_are_told_what_the_split_said() -> None:
    with SoundBoard(limited(QUEST, splits=0)) as board:
        quest, none = split(board, {"key": "a", "title": "Register"}, summary="Mind the routes")
        assert none == []
        (asked,) = board.queries.inbox()["questions"]
        board.answer(asked["id"], "split it")
        assert len(board.children(quest, "task")) == 1
        _, brief = claimed(board, "codeweaver")
        assert [one["summary"] for one in brief["projectContext"]["split"]] == ["Mind the routes"]


@pytest.mark.ledger("Q-08")
def test_a_task_of_a_task_is_told_what_its_own_split_said() -> None:
    with SoundBoard(QUEST) as board:
        split(board, {"key": "a", "title": "Register"}, summary="Mind the routes")
        board.effort("codeweaver", "failed", cause="size", summary="too large")
        board.effort("pathseeker", "split", tasks=[{"key": "b", "title": "Form"}], summary="Mind the form")
        _, brief = claimed(board, "codeweaver")
        assert [one["summary"] for one in brief["projectContext"]["split"]] == ["Mind the form"]
