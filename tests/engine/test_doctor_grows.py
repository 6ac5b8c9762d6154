"""The doctor's work grows with the board, and no faster."""

import cProfile
import pstats

import pytest

from folkmoot.engine.checking.doctor import examine
from folkmoot.testing.builders import TrialBoard, preset_flow

FEW = 150


def calls_of(board: TrialBoard) -> int:
    """How many calls an examination takes: a count, so that no slow machine disturbs it."""
    profile = cProfile.Profile()
    found = profile.runcall(examine, board.engine)
    assert found.ok, found
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def calls(items: int, same: bool) -> int:
    with TrialBoard(preset_flow()) as board:
        for number in range(items):
            files = ["src/hot.py"] if same else [f"src/part{number % 9}/{number}.py", f"docs/{number % 5}.md"]
            board.add(column="dev", files=files)
        return calls_of(board)


@pytest.mark.attack(
    "damage",
    "Thousands of items with files are ready when `moot doctor` is called.",
    "Its work grows with the number of items, not with its square.",
)
@pytest.mark.parametrize("same", [True, False], ids=["one path", "many paths"])
def test_the_doctor_is_linear(same: bool) -> None:
    assert calls(4 * FEW, same) < 5 * calls(FEW, same)


def calls_with_claims(paths: int) -> int:
    with TrialBoard(preset_flow()) as board:
        for number in range(2):
            board.add(column="dev", files=[f"src/part{number}/{path}.py" for path in range(paths)])
        for _ in range(2):
            board.claim("dev-agent")
        return calls_of(board)


@pytest.mark.attack(
    "damage",
    "A run adds items that name very many paths each; each of their runs holds all of these.",
    "The doctor's work grows with the number of holds, not with its square.",
)
def test_the_doctor_is_linear_in_what_is_held() -> None:
    assert calls_with_claims(400) < 5 * calls_with_claims(100)
