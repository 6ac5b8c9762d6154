"""Who runs agents now: what workers of this machine say of themselves, and the runs that others have."""

import os
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from folkmoot.api.requests import ShowBlocked
from folkmoot.api.screen import ListWorkers, WorkerView
from folkmoot.core.commands import Actor, ClaimItem
from folkmoot.engine.screen.register import PLACE, SILENT_SECONDS, Attending, join, leave, tell
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import PERSON, TrialBoard, preset_flow
from folkmoot.wiring.looking.workers import MachineWorkers
from folkmoot.worker.removing import WORKERS, attended, is_dead, worker_name

KANBAN = preset_flow()
DEV = replace(KANBAN.agents["dev-agent"], needs=["gpu"], run={"command": ["x"]})
LABELLED = replace(KANBAN, agents={**KANBAN.agents, "dev-agent": DEV})
ELSEWHERE = "there-12.34.0123abcd.56-0a1b2c3d4e5f60"


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
        here = worker_name(os.uname().nodename, str(tmp_path))
        board.claim("dev-agent", worker=here.replace(f"{os.getpid()}.", "999999999."))
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


def test_a_worker_of_another_machine_with_the_same_name_is_never_known_to_be_dead(tmp_path: Path) -> None:
    name = os.uname().nodename
    there = worker_name(name, str(tmp_path / "there"))
    assert worker_name(name, str(tmp_path / "here")) != there
    # Its process is no more, or its machine was started anew: here that says nothing.
    gone = there.replace(f"{os.getpid()}.", "999999999.")
    assert not is_dead(gone, str(tmp_path / "here"))
    assert is_dead(gone, str(tmp_path / "there"))
    # Nor of a name that says nothing of its machine, as older versions gave themselves.
    assert not is_dead(f"{gone[:-14]}0a1b2c", str(tmp_path / "there"))


def test_a_worker_of_another_machine_is_on_the_board_with_all_that_it_tells(tmp_path: Path) -> None:
    with TrialBoard(KANBAN) as board:
        board.application.workers = MachineWorkers(str(tmp_path))
        engine = board.application.engine
        told = Attending(worker=ELSEWHERE, slots=3, agents=["dev-agent"], labels=["gpu"], clients=["x"], program="1.2")
        before = engine.store.read(lambda reading: reading.head())
        join(engine, told)
        (shown,) = workers(board)
        assert (shown.host, shown.slots, shown.labels) == ("there", 3, ["gpu"])
        assert (shown.clients, shown.program) == (["x"], "1.2")
        assert engine.store.read(lambda reading: reading.head()) == before, "it is beside the log"
        leave(engine, ELSEWHERE)
        assert workers(board) == []


def test_a_worker_that_says_nothing_any_more_is_gone_and_its_place_is_taken_by_the_next() -> None:
    with TrialBoard(KANBAN) as board:
        engine = board.application.engine
        join(engine, Attending(worker="one"))
        board.sleep(SILENT_SECONDS + 1)
        assert workers(board) == []
        join(engine, Attending(worker="two"))
        join(engine, Attending(worker="three"))
        tell(engine, Attending(worker="two", slots=2))
        assert [(one.worker, one.slots) for one in workers(board)] == [("three", None), ("two", 2)]
        assert len(engine.store.read(lambda reading: reading.output(PLACE))) == 2


def test_an_older_program_is_refused_by_the_name_of_the_newer_one() -> None:
    with TrialBoard(KANBAN) as board:
        engine = board.application.engine
        join(engine, Attending(worker=ELSEWHERE, program="1.10.0"))
        join(engine, Attending(worker="same", program="1.10.0"))
        with pytest.raises(Refused) as refused:
            join(engine, Attending(worker="old", program="1.9.3"))
        assert refused.value.code == "older_program"
        assert "1.9.3" in str(refused.value) and ELSEWHERE in str(refused.value) and "1.10.0" in refused.value.hint
        assert "old" not in [one.worker for one in workers(board)]


def test_an_agent_that_needs_a_label_waits_for_a_worker_that_has_it() -> None:
    with TrialBoard(LABELLED) as board:
        engine = board.application.engine
        item = board.add(column="dev")
        with pytest.raises(NothingToDo):
            engine.claim_next(Actor("worker"), ["dev-agent"], worker="plain", labels=["big"])
        (waits,) = [one for one in board.application.asked_by(PERSON)(ShowBlocked()).blocked if one.why == "label"]
        assert (waits.reason, waits.items) == ("a worker with label gpu", [item])
        assert "on a worker with label gpu" in board.show(item)["why"]
        join(engine, Attending(worker=ELSEWHERE, labels=["big", "gpu"]))
        assert not [one for one in board.application.asked_by(PERSON)(ShowBlocked()).blocked if one.why == "label"]
        found = engine.claim_next(Actor("worker"), ["dev-agent"], worker=ELSEWHERE, labels=["big", "gpu"])
        assert found.run_context.item == item


def test_the_rule_of_labels_is_asked_again_in_the_claim_itself() -> None:
    with TrialBoard(LABELLED) as board:
        item = board.add(column="dev")
        claim = ClaimItem(agent="dev-agent", lease=60.0, labels=["big"])
        with pytest.raises(Refused) as refused:
            board.application.engine.act(Actor("worker"), claim, item)
        assert refused.value.code == "label_missing"
        assert "label gpu" in refused.value.hint
