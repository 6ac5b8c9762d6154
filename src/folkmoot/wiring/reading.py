"""Reading what a user wrote for a board, and writing the first of it: flows, ladders and prompts. Never what only looks
like a file, nor what a user of the same machine has left for another."""

import os
import stat
from collections.abc import Callable, Sequence

from folkmoot.errors import Invalid, Refused

BYTES_MAX = 20_000_000  # of a flow or a ladder file


def text_of(path: str, code: str, hint: str) -> str:
    try:
        return content_of(path).decode("utf-8")
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        raise Invalid(code, "{path} cannot be read: {why}", hint, path=shown(path), why=why) from error


def content_of(path: str) -> bytes:
    """Of a file with an end: a pipe may never tell anything, and a device may never stop."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is no regular file")
        if found.st_size > BYTES_MAX:
            raise ValueError(f"it has more than {BYTES_MAX} bytes")
        return file.read()


def shown(path: str) -> str:
    """The path as a user in this folder would type it."""
    near = os.path.relpath(path or os.curdir)
    return path if near.startswith("..") else near


def prompts_below(folder: str) -> Callable[[str], str | None]:
    """Read prompt files that a flow names, below its own folder and nowhere else."""
    root = os.path.realpath(folder or os.curdir)

    def read(name: str) -> str | None:
        path = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath([root, path]) != root or not os.path.isfile(path):
            return None
        with open(path, encoding="utf-8") as file:
            return file.read()

    return read


def check_owner(paths: Sequence[str]) -> None:
    """Refuse a board that was found, not named, and is another user's: its flow decides what is run as this one. In a
    folder that all may write, anybody can leave one. Git has the same rule for repositories."""
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")  # root by sudo may use what is the caller's
    ours = {user, int(caller)} if user == 0 and caller.isdecimal() else {user}
    for path in paths:
        owner = os.lstat(path).st_uid
        if owner not in ours:
            words = "{path} belongs to another user of this machine (number {owner}), who decides what its agents run"
            hint = "if you trust that user, name the board: <.board> {board}"
            raise Refused("board_of_another", words, hint, path, owner, os.path.dirname(paths[0]))


def write_new(path: str, text: str) -> None:
    """A file of the board's own, where there is none yet."""
    if not os.path.exists(path):
        write_anew(path, text)


def write_anew(path: str, text: str) -> None:
    """A file of the board's own, in place of what is there."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # There whole or not at all: whoever finds it half written would take it for what the user wrote.
    unfinished = os.path.join(folder, f"board.db.{os.getpid()}.new")
    try:
        with open(unfinished, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.rename(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
