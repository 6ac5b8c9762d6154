"""Hostile names, links, pipes and floods: nothing is written outside of the folder, and the work goes on."""

import ctypes
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.mirror import names
from folkmoot.mirror.folder import BYTES_MAX, Folder
from folkmoot.system.folders import FolderWatch
from tests.mirror.desk import Desk, tree

HOSTILE = [
    "../outside.md",
    "/etc/outside.md",
    "a/../../outside.md",
    "..\\outside.md",
    "~/outside.md",
    "C:\\outside.md",
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/config",
    ".moot/flow.yaml",
    ".Moot/x.md",
    "\u2060.git/config",
    "state.json",
    "handoffs/pending/x",
    "HANDOFFS/pending/x.md",
    "kanban/1",
    "rejected/x",
    "a\nb.md",
    "a\x00b.md",
    "-rf",
    "a/",
    "x" * 300 + ".md",
    "",
    ".",
    "./..",
]


@pytest.mark.ledger("R-04", "K-05")
@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_is_named_after_a_hostile_artifact(name: str) -> None:
    assert names.meta_path(name) is None


@pytest.mark.ledger("R-04")
@given(st.one_of(st.text(), st.text(alphabet="./\\~:.gitmo \u2060A", max_size=30)))
def test_every_name_stays_inside(name: str) -> None:
    path = names.meta_path(name)
    if path is not None:
        steps = path.split("/")
        assert not path.startswith("/") and not {"", ".", ".."} & {*steps}
        assert path.endswith(".meta.yaml") and "\0" not in path
        assert not any(step.casefold() in (".git", ".moot") for step in steps)
        assert steps[0].casefold() not in names.RESERVED
    for made in (names.handoff_path(name, "pending"), names.item_path(name), names.quest_path(name)):
        assert made is None or ("/.." not in made and name in made)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    root = tmp_path / "project"
    root.mkdir()
    made = Desk(root, "kanban")
    made.moot("add", "Trading", "--column", "dev")
    yield made
    made.close()


@pytest.mark.ledger("R-04", "K-05")
def test_hostile_artifacts_and_comments_write_nothing_outside(desk: Desk, tmp_path: Path) -> None:
    outside = sorted(path.name for path in tmp_path.iterdir())
    project = sorted(path.name for path in desk.root.iterdir())
    for name in HOSTILE:
        if name.strip() and "\0" not in name:
            desk.moot.say("comment", "1", "words", "--artifact", name)
    desk.look()
    assert sorted(path.name for path in tmp_path.iterdir()) == outside
    assert sorted(path.name for path in desk.root.iterdir()) == [".claude", *project]
    assert {path.partition("/")[0] for path in tree(desk.dir)} <= {
        *(".moot-mirror", ".gitignore", "state.json", "events.jsonl", "kanban", "handoffs"),
    }


@pytest.mark.ledger("R-04")
@pytest.mark.parametrize("where", ["handoffs", "handoffs/pending", "kanban", "specs", "inbox", "rejected"])
def test_a_folder_that_is_a_link_is_not_gone_through(desk: Desk, tmp_path: Path, where: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = desk.dir / where
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere)
    desk.moot("comment", "1", "words", "--artifact", "specs/a.md")
    desk.mirror.pass_()
    desk.put_quietly("kanban/x.yaml", "x")
    desk.mirror.pass_()
    assert [path.name for path in elsewhere.iterdir() if path.name != "x.yaml"] == []
    assert len(desk.notes) == len({*desk.notes}), "it is said once"
    assert "kanban/1.yaml" in tree(desk.dir) or where == "kanban", "the others are written all the same"


@pytest.mark.ledger("R-04")
def test_the_folder_itself_may_not_be_a_link(desk: Desk, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    desk.dir.symlink_to(elsewhere)
    desk.mirror.pass_()
    desk.mirror.pass_()
    assert list(elsewhere.iterdir()) == [] and len(desk.notes) == 1


@pytest.mark.ledger("R-04")
def test_a_folder_that_cannot_be_written_is_said_once_and_work_goes_on(desk: Desk) -> None:
    desk.dir.write_text("a file stands here", "utf-8")
    for _ in range(3):
        desk.mirror.pass_()
    assert len(desk.notes) == 1 and "cannot be written" in desk.notes[0]
    assert desk.moot("comment", "1", "still here")
    desk.dir.unlink()
    desk.mirror.pass_()
    assert "kanban/1.yaml" in tree(desk.dir)


@pytest.mark.ledger("R-04")
def test_what_was_told_before_a_look_that_failed_is_looked_at_in_the_next(desk: Desk) -> None:
    """The kernel says only once that a file was written."""
    told = Event()
    desk.restart(FolderWatch(str(desk.dir), told.set))
    desk.mirror.pass_()
    told.clear()
    desk.put("handoffs/pending/words.json", "no message")
    assert told.wait(60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(desk.mirror.folder, "read", fails)
        desk.mirror.pass_()
    assert len(desk.notes) == 1 and "Input/output error" in desk.notes[0]
    desk.look()
    assert (desk.dir / "rejected" / "words.json").exists()


@pytest.mark.ledger("R-04")
def test_where_the_kernel_watches_no_more_folders_all_are_looked_at(desk: Desk) -> None:
    watch = FolderWatch(str(desk.dir), lambda: None)
    desk.restart(watch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch._libc, "inotify_add_watch", lambda *_: (ctypes.set_errno(errno.ENOSPC), -1)[1])
        desk.mirror.pass_()
    desk.put("handoffs/pending/words.json", "no message")
    desk.look()
    assert (desk.dir / "rejected" / "words.json").exists()


def fails(path: str) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.ledger("R-04")
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "hard", "huge", "folder"])
@pytest.mark.parametrize("path", ["handoffs/pending/x.json", "inbox/x.json", "kanban/1.yaml", "state.json"])
def test_what_is_no_plain_file_is_not_opened(desk: Desk, tmp_path: Path, path: str, kind: str) -> None:
    desk.look()
    good, before = tree(desk.dir), desk.last_seq()
    secret = tmp_path / "secret"
    secret.write_text(json.dumps({"from": "planner", "to": "builder", "type": "task_handoff"}), "utf-8")
    place = desk.dir / path
    place.unlink(missing_ok=True)
    if kind == "link":
        place.symlink_to(secret)
    elif kind == "dangling":
        place.symlink_to(tmp_path / "nothing")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "hard":
        os.link(secret, place)
    elif kind == "huge":
        with open(place, "wb") as file:
            file.truncate(BYTES_MAX + 1)
    else:
        place.mkdir()
        (place / "inside").write_text("words", "utf-8")
    desk.mirror.pass_()
    desk.mirror.pass_()
    assert desk.last_seq() == before and secret.read_text("utf-8").startswith("{")
    if kind != "folder":
        assert tree(desk.dir) == good, "the last good content is back"
        assert desk.reasons(), "and the reason stands beside it"


@pytest.mark.ledger("R-04")
def test_a_flood_is_taken_in_bit_by_bit(desk: Desk) -> None:
    desk.look()
    for number in range(300):
        (desk.dir / "inbox" / f"{number}.md").write_text("nothing", "utf-8")
    desk.look()
    assert not list((desk.dir / "inbox").iterdir()) and len(desk.reasons()) == 300


@pytest.mark.ledger("R-04")
def test_a_file_is_swapped_and_what_was_there_is_in_hand(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    with folder.opened():
        folder.write("a/b.txt", b"one")
        (tmp_path / "a/b.txt").write_text("somebody else", "utf-8")
        placed = folder.place(folder.prepare("a/b.txt", b"two"))
        assert placed.before == b"somebody else" and placed.left is not None
        assert (tmp_path / placed.left).read_bytes() == b"somebody else", "until it was seen to it is not gone"
        folder.remove(placed.left)
    assert (tmp_path / "a/b.txt").read_bytes() == b"two" and [p.name for p in (tmp_path / "a").iterdir()] == ["b.txt"]
