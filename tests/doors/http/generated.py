"""A generator of requests that knows what it has done: agents, people, forgers and the clumsy, all at one server."""

import http.client
import json
import random
from collections import Counter
from typing import Any
from urllib.parse import urlencode

from folkmoot.engine.registry import CALLS
from tests.doors.http.served import SECONDS, Connection

WORDS = ["", "x", "done", "1", "0", "-1", "999", "q1", "r0", "code", "review", "ä", "\u202e", "a" * 300, "../..", "{}"]
VALUES: list[Any] = [*WORDS, None, True, 0, -1, 1.5, 2**63, 1e300, [], [[]], {}, {"a": {"b": []}}, ["x"] * 50]
ADDED_MAX = 40
OUTCOMES = ["done", "failed", "incomplete", "asks", "blocked", "changes_requested", "disputed", "dnoe", ""]


class Run:
    def __init__(self, item: str, bearer: str) -> None:
        self.item, self.bearer = item, bearer
        self.over = False


class Generator:
    """One random caller after another. What it has seen must hold: it raises where an answer contradicts it."""

    def __init__(self, host: str, owner: str, seed: int, added_max: int = ADDED_MAX) -> None:
        self._host, self._owner = host, owner
        self._chance = random.Random(seed)
        self._connection = Connection(host, timeout=SECONDS)
        self.statuses: Counter[int] = Counter()
        self.runs: list[Run] = []
        self._added: list[str] = []
        self._added_max = added_max
        self._answers: dict[str, tuple[str, bytes, bytes]] = {}  # by key: the call, what was sent, what was answered
        self._tokens = {"owner": owner}

    def close(self) -> None:
        self._connection.close()

    def tidy(self) -> None:
        """End what it has added: whoever comes after it finds a board of the same size."""
        for item in self._added:
            self._call("cancel", self._owner, item=item)

    def play(self, count: int) -> None:
        act = [self._add, self._claim, self._report, self._speak, self._look, self._decide, self._again, self._garbage]
        weights = [3, 4, 4, 3, 4, 3, 2, 4]
        while sum(self.statuses.values()) < count:
            self._chance.choices(act, weights)[0]()

    def send(
        self, method: str, path: str, body: bytes | None = None, token: str | None = None, **headers: str
    ) -> tuple[int, bytes]:
        shown = {"Authorization": f"Bearer {token}"} if token else {}
        kind = {"Content-Type": "application/json"} if body is not None else {}
        try:
            self._connection.request(method, path, body, {**shown, **kind, **headers})
            answer = self._connection.getresponse()
            status, data = answer.status, answer.read()
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()  # it may hang up on what is no HTTP
            self.statuses[0] += 1
            return 0, b""
        self.statuses[status] += 1
        assert status < 500 or status == 503, (method, path, body, data)
        if status >= 400 and method != "HEAD" and not path.startswith("/mcp"):  # MCP has errors of its own
            told = json.loads(data)
            assert told["status"] == status and told["code"] and told["detail"], data
        return status, data

    def _call(self, name: str, token: str, key: str | None = None, /, **fields: Any) -> tuple[int, Any]:
        call = next(one for one in CALLS if one.name == name)
        if not call.writes:
            status, data = self.send("GET", f"/v1/{name}?{urlencode(fields, doseq=True)}", None, token)
            return status, json.loads(data) if data else None
        sent = json.dumps(fields).encode()
        status, data = self.send("POST", f"/v1/{name}", sent, token, **({"Idempotency-Key": key} if key else {}))
        if key and status == 200 and token == self._owner:
            self._answers[key] = (name, sent, data)
        return status, json.loads(data) if data else None

    # What they do

    def _add(self) -> None:
        """Not more than a board that people look at has: its reads are not what is tried here."""
        if len(self._added) >= self._added_max:
            return
        key = f"k{self._chance.randrange(10**9)}" if self._chance.random() < 0.5 else None
        title = f"Item {self._chance.randrange(1000)}"
        status, item = self._call("add", self._owner, key, title=title, body=self._word())
        if status == 200:
            self._added.append(item["id"])

    def _claim(self) -> None:
        status, claim = self._call("claim", self._owner, agent=self._chance.choice(["coder", "reviewer"]), show=False)
        if status == 200:
            item = claim["brief"]["task"]["id"]
            for run in self.runs:
                if run.item == item and not run.over:
                    # Whoever had it has lost it meanwhile: by a person's act, or by its lease.
                    run.over = self.send("GET", f"/v1/show?item={item}", None, run.bearer)[0] == 401
                    assert run.over, f"item {item} is worked on twice"
            self.runs.append(Run(item, claim["bearer"]))

    def _report(self) -> None:
        run = self._some_run()
        if run is None:
            return
        report: dict[str, Any] = {"outcome": self._chance.choice(OUTCOMES), "summary": self._word() or "said"}
        if report["outcome"] == "asks":
            report["question"] = {"question": "Which?", "options": [{"option": "one"}, {"option": "two"}]}
        status, _ = self._call("report", run.bearer, report=report)
        if status == 200:
            run.over = True

    def _speak(self) -> None:
        run = self._some_run()
        if run is not None:
            chosen: list[tuple[str, dict[str, Any]]] = [
                ("comment", {"content": self._word() or "hm"}),
                ("renew", {}),
                ("ask", {"question": "Which?"}),
                ("widen", {"paths": [self._word()]}),
                ("hear", {}),
                ("answer", {"question": "q1", "answer": "one"}),
                ("cancel", {"item": run.item}),
                ("make_token", {"name": "mine", "role": "owner"}),
            ]
            name, fields = self._chance.choice(chosen)
            status, _ = self._call(name, run.bearer, **fields)
            if name in ("answer", "cancel", "make_token"):
                assert status in (401, 403), (name, status)

    def _look(self) -> None:
        reads = [call for call in CALLS if not call.writes]
        call = self._chance.choice(reads)
        needs = {"item": str(self._chance.randrange(1, 30)), "run": self._word(), "text": self._word(), "seq": "9"}
        fields = {name: needs[name] for name in call.request.__struct_fields__ if name in needs}
        self._call(call.name, self._chance.choice([*self._tokens.values()]), **fields)

    def _decide(self) -> None:
        item = str(self._chance.randrange(1, 30))
        chosen: list[tuple[str, dict[str, Any]]] = [
            ("move", {"item": item, "column": self._chance.choice(["code", "review", "done"])}),
            ("cancel", {"item": item}),
            ("reopen", {"item": item}),
            ("edit", {"item": item, "title": "Another title", "version": self._chance.randrange(5)}),
            ("answer", {"question": f"q{self._chance.randrange(9)}", "answer": "1"}),
            ("say", {"item": item, "text": "mind the tests"}),
            ("pause", {}),
            ("resume", {}),
            ("lock", {"paths": [self._word() or "x"], "seconds": 1.0}),
        ]
        name, fields = self._chance.choice(chosen)
        self._call(name, self._owner, **fields)
        if name == "pause":
            self._call("resume", self._owner)

    def _again(self) -> None:
        """The same key twice has one effect, and one answer."""
        if self._answers:
            key = self._chance.choice([*self._answers])
            name, sent, before = self._answers[key]
            status, data = self.send("POST", f"/v1/{name}", sent, self._owner, **{"Idempotency-Key": key})
            assert (status, data) == (200, before), key

    def _garbage(self) -> None:
        """Requests that nobody means: any path, any method, any body, any header."""
        chance = self._chance
        call = chance.choice(CALLS)
        path = chance.choice([f"/v1/{call.name}"] * 3 + ["/v1/", "/", "/mcp", "/login", "/v1/../v1/add", "/%00"])
        fields = {chance.choice([*call.request.__struct_fields__, "x"]): chance.choice(VALUES) for _ in range(3)}
        body = chance.choice([json.dumps(fields).encode(), b"", b"{", b"[]", b"null", b"\xff", b'{"a":' * 2000, None])
        query = chance.choice(["", "?x", "?item=%ff", f"?{urlencode({'after': chance.choice(WORDS)})}", "?a=1&a=2"])
        token = chance.choice([self._owner, self._owner, None, "x", f"moot_run.r0.1.{'A' * 43}"])
        match = {"If-Match": chance.choice(['"1.x"', "*", "W/"])}
        header: dict[str, str] = chance.choice([{}, {}, match, {"Idempotency-Key": "k" * 2000}, {"Origin": "null"}])
        method = chance.choice(["GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH"])
        if not (method == "GET" and path in ("/v1/events", "/mcp")):
            self.send(method, path + query, body, token, **header)

    def _some_run(self) -> Run | None:
        return self._chance.choice(self.runs) if self.runs else None

    def _word(self) -> str:
        return self._chance.choice(WORDS)
