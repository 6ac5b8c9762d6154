"""A clone in which the project runs: setup that is kept, ports of a run's own, teardown."""

import json
import os
import signal
import socket
import subprocess
import sys
import tarfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from folkmoot.system.processes.port_ranges import take_ports
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.setups import kept
from tests.some import some
from tests.worker.yard import Yard, git

# A setup that tells how often it ran, and leaves what installers leave: a tool that knows the path of its clone.
INSTALL = """
mkdir -p deps/bin more
printf '#!/bin/sh\\n# %s/deps\\necho tool "$(dirname "$0")"\\n' "$PWD" > deps/bin/tool; chmod +x deps/bin/tool
ln -s "$PWD/deps/bin/tool" deps/tool
cp lock.txt deps/from; echo "$MOOT_PORT$MOOT_ITEM" > deps/own; date +%N%s > deps/stamp
echo ran; echo newer >> lock.txt
"""
FLOW = """
flow: ready
start: dev
limits: {slots: 1, lease: 60s, timeout: 60s, silence: 50s, executions: 1, feedback_rounds: 1}
columns: {dev: {agents: [dev], next: done, gate: [check]}}
agents: {dev: {run: {command: ACTOR}, write: own, ladder: {0: small, 1+: escalate}}}
gates: {check: {run: [sh, -c, "cat deps/from deps/stamp; grep -q $PWD/deps deps/bin/tool && deps/tool"]}}
clone: {setup: [[sh, install.sh]], setup_from: [lock.txt, install.sh]MORE}
"""
FILES = {"install.sh": INSTALL, "lock.txt": "one\n", ".gitignore": "deps/\nmore/\n"}


def yard_of(folder: Path, more: str = "", flow: str = FLOW, files: dict[str, str] | None = None) -> Yard:
    return Yard(folder, files=files or FILES, flow=flow.replace("MORE", more))


def runs_of(yard: Yard, item: str) -> list[dict[str, Any]]:
    return [run for run in yard.show(item)["runs"] if run["agent"] != "landing"]


def outputs(yard: Yard, *items: str) -> list[str]:
    return [yard.output(run["run"]) for item in items for run in runs_of(yard, item)]


def stamps(yard: Yard, *items: str) -> set[str]:
    words = [proof["evidence"]["output"].splitlines()[1] for item in items for proof in yard.show(item)["evidence"]]
    return set(words)


@pytest.mark.ledger("R-17")
def test_setup_runs_once_for_each_content_of_the_files_it_depends_on(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard")
    items = [yard.add(f"item {n}", f"write own{n}.txt x", "report done") for n in range(3)]
    yard.run()
    assert [yard.status(item) for item in items] == ["done"] * 3, outputs(yard, *items)
    said = outputs(yard, *items)
    assert sum("ran" in words.split() for words in said) == 1, said
    assert len(stamps(yard, *items)) == 1
    told = [(run["setup_kept"], run["setup_seconds"]) for item in items for run in runs_of(yard, item)]
    assert sorted(kept for kept, _ in told) == [False, *[True] * 5]
    assert all(seconds is not None for _, seconds in told)
    assert yard.landed("lock.txt") == "one"
    yard.doctor()


def test_a_kept_setup_knows_nothing_of_the_run_that_made_it(tmp_path: Path) -> None:
    """Whatever it wrote of the clone's path is the path of the clone where it is now."""
    yard = yard_of(tmp_path / "yard")
    item = yard.add(
        "one",
        'shell test -z "$(cat deps/own)" && deps/tool && readlink deps/tool',
        "shell echo $MOOT_ITEM >> own.txt",
        "report done",
    )
    yard.run()
    other = yard.add(
        "two",
        'shell test -z "$(cat deps/own)" && deps/tool && readlink deps/tool',
        "shell echo $MOOT_ITEM >> own.txt",
        "report done",
    )
    yard.run()
    first, second = outputs(yard, item)[0], outputs(yard, other)[0]
    run = runs_of(yard, other)[0]["run"]
    assert f"{run}/workspace/deps/bin/tool" in second, second
    assert "deps/bin/tool" in first and run not in first


@pytest.mark.attack(
    "gates",
    "work that nobody has proved changes what setup runs, or an agent writes what setup left in its own clone",
    "what it left is kept for that very work alone: the next run, and every other gate, get what landed code made",
)
@pytest.mark.ledger("R-20", "R-22")
def test_what_an_agent_makes_of_setup_reaches_nobody_else(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", flow=FLOW.replace("lock.txt, install.sh]", "lock.txt]"))
    seen = "cat deps/from; test ! -e deps/poison"
    poison = yard.add(
        "poison",
        "write install.sh mkdir -p deps/bin; touch deps/poison; echo bad > deps/from; exit 0",
        "shell echo poison > deps/from; echo poison > deps/bin/tool; touch deps/poison",
        "report done",
    )
    yard.run()
    later = yard.add("later", f"shell {seen}", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    words = outputs(yard, later)[0]
    assert words.splitlines()[0] == "one" and "poison" not in words, words
    assert yard.status(later) == "done", words
    assert "poison" not in "".join(p["evidence"]["output"] for p in yard.show(later)["evidence"])
    assert yard.show(poison) is not None
    yard.doctor()


def test_a_changed_lock_file_has_a_setup_of_its_own_and_lands_with_it(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard")
    item = yard.add("upgrade", "shell cat deps/from", "write lock.txt two", "report done")
    yard.run()
    assert yard.status(item) == "done", outputs(yard, item)
    assert yard.landed("lock.txt") == "two"
    said = outputs(yard, item)
    assert ["ran" in words.split() for words in said] == [True, True], said
    after = yard.add("after", "shell cat deps/from", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    words = outputs(yard, after)[0]
    # Made by work that nobody had proved: code that landed makes it anew, once.
    assert "two" in words and "ran" in words.split(), words


def test_without_setup_from_each_run_has_its_own_setup_and_ports(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", flow=FLOW.replace(", setup_from: [lock.txt, install.sh]", ""))
    item = yard.add(
        "one", "shell cat deps/own; echo port $MOOT_PORT", "shell echo $MOOT_ITEM >> own.txt", "report done"
    )
    yard.run()
    said = outputs(yard, item)
    assert yard.status(item) == "done", said
    assert ["ran" in words.split() for words in said] == [True, True]
    port = said[0].split("port ")[1].split()[0]
    assert f"{port}{item}" in said[0] and int(port) >= 20_000, said[0]


def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "KEPT_MAX", 2)
    yard = yard_of(tmp_path / "yard")
    for number in range(4):
        (yard.folder / "lock.txt").write_text(f"{number}\n")
        git(yard.folder, "commit", "-qam", f"lock {number}")
        yard.add(f"item {number}", "shell echo $MOOT_ITEM >> own.txt", "report done")
        yard.run()
    there = [name for name in os.listdir(yard.folder / ".moot" / "setups") if not name.startswith(".")]
    assert len(there) == 2, there


def test_what_setup_says_is_kept_also_where_it_fails(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", files={**FILES, "install.sh": "echo the cause is here; exit 3"})
    item = yard.add("one", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    run = yard.show(item)["runs"][0]
    assert run["cause"] == "environment"
    assert "the cause is here" in yard.output(run["run"])


def test_teardown_runs_after_the_run_with_its_port_and_changes_nothing_that_lands(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    command = f"echo $MOOT_ITEM $MOOT_PORT $(cat own.txt) >> {log}/torn; echo late > late.txt; exit $(cat own.txt)"
    yard = yard_of(
        tmp_path / "yard",
        more=", teardown: [[sh, -c, " + json.dumps(command) + "]]",
        flow=FLOW + "sandbox: never\n",
    )
    item = yard.add("one", "shell echo port $MOOT_PORT", "write own.txt 0", "report done")
    yard.run()
    assert yard.status(item) == "done", outputs(yard, item)
    lines = [line.split() for line in (log / "torn").read_text().splitlines()]
    port = outputs(yard, item)[0].split("port ")[1].split()[0]
    assert lines[0] == [item, port, "0"] and len(lines) == 2, lines
    assert "late.txt" not in git(yard.folder, "ls-tree", "-r", "--name-only", "main")


def test_a_teardown_that_fails_is_told_and_stops_nothing(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", more=", teardown: [[sh, -c, 'echo no such container; exit 7'], [nothing-here]]")
    item = yard.add("one", "write own.txt 0", "report done")
    yard.run()
    assert yard.status(item) == "done"
    faults = [event.words for event in yard.told if event.what == "fault"]
    assert any("no such container" in words and "nothing-here is not installed" in words for words in faults), faults


def test_ports_of_two_ranges_never_meet_and_one_that_is_taken_is_left_out() -> None:
    ranges = [take_ports(10) for _ in range(20)]
    firsts = sorted(one.first for one in ranges)
    assert all(later - earlier >= 10 for earlier, later in pairwise(firsts))
    wide = take_ports(25)
    assert not any(wide.first <= first < wide.first + 30 for first in firsts)
    for one in [*ranges, wide]:
        one.close()


def test_a_range_in_which_somebody_listens_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    from folkmoot.system.processes import port_ranges

    held = take_ports(10)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", held.first + 3))
        listener.listen()
        held.close()
        monkeypatch.setattr(port_ranges, "FIRST", held.first)
        monkeypatch.setattr(port_ranges, "LAST", held.first + 21)
        other = take_ports(10)
        assert other.first == held.first + 10
        other.close()


@pytest.mark.parametrize("said", ["report done", "moot report done --summary made"])
def test_after_a_killed_worker_the_next_one_tears_down(tmp_path: Path, said: str) -> None:
    """Whether its lease has ended, or its report is brought in while it lasts."""
    log = tmp_path / "torn"
    teardown = f"echo $MOOT_ITEM $MOOT_PORT >> {log}"
    flow = FLOW.replace(", gate: [check]", "") + "sandbox: never\n"
    yard = yard_of(tmp_path / "yard", ", teardown: [[sh, -c, " + json.dumps(teardown) + "]]", flow)
    item = yard.add("one", "write own.txt x", said)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = Path(__file__).with_name("killed.py")
    worker = subprocess.run([sys.executable, str(killed), str(yard.folder), "report"], env=env, check=False)
    assert worker.returncode == -signal.SIGKILL and not log.exists()
    (left,) = (yard.folder / ".moot" / "runs").iterdir()
    port = (left / "port").read_text()
    if said == "report done":
        yard.board.cancel(item)
    yard.run()
    assert log.read_text().split() == [item, port] and not left.exists()
    yard.doctor()


@pytest.mark.attack(
    "gates",
    "what the setup depends on is a link, and a change is made to what that leads to",
    "what an earlier setup left is not taken for it: with a link it is the whole commit that counts",
)
@pytest.mark.parametrize("where", some(["lock.txt", "locks/lock.txt"], ["locks/lock.txt"]))
def test_what_a_link_leads_to_is_a_part_of_what_setup_depends_on(tmp_path: Path, where: str) -> None:
    clone = f"clone: {{setup: [[sh, -c, 'mkdir -p deps; cp {where} deps/lock']], setup_from: [{where}]}}"
    files = {"real/lock.txt": "1\n", ".gitignore": "deps/\n"}
    yard = Yard(
        tmp_path / "yard", agent="write: any", gate=["cmp", "deps/lock", "real/lock.txt"], more=clone, files=files
    )
    if where.startswith("locks"):
        (yard.folder / "locks").symlink_to("real")
    else:
        (yard.folder / where).symlink_to("real/lock.txt")
    git(yard.folder, "add", ".")
    git(yard.folder, "commit", "-q", "-m", "a link")
    yard.add("first", "write a.txt x", "report done")
    yard.run()
    item = yard.add("second", "write real/lock.txt 2", "report done")
    yard.run()
    assert yard.status(item) == "done", yard.show(item)["why"]
    yard.doctor()


def test_what_setups_left_is_in_no_backup_and_in_no_sight_of_git(tmp_path: Path) -> None:
    clone = "clone: {setup: [[sh, -c, 'mkdir -p deps; echo x > deps/big']], setup_from: [lock.txt]}"
    yard = Yard(tmp_path / "yard", more=clone, files={"lock.txt": "1\n", ".gitignore": "deps/\n"})
    (yard.folder / ".moot" / ".gitignore").write_text("board.db*\n")  # of an older version
    yard.add("one", "write a.txt x", "report done")
    yard.run()
    assert len(os.listdir(yard.folder / ".moot" / "setups")) > 1
    assert "setups" not in git(yard.folder, "status", "--porcelain", "--untracked-files=all")
    yard.board.close()
    FileBoards().backup(str(yard.folder), str(tmp_path / "kept"))
    with tarfile.open(tmp_path / "kept") as kept:
        assert not [name for name in kept.getnames() if "setups" in name]
