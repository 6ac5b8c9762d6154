"""`.worktreeinclude`: which ignored files of the user's tree every clone gets, such as `.env`.

The file is the user's own, read from the tree in which the board lies. No change of a run comes there: it would say
what of this machine the next agent sees. What it names is copied: regular files that git ignores, none behind a link.
"""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256

import msgspec
from msgspec import Struct

from folkmoot.core.decoding import reader
from folkmoot.core.rules.running.names import INCLUDES, in_board, in_git
from folkmoot.errors import Unavailable
from folkmoot.worker.environment import write_below
from folkmoot.worker.git.looking import behind_link, found_at
from folkmoot.worker.git.places import write
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.words import readable
from folkmoot.worker.ports import Paths

RULES_MAX = 64 * 1024
FILES_MAX, BYTES_MAX = 100, 5_000_000
SECONDS = 30.0
NOTED = "included"  # in a run's folder, where no process of the run comes: which paths it got


class Included(Struct, frozen=True):
    path: str
    content: bytes
    is_program: bool = False


def included(repository: Repository) -> list[Included]:
    """The files that the user's `.worktreeinclude` names, as they are now."""
    top = repository.user.work_tree
    rules = os.path.join(top, INCLUDES) if top else ""
    there = found_at(os.fsencode(rules)) if rules else None
    if top is None or there is None:
        return []
    if not stat.S_ISREG(there.st_mode) or there.st_size > RULES_MAX:
        raise _bad(f"it is no regular file of at most {RULES_MAX // 1024} KB")
    index = os.path.join(repository.user.git_dir, "index")
    flags = ("-z", "--others", "--ignored", f"--exclude-from={rules}")
    said = repository("ls-files", *flags, work_tree=top, index=index, timeout=SECONDS).out
    names = [os.fsdecode(name) for name in said.split(b"\0") if name and not name.endswith(b"/")]
    names = [name for name in names if not any(in_git(step) or in_board(step) for step in name.split("/"))]
    names = [name for name in names if not behind_link(top, name, {})]
    if len(names) > FILES_MAX:
        raise _bad(f"it names {len(names):,} files ({readable(os.fsencode(names[0]))}, …), at most {FILES_MAX}")
    found = [one for name in _ignored(repository, top, index, names) if (one := _read(top, name)) is not None]
    if sum(len(one.content) for one in found) > BYTES_MAX:
        raise _bad(f"what it names has more than {BYTES_MAX // 1_000_000} MB")
    return found


def _bad(why: str) -> Unavailable:
    hint = "name single files in it, like .env; what a clone needs besides is made by `setup`"
    return Unavailable("bad_include", "{file} cannot be followed: {why}", hint, INCLUDES, why)


def _ignored(repository: Repository, top: str, index: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    asked = b"".join(b"./" + os.fsencode(name) + b"\0" for name in names)
    env = {
        "GIT_LITERAL_PATHSPECS": "0"
    }  # this command knows none; with a dot in front nothing in a name means anything
    ran = repository("check-ignore", "-z", "--stdin", work_tree=top, index=index, stdin=asked, check=False, env=env)
    if ran.code not in (0, 1):
        raise _bad(ran.words)
    return [os.fsdecode(name.removeprefix(b"./")) for name in ran.out.split(b"\0") if name]


def _read(top: str, name: str) -> Included | None:
    """Links and what is no file are left out."""
    with suppress(OSError):
        file = os.open(os.path.join(top, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(file, "rb") as source:
            there = os.fstat(file)
            if stat.S_ISREG(there.st_mode):
                return Included(name, source.read(BYTES_MAX + 1), bool(there.st_mode & stat.S_IXUSR))
    return None


def put(paths: Paths, files: Sequence[Included]) -> list[Included]:
    """Copy them into a fresh clone, where its commit has nothing; gives those."""
    placed = [
        one
        for one in files
        if not behind_link(paths.workspace, one.path, {})
        and found_at(os.fsencode(os.path.join(paths.workspace, one.path))) is None
    ]
    note = msgspec.json.encode([os.fsencode(one.path) for one in placed])
    write(os.path.join(paths.root, NOTED), note.decode())
    put_again(paths, placed)
    return placed


def put_again(paths: Paths, files: Sequence[Included]) -> None:
    """In the place of whatever setup has made of them."""
    for one in files:
        steps = one.path.split("/")
        with suppress(NotADirectoryError):  # setup has put a file, or a link, where its folder was
            write_below(paths.workspace, steps, one.content)
            if one.is_program:
                os.chmod(os.path.join(paths.workspace, one.path), 0o700, follow_symlinks=True)


def noted(paths: Paths) -> frozenset[bytes]:
    """The paths that a run's clone got: nothing there is ever a part of its change."""
    with suppress(FileNotFoundError, msgspec.DecodeError), open(os.path.join(paths.root, NOTED), "rb") as file:
        return frozenset(reader(list[bytes])(file.read()))
    return frozenset()


def still(paths: Paths, repository: Repository) -> list[Included]:
    """Those that a run's clone got, as they are now."""
    got = noted(paths)
    return [one for one in included(repository) if os.fsencode(one.path) in got] if got else []


def texts(files: Sequence[Included]) -> dict[str, str]:
    return {one.path: one.content.decode("utf-8", "replace") for one in files}


def digests(files: Sequence[Included]) -> list[str]:
    return [f"{readable(os.fsencode(one.path))} {sha256(one.content).hexdigest()}" for one in files]
