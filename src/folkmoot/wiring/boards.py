"""Boards in folders: the only place that knows a concrete store, real files and the real clock."""

import os
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from folkmoot.core.commands import Speaker
from folkmoot.engine.application import Application, Checked
from folkmoot.engine.engine import Engine
from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds

if TYPE_CHECKING:
    from collections.abc import Callable

    from folkmoot.core.flow import Flow
    from folkmoot.engine.application import Wish

FOLDER = ".moot"
STORE = "board.db"
FLOW = "flow.yaml"
LADDERS = "escalation.yaml"  # beside the flow, or for all boards of a user in the folder below
USER_LADDERS = os.path.join("~", ".oi", "config", LADDERS)
ENGINE = Speaker("folkmoot")
# The flow and its prompts may well be shared; what the board remembers and works with is its own.
IGNORED = "board.db*\nrepo.git/\nruns/\ncache/\nspares/\nwriter.lock\n"

# Paths are plain text here: pathlib alone would cost every command several milliseconds of start-up.


class FileBoards:
    """`.moot/` with the flow, its prompts and the embedded store."""

    def open(self, place: str | None) -> Application:
        home = _find(place)
        store = SqliteStore.open(os.path.join(home, STORE))
        application = Application(Engine(store, SystemClock(), SystemIds()), home, list(store.warnings))
        application.notes += _flow_changed(home, application)
        return application

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def create(self, folder: str, preset: str) -> Application:
        """Make `.moot/` below the folder. What is there already is kept: a flow the user wrote first is taken in."""
        from folkmoot.flows.preset import read_preset

        home = os.path.join(folder, FOLDER)
        if os.path.exists(os.path.join(home, STORE)):
            raise Refused("board_exists", f"there is a board in {_shown(home)} already", "use it: moot board")
        files = {**read_preset(preset), ".gitignore": IGNORED}
        if not os.path.exists(os.path.join(home, FLOW)):
            files[FLOW] = _fitted(files[FLOW], folder)
        try:
            os.makedirs(home, mode=0o700, exist_ok=True)
            for name, text in files.items():
                _write_new(os.path.join(home, name), text)
        except OSError as error:
            raise Unavailable(
                "cannot_write", f"{_shown(home)} cannot be made: {error.strerror}", "choose a folder that is yours"
            ) from error
        ladders = _ladder_file(home)
        flow, warnings = _read_flow(os.path.join(home, FLOW), ladders)
        store = SqliteStore.create(os.path.join(home, STORE))
        engine = Engine(store, SystemClock(), SystemIds())
        engine.adopt_flow(ENGINE, flow, _checksum(home, ladders) or "")
        return Application(engine, home, [*store.warnings, *warnings, *_ladder_notes(ladders)])

    def check(
        self, place: str | None, flow: str | None, moves: dict[str, str] | None = None, speaker: Speaker = ENGINE
    ) -> Checked:
        """Validate a flow; the board's own, if it has changed, is taken in, and `moves` says where items go."""
        if flow is not None:
            read, warnings = _read_flow(flow)
            return Checked(_shown(flow), read.name, None, False, warnings)
        home = _find(place)
        path, ladders = os.path.join(home, FLOW), _ladder_file(home)
        read, warnings = _read_flow(path, ladders)
        checksum = _checksum(home, ladders) or ""
        board = self.open(home)
        try:
            version, source = board.queries.flow_source()
            changed = source != checksum or board.queries.flow() != read
            if changed or moves:
                version = board.engine.adopt_flow(speaker if moves else ENGINE, read, checksum, moves)
            used = _shown(ladders) if ladders else None
            return Checked(_shown(path), read.name, version, changed or bool(moves), warnings, used)
        finally:
            board.close()

    def work(
        self,
        board: Application,
        *,
        slots: int | None,
        agents: list[str],
        until_idle: bool,
        tell: "Callable[[Any], None]",
        begin: "Callable[[dict[str, Any]], None]",
    ) -> dict[str, Any]:
        """Run agents on the board's items, until stopped or idle."""
        from folkmoot.wiring.running import work

        return work(board, board.place, slots=slots, agents=agents, until_idle=until_idle, tell=tell, begin=begin)

    def salvage(self, board: Application, run: str | None, branch: str | None) -> dict[str, Any]:
        """Work that did not land: listed, or one run's brought back as a branch."""
        from folkmoot.wiring.running import salvage

        return salvage(board, board.place, run, branch)

    def unable(self, flow: "Flow") -> dict[str, str]:
        """The agents of a flow that cannot be run here, each with the reason."""
        import shutil

        from folkmoot.worker.able import inability
        from folkmoot.worker.clients.catalogue import Catalogue

        catalogue = Catalogue.load()
        found = {name: inability(catalogue, flow, agent, shutil.which) for name, agent in flow.agents.items()}
        return {name: why for name, why in found.items() if why is not None}

    def demo(self, *, ask: bool, on_stderr: bool) -> dict[str, Any]:
        """Play the demo on a real board in a folder of its own, which stays for the user to look at."""
        from folkmoot.wiring.demo import play

        return play(ask=ask, on_stderr=on_stderr)

    def simulate(self, place: str | None, wish: "Wish") -> dict[str, Any]:
        """Try a flow with a population, in virtual time, on a board in memory."""
        from folkmoot.wiring.trials import simulate

        if wish.flow is not None:
            flow, notes = _read_flow(wish.flow)
            return simulate(flow, wish, notes)
        if wish.preset is None:
            try:
                board = self.open(place)
            except Unavailable as error:
                if place is not None or error.code != "no_board":
                    raise
            else:
                try:
                    flow, notes = board.queries.flow(), list(board.notes)
                finally:
                    board.close()
                return simulate(flow, wish, notes)
        return simulate(None, wish, [])


def _fitted(flow: str, folder: str) -> str:
    """A preset that uses the clients installed here, and lands on the branch that is checked out."""
    import shutil

    from folkmoot.worker.clients.catalogue import Catalogue
    from folkmoot.worker.clients.suggest import fitted
    from folkmoot.worker.git.places import current_branch

    return fitted(flow, Catalogue.load().find(shutil.which), current_branch(folder))


def _find(place: str | None) -> str:
    """The folder `.moot` of the board that is meant: the named one, or the nearest above."""
    if place is not None:
        if "://" in place:
            raise Invalid("unsupported_store", f"{place} cannot be used yet", "name a folder that has a .moot/ in it")
        for candidate in (place, os.path.join(place, FOLDER)):
            if os.path.basename(os.path.abspath(candidate)) == FOLDER and os.path.exists(
                os.path.join(candidate, STORE)
            ):
                return candidate
        raise Unavailable("no_board", f"there is no board at {place}", f"make one: cd {place} && moot init")
    folder = os.getcwd()
    while not os.path.exists(os.path.join(folder, FOLDER, STORE)):
        above = os.path.dirname(folder)
        if above == folder:
            raise Unavailable("no_board", "no board here or in any folder above", "make one: moot init")
        folder = above
    return os.path.join(folder, FOLDER)


def _flow_changed(home: str, application: Application) -> list[str]:
    ladders = _ladder_file(home)
    checksum = _checksum(home, ladders)
    # The flow in force is in the store; its file may well be gone.
    version, source = application.queries.flow_source()
    if checksum is None or checksum == source:
        return []
    path = _shown(os.path.join(home, FLOW))
    what = f"{path} was" if ladders is None else f"{path} or {_shown(ladders)} was"
    return [f"{what} changed since version {version} was taken in; check it and take it in: moot check"]


def _ladder_file(home: str) -> str | None:
    """The file whose ladders take the place of the flow's own: the board's, else the user's, else none (K-15)."""
    for path in (os.path.join(home, LADDERS), os.path.expanduser(USER_LADDERS)):
        if os.path.isfile(path):
            return path
    return None


def _ladder_notes(ladders: str | None) -> list[str]:
    return [f"the ladders of {_shown(ladders)} are used in place of the flow's own"] if ladders else []


def _write_new(path: str, text: str) -> None:
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


def _read_flow(path: str, ladders: str | None = None) -> "tuple[Flow, list[str]]":
    """The flow in a file, with the ladders of another in place of its own, and what its author should know."""
    from folkmoot.flows.load import read_flow

    text = _text(path, "unreadable_flow", "name a flow file: moot check FILE")
    rungs = None
    if ladders is not None:
        from folkmoot.flows.ladder_file import read_ladder_file

        rungs = read_ladder_file(_text(ladders, "unreadable_ladders", "mend the file, or remove it"), _shown(ladders))
    from folkmoot.worker.clients.catalogue import Catalogue

    known = list(Catalogue.load().clients)
    read = read_flow(text, _shown(path), _prompts(os.path.dirname(path)), rungs, known)
    return read.flow, read.warnings


def _text(path: str, code: str, hint: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(code, f"{_shown(path)} cannot be read: {error}", hint) from error


def _checksum(home: str, ladders: str | None) -> str | None:
    """Of all that the board's flow is read from but its prompts; None if that is not there."""
    summed = sha256()
    try:
        for path in (os.path.join(home, FLOW), *([ladders] if ladders else [])):
            with open(path, "rb") as file:
                summed.update(file.read())
    except OSError:
        return None
    return summed.hexdigest()


def _shown(path: str) -> str:
    """The path as a user in this folder would type it."""
    shown = os.path.relpath(path)
    return path if shown.startswith("..") else shown


def _prompts(folder: str) -> "Callable[[str], str | None]":
    """Read prompt files that a flow names, below its own folder and nowhere else."""
    root = os.path.realpath(folder or os.curdir)

    def read(name: str) -> str | None:
        path = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath([root, path]) != root or not os.path.isfile(path):
            return None
        with open(path, encoding="utf-8") as file:
            return file.read()

    return read
