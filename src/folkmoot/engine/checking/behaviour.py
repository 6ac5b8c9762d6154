"""The part of the audit that follows experts, groups, rounds, gates, splits, messages and holds through the log."""

from collections.abc import Callable
from typing import Any

from msgspec import to_builtins

from folkmoot.core.decoding import converted
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.events import Event, Row
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import stage
from folkmoot.core.records import ASIDE, ORCHESTRATOR, Hold, Message
from folkmoot.core.report import Report
from folkmoot.core.rules.children.counting import GENERATIONS_MAX, HELPERS
from folkmoot.core.rules.children.help import EXPERTS_MAX
from folkmoot.core.rules.judging.against.contradictions import ANSWERS
from folkmoot.core.rules.judging.carrying import against as spoken_against
from folkmoot.core.rules.judging.verdicts import ONLY_LOOKS
from folkmoot.core.rules.messages.kinds import MAKES_ITEM, may_send
from folkmoot.core.rules.sharing.choice import wanted, writes_now
from folkmoot.core.rules.sharing.findings import against_done
from folkmoot.core.rules.sharing.paths import Standing
from folkmoot.engine.checking.enclosed import check_enclosed

Found = Callable[[str, str, str | None], None]
# The ends of a run that complete nothing which it was handed.
NOT_DONE = ("failed", "incomplete", "asks", "stuck", "disputed", "released")
# What a message may become; what is over stays as it is.
BECOMES = {"pending": ("accepted", "completed", "rejected"), "accepted": ("accepted", "completed", "rejected")}


def _said_against(said: Report) -> str | None:
    """What a report that is taken for done says itself, and cannot be."""
    asked = said.question
    waits = asked is not None and asked.blocking and asked.question.strip()
    return spoken_against(said) or ("it waits for a person" if waits else None)


class Conduct:
    """Fed by the audit: an event with its item before and after it, and the rows it wrote. Knows rows by `tables`."""

    def __init__(self, tables: dict[str, dict[str, Row]], found: Found) -> None:
        self.tables: dict[str, dict[str, Any]] = tables
        self.found = found
        self._flow: Flow | None = None  # in force
        # Is every verdict weighed? A board that is older than the rule has some that were not.
        self.weighs = False
        self.held: Standing[Hold] = Standing()  # the expired ones among them
        self.children: dict[str, list[str]] = {}
        self._experts: dict[str, list[str]] = {}  # item -> whom it asked since the last guidance
        self._made: dict[str, int] = {}  # item -> items that runs made below it since the last guidance
        self._allowed: set[str] = set()  # tasks of splits that a person allowed
        self._carriers: dict[str, str] = {}  # run -> the handoff with a spec that it sent
        self._answered: dict[str, str] = {}  # item -> what a person has just let it go on with, before any run began
        self._fans: dict[str, int] = {}  # child -> the event that delegated to it
        self._fanned: dict[str, int] = {}  # item -> the event in which it sent out sub-agents
        self._green: dict[str, set[str]] = {}  # item -> gates that were green since its last change of work
        self._verdicts: dict[tuple[str, str], int] = {}  # item and column -> the round of its last verdict
        self._reds: dict[tuple[str, str], int] = {}  # item and column -> how often its gates were red
        self._before: dict[str, Callable[[Event, Item, Flow], None]] = {
            "agent_started": self._claimed,
            "agent_completed": self._judged,
            "work_split": self._split,
            "phase_completed": self._gone_forward,
            "item_moved": self._moved,
            "verdict_given": self._counted_verdict,
            "gate_failed": self._red,
        }
        self._after: dict[str, Callable[[Event, Item], None]] = {
            "item_added": self._added,
            "work_delegated": self._delegated,
            "escalation_counters_reset": self._guided,
            "divine_response_received": self._answers,
            "agent_seeks_guidance": self._asks,
            "agent_completed": self._ended_run,
            "parts_merged": self._worked,
            "gate_passed": self._passed,
            "gate_failed": self._worked,
        }

    def before(self, event: Event, item: Item | None, flow: Flow | None) -> None:
        self._flow = flow
        rule = self._before.get(event.name)
        if rule is not None and item is not None and flow is not None:
            rule(event, item, flow)

    def after(self, event: Event, before: Item | None, item: Item | None, flow: Flow | None, by_person: bool) -> None:
        rule = self._after.get(event.name)
        if rule is not None and item is not None:
            rule(event, item)
        if event.name == "item_added" and item is not None and flow is not None and item.origin is not None:
            self._made_below(item, item.origin, flow)
        if before is None or item is None or flow is None or item.returns_to in (None, before.returns_to):
            return
        rounds = item.span.rounds.get(item.returns_to or "", 0)
        if rounds >= flow.limits.feedback_rounds and not by_person:
            self.found("R-13", f"{item.returns_to} asks for changes in round {rounds}, and nobody is asked", item.id)

    # Questions

    def _answers(self, event: Event, item: Item) -> None:
        question = self.tables["questions"].get(event.context.get("question", ""))
        if question is None or question.takes != "option":
            return
        chosen, to = event.context.get("option"), event.context.get("to")
        option = next((one for one in question.options if one.option == chosen), None)
        if option is None and to is None:
            self.found(
                "R-16", f"{question.id} was answered by {question.answer!r}, which is none of its options", item.id
            )
        if option is not None and option.effect == "park":
            self.found("R-16", f"{question.id} was closed by parking the item", item.id)
        if to is None and question.blocking:
            self._answered[item.id] = question.question

    def _asks(self, event: Event, item: Item) -> None:
        """What a limit has made the rules ask is not asked again before anybody has worked. What another item, a part
        or a file brings about may come about again, and a person may put the item aside again."""
        asked: Any = next((change.fields for change in event.changes if change.table == "questions"), {})
        if asked.get("dependency") or asked.get("part") or asked.get("wanted") is not None:
            return
        if asked.get("question") in ASIDE:
            return
        if self._answered.get(item.id) == event.context.get("text"):
            self.found("R-16", f"{event.context.get('question')} asks again what was just answered", item.id)

    # Claims

    def _claimed(self, event: Event, item: Item, flow: Flow) -> None:
        self._answered.clear()
        is_gate = item.status == "proving"
        if item.column in flow.groups and item.kind not in ONE_SHOT_KINDS and not is_gate:
            self.found("R-14", f"{event.agent} took the item itself in {item.column}, not its part", item.id)
        elsewhere = item.kind == "task" and item.column != item.home  # there it is for whoever acts in that column
        if item.agent not in (None, event.agent) and not is_gate and not elsewhere:
            rule = "R-14" if item.kind == "part" else "R-25"
            self.found(rule, f"it is for {item.agent}, but {event.agent} took it", item.id)
        made = item.kind not in HELPERS
        if made and item.generation >= GENERATIONS_MAX and item.clarifications == 0:
            self.found("R-33", f"it is of generation {item.generation}, and began before a person had looked", item.id)
        for hold in self.held.values():
            if hold.run is not None and (hold.until is None or hold.until > event.time) and not self._is_open(hold.run):
                self.found("R-20", f"{hold.path} is locked by run {hold.run}, which has ended", hold.item)
        agent = flow.agents.get(event.agent or "")
        if item.holds and not is_gate and agent is not None and agent.write != "none":
            for hold in self._overlapping(item.holds, item.id, event.time):
                if self._works(hold.item, item.id):
                    self.found("R-20", f"{hold.path} is being worked on for item {hold.item}", item.id)

    # Verdicts

    def _judged(self, event: Event, item: Item, flow: Flow) -> None:
        run: Any = next((change.fields for change in event.changes if change.table == "runs"), {})
        begun = self.tables.get("runs", {}).get(event.run or "")
        self._printed(event, item, flow, run)
        if not self.weighs or run.get("outcome") != "done" or begun is None or begun.gate or item.kind in ONLY_LOOKS:
            return
        said = converted(to_builtins(run.get("report")), Report)
        if item.kind not in ANSWERS and (against := _said_against(said)):
            self.found("R-22", f"{event.agent} says done, and {against}", item.id)
        if item.column in flow.columns and flow.checks(stage(flow, item)):
            shown = against_done(said.findings, said.tests)
            if shown:
                self.found("R-22", f"{event.agent} checks it and says done, and {shown}", item.id)
            left = against_done([one for one in item.findings if one.unheard == stage(flow, item)], None)
            if left and not shown:
                self.found("R-22", f"{event.agent} says done, and before its verdict {left}", item.id)

    def _printed(self, event: Event, item: Item, flow: Flow, run: Any) -> None:
        if run.get("report") is None or run.get("cause") == "protocol":
            return
        said = converted(to_builtins(run["report"]), Report)
        checks = item.column in flow.columns and flow.checks(stage(flow, item)) and item.kind not in ONLY_LOOKS
        known = self.tables.get("messages", {}).values()
        for check, words in check_enclosed(event, item, said, run.get("outcome"), known, checks):
            self.found(check, words, item.id)

    # Experts, sub-agents, splits

    def _added(self, event: Event, item: Item) -> None:
        if item.asker is not None:
            self.children.setdefault(item.asker, []).append(item.id)
        if item.parent is None:
            return
        if item.kind == "expert":
            asked = self._experts.setdefault(item.parent, [])
            if item.agent in asked:
                self.found("R-08", f"{item.agent} is asked again", item.parent)
            asked.append(item.agent or "")
            if len(asked) > EXPERTS_MAX:
                self.found("R-08", f"{len(asked)} experts are asked since the last guidance", item.parent)
        elif item.kind == "sub":
            first = self._fanned.setdefault(item.parent, self._fans.get(item.id, 0))
            if first != self._fans.get(item.id, 0):
                self.found("R-25", f"event {self._fans.get(item.id)} sends out sub-agents again", item.parent)

    def _made_below(self, item: Item, origin: str, flow: Flow) -> None:
        if item.kind in HELPERS or item.id in self._allowed:
            return
        self._made[origin] = self._made.get(origin, 0) + 1
        if self._made[origin] > flow.limits.items:
            words = (
                f"runs made {self._made[origin]} items below it since guidance, and {flow.limits.items} are the most"
            )
            self.found("R-33", words, origin)

    def _delegated(self, event: Event, item: Item) -> None:
        self._fans |= dict.fromkeys(event.context.get("children", ()), event.seq)

    def _guided(self, event: Event, item: Item) -> None:
        self._experts.pop(item.id, None)
        self._made.pop(item.id, None)
        for counted in (self._verdicts, self._reds):
            for key in [key for key in counted if key[0] == item.id]:
                del counted[key]

    def _split(self, event: Event, item: Item, flow: Flow) -> None:
        if event.by_person:
            self._allowed |= set(event.context.get("children", ()))  # a person was asked, and said yes
        elif max(item.span.splits, item.depth) >= flow.limits.splits:
            self.found("R-24", f"it is split after {item.span.splits} splits, {item.depth} deep", item.id)

    # Gates

    def _ended_run(self, event: Event, item: Item) -> None:
        self._carried(event, item)
        self._worked(event, item)

    def _worked(self, event: Event, item: Item) -> None:
        run = self.tables.get("runs", {}).get(event.run or "")
        if event.name != "agent_completed" or run is None or not run.gate:
            self._green.pop(item.id, None)

    def _passed(self, event: Event, item: Item) -> None:
        self._green.setdefault(item.id, set()).add(event.context.get("gate", ""))

    def _gone_forward(self, event: Event, item: Item, flow: Flow) -> None:
        phase = event.context.get("phase", item.column)
        self._check_proved(event, item, flow, phase)
        key = (item.id, phase)
        reds = self._reds.get(key, 0)
        self._check_rounds(event, item, self._verdicts.get(key) or (reds + 1 if reds else 0))

    def _counted_verdict(self, event: Event, item: Item, flow: Flow) -> None:
        key = (item.id, event.context.get("column", ""))
        self._verdicts[key] = self._verdicts.get(key, 0) + 1

    def _red(self, event: Event, item: Item, flow: Flow) -> None:
        if "round" in event.context:  # one before a landing is none of a phase
            key = (item.id, stage(flow, item))
            self._reds[key] = self._reds.get(key, 0) + 1

    def _check_rounds(self, event: Event, item: Item, counted: int) -> None:
        """As the log itself tells them; an older one may tell nothing of them."""
        told = event.context.get("rounds")
        if told is not None and told != counted:
            words = f"{event.context.get('phase')} is over after {counted} rounds, and event {event.seq} tells {told}"
            self.found("P-10", words, item.id)

    def _moved(self, event: Event, item: Item, flow: Flow) -> None:
        """Back to whoever asked for changes: the gate of the stage that made them comes first. Or healed."""
        if event.context.get("healed"):
            self._check_rounds(event, item, self._reds.get((item.id, event.context.get("to", "")), 0))
        returns = item.returns_to is not None and event.context.get("to") == item.returns_to
        if returns and event.changes[0].fields.get("returns_to", "") is None and item.column in flow.columns:
            here = stage(flow, item)
            if here != item.returns_to and flow.columns[here].kind == "flow":
                self._check_proved(event, item, flow, here)

    def _check_proved(self, event: Event, item: Item, flow: Flow, column: str) -> None:
        gates = flow.columns[column].gate if column in flow.columns else []
        missing = [gate for gate in gates if gate not in self._green.get(item.id, ())]
        by_person = event.by_person
        if missing and not by_person:
            self.found("R-21", f"it leaves {column} by event {event.seq}, and {missing[0]} was not green", item.id)

    # Rows

    def message(self, event: Event, before: Row | None, after: Message) -> None:
        """A message that is written anew has any status; one that was there goes on, or stays as it is."""
        if before is None and "from" in event.context:
            self._written(event, after)
        if not isinstance(before, Message) or not _says_status(event, after.id):
            return
        if after.status not in BECOMES.get(before.status, ()):
            self.found("R-26", f"message {after.id} was {before.status} and became {after.status}", event.item)
        elif after.status == "completed":
            self._completed(event, before, after)
        elif after.status == "accepted" and before.status == "pending":
            self._accepted(event, after)

    def _written(self, event: Event, after: Message) -> None:
        """An escalation is from whoever's work needs it; what a handoff names, its item knows when its run is over."""
        if after.run is not None and after.type in MAKES_ITEM and after.context.get("spec"):
            self._carriers[after.run] = after.id
        item = self.tables.get("items", {}).get(after.item or "")
        flow = self._flow
        column = flow.columns.get(item.column) if flow is not None and item is not None else None
        able = [a for a in column.agents if flow and may_send(flow, after.type, a, after.to)] if column else []
        if after.question is not None and after.sender == after.to == ORCHESTRATOR and able:
            self.found("R-26", f"message {after.id} escalates the work of {able[0]}, and names nobody", event.item)

    def _carried(self, event: Event, item: Item) -> None:
        message = self._carriers.pop(event.run or "", None)
        if message is not None and item.kind not in ONE_SHOT_KINDS and item.spec is None:
            self.found("R-26", f"message {message} names a spec, and item {item.id} has none", item.id)

    def _completed(self, event: Event, before: Message, after: Message) -> None:
        """Nothing is completed that nobody has seen, nor by a run that did not do what it was handed."""
        if before.status == "pending" and after.to != ORCHESTRATOR:
            self.found("R-26", f"message {after.id} is completed, and {after.to} never accepted it", event.item)
        run = self.tables.get("runs", {}).get(event.run or "")
        if run is not None and not run.gate and run.outcome in NOT_DONE and before.accepted_by == run.id:
            words = f"message {after.id} is completed by run {run.id}, which ended with {run.outcome}"
            self.found("R-26", words, event.item)
        item = self.tables.get("items", {}).get(after.item or "")
        stays = item is not None and item.status not in ENDED and after.stage in (item.column, *item.origins)
        if stays and "said" not in event.context:
            self.found("R-26", f"message {after.id} is completed, and the item is still in {after.stage}", event.item)

    def _accepted(self, event: Event, after: Message) -> None:
        """Only its receiver accepts; what is for the rules, or for somebody who watches nothing, they relay."""
        run = self.tables.get("runs", {}).get(after.accepted_by or "")
        relayed = after.to == ORCHESTRATOR or (self._flow is not None and not self._flow.watched_by(after.to))
        if run is not None and run.agent != after.to and not relayed:
            self.found("R-26", f"message {after.id} is for {after.to}, and {run.agent} accepted it", event.item)

    def hold(self, event: Event, before: Row | None, after: Hold) -> None:
        if not after.held:
            self.held.drop(after.id)
            return
        renewed = isinstance(before, Hold) and before.held and (before.until or event.time + 1) > event.time
        ends = before.until if isinstance(before, Hold) and renewed and "never_shorter" in event.context else None
        if ends is not None and after.until is not None and after.until < ends:
            self.found("R-20", f"the lock {after.id} was taken again, and ends sooner than before", event.item)
        if not renewed:
            owner = after.id.rsplit(":", 1)[0] if after.item is None else None
            for hold in self._overlapping([after.path], after.item, event.time):
                mine = owner is not None and hold.id.startswith(f"{owner}:")
                if not (mine or self._lands_together(hold, after)) and (
                    after.item is None or self._works(hold.item, after.item) or not self._waits(hold.item, after.item)
                ):
                    self.found("R-20", f"{after.path} is taken while {hold.id} holds {hold.path}", event.item)
        self.held.put(after.id, after.path, after)

    def _lands_together(self, one: Hold, other: Hold) -> bool:
        """Are both of landings that move their branch at once? R-19 says which may."""
        runs = self.tables.get("runs", {})
        first, second = runs.get(one.run or ""), runs.get(other.run or "")
        moves = [run.beside or run.id for run in (first, second) if run is not None and run.agent == LANDING]
        return len(moves) == 2 and moves[0] == moves[1]

    def _overlapping(self, paths: list[str], item: str | None, now: float) -> list[Hold]:
        meeting = self.held.meeting(paths)
        return [h for h in meeting if (h.until is None or h.until > now) and (h.item or "") != (item or "-")]

    def _runs(self, item: str | None) -> bool:
        row = self.tables.get("items", {}).get(item or "")
        return row is not None and row.run is not None

    def _works(self, item: str | None, other: str) -> bool:
        """Is an item worked on so that another must not write? Whoever sent for that one may read meanwhile."""
        rows = self.tables.get("items", {})
        row, sent = rows.get(item or ""), rows.get(other)
        if row is None or row.run is None or sent is None or sent.asker != item or self._flow is None:
            return self._runs(item)
        return writes_now(self._flow, self.tables["runs"].get(row.run))

    def _is_open(self, run: str) -> bool:
        row = self.tables.get("runs", {}).get(run)
        return row is not None and row.ended_at is None

    def _waits(self, item: str | None, goal: str) -> bool:
        """Does an item wait for another, directly or through others? Who is ready, or is to land, waits for the paths
        it wants: by the same word for them as the rule that lets it pass."""
        items = self.tables.get("items", {})
        seen: set[str] = set()
        ahead = [item] if item else []
        while ahead:
            here = ahead.pop()
            if here == goal:
                return True
            if here not in seen and here in items:
                seen.add(here)
                ahead += [*items[here].after, *items[here].waits_for, *self.children.get(here, ())]
                paths = wanted(self._flow, items[here]) if self._flow is not None else []
                holders = [hold.item for hold in self.held.meeting(paths or ())]
                ahead += [holder for holder in holders if holder and (holder == goal or not self._runs(holder))]
        return False


def _says_status(event: Event, message: str) -> bool:
    return any(c.table == "messages" and c.id == message and "status" in c.fields for c in event.changes)
