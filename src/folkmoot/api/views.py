"""What a caller gets back: each answer is a struct, and its JSON is the contract.

Times are UTC text. A plain dict stands only where agents choose the fields: a message's payload, an event's context.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from folkmoot.core.enums import (
    Cause,
    CommentStatus,
    EventName,
    Kind,
    MessageStatus,
    PoolCause,
    Priority,
    QuestionKind,
    QuestionState,
    Resolution,
    RunEnd,
    RunOutcome,
    Status,
    Type,
)
from folkmoot.core.item import Guidance, Output, Proof
from folkmoot.core.proposals.issue import IssueLink
from folkmoot.core.proposals.proposal import Proposal
from folkmoot.core.report import NamedFinding, Report, Statement, Tests

Data = dict[str, Any]  # fields that whoever wrote them has chosen
SaidKind = Literal["text", "tool", "error", "printed"]


class View(Struct, frozen=True, gc=False, kw_only=True):
    """The base of all answers."""


class Change(View, frozen=True, gc=False, kw_only=True):
    path: str  # of a file that a run changed
    how: str


class RunView(View, frozen=True, gc=False, kw_only=True):
    run: str
    token: int
    agent: str
    column: str
    model: str | None
    person: str | None  # who does the agent's work by hand
    cloned: bool  # nobody here started its agent; it works in a clone that was made for it
    worker: str
    started_at: str | None
    ended_at: str | None
    end: RunEnd | None
    outcome: RunOutcome | None
    cause: Cause | None
    cost_usd: float | None  # null: nobody can tell
    tokens: int | None  # null: not told
    setup_seconds: float | None
    setup_kept: bool
    gate: bool
    sandboxed: bool | None
    commit: str | None
    ref: str | None
    changed: list[Change]
    dropped: bool
    report: Report | None
    refused: Report | None
    refused_for: str | None
    acted: list[Statement]
    kept: list[Statement]


class LiveRun(RunView, frozen=True, gc=False, kw_only=True):
    """A run and its item."""

    item: str
    lease_expires_at: str | None = None  # of one that goes on: when it is given up, unless it is renewed
    pool: str | None = None  # whose quota it uses
    host: str | None = None  # the machine of its worker, where its name says that
    time_limit: float | None = None  # seconds that it may take; null of a person's
    silence_limit: float | None = None  # seconds that it may say nothing
    doing: str | None = None  # of one that goes on: the last that it has said or done, in one line
    last_output_at: str | None = None


class AttemptView(View, frozen=True, gc=False, kw_only=True):
    attempt: int
    kind: str
    model: str | None
    agent: str
    cause: Cause | None
    reason: str
    approach: str | None
    outcome: str | None
    why_different: str | None
    counted: bool
    ground: str
    run: str


class CommentView(View, frozen=True, gc=False, kw_only=True):
    id: str
    author: str
    timestamp: str | None
    artifact: str | None
    target: str | None
    content: str
    parent: str | None
    status: CommentStatus
    resolution: Resolution | None


class SentenceView(View, frozen=True, gc=False, kw_only=True):
    """What a person said to whoever works on an item."""

    number: int
    text: str
    by: str
    timestamp: str | None
    heard: str | None  # the run that was told first; None: nobody yet


class OptionView(View, frozen=True, gc=False, kw_only=True):
    option: str
    why_insufficient: str | None
    to: str | None
    effect: str | None
    does: str | None


class QuestionView(View, frozen=True, gc=False, kw_only=True):
    id: str
    task_id: str
    agent_id: str
    kind: QuestionKind
    question: str
    context: str
    help: str | None
    options: list[OptionView]
    takes: str
    blocking: bool
    default: str | None
    state: QuestionState
    answer: str | None
    answered_by: str | None
    requested_at: str | None


class PendingQuestion(View, frozen=True, gc=False, kw_only=True):
    """An open question in the shape of the escalation document, with the id by which it is answered."""

    id: str
    task_id: str
    agent_id: str
    question: str
    context: str
    options: list[str]
    requested_at: str | None


class Tracking(View, frozen=True, gc=False, kw_only=True):
    """What was tried on an item, in the shape of the escalation document."""

    self_solve_attempts: int
    expert_attempts: int
    total_attempts: int
    experts_tried: list[str]
    last_attempt_type: str | None
    last_attempt_outcome: str | None
    divine_clarifications_received: int


class Dispatched(View, frozen=True, gc=False, kw_only=True):
    """An unfinished item that a run has sent for."""

    item: str
    agent: str


class ContractView(View, frozen=True, gc=False, kw_only=True):
    name: str
    text: str


class OutputView(Output, frozen=True, gc=False, kw_only=True):
    """What a child ended with."""

    item: str


class Dropped(View, frozen=True, gc=False, kw_only=True):
    agent: str  # who changed files and lost them, since it only reads
    files: list[str]


class ArtifactView(View, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    name: str
    column: str
    agent: str
    run: str
    path: str | None = None


class ItemSummary(View, frozen=True, gc=False, kw_only=True):
    """The short form of a list."""

    id: str
    title: str
    column: str
    status: Status
    priority: Priority
    tags: list[str]
    needs: list[str]  # labels that a worker must have to run anything on it
    runs_on: list[str]  # those and what its agent or gate needs: who has all of them can begin its next run
    after: list[str]
    waits_for: list[str]
    kind: Kind
    parent: str | None
    agent: str | None
    watcher: str | None
    taken: str | None  # the person who works on it instead of its agent
    blocked_by: str | None
    pause: float | None
    failure_count: int
    dispute_rounds: int
    dispute_agents: list[str]
    escalation_tier: int
    cost_usd: float | None  # null: nobody can tell
    why: str


class ItemView(ItemSummary, frozen=True, gc=False, kw_only=True):
    """The whole item."""

    body: str
    type: Type
    files: list[str]
    children: list[str]
    dispatched: list[Dispatched]
    dispatched_by: str | None
    contracts: list[ContractView]
    integration_points: Data
    spec: str | None
    constraints: list[str]
    purpose: str | None
    outputs: list[OutputView]
    tests: Tests | None
    holds: list[str]
    failure_history: list[AttemptView]
    incomplete_count: int
    escalation_reason: str | None
    escalation_tracking: Tracking
    flag: str | None
    told: str | None
    dropped: list[Dropped]
    iteration: int
    max_rounds: int
    artifacts: list[ArtifactView]
    comments: list[CommentView]
    findings: list[NamedFinding]
    questions: list[QuestionView]
    guidance: list[Guidance]
    said: list[SentenceView]
    runs: list[RunView]
    head: str | None
    branch: str | None
    proposal: Proposal | None  # the pull request by which it was last proposed
    issue: IssueLink | None  # on a forge, from which it came
    landed: str | None
    landed_on: str | None
    evidence: list[Proof] | str | None
    version: int
    created_at: str | None
    updated_at: str | None
    # Only in the answer to a report: what of it acted, what was kept without an effect, what its reason will do.
    acted: list[Statement] | UnsetType = UNSET
    kept: list[Statement] | UnsetType = UNSET
    reason_does: str | UnsetType = UNSET
    note: str | UnsetType = UNSET


class EventView(View, frozen=True, gc=False, kw_only=True):
    seq: int
    timestamp: str | None
    event: EventName
    item: str | None
    run: str | None
    agent: str | None
    context: Data


class MessageView(View, frozen=True, gc=False, kw_only=True):
    """The envelope of the documents."""

    schema_version: str
    message_id: str
    timestamp: str | None
    sender: str = field(name="from")
    to: str
    type: str
    priority: Priority
    payload: Data
    context: Data
    status: MessageStatus
    item: str | None
    run: str | None
    why: str | None
    note: str | UnsetType = UNSET  # where the board counts otherwise than the message says


class HoldView(View, frozen=True, gc=False, kw_only=True):
    resource: str
    agent: str
    item: str | None
    run: str | None
    acquired: str | None
    expires: str | None


class PauseView(View, frozen=True, gc=False, kw_only=True):
    what: str
    until: str | None
    why: str
    by: str
    since: str | None
    cause: PoolCause | None  # of a pool: why its runs cannot work
    login: bool
    question: str | None  # in which a person is asked about it
    now: bool = False  # of the board: the runs at work end too


# Paused, whose agents cannot be started, or are started by nobody; that rest after a failure; whose paths another has;
# whose agent has begun as many runs as it may for now.
BlockedWhy = Literal["paused", "unable", "no_run", "resting", "held", "starts", "label"]


class Blocked(View, frozen=True, gc=False, kw_only=True):
    """Items that could be worked on and begin no run, all for the same reason."""

    why: BlockedWhy
    reason: str  # what is paused; why the agents cannot be started; who has the paths; else empty
    pause: PauseView | None
    agents: list[str]
    items: list[str]
    until: str | None = None  # when time alone ends it
    labels: list[str] = field(default_factory=list)  # that a worker must have to begin them


class LessonView(View, frozen=True, gc=False, kw_only=True):
    id: str
    text: str
    agent: str
    item: str
    run: str
    files: list[str]
    timestamp: str | None


class OutputPart(View, frozen=True, gc=False, kw_only=True):
    part: int
    text: str


class Said(View, frozen=True, gc=False, kw_only=True):
    """A line of what a run printed, as a person reads it: the agent's words, a tool, an error; or printed as it is."""

    kind: SaidKind
    text: str


class ClaimView(View, frozen=True, gc=False, kw_only=True):
    """A run that has just begun: its lease, its item, and what its agent is told."""

    run: str
    token: int
    agent: str
    model: str | None
    lease_expires_at: str | None
    workspace: str | None  # the clone that was made for it, where one was asked for
    item: ItemView | None
    brief: Data
    bearer: str | UnsetType = UNSET  # over HTTP and MCP: the token by which the run speaks for itself from now on
    prompt: str | None = None  # with a clone: what a worker tells its agent, as text
    base: str | None = None  # and the commit that it begins with


class TakenView(ClaimView, frozen=True, gc=False, kw_only=True):
    """An item that a person has taken: the run in which they do its agent's work by hand."""

    took: str | None  # the agent's run that ended for it
    again: bool  # it was theirs before


class Sentences(View, frozen=True, gc=False, kw_only=True):
    """What people have said to a run since it was last told."""

    sentences: list[SentenceView]
