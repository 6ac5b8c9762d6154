"""A clone works for the agent, and what it leaves is taken in whatever it did to it."""

import os
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from folkmoot.core.work import Touched
from tests.worker.git.ground import Ground, plain, put

SOURCE = Path(__file__).parents[3]


def touched(ground: Ground, run: str = "r1") -> dict[str, str]:
    return {one.path: one.mode for one in ground.snapshot(run).touched}


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_the_agent_has_a_repository_that_works(tmp_path: Path, form: str) -> None:
    ground = Ground(tmp_path, form=form)
    workspace = ground.make()
    assert plain(workspace, "status", "--porcelain", "--branch") == "## moot/X1"
    assert plain(workspace, "log", "--format=%s") == "by hand"
    put(workspace, {"a.txt": "agent\n", "new.txt": "n\n"})
    assert "+agent" in plain(workspace, "diff")
    env = {"GIT_AUTHOR_NAME": "", "GIT_AUTHOR_EMAIL": "", "GIT_COMMITTER_NAME": "", "GIT_COMMITTER_EMAIL": ""}
    done = subprocess.run(
        ["env", *(f"-u{name}" for name in env), "git", "commit", "-qam", "mine"], cwd=workspace, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert plain(workspace, "log", "-1", "--format=%an %ae %s") == "Ann Agent ann@example.com mine"
    assert plain(workspace, "fsck") == ""
    # Its own commits do not count: the files do.
    work = ground.snapshot()
    assert work.commit and {one.path for one in work.touched} == {"a.txt", "new.txt"}
    log = ground.git("log", "-1", "--format=%an|%cn|%B", work.commit, git_dir=ground.repository.git_dir).out.decode()
    assert log.strip() == "Ann Agent|Folkmoot|The work\n\nMoot-Item: X1\nMoot-Run: r1"
    assert ground.repository.kept("refs/moot/runs/r1") == work.commit


def test_nothing_changed_is_no_commit(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    plain(workspace, "commit", "-q", "--allow-empty", "-m", "nothing")
    (workspace / "a.txt").touch()
    work = ground.snapshot()
    assert work.commit == work.base == ground.tip() and work.touched == [] and work.tree
    assert ground.repository.kept("refs/moot/runs/r1") is None


def spoil(git: Path, how: str) -> None:
    if how in ("deleted", "file", "link", "fifo"):
        shutil.rmtree(git)
    match how:
        case "file":
            git.write_text("gitdir: /nowhere\n")
        case "link":
            git.symlink_to("/nowhere")
        case "fifo":
            os.mkfifo(git)
        case "index" | "config" | "index.lock":
            (git / how).write_bytes(b"[broken")
        case "objects":
            shutil.rmtree(git / how)


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("how", ["deleted", "file", "link", "fifo", "index", "config", "index.lock", "objects"])
def test_whatever_became_of_git_the_work_is_taken_in(tmp_path: Path, how: str) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    put(workspace, {"a.txt": "work\n"})
    spoil(workspace / ".git", how)
    assert touched(ground) == {"a.txt": "100644"}
    ground.clones.remove(ground.paths("r1"))
    assert not workspace.exists()


@pytest.mark.parametrize("swap", ["gone", "link", "folder", "file"])
def test_a_workspace_that_is_gone_or_swapped_is_told(tmp_path: Path, swap: str) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    paths = ground.paths("r1")
    aside = tmp_path / "aside"
    workspace.rename(aside)
    match swap:
        case "link":
            workspace.symlink_to(aside)
        case "folder":
            workspace.mkdir()
        case "file":
            workspace.touch()
    why = "the workspace is gone" if swap == "gone" else "the workspace was replaced by something else"
    assert ground.snapshot_or_none() is None and ground.clones.lost(paths) == why
    ground.clones.remove(paths)
    assert not os.path.lexists(workspace) and (aside / "a.txt").exists()


@pytest.mark.ledger("Q-03")
def test_what_is_no_file_is_told_and_never_taken(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    put(workspace, {"inner/x.txt": "x", "src/new.txt": "n", "a.txt": "changed\n"})
    plain(workspace / "inner", "init", "-q")
    plain(workspace / "src", "init", "-q")
    put(workspace, {"odd/.GIT/config": "x", "ntfs/git~1/x": "x", "hfs/.g\u200cit/x": "x", "dots/.git. /x": "x"})
    (workspace / "file").mkdir()
    (workspace / "file/.git").write_text(f"gitdir: {ground.user}/.git\n")
    os.mkfifo(workspace / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(workspace, os.O_RDONLY)
        listening.bind(f"/proc/self/fd/{here}/sock")
        os.close(here)
    put(workspace, {"ignored.log/x": "x"})
    plain(workspace / "ignored.log", "init", "-q")
    found = touched(ground)
    assert {path for path, mode in found.items() if mode == "160000"} == {
        *("inner", "src", "file", "odd/.GIT", "ntfs/git~1", "hfs/.g\u200cit", "dots/.git. "),
        *("odd/.GIT/config", "ntfs/git~1/x", "hfs/.g\u200cit/x", "dots/.git. /x"),
    }
    assert found["pipe"] == "010000" and found["sock"] == "140000"
    rest = {path: mode for path, mode in found.items() if mode.startswith("100")}
    assert rest == {"a.txt": "100644", "src/new.txt": "100644"}
    work = ground.snapshot()
    assert work.commit
    tree = ground.git("ls-tree", "-r", "--name-only", work.commit, git_dir=ground.repository.git_dir).out.decode()
    assert tree.split() == [".gitignore", "a.txt", "src/b.txt", "src/new.txt"]


def test_links_files_and_folders_take_each_other_s_place(tmp_path: Path) -> None:
    ground = Ground(tmp_path, {"dir/a": "1\n", "dir/b": "1\n", "file": "1\n", "link": "1\n", "keep": "1\n"})
    workspace = ground.make()
    outside = tmp_path / "outside"
    put(outside, {"a": "another\n", "b": "1\n", "secret": "s\n"})
    shutil.rmtree(workspace / "dir")
    (workspace / "dir").symlink_to(outside)
    (workspace / "file").unlink()
    put(workspace, {"file/inside": "2\n"})
    (workspace / "link").unlink()
    (workspace / "link").symlink_to("keep")
    assert set(ground.snapshot().touched) == {
        Touched("dir", "created", "120000", str(outside)),
        Touched("dir/a", "deleted"),
        Touched("dir/b", "deleted"),
        Touched("file", "deleted"),
        Touched("file/inside", "created"),
        Touched("link", "modified", "120000", "keep"),
    }


CLOSED = """
import os, sys
from pathlib import Path
from tests.worker.git.ground import Ground, put
ground = Ground(Path(sys.argv[1]))
workspace = ground.make()
put(workspace, {"shut/x.txt": "x", "a.txt": "work\\n", "secret.txt": "s"})
(workspace / "secret.txt").chmod(0)
(workspace / ".git/objects").chmod(0)
(workspace / "shut").chmod(0)
(workspace / "src").chmod(0)
workspace.chmod(0)
print(sorted(one.path for one in ground.snapshot().touched))
workspace.chmod(0)
ground.clones.remove(ground.paths("r1"))
print(workspace.exists())
"""


@pytest.mark.parametrize("may_all", [True, False])
def test_closed_folders_are_opened_again(tmp_path: Path, may_all: bool) -> None:
    command = [sys.executable, "-c", CLOSED, str(tmp_path)]
    if os.geteuid() == 0 and not may_all:
        # Root without the right to read what is closed is as good as anybody else.
        less = shutil.which("setpriv")
        if less is None:
            pytest.skip("NOT RUN: setpriv is missing")
        command = [less, "--bounding-set=-dac_override,-dac_read_search", *command]
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{SOURCE}:{SOURCE}/src", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["['a.txt', 'secret.txt', 'shut/x.txt']", "False"], done.stderr


def test_a_name_that_git_will_not_take_spoils_nothing_else(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    put(workspace, {f"f{number}.txt": "x" for number in range(9)})
    (workspace / ".gitmodules").symlink_to("a.txt")
    found = touched(ground)
    assert found.pop(".gitmodules") == "160000" and found == {f"f{number}.txt": "100644" for number in range(9)}


def test_attributes_do_not_change_what_is_in_a_file(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    put(ground.make(), {".gitattributes": "* working-tree-encoding=UTF-16 ident\n", "a.txt": "$Id$ plain\n"})
    work = ground.snapshot()
    assert work.commit
    there = ground.git("cat-file", "-p", f"{work.commit}:a.txt", git_dir=ground.repository.git_dir).out
    assert there == b"$Id$ plain\n"
    again = ground.make("r2", work.commit)
    assert (again / "a.txt").read_bytes() == b"$Id$ plain\n"


def test_a_submodule_of_the_user_s_is_not_followed(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    plain(ground.user, "update-index", "--add", "--cacheinfo", f"160000,{ground.tip()},sub")
    plain(ground.user, "commit", "-qm", "a submodule")
    workspace = ground.make()
    assert ground.snapshot().touched == []
    plain(workspace / "sub", "init", "-q")
    plain(workspace / "sub", "commit", "-q", "--allow-empty", "-m", "x")
    assert [(one.path, one.how, one.mode) for one in ground.snapshot().touched] == [("sub", "modified", "160000")]
    assert ground.snapshot().commit == ground.tip()


def test_a_spare_becomes_the_workspace(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    old = ground.repository.tip()
    assert old
    ground.clones.prepare_spare(old)
    ground.clones.prepare_spare(old)
    new = ground.person_commits({"a.txt": "newer\n", "more/x.txt": "x\n"})
    ahead = {spare.stat().st_ino for spare in (ground.home / "spares").glob("*/workspace/src/b.txt")}
    workspace = ground.make()
    assert len(ahead) == 2 and (workspace / "src/b.txt").stat().st_ino in ahead  # not written once more
    assert len(ground.clones.spares()) == 1
    assert (workspace / "a.txt").read_text() == "newer\n" and (workspace / "more/x.txt").exists()
    assert plain(workspace, "status", "--porcelain", "--branch") == "## moot/X1"
    assert plain(workspace, "rev-parse", "HEAD") == new
    put(workspace, {"a.txt": "work\n"})
    assert [one.path for one in ground.snapshot().touched] == ["a.txt"]
    ground.make("r2")
    ground.make("r3")  # none left: made from nothing
    assert ground.clones.spares() == [] and ground.snapshot("r3").touched == []
    ground.clones.prepare_spare(new)
    ground.clones.drop_spares()
    assert ground.clones.spares() == []


def test_strange_folders_and_names(tmp_path: Path) -> None:
    ground = Ground(tmp_path / 'a "quoted" #földer\nwith lines')
    workspace = ground.make(item="X-1.2")
    assert plain(workspace, "log", "--format=%s") == "by hand" and plain(workspace, "status", "--short") == ""
    put(workspace, {"-rf": "x", ":(top)x": "x", "*": "x", "a\tb": "x"})
    assert set(touched(ground)) == {"-rf", ":(top)x", "*", "a\tb"}


def test_many_at_once_do_not_get_in_each_other_s_way(tmp_path: Path) -> None:
    ground = Ground(tmp_path)

    def run(number: int) -> set[str]:
        ground.repository.tip()
        put(ground.make(f"r{number}"), {f"f{number}.txt": "x\n"})
        return set(touched(ground, f"r{number}"))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(16))) == [{f"f{number}.txt"} for number in range(16)]
