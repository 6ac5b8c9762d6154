"""Everything of a board into the one file of a backup."""

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from folkmoot.api.machine import BackedUp
from folkmoot.errors import Unavailable
from folkmoot.store.codec import decode_row
from folkmoot.store.sqlite.backup import backup as backups
from folkmoot.store.sqlite.backup import log
from folkmoot.store.sqlite.backup.archive import STORE, Manifest
from folkmoot.store.sqlite.backup.backup import WORK, pack, stamp
from folkmoot.wiring.trust import git_for
from folkmoot.wiring.users_files import REPOSITORY, copy_to, notes_of
from folkmoot.worker.git import bundle

if TYPE_CHECKING:
    from folkmoot.core.item import Item


def pack_board(home: str, file: str | None, unfinished: str, copy: str, seq: int, chain: bytes, why: str) -> BackedUp:
    """Write the backup of a store that was copied and proven; `why` says what it is made before, if anything."""
    if file is None:
        file = backups.name_for(backups.backups_beside(os.path.join(home, STORE)), seq, why)
    elif os.path.isdir(file):
        file = backups.name_for(file, seq, why)
    manifest = Manifest(made_by=backups.made_by(), made_at=stamp(), why=why, seq=seq, chain=chain.hex())
    members, work = {STORE: copy}, os.path.join(unfinished, WORK)
    git, git_dir, heads = git_for(home), repository_of(home), heads_in(copy, os.path.join(home, STORE))
    notes, gone, called = [], list(heads), "the backup that undoes this" if why else "the backup"
    # After the snapshot: a commit is in the repository before a row names it.
    if os.path.isdir(git_dir):
        try:
            count, gone = bundle.pack(git, git_dir, work, heads)
            if count:
                form, shallow = bundle.form_of(git, git_dir), bundle.shallow_of(git_dir)
                manifest, members[WORK] = replace(manifest, objects=form, shallow=shallow), work
        except Unavailable as fault:  # the rest is worth keeping all the same
            notes.append(f"the work in git is not in {called}: {fault}")
    copies, left_out = copy_to(home, unfinished)
    size = pack(file, manifest, members | copies)
    return BackedUp(
        path=file,
        seq=seq,
        events=seq,
        size=size,
        work=WORK in members,
        missing=gone,
        left_out=left_out,
        notes=notes + notes_of(left_out, called),
    )


def repository_of(home: str) -> str:
    return os.path.join(os.path.abspath(home), REPOSITORY)


def heads_in(copy: str, board: str) -> dict[str, str]:
    """The commits that items' branches are at, as the rows say."""
    with log.reading(copy, board) as connection:
        found: dict[str, str] = {}
        for (doc,) in connection.execute("SELECT doc FROM items WHERE instr(doc, '\"head\":') > 0"):
            item: Item = decode_row("items", str(doc))
            if item.head is not None:
                found[item.id] = item.head
        return found
