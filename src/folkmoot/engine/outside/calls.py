"""The calls that begin and end a run, whoever does its work: with a clone of the run's own, by way of the workplace."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import asdict

from folkmoot.api.requests import Request, SendReport
from folkmoot.core import commands
from folkmoot.core.decoding import converted
from folkmoot.core.rules.admission import check_agent
from folkmoot.engine.subjects import WorksInClone

if TYPE_CHECKING:
    from folkmoot.api import requests
    from folkmoot.api.views import ClaimView, ItemView
    from folkmoot.core.commands import Actor
    from folkmoot.engine.access.callers import Caller
    from folkmoot.engine.application import Application


def claim(board: "Application", actor: "Actor", request: "requests.Claim", key: str | None) -> "ClaimView":
    fields = asdict(request)
    cloned = fields.pop("clone")
    if fields.pop("agents_only") and request.agent is not None:
        check_agent(board.queries.flow(), request.agent)
    if not cloned:
        return board.engine.claim(actor, key=key, **fields)

    def begin(worker: str) -> "ClaimView":
        told = {**fields, "worker": request.worker or worker}
        return board.engine.claim(actor, key=key, cloned=True, **told)

    return board.workplace.prepare(begin)


def report(board: "Application", actor: "Actor", request: "requests.SendReport", key: str | None) -> "ItemView":
    command = commands.ReportRun(**asdict(request))
    with suppress(WorksInClone):
        return board.engine.handle_run(actor, command, key, bare=True)
    return board.workplace.submit(actor, command, key)


def tell_report(board: "Application", actor: "Actor", request: "requests.SendReport", key: str | None) -> None:
    command = commands.ReportRun(**asdict(request))
    with suppress(WorksInClone):
        return board.engine.act(actor, command, key=key, bare=True)
    board.workplace.submit(actor, command, key)


def release(board: "Application", actor: "Actor", request: "requests.Release", key: str | None) -> "ItemView":
    with suppress(WorksInClone):
        return board.engine.handle_run(actor, commands.ReleaseRun(), key, bare=True)
    return board.workplace.give_up(actor, key)


def tell_release(board: "Application", actor: "Actor", request: "requests.Release", key: str | None) -> None:
    with suppress(WorksInClone):
        return board.engine.act(actor, commands.ReleaseRun(), key=key, bare=True)
    board.workplace.give_up(actor, key)


def makes_clone(caller: "Caller", request: "requests.Claim") -> bool:
    return request.clone


def ends_clone(caller: "Caller", request: "requests.SendReport | requests.Release") -> bool:
    return caller.cloned


def spoken(
    board: "Application", actor: "Actor", request: "Request[Any]", key: str | None
) -> tuple["Request[Any]", str | None]:
    """What a run says that works in a clone made for it, and under which key, without the secrets that it was given
    there. Its report is cleaned where its files are looked at."""
    has_words = bool(type(request).__struct_fields__) or key is not None
    if isinstance(request, SendReport) or not has_words or not is_cloned(board, actor):
        return request, key
    words, key = board.workplace.cleaned(actor, [to_builtins(request), key])
    return converted(words, type(request)), key


def is_cloned(board: "Application", actor: "Actor") -> bool:
    """Does whoever speaks work in a clone that was made for its run? What it changed there belongs to its report."""
    if actor.run is None:
        return False
    name = actor.run
    run = board.engine.store.read(lambda reading: reading.run(name))
    return run is not None and run.cloned
