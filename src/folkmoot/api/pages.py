"""Answers that hold several things: lists, pages, the board as a whole."""

from msgspec import UNSET, UnsetType, field

from folkmoot.api.views import (
    Blocked,
    CommentView,
    EventView,
    HoldView,
    ItemSummary,
    ItemView,
    LessonView,
    LiveRun,
    MessageView,
    OutputPart,
    PauseView,
    PendingQuestion,
    QuestionView,
    Said,
    Tracking,
    View,
)


class Escalations(View, frozen=True, gc=False, kw_only=True):
    escalation_tracking: dict[str, Tracking]
    pending_divine_questions: list[PendingQuestion]


class AddedItems(View, frozen=True, gc=False, kw_only=True):
    items: list[ItemView]
    known: list[str] | UnsetType = UNSET  # of another tool's list: items that were brought in before
    left_out: list[str] | UnsetType = UNSET  # what of it has no place here, in words


class ItemPage(View, frozen=True, gc=False, kw_only=True):
    """Items in the order they were added, and the cursor of the next page."""

    items: list[ItemSummary]
    next: int | None


class Comments(View, frozen=True, gc=False, kw_only=True):
    comments: list[CommentView]
    next: str | UnsetType = UNSET  # where a page ends before they do


class Questions(View, frozen=True, gc=False, kw_only=True):
    questions: list[QuestionView]


class Inbox(Questions, frozen=True, gc=False, kw_only=True):
    """What waits for a person: open questions, and messages about no item that nobody has taken up yet."""

    messages: list[MessageView]


class EventPage(View, frozen=True, gc=False, kw_only=True):
    """Events in the order of their commits; `next` is the number of the last one, to go on from."""

    events: list[EventView]
    next: int
    last: int  # of the whole log


class Messages(View, frozen=True, gc=False, kw_only=True):
    messages: list[MessageView]


class Locks(View, frozen=True, gc=False, kw_only=True):
    """Every hold in force: what items own while they are worked on, and what runs and people have locked."""

    locks: list[HoldView]
    note: str | UnsetType = UNSET


class Pauses(View, frozen=True, gc=False, kw_only=True):
    """What begins no runs now."""

    pauses: list[PauseView]


class Lessons(View, frozen=True, gc=False, kw_only=True):
    """What runs have learnt, the newest first."""

    lessons: list[LessonView]


class LiveRuns(View, frozen=True, gc=False, kw_only=True):
    runs: list[LiveRun]


class RunOutput(View, frozen=True, gc=False, kw_only=True):
    """What a run printed, as far as it was kept."""

    run: str
    agent: str
    model: str | None
    item: str
    live: bool
    parts: list[OutputPart]
    said: list[Said] | UnsetType = UNSET  # where it was asked for, and the clients of the runs are known


class RunText(View, frozen=True, gc=False, kw_only=True):
    """The same as one text, and as a person reads it."""

    run: str
    agent: str
    model: str | None
    item: str
    live: bool
    text: str
    said: list[Said]


class BlockedItems(View, frozen=True, gc=False, kw_only=True):
    """What could be worked on and begins no run, and why; and the runs that go on, with their leases."""

    blocked: list[Blocked]
    runs: list[LiveRun]


class Today(View, frozen=True, gc=False, kw_only=True):
    """What was done since midnight, UTC, as the day of a budget is."""

    runs: int
    landed: int
    failed: int
    cost_usd: float | None  # None: no client has told what it cost
    unpriced: int  # runs whose cost nobody can tell: the sum lacks theirs
    seconds: float  # that agents, and people in their place, have worked


class LostWork(View, frozen=True, gc=False, kw_only=True):
    """Work that landed, and that its branch does not hold any more."""

    item: str
    title: str
    branch: str
    commit: str
    brings_back: str  # the command
    last: bool  # no other lost work was built on it: to bring this back brings back what it was built on
    undone_by: str | None = None  # the commit of the branch that has undone it; null: the branch was moved back


class BoardStatus(View, frozen=True, gc=False, kw_only=True):
    """How the board stands, in few words."""

    flow: str
    counts: dict[str, int]  # of the items in their own right, by how they stand
    runs: list[LiveRun]
    questions: list[QuestionView]
    pauses: list[PauseView]
    blocked: list[Blocked]
    today: Today
    # What only a machine with the repository can tell: work that landed, and that its branch does not have any more.
    lost: list[LostWork] = field(default_factory=list)
