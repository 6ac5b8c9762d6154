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
from fnmatch import fnmatchcase

from folkmoot.core.flow import Flow
from folkmoot.core.rules.running.names import Below, in_board, in_git
from folkmoot.errors import Refused, Unavailable
from folkmoot.system.git import SystemGit
from folkmoot.system.programs import Programs, walk
from folkmoot.system.sandbox import never_shown
from folkmoot.wiring.files.locating import OWN
from folkmoot.wiring.reading import write_anew
from folkmoot.worker.git.harvest.clients import run_by_settings, users_own
from folkmoot.worker.git.places import Place, all_around, find, work_trees

PRIVATE = 0o700
PARTS = re.compile(r"[\s=:,;'\"@]+")  # what may stand between a path and the rest of a word
# What makes the loader of the system, or a library of moot's, take in code from where it says.
LOADERS = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GCONV_PATH", "PYTHONHOME", "OPENSSL_CONF", "OPENSSL_MODULES")
LADDERS = os.path.join("~", ".oi", "config")  # of all boards of a user
# Which repository the board was made for, told from the project's folder. By its name git ignores it, and no backup
# takes it along.
MADE_FOR = "board.db-repository"
NO_REPOSITORY = "none"
STORE = "board.db"
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}  # nothing in a name means anything


def project_of(home: str) -> str:
    return os.path.dirname(os.path.abspath(home))


def place_of(home: str) -> Place | None:
    """The repository that the board was made for; None for a plain folder, and where another one is there now.

    In a plain folder agents work in the folder itself: a `.git` that is found there later may be theirs, and may lead
    to any other repository, or say that its files are in the user's home.
    """
    place = find(project_of(home))
    return place if _made_for(home) in (None, _told(home, place)) else None


def made_for_this(home: str) -> bool:
    """Write down which repository the board works on, as its user has it now. Gives whether that was another one."""
    now = _told(home, find(project_of(home)))
    if _made_for(home) == now:
        return False
    write_anew(os.path.join(home, MADE_FOR), f"{now}\n")
    return True


def check_repository(home: str) -> None:
    """Refuse to work where there is another repository than the board was made for, or none any more."""
    made_for, now = _made_for(home), _told(home, find(project_of(home)))
    if made_for is None:
        if os.path.exists(os.path.join(home, STORE)):
            made_for_this(home)  # a board of an older version
    elif made_for != now:
        there = "there is none now" if now == NO_REPOSITORY else f"the one that is found now is {now}"
        was = "a folder without a repository" if made_for == NO_REPOSITORY else f"the repository {made_for}"
        words = "this board was made for {was}, and {there}: an agent could have put it there"
        raise Refused("other_repository", words, "if you did, say so with `<init>`; if not, move it away", was, there)
    with suppress(Unavailable):  # no git: whoever needs it will say so, and nothing begins without it
        check_untracked(home)


def check_untracked(home: str) -> None:
    """Refuse a board that a commit brought: whoever made that would decide what is run here, with which rights, and who
    is let in. A flow may be committed; what the board makes for itself never is: `moot init` has git pass over that.
    Every repository around is asked: the folder may be a submodule, or lie in what only looks like a repository."""
    for place in all_around(home):
        if place.work_tree is None:
            continue
        below = os.path.relpath(os.path.realpath(home), os.path.realpath(place.work_tree))
        ask = ("ls-files", "-z", "--", below)
        ran = git_for(home)(*ask, git_dir=place.git_dir, work_tree=place.work_tree, check=False, env=LITERAL)
        for file in os.fsdecode(ran.out).split("\0"):
            name = os.path.relpath(file, below).split(os.sep)[0].casefold() if file else ""
            if any(fnmatchcase(name, own) for own in OWN):
                words = "git tracks {file}: it came with the repository, and whoever made that would decide what is run"
                hint = "if it is yours: git rm -r --cached {file}; if not, move {home} away, then <init>"
                raise Refused("board_of_another", words, hint, file, home)


def _made_for(home: str) -> str | None:
    try:
        with open(os.path.join(home, MADE_FOR), encoding="utf-8", errors="surrogateescape") as file:
            return file.read().removesuffix("\n")
    except FileNotFoundError:
        return None


def _told(home: str, place: Place | None) -> str:
    """By a path that stays the same when the whole project is moved."""
    root = os.path.realpath(project_of(home))
    return NO_REPOSITORY if place is None else os.path.join(".", os.path.relpath(os.path.realpath(place.common), root))


def trees_of(home: str) -> list[str]:
    """The folders in which changes of runs can come: all work trees of the repository, or the plain folder itself."""
    place = place_of(home)
    return work_trees(place) if place is not None else [os.path.realpath(project_of(home))]


def in_reach(path: str, trees: Sequence[str]) -> str | None:
    """Where a change of a run could come to what a path leads to, or to a link on the way there; None: nowhere."""
    real, links = walk(path)
    for at in (real, *links):
        for tree in trees:
            below = _below(at, tree)
            if below is not None and not in_board(below) and not in_git(below):
                return at
    return None


def _below(at: str, tree: str) -> str | None:
    """A normal path as it is told from the top of a tree; None where it does not lie in it. Asked thousands of times
    for a run, so it only compares words."""
    at = f"/{at.lstrip('/')}"
    top = tree if tree.endswith("/") else f"{tree}/"
    return at[len(top) :] if at.startswith(top) else os.curdir if at == tree else None


def check_files(home: str, files: Iterable[str]) -> None:
    """Refuse a board, or a file that it is told by, that leads to where a change of a run can come."""
    trees = trees_of(home)
    for path in (os.path.abspath(home), *files):
        at = in_reach(path, trees)
        if at is not None:
            words = "{path} leads to {at}, where a change of a run can come: what moot trusts cannot lie there"
            hint = "put it into {home} itself, or outside of the project"
            raise Refused("in_reach_of_runs", words, hint, path, at, home)


def notifier(home: str, command: Sequence[str]) -> list[str]:
    """A command that tells people of something."""
    return started_outside(home, command, "notify")


def started_outside(home: str, command: Sequence[str], key: str) -> list[str]:
    """A command of the flow, with its program by its full path. It runs outside of the sandbox, so it is refused where
    the program, or a file that it names, lies where a change of a run can come. `key` is where the flow has it."""
    trees = trees_of(home)
    program, *words = command
    found = program if os.path.isabs(program) else None
    if "/" not in program:
        found = shutil.which(program, path=outside_path(trees))
    elif found is None:
        raise _in_reach(key, program, "is told from the folder in which moot is called, where agents' work lands")
    if found is not None and in_reach(found, trees):
        raise _in_reach(key, program, "lies in the project, where agents' work lands")
    for word in words:
        if any(_leads_in(part, home, trees) for part in (word, *PARTS.split(word)) if part):
            raise _in_reach(key, word, "leads into the project, where agents' work lands")
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


def _in_reach(key: str, word: str, why: str) -> Refused:
    words = "{key}: {word} {why}; it would run outside of the sandbox"
    return Refused("notify_in_reach", words, "name a program by its full path, outside of the project", key, word, why)


def outside_path(trees: Sequence[str], path: str | None = None) -> str:
    """The PATH, the user's own or another, without folders in which changes of runs can come, and without those that
    are told from somewhere. What lands in them would be started in the place of another program."""
    folders = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    return os.pathsep.join(one for one in folders if os.path.isabs(one) and in_reach(one, trees) is None)


class Outside:
    """Programs as runs find them: in the folders of the PATH where no change of a run comes, and beside moot itself,
    where none is taken."""

    def __init__(self, home: str) -> None:
        self._trees = trees_of(home)
        self.path = outside_path(self._trees)
        self.moot = _folder_of_moot(self.path)
        mine = os.path.realpath(self.moot)
        users = dict.fromkeys(os.environ.get("PATH", os.defpath).split(os.pathsep))
        self.left_out = [
            one
            for one in users
            if os.path.isabs(one)
            and os.path.isdir(one)
            and in_reach(one, self._trees) is not None
            and os.path.realpath(one) != mine
        ]

    def __call__(self, program: str) -> str | None:
        for folder in (self.moot, *self.path.split(os.pathsep)):
            found = shutil.which(program, path=folder) if folder else None
            # A link may lead to where changes come; in a sandbox that is not there.
            if found is not None and (folder == self.moot or in_reach(found, self._trees) is None):
                return found
        return None

    def inside(self, program: str) -> str | None:
        """The folder of the PATH in which a program would be, were folders of the project not left out."""
        found = shutil.which(program, path=os.pathsep.join(self.left_out)) if self.left_out else None
        return os.path.dirname(found) if found else None

    def outside(self, path: str) -> str:
        return outside_path(self._trees, path)

    def told(self) -> list[str]:
        """What to say of folders that are left out."""
        return [
            f"{folder} of your PATH is left out for agents, gates and setup: work of agents lands in the project"
            for folder in self.left_out
        ]


def _folder_of_moot(path: str) -> str:
    beside = os.path.join(os.path.dirname(sys.executable), "moot")
    found = beside if os.path.exists(beside) else shutil.which("moot", path=path)
    return os.path.dirname(found) if found else os.path.dirname(sys.executable)


def check_imports(home: str, flow: Flow) -> None:
    """Refuse to run agents where Python looks for modules of moot's in a folder to which their changes come, as with a
    project that is installed `-e` beside moot: what lands there would run as moot itself, outside of any sandbox."""
    trees = trees_of(home)
    is_cloned = place_of(home) is not None
    # No change comes to what moot is run from. In a plain folder nobody looks at a change before it is there.
    safe = [os.path.join(tree, own) for tree in trees for own in engines_own(trees, home)] if is_cloned else []
    program = [] if is_cloned else [sys.executable]
    for place in dict.fromkeys(os.path.abspath(entry) for entry in [*sys.path, *program]):
        is_safe = any(os.path.commonpath([place, own]) == own for own in safe)
        if flow.sandbox != "never" and not is_safe and in_reach(place, trees):
            raise Refused(
                "imports_in_reach",
                "moot looks for Python modules in {place}, where a change of a run can come: it would run as moot",
                (
                    "install moot in an environment of its own, without this project (`pipx install folkmoot`), and "
                    "leave PYTHONPATH unset"
                ),
                place,
            )


def check_flow(home: str, flow: Flow) -> None:
    """Refuse a flow, or a way of starting moot, by which something that is trusted would lie where changes come."""
    for target in flow.targets:
        if target.command:
            notifier(home, target.command)
    if flow.land.command:
        started_outside(home, flow.land.command, "land: command")
    check_imports(home, flow)
    check_loaders(home, flow)
    check_folder(home, flow)


def check_folder(home: str, flow: Flow) -> None:
    """Refuse to run agents in a plain folder that holds what no sandbox shows: they would work right in the middle."""
    root = os.path.realpath(project_of(home))
    if place_of(home) is not None or flow.sandbox == "never":
        return
    for private in never_shown(os.environ):
        if os.path.commonpath([root, private]) == root:
            words = "agents would work in {root} itself, since there is no git repository, and "
            words += "it holds {private}" if private != root else "that is a private folder"
            words += ": the sandbox could not hide it from them"
            hint = (
                "make the board in the folder of a project; or `git init` there, then each run has a clone of its own"
            )
            raise Refused("holds_private", words, hint, root=root, private=private)


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
                    "{name} leads to {path}, where a change of a run can come: it would run as moot",
                    "unset {name} for moot; a gate or an agent that needs it sets it in its own command",
                    name,
                    os.path.abspath(part),
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
    return _in_trees(places, trees)


def started_by(home: str, flow: Flow) -> list[str]:
    """What runs start from a work tree of the user's, since the flow names it by its full path: as paths of a change.
    With all that a sandbox shows of it, since that is what it may load."""
    trees = trees_of(home)
    words = [word for command in flow.commands() for word in command if os.path.isfile(word)]
    return _in_trees(Programs(trees).named(words), trees)


def obeyed_by(home: str, paths: Iterable[str], users: Sequence[str] = ()) -> list[str]:
    """Paths of the project that clients obey, with what links of the user's tree lead them to, and what settings of
    the user's there run. Those that git tracks in folders below count too, and what links of the user's own settings
    lead to: `users` are the names of these."""
    trees, paths = trees_of(home), list(paths)
    paths += _settings_below(home, trees, paths)
    places = [os.path.join(tree, path) for tree in trees for path in paths]
    return _in_trees([*places, *run_by_settings(trees, paths), *users_own(users)], trees)


def _settings_below(home: str, trees: Sequence[str], paths: Iterable[str]) -> list[str]:
    below, found = Below(paths), dict[str, None]()
    for tree in trees if place_of(home) is not None else ():
        place = find(tree)
        if place is not None and place.work_tree is not None:
            said = git_for(home)("ls-files", "-z", git_dir=place.git_dir, work_tree=tree, check=False).out
            names = (os.fsdecode(name) for name in said.split(b"\0") if b"/" in name)
            found |= dict.fromkeys(name for name in names if below.meet(name))
    return list(found)


def _in_trees(places: Iterable[str], trees: Sequence[str]) -> list[str]:
    """Places, and the links on the way to them, as paths from the top of each work tree that they lie in."""
    found: dict[str, None] = {}
    plain: set[str] = set()
    for place in places:
        real, links = walk(place, plain)
        for at in (os.path.abspath(place), real, *links):
            for tree in trees:
                below = _below(at, tree)
                if below not in (None, os.curdir):
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
