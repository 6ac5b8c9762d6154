"""What several tasks rely on: a change reopens what was built on it, twice; the third one asks."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, preset_flow, small_flow

QUEST = preset_flow("quest")
ASKED = "awaiting-divine-guidance"
PLAIN = small_flow("""
discover: discover
columns:
  discover: {agents: [pathseeker], next: weave}
  weave: {agents: [codeweaver], next: review}
  review: {agents: [lawbringer], next: done}
agents: {pathseeker: {may: [ask, split], write: none}, codeweaver: {}, lawbringer: {}}
""")


def user(text: str) -> dict[str, Any]:
    return {"contracts": [{"name": "User", "text": text}]}


def quest_of(board: TrialBoard, *uses: list[str]) -> tuple[str, list[str]]:
    """A quest whose tasks use these contracts; both contracts are agreed in the split."""
    quest = board.add("A quest")
    tasks = [{"title": f"task {n}", "files": [f"{n}.py"], "contracts": names} for n, names in enumerate(uses)]
    contracts = [{"name": "User", "text": "id"}, {"name": "Auth", "text": "ok"}]
    board.effort("pathseeker", "split", tasks=tasks, contracts=contracts)
    return quest, [child.id for child in board.children(quest)]


def weave(board: TrialBoard, task: str, outcome: str = "done", **parts: Any) -> None:
    board.report(board.claim("codeweaver", item=task), outcome, **parts)


def text_of(board: TrialBoard, item: str, name: str = "User") -> str:
    return board.item(item).contracts[name]


@pytest.mark.ledger("R-24", "Q-05")
def test_a_changed_contract_reopens_the_done_tasks_that_use_it_and_tells_the_others() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b, c, d) = quest_of(board, ["User"], ["Auth"], ["User"], ["User"])
        weave(board, a)
        weave(board, b)
        before = board.item(b)
        running = board.claim("codeweaver", item=d)
        weave(board, c, "incomplete", **user("id and email"))
        assert board.place(a) == ("weave", "ready") and board.item(b) == before
        assert board.item(a).told and "User" in (board.item(a).told or "")
        assert {text_of(board, one) for one in (quest, a, c, d)} == {"id and email"}
        assert board.item(d).status == "running", "who is at work is told and not stopped"
        board.report(running, "done")


@pytest.mark.ledger("R-24")
def test_saying_the_same_again_changes_nothing() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, a)
        weave(board, b, "incomplete", **user("id"))
        assert board.place(a) == ("weave", "done")
        assert board.item(quest).contract_changes == {}


@pytest.mark.ledger("R-24")
def test_before_its_first_task_is_done_a_contract_changes_freely() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, _) = quest_of(board, ["User"], ["User"])
        for number in range(2):
            weave(board, a, "incomplete", **user(f"v{number}"))
        assert board.item(quest).contract_changes == {} and board.inbox() == []


@pytest.mark.ledger("R-24")
def test_whoever_changes_the_contract_is_not_reopened_for_its_own_change() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, a, "done", **user("id and email"))
        assert board.place(a) == ("weave", "done")
        assert board.item(quest).contract_changes == {}, "no other task was built on it yet"
        assert text_of(board, a) == text_of(board, b) == "id and email"


@pytest.mark.ledger("R-24")
@pytest.mark.parametrize("flow", [QUEST, PLAIN])
def test_a_contract_that_the_last_task_changes_keeps_the_quest_where_it_is(flow: Any) -> None:
    with SoundBoard(flow) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, a)
        weave(board, b, "done", **user("id and email"))
        assert board.place(a) == ("weave", "ready")
        assert board.place(quest) == ("weave", "waiting"), "what was built on the old one is not done"
        assert "phase_completed" not in [e["event"] for e in board.log(quest) if e["event"] != "work_split"]
        weave(board, a)
        assert board.place(quest) == (("weave", "proving") if flow is QUEST else ("review", "ready"))


@pytest.mark.ledger("R-24")
def test_the_third_change_after_its_first_task_is_done_asks() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        for number, outcome in enumerate(("incomplete", "incomplete", "failed"), start=1):
            weave(board, a)
            assert board.inbox() == []
            weave(board, b, outcome, **user(f"version {number}"))
        assert board.item(quest).contract_changes == {"User": 3}
        assert board.place(quest) == ("weave", ASKED)
        board.answer(board.inbox()[0], "1, so be it")
        weave(board, a)
        weave(board, b)
        assert board.place(quest) == ("weave", "proving")


@pytest.mark.ledger("R-24")
def test_guidance_lets_the_contract_change_again() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        for number, outcome in enumerate(("incomplete", "incomplete", "failed"), start=1):
            weave(board, a)
            weave(board, b, outcome, **user(f"version {number}"))
        board.answer(board.inbox()[0], "1, so be it")
        weave(board, a)
        weave(board, b, "failed", cause="transient", **user("version 4"))
        assert board.inbox() == []


@pytest.mark.ledger("R-24")
def test_a_contract_changed_in_a_later_stage_reopens_the_tasks_too() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["Auth"])
        weave(board, a)
        weave(board, b)
        board.effort("ward", "done")
        board.effort("lawbringer", "done", **user("id and email"))
        assert board.place(a) == ("weave", "ready") and board.place(b) == ("weave", "done")
        assert board.place(quest) == ("weave", "waiting"), "the quest waits for what is built anew"
        weave(board, a)
        board.effort("ward", "done")
        assert board.place(quest) == ("review", "ready"), "and whoever changed it looks at that"


@pytest.mark.ledger("R-24", "Q-05")
def test_a_contract_of_a_task_of_a_task_holds_there_and_reaches_who_uses_it() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, b)
        weave(board, a, "failed", cause="size")
        board.effort("pathseeker", "split", tasks=[{"title": "inner", "contracts": ["User"]}])
        (inner,) = [child.id for child in board.children(a)]
        assert text_of(board, inner) == "id"
        claimed = board.engine.claim(PERSON, "codeweaver", item=inner)
        assert "User" in str(claimed["brief"]["constraints"])


@pytest.mark.ledger("R-24")
def test_a_new_contract_in_a_second_split_reopens_nothing_but_a_changed_one_does() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, b)
        weave(board, a, "failed", cause="conflict", summary="no fit")
        assert board.place(quest) == ("discover", "ready")
        contracts = [{"name": "User", "text": "id and email"}, {"name": "New", "text": "x"}]
        board.effort("pathseeker", "split", tasks=[{"title": "more"}], contracts=contracts)
        assert board.place(b) == ("weave", "ready") and board.place(quest) == ("weave", "waiting")
        assert set(board.item(quest).waits_for) >= {a, b}


@pytest.mark.ledger("R-24", "R-03")
def test_a_reopened_task_waits_for_what_it_comes_after_if_that_is_open_again() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add()
        tasks = [
            {"key": "a", "title": "a", "contracts": ["Other"]},
            {"key": "b", "title": "b", "after": ["a"], "contracts": ["User"]},
            {"key": "c", "title": "c", "contracts": ["User"]},
        ]
        board.effort("pathseeker", "split", tasks=tasks, **user("id"))
        a, b, c = (child.id for child in board.children(quest))
        weave(board, a)
        weave(board, b)
        board.on(a, commands.ReopenItem())
        weave(board, c, "incomplete", **user("id and email"))
        assert board.place(b) == ("weave", "waiting") and board.item(b).waits_for == [a]


@pytest.mark.ledger("R-24", "R-25")
def test_only_tasks_are_reopened_by_a_contract_and_no_helper() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add()
        board.effort("pathseeker", "delegates", delegate=[{"task": "look"}])
        board.effort("pathseeker", "done", **user("id"))
        board.effort("pathseeker", "split", tasks=[{"title": "a", "contracts": ["User"]}], **user("id, name"))
        (sub,), (task,) = board.children(quest, "sub"), board.children(quest, "task")
        weave(board, task.id, "incomplete", **user("id and email"))
        assert board.item(sub.id).status == "done"


@pytest.mark.ledger("R-24", "R-16")
def test_a_task_that_was_cancelled_is_not_reopened_by_a_contract() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        board.on(a, commands.CancelItem())
        board.answer(board.inbox()[0], "1")
        weave(board, b, "incomplete", **user("id and email"))
        assert board.place(a) == ("weave", "cancelled")


@pytest.mark.ledger("Q-05")
def test_a_task_that_names_no_shared_contract_has_its_own_beside_all_of_them() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b, c) = quest_of(board, ["must export foo"], ["User"], ["user", "must export foo"])
        assert board.item(a).contracts == {"User": "id", "Auth": "ok", "must export foo": ""}
        assert board.item(b).contracts == {"User": "id"}
        assert board.item(c).contracts == {"User": "id", "must export foo": ""}
