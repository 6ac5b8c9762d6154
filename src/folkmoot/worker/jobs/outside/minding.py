"""While a clone is made for an agent from outside: what a worker's loop does for its runs, for this one alone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from folkmoot.core.commands import RenewRun
from folkmoot.errors import Refused, Unavailable

if TYPE_CHECKING:
    from folkmoot.worker.jobs.job import Job

LOOK_SECONDS = 5.0  # a process may begin meanwhile, and has its own time


@contextmanager
def minded(job: "Job", lease: float) -> Iterator[None]:
    """The lease is renewed, and a setup that takes too long is ended."""
    over = threading.Event()
    job.timers.lease = lease
    job.timers.renewed(job.tools.now())
    thread = threading.Thread(target=_mind, args=(job, over), name=f"moot-mind-{job.run}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _mind(job: "Job", over: threading.Event) -> None:
    timers, now = job.timers, job.tools.now
    while not over.wait(min(LOOK_SECONDS, max(0.0, timers.next_at() - now()))):
        act = timers.due(now())
        if act is not None and act.do == "renew":
            _renew(job)
        elif act is not None:
            job.end(act)


def _renew(job: "Job") -> None:
    sent = job.tools.now()
    job.timers.renewing(sent)
    try:
        job.tools.application.engine.act(job.actor, RenewRun())
        job.timers.renewed(sent)
    except Refused:
        job.end(job.timers.lost())
    except Unavailable:
        pass  # it is tried again, until the lease is over
