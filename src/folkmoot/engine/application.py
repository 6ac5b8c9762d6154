"""What a door gets: the engine to speak to, the queries to read with, and where the board is."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from msgspec import Struct

from folkmoot.core.commands import Actor
from folkmoot.core.flow import Flow
from folkmoot.engine.access.rights import RoleCalls
from folkmoot.engine.engine import Engine
from folkmoot.engine.outside.workplace import Workplace
from folkmoot.engine.reads.queries import Queries
from folkmoot.engine.registry import Calls
from folkmoot.errors import Refused
from folkmoot.store.change_signal import ChangeSignal

if TYPE_CHECKING:
    from folkmoot.api import machine
    from folkmoot.api.call import Role
    from folkmoot.api.pages import LostWork
    from folkmoot.api.screen import ItemChange, ShowChange
    from folkmoot.api.serving import ServeOptions, ServerStart
    from folkmoot.api.views import ItemView, Said
    from folkmoot.core.proposals.issue import ForgeIssue, IssuePlace
    from folkmoot.core.report import Report
    from folkmoot.engine.access.tokens import Access
    from folkmoot.engine.checking.health import HealthCheck, WorkerLook
    from folkmoot.engine.screen.past import Folded

LOOK_AGAIN = 5.0  # seconds: a wake-up is only a hint, and who gets none looks this often


class Application:
    """An open board."""

    def __init__(
        self, engine: Engine, board_dir: str, notes: list[str], change_signal: ChangeSignal | None = None
    ) -> None:
        self.engine = engine
        self.queries = Queries(engine.store, engine.clock)
        self.board_dir = board_dir
        self.notes = notes  # what the user should know, though nothing is wrong
        self.change_signal = change_signal or ChangeSignal()  # one that nobody rings: who waits looks every few seconds
        self.look_again = LOOK_AGAIN
        self.make_access: Callable[[], Access] | None = None  # the board's tokens, where they can be had
        self._access: Access | None = None
        self.workers: WorkerLook | None = None  # what the machine tells of them; None: nothing
        self.after_writing: Callable[[], None] | None = None  # done once, when it is closed after something was written
        self.open_workplace: Callable[[Application], Workplace] | None = None  # set where clones can be made
        self.look_at_change: Callable[[Application, ShowChange], ItemChange] | None = None  # set where git can be asked
        self.version = ""  # of Folkmoot, where whoever opened the board says it
        self.tell: Callable[[str], None] = lambda words: None  # hears what goes wrong beside a call

    def asked_by(self, actor: Actor, role: "Role | None" = None) -> Calls:
        """What carries requests to this board, in the name of one actor. A door that knows the caller's role says it:
        what the role may not call is refused. Without one, whoever calls has the board's files in hand."""
        return Calls(self, actor) if role is None else RoleCalls(self, actor, role)

    @property
    def access(self) -> "Access | None":
        """The board's tokens; most processes never ask for them."""
        if self._access is None and self.make_access is not None:
            self._access = self.make_access()
        return self._access

    @property
    def workplace(self) -> Workplace:
        """Where agents from outside get their clones."""
        if self.open_workplace is None:
            words = "this process makes no clones, and takes in no work from one"
            raise Refused("no_workplace", words, "ask a process that was opened on the board's own folder")
        return self.open_workplace(self)

    @cached_property
    def health(self) -> "HealthCheck":
        """Made by the first who asks, and kept: it remembers how far the log was proved."""
        from folkmoot.engine.checking.health import HealthCheck  # only this one call needs it

        return HealthCheck(self, self.workers)

    @cached_property
    def folded(self) -> "Folded":
        """The past of the board, as far as anybody has asked for it."""
        from folkmoot.engine.screen.past import Folded

        return Folded()

    def last(self) -> int:
        """The number of the last event."""
        return self.queries.last()

    def next_end(self) -> float | None:
        """Seconds until the next lock or lease ends by itself."""
        return self.queries.next_end()

    def next_wake(self, agents: list[str]) -> float | None:
        """Seconds until time alone may give one of these agents an item."""
        return self.queries.next_wake(agents)

    def now(self) -> float:
        """Seconds that only ever go on, to wait by."""
        return self.engine.clock.boot()[1]

    def changed(self, seen: int, seconds: float) -> int:
        """Sleep until something is written to the board, by whichever process; no longer than a wake-up may be lost.

        Gives the count to be handed in the next time. A count that was never given (-1) returns at once: from then on
        nothing is missed, so the board must be looked at after that.
        """
        return self.change_signal.wait(seen, min(seconds, self.look_again))

    def close(self) -> None:
        has_written = self.change_signal.count > 0
        try:
            self.engine.store.close()
        finally:
            self.change_signal.close()
        after, self.after_writing = self.after_writing, None
        if after is not None and has_written:
            after()


class Boards(Protocol):
    """How a door finds, makes and checks boards without knowing files or stores."""

    def open(self, board_dir: str | None) -> Application: ...
    def create(self, folder: str, preset: str, gate: str | None = None, place: str | None = None) -> Application: ...
    def found_gate(self, folder: str, preset: str) -> "machine.GateFound | None": ...
    def check(self, board_dir: str | None, flow: str | None) -> "machine.FlowChecked": ...
    def apply(self, board_dir: str | None, moves: dict[str, str], actor: Actor) -> "machine.FlowChecked": ...
    def work(
        self,
        board: Application,
        *,
        slots: int | None,
        agents: list[str],
        until_idle: bool,
        tell: Callable[[Any], None],
        begin: "Callable[[machine.WorkerStart], None]",
        labels: Sequence[str] = (),
    ) -> "machine.WorkerEnd": ...
    def attend(self, board: Application, tell: Callable[[Any], None]) -> AbstractContextManager[None]: ...
    def worker_alive(self, board: Application) -> bool: ...
    def transcript(self, board: Application, agent: str, model: str | None) -> "Transcript": ...
    def ready(
        self,
        board: Application,
        *,
        agents: list[str],
        again: bool,
        first: bool,
        tell: Callable[[str], None],
        notice: bool = False,
    ) -> "machine.Readiness": ...
    def accept_red(self, board: Application, commits: list[str]) -> None: ...
    def unlanded(self, board: Application) -> "machine.UnlandedPage": ...
    def salvage(self, board: Application, run: str, branch: str | None) -> "machine.BroughtBack": ...
    def take(self, board: Application, actor: Actor, what: str, tell: Callable[[str], None]) -> "machine.Taken": ...
    def shell(self, taken: "machine.Taken") -> None: ...
    def leave(self, board: Application, run: str, tell: Callable[[str], None]) -> bool: ...
    def give(
        self,
        board: Application,
        actor: Actor,
        what: str | None,
        report: "Report | None",
        *,
        back: bool,
        widen: bool,
        unproved: bool,
        tell: Callable[[str], None],
    ) -> "machine.Given": ...
    def serve(
        self,
        board: Application,
        options: "ServeOptions",
        name: str,
        begin: "Callable[[ServerStart], None]",
        tell: Callable[[str], None],
    ) -> None: ...
    def served_at(self, board: Application) -> str | None: ...
    def unmerged_branch(self, board: Application) -> str | None: ...
    def in_the_way(self, board: Application) -> list[str]: ...
    def issues(self, board: Application, place: "IssuePlace", label: str | None) -> "list[ForgeIssue]": ...
    def lost(self, board: Application, item: "ItemView | None" = None) -> "list[LostWork]": ...
    def kept(self, board: Application, runs: list[str]) -> list[str]: ...
    def unable(self, board: Application, flow: Flow) -> dict[str, str]: ...
    def held_by_kernel(self) -> list[str]: ...
    def log_cleaner(self) -> Callable[[str], str]: ...
    def demo(self, *, ask: bool, on_stderr: bool) -> "machine.DemoEnd": ...
    def simulate(self, board_dir: str | None, request: "SimulationRequest") -> dict[str, Any]: ...
    def backup(self, board_dir: str | None, file: str | None) -> "machine.BackedUp": ...
    def restore(
        self, board_dir: str | None, file: str | None, at: int | None, ago: float | None = None
    ) -> "machine.Restored": ...
    def export(
        self, board_dir: str | None, file: str | None, write: Callable[[bytes], object]
    ) -> "machine.Exported": ...
    def save_page(self, board: "Application", file: str, item: str | None) -> "machine.Saved": ...
    def import_log(self, folder: str, source: BinaryIO, name: str, file: str | None = None) -> "machine.Imported": ...
    def rescue(self, board_dir: str | None) -> tuple[str, dict[str, Any]]: ...
    def mirror(
        self, board: Application, folder: str | None, *, watch: bool, tell: Callable[[str], None]
    ) -> "machine.Mirrored": ...


class Transcript(Protocol):
    """What a run printed, in the dialect of its client, as a person reads it."""

    def feed(self, text: str) -> "list[Said]":
        """The lines that are whole with this text."""

    def finish(self) -> "list[Said]":
        """What is left when no more comes."""


class SimulationRequest(Struct, frozen=True, kw_only=True):
    """What is to be tried out: which flow, with whom, how often."""

    flow: str | None = None  # a file
    preset: str | None = None  # without either: the board's own flow, or kanban where there is no board
    population: str | None = None  # a file
    ladders: list[str] = []  # in words, or a file each, in place of the flow's own
    seeds: list[int] = []
    items: int | None = None
    slots: int | None = None
    # The other side of a comparison is the same in all that is not named here.
    against: str | None = None  # a preset, or a file
    against_ladders: list[str] = []
    against_population: str | None = None
    against_slots: int | None = None
    calibrate: bool = False  # nothing is tried: the figures of the board become a population
    tell: Callable[[int, int], None] | None = None  # is told how many trials are over, of how many

    @property
    def compares(self) -> bool:
        return bool(self.against or self.against_ladders or self.against_population or self.against_slots)
