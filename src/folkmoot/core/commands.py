"""What may be asked of the rules. Commands are orders; who gives them stands beside, as `Speaker`."""

from msgspec import UNSET, Struct, UnsetType, field

from folkmoot.core.flow import Flow
from folkmoot.core.report import Report


class Speaker(Struct, frozen=True, gc=False):
    """Who speaks: a person, or a run with its fencing token."""

    name: str
    run: str | None = None
    token: int | None = None

    @property
    def is_person(self) -> bool:
        return self.run is None


class Command(Struct, frozen=True, gc=False, kw_only=True):
    pass


class AddItem(Command, frozen=True, gc=False, kw_only=True):
    title: str
    body: str = ""
    column: str | None = None
    type: str = "feature"
    priority: str = "medium"
    tags: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    parent: str | None = None


class ClaimItem(Command, frozen=True, gc=False, kw_only=True):
    agent: str
    lease: float
    worker: str = ""


class RenewRun(Command, frozen=True, gc=False, kw_only=True):
    pass


class ReleaseRun(Command, frozen=True, gc=False, kw_only=True):
    pass


class ReportRun(Command, frozen=True, gc=False, kw_only=True):
    """`fault` says what was wrong when no report could be read: then the outcome is a protocol failure."""

    report: Report
    fault: str | None = None


class LapseRun(Command, frozen=True, gc=False, kw_only=True):
    """The lease ran out; given by the engine, never by a speaker."""


class PassDeadline(Command, frozen=True, gc=False, kw_only=True):
    """A question's deadline has come; given by the engine."""

    question: str


class MoveItem(Command, frozen=True, gc=False, kw_only=True):
    column: str
    why: str = ""


class EditItem(Command, frozen=True, gc=False, kw_only=True):
    title: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    priority: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    files: list[str] | UnsetType = UNSET
    after: list[str] | UnsetType = UNSET
    overrule: int | UnsetType = UNSET  # the number of an attempt whose verdict (counted or not) is turned round


class CancelItem(Command, frozen=True, gc=False, kw_only=True):
    why: str = ""


class ReopenItem(Command, frozen=True, gc=False, kw_only=True):
    why: str = ""


class AddComment(Command, frozen=True, gc=False, kw_only=True):
    content: str
    artifact: str | None = None
    target: str | None = None
    parent: str | None = None
    resolution: str | None = None


class AnswerQuestion(Command, frozen=True, gc=False, kw_only=True):
    question: str
    answer: str
    to: str | None = None


class SettleDependency(Command, frozen=True, gc=False, kw_only=True):
    """A neighbour that this item waits for has ended, or is open again; given by the engine as a consequence."""

    dependency: str
    status: str


class SettleItem(Command, frozen=True, gc=False, kw_only=True):
    """The flow has changed: see to it that somebody will act on the item; given by the engine."""


class RankItem(Command, frozen=True, gc=False, kw_only=True):
    rank: int


class AwaitChild(Command, frozen=True, gc=False, kw_only=True):
    child: str


class AdoptFlow(Command, frozen=True, gc=False, kw_only=True):
    flow: Flow
    source: str
