"""What no run of a pool can work with: one pause, one question, few runs. With real processes."""

from pathlib import Path

import pytest

from tests.worker.test_trouble import failed, yard_of
from tests.worker.yard import Yard

FLOW = """
start: dev
limits: {{slots: 3}}
columns: {{dev: {{agents: [dev], next: done{gate}}}}}
agents: {{dev: {{run: {{command: ACTOR}}, write: own{agent}}}}}
{more}
"""


@pytest.mark.ledger("R-07")
def test_six_items_of_a_client_that_is_not_signed_in_ask_once_and_go_on_with_the_answer(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard")
    # It is mended when the answer comes: then there is guidance in its brief.
    items = [yard.add(f"n{n}", f"once {failed(401, 'Invalid bearer token')}", "report done") for n in range(6)]
    yard.run(slots=2)
    runs = [run for item in items for run in yard.show(item)["runs"]]
    assert {(run["outcome"], run["cause"]) for run in runs} == {("released", "environment")} and len(runs) <= 2
    (question,) = yard.queries.inbox()["questions"]
    assert (
        "is not signed in (401)" in question["question"]
        and "6 items of shared wait. Sign in, then answer: retry" in question["question"]
    )
    assert [option["option"] for option in question["options"]] == ["retry", "park these items", "cancel it"]
    assert {yard.show(item)["failure_count"] for item in items} == {0}
    yard.run(slots=2)
    assert sum(len(yard.show(item)["runs"]) for item in items) == len(runs)  # no further run
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-07")
def test_a_client_that_says_nothing_to_the_board_is_run_twice_and_then_asked_about(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW.format(gate="", agent="", more=""))
    item = yard.add("one", "say error: unknown option '--yes'")
    yard.run()
    (question,) = yard.queries.inbox()["questions"]
    assert len(yard.show(item)["runs"]) == 2
    assert "The last one printed: unknown option '--yes'" in question["question"]
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-22")
def test_done_without_a_change_is_told_so_once(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW.format(gate="", agent="", more=""))
    told = 'report done {"summary": "the button is green"}'
    lazy = yard.add("lazy", told)
    honest = yard.add("honest", f"once {told}", "write b.txt x", "report done")
    yard.run()
    assert yard.status(honest) == "done" and yard.landed("b.txt") == "x"
    assert len(yard.show(lazy)["runs"]) == 2
    (question,) = yard.queries.inbox()["questions"]
    assert "again no file changed: the button is green" in question["question"]
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-21")
@pytest.mark.parametrize(
    ("command", "says"),
    [('["./check.sh"]', "check.sh"), ('["make", "test"]', "make: *** No")],
    ids=["script", "target"],
)
def test_a_gate_that_is_not_there_asks_at_once(tmp_path: Path, command: str, says: str) -> None:
    more = f"gates: {{ward: {{run: {command}}}}}"
    yard = Yard(tmp_path / "yard", flow=FLOW.format(gate=", gate: [ward]", agent="", more=more))
    item = yard.add("one", "write a.txt x", "report done")
    yard.run()
    (question,) = yard.queries.inbox()["questions"]
    assert question["question"].startswith("The gate ward cannot be run: ") and says in question["question"]
    options = [option["option"] for option in question["options"]]
    assert options == ["run ward again", "change the flow first", "go on without ward", "cancel it"]
    assert [run["agent"] for run in yard.show(item)["runs"]] == ["dev", "ward"]
    yard.close()


def test_what_setup_printed_is_kept_where_it_fails(tmp_path: Path) -> None:
    agent = ', setup: [["/bin/sh", "-c", "echo one; echo E: no such package; exit 3"]]'
    yard = Yard(tmp_path / "yard", flow=FLOW.format(gate="", agent=agent, more="").replace("slots: 3", "executions: 1"))
    item = yard.add("one", "report done")
    yard.run()
    (run,) = yard.show(item)["runs"]
    assert "one\nE: no such package" in yard.output(run["run"])
    (question,) = yard.queries.inbox()["questions"]
    assert "E: no such package" in question["question"]
    yard.close()
