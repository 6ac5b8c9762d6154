"""GitHub: pull requests and issues, by REST; how all open ones stand, by one question in GraphQL."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote, urlencode

from folkmoot.core.proposals.issue import ForgeIssue, Tracked
from folkmoot.core.proposals.proposal import Proposal, Seen
from folkmoot.errors import Unavailable
from folkmoot.system.forge.github_issues import ISSUES, issue, may_write, pictures
from folkmoot.system.forge.graph import PAGE, PAGES_MAX, in_good_form
from folkmoot.system.forge.http import LONGEST_SECONDS, Http
from folkmoot.system.forge.pictures import ENQUEUE, QUERY, seen
from folkmoot.system.forge.texts import BODY_MAX, TITLE_MAX, renewed
from folkmoot.worker.forge.port import OWN, ForgeAway, ForgeLimited, ForgeRefused, IssuePicture, Pulled, Wish

AT_ONCE = 50  # pull requests in one question
RULES_SECONDS = 600.0  # for which it is believed what the rules of a branch require
RESERVE = 0.4  # of the limit: for the person whose account it is
UNPAID = "upgrade to github"
WAYS = {"merge": "allow_merge_commit", "squash": "allow_squash_merge", "rebase": "allow_rebase_merge"}


class GitHub:
    """One repository, `OWNER/NAME`. `base` is where REST is answered: GraphQL is beside it."""

    def __init__(
        self,
        base: str,
        repository: str,
        token: Callable[[bool], str],
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.http = Http(base, token, wall)
        self.repository = repository
        self._graphql = _graphql_of(base)
        self._now, self._wall = now, wall
        self.rests: float | None = None
        self._required: dict[str, tuple[float, list[str] | None]] = {}
        self._merges: dict[str, tuple[float, str]] = {}

    def check(self) -> None:
        """Refused where the repository is not there, or is not for this token to see."""
        self.http.get(self._at("").rstrip("/"))

    @in_good_form()
    def propose(self, wish: Wish) -> Pulled:
        found = self._open(wish)
        if found is None:
            body = {"title": wish.title[:TITLE_MAX], "head": wish.branch, "base": wish.base, "draft": wish.draft}
            try:
                told = self.http.send("POST", self._at("pulls"), {**body, "body": wish.body[:BODY_MAX]})
                return _pulled(told)
            except ForgeRefused as error:
                found = self._open(wish)  # another answer may have been lost on the way
                if found is None:
                    raise _with_hint(error, wish) from error
        text = renewed(str(found.get("body") or ""), wish.body)
        if text != found.get("body"):
            self.http.send("PATCH", self._at(f"pulls/{found['number']}"), {"body": text[:BODY_MAX]})
        return _pulled(found)

    def _open(self, wish: Wish) -> dict[str, Any] | None:
        owner = self.repository.partition("/")[0]
        asked = urlencode({"head": f"{owner}:{wish.branch}", "base": wish.base, "state": "open"})
        found = self.http.get(self._at(f"pulls?{asked}"))
        # Another repository of the same owner may have a branch of that name: whoever made that may write nothing here.
        ours = [one for one in found or [] if _repository_of(one["head"]) == _repository_of(one["base"])]
        return next((one for one in ours if one["head"]["ref"] == wish.branch), None)

    @in_good_form()
    def state(self, proposals: Sequence[Proposal], base: str) -> dict[int, Seen]:
        found: dict[int, Seen] = {}
        required = self._required_of(base) if proposals else None
        for first in range(0, len(proposals), AT_ONCE):
            part = proposals[first : first + AT_ONCE]
            told = self._asked(QUERY, {"ids": [one.node for one in part]})
            for node in told.get("nodes") or []:
                if node and "number" in node:
                    found[node["number"]] = seen(node, required)
            self.rests = self._rest_of(told.get("rateLimit"))
            if self.rests is not None:
                break
        return found

    def _asked(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        told = self._told(query, variables)
        errors = (told or {}).get("errors") or []
        data = (told or {}).get("data")
        if not isinstance(data, dict) or "nodes" not in data:
            why = str(errors[0].get("message") if errors else "it told nothing")[:300]
            raise ForgeAway("forge_away", "the forge does not tell how pull requests stand: {why}", "", why)
        return data

    def _told(self, query: str, variables: dict[str, Any]) -> Any:
        told = self.http.send("POST", self._graphql, {"query": query, "variables": variables}, whole=True)
        if any(one.get("type") == "RATE_LIMITED" for one in (told or {}).get("errors") or []):
            raise ForgeLimited(LONGEST_SECONDS / 4, "its limit is used up")
        return told

    def _rest_of(self, limit: Any) -> float | None:
        """The account is a person's, who has tools of their own: what is left below the reserve is theirs."""
        if not limit or limit["remaining"] >= limit["limit"] * RESERVE:
            return None
        reset = datetime.fromisoformat(limit["resetAt"].replace("Z", "+00:00")).timestamp()
        return min(max(reset - self._wall(), 1.0), LONGEST_SECONDS)

    def _required_of(self, base: str) -> list[str] | None:
        """The checks that a branch requires, by its protection and by rule sets; None: it could not be found out."""
        until, known = self._required.get(base, (0.0, None))
        if self._now() >= until:
            known = self._named(base)
            self._required[base] = (self._now() + RULES_SECONDS, known)
        return known

    def _named(self, base: str) -> list[str] | None:
        try:
            branch = self.http.get(self._at(f"branches/{quote(base, safe='')}"))
            rules = self._rules(base)
        except ForgeRefused:
            return None
        checks = ((branch or {}).get("protection") or {}).get("required_status_checks") or {}
        named = [str(one) for one in checks.get("contexts") or []]
        for rule in rules:
            if rule.get("type") == "required_status_checks":
                listed = (rule.get("parameters") or {}).get("required_status_checks") or []
                named += [str(one["context"]) for one in listed]
        return list(dict.fromkeys(named))

    def _rules(self, base: str) -> list[dict[str, Any]]:
        """Of the rule sets. A server that is too old for them, or a repository that has not paid for them, has none."""
        try:
            return self.http.get(self._at(f"rules/branches/{quote(base, safe='')}?per_page=100")) or []
        except ForgeRefused as error:
            if error.details.get("status") == 404 or UNPAID in str(error.details.get("why")).casefold():
                return []
            raise

    @in_good_form()
    def merge(self, proposal: Proposal, base: str, *, queues: bool) -> Literal["merged", "queued"]:
        if queues:
            told = self._told(ENQUEUE, {"id": proposal.node, "head": proposal.commit})
            if errors := (told or {}).get("errors") or []:
                raise _not_merged(str(errors[0].get("message") or "it says no more"))
            return "queued"
        until, way = self._merges.get(base, (0.0, ""))
        if self._now() >= until:
            way = self._way(base)
            self._merges[base] = (self._now() + RULES_SECONDS, way)
        how = {"sha": proposal.commit, "merge_method": way}
        told = self.http.send("PUT", self._at(f"pulls/{proposal.number}/merge"), how)
        if not (told or {}).get("merged"):
            raise _not_merged(str((told or {}).get("message") or "it says no more"))
        return "merged"

    def _way(self, base: str) -> str:
        """The first way to merge that the repository and the rules of the branch allow."""
        told = self.http.get(self._at("").rstrip("/")) or {}
        allowed = [way for way, name in WAYS.items() if told.get(name) is not False]
        for rule in self._rules(base):
            if rule.get("type") == "required_linear_history":
                allowed = [way for way in allowed if way != "merge"]
            ways = (rule.get("parameters") or {}).get("allowed_merge_methods")
            if rule.get("type") == "pull_request" and ways:
                allowed = [way for way in allowed if way in ways]
        if not allowed:
            raise _not_merged("no way to merge is allowed there")
        return allowed[0]

    @in_good_form()
    def comment(self, number: int, text: str, known: int | None = None) -> int | None:
        said = {"body": f"{text[:BODY_MAX]}\n\n{OWN}"}
        with suppress(ForgeRefused):  # somebody has removed it: it is said anew
            if known is not None:
                self.http.send("PATCH", self._at(f"issues/comments/{known}"), said)
                return known
        told = self.http.send("POST", self._at(f"issues/{number}/comments"), said)
        found = (told or {}).get("id")
        return found if isinstance(found, int) else None

    @in_good_form()
    def pictures(self, issues: Sequence[Tracked]) -> dict[int, IssuePicture]:
        found: dict[int, IssuePicture] = {}
        for first in range(0, len(issues), AT_ONCE):
            part = issues[first : first + AT_ONCE]
            told = self._asked(ISSUES, {"ids": [one.node for one in part]})
            found |= pictures(told.get("nodes") or [], part)
            self.rests = self._rest_of(told.get("rateLimit"))
            if self.rests is not None:
                break
        return found

    @in_good_form()
    def may_write(self, who: str) -> bool:
        return may_write(self.http, self.repository, who)

    @in_good_form()
    def issue(self, number: int) -> ForgeIssue:
        try:
            return issue(self.repository, self.http.get(self._at(f"issues/{number}")))
        except ForgeRefused as error:
            if error.details.get("status") == 404:
                error.remedy = (
                    f"see whether {self.repository} has an issue {number}, and the token may read issues there"
                )
            raise

    @in_good_form()
    def issues(self, label: str) -> list[ForgeIssue]:
        found: list[ForgeIssue] = []
        for page in range(1, PAGES_MAX + 1):
            asked = {"labels": label, "state": "open", "per_page": PAGE, "direction": "asc", "page": page}
            told = self.http.get(self._at(f"issues?{urlencode(asked)}")) or []
            found += [issue(self.repository, one) for one in told if "pull_request" not in one]
            if len(told) < PAGE:
                break
        return found

    def close(self, number: int) -> None:
        self.http.send("PATCH", self._at(f"issues/{number}"), {"state": "closed", "state_reason": "completed"})

    def _at(self, path: str) -> str:
        return f"/repos/{self.repository}/{path}"


def _graphql_of(base: str) -> str:
    """From the server's root on: beside `/api/v3` of GitHub Enterprise, and at the root elsewhere."""
    path = "/" + base.rstrip("/").partition("://")[2].partition("/")[2]
    return path.removesuffix("/v3") + "/graphql" if path.endswith("/api/v3") else path.rstrip("/") + "/graphql"


def _repository_of(end: Any) -> object:
    return (end.get("repo") or {}).get("id")


def _pulled(told: Any) -> Pulled:
    try:
        return Pulled(number=int(told["number"]), url=str(told["html_url"]), node=str(told["node_id"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable("forge_away", "the forge does not say which pull request it has opened") from error


def _not_merged(why: str) -> ForgeRefused:
    return ForgeRefused("forge_refused", "the forge does not merge it: {why}", "", why)


def _with_hint(error: ForgeRefused, wish: Wish) -> ForgeRefused:
    if "draft" in error.message.casefold() and wish.draft:
        error.remedy = "this repository has no drafts: set `draft: false` below `land` in the flow"
    return error
