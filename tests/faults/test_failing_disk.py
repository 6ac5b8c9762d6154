"""A disk that fails: nothing is acknowledged, the connection is done with, the next process goes on (F23, F24)."""

import json
import sys
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot
from tests.faults import scenes, traced
from tests.faults.traced import Point
from tests.faults.witness import saw

WRITER = str(Path(__file__).with_name("writer.py"))
NAMED = (
    "refused as store_failed, not acknowledged; the next process goes on, the repeated command has one effect, "
    "doctor green"
)


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("fdatasync", 3),
        ("pwrite64", 12),
        *(
            pytest.param(*more, marks=pytest.mark.slow)
            for more in (("fdatasync", 1), ("pwrite64", 9), ("pwrite64", 20))
        ),
    ],
)
def test_a_command_whose_write_fails(tmp_path: Path, call: str, number: int) -> None:
    scenes.with_items(tmp_path)
    before = scenes.last_seq(tmp_path)
    command = [*traced.MOOT, "add", "never mind", "--key", "k", "--json"]
    ended = traced.struck(command, tmp_path, Point(call, number), "error=EIO")
    assert (ended.code, ended.error) == (4, "store_failed"), ended
    assert scenes.wrong(tmp_path) == []
    again = traced.run(command, tmp_path)
    assert again.code == 0, again.err
    assert json.loads(again.out)["id"] == "5"
    assert scenes.last_seq(tmp_path) > before
    saw("F23", f"{call} {number} of `moot add` fails with EIO", NAMED)


def test_a_process_that_met_a_failed_sync_is_done_with_that_board(tmp_path: Path) -> None:
    """It says so at each further try; what it was told before is there; another process goes on."""
    scenes.with_items(tmp_path)
    command = [sys.executable, WRITER, str(tmp_path), "w", "1"]
    ended = traced.struck(command, tmp_path, Point("fdatasync", 9), "error=EIO")
    told = [json.loads(line) for line in ended.out.splitlines()]
    refused = [line for line in told if line["did"] == "refused"]
    assert [line["code"] for line in refused] == ["store_failed"] * 3
    assert all("failed earlier" in line["message"] for line in refused[1:])
    assert told.index(refused[0]) == len(told) - 3, "after the first refusal nothing more was acknowledged"
    titles = {item["title"] for item in Moot(tmp_path)("list")["items"]}
    assert {line["title"] for line in told if line["did"] == "add"} <= titles
    assert scenes.wrong(tmp_path) == []
    saw(
        "F23",
        "a process goes on asking after a failed sync",
        "store_failed each time, 0 acknowledged changes lost, doctor green",
    )


def test_a_file_that_may_not_grow_is_written_short_and_refused(tmp_path: Path) -> None:
    """A limit on the size of files cuts a write in the middle: the rest is refused, and no half of it is read."""
    scenes.with_items(tmp_path)
    before = scenes.last_seq(tmp_path)
    command = ["prlimit", "--fsize=10000", *traced.MOOT, "add", "too long", "--json"]
    ended = traced.run(command, tmp_path)
    assert (ended.code, ended.error) in ((4, "store_failed"), (4, "store_full")), ended
    assert scenes.last_seq(tmp_path) == before
    assert traced.moot(tmp_path, "add", "again").code == 0
    assert scenes.wrong(tmp_path) == []
    saw(
        "F24",
        "a short write, then EFBIG",
        f"refused as {ended.error}, nothing changed, the next process goes on, doctor green",
    )
