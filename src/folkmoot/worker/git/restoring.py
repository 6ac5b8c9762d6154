"""A clone after its `setup`: what git tracks, and its `.git`, are again what the engine made.

Setup runs what the repository holds, which may be work that nobody has proved. What comes after it, an agent with a key
or a gate, is to meet the commit and nothing else of that. Only what git does not track stays: installed dependencies.
"""

import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from folkmoot.core.rules.running.names import MODULES, Below, Places
from folkmoot.core.work import SUBMODULE
from folkmoot.errors import Unavailable
from folkmoot.worker.git.looking import OPEN, behind_link, found_at
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.ports import Bounds, Paths
from folkmoot.worker.removing import open_up, remove_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

GIT, ATTRIBUTES = ".git", ".gitattributes"
OLD_GIT = "git-of-setup"  # in the run's folder, where no process of the run comes
POINTER, POINTER_BYTES_MAX = "gitdir: ", 4_096
# Of a submodule's repository: nothing in these says what git shall run. Its settings and hooks do.
DATA = ("HEAD", "index", "logs", "objects", "packed-refs", "refs", "shallow")


def put_back(
    repository: Repository, paths: Paths, index: str, dress: Callable[[], None], obeyed: Sequence[str] = ()
) -> list[str]:
    """Make tracked files and `.git` what they were, or raise; gives the names of files that had been changed.

    `dress` makes the clone's `.git`, where there is none. `obeyed` are paths that hold what git tracks, and no more.
    """
    changed: list[str] = []
    links: list[str] = []
    if os.path.exists(index):
        files, links = _listed(repository, index)
        _sweep(paths.workspace, files, links)
        changed = _restore(repository, paths, index, files)
        if obeyed:
            changed += _bare(repository, paths, index, obeyed) + _bare_below(paths.workspace, files, obeyed)
    old = os.path.join(paths.root, OLD_GIT)
    _away(old)
    with suppress(FileNotFoundError):
        os.rename(os.path.join(paths.workspace, GIT), old)
    dress()
    for path in links:
        _module(repository, paths.workspace, path, old)
    _away(old)
    return changed


def settle(repository: Repository, paths: Paths, index: str, obeyed: Sequence[str]) -> None:
    """After files that an earlier setup left were put into a clone: what `put_back` would have taken away goes."""
    if os.path.exists(index):
        files, links = _listed(repository, index)
        _sweep(paths.workspace, files, links)
        if obeyed:
            _bare(repository, paths, index, obeyed)
            _bare_below(paths.workspace, files, obeyed)


def renew(paths: Paths, bounds: Bounds) -> None:
    """Move all that is in the workspace into folders that are new. Somebody else may have the old ones open, who got
    them from setup through a socket: he could write there while the next one works, or put a link where we look."""
    fresh, old = tempfile.mkdtemp(dir=paths.root), tempfile.mkdtemp(dir=paths.root)
    numbers = count()
    waiting = [(paths.workspace, fresh)]
    while waiting:
        folder, place = waiting.pop()
        os.close(open_up(folder))
        for name in os.listdir(folder):
            bounds.left()
            source, target = os.path.join(folder, name), os.path.join(place, name)
            with suppress(NotADirectoryError):
                os.close(open_up(source))  # a closed folder cannot be moved
            os.rename(source, target)
            if stat.S_ISDIR(os.lstat(target).st_mode):  # only now: here nobody else can change it any more
                left = os.path.join(old, str(next(numbers)))
                os.rename(target, left)
                os.mkdir(target)
                waiting.append((left, target))
    os.rename(paths.workspace, os.path.join(old, "top"))
    os.rename(fresh, paths.workspace)


def _listed(repository: Repository, index: str) -> tuple[list[str], list[str]]:
    """The files that are tracked, and the folders that are repositories of their own."""
    said = repository("ls-files", "-z", "-s", index=index).out
    lines = [line.partition(b"\t") for line in said.split(b"\0") if line]
    files = [os.fsdecode(path) for facts, _, path in lines if not facts.startswith(SUBMODULE.encode())]
    links = [os.fsdecode(path) for facts, _, path in lines if facts.startswith(SUBMODULE.encode())]
    return files, links


def _sweep(top: str, files: list[str], links: list[str]) -> None:
    """Folders of the project are folders again, open, and hold no repository and no rules for git that came by setup:
    git would go through the links, and follow the rules."""
    tracked = set(files)
    for folder in _folders([*files, *(os.path.join(link, GIT) for link in links)]):
        at = os.path.join(top, folder)
        there = found_at(os.fsencode(at))
        if there is None:
            continue
        if not stat.S_ISDIR(there.st_mode):
            os.unlink(at)
            continue
        if there.st_mode & OPEN != OPEN:
            os.chmod(at, stat.S_IMODE(there.st_mode) | OPEN)
        if folder and folder not in links:
            _away(os.path.join(at, GIT))
        if os.path.join(folder, ATTRIBUTES) not in tracked:
            _away(os.path.join(at, ATTRIBUTES))


def _folders(names: "Iterable[str]") -> list[str]:
    """All folders above these, the higher ones first."""
    found = {""}
    for name in names:
        folder = os.path.dirname(name)
        while folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return sorted(found)


def _restore(repository: Repository, paths: Paths, index: str, files: list[str]) -> list[str]:
    """Write every file again; gives those that were not as the engine wrote them, by what is in them."""

    def git(*args: str, stdin: bytes = b"") -> bytes:
        return repository(*args, work_tree=paths.workspace, index=index, stdin=stdin).out

    said = git("ls-files", "-z", "--modified", "--deleted")
    changed = list(dict.fromkeys(os.fsdecode(name) for name in said.split(b"\0") if name))
    for name in files:  # each of them: whoever has one open could write it later
        with suppress(FileNotFoundError, IsADirectoryError):
            os.unlink(os.path.join(paths.workspace, name))
    rules = [name for name in files if os.path.basename(name) == ATTRIBUTES]
    if rules:  # first: the other files are written by them
        git("checkout-index", "-q", "-f", "-u", "-z", "--stdin", stdin=b"".join(os.fsencode(r) + b"\0" for r in rules))
    git("checkout-index", "-q", "-f", "-u", "-a")
    left = git("diff-files", "-z", "--name-only", "--ignore-submodules=all").split(b"\0")[:3]
    if any(left):
        names = b", ".join(filter(None, left)).decode("utf-8", "replace")
        raise Unavailable("setup_failed", "setup changed {names}, which could not be put back", "", names)
    return changed


def _bare(repository: Repository, paths: Paths, index: str, obeyed: Sequence[str]) -> list[str]:
    """Take away what git does not track in these paths, or in the way to them; gives its names."""
    top = os.path.realpath(paths.workspace)
    gone: list[str] = []
    for find in (os.path.abspath, os.path.realpath):  # what a link of the project leads to, once all others are gone
        places = [os.path.relpath(find(os.path.join(top, path)), top) for path in obeyed]
        firsts = {place.split(os.sep)[0] for place in places} - {os.curdir, os.pardir}
        if not firsts:
            continue
        said = repository("ls-files", "-z", "--others", "--", *sorted(firsts), work_tree=top, index=index).out
        names = [os.fsdecode(name).rstrip(os.sep) for name in said.split(b"\0") if name]
        gone += (found := [name for name in names if Places(places).meet(name)])
        for name in found:
            _away(os.path.join(top, name))
    return gone


def _bare_below(top: str, files: list[str], obeyed: Sequence[str]) -> list[str]:
    """The same in all folders below the top one. What was installed from elsewhere is passed over: packages bring such
    folders along, and nobody works with their files."""
    below, tracked = Below(obeyed), {*files, *_folders(files)}
    gone: list[str] = []
    waiting = [("", False)]  # a folder, and whether settings begin above it
    while waiting:
        folder, is_within = waiting.pop()
        for name, is_folder in _entries(os.path.join(top, folder)).items():
            path = os.path.join(folder, name)
            begins = is_within or (bool(folder) and below.begin_with(name))
            if path == GIT or (is_folder and path not in tracked and _is_installed(os.path.join(top, path), name)):
                continue
            if begins and path not in tracked and below.meet(path):
                gone.append(path)
                _away(os.path.join(top, path))
            elif is_folder:
                waiting.append((path, begins))
    return gone


def _entries(folder: str) -> dict[str, bool]:
    """The names in a folder, each a folder itself or not; one that is closed is opened."""
    try:
        listed = os.scandir(folder)
    except PermissionError:
        os.close(open_up(folder))
        listed = os.scandir(folder)
    with listed:
        return {entry.name: entry.is_dir(follow_symlinks=False) for entry in listed}


def _is_installed(folder: str, name: str) -> bool:
    return name == MODULES or os.path.lexists(os.path.join(folder, "pyvenv.cfg"))


def _module(repository: Repository, top: str, path: str, old: str) -> None:
    """Keep a submodule that setup has fetched, with settings of the engine's; what is no such thing is taken away."""
    pointer = os.path.join(top, path, GIT)
    there = found_at(os.fsencode(pointer))
    if there is None:
        return
    name, source = path, f"{old}-module"
    if stat.S_ISDIR(there.st_mode):
        _away(source)
        os.rename(pointer, source)
    else:
        name = _named(top, path, pointer) if stat.S_ISREG(there.st_mode) else ""
        source = os.path.join(old, "modules", name)
        os.unlink(pointer)
        if not name or behind_link(old, os.path.join("modules", name, "HEAD"), {}) or not os.path.isdir(source):
            return
    own = os.path.join(top, GIT, "modules", name)
    os.makedirs(own)
    for part in DATA:
        if os.path.lexists(os.path.join(source, part)) and not os.path.islink(os.path.join(source, part)):
            os.rename(os.path.join(source, part), os.path.join(own, part))
    tree = os.path.relpath(os.path.join(top, path), own)
    core = [f"repositoryformatversion = {repository.version}", "bare = false", f'worktree = "{_escaped(tree)}"']
    _write(os.path.join(own, "config"), "\n".join(["[core]", *core, *repository.extensions, ""]))
    _write(pointer, f"{POINTER}{os.path.relpath(own, os.path.join(top, path))}\n")
    _away(f"{old}-module")


def _named(top: str, path: str, pointer: str) -> str:
    """The name of a submodule by the file that stands for its repository; empty if that leads elsewhere."""
    with open(pointer, encoding="utf-8", errors="surrogateescape") as file:
        words = file.read(POINTER_BYTES_MAX)
    modules = os.path.join(top, GIT, "modules") + os.sep
    at = os.path.normpath(os.path.join(top, path, words.removeprefix(POINTER).rstrip("\n")))
    return at.removeprefix(modules) if words.startswith(POINTER) and at.startswith(modules) else ""


def _escaped(words: str) -> str:
    return words.replace("\\", "\\\\").replace('"', '\\"')


def _write(path: str, text: str) -> None:
    with open(path, "x", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _away(path: str) -> None:
    there = found_at(os.fsencode(path))
    if there is None:
        return
    if stat.S_ISDIR(there.st_mode):
        remove_tree(path)
    else:
        os.unlink(path)
