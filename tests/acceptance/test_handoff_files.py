"""The handoff document's files beside the command line: `moot mirror` takes them in, and says what it did not take."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_handoff_returns import Desk

View = dict[str, Any]


class Files(Desk):
    """A desk with the files of its board, looked at by a command."""

    def __init__(self, folder: Path, column: str) -> None:
        super().__init__(folder, column)
        self.dir = folder / ".claude"
        self.look()

    def look(self) -> None:
        self.moot("mirror", "--dir", str(self.dir))

    def put(self, path: str, content: View) -> None:
        (self.dir / path).write_text(json.dumps(content), "utf-8")
        self.look()


@pytest.mark.ledger("H-05", "R-04")
def test_a_lock_beside_a_status_that_is_refused_is_named_in_the_reason(tmp_path: Path) -> None:
    files = Files(tmp_path, "plan")
    state = json.loads((files.dir / "state.json").read_text("utf-8"))
    state["locks"]["src/a.py"] = {"agent": "builder"}
    state["agents"]["builder"] = {"status": "active"}
    files.put("state.json", state)
    (why,) = [file.read_text("utf-8") for file in (files.dir / "rejected").glob("*.why.txt")]
    assert "no item is ready for builder" in why and "the lock on src/a.py for builder" in why
    assert files.moot("locks")["locks"] == []


@pytest.mark.ledger("H-05", "R-28")
@pytest.mark.parametrize("keeps", ["version", None])
def test_a_field_of_ones_own_in_the_state_is_said_back(tmp_path: Path, keeps: str | None) -> None:
    files = Files(tmp_path, "plan")
    state = json.loads((files.dir / "state.json").read_text("utf-8"))
    state = {name: value for name, value in state.items() if name != "version" or keeps}
    state["locks"]["src/a.py"] = {"agent": "builder"}
    files.put("state.json", {**state, "notes": "the cache is fragile", "blockers": []})
    (why,) = [file.read_text("utf-8") for file in (files.dir / "rejected").glob("*.why.txt")]
    assert why.startswith("notes: nobody reads that here") and "blockers" not in why
    assert "taken of the same file: the lock on src/a.py for builder" in why
    assert len(files.moot("locks")["locks"]) == 1
    assert "the cache is fragile" in (files.dir / "rejected" / "state.json").read_text("utf-8")


@pytest.mark.ledger("H-04", "R-32")
@pytest.mark.parametrize(("status", "state"), [("failed", False), ("completed", True), (None, True)])
def test_the_way_to_end_with_files_keeps_what_the_completion_says(
    tmp_path: Path, status: str | None, state: bool
) -> None:
    files = Files(tmp_path, "plan")
    files.says('{"status": "completed", "spec": "specs/a.md"}')
    files.look()
    (handed,) = (files.dir / "handoffs" / "pending").glob("*.json")
    handed.rename(files.dir / "handoffs" / "accepted" / handed.name)
    files.look()
    payload = {"reason": "no library", **({"status": status} if status else {})}
    message = {"from": "builder", "to": "orchestrator", "type": "completion", "payload": payload}
    files.put("handoffs/pending/handoff-done.json", message)
    (why,) = [file.read_text("utf-8") for file in (files.dir / "rejected").glob("*.why.txt")]
    assert f'"status": "{status or "completed"}"' in why
    assert ("in state.json" in why) is state


ISSUES = [{"file": "a.py", "line": 3, "description": "password logged"}, {"file": "b.py", "description": "no test"}]
FIX: View = {
    "message_id": "0d1a7c52-3c1f-4b62-9a39-5d1f7c9f2b11",
    "from": "reviewer",
    "to": "fixer",
    "type": "fix_request",
    "payload": {"issues": ISSUES},
    "status": "pending",
}


@pytest.mark.ledger("R-26", "H-04")
@pytest.mark.parametrize(
    "returns",
    [
        json.dumps({"status": "needs_fixes", "issues": ISSUES}),
        "{status: needs_fixes, issues: 2}",
        f"```json\n{json.dumps(FIX)}\n```\n\nReturns: {{status: needs_fixes, issues: 2}}\n",
    ],
)
def test_a_fix_request_in_a_file_and_in_the_report_is_one(tmp_path: Path, returns: str) -> None:
    files = Files(tmp_path, "review")
    files.put(f"handoffs/pending/handoff-{FIX['message_id']}.json", FIX)
    item = files.says(returns)
    assert (item["column"], [one["issue"] for one in item["findings"]]) == ("fix", ["password logged", "no test"])
    sent = [one["message_id"] for one in files.moot("messages")["messages"] if one["type"] == "fix_request"]
    assert sent == [FIX["message_id"]]
    assert [one["message_id"] for one in files.claim("fixer")["brief"]["messages"]] == sent and files.moot("doctor")[
        "ok"
    ]
