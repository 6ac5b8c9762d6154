"""Who runs agents now: by the marks of this machine's workers, and by the runs that any worker has."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from folkmoot.api.screen import Workers, WorkerView
from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.engine.naming import host_of, process_of
from folkmoot.engine.reads.views import moment_text

if TYPE_CHECKING:
    from folkmoot.core.records import Run
    from folkmoot.engine.checking.health import WorkerLook
    from folkmoot.engine.reads.snapshot import Snapshot


class Attending(Struct, frozen=True, kw_only=True):
    """What a worker says of itself while it lives."""

    worker: str
    slots: int | None = None
    agents: list[str] = []
    since: int | None = None  # wall clock, milliseconds


def workers(snapshot: "Snapshot", look: "WorkerLook | None") -> Workers:
    marks = {one.worker: one for one in (look.attending() if look is not None else [])}
    at_work: dict[str, list[Run]] = {name: [] for name in marks}
    for run in snapshot.reading.open_runs():
        if run.worker and run.person is None and not (look is not None and look.dead(run.worker)):
            at_work.setdefault(run.worker, []).append(run)
    views = [_view(snapshot.flow, marks.get(name) or Attending(worker=name), runs) for name, runs in at_work.items()]
    return Workers(workers=sorted(views, key=lambda view: (view.since or "", view.worker)))


def _view(flow: Flow, mark: Attending, runs: "list[Run]") -> WorkerView:
    since = mark.since or min((run.started_at for run in runs), default=None)
    agents = mark.agents or sorted({run.agent for run in runs})
    return WorkerView(
        worker=mark.worker,
        host=host_of(mark.worker),
        pid=process_of(mark.worker),
        slots=mark.slots,
        in_use=len(runs),
        since=moment_text(since),
        agents=agents,
        pools=sorted({*_pools(flow, agents), *(run.pool for run in runs if run.pool)}),
        runs=[run.id for run in runs],
    )


def _pools(flow: Flow, agents: Iterable[str]) -> set[str]:
    known = [flow.agents[agent] for agent in agents if agent in flow.agents]
    models: dict[str, list[str | None]] = {
        agent.name: [rung.model for rung in agent.ladder if rung.model != RUNG_ESCALATE] or [None] for agent in known
    }
    return {flow.pool(agent, model) for agent, found in models.items() for model in found}
