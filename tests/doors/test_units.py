"""The systemd units on the page about many machines: systemd takes them, and their commands are ours."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "many-machines.md"
UNITS = re.findall(r"`/etc/systemd/system/([\w-]+\.service)`:\n\n```ini\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_page_has_both_units() -> None:
    assert [name for name, _ in UNITS] == ["moot-run.service", "moot-serve.service"]


@pytest.mark.parametrize(("name", "text"), UNITS)
def test_systemd_takes_the_unit(tmp_path: Path, name: str, text: str) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    for one, other in (
        ("/srv/moot/bin/moot", sys.executable),
        ("/srv/project", str(tmp_path)),
        ("User=moot", "User=root"),
        ("/etc/moot.env", "/dev/null"),
    ):
        assert one in text
        text = text.replace(one, other)
    unit = tmp_path / name
    unit.write_text(text, "utf-8")
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    assert (said.returncode, [line for line in said.stderr.splitlines() if name in line]) == (0, [])


@pytest.mark.parametrize(("name", "text"), UNITS)
def test_each_option_of_its_command_is_there(tmp_path: Path, name: str, text: str) -> None:
    (words,) = re.findall(r"^ExecStart=/srv/moot/bin/moot (.*)$", text, re.MULTILINE)
    command, *options = words.split()
    told = forked.run([command, "--help"], env=dict(os.environ), cwd=tmp_path).stdout.decode()
    assert [option for option in options if f"  {option}" not in told] == []
