"""The files a board's flow is read from, and what becomes of items when it changes."""

import os
import re
from pathlib import Path

import pytest

from tests.documents import LADDER_FILE
from tests.doors.conftest import Moot


def users_ladders() -> Path:
    path = Path("~/.oi/config/escalation.yaml").expanduser()
    path.parent.mkdir(parents=True)
    return path


def model_of(moot: Moot, agent: str, column: str) -> object:
    moot("add", "One", "--column", column)
    return moot.json("claim", agent, "--column", column)["model"]


@pytest.mark.ledger("K-15")
def test_the_documents_ladder_file_is_used_from_the_users_folder(nowhere: Moot) -> None:
    users_ladders().write_text(LADDER_FILE.replace("0-1: glm-4", "0-1: glm-9"), "utf-8")
    made = nowhere("init", "--preset", "kanban")
    assert "note: the ladders of " in made.err and ".oi/config/escalation.yaml are used" in made.err
    assert model_of(nowhere, "dev-agent", "dev") == "glm-9"
    assert "escalation.yaml are used" in " ".join(nowhere("apply").out.split())  # where lines end depends on its path
    assert nowhere.json("apply")["ladders"].endswith("escalation.yaml") and nowhere("board").err == ""


@pytest.mark.ledger("K-15")
def test_the_boards_own_ladder_file_comes_first_and_is_watched_like_the_flow(moot: Moot) -> None:
    assert moot.json("apply")["ladders"] is None and moot("board").err == ""
    users_ladders().write_text(LADDER_FILE.replace("glm-4", "users"), "utf-8")
    assert "moot apply" in moot("board").err, "a ladder file that came since is noted"
    own = moot.folder / ".moot" / "escalation.yaml"
    own.write_text(LADDER_FILE.replace("glm-4", "boards"), "utf-8")
    checked = moot.json("apply")
    assert checked["taken_in"] is True and checked["version"] == 2 and checked["ladders"] == ".moot/escalation.yaml"
    assert model_of(moot, "dev-agent", "dev") == "boards" and model_of(moot, "story-agent", "stories") == "haiku"
    assert moot("board").err == "" and moot.json("apply")["taken_in"] is False
    own.write_text(LADDER_FILE.replace("glm-4", "other"), "utf-8")
    assert ".moot/escalation.yaml was changed since version 2" in moot("board").err
    own.unlink()
    moot("apply")
    assert model_of(moot, "dev-agent", "dev") == "users"


@pytest.mark.ledger("K-15")
def test_a_ladder_file_with_faults_is_refused_with_their_places(moot: Moot) -> None:
    (moot.folder / ".moot" / "escalation.yaml").write_text("model_ladder:\n  dev-agent:\n    x: glm-4\n", "utf-8")
    error = moot("check", "--json", code=2).error
    assert error["code"] == "flow_faults" and error["faults"][0]["file"] == ".moot/escalation.yaml"
    assert moot.json("log")["events"][-1]["event"] == "flow_adopted", "and the old flow stays in force"
    (moot.folder / ".moot" / "escalation.yaml").write_bytes(b"\xff")
    assert moot("check", "--json", code=2).error["code"] == "unreadable_ladders"


def drop_qa(moot: Moot) -> None:
    """Take the column qa, and its agent, out of the flow's file."""
    path = moot.folder / ".moot" / "flow.yaml"
    text = re.sub(r"^  qa: .*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
    text = re.sub(r"^  qa-agent:.*\n(?:    .*\n)*", "", text, flags=re.MULTILINE)
    path.write_text(text.replace("next: qa", "next: done"), "utf-8")


@pytest.mark.ledger("R-30")
def test_a_removed_column_with_items_is_refused_unless_it_is_said_where_they_go(moot: Moot) -> None:
    moot("add", "Waits in qa", "--column", "qa")
    moot("add", "Is worked on in qa", "--column", "qa")
    moot("add", "Elsewhere", "--column", "dev")
    claim = moot.json("claim", "qa-agent", "--item", "2")
    drop_qa(moot)
    assert moot("check", "--json", code=1).error["code"] == "column_in_use", "a check says what would be refused"
    refused = moot("apply", "--json", code=1).error
    assert refused["code"] == "column_in_use" and "moot apply --move qa=COLUMN" in refused["hint"]
    assert moot.json("show", "1")["column"] == "qa"
    checked = moot.json("apply", "--move", "qa=review")
    assert checked["taken_in"] is True and checked["version"] == 2
    for item in ("1", "2"):
        shown = moot.json("show", item)
        assert (shown["column"], shown["status"]) == ("review", "ready")
    assert moot.json("show", "2")["runs"][0]["end"] == "revoked"
    token = ["--token", str(claim["token"]), "-", "--json"]
    assert moot("report", claim["run"], *token, stdin='{"outcome": "done"}', code=1).error["code"] == "stale_claim"
    assert moot.json("show", "3")["column"] == "dev" and moot.json("show", "3")["version"] == 1
    moved = [e for e in moot.json("log")["events"] if e["event"] == "item_moved" and e["context"]["to"] == "review"]
    assert [event["agent"] for event in moved] == ["ada", "ada"], "by the person who said so"
    assert moot.json("doctor")["ok"] is True


@pytest.mark.ledger("R-30")
def test_what_remembers_a_removed_column_goes_where_its_items_go(moot: Moot) -> None:
    moot("add", "Off the flow", "--column", "qa")
    moot("add", "Will return", "--column", "qa")
    moot("add", "Disputes", "--column", "qa")
    moot.work("qa-agent", outcome="stuck", reason="concurrency")
    moot.work("qa-agent", outcome="changes_requested", findings=[{"issue": "x"}])
    before = [moot.json("show", item)["column"] for item in "123"]
    assert before[0] == "needs-concurrency-expert" and before[2] == "qa"
    drop_qa(moot)
    moot("apply", code=1)
    moot("apply", "--move", "qa=review")
    assert {moot.json("show", item)["column"] for item in "123"} == {"review"}
    assert moot.json("doctor")["ok"] is True
    for _ in range(3):
        assert moot.work("review-agent")["status"] == "done"


@pytest.mark.ledger("R-30")
def test_a_removed_agent_at_work_can_be_taken_off_the_item(moot: Moot) -> None:
    moot("add", "One", "--column", "qa")
    moot("claim", "qa-agent")
    path = moot.folder / ".moot" / "flow.yaml"
    text = (
        path.read_text("utf-8").replace("qa-agent", "qa-person").replace("prompts/qa-person.md", "prompts/qa-agent.md")
    )
    path.write_text(text, "utf-8")
    refused = moot("apply", "--json", code=1).error
    assert refused["code"] == "agent_in_use" and "--move qa=qa" in refused["hint"]
    moot("apply", "--move", "qa=qa")
    assert moot.json("claim", "qa-person")["item"]["id"] == "1" and moot.json("doctor")["ok"]


@pytest.mark.ledger("R-30")
def test_bad_moves_change_nothing(moot: Moot) -> None:
    moot("add", "One", "--column", "qa")
    drop_qa(moot)
    for move, code in (
        ("qa", "bad_usage"),
        ("=x", "bad_usage"),
        ("qa=gone", "unknown_column"),
        ("no=dev", "unknown_column"),
    ):
        assert moot("apply", "--move", move, "--json", code=2).error["code"] == code
    assert moot("apply", "x.yaml", "--move", "qa=dev", "--json", code=2).error["code"] == "bad_usage"
    claim_inside = {"MOOT_RUN": "r1", "MOOT_TOKEN": "1"}
    assert moot("apply", "--move", "qa=dev", "--json", code=1, env=claim_inside).error["code"] == "only_people"
    assert moot.json("show", "1")["column"] == "qa"


@pytest.mark.ledger("R-30")
def test_a_quest_whose_column_is_renamed_goes_on_in_the_new_one(nowhere: Moot) -> None:
    nowhere("init", "--preset", "quest")
    nowhere("add", "Build the hall")
    nowhere("add", "Another")
    nowhere.work("pathseeker", outcome="split", tasks=[{"title": "a", "files": ["a.py"]}, {"title": "b"}])
    nowhere("claim", "codeweaver")
    path = nowhere.folder / ".moot" / "flow.yaml"
    path.write_text(
        path.read_text("utf-8").replace("  weave:  ", "  craft:  ").replace("next: weave", "next: craft"), "utf-8"
    )
    nowhere("apply", code=1)
    nowhere("apply", "--move", "weave=craft")
    assert nowhere.json("show", "1")["column"] == "craft"
    assert {nowhere.json("show", item)["status"] for item in "34"} == {"cancelled"}
    assert nowhere.json("doctor")["ok"] is True


@pytest.mark.ledger("R-30")
def test_a_gate_that_an_item_must_pass_cannot_go(nowhere: Moot) -> None:
    nowhere("init", "--preset", "quest")
    nowhere("add", "One", "--column", "review")
    nowhere.work("lawbringer")
    path = nowhere.folder / ".moot" / "flow.yaml"
    path.write_text(path.read_text("utf-8").replace("ward", "guard"), "utf-8")
    assert nowhere("apply", "--json", code=1).error["code"] == "gate_in_use"
    nowhere("apply", "--move", "review=review")
    nowhere.work("lawbringer")
    assert nowhere.work("guard")["column"] == "siege" and nowhere.json("doctor")["ok"]


@pytest.mark.parametrize("kind", ["pipe", "sparse"])
def test_a_flow_that_is_no_file_with_an_end_holds_up_nobody(moot: Moot, kind: str) -> None:
    path = moot.folder / ".moot" / "flow.yaml"
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.touch()
        os.truncate(path, 2 * 1024**3)
    moot("list")
    assert "cannot be read: it " in moot("check", "--json", code=2).error["message"]


def test_the_hint_names_the_file_that_was_checked(moot: Moot) -> None:
    (moot.folder / "other").mkdir()
    for path, command in (("other/my flow.yaml", "moot check 'other/my flow.yaml'"), (".moot/flow.yaml", "moot check")):
        (moot.folder / path).write_text("flow: [\n", "utf-8")
        hint = moot("check", path, "--json", code=2).error["hint"]
        assert hint == f"repair {path}, then look again with `{command}`"


def test_what_would_change_is_named_as_it_stands_in_the_file(moot: Moot) -> None:
    flow = moot.folder / ".moot" / "flow.yaml"
    lines = [line for line in flow.read_text("utf-8").splitlines() if not line.startswith("flow:")]
    flow.write_text("\n".join([*lines, "flow: other", "notify: [{desktop: true}]"]), "utf-8")
    assert {one["key"] for one in moot.json("check")["changes"]} == {"flow", "notify"}


BEFORE = """
flow: house
columns: {build: {agents: [builder], next: done, gate: [tests]}}
agents: {builder: {ladder: {0: small, 1: large, 2+: escalate}}}
gates: {tests: {run: [make, test]}}
limits: {timeout: 30m}
budget: {item_usd: 2, day_time: 1h}
"""
AFTER = """
flow: house
columns:
  build: {agents: [builder], next: review, gate: [tests, lint]}
  review: {agents: [reviewer], next: done, fix: build, gate: [tests, lint], kind: flow}
agents: {builder: {ladder: {0-1: small, 2+: large}}, reviewer: {write: none}}
gates: {tests: {run: [make, test]}, lint: {run: [make, lint]}}
limits: {timeout: 10m, memory: 8GB}
budget: {item_usd: 2.50}
"""
TOLD = """
columns.build.next: done → review
columns.build.gate: + lint
columns.review: is new: agents: [reviewer] next: done fix: build gate: [tests, lint]
agents.builder.ladder: {0: small, 1: large, 2+: escalate} → {0-1: small, 2+: large}
gates.lint: is new: {run: [make, lint]}
limits.timeout: 30m → 10m
limits.memory: 16GB → 8GB
budget.item_usd: 2 → 2.5
budget.day_time: is not set any more; it is 1h now
"""


def test_what_would_change_is_told_in_the_words_of_a_flow_file(nowhere: Moot) -> None:
    (nowhere.folder / ".moot").mkdir()
    flow = nowhere.folder / ".moot" / "flow.yaml"
    flow.write_text(BEFORE, "utf-8")
    nowhere("init")
    flow.write_text(AFTER, "utf-8")
    told = " ".join(nowhere("check").out.split())
    for line in TOLD.strip().splitlines():
        assert line in told, told
    assert '"' not in told and "null" not in told


def test_a_board_whose_flow_file_is_not_here_says_where_it_is(moot: Moot) -> None:
    (moot.folder / ".moot" / "flow.yaml").unlink()
    error = moot("check", "--json", code=2).error
    assert error["message"] == ".moot/flow.yaml cannot be read: No such file or directory"
    assert "where the board was made" in error["hint"] and moot("add", "one").out, "the flow in force holds"


def test_a_flow_that_is_not_in_force_says_who_would_be_started_with_it(moot: Moot) -> None:
    flow = moot.folder / ".moot" / "flow.yaml"
    text = (
        "columns: {make: {agents: [maker, helper], next: done}}\nagents: {maker: {run: {command: [cat]}}, helper: {}}\n"
    )
    flow.write_text(text, "utf-8")
    checked = moot("check").out
    assert "then moot run starts maker with cat." in checked
    assert checked.rstrip().endswith("people and scripts claim for them: helper")
    assert moot.json("check")["run"] == {"maker": "cat"}
    assert "  moot run starts maker with cat." in moot("apply").out


def test_check_shows_what_came_into_a_list_and_what_went(nowhere: Moot) -> None:
    nowhere("init")
    flow = nowhere.folder / ".moot" / "flow.yaml"
    text = flow.read_text()
    slack = "{slack: SLACK_URL, on: [question, failure, pause, budget, landed, idle]}"
    flow.write_text(f"{text}\nnotify: [{slack}, {{desktop: true}}]\n")
    out = " ".join(nowhere("check").out.split())
    assert "notify: + {slack: SLACK_URL, on: [question, failure, pause, budget, landed, idle]}" in out
    assert "+ {desktop: true, on: [question" in out
    nowhere("apply")
    flow.write_text(f"{text}\nnotify: [{{desktop: true}}]\n")
    out = " ".join(nowhere("check").out.split())
    assert "notify: - {slack: SLACK_URL" in out and "+ " not in out.split("notify: ")[1]
