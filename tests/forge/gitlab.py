"""A scripted GitLab: the same people, machines and repository as the scripted GitHub, and another way to say it.

Whether a merge request can be merged is found out later, a pipeline may be missing or of another commit, a merge that
went straight on has no commit of its own, and who asks too much is told to rest.
"""

import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.forge.github import WORD, GitHub, Pull, _only, git

PROJECT = "acme/web/shop"
ME = "moot"  # whose token it is


class GitLab(GitHub):
    must_pass = True  # a pipeline must succeed
    has_train = False
    goes_straight_on = False
    from_forks: frozenset[int] = frozenset()  # merge requests from a branch of somebody's own copy
    pipelines: dict[str, dict[str, Any]]

    @property
    def api(self) -> str:
        return f"{self.address}/api/v4"

    @property
    def in_flow(self) -> str:
        return f'forge: gitlab, repository: {PROJECT}, api: "{self.api}"'

    def pipeline(self, commit: str, status: str, *failed: str, of: str | None = None, kind: str = "DETACHED") -> None:
        jobs = [{"name": name, "allowFailure": name.startswith("may-"), "webPath": f"/jobs/{name}"} for name in failed]
        told = {"sha": of or commit, "status": status, "mergeRequestEventType": kind, "jobs": {"nodes": jobs}}
        self.__dict__.setdefault("pipelines", {})[commit] = told

    def says(self, number: int, body: str, role: str = "Maintainer", *, resolvable: bool = True, **more: Any) -> None:
        """A thread of a review, or a word below the merge request."""
        note = {"id": f"N{self._new()}", "body": body, "system": False, "maxAccessLevelOfAuthor": role}
        note |= {"author": {"username": "ann"}, "position": {"filePath": "one.txt", "newLine": 1}, **more}
        self.pulls[number].threads.append({"resolvable": resolvable, "resolved": False, "notes": {"nodes": [note]}})

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        parts = urlsplit(target)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/api/graphql":
            return 200, self._told(body)
        if parts.path == "/api/v4/users":
            return 200, [{"id": self._user(asked["username"]), "username": asked["username"]}]
        below = "/api/v4/projects/acme%2Fweb%2Fshop/"
        if parts.path == below.rstrip("/"):
            return 200, {"path_with_namespace": PROJECT}
        if not parts.path.startswith(below):
            return 404, {"message": "404 Project Not Found"}
        place = unquote(parts.path.removeprefix(below)).split("/")
        match method, place:
            case "GET", ["repository", "branches", *name]:
                return self._found({"name": "/".join(name), "commit": {"id": self.tip("/".join(name))}})
            case "GET", ["merge_requests"]:
                wanted = (asked["source_branch"], asked["target_branch"])
                pulls = [one for one in self.pulls.values() if (one.head, one.base) == wanted and one.state == "OPEN"]
                return 200, [self._request(one) for one in pulls]
            case "GET", ["merge_requests", number]:
                return 200, self._request(self.pulls[int(number)])
            case "POST", ["merge_requests"]:
                return self._begin(body)
            case "PUT", ["merge_requests", number]:
                self.pulls[int(number)].body = body["description"]
                return 200, self._request(self.pulls[int(number)])
            case "PUT", ["merge_requests", number, "merge"]:
                return self._accept(self.pulls[int(number)], body)
            case "POST", ["merge_trains", "merge_requests", number]:
                return self._board(self.pulls[int(number)], body)
            case _, ["issues", *rest]:
                return self._of_issues(method, rest, asked, body)
            case "GET", ["members", "all", user]:
                return self._member(int(user))
        return 404, {"message": "404 Not Found"}

    def _of_issues(self, method: str, place: list[str], asked: dict[str, str], body: Any) -> tuple[int, Any]:
        match method, place:
            case "GET", []:
                found = [one for one in self.issues.values() if one["state"] == "open" and _has(one, asked["labels"])]
                first = 100 * (int(asked["page"]) - 1)
                return 200, [self._issue_told(one) for one in found][first : first + 100]
            case "GET", [number]:
                one = self.issues.get(int(number))
                return self._found(self._issue_told(one) if one is not None else None)
            case "PUT", [number]:
                assert body == {"state_event": "close"}
                self.issues[int(number)] |= {"state": "closed", "by": ME}
                return 200, self._issue_told(self.issues[int(number)])
            case "POST", [number, "notes"]:
                return self._say(body, number)
            case "PUT", [_number, "notes", note] if int(note) in self.comments:
                return self._say_anew(body, note)
        return 404, {"message": "404 Not found"}

    def _issue_told(self, one: dict[str, Any]) -> dict[str, Any]:
        told = {"iid": one["number"], "title": one["title"], "description": one["body"]}
        told |= {"web_url": f"{self.address}/{PROJECT}/-/issues/{one['number']}"}
        closed = one["state"] == "closed"
        told |= {"state": "closed" if closed else "opened", "labels": [label["name"] for label in one["labels"]]}
        return {**told, "closed_by": {"username": one.get("by", "ann")} if closed else None}

    def _user(self, name: str) -> int:
        names = self.__dict__.setdefault("users", [])
        if name not in names:
            names.append(name)
        return int(names.index(name)) + 1

    def _member(self, user: int) -> tuple[int, Any]:
        name = self.__dict__["users"][user - 1]
        level = 30 if name in self.writers else 10  # a guest may only talk
        return 200, {"id": user, "username": name, "state": "active", "access_level": level}

    def _request(self, pull: Pull) -> dict[str, Any]:
        state = {"OPEN": "opened", "MERGED": "merged", "CLOSED": "closed"}[pull.state]
        told = {"iid": pull.number, "state": state, "source_branch": pull.head, "target_branch": pull.base}
        told |= {"title": pull.title, "description": pull.body, "sha": self.head(pull.number), "draft": pull.draft}
        told |= {"source_project_id": 7 if pull.number in self.from_forks else 5, "target_project_id": 5}
        told |= {"web_url": f"{self.address}/{PROJECT}/-/merge_requests/{pull.number}", "squash_commit_sha": None}
        merged = None if self.goes_straight_on else pull.merge_commit
        return {**told, "merge_commit_sha": merged, "merge_user": {"username": pull.by} if pull.by else None}

    def _begin(self, body: Any) -> tuple[int, Any]:
        own = [one for one in self.pulls.values() if one.number not in self.from_forks and one.state == "OPEN"]
        if any(one.head == body["source_branch"] for one in own):
            return 409, {"message": ["Another open merge request already exists for this source branch"]}
        number, title = self._new(), str(body["title"])
        draft = title.startswith("Draft: ")
        made = Pull(number, body["source_branch"], body["target_branch"], title, body["description"], draft)
        self.pulls[number] = made
        return 201, self._request(made)

    def _accept(self, pull: Pull, body: Any) -> tuple[int, Any]:
        if body["sha"] != self.head(pull.number):
            return 409, {"message": "SHA does not match HEAD of source branch"}
        if pull.state != "OPEN" or self._status(pull) != "MERGEABLE":
            return 405, {"message": "405 Method Not Allowed"}
        if self.goes_straight_on:
            pull.last_head = body["sha"]
            git(self.repository, "update-ref", f"refs/heads/{pull.base}", body["sha"])
            pull.state, pull.by = "MERGED", "ann"
        else:
            self.merge(pull.number)
        return 200, self._request(pull)

    def _board(self, pull: Pull, body: Any) -> tuple[int, Any]:
        if not self.has_train:
            return 403, {"message": "403 Forbidden"}
        if body["sha"] != self.head(pull.number) or pull.queued:
            return 409, {"message": "409 Conflict"}
        pull.queued = True
        return 201, []

    def _status(self, pull: Pull) -> str:
        head = self.head(pull.number)
        fits, _ = self._fits(pull, head)
        if fits == "UNKNOWN":
            return "CHECKING"
        if fits in ("DIRTY", "BEHIND"):
            return {"DIRTY": "CONFLICT", "BEHIND": "NEED_REBASE"}[fits]
        status = self.__dict__.get("pipelines", {}).get(head, {}).get("status")
        if self.must_pass and status != "SUCCESS":
            return "CI_STILL_RUNNING" if status == "RUNNING" else "CI_MUST_PASS"
        if pull.draft:
            return "DRAFT_STATUS"
        return "REQUESTED_CHANGES" if "CHANGES_REQUESTED" in [one["state"] for one in pull.reviews] else "MERGEABLE"

    def _told(self, body: Any) -> Any:
        if body["variables"]["path"] != PROJECT:
            return {"data": {"project": None}}
        wanted = set(WORD.findall(body["query"]))
        self.last = {name: int(most) for name, most in re.findall(r"(\w+)\(last: (\d+)", body["query"])}
        iids = [int(one) for one in body["variables"]["iids"]]
        found = [self._shown_in_query(self.pulls[one]) for one in iids if one in self.pulls]
        issues = [self._issue_shown(self.issues[one]) for one in iids if one in self.issues]
        project = {"onlyAllowMergeIfPipelineSucceeds": self.must_pass, "mergeRequests": {"nodes": found}}
        project["issues"] = {"nodes": issues}
        return {"data": _only({"project": project, "currentUser": {"username": ME}}, wanted)}

    def _issue_shown(self, one: dict[str, Any]) -> dict[str, Any]:
        notes = [
            {
                "id": f"gid://gitlab/Note/{said['id']}",
                "body": said["body"],
                "system": False,
                "author": {"username": said.get("by", ME)},
            }
            for said in self.comments.values()
            if said["issue"] == one["number"]
        ]
        notes.insert(0, {**notes[0], "id": "gid://gitlab/Note/9999", "system": True}) if notes else None
        told = self._issue_told(one)
        return {**told, "iid": str(one["number"]), "notes": {"nodes": notes[-50:]}}

    def _shown_in_query(self, pull: Pull) -> dict[str, Any]:
        head, status = self.head(pull.number), self._status(pull)
        told = {"iid": str(pull.number), "state": self._request(pull)["state"], "diffHeadSha": head}
        told |= {"draft": pull.draft, "conflicts": status == "CONFLICT", "detailedMergeStatus": status}
        threads = [{**one, "notes": self._last_of("notes", one["notes"]["nodes"])} for one in pull.threads]
        told |= {"autoMergeEnabled": pull.queued, "discussions": self._last_of("discussions", threads)}
        told["availableAutoMergeStrategies"] = ["merge_train"] if self.has_train else []
        return {**told, "headPipeline": self.__dict__.get("pipelines", {}).get(head)}


def _has(issue: dict[str, Any], label: str) -> bool:
    return label in [one["name"] for one in issue["labels"]]
