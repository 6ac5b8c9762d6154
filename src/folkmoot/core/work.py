"""What a run really changed, as whoever looked at its files tells it: never by the agent's own word."""

from msgspec import Struct, field

LINK, SUBMODULE = "120000", "160000"


class Touched(Struct, frozen=True, gc=False, omit_defaults=True):
    """One path that differs between where a run began and where it ended."""

    path: str
    how: str = "modified"  # created, modified, deleted
    mode: str = "100644"  # as git writes it: 100755 may be executed, 120000 is a link, 160000 a repository of its own
    link: str | None = None  # where a link leads


class Secret(Struct, frozen=True, gc=False, omit_defaults=True):
    """A place of a change where a secret is; never the secret."""

    path: str  # empty: there are more than can be listed
    line: int = 0  # 0: in the name of the file
    name: str = ""  # whose value it is; empty: it looks like a token or a key


class Work(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """The change of one run as a commit, or of a folder without git as a list of paths alone."""

    touched: list[Touched] = field(default_factory=list)
    base: str | None = None  # the commit it began from
    commit: str | None = None
    tree: str | None = None
    onto: str | None = None  # the parent's commit that it was merged with
    merged: str | None = None  # and what came of it: where the parent's branch shall be
    lands: list[Touched] | None = None  # how that differs from where the parent's branch is; None: as `touched`
    files: int = 0  # how many paths differ, where more do than are listed
    bytes: int = 0  # what the changed files hold together
    added: int = 0  # lines of text that came
    removed: int = 0  # and that went
    aside: str | None = None  # the folder its files were put in as they are: they could not be taken in
    why: str = ""  # and why not
    secrets: list[Secret] = field(default_factory=list)  # where the change holds some
    dropped: bool = False  # it is of a run that only reads: its files are gone, and its word counts
    unfit: bool = False  # it could not be taken or merged: the board says that the run has failed, not its agent


class Evidence(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """How a gate's command really ended, and on what."""

    gate: str
    green: bool
    command: list[str] = field(default_factory=list)
    check: str = (
        ""  # a digest of all that makes it this check; empty: of an older version, which knew the command alone
    )
    exit_code: int | None = None
    seconds: float = 0.0
    commit: str | None = None
    tree: str | None = None
    output: str = ""  # its last words
    before: str = ""  # it was red in the same way on the target branch, before any agent had worked: what it said there
    beside: list[str] = field(default_factory=list)  # the other items whose work is in that tree: they land together


class Batch(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """An item's share of a branch's move that brings the work of several, proved together."""

    own: str  # the merge by which this item's work comes; the branch goes on to the merge of the last one
    beside: list[str]  # the other items


class Landing(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A branch that is about to be moved, written down before it is: whoever finds it can tell whether it was."""

    branch: str
    old: str | None
    new: str
    run: str = ""
    tree: str | None = None  # of what lands: gates were green on it; None: nobody could say which it is
    head: str | None = None  # the item's work that it is to bring there
    batch: Batch | None = None  # None: the move brings this item's work alone

    @property
    def commit(self) -> str:
        """The commit by which the item's own work is on the branch, once that has moved to `new`."""
        return self.batch.own if self.batch else self.new
