"""An item's life as spans of a trace, made from its events alone: the item, its runs, gates and landings.

The ids follow from the board, the item and the run. So whoever makes the spans, and however often, makes the same ones.
Of texts only the item's title is told: what agents and people write stays on the board.
"""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Literal

from msgspec import Struct, field

from folkmoot.core.enums import ENDED
from folkmoot.core.events import Event
from folkmoot.core.flow import LANDING

Value = str | int | float | bool
TITLE_MAX = 200

# The names that OpenTelemetry has agreed on for agents and models.
OPERATION, PROVIDER, SYSTEM = "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.system"
AGENT, MODEL, CONVERSATION = "gen_ai.agent.name", "gen_ai.request.model", "gen_ai.conversation.id"
TOKENS = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
}
# Whose model it is, where its name says so.
PROVIDERS = (
    (re.compile(r"claude|opus|sonnet|haiku", re.I), "anthropic"),
    (re.compile(r"gpt|codex|o\d(?:-|\Z)", re.I), "openai"),
    (re.compile(r"gemini", re.I), "gcp.gemini"),
    (re.compile(r"mistral|codestral|devstral", re.I), "mistral_ai"),
    (re.compile(r"deepseek", re.I), "deepseek"),
    (re.compile(r"grok", re.I), "x_ai"),
)

# What happened in the middle, and what is told of it beside its name: words of closed vocabularies, names and ids.
NOTED: dict[str, tuple[str, ...]] = {
    "comment_added": (),
    "comment_resolved": ("resolution",),
    "dispute_opened": ("thread",),
    "dispute_answered": ("thread",),
    "dispute_settled": ("thread",),
    "verdict_given": ("verdict", "column"),
    "escalation_triggered": ("from", "to"),
    "agent_seeks_guidance": ("kind",),
    "divine_response_received": (),
    "question_withdrawn": (),
    "default_taken": (),
    "deadline_passed": (),
    "item_moved": ("from", "to"),
    "changes_asked": ("column",),
    "phase_completed": ("from", "to"),
    "item_parked": (),
    "item_reopened": (),
    "error_occurred": ("cause",),
    "attempt_counted": (),
    "report_refused": (),
    "setup_ended": (),
    "sentence_said": (),
    "gate_passed": ("gate",),
    "gate_failed": ("gate",),
    "work_kept": (),
    "work_refused": (),
    "work_landed": ("branch", "commit"),
    "landing_failed": ("cause",),
    "landing_deferred": (),
    "run_paused": ("cause",),
    "run_stopped": (),
    "run_lapsed": (),
}
ROWS = {"comments": "moot.comment", "questions": "moot.question"}  # whose id is told


class Noted(Struct, frozen=True, gc=False):
    """Something that happened at a moment within a span."""

    name: str
    at: int  # wall clock, milliseconds
    attributes: dict[str, Value]


class Span(Struct, frozen=True, kw_only=True):
    trace: int
    id: int
    parent: int | None
    name: str
    kind: Literal["internal", "client"]
    start: int  # wall clock, milliseconds
    end: int
    attributes: dict[str, Value]
    noted: list[Noted]
    links: list[tuple[int, int]]  # trace and span of what it was made for
    error: str | None  # why it did not do what it was for, in a word
    seq: int  # of the event that ended it


def trace_id(board: str, item: str) -> int:
    return _number(16, board, "item", item)


def item_span(board: str, item: str, life: int = 0) -> int:
    """`life`: how often it had been opened again."""
    return _number(8, board, "item", item, str(life))


def run_span(board: str, run: str) -> int:
    return _number(8, board, "run", run)


def _number(size: int, *parts: str) -> int:
    """Never 0, which means that there is none."""
    return int.from_bytes(sha256("\0".join(parts).encode()).digest()[:size], "big") or 1


class _Life(Struct):
    """An item from its beginning, or from when it was opened again, to its end."""

    number: int
    start: int
    noted: list[Noted] = field(default_factory=list)
    runs: int = 0


class _Open(Struct):
    """A run that has not ended yet."""

    fields: dict[str, Any]
    parent: int
    noted: list[Noted] = field(default_factory=list)


def spans_of(board: str, item: str, events: Iterable[Event]) -> list[Span]:
    """All spans of one item that have ended, by all its events in their order."""
    maker = _Maker(board, item)
    for event in events:
        maker.take(event)
    return maker.spans


class _Maker:
    def __init__(self, board: str, item: str) -> None:
        self.spans: list[Span] = []
        self._board, self._item = board, item
        self._fields: dict[str, Any] = {}
        self._life: _Life | None = None
        self._lives = 0
        self._open: dict[str, _Open] = {}

    def take(self, event: Event) -> None:
        ended = [self._change_run(change.id, change.fields) for change in event.changes if change.table == "runs"]
        own = [change.fields for change in event.changes if change.table == "items" and change.id == self._item]
        for fields in own:
            self._fields |= fields
        if own and self._life is None and self._fields.get("status") not in ENDED:
            self._life = _Life(self._lives, event.at)
            self._lives += 1
        self._note(event)
        for run in ended:
            if run is not None:
                self._end_run(event, run)
        if self._life is not None and self._fields.get("status") in ENDED:
            self._end_life(event, self._life)

    def _change_run(self, run: str, fields: dict[str, Any]) -> str | None:
        """Gives its id where it has ended with this."""
        if run not in self._open:
            if "started_at" not in fields:
                return None  # it has ended before
            life = self._life.number if self._life else max(self._lives - 1, 0)
            self._open[run] = _Open({}, item_span(self._board, self._item, life))
            if self._life is not None:
                self._life.runs += 1
        self._open[run].fields |= fields
        return run if self._open[run].fields.get("ended_at") is not None else None

    def _note(self, event: Event) -> None:
        """Within the run that did it while it lasted, else within the item."""
        if event.name not in NOTED:
            return
        told = {f"moot.{name}": event.context.get(name) for name in NOTED[event.name]}
        told |= {ROWS[change.table]: change.id for change in event.changes if change.table in ROWS}
        told["moot.by"] = event.agent
        plain = {name: one for name, one in told.items() if isinstance(one, str | int | float | bool)}
        noted = Noted(event.name, event.at, plain)
        if event.run in self._open:
            self._open[event.run].noted.append(noted)
        elif self._life is not None:
            self._life.noted.append(noted)

    def _end_run(self, event: Event, run: str) -> None:
        was = self._open.pop(run)
        fields = was.fields
        agent = str(fields.get("agent") or "")
        gate = bool(fields.get("gate"))
        operation = LANDING if agent == LANDING else "gate" if gate else "invoke_agent"
        attributes = {
            "moot.board": self._board,
            "moot.item": self._item,
            "moot.run": run,
            **_told("moot.", fields, ("column", "outcome", "cause", "end", "person")),
        }
        if operation == "invoke_agent":
            attributes |= _of_model(agent, self._item, fields)
        else:
            attributes["moot.gate"] = agent
        self.spans.append(
            Span(
                trace=trace_id(self._board, self._item),
                id=run_span(self._board, run),
                parent=was.parent,
                name=operation if operation == LANDING else f"{operation} {agent}",
                kind="client" if operation == "invoke_agent" else "internal",
                start=int(fields["started_at"]),
                end=max(int(fields["ended_at"]), int(fields["started_at"])),
                attributes=attributes,
                noted=was.noted,
                links=[],
                error=_error(operation, fields),
                seq=event.seq,
            )
        )

    def _end_life(self, event: Event, life: _Life) -> None:
        fields, self._life = self._fields, None
        above = fields.get("parent") or fields.get("dispatched_by")
        link = [(trace_id(self._board, str(above)), item_span(self._board, str(above)))] if above else []
        self.spans.append(
            Span(
                trace=trace_id(self._board, self._item),
                id=item_span(self._board, self._item, life.number),
                parent=item_span(self._board, self._item) if life.number else None,
                name="item again" if life.number else "item",
                kind="internal",
                start=life.start,
                end=max(event.at, life.start),
                attributes={
                    "moot.board": self._board,
                    "moot.item": self._item,
                    "moot.title": str(fields.get("title", ""))[:TITLE_MAX],
                    "moot.runs": life.runs,
                    **_told("moot.", fields, ("column", "status", "type", "kind", "priority")),
                },
                noted=life.noted,
                links=link,
                error="failed" if fields["status"] == "failed" else None,
                seq=event.seq,
            )
        )


def _told(prefix: str, fields: dict[str, Any], names: Sequence[str]) -> dict[str, Value]:
    return {f"{prefix}{name}": str(fields[name]) for name in names if fields.get(name) is not None}


def _of_model(agent: str, item: str, fields: dict[str, Any]) -> dict[str, Value]:
    """What nobody has told is left out, and never 0."""
    found: dict[str, Value] = {OPERATION: "invoke_agent", AGENT: agent, CONVERSATION: item}
    model = fields.get("model")
    if model:
        found[MODEL] = str(model)
        provider = next((name for look, name in PROVIDERS if look.search(str(model))), None)
        found |= {PROVIDER: provider, SYSTEM: provider} if provider else {}
    if fields.get("pool"):
        found["moot.pool"] = str(fields["pool"])
    usage = fields.get("usage") or (fields.get("report") or {}).get("usage") or {}
    if usage.get("input_tokens") or usage.get("output_tokens"):
        found |= {name: int(usage.get(key, 0)) for key, name in TOKENS.items()}
    if usage.get("cost_usd"):
        found["moot.cost_usd"] = float(usage["cost_usd"])
    return found


def _error(operation: str, fields: dict[str, Any]) -> str | None:
    outcome, cause = str(fields.get("outcome") or ""), fields.get("cause")
    bad = outcome in ("failed", "stuck") if operation == "invoke_agent" else outcome != "done"
    return str(cause or outcome or fields.get("end") or "failed") if bad else None
