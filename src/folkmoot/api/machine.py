"""The answers of commands about the machine: boards made, checked, kept and restored, and workers that ran.

They are no calls of the registry: whoever asks must be able to reach the board's own files.
"""

from typing import Any, Literal

from msgspec import UNSET, UnsetType, field

from folkmoot.api.pages import LostWork
from folkmoot.api.views import ItemSummary, View


class BoardMade(View, frozen=True, gc=False, kw_only=True):
    board: str
    flow: str
    columns: list[str]
    agents: list[str]
    run: dict[str, str]  # how each agent is started
    made_flow: bool
    unable: dict[str, str]  # agents that cannot be started, and why
    way: list[str]  # the agents of each item, where nothing is wrong with it: one run of each
    gates: dict[str, str]  # what proves work, and its command
    gate_found_in: str | None = None  # the file of the project that names that command


class GateFound(View, frozen=True, gc=False, kw_only=True):
    """A check that a project already has."""

    command: str
    where: str  # the file that says so
    setup: str | None = None  # what a fresh clone needs before it


class FlowDifference(View, frozen=True, gc=False, kw_only=True):
    """One key of a flow that differs from the flow in force; None: it is not there."""

    key: str
    before: Any
    after: Any


class FlowChecked(View, frozen=True, gc=False, kw_only=True):
    """A flow without faults, and what became of it."""

    ok: bool = True
    flow: str
    path: str
    version: int | None  # of the board's own flow: the version in force
    taken_in: bool
    changes: list[FlowDifference] = field(default_factory=list)  # what differs from the flow that was in force
    warnings: list[str]
    ladders: str | None = None  # the file whose ladders are used in place of the flow's own
    agents: list[str] | None = None
    run: dict[str, str] | None = None
    unable: dict[str, str] = field(default_factory=dict)


class Check(View, frozen=True, gc=False, kw_only=True):
    """One invariant of a board."""

    check: str
    holds: str
    ok: bool
    wrong: list[str]


LookState = Literal["good", "note", "act"]  # note: runs can begin, and it should be known; act: do first what is next


class Look(View, frozen=True, gc=False, kw_only=True):
    """One thing that was looked at before a run."""

    look: Literal["flow", "client", "settings", "gate", "branch", "forge", "tree", "sandbox", "cost", "notify", "pause"]
    state: LookState
    about: str = ""  # which client, gate or branch
    words: str
    next: str | None = None  # the one thing to do
    commit: str | None = None  # on which a gate was looked at


class Readiness(View, frozen=True, gc=False, kw_only=True):
    """What `moot ready` found."""

    ok: bool  # nothing must be done first
    looks: list[Look]


class LimitView(View, frozen=True, gc=False, kw_only=True):
    """What the processes of a run may use up, and by what that holds."""

    limit: str
    most: float | None
    shown: str
    by: str


class Examination(View, frozen=True, gc=False, kw_only=True):
    ok: bool
    checks: list[Check]
    limits: list[LimitView] | UnsetType = UNSET
    lost: list[LostWork] | UnsetType = UNSET  # not the board's fault: git has moved a branch back


class BackedUp(View, frozen=True, gc=False, kw_only=True):
    path: str
    seq: int
    events: int
    size: int
    work: bool  # the commits of runs are in it
    missing: list[str]
    left_out: list[str]
    notes: list[str]


class Restored(View, frozen=True, gc=False, kw_only=True):
    board: str
    source: str | None = field(name="from")
    at: int
    of: str | None
    seq: int
    items: int
    ended_runs: list[str]
    wrong: list[str]
    backup: str | None
    set_aside: str | None
    files: list[str]
    missing: list[str]
    notes: list[str]


class Exported(View, frozen=True, gc=False, kw_only=True):
    path: str | None
    events: int
    size: int
    work: str | None = None  # the file beside it, with the work in git
    missing: list[str] = field(default_factory=list)  # items whose commit is not in it
    notes: list[str] = field(default_factory=list)


class Step(View, frozen=True, gc=False, kw_only=True):
    """An item came to stand elsewhere, or otherwise."""

    seq: int
    at: str | None
    event: str
    item: str
    column: str
    status: str


class SavedPage(View, frozen=True, gc=False, kw_only=True):
    """All that a page of a board in one file shows: what the calls would have answered, and the way there."""

    board: str  # its name
    item: str | None  # of what alone it is
    made_at: str | None
    version: str  # of Folkmoot
    answers: dict[str, Any]  # by the call's name; of calls about one item, by its id
    steps: list[Step]
    left_out: list[str]  # what is not in it, and why


class Saved(View, frozen=True, gc=False, kw_only=True):
    path: str
    item: str | None
    items: int
    events: int
    changes: int
    size: int
    left_out: list[str]


class Imported(View, frozen=True, gc=False, kw_only=True):
    board: str
    source: str = field(name="from")
    events: int
    seq: int
    items: int
    flow_file: bool = False  # the board has its flow and prompts
    work: str | None = None  # the file with the work in git that was taken in
    missing: list[str] = field(default_factory=list)  # items whose commit is not in the repository
    notes: list[str] = field(default_factory=list)


class Mirrored(View, frozen=True, gc=False, kw_only=True):
    dir: str
    files: int
    taken_in: int
    rejected: int
    seq: int


class WorkerStart(View, frozen=True, gc=False, kw_only=True):
    """What a worker says of itself before its first run."""

    worker: str
    flow: str
    slots: int
    agents: list[str]
    gates: list[str]
    only: list[str]
    unable: dict[str, str]
    left_out: list[str]
    sandboxed: bool
    why_not_sandboxed: str
    git: bool
    target: str
    proposes: bool  # people merge what is finished


class WorkerEnd(View, frozen=True, gc=False, kw_only=True):
    worker: str
    interrupted: bool
    unable: dict[str, str]


class BlockedReason(View, frozen=True, gc=False, kw_only=True):
    """Why items that are ready did not begin."""

    why: str
    reason: str
    agents: list[str]
    items: list[str]


class WorkCounts(View, frozen=True, gc=False, kw_only=True):
    landed: int
    runs: int
    agent_runs: int  # of these, without gates and landings
    failed: int
    questions: int
    seconds: float


class WorkDone(WorkerEnd, frozen=True, gc=False, kw_only=True):
    """What came of `moot run`."""

    landed: int
    runs: int
    agent_runs: int  # of these, without gates and landings
    failed: int
    questions: int
    seconds: float
    waits: list[BlockedReason]
    aside: str | None
    in_the_way: list[str]


class UnlandedWork(View, frozen=True, gc=False, kw_only=True):
    """The work of one run that is on no branch of the user's, and how that run ended."""

    run: str
    item: str
    ref: str
    commit: str
    subject: str
    at: int  # seconds since 1970
    files: list[str]
    agent: str | None = None
    outcome: str | None = None
    cause: str | None = None
    ended_at: str | None = None


class UnlandedPage(View, frozen=True, gc=False, kw_only=True):
    lost: list[LostWork]  # what landed and is on its branch no more; its runs are not among the others
    unlanded: list[UnlandedWork]


class BroughtBack(View, frozen=True, gc=False, kw_only=True):
    run: str
    item: str | None  # whose run it was; null: this board does not know it
    branch: str
    left_out: list[str]


class TestCount(View, frozen=True, gc=False, kw_only=True):
    total: int
    passed: int
    failed: int
    exit_code: int


class TestsBeforeAndAfter(View, frozen=True, gc=False, kw_only=True):
    before: TestCount
    after: TestCount


class DemoDispute(View, frozen=True, gc=False, kw_only=True):
    item: str | None
    between: list[str | None]
    rounds: int | None
    resolution: str | None


class DemoClimb(View, frozen=True, gc=False, kw_only=True):
    """An effort that failed, and one by a stronger model after it."""

    item: str | None
    agent: str
    before: str | None = field(name="from")
    to: str | None


class DemoRedGate(View, frozen=True, gc=False, kw_only=True):
    item: str | None
    gate: str
    healed: bool  # the same gate was green on the item afterwards


class DemoQuestion(View, frozen=True, gc=False, kw_only=True):
    item: str | None
    question: str
    answer: str | None
    answered_by: str | None


class DemoAccount(View, frozen=True, gc=False, kw_only=True):
    """What happened on the demo's board, counted from its log."""

    items: list[ItemSummary]
    runs: int
    at_once: int
    tasks: list[str]
    disputes: list[DemoDispute]
    climbs: list[DemoClimb]
    red_gates: list[DemoRedGate]
    questions: list[DemoQuestion]
    landed: list[str | None]
    events: int
    counts: dict[str, int]


class DemoEnd(DemoAccount, frozen=True, gc=False, kw_only=True):
    ok: bool
    board: str
    commits: int
    graph: list[str]
    tests: TestsBeforeAndAfter
    doctor: Examination
    sandboxed: bool
    seconds: float


class Taken(View, frozen=True, gc=False, kw_only=True):
    """An item that a person has taken, and the clone in which they do its agent's work."""

    run: str
    token: int
    item: str
    title: str
    agent: str
    column: str
    workspace: str  # the clone
    brief: str  # files: the brief as JSON, the same as text, and where a report may be written
    prompt: str
    report: str
    board: str
    took: str | None  # the agent's run that ended for it
    again: bool  # it was theirs before
    files: list[str]

    @property
    def env(self) -> dict[str, str]:
        """What a shell must know to be part of the run."""
        return {
            "MOOT_RUN": self.run,
            "MOOT_TOKEN": str(self.token),
            "MOOT_ITEM": self.item,
            "MOOT_AGENT": self.agent,
            "MOOT_BRIEF": self.brief,
            "MOOT_PROMPT": self.prompt,
            "MOOT_REPORT": self.report,
            "MOOT_BOARD": self.board,
            "MOOT_TAKEN": self.run,
        }


class Given(View, frozen=True, gc=False, kw_only=True):
    """What became of a person's work."""

    run: str
    item: str
    column: str
    status: str
    why: str
    outcome: str | None
    commit: str | None
    changed: list[str]
