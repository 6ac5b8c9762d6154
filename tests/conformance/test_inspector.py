"""The protocol's own inspector, by its command line, on both transports."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.requests import Add
from folkmoot.wiring.boards import FileBoards
from tests.clients.clients import SUITES, environment
from tests.doors.http.served import ADA, served

INSPECTOR = SUITES["inspector"]
MOOT = [str(Path(sys.executable).with_name("moot")), "mcp"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(INSPECTOR.why_not), reason=f"NOT RUN: inspector {INSPECTOR.version}: {INSPECTOR.why_not}"),
]


def inspect(folder: Path, target: list[str], *words: str) -> Any:
    env = {**environment(INSPECTOR.bin, INSPECTOR.node), "HOME": str(folder)}
    program = (INSPECTOR.bin / "inspect").resolve()  # by the name of a link it does nothing
    command = [str(program), *target, *words]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def look(folder: Path, target: list[str]) -> None:
    listed = inspect(folder, target, "--method", "tools/list")
    assert len(listed["tools"]) == 8
    shown = inspect(folder, target, "--method", "tools/call", "--tool-name", "show", "--tool-arg", "item=1")
    assert shown["structuredContent"]["title"] == "One" and "title: One" in shown["content"][0]["text"]
    assert inspect(folder, target, "--method", "resources/list")["resources"][0]["uri"] == "moot://item/1"
    read = inspect(folder, target, "--method", "resources/read", "--uri", "moot://item/1")
    assert "title: One" in read["contents"][0]["text"]


def test_it_works_over_standard_input_and_output(tmp_path: Path) -> None:
    board = FileBoards().create(str(tmp_path), "simple")
    board.asked_by(ADA)(Add(title="One"))
    board.close()
    assert os.access(MOOT[0], os.X_OK)
    look(tmp_path, MOOT)


def test_it_works_over_http_with_a_token(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        server.board.asked_by(ADA)(Add(title="One"))
        address = server.server.start.mcp
        assert address is not None
        look(tmp_path, [address, "--header", f"Authorization: Bearer {server.owner}"])
