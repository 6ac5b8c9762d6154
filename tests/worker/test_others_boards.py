"""A board that another user of the machine has left above the folder in which moot is called."""

import os
import shutil
import socket
import time
from contextlib import closing
from pathlib import Path

import pytest

from folkmoot import Board
from folkmoot.core.commands import ENGINE
from folkmoot.core.events import Change, Event
from folkmoot.core.report import Report
from folkmoot.engine.rebuild import Fold
from folkmoot.errors import Refused
from folkmoot.store.codec import Unreadable
from folkmoot.wiring.backups import restore
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.files.brought import has_begun, note_brought
from folkmoot.wiring.forge.forges import Forges
from folkmoot.wiring.reading import check_owner
from folkmoot.wiring.running import tools_of
from folkmoot.wiring.serving.tokens import FileAccess
from folkmoot.wiring.trust import Outside, check_repository, check_untracked
from tests.worker.yard import Yard, git


def made(folder: Path) -> Path:
    folder.mkdir()
    Board.boards = FileBoards()
    Board.create(str(folder)).close()
    (folder / "below").mkdir()
    return folder / ".moot"


@pytest.mark.attack(
    "board",
    "another user leaves a board in a folder above, such as one that all may write",
    "it is refused unless it is named: its flow would decide what is run",
)
@pytest.mark.parametrize("whose", [".moot", ".moot/board.db"])
def test_a_board_of_another_user_is_taken_only_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    home = made(tmp_path / "project")
    monkeypatch.chdir(home.parent / "below")
    FileBoards().open(None).close()
    monkeypatch.setattr(os, "geteuid", lambda: os.lstat(home).st_uid + 1)
    with pytest.raises(Refused) as told:
        FileBoards().open(None)
    assert told.value.code == "board_of_another" and told.value.details["board"] == str(home.parent)
    FileBoards().open(str(home)).close()


@pytest.mark.attack(
    "board",
    "a repository that the user clones has a whole board in it, whose flow says what is run, without a sandbox",
    "nothing begins on it: a store that git tracks was made by whoever made the repository",
)
@pytest.mark.parametrize("where", [".", "sub"])
def test_a_board_that_came_with_a_repository_begins_nothing(tmp_path: Path, where: str) -> None:
    yard = Yard(tmp_path / "theirs")
    yard.board.close()
    if where != ".":
        shutil.copytree(yard.folder / ".moot", yard.folder / where / ".moot", ignore=shutil.ignore_patterns("repo.git"))
    git(yard.folder, "add", "-f", f"{where}/.moot/board.db", f"{where}/.moot/flow.yaml")
    git(yard.folder, "commit", "-qm", "a board for you")
    git(tmp_path, "clone", "-q", str(yard.folder), "mine")
    folder = tmp_path / "mine" / where
    with closing(FileBoards().open(str(folder))) as board:
        assert board.queries.flow().name, "it can be looked at"
        with pytest.raises(Refused, match="came with the repository"), tools_of(board, str(folder / ".moot"), print):
            pass
    with pytest.raises(Refused) as told:
        FileBoards().apply(str(folder), {}, ENGINE)
    assert told.value.code == "board_of_another"
    git(folder, "rm", "-q", "--cached", ".moot/board.db")
    check_repository(str(folder / ".moot"))


@pytest.mark.attack(
    "board",
    "a repository that the user clones names a board on a server of somebody else's, or has a board as a submodule",
    "nobody connects there, so no password goes there and its flow is not heard of: git tracks what came with it",
)
@pytest.mark.parametrize(
    ("where", "as_submodule"), [(".", False), ("sub", False), ("bare", False), (".", True), ("sub", True)]
)
def test_an_address_that_came_with_a_repository_is_not_connected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, as_submodule: bool
) -> None:
    monkeypatch.delenv("MOOT_BOARD", raising=False)
    theirs, project = tmp_path / "theirs", tmp_path / "mine"
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(0)
        address = f"postgresql://moot@127.0.0.1:{server.getsockname()[1]}/team"
        home = theirs if as_submodule else theirs / where / ".moot"
        home.mkdir(parents=True)
        (home / "board.db-address").write_text(f"{address}\n")
        for name in ("HEAD", "objects/x", "refs/x") if where == "bare" else ():  # it looks like a repository
            (home.parent / name).parent.mkdir(exist_ok=True)
            (home.parent / name).write_text("ref: refs/heads/main\n")
        git(theirs, "init", "-q", "-b", "main")
        git(theirs, "add", "-f", ".")
        git(theirs, "commit", "-qm", "a board for you")
        if as_submodule:
            outer = tmp_path / "outer"
            (outer / where).mkdir(parents=True)
            git(outer, "init", "-q", "-b", "main")
            local = ("-c", "protocol.file.allow=always")
            git(outer, *local, "submodule", "--quiet", "add", str(theirs), f"{where}/.moot")
            git(outer, "commit", "-qm", "a board for you")
            git(tmp_path, *local, "clone", "-q", "--recurse-submodules", str(outer), "mine")
        else:
            git(tmp_path, "clone", "-q", str(theirs), "mine")
        monkeypatch.chdir(project / where)
        for board in (None, str(project / where)):
            with pytest.raises(Refused) as told:
                FileBoards().open(board)
            assert told.value.code == "board_of_another"
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_store_in_a_submodule_came_with_the_repository(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    git(tmp_path / "theirs", "init", "-q", "-b", "main")
    Board.boards = FileBoards()
    Board.create(str(tmp_path / "theirs")).close()
    home = tmp_path / "theirs" / ".moot"
    check_repository(str(home))
    git(home, "init", "-q", "-b", "main")
    git(home, "add", "-f", "board.db")
    with pytest.raises(Refused, match="came with the repository"):
        check_repository(str(home))


def test_root_by_sudo_may_use_the_callers_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = os.lstat(tmp_path).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "lstat", lambda path: os.stat_result((0o40700, 0, 0, 1, owner + 7, 0, 0, 0, 0, 0)))
    for caller, is_theirs in ((str(owner + 7), True), (str(owner + 8), False), ("none", False), ("", False)):
        monkeypatch.setenv("SUDO_UID", caller)
        if is_theirs:
            check_owner([str(tmp_path)])
        else:
            with pytest.raises(Refused, match="belongs to another user"):
                check_owner([str(tmp_path)])


GATED = """
flow: theirs
start: dev
sandbox: never
columns: {dev: {agents: [dev], next: done, gate: [g]}}
agents: {dev: {run: {command: ACTOR}, write: any}}
gates: {g: {run: [touch, RAN]}}
"""


@pytest.mark.attack(
    "board",
    "a log of somebody else's board is imported, and `moot serve` shows it: an item waits there for a gate, unboxed",
    "nothing of its flow is run before the user has said `moot run` there; the server says so",
)
def test_a_board_that_was_brought_here_begins_nothing_by_itself(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    theirs = Yard(tmp_path / "theirs", flow=GATED.replace("RAN", str(ran)))
    theirs.add("one")
    claimed = theirs.board.claim("dev")
    claimed.report(Report.done("nothing had to change"))
    theirs.board.close()
    log, project = tmp_path / "log.jsonl", tmp_path / "mine"
    FileBoards().export(str(theirs.folder), str(log), lambda piece: None)
    project.mkdir()
    git(project, "init", "-q", "-b", "main", ".")
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    with log.open("rb") as source:
        FileBoards().import_log(str(project), source, "log")
    told: list[str] = []
    with (
        closing(FileBoards().open(str(project))) as board,
        FileBoards().attend(board, lambda event: told.append(event.words)),
    ):
        time.sleep(2.0)
    assert not ran.exists() and "brought here from elsewhere" in told[0]
    with closing(FileBoards().open(str(project))) as board:
        FileBoards().work(board, slots=1, agents=[], until_idle=True, tell=told.append, begin=lambda start: None)
        assert ran.exists(), "the user has said so"
    ran.unlink()
    with closing(FileBoards().open(str(project))) as board, FileBoards().attend(board, told.append):
        assert has_begun(str(project / ".moot"))


@pytest.mark.attack(
    "board",
    "a repository that the user clones brings what the board makes for itself: its repository, tokens, a kept setup",
    "it is refused by name before anything of it is used: git tracks nothing of the board's own but its flow",
)
@pytest.mark.parametrize("name", ["repo.git/HEAD", "access/key", "setups/a/b", "RUNS/x", "board.db-brought"])
def test_what_a_board_makes_for_itself_never_comes_with_a_repository(tmp_path: Path, name: str) -> None:
    yard = Yard(tmp_path / "theirs")
    home = str(yard.folder / ".moot")
    path = yard.folder / ".moot" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("theirs")
    check_untracked(home)
    git(yard.folder, "add", "-f", f".moot/{name}", ".moot/flow.yaml")
    for use in (lambda: check_repository(home), FileAccess(home).tokens, FileAccess(home).key):
        with pytest.raises(Refused) as told:
            use()
        assert told.value.code == "board_of_another"
    git(yard.folder, "rm", "-q", "--cached", f".moot/{name}")
    check_untracked(home)
    yard.board.close()


@pytest.mark.attack(
    "board",
    "somebody else's backup is restored where a board's folder is there already, or over a board of one's own",
    "it counts as brought here, unless what is brought back is an earlier moment of this very board",
)
@pytest.mark.parametrize("there", ["nothing", "an empty folder", "a board of one's own", "the same board"])
def test_a_backup_of_another_board_begins_nothing(tmp_path: Path, there: str) -> None:
    theirs = Yard(tmp_path / "theirs")
    theirs.add("One", "write one.txt 1", "report done")
    backup = str(tmp_path / "theirs.moot")
    FileBoards().backup(str(theirs.folder), backup)
    home = tmp_path / "mine" / ".moot"
    if there == "a board of one's own":
        made(tmp_path / "mine")
    elif there == "an empty folder":
        home.mkdir(parents=True)
    elif there == "nothing":
        home.parent.mkdir()
    else:
        theirs.add("Two", "write two.txt 2", "report done")
        home = theirs.folder / ".moot"
    theirs.board.close()
    restore(str(home), backup, None)
    assert has_begun(str(home)) is (there == "the same board")


def test_nothing_of_the_flow_of_a_board_from_elsewhere_is_used_before_its_user_says_so(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    home, board = str(yard.folder / ".moot"), yard.board._application
    note_brought(home)
    for use in (lambda: Forges(home, Outside(home)), lambda: tools_of(board, home, lambda event: None).__enter__()):
        with pytest.raises(Refused) as told:
            use()
        assert told.value.code == "brought_board"
    looks = FileBoards().ready(board, agents=[], again=False, first=False, tell=lambda words: None)
    assert not looks.ok and [one.look for one in looks.looks] == ["flow"]
    yard.board.close()
    again = FileBoards().create(str(yard.folder), "kanban")
    assert "from now on" in again.notes[-1]
    again.close()
    assert has_begun(home)


@pytest.mark.attack(
    "board",
    "a log calls a commit by what is an option for git, such as `--upload-pack=COMMAND`",
    "the log is refused by name: no commit and no branch begins so",
)
@pytest.mark.parametrize("field", ["head", "landed", "landed_on"])
def test_no_commit_of_a_log_is_an_option_of_git(field: str) -> None:
    change = Change("items", "1", {field: "--upload-pack=touch x"})
    event = Event(name="item_edited", item="1", agent="a", changes=[change], seq=3)
    with pytest.raises(Unreadable, match="a commit or a branch"):
        Fold().feed(event)
