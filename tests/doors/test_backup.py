"""Backup, restore, export and import, as people use them."""

import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot import Board
from folkmoot.errors import Invalid, Refused
from folkmoot.store.codec import link
from folkmoot.store.lines import write_lines
from folkmoot.store.sqlite.backup import exclusive, log
from folkmoot.system.clock import SystemClock
from folkmoot.wiring.files.locating import OWN
from folkmoot.wiring.remote import RemoteBoards
from folkmoot.wiring.users_files import BringBack
from folkmoot.worker.workspaces import run_paths
from tests.doors.conftest import Moot, environment
from tests.worker.yard import Yard

pytestmark = pytest.mark.embedded("a board in a file is kept and brought back by moot, one on a server by the server")

DONE = '{"outcome": "done", "summary": "It is done."}'


def spoil(moot: Moot, statement: str) -> None:
    connection = apsw.Connection(str(moot.folder / ".moot" / "board.db"))
    connection.execute(statement).fetchall()
    connection.close()


def git(folder: Path, *args: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    names = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.invalid")
    ran = subprocess.run(["git", *names, *args], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def events(moot: Moot) -> list[Any]:
    return list(moot.json("log")["events"])


def elsewhere(moot: Moot) -> Moot:
    """The same hands in another folder, which has no board."""
    folder = moot.folder.parent / f"{moot.folder.name}-other"
    folder.mkdir()
    return Moot(folder, moot._capsys, moot._patch)


def test_a_board_is_kept_and_comes_back(moot: Moot) -> None:
    moot("add", "One", "--key", "k")
    claim = moot.json("claim", "story-agent")
    kept = moot.json("backup")
    assert kept["seq"] == kept["events"] == len(events(moot)) and kept["missing"] == []
    file = moot.folder / kept["path"]
    assert file.parent == moot.folder / ".moot" / "backups" and file.stat().st_size == kept["size"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    moot("report", claim["run"], "--token", "1", "-", stdin=DONE)
    later = moot.json("claim", "architect-agent")
    moot("add", "Two", "--key", "lost")
    back = moot.json("restore")
    assert back["from"] == kept["path"] and back["at"] == kept["seq"] and back["ended_runs"] == [claim["run"]]
    assert [event["event"] for event in events(moot)[kept["seq"] :]] == ["run_released", "item_ready"]
    assert [item["title"] for item in moot.json("list")["items"]] == ["One"]
    moot("doctor")
    # No claim from before can write: neither one that was open then, nor one of the time that is no more.
    answer = moot("report", claim["run"], "--token", "1", "-", "--json", stdin=DONE, code=1)
    assert answer.error["code"] == "stale_claim"
    answer = moot("report", later["run"], "--token", str(later["token"]), "-", "--json", stdin=DONE, code=2)
    assert answer.error["code"] == "unknown_run"
    again = moot.json("claim", "story-agent")
    assert again["run"] not in (claim["run"], later["run"])
    # What was answered then is answered so again; what was lost is done anew.
    assert moot.json("add", "One", "--key", "k")["id"] == "1"
    assert moot.json("add", "Two", "--key", "lost")["id"] == "2" and len(moot.json("list")["items"]) == 2


def test_a_restore_can_be_undone_by_its_own_backup(moot: Moot) -> None:
    moot("add", "One")
    before = events(moot)
    back = moot.json("restore", "--at", "2")
    assert back["from"] is None and back["at"] == 2 and moot.json("list")["items"] == []
    answer = moot("restore")
    assert f"from {back['backup']}" in " ".join(answer.out.split())
    assert events(moot) == before
    moot("doctor")


def test_an_answer_comes_back_only_with_what_it_tells_of(moot: Moot) -> None:
    moot("add", "One", "--key", "kept")
    moot("add", "Two", "--key", "lost")
    moot("restore", "--at", "4")
    for title, key in (("One", "kept"), ("Two", "lost")):
        moot("add", title, "--key", key)
    assert [item["title"] for item in moot.json("list")["items"]] == ["One", "Two"]


def test_an_event_in_the_middle_of_a_command_means_before_it(moot: Moot) -> None:
    moot("add", "One")
    moot("add", "Two")
    assert [event["event"] for event in events(moot)[4:]] == ["item_added", "item_moved"]
    assert moot.json("restore", "--at", "5")["at"] == 4
    assert [item["title"] for item in moot.json("list")["items"]] == ["One"]
    assert moot("restore", "--at", "9", "--json", code=2).error["code"] == "unknown_event"
    assert moot("restore", "--at", "1", "--json", code=2).error["message"].endswith("by the events 1 to 2")
    assert len(events(moot)) == 4
    # What was refused has left nothing behind.
    assert len(list((moot.folder / ".moot" / "backups").glob("*.moot"))) == 1
    assert not [name for name in os.listdir(moot.folder / ".moot") if name.startswith((".restore", "set-aside"))]


def test_what_agents_printed_travels_in_a_backup(moot: Moot) -> None:
    moot("add", "One")
    claim = moot.json("claim", "story-agent")
    rows = f"('{claim['run']}', 0, 'so it goes'), ('of nobody', 0, 'lost')"
    spoil(moot, f"INSERT INTO output (run, part, text) VALUES {rows}")
    moot("backup", "kept.moot")
    other = elsewhere(moot)
    other("restore", str(moot.folder / "kept.moot"))
    assert "so it goes" in json.dumps(other.json("output", claim["run"]))


def test_a_file_is_never_replaced(moot: Moot) -> None:
    (moot.folder / "kept.moot").write_text("mine")
    assert moot("backup", "kept.moot", "--json", code=1).error["code"] == "file_exists"
    assert moot("export", "kept.moot", "--json", code=1).error["code"] == "file_exists"
    assert (moot.folder / "kept.moot").read_text() == "mine"
    assert moot("backup", "no/where.moot", "--json", code=4).error["code"] == "backup_failed"
    (moot.folder / "safe").mkdir()
    assert Path(moot.json("backup", "safe")["path"]).parent == Path("safe")


TWO_STAGES = """
flow: two
start: dev
columns:
  dev: {agents: [dev], next: look}
  look: {agents: [eye], next: done}
agents:
  dev: {write: own, run: {command: ACTOR}}
  eye: {write: none}
"""


def test_a_board_moves_to_another_folder_with_its_work(nowhere: Moot, tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=TWO_STAGES)
    item = yard.add("one", "write one.txt made by one", "report done")
    yard.run()
    moot = Moot(yard.folder, nowhere._capsys, nowhere._patch)
    at = yard.board._application.queries.last()
    [head] = git(
        yard.folder / ".moot" / "repo.git", "for-each-ref", "--format=%(objectname)", "refs/moot/items"
    ).split()
    yard.board.close()
    flow = (yard.folder / ".moot" / "flow.yaml").read_text()
    assert moot.json("backup", "kept.moot")["work"] is True
    other = elsewhere(moot)
    back = other.json("restore", str(yard.folder / "kept.moot"))
    assert "flow.yaml" in back["files"] and back["backup"] is back["set_aside"] is None and back["missing"] == []
    home = other.folder / ".moot"
    assert (home / "flow.yaml").read_text() == flow and back["at"] == at
    assert git(home / "repo.git", "show", f"refs/moot/items/{item}:one.txt") == "made by one"
    assert other.json("show", item)["column"] == "look"
    assert other("board").err == ""
    # Whatever became of the ref since, a restore brings it back to where the row says, and keeps what was there.
    base = git(home / "repo.git", "rev-parse", "refs/moot/target/main")
    git(home / "repo.git", "update-ref", f"refs/moot/items/{item}", base)
    assert other.json("restore", "--at", str(at))["missing"] == []
    refs = git(home / "repo.git", "for-each-ref", "--format=%(refname) %(objectname)", "refs/moot").splitlines()
    assert f"refs/moot/items/{item} {head}" in refs
    assert [ref for ref in refs if ref.startswith("refs/moot/set-aside/") and ref.endswith(base)]
    shutil.rmtree(home / "repo.git")
    assert other.json("restore", "--at", str(at))["missing"] == [item]
    other("doctor")


def test_a_history_that_was_cut_off_stays_readable(moot: Moot) -> None:
    long = moot.folder / "long"
    long.mkdir()
    git(long, "init", "-q", "-b", "main", ".")
    for words in ("one", "two", "three"):
        git(long, "commit", "-q", "--allow-empty", "-m", words)
    repository = moot.folder / ".moot" / "repo.git"
    git(moot.folder, "clone", "-q", "--bare", "--depth", "2", f"file://{long}", str(repository))
    git(repository, "update-ref", "refs/moot/items/1", "HEAD")
    moot("backup", "kept.moot")
    other = elsewhere(moot)
    other("restore", str(moot.folder / "kept.moot"))
    there = other.folder / ".moot" / "repo.git"
    assert git(there, "log", "--format=%s", "refs/moot/items/1").split() == ["three", "two"]
    other("restore", str(moot.folder / "kept.moot"))
    assert len((there / "shallow").read_text().split()) == 1


def test_commits_that_are_gone_are_named(moot: Moot) -> None:
    moot("add", "One")
    fields = {"head": "a" * 40}
    connection = apsw.Connection(str(moot.folder / ".moot" / "board.db"))
    row: Any = connection.execute("SELECT doc FROM items WHERE number = 1").get
    connection.execute("UPDATE items SET doc = ? WHERE number = 1", (json.dumps(json.loads(row) | fields),))
    connection.close()
    kept = moot.json("backup")
    assert kept["missing"] == ["1"]
    assert "commits of 1 item are not in the repository: 1" in " ".join(moot("backup").out.split())


def test_the_users_files_that_differ_are_set_aside(moot: Moot) -> None:
    moot("backup", ".moot/prompts/kept.moot")
    moot("backup", "kept.moot")
    with tarfile.open(moot.folder / "kept.moot") as tar:
        names = tar.getnames()
    assert "files/prompts/dev-agent.md" in names and not [name for name in names if name.endswith(".moot")]
    flow = moot.folder / ".moot" / "flow.yaml"
    was = flow.read_text()
    flow.write_text("# mine, and not saved anywhere\n")
    back = moot.json("restore", "kept.moot")
    assert back["files"] == ["flow.yaml"] and flow.read_text() == was
    assert (moot.folder / back["set_aside"] / "flow.yaml").read_text() == "# mine, and not saved anywhere\n"
    assert moot("board").err == ""


def test_no_backup_carries_a_token_and_none_brings_one_back(moot: Moot) -> None:
    """Nor what else the board makes for itself: a backup is copied to other disks, and to other people."""
    kept = moot.folder / "kept.moot"
    moot("token", "add", "eve", "--role", "owner")
    own = [moot.folder / ".moot" / name.replace("*", "x") for name in OWN]
    planted = [path for path in own if not path.exists()]
    for path in planted:
        path.write_text("of the board's own")
    moot("backup", str(kept))
    for path in planted:
        path.unlink()
    with tarfile.open(kept) as tar:
        files = [name for name in tar.getnames() if name.startswith("files/")]
    assert {name.split("/")[1] for name in files} == {".gitignore", "flow.yaml", "prompts"}
    moot("token", "revoke", "eve")
    moot("restore", str(kept))
    assert "revoked" in moot("token", "list").out


def test_a_backup_in_which_somebody_has_put_tokens_brings_none(moot: Moot, tmp_path: Path) -> None:
    moot("token", "add", "eve", "--role", "owner")
    planted = tmp_path / "planted"
    for name in ("access", "Access"):
        shutil.copytree(moot.folder / ".moot" / "access", planted / name)
    (planted / "flow.yaml").write_text("flow: theirs\n")
    shutil.rmtree(moot.folder / ".moot" / "access")
    bring = BringBack(str(moot.folder / ".moot"), {}, lambda: str(tmp_path / "aside"))
    bring(str(planted))
    assert bring.changed == ["flow.yaml"]
    assert not [name for name in os.listdir(moot.folder / ".moot") if name.lower() == "access"]


def test_nothing_is_restored_while_somebody_has_the_board_open(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exclusive, "PATIENCE", 50)
    moot("add", "One")
    moot("backup")
    with Board(Board.open(str(moot.folder))._application) as board:
        error = moot("restore", "--json", code=1).error
        assert error["code"] == "board_in_use" and "Ctrl-C" in error["hint"]
        board.add("Two")
        assert board.backup().seq == 6
    moot("restore", "--at", "2")


DAMAGES = {
    "an event": "UPDATE events SET agent = 'nobody' WHERE seq = 3",
    "the head": "UPDATE board SET chain = x'00'",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_board_says_how_to_go_back_and_goes_back(moot: Moot, damage: str) -> None:
    moot("add", "One")
    kept = moot.json("backup")["path"]
    spoil(moot, DAMAGES[damage])
    bytes_of_it = (moot.folder / ".moot" / "board.db").read_bytes()
    for command in ("doctor", "backup"):
        answer = moot(command, code=4)
        assert f"next: go back to the newest backup: moot restore {kept}" in answer.err
    assert [path.name for path in (moot.folder / ".moot" / "backups").glob("*.moot")] == [os.path.basename(kept)]
    back = moot.json("restore", kept)
    # But for SQLite's header, which says how the file was last written.
    assert (moot.folder / back["set_aside"] / "board.db").read_bytes()[100:] == bytes_of_it[100:]
    assert back["backup"] is None and "damaged" in back["notes"][0]
    moot("doctor")
    assert [item["title"] for item in moot.json("list")["items"]] == ["One"]


@pytest.mark.parametrize("row", ["doc = replace(doc, 'One', 'Two'), queue = 'nobody'", "doc = '{'"])
def test_a_log_that_is_whole_heals_the_rows(moot: Moot, row: str) -> None:
    moot("add", "One")
    spoil(moot, f"UPDATE items SET {row}")
    told = moot("doctor", code=4)
    assert "there is no backup of it, but moot restore --at 4 makes the board anew" in told.err
    assert "nothing is lost" in told.err
    moot("restore", "--at", "4")
    moot("doctor")
    assert moot.json("show", "1")["title"] == "One"


def test_the_doctor_tells_only_what_is_wrong_and_the_event_to_go_back_to(moot: Moot) -> None:
    for title in ("One", "Two", "Three", "Four", "Five", "Six", "Seven"):
        moot("add", title)
    sound = len(moot.json("doctor")["checks"]) - 1
    spoil(moot, "UPDATE events SET agent = 'nobody' WHERE seq = 8")
    for command in ("doctor", "doctor --json"):
        told = moot(*command.split(), code=4)
        assert "there is no backup of it, but moot restore --at 6 makes the board anew" in told.err
    assert len(moot("doctor", "--json", code=4).json["checks"]) == sound + 1
    lines = moot("doctor", code=4).out.splitlines()
    assert lines[0].startswith("✗ chain  event 8 is not what was written")
    assert lines[-1] == f"1 check found something wrong; {sound} others hold." and len(lines) < 7
    moot("restore", "--at", "6")
    moot("doctor")
    assert [item["title"] for item in moot.json("list")["items"]] == ["One", "Two"]


def test_a_board_goes_back_by_a_span_of_time(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    moot("add", "One")
    now = SystemClock().wall()
    monkeypatch.setattr(SystemClock, "wall", lambda clock: now + 7_200_000)
    moot("add", "Two")
    assert moot("restore", "--at", "4", "--ago", "1h", "--json", code=2).error["code"] == "bad_usage"
    assert moot("restore", "--ago", "1d", "--json", code=2).error["code"] == "unknown_event"
    told = moot("restore", "--ago", "1h").out
    assert "The board is as it was after event 4, of " in told and "from its own log" in told
    assert [item["title"] for item in moot.json("list")["items"]] == ["One"]
    moot("restore")
    assert moot.json("restore", "--ago", "0s")["at"] == 6, "nothing was written since"


def test_the_doctor_knows_the_way_back_where_the_board_cannot_be_opened(moot: Moot) -> None:
    moot("add", "One")
    moot("add", "Two")
    spoil(moot, "UPDATE events SET agent = 'nobody' WHERE seq = 6")
    assert "its own log can bring back: moot doctor" in moot("board", code=4).err
    assert "moot restore --at 4 makes the board anew from its own log" in moot("doctor", code=4).err


@pytest.mark.parametrize("spoilt", [b"", b"no board at all" * 100, None])
def test_a_board_whose_file_is_none_any_more_comes_back(moot: Moot, spoilt: bytes | None) -> None:
    moot("add", "One")
    moot("backup")
    store = moot.folder / ".moot" / "board.db"
    store.unlink()
    if spoilt is not None:
        store.write_bytes(spoilt)
    back = moot.json("restore")
    if spoilt is not None:
        assert (moot.folder / back["set_aside"] / "board.db").read_bytes() == spoilt
    moot("doctor")
    assert [item["title"] for item in moot.json("list")["items"]] == ["One"]


def test_without_a_backup_there_is_nothing_to_go_back_to(moot: Moot) -> None:
    assert moot("restore", "--json", code=2).error["code"] == "no_backup"
    assert moot("restore", "none.moot", "--json", code=2).error["code"] == "unreadable_file"
    assert moot("restore", ".moot/flow.yaml", "--json", code=2).error["code"] == "not_a_backup"
    moot("doctor")


def test_nowhere_is_no_board_to_keep(nowhere: Moot) -> None:
    for command in (["backup"], ["restore"], ["restore", "--at", "3"], ["export", "x"]):
        assert nowhere(*command, "--json", code=4).error["code"] == "no_board"
    (nowhere.folder / "other").write_text("no backup")
    assert nowhere("restore", "other", "--json", code=2).error["code"] == "not_a_backup"
    assert nowhere("restore", "other", "--board", "no/where", "--json", code=4).error["code"] == "no_board"
    assert os.listdir(nowhere.folder) == ["other"]


def test_inside_a_run_the_board_cannot_be_put_back() -> None:
    boards = RemoteBoards("nowhere.socket")
    for name in ("backup", "restore", "export", "take_in"):
        with pytest.raises(Refused) as found:
            getattr(boards, name)
        assert found.value.code == "not_in_a_run"


def test_a_log_goes_out_and_comes_in_byte_by_byte(disputed: Moot) -> None:
    answer = disputed("export", "log.jsonl")
    assert "events in log.jsonl" in answer.out
    first = (disputed.folder / "log.jsonl").read_bytes()
    assert disputed.process("export").stdout == first
    other = elsewhere(disputed)
    told = other.json("import", str(disputed.folder / "log.jsonl"))
    assert told["events"] == len(first.splitlines()) - 2 and told["items"] == 2 and told["flow_file"] is False
    assert "board.db*" in (other.folder / ".moot" / ".gitignore").read_text()
    assert other.process("export", "-").stdout == first
    other("doctor")
    assert other.json("show", "1") == disputed.json("show", "1")
    assert other.json("inbox") == disputed.json("inbox")
    assert other("import", "-", "--json", code=1, stdin="").error["code"] == "board_exists"
    # It is a board like any other: the work goes on.
    other("answer", "q1", "dev-agent is right")
    other.work("dev-agent")
    other("doctor")


def test_what_is_no_log_leaves_nothing_behind(moot: Moot) -> None:
    moot("add", "One")
    moot("export", "log.jsonl")
    lines = (moot.folder / "log.jsonl").read_bytes().splitlines(keepends=True)
    other = elsewhere(moot)
    for text in ("", "{}", b"".join(lines[:-1]).decode(), b"".join([*lines[:3], *lines[4:]]).decode()):
        error = other("import", "-", "--json", code=2, stdin=text).error
        assert error["code"] == "bad_log" and error["message"].startswith("standard input:"), error
        assert os.listdir(other.folder) == []
    assert other("import", "none.jsonl", "--json", code=2).error["code"] == "unreadable_file"
    assert moot("export", "--json", code=2).error["code"] == "bad_usage"


def test_a_log_of_a_board_that_is_not_sound_is_not_taken_in(moot: Moot) -> None:
    """Its hashes fit, for somebody has made them fit; but a board cannot have come to be like that."""
    moot("add", "One")
    with log.reading(str(moot.folder / ".moot" / "board.db")) as connection:
        rows = list(log.walk(connection, "it", 4))
    chain, forged = b"", []
    for row in rows:
        body = row[8].replace('"column":"stories"', '"column":"stories","status":"running"')
        chain = link(chain, row[:8], body.encode())
        forged.append((*row[:8], body, chain))
    other = elsewhere(moot)
    (other.folder / "forged.jsonl").write_bytes(b"".join(write_lines(forged, 4, chain)))
    error = other("import", "forged.jsonl", "--json", code=2).error
    assert error["code"] == "bad_log" and "does not make a board" in error["message"]
    assert os.listdir(other.folder) == ["forged.jsonl"]


@pytest.mark.attack(
    "damage",
    "a log of somebody else's calls a run by a path: what moot keeps and removes for a run is in a folder of that name",
    "the log is refused, however well its hashes fit; and no folder is told from a name that is none of a run",
)
@pytest.mark.parametrize("name", ["../..", "/", ".", "", "a/b", "r1\n"])
def test_a_log_with_a_run_that_is_called_like_a_path_is_not_taken_in(moot: Moot, name: str) -> None:
    moot("add", "One")
    run = moot.json("claim", "story-agent")["run"]
    board = str(moot.folder / ".moot" / "board.db")
    with log.reading(board) as connection:
        rows = list(log.walk(connection, "it", log.head_of(connection)[0]))
    chain, forged = b"", []
    for row in rows:
        body = row[8].replace(json.dumps(run), json.dumps(name))
        columns = (*row[:5], name if row[5] == run else row[5], *row[6:8])
        chain = link(chain, columns, body.encode())
        forged.append((*columns, body, chain))
    other = elsewhere(moot)
    (other.folder / "forged.jsonl").write_bytes(b"".join(write_lines(forged, len(forged), chain)))
    error = other("import", "forged.jsonl", "--json", code=2).error
    assert error["code"] == "bad_log" and "no run can be called so" in error["message"]
    assert os.listdir(other.folder) == ["forged.jsonl"]
    with pytest.raises(Invalid, match="there is no run"):
        run_paths(str(other.folder), name)


def test_a_reader_that_goes_away_is_no_error(moot: Moot) -> None:
    command = f"{sys.executable} -m folkmoot export | head -c 10"
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=moot.folder, env=environment(), capture_output=True, check=True
    )
    assert ran.stdout == b'{"format":' and ran.stderr == b""


@pytest.mark.slow
def test_a_restore_that_is_killed_leaves_the_old_board_or_the_new_one(moot: Moot) -> None:
    for number in range(40):
        moot("add", f"Item {number}")
    moot("backup", "kept.moot")
    for number in range(40):
        moot("add", f"Later {number}")
    old, new = len(events(moot)), 2 + 2 * 40
    store = moot.folder / ".moot" / "board.db"
    before = store.read_bytes()
    command = f"exec {sys.executable} -m folkmoot restore kept.moot >/dev/null 2>&1"
    began = time.monotonic()
    subprocess.run(["/bin/sh", "-c", command], cwd=moot.folder, env=environment(), check=True)
    whole, chance, ends = time.monotonic() - began, random.Random(1), set()
    for _ in range(25):
        for part in ("-wal", "-shm", "-journal"):
            store.with_name(store.name + part).unlink(missing_ok=True)
        store.write_bytes(before)
        process = subprocess.Popen(["/bin/sh", "-c", command], cwd=moot.folder, env=environment())
        time.sleep(chance.uniform(0.3, 1.3) * whole)
        process.send_signal(signal.SIGKILL)
        process.wait()
        moot("doctor")
        ends.add(len(events(moot)))
    assert ends == {old, new}
