"""What happened since a moment, run by run: for plots. Read from rows alone, and from no more than are drawn."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain, pairwise

from msgspec import Struct, field

from folkmoot.api.gauges import ColumnFigure, DayFigure, Figures, RunFigure
from folkmoot.core.enums import ENDED
from folkmoot.core.item import Item
from folkmoot.core.records import Question, Run
from folkmoot.core.rules.running.spending import DAY_MS, money_of, token_sum
from folkmoot.engine.loading import known_item
from folkmoot.engine.reads.metrics import family
from folkmoot.engine.reads.snapshot import PAGE, Snapshot
from folkmoot.engine.reads.usage import DAYS_MAX, day_text, lean, moment_of, seconds_of
from folkmoot.engine.reads.views import moment_text
from folkmoot.errors import Invalid

RUNS_MAX = 5000  # more bars than a screen has points

Span = tuple[int, int]  # wall clock, milliseconds


class Wait(Struct, frozen=True):
    """The time before a run: in all, and while a person was asked. Milliseconds."""

    all: int
    asked: int


class Sums(Struct):
    """Milliseconds in one column."""

    items: set[str]
    worked: int = 0
    proved: int = 0
    waited: int = 0
    asked: int = 0


class Days(Struct):
    """How many on each day."""

    added: Counter[int]
    landed: Counter[int] = field(default_factory=Counter)
    asked: Counter[int] = field(default_factory=Counter)


def figures(snapshot: Snapshot, since: str, only: str | None = None) -> Figures:
    now = snapshot.moment.at
    after = moment_of(since, now)
    if now // DAY_MS - after // DAY_MS >= DAYS_MAX:
        words = "figures are of {most} days at most, and {since!r} is further back"
        raise Invalid("bad_span", words, "ask for a later beginning, like 90d", most=DAYS_MAX, since=since[:60])
    reading = snapshot.reading
    whole = None if only is None else family(reading, known_item(reading, only))
    all_runs = chain(reading.runs_ended(after), reading.open_runs())
    found = [lean(run) for run in all_runs if whole is None or run.item in whole]
    found.sort(key=lambda run: (run.started_at, run.id))
    shown = found[-RUNS_MAX:]
    days = Days(added=Counter(_days_of(_added(snapshot, after) if whole is None else whole.values(), after)))
    last = {run.item: run.ended_at for run in sorted(shown, key=lambda run: run.ended_at or 0)}
    titles: dict[str, str] = {}
    waits: dict[str, Wait] = {}
    columns: dict[str, Sums] = defaultdict(lambda: Sums(set()))
    # One item after the other: of all that is read no more is kept than is drawn.
    for one in {run.item: None for run in shown}:
        item = reading.item(one)
        if item is None:
            continue
        titles[one] = item.title
        questions = reading.questions(one)
        waits |= _of_item(snapshot, item, questions, after, columns)
        days.asked.update(asked.at // DAY_MS for asked in questions if asked.at >= after)
        if item.kind == "item" and item.status == "done" and (ended := last[one]) is not None:
            days.landed[ended // DAY_MS] += 1
    order = {name: place for place, name in enumerate(snapshot.flow.columns)}
    return Figures(
        since=moment_text(after),
        until=moment_text(now),
        runs=[_run(snapshot, run, waits.get(run.id, Wait(0, 0))) for run in shown],
        left_out=len(found) - len(shown),
        titles=titles,
        days=[
            DayFigure(day=day_text(day), added=days.added[day], landed=days.landed[day], asked=days.asked[day])
            for day in range(after // DAY_MS, now // DAY_MS + 1)
        ],
        columns=[_column(name, columns[name]) for name in sorted(columns, key=lambda one: order.get(one, len(order)))],
        slots=snapshot.flow.limits.slots,
    )


def _of_item(
    snapshot: Snapshot, item: Item, questions: list[Question], after: int, columns: dict[str, Sums]
) -> dict[str, Wait]:
    """The wait before each of its runs; and its time since `after`, added to the columns in which it was spent."""
    now = snapshot.moment.at
    runs = sorted(snapshot.reading.runs(item.id), key=lambda run: run.started_at)
    spans = [(run.started_at, run.started_at + round(seconds_of(run, snapshot.moment) * 1000)) for run in runs]
    until = [(one, now if one.state == "open" else one.answered_at) for one in questions if one.blocking]
    people = [(one.at, end) for one, end in until if end is not None]
    ends = [item.created_at, *(end for _, end in spans)]
    waits: dict[str, Wait] = {}
    for run, before, span in zip(runs, ends[:-1], spans, strict=True):
        gap = (before, max(before, span[0]))
        waits[run.id] = Wait(gap[1] - gap[0], _covered(gap, people))
        if span[1] >= after:
            _add(columns[run.column], item.id, gap, people, after)
            worked = _length(_since(span, after))
            columns[run.column].proved += worked if run.gate else 0
            columns[run.column].worked += 0 if run.gate else worked
    if item.status not in ENDED and item.run is None:
        _add(columns[item.column], item.id, (ends[-1], max(ends[-1], now)), people, after)
    return waits


def _add(sums: Sums, item: str, gap: Span, people: list[Span], after: int) -> None:
    late = _since(gap, after)
    asked = _covered(late, people)
    sums.items.add(item)
    sums.asked += asked
    sums.waited += _length(late) - asked


def _since(span: Span, after: int) -> Span:
    return max(span[0], after), max(span[1], after)


def _length(span: Span) -> int:
    return span[1] - span[0]


def _covered(span: Span, others: list[Span]) -> int:
    """How much of a span others cover, each moment counted once."""
    edges = sorted({*span, *(min(max(edge, span[0]), span[1]) for other in others for edge in other)})
    return sum(
        later - earlier
        for earlier, later in pairwise(edges)
        if any(begin <= earlier and later <= end for begin, end in others)
    )


def _run(snapshot: Snapshot, run: Run, wait: Wait) -> RunFigure:
    return RunFigure(
        run=run.id,
        item=run.item,
        agent=run.agent,
        model=run.model,
        pool=run.pool,
        column=run.column,
        worker=run.worker,
        gate=run.gate,
        begun_at=moment_text(run.started_at),
        ended_at=moment_text(run.ended_at),
        outcome=run.outcome,
        cause=run.cause,
        cost_usd=money_of(run),
        tokens=token_sum(run),
        seconds=round(seconds_of(run, snapshot.moment), 3),
        waited_seconds=wait.all / 1000,
        asked_seconds=wait.asked / 1000,
    )


def _column(name: str, sums: Sums) -> ColumnFigure:
    return ColumnFigure(
        column=name,
        items=len(sums.items),
        worked_seconds=sums.worked / 1000,
        proved_seconds=sums.proved / 1000,
        waited_seconds=sums.waited / 1000,
        asked_seconds=sums.asked / 1000,
    )


def _days_of(items: Iterable[Item], after: int) -> Iterable[int]:
    return (one.created_at // DAY_MS for one in items if one.kind == "item" and one.created_at >= after)


def _added(snapshot: Snapshot, after: int) -> Iterable[Item]:
    """Items that may be so new. Their ids count up: the newest page is read first, and no more than needed."""
    upto = snapshot.reading.head().items
    while upto > 0:
        page = snapshot.reading.items(after=max(0, upto - PAGE), limit=min(PAGE, upto))
        yield from page
        if not page or page[0].created_at < after:
            return
        upto -= PAGE
