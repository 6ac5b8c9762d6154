"""The board as the processes of a run see it: every call goes through the run's socket, and never to a file."""

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import msgspec

from folkmoot.api.errors import ERRORS
from folkmoot.api.requests import Request
from folkmoot.core.decoding import converted, reader
from folkmoot.core.input_limits import encoded
from folkmoot.engine.access.rights import not_in_a_run
from folkmoot.engine.registry import BY_REQUEST
from folkmoot.errors import Invalid, MootError, Refused, Unavailable
from folkmoot.system.relay import BEHIND_PATH, receive, send
from folkmoot.worker.relay import ANSWER_BYTES_MAX, Fault, Reply

if TYPE_CHECKING:
    from folkmoot.api.call import Role
    from folkmoot.api.machine import DemoEnd, FlowChecked
    from folkmoot.api.pages import LostWork
    from folkmoot.api.views import ItemView
    from folkmoot.core.commands import Actor
    from folkmoot.core.flow import Flow
    from folkmoot.engine.application import Application, SimulationRequest

Answer = TypeVar("Answer")
PATIENCE = 60.0  # seconds for one answer: others may be writing
LOOK_AGAIN = 5.0  # seconds: the socket answers questions and wakes nobody, so who waits looks this often
TOO_FAST, PAUSE, PAUSES = "too_fast", 0.1, 50  # what was refused for its speed alone is asked again, this often


class Line:
    """One question, one answer, each on a connection of its own."""

    def __init__(self, address: str) -> None:
        self._path, _, self._secret = address.partition(BEHIND_PATH)

    def ask(self, call: str, args: dict[str, Any], key: str | None = None) -> Any:
        for _ in range(PAUSES):
            try:
                return self._ask(call, args, key)
            except Refused as error:
                if error.code != TOO_FAST:
                    raise
            time.sleep(PAUSE)
        return self._ask(call, args, key)

    def _ask(self, call: str, args: dict[str, Any], key: str | None) -> Any:
        try:
            request = msgspec.json.encode({"call": call, "args": args, "key": key})
        except (UnicodeEncodeError, OverflowError, ValueError, RecursionError) as error:
            words = "a text or number cannot be sent: {why}"
            raise Invalid("bad_text", words, "remove it and try again", str(error)) from error
        try:
            reply = reader(Reply)(self._exchange(request))
        except (OSError, msgspec.MsgspecError, RecursionError) as error:
            raise self.no_answer(error) from error
        if reply.error is not None:
            raise raised(reply.error)
        return reply.answer

    def no_answer(self, why: object) -> Unavailable:
        words = "the board of this run does not answer at {path}: {why}"
        hint = "if the run is over, stop; else try again, with <.key>, so that it has one effect"
        return Unavailable("no_answer", words, hint, self._path, why)

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
    row = ERRORS.get(fault.code)
    error = (row.kind if row else Refused)(fault.code, "", fault.remedy, **fault.details)
    error.message = fault.message
    return error


class RemoteCalls:
    """The calls of the contract through a run's socket. Who asks is known at the other end, and is not even sent."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def __call__(self, request: Request[Answer], key: str | None = None) -> Answer:
        call = BY_REQUEST[type(request)]
        encoded(request)  # what no board would take in is not even sent
        told = msgspec.to_builtins(request)
        found = self._line.ask(call.name, told, key)
        try:
            answer: Answer = converted(found, call.response)
        except msgspec.ValidationError as error:
            raise self._line.no_answer(f"it says something else: {error}") from error
        return answer

    def tell(self, request: Request[Any], key: str | None = None) -> None:
        self(request, key)


class RemoteApplication:
    """Has the shape of `engine.application.Application`."""

    def __init__(self, path: str) -> None:
        self._calls = RemoteCalls(Line(path))
        self._looks = 0
        self.place = path
        self.notes: list[str] = []
        self.look_again = LOOK_AGAIN

    def __getattr__(self, name: str) -> NoReturn:
        raise _nothing_here(name)

    def asked_by(self, actor: "Actor", role: "Role | None" = None) -> RemoteCalls:
        return self._calls

    def last(self) -> int:
        """Who waits looks each time: here nothing tells that there is no news."""
        self._looks += 1
        return self._looks

    def next_end(self) -> float | None:
        """Not known here: who waits looks every few seconds."""
        return None

    def next_wake(self, agents: list[str]) -> float | None:
        return None

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
            words = "inside a run only its own board can be spoken to, not {place}"
            raise Refused("not_in_a_run", words, "leave <.board> out", place)
        return cast("Application", RemoteApplication(self._path))

    def create(self, folder: str, preset: str, gate: str | None = None, place: str | None = None) -> "Application":
        raise not_in_a_run("making a board")

    def check(self, place: str | None, flow: str | None) -> "FlowChecked":
        raise not_in_a_run("checking a flow")

    def apply(self, place: str | None, moves: dict[str, str], actor: "Actor") -> "FlowChecked":
        raise not_in_a_run("taking a flow in")

    def served_at(self, board: "Application") -> str | None:
        return None

    def unmerged_branch(self, board: "Application") -> str | None:
        """The user's branches are none of a run's business."""
        return None

    def in_the_way(self, board: "Application") -> list[str]:
        return []

    def lost(self, board: "Application", item: "ItemView | None" = None) -> "list[LostWork]":
        return []

    def kept(self, board: "Application", runs: list[str]) -> list[str]:
        return []

    def unable(self, board: "Application", flow: "Flow") -> dict[str, str]:
        """A run starts nobody, so nobody is missing."""
        return {}

    def demo(self, *, ask: bool, on_stderr: bool) -> "DemoEnd":
        raise not_in_a_run("the demo")

    def simulate(self, place: str | None, request: "SimulationRequest") -> dict[str, Any]:
        raise not_in_a_run("a simulation")


def _nothing_here(name: str) -> Exception:
    """What a door may want of a whole board, but a run has not: refused by name, as the other end would."""
    return AttributeError(name) if name.startswith("_") else not_in_a_run(f"{name!r}")
