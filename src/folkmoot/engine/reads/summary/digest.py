"""What happened since a moment: what landed, what waits for a person, what it cost, what was learned."""

from collections import Counter
from typing import TYPE_CHECKING, cast

from folkmoot.api.summary.digest import Digest, DigestItem, ReadDigest
from folkmoot.core.enums import OWN_KINDS, Ended
from folkmoot.core.flow import LANDING
from folkmoot.core.item import Item
from folkmoot.core.rules.running.spending import money_of
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.engine.reads.status import WORDS
from folkmoot.engine.reads.usage import moment_of, used
from folkmoot.engine.reads.views import lesson_view, moment_text, pause_views, question_view

if TYPE_CHECKING:
    from folkmoot.core.commands import Actor
    from folkmoot.engine.application import Application

LESSONS_MAX = 100
FIRST_LOOK = 256


def read_digest(board: "Application", actor: "Actor", request: ReadDigest, key: str | None) -> Digest:
    return board.queries.at_one_moment(lambda snapshot: digest(snapshot, request.since))


def digest(snapshot: Snapshot, since: str) -> Digest:
    reading, now = snapshot.reading, snapshot.moment
    after = moment_of(since, now.at)
    ended = [_ended(snapshot, item) for item in _ended_since(snapshot, after)]
    spent = used(snapshot, "agent", moment_text(after), None)
    counted = Counter(WORDS.get(item.status, item.status) for item in snapshot.all_items() if item.kind in OWN_KINDS)
    return Digest(
        flow=snapshot.flow.name,
        since=moment_text(after),
        until=moment_text(now.at),
        seq=reading.head().seq,
        landed=[item for item in ended if item.branch is not None],
        done=[item for item in ended if item.branch is None and item.status == "done"],
        cancelled=[item for item in ended if item.branch is None and item.status != "done"],
        questions=[question_view(asked) for asked in snapshot.inbox()],
        pauses=pause_views(reading.pauses(), now),
        counts=dict(counted),
        total=spent.total,
        agents=spent.lines,
        failed=sum(_is_failed(run.outcome, run.gate, run.agent) for run in reading.runs_ended(after)),
        lessons=[lesson_view(one) for one in reading.lessons(LESSONS_MAX) if one.at >= after],
    )


def _is_failed(outcome: str | None, gate: bool, agent: str) -> bool:
    return outcome == "failed" and not gate and agent != LANDING


def _ended_since(snapshot: Snapshot, after: int) -> list[Item]:
    """In their own right, what ended first first. What is part of another item is told with that."""
    limit, found = FIRST_LOOK, snapshot.reading.ended_items(FIRST_LOOK)
    while len(found) == limit and found[-1].since >= after:
        limit *= 4
        found = snapshot.reading.ended_items(limit)
    own = [item for item in found if item.since >= after and item.kind in OWN_KINDS and item.asker is None]
    return own[::-1]


def _ended(snapshot: Snapshot, item: Item) -> DigestItem:
    landed = item.landed is not None and item.status == "done"
    return DigestItem(
        item=item.id,
        title=item.title,
        status=cast("Ended", item.status),
        at=moment_text(item.since),
        branch=item.landed_on if landed else None,
        commit=item.landed if landed else None,
        cost_usd=round(item.cost_usd, 6) if item.cost_usd else None,
        unpriced=sum(money_of(run) is None and not run.gate for run in snapshot.reading.runs(item.id)),
        why=item.because,
    )
