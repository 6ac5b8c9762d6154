"""Deleting what is left: a tree of an agent's, however deep it is, whatever it has locked, and never through a link;
and who made something that lies there, so that only what the dead left is deleted."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count

_MARK = re.compile(r"(\d{1,10})\.(\d{1,20})\.([0-9a-f]{8})\Z")
_MARKED = re.compile(r"(\d{1,10}\.\d{1,20}\.[0-9a-f]{8})-")
_UNMARKED = re.compile(r"[a-z0-9_]{8}\Z")


@cache
def _boot() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read(8)


def _started(pid: int | str) -> str | None:
    """When a process was started, in ticks since the boot; None if there is none, or it is dead."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            words = file.read().rpartition(b")")[2].split()  # the name before it may hold anything
    except OSError:
        return None
    return None if words[0] in (b"Z", b"X") else words[19].decode()


def maker() -> str:
    """Who makes something now: a number alone would be another process's one day."""
    pid = os.getpid()
    return f"{pid}.{_started(pid)}.{_boot()}"


def is_alive(maker: str) -> bool:
    found = _MARK.match(maker)
    if found is None:  # from an older version: the number alone
        return maker.isdecimal() and os.path.exists(f"/proc/{maker}")
    return found.group(3) == _boot() and _started(found.group(1)) == found.group(2)


def is_left(path: str, prefix: str, unmarked_before: float | None) -> bool:
    """Did a dead process leave this temporary folder, named after its maker?

    Older versions named no maker: one of theirs is left if it was last changed before that wall time. None: such a name
    may be somebody else's.
    """
    rest = os.path.basename(path).removeprefix(prefix)
    found = _MARKED.match(rest)
    if found is not None:
        return not is_alive(found.group(1))
    if unmarked_before is None or not _UNMARKED.match(rest):
        return False
    try:
        return os.stat(path, follow_symlinks=False).st_mtime < unmarked_before
    except FileNotFoundError:
        return False


def remove_tree(path: str, stopped: Callable[[], bool] = lambda: False) -> None:
    """Delete a folder that no process writes in any more. Folders are moved up before they are emptied, so that no
    path grows too long for the system, and nothing is gone through by recursion.

    There may be millions of files in it: once it is told to stop, the rest stays, for whoever tidies up next.
    """
    os.chmod(path, stat.S_IRWXU)
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        mark = os.urandom(8).hex()  # of this try: an earlier one that was stopped has left names like these
        fresh = (f"{number}.{mark}.gone" for number in count())
        waiting = _empty(top, top, fresh, stopped)
        while waiting:
            name = waiting.pop()
            folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
            try:
                new = _empty(folder, top, fresh, stopped)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)
            waiting += new
    finally:
        os.close(top)
    os.rmdir(path)


def _empty(folder: int, top: int, fresh: Iterator[str], stopped: Callable[[], bool]) -> list[str]:
    """Delete the files of a folder and move its folders to the top; gives their new names there."""
    with os.scandir(folder) as entries:
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    names: list[str] = []
    for name, is_folder in listed:
        if stopped():
            raise InterruptedError("it was told to stop before all was deleted")
        if not is_folder:
            os.unlink(name, dir_fd=folder)
            continue
        os.chmod(name, stat.S_IRWXU, dir_fd=folder)  # a locked one could neither be moved nor looked into
        new = next(fresh)
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
        names.append(new)
    return names
