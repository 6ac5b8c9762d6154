"""The page on running every night: its script is run, and its timers are as the script wants them."""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.doors.conftest import environment
from tests.worker.yard import Yard

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-every-night.md"
PATIENCE = 240.0
DONE = json.dumps({"outcome": "done", "summary": "nothing had to change", "lessons": ["the lock file is made by make"]})
FLOW = f"""
flow: yard
start: dev
limits: {{slots: 2, lease: 60s, timeout: 30s, silence: 20s}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents:
  dev:
    run: {{command: {json.dumps(["/bin/echo", DONE])}}}
sandbox: never
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def place_of_moot(folder: Path) -> Path:
    """A `moot` to be found in the PATH of the script."""
    found = folder / "home" / ".local" / "bin"
    found.mkdir(parents=True)
    (found / "moot").write_text(f'#!/bin/sh\nexec {sys.executable} -m folkmoot "$@"\n')
    (found / "moot").chmod(0o755)
    return folder / "home"


def test_the_script_adds_once_works_and_tells_once(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    home = place_of_moot(tmp_path)
    (script,) = blocks("sh")
    file = tmp_path / "moot-nightly"
    file.write_text(script)
    file.chmod(0o755)

    def night() -> str:
        command = [str(file), str(yard.folder)]
        env = environment({"HOME": str(home)})
        ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    first = night()
    again = night()  # as when two timers start it: the key is the same
    items = yard.board.list()
    assert [(item["title"], item["status"]) for item in items] == [("Update what the project depends on", "done")]
    assert "Learned" in first and "the lock file is made by make" in first
    assert "Nothing happened, and nothing waits for you." in again
    page = (home / "moot-digest.html").read_text()
    assert page.startswith("<!doctype html>") and "the lock file is made by make" in page


def test_a_list_gets_a_key_for_each_of_its_items(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW)
    home = place_of_moot(tmp_path)
    (yard.folder / "nightly.yaml").write_text("- Update what it depends on\n- Look for dead code\n")
    (command,) = re.findall(r"`(moot add --from .*?)`\.", PAGE.read_text("utf-8"))
    for _ in range(2):
        env = environment({"HOME": str(home), "PATH": f"{home}/.local/bin:{os.environ['PATH']}"})
        subprocess.run(["/bin/sh", "-c", command], cwd=yard.folder, env=env, check=True, capture_output=True)
    assert len(yard.board.list()) == 2


def test_the_units_start_the_script_at_a_time_that_is_one(tmp_path: Path) -> None:
    service, timer = (configparser.RawConfigParser(strict=True) for _ in range(2))
    for parser, text in zip((service, timer), blocks("ini"), strict=True):
        parser.optionxform = str  # type: ignore[method-assign,assignment]
        parser.read_string(text)
    assert (
        service["Service"]["ExecStart"].split()[0] == "%h/bin/moot-nightly" and timer["Timer"]["Persistent"] == "true"
    )
    systemd = shutil.which("systemd-analyze")
    if systemd is not None:
        assert subprocess.run([systemd, "calendar", timer["Timer"]["OnCalendar"]], capture_output=True).returncode == 0
    (line,) = blocks("crontab")
    assert re.fullmatch(r"(\S+ ){5}\$HOME/bin/moot-nightly \$HOME/src/project\n", line)
