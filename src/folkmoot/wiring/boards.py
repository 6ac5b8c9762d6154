"""Boards in folders: the only place that knows a concrete store, real files and the real clock."""

import os
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from folkmoot.core.commands import ENGINE, Actor
from folkmoot.engine.application import Application
from folkmoot.errors import Refused, Unavailable
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.wiring.files.application import application_of, opened
from folkmoot.wiring.files.flow_files import (
    FLOW,
    checked_file,
    checked_own,
    checksum_of,
    flow_changed,
    ladder_file,
    ladder_notes,
    read_flow_file,
    read_own,
)
from folkmoot.wiring.files.locating import ADDRESS, FOLDER, STORE, find, find_lost
from folkmoot.wiring.files.making import IGNORED, is_unfinished, make_files
from folkmoot.wiring.reading import shown, write_new

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from folkmoot.api import machine
    from folkmoot.api.pages import LostWork
    from folkmoot.api.serving import ServeOptions, ServerStart
    from folkmoot.api.views import ItemView
    from folkmoot.core.flow import Flow
    from folkmoot.core.proposals.issue import ForgeIssue, IssuePlace
    from folkmoot.core.report import Report
    from folkmoot.engine.application import SimulationRequest, Transcript

MOVING = os.path.join("repo.git", "moving")  # there once a landing has had to do with files of the user's

# Paths are plain text here: pathlib alone would cost every command several milliseconds of start-up.


class FileBoards:
    """`.moot/` with the flow, its prompts and the embedded store."""

    def open(self, board_dir: str | None) -> Application:
        home = find(board_dir)
        application = opened(home, board_dir)
        application.notes += flow_changed(home, application)
        if os.path.isdir(os.path.join(home, MOVING)):
            from folkmoot.wiring.git_status import cut_off

            cut_off(home, application)
        return application

    def create(self, folder: str, preset: str, gate: str | None = None, place: str | None = None) -> Application:
        """Make `.moot/` below the folder. What is there already is kept: a flow the user wrote first is taken in.

        `gate` is the command that proves work; None: what the project has, empty: none. `place` may be the address of
        a board on a server: a new one, or one that this machine joins."""
        from folkmoot.wiring.git_status import look_for_target, root_notes
        from folkmoot.wiring.trust import made_for_this

        home = os.path.join(folder, FOLDER)
        path = os.path.join(home, STORE)
        if os.path.exists(os.path.join(home, ADDRESS)) or (os.path.exists(path) and not is_unfinished(path)):
            return self._made_for_this(home)
        if place is not None and "://" in place:
            from folkmoot.wiring.files.on_server import make

            return make(folder, home, preset, gate, place)
        open_to_others = make_files(folder, home, preset, gate)
        ladders = ladder_file(home)
        flow, warnings = read_own(home, ladders)
        look_for_target(home, flow)
        warnings += [*open_to_others, *root_notes(home)]
        store = SqliteStore.open(path) if os.path.exists(path) else SqliteStore.create(path)
        made_for_this(home)
        application = application_of(store, home, [*store.warnings, *warnings, *ladder_notes(ladders)])
        application.engine.adopt_flow(ENGINE, flow, checksum_of(home, ladders) or "")
        return application

    def found_gate(self, folder: str, preset: str) -> "machine.GateFound | None":
        """The check that the project in this folder already has; none where the preset has no place for one."""
        from folkmoot.flows.preset import read_preset
        from folkmoot.wiring.files.found_gate import found_gate
        from folkmoot.worker.clients.suggest import takes_gate

        return found_gate(folder) if takes_gate(read_preset(preset)[FLOW]) else None

    def _made_for_this(self, home: str) -> Application:
        """A board that is there: its user may say that it is for the repository that was made, or moved, since."""
        from folkmoot.wiring.files.brought import begin_here, has_begun
        from folkmoot.wiring.trust import made_for_this

        if not has_begun(home):
            begin_here(home)
            application = self.open(home)
            application.notes.append("what its flow says is used here from now on")
            return application
        if not made_for_this(home):
            raise Refused("board_exists", "there is a board in {folder} already", "use it: <board>", shown(home))
        application = self.open(home)
        application.notes.append("the board that was here already now works on the repository as it is here")
        return application

    def check(self, board_dir: str | None, flow: str | None) -> "machine.FlowChecked":
        """Validate a flow; of the board's own, say what `apply` would change or refuse. Nothing is changed."""
        if flow is not None:
            return checked_file(flow)
        home = find(board_dir)
        with closing(self.open(home)) as board:
            return checked_own(board, home, None, partial(self.unable, board))

    def apply(self, board_dir: str | None, moves: dict[str, str], actor: Actor) -> "machine.FlowChecked":
        """Take in the board's own flow if it has changed; `moves` says where the items of a column go."""
        home = find(board_dir)
        with closing(self.open(home)) as board:
            return checked_own(board, home, moves, partial(self.unable, board), actor)

    def work(
        self,
        board: Application,
        *,
        slots: int | None,
        agents: list[str],
        until_idle: bool,
        tell: "Callable[[Any], None]",
        begin: "Callable[[machine.WorkerStart], None]",
        labels: "Sequence[str]" = (),
    ) -> "machine.WorkerEnd":
        """Run agents on the board's items, until stopped or idle."""
        from folkmoot.wiring.running import work

        board.change_signal.listen()
        home = board.board_dir
        return work(
            board, home, slots=slots, agents=agents, until_idle=until_idle, tell=tell, begin=begin, labels=labels
        )

    @contextmanager
    def attend(self, board: Application, tell: "Callable[[Any], None]") -> "Iterator[None]":
        """See to gates, landings and what dead workers left, in a thread of this process, for as long as it is open."""
        from folkmoot.wiring.steering.attending import attend

        board.change_signal.listen()
        with attend(board, board.board_dir, tell):
            yield

    def worker_alive(self, board: Application) -> bool:
        """Is there anybody on this machine who sees to gates and landings?"""
        from folkmoot.worker.removing import is_attended

        return is_attended(os.path.abspath(board.board_dir))

    def transcript(self, board: Application, agent: str, model: str | None) -> "Transcript":
        """Reads what a run of this agent printed. Where the flow has it no more, by what its lines look like."""
        from folkmoot.worker.clients.transcript import transcript

        return transcript(board.queries.flow(), agent, model)

    def ready(
        self,
        board: Application,
        *,
        agents: list[str],
        again: bool,
        first: bool,
        tell: "Callable[[str], None]",
        notice: bool = False,
    ) -> "machine.Readiness":
        """Look at what runs need, before one begins."""
        from folkmoot.wiring.readiness.looking import look

        return look(board, board.board_dir, agents=agents, again=again, first=first, tell=tell, notice=notice)

    def accept_red(self, board: Application, commits: list[str]) -> None:
        """Runs may begin though gates are red on these commits."""
        from folkmoot.wiring.readiness.gate_looks import accept_red

        accept_red(board.board_dir, commits)

    def unlanded(self, board: Application) -> "machine.UnlandedPage":
        """Work that did not land."""
        from folkmoot.wiring.running import unlanded

        return unlanded(board, board.board_dir)

    def salvage(self, board: Application, run: str, branch: str | None) -> "machine.BroughtBack":
        """The work of a run that did not land, brought back as a branch."""
        from folkmoot.wiring.running import salvage

        return salvage(board, board.board_dir, run, branch)

    def take(self, board: Application, actor: Actor, what: str, tell: "Callable[[str], None]") -> "machine.Taken":
        """An item for a person, with a clone."""
        from folkmoot.wiring.steering.taking import take

        return take(board, actor, what, tell)

    def shell(self, taken: "machine.Taken") -> None:
        """The person's own shell, in the clone."""
        from folkmoot.wiring.steering.taking import shell

        shell(taken)

    def leave(self, board: Application, run: str, tell: "Callable[[str], None]") -> bool:
        """The person's shell is closed; is the item still theirs?"""
        from folkmoot.wiring.steering.taking import leave

        return leave(board, run, tell)

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
        tell: "Callable[[str], None]",
    ) -> "machine.Given":
        """A person's work, reported through the same gates as an agent's."""
        from folkmoot.wiring.steering.taking import give

        return give(board, actor, what, report, back=back, widen=widen, unproved=unproved, tell=tell)

    def serve(
        self,
        board: Application,
        options: "ServeOptions",
        name: str,
        begin: "Callable[[ServerStart], None]",
        tell: "Callable[[str], None]",
    ) -> None:
        """The board over HTTP, until a signal ends it."""
        from folkmoot.wiring.serving.server import serve

        serve(board, options, name, begin, tell)

    def served_at(self, board: Application) -> str | None:
        """The address at which this machine serves it now, if it does."""
        from folkmoot.wiring.serving.address import served_at

        return served_at(board.board_dir)

    def unmerged_branch(self, board: Application) -> str | None:
        """The branch on which landed work waits for the user to merge it, if any does."""
        from folkmoot.wiring.git_status import unmerged_branch

        return unmerged_branch(board.board_dir, board.queries.flow().target)

    def in_the_way(self, board: Application) -> list[str]:
        """The user's own files that keep landed work on the branch beside the target."""
        from folkmoot.wiring.git_status import in_the_way

        return in_the_way(board.board_dir, board.queries.flow().target)

    def issues(self, board: Application, place: "IssuePlace", label: str | None) -> "list[ForgeIssue]":
        """Issues of a forge: one by its number, or the open ones with a label."""
        from folkmoot.wiring.forge.issues import read_issues

        return read_issues(board.board_dir, board.queries.flow(), place, label)

    def lost(self, board: Application, item: "ItemView | None" = None) -> "list[LostWork]":
        """Landed work that its branch does not hold any more: of this item, or of all."""
        from folkmoot.wiring.looking.lost import lost_item, lost_landings

        return lost_landings(board) if item is None else lost_item(board, item)

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

    def log_cleaner(self) -> "Callable[[str], str]":
        """Takes out of a text what must not stand in a log."""
        from folkmoot.wiring.observing.cleaning import cleaner

        return cleaner(os.environ)

    def demo(self, *, ask: bool, on_stderr: bool) -> "machine.DemoEnd":
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
            flow, notes = read_flow_file(request.flow)
            return simulate(flow, request, notes, read_flow_file)
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
                return simulate(flow, request, notes, read_flow_file)
        return simulate(None, request, [], read_flow_file)

    def backup(self, board_dir: str | None, file: str | None) -> "machine.BackedUp":
        """Keep the board as it is now in one file."""
        from folkmoot.wiring.backups import back_up

        return back_up(shown(_on_this_machine(find(board_dir), board_dir, "kept in one file")), file)

    def restore(
        self, board_dir: str | None, file: str | None, at: int | None, ago: float | None = None
    ) -> "machine.Restored":
        """Make the board what it was; where there is none, one is made from the backup."""
        from folkmoot.wiring.backups import restore
        from folkmoot.wiring.trust import check_repository, make_private

        home = shown(_on_this_machine(find_lost(board_dir, file), board_dir, "brought back"))
        view = restore(home, file, at, ago)
        make_private(home)
        check_repository(home)
        write_new(os.path.join(home, ".gitignore"), IGNORED)
        return view

    def export(self, board_dir: str | None, file: str | None, write: "Callable[[bytes], object]") -> "machine.Exported":
        """The board's log as JSON lines, and beside a file of it the work."""
        from folkmoot.wiring.files.carried import export

        return export(find(board_dir), board_dir, file, write)

    def save_page(self, board: Application, file: str, item: str | None) -> "machine.Saved":
        """The board, or one item with all that was made for it, as one page that opens from disk."""
        from folkmoot.wiring.looking.saving import save

        return save(board, file, item)

    def import_log(self, folder: str, source: "BinaryIO", name: str, file: str | None = None) -> "machine.Imported":
        """A new board below the folder, from an exported log; with a file, also the work that lies beside it."""
        from folkmoot.wiring.files.carried import import_log

        return import_log(folder, source, name, file)

    def mirror(
        self, board: Application, folder: str | None, *, watch: bool, tell: "Callable[[str], None]"
    ) -> "machine.Mirrored":
        """Show the board as the documents' files, and take in what is written there."""
        from folkmoot.wiring.mirroring.making import mirror

        return mirror(board, board.board_dir, folder, watch=watch, tell=tell)

    def rescue(self, board_dir: str | None) -> tuple[str, dict[str, Any]]:
        """What to do about a board that is not sound."""
        from folkmoot.store.sqlite.backup.recovery_advice import way_back
        from folkmoot.wiring.files.on_server import WAY_BACK, address_of

        home = find(board_dir)
        return (WAY_BACK, {}) if address_of(home, board_dir) else way_back(os.path.join(home, STORE))


def _on_this_machine(home: str, board_dir: str | None, what: str) -> str:
    """The folder of a board that is in a file; one on a server is the server's to keep, and to bring back."""
    from folkmoot.wiring.files.on_server import address_of, not_here

    address = address_of(home, board_dir)
    if address is not None:
        raise not_here(address, what)
    return home
