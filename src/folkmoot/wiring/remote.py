"""The board as the processes of a run see it: every call goes through the run's socket, and never to a file."""

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, cast

import msgspec

from folkmoot.core.kinds import converted, reader
from folkmoot.core.text import encoded
from folkmoot.errors import Invalid, MootError, Refused, Unavailable
from folkmoot.system.relay import BEHIND_PATH, receive, send
from folkmoot.worker.relay import ANSWER_BYTES_MAX, KINDS, Fault, Reply, not_in_a_run

if TYPE_CHECKING:
    from folkmoot.core import commands
    from folkmoot.core.commands import Command, Speaker
    from folkmoot.core.flow import Flow
    from folkmoot.core.report import Report
    from folkmoot.engine.application import Application, Checked, Wish

View = dict[str, Any]
PATIENCE = 60.0  # seconds for one answer: others may be writing
LOOK_AGAIN = 5.0  # seconds: the socket answers questions and wakes nobody, so who waits looks this often
TOO_FAST, PAUSE, PAUSES = "too_fast", 0.1, 50  # what was refused for its speed alone is asked again, this often


class Line:
    """One question, one answer, each on a connection of its own."""

    def __init__(self, address: str) -> None:
        self._path, _, self._secret = address.partition(BEHIND_PATH)

    def ask(self, call: str, **args: Any) -> Any:
        for _ in range(PAUSES):
            try:
                return self._ask(call, args)
            except Refused as error:
                if error.code != TOO_FAST:
                    raise
            time.sleep(PAUSE)
        return self._ask(call, args)

    def order(self, call: str, command: "Command", **args: Any) -> View:
        """A command travels by the name of its class; what no board would take in is not even sent."""
        encoded(command)
        told = {"name": type(command).__name__, "fields": msgspec.to_builtins(command)}
        return self.view(call, command=told, **args)

    def view(self, call: str, **args: Any) -> View:
        """An answer that is an object, as all of a board's are."""
        found = self.ask(call, **args)
        if not isinstance(found, dict):
            raise self._no_answer("it says something else")
        return found

    def _ask(self, call: str, args: dict[str, Any]) -> Any:
        try:
            request = msgspec.json.encode({"call": call, "args": args})
        except (UnicodeEncodeError, OverflowError, ValueError, RecursionError) as error:
            words = f"a text or number cannot be sent: {error}"
            raise Invalid("bad_text", words, "remove it and try again") from error
        try:
            reply = reader(Reply)(self._exchange(request))
        except (OSError, msgspec.MsgspecError, RecursionError) as error:
            raise self._no_answer(error) from error
        if reply.error is not None:
            raise raised(reply.error)
        return reply.answer

    def _no_answer(self, why: object) -> Unavailable:
        words = f"the board of this run does not answer at {self._path}: {why}"
        hint = "if the run is over, stop; else try again, with a --key so that it has one effect"
        return Unavailable("no_answer", words, hint)

    def _exchange(self, request: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self._path)
            with suppress(BrokenPipeError, ConnectionResetError):
                if self._secret:
                    send(connection, self._secret.encode(), PATIENCE)
                send(connection, request, PATIENCE)
            # Who did not want to hear all of it has said why.
            return receive(connection, ANSWER_BYTES_MAX, PATIENCE)


def raised(fault: Fault) -> MootError:
    """The error as it was on the other side."""
    return KINDS.get(fault.kind, Refused)(fault.code, fault.message, fault.hint, fault.details)


class RemoteEngine:
    """The calls of `engine.Engine` that a run has. Who speaks is known at the other end, and is not even sent."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def __getattr__(self, name: str) -> NoReturn:
        raise _nothing_here(name)

    @property
    def store(self) -> NoReturn:
        raise not_in_a_run("looking into the store itself")

    def add(
        self, speaker: "Speaker", command: "commands.AddItem | commands.DispatchAgent", key: str | None = None
    ) -> View:
        return self._line.order("engine.add", command, key=key)

    def on_item(
        self, speaker: "Speaker", item: str, command: "Command", key: str | None = None, show: bool = True
    ) -> View:
        return self._line.order("engine.on_item", command, item=item, key=key, show=show)

    def on_run(self, speaker: "Speaker", command: "Command", key: str | None = None, show: bool = True) -> View:
        return self._line.order("engine.on_run", command, key=key, show=show)

    def report(
        self,
        speaker: "Speaker",
        report: "Report",
        fault: str | None = None,
        key: str | None = None,
        show: bool = True,
        final: bool = False,
    ) -> View:
        from folkmoot.core.commands import ReportRun

        encoded(ReportRun(report=report, fault=fault, final=final))
        told = msgspec.to_builtins(report)
        return self._line.view("engine.report", report=told, fault=fault, key=key, show=show, final=final)

    def answer(self, speaker: "Speaker", command: "commands.AnswerQuestion", key: str | None = None) -> View:
        return self._line.order("engine.answer", command, key=key)

    def claim(
        self,
        speaker: "Speaker",
        agent: str,
        *,
        column: str | None = None,
        item: str | None = None,
        lease: float | None = None,
        worker: str = "",
        key: str | None = None,
        show: bool = True,
    ) -> View:
        """Always refused, by the one who knows what the run works on."""
        return self._line.view("engine.claim", agent=agent)

    def lock(
        self, speaker: "Speaker", command: "commands.LockPaths | commands.UnlockPaths", key: str | None = None
    ) -> View:
        return self._line.order("engine.lock", command, key=key)

    def send(self, speaker: "Speaker", command: "commands.SendMessage", key: str | None = None) -> View:
        return self._line.order("engine.send", command, key=key)

    def on_message(
        self,
        speaker: "Speaker",
        command: "commands.AcceptMessage | commands.CompleteMessage | commands.RejectMessage",
        key: str | None = None,
    ) -> View:
        return self._line.order("engine.on_message", command, key=key)

    def on_board(self, speaker: "Speaker", command: "commands.StopBoard | commands.ResumeBoard") -> View:
        return self._line.order("engine.on_board", command)


class RemoteQueries:
    """The calls of `engine.Queries` that doors use."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._looks = 0

    def __getattr__(self, name: str) -> NoReturn:
        raise _nothing_here(name)

    def _view(self, name: str, **args: Any) -> View:
        return self._line.view(f"queries.{name}", **args)

    def show(self, item: str) -> View:
        return self._view("show", item=item)

    def list(
        self, *, column: str | None = None, tag: str | None = None, status: str | None = None, after: int = 0
    ) -> View:
        return self._view("list", column=column, tag=tag, status=status, after=after)

    def comments(self, item: str) -> View:
        return self._view("comments", item=item)

    def inbox(self) -> View:
        return self._view("inbox")

    def log(self, after: int = 0, item: str | None = None, limit: int = 1000) -> View:
        return self._view("log", after=after, item=item, limit=limit)

    def flow(self) -> "Flow":
        from folkmoot.core.flow import Flow

        flow: Flow = converted(self._line.view("queries.flow"), Flow)
        return flow

    def locks(self) -> View:
        return self._view("locks")

    def messages(self, *, to: str | None = None, status: str | None = None, item: str | None = None) -> View:
        return self._view("messages", to=to, status=status, item=item)

    def lessons(self, agent: str | None = None, limit: int = 10_000) -> View:
        return self._view("lessons", agent=agent, limit=limit)

    def metrics(self, item: str | None = None) -> View:
        return self._view("metrics", item=item)

    def escalations(self) -> View:
        return self._view("escalations")

    def pauses(self) -> View:
        return self._view("pauses")

    def live(self) -> View:
        return self._view("live")

    def output(self, run: str, after: int = 0) -> View:
        return self._view("output", run=run, after=after)

    def next_end(self) -> float | None:
        """Not known here: who waits looks every few seconds."""
        return None

    def last(self) -> int:
        """The number of the last event is not told to runs: each time it may be another one."""
        self._looks += 1
        return self._looks


class RemoteApplication:
    """Has the shape of `engine.application.Application`."""

    def __init__(self, path: str) -> None:
        line = Line(path)
        self.engine = RemoteEngine(line)
        self.queries = RemoteQueries(line)
        self.place = path
        self.notes: list[str] = []
        self.look_again = LOOK_AGAIN

    def now(self) -> float:
        return time.monotonic()

    def changed(self, seen: int, seconds: float) -> int:
        if seen >= 0:
            time.sleep(min(seconds, self.look_again))
        return seen + 1

    def close(self) -> None:
        """Nothing is kept open."""


class RemoteBoards:
    """The one board there is inside a run. `board` is what the run's environment calls it, if it does."""

    def __init__(self, path: str, board: str | None = None) -> None:
        self._path = path
        self._board = board

    def __getattr__(self, name: str) -> NoReturn:
        raise _nothing_here(name)

    def open(self, place: str | None) -> "Application":
        if place not in (None, ".", self._board):
            # It would be wrong to do here what was meant for another board.
            words = f"inside a run only its own board can be spoken to, not {place}"
            raise Refused("not_in_a_run", words, "leave --board out")
        return cast("Application", RemoteApplication(self._path))

    def create(self, folder: str, preset: str) -> "Application":
        raise not_in_a_run("making a board")

    def check(
        self,
        place: str | None,
        flow: str | None,
        moves: dict[str, str] | None = None,
        speaker: "Speaker | None" = None,
    ) -> "Checked":
        raise not_in_a_run("checking a flow and taking it in")

    def aside(self, board: "Application") -> str | None:
        """The user's branches are none of a run's business."""
        return None

    def in_the_way(self, board: "Application") -> list[str]:
        return []

    def kept(self, board: "Application", runs: list[str]) -> list[str]:
        return []

    def unable(self, board: "Application", flow: "Flow") -> dict[str, str]:
        """A run starts nobody, so nobody is missing."""
        return {}

    def demo(self, *, ask: bool, on_stderr: bool) -> dict[str, Any]:
        raise not_in_a_run("the demo")

    def simulate(self, place: str | None, wish: "Wish") -> dict[str, Any]:
        raise not_in_a_run("a simulation")


def _nothing_here(name: str) -> Exception:
    """What a door may want of a whole board, but a run has not: refused by name, as the other end would."""
    return AttributeError(name) if name.startswith("_") else not_in_a_run(f"{name!r}")
