"""The last step of a landing is fenced: branch and board move together, or neither does."""

from pathlib import Path

import pytest

from tests.worker.fenced import cases, play

SEED = 8
SOME = [
    ("move", "freeze"),
    ("move", "cancel"),
    ("report", "freeze"),
    ("swap", "kill"),
    ("moved", "kill and cancel"),
    ("landed", "cancel"),
]


@pytest.mark.ledger("R-19", "R-27", "R-29")
@pytest.mark.attack(
    "fence",
    "A landing is killed, stands still past its lease, or is cancelled, at every step up to the move of the branch",
    "Only the current run of an item that still wants it moves the branch; the board says what git shows",
)
def test_six_landings_are_disturbed_at_their_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = play(tmp_path, SOME, monkeypatch, 4)
    assert sum(tally.values()) == len(SOME)
    # What the dead one had moved is on the branch, and the board says so though the item was cancelled.
    assert tally["kill and cancel at moved: cancelled, landed"] == 1
    assert tally["cancel at move: cancelled"] == 1 and tally["freeze at move: done, landed"] == 1


@pytest.mark.slow
@pytest.mark.ledger("R-19", "R-27", "R-29")
def test_two_hundred_landings_are_disturbed_at_their_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = play(tmp_path, cases(200, SEED), monkeypatch, 6)
    print("\n".join(f"{count:4} {what}" for what, count in sorted(tally.items())))
    assert sum(tally.values()) == 200 and len({what.partition(":")[0] for what in tally}) == 24
    moved = {what for what in tally if "landed" in what.partition(": ")[2]}
    assert {f"kill and cancel at {step}: cancelled" for step in ("merge", "move", "report", "swap")} <= tally.keys()
    assert "kill and cancel at moved: cancelled, landed" in moved
