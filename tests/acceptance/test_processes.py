"""Many processes on one board, and processes that die at any moment (K-03, R-02)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CROWD = Path(__file__).parent / "crowd.py"


def crowd(*arguments: object) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(CROWD), *map(str, arguments)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def doctor(folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "folkmoot", "doctor", "--json", "--board", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.ledger("K-03", "R-02")
def test_64_processes_claim_1000_items_each_once(tmp_path: Path, record_property: Any) -> None:
    result = crowd("laps", tmp_path, 64, 1000)
    for number in (1, 2):
        lap = result[f"lap {number}"]
        print(f"lap {number}: worst wait {lap['worst wait']} s")
        record_property(f"worst wait in lap {number}, seconds", lap["worst wait"])
        assert lap["exit codes"] == [0]
        assert (lap["claims"], lap["items"], lap["twice"]) == (1000, 1000, [])
    assert result["claims"] == 2000
    assert doctor(tmp_path)["ok"]


@pytest.mark.ledger("R-02", "R-31", "K-14")
def test_200_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    result = crowd("kills", tmp_path, 6, 200, 1)
    assert result["kills"] == 200
    assert result["acknowledged"] > 200, "the processes must have worked between the kills"
    assert result["lost"] == []
    wrong = [check for check in doctor(tmp_path)["checks"] if not check["ok"]]
    assert wrong == []
