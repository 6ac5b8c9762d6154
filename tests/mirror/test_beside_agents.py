"""The mirror beside agents that `moot run` runs: it shows what they do, and is no part of what they change (R-04)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.mirroring.making import mirrored
from folkmoot.wiring.running import tools_of, work
from tests.acceptance.moot import new_board
from tests.mirror.desk import Desk, until, watching
from tests.worker.yard import Yard, git

MIRROR = "mirror: {dir: .claude}"


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Yard]]:
    made: list[Yard] = []

    def make(**wish: Any) -> Yard:
        made.append(Yard(tmp_path / "yard", **wish))
        return made[-1]

    yield make
    for yard in made:
        yard.doctor()
        yard.close()


def run(yard: Yard) -> None:
    """As `moot run --until-idle` does."""
    work(
        yard.board._application,
        str(yard.folder / ".moot"),
        slots=2,
        agents=[],
        until_idle=True,
        tell=yard.told.append,
        begin=lambda view: None,
    )


@pytest.mark.ledger("R-04")
def test_a_run_shows_the_board_and_git_does_not_see_it(make: Callable[..., Yard]) -> None:
    yard = make(more=MIRROR)
    item = yard.add("one", "write one.txt made by one", "report done")
    run(yard)
    state = json.loads((yard.folder / ".claude/state.json").read_text("utf-8"))
    assert state["current_workflow"]["id"] == item and state["workflows"][0]["status"] == "done"
    assert state["agents"]["dev"]["status"] == "completed"
    assert "column: done" in (yard.folder / f".claude/kanban/{item}.yaml").read_text("utf-8")
    assert git(yard.folder, "status", "--porcelain") == "?? .moot/"
    assert yard.landed("one.txt") == "made by one"


@pytest.mark.ledger("R-04")
def test_what_an_agent_writes_there_is_no_part_of_its_change(make: Callable[..., Yard]) -> None:
    yard = make(more=MIRROR, agent="write: any")
    own = "write .claude/handoffs/pending/x.json {}", "write .claude/state.json {}", "write .claude/a/b.meta.yaml x"
    item = yard.add("one", *own, "write notes.txt x", "report done")
    run(yard)
    assert yard.status(item) == "done"
    assert git(yard.folder, "ls-tree", "-r", "--name-only", "main").split() == ["README.md", "notes.txt"]


@pytest.mark.ledger("R-04")
def test_in_a_plain_folder_the_files_are_nobodys_change_and_hidden(make: Callable[..., Yard]) -> None:
    yard = make(more=MIRROR, plain=True)
    wait = "shell for n in 1 2 3 4 5 6 7 8 9; do sleep 0.1; done; ls -A .claude > seen.txt 2>&1; true"
    item = yard.add("one", wait, "report done", files=["seen.txt"])
    run(yard)
    shown = yard.show(item)
    assert shown["status"] == "done"
    assert [one["path"] for one in shown["runs"][0]["changed"]] == ["seen.txt"]
    if shown["runs"][0]["sandboxed"]:
        assert "state.json" not in (yard.folder / "seen.txt").read_text("utf-8")
    assert (yard.folder / ".claude/state.json").exists()


@pytest.mark.ledger("R-04")
@pytest.mark.parametrize("visible", [True, False])
def test_agents_in_a_sandbox_see_it_only_if_the_flow_says_so(make: Callable[..., Yard], visible: bool) -> None:
    more = f"mirror: {{dir: .claude, visible: {str(visible).lower()}}}"
    yard = make(more=more)
    with tools_of(yard.board._application, str(yard.folder / ".moot"), yard.told.append) as tools:
        is_boxed = tools.sandbox_of(tools.application.queries.flow()).works
    if not is_boxed:
        pytest.skip("there is no sandbox on this machine")
    item = yard.add("one", f"shell ls {yard.folder}/.claude > seen.txt 2>/dev/null; true", "report done")
    (yard.folder / ".claude").mkdir(exist_ok=True)
    (yard.folder / ".claude/settings.json").write_text("{}", "utf-8")
    run(yard)
    assert yard.status(item) == "done"
    assert ("settings.json" in yard.landed("seen.txt")) == visible


@pytest.mark.ledger("R-04")
def test_where_the_flow_names_another_folder_meanwhile_the_files_are_there(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    moot("add", "Add user auth")
    application = FileBoards().open(str(tmp_path))
    told: list[str] = []
    flow = tmp_path / ".moot/flow.yaml"
    before = flow.read_text("utf-8")
    with mirrored(application, str(tmp_path / ".moot"), told.append):
        until((tmp_path / ".claude/state.json").exists)
        flow.write_text(before.replace("mirror: {dir: .claude}", ""), "utf-8")
        moot("apply")
        moot("add", "Nobody shows it yet")
        flow.write_text(before.replace("dir: .claude", "dir: shown/here"), "utf-8")
        moot("apply")
        until((tmp_path / "shown/here/kanban/2.yaml").exists)
        report = {"agent": "planner", "item": "1", "outcome": "done", "summary": "planned"}
        (tmp_path / "shown/here/inbox/1.json").write_text(json.dumps(report), "utf-8")
        until(lambda: moot("show", "1")["column"] == "build")
    application.close()
    assert told == [] and not (tmp_path / ".claude/kanban/2.yaml").exists()


@pytest.mark.ledger("R-04")
@pytest.mark.parametrize("then", ["", "mirror: {dir: shown/here}"])
def test_nothing_is_shown_or_heard_where_the_flow_no_longer_shows_the_board(tmp_path: Path, then: str) -> None:
    """Also if the mirror looks only after all of it has happened."""
    desk = Desk(tmp_path)
    desk.moot("add", "Add user auth")
    desk.look()
    flow = tmp_path / ".moot/flow.yaml"
    flow.write_text(flow.read_text("utf-8").replace("mirror: {dir: .claude}", then), "utf-8")
    desk.moot("apply")
    desk.moot("add", "Nobody shows it here")
    desk.put("inbox/1.json", {"agent": "planner", "item": "1", "outcome": "done", "summary": "planned"})
    desk.look()
    assert (desk.dir / "kanban/1.yaml").exists() and not (desk.dir / "kanban/2.yaml").exists()
    assert desk.moot("show", "1")["column"] == "plan" and (desk.dir / "inbox/1.json").exists()
    desk.close()


@pytest.mark.ledger("R-04")
def test_a_watching_mirror_goes_where_the_flow_says_and_stays_where_it_was_told(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    flow = tmp_path / ".moot/flow.yaml"
    with watching(tmp_path, None), watching(tmp_path, "fixed"):
        until((tmp_path / ".claude/state.json").exists)
        flow.write_text(flow.read_text("utf-8").replace("dir: .claude", "dir: elsewhere"), "utf-8")
        moot("apply")
        moot("add", "Add user auth")
        until((tmp_path / "elsewhere/kanban/1.yaml").exists)
        until((tmp_path / "fixed/kanban/1.yaml").exists)
