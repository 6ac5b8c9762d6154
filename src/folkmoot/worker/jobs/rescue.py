"""A run that had reported when its worker died: while its lease lasts, another worker brings in what it said."""

import os
from typing import TYPE_CHECKING

from folkmoot.core.commands import RenewRun
from folkmoot.engine.assignment import Assignment
from folkmoot.errors import Invalid, MootError, Refused
from folkmoot.reports.read import read_report
from folkmoot.worker.jobs import teardown
from folkmoot.worker.jobs.effort import EffortJob
from folkmoot.worker.jobs.job import RunAborted
from folkmoot.worker.jobs.saying import said_before, written
from folkmoot.worker.workspaces import disown, own

if TYPE_CHECKING:
    from folkmoot.engine.run_context import RunContext
    from folkmoot.worker.ports import Paths
    from folkmoot.worker.tools import Tools


def has_said(tools: "Tools", paths: "Paths") -> bool:
    """Is there a whole report of the run, and a clone in which it worked?"""
    if not tools.workspaces.is_made(paths):
        return False
    if said_before(paths) is not None:
        return True
    try:
        read_report(written(paths))
    except Invalid:
        return False
    return True


def bring_back(tools: "Tools", paths: "Paths", run_context: "RunContext", base: str | None) -> None:
    """Report for the run, as its own worker would have; one worker alone does so, and the others leave it to that one.

    Where its lease has ended meanwhile nothing is reported, and what it left is taken in like that of any lost run.
    """
    run = os.path.basename(paths.root)
    row = next((one for one in tools.application.queries.live().runs if one.run == run), None)
    flow = tools.application.queries.flow()
    agent = flow.agents.get(row.agent) if row is not None and not row.gate else None
    start = tools.catalogue.resolve(flow, agent, row.model) if row is not None and agent is not None else None
    if row is None or agent is None or start is None:
        return
    own(paths)
    try:
        assignment = Assignment(
            run=run, token=row.token, agent=row.agent, model=row.model, flow=flow, brief={}, run_context=run_context
        )
        tools.application.engine.act(assignment.actor, RenewRun())
        job = EffortJob(tools, assignment, tools.sandbox_of(flow))
        job.bring_back(start, run_context, base)
        teardown.after(job, agent.network, lambda: False)
        tools.workspaces.remove(paths)
    except (Refused, RunAborted):
        disown(paths)  # its lease has ended
    except (MootError, OSError):
        disown(paths)
        raise
