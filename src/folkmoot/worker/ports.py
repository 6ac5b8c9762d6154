"""What the worker is handed from outside: git, processes, the clock. The simulation hands in its own."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, field

from folkmoot.core.enums import ClientCause
from folkmoot.core.records import Window

Names = Sequence[str]


class Ran(Struct, frozen=True):
    """How a command ended."""

    code: int
    out: bytes = b""
    err: bytes = b""

    @property
    def words(self) -> str:
        """What it said about itself. Git writes NUL characters too, which no board keeps: nobody would hear of it."""
        return self.err.decode("utf-8", "replace").replace("\0", " ").strip()


class Bounds(Protocol):
    """How long work on what an agent left may still take."""

    def left(self) -> float:
        """Seconds, more than 0; raises Unavailable when none are left, or when it shall stop."""

    def more(self, seconds: float) -> None:
        """There is more to do than one could know at the start."""


class Talk(Protocol):
    """A program that runs and is spoken to. Whatever becomes of us, it hears that nobody speaks to it any more."""

    def say(self, line: str) -> bool:
        """False: nobody listens any more. It never waits."""

    def hear(self, seconds: float) -> str | None:
        """The next line; nothing if it has ended; None if it says nothing within that time."""

    def end(self, *, now: bool = False) -> tuple[bool, str]:
        """Hang up and see it ended, by force if need be: whether it has, and its last words.

        `now`: it is not waited for, only asked and then killed.
        """


class Git(Protocol):
    """The one way to git: fixed flags, a clean environment, no hooks, nothing of the user's or an agent's that runs."""

    def __call__(
        self,
        *args: str,
        git_dir: str,
        work_tree: str | None = None,
        index: str | None = None,
        stdin: bytes = b"",
        check: bool = True,
        timeout: float = 600.0,
        env: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
    ) -> Ran:
        """Run git. With `check`, a failure raises Unavailable("git_failed", …) that names the command and its words.

        With `bounds` it ends when these do, and with this process; what it says is bounded too.
        """

    def talk(self, *args: str, git_dir: str) -> Talk:
        """Start git and leave it running, to be spoken to."""


FIRST_FILE = 3  # the descriptor of a launch's first file
FILES_MAX = 48


class Launch(Struct, frozen=True, kw_only=True):
    """A process tree to be started."""

    argv: list[str]
    env: dict[str, str]  # all of it: nothing is inherited
    cwd: str
    stdin: bytes = b""
    bounds: dict[str, Any] = {}  # what the tree may use up: memory, processes, open_files, disk, and the disk's places
    files: list[bytes] = field(default_factory=list)  # open for reading in the first process, from FIRST_FILE on
    forget: list[str] = field(default_factory=list)  # files that the keeper removes when the tree has ended
    apart: bool = False  # from sockets of others that lie in no folder, where the kernel can do that


class Ended(Struct, frozen=True):
    """How the first process of a tree ended, and how many others had to be killed."""

    code: int | None = None
    signal: int | None = None
    killed: int = 0
    fault: str = ""  # why it could not be started
    limit: str = ""  # which of its bounds it passed, so that it was ended


class Child(Protocol):
    """A process tree that is running, in the hands of the keeper."""

    output: int  # read end of its standard output, not blocking
    errors: int  # read end of its standard error, not blocking
    control: int  # becomes readable when no process of the tree is left

    def end(self, grace: float) -> None:
        """Ask the tree to end (SIGTERM), and kill what is left of it after `grace` seconds. Returns at once."""

    def ended(self) -> Ended | None:
        """How it ended; None while anything of it lives."""

    def close(self) -> None: ...


class Keeper(Protocol):
    """Starts process trees and sees to it that none outlives its run, or this process."""

    def start(self, launch: Launch) -> Child: ...

    def end_left(self, home: str) -> int:
        """Kill what was started with this HOME by a worker that was killed, its keepers with it; says how many."""

    def close(self) -> None: ...


class Sandbox(Protocol):
    """Puts a command into a box where only its own folders can be written."""

    works: bool  # False: commands run as they are, and the board says so
    why: str  # why it does not work; empty if it does
    apart: bool  # may the command that makes it be kept from sockets of others? See Launch
    rules: bytes  # what the kernel is told to refuse in it: the last file of a launch, where it is not empty

    def wrap(
        self,
        argv: Names,
        *,
        writable: Names,
        readable: Names,
        cwd: str,
        network: bool,
        named: Names = (),
        hidden: Names = (),
        memory: Names = (),
        filtered: bool = False,
    ) -> list[str]:
        """The command that runs `argv` in the box. `named` are words of the flow: programs among them are shown.
        `hidden` is covered for this command, also inside of what it may write. What `memory` names lies in memory and
        is gone with the box: folders (their names end with /), and files, in the order in which the launch has their
        contents. `filtered`: after them it has the box's `rules`."""


class WorkerEvent(Struct, frozen=True):
    """Something that a worker tells whoever watches it."""

    what: str  # claimed, ready, started, said, ended, done, lost, released, fault
    run: str
    item: str
    title: str
    agent: str
    words: str = ""
    model: str | None = None
    good: bool | None = None


class Paths(Struct, frozen=True, kw_only=True):
    """The folders of one run, all below `.moot/runs/<run>/`."""

    root: str
    workspace: str
    home: str  # HOME of its processes
    spool: str  # brief, prompt and report


class RunSocket(Protocol):
    """The socket through which a run speaks to its board."""

    path: str
    folder: str
    address: str  # where it is, and behind that what opens it
    secret: str  # what opens it: for this run alone

    def close(self) -> None: ...


class PortRange(Protocol):
    """Ports that no other run on this machine has."""

    first: int

    def close(self) -> None: ...


class Stream(Struct, kw_only=True):
    """What was heard of a client's output so far."""

    text: str = ""  # the last words of the agent: where its report is looked for
    over: bool = False  # the client said that its turn is over: it need not be waited for
    succeeded: bool | None = None  # the client's own word, if it gives one
    # As the client shows it. quota, outage, environment: of its whole pool, which pauses; nothing of it is counted.
    cause: ClientCause | None = None
    why: str = ""  # what is said of the client, in one line that goes on from its name
    client: str = ""  # its name
    trouble: str = "unknown"  # what the client met: see clients/troubles.py
    login: bool = False  # the file of its login says that it is over
    reset_after: float | None = None  # seconds until the quota is there again, if it was said
    waits: bool = False  # does it wait for its model, as far as its last event tells? It may run a tool
    shown: bool = False  # is the quota told by an event of the client, with a status or a time; not by words alone?
    input_tokens: int = 0
    cached_tokens: int = 0  # of those: what came from a cache
    output_tokens: int = 0
    cost_usd: float = 0.0
    windows: list[Window] = field(default_factory=list)  # of its quota, as it last told them
    denied: list[str] = field(default_factory=list)  # what it was not allowed to do
