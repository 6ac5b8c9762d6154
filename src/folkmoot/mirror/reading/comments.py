"""The file beside an artifact: which comments are new, and which thread is said to be resolved (K-05)."""

from collections import Counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.enums import COMMENT_STATUSES, RESOLUTIONS, CommentStatus, Resolution
from folkmoot.core.records import Comment
from folkmoot.errors import Invalid
from folkmoot.mirror.reading.texts import known_keys, text_in, yaml_mapping

KEYS = (
    *("id", "author", "timestamp", "artifact", "item", "target", "parent", "content", "status", "resolution"),
    "resolved_by",
)
COMMENTS_MAX = 10_000


class Said(Struct, frozen=True, kw_only=True):
    """A comment as it stands in a file."""

    author: str
    content: str
    id: str | None = None
    artifact: str | None = None
    item: str | None = None
    target: str | None = None
    parent: str | None = None
    status: CommentStatus | None = None
    resolution: Resolution | None = None
    resolved_by: str | None = None
    before: int = 0  # how many that say the same stand above it: by that a repeated one is another


class Placed(Struct, frozen=True):
    """A comment of a file, and what on the board it belongs to."""

    item: str
    artifact: str
    said: Said
    parent: str | None  # as the board names it
    thread: str | None


def first_of(comments: dict[str, Comment], parent: str | None) -> str | None:
    """The comment that a thread began with."""
    seen: set[str] = set()
    while parent is not None and parent in comments and parent not in seen:
        seen.add(parent)
        if comments[parent].parent is None:
            return parent
        parent = comments[parent].parent
    return parent


def read_meta(data: bytes) -> list[Said]:
    found = yaml_mapping(data)
    known_keys(found, ("comments",), "the file")
    listed = found.get("comments")
    if listed in ("", None, "null"):
        return []
    if not isinstance(listed, list):
        raise Invalid("bad_value", "comments: it is no list", "begin each comment with a dash")
    if len(listed) > COMMENTS_MAX:
        raise Invalid("too_many", "comments: more than {limit}", "write fewer", COMMENTS_MAX)
    said: list[Said] = []
    times: Counter[tuple[str | None, ...]] = Counter()
    for number, one in enumerate(listed, 1):
        comment = _comment(one, f"comment {number}")
        said.append(replace(comment, before=times[_words(comment)]))
        times[_words(comment)] += 1
    return said


def _words(comment: Said) -> tuple[str | None, ...]:
    return comment.author, comment.content.strip(), comment.parent, comment.target, comment.artifact


def _comment(one: Any, where: str) -> Said:
    if not isinstance(one, dict):
        raise Invalid("bad_value", "{where}: it is not keys and values", "keys: {known}", where, list(KEYS))
    known_keys(one, KEYS, where)
    texts: dict[str, Any] = {key: text_in(one, key, where) for key in KEYS if key != "timestamp"}
    author, content = texts.pop("author"), texts.pop("content")
    if author is None or content is None or not content.strip():
        missing = "author" if author is None else "content"
        words = "{where}: {missing} is missing"
        raise Invalid("bad_value", words, "a comment has an author and content", where, missing)
    if texts["status"] not in (None, *COMMENT_STATUSES):
        words = "{where}: status {status!r:.60} is none"
        raise Invalid("bad_value", words, "use one of {known}", where, texts["status"], list(COMMENT_STATUSES))
    if texts["resolution"] not in (None, *RESOLUTIONS):
        words = "{where}: resolution {resolution!r:.60} is none"
        raise Invalid("bad_value", words, "use one of {known}", where, texts["resolution"], list(RESOLUTIONS))
    if texts["status"] == "resolved" and texts["resolution"] is None:
        words = "{where}: it is resolved, and how is not said"
        raise Invalid("bad_value", words, "add resolution: {known}", where, list(RESOLUTIONS))
    if texts["status"] == "open" and texts["resolution"] is not None:
        raise Invalid("bad_value", "{where}: it is open and has a resolution", "leave out one of them", where)
    return Said(author=author, content=content, **texts)


class Changes(Struct, frozen=True):
    added: list[Said]
    resolved: list[tuple[Comment, Said]]


def compare(said: list[Said], known: list[Comment]) -> Changes:
    """What the file says beyond what is on the board. What it leaves out was not there yet when it was read."""
    by_id = {comment.id: comment for comment in known}
    matched = {one.id for one in said if one.id in by_id and _is_same(one, by_id[one.id])}
    left: dict[tuple[str, str], list[Comment]] = {}
    for comment in known:
        if comment.id not in matched:
            left.setdefault((comment.author, comment.content.strip()), []).append(comment)
    added, resolved = [], []
    for one in said:
        named = by_id.get(one.id or "")
        if named is not None and one.id in matched:
            if one.resolution is not None and named.status == "open":
                resolved.append((named, one))
            continue
        if named is not None and one.author == named.author and _is_alike(one, named):
            words = "comment {named} was changed: what was said stays said"
            raise Invalid("comment_changed", words, "add another comment, with parent: {named}", named.id)
        # What stands on the board and not in the file under its number was taken in from it before.
        alike = left.get((one.author, one.content.strip()), [])
        taken = next((other for other in alike if _is_same(one, other)), None)
        if taken is not None:
            alike.remove(taken)
        else:
            added.append(one)
    return Changes(added, resolved)


def _is_same(one: Said, comment: Comment) -> bool:
    same = (one.author, one.content.strip()) == (comment.author, comment.content.strip())
    thread = one.parent == comment.parent or (one.parent is not None and comment.parent is not None)
    return same and (one.artifact or comment.artifact) == comment.artifact and thread


def _is_alike(one: Said, comment: Comment) -> bool:
    """Is it the same comment with other words, and not a new one that was given a number that is taken?"""
    return (one.target, one.parent) == (comment.target, comment.parent) and one.status == comment.status
