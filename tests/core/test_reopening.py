"""A task's `done` is provisional until its quest lands: findings and disputes about its work open it again (R-24)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, preset_flow

QUEST = preset_flow("quest")
ASKED = "awaiting-divine-guidance"


def reviewed(board: TrialBoard, *tasks: dict[str, Any], stage: str = "review") -> tuple[str, list[str]]:
    """A quest whose tasks are done, in this stage."""
    quest = board.add("A quest")
    board.effort("pathseeker", "split", tasks=list(tasks))
    found = [child.id for child in board.children(quest)]
    for task in found:
        board.report(board.claim("codeweaver", item=task), "done", summary=f"made {task}")
    board.effort("ward", "done")
    if stage == "siege":
        board.effort("lawbringer", "done")
        board.effort("ward", "done")
    return quest, found


A = {"title": "Register", "files": ["src/a.py"]}
B = {"title": "Reset", "files": ["src/b.py"]}


def finding(file: str | None, severity: str = "high", issue: str = "it is wrong") -> dict[str, Any]:
    return {"file": file, "severity": severity, "issue": issue}


@pytest.mark.ledger("R-24", "R-22")
@pytest.mark.parametrize(("stage", "agent"), [("review", "lawbringer"), ("siege", "siegemaster")])
@pytest.mark.parametrize("severity", ["critical", "high", "medium", "low"])
def test_a_serious_finding_beside_done_opens_the_task_that_it_is_about(stage: str, agent: str, severity: str) -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = reviewed(board, A, B, stage=stage)
        board.effort(agent, "done", findings=[finding("src/b.py", severity)])
        serious = severity in ("critical", "high")
        assert [board.place(one)[1] for one in (a, b)] == ["done", "ready" if serious else "done"]
        assert board.place(quest) == (("weave", "waiting") if serious else (stage, "proving"))
        assert board.item(quest).findings[0].issue == "it is wrong", "a remark is kept all the same"
        if serious:
            claimed = board.engine.claim(PERSON, "codeweaver")
            assert claimed["brief"]["findings"][0]["issue"] == "it is wrong"


@pytest.mark.ledger("R-24")
def test_a_remark_beside_done_reaches_whoever_comes_next() -> None:
    with SoundBoard(QUEST) as board:
        reviewed(board, A, B)
        board.effort("lawbringer", "done", findings=[finding("src/b.py", "low", "a name could be better")])
        board.effort("ward", "done")
        assert "a name could be better" in str(board.engine.claim(PERSON, "siegemaster")["brief"])


@pytest.mark.ledger("R-24", "R-13")
def test_findings_of_both_kinds_go_to_their_tasks_first_and_the_rest_is_worked_on_after_them() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = reviewed(board, A, B)
        found = [finding("src/a.py"), finding("src/b.py"), finding("README.md", issue="it tells of neither")]
        board.effort("lawbringer", "changes_requested", findings=found)
        assert {board.place(one)[1] for one in (a, b)} == {"ready"} and board.place(quest) == ("weave", "waiting")
        assert [one.issue for one in board.item(a).findings] == ["it is wrong"], "each gets what is its own"
        for one in (a, b):
            board.report(board.claim("codeweaver", item=one), "done")
        assert board.place(quest) == ("weave", "ready")
        assert "it tells of neither" in str(board.engine.claim(PERSON, "codeweaver")["brief"]["findings"])


@pytest.mark.ledger("R-24", "R-03")
def test_a_task_cancelled_while_the_rest_waits_for_it_is_asked_about() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, _) = reviewed(board, A, B)
        board.effort("lawbringer", "changes_requested", findings=[finding("src/a.py"), finding("README.md")])
        board.on(a, commands.CancelItem())
        assert board.place(quest) == ("weave", ASKED)
        board.answer(board.inbox()[0], "1")
        assert board.place(quest) == ("weave", "ready")


@pytest.mark.ledger("R-24")
def test_the_task_of_a_task_is_opened_that_owns_the_file() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=[{"title": "all", "files": ["src/"]}])
        (whole,) = (child.id for child in board.children(quest))
        board.effort("codeweaver", "failed", cause="size", summary="too much")
        board.effort("pathseeker", "split", tasks=[A, B])
        a, b = (child.id for child in board.children(whole))
        board.effort("codeweaver", "done")
        board.effort("codeweaver", "done")
        board.effort("ward", "done")
        board.effort("lawbringer", "changes_requested", findings=[finding("src/b.py")])
        assert [board.place(one)[1] for one in (quest, whole, a, b)] == ["waiting", "waiting", "done", "ready"]
        board.effort("codeweaver", "done")
        assert board.place(quest) == ("weave", "proving")


@pytest.mark.ledger("R-24")
def test_of_tasks_without_files_the_one_is_opened_that_said_it_had_changed_the_file() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=[{"title": "one"}, {"title": "two"}])
        a, b = (child.id for child in board.children(quest))
        for task, path in ((a, "src/a.py"), (b, "src/b.py")):
            board.report(board.claim("codeweaver", item=task), "done", files={"modified": [path]})
        board.effort("ward", "done")
        board.effort("lawbringer", "changes_requested", findings=[finding("src/b.py")])
        assert [board.place(one)[1] for one in (a, b)] == ["done", "ready"]


@pytest.mark.ledger("R-24", "R-10")
def test_a_danger_that_a_person_lets_be_fixed_goes_to_the_task_that_it_is_about() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = reviewed(board, A, B)
        danger = {**finding("src/b.py", "critical"), "kind": "security"}
        board.effort("lawbringer", "done", findings=[danger])
        assert board.place(quest) == ("review", ASKED)
        board.answer(board.inbox()[0], "fix it")
        assert [board.place(one)[1] for one in (a, b)] == ["done", "ready"]
        board.effort("codeweaver", "done")
        board.effort("ward", "done")
        assert board.place(quest) == ("review", "ready")


@pytest.mark.ledger("R-24", "R-16", "R-03")
def test_a_task_that_a_person_moved_to_its_end_is_opened_where_it_is_worked_on() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=[A, B])
        a, b = (child.id for child in board.children(quest))
        board.on(a, commands.MoveItem(column="done"))
        board.report(board.claim("codeweaver", item=b), "done")
        board.effort("ward", "done")
        board.effort("lawbringer", "changes_requested", findings=[finding("src/a.py"), finding("README.md")])
        assert board.place(a) == ("weave", "ready") and board.place(quest) == ("weave", "waiting")


@pytest.mark.ledger("R-24", "R-12")
def test_a_dispute_about_a_tasks_file_opens_that_task_and_returns_to_whoever_disputes() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = reviewed(board, A, B)
        concern = {"content": "a token must expire", "artifact": "src/b.py"}
        board.effort("lawbringer", "disputed", comments=[concern])
        assert [board.place(one)[1] for one in (a, b)] == ["done", "ready"]
        claimed = board.engine.claim(PERSON, "codeweaver")
        assert claimed["brief"]["findings"][0]["issue"] == "a token must expire"
        board.report(_actor(claimed), "done")
        board.effort("ward", "done")
        assert board.place(quest) == ("review", "ready")


@pytest.mark.ledger("R-24", "R-12")
def test_disputes_about_several_tasks_open_each_of_them() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = reviewed(board, A, B)
        concerns = [{"content": f"wrong {path}", "artifact": path} for path in ("src/a.py", "src/b.py")]
        board.effort("lawbringer", "disputed", comments=concerns)
        assert [board.place(one)[1] for one in (a, b)] == ["ready", "ready"]
        told = [board.engine.claim(PERSON, "codeweaver") for _ in range(2)]
        assert sorted(one["brief"]["findings"][0]["issue"] for one in told) == ["wrong src/a.py", "wrong src/b.py"]
        assert board.item(quest).span.disputes == 1


@pytest.mark.ledger("R-24", "R-12")
def test_disputes_about_tasks_end_at_the_limit_of_disputes() -> None:
    with SoundBoard(QUEST) as board:
        quest, _ = reviewed(board, A, B)
        for number in range(QUEST.limits.disputes):
            concern = {"content": f"concern {number}", "artifact": "src/b.py"}
            board.effort("lawbringer", "disputed", comments=[concern])
            board.effort("codeweaver", "done")
            board.effort("ward", "done")
            assert board.place(quest) == ("review", "ready"), number
        board.effort("lawbringer", "disputed", comments=[{"content": "one more", "artifact": "src/b.py"}])
        assert board.item(quest).status == "needs-human-review"


def _actor(claimed: dict[str, Any]) -> Actor:
    return Actor(claimed["agent"], claimed["run"], claimed["token"])
