"""What a worker needs of a forge. A script can play it."""

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct, field

from folkmoot.core.proposals.issue import URL, ForgeIssue, SeenIssue, Tracked
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
    node: str = ""

    def __post_init__(self) -> None:
        if self.number < 1 or not URL.fullmatch(self.url):
            raise ValueError(f"{self.url[:60]!r} is no pull request")


class Forge(Protocol):
    rests: (
        float | None
    )  # for so many seconds it is better not asked: what is left is for the person whose account it is

    def propose(self, wish: Wish) -> Pulled:
        """Open a pull request from the branch to its base, if none is open; what the board says in one that is there is
        renewed, and nothing else of it. It may be asked for twice."""

    def state(self, proposals: Sequence[Proposal], base: str) -> dict[int, Seen]:
        """How each of them stands, by its number; one that is not there is left out. All by one question, or few."""

    def merge(self, proposal: Proposal, base: str, *, queues: bool) -> Literal["merged", "queued"]:
        """Merge exactly its commit, by the forge's own merge; where the branch has a queue, put it in there. Refused
        where the forge does not, or where its branch has moved. It may be asked for twice."""


class Reply(Struct, frozen=True, kw_only=True):
    """What somebody wrote below an issue."""

    id: str
    by: str
    text: str
    own: bool = False  # by the board itself
    number: int | None = None  # by which it can be written anew


class IssuePicture(Struct, frozen=True, kw_only=True):
    """An issue at one moment, and what stands below it, the oldest first."""

    seen: SeenIssue
    replies: list[Reply] = field(default_factory=list)


class IssueForge(Protocol):
    """A forge, as far as items come from its issues."""

    rests: float | None

    def issue(self, number: int) -> ForgeIssue: ...

    def issues(self, label: str) -> list[ForgeIssue]:
        """The open ones that have this label."""

    def pictures(self, issues: Sequence[Tracked]) -> dict[int, IssuePicture]:
        """How each of them stands, by its number. All by one question, or few."""

    def may_write(self, who: str) -> bool:
        """May they change the repository, by the forge's word of now?"""

    def comment(self, number: int, text: str, known: int | None = None) -> int | None:
        """Say it below an issue: the board's one comment there, `known` if it has been seen, is written anew. Gives
        its number."""

    def close(self, number: int) -> None:
        """Close an issue."""
