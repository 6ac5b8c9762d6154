"""The way `moot run` is started does not matter: its agents begin as if nothing had been done to it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.system.git import SystemGit
from tests.some import some
from tests.worker.yard import Yard, git

SIGNALS = "grep -E '^Sig(Ign|Blk)' /proc/self/status"
# As the worst of starters leaves it: all of these ignored, and blocked as well.
STARTER = """
import os, signal, sys
wanted = {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD}
wanted |= {signal.SIGUSR1, signal.SIGALRM}
for number in wanted:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
os.execv(sys.argv[1], sys.argv[1:])
"""
GLIBCS = 1 << 31 | 1 << 32  # the C library keeps 32 and 33 to itself, and whoever was started by make ignores one
FLOW = """
flow: started
start: dev
sandbox: {sandbox}
notify: [/bin/sh, -c, "{signals} >> {notes}/notify"]
columns:
  dev: {{agents: [dev], next: done, gate: [check]}}
agents:
  dev:
    write: any
    setup: [[/bin/sh, -c, "{signals} > setup"]]
    run: {{command: [/bin/sh, -c, "{signals} > agent; cat report.json"]}}
gates:
  check: {{run: [/bin/sh, -c, "{signals}; exit 3"]}}
"""
RUNS = "refs/moot/runs/"
ASKS = '{"outcome": "asks", "question": "which?", "summary": "it must be known"}'


def run_moot(yard: Yard, path: str) -> str:
    """`moot run --until-idle` in the background of nobody, without a terminal; gives what it said."""
    moot = [sys.executable, "-m", "folkmoot", "run", "--until-idle", "--slots", "1"]
    env = {"PATH": path, "HOME": str(yard.folder.parent), "LANG": "C.UTF-8", "USER": "somebody"}
    ran = subprocess.run(
        [sys.executable, "-c", STARTER, *moot],
        cwd=yard.folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def masks(text: str) -> set[int]:
    words = [line.split()[1] for line in text.splitlines() if line.startswith("Sig")]
    assert words and len(words) % 2 == 0, text
    return {int(word, 16) & ~GLIBCS for word in words}


def wait_for(file: Path) -> str:
    """The text of a file that a process of its own writes; it may be a moment late."""
    until = time.monotonic() + 30
    while not (file.exists() and file.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    return file.read_text()


@pytest.mark.attack(
    "start",
    "`moot run` is started in the background with its signals ignored and blocked, without a terminal, below /tmp",
    "agents, gates, setup, the notify command and git start with the usual signals, and exit codes count",
)
@pytest.mark.parametrize("sandbox", some(["auto", "never"], ["auto"]))
def test_nothing_of_how_it_was_started_is_inherited(tmp_path: Path, sandbox: str) -> None:
    notes, bin = tmp_path / "notes", tmp_path / "bin"
    for folder in (notes, bin):
        folder.mkdir()
    (bin / "git").write_text(f'#!/bin/sh\n{SIGNALS} >> {notes}/git\nexec {shutil.which("git")} "$@"\n')
    (bin / "git").chmod(0o755)
    flow = FLOW.format(sandbox=sandbox, signals=SIGNALS, notes=notes)
    files = {"report.json": ASKS}
    yard = Yard(tmp_path / "yard", files=files, flow=flow)
    asks = yard.add("asks")
    run_moot(yard, f"{bin}:{os.environ['PATH']}")
    assert yard.status(asks) == "awaiting-divine-guidance"
    assert masks(wait_for(notes / "notify")) == {0}
    yard.board.cancel(asks)
    (yard.folder / "report.json").write_text('{"outcome": "done", "summary": "made"}')
    git(yard.folder, "commit", "-qam", "another report")
    done = yard.add("done")
    run_moot(yard, f"{bin}:{os.environ['PATH']}")
    runs = yard.show(done)["runs"]
    for path in ("agent", "setup"):
        kept = git(yard.folder, f"--git-dir={yard.folder}/.moot/repo.git", "show", f"{RUNS}{runs[0]['run']}:{path}")
        assert masks(kept) == {0}, path
    gate = next(run for run in runs if run["agent"] == "check")
    assert gate["outcome"] == "failed"  # its exit code was seen, though SIGCHLD was ignored
    assert masks(yard.output(gate["run"])) == {0}
    of_git = 1 << signal.SIGPIPE - 1  # what git fetch ignores for its other side
    assert {mask & ~of_git for mask in masks((notes / "git").read_text())} == {0}
    yard.doctor()


def test_git_says_it_where_exit_codes_are_lost(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(Unavailable) as told:
            SystemGit()("rev-parse", "HEAD", git_dir=str(tmp_path))
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert told.value.code == "exit_codes_lost"
