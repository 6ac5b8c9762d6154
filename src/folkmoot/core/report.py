"""A report: what one run says at its end, whatever dialect it spoke. The rules know only this shape."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from folkmoot.core.enums import Cause, CommentStatus, FindingKind, Outcome, Resolution, Severity

UNREAD = "as it was written"  # in `extra`: the text of a report that could not be read
OTHER_REASONS = "other reasons"  # in `extra`: of several in one field, those that do not decide
UNREAD_MAX = 20_000  # characters of it
WORDS_BESIDE = "words beside the report"  # in `extra`: what an agent says around what was read
SHOWN_BESIDE = "shown beside the report"  # in `extra`: fences that are no report, by number; never weighed
UNDECIDED = "fields that nobody knows"  # in `extra`: told on where their author could not be asked
SIGNALS = ("TASK_INCOMPLETE", "EXPERT_UNSUCCESSFUL", "TASK_COMPLETE")  # as a summary: no words of the agent's own


Count = Annotated[int, Meta(ge=0, le=2**62)]


class Files(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    created: list[str] = field(default_factory=list)
    modified: list[str] = field(default_factory=list)


class NamedArtifact(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    name: str
    path: str | None = None


class Finding(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    kind: FindingKind = "review"
    severity: Severity = "medium"
    issue: str = ""
    file: str | None = None
    line: Count | None = None
    recommendation: str | None = None
    test: str | None = None
    exploit: str | None = None
    category: str | None = None
    why: str | None = None  # why it matters
    found_by: list[str] = field(default_factory=list)  # filled in where several agents look at the same work
    wordings: list[str] = field(default_factory=list)  # how others said the same
    remark: bool = False  # said beside `done`: nothing must change for it; only the rules say so
    fixed: str | None = None  # what was done about it, where whoever tells of it says that it is mended
    unheard: str | None = None  # the stage whose look found it, while that look has given no verdict


class NamedFinding(Finding, frozen=True, gc=False, kw_only=True):
    """A finding, and the short name by which people speak of it."""

    id: str


class Remark(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A comment that a report carries."""

    content: str
    artifact: str | None = None
    target: str | None = None
    parent: str | None = None
    resolution: Resolution | None = None
    # As the disputes document writes them; `status` acts, the others say which comment of the item is repeated.
    status: CommentStatus | None = None
    id: str | None = None
    author: str | None = None
    timestamp: str | None = None


class Try(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """One attempt as the agent tells it."""

    kind: str = "self_solve"
    approach: str | None = None
    outcome: str | None = None
    why_different: str | None = None
    beside: str | None = None


class Choice(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    option: str
    why_insufficient: str | None = None


class AskedQuestion(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    question: str
    context: str | None = None
    options: list[Choice] = field(default_factory=list)
    help: str | None = None
    blocking: bool = True
    default: str | None = None


class Tests(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    # None: nobody told.
    total: Count | None = None
    passed: Count | None = None
    failed: Count = 0


class Task(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A part of the work, as whoever splits it says it. `after` names other tasks of the split by key or title."""

    title: str
    key: str | None = None
    body: str = ""
    agent: str | None = None
    files: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    contracts: list[str] = field(default_factory=list)
    spec: str | None = None
    constraints: list[str] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)  # said under names that nobody knows: its agent is told


class Contract(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What several tasks rely on, in words or code."""

    name: str
    text: str = ""


class Delegation(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Help asked of an expert (`to` names one), of another agent, or of a sub-agent."""

    task: str
    to: str | None = None
    scope: str | None = None


UNSENT = "messages not sent"  # of `extra`: what a report quotes, or could not send


class Posted(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A message that stands inside a report, in the documents' envelope: it is sent with the report."""

    type: str
    sender: str = ""  # empty: the run that reports
    to: str = ""  # empty: whoever alone may get this type
    message_id: str | None = None
    timestamp: str | None = None
    schema_version: str = "1.0.0"
    priority: str | None = None
    payload: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    status: str | None = None


class Usage(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost_usd: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None  # None: nobody can tell
    cached_tokens: Count = 0  # of `input_tokens`: those that came from a cache


class Statement(Struct, frozen=True, gc=False, omit_defaults=True):
    """A part of a report as its answer names it: shortly, since it stands whole in the report."""

    what: str
    said: str
    why: str = ""  # why nothing followed from it


class Report(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    outcome: Outcome
    summary: str = ""
    commit: str | None = None
    files: Files = field(default_factory=Files)
    artifacts: list[NamedArtifact] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tests: Tests | None = None
    comments: list[Remark] = field(default_factory=list)
    attempts: list[Try] = field(default_factory=list)
    cause: Cause | None = None
    reason: str | None = None
    # Who can help, in a word of the flow; `reason` may be the failure's own words.
    escalation_reason: str | None = None
    blockers: str | None = None
    question: AskedQuestion | None = None
    tasks: list[Task] = field(default_factory=list)
    contracts: list[Contract] = field(default_factory=list)
    integration_points: dict[str, Any] = field(default_factory=dict)
    interfaces: list[str] = field(default_factory=list)
    delegate: list[Delegation] = field(default_factory=list)
    next_steps: list[str] = field(default_factory=list)
    lessons: list[str] = field(default_factory=list)
    usage: Usage | None = None
    messages: list[Posted] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)  # what the dialect says beyond the contract: kept, shown
    # The outcome was found in comments or words, where who speaks decides what they mean, or in ATTEMPT blocks.
    implied: bool = False

    @classmethod
    def done(cls, summary: str = "", **parts: Any) -> "Report":
        """The work is done; `parts` are further fields of the report.

        >>> Report.done("rounds half up", next_steps=["document it"]).next_steps
        ['document it']
        """
        return cls(outcome="done", summary=summary, **parts)

    @classmethod
    def unread(cls, why: str, text: str) -> "Report":
        """What stands for a text that is no report: its words are kept, for a person and for whoever goes on.

        >>> Report.unread("no outcome is named", "all went well").cause
        'protocol'
        """
        shown = text[:UNREAD_MAX].replace("\0", "\u2400").encode("utf-8", "backslashreplace").decode("utf-8")
        more = f" […{len(text) - UNREAD_MAX} characters more]" if len(text) > UNREAD_MAX else ""
        extra = {UNREAD: shown + more} if shown.strip() else {}
        return cls(outcome="failed", summary=why, cause="protocol", extra=extra)

    @property
    def is_unread(self) -> bool:
        """Does it stand for a text that is no report? Then whoever wrote that has said none of its fields.

        >>> Report.unread("it holds no report", "I am done").is_unread
        True
        """
        return self.cause == "protocol" and UNREAD in self.extra

    @classmethod
    def failed(cls, summary: str = "", cause: Cause | None = None, **parts: Any) -> "Report":
        """It did not work, and why: by the `cause` the rules decide what follows.

        >>> Report.failed("2 tests are red", cause="capability").outcome
        'failed'
        """
        return cls(outcome="failed", summary=summary, cause=cause, **parts)
