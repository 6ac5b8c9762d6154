"""B30: what is given as a file and is none, and what is too large or may not be read."""

import os
import socket
from collections.abc import Callable

from tests.bad_input.yard import Case, Seen, Yard, clean, refusal

GIGABYTES = 2 * 1024**3
# Each command that takes a file, with the place of its name, and the code it has for one that cannot be read.
TAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "report": (("report", "RUN", "--token", "1", "FILE"), "unreadable_file"),
    "send": (("send", "FILE"), "unreadable_file"),
    "add": (("add", "a", "--body-file", "FILE"), "unreadable_file"),
    "items": (("add", "--from", "FILE"), "unreadable_file"),
    "edit": (("edit", "3", "--body-file", "FILE"), "unreadable_file"),
    "check": (("check", "FILE"), "unreadable_file"),
    "population": (("simulate", "--population", "FILE"), "unreadable_file"),
    "flow": (("simulate", "--flow", "FILE"), "unreadable_file"),
}


def _pipe(yard: Yard) -> str:
    name = str(yard.folder / "given" / "pipe")
    if not os.path.exists(name):
        os.mkfifo(name)
    return name


def _socket(yard: Yard) -> str:
    name = os.path.relpath(yard.folder / "given" / "s")
    if not os.path.exists(name):
        place = os.getcwd()
        os.chdir(os.path.dirname(name))  # a socket's path must be short
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind("s")
        finally:
            os.chdir(place)
    return str(yard.folder / "given" / "s")


def _sparse(yard: Yard) -> str:
    name = yard.give("sparse", b"")
    os.truncate(yard.folder / name, GIGABYTES)
    return name


def _folder(yard: Yard) -> str:
    (yard.folder / "given" / "folder").mkdir(parents=True, exist_ok=True)
    return "given/folder"


def _loop(yard: Yard) -> str:
    name = yard.folder / "given" / "loop"
    if not name.is_symlink():
        name.symlink_to("loop")
    return "given/loop"


KINDS: dict[str, tuple[str, Callable[[Yard], str], str | None]] = {
    "pipe": ("a named pipe that nobody writes to", _pipe, None),
    "socket": ("a socket", _socket, None),
    "device": ("`/dev/zero`", lambda yard: "/dev/zero", None),
    "sparse": ("a sparse file of 2 GB", _sparse, "too_large"),
    "folder": ("a folder", _folder, None),
    "loop": ("a symbolic link to itself", _loop, None),
    "missing": ("a file that is not there", lambda yard: "given/none", None),
    "binary": ("bytes that are no text", lambda yard: yard.give("binary", bytes(range(128, 256))), "bad_text"),
    "long": ("a name of 5,000 letters", lambda yard: "x" * 5_000, None),
}
# A flow and a population have codes of their own for a file that cannot be read.
OWN = {"check": "unreadable_flow", "flow": "unreadable_flow", "population": "unreadable_population"}
GUARDED = {"pipe", "socket", "device", "sparse"}  # found before anybody opens it


def _case(command: str, kind: str) -> Case:
    told, unreadable = TAKES[command]
    given, make, code = KINDS[kind]
    if command in OWN:
        code = unreadable if kind in GUARDED else OWN[command]
    if (command, kind) == ("items", "folder"):
        code = "bad_file"  # a folder is read as a list of Backlog.md's, and this one lists nothing

    def act(yard: Yard) -> Seen:
        before = yard.state()
        name = make(yard)
        words = [name if word == "FILE" else word for word in told]
        seen = refusal(yard.moot(*words, "--json"))
        shown = yard.moot(*words)
        assert shown.exit == seen[0] and clean(shown.err) and shown.err.startswith(b"moot: "), shown
        return Seen(*seen, yard.after(before))

    option = next((word for word in told if word.startswith("--") and word != "--token"), "")
    door = f"`moot {' '.join(filter(None, [told[0], option]))}`"
    return Case("B30", f"{command}-{kind}", given, door, act, 2, code or unreadable, fresh=False)


CASES = [
    *(_case("report", kind) for kind in KINDS),
    *(_case("check", kind) for kind in KINDS if kind not in ("missing", "long")),
    *(_case("population", kind) for kind in ("pipe", "device", "sparse", "folder", "missing")),
    *(_case(command, kind) for command in ("send", "add", "items", "edit") for kind in ("pipe", "folder")),
    _case("flow", "pipe"),
]
