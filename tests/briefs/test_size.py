"""However much is on an item, the brief and the prompt have their size, and the most useful part stays."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.briefs.own_words import own_words
from folkmoot.briefs.prompt import PROMPT_SIZE, prompt
from folkmoot.briefs.size import BRIEF_SIZE, cut_text, fitted, shrunk
from folkmoot.core.commands import AddComment
from folkmoot.testing.builders import TrialBoard, line_flow
from tests.briefs.scenes import TITLE, View, brief_of, filled, preset_flow, take

LONG = "A line of about forty characters, again.\n" * 250


@pytest.fixture(scope="module")
def plain() -> View:
    return brief_of("kanban", "dev-agent")


def fits(brief: View) -> bool:
    return len(json.dumps(brief, ensure_ascii=False)) <= BRIEF_SIZE * 1.1 and (
        len(msgspec.json.encode(brief)) <= BRIEF_SIZE and len(prompt(brief)) <= PROMPT_SIZE
    )


@pytest.mark.ledger("Q-06")
def test_a_hundred_comments_of_ten_thousand_characters() -> None:
    with TrialBoard(preset_flow("kanban")) as board:
        item = board.add(TITLE, column="dev", body=f"First words. {LONG * 3} Last words.")
        for number in range(100):
            board.on(item, AddComment(content=f"comment {number}: {LONG}"))
        brief = take(board, "dev-agent")[1]
    assert fits(brief)
    text = prompt(brief)
    for told in (text, json.dumps(brief)):
        assert TITLE in told and "First words." in told and "Last words." in told and "characters left out" in told
        assert "comment 99:" in told and "comment 0:" not in told, "the newest stay"
    left = next(one for one in brief["left_out"] if one["what"] == "comments")
    assert left == {"what": "comments", "count": 100 - len(brief["comments"]), "see": f"moot comments {item}"}
    assert f"see: `moot comments {item}`" in text and f"`moot show {item} --json`" in text
    own = own_words(brief["instructions"])
    assert own.role in text and own.stop in text and own.report in text, "what the role must do is whole"


def test_the_thread_of_an_open_dispute_comes_before_newer_talk() -> None:
    with TrialBoard(preset_flow("kanban")) as board:
        item = board.add(TITLE, column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "test_reset.py"}])
        concern = {"artifact": "test_reset.py", "content": "It asserts the opposite of the story."}
        board.effort("dev-agent", "disputed", comments=[concern])
        for number in range(60):
            board.on(item, AddComment(content=f"talk {number}: {LONG}"))
        brief = take(board, "test-architect")[1]
    assert fits(brief) and len(brief["comments"]) < 60
    assert brief["comments"][0]["content"] == concern["content"]
    assert concern["content"] in prompt(brief) and brief["disputes"][0]["thread"] == "c001"


def test_findings_stay_by_severity_and_attempts_by_age(plain: View) -> None:
    severities = ["low", "medium", "high", "critical"]
    findings = [
        {"kind": "review", "severity": severities[number % 4], "issue": f"issue {number} {LONG}", "found_by": []}
        for number in range(200)
    ]
    attempt = {"kind": "self_solve", "model": None, "agent": "dev-agent", "counted": True, "reason": LONG}
    attempt |= {"outcome": "red", "why_different": None}
    attempts = [{**attempt, "attempt": number, "approach": f"way {number}"} for number in range(200)]
    brief = fitted({**plain, "findings": findings, "attempts": attempts}, BRIEF_SIZE)
    assert fits(brief)
    assert {found["severity"] for found in brief["findings"]} == {"critical"}
    assert brief["attempts"][-1]["attempt"] == 199 and brief["attempts"][0]["attempt"] > 100
    numbers = [tried["attempt"] for tried in brief["attempts"]]
    assert numbers == sorted(numbers), "in the order they were made"
    counts = {one["what"]: one["count"] for one in brief["left_out"]}
    assert counts == {"findings": 200 - len(brief["findings"]), "attempts": 200 - len(brief["attempts"])}


def test_what_is_told_first_is_whole_while_the_rest_is_cut(plain: View) -> None:
    said = {"task": "1", "agent": "dev-agent", "question": "Which?", "guidance": "The second. " * 50, "by": "alice"}
    talk = {"id": "c1", "author": "bob", "artifact": None, "target": None, "parent": None, "resolution": None}
    comments = [{**talk, "content": LONG, "status": "open"} for _ in range(100)]
    told = "The last report had no outcome."
    brief = fitted({**plain, "responses": [said], "told": told, "comments": comments}, BRIEF_SIZE)
    assert brief["responses"] == [said] and brief["told"] == told and brief["task"] == plain["task"]
    assert [one["what"] for one in brief["left_out"]] == ["comments"]
    assert prompt(brief).count("The second.") == 50


@pytest.mark.ledger("Q-09")
def test_the_outputs_of_many_tasks_are_shortened_before_any_is_left_out() -> None:
    with TrialBoard(preset_flow("quest")) as board:
        board.add(TITLE)
        tasks = [{"title": f"task {number}"} for number in range(40)]
        board.effort("pathseeker", "split", tasks=tasks)
        for number in range(40):
            board.effort("codeweaver", "done", summary=f"output {number} {LONG}")
        board.effort("ward", "done")
        brief = take(board, "lawbringer")[1]
    assert fits(brief)
    assert len(brief["outputs"]) == 40
    assert all(output["summary"].startswith(f"output {number} ") for number, output in enumerate(brief["outputs"]))


@pytest.mark.parametrize("words", [LONG * 4, "\n" * 40_000, "\x1b" * 40_000, "語" * 40_000, '"' * 40_000])
def test_all_of_it_fits_when_every_text_is_long(plain: View, words: str) -> None:
    assert fits(fitted(filled(plain, words), BRIEF_SIZE))


def test_a_brief_that_fits_is_left_alone(plain: View) -> None:
    assert fitted(plain, BRIEF_SIZE) is plain and plain["left_out"] == []


def test_a_huge_prompt_of_a_flow_is_cut_too() -> None:
    flow = line_flow("dev")
    agent = msgspec.structs.replace(flow.agents["dev-agent"], instructions=f"Begin so. {LONG * 20} End so.")
    with TrialBoard(msgspec.structs.replace(flow, agents={"dev-agent": agent})) as board:
        board.add(TITLE)
        brief = take(board, "dev-agent")[1]
    assert fits(brief)
    assert brief["instructions"].startswith("Begin so.") and brief["instructions"].endswith("End so.")
    assert TITLE in prompt(brief)


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1000, 1000), st.text(max_size=300)),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=20), inner, max_size=40),
    max_leaves=60,
)


@given(values, st.integers(200, 5_000))
@settings(max_examples=25)
def test_whatever_somebody_put_into_a_message_fits(plain: View, payload: Any, size: int) -> None:
    message = {"type": "note", "from": "planner", "payload": {"words": payload, "more": LONG}, "context": {}}
    brief = fitted({**plain, "messages": [message] * 20}, BRIEF_SIZE)
    assert fits(brief)
    assert len(msgspec.json.encode(shrunk(payload, size))) <= max(size, 6_000)


@given(st.text(max_size=400), st.integers(0, 400))
def test_a_cut_text_keeps_its_ends_and_its_size(text: str, size: int) -> None:
    cut = cut_text(text, size)
    assert len(cut) <= max(size, 1)
    if size >= 80 and len(text) > size:
        assert cut.startswith(text[:20]) and cut.endswith(text[-10:]) and "characters left out" in cut
