"""What stands in the place of a board's own files: each has a name, or does no harm; nothing ends in a traceback."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.store.sqlite.store import SqliteStore
from tests.acceptance.moot import new_board
from tests.faults import traced

SIZES = range(40)
PLACES = ["board.db", "board.db-wal", "board.db-shm", "board.db-gate", "flow.yaml"]


def opened(path: Path) -> str:
    """The code of the refusal, or nothing if the store can be used."""
    try:
        store = SqliteStore.open(path)
    except Unavailable as fault:
        return fault.code
    store.read(lambda reading: reading.head())
    store.close()
    return ""


@pytest.mark.attack(
    "damage",
    "The store's log of changes (-wal) is shorter than its own header, or holds a few bytes of anything.",
    "The board opens with what was folded in, or is refused by name; there is no traceback.",
)
@pytest.mark.parametrize("ending", ["-wal", "-shm"])
@pytest.mark.parametrize("fill", [b"\0", b"\x37", b"\xff"])
def test_a_log_of_any_small_size_is_no_surprise(tmp_path: Path, ending: str, fill: bytes) -> None:
    path = tmp_path / "board.db"
    SqliteStore.create(path).close()
    for size in SIZES:
        Path(f"{path}{ending}").write_bytes(fill * size)
        assert opened(path) in ("", "store_damaged", "store_failed"), size


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def seven_bytes(path: Path) -> None:
    path.write_bytes(b"\x377\x7f\x06\x82\0\0")


@pytest.mark.attack(
    "damage",
    "A folder, a pipe, a loop of links, nothing or a few bytes stand in the place of one of the board's files.",
    "Each is named in an error with exit 4, or does no harm; no command waits for ever, none ends in a traceback.",
)
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("put", [folder, pipe, loop, nothing, seven_bytes])
def test_every_damaged_file_has_a_name(tmp_path: Path, name: str, put: Callable[[Path], None]) -> None:
    moot = new_board(tmp_path)
    moot("add", "x", "--column", "dev")
    place = tmp_path / ".moot" / name
    place.unlink(missing_ok=True)
    put(place)
    for command in ("list", "doctor"):
        ran = traced.moot(tmp_path, command)
        assert ran.code in (0, 4), (command, ran)
        assert ran.code == 0 or ran.error, (command, ran)
        assert "Traceback" not in ran.err, (command, ran)
