"""What is written into the files, case by case: said as by a command, once, with the rights of whom it names (R-04)."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.mirror.record import digest
from folkmoot.wiring.boards import FileBoards
from tests.acceptance.moot import new_board
from tests.mirror.desk import Desk, View, tree

HANDOFF: View = {
    "schema_version": "1.0.0",
    "message_id": "6f1c0a52-6f1d-4a6e-9d3b-0f5f0a1b2c3d",
    "timestamp": "2024-01-01T10:00:00Z",
    "from": "planner",
    "to": "builder",
    "type": "task_handoff",
    "priority": "high",
    "payload": {"title": "Add user auth"},
    "context": {"workflow": "feature", "spec": "specs/20240101-feature.md", "iteration": 1},
    "status": "pending",
}
NAME = "handoff-6f1c0a52-6f1d-4a6e-9d3b-0f5f0a1b2c3d.json"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, people="alice")
    made.look()
    yield made
    made.close()


def move(desk: Desk, name: str, source: str, target: str) -> None:
    os.rename(desk.dir / "handoffs" / source / name, desk.dir / "handoffs" / target / name)


@pytest.mark.ledger("H-04", "H-01")
@pytest.mark.parametrize("name", [NAME, "mine.json"])
def test_a_dropped_handoff_is_sent_and_kept_field_by_field(desk: Desk, name: str) -> None:
    desk.put(f"handoffs/pending/{name}", HANDOFF)
    desk.look()
    assert [file.name for file in (desk.dir / "handoffs/pending").iterdir()] == [NAME]
    kept = desk.json(f"handoffs/pending/{NAME}")
    assert {key: kept[key] for key in HANDOFF if key != "context"} == {
        key: value for key, value in HANDOFF.items() if key != "context"
    }
    assert list(kept) == list(HANDOFF), "the document's fields, and no others"
    assert kept["context"].items() >= HANDOFF["context"].items()
    before = desk.last_seq()
    desk.look()
    assert desk.last_seq() == before, "once"
    assert desk.json("state.json")["last_handoff"] == HANDOFF["message_id"]


@pytest.mark.ledger("H-04", "H-01")
def test_a_handoff_that_says_no_priority_has_its_items(desk: Desk) -> None:
    desk.moot("add", "Add user auth", "--column", "build", "--priority", "critical")
    desk.look()
    desk.put("handoffs/pending/mine.json", {"from": "builder", "to": "reviewer", "type": "review_request"})
    desk.look()
    (sent,) = [json.loads(f.read_text("utf-8")) for f in (desk.dir / "handoffs/pending").iterdir()]
    assert (sent["type"], sent["priority"]) == ("review_request", "critical")
    assert desk.reasons() == []


@pytest.mark.ledger("H-04", "H-03")
@pytest.mark.parametrize("how", ["folder", "status", "both", "a copy"])
def test_moved_or_edited_it_is_accepted_and_completed(desk: Desk, how: str) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    for source, target in (("pending", "accepted"), ("accepted", "completed")):
        envelope = desk.json(f"handoffs/{source}/{NAME}")
        if how in ("folder", "both"):
            move(desk, NAME, source, target)
        if how != "folder":
            desk.put(f"handoffs/{source if how == 'status' else target}/{NAME}", {**envelope, "status": target})
        desk.look()
        assert desk.json(f"handoffs/{target}/{NAME}")["status"] == target
        assert not (desk.dir / "handoffs" / source / NAME).exists()
    runs = desk.moot("show", "1")["runs"]
    assert [(run["agent"], run["outcome"]) for run in runs] == [("builder", "done")], (
        "it took the work up, and ended it"
    )
    assert desk.moot("show", "1")["column"] == "review"


@pytest.mark.ledger("H-04", "H-03")
def test_put_into_rejected_with_that_status_and_why_it_is_disputed(desk: Desk) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    move(desk, NAME, "pending", "rejected")
    desk.put(f"handoffs/rejected/{NAME}", {**HANDOFF, "status": "rejected", "why": "No limits named"})
    desk.look()
    item = desk.moot("show", "1")
    assert (item["column"], [comment["content"] for comment in item["comments"]]) == ("plan", ["No limits named"])
    assert desk.reasons() == []


@pytest.mark.ledger("H-04", "H-03")
def test_an_old_copy_in_the_folder_of_its_old_status_says_nothing(desk: Desk) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    old = desk.json(f"handoffs/pending/{NAME}")
    move(desk, NAME, "pending", "accepted")
    desk.look()
    desk.put(f"handoffs/pending/{NAME}", {**old, "timestamp": HANDOFF["timestamp"]})
    desk.look()
    assert desk.handoffs()["accepted"] == ["task_handoff"] and desk.moot("show", "1")["status"] == "running"


@pytest.mark.ledger("H-04", "H-09")
@pytest.mark.parametrize("target", ["accepted", "completed"])
def test_an_escalation_moved_while_its_sender_works_is_put_back_with_the_reason(desk: Desk, target: str) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    move(desk, NAME, "pending", "accepted")
    desk.look()
    payload = {"reason": "spec_ambiguity", "details": "Which auth?", "blocking": True}
    asked = {"from": "builder", "to": "orchestrator", "type": "escalation", "payload": payload}
    desk.put("handoffs/pending/ask.json", asked)
    desk.look()
    (name,) = [file.name for file in (desk.dir / "handoffs/pending").iterdir()]
    move(desk, name, "pending", target)
    desk.look()
    assert desk.handoffs()["pending"] == ["escalation"], "nobody has answered it"
    assert "'orchestrator' is no agent" in desk.reasons()[0]


@pytest.mark.ledger("H-04", "R-26")
def test_a_handoff_that_the_board_wrote_is_taken_up_too(desk: Desk) -> None:
    desk.moot("add", "Add user auth")
    desk.moot.speak("planner", {"status": "completed"})
    desk.look()
    (name,) = [file.name for file in (desk.dir / "handoffs/pending").iterdir()]
    assert desk.json(f"handoffs/pending/{name}")["context"]["spec"] is None
    move(desk, name, "pending", "accepted")
    desk.look()
    assert desk.reasons() == [] and desk.moot("show", "1")["status"] == "running"


@pytest.mark.ledger("H-04", "H-03")
def test_moved_twice_before_it_was_seen_it_is_accepted_and_then_completed(desk: Desk) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    move(desk, NAME, "pending", "completed")
    desk.look()
    assert desk.json(f"handoffs/completed/{NAME}")["status"] == "completed" and desk.reasons() == []
    names = [
        event["event"] for event in desk.moot.events("1") if event["context"].get("message") == HANDOFF["message_id"]
    ]
    assert names[-2:] == ["handoff_accepted", "handoff_completed"]
    assert desk.moot("show", "1")["column"] == "review"


@pytest.mark.ledger("H-04", "H-03", "R-04")
def test_a_forbidden_move_is_undone_with_the_reason_beside_it(desk: Desk) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    good = tree(desk.dir)
    desk.put(f"handoffs/pending/{NAME}", {**desk.json(f"handoffs/pending/{NAME}"), "status": "completed"})
    desk.look()
    assert tree(desk.dir) == good
    assert "has not accepted it" in desk.reasons()[0]
    move(desk, NAME, "pending", "accepted")
    desk.look()
    good = tree(desk.dir)
    move(desk, NAME, "accepted", "pending")
    desk.look()
    assert tree(desk.dir) == good
    assert len(desk.reasons()) == 2 and "never goes backwards" in "".join(desk.reasons())


@pytest.mark.ledger("H-04", "R-04")
def test_rejecting_is_said_with_its_reason(desk: Desk) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    envelope = desk.json(f"handoffs/pending/{NAME}")
    desk.put(f"handoffs/pending/{NAME}", {**envelope, "status": "rejected", "why": "no error cases"})
    desk.look()
    assert desk.json(f"handoffs/rejected/{NAME}")["why"] == "no error cases"
    assert desk.moot("show", "1")["comments"][0]["content"] == "no error cases"


BAD: dict[str, tuple[str, str | View, str]] = {
    "a wrong type": ("handoffs/pending/x.json", {**HANDOFF, "type": "gossip"}, "type: the flow has no message"),
    "a sender that may not": ("handoffs/pending/x.json", {**HANDOFF, "from": "fixer"}, "may not send"),
    "a stranger": ("handoffs/pending/x.json", {**HANDOFF, "from": "mallory"}, "no agent of the flow"),
    "no receiver": ("handoffs/pending/x.json", {k: v for k, v in HANDOFF.items() if k != "to"}, "to: missing"),
    "an unknown field": ("handoffs/pending/x.json", {**HANDOFF, "run": "r1"}, "unknown field"),
    "an unknown message": ("handoffs/accepted/x.json", {**HANDOFF, "status": "accepted"}, "there is no message"),
    "no JSON": ("handoffs/pending/x.json", '{"from": "planner", ', "no JSON"),
    "not UTF-8": ("handoffs/pending/x.json", "\udcff", "not UTF-8"),
    "an unknown item": ("kanban/99.yaml", "issue: 99\nversion: 1\n", "no file of this board"),
    "a report of nobody": ("inbox/x.json", {"status": "completed"}, "whose report"),
    "a report on nothing": ("inbox/x.json", {"agent": "builder", "item": "99", "status": "completed"}, "no item '99'"),
    "a report that says nothing": ("inbox/1-planner.md", "I did things.", "cannot be read"),
    "an answer of an agent": (
        "inbox/a.json",
        {"question": "q1", "answer": "JWT", "by": "builder"},
        "AnswerQuestion is for people, not for files of builder",
    ),
    "an answer of nobody": ("inbox/a.json", {"question": "q1", "answer": "JWT"}, "does not say who answers"),
    "the log": ("events.jsonl", '{"event": "agent_started"}\n', "the log is only shown"),
    "a lock without an owner": ("state.json", {"locks": {"src/a.py": {}}, "agents": {}}, "agent is missing"),
    "a lock outside": ("state.json", {"locks": {"../a": {"agent": "builder"}}, "agents": {}}, "leads out"),
    "no state": ("state.json", {"hello": 1}, "neither locks nor agents"),
}


@pytest.mark.ledger("R-04", "H-04", "H-05")
@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_taken_in_is_set_aside_and_nothing_changes(desk: Desk, what: str) -> None:
    path, content, reason = BAD[what]
    desk.moot("add", "Add user auth")
    desk.moot("send", "-", stdin=json.dumps({"from": "builder", "to": "orchestrator", "type": "escalation"}))
    desk.look()
    good, before = tree(desk.dir), desk.last_seq()
    text = content if isinstance(content, str) else json.dumps(content)
    (desk.dir / path).write_bytes(text.encode("utf-8", "surrogateescape"))
    desk.look()
    assert reason in desk.reasons()[0], desk.reasons()
    kept = [file for file in (desk.dir / "rejected").iterdir() if not file.name.endswith(".why.txt")]
    assert [file.read_bytes() for file in kept] == [text.encode("utf-8", "surrogateescape")], "nothing is lost"
    assert (desk.last_seq(), tree(desk.dir)) == (before, good), "the last good content is back, and nothing happened"
    assert not list((desk.dir / "inbox").iterdir())


@pytest.mark.ledger("R-04")
def test_only_whom_the_flow_names_answers_by_a_file(desk: Desk) -> None:
    desk.moot("send", "-", stdin=json.dumps({"from": "builder", "to": "orchestrator", "type": "escalation"}))
    desk.look()
    (asked,) = desk.json("state.json")["pending_divine_questions"]
    assert asked["agent_id"] == "builder" and set(asked) >= {"task_id", "question", "options", "requested_at"}
    desk.put("inbox/mine.json", {"question": "q1", "answer": "JWT", "by": "alice"})
    desk.look()
    assert desk.reasons() == [] and desk.json("state.json")["pending_divine_questions"] == []
    assert desk.moot("show", "1")["guidance"][0]["answer"] == "JWT"


@pytest.mark.ledger("H-05", "H-06")
def test_a_lock_is_taken_and_given_up_as_the_document_does(desk: Desk) -> None:
    state = desk.json("state.json")
    assert state["locks"] == {}
    lock = {"agent": "builder", "acquired": "2126-01-01T10:00:00.000Z", "expires": "2126-01-01T10:10:00.000Z"}
    desk.put("state.json", {**state, "locks": {"src/auth/": lock}})
    desk.look()
    (held,) = desk.moot("locks")["locks"]
    assert (held["resource"], held["agent"]) == ("src/auth/", "builder")
    state = desk.json("state.json")
    assert state["locks"]["src/auth/"]["agent"] == "builder"
    desk.put("state.json", {**state, "locks": {**state["locks"], "src/auth/": {**lock, "agent": "fixer"}}})
    desk.look()
    assert "held by builder" in desk.reasons()[0], "a live one of another makes the caller wait or skip"
    desk.put("state.json", {**desk.json("state.json"), "locks": {}})
    desk.look()
    assert desk.moot("locks")["locks"] == [] and desk.json("state.json")["locks"] == {}


@pytest.mark.ledger("H-05")
@pytest.mark.parametrize("path", ["/srv/project/src/auth.py", "~/auth.py", "C:\\project\\auth.py"])
def test_no_lock_is_taken_on_another_file_than_the_one_that_is_named(desk: Desk, path: str) -> None:
    """A path of the machine is not one of the project that is spelled alike."""
    desk.put("state.json", {**desk.json("state.json"), "locks": {path: {"agent": "builder"}}})
    desk.look()
    assert "from the project's root on" in desk.reasons()[0]
    assert desk.moot("locks")["locks"] == [] and desk.json("state.json")["locks"] == {}


@pytest.mark.ledger("H-11", "H-05")
def test_an_edit_against_an_older_state_takes_nothing_away(desk: Desk) -> None:
    state = desk.json("state.json")
    desk.moot("lock", "docs/", "--as", "bob")
    desk.look()
    desk.put("state.json", {**state, "locks": {"src/": {"agent": "builder"}}})
    desk.look()
    assert {lock["resource"] for lock in desk.moot("locks")["locks"]} == {"docs/", "src/"}
    assert desk.reasons() == []
    without = {key: value for key, value in desk.json("state.json").items() if key != "version"}
    desk.put("state.json", {**without, "locks": {}})
    desk.look()
    assert len(desk.moot("locks")["locks"]) == 2, "who does not say what it has read has taken nothing out"


@pytest.mark.ledger("H-05", "H-07")
def test_an_agent_says_in_the_state_that_it_begins_lives_and_is_done(desk: Desk) -> None:
    desk.moot("add", "Add user auth")
    desk.look()
    for status, expected in (("active", "running"), ("active", "running"), ("completed", "ready")):
        state = desk.json("state.json")
        state["agents"]["planner"] = {"status": status, "last_active": "2026-01-01T10:00:00Z"}
        desk.put("state.json", state)
        desk.look()
        assert desk.moot("show", "1")["status"] == expected
    assert "lease_renewed" in [event["event"] for event in desk.moot.events("1")]
    assert desk.moot("show", "1")["column"] == "build" and desk.reasons() == []


@pytest.mark.ledger("H-05", "H-11")
@pytest.mark.parametrize("restarted", [False, True])
def test_what_an_agent_says_of_itself_holds_though_the_board_has_gone_on(desk: Desk, restarted: bool) -> None:
    desk.moot("add", "Add user auth")
    desk.look()
    state = desk.json("state.json")
    desk.put("state.json", {**state, "agents": {**state["agents"], "planner": {"status": "active"}}})
    desk.look()
    mine = desk.json("state.json")
    desk.moot("add", "Meanwhile")
    if restarted:
        desk.restart()
    desk.look()
    desk.put("state.json", {**mine, "agents": {**mine["agents"], "planner": {"status": "completed"}}})
    desk.look()
    assert desk.moot("show", "1")["column"] == "build" and desk.reasons() == []
    before = desk.last_seq()
    desk.put("state.json", {**desk.json("state.json"), "iteration": 7})
    desk.look()
    assert desk.last_seq() == before and desk.json("state.json")["iteration"] == 1, "what follows from the board stays"


@pytest.mark.ledger("H-05", "R-04")
def test_a_state_that_is_written_in_place_is_not_swapped_away_under_the_writer(desk: Desk) -> None:
    state = desk.json("state.json")
    text = json.dumps({**state, "locks": {"src/": {"agent": "builder"}}})
    with open(desk.dir / "state.json", "w", encoding="utf-8") as file:
        file.write(text[:50])
        file.flush()
        desk.moot("add", "Meanwhile")
        desk.mirror.pass_()
        file.write(text[50:])
    desk.look()
    assert [lock["agent"] for lock in desk.moot("locks")["locks"]] == ["builder"] and desk.reasons() == []
    assert desk.json("state.json")["current_workflow"]["title"] == "Meanwhile"


@pytest.mark.ledger("R-04")
def test_what_waits_for_a_writer_is_written_though_the_mirror_is_killed_meanwhile(desk: Desk) -> None:
    desk.moot("add", "One")
    desk.moot("comment", "1", "The first word", "--artifact", "specs/a.md")
    desk.look()
    with open(desk.dir / "specs/a.meta.yaml", "a", encoding="utf-8"):  # opened, and nothing is written
        desk.moot("comment", "1", "The second word", "--artifact", "specs/a.md")
        desk.mirror.pass_()
        assert "second" not in desk.text("specs/a.meta.yaml")
    desk.restart()
    desk.look()
    assert "The second word" in desk.text("specs/a.meta.yaml")


@pytest.mark.ledger("R-04")
def test_what_was_announced_is_written_though_the_mirror_was_killed_before_it_wrote(desk: Desk) -> None:
    desk.moot("add", "One")
    desk.moot("comment", "1", "The first word", "--artifact", "specs/a.md")
    desk.look()
    desk.moot("comment", "1", "The second word", "--artifact", "specs/a.md")
    mirror, path = desk.mirror, "specs/a.meta.yaml"
    mirror.scribe.follow()
    mirror.record.announce(path, digest(mirror.scribe.content(path) or b""))
    desk.restart()
    desk.look()
    assert "The second word" in desk.text(path)


@pytest.mark.ledger("H-04", "H-07")
def test_who_lost_its_run_and_did_the_work_ends_the_stage_all_the_same(desk: Desk) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    move(desk, NAME, "pending", "accepted")
    desk.look()
    run = desk.moot("show", "1")["runs"][0]
    desk.moot("release", run["run"], "--token", str(run["token"]))
    desk.look()
    assert desk.json(f"handoffs/accepted/{NAME}")["status"] == "accepted", "its successor inherits it"
    move(desk, NAME, "accepted", "completed")
    desk.look()
    assert desk.moot("show", "1")["column"] == "review" and desk.reasons() == []


@pytest.mark.ledger("H-05")
def test_several_workflows_the_newest_is_current_and_all_are_listed(desk: Desk) -> None:
    for title in ("One", "Two", "Three"):
        desk.moot("add", title)
    desk.look()
    state = desk.json("state.json")
    assert state["current_workflow"]["title"] == "Three" and state["current_agent"] == "planner"
    assert [one["title"] for one in state["workflows"]] == ["Three", "Two", "One"]
    desk.moot("cancel", "3")
    desk.look()
    assert desk.json("state.json")["current_workflow"]["title"] == "Two"
    assert list(desk.json("state.json"))[:7] == [
        *("schema_version", "current_workflow", "current_agent", "last_handoff", "locks", "iteration", "agents"),
    ]


def edited(desk: Desk, by: str, **changes: str) -> None:
    text = desk.text("kanban/1.yaml").replace("edited_by: null", f"edited_by: {by}")
    for name, value in changes.items():
        line = next(line for line in text.splitlines() if line.startswith(f"{name}:"))
        text = text.replace(line, f"{name}: {value}")
    desk.put("kanban/1.yaml", text)


@pytest.mark.ledger("H-11", "R-28")
def test_what_is_not_critical_takes_the_last_write(desk: Desk) -> None:
    desk.moot("add", "Add user auth")
    desk.look()
    edited(desk, "alice", title='"Add login"', priority="high")
    desk.moot("edit", "1", "--title", "Add auth", "--tag", "later")
    desk.look()
    item = desk.moot("show", "1")
    assert (item["title"], item["priority"], item["tags"]) == ("Add login", "high", ["later"])
    assert 'title: "Add login"' in desk.text("kanban/1.yaml") and desk.reasons() == []


def test_labels_of_an_item_are_told_and_taken_from_its_file(desk: Desk) -> None:
    desk.moot("add", "Train it", "--needs", "gpu,big")
    desk.look()
    assert "\nneeds: [gpu, big]\n" in desk.text("kanban/1.yaml")
    edited(desk, "alice", needs="[gpu]")
    desk.look()
    assert desk.moot("show", "1")["needs"] == ["gpu"] and desk.reasons() == []
    edited(desk, "alice", needs="[two words]")
    desk.look()
    assert desk.moot("show", "1")["needs"] == ["gpu"] and "is no label of a worker" in str(desk.reasons())


@pytest.mark.ledger("R-28", "H-11")
@pytest.mark.parametrize(
    ("field", "value", "command", "answer", "ends"),
    [
        ("column", "review", ["move", "1", "build"], "the file's", ("column", "review")),
        ("column", "review", ["move", "1", "build"], "the board's", ("column", "build")),
        (
            "files",
            "[src/a.py]",
            ["edit", "1", "--files", "src/b.py"],
            "the file's",
            ("files", ["src/a.py"]),
        ),
        ("files", "[src/a.py]", ["edit", "1", "--files", "src/b.py"], "the board's", ("files", ["src/b.py"])),
    ],
)
def test_a_critical_conflict_asks_a_person_with_both_versions(
    desk: Desk, field: str, value: str, command: list[str], answer: str, ends: tuple[str, object]
) -> None:
    desk.moot("add", "Add user auth")
    desk.look()
    edited(desk, "alice", **{field: value})
    desk.moot(*command)
    desk.look()
    (asked,) = desk.moot("inbox")["questions"]
    assert asked["kind"] == "conflict" and f"the {field} of item 1" in asked["question"]
    assert "the board: " in asked["context"] and "the file, by alice: " in asked["context"]
    assert desk.json("state.json")["pending_divine_questions"][0]["task_id"] == "1"
    desk.moot("answer", asked["id"], answer)
    assert desk.moot("show", "1")[ends[0]] == ends[1] and desk.moot("doctor")["ok"]


@pytest.mark.ledger("R-28", "H-11")
def test_that_an_item_has_no_files_any_more_can_be_chosen_too(desk: Desk) -> None:
    desk.moot("add", "Add user auth", "--files", "src/a.py")
    desk.look()
    edited(desk, "alice", files="[]")
    desk.moot("edit", "1", "--files", "src/b.py")
    desk.look()
    (asked,) = desk.moot("inbox")["questions"]
    desk.moot("answer", asked["id"], "the file's")
    assert desk.moot("show", "1")["files"] == [] and desk.moot("doctor")["ok"]


@pytest.mark.ledger("R-28", "H-11")
def test_a_lock_that_two_took_at_once_asks_a_person(desk: Desk) -> None:
    desk.moot("add", "Add user auth", "--files", "src/a.py", "--column", "build")
    desk.look()
    state = desk.json("state.json")
    claimed = desk.moot("claim", "builder")
    desk.put("state.json", {**state, "locks": {"src/a.py": {"agent": "fixer"}}})
    desk.look()
    (asked,) = desk.moot("inbox")["questions"]
    assert asked["kind"] == "conflict" and "src/a.py is held by builder" in asked["context"]
    assert desk.moot.say("answer", asked["id"], "the file's").error == "path_held", "not from under the run that has it"
    desk.moot.report(claimed, "done", summary="built it")
    desk.moot("answer", asked["id"], "the file's")
    assert [(lock["resource"], lock["agent"]) for lock in desk.moot("locks")["locks"]] == [("src/a.py", "fixer")]
    assert desk.moot("show", "1")["status"] == "ready" and desk.moot("doctor")["ok"]
    desk.look()
    state = desk.json("state.json")
    assert state["locks"]["src/a.py"]["agent"] == "fixer"
    desk.put("state.json", {**state, "locks": {}})
    desk.look()
    assert desk.moot("locks")["locks"] == [] and desk.reasons() == []


@pytest.mark.ledger("R-28", "H-11")
@pytest.mark.parametrize(("answer", "owner"), [("the file's", "fixer"), ("the board's", "alice")])
def test_whose_a_lock_is_that_a_person_has_too_a_person_decides(desk: Desk, answer: str, owner: str) -> None:
    desk.moot("add", "Add user auth", "--column", "fix")
    desk.look()
    desk.put("state.json", {**desk.json("state.json"), "agents": {"fixer": {"status": "active"}}})
    desk.look()
    state = desk.json("state.json")
    desk.moot("lock", "src/a.py")
    desk.put("state.json", {**state, "locks": {"src/a.py": {"agent": "fixer"}}})
    desk.look()
    (asked,) = desk.moot("inbox")["questions"]
    desk.moot("answer", asked["id"], answer)
    assert [(lock["resource"], lock["agent"]) for lock in desk.moot("locks")["locks"]] == [("src/a.py", owner)]
    assert desk.moot("doctor")["ok"]


@pytest.mark.ledger("R-28", "H-11", "H-03")
def test_a_handoff_that_ended_otherwise_asks_a_person(desk: Desk) -> None:
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    move(desk, NAME, "pending", "accepted")
    desk.moot("move", "1", "plan")
    desk.look()
    (asked,) = desk.moot("inbox")["questions"]
    assert asked["kind"] == "conflict" and "rejected" in asked["context"] and "accepted" in asked["context"]
    assert desk.json(f"handoffs/rejected/{NAME}")["status"] == "rejected"
    desk.moot("answer", asked["id"], "the file's")
    item = desk.moot("show", "1")
    assert (item["column"], item["status"]) == ("build", "ready"), "whoever wants to take it up can"
    desk.look()
    assert desk.handoffs()["pending"] == ["task_handoff"] and desk.moot("doctor")["ok"]


@pytest.mark.ledger("R-04", "R-28")
@pytest.mark.parametrize(
    ("by", "field", "value", "reason"),
    [
        ("builder", "title", '"Mine"', "EditItem is for people, not for files of builder"),
        ("builder", "column", "review", "MoveItem is for people"),
        ("mallory", "title", '"Mine"', "no person whose files count"),
        ("null", "title", '"Mine"', "does not say who changed it"),
        ("alice", "failure_count", "7", "failure_count: it follows from what happened"),
        ("alice", "status", "done", "status: it cannot be set to 'done'"),
        ("alice", "column", "nowhere", "there is no column"),
        ("alice", "version", "99", "never had version 99"),
        ("alice", "version", "soon", "version: it is no whole number"),
    ],
)
def test_an_item_is_changed_by_people_and_only_in_what_is_theirs(
    desk: Desk, by: str, field: str, value: str, reason: str
) -> None:
    desk.moot("add", "Add user auth")
    desk.look()
    good, before = tree(desk.dir), desk.last_seq()
    edited(desk, by, **{field: value})
    desk.look()
    assert reason in desk.reasons()[0], desk.reasons()
    assert (desk.last_seq(), tree(desk.dir)) == (before, good)


@pytest.mark.ledger("R-04")
def test_a_person_moves_and_cancels_by_the_file(desk: Desk) -> None:
    desk.moot("add", "Add user auth")
    desk.look()
    edited(desk, "alice", column="build")
    desk.look()
    assert desk.moot("show", "1")["column"] == "build"
    edited(desk, "alice", status="cancelled")
    desk.look()
    assert desk.moot("show", "1")["status"] == "cancelled" and desk.reasons() == []


@pytest.mark.ledger("R-04")
def test_a_half_written_file_is_waited_for(desk: Desk) -> None:
    whole = json.dumps(HANDOFF)
    with open(desk.dir / "handoffs/pending/slow.json", "w", encoding="utf-8") as file:
        file.write(whole[:100])
        file.flush()
        desk.mirror.pass_()
        assert desk.reasons() == [] and desk.moot("messages")["messages"] == []
        file.write(whole[100:])
        file.flush()
        desk.mirror.pass_()
        assert desk.moot("messages")["messages"] == [], "it is whole, but still open for writing"
    desk.look()
    assert [m["message_id"] for m in desk.moot("messages")["messages"]] == [HANDOFF["message_id"]]
    assert desk.reasons() == []


@pytest.mark.ledger("R-04")
def test_what_an_editor_leaves_while_it_writes_is_passed_over(desk: Desk) -> None:
    for name in (".swp", "x.json.tmp", "x.json~", ".x.json.part", "x.json.new"):
        desk.put(f"handoffs/pending/{name}", HANDOFF)
    desk.look()
    assert desk.moot("messages")["messages"] == [] and desk.reasons() == []


@pytest.mark.ledger("R-04")
def test_a_deleted_file_or_folder_is_written_anew(desk: Desk) -> None:
    desk.moot("add", "Add user auth")
    desk.moot("send", "-", stdin=json.dumps(HANDOFF))
    desk.look()
    good = tree(desk.dir)
    (desk.dir / "state.json").unlink()
    (desk.dir / "handoffs/pending" / NAME).unlink()
    desk.look()
    assert tree(desk.dir) == good
    shutil.rmtree(desk.dir)
    desk.look()
    assert tree(desk.dir) == good
    shutil.rmtree(desk.dir)
    desk.restart()
    desk.look()
    assert tree(desk.dir) == good and desk.reasons() == []


@pytest.mark.ledger("R-04")
def test_a_lost_record_takes_nothing_in_twice(desk: Desk) -> None:
    desk.moot("add", "Add user auth")
    desk.put(f"handoffs/pending/{NAME}", HANDOFF)
    desk.look()
    good, before = tree(desk.dir), desk.last_seq()
    desk.mirror.close()
    (desk.root / ".moot/mirror/test.jsonl").unlink()
    desk.mirror = desk.fresh()
    desk.look()
    assert (tree(desk.dir), desk.last_seq(), desk.reasons()) == (good, before, [])


@pytest.mark.ledger("R-04")
def test_a_board_that_went_back_is_shown_as_it_is(desk: Desk) -> None:
    desk.moot("add", "One")
    seq = desk.last_seq()
    desk.look()
    desk.moot("add", "Two")
    desk.moot("send", "-", stdin=json.dumps(HANDOFF))
    desk.look()
    desk.mirror.close()
    desk.application.close()
    desk.moot("restore", "--at", str(seq))
    desk.application = FileBoards().open(str(desk.root))
    desk.mirror = desk.fresh()
    desk.look()
    assert not (desk.dir / "kanban/2.yaml").exists() and desk.handoffs()["pending"] == []
    assert [one["title"] for one in desk.json("state.json")["workflows"]] == ["One"]


def test_files_of_others_are_never_written_over(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/state.json").write_text('{"mine": true}', "utf-8")
    made = Desk(tmp_path)
    for _ in range(2):
        said = made.moot.say("mirror", "--dir", str(made.dir))
        assert (said.code, said.error) == (1, "not_a_mirror"), "also if it was asked for before"
    made.close()
    assert (tmp_path / ".claude/state.json").read_text("utf-8") == '{"mine": true}'


@pytest.mark.parametrize("name", ["x" * 300, "a/b/" + "x" * 300, "a-file", "a-file/below", "notes"])
def test_a_folder_that_cannot_be_a_mirror_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    moot = new_board(tmp_path, "kanban")
    (tmp_path / "a-file").write_text("mine", "utf-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/state.json").write_text("mine", "utf-8")
    before = sorted(tmp_path.rglob("*"))
    assert moot.say("mirror", "--dir", str(tmp_path / name)).code in (1, 2, 4)
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in before] == []
    assert moot.say("mirror", "--dir", str(tmp_path / "shown")).code == 0


@pytest.mark.ledger("K-05", "R-04")
def test_in_the_project_itself_comments_stand_beside_the_artifacts(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "kanban")
    moot("add", "Trading", "--column", "dev")
    moot("comment", "1", "Is it 8 hours?", "--artifact", "tests/247-trading-tests.md")
    (tmp_path / ".gitignore").write_text("*.pyc\n", "utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/247-trading-tests.md").write_text("as it was", "utf-8")
    first = moot.say("mirror", "--dir", str(tmp_path))
    assert first.code == 0 and ".gitignore is yours" in first.err, "once it is said what git will see"
    beside = tmp_path / "tests/247-trading-tests.meta.yaml"
    beside.write_text(beside.read_text("utf-8") + "  - author: dev-agent\n    content: It is.\n", "utf-8")
    again = moot.say("mirror", "--dir", str(tmp_path))
    assert again.json["taken_in"] == 1 and "yours" not in again.err
    assert [one["content"] for one in moot("comments", "1")["comments"]] == ["Is it 8 hours?", "It is."]
    assert (tmp_path / ".gitignore").read_text("utf-8") == "*.pyc\n"
    assert (tmp_path / "tests/247-trading-tests.md").read_text("utf-8") == "as it was"
