"""A scripted GitHub: a server on loopback with a real bare repository behind it, which behaves as the real one does.

Right after a push only some checks are there, one that has not ended has an empty conclusion, whether a pull request
can be merged is found out later, a queued one looks like any other, and who asks too much is told to rest.
"""

import hashlib
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "ghp_scripted0secret0token0that0nobody0may0see"
REPO = "acme/shop"
WORD = re.compile(r"[A-Za-z_]+")


def git(repository: Path, *args: str, check: bool = True) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(repository), "GIT_CONFIG_NOSYSTEM": "1"}
    names = ("-c", "user.name=ann", "-c", "user.email=ann@example.invalid")
    ran = subprocess.run(["git", *names, *args], cwd=repository, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 or not check, ran.stderr
    return ran.stdout.strip()


class Pull:
    def __init__(self, number: int, head: str, base: str, title: str, body: str, draft: bool) -> None:
        self.number, self.head, self.base = number, head, base
        self.title, self.body, self.draft = title, body, draft
        self.state = "OPEN"
        self.merge_commit: str | None = None
        self.by: str | None = None
        self.queued = False
        self.is_forks = False  # from another repository of the same owner
        self.reviews: list[dict[str, Any]] = []
        self.threads: list[dict[str, Any]] = []
        self.last_head = ""
        self.looked_at = ""  # the commit for which it was found out whether it can be merged

    @property
    def node(self) -> str:
        return f"PR_{self.number}"


class GitHub:
    """Started in an empty folder; `repository` is the bare repository, with one commit on main."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.repository = folder / "shop.git"
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.repository))
        self.pulls: dict[int, Pull] = {}
        self.writers = {"ann"}
        self.issues: dict[int, dict[str, Any]] = {}
        self.comments: dict[int, dict[str, Any]] = {}
        self.checks: dict[str, list[dict[str, Any]]] = {}  # by the commit
        self.required: list[str] = ["unit", "lint"]
        self.strict = False
        self.has_queue = False
        self.allowed = ["merge", "squash", "rebase"]
        self.rules: list[dict[str, Any]] = []
        self.rules_status = 200
        self.needs_review = False
        self.limit, self.remaining = 5_000, 5_000
        self.reset_at = 0.0
        self.secondary: int | None = None  # seconds to rest
        self.is_down = False
        self.drop_answers = 0  # so many answers to what changes something are lost on the way
        self.asked: list[tuple[str, str, int]] = []  # method, path and status of every question
        self.seen_tokens: set[str] = set()
        self.last: dict[str, int] = {}  # of a list, so many are told: as the last question says
        self._next = 1
        self._lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def in_flow(self) -> str:
        """How a flow names it."""
        return f'repository: {REPO}, api: "{self.address}"'

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    # What people and machines do there

    def tip(self, branch: str) -> str | None:
        return git(self.repository, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", check=False) or None

    def check(self, commit: str, name: str, conclusion: str = "SUCCESS", summary: str = "", **more: Any) -> None:
        """A check of a commit; with the conclusion "" it has not ended."""
        status = "COMPLETED" if conclusion else "IN_PROGRESS"
        run = {"__typename": "CheckRun", "name": name, "status": status, "conclusion": conclusion, "summary": summary}
        with self._lock:
            others = [one for one in self.checks.get(commit, []) if one["name"] != name]
            self.checks[commit] = [*others, {**run, "title": "", "detailsUrl": "", **more}]

    def green(self, number: int) -> None:
        for name in self.required:
            self.check(self.head(number), name)

    def head(self, number: int) -> str:
        pull = self.pulls[number]
        return self.tip(pull.head) or pull.last_head

    def review(self, number: int, state: str, body: str, by: str = "ann", role: str = "MEMBER") -> None:
        one = {"id": f"R_{self._new()}", "state": state, "body": body}
        self.pulls[number].reviews.append({**one, "authorAssociation": role, "author": {"login": by}})

    def line_comment(self, number: int, path: str, line: int, body: str, role: str = "MEMBER") -> None:
        one = {"id": f"C_{self._new()}", "body": body, "authorAssociation": role, "author": {"login": "ann"}}
        thread = {"isResolved": False, "path": path, "line": line, "comments": {"nodes": [one]}}
        self.pulls[number].threads.append(thread)

    def line_reply(self, number: int, body: str, role: str = "MEMBER") -> None:
        """In the last thread."""
        one = {"id": f"C_{self._new()}", "body": body, "authorAssociation": role, "author": {"login": "mallory"}}
        self.pulls[number].threads[-1]["comments"]["nodes"].append(one)

    def merge(self, number: int, method: str = "merge", by: str = "ann") -> str:
        """By a person's hand."""
        pull = self.pulls[number]
        base, head = self.tip(pull.base), self.head(number)
        assert base is not None
        tree = git(self.repository, "merge-tree", "--write-tree", base, head).splitlines()[0]
        parents = ["-p", base, *(["-p", head] if method == "merge" else [])]
        commit = git(self.repository, "commit-tree", tree, *parents, "-m", f"{pull.title} (#{number})")
        git(self.repository, "update-ref", f"refs/heads/{pull.base}", commit, base)
        pull.state, pull.merge_commit, pull.by = "MERGED", commit, by
        pull.last_head = head
        return commit

    def shut(self, number: int, by: str = "ann") -> None:
        pull = self.pulls[number]
        pull.last_head = self.head(number)
        pull.state, pull.by = "CLOSED", by

    def push(self, branch: str, path: str, text: str, onto: str | None = None) -> str:
        """Somebody commits a file to a branch."""
        parent = onto or self.tip(branch)
        assert parent is not None
        blob = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], cwd=self.repository, input=text, capture_output=True, text=True
        ).stdout.strip()
        index = {"GIT_INDEX_FILE": str(self.repository / f"index-{self._new()}"), "PATH": os.environ["PATH"]}
        for args in (["read-tree", parent], ["update-index", "--add", "--cacheinfo", f"100644,{blob},{path}"]):
            subprocess.run(["git", *args], cwd=self.repository, env=index, check=True)
        tree = subprocess.run(
            ["git", "write-tree"], cwd=self.repository, env=index, capture_output=True, text=True, check=True
        ).stdout.strip()
        commit = git(self.repository, "commit-tree", tree, "-p", parent, "-m", f"change {path}")
        git(self.repository, "update-ref", f"refs/heads/{branch}", commit)
        return commit

    def issue(self, title: str, body: str = "", labels: tuple[str, ...] = ()) -> int:
        number = self._new()
        self.issues[number] = {
            "number": number,
            "title": title,
            "body": body,
            "html_url": f"{self.address}/{REPO}/issues/{number}",
            "node_id": f"I_{number}",
            "state": "open",
            "labels": [{"name": name} for name in labels],
        }
        return number

    def reply(self, number: int, body: str, by: str = "ann") -> None:
        name = self._new()
        self.comments[name] = {"id": name, "issue": number, "body": body, "by": by}

    def said_below(self, number: int) -> list[str]:
        """By the board."""
        return [one["body"] for one in self.comments.values() if one["issue"] == number and "by" not in one]

    def use_up(self, seconds: float) -> None:
        self.remaining, self.reset_at = 0, time.time() + seconds

    def _new(self) -> int:
        with self._lock:
            self._next += 1
            return self._next - 1

    # What it answers

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        parts = urlsplit(target)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        path = unquote(parts.path)
        if path == "/graphql":
            return 200, self._graphql(body)
        below = f"/repos/{REPO}/"
        if not f"{path}/".startswith(below):
            return 404, {"message": "Not Found"}
        place = path.removeprefix(below.rstrip("/")).removeprefix("/")
        for pattern, answer in self._routes(method):
            if found := re.fullmatch(pattern, place):
                return answer(asked if method == "GET" else body, *found.groups())
        return 404, {"message": "Not Found"}

    def _routes(self, method: str) -> list[tuple[str, Callable[..., tuple[int, Any]]]]:
        found: dict[str, list[tuple[str, Callable[..., tuple[int, Any]]]]] = {
            "GET": [
                ("pulls", self._list),
                ("branches/(.+)", self._branch),
                ("rules/branches/(.+)", lambda asked, branch: self._ruled()),
                ("", self._settings),
                (r"issues/(\d+)/comments", self._comments),
                (r"issues/(\d+)", lambda asked, n: self._found(self.issues.get(int(n)))),
                ("issues", self._issues),
                ("collaborators/([^/]+)/permission", self._permission),
            ],
            "POST": [("pulls", self._open), (r"issues/(\d+)/comments", self._say)],
            "PUT": [(r"pulls/(\d+)/merge", self._merge_asked)],
            "PATCH": [
                (r"pulls/(\d+)", self._edit),
                (r"issues/comments/(\d+)", self._say_anew),
                (r"issues/(\d+)", self._edit_issue),
            ],
        }
        return found.get(method, [])

    def _settings(self, asked: dict[str, str]) -> tuple[int, Any]:
        names = {"merge": "allow_merge_commit", "squash": "allow_squash_merge", "rebase": "allow_rebase_merge"}
        return 200, {"full_name": REPO, **{name: way in self.allowed for way, name in names.items()}}

    def _ruled(self) -> tuple[int, Any]:
        words = {404: "Not Found", 403: "Upgrade to GitHub Pro or make this repository public to enable this feature."}
        return (
            (200, self.rules)
            if self.rules_status == 200
            else (self.rules_status, {"message": words[self.rules_status]})
        )

    def _merge_asked(self, body: Any, number: str) -> tuple[int, Any]:
        """An admin's token: the rules of the branch would be passed over, as GitHub does."""
        pull = self.pulls[int(number)]
        if body["sha"] != self.head(pull.number):
            return 409, {"message": "Head branch was modified. Review and try the merge again."}
        if body["merge_method"] not in self.allowed:
            return 405, {"message": f"{body['merge_method']} merges are not allowed on this repository."}
        if pull.draft or pull.state != "OPEN" or self._fits(pull, body["sha"])[0] in ("DIRTY", "BEHIND"):
            return 405, {"message": "Pull Request is not mergeable"}
        commit = self.merge(pull.number, body["merge_method"], by="the token's owner")
        return 200, {"sha": commit, "merged": True, "message": "Pull Request successfully merged"}

    def _enqueue(self, asked: dict[str, str]) -> dict[str, Any]:
        pull = next(one for one in self.pulls.values() if one.node == asked["id"])
        if not self.has_queue or pull.draft or pull.queued or asked["head"] != self.head(pull.number):
            words = "Pull request is in no state to be added to the merge queue"
            return {"data": {"enqueuePullRequest": None}, "errors": [{"type": "UNPROCESSABLE", "message": words}]}
        pull.queued = True
        return {"data": {"enqueuePullRequest": {"mergeQueueEntry": {"state": "QUEUED"}}}}

    def _found(self, one: Any) -> tuple[int, Any]:
        return (200, one) if one is not None else (404, {"message": "Not Found"})

    def _permission(self, asked: dict[str, str], who: str) -> tuple[int, Any]:
        return 200, {"permission": "write" if who in self.writers else "read", "user": {"login": who}}

    def _issues(self, asked: dict[str, str]) -> tuple[int, Any]:
        wanted = asked.get("labels")
        found = [one for one in self.issues.values() if one["state"] == "open"]
        first = 100 * (int(asked.get("page", "1")) - 1)
        return 200, [one for one in found if wanted in [label["name"] for label in one["labels"]]][first : first + 100]

    def _comments(self, asked: dict[str, str], number: str) -> tuple[int, Any]:
        return 200, [one for one in self.comments.values() if one["issue"] == int(number)]

    def _say(self, body: Any, number: str) -> tuple[int, Any]:
        name = self._new()
        self.comments[name] = {"id": name, "issue": int(number), "body": body["body"]}
        return 201, self.comments[name]

    def _say_anew(self, body: Any, name: str) -> tuple[int, Any]:
        self.comments[int(name)]["body"] = body["body"]
        return 200, self.comments[int(name)]

    def _edit_issue(self, body: Any, number: str) -> tuple[int, Any]:
        self.issues[int(number)] |= body
        return 200, self.issues[int(number)]

    def _branch(self, asked: dict[str, str], name: str) -> tuple[int, Any]:
        tip = self.tip(name)
        if tip is None:
            return 404, {"message": "Branch not found"}
        checks = {"enforcement_level": "non_admins", "contexts": self.required, "checks": []}
        return 200, {"name": name, "commit": {"sha": tip}, "protection": {"required_status_checks": checks}}

    def _shown(self, pull: Pull) -> dict[str, Any]:
        return {
            "number": pull.number,
            "node_id": pull.node,
            "html_url": f"{self.address}/{REPO}/pull/{pull.number}",
            "title": pull.title,
            "body": pull.body,
            "draft": pull.draft,
            "state": "open" if pull.state == "OPEN" else "closed",
            "head": {"ref": pull.head, "sha": self.head(pull.number), "repo": {"id": 2 if pull.is_forks else 1}},
            "base": {"ref": pull.base, "repo": {"id": 1}},
        }

    def _list(self, asked: dict[str, str]) -> tuple[int, Any]:
        head = asked["head"].partition(":")[2]
        found = [one for one in self.pulls.values() if one.head == head and one.base == asked["base"]]
        return 200, [self._shown(one) for one in found if one.state == "OPEN"]

    def _open(self, body: Any) -> tuple[int, Any]:
        head, base = self.tip(body["head"]), self.tip(body["base"])
        if head is None or base is None:
            return 422, {"message": "Validation Failed", "errors": [{"field": "head", "code": "invalid"}]}
        there = [one for one in self.pulls.values() if (one.head, one.base) == (body["head"], body["base"])]
        there = [one for one in there if not one.is_forks]
        if any(one.state == "OPEN" for one in there):
            return 422, {"message": "Validation Failed", "errors": [{"message": "A pull request already exists"}]}
        if not git(self.repository, "rev-list", f"{base}..{head}"):
            return 422, {"message": "Validation Failed", "errors": [{"message": "No commits between"}]}
        number = self._new()
        title, text = body["title"], body.get("body") or ""
        self.pulls[number] = Pull(number, body["head"], body["base"], title, text, bool(body.get("draft")))
        return 201, self._shown(self.pulls[number])

    def _edit(self, body: Any, number: str) -> tuple[int, Any]:
        pull = self.pulls[int(number)]
        pull.body = body.get("body", pull.body)
        return 200, self._shown(pull)

    def _graphql(self, body: Any) -> Any:
        if "enqueuePullRequest" in body["query"]:
            return self._enqueue(body["variables"])
        wanted = set(WORD.findall(body["query"]))
        self.last = {name: int(most) for name, most in re.findall(r"(\w+)\(last: (\d+)", body["query"])}
        nodes = {pull.node: pull for pull in self.pulls.values()}
        asked = body["variables"]["ids"]
        found = [self._node(nodes[one]) if one in nodes else self._issue_node(one) for one in asked]
        reset = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.reset_at or time.time() + 3_000))
        limit = {"limit": self.limit, "remaining": self.remaining, "resetAt": reset}
        return {"data": _only({"rateLimit": limit, "nodes": found}, wanted)}

    def _issue_node(self, node: str) -> dict[str, Any] | None:
        one = next((issue for issue in self.issues.values() if issue["node_id"] == node), None)
        if one is None:
            return None
        comments = [self._comment_node(said) for said in self.comments.values() if said["issue"] == one["number"]]
        closers = [{"actor": {"login": one.get("by", "moot")}}] if one["state"] == "closed" else []
        return {
            "number": one["number"],
            "title": one["title"],
            "body": one["body"],
            "state": one["state"].upper(),
            "timelineItems": {"nodes": closers},
            "comments": {"nodes": comments[-50:]},
        }

    def _comment_node(self, said: dict[str, Any]) -> dict[str, Any]:
        by = said.get("by")
        own = {"id": f"IC_{said['id']}", "databaseId": said["id"], "body": said["body"]}
        return {**own, "viewerDidAuthor": by in (None, "moot"), "author": {"login": by or "moot"}}

    def _node(self, pull: Pull) -> dict[str, Any]:
        head = self.head(pull.number)
        fits, can = self._fits(pull, head)
        contexts = {"pageInfo": {"hasNextPage": False}, "nodes": self.checks.get(head, [])}
        rollup = {"contexts": contexts} if contexts["nodes"] else None
        by = {"login": pull.by} if pull.by else None
        return {
            "number": pull.number,
            "state": pull.state,
            "headRefOid": head,
            "mergeable": can,
            "mergeStateStatus": fits,
            "isDraft": pull.draft,
            "mergeCommit": {"oid": pull.merge_commit} if pull.merge_commit else None,
            "mergedBy": by if pull.state == "MERGED" else None,
            "autoMergeRequest": None,
            "mergeQueueEntry": {"state": "QUEUED"} if pull.queued else None,
            "isMergeQueueEnabled": self.has_queue,
            "reviewDecision": "REVIEW_REQUIRED" if self.needs_review else None,
            "latestOpinionatedReviews": {"nodes": self._opinions(pull)},
            "baseRef": {"target": {"oid": self.tip(pull.base)}},
            "timelineItems": {"nodes": [{"actor": by}] if pull.state == "CLOSED" else []},
            "commits": {"nodes": [{"commit": {"oid": head, "statusCheckRollup": rollup}}]},
            "reviews": self._last_of("reviews", pull.reviews),
            "reviewThreads": self._last_of("reviewThreads", [self._thread(one) for one in pull.threads]),
        }

    def _thread(self, one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "comments": self._last_of("comments", one["comments"]["nodes"])}

    def _last_of(self, name: str, listed: list[dict[str, Any]]) -> dict[str, Any]:
        most = self.last.get(name, 100)
        return {"nodes": listed[-most:], "pageInfo": {"hasPreviousPage": len(listed) > most}}

    def _fits(self, pull: Pull, head: str) -> tuple[str, str]:
        if pull.state != "OPEN" or pull.looked_at != head:
            pull.looked_at = head  # found out later: the first who asks is told that it is not known
            return "UNKNOWN", "UNKNOWN"
        base = self.tip(pull.base) or ""
        merged = subprocess.run(
            ["git", "merge-tree", "--write-tree", base, head], cwd=self.repository, capture_output=True, check=False
        )
        if merged.returncode:
            return "DIRTY", "CONFLICTING"
        behind = bool(git(self.repository, "rev-list", f"{head}..{base}"))
        if self.strict and behind:
            return "BEHIND", "MERGEABLE"
        ended = {one["name"]: one.get("conclusion") for one in self.checks.get(head, [])}
        is_free = all(ended.get(name) == "SUCCESS" for name in self.required) and not self.needs_review
        return ("DRAFT" if pull.draft else "CLEAN" if is_free else "BLOCKED"), "MERGEABLE"

    def _opinions(self, pull: Pull) -> list[dict[str, Any]]:
        """The last word of each who may write."""
        latest: dict[str, str] = {}
        for one in pull.reviews:
            if one["authorAssociation"] != "NONE" and one["state"] in ("APPROVED", "CHANGES_REQUESTED"):
                latest[one["author"]["login"]] = one["state"]
        return [{"state": state} for state in latest.values()]

    # How it answers

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        github = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def _do(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                if github.is_down:
                    github.asked.append((self.command, self.path, 0))
                    self.close_connection = True
                    self.connection.close()
                    return
                with github._lock:
                    status, told, headers = github._guarded(self.command, self.path, body, self.headers)
                    github.asked.append((self.command, self.path, status))
                    is_lost = github.drop_answers > 0 and self.command != "GET" and self.path != "/graphql"
                    github.drop_answers -= is_lost
                if is_lost:
                    self.close_connection = True
                    self.connection.close()
                    return
                data = b"" if status == 304 else json.dumps(told).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = _do  # noqa: N815 as the library calls them

        return Handler

    def _guarded(self, method: str, path: str, body: Any, headers: Any) -> tuple[int, Any, dict[str, str]]:
        said = str(headers.get("Authorization") or "").removeprefix("Bearer ")
        self.seen_tokens.add(said)
        if said != TOKEN:
            return 401, {"message": "Bad credentials"}, {}
        if self.secondary is not None:
            words = "You have exceeded a secondary rate limit."
            return 403, {"message": words}, {"Retry-After": str(self.secondary)}
        if self.remaining == 0 and time.time() >= self.reset_at:
            self.remaining = self.limit
        limits = {"X-RateLimit-Limit": str(self.limit), "X-RateLimit-Reset": str(round(self.reset_at))}
        if self.remaining == 0:
            return 403, {"message": "API rate limit exceeded"}, {**limits, "X-RateLimit-Remaining": "0"}
        status, told = self.answer(method, path, body)
        etag = f'"{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:20]}"'
        if method == "GET" and status == 200 and headers.get("If-None-Match") == etag:
            return 304, None, {"ETag": etag}  # costs nothing
        self.remaining -= 1
        more = {"ETag": etag} if method == "GET" and status == 200 else {}
        return status, told, {**limits, "X-RateLimit-Remaining": str(self.remaining), **more}


def _only(value: Any, wanted: set[str]) -> Any:
    """Nothing that was not asked for by its name."""
    if isinstance(value, dict):
        return {name: _only(one, wanted) for name, one in value.items() if name in wanted}
    return [_only(one, wanted) for one in value] if isinstance(value, list) else value
