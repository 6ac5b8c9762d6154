"""state.json: the shared state of the handoff document, and what the escalation document keeps there (H-05, E-16)."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from folkmoot.api.views import Tracking
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor, iteration
from folkmoot.core.records import Hold, Run
from folkmoot.engine.reads.views import moment_text, pending_view, tracking_view
from folkmoot.mirror.picture import Picture
from folkmoot.mirror.writing.items import pretty

ENDED_SHOWN = 100  # of the workflows that are over, the newest
_encode = msgspec.json.Encoder().encode


class Heard(Struct, frozen=True):
    is_active: bool = False
    at: int = 0

    @property
    def last_active(self) -> str | None:
        return moment_text(self.at) if self.at else None


class State:
    """Keeps what it has worked out of each item: the file names them all, and a commit changes few."""

    def __init__(self) -> None:
        self._workflows: dict[int, bytes] = {}
        self._tracking: dict[str, bytes] = {}
        self._live: dict[int, None] = {}
        self._over: dict[int, None] = {}
        self._active: dict[str, int] = {}  # agent -> when it was last heard of

    def see_item(self, flow: Flow, item: Item) -> None:
        if item.kind not in ONE_SHOT_KINDS and (item.attempt_count or item.clarifications or item.span.experts_tried):
            self._tracking[item.id] = _line(tracking_view(item))
        if item.kind == "item" and item.parent is None:
            out, into = (self._live, self._over) if item.status in ENDED else (self._over, self._live)
            out.pop(item.number, None)
            into[item.number] = None
            self._workflows[item.number] = b"    " + _line(_workflow(flow, item))

    def see_run(self, run: Run) -> None:
        at = max(run.started_at, run.ended_at or 0)
        self._active[run.agent] = max(at, self._active.get(run.agent, 0))

    def heard_of(self, open_runs: dict[str, Run]) -> dict[str, Heard]:
        """Of each agent that ever worked whether it does, and when it was last heard of, as the file says it."""
        active = {run.agent for run in open_runs.values()}
        return {name: Heard(name in active, at) for name, at in self._active.items()}

    def shown(self, picture: Picture, now: float) -> dict[str, Any]:
        """The file but for the lines of workflows and tracking, which are many."""
        flow = picture.flow
        live = self._live or self._over
        current = picture.items[str(max(live))] if live else None
        return {
            "schema_version": "1.0.0",
            "current_workflow": _current(current) if current else None,
            "current_agent": _agent(flow, picture, current) if current else None,
            "last_handoff": picture.last_handoff,
            "locks": {hold.path: _lock(hold) for hold in locks_of(picture.holds.values(), now)},
            "iteration": max(1, iteration(flow, current)) if current else 1,
            "agents": self._agents(flow, picture, current),
            "pending_divine_questions": [
                pending_view(picture.open_questions[one])
                for one in sorted(picture.open_questions, key=lambda question: int(question[1:]))
            ],
            "version": picture.seq,
        }

    def file(self, picture: Picture, now: float) -> bytes:
        """Each workflow and each item's tracking has a line: they are kept as they are written."""
        view, over = self.shown(picture, now), sorted(self._over, reverse=True)
        shown = sorted([*self._live, *over[:ENDED_SHOWN]], reverse=True)
        tracked = (b'    "%s": %s' % (item.encode(), self._tracking[item]) for item in sorted(self._tracking, key=int))
        parts = [
            pretty(view).removesuffix(b"\n}\n"),
            b',\n  "escalation_tracking": ' + _lines(b"{", list(tracked), b"}"),
            b',\n  "workflows": ' + _lines(b"[", [self._workflows[number] for number in shown], b"]"),
        ]
        return b"".join([*parts, b"\n}\n"])

    def _agents(self, flow: Flow, picture: Picture, current: Item | None) -> dict[str, Any]:
        active = {run.agent for run in picture.open_runs.values()}
        done = {run.agent for run in picture.runs_of(current.id) if run.outcome} if current else set()
        found: dict[str, Any] = {}
        for name in flow.agents:
            found[name] = {"status": "active" if name in active else "completed" if name in done else "idle"}
            if name in self._active:
                found[name]["last_active"] = moment_text(self._active[name])
        return found


def _line(view: Tracking | dict[str, Any]) -> bytes:
    return msgspec.json.format(_encode(view), indent=0)


def _lines(begin: bytes, lines: list[bytes], end: bytes) -> bytes:
    return begin + (b"\n" + b",\n".join(lines) + b"\n  " if lines else b"") + end


def locks_of(holds: Iterable[Hold], now: float) -> list[Hold]:
    """One for each path; of several in one place the last that was taken. What has ended by now is none."""
    known = sorted((hold for hold in holds if is_in_force(hold, now)), key=lambda h: (h.acquired_at, h.id))
    held = {hold.path: hold for hold in known}
    return [held[path] for path in sorted(held)]


def is_in_force(hold: Hold, now: float) -> bool:
    return hold.held and (hold.until is None or hold.until > now)


def _lock(hold: Hold) -> dict[str, Any]:
    view = {"agent": hold.owner, "acquired": moment_text(hold.acquired_at), "expires": moment_text(hold.expires_at)}
    return {**view, "item": hold.item} if hold.item else view


def _current(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "type": item.type,
        "started": moment_text(item.created_at),
        "spec": item.spec,
        "title": item.title,
    }


def _workflow(flow: Flow, item: Item) -> dict[str, Any]:
    agent = actor(flow, item) if item.column in flow.columns and item.status not in ENDED else None
    return {**_current(item), "column": item.column, "status": item.status, "current_agent": agent}


def _agent(flow: Flow, picture: Picture, item: Item) -> str | None:
    run = next((run for run in picture.open_runs.values() if run.item == item.id), None)
    if run is not None:
        return run.agent
    return actor(flow, item) if item.column in flow.columns and item.status not in ENDED else None
