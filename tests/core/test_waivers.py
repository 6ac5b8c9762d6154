"""A person's waiver of a gate is for the work that was there when it was given (R-19)."""

from functools import partial
from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.rules import manual
from folkmoot.core.rules.judging import required
from folkmoot.core.situation import Case
from folkmoot.core.work import Evidence, Work
from folkmoot.errors import Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, limited, small_flow

ASKED = "awaiting-divine-guidance"
FLOW = small_flow("""
columns:
  dev: {agents: [d], next: polish, gate: [ward], on_red: mend}
  mend: {agents: [d], kind: backflow}
  polish: {agents: [p], next: done}
  aside: {agents: [h], next: done}
agents: {d: {may: [ask, dispatch]}, p: {}, h: {}}
gates: {ward: {run: ["true"]}}
""")
RED = Evidence(gate="ward", green=False, command=["true"], commit="m2", tree="t2", output="backdoor.txt")


def record(board: TrialBoard, run: Actor, **fields: Any) -> None:
    wanted = {"branch": "main", "old": "t", "new": "m1", "tree": "t1", **fields}
    board.engine.handle_run(run, commands.RecordLanding(**wanted))


def gates(board: TrialBoard, run: Actor) -> list[str]:
    return board.queries.run_context(run.run or "").gates


def waivers(board: TrialBoard, item: str) -> list[tuple[list[str], str | None]]:
    told = [event["context"] for event in board.log(item) if event["event"] == "gates_waived"]
    return [(one["gates"], one["head"]) for one in told]


@pytest.mark.ledger("R-19")
def test_what_mends_a_conflict_is_not_waived_with_the_work_that_met_it() -> None:
    """Whoever mends it could add what the gate would refuse: a person must say it again."""
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.bring("d", "incomplete", work=change("src/a.py"))
        board.on(item, commands.MoveItem(column="done"))
        run = board.claim("landing")
        assert gates(board, run) == []
        board.bring(run, "failed", cause="conflict", work=Work(base="c1", commit="marked", tree="t"))
        board.bring("p", work=change("backdoor.txt", base="marked", commit="c2"))
        run = board.claim("landing")
        assert gates(board, run) == ["ward"]
        with pytest.raises(Refused) as caught:
            record(board, run)
        assert caught.value.code == "not_proved"
        board.bring(run, "failed", cause="gate", evidence=[RED])
        board.on(item, commands.MoveItem(column="done"))
        assert waivers(board, item) == [(["ward"], "c1"), (["ward"], "c2")]
        run = board.claim("landing")
        assert gates(board, run) == []
        record(board, run)
        board.bring(run, commit="m1")
        (landed,) = [event["context"] for event in board.log(item) if event["event"] == "work_landed"]
        assert landed["proved"] == [] and board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("when", ["before", "landing", "recorded"])
def test_what_comes_onto_the_branch_after_a_waiver_is_not_waived(when: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        sent = board.engine.add(run, commands.DispatchAgent(agent="h", task="help"))["id"]
        board.bring(run, "incomplete", work=change("src/a.py"))
        helper = board.claim("h", item=sent)
        board.on(item, commands.MoveItem(column="done"))
        run = board.claim("landing") if when != "before" else run
        if when == "recorded":
            record(board, run)
        board.bring(helper, work=change("b.py", base="c1", commit="k1", onto="c1", merged="k1"))
        assert board.item(item).head == "k1"
        run = board.claim("landing") if when == "before" else run
        assert gates(board, run) == ["ward"]
        move = record if when != "recorded" else partial(TrialBoard.bring, commit="m1")
        with pytest.raises(Refused) as caught:
            move(board, run)
        assert caught.value.code == "not_proved" and board.item(item).landed is None


@pytest.mark.ledger("R-21", "R-22")
def test_a_red_gate_that_was_accepted_is_asked_about_what_a_later_stage_makes() -> None:
    with SoundBoard(limited(FLOW, feedback_rounds=0)) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.effort("ward", "failed", summary="red")
        assert board.place(item) == ("dev", ASKED)
        board.answer(board.inbox()[0], "accept it as it is")
        assert waivers(board, item) == [(["ward"], "c1")]
        board.bring("p", work=change("src/b.py", base="c1", commit="c2"))
        assert gates(board, board.claim("landing")) == ["ward"]


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("log", ["old", "new"])
def test_the_doctor_takes_a_waiver_for_all_work_only_where_the_log_is_an_old_one(
    log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older version did not say for which work a gate was waived. Its landings were right by its own rule."""

    def waive(case: Case, gates: list[str], why: str) -> None:
        case.set("gates_waived", {"gates": gates, "by": case.actor.name, "why": why}, waived=gates)

    with TrialBoard(FLOW) as board:
        if log == "new":
            first = board.add()
            board.bring("d", "incomplete", work=change("src/a.py"))
            board.on(first, commands.MoveItem(column="done"))
            board.on(first, commands.CancelItem())
        monkeypatch.setattr(manual, "waive", waive)
        monkeypatch.setattr(required, "waived", lambda item: item.waived)
        item = board.add()
        board.bring("d", "incomplete", work=change("src/b.py"))
        board.on(item, commands.MoveItem(column="done"))
        run = board.claim("landing")
        record(board, run)
        board.bring(run, commit="m1")
        monkeypatch.undo()
        assert board.place(item) == ("done", "done")
        found = board.wrong()
        assert not found if log == "old" else "ward for no work, and its work is at c1" in found[0]
