"""No branch is invented: a target that is not there is refused at once, and asked about where it goes away later."""

from pathlib import Path

import pytest

from folkmoot import Board
from folkmoot.core.commands import ENGINE
from folkmoot.errors import Refused
from folkmoot.wiring.boards import FileBoards
from tests.some import some
from tests.worker.yard import Yard, git


def branches(folder: Path) -> list[str]:
    return git(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()


def repository(folder: Path, branch: str = "master", commit: bool = True) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", branch, ".")
    if commit:
        (folder / "README.md").write_text("a project\n")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
    return folder


def flow_for(folder: Path, target: str) -> None:
    (folder / ".moot").mkdir(exist_ok=True)
    text = (
        "flow: small\nstart: dev\ntarget: {}\ncolumns: {{dev: {{agents: [dev], next: done}}}}\nagents: {{dev: {{}}}}\n"
    )
    (folder / ".moot" / "flow.yaml").write_text(text.format(target))


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "target",
    "The flow names a target branch that the repository does not have",
    "It is refused at init, at check and at run, and the branch that is there is named",
)
def test_a_target_that_is_not_there_is_refused(tmp_path: Path) -> None:
    Board.boards = FileBoards()
    folder = repository(tmp_path / "project")
    flow_for(folder, "main")
    with pytest.raises(Refused, match=r"land on main, .* no such branch; master is checked out") as told:
        Board.create(str(folder))
    assert told.value.code == "no_target" and "target: master" in told.value.hint
    flow_for(folder, "master")
    board = Board.create(str(folder))
    flow_for(folder, "trunk")
    with pytest.raises(Refused, match="no such branch"):
        Board.boards.apply(str(folder), {}, ENGINE)
    assert board._application.queries.flow().target == "master"
    git(folder, "branch", "-m", "master", "other")
    with pytest.raises(Refused, match=r"land on master, .* other is checked out"):
        Board.boards.work(
            board._application,
            slots=1,
            agents=[],
            until_idle=True,
            tell=lambda told: None,
            begin=lambda told: None,
        )
    assert branches(folder) == ["other"]
    board.close()


@pytest.mark.parametrize("how", ["no commit", "another first branch", "bare", "detached", "detached, no branch"])
def test_what_a_new_board_finds(tmp_path: Path, how: str) -> None:
    Board.boards = FileBoards()
    folder = repository(tmp_path / "project", commit=how != "no commit")
    if how == "bare":
        git(tmp_path, "clone", "-q", "--bare", str(folder), str(tmp_path / "bare.git"))
        folder = tmp_path / "bare.git"
    if how.startswith("detached"):
        git(folder, "checkout", "-q", "--detach")
    if how == "detached, no branch":
        git(folder, "branch", "-q", "-D", "master")
    if how.startswith("detached"):
        # Nothing says which branch is meant, so the preset's own `main` stands, and is not there.
        with pytest.raises(Refused, match="no branch at all" if "no branch" in how else "there is master"):
            Board.create(str(folder))
        return
    board = Board.create(str(folder))
    assert board._application.queries.flow().target == "master"
    board.close()


@pytest.mark.ledger("R-16", "R-19")
@pytest.mark.attack(
    "target",
    "The target branch is deleted or renamed while agents work",
    "Nothing makes it anew: the work is kept, and a person is asked with what is there now",
)
@pytest.mark.parametrize("how", ["deleted", "renamed"])
def test_a_target_that_goes_away_is_asked_about(tmp_path: Path, how: str) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one", "write one.txt made", "report done")
    tip = git(yard.folder, "rev-parse", "main")

    def step(name: str, run: str) -> None:
        if name == "merge" and "main" in branches(yard.folder):
            if how == "renamed":
                git(yard.folder, "branch", "-m", "main", "trunk")
            else:
                git(yard.folder, "checkout", "-q", "-b", "mine")
                git(yard.folder, "branch", "-q", "-D", "main")

    yard.run(step=step)
    shown = yard.show(item)
    there = "trunk" if how == "renamed" else "mine"
    assert branches(yard.folder) == [there] and git(yard.folder, "rev-parse", there) == tip
    (asked,) = yard.board.inbox()
    assert shown["status"] == "awaiting-divine-guidance" and shown["head"] and not shown["landed"]
    assert f"{there} is checked out" in asked["question"] and "moot apply" in asked["help"]
    assert [way["option"] for way in asked["options"]] == ["try again", "give it up"]
    git(yard.folder, "branch", "main")
    yard.board.answer(asked["id"], "try again")
    yard.run()
    assert yard.status(item) == "done" and yard.landed("one.txt") == "made"
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "target",
    "The target branch is, or becomes while agents work, only another name for a branch (a symbolic ref)",
    "It is refused at init and at run, or asked about, by the branch's real name; that branch does not move",
)
def test_another_name_for_a_branch_is_no_target(tmp_path: Path) -> None:
    Board.boards = FileBoards()
    folder = repository(tmp_path / "project", "trunk")
    git(folder, "symbolic-ref", "refs/heads/main", "refs/heads/trunk")
    flow_for(folder, "main")
    with pytest.raises(Refused, match="only another name for trunk") as told:
        Board.create(str(folder))
    assert told.value.code == "no_target" and "target: trunk" in told.value.hint
    yard = Yard(tmp_path / "yard")
    item = yard.add("one", "write one.txt made", "report done")
    tip = git(yard.folder, "rev-parse", "main")

    def step(name: str, run: str) -> None:
        if name == "merge" and "trunk" not in branches(yard.folder):
            git(yard.folder, "branch", "-m", "main", "trunk")
            git(yard.folder, "symbolic-ref", "refs/heads/main", "refs/heads/trunk")

    yard.run(step=step)
    (asked,) = yard.board.inbox()
    assert "only another name for trunk" in asked["question"] and yard.status(item) == "awaiting-divine-guidance"
    assert git(yard.folder, "rev-parse", "trunk") == tip and not git(yard.folder, "diff", "HEAD")
    yard.close()


def test_an_effort_does_not_begin_from_nothing_when_the_target_is_gone(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one", "write one.txt made", "report done")

    def step(name: str, run: str) -> None:
        if name == "clone" and "main" in branches(yard.folder):
            git(yard.folder, "branch", "-m", "main", "trunk")

    yard.run(step=step)
    shown = yard.show(item)
    assert {(run["outcome"], run["cause"]) for run in shown["runs"]} == {("failed", "environment")}
    assert shown["status"] == "awaiting-divine-guidance" and branches(yard.folder) == ["trunk"]
    yard.close()


def _dirty(yard: Yard) -> str:
    (yard.folder / "README.md").write_text("mine\n")
    item = yard.add("one", "write w1.txt 1", "report done")
    yard.run()
    assert yard.show(item)["landed_on"] == "moot/main"
    git(yard.folder, "checkout", "-q", "README.md")
    return item


@pytest.mark.attack(
    "target",
    "Work that landed beside the target is merged by the user, and taken out again; then other work lands",
    "It does not come back: `moot/TARGET` is built on only until the target has held it",
)
def test_what_the_user_took_out_of_the_target_does_not_come_back(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    _dirty(yard)
    git(yard.folder, "merge", "-q", "moot/main")
    git(yard.folder, "reset", "-q", "--hard", "HEAD~1")
    two = yard.add("two", "write w2.txt 2", "report done")
    yard.run()
    assert yard.show(two)["landed_on"] == "main"
    assert git(yard.folder, "ls-tree", "--name-only", "main").splitlines() == ["README.md", "w2.txt"]


def test_what_landed_beside_the_target_waits_for_the_user(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    _dirty(yard)
    two = yard.add("two", "write w2.txt 2", "report done")
    yard.run()
    assert yard.show(two)["landed_on"] == "moot/main"
    git(yard.folder, "merge", "-q", "moot/main")
    assert git(yard.folder, "ls-tree", "--name-only", "main").splitlines() == ["README.md", "w1.txt", "w2.txt"]


LIMITS = """
flow: limits
start: dev
limits: {slots: 2, lease: 60s, timeout: 30s, silence: 20s}
columns:
  dev: {agents: [dev], next: done, gate: [limits]}
  docs: {agents: [writer], next: done}
agents:
  dev: {run: {command: ACTOR}}
  writer: {run: {command: ACTOR}}
gates:
  limits: {run: [/bin/sh, -c, ". ./limit.txt; . ./use.txt; [ $n -le $max ]"]}
"""


@pytest.mark.attack(
    "target",
    "Work waits beside the target; the target or a gate changes, its file is locked, or it is taken back; then other"
    " work lands",
    "It does not carry along what waits: both are beside the target until the user merges",
)
@pytest.mark.parametrize("what", some(["target", "gates", "lock", "cancel"], ["target", "lock"]))
def test_what_waits_beside_the_target_does_not_come_along_unproved(tmp_path: Path, what: str) -> None:
    yard = Yard(tmp_path / "yard", files={"limit.txt": "max=5\n", "use.txt": "n=1\n"}, flow=LIMITS)
    (yard.folder / "README.md").write_text("mine\n")
    one = yard.add("one", "write use.txt n=4", "report done")
    yard.run()
    assert yard.show(one)["landed_on"] == "moot/main"
    git(yard.folder, "checkout", "-q", "README.md")
    if what == "target":
        (yard.folder / "limit.txt").write_text("max=2\n")
        git(yard.folder, "commit", "-q", "-a", "-m", "a lower limit")
    elif what == "lock":
        yard.board.lock("use.txt")
    elif what == "cancel":
        yard.board.reopen(one, why="it is not wanted")
        yard.board.cancel(one)
    else:
        flow = yard.folder / ".moot" / "flow.yaml"
        flow.write_text(flow.read_text().replace("-le $max", "-lt $max"))
        FileBoards().apply(str(yard.folder), {}, ENGINE)
    before = git(yard.folder, "rev-parse", "main")
    for title in ("two", "three"):  # the second finds the first merged with the target
        item = yard.add(title, f"write {title}.txt a", "report done", column="docs")
        yard.run()
        assert yard.show(item)["landed_on"] == "moot/main" and "git merge moot/main" in str(yard.show(item))
        assert git(yard.folder, "rev-parse", "main") == before
    git(yard.folder, "merge", "-q", "moot/main")
    last = yard.add("last", "write last.txt a", "report done", column="docs")
    yard.run()
    assert yard.show(last)["landed_on"] == "main" and git(yard.folder, "status", "--short", "-uno") == ""
    yard.doctor()


@pytest.mark.attack(
    "target",
    "The user has a branch of their own that is called `moot/TARGET`",
    "It is never merged, and no agent sees what is on it; the landing says that it was left out",
)
def test_a_branch_of_the_users_own_with_our_name_is_left_alone(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    git(yard.folder, "checkout", "-q", "-b", "moot/main")
    (yard.folder / "experiment.txt").write_text("unfinished\n")
    git(yard.folder, "add", "experiment.txt")
    git(yard.folder, "commit", "-q", "-m", "not for main")
    own = git(yard.folder, "rev-parse", "HEAD")
    git(yard.folder, "checkout", "-q", "main")
    item = yard.add("one", "write w1.txt 1", "report done")
    yard.run()
    assert git(yard.folder, "ls-tree", "--name-only", "main").splitlines() == ["README.md", "w1.txt"]
    assert "moot/main was left out" in str(yard.show(item))
    assert git(yard.folder, "rev-parse", "moot/main") == own
    assert FileBoards().unmerged_branch(yard.board._application) is None


@pytest.mark.attack(
    "target",
    "The target is renamed to a branch below its old name, or above it",
    "Work lands on it: what moot kept under the old name makes way",
)
@pytest.mark.parametrize(("old", "new"), [("dev", "dev/main"), ("dev/main", "dev")])
def test_a_target_may_be_renamed_to_one_below_or_above_it(tmp_path: Path, old: str, new: str) -> None:
    yard = Yard(tmp_path / "yard", more="target: main")
    flow = yard.folder / ".moot" / "flow.yaml"
    for before, branch in (("main", old), (old, new)):
        git(yard.folder, "branch", "-m", before, "between")
        git(yard.folder, "branch", "-m", "between", branch)
        flow.write_text(flow.read_text().replace(f"target: {before}", f"target: {branch}"))
        FileBoards().apply(str(yard.folder), {}, ENGINE)
        item = yard.add(branch, f"write {branch.replace('/', '-')}.txt a", "report done")
        yard.run()
        assert yard.status(item) == "done" and yard.show(item)["landed_on"] == branch
        assert [run["agent"] for run in yard.show(item)["runs"]] == ["dev", "landing"]
