"""Rights are judged on what really lands: the difference between the branch and the merged tree (R-20)."""

from pathlib import Path

import pytest

from folkmoot.core.rules.running import landing
from tests.worker.yard import Yard, git

FLOW = """
flow: signed
start: dev
limits: {slots: 2, lease: 60s, timeout: 30s, silence: 20s, executions: 2, feedback_rounds: 1}
columns:
  dev: {agents: [dev], next: sign}
  sign: {human: true, next: done}
agents:
  dev: {run: {command: ACTOR}, write: own}
"""
BIG = "".join(f"line {number} of a large file\n" for number in range(200))


def renamed(tmp_path: Path, *lines: str, files: list[str]) -> tuple[Yard, str]:
    """An item whose work is done, and a target branch that has since renamed what it changed."""
    yard = Yard(tmp_path / "yard", flow=FLOW, files={"src/big.py": BIG})
    item = yard.add("mend it", *lines, files=files)
    yard.run()
    (yard.folder / "core").mkdir()
    git(yard.folder, "mv", "src/big.py", "core/crown.py")
    git(yard.folder, "commit", "-q", "-m", "rename it")
    return yard, item


def sign(yard: Yard) -> None:
    (question,) = yard.board.inbox()
    yard.board.answer(question["id"], "go on")
    yard.run()


MEND = "shell test -e src/big.py && sed -i 's/line 7 of/line seven of/' src/big.py; true"


@pytest.mark.attack(
    "rights", "git's merge follows a rename of the branch, to a path that is not the item's", "the landing is refused"
)
@pytest.mark.ledger("R-20")
def test_a_change_that_a_rename_would_carry_elsewhere_does_not_land_there(tmp_path: Path) -> None:
    yard, item = renamed(tmp_path, MEND, "report done", files=["src/big.py"])
    yard.board.lock("core/crown.py")
    sign(yard)
    assert "seven" not in yard.landed("core/crown.py") and yard.commits()[0] == "rename it"
    failed = [event for event in yard.board.log(item=item) if event["event"] == "landing_failed"]
    assert "core/crown.py is not among its files" in failed[0]["context"]["why"]
    yard.doctor()


@pytest.mark.ledger("R-20")
def test_whoever_mends_it_begins_from_both_sides_merged_and_may_ask_for_the_path(tmp_path: Path) -> None:
    widen = "shell test -e core/crown.py && moot widen core/crown.py; true"
    yard, item = renamed(tmp_path, MEND, widen, "report done", files=["src/big.py"])
    sign(yard)
    assert yard.status(item) == "done" and "line seven of" in yard.landed("core/crown.py")
    assert "core/crown.py" in yard.show(item)["files"]
    yard.doctor()


@pytest.mark.attack(
    "rights", "a change follows a rename to a path that somebody has locked", "the landing waits for the lock"
)
@pytest.mark.ledger("R-20")
def test_an_item_without_files_waits_for_whoever_holds_where_a_rename_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landing, "DEFER_SECONDS", 3600.0)  # the worker ends instead of waiting for it
    yard, item = renamed(tmp_path, MEND, "report done", files=[])
    yard.board.lock("core/crown.py")
    sign(yard)
    assert "seven" not in yard.landed("core/crown.py") and yard.status(item) == "proving"
    assert "landing_deferred" in [event["event"] for event in yard.board.log(item=item)]
    yard.doctor()


@pytest.mark.attack("rights", "an item for `makefile` changes `Makefile`", "it is another file: the change is refused")
@pytest.mark.ledger("R-20")
def test_a_right_to_a_name_is_none_to_its_twin_in_case(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", files={"Makefile": "all:\n", "makefile": "all:\n"})
    item = yard.add("one", "write Makefile evil", "report done", files=["makefile"])
    yard.run()
    assert yard.status(item) != "done" and yard.commits() == ["first"]
    refused = [event for event in yard.board.log(item=item) if event["event"] == "work_refused"]
    assert "Makefile is not among its files" in refused[0]["context"]["why"]
    yard.doctor()
