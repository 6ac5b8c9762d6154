"""The verbs that write. Rows and the events that explain them go in together; the head goes in last."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from folkmoot.core.enums import OWN_KINDS
from folkmoot.core.events import Clock, Event, FlowVersion, Row
from folkmoot.core.item import Item
from folkmoot.core.order import QueuePosition
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Meter, Pause, Question, Run
from folkmoot.store.codec import decoded, encode_body, encode_row, link, number_of
from folkmoot.store.lines import Link
from folkmoot.store.port import BoardHead, KeptAnswer
from folkmoot.store.sql.faults import missing
from folkmoot.store.sql.reading import Execute, SqlReading

Result = TypeVar("Result")


class SqlTransaction(SqlReading):
    """What `transact` hands to its work. It knows what the work before it in the same commit has left behind."""

    __slots__ = (
        "_filed",
        "_half_saved",
        "_has_own_holds",
        "_quiet",
        "flows_changed",
        "touched",
        "written",
    )

    def __init__(self, execute: Execute, flows: dict[int, FlowVersion], before: "SqlTransaction | None" = None) -> None:
        super().__init__(execute, flows)
        self._quiet: float | None = None  # until then nothing is due
        if before is not None:
            self._head, self._quiet = before._head, before._quiet
            self._holds, self._holds_at = before._holds, before._holds_at
        self._has_own_holds = False  # else what was written goes into a copy: this work may fail, and others not
        self.touched = False  # something was written, though perhaps not the head
        self.written = False  # the head has changed
        self._filed = 0  # items of the save at hand that got files, less those that lost them
        self._half_saved = False
        self.flows_changed = False

    def save(
        self, events: Sequence[Event], rows: Sequence[tuple[str, Row, bool]], places: dict[str, QueuePosition]
    ) -> None:
        """Number the events, write them and the rows, and give each item in `places` its place in its queue."""
        self._half_saved = self.touched = True
        head = self._save_events(self.head(), events)
        placed = 0
        row: Any  # each table has rows of its own kind
        for table, row, is_new in rows:
            if table == "items":
                self._save_item(row, is_new, places[row.id])
                placed += 1
                if is_new:
                    head = replace(head, items=head.items + 1)
            elif table == "runs":
                self._save_run(row, is_new)
            else:
                head = self._save_other(head, table, row, is_new)
        if self._filed:
            head = replace(head, filed=head.filed + self._filed)
            self._filed = 0
        if placed != len(places):
            known = {row.id for table, row, _ in rows if table == "items"}
            for item_id, place in places.items():
                if item_id not in known:
                    self._place_item(item_id, place)
        self._head = head
        self.written = True
        self._half_saved = False

    def take_log(self, rows: Iterable[Link], see: Callable[[Event], None]) -> int:
        """These events as they are, into a store that has none; the rows they fold to are still to be saved."""
        self.touched = self.written = True
        head = self.head()
        if head.seq:
            raise ValueError("the store has a log of its own")
        for row in rows:
            self._execute(self._sql["insert_event"], row)
            see(decoded(row))
            head = replace(head, seq=row[0], chain=row[9], time=row[2])
        self._head = head
        return head.seq

    def kept_answer(self, actor: str, key: str) -> KeptAnswer | None:
        row = self._execute(self._sql["kept_answer"], (actor, key)).get
        return None if row is None else KeptAnswer(*row)

    def keep_answer(self, actor: str, key: str, kept: KeptAnswer, at: int) -> None:
        self.touched = True
        self._execute(self._sql["keep_answer"], (actor, key, kept.digest, kept.answer, at))

    def kept_bytes(self, actor: str) -> int:
        return int(self._execute(self._sql["kept_bytes"], (actor,)).get)

    def keep_output(self, run: str, part: int, text: str, at: int = 0) -> None:
        self.touched = True
        self._execute(self._sql["keep_output"], (run, part, text, at))

    def keep_out(self, bars: dict[str, str]) -> None:
        for item, bar in bars.items():
            self.touched = True
            self._execute(self._sql["keep_out"], (bar, number_of(item)))

    def let_in(self, agent: str, bars: Sequence[str]) -> None:
        for bar in bars:
            self.touched = True
            self._execute(self._sql["let_in"], (agent, bar))

    def due(self, now: float, limit: int) -> list[tuple[str, str | None]]:
        """Mostly nothing is: the first work of a commit finds out until when, and those after it need not ask."""
        quiet: float = self._execute(self._sql["next_due"]).get if self._quiet is None else self._quiet
        if now < quiet:
            self._quiet = quiet
            return []
        self._quiet = None
        return super().due(now, limit)

    def _will_be_due(self, at: float | None) -> None:
        if self._quiet is not None and at is not None and at < self._quiet:
            self._quiet = at

    def carry_out(self, work: Callable[["SqlTransaction"], Result]) -> Result:
        """What the work returns, if it left nothing half done."""
        result = work(self)
        if self._half_saved:
            raise RuntimeError("a save failed and its error was caught: half of it must not become durable")
        return result

    @property
    def last_head(self) -> BoardHead | None:
        """As it stands after this work. It is written once, before the commit."""
        return self._head

    def _save_events(self, head: BoardHead, events: Sequence[Event]) -> BoardHead:
        if not events:
            return head
        seq, chain = head.seq, head.chain
        for event in events:
            seq += 1
            item = None if event.item is None else number_of(event.item)
            # A whole number read back from a REAL column is a float, and the hash must not see a difference.
            columns = (seq, event.at, float(event.time), event.name, item, event.run, event.agent, event.version)
            body = encode_body(event)
            chain = link(chain, columns, body)
            self._execute(self._sql["insert_event"], (*columns, body.decode(), chain))
        return replace(head, seq=seq, chain=chain, time=float(events[-1].time))

    def _save_item(self, item: Item, is_new: bool, place: QueuePosition) -> None:
        number, doc = number_of(item.id), encode_row(item)
        queue, priority, rank = place.queue, place.priority, place.rank
        filed = 1 if item.files else 0
        was = None if is_new else self.item(item.id)
        if was is None and not is_new:
            raise missing("items", item.id)
        if was is not None and self._items[item.id][:3] == (queue, priority, rank) and sorts_alike(was, item):
            self._execute(self._sql["update_item"], (doc, number))
        else:
            columns = (
                item.column,
                item.status,
                queue,
                priority,
                rank,
                item.wake_at,
                item.ready_at,
                item.generation,
                filed,
                item.since,
                int(item.kind in OWN_KINDS),
                doc,
            )
            if is_new:
                self._execute(self._sql["insert_item"], (number, *columns))
            else:
                self._execute(self._sql["move_item"], (*columns, number))
        if was is None or was.after != item.after:
            self._save_after(number, item.after, is_new)
        if item.parent != (was.parent if was else None):
            self._save_parent(number, item.parent, is_new)
        if item.awaited_whole != (was.awaited_whole if was else None):
            self._save_whole(number, item.awaited_whole, is_new)
        self._filed += filed - (was is not None and bool(was.files))
        self._items[item.id] = (queue, priority, rank, item)

    def _place_item(self, item_id: str, place: QueuePosition) -> None:
        """The item is what it was, but a new flow gives it to somebody else."""
        values = (place.queue, place.priority, place.rank, number_of(item_id))
        self._update("items", item_id, self._sql["place_item"], values)
        self._items.pop(item_id, None)

    def _save_after(self, number: int, after: list[str], is_new: bool) -> None:
        if not is_new:
            self._execute(self._sql["delete_after"], (number,))
        for needed in after:
            self._execute(self._sql["insert_after"], (number, number_of(needed)))

    def _save_parent(self, number: int, parent: str | None, is_new: bool) -> None:
        if not is_new:
            self._execute(self._sql["delete_child"], (number,))
        if parent is not None:
            self._execute(self._sql["insert_child"], (number_of(parent), number))

    def _save_whole(self, number: int, whole: str | None, is_new: bool) -> None:
        if not is_new:
            self._execute(self._sql["delete_whole"], (number,))
        if whole is not None:
            self._execute(self._sql["insert_whole"], (number, number_of(whole)))

    def _save_run(self, run: Run, is_new: bool) -> None:
        if run.ended_at is None:
            self._will_be_due(run.lease_until)
        if is_new:
            columns = (run.id, number_of(run.item), run.token, run.lease_until, run.ended_at, encode_row(run))
            self._execute(self._sql["insert_run"], columns)
        else:
            self._update(
                "runs", run.id, self._sql["update_run"], (run.lease_until, run.ended_at, encode_row(run), run.id)
            )

    def _save_other(self, head: BoardHead, table: str, row: Row, is_new: bool) -> BoardHead:
        """The tables that change seldom; the head counts or repeats some of what they hold."""
        doc = encode_row(row)
        if isinstance(row, Comment) and is_new:
            self._execute(self._sql["insert_comment"], (row.id, number_of(row.item), doc))
            return replace(head, comments=head.comments + 1)
        if isinstance(row, Question):
            return self._save_question(head, row, doc, is_new)
        if isinstance(row, Message):
            return self._save_message(head, row, doc, is_new)
        if isinstance(row, Hold):
            return self._save_hold(head, row, doc)
        if isinstance(row, Pause):
            known = self._execute(self._sql["has_pause"], (row.id,)).get is not None
            self._execute(self._sql["save_pause"], (row.id, doc))
            return head if known else replace(head, pauses=head.pauses + 1)
        if isinstance(row, Meter):
            self._execute(self._sql["save_meter"], (row.id, doc))
            return head
        if isinstance(row, Lesson) and is_new:
            self._execute(self._sql["insert_lesson"], (row.id, doc))
            return replace(head, lessons=head.lessons + 1)
        if isinstance(row, Comment):
            self._update(table, row.id, self._sql["update_comment"], (doc, row.id))
        elif isinstance(row, Attempt) and is_new:
            self._execute(self._sql["insert_attempt"], (number_of(row.item), row.number, doc))
        elif isinstance(row, Attempt):
            self._update(table, row.id, self._sql["update_attempt"], (doc, number_of(row.item), row.number))
        elif isinstance(row, Clock):
            if is_new:
                self._execute(self._sql["insert_clock"], (row.id, doc))
            else:
                self._update(table, row.id, self._sql["update_clock"], (doc, row.id))
            return replace(head, boot=row.boot, offset=row.offset)
        elif isinstance(row, FlowVersion) and is_new:
            version = int(row.id)
            self._execute(self._sql["insert_flow"], (version, doc))
            self._execute(self._sql["let_all_in"])
            self.flows_changed = True
            return replace(head, flow_version=max(head.flow_version, version))
        else:
            raise ValueError(f"{table} {row.id} cannot be written: no such table, or its rows never change")
        return head

    def _save_question(self, head: BoardHead, question: Question, doc: str, is_new: bool) -> BoardHead:
        is_open = question.state == "open"
        if is_open:
            self._will_be_due(question.deadline)
        if is_new:
            columns = (question.id, number_of(question.item), question.state, question.deadline, doc)
            self._execute(self._sql["insert_question"], columns)
            return replace(head, questions=head.questions + 1, open_questions=head.open_questions + is_open)
        was_open = self._execute(self._sql["question_state"], (question.id,)).get == "open"
        changed = (question.state, question.deadline, doc, question.id)
        self._update("questions", question.id, self._sql["update_question"], changed)
        return replace(head, open_questions=head.open_questions + is_open - was_open)

    def _save_message(self, head: BoardHead, message: Message, doc: str, is_new: bool) -> BoardHead:
        item = None if message.item is None else number_of(message.item)
        if is_new:
            number = head.messages + 1
            self._execute(self._sql["insert_message"], (number, message.id, item, message.to, message.status, doc))
            return replace(head, messages=number)
        changed = (item, message.to, message.status, doc, message.id)
        self._update("messages", message.id, self._sql["update_message"], changed)
        return head

    def _save_hold(self, head: BoardHead, hold: Hold, doc: str) -> BoardHead:
        """A path may have been taken before, which nobody need know who takes it."""
        known = self._holds.get(hold.id) if self._holds is not None else None
        place, was_held = (
            (known[0], 1) if known else self._execute(self._sql["hold_place"], (hold.id,)).get or (None, 0)
        )
        if place is None:
            place = self._execute(self._sql["insert_hold"], (hold.id, int(hold.held), hold.until, doc)).get
        else:
            self._execute(self._sql["update_hold"], (int(hold.held), hold.until, doc, place))
        if self._holds is not None:
            self._remember(hold, place)
        return head if was_held == hold.held else replace(head, held=head.held + hold.held - was_held)

    def _remember(self, hold: Hold, place: int) -> None:
        assert self._holds is not None
        if not self._has_own_holds:
            self._holds, self._has_own_holds = dict(self._holds), True
        if hold.held:
            self._holds[hold.id] = (place, hold)
        else:
            self._holds.pop(hold.id, None)

    def _update(self, table: str, row: str, statement: str, values: tuple[Any, ...]) -> None:
        """Change one row. Where it is not there: NoSuchRow, now or before the commit."""
        raise NotImplementedError


def sorts_alike(was: Item, item: Item) -> bool:
    """Whether no column but the document differs."""
    return (
        was.column == item.column
        and was.status == item.status
        and was.wake_at == item.wake_at
        and was.ready_at == item.ready_at
        and was.generation == item.generation
        and was.since == item.since
        and bool(was.files) == bool(item.files)
    )
