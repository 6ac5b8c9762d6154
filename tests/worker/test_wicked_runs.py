"""Agents that do their worst, through the real worker: nobody is left alive, no work is lost, the board is sound."""

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.worker.test_kill import wait_until_gone
from tests.worker.yard import Yard, git

# Each is a program for /bin/sh in the workspace; `mark` and `done` are added where the trick lets them.
DONE = """echo '{"outcome": "done", "summary": "it is done: nothing had to change"}'"""
FLOW = """
flow: wicked
start: dev
limits: {{slots: 8, lease: 60s, timeout: 8s, silence: 6s, executions: 1}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents:
  dev:
    run: {{command: {command}}}
    ladder: {{0: small, 1+: escalate}}
sandbox: {sandbox}
"""
READS_ITS_ITEM = (
    "import json, os; item = json.load(open(os.environ['MOOT_BRIEF']))['task'];"
    "os.execv('/bin/sh', ['/bin/sh', '-c', item['body']])"
)

TRICKS = {
    "forks twice and leaves": f"(setsid sleep 300 &); {DONE}",
    "is a session of its own": f"exec setsid /bin/sh -c 'setsid sleep 300 & echo here; {DONE[5:]}'",
    "is deaf": f"trap '' TERM HUP INT; (trap '' TERM; sleep 300) & {DONE}",
    "is deaf and never ends": "trap '' TERM HUP INT; while :; do sleep 1; done",
    "stands still": "kill -STOP $$",
    "forks a hundred": f"for n in $(seq 100); do sleep 300 & done; {DONE}",
    "leaves its output open to a child": f"sleep 300 & {DONE}",
    "goes on writing after its end": f"(while :; do date >> after.log; sleep 0.01; done) & {DONE}",
    "floods its output": f"head -c 8000000 /dev/zero | tr '\\0' x | fold -w 90; {DONE}",
    "floods its errors": f"head -c 8000000 /dev/zero | tr '\\0' e | fold -w 90 >&2; {DONE}",
    "says it in one line": f"head -c 5000000 /dev/zero | tr '\\0' y; echo; {DONE}",
    "prints what is no text": f"printf '\\377\\376\\000\\033[31m\\033]0;title\\007\\200\\n'; {DONE}",
    "closes its output and goes on": "exec >&- 2>&- <&-; sleep 0.3",
    "ends without a word": "exit 0",
    "fails without a word": "exit 7",
    "kills itself": "kill -9 $$",
    "kills its group": "kill -9 0",
    "deletes its .git": f"rm -rf .git; {DONE}",
    "points its .git elsewhere": f"rm -rf .git; echo 'gitdir: /nowhere/else' > .git; {DONE}",
    "makes its .git a link": f"rm -rf .git; ln -s /tmp .git; {DONE}",
    "spoils its .git": f"echo rubbish > .git/HEAD; echo rubbish > .git/index; rm -rf .git/objects; {DONE}",
    "plants a filter": f"printf '* filter=x\\n' > .gitattributes; git config filter.x.clean 'sleep 99'; {DONE}",
    "closes everything": f"mkdir -p d/e; echo x > d/e/f; chmod -R 000 d; chmod 000 *.txt .; {DONE}",
    "closes its umask": f"umask 777; echo x > closed; mkdir shut; {DONE}",
    "writes ten thousand files": f"mkdir many; cd many; seq 10000 | xargs touch; {DONE}",
    "makes pipes and links": f"mkfifo pipe; ln -s /etc/passwd way-out; ln -s . loop; ln pipe other; {DONE}",
    "makes a repository in it": f"git init -q inner; echo x > inner/f; git -C inner add .; {DONE}",
    "names files badly": f"touch -- -rf 'a\nb' \"$(printf 'n\\377')\"; mkdir -p .GIT/hooks; touch .GIT/hooks/x; {DONE}",
    "reports for another run": """echo '{"outcome": "done", "run": "rffffffffffff", "token": 99}' > "$MOOT_REPORT" """,
    "reports what is no report": 'head -c 300000 /dev/urandom > "$MOOT_REPORT"',
    "reports too much": "head -c 3000000 /dev/zero | tr '\\0' r > \"$MOOT_REPORT\"",
    "reports through a pipe": 'mkfifo "$MOOT_REPORT"',
    "reports with a folder": 'mkdir "$MOOT_REPORT"',
    "reports through a link": 'ln -s /etc/passwd "$MOOT_REPORT"',
    "reports paths outside": """echo '{"outcome": "done", "files": {"created": ["../../x", "/etc/passwd"]}}'""",
    "deletes its spool": f'rm -rf "$(dirname "$MOOT_BRIEF")"; {DONE}',
    "deletes its home": f'rm -rf "$HOME"; {DONE}',
}
# After these there is no workspace any more, or another: nothing can be expected of it.
DESTROYERS = {
    "deletes its workspace": f'rm -rf "$PWD"; {DONE}',
    "empties its workspace": f"find . -delete; {DONE}",
    "replaces its workspace": f'here="$PWD"; cd ..; mv "$here" gone; ln -s /etc "$here"; {DONE}',
    "moves another into its place": f'here="$PWD"; cd ..; mv "$here" gone; mkdir "$here"; {DONE}',
}
KEPT_CHARACTERS_MAX = 600_000  # the beginning, the end and the diff
SOME = ["is deaf", "floods its output", "kills its group", "deletes its .git", "forks twice and leaves"]
# One for each part of the worker that is tried: its limits, its ears, what it takes in, where a report may be.
BOXED = [
    "is deaf and never ends",
    "goes on writing after its end",
    "prints what is no text",
    "ends without a word",
    "spoils its .git",
    "closes everything",
    "makes pipes and links",
    "names files badly",
    "reports too much",
    "reports through a pipe",
    "deletes its spool",
]

Case = tuple[str, str, bool]  # a title, what it does, and whether its mark must be found again


def cases() -> list[Case]:
    return [(name, text, True) for name, text in TRICKS.items()] + [
        (name, text, False) for name, text in DESTROYERS.items()
    ]


def mixed(seed: int, count: int) -> list[Case]:
    """One trick after another in the same run."""
    chance, found = random.Random(seed), []
    for _ in range(count):
        names = chance.sample(sorted(TRICKS), 2) + chance.sample(sorted(DESTROYERS), int(chance.random() < 0.1))
        text = "\n".join(f"( {(TRICKS | DESTROYERS)[name]} )" for name in names)
        found.append((" then ".join(names), text, not DESTROYERS.keys() & set(names)))
    return found


def left_by(folder: Path) -> list[str]:
    """Processes that were started for a run of this yard, wherever they are now."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and str(folder).encode() in (entry / "environ").read_bytes():
                found.append(f"{entry.name} {(entry / 'cmdline').read_bytes()!r}")
        except OSError:
            continue  # it has ended, or is a kernel's
    return found


def kept_work(yard: Yard) -> set[tuple[str, str]]:
    """The paths that have landed, on the target or beside it; and by item those that a person can have back, as a
    commit or, where it was too much for one, from the folder it was put in.

    Landed once is enough: another item may have deleted it since, as its own work.
    """
    landed = git(yard.folder, "log", "--branches", "--format=", "--name-only", "--diff-filter=A", "-m").splitlines()
    saved = yard.board.boards.unlanded(yard.board._application).unlanded
    found = {("", path) for path in landed} | {(one.item, path) for one in saved for path in one.files}
    for aside in (yard.folder / ".moot" / "set-aside").glob("*"):
        item = yard.board._application.queries.run_context(aside.name).item
        found |= {(item, file.name) for file in aside.iterdir()}
    return found


def survives(folder: Path, sandbox: str, wicked: list[Case]) -> None:
    """Run them all, eight at a time; whatever they did, everything must hold afterwards."""
    yard = Yard(folder, flow=FLOW.format(command=[sys.executable, "-c", READS_ITS_ITEM], sandbox=sandbox))
    items: dict[str, tuple[str, str, bool]] = {}
    for number, (title, text, kept) in enumerate(wicked):
        mark = f"mark-{number}.txt"
        items[yard.add(title, f"echo {number} > {mark}", text)] = (mark, title, kept)
    yard.run(slots=8)

    wait_until_gone(folder)
    assert left_by(folder) == []
    yard.doctor()
    assert [run["run"] for run in yard.queries.live()["runs"]] == []
    assert list((folder / ".moot" / "runs").iterdir()) == []
    found = kept_work(yard)
    lost = [title for item, (mark, title, kept) in items.items() if kept and not {("", mark), (item, mark)} & found]
    assert lost == [], f"work is lost: {lost}"
    for item, (_, title, _) in items.items():
        shown = yard.show(item)
        assert shown["runs"], f"{title} was never run"
        assert shown["status"] in ("done", "awaiting-divine-guidance"), f"{title}: {shown['status']}, {shown['why']}"
        for run in shown["runs"]:
            parts = yard.queries.output(run["run"])["parts"]
            assert sum(len(part["text"]) for part in parts) < KEPT_CHARACTERS_MAX, title
            assert not any("\0" in part["text"] for part in parts)
    assert git(folder, "status", "--porcelain", "--untracked-files=no") == ""
    yard.close()


@pytest.mark.ledger("R-19", "R-22")
def test_some_wicked_agents_in_a_sandbox(tmp_path: Path) -> None:
    some = [case for case in cases() if case[0] in {*SOME, *BOXED, "replaces its workspace"}]
    assert len(some) == len(SOME) + len(BOXED) + 1
    survives(tmp_path / "yard", "auto", some)


@pytest.mark.slow
@pytest.mark.ledger("R-19", "R-22")
def test_all_wicked_agents_in_a_sandbox(tmp_path: Path) -> None:
    survives(tmp_path / "yard", "auto", cases())


@pytest.mark.ledger("R-19", "R-22")
def test_wicked_agents_without_a_sandbox(tmp_path: Path) -> None:
    some = [case for case in cases() if case[0] in {*SOME, *DESTROYERS, "stands still", "closes everything"}]
    survives(tmp_path / "yard", "never", some)


@pytest.mark.ledger("R-19")
def test_what_cannot_be_taken_in_is_not_thrown_away(tmp_path: Path) -> None:
    """An agent outside of a sandbox stands in the way of the engine's index: its work is put aside, once, and said."""
    yard = Yard(tmp_path / "yard", flow=FLOW.format(command=[sys.executable, "-c", READS_ITS_ITEM], sandbox="never"))
    item = yard.add("locks", "echo x > mark.txt", "mkdir -p ../index.lock/x", DONE)
    yard.run()
    runs = yard.show(item)["runs"]
    left = [yard.folder / ".moot" / "set-aside" / run["run"] for run in runs]
    assert [(folder / "mark.txt").exists() for folder in left] == [True] * len(left)
    assert [run["cause"] for run in runs] == ["transient"] * len(runs)
    told = [told.words for told in yard.told if told.what == "fault"]
    assert len(told) == len(runs) and all("could not be taken in, and is in .moot/set-aside/" in one for one in told)
    yard.run()
    assert (item, "mark.txt") in kept_work(yard)
    assert [told.words for told in yard.told if told.what == "fault"] == told, "nobody tried it again"
    assert list((yard.folder / ".moot" / "runs").iterdir()) == []
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-29")
def test_a_store_that_cannot_be_reached_for_a_while_costs_no_run(tmp_path: Path) -> None:
    """Another process holds the board for longer than anybody waits, while a run prints, is renewed and reports."""
    text = FLOW.format(command=[sys.executable, "-c", READS_ITS_ITEM], sandbox="never").replace(
        "lease: 60s", "lease: 9s"
    )
    yard = Yard(tmp_path / "yard", flow=text)
    item = yard.add("patient", "echo x > mark.txt", "echo here; sleep 1; echo there; sleep 1", DONE)
    store: Any = yard.board._application.engine.store
    store._patience.seconds = 0.2
    seen: list[str] = []

    def hold() -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until and not any(told.what == "started" for told in yard.told):
            time.sleep(0.02)
        with closing(apsw.Connection(str(yard.folder / ".moot" / "board.db"))) as other:
            other.set_busy_timeout(5000)
            other.execute("BEGIN IMMEDIATE")
            seen.append("held")
            time.sleep(4.0)
            other.execute("ROLLBACK")

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        yard.run()
        holding.result()
    shown = yard.show(item)
    assert seen == ["held"] and any(told.what == "fault" for told in yard.told)
    assert [run["outcome"] for run in shown["runs"]] == ["done", "done"], "the effort and its landing"
    words = yard.output(shown["runs"][0]["run"])
    assert "here" in words and "there" in words
    yard.doctor()
    yard.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_thousand_wicked_agents(seed: int, tmp_path: Path) -> None:
    survives(tmp_path / "yard", "never" if seed % 2 else "auto", mixed(seed, 50))
