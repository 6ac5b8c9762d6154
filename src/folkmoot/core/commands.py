"""What may be asked of the rules. Commands are orders; who gives them stands beside, as `Actor`."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from folkmoot.core.enums import Kind, PoolCause, Priority, QuestionKind, Status, Type
from folkmoot.core.item import Output
from folkmoot.core.proposals.issue import IssueLink
from folkmoot.core.records import Option, Wanted, Window
from folkmoot.core.report import Finding, Report, Usage
from folkmoot.core.vocabulary.actor import ENGINE as ENGINE
from folkmoot.core.vocabulary.actor import Actor as Actor
from folkmoot.core.vocabulary.ways import Way
from folkmoot.core.work import Batch, Evidence, Touched, Work


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
    needs: list[str] = field(default_factory=list)  # labels that its workers must have
    parked: bool | UnsetType = UNSET  # nobody works on it before a person says so
    issue: IssueLink | None = None  # on a forge, from which it came


class ClaimItem(Command, frozen=True, gc=False, kw_only=True):
    agent: str
    lease: float
    worker: str = ""
    sandboxed: bool | None = None
    person: str | None = None  # who will do the agent's work by hand
    took: str | None = None  # the run that ended for it
    cloned: bool = False  # an agent from outside does it, in a clone that was made for it here
    labels: list[str] | None = None  # of the worker; None: whoever claims is none
    beside: str | None = None  # of a landing: the run that has its branch, and brings its work along


class TakeOver(Command, frozen=True, gc=False, kw_only=True):
    """A person wants the item: the run of its agent ends."""


class EndRun(Command, frozen=True, gc=False, kw_only=True):
    why: str = ""  # a person ends the run at work on an item; the next begins anew, nothing is counted or reset


class RenewRun(Command, frozen=True, gc=False, kw_only=True):
    usage: Usage | None = None  # what it has used up so far, as its client tells it
    windows: list[Window] = field(default_factory=list)  # of its pool's quota


class NoteSetup(Command, frozen=True, gc=False, kw_only=True):
    """The run's clone is ready, by commands of the flow's: what that took is none of its agent's time."""

    seconds: float
    kept: bool = False  # what an earlier setup left was put there instead of running it


class ReleaseRun(Command, frozen=True, gc=False, kw_only=True):
    work: Work | None = None  # what a person had made by then: the agent goes on from it


class SayToAgent(Command, frozen=True, gc=False, kw_only=True):
    text: str  # a person's sentence to whoever works on the item, or does so next


class HearPeople(Command, frozen=True, gc=False, kw_only=True):
    """A run asks what people have said to it since it was last told."""


class ReportRun(Command, frozen=True, gc=False, kw_only=True):
    """`fault` says what was wrong when no report could be read: then the outcome is a protocol failure."""

    report: Report
    fault: str | None = None
    work: Work | None = None  # this and `evidence` a worker saw itself; an agent's own word stands in the report
    evidence: list[Evidence] = field(default_factory=list)
    final: bool = False  # its process is over: a report that breaks the form ends the run; else the run lives
    moves: list[Touched] | None = None  # of a landing: how the branch will differ by it; None: by this nothing moves
    silent: str | None = None  # there was no report: of what its process printed, the line that says most


class OfferReport(Command, frozen=True, gc=False, kw_only=True):
    """A report that will count once the run's process has ended: its form is looked at while the agent is there."""

    report: Report
    fault: str | None = None  # why its text could not be read: it is refused, and its words are kept


class PauseRun(Command, frozen=True, gc=False, kw_only=True):
    """The client has shown that no run of its pool can work now: the run ends, the pool pauses, nothing is counted."""

    why: str
    seconds: float | None = None  # until it is there again; None: nobody said
    shown: bool = False  # by an event of the client with a status or a time in it; False: by its words alone
    cause: PoolCause = "quota"
    login: bool = False  # it is the login that is over: `environment`
    hung: bool = False  # it said nothing until it was ended, while it waited for its provider: `outage`
    work: Work | None = None


class StopRun(Command, frozen=True, gc=False, kw_only=True):
    """A budget was used up while the run worked: it ends, what it made is kept, and nothing is counted as failed."""

    work: Work | None = None


class RecordLanding(Command, frozen=True, gc=False, kw_only=True):
    """A landing is about to move its branch: written down first, so that a crash in between can be settled."""

    branch: str
    old: str | None
    new: str
    tree: str | None = None  # of `new`; None: nobody could say
    touched: list[Touched] = field(default_factory=list)  # how `new` differs from `old`
    evidence: list[Evidence] = field(default_factory=list)  # of the gates that ran on that tree
    batch: Batch | None = None  # `new` brings the work of others too; then `touched` is this item's share


class SettleLanding(Command, frozen=True, gc=False, kw_only=True):
    """Somebody looked at git after a landing that ended before it could say what came of it; given by a worker."""

    branch: str
    new: str
    moved: bool  # is the commit on that branch?


class AskPerson(Command, frozen=True, gc=False, kw_only=True):
    """A run asks in the middle of its work, and goes on: it may look for the answer, or find it in its next brief."""

    question: str
    context: str = ""
    options: list[str] = field(default_factory=list)


class KeepWork(Command, frozen=True, gc=False, kw_only=True):
    child: str  # whose work was merged with its parent's; given by the engine
    commit: str
    changed: list[str] = field(default_factory=list)
    added: int = 0  # lines
    removed: int = 0


class StopBoard(Command, frozen=True, gc=False, kw_only=True):
    now: bool = False  # workers end the runs that they have, too
    why: str = ""


class ResumeBoard(Command, frozen=True, gc=False, kw_only=True):
    pool: str | None = None  # this one alone; None: everything


class WeighDay(Command, frozen=True, gc=False, kw_only=True):
    """The flow has changed: may agents begin today, or has its budget no more for them? Given by the engine."""


class LapseRun(Command, frozen=True, gc=False, kw_only=True):
    died: str | None = None  # the lease ran out; or the run's worker is known to be dead. Given by the engine


class PassDeadline(Command, frozen=True, gc=False, kw_only=True):
    question: str  # its deadline has come; given by the engine


class MoveItem(Command, frozen=True, gc=False, kw_only=True):
    column: str
    why: str = ""


class SendBack(Command, frozen=True, gc=False, kw_only=True):
    """A person has looked at the work, and asks for changes."""

    findings: list[Finding] = field(default_factory=list)
    why: str = ""
    column: str | None = None  # None: the one that makes the changes that a stage asks for


class EditItem(Command, frozen=True, gc=False, kw_only=True):
    title: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    priority: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    files: list[str] | UnsetType = UNSET
    after: list[str] | UnsetType = UNSET
    needs: list[str] | UnsetType = UNSET
    overrule: int | UnsetType = UNSET  # the number of an attempt whose verdict (counted or not) is turned round


class ParkItem(Command, frozen=True, gc=False, kw_only=True):
    why: str = ""  # a person puts the item aside: nobody works on it before a person takes it up again


class UnparkItem(Command, frozen=True, gc=False, kw_only=True):
    why: str = ""


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
    more: str = ""  # words for the agent beside the option that `answer` chooses
    text: bool = False  # `answer` is words, also where it looks like an option


class SettleDependency(Command, frozen=True, gc=False, kw_only=True):
    """A neighbour that this item waits for has ended, or is open again; given by the engine as a consequence."""

    dependency: str
    status: Status
    parent: str | None = None  # set for a child that the rules made: whose child it is
    output: Output | None = None
    below: dict[str, Output] = field(default_factory=dict)  # what the tasks ended with that it was split into itself


class SettleItem(Command, frozen=True, gc=False, kw_only=True):
    """The flow has changed: see to it that somebody will act on the item; given by the engine."""


class RankItem(Command, frozen=True, gc=False, kw_only=True):
    rank: int


class AwaitChild(Command, frozen=True, gc=False, kw_only=True):
    child: str


class MakeItem(Command, frozen=True, gc=False, kw_only=True):
    """A child that a rule makes: a task, a part, a question to an expert; given by the engine, never by an actor."""

    id: str
    title: str
    kind: Kind
    column: str
    because: str
    body: str = ""
    called: str | None = None
    agent: str | None = None
    parent: str | None = None
    type: Type = "feature"
    priority: Priority = "medium"
    tags: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    widened: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    generation: int = 0
    depth: int = 0
    contracts: dict[str, str] = field(default_factory=dict)
    integration_points: dict[str, Any] = field(default_factory=dict)
    spec: str | None = None
    constraints: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    purpose: str | None = None
    dispatched_by: str | None = None
    message: str | None = None
    origin: str | None = None
    whole: str | None = None


class RaiseQuestion(Command, frozen=True, gc=False, kw_only=True):
    """A child may not ask a person itself: its item does; given by the engine."""

    kind: QuestionKind
    question: str
    part: str
    context: str = ""
    help: str | None = None
    options: list[Option] = field(default_factory=list)  # of a clarification
    ways: list[Way] = field(default_factory=list)  # of any other kind
    blocking: bool = True
    pool: str | None = None  # the pool that it is about, and not the child


class CloseQuestion(Command, frozen=True, gc=False, kw_only=True):
    question: str  # what it asked about has settled itself: the pool works again; given by the engine
    why: str


class KeepOutput(Command, frozen=True, gc=False, kw_only=True):
    child: str  # a dispatched item; what it ended with is for the item whose run asked for it; given by the engine
    output: Output


class NoteDispatch(Command, frozen=True, gc=False, kw_only=True):
    """A run of the item has sent for another agent, and goes on; given by the engine."""

    child: str
    agent: str
    purpose: str
    title: str


class ReopenChild(Command, frozen=True, gc=False, kw_only=True):
    why: str  # a task's `done` is provisional until its quest lands; given by the engine
    findings: list[Finding] = field(default_factory=list)
    contracts: dict[str, str] = field(default_factory=dict)


class WidenRun(Command, frozen=True, gc=False, kw_only=True):
    paths: list[str]


class LockPaths(Command, frozen=True, gc=False, kw_only=True):
    paths: list[str]
    seconds: float


class UnlockPaths(Command, frozen=True, gc=False, kw_only=True):
    paths: list[str]


class SendMessage(Command, frozen=True, gc=False, kw_only=True):
    sender: str
    to: str
    type: str
    message_id: str | None = None
    sent_at: str | None = None
    schema_version: str = "1.0.0"
    priority: str | None = None  # None: its item's
    payload: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)


class AcceptMessage(Command, frozen=True, gc=False, kw_only=True):
    message: str


class CompleteMessage(Command, frozen=True, gc=False, kw_only=True):
    message: str


class RejectMessage(Command, frozen=True, gc=False, kw_only=True):
    message: str
    why: str


class DispatchAgent(Command, frozen=True, gc=False, kw_only=True):
    agent: str
    task: str
    purpose: str = "fix"


class RaiseConflict(Command, frozen=True, gc=False, kw_only=True):
    """A file and the board have both changed what may not be decided by who came last (R-28); given by the mirror."""

    name: str  # of the field
    board: str  # as the board has it, in words
    file: str  # as the file has it
    where: str  # the file
    to: str | None = None  # the column that the file wants
    wanted: Wanted | None = None  # the files or locks that the file wants
    cancels: bool = False
