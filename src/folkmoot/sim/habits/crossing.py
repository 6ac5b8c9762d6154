"""Honest agents that are not careful about files: they touch what others hold, and leave what their tools wrote."""

from zlib import crc32

from msgspec.structs import replace

from folkmoot.core.rules.running.rights import may_write
from folkmoot.core.work import Touched, Work
from folkmoot.sim.speech import PATHS, Scene

ONE_IN = 4  # runs
LEFT_BEHIND = (Touched("go.sum"), Touched("coverage.xml", "created"), Touched("web/a.snap", "deleted"))


def crossing(scene: Scene, work: Work | None) -> Work | None:
    """What its run has touched beside its work. The run's own luck decides: nothing more is drawn for it."""
    luck = crc32(str(scene.claim.run).encode())
    if work is None or scene.is_gate or luck % ONE_IN or work.secrets or work.aside or work.files:
        return work
    write = may_write(scene.flow, scene.item, scene.agent)
    commit = work.commit or f"{luck:040x}"
    if write == "none":
        return replace(work, commit=commit, touched=[*work.touched, LEFT_BEHIND[luck // ONE_IN % len(LEFT_BEHIND)]])
    if not work.touched or write == "new_tests" or (write == "own" and scene.item.files):
        return work
    path = PATHS[luck // ONE_IN % len(PATHS)]
    met = Touched(path + "x.py" if path.endswith("/") else path)
    lands = [*work.lands, met] if work.lands is not None else None
    return replace(work, touched=[*work.touched, met], lands=lands)
