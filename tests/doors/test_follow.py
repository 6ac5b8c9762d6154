"""`moot log --follow` shows what other processes do, as it happens."""

import subprocess
import sys
from pathlib import Path

import pytest

MOOT = [sys.executable, "-m", "folkmoot"]


def moot(folder: Path, *arguments: str) -> None:
    subprocess.run([*MOOT, *arguments], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.mark.ledger("K-14")
def test_what_others_do_is_shown_as_it_happens(tmp_path: Path) -> None:
    moot(tmp_path, "init")
    with subprocess.Popen([*MOOT, "log", "--follow"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        moot(tmp_path, "add", "written meanwhile")
        # The log is endless: reading stops at the line that is waited for, or the pipe ends and the test fails.
        seen = next((line for line in following.stdout if "written meanwhile" in line or "added" in line), "")
        following.terminate()
    assert "#1" in seen


def test_an_endless_log_is_no_document(tmp_path: Path) -> None:
    moot(tmp_path, "init")
    done = subprocess.run(
        [*MOOT, "log", "--follow", "--json"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "bad_usage" in done.stderr
