"""What is said of findings by their numbers: it stands beside the finding that is meant, for whoever comes next."""

from typing import Any

import pytest

from folkmoot.core.vocabulary.lines import finding_in
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow

HANDOFF = preset_flow("handoff")
NULL, RACE = "Null check missing in a.txt", "Race in cancel()"
FINDINGS = [{"issue": NULL}, {"issue": RACE}]


def at_fixer(board: SoundBoard) -> str:
    item = board.add("Login", column="review")
    board.effort("reviewer", "changes_requested", findings=FINDINGS)
    return item


def found(board: SoundBoard, agent: str) -> dict[str, list[str]]:
    """What the brief of the agent's next run tells of each finding, beside its own words."""
    brief = board.engine.claim(PERSON, agent)["brief"]
    return {one["issue"]: one.get("wordings", []) for one in brief["findings"]}


@pytest.mark.ledger("H-08", "R-13")
@pytest.mark.parametrize(
    ("extra", "null", "race"),
    [
        ({"fixes": {"1": "fixed", "2": "not fixed, needs #3"}}, ["fixed"], ["not fixed, needs #3"]),
        (
            {
                "fixes": [
                    {"issue": NULL, "status": "fixed"},
                    {"issue": RACE, "status": "wont_fix", "note": "one thread"},
                ]
            },
            ["status: fixed"],
            ["status: wont_fix; note: one thread"],
        ),
        (
            {"fixes": [{"issue_id": 1, "status": "fixed"}, {"issue_id": "#2", "status": "deferred"}]},
            ["status: fixed"],
            ["status: deferred"],
        ),
        ({"fixed": [1], "not_fixed": [2]}, ["fixed"], ["not fixed"]),
        ({"fixed_issues": ["null check missing"], "deferred": [RACE]}, ["fixed issues: null check missing"], None),
        ({"wontfix": {"issue 2": "one thread"}}, [], ["wontfix: one thread"]),
        ({"fixes": ["cancel() is guarded", "a test was added"], "fixed": [7, True, None]}, [], []),
        ({"wontfix": ["in"]}, [], []),
    ],
    ids=str,
)
def test_what_a_fixer_says_of_a_finding_stands_beside_it(
    extra: dict[str, Any], null: list[str], race: list[str] | None
) -> None:
    with SoundBoard(HANDOFF) as board:
        at_fixer(board)
        board.effort("fixer", "done", extra=extra)
        race = [f"deferred: {RACE}"] if race is None else race
        assert found(board, "reviewer") == {
            NULL: [f"fixer: {words}" for words in null],
            RACE: [f"fixer: {words}" for words in race],
        }


@pytest.mark.ledger("R-13", "R-14")
@pytest.mark.parametrize(
    ("issue", "beside"),
    [
        ("#2 is still open: a worker calls it", [f"2 was: {RACE}"]),
        ("Issue 1 and issue #2 are back", [f"1 was: {NULL}", f"2 was: {RACE}"]),
        ("#9 is not ours", []),
        ("2 tests are red", []),
    ],
)
def test_a_finding_that_names_an_earlier_one_by_its_number_has_its_words_beside_it(
    issue: str, beside: list[str]
) -> None:
    """The fixer's next brief has other numbers, and no word of the look before."""
    with SoundBoard(HANDOFF) as board:
        at_fixer(board)
        board.effort("fixer", "done")
        board.effort("reviewer", "changes_requested", findings=[{"issue": issue}])
        assert found(board, "fixer") == {issue: beside}


def test_a_number_sign_before_a_number_is_part_of_the_words() -> None:
    """`2 still open` would be a count."""
    assert finding_in("#2 still open: cancel()").issue == "#2 still open: cancel()"
    assert finding_in("# High: no check").severity == "high"
