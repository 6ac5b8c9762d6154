"""Issues of a forge as a list of work: `github:OWNER/NAME#12`, `gitlab:GROUP/NAME#12`, the address of an issue, or a
label's."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from folkmoot.core.enums import ForgeKind, Type
from folkmoot.core.proposals.issue import ForgeIssue, IssuePlace, words_of
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.doors.importing.found import KINDS, Found, Thing, bad

_PART = r"[\w.-]{1,100}"
_WAYS: list[tuple[ForgeKind, re.Pattern[str]]] = [
    ("github", pattern(rf"github:(?P<repository>{_PART}/{_PART})(?:#(?P<number>\d{{1,15}}))?")),
    ("github", pattern(rf"https://{_PART}/(?P<repository>{_PART}/{_PART})/issues/(?P<number>\d{{1,15}})/?")),
    ("gitlab", pattern(rf"gitlab:(?P<repository>{_PART}(?:/{_PART}){{1,20}})(?:#(?P<number>\d{{1,15}}))?")),
    (
        "gitlab",
        pattern(rf"https://{_PART}/(?P<repository>{_PART}(?:/{_PART}){{1,20}})/-/issues/(?P<number>\d{{1,15}})/?"),
    ),
]


def place_of(source: str) -> IssuePlace | None:
    """If a source names issues."""
    for kind, way in _WAYS:
        if (found := way.fullmatch(source)) is not None:
            return IssuePlace(kind, found["repository"], int(found["number"]) if found["number"] else None)
    return None


def listed(kind: ForgeKind, source: str, issues: Iterable[ForgeIssue]) -> Found:
    found = Found(tool=kind, source=source)
    for one in issues:
        _check_host(source, one.link.url)
        if not one.is_open:
            found.left["closed there already"] += 1
            continue
        title, body = words_of(one.title, one.body)
        type_: Type = next((KINDS[label.casefold()] for label in one.labels if label.casefold() in KINDS), "feature")
        mark = f"{one.link.repository}#{one.link.number}"
        found.take(Thing(id=mark, title=title, body=body, type=type_, tags=one.labels, issue=one.link))
    if not found.things:
        raise bad(source, "there is no open issue")
    return found


def _check_host(source: str, address: str) -> None:
    """The forge that was asked is the one of the flow or of the remote: it may be another than an address names."""
    there = urlsplit(address).hostname
    if source.startswith("https://") and urlsplit(source).hostname != there:
        raise bad(
            source, f"issues are asked for on {there}, by the remote of this project; `api` below `land` names another"
        )
