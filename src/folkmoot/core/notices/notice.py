"""Which event of the log makes which notice, and in which words. Written once: every target tells the same."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from folkmoot.core.enums import OWN_KINDS, EventName
from folkmoot.core.events import Event
from folkmoot.core.item import Item
from folkmoot.core.notices.targets import Topic
from folkmoot.core.records import ASIDE, Question
from folkmoot.core.rules.running.spending import dollars

REPEAT_MS = 600_000  # runs that meet the same pause at once, or one after the other, are one piece of news
AT_WORK = ("ready", "running", "proving")


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is told. `key` is its own: no other notice of the board has it."""

    key: str
    topic: Topic
    words: str
    at: int  # wall clock, milliseconds
    seq: int | None = None
    item: str | None = None
    title: str = ""
    question: str | None = None
    options: list[str] = field(default_factory=list)
    same: str = ""  # others with the same word here tell the same for a while


class Rows(Struct, frozen=True):
    """What an event is about, as it stands now."""

    item: Item | None = None
    question: Question | None = None


Say = Callable[[Event, Rows], Notice | None]


def notice_of(event: Event, rows: Rows) -> Notice | None:
    """None: nobody is told of it."""
    say = NOTICES.get(event.name)
    return say(event, rows) if say else None


def question_notice(question: Question, item: Item | None, seq: int | None = None) -> Notice | None:
    """A question that has its answer, or needs none any more, is no news; nor is one that a person asked for."""
    if question.state != "open" or question.question in ASIDE:
        return None
    return Notice(
        key=f"question {question.id}",
        topic="question",
        words=f"item {question.item}: {question.question}",
        at=question.at,
        seq=seq,
        item=question.item,
        title=item.title if item else "",
        question=question.id,
        options=[option.option for option in question.options],
    )


def idle_notice(seq: int, at: int, waiting: int) -> Notice:
    """All that was to be done is done, as far as it can be without a person."""
    rest = {0: "nothing waits for you", 1: "1 question waits for you"}.get(waiting, f"{waiting} questions wait for you")
    return Notice(key=f"idle {seq}", topic="idle", words=f"the board is at rest: {rest}", at=at, seq=seq)


def at_rest(items: Iterable[Item]) -> bool:
    """Can nothing go on by itself?"""
    return not any(item.status in AT_WORK for item in items)


def shows_work(event: Event) -> bool:
    """After it the board may come to rest: somebody has worked since it last did."""
    return event.name in ("agent_completed", "run_released", "run_paused", "run_stopped", "run_lapsed")


def is_repeat(notice: Notice, told: Mapping[str, int]) -> bool:
    """Was the same told a short while ago?"""
    return bool(notice.same) and notice.at - told.get(notice.same, -REPEAT_MS) < REPEAT_MS


def _question(event: Event, rows: Rows) -> Notice | None:
    return question_notice(rows.question, rows.item, event.seq) if rows.question is not None else None


def _attempt(event: Event, rows: Rows) -> Notice | None:
    made = _changed(event, "attempts")
    why = made.get("reason") or event.context.get("approach") or ""
    return _of_item(event, rows, "failure", f"{made.get('agent') or event.agent} failed", why)


def _lapsed(event: Event, rows: Rows) -> Notice | None:
    words = f"nothing more was heard of {event.context.get('agent')}"
    return _of_item(event, rows, "failure", words, event.context.get("how", ""))


def _not_landed(event: Event, rows: Rows) -> Notice | None:
    return _of_item(event, rows, "failure", "its work could not land", event.context.get("why", ""))


def _landed(event: Event, rows: Rows) -> Notice | None:
    """What lands on the branch of another item is that one's business."""
    item = rows.item
    if item is None or item.asker is not None or item.kind not in OWN_KINDS:
        return None
    return _of_item(event, rows, "landed", f"landed on {event.context.get('branch')}", item.title)


def _pool(event: Event, rows: Rows) -> Notice | None:
    """Only where a pause begins: that its end was tried in vain is no news."""
    pause, context = _changed(event, "pauses"), event.context
    if "why" not in context or (pause.get("in_a_row") or 1) > 1:
        return None
    words = _joined(f"{context.get('pool')} pauses {context.get('how')}", context["why"])
    return _notice(event, "pause", words, same=f"{context.get('pool')} {context.get('cause')}")


def _stopped(event: Event, rows: Rows) -> Notice | None:
    return _notice(event, "pause", _joined(f"{event.agent} paused the board", event.context.get("why") or ""))


def _spent(event: Event, rows: Rows) -> Notice | None:
    usd, tokens = event.context.get("usd") or 0.0, event.context.get("tokens") or 0
    used = [dollars(usd) if usd else "", f"{tokens:,} tokens" if tokens else ""]
    told = _joined("the day's budget is spent", ", ".join(part for part in used if part))
    return _notice(event, "budget", f"{told}; agents begin again after midnight, UTC")


NOTICES: dict[EventName, Say] = {
    "agent_seeks_guidance": _question,
    "attempt_counted": _attempt,
    "run_lapsed": _lapsed,
    "landing_failed": _not_landed,
    "pool_paused": _pool,
    "board_stopped": _stopped,
    "budget_spent": _spent,
    "work_landed": _landed,
    "landing_found": _landed,
}


def _of_item(event: Event, rows: Rows, topic: Topic, words: str, why: str) -> Notice:
    return _notice(
        event, topic, _joined(f"item {event.item}: {words}", why), title=rows.item.title if rows.item else ""
    )


def _joined(words: str, why: str) -> str:
    return f"{words}: {why}" if why else words


def _notice(event: Event, topic: Topic, words: str, **more: Any) -> Notice:
    return Notice(
        key=f"event {event.seq}", topic=topic, words=words, at=event.at, seq=event.seq, item=event.item, **more
    )


def _changed(event: Event, table: str) -> dict[str, Any]:
    return next((change.fields for change in event.changes if change.table == table), {})
