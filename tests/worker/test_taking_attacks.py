"""A person stands in the clone that they take with all their rights: nothing of an agent's runs by their git."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.worker.test_kill import wait_until_gone
from tests.worker.test_steering import take, worker_at_work
from tests.worker.yard import Yard

REPOSITORY = (
    "mkdir -p AT/objects AT/refs; touch AT/objects/k AT/refs/k; echo ref: refs/heads/main > AT/HEAD; "
    "printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = ..\\n' > AT/config; "
    "echo fsmonitor = touch MARK >> AT/config"
)


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
    flow = """
flow: taken
start: dev
limits: {slots: 1, lease: 60s, timeout: 300s, silence: 300s, executions: 1}
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {command: ACTOR}, write: any, setup: [[sh, build.sh]], ladder: {0: small, 1+: escalate}}}
"""
    yard = Yard(tmp_path / "yard", flow=flow, files={"build.sh": "true\n"})
    build = f"write build.sh mkdir -p left; {plants.replace('AT', 'left/.git')}"
    item = yard.add("sly", f"shell {plants.replace('AT', 'sub')}", build, "write half.txt half", "say here", "wait 300")
    worker = worker_at_work(yard)
    try:
        taken = take(yard, item)
    finally:
        worker.kill()
        worker.wait()
        wait_until_gone(yard.folder)
    assert (Path(taken.workspace) / "half.txt").exists() and "left out of the clone" in capsys.readouterr().out
    for folder, _, _ in os.walk(taken.workspace):
        if ".git" not in Path(folder).relative_to(taken.workspace).parts[:1]:
            subprocess.run(["git", "status", "-s"], cwd=folder, capture_output=True)
    assert (Path(taken.workspace) / "left").is_dir() and not mark.exists()
    yard.close()
