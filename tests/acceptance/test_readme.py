"""Whoever has read only the README gets where it leads: its commands are run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `moot` is this checkout's, and only the README's own steps change anything."""
    moot = tmp_path / "bin" / "moot"
    moot.parent.mkdir()
    moot.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m folkmoot "$@"\n')
    moot.chmod(0o755)
    return {**os.environ, "PATH": f"{moot.parent}:{os.environ['PATH']}", "USER": "ann", "COLUMNS": "100"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text("utf-8"), re.S)


@pytest.mark.ledger("K-06", "K-07", "K-14", "E-13")
def test_the_first_board_by_hand(tmp_path: Path, shell: dict[str, str]) -> None:
    steps = "\n".join(block for block in blocks("sh") if "make test" not in block)
    # The folder is the only thing that may not be the same for two tests at once.
    steps = steps.replace("/tmp/first-board", str(tmp_path / "first-board"))
    done = subprocess.run(["bash", "-e"], input=steps, env=shell, cwd=README.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout
    assert "dev-agent disputes tests/cancel.md (c001)" in told
    assert "disagree about tests/cancel.md. Who is right?" in told
    assert "May a filled trade be cancelled?" in told
    assert "No, only open ones." in told
    assert "checks hold" in told


def test_the_python_lines(tmp_path: Path, shell: dict[str, str]) -> None:
    subprocess.run(["moot", "init"], env=shell, cwd=tmp_path, check=True, capture_output=True)
    (program,) = blocks("python")
    done = subprocess.run([sys.executable, "-c", program], env=shell, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(["moot", "show", "1"], env=shell, cwd=tmp_path, capture_output=True, text=True)
    assert "in review" in shown.stdout
