"""Agents with nothing but plain tools play the documents' examples through the files (H-04, H-05, K-05, Q-14, R-04)."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.mirror.desk import fresh_tree, tree, until, watching
from tests.mirror.scripts import begin, play

PLANNER = """
wait_for "grep -q '\\"current_agent\\": \\"planner\\"' $D/state.json"
drop handoffs/pending/plan.json <<'END'
{"schema_version": "1.0.0", "message_id": "6f1c0a52-6f1d-4a6e-9d3b-0f5f0a1b2c3d", "timestamp": "2024-01-01T10:00:00Z",
 "from": "planner", "to": "builder", "type": "task_handoff", "priority": "high",
 "payload": {"spec": "specs/20240101-feature.md"},
 "context": {"workflow": "feature", "spec": "specs/20240101-feature.md", "iteration": 1}, "status": "pending"}
END
sent task_handoff  # wherever it is by now: the builder may be quicker to take it up than we are to look
echo '{"agent": "planner", "status": "completed", "spec": "specs/20240101-feature.md"}' | drop inbox/planner.json
"""
BUILDER = """
take_up builder
grep -q '"spec": "specs/20240101-feature.md"' $D/handoffs/accepted/$mine
echo '{"from": "builder", "to": "reviewer", "type": "review_request", "payload": {"commit": "abc123"}}' \\
  | drop handoffs/pending/b.json
sent review_request
mv $D/handoffs/accepted/$mine $D/handoffs/completed/$mine
"""
REVIEWER = """
take_up reviewer
drop handoffs/pending/r.json <<'END'
{"from": "reviewer", "to": "fixer", "type": "fix_request", "payload": {"issues": ["no rate limit", "no test"]}}
END
sent fix_request
echo '{"agent": "reviewer", "status": "needs_fixes", "issues": 2}' | drop inbox/reviewer.json
wait_for "[ -e $D/handoffs/completed/$mine ]"
take_up reviewer
grep -q '"type": "rereview_request"' $D/handoffs/accepted/$mine
wait_for "grep -q '\\"iteration\\": 2' $D/state.json"  # the fixer may have written it back as it had read it
echo '{"agent": "reviewer", "status": "approved"}' | drop inbox/reviewer.json
"""
FIXER = """
take_up fixer
grep -q 'no rate limit' $D/handoffs/accepted/$mine
echo '{"from": "fixer", "to": "reviewer", "type": "rereview_request", "payload": {"fixed": 2}}' \\
  | drop handoffs/pending/f.json
sent rereview_request
sed '/"fixer": {/,/}/ s/"status": "active"/"status": "completed"/' $D/state.json | drop state.json
"""


@pytest.mark.ledger("H-04", "H-05", "H-14", "R-04")
def test_four_shell_scripts_play_the_handoff_documents_example(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    with watching(tmp_path):
        moot("add", "Add user auth")
        agents = [begin(tmp_path, script) for script in (PLANNER, BUILDER, REVIEWER, FIXER)]
        for agent in agents:
            out, err = agent.communicate()
            assert agent.returncode == 0, out + err
        done = '"status": "done"'
        until(lambda: done in (tmp_path / ".claude" / "state.json").read_text("utf-8"))
    item = moot("show", "1")
    assert (item["column"], item["status"], item["iteration"]) == ("done", "done", 2)
    assert [run["agent"] for run in item["runs"]] == ["planner", "builder", "reviewer", "fixer", "reviewer"]
    handed = [(m["type"], m["status"]) for m in moot("messages")["messages"] if m["to"] != "orchestrator"]
    assert handed == [
        ("task_handoff", "completed"),
        ("review_request", "completed"),
        ("fix_request", "completed"),
        ("rereview_request", "completed"),
    ]
    state = json.loads((tmp_path / ".claude" / "state.json").read_text("utf-8"))
    assert state["current_workflow"]["spec"] == "specs/20240101-feature.md"
    assert {name: one["status"] for name, one in state["agents"].items()} == dict.fromkeys(
        ("planner", "builder", "reviewer", "fixer"), "completed"
    )
    assert list((tmp_path / ".claude" / "rejected").iterdir()) == []
    assert tree(tmp_path / ".claude") == fresh_tree(tmp_path, "again")
    assert moot("doctor")["ok"]


DISPUTED = """
META=.claude/tests/247-trading-tests.meta.yaml
wait_for "[ -e $META ]"
sed '/^comments: \\[\\]/d' $META > $META.part
cat >> $META.part <<'END'
comments:
  - id: c001
    author: dev-agent
    timestamp: 2024-01-17T14:30:00
    target: "test_trade_cancellation"  # specific test/section
    content: |
      This test assumes synchronous cancellation, but the
      architecture doc specifies async event-driven cancellation.
      Test will always fail with correct implementation.
    status: open
END
mv $META.part $META
wait_for "grep -q 'column: tests' .claude/kanban/1.yaml"
"""
AGREED = """
META=.claude/tests/247-trading-tests.meta.yaml
wait_for "grep -q 'id: c001' $META"
cat $META - > $META.part <<'END'

  - id: c002
    author: test-architect
    timestamp: 2024-01-17T15:45:00
    parent: c001  # reply to
    content: |
      You're right. Architecture says async. Updating test
      to use async/await pattern with proper event mocking.
    status: resolved
    resolution: accepted
END
mv $META.part $META
wait_for "grep -q 'column: dev' .claude/kanban/1.yaml"
"""
CONCERN = (
    "This test assumes synchronous cancellation, but the\n"
    "architecture doc specifies async event-driven cancellation.\n"
    "Test will always fail with correct implementation.\n"
)


def disputed(root: Path) -> Moot:
    """An issue in dev, whose tests the test-architect has made."""
    moot = new_board(root)
    moot("add", "Trading", "--column", "tests")
    artifact = "tests/247-trading-tests.md"
    moot.effort("test-architect", "done", artifacts=[{"name": artifact, "path": artifact}])
    return moot


@pytest.mark.ledger("K-05", "K-04", "K-06", "R-04")
def test_a_shell_script_plays_both_sides_of_the_dispute_as_printed(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    with watching(tmp_path):
        play(tmp_path, DISPUTED)
        item = moot("show", "1")
        assert (item["column"], item["status"], item["dispute_agents"]) == ("tests", "ready", ["dev-agent"])
        play(tmp_path, AGREED)
    item = moot("show", "1")
    assert (item["column"], item["status"], item["dispute_agents"]) == ("dev", "ready", [])
    first, second = item["comments"]
    assert (first["id"], first["author"], first["target"]) == ("c001", "dev-agent", "test_trade_cancellation")
    assert (first["content"], first["status"], first["resolution"]) == (CONCERN, "resolved", "accepted")
    assert (second["id"], second["author"], second["parent"]) == ("c002", "test-architect", "c001")
    text = (tmp_path / ".claude/tests/247-trading-tests.meta.yaml").read_text("utf-8")
    assert "# Artifact: tests/247-trading-tests.md\n# Metadata: tests/247-trading-tests.meta.yaml\n" in text
    assert "    content: |\n      This test assumes synchronous cancellation, but the\n" in text
    assert list((tmp_path / ".claude" / "rejected").iterdir()) == [] and moot("doctor")["ok"]


@pytest.mark.ledger("K-05", "K-07")
def test_three_rounds_through_the_file_bring_a_person(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    reply = """
META=.claude/tests/247-trading-tests.meta.yaml
cat $META - > $META.part <<END

  - author: {agent}
    parent: c001
    content: I do not agree, says {agent} in round {round}.
    status: open
END
mv $META.part $META
wait_for "grep -q 'dispute_rounds: {round}' .claude/kanban/1.yaml"
"""
    with watching(tmp_path):
        play(tmp_path, DISPUTED)
        for number, agent in enumerate(("test-architect", "dev-agent", "test-architect"), 1):
            play(tmp_path, reply.replace("{agent}", agent).replace("{round}", str(number)))
    text = (tmp_path / ".claude/kanban/1.yaml").read_text("utf-8")
    assert "dispute_agents: [dev-agent, test-architect, dev-agent, test-architect]\n" in text
    assert "status: needs-human-review\n" in text
    assert 'flag: "Agents disagree after 3 rounds - human decision needed"\n' in text
    assert moot("inbox")["questions"][0]["kind"] == "dispute"


@pytest.mark.ledger("Q-14", "R-04")
def test_a_shell_script_reads_the_quests_json_and_reports(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "quest")
    pathseeker = """
wait_for "grep -q '\\"phase\\": \\"discover\\"' $D/quests/1.json"
drop inbox/1-pathseeker.json <<'END'
{"agent": "pathseeker", "item": "1", "outcome": "split", "contracts": [{"name": "User", "text": "id, email"}],
 "tasks": [{"key": "a", "title": "User can register with email", "files": ["src/auth/registration.ts"],
            "contracts": ["User"]},
           {"key": "b", "title": "User can reset password", "files": ["src/auth/password-reset.ts"], "after": ["a"]}]}
END
wait_for "grep -q 'src/auth/registration.ts' $D/quests/1.json"
"""
    codeweaver = """
grep -q '"task": "User can register with email"' $D/quests/1.json
drop inbox/2-codeweaver.json <<'END'
{"agentType": "codeweaver", "status": "complete", "task": "User can register with email",
 "output": {"filesCreated": ["src/auth/registration.ts"], "filesModified": []},
 "report": "registration works", "blockers": "", "recommendations": "", "retro": "the mailer is slow"}
END
wait_for "grep -q 'registration works' $D/quests/1.json"
"""
    with watching(tmp_path):
        moot("add", "Users have accounts")
        play(tmp_path, pathseeker)
        play(tmp_path, codeweaver)
    quest = json.loads((tmp_path / ".claude/quests/1.json").read_text("utf-8"))
    assert [(task["task"], task["status"]) for task in quest["tasks"]] == [
        ("User can register with email", "done"),
        ("User can reset password", "ready"),
    ]
    assert quest["ownership"]["2"] == {"task": "User can register with email", "files": ["src/auth/registration.ts"]}
    assert quest["contracts"] == {"User": "id, email"} and quest["phase"] == "weave"
    assert [(one["agentType"], one["item"]) for one in quest["reports"]] == [("pathseeker", "1"), ("codeweaver", "2")]
    assert quest["reports"][1]["report"]["summary"] == "registration works"
    assert tree(tmp_path / ".claude") == fresh_tree(tmp_path, "again")
