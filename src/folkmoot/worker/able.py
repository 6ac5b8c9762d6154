"""Which agents of a flow a worker can run, and why not the others."""

from collections.abc import Callable

from folkmoot.core.flow import RUNG_ESCALATE, Agent, Flow
from folkmoot.errors import Invalid
from folkmoot.worker.clients.catalogue import Catalogue

NO_RUN = "nothing says how it is run"


def inability(catalogue: Catalogue, flow: Flow, agent: Agent, which: Callable[[str], str | None]) -> str | None:
    """Why this agent cannot be run here, in words; None if it can, on every rung of its ladder."""
    rungs: list[str | None] = [rung.model for rung in agent.ladder if rung.model != RUNG_ESCALATE]
    for model in rungs or [None]:
        try:
            start = catalogue.resolve(flow, agent, model)
        except Invalid as error:
            return error.message
        if start is None:
            return NO_RUN
        # Of a command behind a driver of ours the driver itself tells that it is missing.
        if "/" not in start.argv[0] and "{" not in start.argv[0] and which(start.argv[0]) is None:
            return f"{start.argv[0]} is not installed"
    return None
