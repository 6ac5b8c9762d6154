"""Nothing reaches the target branch past the stages and gates of the flow (R-19): every way round is tried here."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.work import Evidence, Work
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, limited, small_flow

ASKED = "awaiting-divine-guidance"
LINE = small_flow("""
columns:
  dev: {agents: [d], next: look, gate: [ward]}
  look: {agents: [r], next: done, fix: dev}
  quick: {agents: [q], next: done, gate: [smoke]}
agents: {d: {may: [ask, split, delegate, dispatch]}, r: {write: none, may: [ask, dispatch]}, q: {}}
gates: {ward: {run: ["true"]}, smoke: {run: ["true"]}}
""")


def green(tree: str = "t1", gate: str = "ward") -> Evidence:
    return Evidence(gate=gate, green=True, command=["true"], commit="c", tree=tree)


def dispatch(board: TrialBoard, run: Actor, agent: str = "q") -> str:
    sent: str = board.engine.add(run, commands.DispatchAgent(agent=agent, task="mend it"))["id"]
    return sent


def record(board: TrialBoard, run: Actor, **fields: Any) -> None:
    wanted = {"branch": "main", "old": "t", "new": "m1", "tree": "t1", **fields}
    board.engine.handle_run(run, commands.RecordLanding(**wanted))


def land(board: TrialBoard, *evidence: Evidence, **fields: Any) -> None:
    run = board.claim("landing")
    record(board, run, evidence=list(evidence), **fields)
    board.bring(run, evidence=evidence, commit="m1")


def through(board: TrialBoard, **fields: Any) -> str:
    """An item whose work passed its gate on the tree t0 and is to land."""
    item = board.add(**fields)
    board.bring("d", work=change("src/a.py"))
    board.bring("ward", evidence=[green("t0")])
    board.bring("r")
    assert board.place(item) == ("done", "proving")
    return item


# Dispatched items


@pytest.mark.ledger("R-19", "R-25")
def test_what_was_dispatched_begins_at_the_askers_branch_and_comes_back_onto_it() -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        board.bring("d", "incomplete", work=change("src/a.py", commit="c1"))
        run = board.claim("d")
        sent = dispatch(board, run)
        helper = board.claim("q", item=sent)
        run_context = board.queries.run_context(helper.run or "")
        assert (run_context.parent, run_context.begins_from, run_context.branch) == (item, "c1", f"item {item}")
        assert run_context.ends_here
        board.bring(helper, work=change("src/b.py", base="c1", commit="k1", onto="c1", merged="k1"))
        assert (board.item(sent).status, board.item(sent).landed_on) == ("done", f"item {item}")
        assert board.item(item).head == "k1" and board.item(item).outputs[sent].outcome == "done"
        with pytest.raises(Refused) as caught:
            board.bring(run, work=change("src/c.py", base="c1", commit="c2"))
        assert caught.value.code == "branch_moved" and board.item(item).status == "running"
        board.bring(run, work=change("src/c.py", base="k1", commit="c3"))
        assert board.item(item).head == "c3" and board.place(item) == ("dev", "proving")


@pytest.mark.ledger("R-19")
def test_a_failed_run_is_not_kept_from_saying_so_by_what_came_onto_its_branch() -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        run = board.claim("d")
        sent = dispatch(board, run)
        board.bring(board.claim("q", item=sent), work=change("src/b.py", commit="k1", merged="k1"))
        board.bring(run, "failed", work=change("src/c.py", commit="c2"))
        assert board.item(item).head == "k1" and board.item(item).attempt_count == 1


@pytest.mark.ledger("R-19")
def test_dispatched_work_whose_asker_has_ended_goes_the_whole_way() -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        sent = dispatch(board, board.claim("d"))
        board.on(item, commands.CancelItem())
        board.bring("q", work=change("src/b.py", commit="k1"))
        row = board.item(sent)
        assert (row.kind, row.column, row.status) == ("item", "quick", "proving")
        board.bring("smoke", evidence=[green("t0", "smoke")])
        assert board.place(sent) == ("look", "ready"), "nor a look at it"
        board.bring("r")
        run = board.claim("landing")
        assert board.queries.run_context(run.run or "").gates == ["ward", "smoke"], (
            "a run's choice of a column spares none"
        )
        with pytest.raises(Refused) as caught:
            record(board, run, evidence=[green(gate="smoke")])
        assert caught.value.code == "not_proved" and board.item(sent).landing is None
        record(board, run, evidence=[green(gate="smoke"), green(gate="ward")])
        board.bring(run, commit="m1")
        assert board.place(sent) == ("done", "done") and board.item(sent).landed_on == "main"


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("said", ["recorded", "reported"])
def test_an_asker_that_ends_during_the_landing_of_what_it_sent_for_frees_it(said: str) -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        sent = dispatch(board, board.claim("d"))
        board.bring(board.claim("q", item=sent), work=change("src/b.py", commit="k1"))  # nobody merged it
        assert board.place(sent) == ("quick", "proving")
        run = board.claim("landing", item=sent)
        board.on(item, commands.CancelItem())
        if said == "recorded":
            record(board, run, branch=f"item {item}", tree="t9")
        else:
            board.bring(run, work=Work(commit="k1", merged="k2"), commit="k2")
        row = board.item(sent)
        assert (row.kind, row.column, row.landed, row.proving and row.proving.left) == (
            "item",
            "quick",
            None,
            ["smoke"],
        )


@pytest.mark.ledger("R-25")
def test_a_dispatched_question_ends_with_its_answer() -> None:
    with SoundBoard(LINE) as board:
        order = commands.DispatchAgent(agent="q", task="is it 10 or 20?", purpose="question")
        sent = board.engine.add(PERSON, order)["id"]
        board.effort("q", "done", summary="20")
        assert board.place(sent) == ("quick", "done") and board.item(sent).kind == "dispatch"


@pytest.mark.ledger("R-20")
def test_an_asker_and_what_it_sent_for_never_write_the_same_files_at_once() -> None:
    with SoundBoard(LINE) as board:
        item = board.add(files=["src/"])
        run = board.claim("d")
        sent = dispatch(board, run)
        assert board.item(sent).files == ["src/"]
        with pytest.raises(NothingToDo):
            board.claim("q")
        board.bring(run, "incomplete", work=change("src/a.py", commit="c1"))
        helper = board.claim("q")
        with pytest.raises(NothingToDo):
            board.claim("d")
        board.bring(helper, work=change("src/b.py", base="c1", commit="k1", onto="c1", merged="k1"))
        board.bring("d", work=change("src/a.py", base="k1", commit="c2"))
        assert board.place(item) == ("dev", "proving")


@pytest.mark.ledger("R-03", "R-20")
def test_a_hold_of_an_asker_that_only_reads_keeps_out_nothing_that_it_sent_for() -> None:
    with SoundBoard(LINE) as board:
        item = board.add(files=["src/"])
        board.bring("d", work=change("src/a.py", commit="c1"))
        board.bring("ward", evidence=[green("t0")])
        reviewer = board.claim("r")
        dispatch(board, reviewer)
        helper = board.claim("q")
        board.bring(helper, work=change("src/b.py", base="c1", commit="k1", onto="c1", merged="k1"))
        assert board.item(item).head == "k1" and board.item(item).holds == ["src/"]
        board.bring(reviewer)
        board.bring("r")  # what came while it looked is looked at too
        land(board, green())
        assert board.place(item) == ("done", "done")


# Gates


@pytest.mark.ledger("R-19", "R-22")
def test_nothing_is_recorded_on_a_tree_on_which_a_gate_is_not_green() -> None:
    with SoundBoard(LINE) as board:
        item = through(board)
        run = board.claim("landing")
        for evidence in ([], [green("t7")], [Evidence(gate="ward", green=False, tree="t1")]):
            with pytest.raises(Refused) as caught:
                record(board, run, evidence=evidence)
            assert caught.value.code == "not_proved"
        record(board, run, tree="t0")  # green on that very tree before
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19")
def test_a_move_past_a_red_gate_is_no_word_to_land_without_it() -> None:
    with SoundBoard(LINE) as board:
        first = through(board)
        land(board, green())
        board.on(first, commands.ReopenItem())
        board.bring("d", work=change("src/a.py", commit="c2"))
        board.effort("ward", "failed", summary="red")
        board.on(first, commands.MoveItem(column="look"))
        board.effort("r", "done")
        run = board.claim("landing")
        with pytest.raises(Refused) as caught:
            board.bring(run, commit="m9")  # a person moved it past a red gate, not to done
        assert caught.value.code == "not_proved"
        record(board, run, evidence=[green()], new="m2")
        board.bring(run, commit="m2")


@pytest.mark.ledger("R-19")
def test_a_way_of_its_own_has_its_own_gates_where_a_person_chose_it() -> None:
    with SoundBoard(LINE) as board:
        board.add(column="quick")
        board.bring("q", work=change("src/a.py"))
        board.effort("smoke", "done")
        run = board.claim("landing")
        assert board.queries.run_context(run.run or "").gates == ["smoke"]
        board.bring(run, commit="m1")
        moved = board.add()
        board.on(moved, commands.MoveItem(column="quick"))
        assert board.item(moved).entry == "quick"


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("how", ["move", "answer"])
def test_a_person_may_land_what_no_gate_has_shown_and_the_log_says_so(how: str) -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        if how == "move":
            board.bring("d", "incomplete", work=change("src/a.py"))
            board.on(item, commands.MoveItem(column="done"))
        else:
            question = {"question": "may I?"}
            board.bring("d", "asks", work=change("src/a.py"), question=question)
            board.answer(board.inbox()[0], "land it", to="done")
        assert board.item(item).waived == ["ward"] and board.place(item) == ("done", "proving")
        (event,) = [event for event in board.log(item) if event["event"] == "gates_waived"]
        assert event["agent"] == "alice" and event["context"]["gates"] == ["ward"]
        land(board)
        assert board.place(item) == ("done", "done") and board.item(item).evidence == "none"
        board.on(item, commands.ReopenItem())
        assert board.item(item).waived == []


@pytest.mark.ledger("R-21", "R-22")
def test_whoever_accepts_a_red_gate_does_not_hear_it_again_when_it_lands() -> None:
    flow = small_flow("""
    columns: {dev: {agents: [d], next: done, gate: [ward], on_red: mend}, mend: {agents: [d], kind: backflow}}
    agents: {d: {}}
    gates: {ward: {run: ["true"]}}
    """)
    with SoundBoard(limited(flow, feedback_rounds=0)) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.effort("ward", "failed", summary="red")
        assert board.place(item) == ("dev", ASKED)
        board.answer(board.inbox()[0], "accept it as it is")
        assert board.item(item).waived == ["ward"]
        run = board.claim("landing")
        assert board.queries.run_context(run.run or "").gates == []
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done") and board.item(item).evidence == "none"


@pytest.mark.ledger("R-19")
def test_many_proofs_of_one_gate_do_not_make_another_forgotten() -> None:
    flow = small_flow("""
    columns: {dev: {agents: [d], next: fit, gate: [ward]}, fit: {agents: [f], next: done, gate: [smoke], fix: dev}}
    agents: {d: {}, f: {}}
    gates: {ward: {run: ["true"]}, smoke: {run: ["true"]}}
    """)
    with SoundBoard(limited(flow, own_attempts=200, repeats=200)) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.effort("ward", "done")
        for number in range(55):
            attempt = {"approach": f"way {number} to do it"}
            board.bring(
                "f", work=change("src/a.py", base=board.item(item).head, commit=f"c{number}"), attempts=[attempt]
            )
            board.effort("smoke", "done" if number == 54 else "failed", summary=f"red {number}")
        assert "ward" not in {proof.gate for proof in board.item(item).proofs}
        assert board.queries.run_context(board.claim("landing").run or "").gates == ["ward", "smoke"]


@pytest.mark.ledger("R-19", "R-30")
def test_a_gate_that_a_new_flow_brings_must_be_green_too() -> None:
    with SoundBoard(LINE) as board:
        item = through(board)
        run = board.claim("landing")
        board.adopt(
            small_flow("""
            columns:
              dev: {agents: [d], next: look, gate: [ward, lint]}
              look: {agents: [r], next: done, fix: dev}
              quick: {agents: [q], next: done}
            agents: {d: {}, r: {write: none}, q: {}}
            gates: {ward: {run: ["true"]}, lint: {run: ["true"]}}
            """)
        )
        with pytest.raises(Refused):
            record(board, run, evidence=[green()])
        record(board, run, evidence=[green(), green(gate="lint")])
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done")
