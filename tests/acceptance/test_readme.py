"""Whoever has read only the README gets where it leads: its commands are run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.worker.clients.catalogue import Catalogue

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BY_HAND = ROOT / "docs" / "how-to" / "be-the-agents.md"

# Stands for the network: what it installs is this checkout.
PIP = """#!/bin/sh
test "$*" = "install folkmoot" || exit 1
cat > "$(dirname "$0")/moot" <<'END'
#!/bin/sh
exec "{python}" -m folkmoot "$@"
END
chmod +x "$(dirname "$0")/moot"
"""
# Codex as far as a run sees it: the prompt comes in on standard input, events go out, and files are really edited.
CODEX = """#!{python}
import json, os, sys

assert sys.argv[1:3] == ["exec", "--json"] and sys.argv[-1] == "-", sys.argv
prompt = sys.stdin.read()
title = "Users can say hello"
made = title in prompt and os.environ["MOOT_AGENT"] == "coder"
if made:
    with open("hello.py", "w") as file:
        file.write("print('hello')\\n")
report = {"outcome": "done", "summary": "wrote hello.py" if made else "nothing is missing"}
said = "It is done.\\n```json\\n" + json.dumps(report) + "\\n```"
usage = {"input_tokens": 200, "cached_input_tokens": 0, "output_tokens": 40, "reasoning_output_tokens": 0}
for event in (
    {"type": "thread.started", "thread_id": "019a"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": said}},
    {"type": "turn.completed", "usage": usage},
):
    print(json.dumps(event), flush=True)
"""


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text.replace("{python}", sys.executable))
    (folder / name).chmod(0o755)


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment with nothing of the user's own in it: no board, no client, no settings of git or of ours."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "bin").mkdir()
    own = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "HOME": str(home), "USER": "ann", "COLUMNS": "100"}
    return {**own, "LANG": "C.UTF-8"}


@pytest.fixture
def shell(tmp_path: Path, bare: dict[str, str]) -> dict[str, str]:
    """The same, in which `moot` is this checkout's, and only the README's own steps change anything."""
    program(tmp_path / "bin", "moot", '#!/bin/sh\nexec "{python}" -m folkmoot "$@"\n')
    return {**bare, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.S)


def bash(steps: str, env: dict[str, str], folder: Path) -> str:
    done = subprocess.run(["bash", "-e"], input=steps, env=env, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=ann", "-c", "user.email=ann@example.invalid"]
    ran = subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.mark.ledger("R-19")
def test_the_four_commands_land_a_change(tmp_path: Path, bare: dict[str, str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q", "-b", "trunk")
    (project / "README.md").write_text("a project\n")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "first")
    program(tmp_path / "bin", "pip", PIP)
    program(tmp_path / "bin", "codex", CODEX)
    four, looks = blocks(README, "sh")[:2]
    commands = [line.split("#")[0].strip() for line in four.splitlines()]
    assert [command.split()[:2] for command in commands] == [
        ["pip", "install"],
        ["moot", "init"],
        ["moot", "add"],
        ["moot", "run"],
    ]
    told = bash(four + looks, bare, project)
    assert "moot run starts its 2 agents with codex, which was found here." in told
    assert "landed on trunk" in told and "1 landed" in told
    # It is really there: on the branch, and in the files of whoever ran the commands.
    assert git(project, "show", "trunk:hello.py") == "print('hello')"
    assert (project / "hello.py").read_text() == "print('hello')\n"
    assert git(project, "status", "--porcelain", "--untracked-files=no") == ""
    assert f"landed on trunk at {git(project, 'rev-parse', 'trunk')[:12]}" in told


def test_the_flow_in_six_lines_is_sound(tmp_path: Path, shell: dict[str, str]) -> None:
    (flow,) = blocks(README, "yaml")
    assert len(flow.splitlines()) == 6
    (tmp_path / "flow.yaml").write_text(flow, "utf-8")
    assert "flow.yaml is sound" in bash("moot check flow.yaml", shell, tmp_path)


def test_the_readme_names_the_clients_that_are_known() -> None:
    said = README.read_text("utf-8")
    for known in Catalogue.load().clients.values():
        assert known.title.removesuffix(" CLI") in said, known.name


@pytest.mark.ledger("K-06", "K-07", "K-14", "E-13")
def test_the_first_board_by_hand(tmp_path: Path, shell: dict[str, str]) -> None:
    # The folder is the only thing that may not be the same for two tests at once.
    steps = "\n".join(blocks(BY_HAND, "sh")).replace("/tmp/first-", str(tmp_path / "first-"))
    told = bash(steps, shell, ROOT)
    assert "dev-agent disputes tests/cancel.md (c001)" in told
    assert "disagree about tests/cancel.md. Who is right?" in told
    assert "May a filled trade be cancelled?" in told
    assert "No, only open ones." in told
    assert "checks hold" in told
    assert git(tmp_path / "first-clone", "show", "main:hello.py") == "print('hello')", "by an agent with a clone"


def test_the_python_lines(tmp_path: Path, shell: dict[str, str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    subprocess.run(["moot", "init"], env=shell, cwd=project, check=True, capture_output=True)
    (lines,) = blocks(README, "python")
    done = subprocess.run([sys.executable, "-c", lines], env=shell, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(["moot", "show", "1"], env=shell, cwd=project, capture_output=True, text=True)
    assert "in review" in shown.stdout
