"""The power goes at any moment: what was acknowledged is there afterwards, and the doctor is content (F25)."""

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot import Board
from folkmoot.errors import MootError
from folkmoot.testing.in_json import in_json
from tests.acceptance.crowd import kept
from tests.acceptance.moot import Moot
from tests.faults import scenes
from tests.faults.forgetful import PAGE, File, Folder, keep
from tests.faults.power import Machine
from tests.faults.witness import saw

MOOT = (sys.executable, "-m", "folkmoot")
WHOLE = "0 acknowledged changes lost, doctor green"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.close()


def lost(folder: Path, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was acknowledged and is not there."""
    with Board.open(str(folder)) as board:
        return [ack for ack in told if not found(board, ack)]


def found(board: Board, ack: dict[str, Any]) -> bool:
    try:
        return kept(ack, in_json(board.show(ack["item"])))
    except MootError:
        return False


def cuts(machine: Machine, count: int, seed: int) -> dict[str, int]:
    """Writers on a board, the power cut under them again and again; half the cuts leave torn writes behind."""
    chance = random.Random(seed)
    scenes.with_items(machine.kept)
    acks: list[dict[str, Any]] = []
    for number in range(count):
        machine.start()
        for writer in range(2):
            machine.writer(f"w{number}-{writer}", chance.randrange(10**9))
        while machine.told() < 4:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.4))
        told = machine.cut(chance.randrange(10**9) if number % 2 else None)
        assert lost(machine.kept, told) == [], f"cut {number} of seed {seed}"
        assert scenes.wrong(machine.kept) == [], f"cut {number} of seed {seed}"
        acks += told
    assert lost(machine.kept, acks) == [], f"seed {seed}"
    return {"cuts": count, "acknowledged": len(acks)}


@pytest.mark.ledger("R-31")
def test_some_power_cuts_lose_nothing_that_was_acknowledged(machine: Machine) -> None:
    saw("F25", "the power cut under two writers", WHOLE, **cuts(machine, 6, 1))


@pytest.mark.slow
@pytest.mark.ledger("R-31")
def test_a_hundred_power_cuts_lose_nothing_that_was_acknowledged(machine: Machine) -> None:
    saw("F25", "the power cut under two writers", WHOLE, **cuts(machine, 100, 2))


def test_a_store_that_does_not_sync_is_seen_to_lose(machine: Machine) -> None:
    """The same cut, and the oracle finds what is lost: it is not blind."""
    scenes.with_items(machine.kept)
    machine.start()
    machine.writer("fleeting", 3, "fleeting")
    while machine.told() < 8:
        time.sleep(0.01)
    acks = machine.cut(None)
    gone = lost(machine.kept, acks)
    assert len(gone) == len(acks)
    saw("F25", "the same with a store that does not sync", "every acknowledged change lost: the test can see it")


@pytest.fixture
def new_board(machine: Machine) -> Path:
    """What a power cut leaves of a board that `moot init` said is there."""
    machine.start()
    assert machine.run(*MOOT, "init").returncode == 0
    assert machine.run(*MOOT, "add", "first").returncode == 0
    machine.cut(None)
    return machine.kept


def test_the_store_of_a_new_board_survives(new_board: Path) -> None:
    assert scenes.wrong(new_board) == []
    assert scenes.last_seq(new_board) > 1
    saw("F25", "the power cut after `moot init`: the store", "there, whole, doctor green")


def test_the_flow_and_the_prompts_of_a_new_board_survive(new_board: Path) -> None:
    files = [path for path in (new_board / ".moot").rglob("*") if path.is_file() and "board.db" not in path.name]
    assert [path.name for path in files if not path.stat().st_size] == []
    assert {"flow.yaml", "coder.md", ".gitignore"} <= {path.name for path in files}
    saw("F25", "the power cut after `moot init`: the flow and the prompts", "there, whole")


@pytest.mark.parametrize(
    "place",
    [
        "copy.moot",
        "",
    ],
)
def test_a_backup_survives(machine: Machine, tmp_path: Path, place: str) -> None:
    """In a place the user names, and where backups lie by themselves."""
    scenes.with_items(machine.kept)
    before = scenes.last_seq(machine.kept)
    machine.start()
    assert machine.run(*MOOT, "backup", *([place] if place else [])).returncode == 0
    machine.cut(None)
    (backup,) = machine.kept.rglob("?*.moot")
    assert backup.is_file()
    folder = tmp_path / "restored"
    folder.mkdir()
    Moot(folder)("restore", str(backup))
    assert scenes.last_seq(folder) == before
    assert scenes.wrong(folder) == []
    what = "where the user names it" if place else "beside the board"
    saw("F25", f"the power cut after `moot backup` {what}", "the backup is there, whole, and can be restored")


def test_the_disk_forgets_what_was_not_synced(tmp_path: Path) -> None:
    """The file system itself: only a sync keeps content, only the folder's sync keeps a name."""
    root, file = Folder(0o700), File(0o600)
    root.now["a"] = file
    root.changed()
    file.write(b"x" * (2 * PAGE), 0)
    assert root.survives(None) == {} and file.survives(None) == b""
    root.sync()
    assert file.survives(None) == b"", "a name that is safe says nothing of the content"
    file.sync()
    file.write(b"y" * (2 * PAGE), 0)
    file.resize(3 * PAGE)
    assert file.survives(None) == b"x" * (2 * PAGE)
    seen = {file.survives(random.Random(seed)) for seed in range(200)}
    old, new, zero = b"x" * PAGE, b"y" * PAGE, bytes(PAGE)
    assert seen == {first + second + rest for first in (old, new) for second in (old, new) for rest in (b"", zero)}
    file.resize(PAGE // 2)
    file.sync()
    file.resize(3 * PAGE)
    file.sync()
    file.resize(PAGE // 2)
    file.write(b"z", 2 * PAGE)
    half, rest = b"y" * (PAGE // 2), bytes(PAGE // 2)
    torn = {file.survives(random.Random(seed)) for seed in range(300)}
    assert {len(content) for content in torn} == {PAGE // 2, 2 * PAGE, 2 * PAGE + 1, 3 * PAGE}
    assert all((half + rest + zero + zero).startswith(content.replace(b"z", b"\0")) for content in torn), (
        "none is moved"
    )
    file.write(new + new + zero, 0)
    file.sync()
    root.now["b"] = root.now.pop("a")
    root.changed()
    assert {tuple(root.survives(random.Random(seed))) for seed in range(20)} == {("a",), ("b",)}
    keep(root, str(tmp_path / "kept"), None)
    assert (tmp_path / "kept" / "a").read_bytes() == new + new + zero
