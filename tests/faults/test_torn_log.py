"""SQLite's own log, cut or overwritten at any place: whole commits or a refusal, never half of one (F25b, F26)."""

import random
import shutil
from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from folkmoot.testing.scribe import Scribe
from tests.faults.witness import saw

HEADER, FRAME = 32, 4096 + 24


class Torn:
    """A board whose last commits stand only in its log, and a copy of it to harm."""

    def __init__(self, place: Path) -> None:
        self.board, self.copy = place / "board.db", place / "copy.db"
        store = SqliteStore.create(self.board)
        scribe = Scribe(store, random.Random(5))
        self.commits = [(0, 0)]  # how long the log was when the head stood at which event
        for _ in range(25):
            scribe.step()
            self.commits.append((self.length, store.read(lambda reading: reading.head()).seq))
        self.database, self.log = self.board.read_bytes(), Path(f"{self.board}-wal").read_bytes()
        store.close()

    @property
    def length(self) -> int:
        return Path(f"{self.board}-wal").stat().st_size

    def whole(self, offset: int) -> int:
        """The event at which the head stood when no more than this was written."""
        return max(seq for length, seq in self.commits if length <= offset)

    def read(self, log: bytes) -> int | str:
        """Where the head stands of a board with this log, or the code of the refusal."""
        self.copy.write_bytes(self.database)
        for ending in ("-shm", "-wal"):
            Path(f"{self.copy}{ending}").unlink(missing_ok=True)
        Path(f"{self.copy}-wal").write_bytes(log)
        try:
            store = SqliteStore.open(self.copy, durable=False)
        except Unavailable as error:
            assert Path(f"{self.copy}-wal").read_bytes() == log, "what is refused stays as it is"
            return error.code
        try:
            assert store.broken_links() == []
            store.read(store_contract.log_folds_to_rows)
            return store.read(lambda reading: reading.head()).seq
        finally:
            store.close()


@pytest.fixture(scope="module")
def torn(tmp_path_factory: pytest.TempPathFactory) -> Torn:
    return Torn(tmp_path_factory.mktemp("torn"))


def cut_at(torn: Torn, step: int, seed: int) -> int:
    chance = random.Random(seed)
    offsets = range(chance.randrange(step), len(torn.log), step)
    for offset in offsets:
        assert torn.read(torn.log[:offset]) == torn.whole(offset), f"cut at {offset}"
        rest = len(torn.log) - offset
        assert torn.read(torn.log[:offset] + chance.randbytes(rest)) == torn.whole(offset), f"garbage from {offset}"
    return 2 * len(offsets)


@pytest.mark.ledger("R-31")
def test_a_torn_log_is_read_up_to_its_last_whole_commit(torn: Torn) -> None:
    tears = cut_at(torn, 19973, 1)
    saw("F25b", "cut, and garbage from there on", "the whole commits before it, doctor green", tears=tears)


@pytest.mark.slow
def test_torn_at_every_997_bytes(torn: Torn) -> None:
    tears = cut_at(torn, 997, 2)
    saw("F25b", "cut, and garbage from there on", "the whole commits before it, doctor green", tears=tears)


def flipped(torn: Torn, count: int, seed: int) -> dict[str, int]:
    """A flip in a commit with others behind it is damage; in the last one it looks like a commit not finished."""
    chance = random.Random(seed)
    last = max(length for length, seq in torn.commits if seq < torn.commits[-1][1])
    found = {"flips": count, "refused": 0, "unseen in the last commit": 0, "nothing changed": 0}
    for _ in range(count):
        place = chance.randrange(len(torn.log))
        log = bytearray(torn.log)
        log[place] ^= 1 << chance.randrange(8)
        seen = torn.read(bytes(log))
        if seen == "store_damaged":
            found["refused"] += 1
        elif seen == torn.commits[-1][1]:
            found["nothing changed"] += 1
        else:
            assert place >= last, f"a flip at {place} of {last} took commits with it, and nobody said so: {seen}"
            found["unseen in the last commit"] += 1
    return found


FLIPPED = "refused as store_damaged wherever another commit comes behind it, the log untouched"


def test_a_flipped_bit_in_the_log_is_no_torn_tail(torn: Torn) -> None:
    saw("F26", "flipped bits in SQLite's log", FLIPPED, **flipped(torn, 40, 1))


@pytest.mark.slow
def test_many_flipped_bits_in_the_log(torn: Torn) -> None:
    saw("F26", "flipped bits in SQLite's log", FLIPPED, **flipped(torn, 600, 2))


def test_a_log_that_restarts_under_readers_is_no_damage(tmp_path: Path) -> None:
    """Old frames behind new ones, and a log that begins again while others look, are everyday life."""
    path = tmp_path / "board.db"
    store = SqliteStore.create(path)
    scribe = Scribe(store, random.Random(6))
    for number in range(30):
        scribe.step()
        if number % 7 == 0:
            store._connection.execute(f"PRAGMA wal_checkpoint({('RESTART', 'PASSIVE')[number % 2]})").fetchall()
        SqliteStore.open(path).close()
        shutil.copy(path, tmp_path / "copy.db")
        shutil.copy(f"{path}-wal", tmp_path / "copy.db-wal")
        SqliteStore.open(tmp_path / "copy.db").close()
    store.close()
