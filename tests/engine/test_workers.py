"""Who runs agents now: what workers of this machine say of themselves, and the runs that others have."""

import os
from pathlib import Path

import msgspec
import pytest

from folkmoot.api.screen import ListWorkers, WorkerView
from folkmoot.engine.screen.workers import Attending
from folkmoot.testing.builders import PERSON, TrialBoard, preset_flow
from folkmoot.wiring.looking.workers import MachineWorkers
from folkmoot.worker.removing import WORKERS, attended, worker_name

KANBAN = preset_flow()
ELSEWHERE = "there-12.34.0123abcd.56-0a1b2c"


def workers(board: TrialBoard) -> list[WorkerView]:
    return board.application.asked_by(PERSON)(ListWorkers()).workers


def test_a_worker_tells_its_slots_and_agents_and_the_board_its_runs(tmp_path: Path) -> None:
    name = worker_name(os.uname().nodename, str(tmp_path))
    mark = Attending(worker=name, slots=3, agents=["dev-agent", "qa-agent"], since=1_700_000_000_000)
    leave = attended(str(tmp_path), msgspec.json.encode(mark))
    with TrialBoard(KANBAN) as board:
        board.application.workers = MachineWorkers(str(tmp_path))
        board.add(column="dev")
        run = board.claim("dev-agent", worker=name)
        (shown,) = workers(board)
        assert (shown.worker, shown.host, shown.pid) == (name, os.uname().nodename, os.getpid())
        assert (shown.slots, shown.in_use, shown.runs) == (3, 1, [run.run])
        assert shown.agents == mark.agents and shown.since == "2023-11-14T22:13:20.000Z"
        assert shown.pools == sorted({"dev-agent", "qa-agent"})
        board.report(run, "done")
        assert [(one.worker, one.in_use) for one in workers(board)] == [(name, 0)]
        leave()
        assert workers(board) == []


def test_of_a_worker_elsewhere_only_its_runs_are_known_and_of_a_dead_one_nothing(tmp_path: Path) -> None:
    with TrialBoard(KANBAN) as board:
        board.application.workers = MachineWorkers(str(tmp_path))
        for _ in range(3):
            board.add(column="dev")
        run = board.claim("dev-agent", worker=ELSEWHERE)
        board.claim("dev-agent", worker=ELSEWHERE.replace("there", os.uname().nodename))
        board.claim("dev-agent")
        (shown,) = workers(board)
        assert (shown.worker, shown.host, shown.pid, shown.slots) == (ELSEWHERE, "there", 12, None)
        assert (shown.runs, shown.agents) == ([run.run], ["dev-agent"])


@pytest.mark.parametrize("words", [b"", b"{", b'{"worker": 3}'])
def test_a_worker_that_says_nothing_readable_is_there_all_the_same(tmp_path: Path, words: bytes) -> None:
    attended(str(tmp_path), words)
    (mark,) = os.listdir(tmp_path / WORKERS)
    (told,) = MachineWorkers(str(tmp_path)).attending()
    assert told == Attending(worker=f"{os.uname().nodename}-{mark}")
