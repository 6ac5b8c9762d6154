"""What agents try that help each other: one hands another a folder that it has open, and is gone."""

import os
import sys
from pathlib import Path

import pytest

from folkmoot.system.processes.apart import keep_apart
from folkmoot.system.sandbox import Bubblewrap
from tests.worker.test_sandbox_attacks import needs_bwrap
from tests.worker.test_setup_attacks import FILES, GATED
from tests.worker.yard import Yard

# Setup runs this in the clone of the gate.
HAND = """
import os, socket, sys, time
line = socket.socket(socket.AF_UNIX)
until = time.monotonic() + 5
while line.connect_ex("\\0" + sys.argv[1]) and time.monotonic() < until:
    time.sleep(0.05)
try:
    socket.send_fds(line, [b"x"], [os.open(".", os.O_RDONLY), os.open("ci/lint.sh", os.O_RDWR)])
    line.recv(1)
except OSError as error:
    print("nobody takes it:", error)
"""
# And an agent that works on another item this.
TAKE = """
import ctypes, os, socket, sys, time
door = socket.socket(socket.AF_UNIX)
door.bind("\\0" + sys.argv[1])
door.listen(1)
door.settimeout(8)
try:
    line = door.accept()[0]
except TimeoutError:
    sys.exit("nobody came")
folder, lint = socket.recv_fds(line, 1, 2)[1]
os.fchdir(folder)
until = time.monotonic() + 4
"""
FORGE = """
before = os.stat(".git").st_ino
line.send(b"x")
def is_put_back():
    return not os.path.exists(".git") or (os.stat(".git").st_ino != before and os.path.exists(".git/index"))
while time.monotonic() < until:
    try:
        if is_put_back():
            os.pwrite(lint, b"exit 0\\n", 0)
            for name, text in (("ci/lint.sh", "exit 0"), ("src/app.txt", "ok")):
                with open(name + "2", "w") as file:
                    file.write(text)
                os.rename(name + "2", name)
    except OSError:
        pass
    time.sleep(0.002)
print("forged")
"""
SWAP = """
os.symlink(sys.argv[2], "src-2")
line.send(b"x")
swap = ctypes.CDLL(None).renameat2
while time.monotonic() < until:
    for _ in range(1000):
        swap(-100, b"src", -100, b"src-2", 2)
print("swapped")
"""


def together(folder: Path, script: str) -> tuple[Yard, str, str]:
    """An item whose setup hands over the clone of its gate, and what somebody said who waited for it."""
    files = {**FILES, "hand.py": HAND, "take.py": TAKE + script}
    yard = Yard(folder / "yard", files=files, flow=GATED.replace("write: own", "write: any") + "sandbox: always\n")
    name = f"{os.getpid()}-{folder.name}"
    friend = yard.add("friend", f"shell {sys.executable} take.py {name} {yard.folder} 2>&1", "report done")
    hand = f"write src/build.sh {sys.executable} hand.py {name}"
    item = yard.add("one", "write src/app.txt EVIL", hand, "report done", files=["src/"])
    yard.run()
    return yard, item, yard.output(yard.show(friend)["runs"][0]["run"])


@needs_bwrap
@pytest.mark.attack(
    "gates",
    "setup runs the change's code, which hands the gate's clone, open, to an agent that forges it while the gate runs",
    "also where no kernel keeps the two apart: after setup every folder and tracked file of the clone is a new one",
)
@pytest.mark.ledger("R-21", "R-22")
def test_nobody_forges_a_gate_by_a_folder_that_he_was_handed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.system.sandbox._has_rights", lambda program: True)
    yard, item, said = together(tmp_path, FORGE)
    assert "forged" in said
    assert yard.landed("src/app.txt") == "ok"
    assert [proof["evidence"]["exit_code"] for proof in yard.show(item)["evidence"]] == [1]
    yard.doctor()


@needs_bwrap
@pytest.mark.attack(
    "tree",
    "an agent who was handed a clone's folder swaps it for a link to the project, while moot puts back what setup did",
    "the project stays as it is: moot looks only at folders that it has made since",
)
@pytest.mark.ledger("R-19")
def test_nothing_of_the_user_s_is_removed_through_a_folder_that_was_handed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("folkmoot.system.sandbox._has_rights", lambda program: True)
    yard, _, said = together(tmp_path, SWAP)
    assert "swapped" in said
    assert yard.commits() == ["friend", "first"] or yard.commits() == ["first"]
    assert (yard.folder / "src" / "app.txt").read_text() == "ok\n"
    yard.doctor()


def has_scopes() -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(0 if keep_apart() else 1)
    return os.waitpid(pid, 0)[1] == 0


@needs_bwrap
@pytest.mark.skipif(not has_scopes(), reason="NOT TESTED: this kernel is older than 6.12, or has no Landlock")
@pytest.mark.attack(
    "sandbox",
    "agents that may use the network hand each other open folders, through sockets that lie in no folder",
    "from Linux 6.12 on the kernel lets no box reach such a socket of another, or of the user's",
)
@pytest.mark.ledger("Q-03")
def test_no_box_hands_anything_to_another(tmp_path: Path) -> None:
    assert Bubblewrap().apart
    yard, item, said = together(tmp_path, FORGE)
    assert "nobody came" in said
    gate = next(run for run in yard.show(item)["runs"] if run["agent"] == "lint")
    assert "nobody takes it: [Errno 1]" in yard.output(gate["run"]) or "Errno 107" in yard.output(gate["run"])
    assert yard.landed("src/app.txt") == "ok"
    yard.doctor()
