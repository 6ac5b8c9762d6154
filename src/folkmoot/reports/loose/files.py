"""The files that the lines of a form name: those it made, and those it changed."""

from folkmoot.core.report import Files
from folkmoot.core.vocabulary.lines import ONE_PATH, PATH, paths_in


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
