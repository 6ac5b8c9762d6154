"""Which agents of a flow a worker can run, and why not the others."""

from collections.abc import Sequence
from typing import Protocol

from folkmoot.core.flow import RUNG_ESCALATE, Agent, Flow
from folkmoot.errors import Invalid
from folkmoot.worker.clients.catalogue import Catalogue

NO_RUN = "nothing says how it is run"


class Finder(Protocol):
    """Finds programs as runs do: never where work of agents lands."""

    left_out: list[str]  # folders of the user's PATH where it lands

    def __call__(self, program: str) -> str | None: ...
    def inside(self, program: str) -> str | None: ...  # in which of those folders a program is
    def outside(self, path: str) -> str: ...  # a PATH without such folders


def missing(program: str, which: Finder) -> str | None:
    """Why a program that is named by its plain name cannot be started, in words; None if it can."""
    if "/" in program or "{" in program or which(program) is not None:
        return None
    folder = which.inside(program)
    if folder is None:
        return f"{program} is not installed"
    return (
        f"{program} is only in {folder}, a folder of the project, where work of agents lands: nothing is started from "
        f"there, so install it outside of the project"
    )


def why_not_startable(catalogue: Catalogue, flow: Flow, agent: Agent, which: Finder) -> str | None:
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
        if why := missing(start.argv[0], which):
            return why
    return None


def unstarted(argv: Sequence[str], which: Finder) -> str | None:
    """Why a command of a gate or of setup cannot be started, and what to do; None if it can."""
    why = missing(argv[0], which) if argv else None
    if why is None or which.inside(argv[0]) is None:
        return why
    return f"{why}; or let `setup` make it in the clone, and name it from there, as ./.venv/bin/{argv[0]}"
