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
    twice("release", claim["run"], "--token", str(claim["token"]))


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
