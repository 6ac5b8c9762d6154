"""What GitHub tells of a pull request, as a picture that the rules understand."""

from typing import Any, Literal

from folkmoot.core.proposals.proposal import COMPLETED, Check, Said, Seen, check_state
from folkmoot.system.forge.graph import cut, has_all, login, nodes

MAY_WRITE = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
ASKS = "CHANGES_REQUESTED"
TOLD = frozenset({"COMMENTED", ASKS})
CLEAR = frozenset({"CLEAN", "HAS_HOOKS", "UNSTABLE"})  # unstable: what is not required is red
LINE_MAX = 2**31

QUERY = """query($ids: [ID!]!) {
  rateLimit { limit remaining resetAt }
  nodes(ids: $ids) {
    ... on PullRequest {
      number state headRefOid mergeable mergeStateStatus isDraft
      mergeCommit { oid }
      mergedBy { login }
      mergeQueueEntry { state }
      isMergeQueueEnabled
      reviewDecision
      latestOpinionatedReviews(first: 50, writersOnly: true) { nodes { state } }
      baseRef { target { oid } }
      timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) { nodes { ... on ClosedEvent { actor { login } } } }
      commits(last: 1) { nodes { commit { oid statusCheckRollup { contexts(first: 100) {
        pageInfo { hasNextPage }
        nodes {
          __typename
          ... on CheckRun { name status conclusion detailsUrl title summary }
          ... on StatusContext { context state targetUrl description }
        }
      } } } } }
      reviews(last: 100) { pageInfo { hasPreviousPage } nodes { id state body authorAssociation author { login } } }
      reviewThreads(last: 50) { pageInfo { hasPreviousPage } nodes { isResolved path line comments(last: 10) {
        pageInfo { hasPreviousPage } nodes { id body authorAssociation author { login } }
      } } }
    }
  }
}"""


ENQUEUE = """mutation($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { mergeQueueEntry { state } }
}"""


def seen(node: dict[str, Any], required: list[str] | None) -> Seen:
    commit, checks, whole = _checks(node)
    state: Literal["open", "merged", "closed"] = "open"
    if node.get("state") in ("MERGED", "CLOSED"):
        state = "merged" if node["state"] == "MERGED" else "closed"
    return Seen(
        state=state,
        commit=str(node.get("headRefOid") or ""),
        base=_oid((node.get("baseRef") or {}).get("target")),
        merged=_oid(node.get("mergeCommit")),
        by=login(node.get("mergedBy")) if state == "merged" else _closer(node) if state == "closed" else "",
        fits=_fits(node),
        queued=node.get("mergeQueueEntry") is not None,
        draft=bool(node.get("isDraft")),
        clear=node.get("mergeStateStatus") in CLEAR,
        queues=bool(node.get("isMergeQueueEnabled")),
        vetoed=_is_vetoed(node),
        required=required,
        checks=checks,
        # Right after a push the list may yet be that of the commit before.
        whole=whole and commit == node.get("headRefOid"),
        said=_said(node),
        all_said=_is_all_said(node),
    )


def _is_vetoed(node: dict[str, Any]) -> bool:
    """Also where no review is required: who asks for changes is not passed over."""
    latest = [one.get("state") for one in nodes(node.get("latestOpinionatedReviews"))]
    return ASKS in (*latest, node.get("reviewDecision"))


def _fits(node: dict[str, Any]) -> Literal["clean", "behind", "dirty", "unknown"]:
    if node.get("mergeStateStatus") == "DIRTY" or node.get("mergeable") == "CONFLICTING":
        return "dirty"
    if node.get("mergeStateStatus") == "BEHIND":
        return "behind"
    return "clean" if node.get("mergeable") == "MERGEABLE" else "unknown"


def _checks(node: dict[str, Any]) -> tuple[str | None, list[Check], bool]:
    last: dict[str, Any] = next((one["commit"] for one in nodes(node.get("commits"))), {})
    contexts = (last.get("statusCheckRollup") or {}).get("contexts") or {}
    whole = not (contexts.get("pageInfo") or {}).get("hasNextPage")
    return last.get("oid"), [_check(one) for one in nodes(contexts)], whole


def _check(one: dict[str, Any]) -> Check:
    if one.get("__typename") == "StatusContext":
        word = str(one.get("state") or "").casefold()
        ended = COMPLETED if word not in ("pending", "expected", "") else ""
        words, url = one.get("description"), one.get("targetUrl")
        return Check(name=cut(one.get("context")), state=check_state(ended, word), words=cut(words), url=str(url or ""))
    told = [str(word) for word in (one.get("title"), one.get("summary")) if word]
    state = check_state(one.get("status"), one.get("conclusion"))
    return Check(
        name=cut(one.get("name")), state=state, words=cut("\n".join(told)), url=str(one.get("detailsUrl") or "")
    )


def _said(node: dict[str, Any]) -> list[Said]:
    reviews = [one for one in nodes(node.get("reviews")) if one.get("state") in TOLD]
    found = [
        _words("review", one, asks=one["state"] == ASKS)
        for one in reviews
        if one["state"] == ASKS or str(one.get("body") or "").strip()
    ]
    for thread in nodes(node.get("reviewThreads")):
        if not thread.get("isResolved"):
            place = {"path": cut(thread.get("path")) or None, "line": _line(thread.get("line"))}
            found += [_words("comment", one, **place) for one in nodes(thread.get("comments"))]
    return found


def _words(kind: str, one: dict[str, Any], **more: Any) -> Said:
    text = str(one.get("body") or "")
    may = one.get("authorAssociation") in MAY_WRITE
    by = login(one.get("author")) or "somebody"
    return Said(id=f"{kind}:{one['id']}", by=by, text=cut(text), may=may, **more)


def _is_all_said(node: dict[str, Any]) -> bool:
    """Is this all of every review, and of every thread that is not settled?"""
    threads = [one for one in nodes(node.get("reviewThreads")) if not one.get("isResolved")]
    return all(has_all(one) for one in (node.get("reviews"), node.get("reviewThreads"))) and all(
        has_all(one.get("comments")) for one in threads
    )


def _line(one: object) -> int | None:
    return one if type(one) is int and 0 < one <= LINE_MAX else None


def _oid(one: Any) -> str | None:
    return str(one["oid"]) if one else None


def _closer(node: dict[str, Any]) -> str:
    return next((login(one.get("actor")) for one in nodes(node.get("timelineItems"))), "")
