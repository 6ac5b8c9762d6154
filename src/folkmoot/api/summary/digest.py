"""What happened on a board since some moment, for whoever was away."""

from msgspec import field

from folkmoot.api.pages import LostWork
from folkmoot.api.requests import Request
from folkmoot.api.usage import UsageLine
from folkmoot.api.views import LessonView, PauseView, QuestionView, View
from folkmoot.core.enums import Ended


class DigestItem(View, frozen=True, gc=False, kw_only=True):
    """An item that ended."""

    item: str
    title: str
    status: Ended
    at: str | None
    branch: str | None  # where its work landed; null: it ended without
    commit: str | None
    cost_usd: float | None  # of all its runs; null: nobody has told any
    unpriced: int  # its runs whose cost nobody can tell: the sum lacks theirs
    why: str


class Digest(View, frozen=True, gc=False, kw_only=True):
    """What happened since a moment, and what waits for a person now."""

    flow: str
    since: str | None
    until: str | None
    seq: int  # of the last event that is in it
    landed: list[DigestItem]
    done: list[DigestItem]  # without a change that could land
    cancelled: list[DigestItem]
    questions: list[QuestionView]
    pauses: list[PauseView]
    counts: dict[str, int]  # of the items in their own right, by how they stand now
    total: UsageLine  # of the runs that began since
    agents: list[UsageLine]
    failed: int  # runs that ended so since
    lessons: list[LessonView]  # the newest first
    # What only a machine with the repository can tell: work that landed, and that its branch does not have any more.
    lost: list[LostWork] = field(default_factory=list)


class ReadDigest(Request[Digest], frozen=True, kw_only=True):
    """What landed, what waits for a person, what it cost and what was learned. `since` is a span back from now (`12h`),
    a day (`yesterday`, `2026-11-18`) or a moment."""

    since: str = "24h"
