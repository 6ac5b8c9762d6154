"""A phase that is over says so in its event, whichever way it ended: forward, by a split that leads on, or healed."""

from typing import Any

import pytest

from folkmoot.testing.builders import TrialBoard, preset_flow

View = dict[str, Any]
TASKS = [{"key": "a", "title": "User can register with email", "files": ["a.py"]}]


def ended(board: TrialBoard, item: str) -> list[tuple[str, View]]:
    found = [(event["event"], event["context"]) for event in board.log(item) if "phase" in event["context"]]
    return [
        (name, {part: context.get(part) for part in ("phase", "to", "rounds", "healed")}) for name, context in found
    ]


@pytest.mark.ledger("P-10", "Q-12")
@pytest.mark.parametrize("reds", [0, 1, 3])
def test_discovery_healing_and_the_phase_that_was_healed(reds: int) -> None:
    with TrialBoard(preset_flow("quest")) as board:
        item = board.add("Users can register")
        board.effort("pathseeker", "split", tasks=TASKS)
        board.effort("codeweaver", "done")
        for _ in range(reds):
            board.effort("ward", "failed", summary="3 tests are red")
            board.effort("spiritmender", "done")
        board.effort("ward", "done")
        healing = [
            ("item_moved", {"phase": "mend", "to": "weave", "rounds": number, "healed": ["ward"]})
            for number in range(1, reds + 1)
        ]
        # Its gate looked once for each time that it was red, and once more.
        woven = {"phase": "weave", "to": "review", "rounds": reds + 1 if reds else None, "healed": None}
        discovered = {"phase": "discover", "to": "weave", "rounds": None, "healed": None}
        assert ended(board, item) == [("work_split", discovered), *healing, ("phase_completed", woven)]


@pytest.mark.ledger("P-10")
def test_what_only_moves_ends_no_phase() -> None:
    with TrialBoard(preset_flow("pipeline")) as board:
        item = board.add("Feature X", column="test")
        board.effort(
            "test-executor", "changes_requested", findings=[{"kind": "test", "issue": "expected 200, got 500"}]
        )
        board.effort("implementer", "done")
        assert ended(board, item) == [], "changes were asked for and made: the phase goes on"
        board.effort("test-executor", "done")
        assert ended(board, item) == [("phase_completed", {"phase": "test", "to": "done", "rounds": 2, "healed": None})]
