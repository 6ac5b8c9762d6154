"""What may be asked of the rules about proposed work."""

from folkmoot.core.commands import Command
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


class SeeProposal(Command, frozen=True, gc=False, kw_only=True):
    """What a forge says of the item's pull request now; given by a worker."""

    seen: Seen
