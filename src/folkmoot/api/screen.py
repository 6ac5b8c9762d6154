"""What a live screen of the board asks for, and what it gets: the board with its cards, and what follows from it."""

from typing import Annotated

from msgspec import Meta, Struct, field

from folkmoot.api.pages import Today
from folkmoot.api.requests import Few, Number, OnItem, Request
from folkmoot.api.usage import WindowLine
from folkmoot.api.views import (
    Blocked,
    ItemSummary,
    ItemView,
    LiveRun,
    MessageView,
    PauseView,
    QuestionView,
    View,
)
from folkmoot.core.enums import ColumnKind, Prospects, Role, Severity
from folkmoot.core.report import Count


class Card(ItemSummary, frozen=True, gc=False, kw_only=True):
    """An item as a board shows it."""

    version: int
    updated_at: str | None
    since: str | None  # when it came to stand as it does, in this column
    model: str | None  # of the run at work, or of the next one
    rung: int | None  # where that model is on the agent's ladder: the second of four; null without a ladder
    rungs: int | None
    iteration: int  # the look of a checking column that is under way, or was the last
    max_rounds: int
    questions: list[str]  # the open ones, by their ids
    runs_begun: int  # of agents, gates and landings
    findings_open: int  # that must change
    landed: str | None  # the commit with which its work came onto the branch it is for
    lines_added: int | None  # by all its runs, one after the other; null: none, or nobody has counted
    lines_removed: int | None


class BoardView(View, frozen=True, gc=False, kw_only=True):
    """The board at one moment."""

    flow: str
    seq: int  # of the last event that is in it
    whole: bool  # False: of the items only those that have changed
    columns: list[str]
    kinds: dict[str, ColumnKind]  # what kind of place each of them is
    start: str  # where items begin
    totals: dict[str, int]  # how many items are in each column, of those in their own right
    open: dict[str, int]  # and how many of these have not ended, where there are any
    items: list[Card]
    next: int | None
    questions: list[QuestionView]
    runs: list[LiveRun]
    pauses: list[PauseView]
    windows: list[WindowLine]  # of quotas that are nearly used up
    blocked: list[Blocked]  # of the items that are shown: what is ready and begins no run, as far as the board knows
    messages: list[MessageView]
    # What only a machine with the repository can tell: the branch on which landed work waits to be merged, and the
    # user's files that keep it there.
    aside: str | None = None
    lost: list[str] = field(default_factory=list)  # items that landed, whose work their branch does not have any more
    in_the_way: list[str] = field(default_factory=list)


class ShowBoard(Request[BoardView], frozen=True, kw_only=True):
    """The board at one moment: what has not ended, and the newest of what has (`ended`; without it all). `each`: of
    what has not ended only the first so many of every column, by urgency and age, and beside them what is at work, what
    waits for a person, and the wholes that shown parts belong to. `since` the number of an event: of the items only
    those that have changed after it, and all of them if that is too long ago."""

    since: Number | None = None
    ended: Few | None = None
    each: Few | None = None


class ShowToday(Request[Today], frozen=True, kw_only=True):
    """What was done since midnight, UTC, and what it cost. No item is read for it."""


# -- what an item has changed


class FileChange(View, frozen=True, gc=False, kw_only=True):
    """A file that an item changed; lines are None of what is not text."""

    path: str
    how: str
    added: int | None
    removed: int | None


class ItemChange(View, frozen=True, gc=False, kw_only=True):
    """What an item has changed, as git shows it; places of secrets are marked."""

    item: str
    title: str
    status: str
    base: str | None  # what it is compared with; None: with nothing at all
    commit: str
    landed_on: str | None
    files: list[FileChange]
    diff: str
    run: str | None = None  # whose change alone it is; null: all of the item's
    cut: bool = False  # there is more of it than is shown


class ShowChange(Request[ItemChange], frozen=True, kw_only=True):
    """What an item has changed, landed or not: all of it, that of one of its runs, or all since one of its commits
    (`base`), which a look before this one has shown."""

    item: str
    run: str | None = None
    base: str | None = None


# -- what could be done


class MoveView(View, frozen=True, gc=False, kw_only=True):
    """What would come of moving the item into a column now."""

    column: str
    allowed: bool
    code: str | None  # of the refusal
    why: str  # the refusal; else how the item would stand after it
    resets: list[str]  # what it would lose: counters, its run, its questions


class Moves(View, frozen=True, gc=False, kw_only=True):
    item: str
    version: int  # of the item for which this holds
    moves: list[MoveView]


class ShowMoves(Request[Moves], frozen=True, kw_only=True):
    """What would come of it if a person moved an item now, for every column; nothing is changed."""

    item: str


class LandingProspect(View, frozen=True, gc=False, kw_only=True):
    """Whether an item's work would land now, as it is; else the one thing that stands first in its way."""

    item: str
    version: int  # of the item for which this holds
    lands: bool
    stands: Prospects
    why: str
    by: str | None  # who or what must act: a question, an item, a gate, a column
    branch: str  # that it is for


class ShowProspect(Request[LandingProspect], frozen=True, kw_only=True):
    """Would an item's work land now, as it is? Nothing is changed."""

    item: str


# -- a person's verdict


class PersonFinding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must change, and where."""

    text: str
    file: str | None = None
    line: Count | None = None
    severity: Severity = "medium"


class SendBack(OnItem, frozen=True, kw_only=True):
    """Send the work on an item back with what must change. It goes to the column that makes such changes, or to the one
    that is named; a run on it ends. It is guidance, and counts as nobody's failure."""

    findings: list[PersonFinding] = field(default_factory=list)
    why: str = ""
    column: str | None = None


# -- putting an item aside


class Park(OnItem, frozen=True, kw_only=True):
    """Put an item aside: nobody works on it before a person takes it up again. Nothing is counted or reset, and what it
    is split into goes on. Refused while somebody works on it."""

    why: str = ""


class Unpark(OnItem, frozen=True, kw_only=True):
    """Take up an item that was put aside, as it stood before. What it had asked still needs its answer."""

    why: str = ""


# -- ending a run


class EndRun(OnItem, frozen=True, kw_only=True):
    """End the run that is at work on an item. What it made is kept, the next run begins anew, nothing is counted."""

    why: str = ""


# -- looking for words


class Found(View, frozen=True, gc=False, kw_only=True):
    """Items in which words are said, what changed last first, and for each where that is."""

    items: list[ItemSummary]
    matches: dict[str, str]


class Search(Request[Found], frozen=True, kw_only=True):
    """Items that say all of these words in one place, in capitals or not: in the title, the body, a comment, a question
    or the summary of a report. Or the item of that number."""

    text: Annotated[str, Meta(max_length=200)]
    limit: Annotated[int, Meta(ge=1, le=200)] = 20


# -- the past


class Past(View, frozen=True, gc=False, kw_only=True):
    """The board as it was after an event. Messages are left out."""

    seq: int
    last: int  # the number of the last event there is
    at: str | None
    board: BoardView
    item: ItemView | None  # the one that was asked for


class ShowPast(Request[Past], frozen=True, kw_only=True):
    """The board, and an item, as they were after the event of this number; of what had ended by then the newest."""

    seq: Number
    item: str | None = None
    ended: Few = 200
    each: Few | None = None  # of what had not ended, the first so many of every column


# -- who works


class WorkerView(View, frozen=True, gc=False, kw_only=True):
    """A process that runs agents, on whichever machine."""

    worker: str
    host: str | None
    pid: int | None
    slots: int | None  # null: not known here
    labels: list[str]  # agents and gates may need some
    clients: list[str]  # programs that it can start agents with
    program: str | None  # the version of Folkmoot it is
    in_use: int
    since: str | None  # when it began, or its oldest run did
    agents: list[str]
    pools: list[str]
    runs: list[str]


class Workers(View, frozen=True, gc=False, kw_only=True):
    workers: list[WorkerView]


class ListWorkers(Request[Workers], frozen=True, kw_only=True):
    """The workers that live, as far as this machine and the runs on the board tell."""


# -- who looks


class Me(View, frozen=True, gc=False, kw_only=True):
    name: str
    role: Role
    board: str  # the name of the folder that it is in
    flow: str
    version: str  # of Folkmoot


class WhoAmI(Request[Me], frozen=True, kw_only=True):
    """As whom one asks, and what board that is."""
