"""What an agent tries against the files that the board and moot itself are told by, wherever the board lies."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.machine import BroughtBack
from folkmoot.core.commands import ENGINE
from folkmoot.errors import Refused
from folkmoot.system.sandbox import Bubblewrap
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import open_repository, tools_of
from folkmoot.wiring.trust import place_of, trees_of
from folkmoot.worker.folder import Folder
from folkmoot.worker.git.harvest.settings import led_to
from tests.some import some
from tests.worker.yard import Yard, git

WHY = Bubblewrap().why
needs_bwrap = pytest.mark.skipif(bool(WHY), reason=f"NOT TESTED: {WHY}")


def below(tmp_path: Path, **wish: Any) -> Yard:
    """A board in a subfolder of a repository."""
    top = tmp_path / "repo"
    (top / "sub").mkdir(parents=True)
    (top / "sub" / "app.txt").write_text("app\n")
    git(top, "init", "-q", "-b", "main", ".")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "first")
    return Yard(top / "sub", plain=True, **wish)


def refused(yard: Yard, item: str) -> bool:
    last = yard.show(item)["runs"][-1]
    return (last["outcome"], last["cause"]) == ("failed", "conflict")


@pytest.mark.attack(
    "board", "a change puts a board of the agent's own below the top folder", "the change is refused, and nothing lands"
)
@pytest.mark.ledger("Q-03", "R-20")
def test_no_run_changes_a_board_wherever_it_lies(tmp_path: Path) -> None:
    yard = below(tmp_path)
    acts = {
        "own": "write sub/.moot/board.db evil",
        "flow": "write sub/.moot/flow.yaml evil",
        "other": "write lib/deep/.moot/board.db evil",
        "case": "write lib/.MOOT/board.db evil",
        "wide": "write lib/\uff0emoot/board.db evil",
        "unseen": "write lib/.mo\u034fot/board.db evil",
        "link": "shell ln -s sub/.moot board",
        "file": "write lib/.moot evil",
    }
    items = {name: yard.add(name, act, "write sub/app.txt changed", "report done") for name, act in acts.items()}
    store = (yard.folder / ".moot" / "flow.yaml").read_text()
    yard.run()
    for name, item in items.items():
        assert refused(yard, item), name
    assert git(yard.folder.parent, "ls-tree", "-r", "--name-only", "main").splitlines() == ["sub/app.txt"]
    assert (yard.folder / ".moot" / "flow.yaml").read_text() == store
    assert [str(path) for path in yard.folder.parent.rglob("board.db")] == [str(yard.folder / ".moot" / "board.db")]
    yard.doctor()


@pytest.mark.attack(
    "board",
    "a change makes a file or a link of the folder that the board lies in",
    "the change is refused: taken in by a merge it would remove the board, which git does not know",
)
@pytest.mark.parametrize("what", ["echo x > sub", "ln -s lib sub"])
def test_nothing_comes_where_the_folder_of_the_board_is(tmp_path: Path, what: str) -> None:
    yard = below(tmp_path)
    item = yard.add("over", f"shell rm -rf sub && {what}", "report done")
    yard.run()
    assert refused(yard, item) and git(yard.folder.parent, "branch", "--list", "moot/main") == ""
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-19")
def test_a_board_in_a_subfolder_works_on_the_whole_repository(tmp_path: Path) -> None:
    """Paths of items are told from the repository's top folder, and that is where agents and gates start."""
    yard = below(tmp_path, agent="write: own", gate=["/bin/sh", "-c", "test -f sub/app.txt"])
    note = FileBoards().apply(str(yard.folder), {}, ENGINE).warnings
    inside = yard.add("inside", "write sub/app.txt new", "report done", files=["sub/app.txt"])
    top = yard.add("top", "write top.txt new", "report done", files=["top.txt"])
    strange = yard.add("strange", "write sub/other.txt new", "report done", files=["other.txt"])
    yard.run()
    assert (yard.status(inside), yard.status(top)) == ("done", "done")
    assert refused(yard, strange) and "sub/other.txt is not among its files" in str(yard.show(strange)["runs"][-1])
    assert (yard.landed("sub/app.txt"), yard.landed("top.txt")) == ("new", "new")
    assert (yard.folder / "app.txt").read_text() == "new\n", "the clean tree of the user's came along"
    assert yard.show(inside)["landed_on"] == "main"
    run = yard.show(strange)["runs"][-1]["run"]
    boards, board = FileBoards(), yard.board._application
    assert run in {one.run for one in boards.unlanded(board).unlanded}
    assert boards.salvage(board, run, None) == BroughtBack(
        run=run, item=strange, branch=f"moot/salvage/{run}", left_out=[]
    )
    assert git(yard.folder, "show", f"moot/salvage/{run}:sub/other.txt") == "new"
    assert note == []
    yard.doctor()


def test_init_in_a_subfolder_says_from_where_paths_are_told(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    git(tmp_path, "init", "-q", "-b", "main", ".")
    for folder, told in ((tmp_path, False), (tmp_path / "sub", True)):
        board = FileBoards().create(str(folder), "kanban")
        try:
            assert any("write sub/FILE" in note for note in board.notes) == told
        finally:
            board.close()


@pytest.mark.attack("board", "a change edits or deletes a flow that is committed", "it is refused; other work lands")
@pytest.mark.ledger("Q-03", "R-20")
def test_a_committed_flow_goes_on_working_and_no_run_changes_it(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    git(yard.folder, "add", ".moot")
    git(yard.folder, "commit", "-q", "-m", "the flow")
    assert "flow.yaml" in git(yard.folder, "ls-tree", "-r", "--name-only", "main")
    edit = yard.add("edit", "shell echo >> .moot/flow.yaml", "report done")
    gone = yard.add("gone", "remove .moot/flow.yaml", "report done")
    good = yard.add("good", "write a.txt a", "report done")
    yard.run()
    assert refused(yard, edit) and refused(yard, gone)
    assert yard.status(good) == "done" and yard.landed("a.txt") == "a"
    assert git(yard.folder, "diff", "--stat", "HEAD", "--", ".moot") == ""


@pytest.mark.attack(
    "board", "a refused change with a board in it is brought back by the user", "the branch comes without the board"
)
def test_salvage_brings_back_no_board(tmp_path: Path) -> None:
    """The board's store is ignored by git, so to check out a branch that holds one would overwrite it silently."""
    yard = Yard(tmp_path / "yard")
    git(yard.folder, "add", ".moot/flow.yaml")
    git(yard.folder, "commit", "-q", "-m", "the flow")
    flow = (yard.folder / ".moot" / "flow.yaml").read_text()
    acts = ["write .moot/board.db evil", "shell echo evil >> .moot/flow.yaml", "write a.txt a", "report done"]
    item = yard.add("one", *acts)
    yard.run()
    assert refused(yard, item)
    run = yard.show(item)["runs"][-1]["run"]
    boards, board = FileBoards(), yard.board._application
    for _ in range(2):  # as harmless the second time
        view = boards.salvage(board, run, None)
        assert view.left_out == [".moot/board.db", ".moot/flow.yaml"]
    git(yard.folder, "checkout", "-q", view.branch)
    assert (yard.folder / "a.txt").read_text() == "a\n"
    assert (yard.folder / ".moot" / "flow.yaml").read_text() == flow
    assert (yard.folder / ".moot" / "board.db").read_bytes().startswith(b"SQLite format 3")
    yard.doctor()


# What else is trusted


@pytest.mark.attack("board", "the board's folder, or its flow, is a link to where work lands", "it is refused in words")
@pytest.mark.parametrize("what", [".moot", ".moot/flow.yaml", ".moot/escalation.yaml"])
def test_what_is_trusted_is_not_read_from_where_work_lands(tmp_path: Path, what: str) -> None:
    yard = Yard(tmp_path / "yard", files={"kept/x": "x"})
    yard.board.close()
    if what == ".moot/escalation.yaml":
        (yard.folder / what).write_text("dev: {0: small}\n")
    (yard.folder / what).rename(yard.folder / "kept" / "moved")
    (yard.folder / what).symlink_to(yard.folder / "kept" / "moved")
    with pytest.raises(Refused) as told:
        FileBoards().apply(str(yard.folder / ".moot"), {}, ENGINE)
    assert told.value.code == "in_reach_of_runs" and "kept/moved" in told.value.message
    if what == ".moot":
        board = FileBoards().open(str(yard.folder / ".moot"))
        tools = tools_of(board, str(yard.folder / ".moot"), lambda told: None)
        with pytest.raises(Refused, match="where a change of a run can come"), tools:
            pass
        board.close()


NOTIFY = [
    ("[./tell.sh]", True),
    ("[tools/tell.sh]", True),
    ("[PROJECT/tell.sh]", True),
    ("[PROJECT/into/tell.sh]", True),
    ("[OUTSIDE/link.sh]", True),
    ("[sh, tell.sh]", True),
    ("[sh, PROJECT/tell.sh]", True),
    ("[make, -C, PROJECT, tell]", True),
    ("[make, -C, .., tell]", True),
    ("[make, --file=PROJECT/Makefile, tell]", True),
    ("[env, -S, 'sh PROJECT/tell.sh']", True),
    ("[sh, PROJECT/comes-later.sh]", True),
    ("[tell-by-path]", False),  # not found: a folder of the PATH in the project is not looked into
    ("[OUTSIDE/tell.sh]", False),
    ("[sh, OUTSIDE/tell.sh]", False),
    ("[PROJECT/.moot/tell.sh]", False),
    ("[sh, -c, 'exit 0']", False),
    ("[sh, -c, 'exit 0', tools, 'https://somewhere/tell']", False),  # words, no paths
]


@pytest.mark.attack(
    "board", "`notify` names a program of the project, which an agent changes", "`check` and `run` refuse it in words"
)
@pytest.mark.parametrize(("command", "bad"), NOTIFY)
def test_no_program_of_the_project_notifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, bad: bool
) -> None:
    project, outside = tmp_path / "yard", tmp_path / "outside"
    outside.mkdir()
    yard = Yard(project, files={"tell.sh": "", "tools/tell.sh": "", "bin/tell-by-path": ""})
    for file in (outside / "tell.sh", project / ".moot" / "tell.sh", project / "bin" / "tell-by-path"):
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    (project / "into").symlink_to(outside)
    (outside / "link.sh").symlink_to(project / "tell.sh")
    monkeypatch.setenv("PATH", f"{project / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(project)
    flow = project / ".moot" / "flow.yaml"
    words = command.replace("PROJECT", str(project)).replace("OUTSIDE", str(outside))
    flow.write_text(f"{flow.read_text()}\nnotify: {words}\n")
    if not bad:
        assert FileBoards().apply(str(project), {}, ENGINE).taken_in
        yard.run()
        return
    with pytest.raises(Refused) as told:
        FileBoards().apply(str(project), {}, ENGINE)
    assert told.value.code == "notify_in_reach" and "outside of the project" in told.value.hint


@pytest.mark.attack(
    "board",
    "a change brings a library to a folder of the project that LD_LIBRARY_PATH, or another variable of a loader, names",
    "`check` and `run` refuse to begin, and name the variable",
)
@pytest.mark.parametrize(
    ("name", "value"),
    [("LD_LIBRARY_PATH", "/usr/lib:{}/lib"), ("LD_LIBRARY_PATH", "/usr/lib:"), ("LD_PRELOAD", "libc.so.6 {}/lib/a.so")],
)
def test_no_loader_of_moot_looks_where_work_lands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    yard = Yard(tmp_path / "yard", files={"lib/readme": ""})
    monkeypatch.chdir(yard.folder)
    monkeypatch.setenv(name, value.split(":")[0].split(" ")[0])
    FileBoards().apply(str(yard.folder), {}, ENGINE)
    monkeypatch.setenv(name, value.format(yard.folder))
    with pytest.raises(Refused, match=name) as told:
        FileBoards().apply(str(yard.folder), {}, ENGINE)
    assert told.value.code == "loader_in_reach"
    home = str(yard.folder / ".moot")
    with pytest.raises(Refused, match=name), tools_of(yard.board._application, home, lambda told: None):
        pass
    yard.close()


@pytest.mark.attack(
    "board",
    "a run floods its item with comments of many thousand words",
    "its words have a length in all, more are refused, and the item's page shows the beginning of each",
)
def test_a_flood_of_words_is_refused_and_the_page_stays_short(
    tmp_path: Path,
) -> None:
    yard = Yard(tmp_path / "yard", timeout="300s", silence="300s")
    words = '"$(yes spam | head -c 90000)"'
    flood = (
        f"shell for i in 1 2 3 4; do moot comment --json $MOOT_ITEM {words} > said || echo refused $i; done; rm said"
    )
    item = yard.add("one", flood, "report done")
    yard.run()
    shown = yard.show(item)
    assert sum(len(comment["content"]) for comment in shown["comments"]) <= 200_000 * len(shown["runs"])
    assert "refused 3" in yard.output(shown["runs"][0]["run"])
    command = [sys.executable, "-m", "folkmoot", "show", item]
    page = subprocess.run(command, cwd=yard.folder, capture_output=True, text=True, check=True).stdout
    assert "spam" in page and len(page) < 8_000
    yard.close()


@pytest.mark.attack(
    "board",
    "a change brings a module to where Python looks for those of moot: a project installed `-e` beside it, PYTHONPATH",
    "`check` and `run` refuse to begin, and say how to install moot apart",
)
@pytest.mark.parametrize("how", ["src", ".", "lib/deep"])
def test_moot_imports_nothing_from_where_work_lands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    yard = Yard(tmp_path / "yard", files={"src/x.py": "", "lib/deep/y.py": ""})
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "elsewhere"), str(yard.folder / ".moot")])
    assert not FileBoards().apply(str(yard.folder), {}, ENGINE).taken_in, "it is in force"
    monkeypatch.setattr(sys, "path", [*sys.path, str(yard.folder / how)])
    board, home = yard.board, str(yard.folder / ".moot")
    with pytest.raises(Refused) as told:
        FileBoards().apply(str(yard.folder), {}, ENGINE)
    assert told.value.code == "imports_in_reach" and str((yard.folder / how).resolve()) in told.value.message
    with pytest.raises(Refused, match="it would run as moot"), tools_of(board._application, home, lambda told: None):
        pass
    yard.close()


@pytest.mark.attack("board", "a change brings a `git` into a folder of the user's PATH", "moot uses another one")
def test_git_is_never_one_that_landed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = Yard(tmp_path / "yard")
    mark, evil = tmp_path / "mark", yard.folder / "bin" / "git"
    evil.parent.mkdir()
    evil.write_text(f'#!/bin/sh\ntouch {mark}\nexec {shutil.which("git")} "$@"\n')
    evil.chmod(0o755)
    git(yard.folder, "add", ".")
    git(yard.folder, "commit", "-q", "-m", "as if it had landed")
    monkeypatch.setenv("PATH", f"{evil.parent}:bin:{os.environ['PATH']}")
    item = yard.add("one", "write a.txt a", "report done")
    yard.run()
    assert yard.status(item) == "done"
    FileBoards().unmerged_branch(yard.board._application)
    assert not mark.exists()


@pytest.mark.attack(
    "board", "a change reaches the virtual environment that moot is run from", "it is refused: it would run next time"
)
def test_no_run_changes_what_moot_is_run_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `.pth` file runs whenever Python starts; a .gitignore of the agent's own takes `.venv` in again."""
    yard = Yard(tmp_path / "yard", files={".gitignore": ".venv/\n"})
    (yard.folder / ".venv" / "lib").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(yard.folder / ".venv"))
    plant = ["write .gitignore !.venv/", "write .venv/lib/python3/site-packages/x.pth import\tos"]
    evil = yard.add("evil", *plant, "report done")
    link = yard.add("link", "write .gitignore !.venv", "shell ln -s tools .venv", "report done")
    good = yard.add("good", "write lib/a.txt a", "report done")
    yard.run()
    assert refused(yard, evil) and "part of the moot that runs here" in str(yard.show(evil)["runs"][-1])
    assert refused(yard, link)
    assert yard.status(good) == "done"
    assert os.listdir(yard.folder / ".venv" / "lib") == []
    repository = open_repository(str(yard.folder / ".moot"), "main")
    assert repository is not None and sys.base_prefix not in str(repository.engines)


@pytest.mark.attack(
    "board", "a module lands that is called like one of moot's", "`python -m folkmoot` does not load it"
)
def test_no_module_of_the_project_is_loaded(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    for name in ("click", "msgspec", "sqlite3", "yaml", "_yaml"):
        (yard.folder / f"{name}.py").write_text(f"raise SystemExit('loaded {name}')\n")
    for words in (["board", "--json"], ["check"]):
        command = [sys.executable, "-m", "folkmoot", *words]
        ran = subprocess.run(command, cwd=yard.folder, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr


# A project without git


@pytest.mark.attack(
    "board", "in a plain folder an agent makes a board below", "it is set aside, and the run is refused"
)
@pytest.mark.ledger("Q-03", "R-20")
def test_a_board_planted_in_a_plain_folder_is_set_aside(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", plain=True, timeout="300s", silence="300s")
    item = yard.add("one", "write sub/.moot/board.db evil", "write .MOOT/flow.yaml evil", "report done")
    yard.run()
    assert refused(yard, item)
    left = [path for path in yard.folder.rglob("*") if path.name.casefold() == ".moot"]
    assert left == [yard.folder / ".moot"]
    run = yard.show(item)["runs"][-1]["run"]
    unmerged_branch = yard.folder / ".moot" / "set-aside" / run
    assert sorted(path.name for path in unmerged_branch.rglob("*.*") if path.is_file()) == ["board.db", "flow.yaml"]


@pytest.mark.attack("board", "an agent that only reads, or a gate, plants a board in a plain folder", "it is set aside")
def test_readers_and_gates_leave_no_board_either(tmp_path: Path) -> None:
    plant = ["/bin/sh", "-c", "mkdir -p by-gate/.moot && echo evil > by-gate/.moot/board.db"]
    yard = Yard(tmp_path / "yard", plain=True, agent="write: none", gate=plant)
    item = yard.add("one", "write by-reader/.moot/board.db evil", "report done")
    yard.run()
    assert yard.status(item) == "done"
    assert [str(path) for path in yard.folder.rglob("board.db") if "set-aside" not in str(path)] == [
        str(yard.folder / ".moot" / "board.db")
    ]
    assert len(list((yard.folder / ".moot" / "set-aside").rglob("board.db"))) == 2


@needs_bwrap
@pytest.mark.attack("board", "in a plain folder an agent writes to the boards in it", "they are covered in the sandbox")
def test_boards_in_a_plain_folder_are_covered(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", plain=True, more="sandbox: always")
    other = yard.folder / "sub" / ".moot"
    other.mkdir(parents=True)
    (other / "board.db").write_text("another's")
    flow = (yard.folder / ".moot" / "flow.yaml").read_text()
    acts = [
        "shell echo evil > .moot/flow.yaml; echo evil > sub/.moot/board.db; cat sub/.moot/board.db .moot/flow.yaml",
        "shell rm -rf sub/.moot .moot; mv sub away; ls",
        "write a.txt a",
        "report done",
    ]
    item = yard.add("one", *acts)
    yard.run()
    assert (other / "board.db").read_text() == "another's"
    assert (yard.folder / ".moot" / "flow.yaml").read_text() == flow
    assert "another's" not in yard.output(yard.show(item)["runs"][0]["run"])
    assert (yard.folder / "a.txt").exists()


def test_that_a_board_came_or_went_in_a_plain_folder_is_seen(tmp_path: Path) -> None:
    (tmp_path / "old" / ".moot").mkdir(parents=True)
    (tmp_path / ".moot").mkdir()
    folder = Folder(str(tmp_path), str(tmp_path / ".moot"))
    before = folder.listing()
    (tmp_path / "old" / ".moot").rmdir()
    (tmp_path / "new" / ".Moot").mkdir(parents=True)
    touched = {(one.path, one.how) for one in folder.work(before, folder.listing()).touched}
    assert touched == {("old/.moot", "deleted"), ("new/.Moot", "created")}
    assert list(folder.trusted()) == ["new/.Moot"]


@pytest.mark.attack(
    "board",
    "in a plain folder an agent writes to a repository below `.venv` or `node_modules`, or to a bare one",
    "it is covered in the sandbox like any other; one that the run made is set aside",
)
def test_repositories_count_wherever_they_lie_and_whatever_their_name(tmp_path: Path) -> None:
    for name in (".venv/src/pkg/.git", "node_modules/y/.moot", "old/objects", "old/refs"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "old" / "HEAD").write_text("ref: refs/heads/main")
    (tmp_path / "node_modules" / "y" / "index.js").write_text("x")
    folder = Folder(str(tmp_path))
    assert list(folder.trusted()) == [".venv/src/pkg/.git", "node_modules/y/.moot", "old"]
    before = folder.listing()
    (tmp_path / "node_modules" / "z" / ".git").mkdir(parents=True)
    (tmp_path / "node_modules" / "z" / "index.js").write_text("x")
    assert [one.path for one in folder.work(before, folder.listing()).touched] == ["node_modules/z/.git"]


def test_a_repository_in_the_place_of_another_is_seen(tmp_path: Path) -> None:
    """Also one that the next run plants while what the run before it has planted is still there."""
    for name in (".git", "bare"):
        (tmp_path / name / "objects").mkdir(parents=True)
        (tmp_path / name / "refs").mkdir()
        (tmp_path / name / "HEAD").write_text("ref: refs/heads/main")
    folder = Folder(str(tmp_path))
    before = folder.listing()
    for name in (".git", "bare"):
        (tmp_path / name).rename(tmp_path / f"{name}-aside")
        shutil.copytree(tmp_path / f"{name}-aside", tmp_path / name)
    assert {one.path for one in folder.work(before, folder.listing()).touched} >= {".git", "bare"}


PLANTED = {
    "file": "shell echo 'gitdir: {private}/.git' > .git",
    "link": "shell ln -s {private}/.git .git",
    "folder": "shell git init -q -b main . && git config core.worktree {private}",
    "below": "shell mkdir -p sub && git init -q -b main sub",
    "by-product": "shell mkdir -p node_modules/x && git init -q -b main node_modules/x",
    "of another name": "shell mkdir -p sub && git init -q --bare -b main sub",
}


@pytest.mark.attack(
    "board", "in a plain folder an agent makes a `.git` that leads elsewhere", "it is set aside, and the run is refused"
)
@pytest.mark.ledger("Q-03", "R-20")
@pytest.mark.parametrize("how", some(PLANTED, ["link", "of another name"]))
def test_a_repository_planted_in_a_plain_folder_is_set_aside(tmp_path: Path, how: str) -> None:
    private = Yard(tmp_path / "private").folder
    yard = Yard(tmp_path / "yard", plain=True, timeout="300s", silence="300s")
    item = yard.add("one", PLANTED[how].format(private=private), "write a.txt a", "report done")
    yard.run()
    ends = [(run["outcome"], run["cause"]) for run in yard.show(item)["runs"]]
    assert refused(yard, item) and set(ends) == {("failed", "conflict")}, ends
    assert not [path for name in (".git", "HEAD") for path in yard.folder.rglob(name) if "set-aside" not in str(path)]
    assert list((yard.folder / ".moot" / "set-aside").glob("*/git-0")), "nothing is lost"
    second = yard.add("two", "write b.txt b", "report done")
    yard.run()
    assert yard.status(second) == "done" and (yard.folder / "b.txt").exists()
    assert not (private / "b.txt").exists()


@pytest.mark.attack(
    "board",
    "a repository that the board was not made for is found at the next start",
    "nothing begins; a person decides",
)
@pytest.mark.parametrize("how", [*PLANTED, "bare"])
def test_no_repository_is_trusted_that_the_board_was_not_made_for(tmp_path: Path, how: str) -> None:
    """As after a kill of everything: nobody has set it aside."""
    private = Yard(tmp_path / "private").folder
    yard = Yard(tmp_path / "yard", plain=True, timeout="300s", silence="300s")
    plant = PLANTED.get(how, "shell git init -q --bare -b main .").removeprefix("shell ").format(private=private)
    subprocess.run(["/bin/sh", "-c", plant], cwd=yard.folder, check=True)
    home = str(yard.folder / ".moot")
    if how in ("below", "by-product", "of another name"):
        assert place_of(home) is None
        return
    assert place_of(home) is None and open_repository(home, "main") is None
    assert trees_of(home) == [str(yard.folder)]
    board = FileBoards()
    with pytest.raises(Refused) as no:
        board.apply(str(yard.folder), {}, ENGINE)
    assert no.value.code == "other_repository" and [step.call for step in no.value.next] == ["init"]
    with pytest.raises(Refused), tools_of(yard.board._application, home, print):
        pass
    board.create(str(yard.folder), "solo").close()  # its user says so
    assert place_of(home) is not None
    with pytest.raises(Refused) as again:
        board.create(str(yard.folder), "solo")
    assert again.value.code == "board_exists"


@needs_bwrap
@pytest.mark.attack(
    "board", "in a plain folder an agent writes to repositories in it", "they are covered in the sandbox"
)
def test_repositories_in_a_plain_folder_are_covered(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", plain=True, more="sandbox: always")
    other = yard.folder / "sub"
    other.mkdir()
    git(other, "init", "-q", "-b", "main", ".")
    config = (other / ".git" / "config").read_text()
    item = yard.add(
        "one", "shell echo evil >> sub/.git/config; rm -rf sub/.git; mv sub away; cat sub/.git/config", "report done"
    )
    yard.run()
    assert (other / ".git" / "config").read_text() == config
    assert "repositoryformatversion" not in yard.output(yard.show(item)["runs"][0]["run"])


@pytest.mark.attack(
    "board",
    "in a plain folder an agent changes moot itself, which is installed there",
    "`check` and `run` refuse to begin: nobody looks at a change there before it is made",
)
def test_moot_is_not_run_from_a_plain_folder_that_agents_work_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = Yard(tmp_path / "yard", plain=True, timeout="300s", silence="300s")
    monkeypatch.setattr(sys, "path", [*sys.path, str(yard.folder / ".venv" / "lib")])
    monkeypatch.setattr(sys, "prefix", str(yard.folder / ".venv"))
    with pytest.raises(Refused) as no:
        FileBoards().apply(str(yard.folder), {}, ENGINE)
    assert no.value.code == "imports_in_reach"
    with pytest.raises(Refused):
        yard.run()


@pytest.mark.attack(
    "board",
    "a board is made in the user's home, where there is no repository",
    "`init`, `check` and `run` refuse: the sandbox could not hide what agents work in",
)
def test_agents_do_not_work_in_a_plain_folder_that_holds_a_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = Yard(tmp_path / "yard", plain=True, timeout="300s", silence="300s")
    for home in (yard.folder, yard.folder / "home"):
        home.mkdir(exist_ok=True)
        monkeypatch.setenv("HOME", str(home))
        with pytest.raises(Refused) as no:
            FileBoards().apply(str(yard.folder), {}, ENGINE)
        assert no.value.code == "holds_private" and str(home) in no.value.message
        with pytest.raises(Refused):
            yard.run()
    monkeypatch.setenv("HOME", str(tmp_path))
    yard.run()


# Who else may look


@pytest.mark.attack("board", "another user of the machine reads a board's folder", "it is closed to all but its owner")
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_board_is_private_whoever_made_its_folder(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        home = tmp_path / "yard" / ".moot"
        yard = Yard(tmp_path / "yard")  # which makes the folder as git would
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        home.chmod(0o755)
        item = yard.add("one", "write a.txt a", "report done")
        yard.run()
        assert yard.status(item) == "done"
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        assert stat.S_IMODE((home / "repo.git").stat().st_mode) == 0o700
        (home / "repo.git").chmod(0o755)  # as it was made before
        yard.run()
        assert stat.S_IMODE((home / "repo.git").stat().st_mode) == 0o700
    finally:
        os.umask(before)


LED = {
    "hooks": ("git config core.hooksPath .githooks", ".githooks/post-commit"),
    "settings": ("git config include.path ../.gitconfig", ".gitconfig"),
    "settings that are not there yet": ("git config include.path ../etc/git.conf", "etc/git.conf"),
    "a watcher": ("git config core.fsmonitor tools/watch.sh", "tools/watch.sh"),
    "a filter": ("git config filter.x.clean 'python3 tools/clean.py %f'", "tools/clean.py"),
    "a merge driver": ("git config merge.x.driver 'sh ./tools/merge.sh %O %A %B'", "tools/merge.sh"),
    "an alias": ("git config alias.go '!sh tools/go.sh'", "tools/go.sh"),
    "an alias that goes elsewhere first": ("git config alias.go '!cd tools && ./go.sh'", "tools/go.sh"),
    "a filter from the top folder": (
        "git config filter.x.clean '\"$(git rev-parse --show-toplevel)/tools/run.sh\"'",
        "tools/run.sh",
    ),
    "a reader of files from the top folder": (
        "git config diff.x.textconv '\"$(git rev-parse --show-toplevel)\"/tools/run.sh'",
        "tools/run.sh",
    ),
    "a hook of the collector": ("git config gc.recentObjectsHook 'sh tools/run.sh'", "tools/run.sh"),
    "a transfer of large files": ("git config lfs.customtransfer.x.path tools/run.sh", "tools/run.sh"),
    "a packer": ("git config tar.tar.zz.command tools/run.sh", "tools/run.sh"),
    "a setting of a later git": ("git config brandnew.thing.run 'sh tools/run.sh'", "tools/run.sh"),
    "a hook that is a link": ("ln -s ../../tools/run.sh .git/hooks/pre-commit", "tools/run.sh"),
    "hooks that are a link": ("rm -rf .git/hooks && ln -s ../tools .git/hooks", "tools/pre-commit"),
    "a file that a hook names": (
        "printf '#!/bin/sh\\nexec \"$(git rev-parse --show-toplevel)/tools/check.sh\"\\n' > .git/hooks/pre-commit",
        "tools/check.sh",
    ),
    "a file that a hook tells by a variable": (
        "printf 'ROOT=$(git rev-parse --show-toplevel)\\n\"$ROOT/tools/new\"\\n' > .git/hooks/post-commit",
        "tools/new",
    ),
    "a name after a change of folder": (
        "printf 'cd \"$(git rev-parse --show-toplevel)/tools\" && sh new' > .git/hooks/pre-commit",
        "tools/new",
    ),
    "a file that a hook runs once it is there": (
        "printf '[ -x tools/new ] && tools/new' > .git/hooks/post-checkout",
        "tools/new",
    ),
    "a folder of which a hook runs all": (
        "printf 'for h in .hooks.d/*; do \"./$h\"; done' > .git/hooks/post-checkout",
        ".hooks.d/new",
    ),
    "a link on the way to what a hook runs": (
        "ln -s tools way && ln -s way scripts && printf way > .git/info/exclude && printf scripts >> .git/info/exclude"
        " && printf 'exec scripts/check.sh' > .git/hooks/post-merge",
        "way",
    ),
    "settings of another work tree": (
        "git config extensions.worktreeConfig true && git worktree add -q -b other ../wt"
        " && git -C ../wt config --worktree core.hooksPath tools/hooks",
        "tools/hooks/pre-commit",
    ),
    "settings of another branch": (
        "printf '[core]\\n hooksPath = tools/hooks\\n' > ../inc"
        ' && git config includeIf.onbranch:other.path "$PWD/../inc"',
        "tools/hooks/pre-commit",
    ),
}


@pytest.mark.parametrize("what", LED)
def test_it_is_known_where_the_users_git_is_led_to(tmp_path: Path, what: str) -> None:
    lead, path = LED[what]
    yard = Yard(tmp_path / "yard", files={"tools/other.txt": "other\n", "tools/check.sh": ":\n"})
    subprocess.run(["/bin/sh", "-c", lead], cwd=yard.folder, check=True)
    repository = open_repository(str(yard.folder / ".moot"), "main")
    assert repository is not None
    reached = led_to(repository)
    assert any(f"{path}/".startswith(f"{place}/") for place in reached), reached
    assert what == "hooks that are a link" or not any("tools/other.txt".startswith(f"{one}/") for one in reached)
    yard.close()


@pytest.mark.attack(
    "board",
    "a change reaches what the user's git runs or reads settings from (hooks, include.path, filters, aliases, …)",
    "it is refused, with the reason: it would run at the user's next git command",
)
@pytest.mark.parametrize("what", some(LED, ["settings", "a link on the way to what a hook runs"]))
def test_no_run_changes_what_the_users_git_runs(tmp_path: Path, what: str) -> None:
    lead, path = LED[what]
    yard = Yard(tmp_path / "yard", files={"tools/other.txt": "other\n", "tools/check.sh": ":\n"})
    before = git(yard.folder, "ls-tree", "-r", "main", "--", path)
    subprocess.run(["/bin/sh", "-c", lead], cwd=yard.folder, check=True)
    evil = yard.add("evil", f"write {path} evil", "report done")
    good = yard.add("good", "write tools/other.txt good", "report done")
    yard.run()
    assert refused(yard, evil) and "is run or read by your own git" in str(yard.show(evil)["runs"][-1])
    assert yard.status(good) == "done" or what == "hooks that are a link"
    assert git(yard.folder, "ls-tree", "-r", "main", "--", path) == before


BY_VARIABLE = {
    "a setting": (
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "tools/hooks"},
        "tools/hooks/pre-commit",
    ),
    "settings of a command line": (
        {"GIT_CONFIG_PARAMETERS": "'core.pager'='tools/pager' 'user.name=somebody'"},
        "tools/pager",
    ),
    "a program": ({"GIT_EXTERNAL_DIFF": "./tools/new.sh"}, "tools/new.sh"),
    "an editor": ({"EDITOR": "sh tools/new.sh"}, "tools/new.sh"),
    "a folder of programs": ({"GIT_EXEC_PATH": "tools/git"}, "tools/git/git-gc"),
}


@pytest.mark.attack(
    "board",
    "a change reaches what the user's git runs by the user's variables (GIT_CONFIG_COUNT, GIT_EXTERNAL_DIFF, EDITOR)",
    "it is refused: the variables with which moot was started count like settings in files",
)
@pytest.mark.parametrize("what", some(BY_VARIABLE, ["an editor"]))
def test_no_run_changes_what_the_users_git_runs_by_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    variables, path = BY_VARIABLE[what]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yard = Yard(tmp_path / "yard", files={"tools/other.txt": "other\n"})
    evil = yard.add("evil", f"write {path} evil", "report done")
    good = yard.add("good", "write tools/other.txt good", "report done")
    yard.run()
    assert refused(yard, evil) and "is run or read by your own git" in str(yard.show(evil)["runs"][-1])
    assert yard.status(good) == "done"


@pytest.mark.attack(
    "board",
    "a change brings a file that a hook of the user's finds by itself and runs, and a run of it is waited for",
    "it stands on `moot/TARGET`, nothing of it comes into the user's files, and the user is told which hook it is",
)
@pytest.mark.parametrize("is_out", [True, False], ids=["checked out", "not checked out"])
def test_what_a_hook_would_find_stands_aside(tmp_path: Path, is_out: bool) -> None:
    yard = Yard(tmp_path / "yard")
    hook = yard.folder / ".git" / "hooks" / "post-checkout"
    hook.write_text('#!/bin/sh\nfor f in $(git ls-files "*.hook"); do sh "$f"; done\n')
    hook.chmod(0o755)
    if not is_out:
        git(yard.folder, "checkout", "-q", "-b", "other")
    item = yard.add("one", f"write x.hook touch {tmp_path}/pwned", "report done")
    yard.run()
    assert yard.status(item) == "done" and "x.hook" in git(yard.folder, "ls-tree", "--name-only", "moot/main")
    assert "x.hook" not in git(yard.folder, "ls-tree", "--name-only", "main")
    git(yard.folder, "checkout", "-q", "main")
    assert not (yard.folder / "x.hook").exists() and not (tmp_path / "pwned").exists()
    told = str(yard.told) + str(yard.show(item))
    assert "hooks/post-checkout runs what cannot be told beforehand (git ls-files *.hook)" in told


def test_settings_of_the_user_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.write_text("[core]\n\thooksPath = hooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    yard = Yard(tmp_path / "yard")
    repository = open_repository(str(yard.folder / ".moot"), "main")
    assert repository is not None and led_to(repository) == ["hooks"]
    (tmp_path / "yard" / "roots.crt").write_text("tools/run.sh\n")
    for name in ("GIT_SSL_CAINFO", "GIT_AUTHOR_NAME", "GIT_TRACE"):
        monkeypatch.setenv(name, str(tmp_path / "yard" / "roots.crt"))
    assert led_to(repository) == ["hooks"], "what only names data runs nothing"
