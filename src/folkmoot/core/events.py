"""An event says what happened and carries what it changed; folding the changes gives every row (R-31).

The new values stand in the event itself, not in code that derives them: a log written by today's rules folds to the
same rows under tomorrow's.
"""

from typing import Any

from msgspec import Struct, field
from msgspec.structs import fields as struct_fields
from msgspec.structs import replace

from folkmoot.core.decoding import converted
from folkmoot.core.enums import ENGINE_NAME, ActorKind, EventName
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Meter, Pause, Question, Run

# Every event there is, and what it says happened. The reference in the docs is made from this.
EVENTS: dict[EventName, str] = {
    "flow_adopted": "a flow was taken in and is in force from here on",
    "clock_restarted": "the machine was started again; leases of the time before are void",
    "item_added": "an item came onto the board",
    "item_moved": "the item went to another column",
    "changes_asked": "a person has looked at the work and asks for changes",
    "item_edited": "what the item says or waits for was changed",
    "item_rests": "what the item waits for was looked at again",
    "item_ranked": "a longer chain of items waits for this one",
    "item_ready": "the item can be claimed again",
    "item_resumed": "the item goes on without guidance",
    "item_parked": "the item is put aside until a person answers",
    "item_cancelled": "the item was given up",
    "item_reopened": "a person opened the ended item again",
    "child_added": "the item waits for a new child",
    "dependency_done": "an item that this one waited for has ended",
    "dependency_reopened": "an item that this one came after is open again",
    "agent_started": "an agent claimed the item, or a person took it: a run began",
    "lease_renewed": "the run said that it is alive",
    "setup_ended": "the run's clone is ready: its setup has run, or what an earlier one left was put there",
    "agent_completed": "the run ended with its report",
    "report_refused": "a report broke the form: the run lives on, and what it said is kept",
    "run_released": "the run gave the item back unworked",
    "run_lapsed": "the run's lease ran out without a report",
    "run_revoked": "a person took the item out of the run's hands",
    "sentence_said": "a person said something to whoever works on the item",
    "sentence_heard": "a run was told what people had said",
    "attempt_counted": "a failed attempt counts: it was a new approach, or a repeat too many",
    "attempt_noted": "an attempt is kept and does not count: it succeeded, or is past a limit, or beside a verdict",
    "attempt_repeated": "a failed attempt does not count: it was an earlier approach again",
    "attempt_overruled": "a person turned round whether an attempt counts",
    "error_occurred": "a fault that is no lack of capability: passing, of form, or a conflict",
    "work_left_incomplete": "the run left part of the work for a fresh one",
    "escalation_triggered": "the item went up: to a column that can help, or to a person",
    "verdict_given": "a checking column gave its verdict",
    "comment_added": "somebody commented",
    "comment_resolved": "a thread was resolved",
    "comment_restated": "a comment of a refused report was said again, in good form",
    "dispute_opened": "an agent disputes what another made",
    "dispute_answered": "the other side disagrees: a round of the dispute",
    "dispute_settled": "the dispute has ended",
    "agent_seeks_guidance": "a question to a person was opened",
    "question_withdrawn": "a question needs no answer any more",
    "deadline_passed": "a question's deadline passed; it stays open, and the item goes on",
    "default_taken": "a question's deadline passed and its default holds",
    "divine_response_received": "a person answered the question",
    "divine_clarification_received": "the answer became guidance on the item",
    "escalation_counters_reset": "guidance: the item's counters begin again",
    "agent_resumes_with_guidance": "every question is answered and the item goes on",
    "handoff_created": "a message was sent",
    "handoff_accepted": "the receiver took the message up",
    "handoff_completed": "what the message asked for is done",
    "handoff_rejected": "the receiver refused the message",
    "paths_wanted": "a run asked for paths that others hold: if it leaves the work, the next run waits for them",
    "paths_held": "paths belong to the item, the run or the person, and nobody else may write them",
    "paths_released": "paths are free again",
    "lesson_learned": "a run said what later ones should know",
    "work_split": "the work was split into tasks; the item waits for them",
    "work_delegated": "others were asked to help; the item waits for them",
    "parts_dealt": "each agent of the column got its part; the item waits for them",
    "parts_merged": "every part has ended, and the strictest verdict holds",
    "agent_dispatched": "a run of the item sent for another agent, and went on",
    "output_received": "a child ended, and its parent keeps what it said",
    "expert_unsuccessful": "the expert could not help",
    "item_failed": "the child ended without success; its parent goes on",
    "item_done": "the child ended with success",
    "item_unbound": "no item's branch is there for dispatched work: it goes the way of any other item from here on",
    "gate_called": "the work is done by the agent's word, and a gate must prove it",
    "gate_passed": "the gate is green",
    "gate_failed": "the gate is red",
    "items_counted": "runs made items, and they were counted for the item of a person's that they come from",
    "gates_waived": "a person lets the item land without gates that are not green",
    "finding_set_aside": "a finding outside of what is under review became an item of its own",
    "contract_changed": "what several tasks rely on was changed",
    "phase_completed": "a stage of the flow is over",
    "work_kept": "a run's change is on the item's branch",
    "work_refused": "a run changed what it may not: its change is kept aside, and not taken",
    "work_dropped": "a run that only reads changed files: they are gone, and what it said counts",
    "work_waits": "others hold what the change touches: it is kept, and lands when they are done",
    "landing_called": "the item is done but for its work, which must come onto the branch it is for",
    "landing_recorded": "a branch is about to be moved",
    "landing_deferred": "others hold what the work touches: it lands when they are done",
    "landing_failed": "the work does not fit with what is on the branch, or a gate is red on the two together",
    "work_landed": "the work is on the branch it is for",
    "work_proposed": "the work is proposed: its branch is pushed, and a pull request asks for it to be merged",
    "proposal_seen": "the pull request stands otherwise than it did: its checks, its reviews, its branch",
    "proposal_answered": "a person on the forge has closed the pull request, or somebody else has changed its branch",
    "issue_noted": "the issue from which the item came was closed there, or was told or heard about",
    "landing_found": "a landing ended before it could say so, but its work is on the branch",
    "landing_dropped": "a landing ended before it moved the branch",
    "run_paused": "its pool has no quota, its provider does not answer, or its client cannot run: the run ended, and "
    "nothing is counted",
    "run_stopped": "a budget was used up while the run worked: it ended, what it made is kept, and nothing is counted",
    "pool_paused": "a pool begins no runs: until its quota is there or its provider answers, or until a person does",
    "budget_spent": "a day's budget is used up: no runs begin before the next day",
    "board_stopped": "a person paused the board: no runs begin",
    "board_resumed": "the board, or one pool of it, may go on",
}


class Clock(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """How the store's clock follows from the machine's: it goes on over reboots and never goes back."""

    # Made anew each time, so that it is always written: a row that was folded has the same bytes as one that was saved.
    id: str = field(default_factory=lambda: "clock")
    boot: str = ""
    offset: float = 0.0


class FlowVersion(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A flow as it was taken in. The highest version is in force."""

    id: str  # the version number
    flow: Flow
    source: str = ""  # sha256 of the file it was read from
    at: int = 0


type_of_table: dict[str, Any] = {
    "items": Item,
    "runs": Run,
    "attempts": Attempt,
    "comments": Comment,
    "questions": Question,
    "messages": Message,
    "holds": Hold,
    "lessons": Lesson,
    "pauses": Pause,
    "meters": Meter,
    "flows": FlowVersion,
    "clock": Clock,
}
Row = Item | Run | Attempt | Comment | Question | Message | Hold | Lesson | Pause | Meter | FlowVersion | Clock
FIELD_TYPES = {table: {f.name: f.type for f in struct_fields(kind)} for table, kind in type_of_table.items()}


class Change(Struct, frozen=True, gc=False, array_like=True):
    """New values of some fields of one row; a row that does not exist yet begins with them."""

    table: str
    id: str
    fields: dict[str, Any]


class Event(Struct, frozen=True, gc=False, kw_only=True):
    name: EventName
    item: str | None = None
    run: str | None = None
    agent: str | None = None
    context: dict[str, Any] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    version: int = 0  # the item's version after it
    at: int = 0  # wall clock, milliseconds
    time: float = 0.0  # store clock
    seq: int = 0  # given by the store, gapless, in commit order
    by: ActorKind | None = None  # who acted; None: as `run` and `agent` tell it

    @property
    def actor(self) -> ActorKind:
        if self.by is not None:
            return self.by
        return "run" if self.run is not None else "engine" if self.agent == ENGINE_NAME else "person"

    @property
    def by_person(self) -> bool:
        return self.actor in ("person", "file")


def typed(change: Change) -> Change:
    """A change as read back from the log, its values made what the row's fields are."""
    types = FIELD_TYPES[change.table]
    return Change(
        change.table, change.id, {name: converted(value, types[name]) for name, value in change.fields.items()}
    )


def evolve(row: Row | None, change: Change) -> Row:
    """The row after a change. Never refuses: what happened, happened."""
    if row is None:
        new: Row = type_of_table[change.table](id=change.id, **change.fields)
        return new
    return replace(row, **change.fields)
