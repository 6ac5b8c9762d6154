"""That a worker is there: told to the board for all machines, and marked in the board's folder for this one."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from folkmoot.engine.screen.register import TELL_SECONDS, Attending, join, leave, tell
from folkmoot.errors import MootError, Unavailable
from folkmoot.worker.removing import attended

if TYPE_CHECKING:
    from folkmoot.worker.worker import Worker


class Presence:
    """Of one worker."""

    def __init__(self, worker: "Worker") -> None:
        self._worker = worker
        self._engine = worker.tools.application.engine
        self._now = worker.tools.now
        self._since = self._engine.clock.wall()
        self._tell_at = 0.0

    def _mark(self) -> Attending:
        worker, flow = self._worker, self._worker.flow
        agents = [agent for agent in worker.agents() if agent in flow.agents]
        starts = [worker.tools.catalogue.resolve(flow, flow.agents[agent], None) for agent in agents]
        return Attending(
            worker=worker.name,
            slots=worker.scheduler.slots,
            agents=agents,
            since=self._since,
            labels=worker.labels,
            clients=sorted({start.name for start in starts if start is not None}),
            program=worker.tools.application.version,
        )

    @contextlib.contextmanager
    def kept(self, home: str) -> Iterator[None]:
        """From now on, until it ends. Refused where the board has no use for this worker."""
        mark = self._mark()
        join(self._engine, mark)
        gone = attended(home, msgspec.json.encode(mark))
        try:
            yield
        finally:
            gone()
            with contextlib.suppress(MootError):  # else it is forgotten after a while
                leave(self._engine, mark.worker)

    def tell(self) -> None:
        """Now and again: other machines see no process of this one."""
        if self._now() < self._tell_at:
            return
        self._tell_at = self._now() + TELL_SECONDS
        with contextlib.suppress(Unavailable):  # a store that cannot be reached is told the next time
            tell(self._engine, self._mark())
