"""Boards in folders: the only place that knows a concrete store, real files and the real clock."""

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from folkmoot.core.commands import ENGINE, Actor
from folkmoot.engine.application import Application, Checked
from folkmoot.engine.engine import Engine
from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.store.sqlite.create import sync_folders
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds
from folkmoot.wiring.reading import check_owner, content_of, prompts_below, shown, text_of, write_new
from folkmoot.wiring.wal_watch import BoardBell

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from folkmoot.core.flow import Flow
    from folkmoot.engine.application import SimulationRequest

FOLDER = ".moot"
STORE = "board.db"
FLOW = "flow.yaml"
MOVING = os.path.join("repo.git", "moving")  # there once a landing has had to do with files of the user's
LADDERS = "escalation.yaml"  # beside the flow, or for all boards of a user in the folder below
USER_LADDERS = os.path.join("~", ".oi", "config", LADDERS)
# The flow and its prompts may well be shared; what the board remembers and works with is its own.
IGNORED = (
    "board.db*\nrepo.git/\nrepo.git.*/\nlook-*/\nruns/\ncache/\nspares/\nwriter.lock\nnotified*\nbackups/\nset-aside/\n"
    "mirror/\n"
)

# Paths are plain text here: pathlib alone would cost every command several milliseconds of start-up.


class FileBoards:
    """`.moot/` with the flow, its prompts and the embedded store."""

    def open(self, board_dir: str | None) -> Application:
        home = _find(board_dir)
        store = SqliteStore.open(os.path.join(home, STORE))
        application = _application(store, home, list(store.warnings))
        application.notes += _flow_changed(home, application)
        if os.path.isdir(os.path.join(home, MOVING)):
            from folkmoot.wiring.git_status import cut_off

            cut_off(home, application)
        return application

    def create(self, folder: str, preset: str) -> Application:
        """Make `.moot/` below the folder. What is there already is kept: a flow the user wrote first is taken in."""
        from folkmoot.flows.preset import read_preset
        from folkmoot.wiring.git_status import look_for_target, root_notes
        from folkmoot.wiring.trust import check_files, made_for_this, make_private

        home = os.path.join(folder, FOLDER)
        path = os.path.join(home, STORE)
        if os.path.exists(path) and not _is_unfinished(path):
            return self._made_for_this(home)
        check_files(home, [])
        files = {**read_preset(preset), ".gitignore": IGNORED}
        if not os.path.exists(os.path.join(home, FLOW)):
            files[FLOW] = _fitted(files[FLOW], folder)
        try:
            os.makedirs(home, mode=0o700, exist_ok=True)
            for name, text in files.items():
                write_new(os.path.join(home, name), text)
            for name in {os.path.dirname(name) for name in files}:
                sync_folders(os.path.join(home, name, FLOW))
            open_to_others = make_private(home)
        except OSError as error:
            raise Unavailable(
                "cannot_write", f"{shown(home)} cannot be made: {error.strerror}", "choose a folder that is yours"
            ) from error
        ladders = _ladder_file(home)
        flow, warnings = _read_own(home, ladders)
        look_for_target(home, flow)
        warnings += [*open_to_others, *root_notes(home)]
        store = SqliteStore.open(path) if os.path.exists(path) else SqliteStore.create(path)
        made_for_this(home)
        application = _application(store, home, [*store.warnings, *warnings, *_ladder_notes(ladders)])
        application.engine.adopt_flow(ENGINE, flow, _checksum(home, ladders) or "")
        return application

    def _made_for_this(self, home: str) -> Application:
        """A board that is there: its user may say that it is for the repository that was made, or moved, since."""
        from folkmoot.wiring.trust import made_for_this

        if not made_for_this(home):
            raise Refused("board_exists", f"there is a board in {shown(home)} already", "use it: moot board")
        application = self.open(home)
        application.notes.append("the board that was here already now works on the repository as it is here")
        return application

    def check(
        self, board_dir: str | None, flow: str | None, moves: dict[str, str] | None = None, actor: Actor = ENGINE
    ) -> Checked:
        """Validate a flow; the board's own, if it has changed, is taken in, and `moves` says where items go."""
        if flow is not None:
            read, warnings = _read_flow(flow)
            return Checked(shown(flow), read.name, None, False, warnings)
        from folkmoot.wiring.git_status import look_for_target, uncommitted, unstartable

        home = _find(board_dir)
        path, ladders = os.path.join(home, FLOW), _ladder_file(home)
        read, warnings = _read_own(home, ladders)
        look_for_target(home, read)
        checksum = _checksum(home, ladders) or ""
        board = self.open(home)
        try:
            version, source = board.queries.flow_source()
            changed = source != checksum or board.queries.flow() != read
            if changed or moves:
                version = board.engine.adopt_flow(actor if moves else ENGINE, read, checksum, moves)
            used = shown(ladders) if ladders else None
            warnings = [*warnings, *uncommitted(home, read), *unstartable(home, read)]
            return Checked(shown(path), read.name, version, changed or bool(moves), warnings, used)
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

        return work(board, board.board_dir, slots=slots, agents=agents, until_idle=until_idle, tell=tell, begin=begin)

    def salvage(self, board: Application, run: str | None, branch: str | None) -> dict[str, Any]:
        """Work that did not land: listed, or one run's brought back as a branch."""
        from folkmoot.wiring.running import salvage

        return salvage(board, board.board_dir, run, branch)

    def unmerged_branch(self, board: Application) -> str | None:
        """The branch on which landed work waits for the user to merge it, if any does."""
        from folkmoot.wiring.git_status import unmerged_branch

        return unmerged_branch(board.board_dir, board.queries.flow().target)

    def in_the_way(self, board: Application) -> list[str]:
        """The user's own files that keep landed work on the branch beside the target."""
        from folkmoot.wiring.git_status import in_the_way

        return in_the_way(board.board_dir, board.queries.flow().target)

    def kept(self, board: Application, runs: list[str]) -> list[str]:
        """Those of the runs whose work is kept, though no report has told of it."""
        from folkmoot.wiring.git_status import kept

        return kept(board.board_dir, runs)

    def unable(self, board: Application, flow: "Flow") -> dict[str, str]:
        """The agents of a flow that cannot be run here, each with the reason."""
        from folkmoot.wiring.trust import Outside
        from folkmoot.worker.clients.catalogue import Catalogue
        from folkmoot.worker.startable import why_not_startable

        catalogue, programs = Catalogue.load(), Outside(board.board_dir)
        found = {name: why_not_startable(catalogue, flow, agent, programs) for name, agent in flow.agents.items()}
        return {name: why for name, why in found.items() if why is not None}

    def held_by_kernel(self) -> list[str]:
        """The limits of a run that the kernel holds on this machine; the others are looked at."""
        from folkmoot.system.processes.groups import above

        return ["open_files", *(["processes"] if above() else [])]

    def demo(self, *, ask: bool, on_stderr: bool) -> dict[str, Any]:
        """Play the demo on a real board in a folder of its own, which stays for the user to look at."""
        from folkmoot.wiring.demo import play

        return play(ask=ask, on_stderr=on_stderr)

    def simulate(self, board_dir: str | None, request: "SimulationRequest") -> dict[str, Any]:
        """Try a flow with a population, in virtual time, on a board in memory."""
        from folkmoot.wiring.trials import calibrate, simulate

        if request.calibrate:
            board = self.open(board_dir)
            try:
                return calibrate(board)
            finally:
                board.close()
        if request.flow is not None:
            flow, notes = _read_flow(request.flow)
            return simulate(flow, request, notes, _read_flow)
        if request.preset is None:
            try:
                board = self.open(board_dir)
            except Unavailable as error:
                if board_dir is not None or error.code != "no_board":
                    raise
            else:
                try:
                    flow, notes = board.queries.flow(), list(board.notes)
                finally:
                    board.close()
                return simulate(flow, request, notes, _read_flow)
        return simulate(None, request, [], _read_flow)

    def backup(self, board_dir: str | None, file: str | None) -> dict[str, Any]:
        """Keep the board as it is now in one file."""
        from folkmoot.wiring.backups import back_up

        return back_up(shown(_find(board_dir)), file)

    def restore(
        self, board_dir: str | None, file: str | None, at: int | None, ago: float | None = None
    ) -> dict[str, Any]:
        """Make the board what it was; where there is none, one is made from the backup."""
        from folkmoot.wiring.backups import restore
        from folkmoot.wiring.trust import check_repository, make_private

        home = shown(_find_lost(board_dir, file))
        view = restore(home, file, at, ago)
        make_private(home)
        check_repository(home)
        write_new(os.path.join(home, ".gitignore"), IGNORED)
        return view

    def export(self, board_dir: str | None, file: str | None, write: "Callable[[bytes], object]") -> dict[str, Any]:
        """The board's log as JSON lines."""
        from folkmoot.wiring.backups import export

        return export(shown(_find(board_dir)), file, write)

    def import_log(self, folder: str, source: "BinaryIO", name: str) -> dict[str, Any]:
        """A new board below the folder, from an exported log."""
        from folkmoot.wiring.backups import import_log
        from folkmoot.wiring.trust import made_for_this, make_private

        home = os.path.normpath(os.path.join(folder, FOLDER))
        view = import_log(folder, home, source, name)
        make_private(home)
        made_for_this(home)
        write_new(os.path.join(home, ".gitignore"), IGNORED)
        return {**view, "flow_file": os.path.exists(os.path.join(home, FLOW))}

    def mirror(
        self, board: Application, folder: str | None, *, watch: bool, tell: "Callable[[str], None]"
    ) -> dict[str, Any]:
        """Show the board as the documents' files, and take in what is written there."""
        from folkmoot.wiring.mirroring.making import mirror

        return mirror(board, board.board_dir, folder, watch=watch, tell=tell)

    def rescue(self, board_dir: str | None) -> str:
        """What to do about a board that is not sound."""
        from folkmoot.store.sqlite.backup.recovery_advice import way_back

        return way_back(os.path.join(_find(board_dir), STORE))


def _application(store: SqliteStore, home: str, notes: list[str]) -> Application:
    store.change_signal = change_signal = BoardBell(store.path)
    return Application(Engine(store, SystemClock(), SystemIds()), home, notes, change_signal)


def _is_unfinished(path: str) -> bool:
    """Whether it is the store of an init that was killed before it took in a flow; there is nothing on it yet."""
    store = SqliteStore.open(path)
    try:
        return store.read(lambda reading: reading.head()).flow_version == 0
    finally:
        store.close()


def _find_lost(board_dir: str | None, file: str | None) -> str:
    """The folder of the board to be brought back. Its store may be gone; with a backup it may all be gone."""
    try:
        return _find(board_dir)
    except Unavailable:
        folder = os.path.abspath(board_dir or os.curdir)
        home = folder if os.path.basename(folder) == FOLDER else os.path.join(folder, FOLDER)
        needed = os.path.join(home, "backups") if file is None else os.path.dirname(home)
        if not os.path.isdir(needed):
            raise
        return home


def _fitted(flow: str, folder: str) -> str:
    """A preset that uses the clients installed here, and lands on the branch that is checked out."""
    from folkmoot.wiring.trust import Outside
    from folkmoot.worker.clients.catalogue import Catalogue
    from folkmoot.worker.clients.suggest import fitted
    from folkmoot.worker.git.places import current_branch

    return fitted(flow, Catalogue.load().find(Outside(os.path.join(folder, FOLDER))), current_branch(folder))


def _find(board_dir: str | None) -> str:
    """The folder `.moot` of the board that is meant: the named one, or the nearest above."""
    if board_dir is not None:
        if "://" in board_dir:
            raise Invalid(
                "unsupported_store", f"{board_dir} cannot be used yet", "name a folder that has a .moot/ in it"
            )
        for candidate in (board_dir, os.path.join(board_dir, FOLDER)):
            if os.path.basename(os.path.abspath(candidate)) == FOLDER and os.path.exists(
                os.path.join(candidate, STORE)
            ):
                return candidate
        raise Unavailable("no_board", f"there is no board at {board_dir}", f"make one: cd {board_dir} && moot init")
    folder = os.getcwd()
    while not os.path.exists(os.path.join(folder, FOLDER, STORE)):
        above = os.path.dirname(folder)
        if above == folder:
            raise Unavailable("no_board", "no board here or in any folder above", "make one: moot init")
        folder = above
    home = os.path.join(folder, FOLDER)
    check_owner([home, os.path.join(home, STORE)])
    return home


def _flow_changed(home: str, application: Application) -> list[str]:
    ladders = _ladder_file(home)
    checksum = _checksum(home, ladders)
    # The flow in force is in the store; its file may well be gone.
    version, source = application.queries.flow_source()
    if checksum is None or checksum == source:
        return []
    path = shown(os.path.join(home, FLOW))
    what = f"{path} was" if ladders is None else f"{path} or {shown(ladders)} was"
    return [f"{what} changed since version {version} was taken in; check it and take it in: moot check"]


def _ladder_file(home: str) -> str | None:
    """The file whose ladders take the place of the flow's own: the board's, else the user's, else none (K-15)."""
    for path in (os.path.join(home, LADDERS), os.path.expanduser(USER_LADDERS)):
        if os.path.isfile(path):
            return path
    return None


def _ladder_notes(ladders: str | None) -> list[str]:
    return [f"the ladders of {shown(ladders)} are used in place of the flow's own"] if ladders else []


def _read_own(home: str, ladders: str | None) -> "tuple[Flow, list[str]]":
    """The board's own flow, if nothing of what it says can be changed by what lands."""
    from folkmoot.wiring.trust import check_files, check_flow

    path = os.path.join(home, FLOW)
    check_files(home, [path, *([ladders] if ladders else [])])
    flow, warnings = _read_flow(path, ladders)
    check_flow(home, flow)
    return flow, warnings


def _read_flow(path: str, ladders: str | None = None) -> "tuple[Flow, list[str]]":
    """The flow in a file, with the ladders of another in place of its own, and what its author should know."""
    from folkmoot.flows.faults import FlowFaults
    from folkmoot.flows.load import read_flow

    text = text_of(path, "unreadable_flow", "name a flow file: moot check FILE")
    rungs = None
    if ladders is not None:
        from folkmoot.flows.ladder_file import check_ladder_file, read_ladder_file

        steps = text_of(ladders, "unreadable_ladders", "mend the file, or remove it")
        rungs = read_ladder_file(steps, shown(ladders))
    from folkmoot.worker.clients.catalogue import Catalogue

    known = list(Catalogue.load().clients)
    try:
        read = read_flow(text, shown(path), prompts_below(os.path.dirname(path)), rungs, known)
    except FlowFaults as faults:
        if os.path.basename(os.path.dirname(os.path.abspath(path))) != FOLDER:  # no board's own: it must be named
            from shlex import quote

            faults.hint = f"repair {shown(path)}, then look again with `moot check {quote(shown(path))}`"
        raise
    noted = check_ladder_file(steps, shown(ladders), read.flow) if ladders is not None else []
    return read.flow, [*read.warnings, *noted]


def _checksum(home: str, ladders: str | None) -> str | None:
    """Of all that the board's flow is read from but its prompts; None if that is not there."""
    summed = sha256()
    try:
        for path in (os.path.join(home, FLOW), *([ladders] if ladders else [])):
            summed.update(content_of(path))
    except (OSError, ValueError):
        return None
    return summed.hexdigest()
