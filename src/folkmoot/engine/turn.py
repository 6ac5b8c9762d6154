"""One turn: what happens inside one writing transaction: load a situation, let the rules decide, save what follows."""

from collections import deque
from typing import Any

from folkmoot.core import commands
from folkmoot.core.commands import Command, Speaker
from folkmoot.core.events import Change, Event, FlowVersion, Row
from folkmoot.core.flow import Flow
from folkmoot.core.item import ASKING, Item
from folkmoot.core.order import place
from folkmoot.core.records import Run
from folkmoot.core.rules.decide import decide
from folkmoot.core.rules.dependencies import consequences
from folkmoot.core.situation import Case, Draw, Neighbour, Situation
from folkmoot.engine.moment import Moment, moment
from folkmoot.engine.ports import Clock, Ids
from folkmoot.errors import Invalid
from folkmoot.store.base import Reading, Transaction

ENGINE = Speaker("folkmoot")
DUE_MAX = 16  # how much of what time has made due one command applies; the next command applies the rest
CONSEQUENCES_MAX = 5000
UPSTREAM_MAX = 20_000

MAY_PAUSE = (commands.ReleaseRun, commands.LapseRun)
ALWAYS_LIGHT = (commands.ClaimItem, commands.RenewRun, commands.RankItem)
ABOUT_QUESTION = (commands.AnswerQuestion, commands.PassDeadline)
REPLANS = (commands.EditItem, commands.ReopenItem)
PLANS = (commands.AddItem, *REPLANS)


class Turn:
    def __init__(self, tx: Transaction, clock: Clock, ids: Ids, flows: dict[int, Flow]) -> None:
        self.tx = tx
        self.ids = ids
        self.run: Run | None = None  # of the item spoken of; read once
        head = tx.head()
        self.flow_version = head.flow_version
        self.flow = flow_in_force(tx, head.flow_version, flows)
        self.moment: Moment = moment(clock, head)
        if self.moment.restarted is not None:
            self._restart_clock(self.moment.restarted)

    def _restart_clock(self, row: Any) -> None:
        fields = {"boot": row.boot, "offset": row.offset}
        event = self._board_event("clock_restarted", {"boot": row.boot}, Change("clock", "clock", fields))
        self.tx.save([event], [("clock", row, self.tx.head().boot == "")], {})

    def adopt(self, adopted: FlowVersion) -> None:
        """Make a flow the one in force; whoever may claim an item now follows from it."""
        fields = {"flow": adopted.flow, "source": adopted.source, "at": adopted.at}
        change = Change("flows", adopted.id, fields)
        event = self._board_event("flow_adopted", {"version": int(adopted.id), "flow": adopted.flow.name}, change)
        places = {item.id: place(adopted.flow, item) for item in self.tx.items(status="ready", limit=1_000_000)}
        self.tx.save([event], [("flows", adopted, True)], places)
        self.flow, self.flow_version = adopted.flow, int(adopted.id)
        statuses = ("ready", "waiting", *sorted(ASKING))
        at_rest = [item for status in statuses for item in self.tx.items(status=status, limit=1_000_000)]
        for item in at_rest:
            self.apply(commands.SettleItem(), item, ENGINE)

    def _board_event(self, name: str, context: dict[str, Any], change: Change) -> Event:
        return Event(
            name=name,
            agent=ENGINE.name,
            context=context,
            changes=[change],
            at=self.moment.at,
            time=self.moment.now,
        )

    def sweep(self) -> None:
        """Apply what time has made due: expired leases, passed deadlines. Bounded, and no row can hold up another."""
        for item_id, question in self.tx.due(self.moment.now, DUE_MAX):
            item = self.item(item_id)
            command = commands.PassDeadline(question=question) if question else commands.LapseRun()
            self.apply(command, item, ENGINE)

    def item(self, item_id: str) -> Item:
        return known_item(self.tx, item_id)

    def apply(self, command: Command, item: Item | None, speaker: Speaker) -> Item:
        """Let the rules decide, save it, and carry out what follows for neighbours."""
        result, queue = self._step(command, item, speaker), deque(self._following)
        steps = 0
        while queue:
            neighbour_id, following = queue.popleft()
            steps += 1
            if steps > CONSEQUENCES_MAX and isinstance(following, commands.RankItem):
                continue  # an order is a hint; its upkeep must not stop the work
            neighbour = self.tx.item(neighbour_id)
            if neighbour is not None and _concerns(following, neighbour):
                self._step(following, neighbour, ENGINE)
                queue.extend(self._following)
        return self.item(result.id) if steps else result

    def _step(self, command: Command, item: Item | None, speaker: Speaker) -> Item:
        case = decide(self.situation(command, item, speaker), command)
        self._following: list[tuple[str, Command]] = []
        self.run = case.run
        if case.events:
            self.tx.save(case.events, _touched(case), {case.item.id: place(self.flow, case.item)})
            for consequence in consequences(item, case.item):
                self._following += [(to, consequence.command) for to in self._recipients(consequence.to, case.item.id)]
        return case.item

    def _recipients(self, to: str, item: str) -> list[str]:
        if to == "dependents":
            return self.tx.dependents(item)
        return self.tx.children(item) if to == "children" else [to]

    def situation(self, command: Command, item: Item | None, speaker: Speaker) -> Situation:
        head = self.tx.head()
        draw = Draw(
            run=self.ids.run() if isinstance(command, commands.ClaimItem) else "",
            item=head.items + 1,
            comment=head.comments + 1,
            question=head.questions + 1,
            jitter=self.ids.jitter() if _may_pause(command) else 0.5,
        )
        return situation(
            self.tx,
            command,
            item,
            speaker,
            flow=self.flow,
            flow_version=self.flow_version,
            moment=self.moment,
            draw=draw,
            known_run=self.run,
        )


def _may_pause(command: Command) -> bool:
    if isinstance(command, commands.ReportRun):
        return command.report.outcome == "failed"
    return isinstance(command, MAY_PAUSE)


def _concerns(command: Command, item: Item) -> bool:
    """A child that has ended need not be cancelled."""
    return not (isinstance(command, commands.CancelItem) and item.status in ("done", "failed", "cancelled"))


def _touched(case: Case) -> list[tuple[str, Row, bool]]:
    """Every row the events changed, as it is after them, and whether it is new."""
    situation = case.situation
    rows: list[tuple[str, Row, bool]] = [("items", case.item, situation.item is None)]
    # In the order of the events: rows of one table are listed in the order they were written.
    others = dict.fromkeys((change.table, change.id) for event in case.events for change in event.changes[1:])
    for table, row_id in others:
        if table == "runs":
            assert case.run is not None
            rows.append((table, case.run, situation.run is None))
        elif table == "attempts":
            known = any(attempt.id == row_id for attempt in situation.attempts)
            rows.append((table, next(a for a in case.attempts if a.id == row_id), not known))
        elif table == "comments":
            known = any(comment.id == row_id for comment in situation.comments)
            rows.append((table, case.comments[row_id], not known))
        else:
            known = any(question.id == row_id for question in situation.questions)
            rows.append((table, case.questions[row_id], not known))
    return rows


def situation(
    reading: Reading,
    command: Command,
    item: Item | None,
    speaker: Speaker,
    *,
    flow: Flow,
    flow_version: int,
    moment: Moment,
    draw: Draw,
    known_run: Run | None = None,
) -> Situation:
    """Load what the rules may look at for this command, and no more."""
    light = isinstance(command, ALWAYS_LIGHT)
    maker = None
    if isinstance(command, commands.AddItem) and not speaker.is_person:
        speaker, maker = _maker(reading, speaker)
    asked = {command.question} if isinstance(command, ABOUT_QUESTION) else set()
    children = reading.children(item.id) if item and isinstance(command, REPLANS) else []
    questions = reading.questions(item.id) if item and (item.open_questions or asked) else []
    return Situation(
        flow=flow,
        flow_version=flow_version,
        now=moment.now,
        at=moment.at,
        speaker=speaker,
        draw=draw,
        item=item,
        run=_run(reading, item, known_run),
        attempts=reading.attempts(item.id) if item and item.attempt_count and not light else [],
        comments=reading.comments(item.id) if item and item.comment_count and not light else [],
        questions=[q for q in questions if q.state == "open" or q.id in asked],
        neighbours=_neighbours(reading, command, item, children) if isinstance(command, PLANS) else {},
        children=children,
        maker=maker,
    )


def _run(reading: Reading, item: Item | None, known: Run | None) -> Run | None:
    if item is None or item.run is None:
        return None
    return known if known is not None and known.id == item.run else reading.run(item.run)


def _neighbours(reading: Reading, command: Command, item: Item | None, children: list[str]) -> dict[str, Neighbour]:
    wanted = list(children)
    if isinstance(command, (commands.AddItem, commands.EditItem)) and isinstance(command.after, list):
        wanted += command.after
    if isinstance(command, commands.AddItem) and command.parent:
        wanted.append(command.parent)
    if isinstance(command, commands.ReopenItem) and item:
        wanted += [*item.after, *([item.parent] if item.parent else [])]
    return reading.upstream(wanted, UPSTREAM_MAX) if wanted else {}


def _maker(reading: Reading, speaker: Speaker) -> tuple[Speaker, Neighbour | None]:
    """The item whose live run is adding another, and the run under its agent's name; None if the run is not current."""
    run = reading.run(speaker.run or "")
    if run is None or run.ended_at is not None or run.token != speaker.token:
        return speaker, None
    item = known_item(reading, run.item)
    return Speaker(run.agent, run.id, run.token), Neighbour(item.id, item.status, [], item.rank, item.generation)


def known_item(reading: Reading, item_id: str) -> Item:
    item = reading.item(item_id)
    if item is None:
        raise Invalid("unknown_item", f"there is no item {item_id}", "see: moot list")
    return item


def flow_in_force(reading: Reading, version: int, flows: dict[int, Flow]) -> Flow:
    """Flows never change once taken in, so a decoded one is kept."""
    if version not in flows:
        adopted: FlowVersion = reading.flow(version)
        flows[version] = adopted.flow
    return flows[version]
