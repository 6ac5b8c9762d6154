"""What may be asked of the rules about proposed work."""

from typing import Literal

from folkmoot.core.commands import Command
from folkmoot.core.proposals.issue import SeenIssue
from folkmoot.core.proposals.proposal import Proposal, Seen


class RecordProposal(Command, frozen=True, gc=False, kw_only=True):
    """A landing has pushed the item's work and asked for it to be merged: its run ends, and people act on the forge."""

    proposal: Proposal


class PausePool(Command, frozen=True, gc=False, kw_only=True):
    """A forge is not to be asked for a while; given by a worker. The board keeps it over a restart."""

    pool: str
    seconds: float
    why: str


class MeetOthersWork(Command, frozen=True, gc=False, kw_only=True):
    """A landing found on the branch that it was to push what this board did not put there: its run ends."""

    branch: str
    commit: str


class TellMerge(Command, frozen=True, gc=False, kw_only=True):
    """What became of it when the forge was asked to merge the item's pull request; given by a worker."""

    seen: Seen  # the picture in which it was asked
    became: Literal["merged", "queued", "refused"]
    why: str = ""


class SeeProposal(Command, frozen=True, gc=False, kw_only=True):
    """What a forge says of the item's pull request now; given by a worker."""

    seen: Seen


class SeeIssue(Command, frozen=True, gc=False, kw_only=True):
    """What a forge says now of the issue from which the item came; given by a worker."""

    seen: SeenIssue


class NoteIssue(Command, frozen=True, gc=False, kw_only=True):
    """What the board has said below the item's issue, or heard there; given by a worker."""

    told: str | None = None  # of the words that it wrote
    told_as: str = ""  # how the item stood
    comment: int | None = None  # in which they stand
    closed: bool = False
    heard: str | None = None  # the comment that held an answer
    refused: str = ""  # why that was not taken
