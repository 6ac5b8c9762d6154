"""What a worker works with."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from folkmoot.core.enums import ForgeKind
from folkmoot.core.flow import Flow
from folkmoot.engine.application import Application
from folkmoot.errors import Refused
from folkmoot.worker.clients.catalogue import Catalogue
from folkmoot.worker.forge.port import Forge, IssueForge
from folkmoot.worker.jobs.batches.memory import Memory
from folkmoot.worker.ports import Keeper, PortRange, RunSocket, Sandbox, WorkerEvent
from folkmoot.worker.secrets.redactor import Known
from folkmoot.worker.startable import Finder
from folkmoot.worker.workspaces import WorkspaceProvider


def no_forge(flow: Flow) -> Forge:
    raise Refused("no_forge", "there is no forge here")


def no_issues(flow: Flow, kind: ForgeKind, repository: str) -> IssueForge:
    raise Refused("no_forge", "there is no forge here")


class Tools(Struct, kw_only=True):
    """What a worker works with; everything real in it was handed in."""

    application: Application
    keeper: Keeper
    sandbox_of: Callable[[Flow], Sandbox]  # as this flow wants it, now; Unavailable where it can be had no more
    workspaces: WorkspaceProvider
    catalogue: Catalogue
    now: Callable[[], float]
    env: Mapping[str, str]  # of the worker
    root: str  # the project's folder
    moot: str  # the folder of the command `moot`
    programs: Finder  # where a program is
    open_socket: Callable[[str, Any], RunSocket]
    take_ports: Callable[[int], PortRange]
    tell: Callable[[WorkerEvent], None] = lambda event: None
    step: Callable[[str, str], None] = lambda name, run: None  # called before each step that could be the last
    # How a gate ended on a commit of the target branch, where it was red there and nobody has said that this is meant.
    red_before: Callable[[str, str, str], str] = lambda gate, check, commit: ""
    landings: Memory = field(default_factory=Memory)  # what landings have shown, for those that come after them
    forge_of: Callable[[Flow], Forge] = no_forge  # where work is proposed, as this flow says
    issues_of: Callable[[Flow, ForgeKind, str], IssueForge] = no_issues  # where the issues of a repository are
    known: dict[tuple[str, ...], Known] = field(default_factory=dict)  # secrets, by the variables that are passed on
