"""A proof is of one check and of one state of the work: what was changed since is proved again (R-19, R-22)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import Flow
from folkmoot.core.work import Evidence, Work
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, limited, small_flow


def line(command: str) -> Flow:
    return small_flow(f"""
    columns: {{dev: {{agents: [d], next: look, gate: [ward]}}, look: {{agents: [r], next: done, fix: dev}}}}
    agents: {{d: {{}}, r: {{write: none}}}}
    gates: {{ward: {{run: ["{command}"]}}}}
    """)


def shown(command: str, tree: str = "t0", green: bool = True) -> Evidence:
    return Evidence(gate="ward", green=green, command=[command], commit="c1", tree=tree)


def record(board: TrialBoard, run: Actor, tree: str = "t0", **fields: Any) -> None:
    board.engine.handle_run(run, commands.RecordLanding(branch="main", old="t", new="m1", tree=tree, **fields))


# A gate whose command was changed


@pytest.mark.ledger("R-19", "R-22")
@pytest.mark.attack(
    "gates",
    "a gate's command is changed while an item is in review, and the item brings the old proof",
    "the gate is shown anew, by its new command, before the item lands",
)
@pytest.mark.parametrize("when", ["in review", "landing"])
def test_a_proof_by_another_command_than_the_gates_own_is_none(when: str) -> None:
    with SoundBoard(line("true")) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.bring("ward", evidence=[shown("true")])
        if when == "in review":
            board.adopt(line("false"))
        board.bring("r")
        run = board.claim("landing")
        if when == "landing":
            assert board.queries.run_context(run.run or "").proved == {"t0": ["ward"]}
            board.adopt(line("false"))
        run_context = board.queries.run_context(run.run or "")
        assert (run_context.gates, run_context.proved) == (["ward"], {})
        for evidence in ([], [shown("true")], [Evidence(gate="ward", green=True, tree="t0")]):
            with pytest.raises(Refused) as caught:
                record(board, run, evidence=evidence)
            assert caught.value.code == "not_proved"
        with pytest.raises(Refused) as caught:
            board.bring(run, commit="m1")  # by word alone, without a tree
        assert caught.value.code == "not_proved" and board.item(item).landed is None
        record(board, run, evidence=[shown("false")])
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-22")
def test_a_proof_counts_again_when_its_command_is_the_gates_again() -> None:
    with SoundBoard(line("true")) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.bring("ward", evidence=[shown("true")])
        board.adopt(line("false"))
        board.adopt(line("true"))
        board.bring("r")
        run = board.claim("landing")
        record(board, run)
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done")


# Gates without a command, which only people can play. The stage before them only reads: it gives no verdicts, for then
# it would look again itself.

SIGNED = small_flow("""
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, gate: [signoff]}}
agents: {d: {may: [ask, dispatch]}, r: {write: none}}
gates: {signoff: {}}
""")


def signed(board: TrialBoard) -> str:
    """An item whose work at c1 was signed off, and is to land."""
    item = board.add()
    board.bring("d", work=change("src/a.py"))
    board.effort("r", "done")
    assert board.place(item) == ("look", "proving")
    board.effort("signoff", "done", summary="I have read it")
    assert board.place(item) == ("done", "proving") and left(board, item) == ["landing"]
    return item


def left(board: TrialBoard, item: str) -> list[str]:
    proving = board.item(item).proving
    return proving.left if proving else []


def conflict(board: TrialBoard, commit: str = "m1") -> None:
    work = Work(base="c1", commit=commit)
    board.bring("landing", "failed", cause="conflict", summary="both changed a.py", work=work)


def test_what_was_signed_off_lands() -> None:
    with SoundBoard(SIGNED) as board:
        item = signed(board)
        run = board.claim("landing")
        record(board, run)
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done") and board.item(item).evidence == "gates"


@pytest.mark.ledger("R-19", "R-22", "R-03")
@pytest.mark.attack(
    "gates",
    "work is changed after a person has signed it off: a conflict is mended past the stage of the sign-off",
    "the sign-off is asked for again, and nothing lands before",
)
def test_a_conflict_that_was_mended_is_signed_off_again() -> None:
    with SoundBoard(SIGNED) as board:
        item = signed(board)
        conflict(board)
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        assert board.place(item) == ("done", "proving") and left(board, item) == ["signoff", "landing"]
        with pytest.raises(NothingToDo):
            board.claim("landing")
        board.effort("signoff", "done")
        assert left(board, item) == ["landing"]
        run = board.claim("landing")
        record(board, run)
        board.bring(run, commit="m2")
        assert board.place(item) == ("done", "done") and board.item(item).evidence == "gates"


@pytest.mark.ledger("R-19", "R-21")
def test_whoever_does_not_sign_what_was_mended_sends_it_back_to_its_maker() -> None:
    with SoundBoard(limited(SIGNED, feedback_rounds=2)) as board:
        item = signed(board)
        conflict(board)
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        board.effort("signoff", "failed", summary="half of it is gone")
        row = board.item(item)
        assert (row.column, row.status, row.returns_to) == ("dev", "ready", "done")
        assert [(one.found_by, one.issue) for one in row.findings] == [(["signoff"], "half of it is gone")]
        board.effort("d", "done")  # it changes nothing: the last word on it was red
        assert left(board, item) == ["signoff", "landing"]
        board.effort("signoff", "failed", summary="still gone")
        assert board.item(item).status == "awaiting-divine-guidance", "a third time is a person's to decide"


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "gates",
    "work comes onto the item's branch while a person reads it, or while it lands",
    "the sign-off is for what was there when it was begun",
)
@pytest.mark.parametrize("when", ["signing", "landing", "recorded"])
def test_what_comes_onto_the_branch_meanwhile_is_signed_off_too(when: str) -> None:
    flow = small_flow("""
    columns:
      dev: {agents: [d], next: look}
      look: {agents: [r], next: done, gate: [signoff]}
      aside: {agents: [q], next: done}
    agents: {d: {may: [ask, dispatch]}, r: {write: none}, q: {}}
    gates: {signoff: {}}
    """)
    with SoundBoard(flow) as board:
        item = board.add()
        run = board.claim("d")
        sent = board.engine.add(run, commands.DispatchAgent(agent="q", task="mend it"))["id"]
        board.bring(run, work=change("src/a.py"))
        helper = board.claim("q", item=sent)
        board.effort("r", "done")

        def come() -> None:
            board.bring(helper, work=change("src/b.py", base="c1", commit="k1", onto="c1", merged="k1"))
            assert board.item(item).head == "k1"

        run = board.claim("signoff")
        if when == "signing":
            come()
        board.bring(run)
        if when != "signing":
            run = board.claim("landing")
            if when == "recorded":
                record(board, run)
            come()
            if when == "landing":
                record(board, run)  # it is put off
            else:
                with pytest.raises(Refused) as caught:
                    board.bring(run, commit="m1")
                assert caught.value.code == "not_proved"
                board.crash(run)
            board.sleep(600)
        assert board.item(item).landed is None and left(board, item) == ["signoff", "landing"]
        board.effort("signoff", "done")
        run = board.claim("landing")
        record(board, run)
        board.bring(run, commit="m1")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19", "R-30")
def test_a_sign_off_that_a_new_flow_brings_is_asked_for_before_the_work_lands() -> None:
    unsigned = small_flow("""
    columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
    agents: {d: {may: [ask, dispatch]}, r: {write: none}}
    """)
    with SoundBoard(unsigned) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.effort("r", "done")
        run = board.claim("landing")
        board.adopt(SIGNED)
        record(board, run, evidence=[Evidence(gate="signoff", green=True, tree="t0")])  # no landing speaks for a person
        board.sleep(600)
        assert board.item(item).landed is None and left(board, item) == ["signoff", "landing"]
        board.on(item, commands.MoveItem(column="done"))
        assert board.item(item).waived == ["signoff"] and left(board, item) == ["landing"]
