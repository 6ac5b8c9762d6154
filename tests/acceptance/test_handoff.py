"""The handoff document's own examples: envelope, six messages, locks, retries, the example flow (H-01 to H-14)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import ESCALATION

View = dict[str, Any]

ENVELOPE: View = {
    "schema_version": "1.0.0",
    "message_id": "6f1c0a52-6f1d-4a6e-9d3b-0f5f0a1b2c3d",
    "timestamp": "2024-01-01T10:00:00Z",
    "from": "planner",
    "to": "builder",
    "type": "task_handoff",
    "priority": "high",
    "payload": {"title": "Add user auth", "files": ["src/auth/"]},
    "context": {"workflow": "feature", "spec": "specs/20240101-feature.md", "iteration": 1},
    "status": "pending",
}
SIX = {
    "task_handoff": ("planner", "builder"),
    "review_request": ("builder", "reviewer"),
    "fix_request": ("reviewer", "fixer"),
    "rereview_request": ("fixer", "reviewer"),
    "completion": ("reviewer", "orchestrator"),
    "escalation": ("fixer", "orchestrator"),
}


def board(folder: Path, *, column: str | None = None, kind: str = "feature") -> Moot:
    moot = new_board(folder, "handoff")
    moot("add", "Add user auth", "--type", kind, *(["--column", column] if column else []))
    return moot


def send(moot: Moot, message: View, *words: str) -> View:
    return moot("send", "-", *words, stdin=json.dumps(message))


def inside(claim: View) -> list[str]:
    return ["--run", claim["run"], "--token", str(claim["token"])]


def place(view: View) -> tuple[str, str]:
    return view["column"], view["status"]


@pytest.mark.ledger("H-14", "H-12", "H-07", "R-13", "R-26")
@pytest.mark.parametrize("kind", ["feature", "bugfix", "refactor"])
def test_the_documents_example_flow(tmp_path: Path, kind: str) -> None:
    moot = board(tmp_path, kind=kind)
    item = moot.speak("planner", {"status": "completed", "spec": "specs/20240101-feature.md"})
    assert (place(item), item["spec"]) == (("build", "ready"), "specs/20240101-feature.md")
    assert place(moot.speak("builder", {"status": "completed", "commit": "abc123"})) == ("review", "ready")
    issues = [{"issue": "no rate limit", "file": "a.py", "line": 1}, {"issue": "no test", "file": "b.py", "line": 2}]
    item = moot.effort("reviewer", "changes_requested", findings=issues)
    assert (place(item), len(item["findings"])) == (("fix", "ready"), 2)
    assert [found["issue"] for found in moot("show", "1")["findings"]] == ["no rate limit", "no test"]
    assert place(moot.speak("fixer", {"status": "fixes_applied"})) == ("review", "ready")
    item = moot.speak("reviewer", {"status": "approved"})
    assert (place(item), item["iteration"]) == (("done", "done"), 2)
    messages = moot("messages")["messages"]
    handed = [(m["type"], m["from"], m["to"], m["status"]) for m in messages if m["to"] != "orchestrator"]
    assert handed == [
        ("task_handoff", "planner", "builder", "completed"),
        ("review_request", "builder", "reviewer", "completed"),
        ("fix_request", "reviewer", "fixer", "completed"),
        ("rereview_request", "fixer", "reviewer", "completed"),
    ]
    assert {m["status"] for m in messages if m["to"] == "orchestrator"} == {"completed"}
    assert messages[1]["context"]["workflow"] == kind
    assert messages[1]["context"]["spec"] == "specs/20240101-feature.md"
    names = {event["event"] for event in moot.events("1")}
    assert {"agent_started", "agent_completed", "handoff_created", "handoff_accepted"} <= names


@pytest.mark.ledger("H-13")
def test_the_four_metrics(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("planner", {"status": "completed"})
    moot.speak("builder", {"status": "completed"})
    moot.effort("reviewer", "changes_requested", findings=[{"issue": "a"}])
    moot.speak("fixer", {"status": "fixes_applied"})
    moot.speak("reviewer", {"status": "approved"})
    metrics = moot("metrics")
    assert set(metrics["time_per_agent"]) == {"planner", "builder", "reviewer", "fixer"}
    assert metrics["handoffs_per_workflow"]["1"] == 4
    assert metrics["fix_iterations"]["1"] == 1
    assert metrics["escalation_rate"] == 0.0


@pytest.mark.ledger("H-01", "R-26")
def test_the_envelope_is_kept_field_by_field(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    sent = send(moot, ENVELOPE)
    kept = moot("messages", "--to", "builder", "--status", "pending")["messages"][0]
    assert {name: kept[name] for name in ENVELOPE if name != "context"} == {
        name: value for name, value in ENVELOPE.items() if name != "context"
    }
    assert kept["context"].items() >= ENVELOPE["context"].items()
    item = moot("show", sent["item"])
    assert (place(item), item["title"], item["priority"], item["spec"]) == (
        ("build", "ready"),
        "Add user auth",
        "high",
        "specs/20240101-feature.md",
    )
    short = send(moot, {"from": "planner", "to": "builder", "type": "task_handoff", "payload": {"title": "More"}})
    assert (short["schema_version"], short["priority"], short["status"]) == ("1.0.0", "medium", "pending")
    assert len(short["message_id"]) == 36 and short["timestamp"]


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("from", None),
        ("to", None),
        ("type", None),
        ("priority", "urgent"),
        ("status", "lost"),
        ("payload", "text"),
        ("type", "gossip"),
        ("to", "nobody"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(tmp_path: Path, name: str, value: Any) -> None:
    moot = new_board(tmp_path, "handoff")
    message = {key: given for key, given in {**ENVELOPE, name: value}.items() if given is not None}
    said = moot.say("send", "-", stdin=json.dumps(message))
    assert (said.code, said.error) == (2, "bad_message")
    assert name in said.err
    assert moot.say("messages").code in (0, 3)
    assert moot("list")["items"] == []


@pytest.mark.ledger("H-02", "H-03")
@pytest.mark.parametrize("kind", SIX)
def test_each_type_has_its_senders_and_receivers(tmp_path: Path, kind: str) -> None:
    moot = board(tmp_path)
    sender, receiver = SIX[kind]
    good = {"from": sender, "to": receiver, "type": kind, "context": {"item": "1"}}
    wrong = "planner" if sender != "planner" else "fixer"
    if receiver != "orchestrator":
        refused = moot.say("send", "-", stdin=json.dumps({**good, "from": wrong}))
        assert (refused.code, refused.error) == (1, "may_not_send")
    else:
        refused = moot.say("send", "-", stdin=json.dumps({**good, "to": "builder"}))
        assert (refused.code, refused.error) == (1, "may_not_send")
    sent = send(moot, good)
    assert sent["item"] == "1"
    if kind == "completion":
        assert sent["status"] == "completed", "the orchestrator is the rules: they are done with it"


@pytest.mark.ledger("H-03")
def test_a_handoff_never_goes_backwards_and_never_twice(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    message = send(moot, {"from": "builder", "to": "reviewer", "type": "review_request"})["message_id"]
    assert moot.say("complete", message).error == "not_accepted", "nobody has seen it"
    assert moot.say("accept", message).error == "not_for_you", "only its receiver accepts"
    assert moot("accept", message, "--as", "reviewer")["status"] == "accepted"
    assert moot.say("accept", message, "--as", "reviewer").error == "message_over"
    assert moot("complete", message)["status"] == "completed"
    for again in (("accept",), ("complete",), ("reject", "--why", "late")):
        assert moot.say(again[0], message, *again[1:]).error == "message_over"
    other = send(moot, {"from": "builder", "to": "reviewer", "type": "review_request"})["message_id"]
    assert moot("reject", other, "--why", "nothing to read")["status"] == "rejected"
    assert moot.say("complete", other).code == 1


@pytest.mark.ledger("H-07", "R-26", "R-27")
def test_a_claim_accepts_the_report_completes_and_a_crash_is_inherited(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("planner", {"status": "completed"})
    first = moot("claim", "builder", "--lease", "1s")
    message = first["brief"]["messages"][0]
    assert (message["type"], message["status"]) == ("task_handoff", "accepted")
    moot("release", first["run"], "--token", str(first["token"]))
    second = moot("claim", "builder")
    assert second["brief"]["messages"][0]["message_id"] == message["message_id"], "the successor inherits it"
    stale = moot.say("send", "-", *inside(first), stdin=json.dumps({**ESCALATION}))
    assert (stale.code, stale.error) == (1, "stale_claim")
    assert moot("renew", second["run"], "--token", str(second["token"])), "it says that it is alive while it works"
    sent = send(
        moot,
        {"from": "builder", "to": "reviewer", "type": "review_request", "payload": {"commit": "abc"}},
        *inside(second),
    )
    moot.report(second, "done", commit="abc123")
    requests = [m for m in moot("messages", "--to", "reviewer")["messages"] if m["type"] == "review_request"]
    assert [m["message_id"] for m in requests] == [sent["message_id"]], "what the run sent is not written again"
    assert moot("claim", "reviewer")["brief"]["messages"][0]["payload"] == {"commit": "abc"}


@pytest.mark.ledger("R-26", "R-12")
def test_rejecting_what_one_was_handed_is_a_dispute(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("planner", {"status": "completed"})
    claim = moot("claim", "builder")
    message = claim["brief"]["messages"][0]["message_id"]
    assert moot("reject", message, "--why", "the spec has no error cases", *inside(claim))["status"] == "rejected"
    item = moot("show", "1")
    assert place(item) == ("plan", "ready")
    assert item["dispute_agents"] == ["builder"]
    assert item["comments"][0]["content"] == "the spec has no error cases"


@pytest.mark.ledger("H-09", "R-26")
@pytest.mark.parametrize("by", ["report", "send"])
def test_the_escalation_message_asks_with_all_its_parts(tmp_path: Path, by: str) -> None:
    moot = board(tmp_path, column="build")
    claim = moot("claim", "builder")
    if by == "report":
        item = moot.hand_in(claim, json.dumps(ESCALATION))
    else:
        sent = send(moot, ESCALATION, *inside(claim))
        assert sent["status"] == "pending"
        item = moot.report(claim, "incomplete", summary="waits for the answer")
    assert item["status"] == "awaiting-divine-guidance"
    question = item["questions"][0]
    assert question["question"] == "Cannot determine auth method"
    assert [option["option"] for option in question["options"]] == ["JWT", "Session", "OAuth"]
    assert "spec line 45" in question["context"] and question["blocking"] is True
    assert "spec_ambiguity" in json.dumps(item)
    moot("answer", question["id"], "1")
    if by == "send":
        states = {m["message_id"]: m["status"] for m in moot("messages")["messages"]}
        assert states[sent["message_id"]] == "completed", "by its answer"
    assert moot("claim", "builder")["brief"]["guidance"][-1]["answer"] == "JWT"


@pytest.mark.ledger("H-08", "R-07")
def test_a_recoverable_error_is_tried_three_times_and_a_fatal_one_goes_to_a_person(tmp_path: Path) -> None:
    moot = board(tmp_path, column="build")
    item = moot.effort("builder", "failed", cause="transient", summary="connection reset")
    assert item["status"] == "ready" and item["pause"] > 0
    assert moot.say("claim", "builder").code == 3, "a pause that grows comes first"
    errors = [event for event in moot.events("1") if event["event"] == "error_occurred"]
    assert errors[-1]["context"]["execution"] == 1
    moot("add", "Unclear", "--column", "build")
    fatal = moot.effort("builder", "failed", cause="requirement", summary="nobody says which login")
    assert fatal["status"] == "awaiting-divine-guidance"


@pytest.mark.ledger("H-06", "H-10")
def test_locks(tmp_path: Path) -> None:
    moot = board(tmp_path, column="build")
    locks = moot("lock", "src/auth/", "--for", "30m", "--as", "ann")["locks"]
    assert [(lock["resource"], lock["agent"]) for lock in locks] == [("src/auth/", "ann")]
    assert locks[0]["acquired"] < locks[0]["expires"]
    held = moot.say("lock", "src/auth/reset.py", "--as", "bob")
    assert (held.code, held.error) == (1, "path_held"), "a folder overlaps what is in it"
    moot("add", "Reset", "--column", "build", "--files", "src/auth/reset.py", "--priority", "critical")
    claim = moot("claim", "builder")
    assert claim["item"]["id"] == "1", "what is locked is skipped"
    assert moot("show", "2")["status"] == "blocked"
    assert moot.say("widen", claim["run"], "src/auth/login.py", "--token", str(claim["token"])).error == "path_held"
    assert moot.say("unlock", "src/auth/", "--as", "bob").error == "not_yours"
    assert moot("unlock", "src/auth/", "--as", "ann")["locks"] == []
    assert moot("widen", claim["run"], "src/auth/login.py", "--token", str(claim["token"]))["files"] == [
        "src/auth/login.py"
    ]
    other = moot("claim", "builder")
    assert other["item"]["id"] == "2"
    moot("lock", "docs/", *inside(other))
    moot.report(other, "done")
    left = [lock["resource"] for lock in moot("locks")["locks"]]
    assert left == ["src/auth/login.py", "src/auth/reset.py"], "a run's locks end with it, an item's files stay its own"


# The document's steps as it prints them: what each agent sends on, and what it returns.
RETURNS = [
    ("PLANNER", ("task_handoff", "BUILDER"), '{status: completed, spec: "specs/..."}', ("build", "ready")),
    ("BUILDER", ("review_request", "REVIEWER"), '{status: completed, commit: "abc123"}', ("review", "ready")),
    ("REVIEWER", ("fix_request", "FIXER"), "{status: needs_fixes, issues: 2}", ("fix", "ready")),
    ("FIXER", ("rereview_request", "REVIEWER"), "{status: fixes_applied}", ("review", "ready")),
    ("REVIEWER", None, "{status: approved}", ("done", "done")),
]


@pytest.mark.ledger("H-14", "H-02", "H-07", "R-26", "R-05")
@pytest.mark.parametrize("sends", [True, False])
def test_the_example_flow_runs_as_it_is_printed(tmp_path: Path, sends: bool) -> None:
    moot = board(tmp_path)
    looks = []
    for agent, handoff, returns, ends in RETURNS:
        claim = moot("claim", agent)
        looks.append((claim["item"]["iteration"], [m["context"]["iteration"] for m in claim["brief"]["messages"]]))
        told = handoff is not None and (sends or handoff[0] == "fix_request")
        if handoff is not None and told:
            issues = ["no rate limit", "no test"] if handoff[0] == "fix_request" else []
            message = {"from": agent, "to": handoff[1], "type": handoff[0], "payload": {"issues": issues, "by": agent}}
            assert send(moot, message, *inside(claim))["item"] == "1"
        assert place(moot.hand_in(claim, returns)) == ends
    assert looks == [(0, []), (0, [1]), (1, [1]), (1, [1]), (2, [2])]
    messages = moot("messages")["messages"]
    handed = [(m["type"], m["from"], m["to"], m["status"]) for m in messages if m["to"] != "orchestrator"]
    assert handed == [
        (handoff[0], agent.lower(), handoff[1].lower(), "completed") for agent, handoff, _, _ in RETURNS if handoff
    ]
    request = next(m for m in messages if m["type"] == "review_request")
    if not sends:
        assert (request["payload"]["status"], request["payload"]["commit"]) == ("completed", "abc123")
        assert request["payload"]["spec"] == request["context"]["spec"] == "specs/..."
    fix = next(m for m in messages if m["type"] == "fix_request")
    assert fix["payload"]["issues"] == ["no rate limit", "no test"]
    for event in moot.events("1"):
        assert event["context"]["workflow"] == "feature" and event["context"]["spec"] == "specs/..."
    metrics = moot("metrics")
    assert (metrics["handoffs_per_workflow"]["1"], metrics["fix_iterations"]["1"]) == (4, 1)
    assert set(metrics["time_per_agent"]) == {"planner", "builder", "reviewer", "fixer"}
    assert metrics["escalation_rate"] == 0.0 and moot("doctor")["ok"]


PRINTED: View = {
    "schema_version": "1.0.0",
    "message_id": "uuid-v4",
    "timestamp": "ISO-8601",
    "from": "agent_name",
    "to": "agent_name",
    "type": "message_type",
    "priority": "critical|high|medium|low",
    "payload": {},
    "context": {"workflow": "feature|bugfix|refactor", "spec": "path/to/spec.md", "iteration": 1},
    "status": "pending|accepted|completed|rejected",
}


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize("name", ["message_id", "timestamp", "priority", "status", "context"])
def test_what_the_format_stands_for_is_no_value(tmp_path: Path, name: str) -> None:
    """The document prints `uuid-v4` and `critical|high|medium|low` where a value belongs."""
    moot = new_board(tmp_path, "handoff")
    said = moot.say("send", "-", stdin=json.dumps({**ENVELOPE, name: PRINTED[name]}))
    where = "context.workflow" if name == "context" else name
    assert (said.code, said.error) == (2, "bad_message") and f"{where}: " in said.err
    assert moot("list")["items"] == []


@pytest.mark.ledger("R-26", "H-09", "H-12")
def test_an_escalation_about_no_item_asks_a_person(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    sent = send(moot, ESCALATION)
    assert sent["status"] == "pending" and sent["item"]
    (question,) = moot("inbox")["questions"]
    assert question["question"] == "Cannot determine auth method" and question["agent_id"] == "builder"
    names = [event["event"] for event in moot.events(sent["item"])]
    assert "escalation_triggered" in names
    moot("answer", question["id"], "JWT")
    assert moot("messages")["messages"][0]["status"] == "completed"
    assert moot("claim", "builder")["brief"]["guidance"][0]["answer"] == "JWT"


@pytest.mark.ledger("R-26", "H-07")
def test_what_waits_for_its_receiver_is_on_the_board_and_in_the_next_brief(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    message = {"to": "reviewer", "type": "review_request", "payload": {"commit": "abc123"}}
    assert moot.say("send", "-", stdin=json.dumps(message)).error == "bad_message", "who sends it?"
    sent = send(moot, message, "--as", "Builder")
    assert (sent["from"], sent["item"], sent["status"]) == ("builder", None, "pending")
    assert [m["message_id"] for m in moot("board")["messages"]] == [sent["message_id"]]
    assert moot("messages", "--to", "REVIEWER")["messages"] == [sent]
    moot("add", "Add user auth", "--column", "review")
    claim = moot("claim", "reviewer")
    assert [m["message_id"] for m in claim["brief"]["messages"]] == [sent["message_id"]]
    assert moot("board")["messages"] == []


@pytest.mark.ledger("R-26", "R-12")
def test_rejecting_outside_of_a_run_sends_the_item_back(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("planner", {"status": "completed"})
    message = moot("messages", "--to", "builder")["messages"][0]["message_id"]
    assert moot("reject", message, "--why", "the spec has no error cases", "--as", "builder")["status"] == "rejected"
    item = moot("show", "1")
    assert place(item) == ("plan", "ready") and item["dispute_agents"] == ["builder"]
    assert item["comments"][0]["content"] == "the spec has no error cases"


NOT_ENDED: dict[str, str] = {
    "failed": '{"outcome": "failed", "summary": "the library is missing"}',
    "incomplete": '{"outcome": "incomplete", "summary": "half of it"}',
    "asks": json.dumps(ESCALATION),
    "transient": '{"outcome": "failed", "cause": "conflict", "summary": "the branch moved"}',
}


@pytest.mark.ledger("R-26", "H-07", "H-09")
@pytest.mark.parametrize("how", NOT_ENDED)
def test_a_run_that_did_not_do_it_leaves_the_handoff_to_the_next(tmp_path: Path, how: str) -> None:
    moot = board(tmp_path)
    moot.speak("planner", '{status: completed, spec: "specs/20240101-feature.md"}')
    first = moot("claim", "builder")
    (handoff,) = first["brief"]["messages"]
    moot.hand_in(first, NOT_ENDED[how])
    for question in moot("show", "1")["questions"]:
        moot("answer", question["id"], "JWT")
    assert moot("messages", "--to", "builder")["messages"][0]["status"] == "accepted"
    second = moot("claim", "builder")
    assert handoff["message_id"] in [m["message_id"] for m in second["brief"]["messages"]]
    assert second["brief"]["messages"][0]["payload"]["spec"] == "specs/20240101-feature.md"
    moot.report(second, "done")
    assert moot("messages", "--to", "builder")["messages"][0]["status"] == "completed" and moot("doctor")["ok"]
