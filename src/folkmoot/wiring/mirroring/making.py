"""Puts a file mirror together: the board, its folder, and the kernel's word on what was written there."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from folkmoot.core.rules.running.names import in_board, in_git
from folkmoot.engine.application import Application
from folkmoot.errors import Invalid, MootError, Refused
from folkmoot.mirror.folder import Folder
from folkmoot.mirror.mirror import Mirror
from folkmoot.store.bell import Bell
from folkmoot.system.alone import alone_within
from folkmoot.system.folders import FolderWatch
from folkmoot.wiring.trust import project_of

RECORDS = "mirror"  # the folder in .moot that holds what was written, for each folder that is mirrored to


def mirror(
    application: Application, home: str, folder: str | None, *, watch: bool, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Write the files once, and take in what stands there; with `watch` until it is stopped."""
    named = application.queries.flow().mirror
    if folder is None and named is None:
        hint = "name one with --dir D, or in the flow: mirror: {dir: .claude}"
        raise Invalid("no_mirror", "the flow names no folder for the files", hint)
    place = _place(home, folder) if folder is not None else _place(home, os.path.join(project_of(home), named or ""))
    with _made(application, home, place, tell, watch=watch) as made:
        if made is None:
            words = f"another mirror of this board writes {place.root}"
            raise Refused("mirror_running", words, "end it, or let it do its work")
        if watch:
            over = threading.Event()
            with _until_stopped(over, application):
                made.run(over.is_set)
        else:
            made.pass_or_raise()
        return {
            "dir": place.root,
            "files": len(made.record.files),
            "taken_in": made.taken,
            "rejected": made.rejected,
            "seq": made.scribe.picture.seq,
        }


@contextmanager
def mirrored(application: Application, home: str, tell: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, the folder that the flow names shows the board; nothing where it names none."""
    named = application.queries.flow().mirror
    if named is None:
        yield
        return
    with _made(application, home, _place(home, os.path.join(project_of(home), named)), tell, watch=True) as made:
        if made is None:
            yield  # another one does it
            return
        over = threading.Event()
        thread = threading.Thread(target=_work, args=(made, over, tell), name="moot-mirror", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            Bell.ring(application.bell)
            thread.join()


def made_folder(home: str, named: str) -> str:
    """The folder that the flow names, which is there from now on."""
    place = _place(home, os.path.join(project_of(home), named))
    with place.opened():
        return place.root


def _work(made: Mirror, over: threading.Event, tell: Callable[[str], None]) -> None:
    try:
        made.run(over.is_set)
    except MootError as error:
        tell(f"the mirror has stopped: {error.message}; {error.hint}")
    except Exception as error:  # the agents go on, whatever is wrong with the files
        tell(f"the mirror has stopped: {error!r}")


@contextmanager
def _made(
    application: Application, home: str, place: Folder, tell: Callable[[str], None], *, watch: bool
) -> Iterator[Mirror | None]:
    records = os.path.join(home, RECORDS)
    os.makedirs(records, mode=0o700, exist_ok=True)
    name = os.path.join(records, sha256(os.fsencode(place.root)).hexdigest()[:16])
    with alone_within(f"{name}.lock", 0) as is_alone:
        if not is_alone:
            yield None
            return
        # In this process alone: a ring of the board's own bell would wake every process that waits for it.
        watcher = FolderWatch(place.root, lambda: Bell.ring(application.bell)) if watch else None
        made = Mirror(application, place, f"{name}.jsonl", watch=watcher, tell=tell)
        try:
            yield made
        finally:
            made.close()


def _place(home: str, folder: str) -> Folder:
    """Inside the project no step to it may be a link: what lands there could make one."""
    root, path = os.path.realpath(project_of(home)), os.path.abspath(folder)
    inside = os.path.relpath(path, root)
    if not inside.startswith(os.pardir):
        place = Folder(root, "" if inside == os.curdir else inside.replace(os.sep, "/"))
    else:
        above = os.path.realpath(os.path.dirname(path))
        place = Folder(above, os.path.basename(path))
    if in_git(place.root) or in_board(place.root):
        raise Invalid("bad_path", f"{folder} is git's own folder, or a board's", "name another one, like .claude")
    return place


@contextmanager
def _until_stopped(over: threading.Event, application: Application) -> Iterator[None]:
    def stop(*_: object) -> None:
        over.set()
        # Not here: whoever was interrupted may be the one who holds the bell.
        threading.Thread(target=Bell.ring, args=(application.bell,)).start()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
