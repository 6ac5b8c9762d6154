"""One turn: what happens inside one writing transaction: load a situation, let the rules decide, save what follows."""

from collections import deque
from typing import TYPE_CHECKING, Any

from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor, Command
from folkmoot.core.enums import ASKING, ENDED, EventName
from folkmoot.core.events import Change, Event, FlowVersion, Row
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from folkmoot.core.rules.admission import bridge, check_place, way_out
from folkmoot.core.rules.decide import decide
from folkmoot.core.rules.dependencies import consequences
from folkmoot.core.rules.running.budgets import used_today
from folkmoot.core.rules.running.spending import DAY, DAY_MS
from folkmoot.core.situation import MADE, Case, Draw, Situation
from folkmoot.engine.clock_and_ids import Clock, Ids
from folkmoot.engine.loading import known_item, situation
from folkmoot.engine.moment import Moment, moment
from folkmoot.store.port import Transaction

if TYPE_CHECKING:
    from folkmoot.core.records import Meter, Run
    from folkmoot.errors import MootError

DUE_MAX = 256  # how much of what time has made due one command applies; the next command applies the rest
CONSEQUENCES_MAX = 5000
ITEMS_MAX = 1_000_000
COUNTED = ("day", "usd", "tokens", "seconds")  # of a day's meter

NO_ITEM = Item(id="0", title="", column="")  # what a command is about that is about the board
MAY_PAUSE = (commands.ReleaseRun, commands.LapseRun)


class UnitOfWork:
    run: "Run | None" = None  # of the item spoken of; read once
    refusal: "MootError | None" = None  # of a command of which something is kept all the same
    weighed: dict[str, str] | None = None  # of a report: which of its statements act

    def __init__(self, tx: Transaction, clock: Clock, ids: Ids, first: Flow | None = None) -> None:
        """`first` is the flow of a board that has none yet."""
        self.tx = tx
        self.ids = ids
        head = tx.head()
        self.swept = head.seq  # the last event that is no part of the command at hand: a refusal lets it stand
        self.next_item = head.items + 1  # ids are promised before the items are written
        self.flow_version = head.flow_version
        self.flow = first if first is not None and not head.flow_version else tx.flow(head.flow_version).flow
        self.moment: Moment = moment(clock, head)
        if self.moment.restarted is not None:
            self._restart_clock(self.moment.restarted)

    def _restart_clock(self, row: Any) -> None:
        fields = {"boot": row.boot, "offset": row.offset}
        event = self._board_event("clock_restarted", {"boot": row.boot}, Change("clock", "clock", fields))
        self.tx.save([event], [("clock", row, self.tx.head().boot == "")], {})
        self.swept = self.tx.head().seq

    def adopt(self, adopted: FlowVersion, moves: dict[str, str], actor: Actor) -> None:
        """Make a flow the one in force; whoever may claim an item now follows from it."""
        fields = {"flow": adopted.flow, "source": adopted.source, "at": adopted.at}
        change = Change("flows", adopted.id, fields)
        told = {"version": int(adopted.id), "flow": adopted.flow.name}
        rows: list[tuple[str, Row, bool]] = [("flows", adopted, True)]
        changes = [change]
        if self.flow_version and adopted.flow.budget.has_day and not self.flow.budget.has_day:
            meter = self._used_today()
            rows.append(("meters", meter, self.tx.meter(DAY) is None))
            changes.append(Change("meters", DAY, {name: getattr(meter, name) for name in COUNTED}))
        event = self._board_event("flow_adopted", told, *changes)
        claimable = [item for status in ("ready", "proving") for item in self.tx.items(status=status, limit=ITEMS_MAX)]
        places = {item.id: queue_position(adopted.flow, item) for item in claimable}
        self.tx.save([event], rows, places)
        self.flow, before, self.flow_version = bridge(self.flow, adopted.flow), self.flow_version, int(adopted.id)
        if moves:
            self._move_out(adopted.flow, moves, actor)
        self.flow = adopted.flow
        if before:
            self._check_places()
            self.apply(commands.WeighDay(), None, ENGINE)
        statuses = ("ready", "proving", "waiting", *sorted(ASKING))
        at_rest = [item for status in statuses for item in self.tx.items(status=status, limit=ITEMS_MAX)]
        for item in at_rest:
            self.apply(commands.SettleItem(), item, ENGINE)

    def _move_out(self, flow: Flow, moves: dict[str, str], actor: Actor) -> None:
        """By a person's own hand: runs there end, and what was made for the items is cancelled (R-16, R-30)."""
        for found in self.tx.items(limit=ITEMS_MAX):
            item = self.item(found.id)  # a move before this one may have changed it
            target = way_out(flow, item, moves) if item.status not in ENDED else None
            if target is None:
                continue
            self.run = None
            why = f"the flow has no column {item.column} any more"
            why = why if item.column not in flow.columns else f"{actor.name} moved it with the flow"
            self.apply(commands.MoveItem(column=target, why=why), item, actor)
            if item.kind == "task" and item.home in moves and item.home not in flow.columns:
                self._give_home(item.id, moves[item.home])

    def _give_home(self, item_id: str, column: str) -> None:
        """A task ends where its own column is; that one is another now."""
        item = self.item(item_id)
        case = Case(self.situation(commands.SettleItem(), item, ENGINE))
        case.set("item_edited", {"fields": ["home"]}, home=column)
        self.tx.save(case.events, _touched(case), {item.id: queue_position(self.flow, case.item)})

    def _used_today(self) -> "Meter":
        """Runs count for a day only where the flow has a budget of days: its first one finds the day under way."""
        ended = self.tx.runs_ended(self.moment.at // DAY_MS * DAY_MS)
        return used_today([*ended, *self.tx.open_runs()], self.moment.at)

    def _check_places(self) -> None:
        for item in self.tx.items(limit=ITEMS_MAX):
            if item.status not in ENDED:
                check_place(self.flow, item, self.tx.open_run(item.id) if item.run else None)

    def _board_event(self, name: EventName, context: dict[str, Any], *changes: Change) -> Event:
        return Event(
            name=name,
            agent=ENGINE.name,
            context=context,
            changes=list(changes),
            at=self.moment.at,
            time=self.moment.now,
        )

    def sweep(self) -> int:
        """Apply what time has made due: expired leases, passed deadlines. Bounded, and no row can hold up another."""
        due = self.tx.due(self.moment.now, DUE_MAX)
        for item_id, question in due:
            item = self.item(item_id)
            command = commands.PassDeadline(question=question) if question else commands.LapseRun()
            self.apply(command, item, ENGINE)
        if due:
            self._is_swept()
        return len(due)

    def sweep_item(self, item_id: str) -> None:
        """The same for the lease of one item, however many others are due before it."""
        run = self.tx.open_run(item_id)
        if run is not None and run.lease_until <= self.moment.now:
            self.apply(commands.LapseRun(), self.item(item_id), ENGINE)
            self._is_swept()

    def _is_swept(self) -> None:
        self.run = None
        self.swept = self.tx.head().seq

    def item(self, item_id: str) -> Item:
        return known_item(self.tx, item_id)

    def apply(self, command: Command, item: Item | None, actor: Actor) -> Item:
        """Let the rules decide, save it, and carry out what follows for neighbours."""
        self._following: list[tuple[str, Command]] = []
        case = self._step(command, item, actor)
        if self._following:
            self._follow()
        elif case.has_item:
            return case.item
        # A message without an item may have made one; of what else happened the board itself is the witness.
        made = case.makes[0].id if case.makes and not case.has_item else None
        return self.item(made or case.item.id) if made or case.has_item else NO_ITEM

    def _follow(self) -> None:
        queue = deque(self._following)
        steps = 0
        while queue:
            neighbour_id, following = queue.popleft()
            steps += 1
            if steps > CONSEQUENCES_MAX and isinstance(following, commands.RankItem):
                continue  # an order is a hint; its upkeep must not stop the work
            neighbour = self.tx.item(neighbour_id)
            if neighbour is not None and _concerns(following, neighbour):
                self._following = []
                self._step(following, neighbour, ENGINE)
                queue.extend(self._following)

    def _step(self, command: Command, item: Item | None, actor: Actor) -> Case:
        """One case and the children it makes, which come before anything else that follows."""
        case = decide(self.situation(command, item, actor), command)
        self.run = case.run
        self.refusal = self.refusal or case.refusal
        self.weighed = self.weighed or case.weighed
        self.next_item = max(self.next_item, case.next_item)
        if not case.events:
            return case
        places = {case.item.id: queue_position(self.flow, case.item)} if case.has_item else {}
        self.tx.save(case.events, _touched(case), places)
        for made in case.makes:
            self._step(made, None, ENGINE)
        if case.has_item:
            for consequence in consequences(item, case.item):
                case.tell(consequence.to, consequence.command)
        about = case.item.id if case.has_item else ""
        for to, order in case.told:
            self._following += [(recipient, order) for recipient in self._recipients(to, about)]
        return case

    def _recipients(self, to: str, item: str) -> list[str]:
        if to == "dependents":
            return self.tx.dependents(item)
        if to == MADE:
            return [child.id for child in self.tx.child_items(item) if child.kind != "item"]
        return self.tx.children(item) if to == "children" else [to]

    def situation(self, command: Command, item: Item | None, actor: Actor) -> Situation:
        head = self.tx.head()
        draw = Draw(
            run=self.ids.run() if isinstance(command, commands.ClaimItem) else "",
            item=self.next_item,
            comment=head.comments + 1,
            question=head.questions + 1,
            lesson=head.lessons + 1,
            message=self.ids.message() if self.flow.messages or isinstance(command, commands.SendMessage) else "",
            jitter=self.ids.jitter() if _may_pause(command) else 0.5,
        )
        return situation(
            self.tx,
            command,
            item,
            actor,
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
    rows: list[tuple[str, Row, bool]] = []
    if case.has_item:
        rows.append(("items", case.item, case.situation.item is None))
    # In the order of the events: rows of one table are listed in the order they were written.
    for (table, row_id), is_new in case.written.items():
        row: Row | None
        if table == "runs":
            row = case.run
        elif table == "attempts":
            row = next(attempt for attempt in case.attempts if attempt.id == row_id)
        else:
            row = getattr(case, table)[row_id]
        assert row is not None
        rows.append((table, row, is_new))
    return rows
