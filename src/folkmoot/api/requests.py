"""What may be asked, one struct each; the answer's type stands beside it. Who asks is never a part of it.

A request that changes the board may carry a key beside it: the same key twice has one effect, and one answer.
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, field

from folkmoot.api.metrics import Metrics
from folkmoot.api.pages import (
    BlockedItems,
    BoardStatus,
    Comments,
    Escalations,
    EventPage,
    Inbox,
    ItemPage,
    Lessons,
    LiveRuns,
    Locks,
    Messages,
    Pauses,
    Questions,
    RunOutput,
)
from folkmoot.api.usage import By, UsageView
from folkmoot.api.views import ClaimView, ItemView, LiveRun, MessageView, Sentences, TakenView
from folkmoot.core.flow import Flow
from folkmoot.core.proposals.issue import IssueLink
from folkmoot.core.report import Report

Answer = TypeVar("Answer", covariant=True)
Number = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]  # what a store can count to
Few = Annotated[int, Meta(ge=1, le=100_000)]
LESSONS_MAX = 10_000


if TYPE_CHECKING:

    class Request(Struct, Generic[Answer], frozen=True, kw_only=True, forbid_unknown_fields=True):
        """Asks for an `Answer`. Its docstring is the call's line in the docs."""

        gives: ClassVar[Any]  # the type of the answer

else:
    _asking: dict[Any, type] = {}

    class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        def __class_getitem__(cls, answer: Any) -> type:
            """The same by hand: what `typing` makes of a generic class takes ten times as long, in each command."""
            if answer not in _asking:
                options = {"frozen": True, "kw_only": True, "forbid_unknown_fields": True}
                _asking[answer] = defstruct("Request", [], bases=(cls,), namespace={"gives": answer}, **options)
            return _asking[answer]


# -- looking at the board


class Show(Request[ItemView], frozen=True, kw_only=True):
    """One item with all that is known of it."""

    item: str


class ListItems(Request[ItemPage], frozen=True, kw_only=True):
    """A page of items, in the order they were added."""

    column: str | None = None
    tag: str | None = None
    status: str | None = None
    open: bool = False  # only what has not ended
    after: Number = 0


class ShowBlocked(Request[BlockedItems], frozen=True, kw_only=True):
    """What could be worked on and begins no run, and why. A machine adds which agents it cannot start; `only` looks at
    the items of these agents."""

    unable: dict[str, str] = field(default_factory=dict)
    only: list[str] = field(default_factory=list)


class ShowStatus(Request[BoardStatus], frozen=True, kw_only=True):
    """How the board stands: what moves, who waits for a person, what is paused, what today cost."""


class ListComments(Request[Comments], frozen=True, kw_only=True):
    """The comments on an item."""

    item: str


class ListQuestions(Request[Questions], frozen=True, kw_only=True):
    """The open questions, oldest first."""


class ShowInbox(Request[Inbox], frozen=True, kw_only=True):
    """What waits for a person: open questions, and messages about no item."""


class ReadLog(Request[EventPage], frozen=True, kw_only=True):
    """The events after a number, in the order of their commits."""

    after: Number = 0
    item: str | None = None
    limit: Few = 1000


class ShowFlow(Request[Flow], frozen=True, kw_only=True):
    """The flow in force."""


class ListLocks(Request[Locks], frozen=True, kw_only=True):
    """Every hold on paths that is in force."""


class ListMessages(Request[Messages], frozen=True, kw_only=True):
    """Messages, in the order they were sent."""

    to: str | None = None
    status: str | None = None
    item: str | None = None


class ListLessons(Request[Lessons], frozen=True, kw_only=True):
    """What runs have learnt, the newest first."""

    agent: str | None = None
    limit: Few = LESSONS_MAX


class Measure(Request[Metrics], frozen=True, kw_only=True):
    """How long agents worked, how often work changed hands or came back, what it cost."""

    item: str | None = None


class ReadUsage(Request[UsageView], frozen=True, kw_only=True):
    """What runs have used up: tokens, money where anybody can tell it, time; with budgets and windows of quota."""

    by: By = "item"
    since: str | None = None  # a span back from now, like 24h, or a day
    item: str | None = None  # this one, with all that was made for it


class ShowEscalations(Request[Escalations], frozen=True, kw_only=True):
    """What was tried on each item, and what people are asked, in the shape of the escalation document."""


class ListPauses(Request[Pauses], frozen=True, kw_only=True):
    """What begins no runs now."""


class ListRuns(Request[LiveRuns], frozen=True, kw_only=True):
    """The runs that go on now."""


class FindRun(Request[LiveRun], frozen=True, kw_only=True):
    """One run, by its id, by how the id begins, or by an item: then its latest."""

    run: str


class ReadOutput(Request[RunOutput], frozen=True, kw_only=True):
    """What a run printed, as far as it was kept. `run` may be the beginning of its id, or an item: then its latest.
    With `said` also line by line as a person reads it; with `prompt` instead what its agent was told."""

    run: str
    after: Number = 0
    said: bool = False
    prompt: bool = False


# -- items


class Add(Request[ItemView], frozen=True, kw_only=True):
    """Add an item."""

    title: str
    body: str = ""
    column: str | None = None
    type: str = "feature"
    priority: str = "medium"
    tags: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    parent: str | None = None
    needs: list[str] = field(default_factory=list)  # labels that a worker must have to run anything on it
    parked: bool | UnsetType = UNSET  # nobody works on it before a person says so
    issue: IssueLink | None = None  # on a forge, from which it came


class Dispatch(Request[ItemView], frozen=True, kw_only=True):
    """Give an agent a small thing to do; the answer is the new item."""

    agent: str
    task: str
    purpose: str = "fix"


class OnItem(Request[ItemView], frozen=True, kw_only=True):
    item: str
    version: Number | None = None  # it is done only if the item still has this version


class Move(OnItem, frozen=True, kw_only=True):
    """Put an item into another column."""

    column: str
    why: str = ""


class Edit(OnItem, frozen=True, kw_only=True):
    """Change what an item says, or turn round the verdict on one of its attempts."""

    title: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    priority: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    files: list[str] | UnsetType = UNSET
    after: list[str] | UnsetType = UNSET
    needs: list[str] | UnsetType = UNSET
    overrule: Number | UnsetType = UNSET


class Cancel(OnItem, frozen=True, kw_only=True):
    """End an item without its work."""

    why: str = ""


class Reopen(OnItem, frozen=True, kw_only=True):
    """Take up an item again that has ended."""

    why: str = ""


class AddComment(Request[ItemView], frozen=True, kw_only=True):
    """Comment on an item, or reply to a comment."""

    content: str
    item: str | None = None  # left out inside a run: its own
    artifact: str | None = None
    target: str | None = None
    parent: str | None = None
    resolution: str | None = None


class AnswerQuestion(Request[ItemView], frozen=True, kw_only=True):
    """Answer a question, by an option's number, its words or how they begin; or in words."""

    question: str
    answer: str
    to: str | None = None
    more: str = ""
    text: bool = False


# -- runs


class Claim(Request[ClaimView], frozen=True, kw_only=True):
    """The next item for an agent, with its brief; without one, for any agent of the flow. With `clone` a clone is made
    for the work: the report takes in what was changed there."""

    agent: str | None = None
    column: str | None = None
    item: str | None = None
    lease: float | None = None
    worker: str = ""
    show: bool = True  # the whole item, too
    clone: bool = False
    agents_only: bool = False  # no gate and no landing, whatever is named; with a clone it is always so


class Renew(Request[ItemView], frozen=True, kw_only=True):
    """Keep a run's lease."""


class Release(Request[ItemView], frozen=True, kw_only=True):
    """Give a run's item back."""


class SendReport(Request[ItemView], frozen=True, kw_only=True):
    """Report for a run. A report that breaks the form is refused, and the run lives; with `final` it ends the run."""

    report: Report
    fault: str | None = None  # why no report could be read
    final: bool = False


class OfferReport(Request[ItemView], frozen=True, kw_only=True):
    """Have the form of a report looked at, of which the end of the run's process will make the report."""

    report: Report
    fault: str | None = None


class RequestFiles(Request[ItemView], frozen=True, kw_only=True):
    """Ask for more files than the run's item declared."""

    paths: list[str]


class AskPerson(Request[ItemView], frozen=True, kw_only=True):
    """Ask a person in the middle of a run, and go on."""

    question: str
    context: str = ""
    options: list[str] = field(default_factory=list)


# -- steering


class Say(Request[ItemView], frozen=True, kw_only=True):
    """Say something to whoever works on an item: told to its run if that can hear it, else by the next brief."""

    item: str  # or one of its runs
    text: str


class Hear(Request[Sentences], frozen=True, kw_only=True):
    """What people have said to this run since it was last told; each sentence is told once."""


class Take(Request[TakenView], frozen=True, kw_only=True):
    """Take an item to do its agent's work by hand; the agent's run ends, and no other begins."""

    item: str  # or one of its runs


# -- paths and messages


class Lock(Request[Locks], frozen=True, kw_only=True):
    """Keep others off these paths, all or none."""

    paths: list[str]
    seconds: float


class Unlock(Request[Locks], frozen=True, kw_only=True):
    """Give up a lock."""

    paths: list[str]


class SendMessage(Request[MessageView], frozen=True, kw_only=True):
    """Send a message; the answer is its envelope."""

    sender: str
    to: str
    type: str
    message_id: str | None = None
    sent_at: str | None = None
    schema_version: str = "1.0.0"
    priority: str | None = None
    payload: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)


class AcceptMessage(Request[MessageView], frozen=True, kw_only=True):
    """Accept a message as its receiver."""

    message: str


class CompleteMessage(Request[MessageView], frozen=True, kw_only=True):
    """Complete a message that was accepted."""

    message: str


class RejectMessage(Request[MessageView], frozen=True, kw_only=True):
    """Reject a message; a run that does so disputes it."""

    message: str
    why: str


# -- the board


class Pause(Request[Pauses], frozen=True, kw_only=True):
    """Let no run begin any more."""

    why: str = ""
    now: bool = False  # those that run end too, and their work is kept


class Resume(Request[Pauses], frozen=True, kw_only=True):
    """Let runs begin again."""

    pool: str | None = None
