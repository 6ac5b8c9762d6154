"""The calls of a screen: each is one function of the board, whoever asks and the request."""

import os
from typing import TYPE_CHECKING

from folkmoot.api.screen import Me
from folkmoot.core import commands
from folkmoot.core.report import Finding
from folkmoot.errors import Refused

if TYPE_CHECKING:
    from folkmoot.api.screen import (
        Found,
        ItemChange,
        LandingProspect,
        ListWorkers,
        Moves,
        Past,
        Search,
        SendBack,
        ShowChange,
        ShowMoves,
        ShowPast,
        ShowProspect,
        WhoAmI,
        Workers,
    )
    from folkmoot.api.views import ItemView
    from folkmoot.core.commands import Actor
    from folkmoot.engine.application import Application

FOLDER = ".moot"


def who_am_i(board: "Application", actor: "Actor", request: "WhoAmI", key: str | None) -> Me:
    """Whoever is asked for no role has the board's files in hand."""
    folder = os.path.abspath(board.board_dir)
    named = os.path.dirname(folder) if os.path.basename(folder) == FOLDER else folder
    return Me(
        name=actor.name,
        role="owner" if actor.run is None else "run",
        board=os.path.basename(named),
        flow=board.queries.flow().name,
        version=board.version,
    )


def change(board: "Application", actor: "Actor", request: "ShowChange", key: str | None) -> "ItemChange":
    if board.look_at_change is None:
        words = "this process cannot look at changes"
        raise Refused("no_workplace", words, "ask a process that was opened on the board's own folder")
    return board.look_at_change(board, request)


def send_back(board: "Application", actor: "Actor", request: "SendBack", key: str | None) -> "ItemView":
    findings = [
        Finding(issue=one.text, file=one.file, line=one.line, severity=one.severity) for one in request.findings
    ]
    command = commands.SendBack(findings=findings, why=request.why, column=request.column)
    return board.engine.handle_item(actor, request.item, command, key, request.version)


def search(board: "Application", actor: "Actor", request: "Search", key: str | None) -> "Found":
    from folkmoot.engine.screen.searching import found

    return board.queries.at_one_moment(lambda snapshot: found(snapshot, request.text, request.limit))


def show_past(board: "Application", actor: "Actor", request: "ShowPast", key: str | None) -> "Past":
    from folkmoot.engine.screen.past import past

    store, clock = board.engine.store, board.engine.clock
    return store.read(lambda reading: past(reading, clock, board.folded, request))


def list_workers(board: "Application", actor: "Actor", request: "ListWorkers", key: str | None) -> "Workers":
    from folkmoot.engine.screen.workers import workers

    return board.queries.at_one_moment(lambda snapshot: workers(snapshot, board.workers))


def moves(board: "Application", actor: "Actor", request: "ShowMoves", key: str | None) -> "Moves":
    from folkmoot.engine.screen.moves import moves_of  # only this one call needs it

    person = actor.name if actor.is_person else "a person"
    return board.queries.at_one_moment(lambda snapshot: moves_of(snapshot, person, request.item))


def prospect(board: "Application", actor: "Actor", request: "ShowProspect", key: str | None) -> "LandingProspect":
    from folkmoot.engine.screen.moves import prospect_of

    return board.queries.at_one_moment(lambda snapshot: prospect_of(snapshot, request.item))
