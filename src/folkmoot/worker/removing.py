"""Deleting what is left: a tree of an agent's, however deep it is, whatever it has locked, and never through a link;
and who made something that lies there, so that only what the dead left is deleted."""

import atexit
import contextlib
import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from itertools import count

from folkmoot.engine.naming import WORKER

_MARK = re.compile(r"(\d{1,10})\.(\d{1,20})\.([0-9a-f]{8})(?:\.(\d{1,20}))?\Z")
_MARKED = re.compile(r"(\d{1,10}\.\d{1,20}\.[0-9a-f]{8}(?:\.\d{1,20})?)-")
_UNMARKED = re.compile(r"[a-z0-9_]{8}\Z")
# In a board's folder: a file for each process that makes something there, locked as long as it lives. Git ignores it.
ALIVE = os.path.join("spares", ".alive")
WORDS_MAX = 100_000
MACHINE = "board.db-machine"  # a random word: which folder this is. Git ignores it by its name, and no backup has it
WORKERS = os.path.join("spares", ".workers")  # and one for each worker, as long as it runs
_held: dict[tuple[str, str], int] = {}  # by board and mark: the open file, whose lock goes with the process


@cache
def _boot() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read(8)


def _namespace() -> int:
    """In which processes have the numbers that we see: a container has others."""
    return os.stat("/proc/self/ns/pid").st_ino


def _started(pid: int | str) -> str | None:
    """When a process was started, in ticks since the boot; None if there is none, or it is dead."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            words = file.read().rpartition(b")")[2].split()  # the name before it may hold anything
    except OSError:
        return None
    return None if words[0] in (b"Z", b"X") else words[19].decode()


def maker(home: str) -> str:
    """Who makes something now in a board's folder: a number alone would be another process's one day."""
    pid = os.getpid()
    mark = f"{pid}.{_started(pid)}.{_boot()}.{_namespace()}"
    if (home, mark) not in _held:
        _held[home, mark] = _hold(os.path.join(home, ALIVE), mark)
    return mark


def _hold(folder: str, mark: str) -> int:
    """Let others see that we live, who cannot see our number. The lock is the process's alone: a child has it not."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, mark)
    pid = os.getpid()
    atexit.register(lambda: _let_go(path) if os.getpid() == pid else None)
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.lockf(file, fcntl.LOCK_EX)  # somebody may be trying whether we live
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        os.close(file)  # somebody took it for a dead one's in the moment before it was locked


def _let_go(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def is_alive(maker: str, home: str) -> bool:
    found = _MARK.match(maker)
    if found is None:  # from an older version: the number alone
        return maker.isdecimal() and os.path.exists(f"/proc/{maker}")
    pid, started, boot, namespace = found.groups()
    if boot != _boot():
        return False
    if namespace is None or int(namespace) == _namespace():
        return _started(pid) == started
    return _is_held(os.path.join(home, ALIVE, maker))


def worker_name(host: str, home: str) -> str:
    """Random for each start: a name that came again would make a dead worker's runs look like a live one's. It says
    which process it is, so that others on this machine see when that is no more."""
    mark = maker(home)
    _name_machine(os.path.join(home, MACHINE))
    return f"{host}-{mark}-{machine_of(home)}{os.urandom(3).hex()}"


def machine_of(home: str) -> str:
    """Which machine this is, by a random word that the board's folder has, and by the machine's own id: two machines
    may have the same name, and a folder may be copied to another one. Empty: no worker has been here yet."""
    try:
        with open(os.path.join(home, MACHINE), "rb") as file:
            return sha256(file.read(200) + _machine_id()).hexdigest()[:8]
    except FileNotFoundError:
        return ""


def _name_machine(path: str) -> None:
    """Whole before it has its name: another process may read it the moment it is there."""
    if os.path.exists(path):
        return
    made = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    with open(made, "w", encoding="ascii") as file:
        file.write(os.urandom(16).hex())
    try:
        with contextlib.suppress(FileExistsError):
            os.link(made, path)
    finally:
        os.unlink(made)


@cache
def _machine_id() -> bytes:
    for place in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        with contextlib.suppress(OSError), open(place, "rb") as file:
            return file.read(200)
    return b""


def is_dead(worker: str, home: str) -> bool:
    """Was the worker of this name a process of this machine that is no more? Of a worker of another machine, however
    that is called, nothing is known here: its lease tells."""
    found = WORKER.match(worker)
    return found is not None and found.group(4) == machine_of(home) and not is_alive(found.group(2), home)


def attended(home: str, words: bytes = b"") -> Callable[[], None]:
    """A worker sees to the board from now on; gives what to call when it does no more. `words` is what it says of
    itself to whoever looks."""
    folder = os.path.join(home, WORKERS)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{maker(home)}-{os.urandom(3).hex()}")
    aside = f"{path}.new"
    with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(words)
    os.rename(aside, path)  # so that nobody reads half of it
    return lambda: _let_go(path)


def attending(home: str) -> dict[str, bytes]:
    """By their marks: what the workers that live say of themselves."""
    folder = os.path.join(home, WORKERS)
    found = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if is_alive(name.rpartition("-")[0], home):
            with contextlib.suppress(OSError), open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read(WORDS_MAX)
    return found


def is_attended(home: str) -> bool:
    """Is a worker alive that sees to the board?"""
    folder = os.path.join(home, WORKERS)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return any(is_alive(name.rpartition("-")[0], home) for name in names)


def _is_held(path: str) -> bool:
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def forget_dead(home: str) -> None:
    """Remove what processes that were killed have left to be seen by."""
    folder = os.path.join(home, ALIVE)
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if not is_alive(name, home):
            _let_go(os.path.join(folder, name))
    folder = os.path.join(home, WORKERS)
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if not is_alive(name.rpartition("-")[0], home):
            _let_go(os.path.join(folder, name))


def is_left(path: str, prefix: str, unmarked_before: float | None, home: str) -> bool:
    """Did a dead process leave this temporary folder, named after its maker?

    Older versions named no maker: one of theirs is left if it was last changed before that wall time. None: such a name
    may be somebody else's.
    """
    rest = os.path.basename(path).removeprefix(prefix)
    found = _MARKED.match(rest)
    if found is not None:
        return not is_alive(found.group(1), home)
    if unmarked_before is None or not _UNMARKED.match(rest):
        return False
    try:
        return os.stat(path, follow_symlinks=False).st_mtime < unmarked_before
    except FileNotFoundError:
        return False


def open_up(path: str, folder: int | None = None) -> int:
    """Open a folder, and let its owner into it. It is known for a folder, and no link, before its mode is changed."""
    found = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.chmod(f"/proc/self/fd/{found}", stat.S_IRWXU)  # this way, since it cannot be read before
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=found)
    finally:
        os.close(found)


def remove_tree(path: str, stopped: Callable[[], bool] = lambda: False) -> None:
    """Delete a folder that no process writes in any more. Folders are moved up before they are emptied, so that no
    path grows too long for the system, and nothing is gone through by recursion.

    There may be millions of files in it: once it is told to stop, the rest stays, for whoever tidies up next.
    """
    top = open_up(path)
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
        os.close(open_up(name, folder))  # a locked one could neither be moved nor looked into
        new = next(fresh)
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
        names.append(new)
    return names
