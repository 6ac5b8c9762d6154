"""Marks of a conflict that a landing has left in files, for whoever mends them: are they still there?

By content: that a commit came after the marked one says nothing, it may have changed another file.
"""

from typing import TYPE_CHECKING

from folkmoot.worker.git.words import readable

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository

ANY_MARK = "^(<<<<<<<|>>>>>>>)( |$)"


def unmended(repository: "Repository", marked: str, head: str) -> list[str]:
    """The files in which there are marks: those of this very conflict anywhere, or any others, in a file that had them,
    that neither side had before."""
    sides = repository("rev-list", "--parents", "--max-count=1", marked).out.decode().split()[1:]
    # As the merge wrote them: with the commit of each side, so that nothing else looks alike.
    ours = [part for side in sides for part in ("-e", f"<<<<<<< {side}", "-e", f">>>>>>> {side}")]
    if not ours:
        return []
    left = _found(repository, head, ["-F", *ours])
    conflicted = _found(repository, marked, ["-F", *ours])
    before = {path for side in sides for path in _found(repository, side, ["-E", "-e", ANY_MARK])}
    again = {path for path in _found(repository, head, ["-E", "-e", ANY_MARK]) if path in conflicted - before}
    return sorted(readable(path) for path in left | again)


def _found(repository: "Repository", commit: str, words: list[str]) -> set[bytes]:
    flags = ("grep", "--no-color", "--full-name", "-a", "-l", "-z")
    said = repository("-c", "grep.fallbackToNoIndex=false", *flags, *words, commit, "--", check=False).out
    return {name.removeprefix(f"{commit}:".encode()) for name in said.split(b"\0") if name}
