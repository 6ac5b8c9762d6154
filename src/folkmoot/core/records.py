"""What stands beside items: runs, attempts, comments, questions, messages, holds, lessons. Each folds from the log."""

from typing import Any

from msgspec import Struct, field

from folkmoot.core.enums import (
    Cause,
    CommentStatus,
    MessageStatus,
    PoolCause,
    Priority,
    QuestionKind,
    QuestionState,
    Resolution,
    RunEnd,
    RunOutcome,
)
from folkmoot.core.report import Report, Usage
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.work import Work

_RUN_ID = pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def is_run_id(text: str) -> bool:
    """Can a run be called so? Folders and refs are: a name that is a path leads elsewhere."""
    return _RUN_ID.fullmatch(text) is not None


class Run(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One effort of one agent on one item: a lease with a fencing token."""

    id: str
    item: str
    token: int
    agent: str
    column: str
    lease_until: float  # store clock
    lease: float
    model: str | None = None
    worker: str = ""
    gate: bool = False  # proves another run's work
    flow_version: int = 1
    renewals: int = 0
    started_at: int = 0
    ended_at: int | None = None
    end: RunEnd | None = None  # a run ends once (I5)
    outcome: RunOutcome | None = None
    cause: Cause | None = None
    cost_usd: float = 0.0  # as far as anybody can tell: see `usage`
    usage: Usage | None = None  # its totals, counted while it runs
    seconds: float = 0.0  # of its time, so much is counted, where a budget counts time
    setup_seconds: float | None = None  # until its clone was ready; None: there was nothing to set up
    setup_kept: bool = False  # what an earlier setup left was put there
    report: Report | None = None
    pool: str | None = None  # whose quota it uses
    sandboxed: bool | None = None  # None: whoever claimed it did not say
    work: Work | None = None  # what it really changed
    head: str | None = None  # where the item's branch was when it began
    began: float = 0.0  # store clock
    said: dict[str, int] = field(default_factory=dict)  # comments, messages, questions in the middle of its work
    contracts: dict[str, str] = field(default_factory=dict)  # as it was told them when it began
    refused: Report | None = None  # its last report that was refused for its form, while it lived
    refused_for: str | None = None
    refusals: int = 0
    person: str | None = None  # who does its agent's work by hand; None: the agent does
    took: str | None = None  # the run that this person ended to take over
    cloned: bool = False  # nobody here started its agent; it works in a clone that was made for it
    beside: str | None = None  # of a landing: the run that has the branch, by whose move this item lands too
    heard: int = 0  # the number of the last sentence that it was told
    kept: list[str] = field(default_factory=list)  # comments that such reports brought
    # Of each statement of its report: did it act? None: nobody asked, as of a run that an older board has ended.
    weighed: dict[str, str] | None = None


class Attempt(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A failed effort as the rules judged it. A person may overrule `counted`; `ground` says why it was judged so."""

    id: str  # item id, a slash, and its number on that item
    item: str
    number: int
    run: str
    agent: str
    column: str
    kind: str = "self_solve"
    model: str | None = None
    cause: Cause | None = None
    reason: str = ""
    approach: str | None = None
    outcome: str | None = None
    why_different: str | None = None
    files: list[str] = field(default_factory=list)
    commit: str | None = None
    counted: bool = True
    ground: str = ""
    forward: int = 0  # how often the item had gone forward: failures are counted within one such span
    guidance: int = 0  # how many clarifications the item had had: attempts are compared within one such span
    at: int = 0


class Comment(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    id: str
    item: str
    author: str
    content: str
    artifact: str | None = None
    target: str | None = None
    parent: str | None = None
    status: CommentStatus = "open"
    resolution: Resolution | None = None
    proposed: Resolution | None = None  # a run's resolution takes effect with its report
    run: str | None = None
    at: int = 0


class Option(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A way to answer; `effect` says what choosing it does beyond its words (see `core/ways.py`), `to` where."""

    option: str
    why_insufficient: str | None = None
    to: str | None = None
    effect: str | None = None
    says: str | None = None  # yes, no: the plain answer that means it


class Wanted(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a file says where the board says otherwise: it holds if a person chooses it (R-28). Empty where an option of
    the question says it all."""

    files: list[str] | None = None  # of the item
    locks: list[str] = field(default_factory=list)  # paths
    agent: str = ""  # who gets the locks
    seconds: float = 0.0

    @property
    def is_empty(self) -> bool:
        return self.files is None and not self.locks


PUT_ASIDE = "It was put aside when it was added. Should it be worked on?"
PARKED = "It was put aside. Should it be worked on?"
ASIDE = frozenset({PUT_ASIDE, PARKED})  # what the rules ask of an item that a person has put aside


class Question(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    id: str
    item: str
    kind: QuestionKind
    question: str
    agent: str = ""
    run: str | None = None
    context: str = ""
    help: str | None = None
    options: list[Option] = field(default_factory=list)
    blocking: bool = True
    default: str | None = None
    deadline: float | None = None  # store clock
    thread: str | None = None  # the dispute it decides
    dependency: str | None = None  # the cancelled item it is about
    part: str | None = None  # the agent of the group whose part raised it
    paths: list[str] = field(default_factory=list)  # the files that a run wants for the item
    split: Report | None = None  # the tasks that wait for a person's yes
    wanted: Wanted | None = None  # what stands in a file, and not on the board
    takes: str = ""  # option: its options decide; words: it is open; empty: it was asked before this was written down
    state: QuestionState = "open"
    answer: str | None = None
    answered_by: str | None = None
    at: int = 0
    answered_at: int | None = None

    @property
    def decides(self) -> bool:
        """Is it answered by one of its options only?"""
        if self.takes:
            return self.takes == "option"
        return any(option.effect or option.to for option in self.options)


ORCHESTRATOR = "orchestrator"  # the documents' name for the rules themselves
ANY = "any"


class Message(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """An envelope: something one agent hands to another. The item it is about is bound to it."""

    id: str
    sender: str
    to: str
    type: str
    schema_version: str = "1.0.0"
    priority: Priority = "medium"
    payload: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    status: MessageStatus = "pending"
    item: str | None = None
    run: str | None = None  # the run that sent it, or whose report it tells
    accepted_by: str | None = None  # the run that accepted it
    question: str | None = None  # whose answer completes it
    stage: str | None = None  # for which it was accepted, or written: with the end of that it is over
    why: str | None = None  # why it was rejected
    at: int = 0
    sent_at: str | None = None  # the moment as the sender wrote it


class Hold(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A path that others may not write: declared by an item, or locked by a run or a person (R-20)."""

    id: str
    path: str  # a file, or a folder with a slash at its end
    owner: str  # the name shown: an agent, or a person
    item: str | None = None  # whose work it is; for a run's lock the item of the run
    run: str | None = None  # set for a lock that ends with its run
    held: bool = True
    acquired_at: int = 0
    expires_at: int | None = None  # wall clock; only shown
    until: float | None = None  # store clock


class Pause(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Something that begins no runs for a while: the board, a pool that cannot run, a day whose budget is spent."""

    id: str  # `all`, `day`, or the pool's name after `pool:`
    on: bool = True
    until: float | None = None  # store clock; None: until somebody ends it
    ends_at: int | None = None  # wall clock; only shown
    why: str = ""
    by: str = ""
    in_a_row: int = 0  # pauses of a pool for the same cause, with no run in between that could report
    cause: PoolCause = "quota"  # of a pool: why its runs cannot work
    login: bool = False  # a pool waits for a login, not for quota
    question: str | None = None  # in which a person was last asked about the pool
    asks: str | None = None  # the item that has this question
    now: bool = False  # of the board: workers end the runs that they have, too
    at: int = 0


class Window(Struct, frozen=True, gc=False, omit_defaults=True):
    """A window of a quota, as a client tells it: how much of it is used, and when it begins anew."""

    name: str
    used: float | None = None  # a share of 1; None: not told
    resets_at: int | None = None  # wall clock, milliseconds
    status: str = ""  # in the client's own words


class Meter(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What was used of something that has a limit: runs begun by an agent, or what a day's runs have cost."""

    id: str  # an agent's name after `starts:`, an item's id after `made:`, a pool's after `quota:`, or `day`
    starts: list[float] = field(default_factory=list)  # store clock, the newest last
    day: int = 0  # days since 1970
    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    made: int = 0  # items that runs made below an item, since guidance
    deep: int = 0  # those of the last generation among them
    guidance: int = 0  # how many clarifications that item had had
    windows: list[Window] = field(default_factory=list)  # of a pool's quota, as last told
    at: int = 0  # wall clock: when that was


class Lesson(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a run learnt that later ones of the same role, on the same files, or of the same whole, should know."""

    id: str
    text: str
    agent: str
    item: str
    run: str
    whole: str = ""  # the item at the top of all that its item was made for
    files: list[str] = field(default_factory=list)
    at: int = 0
