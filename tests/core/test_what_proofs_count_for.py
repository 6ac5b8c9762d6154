"""A proof is of one check and of one state of the work: what was changed since is proved again (R-19, R-22)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Speaker
from folkmoot.core.flow import Flow
from folkmoot.core.work import Evidence
from folkmoot.errors import Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow


def line(command: str) -> Flow:
    return small_flow(f"""
    columns: {{dev: {{agents: [d], next: look, gate: [ward]}}, look: {{agents: [r], next: done, fix: dev}}}}
    agents: {{d: {{}}, r: {{write: none}}}}
    gates: {{ward: {{run: ["{command}"]}}}}
    """)


def shown(command: str, tree: str = "t0", green: bool = True) -> Evidence:
    return Evidence(gate="ward", green=green, command=[command], commit="c1", tree=tree)


def record(board: TrialBoard, run: Speaker, tree: str = "t0", **fields: Any) -> None:
    board.engine.on_run(run, commands.RecordLanding(branch="main", old="t", new="m1", tree=tree, **fields))


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
            assert board.queries.standing(run.run or "").proved == {"t0": ["ward"]}
            board.adopt(line("false"))
        standing = board.queries.standing(run.run or "")
        assert (standing.gates, standing.proved) == (["ward"], {})
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
