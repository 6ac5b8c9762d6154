"""The page on files is tried as it stands: its commands, in one shell, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "work-with-files.md"
SECTION = "## Your first handoff, in five minutes"
# What a reader does between two blocks: look until it is there.
LOOK = """
for n in $(seq 600); do [ -e .claude/inbox ] && [ -z "$(ls -A .claude/inbox)" ] && break; sleep 0.1; done
sleep 1
"""


@pytest.mark.ledger("H-04", "R-04")
def test_the_first_handoff_of_the_page(tmp_path: Path) -> None:
    part = PAGE.read_text("utf-8").partition(SECTION)[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
    assert len(blocks) == 3
    script = LOOK.join(blocks).replace("/tmp/files", str(tmp_path / "files")).replace("sleep 1;", "sleep 3;")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "-c", f"set -e\n{script}\nkill %1; wait"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.splitlines()[-4:-1] == ["column: review", "status: ready", "agent: reviewer"], (
        done.stdout + done.stderr
    )
    assert '"current_agent": "planner"' in done.stdout
    assert not list((tmp_path / "files/.claude/rejected").iterdir())
