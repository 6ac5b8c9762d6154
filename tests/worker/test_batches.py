"""Several items land together, by one proof; where it is red, it is found whose work it is, and the others land."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.commands import ENGINE
from folkmoot.core.flow import LANDING
from tests.some import some
from tests.worker.machines import Shared
from tests.worker.test_at_the_move import once
from tests.worker.test_kill import doomed, wait_until_gone
from tests.worker.test_machines import ended
from tests.worker.yard import Yard, git

# Red only once the user has made it stricter: what is bad was green before, on its own branch.
GATE = "test ! -e strict.txt || { cat *.txt; ! grep -l BAD *.txt; }"
FLOW = """
flow: together
start: dev
limits: {slots: 4, lease: 60s, timeout: 30s, silence: 20s, executions: 2, feedback_rounds: 1}
columns:
  dev: {agents: [dev], next: sign, gate: [check]}
  sign: {human: true, next: done}
agents:
  dev: {run: {command: ACTOR}, write: own}
gates: {check: {run: [/bin/sh, -c, "GATE"]}}
land: {batch: 20}
"""


def finished(
    folder: Path, *lines: list[str], flow: str = FLOW, gate: str = GATE, columns: tuple[str, ...] = ()
) -> tuple[Yard, list[str]]:
    """Items whose work is done, and whom a person has let land; the branch has moved on since they were proved."""
    yard = Yard(folder, flow=flow.replace("GATE", gate))
    where = [*columns, *["dev"] * len(lines)]
    items = [
        yard.add(f"item {number}", *does, "report done", column=where[number - 1])
        for number, does in enumerate(lines, 1)
    ]
    yard.run()
    (yard.folder / "strict.txt").write_text("strict\n")
    git(yard.folder, "add", "strict.txt")
    git(yard.folder, "commit", "-q", "-m", "stricter")
    for question in yard.board.inbox():
        yard.board.answer(question["id"], "go on")
    return yard, items


def writes(count: int, bad: tuple[int, ...] = ()) -> list[list[str]]:
    """Each a file of its own."""
    return [[f"write f{one}.txt {'BAD' if one in bad else 'good'} {one}"] for one in range(1, count + 1)]


class Proofs:
    """Counts how often a landing ran a gate."""

    def __init__(self, yard: Yard, more: Callable[[str, str], None] = lambda name, run: None) -> None:
        self.runs: list[str] = []
        self._yard = yard
        self._more = more

    def __call__(self, name: str, run: str) -> None:
        if name == "gate" and self._yard.board._application.queries.run_context(run).agent == LANDING:
            self.runs.append(run)
        self._more(name, run)


def on_main(yard: Yard) -> set[str]:
    return set(git(yard.folder, "ls-tree", "-r", "--name-only", "main").split())


def receipt(yard: Yard, item: str) -> dict[str, Any]:
    """The last proof of a landing."""
    return [proof for proof in yard.show(item)["evidence"] if proof["column"] == "done"][-1]


@pytest.mark.ledger("R-19", "R-22")
@pytest.mark.parametrize("many", some([8, 20], [8]))
def test_one_bad_one_among_many_goes_back_and_the_others_land(tmp_path: Path, many: int) -> None:
    wrong = many * 2 // 3
    yard, items = finished(tmp_path / "yard", *writes(many, bad=(wrong,)))
    proofs = Proofs(yard)
    yard.run(step=proofs)
    bad = items[wrong - 1]
    assert [item for item in items if yard.status(item) != "done"] == [bad]
    assert {f"f{one}.txt" for one in range(1, many + 1)} - on_main(yard) == {f"f{wrong}.txt"}
    red = [event for event in yard.board.log(item=bad) if event["event"] == "landing_failed"]
    assert "check is red on main with it" in red[0]["context"]["why"]
    assert f"BAD {wrong}" in receipt(yard, bad)["evidence"]["output"] and "beside" not in receipt(yard, bad)["evidence"]
    back = [number for number, run in enumerate(proofs.runs) if run == red[0]["run"]]
    # What comes after it went back and was made again is another effort of its own.
    assert back and len(proofs.runs[: back[-1] + 2]) < 2 * many.bit_length(), proofs.runs
    yard.doctor()
    yard.close()


def landed_once(yard: Yard, before: str, names: list[str]) -> None:
    """Each is on the branch by one commit, the user's tree is as the branch is, and nothing is left to be settled."""
    for name in names:
        changes = git(yard.folder, "log", "--format=%h", f"{before}..main", "--", name).split()
        assert len(changes) == 1, f"{name} came {len(changes)} times"
        assert (yard.folder / name).exists()
    assert git(yard.folder, "status", "--porcelain", "--untracked-files=no") == ""
    repository = yard.folder / ".moot" / "repo.git"
    assert git(yard.folder, "--git-dir", str(repository), "for-each-ref", "refs/moot/intents") == ""


def together(yard: Yard, item: str) -> list[str]:
    """With whom it landed, as the log has it."""
    (event,) = [event for event in yard.board.log(item=item) if event["event"] == "work_landed"]
    return list(event["context"].get("beside", []))


@pytest.mark.ledger("R-19", "R-21", "R-22")
def test_each_has_a_run_an_intent_and_proofs_of_its_own(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3))
    before, proofs = git(yard.folder, "rev-parse", "main"), Proofs(yard)
    yard.run(step=proofs)
    assert len(proofs.runs) == 1 and [yard.status(item) for item in items] == ["done"] * 3
    landed_once(yard, before, ["f1.txt", "f2.txt", "f3.txt"])
    tip = git(yard.folder, "rev-parse", "main")
    for number, item in enumerate(items, 1):
        others = [other for other in items if other != item]
        shown, proof = yard.show(item), receipt(yard, item)
        assert together(yard, item) == others
        assert proof["green"] and proof["evidence"]["beside"] == others and proof["run"] == shown["runs"][-1]["run"]
        assert proof["evidence"]["commit"] == tip and proof["evidence"]["tree"] == git(
            yard.folder, "rev-parse", "main^{tree}"
        )
        assert git(yard.folder, "diff", "--name-only", f"{shown['landed']}^1", shown["landed"]) == f"f{number}.txt"
        said = [event["event"] for event in yard.board.log(item=item)]
        assert said.index("landing_recorded") < said.index("work_landed")
    yard.doctor()
    yard.close()


def survives(folder: Path, step: str) -> None:
    yard, items = finished(folder, *writes(3))
    before = git(yard.folder, "rev-parse", "main")
    assert doomed(yard, step) == -9, f"the worker was not killed at {step}"
    wait_until_gone(yard.folder)
    names = {f"f{one}.txt" for one in (1, 2, 3)}
    assert on_main(yard) & names == (names if step in ("moved", "landed") else set()), f"killed at {step}"
    yard.run()
    assert [yard.status(item) for item in items] == ["done"] * 3, [yard.show(item)["why"] for item in items]
    landed_once(yard, before, sorted(names))
    for item in items:
        assert len([event for event in yard.board.log(item=item) if event["event"] == "work_landed"]) == 1
    yard.doctor()
    yard.close()


STEPS = ["merge", "clone", "gate", "join", "record", "move", "report", "swap", "moved", "landed"]


@pytest.mark.ledger("R-19", "R-29")
@pytest.mark.parametrize("step", some(STEPS, ["gate", "record", "swap", "moved"]))
def test_a_worker_that_is_killed_at_any_step_of_it_loses_nothing(tmp_path: Path, step: str) -> None:
    survives(tmp_path / "yard", step)


def test_who_was_cancelled_after_a_killed_worker_had_moved_the_branch_says_so(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3))
    before = git(yard.folder, "rev-parse", "main")
    assert doomed(yard, "moved") == -9
    wait_until_gone(yard.folder)
    yard.board.cancel(items[1])
    yard.run()
    assert [yard.status(item) for item in items] == ["done", "cancelled", "done"]
    shown = yard.show(items[1])
    assert "on main already" in shown["why"]
    assert git(yard.folder, "diff", "--name-only", f"{shown['landed']}^1", shown["landed"]) == "f2.txt"
    landed_once(yard, before, ["f1.txt", "f2.txt", "f3.txt"])
    yard.doctor()
    yard.close()


@pytest.mark.parametrize("step", some(["gate", "join", "record", "move", "report"], ["report"]))
@pytest.mark.attack(
    "fence",
    "One of several items that land together is cancelled, up to the move of the branch",
    "Nothing of its work comes onto the branch; the others are proved without it, and land",
)
def test_who_is_cancelled_before_the_move_does_not_land_and_the_others_do(tmp_path: Path, step: str) -> None:
    yard, items = finished(tmp_path / "yard", *writes(4))
    before = git(yard.folder, "rev-parse", "main")
    yard.run(step=once(step, lambda: yard.board.cancel(items[2])))
    assert [yard.status(item) for item in items] == ["done", "done", "cancelled", "done"]
    assert "f3.txt" not in on_main(yard)
    landed_once(yard, before, ["f1.txt", "f2.txt", "f4.txt"])
    yard.doctor()
    yard.close()


@pytest.mark.parametrize("step", some(["gate", "record", "report"], ["record"]))
def test_the_first_is_cancelled_and_the_others_land(tmp_path: Path, step: str) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3))
    before = git(yard.folder, "rev-parse", "main")
    yard.run(step=once(step, lambda: yard.board.cancel(items[0])))
    assert [yard.status(item) for item in items] == ["cancelled", "done", "done"]
    assert "f1.txt" not in on_main(yard)
    landed_once(yard, before, ["f2.txt", "f3.txt"])
    yard.doctor()
    yard.close()


def test_a_worker_that_stands_still_past_its_lease_moves_nothing_when_it_wakes(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3), flow=FLOW.replace("lease: 60s", "lease: 2s"))
    before = git(yard.folder, "rev-parse", "main")
    halted = Path(__file__).with_name("halted.py")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, str(halted), str(yard.folder), "move", "stop"], env=env) as frozen:
        until = time.monotonic() + 60
        while Path(f"/proc/{frozen.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            assert time.monotonic() < until and frozen.poll() is None
            time.sleep(0.05)
        time.sleep(2.5)
        yard.run()
        assert [yard.status(item) for item in items] == ["done"] * 3
        tip = git(yard.folder, "rev-parse", "main")
        frozen.send_signal(signal.SIGCONT)
        frozen.wait(60)
    assert git(yard.folder, "rev-parse", "main") == tip
    landed_once(yard, before, ["f1.txt", "f2.txt", "f3.txt"])
    yard.doctor()
    yard.close()


def test_who_conflicts_with_the_others_goes_the_ordinary_way(tmp_path: Path) -> None:
    lines = [*writes(2), ["write f1.txt another"], ["write f4.txt good"]]
    yard, items = finished(tmp_path / "yard", *lines)
    proofs = Proofs(yard)
    yard.run(step=proofs)
    assert [yard.status(item) for item in items[:2]] == ["done", "done"] and yard.status(items[3]) == "done"
    assert together(yard, items[0]) == [items[1], items[3]]
    why = [event["context"]["why"] for event in yard.board.log(item=items[2]) if event["event"] == "landing_failed"]
    assert "it conflicts with main in f1.txt" in why[0]
    yard.doctor()
    yard.close()


def test_only_items_with_the_same_gates_land_together(tmp_path: Path) -> None:
    flow = FLOW.replace("  sign:", "  docs: {agents: [dev], next: sign, gate: [check, spell]}\n  sign:")
    flow = flow.replace("gates: {", "gates: {spell: {run: [/bin/true]}, ")
    yard, items = finished(tmp_path / "yard", *writes(4), flow=flow, columns=("dev", "docs", "dev", "docs"))
    yard.run()
    assert [yard.status(item) for item in items] == ["done"] * 4
    assert [together(yard, item) for item in items] == [["3"], ["4"], ["1"], ["2"]]
    yard.doctor()
    yard.close()


def test_a_limit_of_two_takes_two_at_a_time(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(5), flow=FLOW.replace("batch: 20", "batch: 2"))
    proofs = Proofs(yard)
    yard.run(step=proofs)
    assert [together(yard, item) for item in items] == [["2"], ["1"], ["4"], ["3"], []]
    assert len(proofs.runs) == 3
    yard.doctor()
    yard.close()


def test_without_the_key_each_lands_by_itself(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3), flow=FLOW.replace("land: {batch: 20}", ""))
    proofs = Proofs(yard)
    yard.run(step=proofs)
    assert [together(yard, item) for item in items] == [[], [], []] and len(proofs.runs) == 3
    yard.close()


def test_a_gate_that_never_ends_is_the_fault_of_one(tmp_path: Path) -> None:
    hangs = "test ! -e strict.txt || ! grep -l BAD *.txt || sleep 60"
    flow = FLOW.replace("timeout: 30s", "timeout: 2s").replace("feedback_rounds: 1", "feedback_rounds: 1, attempts: 1")
    yard, items = finished(tmp_path / "yard", *writes(4, bad=(2,)), flow=flow, gate=hangs)
    yard.run(step=once("never", lambda: None))
    assert [yard.status(item) for item in items if item != items[1]] == ["done"] * 3
    assert "f2.txt" not in on_main(yard)
    yard.doctor()
    yard.close()


def test_a_gate_that_is_stricter_by_the_move_counts_for_all(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3, bad=(2,)), gate="true")
    flow = yard.folder / ".moot/flow.yaml"

    def stricter() -> None:
        flow.write_text(flow.read_text().replace('"true"', '"! grep -l BAD *.txt"'))
        yard.board.boards.apply(str(yard.folder), {}, ENGINE)

    yard.run(step=once("move", stricter))
    assert on_main(yard) >= {"f1.txt", "f3.txt"} and "f2.txt" not in on_main(yard)
    assert [yard.status(item) for item in items][::2] == ["done", "done"] and yard.status(items[1]) != "done"
    yard.doctor()
    yard.close()


@pytest.mark.parametrize("step", some(["gate", "move"], ["move"]))
def test_a_branch_that_moves_meanwhile_is_merged_with_and_proved_again(tmp_path: Path, step: str) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3))

    def commit() -> None:
        (yard.folder / "mine.txt").write_text("mine\n")
        git(yard.folder, "add", "mine.txt")
        git(yard.folder, "commit", "-q", "-m", "mine")

    before, proofs = git(yard.folder, "rev-parse", "main"), Proofs(yard, once(step, commit))
    yard.run(step=proofs)
    assert [yard.status(item) for item in items] == ["done"] * 3 and len(proofs.runs) == 2
    assert receipt(yard, items[0])["evidence"]["tree"] == git(yard.folder, "rev-parse", "main^{tree}")
    landed_once(yard, before, ["f1.txt", "f2.txt", "f3.txt", "mine.txt"])
    yard.doctor()
    yard.close()


def test_a_file_of_the_users_that_is_in_the_way_stays_as_it_is(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3))
    (yard.folder / "f2.txt").write_text("my own notes\n")
    yard.run()
    assert (yard.folder / "f2.txt").read_text() == "my own notes\n"
    assert [yard.status(item) for item in items] == ["done"] * 3
    assert {yard.show(item)["landed_on"] for item in items} == {"moot/main"}
    assert git(yard.folder, "show", "moot/main:f2.txt") == "good 2"
    yard.doctor()
    yard.close()


def test_what_somebody_has_locked_waits_and_the_others_land(tmp_path: Path) -> None:
    yard, items = finished(tmp_path / "yard", *writes(3))
    yard.board.lock("f2.txt")
    yard.run()
    assert [yard.status(item) for item in items] == ["done", "proving", "done"]
    yard.board.unlock("f2.txt")
    yard.run()
    assert yard.status(items[1]) == "done"
    yard.doctor()
    yard.close()


def shared(folder: Path) -> tuple[Shared, list[str]]:
    """Items of which the first machine has made the work, and that a person has let land."""
    signed = {"after": "sign", "more": "  sign: {human: true, next: done}", "agents": "land: {batch: 5}"}
    yard = Shared(folder, lease="5s", gate=["/bin/sh", "-c", GATE], **signed)  # type: ignore[arg-type]
    items = [yard.add(f"item {one}", f"write f{one}.txt good {one}", "report done") for one in (1, 2, 3)]
    yard.machines[0].run()
    git(yard.machines[0].folder, "commit", "-q", "--allow-empty", "-m", "mine")
    git(yard.machines[0].folder, "push", "-q", "origin", "main")
    for question in yard.board.inbox():
        yard.board.answer(question["id"], "go on")
    return yard, items


def test_another_machine_lands_them_together_on_the_remote(tmp_path: Path) -> None:
    yard, items = shared(tmp_path)
    two = yard.machines[1]
    two.run()
    assert [yard.show(item)["status"] for item in items] == ["done"] * 3, two.words()
    assert [yard.times_landed(f"f{one}.txt") for one in (1, 2, 3)] == [1, 1, 1]
    beside = [proof["evidence"]["beside"] for item in items for proof in yard.show(item)["evidence"][-1:]]
    assert beside == [["2", "3"], ["1", "3"], ["1", "2"]]
    assert git(yard.remote, "for-each-ref", "refs/moot/intents") == ""
    assert (two.folder / "f3.txt").read_text() == "good 3\n"
    yard.doctor()


@pytest.mark.parametrize("step", some(["join", "record", "swap", "moved"], ["moved"]))
def test_another_machine_finds_out_what_a_killed_one_had_moved(tmp_path: Path, step: str) -> None:
    yard, items = shared(tmp_path)
    one, two = yard.machines
    code, out = ended(one.started(step))
    assert code == -9, out
    assert ("f1.txt" in git(yard.remote, "ls-tree", "--name-only", "main")) == (step == "moved")
    time.sleep(5.5)  # the other machine knows nothing of it but its lease
    two.run()
    assert [yard.show(item)["status"] for item in items] == ["done"] * 3, two.words()
    assert [yard.times_landed(f"f{one}.txt") for one in (1, 2, 3)] == [1, 1, 1]
    two.run()
    assert git(yard.remote, "for-each-ref", "refs/moot/intents") == ""
    yard.doctor()
