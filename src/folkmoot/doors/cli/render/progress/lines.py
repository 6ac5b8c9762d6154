"""The log of a board as lines: who did what to which item, what the rules made of it, and who works now."""

from collections.abc import Mapping
from datetime import datetime
from itertools import groupby

from msgspec import Struct

from folkmoot.api.call import Ask
from folkmoot.api.requests import ReadLog, Show, ShowFlow
from folkmoot.api.views import EventView
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import END, LANDING, Flow
from folkmoot.core.item import Proof
from folkmoot.doors.cli.render.events import DISPUTING, OUTCOMES, said, told_of
from folkmoot.doors.cli.render.page import BAD, CARE, GOOD, PERSON, QUIET, Part, one_line
from folkmoot.doors.cli.session import View

SETUP_SHOWN = 1.0  # seconds: a shorter one is not worth a word
MARKS = {"done": "✓", "split": "✓", "failed": "✗", "asks": "?", "disputed": "≠"}
ENDS = {"agent_completed", "run_released", "run_lapsed", "run_revoked", "run_paused", "run_stopped", "landing_deferred"}
# What is told though no run has ended by it; the rest of the log is bookkeeping, or follows from what is told.
TOLD = {
    *(ENDS - {"agent_completed"}),
    *(
        "divine_response_received",
        "default_taken",
        "item_parked",
        "item_cancelled",
        "changes_asked",
        "item_reopened",
        "agent_seeks_guidance",
    ),
    *("board_stopped", "board_resumed", "pool_paused", "budget_spent", "item_added"),
}
MOVES = ("item_moved", "phase_completed", "escalation_triggered", "agent_resumes_with_guidance")


class Line(Struct, frozen=True):
    mark: str
    style: str
    who: str
    model: str
    item: str
    words: list[Part]  # what happened, in few words
    detail: str = ""  # and why, or what was said
    seconds: float | None = None  # how long the run took
    setup: float = 0.0  # and how much of it until its clone was ready


Ending = tuple[str, str, list[Part], str]  # mark, style, words, detail


class Live(Struct, frozen=True):
    """A run that goes on."""

    agent: str
    model: str
    item: str
    since: float


class Tally:
    """What has happened since the worker began."""

    def __init__(self) -> None:
        self.runs = 0
        self.checks = 0  # how many of these were gates and landings
        self.landed = 0
        self.failed = 0
        self.items: dict[str, int] = {}  # item -> runs of agents
        self.seconds = 0.0

    def ended(self, item: str, outcome: str | None, *, is_check: bool) -> None:
        self.runs += 1
        self.checks += is_check
        self.failed += outcome == "failed"
        self.items[item] = self.items.get(item, 0) + (not is_check)


class Teller:
    """Makes lines of the log's events."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.flow: Flow = ask(ShowFlow())
        self.live: dict[str, Live] = {}
        self.tally = Tally()
        self._setups: dict[str, float] = {}  # run -> seconds
        self._by_hand: dict[str, str] = {}  # run -> the person who has taken the item
        self._seen = 0
        self._titles: dict[str, str] = {}
        self._models: dict[tuple[str, str], str] = {}  # who worked on what last, and with which model

    def skip(self) -> None:
        """What is in the log already is no news."""
        self._seen = self._ask(ReadLog(limit=1)).last

    def news(self) -> list[tuple[float, list[Line], list[EventView]]]:
        """What has happened since: for each moment its time, its lines, and its events."""
        found = []
        events = self._ask(ReadLog(after=self._seen)).events
        while events:
            self._seen = events[-1].seq
            for _, group in groupby(events, lambda e: (e.timestamp, e.run, e.agent)):
                together: dict[str, list[EventView]] = {}  # what one command did to each item
                for event in group:
                    together.setdefault(event.item or "", []).append(event)
                for happened in together.values():
                    at = moment(happened[0].timestamp or "")
                    found.append((at, self._lines(happened, at), happened))
            events = self._ask(ReadLog(after=self._seen)).events
        return found

    def title(self, item: str) -> str:
        if item not in self._titles:
            self._titles[item] = one_line(self._ask(Show(item=item)).title)
        return self._titles[item]

    def _lines(self, events: list[EventView], at: float) -> list[Line]:
        names: dict[str, View] = {event.event: event.context for event in events}
        first = events[0]
        agent, item, run = first.agent or "", first.item or "", first.run or ""
        if "flow_adopted" in names:
            self.flow = self._ask(ShowFlow())
        if "agent_started" in names:
            live = Live(agent, names["agent_started"].get("model") or "", item, at)
            return self._began(run, live, names["agent_started"].get("person"))
        if "setup_ended" in names:
            self._setups[run] = self._setups.get(run, 0.0) + names["setup_ended"].get("seconds", 0.0)
        ended = next((name for name in names if name in ENDS), None)
        run = str(names[ended].get("run") or run) if ended else run  # a person may have ended it
        was = self.live.pop(run, None) if ended else self.live.get(run)
        model = was.model if was else ""
        if ended:
            is_check = agent in self.flow.gates or agent == LANDING
            self.tally.ended(item, names[ended].get("outcome"), is_check=is_check)
            self.tally.landed += "work_landed" in names
            took = at - was.since if was else None
            mark, style, words, detail = self._ending(ended, names, agent, item)
            who = self._by_hand.pop(run, agent) if agent != ENGINE_NAME else agent
            return [Line(mark, style, who, model, item, words, detail, took, self._setups.pop(run, 0.0))]
        return [self._other(event, model) for event in events if event.event in TOLD and not _is_made(event)]

    def _began(self, run: str, live: Live, person: str | None) -> list[Line]:
        if person:
            self._by_hand[run] = one_line(person)
            return [Line("▸", CARE, live.agent, "", live.item, [(f"taken by {one_line(person)}", CARE)])]
        self.live[run] = live
        before = self._models.get((live.item, live.agent))
        self._models[live.item, live.agent] = live.model
        if before is not None and live.model not in ("", before):
            words: list[Part] = [f"takes over from {before}"]
            return [Line("↑", CARE, live.agent, live.model, live.item, words)]
        return [Line("▸", QUIET, live.agent, live.model, live.item, [("begins", QUIET)])]

    def _ending(self, ended: str, names: dict[str, View], agent: str, item: str) -> Ending:
        """A run is over: what it said, and what the rules made of it."""
        context = names[ended]
        if ended != "agent_completed":
            told = told_of(ended, context)
            return "↩", CARE, [(told.lead, CARE)], one_line(context.get("why") or told.detail)
        summary = one_line(context.get("summary") or "")
        if DISPUTING & names.keys():
            summary = self._argument(item, agent) or summary
        to = next((names[name]["to"] for name in reversed(names) if name in MOVES and names[name].get("to")), None)
        # Where a phase is over, a line of its own says where it goes on.
        is_told = any("phase" in names[name] for name in names) and "dispute_settled" not in names
        moved: Part = (f" → {to}", "bold") if to and to != END and not is_told else ""
        if "work_landed" in names:
            return "✓", GOOD, [(f"landed on {names['work_landed'].get('branch')}", f"bold {GOOD}")], ""
        if "landing_failed" in names:
            return "✗", BAD, [("cannot land", BAD), moved], summary
        if agent in self.flow.gates:
            return self._judged(names, item, moved, summary)
        if "work_refused" in names:
            return "✗", BAD, [("not taken", BAD), moved], one_line(names["work_refused"].get("why") or "")
        if "work_split" in names:
            made = " ".join(f"#{child}" for child in names["work_split"].get("children", []))
            return "✓", GOOD, [("split", GOOD), f" into {made}"], summary
        outcome = str(context.get("outcome"))
        lead, style = self._lead(outcome, names)
        if outcome == "failed" and context.get("cause"):
            lead = f"{lead} ({context['cause']})"
            summary = _not_taken(names, summary) or summary
        if outcome == "asks":
            return "?", style, [(lead, style)], ""  # what it asks stands below
        return MARKS.get(outcome, "•"), style, [(lead, style), moved], summary

    def _argument(self, item: str, agent: str) -> str:
        """What was said in the dispute: the report of a run may sum it up, or say nothing."""
        said = [one.content for one in self._ask(Show(item=item)).comments if one.author == agent]
        return one_line(said[-1]) if said else ""

    @staticmethod
    def _lead(outcome: str, names: Mapping[str, View]) -> tuple[str, str]:
        if "dispute_settled" in names:
            return ("agrees" if names["dispute_settled"].get("resolution") == "accepted" else "gives in"), GOOD
        if "dispute_opened" in names:
            return "disputes it", CARE
        if "dispute_answered" in names:
            return f"disagrees, round {names['dispute_answered'].get('rounds')}", CARE
        if outcome == "asks" and "agent_seeks_guidance" in names:
            return f"asks you {names['agent_seeks_guidance'].get('question')}", CARE
        return OUTCOMES.get(outcome, (outcome, ""))

    def _judged(self, names: Mapping[str, View], item: str, moved: Part, summary: str) -> Ending:
        """A gate: green, red with the last words of its check (runners end with what came out), or neither."""
        if "gate_passed" in names:
            return "✓", GOOD, [("green", GOOD)], ""
        if "gate_failed" not in names:
            return "✗", BAD, [("could not run", BAD)], summary
        proofs = [proof for proof in self._ask(Show(item=item)).evidence or [] if isinstance(proof, Proof)]
        shown = proofs[-1].evidence.output if proofs and proofs[-1].evidence else ""
        last = next((line for line in reversed(shown.splitlines()) if line.strip()), summary.rpartition(": ")[2])
        return "✗", BAD, [("red", BAD), moved], one_line(last)

    def _other(self, event: EventView, model: str) -> Line:
        told = said(event, {})
        who = event.agent or ""
        is_person = event.run is None and who != ENGINE_NAME
        mark = "?" if event.event in ("agent_seeks_guidance", "item_parked", "default_taken") else "•"
        style = told.style or (PERSON if is_person else "")
        to: Part = (f" → {told.to}", "bold") if told.to else ""
        words: list[Part] = [(one_line(told.lead), style), to]
        return Line(mark, style, who, model, event.item or "", words, one_line(told.detail))


def _not_taken(names: Mapping[str, View], summary: str) -> str:
    """Why the report itself is what failed, where its own words praise the work: as the agent is told, without what it
    is to do."""
    wrong = names.get("error_occurred", {})
    why = one_line(wrong.get("why") or "") if wrong.get("cause") == "protocol" else ""
    told = why.partition(": ")[0]
    return f"“{told}”" if told and not summary.startswith(told) else ""


def _is_made(event: EventView) -> bool:
    """An item that came of another one's: the line of the run that made it says so."""
    return bool(event.event == "item_added" and event.agent == ENGINE_NAME)


def moment(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()


def span(seconds: float) -> str:
    whole = int(seconds)
    if seconds < 100:
        return f"{max(seconds, 0.0):.1f}s"
    minutes = f"{whole // 60 % 60:02}:{whole % 60:02}" if whole >= 3600 else f"{whole // 60}:{whole % 60:02}"
    return f"{whole // 3600}:{minutes}" if whole >= 3600 else minutes
