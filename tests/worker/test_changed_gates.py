"""Gates that are changed, or answered by hand, while work is on its way to the target branch: with real git (R-19)."""

from pathlib import Path

import pytest

from folkmoot.api.requests import ShowStatus
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.testing.builders import small_flow
from folkmoot.wiring.running import tools_of
from folkmoot.worker.worker import Worker
from tests.worker.yard import ACTOR, Yard, git

FLOW = """
flow: changed
start: dev
limits: {slots: 4, lease: 60s, timeout: 30s, silence: 20s, executions: 2, feedback_rounds: 1}
columns:
  dev: {agents: [dev], next: look, gate: [ward]}
  look: {agents: [reader], next: done, fix: dev}
agents:
  dev: {run: {command: ACTOR}, write: own, ladder: {0: small, 1+: escalate}}
  reader: {write: none}
gates: {ward: {run: [COMMAND]}}
"""


def by_hand(yard: Yard, agent: str) -> None:
    """Somebody takes what waits for this agent, or gate, and says that it is done."""
    engine = yard.board._application.engine
    view = engine.claim(Actor("somebody"), agent)
    engine.report(Actor(agent, view.run, view.token), Report.done("looked at"))


@pytest.mark.attack(
    "gates",
    "a gate's command is changed to one that fails, while an item that it was green for is in review",
    "the new command runs on what would land, and nothing lands",
)
@pytest.mark.ledger("R-19", "R-22")
def test_a_gate_that_was_changed_runs_again_before_the_work_lands(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW.replace("COMMAND", "'true'"))
    item = yard.add("make", "write new.txt x", "report done")
    yard.run()
    assert yard.show(item)["column"] == "look"
    changed = small_flow(FLOW.replace("COMMAND", "'false'").replace("ACTOR", str(ACTOR)))
    yard.board._application.engine.adopt_flow(Actor("somebody"), changed, "changed")
    by_hand(yard, "reader")
    yard.run()
    assert "new.txt" not in git(yard.folder, "ls-tree", "-r", "--name-only", "main")
    assert yard.status(item) != "done"
    assert ["false"] in [proof["evidence"]["command"] for proof in yard.show(item)["evidence"]]
    yard.doctor()


@pytest.mark.attack(
    "gates",
    "the setup of a gate, or of the agent that lends it one, is changed while an item it was green for is in review",
    "it is another check: it runs again on what would land, and nothing lands",
)
@pytest.mark.ledger("R-19", "R-22")
@pytest.mark.parametrize("whose", ["gate", "agent"])
def test_a_gate_with_another_setup_runs_again_before_the_work_lands(tmp_path: Path, whose: str) -> None:
    check = FLOW.replace("[COMMAND]", "[sh, -c, 'test ! -e strict']")

    def with_setup(command: str) -> str:
        setup = f"setup: [[{command}]]"
        place = ("ward: {", f"ward: {{{setup}, ") if whose == "gate" else ("write: own", f"write: own, {setup}")
        return check.replace(*place)

    yard = Yard(tmp_path / "yard", flow=with_setup("'true'"))
    item = yard.add("make", "shell rm -f strict", "write new.txt x", "report done")
    yard.run()
    assert yard.show(item)["column"] == "look"
    changed = small_flow(with_setup("touch, strict").replace("ACTOR", str(ACTOR)))
    yard.board._application.engine.adopt_flow(Actor("somebody"), changed, "changed")
    by_hand(yard, "reader")
    yard.run()
    assert "new.txt" not in git(yard.folder, "ls-tree", "-r", "--name-only", "main")
    assert yard.status(item) != "done"
    yard.doctor()


CONFLICT = """
flow: conflict
start: dev
limits: {slots: 4, lease: 60s, timeout: 30s, silence: 20s, executions: 2, feedback_rounds: 1}
columns:
  dev: {agents: [dev], next: read}
  read: {agents: [reader], next: done}
agents:
  dev: {run: {command: ACTOR}, write: own, ladder: {0: small, 1+: escalate}}
  reader: {write: none}
"""


@pytest.mark.attack(
    "gates",
    "two items change one line, and the agents say done to the marked conflict without a change",
    "no marks come onto the target branch, and a person is asked",
)
@pytest.mark.ledger("R-19")
def test_marked_conflicts_never_land(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=CONFLICT, files={"a.txt": "first\n"})
    item = yard.add("make", "only dev shell grep -q '<<<<' a.txt || echo mine > a.txt", "report done")
    yard.run()
    assert yard.show(item)["column"] == "read"
    (yard.folder / "a.txt").write_text("theirs\n")
    git(yard.folder, "commit", "-q", "-a", "-m", "theirs")
    by_hand(yard, "reader")
    yard.run()
    assert git(yard.folder, "show", "main:a.txt").strip() == "theirs"
    assert yard.status(item) == "awaiting-divine-guidance"
    assert [run["agent"] for run in yard.show(item)["runs"]] == ["dev", "reader", "landing", "dev"]
    yard.doctor()


LABELLED = """
flow: labelled
start: dev
limits: {slots: 2, lease: 60s, timeout: 30s, silence: 20s, executions: 2}
columns: {dev: {agents: [dev], next: done, gate: [check]}}
agents: {dev: {run: {command: ACTOR}, write: any}}
gates: {check: {run: [/bin/sh, -c, "test ! -e moved.txt"], needs: [gpu]}}
"""


@pytest.mark.attack(
    "gates",
    "a gate needs a machine of its kind, and the branch moves before a worker of another machine lands the work",
    "that worker does not land it: the gate runs again where it may run",
)
def test_a_landing_runs_no_gate_on_a_machine_that_it_is_not_for(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=LABELLED)

    def work(*labels: str) -> None:
        with tools_of(yard.board._application, str(yard.folder / ".moot"), yard.told.append) as tools:
            Worker(tools, "worker", slots=2, until_idle=True, labels=labels).run()

    item = yard.add("one", "write a.txt x", "report done")
    work()
    yard.board.lock("a.txt", seconds=600)
    work("gpu")
    (yard.folder / "moved.txt").write_text("x")
    git(yard.folder, "add", ".")
    git(yard.folder, "commit", "-q", "-m", "moved")
    yard.board.unlock("a.txt")
    before = len(yard.show(item)["runs"])
    work()
    assert len(yard.show(item)["runs"]) == before, "nobody has begun"
    told = yard.board._application.asked_by(Actor("ann"))(ShowStatus()).blocked
    assert [(one.why, one.reason) for one in told] == [("label", "a worker with label gpu")]
    (yard.folder / "moved.txt").unlink()
    git(yard.folder, "commit", "-q", "-a", "-m", "back")
    work("gpu")
    assert yard.status(item) == "done"
    yard.doctor()
