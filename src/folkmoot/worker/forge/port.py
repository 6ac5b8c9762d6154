"""What a worker needs of a forge. A script can play it."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct, field

from folkmoot.core.proposals.proposal import Proposal, Seen
from folkmoot.errors import Refused
from folkmoot.worker.git.remote.remote import RemoteAway

POOL = "github api"  # no flow can have a pool of this name: it is paused for the board's own questions to the forge
OWN = "<!-- moot -->"  # in all that the board writes on a forge: by it its own words never wake it
BEGIN, END = "<!-- moot:begin -->", "<!-- moot:end -->"  # around what the board says in a description


class ForgeAway(RemoteAway):
    """The forge cannot be reached, or does not answer. It passes by itself."""


class ForgeLimited(ForgeAway):
    """The forge does not want to be asked for a while; or what is left is for the person whose account it is."""

    seconds: float

    def __init__(self, seconds: float, why: str) -> None:
        super().__init__("forge_limited", "the forge is not asked for {seconds:.0f}s: {why}", "", seconds, why)
        self.seconds = seconds


class ForgeRefused(Refused):
    """The forge was reached, and does not do it."""


class Wish(Struct, frozen=True, kw_only=True):
    """A pull request that is wanted. `known` is the number of one that is there already."""

    branch: str
    base: str
    title: str
    body: str
    draft: bool
    known: int | None = None


class Pulled(Struct, frozen=True, kw_only=True):
    """A pull request that is there."""

    number: int
    url: str
    node: str


class Forge(Protocol):
    rests: (
        float | None
    )  # for so many seconds it is better not asked: what is left is for the person whose account it is

    def propose(self, wish: Wish) -> Pulled:
        """Open a pull request from the branch to its base, if none is open; what the board says in one that is there is
        renewed, and nothing else of it. It may be asked for twice."""

    def state(self, proposals: Sequence[Proposal], base: str) -> dict[int, Seen]:
        """How each of them stands, by its number; one that is not there is left out. All by one question, or few."""

    def comment(self, number: int, text: str) -> None:
        """Say it below an issue or a pull request: the board's one comment there is written anew."""

    def issue(self, number: int) -> "Issue": ...

    def issues(self, label: str) -> list["Issue"]:
        """The open ones that have this label."""

    def close(self, number: int) -> None:
        """Close an issue."""


class Issue(Struct, frozen=True, kw_only=True):
    number: int
    title: str
    body: str = ""
    url: str = ""
    is_open: bool = True
    labels: list[str] = field(default_factory=list)
