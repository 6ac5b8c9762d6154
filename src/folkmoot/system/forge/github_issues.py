"""Issues of GitHub: how those that items came from stand, by one question; and what is said below them."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from folkmoot.core.proposals.issue import BODY_MAX, ForgeIssue, IssueLink, SeenIssue, Tracked
from folkmoot.system.forge.graph import cut, is_own, login, nodes
from folkmoot.system.forge.http import Http
from folkmoot.worker.forge.port import ForgeRefused, IssuePicture, Reply

MAY_WRITE = frozenset({"admin", "maintain", "write"})

ISSUES = """query($ids: [ID!]!) {
  rateLimit { limit remaining resetAt }
  nodes(ids: $ids) {
    ... on Issue {
      number title body state
      timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) { nodes { ... on ClosedEvent { actor { login } } } }
      comments(last: 50) { nodes { id databaseId body viewerDidAuthor author { login } } }
    }
  }
}"""


def pictures(told: Sequence[Any], issues: Sequence[Tracked]) -> dict[int, IssuePicture]:
    """By number: what the forge shows of each that is there."""
    wanted = {one.number for one in issues}
    return {node["number"]: _picture(node) for node in told if node and node.get("number") in wanted}


def _picture(node: dict[str, Any]) -> IssuePicture:
    is_open = node.get("state") == "OPEN"
    closers = [login(one.get("actor")) for one in nodes(node.get("timelineItems"))]
    seen = SeenIssue(
        title=cut(node.get("title")),
        body=cut(node.get("body"), BODY_MAX),
        is_open=is_open,
        by="" if is_open else next(iter(closers), ""),
    )
    return IssuePicture(seen=seen, replies=[_reply(one) for one in nodes(node.get("comments"))])


def _reply(one: dict[str, Any]) -> Reply:
    text = cut(one.get("body"))
    own = bool(one.get("viewerDidAuthor")) and is_own(text)
    return Reply(id=str(one["id"]), by=login(one.get("author")), text=text, own=own, number=one.get("databaseId"))


def issue(repository: str, told: Any) -> ForgeIssue:
    number, url, node = int(told["number"]), str(told["html_url"]), str(told.get("node_id") or "")
    return ForgeIssue(
        link=IssueLink(repository=repository, number=number, url=url, node=node),
        title=cut(told["title"]),
        body=cut(told.get("body"), BODY_MAX),
        is_open=told.get("state") == "open",
        labels=[cut(one["name"]) for one in told.get("labels") or []],
    )


def may_write(http: Http, repository: str, who: str) -> bool:
    """By the forge's word of now: what a comment says of its author is of the organisation, not of the repository."""
    if not who:
        return False
    try:
        told = http.get(f"/repos/{repository}/collaborators/{quote(who, safe='')}/permission")
    except ForgeRefused:
        return False  # it is nobody who is known there, or the token may not ask
    return str((told or {}).get("permission")) in MAY_WRITE
