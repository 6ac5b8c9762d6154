"""Would it land now? One rule says it, or the one thing that stands first in its way, as a landing has it."""

from folkmoot.api.screen import LandingProspect, ShowProspect
from folkmoot.core.work import Evidence
from folkmoot.testing.builders import PERSON, TrialBoard, change
from tests.core.test_landing import GREEN, LINE, record, through


def told(board: TrialBoard, item: str) -> LandingProspect:
    found: LandingProspect = board.application.asked_by(PERSON)(ShowProspect(item=item))
    return found


def gate(green: bool, commit: str = "c1") -> Evidence:
    return Evidence(gate="ward", green=green, command=["true"], commit=commit, tree="t0")


def test_each_step_of_its_way_is_named_until_it_lands() -> None:
    with TrialBoard(LINE) as board:
        item = board.add()
        said = [told(board, item).why]
        board.bring("d", work=change("src/a.py", added=12, removed=3))
        said.append(told(board, item).why)
        board.bring("ward", evidence=[gate(True)])
        said.append(told(board, item).why)
        board.bring("r")
        assert said == [
            "dev has yet to do its work",
            "ward has not run on it as it is now",
            "look has yet to do its work",
        ]
        now = told(board, item)
        assert (now.lands, now.why, now.branch) == (True, "nothing stands between it and main", "main")
        run = board.claim("landing")
        record(board, run, "src/a.py")
        board.bring(run, evidence=[GREEN], commit="m1")
        after = told(board, item)
        assert (after.lands, after.why) == (False, "it has landed on main") and board.item(item).status == "done"


def test_a_red_gate_an_open_finding_and_an_open_question_each_stand_first() -> None:
    with TrialBoard(LINE) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.effort("ward", "failed", summary="1 failed")
        red = told(board, item)
        assert (red.lands, red.why, red.by) == (False, "ward is red", "ward")
        board.bring("d", work=change("src/a.py", commit="c2", base="c1"))
        board.bring("ward", evidence=[gate(True, "c2")])
        board.effort("r", "changes_requested", findings=[{"issue": "It is slow", "severity": "high"}])
        assert told(board, item).why == "1 finding is open"
        board.effort("d", "asks", question={"question": "Which one?"})
        asked = told(board, item)
        assert (asked.why, asked.by) == ("it waits for your answer", "q1")


def test_what_another_holds_stands_in_its_way_as_it_does_for_a_landing() -> None:
    with TrialBoard(LINE) as board:
        item = through(board)
        other = board.add(files=["src/"])
        board.claim("d", item=other)
        assert not told(board, item).lands and f"for item {other}" in told(board, item).why


def test_what_waits_for_another_item_names_it() -> None:
    with TrialBoard(LINE) as board:
        first = board.add()
        second = board.add(after=[first])
        found = told(board, second)
        assert (found.lands, found.why, found.by) == (False, f"it waits for item {first}", first)
