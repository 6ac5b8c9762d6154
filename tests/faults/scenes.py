"""Boards in the state in which a command is about to be struck, and what is left of them."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from folkmoot.core.events import type_of_table
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.errors import MootError
from folkmoot.store.port import Reading
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds
from tests.acceptance.moot import Moot, new_board

STORE = Path(".moot") / "board.db"


class Scene(Struct):
    """A command, and the board it finds."""

    name: str
    words: list[str]
    prepare: Callable[[Path], "tuple[list[str], str]"]  # gives what is appended to the words, and standard input
    is_keyed: bool = True  # repeated with its key, it has one effect
    makes: bool = False  # a board where there was none


def nothing(folder: Path) -> tuple[list[str], str]:
    return [], ""


def some_items(folder: Path) -> tuple[list[str], str]:
    with_items(folder)
    return [], ""


def with_items(folder: Path) -> Moot:
    moot = new_board(folder)
    for number in range(4):
        moot("add", f"item {number}", "--column", "dev", "--files", f"src/{number}.py")
    return moot


def a_run(folder: Path) -> tuple[list[str], str]:
    claim = with_items(folder)("claim", "dev-agent", "--lease", "10m")
    report = {"outcome": "done", "summary": "it works", "findings": [{"severity": "low", "issue": "a name"}]}
    return [claim["run"], "-", "--token", str(claim["token"])], json.dumps(report)


def a_question(folder: Path) -> tuple[list[str], str]:
    moot = with_items(folder)
    claim = moot("claim", "dev-agent")
    moot.report(claim, "asks", question={"question": "Which?", "options": ["this", "that"], "blocking": True})
    return [moot("inbox")["questions"][0]["id"], "this"], ""


def a_new_flow(folder: Path) -> tuple[list[str], str]:
    with_items(folder)
    path = folder / ".moot" / "flow.yaml"
    path.write_text(path.read_text("utf-8") + "\n# a remark, so that it is another file\n", "utf-8")
    return [], ""


def a_lapsed_run(folder: Path) -> tuple[list[str], str]:
    """The next command, whatever it is, ends the run first."""
    moot = with_items(folder)
    claim = moot("claim", "dev-agent", "--lease", "1s")
    while moot("show", claim["item"]["id"])["status"] == "running":
        time.sleep(0.1)
    return [], ""


def a_backup(folder: Path) -> tuple[list[str], str]:
    moot = with_items(folder)
    moot("backup", str(folder / "kept.moot"))
    moot("add", "not in the backup")
    return ["kept.moot"], ""


def a_log(folder: Path) -> tuple[list[str], str]:
    other = folder.parent / "other"
    other.mkdir()
    with_items(other)("export", str(folder / "log.jsonl"))
    return ["log.jsonl"], ""


SCENES = {
    scene.name: scene
    for scene in (
        Scene("init", ["init"], nothing, is_keyed=False, makes=True),
        Scene("add", ["add", "a new item", "--column", "dev"], some_items),
        Scene("claim", ["claim", "dev-agent"], some_items),
        Scene("report", ["report"], a_run),
        Scene("answer", ["answer"], a_question),
        Scene("apply", ["apply"], a_new_flow, is_keyed=False),
        Scene("rescue", ["add", "whatever"], a_lapsed_run),
        Scene("backup", ["backup"], some_items, is_keyed=False),
        Scene("restore", ["restore"], a_backup, is_keyed=False),
        Scene("import", ["import"], a_log, is_keyed=False, makes=True),
    )
}


def open_engine(folder: Path, **how: Any) -> Engine:
    return Engine(SqliteStore.open(folder / STORE, **how), SystemClock(), SystemIds())


def wrong(folder: Path) -> list[str]:
    """What the doctor finds on a board."""
    engine = open_engine(folder)
    try:
        return [text for check in examine(engine).checks for text in check.wrong]
    finally:
        engine.store.close()


def last_seq(folder: Path) -> int:
    store = SqliteStore.open(folder / STORE)
    try:
        return store.read(lambda reading: reading.head()).seq
    finally:
        store.close()


def everything(store: SqliteStore) -> Any:
    """All that can be read of a board: the head, every event, every row; or the code of the error it gives."""

    def read(reading: Reading) -> Any:
        rows = {table: list(reading.rows(table)) for table in type_of_table}
        return reading.head(), reading.events(0, limit=1_000_000), rows

    try:
        return store.read(read)
    except MootError as error:
        return error.code


def copied(template: Path, folder: Path) -> Path:
    """A fresh copy under the same path, for paths stand in what is written."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(template, folder)
    return folder
