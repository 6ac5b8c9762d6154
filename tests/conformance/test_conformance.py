"""The protocol's own suite against the MCP door over HTTP, for both revisions."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.wiring.boards import FileBoards
from tests.clients.clients import ROOT, SUITES, environment

SUITE = SUITES["conformance"]
# What a check says that asks for something of the suite's example server, or for a capability that is not offered.
DOES_NOT_APPLY = re.compile(
    r"Unknown tool: (?:test_\w+|slow_compute|failing_job|greet|protocol_error_job|confirm_delete|multi_input)\b"
    r"|Method not found|there is nothing at test://|^Not testable: |^Prerequisite failed: "
    r"|Tool 'json_schema_\w+' not found|^Expected InputRequiredResult|got -32601"
    r"|capabilities\.extensions MUST be advertised|fixture from Check"
    r"|tools/call for failing_job returned error code -32602"
)
# How many checks pass at least: a suite that asks nothing proves nothing.
PASSED = {"2026-07-28": 70, "2025-11-25": 20}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(SUITE.why_not), reason=f"NOT RUN: conformance {SUITE.version}: {SUITE.why_not}"),
]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    board = FileBoards().create(str(tmp_path), "simple")
    board.close()
    words = [sys.executable, "-m", "tests.conformance.server", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=dict(os.environ)) as running:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
        running.terminate()


def checks(folder: Path) -> list[dict[str, Any]]:
    return [one for file in folder.glob("*/checks.json") for one in json.loads(file.read_text("utf-8"))]


@pytest.mark.parametrize("revision", PASSED)
def test_the_suite_of_the_protocol_finds_no_fault(address: str, tmp_path: Path, revision: str) -> None:
    words = ["conformance", "server", "--url", address, "--requirements", revision, "-o", str(tmp_path / "checks")]
    words += ["--expected-failures", str(Path(__file__).with_name(f"expected-{revision}.yaml"))]
    env = environment(SUITE.bin, SUITE.node)
    done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    found = checks(tmp_path / "checks")
    wrong = [f"{one['id']}: {one.get('errorMessage')}" for one in found if one["status"] == "FAILURE"]
    assert not [words for words in wrong if not DOES_NOT_APPLY.search(words.partition(": ")[2])], done.stdout[-3000:]
    assert sum(one["status"] == "SUCCESS" for one in found) >= PASSED[revision], done.stdout[-3000:]
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
