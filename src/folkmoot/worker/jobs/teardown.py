"""`teardown`: what a run started outside of its processes, such as containers and databases, ends with it.

It runs in the clone as the run left it, after its change was taken in: nothing that it does there counts. Processes of
the run itself need none; the keeper has ended them.
"""

import os
import select
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from folkmoot.core.flow import Flow
from folkmoot.errors import MootError
from folkmoot.worker.environment import environment, make_tmp, noted_port
from folkmoot.worker.jobs.bounds import bounds_of
from folkmoot.worker.jobs.preparing import setup_paths
from folkmoot.worker.output import tail_of
from folkmoot.worker.ports import Child, Ended, Launch, Paths, Sandbox
from folkmoot.worker.startable import unstarted

if TYPE_CHECKING:
    from folkmoot.worker.jobs.job import Job
    from folkmoot.worker.tools import Tools

SECONDS = 60.0  # for all commands together
HURRY_SECONDS = 10.0  # where the worker is told to stop at once
GRACE = 2.0
CHUNK, WORDS_KEPT, LOOK_SECONDS = 65_536, 2_000, 0.5


class Remains(Struct, frozen=True, kw_only=True):
    """A run that has ended, and its clone."""

    item: str
    paths: Paths
    flow: Flow
    sandbox: Sandbox
    network: bool


def after(job: "Job", network: bool, stopped: Callable[[], bool]) -> None:
    """After a run that this worker has made: what it said is kept by now, and its clone is not gone."""
    if job.flow.clone.teardown:
        run = Remains(item=job.item, paths=job.paths, flow=job.flow, sandbox=job.sandbox, network=network)
        if why := tear_down(job.tools, run, stopped):
            job.tell("fault", job.redactor.clean(why), good=False)


def tear_down(tools: "Tools", run: Remains, hurries: Callable[[], bool]) -> str:
    """Run the commands, whatever becomes of each; gives what failed, in words."""
    faults = []
    until = tools.now() + SECONDS
    for argv in run.flow.clone.teardown if _is_there(run.paths.workspace) else []:
        command = " ".join(argv)
        try:
            why = unstarted(argv, tools.programs) or _one(tools, run, argv, until, hurries)
        except (MootError, OSError) as error:
            why = str(error)
        if why:
            faults.append(f"the teardown command {command} failed: {why}")
    return "; ".join(faults)


def _is_there(workspace: str) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(os.lstat(workspace).st_mode)
    return False


def _one(tools: "Tools", run: Remains, argv: Sequence[str], until: float, hurries: Callable[[], bool]) -> str:
    child = tools.keeper.start(_launch(tools, run, list(argv)))
    try:
        ended, said = _followed(tools, child, until, hurries)
    finally:
        child.close()
    if ended.code == 0:
        return ""
    late = f"it was not done after {SECONDS:.0f} s" if tools.now() >= until or hurries() else ""
    return ended.fault or late or tail_of(said, WORDS_KEPT) or f"exit {ended.code}"


def _launch(tools: "Tools", run: Remains, argv: list[str]) -> Launch:
    """As `setup` is started: with a HOME of its own, and nothing of the client's."""
    paths = setup_paths(run.paths)
    os.makedirs(paths.home, mode=0o700, exist_ok=True)
    make_tmp(paths.home)
    port = noted_port(run.paths.root)
    own = {"MOOT_ITEM": run.item} | ({"MOOT_PORT": port} if port else {})
    workspaces = tools.workspaces
    return Launch(
        argv=run.sandbox.wrap(
            argv,
            writable=[paths.workspace, paths.home],
            readable=workspaces.readable,
            cwd=paths.workspace,
            network=run.network,
            named=argv,
            hidden=workspaces.hidden(paths),
            filtered=True,
        ),
        env=environment([], {}, worker_env=tools.env, paths=paths, moot=tools.moot, run=own),
        cwd=paths.workspace,
        bounds=bounds_of(run.flow.limits, paths),
        files=[run.sandbox.rules] if run.sandbox.rules else [],
        apart=run.sandbox.apart,
    )


def _followed(tools: "Tools", child: Child, until: float, hurries: Callable[[], bool]) -> tuple[Ended, str]:
    poll, said = select.poll(), b""
    for fd in (child.control, child.output, child.errors):
        poll.register(fd, select.POLLIN)
    open_pipes, is_told, began = {child.output, child.errors}, False, tools.now()
    while True:
        ready = {fd for fd, _ in poll.poll(LOOK_SECONDS * 1000)}
        ended = child.ended()
        for fd in list(open_pipes):
            with suppress(BlockingIOError):
                data = os.read(fd, CHUNK)
                said = (said + data)[-WORDS_KEPT * 4 :]
                if not data and fd in ready:
                    poll.unregister(fd)
                    open_pipes.discard(fd)
        if ended is not None:
            return ended, said.decode("utf-8", "replace")
        late = tools.now() >= until or (hurries() and tools.now() >= began + HURRY_SECONDS)
        if late and not is_told:
            child.end(GRACE)
            is_told = True
