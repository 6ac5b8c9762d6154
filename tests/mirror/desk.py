"""A board whose mirror is at work: in this process, pass by pass, or as a process of its own that is really killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkmoot.mirror.folder import Folder
from folkmoot.mirror.mirror import Mirror
from folkmoot.mirror.watch import Watch
from folkmoot.wiring.boards import FileBoards
from tests.acceptance.moot import SOURCE, Moot, new_board

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

View = dict[str, Any]
PATIENCE = 60.0  # seconds; what is waited for comes in a moment, or never


class Desk:
    """A board in a folder, and its mirror beside it, which looks and writes when it is told to."""

    def __init__(self, folder: Path, preset: str = "handoff", *, people: str = "") -> None:
        self.moot: Moot = new_board(folder, preset)
        if people:
            flow = folder / ".moot" / "flow.yaml"
            text = flow.read_text("utf-8").replace("mirror: {dir: .claude}", "")
            flow.write_text(f"{text}\nmirror: {{dir: .claude, people: [{people}]}}\n", "utf-8")
            self.moot("apply")
        self.root = folder
        self.dir = folder / ".claude"
        self.application: Application = FileBoards().open(str(folder))
        self._named = self.application.queries.flow().mirror
        self.notes: list[str] = []
        self.mirror = self.fresh()

    def fresh(self, watch: Watch | None = None) -> Mirror:
        """A mirror that has just been started, on the record that the last one left."""
        record = self.root / ".moot" / "mirror" / "test.jsonl"
        record.parent.mkdir(exist_ok=True)
        place = Folder(str(self.root), ".claude")
        return Mirror(self.application, place, str(record), named=self._named, watch=watch, tell=self.notes.append)

    def restart(self, watch: Watch | None = None) -> None:
        self.mirror.close()
        self.mirror = self.fresh(watch)

    def look(self) -> None:
        """One pass; what can only be half written is waited for."""
        self.mirror.pass_or_raise()

    def close(self) -> None:
        self.mirror.close()
        self.application.close()

    def json(self, path: str) -> View:
        view: View = json.loads((self.dir / path).read_text("utf-8"))
        return view

    def text(self, path: str) -> str:
        return (self.dir / path).read_text("utf-8")

    def put(self, path: str, content: str | View) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.dir / path).write_text(text, "utf-8")

    def put_quietly(self, path: str, text: str) -> None:
        """Where there is such a folder."""
        if (self.dir / path).parent.is_dir():
            (self.dir / path).write_text(text, "utf-8")

    def handoffs(self) -> dict[str, list[str]]:
        """The types of the messages in each folder."""
        found = {}
        for status in ("pending", "accepted", "completed", "rejected"):
            files = sorted((self.dir / "handoffs" / status).glob("*.json"))
            found[status] = [json.loads(file.read_text("utf-8"))["type"] for file in files]
        return found

    def reasons(self) -> list[str]:
        return [file.read_text("utf-8") for file in sorted((self.dir / "rejected").glob("*.why.txt"))]

    def last_seq(self) -> int:
        return self.application.queries.last()

    def acts_since(self, seq: int) -> list[str]:
        """What somebody did after this event. What only time has made due is no act: a lease may run out meanwhile."""
        events = self.application.engine.store.read(lambda reading: reading.events(seq))
        return [event.name for event in events if event.actor != "engine"]


def tree(folder: Path) -> dict[str, bytes]:
    """What a mirror shows: every file but what others dropped there or what was set aside."""
    found = {}
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        if file.is_file() and not path.startswith(("inbox/", "rejected/")):
            found[path] = file.read_bytes()
    return found


def fresh_tree(root: Path, name: str) -> dict[str, bytes]:
    """What a new mirror of the same board writes into an empty folder."""
    Moot(root)("mirror", "--dir", str(root / name))
    return tree(root / name)


@contextmanager
def watching(root: Path, folder: str | None = ".claude") -> Iterator[subprocess.Popen[bytes]]:
    """`moot mirror --watch` as a process of its own, until the block ends."""
    process = start(root, folder)
    try:
        until(lambda: (root / (folder or ".claude") / "state.json").exists())
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def start(root: Path, folder: str | None = ".claude") -> subprocess.Popen[bytes]:
    """None: in the folder that the flow names."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "MOOT_BOARD": str(root), "USER": "alice"}
    place = ["--dir", str(root / folder)] if folder is not None else []
    command = [sys.executable, "-m", "folkmoot", "mirror", "--watch", *place]
    return subprocess.Popen(command, env=environment, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def until(holds: Callable[[], bool], what: str = "") -> None:
    """Wait for another process. The bound is only there so that a test that fails ends."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"it did not come to pass: {what or holds}"
        time.sleep(0.02)
