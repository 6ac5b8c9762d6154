"""A person stands in the clone that they take with all their rights: nothing of an agent's runs by their git."""

import os
import subprocess
from itertools import product
from pathlib import Path

import pytest

from folkmoot.api.machine import Taken
from folkmoot.wiring.running import salvage
from tests.some import some
from tests.worker.test_kill import wait_until_gone
from tests.worker.test_steering import take, worker_at_work
from tests.worker.yard import Yard, git

REPOSITORY = (
    "mkdir -p AT/objects AT/refs; touch AT/objects/k AT/refs/k; echo ref: refs/heads/main > AT/HEAD; "
    "printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = ..\\n' > AT/config; "
    "echo fsmonitor = touch MARK >> AT/config"
)
MONITOR, BARE = "git config core.fsmonitor 'touch MARK'", REPOSITORY.replace("AT", "left/bare")
BOARD = "mkdir -p .moot left/else/.moot; touch .moot/board.db left/else/.moot/board.db"
FLOW = """
flow: taken
start: dev
limits: {slots: 1, lease: 60s, timeout: 300s, silence: 300s, executions: 1}
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {command: ACTOR}, write: any, setup: [[sh, build.sh]], ladder: {0: small, 1+: escalate}}}
"""


def taken_from(yard: Yard, *lines: str) -> Taken:
    """An agent that has done these things is taken over, and its worker is killed."""
    item = yard.add("sly", *lines, "write half.txt half", "say here", "wait 300")
    worker = worker_at_work(yard)
    try:
        return take(yard, item)
    finally:
        worker.kill()
        worker.wait()
        wait_until_gone(yard.folder)


def look_around(taken: Taken) -> None:
    """The person's git in every folder of the clone, as they have it in any terminal."""
    for folder, _, _ in os.walk(taken.workspace):
        if ".git" not in Path(folder).relative_to(taken.workspace).parts[:1]:
            subprocess.run(["git", "status", "-s"], cwd=folder, capture_output=True)


@pytest.mark.ledger("Q-03")
@pytest.mark.attack(
    "tree",
    "an agent plants a repository whose config names a command, by its work or by what setup runs, and is taken over",
    "the clone that the person gets is without it, as a salvaged branch is, and they are told",
)
def test_no_git_of_a_person_who_takes_an_item_runs_what_its_agent_planted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "mark"
    plants = REPOSITORY.replace("MARK", str(mark))
    yard = Yard(tmp_path / "yard", flow=FLOW, files={"build.sh": "true\n"})
    build = f"write build.sh mkdir -p left; {plants.replace('AT', 'left/.git')}"
    taken = taken_from(yard, f"shell {plants.replace('AT', 'sub')}", build)
    assert (Path(taken.workspace) / "half.txt").exists() and "left out of the clone" in capsys.readouterr().out
    look_around(taken)
    assert (Path(taken.workspace) / "left").is_dir() and not mark.exists()
    yard.close()


@pytest.mark.attack(
    "tree",
    "what a taken agent wrote runs in setup, plants commands in the clone's own `.git`, repositories or boards",
    "the clone that the person gets has the `.git` that moot made, and no other, and no board, however setup has ended",
)
@pytest.mark.parametrize(
    "plants, end", some(product([MONITOR, BARE], ["true", "exit 1"]), [(MONITOR, "true"), (BARE, "exit 1")])
)
def test_nothing_that_setup_left_runs_by_a_persons_git(plants: str, end: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    yard = Yard(tmp_path / "yard", flow=FLOW, files={"build.sh": "true\n", ".gitignore": "left\n"})
    taken = taken_from(yard, f"write build.sh {plants.replace('MARK', str(mark))}; {BOARD}; {end}")
    look_around(taken)
    assert (Path(taken.workspace) / "half.txt").exists() and (Path(taken.workspace) / "left" / "else").is_dir()
    assert not mark.exists() and not list(Path(taken.workspace).rglob(".moot"))
    yard.close()


@pytest.mark.attack(
    "gates",
    "setup of a clone with a taken agent's unproved work fills the caches from which setups of all runs are made",
    "it has a cache of its own, and what it leaves is kept for that very work alone",
)
def test_setup_of_taken_work_fills_nothing_that_other_runs_get(tmp_path: Path) -> None:
    clone = "clone: {setup: [[sh, build.sh]], setup_from: [lock]}\n"
    files = {"build.sh": "mkdir -p deps; echo good > deps/it\n", "lock": "1\n", ".gitignore": "deps\n"}
    yard = Yard(tmp_path / "yard", flow=clone + FLOW.replace("setup: [[sh, build.sh]], ", ""), files=files)
    build = 'write build.sh mkdir -p "$XDG_CACHE_HOME" deps; touch "$XDG_CACHE_HOME/poison"; echo bad > deps/it'
    taken = taken_from(yard, "write lock 2", build)
    assert (Path(taken.workspace) / "deps" / "it").read_text() == "bad\n", "it is there for whoever goes on with it"
    assert not list((yard.folder / ".moot" / "cache").rglob("poison"))
    (yard.folder / "lock").write_text("2\n")
    git(yard.folder, "commit", "-q", "-a", "-m", "the same lock, by the user")
    other = yard.add("honest", "shell cp deps/it seen.txt", "report done")
    yard.run()
    assert yard.status(other) == "done" and yard.landed("seen.txt") == "good"
    yard.close()


@pytest.mark.attack(
    "tree",
    "what a taken agent wrote runs in setup, and leaves settings of a client (hooks, servers) in the clone",
    "they are not there when the person starts a client in it, however setup has ended",
)
@pytest.mark.parametrize("end", some(["true", "exit 1"], ["exit 1"]))
def test_setup_leaves_no_settings_for_the_client_of_a_person(end: str, tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW, files={"build.sh": "true\n", ".gitignore": ".claude\nleft\n"})
    taken = taken_from(yard, f"write build.sh mkdir -p .claude left; touch .claude/hook left/it; {end}")
    assert (Path(taken.workspace) / "left" / "it").exists() and not (
        Path(taken.workspace) / ".claude" / "hook"
    ).exists()
    yard.close()


@pytest.mark.attack(
    "tree",
    "an agent writes settings of a client (hooks, servers) into its own work, and is taken over, or salvaged",
    "the clone that the person gets is without them, and so is the branch: they would run in the person's own client",
)
def test_no_settings_that_an_agent_wrote_meet_the_client_of_a_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yard = Yard(tmp_path / "yard", flow=FLOW, files={"build.sh": "true\n"})
    taken = taken_from(yard, "write .claude/settings.json {}", "write .mcp.json {}", "write .codex/config.toml x")
    said = capsys.readouterr().out
    assert "left out of the clone" in said and ".claude/settings.json" in said
    assert {one.name for one in Path(taken.workspace).iterdir()} == {".git", "README.md", "build.sh", "half.txt"}
    assert taken.took is not None
    salvage(yard.board._application, str(yard.folder / ".moot"), taken.took, None)
    listed = git(yard.folder, "ls-tree", "-r", "--name-only", f"moot/salvage/{taken.took}")
    assert listed.split() == ["README.md", "build.sh", "half.txt"]
    yard.close()


def test_an_included_file_is_there_again_where_setup_has_made_a_folder_of_it(tmp_path: Path) -> None:
    files = {"build.sh": "true\n", ".gitignore": ".env\n", ".worktreeinclude": ".env\n"}
    yard = Yard(tmp_path / "yard", flow=FLOW, files=files)
    (yard.folder / ".env").write_text("A=b\n")
    taken = taken_from(yard, "write build.sh rm .env; mkdir -p .env/x; chmod 0 .env/x")
    assert (Path(taken.workspace) / ".env").read_text() == "A=b\n"
    yard.close()
