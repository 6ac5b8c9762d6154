"""The closed vocabularies of the contract.

Each is a type: a rule that does not handle one of its words fails the type check, and so does a word that is in none.
"""

from typing import Literal, TypeGuard, assert_never, get_args

ActorKind = Literal["person", "file", "run", "engine"]
"""Who acts. Whoever lets somebody in says which; no name ever does."""
ForgeKind = Literal["github", "gitlab"]
Role = Literal["owner", "person", "run", "observer"]
"""Who calls through a door: whose board it is, somebody else who may decide, a run and its processes, or somebody who
only looks."""
ENGINE_NAME = "folkmoot"  # shown where the rules themselves act; a person may have it too

Outcome = Literal[
    "done", "changes_requested", "disputed", "failed", "stuck", "asks", "delegates", "split", "incomplete"
]
"""How a run says that it ended."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

ReportedCause = Literal[
    "capability",
    "transient",
    "quota",
    "requirement",
    "size",
    "conflict",
    "environment",
    "protocol",
    "timeout",
    "integration",
    "fatal",
]
"""Why an effort failed, as a report may say it."""
CAUSES: tuple[ReportedCause, ...] = get_args(ReportedCause)

ClientCause = ReportedCause | Literal["outage"]
"""Why a client failed, as its worker heard it: that its provider does not answer, only the client can show."""

Cause = ClientCause | Literal["gate"]
"""Why an effort failed, as the board keeps it: a red gate is the board's own finding."""

PoolCause = Literal["quota", "outage", "environment"]
"""Why a pool begins no runs: nobody's failure, and the same for all of its items (R-07)."""
POOL_CAUSES: tuple[PoolCause, ...] = get_args(PoolCause)


def pauses_pool(cause: str | None) -> TypeGuard[PoolCause]:
    """Is it a cause that the client shows of its pool, and not of the item?"""
    return cause in POOL_CAUSES


Ended = Literal["done", "failed", "cancelled"]
Asking = Literal["awaiting-divine-guidance", "needs-human-review", "parked"]
Working = Literal["ready", "running", "proving", "waiting", "blocked"]
Status = Working | Asking | Ended
ENDED: frozenset[str] = frozenset(get_args(Ended))
ASKING: frozenset[str] = frozenset(get_args(Asking))
STATUSES: tuple[str, ...] = (*get_args(Working), *sorted(ASKING), *sorted(ENDED))

Kind = Literal["item", "task", "part", "expert", "sub", "dispatch"]
"""What an item is: a person's own, or a child that a rule made."""
KINDS: tuple[Kind, ...] = get_args(Kind)


def _is_bound(kind: Kind) -> bool:
    match kind:
        case "part" | "expert" | "sub" | "dispatch":
            return True
        case "item" | "task":
            return False
        case _:
            assert_never(kind)


# Children that make one effort where they are: they never move, split or ask, and end `failed` where others would ask.
ONE_SHOT_KINDS: frozenset[str] = frozenset(kind for kind in KINDS if _is_bound(kind))

# In their own right: a person's, and what one of them was split into. All others were made to help one of these.
OWN_KINDS: frozenset[str] = frozenset(KINDS) - ONE_SHOT_KINDS

Priority = Literal["critical", "high", "medium", "low"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
UNCHOSEN: Priority = "medium"  # what an item has if nobody says anything


def is_priority(word: object) -> TypeGuard[Priority]:
    return word in PRIORITIES


Type = Literal["feature", "bugfix", "refactor"]
TYPES: tuple[Type, ...] = get_args(Type)

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

FindingKind = Literal["review", "security", "test"]
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)


def is_severity(word: object) -> TypeGuard[Severity]:
    return word in SEVERITIES


def is_finding_kind(word: object) -> TypeGuard[FindingKind]:
    return word in FINDING_KINDS


Resolution = Literal["accepted", "rejected"]
RESOLUTIONS: tuple[Resolution, ...] = get_args(Resolution)

CommentStatus = Literal["open", "resolved"]
COMMENT_STATUSES: tuple[CommentStatus, ...] = get_args(CommentStatus)

QuestionKind = Literal["clarification", "dispute", "decision", "budget", "conflict"]
QuestionState = Literal["open", "answered", "withdrawn", "defaulted"]

RunEnd = Literal["reported", "rescued", "released", "revoked"]

RunOutcome = Outcome | Literal["released", "revoked"]
"""What a run came to: its report's outcome, or that it was given back or taken away without one."""

MessageStatus = Literal["pending", "accepted", "completed", "rejected"]
MESSAGE_STATUSES: tuple[MessageStatus, ...] = get_args(MessageStatus)

ColumnKind = Literal["flow", "escalation", "backflow", "dispute"]
# Whether work would land now: nothing is in its way; a person is asked; something is wrong with it; it is not yet its
# time; it has ended.
Prospects = Literal["clear", "asks", "red", "waits", "over"]
COLUMN_KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)

WriteRight = Literal["none", "own", "new_tests", "any"]
WRITE_RIGHTS: tuple[WriteRight, ...] = get_args(WriteRight)

EventName = Literal[
    "flow_adopted",
    "clock_restarted",
    "item_added",
    "item_moved",
    "changes_asked",
    "item_edited",
    "item_rests",
    "item_ranked",
    "item_ready",
    "item_resumed",
    "item_parked",
    "item_cancelled",
    "item_reopened",
    "child_added",
    "dependency_done",
    "dependency_reopened",
    "agent_started",
    "lease_renewed",
    "setup_ended",
    "agent_completed",
    "report_refused",
    "run_released",
    "run_lapsed",
    "run_revoked",
    "sentence_said",
    "sentence_heard",
    "attempt_counted",
    "attempt_noted",
    "attempt_repeated",
    "attempt_overruled",
    "error_occurred",
    "work_left_incomplete",
    "escalation_triggered",
    "verdict_given",
    "comment_added",
    "comment_resolved",
    "comment_restated",
    "dispute_opened",
    "dispute_answered",
    "dispute_settled",
    "agent_seeks_guidance",
    "question_withdrawn",
    "deadline_passed",
    "default_taken",
    "divine_response_received",
    "divine_clarification_received",
    "escalation_counters_reset",
    "agent_resumes_with_guidance",
    "handoff_created",
    "handoff_accepted",
    "handoff_completed",
    "handoff_rejected",
    "paths_wanted",
    "paths_held",
    "paths_released",
    "lesson_learned",
    "work_split",
    "work_delegated",
    "parts_dealt",
    "parts_merged",
    "agent_dispatched",
    "output_received",
    "expert_unsuccessful",
    "item_failed",
    "item_done",
    "item_unbound",
    "gate_called",
    "gate_passed",
    "gate_failed",
    "items_counted",
    "gates_waived",
    "finding_set_aside",
    "contract_changed",
    "phase_completed",
    "work_kept",
    "work_refused",
    "work_dropped",
    "work_waits",
    "landing_called",
    "landing_recorded",
    "landing_deferred",
    "landing_failed",
    "work_landed",
    "work_proposed",
    "proposal_seen",
    "proposal_answered",
    "issue_noted",
    "landing_found",
    "landing_dropped",
    "run_paused",
    "run_stopped",
    "pool_paused",
    "budget_spent",
    "board_stopped",
    "board_resumed",
]
