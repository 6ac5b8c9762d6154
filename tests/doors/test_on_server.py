"""Every command on a board in PostgreSQL: by MOOT_BOARD or --board, from several folders; and the log carried over."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from folkmoot.wiring.boards import FileBoards
from tests import forked
from tests.postgres import Server

if TYPE_CHECKING:
    import subprocess

SOURCE = Path(__file__).parents[2] / "src"


class Person:
    """Says commands in a folder, with the board in the environment or not."""

    def __init__(self, folder: Path, board: str | None) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self._environment = {**os.environ, "PYTHONPATH": str(SOURCE), "USER": "alice", "GIT_CONFIG_GLOBAL": os.devnull}
        self._environment.pop("MOOT_BOARD", None)
        if board is not None:
            self._environment["MOOT_BOARD"] = board

    def say(self, *words: str, stdin: str = "", json: bool = True) -> "subprocess.CompletedProcess[bytes]":
        form = ["--json"] if json else []
        return forked.run([*words, *form], env=self._environment, cwd=self.folder, input=stdin.encode())

    def __call__(self, *words: str, stdin: str = "") -> Any:
        ended = self.say(*words, stdin=stdin)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    def refused(self, *words: str) -> str:
        ended = self.say(*words)
        assert ended.returncode != 0, ended.stdout
        assert b"hush" not in ended.stderr + ended.stdout
        return str(json.loads(ended.stderr.splitlines()[-1])["error"]["code"])


def with_password(postgres: Server, address: str) -> str:
    """The server trusts everybody here; the password is told and not looked at."""
    database = address.partition("?")[0].rpartition("/")[2]
    return f"postgresql://postgres:hush@127.0.0.1:{postgres.port}/{database}?durable=no"


def test_a_board_on_a_server_is_used_as_any_other(postgres: Server, tmp_path: Path) -> None:
    address = with_password(postgres, postgres.database())
    ann = Person(tmp_path / "ann", address)
    ann("init", "--preset", "kanban", "--no-gate")
    kept = (ann.folder / ".moot" / "board.db-address").read_text("utf-8")
    assert "hush" not in kept and not (ann.folder / ".moot" / "board.db").exists()
    assert ann("add", "one", "--column", "dev")["id"] == "1"
    claim = ann("claim", "dev-agent")
    ann("report", claim["run"], "-", "--token", str(claim["token"]), stdin='{"outcome": "done", "summary": "did it"}')
    assert ann("show", "1")["column"] == "review"
    assert Person(ann.folder, None)("list")["items"][0]["id"] == "1", "the folder knows its board"
    assert ann("doctor")["ok"] and ann("board")["columns"]
    bob = Person(tmp_path / "bob", address)
    assert bob("list")["items"][0]["title"] == "one", "a folder is needed by those alone who run agents"
    joined = " ".join(bob.say("init", json=False).stdout.decode().split())
    assert "its file is where the board was made" in joined and "change it in .moot" not in joined
    assert not (bob.folder / ".moot" / "flow.yaml").exists(), "the flow in force is the board's"
    bob("comment", "1", "seen from elsewhere")
    assert [one["content"] for one in ann("show", "1")["comments"]] == ["seen from elsewhere"]
    assert ann.refused("backup") == ann.refused("restore", "--at", "3") == "on_server"


def test_a_password_on_the_command_line_is_refused_and_repeated_nowhere(postgres: Server, tmp_path: Path) -> None:
    address = with_password(postgres, postgres.database())
    Person(tmp_path / "ann", address)("init", "--preset", "kanban", "--no-gate")
    nobody = Person(tmp_path / "none", None)
    assert nobody.refused("list", "--board", address) == "password_shown"
    assert nobody("list", "--board", address.replace(":hush", ""))["items"] == []


def test_what_is_no_address_and_what_is_anothers_folder_is_refused(postgres: Server, tmp_path: Path) -> None:
    address = postgres.board()
    for place, code in (("mysql://host/db", "unsupported_store"), (f"{address}&schema=A", "bad_board_address")):
        assert Person(tmp_path / "none", place).refused("list") == code
    assert Person(tmp_path / "none", postgres.database()).refused("list") == "store_missing"
    other = Person(tmp_path / "other", None)
    other("init", "--preset", "kanban", "--no-gate")
    assert Person(other.folder, address).refused("list") == "other_board"


@pytest.mark.embedded("it moves from a file to a server")
def test_a_board_moves_to_a_server_and_back_with_an_equal_log(postgres: Server, tmp_path: Path) -> None:
    """By export and import; what stands beside the log, output and kept answers, stays where it was."""
    first = Person(tmp_path / "first", None)
    first("init", "--preset", "kanban", "--no-gate")
    first("add", "one", "--column", "dev")
    for outcome in ("done", "failed", "done"):
        first("add", f"for {outcome}", "--column", "dev")
        claim = first("claim", "dev-agent")
        said = json.dumps({"outcome": outcome, "summary": "so", "comments": [{"content": "a\\u0000b"}]})
        first.say("report", claim["run"], "-", "--token", str(claim["token"]), stdin=said)
    log = tmp_path / "log.jsonl"
    first("export", str(log))
    address = postgres.database()
    there = Person(tmp_path / "there", address)
    told = there("import", str(log))
    back = tmp_path / "back.jsonl"
    there("export", str(back))
    assert back.read_bytes() == log.read_bytes() and told["events"] == len(log.read_bytes().splitlines()) - 2
    again = Person(tmp_path / "again", None)
    again("import", str(back))
    states = []
    for store in (
        SqliteStore.open(first.folder / ".moot" / "board.db"),
        PostgresStore.open(address),
        SqliteStore.open(again.folder / ".moot" / "board.db"),
    ):
        states.append(store.read(store_contract.whole))
        store.close()
    assert states[0] == states[1] == states[2]
    assert there("doctor")["ok"]
    there("add", "goes on", "--column", "dev")


def test_a_log_that_makes_no_board_leaves_nothing_on_the_server(postgres: Server, tmp_path: Path) -> None:
    first = Person(tmp_path / "first", None)
    first("init", "--preset", "kanban", "--no-gate")
    log = tmp_path / "log.jsonl"
    first("export", str(log))
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-1]))
    there = Person(tmp_path / "there", postgres.database())
    assert there.refused("import", str(log)) == "bad_log"
    assert there.refused("list") == "store_missing"
    assert not (there.folder / ".moot").exists()


@pytest.mark.attack(
    "damage",
    "a log that makes no board is imported into a schema that has tables of somebody else's",
    "only what the import has made is taken away: the other tables are as they were",
)
def test_a_log_that_makes_no_board_takes_nothing_of_others_away(postgres: Server, tmp_path: Path) -> None:
    address = postgres.database()
    database = address.partition("?")[0].rpartition("/")[2]
    postgres.execute("CREATE SCHEMA shop CREATE TABLE customers (name text)", database)
    postgres.execute("INSERT INTO shop.customers VALUES ('ann')", database)
    (tmp_path / "log.jsonl").write_text('{"no": "log"}\n')
    there = Person(tmp_path / "there", f"{address}&schema=shop")
    assert there.refused("import", str(tmp_path / "log.jsonl")) == "bad_log"
    assert postgres.execute("SELECT name FROM shop.customers", database) == [("ann",)]
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'shop'"
    assert postgres.execute(tables, database) == [("customers",)]
    assert there.refused("list") == "store_missing"


def test_a_board_without_its_package_is_told_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from folkmoot.errors import Unavailable

    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Unavailable, match="not installed"):
        FileBoards().open("postgresql://host/db")
