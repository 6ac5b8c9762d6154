"""What the processes of a run may use up: as the flow says it, as the keeper is told, and what is said beyond it."""

from typing import Any

from folkmoot.core.flow import Limits
from folkmoot.worker.ports import Paths

NAMES = ("memory", "processes", "open_files", "disk")


def bounds_of(limits: Limits, paths: Paths) -> dict[str, Any]:
    """For the keeper. Of the disk only what is the run's own is counted: in a plain folder it works in the user's."""
    own = dict.fromkeys((paths.workspace, paths.home, paths.spool))
    places = [place for place in own if place.startswith(paths.root)]
    return {name: getattr(limits, name) for name in NAMES} | {"places": places}


def over_limit(limit: str, limits: Limits) -> str:
    """What is said of a run that passed a limit of the flow, and was ended for it."""
    most = getattr(limits, limit)
    return (
        f"it used more {limit} than it may ({shown(limit, most)}) and was ended; "
        f"if the work needs more, a person raises `{limit}` under `limits` in the flow"
    )


def shown(limit: str, most: int | None) -> str:
    if most is None:
        return "no limit"
    return f"{most / (1 << 20):,.0f} MB" if limit in ("memory", "disk") else f"{most:,}"
