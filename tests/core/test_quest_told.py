"""What roles of a quest declare keeps its meaning: files, signatures, scopes and blockers (Q-03, Q-07, Q-09)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.commands import WidenRun
from folkmoot.core.vocabulary.scopes import makes_something
from folkmoot.errors import Invalid
from folkmoot.testing.builders import SoundBoard, TrialBoard, preset_flow
from tests.core.test_outputs import claimed

QUEST = preset_flow("quest")
TASKS = [
    {"key": "a", "title": "Register", "files": ["src/a.ts", "src/a.test.ts"]},
    {"key": "b", "title": "Reset", "files": ["src/b.ts"]},
]


def split(board: TrialBoard) -> str:
    quest = board.add()
    board.effort("pathseeker", "split", tasks=TASKS)
    return quest


def refused(board: TrialBoard, agent: str, outcome: str, **parts: Any) -> str:
    """Why a report was asked back; its run still lives, and is given back."""
    run = board.claim(agent)
    with pytest.raises(Invalid) as caught:
        board.say(run, outcome, **parts)
    assert caught.value.code == "report_refused"
    return caught.value.message


@pytest.mark.ledger("Q-03", "R-20")
@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"modified": ["src/a.ts"]}, None),
        ({"created": ["src/a.test.ts"], "modified": ["./src/a.ts"]}, None),
        ({"modified": ["src/b.ts"]}, "src/b.ts is not among its files"),
        ({"created": ["src/new.ts"]}, "src/new.ts is not among its files"),
        ({"modified": ["src/a.ts", "src/b.ts"]}, "src/b.ts is not among its files"),
        ({"modified": [".moot/flow.yaml"]}, "belongs to the board"),
        ({"created": ["file1.ts"], "modified": ["existing.ts"]}, None),  # the form as printed names no file
    ],
)
@pytest.mark.parametrize("outcome", ["done", "incomplete"])
def test_files_that_a_report_by_hand_declares_are_held_against_the_tasks_own(
    files: dict[str, list[str]], fault: str | None, outcome: str
) -> None:
    with SoundBoard(QUEST) as board:
        split(board)
        if fault is None:
            board.effort("codeweaver", outcome, summary="x", files=files)
            return
        told = refused(board, "codeweaver", outcome, summary="x", files=files)
        assert fault in told and "its files: src/a.ts, src/a.test.ts" in told
        assert "(widen)" in told


@pytest.mark.ledger("Q-03", "R-20")
def test_a_path_that_was_asked_for_first_may_be_declared() -> None:
    with SoundBoard(QUEST) as board:
        split(board)
        run = board.claim("codeweaver")
        with pytest.raises(Invalid):
            board.say(run, "done", summary="x", files={"modified": ["src/c.ts"]})
        board.engine.handle_run(run, WidenRun(paths=["src/c.ts"]))
        board.say(run, "done", summary="x", files={"modified": ["src/c.ts"]})
        assert board.show("2")["status"] == "done"


@pytest.mark.ledger("Q-03")
@pytest.mark.parametrize("outcome", ["failed", "stuck", "asks"])
def test_what_a_run_says_about_itself_stands_whatever_files_it_lists(outcome: str) -> None:
    with SoundBoard(QUEST) as board:
        split(board)
        more = {"question": {"question": "which?"}} if outcome == "asks" else {}
        board.effort("codeweaver", outcome, summary="x", files={"modified": ["src/b.ts"]}, **more)
        assert board.show("2")["status"] != "running"


@pytest.mark.ledger("Q-03")
def test_a_siegemaster_by_hand_declares_new_tests_only_and_its_own_again() -> None:
    with SoundBoard(QUEST) as board:
        item = board.add(column="siege")
        run = board.claim("siegemaster")
        with pytest.raises(Invalid) as caught:
            board.say(run, "done", summary="x", files={"modified": ["src/app.ts"]})
        assert "src/app.ts is not a new test" in caught.value.message
        board.say(run, "incomplete", summary="x", files={"created": ["tests/auth.test.ts"]})
        run = board.claim("siegemaster")
        board.say(run, "done", summary="x", files={"modified": ["tests/auth.test.ts"]})
        assert board.place(item) == ("siege", "proving")


@pytest.mark.ledger("Q-07")
@pytest.mark.parametrize(
    ("field", "name", "fits"),
    [
        ("agentType", "codeweaver", True),
        ("agentType", "Codeweaver", True),
        ("agentType", "lawbringer", False),
        ("agentType", "Spiritmender", False),
        ("agentType", "codeweaver-1", True),
        ("Agent", "pathseeker", False),
        ("Agent", "dev-123", True),
    ],
)
def test_a_report_that_another_role_has_signed_is_asked_back(field: str, name: str, fits: bool) -> None:
    with SoundBoard(QUEST) as board:
        split(board)
        if fits:
            board.effort("codeweaver", "done", summary="x", extra={field: name})
            assert board.show("2")["status"] == "done"
        else:
            told = refused(board, "codeweaver", "done", summary="x", extra={field: name})
            assert f"signed by {name.lower()}" in told and "codeweaver's" in told


@pytest.mark.ledger("Q-09", "R-25")
@pytest.mark.parametrize("scope", ["implementation", "full implementation", "discovery_and_implementation", "coding"])
@pytest.mark.parametrize("to", [None, "pathseeker", "codeweaver"])
def test_a_sub_agent_that_would_make_something_is_asked_back(scope: str, to: str | None) -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add()
        one = {"task": "write_the_login", "scope": scope, **({"to": to} if to else {})}
        told = refused(board, "pathseeker", "delegates", delegate=[{"task": "look", "scope": "discovery_only"}, one])
        assert "write_the_login" in told and scope in told and "discovery_only" in told
        assert board.children(quest) == []


@pytest.mark.ledger("Q-09")
@given(st.sampled_from(["discovery_only", "analysis", "research", "src/auth", "read-only", "the sessions table"]))
def test_a_scope_that_only_looks_makes_nothing(scope: str) -> None:
    assert not makes_something(scope)
    assert not makes_something(f"{scope}, no implementation")
    assert not makes_something(f"analysis of the implementation: {scope}")
    assert makes_something(f"{scope} and implementation")


@pytest.mark.ledger("Q-07", "Q-11")
@pytest.mark.parametrize("words", ["none", "None.", ""])
def test_who_has_no_blockers_beside_complete_has_none(words: str) -> None:
    with SoundBoard(QUEST) as board:
        quest = split(board)
        board.effort("codeweaver", "done", summary="made", blockers=words)
        board.effort("codeweaver", "done", summary="made too")
        board.effort("ward", "done")
        _, brief = claimed(board, "lawbringer")
        assert not any("blockers" in one for one in [*brief["outputs"], *brief["projectContext"]["tasks"]])
        assert board.show(quest)["column"] == "review"
