"""What must be shown of covered folders so that programs run: found by looking at where they lie."""

import os
import sys
from collections.abc import Iterable, Sequence

LINKS_MAX = 40  # as many symlinks in one path as Linux follows

# Folders of tools below a home that hold programs and nothing private. Of any other one (.docker, .cargo, .local …)
# only the programs and libraries are shown: credentials lie beside them.
ONLY_PROGRAMS = {
    *(".asdf", ".bun", ".deno", ".goenv", ".jenv", ".linuxbrew", ".n", ".nodenv", ".nvm", ".pyenv", ".rbenv"),
    *(".rustup", ".sdkman", ".volta"),
}
LIBRARIES = ("lib", "lib64", "libexec")
PREFIX = ("include", "share")  # of a tool that was installed into a folder of its own
BINS = ("bin", "sbin", "shims")
# A folder that holds one of these is one tool: a virtual environment, conda, Go, a JDK.
ONE_TOOL = ("pyvenv.cfg", "conda-meta", "go.env", "release")

# Scripts in these languages load others that lie beside them, by the same ending.
JAVASCRIPT = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
LOADED = ((".py",), JAVASCRIPT, (".rb",), (".pl", ".pm"), (".sh", ".bash"), (".lua",), (".php",))
NODE = (b"node", b"bun", b"deno")
PACKAGE, MODULES = "package.json", "node_modules"
BESIDE_MAX = 500  # files beside a script; where there are more, it is a store of files and no program
LEVELS_MAX = 12  # between a script and the top of its package


class Programs:
    """Finds what must be shown of covered folders so that programs run at all."""

    def __init__(self, covers: Sequence[str]) -> None:
        self._covers = set(covers)

    def needed(self, path: str) -> list[str]:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # elsewhere in an editable install
        found = [sys.prefix, sys.base_prefix, package]
        found += [entry for entry in sys.path if entry.endswith("-packages")]
        folders = [folder for folder in path.split(os.pathsep) if os.path.isabs(folder) and os.path.isdir(folder)]
        for folder in dict.fromkeys(folders):
            if self._covered(folder):
                found += self._around(folder)
        for folder in dict.fromkeys(map(os.path.realpath, folders)):
            found += self._targets(folder)
        return [entry for entry in dict.fromkeys(found) if self._covered(entry)]

    def _covered(self, path: str) -> bool:
        real = walk(path)[0]
        return real not in self._covers and any(above in self._covers for above in parents(real))

    def _crowded(self, folder: str) -> bool:
        """Does a folder hold much more than one program: is it a home, a project, a board, or above one?"""
        real = walk(folder)[0]
        within = real if real.endswith("/") else f"{real}/"
        return real in self._covers or any(cover.startswith(within) for cover in self._covers)

    # What a command names

    def named(self, words: Iterable[str], given: Sequence[str] = ()) -> list[str]:
        """What must be shown for a command of the flow: each file that it names by its full path, and what a program
        of that kind cannot run without; never simply what lies beside it. What is `given` anyway is left out."""
        tops = [f"{walk(path)[0]}/" for path in given]
        found: dict[str, None] = {}
        for word in words:
            if os.path.isabs(word) and os.path.exists(word) and not f"{walk(word)[0]}/".startswith(tuple(tops)):
                needs = self._folder(word) if os.path.isdir(word) else self._file(word)
                found |= dict.fromkeys(needs)
        return list(found)

    def _folder(self, path: str) -> list[str]:
        """A folder that is named is shown, unless private things lie in it."""
        real = walk(path)[0]
        above = [cover for cover in self._covers if real.startswith(f"{cover}/")]
        hides = any(real[len(cover) + 1 :].startswith(".") for cover in above) and not _is_one_tool(real)
        return [] if hides or self._crowded(path) else [os.path.normpath(path)]

    def _file(self, path: str) -> list[str]:
        path, real = os.path.normpath(path), walk(path)[0]
        found = [path]
        for at in dict.fromkeys((path, real)):
            folder = os.path.dirname(at)
            if os.path.basename(folder) in BINS:
                found += [one for one in self._around(folder) if one != folder]
        return found + (self._package(real) or self._beside(real))

    def _package(self, real: str) -> list[str]:
        """The package that a script of Node is part of, with all that it was installed with."""
        steps = real.split("/")
        if MODULES in steps[:-1]:
            return ["/".join(steps[: steps.index(MODULES) + 1])]
        if not real.endswith(JAVASCRIPT) and not _is_nodes(real):
            return []
        for folder, _ in zip(parents(real), range(LEVELS_MAX), strict=False):
            if self._crowded(folder):
                return []
            if os.path.isfile(os.path.join(folder, PACKAGE)):
                return _open_entries(folder)
        return []

    def _beside(self, real: str) -> list[str]:
        """Modules in the language of a script that lie beside it: it may load them."""
        folder, ending = os.path.dirname(real), os.path.splitext(real)[1]
        kinds = next((endings for endings in LOADED if ending in endings), ())
        if not kinds or self._crowded(folder):
            return []
        files = [entry for entry in _open_entries(folder) if entry.endswith(kinds) and os.path.isfile(entry)]
        if ending == ".py":
            files += [at for at in _open_entries(folder) if os.path.isfile(os.path.join(at, "__init__.py"))]
        return files

    # What the PATH names

    def _around(self, folder: str) -> list[str]:
        """A folder with programs, and what is beside it: libraries, and for some tools everything."""
        name, parent = os.path.basename(folder), os.path.dirname(folder)
        if name not in BINS or walk(parent)[0] in self._covers:
            return [folder]
        if not self._crowded(parent) and (_is_one_tool(parent) or not ONLY_PROGRAMS.isdisjoint(parent.split("/"))):
            return [parent]
        beside = [f"{parent}/{library}" for library in LIBRARIES]
        if any(map(os.path.isdir, beside)) and not os.path.basename(parent).startswith("."):
            beside += [f"{parent}/{name}" for name in PREFIX]
        if folder.endswith("/.cargo/bin"):  # its programs only call those of rustup
            beside.append(f"{os.path.dirname(parent)}/.rustup")
        return [folder, *(path for path in beside if os.path.isdir(path))]

    def _targets(self, folder: str) -> list[str]:
        """Where the links in a folder lead to, if that would be out of sight."""
        try:
            with os.scandir(folder) as entries:
                links = [entry.path for entry in entries if entry.is_symlink() and "/" in os.readlink(entry.path)]
        except OSError:
            return []  # not ours to read, so nothing of it runs
        found: dict[str, None] = {}
        for link in links:
            target = os.path.realpath(link)
            if not os.path.exists(target) or not self._covered(target):
                continue
            home = os.path.dirname(target)
            if os.path.basename(home) in BINS:
                found |= dict.fromkeys(self._around(home))
            elif self._is_installed(home):
                found[home] = None
            else:
                found |= dict.fromkeys(self._file(target))  # beside private ones
            found[link] = None  # for the links on the way
        return list(found)

    def _is_installed(self, folder: str) -> bool:
        """Is it where tools put themselves: deep in a folder of a home that begins with a dot?"""
        above = [cover for cover in self._covers if folder.startswith(f"{cover}/")]
        steps = [folder[len(cover) + 1 :].split("/") for cover in above]
        return not self._crowded(folder) and any(way[0].startswith(".") and len(way) > 1 for way in steps)


def _is_one_tool(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, mark)) for mark in ONE_TOOL)


def _is_nodes(path: str) -> bool:
    """Does the first line of a file name Node, or one of its kind?"""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            first = file.read(128).split(b"\n")[0]
    except OSError:
        return False
    return first.startswith(b"#!") and any(name in first for name in NODE)


def _open_entries(folder: str) -> list[str]:
    """What lies in a folder, but for names with a dot in front: there secrets and settings are kept."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if not name.startswith(".")] if len(names) < BESIDE_MAX else []


def parents(path: str) -> Iterable[str]:
    while path != "/":
        path = os.path.dirname(path)
        yield path


def walk(path: str) -> tuple[str, dict[str, str]]:
    """The real path, and each symlink on the way with its words: in a covered folder they must be made again."""
    rest = os.path.abspath(path).split("/")[::-1]
    real = "/"
    links: dict[str, str] = {}
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            real = os.path.dirname(real)
            continue
        step = os.path.join(real, part)
        if os.path.islink(step) and len(links) < LINKS_MAX:
            links[step] = os.readlink(step)
            real = "/" if links[step].startswith("/") else real
            rest += links[step].split("/")[::-1]
        else:
            real = step
    return real, links
