"""What a sandboxed agent tries to see of the user's repository, and a flow that changes while a worker runs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.commands import ENGINE
from folkmoot.core.flow import Flow
from folkmoot.errors import Unavailable
from folkmoot.system import filter as kernel
from folkmoot.system import sandbox
from folkmoot.system.memory import options
from folkmoot.system.sandbox import Bubblewrap, NoSandbox
from folkmoot.wiring import running
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import tools_of
from folkmoot.worker.git.places import find, private_places, work_trees
from folkmoot.worker.ports import Sandbox
from folkmoot.worker.worker import Worker
from tests.some import some
from tests.worker.yard import Yard, git

WHY = Bubblewrap().why
needs_bwrap = pytest.mark.skipif(bool(WHY), reason=f"NOT TESTED: {WHY}")
CANARY = "canary-" + "77d1c0aa"


@pytest.fixture
def visible(tmp_path: Path) -> Iterator[Path]:
    """A folder that no box covers by itself, as the one for temporary files."""
    top = Path(__file__).parents[2] / ".pytest_cache" / f"seen-{os.getpid()}-{tmp_path.name}"
    if any(top.is_relative_to(path) for path in Bubblewrap()._covers):
        pytest.skip("NOT TESTED: the checkout lies where a box shows nothing anyway")
    top.mkdir(parents=True)
    yield top
    shutil.rmtree(top, ignore_errors=True)


def repository(top: Path) -> Path:
    """With a password in its configuration, and work that is not committed, in two work trees and a third."""
    main = top / "main"
    (main / "sub").mkdir(parents=True)
    (main / "sub" / "app.txt").write_text("app\n")
    git(main, "init", "-q", "-b", "main", ".")
    git(main, "add", ".")
    git(main, "commit", "-q", "-m", "first")
    git(main, "config", "remote.origin.url", f"https://me:{CANARY}@example.invalid/x")
    for name in ("linked", "third"):
        git(main, "worktree", "add", "-q", "-b", name, str(top / name))
    for tree in ("main", "linked", "third"):
        (top / tree / "draft.txt").write_text(CANARY)
    return main


@needs_bwrap
@pytest.mark.attack(
    "sandbox",
    "an agent reads the user's other work trees and the repository's own folder",
    "they are hidden, wherever the board lies",
)
@pytest.mark.parametrize("place", some(["main", "main/sub", "linked", "linked/sub"], ["main/sub", "linked"]))
def test_nothing_of_the_users_repository_is_seen(visible: Path, place: str) -> None:
    repository(visible)
    yard = Yard(visible / place, plain=True, more="sandbox: always\ntarget: main")
    hunt = (
        f"shell grep -rIl {CANARY[:7]} {visible} 2>/dev/null | grep -v /runs/; ls -a {visible}/*; git log --format=%s"
    )
    item = yard.add("one", hunt, "write a.txt a", "report done")
    yard.run()
    said = yard.output(yard.show(item)["runs"][0]["run"])
    for name in ("draft.txt", "app.txt", "HEAD", "config"):
        assert name not in said, said
    assert "first" in said, "its own clone works"
    assert yard.status(item) == "done"


KEYRINGS = """
import ctypes, os
call = ctypes.CDLL(None, use_errno=True).syscall
number = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(os.uname().machine)
if number:
    room = ctypes.create_string_buffer(4096)
    found = [call(number[1], 11, ring, room, 4096) for ring in (-3, -4, -5)]
    found.append(call(number[0], b"user", b"canary", b"planted", 7, -3))
    found.append(call(number[1] | 0x40000000, 0, -3, 0))
    try:
        listed = bool(open("/proc/keys").read())
    except OSError:
        listed = False
    print("keyrings", max(found) >= 0, listed)
"""


@needs_bwrap
@pytest.mark.attack(
    "sandbox",
    "an agent reads and changes keys in the user's keyrings of the kernel",
    "the kernel refuses it, and the list of keys is covered",
)
@pytest.mark.ledger("Q-03")
def test_the_keyrings_of_the_kernel_are_out_of_reach(tmp_path: Path) -> None:
    program = tmp_path / "keys.py"
    program.write_text(KEYRINGS)
    outside = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False).stdout
    if outside.strip() != "keyrings True True":
        pytest.skip(f"NOT TESTED: this kernel has no keyrings ({outside.strip()})")
    yard = Yard(tmp_path / "yard", files={"keys.py": KEYRINGS}, more="sandbox: always")
    item = yard.add("one", f"shell {sys.executable} keys.py", "write a.txt a", "report done")
    yard.run()
    said = yard.output(yard.show(item)["runs"][0]["run"])
    assert "keyrings False False" in said, said
    assert yard.status(item) == "done"


# Every way into a namespace of one's own, and to a mount; then what honest programs do. A child that came to be ends.
BOXES = """
import concurrent.futures, ctypes, mmap, os, struct, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
USER, ALL = 0x10000000, 0x7E020000
x86 = os.uname().machine == "x86_64"
CLONE, UNSHARE, SETNS = (56, 272, 308) if x86 else (220, 97, 268)


def made(*words):
    if (child := libc.syscall(*words)) == 0 and words[0] & 0xFFFF in (CLONE, 435):
        os._exit(0)
    return child >= 0


def as_of_32_bits(number, flags):
    room = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    number, flags = struct.pack("<I", number), struct.pack("<I", flags)
    room.write(b"\\x53\\xb8" + number + b"\\xbb" + flags + b"\\xcd\\x80\\x5b\\xc3")
    code = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(room)))
    if os.fork() == 0:
        os._exit(0 if code() >= 0 else 1)
    return os.wait()[1] == 0


got = {}
got["clone3"] = made(435, ctypes.c_char_p(struct.pack("=11Q", USER, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)), 88)
for flags in (USER, ALL):
    got["clone", flags] = made(CLONE, flags | 17, 0, 0, 0, 0)
    if x86:
        got["x32", flags] = made(UNSHARE | 0x40000000, flags)
        got["i386", flags] = as_of_32_bits(310, flags)
    got["unshare", flags] = made(UNSHARE, flags)
got["setns"] = made(SETNS, os.open("/proc/self/ns/user", os.O_RDONLY), 0)
got["fsopen"] = made(430, b"cgroup2", 0)
got["open_tree"] = made(428, -100, b"/tmp", 1)
for kind, of in (("cgroup2", None), ("cgroup", b"freezer"), ("cgroup", b"pids"), ("tmpfs", None)):
    at = f"/tmp/{kind}-{of}"
    os.mkdir(at)
    got[at] = libc.mount(b"x", at.encode(), kind.encode(), 0, of) == 0
got["tool"] = subprocess.run(["unshare", "-Urm", "true"], stderr=subprocess.DEVNULL).returncode == 0
print("boxes", [way for way, is_so in got.items() if is_so])

threads = [threading.Thread(target=lambda: None) for _ in range(20)]
[one.start() for one in threads], [one.join() for one in threads]
with concurrent.futures.ProcessPoolExecutor(2) as pool:
    shared = sum(pool.map(abs, [-1, -2]))
said = subprocess.run(["sh", "-c", "(echo a; echo b) | sort -r & wait"], capture_output=True, text=True).stdout
print("honest", shared, said.split(), libc.unshare(0x400))
"""


@needs_bwrap
@pytest.mark.attack(
    "sandbox",
    "an agent makes a box of its own, mounts the groups of processes in it, and stops the worker",
    "the kernel refuses new namespaces and mounts, by every way of calling; threads and processes begin as ever",
)
@pytest.mark.ledger("Q-03")
def test_nobody_makes_a_box_in_the_box(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", files={"boxes.py": BOXES}, more="sandbox: always")
    item = yard.add("one", f"shell {sys.executable} boxes.py 2>&1", "write a.txt a", "report done")
    yard.run()
    said = yard.output(yard.show(item)["runs"][0]["run"])
    assert "boxes []" in said, said
    assert "honest 3 ['b', 'a'] 0" in said, said
    assert yard.status(item) == "done"


@needs_bwrap
@pytest.mark.attack(
    "sandbox",
    "the same, on a machine whose kernel takes no filter of ours",
    "bwrap itself forbids it, where it can (from 0.8 on)",
)
def test_nor_where_the_kernel_takes_no_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "rules", lambda: b"")
    if "--disable-userns" not in options(Bubblewrap()._bwrap):
        pytest.skip("NOT TESTED: this bwrap is too old")
    yard = Yard(tmp_path / "yard", more="sandbox: always")
    asked = "shell unshare -Ur true && echo boxes made || echo boxes none; sh -c 'echo honest'"
    item = yard.add("one", asked, "write a.txt a", "report done")
    yard.run()
    said = yard.output(yard.show(item)["runs"][0]["run"])
    assert "boxes none" in said and "honest" in said, said
    assert yard.status(item) == "done"


@needs_bwrap
def test_a_bwrap_that_cannot_forbid_it_is_used_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "rules", lambda: b"")
    monkeypatch.setattr(sandbox, "NO_MORE_BOXES", ("--no-such-option", "--disable-userns"))
    box = Bubblewrap()
    assert box.works and "--no-such-option" not in box.wrap(["a"], writable=(), readable=(), cwd="/", network=False)


def test_all_work_trees_are_found_from_each(tmp_path: Path) -> None:
    main = repository(tmp_path)
    outer = tmp_path / "linked" / "sub" / "inner"
    outer.mkdir()
    git(outer, "init", "-q", ".")
    trees = {str(tmp_path / name) for name in ("main", "linked", "third")}
    for tree in ("main", "main/sub", "linked/sub", "third"):
        place = find(str(tmp_path / tree))
        assert place is not None and set(work_trees(place)) == trees
    assert {str(main / ".git"), *trees} <= set(private_places(str(tmp_path / "third")))
    # Around a repository in another one, both are private.
    assert {str(outer), str(outer / ".git"), *trees} <= set(private_places(str(outer)))
    shutil.rmtree(tmp_path / "third")
    place = find(str(main))
    assert place is not None and set(work_trees(place)) == trees - {str(tmp_path / "third")}


def test_the_work_tree_of_a_submodule_is_found_by_what_its_repository_says(tmp_path: Path) -> None:
    library, user = tmp_path / "library", tmp_path / "user"
    for folder in (library, user):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main", ".")
        git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(user, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    git(user / "lib", "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    place = find(str(tmp_path / "other"))
    assert place is not None and set(work_trees(place)) == {str(user / "lib"), str(tmp_path / "other")}
    assert str(user) in private_places(str(user / "lib"))


# A flow that changes


def changing(yard: Yard, flows: dict[int, str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run one worker; before its n-th claim the flow gets another line. Gives how each box was made."""
    made: list[str] = []
    claims = 0
    path = yard.folder / ".moot" / "flow.yaml"
    text = path.read_text()

    def step(name: str, run: str) -> None:
        nonlocal claims
        if name == "claim":
            claims += 1
            if claims in flows:
                path.write_text(f"{text}\n{flows[claims]}\n")
                FileBoards().apply(str(yard.folder), {}, ENGINE)

    def choose(wish: str, hidden: Any, env: Any) -> Sandbox:
        made.append(wish)
        if wish == "always":
            raise Unavailable("no_sandbox", "The flow says `sandbox: always`, and there is none here")
        return NoSandbox(f"as the flow says: {wish}")

    monkeypatch.setattr(running, "choose", choose)
    yard.run(slots=1, step=step)
    return made


@pytest.mark.attack("sandbox", "the flow gets `sandbox: always` while a worker runs", "nothing begins without one")
def test_a_worker_that_runs_begins_nothing_that_the_new_flow_forbids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = Yard(tmp_path / "yard")
    first, second = (yard.add(name, f"write {name} x", "report done") for name in ("a", "b"))
    with pytest.raises(Unavailable) as told:
        changing(yard, {2: "sandbox: always"}, monkeypatch)
    assert told.value.code == "no_sandbox"
    assert len(yard.show(first)["runs"]) >= 1 and yard.show(second)["runs"] == []
    yard.doctor()


def test_the_box_is_that_of_the_flow_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = Yard(tmp_path / "yard")
    yard.add("a", "write a x", "report done")
    assert changing(yard, {2: "sandbox: never"}, monkeypatch) == ["auto", "never"]


@needs_bwrap
def test_a_flow_that_changes_during_a_claim_gives_the_run_back(tmp_path: Path) -> None:
    """Else the board would say that it was sandboxed, and it was not."""
    yard = Yard(tmp_path / "yard")
    item = yard.add("a", "write a x", "report done")
    with tools_of(yard.board._application, str(yard.folder / ".moot"), yard.told.append) as tools:
        real, asked = tools.sandbox_of, 0

        def sandbox_of(flow: Flow) -> Sandbox:
            nonlocal asked
            asked += 1
            return NoSandbox("just now the flow changed") if asked == 2 else real(flow)

        tools.sandbox_of = sandbox_of
        Worker(tools, "worker", slots=1, until_idle=True).run()
    assert yard.status(item) == "done"
    first, *rest = yard.show(item)["runs"]
    assert first["end"] == "released" and all(run["sandboxed"] for run in rest)
    yard.doctor()


@pytest.mark.attack("sandbox", "a run names a work tree that is made while a worker runs", "it is hidden from then on")
def test_a_work_tree_that_is_made_meanwhile_is_hidden_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = Yard(tmp_path / "yard")
    seen: list[set[str]] = []

    def choose(wish: str, hidden: Any, env: Any) -> Sandbox:
        seen.append(set(hidden))
        return NoSandbox("not here")

    monkeypatch.setattr(running, "choose", choose)
    with tools_of(yard.board._application, str(yard.folder / ".moot"), yard.told.append) as tools:
        flow = tools.application.queries.flow()
        tools.sandbox_of(flow)
        git(yard.folder, "worktree", "add", "-q", "-b", "new", str(tmp_path / "new"))
        tools.sandbox_of(flow)
        tools.sandbox_of(flow)
    assert len(seen) == 2 and seen[1] - seen[0] == {str(tmp_path / "new")}


NOTIFYING = """
flow: asking
start: dev
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {command: ACTOR}, may: [ask]}}
"""


def test_people_are_notified_as_the_flow_in_force_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a program outside of the project, which is started in the board's folder and finds nothing that landed."""
    heard = tmp_path / "heard"
    os.mkfifo(heard)
    tell = tmp_path / "tell.sh"
    tell.write_text(f'#!/bin/sh\n{{ pwd; echo "$PATH"; echo "$1"; }} > {heard}\n')
    tell.chmod(0o755)
    yard = Yard(tmp_path / "yard", flow=NOTIFYING)
    (yard.folder / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{yard.folder / 'bin'}:{os.environ['PATH']}")
    yard.add("one", 'report asks {"question": "which one?"}')
    path = yard.folder / ".moot" / "flow.yaml"
    reader = os.open(heard, os.O_RDWR)
    changed = False

    def step(name: str, run: str) -> None:
        nonlocal changed
        if name == "report" and not changed:
            changed = True
            path.write_text(f"{path.read_text()}\nnotify: [{tell}]\n")
            FileBoards().apply(str(yard.folder), {}, ENGINE)

    with tools_of(yard.board._application, str(yard.folder / ".moot"), yard.told.append, step) as tools:
        worker = Worker(tools, "worker", slots=1, until_idle=True)
        notifier = running.notifier_of(worker, str(yard.folder / ".moot"))
        worker.run(notifier)
        notifier.finish()
    assert changed
    with open(reader, encoding="utf-8") as file:
        where, folders, words = (file.readline().strip() for _ in range(3))
    assert where == str(yard.folder / ".moot")
    assert str(yard.folder) not in folders and "which one?" in words
