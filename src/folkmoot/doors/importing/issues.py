"""Issues of a forge as a list of work: `github:OWNER/NAME#12`, the address of an issue, or a label's."""

from collections.abc import Iterable

from folkmoot.core.enums import Type
from folkmoot.core.proposals.issue import ForgeIssue, words_of
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.doors.importing.found import KINDS, Found, Thing, bad

_NAMED = pattern(r"github:(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})(?:#(?P<number>\d{1,15}))?")
_ADDRESS = pattern(r"https://github\.com/(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})/issues/(?P<number>\d{1,15})/?")


def place_of(source: str) -> tuple[str, int | None] | None:
    """The repository and the number, if a source names issues."""
    found = _NAMED.fullmatch(source) or _ADDRESS.fullmatch(source)
    if found is None:
        return None
    return found["repository"], int(found["number"]) if found["number"] else None


def listed(source: str, issues: Iterable[ForgeIssue]) -> Found:
    found = Found(tool="github", source=source)
    for one in issues:
        if not one.is_open:
            found.left["closed there already"] += 1
            continue
        title, body = words_of(one.title, one.body)
        kind: Type = next((KINDS[label.casefold()] for label in one.labels if label.casefold() in KINDS), "feature")
        mark = f"{one.link.repository}#{one.link.number}"
        found.take(Thing(id=mark, title=title, body=body, type=kind, tags=one.labels, issue=one.link))
    if not found.things:
        raise bad(source, "there is no open issue")
    return found
