"""What the processes of a run may use up: as the flow says it, as the keeper is told, and what is said beyond it."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.flow import Limits
from folkmoot.core.rules.running.work import too_much
from folkmoot.core.work import Work
from folkmoot.worker.ports import Paths
from folkmoot.worker.removing import remove_tree

SPACE = "space"  # as the keeper says that it filled the disk itself
PATHS_BYTES_MAX = 500_000  # of the list of paths that a run changed: a command must hold it
NAMES = ("memory", "processes", "open_files", "disk")


def bounds_of(limits: Limits, paths: Paths) -> dict[str, Any]:
    """For the keeper. Of the disk only what is the run's own is counted: in a plain folder it works in the user's."""
    own = dict.fromkeys((paths.workspace, paths.home, paths.spool))
    places = [place for place in own if place.startswith(paths.root)]
    return {name: getattr(limits, name) for name in NAMES} | {"places": places}


def make_room(paths: Paths, stopped: Callable[[], bool]) -> str:
    """After a run has filled the disk: neither its work nor the board can be kept before there is space, and nobody
    else can work. So what it has written is removed. In a plain folder what it wrote there is the user's. Gives what
    failed."""
    for folder in (paths.workspace, paths.home):
        if folder.startswith(f"{paths.root}/"):
            try:
                remove_tree(folder, stopped)
            except FileNotFoundError:
                continue
            except OSError as error:
                return f"{folder} filled the disk, and could not be removed: {error}"
    return ""


def not_taken(work: Work | None, lost: str, limits: Limits) -> str:
    """Why what a run left was not taken in; empty if it was."""
    return lost or ("; ".join(too_much(work, limits)) if work is not None and work.aside is not None else "")


def over_limit(limit: str, limits: Limits) -> str:
    """What is said of a run that passed a limit of the flow, and was ended for it."""
    if limit == SPACE:
        return "it filled the disk and was ended; what it had written was removed, so that others can go on"
    most = getattr(limits, limit)
    return (
        f"it used more {limit} than it may ({shown(limit, most)}) and was ended; "
        f"if the work needs more, a person raises `{limit}` under `limits` in the flow"
    )


def shown(limit: str, most: int | None) -> str:
    if most is None:
        return "no limit"
    return f"{most / (1 << 20):,.0f} MB" if limit in ("memory", "disk") else f"{most:,}"


def listed(work: Work) -> Work:
    """As many paths as a command can hold, and how many there are: the rules take a change only if all are named."""
    room, named = PATHS_BYTES_MAX, 0
    for one in work.touched:
        room -= len(one.path) + len(one.link or "") + 50
        if room < 0:
            break
        named += 1
    return work if named == len(work.touched) else replace(work, touched=work.touched[:named], files=len(work.touched))
