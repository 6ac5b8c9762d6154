"""What is written into the files and cannot be taken gets a reason; what can be understood is taken."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.mirror.desk import Desk, View, until, watching

COMMENT = "comments:\n  - author: reviewer\n    target: line 45\n    content: The auth method is not named\n"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, people="alice")
    made.moot("add", "Add user auth")
    made.look()
    yield made
    made.close()


def edit(desk: Desk, **changed: Any) -> None:
    state = desk.json("state.json")
    for name, value in changed.items():
        if name in ("agents", "locks"):
            state[name] |= value
        else:
            state[name] = value
    desk.put("state.json", state)
    desk.look()


def runs(desk: Desk) -> list[View]:
    found: list[View] = desk.moot("show", "1")["runs"]
    return found


@pytest.mark.ledger("H-05")
@pytest.mark.parametrize("status", ["failed", "blocked", "error", "idle", 3])
def test_a_status_that_cannot_be_taken_is_rejected_with_the_reason(desk: Desk, status: object) -> None:
    edit(desk, agents={"planner": {"status": "active"}})
    edit(desk, agents={"planner": {"status": status}})
    (why,) = desk.reasons()
    assert f"agents: planner: {status!r} is no status that a file can give" in why
    assert 'a report in inbox/, such as {"agent": "planner", "status": "failed"' in why
    assert desk.json("state.json")["agents"]["planner"]["status"] == "active"


@pytest.mark.parametrize("status", ["Completed", "COMPLETED", "done", "complete"])
def test_completed_is_understood_in_any_case(desk: Desk, status: str) -> None:
    edit(desk, agents={"planner": {"status": "Active"}})
    edit(desk, agents={"planner": {"status": status}})
    assert desk.reasons() == []
    assert desk.moot("show", "1")["column"] == "build"


def test_who_has_no_run_cannot_complete_it(desk: Desk) -> None:
    edit(desk, agents={"builder": {"status": "completed"}})
    assert "builder has no run that it could complete" in "".join(desk.reasons())


def test_who_has_nothing_to_do_cannot_begin(desk: Desk) -> None:
    edit(desk, agents={"fixer": {"status": "active"}})
    assert len(desk.reasons()) == 1
    assert desk.json("state.json")["agents"]["fixer"]["status"] == "idle"


OWNED = {"iteration": 7, "current_agent": "fixer", "current_workflow": None, "workflows": [], "last_handoff": "x"}


@pytest.mark.parametrize(("name", "value"), list(OWNED.items()))
def test_what_follows_from_what_happened_is_not_changed_by_hand(desk: Desk, name: str, value: object) -> None:
    edit(desk, **{name: value})
    (why,) = desk.reasons()
    assert f"{name}: it follows from what happened" in why
    assert desk.json("state.json")[name] != value


def test_a_state_without_a_version_is_not_held_to_what_it_has_not_read(desk: Desk) -> None:
    desk.put("state.json", {"current_agent": "fixer", "locks": {"src/a.py": {"agent": "planner"}}, "agents": {}})
    desk.look()
    assert desk.reasons() == [] and "src/a.py" in desk.json("state.json")["locks"]


def times(begin: float, end: float) -> View:
    now = datetime.now(UTC)
    told = {"acquired": now + timedelta(minutes=begin), "expires": now + timedelta(minutes=end)}
    return {name: moment.strftime("%Y-%m-%dT%H:%M:%SZ") for name, moment in told.items()}


@pytest.mark.ledger("H-06")
def test_a_lock_that_has_expired_is_none(desk: Desk) -> None:
    edit(desk, locks={"src/old.py": {"agent": "fixer", **times(-180, -150)}})
    assert desk.moot("locks")["locks"] == [] and desk.json("state.json")["locks"] == {}


def test_a_lock_ends_when_it_says(desk: Desk) -> None:
    edit(desk, locks={"src/a.py": {"agent": "fixer", **times(-20, 10)}})
    (lock,) = desk.moot("locks")["locks"]
    left = datetime.fromisoformat(lock["expires"]) - datetime.fromisoformat(lock["acquired"])
    assert left <= timedelta(minutes=10, seconds=1)


@pytest.fixture
def in_review(desk: Desk) -> Desk:
    desk.moot.speak("planner", '{status: completed, spec: "specs/auth.md"}')
    desk.moot.speak("builder", '{status: completed, commit: "abc123"}')
    desk.look()
    return desk


@pytest.mark.parametrize("before", [True, False])
def test_a_comment_on_the_items_own_spec_is_taken_in(in_review: Desk, before: bool) -> None:
    desk = in_review
    desk.look()
    known = desk.text("specs/auth.meta.yaml") if before else ""
    assert "specs/auth.md" in known or not before
    (desk.dir / "specs").mkdir(exist_ok=True)
    desk.put("specs/auth.meta.yaml", COMMENT)
    desk.look()
    assert desk.reasons() == []
    (said,) = desk.moot("comments", "1")["comments"]
    assert (said["author"], said["artifact"], said["target"]) == ("reviewer", "specs/auth.md", "line 45")
    assert "The auth method is not named" in desk.text("specs/auth.meta.yaml")


def test_a_comment_beside_nothing_is_rejected_with_the_reason(desk: Desk) -> None:
    (desk.dir / "tests" / "deep").mkdir(parents=True)
    desk.put("tests/zzz.meta.yaml", COMMENT)
    desk.put("tests/deep/b.meta.yaml", COMMENT)
    desk.look()
    assert len(desk.reasons()) == 2
    assert all("no item has an artifact, or a spec, beside which" in why for why in desk.reasons())
    assert not (desk.dir / "tests/zzz.meta.yaml").exists()


def test_a_comment_beside_nothing_is_seen_while_the_mirror_watches(tmp_path: Path) -> None:
    Desk(tmp_path).close()
    with watching(tmp_path):
        (tmp_path / ".claude/tests").mkdir()
        (tmp_path / ".claude/tests/zzz.meta.yaml").write_text(COMMENT, "utf-8")
        until(lambda: bool(list((tmp_path / ".claude/rejected").glob("*.why.txt"))))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("1-reviewer.md", "{status: approved}"),
        ("1-reviewer.json", "{status: approved}"),
        ("r.json", '{agent: reviewer, item: 1, status: approved, summary: "fine"}'),
        ("1-reviewer.txt", '{"status": "approved", "summary": "fine"}\n{"status": "approved"}'),
        ("1-reviewer.md", "Returns: {status: approved}"),
    ],
)
def test_the_inbox_takes_whatever_a_report_may_be(in_review: Desk, name: str, text: str) -> None:
    in_review.put(f"inbox/{name}", text)
    in_review.look()
    assert in_review.reasons() == []
    assert in_review.moot("show", "1")["status"] == "done"


def test_a_half_written_report_is_still_rejected(in_review: Desk) -> None:
    in_review.put("inbox/1-reviewer.json", '{"status": "appro')
    in_review.look()
    assert "it is no JSON" in "".join(in_review.reasons())


def test_a_handoff_dropped_into_accepted_before_its_time_goes_to_pending(in_review: Desk) -> None:
    name = "handoff-11111111-2222-4333-8444-555555555555.json"
    said = {"from": "reviewer", "to": "fixer", "type": "fix_request", "payload": {"issues": ["x"]}}
    in_review.put(f"handoffs/accepted/{name}", said)
    in_review.look()
    assert not (in_review.dir / "handoffs/accepted" / name).exists()
    kept = json.loads((in_review.dir / "handoffs/pending" / name).read_text("utf-8"))
    assert (kept["status"], kept["type"]) == ("pending", "fix_request")


def test_an_open_question_says_its_id(in_review: Desk) -> None:
    escalation = {"type": "escalation", "from": "reviewer", "to": "orchestrator", "payload": {"details": "Which?"}}
    in_review.put("handoffs/pending/e.json", escalation)
    in_review.look()
    (asked,) = in_review.json("state.json")["pending_divine_questions"]
    in_review.put("inbox/a.json", {"question": asked["id"], "answer": "JWT", "by": "alice"})
    in_review.look()
    assert in_review.reasons() == [] and in_review.json("state.json")["pending_divine_questions"] == []


def test_the_last_handoff_is_one_to_an_agent(in_review: Desk) -> None:
    last = in_review.json("state.json")["last_handoff"]
    assert in_review.json(f"handoffs/pending/handoff-{last}.json")["type"] == "review_request"


def test_a_state_that_cannot_be_taken_whole_changes_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.moot("add", "Add user auth", "--files", "src/a.py")
    desk.look()
    edit(desk, agents={"planner": {"status": "active"}})
    state, before = desk.json("state.json"), desk.last_seq()
    state["locks"]["src/b.py"] = state["locks"].pop("src/a.py")
    desk.put("state.json", state)
    desk.look()
    assert "src/a.py is what item 1 may change" in "".join(desk.reasons())
    assert desk.last_seq() == before
    desk.close()


LOCK: View = {"src/a.py": {"agent": "builder"}}
BESIDE: dict[str, tuple[View, str]] = {
    "who has nothing to begin": ({"agents": {"builder": {"status": "active"}}}, "no item is ready for builder"),
    "who has no run to end": ({"agents": {"builder": {"status": "completed"}}}, "has no run that it could complete"),
    "a status of no file": ({"agents": {"builder": {"status": "failed"}}}, "is no status that a file can give"),
    "a lock outside": ({"locks": {"../b": {"agent": "planner"}}}, "leads out"),
    "a lock of nobody": ({"locks": {"src/b.py": {"agent": "nobody"}}}, "nobody"),
}


@pytest.mark.ledger("H-05", "R-04")
@pytest.mark.parametrize("name", BESIDE)
def test_a_refused_state_names_every_other_change_that_was_not_taken(desk: Desk, name: str) -> None:
    changed, refused = BESIDE[name]
    edit(desk, **{**changed, "locks": {**changed.get("locks", {}), **LOCK}})
    (why,) = desk.reasons()
    assert (
        refused in why and "nor were these taken, which stand in the same file: the lock on src/a.py for builder" in why
    )
    assert "then write the others again" in why and desk.moot("locks")["locks"] == []
    edit(desk, locks=LOCK)
    assert [*desk.json("state.json")["locks"]] == ["src/a.py"] and len(desk.reasons()) == 1


def test_what_was_taken_of_a_refused_state_is_not_named(desk: Desk) -> None:
    edit(desk, agents={"planner": {"status": "active"}, "builder": {"status": "active"}}, locks=LOCK)
    (why,) = desk.reasons()
    assert runs(desk)[-1]["agent"] == "planner" and "no item is ready for builder" in why
    assert "planner" not in why and "the lock on src/a.py for builder" in why


@pytest.fixture
def ended(desk: Desk) -> Desk:
    """The reviewer's lock stands in the file, and has ended since: nobody has written anything for that."""
    desk.moot("lock", "src/auth.py", "--for", "1s", "--as", "reviewer")
    desk.look()
    assert desk.json("state.json")["locks"]["src/auth.py"]["agent"] == "reviewer"
    until(lambda: desk.moot("locks")["locks"] == [])
    return desk


@pytest.mark.ledger("H-06")
@pytest.mark.parametrize("agent", ["builder", "reviewer"])
def test_a_lock_that_has_ended_is_taken_over_in_the_file(ended: Desk, agent: str) -> None:
    edit(ended, locks={"src/auth.py": {"agent": agent, **times(0, 30)}})
    assert ended.reasons() == []
    assert [(one["resource"], one["agent"]) for one in ended.moot("locks")["locks"]] == [("src/auth.py", agent)]
    assert ended.json("state.json")["locks"]["src/auth.py"]["agent"] == agent


@pytest.mark.ledger("H-06")
def test_to_take_out_a_lock_that_has_ended_is_no_change(ended: Desk) -> None:
    state, before = ended.json("state.json"), ended.last_seq()
    ended.put("state.json", {**state, "locks": {}})
    ended.look()
    assert ended.reasons() == [] and ended.last_seq() == before


@pytest.mark.ledger("H-06")
@pytest.mark.parametrize("restarted", [False, True])
def test_a_look_takes_a_lock_that_has_ended_out_of_the_file(ended: Desk, restarted: bool) -> None:
    if restarted:
        ended.restart()
    ended.look()
    assert ended.json("state.json")["locks"] == {}


@pytest.mark.ledger("H-06")
def test_a_file_that_still_shows_an_ended_lock_says_nothing_of_it(ended: Desk) -> None:
    edit(ended, locks={"src/b.py": {"agent": "builder"}})
    assert ended.reasons() == [] and [*ended.json("state.json")["locks"]] == ["src/b.py"]


@pytest.fixture
def building(desk: Desk) -> Desk:
    """The builder is at work, and said so in the file."""
    desk.moot.speak("planner", '{status: completed, spec: "specs/auth.md"}')
    desk.look()
    edit(desk, agents={"builder": {"status": "active"}})
    assert desk.json("state.json")["agents"]["builder"]["status"] == "active"
    return desk


def as_printed(state: View) -> dict[str, View]:
    """What the board has, as the handoff document prints it; and what it will have when the builder has ended."""
    workflow = state["current_workflow"]
    return {
        "the last handoff": {"last_handoff": f"handoff-{state['last_handoff']}"},
        "its file": {"last_handoff": f"handoff-{state['last_handoff']}.json"},
        "the workflow": {"current_workflow": {"id": f"workflow-{workflow['id']}", "type": workflow["type"]}},
        "a number in quotes": {"iteration": "1", "current_agent": "Builder"},
        "who is next": {"current_agent": "reviewer"},
    }


@pytest.mark.ledger("H-05", "R-28")
@pytest.mark.parametrize("name", ["the last handoff", "its file", "the workflow", "a number in quotes", "who is next"])
def test_a_field_that_says_what_the_board_has_is_no_change(building: Desk, name: str) -> None:
    beside = as_printed(building.json("state.json"))[name]
    edit(building, **beside, agents={"builder": {"status": "completed"}})
    assert building.reasons() == [] and building.moot("show", "1")["column"] == "review"


@pytest.mark.ledger("H-05", "R-28")
@pytest.mark.parametrize(
    "beside",
    [
        {"last_handoff": "handoff-11111111-2222-4333-8444-555555555555"},
        {"current_agent": "fixer"},
        {"iteration": 7, "current_agent": "fixer"},
        {"current_workflow": {"id": "workflow-7"}},
    ],
)
def test_a_status_beside_a_field_that_nobody_changes_by_hand_is_taken(building: Desk, beside: View) -> None:
    edit(building, **beside, agents={"builder": {"status": "completed"}}, locks={"src/a.py": {"agent": "fixer"}})
    (why,) = building.reasons()
    assert all(f"{name}: it follows from what happened" in why for name in beside)
    assert "taken of the same file: the lock on src/a.py for fixer, the status completed of builder" in why
    assert building.moot("show", "1")["column"] == "review"
    assert [one["agent"] for one in building.moot("locks")["locks"]] == ["fixer"]
    state = building.json("state.json")
    assert all(state[name] != value for name, value in beside.items())


def test_a_refused_status_names_the_field_beside_it(building: Desk) -> None:
    edit(building, iteration=7, agents={"builder": {"status": "failed"}})
    (why,) = building.reasons()
    assert "is no status that a file can give" in why and "nor were these taken" in why and "the field iteration" in why
    assert building.moot("show", "1")["status"] == "running"
