"""Ways to the target branch past the flow's reviews, tried with real agents and real git (R-19)."""

from pathlib import Path

import pytest

from tests.worker.yard import Yard, git

# The reviewer lets nothing through that holds a file named evil.txt; no gate looks for it.
FLOW = """
flow: reviewed
start: dev
limits: {slots: 2, lease: 60s, timeout: 30s, silence: 20s, executions: 2, feedback_rounds: 2}
columns:
  dev: {agents: [dev], next: review}
  review: {agents: [reviewer], next: done, fix: dev}
  aside: {agents: [helper], next: done}
agents:
  dev: {run: {command: ACTOR}, write: any, may: [ask, dispatch], ladder: {0: small, 1+: escalate}}
  helper: {run: {command: ACTOR}, write: any, ladder: {0: small, 1+: escalate}}
  reviewer:
    write: none
    run:
      command:
        - /bin/sh
        - -c
        - >-
          if test -e evil.txt; then echo '{"outcome": "changes_requested", "summary": "evil", "findings":
          [{"kind": "review", "severity": "high", "file": "evil.txt", "issue": "a back door"}]}';
          else echo '{"outcome": "done", "summary": "good"}'; fi
"""


def on_main(yard: Yard) -> list[str]:
    return git(yard.folder, "ls-tree", "-r", "--name-only", "main").splitlines()


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "gates",
    "an agent whose work was reviewed mends a conflict, and brings along what the reviewer would refuse",
    "the reviewer sees it, and nothing lands",
)
def test_what_comes_with_a_mended_conflict_does_not_pass_the_reviewer(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW, files={"a.txt": "a\n"})
    act = "if grep -q '<<<<<<<' a.txt; then echo both > a.txt; echo x > evil.txt; else echo theirs > a.txt; fi"
    item = yard.add("sly", f"shell test -e evil.txt || {{ {act}; }}", "report done")

    def step(name: str, run: str) -> None:
        if name == "merge" and yard.commits() == ["first"]:
            (yard.folder / "a.txt").write_text("mine\n")
            git(yard.folder, "commit", "-q", "-a", "-m", "mine")

    yard.run(step=step)
    assert "evil.txt" not in on_main(yard) and yard.status(item) != "done"
    assert "a back door" in str(yard.show(item))
    yard.doctor()


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "gates",
    "a run sends for help past the review, which brings what the reviewer would refuse once the item has landed",
    "the reviewer sees it, and it does not land",
)
def test_help_that_comes_too_late_does_not_pass_the_reviewer(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    late = r"shell printf 'wait 4\nwrite evil.txt x\nreport done\n' | moot dispatch helper -"
    item = yard.add("ask", f"only dev {late}", "write good.txt good", "report done")
    yard.run()
    assert yard.status(item) == "done" and "good.txt" in on_main(yard)
    assert "evil.txt" not in on_main(yard)
    assert [one["status"] for one in yard.board.list() if one["id"] != item] != ["done"]
    yard.doctor()
