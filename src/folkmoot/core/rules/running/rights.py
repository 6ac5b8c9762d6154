"""What a run may change, held against what it did change (R-20): enforced here, not asked for (Q-03)."""

import posixpath
import re
from collections.abc import Iterable

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Hold
from folkmoot.core.rules.running.names import is_boards, is_gits, parts
from folkmoot.core.rules.sharing.paths import normal_path, outside, overlap
from folkmoot.core.work import LINK, SUBMODULE, Touched

ENGINES_OWN = "engine"  # instead of a mode: what moot itself is run from lies there
GIT_LED = "git"  # instead of a mode: the settings of the user's git lead there, so it runs or reads what lies there
FILES = frozenset({"100644", "100755", LINK})
TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e", "integration"})
TEST_FILE = re.compile(r"(test_.+|.+[._-](test|tests|spec)\.\w+|.+_test\.\w+|.+Tests?\.\w+|conftest\.py)")
# Children that look and answer: whatever their agent may write elsewhere, here it writes nothing.
LOOKING = frozenset({"expert", "sub"})


def may_write(flow: Flow, item: Item, agent: str) -> str:
    """What this agent may change for this item: none, own, new_tests, any."""
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
    if touched.mode == ENGINES_OWN:
        return "is part of the moot that runs here"
    if touched.mode == GIT_LED:
        return "is run or read by your own git, whose settings lead there (such as hooksPath): change it by hand"
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
    return ".." in reached or any(is_boards(step) or is_gits(step) for step in reached)


def trespasses(touched: list[Touched], write: str, files: list[str], new_tests: list[str]) -> list[str]:
    """What is wrong with a change, in words; empty if all of it is allowed. What others hold is no fault of it: it
    waits for them where it lands."""
    faults = [f"{one.path} {why}" for one in touched if (why := danger(one))]
    if faults:
        return faults
    paths = [one.path for one in touched]
    if write == "none":
        return [f"{path} was changed, and this agent only reads" for path in paths]
    if write == "own" and files:
        faults = [f"{path} is not among its files" for path in outside(paths, files)]
    elif write == "new_tests":
        mine = {normal_path(path) for path in new_tests}
        faults = [
            f"{one.path} is not a new test"
            for one in touched
            if not is_test(one.path) or (one.how != "created" and normal_path(one.path) not in mine)
        ]
    return faults


def taken_by_others(touched: Iterable[Touched], holds: Iterable[Hold]) -> list[str]:
    """Which of the paths others hold, in words."""
    paths = [one.path for one in touched]
    return [f"{path} is held by {hold.owner}" for hold in holds for path in overlap(paths, [hold.path])]


def strays(landed: list[Touched], files: list[str], taken: Iterable[str]) -> list[str]:
    """What is wrong with what a merge brings onto a branch, in words. The changes themselves were judged when they were
    `taken`; but git follows a rename of the other side, and so carries a change to a path that nobody has judged."""
    faults = [f"{one.path} {why}" for one in landed if (why := danger(one))]
    known = set(taken)
    unknown = [one.path for one in landed if one.path not in known] if files else []
    moved = "is not among its files: the branch has renamed what it changed, and the change would go there"
    return faults or [f"{path} {moved}" for path in outside(unknown, files)]
