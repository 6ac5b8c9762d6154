"""Work that touches what another holds waits for the holder: it is kept, nothing is counted, nobody does it again."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.commands import Actor, LockPaths, UnlockPaths
from folkmoot.core.flow import LANDING
from folkmoot.core.work import Work
from folkmoot.errors import NothingToDo
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow

FLOW = small_flow("""
columns:
  dev:  {agents: [d], next: look}
  look: {agents: [a, b], next: mend, fix: dev}
  mend: {agents: [m], next: done}
agents:
  d: {may: [ask, split, dispatch, delegate]}
  a: {}
  b: {write: none, may: [dispatch]}
  m: {write: any, may: [split]}
""")
HOT = "src/hot.py"
ANN = Actor("ann")


# Each gives an item whose `done` would come onto another's branch at once, and its run.


def a_task(board: TrialBoard) -> tuple[str, Actor]:
    item = board.add("whole")
    board.effort("d", "split", tasks=[{"title": "free"}])
    return item, board.claim("d", item=board.children(item, "task")[0].id)


def a_task_of_whoever_may_write_anything(board: TrialBoard) -> tuple[str, Actor]:
    item = board.add("whole", column="mend")
    board.effort("m", "split", tasks=[{"title": "free", "files": ["docs/own.md"]}])
    return item, board.claim("m", item=board.children(item, "task")[0].id)


def a_part(board: TrialBoard) -> tuple[str, Actor]:
    item = board.add("whole", column="look")
    return item, board.claim("a")


def one_that_was_sent_for(board: TrialBoard) -> tuple[str, Actor]:
    item = board.add("whole", column="look")
    run = board.claim("b")
    sent = board.engine.add(run, commands.DispatchAgent(agent="d", task="mend it"))["id"]
    return item, board.claim("d", item=sent)


# Each holds the path, and gives a way to end that.


def an_item(board: TrialBoard) -> Callable[[], object]:
    holder = board.add("holder", files=[HOT])
    run = board.claim("d", item=holder)
    return lambda: (board.report(run, "done"), board.on(holder, commands.CancelItem()))


def another_run(board: TrialBoard) -> Callable[[], object]:
    run = board.claim("d", item=board.add("locks it"))
    board.engine.lock(run, LockPaths(paths=[HOT], seconds=600))
    return lambda: board.report(run, "incomplete")


def a_person(board: TrialBoard) -> Callable[[], object]:
    board.engine.lock(ANN, LockPaths(paths=["src/"], seconds=600))
    return lambda: board.engine.lock(ANN, UnlockPaths(paths=["src/"]))


def a_person_who_forgot_it(board: TrialBoard) -> Callable[[], object]:
    board.engine.lock(ANN, LockPaths(paths=[HOT], seconds=30))
    return lambda: board.sleep(31)


MAKERS = [a_task, a_task_of_whoever_may_write_anything, a_part, one_that_was_sent_for]
HOLDERS = [an_item, another_run, a_person, a_person_who_forgot_it]


@pytest.mark.ledger("R-20", "R-07")
@pytest.mark.parametrize("hold", HOLDERS)
@pytest.mark.parametrize("make", MAKERS)
def test_whoever_holds_it_and_whoever_made_it(
    make: Callable[[TrialBoard], tuple[str, Actor]], hold: Callable[[TrialBoard], Callable[[], object]]
) -> None:
    with SoundBoard(FLOW) as board:
        whole, run = make(board)
        end = hold(board)
        board.bring(run, work=change(HOT, merged="p1"), summary="made it")
        child = board.show(board.queries.run_context(run.run or "").item)
        assert (child["status"], child["head"], child["runs"][-1]["outcome"]) == ("proving", "c1", "done")
        assert child["blocked_by"] is not None and "held by" in child["why"]
        assert board.item(whole).head is None and "work_waits" in [event["event"] for event in board.log(child["id"])]
        with pytest.raises(NothingToDo):
            board.claim(LANDING)
        runs = board.item(child["id"]).span.runs
        end()
        board.bring(LANDING, work=Work(commit="c1", merged="p1"))
        row = board.item(child["id"])
        assert (row.status, board.item(whole).head) == ("done", "p1")
        assert row.effort.conflicts == 0 and row.attempt_count == 0
        assert row.span.runs == runs + 1, "to wait costs no run; the landing is one"


@pytest.mark.ledger("R-20")
def test_an_item_of_its_own_waits_to_land_and_costs_nothing_by_it() -> None:
    flow = small_flow("{columns: {dev: {agents: [d], next: done}}, agents: {d: {}}}")
    with SoundBoard(flow) as board:
        item = board.add("free")
        board.bring("d", work=change(HOT))
        board.add("holder", files=[HOT])
        holder = board.claim("d")
        for _ in range(5):
            with pytest.raises(NothingToDo):
                board.claim(LANDING)
            board.sleep(20)
            board.engine.handle_run(holder, commands.RenewRun())
        assert board.item(item).span.runs == 1 and board.place(item) == ("done", "proving")
        assert "is held by d for item 2" in board.show(item)["why"]
        board.report(holder, "done")
        board.bring(LANDING, commit="m1")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-20")
def test_the_board_says_when_a_lock_that_keeps_work_from_landing_ends() -> None:
    flow = small_flow("{columns: {dev: {agents: [d], next: done}}, agents: {d: {}}}")
    with SoundBoard(flow) as board:
        board.add("free")
        board.bring("d", work=change(HOT))
        board.engine.lock(ANN, LockPaths(paths=["src/"], seconds=40))
        assert board.queries.next_wake([LANDING]) == pytest.approx(40, abs=0.1)


@pytest.mark.ledger("R-03", "R-20")
def test_wholes_that_hold_what_each_others_parts_touched_do_not_wait_in_a_circle() -> None:
    with SoundBoard(replace(FLOW, agents={**FLOW.agents, "d": replace(FLOW.agents["d"], write="any")})) as board:
        wholes = [board.add(name, files=[f"src/{name}.py"]) for name in ("x", "y", "z")]
        for whole in wholes:
            board.report(board.claim("d", item=whole), "split", tasks=[{"title": "free"}])
        for whole, touched in zip(wholes, ("y", "z", "x"), strict=True):
            (task,) = board.children(whole, "task")
            board.bring(board.claim("d", item=task.id), work=change(f"src/{touched}.py", merged=f"p{whole}"))
        for step in range(40):
            try:
                run = board.next(LANDING, "a", "b", "m")
            except NothingToDo:
                break
            stands = board.queries.run_context(run.run or "")
            work = Work(commit=stands.head, onto=stands.parent_head, merged=f"m{step}") if run.name == LANDING else None
            board.bring(run, work=work)
        assert [board.place(whole) for whole in wholes] == [("done", "done")] * 3


@pytest.mark.ledger("R-03", "R-20")
@pytest.mark.parametrize("slept", [0, 4000])
@pytest.mark.parametrize("wholes", [2, 3, 7])
def test_wholes_that_hold_what_each_others_tasks_declare_do_not_wait_in_a_circle(wholes: int, slept: int) -> None:
    with SoundBoard(FLOW) as board:
        paths = [f"src/{number}.py" for number in range(wholes)]
        items = [board.add(path, files=[path]) for path in paths]
        runs = [board.claim("d", item=item) for item in items]
        for run, path in zip(runs, [*paths[1:], paths[0]], strict=True):
            board.report(run, "split", tasks=[{"title": "the next one's", "files": [path]}])
        board.sleep(slept)
        assert board.wrong() == []
        for _ in range(4 * wholes):  # a task each; then a, b and m look at each whole
            board.report(board.next("d", "a", "b", "m"), "done")
        assert [board.place(item) for item in items] == [("done", "done")] * wholes


@pytest.mark.ledger("R-03", "R-20")
def test_a_circle_that_leads_over_a_landing_is_passed_and_the_doctor_agrees() -> None:
    with SoundBoard(FLOW) as board:
        landing = board.add("lands", files=["src/b.py"], column="mend")
        whole = board.add("whole", files=["src/a.py"])
        one = board.claim("m")
        board.report(board.claim("d", item=whole), "split", tasks=[{"title": "its task", "files": ["src/b.py"]}])
        board.bring(one, work=change("src/a.py"))
        assert board.place(landing) == ("done", "proving"), "it holds b, and waits for a"
        run = board.claim("d")
        assert board.queries.run_context(run.run or "").item == board.children(whole, "task")[0].id
        assert board.wrong() == []


@pytest.mark.ledger("R-03", "R-20")
def test_two_that_hold_what_the_other_brings_both_land() -> None:
    flow = small_flow("{columns: {dev: {agents: [d], next: done}}, agents: {d: {write: any}}}")
    with SoundBoard(flow) as board:
        items = [board.add(name, files=[f"{name}.py"]) for name in ("x", "y")]
        runs = [board.claim("d", item=item) for item in items]
        for run, other in zip(runs, ("y", "x"), strict=True):
            board.bring(run, work=change(f"{other}.py"))
        for number, item in enumerate(items):
            board.bring(LANDING, commit=f"m{number}")
            assert board.place(item) == ("done", "done")


PATHS = st.sampled_from(["src/a.py", "src/b.py", "src/", "docs/c.md"])
TASKS = st.lists(st.tuples(st.lists(PATHS, max_size=1), PATHS), min_size=1, max_size=4)


@pytest.mark.ledger("R-03", "R-07", "R-20")
@settings(max_examples=60, deadline=None)
@given(st.lists(TASKS, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_whatever_is_touched_everything_lands_with_one_effort_each(
    wholes: list[list[tuple[list[str], str]]], chance: object
) -> None:
    """Tasks that declare nothing touch what others declared: each is done once, and none is refused."""
    import random

    assert isinstance(chance, random.Random)
    with SoundBoard(FLOW) as board:
        ids, wants = [], {}
        for number, tasks in enumerate(wholes):
            ids.append(board.add(f"whole {number}"))
            told = [{"title": f"t{place}", "files": files} for place, (files, _) in enumerate(tasks)]
            board.report(board.claim("d", item=ids[-1]), "split", tasks=told)
            for task, (files, touched) in zip(board.children(ids[-1], "task"), tasks, strict=True):
                path = (files or [touched])[0]
                wants[task.id] = path + "x.py" if path.endswith("/") else path
        live: list[Actor] = []
        for step in range(200):
            if all(board.item(task).status == "done" for task in wants):
                break
            agent = chance.choice(["d", "d", LANDING])
            try:
                run = board.claim(agent)
            except NothingToDo:
                run = None
            if run is not None and agent == LANDING:
                landing = board.queries.run_context(run.run or "")
                board.bring(run, work=Work(commit=landing.head, onto=landing.parent_head, merged=f"l{step}"))
            elif run is not None:
                live.append(run)
            if live and (run is None or chance.random() < 0.5):
                one = live.pop(chance.randrange(len(live)))
                stands = board.queries.run_context(one.run or "")
                work = change(wants[stands.item], commit=f"c{step}", onto=stands.parent_head, merged=f"p{step}")
                board.bring(one, work=work)
        assert {board.item(task).status for task in wants} == {"done"}
        efforts = [run for task in wants for run in board.show(task)["runs"] if run["agent"] == "d"]
        assert [run["outcome"] for run in efforts] == ["done"] * len(wants)
