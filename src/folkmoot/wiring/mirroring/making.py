"""Puts a file mirror together: the board, its folder, and the kernel's word on what was written there."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from folkmoot.api.machine import Mirrored
from folkmoot.core.rules.running.names import in_board, in_git
from folkmoot.doors.hints import in_commands
from folkmoot.engine.application import Application
from folkmoot.errors import Invalid, MootError, Refused
from folkmoot.mirror.folder import Folder
from folkmoot.mirror.mirror import Mirror
from folkmoot.store.change_signal import ChangeSignal
from folkmoot.system.file_lock import alone_within
from folkmoot.system.folders import FolderWatch
from folkmoot.wiring.mirroring.apart import LOCK, RECORD, RECORDS, forget, record_of, tracked_in
from folkmoot.wiring.trust import project_of


def mirror(
    application: Application, home: str, folder: str | None, *, watch: bool, tell: Callable[[str], None]
) -> Mirrored:
    """Write the files once, and take in what stands there; with `watch` until it is stopped."""
    named = application.queries.flow().mirror
    if folder is None and named is None:
        words = "the flow names no folder for the files"
        raise Invalid("no_mirror", words, "name one with <.dir>, or in the flow: mirror: {dir: .claude}")
    place = _place(home, folder) if folder is not None else _named(home, named or "")
    with _made(application, home, place, named if folder is None else None, tell, watch=watch) as made:
        if made is None:
            words = "another mirror of this board writes {folder}"
            raise Refused("mirror_running", words, "end it, or let it do its work", place.root)
        if not watch:
            made.pass_or_raise()
            return _told(made)
        over = threading.Event()
        with _until_stopped(over, application):
            made.run(over.is_set)
            told = _told(made)
    if not over.is_set():  # the flow names another folder now: go on there
        return mirror(application, home, None, watch=True, tell=tell)
    return told


def _told(made: Mirror) -> Mirrored:
    return Mirrored(
        dir=made.folder.root,
        files=len(made.record.files),
        taken_in=made.taken,
        rejected=made.rejected,
        seq=made.scribe.picture.seq,
    )


@contextmanager
def mirrored(application: Application, home: str, tell: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, the folder that the flow names shows the board, also when it names another meanwhile."""
    named = application.queries.flow().mirror
    if named is not None:
        _named(home, named)  # what cannot be one is refused before anything begins
    over = threading.Event()
    thread = threading.Thread(target=_follow, args=(application, home, over, tell), name="moot-mirror", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        ChangeSignal.notify(application.change_signal)
        thread.join()


def made_folder(home: str, named: str) -> str:
    """The folder that the flow names, which is there from now on."""
    place = _named(home, named)
    with suppress(OSError), place.opened():  # where it cannot be written, the mirror says so
        return place.root
    return place.root


def _follow(application: Application, home: str, over: threading.Event, tell: Callable[[str], None]) -> None:
    """In whichever folder the flow names. While it names none, or another mirror writes that one, there is nothing to
    do but to look again."""
    stopped: str | None = None  # a folder in which it cannot go on, so that it is said once
    begun = False
    while not (begun and over.is_set()):  # however soon it is over, the files show the end
        seen, begun = application.change_signal.count, True
        named = application.queries.flow().mirror
        if named is None or named == stopped:
            application.changed(seen, 0.0 if over.is_set() else application.look_again)
        elif not _mirrored_in(application, home, named, over, tell):
            stopped = named


def _mirrored_in(
    application: Application, home: str, named: str, over: threading.Event, tell: Callable[[str], None]
) -> bool:
    """Until the flow names another, or it is over. False: it could not, and why was said."""
    try:
        with _made(application, home, _named(home, named), named, tell, watch=True) as made:
            if made is None:  # another one does it, for now
                application.changed(application.change_signal.count, 0.0 if over.is_set() else application.look_again)
                return True
            made.run(over.is_set)
            return True
    except MootError as error:
        tell(f"the mirror has stopped: {error.message}; {in_commands(error)}")
    except Exception as error:  # the agents go on, whatever is wrong with the files
        tell(f"the mirror has stopped: {error!r}")
    return False


@contextmanager
def _made(
    application: Application, home: str, place: Folder, named: str | None, tell: Callable[[str], None], *, watch: bool
) -> Iterator[Mirror | None]:
    with place.opened():  # what cannot be a folder is refused before anything is kept about it
        pass
    os.makedirs(os.path.join(home, RECORDS), mode=0o700, exist_ok=True)
    name = record_of(home, place.root)
    with alone_within(f"{name}{LOCK}", 0) as is_alone:
        if not is_alone:
            yield None
            return
        # In this process alone: the board's own signal would wake every process that waits for it.
        watcher = FolderWatch(place.root, lambda: ChangeSignal.notify(application.change_signal)) if watch else None
        tracked = tracked_in(home, place.root)
        made = Mirror(application, place, f"{name}{RECORD}", named=named, watch=watcher, tracked=tracked, tell=tell)
        try:
            yield made
        finally:
            made.close()
            if not made.record.has_lines:  # it was refused: nothing was written there
                forget(home, name)


def _named(home: str, folder: str) -> Folder:
    """The folder that the flow names: it lies in the project."""
    return _place(home, os.path.join(project_of(home), folder))


def _place(home: str, folder: str) -> Folder:
    """Inside the project no step to it may be a link: what lands there could make one."""
    root, path = os.path.realpath(project_of(home)), os.path.abspath(folder)
    inside = os.path.relpath(path, root)
    if not inside.startswith(os.pardir):
        place = Folder(root, "" if inside == os.curdir else inside.replace(os.sep, "/"))
    else:
        above = os.path.realpath(os.path.dirname(path))
        place = Folder(above, os.path.basename(path))
    if place.root != root and os.path.commonpath([place.root, root]) == place.root:
        # Files of the project would be among those that are taken in, and nobody asks whether git tracks them.
        words = "{folder} holds the whole project"
        raise Invalid("bad_path", words, "name a folder in it, or one outside of it", folder)
    if in_git(place.root) or in_board(place.root):
        words = "{folder} is git's own folder, or a board's"
        raise Invalid("bad_path", words, "name another one, like .claude", folder)
    return place


@contextmanager
def _until_stopped(over: threading.Event, application: Application) -> Iterator[None]:
    def stop(*_: object) -> None:
        over.set()
        # Not here: the interrupted thread may hold the signal.
        threading.Thread(target=ChangeSignal.notify, args=(application.change_signal,)).start()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
