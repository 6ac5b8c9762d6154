"""How `make test` shares its tests among processes: none is lost, none runs twice, and each is told as it went."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
SOME = """
import os, sys
import pytest

FOUND = sys.stderr

@pytest.mark.parametrize("number", range(60))
def test_well(number, tmp_path):
    (tmp_path / "mine").write_text("x")
    os.write(FOUND.fileno(), b"x")
    with open("ran", "a") as file:
        file.write(f"{number}\\n")

@pytest.fixture(scope="module")
def shared():
    yield
    with open("ended", "a") as file:
        file.write("x")

def test_red(shared):
    print("said before")
    assert 1 == 2

@pytest.mark.skipif(True, reason="not here")
def test_left_out():
    pass

def test_dies():
    os._exit(3)
"""


def test_every_test_runs_once_and_is_told_as_it_went(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(SOME)
    options = ["-p", "tests.crew", "--crew", "3", "-q", "--junitxml=told.xml", "--rootdir=.", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1 and "2 failed, 60 passed, 1 skipped" in ran.stdout, ran.stdout + ran.stderr
    assert "said before" in ran.stdout and "the process that ran test_some.py::test_dies has died" in ran.stdout
    assert sorted(map(int, (tmp_path / "ran").read_text().split())) == list(range(60))
    assert (tmp_path / "ended").read_text() == "x"
    names = [case.get("name") for case in ElementTree.parse(tmp_path / "told.xml").iter("testcase")]
    assert len(names) == len(set(names)) == 63
