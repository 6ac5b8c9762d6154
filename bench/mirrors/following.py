"""From a commit to the file that shows it, beside a bare write and rename; and what a mirror of many items costs."""

import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from bench.board import PERSON, make_board
from folkmoot.core.commands import AddComment
from folkmoot.engine.application import Application
from folkmoot.mirror.folder import Folder
from folkmoot.mirror.mirror import Mirror
from folkmoot.store.change_signal import ChangeSignal
from folkmoot.system.folders import FolderWatch
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.files.locating import STORE

COMMITS = 200
ITEMS = 10_000
REST = 5.0


def run() -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        found: dict[str, object] = {}
        (small, large) = (Path(folder) / "small", Path(folder) / "large")
        for place, items in ((small, 10), (large, ITEMS)):
            (place / ".moot").mkdir(parents=True)
            make_board(place / ".moot" / STORE, items)
        bare = _bare(small)
        for name, place in (("10 items", small), (f"{ITEMS:,} items", large)):
            if place is large:
                found |= _starts(place)
            times = _followed(place)
            found[f"commit to file, {name}, median, ms"] = round(statistics.median(times) * 1000, 1)
            found[f"commit to file, {name}, p99, ms"] = round(_high(times) * 1000, 1)
        found[f"CPU to write and rename {ITEMS:,} small files bare, seconds"] = _bare_files(large)
        found["a bare write, flush and rename, median, ms"] = round(statistics.median(bare) * 1000, 1)
        found["the same, p99, ms"] = round(_high(bare) * 1000, 1)
        found[f"CPU of a watching mirror of {ITEMS:,} items at rest, in {REST:.0f}s, seconds"] = _rests(large)
        return found


def _high(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99) - 1]


def _bare(place: Path) -> list[float]:
    times = []
    for number in range(COMMITS):
        start = time.perf_counter()
        fd = os.open(place / "bare.tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(fd, b"x" * 1000 + str(number).encode())
        os.fsync(fd)
        os.close(fd)
        os.rename(place / "bare.tmp", place / "bare")
        above = os.open(place, os.O_RDONLY)
        os.fsync(above)
        os.close(above)
        times.append(time.perf_counter() - start)
    return times


def _bare_files(place: Path) -> float:
    (place / "bare").mkdir()
    before = time.process_time()
    for number in range(ITEMS):
        fd = os.open(place / "bare" / f".{number}", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(fd, b"x" * 450)
        os.close(fd)
        os.rename(place / "bare" / f".{number}", place / "bare" / str(number))
    os.sync()
    return round(time.process_time() - before, 2)


def _mirror(application: Application, place: Path, name: str, *, watch: bool) -> Mirror:
    (place / name).mkdir(exist_ok=True)
    watcher = FolderWatch(str(place / name), lambda: ChangeSignal.notify(application.change_signal)) if watch else None
    return Mirror(application, Folder(str(place), name), str(place / f"{name}.jsonl"), watch=watcher)


def _starts(place: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for what in ("the first time", "again, nothing changed"):
        application = FileBoards().open(str(place))
        before = time.process_time()
        mirror = _mirror(application, place, "files", watch=False)
        mirror.pass_()
        found[f"CPU to start with {ITEMS:,} items, {what}, seconds"] = round(time.process_time() - before, 2)
        mirror.close()
        application.close()
    return found


class _Watching:
    """A mirror that watches, in a thread of its own."""

    def __init__(self, place: Path) -> None:
        self.application = FileBoards().open(str(place))
        self.mirror = _mirror(self.application, place, "files", watch=True)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self.mirror.run, args=(self._over.is_set,))
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        ChangeSignal.notify(self.application.change_signal)
        self._thread.join()
        self.mirror.close()
        self.application.close()


def _followed(place: Path) -> list[float]:
    """The writer is another than the mirror, as it always is: it opens the board for itself."""
    watching = _Watching(place)
    writer = FileBoards().open(str(place))
    shown = place / "files" / "kanban" / "1.yaml"
    while not shown.exists():
        time.sleep(0.01)
    times = []
    for number in range(COMMITS):
        view = writer.engine.handle_item(PERSON, "1", AddComment(content=f"words {number}"))
        start, wanted = time.perf_counter(), f"\nversion: {view.version}\n"
        while wanted not in shown.read_text("utf-8"):
            time.sleep(0.0005)
        times.append(time.perf_counter() - start)
    writer.close()
    watching.close()
    return times


def _rests(place: Path) -> float:
    watching = _Watching(place)
    time.sleep(1.0)
    before = time.process_time()
    time.sleep(REST)
    spent = time.process_time() - before
    watching.close()
    return round(spent, 3)
