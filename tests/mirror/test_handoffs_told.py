"""What an agent says of a handoff in its file, and what it is told where that ends nothing."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mirror.desk import Desk, View

HANDOFF: View = {
    "message_id": "6f1c0a52-6f1d-4a6e-9d3b-0f5f0a1b2c3d",
    "from": "planner",
    "to": "builder",
    "type": "task_handoff",
    "payload": {"title": "Add user auth"},
    "status": "pending",
}
NAME = "handoff-6f1c0a52-6f1d-4a6e-9d3b-0f5f0a1b2c3d.json"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    made.look()
    yield made
    made.close()


@pytest.fixture
def handed(desk: Desk) -> Desk:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    return desk


def edited(desk: Desk, status: str | None = "rejected", *, moved: bool = False, **beside: Any) -> None:
    """The file as the board wrote it, edited where it lies, or in `rejected/`."""
    told = desk.json(f"handoffs/pending/{NAME}")
    told |= {**({"status": status} if status else {}), **beside}
    if moved:
        os.rename(desk.dir / "handoffs/pending" / NAME, desk.dir / "handoffs/rejected" / NAME)
    desk.put(f"handoffs/{'rejected' if moved else 'pending'}/{NAME}", told)
    desk.look()


@pytest.mark.ledger("H-03", "H-04")
@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("status", ["rejected", None])
@pytest.mark.parametrize(
    "beside",
    [
        {"payload": {"title": "Add user auth", "reason": "no limits named"}},
        {"payload": {"title": "Add user auth", "why": "no limits named"}},
        {"reason": "no limits named"},
        {"why": "no limits named"},
        {"why": "no limits named", "reason": "no limits named", "payload": {"title": "Add user auth", "reason": " "}},
    ],
)
def test_the_reason_of_a_rejection_may_stand_in_the_payload_or_beside_it(
    handed: Desk, moved: bool, status: str | None, beside: View
) -> None:
    if status is None and not moved:
        status = "rejected"  # somewhere it must be said
    edited(handed, status, moved=moved, **beside)
    assert handed.reasons() == []
    kept = handed.json(f"handoffs/rejected/{NAME}")
    assert (kept["status"], kept["why"], kept["payload"]) == ("rejected", "no limits named", HANDOFF["payload"])
    item = handed.moot("show", "1")
    assert (item["column"], [one["content"] for one in item["comments"]]) == ("plan", ["no limits named"])


@pytest.mark.ledger("H-04")
@pytest.mark.parametrize(
    "payload",
    [
        {"title": "Add it", "reason": "unclear"},
        {"title": "Add user auth", "note": "x"},
        {**HANDOFF["payload"], "reason": 3},
    ],
)
def test_a_rejection_that_changes_what_was_sent_is_told_where_a_reason_goes(handed: Desk, payload: View) -> None:
    edited(handed, payload=payload)
    (why,) = handed.reasons()
    assert "payload: message" in why and 'the reason goes into "why"' in why
    assert handed.json(f"handoffs/pending/{NAME}")["status"] == "pending"


@pytest.mark.ledger("H-04")
def test_a_reason_in_a_file_that_rejects_nothing_is_no_reason(handed: Desk) -> None:
    edited(handed, "accepted", payload={**HANDOFF["payload"], "reason": "it is mine"})
    assert "was sent as it is" in "".join(handed.reasons())


@pytest.mark.ledger("H-04")
@pytest.mark.parametrize(("moved", "told"), [(False, "its status was set to rejected"), (True, "into rejected/")])
def test_a_rejection_without_a_reason_says_what_was_done(handed: Desk, moved: bool, told: str) -> None:
    edited(handed, moved=moved)
    (said,) = handed.moot("show", "1")["comments"]
    assert told in said["content"]
    assert moved or "into rejected/" not in said["content"]


COMPLETION: View = {
    "from": "builder",
    "to": "orchestrator",
    "type": "completion",
    "payload": {"status": "completed", "summary": "built it"},
}


def at_work(desk: Desk) -> None:
    desk.moot("add", "Add user auth", "--column", "build")
    desk.look()
    say(desk, "active")
    assert desk.json("state.json")["agents"]["builder"]["status"] == "active"


def say(desk: Desk, status: str, *, looks: bool = True) -> None:
    state = desk.json("state.json")
    state["agents"]["builder"] = {"status": status}
    desk.put("state.json", state)
    if looks:
        desk.look()


@pytest.mark.ledger("H-02", "R-26")
def test_who_only_completes_by_a_file_is_told_what_ends_its_run(desk: Desk) -> None:
    at_work(desk)
    desk.put("handoffs/pending/done.json", COMPLETION)
    desk.look()
    (why,) = desk.reasons()
    assert "a message ends nothing: it is noted on item 1, which goes on with this run's report" in why
    assert 'inbox/ {"agent": "builder", "item": "1", "status": "completed"}' in why
    assert "agents.builder.status" in why and "was taken in" in why
    assert desk.handoffs()["completed"] == ["completion"] and desk.moot("show", "1")["status"] == "running"
    desk.look()
    assert len(desk.reasons()) == 1
    desk.put("inbox/r.json", {"agent": "builder", "item": "1", "status": "completed"})
    desk.look()
    assert desk.moot("show", "1")["column"] == "review" and len(desk.reasons()) == 1


@pytest.mark.ledger("H-02", "R-26")
def test_who_waits_for_nothing_but_its_turn_is_told_so_too(desk: Desk) -> None:
    desk.moot("add", "Add user auth", "--column", "build")
    desk.look()
    desk.put("handoffs/pending/done.json", COMPLETION)
    desk.look()
    (why,) = desk.reasons()
    assert "stays in build until a run of builder claims it and reports" in why


@pytest.mark.ledger("H-02", "H-14")
@pytest.mark.parametrize("how", ["a report", "the state", "a report before"])
def test_who_completes_and_ends_its_run_is_told_nothing(desk: Desk, how: str) -> None:
    at_work(desk)
    report = json.dumps({"agent": "builder", "item": "1", "status": "completed"})
    if how == "a report before":
        desk.put("inbox/r.json", report)
        desk.look()
    desk.put("handoffs/pending/done.json", COMPLETION)
    if how == "a report":
        desk.put("inbox/r.json", report)
    elif how == "the state":
        say(desk, "completed", looks=False)
    desk.look()
    assert desk.reasons() == [] and desk.moot("show", "1")["column"] == "review"
