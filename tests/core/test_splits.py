"""Work that is too large becomes tasks; what was split wrongly is split again; what does not fit is looked at whole."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, limited, preset_flow, small_flow

QUEST = preset_flow("quest")
ASKED = "awaiting-divine-guidance"
A = {"key": "a", "title": "Register", "files": ["src/a.py"]}
B = {"key": "b", "title": "Reset", "files": ["src/b.py"]}
C = {"key": "c", "title": "Routes", "files": ["src/c.py"], "after": ["a", "b"]}
WAYS = ("rewrite the parser by hand", "cache every query", "lock the session table")


def split(board: TrialBoard, *tasks: dict[str, Any], **more: Any) -> tuple[str, list[str]]:
    """A quest split into these tasks: its id and theirs."""
    quest = board.add("A quest")
    board.effort("pathseeker", "split", tasks=list(tasks or (A, B)), **more)
    return quest, [child.id for child in board.children(quest, "task")]


def weave(board: TrialBoard, task: str, outcome: str = "done", **parts: Any) -> None:
    board.report(board.claim("codeweaver", item=task), outcome, **parts)


def fail_three_times(board: TrialBoard, task: str) -> None:
    for number, way in enumerate(WAYS):
        weave(board, task, "failed", attempts=[{"approach": way, "outcome": "xyz"[number] * 9}])


@pytest.mark.ledger("R-24", "Q-04")
def test_tasks_are_children_where_they_are_worked_on_and_the_quest_waits_there() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b, c) = split(board, A, B, C)
        assert board.place(quest) == ("weave", "waiting")
        assert [board.place(task) for task in (a, b, c)] == [
            ("weave", "ready"),
            ("weave", "ready"),
            ("weave", "waiting"),
        ]
        shown = board.show(c)
        assert (shown["kind"], shown["files"], shown["after"], shown["parent"]) == ("task", ["src/c.py"], [a, b], quest)


@pytest.mark.ledger("R-24", "Q-04", "Q-12")
def test_when_all_have_ended_the_quest_goes_on_as_if_done_gate_included() -> None:
    with SoundBoard(QUEST) as board:
        quest, tasks = split(board)
        for task in tasks:
            weave(board, task)
            assert board.place(task) == ("weave", "done"), "a task has no ward of its own"
        assert board.place(quest) == ("weave", "proving")
        board.effort("ward", "done")
        assert board.place(quest) == ("review", "ready")


@pytest.mark.ledger("Q-04", "H-10")
def test_tasks_on_a_shared_file_run_one_after_the_other_and_independent_ones_at_once() -> None:
    with SoundBoard(QUEST) as board:
        shared = {"key": "s", "title": "Also a", "files": ["src/a.py"]}
        _, (a, b, s) = split(board, A, B, shared)
        first, second = board.claim("codeweaver"), board.claim("codeweaver")
        assert {board.item(one).status for one in (a, b)} == {"running"}
        with pytest.raises(NothingToDo):
            board.claim("codeweaver")
        board.report(first, "done")
        third = board.claim("codeweaver")
        assert board.item(s).run == third.run
        board.report(second, "done")
        board.report(third, "done")


@pytest.mark.ledger("R-32", "R-24")
@pytest.mark.parametrize(
    "after",
    [{"a": ["a"]}, {"a": ["b"], "b": ["a"]}, {"a": ["c"], "c": ["b"], "b": ["a"]}, {"a": ["Reset"], "b": ["Register"]}],
)
def test_a_circle_in_a_split_ends_the_run_and_asks(after: dict[str, list[str]]) -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add()
        tasks = [{**task, "after": after.get(str(task["key"]), [])} for task in (A, B, C)]
        board.effort("pathseeker", "split", tasks=tasks)
        assert board.place(quest) == ("discover", ASKED)
        assert board.children(quest) == [] and "→" in board.queries.inbox()["questions"][0]["question"]
        board.answer(board.inbox()[0], "split it again, one by one")
        board.effort("pathseeker", "split", tasks=[A])
        assert board.place(quest) == ("weave", "waiting")


@pytest.mark.ledger("R-07", "R-24", "Q-04")
@pytest.mark.parametrize(
    ("tasks", "word"),
    [
        ([], "needs tasks"),
        ([A, A], "have the same key 'a': give each a `key` of its own"),
        ([A, {"title": " "}], "task 2 has no title"),
        ([{"title": "x" * 501}], "a title of 501 characters: at most 500"),
        ([{"title": "x", "after": ["nothing"]}], "no task of this split has that key or title: they are 'x'"),
        (
            [{"title": "x", "agent": "nobody"}],
            "whom the flow does not know: leave `agent` out, or name one of pathseeker, codeweaver",
        ),
        ([{"title": "x", "files": ["../etc/passwd"]}], "leads out"),
        ([{"title": "x", "files": ["/etc/passwd"]}], "root"),
        ([{"title": "x", "files": ["a/../../b"]}], "leads out"),
        ([{"title": "x", "files": [""]}], "names no file"),
        ([{"title": f"t{n}"} for n in range(201)], "too many"),
    ],
)
def test_a_split_that_cannot_be_is_told_word_for_word(tasks: list[dict[str, Any]], word: str) -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add()
        board.effort("pathseeker", "split", tasks=tasks)
        assert board.place(quest) == ("discover", "ready")
        assert word in board.show(quest)["told"] and board.children(quest) == []


@pytest.mark.ledger("R-24")
def test_two_hundred_tasks_can_be_made_and_ended() -> None:
    with SoundBoard(limited(QUEST, runs=1000)) as board:
        quest, tasks = split(board, *({"title": f"t{n}", "files": [f"f{n}.py"]} for n in range(200)))
        assert len(tasks) == 200
        board.on(quest, commands.CancelItem())
        assert {board.item(task).status for task in tasks} == {"cancelled"}


@pytest.mark.ledger("Q-05")
def test_contracts_and_integration_points_reach_every_task_that_needs_them() -> None:
    with SoundBoard(QUEST) as board:
        one = {**A, "contracts": ["User"]}
        points = {"auth routes": "registration and login modify routes/auth.ts"}
        contracts = [{"name": "User", "text": "id, email"}, {"name": "Auth", "text": "ok"}]
        quest, (a, b) = split(board, one, B, contracts=contracts, integration_points=points)
        assert board.show(quest)["integration_points"] == points
        assert board.show(a)["contracts"] == [{"name": "User", "text": "id, email"}]
        assert len(board.show(b)["contracts"]) == 2, "a task that names none gets all"
        claimed = board.engine.claim(PERSON, "codeweaver", item=a)
        assert "id, email" in str(claimed["brief"]["constraints"]) and "routes/auth.ts" in str(claimed)


@pytest.mark.ledger("R-24", "Q-08", "Q-10")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("failed", {"cause": "size", "summary": "too much for one"}),
        ("stuck", {"summary": "needs something that is not there"}),
        ("stuck", {"reason": "dependency", "summary": "an unexpected dependency"}),
    ],
)
def test_a_task_that_is_too_large_goes_to_discover_itself_and_its_children_replace_it(
    outcome: str, parts: dict[str, Any]
) -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        weave(board, a, outcome, **parts)
        assert board.place(a) == ("discover", "ready") and board.place(quest) == ("weave", "waiting")
        claimed = board.engine.claim(PERSON, "pathseeker")
        assert str(parts["summary"]) in str(claimed["brief"]), "the failure is in its hand"
        run = Actor("pathseeker", claimed["run"], claimed["token"])
        board.report(run, "split", tasks=[{"title": "a1", "files": ["src/a.py"]}, {"title": "a2"}])
        assert board.place(a) == ("weave", "waiting")
        weave(board, b)
        for child in board.children(a, "task"):
            weave(board, child.id)
        assert board.place(a) == ("weave", "done") and board.place(quest) == ("weave", "proving")


@pytest.mark.ledger("R-24", "Q-08")
def test_three_failures_send_a_task_to_discover_and_its_failures_stay_on_it() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, _) = split(board)
        fail_three_times(board, a)
        assert board.place(a) == ("discover", "ready")
        assert board.show(a)["failure_count"] == 3, "only going forward and guidance begin the count again (R-05)"
        assert len(board.show(a)["failure_history"]) == 3


@pytest.mark.ledger("R-24", "Q-10")
def test_partial_work_that_ran_out_of_context_goes_on_in_a_fresh_run_and_then_asks() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, _) = split(board)
        for _ in range(2):
            weave(board, a, "incomplete", summary="half")
            assert board.place(a) == ("weave", "ready")
        weave(board, a, "incomplete", summary="half")
        assert board.place(a) == ("weave", ASKED)


@pytest.mark.ledger("R-24", "R-05")
def test_a_task_for_a_named_agent_is_still_split_by_whoever_splits() -> None:
    flow = small_flow("""
discover: plan
columns:
  plan: {agents: [p], next: work}
  work: {agents: [w], next: done}
  aside: {agents: [special], kind: escalation}
agents: {p: {may: [ask, split], write: none}, w: {}, special: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("p", "split", tasks=[{"title": "for one", "agent": "special"}])
        (task,) = [child.id for child in board.children(item)]
        with pytest.raises(NothingToDo):
            board.claim("w")
        board.effort("special", "failed", cause="size")
        assert board.place(task) == ("plan", "ready")
        board.effort("p", "split", tasks=[{"title": "half"}])
        board.effort("w", "done")
        assert board.place(task) == ("work", "done") and board.place(item) == ("done", "done")


@pytest.mark.ledger("R-24")
def test_what_was_sent_to_be_split_is_not_simply_done() -> None:
    with SoundBoard(QUEST) as board:
        _, (a, _) = split(board)
        weave(board, a, "failed", cause="size")
        board.effort("pathseeker", "done")
        assert board.place(a) == ("discover", "ready") and "split" in board.show(a)["told"]
        board.effort("pathseeker", "asks", question={"question": "how?"})
        assert board.place(a) == ("discover", ASKED)


@pytest.mark.ledger("R-24", "Q-04")
def test_a_task_may_come_after_one_that_is_named_later() -> None:
    with SoundBoard(QUEST) as board:
        _, (c, a, b) = split(board, C, A, B)
        assert board.item(c).waits_for == [a, b] and board.place(c) == ("weave", "waiting")
        weave(board, a)
        weave(board, b)
        assert board.place(c) == ("weave", "ready")


@pytest.mark.ledger("R-32", "R-03")
def test_a_circle_is_found_though_a_title_is_the_key_of_another() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add()
        tasks = [
            {"key": "b", "title": "x", "after": ["c"]},
            {"key": "c", "title": "y", "after": ["b"]},
            {"key": "a", "title": "b"},
        ]
        board.effort("pathseeker", "split", tasks=tasks)
        assert board.place(quest) == ("discover", ASKED) and board.children(quest) == []


@pytest.mark.ledger("R-24")
def test_without_guidance_the_fourth_discovery_asks() -> None:
    flow = small_flow("""
discover: plan
limits: {splits: 9}
columns: {plan: {agents: [p], next: work}, work: {agents: [w], next: done}, aside: {agents: [s], kind: escalation}}
reasons: {lost: aside}
agents: {p: {may: [ask, split], write: none}, w: {}, s: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add("too large", column="work")
        for number in range(4):
            assert board.place(item) == ("work", "ready"), number
            board.effort("w", "failed", cause="size")
            if number == 3:
                break
            assert board.place(item) == ("plan", "ready")
            board.effort("p", "stuck", reason="lost")
            # Whoever helps does the stage's work: forward from there.
            board.effort("s", "done")
        assert board.place(item) == ("work", ASKED)


@pytest.mark.ledger("R-24", "R-07")
def test_splits_are_bounded_in_number_and_depth() -> None:
    with SoundBoard(limited(QUEST, splits=1)) as board:
        quest, (a, _) = split(board)
        weave(board, a, "failed", cause="size")
        board.effort("pathseeker", "split", tasks=[{"title": "deeper"}])
        assert board.place(a) == ("discover", ASKED) and board.children(a) == []
        assert board.place(quest) == ("weave", "waiting")


@pytest.mark.ledger("Q-11", "Q-10")
def test_a_failing_task_does_not_disturb_the_one_beside_it() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        beside = board.claim("codeweaver", item=b)
        before = board.item(b)
        fail_three_times(board, a)
        board.effort("pathseeker", "asks", question={"question": "how?"})
        assert board.item(b) == before
        board.report(beside, "done")
        assert board.place(b) == ("weave", "done") and board.place(quest) == ("weave", "waiting")


@pytest.mark.ledger("R-24", "Q-10")
def test_parts_that_do_not_fit_let_the_quest_be_looked_at_at_once_while_others_run_on() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        beside = board.claim("codeweaver", item=b)
        weave(board, a, "failed", cause="conflict", summary="the types differ")
        assert board.place(a) == ("weave", "waiting") and board.place(quest) == ("discover", "ready")
        claimed = board.engine.claim(PERSON, "pathseeker")
        assert "the types differ" in str(claimed["brief"])
        board.report(beside, "done")
        run = Actor("pathseeker", claimed["run"], claimed["token"])
        board.report(run, "split", tasks=[{"title": "common types", "files": ["src/t.py"]}])
        assert board.place(quest) == ("weave", "waiting") and board.place(a) == ("weave", "ready")
        weave(board, a)
        weave(board, board.children(quest, "task")[-1].id)
        assert board.place(quest) == ("weave", "proving")


@pytest.mark.ledger("R-24", "Q-10")
def test_whoever_looks_at_the_whole_may_say_that_it_is_well_and_the_task_goes_on() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, _) = split(board)
        weave(board, a, "failed", cause="conflict", summary="the types differ")
        board.effort("pathseeker", "done", summary="use b's types", contracts=[{"name": "T", "text": "as in b"}])
        assert board.place(quest) == ("weave", "waiting") and board.place(a) == ("weave", "ready")


@pytest.mark.ledger("R-24", "R-03")
def test_a_quest_that_a_person_put_after_its_own_task_can_be_looked_at_for_that_task() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, _) = split(board)
        board.on(quest, commands.EditItem(after=[a]))
        weave(board, a, "failed", cause="conflict", summary="one")
        assert board.place(quest) == ("discover", "ready") and board.wrong() == []
        board.effort("pathseeker", "done")
        assert board.place(quest) == ("weave", "waiting") and board.place(a) == ("weave", "ready")


@pytest.mark.ledger("R-24", "R-03")
def test_a_quest_can_be_put_after_another_while_its_tasks_wait_for_it_or_one_was_cancelled() -> None:
    with SoundBoard(QUEST) as board:
        other = board.add("Another", column="weave")
        quest, (a, _) = split(board)
        weave(board, a, "failed", cause="conflict", summary="one")
        board.on(quest, commands.EditItem(after=[other]))
        assert board.wrong() == [] and a not in board.item(quest).waits_for
        board.on(other, commands.CancelItem())
    with SoundBoard(QUEST) as board:
        other = board.add("Another", column="weave")
        quest, (a, _) = split(board)
        board.on(a, commands.CancelItem())
        board.on(quest, commands.EditItem(after=[other]))
        assert a not in board.item(quest).made and other in board.item(quest).waits_for


@pytest.mark.ledger("R-24", "R-03")
def test_two_tasks_conflict_while_the_whole_is_looked_at() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        weave(board, a, "failed", cause="conflict", summary="one")
        looking = board.claim("pathseeker")
        weave(board, b, "failed", cause="conflict", summary="two")
        assert board.place(b) == ("weave", "waiting"), "it is looked at already: nobody tries in vain meanwhile"
        assert board.wrong() == []
        board.report(looking, "split", tasks=[{"title": "types"}])
        assert {board.place(one) for one in (a, b)} == {("weave", "ready")}
        assert board.place(quest) == ("weave", "waiting")


@pytest.mark.ledger("R-24", "R-03")
@pytest.mark.parametrize("conflicts", [True, False])
def test_a_task_reopened_while_the_whole_is_looked_at_makes_no_circle(conflicts: bool) -> None:
    with SoundBoard(QUEST) as board:
        after_a = {"key": "c", "title": "Routes", "files": ["src/c.py"], "after": ["a"]}
        quest, (a, b, c) = split(board, A, B, after_a)
        for task in (a, c):
            weave(board, task)
        weave(board, b, "failed", cause="conflict", summary="one")
        board.on(a, commands.ReopenItem())
        board.on(c, commands.ReopenItem())
        assert board.place(quest) == ("discover", "ready") and board.wrong() == []
        if conflicts:
            weave(board, a, "failed", cause="conflict", summary="two")
            assert board.wrong() == []
        board.effort("pathseeker", "done")
        assert board.place(quest) == ("weave", "waiting") and set(board.item(quest).waits_for) == {a, b, c}
        for task in (a, b, c):
            weave(board, task)
        assert board.place(quest) == ("weave", "proving")


OWNING = small_flow("""
discover: cut
arbiter: cut
columns: {cut: {agents: [seeker], next: weave}, weave: {agents: [weaver], next: done}}
agents: {seeker: {may: [split]}, weaver: {may: [split]}}
limits: {starve: 100s}
""")


@pytest.mark.ledger("R-03", "R-20")
@pytest.mark.parametrize("many", [0, 300], ids=["a short queue", "a queue with bars"])
@pytest.mark.parametrize("through", ["itself", "another"])
def test_who_waits_for_a_whole_that_is_looked_at_keeps_no_path_from_it(through: str, many: int) -> None:
    """It waits as a task of the whole that does not fit, or comes after such a task, and holds what the whole needs."""
    with SoundBoard(OWNING) as board:
        quest = board.add("A quest")
        board.effort("seeker", "split", tasks=[{"title": "a", "files": ["docs/"]}, {"title": "b"}])
        board.on(quest, commands.EditItem(files=["src/"]))
        a, b = (task.id for task in board.children(quest, "task"))
        other = board.add("Another", column="weave")
        holder = board.claim("weaver", item=a if through == "itself" else other)
        board.engine.handle_run(holder, commands.WidenRun(paths=["src/a.py"]))
        does_not_fit = {"outcome": "failed", "cause": "conflict", "summary": "it does not fit"}
        board.report(board.claim("weaver", item=b), **does_not_fit)
        for _ in range(many):
            board.add(files=["src/a.py"], priority="low")
        with pytest.raises(NothingToDo):
            board.claim("seeker")
        if through == "itself":
            board.report(holder, **does_not_fit)
        else:
            board.report(holder, "incomplete")
            board.on(other, commands.EditItem(after=[b]))
        assert board.item(a if through == "itself" else b).waits_for == [quest]
        board.sleep(200)
        assert board.wrong() == []
        run = board.claim("seeker")
        assert board.item(quest).run == run.run
        board.report(run, "done")
        assert board.place(b) == ("weave", "ready")


@pytest.mark.ledger("R-24", "R-16")
@pytest.mark.parametrize("then", ["cancel", "move", "answer"])
def test_a_quest_that_is_taken_elsewhere_while_it_is_looked_at_takes_no_task_along_unfinished(then: str) -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        live = board.claim("codeweaver", item=b)
        weave(board, a, "failed", cause="conflict", summary="one")
        if then == "cancel":
            board.on(quest, commands.CancelItem())
        elif then == "move":
            board.on(quest, commands.MoveItem(column="review"))
        else:
            board.effort("pathseeker", "asks", question={"question": "how?"})
            board.answer(board.inbox()[0], "leave them", to="review")
        assert {board.item(one).status for one in (a, b)} == {"cancelled"}
        with pytest.raises(Refused):
            board.report(live, "done")
        if then != "cancel":
            assert board.place(quest) == ("review", "ready")


@pytest.mark.ledger("R-24", "R-16")
@pytest.mark.parametrize("column", ["review", "discover", "weave"])
def test_a_person_who_moves_a_split_quest_cancels_its_unfinished_tasks(column: str) -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        weave(board, a)
        live = board.claim("codeweaver", item=b)
        board.on(quest, commands.MoveItem(column=column))
        assert (board.item(a).status, board.item(b).status) == ("done", "cancelled")
        with pytest.raises(Refused) as caught:
            board.report(live, "done")
        assert caught.value.code == "stale_claim"
        assert board.place(quest) == (column, "ready")


@pytest.mark.ledger("R-03", "R-24")
def test_a_cancelled_task_asks_its_quest_and_whoever_comes_after_it() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b, c) = split(board, A, B, C)
        board.on(a, commands.CancelItem())
        assert board.place(quest) == ("weave", ASKED) and board.place(c) == ("weave", ASKED)
        for question in board.inbox():
            board.answer(question, "1")
        assert board.place(quest) == ("weave", "waiting") and board.place(c) == ("weave", "waiting")
        weave(board, b)
        weave(board, c)
        assert board.place(quest) == ("weave", "proving")


@pytest.mark.ledger("R-24", "R-16")
def test_a_reopened_task_is_waited_for_again_wherever_its_quest_is() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, b) = split(board)
        weave(board, a)
        weave(board, b)
        board.on(a, commands.ReopenItem())
        assert board.place(a) == ("weave", "ready") and board.place(quest) == ("weave", "waiting")
        weave(board, a)
        board.effort("ward", "done")
        board.on(b, commands.ReopenItem())
        assert board.place(quest) == ("review", "waiting")
        weave(board, b)
        assert board.place(quest) == ("review", "ready")


@pytest.mark.ledger("R-16", "R-24")
def test_a_child_of_an_ended_parent_is_not_reopened() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, _) = split(board)
        board.on(quest, commands.CancelItem())
        with pytest.raises(Refused) as caught:
            board.on(a, commands.ReopenItem())
        assert caught.value.code == "parent_ended"


REVIEWED = small_flow("""
discover: plan
columns:
  plan: {agents: [p], next: work}
  work: {agents: [w], next: look}
  look: {agents: [r], next: done, fix: work}
agents: {p: {may: [ask, split], write: none}, w: {}, r: {write: none}}
""")


def reviewed(board: TrialBoard) -> tuple[str, str, str]:
    quest = board.add()
    board.effort("p", "split", tasks=[A, B])
    a, b = (child.id for child in board.children(quest))
    for task in (a, b):
        board.report(board.claim("w", item=task), "done")
    assert board.place(quest) == ("look", "ready")
    return quest, a, b


@pytest.mark.ledger("R-24")
def test_findings_about_a_tasks_work_reopen_that_task_and_only_that() -> None:
    with SoundBoard(REVIEWED) as board:
        quest, a, b = reviewed(board)
        board.effort("r", "changes_requested", findings=[{"file": "./src/a.py", "line": 1, "issue": "no check"}])
        assert board.place(a) == ("work", "ready") and board.place(b) == ("work", "done")
        assert board.place(quest) == ("work", "waiting")
        assert [f["issue"] for f in board.show(a)["findings"]] == ["no check"]
        board.effort("w", "done")
        assert board.place(quest) == ("look", "ready"), "it returns to whoever asked"
        board.effort("r", "done")
        assert board.place(quest) == ("done", "done")


@pytest.mark.ledger("R-24")
@pytest.mark.parametrize("path", ["../out.py", "/etc/passwd", "elsewhere.py", ""])
def test_findings_about_nobodys_file_are_fixed_on_the_quest_itself(path: str) -> None:
    with SoundBoard(REVIEWED) as board:
        quest, a, b = reviewed(board)
        findings = [{"file": "src/a.py", "issue": "x"}, {"file": path, "issue": "y"}]
        board.effort("r", "changes_requested", findings=findings)
        assert board.place(quest) == ("work", "waiting"), "first the task that one of them is about"
        assert [board.place(one)[1] for one in (a, b)] == ["ready", "done"]
        board.effort("w", "done")
        assert board.place(quest) == ("work", "ready") and board.place(a) == ("work", "done")
        board.effort("w", "done")
        assert board.place(quest) == ("look", "ready")


@pytest.mark.ledger("R-24", "R-20")
def test_the_quests_own_hold_keeps_its_tasks_out_of_nothing_while_it_waits_for_them() -> None:
    with SoundBoard(REVIEWED) as board:
        quest = board.add("too large", column="work", files=["src/"])
        board.effort("w", "failed", cause="size")
        assert board.item(quest).holds == ["src/"] and board.place(quest) == ("plan", "ready")
        board.effort("p", "split", tasks=[A, B])
        first, second = board.claim("w"), board.claim("w")
        board.report(first, "done")
        board.report(second, "done")
        assert board.place(quest) == ("look", "ready")


@pytest.mark.ledger("R-03", "R-24")
def test_tasks_of_tasks_end_from_the_inside_out_and_are_cancelled_from_the_outside_in() -> None:
    with SoundBoard(QUEST) as board:
        quest, (a, _) = split(board)
        weave(board, a, "failed", cause="size")
        board.effort("pathseeker", "split", tasks=[{"key": "i", "title": "inner"}])
        (inner,) = [child.id for child in board.children(a)]
        weave(board, inner, "failed", cause="size")
        board.effort("pathseeker", "split", tasks=[{"title": "innermost"}])
        (innermost,) = [child.id for child in board.children(inner)]
        live = board.claim("codeweaver", item=innermost)
        board.on(quest, commands.CancelItem())
        assert {board.item(one).status for one in (a, inner, innermost)} == {"cancelled"}
        with pytest.raises(Refused):
            board.report(live, "done")


@pytest.mark.ledger("R-30", "R-24")
def test_a_flow_that_forgets_how_to_split_lets_the_tasks_end_all_the_same() -> None:
    text = """
columns:
  discover: {agents: [pathseeker], next: weave}
  weave: {agents: [codeweaver], next: done}
agents: {pathseeker: {may: [ask, split], write: none}, codeweaver: {}}
start: discover
"""
    with SoundBoard(small_flow(f"discover: discover\n{text}")) as board:
        quest, (a, b) = split(board)
        weave(board, a)
        board.adopt(small_flow(text))
        fail_three_times(board, b)
        assert board.place(b) == ("weave", ASKED), "nobody splits any more: a person decides"
        board.answer(board.inbox()[0], "1, once more")
        weave(board, b)
        assert board.place(quest) == ("done", "done")
