"""What a rule may look at, and what it writes: a situation goes in, a case collects the events that come out."""

from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.commands import Actor, Command, MakeItem
from folkmoot.core.enums import ENGINE_NAME, EventName
from folkmoot.core.events import Change, Event, Row, evolve
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Meter, Pause, Question, Run

if TYPE_CHECKING:
    from folkmoot.errors import MootError

AnyRow = TypeVar("AnyRow", Comment, Question, Message, Hold, Pause, Meter)

# Whom a case can tell something, beside an item by its id: its parent, or the children the rules made for it.
MADE = "made"
MADE_BELOW = "made:"  # the meter of what runs made below an item, before its id


def origin_of(item: Item) -> str:
    """The item that what this one makes is counted for: itself, if a person added it or has spoken on it."""
    return item.id if item.origin is None or item.clarifications else item.origin


class Neighbour(Struct, frozen=True, gc=False):
    """As much of another item as a rule about this one may need."""

    id: str
    status: str
    needs: list[str] = field(default_factory=list)  # what it waits for: its `after` and its children
    rank: int = 0
    generation: int = 0


def path(neighbours: dict[str, Neighbour], start: list[str], goal: str) -> list[str] | None:
    """A way from one of the items to the goal along what they need, or None; iterative, since chains may be long."""
    before: dict[str, str | None] = dict.fromkeys(start)
    queue = list(start)
    while queue:
        here = queue.pop()
        if here == goal:
            way: list[str] = []
            step: str | None = here
            while step is not None:
                way.append(step)
                step = before[step]
            return way[::-1]
        neighbour = neighbours.get(here)
        for need in neighbour.needs if neighbour else []:
            if need not in before:
                before[need] = here
                queue.append(need)
    return None


class Draw(Struct, frozen=True, gc=False, kw_only=True):
    """Ids and chance, drawn before the rules run: the rules draw nothing themselves."""

    run: str
    item: int
    comment: int
    question: int
    lesson: int = 1
    message: str = ""  # 32 random hex digits, if the flow has messages
    jitter: float = 0.5  # between 0 and 1


class Situation(Struct, frozen=True, gc=False, kw_only=True):
    flow: Flow
    flow_version: int
    now: float  # store clock, seconds
    at: int  # wall clock, milliseconds
    actor: Actor
    draw: Draw
    item: Item | None = None
    run: Run | None = None  # the item's open run
    attempts: list[Attempt] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)  # the item's open ones, and the one spoken of
    neighbours: dict[str, Neighbour] = field(default_factory=dict)
    children: list[str] = field(default_factory=list)
    tasks: list[Item] = field(default_factory=list)  # the item's children, if it was split
    siblings: list[Item] = field(default_factory=list)  # other open tasks of its whole, if a report names one
    maker: Item | None = None  # the item whose run is adding this one, or speaks of this one instead of its own
    origin: Item | None = None  # for which it is counted what the item, or the maker, makes; None: for itself
    messages: list[Message] = field(default_factory=list)  # the item's open ones, and the one spoken of
    holds: list[Hold] = field(default_factory=list)  # those in force, if any can matter
    pauses: list[Pause] = field(default_factory=list)
    asked: frozenset[str] = frozenset()  # questions about pools that nobody has answered yet
    in_pool: int = 0  # other items that need the pool of the item's run, if that says that it cannot work
    meters: list[Meter] = field(default_factory=list)  # those that the command may move
    parent: Item | None = None  # whose branch the item's work lands on, if it does so now
    waiters: frozenset[str] = frozenset()  # items that wait for this one, directly or through others


class Case:
    """A situation as the rules work on it: each event is folded at once, so that the next rule sees it."""

    settled = 0  # the item's version when it was last seen to that somebody will act on it
    voice: Run | None = None  # the run that is speaking, once it has shown its token
    weighed: dict[str, str] | None = None  # of a report: which of its statements act
    refusal: "MootError | None" = None  # told to the actor once what the events keep is stored
    staged: tuple[object, str] = "", ""  # the item as it was when its stage was last asked for
    new_id: str | None = None  # the id a new item was promised, if it was
    next_message = 0

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.flow = situation.flow
        self.now = situation.now  # what the rules count from
        self.actor = situation.actor
        self.run = situation.run
        self.attempts = list(situation.attempts)
        self.comments = _by_id(situation.comments)
        self.questions = _by_id(situation.questions)
        self.messages = _by_id(situation.messages)
        self.holds = _by_id(situation.holds)
        self.lessons: dict[str, Lesson] = {}
        self.pauses = _by_id(situation.pauses)
        self.meters = _by_id(situation.meters)
        self.events: list[Event] = []
        self.written: dict[tuple[str, str], bool] = {}  # rows beside the item that events changed; is the row new?
        self.makes: list[MakeItem] = []  # children to be made, in this order, before anything else follows
        self.told: list[tuple[str, Command]] = []  # what others must do because of this
        # An item that is being added exists from its first event on; no rule looks at it before.
        self.item = cast("Item", situation.item)
        # Is an item spoken of? A person's lock, or a message about none, is the board's.
        self.has_item = situation.item is not None
        draw = situation.draw
        self.next_item = draw.item
        self.next_comment = draw.comment
        self.next_question = draw.question
        self.next_lesson = draw.lesson

    def emit(
        self, name: EventName, context: dict[str, Any] | None = None, *, item: dict[str, Any] | None = None, **rows: Any
    ) -> None:
        """Record an event of this item: `item` holds its changed fields; `rows` are other tables with one (id, fields)
        or a list of them. Where no item is spoken of, the event is the board's."""
        at, before, voice, actor = self.situation.at, self.item, self.voice, self.actor
        changes: list[Change] = []
        item_id, version = None, 0
        if before or item is not None:
            item_id, version = (before.id, before.version + 1) if before else (self.new_id or self.new_item_id(), 1)
            fields = item if item is not None else {}
            fields["version"] = version
            fields["updated_at"] = at
            if _stands_anew(before, fields):
                fields["since"] = at
            change = Change("items", item_id, fields)
            changes.append(change)
            row: Any = evolve(before, change)
            self.item = row
            self.has_item = True
        for table, written in rows.items():
            for row_id, row_fields in written if isinstance(written, list) else [written]:
                change = Change(table, row_id, row_fields)
                changes.append(change)
                self._fold(change)
        self.events.append(
            Event(
                name=name,
                item=item_id,
                run=voice.id if voice else actor.run,
                agent=voice.agent if voice else actor.name,
                context=context or {},
                changes=changes,
                version=version,
                at=at,
                time=self.situation.now,
                # Only where the name alone would tell it wrong.
                by="person" if actor.name == ENGINE_NAME and actor.kind == "person" else None,
            )
        )

    def count_from(self, due: float) -> None:
        """What is applied late counts from when it was due; only its events are of now (R-29)."""
        self.now = min(self.now, due)

    @property
    def at(self) -> int:
        """What the wall clock showed when that was, as near as can be told."""
        return self.situation.at - round((self.situation.now - self.now) * 1000)

    def set(self, name: EventName, context: dict[str, Any] | None = None, **fields: Any) -> None:
        """Record an event that changes only the item."""
        self.emit(name, context, item=fields)

    def note_weighed(self, weighed: dict[str, str]) -> None:
        """What became of the statements of the report that has just ended the run: known once all is decided, and
        part of the event that ended it."""
        self.weighed = weighed
        for event in self.events:
            for change in event.changes:
                if change.table == "runs" and "report" in change.fields and self.run is not None:
                    change.fields["weighed"] = weighed
                    self.run = replace(self.run, weighed=weighed)
                    return

    def tell(self, to: str, command: Command) -> None:
        """Another item must do something because of this; it is carried out in the same transaction."""
        self.told.append((to, command))

    def make(self, command: MakeItem) -> None:
        """A child comes onto the board right after this case."""
        if self.has_item:
            whole = self.item.top if command.kind != "item" else None  # what was set aside has a life of its own
            command = replace(command, origin=origin_of(self.item), whole=whole)
        self.makes.append(command)

    def draw_from(self, comment: int, question: int) -> None:
        """Go on with other numbers: another case has used up some since."""
        self.next_comment, self.next_question = comment, question

    def new_item_id(self) -> str:
        self.next_item += 1
        return str(self.next_item - 1)

    def new_lesson_id(self) -> str:
        self.next_lesson += 1
        return f"l{self.next_lesson - 1}"

    def new_message_id(self) -> str:
        """In the form of a random uuid: what was drawn, counted on for each further message of the same command."""
        number = (int(self.situation.draw.message or "0", 16) + self.next_message) % 16**32
        self.next_message += 1
        digits = f"{number:032x}"
        parts = (digits[:8], digits[8:12], f"4{digits[13:16]}", f"{'89ab'[int(digits[16], 16) % 4]}{digits[17:20]}")
        return "-".join((*parts, digits[20:]))

    def new_comment_id(self) -> str:
        self.next_comment += 1
        return f"c{self.next_comment - 1:03d}"

    def new_question_id(self) -> str:
        self.next_question += 1
        return f"q{self.next_question - 1}"

    def _fold(self, change: Change) -> None:
        known: Row | None
        if change.table == "runs":
            known = self.situation.run
            run = evolve(self.run, change)
            assert isinstance(run, Run)
            self.run = run
        elif change.table == "attempts":
            known = next((a for a in self.attempts if a.id == change.id), None)
            attempt = evolve(known, change)
            assert isinstance(attempt, Attempt)
            self.attempts = [a for a in self.attempts if a.id != change.id] + [attempt]
        else:
            rows: dict[str, Row] = getattr(self, change.table)
            known = rows.get(change.id)
            rows[change.id] = evolve(known, change)
        self.written.setdefault((change.table, change.id), known is None)


def _stands_anew(before: Item | None, fields: dict[str, Any]) -> bool:
    """Is it new, or in another column, or another status?"""
    if before is None:
        return True
    status, column = fields.get("status", before.status), fields.get("column", before.column)
    return bool(status != before.status or column != before.column)


def _by_id(rows: list[AnyRow]) -> dict[str, AnyRow]:
    return {row.id: row for row in rows} if rows else {}
