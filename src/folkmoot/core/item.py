"""The item: it carries all state, so that agents need none. Counters are grouped by what begins them again."""

from typing import Any

from msgspec import Struct, field

from folkmoot.core.enums import Kind, Outcome, Priority, Status, Type
from folkmoot.core.proposals.issue import Tracked
from folkmoot.core.proposals.proposal import Proposal
from folkmoot.core.report import Finding, Remark, Tests, Try
from folkmoot.core.work import Evidence, Landing


class Effort(Struct, frozen=True, gc=False, omit_defaults=True):
    """Begins again when an attempt is counted or the item leaves the column (R-05)."""

    executions: int = 0
    protocol_faults: int = 0
    timeouts: int = 0
    repeats: int = 0
    incompletes: int = 0
    conflicts: int = 0
    releases: int = 0
    deferrals: int = 0  # landings in a row that had to wait for others
    judged: bool = False  # its verdict is given, and the item is still there
    outages: int = 0  # of its provider, each met when others had just worked


class GuidanceCounters(Struct, frozen=True, gc=False, omit_defaults=True):
    """What was counted since the last guidance (R-18). Only a person begins it again."""

    runs: int = 0
    self_solve_attempts: int = 0
    expert_attempts: int = 0
    experts_tried: list[str] = field(default_factory=list)
    disputes: int = 0
    questions: int = 0
    off_moves: dict[str, int] = field(default_factory=dict)  # flow stage -> how often the item left the flow there
    off_columns: list[str] = field(default_factory=list)  # columns off the flow the item was in
    rounds: dict[str, int] = field(default_factory=dict)  # checking column -> verdicts given
    looked: str | None = None  # the checking column that gave the last of them
    unseen: list[str] = field(default_factory=list)  # checking columns whose last look did not see all of the work
    experts: list[str] = field(default_factory=list)  # asked since the last guidance
    discoveries: int = 0  # how often it was sent to be split
    reds: dict[str, int] = field(default_factory=dict)  # column -> how often its gate was red and `on_red` took it
    splits: int = 0  # how often it was split
    whole: bool = False  # a person said no to a split: the next one asks
    usd: float = 0.0  # what its runs have cost
    tokens: int = 0
    seconds: float = 0.0

    @property
    def attempts(self) -> int:
        return self.self_solve_attempts + self.expert_attempts


class Side(Struct, frozen=True, gc=False):
    """One side of a dispute: a column, and where it stood off the flow, so that a reply finds the way back."""

    agent: str
    column: str
    stage: str  # whose work it is: a senior's side is the stage it works for
    origins: list[str] = field(default_factory=list)


class Dispute(Struct, frozen=True, gc=False, omit_defaults=True):
    """An open thread of statements. `turn` is the index of the side that must speak next."""

    thread: str
    disputer: Side
    maker: Side
    agents: list[str]
    artifact: str | None = None
    turn: int = 1
    column: str | None = None  # where both sides come to speak, if the flow has a column for it
    reason: str | None = None  # who can help, as the disputer said beside it
    waits: bool = False  # something else goes first; before the item goes on from there, this side is called

    @property
    def rounds(self) -> int:
        return len(self.agents) - 1

    def side(self, index: int) -> Side:
        return self.maker if index == 1 else self.disputer


class Artifact(Struct, frozen=True, gc=False, omit_defaults=True):
    """Something an agent made, and the stage that made it: disputes of it go there."""

    column: str
    agent: str
    run: str
    path: str | None = None


class Output(Struct, frozen=True, gc=False, kw_only=True):
    """What a child ended with, kept on its parent: the parent needs nothing else to go on."""

    agent: str
    kind: Kind
    outcome: Outcome
    title: str = ""
    summary: str = ""
    findings: list[Finding] = field(default_factory=list)
    comments: list[Remark] = field(default_factory=list)
    tests: Tests | None = None
    files: list[str] = field(default_factory=list)
    next_steps: list[str] = field(default_factory=list)
    integration_points: dict[str, Any] = field(default_factory=dict)
    run: str = ""
    report: dict[str, Any] = field(default_factory=dict)  # what its dialect said beyond that
    dropped: list[str] = field(default_factory=list)  # files that it changed and lost, since its agent only reads
    interfaces: list[str] = field(default_factory=list)  # what others can build on
    cut: bool = False  # its run said more than is kept here; a brief tells all of it
    attempts: list[Try] = field(default_factory=list)  # what it tried, in all of its runs
    blockers: str = ""  # what it names as open beside `done`
    claimed: str = ""  # its own word, where the rules take what it says for another


class Proving(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Gates that must be green before the item leaves the column, and the run they judge."""

    column: str
    left: list[str]
    agent: str = ""
    run: str = ""
    model: str | None = None


class Proof(Struct, frozen=True, gc=False, kw_only=True):
    """A gate that ran."""

    gate: str
    column: str
    green: bool
    run: str
    summary: str = ""
    commit: str | None = None
    at: int = 0
    evidence: Evidence | None = None  # None: somebody's word
    head: str | None = None  # where the item's branch was when the gate began


class Guidance(Struct, frozen=True, gc=False, omit_defaults=True):
    """A person's answer. Where any words are one, `options`, `context` and `help` are what they may refer to: "the
    second", or "yes" to what would help."""

    question: str
    answer: str
    by: str
    options: list[str] = field(default_factory=list)
    context: str = ""
    help: str = ""


class Sentence(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a person said to whoever works on the item. Each run is told it once: by its brief, or while it works."""

    number: int  # on its item
    text: str
    by: str
    at: int = 0
    heard: str | None = None  # the run that was told first; None: nobody yet
    comment: str | None = None  # it was said as this comment, which briefs tell as such
    question: str | None = None  # it answers this question, and briefs tell it as an answer

    @property
    def is_sentence(self) -> bool:
        """Was it said to whoever works on it, and nowhere else?"""
        return self.comment is None and self.question is None


class Item(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    id: str
    title: str
    column: str
    body: str = ""
    type: Type = "feature"
    kind: Kind = "item"
    status: Status = "ready"
    priority: Priority = "medium"
    tags: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    widened: list[str] = field(default_factory=list)  # those of its files that runs have taken by themselves
    needs: list[str] = field(default_factory=list)  # labels that a worker must have to run anything on it
    after: list[str] = field(default_factory=list)
    parent: str | None = None
    entry: str | None = None  # the column where a person let it begin; None: where the flow starts
    generation: int = 0
    origin: str | None = None  # the item of a person's for which it is counted, if a run made it
    whole: str | None = None  # the item at the top of all that it was made for, if a run or a rule made it
    called: str | None = None  # the key by which a split named it, such as `builder-2`
    agent: str | None = None  # who alone may take it
    depth: int = 0  # how many splits lie above it
    splits: int = 0  # how often it was split itself
    contracts: dict[str, str] = field(default_factory=dict)
    contract_changes: dict[str, int] = field(default_factory=dict)  # since its first task was done
    rewritten: dict[str, str] = field(default_factory=dict)  # contracts that changed, as they were for its last work
    integration_points: dict[str, Any] = field(default_factory=dict)
    spec: str | None = None
    constraints: list[str] = field(default_factory=list)
    purpose: str | None = None  # why it was dispatched

    token: int = 0
    run: str | None = None
    taken: str | None = None  # the person who works on it instead of its agent
    last_run: str | None = None
    wake_at: float = 0.0  # store clock: not claimable before
    ready_at: float = 0.0  # store clock: since when it could have been claimed
    rank: int = 0  # how long a chain of items waits for this one

    effort: Effort = field(default_factory=Effort)
    forwards: int = 0  # how often it went forward
    failures: dict[str, int] = field(default_factory=dict)  # agent -> counted failures since forward or guidance
    span: GuidanceCounters = field(default_factory=GuidanceCounters)
    attempt_count: int = 0
    last_attempt_type: str | None = None
    last_attempt_outcome: str | None = None
    clarifications: int = 0

    origins: list[str] = field(default_factory=list)  # the columns it left for this one, the flow's stage first
    asked: dict[str, str] = field(default_factory=dict)  # column off the flow -> what it was sent there for
    made_by: str | None = None  # the stage that made the work the item now carries
    returns_to: str | None = None  # the column that asked for changes and sees the item first
    disputes: list[Dispute] = field(default_factory=list)  # open ones; the last is being talked about
    waits_for: list[str] = field(default_factory=list)
    open_questions: list[str] = field(default_factory=list)
    home: str | None = None  # a child's own column: `done` there ends it
    join: str | None = None  # what its children are to it: tasks, parts, help; mends: it goes on itself after them
    made: dict[str, str] = field(default_factory=dict)  # unfinished children made by rules, and their agents
    outputs: dict[str, Output] = field(default_factory=dict)  # what children ended with, by their id
    result: Output | None = None  # what it ended with itself, if it is a child
    tests: Tests | None = None  # as the last run that ran them told
    dispatched_by: str | None = None  # the item whose run asked for it, and went on
    sent: dict[str, str] = field(default_factory=dict)  # unfinished items that its runs sent for, and their agents
    proving: Proving | None = None
    proofs: list[Proof] = field(default_factory=list)
    waived: list[str] = field(default_factory=list)  # gates that a person let it go without
    waived_at: str | None = None  # where its branch was then: they are waived for that work, and for no other
    advisor: str | None = None  # the expert whose advice the next effort follows
    fanned_out: bool = False
    holds: list[str] = field(default_factory=list)  # the paths it holds now
    denied: list[str] = field(default_factory=list)  # paths that a person did not give it
    wanted: list[str] = field(default_factory=list)  # paths that its run asked for and others hold; see `widen`
    message: str | None = None  # the handoff that brought it here
    touched: list[str] = field(default_factory=list)  # files changed since the last verdict on the work
    changed: list[str] = field(default_factory=list)  # paths of the changes that were taken onto its branch
    lines_added: int = 0  # by all changes that were taken onto its branch, one after the other
    lines_removed: int = 0
    head: str | None = None  # the commit its branch is at; None: nothing is there that has not landed
    marked: str | None = None  # the commit in which a landing has marked conflicts; as such it never lands
    shown: str | None = None  # where it was when it last came before a stage that gives verdicts; empty: nowhere
    landing: Landing | None = None  # the move of a branch that was begun with it
    proposal: Proposal | None = None  # the pull request by which it was last proposed
    issue: Tracked | None = None  # on a forge, from which it came
    landed: str | None = None  # the commit with which its work came onto the branch it is for
    landed_on: str | None = None
    new_tests: list[str] = field(default_factory=list)  # test files that were made for it
    goes_to: str | None = None  # where a person's answer sends it once every question is answered
    comment_count: int = 0

    flag: str | None = None
    escalation_reason: str | None = None
    because: str = ""  # why it is in this column, in words, as the rule that moved it said
    told: str | None = None  # what was wrong with the last report; the next run is told
    dropped: dict[str, list[str]] = field(default_factory=dict)  # agent that only reads -> files it lost; told once
    guidance: list[Guidance] = field(default_factory=list)
    said: list[Sentence] = field(default_factory=list)  # by people, to whoever works on it
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    files_made: dict[str, Artifact] = field(default_factory=dict)  # who made each file; without a path: changed it
    findings: list[Finding] = field(default_factory=list)
    evidence: str | None = None
    cost_usd: float = 0.0

    version: int = 0
    created_at: int = 0  # wall clock, milliseconds; shown, never decided on
    updated_at: int = 0
    since: int = 0  # when it came to stand as it does, in this column; 0: on an older board

    @property
    def asker(self) -> str | None:
        """The item whose branch its work is for: its parent, or the one whose run sent for it. None: the target."""
        return self.parent or (self.dispatched_by if self.kind == "dispatch" else None)

    @property
    def is_proposed(self) -> bool:
        """Are people on the forge to act on its work, as it is now?"""
        asked = self.proposal
        return asked is not None and asked.state == "open" and not asked.renew and asked.head == self.head

    @property
    def awaited_whole(self) -> str | None:
        """The whole that somebody looks at before this task goes on, because it does not fit."""
        return self.parent if self.parent in self.waits_for else None

    @property
    def top(self) -> str:
        """The item that its work is a part of in the end: the quest of a task of a task, or itself."""
        return self.whole or self.parent or self.id

    @property
    def failure_count(self) -> int:
        return sum(self.failures.values())

    @property
    def dispute(self) -> Dispute | None:
        return self.disputes[-1] if self.disputes else None

    @property
    def number(self) -> int:
        return int(self.id)
