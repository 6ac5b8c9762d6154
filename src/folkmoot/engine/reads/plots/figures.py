"""What happened since a moment, run by run: for plots. Read from rows alone, and from no more than are drawn."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct

from folkmoot.api.gauges import ColumnFigure, DayFigure, Figures, RunFigure
from folkmoot.core.enums import ENDED
from folkmoot.core.item import Item
from folkmoot.core.records import Question, Run
from folkmoot.core.rules.running.spending import DAY_MS, money_of, token_sum
from folkmoot.engine.loading import known_item
from folkmoot.engine.reads.metrics import family
from folkmoot.engine.reads.snapshot import PAGE, Snapshot
from folkmoot.engine.reads.usage import DAYS_MAX, day_text, moment_of, seconds_of
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


def figures(snapshot: Snapshot, since: str, only: str | None = None) -> Figures:
    now = snapshot.moment.at
    after = moment_of(since, now)
    if now // DAY_MS - after // DAY_MS >= DAYS_MAX:
        words = "figures are of {most} days at most, and {since!r} is further back"
        raise Invalid("bad_span", words, "ask for a later beginning, like 90d", most=DAYS_MAX, since=since[:60])
    reading = snapshot.reading
    whole = None if only is None else family(reading, known_item(reading, only))
    all_runs = [*reading.runs_ended(after), *reading.open_runs()]
    chosen = [run for run in all_runs if whole is None or run.item in whole]
    found = sorted(chosen, key=lambda run: (run.started_at, run.id))
    added = _added(snapshot, after) if whole is None else whole.values()
    shown = found[-RUNS_MAX:]
    items = {one: item for one in {run.item for run in shown} if (item := reading.item(one)) is not None}
    asked = {one: reading.questions(one) for one in items}
    waits: dict[str, Wait] = {}
    columns: dict[str, Sums] = defaultdict(lambda: Sums(set()))
    for one, item in items.items():
        waits |= _of_item(snapshot, item, asked[one], after, columns)
    order = {name: place for place, name in enumerate(snapshot.flow.columns)}
    return Figures(
        since=moment_text(after),
        until=moment_text(now),
        runs=[_run(snapshot, run, waits.get(run.id, Wait(0, 0))) for run in shown],
        left_out=len(found) - len(shown),
        titles={one: item.title for one, item in items.items()},
        days=_days(snapshot, after, shown, items, asked, added),
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


def _days(
    snapshot: Snapshot,
    after: int,
    runs: list[Run],
    items: dict[str, Item],
    asked: dict[str, list[Question]],
    new: Iterable[Item],
) -> list[DayFigure]:
    last: dict[str, int] = {}
    for run in runs:
        if run.ended_at is not None:
            last[run.item] = max(run.ended_at, last.get(run.item, 0))
    done = (one for one, item in items.items() if item.kind == "item" and item.status == "done")
    landed = Counter(last[one] // DAY_MS for one in done if one in last)
    added = Counter(item.created_at // DAY_MS for item in new if item.kind == "item" and item.created_at >= after)
    asks = Counter(one.at // DAY_MS for some in asked.values() for one in some if one.at >= after)
    days = range(after // DAY_MS, snapshot.moment.at // DAY_MS + 1)
    return [DayFigure(day=day_text(day), added=added[day], landed=landed[day], asked=asks[day]) for day in days]


def _added(snapshot: Snapshot, after: int) -> Iterable[Item]:
    """Items that may be so new. Their ids count up: the newest page is read first, and no more than needed."""
    upto = snapshot.reading.head().items
    while upto > 0:
        page = snapshot.reading.items(after=max(0, upto - PAGE), limit=min(PAGE, upto))
        yield from page
        if not page or page[0].created_at < after:
            return
        upto -= PAGE
