"""What a rule may look at, and what it writes: a situation goes in, a case collects the events that come out."""

from typing import Any, cast

from msgspec import Struct, field

from folkmoot.core.commands import Speaker
from folkmoot.core.events import EVENTS, Change, Event, Row, evolve
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Question, Run


class Neighbour(Struct, frozen=True, gc=False):
    """As much of another item as a rule about this one may need."""

    id: str
    status: str
    needs: list[str] = field(default_factory=list)  # what it waits for: its `after` and its children
    rank: int = 0
    generation: int = 0


class Draw(Struct, frozen=True, gc=False, kw_only=True):
    """Ids and chance, drawn before the rules run: the rules draw nothing themselves."""

    run: str
    item: int
    comment: int
    question: int
    jitter: float = 0.5  # between 0 and 1


class Situation(Struct, frozen=True, gc=False, kw_only=True):
    flow: Flow
    flow_version: int
    now: float  # store clock, seconds
    at: int  # wall clock, milliseconds
    speaker: Speaker
    draw: Draw
    item: Item | None = None
    run: Run | None = None  # the item's open run
    attempts: list[Attempt] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)  # the item's open ones, and the one spoken of
    neighbours: dict[str, Neighbour] = field(default_factory=dict)
    children: list[str] = field(default_factory=list)
    maker: Neighbour | None = None  # the item whose run is adding this one


class Case:
    """A situation as the rules work on it: each event is folded at once, so that the next rule sees it."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.flow = situation.flow
        self.now = situation.now
        self.speaker = situation.speaker
        self.run = situation.run
        self.attempts = list(situation.attempts)
        self.comments = {comment.id: comment for comment in situation.comments}
        self.questions = {question.id: question for question in situation.questions}
        self.events: list[Event] = []
        self.settled = 0  # the item's version when it was last seen to that somebody will act on it
        self.voice: Run | None = None  # the run that is speaking, once it has shown its token
        # An item that is being added exists from its first event on; no rule looks at it before.
        self.item = cast("Item", situation.item)
        self.next_comment = situation.draw.comment
        self.next_question = situation.draw.question

    def emit(
        self, name: str, context: dict[str, Any] | None = None, *, item: dict[str, Any] | None = None, **rows: Any
    ) -> None:
        """Record an event of this item: `item` holds its changed fields, `rows` are (table, id, fields) of others."""
        assert name in EVENTS, name
        version = self.item.version + 1 if self.item else 1
        fields = item if item is not None else {}
        fields["version"] = version
        fields["updated_at"] = self.situation.at
        item_id = self.item.id if self.item else str(self.situation.draw.item)
        changes = [Change("items", item_id, fields)]
        self.item = cast("Item", evolve(self.item, changes[0]))
        for table, (row_id, row_fields) in rows.items():
            change = Change(table, row_id, row_fields)
            changes.append(change)
            self._fold(change)
        self.events.append(
            Event(
                name=name,
                item=item_id,
                run=self.voice.id if self.voice else self.speaker.run,
                agent=self.voice.agent if self.voice else self.speaker.name,
                context=context or {},
                changes=changes,
                version=version,
                at=self.situation.at,
                time=self.now,
            )
        )

    def set(self, name: str, context: dict[str, Any] | None = None, **fields: Any) -> None:
        """Record an event that changes only the item."""
        self.emit(name, context, item=fields)

    def draw_from(self, comment: int, question: int) -> None:
        """Go on with other numbers: another case has used up some since."""
        self.next_comment, self.next_question = comment, question

    def new_comment_id(self) -> str:
        self.next_comment += 1
        return f"c{self.next_comment - 1:03d}"

    def new_question_id(self) -> str:
        self.next_question += 1
        return f"q{self.next_question - 1}"

    def _fold(self, change: Change) -> None:
        if change.table == "runs":
            run = evolve(self.run, change)
            assert isinstance(run, Run)
            self.run = run
        elif change.table == "attempts":
            known = next((a for a in self.attempts if a.id == change.id), None)
            attempt = evolve(known, change)
            assert isinstance(attempt, Attempt)
            self.attempts = [a for a in self.attempts if a.id != change.id] + [attempt]
        elif change.table == "comments":
            self._keep(self.comments, change)
        else:
            self._keep(self.questions, change)

    @staticmethod
    def _keep(rows: dict[str, Any], change: Change) -> None:
        row: Row = evolve(rows.get(change.id), change)
        rows[change.id] = row
