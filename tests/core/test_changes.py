"""Changes that are too much to be judged, and changes with a secret in them: nothing of either is taken."""

import pytest
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.work import Secret
from folkmoot.testing.builders import SoundBoard, change, small_flow

FLOW = small_flow("""
limits: {change_files: 3, change_bytes: 1000}
columns: {dev: {agents: [d], next: done}}
agents: {d: {}}
secrets: {allow: [tests/keys/, fixture.pem]}
""")
ASKED = "awaiting-divine-guidance"


def refusal(board: SoundBoard, item: str) -> str:
    return next(event["context"]["why"] for event in board.log(item) if event["event"] == "work_refused")


@pytest.mark.attack("limits", "a change of more than the rules can look at", "refused whole, however it is told")
@pytest.mark.ledger("R-20")
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"files": 5}, "it changed 5 files, 2 more than `change_files` allows (3)"),
        ({"bytes": 1_500}, "it changed 1500 bytes, 500 more than `change_bytes` allows (1000)"),
        ({"files": 2}, "it changed 2 files, and a report can name only the first 1"),
        ({"aside": "x/r1", "why": "it was slow"}, "it was slow; what it left is in x/r1"),
        ({"aside": "x/r1"}, "it could not be taken in; what it left is in x/r1"),
        (
            {"aside": "x/r1", "files": 9},
            "it changed 9 files, 6 more than `change_files` allows (3); what it left is in x/r1",
        ),
    ],
)
def test_what_is_too_much_is_refused_whole(told: dict[str, object], words: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.bring("d", work=replace(change("src/a.py"), **told))
        assert board.item(item).head is None and refusal(board, item) == words
        last = board.show(item)["runs"][-1]
        assert (last["outcome"], last["cause"]) == ("failed", "conflict")
        board.bring("d", work=replace(change("src/a.py"), files=1, bytes=1_000))
        assert board.item(item).head == "c1"


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize(("count", "last"), [(5_001, "src/z.py"), (3_000, ".moot/z.py")])
def test_a_refused_change_keeps_how_much_it_was(count: int, last: str) -> None:
    """The row lists the first paths only: without their number it would look like one that was refused for nothing."""
    flow = small_flow("columns: {dev: {agents: [d], next: done}}\nagents: {d: {}}\n")
    with SoundBoard(flow) as board:
        item = board.add()
        board.bring("d", work=change(*(f"src/{n:05}.py" for n in range(count - 1)), last))
        assert board.item(item).head is None and refusal(board, item) and board.wrong() == []


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize(
    ("secret", "words"),
    [
        (Secret("src/a.py", 3, "API_KEY"), "src/a.py:3 holds the value of API_KEY"),
        (Secret("tests/keys/a", 1, "API_KEY"), "tests/keys/a:1 holds the value of API_KEY"),
        (Secret("[secret]", 0, "API_KEY"), "the name [secret] holds the value of API_KEY"),
        (Secret("src/a.py", 3), "src/a.py:3 holds what looks like a token or a key"),
        (Secret("tests/keys.py", 3), "tests/keys.py:3 holds what looks like a token or a key"),
        (Secret(""), "more places than can be listed look like secrets"),
    ],
)
def test_a_secret_is_refused_and_a_person_is_asked_at_once(secret: Secret, words: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.bring("d", work=replace(change("src/a.py"), secrets=[secret]))
        assert board.place(item) == ("dev", ASKED) and board.item(item).head is None
        (asked,) = board.queries.inbox()["questions"]
        assert asked["question"] == f"A secret was about to land: {words}. Nothing of the change is taken."
        assert [option["option"] for option in asked["options"]] == ["let it be made again, without", "abort"]
        assert "secrets.allow" in asked["help"]


def test_what_the_flow_allows_is_taken() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        secrets = [Secret("tests/keys/a", 1), Secret("fixture.pem", 1)]
        board.bring("d", work=replace(change("src/a.py"), secrets=secrets))
        assert board.item(item).head == "c1"


def test_a_secret_in_what_was_made_when_the_quota_ended_is_not_gone_on_with() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        actor = board.claim("d")
        work = replace(change("src/a.py"), secrets=[Secret("src/a.py", 1, "API_KEY")])
        board.engine.handle_run(actor, commands.PauseRun(why="429", work=work))
        assert board.item(item).head is None and "holds the value of API_KEY" in refusal(board, item)
