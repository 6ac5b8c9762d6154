"""Agents whose files are meant to hold the worker: it stays awake, ends when it is told, and tries nothing twice."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from folkmoot.worker.git.harvest import bounds, rules
from tests.worker.test_kill import KILLED, processes_in, wait_until_gone
from tests.worker.yard import Yard, git

NESTED = "**/a/" * 16 + "b"
HOLDS = "shell mkdir -p $(seq -s/ 40 | tr -dc / | sed s,/,a/,g) && touch $(seq -s/ 40 | tr -dc / | sed s,/,a/,g)f"
IGNORES = f"write .gitignore {NESTED}"


def aside(yard: Yard) -> list[str]:
    folder = yard.folder / ".moot" / "set-aside"
    return sorted(os.listdir(folder)) if folder.exists() else []


def left(yard: Yard) -> list[str]:
    return sorted(os.listdir(yard.folder / ".moot" / "runs"))


def no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nobody had thought of these rules: then the clock must hold."""
    monkeypatch.setattr(rules, "STARS_MAX", 1_000)


@pytest.mark.attack("harvest", "files that cannot be taken in", "they are put aside once, and a person is told")
def test_what_is_too_slow_is_put_aside_once_and_said(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("slow", HOLDS, IGNORES, "write mark.txt mine", "report done")
    yard.run()
    shown = yard.show(item)
    runs = [run["run"] for run in shown["runs"]]
    assert [run["cause"] for run in shown["runs"]] == ["conflict"] * 3  # twice again, then a person
    assert shown["status"] == "awaiting-divine-guidance"
    assert aside(yard) == sorted(runs) and left(yard) == []
    for run in runs:
        assert (yard.folder / ".moot" / "set-aside" / run / "mark.txt").read_text() == "mine\n"
        assert f"what it left is in .moot/set-aside/{run}" in str(shown["runs"])
    faults = [told.words for told in yard.told if told.what == "fault"]
    assert len(faults) == 3 and all(".gitignore:1 has a rule" in words for words in faults)
    yard.run()
    assert [told.words for told in yard.told if told.what == "fault"] == faults, "nobody tried it again"
    assert yard.commits() == ["first"]
    yard.doctor()
    yard.close()


@pytest.mark.attack("harvest", "rules that git follows for hours", "git's time is short; the others work on meanwhile")
def test_the_clock_holds_where_nothing_was_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_look(monkeypatch)
    monkeypatch.setattr(bounds, "HARVEST_SECONDS", 3.0)
    yard = Yard(tmp_path / "yard", lease="2s")
    slow = yard.add("slow", HOLDS, IGNORES, "report failed {}")
    item = yard.add("quick", "write quick.txt q", "report done")
    yard.run(slots=2)
    assert yard.status(item) == "done"
    runs = yard.show(slow)["runs"]
    assert runs[0]["outcome"] == "failed" and runs[0]["end"] == "reported", "its lease, of 2 s, was held"
    assert any("was not done after 3 s" in told.words for told in yard.told if told.what == "fault")
    assert runs[0]["run"] in aside(yard) and left(yard) == []
    yard.doctor()
    yard.close()


def begun(yard: Yard) -> "subprocess.Popen[bytes]":
    """A worker whose git is busy with the rules of an agent."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NO_LOOK": "1"}
    command = [sys.executable, str(KILLED), str(yard.folder), "never"]
    worker = subprocess.Popen(command, env=env, stdout=subprocess.PIPE)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if any("ls-files" in words and "--others" in words for words in processes_in(yard.folder)):
            return worker
        assert worker.poll() is None
        time.sleep(0.05)
    worker.kill()
    raise AssertionError("git never began")


@pytest.mark.attack("harvest", "git is busy with an agent's files when the worker is killed", "git dies with it")
def test_git_dies_with_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = Yard(tmp_path / "yard", lease="2s")
    item = yard.add("slow", HOLDS, IGNORES, "write mark.txt mine", "report done")
    worker = begun(yard)
    worker.kill()
    worker.communicate()
    wait_until_gone(yard.folder)
    # What it left is tried once more by the next worker, in bounds, and then put aside.
    run = yard.show(item)["runs"][0]["run"]
    yard.board.cancel(item)
    assert left(yard) == [run]
    yard.run()
    assert left(yard) == [] and aside(yard) == [run]
    assert (yard.folder / ".moot" / "set-aside" / run / "mark.txt").exists()
    assert any(f"what run {run} left was not taken in" in told.words for told in yard.told)
    (noted,) = yard.show(item)["comments"]
    assert noted["content"].endswith(f"what it left is in .moot/set-aside/{run}")
    yard.close()


@pytest.mark.attack("harvest", "git is busy with an agent's files at Ctrl-C", "the second Ctrl-C ends it")
def test_two_interrupts_end_a_harvest(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", lease="60s")
    item = yard.add("slow", HOLDS, IGNORES, "write mark.txt mine", "report done")
    worker = begun(yard)
    assert worker.stdout is not None
    with worker.stdout as said:
        for _ in range(2):  # one after the other: the system makes one of two that come together
            worker.send_signal(signal.SIGINT)
            assert said.readline() == b"interrupted\n"
    began = time.monotonic()
    assert worker.wait(bounds.HARVEST_SECONDS) == 0
    assert time.monotonic() - began < bounds.HARVEST_SECONDS / 2
    wait_until_gone(yard.folder)
    assert yard.show(item)["runs"][0]["end"] == "released"
    assert (yard.folder / ".moot" / "runs" / yard.show(item)["runs"][0]["run"] / "workspace" / "mark.txt").exists()
    yard.close()


@pytest.mark.attack(
    "limits", "a change of more files or bytes than the flow allows", "refused whole, by how much is said"
)
def test_a_change_beyond_the_limits_is_refused_whole_and_kept(tmp_path: Path) -> None:
    more = "limits: {slots: 4, executions: 2, change_files: 20, change_bytes: 100000}"
    flow = f"""
flow: small
start: dev
{more}
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{command: ACTOR}}, write: own}}}}
"""
    yard = Yard(tmp_path / "yard", flow=flow)
    many = yard.add("many", "shell mkdir m && cd m && seq 25 | xargs touch", "report done")
    large = yard.add("large", "shell truncate -s 40G large", "report done")
    fits = yard.add("fits", "shell mkdir f && cd f && seq 20 | xargs touch", "report done")
    yard.run()
    assert "it changed 25 files, 5 more than `change_files` allows (20)" in str(yard.show(many)["runs"])
    words = f"it changed {40 << 30} bytes, {(40 << 30) - 100_000} more than `change_bytes` allows (100000)"
    assert words in str(yard.show(large)["runs"])
    assert yard.status(fits) == "done"
    kept = {run["run"] for item in (many, large) for run in yard.show(item)["runs"]}
    assert set(aside(yard)) == kept and left(yard) == []
    assert len(yard.commits()) <= 2
    yard.doctor()
    yard.close()


@pytest.mark.attack(
    "harvest", "a change that git compares for hours", "a reviewer is told that it is too large to show"
)
def test_a_diff_that_takes_too_long_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.worker.workspaces.DIFF_SECONDS", 0.0)
    yard = Yard(tmp_path / "yard")
    item = yard.add("one", "write a.txt a", "report done")
    yard.run()
    shown = yard.show(item)
    parts = yard.queries.output(shown["runs"][0]["run"])["parts"]
    (diff,) = [part["text"] for part in parts if part["part"] == 1_000_000]
    assert diff.startswith("too large to show:") and yard.status(item) == "done"
    yard.close()


@pytest.mark.attack(
    "harvest", "an agent works in the folder of a submodule", "the run is refused in words, and its files are put aside"
)
def test_what_is_put_into_a_submodule_is_not_thrown_away(tmp_path: Path) -> None:
    other = Yard(tmp_path / "other")
    yard = Yard(tmp_path / "yard")
    names = ("-c", "protocol.file.allow=always")
    git(yard.folder, *names, "submodule", "add", "-q", str(other.folder), "sub")
    git(yard.folder, "commit", "-q", "-m", "sub")
    item = yard.add("one", "write sub/work.txt mine", "report done")
    honest = yard.add("two", "write a.txt a", "report done")
    yard.run()
    assert yard.status(honest) == "done"
    last = yard.show(item)["runs"][-1]
    assert last["outcome"] == "failed" and "submodule" in str(last), last
    kept = list((yard.folder / ".moot" / "set-aside").glob("*/workspace/sub/work.txt"))
    kept += list((yard.folder / ".moot" / "set-aside").glob("*/sub/work.txt"))
    assert kept and kept[0].read_text() == "mine\n"
    yard.doctor()


@pytest.mark.attack(
    "harvest",
    "in a plain folder an agent makes folders in each other, so deep that no path leads there",
    "they are one thing that is not looked into; those that come after it work on",
)
@pytest.mark.ledger("R-20")
def test_folders_too_deep_for_a_path_stop_nobody(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", plain=True, agent="write: any")
    name = "d" * 100
    yard.add("deep", f"shell for i in $(seq 60); do mkdir {name}; cd {name}; done; touch x; true", "report done")
    yard.run()
    honest = yard.add("honest", "write ok.txt x", "report done")
    yard.run()
    assert yard.status(honest) == "done"
    changed = [one["path"] for one in yard.show(honest)["runs"][-1]["changed"]]
    assert changed == ["ok.txt"], "what was there before is nobody's change"
    subprocess.run(["rm", "-rf", str(yard.folder / name)], check=True)  # Python's own way has no path to it either
    yard.doctor()
    yard.close()
