"""GitLab: merge requests and issues, by REST; how all open ones stand, by one question in GraphQL."""

from collections.abc import Callable, Sequence
from typing import Any, Literal
from urllib.parse import quote, urlencode

from folkmoot.core.proposals.issue import ForgeIssue, Tracked
from folkmoot.core.proposals.proposal import Check, CheckState, Proposal, Said, Seen
from folkmoot.errors import Unavailable
from folkmoot.system.forge import gitlab_issues as issues
from folkmoot.system.forge.graph import cut, has_all, in_good_form, nodes
from folkmoot.system.forge.http import Http
from folkmoot.system.forge.texts import BODY_MAX, TITLE_MAX, renewed
from folkmoot.worker.forge.port import OWN, ForgeAway, ForgeRefused, IssuePicture, Pulled, Wish

AT_ONCE = 50
DRAFT = "Draft: "
PIPELINE = "pipeline"  # the one check that GitLab requires
MAY_WRITE = frozenset({"owner", "maintainer", "developer"})
STATES: dict[str, CheckState] = {"SUCCESS": "success", "FAILED": "failure"}  # any other word is no end
FITS: dict[str, Literal["clean", "behind", "dirty"]] = {
    "MERGEABLE": "clean",
    "NEED_REBASE": "behind",
    "CONFLICT": "dirty",
    "BROKEN_STATUS": "dirty",
}

QUERY = """query($path: ID!, $iids: [String!]) {
  project(fullPath: $path) {
    onlyAllowMergeIfPipelineSucceeds
    mergeRequests(iids: $iids, first: 50) { nodes {
      iid state diffHeadSha draft conflicts detailedMergeStatus autoMergeEnabled availableAutoMergeStrategies
      headPipeline { sha status mergeRequestEventType jobs(statuses: [FAILED], first: 10) {
        nodes { name allowFailure webPath }
      } }
      discussions(last: 20) { pageInfo { hasPreviousPage } nodes { resolvable resolved notes(last: 10) {
        pageInfo { hasPreviousPage }
        nodes { id body system maxAccessLevelOfAuthor author { username } position { filePath newLine } }
      } } }
    } }
  }
}"""


class GitLab:
    """Of one project, by its whole path. `base` is where REST is answered, `…/api/v4`: GraphQL is beside it."""

    def __init__(self, base: str, repository: str, token: Callable[[bool], str], sign_in: str = "") -> None:
        self.http = Http(base, token, accept="application/json", sign_in=sign_in)
        self.repository = repository
        self._graphql = "/" + base.rstrip("/").partition("://")[2].partition("/")[2].removesuffix("/v4") + "/graphql"
        self.rests: float | None = None

    def check(self) -> None:
        """Refused where the project is not there, or is not for this token to see."""
        self.http.get(self._at("").rstrip("/"))

    @in_good_form()
    def propose(self, wish: Wish) -> Pulled:
        found = self._open(wish)
        if found is None:
            title = f"{DRAFT if wish.draft else ''}{wish.title}"[:TITLE_MAX]
            body = {"title": title, "source_branch": wish.branch, "target_branch": wish.base}
            try:
                told = self.http.send("POST", self._at("merge_requests"), {**body, "description": wish.body[:BODY_MAX]})
                return _pulled(told)
            except ForgeRefused:
                found = self._open(wish)  # another answer may have been lost on the way
                if found is None:
                    raise
        text = renewed(str(found.get("description") or ""), wish.body)
        if text != found.get("description"):
            self.http.send("PUT", self._at(f"merge_requests/{found['iid']}"), {"description": text[:BODY_MAX]})
        return _pulled(found)

    def _open(self, wish: Wish) -> dict[str, Any] | None:
        asked = urlencode({"source_branch": wish.branch, "target_branch": wish.base, "state": "opened"})
        found = self.http.get(self._at(f"merge_requests?{asked}"))
        # A fork may have a branch of that name too: whoever made that may write nothing here.
        ours = [one for one in found or [] if one["source_project_id"] == one["target_project_id"]]
        return next((one for one in ours if one["source_branch"] == wish.branch), None)

    @in_good_form()
    def state(self, proposals: Sequence[Proposal], base: str) -> dict[int, Seen]:
        found: dict[int, Seen] = {}
        tip = self._tip(base) if proposals else None
        for first in range(0, len(proposals), AT_ONCE):
            iids = [str(one.number) for one in proposals[first : first + AT_ONCE]]
            project = self._told(QUERY, iids)["project"]
            required = [PIPELINE] if project.get("onlyAllowMergeIfPipelineSucceeds") else []
            for node in nodes(project.get("mergeRequests")):
                found[int(node["iid"])] = self._seen(node, required, tip)
        return found

    def _told(self, query: str, iids: list[str]) -> dict[str, Any]:
        """What it shows of the project, and who asks."""
        asked = {"query": query, "variables": {"path": self.repository, "iids": iids}}
        told = self.http.send("POST", self._graphql, asked, whole=True) or {}
        data = told.get("data") or {}
        if not isinstance(data.get("project"), dict) or told.get("errors"):
            errors = told.get("errors") or [{"message": "it does not show that project"}]
            why = str(errors[0].get("message"))[:300]
            raise ForgeAway("forge_away", "the forge does not tell how merge requests and issues stand: {why}", "", why)
        return dict(data)

    def _tip(self, branch: str) -> str | None:
        told = self.http.get(self._at(f"repository/branches/{quote(branch, safe='')}"))
        return str(told["commit"]["id"]) if told else None

    def _seen(self, node: dict[str, Any], required: list[str], tip: str | None) -> Seen:
        commit, state = str(node.get("diffHeadSha") or ""), str(node.get("state"))
        status = str(node.get("detailedMergeStatus") or "")
        pipeline = node.get("headPipeline") or {}
        # That of a merge which was tried has a commit of its own; GitLab gives it only for this very head.
        whole = pipeline.get("sha") == commit or pipeline.get("mergeRequestEventType") == "MERGED_RESULT"
        merged, by = self._merged(int(node["iid"])) if state == "merged" else (None, "")
        return Seen(
            state="merged" if state == "merged" else "closed" if state == "closed" else "open",
            commit=commit,
            base=tip,
            merged=merged,
            by=by,
            fits="dirty" if node.get("conflicts") else FITS.get(status, "unknown"),
            queued=bool(node.get("autoMergeEnabled")),
            draft=bool(node.get("draft")),
            clear=status == "MERGEABLE",
            queues="merge_train" in (node.get("availableAutoMergeStrategies") or []),
            vetoed=status == "REQUESTED_CHANGES",
            required=required,
            checks=[_check(pipeline)] if pipeline and whole else [],
            whole=whole,
            said=_said(node),
            all_said=_is_all_said(node),
        )

    def _merged(self, number: int) -> tuple[str | None, str]:
        """The commit by which it came: of a merge, of a squash, or its own where the branch went straight on."""
        told = self.http.get(self._at(f"merge_requests/{number}")) or {}
        commit = told.get("merge_commit_sha") or told.get("squash_commit_sha") or told.get("sha")
        return (str(commit) if commit else None), str((told.get("merge_user") or {}).get("username") or "")

    @in_good_form()
    def merge(self, proposal: Proposal, base: str, *, queues: bool) -> Literal["merged", "queued"]:
        place = (
            f"merge_trains/merge_requests/{proposal.number}" if queues else f"merge_requests/{proposal.number}/merge"
        )
        self.http.send("POST" if queues else "PUT", self._at(place), {"sha": proposal.commit})
        return "queued" if queues else "merged"

    @in_good_form()
    def issue(self, number: int) -> ForgeIssue:
        try:
            return issues.issue(self.repository, self.http.get(self._at(f"issues/{number}")))
        except ForgeRefused as error:
            if error.details.get("status") == 404:
                error.remedy = f"see whether {self.repository} has an issue {number}, and the token may read it"
            raise

    @in_good_form()
    def issues(self, label: str) -> list[ForgeIssue]:
        return issues.open_issues(self.http, self._at("issues"), self.repository, label)

    @in_good_form()
    def pictures(self, tracked: Sequence[Tracked]) -> dict[int, IssuePicture]:
        found: dict[int, IssuePicture] = {}
        for first in range(0, len(tracked), AT_ONCE):
            part = tracked[first : first + AT_ONCE]
            told = self._told(issues.ISSUES, [str(one.number) for one in part])
            found |= issues.pictures(self.http, self._at("issues"), told, part)
        return found

    @in_good_form()
    def may_write(self, who: str) -> bool:
        return issues.may_write(self.http, self._at("").rstrip("/"), who)

    @in_good_form()
    def comment(self, number: int, text: str, known: int | None = None) -> int | None:
        return issues.comment(self.http, self._at("issues"), number, f"{text[:BODY_MAX]}\n\n{OWN}", known)

    def close(self, number: int) -> None:
        self.http.send("PUT", self._at(f"issues/{number}"), {"state_event": "close"})

    def _at(self, path: str) -> str:
        return f"/projects/{quote(self.repository, safe='')}/{path}"


def _check(pipeline: dict[str, Any]) -> Check:
    failed = [one for one in nodes((pipeline or {}).get("jobs")) if not one.get("allowFailure")]
    words = f"failed: {', '.join(str(one.get('name')) for one in failed)}" if failed else ""
    url = str(failed[0].get("webPath") or "") if failed else ""
    return Check(name=PIPELINE, state=STATES.get(str(pipeline.get("status")), "pending"), words=cut(words), url=url)


def _open_threads(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Without what stands below the merge request, outside of a review: people talk there."""
    return [one for one in nodes(node.get("discussions")) if one.get("resolvable") and not one.get("resolved")]


def _is_all_said(node: dict[str, Any]) -> bool:
    return has_all(node.get("discussions")) and all(has_all(one.get("notes")) for one in _open_threads(node))


def _said(node: dict[str, Any]) -> list[Said]:
    found = []
    for thread in _open_threads(node):
        for one in nodes(thread.get("notes")):
            text, place = str(one.get("body") or ""), one.get("position") or {}
            found.append(
                Said(
                    id=f"comment:{one['id']}",
                    by=str((one.get("author") or {}).get("username") or "somebody"),
                    text=cut(text),
                    path=place.get("filePath"),
                    line=place.get("newLine"),
                    may=str(one.get("maxAccessLevelOfAuthor") or "").casefold() in MAY_WRITE,
                    own=bool(one.get("system")),
                )
            )
    return found


def _pulled(told: Any) -> Pulled:
    try:
        return Pulled(number=int(told["iid"]), url=str(told["web_url"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable("forge_away", "the forge does not say which merge request it has opened") from error
