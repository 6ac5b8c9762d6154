"""What must be shown of covered folders so that programs run: found by looking at where they lie."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

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
# A folder that holds one of these is one tool: a virtual environment, conda, Go; and by what it says, a JDK.
VENV = "pyvenv.cfg"
ONE_TOOL = (VENV, "conda-meta", "go.env")
JDK, JDKS_WORD, JDK_BYTES = "release", b"JAVA_VERSION=", 4_096
# A virtual environment may have been made right in a project: then only its own parts are shown.
PROJECT = (".git", ".hg", ".svn", ".moot", ".env")
# Where installers put whole tools, with a link to each from a folder of the PATH: below one of these names, deep in a
# folder that begins with a dot (~/.local/share/NAME/versions/1.2). Beside them, in ~/.local/share/NAME itself, lie the
# tool's data: keyrings, logins, letters.
WHOLE = {"apps", "dist", "installs", "lib", "libexec", "opt", "packages", "releases", "tools", "toolchains", "versions"}
OWN_FOLDERS = {".claude/local", ".local/lib", ".local/libexec", ".local/opt"}  # themselves
# Folders of a home, and of its data, in which credentials are kept: of a program there the file alone is shown.
CREDENTIALS = {
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config", ".gcloud", ".password-store", ".pki", ".mozilla"),
    *(".thunderbird", ".gem", ".m2", ".oci", ".terraform.d", ".vault", "keyrings", "kwalletd", "gnome-keyring"),
}

# Scripts in these languages load others that lie beside them, by the same ending.
JAVASCRIPT = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
LOADED = ((".py",), JAVASCRIPT, (".rb",), (".pl", ".pm"), (".sh", ".bash"), (".lua",), (".php",))
SCRIPTS = tuple(ending for endings in LOADED for ending in endings)
NODE = (b"node", b"bun", b"deno")
PACKAGE, MODULES = "package.json", "node_modules"
BESIDE_MAX = 500  # files beside a script; where there are more, it is a store of files and no program
LEVELS_MAX = 12  # between a script and the top of its package


class Programs:
    """Finds what must be shown of covered folders so that programs run at all. In those of them that are `hidden` work
    of agents lands: nothing there is a program, but for what moot itself is run from, which no run changes."""

    def __init__(self, covers: Sequence[str], hidden: Sequence[str] = ()) -> None:
        self._covers = {*covers, *hidden}
        self._hidden = [f"{path}/" for path in hidden]

    def needed(self, path: str) -> list[str]:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # elsewhere in an editable install
        own = [sys.prefix, sys.base_prefix, package]
        own += [entry for entry in sys.path if entry.endswith("-packages")]
        found = [entry for entry in self._of_path(path) if not self._is_hidden(entry)]
        return [entry for entry in dict.fromkeys([*own, *found]) if self._covered(entry)]

    def _of_path(self, path: str) -> list[str]:
        found: list[str] = []
        folders = [folder for folder in path.split(os.pathsep) if os.path.isabs(folder) and os.path.isdir(folder)]
        for folder in dict.fromkeys(folders):
            if self._covered(folder):
                found += self._around(folder)
        for folder in dict.fromkeys(map(os.path.realpath, folders)):
            found += self._targets(folder)
        return found

    def _is_hidden(self, path: str) -> bool:
        """Does it lead to where work of agents lands, or on a way through there?"""
        real, links = walk(path)
        return any(f"{at}/".startswith(tuple(self._hidden)) for at in (real, *links))

    def _covered(self, path: str) -> bool:
        return self._is_covered(walk(path)[0])

    def _is_covered(self, real: str) -> bool:
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
            if os.path.basename(folder) in BINS and not self._is_with_credentials(folder):
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
        if os.path.isfile(os.path.join(parent, VENV)) and _is_project(parent):
            return [at for at in (f"{parent}/{name}" for name in (name, VENV, *LIBRARIES)) if os.path.exists(at)]
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
        plain: set[str] = set()  # many hundred links, and most lead to the same few folders
        for link in links:
            target = walk(link, plain)[0]
            if not self._is_covered(target) or not _is_program(target):
                continue
            home = os.path.dirname(target)
            if self._is_with_credentials(home):
                found |= dict.fromkeys([target, *(self._package(target) if MODULES in target.split("/") else [])])
            elif os.path.basename(home) in BINS:
                # A package of Node has its programs in a folder of that name too, and the rest of it lies elsewhere.
                found |= dict.fromkeys(
                    self._around(home) + (self._package(target) if MODULES in target.split("/") else [])
                )
            elif self._is_installed(home):
                found[home] = None
            else:
                found |= dict.fromkeys(self._file(target))  # beside private ones
            found[link] = None  # for the links on the way
        return list(found)

    def _below_covers(self, folder: str) -> list[str]:
        """A folder as it is told from each covered one above it."""
        return [folder[len(cover) + 1 :] for cover in self._covers if folder.startswith(f"{cover}/")]

    def _is_with_credentials(self, folder: str) -> bool:
        return any(not CREDENTIALS.isdisjoint(way.split("/")) for way in self._below_covers(folder))

    def _is_installed(self, folder: str) -> bool:
        """Is it where installers put whole tools, and programs alone?"""
        ways = self._below_covers(folder)
        if self._crowded(folder):
            return False
        if not ONLY_PROGRAMS.isdisjoint(step for way in ways for step in way.split("/")[:-1]):
            return True
        return any(_is_whole(way) for way in ways)


def _is_whole(way: str) -> bool:
    """Is a folder, as it is told from a home, one that a tool was installed into?"""
    steps = way.split("/")
    return way in OWN_FOLDERS or (steps[0].startswith(".") and not WHOLE.isdisjoint(steps[1:-1]))


def _is_program(path: str) -> bool:
    """A file that can be run, or that scripts of its kind load; a folder that a link leads to is neither."""
    return os.path.isfile(path) and (os.access(path, os.X_OK) or path.endswith(SCRIPTS))


def _is_project(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in PROJECT)


def _is_one_tool(folder: str) -> bool:
    if any(os.path.exists(os.path.join(folder, mark)) for mark in ONE_TOOL):
        return True
    release = os.path.join(folder, JDK)
    if not os.path.isfile(release):
        return False
    with suppress(OSError), open(release, "rb") as file:
        return any(line.startswith(JDKS_WORD) for line in file.read(JDK_BYTES).splitlines())
    return False


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


def walk(path: str, plain: set[str] | None = None) -> tuple[str, dict[str, str]]:
    """The real path, and each symlink on the way with its words: in a covered folder they must be made again. `plain`
    is what several walks at one moment share: the steps that were found to be no links."""
    rest = os.path.abspath(path).split("/")[::-1]
    real = "/"
    links: dict[str, str] = {}
    plain = set() if plain is None else plain
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            real = os.path.dirname(real)
            continue
        step = f"{real}/{part}" if real != "/" else f"/{part}"
        if step not in plain and os.path.islink(step) and len(links) < LINKS_MAX:
            links[step] = os.readlink(step)
            real = "/" if links[step].startswith("/") else real
            rest += links[step].split("/")[::-1]
        else:
            if len(links) < LINKS_MAX:
                plain.add(step)
            real = step
    return real, links
