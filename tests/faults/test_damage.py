"""Bits that flip, pages that are gone, files of another day: what changes the board is found and named (F26)."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot.errors import MootError
from folkmoot.store.sqlite.store import SqliteStore
from tests.acceptance.moot import Moot
from tests.faults import scenes, traced
from tests.faults.witness import saw

PAGE = 4096
BESIDE = {"keys", "output"}
REFUSED = {"store_damaged", "not_a_board", "store_differs", "store_newer"}


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with something in most tables, closed, so that all of it is in one file."""
    folder = tmp_path_factory.mktemp("board")
    grow(folder, 3)
    return folder


def grow(folder: Path, rounds: int) -> None:
    moot = scenes.with_items(folder)
    for number in range(rounds):
        moot("add", f"more {number}", "--column", "dev")
        moot.report(moot("claim", "dev-agent"), "done" if number % 2 else "failed", summary="so it is")
        moot("comment", "1", "a remark")
        moot("add", f"waits {number}", "--after", "1", "--key", f"k{number}")
    moot.report(moot("claim", "review-agent"), "asks", question={"question": "Which?", "options": ["a", "b"]})
    moot("lock", "src/x.py")


def meant(row: tuple[Any, ...]) -> list[Any]:
    """A document by its values: the last digit of 3600.0461415300015 can be another, and the number is the same."""
    values: list[Any] = []
    for value in row:
        try:
            values.append(json.loads(value) if isinstance(value, str) and value.startswith("{") else value)
        except ValueError:
            values.append(value)
    return values


class Patient:
    """A copy of a board that may be harmed, and what the doctor and a reader find."""

    def __init__(self, board: Path, folder: Path) -> None:
        self.folder, self.path = folder, folder / scenes.STORE
        self.path.parent.mkdir(parents=True)
        self.content = (board / scenes.STORE).read_bytes()
        self.whole = self.read(self.content)

    def lay(self, content: bytes) -> None:
        for ending in ("-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)
        self.path.write_bytes(content)

    def read(self, content: bytes) -> Any:
        """What every value of every table means, whatever our own code makes of it; and how SQLite finds the file.

        Left out are the answers kept for repeated commands and what agents printed: these stand beside the log.
        """
        self.lay(content)
        try:
            connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                names: Any = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
                covered = [name for (name,) in names if name not in BESIDE]
                tables = {name: [*map(meant, connection.execute(f'SELECT * FROM "{name}"'))] for name in covered}
                return tables, connection.execute("PRAGMA integrity_check").fetchall()
            finally:
                connection.close()
        except (apsw.Error, UnicodeDecodeError) as fault:
            return type(fault).__name__

    def found(self, content: bytes) -> str:
        """How the damage is told: by the refusal to open it, by the doctor, or not at all."""
        self.lay(content)
        try:
            return "doctor" if scenes.wrong(self.folder) else ""
        except MootError as error:
            refusal = error
        assert refusal.code in REFUSED, refusal.code
        assert "backup" in refusal.hint or refusal.code in ("not_a_board", "store_newer"), refusal.hint
        return refusal.code


@pytest.fixture
def patient(board: Path, tmp_path: Path) -> Patient:
    return Patient(board, tmp_path / "patient")


def flips(patient: Patient, count: int, seed: int) -> dict[str, int]:
    chance = random.Random(seed)
    told = {"flips": count, "changed something": 0, "refused at opening": 0, "found by the doctor": 0}
    for _ in range(count):
        place, bit = chance.randrange(len(patient.content)), chance.randrange(8)
        content = bytearray(patient.content)
        content[place] ^= 1 << bit
        if patient.read(bytes(content)) == patient.whole:
            continue
        told["changed something"] += 1
        how = patient.found(bytes(content))
        assert how, f"bit {bit} of byte {place} was read and not found (seed {seed})"
        told["found by the doctor" if how == "doctor" else "refused at opening"] += 1
    return told


FLIPPED = "every flip that changes the log or a row is refused or found by the doctor"


@pytest.mark.ledger("R-31")
def test_some_flipped_bits_are_found(patient: Patient) -> None:
    saw("F26", "flipped bits in the store", FLIPPED, **flips(patient, 120, 1))


@pytest.mark.slow
def test_many_flipped_bits_on_a_larger_board_are_found(tmp_path: Path) -> None:
    (tmp_path / "board").mkdir()
    grow(tmp_path / "board", 40)
    saw("F26", "flipped bits in the store", FLIPPED, **flips(Patient(tmp_path / "board", tmp_path / "p"), 1000, 2))


def test_a_name_that_nobody_has_written_is_found(patient: Patient) -> None:
    """Whoever reads the row passes over it, and where its value was the usual one, reads what was written."""
    at = patient.content.rindex(b'"effort":{}')
    content = bytearray(patient.content)
    content[at + 4] ^= 16
    assert patient.found(bytes(content)) == "doctor"


def test_a_flow_whose_version_is_no_number_is_found(patient: Patient) -> None:
    content = bytearray(patient.content)
    content[content.index(b'{"id":"1","flow":') + 7] ^= 16
    assert patient.found(bytes(content)) == "doctor"


@pytest.mark.parametrize("bit", [1, 128])
def test_a_flip_in_the_name_of_a_migration_is_found(patient: Patient, bit: int) -> None:
    content = bytearray(patient.content)
    content[content.index(b"0001_first")] ^= bit
    assert patient.found(bytes(content)) == "store_differs"


def test_the_last_events_are_proved_at_every_opening(patient: Patient) -> None:
    """A flip in what was written last is not only for the doctor."""
    bodies = last_bodies(patient.path)
    for body in bodies:
        place = patient.content.index(body)
        content = bytearray(patient.content)
        content[place + len(body) // 2] ^= 4
        assert patient.found(bytes(content)) == "store_damaged"
    saw(
        "F26",
        "a flip in one of the last events",
        "refused as store_damaged, and the backup is named",
        events=len(bodies),
    )


def last_bodies(path: Path) -> list[bytes]:
    connection = apsw.Connection(str(path))
    rows: Any = connection.execute("SELECT body FROM events ORDER BY seq DESC LIMIT 8").fetchall()
    connection.close()
    return [body.encode()[:300] for (body,) in rows]


def test_a_store_cut_short_is_refused(patient: Patient) -> None:
    lengths = [0, 1, 99, PAGE - 1, PAGE, *range(2 * PAGE, len(patient.content), 9 * PAGE), len(patient.content) - 1]
    seen = {length: patient.found(patient.content[:length]) for length in lengths}
    assert all(seen.values()), seen
    saw("F26", "the store cut short", "refused as not_a_board or store_damaged", cuts=len(lengths))


def test_a_page_of_zeros_is_found(patient: Patient) -> None:
    pages = range(len(patient.content) // PAGE)
    changed = 0
    for page in pages:
        content = patient.content[: page * PAGE] + bytes(PAGE) + patient.content[(page + 1) * PAGE :]
        if patient.read(content) != patient.whole:
            changed += 1
            assert patient.found(content), f"page {page}"
    saw("F26", "a page of zeros", "refused, or found by the doctor", pages=changed)


def test_an_older_store_under_a_newer_log_is_found(board: Path, patient: Patient) -> None:
    """Somebody brings back a copy of the store, and the log of the newer one stays beside it."""
    old = patient.content
    moot = Moot(patient.folder)
    patient.lay(old)
    with_checkpoint(patient.path, lambda: [moot("add", f"later {number}") for number in range(12)])
    store = SqliteStore.open(patient.path)
    for number in range(3):
        moot("add", f"last {number}")
    log = Path(f"{patient.path}-wal").read_bytes()
    store.close()
    patient.lay(old)
    Path(f"{patient.path}-wal").write_bytes(log)
    try:
        how = "doctor" if scenes.wrong(patient.folder) else ""
    except MootError as error:
        how = error.code
    assert how in ("doctor", "store_damaged")
    saw("F26", "an older store under a newer log", "refused as store_damaged, or found by the doctor")


def with_checkpoint(path: Path, work: Any) -> None:
    """Do it, and have it all in the store and nothing in its log."""
    work()
    connection = apsw.Connection(str(path))
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()


def test_a_store_without_its_log_is_the_board_of_the_last_checkpoint(board: Path, patient: Patient) -> None:
    """Whoever deletes SQLite's log takes away what only it held. The rest is sound; nothing beside it knows of more."""
    patient.lay(patient.content)
    moot = Moot(patient.folder)
    before = scenes.last_seq(patient.folder)
    store = SqliteStore.open(patient.path)
    moot("add", "in the log only")
    content = patient.path.read_bytes()
    store.close()
    patient.lay(content)
    assert scenes.last_seq(patient.folder) == before
    assert scenes.wrong(patient.folder) == []
    saw(
        "F26",
        "the log deleted by somebody",
        "the board of the last checkpoint, doctor green; what the log held is gone",
    )


def test_a_damaged_board_is_told_at_the_command_line(board: Path, tmp_path: Path) -> None:
    """Exit 4, the code, and where to go from here; the file stays as it is."""
    folder = tmp_path / "told"
    shutil.copytree(board, folder)
    path = folder / scenes.STORE
    body = last_bodies(path)[0]
    content = path.read_bytes().replace(body, b" " * len(body))
    path.write_bytes(content)
    for words in (["list"], ["add", "x"], ["claim", "dev-agent"]):
        ended = traced.moot(folder, *words)
        assert (ended.code, ended.error) == (4, "store_damaged"), ended
        assert "backup" in ended.err
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE items SET queue = 'nobody' WHERE number = 4",
        "UPDATE items SET status = 'done' WHERE number = 4",
        "UPDATE runs SET lease_until = lease_until + 1",
        "UPDATE questions SET state = 'answered'",
        "UPDATE holds SET held = 0",
        "DELETE FROM edges",
        "UPDATE keys SET answer = CAST('{' AS BLOB)",
    ],
)
def test_a_column_that_does_not_say_what_its_document_says_is_found(patient: Patient, harm: str) -> None:
    """Claims and lists go by the columns; no hash covers them."""
    patient.lay(patient.content)
    connection = apsw.Connection(str(patient.path))
    connection.execute(harm).fetchall()
    assert connection.changes() > 0
    connection.close()
    assert scenes.wrong(patient.folder)
