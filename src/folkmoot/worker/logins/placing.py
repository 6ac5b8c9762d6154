"""What a run gets of the user's credential files, and where it lies."""

import os
import stat
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from folkmoot.errors import Invalid
from folkmoot.worker.environment import enter_below, make_new, write_below
from folkmoot.worker.logins.without_refresh import Unreadable, without_refresh

FILE_BYTES_MAX = 1_000_000  # a credential file is small; anything larger is a mistake in the client's entry


class Files(Struct, frozen=True):
    """The credential files that a client's entry names."""

    contents: dict[str, bytes] = field(default_factory=dict)  # by the path below HOME: as a run gets it
    texts: dict[str, str] = field(default_factory=dict)  # by the name in the entry: as the user has it
    notes: list[str] = field(default_factory=list)  # what no run gets, and why


def read_files(names: Iterable[str], worker_home: str, keeps_refresh: Iterable[str] = ()) -> Files:
    """Read the files that a client's entry names, like ~/.codex/auth.json, without the refresh tokens in them.

    `keeps_refresh` names those whose refresh token does not rotate. A file that is not fit is noted. One that is
    missing is not: many clients can log in in more than one way, and say themselves when they could not.
    """
    files = Files()
    keeps = set(keeps_refresh)
    for name in names:
        parts = name.split("/")
        if parts[0] != "~" or len(parts) < 2 or any(part in ("", ".", "..") for part in parts):
            words = "{name!r} is not a file below a home."
            raise Invalid("client_files", words, "Name it like ~/.codex/auth.json.", name)
        try:
            content = read_regular(os.path.join(worker_home, *parts[1:]))
            own = content if name in keeps else without_refresh(name, content)
        except Missing:
            continue
        except NotFit as fault:
            files.notes.append(f"{name} {fault}")
        except Unreadable:
            files.notes.append(f"{name} names a refresh token and cannot be parsed, so no run gets it")
        except OSError as error:
            files.notes.append(f"{name} cannot be placed: {error.strerror or error}")
        else:
            files.contents["/".join(parts[1:])] = own
            files.texts[name] = content.decode("utf-8", "replace")
    return files


class Placed(Struct, frozen=True):
    """Where the files of one process tree lie."""

    memory: dict[str, bytes | None] = field(default_factory=dict)  # only in its box; a folder has no content
    disk: list[str] = field(default_factory=list)  # to be removed when the tree has ended
    notes: list[str] = field(default_factory=list)


def place(contents: Mapping[str, bytes], home: str, in_memory: bool) -> Placed:
    """Find a place for files below a run's HOME: in the memory of its box, or without one on the disk."""
    folders: dict[str, bytes | None] = {}
    files: dict[str, bytes | None] = {}
    disk: list[str] = []
    notes: list[str] = []
    for below, content in contents.items():
        path = os.path.join(home, below)
        try:
            if not in_memory:
                write_below(home, below.split("/"), content)
                disk.append(os.path.join(os.path.realpath(home), below))
                continue
            if not _is_crowded(home, below):
                folders[f"{os.path.dirname(path)}/"] = None
            files[path] = content
        except OSError as error:
            notes.append(f"~/{below} cannot be placed: {error.strerror or error}")
    return Placed({**folders, **files}, disk, notes)


def _is_crowded(home: str, below: str) -> bool:
    """Make way for a file of a box: real folders, since bwrap would go through links that an earlier process of the
    run has planted.

    True if others lie in its folder: then an empty file is made too, and the box shows its own over it. If not, the box
    can have the whole folder for itself.
    """
    parts = below.split("/")
    folder = enter_below(home, parts[:-1])
    try:
        crowded = len(parts) == 1 or bool(os.listdir(folder))
        if crowded:
            make_new(folder, parts[-1])
    finally:
        os.close(folder)
    return crowded


class NotFit(Exception):
    """There is no file that could be read; the words say why."""


class Missing(NotFit):
    """There is none at all."""


def read_regular(path: str) -> bytes:
    try:
        # Not blocking: a pipe or a device would be waited for otherwise. What it is, is asked of the open file.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError as error:
        raise Missing("is not there") from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise NotFit("is not a regular file")
        with open(fd, "rb", closefd=False) as file:
            content = file.read(FILE_BYTES_MAX + 1)
    finally:
        os.close(fd)
    if len(content) > FILE_BYTES_MAX:
        raise NotFit(f"has more than {FILE_BYTES_MAX} bytes")
    return content
