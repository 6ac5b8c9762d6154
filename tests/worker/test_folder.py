"""A plain folder without git."""

import os
from pathlib import Path

import pytest

from folkmoot.core.work import Touched
from folkmoot.worker.folder import Folder
from folkmoot.worker.ports import Paths


@pytest.mark.ledger("Q-03")
def test_what_changed_shows_by_comparing(tmp_path: Path) -> None:
    for name in ("same", "grows", "goes", "mode", "touched", "sub/deep", ".moot/board.db", ".git/HEAD"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    folder = Folder(str(tmp_path))
    before = folder.listing()
    assert before == folder.listing() and folder.work(before, folder.listing()).touched == []
    (tmp_path / "grows").write_text("xx")
    (tmp_path / "goes").unlink()
    (tmp_path / "mode").chmod(0o755)
    os.utime(tmp_path / "touched", ns=(1, 1))
    (tmp_path / "sub/new").write_text("x")
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "sub/loop").symlink_to("..")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / os.fsdecode(b"\xff")).write_text("x")
    for hidden in (".moot/x", ".git/x", "sub/__pycache__/x.pyc", "node_modules/y"):
        (tmp_path / hidden).parent.mkdir(exist_ok=True)
        (tmp_path / hidden).write_text("x")
    work = folder.work(before, folder.listing())
    assert (
        work.commit is None
        and work.base is None
        and set(work.touched)
        == {
            Touched("grows", "modified"),
            Touched("goes", "deleted"),
            Touched("mode", "modified", "100755"),
            Touched("touched", "modified"),
            Touched("sub/new", "created"),
            Touched("link", "created", "120000", "/etc"),
            Touched("sub/loop", "created", "120000", ".."),
            Touched("pipe", "created", "010000"),
            Touched("\\xff", "created"),
        }
    )


def test_the_workspace_is_the_folder_itself(tmp_path: Path) -> None:
    paths = Paths(root="/r", workspace="/r/workspace", home="/r/home", spool="/r/spool")
    prepared = Folder(str(tmp_path)).prepare(paths)
    assert prepared.workspace == str(tmp_path) and prepared.home == "/r/home"
