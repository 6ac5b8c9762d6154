"""What a run may change, held against what it did change (R-20): enforced here, not asked for (Q-03)."""

import posixpath
from collections.abc import Iterable
from typing import assert_never

from folkmoot.core.enums import WriteRight
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Hold
from folkmoot.core.rules.running.names import INCLUDES, is_boards, is_gits, is_moots, parts
from folkmoot.core.rules.sharing.paths import normal_path, overlap
from folkmoot.core.rules.sharing.widening import not_given
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.work import LINK, SUBMODULE, Touched

# Instead of a mode: what lies there is nobody's to change, whatever its name is.
ENGINES_OWN = "engine"
GIT_LED = "git"
MIRRORS = "mirror"
REPOSITORY = "repository"
OTHERS_TREE = "others"
OF_THE_PATH = "path"
ENVIRONMENT = "environment"
STARTED = "started"
CLIENT_LED = "client"
LARGE = "lfs"
# And why. Whoever looks at files tells which it is; a change that holds one is refused.
NEVER = {
    ENGINES_OWN: "is part of the moot that runs here",
    GIT_LED: "is run or read by your own git, whose settings or hooks lead there: change it by hand",
    MIRRORS: "is where the board's mirror takes in what people and agents write: no change of a run speaks there",
    REPOSITORY: "lies in a folder that git takes for a repository (HEAD, objects and refs are in it), and whose config "
    "it would run: keep such a folder packed, as a bundle or an archive, and unpack it where it is used",
    OTHERS_TREE: "lies in another repository of yours, which is in this folder and no part of the project",
    OF_THE_PATH: "lies in a folder of your PATH, where your shell and your git look for programs: change it by hand, "
    "or start the worker without that folder in the PATH",
    STARTED: "belongs to a program that your flow starts from your own tree, by its full path: change it by hand, or "
    "let the flow name it from the clone, as ./PATH",
    CLIENT_LED: "is where a client that plays your agents finds settings and programs of its own, which would speak in "
    "the place of the next agent, a reviewer too: change it by hand",
    LARGE: "is kept in Git LFS, and a clone has only its pointer: change it by hand",
    ENVIRONMENT: "lies in an environment of yours that git does not track (a virtual environment, node_modules), whose "
    "programs you and your git run: change it by hand, or say in `setup` how it is made",
}
FILES = frozenset({"100644", "100755", LINK})
TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e", "integration"})
TEST_FILE = pattern(r"(test_.+|.+[._-](test|tests|spec)\.\w+|.+_test\.\w+|.+Tests?\.\w+|conftest\.py)")
# Children that look and answer: whatever their agent may write elsewhere, here it writes nothing.
LOOKING = frozenset({"expert", "sub"})


def may_write(flow: Flow, item: Item, agent: str) -> WriteRight:
    """What this agent may change for this item."""
    known = flow.agents.get(agent)
    return "none" if known is None or item.kind in LOOKING else known.write


def is_test(path: str) -> bool:
    """Does the path lie where tests lie, or have the name of one?"""
    *folders, name = path.split("/")
    return any(folder.lower() in TEST_FOLDERS for folder in folders) or TEST_FILE.fullmatch(name) is not None


def danger(touched: Touched) -> str | None:
    """Why nobody at all may make this change, or None. What is git's, a board's or moot's may not go away either."""
    steps = parts(touched.path)
    if not steps or touched.path.startswith("/") or ".." in steps:
        return "leads out of the project"
    if any(is_gits(step) for step in steps):
        return "lies in a folder of git's own"
    if any(is_boards(step) for step in steps):
        return "belongs to the board" if is_boards(steps[0]) else "belongs to a board, wherever that folder lies"
    if touched.mode in NEVER:
        return NEVER[touched.mode]
    if len(steps) == 1 and steps[0].casefold() == INCLUDES:
        return "says which ignored files of yours every clone gets: change it by hand"
    if any(is_moots(step) for step in steps):
        return "has a name that moot keeps for its own (`.moot-…`)"
    if touched.how == "deleted":
        return None
    if touched.mode == SUBMODULE:
        return "is a repository of its own"
    if touched.mode not in FILES:
        return "is neither a file nor a link"
    if touched.mode == LINK and _leaves(touched.path, touched.link or ""):
        return f"is a link that leads out of the project, to {touched.link or 'nowhere'}"
    return None


def _leaves(path: str, link: str) -> bool:
    """Could the link lead out, or to what is git's or the board's? It may go up only at its start: what comes after a
    name may lie behind another link, and up from there is anywhere."""
    steps = link.replace("\\", "/").split("/")
    if not link or link.startswith(("/", "\\", "~")) or "\0" in link or steps[0].endswith(":"):
        return True
    down = [step not in ("", ".", "..") for step in steps]
    if True in down and ".." in steps[down.index(True) :]:
        return True
    reached = parts(posixpath.normpath(posixpath.join(posixpath.dirname(path), "/".join(steps))))
    return ".." in reached or any(is_boards(step) or is_gits(step) or is_moots(step) for step in reached)


def trespasses(touched: list[Touched], write: WriteRight, flow: Flow, item: Item) -> list[str]:
    """What is wrong with a change, in words; empty if all of it is allowed. What others hold is no fault of it: it
    waits for them where it lands."""
    faults = [f"{one.path} {why}" for one in touched if (why := danger(one))]
    if faults:
        return faults
    paths = [one.path for one in touched]
    match write:
        case "none":
            return [f"{path} was changed, and this agent only reads" for path in paths]
        case "own":
            return [f"{path} is not among its files" for path in not_given(flow, item, paths)]
        case "new_tests":
            mine = {normal_path(path) for path in item.new_tests}
            return [
                f"{one.path} is not a new test"
                for one in touched
                if not is_test(one.path) or (one.how != "created" and normal_path(one.path) not in mine)
            ]
        case "any":
            return []
        case _:
            assert_never(write)


def taken_by_others(touched: Iterable[Touched], holds: Iterable[Hold]) -> list[str]:
    """Which of the paths others hold, in words."""
    paths = [one.path for one in touched]
    return [f"{path} is held by {hold.owner}" for hold in holds for path in overlap(paths, [hold.path])]


def strays(landed: list[Touched], flow: Flow, item: Item, taken: Iterable[str]) -> list[str]:
    """What is wrong with what a merge brings onto a branch, in words. The changes themselves were judged when they were
    `taken`; but git follows a rename of the other side, and so carries a change to a path that nobody has judged."""
    faults = [f"{one.path} {why}" for one in landed if (why := danger(one))]
    known = set(taken)
    unknown = [one.path for one in landed if one.path not in known]
    moved = "is not among its files: the branch has renamed what it changed, and the change would go there"
    return faults or [f"{path} {moved}" for path in not_given(flow, item, unknown)]
