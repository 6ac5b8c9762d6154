"""The files that a report names: those it made, and those it changed, in the lines of a form or in fields."""

from collections.abc import Iterator
from typing import Any

from folkmoot.core.report import Files
from folkmoot.core.vocabulary.lines import ONE_PATH, PATH, paths_in
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.fields import Taken

_CREATED = frozenset(
    {
        *("files created", "created files", "files added", "added files", "new files", "tests created", "tests added"),
        *("test files", "test files created", "new test files", "created tests", "new tests"),
    }
)
# To delete a file, or to give it another name, is a change of it.
_RENAMED = frozenset({"files renamed", "renamed files", "files moved", "moved files"})
_CHANGED = _RENAMED | {
    *("files modified", "modified files", "files changed", "changed files", "files updated", "updated files"),
    *("files edited", "edited files", "files touched", "touched files", "files written", "modified test files"),
    *("files deleted", "deleted files", "files removed", "removed files", "files created or modified"),
}
# In an output, which is about what was made, the bare words name files too.
_IN_OUTPUT = {"created": frozenset({"created", "added"}), "changed": frozenset({"files", "modified", "deleted"})}
_PATH = ("path", "file", "file path", "filename", "file name")
_ENDS = ("from", "to", "old", "new", "old path", "new path")


def files_told(said: Taken, *, output: bool = False) -> Files:
    """What is new, and what was changed, in whichever of their names and shapes the fields of a report say it."""
    created = _CREATED | (_IN_OUTPUT["created"] if output else frozenset())
    changed = _CHANGED | (_IN_OUTPUT["changed"] if output else frozenset())
    found: dict[str, list[str]] = {"created": [], "modified": []}
    for name, value in said.data.items():
        bare = plain(name)
        kind = "created" if bare in created else "modified" if bare in changed else None
        if kind is None or (bare in ("tests added", "new tests") and not _are_paths(value)):
            continue
        found[kind] += [path for path in _paths(value, bare in _RENAMED) if not says_nothing(path)]
        if isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value)):
            said.used.add(name)
    return Files(created=paths_in(found["created"]), modified=paths_in(found["modified"]))


def _paths(value: Any, renamed: bool) -> Iterator[str]:
    """The files of a text or a list, also where an object tells more of one (`{"path": "a.ts", "purpose": "…"}`), or
    says of each what was done (`{"a.ts": "the form"}`)."""
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            yield part
        for name, told in part.items() if isinstance(part, dict) else ():
            if _is_path(name):
                yield name
            is_named = plain(name) in (_PATH + _ENDS if renamed else _PATH) or (renamed and _is_path(name))
            if is_named and isinstance(told, str):
                yield told


def _is_path(word: str) -> bool:
    return PATH.fullmatch(word) is not None or ONE_PATH.fullmatch(word) is not None


def _are_paths(value: Any) -> bool:
    """Tests may be named by what they show, and not by their files."""
    found = list(_paths(value, renamed=False))
    return bool(found) and all(map(_is_path, paths_in(found)))


def files_named(points: list[str], new: list[str]) -> Files:
    created: list[str] = []
    modified: list[str] = []
    for point in new:
        named = paths_in([point])
        created += named if all(ONE_PATH.fullmatch(path) for path in named) else _first(point)
    for point in points:
        named = paths_in([point])
        if len(named) > 1:
            modified += named
            continue
        for first in _first(point):
            behind = point[point.find(first) + len(first) :].strip("`*_: ").lower()
            is_new = behind.startswith(("(new", "(created", "(added", "created", "new file", "- created", "- new file"))
            (created if is_new else modified).append(first)
    return Files(created=list(dict.fromkeys(created)), modified=list(dict.fromkeys(modified)))


def _first(point: str) -> list[str]:
    """The path with which a line begins, if it does."""
    first = point.split(None, 1)[0].strip("`*_:,") if point.split() else ""
    return [first] if PATH.fullmatch(first) else []
