"""How work comes onto the branch it is for: the gate that every flow has, what it finds, what children hand over."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.core.work import Evidence, Touched, Work
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, limited, small_flow

ASKED = "awaiting-divine-guidance"
LINE = small_flow("""
columns: {dev: {agents: [d], next: look, gate: [ward]}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {may: [ask, split, delegate, dispatch]}, r: {write: none}}
gates: {ward: {run: ["true"]}}
""")
SHORT = small_flow("""
columns: {dev: {agents: [d], next: done}}
agents: {d: {may: [ask, split, delegate, dispatch]}}
""")
ANYWHERE = small_flow("{columns: {dev: {agents: [d], next: done}}, agents: {d: {write: any}}}")
GROUP = small_flow("""
columns: {dev: {agents: [d], next: look}, look: {agents: [a, b], next: done, fix: dev}}
agents: {d: {}, a: {write: new_tests}, b: {write: none}}
""")
GREEN = Evidence(gate="ward", green=True, command=["true"], commit="m1", tree="t1")
RED = Evidence(gate="ward", green=False, command=["true"], commit="m1", tree="t1", output="1 failed")


def made(board: TrialBoard, commit: str = "c1", **fields: Any) -> str:
    """An item of the short flow whose work is to land."""
    item = board.add(**fields)
    board.bring("d", work=change(f"src/{item}.py", commit=commit))
    assert board.place(item) == ("done", "proving")
    return item


def through(board: TrialBoard) -> str:
    """An item of the line whose work passed its gate and is to land."""
    item = board.add()
    board.bring("d", work=change("src/a.py"))
    board.bring("ward", evidence=[Evidence(gate="ward", green=True, command=["true"], commit="c1", tree="t0")])
    board.bring("r")
    assert board.place(item) == ("done", "proving")
    return item


def record(board: TrialBoard, run: Actor, *touched: str, new: str = "m1") -> None:
    paths = [Touched(path) for path in touched]
    board.engine.handle_run(run, commands.RecordLanding(branch="main", old="t", new=new, touched=paths))


def conflict(commit: str = "m1") -> dict[str, Any]:
    return {"cause": "conflict", "summary": "both changed a.py", "work": Work(base="c1", commit=commit)}


@pytest.mark.ledger("R-19", "R-21")
def test_an_item_with_work_is_done_when_it_has_landed() -> None:
    with SoundBoard(LINE) as board:
        item = through(board)
        for agent in ("d", "r", "ward"):
            with pytest.raises(NothingToDo):
                board.claim(agent)
        run = board.claim("landing")
        run_context = board.queries.run_context(run.run or "")
        assert (run_context.head, run_context.branch, run_context.gates) == ("c1", "main", ["ward"])
        record(board, run, "src/a.py")
        landing = board.item(item).landing
        assert landing is not None and (landing.branch, landing.old, landing.new) == ("main", "t", "m1")
        board.bring(run, evidence=[GREEN], commit="m1")
        row = board.item(item)
        assert (row.status, row.head, row.landed, row.landed_on, row.landing) == ("done", None, "m1", "main", None)
        assert row.evidence == "gates" and row.proofs[-1].evidence == GREEN and row.proving is None


def test_an_item_without_work_is_done_at_once() -> None:
    with SoundBoard(SHORT) as board:
        item = board.add()
        board.effort("d", "done")
        assert board.place(item) == ("done", "done") and board.item(item).landed is None


@pytest.mark.ledger("R-22")
def test_a_gate_that_is_proved_on_the_tree_need_not_be_shown_again() -> None:
    with SoundBoard(LINE) as board:
        through(board)
        run = board.claim("landing")
        assert board.queries.run_context(run.run or "").proved == {"t0": ["ward"]}


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("cause", ["conflict", "gate"])
def test_what_does_not_land_goes_to_its_maker_and_is_looked_at_again(cause: str) -> None:
    with SoundBoard(LINE) as board:
        item = through(board)
        evidence = [RED] if cause == "gate" else []
        work = Work(base="c1", commit="m1")
        board.bring("landing", "failed", work=work, evidence=evidence, cause=cause, summary="it does not fit")
        row = board.item(item)
        assert (row.column, row.status, row.head, row.returns_to) == ("dev", "ready", "m1", "done")
        assert [finding.issue for finding in row.findings] == ["it does not fit"]
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        board.effort("ward", "done")
        assert board.place(item) == ("look", "ready")
        board.effort("r", "done")
        assert board.place(item) == ("done", "proving")
        board.bring("landing", evidence=[GREEN], commit="m2")
        assert board.place(item) == ("done", "done") and board.item(item).evidence == "gates"


@pytest.mark.ledger("R-22")
def test_after_a_red_landing_a_proved_tree_is_evidence() -> None:
    with SoundBoard(LINE) as board:
        item = through(board)
        board.bring("landing", "failed", work=Work(commit="m1"), evidence=[RED], cause="gate", summary="red")
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        board.effort("ward", "done")
        board.effort("r", "done")
        board.bring("landing", commit="m2")  # nothing had to run again
        assert board.item(item).evidence == "gates"


@pytest.mark.ledger("R-22")
def test_a_landing_that_says_done_beside_a_red_gate_has_not_landed() -> None:
    with SoundBoard(LINE) as board:
        item = through(board)
        board.bring("landing", evidence=[RED], commit="m1")
        assert board.place(item) == ("dev", "ready") and board.item(item).landed is None


@pytest.mark.ledger("R-19")
def test_after_the_flows_rounds_a_person_is_asked_and_their_answer_begins_anew() -> None:
    with SoundBoard(limited(SHORT, feedback_rounds=1)) as board:
        item = made(board)
        board.bring("landing", "failed", **conflict())
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        board.bring("landing", "failed", **conflict("m2"))
        assert board.place(item) == ("done", ASKED)
        board.answer(board.inbox()[0], "2")
        assert board.place(item) == ("dev", "ready"), "nobody has mended what is marked"
        assert board.item(item).span.reds == {"done": 1}, "it was counted anew"
        board.bring("d", work=change("src/a.py", base="m2", commit="c3"))
        board.bring("landing", commit="m3")
        assert board.place(item) == ("done", "done")


@pytest.mark.parametrize(("choice", "place"), [("1", ("dev", "ready")), ("3", ("done", "cancelled"))])
def test_whoever_is_asked_about_a_landing_can_have_it_mended_or_given_up(choice: str, place: tuple[str, str]) -> None:
    with SoundBoard(limited(SHORT, feedback_rounds=0)) as board:
        item = made(board)
        board.bring("landing", "failed", **conflict())
        board.answer(board.inbox()[0], choice)
        assert board.place(item) == place and board.item(item).head == "m1"


@pytest.mark.ledger("R-07", "R-21")
def test_a_landing_that_cannot_run_is_tried_again_and_then_asked_about() -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        for _ in range(2):
            board.bring("landing", "failed", cause="transient", summary="the disk is full")
            assert board.place(item) == ("done", "proving")
            board.sleep(60)
        board.crash(board.claim("landing"))
        assert board.place(item) == ("done", ASKED)
        board.answer(board.inbox()[0])
        assert board.place(item) == ("done", "proving") and board.item(item).head == "c1"


@pytest.mark.ledger("R-20")
def test_what_others_hold_and_only_the_merge_shows_is_found_out_once_and_then_waited_for() -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        board.add(files=["docs/"])
        holder = board.claim("d")
        run = board.claim("landing")
        record(board, run, "src/1.py", "docs/1.py")  # the other side has renamed what it changed
        assert board.place(item) == ("done", "proving") and board.item(item).landing is None
        with pytest.raises(Refused) as caught:
            board.bring(run)
        assert caught.value.code == "stale_claim"
        runs = board.item(item).span.runs
        for _ in range(8):
            board.sleep(20)
            board.engine.handle_run(holder, commands.RenewRun())
            with pytest.raises(NothingToDo):
                board.claim("landing")
        assert board.item(item).span.runs == runs, "to wait costs no run"
        assert "docs/ is held by" in board.show(item)["why"]
        assert board.item(item).effort.executions == 0 and board.inbox() == []
        board.report(holder, "done")
        board.claim("landing", item=item)


@pytest.mark.ledger("R-20")
def test_a_hold_keeps_out_no_landing_that_its_holder_waits_for() -> None:
    with SoundBoard(ANYWHERE) as board:
        item = board.add(files=["src/1.py"])
        board.bring("d", work=change("src/1.py", "docs/x.md"))
        holder = board.add(files=["docs/"])
        run = board.claim("d")
        wants = board.add("wants what the landing item holds", files=["src/1.py"], parent=holder)
        board.report(run, "incomplete")
        assert board.place(holder) == ("dev", "waiting") and board.place(wants) == ("dev", "ready")
        landing = board.claim("landing")
        record(board, landing, "docs/x.md")
        assert board.item(item).landing is not None
        board.bring(landing, commit="m1")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19")
def test_one_at_a_time_lands_on_a_branch() -> None:
    with SoundBoard(SHORT) as board:
        first, second = made(board), made(board, "c2")
        run = board.claim("landing")
        with pytest.raises(NothingToDo):
            board.claim("landing")
        with pytest.raises(Refused):
            board.claim("landing", item=second)
        board.bring(run, commit="m1")
        assert board.place(first) == ("done", "done")
        board.crash(board.claim("landing"))
        board.bring("landing", commit="m2")
        assert board.place(second) == ("done", "done")


def test_only_a_landing_moves_a_branch() -> None:
    with SoundBoard(SHORT) as board:
        board.add()
        run = board.claim("d")
        with pytest.raises(Refused) as caught:
            record(board, run, "src/a.py")
        assert caught.value.code == "not_landing"


# Children


def split(board: TrialBoard, *titles: str) -> tuple[str, list[str]]:
    item = board.add()
    board.effort("d", "split", tasks=[{"title": title} for title in titles])
    return item, [child.id for child in board.children(item, "task")]


@pytest.mark.ledger("R-19", "R-24")
def test_a_task_hands_its_work_to_its_parent_in_its_report_if_nobody_was_quicker() -> None:
    with SoundBoard(LINE) as board:
        item, (first, second) = split(board, "one", "two")
        slow, quick = board.claim("d"), board.claim("d")
        assert board.queries.run_context(slow.run or "").ends_here
        board.bring(quick, work=change("src/b.py", commit="k2", onto=None, merged="p1"))
        assert (board.item(item).head, board.item(second).head) == ("p1", None)
        stale = change("src/a.py", commit="k1", onto=None, merged="p2")
        with pytest.raises(Refused) as caught:
            board.bring(slow, work=stale)
        assert caught.value.code == "branch_moved" and board.item(item).head == "p1"
        board.bring(slow, work=change("src/a.py", commit="k1", onto="p1", merged="p2"))
        assert board.item(first).landed_on == f"item {item}"
        # The ward of the phase is the parent's, on what the tasks made together.
        assert board.item(item).head == "p2" and board.place(item) == ("dev", "proving")


@pytest.mark.ledger("R-19")
def test_a_task_whose_work_nobody_merged_lands_by_itself() -> None:
    with SoundBoard(LINE) as board:
        item, (task,) = split(board, "one")
        board.bring("d", "incomplete", work=change("src/a.py", commit="k1"))
        board.bring("d", work=Work(base="k1"))  # done, and nothing more to change
        assert board.place(task) == ("dev", "proving") and board.place(item) == ("dev", "waiting")
        run = board.claim("landing")
        run_context = board.queries.run_context(run.run or "")
        assert (run_context.parent, run_context.branch, run_context.head) == (item, f"item {item}", "k1")
        with pytest.raises(Refused):
            board.bring(run)  # a parent's branch is moved by a commit, not by a word
        board.bring(run, work=Work(commit="k1", merged="p1"))
        assert board.item(task).status == "done" and board.item(item).head == "p1"
        assert board.place(item) == ("dev", "proving")


@pytest.mark.ledger("R-24")
def test_what_the_tasks_of_a_task_made_goes_up_with_it() -> None:
    with SoundBoard(LINE) as board:
        item, (task,) = split(board, "one")
        board.effort("d", "split", tasks=[{"title": "deeper"}])
        board.bring("d", work=change("src/a.py", commit="k1", merged="p1"))
        assert board.item(task).head == "p1" and board.place(task) == ("dev", "proving")
        board.bring("landing", work=Work(commit="p1", merged="p2"))
        assert board.item(item).head == "p2" and board.item(task).status == "done"


@pytest.mark.ledger("R-07", "R-24")
def test_a_task_that_conflicts_tries_on_the_new_base_and_then_the_whole_is_looked_at() -> None:
    with SoundBoard(LINE) as board:
        _, (task,) = split(board, "one")
        for round_ in range(3):
            board.bring("d", work=change("src/a.py", base=board.item(task).head, commit=f"k{round_}"))
            assert board.place(task) == ("dev", "proving")
            board.bring("landing", "failed", cause="conflict", work=Work(commit=f"m{round_}"), summary="no")
            assert board.item(task).head == f"m{round_}"
        assert board.place(task) == ("dev", ASKED)


@pytest.mark.ledger("R-20")
def test_a_task_without_declared_paths_waits_for_what_others_hold() -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        board.effort("d", "split", tasks=[{"title": "owner", "files": ["src/a.py"]}, {"title": "free"}])
        owner, free = (child.id for child in board.children(item, "task"))
        run = board.claim("d", item=owner)
        board.bring(board.claim("d", item=free), work=change("src/a.py", merged="p1"))
        row = board.item(free)
        assert (board.item(item).head, row.head, row.status, row.effort.conflicts) == (None, "c1", "proving", 0)
        with pytest.raises(NothingToDo):
            board.claim("landing")
        board.bring(run, work=change("src/a.py", commit="k1", merged="p1"))
        board.bring("landing", work=Work(commit="c1", onto="p1", merged="p2"))
        assert board.item(item).head == "p2" and board.item(free).status == "done"


@pytest.mark.ledger("R-14")
def test_what_a_part_made_comes_onto_the_item_before_its_verdict_counts() -> None:
    with SoundBoard(GROUP) as board:
        item = board.add(column="look")
        board.effort("b", "done")
        tests = change("tests/test_a.py", how="created")
        board.bring("a", "changes_requested", work=tests, findings=[{"issue": "this fails"}])
        assert board.place(item) == ("look", "waiting")
        board.bring("landing", work=Work(commit="c1", merged="p1"))
        assert board.item(item).head == "p1" and board.place(item) == ("dev", "ready")


@pytest.mark.ledger("R-25")
def test_what_a_person_dispatched_goes_the_way_of_any_other_item() -> None:
    with SoundBoard(SHORT) as board:
        sent = board.engine.add(Actor("alice"), commands.DispatchAgent(agent="d", task="mend it"))["id"]
        board.bring("d", work=change("src/a.py"))
        assert board.place(sent) == ("done", "proving") and board.item(sent).kind == "item"
        board.bring("landing", "failed", **conflict())
        assert board.place(sent) == ("dev", "ready") and board.item(sent).head == "m1"
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        board.bring("landing", commit="m2")
        assert (board.item(sent).status, board.item(sent).landed) == ("done", "m2")


@pytest.mark.ledger("R-19")
def test_what_a_child_brings_while_its_parent_lands_lands_after_it() -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        landing = board.claim("landing")
        child = board.add("late", parent=item)
        board.bring("d", work=change("src/b.py", commit="k1"))
        board.bring(board.claim("landing", item=child), work=Work(commit="k1", onto="c1", merged="p1"))
        board.bring(landing, commit="m1")
        assert board.item(item).head == "p1" and board.place(item) == ("done", "proving")
        board.bring("landing", commit="m2")
        assert board.place(item) == ("done", "done") and board.item(item).landed == "m2"


# People, and other flows, in the middle of it


def test_a_move_out_of_done_ends_the_landing_and_remembers_what_it_was_about_to_do_until_somebody_looked() -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        run = board.claim("landing")
        record(board, run, "src/a.py")
        board.on(item, commands.MoveItem(column="dev"))
        row = board.item(item)
        assert (row.column, row.status, row.head, row.proving) == ("dev", "ready", "c1", None)
        assert row.landing is not None and row.landing.run == run.run
        assert [hold.id for hold in board.holds()] == []
        with pytest.raises(Refused):
            board.bring(run, commit="m1")
        board.bring("d", work=change("src/a.py", base="c1", commit="c2"))
        board.bring("landing", commit="m2")
        assert board.item(item).landed == "m2"


@pytest.mark.parametrize("live", [False, True])
def test_a_cancelled_landing_keeps_its_work_for_whoever_reopens_it(live: bool) -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        if live:
            record(board, board.claim("landing"), "src/a.py")
        board.on(item, commands.CancelItem())
        assert board.item(item).head == "c1" and board.holds() == []
        board.on(item, commands.ReopenItem())
        assert board.place(item) == ("dev", "ready") and (board.item(item).landing is not None) == live


def test_a_reopened_item_begins_from_what_has_landed() -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        board.bring("landing", commit="m1")
        board.on(item, commands.ReopenItem())
        assert board.place(item) == ("dev", "ready") and board.item(item).head is None
        board.bring("d", work=change("src/a.py", commit="c2"))
        board.bring("landing", commit="m2")
        assert board.item(item).landed == "m2"


def test_a_move_to_done_is_a_persons_word_to_land_it() -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        board.bring("d", "incomplete", work=change("src/a.py"))
        board.on(item, commands.MoveItem(column="done"))
        assert board.place(item) == ("done", "proving")


@pytest.mark.ledger("R-30")
def test_a_flow_adopted_during_a_landing_leaves_it_alone() -> None:
    with SoundBoard(LINE) as board:
        item, waiting = through(board), None
        run = board.claim("landing")
        waiting = board.add(column="look")
        board.adopt(
            small_flow("{columns: {look: {agents: [r], next: done}}, agents: {r: {write: none}}, target: trunk}")
        )
        record(board, run, "src/a.py")
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done") and board.item(item).landed_on == "main"
        assert board.place(waiting) == ("look", "ready")


def test_a_flow_without_the_stage_that_made_the_work_asks_where_it_is_mended() -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        board.adopt(small_flow("{columns: {plan: {agents: [p], next: wait}, wait: {next: done}}, agents: {p: {}}}"))
        board.bring("landing", "failed", **conflict())
        assert board.place(item) == ("done", ASKED)


@pytest.mark.ledger("R-33")
def test_landings_are_runs_and_the_fuse_counts_them() -> None:
    with SoundBoard(limited(SHORT, runs=3, executions=9)) as board:
        item = made(board)
        for _ in range(2):
            board.bring("landing", "failed", cause="transient")
            board.sleep(600)
        assert board.place(item) == ("done", ASKED) and board.item(item).span.runs == 3


def test_a_landing_by_hand_is_somebodys_word() -> None:
    with SoundBoard(SHORT) as board:
        item = made(board)
        board.engine.report(board.claim("landing"), Report.done("merged it myself"))
        row = board.item(item)
        assert (row.status, row.landed, row.landed_on, row.evidence) == ("done", "c1", "main", "none")


def test_lines_that_came_and_went_are_counted_over_all_runs_and_go_to_the_whole() -> None:
    with SoundBoard(SHORT) as board:
        whole = board.add()
        board.effort("d", "split", tasks=[{"title": "a part"}, {"title": "another"}])
        board.bring(board.claim("d", item="2"), "incomplete", work=change("src/a.py", added=4))
        assert board.item("2").lines_added == 4 and board.item(whole).lines_added == 0
        last = change("src/a.py", commit="c2", base="c1", added=6, removed=2, merged="m1")
        board.bring(board.claim("d", item="2"), work=last)
        assert (board.item("2").lines_added, board.item("2").lines_removed) == (10, 2)
        assert (board.item(whole).lines_added, board.item(whole).lines_removed) == (10, 2)
