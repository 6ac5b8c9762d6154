"""What a live screen of the board asks for, and what it gets: the board with its cards, and what follows from it."""

from msgspec import field

from folkmoot.api.requests import Few, Number, Request
from folkmoot.api.usage import WindowLine
from folkmoot.api.views import (
    Blocked,
    ItemSummary,
    LiveRun,
    MessageView,
    PauseView,
    QuestionView,
    View,
)


class Card(ItemSummary, frozen=True, gc=False, kw_only=True):
    """An item as a board shows it."""

    version: int
    updated_at: str | None
    since: str | None  # when it came to stand as it does, in this column
    model: str | None  # of the run at work, or of the next one
    rung: int | None  # where that model is on the agent's ladder: the second of four; null without a ladder
    rungs: int | None
    iteration: int  # the look of a checking column that is under way, or was the last
    max_rounds: int
    questions: list[str]  # the open ones, by their ids
    runs_begun: int  # of agents, gates and landings
    findings_open: int  # that must change
    lines_added: int | None  # of all that it has changed; null: nobody has counted
    lines_removed: int | None


class BoardView(View, frozen=True, gc=False, kw_only=True):
    """The board at one moment."""

    flow: str
    seq: int  # of the last event that is in it
    whole: bool  # False: of the items only those that have changed
    columns: list[str]
    totals: dict[str, int]  # how many items are in each column, of those in their own right
    items: list[Card]
    next: int | None
    questions: list[QuestionView]
    runs: list[LiveRun]
    pauses: list[PauseView]
    windows: list[WindowLine]  # of quotas that are nearly used up
    blocked: list[Blocked]  # what is ready and begins no run, as far as the board itself knows
    messages: list[MessageView]
    # What only a machine with the repository can tell: the branch on which landed work waits to be merged, and the
    # user's files that keep it there.
    aside: str | None = None
    in_the_way: list[str] = field(default_factory=list)


class ShowBoard(Request[BoardView], frozen=True, kw_only=True):
    """The board at one moment: what has not ended, and the newest of what has (`ended`; without it all). `since` the
    number of an event: of the items only those that have changed after it, and all of them if that is too long ago."""

    since: Number | None = None
    ended: Few | None = None
