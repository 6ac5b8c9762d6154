"""A disk without space: named, nothing half done, and work goes on by itself when there is some again (F21, F22)."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from folkmoot import Board
from folkmoot.core.commands import Actor, ReleaseRun
from folkmoot.engine.run_context import RunContext
from folkmoot.errors import Unavailable
from folkmoot.wiring.running import tools_of
from folkmoot.worker.git.harvest.bounds import allowed
from folkmoot.worker.ports import Paths, WorkerEvent
from folkmoot.worker.reclaim import reclaim
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import disown
from tests.faults import scenes, traced
from tests.faults.conftest import MakeDisk
from tests.faults.witness import saw
from tests.worker.yard import Yard

FULL = "refused as store_full, nothing acknowledged lost, goes on when there is space, doctor green"


def fill(folder: Path) -> Path:
    """Take all the space there is."""
    path = folder / "filler"
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="No space"):
        [os.write(file, b"\0" * 1024) for _ in range(100_000)]
    os.close(file)
    return path


def add_on(board: Board, added: list[str]) -> None:
    for number in range(10_000):
        added.append(board.add(f"until it is full {number}").id)


def test_a_full_disk_is_named_and_got_over(tmp_path: Path, small_disk: MakeDisk) -> None:
    """One process has the board open all the time, as a worker has; others come and go."""
    folder = small_disk(tmp_path / "small", 2048)
    scenes.with_items(folder)
    with Board.open(str(folder)) as board:
        filler = fill(folder)
        added: list[str] = []
        with pytest.raises(Unavailable) as found:
            add_on(board, added)
        assert found.value.code == "store_full"
        assert "space" in found.value.hint
        assert len(board.list()) == 4 + len(added), "reads go on, and what was acknowledged is there"
        ended = traced.moot(folder, "add", "from another process")
        assert (ended.code, ended.error) == (4, "store_full"), ended
        assert traced.moot(folder, "list").code == 0, "the other process reads as well"
        filler.unlink()
        assert board.add("on it goes").id == str(5 + len(added))
    assert scenes.wrong(folder) == []
    saw("F21", "no space for the store, a process has it open", FULL)


def test_a_fresh_process_names_a_full_disk(tmp_path: Path, small_disk: MakeDisk) -> None:
    folder = small_disk(tmp_path / "small", 2048)
    scenes.with_items(folder)
    filler = fill(folder)
    ended = traced.moot(folder, "add", "no room")
    assert (ended.code, ended.error) == (4, "store_full"), ended
    filler.unlink()
    assert traced.moot(folder, "add", "there is room").code == 0
    assert scenes.wrong(folder) == []
    saw("F21", "no space for the store, nobody has it open", FULL)


def test_a_fresh_process_reads_on_a_full_disk(tmp_path: Path, small_disk: MakeDisk) -> None:
    folder = small_disk(tmp_path / "small", 2048)
    scenes.with_items(folder)
    fill(folder)
    assert traced.moot(folder, "list").code == 0


def test_no_board_is_made_on_a_full_disk(tmp_path: Path, small_disk: MakeDisk) -> None:
    folder = small_disk(tmp_path / "small", 160)
    ended = traced.moot(folder, "init")
    assert (ended.code, ended.error) == (4, "store_full"), ended
    assert not (folder / scenes.STORE).exists()
    left = [path.name for path in (folder / ".moot").iterdir() if path.name.startswith("board.db")]
    assert left == []
    saw("F21", "no space for a new board", "refused as store_full, and no board is left behind")


@pytest.mark.parametrize(
    "number", [pytest.param(1, marks=pytest.mark.slow), 4, pytest.param(9, marks=pytest.mark.slow)]
)
def test_no_space_at_a_write(tmp_path: Path, number: int) -> None:
    """The same by the system call itself, wherever a small disk cannot be mounted."""
    scenes.with_items(tmp_path)
    before = scenes.last_seq(tmp_path)
    command = [*traced.MOOT, "add", "no room", "--key", "k", "--json"]
    ended = traced.struck(command, tmp_path, traced.Point("pwrite64", number), "error=ENOSPC+")
    assert (ended.code, ended.error) == (4, "store_full"), ended
    assert scenes.last_seq(tmp_path) == before
    assert traced.run(command, tmp_path).code == 0
    assert scenes.wrong(tmp_path) == []
    saw("F24", f"ENOSPC from write {number} on", FULL)


def test_no_space_for_clones(tmp_path: Path, small_disk: MakeDisk) -> None:
    """Where the agents work there is no room: the run fails clean, the board and the branch stay sound."""
    yard = Yard(tmp_path / "yard", files={"large.bin": "x" * 300_000})
    item = yard.add("write", "write a.txt hello", "report done")
    disk = small_disk(yard.folder / ".moot" / "runs", 64)
    yard.run()
    assert yard.status(item) != "done"
    causes = {run["cause"] for run in yard.show(item)["runs"]}
    assert causes <= {"environment", "transient"}, causes
    yard.doctor()
    assert yard.commits() == ["first"]
    os.system(f"mount -o remount,size=64m {disk}")
    saw(
        "F22",
        "no space for clones",
        f"the run fails as {', '.join(sorted(map(str, causes)))}, nothing lands, doctor green",
    )
    yard.board.close()


AGENT = "import os\nwith open('a.txt', 'wb') as f:\n    [f.write(os.urandom(65536)) for _ in range(10**6)]\n"


def test_an_agent_that_fills_the_disk(tmp_path: Path, small_disk: MakeDisk) -> None:
    (tmp_path / "fills.py").write_text(AGENT, "utf-8")
    flow = f"""
flow: fills
start: dev
limits: {{executions: 2, attempts: 2}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{command: [{sys.executable}, {tmp_path / "fills.py"}]}}, write: any}}}}
sandbox: never
"""
    yard = Yard(tmp_path / "yard", flow=flow)
    item = yard.add("fill it")
    small_disk(yard.folder / ".moot" / "runs", 4096)
    yard.run()
    assert yard.status(item) != "done"
    assert yard.commits() == ["first"]
    yard.doctor()
    saw("F22", "an agent that fills the disk of the clones", "its run fails, nothing lands, doctor green")
    yard.board.close()


FILLS_ALL = """
import os, sys, time
title = os.environ["MOOT_ITEM"]
if title == "1":
    try:
        if sys.argv[1] == "files":
            for number in range(1_000_000):
                open(f"empty-{number}", "wb").close()
        with open("big", "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
    except OSError:
        pass
    if sys.argv[1] != "ends":
        time.sleep(600)
else:
    open(f"f{title}.txt", "w").write("x")
print('{"outcome": "done", "summary": "ok, nothing had to change"}', flush=True)
"""


@pytest.mark.parametrize("how", ["ends", "waits", "files"])
def test_an_agent_that_fills_the_disk_of_the_board_stops_nobody(tmp_path: Path, small_disk: MakeDisk, how: str) -> None:
    """Less is free than a run may use. It is ended all the same, its files go, and the others land their work."""
    (tmp_path / "fills.py").write_text(FILLS_ALL, "utf-8")
    flow = f"""
flow: fills
start: dev
limits: {{executions: 1, attempts: 1, slots: 1}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{command: [{sys.executable}, {tmp_path / "fills.py"}, {how}]}}, write: any}}}}
sandbox: never
"""
    disk = small_disk(tmp_path / "disk", 20_000, 5_000 if how == "files" else 0)
    yard = Yard(disk / "yard", flow=flow)
    filler, honest, later = yard.add("fill it"), yard.add("one"), yard.add("two")
    yard.run(slots=1)
    last = yard.show(filler)["runs"][0]
    assert last["outcome"] == "failed" and "it filled the disk and was ended" in str(last)
    assert [yard.status(honest), yard.status(later)] == ["done", "done"] and not (disk / "yard" / "big").exists()
    assert not (disk / "yard/.moot/set-aside").exists()
    assert how != "files" or os.statvfs(disk).f_favail > 4_000
    assert shutil.disk_usage(disk).free > 5_000_000
    faults = [told for told in yard.told if told.what == "fault"]
    assert len(faults) < 20, "each is told once"
    yard.doctor()
    saw("F22", "an agent that fills the disk of the board", "it is ended, what it wrote is removed, others land")
    yard.board.close()


@contextmanager
def left_by_a_dead_worker(yard: Yard, told: list[WorkerEvent]) -> Iterator[tuple[Tools, Paths, RunContext]]:
    """A run that is over, and whose clone is there as it left it."""
    yard.add("one more")
    engine = yard.board._application.engine
    claimed = engine.claim(Actor("somebody"), "dev")
    with tools_of(yard.board._application, str(yard.folder / ".moot"), told.append) as tools:
        run_context, paths = tools.application.queries.run_context(claimed.run), tools.workspaces.paths(claimed.run)
        tools.workspaces.make(paths, run_context, None)
        disown(paths)
        engine.act(Actor("dev", claimed.run, claimed.token), ReleaseRun())
        yield tools, paths, run_context


def fill_files(folder: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        [(folder / f"empty-{number}").write_bytes(b"") for number in range(10_000)]


@pytest.mark.attack(
    "limits",
    "a run fills the disk, with bytes or with files, and its worker dies before it can make room",
    "what filled the disk is not set aside but removed, and told of: later runs find room again",
)
@pytest.mark.parametrize("fills", [fill, fill_files])
def test_what_filled_the_disk_is_not_set_aside(
    tmp_path: Path, small_disk: MakeDisk, fills: Callable[[Path], object]
) -> None:
    disk = small_disk(tmp_path / "disk", 20_000, 5_000)
    yard = Yard(disk / "yard")
    told: list[WorkerEvent] = []
    with left_by_a_dead_worker(yard, told) as (tools, paths, run_context):
        fills(Path(paths.workspace))
        reclaim(tools)
    assert not os.path.exists(paths.root) and not (disk / "yard/.moot/set-aside").exists()
    words = (
        f"what run {os.path.basename(paths.root)} left was not taken in: it filled the disk, and what it had written "
    )
    assert told[-1].words == f"{words}was removed, so that others can go on"
    assert words in str(yard.show(run_context.item))
    later = [yard.add(name, f"write {name}.txt x", "report done") for name in ("two", "three")]
    yard.run(slots=1)
    assert [yard.status(item) for item in later] == ["done", "done"]
    yard.doctor()
    saw("F22", "what filled the disk is left by a dead worker", "it is removed and told of, others land")
    yard.board.close()


def test_what_little_a_run_has_is_kept_though_others_have_filled_the_disk(tmp_path: Path, small_disk: MakeDisk) -> None:
    disk = small_disk(tmp_path / "disk", 20_000, 5_000)
    yard = Yard(disk / "yard")
    with left_by_a_dead_worker(yard, []) as (tools, paths, run_context):
        (Path(paths.workspace) / "mine.txt").write_text("x")
        filler = fill(disk)
        limits = tools.application.queries.flow().limits
        work, lost = tools.workspaces.harvest(paths, run_context, None, "it", allowed(limits, tools.now, lambda: False))
        assert work is not None and work.aside is not None and "is in .moot/set-aside/" in lost
        assert (disk / "yard" / work.aside / "mine.txt").read_text() == "x"
        filler.unlink()
    yard.board.close()


def test_no_space_for_a_backup(tmp_path: Path, small_disk: MakeDisk) -> None:
    scenes.with_items(tmp_path)
    disk = small_disk(tmp_path / "stick", 16)
    ended = traced.moot(tmp_path, "backup", str(disk / "kept.moot"))
    assert ended.code == 4, ended
    assert list(disk.iterdir()) == []
    assert traced.moot(tmp_path, "backup", str(tmp_path / "kept.moot")).code == 0
    assert scenes.wrong(tmp_path) == []
    saw("F22", "no space for a backup", f"refused as {ended.error}, nothing is left behind, elsewhere it works")


FILLS_THE_BOARD = """
import os, sys, time
path = sys.argv[1]
file = os.open(path, os.O_WRONLY | os.O_CREAT)
try:
    while True:
        os.write(file, bytes(4096))
except OSError:
    pass
for number in range(2000):
    print(f"line {number} " + "x" * 80, flush=True)
time.sleep(2)
os.close(file)
os.unlink(path)
print('{"outcome": "done", "summary": "the disk was full for a while; nothing had to change"}', flush=True)
"""


def test_no_space_for_what_an_agent_prints(tmp_path: Path, small_disk: MakeDisk) -> None:
    """The whole board is on a disk that is full for a while in the middle of a run: it goes on when there is space."""
    (tmp_path / "fills.py").write_text(FILLS_THE_BOARD, "utf-8")
    folder = small_disk(tmp_path / "small", 8192)
    flow = f"""
flow: fills
start: dev
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{command: [{sys.executable}, {tmp_path / "fills.py"}, {folder / "filler"}]}}, write: any}}}}
sandbox: never
"""
    yard = Yard(folder, flow=flow)
    item = yard.add("print on a full disk")
    yard.run()
    assert yard.status(item) == "done", yard.show(item)["why"]
    assert yard.show(item)["runs"][0]["outcome"] == "done"
    assert "line 1999 " in yard.output(yard.show(item)["runs"][0]["run"])
    yard.doctor()
    saw("F22", "no space for the board in the middle of a run", "the run goes on when there is space, doctor green")
    yard.board.close()
