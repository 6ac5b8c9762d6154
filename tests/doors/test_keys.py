"""Repeating a command with the same key: one effect, and the same bytes for an answer."""

import pytest

from tests.doors.conftest import Moot


def test_every_writing_command_answers_a_repeated_key_with_the_same_bytes(moot: Moot) -> None:
    def twice(*arguments: str, stdin: str = "") -> None:
        first = moot(*arguments, "--json", "--key", arguments[0], stdin=stdin)
        moot("add", "Something else in between")
        events = moot.json("log", "--limit", "10000")["events"]
        again = moot(*arguments, "--json", "--key", arguments[0], stdin=stdin)
        assert again.out == first.out
        assert moot.json("log", "--limit", "10000")["events"] == events, "nothing happened the second time"

    twice("add", "One", "--column", "dev")
    twice("claim", "dev-agent")
    run = moot.json("show", "1")["runs"][0]["run"]
    twice("renew", run, "--token", "1")
    twice("comment", "1", "words")
    twice("report", run, "--token", "1", "-", stdin='{"outcome": "asks", "question": "Which?"}')
    twice("answer", "q1", "this one")
    twice("edit", "1", "--title", "Other")
    twice("move", "1", "tests")
    twice("cancel", "1")
    twice("reopen", "1")
    claim = moot.json("claim", "test-architect")
    twice("widen", claim["run"], "--token", str(claim["token"]), "a.py")
    twice("release", claim["run"], "--token", str(claim["token"]))
    twice("lock", "b.py")
    twice("unlock", "b.py")
    twice("dispatch", "dev-agent", "Fix it")


def test_every_command_about_messages_answers_a_repeated_key_with_the_same_bytes(nowhere: Moot) -> None:
    nowhere("init", "--preset", "handoff")
    said = '{"from": "planner", "to": "builder", "type": "task_handoff"}'
    first = nowhere("send", "-", "--key", "a", "--json", stdin=said)
    assert nowhere("send", "-", "--key", "a", "--json", stdin=said).out == first.out
    message = first.json["message_id"]
    for command in ("accept", "complete"):
        done = nowhere(command, message, "--as", "builder", "--key", command, "--json")
        assert nowhere(command, message, "--as", "builder", "--key", command, "--json").out == done.out
    other = nowhere("send", "-", "--json", stdin=said).json["message_id"]
    done = nowhere("reject", other, "--why", "x", "--key", "reject", "--json")
    assert nowhere("reject", other, "--why", "x", "--key", "reject", "--json").out == done.out
    assert len(nowhere.json("messages")["messages"]) == 2


@pytest.mark.parametrize(
    "other", [["add", "Two"], ["add", "One", "--column", "dev"], ["cancel", "1"], ["claim", "story-agent"]]
)
def test_a_key_with_other_content_is_refused(moot: Moot, other: list[str]) -> None:
    moot("add", "One", "--key", "k")
    assert moot(*other, "--key", "k", "--json", code=1).error["code"] == "key_reused"
    assert len(moot.json("list")["items"]) == 1


def test_two_people_may_use_the_same_key(moot: Moot) -> None:
    moot("add", "One", "--key", "k", "--as", "ada")
    moot("add", "Two", "--key", "k", "--as", "eve")
    assert len(moot.json("list")["items"]) == 2
