"""A task's `done` is for the contracts as its run was told them: a change meanwhile is held against it (R-24)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.work import Work
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, preset_flow
from tests.core.test_contracts import quest_of, user, weave

QUEST = preset_flow("quest")
ASKED = "awaiting-divine-guidance"


def told(board: TrialBoard, task: str) -> tuple[Actor, dict[str, Any]]:
    """A run of the task, and the brief it begins with."""
    view = board.engine.claim(PERSON, "codeweaver", item=task)
    return Actor("codeweaver", view["run"], view["token"]), view["brief"]


@pytest.mark.ledger("R-24", "Q-05")
def test_a_done_for_the_old_words_goes_again_and_the_next_run_is_told_both() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        running, brief = told(board, b)
        assert "changed_contracts" not in brief["constraints"]
        weave(board, a, "incomplete", **user("id and email"))
        board.report(running, "done", summary="built on id")
        assert board.place(b) == ("weave", "ready"), "it was done for a contract that is another now"
        assert board.place(quest) == ("weave", "waiting")
        again, brief = told(board, b)
        assert brief["constraints"]["changed_contracts"] == [{"name": "User", "before": "id", "now": "id and email"}]
        assert "User" in brief["told"]
        board.report(again, "done")
        assert board.place(b) == ("weave", "done") and board.item(b).rewritten == {}


@pytest.mark.ledger("R-24")
@pytest.mark.parametrize("outcome", ["incomplete", "failed"])
def test_whatever_else_the_run_says_the_next_one_is_told_what_changed(outcome: str) -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        running, _ = told(board, b)
        weave(board, a, "incomplete", **user("id and email"))
        board.report(running, outcome, summary="not yet")
        _, brief = told(board, b)
        assert brief["constraints"]["changed_contracts"][0]["before"] == "id"


@pytest.mark.ledger("R-24")
def test_a_reopened_task_is_told_what_its_work_was_for_however_often_it_changed() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, b)
        weave(board, a, "incomplete", **user("second"))
        weave(board, a, "incomplete", **user("third"))
        _, brief = told(board, b)
        assert brief["constraints"]["changed_contracts"] == [{"name": "User", "before": "id", "now": "third"}]


@pytest.mark.ledger("R-24")
def test_a_contract_that_is_what_it_was_again_is_held_against_nobody() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        running, _ = told(board, b)
        for text in ("id and email", "id"):
            weave(board, a, "incomplete", **user(text))
        board.report(running, "done")
        assert board.place(b) == ("weave", "done")


@pytest.mark.ledger("R-24")
def test_what_nobody_was_told_yet_is_no_change_to_them() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, a, "incomplete", **user("id and email"))
        running, brief = told(board, b)
        assert "changed_contracts" not in brief["constraints"]
        board.report(running, "done")
        assert board.place(b) == ("weave", "done")


@pytest.mark.ledger("R-24")
def test_a_run_that_repeats_what_it_was_told_takes_back_nothing() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        running, _ = told(board, b)
        weave(board, a, "done", **user("id and email"))
        board.report(running, "incomplete", **user("id"))
        assert board.item(quest).contracts["User"] == board.item(a).contracts["User"] == "id and email"
        assert board.place(a) == ("weave", "done")


@pytest.mark.ledger("R-24")
def test_whoever_splits_again_and_repeats_the_old_words_takes_back_nothing() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b, c) = quest_of(board, ["User"], ["User"], ["User"])
        weave(board, a)
        weave(board, b, "failed", cause="conflict", summary="they differ")
        looking = board.claim("pathseeker")
        weave(board, c, "incomplete", **user("id and email"))
        board.report(looking, "split", tasks=[{"title": "types"}], **user("id"))
        assert board.item(quest).contracts["User"] == "id and email"


@pytest.mark.ledger("R-24")
def test_the_words_that_a_run_says_itself_are_those_its_work_is_for() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        running, _ = told(board, b)
        weave(board, a, "incomplete", **user("id and email"))
        board.report(running, "done", **user("id, email and name"))
        assert board.place(b) == ("weave", "done")
        assert board.item(a).contracts["User"] == "id, email and name"


@pytest.mark.ledger("R-24")
def test_the_third_change_asks_also_when_nothing_was_built_anew_between_them() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, a)
        for number in (1, 2):
            weave(board, b, "incomplete", **user(f"version {number}"))
            assert board.inbox() == [], number
        weave(board, b, "done", **user("version 3"))
        assert board.place(quest) == ("weave", ASKED)


@pytest.mark.ledger("R-24", "R-19")
def test_work_that_goes_again_is_gone_on_with() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        running, _ = told(board, b)
        weave(board, a, "incomplete", **user("id and email"))
        board.bring(running, "done", work=change("1.py", commit="c7"))
        assert board.place(b) == ("weave", "ready") and board.item(b).head == "c7"


@pytest.mark.ledger("R-24", "R-19")
def test_a_contract_that_changes_while_the_work_lands_is_held_against_it_too() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        board.bring(board.claim("codeweaver", item=b), "done", work=change("1.py", commit="c7"))
        assert board.place(b) == ("weave", "proving")
        landing = board.claim("landing", item=b)
        weave(board, a, "incomplete", **user("id and email"))
        board.bring(landing, "done", work=Work(base=None, commit="c7", onto=None, merged="m1"), commit="m1")
        assert board.place(b) == ("weave", "ready")
        again, brief = told(board, b)
        assert brief["constraints"]["changed_contracts"][0]["before"] == "id"
        board.report(again, "done")
        assert board.place(b) == ("weave", "done")


@pytest.mark.ledger("R-24", "Q-05")
def test_a_change_reaches_the_tasks_of_a_task_in_both_directions() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, a, "failed", cause="size", summary="too much")
        parts = [
            {"title": "one", "contracts": ["User"], "files": ["one.py"]},
            {"title": "two", "contracts": ["Inner"], "files": ["two.py"]},
        ]
        board.effort("pathseeker", "split", tasks=parts, contracts=[{"name": "Inner", "text": "x"}])
        one, two = (child.id for child in board.children(a))
        weave(board, one)
        weave(board, b, "incomplete", **user("id and email"))
        assert board.place(one) == ("weave", "ready"), "downwards"
        assert {board.item(each).contracts["User"] for each in (quest, a, b, one)} == {"id and email"}
        weave(board, b)
        weave(board, one, "incomplete", **user("id, email, name"))
        assert board.item(quest).contracts["User"] == "id, email, name", "upwards"
        assert board.place(b) == ("weave", "ready")
        weave(board, two, "done", contracts=[{"name": "Inner", "text": "y"}])
        assert "Inner" not in board.item(quest).contracts, "what only they share is theirs"


@pytest.mark.ledger("R-24")
def test_of_a_done_task_that_was_split_those_tasks_go_again_that_use_the_contract() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = quest_of(board, ["User"], ["User"])
        weave(board, a, "failed", cause="size", summary="too much")
        parts = [{"title": "one", "contracts": ["User"]}, {"title": "two", "contracts": ["Auth"]}]
        board.effort("pathseeker", "split", tasks=parts, contracts=[{"name": "Auth", "text": "ok"}])
        one, two = (child.id for child in board.children(a))
        weave(board, one)
        weave(board, two)
        assert board.place(a) == ("weave", "done")
        weave(board, b, "done", **user("id and email"))
        assert [board.place(each) for each in (a, one, two)] == [
            ("weave", "waiting"),
            ("weave", "ready"),
            ("weave", "done"),
        ]
        weave(board, one)
        assert board.place(a) == ("weave", "done") and board.place(quest) == ("weave", "proving")


@pytest.mark.ledger("R-24", "R-16")
def test_a_cancelled_task_that_is_taken_up_again_works_to_what_holds_then() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, b) = quest_of(board, ["User"], ["User"])
        board.on(b, commands.CancelItem())
        weave(board, a, "incomplete", **user("id and email"))
        board.on(b, commands.ReopenItem())
        assert board.item(b).contracts["User"] == "id and email"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["claim", "done", "change", "same"])), max_size=14))
def test_whatever_the_order_a_done_task_was_told_the_words_that_hold(steps: list[tuple[str, str]]) -> None:
    """The examination of the board at its end looks at every done task."""
    with SoundBoard(QUEST) as board:
        quest, tasks = quest_of(board, ["User"], ["User"], ["User"])
        names = dict(zip("abc", tasks, strict=True))
        live: dict[str, Actor] = {}
        for number, (who, what) in enumerate(steps):
            task = names[who]
            if board.inbox():
                break
            if what == "claim" and board.item(task).status == "ready":
                live[who] = board.claim("codeweaver", item=task)
            elif what != "claim" and board.item(task).status == "running":
                parts = {"change": user(f"version {number}"), "same": user("id")}.get(what, {})
                board.report(live[who], "done", **parts)
        for task in tasks:
            if board.item(task).status == "done":
                assert board.item(task).contracts["User"] == board.item(quest).contracts["User"]
