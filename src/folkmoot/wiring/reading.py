"""Reading what a user wrote for a board: flows, ladders and prompts, and never what only looks like a file."""

import os
import stat
from collections.abc import Callable

from folkmoot.errors import Invalid

BYTES_MAX = 20_000_000  # of a flow or a ladder file


def text_of(path: str, code: str, hint: str) -> str:
    try:
        return content_of(path).decode("utf-8")
    except (OSError, ValueError) as error:
        raise Invalid(code, f"{shown(path)} cannot be read: {error}", hint) from error


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
    near = os.path.relpath(path)
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
