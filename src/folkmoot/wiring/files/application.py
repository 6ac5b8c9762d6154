"""An open store as a board: with the real clock, its signal, its tokens, and clones for agents from outside."""

import os
from typing import TYPE_CHECKING

from folkmoot import __version__
from folkmoot.engine.application import Application
from folkmoot.engine.clock_and_ids import Clock
from folkmoot.engine.engine import Engine
from folkmoot.store.change_signal import ChangeSignal
from folkmoot.store.port import Store
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds
from folkmoot.wiring.files.locating import ADDRESS, STORE
from folkmoot.wiring.looking.workers import MachineWorkers
from folkmoot.wiring.wal_watch import BoardSignal

if TYPE_CHECKING:
    from folkmoot.api.screen import ItemChange, ShowChange
    from folkmoot.core.flow import Flow
    from folkmoot.engine.application import Transcript
    from folkmoot.engine.outside.workplace import Workplace
    from folkmoot.wiring.serving.tokens import FileAccess


def opened(home: str, place: str | None) -> Application:
    """The board of a folder, which may be on a server; or the one at an address."""
    if (place is not None and "://" in place) or os.path.exists(os.path.join(home, ADDRESS)):
        from folkmoot.wiring.files.on_server import address_of, application_on, open_store

        address = address_of(home, place)
        assert address is not None, "there is one"
        return application_on(open_store(address), home, address, [])
    store = SqliteStore.open(os.path.join(home, STORE))
    return application_of(store, home, list(store.warnings))


def application_of(store: SqliteStore, home: str, notes: list[str]) -> Application:
    store.change_signal = BoardSignal(store.path)
    return equipped(store, home, notes, SystemClock(), store.change_signal)


def equipped(store: Store, home: str, notes: list[str], clock: Clock, change_signal: ChangeSignal) -> Application:
    application = Application(Engine(store, clock, SystemIds()), home, notes, change_signal)
    application.make_access = lambda: _access(home)
    application.open_workplace = _workplace
    application.workers = MachineWorkers(home)
    application.queries.reader = _reader
    application.version = __version__
    application.look_at_change = _change
    return application


def _access(home: str) -> "FileAccess":
    from folkmoot.wiring.serving.tokens import FileAccess

    return FileAccess(home)


def _change(board: Application, asked: "ShowChange") -> "ItemChange":
    from folkmoot.wiring.looking.changes import change

    return change(board, asked)


def _reader(flow: "Flow", agent: str, model: str | None) -> "Transcript":
    from folkmoot.worker.clients.transcript import transcript

    return transcript(flow, agent, model)


def _workplace(board: Application) -> "Workplace":
    from folkmoot.wiring.steering.outside import Outside

    return Outside(board)
