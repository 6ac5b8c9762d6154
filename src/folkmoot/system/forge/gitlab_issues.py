"""Issues of GitLab: how those that items came from stand, by one question; and what is said below them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

from folkmoot.core.proposals.issue import BODY_MAX, ForgeIssue, IssueLink, SeenIssue, Tracked
from folkmoot.system.forge.graph import PAGE, PAGES_MAX, cut, is_own, nodes
from folkmoot.system.forge.http import Http
from folkmoot.worker.forge.port import ForgeRefused, IssuePicture, Reply

DEVELOPER = 30  # from this level on the repository may be changed
ISSUES = """query($path: ID!, $iids: [String!]) {
  currentUser { username }
  project(fullPath: $path) {
    issues(iids: $iids, first: 50) { nodes {
      iid title description state notes(last: 50) { nodes { id body system author { username } } }
    } }
  }
}"""


def link_of(repository: str, told: Any) -> IssueLink:
    return IssueLink(forge="gitlab", repository=repository, number=int(told["iid"]), url=str(told["web_url"]))


def issue(repository: str, told: Any) -> ForgeIssue:
    return ForgeIssue(
        link=link_of(repository, told),
        title=cut(told["title"]),
        body=cut(told.get("description"), BODY_MAX),
        is_open=told.get("state") == "opened",
        labels=[cut(one) for one in told.get("labels") or []],
    )


def open_issues(http: Http, at: str, repository: str, label: str) -> list[ForgeIssue]:
    found: list[ForgeIssue] = []
    for page in range(1, PAGES_MAX + 1):
        asked = {"labels": label, "state": "opened", "sort": "asc", "per_page": PAGE, "page": page}
        told = http.get(f"{at}?{urlencode(asked)}") or []
        found += [issue(repository, one) for one in told]
        if len(told) < PAGE:
            break
    return found


def pictures(http: Http, at: str, told: Any, issues: Sequence[Tracked]) -> dict[int, IssuePicture]:
    """By number: what the forge shows of each that is there. Who closed one is told by REST alone."""
    wanted, me = {one.number for one in issues}, str((told.get("currentUser") or {}).get("username") or "")
    found = {}
    for node in nodes((told.get("project") or {}).get("issues")):
        number, is_open = int(node["iid"]), node.get("state") == "opened"
        if number in wanted:
            closed = None if is_open else (http.get(f"{at}/{number}") or {}).get("closed_by")
            seen = SeenIssue(
                title=cut(node.get("title")),
                body=cut(node.get("description"), BODY_MAX),
                is_open=is_open,
                by=str((closed or {}).get("username") or ""),
            )
            notes = [one for one in nodes(node.get("notes")) if not one.get("system")]
            found[number] = IssuePicture(seen=seen, replies=[_reply(one, me) for one in notes])
    return found


def _reply(one: dict[str, Any], me: str) -> Reply:
    text, by = cut(one.get("body")), str((one.get("author") or {}).get("username") or "")
    own = bool(me) and by == me and is_own(text)
    return Reply(id=str(one["id"]), by=by, text=text, own=own, number=_number(one["id"]))


def _number(name: Any) -> int | None:
    """Of `gid://gitlab/Note/12`."""
    last = str(name).rpartition("/")[2]
    return int(last) if last.isascii() and last.isdecimal() else None


def comment(http: Http, at: str, number: int, text: str, known: int | None) -> int | None:
    said = {"body": text}
    with suppress(ForgeRefused):  # somebody has removed it: it is said anew
        if known is not None:
            http.send("PUT", f"{at}/{number}/notes/{known}", said)
            return known
    found = (http.send("POST", f"{at}/{number}/notes", said) or {}).get("id")
    return found if isinstance(found, int) else None


def may_write(http: Http, project: str, who: str) -> bool:
    """By the forge's word of now, with what a group above gives."""
    try:
        users = http.get(f"/users?{urlencode({'username': who})}") if who else []
        found = next((one for one in users or [] if one.get("username") == who), None)
        told: Any = http.get(f"{project}/members/all/{quote(str(found['id']))}") if found else None
    except ForgeRefused:
        return False  # it is nobody who is known there, or the token may not ask
    return told is not None and told["state"] == "active" and int(told["access_level"]) >= DEVELOPER
