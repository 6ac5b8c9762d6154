"""Ways to the target branch past the flow's gates, tried with real agents and real git (R-19)."""

from pathlib import Path

import pytest

from tests.worker.yard import Yard, git

# `ward` lets nothing through that holds a file named evil.txt.
FLOW = """
flow: warded
start: dev
limits: {slots: 4, lease: 60s, timeout: 30s, silence: 20s, executions: 2, feedback_rounds: 1}
columns:
  dev: {agents: [dev], next: polish, gate: [ward]}
  polish: {agents: [polisher], next: done}
  aside: {agents: [helper], next: done}
agents:
  dev: {run: {command: ACTOR}, write: own, may: [ask, dispatch, delegate], ladder: {0: small, 1+: escalate}}
  polisher: {run: {command: ACTOR}, write: own, may: [ask, dispatch], ladder: {0: small, 1+: escalate}}
  helper: {run: {command: ACTOR}, write: own, ladder: {0: small, 1+: escalate}}
gates: {ward: {run: [/bin/sh, -c, "test ! -e evil.txt"]}}
"""
POLISH = """
flow: polished
start: dev
limits: {slots: 4, lease: 60s, timeout: 30s, silence: 20s, executions: 2, feedback_rounds: 1}
columns:
  dev: {agents: [dev], next: polish, gate: [ward]}
  polish: {agents: [polisher], next: done}
agents:
  dev: {run: {command: ACTOR}, write: none, ladder: {0: small, 1+: escalate}}
  polisher: {run: {command: ACTOR}, write: own, ladder: {0: small, 1+: escalate}}
gates: {ward: {run: [/bin/sh, -c, "test ! -e evil.txt"]}}
"""
EVIL = r"shell printf 'say go\nwrite evil.txt x\nreport done\n' | moot dispatch helper -"
POLISHES = "only polisher write polish.txt x"  # who says done and has changed nothing is asked


def on_main(yard: Yard) -> list[str]:
    return git(yard.folder, "ls-tree", "-r", "--name-only", "main").splitlines()


def sent(yard: Yard) -> list[dict[str, object]]:
    return [one for one in yard.board.list() if one["title"] == "say go"]


@pytest.mark.attack(
    "gates", "a run dispatches an agent whose column no gate guards", "it lands under the asker's gates"
)
@pytest.mark.ledger("R-19")
def test_what_a_run_dispatched_meets_the_gates_of_the_item_that_asked(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    # What was dispatched comes onto the item's branch, or goes its own way: it passes the gate in both.
    item = yard.add("ask", f"only dev {EVIL}", "write good.txt good", POLISHES, "report done")
    yard.run()
    assert "evil.txt" not in on_main(yard)
    assert len(sent(yard)) == 1 and yard.status(item) != "running"
    yard.doctor()


@pytest.mark.ledger("R-19")
def test_what_comes_onto_the_branch_while_its_run_works_is_merged_with_the_runs_own_change(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    help_ = r"shell test -e helped.txt || printf 'say go\nwrite helped.txt x\nreport done\n' | moot dispatch helper -"
    landed = "shell until moot show 2 --json | grep -q 'landed_on.*item 1'; do sleep 0.1; done"
    item = yard.add("ask", f"only dev {help_}", f"only dev {landed}", "write good.txt good", POLISHES, "report done")
    yard.run(slots=2)
    runs = yard.show(item)["runs"]
    assert [run["outcome"] for run in runs if run["agent"] == "dev"] == ["done"], "its one run was not in vain"
    assert {"helped.txt", "good.txt"} <= set(on_main(yard))
    yard.doctor()


@pytest.mark.attack(
    "gates", "the item that sent for help is done before the help is", "the help passes every gate of the flow itself"
)
@pytest.mark.ledger("R-19")
def test_help_that_comes_too_late_goes_through_the_flow(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    late = r"shell printf 'say go\nwait 3\nwrite evil.txt x\nreport done\n' | moot dispatch helper -"
    item = yard.add("ask", f"only dev {late}", "write good.txt good", POLISHES, "report done")
    yard.run()
    assert yard.status(item) == "done" and "good.txt" in on_main(yard)
    (helper,) = sent(yard)
    assert "evil.txt" not in on_main(yard) and helper["status"] != "done"
    assert "item_unbound" in [event["event"] for event in yard.board.log(item=str(helper["id"]))]
    yard.doctor()


@pytest.mark.attack("gates", "a person's dispatch brings what a gate would refuse", "it goes through stages and gates")
@pytest.mark.ledger("R-19")
def test_a_persons_dispatch_goes_through_the_flow_from_its_column_on(tmp_path: Path) -> None:
    from folkmoot.core.commands import Actor, DispatchAgent

    yard = Yard(tmp_path / "yard", flow=FLOW)
    engine = yard.board._application.engine
    order = DispatchAgent(agent="dev", task="say go\nwrite evil.txt x\nreport done")
    item = engine.add(Actor("somebody"), order).id
    yard.run()
    assert "evil.txt" not in on_main(yard) and yard.status(item) != "done"
    yard.doctor()


@pytest.mark.attack(
    "gates", "a run adds an item to its own late stage, past the gate", "that gate runs before it lands"
)
@pytest.mark.ledger("R-19")
def test_an_item_added_behind_a_gate_meets_it_before_it_lands(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=POLISH)
    more = r"shell printf 'write evil.txt x\nreport done\n' | moot add evil --column polish --body-file -"
    once = f"once {more}"
    yard.add("sly", once, "report done", column="polish")
    yard.run()
    (evil,) = [one for one in yard.board.list() if one["title"] == "evil"]
    assert "evil.txt" not in on_main(yard) and evil["status"] != "done"
    yard.doctor()


@pytest.mark.ledger("R-19")
def test_a_persons_move_to_done_lands_it_and_the_log_says_what_was_waived(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    item = yard.add("red", "write evil.txt x", "report done")
    yard.run()
    assert yard.status(item) != "done"
    yard.board.move(item, "done")
    yard.run()
    assert yard.status(item) == "done" and "evil.txt" in on_main(yard)
    (waived,) = [e for e in yard.board.log(item=item) if e["event"] == "gates_waived"]
    assert waived["context"]["gates"] == ["ward"] and waived["agent"] == "somebody"
    assert not all(proof["green"] for proof in yard.show(item)["evidence"])
    yard.doctor()


@pytest.mark.attack(
    "gates",
    "after a person has waived a gate, a run mends a conflict and adds what the gate would refuse",
    "a waiver is for the work it was given for: the gate runs on what was made since, and a person is asked",
)
@pytest.mark.ledger("R-19")
def test_what_is_made_after_a_waiver_meets_the_gate(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    made = ("only dev write evil.txt x", "only dev write same.txt mine")
    mended = ("only polisher write same.txt both", "only polisher write backdoor.txt x")
    item = yard.add("red", *made, *mended, "report done")
    yard.run()
    assert yard.status(item) != "done"
    yard.board.move(item, "done", why="evil.txt is fine")
    (yard.folder / "same.txt").write_text("yours", "utf-8")
    git(yard.folder, "add", "same.txt")
    git(yard.folder, "commit", "-q", "-m", "meets it")
    yard.run()
    assert "backdoor.txt" not in on_main(yard) and yard.status(item) != "done"
    assert [e["context"]["gates"] for e in yard.board.log(item=item) if e["event"] == "gates_waived"] == [["ward"]]
    yard.doctor()
    yard.board.move(item, "done", why="so is the rest")
    yard.run()
    assert "backdoor.txt" in on_main(yard) and yard.status(item) == "done"
    yard.doctor()
