"""What moot itself reads and runs outside of the sandbox, held against where a change of a run can come.

What lands is code that nobody has read. So nothing that is trusted may lie where it lands: not the board, not its flow,
not the command that notifies, not the programs of moot.
"""

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from folkmoot.core.flow import Flow
from folkmoot.core.rules.running.names import in_board, in_git
from folkmoot.errors import Refused
from folkmoot.system.git import SystemGit
from folkmoot.system.programs import walk
from folkmoot.worker.git.places import find, work_trees

PRIVATE = 0o700
PARTS = re.compile(r"[\s=:,;'\"@]+")  # what may stand between a path and the rest of a word
# What makes the loader of the system, or a library of moot's, take in code from where it says.
LOADERS = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GCONV_PATH", "PYTHONHOME", "OPENSSL_CONF", "OPENSSL_MODULES")
LADDERS = os.path.join("~", ".oi", "config")  # of all boards of a user


def project_of(home: str) -> str:
    return os.path.dirname(os.path.abspath(home))


def trees_of(home: str) -> list[str]:
    """The folders in which changes of runs can come: all work trees of the repository, or the plain folder itself."""
    root = project_of(home)
    place = find(root)
    return work_trees(place) if place is not None else [os.path.realpath(root)]


def in_reach(path: str, trees: Sequence[str]) -> str | None:
    """Where a change of a run could come to what a path leads to, or to a link on the way there; None: nowhere."""
    real, links = walk(path)
    for at in (real, *links):
        for tree in trees:
            below = os.path.relpath(at, tree)
            if below.split(os.sep)[0] != os.pardir and not in_board(below) and not in_git(below):
                return at
    return None


def check_files(home: str, files: Iterable[str]) -> None:
    """Refuse a board, or a file that it is told by, that leads to where a change of a run can come."""
    trees = trees_of(home)
    for path in (os.path.abspath(home), *files):
        at = in_reach(path, trees)
        if at is not None:
            raise Refused(
                "in_reach_of_runs",
                f"{path} leads to {at}, where a change of a run can come: what moot trusts cannot lie there",
                f"put it into {home} itself, or outside of the project",
            )


def notifier(home: str, flow: Flow) -> list[str]:
    """The command that tells people of questions, with its program by its full path. It runs outside of the sandbox, so
    it is refused where the program, or a file that it names, lies where a change of a run can come."""
    if not flow.notify:
        return []
    trees = trees_of(home)
    program, *words = flow.notify
    found = program if os.path.isabs(program) else None if "/" in program else _which(program, trees)
    if found is None and "/" in program:
        raise _notify_refused(program, "is told from the folder in which moot is called, where agents' work lands")
    if found is not None and in_reach(found, trees):
        raise _notify_refused(program, "lies in the project, where agents' work lands")
    for word in words:
        if any(_leads_in(part, home, trees) for part in (word, *PARTS.split(word)) if part):
            raise _notify_refused(word, "leads into the project, where agents' work lands")
    return [found or program, *words]


def _leads_in(part: str, home: str, trees: Sequence[str]) -> bool:
    """Does a word, or a part of one such as FILE in `--file=FILE`, name something where a change of a run can come?
    By its full path also what is not there yet: it may come with the next change."""
    if os.path.isabs(part):
        return in_reach(part, trees) is not None
    beside = os.path.join(home, part)  # the command is started in the board's folder
    if os.path.exists(beside) and in_reach(beside, trees):
        return True
    files = [os.path.join(folder, part) for folder in dict.fromkeys((project_of(home), *trees))]
    return any(os.path.isfile(file) and in_reach(file, trees) for file in files)


def _notify_refused(word: str, why: str) -> Refused:
    return Refused(
        "notify_in_reach",
        f"notify: {word} {why}; it would run outside of the sandbox",
        "name a program by its full path, outside of the project",
    )


def _which(program: str, trees: Sequence[str]) -> str | None:
    return shutil.which(program, path=outside_path(trees))


def outside_path(trees: Sequence[str]) -> str:
    """The PATH without folders in which changes of runs can come, and without those that are told from somewhere."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(one for one in folders if os.path.isabs(one) and in_reach(one, trees) is None)


def check_imports(home: str, flow: Flow) -> None:
    """Refuse to run agents where Python looks for modules of moot's in a folder to which their changes come, as with a
    project that is installed `-e` beside moot: what lands there would run as moot itself, outside of any sandbox."""
    trees = trees_of(home)
    safe = [os.path.join(tree, own) for tree in trees for own in engines_own(trees, home)]  # no change comes there
    for place in dict.fromkeys(os.path.abspath(entry) for entry in sys.path):
        is_safe = any(os.path.commonpath([place, own]) == own for own in safe)
        if flow.sandbox != "never" and not is_safe and in_reach(place, trees):
            raise Refused(
                "imports_in_reach",
                f"moot looks for Python modules in {place}, where a change of a run can come: it would run as moot",
                "install moot in an environment of its own, without this project (`pipx install folkmoot`), and "
                "leave PYTHONPATH unset",
            )


def check_loaders(home: str, flow: Flow) -> None:
    """Refuse to run agents where a variable leads the loader of moot's own programs to where their changes come. One
    that is relative, or empty, means the folder in which moot is called."""
    trees = trees_of(home)
    for name in LOADERS if flow.sandbox != "never" else ():
        value = os.environ.get(name, "")
        for part in re.split(r"[:; ]" if name in ("LD_PRELOAD", "LD_AUDIT") else r"[:;]", value) if value else ():
            is_name = "/" not in part and name in ("LD_PRELOAD", "LD_AUDIT")  # looked for in the system's own folders
            if not is_name and in_reach(os.path.abspath(part), trees):
                raise Refused(
                    "loader_in_reach",
                    f"{name} leads to {os.path.abspath(part)}, where a change of a run can come: it would run as moot",
                    f"unset {name} for moot; a gate or an agent that needs it sets it in its own command",
                )


def git_for(home: str) -> SystemGit:
    """Git as the board at this place uses it: never one that came with a change of a run."""
    return SystemGit(path=outside_path(trees_of(home)))


def engines_own(trees: Sequence[str], home: str) -> list[str]:
    """What moot is run from, the board's folder and the user's ladders, as far as they lie in a work tree: as paths
    of a change. A file must not come where a folder above them is either."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix)
    places = [package, home, os.path.expanduser(LADDERS), os.path.dirname(sys.executable)]
    for prefix in dict.fromkeys(prefixes):
        # By its parts: a project may well be a virtual environment itself.
        places += [os.path.join(prefix, name) for name in ("bin", "lib", "lib64", "pyvenv.cfg")]
    found: dict[str, None] = {}
    for place in places:
        real, links = walk(place)
        for at in (os.path.abspath(place), real, *links):
            for tree in trees:
                below = os.path.relpath(at, tree)
                if below != os.curdir and below.split(os.sep)[0] != os.pardir:
                    found[below] = None
    return list(found)


def make_private(home: str) -> list[str]:
    """Let nobody else look into the board's folder, whoever made it, and whatever mode it had. Gives what to say.

    The folder alone: what is in it may be committed, and git would see a changed mode of a file.
    """
    for path in (home, os.path.join(home, "repo.git")):
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if mode & 0o077:
                with suppress(OSError):
                    os.chmod(path, PRIVATE)
    try:
        is_open = stat.S_IMODE(os.stat(home).st_mode) & 0o077 != 0
    except FileNotFoundError:
        return []
    words = f"other users of this machine can look into {home}, and moot cannot change that: see to it by `chmod 700`"
    return [words] if is_open else []
