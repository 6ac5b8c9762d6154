"""What an item asks of the items above and below it; given by the engine, never by an actor."""

from folkmoot.core.commands import Command


class AskForMore(Command, frozen=True, gc=False, kw_only=True):
    made: int  # as many items below this one as runs may: a person is asked; given by the engine


class AgreeContracts(Command, frozen=True, gc=False, kw_only=True):
    """A task's run changed what several rely on: the item that was split decides; given by the engine."""

    contracts: dict[str, str]
    by: str
    task: str | None = None  # whose run said so: it need not be told
    known: bool = False  # only what the item knows already: the rest is agreed among the tasks of that task alone


class ReviewConflict(Command, frozen=True, gc=False, kw_only=True):
    child: str  # a task that does not fit with what others made: its parent looks at the whole; given by the engine
    why: str


class EndReview(Command, frozen=True, gc=False, kw_only=True):
    why: str  # the whole was looked at: a task that waited for it goes on; given by the engine
