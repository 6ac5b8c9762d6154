"""The script of the page about agents is pasted as it stands there, and its work lands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

from folkmoot.flows.load import read_flow
from folkmoot.worker.environment import FIXED, TOOL_FOLDERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "write-an-agent.md").read_text("utf-8")
SCRIPT = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)[0]
COMMAND = '#!/bin/sh\nexec "{python}" -m folkmoot "$@"\n'


def pasted(folder: Path, script: str) -> str:
    """What the shell prints when the script is pasted in a repository with one commit."""
    (folder / "bin").mkdir()
    (folder / "bin" / "moot").write_text(COMMAND.replace("{python}", sys.executable))
    (folder / "bin" / "moot").chmod(0o755)
    who = {f"GIT_{role}_{part}": "ann" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    env = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "USER": "ann",
        **who,
    }
    begin = "git init -q -b main project\ncd project\ngit commit -q --allow-empty -m first\n"
    done = subprocess.run(["bash", "-e"], input=begin + script, env=env, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_script_of_the_page_lands_a_file(tmp_path: Path) -> None:
    told = pasted(tmp_path, SCRIPT)
    assert "landed on main" in told
    assert (tmp_path / "project" / "greeting.txt").read_text() == "hello\n"


def test_without_its_last_line_every_run_fails_as_protocol(tmp_path: Path) -> None:
    (line,) = re.findall(r"^echo '\{\"outcome.*\n", SCRIPT, re.MULTILINE)
    told = pasted(tmp_path, SCRIPT.replace(line, ""))
    assert told.count("failed (protocol)") == 2 == told.count("begins\n") and "0 landed" in told
    assert "1 question waits for you" in told, "after two runs without a report a person is asked"
    assert not (tmp_path / "project" / "greeting.txt").exists()


def test_every_variable_of_a_run_is_on_the_page() -> None:
    effort = (ROOT / "src" / "folkmoot" / "worker" / "jobs" / "effort.py").read_text("utf-8")
    names = {*re.findall(r'"(MOOT_\w+)"', effort), *(name for _, name, _ in TOOL_FOLDERS), *FIXED}
    assert len(names) > 25
    missing = [name for name in sorted(names) if f"`{name}`" not in PAGE and not name.startswith("GIT_")]
    assert missing == [] and "`GIT_…`" in PAGE


def test_a_variable_of_ones_own_passes_as_the_page_shows() -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    flow = {"flow": "mine", "columns": {"dev": {"agents": ["dev-agent"], "next": "done"}}, **yaml.safe_load(shown)}
    read = read_flow(yaml.safe_dump(flow), "flow.yaml", lambda path: path)
    assert read.warnings == [] and read.flow.clients["mine"].env == ["MY_API_KEY"]
