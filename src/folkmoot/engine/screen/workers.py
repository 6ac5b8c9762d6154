"""Who runs agents now: by what workers tell the board, by the marks of this machine's, and by their runs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from folkmoot.api.screen import Workers, WorkerView
from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.engine.naming import host_of, process_of
from folkmoot.engine.reads.views import moment_text
from folkmoot.engine.screen.register import Attending, registered

if TYPE_CHECKING:
    from folkmoot.core.records import Run
    from folkmoot.engine.checking.health import WorkerLook
    from folkmoot.engine.reads.snapshot import Snapshot


def workers(snapshot: "Snapshot", look: "WorkerLook | None") -> Workers:
    told = registered(snapshot.reading, snapshot.moment.now)
    here = {one.worker: one for one in (look.attending() if look is not None else [])}
    marks = {**here, **{name: one for name, one in told.items() if look is None or not look.dead(name)}}
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
        labels=mark.labels,
        clients=mark.clients,
        program=mark.program or None,
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
