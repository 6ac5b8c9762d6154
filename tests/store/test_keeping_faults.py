"""What is kept is whole, what comes from elsewhere is looked at first, and nothing damaged is lost on the way."""

import gzip
import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from folkmoot.errors import Invalid, MootError, Refused, Unavailable
from folkmoot.store.codec import link
from folkmoot.store.lines import LINE_BYTES_MAX
from folkmoot.store.port import Transaction
from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.backup import backup, exclusive, log
from folkmoot.store.sqlite.backup.archive import Manifest
from folkmoot.store.sqlite.backup.backup import look_into, pack
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.git import SystemGit
from folkmoot.wiring import backups
from folkmoot.worker.git import bundle


def printed(number: int) -> Callable[[Transaction], None]:
    return lambda tx: tx.keep_output(f"r{number}", 1, "x" * 9_000)


def flip_in_log(board: Path) -> None:
    """One bit in the middle of SQLite's log; commits come after it."""
    log_of_it = board.with_name(f"{board.name}-wal")
    data = bytearray(log_of_it.read_bytes())
    page = int.from_bytes(data[8:12], "big")
    frames = (len(data) - 32) // (page + 24)
    data[32 + frames // 2 * (page + 24) + 124] ^= 1
    log_of_it.write_bytes(data)


def cut_short(board: Path, folder: Path) -> Path:
    """The board as a process that was killed leaves it, and then a bit has flipped."""
    folder.mkdir()
    store = SqliteStore.open(board)
    for number in range(8):
        store.transact(printed(number))
    for part in ("", "-wal"):
        shutil.copy(f"{board}{part}", folder)
    store.close()
    left = folder / board.name
    flip_in_log(left)
    return left


def test_a_board_whose_log_of_changes_is_damaged_is_neither_kept_nor_used(board: Path, tmp_path: Path) -> None:
    left = cut_short(board, tmp_path / "left")
    before = {part: Path(f"{left}{part}").read_bytes() for part in ("", "-wal")}
    with pytest.raises(Unavailable) as found, log.reading(str(left)):
        pass
    assert found.value.code == "store_damaged" and "breaks off" in found.value.message
    with pytest.raises(Unavailable, match="breaks off"):
        list(log.export_lines(str(left)))
    with pytest.raises(Unavailable, match="breaks off"), exclusive.alone(str(left)):
        pass
    assert {part: Path(f"{left}{part}").read_bytes() for part in before} == before
    assert exclusive.damage_of_log(str(board)) is None
    # Its bytes are copied, those of the log too; then it may be used up to where it breaks off.
    aside = tmp_path / "aside"
    aside.mkdir()
    exclusive.copy_raw(str(left), str(aside))
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == {
        f"board.db{part}": data for part, data in before.items()
    }
    with exclusive.alone(str(left), proven=False) as connection:
        count: Any = connection.execute("SELECT count(*) FROM output").get
        assert 0 < count < 8


def damage_header(path: Path) -> None:
    """Through SQLite's own file layer: closing a plain file would drop the locks of this process."""
    file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_MAIN_DB, 0])
    file.xWrite(b"\0" * 16, 0)
    file.xClose()


def test_a_file_that_cannot_be_read_is_not_taken_from_who_has_it_open(board: Path, tmp_path: Path) -> None:
    backups.back_up(str(tmp_path), str(tmp_path / "kept.moot"))
    other = SqliteStore.open(board)
    damage_header(board)
    before = board.read_bytes()
    with pytest.raises(Refused) as found:
        backups.restore(str(tmp_path), str(tmp_path / "kept.moot"), None)
    assert found.value.code == "board_in_use" and board.read_bytes() == before
    other.close()
    assert backups.restore(str(tmp_path), str(tmp_path / "kept.moot"), None).set_aside is not None
    SqliteStore.open(board).close()


def test_commands_of_one_millisecond_stay_together(board: Path, tmp_path: Path) -> None:
    """Kept answers tell their millisecond only: between two of it, an effect would come back without its answer."""
    with log.reading(str(board)) as connection:
        rows: Any = connection.execute("SELECT seq, at FROM events").fetchall()
        last = rows[-1][0]
        [before, middle, after] = [last - 2, last - 1, last]
    connection = apsw.Connection(str(board))
    for number, seq in enumerate((before, middle, after)):
        moment = 10**13 + (0, 1, 1)[number]
        connection.execute("UPDATE events SET at = ?, time = ? WHERE seq = ?", (moment, 1e6 + number, seq))
    assert log.cut(connection, middle) == before and log.cut(connection, after) == after
    connection.close()


@pytest.mark.parametrize("head", ["'x', x'', 0.0", "1, 'x', 0.0", "1, x'', NULL"])
def test_a_head_that_is_none_is_damage(board: Path, head: str) -> None:
    connection = apsw.Connection(str(board))
    connection.execute("DROP TABLE board; CREATE TABLE board (id, seq, chain, time)")
    connection.execute(f"INSERT INTO board VALUES (1, {head})")
    connection.close()
    with pytest.raises(Unavailable) as found, log.reading(str(board)) as connection:
        log.prove(connection, str(board))
    assert found.value.code == "store_damaged"


def test_the_newest_backup_is_told_by_its_time(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(board.parent)
    folder = Path(backup.backups_beside("board.db"))
    pack(str(folder / "team.moot"), Manifest(made_at="20260101T000000000Z"), {"board.db": str(board)})
    (folder / "zz.moot").write_bytes(b"no backup")
    (folder / "20260201T000000000Z-3.moot").touch()
    assert faults.newest_backup("board.db") == "backups/20260201T000000000Z-3.moot"
    pack(str(folder / "later.moot"), Manifest(made_at="20260301T000000000Z"), {"board.db": str(board)})
    assert faults.newest_backup("board.db") == "backups/later.moot"


def entry(name: str, data: bytes, kind: bytes = tarfile.REGTYPE, size: int | None = None) -> bytes:
    told = tarfile.TarInfo(name)
    told.size, told.type = len(data) if size is None else size, kind
    return told.tobuf(tarfile.USTAR_FORMAT) + data + b"\0" * (-len(data) % 512)


def extended(**words: str) -> bytes:
    text = b""
    for name, value in words.items():
        rest = f" {name.replace('_', '.')}={value}\n"
        size = next(size for size in range(len(rest), len(rest) + 9) if size == len(rest) + len(str(size)))
        text += f"{size}{rest}".encode()
    return entry("x", text, tarfile.XHDTYPE)


def manifest(size: int = 5, more: bytes = b"") -> bytes:
    member = {"name": "board.db", "size": size, "sha256": sha256(b"hello").hexdigest()}
    told = {"format": "folkmoot-backup", "version": 1, "members": [member]}
    return entry("manifest.json", json.dumps(told).encode()[:-1] + more + b"}")


STORE = entry("board.db", b"hello")
SPARSE = extended(GNU_sparse_map="5,0", GNU_sparse_size="5", GNU_sparse_name="board.db")
KIND = "of a kind that no backup has"
HOSTILE: dict[str, tuple[bytes, str, str]] = {
    "a deep manifest": (manifest(more=b',"x":' + b"[" * 100_000 + b"]" * 100_000) + STORE, "not_a_backup", "recursion"),
    "a map of no numbers": (
        extended(GNU_sparse_map="a,b", GNU_sparse_size="5") + manifest(),
        "backup_damaged",
        "int()",
    ),
    "many headers": (extended(a="b") * 3_000 + manifest(), "backup_damaged", "recursion"),
    "a large header": (entry("x", b"\0" * 2_000_000, tarfile.XHDTYPE) + manifest(), "backup_damaged", KIND),
    "a sparse store": (
        manifest() + SPARSE + entry("board.db", b""),
        "backup_damaged",
        "board.db is missing, or another",
    ),
    "a link": (manifest() + entry("board.db", b"", tarfile.SYMTYPE), "backup_damaged", KIND),
    "more than the disk": (manifest(10**17) + entry("board.db", b"", size=5), "store_full", "has room for"),
    "less than nothing": (manifest(-5) + STORE, "not_a_backup", ">= 0"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_backup_from_anywhere_is_refused_by_name(tmp_path: Path, what: str) -> None:
    data, code, words = HOSTILE[what]
    (tmp_path / "it.moot").write_bytes(gzip.compress(data + b"\0" * 1024, 1))
    with pytest.raises(MootError) as found:
        look_into(str(tmp_path / "it.moot"), str(tmp_path / "out"))
    assert found.value.code == code and words in found.value.message, found.value.message
    assert not any(path.is_file() and path.stat().st_size for path in (tmp_path / "out").rglob("*"))


def test_a_backup_in_the_same_form_is_taken(tmp_path: Path) -> None:
    (tmp_path / "it.moot").write_bytes(gzip.compress(manifest() + STORE + b"\0" * 1024, 1))
    look_into(str(tmp_path / "it.moot"), str(tmp_path / "out"))
    assert (tmp_path / "out" / "board.db").read_bytes() == b"hello"


def change(table: str, edit: Callable[[list[Any]], object]) -> Callable[[list[Any]], None]:
    """Edit the first change of a table in a log."""

    def spoil(events: list[Any]) -> None:
        edit(next(one for event in events for one in event["body"].get("changes", []) if one[0] == table))

    return spoil


def change_last(table: str, edit: Callable[[list[Any]], object]) -> Callable[[list[Any]], None]:
    """Edit the last change of a table: nothing that comes later takes it back."""

    def spoil(events: list[Any]) -> None:
        edit([one for event in events for one in event["body"].get("changes", []) if one[0] == table][-1])

    return spoil


def in_last(**fields: Any) -> Callable[[list[Any]], None]:
    return lambda events: events[-1].update(fields)


DEEP = b'{"context":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
FORGED: dict[str, tuple[Callable[[list[Any]], None], str]] = {
    "a flow of no number": (change("flows", lambda row: row.__setitem__(1, "abc")), "which is no number"),
    "a flow of a huge number": (change("flows", lambda row: row.__setitem__(1, str(2**70))), "which is no number"),
    "a huge number": (change("items", lambda row: row[2].update(generation=2**70)), "no store takes"),
    "another priority": (change("items", lambda row: row[2].update(priority="?")), "Invalid enum value"),
    "an item that never was": (change_last("items", lambda row: row[2].update(after=["99"])), "there is no such item"),
    "the end of time": (in_last(time=1e308), "Expected `float`"),
    "before time": (in_last(time=-5.0), "Expected `float`"),
    "depth": (in_last(body=msgspec.Raw(DEEP)), "recursion"),
}


def forge(lines: list[bytes], spoil: Callable[[list[Any]], None]) -> bytes:
    """A log that says something else, with hashes that fit."""
    events = [json.loads(line) for line in lines[1:-1]]
    spoil(events)
    chain, forged = b"", []
    for event in events:
        body = msgspec.json.encode(event["body"])
        names = ("seq", "at", "time", "event", "item", "run", "agent", "version")
        columns = tuple(float(event[name]) if name == "time" else event[name] for name in names)
        chain = link(chain, columns, body)  # type: ignore[arg-type]
        forged.append(msgspec.json.encode({**event, "hash": chain.hex(), "body": msgspec.Raw(body)}) + b"\n")
    header = {"format": "folkmoot-log", "version": 1, "events": len(events), "head": chain.hex()}
    ending = {"count": len(events), "hash": chain.hex()}
    return b"".join([json.dumps(header).encode() + b"\n", *forged, json.dumps(ending).encode() + b"\n"])


@pytest.mark.parametrize("what", FORGED)
def test_a_log_of_what_cannot_be_is_refused_by_name(board: Path, tmp_path: Path, what: str) -> None:
    spoil, words = FORGED[what]
    folder = tmp_path / "new"
    folder.mkdir()
    text = forge(list(log.export_lines(str(board))), spoil)
    assert len(text) < LINE_BYTES_MAX
    with pytest.raises(Invalid) as found:
        backups.import_log(str(folder), str(folder / ".moot"), io.BytesIO(text), "it")
    assert found.value.code == "bad_log" and words in found.value.message, found.value.message
    assert os.listdir(folder) == []


@pytest.mark.parametrize("part", ["-wal", "-journal"])
def test_no_board_is_taken_in_beside_what_another_left(board: Path, tmp_path: Path, part: str) -> None:
    home = tmp_path / "new" / ".moot"
    home.mkdir(parents=True)
    (home / f"board.db{part}").write_bytes(b"left behind")
    with pytest.raises(Refused) as found:
        backups.import_log(str(home.parent), str(home), io.BytesIO(), "it")
    assert found.value.code == "board_exists" and f"board.db{part}" in found.value.message
    assert os.listdir(home) == [f"board.db{part}"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "repo.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return path


def commit(repository: Path, words: str, ref: str) -> str:
    """A commit without a parent, and a ref that is at it."""
    who = "somebody <somebody@example.invalid> 0 +0000"
    git, where = SystemGit(), str(repository)
    tree = git("hash-object", "-t", "tree", "-w", "--stdin", git_dir=where).out.decode().strip()
    text = f"tree {tree}\nauthor {who}\ncommitter {who}\n\n{words}\n".encode()
    made = git("hash-object", "-t", "commit", "-w", "--stdin", git_dir=where, stdin=text).out.decode().strip()
    git("update-ref", ref, made, git_dir=where)
    return made


def test_commits_of_items_are_kept_wherever_their_refs_went(repository: Path, tmp_path: Path) -> None:
    git, file, new = SystemGit(), str(tmp_path / "work.bundle"), str(tmp_path / "new.git")
    then = commit(repository, "then", "refs/moot/items/1")
    now = commit(repository, "now", "refs/moot/items/1")
    heads = {"1": then, "2": "a" * 40}
    assert bundle.pack(git, str(repository), file, heads) == (1, ["2"])
    refs = bundle.unpack(git, new, file, "sha1", [])
    assert refs == {"refs/moot/items/1": now} and bundle.missing(git, new, heads) == ["2"]
    assert bundle.hold(git, new, refs, heads, "mark") == ["2"]
    assert git("rev-parse", "refs/moot/items/1", git_dir=new).out.decode().strip() == then
    assert sorted(path.name for path in tmp_path.glob("new.git*")) == ["new.git"]


def test_a_restore_that_comes_to_no_end_moves_no_ref(
    board: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = commit(repository, "then", "refs/moot/items/1")
    kept = str(tmp_path / "kept.moot")
    backups.back_up(str(tmp_path), kept)
    now = commit(repository, "now", "refs/moot/items/1")

    def where() -> str:
        return SystemGit()("rev-parse", "refs/moot/items/1", git_dir=str(repository)).out.decode().strip()

    def full(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(exclusive, "put_in_place", full)
        with pytest.raises(Unavailable) as found:
            backups.restore(str(tmp_path), kept, None)
    assert found.value.code == "store_full" and where() == now
    backups.restore(str(tmp_path), kept, None)
    assert where() == then
