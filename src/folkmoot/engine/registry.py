"""The registry: every call that the world outside may make, who may make it, and what does it.

Doors know no other way in: what is not here cannot be called. To add a call, write its request in `api/requests.py`,
its handler and its line here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import asdict

from folkmoot.api import access, requests, screen
from folkmoot.api.call import Call, Role
from folkmoot.api.gauges import ReadFigures, ReadGauges
from folkmoot.api.health import CheckHealth
from folkmoot.api.requests import Request
from folkmoot.api.summary.digest import ReadDigest
from folkmoot.core import commands
from folkmoot.engine.outside import calls as outside
from folkmoot.engine.screen import calls as on_screen
from folkmoot.engine.screen.register import with_note
from folkmoot.engine.steering import calls as steering

if TYPE_CHECKING:
    from folkmoot.core.commands import Actor, Command
    from folkmoot.engine.application import Application

Answer = TypeVar("Answer")
Handler = Callable[["Application", "Actor", Any, str | None], Any]

LOOKERS: frozenset[Role] = frozenset({"person", "run", "observer"})
WORKERS: frozenset[Role] = frozenset({"person", "run"})
PEOPLE: frozenset[Role] = frozenset({"person"})
OWNERS: frozenset[Role] = frozenset({"owner"})


def _read(method: str) -> Handler:
    """A query of the same fields."""
    return lambda board, actor, request, key: getattr(board.queries, method)(**asdict(request))


def _on_item(kind: type["Command"]) -> Handler:
    def handle(board: "Application", actor: "Actor", request: Any, key: str | None) -> Any:
        fields = asdict(request)
        item, version = fields.pop("item") or "", fields.pop("version", None)
        return board.engine.handle_item(actor, item, kind(**fields), key, version)

    return handle


def _on_run(kind: type["Command"]) -> Handler:
    return lambda board, actor, request, key: board.engine.handle_run(actor, kind(**asdict(request)), key)


def _of_run(name: str, request: type[Request[Any]], kind: type["Command"]) -> Call:
    def tell(board: "Application", actor: "Actor", request: Any, key: str | None) -> None:
        board.engine.act(actor, kind(**asdict(request)), key=key)

    return Call(name, request, _on_run(kind), WORKERS, writes=True, tells=tell)


def _of_clone(
    name: str, request: type[Request[Any]], handle: Handler, tell: Callable[..., None], may: frozenset[Role]
) -> Call:
    return Call(name, request, handle, may, writes=True, tells=tell, is_slow=outside.ends_clone)


def _noted(handle: Handler) -> Handler:
    """The answer says too where no worker lives that has the labels which the item needs."""

    def told(board: "Application", actor: "Actor", request: Any, key: str | None) -> Any:
        view = handle(board, actor, request, key)
        return with_note(board, view) if getattr(request, "needs", None) else view

    return told


def _by(method: str, kind: type["Command"]) -> Handler:
    """A method of the engine that takes one command."""
    return lambda board, actor, request, key: getattr(board.engine, method)(actor, kind(**asdict(request)), key)


def _say(board: "Application", actor: "Actor", request: requests.Say, key: str | None) -> Any:
    return steering.say(board.engine, actor, request.item, request.text, key)


def _hear(board: "Application", actor: "Actor", request: requests.Hear, key: str | None) -> Any:
    return steering.hear(board.engine, actor)


def _take(board: "Application", actor: "Actor", request: requests.Take, key: str | None) -> Any:
    return steering.take(board.engine, actor, request.item, key)


def _of_tokens(method: str, *, own: bool = False) -> Handler:
    """About tokens, by their fields; with `own`, for whoever asks."""

    def handle(board: "Application", actor: "Actor", request: Any, key: str | None) -> Any:
        from folkmoot.engine.access import tokens  # few commands are about them

        named = {"name": actor.name} if own else {}
        return getattr(tokens, method)(board, **asdict(request), **named)

    return handle


def _health(board: "Application", actor: "Actor", request: CheckHealth, key: str | None) -> Any:
    return board.health.check(request.whole)


def _digest(board: "Application", actor: "Actor", request: ReadDigest, key: str | None) -> Any:
    from folkmoot.engine.reads.summary.digest import read_digest  # only this one call needs it

    return read_digest(board, actor, request, key)


def _on_board(kind: type[commands.StopBoard] | type[commands.ResumeBoard]) -> Handler:
    return lambda board, actor, request, key: board.engine.on_board(actor, kind(**asdict(request)))


def _look(name: str, request: type[Request[Any]], method: str) -> Call:
    return Call(name, request, _read(method), LOOKERS, writes=False)


CALLS = (
    _look("show", requests.Show, "show"),
    _look("list", requests.ListItems, "list"),
    _look("board", screen.ShowBoard, "board"),
    _look("blocked", requests.ShowBlocked, "blocked"),
    _look("status", requests.ShowStatus, "status"),
    _look("today", screen.ShowToday, "today"),
    _look("comments", requests.ListComments, "comments"),
    _look("questions", requests.ListQuestions, "questions"),
    _look("inbox", requests.ShowInbox, "inbox"),
    _look("log", requests.ReadLog, "log"),
    _look("flow", requests.ShowFlow, "flow"),
    _look("locks", requests.ListLocks, "locks"),
    _look("messages", requests.ListMessages, "messages"),
    _look("lessons", requests.ListLessons, "lessons"),
    _look("metrics", requests.Measure, "metrics"),
    _look("usage", requests.ReadUsage, "usage"),
    Call("digest", ReadDigest, _digest, LOOKERS, writes=False),
    _look("escalations", requests.ShowEscalations, "escalations"),
    _look("pauses", requests.ListPauses, "pauses"),
    _look("runs", requests.ListRuns, "live"),
    _look("run", requests.FindRun, "run"),
    _look("output", requests.ReadOutput, "output"),
    Call("health", CheckHealth, _health, LOOKERS, writes=False),
    _look("gauges", ReadGauges, "gauges"),
    _look("figures", ReadFigures, "figures"),
    Call("change", screen.ShowChange, on_screen.change, LOOKERS, writes=False),
    Call("moves", screen.ShowMoves, on_screen.moves, LOOKERS, writes=False),
    Call("prospect", screen.ShowProspect, on_screen.prospect, LOOKERS, writes=False),
    Call("search", screen.Search, on_screen.search, LOOKERS, writes=False),
    Call("past", screen.ShowPast, on_screen.show_past, LOOKERS, writes=False),
    Call("workers", screen.ListWorkers, on_screen.list_workers, LOOKERS, writes=False),
    Call("me", screen.WhoAmI, on_screen.who_am_i, LOOKERS, writes=False),
    Call("add", requests.Add, _noted(_by("add", commands.AddItem)), WORKERS, writes=True),
    Call("dispatch", requests.Dispatch, _by("add", commands.DispatchAgent), WORKERS, writes=True),
    Call("move", requests.Move, _on_item(commands.MoveItem), PEOPLE, writes=True),
    Call("send_back", screen.SendBack, on_screen.send_back, PEOPLE, writes=True),
    Call("edit", requests.Edit, _noted(_on_item(commands.EditItem)), PEOPLE, writes=True),
    Call("park", screen.Park, _on_item(commands.ParkItem), PEOPLE, writes=True),
    Call("unpark", screen.Unpark, _on_item(commands.UnparkItem), PEOPLE, writes=True),
    Call("cancel", requests.Cancel, _on_item(commands.CancelItem), PEOPLE, writes=True),
    Call("end_run", screen.EndRun, _on_item(commands.EndRun), PEOPLE, writes=True),
    Call("reopen", requests.Reopen, _on_item(commands.ReopenItem), PEOPLE, writes=True),
    Call("comment", requests.AddComment, _on_item(commands.AddComment), WORKERS, writes=True),
    Call("answer", requests.AnswerQuestion, _by("answer", commands.AnswerQuestion), PEOPLE, writes=True),
    Call("claim", requests.Claim, outside.claim, PEOPLE, writes=True, is_slow=outside.makes_clone),
    _of_run("renew", requests.Renew, commands.RenewRun),
    _of_clone("release", requests.Release, outside.release, outside.tell_release, PEOPLE),
    _of_clone("report", requests.SendReport, outside.report, outside.tell_report, WORKERS),
    _of_run("offer", requests.OfferReport, commands.OfferReport),
    Call("widen", requests.RequestFiles, _on_run(commands.WidenRun), WORKERS, writes=True),
    _of_run("ask", requests.AskPerson, commands.AskPerson),
    Call("say", requests.Say, _say, PEOPLE, writes=True),
    Call("hear", requests.Hear, _hear, WORKERS, writes=True),
    Call("take", requests.Take, _take, PEOPLE, writes=True),
    Call("lock", requests.Lock, _by("lock", commands.LockPaths), WORKERS, writes=True),
    Call("unlock", requests.Unlock, _by("lock", commands.UnlockPaths), WORKERS, writes=True),
    Call("send", requests.SendMessage, _by("send", commands.SendMessage), WORKERS, writes=True),
    Call("accept", requests.AcceptMessage, _by("on_message", commands.AcceptMessage), WORKERS, writes=True),
    Call("complete", requests.CompleteMessage, _by("on_message", commands.CompleteMessage), WORKERS, writes=True),
    Call("reject", requests.RejectMessage, _by("on_message", commands.RejectMessage), WORKERS, writes=True),
    Call("pause", requests.Pause, _on_board(commands.StopBoard), PEOPLE, writes=True),
    Call("resume", requests.Resume, _on_board(commands.ResumeBoard), PEOPLE, writes=True),
    Call("tokens", access.ListTokens, _of_tokens("list_tokens"), OWNERS, writes=False),
    Call("make_token", access.MakeToken, _of_tokens("make_token"), OWNERS, writes=True),
    Call("revoke_token", access.RevokeToken, _of_tokens("revoke_token"), OWNERS, writes=True),
    Call("login_code", access.MakeLoginCode, _of_tokens("make_login_code", own=True), PEOPLE, writes=True),
)
BY_NAME: dict[str, Call] = {call.name: call for call in CALLS}
BY_REQUEST: dict[type[Request[Any]], Call] = {call.request: call for call in CALLS}


class Calls:
    """All calls of an open board, in the name of one actor."""

    def __init__(self, board: "Application", actor: "Actor") -> None:
        self._board, self._actor = board, actor

    def __call__(self, request: Request[Answer], key: str | None = None) -> Answer:
        answer: Answer = self._asked(BY_REQUEST[type(request)].handle, request, key)
        return answer

    def tell(self, request: Request[Any], key: str | None = None) -> None:
        call = BY_REQUEST[type(request)]
        self._asked(call.tells or call.handle, request, key)

    def _asked(self, handle: Handler, request: Request[Any], key: str | None) -> Any:
        if self._actor.run is not None and BY_REQUEST[type(request)].writes:
            request, key = outside.spoken(self._board, self._actor, request, key)
        return handle(self._board, self._actor, request, key)
